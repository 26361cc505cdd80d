"""The facts of registered Python tools: one tree a file in the shape of MCP tool lists, every part with its place."""

from __future__ import annotations

import ast
import re
from collections import abc
from functools import cached_property, partial
from typing import Any, NamedTuple

from toolsurface_lint.model.code import CodeParameter, DocumentedParameter, Effect, PythonFunction
from toolsurface_lint.model.prompt import Prompt
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.flow import OutOfSteps
from toolsurface_lint.programs.framework import (
    CLEAN,
    MCP,
    SMOLAGENTS,
    STRIPPED,
    SUMMARY,
    Framework,
    Naming,
    Registration,
    Server,
)
from toolsurface_lint.programs.import_groups import ImportGroup
from toolsurface_lint.programs.python import builtins as builtins_of
from toolsurface_lint.programs.python.docstrings import Document, read_docstring
from toolsurface_lint.programs.python.effects import effects_of
from toolsurface_lint.programs.python.modules import Module
from toolsurface_lint.programs.registry import Registry
from toolsurface_lint.programs.schema import SchemaReader
from toolsurface_lint.programs.signatures import Inferred, read_signature
from toolsurface_lint.programs.transforms import transformed, unwrapped
from toolsurface_lint.programs.values import (
    Class,
    Entry,
    Function,
    Items,
    Literal,
    Made,
    Mapping,
    Member,
    Unknown,
    Value,
    docstring,
)
from toolsurface_lint.readers.prompts import read_prompt
from toolsurface_lint.readers.tool_format import set_deferred, set_schema
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.python import Located, PythonTree, clean_docstring, python_tree
from toolsurface_lint.source.text import SourceText, Span
from toolsurface_lint.source.tree import Node, Place, Spans


class OpenReason(NamedTuple):
    """Why a namespace, or (empty) any of some files, may have tools that are not seen: a sentence, and where.

    `files` are the paths of those files, None for all.
    """

    text: str
    namespace: str
    source: SourceText
    span: Span
    files: frozenset[str] | None = None

    @property
    def line(self) -> int:
        return self.source.lines.line_at(self.span.start)


class PythonTools(NamedTuple):
    """What a project's Python files define.

    `tools` are ordered by file and position; those of one server share a `namespace`. By path: the `problems` of files that
    look as if they define tools, the `trees` of those that tools refer to, the `syntax` trees of all that were parsed.
    `prompts` are the instructions of servers. `unfollowed` are the paths of files that look as if they define tools, and
    were left before any was found.
    """

    tools: list[Tool]
    prompts: list[Prompt]
    reasons: list[OpenReason]
    problems: dict[str, list[Problem[Span]]]
    trees: dict[str, PythonTree]
    syntax: dict[str, ast.Module]
    unfollowed: frozenset[str]


# Keywords that a schema can lose without meaning something else.
_DROPPABLE = frozenset((
    "description", "default", "title", "examples", "example", "deprecated", "$comment", "minimum", "maximum",
    "exclusiveMinimum", "exclusiveMaximum", "pattern", "format",
))  # fmt: skip
_SCHEMAS = (
    ("function", "parameters"), ("inputSchema", "json"), ("inputSchema",), ("input_schema",), ("parameters",),
    ("parametersJsonSchema",), ("parameters_json_schema",),
)  # fmt: skip
MAX_PLACES = 1_000
"""Places of servers in one another that are followed; servers that mount each other have very many."""
_DYNAMIC = re.compile(r"import_module|__import__|iter_modules|entry_points")
"""What imports files without naming them."""


class _Part(NamedTuple):
    """A plain value and its spans."""

    value: Any
    spans: Spans


class _Served(NamedTuple):
    """A namespace that a server's tools are served in, and what becomes of their names, the innermost first."""

    namespace: str
    namings: list[Naming]


