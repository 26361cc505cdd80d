"""Prompts: texts that a model reads, and the tools that they name."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, Protocol

from toolsurface_lint.source.shared import remembered
from toolsurface_lint.source.text import GAP, Span
from toolsurface_lint.source.tree import Node, Path, Place, Tree

if TYPE_CHECKING:
    from toolsurface_lint.model.vocabulary import Vocabulary

STRONG, MEDIUM, WEAK = "strong", "medium", "weak"

USE, DENIAL, PROHIBITION, ASIDE = "use", "denial", "prohibition", "aside"
"""What a text says about the tool that it names: use it; there is none; do not use it; it is, or may be, not there."""


CALL, TAG, JSON_CALL = "call", "tag", "json"
PROSE, LIST, QUALIFIED = "prose", "list", "qualified"
"""How a reference is written; see `Reference.form`."""


class Reference(NamedTuple):
    """A name in a prompt that may mean a tool. Offsets are into the prompt's text.

    `form` is how it is written: `CALL` (`x({...})`), `TAG` (after `<tool_call>`); what `check` adds to them: `JSON_CALL` (a
    call as a JSON object), `LIST` (an entry of a list of tools), `QUALIFIED` (with the name of its server, which `start`
    leaves out), `PROSE`. `call_end` is the end of the call that the name opens, or of the name; `specified` says that the
    Harn specification's own scan finds it, which is all that the API reports. `if_declared`: it is a call only if the name is
    a declared tool; `call_end` is then the end of the name. `gaps` are hidden lines within the call, which are not part
    of it. `called_tool`: the sentence itself says that the name is a tool's. `ordered`: it tells its reader to call it.
    """

    name: str
    start: int
    end: int
    form: str
    call_end: int
    evidence: str = STRONG
    specified: bool = True
    if_declared: bool = False
    gaps: tuple[Span, ...] = ()
    stance: str = USE
    called_tool: bool = False
    ordered: bool = False


_SIGNS = ("`", "_", "**", "tool", '{"', "functions.")
"""One of these is in every text that names a tool outside of a call, as long as names are plain words."""


_JOINED_BEFORE = re.compile(GAP + r"[./:-]?\Z")
_JOINED_AFTER = re.compile(r"[./-]?" + GAP)


class Scanner(Protocol):
    """What finds references in a text: the module `readers.prompt_calls`, or what takes its place."""

    def scan(self, text: str) -> list[Reference]: ...

    def called(self, text: str, references: list[Reference], declared: Container[str]) -> list[Reference]: ...

    def weighed(self, text: str, calls: list[Reference], vocabulary: Vocabulary) -> list[Reference]: ...

    def named_tools(self, text: str, calls: list[Reference], vocabulary: Vocabulary) -> list[Reference]: ...

    def alias_uses(self, text: str, reference: Reference, aliases: Container[str]) -> list[tuple[str, int, int]]: ...


class PromptFile(NamedTuple):
    """A file that a program reads for what it tells models.

    `path` has forward slashes; a relative one is so to a folder that only a run can tell, most often the program's or one
    around it. `told_to` as in `Prompt`. A file of several agents, or of their tasks, has the same by their names: what
    lies under the name of one, or under that of a task with this `agent`, is told it.
    """

    path: str
    told_to: tuple[str, ...]
    by_agent: Mapping[str, str] = {}

    def tells(self, prompt: Prompt) -> list[str]:
        """Who of them is told a prompt of the file."""
        if not self.by_agent:
            return [] if prompt.path else list(self.told_to)
        agent = prompt.tree.at((*prompt.path[:1], "agent")).value
        names = (name for name in (agent, *prompt.path[:1]) if isinstance(name, str))
        return [self.by_agent[name] for name in names if name in self.by_agent]


class Prompt:
    """One prompt text: a whole file, the body of a markdown file, or a string inside a document.

    Its calls are found when a surface asks for them, and a text that cannot hold any is never read again; see
    `readers.prompts.read_prompt`.
    """

    def __init__(
        self, tree: Tree, path: Path, field: str, scanner: Callable[[], Scanner], audience: frozenset[str] = frozenset()
    ) -> None:
        self.tree = tree
        self.path = path
        """Where the string is in `tree`."""
        self.field = field
        """`system`, `prompt`, `prompts[0]`, ..."""
        self.audience = audience
        """The coding clients that it is written for, by its name and place; empty for an application's agent."""
        self.told_to: tuple[str, ...] = ()
        """The keys of the servers, agents and requests that a program gives it to."""
        self.origin = tree.origin
        self._scanner = scanner
        text = self.text
        self._has_gaps = GAP in text
        self._speaks = any(sign in text for sign in _SIGNS)
        self._calls: list[Reference] | None = None if "(" in text or "<tool" in text else []
        self._vocabulary: Vocabulary | None = None
        self._named: list[Reference] = []

    @property
    def node(self) -> Node:
        return self.tree.at(self.path)

    @property
    def text(self) -> str:
        value = self.node.value if self.path else self.tree.value
        return value if isinstance(value, str) else ""

    def named(self, vocabulary: Vocabulary) -> list[Reference]:
        """Every reference to a tool, in order, if these names are declared; denials and prohibitions among them."""
        # Asked again and again with the names of one surface.
        if self._vocabulary is not vocabulary:
            text = self.text
            known = vocabulary.texts.of(text, len(text))
            self._named = remembered(known, self._scanner, lambda: self._read_named(vocabulary))
            self._vocabulary = vocabulary
        return self._named

    def uses(self, vocabulary: Vocabulary) -> list[Reference]:
        """Those that use a tool: not those that deny or forbid one."""
        return [reference for reference in self.named(vocabulary) if reference.stance == USE]

    def _read_named(self, vocabulary: Vocabulary) -> list[Reference]:
        named = self._find(vocabulary)
        return list(self._beside_gaps(named)) if self._has_gaps else named

    def _find(self, vocabulary: Vocabulary) -> list[Reference]:
        calls = self._calls
        if calls is None:
            calls = self._calls = self._scanner().scan(self.text)
        if any(call.if_declared for call in calls):
            calls = self._scanner().called(self.text, calls, vocabulary)
        if vocabulary.specified or vocabulary.is_empty:
            return calls
        if calls:
            calls = self._scanner().weighed(self.text, calls, vocabulary)
        if not self._speaks and not vocabulary.has_compound_separators:
            return calls
        others = self._scanner().named_tools(self.text, calls, vocabulary)
        if not others:
            return calls
        # A name with dots or dashes is one name; the Harn specification sees only the end of it.
        ends = {other.end for other in others}
        return sorted([*others, *(call for call in calls if call.end not in ends)], key=attrgetter("start"))

    def _beside_gaps(self, references: list[Reference]) -> Iterator[Reference]:
        """Those that are whole names: next to a gap is a part of one. Of a call with a gap, the arguments are not known."""
        text = self.text
        for reference in references:
            start, end = reference.start, reference.end
            before, after = text[max(start - 2, 0) : start], text[end : end + 2]
            if _JOINED_BEFORE.search(before) or _JOINED_AFTER.match(after):
                continue
            yield reference._replace(call_end=end) if GAP in text[start : reference.call_end] else reference

    def forget(self) -> None:
        """Drop what was found with a vocabulary; the calls, which need none, stay."""
        self._vocabulary = None
        self._named = []

    def alias_uses(self, reference: Reference, aliases: Container[str]) -> list[tuple[str, int, int]]:
        """Where a call passes an argument by one of these names: the name, its start and its end, in order."""
        return self._scanner().alias_uses(self.text, reference, aliases)

    def place(self, start: int, end: int) -> Place:
        """The place of a range of the text."""
        return self.tree.text_place(self.path, start, end)
