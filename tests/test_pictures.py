"""The pictures of the terminal in the README: drawn from the colours that the command really writes, and never stale.

`python -m tests.regenerate` draws them again. The pictures of the page are in `page/test_pictures.py`.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import pytest

from tests.regenerate import UPDATE

REPOSITORY = Path(__file__).resolve().parents[1]
PICTURES = REPOSITORY / "pictures"
COMMAND = "toolsurface-lint check fixtures/surfaces/release-bot"
COLUMNS = 100
pytestmark = pytest.mark.skipif((REPOSITORY / "PKG-INFO").exists(), reason="a source distribution has no pictures")

# The font's size, an advance of 0.6 em as monospaced fonts have it, the distance of lines and the margin, in pixels.
SIZE, ADVANCE, LINE, MARGIN = 14, 8.4, 19, 16
SVG = "http://www.w3.org/2000/svg"
FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace"

# What a terminal shows for the colours of SGR sequences, and for the colour of text, of the background and of the frame.
THEMES = {
    "light": {
        "31": "#cf222e", "32": "#1a7f37", "33": "#9a6700", "34": "#0969da", "36": "#1b7c83",
        "text": "#1f2328", "background": "#ffffff", "frame": "#d0d7de",
    },
    "dark": {
        "31": "#ff7b72", "32": "#3fb950", "33": "#d29922", "34": "#58a6ff", "36": "#39c5cf",
        "text": "#e6edf3", "background": "#0d1117", "frame": "#30363d",
    },
}  # fmt: skip


class Run(NamedTuple):
    """Text of one style in a row of the terminal. Rows and columns are counted from 0."""

    row: int
    column: int
    text: str
    bold: bool
    colour: str


def written() -> str:
    """What the command writes on a terminal, findings and the rest."""
    program, *arguments = shlex.split(COMMAND)
    assert program == "toolsurface-lint"
    done = subprocess.run(
        [sys.executable, "-m", "toolsurface_lint", *arguments, "--color", "always"],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "COLUMNS": str(COLUMNS), "FORCE_HYPERLINK": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    return done.stdout


def runs(text: str) -> Iterator[Run]:
    """The runs of a text with SGR sequences, on a terminal that breaks lines after its last column."""
    row = column = 0
    bold, colour = False, "text"
    for part in re.findall(r"\x1b\[[\d;]*m|\n|[^\x1b\n]+", text):
        if part == "\n":
            row, column = row + 1, 0
        elif part.startswith("\x1b"):
            for number in part[2:-1].split(";"):
                bold = number == "1" or (bold and number != "0")
                colour = "text" if number == "0" else colour if number == "1" else number
        else:
            # Each character takes one column; other scripts would need their widths.
            assert part.isascii()
            assert part.isprintable()
            while part:
                if column == COLUMNS:
                    row, column = row + 1, 0
                here, part = part[: COLUMNS - column], part[COLUMNS - column :]
                yield Run(row, column, here, bold, colour)
                column += len(here)


def drawn(text: str, theme: dict[str, str]) -> str:
    """An SVG picture of a terminal that shows a text. Every word has its place and length, whatever font is there."""
    rows = list(runs(text))
    width = round(COLUMNS * ADVANCE) + 2 * MARGIN
    height = (rows[-1].row + 1) * LINE + 2 * MARGIN
    colours = f'fill="{theme["background"]}" stroke="{theme["frame"]}"'
    lines = [
        f'<svg xmlns="{SVG}" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">',
        f"<title>{escape(COMMAND)}</title>",
        f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="6" {colours}/>',
        f'<g font-family="{FONTS}" font-size="{SIZE}" fill="{theme["text"]}">',
    ]
    for row, column, run, bold, colour in rows:
        style = (' font-weight="bold"' if bold else "") + (f' fill="{theme[colour]}"' if colour != "text" else "")
        for word in re.finditer(r"\S+(?: \S+)*", run):
            x, y = MARGIN + (column + word.start()) * ADVANCE, MARGIN + row * LINE + SIZE
            length = len(word[0]) * ADVANCE
            lines.append(
                f'<text x="{x:.4g}" y="{y}" textLength="{length:.4g}"{style}>{escape(word[0], quote=False)}</text>'
            )
    return "\n".join([*lines, "</g>", "</svg>"]) + "\n"


def test_every_picture_is_shown_and_the_readme_shows_its_own_below_its_command() -> None:
    readme, commands = ((REPOSITORY / page).read_text(encoding="utf-8") for page in ("README.md", "docs/commands.md"))
    shown = re.findall(r'(?:src|srcset)="(?:\.\./)?pictures/([^"]+)"', readme + commands)
    assert sorted(shown) == sorted(file.name for file in PICTURES.iterdir())
    assert f"```sh\n{COMMAND}\n```\n\n<picture>" in readme
    for text in (readme, commands):
        assert all(re.findall(r'<img src="[^"]+" alt="([^"]*)"', text))
        assert text.count("<img ") == text.count("<picture>") == 1


@pytest.mark.generated
@pytest.mark.parametrize("theme", THEMES)
def test_the_pictures_of_the_terminal_are_those_of_the_program(theme: str) -> None:
    picture = PICTURES / f"check-{theme}.svg"
    made = drawn(f"$ {COMMAND}\n{written()}", THEMES[theme])
    if UPDATE:
        PICTURES.mkdir(exist_ok=True)
        picture.write_text(made, encoding="utf-8")
    assert picture.read_text(encoding="utf-8") == made, "stale: python -m tests.regenerate draws it again"


@pytest.mark.parametrize("theme", THEMES)
def test_the_pictures_of_the_terminal_show_what_it_shows(theme: str) -> None:
    screen: dict[int, dict[int, str]] = {}
    for text in ElementTree.parse(PICTURES / f"check-{theme}.svg").iter(f"{{{SVG}}}text"):
        assert text.text
        row, column = (int(text.attrib["y"]) - SIZE - MARGIN) / LINE, (float(text.attrib["x"]) - MARGIN) / ADVANCE
        screen.setdefault(round(row), {}).update(enumerate(text.text, round(column)))
    shown = ["".join(line.get(at, " ") for at in range(max(line) + 1)) for _, line in sorted(screen.items())]
    plain = re.sub(r"\x1b\[[\d;]*m", "", f"$ {COMMAND}\n{written()}")
    broken = [line[at : at + COLUMNS] for line in plain.split("\n") for at in range(0, len(line), COLUMNS)]
    assert shown == [line.rstrip() for line in broken]
    assert max(map(len, shown)) <= COLUMNS
