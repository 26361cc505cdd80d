"""What the extension of VS Code does by itself, in Node.js with a stand-in for VS Code; the rest is in `test_code_server.py`."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.files import install_linter, needs
from toolsurface_lint import __version__

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).resolve().parents[2]
EXTENSION = REPOSITORY / "editors/vscode"
PACKAGE = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
PAGE = (EXTENSION / "README.md").read_text(encoding="utf-8")

# `given` stands for the state of the editor.
STAND_IN = """
const given = JSON.parse(process.argv[1]);
const vscode = {
  ColorThemeKind: { Dark: 2, HighContrast: 3 },
  ViewColumn: {},
  extensions: { getExtension: () => undefined },
  window: {},
  workspace: {
    isTrusted: given.trusted,
    workspaceFolders: given.folders.map((fsPath) => ({ uri: { fsPath } })),
    getConfiguration: () => ({ get: (name, standard) => given.settings[name] ?? standard }),
  },
};
const load = require("node:module")._load;
require("node:module")._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));
const log = { warn() {}, error() {} };
const { environment, findProgram } = require("./program");
const { inScheme } = require("./surface");
Promise.resolve(SCRIPT).then((value) => console.log(JSON.stringify(value ?? null)));
"""
FIND = "findProgram(log).then(({ path, version }) => [path, version], (error) => [error.reason, error.message])"


def run(script: str, *, cwd: Path = EXTENSION, environment: dict[str, str] | None = None, **given: Any) -> Any:
    """The value of an expression in the extension."""
    state = {"trusted": True, "folders": [], "settings": {}, **given}
    program = STAND_IN.replace('require("./', f'require("{EXTENSION}/').replace("SCRIPT", script)
    done = subprocess.run(
        [needs("node"), "-e", program, json.dumps(state)],
        cwd=cwd,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "project"
    found.mkdir()
    return found


@pytest.fixture
def find(tmp_path: Path, folder: Path) -> Callable[..., Any]:
    """Finds the path of the program for `folder` and its version, or why there is none and the message."""
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)

    def run_it(path: str = "", setting: str = "", *, trusted: bool = True) -> Any:
        variables = {
            "HOME": str(home),
            "PATH": f"{path}{os.pathsep}/bin{os.pathsep}/usr/bin",
            "PYTHONPATH": str(REPOSITORY),
        }
        given = {"trusted": trusted, "folders": [str(folder)], "settings": {"path": setting}}
        return run(FIND, cwd=folder, environment=variables, **given)

    needs("node")
    return run_it


def program_in(folder: Path) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    return str(install_linter(folder) / "toolsurface-lint")


def test_the_order_in_which_programs_are_looked_for(find: Callable[..., Any], folder: Path, tmp_path: Path) -> None:
    assert find() == ["missing", "toolsurface-lint is not installed, so nothing is checked."]
    of_user = program_in(tmp_path / "home/.local/bin")
    assert find() == [of_user, __version__]
    on_path = program_in(tmp_path / "bin")
    assert find(str(tmp_path / "bin")) == [on_path, __version__]
    for name in ("venv", ".venv"):
        of_folder = program_in(folder / name / "bin")
        assert find(str(tmp_path / "bin")) == [of_folder, __version__]
        assert find(str(tmp_path / "bin"), trusted=False) == [on_path, __version__]
    assert find(str(tmp_path / "bin"), setting="~/.local/bin/toolsurface-lint") == [of_user, __version__]
    assert find(str(tmp_path / "bin"), setting="toolsurface-lint") == [on_path, __version__]
    assert find(setting="venv/bin/toolsurface-lint")[0] == str(folder / "venv/bin/toolsurface-lint")


@pytest.mark.parametrize("path", ["bin", ".", "", "{folder}/bin", "{outside}/link"])
def test_nothing_of_an_untrusted_workspace_is_found(
    path: str, find: Callable[..., Any], folder: Path, tmp_path: Path
) -> None:
    program_in(folder / "bin")
    program_in(folder)
    (tmp_path / "link").symlink_to(folder / "bin")
    searched = path.format(folder=folder, outside=tmp_path)
    assert find(searched, trusted=False)[0] == "missing"
    if searched:
        setting = os.path.join(searched, "toolsurface-lint")
        assert find(setting=setting, trusted=False)[0] == "unset"


def test_a_relative_entry_of_the_path_is_never_searched(find: Callable[..., Any], folder: Path) -> None:
    program_in(folder / "bin")
    assert find("bin")[0] == "missing"


@pytest.mark.parametrize(
    ("says", "expected"),
    [
        ("toolsurface-lint 0.0.9", ["old", "toolsurface-lint 0.0.9 is too old: 0.1.0 or later is needed ({path})."]),
        ("toolsurface-lint 0.10.0", ["{path}", "0.10.0"]),
        ("no version", ["broken", "This is not toolsurface-lint, or it is broken: {path}"]),
    ],
)
def test_the_version(says: str, expected: list[str], find: Callable[..., Any], tmp_path: Path) -> None:
    path = program_in(tmp_path / "bin")
    Path(path).write_text(f"#!/bin/sh\necho {says}\n", encoding="utf-8")
    assert find(setting=path) == [part.replace("{path}", path) for part in expected]


def test_python_gets_no_relative_folder_of_modules() -> None:
    variables = {"PYTHONPATH": os.pathsep.join(["", ".", "lib", "/absolute", ""])}
    assert run("environment().PYTHONPATH", environment=variables) == "/absolute"
    assert run("environment().PYTHONPATH", environment={"PYTHONPATH": ":"}) is None


def test_an_untrusted_workspace_chooses_no_plugins() -> None:
    variables = {"TOOLSURFACE_LINT_PLUGINS": "on"}
    assert run("environment().TOOLSURFACE_LINT_PLUGINS", environment=variables, trusted=False) == "off"
    assert run("environment().TOOLSURFACE_LINT_PLUGINS", environment=variables) == "on"


def test_the_page_keeps_its_policy_in_the_colours_of_the_editor(folder: Path, tmp_path: Path) -> None:
    command = [str(Path(program_in(tmp_path / "bin"))), "surface", "--output", "html", "."]
    (folder / "tools.json").write_text(
        '[{"name": "</style><script>", "description": "A.", "inputSchema": {}}]', "utf-8"
    )
    variables = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    page = subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, check=False, timeout=60
    ).stdout
    (folder / "page.html").write_text(page, encoding="utf-8")
    read = f"require('node:fs').readFileSync({json.dumps(str(folder / 'page.html'))}, 'utf-8')"
    light, dark = run(f"[false, true].map((dark) => inScheme({read}, dark))")
    assert page != light != dark
    for drawn, scheme in ((light, "light"), (dark, "dark")):
        assert "prefers-color-scheme" not in drawn
        assert f"color-scheme: {scheme};" in drawn
        (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="(.*?)"', drawn)
        for tag in ("style", "script"):
            (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", drawn, re.DOTALL)
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            assert f"{tag}-src &#x27;sha256-{digest}&#x27;" in policy or f"{tag}-src 'sha256-{digest}'" in policy


def test_it_wakes_up_for_the_languages_of_what_is_checked() -> None:
    languages = [event.partition(":")[2] for event in PACKAGE["activationEvents"] if event.startswith("onLanguage:")]
    assert languages == sorted(languages)
    assert {"chatagent", "instructions", "prompt", "skill", "markdown", "jsonl", "dockercompose"} <= {*languages}


def test_the_package_says_what_it_does() -> None:
    contributed = PACKAGE["contributes"]
    untrusted = PACKAGE["capabilities"]["untrustedWorkspaces"]
    assert (untrusted["supported"], untrusted["restrictedConfigurations"]) == ("limited", ["toolsurface-lint.path"])
    assert [*PACKAGE["dependencies"]] == ["vscode-languageclient"]
    registered = re.findall(r"registerCommand\(`\$\{NAME\}\.(\w+)`", (EXTENSION / "extension.js").read_text("utf-8"))
    assert {f"toolsurface-lint.{name}" for name in registered} == {one["command"] for one in contributed["commands"]}
    assert all(f"| {one['title']} |" in PAGE for one in contributed["commands"])
    assert all(f"| `{name}` |" in PAGE for name in contributed["configuration"]["properties"])
