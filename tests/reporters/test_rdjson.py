"""Reviewdog's format, against a schema of its messages, with columns in bytes."""

import json

import jsonschema

from toolsurface_lint.checks import pages as rule_pages
from toolsurface_lint.reporters import RenderOptions, render


def strict(required, optional=()):
    properties = {**required, **dict(optional)}
    return {"type": "object", "required": list(required), "properties": properties, "additionalProperties": False}


POSITION = strict({name: {"type": "integer", "minimum": 1} for name in ("line", "column")})
RANGE = strict({"start": POSITION, "end": POSITION})
LOCATION = strict({"path": {"type": "string"}}, {"range": RANGE})
TEXT = {"type": "string", "minLength": 1}
DIAGNOSTIC = strict(
    {
        "message": TEXT,
        "location": LOCATION,
        "severity": {"enum": ["ERROR", "WARNING", "INFO"]},
        "code": strict({"value": TEXT, "url": {"type": "string", "pattern": "^https://"}}),
    },
    {
        "suggestions": {"type": "array", "items": strict({"range": RANGE, "text": {"type": "string"}})},
        "related_locations": {"type": "array", "items": strict({"message": TEXT, "location": LOCATION})},
    },
)
SCHEMA = strict({"source": strict({"name": TEXT, "url": TEXT}), "diagnostics": {"type": "array", "items": DIAGNOSTIC}})


def diagnostics(report, **options):
    value = json.loads(render("rdjson", report, RenderOptions(**options)))
    jsonschema.validate(value, SCHEMA)
    assert value["source"]["name"] == "toolsurface-lint"
    return value["diagnostics"]


def test_a_sample(sample):
    first, second, third = diagnostics(sample)
    assert first == {
        "message": "`read_flie` is no tool of this surface; did you mean `read_file`?",
        "location": {
            "path": "prompts/system.md",
            "range": {"start": {"line": 1, "column": 6}, "end": {"line": 1, "column": 15}},
        },
        "severity": "ERROR",
        "code": {"value": "PROMPT_UNKNOWN_TOOL", "url": rule_pages.url("PROMPT_UNKNOWN_TOOL")},
        "suggestions": [
            {"range": {"start": {"line": 1, "column": 6}, "end": {"line": 1, "column": 15}}, "text": "read_file"}
        ],
        "related_locations": [
            {
                "message": "`read_file` is declared here",
                "location": {
                    "path": "tools.json",
                    "range": {"start": {"line": 2, "column": 12}, "end": {"line": 2, "column": 23}},
                },
            }
        ],
    }
    assert second["message"] == "tool `read_file` has no parameter schema\nadd `parameters`, an object schema"
    assert third["severity"] == "INFO"


def test_columns_count_bytes(build):
    build.file("a.md", "one\n\U0001f600 \u00e9 name here")
    build.add("SOME_CODE", "error", "m", build.at("a.md", "name"))
    (found,) = diagnostics(build.report())
    start, end = found["location"]["range"]["start"], found["location"]["range"]["end"]
    assert (start, end) == ({"line": 2, "column": 9}, {"line": 2, "column": 13})
    line = "\U0001f600 \u00e9 name here".encode()
    assert line[start["column"] - 1 : end["column"] - 1] == b"name"


def test_only_a_single_edit_in_its_own_file_is_a_suggestion(build):
    build.file("a.md", "one two")
    build.file("b.md", "one two")
    one, two = build.at("a.md", "one"), build.at("a.md", "two")
    build.add("SOME_CODE", "error", "m", one, fix=build.fix("t", (one, "1"), (two, "2")))
    build.add("SOME_CODE", "error", "m", one, fix=build.fix("t", (build.at("b.md", "one"), "1")))
    assert all("suggestions" not in found for found in diagnostics(build.report()))


def test_a_finding_without_a_place(build):
    build.file("a.md", "x")
    build.add("SOME_CODE", "error", "m", None)
    assert [found["location"] for found in diagnostics(build.report())] == [{"path": "a.md"}]
