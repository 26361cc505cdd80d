"""The value of each kind of Python expression, as far as it can be known."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.flow import MAX_ITERATIONS, returned
from toolsurface_lint.programs.operations import assumed, compare, operate, plain, plain_key, truth
from toolsurface_lint.programs.python import paths
from toolsurface_lint.programs.python.library import NAMES
from toolsurface_lint.programs.texts import interpolated, is_text, may_be_text, together
from toolsurface_lint.source.fstrings import written_text

if TYPE_CHECKING:
    from toolsurface_lint.programs.evaluator import Evaluator


_OPERATORS: dict[type, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Mod: "%", ast.BitOr: "|", ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is",
    ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip


def operator(node: ast.operator | ast.cmpop) -> str:
    return _OPERATORS.get(type(node), "")


def _name(evaluator: Evaluator, node: ast.Name, scope: v.Scope) -> v.Value:
    value = scope.find(node.id)
    if value is not None:
        return evaluator.resolve(value)
    if node.id == "__file__":
        return paths.file_path(scope.module, node)
    if node.id in NAMES:
        return v.External("builtins." + node.id, scope.module, node)
    return v.Unknown(f"`{node.id}`", scope.module, node)


def _attribute(evaluator: Evaluator, node: ast.Attribute, scope: v.Scope) -> v.Value:
    value = evaluator.evaluate(node.value, scope)
    found = paths.attribute(value, node.attr, scope.module, node) if isinstance(value, v.FilePath) else None
    return found or evaluator.attribute(value, node.attr, scope.module, node, node.value)


def _call(evaluator: Evaluator, node: ast.Call, scope: v.Scope) -> v.Value:
    function = evaluator.evaluate(node.func, scope)
    if isinstance(function, v.Hint) and isinstance(node.func, ast.Subscript):
        # `Registry[Context]()`; what `set[str]()` makes empty is filled elsewhere.
        generic = evaluator.evaluate(node.func.value, scope)
        is_builtin = isinstance(generic, v.External) and generic.root == "builtins"
        function = function if is_builtin else generic
    if isinstance(function, v.External) and function.path == "builtins.super":
        return _super(evaluator, scope, node)
    return evaluator.call(function, _arguments(evaluator, node, scope))


def _arguments(evaluator: Evaluator, node: ast.Call, scope: v.Scope) -> v.Call:
    """A call with its arguments, `*` and `**` spread where they are known."""
    module = scope.module
    call = v.Call(module, node)
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            elements = evaluator.elements(evaluator.evaluate(argument.value, scope))
            call.open = call.open or elements is None
            call.positional.extend(v.Argument(element, argument, module) for element in elements or ())
        else:
            call.positional.append(v.Argument(evaluator.evaluate(argument, scope), argument, module))
    for keyword in node.keywords:
        value = evaluator.evaluate(keyword.value, scope)
        if keyword.arg is not None:
            key = module.offsets.identifier(keyword, keyword.arg)
            call.keywords[keyword.arg] = v.Argument(value, keyword.value, module, key)
        elif isinstance(value, v.Mapping):
            call.open = call.open or not value.complete
            for name, entry in value.entries.items():
                call.keywords[str(name)] = v.Argument(entry.value, keyword.value, module)
        else:
            call.open = True
    return call


def _super(evaluator: Evaluator, scope: v.Scope, node: ast.expr) -> v.Value:
    at: v.Scope | None = scope
    while at is not None:
        if at.cls is not None and at.receiver is not None:
            return v.Super(at.cls, at.receiver)
        at = at.outer
    return v.Unknown(v.CALL, scope.module, node)


def _text(evaluator: Evaluator, node: ast.JoinedStr, scope: v.Scope) -> v.Value:
    module = scope.module
    whole = written_text(node)
    parts: list[v.Part] = []
    at = 0
    for part in node.values:
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            parts.append(v.Piece(part.value, module, node, whole, at))
            at += len(part.value)
        elif isinstance(part, ast.FormattedValue):
            value = evaluator.evaluate(part.value, scope)
            is_changed = part.format_spec is not None or part.conversion not in (-1, 115)
            parts.append(v.Unknown("a value written in a form of its own") if is_changed else value)
            at += 1
    return together(parts, module, node) or v.Unknown("a text put together at run time", module, node)


def _operation(evaluator: Evaluator, node: ast.BinOp, scope: v.Scope) -> v.Value:
    left = evaluator.evaluate(node.left, scope)
    right = evaluator.evaluate(node.right, scope)
    if isinstance(node.op, ast.BitOr) and not (isinstance(left, v.Mapping) and isinstance(right, v.Mapping)):
        return v.Hint(node, scope)
    value = operation(node.op, left, right, scope.module, node)
    return v.Unknown("a value put together at run time", scope.module, node) if value is None else value


def operation(symbol: ast.operator, left: v.Value, right: v.Value, module: v.Module, node: ast.AST) -> v.Value | None:
    """The value of a binary operation; None if it is not known."""
    name = operator(symbol)
    if name == "+" and (is_text(left) or is_text(right)) and may_be_text(left) and may_be_text(right):
        return together((left, right), module, node)
    if isinstance(symbol, ast.Div):
        return paths.divide(left, right, module, node)
    if name == "%" and is_text(left):
        return interpolated(left, right, module, node)
    return operate(name, left, right, module, node)


def _choice(evaluator: Evaluator, node: ast.BoolOp, scope: v.Scope) -> v.Value:
    wanted = isinstance(node.op, ast.Or)
    uncertain = by_setting = False
    value: v.Value = v.Literal(None)
    for operand in node.values:
        value = evaluator.evaluate(operand, scope)
        known, is_setting = truth(value)
        if known is wanted and not uncertain:
            break
        by_setting = by_setting or is_setting
        uncertain = uncertain or known is None
    if not uncertain:
        return assumed(value) if by_setting else value
    # `unknown or False` is off as far as anybody knows.
    if not isinstance(value, v.Literal) or (value.value is False and wanted):
        return value
    return v.Unknown("a value chosen at run time", scope.module, node)


def _comparison(evaluator: Evaluator, node: ast.Compare, scope: v.Scope) -> v.Value:
    left = evaluator.evaluate(node.left, scope)
    rights = [evaluator.evaluate(comparator, scope) for comparator in node.comparators]
    value = compare(operator(node.ops[0]), left, rights[0], scope.module, node) if len(rights) == 1 else None
    return v.Unknown("a comparison", scope.module, node) if value is None else value


def _unary(evaluator: Evaluator, node: ast.UnaryOp, scope: v.Scope) -> v.Value:
    value = evaluator.evaluate(node.operand, scope)
    if isinstance(node.op, ast.Not):
        known, by_setting = truth(value)
        if known is not None:
            return v.Literal(not known, scope.module, node, by_setting)
    elif isinstance(node.op, ast.USub) and isinstance(value, v.Literal) and type(value.value) in (int, float):
        return v.Literal(-value.value, scope.module, node, value.assumed)
    return v.Unknown("a value put together at run time", scope.module, node)


def _conditional(evaluator: Evaluator, node: ast.IfExp, scope: v.Scope) -> v.Value:
    known, by_setting = truth(evaluator.evaluate(node.test, scope))
    if known is not None:
        value = evaluator.evaluate(node.body if known else node.orelse, scope)
        return assumed(value) if by_setting else value
    values = [evaluator.evaluate(node.body, scope), evaluator.evaluate(node.orelse, scope)]
    for value, way in zip(values, (node.body, node.orelse), strict=True):
        if isinstance(value, v.Items) and isinstance(way, ast.Name) and not value.items:
            # `(here if known else there).append(it)`: it is filled now, or the other one is.
            value.add((), v.AT_RUN_TIME)
    return returned(values, scope.module, node)


def _subscript(evaluator: Evaluator, node: ast.Subscript, scope: v.Scope) -> v.Value:
    value = evaluator.evaluate(node.value, scope)
    if isinstance(value, v.External | v.Class | v.Hint):
        if isinstance(value, v.External) and value.path == "os.environ":
            return v.Unknown("an environment variable", scope.module, node)
        return v.Hint(node, scope)
    if isinstance(value, v.Literal) and isinstance(value.value, str) and isinstance(node.slice, ast.Slice):
        return _part(evaluator, value, node.slice, scope) or v.Unknown("part of a text", scope.module, node)
    if isinstance(value, v.Mapping | v.Items):
        key = plain_key(evaluator.evaluate(node.slice, scope))
        if isinstance(value, v.Mapping):
            entry = value.entries.get(key) if key is not None else None
            if entry is not None:
                return entry.value
        elif type(key) is int and -len(value.items) <= key < len(value.items) and value.complete:
            return value.items[key]
    if isinstance(value, v.Method):
        found = paths.element(value, plain(evaluator.evaluate(node.slice, scope)), scope.module, node)
        if found is not None:
            return found
    return v.Unknown("an element of " + v.describe(value), scope.module, node)


def _part(evaluator: Evaluator, text: v.Literal, node: ast.Slice, scope: v.Scope) -> v.Literal | None:
    """`text[1:-4]`"""
    bounds = (None if bound is None else plain(evaluator.evaluate(bound, scope)) for bound in (node.lower, node.upper))
    lower, upper = bounds
    if node.step is not None or any(bound is not None and type(bound) is not int for bound in (lower, upper)):
        return None
    return v.Literal(text.value[lower:upper], text.module, text.node, text.assumed)


def _items(evaluator: Evaluator, node: ast.List | ast.Tuple | ast.Set, scope: v.Scope) -> v.Value:
    kind = {ast.List: "list", ast.Tuple: "tuple"}.get(type(node), "set")
    items = v.Items([], scope.module, node, kind)
    evaluator.displays.append(items)
    try:
        for element in node.elts:
            if isinstance(element, ast.Starred):
                evaluator.extend(items, evaluator.evaluate(element.value, scope))
            else:
                items.items.append(evaluator.evaluate(element, scope))
    finally:
        evaluator.displays.pop()
    evaluator.known.note(items)
    return items


def _mapping(evaluator: Evaluator, node: ast.Dict, scope: v.Scope) -> v.Value:
    mapping = v.Mapping(scope.module, node)
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        value = evaluator.evaluate(value_node, scope)
        if key_node is None:
            if isinstance(value, v.Mapping):
                mapping.entries.update(value.entries)
                mapping.complete = mapping.complete and value.complete
            else:
                mapping.complete = False
            continue
        key = plain_key(evaluator.evaluate(key_node, scope))
        if key is None:
            mapping.complete = False
        else:
            mapping.entries[key] = v.Entry(v.Literal(key, scope.module, key_node), value)
    evaluator.known.note(mapping)
    return mapping


def _comprehension(
    evaluator: Evaluator, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, scope: v.Scope
) -> v.Value:
    items = v.Items([], scope.module, node, "set" if isinstance(node, ast.SetComp) else "list")
    evaluator.displays.append(items)
    try:
        for inner, unknown in _generate(evaluator, node.generators, v.Scope(scope.module, scope)):
            if unknown is not None:
                items.missing = unknown
                evaluator.evaluate(node.elt, inner)
            elif len(items.items) < MAX_ITERATIONS:
                items.items.append(evaluator.evaluate(node.elt, inner))
    finally:
        evaluator.displays.pop()
    return items


def _dict_comprehension(evaluator: Evaluator, node: ast.DictComp, scope: v.Scope) -> v.Value:
    mapping = v.Mapping(scope.module, node)
    for inner, unknown in _generate(evaluator, node.generators, v.Scope(scope.module, scope)):
        key = plain_key(evaluator.evaluate(node.key, inner))
        value = evaluator.evaluate(node.value, inner)
        if unknown is not None or key is None:
            mapping.complete = False
        elif len(mapping.entries) < MAX_ITERATIONS:
            mapping.entries[key] = v.Entry(v.Literal(key, scope.module, node.key), value)
    return mapping


def _generate(
    evaluator: Evaluator, generators: list[ast.comprehension], scope: v.Scope
) -> Iterator[tuple[v.Scope, str | None]]:
    """The scopes in which a comprehension's element is evaluated; with each, what it runs over if that is not known."""
    first, rest = generators[0], generators[1:]
    iterable = evaluator.evaluate(first.iter, scope)
    elements = evaluator.elements(iterable)
    runs: list[tuple[v.Value, str | None]] = [(element, None) for element in (elements or ())[:MAX_ITERATIONS]]
    if elements is None or (isinstance(iterable, v.Items) and not iterable.complete):
        runs.append((v.Unknown("an element of " + v.describe(iterable)), v.describe(iterable)))
    for element, unknown in runs:
        evaluator.step()
        inner = v.Scope(scope.module, scope)
        bind(evaluator, first.target, element, inner)
        if any(truth(evaluator.evaluate(test, inner))[0] is False for test in first.ifs):
            continue
        if not rest:
            yield inner, unknown
            continue
        for deeper, below in _generate(evaluator, rest, inner):
            yield deeper, unknown or below


