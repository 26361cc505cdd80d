"""Agents and requests to models in TypeScript programs: the tools that they are given, and what they are told."""

from __future__ import annotations

from collections.abc import Sequence

from toolsurface_lint.model.unseen import LISTS, SERVERS
from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.operations import text_of, truth
from toolsurface_lint.programs.registry import Server, ToolObject
from toolsurface_lint.programs.typescript.tool_maker import NamelessTool, ScriptMaker, described, options, runs


def of_mapping(mapping: v.Mapping, call: v.Call) -> v.Call:
    """What an object says as keywords, of a call that stands where the object is written."""
    at = (mapping.module or call.module, mapping.node or call.node)
    return options(v.Call(*at, mapping))


def make_agent(
    maker: ScriptMaker,
    framework: Framework,
    called: v.External,
    given: v.Call,
    told: Sequence[str] = ("instructions",),
    opens: Sequence[str] = (),
) -> Server:
    """The agent that a call with an object of settings makes; any of the settings in `opens` may give it more tools."""
    agent = maker.registry.server_at(framework, called.path, *given.at)
    agent.name = agent.name or text_of(given.value("name")) or ""
    give_tools(maker, agent, given.get("tools"), given)
    if given.open and "tools" not in given.keywords:
        agent.unseen.add("arguments that only a run can tell")
    for key in opens:
        value = given.value(key)
        if value is not None and truth(value)[0] is not False and not _is_empty(value):
            maker.registry.add_reason(f"`{key}` adds tools", given.module, given.keywords[key].site, agent, SERVERS)
    maker.registry.add_told(agent, given, told)
    return agent


def make_request(
    maker: ScriptMaker,
    framework: Framework,
    called: v.External | v.Method,
    given: v.Call,
    told: Sequence[str],
    opens: Sequence[str] = (),
) -> Server | None:
    """One request to a model, which has the tools that it is given and what `opens` may add; None for one without tools."""
    tools = given.get("tools")
    if tools is None or v.is_none(tools.value):
        return None
    path = called.path if isinstance(called, v.External) else ""
    request = maker.registry.server_at(framework, path, *given.at)
    request.is_request, request.made_by = True, called.last if isinstance(called, v.External) else called.name
    request.unseen.update(f"`{key}` adds tools" for key in opens if key in given.keywords)
    items = tools_of(maker, request, tools.value)
    if not items.complete:
        request.unseen.add(f"the list of tools is {items.missing}")
    for item in items.items:
        maker.registry.evaluator.spend(1)
        registration = maker.registry.registration_of(item)
        if registration is not None:
            request.given.append(registration)
        elif isinstance(item, v.Mapping) and "type" in item.entries:
            # `{ type: "web_search" }`: the provider's own.
            request.ready_made.add(text_of(item.get("name")) or text_of(item.get("type")) or "a tool")
        else:
            request.unseen.add("a tool that is not defined in the program")
    maker.registry.add_told(request, given, told)
    return request


def give_tools(maker: ScriptMaker, server: Server, given: v.Argument | None, call: v.Call) -> None:
    """Give an agent or a server a list or an object of tools, or a function that returns one."""
    if given is not None and not v.is_none(given.value):
        maker.take_tools(server, given._replace(value=tools_of(maker, server, given.value)), call)


def tools_of(maker: ScriptMaker, server: Server, value: v.Value) -> v.Items:
    """The tools in a list or an object, without those of a provider, of which the server takes note."""
    evaluator = maker.registry.evaluator
    if isinstance(value, v.Function):
        value = evaluator.call(value, v.Call(value.scope.module, value.code, open=True))
    if isinstance(value, v.Mapping):
        entries = list(value.entries.items())
        found = v.Items([], value.module, value.node, missing="" if value.complete else "an object with unknown keys")
        for key, entry in entries:
            _put(maker, server, found, entry.value, v.Literal(str(key), entry.key.module, entry.key.node))
        return found
    if isinstance(value, v.Items):
        found = v.Items([], value.module, value.node, missing=value.missing)
        for item in value.items:
            _put(maker, server, found, item, None)
            if item in value.otherwise and found.items:
                found.otherwise[found.items[-1]] = value.otherwise[item]
        return found
    return v.Items([], value.module, value.node, missing=v.describe(value))


def _put(maker: ScriptMaker, server: Server, found: v.Items, item: v.Value, key: v.Literal | None) -> None:
    if isinstance(item, NamelessTool):
        found.items.append(maker.name_tool(item, key))
    elif isinstance(item, v.Mapping) and (held := item.get("functionDeclarations")) is not None:
        maker.registry.evaluator.extend(found, held)
    elif isinstance(item, v.Made) and item.last == "hostedMcpTool":
        reason = "`hostedMcpTool` adds the tools of MCP servers"
        maker.registry.add_reason(reason, *item.arguments.at, server, SERVERS)
    elif (own := provider_tool(item)) is not None:
        server.ready_made.add(own if key is None else key.value)
    elif key is not None and isinstance(item, v.Mapping) and _is_nameless(maker, item):
        # `{ edit: { description, inputSchema, execute } }`
        given = of_mapping(item, v.Call(key.module, key.node))  # type: ignore[arg-type]
        found.items.append(maker.add(None, server.framework, key, described(given), given))
    elif isinstance(item, v.Function | v.Class) and not isinstance(item, ToolObject):
        found.missing = "a tool that a function makes"
    else:
        found.items.append(item)


def _is_nameless(maker: ScriptMaker, item: v.Mapping) -> bool:
    """Whether an object is a tool that is named by its key."""
    is_tool = "description" in item.entries and runs(item)
    return is_tool and "name" not in item.entries and maker.registry.registration_of(item) is None


def provider_tool(value: v.Value) -> str | None:
    """The name of a tool that a provider runs (`openai.tools.webSearch()`, `webSearchTool()`); None for another value."""
    if not isinstance(value, v.Made):
        return None
    steps = value.path.split(".")
    if "tools" in steps[1:-1] or (steps[0] in _PROVIDER_PACKAGES and steps[-1] in _PROVIDER_TOOLS):
        return steps[-1]
    return None


_PROVIDER_PACKAGES = ("@openai/agents", "@openai/agents-core", "@openai/agents-openai")
_PROVIDER_TOOLS = frozenset((
    "webSearchTool", "fileSearchTool", "codeInterpreterTool", "imageGenerationTool", "computerTool", "shellTool",
    "applyPatchTool", "toolSearchTool", "programmaticToolCallingTool",
))  # fmt: skip
"""Of OpenAI (@openai/agents 0.20.0, `agents-core/dist/tool.js`, `agents-openai/dist/tools.js`)."""


def _is_empty(value: v.Value) -> bool:
    if isinstance(value, v.Mapping):
        return value.complete and not value.entries
    return isinstance(value, v.Items) and value.complete and not value.items


def hand_over(maker: ScriptMaker, agent: Server, other: v.Value, tool: str | None) -> None:
    """An agent is given another one, and a tool of this name for it; None if the name is not known."""
    target = maker.registry.known_agent(other)
    agent.hand_over(target or v.Unknown(v.describe(other), other.module, other.node))
    if tool is not None:
        agent.transfers.add(tool)
    else:
        assert agent.module is not None
        reason = "a tool that hands over to an agent whose name is not known"
        maker.registry.add_reason(reason, agent.module, agent.node, agent, LISTS)
