"""toolsurface-lint: a static analyser for everything that a tool-calling loop depends on.

The names of the public API are resolved on first use (PEP 562), so that importing the package costs nothing.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from toolsurface_lint.api import check_paths as check_paths
    from toolsurface_lint.api import tool_surface_validate as tool_surface_validate
    from toolsurface_lint.api import transcript_stats as transcript_stats
    from toolsurface_lint.api import transcript_validate as transcript_validate
    from toolsurface_lint.api import workflow_validate as workflow_validate
    from toolsurface_lint.checks.template._reference import lint_template as lint_template
    from toolsurface_lint.model.patterns import glob_match as glob_match
    from toolsurface_lint.protocols.arguments import normalise_arguments as normalise_arguments
    from toolsurface_lint.protocols.arguments import validate_arguments as validate_arguments
    from toolsurface_lint.protocols.recognition import parse_calls as parse_calls
    from toolsurface_lint.protocols.recognition import parse_response as parse_response
    from toolsurface_lint.protocols.recognition import recognise_protocol as recognise_protocol
    from toolsurface_lint.protocols.rendering import render_template as render_template
    from toolsurface_lint.protocols.template_parser import parse_template as parse_template
    from toolsurface_lint.protocols.templates import TemplateError as TemplateError
    from toolsurface_lint.protocols.wire import canonical_to_wire as canonical_to_wire
    from toolsurface_lint.protocols.wire import reserves_tool_call_token as reserves_tool_call_token
    from toolsurface_lint.protocols.wire import wire_to_canonical as wire_to_canonical

_MODULES = {
    "check_paths": "api",
    "tool_surface_validate": "api",
    "workflow_validate": "api",
    "transcript_validate": "api",
    "transcript_stats": "api",
    "glob_match": "model.patterns",
    "parse_response": "protocols.recognition",
    "recognise_protocol": "protocols.recognition",
    "parse_calls": "protocols.recognition",
    "validate_arguments": "protocols.arguments",
    "normalise_arguments": "protocols.arguments",
    "parse_template": "protocols.template_parser",
    "render_template": "protocols.rendering",
    "lint_template": "checks.template._reference",
    "TemplateError": "protocols.templates",
    "canonical_to_wire": "protocols.wire",
    "wire_to_canonical": "protocols.wire",
    "reserves_tool_call_token": "protocols.wire",
}

__all__ = ["__version__", *_MODULES]


def __getattr__(name: str) -> Any:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{module}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
