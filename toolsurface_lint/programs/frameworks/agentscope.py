"""AgentScope: `toolkit.register_tool_function(search, preset_kwargs={...})`."""

from __future__ import annotations

from toolsurface_lint.programs.framework import SUMMARY, Framework
from toolsurface_lint.programs.operations import plain
from toolsurface_lint.programs.tool_maker import ToolMaker
from toolsurface_lint.programs.values import Call, Function, Mapping, Method, Value


def _register(maker: ToolMaker, method: Method, call: Call) -> Value | None:
    given, server = call.value("tool_func", 0), maker.registry.server_of(method, call.module)
    if given is None or "json_schema" in call.keywords:
        # That is the whole definition.
        return given
    if not isinstance(given, Function):
        maker.registry.add_unknown(given, *call.at, server)
        return given
    rest = call.named()
    for key in ("name", "description"):
        if f"func_{key}" in rest.keywords:
            rest.keywords[key] = rest.keywords[f"func_{key}"]
    made = maker.from_function(given, FRAMEWORK, server, rest)
    if made.registration is not None:
        made.registration.by_server = True
        group, preset = call.value("group_name", 1), call.value("preset_kwargs", 2)
        if group is not None and plain(group) != "basic":
            made.registration.optional = True
        if isinstance(preset, Mapping):
            made.registration.excluded |= {str(key) for key in preset.entries}
    return given


FRAMEWORK = Framework(
    "python-agentscope",
    packages={"agentscope": ("Toolkit", "ToolResponse")},
    signs=("register_tool_function(",),
    method_calls={"register_tool_function": _register},
    text=SUMMARY,
    documented=True,
)
