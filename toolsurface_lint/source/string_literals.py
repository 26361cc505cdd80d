"""String literals of Go, Rust, Java, Kotlin and C#: their text, and where each of its characters is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import ClassVar

from toolsurface_lint.source.tree import Path
from toolsurface_lint.source.typescript import ScriptTree, placed, unescape

# The groups are those of `typescript.unescape`. Only Rust leaves out the white space behind an escaped line end.
_HEXADECIMAL = r"\\(?:u\{([0-9a-fA-F]{1,6})\}|[uU]+((?<=U)[0-9a-fA-F]{8}|(?<=u)[0-9a-fA-F]{4})|x([0-9a-fA-F]{2})"
_ESCAPE = re.compile(_HEXADECIMAL + r"|(\r?\n)|([0-7]{1,3})|(.))", re.DOTALL)
_RUST_ESCAPE = re.compile(_HEXADECIMAL + r"|(\r?\n[ \t\r\n]*)|([0-7]{1,3})|(.))", re.DOTALL)
_NAMED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "a": "\a", "s": " ", "e": "\x1b"}

_COMMENT = r"(?P<skipped>//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)|'(?:[^'\\\n]|\\[^\n']{1,10}|\\')')"
_QUOTED = r'"(?P<quoted>(?:[^"\\]++|\\.)*+)"'
_LITERALS = {
    "go": rf"{_COMMENT}|{_QUOTED}|`(?P<raw>[^`]*+)`",
    # A doc comment is the text of an attribute.
    "rust": rf"///(?P<doc>[^\n]*+)|{_COMMENT}|r(?P<fence>#*+)\"(?P<raw>.*?)(?:\"(?P=fence)|\Z)|{_QUOTED}",
    "java": rf'{_COMMENT}|"""[ \t]*\r?\n(?P<block>(?:[^"\\]++|\\.|"(?!""))*+)"""|{_QUOTED}',
    "kotlin": rf'{_COMMENT}|"""(?P<lines>(?:[^"]++|"(?!""))*+"*?)"""(?!")|{_QUOTED}',
    "csharp": rf'{_COMMENT}|(?P<fence>"{{3,}}+)(?P<fenced>.*?)(?:(?<!")(?P=fence)|\Z)|@"(?P<verbatim>(?:[^"]++|"")*+)"|{_QUOTED}',
}
_PATTERNS = {language: re.compile(pattern, re.DOTALL) for language, pattern in _LITERALS.items()}
_TRIMMED = re.compile(r"\s*\.trim(Indent|Margin)\(\)")
_SUBSTITUTION = re.compile(r"\$(?:\{|[A-Za-z_])")
_ESCAPED = re.compile(r"\\.", re.DOTALL)


def literals(raw: str, language: str) -> Iterator[tuple[str, list[int]]]:
    """The string literals of an expression, in order: the text of each, and where its characters and its end are written.

    A literal with substitutions is left out.
    """
    for match in _PATTERNS[language].finditer(raw):
        kind = match.lastgroup or ""
        if kind == "fence":
            kind = "raw"
        if kind == "skipped":
            continue
        if language == "csharp" and raw[max(match.start() - 1, 0) : match.start()] == "$":
            continue
        start, end = match.span(kind)
        if language == "kotlin" and _SUBSTITUTION.search(
            _ESCAPED.sub("", match[kind]) if kind == "quoted" else match[kind]
        ):
            continue
        yield _decoded(raw, kind, start, end, language)


def _decoded(raw: str, kind: str, start: int, end: int, language: str) -> tuple[str, list[int]]:
    if kind == "quoted":
        kept: Sequence[int] = range(start, end)
    elif kind in ("block", "fenced") or (kind == "lines" and (trimmed := _TRIMMED.match(raw, end + 3)) is not None):
        if kind == "lines" and trimmed is not None and trimmed[1] == "Margin":
            kept = _lines(raw, start, end, _after_margin)
        else:
            kept = _dedented(raw, start, end, kind)
    elif kind == "doc":
        kept = range(start + (raw[start : start + 1] == " "), end)
    else:
        kept = [at for at in range(start, end) if not (kind == "raw" and language == "go" and raw[at] == "\r")]
    text = "".join(raw[at] for at in kept)
    # The line end before the closing quotes may be left out.
    places = [*kept, kept[-1] + 1 if kept else end]
    if kind in ("quoted", "block"):
        decoded, offsets = unescape(text, _RUST_ESCAPE if language == "rust" else _ESCAPE, _NAMED)
        return decoded, [places[offset] for offset in offsets]
    if kind == "verbatim":
        single = _single(text)
        return "".join(text[at] for at in single), [*(places[at] for at in single), end]
    return text, places


def _single(text: str) -> list[int]:
    """The characters of a text in which each quote is written twice, once."""
    kept: list[int] = []
    at = 0
    while at < len(text):
        kept.append(at)
        at += 2 if text.startswith('""', at) else 1
    return kept


def _lines(raw: str, start: int, end: int, keep: Callable[[str], tuple[int, int]]) -> list[int]:
    """The characters that are kept of each line, without a first and a last that are blank."""
    rows: list[tuple[int, str]] = []
    at = start
    for line in raw[start:end].split("\n"):
        rows.append((at, line))
        at += len(line) + 1
    if rows and not rows[0][1].strip():
        del rows[0]
    if rows and not rows[-1][1].strip():
        del rows[-1]
    kept: list[int] = []
    for number, (begin, line) in enumerate(rows):
        if number:
            kept.append(begin - 1)
        low, high = keep(line)
        kept.extend(range(begin + low, begin + high))
    return kept


def _after_margin(line: str) -> tuple[int, int]:
    margin = len(line) - len(line.lstrip())
    return (margin + 1 if line.startswith("|", margin) else 0), len(line.rstrip("\r"))


def _dedented(raw: str, start: int, end: int, kind: str) -> list[int]:
    """The characters of lines that are indented for the eye only; those of one line as they are."""
    content = raw[start:end]
    if "\n" not in content and kind == "fenced":
        return list(range(start, end))
    lines = content.split("\n")
    # The line of the closing quotes counts where it says how far the text is indented.
    counted = [line for line in lines if line.strip()] + ([lines[-1]] if kind in ("block", "fenced") else [])
    margin = min((len(line) - len(line.lstrip()) for line in counted), default=0)
    return _lines(
        raw, start, end, lambda line: (min(margin, len(line)), max(len(line.rstrip()), min(margin, len(line))))
    )


class LiteralTree(ScriptTree):
    """Values found in one program of these languages."""

    __slots__ = ()
    language: ClassVar[str]

    def _offsets(self, path: Path, raw: str) -> Sequence[int] | None:
        value = self.at(path).value
        if not isinstance(value, str):
            return None
        return range(len(raw) + 1) if raw == value else placed(value, literals(raw, self.language))


@cache
def tree_class(language: str) -> type[LiteralTree]:
    """The class of the trees of one language."""
    return type(f"{language.capitalize()}Tree", (LiteralTree,), {"__slots__": (), "language": language})
