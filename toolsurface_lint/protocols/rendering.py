"""Rendering templates: with values, or in every branch; each character of the result knows where it comes from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple

from toolsurface_lint.protocols.expressions import BooleanOperation, Comparison, Expression, Filter, Literal, Path
from toolsurface_lint.protocols.includes import (
    MAX_INCLUDE_DEPTH,
    IncludeGraph,
    Includes,
    Missing,
    Resolver,
    TextIncludes,
)
from toolsurface_lint.protocols.response import DEFAULT_SENTINEL
from toolsurface_lint.protocols.template_parser import parse_template
from toolsurface_lint.protocols.template_values import FILTERS, FilterError, compare, display, truthy
from toolsurface_lint.protocols.templates import Block, Include, Node, Output, Template, TemplateError, Text, paths
from toolsurface_lint.source.text import Span

MAX_BRANCHES = 64
"""How many combinations of conditions are rendered; with more, each condition is turned once while the others stay."""
MAX_INCLUDED = 1 << 17
"""Code points of included text that all branches of a template render together: any number may include one large file."""


class Piece(NamedTuple):
    """A stretch of rendered text: where it begins, and the template and its span that it comes from.

    `literal`: it was copied character by character; else it is what the directive at `span` rendered.
    """

    start: int
    template: Template
    span: Span
    literal: bool


class Origin(NamedTuple):
    """Where rendered text comes from: a span of a template, of the rendered one or of one that it includes."""

    template: Template
    span: Span


class Rendering(NamedTuple):
    """A rendered template. `choices` are the conditions that were decided beforehand, with their source text.

    `is_cut`: there was more to include than `MAX_INCLUDED`.
    """

    template: Template
    text: str
    pieces: list[Piece]
    choices: Mapping[str, bool]
    is_cut: bool

    def origin(self, span: Span) -> Origin:
        """What a place in the rendered text comes from; of one that goes on in another template, its beginning."""
        if not self.pieces:
            return Origin(self.template, Span(0, 0))
        first = self._piece(span.start)
        start = self._place(first, span.start)
        if span.end <= span.start:
            return Origin(first.template, Span(start.start, start.start))
        last = self._piece(span.end - 1)
        end = self._place(last, span.end - 1).end if last.template is first.template else first.span.end
        return Origin(first.template, Span(start.start, max(start.start, end)))

    def _piece(self, offset: int) -> Piece:
        return self.pieces[max(bisect_right(self.pieces, offset, key=lambda piece: piece.start) - 1, 0)]

    @staticmethod
    def _place(piece: Piece, offset: int) -> Span:
        if not piece.literal:
            return piece.span
        place = min(piece.span.start + offset - piece.start, piece.span.end)
        return Span(place, min(place + 1, piece.span.end))


def render_template(text: str, values: Mapping[str, Any], include: Resolver | None = None) -> str:
    """The text of a template with values bound to its names.

    A plain name without a value stays as it is written, a path without one renders as nothing. `include` gives the text
    of a template that is included, None if there is none. Raises `TemplateError`, also for unknown filters.
    """
    return render(parse_template(text), values, TextIncludes(include)).text


def render(template: Template, values: Mapping[str, Any], includes: Includes | None = None) -> Rendering:
    """The template with values bound to its names. Raises `TemplateError`."""
    return _Renderer(template, includes or TextIncludes(None), None, None).rendering(values)


def render_branches(
    template: Template, values: Mapping[str, Any] | None = None, includes: Includes | None = None
) -> Iterator[Rendering]:
    """The template in every combination of its conditions, at most `MAX_BRANCHES`.

    A condition is taken apart at `and`, `or` and `not`; what remains is decided both ways, and the same text is decided
    the same way everywhere, in what is included too. A name that is decided to be false has no value, one that is true has
    that of `values`, else its own name; one that an include binds to a literal has that value, and decides by it. Loops run
    once or not at all; an include that cannot be followed renders as nothing, and so do those after `MAX_INCLUDED`.
    """
    includes = includes or Includes()
    budget = _Budget()
    atoms = _atoms(IncludeGraph(template, includes).templates.values())
    for choices in _combinations(atoms):
        bound = dict(values or {})
        for atom, chosen in choices.items():
            if atom.isidentifier():
                if not chosen:
                    bound.pop(atom, None)
                elif not truthy(bound.get(atom)):
                    bound[atom] = atom
        yield _Renderer(template, includes, choices, budget).rendering(bound)


def _atoms(templates: Iterable[Template]) -> list[str]:
    """The parts of conditions that are decided as a whole, and the loops, in the order of the texts."""
    atoms: dict[str, None] = {}
    for template in templates:
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


class _Written:
    """What has been rendered so far, by a template and by all that it includes."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.pieces: list[Piece] = []
        self.length = 0

    def add(self, text: str, template: Template, span: Span, literal: bool) -> None:
        if text:
            self.parts.append(text)
            self.pieces.append(Piece(self.length, template, span, literal))
            self.length += len(text)


class _Budget:
    """How much included text may still be rendered."""

    def __init__(self) -> None:
        self.left = MAX_INCLUDED

    def spend(self, template: Template) -> bool:
        self.left -= len(template.text) + 1
        return self.left >= 0


