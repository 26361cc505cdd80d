"""JUnit's XML, which nearly every build server shows: a suite for each file, a failure for each finding.

There is no standard; this is the subset that Jenkins' schema, GitLab and `junitparser` agree on. A file without a finding is
a passed test, so that clean means checked; a skipped file is a skipped test.
"""

from __future__ import annotations

import re
from functools import cache, partial
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from toolsurface_lint.model.diagnostics import Diagnostic, Report
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
    tests = sum(max(len(diagnostics), 1) for diagnostics in by_file.values()) + len(report.skipped)
    root = Element("testsuites", _counts(_NAME, tests, len(report.diagnostics)))
    for path, diagnostics in sorted(by_file.items()):
        name = _text(visible(known_as(path) if path else _NAME))
        counts = _counts(name, max(len(diagnostics), 1), len(diagnostics))
        suite = SubElement(root, "testsuite", counts, skipped="0", time="0")
        for diagnostic in diagnostics:
            _add_failure(suite, name, diagnostic)
        if not diagnostics:
            SubElement(suite, "testcase", name=_NAME, classname=name, time="0")
    for skipped in report.skipped:
        name = _text(visible(known_as(skipped.path)))
        suite = SubElement(root, "testsuite", _counts(name, 1, 0), skipped="1", time="0")
        case = SubElement(suite, "testcase", name=_NAME, classname=name, time="0")
        position = "" if skipped.line is None else f"{skipped.line}:{skipped.column}: "
        SubElement(case, "skipped", message=_text(position + visible(skipped.reason)))
    indent(root)
    # In ASCII it passes through every terminal and code page unharmed.
    text: bytes = tostring(root, "us-ascii", xml_declaration=True)
    return text.decode("ascii") + "\n"


def _counts(name: str, tests: int, failures: int) -> dict[str, str]:
    return {"name": name, "tests": str(tests), "failures": str(failures), "errors": "0"}


def _add_failure(suite: Element, name: str, diagnostic: Diagnostic) -> None:
    location = diagnostic.location
    position = f" {location.range.start.line}:{location.range.start.column}" if location else ""
    case = SubElement(suite, "testcase", name=f"{diagnostic.code}{position}", classname=name, time="0")
    message = _text(visible(diagnostic.message))
    help = f"\nhelp: {visible(diagnostic.help)}" if diagnostic.help else ""
    failure = SubElement(case, "failure", type=diagnostic.severity, message=message)
    failure.text = _text(line(diagnostic) + help)


def _text(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
