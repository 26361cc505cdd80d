"""The value of each kind of TypeScript expression, as far as it can be known."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.flow import MAX_ITERATIONS, returned
from toolsurface_lint.programs.operations import assumed, compare, operate, plain, plain_key, truth, values_of
from toolsurface_lint.programs.texts import is_text, may_be_text, together
from toolsurface_lint.source.syntax import Syntax, node_class
from toolsurface_lint.source.text import GAP
from toolsurface_lint.source.typescript import decode_string, decode_template

if TYPE_CHECKING:
    from toolsurface_lint.programs.evaluator import Evaluator

GLOBALS = frozenset((
    "Object", "Array", "JSON", "Map", "Set", "WeakMap", "process", "console", "Promise", "String", "Number", "Boolean",
    "Symbol", "Math", "Date", "URL", "Error", "RegExp", "globalThis", "Reflect", "BigInt", "Buffer", "setTimeout",
))  # fmt: skip
GLOBAL = "javascript"
"""The package that the language's own objects have in paths."""
ENVIRONMENT = "an environment variable"
PUT_TOGETHER = "a value put together at run time"


MAX_METHODS = 200
"""Calls, each on what the last one gave: a loop can make a chain of any length, and paths grow with it."""


class MethodCall(v.Made):
    """What a method of something from a package gives: `z.string().optional()`. `path` ends with the method's name."""

    def __init__(self, receiver: v.Made, name: str, arguments: v.Call) -> None:
        super().__init__(f"{receiver.path}.{name}", arguments)
        self.receiver = receiver
        self.length: int = receiver.length + 1 if isinstance(receiver, MethodCall) else 1
        """The number of calls, each on what the last one gave."""


def text(node: Syntax, scope: v.Scope) -> str:
    """The source text of a node."""
    return scope.module.offsets.text(node)


def _evaluate_first(evaluator: Evaluator, node: Syntax, scope: v.Scope) -> v.Value:
    """What only says something of its type, or waits for it, is the expression in it."""
    return evaluator.evaluate(node.children[0], scope) if node.children else v.Literal(None)


def _evaluate_last(evaluator: Evaluator, node: Syntax, scope: v.Scope) -> v.Value:
    value: v.Value = v.Literal(None)
    for part in node.children:
        if part.kind not in ("type_arguments", "type_identifier", "predefined_type"):
            value = evaluator.evaluate(part, scope)
    return value


def _identifier(evaluator: Evaluator, node: Syntax, scope: v.Scope) -> v.Value:
    name = text(node, scope)
    value = scope.find(name)
    if value is not None:
        return evaluator.resolve(value)
    if name in GLOBALS:
        return v.External(f"{GLOBAL}.{name}", scope.module, node)
    return v.Unknown(f"`{name}`", scope.module, node)


def _this(evaluator: Evaluator, node: Syntax, scope: v.Scope) -> v.Value:
    at: v.Scope | None = scope
    while at is not None:
        if at.receiver is not None:
            return at.receiver
        at = at.outer
    return v.Unknown("`this`", scope.module, node)


def _super(evaluator: Evaluator, node: Syntax, scope: v.Scope) -> v.Value:
    at: v.Scope | None = scope
    while at is not None:
        if at.cls is not None and at.receiver is not None:
            return v.Super(at.cls, at.receiver)
        at = at.outer
    return v.Unknown("`super`", scope.module, node)


def _string(evaluator: Evaluator, node: Syntax, scope: v.Scope) -> v.Value:
    return v.Literal(decode_string(text(node, scope)), scope.module, node)


