"""Rendering templates: with values, or in every branch; each character of the result knows where it comes from."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple

from toolsurface_lint.protocols.expressions import BooleanOperation, Comparison, Expression, Filter, Literal, Path
from toolsurface_lint.protocols.response import DEFAULT_SENTINEL
from toolsurface_lint.protocols.template_parser import parse_template
from toolsurface_lint.protocols.templates import Block, Include, Node, Output, Template, TemplateError, Text
from toolsurface_lint.source.text import Span

MAX_INCLUDE_DEPTH = 32
MAX_BRANCHES = 64
"""How many combinations of conditions are rendered; with more, each condition is turned once while the others stay."""

Resolver = Callable[[str], str | None]


class Piece(NamedTuple):
    """A stretch of rendered text: where it begins, and the template's span that it comes from.

    `literal`: it was copied character by character; else it is what the directive at `span` rendered.
    """

    start: int
    span: Span
    literal: bool


class Rendering(NamedTuple):
    """A rendered template. `choices` are the conditions that were decided beforehand, with their source text."""

    text: str
    pieces: list[Piece]
    choices: Mapping[str, bool]

    def template_span(self, span: Span) -> Span:
        """The place in the template that a place in the rendered text comes from."""
        if not self.pieces:
            return Span(0, 0)
        start = self._place(span.start)
        if span.end <= span.start:
            return Span(start.start, start.start)
        return Span(start.start, max(start.start, self._place(span.end - 1).end))

    def _place(self, offset: int) -> Span:
        piece = self.pieces[max(bisect_right(self.pieces, offset, key=lambda piece: piece.start) - 1, 0)]
        if not piece.literal:
            return piece.span
        place = min(piece.span.start + offset - piece.start, piece.span.end)
        return Span(place, min(place + 1, piece.span.end))


def render_template(text: str, values: Mapping[str, Any], include: Resolver | None = None) -> str:
    """The text of a template with values bound to its names.

    A plain name without a value stays as it is written, a path without one renders as nothing. `include` gives the text
    of a template that is included, None if there is none. Raises `TemplateError`, also for unknown filters.
    """
    return render(parse_template(text), values, include).text


def render(template: Template, values: Mapping[str, Any], include: Resolver | None = None) -> Rendering:
    return _Renderer(template, values, include, {}, ()).rendering()


def render_branches(
    template: Template, values: Mapping[str, Any] | None = None, include: Resolver | None = None
) -> Iterator[Rendering]:
    """The template in every combination of its conditions, at most `MAX_BRANCHES`.

    A condition is taken apart at `and`, `or` and `not`; what remains is decided both ways, and the same text is decided
    the same way everywhere. A name that is decided to be false has no value, one that is true has that of `values`, else
    its own name. Loops run once or not at all; includes without a text render as nothing.
    """
    atoms = _atoms(template)
    for choices in _combinations(atoms):
        bound = dict(values or {})
        for atom, chosen in choices.items():
            if atom.isidentifier():
                if not chosen:
                    bound.pop(atom, None)
                elif not truthy(bound.get(atom)):
                    bound[atom] = atom
        yield _Renderer(template, bound, include or _nothing, choices, ()).rendering()


def _nothing(_: str) -> str:
    return ""


def _atoms(template: Template) -> list[str]:
    """The parts of conditions that are decided as a whole, and the loops, in the order of the text."""
    atoms: dict[str, None] = {}
    for node in template.walk():
        if not isinstance(node, Block):
            continue
        conditions = [branch.condition for branch in node.branches if branch.condition is not None]
        if node.kind == "for":
            atoms[f"for {_source(template, conditions.pop())}"] = None
        while conditions:
            part = conditions.pop(0)
            if isinstance(part, BooleanOperation):
                conditions[:0] = part.operands
            elif not isinstance(part, Literal):
                atoms[_source(template, part)] = None
    return list(atoms)


def _source(template: Template, expression: Expression) -> str:
    return " ".join(template.text[expression.span.start : expression.span.end].split())


def _combinations(atoms: list[str]) -> Iterator[dict[str, bool]]:
    if 2 ** len(atoms) <= MAX_BRANCHES:
        for chosen in product((True, False), repeat=len(atoms)):
            yield dict(zip(atoms, chosen, strict=True))
        return
    for base in (True, False):
        yield dict.fromkeys(atoms, base)
        for atom in atoms[: MAX_BRANCHES // 2 - 1]:
            yield {**dict.fromkeys(atoms, base), atom: not base}


class _Renderer:
    def __init__(
        self,
        template: Template,
        values: Mapping[str, Any],
        include: Resolver | None,
        choices: Mapping[str, bool],
        including: tuple[str, ...],
    ) -> None:
        self.template = template
        self.include = include
        self.choices = choices
        self.including = including
        self.scopes: list[Mapping[str, Any]] = [values]
        self.parts: list[str] = []
        self.pieces: list[Piece] = []
        self.length = 0

    def rendering(self) -> Rendering:
        # A stack of node lists instead of recursion: nesting is the input's choice.
        stack = [iter(self.template.nodes)]
        while stack:
            node = next(stack[-1], None)
            if node is None:
                stack.pop()
            elif isinstance(node, Text):
                self._write(self.template.text[node.span.start : node.span.end], node.span, True)
            elif isinstance(node, Output):
                self._write(self._output(node), node.directive.span, False)
            elif isinstance(node, Block):
                stack.append(self._turns(node) if node.kind == "for" else iter(self._chosen(node)))
            else:
                self._write(self._included(node), node.directive.span, False)
        return Rendering("".join(self.parts), self.pieces, self.choices)

    def _write(self, text: str, span: Span, literal: bool) -> None:
        if text:
            self.parts.append(text)
            self.pieces.append(Piece(self.length, span, literal))
            self.length += len(text)

    def _output(self, node: Output) -> str:
        if isinstance(node.expression, Path) and node.bare:
            value = self._lookup(node.expression.name, _MISSING)
            return f"{{{{{node.expression.name}}}}}" if value is _MISSING else display(value)
        return display(self._value(node.expression, node.directive.span))

    def _chosen(self, block: Block) -> list[Node]:
        for branch in block.branches:
            if branch.condition is None or self._holds(branch.condition, branch.directive.span):
                return branch.body
        return []

    def _holds(self, condition: Expression, place: Span) -> bool:
        if isinstance(condition, BooleanOperation):
            holds = [self._holds(operand, place) for operand in condition.operands]
            return {"and": all(holds), "or": any(holds), "not": not holds[0]}[condition.operator]
        chosen = self.choices.get(_source(self.template, condition)) if self.choices else None
        return truthy(self._value(condition, place)) if chosen is None else chosen

    def _turns(self, block: Block) -> Iterator[Node]:
        """The nodes of every turn of a loop; each turn's variables are in scope until its last node is rendered."""
        loop, *otherwise = block.branches
        assert loop.condition is not None
        items = self._items(loop.condition, block.names[-1], loop.directive.span)
        if not items and otherwise:
            yield from otherwise[0].body
        for index, (key, value) in enumerate(items):
            scope: dict[str, Any] = {
                block.names[-1]: value,
                "loop": {
                    "index": index + 1,
                    "index0": index,
                    "first": index == 0,
                    "last": index == len(items) - 1,
                    "length": len(items),
                },
            }
            if len(block.names) == 2:
                scope[block.names[0]] = key
            self.scopes.append(scope)
            yield from loop.body
            self.scopes.pop()

    def _items(self, iterable: Expression, variable: str, place: Span) -> list[tuple[Any, Any]]:
        chosen = self.choices.get(f"for {_source(self.template, iterable)}")
        if chosen is False:
            return []
        value = self._value(iterable, place)
        if chosen and not (isinstance(value, (list, tuple, dict)) and value):
            return [(0, variable)]
        if value is None:
            return []
        if isinstance(value, (list, tuple)):
            return list(enumerate(value))
        if isinstance(value, Mapping):
            return sorted(value.items(), key=lambda item: str(item[0]))
        raise self._error("not_iterable", place)

    def _included(self, node: Include) -> str:
        place = node.directive.span
        path = self._value(node.path, place)
        if self.include is _nothing:
            return ""
        if not isinstance(path, str):
            raise self._error("bad_include_path", place)
        if path in self.including:
            raise self._error("circular_include", place, path=path)
        if len(self.including) >= MAX_INCLUDE_DEPTH:
            raise self._error("include_depth", place, levels=MAX_INCLUDE_DEPTH)
        text = None if self.include is None else self.include(path)
        if text is None:
            raise self._error("include_not_found", place, path=path)
        values = {name: value for scope in self.scopes for name, value in scope.items()}
        values.update((name, self._value(value, place)) for name, value in node.bindings)
        inner = parse_template(text)
        return _Renderer(inner, values, self.include, {}, (*self.including, path)).rendering().text

    def _lookup(self, name: str, default: Any = None) -> Any:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return default

    def _value(self, expression: Expression, place: Span) -> Any:
        if isinstance(expression, Literal):
            return expression.value
        if isinstance(expression, Path):
            return self._path(expression)
        if isinstance(expression, BooleanOperation):
            return self._boolean(expression, place)
        if isinstance(expression, Comparison):
            left, right = self._value(expression.left, place), self._value(expression.right, place)
            return _compare(expression.operator, left, right)
        value = self._value(expression.operand, place)
        arguments = [self._value(argument, place) for argument in expression.arguments]
        return self._filter(expression, value, arguments, place)

    def _boolean(self, expression: BooleanOperation, place: Span) -> Any:
        value = None
        for operand in expression.operands:
            value = self._value(operand, place)
            if truthy(value) == (expression.operator == "or"):
                break
        return not truthy(value) if expression.operator == "not" else value

    def _path(self, path: Path) -> Any:
        value = self._lookup(path.name)
        for step in path.steps[1:]:
            if isinstance(step, int):
                inside = isinstance(value, (list, tuple, str)) and -len(value) <= step < len(value)
                value = value[step] if inside else None
            else:
                value = value.get(step) if isinstance(value, Mapping) else None
        return value

    def _filter(self, expression: Filter, value: Any, arguments: list[Any], place: Span) -> Any:
        if expression.name not in FILTERS:
            raise self._error("unknown_filter", place, filter=expression.name)
        least, most, apply = FILTERS[expression.name]
        if not least <= len(arguments) <= most:
            raise self._error("filter_arguments", place, filter=expression.name, count=len(arguments))
        try:
            return apply(value, *arguments)
        except _FilterError as error:
            raise self._error("filter_value", place, filter=expression.name, wanted=str(error)) from None

    def _error(self, kind: str, span: Span, /, **values: object) -> TemplateError:
        return TemplateError(self.template.text, kind, span, **values)


