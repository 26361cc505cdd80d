"""Follows a template over one conversation, and notes which node wrote what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple, NoReturn

from jinja2 import nodes

from toolsurface_lint.chat_templates.dataflow.operations import (
    apply_filter,
    apply_test,
    attribute_of,
    calculate,
    call_method,
    compare,
    item_of,
    items_of,
    text_of,
)
from toolsurface_lint.chat_templates.dataflow.values import (
    FUNCTIONS,
    Call,
    Function,
    Loop,
    Macro,
    Message,
    Method,
    Namespace,
    NotFollowed,
    Role,
    Tool,
    Undefined,
    Value,
    conversation_values,
    measure,
)

MAX_STEPS = 200_000
"""Nodes that are followed, and 50 code points or one item for each other step."""

MAX_MACROS = 20
"""Macros inside each other that are followed."""

MAX_RANGE = 1000


class Crash(Exception):
    """Rendering fails at a node; `is_refusal` if the template says so by `raise_exception`."""

    def __init__(self, node: nodes.Node, message: str, is_refusal: bool = False) -> None:
        super().__init__(message)
        self.node = node
        self.message = message
        self.is_refusal = is_refusal


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


class Written(NamedTuple):
    """What a node of an output has written."""

    node: nodes.Node
    text: str


class Trace:
    """What following a template over a conversation has shown."""

    def __init__(self) -> None:
        self.text: str | None = None
        """What is rendered; None if rendering crashes, or if it was not followed to its end."""
        self.crash: Crash | None = None
        self.written: list[Written] = []
        """In the order of the run. What a macro writes is there twice: first by its own nodes."""
        self.encoded: list[Written] = []
        """What `tojson` has made of something."""
        self.handlers: dict[int, nodes.If] = {}
        """The innermost branch that was taken for the role of the message at an index, and that wrote something."""
        self.loops: dict[type, list[nodes.For]] = {}
        """The loops over messages, calls and tools that wrote something."""
        self.reads: dict[str, nodes.If] = {}
        """The first condition that asks for each variable of the conversation."""


class Evaluation:
    def __init__(self, variables: Mapping[str, Value]) -> None:
        self.trace = Trace()
        self._scopes: list[dict[str, Value]] = [conversation_values(variables), {}]
        self._steps = 0
        self._macros = 0
        self._roles: set[int] = set()
        self._names: set[str] = set()
        self._output: list[str] = []

    def follow(self, root: nodes.Template) -> Trace:
        trace = self.trace
        try:
            self._run(root.body)
            trace.text = "".join(self._output)
        except Crash as crash:
            trace.crash = crash
        except (NotFollowed, _Break, _Continue, RecursionError):
            pass
        return trace

    def _spend(self, steps: int) -> None:
        self._steps += steps
        if self._steps > MAX_STEPS:
            raise NotFollowed

    # --- statements ---

    def _run(self, body: list[nodes.Node]) -> None:
        for statement in body:
            self._spend(1)
            run = _STATEMENTS.get(type(statement))
            if run is None:
                raise NotFollowed
            run(self, statement)

    def _run_output(self, node: nodes.Output) -> None:
        for each in node.nodes:
            if isinstance(each, nodes.TemplateData):
                text = each.data
            else:
                value = self._value(each)
                self._spend(measure(value))
                text = text_of(value)
            if text:
                self._spend(len(text) // 50)
                self._output.append(text)
                self.trace.written.append(Written(each, text))

    def _run_if(self, node: nodes.If) -> None:
        for branch in (node, *node.elif_):
            outer_roles, self._roles = self._roles, set()
            outer_names, self._names = self._names, set()
            is_taken = self._truth(branch.test)
            roles, self._roles = self._roles, self._roles | outer_roles
            for name in self._names:
                self.trace.reads.setdefault(name, branch)
            self._names |= outer_names
            if is_taken:
                self._run_branch(branch, roles)
                return
        self._run(node.else_)

    def _run_branch(self, branch: nodes.If, roles: set[int]) -> None:
        handlers = self.trace.handlers
        before = {role: handlers.get(role) for role in roles}
        handlers.update(dict.fromkeys(roles, branch))
        count = len(self.trace.written)
        try:
            self._run(branch.body)
        finally:
            if len(self.trace.written) == count:
                for role, handler in before.items():
                    if handler is not None and handlers[role] is branch:
                        handlers[role] = handler

    def _run_for(self, node: nodes.For) -> None:
        if node.recursive:
            raise NotFollowed
        value = self._value(node.iter)
        try:
            items = items_of(value)
        except TypeError as error:
            raise Crash(node.iter, str(error)) from None
        self._spend(len(items))
        if node.test is not None:
            items = [item for item in items if self._passes(node, item)]
        if not items:
            self._run(node.else_)
            return
        loop = Loop(list(items))
        count = len(self.trace.written)
        for index, item in enumerate(items):
            loop.at = index
            self._scopes.append({"loop": loop})
            try:
                self._bind(node.target, item)
                self._run(node.body)
            except _Continue:
                continue
            except _Break:
                break
            finally:
                self._scopes.pop()
                self._note_loop(node, items[0], count)

    def _passes(self, node: nodes.For, item: Value) -> bool:
        assert node.test is not None
        self._scopes.append({})
        try:
            self._bind(node.target, item)
            return self._truth(node.test)
        finally:
            self._scopes.pop()

    def _note_loop(self, node: nodes.For, item: Value, count: int) -> None:
        kind = type(item)
        if kind in (Message, Call, Tool) and len(self.trace.written) > count:
            loops = self.trace.loops.setdefault(kind, [])
            if node not in loops:
                loops.append(node)

    def _run_assign(self, node: nodes.Assign) -> None:
        self._bind(node.target, self._value(node.node))

    def _bind(self, target: nodes.Node, value: Value) -> None:
        if isinstance(target, nodes.Name):
            self._scopes[-1][target.name] = value
        elif isinstance(target, nodes.NSRef):
            owner = self._lookup(target.name)
            if not isinstance(owner, Namespace):
                raise Crash(target, "cannot assign attribute on non-namespace object")
            owner.attributes[target.attr] = value
        elif isinstance(target, nodes.Tuple):
            try:
                items = items_of(value)
            except TypeError as error:
                raise Crash(target, str(error)) from None
            if len(items) != len(target.items):
                raise Crash(target, f"{len(items)} values for {len(target.items)} names")
            for each, item in zip(target.items, items, strict=True):
                self._bind(each, item)

    def _run_assign_block(self, node: nodes.AssignBlock) -> None:
        text = self._captured(node.body)
        self._bind(node.target, text if node.filter is None else self._filtered(node.filter, text))

    def _captured(self, body: list[nodes.Node]) -> str:
        outer, self._output = self._output, []
        try:
            self._run(body)
            return "".join(self._output)
        finally:
            self._output = outer

    def _run_filter_block(self, node: nodes.FilterBlock) -> None:
        text = text_of(self._filtered(node.filter, self._captured(node.body)))
        self._output.append(text)
        self.trace.written.append(Written(node.filter, text))

    def _run_macro(self, node: nodes.Macro) -> None:
        self._scopes[-1][node.name] = Macro(node, list(self._scopes))

    def _run_scope(self, node: nodes.Scope | nodes.Block) -> None:
        self._scopes.append({})
        try:
            self._run(node.body)
        finally:
            self._scopes.pop()

    def _run_with(self, node: nodes.With) -> None:
        values = [self._value(each) for each in node.values]
        self._scopes.append({})
        try:
            for target, value in zip(node.targets, values, strict=True):
                self._bind(target, value)
            self._run(node.body)
        finally:
            self._scopes.pop()

    def _run_break(self, node: nodes.Node) -> NoReturn:
        raise _Break

    def _run_continue(self, node: nodes.Node) -> NoReturn:
        raise _Continue

    # --- expressions ---

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
                self._roles.add(value.index)
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
        return item_of(owner, self._value(node.arg))

    def _arguments(self, node: nodes.Call | nodes.Filter | nodes.Test) -> tuple[tuple[Value, ...], dict[str, Value]]:
        if node.dyn_args is not None or node.dyn_kwargs is not None:
            raise NotFollowed
        return tuple(map(self._value, node.args)), {each.key: self._value(each.value) for each in node.kwargs}

    def _call(self, node: nodes.Call) -> Value:
        called = self._value(node.node)
        given, named = self._arguments(node)
        if isinstance(called, Macro):
            return self._call_macro(called, node, given, named)
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
        self, macro: Macro, node: nodes.Call, given: tuple[Value, ...], named: Mapping[str, Value]
    ) -> Value:
        names = [each.name for each in macro.node.args]
        if len(given) > len(names) or not named.keys() <= set(names) or self._macros >= MAX_MACROS:
            raise NotFollowed
        self._macros += 1
        outer, self._scopes = self._scopes, [*macro.scopes, {}]
        try:
            scope = self._scopes[-1]
            scope.update((name, Undefined(name)) for name in names)
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
        if node.node is None:
            raise NotFollowed
        return self._filtered(node, self._value(node.node))

    def _filtered(self, node: nodes.Filter, value: Value) -> Value:
        given, named = self._arguments(node)
        self._spend(measure(value))
        found = apply_filter(node.name, value, given, named)
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
            texts.append(text_of(value))
        text = "".join(texts)
        measure(text)
        return text

    def _binary(self, node: nodes.BinExpr) -> Value:
        left, right = self._value(node.left), self._value(node.right)
        value = calculate(type(node).__name__, left, right)
        if isinstance(value, list):
            self._spend(measure(value))
        return value

    def _sign(self, node: nodes.UnaryExpr) -> Value:
        value = self._value(node.node)
        return -value if isinstance(node, nodes.Neg) else +value


_STATEMENTS: Mapping[type, Callable[[Evaluation, Any], None]] = {
    nodes.Output: Evaluation._run_output,
    nodes.If: Evaluation._run_if,
    nodes.For: Evaluation._run_for,
    nodes.Assign: Evaluation._run_assign,
    nodes.AssignBlock: Evaluation._run_assign_block,
    nodes.FilterBlock: Evaluation._run_filter_block,
    nodes.Macro: Evaluation._run_macro,
    nodes.Scope: Evaluation._run_scope,
    nodes.Block: Evaluation._run_scope,
    nodes.With: Evaluation._run_with,
    nodes.Break: Evaluation._run_break,
    nodes.Continue: Evaluation._run_continue,
}

_EXPRESSIONS: Mapping[type, Callable[[Evaluation, Any], Value]] = {
    nodes.Name: Evaluation._name,
    nodes.Const: Evaluation._const,
    nodes.List: Evaluation._list,
    nodes.Tuple: Evaluation._tuple,
    nodes.Dict: Evaluation._dict,
    nodes.Getattr: Evaluation._getattr,
    nodes.Getitem: Evaluation._getitem,
    nodes.Call: Evaluation._call,
    nodes.Filter: Evaluation._filter,
    nodes.Test: Evaluation._test,
    nodes.Compare: Evaluation._compare,
    nodes.And: Evaluation._and,
    nodes.Or: Evaluation._or,
    nodes.Not: Evaluation._not,
    nodes.CondExpr: Evaluation._conditional,
    nodes.Concat: Evaluation._concat,
    nodes.Neg: Evaluation._sign,
    nodes.Pos: Evaluation._sign,
    **dict.fromkeys(
        (nodes.Add, nodes.Sub, nodes.Mul, nodes.Div, nodes.FloorDiv, nodes.Mod, nodes.Pow), Evaluation._binary
    ),
}


def follow(root: nodes.Template, variables: Mapping[str, Value]) -> Trace:
    """Follow a template over a conversation: `messages`, `tools`, and the other variables that it is given."""
    return Evaluation(variables).follow(root)
