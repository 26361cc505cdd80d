"""What each kind of TypeScript statement does to the values that are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.flow import ENDED, ENDED_BY_SETTING, MAX_ITERATIONS, NEXT, Frame, Loop
from toolsurface_lint.programs.operations import truth
from toolsurface_lint.programs.typescript.expressions import (
    EXPRESSIONS,
    bind,
    iterated,
    note_function,
    property_name,
    text,
)
from toolsurface_lint.source.syntax import Syntax, node_class
from toolsurface_lint.source.typescript import decode_string

if TYPE_CHECKING:
    from toolsurface_lint.programs.evaluator import Evaluator

_FUNCTIONS = ("function_declaration", "generator_function_declaration")
_VARIABLES = ("lexical_declaration", "variable_declaration")


def _comes_first(statement: Syntax) -> bool:
    declared = statement.get("declaration") if statement.kind == "export_statement" else statement
    return declared is not None and declared.kind in _FUNCTIONS


def hoisted(statements: Sequence[Syntax]) -> list[Syntax]:
    """Statements in the order in which they take effect: functions are declared before anything runs."""
    first = [statement for statement in statements if _comes_first(statement)]
    return [*first, *(each for each in statements if not _comes_first(each))] if first else list(statements)


def declared(statement: Syntax, module: v.Module) -> bool:
    """Bind the plain constants of a statement without evaluating them; whether it declares nothing else."""
    declaration = statement.get("declaration") if statement.kind == "export_statement" else statement
    if declaration is None or declaration.kind not in _VARIABLES:
        written = "" if statement.kind != "expression_statement" else module.offsets.text(statement)
        return statement.kind == "expression_statement" and "exports" not in written[:200]
    waiting: dict[str, v.Value] = {}
    for declarator in declaration.all("variable_declarator"):
        name, value = declarator.get("name"), declarator.get("value")
        if name is None or name.kind != "identifier" or value is None:
            return False
        waiting[module.offsets.text(name)] = v.Deferred(value, module.scope)
    module.scope.names.update(waiting)
    if statement is not declaration:
        _note_exports(statement, module.scope)
    return True


def exported_default(statement: Syntax, module: v.Module) -> bool:
    """Bind `export default EXPRESSION` without evaluating it; whether a statement is one."""
    value = statement.get("value") if statement.kind == "export_statement" else None
    if value is None:
        return False
    module.scope.names["default"] = v.Deferred(value, module.scope)
    return True


def _variables(evaluator: Evaluator, node: Syntax, frame: Frame) -> int:
    for declarator in node.all("variable_declarator"):
        name, written = declarator.get("name"), declarator.get("value")
        if name is not None:
            value = v.Literal(None) if written is None else evaluator.evaluate(written, frame.scope)
            bind(evaluator, name, value, frame.scope)
    return 0


def _function(evaluator: Evaluator, node: Syntax, frame: Frame) -> int:
    name = node.get("name")
    if name is not None:
        function = v.Function(node, text(name, frame.scope), frame.scope)
        evaluator.bind_name(function.name, note_function(evaluator, function), frame.scope)
    return 0


def _class(evaluator: Evaluator, node: Syntax, frame: Frame) -> int:
    make_class(evaluator, node, frame.scope)
    return 0


def make_class(evaluator: Evaluator, node: Syntax, outer: v.Scope) -> v.Class:
    """The class of a statement or an expression; its constructor is the member `__init__`."""
    module = outer.module
    written = node.get("name")
    name = "" if written is None else text(written, outer)
    heritage = node.first("class_heritage")
    extends = None if heritage is None else heritage.first("extends_clause")
    base = None if extends is None else extends.get("value")
    scope = v.Scope(module, outer, is_class=True)
    bases = [] if base is None else [evaluator.evaluate(base, outer)]
    cls = v.Class(node, name, scope, bases, base or node)
    scope.cls = cls
    if name:
        evaluator.bind_name(name, cls, outer)
    # Its fields are evaluated with its other static members at hand: `Search.NAME`.
    body = node.get("body")
    decorators: list[Syntax] = []
    for part in () if body is None else body.children:
        key = part.get("name")
        if part.kind == "decorator":
            decorators.append(part)
        elif part.kind == "method_definition" and key is not None:
            method = _method(evaluator, part, str(property_name(evaluator, key, outer)), cls, outer)
            if method is not None:
                _decorate(evaluator, method, decorators, outer)
            decorators = []
        elif part.kind in ("public_field_definition", "field_definition"):
            key = key or part.get("property")
            value = part.get("value")
            if key is not None and value is not None:
                field = property_name(evaluator, key, outer)
                found = evaluator.evaluate(value, outer)
                if isinstance(found, v.Function) and not found.name:
                    found.name = str(field)
                    found.owner = cls
                evaluator.put(scope.names, str(field), found)
    for ancestor in cls.lineage()[:-1]:
        ancestor.replaced.update(scope.names)
    evaluator.known.note(cls)
    return cls


def _decorate(evaluator: Evaluator, method: v.Value, decorators: list[Syntax], outer: v.Scope) -> None:
    """Call those decorators of a method that the reader knows; what others do to it is not followed."""
    for decorator in decorators:
        found = evaluator.evaluate(decorator.children[0], outer) if decorator.children else None
        if isinstance(found, v.Native):
            evaluator.call(found, v.Call(outer.module, decorator, method))


def _method(evaluator: Evaluator, node: Syntax, name: str, cls: v.Class, outer: v.Scope) -> v.Function | None:
    if "set" in node.tokens:
        return None
    function = v.Function(node, "__init__" if name == "constructor" else name, outer, cls)
    if "static" in node.tokens:
        function.binding = "class"
    if "get" in node.tokens:
        function.binding = "property"
    evaluator.put(cls.scope.names, function.name, note_function(evaluator, function))
    return function


def _enum(evaluator: Evaluator, node: Syntax, frame: Frame) -> int:
    name, body = node.get("name"), node.get("body")
    if name is None or body is None:
        return 0
    members = v.Mapping(frame.scope.module, node)
    following: int | None = 0
    for part in body.children:
        key = part.get("name") or part
        written = part.get("value")
        value: v.Value
        if written is not None:
            value = evaluator.evaluate(written, frame.scope)
            number = value.value if isinstance(value, v.Literal) else None
            following = number + 1 if type(number) is int else None
        else:
            value = v.Unknown("a member of an enum") if following is None else v.Literal(following, members.module, key)
            following = None if following is None else following + 1
        label = property_name(evaluator, key, frame.scope)
        members.entries[label] = v.Entry(v.Literal(label, members.module, key), value)
    evaluator.bind_name(text(name, frame.scope), members, frame.scope)
    return 0


def _return(evaluator: Evaluator, node: Syntax, frame: Frame) -> int:
    value = evaluator.evaluate(node.children[0], frame.scope) if node.children else v.Literal(None)
    if not frame.settled:
        frame.returns.append(value)
    return ENDED


def _expression(evaluator: Evaluator, node: Syntax, frame: Frame) -> int:
    for part in node.children:
        value = evaluator.evaluate(part, frame.scope)
        if isinstance(value, v.Native) and value.unused is not None:
            value.unused()
    return 0


def _block(evaluator: Evaluator, node: Syntax | None, frame: Frame) -> int:
    """A branch or the body of a loop: a block, or one statement."""
    if node is None:
        return 0
    if node.kind in ("statement_block", "else_clause"):
        return evaluator.execute(hoisted(node.children), frame)
    return evaluator.execute([node], frame)


def _if(evaluator: Evaluator, node: Syntax, frame: Frame) -> int:
    test, body, other = node.get("condition"), node.get("consequence"), node.get("alternative")
    known, assumed = (None, False) if test is None else truth(evaluator.evaluate(test, frame.scope))
    if known is not None:
        taken, left = (body, other) if known else (other, body)
        ended = _block(evaluator, taken, frame)
        if assumed and left is not None:
            settled, frame.settled = frame.settled, True
            with evaluator.branch() as otherwise, evaluator.otherwise(optional=True):
                _block(evaluator, left, frame)
            evaluator.settle(otherwise)
            frame.settled = settled
        return ENDED_BY_SETTING if ended == ENDED and assumed else ended
    with evaluator.branch() as first:
        ends = [_block(evaluator, body, frame)]
    with evaluator.branch() as second, evaluator.otherwise():
        ends.append(_block(evaluator, other, frame))
    evaluator.join([way for way, end in zip((first, second), ends, strict=True) if end != ENDED], complete=True)
    return min(ends)


def _for_each(evaluator: Evaluator, node: Syntax, frame: Frame) -> int:
    target, over, body = node.get("left"), node.get("right"), node.get("body")
    if target is None or over is None:
        return 0
    iterable = evaluator.evaluate(over, frame.scope)
    if "of" in node.tokens:
        iterable = iterated(iterable)
    elements = evaluator.elements(iterable)
    for element in (elements or ())[:MAX_ITERATIONS]:
        bind(evaluator, target, element, frame.scope)
        if _block(evaluator, body, frame) == ENDED:
            return ENDED
    if elements is None or (isinstance(iterable, v.Items) and not iterable.complete):
        what = v.describe(iterable)
        evaluator.loops.append(Loop(frame.scope.module, node, what))
        with evaluator.branch() as turn:
            bind(evaluator, target, v.Unknown("an element of " + what), frame.scope)
            _block(evaluator, body, frame)
        evaluator.join([turn])
        evaluator.loops.pop()
    return 0


def _while(evaluator: Evaluator, node: Syntax, frame: Frame) -> int:
    for part in (node.get("initializer"), node.get("condition")):
        if part is not None and part.kind in _VARIABLES:
            evaluator.execute([part], frame)
        elif part is not None:
            evaluator.evaluate(part, frame.scope)
    evaluator.loops.append(Loop(frame.scope.module, node, "a condition"))
    with evaluator.branch() as turn:
        _block(evaluator, node.get("body"), frame)
    evaluator.join([turn])
    evaluator.loops.pop()
    return 0


def _try(evaluator: Evaluator, node: Syntax, frame: Frame) -> int:
    ways = []
    with evaluator.branch() as way:
        ended = _block(evaluator, node.get("body"), frame)
    if ended != ENDED:
        ways.append(way)
    handler = node.get("handler")
    caught = ENDED
    if handler is not None:
        with evaluator.branch() as way, evaluator.otherwise():
            name = handler.get("parameter")
            if name is not None:
                bind(evaluator, name, v.Unknown("an exception"), frame.scope)
            caught = _block(evaluator, handler.get("body"), frame)
        if caught != ENDED:
            ways.append(way)
    evaluator.join(ways, complete=True)
    final = node.get("finalizer")
    after = 0 if final is None else _block(evaluator, final.get("body"), frame)
    return after or (ended if caught else 0)


def _switch(evaluator: Evaluator, node: Syntax, frame: Frame) -> int:
    subject, body = node.get("value"), node.get("body")
    if subject is not None:
        evaluator.evaluate(subject, frame.scope)
    ways = []
    for case in () if body is None else body.children:
        with evaluator.branch() as way, evaluator.otherwise():
            ended = evaluator.execute([part for part in case.children if part is not case.get("value")], frame)
        if ended != ENDED:
            ways.append(way)
    evaluator.join(ways)
    return 0


def _import(evaluator: Evaluator, node: Syntax, frame: Frame) -> int:
    scope = frame.scope
    source = node.get("source")
    clause = node.first("import_clause")
    path = "" if source is None else decode_string(text(source, scope))
    target = _target(evaluator, path, scope)
    for part in () if clause is None else clause.children:
        if part.kind == "identifier":
            _bind_import(evaluator, part, "default", path, target, scope)
        elif part.kind == "namespace_import" and part.children:
            value = target or v.External(path, scope.module, part)
            evaluator.bind_name(text(part.children[0], scope), value, scope)
        elif part.kind == "named_imports":
            for each in part.all("import_specifier"):
                name = each.get("name")
                if name is not None:
                    _bind_import(evaluator, each.get("alias") or name, text(name, scope), path, target, scope)
    required = node.first("import_require_clause")
    if required is not None and required.children:
        # `import fs = require("fs")`
        written = required.get("source")
        path = "" if written is None else decode_string(text(written, scope))
        value = _target(evaluator, path, scope) or v.External(path, scope.module, required)
        evaluator.bind_name(text(required.children[0], scope), value, scope)
    return 0


def _target(evaluator: Evaluator, path: str, scope: v.Scope) -> v.Module | None:
    target: v.Module | None = scope.module.find_import(path) if path else None  # type: ignore[attr-defined]
    if target is not None:
        evaluator.imports[target.path] = evaluator.imports.get(target.path, False) or not evaluator.optional
    return target


def _bind_import(
    evaluator: Evaluator, place: Syntax, name: str, path: str, target: v.Module | None, scope: v.Scope
) -> None:
    value: v.Value = v.External(f"{path}.{name}", scope.module, place)
    if target is not None:
        value = v.Imported(target, name)
    evaluator.bind_name(text(place, scope), value, scope)


def _export(evaluator: Evaluator, node: Syntax, frame: Frame) -> int:
    scope = frame.scope
    declaration, value, source = node.get("declaration"), node.get("value"), node.get("source")
    _note_exports(node, frame.scope)
    if declaration is not None:
        ended = evaluator.execute([declaration], frame)
        name = declaration.get("name")
        if "default" in node.tokens and name is not None:
            found = scope.find(text(name, scope))
            if found is not None:
                evaluator.bind_name("default", found, scope)
        return ended
    if value is not None:
        found = evaluator.evaluate(value, scope)
        if isinstance(found, v.Function) and not found.name:
            found.name = "default"
        evaluator.bind_name("default", found, scope)
        return 0
    path = "" if source is None else decode_string(text(source, scope))
    target = _target(evaluator, path, scope)
    clause = node.first("export_clause")
    for each in () if clause is None else clause.all("export_specifier"):
        name, alias = each.get("name"), each.get("alias")
        if name is None:
            continue
        own, other = text(name, scope), text(alias or name, scope)
        if source is not None:
            _bind_import(evaluator, alias or name, own, path, target, scope)
        elif own != other:
            known = scope.find(own)
            evaluator.bind_name(other, known or v.Unknown(f"`{own}`"), scope)
    namespace = node.first("namespace_export")
    if namespace is not None and namespace.children:
        whole = target or v.External(path, scope.module, namespace)
        evaluator.bind_name(text(namespace.children[0], scope), whole, scope)
    elif clause is None and source is not None and target is not None:
        _export_all(evaluator, target, scope)
    return 0


def _note_exports(node: Syntax, scope: v.Scope) -> None:
    """Take note of the names that a statement exports."""
    module = scope.module
    exported: dict[str, Syntax] = module.exported  # type: ignore[attr-defined]
    declaration, clause = node.get("declaration"), node.first("export_clause")
    if declaration is not None and "default" not in node.tokens:
        names = [declarator.get("name") for declarator in declaration.all("variable_declarator")]
        places = [*names, declaration.get("name")]
    else:
        places = [each.get("alias") or each.get("name") for each in (clause.children if clause is not None else ())]
    for place in places:
        if place is not None and place.kind not in ("object_pattern", "array_pattern"):
            exported[text(place, scope)] = place


def _export_all(evaluator: Evaluator, target: v.Module, scope: v.Scope) -> None:
    evaluator.run(target)
    scope.module.exported.update(target.exported)  # type: ignore[attr-defined]
    for name, value in list(target.scope.names.items()):
        if name != "default" and name not in scope.names:
            kept = v.Imported(target, name) if isinstance(value, v.Deferred) else value
            evaluator.bind_name(name, kept, scope)


def _labelled(evaluator: Evaluator, node: Syntax, frame: Frame) -> int:
    return _block(evaluator, node.get("body"), frame)


def _nested(evaluator: Evaluator, node: Syntax, frame: Frame) -> int:
    return _block(evaluator, node, frame)


Followed = Callable[["Evaluator", Any, Frame], int]

STATEMENTS: dict[type, Followed] = {
    node_class(kind): handler
    for handler, kinds in (
        (_variables, _VARIABLES),
        (_function, _FUNCTIONS),
        (_class, ("class_declaration", "abstract_class_declaration")),
        (_enum, ("enum_declaration",)),
        (_return, ("return_statement",)),
        (_expression, ("expression_statement",)),
        (_nested, ("statement_block",)),
        (_if, ("if_statement",)),
        (_for_each, ("for_in_statement",)),
        (_while, ("for_statement", "while_statement", "do_statement")),
        (_try, ("try_statement",)),
        (_switch, ("switch_statement",)),
        (_import, ("import_statement",)),
        (_export, ("export_statement",)),
        (_labelled, ("labeled_statement",)),
    )
    for kind in kinds
}
STATEMENTS[node_class("throw_statement")] = lambda evaluator, node, frame: ENDED
for _kind in ("break_statement", "continue_statement"):
    STATEMENTS[node_class(_kind)] = lambda evaluator, node, frame: NEXT
EXPRESSIONS[node_class("class")] = make_class
