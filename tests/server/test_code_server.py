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
import signal
import subprocess
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


def until(found: Callable[[], Any]) -> Any:
    """What is found, once it is."""
    deadline = time.monotonic() + PATIENCE
    while not (value := found()):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return value


class Host:
    """One code-server with a home of its own, whose `~/.local/bin` is on no PATH, and a page of it."""

    def __init__(self, folder: Path, code_server: str) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.home.mkdir()
        self.environment = {**os.environ, "HOME": str(self.home), "PYTHONPATH": str(REPOSITORY)}
        self._folders = ("--extensions-dir", str(folder / "extensions"), "--user-data-dir", str(folder / "data"))
        for number, files in enumerate((extension(), PYTHON)):
            package = pack(folder / f"{number}.vsix", files)
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

    def open(self, folder: Path, *, trusted: bool = True) -> None:
        quiet = {**QUIET, "security.workspace.trust.enabled": not trusted}
        write_files(self.folder, {"data/User/settings.json": json.dumps(quiet)})
        self._browser.go(f"{self._address}/?folder={folder}")
        self.click("#status\\.problems a", "")
        self.sees(".markers-panel", "")

    def go(self, place: str, language: str) -> None:
        """Open a file, `name:line:column`, which has a language by its name."""
        self._ask("P", control=True)
        self.type(place)
        self.sees(".quick-input-list .monaco-list-row", place.partition(":")[0])
        self.press("Enter")
        self.sees(".tab.active", place.partition(".")[0])
        self.sees("#status\\.editor\\.mode", language)
        line, _, column = place.partition(":")[2].partition(":")
        self.sees("#status\\.editor\\.selection", f"Ln {line}, Col {column}")

    def shows(self, key: str, selector: str, *parts: str) -> None:
        """Press a key with Control until something is shown, which may not be known yet; then leave it."""

        def shown() -> bool:
            self.press(key, control=True)
            deadline = time.monotonic() + 3
            while time.monotonic() < deadline:
                text = self.text(selector)
                if text is not None and all(part in text for part in parts):
                    return True
                time.sleep(0.1)
            self.press("Escape")
            return False

        until(shown)

    def hovers(self, *parts: str) -> None:
        def shown() -> bool:
            self.command("Show or Focus Hover")
            time.sleep(1)
            text = self.text(".monaco-hover") or ""
            self.press("Escape")
            return all(part in text for part in parts)

        until(shown)

    def command(self, title: str) -> None:
        self._ask("F1")
        self.type(title)
        self.sees(".quick-input-list .monaco-list-row.focused", title)
        self.press("Enter")

    def _ask(self, key: str, *, control: bool = False) -> None:
        """Press the key for a list to choose from, which does nothing while the workbench still starts."""
        for _ in range(PATIENCE):
            self.press(key, control=control)
            for _ in range(10):
                if self.text(".quick-input-widget") is not None:
                    return
                time.sleep(0.1)
        raise AssertionError(f"nothing happens at {key}")

    def press(self, key: str, *, control: bool = False) -> None:
        self._browser.press(key, control=control)

    def type(self, text: str) -> None:
        self._browser.type(text)

    def click(self, selector: str, text: str) -> None:
        self.sees(selector, text)
        self._browser.run(f"({_FIND})({json.dumps(selector)}, {json.dumps(text)}).click()")

    # --- what a user sees ----------------------------------------------------------------------------------------

    def text(self, selector: str) -> str | None:
        """The text of all elements of a selector that are shown, blanks as they are typed; None if there are none."""
        text: str | None = self._browser.run(f"({_TEXT})({json.dumps(selector)})")
        return text

    def sees(self, selector: str, *parts: str) -> str:
        """The text of a selector once it has all the parts."""
        return self.until(selector, lambda text: text is not None and all(part in text for part in parts))

    def sees_not(self, selector: str, part: str) -> None:
        self.until(selector, lambda text: text is None or part not in text)

    def until(self, selector: str, holds: Callable[[str | None], bool]) -> str:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            text = self.text(selector)
            if holds(text):
                return text or ""
            time.sleep(0.1)
        self.picture("failed")
        raise AssertionError(f"{selector}: {text!r}")

    def problems(self, *parts: str) -> str:
        return self.sees(".markers-panel", *parts)

    def page_with(self, part: str, background: str = "") -> Any:
        """The text and the background of the page in the panel, once it has a part of a text and a background."""

        def found() -> Any:
            page = self._browser.run(f"({_PAGE})()")
            return page if page and part in page["text"] and background in page["background"] else None

        return until(found)

    def log(self, part: str) -> None:
        """Wait until the log of the extension has something."""
        files = self.folder / "data/logs"
        until(lambda: any(part in file.read_text("utf-8") for file in files.glob("*/exthost*/*/toolsurface-lint.log")))

    def picture(self, name: str) -> None:
        folder = os.environ.get("TOOLSURFACE_LINT_SCREENSHOTS")
        if folder:
            self._browser.screenshot(Path(folder) / f"{name}.png", whole=False)