def _template(evaluator: Evaluator, node: Syntax, scope: v.Scope) -> v.Value:
    module = scope.module
    start, end = module.offsets.span(node)
    source = module.source.text
    written: list[str] = []
    values: list[v.Value] = []
    at = start + 1
    for part in node.all("template_substitution"):
        low, high = module.offsets.span(part)
        written.append(decode_template(source[at:low]))
        values.append(_evaluate_first(evaluator, part, scope))
        at = high
    written.append(decode_template(source[at : end - 1]))
    if not values:
        return v.Literal(written[0], module, node)
    whole = GAP.join(written)
    parts: list[v.Part] = []
    at = 0
    for fragment, value in zip(written, [*values, None], strict=True):
        if fragment:
            parts.append(v.Piece(fragment, module, node, whole, at))
        at += len(fragment) + 1
        if value is not None:
            parts.append(value)
    return together(parts, module, node) or v.Unknown("a text put together at run time", module, node)


def _number(evaluator: Evaluator, node: Syntax, scope: v.Scope) -> v.Value:
    written = text(node, scope).replace("_", "")
    try:
        value: Any = int(written, 0) if written[:1] == "0" and written[1:2].isalpha() else float(written)
    except ValueError:
        return v.Unknown("a number", scope.module, node)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    return v.Literal(value, scope.module, node)


def _regex(evaluator: Evaluator, node: Syntax, scope: v.Scope) -> v.Value:
    pattern = node.get("pattern")
    call = v.Call(scope.module, node)
    if pattern is not None:
        call.positional.append(
            v.Argument(v.Literal(text(pattern, scope), scope.module, pattern), pattern, scope.module)
        )
    return v.Made(f"{GLOBAL}.RegExp", call)


def member(
    evaluator: Evaluator, value: v.Value, name: str, module: v.Module, node: v.Node, receiver: Syntax | None = None
) -> v.Value:
    """An attribute of a value, asked for at a node."""
    properties = value.made_of or value
    if isinstance(properties, v.Mapping):
        entry = properties.entries.get(name)
        if entry is not None:
            return evaluator.resolve(entry.value)
    if name == "length" and isinstance(value, v.Items) and value.complete:
        return v.Literal(len(value.items), module, node)
    if isinstance(value, v.External) and value.path == f"{GLOBAL}.process.env":
        return v.Unknown(ENVIRONMENT, module, node)
    if isinstance(value, v.Function) and name == "name":
        return v.FunctionName(value)
    getter = value.member(name) if isinstance(value, v.Class) else None
    if isinstance(getter, v.Function) and getter.binding == "property" and "static" in getter.code.tokens:
        return evaluator.call(getter.bound(value), v.Call(module, node))
    return evaluator.attribute(value, name, module, node, receiver)


def _member(evaluator: Evaluator, node: Syntax, scope: v.Scope) -> v.Value:
    holder, name = node.get("object"), node.get("property")
    if holder is None or name is None:
        return v.Unknown(PUT_TOGETHER, scope.module, node)
    value = evaluator.evaluate(holder, scope)
    return member(evaluator, value, text(name, scope), scope.module, node, holder)


def namespace(module: v.Module, evaluator: Evaluator) -> v.Mapping:
    """What a file exports, as an object."""
    evaluator.run(module)
    found = v.Mapping(module, None)
    for name, place in module.exported.items():  # type: ignore[attr-defined]
        value = module.scope.names.get(name)
        if value is not None:
            found.entries[name] = v.Entry(v.Literal(name, module, place), evaluator.resolve(value))
    return found


def _subscript(evaluator: Evaluator, node: Syntax, scope: v.Scope) -> v.Value:
    holder, index = node.get("object"), node.get("index")
    if holder is None or index is None:
        return v.Unknown(PUT_TOGETHER, scope.module, node)
    value = evaluator.evaluate(holder, scope)
    key = plain_key(evaluator.evaluate(index, scope))
    if isinstance(value, v.Items):
        if type(key) is int and 0 <= key < len(value.items) and value.complete:
            return value.items[key]
    elif isinstance(value, v.Mapping) and value.complete and key is not None and key not in value.entries:
        return v.Literal(None, scope.module, node)
    elif isinstance(key, str) and not isinstance(value, v.Literal | v.Text):
        return member(evaluator, value, key, scope.module, node, holder)
    return v.Unknown("an element of " + v.describe(value), scope.module, node)


