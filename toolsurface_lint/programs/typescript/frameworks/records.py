"""Tools of a program's own making: objects with a name, a description, a schema and the function that is run."""

from __future__ import annotations

from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.operations import plain
from toolsurface_lint.programs.typescript.tool_maker import (
    SCHEMA_KEYS,
    Described,
    ScriptMaker,
    described,
    options,
    runs,
)
from toolsurface_lint.programs.values import Call, External, Made, Mapping, Value


def _recognises(mapping: Mapping, made_by: str) -> Mapping | None:
    """Of an object, itself if it is a tool; what is no schema, as the options of a command have it, makes it none."""
    name = plain(mapping.get("name"))
    is_run = runs(mapping)
    if is_run and "inputSchema" in mapping.entries:
        return mapping
    if not isinstance(name, str) or " " in name or "description" not in mapping.entries:
        return None
    given = next((value for key in SCHEMA_KEYS if (value := mapping.get(key)) is not None), None)
    is_schema = isinstance(given, Mapping | Made)
    if not is_run or not is_schema or mapping.module is None:
        return None
    return mapping if mapping.module.says_tool else None  # type: ignore[attr-defined]


def _make(maker: ScriptMaker, function: External, call: Call) -> Value | None:
    """`tool("search", { description, input, ... })`, `defineTool({ name, description, ... })` of a package that is not known."""
    position = 1 if isinstance(plain(call.first_value), str) else 0
    if len(call.positional) <= position or not isinstance(call.values[position], Mapping):
        return None
    given = options(call, position)
    name = call.first_value if position else given.value("name")
    parts: Described = described(given, SCHEMA_KEYS)
    if name is None or parts.description is None or not isinstance(plain(name), str):
        return None
    return maker.add(None, FRAMEWORK, name, parts, given)


FRAMEWORK = Framework(
    "typescript",
    recognises=_recognises,
    may_be_part=True,
    calls={"tool": _make, "defineTool": _make, "createTool": _make, "makeTool": _make},
)
"""Last in the order of names: what other frameworks know is theirs."""
