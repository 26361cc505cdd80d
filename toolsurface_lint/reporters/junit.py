"""JUnit's XML, which nearly every build server shows: a suite for each file, a failure for each finding.

There is no standard; this is the subset that Jenkins' schema, GitLab and `junitparser` agree on. A file without a finding is
a passed test, so that clean means checked; a skipped file is a skipped test.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, partial

from toolsurface_lint.model.diagnostics import Diagnostic, Report, Skipped
from toolsurface_lint.reporters import RenderOptions
from toolsurface_lint.reporters.characters import visible
from toolsurface_lint.reporters.concise import line
from toolsurface_lint.reporters.paths import from_root

_NAME = "toolsurface-lint"

# What XML 1.0 has no way to write, not even as a reference; control characters are made visible before.
_FORBIDDEN = re.compile("[\ufffe\uffff]")


def render(report: Report, options: RenderOptions) -> str:
    known_as = cache(partial(from_root, root=options.root))
    by_file: dict[str, list[Diagnostic]] = {path: [] for surface in report.surfaces for path in surface.files}
    for diagnostic in report.diagnostics:
        by_file.setdefault(diagnostic.location.path if diagnostic.location else "", []).append(diagnostic)
    suites = [_suite(known_as(path) if path else _NAME, by_file[path]) for path in sorted(by_file)]
    suites += [_skipped(known_as(skipped.path), skipped) for skipped in report.skipped]
    tests = sum(max(len(diagnostics), 1) for diagnostics in by_file.values()) + len(report.skipped)
    failures = len(report.diagnostics)
    head = f'<testsuites name="{_NAME}" tests="{tests}" failures="{failures}" errors="0">'
    text = "\n".join(['<?xml version="1.0" encoding="utf-8"?>', head, *suites, "</testsuites>"]) + "\n"
    # In ASCII it passes through every terminal and code page unharmed.
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii")


def _suite(path: str, diagnostics: list[Diagnostic]) -> str:
    name = _attribute(path)
    if not diagnostics:
        cases: Iterable[str] = [f'    <testcase name="{_NAME}" classname="{name}" time="0"/>']
    else:
        cases = [_case(name, diagnostic) for diagnostic in diagnostics]
    tests = max(len(diagnostics), 1)
    return "\n".join([_opening(name, tests, len(diagnostics), 0), *cases, "  </testsuite>"])


def _case(path: str, diagnostic: Diagnostic) -> str:
    location = diagnostic.location
    position = f" {location.range.start.line}:{location.range.start.column}" if location else ""
    message = _attribute(diagnostic.message)
    text = line(diagnostic)
    if diagnostic.help:
        text += f"\nhelp: {visible(diagnostic.help)}"
    return (
        f'    <testcase name="{diagnostic.code}{position}" classname="{path}" time="0">\n'
        f'      <failure type="{diagnostic.severity}" message="{message}">{_escaped(text)}</failure>\n'
        "    </testcase>"
    )


def _skipped(path: str, skipped: Skipped) -> str:
    name = _attribute(path)
    return (
        f"{_opening(name, 1, 0, 1)}\n"
        f'    <testcase name="{_NAME}" classname="{name}" time="0">\n'
        f'      <skipped message="{_attribute(skipped.reason)}"/>\n'
        "    </testcase>\n"
        "  </testsuite>"
    )


def _opening(name: str, tests: int, failures: int, skipped: int) -> str:
    counts = f'tests="{tests}" failures="{failures}" errors="0" skipped="{skipped}"'
    return f'  <testsuite name="{name}" {counts} time="0">'


def _attribute(text: str) -> str:
    return _escaped(visible(text)).replace('"', "&quot;")


def _escaped(text: str) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _FORBIDDEN.sub("\ufffd", text)
