import json

from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.reporters import render
from toolsurface_lint.reporters.json import dump

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def test_it_is_the_report_as_a_dict(sample):
    assert json.loads(render("json", sample)) == sample.to_dict()


def test_each_diagnostic_has_its_own_line(sample):
    lines = render("json", sample).split("\n")
    codes = [json.loads(line.strip().rstrip(","))["code"] for line in lines if line.startswith('    {"code"')]
    assert codes == ["PROMPT_UNKNOWN_TOOL", "TOOL_MISSING_SCHEMA", "TOOL_MISSING_DESCRIPTION"]


def test_first_keys_and_a_diagnostic_with_everything(sample):
    value = json.loads(render("json", sample))
    unchecked = ["open_reasons", "without_tools", "unread_tools"]
    assert list(value) == ["version", "valid", "summary", "skipped", *unchecked, "surfaces", "diagnostics"]
    assert value["diagnostics"][0] == {
        "code": "PROMPT_UNKNOWN_TOOL",
        "severity": "error",
        "message": "`read_flie` is no tool of this surface; did you mean `read_file`?",
        "path": "prompts/system.md",
        "range": {"start": {"line": 1, "column": 6}, "end": {"line": 1, "column": 15}},
        "tool": None,
        "field": None,
        "surface": "default",
        "related": [
            {
                "message": "`read_file` is declared here",
                "path": "tools.json",
                "range": {"start": {"line": 2, "column": 12}, "end": {"line": 2, "column": 23}},
            }
        ],
        "fix": {
            "title": "replace with `read_file`",
            "safe": False,
            "edits": [
                {
                    "path": "prompts/system.md",
                    "range": {"start": {"line": 1, "column": 6}, "end": {"line": 1, "column": 15}},
                    "text": "read_file",
                }
            ],
        },
    }


def test_empty_report():
    value = json.loads(render("json", Report(())))
    assert value["valid"] is True
    assert value["diagnostics"] == value["skipped"] == value["surfaces"] == []


def test_lone_surrogates_become_replacement_characters():
    assert json.loads(dump({"a": "x\ud800y\U0001f600\udc00"}, 1)) == {"a": "x\ufffdy\U0001f600\ufffd"}


def test_a_backslash_before_what_looks_like_a_surrogate_is_kept():
    assert json.loads(dump(["\\ud800", "\\\ud800", "\ud83d\\ude00"], 1)) == ["\\ud800", "\\\ufffd", "\ufffd\\ude00"]


@given(VALUES, st.integers(0, 5))
def test_the_layout_changes_no_value(value, depth):
    text = dump(value, depth)
    assert text.isascii()
    assert json.loads(text) == value
