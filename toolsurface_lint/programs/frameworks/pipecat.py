"""Pipecat: `FunctionSchema(name="search", properties={...}, required=[...])`, and functions (pipecat-ai 1.14.0)."""

from __future__ import annotations

from toolsurface_lint.programs.framework import SUMMARY, Framework
from toolsurface_lint.programs.tool_maker import ToolMaker
from toolsurface_lint.programs.values import Argument, Call, External, Items, Literal, Mapping, Value


def _definition(maker: ToolMaker, function: External, call: Call) -> Value | None:
    if function.root not in FRAMEWORK.packages:
        return None
    keys = ("name", "description", "properties", "required")
    given = {key: argument for at, key in enumerate(keys) if (argument := call.get(key, at)) is not None}
    schema = Mapping(*call.at, complete=not call.open)
    schema.set("type", Literal("object", *call.at))
    for key in keys[2:]:
        if key in given:
            schema.give(key, given.pop(key))
    rest = Call(*call.at, open=call.open)
    rest.keywords = {**given, "parameters": Argument(schema, call.node, call.module)}
    return maker.from_constructor(FRAMEWORK, rest)


def _list(maker: ToolMaker, function: External, call: Call) -> Value | None:
    """`ToolsSchema(standard_tools=[...])` is the list of its tools; `custom_tools` are in the format of a provider."""
    given = call.value("standard_tools", 0)
    if function.root not in FRAMEWORK.packages or "custom_tools" in call.keywords:
        return None
    return given if isinstance(given, Items) else None


FRAMEWORK = Framework(
    "python-pipecat",
    packages={"pipecat": ("FunctionSchema", "FrameProcessor")},
    signs=("FunctionSchema(",),
    calls={"FunctionSchema": _definition, "ToolsSchema": _list},
    text=SUMMARY,
    documented=True,
    injected_types=("FunctionCallParams",),
)
