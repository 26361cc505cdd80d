"""What may be printed: text from linted files must neither steer a terminal or a runner nor hide from the reader."""

from __future__ import annotations

import re

_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_JOINERS = "\u200c\u200d"
_TAB = "    "
_EMOJI_STYLE = "\ufe0f"
_ZERO_WIDTH_JOINER = "\u200d"
_LIGHTEST_SKIN, _DARKEST_SKIN = "\U0001f3fb", "\U0001f3ff"
# The Korean vowels and final consonants that are drawn into the syllable before them.
_JUNGSEONG, _JONGSEONG = "\u1160", "\u11ff"


# What the runners of GitHub and Azure take for a command anywhere in a line of their log.
_COMMAND = re.compile(r"#(?=#(?:\[|vso\[))")
# What GitHub's runner takes for one at the start of a line; it leaves white space before it out.
_COMMAND_LINE = re.compile(r"^([^\S\n]*):(?=:)", re.MULTILINE)
# Next to a character of most names a joiner joins nothing: it only makes one name look like another.
_IDLE_JOINER = re.compile(f"(?<=[A-Za-z0-9_])[{_JOINERS}]|[{_JOINERS}](?=[A-Za-z0-9_])")


def visible(text: str) -> str:
    """The text with control, format and line-separating characters and lone surrogates written as escapes.

    Format characters include those that reverse the direction of text or have no width. The two joiners stay, but
    not in names of ASCII: emoji and several scripts need them. Commands to a runner are escaped too.
    """
    text = escape_commands(text, "\\x23")
    if text.isprintable():
        return text
    return "".join(map(_escape, _IDLE_JOINER.sub(lambda found: _code(found[0]), text)))


def visible_lines(text: str) -> str:
    """A text of several lines in which all can be seen but line ends and tabs, and no line is a command to a runner."""
    return no_commands("\n".join("\t".join(map(visible, line.split("\t"))) for line in text.split("\n")))


def escape_commands(text: str, escape: str) -> str:
    """A text in which no place is a command to a runner; `escape` is how its format writes a `#`."""
    return _COMMAND.sub(lambda _: escape, text) if "##" in text else text


def no_commands(text: str, colon: str = "\\x3a") -> str:
    """The lines of a text without any that a runner would take for a command; `colon` is written for its first colon."""
    return _COMMAND_LINE.sub(lambda found: found[1] + colon, text) if "::" in text else text


def _escape(char: str) -> str:
    if char.isprintable() or char in _JOINERS:
        return char
    # Most runs never need it, and it is a library of its own to load.
    from unicodedata import category

    if category(char) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}:
        return char
    return _NAMED.get(char) or _code(char)


def _code(char: str) -> str:
    code = ord(char)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def cell(char: str) -> tuple[str, int]:
    """How one character of a source line is shown, and how many columns of a terminal that takes."""
    if " " <= char <= "~":
        return char, 1
    if char == "\t":
        return _TAB, len(_TAB)
    shown = _escape(char)
    if shown is not char:
        return shown, len(shown)
    from unicodedata import category, combining, east_asian_width

    if char in _JOINERS or combining(char) or category(char) in {"Mn", "Me"} or _JUNGSEONG <= char <= _JONGSEONG:
        return char, 0
    return char, 2 if east_asian_width(char) in "WF" else 1


def cells(text: str) -> list[tuple[str, int]]:
    """How each character of a source line is shown, and how many columns it adds to those of the characters before it.

    Emoji of several characters take the two columns of their first: what a joiner or a skin colour adds is drawn into
    it. A variation selector makes two columns of a narrow symbol (Unicode Technical Standard 51).
    """
    # Nearly all lines are of nothing else.
    plain = text.isascii() and text.isprintable()
    found = [(char, 1) for char in text] if plain else [cell(char) for char in text]
    for match in _COMMAND.finditer(text) if "##" in text else ():
        found[match.start()] = _code("#"), len(_code("#"))
    if text.isascii():
        return found
    for match in _IDLE_JOINER.finditer(text):
        found[match.start()] = _code(match[0]), len(_code(match[0]))
    from unicodedata import category

    for index in range(1, len(text)):
        char, before = text[index], found[index - 1][1]
        if char == _EMOJI_STYLE and before == 1:
            found[index] = char, 1
        elif (before == 2 and _LIGHTEST_SKIN <= char <= _DARKEST_SKIN) or (
            text[index - 1] == _ZERO_WIDTH_JOINER and category(char) == "So"
        ):
            found[index] = char, 0
    return found