def iterated(value: v.Value) -> v.Value:
    """What a loop, a spread or a pattern of an array goes over: the pairs of a `Map`, which an object is not."""
    return pairs(value) if isinstance(value, v.Mapping) else value


def pairs(mapping: v.Mapping) -> v.Items:
    """The keys of an object, each with its value."""
    found = values_of(mapping)
    found.items = [
        v.Items([entry.key, entry.value], entry.value.module, entry.value.node, "tuple")
        for entry in mapping.entries.values()
    ]
    return found


def _call(evaluator: Evaluator, node: Syntax, scope: v.Scope) -> v.Value:
    written, given = node.get("function") or node.get("constructor"), node.get("arguments")
    if written is None:
        return v.Unknown(v.CALL, scope.module, node)
    if written.kind == "import":
        return imported(_argument_text(evaluator, given, scope), node, scope)
    if written.kind == "identifier" and text(written, scope) == "require" and scope.find("require") is None:
        found = imported(_argument_text(evaluator, given, scope), node, scope)
        whole = evaluator.resolve(v.Imported(found, "module.exports")) if isinstance(found, v.Module) else None
        return found if whole is None or isinstance(whole, v.Unknown) else whole
    function = evaluator.evaluate(written, scope)
    if given is not None and given.kind == "template_string":
        # A tag: it takes the margin off a text, or marks its language.
        return evaluator.evaluate(given, scope)
    call = _arguments(evaluator, node, given, scope)
    if isinstance(function, v.Super):
        function = evaluator.attribute(function, "__init__", scope.module, node)
    return evaluator.call(function, call)


def _argument_text(evaluator: Evaluator, given: Syntax | None, scope: v.Scope) -> str:
    first = None if given is None or not given.children else plain(evaluator.evaluate(given.children[0], scope))
    return first if isinstance(first, str) else ""


def imported(path: str, node: Syntax, scope: v.Scope) -> v.Value:
    """The file or the package of a path, as a value whose attributes are what it exports."""
    if not path:
        return v.Unknown("a file that only a run can tell", scope.module, node)
    target = scope.module.find_import(path)  # type: ignore[attr-defined]
    return target or v.External(path, scope.module, node)


def _arguments(evaluator: Evaluator, node: Syntax, given: Syntax | None, scope: v.Scope) -> v.Call:
    call = v.Call(scope.module, node)
    for argument in () if given is None else given.children:
        if argument.kind == "spread_element":
            elements = evaluator.elements(iterated(_evaluate_first(evaluator, argument, scope)))
            call.open = call.open or elements is None
            call.positional.extend(v.Argument(element, argument, scope.module) for element in elements or ())
        else:
            call.positional.append(v.Argument(evaluator.evaluate(argument, scope), argument, scope.module))
    return call


def _function(evaluator: Evaluator, node: Syntax, scope: v.Scope) -> v.Value:
    name = node.get("name")
    return note_function(evaluator, v.Function(node, "" if name is None else text(name, scope), scope))


def note_function(evaluator: Evaluator, function: v.Function) -> v.Function:
    """A function, known to the evaluator as one that something may call: once, however often it is evaluated."""
    noted = function.scope.module.followed  # type: ignore[attr-defined]
    if function.code not in noted:
        noted.add(function.code)
        evaluator.functions.append(function)
    return function


def _array(evaluator: Evaluator, node: Syntax, scope: v.Scope) -> v.Value:
    items = v.Items([], scope.module, node)
    evaluator.displays.append(items)
    try:
        for element in node.children:
            if element.kind == "spread_element":
                evaluator.extend(items, iterated(_evaluate_first(evaluator, element, scope)))
            else:
                items.items.append(evaluator.evaluate(element, scope))
    finally:
        evaluator.displays.pop()
    evaluator.known.note(items)
    return items


