"""JUnit's XML, against the shape that build servers agree on, and as `junitparser` reads it."""

import xml.etree.ElementTree as ElementTree

import pytest

from toolsurface_lint.model.diagnostics import Skipped, SurfaceSummary
from toolsurface_lint.reporters import render

# Element: its attributes, its children.
SHAPE = {
    "testsuites": ({"name", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors", "skipped", "time"}, {"testcase"}),
    "testcase": ({"name", "classname", "time"}, {"failure", "skipped"}),
    "failure": ({"type", "message"}, set()),
    "skipped": ({"message"}, set()),
}


def parsed(report):
    text = render("junit", report)
    assert text.isascii()
    root = ElementTree.fromstring(text)
    assert root.tag == "testsuites"
    for element in root.iter():
        attributes, children = SHAPE[element.tag]
        assert set(element.attrib) == attributes
        assert {child.tag for child in element} <= children
    for suites in [[root], root.findall("testsuite")]:
        for suite in suites:
            assert int(suite.get("tests")) == len(list(suite.iter("testcase")))
            assert int(suite.get("failures")) == len(list(suite.iter("failure")))
    return root


def test_a_sample(sample):
    root = parsed(sample)
    assert [(suite.get("name"), suite.get("tests"), suite.get("failures")) for suite in root] == [
        ("prompts/system.md", "1", "1"),
        ("tools.json", "2", "2"),
        ("notes.txt", "1", "0"),
    ]
    case = root[1][0]
    assert case.attrib == {"name": "TOOL_MISSING_SCHEMA 2:12", "classname": "tools.json", "time": "0"}
    assert case[0].attrib == {"type": "warning", "message": "tool `read_file` has no parameter schema"}
    assert case[0].text == (
        "tools.json:2:12: warning[TOOL_MISSING_SCHEMA] tool `read_file` has no parameter schema\n"
        "help: add `parameters`, an object schema"
    )
    assert root[2][0][0].attrib == {"message": "not recognised"}


def test_a_clean_file_is_a_passed_test(build):
    build.file("tools.json", "[]")
    surfaces = (SurfaceSummary("default", True, False, (), ("tools.json",)),)
    root = parsed(build.report(surfaces=surfaces))
    assert [(case.get("classname"), len(case)) for case in root.iter("testcase")] == [("tools.json", 0)]


def test_text_from_linted_files_stays_text(build):
    hostile = '<a href="x">&amp; \']]> \x00\x1b[31m \ufffe\uffff \ud800 \U0001f600\n\t'
    build.file("a&b<.json", "x")
    build.add("SOME_CODE", "error", hostile, build.at("a&b<.json", "x"), help=hostile)
    report = build.report(skipped=(Skipped("notes.txt", hostile),))
    root = parsed(report)
    assert root[0].get("name") == "a&b<.json"
    shown = '<a href="x">&amp; \']]> \\x00\\x1b[31m \ufffd\ufffd \\ud800 \U0001f600\\n\\t'
    assert root[0][0][0].get("message") == shown
    assert root[0][0][0].text == f"a&b<.json:1:1: error[SOME_CODE] {shown}\nhelp: {shown}"


def test_a_real_consumer_reads_it(sample, tmp_path):
    junitparser = pytest.importorskip("junitparser")
    file = tmp_path / "report.xml"
    file.write_text(render("junit", sample), encoding="utf-8")
    read = junitparser.JUnitXml.fromfile(str(file))
    suites = list(read)
    assert [(suite.name, suite.tests, suite.failures, suite.skipped) for suite in suites] == [
        ("prompts/system.md", 1, 1, 0),
        ("tools.json", 2, 2, 0),
        ("notes.txt", 1, 0, 1),
    ]
    counted = (read.tests, read.failures, read.errors)
    read.update_statistics()
    assert (read.tests, read.failures, read.errors) == counted == (4, 3, 0)
    (failure,) = next(iter(suites[0])).result
    assert failure.message == "`read_flie` is no tool of this surface; did you mean `read_file`?"
