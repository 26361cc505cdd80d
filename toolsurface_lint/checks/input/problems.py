"""Files that cannot be read, or not as what they claim to be, and what the linter itself crashes at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolsurface_lint.checks.contract import CRASH, DOCUMENT, check
from toolsurface_lint.model.diagnostics import ERROR, INTERNAL_ERROR, SAFE, WARNING, Finding, Rule
from toolsurface_lint.model.document import Document
from toolsurface_lint.source.json_lines import LinePlace
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Place

SYNTAX_ERROR = Rule(
    code="INPUT_SYNTAX_ERROR",
    since="0.1.0",
    severity=ERROR,
    summary="A file has a syntax error.",
    message={
        "syntax/carriage_return": "a lone carriage return does not end a line in TOML",
        "syntax/character": "U+{character} is not allowed in {language}",
        "syntax/closing": "expected `,` or `{closer}`",
        "syntax/colon": "expected `:` after this key",
        "syntax/comment": "unclosed comment",
        "syntax/conflict": "a merge conflict is not resolved",
        "syntax/control": "raw control character in a string",
        "syntax/defined": "first defined here",
        "syntax/end": "the document ends where a value is expected",
        "syntax/escape": "not a valid escape in a string",
        "syntax/json_key": "expected a key in double quotes, found {found}",
        "syntax/json_number": "not a JSON number",
        "syntax/json_value": "`{word}` is not a JSON value",
        "syntax/opened": "opened here",
        "syntax/other": "{reason}",
        "syntax/redefined": "`{name}` is already defined",
        "syntax/separator": "expected `,` or `{closer}`, found {found}",
        "syntax/slash": "unexpected `/`",
        "syntax/string": "unterminated string",
        "syntax/text_after_line": "unexpected text after the JSON value of this line",
        "syntax/toml_equals": "expected `=` after this key",
        "syntax/toml_header": "expected `{closer}` at the end of this header",
        "syntax/toml_integer": "the integer is too long for TOML",
        "syntax/toml_key": "expected a key",
        "syntax/toml_value": "`{word}` is not a TOML value",
        "syntax/unclosed": "the document ends before this `{opener}` is closed",
        "syntax/unexpected": "unexpected {found} where a value is expected",
        "syntax/value": "expected a value",
        "syntax/yaml_alias": "undefined alias `*{anchor}`: no anchor of that name comes before it",
        "syntax/yaml_backtick": "a backtick cannot begin a plain value: quote it",
        "syntax/yaml_brace": "expected `,` or `}}`",
        "syntax/yaml_bracket": "expected `,` or `]`",
        "syntax/yaml_colon": "a `:` is not allowed here: indent the line differently, or quote the value",
        "syntax/yaml_document": "unexpected text after the end of the document: expected `---`",
        "syntax/yaml_escape": "the escape does not represent a character",
        "syntax/yaml_flow": "the document ends inside an unclosed `[` or `{{`",
        "syntax/yaml_list": "this line does not fit the block before it: expected `-` or the end of the block",
        "syntax/yaml_mapping": "this line does not fit the block before it: expected a key or the end of the block",
        "syntax/yaml_start": "`{character}` cannot begin a plain value: quote it",
        "syntax/yaml_surrogate": "a lone surrogate is not a character",
        "syntax/yaml_tab": "a tab cannot indent YAML",
        "syntax/yaml_tag": "the handle of this tag is not declared",
    },
    tags=("input",),
)

UNREADABLE = Rule(
    code="INPUT_UNREADABLE",
    since="0.1.0",
    severity=ERROR,
    summary="A file cannot be read: its encoding, its permissions, its size, or its nesting.",
    message={
        "unreadable/alias_bomb": "aliases expand this document to more than {most} nodes",
        "unreadable/alias_in_itself": "alias `*{anchor}` is inside the value of its own anchor",
        "unreadable/alias_nesting": "nested deeper than {most} levels through alias `*{anchor}`",
        "unreadable/endless": "the file has more than `max-file-size` ({most})",
        "unreadable/gguf_cut_off": "the file has {size} bytes, fewer than its metadata",
        "unreadable/gguf_large": "the metadata have more bytes than `max-file-size` ({most})",
        "unreadable/gguf_magic": "not a GGUF file",
        "unreadable/gguf_type": "the metadata have a value of the unknown type {type}",
        "unreadable/gguf_version": "GGUF of version {version}: versions 2 and 3 are read",
        "unreadable/inline_nesting": "arrays and inline tables nested deeper than {most} levels",
        "unreadable/large": "the file has {size} bytes, more than `max-file-size` ({most})",
        "unreadable/long_line": "the line has {size} bytes, more than `max-file-size` ({most})",
        "unreadable/nesting": "nested deeper than {most} levels",
        "unreadable/not_regular": "not a regular file",
        "unreadable/nul": "found a NUL character: the file is binary, or encoded in UTF-16",
        "unreadable/os": "cannot be read: {reason}",
        "unreadable/python_nesting": "nested deeper than the Python parser follows",
        "unreadable/utf_8": "byte 0x{byte} is not valid UTF-8",
        "unreadable/utf_16": "the file is encoded in UTF-16 or UTF-32, expected UTF-8",
    },
    tags=("input",),
)

DUPLICATE_KEY = Rule(
    code="INPUT_DUPLICATE_KEY",
    since="0.1.0",
    severity=WARNING,
    summary="An object repeats a key, and all values but the last are lost.",
    message={"duplicate_key": "key `{name}` is repeated; only the last value counts", "first": "first given here"},
    tags=("input",),
    fix=SAFE,
    title="remove the first `{name}`",
)

NOT_STRICT_JSON = Rule(
    code="INPUT_NOT_STRICT_JSON",
    since="0.1.0",
    severity=WARNING,
    summary="A JSON file has comments or trailing commas, which its host would refuse.",
    message={
        "not_strict_json/comma": "trailing comma in a file that is read as strict JSON",
        "not_strict_json/comment": "comment in a file that is read as strict JSON",
    },
    tags=("input",),
    fix=SAFE,
    title="remove the trailing commas",
)

WRONG_KIND = Rule(
    code="INPUT_WRONG_KIND",
    since="0.1.0",
    severity=ERROR,
    summary="A file, or a row of a dataset, is not of the kind that it is said to be.",
    message={
        "wrong_kind": "this file is not a document of kind `{expected}`",
        "wrong_kind/row": "this row holds no conversation that is recognised",
    },
    tags=("input",),
)

FRONT_MATTER = Rule(
    code="INPUT_FRONT_MATTER",
    since="0.1.0",
    severity=WARNING,
    summary="The front matter of a markdown file is not YAML, and strict readers lose all of it.",
    message="the front matter is not YAML: {reason}",
    tags=("input",),
    fix=SAFE,
    title="put quotes around {names}",
)

CRASHED = Rule(
    code=INTERNAL_ERROR,
    since="0.1.0",
    severity=ERROR,
    summary="Something crashed toolsurface-lint itself.",
    message={
        "crash/check": "this could not be checked: {problem}",
        "crash/file": "the file could not be read: {problem}",
        "crash/place": "{codes} could not be located in this file: {problem}",
        "crash/program": "the program could not be followed here: {problem}",
        "crash/programs": "the programs could not be followed: {problem}",
        "crash/rule": "{codes} could not be run here: {problem}",
        "crash/surfaces": "the files could not be put together into surfaces: {problem}",
    },
    tags=("input",),
    help="report it at https://github.com/toolsurface-lint/toolsurface-lint/issues: this is a bug in toolsurface-lint",
)

_RULES = (CRASHED, SYNTAX_ERROR, UNREADABLE, DUPLICATE_KEY, NOT_STRICT_JSON, WRONG_KIND)

_BY_KIND = {kind: rule for rule in _RULES for kind in rule.message}


@check(CRASH, CRASHED)
def check_crash(problem: Problem[Place]) -> Iterator[Finding]:
    yield CRASHED.of(problem)


@check(DOCUMENT, *_RULES, FRONT_MATTER)
def check_document(document: Document) -> Iterator[Finding]:
    for problem in document.problems:
        if problem.kind in _BY_KIND:
            values: dict[str, Any] = dict(problem.values)
            lines: int = values.pop("lines", 1)
            found = _BY_KIND[problem.kind].of(problem._replace(values=values), document.place)
            yield _with_others(found, lines - 1)
        elif problem.code == "front_matter":
            reason = sentence(problem._replace(kind=problem.kind.partition("/")[2]))
            reported = problem._replace(kind="", values={**problem.values, "reason": reason})
            yield FRONT_MATTER.of(reported, document.place)


def rule_of(problem: Problem[Any]) -> Rule:
    """The rule that reports a problem of a file."""
    return _BY_KIND[problem.kind]


def sentence(problem: Problem[Any]) -> str:
    """What is said of a problem of a file that no rule reports: settings, a baseline."""
    return rule_of(problem).sentence(problem)


def unreadable_lines(problem: Problem[LinePlace], place: Place) -> Finding:
    """The finding for lines of a transcript that cannot be read, at a place in the first of them."""
    return _with_others(rule_of(problem).of(problem, place), problem.at.lines - 1)


def _with_others(found: Finding, more: int) -> Finding:
    """A finding for a line that cannot be read, and for `more` others."""
    if not more:
        return found
    rest = "another line" if more == 1 else f"{more} other lines"
    return found._replace(
        message=f"{found.message}; {rest} cannot be read either", parameters=(*found.parameters, f"lines={more}")
    )
