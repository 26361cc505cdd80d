"""Pipecat: `FunctionSchema(name="search", properties={...}, required=[...])`, and functions (pipecat-ai 1.14.0)."""

from __future__ import annotations

from toolsurface_lint.programs.framework import SUMMARY, Framework
from toolsurface_lint.programs.tool_maker import ToolMaker
from toolsurface_lint.programs.values import Argument, Call, External, Literal, Mapping, Value


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


FRAMEWORK = Framework(
    "python-pipecat",
    packages={"pipecat": ("FunctionSchema", "FrameProcessor")},
    signs=("FunctionSchema(",),
    calls={"FunctionSchema": _definition},
    text=SUMMARY,
    documented=True,
    injected_types=("FunctionCallParams",),
)