class _Renderer:
    """Renders one template. `choices` are those of a branch; None where every condition is decided by its value.

    `including` are the names of the templates around it; `fixed` are the names that includes have bound to literals.
    """

    def __init__(
        self,
        template: Template,
        includes: Includes,
        choices: Mapping[str, bool] | None,
        budget: _Budget | None,
        including: tuple[str, ...] = (),
        fixed: frozenset[str] = frozenset(),
    ) -> None:
        self.template = template
        self.includes = includes
        self.choices = choices
        self.budget = budget
        self.including = (*including, template.name)
        self.fixed = fixed
        self.scopes: list[Mapping[str, Any]] = []

    def rendering(self, values: Mapping[str, Any]) -> Rendering:
        written = _Written()
        self._render(values, written)
        is_cut = self.budget is not None and self.budget.left < 0
        return Rendering(self.template, "".join(written.parts), written.pieces, self.choices or {}, is_cut)

    def _render(self, values: Mapping[str, Any], written: _Written) -> None:
        template = self.template
        self.scopes = [values]
        # A stack of node lists instead of recursion: nesting is the input's choice.
        stack = [iter(template.nodes)]
        while stack:
            node = next(stack[-1], None)
            if node is None:
                stack.pop()
            elif isinstance(node, Text):
                written.add(template.text[node.span.start : node.span.end], template, node.span, True)
            elif isinstance(node, Output):
                written.add(self._output(node), template, node.directive.span, False)
            elif isinstance(node, Block):
                stack.append(self._turns(node) if node.kind == "for" else iter(self._chosen(node)))
            else:
                self._include(node, written)

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
        chosen = self._choice(condition)
        return truthy(self._value(condition, place)) if chosen is None else chosen

    def _choice(self, expression: Expression, prefix: str = "") -> bool | None:
        """How a condition or a loop was decided beforehand, None if its value decides."""
        if not self.choices:
            return None
        names = {path.name for path in paths(expression)}
        if names and names <= self.fixed:
            return None
        return self.choices.get(prefix + _source(self.template, expression))

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
        chosen = self._choice(iterable, "for ")
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

    def _include(self, node: Include, written: _Written) -> None:
        inner = self._included(node)
        if inner is None:
            return
        place = node.directive.span
        values = {name: value for scope in self.scopes for name, value in scope.items()}
        values.update((name, self._value(value, place)) for name, value in node.bindings)
        bound = {name for name, _ in node.bindings}
        literal = {name for name, value in node.bindings if isinstance(value, Literal)}
        fixed = (self.fixed - bound) | literal
        _Renderer(inner, self.includes, self.choices, self.budget, self.including, fixed)._render(values, written)

    def _included(self, node: Include) -> Template | None:
        """What an include renders; None, in a branch, where it cannot be followed."""
        place = node.directive.span
        strict = self.choices is None
        path = self._value(node.path, place) if strict or isinstance(node.path, Literal) else None
        if not isinstance(path, str):
            if strict:
                raise self._error("bad_include_path", place)
            return None
        inner = self.includes.find(self.template, path)
        if isinstance(inner, Missing):
            if strict:
                raise self._error("include_not_found", place, path=path)
            return None
        circular = inner.name in self.including
        if circular or len(self.including) > MAX_INCLUDE_DEPTH:
            if not strict:
                return None
            if circular:
                raise self._error("circular_include", place, path=path)
            raise self._error("include_depth", place, levels=MAX_INCLUDE_DEPTH)
        return inner if self.budget is None or self.budget.spend(inner) else None

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
            return compare(expression.operator, left, right)
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
        except FilterError as error:
            raise self._error("filter_value", place, filter=expression.name, wanted=str(error)) from None

    def _error(self, kind: str, span: Span, /, **values: object) -> TemplateError:
        return TemplateError(self.template.text, kind, span, **values)


_MISSING = object()


class RenderedBranch(NamedTuple):
    """One branch: its rendering, and the sentinel that it was rendered with.

    `sentinel` is empty where there is none, and None where the template has no variable for one.
    """

    rendering: Rendering
    sentinel: str | None


def sentinel_names(template: Template, includes: Includes | None = None) -> frozenset[str]:
    """The variables of a template, and of what it includes, that hold the completion sentinel: by their names."""
    templates = IncludeGraph(template, includes or Includes()).templates.values()
    return frozenset(name for each in templates for name, _ in each.free_names() if "sentinel" in name.lower())


def rendered_branches(
    template: Template, sentinel: str | None = None, includes: Includes | None = None
) -> list[RenderedBranch]:
    """Every branch of a template, each text once; those with the sentinel set come first.

    `sentinel` is its text, the usual one if it is not known or empty. A branch that cannot be rendered is left out.
    """
    names = sentinel_names(template, includes)
    if not names:
        return [RenderedBranch(rendering, None) for rendering in _renderings(template, {}, includes)]
    text = sentinel or DEFAULT_SENTINEL
    found: list[RenderedBranch] = []
    for values in (dict.fromkeys(names, text), {}):
        for rendering in _renderings(template, values, includes):
            chosen = [rendering.choices[name] for name in names if name in rendering.choices]
            is_set = all(chosen) if chosen else bool(values)
            # A condition on the sentinel is decided both ways whatever its value is.
            if is_set == bool(values):
                found.append(RenderedBranch(rendering, text if is_set else ""))
    return found


def _renderings(template: Template, values: Mapping[str, str], includes: Includes | None) -> Iterator[Rendering]:
    seen: set[str] = set()
    try:
        for rendering in render_branches(template, values, includes):
            if rendering.text not in seen:
                seen.add(rendering.text)
                yield rendering
    except TemplateError:
        # A filter that is unknown, or cannot use an invented value: no branch that needs it can be shown.
        return
