"""Characters that nobody sees, and when they are as they should be: the patterns of the check for hidden text.

Loaded where a file has such a character, which hardly one has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span

_ZERO_WIDTH = "\u200b-\u200f\u2060-\u2064\ufeff\u00ad\u061c"
_BIDI = "\u202a-\u202e\u2066-\u2069"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_SUSPICIOUS = re.compile(
    f"[\U000e0000-\U000e007f]+|[{_BIDI}]|[\x1b\x9b\x9d][\\[\\]()0-9;?]*[A-Za-z]?|[{_SELECTORS}]{{2,}}|[{_ZERO_WIDTH}]+"
    "|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]"
)

_NAMES = {
    "\u200b": "ZERO WIDTH SPACE",
    "\u200c": "ZERO WIDTH NON-JOINER",
    "\u200d": "ZERO WIDTH JOINER",
    "\u200e": "LEFT-TO-RIGHT MARK",
    "\u200f": "RIGHT-TO-LEFT MARK",
    "\u2060": "WORD JOINER",
    "\ufeff": "ZERO WIDTH NO-BREAK SPACE",
    "\u00ad": "SOFT HYPHEN",
    "\u061c": "ARABIC LETTER MARK",
    "\x08": "BACKSPACE",
    "\x00": "NULL",
    "\x0c": "FORM FEED",
}
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]")
# Scripts whose spelling needs joiners: Arabic, Syriac, Thaana, N'Ko, Mandaic, the scripts of India, Sri Lanka, Tibet,
# Myanmar, Khmer, Mongolian, and their extensions.
_JOINING = re.compile("[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\ua8e0-\ua8ff\ufb50-\ufdff\ufe70-\ufefc]")
# Scripts that mark where a line may break, as they write no spaces.
_UNSPACED = re.compile("[\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff\u19e0-\u1aaf\u3040-\u30ff\u3400-\u9fff\ua980-\ua9df]")
_EMOJI = re.compile("[\u2190-\u2bff\u3030\u303d\u3297\u3299\ufe0f\U0001f000-\U0001faff]")
_RUN = 4
"""So many invisible characters in a row are not an accident: they can carry a message bit by bit."""


def unseen(text: str) -> Iterator[Problem[Span]]:
    """The runs of a text that nobody sees, in order: of the kinds `hidden/...` and `invisible`."""
    for match in _SUSPICIOUS.finditer(text):
        problem = _judge(text, match[0], Span(*match.span()))
        if problem is not None:
            yield problem


def _judge(text: str, run: str, at: Span) -> Problem[Span] | None:
    """What is wrong with a run of characters; None if it is as it should be."""
    first = run[0]
    if "\U000e0000" <= first <= "\U000e007f":
        # The flags of parts of countries are spelled in tag characters after a black flag.
        if text[at.start - 1 : at.start] == "\U0001f3f4" and run[-1] == "\U000e007f":
            return None
        said = "".join(chr(ord(character) - 0xE0000) for character in run if "\U000e0020" <= character < "\U000e007f")
        return Problem("hidden/message", at, {"said": said[:60]}) if said else Problem("hidden/tags", at)
    if first in "\x1b\x9b\x9d":
        return Problem("hidden/escape", at)
    if first in "\u202d\u202e":
        return Problem("hidden/override", at, {"character": _code(first)})
    if "\u202a" <= first <= "\u202e" or "\u2066" <= first <= "\u2069":
        return None if _runs_right_to_left(text) else Problem("hidden/control", at, {"character": _code(first)})
    if (len(run) > 1 and "\ufe00" <= first <= "\ufe0f") or first >= "\U000e0100":
        return Problem("hidden/selectors", at, {"length": len(run)})
    if all(_belongs(text, index) for index in range(*at)):
        return None
    if len(run) >= _RUN:
        return Problem("hidden/run", at, {"length": len(run)})
    return Problem("invisible", at, {"character": _code(first)})


# Asked for one mark of a text after the other.
@lru_cache(maxsize=1)
def _runs_right_to_left(text: str) -> bool:
    """Whether a text holds letters that are written from right to left."""
    return _RIGHT_TO_LEFT.search(text) is not None


def _belongs(text: str, at: int) -> bool:
    """Whether an invisible character is part of how its neighbours are written."""
    character = text[at]
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if character in "\u200c\u200d":
        joined = _JOINING.match(before) is not None or _JOINING.match(after) is not None
        return joined or (character == "\u200d" and bool(_EMOJI.match(before)) and bool(_EMOJI.match(after)))
    if character in "\u200e\u200f\u061c":
        return _runs_right_to_left(text)
    return character == "\u200b" and (bool(_UNSPACED.match(before)) or bool(_UNSPACED.match(after)))


def _code(character: str) -> str:
    name = _NAMES.get(character)
    return f"U+{ord(character):04X}" + (f" {name}" if name else "")
