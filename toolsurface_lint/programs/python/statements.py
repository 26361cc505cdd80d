"""What each kind of Python statement does to the values that are known."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.flow import ENDED, ENDED_BY_SETTING, MAX_ITERATIONS, NEXT, Frame, Loop
from toolsurface_lint.programs.operations import truth
from toolsurface_lint.programs.python.bodies import LaterAsyncFunction, LaterFunction
from toolsurface_lint.programs.python.expressions import bind, operation

if TYPE_CHECKING:
    from toolsurface_lint.programs.evaluator import Evaluator


def _function(evaluator: Evaluator, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> int:
    scope = frame.scope
    owner = None
    if scope.is_class:
        owner, inner = scope.cls, scope.outer
        assert inner is not None
    else:
        inner = scope
    function = v.Function(node, node.name, inner, owner)
    evaluator.functions.append(function)
    value: v.Value = function
    for decorator in reversed(node.decorator_list):
        call = v.Call(scope.module, decorator, value)
        value = _decorate(evaluator, evaluator.evaluate(decorator, scope), value, call)
    if isinstance(value, v.Function) and value.attributes:
        evaluator.known.note(value)
    evaluator.bind_name(node.name, value, scope)
    return 0


_BINDINGS = {"staticmethod": "static", "classmethod": "class", "property": "property", "cached_property": "property"}


def _decorate(evaluator: Evaluator, decorator: v.Value, value: v.Value, call: v.Call) -> v.Value:
    if not isinstance(value, v.Function):
        return value
    if isinstance(decorator, v.External) and decorator.last in _BINDINGS:
        value.binding = _BINDINGS[decorator.last]
        return value
    if isinstance(decorator, v.External | v.Method):
        made = evaluator.known.call(decorator, call)
        if made is None:
            # One that no framework knows changes nothing that we ask for, but may set attributes.
            value.may_have_more = True
        return made or value
    if isinstance(decorator, v.Native | v.Function | v.Class):
        result = evaluator.call(decorator, call)
        if isinstance(result, v.Function):
            # A wrapper that passes everything on is what it wraps, but for what the program makes of its attributes.
            passes_on = any(taken.kind in (v.REST, v.NAMED_REST) for taken in result.parameters)
            return value.with_attributes(result.attributes) if passes_on else result
        if not isinstance(result, v.Unknown | v.Literal | v.Instance):
            return result
    value.may_have_more = True
    return value


def _class(evaluator: Evaluator, node: ast.ClassDef, frame: Frame) -> int:
    scope = v.Scope(frame.scope.module, frame.scope, is_class=True)
    # `Base[T]` derives from `Base`.
    written = [base.value if isinstance(base, ast.Subscript) else base for base in node.bases]
    bases = [evaluator.evaluate(base, frame.scope) for base in written]
    cls = v.Class(node, node.name, scope, bases, node.bases[0] if node.bases else node)
    scope.cls = cls
    evaluator.bind_name(node.name, cls, frame.scope)
    evaluator.execute(node.body, Frame(scope))
    for base in cls.lineage()[:-1]:
        base.replaced.update(scope.names)
    if cls.derives("Enum", "StrEnum", "IntEnum", "Flag", "IntFlag") is not None:
        _make_members(evaluator, cls)
    for decorator in reversed(node.decorator_list):
        made = evaluator.evaluate(decorator, frame.scope)
        if isinstance(made, v.Native | v.Function):
            # It may give the class a name, or keep it in a list.
            evaluator.call(made, v.Call(scope.module, decorator, cls))
    evaluator.known.note(cls)
    return 0


def _make_members(evaluator: Evaluator, cls: v.Class) -> None:
    texts = cls.derives("StrEnum") is not None
    cls.shows_value = texts or _shows_value(cls.member("__str__"))
    for name, value in list(cls.scope.names.items()):
        if name.startswith("_") or isinstance(value, v.Function | v.Class | v.Native):
            continue
        if isinstance(value, v.Made) and value.last == "auto" and texts:
            value = v.Literal(name.lower(), value.module, value.node)
        cls.scope.names[name] = v.Member(cls, name, value)


def _shows_value(method: v.Value | None) -> bool:
    """Whether the `__str__` of an enum class returns the value."""
    if not isinstance(method, v.Function) or isinstance(method.code, ast.Lambda):
        return False
    last = method.code.body[-1]
    value = last.value if isinstance(last, ast.Return) else None
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "str" and value.args:
        value = value.args[0]
    return isinstance(value, ast.Attribute) and value.attr in ("value", "_value_") and isinstance(value.value, ast.Name)


def _return(evaluator: Evaluator, node: ast.Return, frame: Frame) -> int:
    value = v.Literal(None) if node.value is None else evaluator.evaluate(node.value, frame.scope)
    if not frame.settled:
        frame.returns.append(value)
    return ENDED


def _assign(evaluator: Evaluator, node: ast.Assign, frame: Frame) -> int:
    value = evaluator.evaluate(node.value, frame.scope)
    for target in node.targets:
        bind(evaluator, target, value, frame.scope)
    return 0


def _annotated_assign(evaluator: Evaluator, node: ast.AnnAssign, frame: Frame) -> int:
    if node.value is not None:
        bind(evaluator, node.target, evaluator.evaluate(node.value, frame.scope), frame.scope)
    return 0


def _augmented_assign(evaluator: Evaluator, node: ast.AugAssign, frame: Frame) -> int:
    # Reads the target where it stands; a Name or an Attribute in store position evaluates like one that is read.
    current = evaluator.evaluate(node.target, frame.scope)
    change = evaluator.evaluate(node.value, frame.scope)
    if isinstance(current, v.Items) and isinstance(node.op, ast.Add):
        evaluator.extend(current, change)
        return 0
    value = operation(node.op, current, change, frame.scope.module, node)
    bind(evaluator, node.target, v.Unknown("a value put together at run time") if value is None else value, frame.scope)
    return 0


def _type_alias(evaluator: Evaluator, node: Any, frame: Frame) -> int:
    if isinstance(node.name, ast.Name):
        evaluator.bind_name(node.name.id, v.Hint(node.value, frame.scope), frame.scope)
    return 0


def _expression(evaluator: Evaluator, node: ast.Expr, frame: Frame) -> int:
    if not isinstance(node.value, ast.Constant):
        value = evaluator.evaluate(node.value, frame.scope)
        if isinstance(value, v.Native) and value.unused is not None:
            value.unused()
    return 0


def _is_start(test: ast.expr) -> bool:
    """`__name__ == "__main__"`"""
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id == "__name__"
        and isinstance(test.ops[0], ast.Eq)
    )


def _if(evaluator: Evaluator, node: ast.If, frame: Frame) -> int:
    module = frame.scope.module
    if frame.scope is module.scope and _is_start(node.test):
        if module in evaluator.whole:
            evaluator.starts.append((module, node.body))
        return 0
    known, assumed = truth(evaluator.evaluate(node.test, frame.scope))
    if known is not None:
        return _decided_if(evaluator, node, frame, known, assumed)
    with evaluator.branch() as way:
        ended = [evaluator.execute(node.body, frame)]
    ways = [way]
    while known is None and len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        # One after the other: a branch in a branch for each `elif` would bind its names as often as it is deep.
        node = node.orelse[0]
        evaluator.step()
        with evaluator.branch() as way, evaluator.otherwise():
            known, assumed = truth(evaluator.evaluate(node.test, frame.scope))
            if known is None:
                ended.append(evaluator.execute(node.body, frame))
            else:
                ended.append(_decided_if(evaluator, node, frame, known, assumed))
        ways.append(way)
    if known is None:
        with evaluator.branch() as way, evaluator.otherwise():
            ended.append(evaluator.execute(node.orelse, frame))
        ways.append(way)
    evaluator.join([way for way, end in zip(ways, ended, strict=True) if end != ENDED], complete=True)
    return min(ended)


def _decided_if(evaluator: Evaluator, node: ast.If, frame: Frame, known: bool, assumed: bool) -> int:
    """Follow the branch that is taken and, where that hangs on a setting, what the other one would add."""
    taken, other = (node.body, node.orelse) if known else (node.orelse, node.body)
    ended = evaluator.execute(taken, frame)
    if assumed and other:
        settled, frame.settled = frame.settled, True
        with evaluator.branch() as otherwise, evaluator.otherwise(optional=True):
            evaluator.execute(other, frame)
        evaluator.settle(otherwise)
        frame.settled = settled
    return ENDED_BY_SETTING if ended == ENDED and assumed else ended


def _for(evaluator: Evaluator, node: ast.For | ast.AsyncFor, frame: Frame) -> int:
    iterable = evaluator.evaluate(node.iter, frame.scope)
    elements = evaluator.elements(iterable)
    for element in (elements or ())[:MAX_ITERATIONS]:
        bind(evaluator, node.target, element, frame.scope)
        if evaluator.execute(node.body, frame) == ENDED:
            return ENDED
    if elements is None or (isinstance(iterable, v.Items) and not iterable.complete):
        evaluator.loops.append(Loop(frame.scope.module, node, v.describe(iterable)))
        with evaluator.branch() as turn:
            bind(evaluator, node.target, v.Unknown("an element of " + v.describe(iterable)), frame.scope)
            evaluator.execute(node.body, frame)
        evaluator.join([turn])
        evaluator.loops.pop()
    evaluator.execute(node.orelse, frame)
    return 0


def _while(evaluator: Evaluator, node: ast.While, frame: Frame) -> int:
    evaluator.evaluate(node.test, frame.scope)
    evaluator.loops.append(Loop(frame.scope.module, node, "a condition"))
    with evaluator.branch() as turn:
        evaluator.execute(node.body, frame)
    evaluator.join([turn])
    evaluator.loops.pop()
    evaluator.execute(node.orelse, frame)
    return 0


def _with(evaluator: Evaluator, node: ast.With | ast.AsyncWith, frame: Frame) -> int:
    for item in node.items:
        value = evaluator.evaluate(item.context_expr, frame.scope)
        if item.optional_vars is not None:
            bind(evaluator, item.optional_vars, value, frame.scope)
    return evaluator.execute(node.body, frame)


def _try(evaluator: Evaluator, node: Any, frame: Frame) -> int:
    ways = []
    with evaluator.branch() as way:
        ended = evaluator.execute(node.body, frame) or evaluator.execute(node.orelse, frame)
    if ended != ENDED:
        ways.append(way)
    others = []
    for handler in node.handlers:
        with evaluator.branch() as way, evaluator.otherwise():
            if handler.name:
                evaluator.bind_name(handler.name, v.Unknown("an exception"), frame.scope)
            others.append(evaluator.execute(handler.body, frame))
        if others[-1] != ENDED:
            ways.append(way)
    evaluator.join(ways, complete=True)
    final = evaluator.execute(node.finalbody, frame)
    return final or (ended if all(others) else 0)


def _match(evaluator: Evaluator, node: ast.Match, frame: Frame) -> int:
    evaluator.evaluate(node.subject, frame.scope)
    ways = []
    for case in node.cases:
        with evaluator.branch() as way, evaluator.otherwise():
            for part in ast.walk(case.pattern):
                name = getattr(part, "rest" if isinstance(part, ast.MatchMapping) else "name", None)
                if name:
                    evaluator.bind_name(name, v.Unknown("a part of what is matched"), frame.scope)
            ended = evaluator.execute(case.body, frame)
        if ended != ENDED:
            ways.append(way)
    evaluator.join(ways)
    return 0


def _import(evaluator: Evaluator, node: ast.Import, frame: Frame) -> int:
    module = frame.scope.module
    for alias in node.names:
        dotted = alias.name if alias.asname else alias.name.partition(".")[0]
        target = module.find(dotted, 0)
        _note_import(evaluator, module.find(alias.name, 0))
        value = target or v.External(dotted, module, alias)
        evaluator.bind_name(alias.asname or dotted, value, frame.scope)
    return 0


def _import_from(evaluator: Evaluator, node: ast.ImportFrom, frame: Frame) -> int:
    module = frame.scope.module
    dotted = node.module or ""
    target = module.find(dotted, node.level)
    _note_import(evaluator, target)
    for alias in node.names:
        if target is not None:
            _note_import(evaluator, target.submodule(alias.name))
        if alias.name == "*":
            _import_all(evaluator, target, frame.scope)
            continue
        value: v.Value
        if target is not None:
            value = v.Imported(target, alias.name)
        else:
            path = f"{dotted}.{alias.name}" if dotted else alias.name
            below = module.find(path, node.level)
            _note_import(evaluator, below)
            value = below or v.External("." * node.level + path, module, alias)
        evaluator.bind_name(alias.asname or alias.name, value, frame.scope)
    return 0


def _note_import(evaluator: Evaluator, target: v.Module | None) -> None:
    if target is not None:
        evaluator.imports[target.path] = evaluator.imports.get(target.path, False) or not evaluator.optional


def _import_all(evaluator: Evaluator, target: v.Module | None, scope: v.Scope) -> None:
    if target is None:
        return
    evaluator.run(target)
    for name, value in list(target.scope.names.items()):
        # What a file of the package has from the package is there already.
        is_own = isinstance(value, v.Imported) and value.target is scope.module and value.name == name
        if not name.startswith("_") and not is_own:
            evaluator.bind_name(name, value, scope)


def _global(evaluator: Evaluator, node: ast.Global, frame: Frame) -> int:
    frame.scope.globals.update(node.names)
    return 0


STATEMENTS: dict[type, Callable[[Evaluator, Any, Frame], int]] = {
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    LaterFunction: _function,
    LaterAsyncFunction: _function,
    ast.ClassDef: _class,
    ast.Return: _return,
    ast.Raise: lambda evaluator, node, frame: ENDED,
    ast.Continue: lambda evaluator, node, frame: NEXT,
    ast.Break: lambda evaluator, node, frame: NEXT,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated_assign,
    ast.AugAssign: _augmented_assign,
    ast.Expr: _expression,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Match: _match,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Global: _global,
}
if hasattr(ast, "TypeAlias"):
    STATEMENTS[ast.TypeAlias] = _type_alias
