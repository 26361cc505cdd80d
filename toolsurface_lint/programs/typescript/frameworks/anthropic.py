"""The Anthropic interface: objects with an `input_schema`, and the tools of its tool runner.

@anthropic-ai/sdk 1.13.0 (`helpers/beta/zod.d.ts`, `helpers/beta/json-schema.d.ts`).
"""

from __future__ import annotations

from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.frameworks import anthropic
from toolsurface_lint.programs.typescript.tool_maker import ScriptMaker, described, options, package_of
from toolsurface_lint.programs.values import Call, External, Value


def _tool(maker: ScriptMaker, function: External, call: Call) -> Value | None:
    """`betaZodTool({ name, description, inputSchema, run })`"""
    if package_of(function) != "@anthropic-ai/sdk":
        return None
    given = options(call)
    return maker.add(None, FRAMEWORK, given.value("name"), described(given), given)


FRAMEWORK = Framework(
    "typescript-anthropic",
    recognises=anthropic.FRAMEWORK.recognises,
    calls={"betaZodTool": _tool, "betaTool": _tool},
)
