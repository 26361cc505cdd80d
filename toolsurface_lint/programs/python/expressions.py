"""The value of each kind of Python expression, as far as it can be known."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from toolsurface_lint.programs.flow import MAX_ITERATIONS, MAX_TEXT
from toolsurface_lint.programs.operations import compare, operate, plain_key, text_of, truth
from toolsurface_lint.programs.python.library import NAMES
from toolsurface_lint.programs.values import (
    CALL,
    LAMBDA,
    Argument,
    Call,
    Class,
    Entry,
    External,
    Function,
    Hint,
    Items,
    Literal,
    Mapping,
    Scope,
    Super,
    Unknown,
    Value,
    describe,
    returned,
)

if TYPE_CHECKING:
    from toolsurface_lint.programs.evaluator import Evaluator


_OPERATORS: dict[type, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Mod: "%", ast.BitOr: "|", ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is",
    ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip


def operator(node: ast.operator | ast.cmpop) -> str:
    return _OPERATORS.get(type(node), "")


def _constant(evaluator: Evaluator, node: ast.Constant, scope: Scope) -> Value:
    return Literal(node.value, scope.module, node)


def _name(evaluator: Evaluator, node: ast.Name, scope: Scope) -> Value:
    value = scope.find(node.id)
    if value is not None:
        return evaluator.resolve(value)
    if node.id in NAMES:
        return External("builtins." + node.id, scope.module, node)
    return Unknown(f"`{node.id}`", scope.module, node)


def _attribute(evaluator: Evaluator, node: ast.Attribute, scope: Scope) -> Value:
    return evaluator.attribute(evaluator.evaluate(node.value, scope), node.attr, scope.module, node, node.value)


def _call(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Value:
    function = evaluator.evaluate(node.func, scope)
    if isinstance(function, External) and function.path == "builtins.super":
        return _super(evaluator, scope, node)
    return evaluator.call(function, _arguments(evaluator, node, scope))


def _arguments(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Call:
    """A call with its arguments, `*` and `**` spread where they are known."""
    module = scope.module
    call = Call(module, node)
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            elements = evaluator.elements(evaluator.evaluate(argument.value, scope))
            call.open = call.open or elements is None
            call.positional.extend(Argument(element, argument, module) for element in elements or ())
        else:
            call.positional.append(Argument(evaluator.evaluate(argument, scope), argument, module))
    for keyword in node.keywords:
        value = evaluator.evaluate(keyword.value, scope)
        if keyword.arg is not None:
            key = module.offsets.identifier(keyword, keyword.arg)
            call.keywords[keyword.arg] = Argument(value, keyword.value, module, key)
        elif isinstance(value, Mapping):
            call.open = call.open or not value.complete
            for name, entry in value.entries.items():
                call.keywords[str(name)] = Argument(entry.value, keyword.value, module)
        else:
            call.open = True
    return call


def _super(evaluator: Evaluator, scope: Scope, node: ast.expr) -> Value:
    at: Scope | None = scope
    while at is not None:
        if at.cls is not None and at.receiver is not None:
            return Super(at.cls, at.receiver)
        at = at.outer
    return Unknown(CALL, scope.module, node)


def _text(evaluator: Evaluator, node: ast.JoinedStr, scope: Scope) -> Value:
    parts: list[str] = []
    assumed = False
    size = 0
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(str(part.value))
        elif isinstance(part, ast.FormattedValue):
            value = evaluator.evaluate(part.value, scope)
            text = text_of(value)
            if text is None or part.format_spec is not None or part.conversion not in (-1, 115):
                return Unknown("a text put together at run time", scope.module, node)
            assumed = assumed or (isinstance(value, Literal) and value.assumed)
            parts.append(text)
        size += len(parts[-1])
        if size > MAX_TEXT:
            return Unknown("a text put together at run time", scope.module, node)
    return Literal("".join(parts), scope.module, node, assumed)


def _operation(evaluator: Evaluator, node: ast.BinOp, scope: Scope) -> Value:
    left = evaluator.evaluate(node.left, scope)
    right = evaluator.evaluate(node.right, scope)
    if isinstance(node.op, ast.BitOr) and not (isinstance(left, Mapping) and isinstance(right, Mapping)):
        return Hint(node, scope)
    value = operate(operator(node.op), left, right, scope.module, node)
    return Unknown("a value put together at run time", scope.module, node) if value is None else value


def _choice(evaluator: Evaluator, node: ast.BoolOp, scope: Scope) -> Value:
    wanted = isinstance(node.op, ast.Or)
    uncertain = assumed = False
    value: Value = Literal(None)
    for operand in node.values:
        value = evaluator.evaluate(operand, scope)
        known, by_setting = truth(value)
        if known is wanted and not uncertain:
            break
        assumed = assumed or by_setting
        uncertain = uncertain or known is None
    if isinstance(value, Literal):
        if uncertain:
            # `unknown and False` is false all the same.
            return (
                value
                if bool(value.value) is not wanted and value.value is False
                else Unknown("a value chosen at run time", scope.module, node)
            )
        if assumed:
            return Literal(value.value, value.module, value.node, True)
    return value


def _comparison(evaluator: Evaluator, node: ast.Compare, scope: Scope) -> Value:
    left = evaluator.evaluate(node.left, scope)
    rights = [evaluator.evaluate(comparator, scope) for comparator in node.comparators]
    value = compare(operator(node.ops[0]), left, rights[0], scope.module, node) if len(rights) == 1 else None
    return Unknown("a comparison", scope.module, node) if value is None else value


def _unary(evaluator: Evaluator, node: ast.UnaryOp, scope: Scope) -> Value:
    value = evaluator.evaluate(node.operand, scope)
    if isinstance(node.op, ast.Not):
        known, assumed = truth(value)
        if known is not None:
            return Literal(not known, scope.module, node, assumed)
    elif isinstance(node.op, ast.USub) and isinstance(value, Literal) and type(value.value) in (int, float):
        return Literal(-value.value, scope.module, node, value.assumed)
    return Unknown("a value put together at run time", scope.module, node)


def _conditional(evaluator: Evaluator, node: ast.IfExp, scope: Scope) -> Value:
    known, assumed = truth(evaluator.evaluate(node.test, scope))
    if known is not None:
        value = evaluator.evaluate(node.body if known else node.orelse, scope)
        return Literal(value.value, value.module, value.node, True) if assumed and isinstance(value, Literal) else value
    return returned([evaluator.evaluate(node.body, scope), evaluator.evaluate(node.orelse, scope)], scope.module, node)


def _subscript(evaluator: Evaluator, node: ast.Subscript, scope: Scope) -> Value:
    value = evaluator.evaluate(node.value, scope)
    if isinstance(value, External | Class | Hint):
        if isinstance(value, External) and value.path == "os.environ":
            return Unknown("an environment variable", scope.module, node)
        return Hint(node, scope)
    if isinstance(value, Mapping | Items):
        key = plain_key(evaluator.evaluate(node.slice, scope))
        if isinstance(value, Mapping):
            entry = value.entries.get(key) if key is not None else None
            if entry is not None:
                return entry.value
        elif type(key) is int and -len(value.items) <= key < len(value.items) and value.complete:
            return value.items[key]
    return Unknown("an element of " + describe(value), scope.module, node)


def _lambda(evaluator: Evaluator, node: ast.Lambda, scope: Scope) -> Value:
    return Function(node, LAMBDA, scope)


def _items(evaluator: Evaluator, node: ast.List | ast.Tuple | ast.Set, scope: Scope) -> Value:
    kind = {ast.List: "list", ast.Tuple: "tuple"}.get(type(node), "set")
    items = Items([], scope.module, node, kind)
    evaluator.displays.append(node)
    try:
        for element in node.elts:
            if isinstance(element, ast.Starred):
                evaluator.extend(items, evaluator.evaluate(element.value, scope))
            else:
                items.items.append(evaluator.evaluate(element, scope))
    finally:
        evaluator.displays.pop()
    evaluator.known.gather(items)
    return items


def _mapping(evaluator: Evaluator, node: ast.Dict, scope: Scope) -> Value:
    mapping = Mapping(scope.module, node)
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        value = evaluator.evaluate(value_node, scope)
        if key_node is None:
            if isinstance(value, Mapping):
                mapping.entries.update(value.entries)
                mapping.complete = mapping.complete and value.complete
            else:
                mapping.complete = False
            continue
        key = plain_key(evaluator.evaluate(key_node, scope))
        if key is None:
            mapping.complete = False
        else:
            mapping.entries[key] = Entry(Literal(key, scope.module, key_node), value)
    evaluator.known.display(mapping)
    return mapping


def _comprehension(evaluator: Evaluator, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, scope: Scope) -> Value:
    items = Items([], scope.module, node, "set" if isinstance(node, ast.SetComp) else "list")
    evaluator.displays.append(node)
    try:
        for inner, unknown in _generate(evaluator, node.generators, Scope(scope.module, scope)):
            if unknown is not None:
                items.complete, items.missing = False, unknown
                evaluator.evaluate(node.elt, inner)
            elif len(items.items) < MAX_ITERATIONS:
                items.items.append(evaluator.evaluate(node.elt, inner))
    finally:
        evaluator.displays.pop()
    return items


def _dict_comprehension(evaluator: Evaluator, node: ast.DictComp, scope: Scope) -> Value:
    mapping = Mapping(scope.module, node)
    for inner, unknown in _generate(evaluator, node.generators, Scope(scope.module, scope)):
        key = plain_key(evaluator.evaluate(node.key, inner))
        value = evaluator.evaluate(node.value, inner)
        if unknown is not None or key is None:
            mapping.complete = False
        elif len(mapping.entries) < MAX_ITERATIONS:
            mapping.entries[key] = Entry(Literal(key, scope.module, node.key), value)
    return mapping


def _generate(
    evaluator: Evaluator, generators: list[ast.comprehension], scope: Scope
) -> Iterator[tuple[Scope, str | None]]:
    """The scopes in which a comprehension's element is evaluated; with each, what it runs over if that is not known."""
    first, rest = generators[0], generators[1:]
    iterable = evaluator.evaluate(first.iter, scope)
    elements = evaluator.elements(iterable)
    runs: list[tuple[Value, str | None]] = [(element, None) for element in (elements or ())[:MAX_ITERATIONS]]
    if elements is None or (isinstance(iterable, Items) and not iterable.complete):
        runs.append((Unknown("an element of " + describe(iterable)), describe(iterable)))
    for element, unknown in runs:
        evaluator.step()
        inner = Scope(scope.module, scope)
        bind(evaluator, first.target, element, inner)
        if any(truth(evaluator.evaluate(test, inner))[0] is False for test in first.ifs):
            continue
        if not rest:
            yield inner, unknown
            continue
        for deeper, below in _generate(evaluator, rest, inner):
            yield deeper, unknown or below


