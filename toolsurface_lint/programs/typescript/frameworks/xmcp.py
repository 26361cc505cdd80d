"""xmcp: a file is a tool, with its `metadata`, its `schema` and, as its default export, the function that is run."""

from __future__ import annotations

import re

from toolsurface_lint.programs.typescript.frameworks import mcp
from toolsurface_lint.programs.typescript.tool_maker import Described, ScriptMaker, options
from toolsurface_lint.programs.values import Argument, Call, Mapping, Module
from toolsurface_lint.source.syntax import Syntax

_TYPE = re.compile(r"""ToolMetadata[^;"']{0,200}["']xmcp["']""")
_EXPORTED = re.compile(r"export[ \t]+const[ \t]+metadata[ \t]*(?::[ \t]*+[\w<>.,][\w<>., ]{0,99})?=[ \t\n]*+\Z")
_LONGEST = 200
"""Characters from `export` to the object,"""
_HEAD = 5_000
"""and those at the beginning of a file in which it is imported."""


def take_metadata(maker: ScriptMaker, mapping: Mapping) -> None:
    """Of an object, the tool of its file if it is the metadata of one: `export const metadata: ToolMetadata = { name }`."""
    module, node = mapping.module, mapping.node
    if module is None or node is None or "name" not in mapping.entries:
        return
    text, start = module.source.text, module.offsets.span(node).start
    if not (_EXPORTED.search(text[max(0, start - _LONGEST) : start]) and _TYPE.search(text, 0, _HEAD)):
        return
    call = Call(module, node, mapping)

    def exported(name: str) -> Argument | None:
        value = module.scope.names.get(name)
        if value is None:
            # It may be declared further down.
            written = _declared(module, name)
            value = None if written is None else maker.registry.evaluator.evaluate(written, module.scope)
        value = None if value is None else maker.registry.evaluator.resolve(value)
        return None if value is None else Argument(value, value.node or node, value.module or module)

    given = options(call)
    parts = Described(given.get("description"), exported("schema"), exported("outputSchema"), given.get("annotations"))
    maker.add(None, FRAMEWORK, given.value("name"), parts, call)


def _declared(module: Module, name: str) -> Syntax | None:
    """The value of an exported constant."""
    for statement in module.parse() or ():
        declaration = statement.get("declaration") if statement.kind == "export_statement" else None
        for declarator in () if declaration is None else declaration.all("variable_declarator"):
            written = declarator.get("name")
            if written is not None and module.offsets.text(written) == name:
                value: Syntax | None = declarator.get("value")
                return value
    return None


FRAMEWORK = mcp.FRAMEWORK._replace(servers={}, recognises=None, calls={}, method_calls={}, is_usual=False)
