"""Whether a thing meets a condition, and if not, what of it does not and where that is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from toolsurface_lint.own_rules.language import ACTIVE, CASINGS, Condition, Test
from toolsurface_lint.own_rules.patterns import TooMuch, compiled
from toolsurface_lint.own_rules.subjects import PROSE, Read, SubjectForm, Thing, field_of, pointed, read_node, related
from toolsurface_lint.source.tree import Path, Place

if TYPE_CHECKING:
    from toolsurface_lint.model.surface import Surface
    from toolsurface_lint.source.problem import Problem

_MOST = 100
"""Problems of one value that are reported, each at its place in the value."""


class Failure(NamedTuple):
    """What breaks a test: a value at a place, what is wrong with it in words, and what of it a forbidden pattern matched.

    `prose`: it is a text that is only read, and not a name or a word that something compares. `other` is a place that
    explains it: where the same value stands before, or the field of what the thing is related to.
    """

    value: Any
    place: Place
    problem: str
    match: str | None = None
    prose: bool = False
    other: Place | None = None


def meets(thing: Thing, condition: Condition, form: SubjectForm) -> bool:
    """Whether a thing meets a condition of `where`: of a list, any item has to, or with a `not-` none may not.

    Where there is no value, only tests hold that forbid something. Raises `TooMuch`.
    """
    read, _ = read_field(thing, condition, form)
    return all(_holds(test, read, thing) for test in condition.tests)


def failures(thing: Thing, condition: Condition, form: SubjectForm) -> Iterator[Failure]:
    """What breaks a condition of `assert`, where every item of a list has to meet it.

    Where there is no value, `required` alone has something to say. `unique` of single values is not for one thing to
    answer: see `unique_in`. Raises `TooMuch`.
    """
    read, is_prose = read_field(thing, condition, form)
    found = _all_broken(condition, read, thing, is_prose)
    if condition.relation:
        # What is wrong is the thing, as it is related to this: the place of that is worth a look.
        found = (each._replace(place=thing.place, other=each.place, prose=False) for each in found)
    yield from found


def _all_broken(condition: Condition, read: Read, thing: Thing, is_prose: bool) -> Iterator[Failure]:
    for test in condition.tests:
        if test.name == "required":
            if is_there(read.value) != test.value:
                place = read.place if test.value else _key(read.place)
                yield Failure(read.value, place, "is missing" if test.value else "must not be there", prose=is_prose)
                return
        elif read.value is not None:
            yield from _broken(test, read, thing, is_prose)


def read_field(thing: Thing, condition: Condition, form: SubjectForm) -> tuple[Read, bool]:
    """What a thing has in the field of a condition, and whether that is prose."""
    of = related(thing, condition.relation)
    field = field_of(form, condition.relation, condition.field)
    if of is None:
        return Read(None, thing.place), False
    if field is not None:
        return field.read(of), field.kind == PROSE
    return read_node(None if of.node is None else pointed(of.node, condition.pointer or ()), of), False


def is_there(value: Any) -> bool:
    """Whether a value is one: not null, and not a blank text."""
    return not (value is None or (isinstance(value, str) and not value.strip()))


def unique_in(condition: Condition) -> bool:
    """Whether a condition asks for `unique`."""
    return any(test.name == "unique" for test in condition.tests)


def _key(place: Place) -> Place:
    """The key of a value that must not be there."""
    return place._replace(aspect="key") if place.aspect == "value" and place.path else place


def _holds(test: Test, read: Read, thing: Thing) -> bool:
    value = read.value
    name = test.name
    if name == "required":
        return is_there(value) is test.value
    if name in ("not-pattern", "not-one-of"):
        positive = _EACH[name.removeprefix("not-")]
        return not any(positive(test.value, each.value, thing) for each in _each(read))
    if value is None:
        return False
    if name in _WHOLE:
        return _WHOLE[name](test.value, value)
    return any(_EACH[name](test.value, each.value, thing) for each in _each(read))


def _broken(test: Test, read: Read, thing: Thing, is_prose: bool) -> Iterator[Failure]:
    name = test.name
    if name == "schema":
        yield from _invalid(test.value, read)
    elif name == "unique":
        yield from _repeated(read)
    elif name in _WHOLE:
        if not _WHOLE[name](test.value, read.value):
            problem = f"has {len(read.value):,} items" if isinstance(read.value, list) else "is not a list"
            yield Failure(read.value, read.place, problem)
    else:
        for each in _each(read):
            if name == "not-pattern":
                yield from _matched(test.value, each, is_prose)
            elif name == "not-one-of":
                if test.value.holds(each.value):
                    yield Failure(each.value, each.place, "is a value that is not allowed")
            elif not _EACH[name](test.value, each.value, thing) and not _is_unknowable(name, thing.surface):
                yield Failure(each.value, each.place, _problem(test, each.value), prose=is_prose)


def _each(read: Read) -> list[Read]:
    """The values that a test of single values is asked of."""
    if read.value is None:
        return []
    return list(read.items) if isinstance(read.value, list) else [read]


def _matched(pattern: str, read: Read, is_prose: bool) -> Iterator[Failure]:
    """What of a text is forbidden: in prose each match by itself; of a name, which is one thing, the whole."""
    text = read.value
    if not isinstance(text, str):
        return
    for start, end in compiled(pattern).spans(text):
        match = text[start:end]
        if not is_prose:
            yield Failure(text, read.place, "holds what is not allowed", match)
            return
        yield Failure(text, read.place.part(start, end), "holds what is not allowed", match, prose=True)


def _is_unknowable(name: str, surface: Surface | None) -> bool:
    """Whether a tool that nobody sees may be there all the same."""
    return name == "defined" and (surface is None or surface.open)


def _invalid(schema: Any, read: Read) -> Iterator[Failure]:
    tree, path = read.place.tree, read.place.path
    for problem in _problems_by(schema, read.value)[:_MOST]:
        value = read.value
        for step in problem.at:
            value = value[step]
        # What is put together from several values has no place for its parts.
        is_written = read.place.aspect == "value" and tree.at(path).value == read.value
        yield Failure(value, Place(tree, path + problem.at) if is_written else read.place, "breaks its schema")


def _problems_by(schema: Any, value: Any) -> list[Problem[Path]]:
    """What is wrong with a value by a schema. Raises `TooMuch`."""
    from toolsurface_lint.schemas.validation import SchemaValidator

    found = SchemaValidator(schema).decide(value)
    if found is None:
        raise TooMuch("its schema takes too many steps, or a text is too long for a pattern of it")
    return found


def _repeated(read: Read) -> Iterator[Failure]:
    """The items of a list that equal an earlier one."""
    first: dict[tuple[bool, Any], Place] = {}
    for item in read.items:
        if isinstance(item.value, str | int | float):
            before = first.setdefault((isinstance(item.value, bool), item.value), item.place)
            if before is not item.place:
                yield Failure(item.value, item.place, "is there twice", other=before)


def _problem(test: Test, value: Any) -> str:
    """What is wrong with a value that does not pass a test of single values."""
    if test.name == "defined":
        return f"is not the name of {'an active' if test.value == ACTIVE else 'a declared'} tool"
    if test.name == "one-of":
        return "is not one of the allowed values"
    if not isinstance(value, str):
        return "is not a text"
    if test.name == "length":
        return f"has {len(value):,} characters"
    return f"is not in {test.value}" if test.name == "casing" else "does not match"


# The tests of one value. A value of another type does not pass a test of texts.


def _pattern(pattern: str, value: Any, thing: Thing) -> bool:
    return isinstance(value, str) and compiled(pattern).matches(value)


def _one_of(values: Any, value: Any, thing: Thing) -> bool:
    return bool(values.holds(value))


def _length(bounds: Any, value: Any, thing: Thing) -> bool:
    return isinstance(value, str) and bounds.holds(len(value))


def _casing(casing: str, value: Any, thing: Thing) -> bool:
    return isinstance(value, str) and CASINGS[casing].fullmatch(value) is not None


def _defined(state: str, value: Any, thing: Thing) -> bool:
    surface = thing.surface
    if not isinstance(value, str) or surface is None:
        return False
    names = surface.active_names if state == ACTIVE else surface.by_name
    if value in names or value in surface.unread_names:
        return True
    if "*" not in value:
        return False
    matched = surface.active_matching(value, 1) if state == ACTIVE else surface.declared_matching(value, 1)
    return bool(matched[0])


def _count(bounds: Any, value: Any) -> bool:
    return isinstance(value, list) and bool(bounds.holds(len(value)))


def _schema(schema: Any, value: Any) -> bool:
    return not _problems_by(schema, value)


def _unique(_: bool, value: Any) -> bool:
    return isinstance(value, list) and len({(isinstance(each, bool), repr(each)) for each in value}) == len(value)


_EACH: dict[str, Callable[[Any, Any, Thing], bool]] = {
    "pattern": _pattern,
    "one-of": _one_of,
    "length": _length,
    "casing": _casing,
    "defined": _defined,
}
_WHOLE: dict[str, Callable[[Any, Any], bool]] = {"count": _count, "schema": _schema, "unique": _unique}