def property_name(evaluator: Evaluator, key: Syntax, scope: v.Scope) -> Any:
    """The name of a property or a member; None if it is not known."""
    if key.kind == "string":
        return decode_string(text(key, scope))
    if key.kind == "computed_property_name":
        return plain_key(_evaluate_first(evaluator, key, scope))
    return text(key, scope)


def _object(evaluator: Evaluator, node: Syntax, scope: v.Scope) -> v.Value:
    module = scope.module
    mapping = v.Mapping(module, node)
    for part in node.children:
        if part.kind == "spread_element":
            value = _evaluate_first(evaluator, part, scope)
            if isinstance(value, v.Module):
                value = namespace(value, evaluator)
            value = value.made_of or value
            if isinstance(value, v.Mapping):
                mapping.entries.update(value.entries)
                mapping.complete = mapping.complete and value.complete
            elif not v.is_none(value) and not (isinstance(value, v.Literal) and value.value is False):
                mapping.complete = False
            continue
        key = part if part.kind == "shorthand_property_identifier" else part.get("key") or part.get("name")
        if key is None:
            mapping.complete = False
            continue
        name = property_name(evaluator, key, scope)
        held = _property(evaluator, part, str(name), scope)
        if name is None:
            mapping.complete = False
        else:
            mapping.entries[name] = v.Entry(v.Literal(name, module, key), held)
    evaluator.known.note(mapping)
    return mapping


def _property(evaluator: Evaluator, part: Syntax, name: str, scope: v.Scope) -> v.Value:
    """The value of a property in an object, which may be a method."""
    if part.kind == "shorthand_property_identifier":
        return _identifier(evaluator, part, scope)
    if part.kind == "method_definition":
        function = note_function(evaluator, v.Function(part, name, scope))
        return evaluator.call(function, v.Call(scope.module, part)) if "get" in part.tokens else function
    written = part.get("value")
    return v.Unknown(PUT_TOGETHER) if written is None else evaluator.evaluate(written, scope)


_OPERATORS = frozenset(("+", "-", "*", "===", "!==", "==", "!=", "&&", "||", "??", "in"))
_COMPARED = {"===": "==", "!==": "!=", "==": "==", "!=": "!=", "in": "in"}


def _operator(node: Syntax) -> str:
    return next((symbol for symbol in node.tokens if symbol in _OPERATORS), "")


def _binary(evaluator: Evaluator, node: Syntax, scope: v.Scope) -> v.Value:
    left, right = node.get("left"), node.get("right")
    symbol = _operator(node)
    if left is None or right is None or not symbol:
        return v.Unknown(PUT_TOGETHER, scope.module, node)
    if symbol in ("&&", "||", "??"):
        return _choice(evaluator, symbol, left, right, node, scope)
    first, second = evaluator.evaluate(left, scope), evaluator.evaluate(right, scope)
    return operation(symbol, first, second, scope.module, node) or v.Unknown(PUT_TOGETHER, scope.module, node)


def operation(symbol: str, left: v.Value, right: v.Value, module: v.Module, node: v.Node) -> v.Value | None:
    """The value of a binary operation; None if it is not known."""
    if symbol in _COMPARED:
        if isinstance(left, v.Unknown) and left.what == ENVIRONMENT and isinstance(right, v.Literal) and right.value:
            # `process.env.SAFE_MODE === "true"`: a setting that nobody has set.
            return v.Literal(_COMPARED[symbol] == "!=", module, node, True)
        return compare(_COMPARED[symbol], left, right, module, node)
    if symbol == "+" and (is_text(left) or is_text(right)) and may_be_text(left) and may_be_text(right):
        return together((left, right), module, node)
    return None if isinstance(left, v.Items) else operate(symbol, left, right, module, node)