_MISSING = object()


# Values


def truthy(value: Any) -> bool:
    """Whether a condition takes a value for true: nil, false, zero, blank text and empty collections are not."""
    return bool(value.strip()) if isinstance(value, str) else bool(value)


def display(value: Any) -> str:
    """A value as rendered text; nil is empty at the top and `nil` inside a collection."""
    return "" if value is None else _shown(value)


def _shown(value: Any) -> str:
    if value is None:
        return "nil"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_shown(item) for item in value) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_shown(value[key])}" for key in sorted(value)) + "}"
    return str(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _compare(operator: str, left: Any, right: Any) -> bool:
    if operator in ("==", "!="):
        equal = left == right and isinstance(left, bool) == isinstance(right, bool)
        return equal == (operator == "==")
    if not (_is_number(left) and _is_number(right)) and not (isinstance(left, str) and isinstance(right, str)):
        return False
    if operator in ("<", "<="):
        return bool(left < right or (operator == "<=" and left == right))
    return bool(left > right or (operator == ">=" and left == right))


class _FilterError(Exception):
    """A filter cannot use this value; the message names what it takes."""


def _title(value: Any) -> str:
    letters = []
    inside = False
    for letter in display(value):
        letters.append(letter.lower() if inside else letter.upper())
        inside = not letter.isspace()
    return "".join(letters)


def _length(value: Any) -> int:
    if value is None:
        return 0
    if isinstance(value, (str, list, tuple, Mapping)):
        return len(value)
    raise _FilterError("text, list or dict")


def _end(index: int) -> Callable[[Any], Any]:
    return lambda value: value[index] if isinstance(value, (str, list, tuple)) and value else None


def _reverse(value: Any) -> Any:
    return value[::-1] if isinstance(value, (str, list, tuple)) else value


def _join(value: Any, separator: Any) -> str:
    if isinstance(value, str):
        return value
    if not isinstance(value, (list, tuple)):
        raise _FilterError("list")
    return display(separator).join(display(item) for item in value)


def _json(value: Any, pretty: Any = None) -> str:
    if truthy(pretty):
        return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True, default=str)
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, sort_keys=True, default=str)


