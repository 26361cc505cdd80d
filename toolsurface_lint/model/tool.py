"""Tools: what a model is offered to call."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

from toolsurface_lint.knowledge.provider_names import version_of
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.shared import look_around
from toolsurface_lint.source.tree import Node, Path, Place, Tree

if TYPE_CHECKING:
    from toolsurface_lint.knowledge.sources import Version
    from toolsurface_lint.model.code import Dispatch, Effect, PythonFunction

KINDS = ("read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other")
"""The kinds of a tool annotation (the words of the Agent Client Protocol)."""

SIDE_EFFECT_LEVELS = ("none", "read_only", "workspace_write", "process_exec", "network", "desktop_control")
"""The side-effect levels, each ranking above the one before it."""


def rank(level: str) -> int:
    """The rank of a level; a text that is not a level ranks as `none`, as in Harn."""
    return SIDE_EFFECT_LEVELS.index(level) if level in SIDE_EFFECT_LEVELS else 0


_CLASSES: dict[str, type] = {"string": str, "boolean": bool, "integer": int, "object": dict, "array": list}


class Parameter(NamedTuple):
    """One argument that a tool takes. `type` is as written (`string`, `integer|null`), None where nothing says.

    `default`: it has one. `plain`: its schema asks for that type, within `bounds`, and nothing else, so that no value needs
    the schema.
    """

    name: str
    required: bool = False
    type: str | None = None
    enum: tuple[Any, ...] = ()
    default: bool = False
    plain: bool = False
    bounds: tuple[float | None, float | None] = (None, None)
    """The least and the greatest number that it takes."""

    def accepts(self, value: Any) -> bool:
        """Whether a value is valid beyond doubt; False says nothing."""
        of_type = type(value) is _CLASSES.get(self.type or "")
        low, high = self.bounds
        return self.plain and of_type and (low is None or value >= low) and (high is None or value <= high)


class Annotations:
    """A tool's annotations as the Harn specification knows them, from the tool itself or from a policy.

    `level` is None when the text given is not a level (reported on its own), `none` when absent.
    """

    def __init__(self, node: Node) -> None:
        self.node = node
        self.kind = "other"
        self.level: str | None = "none"
        self.emits_artifacts = False
        self.inline_result = False
        self.result_readers: tuple[Node, ...] = ()
        self.path_params: tuple[str, ...] = ()
        self.required: tuple[str, ...] = ()
        self.aliases: dict[str, str] = {}


class Mention(NamedTuple):
    """A name in a text, at offsets into it. `evidence` is one of those in `mentions`; `coded`: in quotes or backticks."""

    name: str
    start: int
    end: int
    evidence: str
    coded: bool


_IN_PROGRAM = re.compile(r"(?:python|typescript|go|rust|java|kotlin|csharp)(?:-|$)")


def shape_of(format: str) -> str:
    """The format of a definition, whether it is in a data file or in a program."""
    return _IN_PROGRAM.sub("", format) or format


class Tool:
    """One tool definition, in whatever format it was written.

    Facts only: plain values, and nodes of scalars for what a diagnostic points at. The definition itself, with its schema,
    stays in the tree and is looked up through `definition` and `schema`, so that a large tree can be dropped.
    """

    __slots__ = (
        "_argument_words",
        "_by_name",
        "annotations",
        "code",
        "declarable",
        "deferred",
        "description",
        "digests",
        "dispatch",
        "effects",
        "executor",
        "format",
        "gaps",
        "hints",
        "is_example",
        "known_keys",
        "listed_in",
        "mentions",
        "name_node",
        "name_place",
        "namespace",
        "optional",
        "origin",
        "output_path",
        "parameters",
        "path",
        "problems",
        "remembered",
        "schema_path",
        "server",
        "side_effects",
        "takes_hints",
        "tree",
    )

    def __init__(self, name: Node, format: str, tree: Tree, path: Path) -> None:
        self.name_node = name
        """A node whose value is the name as text."""
        self.name_place: Place = name.place
        """Where the name is: a value, or a key where tools are keyed by name."""
        self.description: Node | None = None
        self.format = format
        self.tree = tree
        self.path = path
        """Where the whole definition is in `tree`."""
        self.schema_path: Path | None = None
        """Where the parameter schema is; None if there is none."""
        self.output_path: Path | None = None
        """Where the schema of its results is, in formats that have one; None if there is none."""
        self.known_keys: tuple[str, ...] = ()
        """The argument keys that the schema knows (specification: properties, else the flat keys)."""
        self.parameters: tuple[Parameter, ...] = ()
        self._by_name: tuple[tuple[Parameter, ...], dict[str, Parameter]] | None = None
        self._argument_words: frozenset[str] | None = None
        self.annotations: Annotations | None = None
        self.hints: Node | None = None
        """The object with MCP hints (`readOnlyHint`, ...), if the format has one."""
        self.takes_hints: Place | None = None
        """The expression that gives a program's tool its hints, which may be the name of what several tools share."""
        self.executor = True
        self.deferred = False
        self.optional = False
        """Not known to be offered: behind a setting that is off by default, instead of another tool of its name, in
        code that nothing in the files read reaches, or in a catalogue."""
        self.is_example = False
        """Whether it is of a program that lies among examples: it shows how tools are made, and is served to nobody."""
        self.side_effects: Node | None = None
        """The list of effect tags that the definition declares, if the format has one."""
        self.code: PythonFunction | None = None
        """The function that the tool calls, if it was read with it."""
        self.effects: tuple[Effect, ...] = ()
        """What its code is seen to do, of each effect the first sight in each function; of tools that say what they do."""
        self.dispatch: Dispatch | None = None
        """The code that is given the tool's name when a model calls it, if that was read with it."""
        self.declarable: frozenset[str] = frozenset()
        """What its format can declare: of `schema`, `annotations`, `executor`, `description`, `hints`, `side_effects`.

        What is given in a way that only a run can resolve is left out: it is neither missing nor known."""
        self.gaps: frozenset[str] = frozenset()
        """The parts of its definition, by their names in `model.digests`, of which only a run can tell something."""
        self.digests: Mapping[str, str] | None = None
        """Those of its parts; None until a lock has asked."""
        self.namespace = ""
        """Tools of one namespace share their names: a served list, a folder of one-tool files."""
        self.server = ""
        """The name that the program which serves it gives its MCP server; empty for any other."""
        self.origin = ""
        """The file that the tool comes from, as displayed."""
        self.listed_in: frozenset[str] = frozenset()
        """The other files, by absolute path, whose programs have it in a list."""
        self.problems: tuple[Problem[Place], ...] = ()
        self.mentions: tuple[tuple[str, Place, Mention], ...] | None = None
        """The names in its texts that may be other tools, each with its field and place; None until a rule has asked."""
        self.remembered: dict[Callable[[Tool], bool], bool] = {}
        """What rules have asked of it; see `remembered`."""

    def hint_place(self, hint: Node) -> Place:
        """Where one of the hints is given to this tool: where it is written, unless that is outside of the definition."""
        given = self.takes_hints
        inner, outer = hint.place.span(), None if given is None else given.span()
        if given is None or inner is None or outer is None:
            return hint.place
        is_own = given.source is hint.place.source and outer.start <= inner.start and inner.end <= outer.end
        return hint.place if is_own else given

    @property
    def shape(self) -> str:
        """The format, whether the definition is in a data file or in a program."""
        return shape_of(self.format)

    @property
    def is_in_program(self) -> bool:
        return _IN_PROGRAM.match(self.format) is not None

    @property
    def name(self) -> str:
        """The name."""
        return str(self.name_node.value)

    @property
    def definition(self) -> Node:
        return self.tree.at(self.path)

    @property
    def protocol_version(self) -> Version | None:
        """The version of MCP that its file states; None if there is none."""
        look_around()
        root = self.tree.root
        # A snapshot states it for each server, of which the tool is one of the tools.
        for holder in ((), ("initialize",), ("result",), self.path[:2]):
            stated = root.find(*holder, "protocolVersion")
            if stated is not None and isinstance(stated.value, str):
                return version_of(stated.value)
        return None

    @property
    def schema(self) -> Node | None:
        return None if self.schema_path is None else self.tree.at(self.schema_path)

    @property
    def output_schema(self) -> Node | None:
        return None if self.output_path is None else self.tree.at(self.output_path)

    def parameter(self, name: str) -> Parameter | None:
        if self._by_name is None or self._by_name[0] is not self.parameters:
            # Of several with one name, the first.
            self._by_name = (self.parameters, {one.name: one for one in reversed(self.parameters)})
        return self._by_name[1].get(name)

    @property
    def argument_words(self) -> frozenset[str]:
        """The names of its parameters, at any depth, and the texts that its enums take; remembered."""
        if self._argument_words is None:
            self._argument_words = frozenset(self._find_argument_words())
        return self._argument_words

    def _find_argument_words(self) -> Iterator[str]:
        yield from self.known_keys
        for parameter in self.parameters:
            yield parameter.name
        if self.annotations is not None:
            yield from self.annotations.aliases
            yield from self.annotations.required
            yield from self.annotations.path_params
        schema = self.schema
        waiting: list[Any] = [] if schema is None else [schema.value]
        while waiting:
            value = waiting.pop()
            if isinstance(value, dict):
                properties = value.get("properties")
                if isinstance(properties, dict):
                    yield from properties
                for key in ("enum", "const"):
                    words = value.get(key)
                    listed = words if isinstance(words, list) else [words]
                    yield from (word for word in listed if isinstance(word, str))
                waiting.extend(value.values())
            elif isinstance(value, list):
                waiting.extend(value)

    def description_of(self, parameter: str) -> str | None:
        """What the definition says about a parameter; looked up, as the texts of all parameters would fill the memory."""
        schema = self.schema
        if schema is None:
            arguments = self.definition.get("arguments") or self.definition.get("parameters")
            entries = arguments.elements() if arguments is not None else ()
            named = {name.value: entry for entry in entries if (name := entry.string("name")) is not None}
            entry = named.get(parameter)
            found = None if entry is None else entry.get("desc") or entry.get("description")
        else:
            inner = schema.get("properties")
            found = (schema if inner is None else inner).find(parameter, "description")
        return found.value if found is not None and isinstance(found.value, str) else None

    @property
    def estimated_tokens(self) -> int:
        """About how many tokens the definition takes in a request: a quarter of its characters as compact JSON.

        On published tool lists this was within 6 % of a real tokenizer's count.
        """
        import json

        text = json.dumps(self.definition.value, ensure_ascii=False, separators=(",", ":"), default=str)
        return (len(text) + 3) // 4


class FormerTool(NamedTuple):
    """A tool that an earlier commit declares, and the present files do not.

    `branch`: not the last commit declares it, but the one where the branch began. `renamed` is what the tool is called
    now, if that is plain.
    """

    branch: bool
    renamed: str | None


FindFormer = Callable[[str], FormerTool | None]
"""Gives the former tool of a name, if there is one. What is known of earlier commits is found out at the first call."""


def no_former(name: str) -> FormerTool | None:
    """There are no earlier commits."""
    return None


def remembered(question: Callable[[Tool], bool]) -> Callable[[Tool], bool]:
    """A question about a tool alone that is answered once: a recorded tool may be in lists by the thousand."""

    @wraps(question)
    def asked(tool: Tool) -> bool:
        answer = tool.remembered.get(question)
        if answer is None:
            answer = tool.remembered[question] = question(tool)
        return answer

    return asked