def _choice(evaluator: Evaluator, symbol: str, left: Syntax, right: Syntax, node: Syntax, scope: v.Scope) -> v.Value:
    first = evaluator.evaluate(left, scope)
    if isinstance(first, v.Unknown) and first.what == ENVIRONMENT and symbol != "&&":
        # `process.env.NAME ?? "default"`: a setting that nobody has set.
        return assumed(evaluator.evaluate(right, scope))
    if symbol == "??":
        known = True if isinstance(first, v.Literal) and first.value is not None else None
        known = False if v.is_none(first) else known or truth(first)[0] or None
    else:
        known = truth(first)[0]
    if known is not None:
        return first if known is (symbol != "&&") else evaluator.evaluate(right, scope)
    second = evaluator.evaluate(right, scope)
    if symbol == "&&":
        # It may be false instead.
        return v.Unknown("a value chosen at run time", scope.module, node)
    if isinstance(first, v.Unknown | v.Method):
        if plain(second) == "":
            # It only satisfies the type.
            return first
        if truth(second)[0] is False:
            return v.Unknown("a value chosen at run time", scope.module, node)
        # What a caller may give, and what it is if nobody does.
        return assumed(second)
    return first if isinstance(first, v.Made | v.Text) else v.Unknown("a value chosen at run time", scope.module, node)


def _type_of(value: v.Value) -> str:
    """What `typeof` gives; empty if it is not known."""
    if isinstance(value, v.Literal):
        kinds = {bool: "boolean", int: "number", float: "number", str: "string"}
        return kinds.get(type(value.value), "undefined")
    if isinstance(value, v.Function | v.Class | v.Native):
        return "function"
    return "object" if isinstance(value, v.Mapping | v.Items | v.Instance) else ""


def _unary(evaluator: Evaluator, node: Syntax, scope: v.Scope) -> v.Value:
    value = _evaluate_first(evaluator, node, scope)
    if "typeof" in node.tokens:
        kind = _type_of(value)
        return v.Literal(kind, scope.module, node) if kind else v.Unknown(PUT_TOGETHER, scope.module, node)
    if "!" in node.tokens:
        known, by_setting = truth(value)
        if known is not None:
            return v.Literal(not known, scope.module, node, by_setting)
    elif "-" in node.tokens and isinstance(value, v.Literal) and type(value.value) in (int, float):
        return v.Literal(-value.value, scope.module, node, value.assumed)
    return v.Unknown(PUT_TOGETHER, scope.module, node)


def _conditional(evaluator: Evaluator, node: Syntax, scope: v.Scope) -> v.Value:
    test, ways = node.get("condition"), [node.get("consequence"), node.get("alternative")]
    if test is None or ways[0] is None or ways[1] is None:
        return v.Unknown(PUT_TOGETHER, scope.module, node)
    known, by_setting = truth(evaluator.evaluate(test, scope))
    if known is not None:
        value = evaluator.evaluate(ways[0] if known else ways[1], scope)
        return assumed(value) if by_setting else value
    values = [evaluator.evaluate(way, scope) for way in ways if way is not None]
    lists = [value for value in values if isinstance(value, v.Items)]
    if len(lists) == len(values):
        # One list or the other: it may hold what is in either.
        held = dict.fromkeys(item for value in lists for item in value.items)
        missing = next((value.missing for value in lists if value.missing), "")
        joined = v.Items(list(held), scope.module, node, missing=missing)
        joined.otherwise.update(dict.fromkeys(held, False))
        return joined
    return returned(values, scope.module, node)


def _assignment(evaluator: Evaluator, node: Syntax, scope: v.Scope) -> v.Value:
    left, right = node.get("left"), node.get("right")
    if left is None or right is None:
        return v.Unknown(PUT_TOGETHER, scope.module, node)
    value = evaluator.evaluate(right, scope)
    bind(evaluator, left, value, scope, declares=False)
    return value


