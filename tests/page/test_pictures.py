"""The pictures of the surface page in the docs: taken of the page that the command writes, and never stale.

Each carries the digest of the page that it was taken of, so that no browser is needed to see that it is the same.
`python -m tests.regenerate` takes a stale picture again, which needs Chromium.
"""

from __future__ import annotations

import hashlib
import shlex
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.regenerate import UPDATE

REPOSITORY = Path(__file__).resolve().parents[2]
COMMAND = "toolsurface-lint surface --output html=surface.html fixtures/surfaces/support-desk"
pytestmark = pytest.mark.skipif((REPOSITORY / "PKG-INFO").exists(), reason="a source distribution has no pictures")
WIDTH, HEIGHT = 1280, 1060
LARGEST = 150_000
KEYWORD = b"toolsurface-lint page"
SIGNATURE = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory, surface: Callable) -> Path:
    """The page that the command in the docs writes."""
    file = tmp_path_factory.mktemp("pictures") / "surface.html"
    _, command, *arguments = shlex.split(COMMAND)
    assert command == "surface"
    done = surface(REPOSITORY, *(argument.replace("surface.html", str(file)) for argument in arguments))
    assert (done.returncode, done.stderr) == (0, b"")
    return file


def chunks(picture: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The chunks of a PNG file: type and data."""
    assert picture.startswith(SIGNATURE)
    at = len(SIGNATURE)
    while at < len(picture):
        length, kind = struct.unpack_from(">I4s", picture, at)
        data = picture[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", picture, at + 8 + length) == (zlib.crc32(kind + data),)
        yield kind, data
        at += length + 12


def digest(picture: Path) -> str | None:
    """The digest of the page that a picture was taken of; None if there is no such picture."""
    if not picture.exists():
        return None
    texts = (data.partition(b"\0") for kind, data in chunks(picture.read_bytes()) if kind == b"tEXt")
    return next((text.decode("ascii") for keyword, _, text in texts if keyword == KEYWORD), None)


def packed(picture: bytes, text: str) -> bytes:
    """The same picture, packed as tightly as zlib can, with a text in it."""
    parts = list(chunks(picture))
    image = zlib.compress(zlib.decompress(b"".join(data for kind, data in parts if kind == b"IDAT")), 9)
    made = [parts[0], (b"tEXt", KEYWORD + b"\0" + text.encode("ascii"))]
    made += [(b"IDAT", image), (b"IEND", b"")]
    return SIGNATURE + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in made
    )


def test_the_docs_show_the_command() -> None:
    text = (REPOSITORY / "docs/commands.md").read_text(encoding="utf-8")
    assert f"```sh\n{COMMAND}\n```\n\n<picture>" in text


@pytest.mark.generated
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pictures_of_the_page_are_those_of_the_program(
    scheme: str, shown: Path, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    picture = REPOSITORY / f"pictures/surface-{scheme}.png"
    expected = hashlib.sha256(shown.read_bytes()).hexdigest()
    if UPDATE and digest(picture) != expected:
        browser = request.getfixturevalue("browser")
        browser.resize(WIDTH, HEIGHT)
        browser.emulate(scheme=scheme)
        browser.open(shown)
        browser.screenshot(tmp_path / "shot.png", whole=False)
        picture.parent.mkdir(exist_ok=True)
        picture.write_bytes(packed((tmp_path / "shot.png").read_bytes(), expected))
    assert digest(picture) == expected, "stale: python -m tests.regenerate takes it again, with Chromium"
    (header,) = (data for kind, data in chunks(picture.read_bytes()) if kind == b"IHDR")
    assert struct.unpack_from(">II", header) == (WIDTH, HEIGHT)
    assert picture.stat().st_size < LARGEST