_TEXT = """(selector) => {
  const found = [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
  return found.length ? found.map((one) => one.innerText).join("\\n").replaceAll("\\u00a0", " ") : null;
}"""
_PAGE = """() => {
  const page = document.querySelector("iframe.webview")?.contentDocument?.querySelector("iframe")?.contentDocument?.body;
  return page ? { text: page.innerText, background: getComputedStyle(page).backgroundColor } : null;
}"""
_FIND = """(selector, text) =>
  [...document.querySelectorAll(selector)].find((one) => one.checkVisibility() && one.innerText.includes(text))"""


QUIET = {
    "workbench.startupEditor": "none",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "window.autoDetectColorScheme": False,
    "security.workspace.trust.startupPrompt": "never",
    "files.autoSave": "off",
}

# What the extension of Python says of itself; which interpreter is chosen is in a file of the folder.
PYTHON = {
    "package.json": json.dumps(
        {
            "name": "python",
            "publisher": "ms-python",
            "version": "2026.1.0",
            "engines": {"vscode": "^1.91.0"},
            "main": "./extension.js",
            "activationEvents": ["onCommand:none"],
            "capabilities": {"untrustedWorkspaces": {"supported": True}},
        }
    ).encode(),
    "extension.js": b"""
const fs = require("node:fs");
const { EventEmitter, Uri, workspace } = require("vscode");
const changed = new EventEmitter();
const file = () => workspace.workspaceFolders[0].uri.fsPath + "/chosen";
exports.activate = () => {
  const watcher = workspace.createFileSystemWatcher("**/chosen");
  watcher.onDidCreate(() => changed.fire());
  const getActiveEnvironmentPath = () => fs.existsSync(file()) && { path: fs.readFileSync(file(), "utf-8").trim() };
  const resolveEnvironment = async (chosen) => ({ executable: { uri: Uri.file(chosen.path) } });
  const onDidChangeActiveEnvironmentPath = changed.event;
  return { environments: { getActiveEnvironmentPath, resolveEnvironment, onDidChangeActiveEnvironmentPath } };
};
""",
}


def extension() -> dict[str, bytes]:
    """The files of the extension that are published, but for the page of a marketplace."""
    found = {}
    for folder, folders, names in os.walk(EXTENSION):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for path in (Path(folder) / name for name in names if name.endswith((".js", ".cjs", ".json"))):
            found[path.relative_to(EXTENSION).as_posix()] = path.read_bytes()
    return found


