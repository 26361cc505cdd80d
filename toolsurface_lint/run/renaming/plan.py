"""What a renaming changes and what it leaves, as edits with exact spans; nothing is read again, and nothing written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from operator import attrgetter
from typing import NamedTuple

from toolsurface_lint.model.document import Document
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.words import name_words
from toolsurface_lint.project.project import Project
from toolsurface_lint.run.naming import (
    DECLARATION,
    DEFINITION,
    DESCRIPTION,
    PROGRAM,
    PROMPT,
    SETTINGS,
    Naming,
    namings,
    prompts_of,
    texts_of,
)
from toolsurface_lint.run.renaming.arguments import argument_places
from toolsurface_lint.run.renaming.identifiers import branches, is_plain, named_otherwise, own_name
from toolsurface_lint.run.renaming.leftover import words
from toolsurface_lint.run.renaming.subject import (
    Refused,
    Subject,
    check_name,
    find_argument,
    recordings,
    shown,
)
from toolsurface_lint.source.files import open_file
from toolsurface_lint.source.languages import PROGRAMS
from toolsurface_lint.source.text import SourceText, Span
from toolsurface_lint.source.tree import Node, Place

Asked = Callable[[str], bool]
"""Whether the file at a displayed path may be changed."""


class Edit(NamedTuple):
    """One change. `holder` and `sure` as in `Naming`."""

    source: SourceText
    span: Span
    text: str
    holder: str
    sure: bool


class Left(NamedTuple):
    """A place that stays as it is although it has to do with the name: `path:line:column`, or a path; and why."""

    where: str
    why: str


class Plan(NamedTuple):
    """A renaming of a tool, or of its `argument`.

    `edits` are by the displayed path, in the order of the text. `left` is what somebody has to look at; `evidence` counts,
    by displayed path, how often recordings have the name, which are never changed; `patterns` is how many patterns match
    the old name and the new one alike.
    """

    subject: Subject
    argument: str | None
    new: str
    edits: dict[str, list[Edit]]
    left: tuple[Left, ...]
    evidence: dict[str, int]
    patterns: int

    @property
    def old(self) -> str:
        return self.subject.name if self.argument is None else self.argument

    @property
    def size(self) -> int:
        return sum(map(len, self.edits.values()))


def plan_renaming(project: Project, subject: Subject, new: str, *, argument: str | None, is_asked: Asked) -> Plan:
    """The plan for a new name of a tool, or of one of its arguments. Raises `Refused` where that cannot be."""
    planner = _Planner(project, subject, new, is_asked)
    if argument is None:
        check_name(subject, new)
        planner.plan_tool()
    else:
        find_argument(subject, argument, new)
        planner.plan_argument(argument)
    edits = {path: sorted(found.values(), key=lambda edit: edit.span) for path, found in planner.edits.items()}
    left = tuple(dict.fromkeys(planner.left))
    recorded = sorted((document for document in project.documents if document.path in planner.evidence), key=_path)
    evidence = {document.path: times for document in recorded if (times := _count(document, subject.name))}
    return Plan(subject, argument, new, dict(sorted(edits.items())), left, evidence, len(planner.patterns))


_path = attrgetter("path")


def _count(document: Document, name: str) -> int:
    """How often a recording has a name."""
    times = sum(1 for _ in words(document.source.text, name))
    # Those of many lines are read when they are followed, and then line by line.
    for file in {transcript.file for transcript in document.transcripts if transcript.file}:
        with suppress(OSError), open_file(file) as lines:
            parts = iter(lambda lines=lines: lines.readline(_LONGEST), b"")  # type: ignore[misc]
            times += sum(sum(1 for _ in words(part.decode("utf-8", "replace"), name)) for part in parts)
    return times


_LONGEST = 1024 * 1024
"""Bytes of a line that are looked at together."""


class _Planner:
    def __init__(self, project: Project, subject: Subject, new: str, is_asked: Asked) -> None:
        self._project = project
        self._subject = subject
        self._new = new
        self._is_asked = is_asked
        self._holders = set(map(id, subject.surfaces))
        self._branched: set[str] = set()
        """The programs whose branches have been looked for."""
        self._read: dict[Place, list[tuple[Span, str]]] = {}
        """What has been found in texts that are put together."""
        self.evidence = recordings(project)
        self._languages = {document.path: document.language for document in project.documents}
        self.edits: dict[str, dict[Span, Edit]] = {}
        self.left: list[Left] = []
        self._meanings: dict[tuple[int, str], dict[str, tuple[bool, Tool | None]]] = {}
        """What each name means in each surface, by their identities."""
        self._ambiguous: dict[str, str] = {}
        self._resolved: set[str] = set()
        """Places that some surface has for one tool alone."""
        self.patterns: set[str] = set()
        """The places of those that match both names."""

    def plan_tool(self) -> None:
        for surface in self._project.scopes:
            for naming in namings(surface):
                self._take(naming, surface)
            self._project.release(surface)
        for surface in self._subject.surfaces:
            self._take_coded(surface)
        for where, why in self._ambiguous.items():
            if where not in self._resolved:
                self.left.append(Left(where, why))
        for node in _in_settings(self._project, self._subject):
            self._rewrite(node.place, SETTINGS, sure=True)

    def _take_coded(self, surface: Surface) -> None:
        """The name in backticks, in texts of those who have the tool, whatever is said of it: one of several words is its."""
        name = self._subject.name
        if len(name_words(name)) < 2 or surface.vocabulary.is_argument(name):
            return
        if not all(map(self._is_ours, surface.by_name.get(name, ()))):
            return
        coded = re.compile(f"`{re.escape(name)}`")
        for prompt in prompts_of(surface):
            if prompt.origin not in self.evidence:
                for found in coded.finditer(prompt.text):
                    self._rewrite(prompt.place(found.start() + 1, found.end() - 1), PROMPT, sure=False)
        for tool in surface.tools:
            for node in texts_of(tool) if tool.tree.origin not in self.evidence else ():
                for found in coded.finditer(node.value):
                    self._rewrite(node.text_place(found.start() + 1, found.end() - 1), DESCRIPTION, sure=False)

    def _take(self, naming: Naming, surface: Surface) -> None:
        old, new = self._subject.name, self._new
        if naming.is_pattern:
            served = None if naming.served is None else naming.served.get(old)
            if id(surface) not in self._holders if naming.served is None else not self._is_ours(served):
                return
            if naming.names(old) != naming.names(new):
                which = "old name, and not the new one" if naming.names(old) else "new name, and not the old one"
                self._leave(naming.place, f"the pattern `{naming.name}` matches the {which}")
            elif naming.names(new):
                self.patterns.add(shown(naming.place))
            return
        origin = naming.place.tree.origin
        if not naming.name.endswith(old) or origin in self.evidence:
            return
        if naming.role == DECLARATION:
            # Agents may know the tool by a name with something before it, which is no definition.
            if naming.name == old and naming.place in self._subject.tools:
                self._define(self._subject.tools[naming.place], naming.place)
            return
        ours, other = self._meant(naming, surface, origin)
        if not (ours and other):
            self._resolved.add(shown(naming.place))
        if not ours:
            return
        reads = naming.place.reads()
        if other is not None:
            # Another surface may have only one of them.
            why = f"it also means the tool that is declared at {shown(other.name_place)}"
            self._ambiguous[shown(naming.place)] = why
        elif reads is None or not reads.endswith(old):
            self._leave(naming.place, "the name is not written there as it is declared")
        else:
            self._rewrite(naming.place.part(len(reads) - len(old), len(reads)), naming.holder, sure=naming.sure)

    def _meant(self, naming: Naming, surface: Surface, origin: str) -> tuple[bool, Tool | None]:
        """Whether a naming means the tool, and another one that it means too.

        What a file says of its own tools is about these.
        """
        if naming.served is not None:
            tool = naming.served.get(naming.name)
            return (True, None) if self._is_ours(tool) else (False, tool)
        key = (id(surface), naming.name)
        if key not in self._meanings:
            # By the file that declares the tools, and under the empty name for all of them.
            found: dict[str, tuple[bool, Tool | None]] = {}
            for tool in naming.tools:
                declared = tool.name_place.tree.origin
                for each in () if declared in self.evidence else ("", declared):
                    ours, other = found.get(each, (False, None))
                    found[each] = (True, other) if self._is_ours(tool) else (ours, other or tool)
            self._meanings[key] = found
        found = self._meanings[key]
        return found.get(origin) or found.get("", (False, None))

    def _is_ours(self, tool: Tool | None) -> bool:
        return tool is not None and tool.name_place in self._subject.tools

    def plan_argument(self, argument: str) -> None:
        found = list(argument_places(self._subject, argument))
        for place, holder, is_declaration in found:
            if place.tree.origin in self.evidence:
                continue
            if is_declaration and self._languages.get(place.tree.origin) in PROGRAMS:
                span, source = place.span(), place.source
                if span is None or source is None or source.text[span.start : span.start + 1] not in ("'", '"'):
                    raise Refused(
                        f"the argument is a parameter or a field of the program, at {shown(place)}, and nobody sees who "
                        "else uses that: rename it there"
                    )
                self._leave(place, "the definition is changed, and the code that reads the argument is not")
            if is_declaration and not self._rewrite(place, holder, sure=True):
                raise Refused(f"the name cannot be changed to `{self._new}` where it is declared, at {shown(place)}")
            if not is_declaration:
                self._rewrite(place, holder, sure=True)
        if not any(is_declaration for _, _, is_declaration in found):
            raise Refused(f"where `{self._subject.name}` declares `{argument}` is not known")

    def _define(self, tool: Tool, place: Place) -> None:
        """Rename a definition, without which everything else would be wrong."""
        if not self._is_asked(place.tree.origin):
            self._leave(place, "it is outside of what was named")
            return
        source, span = place.source, place.span()
        assert source is not None
        assert span is not None
        in_program = self._languages.get(source.path) in PROGRAMS
        own = own_name(source, span, tool.name) if in_program else None
        if own is not None:
            prefix = tool.name.removesuffix(own.name)
            if not self._new.startswith(prefix):
                raise Refused(
                    f"the program puts `{prefix}` before the names of its tools, this one among them: {shown(place)}"
                )
            found = named_otherwise(tool, source, own, self._new.removeprefix(prefix))
            if found is None:
                raise Refused(
                    f"the tool is called after something in its program, at {shown(place)}, and nobody sees who else uses "
                    "that: give the tool a name of its own there"
                )
            self._add(source, *found, DEFINITION, sure=True)
        elif not self._rewrite(place, DEFINITION, sure=True):
            why = "the program makes it of something else" if in_program else f"`{self._new}` cannot be written there"
            raise Refused(f"the name of the tool cannot be changed, at {shown(place)}: {why}")
        elif in_program and is_plain(self._new) and source.path not in self._branched:
            self._branched.add(source.path)
            for branch in branches(source.text, tool.name):
                self._add(source, branch, self._new, PROGRAM, sure=False)

    def _rewrite(self, place: Place, holder: str, *, sure: bool) -> bool:
        """Let a place read the new name; whether that can be, or is left for a reason that was noted."""
        source = place.source
        if source is None:
            return True
        if not self._is_asked(source.path):
            self._leave(place, "it is outside of what was named")
            return True
        if place.aspect == "key" and place.tree.at(place.path[:-1]).get(self._new) is not None:
            raise Refused(f"`{self._new}` is there already beside `{place.reads()}`, at {shown(place)}")
        written = None if source.offset else place.rewritten(self._new)
        found = self._put_together(place) if written is None else [written]
        if not found:
            self._leave(place, f"the text there is put together, or cannot hold `{self._new}`")
            return False
        for span, text in found:
            self._add(source, span, text, holder, sure=sure)
        return True

    def _put_together(self, place: Place) -> list[tuple[Span, str]]:
        """Every place of a name in an expression of a program that makes a text of several, if the text has it as often.

        Of tools alone: what an argument is called, many other things are.
        """
        source, name, whole = place.source, place.reads(), Place(place.tree, place.path)
        if source is None or name != self._subject.name or self._languages.get(source.path) not in PROGRAMS:
            return []
        if whole not in self._read:
            span, value = whole.span(), whole.tree.at(whole.path).value
            found = [] if span is None else [span.start + at for at in words(source.text[slice(*span)], name)]
            is_text = isinstance(value, str) and is_plain(self._new)
            is_known = is_text and len(found) == sum(1 for _ in words(value, name))
            self._read[whole] = [(Span(at, at + len(name)), self._new) for at in found] if is_known else []
        return self._read[whole]

    def _add(self, source: SourceText, span: Span, text: str, holder: str, *, sure: bool) -> None:
        edits = self.edits.setdefault(source.path, {})
        known = edits.get(span)
        # Several surfaces may have the place, and one of them may be surer.
        edits[span] = Edit(source, span, text, holder, sure or (known is not None and known.sure))

    def _leave(self, place: Place, why: str) -> None:
        self.left.append(Left(shown(place), why))


def _in_settings(project: Project, subject: Subject) -> Iterator[Node]:
    """Where the settings name the tool: the calls that need others, and the tools that call others."""
    table = project.settings.table
    if table is None:
        return
    named = {surface.name for surface in subject.surfaces}
    holders = [table, *(each for each in table.elements("surface") if each.value.get("name") in named)]
    for holder in holders:
        for key in ("call-rules", "dispatchers"):
            for entry in holder.elements(key):
                for node in (entry.get("tool"), *entry.elements("requires")):
                    if node is not None and node.value == subject.name:
                        yield node