def _augmented(evaluator: Evaluator, node: Syntax, scope: v.Scope) -> v.Value:
    left, right = node.get("left"), node.get("right")
    if left is None or right is None:
        return v.Unknown(PUT_TOGETHER, scope.module, node)
    current, change = evaluator.evaluate(left, scope), evaluator.evaluate(right, scope)
    found = operation("+", current, change, scope.module, node) if "+=" in node.tokens else None
    if found is None and node.tokens & {"??=", "||="}:
        found = change if v.is_none(current) or isinstance(current, v.Unknown | v.Method) else current
    value = found or v.Unknown(PUT_TOGETHER, scope.module, node)
    bind(evaluator, left, value, scope, declares=False)
    return value


def bind(evaluator: Evaluator, target: Syntax, value: v.Value, scope: v.Scope, *, declares: bool = True) -> None:
    """Give a value to what stands on the left; unless it `declares` its names, they are those of a scope around it."""
    module = scope.module
    if target.kind in ("identifier", "shorthand_property_identifier_pattern"):
        name = text(target, scope)
        if isinstance(value, v.Function) and not value.name:
            value.name = name
        evaluator.bind_name(name, value, scope if declares else _home(scope, name))
    elif target.kind in ("object_pattern", "array_pattern"):
        _take_apart(evaluator, target, value, scope, declares)
    elif target.kind in ("assignment_pattern", "object_assignment_pattern"):
        left, right = target.get("left"), target.get("right")
        if left is not None and right is not None:
            if v.is_none(value):
                value = evaluator.evaluate(right, scope)
            elif isinstance(value, v.Unknown | v.Method):
                # A setting, or what a caller may give: what it is if nobody does.
                value = assumed(evaluator.evaluate(right, scope))
            bind(evaluator, left, value, scope, declares=declares)
    elif target.kind == "member_expression":
        holder, name_node = target.get("object"), target.get("property")
        if holder is None or name_node is None:
            return
        name = text(name_node, scope)
        written = text(target, scope)
        if written == "module.exports" or (holder.kind == "identifier" and text(holder, scope) == "exports"):
            _export(evaluator, "module.exports" if written == "module.exports" else name, value, scope)
            return
        if text(holder, scope) == "module.exports":
            _export(evaluator, name, value, scope)
            return
        owner = evaluator.evaluate(holder, scope)
        if isinstance(owner, v.Mapping):
            put(evaluator, owner, name, v.Literal(name, module, name_node), value)
        else:
            evaluator.set_attribute(owner, name, value)
    elif target.kind == "subscript_expression":
        holder, index = target.get("object"), target.get("index")
        held = None if holder is None else evaluator.evaluate(holder, scope)
        if isinstance(held, v.Mapping) and index is not None:
            key = plain_key(evaluator.evaluate(index, scope))
            put(evaluator, held, key, v.Literal(key, module, index), value)
    elif target.kind in ("non_null_expression", "parenthesized_expression", "as_expression") and target.children:
        bind(evaluator, target.children[0], value, scope, declares=declares)


def put(evaluator: Evaluator, owner: v.Mapping, name: Any, key: v.Literal, value: v.Value) -> None:
    """Give an object a property."""
    owner.complete = owner.complete and not evaluator.loops and name is not None
    if name is not None and len(owner.entries) < MAX_ITERATIONS:
        # Noted alone: an object that is filled bit by bit is looked at as often as it has entries.
        alone = v.Mapping(owner.module, owner.node, {name: v.Entry(key, value)}, complete=False)
        evaluator.known.note(alone)
        owner.entries.update(alone.entries)


def _home(scope: v.Scope, name: str) -> v.Scope:
    """The scope in which a name is declared; that of the file if it is not."""
    at = scope
    while name not in at.names and at.outer is not None:
        at = at.outer
    return at


def _export(evaluator: Evaluator, name: str, value: v.Value, scope: v.Scope) -> None:
    """`module.exports = ...`, whose properties are what others import, and `exports.name = ...`."""
    top = scope.module.scope
    evaluator.bind_name(name, value, top)
    if name == "module.exports":
        evaluator.bind_name("default", value, top)
        for key, entry in value.entries.items() if isinstance(value, v.Mapping) else ():
            top.names.setdefault(str(key), entry.value)


