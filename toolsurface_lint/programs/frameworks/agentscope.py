"""AgentScope: `toolkit.register_tool_function(search, preset_kwargs={...})`."""

from __future__ import annotations

from toolsurface_lint.programs.framework import SUMMARY, Framework
from toolsurface_lint.programs.operations import plain
from toolsurface_lint.programs.tool_maker import ToolMaker
from toolsurface_lint.programs.values import Call, Mapping, Method, Value


def _register(maker: ToolMaker, method: Method, call: Call) -> Value | None:
    given = call.value("tool_func", 0)
    if given is None or "json_schema" in call.keywords:
        # That is the whole definition.
        return given
    rest = call.named()
    for key in ("name", "description"):
        if f"func_{key}" in rest.keywords:
            rest.keywords[key] = rest.keywords[f"func_{key}"]
    registration = maker.serve(maker.registry.server_of(method, call.module), given, FRAMEWORK, rest)
    if registration is not None:
        group, preset = call.value("group_name", 1), call.value("preset_kwargs", 2)
        if group is not None and plain(group) != "basic":
            registration.optional = True
        if isinstance(preset, Mapping):
            registration.excluded |= {str(key) for key in preset.entries}
    return given


FRAMEWORK = Framework(
    "python-agentscope",
    packages={"agentscope": ("Toolkit", "ToolResponse")},
    signs=("register_tool_function(",),
    method_calls={"register_tool_function": _register},
    text=SUMMARY,
    documented=True,
)
