"""What rules of one's own look at: the subjects, and the fields of each with how they are read."""

# ruff: noqa: E501 - the tables have a row on each line

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from toolsurface_lint.model.tool import shape_of
from toolsurface_lint.source.tree import Node, Path, Place

if TYPE_CHECKING:
    from toolsurface_lint.model.surface import Surface
    from toolsurface_lint.model.target import Target
    from toolsurface_lint.model.tool import Tool

NAME, PROSE, WORD, NUMBER, FLAG, LIST, ANY = "name", "prose", "word", "number", "flag", "list", "any"
"""Kinds of fields. A name is something that others may refer to, prose is read as text; neither is a word of a format."""


class Read(NamedTuple):
    """What a thing has in a field, and where that is; `items` are the parts of a list. `value` is None where there is nothing."""

    value: Any
    place: Place
    items: Sequence[Read] = ()


class Thing(NamedTuple):
    """One thing that a rule looks at.

    `item` is what the fields of its subject read, `place` where it is reported if a field says no more; `node` holds what
    pointers lead into. `surface` is None while a definition is looked at by itself.
    """

    item: Any
    place: Place
    node: Node | None = None
    tool: Tool | None = None
    surface: Surface | None = None

    @property
    def target(self) -> Target | None:
        return None if self.surface is None else self.surface.target


class Field(NamedTuple):
    """A field of a subject: `wide` if it cannot be told without the surface."""

    name: str
    kind: str
    meaning: str
    read: Callable[[Thing], Read]
    wide: bool = False


class SubjectForm(NamedTuple):
    """A subject: what its things are, its fields, what pointers lead into, and what a thing is related to."""

    name: str
    meaning: str
    fields: Mapping[str, Field]
    pointers: str = ""
    has_tool: bool = False


def pointer_path(pointer: str) -> tuple[str, ...]:
    """The steps of a JSON pointer."""
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])


def pointed(node: Node, path: Path) -> Node | None:
    """The node that a JSON pointer leads to: a step through an array is an index. None if there is none."""
    current: Node | None = node
    for step in path:
        if current is None:
            return None
        index = isinstance(current.value, list) and isinstance(step, str) and step.isascii() and step.isdigit()
        current = current.get(int(step) if index and len(str(step)) < 10 else step)
    return current


def read_node(node: Node | None, thing: Thing) -> Read:
    """What stands at a node: a list by its items. Null is as good as nothing."""
    if node is None or node.value is None:
        return Read(None, thing.place)
    items: Iterable[Node] = node.elements() if isinstance(node.value, list) else ()
    return Read(node.value, node.place, [Read(item.value, item.place) for item in items])


def _plain(value: Any, thing: Thing, place: Place | None = None) -> Read:
    return Read(value, place or thing.place)


def _list(values: Iterable[Any], thing: Thing, place: Place | None = None) -> Read:
    at = place or thing.place
    found = list(values)
    return Read(found or None, at, [Read(value, at) for value in found])


def _fields(*fields: Field) -> dict[str, Field]:
    return {field.name: field for field in fields}


# Tools


def _tool_name(thing: Thing) -> Read:
    return Read(thing.item.name, thing.item.name_place)


def _tool_parameters(thing: Thing) -> Read:
    tool: Tool = thing.item
    names = [parameter.name for parameter in tool.parameters]
    schema = tool.schema
    properties = None if schema is None else schema.get("properties")
    keys = dict(properties.members()) if properties is not None else {}
    places = [keys[name].key_place if name in keys else thing.place for name in names]
    return Read(names, thing.place, [Read(name, place) for name, place in zip(names, places, strict=True)])


def _tool_schema(thing: Thing) -> Read:
    schema = thing.item.schema
    return Read({}, schema.place) if schema is not None and schema.value is None else read_node(schema, thing)


def _can_declare(thing: Thing) -> Read:
    found = set(thing.item.declarable)
    # A policy that judges tools by their annotations gives them a place for these, too.
    if thing.surface is not None and thing.surface.needs_annotations:
        found.add("annotations")
    return _list(sorted(found), thing)


def _annotations(thing: Thing) -> Any:
    return thing.item.annotations if thing.surface is None else thing.surface.annotations(thing.item)


def _annotation_object(thing: Thing) -> Read:
    found = _annotations(thing)
    return Read(None, thing.place) if found is None else Read(found.node.value, found.node.place)