def _indent(value: Any, width: Any, first: Any = None) -> str:
    if not isinstance(width, int) or isinstance(width, bool):
        raise _FilterError("whole number")
    pad = " " * max(width, 0)
    lines = display(value).split("\n")
    return "\n".join(pad + line if line and (number or truthy(first)) else line for number, line in enumerate(lines))


def _escape_md(value: Any) -> str:
    return "".join("\\" + letter if letter in "\\`*_{}[]()#+-.!|<>" else letter for letter in display(value))


FILTERS: dict[str, tuple[int, int, Callable[..., Any]]] = {
    "upper": (0, 0, lambda value: display(value).upper()),
    "lower": (0, 0, lambda value: display(value).lower()),
    "trim": (0, 0, lambda value: display(value).strip()),
    "capitalize": (0, 0, lambda value: display(value).capitalize()),
    "title": (0, 0, _title),
    "length": (0, 0, _length),
    "first": (0, 0, _end(0)),
    "last": (0, 0, _end(-1)),
    "reverse": (0, 0, _reverse),
    "lines": (0, 0, lambda value: display(value).split("\n")),
    "escape_md": (0, 0, _escape_md),
    "join": (1, 1, _join),
    "default": (1, 1, lambda value, other: value if truthy(value) else other),
    "json": (0, 1, _json),
    "indent": (1, 2, _indent),
    "replace": (2, 2, lambda value, old, new: display(value).replace(display(old), display(new))),
}
"""The least and the most arguments of each filter, and what it does with them."""


