"""The values of a template's expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from jinja2 import nodes

from toolsurface_lint.chat_templates.dataflow.filters import apply_filter, apply_test
from toolsurface_lint.chat_templates.dataflow.methods import call_method
from toolsurface_lint.chat_templates.dataflow.operations import (
    attribute_of,
    calculate,
    compare,
    item_of,
    text_of,
)
from toolsurface_lint.chat_templates.dataflow.trace import Crash, Trace, Written
from toolsurface_lint.chat_templates.dataflow.values import (
    FUNCTIONS,
    Call,
    Function,
    Loop,
    Macro,
    Method,
    Namespace,
    NotFollowed,
    Role,
    Undefined,
    Value,
    measure,
)

MAX_STEPS = 50_000
"""Nodes that are followed, and 50 code points or one item for each other step: ten times what a long template takes."""

MAX_MACROS = 20
"""Macros inside each other that are followed."""

MAX_RANGE = 1000


class Expressions:
    """Evaluates expressions in scopes, within a number of steps."""

    def __init__(self, variables: dict[str, Value]) -> None:
        self.trace = Trace()
        self._scopes: list[dict[str, Value]] = [variables, {}]
        self._steps = 0
        self._macros = 0
        self._roles: set[int] = set()
        """Messages whose role was read, and names that were read, since somebody began to count."""
        self._names: set[str] = set()
        self._block = ""
        """The text of the block that is being filtered."""

    def _spend(self, steps: int) -> None:
        self._steps += steps
        if self._steps > MAX_STEPS:
            raise NotFollowed

    def _captured(self, body: list[nodes.Node]) -> str:
        """What statements write."""
        raise NotImplementedError

    def _truth(self, node: nodes.Node) -> bool:
        return bool(self._value(node))

    def _value(self, node: nodes.Node) -> Value:
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise NotFollowed
        evaluate = _EXPRESSIONS.get(type(node))
        if evaluate is None:
            raise NotFollowed
        try:
            value = evaluate(self, node)
        except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError, RuntimeError) as error:
            if isinstance(error, RecursionError):
                raise
            raise Crash(node, str(error)) from None
        if isinstance(value, str):
            self._steps += len(value) // 50
            if isinstance(value, Role):
                self._roles.add(value.of)
        return value

    def _lookup(self, name: str) -> Value:
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        return FUNCTIONS.get(name) or Undefined(name)

    def _name(self, node: nodes.Name) -> Value:
        self._names.add(node.name)
        return self._lookup(node.name)

    def _const(self, node: nodes.Const) -> Value:
        return node.value

    def _list(self, node: nodes.List) -> Value:
        return [self._value(each) for each in node.items]

    def _tuple(self, node: nodes.Tuple) -> Value:
        return tuple(self._value(each) for each in node.items)

    def _dict(self, node: nodes.Dict) -> Value:
        return {self._value(pair.key): self._value(pair.value) for pair in node.items}

    def _getattr(self, node: nodes.Getattr) -> Value:
        return attribute_of(self._value(node.node), node.attr)

    def _getitem(self, node: nodes.Getitem) -> Value:
        owner = self._value(node.node)
        if isinstance(node.arg, nodes.Slice):
            ends = (node.arg.start, node.arg.stop, node.arg.step)
            return owner[slice(*(None if each is None else self._value(each) for each in ends))]
        item = item_of(owner, self._value(node.arg))
        if isinstance(item, Call):
            self.trace.picked[node] = None
        return item

    def _arguments(self, node: nodes.Call | nodes.Filter | nodes.Test) -> tuple[tuple[Value, ...], dict[str, Value]]:
        if node.dyn_args is not None or node.dyn_kwargs is not None:
            raise NotFollowed
        return tuple(map(self._value, node.args)), {str(each.key): self._value(each.value) for each in node.kwargs}

    def _call(self, node: nodes.Call) -> Value:
        called = self._value(node.node)
        given, named = self._arguments(node)
        if isinstance(called, Macro):
            return self._call_macro(called, given, named)
        if isinstance(called, Method):
            self._spend(sum(map(measure, (called.owner, *given))) if not isinstance(called.owner, Loop) else 1)
            return call_method(called, given, named)
        if isinstance(called, Function):
            return self._call_function(node, called.name, given, named)
        raise Crash(node, f"{called.name!r} is undefined" if isinstance(called, Undefined) else "not callable")

    def _call_function(
        self, node: nodes.Call, name: str, given: tuple[Value, ...], named: Mapping[str, Value]
    ) -> Value:
        match name:
            case "raise_exception":
                raise Crash(node, text_of(given[0]) if given else "", is_refusal=True)
            case "namespace":
                return Namespace({**(given[0] if given else {}), **named})
            case "dict":
                return {**(dict(given[0]) if given else {}), **named}
            case "range":
                numbers = range(*given)
                if len(numbers) > MAX_RANGE:
                    raise NotFollowed
                return list(numbers)
            case "strftime_now":
                if len(given[0]) > 100:
                    raise NotFollowed
                return datetime(2025, 1, 2, 3, 4, 5).strftime(given[0])
            case "fromkeys":
                return dict.fromkeys(*given)
        raise NotFollowed

    def _call_macro(
        self, macro: Macro, given: tuple[Value, ...], named: Mapping[str, Value], caller: Macro | None = None
    ) -> str:
        names = [each.name for each in macro.node.args]
        if len(given) > len(names) or not named.keys() <= set(names) or self._macros >= MAX_MACROS:
            raise NotFollowed
        self._macros += 1
        outer, self._scopes = self._scopes, [*macro.scopes, {}]
        try:
            scope = self._scopes[-1]
            scope.update((name, Undefined(name)) for name in names)
            scope["caller"] = Undefined("caller") if caller is None else caller
            defaults = macro.node.defaults
            for name, default in zip(names[len(names) - len(defaults) :], defaults, strict=True):
                if name not in named and names.index(name) >= len(given):
                    scope[name] = self._value(default)
            scope.update(zip(names, given, strict=False))
            scope.update(named)
            return self._captured(macro.node.body)
        finally:
            self._scopes = outer
            self._macros -= 1

    def _filter(self, node: nodes.Filter) -> Value:
        value = self._block if node.node is None else self._value(node.node)
        given, named = self._arguments(node)
        self._spend(measure(value))
        found = apply_filter(node.name, value, given, named)
        if value is None and found == "None" and node.node is not None:
            self.trace.nulls.append(node.node)
        if node.name == "tojson":
            self.trace.encoded.append(Written(node, found))
        return found

    def _test(self, node: nodes.Test) -> Value:
        value = self._value(node.node)
        given, _ = self._arguments(node)
        if given:
            self._spend(measure(value) + measure(given[0]))
        return apply_test(node.name, value, given)

    def _compare(self, node: nodes.Compare) -> Value:
        left = self._value(node.expr)
        for operand in node.ops:
            right = self._value(operand.expr)
            self._spend(measure(left) + measure(right))
            if not compare(operand.op, left, right):
                return False
            left = right
        return True

    def _and(self, node: nodes.And) -> Value:
        return self._value(node.left) and self._value(node.right)

    def _or(self, node: nodes.Or) -> Value:
        return self._value(node.left) or self._value(node.right)

    def _not(self, node: nodes.Not) -> Value:
        return not self._value(node.node)

    def _conditional(self, node: nodes.CondExpr) -> Value:
        if self._truth(node.test):
            return self._value(node.expr1)
        return Undefined("the else branch") if node.expr2 is None else self._value(node.expr2)

    def _concat(self, node: nodes.Concat) -> Value:
        texts = []
        for each in node.nodes:
            value = self._value(each)
            self._spend(measure(value))
            texts.append(self._text_of(each, value))
        text = "".join(texts)
        measure(text)
        return text

    def _text_of(self, node: nodes.Node, value: Value) -> str:
        if value is None:
            self.trace.nulls.append(node)
        return text_of(value)

    def _binary(self, node: nodes.BinExpr) -> Value:
        left, right = self._value(node.left), self._value(node.right)
        value = calculate(type(node).__name__, left, right)
        if isinstance(value, list):
            self._spend(measure(value))
        return value

    def _sign(self, node: nodes.UnaryExpr) -> Value:
        value = self._value(node.node)
        return -value if isinstance(node, nodes.Neg) else +value


_EXPRESSIONS: Mapping[type, Callable[[Expressions, Any], Value]] = {
    nodes.Name: Expressions._name,
    nodes.Const: Expressions._const,
    nodes.List: Expressions._list,
    nodes.Tuple: Expressions._tuple,
    nodes.Dict: Expressions._dict,
    nodes.Getattr: Expressions._getattr,
    nodes.Getitem: Expressions._getitem,
    nodes.Call: Expressions._call,
    nodes.Filter: Expressions._filter,
    nodes.Test: Expressions._test,
    nodes.Compare: Expressions._compare,
    nodes.And: Expressions._and,
    nodes.Or: Expressions._or,
    nodes.Not: Expressions._not,
    nodes.CondExpr: Expressions._conditional,
    nodes.Concat: Expressions._concat,
    nodes.Neg: Expressions._sign,
    nodes.Pos: Expressions._sign,
    **dict.fromkeys(
        (nodes.Add, nodes.Sub, nodes.Mul, nodes.Div, nodes.FloorDiv, nodes.Mod, nodes.Pow), Expressions._binary
    ),
}