def _kind(thing: Thing) -> Read:
    found = _annotations(thing)
    if found is None:
        return Read(None, thing.place)
    node = found.node.get("kind")
    return Read(found.kind, thing.place if node is None else node.place)


def _level(thing: Thing) -> Read:
    found = _annotations(thing)
    if found is None:
        return Read(None, thing.place)
    node = found.node.get("side_effect_level")
    return Read(found.level, thing.place if node is None else node.place)


def _emits(thing: Thing) -> Read:
    found = _annotations(thing)
    return Read(None if found is None else found.emits_artifacts and not found.inline_result, thing.place)


def _readers(thing: Thing) -> Read:
    found = _annotations(thing)
    nodes = () if found is None else found.result_readers
    return Read([node.value for node in nodes] or None, thing.place, [Read(node.value, node.place) for node in nodes])


def _approval(thing: Thing) -> Read:
    from toolsurface_lint.model.decisions import approval_outcome, decide_approval

    if thing.surface is None:
        return Read(None, thing.place)
    return Read(approval_outcome(decide_approval(one, thing.item.name) for one in thing.surface.approvals), thing.place)


def _is_active(thing: Thing) -> Read:
    return Read(thing.surface is None or thing.item.name in thing.surface.active_names, thing.place)


TOOL_FIELDS = _fields(
    Field("name", NAME, "its name", _tool_name),
    Field("description", PROSE, "what it says of itself", lambda thing: read_node(thing.item.description, thing)),
    Field("format", WORD, "the format that it is written in, as `surface` shows it: `mcp`, `openai`, `python-mcp`", lambda thing: _plain(thing.item.format, thing)),
    Field("shape", WORD, "the same, whether it is in a data file or a program: `mcp`, `openai`", lambda thing: _plain(shape_of(thing.item.format), thing)),
    Field("file", WORD, "the path of the file that it comes from, as findings show it", lambda thing: _plain(thing.item.origin, thing)),
    Field("server", WORD, "the name that its program gives the MCP server", lambda thing: _plain(thing.item.server or None, thing)),
    Field("parameters", LIST, "the names of its parameters", _tool_parameters),
    Field("schema", ANY, "the schema of its parameters; one that is null counts as empty", _tool_schema),
    Field("output-schema", ANY, "the schema of its results", lambda thing: read_node(thing.item.output_schema, thing)),
    Field("hints", ANY, "its MCP hints, such as `readOnlyHint`", lambda thing: read_node(thing.item.hints, thing)),
    Field("side-effects", LIST, "the effects that its program declares", lambda thing: read_node(thing.item.side_effects, thing)),
    Field("executor", FLAG, "whether it says what runs it, where its format has a place for that", lambda thing: _plain(thing.item.executor, thing)),
    Field("deferred", FLAG, "whether a model sees it only after a search", lambda thing: _plain(thing.item.deferred, thing)),
    Field("optional", FLAG, "whether it is not known to be offered", lambda thing: _plain(thing.item.optional, thing)),
    Field("example", FLAG, "whether its program lies among examples", lambda thing: _plain(thing.item.is_example, thing)),
    Field("in-program", FLAG, "whether a program declares it", lambda thing: _plain(thing.item.is_in_program, thing)),
    Field("tokens", NUMBER, "the estimated tokens of its definition", lambda thing: _plain(thing.item.estimated_tokens, thing)),
    Field("can-declare", LIST, "what its format has a place for: `schema`, `annotations`, `executor`, `description`, `hints`, `side_effects`", _can_declare, wide=True),
    Field("active", FLAG, "whether the policies leave it in use", _is_active, wide=True),
    Field("annotations", ANY, "its annotations of the Harn specification, its own or those of a policy", _annotation_object, wide=True),
    Field("kind", WORD, "their `kind`", _kind, wide=True),
    Field("side-effect-level", WORD, "their `side_effect_level`, `none` where they leave it out", _level, wide=True),
    Field("emits-artifacts", FLAG, "whether its results have to be read by another tool", _emits, wide=True),
    Field("result-readers", LIST, "the tools that are named for that", _readers, wide=True),
    Field("approval", WORD, "what the approval policies do with its calls: `approved`, `needs_approval`, `denied`, `depends`", _approval, wide=True),
)  # fmt: skip


