"""Pydantic AI: `@agent.tool`, `@agent.tool_plain`, `Tool(function)`, and toolsets that change one another."""

from __future__ import annotations

from toolsurface_lint.programs.framework import SUMMARY, Framework, framework_of
from toolsurface_lint.programs.operations import plain, plain_texts
from toolsurface_lint.programs.registry import Naming
from toolsurface_lint.programs.tool_maker import TakesTools, ToolMaker
from toolsurface_lint.programs.values import Call, External, Made, Mapping, Method, Value


def _unwrapped(schema: Mapping, takes_any: bool) -> Mapping:
    """The schema of the only parameter, if that is a model: then its fields are what is passed."""
    properties = schema.get("properties")
    if not takes_any and isinstance(properties, Mapping) and len(properties.entries) == 1:
        (entry,) = properties.entries.values()
        if isinstance(entry.value, Mapping) and "properties" in entry.value.entries:
            return entry.value
    return schema


def _from_schema(maker: ToolMaker, function: External, call: Call) -> Value | None:
    if not function.path.endswith(".Tool.from_schema"):
        return None
    return maker.from_constructor(framework_of(function.path), call)


def _same(maker: ToolMaker, method: Method, call: Call) -> Value | None:
    """A toolset with the same tools, under the same names."""
    return maker.registry.known_server(method.receiver)


def _renamed(maker: ToolMaker, method: Method, call: Call) -> Value | None:
    """`toolset.prefixed("x")` and `toolset.renamed({...})`: a toolset with the tools of another."""
    inner = maker.registry.known_server(method.receiver)
    if inner is None or call.first_value is None:
        return inner
    naming = None
    prefix, names = plain(call.first_value), plain_texts(call.first_value)
    if method.name == "prefixed" and isinstance(prefix, str):
        naming = Naming(prefix)
    elif method.name == "renamed" and names is not None:
        naming = Naming("", {old: new for new, old in names.items()})
    derived = maker.registry.server_at(inner.framework, "pydantic_ai.toolsets." + method.name, *call.at)
    if naming is None:
        maker.registry.add_reason("tools under names that only a run can tell", *call.at, derived)
    derived.mount(inner, naming or Naming())
    return derived


def _takes_agent(maker: ToolMaker, called: External | Method, call: Call) -> None:
    """An agent is served to a front end, or a function chooses more of its tools."""
    given = [called.receiver] if isinstance(called, Method) else [argument.value for argument in call.all()]
    path = f"pydantic_ai.{called.name}" if isinstance(called, Method) else called.path
    for value in given:
        if isinstance(value, Made) and value.root == "pydantic_ai" and value.last == "Agent":
            maker.note_added(maker.registry.server_at(FRAMEWORK, value.path, *value.arguments.at), path, call)


def _add_prompt(maker: ToolMaker, method: Method, call: Call) -> Value | None:
    """`@agent.system_prompt` and `@agent.instructions`."""
    is_agent = isinstance(method.receiver, Made) and method.receiver.last == "Agent"
    return maker.add_prompt(method, call) if is_agent else None


# What makes of a toolset another one with the same tools.
_KEEPING = (
    "filtered", "prepared", "approval_required", "defer_loading", "with_metadata", "include_return_schemas",
)  # fmt: skip

FRAMEWORK = Framework(
    "python-pydantic-ai",
    packages={"pydantic_ai": ("RunContext", "ModelRetry")},
    constructors=("Tool",),
    methods={"tool": True, "tool_plain": False},
    calls={
        "from_schema": _from_schema,
        "CombinedToolset": TakesTools(servers_position=0),
        **dict.fromkeys(
            ("AGUIAdapter", "dispatch_request", "AGUIApp", "handle_ag_ui_request", "run_ag_ui"), _takes_agent
        ),
    },
    method_calls={
        **dict.fromkeys(("to_ag_ui", "toolset"), _takes_agent),
        **dict.fromkeys(("system_prompt", "instructions"), _add_prompt),
        "add_function": ToolMaker.add_tool,
        "add_tools": ToolMaker.add_tools,
        **dict.fromkeys(("prefixed", "renamed"), _renamed),
        **dict.fromkeys(_KEEPING, _same),
    },
    positions=("function",),
    wraps=True,
    keeps_functions=True,
    text=SUMMARY,
    documented=True,
    reshape=_unwrapped,
    injected_types=("RunContext",),
)
