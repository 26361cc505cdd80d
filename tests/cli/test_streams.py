"""What a command writes never steers a terminal, and never begins a line that is somebody else's."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.model.diagnostics import Diagnostic, Location, Report, Skipped
from toolsurface_lint.reporters import FORMATS, RenderOptions, render
from toolsurface_lint.reporters.characters import cells, no_commands, visible
from toolsurface_lint.source.text import Position, Range, Span

pytestmark = pytest.mark.slow

# A sequence that clears the screen, one that sets the title, a line of its own, an 8-bit control, one that reverses text,
# a line separator, and a byte that is no character.
EVIL = "\x1b[2J\x1b]0;title\x07\n::add-mask::e\r\x9b1m\u202e\u2028\u200b##[add-mask]x\udcff"
FILE = EVIL.replace("/", "")
STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\u2028\u2029\udc80-\udcff]")


def run(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "toolsurface_lint", *map(os.fsencode, arguments)],
        cwd=folder, env={**os.environ, "PYTHONIOENCODING": "utf-8:surrogateescape", **more},
        capture_output=True, stdin=subprocess.DEVNULL, check=False, timeout=60,
    )  # fmt: skip


def harmless(done: subprocess.CompletedProcess[bytes], prefix: str = "toolsurface-lint: ") -> str:
    """Standard error, once it is clear that nothing on either stream steers anything."""
    for stream in (done.stdout, done.stderr):
        text = stream.decode("utf-8", "surrogateescape")
        assert not STEERING.search(text)
        assert "##[" not in text
        assert not any(line.lstrip().startswith("::") for line in text.split("\n"))
    lines = done.stderr.decode("utf-8").splitlines()
    assert all(line.startswith(prefix) for line in lines)
    return "\n".join(lines)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tools.json").write_text(
        '{"tools": [{"name": "a", "inputSchema": {"type": "objct"}}]}', encoding="utf-8"
    )
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", EVIL],
        ["check", "tools.json", "--select", EVIL],
        ["check", "tools.json", "--output", EVIL],
        ["check", "tools.json", "--output", f"json={EVIL}/x"],
        ["check", "tools.json", "--config", EVIL],
        ["check", "tools.json", "--baseline", EVIL],
        ["check", "tools.json", "--protocol", EVIL],
        ["check", "tools.json", "--kind", EVIL],
        ["check", "tools.json", f"--{EVIL}"],
        ["surface", EVIL],
        ["surface", "--output", EVIL],
        ["config", EVIL],
        ["init", EVIL],
        ["rule", EVIL],
        ["wire", EVIL],
        ["completion", EVIL],
        ["server", EVIL],
        [EVIL],
        [f"--{EVIL}"],
    ],
)
def test_arguments_that_are_echoed(folder: Path, arguments: list[str]) -> None:
    done = run(folder, *arguments)
    assert done.returncode == 2
    assert "\\x1b" in harmless(done)


def test_the_day_of_the_environment(folder: Path) -> None:
    assert "SOURCE_DATE_EPOCH" in harmless(run(folder, "check", SOURCE_DATE_EPOCH="\x1b[2J"))


@pytest.mark.parametrize(
    "settings",
    [
        '"{}" = 1', '[severity]\n"{}" = "off"', '[severity]\nTOOL_NAME_INVALID = "{}"', 'ignore = ["{}"]', '["{}"]\na = 1',
        'fail-on = "{}"', '[[surface]]\nname = "a"\n"{}" = "b"', 'exclude = ["{}', '[kinds]\n"{}" = "b"',
    ],
)  # fmt: skip
@pytest.mark.parametrize("command", ["check", "config", "surface", "init"])
def test_keys_and_values_of_settings(folder: Path, settings: str, command: str) -> None:
    # TOML writes control characters as escapes; the messages quote what they mean.
    text = EVIL.removesuffix("\udcff")
    (folder / "toolsurface.toml").write_text(settings.replace("{}", json.dumps(text)[1:-1]), encoding="utf-8")
    done = run(folder, command)
    harmless(done)
    assert done.returncode == 2 or b"\\x1b" in done.stdout


def test_settings_that_are_printed(folder: Path) -> None:
    text = EVIL.removesuffix("\udcff")
    settings = f'exclude = [{json.dumps(text)}, "::debug::x"]\n[kinds]\n"##[x]*" = "tools"\n"##vso[y]" = "tools"\n'
    (folder / "toolsurface.toml").write_text(settings, encoding="utf-8")
    for form in ("text", "json"):
        done = run(folder, "config", "--output", form)
        harmless(done)
        assert b"##vso[" not in done.stdout
        found = done.stdout.decode()
        exclude = (
            tomllib.loads(found)["exclude"] if form == "text" else json.loads(found)["settings"]["exclude"]["value"]
        )
        assert exclude == [text, "::debug::x"]


def test_a_description_of_several_lines_on_a_page(folder: Path) -> None:
    tool = {"name": "a", "description": "One.\n::add-mask::x\n ::debug::y", "inputSchema": {"type": "object"}}
    (folder / "tools.json").write_text(json.dumps([tool]), encoding="utf-8")
    done = run(folder, "surface", "--output", "html")
    harmless(done)
    assert b"\n&#58;:add-mask::x\n &#58;:debug::y" in done.stdout


@pytest.mark.skipif(os.name == "nt", reason="names of files are not free")
class TestFiles:
    def test_names_in_every_report(self, folder: Path) -> None:
        """Also where the name of a file or a surface begins the line."""
        deep = folder / "::add-mask::e"
        deep.mkdir()
        for name in ("::stop-commands::x.json", " ::add-mask::y.json", f"{FILE}.json", "##[group]z.json"):
            (deep / name).write_bytes((folder / "tools.json").read_bytes())
            (folder / name).write_bytes(
                b'{"tools": [{"name": "##[add-mask]x", "description": "::debug::y", "inputSchema": 1}]}'
            )
        for form in FORMATS:
            if form != "github":
                harmless(run(folder, "check", "--output", form))
        for form in ("text", "json", "html"):
            harmless(run(folder, "surface", "--output", form))
        harmless(run(folder, "check", "--explain"))
        assert "::error file=" in run(folder, "check", "--output", "github").stdout.decode()
        harmless(run(folder, "init"))

    def test_entries_of_a_stale_baseline(self, folder: Path) -> None:
        entry = {
            "path": FILE.replace("\udcff", ""),
            "code": "GONE\x1b",
            "fingerprint": "x",
            "times": 1,
            "message": EVIL[:-1],
        }
        (folder / "b.json").write_text(json.dumps({"version": 2, "findings": [entry]}), encoding="utf-8")
        assert "stale in the baseline: \\x1b[2J" in harmless(run(folder, "check", "--baseline", "b.json"))

    @pytest.mark.usefixtures("no_privileges")
    def test_a_file_that_cannot_be_written(self, folder: Path) -> None:
        text = '{"tools": [{"name": "a", "inputSchema": {"type": "object", "required": "a"}}]}'
        (folder / f"{FILE}.json").write_text(text, encoding="utf-8")
        (folder / f"{FILE}.json").chmod(0o400)
        folder.chmod(0o500)
        harmless(run(folder, "check", "--fix", "--unsafe-fixes"))
        folder.chmod(0o700)

    def test_an_empty_folder(self, folder: Path) -> None:
        (folder / FILE).mkdir()
        assert "nothing to check was recognised" in harmless(run(folder, "check", FILE))

    def test_a_report_that_cannot_be_written(self, folder: Path) -> None:
        assert "cannot write" in harmless(run(folder, "check", "tools.json", "--write-baseline", f"{FILE}/b.json"))


def test_the_traceback_of_a_defect(folder: Path) -> None:
    code = (
        "import sys\nfrom toolsurface_lint import __main__ as program\n"
        "def dispatch(arguments): raise RuntimeError(sys.argv[1])\n"
        "program._dispatch = dispatch\nprogram.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, os.fsencode(EVIL)], cwd=folder, capture_output=True, check=False, timeout=60
    )
    assert done.returncode == 2
    assert "RuntimeError: \\x1b[2J" in harmless(done, prefix="")


TEXT = st.text(st.sampled_from("#[]:vsoadk \t\n\r\x0b\x85\xa0\u2028\u3000\u200d\u00e9"), max_size=30)


@given(TEXT)
def test_no_line_is_a_command(text: str) -> None:
    shown = no_commands(visible(text))
    assert "##[" not in shown
    assert "##vso[" not in shown
    assert not shown.lstrip().startswith("::")
    assert not any(line.lstrip().startswith("::") for line in no_commands(text).split("\n"))
    line = "".join(shown for shown, _ in cells(text))
    assert "##[" not in line
    assert "##vso[" not in line


@given(TEXT, TEXT, TEXT)
def test_no_report_holds_a_command(path: str, message: str, help: str) -> None:
    """Of the commands of the format `github`, each is one that it means: on a line of its own, with what is quoted escaped."""
    place = Location(path or "x", Range(Position(1, 1), Position(1, 2)), Span(0, 1))
    report = Report(
        (Diagnostic("SOME_CODE", "error", message, place, help=help or None),), skipped=(Skipped(path, message),)
    )
    for form in FORMATS:
        shown = render(form, report, RenderOptions(root=os.getcwd()))
        assert "##[" not in shown
        assert "##vso[" not in shown
        commands = [line for line in shown.split("\n") if line.lstrip().startswith("::")]
        if form == "github":
            (command,) = commands
            fields, _, data = command.removeprefix("::error ").partition("::")
            names = [field.partition("=")[0] for field in fields.split(",")]
            assert names == ["file", "line", "endLine", "col", "endColumn", "title"]
            assert not re.search("%(?!25|0A|0D|3A|2C)", command)
            assert data.replace("%0A", "\n").replace("%25", "%") == visible(message) + (
                f"\n{visible(help)}" if help else ""
            )
        else:
            assert commands == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("read\u200dfile", "read\\u200dfile"),
        ("`\u200cread`", "`\\u200cread`"),
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"),
        ("\U0001f469\u200d\U0001f4bb", "\U0001f469\u200d\U0001f4bb"),
        ("a ##[b]", "a \\x23#[b]"),
        ("# ## [x]", "# ## [x]"),
    ],
)
def test_what_is_made_visible(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert "".join(part for part, _ in cells(text)) == shown