# Parameters


class ParameterThing(NamedTuple):
    """A property of a schema; `part` is its subschema as it is written."""

    name: str
    path: str
    depth: int
    part: Node | None
    described: Node | None
    required: bool
    documented: bool


def _parameter_type(thing: Thing) -> Read:
    found = None if thing.node is None else pointed(thing.node, ("type",))
    if found is None or not isinstance(found.value, str | list):
        return Read(None, thing.place)
    return read_node(found, thing)


PARAMETER_FIELDS = _fields(
    Field("name", NAME, "its name", lambda thing: Read(thing.item.name, thing.place)),
    Field("path", WORD, "its name after those of the parameters that it is in: `filter.since`", lambda thing: _plain(thing.item.path, thing)),
    Field("depth", NUMBER, "how many parameters it is in: 0 for one of the tool's own", lambda thing: _plain(thing.item.depth, thing)),
    Field("description", PROSE, "its description, or that of what it refers to", lambda thing: read_node(thing.item.described, thing)),
    Field("documented", FLAG, "whether a docstring that the model reads describes it", lambda thing: _plain(thing.item.documented, thing)),
    Field("type", WORD, "its `type`, one or several", _parameter_type),
    Field("required", FLAG, "whether it must be given", lambda thing: _plain(thing.item.required, thing)),
    Field("enum", LIST, "the values that it accepts", lambda thing: read_node(None if thing.node is None else thing.node.get("enum"), thing)),
    Field("default", ANY, "its default", lambda thing: read_node(None if thing.node is None else thing.node.get("default"), thing)),
)  # fmt: skip


# Calls and results


def _arguments(thing: Thing) -> Read:
    if thing.node is None:
        return Read(None, thing.place)
    members = list(thing.node.members())
    return Read([key for key, _ in members], thing.node.place, [Read(key, node.key_place) for key, node in members])


CALL_FIELDS = _fields(
    Field("name", NAME, "the name of the tool that is called", lambda thing: Read(thing.item.name, thing.place)),
    Field("id", WORD, "its id", lambda thing: Read(thing.item.id, thing.item.id_place)),
    Field("arguments", LIST, "the names of the arguments that it passes; nothing where they cannot be read", _arguments),
)  # fmt: skip


def _result_text(thing: Thing) -> Read:
    result = thing.item
    served = result.served
    node = None if served is None else served.get("content")
    place = thing.place if served is None else served.place if node is None else node.place
    content = result.content if node is None else node.value
    return Read("\n".join(_texts(content)) or None, place)


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    found = []
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict):
            resource = block.get("resource")
            text = resource.get("text") if isinstance(resource, dict) else block.get("text")
            if isinstance(text, str):
                found.append(text)
    return found


RESULT_FIELDS = _fields(
    Field("name", NAME, "the name of the tool that was called", lambda thing: Read(thing.item.name, thing.place)),
    Field("failed", FLAG, "whether it says that the call failed", lambda thing: _plain(thing.item.failed, thing)),
    Field("served", FLAG, "whether it is recorded as an MCP server gave it", lambda thing: _plain(thing.item.served is not None, thing)),
    Field("text", PROSE, "the text of its content", _result_text),
)  # fmt: skip


# Prompts


class ReferenceThing(NamedTuple):
    """A reference, and the prompt that it is in."""

    reference: Any
    prompt: Any


_AFTER = 120


def _after(thing: Thing) -> Read:
    reference, prompt = thing.item
    end = reference.call_end
    text = prompt.text[end : end + _AFTER]
    return Read(text, prompt.place(end, end + len(text)))


REFERENCE_FIELDS = _fields(
    Field("name", NAME, "the name that the prompt has", lambda thing: Read(thing.item.reference.name, thing.place)),
    Field("declared", FLAG, "whether a tool of that name is declared", lambda thing: _plain(thing.tool is not None, thing)),
    Field("stance", WORD, "what the text says of the tool: `use`, `denial`, `prohibition`, `aside`", lambda thing: _plain(thing.item.reference.stance, thing)),
    Field("evidence", WORD, "how plainly it is named as a tool: `strong`, `medium`, `weak`", lambda thing: _plain(thing.item.reference.evidence, thing)),
    Field("form", WORD, "how it is written: `call`, `tag`, `json`, `prose`, `list`, `qualified`", lambda thing: _plain(thing.item.reference.form, thing)),
    Field("after", PROSE, f"the text that follows, up to {_AFTER} characters", _after),
    Field("audience", LIST, "the coding clients that the prompt is written for", lambda thing: _list(sorted(thing.surface.audience(thing.item.prompt)) if thing.surface else (), thing)),
    Field("file", WORD, "the path of the prompt's file", lambda thing: _plain(thing.item.prompt.origin, thing)),
)  # fmt: skip

