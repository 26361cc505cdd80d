"""toolsurface-lint: a static analyser for everything that a tool-calling loop depends on.

The names of the public API are resolved on first use (PEP 562), so that importing the package costs nothing.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from toolsurface_lint.api import (
        check_paths as check_paths,
    )

_API = (
    "check_paths",
    "tool_surface_validate",
    "workflow_validate",
    "glob_match",
)

__all__ = ["__version__", *_API]


def __getattr__(name: str) -> Any:
    if name not in _API:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from toolsurface_lint import api

    return getattr(api, name)


def __dir__() -> list[str]:
    return sorted(__all__)
