"""Diagnostics as the protocol has them."""

from __future__ import annotations

from collections.abc import Callable

from lsprotocol import types

from toolsurface_lint.checks import pages as rule_pages
from toolsurface_lint.model.diagnostics import ERROR, INFO, WARNING, Diagnostic, Location

SOURCE = "toolsurface-lint"

_SEVERITIES = {
    ERROR: types.DiagnosticSeverity.Error,
    WARNING: types.DiagnosticSeverity.Warning,
    INFO: types.DiagnosticSeverity.Information,
}
_TAGS = {
    "SUPPRESSION_UNUSED": types.DiagnosticTag.Unnecessary,
    "TOOL_SURFACE_DEPRECATED_ARG_ALIAS": types.DiagnosticTag.Deprecated,
    "CALL_DEPRECATED_ALIAS": types.DiagnosticTag.Deprecated,
}


def to_protocol(diagnostic: Diagnostic, locate: Callable[[Location], types.Location]) -> types.Diagnostic:
    """One diagnostic with its page, its help and its related places; `locate` knows where locations lie for the client."""
    assert diagnostic.location is not None
    message = diagnostic.message if diagnostic.help is None else f"{diagnostic.message}\nhelp: {diagnostic.help}"
    tag = _TAGS.get(diagnostic.code)
    url = rule_pages.url_of(diagnostic)
    return types.Diagnostic(
        range=locate(diagnostic.location).range,
        severity=_SEVERITIES[diagnostic.severity],
        code=diagnostic.code,
        code_description=None if url is None else types.CodeDescription(href=url),
        source=SOURCE,
        message=message,
        tags=None if tag is None else [tag],
        related_information=[
            types.DiagnosticRelatedInformation(locate(related.location), related.message)
            for related in diagnostic.related
        ]
        or None,
    )
