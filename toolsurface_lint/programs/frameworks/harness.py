"""The tool chapter's `tool`, `Tool` and `ToolRegistry`: the only ones that declare side effects."""

from __future__ import annotations

from toolsurface_lint.programs.framework import STRIPPED, Framework
from toolsurface_lint.programs.tool_maker import TakesTools, ToolMaker
from toolsurface_lint.programs.values import Call, Class, Function


def _registry(maker: ToolMaker, cls: Class, call: Call) -> None:
    """A `ToolRegistry` whose class is in the files read."""
    start = cls.member("__init__")
    names = [parameter.name for parameter in start.parameters[1:]] if isinstance(start, Function) else []
    given = call.get("tools", names.index("tools") if "tools" in names else None)
    if given is not None:
        server = maker.registry.server_at(FRAMEWORK, cls.name, *call.at)
        maker.take_tools(server, given, call)


FRAMEWORK = Framework(
    "python-harness",
    packages={"harness": ("Tool", "ToolRegistry")},
    signs=("ToolRegistry",),
    keyword="side_effects",
    decorators=("tool",),
    constructors=("Tool",),
    base_classes=("Tool", "BaseTool"),
    run_methods=("run",),
    calls={"ToolRegistry": TakesTools(0)},
    classes={"ToolRegistry": _registry},
    positions=("name", "description", "input_schema", "run", "side_effects"),
    decorator_positions=("name", "description", "side_effects"),
    simple_types=True,
    text=STRIPPED,
    side_effects=True,
)
