"""The errors of PyYAML in our words, at their places in the whole text."""

from __future__ import annotations

from typing import Any

import yaml

from toolsurface_lint.source.text import NotSyntax, Span

_MESSAGES = (
    ("']'", "expected `,` or `]`"),
    ("'}'", "expected `,` or `}`"),
    ("node content", "expected a value"),
    ("could not find expected ':'", "expected `:` after this key"),
    (
        "mapping values are not allowed",
        "a `:` that is not allowed here: indent the line differently, or quote the value",
    ),
    ("unknown escape character", "not a valid escape in a string"),
    ("invalid Unicode character escape", "an escape that stands for no character"),
    ("undefined tag handle", "the handle of this tag is not declared"),
    ("<document start>", "text after the end of the document: expected `---`"),
    ("block mapping", "this line does not fit the block before it: expected a key or the end of the block"),
    ("block collection", "this line does not fit the block before it: expected `-` or the end of the block"),
)
"""What PyYAML says, in its problem or its context, and what we say."""

_AT_THE_CONTEXT = ("could not find expected ':'", "found unexpected end of stream")
"""Where PyYAML points at the place at which it gave up, far behind the one at which the fault begins."""


def not_syntax(error: yaml.YAMLError | UnicodeEncodeError, text: str, start: int, end: int) -> NotSyntax:
    """The error that PyYAML raised for the part of a text from `start` to `end`."""
    if isinstance(error, UnicodeEncodeError):
        at = start + error.start
        return NotSyntax("a lone surrogate is no character", Span(at, at + 1))
    if isinstance(error, yaml.reader.ReaderError):
        character = chr(error.character) if isinstance(error.character, int) else str(error.character)
        at = max(text.find(character, start, end), start)
        return NotSyntax(f"U+{ord(character):04X} is not allowed in YAML", Span(at, at + 1))
    assert isinstance(error, yaml.MarkedYAMLError)
    mark: Any = error.problem_mark or error.context_mark
    problem = (error.problem or "not YAML").strip()
    if error.context_mark is not None and problem.startswith(_AT_THE_CONTEXT):
        mark = error.context_mark
    at = min(start + (mark.index if mark is not None else 0), end)
    message = _message(problem, error.context or "", text[at] if at < end else "")
    return NotSyntax(message, Span(at, min(at + 1, end)))


def _message(problem: str, context: str, character: str) -> str:
    """What is wrong at a character, which is empty at the end of the text."""
    if "cannot start any token" in problem:
        if character == "\t":
            return "a tab cannot indent YAML"
        shown = "a backtick" if character == "`" else f"`{character}`"
        return f"{shown} cannot begin a plain value: quote it"
    if "unexpected end of stream" in problem and "quoted" in context:
        return "unterminated string"
    if not character and context.endswith(("flow sequence", "flow mapping", "flow node")):
        return "the document ends inside an unclosed `[` or `{`"
    for theirs, ours in _MESSAGES:
        if theirs in problem or theirs in context:
            return ours
    return f"{problem} {context}".strip()
