"""What the path of a file says alone: the language that it is written in, and whether it is a prompt or a part of tests."""

from __future__ import annotations

import os

from toolsurface_lint.model.files import LOCK_FILE
from toolsurface_lint.project.discovery.globs import matches
from toolsurface_lint.source.languages import JINJA

_LANGUAGES = {
    "json": (".json", ".jsonc", ".snap", ".traj"),
    "jsonl": (".jsonl", ".ndjson", ".responses"),
    "yaml": (".yaml", ".yml"),
    "toml": (".toml",),
    "markdown": (".md", ".mdc", ".markdown", ".prompt", ".prompty"),
    "text": (".txt", *JINJA, ".cursorrules", ".clinerules", ".windsurfrules"),
    "python": (".py",),
    "typescript": (".ts", ".tsx", ".mts", ".cts"),
    "javascript": (".js", ".jsx", ".mjs", ".cjs"),
    "go": (".go",),
    "rust": (".rs",),
    "java": (".java",),
    "kotlin": (".kt", ".kts"),
    "csharp": (".cs",),
    "shell": (".sh", ".bash", ".zsh", ".service", ".container", ".mk", ".dockerfile"),
    "gguf": (".gguf",),
    "inspect": (".eval",),
}
_SCRIPT_NAMES = ("dockerfile", "containerfile", "makefile", "justfile")
"""Files of commands that have no extension, or one that says something else."""
TEXT_LANGUAGES = ("markdown", "text")
_BY_EXTENSION = {extension: language for language, extensions in _LANGUAGES.items() for extension in extensions}


def candidate_globs() -> tuple[str, ...]:
    """Globs for the files that have a `candidate_kind`, as their names are usually written, for clients that watch them."""
    extensions = sorted(extension.removeprefix(".") for extension in _BY_EXTENSION)
    scripts = [f"[{name[0].upper()}{name[0]}]{name[1:]}" for name in _SCRIPT_NAMES]
    bases = ",".join((*scripts, *(f"{name}.*" for name in scripts)))
    return f"**/*.{{{','.join(extensions)}}}", f"**/{{{bases}}}", f"**/{LOCK_FILE}"


def candidate_kind(name: str) -> str | None:
    """The language that a file is written in by its name alone; None for files that walking leaves out."""
    dot = name.rfind(".")
    language = _BY_EXTENSION.get(name[dot:].lower()) if dot >= 0 else None
    if language is None:
        # Locks of other programs are many, and large.
        if is_lock(name):
            return "toml"
        base = name.rpartition("/")[2].lower()
        if base.startswith(_SCRIPT_NAMES) and (base.partition(".")[0] in _SCRIPT_NAMES):
            return "shell"
    return language


def is_lock(path: str) -> bool:
    """Whether a path is that of a lock of this linter."""
    return path.endswith(LOCK_FILE) and os.path.basename(path) == LOCK_FILE


# Of the markdown and text files found by walking, these are prompts; the others are somebody's notes.
_PROMPT_NAMES = (
    "*.prompt",
    "*.prompty",
    "*.prompt.*",
    "*.agent.md",
    "*.chatmode.md",
    "*.instructions.md",
    "*.mdc",
    "system*.md",
    "system.*",
    "*system{_,-,}prompt*",
    "{prompt,*_prompt,*-prompt}.*",
    "{instructions,copilot-instructions}.md",
    "{skill,agents,agents.override,claude,claude.local,gemini,qwen}.md",
    "{.cursorrules,.clinerules,.windsurfrules}",
)
_PROMPT_FOLDERS = (
    "**/{prompts,chatmodes}/**",
    "**/{agents,subagents}/*.md",
    "**/.*/{agents,agent,commands,command}/**",
    "**/{.clinerules,.{amazonq,claude,continue,cursor,roo,windsurf}/rules*,.claude/output-styles}/**",
)
_IS_PROMPT = "{" + ",".join((*(f"**/{name}" for name in _PROMPT_NAMES), *_PROMPT_FOLDERS)) + "}"
_PAGES = "**/{readme,changelog,license,licence,contributing,code_of_conduct,security,notice}{.*,}"
_IS_NO_PROMPT = (
    # Specifications and plans are named after what they are about, which may be a prompt.
    "{{,**/}{spec,specs,plan,plans,rfc,rfcs,adr,adrs,proposals}/*{_,-,}prompt.*,"
    f"{_PAGES},"
    # Pages about agents: a manual.
    "{docs,doc,documentation}/**/{agents,subagents}/*.md,{docs,doc,documentation}/{agents,subagents}/*.md}"
)


def is_page(path: str) -> bool:
    """Whether the name of a file says that it is for the readers of its repository, wherever it lies."""
    return matches(_PAGES, path.lower().lstrip("/"))


def names_prompt(path: str) -> bool:
    """Whether the name or the folders of a relative path say that a markdown or text file is a prompt."""
    if candidate_kind(path) not in TEXT_LANGUAGES:
        return False
    if path.rpartition("/")[2] == "AGENT.md":
        # A former name of `AGENTS.md`; in small letters, it is the page of a manual.
        return True
    path = path.lower().lstrip("/")
    if not matches(_IS_PROMPT, path) or matches(_IS_NO_PROMPT, path):
        return False
    # Nearly no path holds one of the words, and the glob takes as long as the others.
    return not ("snapshots" in path or "archive" in path) or not matches(_IS_RECORDED, path)


_TEST_FOLDERS = "{test,tests,testcase,testcases,testdata,fixtures,*[-_.]tests,src/*test}/**"
_IS_RECORDED = f"{{**/{_TEST_FOLDERS}/{{snapshots,__snapshots__}}/**,{{docs/,}}{{archive,archives,archived}}/**}}"
"""What nobody gives a model now: what a test gave it when it was run last, and what has been put away."""
_EXAMPLE_FOLDERS = (
    "{example,examples,doc,docs,cookbook,cookbooks,tutorial,tutorials,{example,docs}[-_]*,*[-_]examples}/**"
)


def lies_in_examples(path: str) -> bool:
    """Whether the folders of a relative path say that what lies in it shows readers how something is done."""
    return matches(f"**/{_EXAMPLE_FOLDERS}", path.lower())


def lies_in_tests(path: str) -> bool:
    """Whether the folders of a relative path say that what lies in it tests a program, and is not a part of it."""
    lowered = path.lower()
    # Asked of every file; the pattern takes longer.
    return ("test" in lowered or "fixtures" in lowered) and matches(f"**/{_TEST_FOLDERS}", lowered)
