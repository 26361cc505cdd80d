"""The errors of PyYAML as kinds of ours, at their places in the whole text."""

from __future__ import annotations

from typing import Any

import yaml

from toolsurface_lint.source.text import NotSyntax, Span

_KINDS = (
    ("']'", "yaml_bracket"),
    ("'}'", "yaml_brace"),
    ("node content", "value"),
    ("could not find expected ':'", "colon"),
    ("mapping values are not allowed", "yaml_colon"),
    ("unknown escape character", "escape"),
    ("invalid Unicode character escape", "yaml_escape"),
    ("undefined tag handle", "yaml_tag"),
    ("<document start>", "yaml_document"),
    ("block mapping", "yaml_mapping"),
    ("block collection", "yaml_list"),
)
"""What PyYAML says, in its problem or its context, and the kind of problem that it means."""

_AT_THE_CONTEXT = ("could not find expected ':'", "found unexpected end of stream")
"""The problems for which PyYAML points at the place where it gave up, far after the one where the fault begins."""


def too_deep_for_libyaml(error: yaml.YAMLError | UnicodeEncodeError) -> int | None:
    """The offset at which libyaml gave up on the nesting: from 0.2.6 on (in PyYAML 6.0.4), it follows 1,000 levels."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem == "exceeded maximum nesting depth":
        mark: Any = error.problem_mark
        return None if mark is None else int(mark.index)
    return None


def not_syntax(error: yaml.YAMLError | UnicodeEncodeError, text: str, start: int, end: int) -> NotSyntax:
    """The error that PyYAML raised for the part of a text from `start` to `end`."""
    if isinstance(error, UnicodeEncodeError):
        at = start + error.start
        return NotSyntax("yaml_surrogate", Span(at, at + 1))
    if isinstance(error, yaml.reader.ReaderError):
        character = chr(error.character) if isinstance(error.character, int) else str(error.character)
        at = max(text.find(character, start, end), start)
        return NotSyntax("character", Span(at, at + 1), character=f"{ord(character):04X}", language="YAML")
    assert isinstance(error, yaml.MarkedYAMLError)
    mark: Any = error.problem_mark or error.context_mark
    problem = (error.problem or "not YAML").strip()
    if error.context_mark is not None and problem.startswith(_AT_THE_CONTEXT):
        mark = error.context_mark
    at = min(start + (mark.index if mark is not None else 0), end)
    kind, values = _kind(problem, error.context or "", text[at] if at < end else "")
    return NotSyntax(kind, Span(at, min(at + 1, end)), **values)


def _kind(problem: str, context: str, character: str) -> tuple[str, dict[str, str]]:
    """The kind and the values of what is wrong at a character, which is empty at the end of the text."""
    if "cannot start any token" in problem:
        if character == "\t":
            return "yaml_tab", {}
        return ("yaml_backtick", {}) if character == "`" else ("yaml_start", {"character": character})
    if "unexpected end of stream" in problem and "quoted" in context:
        return "string", {}
    if not character and context.endswith(("flow sequence", "flow mapping", "flow node")):
        return "yaml_flow", {}
    for theirs, kind in _KINDS:
        if theirs in problem or theirs in context:
            return kind, {}
    return "other", {"reason": f"{problem} {context}".strip()}