def pack(package: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(package, "w") as archive:
        for name, data in files.items():
            archive.writestr(f"extension/{name}", data)
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


def folder_of(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    write_files(folder, FILES)
    return folder


def settings_of(folder: Path, **values: Any) -> None:
    """Write the workspace's settings: those of ours by the end of their names, others with `__` for a dot."""
    named = {
        name.replace("__", ".") if "__" in name else f"toolsurface-lint.{name}": one for name, one in values.items()
    }
    write_files(folder, {".vscode/settings.json": json.dumps(named)})


def put(folder: Path, first: str = "") -> Path:
    """The program in a new folder, a line of shell before it."""
    folder.mkdir(parents=True)
    file = install_linter(folder) / "toolsurface-lint"
    file.write_text(file.read_text("utf-8").replace("\n", f"\n{first}\n", 1), encoding="utf-8")
    return file


TOASTS = ".notifications-toasts"


def test_a_trusted_workspace(host: Host, tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    put(folder / ".venv/bin")
    host.open(folder)
    host.problems("read_flie", "serach", "Tidy Up")

    # Files of languages that VS Code has for them.
    host.go("SKILL.md:2:8", "Skill")
    host.hovers("The name of the skill")
    host.go("reader.agent.md:3:18", "Agent")
    host.shows(".", ".action-widget", "Replace `serach` with `search`")
    host.press("Escape")
    host.go("work.prompt.md:1:9", "Prompt")
    host.hovers("read_file(path)", "Which file.")
    host.go("work.prompt.md:1:42", "Prompt")
    host.shows(".", ".action-widget", "Replace `read_flie` with `read_file`")
    host.picture("fixes")
    host.press("Enter")
    host.sees_not(".markers-panel", "read_flie")

    # Settings hold at once.
    settings_of(folder, enable=False)
    host.sees_not(".markers-panel", "serach")
    settings_of(folder, enable=True)
    host.problems("serach", "Tidy Up")
    write_files(folder, {"toolsurface.toml": 'ignore = ["SKILL"]\n'})
    host.sees_not(".markers-panel", "Tidy Up")

    host.go("toolsurface.toml:1:2", "")
    host.hovers("Rules to turn off.")
    host.go("toolsurface.toml:1:11", "")
    host.type("PROMPT_")
    host.shows(" ", ".suggest-widget", "PROMPT_MISSPELLED_TOOL")
    host.picture("settings")
    host.press("Escape")
    host.command("Revert File")

    # The page of the surface, in the colours of the editor.
    settings_of(folder, workbench__colorTheme="Default Light Modern")
    host.command("toolsurface-lint: Show Surface")
    page = host.page_with("read_file")
    assert page["background"] == "rgb(251, 250, 248)"
    host.picture("surface")
    settings_of(folder, workbench__colorTheme="Default Dark Modern")
    host.page_with("read_file", background="rgb(20, 19, 18)")
    host.picture("surface-dark")


def test_an_untrusted_workspace(host: Host, tmp_path: Path) -> None:
    folder, ran = folder_of(tmp_path), tmp_path / "ran"
    note = f"echo ran >> {shlex.quote(str(ran))}"
    put(folder / ".venv/bin", note)
    settings_of(folder, path=str(put(folder / "planted", note)))
    write_files(folder, {"chosen": str(put(folder / "env/bin", note).with_name("python"))})
    host.open(folder, trusted=False)
    host.sees(
        TOASTS, "toolsurface-lint is not installed", "Restricted Mode", "Trust…", "Install…", "Choose…", "Show Log"
    )
    host.picture("restricted")
    assert "read_flie" not in host.problems()
    # For the user, where no PATH leads.
    put(host.home / ".local/bin")
    try:
        host.command("toolsurface-lint: Restart Server")
        host.problems("read_flie")
        host.command("toolsurface-lint: Show Surface")
        host.page_with("read_file")
        assert not ran.exists()
        host.click("#status\\.workspaceTrust a", "")
        host.click(".workspace-trust-editor .monaco-button", "Trust")
        host.log(f"{folder}/planted/toolsurface-lint, version")
        assert ran.exists()
    finally:
        shutil.rmtree(host.home / ".local/bin")


def test_which_program_is_run(host: Host, tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    host.open(folder)
    host.sees(TOASTS, "toolsurface-lint is not installed, so nothing is checked.", "Install…", "Choose…", "Show Log")
    assert "Restricted" not in (host.text(TOASTS) or "")
    # An environment that comes, an interpreter that is chosen.
    put(folder / "venv/bin")
    host.problems("read_flie")
    chosen = put(folder / "chosen-env/bin").with_name("python")
    write_files(folder, {"chosen": str(chosen)})
    host.log(f"{folder}/chosen-env/bin/toolsurface-lint, version")
    # What cannot be run.
    settings_of(folder, path="/nowhere/toolsurface-lint")
    host.sees(TOASTS, "is not there: /nowhere/toolsurface-lint", "Open Setting")
    host.sees_not(".markers-panel", "read_flie")
    old = put(tmp_path / "old", "echo toolsurface-lint 0.0.9; exit")
    settings_of(folder, path=str(old))
    host.sees(TOASTS, "toolsurface-lint 0.0.9 is too old")
    bare = put(tmp_path / "bare", "[ $1 = server ] && echo 'the language server needs pygls' >&2 && exit 2")
    settings_of(folder, path=str(bare))
    host.sees(TOASTS, "the language server needs pygls")
    host.picture("broken")
    # One that ends by itself is started again, four times.
    pid = tmp_path / "pid"
    settings_of(folder, path=str(put(tmp_path / "ends", f"[ $1 = server ] && echo $$ > {shlex.quote(str(pid))}")))
    before = ""
    for _ in range(5):
        host.problems("read_flie")
        before = until(lambda before=before: (text := pid.read_text()) != before and text)
        os.kill(int(before), signal.SIGKILL)
    host.sees(TOASTS, "crashed 5 times", "Restart")
    host.picture("crashed")
    host.click(f"{TOASTS} .monaco-button", "Restart")
    host.problems("read_flie")
