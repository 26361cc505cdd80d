"""The Anthropic interface: dicts with an `input_schema`, and the decorators of its tool runner."""

from __future__ import annotations

from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.tool_maker import ToolMaker
from toolsurface_lint.programs.values import Mapping


def _recognises(mapping: Mapping, made_by: str) -> Mapping | None:
    is_other = isinstance(mapping.get("function"), Mapping)
    return mapping if "input_schema" in mapping.entries and not is_other else None


FRAMEWORK = Framework(
    "python-anthropic",
    packages={"anthropic": ("Anthropic", "AsyncAnthropic")},
    signs=("input_schema",),
    decorators=("beta_tool", "beta_async_tool"),
    recognises=_recognises,
    calls={"ToolParam": ToolMaker.make_definition, "BetaToolParam": ToolMaker.make_definition},
)
