"""The schema of the settings: as generated, complete, and of one mind with the reader of the settings.

`python -m tests.regenerate` rewrites the shipped file.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import toolsurface_lint
from tests.regenerate import UPDATE
from tests.settings_schema import FILE, settings_schema
from toolsurface_lint.project.settings import SettingsError, own_rules, reading
from toolsurface_lint.project.settings.loading import load_settings
from toolsurface_lint.project.settings.toml import toml_value
from toolsurface_lint.reporters.json import dump

SHIPPED = Path(toolsurface_lint.__file__).with_name(FILE)


@pytest.mark.generated
def test_the_shipped_file_is_what_is_generated() -> None:
    text = dump(settings_schema(), 4) + "\n"
    if UPDATE:
        SHIPPED.write_text(text, encoding="utf-8")
    assert SHIPPED.read_text(encoding="utf-8") == text


def test_it_is_a_schema_with_all_keys() -> None:
    schema = settings_schema()
    jsonschema.Draft7Validator.check_schema(schema)
    definitions = schema["definitions"]
    assert list(schema["properties"]) == list(reading.SETTINGS)
    assert set(definitions["surface"]["properties"]) == set(reading.SURFACE)
    assert set(definitions["dispatcher"]["properties"]) == set(reading.DISPATCHER)
    assert set(definitions["per-file-ignore"]["properties"]) == set(reading.PER_FILE_IGNORE)
    assert set(definitions["rule"]["properties"]) == set(own_rules.RULE)
    keys = [*schema["properties"].values(), *definitions["surface"]["properties"].values()]
    assert all(key["description"].endswith(".") for key in keys)


CASES: list[tuple[dict[str, Any], bool]] = [
    ({}, True),
    ({"fail-on": "never", "ignore": "TOOL_SURFACE", "select": ["ALL"], "extend-select": ["TOOL_NAME_"]}, True),
    ({"severity": {"TOOL_NAME_VAGUE": "off"}, "kinds": {"*.txt": "response"}, "exclude": "vendor"}, True),
    ({"per-file-ignores": [{"path": "*", "codes": ["POLICY"], "pointer": "/a"}], "max-file-size": 1}, True),
    ({"per-file-ignores": [{"path": "*", "codes": "ALL", "reason": "old", "until": "2030-01-31"}]}, True),
    ({"surface": [{"name": "a", "tools": "*", "dispatchers": [{"tool": "t", "name": "n", "arguments": "a"}]}]}, True),
    ({"surface": [{"name": "a", "model": "m", "wire-remap": True, "tool-search": False, "many-tools": 3}]}, True),
    ({"builtin-tools": {"claude-code": ["Mine"]}}, True),
    (
        {
            "protocol": "tagged",
            "done-sentinel": "",
            "provider": "openai",
            "context-budget": 9,
            "template-variables": [],
        },
        True,
    ),
    ({"failon": "error"}, False),
    ({"fail-on": "hint"}, False),
    ({"ignore": ["TOOL_SURF"]}, False),
    ({"ignore": [1]}, False),
    ({"severity": {"TOOL_NAME_VAGUE": "fatal"}}, False),
    ({"severity": {"TOOL_NAME": "off"}}, False),
    ({"kinds": {"*": "tool"}}, False),
    ({"surface": {"name": "a"}}, False),
    ({"surface": [{"tools": "*"}]}, False),
    ({"surface": [{"name": "a", "tool": "*"}]}, False),
    ({"surface": [{"name": "a", "dispatchers": [{"tool": "t"}]}]}, False),
    ({"call-rules": [{"tool": "t", "requires": "u", "failure-when": "*no*"}]}, True),
    ({"call-rules": [{"tool": "t", "failure-when": ["*no*", {"pointer": "/a", "value": 1}]}]}, True),
    ({"surface": [{"name": "a", "call-rules": [{"tool": "t", "requires": ["u"]}]}]}, True),
    ({"call-rules": [{"requires": "u"}]}, False),
    ({"call-rules": [{"tool": "t", "failure-when": [1]}]}, False),
    ({"call-rules": [{"tool": "t", "failure-when": {"pointer": "/a"}}]}, False),
    ({"call-rules": [{"tool": "t", "failure-when": {"pointer": "/a", "value": ["x"]}}]}, False),
    ({"per-file-ignores": [{"path": "*"}]}, False),
    ({"per-file-ignores": [{"path": "*", "codes": "POLICY", "pointer": "a"}]}, False),
    ({"per-file-ignores": [{"path": "*", "codes": "POLICY", "until": "31.1.2030"}]}, False),
    ({"per-file-ignores": [{"path": "*", "codes": "POLICY", "reason": 1}]}, False),
    ({"max-file-size": 0}, False),
    ({"max-file-size": True}, False),
    ({"tool-search": "yes"}, False),
    ({"wire-remap": True}, False),
    ({"protocol": "xml"}, False),
    ({"builtin-tools": {"nobody": []}}, False),
    ({"client-versions": {"claude-code": "2.1.163"}}, True),
    ({"client-versions": {"claude-code": "latest"}}, False),
    ({"client-versions": {"claude-code": 2}}, False),
    ({"client-versions": {"nobody": "1"}}, False),
    ({"rule": [{"code": "ACME_A", "subject": "tool", "assert": {"name": "a"}, "message": "m"}]}, True),
    ({"rule": [{"code": "ACME_A", "subject": "call", "assert": {"tool": {"deferred": False}}, "message": "m"}]}, True),
    ({"rule": [{"code": "acme", "subject": "tool", "assert": {"name": "a"}, "message": "m"}]}, False),
    ({"rule": [{"code": "ACME_A", "subject": "file", "assert": {"name": "a"}, "message": "m"}]}, False),
    ({"rule": [{"code": "ACME_A", "subject": "tool", "message": "m"}]}, False),
    ({"rule": [{"code": "ACME_A", "subject": "tool", "assert": {"name": {"length": {}}}, "message": "m"}]}, False),
    ({"rule": [{"code": "ACME_A", "subject": "tool", "assert": {"name": {"unique": False}}, "message": "m"}]}, False),
    ({"plugins": 1}, False),
]


@pytest.mark.parametrize(("settings", "valid"), CASES, ids=lambda value: str(value)[:60])
def test_it_agrees_with_the_reader(settings: dict[str, Any], valid: bool, tmp_path: Path) -> None:
    text = "".join(f"{key} = {toml_value(value)}\n" for key, value in settings.items())
    assert tomllib.loads(text) == settings
    file = tmp_path / "toolsurface.toml"
    file.write_text(text, encoding="utf-8")
    assert jsonschema.Draft7Validator(settings_schema()).is_valid(settings) == valid
    try:
        load_settings([str(tmp_path)], str(file))
        accepted = True
    except SettingsError:
        accepted = False
    assert accepted == valid
