"""The events of PyYAML, from whichever of its parsers is there."""

from __future__ import annotations

import re
from typing import Any

import yaml

_ODD_BREAK = re.compile("[\x85\u2028\u2029]")


def without_odd_breaks(text: str) -> tuple[str, dict[int, str]]:
    """A text with one stand-in for each U+0085, U+2028 and U+2029, and what turns those back, for `str.translate`.

    They are not line breaks in YAML 1.2, but PyYAML folds them away as if they were; noncharacters pass unchanged.
    """
    if not _ODD_BREAK.search(text):
        return text, {}
    free = (chr(code) for code in range(0xFDD0, 0xFDF0) if chr(code) not in text)
    stand_ins = {ord(odd): stand_in for odd, stand_in in zip("\x85\u2028\u2029", free, strict=False)}
    return text.translate(stand_ins), {ord(stand_in): chr(odd) for odd, stand_in in stand_ins.items()}


def parser(text: str) -> Any:
    """A source of events: libyaml where PyYAML was built with it, 30 times faster, else pure Python."""
    try:
        from yaml.cyaml import CParser  # type: ignore[attr-defined]
    except ImportError:
        return PurePythonParser(text)
    return CParser(text)


class PurePythonParser(yaml.reader.Reader, yaml.scanner.Scanner, yaml.parser.Parser):
    def __init__(self, text: str) -> None:
        yaml.reader.Reader.__init__(self, text)
        yaml.scanner.Scanner.__init__(self)
        yaml.parser.Parser.__init__(self)
