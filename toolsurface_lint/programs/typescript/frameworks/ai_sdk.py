"""The Vercel AI SDK: `tool({ description, inputSchema, execute })`, named by its key, requests and agents with tools.

ai 6.0.326 (`src/agent/tool-loop-agent-settings.ts`, `src/generate-text/generate-text.ts`), with the `parameters` of 4.x and the
`Experimental_Agent` of 5.x.
"""

from __future__ import annotations

from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.typescript.agents import make_agent, make_request
from toolsurface_lint.programs.typescript.tool_maker import ScriptMaker, described, options, package_of
from toolsurface_lint.programs.values import Call, External, Made, Mapping, Value

_PACKAGES = ("ai", "@ai-sdk/provider-utils")


def _tool(maker: ScriptMaker, function: External, call: Call) -> Value | None:
    if package_of(function) not in _PACKAGES or not isinstance(call.first_value, Mapping):
        return None
    return maker.nameless(FRAMEWORK, described(options(call)), call, None)


def _request(maker: ScriptMaker, function: External, call: Call) -> Value | None:
    """`streamText({ model, system, messages, tools })`"""
    if package_of(function) not in _PACKAGES:
        return None
    given = options(call)
    make_request(maker, FRAMEWORK, function, given, ("system", "instructions", "messages"))
    return Made(function.path, given)


def _agent(maker: ScriptMaker, function: External, call: Call) -> Value | None:
    """`new ToolLoopAgent({ model, instructions, tools })`"""
    if package_of(function) not in _PACKAGES:
        return None
    given = options(call)
    agent = make_agent(maker, FRAMEWORK, function, given, ("instructions", "system"), ("prepareCall",))
    agent.name = agent.name or agent_id(given)
    return Made(function.path, given)


def agent_id(given: Call) -> str:
    """The `id` of an agent, which has no name."""
    value = given.value("id")
    text = getattr(value, "value", None)
    return text if isinstance(text, str) else ""


FRAMEWORK = Framework(
    "typescript-ai-sdk",
    calls={
        "tool": _tool,
        "dynamicTool": _tool,
        **dict.fromkeys(("generateText", "streamText", "generateObject", "streamObject"), _request),
        **dict.fromkeys(("ToolLoopAgent", "Experimental_Agent", "Agent"), _agent),
    },
)
