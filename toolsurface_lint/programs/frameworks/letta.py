"""Letta: `client.tools.upsert_from_function(func=search)`."""

from __future__ import annotations

from toolsurface_lint.programs.framework import SUMMARY, Framework
from toolsurface_lint.programs.tool_maker import ToolMaker
from toolsurface_lint.programs.values import Call, Method, Value


def _from_function(maker: ToolMaker, method: Method, call: Call) -> Value:
    return maker.from_conversion(FRAMEWORK, call)


FRAMEWORK = Framework(
    "python-letta",
    packages={"letta": ("Agent", "SyncServer"), "letta_client": ("Letta", "AsyncLetta")},
    signs=("create_from_function(", "upsert_from_function("),
    method_calls=dict.fromkeys(("create_from_function", "upsert_from_function"), _from_function),
    text=SUMMARY,
    documented=True,
    injected_names=("agent_state",),
)
