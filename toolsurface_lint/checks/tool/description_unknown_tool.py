"""A description that sends the model to a tool that does not exist."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from toolsurface_lint.checks.contract import SURFACE, check
from toolsurface_lint.knowledge.clients import BUILTIN_TOOLS
from toolsurface_lint.model.diagnostics import UNSAFE, WARNING, Finding, Rule, renaming
from toolsurface_lint.model.mentions import CALL, CODE, TOOL, USE, mentions_of
from toolsurface_lint.model.names import suggestion
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.texts import names_in
from toolsurface_lint.model.tool import Mention, Tool
from toolsurface_lint.model.words import ALSO_AN_OBJECT, LOOKS_LIKE_A_FIELD, TOOL_VERBS, name_words

RULE = Rule(
    code="TOOL_DESCRIPTION_UNKNOWN_TOOL",
    since="0.1.0",
    severity=WARNING,
    summary="A description names a tool that does not exist.",
    message="the description names the tool `{name}`, which is not declared",
    tags=("tools",),
    fix=UNSAFE,
)

_ENOUGH = 3
"""From so many tools on, a list that nobody calls complete is taken for a whole one."""


@check(SURFACE, RULE)
def check_surface(surface: Surface) -> Iterator[Finding]:
    judge: _Judge | None = None
    for tool in surface.active:
        if surface.open and tool.namespace not in surface.closed_lists:
            continue
        for field, place, mention in mentions_of(tool):
            if mention.name in surface.by_name:
                continue
            if judge is None:
                judge = _Judge(surface)
            meant = judge.meant(mention, tool)
            if meant is None or _is_own(mention, tool) or mention.name in surface.unread_names:
                continue
            if tool.format.endswith("mcp") and mention.name in surface.client_names:
                continue
            related = [(f"`{name}` is declared here", surface.by_name[name][0].name_place) for name in meant[:3]]
            yield RULE.at(
                place,
                tool=tool.name,
                field=field,
                related=related,
                name=mention.name,
                help=suggestion(meant),
                fix=renaming(place, mention.name, meant),
            )


def _is_own(mention: Mention, tool: Tool) -> bool:
    """Whether a name is one that the tool's schema speaks of itself; asked last, as the file has to be read again."""
    schema = tool.schema
    return mention.evidence != TOOL and schema is not None and mention.name in names_in(schema.value)


class _Judge:
    """Decides which undeclared names of a surface are meant as tools."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._not_tools = {
            name
            for tool in surface.tools
            for parameter in tool.parameters
            for name in (parameter.name, *(value for value in parameter.enum if isinstance(value, str)))
        }
        names: dict[str, list[str]] = {}
        for tool in surface.tools:
            names.setdefault(tool.namespace, []).append(tool.name)
        self._lists = {namespace: _List(listed) for namespace, listed in names.items()}

    def meant(self, mention: Mention, tool: Tool) -> tuple[str, ...] | None:
        """The declared tools that a name may be meant for, none if it is like none; None if it is not a tool's name."""
        name = mention.name
        listed = self._lists[tool.namespace]
        if name in BUILTIN_TOOLS or (name in self._not_tools and mention.evidence != TOOL):
            return None
        if name in listed.shortened and mention.evidence != CODE:
            return tuple(listed.shortened[name])
        if mention.evidence in (TOOL, USE, CALL) or mention.coded:
            close = self._surface.close_names(name)
            if close and close[0] != tool.name:
                return close
        if "_" not in name and "-" not in name and not mention.coded:
            # `the DataTable tool`: a word with inner capitals is a tool if it is another spelling of one.
            return None
        if self._surface.inferred and listed.size < _ENOUGH:
            return None
        if mention.evidence == TOOL:
            return () if mention.coded or "_" in name else None
        return () if mention.evidence != CODE and listed.has_names_like(mention) else None


class _List:
    """The names of one list of tools, by what they are made of.

    `first` are the words that they begin with, a prefix or not, `prefixes` those that several begin with and that are not
    verbs, `others` all words that are not verbs. `shortened` has, by what remains of them without a prefix that several
    share, the names that it remains of.
    """

    def __init__(self, names: list[str]) -> None:
        self.size = len(names)
        made_of = [name_words(name) for name in names]
        self.first = {word for words in made_of for word in words[:2]}
        self.others = {word for words in made_of for word in words} - TOOL_VERBS
        counts = Counter(word for words in made_of for word in words[:1])
        self.prefixes = {word for word, count in counts.items() if count > 1} - TOOL_VERBS
        self.shortened = _shortened(names)

    def has_names_like(self, mention: Mention) -> bool:
        """Whether a name is made like those of the list: with their prefix, with a verb of theirs, or with their words.

        A verb before the name of a field (`update_time`) makes no tool, and neither does a prefix alone.
        """
        words = name_words(mention.name)
        used = mention.evidence == USE
        if len(words) < 2 or (not used and words[-1] in LOOKS_LIKE_A_FIELD):
            return False
        if words[0] in TOOL_VERBS:
            field = words[1] in LOOKS_LIKE_A_FIELD and (len(words) == 2 or words[1] not in ALSO_AN_OBJECT)
            if field or mention.evidence == CALL:
                return False
            return words[0] in self.first or (used and not self.others.isdisjoint(words))
        if words[0] not in self.prefixes or len(words) < 3:
            return False
        return (used and mention.coded) or not TOOL_VERBS.isdisjoint(words)


def _shortened(names: list[str]) -> dict[str, list[str]]:
    rests: dict[str, list[tuple[str, str]]] = {}
    for name in names:
        at = name.find("_") if "_" in name else name.find("-")
        if at > 0:
            rests.setdefault(name[: at + 1], []).append((name[at + 1 :], name))
    found: dict[str, list[str]] = {}
    for prefix, members in rests.items():
        if len(members) > 1 and prefix[:-1].lower() not in TOOL_VERBS:
            for rest, name in members:
                if "_" in rest or "-" in rest:
                    found.setdefault(rest, []).append(name)
    return found
