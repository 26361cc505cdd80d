"""Rules of one's own in a settings file: from the tables `[[rule]]` to definitions, each mistake at its place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from toolsurface_lint.model.diagnostics import SEVERITIES
from toolsurface_lint.model.names import did_you_mean
from toolsurface_lint.own_rules.language import (
    ACTIVE,
    CASINGS,
    CODE,
    DECLARED,
    LONGEST_CODE,
    MAX_CONDITIONS,
    MAX_EXAMPLES,
    MAX_RULES,
    MAX_TEXT,
    MAX_VALUES,
    OF_FINDINGS,
    PLACEHOLDER,
    SURFACE,
    TESTS,
    TOOL,
    Bounds,
    Condition,
    Definition,
    Rewrite,
    Test,
    Values,
)
from toolsurface_lint.own_rules.patterns import WrongPattern, compiled, missing_group
from toolsurface_lint.own_rules.subjects import LIST, NAME, SUBJECTS, SubjectForm, field_of, pointer_path
from toolsurface_lint.project.settings import values
from toolsurface_lint.project.settings.values import InvalidSetting
from toolsurface_lint.schemas.walk import subschemas
from toolsurface_lint.source.tree import Path


def read_rules(value: Any, path: Path) -> tuple[Definition, ...]:
    """The rules of an array of tables. Raises `InvalidSetting`."""
    found: dict[str, Definition] = {}
    tables = values.array_of_tables(value, path)
    if len(tables) > MAX_RULES:
        raise InvalidSetting(f"there are more than {MAX_RULES} rules", (*path, MAX_RULES))
    for index, table in enumerate(tables):
        here = (*path, index)
        read = values.complete(values.fields(table, here, RULE), here, ("code", "subject", "assert", "message"))
        if read["code"] in found:
            raise InvalidSetting(f"a second rule `{read['code']}`", (*here, "code"))
        found[read["code"]] = _definition(read, table, here)
    return tuple(found.values())


def _definition(read: dict[str, Any], table: dict[str, Any], path: Path) -> Definition:
    """The rule of a table: what depends on its subject is read last."""
    form = SUBJECTS[read["subject"]]
    where = tuple(_conditions(table.get("where", {}), (*path, "where"), form))
    asserts = tuple(_conditions(table["assert"], (*path, "assert"), form))
    if not asserts:
        raise InvalidSetting("`assert` must test a field", (*path, "assert"))
    for key in ("message", "help"):
        _check_placeholders(read.get(key, ""), (*path, key), form)
    fix: Rewrite | None = read.pop("fix", None)
    if fix is not None:
        _check_fix(fix, asserts, form, (*path, "fix"))
    examples = read.pop("examples", {})
    read.pop("assert")
    return Definition(
        **{**read, "where": where},
        asserts=asserts,
        fix=fix,
        fires=examples.get("fires", ()),
        silent=examples.get("silent", ()),
    )


def _text(value: Any, path: Path) -> str:
    text = values.string(value, path)
    if not text.strip():
        raise InvalidSetting(f"{values.named(path)} must not be blank", path)
    if len(text) > MAX_TEXT:
        raise InvalidSetting(f"{values.named(path)} has more than {MAX_TEXT:,} characters", path, at=MAX_TEXT)
    return text


def _code(value: Any, path: Path) -> str:
    """A code whose first word no built-in rule begins with."""
    from toolsurface_lint.checks.index import RULES

    code = values.string(value, path)
    if not CODE.fullmatch(code) or len(code) > LONGEST_CODE:
        wanted = "capital letters and digits, with underscores between the words: `ACME_TOOL_VERB`"
        raise InvalidSetting(f"`code` must be a prefix of one's own and a name, in {wanted}", path)
    family = code.partition("_")[0]
    if family == "ALL" or any(built_in.partition("_")[0] == family for built_in in RULES):
        raise InvalidSetting(
            f"codes that begin with `{family}_` are those of built-in rules: choose another prefix", path, at=0
        )
    return code


_ADDRESS = re.compile(r"https?://[A-Za-z0-9._~:/?#\[\]@!$&*+,;=%-]+")
"""Without what ends a link in Markdown or in a terminal."""


def _address(value: Any, path: Path) -> str:
    url = _text(value, path)
    if not _ADDRESS.fullmatch(url):
        raise InvalidSetting(f"{values.named(path)} must be an address that begins with https://", path)
    return url


def _unread(value: Any, path: Path) -> dict[str, Any]:
    """A table that is read once the subject of its rule is known."""
    return values.table(value, path)


# Conditions


def _conditions(value: Any, path: Path, form: SubjectForm, relation: str = "") -> Iterable[Condition]:
    """The conditions of `where` or `assert`, or of a table in them that stands for what a thing is related to."""
    table = values.table(value, path)
    if len(table) > MAX_CONDITIONS:
        raise InvalidSetting(f"{values.named(path)} tests more than {MAX_CONDITIONS} fields", path)
    for name, tests in table.items():
        here = (*path, name)
        if not relation and name in _relations(form) and field_of(form, "", name) is None:
            yield from _conditions(tests, here, form, name)
            continue
        kind = _kind(name, form, relation, here)
        pointer = pointer_path(name) if name.startswith("/") else None
        yield Condition(name, tuple(_tests(tests, here, kind, form)), relation, pointer)


def _relations(form: SubjectForm) -> tuple[str, ...]:
    """What the things of a subject are related to."""
    return (*((TOOL,) if form.has_tool else ()), *((SURFACE,) if form.name != SURFACE else ()))


def _kind(name: str, form: SubjectForm, relation: str, path: Path) -> str:
    """The kind of a field; "any" for a pointer. Raises `InvalidSetting` for what is neither."""
    of = SUBJECTS[relation] if relation else form
    if name.startswith("/") and of.pointers:
        return "any"
    field = of.fields.get(name)
    if field is not None:
        return field.kind
    if name.startswith("/"):
        raise InvalidSetting(f"a `{of.name}` has no data that `{name}` could lead into", path, key=True)
    near = did_you_mean(name, (*of.fields, *(() if relation else _relations(form))))
    raise InvalidSetting(f"a `{of.name}` has no field `{name}`{near}", path, key=True)


def _tests(value: Any, path: Path, kind: str, form: SubjectForm) -> Iterable[Test]:
    """The tests of one field: a value or an array of them is short for `one-of`."""
    if not isinstance(value, dict):
        yield Test("one-of", _one_of(value if isinstance(value, list) else [value], path))
        return
    if not value:
        raise InvalidSetting(f"{values.named(path)} has no test", path)
    for name, given in value.items():
        here = (*path, name)
        if name not in TESTS:
            raise InvalidSetting(f"unknown test `{name}`{did_you_mean(name, TESTS)}", here, key=True)
        if name == "count" and kind not in (LIST, "any"):
            raise InvalidSetting("`count` is for lists: `length` is the number of characters", here, key=True)
        if name == "unique" and kind != LIST and form.name not in ("tool", "client-file"):
            raise InvalidSetting("`unique` is for lists, and for the fields of tools and client files", here, key=True)
        yield Test(name, _READERS[name](given, here))


def _pattern(value: Any, path: Path) -> str:
    pattern = values.string(value, path)
    try:
        compiled(pattern)
    except WrongPattern as wrong:
        raise InvalidSetting(wrong.message, path, at=wrong.at) from None
    return pattern


def _one_of(value: Any, path: Path) -> Values:
    if not isinstance(value, list):
        raise InvalidSetting(f"{values.named(path)} must be an array", path)
    if len(value) > MAX_VALUES:
        raise InvalidSetting(f"{values.named(path)} has more than {MAX_VALUES:,} values", (*path, MAX_VALUES))
    for index, each in enumerate(value):
        if not isinstance(each, str | int | float):
            raise InvalidSetting("each value must be a text, a number or a boolean", (*path, index))
    return Values(frozenset((isinstance(each, bool), each) for each in value))


_BOUNDS: values.Readers = {
    "min": values.natural,
    "max": values.natural,
}


def _bounds(value: Any, path: Path) -> Bounds:
    bounds = Bounds(**values.fields(value, path, _BOUNDS))
    if bounds == Bounds():
        raise InvalidSetting(f"{values.named(path)} needs a `min` or a `max`", path)
    if bounds.min is not None and bounds.max is not None and bounds.min > bounds.max:
        raise InvalidSetting("`min` is greater than `max`", (*path, "min"))
    return bounds


def _schema(value: Any, path: Path) -> Any:
    """A JSON Schema that is valid, whose references lead to places in itself, and whose patterns are run."""
    from toolsurface_lint.schemas.patterns import harmless
    from toolsurface_lint.schemas.references import resolve
    from toolsurface_lint.schemas.validation import schema_errors

    values.table(value, path)
    for problem in schema_errors(value):
        raise InvalidSetting("this is not a JSON Schema", (*path, *problem.at))
    for part in subschemas(value):
        reference = part.schema.get("$ref")
        if isinstance(reference, str) and (not reference.startswith("#") or resolve(value, reference) is None):
            raise InvalidSetting(f"`{reference}` leads nowhere in this schema", (*path, *part.path, "$ref"))
        for at, pattern, is_key in _patterns_in(part.schema):
            if harmless(pattern) is None:
                raise InvalidSetting(
                    "in a schema, only simple patterns are run, and this is none: use the test `pattern`",
                    (*path, *part.path, *at),
                    key=is_key,
                )
    if _is_endless(value):
        raise InvalidSetting("its references lead back to themselves without a step into the value", path)
    return value


def _patterns_in(schema: dict[str, Any]) -> Iterable[tuple[Path, str, bool]]:
    """The patterns of a schema, without its parts: where each is, and whether it is a key."""
    pattern = schema.get("pattern")
    if isinstance(pattern, str):
        yield ("pattern",), pattern, False
    for pattern in schema.get("patternProperties", ()):
        yield ("patternProperties", pattern), pattern, True


def _is_endless(root: Any) -> bool:
    """Whether a schema asks about one value for ever: its references and alternatives form a circle."""
    from toolsurface_lint.schemas.references import resolve

    done: set[int] = set()
    open_: set[int] = set()
    waiting: list[tuple[Any, bool]] = [(part.schema, False) for part in subschemas(root)]
    while waiting:
        schema, is_left = waiting.pop()
        if is_left:
            open_.discard(id(schema))
            done.add(id(schema))
            continue
        if id(schema) in open_:
            return True
        if id(schema) in done:
            continue
        open_.add(id(schema))
        waiting.append((schema, True))
        target = resolve(root, schema["$ref"]) if isinstance(schema.get("$ref"), str) else None
        same = [None if target is None else target.value, *(schema.get(key) for key in ("not", "if", "then", "else"))]
        for key in ("allOf", "anyOf", "oneOf"):
            same += schema.get(key, ())
        waiting += [(each, False) for each in same if isinstance(each, dict)]
    return False


def _true(value: Any, path: Path) -> bool:
    if value is not True:
        raise InvalidSetting(f"{values.named(path)} can only be true", path)
    return True


_READERS: values.Readers = {
    "pattern": _pattern,
    "not-pattern": _pattern,
    "one-of": _one_of,
    "not-one-of": _one_of,
    "length": _bounds,
    "count": _bounds,
    "required": values.boolean,
    "schema": _schema,
    "defined": values.choice(DECLARED, ACTIVE),
    "casing": values.choice(*CASINGS),
    "unique": _true,
}


# Messages, fixes and examples


def _check_placeholders(text: str, path: Path, form: SubjectForm) -> None:
    """Raise `InvalidSetting` for a field in braces that the subject does not have, at its place in the text."""
    for found in PLACEHOLDER.finditer(text):
        name = found[1]
        if name is None and len(found[0]) == 1:
            raise InvalidSetting(
                f"write `{found[0] * 2}` for a brace, or a field between two of them", path, at=found.start()
            )
        if name is None or name in OF_FINDINGS:
            continue
        relation, _, field = ("", "", name) if name.startswith("/") else name.rpartition(".")
        try:
            if relation and relation not in _relations(form):
                raise InvalidSetting(f"a `{form.name}` has no field `{name}`", path)
            _kind(field, form, relation, path)
        except InvalidSetting as wrong:
            raise InvalidSetting(wrong.message, path, at=found.start(1)) from None


FIX: values.Readers = {
    "replace": _pattern,
    "with": values.string,
}


def _fix(value: Any, path: Path) -> Rewrite:
    read = values.complete(values.fields(value, path, FIX), path, ("replace", "with"))
    group = missing_group(compiled(read["replace"]), read["with"])
    if group is not None:
        raise InvalidSetting("`replace` has no such group", (*path, "with"), at=group)
    return Rewrite(read["replace"], read["with"])


def _check_fix(fix: Rewrite, asserts: Iterable[Condition], form: SubjectForm, path: Path) -> None:
    """Raise `InvalidSetting` where a fix would rewrite a name: what refers to it would no longer find it."""
    for condition in asserts:
        field = field_of(form, condition.relation, condition.field)
        if condition.pointer == ("name",) or (field is not None and field.kind in (NAME, LIST)):
            raise InvalidSetting(
                f"`{condition.field}` is a name that others may refer to: a rule cannot rewrite it", path
            )


def _examples(value: Any, path: Path) -> tuple[dict[str, str], ...]:
    tables = values.array_of_tables(value, path)
    if len(tables) > MAX_EXAMPLES:
        raise InvalidSetting(f"there are more than {MAX_EXAMPLES} examples", (*path, MAX_EXAMPLES))
    return tuple(_example(table, (*path, index)) for index, table in enumerate(tables))


def _example(value: Any, path: Path) -> dict[str, str]:
    """The files of a small project by their paths: a text is one as it is, anything else is written as JSON."""
    import json

    files = values.table(value, path)
    if not files:
        raise InvalidSetting("an example needs a file: a path, and what is in it", path)
    for name in files:
        steps = name.split("/")
        if not name.isprintable() or "\\" in name or ":" in name or any(step in ("", ".", "..") for step in steps):
            raise InvalidSetting("write a relative path, such as `tools.json`", (*path, name), key=True)
    return {
        name: content if isinstance(content, str) else json.dumps(content, indent=2, ensure_ascii=False) + "\n"
        for name, content in files.items()
    }


EXAMPLES: values.Readers = {
    "fires": _examples,
    "silent": _examples,
}
RULE: values.Readers = {
    "code": _code,
    "subject": values.choice(*SUBJECTS),
    "where": _unread,
    "assert": _unread,
    "message": _text,
    "severity": values.choice(*SEVERITIES),
    "summary": _text,
    "help": _text,
    "url": _address,
    "tags": values.strings,
    "fix": _fix,
    "examples": lambda value, path: values.fields(value, path, EXAMPLES),
}