def _await(evaluator: Evaluator, node: ast.Await, scope: Scope) -> Value:
    return evaluator.evaluate(node.value, scope)


def _named(evaluator: Evaluator, node: ast.NamedExpr, scope: Scope) -> Value:
    value = evaluator.evaluate(node.value, scope)
    bind(evaluator, node.target, value, scope)
    return value


def bind(evaluator: Evaluator, target: ast.expr, value: Value, scope: Scope) -> None:
    """Assign a value to what stands on the left."""
    if isinstance(target, ast.Name):
        evaluator.bind_name(target.id, value, scope)
    elif isinstance(target, ast.Tuple | ast.List):
        elements = evaluator.elements(value) or []
        starred = any(isinstance(element, ast.Starred) for element in target.elts)
        if starred or len(elements) != len(target.elts):
            elements = [Unknown("part of " + describe(value))] * len(target.elts)
        for part, element in zip(target.elts, elements, strict=True):
            bind(evaluator, part, element, scope)
    elif isinstance(target, ast.Starred):
        bind(evaluator, target.value, Unknown("the rest of a list"), scope)
    elif isinstance(target, ast.Attribute):
        evaluator.set_attribute(evaluator.evaluate(target.value, scope), target.attr, value)
    elif isinstance(target, ast.Subscript):
        holder = evaluator.evaluate(target.value, scope)
        if isinstance(holder, Mapping):
            key = evaluator.evaluate(target.slice, scope)
            evaluator.set_item(holder, key, value, scope.module, target.slice)


EXPRESSIONS: dict[type, Callable[[Evaluator, Any, Scope], Value]] = {
    ast.Constant: _constant,
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
    ast.Lambda: _lambda,
    ast.List: _items,
    ast.Tuple: _items,
    ast.Set: _items,
    ast.Dict: _mapping,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _dict_comprehension,
    ast.Await: _await,
    ast.NamedExpr: _named,
}
