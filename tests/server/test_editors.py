"""The set-ups of docs/editors.md in the editors themselves, each skipped where its editor is not installed, or is too old."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import time
from collections.abc import Callable
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ

import pytest

from tests.files import install_linter, needs

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = (REPOSITORY / "docs/editors.md").read_text(encoding="utf-8")
PATIENCE = 60
"""Seconds after which an editor that shows nothing has failed."""

CODE = "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"
TOOLS = '[{"name": "read_file", "description": "Read a file.", "input_schema": {"type": "object", "properties": {}}}]\n'
PROMPT = "Call `read_file({})` first.\n𝒜 file: call `read_flie({})` then.\n"
# The astral character counts as one column, as two units of UTF-16 and as four bytes.
LINE, START, END = 1, len("𝒜 file: call `"), len("𝒜 file: call `read_flie")
START_BYTE = len("𝒜 file: call `".encode())


def set_up(language: str, word: str) -> str:
    """The block of the page in a language that holds a word."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (found,) = [block for block in blocks if word in block]
    return found


def version(program: str) -> tuple[int, ...]:
    """The version of an installed program; skips the test where there is none."""
    said = subprocess.run(
        [needs(program), "--version"], capture_output=True, text=True, check=True, timeout=PATIENCE
    ).stdout
    return tuple(map(int, re.findall(r"\d+", said.split("\n")[0])))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a tool and a prompt that misspells its name."""
    folder = tmp_path / "project"
    (folder / "prompts").mkdir(parents=True)
    (folder / "toolsurface.toml").write_text("", encoding="utf-8")
    (folder / "tools.json").write_text(TOOLS, encoding="utf-8")
    (folder / "prompts/system.md").write_text(PROMPT, encoding="utf-8")
    # Without a repository Emacs would take the folder of the prompt for the whole project.
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return folder


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Variables with the linter on the PATH, and a home of its own."""
    programs, home = install_linter(tmp_path / "bin"), tmp_path / "home"
    home.mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "VIM", "NVIM", "EMACS"))}
    return {
        **kept,
        "HOME": str(home),
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(REPOSITORY),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
    }


@pytest.fixture
def run(project: Path, environment: dict[str, str]) -> Callable[..., str]:
    """Runs an editor in the project until it ends, and gives what it wrote to `found.json`."""

    def run(*command: str | Path) -> str:
        done = subprocess.run(
            command, cwd=project, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, check=False, timeout=2 * PATIENCE,
        )  # fmt: skip
        found = project / "found.json"
        assert found.exists(), done.stdout
        return found.read_text(encoding="utf-8")

    return run


# No window, no memory of earlier runs, no swap files; then the file of settings.
NEOVIM = ("nvim", "--headless", "-i", "NONE", "-n", "-u")
# Before 0.11 Neovim had no `vim.lsp.config`, and before 0.8 no `vim.lsp.start`; the server must serve them all the same.
OLD_NEOVIM = """
vim.api.nvim_create_autocmd("FileType", { callback = function()
  local client = vim.lsp.start_client({ cmd = { "toolsurface-lint", "server" }, root_dir = vim.fn.getcwd() })
  vim.lsp.buf_attach_client(0, client)
end })
"""
IN_NEOVIM = """
local function found()
  local list = {}
  for _, one in ipairs(vim.diagnostic.get(0)) do
    table.insert(list, { one.lnum, one.col, one.code or one.user_data.lsp.code, one.message })
  end
  return list
end
local before = vim.wait(PATIENCE, function() return #found() > 0 end, 20) and found()
vim.api.nvim_buf_set_lines(0, 1, 2, false, { "Call `read_file({})` then." })
local mended = vim.wait(PATIENCE, function() return #found() == 0 end, 20)
vim.fn.writefile({ vim.fn.json_encode({ before, mended }) }, "found.json")
vim.cmd("qa!")
"""


def test_neovim(project: Path, run: Callable[..., str], tmp_path: Path) -> None:
    new = version("nvim") >= (0, 11)
    init, script = tmp_path / "init.lua", tmp_path / "script.lua"
    init.write_text(set_up("lua", "vim.lsp.config") if new else OLD_NEOVIM, encoding="utf-8")
    script.write_text(IN_NEOVIM.replace("PATIENCE", str(PATIENCE * 1000)), encoding="utf-8")
    answer = run(*NEOVIM, init, "prompts/system.md", "-c", f"luafile {script}", "-c", "cquit")
    ((line, column, code, message),), mended = json.loads(answer)
    assert (line, column, code) == (LINE, START_BYTE, CODE)
    assert "read_flie" in message
    assert mended is True


# What nvim-lint does with a linter: it runs the command on the buffer, and matches the pattern with every line.
IN_NVIM_LINT = """
local linters, by_filetype = {}, {}
package.preload["lint"] = function() return { linters = linters, linters_by_ft = by_filetype } end
package.preload["lint.parser"] = function()
  return {
    from_pattern = function(pattern, groups, severities)
      return function(line)
        local captures, named = { line:match(pattern) }, {}
        for at, group in ipairs(groups) do named[group] = captures[at] end
        named.severity = severities[named.severity]
        return named
      end
    end,
  }
end
dofile("snippet.lua")
local linter = linters[by_filetype.markdown[1]]
local command = { linter.cmd }
for _, argument in ipairs(linter.args) do
  table.insert(command, type(argument) == "function" and argument() or argument)
end
local found = {}
for _, line in ipairs(vim.fn.systemlist(command, vim.api.nvim_buf_get_lines(0, 0, -1, false))) do
  table.insert(found, linter.parser(line))
end
vim.fn.writefile({ vim.fn.json_encode({ found, vim.diagnostic.severity.WARN }) }, "found.json")
vim.cmd("qa!")
"""


