"""toolsurface-lint: a static analyser for everything that a tool-calling loop depends on.

The names of the public API are resolved on first use (PEP 562), so that importing the package costs nothing.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from toolsurface_lint.api import check_paths as check_paths
    from toolsurface_lint.api import compare_paths as compare_paths
    from toolsurface_lint.api import tool_surface_validate as tool_surface_validate
    from toolsurface_lint.api import transcript_stats as transcript_stats
    from toolsurface_lint.api import transcript_validate as transcript_validate
    from toolsurface_lint.api import workflow_validate as workflow_validate
    from toolsurface_lint.checks.sentences import describe as describe
    from toolsurface_lint.checks.template.runtime import lint_template as lint_template
    from toolsurface_lint.model.coverage import Coverage as Coverage
    from toolsurface_lint.model.coverage import FileCoverage as FileCoverage
    from toolsurface_lint.model.coverage import Loss as Loss
    from toolsurface_lint.model.coverage import OpenSurface as OpenSurface
    from toolsurface_lint.model.diagnostics import AppliedFix as AppliedFix
    from toolsurface_lint.model.diagnostics import Compared as Compared
    from toolsurface_lint.model.diagnostics import Diagnostic as Diagnostic
    from toolsurface_lint.model.diagnostics import Location as Location
    from toolsurface_lint.model.diagnostics import Related as Related
    from toolsurface_lint.model.diagnostics import Report as Report
    from toolsurface_lint.model.diagnostics import Rule as Rule
    from toolsurface_lint.model.diagnostics import Skipped as Skipped
    from toolsurface_lint.model.diagnostics import StaleEntry as StaleEntry
    from toolsurface_lint.model.diagnostics import Suppressed as Suppressed
    from toolsurface_lint.model.diagnostics import SurfaceSummary as SurfaceSummary
    from toolsurface_lint.model.diagnostics import TextEdit as TextEdit
    from toolsurface_lint.model.diagnostics import TranscriptSummary as TranscriptSummary
    from toolsurface_lint.model.patterns import glob_match as glob_match
    from toolsurface_lint.model.unseen import Unseen as Unseen
    from toolsurface_lint.project.discovery import PathMissing as PathMissing
    from toolsurface_lint.project.settings import SettingsError as SettingsError
    from toolsurface_lint.protocols.arguments import normalise_arguments as normalise_arguments
    from toolsurface_lint.protocols.arguments import validate_arguments as validate_arguments
    from toolsurface_lint.protocols.calls import Call as Call
    from toolsurface_lint.protocols.calls import CallError as CallError
    from toolsurface_lint.protocols.calls import Calls as Calls
    from toolsurface_lint.protocols.recognition import parse_calls as parse_calls
    from toolsurface_lint.protocols.recognition import parse_response as parse_response
    from toolsurface_lint.protocols.recognition import recognise_protocol as recognise_protocol
    from toolsurface_lint.protocols.rendering import render_template as render_template
    from toolsurface_lint.protocols.response import Block as Block
    from toolsurface_lint.protocols.response import Response as Response
    from toolsurface_lint.protocols.template_parser import parse_template as parse_template
    from toolsurface_lint.protocols.templates import Template as Template
    from toolsurface_lint.protocols.templates import TemplateError as TemplateError
    from toolsurface_lint.protocols.wire import canonical_to_wire as canonical_to_wire
    from toolsurface_lint.protocols.wire import reserves_tool_call_token as reserves_tool_call_token
    from toolsurface_lint.protocols.wire import wire_to_canonical as wire_to_canonical
    from toolsurface_lint.run.rows import Linter as Linter
    from toolsurface_lint.run.rows import RowFinding as RowFinding
    from toolsurface_lint.source.problem import Problem as Problem
    from toolsurface_lint.source.text import Position as Position
    from toolsurface_lint.source.text import Range as Range
    from toolsurface_lint.source.text import SourceText as SourceText
    from toolsurface_lint.source.text import Span as Span

_NAMES = {
    "api": (
        "check_paths",
        "compare_paths",
        "tool_surface_validate",
        "transcript_stats",
        "transcript_validate",
        "workflow_validate",
    ),
    "checks.sentences": ("describe",),
    "checks.template.runtime": ("lint_template",),
    "model.coverage": ("Coverage", "FileCoverage", "Loss", "OpenSurface"),
    "model.diagnostics": (
        "AppliedFix",
        "Compared",
        "Diagnostic",
        "Location",
        "Related",
        "Report",
        "Rule",
        "Skipped",
        "StaleEntry",
        "Suppressed",
        "SurfaceSummary",
        "TextEdit",
        "TranscriptSummary",
    ),
    "model.patterns": ("glob_match",),
    "model.unseen": ("Unseen",),
    "project.discovery": ("PathMissing",),
    "project.settings": ("SettingsError",),
    "protocols.arguments": ("normalise_arguments", "validate_arguments"),
    "protocols.calls": ("Call", "CallError", "Calls"),
    "protocols.recognition": ("parse_calls", "parse_response", "recognise_protocol"),
    "protocols.rendering": ("render_template",),
    "protocols.response": ("Block", "Response"),
    "protocols.template_parser": ("parse_template",),
    "protocols.templates": ("Template", "TemplateError"),
    "protocols.wire": ("canonical_to_wire", "reserves_tool_call_token", "wire_to_canonical"),
    "run.rows": ("Linter", "RowFinding"),
    "source.problem": ("Problem",),
    "source.text": ("Position", "Range", "SourceText", "Span"),
}
"""The public names by the module that defines them."""

_MODULES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = ["__version__", *_MODULES]


def __getattr__(name: str) -> Any:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{module}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
