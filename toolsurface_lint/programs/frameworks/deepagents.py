"""Deep Agents: `create_deep_agent(...)`, a LangGraph agent that brings tools of its own."""

from __future__ import annotations

from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.registry import Server
from toolsurface_lint.programs.tool_maker import ToolMaker
from toolsurface_lint.programs.values import Call, External, Items, Made, Value

# Which ones depends on the version: `write_todos` before 0.7, `glob` and `grep` from 0.2, `execute` from 0.3 where the backend
# has a sandbox.
_OWN = "`create_deep_agent` adds tools of its own: `task`, `ls`, `read_file`, `write_file`, `write_todos` and others"


def _create(maker: ToolMaker, function: External, call: Call) -> Value:
    # The tools came first until 0.2, the model since.
    given = call.get("tools") or next((each for each in call.positional if isinstance(each.value, Items)), None)
    server: Server = maker.registry.server_at(FRAMEWORK, function.path, *call.at)
    maker.take_tools(server, given, call)
    maker.registry.add_reason(_OWN, *call.at, server)
    return Made(function.path, call)


FRAMEWORK = Framework("python-deepagents", packages=("deepagents",), calls={"create_deep_agent": _create})
