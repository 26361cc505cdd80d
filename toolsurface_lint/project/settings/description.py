"""Settings as a settings file would say them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolsurface_lint.project.settings import Settings, SurfaceSettings
from toolsurface_lint.project.settings.reading import SETTINGS, SURFACE
from toolsurface_lint.project.settings.values import attribute_of


def describe_settings(settings: Settings) -> dict[str, Any]:
    """Every setting by its key, as a settings file writes it; None where there is no value.

    In `surface` are tables of the same kind, with what they inherit.
    """
    described = {key: _plain(getattr(settings, attribute_of(key))) for key in SETTINGS if key != "rule"}
    # As they are written: what they extend is said by `extends`.
    written = None if settings.table is None else settings.table.find("rule")
    return {**described, "rule": [] if written is None else written.value}


def _plain(value: Any) -> Any:
    if isinstance(value, SurfaceSettings):
        return {key: _plain(getattr(value, attribute_of(key))) for key in SURFACE}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {key.replace("_", "-"): _plain(field) for key, field in value._asdict().items() if field is not None}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return value
