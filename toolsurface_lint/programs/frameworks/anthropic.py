"""The Anthropic interface: dicts with an `input_schema`, and the decorators of its tool runner."""

from __future__ import annotations

from toolsurface_lint.knowledge import describes_service
from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.operations import plain
from toolsurface_lint.programs.tool_maker import ToolMaker
from toolsurface_lint.programs.values import Mapping


def _recognises(mapping: Mapping, made_by: str) -> Mapping | None:
    if "input_schema" not in mapping.entries or isinstance(mapping.get("function"), Mapping):
        return None
    name = mapping.get("name")
    return None if name is not None and describes_service(plain(name), map(str, mapping.entries)) else mapping


FRAMEWORK = Framework(
    "python-anthropic",
    packages={"anthropic": ("Anthropic", "AsyncAnthropic")},
    signs=("input_schema",),
    decorators=("beta_tool", "beta_async_tool"),
    recognises=_recognises,
    calls={"ToolParam": ToolMaker.make_definition, "BetaToolParam": ToolMaker.make_definition},
)