PROMPT_FIELDS = _fields(
    Field("text", PROSE, "its text", lambda thing: read_node(thing.item.node, thing)),
    Field("field", WORD, "what it is in its document: `system`, `prompt`, `prompts[0]`", lambda thing: _plain(thing.item.field, thing)),
    Field("audience", LIST, "the coding clients that it is written for", lambda thing: _list(sorted(thing.surface.audience(thing.item)) if thing.surface else (), thing)),
    Field("file", WORD, "the path of its file", lambda thing: _plain(thing.item.origin, thing)),
)  # fmt: skip


# Policies


class EntryThing(NamedTuple):
    """One entry of a capability or approval policy: a pattern in one of its lists."""

    pattern: Any
    list: str
    action: str | None = None
    argument: Node | None = None
    argument_patterns: tuple[Node, ...] = ()


ENTRY_FIELDS = _fields(
    Field("pattern", NAME, "the name or pattern of tools; of the ceiling, the level", lambda thing: Read(str(thing.item.pattern.value), thing.place)),
    Field("list", WORD, "the list that it is in: `tools`, `tool_arg_constraints`, `auto_approve`, `auto_deny`, `require_approval`, `rules`; `side_effect_level` for the ceiling", lambda thing: _plain(thing.item.list, thing)),
    Field("action", WORD, "of an entry of `rules`, what it does: `approve`, `ask`, `deny`", lambda thing: _plain(thing.item.action, thing)),
    Field("argument", NAME, "of a constraint, the argument", lambda thing: read_node(thing.item.argument, thing)),
    Field("argument-patterns", LIST, "of a constraint, the patterns that are allowed", lambda thing: Read([node.value for node in thing.item.argument_patterns], thing.place, [Read(node.value, node.place) for node in thing.item.argument_patterns])),
)  # fmt: skip

PERMISSION_FIELDS = _fields(
    Field("text", NAME, "the entry as it is written: `Bash(git push:*)`", lambda thing: Read(thing.item.rule.text, thing.place)),
    Field("tool", NAME, "the name or pattern that tools are compared with: `Bash`", lambda thing: Read(thing.item.rule.tool, thing.place)),
    Field("specifier", NAME, "what narrows it to some calls: `git push:*`", lambda thing: Read(thing.item.rule.specifier, thing.place)),
    Field("action", WORD, "what it does: `allow`, `ask`, `deny`", lambda thing: _plain(thing.item.rule.action, thing)),
    Field("list", WORD, "the field of the file that it stands in", lambda thing: _plain(thing.item.rule.field, thing)),
    Field("server", NAME, "the MCP server that it names", lambda thing: Read(thing.item.rule.server, thing.item.rule.server_place or thing.place)),
    Field("server-tool", NAME, "the tool of that server", lambda thing: Read(thing.item.rule.server_tool, thing.place)),
    Field("client", WORD, "the client whose file it is: `claude-code`, `gemini-cli`", lambda thing: _plain(thing.item.file.client, thing)),
    Field("file", WORD, "the path of the file", lambda thing: _plain(thing.item.file.origin, thing)),
)  # fmt: skip


class PermissionThing(NamedTuple):
    """A permission rule, and the file that it is in."""

    rule: Any
    file: Any


# Surfaces and client files


def _offered(thing: Thing) -> list[Tool]:
    """The tools that are offered at once: where a folder has several lists, the longest."""
    found: list[Tool] = max(thing.item.offered, key=len, default=[])
    return found


def _surface_tools(thing: Thing) -> Read:
    tools = _offered(thing)
    place = tools[0].name_place if tools else thing.place
    return Read([tool.name for tool in tools], place, [Read(tool.name, tool.name_place) for tool in tools])


