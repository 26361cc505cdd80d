"""Follows Python files statement by statement, as far as their values can be known, without running anything.

What a statement means for tools is not decided here: calls, decorators, classes and dict displays are shown to a `Known`
(`registration`), which knows the frameworks. Whatever cannot be known is `Unknown`; a condition that cannot be
known takes both ways. Work is bounded by steps, call depth and sizes, so that hostile input ends too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from typing import Protocol

from toolsurface_lint.programs.flow import (
    ENDED_BY_SETTING,
    GOES_ON,
    MAX_CALLS,
    MAX_ITERATIONS,
    MAX_NESTING,
    MAX_STEPS,
    Frame,
    Loop,
    OutOfSteps,
)
from toolsurface_lint.programs.import_groups import ImportGroup
from toolsurface_lint.programs.python import builtins as builtins_of
from toolsurface_lint.programs.python.expressions import EXPRESSIONS
from toolsurface_lint.programs.python.modules import Module, Modules
from toolsurface_lint.programs.python.statements import STATEMENTS
from toolsurface_lint.programs.values import (
    CALL,
    Argument,
    Arguments,
    Class,
    Deferred,
    Entry,
    External,
    Function,
    Imported,
    Instance,
    Items,
    Literal,
    Made,
    Mapping,
    Member,
    Method,
    ModuleValue,
    Native,
    Scope,
    Super,
    Unknown,
    Value,
    describe,
    docstring,
    function_name,
    returned,
)


class Known(Protocol):
    """What the evaluator asks about everything that is more than plain Python."""

    def call_external(self, function: External, arguments: Arguments, module: Module, node: ast.expr) -> Value | None:
        """What calling something from a package gives; None for nothing special."""

    def call_method(self, method: Method, arguments: Arguments, module: Module, node: ast.expr) -> Value | None:
        """What calling a method of something that is no object of ours gives; None for nothing special."""

    def call_unknown(self, function: Value, arguments: Arguments, module: Module, node: ast.expr) -> None:
        """A function that is not in the files read is called."""

    def call_function(self, function: Function, arguments: Arguments, module: Module, node: ast.expr) -> Value | None:
        """What calling a function of ours gives, where its body need not be followed; None to follow it."""

    def make_instance(self, cls: Class, arguments: Arguments, module: Module, node: ast.expr) -> Value | None:
        """What calling a class of ours gives where it is no plain object."""

    def define_class(self, cls: Class) -> None:
        """A class statement has been followed."""

    def decorate(self, decorator: Value, function: Function, module: Module, node: ast.expr) -> Value | None:
        """What a decorator makes of a function; None for nothing special."""

    def display(self, mapping: Mapping) -> None:
        """A dict display has been followed."""

    def gather(self, items: Items) -> None:
        """A list display has been followed."""


# Functions that are called where they could matter; others only when they are short.
_TELLING = re.compile(r"tool|mcp|server|regist|schema|annotat|wraps|field|environ|getenv", re.IGNORECASE)
_SHORT = 20


class Evaluator:
    """Follows the statements of files.

    `loops` are those around the statement that is being followed, `displays` the list displays around the expression;
    `optional` is above zero where a setting that is off by default has to be on.
    """

    def __init__(self, modules: Modules) -> None:
        self.modules = modules
        self.known: Known
        self.loops: list[Loop] = []
        self.displays: list[ast.expr] = []
        self.optional = 0
        self.functions: list[Function] = []
        """Every function that was defined, in the order in which the statements were followed."""
        self.called: set[ast.AST] = set()
        self.whole: set[Module] = set()
        """The files whose statements are all followed; of others only what is imported."""
        self.entry = ""
        """The name of the function that is followed although nothing called it."""
        self.imports: dict[str, bool] = {}
        """The files that imports name, by path; false for those imported only where a setting has to be on."""
        self.soft = 0
        """Above zero on the way that is taken only if an unknown condition turns out otherwise."""
        self._fresh: set[tuple[int, str]] = set()
        self.left = MAX_STEPS
        """The steps that may still be taken."""
        self._depth = 0
        self._active: list[ast.AST] = []
        self._telling: dict[ast.AST, bool] = {}

    @property
    def uncertain(self) -> bool:
        """Whether the statement that is being followed may well not be reached."""
        return self.soft > 0

    def within(self, group: ImportGroup, follow: Callable[[], object]) -> None:
        """Follow something in the steps that its group has left; once there are none, nothing of it is followed."""
        if not group.complete:
            return
        self.left = group.left
        try:
            follow()
        except OutOfSteps:
            group.complete = False
            # Nothing of what it was in the middle of lasts.
            self.loops, self.displays = [], []
            self.optional = self.soft = self._depth = 0
            self._active.clear()
        group.left = self.left

    # Files

    def run(self, module: Module) -> None:
        """Follow the statements of a file, once: all of them, or, if it is not one of `whole`, for its names."""
        if module.state != "new" and not (module.state == "names" and module in self.whole):
            return
        tree = module.parse(self.modules.budget)
        reached = "done" if module in self.whole else "names"
        module.state = reached if tree is None else "running"
        if tree is None:
            return
        # A file that is imported in the middle of another one's loop or branch stands in neither.
        kept = self.loops, self.displays, self.optional, self.soft, self._depth
        self.loops, self.displays, self.optional, self.soft, self._depth = [], [], 0, 0, 0
        module.scope.names["__name__"] = Literal("__main__", module)
        try:
            for statement in tree.body:
                if reached == "done" or not self._defer(statement, module.scope):
                    self._guarded(statement, Frame(module.scope))
        finally:
            self.loops, self.displays, self.optional, self.soft, self._depth = kept
            module.state = reached

    def _defer(self, statement: ast.stmt, scope: Scope) -> bool:
        """Whether a statement need not be followed unless somebody asks for the name that it binds."""
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target, value = statement.targets[0], statement.value
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            target, value = statement.target, statement.value
        else:
            return isinstance(statement, ast.Expr)
        if not isinstance(target, ast.Name):
            return False
        scope.names[target.id] = Deferred(value, scope)
        return True

    def _guarded(self, statement: ast.stmt, frame: Frame) -> None:
        kept = len(self.loops), len(self.displays), self.optional, self.soft, self._depth
        try:
            self.execute([statement], frame)
        except RecursionError:
            # Followed no further; nothing that the statement was in the middle of lasts.
            del self.loops[kept[0] :], self.displays[kept[1] :]
            self.optional, self.soft, self._depth = kept[2:]
            self._active.clear()

    def attribute_of_module(self, module: Module, name: str) -> Value | None:
        """A name of a file that is read, or a file of its package; None if there is neither."""
        self.run(module)
        value = module.scope.names.get(name)
        if value is not None:
            return self.resolve(value)
        below = self.modules.submodule(module, name)
        return None if below is None else ModuleValue(below)

    def resolve(self, value: Value) -> Value:
        """What an imported name stands for."""
        for _ in range(20):
            if isinstance(value, Deferred):
                return self._force(value)
            if not isinstance(value, Imported):
                return value
            target, name = value.target, value.name
            self.run(target)
            found = target.scope.names.get(name)
            # A package that imports its own files by its own name binds them to this very import.
            if found is None or found is value:
                below = self.modules.submodule(target, name)
                return Unknown(f"`{name}`") if below is None else ModuleValue(below)
            value = found
        return Unknown("a name imported in a circle")

    def _force(self, deferred: Deferred) -> Value:
        names = deferred.scope.names
        bound = [name for name, value in names.items() if value is deferred]
        for name in bound:
            names[name] = Unknown(f"`{name}`")
        value = self.evaluate(deferred.expression, deferred.scope)
        for name in bound:
            names[name] = value
        return value

    # Statements

    def execute(self, body: Sequence[ast.stmt], frame: Frame) -> int:
        """Follow statements; whether control never reaches what comes after them."""
        optional = 0
        ended = GOES_ON
        for statement in body:
            self.step()
            handler = STATEMENTS.get(type(statement))
            ended = GOES_ON if handler is None else handler(self, statement, frame)
            if ended == ENDED_BY_SETTING:
                # `if not enabled: return`: what follows is there, behind a setting that is off by default.
                frame.settled = True
                optional += 1
                self.optional += 1
                self.soft += 1
            elif ended:
                break
        self.optional -= optional
        self.soft -= optional
        return ENDED_BY_SETTING if optional and not ended else ended

    def step(self) -> None:
        """Count one step; raises `OutOfSteps` when there have been too many."""
        self.left -= 1
        if self.left < 0:
            raise OutOfSteps

    def extend(self, items: Items, more: Value) -> None:
        """Add the elements of a value to a list."""
        added = self.elements(more)
        if added is None:
            items.complete, items.missing = False, describe(more)
        elif len(items.items) + len(added) <= MAX_ITERATIONS:
            items.items.extend(added)

    # Names

    def bind(self, target: ast.expr, value: Value, scope: Scope) -> None:
        if isinstance(target, ast.Name):
            self.bind_name(target.id, value, scope)
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target.elts, value, scope)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, Unknown("the rest of a list"), scope)
        elif isinstance(target, ast.Attribute):
            holder = self.evaluate(target.value, scope)
            if isinstance(holder, Instance | Made):
                self._put(holder.attributes, target.attr, value)
            elif isinstance(holder, Class):
                self._put(holder.scope.names, target.attr, value)
        elif isinstance(target, ast.Subscript):
            holder = self.evaluate(target.value, scope)
            if isinstance(holder, Mapping):
                holder.complete = holder.complete and not self.loops
                key = builtins_of.plain_key(self.evaluate(target.slice, scope))
                if key is None:
                    holder.complete = False
                elif len(holder.entries) < MAX_ITERATIONS:
                    holder.entries[key] = Entry(Literal(key, scope.module, target.slice), value)

    def _unpack(self, targets: list[ast.expr], value: Value, scope: Scope) -> None:
        elements = self.elements(value)
        starred = any(isinstance(target, ast.Starred) for target in targets)
        for index, target in enumerate(targets):
            known = elements is not None and not starred and len(elements) == len(targets)
            self.bind(target, elements[index] if known and elements else Unknown("part of " + describe(value)), scope)

    def bind_name(self, name: str, value: Value, scope: Scope) -> None:
        if name in scope.globals:
            scope = scope.module.scope
        self._put(scope.names, name, value)

    def _put(self, names: dict[str, Value], name: str, value: Value) -> None:
        # On the way that is taken only if a condition turns out otherwise, what was known before it stays.
        if self.soft:
            key = id(names), name
            if key not in self._fresh and not isinstance(names.get(name), Unknown | None):
                return
            self._fresh.add(key)
        elif self._fresh:
            self._fresh.clear()
        names[name] = value

    # Expressions

    def evaluate(self, node: ast.expr, scope: Scope) -> Value:
        """The value of an expression."""
        self.step()
        if self._depth > MAX_NESTING:
            return Unknown("an expression nested too deeply", scope.module, node)
        handler = EXPRESSIONS.get(type(node))
        if handler is None:
            return Unknown("a value put together at run time", scope.module, node)
        self._depth += 1
        try:
            return handler(self, node, scope)
        finally:
            self._depth -= 1

    def attribute(self, value: Value, name: str, node: ast.expr, module: Module) -> Value:
        """An attribute of a value."""
        found: Value | None = None
        if isinstance(value, ModuleValue):
            found = self.attribute_of_module(value.target, name)
            return found if found is not None else Unknown(f"`{name}`", module, node)
        if isinstance(value, External):
            path = f"{value.path}.{name}"
            target = None if value.path.startswith("builtins.") else self.modules.absolute(module, path)
            return External(path, module, node) if target is None else ModuleValue(target)
        if isinstance(value, Instance):
            found = value.attributes.get(name)
            if found is None and value.cls is not None and name not in value.reserved:
                found = self._bound(value.cls.member(name), value, module, node)
            if isinstance(found, Made) and found.last in ("Field", "field") and value.cls is not None:
                found = builtins_of.field_default(found, value.cls.derives("BaseSettings") is not None)
        elif isinstance(value, Super):
            for base in value.cls.bases:
                member = base.member(name) if isinstance(base, Class) else None
                found = found or self._bound(member, value.receiver, module, node)
        elif isinstance(value, Class):
            if name == "__name__":
                return Literal(value.name, value.module, value.node)
            if name == "__doc__":
                return docstring(value)
            found = self._bound(value.member(name), value, module, node)
        elif isinstance(value, Member):
            if name in ("value", "_value_"):
                return value.value
            if name == "name":
                return Literal(value.name, value.module, value.node)
            found = self._bound(value.cls.member(name), value, module, node)
        elif isinstance(value, Function):
            if name == "__name__":
                return Literal(value.name, value.scope.module, function_name(value, value.scope.module))
            if name == "__doc__":
                return docstring(value)
        elif isinstance(value, Made):
            found = value.attributes.get(name)
        if found is not None:
            return self.resolve(found)
        text = module.offsets.text(node.value) if isinstance(node, ast.Attribute) else name
        return Method(value.receiver if isinstance(value, Super) else value, name, text, module, node)

    def _bound(self, member: Value | None, receiver: Value, module: Module, node: ast.expr) -> Value | None:
        if member is None:
            return None
        member = self.resolve(member)
        if not isinstance(member, Function) or member.binding == "static":
            return member
        if isinstance(receiver, Class) and member.binding != "class":
            return member
        bound = member.bound(receiver)
        return self.call(bound, Arguments(), module, node) if member.binding == "property" else bound

    def arguments(self, node: ast.Call, scope: Scope) -> Arguments:
        """The arguments of a call, `*` and `**` spread where they are known."""
        arguments = Arguments()
        module = scope.module
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                value = self.evaluate(argument.value, scope)
                elements = self.elements(value)
                if elements is None:
                    arguments.open = True
                else:
                    arguments.positional.extend(Argument(element, argument, module) for element in elements)
            else:
                arguments.positional.append(Argument(self.evaluate(argument, scope), argument, module))
        for keyword in node.keywords:
            value = self.evaluate(keyword.value, scope)
            if keyword.arg is not None:
                key = module.offsets.identifier(keyword, keyword.arg)
                arguments.keywords[keyword.arg] = Argument(value, keyword.value, module, key)
            elif isinstance(value, Mapping):
                arguments.open = arguments.open or not value.complete
                for name, entry in value.entries.items():
                    arguments.keywords[str(name)] = Argument(entry.value, keyword.value, module)
            else:
                arguments.open = True
        return arguments

    def call(self, function: Value, arguments: Arguments, module: Module, node: ast.expr) -> Value:
        """What calling a value gives."""
        result: Value | None = None
        if isinstance(function, Function):
            result = self.known.call_function(function, arguments, module, node)
            return self._call_function(function, arguments, module, node) if result is None else result
        if isinstance(function, Native):
            return function.call(arguments, module, node)
        if isinstance(function, Class):
            return self.instantiate(function, arguments, module, node)
        if isinstance(function, External):
            result = builtins_of.call(self, function, arguments, module, node)
            if result is None:
                result = self.known.call_external(function, arguments, module, node)
            if result is None:
                self.known.call_unknown(function, arguments, module, node)
                return Made(function.path, arguments, module, node)
            return result
        if isinstance(function, Method):
            result = builtins_of.call_method(self, function, arguments, module, node)
            if result is None:
                result = self.known.call_method(function, arguments, module, node)
            if result is not None:
                return result
        self.known.call_unknown(function, arguments, module, node)
        return Unknown(CALL, module, node)

    def instantiate(self, cls: Class, arguments: Arguments, module: Module, node: ast.expr) -> Value:
        """A new object of a class of ours, its `__init__` followed."""
        known = self.known.make_instance(cls, arguments, module, node)
        if known is not None:
            return known
        instance = Instance(cls, module, node)
        self.initialise(instance, cls, arguments, module, node)
        return instance

    def initialise(self, instance: Instance, cls: Class, arguments: Arguments, module: Module, node: ast.expr) -> None:
        start = cls.member("__init__")
        if isinstance(start, Function):
            self._call_function(start.bound(instance), arguments, module, node)
            return
        # A dataclass, a model or a named tuple: its fields in the order in which they are declared.
        fields = [
            statement.target.id
            for ancestor in reversed(cls.ancestors())
            if isinstance(ancestor, Class)
            for statement in ancestor.code.body
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
        ]
        for name, argument in zip(fields, arguments.positional, strict=False):
            instance.attributes[name] = argument.value
        for name, argument in arguments.keywords.items():
            instance.attributes[name] = argument.value

    def _call_function(self, function: Function, arguments: Arguments, module: Module, node: ast.expr) -> Value:
        code = function.code
        if len(self._active) >= MAX_CALLS or code in self._active or not self._tells(function):
            self.called.add(code)
            return Unknown(CALL, module, node)
        self.called.add(code)
        scope = Scope(function.scope.module, function.scope)
        scope.cls, scope.receiver = function.owner, function.receiver
        self._pass(function, arguments, scope)
        if isinstance(code, ast.Lambda):
            return self.evaluate(code.body, scope)
        frame = Frame(scope)
        self._active.append(code)
        depth, self._depth = self._depth, 0
        try:
            self.execute(code.body, frame)
        finally:
            self._active.pop()
            self._depth = depth
        return returned(frame.returns, module, node)

    def _tells(self, function: Function) -> bool:
        code = function.code
        known = self._telling.get(code)
        if known is None:
            lines = (code.end_lineno or code.lineno) - code.lineno
            known = lines <= _SHORT or _TELLING.search(function.scope.module.offsets.text(code)) is not None
            self._telling[code] = known
        return known

    def _pass(self, function: Function, arguments: Arguments, scope: Scope) -> None:
        """Bind the parameters of a function to the arguments of a call."""
        taken = function.code.args
        names = [parameter.arg for parameter in (*taken.posonlyargs, *taken.args)]
        values = [argument.value for argument in arguments.positional]
        if function.receiver is not None and function.binding != "static":
            values.insert(0, function.receiver)
        defaults = dict(zip(reversed(names), reversed(taken.defaults), strict=False))
        keyword_only = [parameter.arg for parameter in taken.kwonlyargs]
        defaults.update(
            {name: value for name, value in zip(keyword_only, taken.kw_defaults, strict=True) if value is not None}
        )
        for name in (*names, *keyword_only):
            if name in defaults and not arguments.open:
                scope.names[name] = self.evaluate(defaults[name], function.scope)
            else:
                scope.names[name] = Unknown(f"the parameter `{name}`")
        for name, value in zip(names, values, strict=False):
            scope.names[name] = value
        others = Mapping(function.scope.module, function.code)
        for name, argument in arguments.keywords.items():
            if name in scope.names:
                scope.names[name] = argument.value
            else:
                others.set(name, argument.value)
        if taken.vararg is not None:
            rest = Items(values[len(names) :], function.scope.module, taken.vararg, "tuple")
            rest.complete = not arguments.open
            scope.names[taken.vararg.arg] = rest
        if taken.kwarg is not None:
            others.complete = not arguments.open
            scope.names[taken.kwarg.arg] = others

    def elements(self, value: Value) -> list[Value] | None:
        """What a loop over a value visits; None if that is not known. An incomplete list gives what it is known to hold."""
        if isinstance(value, Items):
            return value.items
        if isinstance(value, Mapping):
            return [entry.key for entry in value.entries.values()] if value.complete else None
        if isinstance(value, Class):
            return list(value.members()) or None
        return None
