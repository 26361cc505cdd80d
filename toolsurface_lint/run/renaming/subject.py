"""What is renamed: which definitions a name means, and whether they can have the new one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import NamedTuple

from toolsurface_lint.model.names import did_you_mean
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.project.project import Project
from toolsurface_lint.source.tree import Place, plain


class Refused(Exception):
    """A tool or argument that cannot be renamed as it was asked; the message says why, and what to do."""


class Subject(NamedTuple):
    """A tool, by all of its definitions: those that some surface has together under one name.

    `tools` are by the place of their names, `surfaces` those that have any of them.
    """

    name: str
    tools: dict[Place, Tool]
    surfaces: list[Surface]


def recordings(project: Project) -> frozenset[str]:
    """The displayed paths of what was recorded, and is evidence: snapshots, transcripts, responses, locks."""
    return frozenset(
        document.path
        for document in project.documents
        if document.recorded or document.lock is not None or document.transcripts or document.responses
    )


def shown(place: Place) -> str:
    """A place for people: `path:line:column`."""
    source, span = place.source, place.span()
    if source is None or span is None:
        return "plain data"
    at = source.lines.position(span.start)
    return f"{source.path}:{at.line}:{at.column}"


_MOST = 5
"""So many tools of one name are listed."""


def find_subject(project: Project, name: str, *, every: bool, is_asked: Callable[[str], bool]) -> Subject:
    """The tool that a name means; `is_asked` says whether the file at a displayed path was named, or lies below what was.

    Raises `Refused` for the name of no tool, and of several that have nothing to do with each other unless `every` one is
    meant.
    """
    groups = _groups(project, name)
    asked = [group for group in groups if any(is_asked(place.tree.origin) for place in group)]
    if len(asked) == 1 or (asked and every):
        return _subject(project, name, {place: tool for group in asked for place, tool in group.items()})
    if asked:
        places = [shown(next(iter(group))) for group in asked]
        listed = ", ".join((*places[:_MOST], *([f"{len(places) - _MOST} more"] if len(places) > _MOST else [])))
        raise Refused(
            f"{len(asked)} tools are called `{name}`: {listed}; name one of these places as PATH, or give --all"
        )
    if groups:
        place = shown(next(iter(groups[0])))
        raise Refused(f"`{name}` is declared outside of what was named, at {place}: name that as PATH, too")
    raise Refused(f"no tool is called `{name}`{_why_unknown(project, name)}")


def _why_unknown(project: Project, name: str) -> str:
    known = {tool.name: tool for surface in project.scopes for tool in surface.tools}
    if name in known:
        return f" but in recordings, which are never changed: {shown(known[name].name_place)}"
    return did_you_mean(name, known)


def subject_of(project: Project, tool: Tool) -> Subject:
    """The tool that a definition is one of. Raises `Refused` for one that only a recording has."""
    # An agent may know it by another name than its definition does.
    name = tool.name_place.reads() or tool.name
    for group in _groups(project, name):
        if tool.name_place in group:
            return _subject(project, name, group)
    raise Refused(f"`{tool.name}` is in a recording, which is never changed: {shown(tool.name_place)}")


def _groups(project: Project, name: str) -> list[dict[Place, Tool]]:
    """The definitions of a name that belong together, in the order of the surfaces."""
    evidence = recordings(project)
    groups: dict[Place, dict[Place, Tool]] = {}
    for surface in project.scopes:
        here = {
            tool.name_place: tool
            for tool in surface.by_name.get(name, ())
            if tool.name_place.reads() == name and tool.name_place.tree.origin not in evidence
        }
        # What lies above several folders joins the tools of all of them, and they have nothing to do with each other.
        for joined in [here] if not surface.scattered else [{place: tool} for place, tool in here.items()]:
            met = {id(group): group for place in joined if (group := groups.get(place)) is not None}
            largest = max(met.values(), key=len, default={})
            for group in (*met.values(), joined):
                largest.update(group if group is not largest else {})
            groups.update(dict.fromkeys((place for group in (*met.values(), joined) for place in group), largest))
    return list({id(group): group for group in groups.values()}.values())


def _subject(project: Project, name: str, tools: dict[Place, Tool]) -> Subject:
    having = [surface for surface in project.scopes if any(tool.name_place in tools for tool in surface.tools)]
    return Subject(name, tools, having)


def check_name(subject: Subject, new: str) -> None:
    """Raises `Refused` for a name that the tool cannot have, or that another one has already."""
    if new == subject.name:
        raise Refused(f"the tool is called `{new}` already")
    _check_characters(new)
    for surface in subject.surfaces:
        taken = surface.by_name.get(new)
        if taken:
            raise Refused(f"`{new}` is declared already, at {shown(taken[0].name_place)}")
    for reason in _refusals(subject, new):
        raise Refused(reason)


def _refusals(subject: Subject, new: str) -> Iterator[str]:
    """What the rule about names says of the new one, for the providers of each definition."""
    from toolsurface_lint.checks.tool.names import check_form, check_whole_name

    for surface in subject.surfaces:
        for tool in surface.by_name.get(subject.name, ()):
            named = copy(tool)
            named.name_node = plain(new)
            found = [*check_form(named, surface.target), *check_whole_name(named, surface)]
            yield from (f"{finding.message} ({finding.help})" for finding in found)


def _check_characters(new: str) -> None:
    if not new or not new.isprintable() or any(map(str.isspace, new)):
        raise Refused(f"`{new}` is not a name: it is empty, or has blanks or characters that cannot be seen")


def find_argument(subject: Subject, argument: str, new: str) -> None:
    """Raises `Refused` if the tool has no such argument, or has one of the new name."""
    known = {name: None for tool in subject.tools.values() for name in arguments_of(tool)}
    if argument not in known:
        raise Refused(f"`{subject.name}` has no argument `{argument}`{did_you_mean(argument, known)}")
    if new == argument:
        raise Refused(f"the argument is called `{new}` already")
    if new in known:
        raise Refused(f"`{subject.name}` has an argument `{new}` already")
    _check_characters(new)
    aliases = [tool.annotations.aliases for tool in subject.tools.values() if tool.annotations is not None]
    if any(new in each for each in aliases):
        raise Refused(f"`{new}` is an alias of an argument of `{subject.name}` already: remove the alias first")


def arguments_of(tool: Tool) -> Sequence[str]:
    """The arguments that a definition has, in its order."""
    return tuple(dict.fromkeys((*(parameter.name for parameter in tool.parameters), *tool.known_keys)))
