"""`toolsurface-lint config`: what holds, and where it comes from."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.cli.config import describe, text
from toolsurface_lint.project.settings import Settings
from toolsurface_lint.project.settings.description import describe_settings
from toolsurface_lint.project.settings.loading import load_settings
from toolsurface_lint.project.settings.toml import toml_key, toml_value

SETTINGS = """\
ignore = ["TOOL_NAME"]
fail-on = "warning"
model = "m"
kinds = {"*.txt" = "prompt"}

[severity]
TOOL_SURFACE_MISSING_SCHEMA = "off"

[[per-file-ignores]]
path = "a/**"
codes = "POLICY"

[[surface]]
name = "coder"
tools = "tools/*.json"
provider = "gemini"

[[surface.call-rules]]
tool = "pay"
requires = "approve"
failure-when = {pointer = "/ok", value = false}
[[surface.dispatchers]]
tool = "run"
name = "tool"
arguments = "with"
"""


@pytest.fixture
def written(folder):
    (folder / "toolsurface.toml").write_text(SETTINGS, encoding="utf-8")
    return folder


def test_every_setting_has_its_origin(run, written):
    done = run("config", "--output", "json")
    assert (done.returncode, done.stderr) == (0, "")
    value = json.loads(done.stdout)
    assert (value["file"], value["root"]) == ("toolsurface.toml", ".")
    settings, (surface,) = value["settings"], value["surfaces"]
    assert settings["ignore"] == {"value": ["TOOL_NAME"], "origin": "toolsurface.toml:1:1"}
    assert settings["severity"] == {"value": {"TOOL_SURFACE_MISSING_SCHEMA": "off"}, "origin": "toolsurface.toml:6:2"}
    assert settings["exclude"] == {"value": [], "origin": "default"}
    assert settings["select"] == {"value": None, "origin": "default"}
    assert settings["kinds"]["value"] == {"*.txt": "prompt"}
    assert settings["per-file-ignores"]["value"] == [{"path": "a/**", "codes": ["POLICY"]}]
    assert surface["name"] == {"value": "coder", "origin": "toolsurface.toml:14:1"}
    assert surface["provider"] == {"value": ["gemini"], "origin": "toolsurface.toml:16:1"}
    # Inherited.
    assert surface["model"] == {"value": "m", "origin": "toolsurface.toml:3:1"}
    rule = {"tool": "pay", "requires": ["approve"], "failure-when": [{"pointer": "/ok", "value": False}]}
    assert surface["call-rules"]["value"] == [rule]
    assert surface["dispatchers"]["value"] == [{"tool": "run", "name": "tool", "arguments": "with"}]


def test_a_path_that_is_not_there(run, written):
    done = run("config", "nowhere")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "toolsurface-lint: nowhere: no such file or folder\n"


def test_text(run, written):
    lines = run("config").stdout.split("\n")
    assert lines[:3] == [
        "# settings of toolsurface.toml",
        "# paths are relative to .",
        'fail-on = "warning"  # toolsurface.toml:2:1',
    ]
    assert "exclude = []  # default" in lines
    assert "# select is not set" in lines
    assert lines[lines.index("[[surface]]") + 1] == 'name = "coder"  # toolsurface.toml:14:1'


def test_the_text_is_a_settings_file_that_means_the_same(run, written, tmp_path):
    before = describe_settings(load_settings([str(written)]))
    (written / "toolsurface.toml").write_text(run("config").stdout, encoding="utf-8")
    assert describe_settings(load_settings([str(written)])) == before


def test_pyproject(run, folder):
    (folder / "pyproject.toml").write_text('[tool.toolsurface-lint]\nfail-on = "info"\n', encoding="utf-8")
    assert 'fail-on = "info"  # pyproject.toml:2:1\n' in run("config").stdout


def test_defaults(run, folder, written):
    assert run("config", "--isolated").stdout.startswith("# no settings file: these are the defaults\n")
    assert 'fail-on = "error"  # default\n' in run("config", "--isolated").stdout
    (folder / "other.toml").write_text('fail-on = "never"\n', encoding="utf-8")
    assert 'fail-on = "never"  # other.toml:1:1\n' in run("config", "--config", "other.toml").stdout


def test_every_default_has_a_text():
    described = describe(Settings("/nowhere"))
    assert 'fail-on = "error"  # default\n' in text(described)


def test_wrong_settings(run, folder):
    (folder / "toolsurface.toml").write_text("fail-on = 1\n", encoding="utf-8")
    done = run("config")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("toolsurface-lint: toolsurface.toml:1:11: `fail-on` must be")


TEXT = st.text(st.characters(codec="utf-8"))
VALUES = st.recursive(
    st.booleans() | st.integers(-(2**60), 2**60) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


@given(TEXT, VALUES)
def test_toml_is_read_back(key, value):
    import tomli

    assert tomli.loads(f"{toml_key(key)} = {toml_value(value)}") == {key: value}
