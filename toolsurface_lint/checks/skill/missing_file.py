"""Files of its own that a skill names, and that are not there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from toolsurface_lint.checks.contract import CLIENT_FILE, check
from toolsurface_lint.knowledge.clients import SKILL
from toolsurface_lint.knowledge.skills import OWN_FOLDERS
from toolsurface_lint.model.client_file import ClientFile
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.source.shared import shared
from toolsurface_lint.source.text import is_within

RULE = Rule(
    code="SKILL_MISSING_FILE",
    since="0.1.0",
    severity=WARNING,
    summary="A skill names a file of its own that is not there.",
    message={
        "link": "the skill links to `{path}`, which is not there",
        "path": "the skill names `{path}`, which is not there",
    },
    tags=("skills", "prompts"),
)

# Bounded, so that each start costs the same; few paths are half as long.
_PATH = r"(?:\./)?([A-Za-z0-9_][A-Za-z0-9_./-]{0,200}\.[A-Za-z][A-Za-z0-9]{0,20})"
_LINK = re.compile(rf"\]\({_PATH}(?:#[^)\s]{{0,40}}+)?\)")
_NAME_IN_CODE = re.compile(r"`([a-z0-9]+(?:-[a-z0-9]+)*)`")
_IN_CODE = re.compile(rf"`{_PATH}`")
_CODE = re.compile(r"`[^`\n]+`")
_RUN = re.compile(
    r"(?<![\w./-])(?:python[\d.]*|uv[ \t]+run|bash|sh|zsh|node|bun|deno[ \t]+run|ruby|perl)[ \t]+[\"']?"
    rf"(?P<here>\$\{{CLAUDE_SKILL_DIR\}}/|\.claude/skills/(?P<skill>[a-z0-9-]{{1,64}})/)?{_PATH}"
)
"""A command that runs a script. Source of the variable: anthropics/claude-code, CHANGELOG.md, 2.1.69."""
_REDIRECTED = re.compile(rf">[ \t]*[\"']?{_PATH}")
_MAKES = (
    r"(?:(?:creat|writ|sav|generat|produc|export|renam|download|extract)(?:e|es|ed|ing|s)?|written|wrote|saves?|"
    r"add(?:s|ed|ing)?|put|stor(?:e|es|ed|ing)|mov(?:e|es|ed|ing)|cop(?:y|ies|ied|ying)|outputs?)"
)
_SUPPOSES = (
    r"(?:e\.g|examples?|such as|like|placeholder|would|could|might|optional(?:ly)?|"
    r"if (?:it|they|present|there|available)|your)"
)
_MADE = re.compile(rf"\b(?:{_MAKES}|{_SUPPOSES})\b", re.IGNORECASE)
"""Words of a line that names a file which is to be made, is the user's, or stands for any other."""
_SAID_OF_A_SCRIPT = re.compile(rf"\b(?:(?:is|are|be|been|gets?|was|were)[ \t]+{_MAKES}|{_SUPPOSES})\b", re.IGNORECASE)
"""The same after the name of a script, which makes files itself."""
_SCRIPTS = "scripts/"
_STANDS_FOR_ANY = re.compile(r"(?:\A|/)(?:path/to|your|my|foo|bar|baz|xxx|example|file|filename|name)\b", re.IGNORECASE)


_NEAR = 200
_A_FOLDER = 3
"""So many files that a skill names in a folder are what the folder is there for."""


class _Named(NamedTuple):
    """A file that a skill names. `is_here`: plainly in its own folder; `is_run`: by a command that runs it."""

    kind: str
    path: str
    start: int
    end: int
    is_here: bool = False
    is_run: bool = False


@check(CLIENT_FILE, RULE)
def check_files(file: ClientFile, surface: Surface) -> Iterator[Finding]:
    if file.kind != SKILL or file.head is None:
        return
    text = file.body.text
    # A skill that speaks of skills shows the files of others.
    if "SKILL.md" in text or not ("](" in text or "/" in text):
        return
    files = surface.project_files
    found: dict[str, _Named] = {}
    for named in _own_files(text, file.origin):
        found.setdefault(named.path, named)
    folders = Counter(path.partition("/")[0] for path in found if "/" in path)
    gone: set[str] = set()
    for named in found.values():
        if not files.lacks_from_above(file.origin, named.path):
            continue
        folder = named.path.rpartition("/")[0]
        missing = bool(folder) and not files.has_folder(file.origin, folder)
        if named.kind == "path" and not named.is_here:
            # The project that the skill is used in may have such a folder, and so may another skill.
            others = _NAME_IN_CODE.findall(text, max(named.start - _NEAR, 0), named.start)
            if missing or any(files.has_folder(file.origin, f"../{other}") for other in others):
                continue
        elif missing:
            # Whatever the skill links to in it is not there: that is said once. A whole folder of files that nobody has
            # is a link, or is fetched, more often than it is forgotten.
            top = folder.partition("/")[0]
            if top in gone or (folders[top] >= _A_FOLDER and not files.has_folder(file.origin, top)):
                continue
            gone.add(top)
        yield RULE.at(file.body.place(named.start, named.end), named.kind, field="prompt", path=named.path)


def _own_files(text: str, origin: str) -> Iterator[_Named]:
    """The files that a skill links to, names in code or runs, by plain paths below its folder; in fences, those it runs."""
    found = [_Named("link", match[1], *match.span(1)) for match in _LINK.finditer(text)]
    found += [
        _Named("path", match[1], *match.span(1))
        for match in _IN_CODE.finditer(text)
        if match[1].partition("/")[0] in OWN_FOLDERS and "/" in match[1]
    ]
    found += list(_run_files(text, origin))
    found = [named for named in found if ".." not in named.path and not _STANDS_FOR_ANY.search(named.path)]
    if not found:
        return
    from toolsurface_lint.source.markdown import layout

    is_fenced = layout(text).is_fenced
    code = [match.span() for match in _CODE.finditer(text)]
    made = {match[1] for match in _REDIRECTED.finditer(text)}
    made.update(named.path for named in found if named.kind == "path" and not named.is_run and _is_made(text, named))
    for named in sorted(found, key=lambda named: named.start):
        in_fence = is_fenced(named.start)
        if named.is_run and not in_fence and not is_within(named.start, code):
            continue
        if (in_fence and not named.is_run) or (named.kind == "link" and is_within(named.start, code)):
            continue
        if named.is_run and named.path in made:
            continue
        if named.kind == "link" or (named.is_run and in_fence) or not _is_made(text, named):
            yield named


def _run_files(text: str, origin: str) -> Iterator[_Named]:
    """The scripts that the commands of a skill run, but for those that it has written before."""
    for match in _runs(text):
        path = match[3]
        here = match["here"] is not None
        if match["skill"] is not None and not f"/{origin}".endswith(f"/.claude/skills/{match['skill']}/SKILL.md"):
            continue
        if here or path.startswith(_SCRIPTS):
            yield _Named("path", path, *match.span(3), here, True)


@shared
def _runs(text: str) -> tuple[re.Match[str], ...]:
    return tuple(_RUN.finditer(text))


def _is_made(text: str, named: _Named) -> bool:
    """Whether the line that names a file says that it is to be made, is the user's, or stands for any other."""
    before = text[max(named.start - _NEAR, 0) : named.start].rpartition("\n")[2]
    after = text[named.end : named.end + _NEAR].partition("\n")[0]
    if not named.path.startswith(_SCRIPTS):
        return _MADE.search(before + after) is not None
    return _MADE.search(before) is not None or _SAID_OF_A_SCRIPT.search(after) is not None
