"""Files of its own that a skill names, and that are not there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from toolsurface_lint.checks.contract import CLIENT_FILE, check
from toolsurface_lint.knowledge.client_files import SKILL
from toolsurface_lint.knowledge.skills import OWN_FOLDERS
from toolsurface_lint.model.client_file import ClientFile
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.surface import Surface
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
_MADE = re.compile(
    r"\b(?:(?:creat|writ|sav|generat|produc|export|renam|download|extract)(?:e|es|ed|ing|s)?|written|wrote|saves?|"
    r"add(?:s|ed|ing)?|put|stor(?:e|es|ed|ing)|mov(?:e|es|ed|ing)|cop(?:y|ies|ied|ying)|outputs?|"
    r"e\.g|examples?|such as|like|placeholder|would|could|might|optional(?:ly)?|if (?:it|they|present|there|available)|your)\b",
    re.IGNORECASE,
)
"""Words of a line that names a file which is to be made, is the user's, or stands for any other."""
_STANDS_FOR_ANY = re.compile(r"(?:\A|/)(?:path/to|your|my|foo|bar|baz|xxx|example|file|filename|name)\b", re.IGNORECASE)


_NEAR = 200
_A_FOLDER = 3
"""So many files that a skill names in a folder are what the folder is there for."""


class _Named(NamedTuple):
    kind: str
    path: str
    start: int
    end: int


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
    for named in _own_files(text):
        found.setdefault(named.path, named)
    folders = Counter(path.partition("/")[0] for path in found if "/" in path)
    gone: set[str] = set()
    for named in found.values():
        if not files.lacks_from_above(file.origin, named.path):
            continue
        folder = named.path.rpartition("/")[0]
        missing = bool(folder) and not files.has_folder(file.origin, folder)
        if named.kind == "path":
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


def _own_files(text: str) -> Iterator[_Named]:
    """The files that a skill links to, or names in code, outside of fences: those by plain paths below its folder."""
    found = [_Named("link", match[1], *match.span(1)) for match in _LINK.finditer(text)]
    found += [
        _Named("path", match[1], *match.span(1))
        for match in _IN_CODE.finditer(text)
        if match[1].partition("/")[0] in OWN_FOLDERS and "/" in match[1]
    ]
    found = [named for named in found if ".." not in named.path and not _STANDS_FOR_ANY.search(named.path)]
    if not found:
        return
    from toolsurface_lint.source.markdown import layout

    is_fenced = layout(text).is_fenced
    code = [match.span() for match in _CODE.finditer(text)]
    for named in sorted(found, key=lambda named: named.start):
        if is_fenced(named.start) or (named.kind == "link" and is_within(named.start, code)):
            continue
        before = text[max(named.start - _NEAR, 0) : named.start].rpartition("\n")[2]
        line = before + text[named.start : named.end + _NEAR].partition("\n")[0]
        if named.kind == "link" or not _MADE.search(line):
            yield named
