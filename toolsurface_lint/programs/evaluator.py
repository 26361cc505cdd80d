"""Follows the files of a program statement by statement, as far as their values can be known, without running anything.

What a statement means for tools is not decided here: calls, decorators, classes and dict displays are shown to a `Known`
(`registration`), which knows the frameworks; what a node of the syntax tree means is asked of its file's `Module`.
Whatever cannot be known is `Unknown`; a condition that cannot be known takes both ways. Work is bounded by steps, call
depth and sizes, so that hostile input ends too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Protocol

from toolsurface_lint.model.unseen import LIMIT
from toolsurface_lint.programs import flow
from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.flow import Frame, ImportGroup, Loop, OutOfSteps
from toolsurface_lint.programs.operations import field_default, setting
from toolsurface_lint.source.crashes import crash
from toolsurface_lint.source.text import Span


class Known(Protocol):
    """What the evaluator asks about everything that is more than the language; None is the answer for nothing special."""

    def call(self, function: v.Value, call: v.Call) -> v.Value | None:
        """What calling something gives that is not, or need not be, followed."""

    def call_unknown(self, function: v.Value, call: v.Call) -> None:
        """A function is called that is not in the files read, or that is not followed to its end."""

    def attribute(self, holder: v.Made, name: str) -> v.Value | None:
        """An attribute of what a package made that the program has not assigned."""

    def assign(self, holder: v.Value, name: str, value: v.Value) -> v.Value | None:
        """The program assigns to an attribute: what is kept there in place of the value."""

    def note(self, value: v.Value) -> None:
        """A class statement, the display of a dict or a list, or a function whose decorators give it attributes."""

    def cut_short(self, reason: str, module: v.Module, node: v.Node | None, cause: str = "") -> None:
        """Something in a file, at a node if that is known, is not followed to its end; `cause` is that of `Unseen`."""


# Functions that are called where they could matter; others only when they are short.
_TELLING = (
    "tool", "mcp", "server", "regist", "schema", '"parameters"', "'parameters'", "annotat", "wraps", "field", "environ",
    "getenv",
)  # fmt: skip
_SHORT = 20
_TEXT_OF_A_STEP = 1_000
"""Characters of a function that are looked at in one step."""

Bound = dict[tuple[int, str], tuple[dict[str, v.Value], v.Value]]
"""What names are at the end of a branch that binds them: by the identity of the dict that holds each, and the name."""

Before = dict[tuple[int, str], tuple[dict[str, v.Value], v.Value | None]]
"""What they were when it began; None for those that were nothing."""

# Where a call stands: in the statements of a file, below a call of that file's own functions, or of another file's.
_STATEMENTS, _OWN_FILE, _OTHER_FILE = 0, 1, 2


class Evaluator:
    """Follows the statements of files.

    `loops` are those around the statement that is being followed, `displays` the list displays around the expression;
    `optional` is above zero where a setting that is off by default has to be on, `soft` on the way that is taken only if an
    unknown condition turns out otherwise.
    """

    def __init__(self) -> None:
        self.known: Known
        self.functions: list[v.Function] = []
        """Every function that was defined, in the order in which the statements were followed."""
        self.called: set[v.Node] = set()
        self.whole: set[v.Module] = set()
        """The files whose statements are all followed; of others only what is imported."""
        self.starts: list[tuple[v.Module, Sequence[v.Node]]] = []
        """What runs only if its file is the program, to be followed once all files are: it relies on whatever they register."""
        self.idle_steps = flow.MAX_IDLE_STEPS
        """What a call may take without registering anything; then it is taken for one that does not."""
        self.entry = ""
        """The name of the function that is followed although nothing called it."""
        self.imports: dict[str, bool] = {}
        """The files that imports name, by path; false for those imported only where a setting has to be on."""
        self._before: list[Before] = []
        """Of each branch that is being followed: what the names that it has bound were before."""
        self.left = flow.MAX_STEPS
        """The steps that may still be taken."""
        self._floor = 0
        """The steps that must be left for the call that is under way to be followed on."""
        self._level = _STATEMENTS
        self._found = 0
        """How many tools and servers were found."""
        self._costly: set[v.Node] = set()
        """The functions that were followed for half of `idle_steps` or more, and registered nothing more.

        They are not followed again, but for the assignments of an `__init__`.
        """
        self._refused: set[v.Node] = set()
        """Those whose assignments alone take as long: they are not followed either."""
        self._idle: Counter[v.Node] = Counter()
        """How often an `__init__` was followed from another file, and registered nothing."""
        self._active: list[v.Node] = []
        self._telling: dict[v.Node, bool] = {}
        self._leave_all()

    def _leave_all(self) -> None:
        """Leave every loop, display, branch and expression."""
        self.loops: list[Loop] = []
        self.displays: list[v.Items] = []
        self.optional = self.soft = self._depth = 0

    @contextmanager
    def otherwise(self, *, optional: bool = False) -> Iterator[None]:
        """While it lasts, what is found is there only if a condition turns out otherwise; if `optional`, one on a setting."""
        self.soft += 1
        self.optional += optional
        try:
            yield
        finally:
            self.soft -= 1
            self.optional -= optional

    @contextmanager
    def branch(self) -> Iterator[Bound]:
        """One way of several: names that had a value have it again at the end. Gives what they were on this way."""
        found: Bound = {}
        before: Before = {}
        self._before.append(before)
        try:
            yield found
        finally:
            self._before.pop()
            for key, (names, value) in before.items():
                found[key] = names, names[key[1]]
                if value is not None:
                    names[key[1]] = value

    def join(self, branches: Sequence[Bound], *, complete: bool = False) -> None:
        """Go on after branches of which one was taken, or none unless they are `complete`."""
        joined: dict[tuple[int, str], tuple[dict[str, v.Value], list[v.Value]]] = {}
        for branch in branches:
            for key, (names, value) in branch.items():
                joined.setdefault(key, (names, []))[1].append(value)
        # Names bound in a branch in a branch are joined for each.
        self.spend(len(joined))
        for key, (names, values) in joined.items():
            stays = not complete or len(values) < len(branches)
            self.put(names, key[1], flow.either(values, names.get(key[1]) if stays else None))

    def settle(self, branch: Bound) -> None:
        """Go on after a branch that is not taken by default: it only gives what is not known without it."""
        for (_, name), (names, value) in branch.items():
            if isinstance(names.get(name), v.Unknown | None):
                self.put(names, name, value)

    def within(
        self, group: ImportGroup, module: v.Module, follow: Callable[[], object], node: v.Node | None = None
    ) -> None:
        """Follow something in the steps that its group has left; once there are none, nothing of it is followed.

        It is that of a file, at a node if that is known: what raises an exception is followed no further.
        """
        if not group.complete:
            return
        self.left = group.left
        self._floor, self._level = 0, _STATEMENTS
        try:
            follow()
        except OutOfSteps:
            group.complete = False
            self._leave_all()
        except Exception as error:
            self._break_off(error, module, node)
        group.left = self.left

    def _break_off(self, error: Exception, module: v.Module, node: v.Node | None) -> None:
        """Leave what raised an exception, and take note of it: there may be tools in what is not followed."""
        self._leave_all()
        if isinstance(error, RecursionError):
            # Python's own stack is a limit of ours.
            self.known.cut_short("code nested deeper than is followed", module, node, LIMIT)
            return
        if module.problem is None:
            start = 0 if node is None else module.offsets.span(node).start
            module.problem = crash("program", Span(start, start), error)
        self.known.cut_short("code at which the linter itself crashed", module, node)

    def found_something(self) -> None:
        """A tool or a server was found: the calls that are under way are worth following."""
        self._found += 1
        if self._level:
            self._floor = max(0, self.left - self.idle_steps)

    # Files

    def run(self, module: v.Module) -> None:
        """Follow the statements of a file, once: all of them, or, if it is not one of `whole`, for its names."""
        if module.state != "new" and not (module.state == "names" and module in self.whole):
            return
        try:
            statements = module.parse()
        except Exception as error:
            statements = None
            self._break_off(error, module, None)
        reached = "done" if module in self.whole else "names"
        module.state = reached if statements is None else "running"
        if statements is None:
            return
        # A file that is imported in the middle of another one's loop or branch is in neither.
        kept = self.loops, self.displays, self.optional, self.soft, self._depth
        before, self._before = self._before, []
        floor, level, start = self._floor, self._level, self.left
        self._floor, self._level = 0, _STATEMENTS
        self._leave_all()
        module.scope.names["__name__"] = v.Literal("__main__", module)
        try:
            for statement in statements:
                if reached == "done" or not module.defer(statement):
                    try:
                        self.execute([statement], Frame(module.scope))
                    except OutOfSteps:
                        raise
                    except Exception as error:
                        self._break_off(error, module, statement)
        finally:
            self.loops, self.displays, self.optional, self.soft, self._depth = kept
            self._before = before
            self._floor, self._level = max(0, floor - (start - self.left)), level
            module.state = reached

    def resolve(self, value: v.Value) -> v.Value:
        """What an imported name stands for."""
        for _ in range(20):
            if isinstance(value, v.Deferred):
                return self._force(value)
            if not isinstance(value, v.Imported):
                return value
            target, name = value.target, value.name
            self.run(target)
            found = target.scope.names.get(name)
            # A package that imports its own files by its own name binds them to this very import.
            if found is None or found is value:
                return target.submodule(name) or v.Unknown(f"`{name}`")
            value = found
        return v.Unknown("a name imported in a circle")

    def _force(self, deferred: v.Deferred) -> v.Value:
        names = deferred.scope.names
        bound = [name for name, value in names.items() if value is deferred]
        for name in bound:
            names[name] = v.Unknown(f"`{name}`")
        value = self.evaluate(deferred.expression, deferred.scope)
        for name in bound:
            names[name] = value
        return value

    # Statements

    def execute(self, body: Sequence[v.Node], frame: Frame) -> int:
        """Follow statements; whether control never reaches what comes after them."""
        ended = flow.GOES_ON
        handlers = frame.scope.module.statements
        with ExitStack() as behind_settings:
            rest: Bound | None = None
            for statement in body:
                self.step()
                handler = handlers.get(type(statement))
                ended = flow.GOES_ON if handler is None else handler(self, statement, frame)
                if ended == flow.ENDED_BY_SETTING:
                    if rest is None:
                        # `if not enabled: return`: what follows is there, behind a setting that is off by default.
                        frame.settled = True
                        rest = behind_settings.enter_context(self.branch())
                        behind_settings.enter_context(self.otherwise(optional=True))
                elif ended:
                    break
        if rest is None:
            return ended
        self.settle(rest)
        return ended or flow.ENDED_BY_SETTING

    def step(self) -> None:
        """Count one step; raises `OutOfSteps` when there have been too many."""
        self.left -= 1
        if self.left < self._floor:
            raise OutOfSteps

    def spend(self, steps: int) -> None:
        """Count steps that say nothing of whether the code registers anything; raises `OutOfSteps` after too many."""
        self.left -= steps
        self._floor = max(0, self._floor - steps)
        if self.left < 0:
            raise OutOfSteps

    def extend(self, items: v.Items, more: v.Value) -> None:
        """Add the elements of a value to a list."""
        added = self.elements(more)
        if added is None:
            items.add((), v.describe(more))
        elif len(items.items) + len(added) <= flow.MAX_ITERATIONS:
            items.add(added, more.missing if isinstance(more, v.Items) else "")

    # Names

    def bind_name(self, name: str, value: v.Value, scope: v.Scope) -> None:
        if name in scope.globals:
            scope = scope.module.scope
        self.put(scope.names, name, value)

    def put(self, names: dict[str, v.Value], name: str, value: v.Value) -> None:
        if self._before:
            self._before[-1].setdefault((id(names), name), (names, names.get(name)))
        names[name] = value

    def set_attribute(self, holder: v.Value, name: str, value: v.Value) -> None:
        """Assign to an attribute of an object that has some of its own; nothing happens to another."""
        if isinstance(holder, v.Class):
            self.put(holder.scope.names, name, value)
        elif isinstance(holder, v.Instance):
            self.put(self.attributes(holder), name, value)
        else:
            kept = self.known.assign(holder, name, value) or value
            if isinstance(holder, v.Made | v.Function):
                self.put(holder.attributes, name, kept)

    # Expressions

    def evaluate(self, node: v.Node, scope: v.Scope) -> v.Value:
        """The value of an expression."""
        # As `step`, without the call.
        self.left -= 1
        if self.left < self._floor:
            raise OutOfSteps
        if self._depth > flow.MAX_NESTING:
            return v.Unknown("an expression nested too deeply", scope.module, node)
        handler = scope.module.expressions.get(type(node))
        if handler is None:
            return v.Unknown("a value put together at run time", scope.module, node)
        self._depth += 1
        try:
            return handler(self, node, scope)
        finally:
            self._depth -= 1

    def attribute(
        self, value: v.Value, name: str, module: v.Module, node: v.Node, receiver: v.Node | None = None
    ) -> v.Value:
        """An attribute of a value, asked for at `node`; `receiver` is the expression of the value if it stands there."""
        found: v.Value | None = None
        if isinstance(value, v.Module):
            return self.resolve(v.Imported(value, name))
        if isinstance(value, v.External):
            path = f"{value.path}.{name}"
            target = None if value.path.startswith("builtins.") else module.find(path, 0)
            return target or v.External(path, module, node)
        if isinstance(value, v.Instance):
            waits = value.later is not None and isinstance(value.cls and value.cls.member(name), v.Function)
            found = None if waits else self.attributes(value).get(name)
            if found is None and value.cls is not None and name not in value.reserved:
                found = self._bound(value.cls.member(name), value, module, node)
            if isinstance(found, v.Made) and found.last in ("Field", "field") and value.cls is not None:
                default = field_default(found) or v.Unknown("a field's value", found.module, found.node)
                is_setting = value.cls.derives("BaseSettings") is not None
                found = setting(default, *found.arguments.at) if is_setting else default
        elif isinstance(value, v.Super):
            for base in value.cls.bases:
                member = base.member(name) if isinstance(base, v.Class) else None
                found = found or self._bound(member, value.receiver, module, node)
        elif isinstance(value, v.Class):
            if name == "__name__":
                return v.Literal(value.name, value.module, value.node)
            if name == "__doc__":
                return value.docstring
            found = self._bound(value.member(name), value, module, node)
        elif isinstance(value, v.Member):
            if name in ("value", "_value_"):
                return value.value
            if name == "name":
                return v.Literal(value.name, value.module, value.node)
            found = self._bound(value.cls.member(name), value, module, node)
        elif isinstance(value, v.Function):
            found = value.attributes.get(name)
            if found is None and name == "__name__":
                return v.FunctionName(value)
            if name == "__doc__":
                return value.docstring
        elif isinstance(value, v.Made):
            found = value.attributes.get(name) or self.known.attribute(value, name)
        if found is not None:
            return self.resolve(found)
        text = name if receiver is None else module.offsets.text(receiver)
        return v.Method(value.receiver if isinstance(value, v.Super) else value, name, text, module, node)

    def _bound(self, member: v.Value | None, receiver: v.Value, module: v.Module, node: v.Node) -> v.Value | None:
        if member is None:
            return None
        member = self.resolve(member)
        if not isinstance(member, v.Function) or member.binding == "static":
            return member
        if isinstance(receiver, v.Class) and member.binding != "class":
            return member
        if member.binding == "class" and isinstance(receiver, v.Instance) and receiver.cls is not None:
            receiver = receiver.cls
        bound = member.bound(receiver)
        return self.call(bound, v.Call(module, node)) if member.binding == "property" else bound

    def call(self, function: v.Value, call: v.Call) -> v.Value:
        """What calling a value gives."""
        if isinstance(function, v.Native):
            return function.call(call)
        result: v.Value | None = None
        if isinstance(function, v.External | v.Method):
            result = call.module.library(self, function, call)
        if result is None:
            result = self.known.call(function, call)
        if result is not None:
            return result
        if isinstance(function, v.Function):
            return self._call_patiently(function, call)
        if isinstance(function, v.Class):
            instance = v.Instance(function, *call.at)
            start = function.member("__init__")
            if isinstance(start, v.Function) and self._idle[start.code] >= flow.MAX_IDLE_CALLS:
                instance.later = call
            else:
                self.initialise(instance, function, call)
            return instance
        self.known.call_unknown(function, call)
        return v.Made(function.path, call) if isinstance(function, v.External) else v.Unknown(v.CALL, *call.at)

    def results(self, function: v.Function, call: v.Call) -> list[v.Value]:
        """What calling a function may give, on each way to its end; it is followed however long it is."""
        self._telling[function.code] = True
        found = self.known.call(function, call)
        ends: list[v.Value] = []
        if found is None:
            found = self._call_patiently(function, call, ends)
        return ends or [found]

    def attributes(self, instance: v.Instance) -> dict[str, v.Value]:
        """The attributes of an object, whose `__init__` is followed now if it was put off."""
        call, instance.later = instance.later, None
        if call is not None and instance.cls is not None:
            self.initialise(instance, instance.cls, call)
        return instance.attributes

    def initialise(self, instance: v.Instance, cls: v.Class, call: v.Call) -> None:
        start = cls.member("__init__")
        if isinstance(start, v.Function):
            found = self._found
            self._call_patiently(start.bound(instance), call)
            # A class that registers tools as it is made, or may do so for one of its own file, is followed each time.
            if self._found == found and start.scope.module is not call.module:
                self._idle[start.code] += 1
            return
        # A dataclass, a model or a named tuple: its fields in the order in which they are declared.
        fields = [field.name for ancestor in cls.lineage() for field in ancestor.syntax.fields]
        instance.attributes.update(zip(fields, call.values, strict=False))
        instance.attributes.update({name: argument.value for name, argument in call.keywords.items()})

    def _call_patiently(self, function: v.Function, call: v.Call, ends: list[v.Value] | None = None) -> v.Value:
        """Follow a call as long as it registers something; the code around it goes on without what a longer one gives.

        What it gives on each way is added to `ends`.
        """
        level = _OTHER_FILE if function.scope.module is not call.module else _OWN_FILE
        if level <= self._level:
            return self._call_function(function, call, ends)
        outside, floor, start, found = self._level, self._floor, self.left, self._found
        kept = self.loops[:], self.displays[:], self.optional, self.soft, self._depth
        active = len(self._active)
        self._level, self._floor = level, max(0, self.left - self.idle_steps)
        try:
            return self._call_function(function, call, ends)
        except OutOfSteps:
            if self.left < 0:
                raise
            self.loops, self.displays, self.optional, self.soft, self._depth = kept
            del self._active[active:]
            self._costly.add(function.code)
            floor -= start - self.left
            self.known.call_unknown(function, call)
            return v.Unknown(v.CALL, *call.at)
        finally:
            self._level = outside
            self._floor = max(0, floor)
            if outside and self._found > found:
                self._floor = max(0, self.left - self.idle_steps)

    def _call_function(self, function: v.Function, call: v.Call, ends: list[v.Value] | None) -> v.Value:
        code, module = function.code, function.scope.module
        costly = code in self._costly
        refused = (
            len(self._active) >= flow.MAX_CALLS
            or code in self._active
            or code in self._refused
            or (costly and function.name != "__init__")
            or not self._tells(function)
        )
        self.called.add(code)
        if costly:
            self.known.call_unknown(function, call)
        if refused:
            return v.Unknown(v.CALL, *call.at)
        scope = v.Scope(module, function.scope)
        scope.cls, scope.receiver = function.owner, function.receiver
        self._pass(function, call, scope)
        body = module.body(code)
        if not isinstance(body, list):
            return self.evaluate(body, scope)
        frame = Frame(scope)
        self._active.append(code)
        depth, self._depth = self._depth, 0
        start, found = self.left, self._found
        try:
            self.execute(module.assignments(code) if costly else body, frame)
            if self._found == found and start - self.left > self.idle_steps // 2 and function.name != "__init__":
                # It would take as much of what the code around it has left, each time.
                self._costly.add(code)
        except OutOfSteps:
            if start - self.left > self.idle_steps // 2:
                (self._refused if costly else self._costly).add(code)
            raise
        finally:
            self._active.pop()
            self._depth = depth
        if ends is not None:
            ends.extend(frame.returns)
        return flow.returned(frame.returns, *call.at)

    def _tells(self, function: v.Function) -> bool:
        code = function.code
        known = self._telling.get(code)
        if known is None:
            lines = (code.end_lineno or code.lineno) - code.lineno
            text = "" if lines <= _SHORT else function.scope.module.offsets.text(code).lower()
            # Of functions within one another, each text is a part of those around it.
            self.spend(len(text) // _TEXT_OF_A_STEP)
            known = lines <= _SHORT or any(word in text for word in _TELLING)
            self._telling[code] = known
        return known

    def _pass(self, function: v.Function, call: v.Call, scope: v.Scope) -> None:
        """Bind the parameters of a function to the arguments of a call."""
        values = call.values
        names, module = scope.names, function.scope.module
        if function.receiver is not None and function.binding != "static" and module.receiver_is_parameter:
            values.insert(0, function.receiver)
        parameters = function.parameters
        for name, _, default, _, kind in parameters:
            if kind in (v.REST, v.NAMED_REST):
                continue
            if default is not None and not call.open:
                names[name] = self.evaluate(default, function.scope)
            elif module.arguments_may_be_left_out and not call.open:
                names[name] = v.Literal(None)
            else:
                names[name] = v.Unknown(f"the parameter `{name}`")
        positional = [parameter.name for parameter in parameters if parameter.kind == v.POSITIONAL]
        names.update(zip(positional, values, strict=False))
        others = v.Mapping(module, function.code, complete=not call.open)
        for name, argument in call.keywords.items():
            if name in names:
                names[name] = argument.value
            else:
                others.set(name, argument.value)
        for name, _, _, node, kind in parameters:
            if kind == v.REST:
                missing = v.AT_RUN_TIME if call.open else ""
                names[name] = v.Items(values[len(positional) :], module, node, "tuple", missing)
            elif kind == v.NAMED_REST:
                names[name] = others
        module.take_apart(self, function, scope)

    def elements(self, value: v.Value) -> list[v.Value] | None:
        """What a loop over a value visits; None if that is not known. An incomplete list gives what it is known to hold."""
        if isinstance(value, v.Items):
            return value.items
        if isinstance(value, v.Mapping):
            return [entry.key for entry in value.entries.values()] if value.complete else None
        if isinstance(value, v.Class):
            return list(value.members()) or None
        if isinstance(value, v.Literal) and isinstance(value.value, str) and len(value.value) <= flow.MAX_NAME:
            return [v.Literal(letter, value.module, value.node, value.assumed) for letter in value.value]
        return None