def test_neovim_with_nvim_lint(project: Path, run: Callable[..., str], tmp_path: Path) -> None:
    version("nvim")
    (project / "snippet.lua").write_text(set_up("lua", 'require("lint")'), encoding="utf-8")
    script = tmp_path / "script.lua"
    script.write_text(IN_NVIM_LINT, encoding="utf-8")
    answer = run(*NEOVIM, "NONE", "prompts/system.md", "-c", f"luafile {script}", "-c", "cquit")
    found, warning = json.loads(answer)
    first = found[0]
    assert (project / first["file"]).resolve() == (project / "prompts/system.md").resolve()
    assert (first["lnum"], first["col"]) == (str(LINE + 1), str(START + 1))
    assert (first["severity"], first["code"]) == (warning, CODE)
    assert "read_flie" in first["message"]


IN_EMACS = """
(require 'eglot)
(require 'json)
(setq eglot-autoshutdown t eglot-sync-connect 30)
(defun wait-until (answer)
  (let ((deadline (+ (float-time) PATIENCE)))
    (while (and (not (funcall answer)) (< (float-time) deadline))
      (flymake-start)
      (accept-process-output nil 0.1))))
(defvar found-file (expand-file-name "found.json"))
(find-file "prompts/system.md")
(text-mode)
(apply #'eglot--connect (eglot--guess-contact))
(wait-until #'flymake-diagnostics)
(let ((found (mapcar (lambda (one)
                       (vector (flymake-diagnostic-beg one) (flymake-diagnostic-end one) (flymake-diagnostic-text one)))
                     (flymake-diagnostics)))
      (program (process-command (jsonrpc--process (eglot-current-server)))))
  (with-temp-file found-file
    (insert (json-encode (list (vconcat found) (vconcat program))))))
(kill-emacs)
"""


def test_emacs(project: Path, run: Callable[..., str], tmp_path: Path) -> None:
    if version("emacs") < (29,):
        pytest.skip("Emacs 29, which has Eglot, is not installed")
    init, script = tmp_path / "init.el", tmp_path / "script.el"
    init.write_text(set_up("elisp", "eglot"), encoding="utf-8")
    script.write_text(IN_EMACS.replace("PATIENCE", str(PATIENCE)), encoding="utf-8")
    answer = json.loads(run("emacs", "--batch", "-Q", "-l", init, "-l", script))
    ((start, end, text),), program = answer
    # Emacs counts characters from 1.
    offset = PROMPT.index("read_flie") + 1
    assert (start, end) == (offset, offset + len("read_flie"))
    assert "read_flie" in text
    assert program == ["toolsurface-lint", "server"]


@pytest.fixture
def terminal(project: Path, environment: dict[str, str]) -> Callable[[list[str], Callable[[], bool]], bool]:
    """Runs a program on a terminal until something holds, at most `PATIENCE` seconds; whether it came to hold."""

    def run(command: list[str], holds: Callable[[], bool]) -> bool:
        process, screen = pty.fork()
        if process == 0:
            os.chdir(project)
            os.execvpe(command[0], command, {**environment, "TERM": "xterm-256color"})
        try:
            ioctl(screen, TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
            deadline = time.monotonic() + PATIENCE
            while not holds() and time.monotonic() < deadline:
                if select.select([screen], [], [], 0.1)[0]:
                    os.read(screen, 1 << 16)
            return holds()
        except OSError:
            return holds()
        finally:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            os.close(screen)

    return run


def test_helix(environment: dict[str, str], tmp_path: Path, terminal: Callable[..., bool]) -> None:
    program = next((name for name in ("hx", "helix") if shutil.which(name)), "hx")
    version(program)
    settings = Path(environment["HOME"]) / ".config/helix"
    settings.mkdir(parents=True)
    (settings / "languages.toml").write_text(set_up("toml", "language-server"), encoding="utf-8")
    health = subprocess.run(
        [program, "--health", "markdown"], env=environment, capture_output=True, text=True, check=True, timeout=PATIENCE
    )
    assert re.search(r"✓.*toolsurface-lint", health.stdout), health.stdout
    # What Helix draws is cut up by cursor movements; its log has what it received, and whether it could use it.
    log = tmp_path / "helix.log"

    def received() -> list[str]:
        lines = log.read_text("utf-8", "replace").split("\n") if log.exists() else []
        return [line for line in lines if "toolsurface-lint <- " in line and CODE in line]

    assert terminal([program, "-vv", "--log", str(log), "prompts/system.md"], lambda: bool(received()))
    assert f'"start": {{"line": {LINE}, "character": {START_BYTE}}}' in received()[0]
    assert "[ERROR]" not in log.read_text("utf-8", "replace")
