"""Follows a template over one conversation, and notes which node wrote what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from jinja2 import nodes

from toolsurface_lint.chat_templates.dataflow.expressions import Expressions
from toolsurface_lint.chat_templates.dataflow.operations import items_of, text_of
from toolsurface_lint.chat_templates.dataflow.trace import Crash, Trace, Written
from toolsurface_lint.chat_templates.dataflow.values import (
    Call,
    Loop,
    Macro,
    Message,
    Namespace,
    NotFollowed,
    Tool,
    Value,
    conversation_values,
    measure,
)


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


class Evaluation(Expressions):
    """Runs statements."""

    def __init__(self, variables: Mapping[str, Value]) -> None:
        super().__init__(conversation_values(variables))
        self._output: list[str] = []
        self._level = 0
        self._message: int | None = None
        """The index of the message that a loop is at."""

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
                text = self._text_of(each, value)
            if text:
                self._spend(len(text) // 50)
                self._output.append(text)
                self.trace.written.append(Written(each, text, self._level))

    def _run_if(self, node: nodes.If) -> None:
        for branch in (node, *node.elif_):
            outer_roles, self._roles = self._roles, set()
            outer_names, self._names = self._names, set()
            is_taken = self._truth(branch.test)
            roles, self._roles = self._roles, self._roles | outer_roles
            for name in self._names:
                self.trace.reads.setdefault(name, branch)
            outer_names |= self._names
            self._names = outer_names
            if is_taken:
                self._run_branch(branch, roles)
                return
        self._run(node.else_)

    def _run_branch(self, branch: nodes.If, roles: set[int]) -> None:
        handlers = self.trace.handlers
        if self._message is not None:
            roles &= {self._message}
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
            outer, self._message = self._message, item.index if isinstance(item, Message) else self._message
            try:
                self._bind(node.target, item)
                self._run(node.body)
            except _Continue:
                continue
            except _Break:
                break
            finally:
                self._message = outer
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
            self.trace.loops.setdefault(kind, {})[node] = None

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

    def _filtered(self, node: nodes.Filter, text: str) -> Value:
        """What filters make of the text of a block."""
        outer, self._block = self._block, text
        try:
            return self._value(node)
        finally:
            self._block = outer

    def _captured(self, body: list[nodes.Node]) -> str:
        outer, self._output = self._output, []
        self._level += 1
        try:
            self._run(body)
            return "".join(self._output)
        finally:
            self._level -= 1
            self._output = outer

    def _run_filter_block(self, node: nodes.FilterBlock) -> None:
        text = text_of(self._filtered(node.filter, self._captured(node.body)))
        self._output.append(text)
        self.trace.written.append(Written(node.filter, text, self._level))

    def _run_macro(self, node: nodes.Macro) -> None:
        self._scopes[-1][node.name] = Macro(node, list(self._scopes))

    def _run_call_block(self, node: nodes.CallBlock) -> None:
        caller = Macro(node, list(self._scopes))
        called = self._value(node.call.node)
        if not isinstance(called, Macro):
            raise NotFollowed
        text = self._call_macro(called, *self._arguments(node.call), caller)
        self._output.append(text)
        self.trace.written.append(Written(node.call, text, self._level))

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


_STATEMENTS: Mapping[type, Callable[[Evaluation, Any], None]] = {
    nodes.Output: Evaluation._run_output,
    nodes.If: Evaluation._run_if,
    nodes.For: Evaluation._run_for,
    nodes.Assign: Evaluation._run_assign,
    nodes.AssignBlock: Evaluation._run_assign_block,
    nodes.FilterBlock: Evaluation._run_filter_block,
    nodes.Macro: Evaluation._run_macro,
    nodes.CallBlock: Evaluation._run_call_block,
    nodes.Scope: Evaluation._run_scope,
    nodes.Block: Evaluation._run_scope,
    nodes.With: Evaluation._run_with,
    nodes.Break: Evaluation._run_break,
    nodes.Continue: Evaluation._run_continue,
}


def follow(root: nodes.Template, variables: Mapping[str, Value]) -> Trace:
    """Follow a template over a conversation: `messages`, `tools`, and the other variables that it is given."""
    return Evaluation(variables).follow(root)
