"""The hooks: which files they are given, and that pre-commit installs and runs them."""

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from tests.files import write_files
from toolsurface_lint.project.discovery.names import candidate_kind, names_prompt

REPOSITORY = Path(__file__).resolve().parents[1]
MANIFEST = REPOSITORY / ".pre-commit-hooks.yaml"
HOOKS = {hook["id"]: hook for hook in yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))}

PACKAGED = ("toolsurface_lint", "rules", ".pre-commit-hooks.yaml", "pyproject.toml", "README.md", "LICENSE")

NAMES = [
    "tools.json",
    "TOOLS.JSON",
    "a/settings.jsonc",
    "x.snap",
    "run.traj",
    "log.jsonl",
    "log.ndjson",
    "answers.responses",
    "a.yml",
    "b.yaml",
    "policy.toml",
    "server.py",
    *(f"src/server.{ending}" for ending in ("ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "TS")),
    *(f"src/server.{ending}" for ending in ("go", "rs", "java", "kt", "kts", "cs", "rb", "mks", "css")),
    "agents/coder/prompts/deep/system.md",
    "prompts/any.txt",
    "prompts/review.j2",
    "prompts/README.md",
    "prompts/LICENSE.txt",
    "prompts/data.bin",
    "review.prompt.md",
    "x.harn.prompt",
    "x.prompty",
    "system.md",
    "system_message.md",
    "system.txt",
    "my_system_prompt.txt",
    "old-system-prompt-2.md",
    "review-prompt.md",
    "prompt.md",
    "skills/pdf/SKILL.md",
    "skills/pdf/notes.md",
    "AGENTS.md",
    "sub/CLAUDE.md",
    "GEMINI.md",
    "agents/reviewer.md",
    "agents/reviewer/notes.md",
    ".claude/agents/deep/reviewer.md",
    ".claude/commands/git/commit.md",
    "docs.agent.md",
    "plan.chatmode.md",
    "chatmodes/plan.md",
    ".github/copilot-instructions.md",
    ".github/instructions/python.instructions.md",
    "instructions.md",
    ".cursor/rules/style.mdc",
    ".gemini/commands/plan.md",
    ".opencode/agent/deep/plan.md",
    ".roo/rules-code/style.md",
    ".vscode/rules/style.md",
    ".github/notes.md",
    "README.md",
    "CHANGELOG.md",
    "docs/guide.md",
    "requirements.txt",
    "ecosystem.md",
    "commands/commit.md",
    "Makefile",
    "picture.png",
    "lib.pyc",
]


def test_two_hooks_that_show_warnings() -> None:
    assert list(HOOKS) == ["toolsurface-lint", "toolsurface-lint-project"]
    for hook in HOOKS.values():
        assert (hook["entry"], hook["language"]) == ("toolsurface-lint check", "python")
        assert (hook["verbose"], hook["require_serial"]) == (True, True)
    assert HOOKS["toolsurface-lint"]["types"] == ["text"]
    project = HOOKS["toolsurface-lint-project"]
    assert (project["always_run"], project["pass_filenames"]) == (True, False)


@pytest.mark.parametrize("name", NAMES)
def test_the_hook_gets_the_files_that_walking_would_check(name: str) -> None:
    kind = candidate_kind(name)
    checked = kind is not None and (kind not in ("markdown", "text") or names_prompt(name))
    hook = HOOKS["toolsurface-lint"]
    assert (bool(re.search(hook["files"], name)) and not re.search(hook["exclude"], name)) == checked


def environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PYTHON"))}
    return {**kept, "PRE_COMMIT_HOME": str(home)}


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.invalid", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment(folder), check=True, capture_output=True, text=True)
    return done.stdout


def commit(folder: Path) -> None:
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "x")


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with what an installation needs, as pre-commit clones it."""
    folder = tmp_path_factory.mktemp("hooks")
    for name in PACKAGED:
        source = REPOSITORY / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    commit(folder)
    return folder


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pre-commit keeps what it has installed: the hooks are installed by the first test that runs them."""
    return tmp_path_factory.mktemp("home")


TOOL = """\
[{
  "name": "read_file",
  "description": "Read a file.",
  "input_schema": {"type": "object", "properties": {}}
}]
"""


@pytest.mark.slow
@pytest.mark.skipif(find_spec("pre_commit") is None, reason="pre-commit is not installed")
@pytest.mark.parametrize(
    ("tool", "prompt", "code", "shown"),
    [
        (TOOL, "Call read_file({}).\n", 0, "No problems found."),
        (
            TOOL,
            "Call read_file({}), then read_flie({}).\n",
            0,
            "prompts/system.md:1:26: warning[TOOL_SURFACE_UNKNOWN_PROMPT_TOOL]",
        ),
        (TOOL[:-3], "", 1, "error[INPUT_SYNTAX_ERROR]"),
    ],
    ids=["clean", "warning", "error"],
)
def test_pre_commit_runs_both_hooks(
    tmp_path: Path, hooks: Path, home: Path, tool: str, prompt: str, code: int, shown: str
) -> None:
    repository = make_repository(tmp_path, hooks, tool, prompt)
    done = pre_commit(repository, home, "--all-files")
    assert (done.returncode, done.stdout.count(shown)) == (code, len(HOOKS)), done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.skipif(find_spec("pre_commit") is None, reason="pre-commit is not installed")
def test_a_commit_that_only_deletes_is_checked_by_the_project_hook(tmp_path: Path, hooks: Path, home: Path) -> None:
    repository = make_repository(tmp_path, hooks, TOOL, "Call read_file({}) and write_file({}).\n", "--fail-on=warning")
    write_files(repository, {"more.json": TOOL.replace("read_file", "write_file")})
    git(repository, "add", "more.json")
    git(repository, "commit", "-qm", "y")
    git(repository, "rm", "-q", "more.json")
    done = pre_commit(repository, home)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "(no files to check)Skipped" in done.stdout.splitlines()[0]
    assert done.stdout.count("prompts/system.md:1:24: warning[TOOL_SURFACE_UNKNOWN_PROMPT_TOOL]") == 1


def make_repository(folder: Path, hooks: Path, tool: str, prompt: str, *arguments: str) -> Path:
    """A repository of a tool and a prompt, with both hooks."""
    repository = folder / "sample"
    revision = git(hooks, "rev-parse", "HEAD").strip()
    configured = [{"id": name, "args": list(arguments)} for name in HOOKS]
    source = {"repo": str(hooks), "rev": revision, "hooks": configured}
    files = {"tools.json": tool, "prompts/system.md": prompt}
    write_files(repository, {**files, ".pre-commit-config.yaml": yaml.safe_dump({"repos": [source]})})
    commit(repository)
    return repository


def pre_commit(repository: Path, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pre_commit", "run", *arguments, "--color", "never"],
        cwd=repository,
        env=environment(home),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
