"""The language of rules as data: what a rule of the settings says, and what its parts may be.

A rule looks at the things of one subject, leaves out those that do not meet its `where`, and reports each that does not meet
its `assert`. Both are conditions on fields, written in the same way: one or more tests a field. What fields there are, says
`subjects`.
"""

# ruff: noqa: E501 - the tables have a row on each line

from __future__ import annotations

import re
from typing import Any, NamedTuple

from toolsurface_lint.source.tree import Path

MAX_RULES = 500
"""Rules of the settings, with those that they extend."""
MAX_CONDITIONS = 50
"""Fields that one rule may test."""
MAX_VALUES = 10_000
"""Values of one list."""
MAX_TEXT = 2000
"""Characters of a message, of a help and the like."""
MAX_EXAMPLES = 50
"""Examples of one rule."""

CODE = re.compile(r"^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$")
LONGEST_CODE = 80

TOOL, SURFACE = "tool", "surface"
"""The relations: the tool that a thing is of, and the surface that it was found in, each with the fields of its subject."""

DECLARED, ACTIVE = "declared", "active"
"""What `defined` may ask of the tool that a text names."""


class Bounds(NamedTuple):
    """How many characters a text may have, or items a list; both ends count. None where there is no bound."""

    min: int | None = None
    max: int | None = None

    def holds(self, number: int) -> bool:
        return (self.min is None or number >= self.min) and (self.max is None or number <= self.max)


class Values(NamedTuple):
    """The scalars of a list, to be asked for one: true is not 1."""

    keys: frozenset[tuple[bool, Any]]

    def holds(self, value: Any) -> bool:
        return isinstance(value, str | int | float) and (type(value) is bool, value) in self.keys


class Test(NamedTuple):
    """One test by its name in `TESTS`; `value` is what the test compares with, read."""

    name: str
    value: Any


class Condition(NamedTuple):
    """The tests of one field: of the thing itself, or of what it is related to; `pointer` leads into the thing's own data.

    `field` is written as in the settings.
    """

    field: str
    tests: tuple[Test, ...]
    relation: str = ""
    pointer: Path | None = None

    @property
    def named(self) -> str:
        """The field as messages name it."""
        return f"{self.relation}.{self.field}" if self.relation else self.field


class Rewrite(NamedTuple):
    """The fix of a rule: what its pattern matches in the text that was found wrong, is replaced."""

    replace: str
    with_: str


class Definition(NamedTuple):
    """One rule of the settings. `origin` is the settings file that it stands in, as displayed; `summary` defaults to the message.

    `fires` and `silent` are its examples: each the files of a small project, contents by path.
    """

    code: str
    subject: str
    asserts: tuple[Condition, ...]
    message: str
    where: tuple[Condition, ...] = ()
    severity: str = "warning"
    summary: str = ""
    help: str = ""
    url: str = ""
    tags: tuple[str, ...] = ()
    fix: Rewrite | None = None
    fires: tuple[dict[str, str], ...] = ()
    silent: tuple[dict[str, str], ...] = ()
    origin: str = ""


class TestForm(NamedTuple):
    """What a test is called, what stands behind it, and when it holds."""

    name: str
    value: str
    meaning: str


TESTS = {
    form.name: form
    for form in (
        TestForm("pattern", "a regular expression", "the text has a match; `^` and `$` are the ends of the text"),
        TestForm("not-pattern", "a regular expression", "the text has no match; each match in prose is a finding of its own"),
        TestForm("one-of", "a list of texts, numbers and booleans", "the value is one of them"),
        TestForm("not-one-of", "the same", "the value is none of them"),
        TestForm("length", "`{ min = 1, max = 80 }`, or one of both", "the text has so many characters"),
        TestForm("count", "the same", "the list has so many items"),
        TestForm("required", "`true` or `false`", "there is a value that is not null or blank; with `false`, there is none"),
        TestForm("schema", "a JSON Schema", "the value is valid by it; references lead into it alone"),
        TestForm("defined", '`"declared"` or `"active"`', "the text is the name of a tool that the surface declares, or that its policies leave active, or a pattern that matches one; nothing is said in an open surface"),
        TestForm("casing", "the name of a casing", "the text is written so"),
        TestForm("unique", "`true`", "no other thing of the subject in the same list has the value; of a list, no two items are equal"),
    )
}  # fmt: skip

CASINGS = {
    "snake_case": re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*"),
    "kebab-case": re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*"),
    "camelCase": re.compile(r"[a-z][a-zA-Z0-9]*"),
    "PascalCase": re.compile(r"[A-Z][a-zA-Z0-9]*"),
    "SCREAMING_SNAKE_CASE": re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*"),
}

PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
"""What a message may hold besides text: a field, or a brace that is doubled; a brace alone is a mistake."""

OF_FINDINGS = {
    "value": "the value that was found wrong, shortened",
    "problem": "what is wrong with it, in a few words: `is missing`, `has 300 characters`",
    "match": "what `not-pattern` found",
}
"""The fields of a message that are of the finding and not of the thing."""