def _take_apart(evaluator: Evaluator, target: Syntax, value: v.Value, scope: v.Scope, declares: bool) -> None:
    """`const { name, schema: inputSchema = {}, ...rest } = tool`, `const [key, value] = entry`"""
    if target.kind == "array_pattern":
        value = iterated(value)
        elements = evaluator.elements(value)
        complete = elements is not None and not (isinstance(value, v.Items) and not value.complete)
        for number, part in target.slots:
            if part.kind == "rest_pattern":
                rest = v.Items(list((elements or ())[number:]), scope.module, part)
                if elements is None:
                    rest.missing = v.describe(value)
                bind(evaluator, part.children[0], rest, scope, declares=declares)
                continue
            found = elements[number] if elements is not None and number < len(elements) else None
            if found is None and complete:
                found = v.Literal(None)
            bind(evaluator, part, found or v.Unknown("part of " + v.describe(value)), scope, declares=declares)
        return
    taken: set[Any] = set()
    for part in target.children:
        if part.kind == "rest_pattern":
            rest_of: v.Value = v.Unknown("the rest of " + v.describe(value))
            if isinstance(value, v.Mapping):
                kept = {key: entry for key, entry in value.entries.items() if key not in taken}
                rest_of = v.Mapping(scope.module, part, kept, value.complete)
            if part.children:
                bind(evaluator, part.children[0], rest_of, scope, declares=declares)
            continue
        key = part.get("key") if part.kind == "pair_pattern" else part.get("left") or part
        pattern = part.get("value") if part.kind == "pair_pattern" else part
        if key is None or pattern is None:
            continue
        name = property_name(evaluator, key, scope)
        taken.add(name)
        if not isinstance(name, str):
            found = None
        elif isinstance(value, v.Mapping):
            missing = v.Literal(None) if value.complete else v.Unknown("a property of " + v.describe(value))
            found = value.get(name) or missing
        else:
            found = member(evaluator, value, name, scope.module, key)
        bind(evaluator, pattern, found or v.Unknown("part of " + v.describe(value)), scope, declares=declares)


def _sequence(evaluator: Evaluator, node: Syntax, scope: v.Scope) -> v.Value:
    return _evaluate_last(evaluator, node, scope)


Evaluated = Callable[["Evaluator", Any, v.Scope], v.Value]

EXPRESSIONS: dict[type, Evaluated] = {
    node_class(kind): handler
    for handler, kinds in (
        (_identifier, ("identifier",)),
        (_this, ("this",)),
        (_super, ("super",)),
        (_string, ("string",)),
        (_template, ("template_string",)),
        (_number, ("number",)),
        (_regex, ("regex",)),
        (_member, ("member_expression",)),
        (_subscript, ("subscript_expression",)),
        (_call, ("call_expression", "new_expression")),
        (_function, ("arrow_function", "function_expression", "generator_function")),
        (_array, ("array",)),
        (_object, ("object",)),
        (_binary, ("binary_expression",)),
        (_unary, ("unary_expression",)),
        (_conditional, ("ternary_expression",)),
        (_assignment, ("assignment_expression",)),
        (_augmented, ("augmented_assignment_expression",)),
        (_sequence, ("sequence_expression", "type_assertion")),
        (
            _evaluate_first,
            (
                "parenthesized_expression",
                "as_expression",
                "satisfies_expression",
                "non_null_expression",
                "await_expression",
                "instantiation_expression",
            ),
        ),
    )
    for kind in kinds
}
EXPRESSIONS.update(
    {
        node_class(kind): lambda evaluator, node, scope, value=value: v.Literal(value, scope.module, node)  # type: ignore[misc]
        for kind, value in (("true", True), ("false", False), ("null", None), ("undefined", None))
    }
)
