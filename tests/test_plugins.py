"""Which files a plugin of Claude Code brings along, and what is checked in them because of that."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.files import write_files
from toolsurface_lint import check_paths

COMMAND = "---\ndescrption: Count the parcels\n---\nCount them.\n"
AGENT = "---\ndescription: Packs a parcel\nhooks: {}\n---\nPack it.\n"
SKILL = "---\nname: weigh\ndescription: Weighs a parcel\nuser_invocable: false\n---\nWeigh it.\n"
PLUGIN, MARKET = ".claude-plugin/plugin.json", ".claude-plugin/marketplace.json"


def manifest(**fields: object) -> str:
    return json.dumps({"name": "parcels", **fields})


def found(folder: Path) -> list[str]:
    diagnostics = check_paths([str(folder)], select=["POLICY_UNKNOWN_FIELD"]).diagnostics
    return [str(Path(each.location.path).relative_to(folder)) for each in diagnostics if each.location is not None]


@pytest.mark.parametrize(
    ("manifests", "file"),
    [
        ({PLUGIN: manifest()}, ("commands/count.md", COMMAND)),
        ({PLUGIN: manifest()}, ("commands/day/count.md", COMMAND)),
        ({PLUGIN: manifest()}, ("agents/packer.md", AGENT)),
        ({PLUGIN: manifest()}, ("skills/weigh/SKILL.md", SKILL)),
        ({PLUGIN: manifest(agents=["./people/packer.md"])}, ("people/packer.md", AGENT)),
        ({PLUGIN: manifest(commands="./all")}, ("all/count.md", COMMAND)),
        ({PLUGIN: manifest(commands={"count": {"source": "./all/count.md"}})}, ("all/count.md", COMMAND)),
        ({f"plugins/one/{PLUGIN}": manifest()}, ("plugins/one/commands/count.md", COMMAND)),
        # The manifest of a plugin may be missing if its marketplace says all.
        ({MARKET: manifest(plugins=[{"source": "./one"}])}, ("one/commands/count.md", COMMAND)),
        (
            {MARKET: manifest(metadata={"pluginRoot": "./plugins"}, plugins=[{"source": "one", "commands": "./all"}])},
            ("plugins/one/all/count.md", COMMAND),
        ),
        # A manifest that cannot be read is there all the same.
        ({PLUGIN: "{"}, ("commands/count.md", COMMAND)),
    ],
)
def test_files_of_plugins_are_claude_codes(tmp_path: Path, manifests: dict[str, str], file: tuple[str, str]) -> None:
    write_files(tmp_path, {**manifests, file[0]: file[1], ".git/HEAD": ""})
    assert found(tmp_path) == [file[0]]


@pytest.mark.parametrize(
    ("manifests", "file"),
    [
        ({}, ("commands/count.md", COMMAND)),
        ({PLUGIN: manifest()}, ("notes/commands/count.md", COMMAND)),
        ({PLUGIN: manifest()}, ("commands/README.md", COMMAND)),
        ({PLUGIN: manifest()}, ("agents/CLAUDE.md", AGENT)),
        ({PLUGIN: manifest(commands=".")}, ("count.md", COMMAND)),
        # Nothing outside of a plugin is its own.
        ({f"one/{PLUGIN}": manifest(commands="../all")}, ("all/count.md", COMMAND)),
        ({f"one/{PLUGIN}": manifest(commands=5, agents=[None, {"source": "\0"}])}, ("all/count.md", COMMAND)),
        ({f"one/{MARKET}": manifest(plugins=[{"source": "../two"}, 5, {}])}, ("two/commands/count.md", COMMAND)),
        # Gemini CLI reads these agents too, and their hooks are its own affair.
        ({PLUGIN: manifest(), "gemini-extension.json": "{}"}, ("agents/packer.md", AGENT)),
    ],
)
def test_other_files_are_not(tmp_path: Path, manifests: dict[str, str], file: tuple[str, str]) -> None:
    write_files(tmp_path, {**manifests, file[0]: file[1], ".git/HEAD": ""})
    assert found(tmp_path) == []


def test_lists_of_a_plugin_without_other_signs_are_checked(tmp_path: Path) -> None:
    head = "---\ndescription: Packs a parcel\ntools: Raed\n---\nPack it.\n"
    write_files(tmp_path, {PLUGIN: manifest(), "agents/packer.md": head, ".git/HEAD": ""})
    assert [each.code for each in check_paths([str(tmp_path)]).diagnostics] == ["POLICY_UNKNOWN_TOOL"]
    # The same file by its name.
    assert [each.code for each in check_paths([str(tmp_path / "agents/packer.md")]).diagnostics] == [
        "POLICY_UNKNOWN_TOOL"
    ]
