"""Browser Use: `@tools.action("What it does")` beside the actions of its own."""

from __future__ import annotations

from toolsurface_lint.programs.framework import Framework, outside_base
from toolsurface_lint.programs.tool_maker import ToolMaker
from toolsurface_lint.programs.values import CALL, Call, Function, Instance, Made, Method, Native, Unknown, Value


def _action(maker: ToolMaker, method: Method, call: Call) -> Value | None:
    tools = method.receiver
    if isinstance(tools, Method) and tools.name == "registry":
        tools = tools.receiver
    if isinstance(tools, Made):
        path, at = tools.path, tools.arguments.at
    elif isinstance(tools, Instance) and tools.cls is not None:
        path, at = outside_base(tools.cls), tools.cls.at
    else:
        return None
    if path.partition(".")[0] not in FRAMEWORK.packages:
        return None
    given = call.named()
    if call.positional:
        given.keywords.setdefault("description", call.positional[0])
    server = maker.registry.server_at(FRAMEWORK, path, *at)
    maker.note_added(server, path, Call(*at))

    def decorate(applied: Call) -> Value:
        function = applied.first_value
        if isinstance(function, Function):
            maker.from_function(function, FRAMEWORK, server, given)
        return function or Unknown(CALL, *applied.at)

    return Native(decorate, *call.at)


FRAMEWORK = Framework(
    "python-browser-use",
    packages={"browser_use": ("BrowserProfile", "ActionResult")},
    signs=(".action(",),
    method_calls={"action": _action},
    injected_names=(
        "context", "browser_session", "page_url", "cdp_client", "page_extraction_llm", "file_system",
        "available_file_paths", "has_sensitive_data", "extraction_schema",
    ),
)  # fmt: skip