class RenderedBranch(NamedTuple):
    """One branch: its rendering, and the sentinel that it was rendered with.

    `sentinel` is empty where there is none, and None where the template has no variable for one.
    """

    rendering: Rendering
    sentinel: str | None


def sentinel_names(template: Template) -> frozenset[str]:
    """The variables of a template that hold the completion sentinel: those whose name says so."""
    return frozenset(name for name, _ in template.free_names() if "sentinel" in name.lower())


def rendered_branches(template: Template, sentinel: str | None = None) -> list[RenderedBranch]:
    """Every branch of a template, each text once; those with the sentinel set come first.

    `sentinel` is its text, the usual one if it is not known or empty. A branch that cannot be rendered is left out.
    """
    names = sentinel_names(template)
    if not names:
        return [RenderedBranch(rendering, None) for rendering in _renderings(template, {})]
    text = sentinel or DEFAULT_SENTINEL
    found: list[RenderedBranch] = []
    for values in (dict.fromkeys(names, text), {}):
        for rendering in _renderings(template, values):
            chosen = [rendering.choices[name] for name in names if name in rendering.choices]
            is_set = all(chosen) if chosen else bool(values)
            # A condition on the sentinel is decided both ways whatever its value is.
            if is_set == bool(values):
                found.append(RenderedBranch(rendering, text if is_set else ""))
    return found


def _renderings(template: Template, values: Mapping[str, str]) -> Iterator[Rendering]:
    seen: set[str] = set()
    try:
        for rendering in render_branches(template, values):
            if rendering.text not in seen:
                seen.add(rendering.text)
                yield rendering
    except TemplateError:
        # A filter that is unknown, or cannot use an invented value: no branch that needs it can be shown.
        return
