"""Gemini: `functionDeclarations` and the `config` of a request.

@google/genai 2.32.0 (`dist/genai.d.ts`), @google/generative-ai with `getGenerativeModel`.
"""

from __future__ import annotations

from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.frameworks import gemini
from toolsurface_lint.programs.typescript.agents import make_request, of_mapping
from toolsurface_lint.programs.typescript.tool_maker import ScriptMaker, options
from toolsurface_lint.programs.values import Call, Made, Mapping, Method, Value


def _request(maker: ScriptMaker, method: Method, call: Call) -> Value | None:
    """`ai.models.generateContent({ contents, config: { tools, systemInstruction } })`"""
    config = options(call).value("config")
    if not isinstance(config, Mapping):
        return None
    request = make_request(maker, FRAMEWORK, method, of_mapping(config, call), ("systemInstruction",))
    return None if request is None else Made(f"@google/genai.{method.name}", call)


def _model(maker: ScriptMaker, method: Method, call: Call) -> Value | None:
    """`genAI.getGenerativeModel({ model, tools, systemInstruction })`"""
    if not isinstance(call.first_value, Mapping):
        return None
    make_request(maker, FRAMEWORK, method, options(call), ("systemInstruction",))
    return Made("@google/generative-ai.GenerativeModel", call)


FRAMEWORK = Framework(
    "typescript-gemini",
    recognises=gemini.FRAMEWORK.recognises,
    method_calls={
        "generateContent": _request,
        "generateContentStream": _request,
        "create": _request,
        "getGenerativeModel": _model,
    },
)
