"""GitLab's code quality report, against a schema of what its documentation asks for."""

import json
import os

import jsonschema

from toolsurface_lint.reporters import RenderOptions, render

SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "additionalProperties": False,
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "pattern": "^[A-Z_]+$"},
            "fingerprint": {"type": "string", "minLength": 1},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "additionalProperties": False,
                "properties": {
                    "path": {"type": "string", "not": {"pattern": r"^(/|\./)"}},
                    "lines": {
                        "type": "object",
                        "required": ["begin", "end"],
                        "additionalProperties": False,
                        "properties": {name: {"type": "integer", "minimum": 1} for name in ("begin", "end")},
                    },
                },
            },
        },
    },
}


def findings(report, **options):
    value = json.loads(render("gitlab", report, RenderOptions(**options)))
    jsonschema.validate(value, SCHEMA)
    return value


def test_a_sample(sample):
    found = findings(sample)
    assert [
        (item["check_name"], item["severity"], item["location"]["path"], item["location"]["lines"]) for item in found
    ] == [
        ("PROMPT_UNKNOWN_TOOL", "major", "prompts/system.md", {"begin": 1, "end": 1}),
        ("TOOL_MISSING_SCHEMA", "minor", "tools.json", {"begin": 2, "end": 2}),
        ("TOOL_MISSING_DESCRIPTION", "info", "tools.json", {"begin": 3, "end": 3}),
    ]
    assert found[1]["description"] == "tool `read_file` has no parameter schema"


def test_nothing_found_is_an_empty_list(build):
    assert render("gitlab", build.report()) == "[]\n"


def test_equal_findings_have_fingerprints_of_their_own(build):
    """GitLab shows only the first of several with one fingerprint."""
    build.file("a.md", "x x x")
    for nth in range(3):
        build.add("SOME_CODE", "error", "`x` is wrong", build.at("a.md", "x", nth))
    assert len({item["fingerprint"] for item in findings(build.report())}) == 3


def test_fingerprints_do_not_move_with_lines(build):
    build.file("a.md", "x")
    build.add("SOME_CODE", "error", "`x` is wrong", build.at("a.md", "x"))
    (before,) = findings(build.report())
    build.file("a.md", "\n\nx")
    build.diagnostics.clear()
    build.add("SOME_CODE", "error", "`x` is wrong", build.at("a.md", "x"))
    (after,) = findings(build.report())
    assert before["fingerprint"] == after["fingerprint"]
    assert (before["location"]["lines"]["begin"], after["location"]["lines"]["begin"]) == (1, 3)


def test_paths_are_relative_to_the_repository(build, tmp_path, monkeypatch):
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    build.file("a.md", "x")
    build.add("SOME_CODE", "error", "m", build.at("a.md", "x"))
    build.add("SOME_CODE", "error", "no place", None)
    assert [item["location"]["path"] for item in findings(build.report(), root=os.pardir)] == [
        "below/a.md",
        "below/a.md",
    ]
