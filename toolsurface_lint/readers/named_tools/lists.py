"""Lists of tools: the entries below a heading or a line that says that tools follow."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from toolsurface_lint.knowledge.prompt_words import (
    HEADING_WORDS,
    NO_TOOL_NOUNS,
    NOT_THERE,
    TOOL_NOUNS,
    VALUE_NOUNS,
)
from toolsurface_lint.model.prompt import LIST, STRONG, Reference
from toolsurface_lint.model.vocabulary import CLOSE, COMPOUND, DECLARED, NOTHING, PLAIN, SHAPED, Vocabulary, style_of

_HEADING = re.compile(r"\n(#{1,6})[ \t]+([^\n]*)")
_LEAD_END = re.compile(r":[ \t*]*\n")
_LIST_END = re.compile(r"\n[ \t]*\n(?![ \t]*(?:[-+|<]|\*(?!\*)|[0-9]+[.)]))")
"""An empty line that no entry follows. A heading in bold begins with an asterisk too."""
_LEAD_SIZE = 160
_ITEM = re.compile(
    # What has been matched is never given back: few lines are entries, and any other line is left at once.
    r"\n([ \t]*+)(?:[-*+][ \t]++|[0-9]++[.)][ \t]++|\|[ \t]*+|<tool>)"
    r"([`*\"]*+)(?P<name>[A-Za-z_][A-Za-z0-9_]*+(?! [A-Za-z0-9])(?:[-.:/]++[A-Za-z0-9_]++)*+)([`*\"]*+)"
    r"(?=[ \t]*+(?:[:(|<\n\u2014\u2013]|-[ \t]|\Z))"
)
_LABELLED = re.compile(
    r"\n([ \t]*+)(?:[-*+]|[0-9]++[.)])[ \t]++[^\n`:]{1,80}+:[ \t*]*+`(?P<name>[A-Za-z_][A-Za-z0-9_]*+)`(?![ \t]*[(=/|])"
)
_BELOW_HEADER = re.compile(r"\n[ \t]*+(?:\|[ \t]*+:?-|:?-[-: \t]*+\|)[-:| \t]*+(?=\n|\Z)")
"""The line between the header of a table and its rows."""
_CELL = re.compile(r"[ \t*]*+`(?P<name>[A-Za-z_][A-Za-z0-9_]*+)`[ \t*]*+\Z")
_SUBHEADING = re.compile(
    r"\n(#{1,6})[ \t]+[`*]*(?P<name>[A-Za-z_][A-Za-z0-9_]*+(?:[-.][A-Za-z0-9_]++)*+)[`*]*[ \t:]*(?=\n)"
)
_TOOL_HEADING = re.compile(r"\n#{1,6}[ \t][^\n]*ool")
_WORDS = re.compile(r"[A-Za-z-]+")


def find_listed(text: str, vocabulary: Vocabulary) -> dict[int, Reference]:
    """The entries of lists of tools, by their start: what a list under a heading such as `Available tools` names."""
    # Every line begins alike with one line end in front: offsets are one too large there.
    lines = "\n" + text
    found = dict(_entries_of_lists(lines, vocabulary))
    if "ool" not in text:
        return found
    for start, end, deeper in _tool_sections(lines):
        subheadings = (match for match in _SUBHEADING.finditer(lines, start, end) if len(match[1]) == deeper)
        items = [
            (match.start("name") - 1, match.end("name") - 1, match["name"], vocabulary.kind(match["name"]))
            for match in (subheadings if deeper else _items(lines, start, end))
        ]
        declared = sum(kind == DECLARED for *_, kind in items)
        for at, until, written, kind in items:
            name, known = vocabulary.resolve(written)
            if name in vocabulary:
                kind = DECLARED
            # `Artifacts`, close to a tool `Artifact`, is as much a plain word as any other.
            is_word = kind == PLAIN or (kind == CLOSE and written.isalpha())
            if not known or kind == NOTHING or (is_word and 2 * declared < len(items)):
                continue
            if kind in (PLAIN, COMPOUND, SHAPED) and (not declared or vocabulary.is_argument(name)):
                continue
            found[at] = Reference(
                name, until - len(name), until, LIST, until, STRONG, specified=False, called_tool=True
            )
    return found


def _entries_of_lists(lines: str, vocabulary: Vocabulary) -> Iterator[tuple[int, Reference]]:
    """The entries of lists that nothing above calls lists of tools, where their heads are made like declared names."""
    # The rows of a table are about anything.
    for entries in _lists(lines, (match for match in _ITEM.finditer(lines) if lines[match.end(1)] != "|")):
        yield from _entries_of_list(entries, vocabulary)
    for entries in _lists(lines, _LABELLED.finditer(lines)):
        yield from _labelled_entries(entries, vocabulary)
    for columns in _tables(lines):
        for title, cells in columns:
            yield from _cells_of_tools(title, cells, vocabulary)


_Cell = tuple[int, str, str]
"""Where a cell of a table begins, what it says, and what its whole row says."""


def _tables(lines: str) -> Iterator[list[tuple[str, list[_Cell]]]]:
    """The columns of each table, by what their headers say."""
    resume = 0
    for below in _BELOW_HEADER.finditer(lines):
        if below.start() < resume:
            continue
        header = lines[lines.rfind("\n", 0, below.start()) + 1 : below.start()]
        columns: list[tuple[str, list[_Cell]]] = [(title, []) for _, title in _split(header, 0)]
        resume = below.end()
        while resume < len(lines):
            end = lines.find("\n", resume + 1)
            end = len(lines) if end < 0 else end
            row = lines[resume + 1 : end]
            if not row.lstrip(" \t").startswith("|"):
                break
            for (_, cells), (start, cell) in zip(columns, _split(row, resume + 1), strict=False):
                cells.append((start, cell, row))
            resume = end
        yield columns


def _split(row: str, start: int) -> Iterator[tuple[int, str]]:
    """The cells of a row between vertical bars, each with its offset; none of a row that escapes a bar."""
    if "\\|" in row or not row.lstrip(" \t").startswith("|"):
        return
    start += row.index("|") + 1
    for cell in row.strip(" \t").strip("|").split("|"):
        yield start, cell
        start += len(cell) + 1


def _cells_of_tools(title: str, cells: list[_Cell], vocabulary: Vocabulary) -> Iterator[tuple[int, Reference]]:
    """The undeclared names of a column that lists tools: its header says so, or most of what it holds is declared."""
    heads = [word.lower() for word in _WORDS.findall(title)]
    says_so = len(heads) == 1 and heads[0] in TOOL_NOUNS
    if not says_so and not NO_TOOL_NOUNS.isdisjoint(heads):
        return
    named = [(start, match, row) for start, cell, row in cells if (match := _CELL.match(cell)) is not None]
    declared = sum(match["name"] in vocabulary for _, match, _ in named)
    filled = sum(bool(cell.strip()) for _, cell, _ in cells)
    if not declared or (not says_so and (declared < 2 or 2 * declared <= filled)):
        return
    for start, match, row in named:
        name, at = match["name"], start + match.start("name") - 1
        if vocabulary.kind(name) not in (SHAPED, CLOSE) or vocabulary.is_argument(name):
            continue
        if NOT_THERE.isdisjoint(word.lower() for word in _WORDS.findall(row)):
            end = at + len(name)
            yield at, Reference(name, at, end, LIST, end, STRONG, specified=False, called_tool=says_so)


def _lists(lines: str, matches: Iterable[re.Match[str]]) -> Iterator[list[re.Match[str]]]:
    """Entries by their lists, but for those of values."""
    entries: list[re.Match[str]] = []
    for match in (*matches, None):
        if entries and (match is None or match[1] != entries[0][1] or _ends_between(lines, entries[-1], match)):
            if not _lists_values(lines, entries[0].start()):
                yield entries
            entries = []
        if match is not None:
            entries.append(match)


def _labelled_entries(entries: list[re.Match[str]], vocabulary: Vocabulary) -> Iterator[tuple[int, Reference]]:
    """The undeclared names behind labels where most are declared: ``- a lost parcel: `find_parcel` ``."""
    declared = sum(match["name"] in vocabulary for match in entries)
    if declared < 2 or 2 * declared <= len(entries):
        return
    for match in entries:
        name, end = match["name"], match.end("name") - 1
        if vocabulary.kind(name) in (SHAPED, CLOSE) and not vocabulary.is_argument(name):
            yield end - len(name), Reference(name, end - len(name), end, LIST, end, STRONG, specified=False)


def _lists_values(lines: str, start: int) -> bool:
    """Whether the line above a list says that its entries are values: `The status is one of these values:`."""
    lead = lines[max(start - _LEAD_SIZE, 0) : start].rstrip().rpartition("\n")[2].lower()
    return lead.rstrip("*").endswith(":") and not VALUE_NOUNS.isdisjoint(_WORDS.findall(lead))


def _ends_between(lines: str, one: re.Match[str], other: re.Match[str]) -> bool:
    """Whether a list ends between two entries: a heading or a paragraph comes, or it is too far to the next."""
    between = other.start() - one.end()
    return between > _ENTRY_SIZE or _LIST_END.search(lines, one.end(), other.start() + 1) is not None


_ENTRY_SIZE = 2000


def _entries_of_list(entries: list[re.Match[str]], vocabulary: Vocabulary) -> Iterator[tuple[int, Reference]]:
    kinds = [vocabulary.kind(match["name"]) for match in entries]
    declared = any(
        kind == DECLARED and style_of(match["name"]) != "word" for match, kind in zip(entries, kinds, strict=True)
    )
    for match, kind in zip(entries, kinds, strict=True):
        name = match["name"]
        if kind not in (SHAPED, CLOSE) or vocabulary.is_argument(name) or (not declared and not match[2]):
            continue
        # A heading in bold: `**Read-Only:**`.
        if "-" in name and not name.islower():
            continue
        says_what_it_does = vocabulary.begins_with_a_verb(name) and not vocabulary.ends_like_data(name)
        if declared or (says_what_it_does and vocabulary.begins_like_a_tool(name)):
            end = match.end("name") - 1
            yield end - len(name), Reference(name, end - len(name), end, LIST, end, STRONG, specified=False)


def _items(lines: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """The entries of a list; not those below an entry, which are its parameters."""
    indent: int | None = None
    for match in _ITEM.finditer(lines, start, end):
        if lines[match.end(1)] == "|" and _is_header(lines, match.end()):
            continue
        width = len(match[1].expandtabs(4))
        indent = width if indent is None else min(indent, width)
        if width == indent:
            yield match


def _is_header(lines: str, at: int) -> bool:
    """Whether the row of a table is its header."""
    end = lines.find("\n", at)
    return end >= 0 and _BELOW_HEADER.match(lines, end) is not None


def _tool_sections(lines: str) -> Iterator[tuple[int, int, int]]:
    """Start and end of each stretch of lines that lists tools, and the level of the headings that name some, or 0."""
    headings = list(_HEADING.finditer(lines)) if _TOOL_HEADING.search(lines) else []
    for index, heading in enumerate(headings):
        title = heading[2].lower()
        if "tool" not in title or not _heads_tools(title):
            continue
        level = len(heading[1])
        following = headings[index + 1] if index + 1 < len(headings) else None
        first_end = len(lines) if following is None else following.start()
        yield heading.end(), first_end, 0
        if following is not None and len(following[1]) > level:
            later = (headings[number] for number in range(index + 2, len(headings)))
            end = next((other.start() for other in later if len(other[1]) <= level), len(lines))
            yield first_end, end, len(following[1])
    resume = 0
    for lead in _LEAD_END.finditer(lines):
        if lead.start() < resume:
            continue
        line = lines[max(lead.start() - _LEAD_SIZE, 0) : lead.start()].rpartition("\n")[2]
        if "ool" in line and not line.startswith("#") and not TOOL_NOUNS.isdisjoint(_WORDS.findall(line.lower())):
            list_end = _LIST_END.search(lines, lead.end())
            resume = list_end.start() if list_end else len(lines)
            yield lead.end() - 1, resume, 0


def _heads_tools(title: str) -> bool:
    words = _WORDS.findall(title)
    return any(word in ("tool", "tools", "toolset") for word in words) and all(word in HEADING_WORDS for word in words)