def _named(evaluator: Evaluator, node: ast.NamedExpr, scope: v.Scope) -> v.Value:
    value = evaluator.evaluate(node.value, scope)
    bind(evaluator, node.target, value, scope)
    return value


def bind(evaluator: Evaluator, target: ast.expr, value: v.Value, scope: v.Scope) -> None:
    """Assign a value to what stands on the left."""
    if isinstance(target, ast.Name):
        evaluator.bind_name(target.id, value, scope)
    elif isinstance(target, ast.Tuple | ast.List):
        elements = evaluator.elements(value) or []
        starred = any(isinstance(element, ast.Starred) for element in target.elts)
        if starred or len(elements) != len(target.elts):
            elements = [v.Unknown("part of " + v.describe(value))] * len(target.elts)
        for part, element in zip(target.elts, elements, strict=True):
            bind(evaluator, part, element, scope)
    elif isinstance(target, ast.Starred):
        bind(evaluator, target.value, v.Unknown("the rest of a list"), scope)
    elif isinstance(target, ast.Attribute):
        evaluator.set_attribute(evaluator.evaluate(target.value, scope), target.attr, value)
    elif isinstance(target, ast.Subscript):
        holder = evaluator.evaluate(target.value, scope)
        if isinstance(holder, v.Mapping):
            key = plain_key(evaluator.evaluate(target.slice, scope))
            holder.complete = holder.complete and not evaluator.loops and key is not None
            if key is not None and len(holder.entries) < MAX_ITERATIONS:
                holder.entries[key] = v.Entry(v.Literal(key, scope.module, target.slice), value)
        elif isinstance(holder, v.Method):
            # `f.__annotations__["x"] = int`
            evaluator.set_attribute(holder.receiver, holder.name, v.Unknown(v.AT_RUN_TIME, scope.module, target))


EXPRESSIONS: dict[type, Callable[[Evaluator, Any, v.Scope], v.Value]] = {
    ast.Constant: lambda evaluator, node, scope: v.Literal(node.value, scope.module, node),
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.JoinedStr: _text,
    ast.BinOp: _operation,
    ast.BoolOp: _choice,
    ast.Compare: _comparison,
    ast.UnaryOp: _unary,
    ast.IfExp: _conditional,
    ast.Subscript: _subscript,
    ast.Lambda: lambda evaluator, node, scope: v.Function(node, v.LAMBDA, scope),
    ast.List: _items,
    ast.Tuple: _items,
    ast.Set: _items,
    ast.Dict: _mapping,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _dict_comprehension,
    ast.Await: lambda evaluator, node, scope: evaluator.evaluate(node.value, scope),
    ast.NamedExpr: _named,
}