SURFACE_FIELDS = _fields(
    Field("name", WORD, "its name: that of the settings, or its folder", lambda thing: _plain(thing.item.name, thing)),
    Field("tools", LIST, "the names of the tools that are offered at once: active, and neither deferred nor optional; of several lists, the longest", _surface_tools),
    Field("tokens", NUMBER, "the estimated tokens of their definitions", lambda thing: _plain(sum(tool.estimated_tokens for tool in _offered(thing)), thing)),
    Field("open", FLAG, "whether it may have tools that cannot be seen", lambda thing: _plain(thing.item.open, thing)),
    Field("inferred", FLAG, "whether its folder makes it one, and not the settings or a document", lambda thing: _plain(thing.item.inferred, thing)),
    Field("tool-search", FLAG, "whether deferred tools can be searched for", lambda thing: _plain(thing.item.tool_search, thing)),
    Field("policies", NUMBER, "how many capability policies it has", lambda thing: _plain(len(thing.item.policies), thing)),
    Field("approvals", NUMBER, "how many approval policies it has", lambda thing: _plain(len(thing.item.approvals), thing)),
    Field("prompts", NUMBER, "how many prompts it has", lambda thing: _plain(len(thing.item.prompts), thing)),
    Field("providers", LIST, "the providers that the settings name for it", lambda thing: _list((provider.key for provider in thing.item.target.providers), thing)),
    Field("model", WORD, "the model that the settings name for it", lambda thing: _plain(thing.item.target.model, thing)),
)  # fmt: skip

FILE_FIELDS = _fields(
    Field("kind", WORD, "what it is to its client: `agent`, `command`, `skill`, `rule`", lambda thing: _plain(thing.item.kind, thing)),
    Field("client", WORD, "the client that reads it; nothing if several may", lambda thing: _plain(thing.item.client, thing)),
    Field("name", NAME, "the `name` of its front matter", lambda thing: read_node(thing.item.text("name"), thing)),
    Field("description", PROSE, "the `description` of its front matter", lambda thing: read_node(thing.item.text("description"), thing)),
    Field("front-matter", ANY, "its front matter", lambda thing: read_node(thing.item.head, thing)),
    Field("text", PROSE, "the text after the front matter", lambda thing: read_node(thing.item.body.node, thing)),
    Field("file", WORD, "its path", lambda thing: _plain(thing.item.origin, thing)),
)  # fmt: skip


SUBJECTS = {
    form.name: form
    for form in (
        SubjectForm("tool", "every tool definition", TOOL_FIELDS, "the definition"),
        SubjectForm("parameter", "every property of the parameter schemas, at any depth; those of alternatives left out", PARAMETER_FIELDS, "its own schema", has_tool=True),
        SubjectForm("call", "every call of a transcript or of a recorded response", CALL_FIELDS, "the arguments", has_tool=True),
        SubjectForm("result", "every result of a transcript that answers a call", RESULT_FIELDS, "the object that an MCP server gave, if that is recorded; else the part of the message", has_tool=True),
        SubjectForm("prompt", "every prompt", PROMPT_FIELDS),
        SubjectForm("reference", "every name in a prompt that plainly means a tool, or that is a declared one", REFERENCE_FIELDS, has_tool=True),
        SubjectForm("policy-entry", "every pattern of a capability or approval policy, and the ceiling of side effects", ENTRY_FIELDS, "the entry"),
        SubjectForm("permission", "every entry of a client's permission file, or of an agent's tool list", PERMISSION_FIELDS),
        SubjectForm("client-file", "every agent, command, skill or rule that a coding client reads", FILE_FIELDS, "the front matter"),
        SubjectForm("surface", "every surface that has tools or policies", SURFACE_FIELDS),
    )
}  # fmt: skip
"""The subjects by name."""


def field_of(form: SubjectForm, relation: str, name: str) -> Field | None:
    """A field of a subject, or of what its things are related to."""
    fields = SUBJECTS[relation].fields if relation else form.fields
    return fields.get(name)


def related(thing: Thing, relation: str) -> Thing | None:
    """What a thing is related to, as a thing of its own subject; None if that is not there."""
    if not relation:
        return thing
    if relation == "surface":
        surface = thing.surface
        return None if surface is None else Thing(surface, surface.start or thing.place, surface=surface)
    tool = thing.tool
    return None if tool is None else Thing(tool, tool.name_place, tool.definition, tool, thing.surface)
