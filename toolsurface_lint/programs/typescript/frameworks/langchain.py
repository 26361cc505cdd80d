"""LangChain.js and LangGraph.js: `tool(fn, { name, description, schema })`, classes of tools, `createAgent`, `bindTools`.

@langchain/core 1.4.0 (`dist/tools/index.js`), langchain 1.5.14 (`dist/agents`), @langchain/langgraph 1.7.3
(`dist/prebuilt/react_agent_executor.js`).
"""

from __future__ import annotations

from toolsurface_lint.programs.framework import WITH_TOOLS, Framework
from toolsurface_lint.programs.typescript.agents import give_tools, make_agent, of_mapping
from toolsurface_lint.programs.typescript.tool_maker import ScriptMaker, described, options, package_of
from toolsurface_lint.programs.values import (
    Argument,
    Call,
    Class,
    External,
    Items,
    Made,
    Mapping,
    Method,
    Unknown,
    Value,
)


def _is_ours(value: Value) -> bool:
    package = package_of(value)
    return package == "langchain" or package.startswith("@langchain/")


def _tool(maker: ScriptMaker, function: External, call: Call) -> Value | None:
    """`tool(async ({ city }) => ..., { name, description, schema })`"""
    if not _is_ours(function) or len(call.positional) < 2:
        return None
    given = options(call, 1)
    return maker.add(None, FRAMEWORK, given.value("name"), described(given), given)


def _constructor(maker: ScriptMaker, function: External, call: Call) -> Value | None:
    """`new DynamicStructuredTool({ name, description, schema, func })`"""
    given = options(call)
    if not _is_ours(function):
        return None
    parts = described(given)
    if function.last == "DynamicTool":
        # A function of one text.
        parts = parts._replace(schema=Argument(Unknown("the schema of one text"), call.node, call.module))
    return maker.add(None, FRAMEWORK, given.value("name"), parts, given)


def _class(maker: ScriptMaker, cls: Class, call: Call) -> None:
    """A class that extends `StructuredTool` or `Tool`, with fields for its name, description and schema."""
    base = cls.derives(*FRAMEWORK.base_classes)
    if base is None or not _is_ours(base):
        return
    maker.from_named_class(cls, FRAMEWORK)


def _bind_tools(maker: ScriptMaker, method: Method, call: Call) -> Value | None:
    """`model.bindTools([...])`: a model with these tools."""
    if not call.positional:
        return None
    server = maker.registry.server_at(FRAMEWORK, "", *call.at)
    server.made_by = method.name
    given = call.positional[0]
    if isinstance(given.value, Items):
        for number, item in enumerate(given.value.items):
            if isinstance(item, Mapping) and maker.registry.registration_of(item) is None and "schema" in item.entries:
                # `{ name, description, schema }`
                described_by = of_mapping(item, call)
                given.value.items[number] = maker.add(
                    None, FRAMEWORK, item.get("name"), described(described_by), described_by
                )
    give_tools(maker, server, given, call)
    return Made(_BOUND, call)


def _invoke(maker: ScriptMaker, method: Method, call: Call) -> None:
    """`model.bindTools([...]).invoke([new SystemMessage("..."), ...messages])`"""
    bound = method.receiver
    if isinstance(bound, Made) and bound.path == _BOUND:
        server = maker.registry.server_at(FRAMEWORK, "", *bound.arguments.at)
        maker.registry.add_text(server, call.first_value, in_messages=True)


_BOUND = f"@langchain/core/runnables.{WITH_TOOLS}"


def _agent(maker: ScriptMaker, function: External, call: Call) -> Value | None:
    """`createAgent({ model, tools, systemPrompt })`, `createReactAgent({ llm, tools, prompt })`"""
    if not _is_ours(function) or not isinstance(call.first_value, Mapping):
        return None
    given = options(call)
    told = ("systemPrompt", "prompt", "stateModifier", "messageModifier")
    make_agent(maker, FRAMEWORK, function, given, told, ("middleware",))
    return Made(function.path, given)


def _tool_node(maker: ScriptMaker, function: External, call: Call) -> Value | None:
    if not _is_ours(function) or not call.positional:
        return None
    server = maker.registry.server_at(FRAMEWORK, function.path, *call.at)
    give_tools(maker, server, call.positional[0], call)
    return Made(function.path, call)


FRAMEWORK = Framework(
    "typescript-langchain",
    base_classes=("StructuredTool", "Tool", "DynamicStructuredTool", "DynamicTool"),
    classes=dict.fromkeys(("StructuredTool", "Tool", "DynamicStructuredTool", "DynamicTool"), _class),
    calls={
        "tool": _tool,
        "DynamicStructuredTool": _constructor,
        "DynamicTool": _constructor,
        "ToolNode": _tool_node,
        **dict.fromkeys(
            (
                "createAgent", "createReactAgent", "createToolCallingAgent", "createOpenAIToolsAgent",
                "createStructuredChatAgent", "createOpenAIFunctionsAgent",
            ),
            _agent,
        ),
    },
    method_calls={"bindTools": _bind_tools, **dict.fromkeys(("invoke", "stream", "streamEvents"), _invoke)},
)  # fmt: skip
