"""Swarm: functions given to an agent, which may ask for its context."""

from __future__ import annotations

from toolsurface_lint.programs.framework import RAW, Framework
from toolsurface_lint.programs.values import Mapping


def _without_defaults(schema: Mapping, takes_any: bool) -> Mapping:
    """Defaults are not served: they say which parameters may be left out."""
    properties = schema.get("properties")
    for entry in properties.entries.values() if isinstance(properties, Mapping) else ():
        if isinstance(entry.value, Mapping):
            entry.value.entries.pop("default", None)
    return schema


FRAMEWORK = Framework(
    "python-swarm",
    packages={"swarm": ("Swarm", "Agent", "Response", "Result")},
    signs=("from swarm import", "import swarm"),
    hands_over_by_returning=True,
    text=RAW,
    injected_names=("context_variables",),
    reshape=_without_defaults,
    untyped="string",
)
