"""`toolsurface-lint wire`: a filter on bytes."""

import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def wire(direction: str, data: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "toolsurface_lint", "wire", *([direction] if direction else [])],
        cwd=REPOSITORY,
        input=data,
        capture_output=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("direction", "data", "expected"),
    [
        ("to-wire", b"<tool_call>\r\nx</tool_call>", b"[[CALL]]\r\nx[[/CALL]]"),
        ("to-canonical", b"[[CALL]]\r\nx[[/CALL]]", b"<tool_call>\r\nx</tool_call>"),
        ("to-canonical", b"<tool_call>[[Call]]\n", b"<tool_call>[[Call]]\n"),
        ("to-wire", b"\xff\xfe<tool_call>\x00\xed\xa0\x80", b"\xff\xfe[[CALL]]\x00\xed\xa0\x80"),
        ("to-wire", b"", b""),
    ],
)
def test_bytes_that_belong_to_no_delimiter_stay(direction: str, data: bytes, expected: bytes) -> None:
    done = wire(direction, data)
    assert (done.returncode, done.stdout, done.stderr) == (0, expected, b"")


@pytest.mark.parametrize("direction", ["", "to-nowhere"])
def test_wrong_usage(direction: str) -> None:
    done = wire(direction, b"")
    assert done.returncode == 2
    assert done.stdout == b""
    assert b"to-wire" in done.stderr.lower()
