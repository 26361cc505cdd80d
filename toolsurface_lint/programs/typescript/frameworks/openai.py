"""The OpenAI interfaces: objects with a `function`, or with `type: "function"`; requests; tools made of zod schemas.

openai 7.57.0 (`helpers/zod.d.ts`, `resources/chat/completions`, `resources/responses`).
"""

from __future__ import annotations

from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.frameworks import openai
from toolsurface_lint.programs.typescript.agents import make_request
from toolsurface_lint.programs.typescript.tool_maker import ScriptMaker, described, options, package_of
from toolsurface_lint.programs.values import Call, External, Made, Mapping, Method, Value


def _tool(maker: ScriptMaker, function: External, call: Call) -> Value | None:
    """`zodFunction({ name, parameters, description })`"""
    if package_of(function) != "openai":
        return None
    given = options(call)
    return maker.add(None, FRAMEWORK, given.value("name"), described(given), given)


_OWNERS = ("completions", "responses", "messages")
"""What has the methods that send a request: `openai.chat.completions.create`, `anthropic.beta.messages.stream`."""


def _request(maker: ScriptMaker, method: Method, call: Call) -> Value | None:
    """`openai.responses.create({ instructions, input, tools })`, `anthropic.messages.create({ system, messages, tools })`"""
    owner = method.receiver
    name = owner.name if isinstance(owner, Method) else owner.last if isinstance(owner, External | Made) else ""
    if name not in _OWNERS or not isinstance(call.first_value, Mapping):
        return None
    told = ("instructions", "system", "messages", "input")
    request = make_request(maker, FRAMEWORK, method, options(call), told, ("prompt", "mcp_servers"))
    return None if request is None else Made(f"openai.{method.name}", call)


FRAMEWORK = Framework(
    "typescript-openai",
    recognises=openai.FRAMEWORK.recognises,
    calls=dict.fromkeys(("zodFunction", "zodResponsesFunction", "zodRealtimeFunction"), _tool),
    method_calls=dict.fromkeys(("create", "parse", "stream", "runTools", "toolRunner"), _request),
)
