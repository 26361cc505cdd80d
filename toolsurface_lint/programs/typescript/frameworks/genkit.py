"""Genkit: `ai.defineTool({ name, description, inputSchema }, fn)`, `ai.generate({ system, tools })`, `ai.definePrompt`.

genkit 1.42.0 (`lib/genkit.d.ts`, `@genkit-ai/ai/lib/prompt.d.ts`).
"""

from __future__ import annotations

from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.typescript.agents import make_agent, make_request
from toolsurface_lint.programs.typescript.tool_maker import ScriptMaker, described, options
from toolsurface_lint.programs.values import Call, External, Made, Mapping, Method, Value


def _tool(maker: ScriptMaker, method: Method, call: Call) -> Value | None:
    if not isinstance(call.first_value, Mapping):
        return None
    given = options(call)
    return maker.add(None, FRAMEWORK, given.value("name"), described(given, ("inputSchema", "inputJsonSchema")), given)


def _generate(maker: ScriptMaker, method: Method, call: Call) -> Value | None:
    """`ai.generate({ model, system, messages, tools })`; agents have methods of these names too, which take no tools."""
    if not isinstance(call.first_value, Mapping):
        return None
    request = make_request(maker, FRAMEWORK, method, options(call), ("system", "messages"), _OPENS)
    return None if request is None else Made("genkit.generate", call)


def _no_tool(maker: ScriptMaker, method: Method, call: Call) -> None:
    """`ai.defineFlow({ name, inputSchema }, fn)`: what the model does not call, in the shape of a definition."""
    if isinstance(call.first_value, Mapping):
        maker.registry.forget(call.first_value)


def _prompt(maker: ScriptMaker, method: Method, call: Call) -> Value | None:
    """`ai.definePrompt({ name, system, tools })`, `ai.defineAgent({ name, system, tools })`"""
    given = options(call)
    if not isinstance(call.first_value, Mapping) or "name" not in given.keywords:
        return None
    maker.registry.forget(call.first_value)
    called = External(f"genkit.{method.name}", *call.at)
    make_agent(maker, FRAMEWORK, called, given, ("system", "messages"), _OPENS)
    return Made(called.path, given)


_OPENS = ("use",)
"""Middleware, which adds tools for skills, files and artifacts."""

FRAMEWORK = Framework(
    "typescript-genkit",
    method_calls={
        "defineTool": _tool,
        "defineInterrupt": _tool,
        "dynamicTool": _tool,
        "generate": _generate,
        "generateStream": _generate,
        "definePrompt": _prompt,
        "defineAgent": _prompt,
        **dict.fromkeys(("defineFlow", "defineModel", "defineBackgroundModel", "defineAction"), _no_tool),
    },
)