class _File:
    """The tree of one file while it is put together: definitions, and other places that tools refer to."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.tools: list[Any] = []
        self.places: list[Any] = []
        self.tool_spans: list[Spans] = []
        self.place_spans: list[Spans] = []
        size = len(module.source.text)
        root = Spans(0, size, {"tools": Spans(0, size, self.tool_spans), "places": Spans(0, size, self.place_spans)})
        self.tree: PythonTree = python_tree(module.source, {"tools": self.tools, "places": self.places}, root)

    def span(self, node: Located) -> Span:
        return self.module.offsets.span(node)

    def node(self, value: Any, span: Span) -> Node:
        self.places.append(value)
        self.place_spans.append(Spans(span.start, span.end))
        return Node(self.tree, ("places", len(self.places) - 1), value)

    def place(self, node: Located) -> Place:
        span = self.span(node)
        return self.node(self.module.source.text[slice(*span)], span).place


class Definitions:
    """Makes `Tool` facts of registrations."""

    def __init__(
        self, evaluator: Evaluator, registry: Registry, roots: list[Module], groups: abc.Mapping[Module, ImportGroup]
    ) -> None:
        self.evaluator = evaluator
        self.registry = registry
        self.roots = roots
        self.groups = groups
        self.files: dict[str, _File] = {}
        self.tools: list[Tool] = []
        self._group = ImportGroup(0)
        self._places = 0
        self._more_places = False
        self._documents: dict[ast.AST, Document] = {}
        self._has_server = any(server.path for server in registry.servers.values())
        self._imported = {target for module in roots for target in evaluator.modules.imported(module)}

    @cached_property
    def _imports_unnamed(self) -> bool:
        return any(_DYNAMIC.search(module.source.text) for module in self.roots)

    def build(self) -> PythonTools:
        order = {module.path: number for number, module in enumerate(self.evaluator.modules.all)}
        registrations = sorted(
            self.registry.registrations,
            key=lambda found: (order[found.module.path], found.node.lineno, found.node.col_offset),
        )
        declares = {found.framework.format for found in registrations if found.side_effects is not None}
        served = self._served()
        taken: dict[tuple[str, str], Registration] = {}
        left: dict[ImportGroup, ImportGroup] = {}
        for registration in registrations:
            for namespace, name in self._names(registration, served):
                earlier = taken.setdefault((namespace, name), registration)
                alternative = earlier is not registration and (
                    registration.uncertain or earlier.uncertain or (registration.versioned and earlier.versioned)
                )
                group = self.groups[registration.module]
                steps = left.setdefault(group, group.for_definitions())
                self.evaluator.within(
                    steps, partial(self._add, registration, name, namespace, declares, alternative=alternative)
                )
                group.complete = group.complete and steps.complete
        prompts = self._prompts() if self.tools else []
        trees = {path: file.tree for path, file in self.files.items()}
        syntax = {module.path: module.tree for module in self.evaluator.modules.all if module.tree is not None}
        problems = self._problems()
        unfollowed = frozenset(
            module.path
            for module in self.roots
            if not self.groups[module].complete and module.path not in trees and module.path not in problems
        )
        return PythonTools(self.tools, prompts, self._reasons(served), problems, trees, syntax, unfollowed)

    def _prompts(self) -> list[Prompt]:
        """The instructions of servers that are not mounted: of those that are, clients see the tools alone."""
        mounted = {child for server in self.registry.servers.values() for child, _ in server.mounts}
        prompts = []
        for server, text in self.registry.instructions:
            if server not in mounted and text.module is not None and isinstance(text.node, ast.Constant):
                file = self._file(text.module)
                place = file.node(text.node.value, file.span(text.node))
                prompts.append(read_prompt(file.tree, place.path, "instructions", text.module.path))
        return prompts

    def _names(self, registration: Registration, served: dict[Server | None, list[_Served]]) -> list[tuple[str, str]]:
        """The namespaces that a tool is served in, and its name in each."""
        name, server = str(registration.name.value), registration.server
        if server is None:
            return [(registration.container, name)]
        if name in server.removed:
            return []
        found = []
        for namespace, namings in served[server]:
            served_name = name
            for naming in namings:
                served_name = naming.of(served_name)
            found.append((namespace, served_name))
        return found

    def _file(self, module: Module) -> _File:
        if module.path not in self.files:
            self.files[module.path] = _File(module)
        return self.files[module.path]

    def _served(self) -> dict[Server | None, list[_Served]]:
        """For each server the namespaces that its tools are served in, with what becomes of their names there."""
        mounted = {child for server in self.registry.servers.values() for child, _ in server.mounts}
        served: dict[Server | None, list[_Served]] = {}
        servers = list(self.registry.servers.values())
        # Servers that mount one another in a circle have no outermost one: then each is its own.
        roots = [server for server in servers if server not in mounted]
        for root in [*roots, *servers]:
            if root not in served:
                self._walk(root, root, [], served, [])
        return served

    def _walk(
        self,
        server: Server,
        root: Server,
        outer: list[Naming],
        served: dict[Server | None, list[_Served]],
        above: list[Server],
    ) -> None:
        if server in above or len(above) > 10:
            return
        if self._places == MAX_PLACES:
            self._more_places = True
            return
        self._places += 1
        where = _Served(root.key, [*server.namings, *outer])
        if where not in served.setdefault(server, []):
            served[server].append(where)
        for child, naming in server.mounts:
            self._walk(child, root, [naming, *where.namings], served, [*above, server])

    def _is_unserved(self, registration: Registration) -> bool:
        """Whether a tool's file is imported only where a setting is on; or waits for a server that nothing passes to it."""
        path, server = registration.module.path, registration.server
        if self.evaluator.imports.get(path) is False:
            return True
        if server is None or server.path or not self._has_server:
            return False
        # Other functions of this name are handed a server, this one never is: a module that is not plugged in.
        if registration.entry in self.registry.given_servers:
            return True
        return registration.module not in self._imported and not self._imports_unnamed

    def _reasons(self, served: dict[Server | None, list[_Served]]) -> list[OpenReason]:
        reasons: list[OpenReason] = []
        for reason in self.registry.reasons:
            span = Span(0, 0)
            if isinstance(reason.node, ast.AST):
                span = reason.module.offsets.span(reason.node)  # type: ignore[arg-type]
            for namespace, _ in served.get(reason.server, [_Served("", [])]):
                reasons.append(OpenReason(reason.text, namespace, reason.module.source, span))
        if self._more_places:
            reasons.append(OpenReason("more mounted servers than are followed", "", self.roots[0].source, Span(0, 0)))
        left: dict[ImportGroup, list[Module]] = {}
        for module, group in self.groups.items():
            if not group.complete:
                left.setdefault(group, []).append(module)
        # What has no room in memory is left out because of all other files.
        refused = frozenset(self.evaluator.modules.budget.refused)
        for modules in left.values():
            files = None if not refused.isdisjoint(modules) else frozenset(module.path for module in modules)
            reasons.append(OpenReason("more code than is followed", "", modules[0].source, Span(0, 0), files))
        reasons.extend(
            OpenReason("a file that cannot be read", "", module.source, module.problem.at)
            for module in self.roots
            if module.problem is not None
        )
        return reasons

    def _problems(self) -> dict[str, list[Problem[Span]]]:
        return {module.path: [module.problem] for module in self.roots if module.problem is not None}

    # One tool

    def _add(
        self, registration: Registration, name: str, namespace: str, declares: set[str], *, alternative: bool
    ) -> None:
        tool = self._tool(registration, name, namespace, declares)
        tool.optional = registration.optional or alternative or self._is_unserved(registration)
        self.tools.append(tool)

    def _tool(self, registration: Registration, name: str, namespace: str, declares: set[str]) -> Tool:
        file = self._file(registration.module)
        site = file.span(registration.node)
        inferred = self._inferred(registration)
        definition = registration.display or self._definition(registration, name, inferred)
        group = self._group = self.groups[registration.module]
        try:
            part = self._convert(definition, file.module, site, 0)
        except OutOfSteps:
            part, group.complete = None, False
        if part is None:
            part = _Part({"name": name}, Spans(site.start, site.end, {"name": Spans(site.start, site.end)}))
        index = len(file.tools)
        file.tools.append(part.value)
        file.tool_spans.append(part.spans)
        path = ("tools", index)
        framework = registration.framework
        tool = Tool(self._name(registration, name, file, path), framework.format, file.tree, path)
        tool.origin = registration.module.path
        tool.native = True
        tool.namespace = namespace
        takes = {"schema", "description"}
        self._describe(tool, registration, file, takes)
        self._add_schema(tool, takes)
        set_deferred(tool, tool.definition, tool.definition.get("function"))
        if framework.side_effects or framework.format in declares:
            takes.add("side_effects")
        self._add_declarations(tool, registration, takes)
        if registration.function is not None:
            tool.code = self._code(registration.function, inferred, framework)
        tool.declarable = frozenset(takes)
        return tool

    def _name(self, registration: Registration, name: str, file: _File, path: tuple[str, int]) -> Node:
        """The name where it is written, which may be another file than the definition's."""
        written = registration.name
        if written.module is not None and written.node is not None and written.module is not file.module:
            other = self._file(written.module)
            return other.node(name, other.span(written.node))
        steps: list[str | int] = [*path]
        if registration.display is not None and isinstance(registration.display.get("function"), Mapping):
            steps.append("function")
        found = file.tree.at((*steps, "name"))
        if found.value == name:
            return found
        return file.node(name, file.span(written.node or registration.node))

    def _describe(self, tool: Tool, registration: Registration, file: _File, takes: set[str]) -> None:
        written = registration.description
        text = self._description_text(registration)
        if text is None or not isinstance(written, Literal) or written.module is None or written.node is None:
            if isinstance(written, Unknown) or (written is not None and not isinstance(written, Literal)):
                # There is a description; what it says is not known.
                takes.discard("description")
            return
        home = file if written.module is file.module else self._file(written.module)
        definition = tool.definition
        found = definition.find("function", "description") or definition.string("description")
        if home is file and found is not None and found.value == text:
            tool.description = found
        else:
            tool.description = home.node(text, home.span(written.node))

    def _description_text(self, registration: Registration) -> str | None:
        written = registration.description
        text = builtins_of.text_of(written) if written is not None else None
        if text is None or (isinstance(written, Literal) and written.value is None):
            return None
        is_docstring = isinstance(written, Literal) and self._is_docstring(registration, written)
        if not is_docstring:
            return text
        kind = registration.framework.text
        if kind == STRIPPED:
            return text.strip()
        if kind == CLEAN:
            return clean_docstring(text)[0]
        if kind == SUMMARY:
            return clean_docstring(text[: read_docstring(text).summary_end])[0].strip()
        return text

    def _is_docstring(self, registration: Registration, written: Literal) -> bool:
        return registration.function is not None and docstring(registration.function).node is written.node

    def _inferred(self, registration: Registration) -> Inferred | None:
        """What the signature of the tool's function gives, if it has one that can be read."""
        function = registration.function
        if function is None or registration.display is not None or registration.schema is not None:
            return None
        framework = registration.framework
        if framework.nameless:
            return None
        reader = SchemaReader(self.evaluator, framework.flavour, text_metadata=framework.text_metadata)
        documented = self._document(function).parameters if framework.documented else ()
        inferred = read_signature(
            function, reader, documented, skip_first=registration.skip_first, excluded=registration.excluded
        )
        if registration.transforms is not None:
            return inferred._replace(schema=transformed(inferred.schema, registration.transforms))
        if framework.unwraps and function.code.args.kwarg is None:
            return inferred._replace(schema=unwrapped(inferred.schema))
        return inferred

    def _document(self, function: Function) -> Document:
        code = function.code
        if code not in self._documents:
            text = docstring(function)
            value = text.value if isinstance(text, Literal) else None
            self._documents[code] = read_docstring(value) if isinstance(value, str) else Document((), 0)
        return self._documents[code]

    def _definition(self, registration: Registration, name: str, inferred: Inferred | None) -> Mapping:
        """The definition in the shape of an MCP tool."""
        module = registration.module
        definition = Mapping(module, registration.node)
        written = registration.name
        definition.set("name", Literal(name, written.module, written.node))
        if registration.title is not None:
            definition.set_at("title", registration.title.value, registration.title.module, registration.title.key)
        text = self._description_text(registration)
        if text is not None and registration.description is not None:
            definition.set("description", Literal(text, registration.description.module, registration.description.node))
        schema = self._given_schema(registration)
        if schema is not None:
            definition.set("inputSchema", schema)
        elif inferred is not None:
            definition.set("inputSchema", inferred.schema)
        if registration.annotations is not None:
            hints = self._hints(registration)
            if hints is not None:
                given = registration.annotations
                definition.set_at("annotations", hints, given.module, given.key)
        if registration.side_effects is not None:
            effects = registration.side_effects
            definition.set_at("side_effects", effects.value, effects.module, effects.key)
        return definition

    def _given_schema(self, registration: Registration) -> Value | None:
        given = registration.schema
        if given is None:
            return None
        value = given.value
        framework = registration.framework
        reader = SchemaReader(self.evaluator, framework.flavour, text_metadata=framework.text_metadata)
        if isinstance(value, Made) and value.path == "model_json_schema":
            value = value.arguments.positional[0].value
        if isinstance(value, Class):
            return reader.model(value, given.site, given.module)
        if isinstance(value, Mapping) and framework.format in ("python-claude-agent-sdk", SMOLAGENTS.format):
            return _typed_keys(value, reader) if "type" not in value.entries else value
        return value if isinstance(value, Mapping) else None

    def _hints(self, registration: Registration) -> Mapping | None:
        """The annotations as an object; `ToolAnnotations(...)` of the MCP SDK 2 has its fields in snake case."""
        given = registration.annotations
        assert given is not None
        value = given.value
        if isinstance(value, Mapping):
            return value
        if not isinstance(value, Made) or value.last != "ToolAnnotations":
            return None
        hints = Mapping(given.module, given.site)
        path = registration.server.path if registration.server is not None else ""
        snake_case = not path.startswith(("mcp.server.fastmcp", "fastmcp"))
        for key, argument in value.arguments.keywords.items():
            name = re.sub(r"_([a-z])", lambda found: found.group(1).upper(), key) if snake_case else key
            hints.entries[name] = Entry(Literal(name, argument.module, argument.key), argument.value)
        return hints

    def _add_schema(self, tool: Tool, takes: set[str]) -> None:
        for keys in _SCHEMAS:
            node = tool.definition.find(*keys)
            if node is not None and isinstance(node.value, dict):
                set_schema(tool, node)
                return
        takes.discard("schema")

    def _add_declarations(self, tool: Tool, registration: Registration, takes: set[str]) -> None:
        definition = tool.definition
        if registration.framework.format == MCP.format:
            takes.add("hints")
        hints = definition.get("annotations")
        if hints is not None and isinstance(hints.value, dict):
            tool.hints = hints
        elif registration.annotations is not None and not _is_none(registration.annotations.value):
            takes.discard("hints")
        effects = definition.get("side_effects")
        if effects is not None and isinstance(effects.value, list):
            tool.side_effects = effects
        elif registration.side_effects is not None:
            takes.discard("side_effects")

    def _code(self, function: Function, inferred: Inferred | None, framework: Framework) -> PythonFunction:
        module = function.scope.module
        file = self._file(module)
        name = module.offsets.identifier(function.code, function.name, keyword=True)
        code = PythonFunction(function.name, file.place(name))
        if inferred is not None:
            code.parameters = tuple(
                CodeParameter(
                    found.name,
                    found.typing,
                    file.place(found.place),
                    None if found.hint is None else file.place(found.hint),
                )
                for found in inferred.parameters
            )
        taken = function.code.args
        named = [*taken.posonlyargs, *taken.args, *taken.kwonlyargs, taken.vararg, taken.kwarg]
        code.names = tuple(parameter.arg for parameter in named if parameter is not None)
        code.takes_any = taken.kwarg is not None
        code.documented = self._documented(function, file)
        code.effects = tuple(
            Effect(seen.effect, seen.what, self._file(seen.function.scope.module).place(seen.node), seen.through)
            for seen in effects_of(function, self.evaluator)
        )
        return code

    def _documented(self, function: Function, file: _File) -> tuple[DocumentedParameter, ...]:
        written = docstring(function)
        parameters = self._document(function).parameters
        if not parameters or written.node is None or not isinstance(written, Literal):
            return ()
        text = file.node(written.value, file.span(written.node))
        return tuple(DocumentedParameter(found.name, text.text_place(found.start, found.end)) for found in parameters)

    # Plain values

    def _convert(self, value: Value, module: Module, site: Span, depth: int) -> _Part | None:
        """A value as plain data with its spans in `module`; what was written elsewhere lies at `site`.

        None if it is not known.
        """
        self._group.parts -= 1
        if self._group.parts < 0:
            raise OutOfSteps
        if depth > 60:
            return None
        if isinstance(value, Member):
            value = value.value
        span = site
        if value.module is module and value.node is not None:
            span = module.offsets.span(value.node)
        if isinstance(value, Literal):
            if isinstance(value.value, str | int | float | bool | None):
                return _Part(value.value, Spans(*span))
            return None
        if isinstance(value, Items):
            return self._convert_items(value, module, span, depth) if value.complete else None
        if isinstance(value, Mapping):
            return self._convert_mapping(value, module, span, depth) if value.complete else None
        if isinstance(value, Made) and value.path == "model_json_schema":
            model = value.arguments.positional[0].value
            if isinstance(model, Class):
                reader = SchemaReader(self.evaluator)
                return self._convert(reader.model(model, value.node, value.module), module, span, depth + 1)  # type: ignore[arg-type]
        return None

    def _convert_items(self, items: Items, module: Module, span: Span, depth: int) -> _Part | None:
        values: list[Any] = []
        spans: list[Spans] = []
        for item in items.items:
            part = self._convert(item, module, span, depth + 1)
            if part is None:
                return None
            values.append(part.value)
            spans.append(part.spans)
        return _Part(values, Spans(*span, spans))

    def _convert_mapping(self, mapping: Mapping, module: Module, span: Span, depth: int) -> _Part | None:
        values: dict[str, Any] = {}
        items: dict[str, Spans] = {}
        for key, entry in mapping.entries.items():
            part = self._convert(entry.value, module, span, depth + 1)
            if part is None:
                # A keyword that says nothing about validity, or a part of the definition itself, may be missing.
                if key in _DROPPABLE or depth == 0:
                    continue
                if not _is_property_map(mapping):
                    return None
                part = _Part({"anyOf": [{}]}, Spans(*span, {"anyOf": Spans(*span, [Spans(*span, {})])}))
            name = str(key)
            values[name] = part.value
            items[name] = part.spans
            written = entry.key
            if written.module is module and written.node is not None:
                part.spans.key_start, part.spans.key_end = module.offsets.span(written.node)
        return _Part(values, Spans(*span, items))


