"""Reports built by hand, so that the reporters are tested without the engine."""

from __future__ import annotations

from typing import Any

import pytest

from toolsurface_lint.model.diagnostics import (
    AppliedFix,
    Diagnostic,
    Location,
    Related,
    Report,
    Rule,
    Skipped,
    SurfaceSummary,
    TextEdit,
)
from toolsurface_lint.source.text import SourceText, Span


class Builder:
    """Collects files and diagnostics; places are given by the text that they hold."""

    def __init__(self) -> None:
        self.sources: dict[str, SourceText] = {}
        self.diagnostics: list[Diagnostic] = []

    def file(self, path: str, text: str) -> None:
        self.sources[path] = SourceText(path, text)

    def at(self, path: str, text: str, nth: int = 0) -> Location:
        """The place of the nth occurrence of a text."""
        whole = self.sources[path].text
        start = whole.index(text)
        for _ in range(nth):
            start = whole.index(text, start + 1)
        return self.span(path, start, start + len(text))

    def span(self, path: str, start: int, end: int) -> Location:
        span = Span(start, end)
        return Location(path, self.sources[path].lines.range(span), span)

    def add(
        self,
        code: str,
        severity: str,
        message: str,
        location: Location | None,
        related: tuple[tuple[str, Location], ...] = (),
        **fields: Any,
    ) -> Diagnostic:
        notes = tuple(Related(*pair) for pair in related)
        diagnostic = Diagnostic(code, severity, message, location, notes, **fields)
        self.diagnostics.append(diagnostic)
        return diagnostic

    def fix(self, title: str, *edits: tuple[Location, str], safe: bool = True) -> AppliedFix:
        return AppliedFix(title, safe, tuple(TextEdit(*edit) for edit in edits))

    def report(self, **fields: Any) -> Report:
        return Report(tuple(self.diagnostics), sources=self.sources, **fields)


@pytest.fixture
def build() -> Builder:
    return Builder()


TOOLS = """\
[
  {"name": "read_file", "description": "Reads a file."},
  {"name": "search", "parameters": {"type": "object"}}
]
"""
PROMPT = "Use `read_flie` to look at a file.\n\nThen call search(query).\n"


@pytest.fixture
def sample(build: Builder) -> Report:
    """A small surface: three findings of three severities in two files, one with a related place and a fix."""
    build.file("prompts/system.md", PROMPT)
    build.file("tools.json", TOOLS)
    build.add(
        "PROMPT_UNKNOWN_TOOL",
        "error",
        "`read_flie` is no tool of this surface; did you mean `read_file`?",
        build.at("prompts/system.md", "read_flie"),
        (("`read_file` is declared here", build.at("tools.json", '"read_file"')),),
        surface="default",
        fix=build.fix(
            "replace with `read_file`", (build.at("prompts/system.md", "read_flie"), "read_file"), safe=False
        ),
    )
    build.add(
        "TOOL_MISSING_SCHEMA",
        "warning",
        "tool `read_file` has no parameter schema",
        build.at("tools.json", '"read_file"'),
        tool="read_file",
        field="parameters",
        surface="default",
        help="add `parameters`, an object schema",
    )
    build.add(
        "TOOL_MISSING_DESCRIPTION", "info", "tool `search` has no description", build.at("tools.json", '"search"')
    )
    return build.report(
        surfaces=(
            SurfaceSummary("default", False, False, ("read_file", "search"), ("prompts/system.md", "tools.json")),
        ),
        skipped=(Skipped("notes.txt", "not recognised"),),
        counts={"files": 2, "surfaces": 1, "tools": 2, "prompts": 1},
        rules=(
            Rule(
                *("PROMPT_UNKNOWN_TOOL", "error", "A prompt names a tool that is not declared", "x", "0.1.0"),
                fix="unsafe",
                tags=("prompts",),
            ),
            Rule("TOOL_MISSING_DESCRIPTION", "warning", "A tool has no description", "x", "0.1.0", tags=("tools",)),
            Rule(
                *("TOOL_MISSING_SCHEMA", "warning", "A tool has no parameter schema", "x", "0.1.0"),
                preview=True,
                tags=("tools", "schemas"),
            ),
            Rule("TOOL_NEVER_SEEN", "error", "A rule that did not fire", "x", "0.1.0", tags=("security", "policy")),
        ),
    )
