"""The extension in VS Code itself: code-server, whose workbench a headless Chromium shows.

It takes minutes, and is skipped unless `TOOLSURFACE_LINT_CODE_SERVER` names the program `code-server` and
`npm install` was run in `editors/vscode`. With `TOOLSURFACE_LINT_SCREENSHOTS`, a folder, it leaves pictures there.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import Browser, program
from tests.files import install_linter, write_files

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).resolve().parents[2]
EXTENSION = REPOSITORY / "editors/vscode"
PATIENCE = 60
"""Seconds after which a workbench that does not show something never will."""

_IGNORED = re.compile(r"\.gitignore|package-lock\.json|.*\.(?:vsix|map|d\.ts|d\.cts|d\.mts)")


class Host:
    """One code-server with a home of its own, whose `~/.local/bin` is on no PATH, and a page of it."""

    def __init__(self, folder: Path, code_server: str) -> None:
        self.folder = folder
        self.home = folder / "home"
        self._user = folder / "data/User/settings.json"
        self._user.parent.mkdir(parents=True)
        self.home.mkdir()
        self.environment = {**os.environ, "HOME": str(self.home), "PYTHONPATH": str(REPOSITORY)}
        self._folders = ("--extensions-dir", str(folder / "extensions"), "--user-data-dir", str(folder / "data"))
        package = pack(folder / "extension.vsix")
        self._start(code_server, "--install-extension", str(package)).communicate(timeout=PATIENCE)
        options = ("--auth=none", "--bind-addr=127.0.0.1:0", "--disable-telemetry", "--disable-update-check")
        self._process = self._start(code_server, *options, "--disable-getting-started-override")
        self._address = self._listening()
        self._browser = Browser(folder / "profile")
        self._browser.resize(1400)

    def _start(self, *command: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*command, *self._folders],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def _listening(self) -> str:
        said = []
        assert self._process.stdout is not None
        for line in self._process.stdout:
            said.append(line)
            address = re.search(r"listening on (http://[0-9.:]+)", line)
            if address:
                return address[1]
        raise AssertionError("".join(said))

    def close(self) -> None:
        self._browser.close()
        self._process.terminate()
        self._process.communicate(timeout=PATIENCE)

    # --- what a user does ----------------------------------------------------------------------------------------

    def settings(self, **values: Any) -> None:
        """Write the user's settings: a setting of ours by the end of its name, others with `__` for a dot."""
        quiet = {
            "chat.commandCenter.enabled": False,
            "workbench.startupEditor": "none",
            "workbench.secondarySideBar.defaultVisibility": "hidden",
            "workbench.panel.defaultLocation": "bottom",
            "window.autoDetectColorScheme": False,
            "editor.minimap.enabled": False,
        }
        named = {name.replace("__", ".") if "__" in name else f"toolsurface-lint.{name}": one for name, one in values.items()}
        self._user.write_text(json.dumps({**quiet, **named}), encoding="utf-8")

    def open(self, folder: Path) -> None:
        self._browser.go(f"{self._address}/?folder={folder}")
        self.sees(".monaco-workbench .statusbar", "")

    def go(self, place: str, language: str) -> None:
        """Open a file, `name:line:column`, which has a language by its name."""
        self.press("P", control=True)
        self.sees(".quick-input-widget", "")
        self.type(place)
        self.sees(".quick-input-list .monaco-list-row", place.partition(":")[0])
        self.press("Enter")
        self.sees(".tab.active", place.partition(":")[0])
        self.sees("#status\\\\.editor\\\\.mode", language)

    def command(self, title: str) -> None:
        self.press("F1")
        self.sees(".quick-input-widget", "")
        self.type(title)
        self.sees(".quick-input-list .monaco-list-row.focused", title)
        self.press("Enter")

    def press(self, key: str, *, control: bool = False, shift: bool = False) -> None:
        self._browser.press(key, control=control, shift=shift)

    def type(self, text: str) -> None:
        self._browser.type(text)

    def click(self, selector: str, text: str) -> None:
        self.sees(selector, text)
        self._browser.run(f"({_FIND})({json.dumps(selector)}, {json.dumps(text)}).click()")

    # --- what a user sees ----------------------------------------------------------------------------------------

    def text(self, selector: str) -> str:
        """The text of all elements of a selector, blanks as they are typed."""
        return str(self._browser.run(f"({_TEXT})({json.dumps(selector)})"))

    def sees(self, selector: str, *parts: str) -> str:
        """The text of a selector once it has all the parts."""
        return self.until(selector, lambda text: text is not None and all(part in text for part in parts))

    def sees_not(self, selector: str, part: str) -> None:
        self.until(selector, lambda text: text is None or part not in text)

    def until(self, selector: str, holds: Callable[[str | None], bool]) -> str:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            text = self._browser.run(f"({_TEXT})({json.dumps(selector)})")
            if holds(text):
                return text or ""
            time.sleep(0.1)
        self.picture("failed")
        raise AssertionError(f"{selector}: {text!r}")

    def problems(self, *parts: str) -> str:
        return self.sees(".markers-panel", *parts)

    def picture(self, name: str) -> None:
        folder = os.environ.get("TOOLSURFACE_LINT_SCREENSHOTS")
        if folder:
            self._browser.screenshot(Path(folder) / f"{name}.png", whole=False)

    def run(self, script: str) -> Any:
        return self._browser.run(script)


_TEXT = """(selector) => {
  const found = [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
  return found.length ? found.map((one) => one.innerText).join("\\n").replaceAll("\\u00a0", " ") : null;
}"""
_FIND = """(selector, text) =>
  [...document.querySelectorAll(selector)].find((one) => one.checkVisibility() && one.innerText.includes(text))"""


def pack(package: Path) -> Path:
    """The extension as it is published, without the signature and the page of a marketplace."""
    with zipfile.ZipFile(package, "w") as file:
        for folder, folders, names in os.walk(EXTENSION):
            folders[:] = [name for name in folders if not name.startswith(".")]
            for name in names:
                if not _IGNORED.fullmatch(name):
                    path = Path(folder) / name
                    file.write(path, Path("extension") / path.relative_to(EXTENSION))
    return package


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    named = os.environ.get("TOOLSURFACE_LINT_CODE_SERVER")
    if not named:
        pytest.skip("TOOLSURFACE_LINT_CODE_SERVER does not name a code-server")
    if program() is None:
        pytest.skip("Chromium is not installed")
    if not (EXTENSION / "node_modules").is_dir():
        pytest.skip("`npm install` was not run in editors/vscode")
    started = Host(tmp_path_factory.mktemp("host"), named)
    yield started
    started.close()


TOOLS = """[
  {
    "name": "read_file",
    "description": "Read a file and return its text.",
    "input_schema": {
      "type": "object",
      "properties": {"path": {"type": "string", "description": "Which file."}},
      "required": ["path"]
    }
  }
]
"""
FILES = {
    "toolsurface.toml": "",
    "tools.json": TOOLS,
    "prompts/system.md": 'Call `read_file({ path: "a" })` first.\n',
    "tasks/work.prompt.md": 'Call `read_file({ path: "a" })`, then `read_flie({ path: "b" })`.\n',
    "skills/tidy/SKILL.md": "---\nname: Tidy Up\ndescription: Tidies files up. Use it when they are untidy.\n---\n\nRead them.\n",
    ".github/agents/reader.agent.md": "---\ndescription: Reads.\ntools: ['read', 'serach']\n---\n\nRead files.\n",
}