def _is_property_map(mapping: Mapping) -> bool:
    """Whether a dict maps names to schemas: each of its values is a dict."""
    return all(isinstance(entry.value, Mapping) for entry in mapping.entries.values())


def _is_none(value: Value) -> bool:
    return isinstance(value, Literal) and value.value is None


def _typed_keys(given: Mapping, reader: SchemaReader) -> Mapping:
    """A schema of a dict that maps each parameter to its type, or (smolagents) to its own schema."""
    schema = Mapping(given.module, given.node)
    properties = Mapping(given.module, given.node)
    required = Items([], given.module, given.node)
    for key, entry in given.entries.items():
        module, node = entry.value.module, entry.value.node
        if isinstance(entry.value, Mapping):
            written: Value = entry.value
        elif isinstance(node, ast.expr) and module is not None:
            written = reader.schema(node, module.scope)
        else:
            written = Mapping(given.module, given.node)
            written.complete = False
        properties.entries[key] = Entry(entry.key, written)
        nullable = entry.value.get("nullable") if isinstance(entry.value, Mapping) else None
        if nullable is None or not builtins_of.truth(nullable)[0]:
            required.items.append(Literal(key, entry.key.module, entry.key.node))
    properties.complete = given.complete
    schema.set("type", Literal("object", given.module, given.node))
    schema.set("properties", properties)
    schema.set("required", required)
    return schema
