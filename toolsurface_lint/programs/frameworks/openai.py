"""The OpenAI interfaces: dicts with a `function`, or (Responses) with `type: function` and `parameters`."""

from __future__ import annotations

from toolsurface_lint.knowledge import OPENAI_FUNCTION_KEYS
from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.operations import plain
from toolsurface_lint.programs.tool_maker import ToolMaker
from toolsurface_lint.programs.values import Call, Class, External, Mapping, Value

_DEFINITIONS = (
    "ChatCompletionToolParam", "ChatCompletionFunctionToolParam", "ChatCompletionTool", "FunctionToolParam",
    "FunctionDefinition",
)  # fmt: skip


def _recognises(mapping: Mapping, made_by: str) -> Mapping | None:
    function, kind = mapping.get("function"), mapping.get("type")
    if isinstance(function, Mapping) and (kind is None or plain(kind) == "function"):
        defines = not function.complete or not OPENAI_FUNCTION_KEYS.isdisjoint(function.entries)
        return function if defines and "arguments" not in function.entries else None
    return mapping if kind is not None and plain(kind) == "function" and "parameters" in mapping.entries else None


def _of_model(maker: ToolMaker, function: External, call: Call) -> Value | None:
    """`openai.pydantic_function_tool(Search, name="search")`"""
    model = call.value("model", 0)
    return maker.from_model(model, FRAMEWORK, call.named()) if isinstance(model, Class) else None


FRAMEWORK = Framework(
    "python-openai",
    packages={"openai": ("OpenAI", "AsyncOpenAI")},
    recognises=_recognises,
    signs=("pydantic_function_tool(",),
    calls={**dict.fromkeys(_DEFINITIONS, ToolMaker.make_definition), "pydantic_function_tool": _of_model},
)
