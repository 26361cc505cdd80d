"""The set-up of editors, and the command itself."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from toolsurface_lint import __version__

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = (REPOSITORY / "docs/editors.md").read_text(encoding="utf-8")


def fence(language: str, word: str) -> str:
    """The block of the page in a language that holds a word."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (found,) = [block for block in blocks if word in block]
    return found


def test_the_settings_of_helix_run_the_server() -> None:
    settings = tomllib.loads(fence("toml", "language-server"))
    assert settings["language-server"]["toolsurface-lint"] == {"command": "toolsurface-lint", "args": ["server"]}
    assert all("toolsurface-lint" in one["language-servers"] for one in settings["language"])


def test_all_editors_run_the_same_command() -> None:
    assert 'cmd = { "toolsurface-lint", "server" }' in fence("lua", "vim.lsp.config")
    assert '("toolsurface-lint" "server")' in fence("elisp", "eglot")
    zed = (REPOSITORY / "editors/zed/src/lib.rs").read_text(encoding="utf-8")
    assert 'which("toolsurface-lint")' in zed
    assert 'args: vec!["server".into()]' in zed
    assert 'spawn(program.path, ["server"]' in (REPOSITORY / "editors/vscode/extension.js").read_text(encoding="utf-8")


def test_the_extensions_have_this_version() -> None:
    package = json.loads((REPOSITORY / "editors/vscode/package.json").read_text(encoding="utf-8"))
    assert package["version"] == __version__
    assert f"{package['name']}-{__version__}.vsix" in fence("sh", "vsce")
    assert f"@v{__version__}'" in (REPOSITORY / "editors/vscode/README.md").read_text(encoding="utf-8")
    for file in ("extension.toml", "Cargo.toml"):
        text = (REPOSITORY / "editors/zed" / file).read_text(encoding="utf-8")
        assert f'version = "{__version__}"' in text


def test_what_stays_collects_its_garbage(monkeypatch: pytest.MonkeyPatch) -> None:
    # The entry of the command turns the collector off, for commands that end before it could pay.
    import gc
    from types import SimpleNamespace

    from toolsurface_lint.cli.server import server
    from toolsurface_lint.server import features

    seen: list[bool] = []
    stub = SimpleNamespace(serve=lambda: len(seen.append(gc.isenabled()) or ()))
    monkeypatch.setattr(features, "make_server", lambda open_cache: stub)
    gc.disable()
    try:
        assert server(stdio=True) == 0
    finally:
        gc.enable()
    assert seen == [True]


def message(**fields: object) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **fields}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


INITIALIZE = message(id=1, method="initialize", params={"processId": None, "rootUri": None, "capabilities": {}})


@pytest.mark.parametrize(
    ("messages", "code"),
    [
        (INITIALIZE + message(id=2, method="shutdown") + message(method="exit"), 0),
        (INITIALIZE + message(method="exit"), 1),
        (b"", 0),
    ],
)
def test_the_server_ends_when_it_is_told_to_or_left_alone(messages: bytes, code: int, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "toolsurface_lint", "server"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        input=messages,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == code, done.stderr


def test_without_pygls_the_command_says_what_to_install(tmp_path: Path) -> None:
    # A module of this name that cannot be found stands in for an environment without the extra.
    program = """
import sys
sys.modules["pygls"] = None
from toolsurface_lint.__main__ import run
sys.exit(run(["server"]))
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert done.stderr == (
        "toolsurface-lint: the language server needs pygls: install it with `pip install 'toolsurface-lint[lsp]'`\n"
    )
