"""Identities of diagnostics that survive edits elsewhere in the file: GitHub's line hash and our own."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from operator import mul

from toolsurface_lint.model.diagnostics import Diagnostic, Report

_WINDOW = 100
_END_OF_FILE = 0xFFFF
_MODULUS = 1 << 64
_POWERS = [pow(37, _WINDOW - 1 - index, _MODULUS) for index in range(_WINDOW)]
_UTF16 = "utf-16-le" if sys.byteorder == "little" else "utf-16-be"

_LINE_END = re.compile(r"[\r\n]")


def line_hashes(text: str, lines: Iterable[int]) -> dict[int, str]:
    """`primaryLocationLineHash` of some lines (from 1) of a file, as GitHub's upload action computes it.

    Source: github/codeql-action, `src/fingerprints.ts`. From the start of each line, the next 100 UTF-16 units of the
    text, blanks and tabs left out, line ends folded, are the digits of a number to the base of 37, modulo 2**64; a
    counter separates equal hashes. The action keeps a value that it finds in the file, so ours must be the same.
    """
    wanted = set(lines)
    folded = text.replace("\r\n", "\n").replace("\r", "\n").replace(" ", "").replace("\t", "")
    units = memoryview((folded + chr(_END_OF_FILE)).encode(_UTF16, "surrogatepass")).cast("H")
    last = max(wanted, default=0)
    counts: Counter[int] = Counter()
    hashes = {}
    start = 0
    for number, line in enumerate(folded.split("\n", last), 1):
        if number > last:
            break
        value = sum(map(mul, units[start : start + _WINDOW], _POWERS)) % _MODULUS
        counts[value] += 1
        if number in wanted:
            hashes[number] = f"{value:x}:{counts[value]}"
        start += len(line.encode(_UTF16, "surrogatepass")) // 2 + 1
    return hashes


class Fingerprints:
    """Our own identities, to be asked for in the order of the report.

    Made of the code, the path, the tool and field, the parameters of the finding, and the text at the place, so that
    neither lines inserted above nor a better wording of the message changes them; equal ones are counted.
    """

    def __init__(self, report: Report) -> None:
        self.sources = report.sources
        self.counts: Counter[str] = Counter()

    def next(self, diagnostic: Diagnostic, path: str) -> str:
        """The fingerprint of a diagnostic in the file that is known as `path`."""
        parts = [diagnostic.code, path, diagnostic.tool or "", diagnostic.field or "", self._marked(diagnostic)]
        parts += diagnostic.parameters
        value = sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
        self.counts[value] += 1
        return f"{value}:{self.counts[value]}"

    def _marked(self, diagnostic: Diagnostic) -> str:
        """The text at the place of a diagnostic, to the end of its first line."""
        location = diagnostic.location
        source = self.sources.get(location.path) if location else None
        if location is None or source is None:
            return ""
        return _LINE_END.split(source.text[location.span.start : location.span.end], maxsplit=1)[0]
