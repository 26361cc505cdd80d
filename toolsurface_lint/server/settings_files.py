"""What may be written in a settings file, and what is said there: all of it from the schema of the settings."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from typing import Any

from lsprotocol import types

import toolsurface_lint
from toolsurface_lint.checks import pages
from toolsurface_lint.checks.index import RULES
from toolsurface_lint.knowledge.provider_names import ALIASES, PORTABLE, TITLES
from toolsurface_lint.project.settings import SHARED_FILE, TABLE
from toolsurface_lint.project.settings.loading import MAX_SETTINGS
from toolsurface_lint.project.settings.selection import ALL, names_code
from toolsurface_lint.project.settings.toml import toml_key, toml_value
from toolsurface_lint.reporters import HOME
from toolsurface_lint.server.completion import Candidates
from toolsurface_lint.source.files import read_bytes
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.toml.slots import HEADER, KEY, VALUE, Slot, slot_at, slots
from toolsurface_lint.source.tree import Path

_Schema = dict[str, Any]

_PAGE = f"{HOME}/blob/main/docs/settings.md"
_FEW = 12
"""Values that are listed in a line; of more, only the number is said."""


def offers(path: str, text: str, offset: int) -> Candidates | None:
    """What may be written at an offset of the settings file at a path; None where it is not ours to say."""
    found = slots(text) if len(text) <= MAX_SETTINGS else []
    slot = slot_at(found, offset)
    # What is offered takes the place of one line at most.
    if slot is None or (slot.text and "\n" in text[slot.whole.start : slot.whole.end]):
        return None
    root = _root(path)
    if slot.role == HEADER:
        whole = slot.whole
        return Candidates(whole, list(_headers(root, found, slot))) if _is_near(root, slot) else None
    here = _below(root, slot.path)
    if here is None:
        return None
    if slot.role == KEY:
        at_statement = not slot.is_inline and not _follows_dot(text, slot)
        items = [*_keys(here, found, slot), *(_headers(root, found, slot) if at_statement else ())]
    else:
        items = list(_values(here, found, slot))
    if not slot.text and not slot.quote:
        return Candidates(Span(offset, offset), items)
    return Candidates(slot.span if slot.quote and slot.role == VALUE else slot.whole, items)


def describe(path: str, text: str, offset: int) -> tuple[str, Span] | None:
    """Markdown about the setting at an offset of a settings file, or about the rule or provider there, and its place."""
    found = slots(text) if len(text) <= MAX_SETTINGS else []
    slot = next((one for one in found if one.text and one.span.start <= offset <= one.span.end), None)
    here = None if slot is None else _below(_root(path), slot.path)
    if slot is None or here is None:
        return None
    if slot.role == VALUE:
        said = _about(slot.text, _choices(_scalars(here)))
    else:
        names = _choices(one for schema in _schemas_at(here) for one in _meant(schema.get("propertyNames")))
        said = _about(slot.text, names) or _about_setting((*here, slot.text))
    return None if said is None else (said, slot.span if slot.role == HEADER else slot.whole)


# --- where ---------------------------------------------------------------------------------------------------------


def _root(path: str) -> Path:
    """The path of the table of the settings in a file."""
    return ("tool", TABLE) if os.path.basename(path) == SHARED_FILE else ()


def _below(root: Path, path: Path) -> Path | None:
    """A path from the table of the settings on; None outside of it."""
    return path[len(root) :] if path[: len(root)] == root else None


def _is_near(root: Path, slot: Slot) -> bool:
    """Whether a part of a header is one of a table of ours, or may become one."""
    names = tuple(step for step in slot.path if isinstance(step, str))
    return names[: len(root)] == root[: len(names)]


def _follows_dot(text: str, slot: Slot) -> bool:
    return text[: slot.whole.start].rstrip(" \t").endswith(".")


# --- the schema ----------------------------------------------------------------------------------------------------


@cache
def _schema() -> _Schema:
    file = os.path.join(os.path.dirname(toolsurface_lint.__file__), "settings.schema.json")
    schema: _Schema = json.loads(read_bytes(file, MAX_SETTINGS))
    return schema


def _meant(schema: Any) -> Iterator[_Schema]:
    """A schema and all that it is made of: what it refers to, and its alternatives."""
    if not isinstance(schema, dict):
        return
    yield schema
    reference = schema.get("$ref")
    if isinstance(reference, str):
        yield from _meant(_schema()["definitions"][reference.rpartition("/")[2]])
    for keyword in ("allOf", "anyOf", "oneOf"):
        for part in schema.get(keyword, ()):
            yield from _meant(part)


def _schemas_at(path: Path) -> list[_Schema]:
    """What is said of the value at a path of the settings, alternatives and all."""
    found = list(_meant(_schema()))
    for step in path:
        parts = [one for schema in found for one in _of_member(schema, step)]
        found = [one for part in parts for one in _meant(part)]
    return found


def _of_member(schema: _Schema, step: str | int) -> Iterator[Any]:
    if isinstance(step, int):
        yield schema.get("items")
    elif step in schema.get("properties", ()):
        yield schema["properties"][step]
    else:
        yield schema.get("additionalProperties")


def _choices(found: Iterable[_Schema]) -> dict[str, None]:
    """The texts that are named as values, in their order."""
    named = (one for schema in found for one in (*schema.get("enum", ()), schema.get("const")))
    return dict.fromkeys(one for one in named if isinstance(one, str))


def _scalars(path: Path) -> list[_Schema]:
    """What is said of a value at a path, and of an item of it: one value may stand for an array of it."""
    found = _schemas_at(path)
    return [*found, *(one for schema in found for one in _meant(schema.get("items")))]


def _is_table(found: Iterable[_Schema]) -> bool:
    return any(schema.get("type") == "object" for schema in found)


# --- what may be written -------------------------------------------------------------------------------------------


def _keys(here: Path, found: Iterable[Slot], slot: Slot) -> Iterator[types.CompletionItem]:
    """The keys that a table may have and has not."""
    given = {one.text for one in found if one.role != VALUE and one.path == slot.path and one is not slot}
    for schema in _schemas_at(here):
        for name in schema.get("properties", ()):
            inside = _schemas_at((*here, name))
            # A table is written with a header; in an inline table, there is no other way.
            if name not in given and (slot.is_inline or not _headed(inside)):
                yield _key(name, slot, types.CompletionItemKind.Property, _about_setting((*here, name)))
        names = _choices(_meant(schema.get("propertyNames")))
        for name in names:
            if name not in given:
                yield _key(name, slot, types.CompletionItemKind.Constant, _about(name, names))


def _key(name: str, slot: Slot, kind: types.CompletionItemKind, said: str | None) -> types.CompletionItem:
    written = toml_key(name)
    text = written if slot.has_value else f"{written} = "
    return types.CompletionItem(label=name, kind=kind, documentation=_markdown(said), insert_text=text)


def _headed(found: list[_Schema]) -> bool:
    """Whether a value is written under a header of its own: a table, or an array of tables, and nothing else is meant."""
    items = [one for schema in found for one in _meant(schema.get("items"))]
    return (_is_table(found) or _is_table(items)) and {*_types(found)} <= {"table", "array", "array of tables"}


def _headers(root: Path, found: list[Slot], slot: Slot) -> Iterator[types.CompletionItem]:
    """The headers of tables that may follow: of all those of the settings, and of those inside of tables that are there."""
    present = {(*_names(one.path), one.text) for one in found if one.role == HEADER and one is not slot}
    names = tuple(map(str, root))
    if slot.role == HEADER and root and names not in present:
        yield _header(names, slot, is_array=False, said=None)
    for path, is_array in _tables((), present, names):
        full = names + path
        if is_array or full not in present:
            yield _header(full, slot, is_array=is_array, said=_about_setting(_indexed(path)))


def _tables(
    path: tuple[str, ...], present: set[tuple[str, ...]], root: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], bool]]:
    for schema in _schemas_at(_indexed(path, inside=True)):
        for name in schema.get("properties", ()):
            inside = (*path, name)
            value = _schemas_at(_indexed(inside))
            if _headed(value):
                yield inside, not _is_table(value)
                if root + inside in present:
                    yield from _tables(inside, present, root)


def _indexed(path: tuple[str, ...], *, inside: bool = False) -> Path:
    """The names of a header as the path of a value; `inside`: of the table that it opens."""
    found: Path = ()
    for name in path:
        if found and any(schema.get("type") == "array" for schema in _schemas_at(found)):
            found = (*found, 0)
        found = (*found, name)
    if inside and any(schema.get("type") == "array" for schema in _schemas_at(found)):
        found = (*found, 0)
    return found


def _names(path: Path) -> tuple[str, ...]:
    return tuple(step for step in path if isinstance(step, str))


def _header(names: tuple[str, ...], slot: Slot, *, is_array: bool, said: str | None) -> types.CompletionItem:
    name = ".".join(map(toml_key, names))
    label = f"[[{name}]]" if is_array else f"[{name}]"
    return types.CompletionItem(
        label=label,
        kind=types.CompletionItemKind.Struct,
        documentation=_markdown(said),
        filter_text=label if slot.role == HEADER else names[-1],
        sort_text=f"~{label}",
    )


def _values(here: Path, found: Iterable[Slot], slot: Slot) -> Iterator[types.CompletionItem]:
    schemas = _scalars(here)
    beside = {one.text for one in found if one.role == VALUE and one.path[:-1] == slot.path[:-1] and one is not slot}
    given = beside if isinstance(slot.path[-1], int) else set()
    choices = _choices(schemas)
    for number, value in enumerate(choices):
        if value in given or not _is_telling(value, choices):
            continue
        yield types.CompletionItem(
            label=value,
            kind=types.CompletionItemKind.EnumMember,
            documentation=_markdown(_about(value, choices)),
            insert_text=value if slot.quote else toml_value(value),
            filter_text=value,
            sort_text=f"{number:05}",
        )
    if slot.quote:
        return
    plain = ["true", "false"] if any(schema.get("type") == "boolean" for schema in schemas) else []
    defaults = (schema["default"] for schema in schemas if "default" in schema and "enum" not in schema)
    for text in (*plain, *map(toml_value, defaults)):
        yield types.CompletionItem(label=text, kind=types.CompletionItemKind.Value)


def _is_telling(choice: str, choices: Collection[str]) -> bool:
    """Whether a choice says something of its own: a prefix of codes does so once, and if it means several of them."""
    is_prefix = f"{choice}_" in choices and choice not in RULES
    return not (choice.endswith("_") or (is_prefix and len(_rules(choice)) == 1))


# --- what is said --------------------------------------------------------------------------------------------------


def _about_setting(path: Path) -> str | None:
    """Markdown about a setting: its type, its default, what it means."""
    found = _schemas_at(path)
    description = next((schema["description"] for schema in found if "description" in schema), None)
    if description is None:
        return None
    head = [f"**`{path[-1]}`**", " or ".join(dict.fromkeys(_types(found)))]
    head.extend(f"default `{toml_value(schema['default'])}`" for schema in found if "default" in schema)
    return f"{' · '.join(filter(None, head))}\n\n{description}\n\n[Settings]({_PAGE})"


def _types(found: Iterable[_Schema]) -> Iterator[str]:
    """What a value may be, in words."""
    for one in found:
        choices = one.get("enum")
        kinds = one.get("type", ())
        if choices:
            yield ", ".join(f"`{choice}`" for choice in choices) if len(choices) <= _FEW else "a name"
        for kind in (kinds,) if isinstance(kinds, str) else kinds:
            is_tables = kind == "array" and _is_table(_meant(one.get("items")))
            yield "array of tables" if is_tables else _WORDS.get(kind, kind)


_WORDS = {"object": "table", "integer": "number"}


def _about(value: str, choices: Collection[str]) -> str | None:
    """Markdown about one of the choices of a setting: a rule, a prefix of rules, or a provider; None for other values."""
    if value not in choices:
        return None
    if value in RULES:
        return _about_rule(value)
    if all(one in TITLES or one in ALIASES or one == PORTABLE for one in choices):
        title = TITLES.get(ALIASES.get(value, value))
        return None if title is None else f"**`{value}`** · {title}"
    codes = _rules(value) if ALL in choices else ()
    lines = [f"- [`{code}`]({pages.url(code)})" for code in codes[:_FEW]]
    if len(codes) > _FEW:
        lines.append(f"- and {len(codes) - _FEW} more")
    return "\n".join(lines) or None


@cache
def _rules(selector: str) -> tuple[str, ...]:
    """The codes that a selector means."""
    return tuple(code for code in RULES if names_code(selector, code))


@cache
def _about_rule(code: str) -> str:
    page = pages.page(code) or ""
    rule = RULES[code]
    facts = f"`{rule.severity}`{' · off by default' if rule.preview else ''}"
    return f"**`{code}`** · {facts}\n\n{pages.first_paragraph(page)}\n\n[{code}]({pages.url(code)})"


def _markdown(text: str | None) -> types.MarkupContent | None:
    return None if text is None else types.MarkupContent(types.MarkupKind.Markdown, text)
