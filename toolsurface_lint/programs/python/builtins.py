"""What Python itself and its standard library do with known values: operators, texts, lists, settings with defaults."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

from toolsurface_lint.programs.flow import MAX_ITERATIONS, MAX_TEXT
from toolsurface_lint.programs.values import (
    Arguments,
    Class,
    Entry,
    External,
    Function,
    Instance,
    Items,
    Literal,
    Made,
    Mapping,
    Member,
    Method,
    ModuleValue,
    Native,
    Unknown,
    Value,
    describe,
)
from toolsurface_lint.source.python import Located, clean_docstring

if TYPE_CHECKING:
    from toolsurface_lint.programs.evaluator import Evaluator
    from toolsurface_lint.programs.python.modules import Module

NAMES = frozenset((
    "str", "int", "float", "bool", "bytes", "list", "tuple", "set", "frozenset", "dict", "object", "type", "None",
    "len", "sorted", "reversed", "enumerate", "zip", "map", "filter", "getattr", "setattr", "hasattr", "isinstance",
    "super", "property", "staticmethod", "classmethod", "print", "range", "open", "any", "all", "min", "max", "sum",
    "Exception", "ValueError", "TypeError", "RuntimeError", "KeyError", "OSError", "complex", "callable", "repr",
    "iter", "next", "vars", "id", "abs", "round",
))  # fmt: skip
"""The builtins that a name means where no file defines it."""

_PLAIN = (str, int, float, bool, type(None))


def truth(value: Value) -> tuple[bool | None, bool]:
    """Whether a value is true, None if that is not known; and whether that hangs on the default of a setting."""
    if isinstance(value, Literal):
        return bool(value.value), value.assumed
    if isinstance(value, Items):
        return (True if value.items else False if value.complete else None), False
    if isinstance(value, Mapping):
        return (True if value.entries else False if value.complete else None), False
    if isinstance(value, External):
        return (True if value.last == "TYPE_CHECKING" else None), False
    if isinstance(value, Function | Class | Instance | ModuleValue | Native | Member):
        return True, False
    return None, False


def text_of(value: Value) -> str | None:
    """The text that a value gives in an f-string or in `str()`."""
    if isinstance(value, Literal) and isinstance(value.value, str | int | float | None):
        return str(value.value)
    if isinstance(value, Member) and (value.cls.derives("StrEnum") is not None or _shows_value(value.cls)):
        return text_of(value.value)
    return None


def _shows_value(cls: Class) -> bool:
    """Whether the `__str__` of an enum class returns the value."""
    method = cls.member("__str__")
    if not isinstance(method, Function) or isinstance(method.code, ast.Lambda):
        return False
    last = method.code.body[-1]
    value = last.value if isinstance(last, ast.Return) else None
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "str" and value.args:
        value = value.args[0]
    return isinstance(value, ast.Attribute) and value.attr in ("value", "_value_") and isinstance(value.value, ast.Name)


def plain_key(value: Value) -> Any:
    """The key that a value is in a dict; None if it is not known, or None itself."""
    if isinstance(value, Member):
        value = value.value if value.cls.derives("str", "StrEnum", "int", "IntEnum") is not None else value
    if isinstance(value, Literal) and isinstance(value.value, str | int | float):
        return value.value
    if isinstance(value, Member):
        return f"{value.cls.name}.{value.name}"
    return None


def plain(value: Value) -> Any:
    """The plain scalar that a value is, an enum member with a mixed-in type included; `_NONE` if it is none."""
    if isinstance(value, Member):
        value = value.value
    if isinstance(value, Literal) and isinstance(value.value, _PLAIN):
        return value.value
    return _NONE


_NONE = object()


def operate(operator: ast.operator, left: Value, right: Value, module: Module, node: Located) -> Value | None:
    """The value of a binary operation; None if it is not known."""
    if isinstance(left, Items) and isinstance(right, Items) and isinstance(operator, ast.Add):
        if len(left.items) + len(right.items) > MAX_ITERATIONS:
            return None
        joined = Items([*left.items, *right.items], module, node, left.kind)
        joined.complete = left.complete and right.complete
        joined.missing = left.missing or right.missing
        return joined
    if isinstance(operator, ast.Add) and isinstance(left, Items) is not isinstance(right, Items):
        known, other = (left, right) if isinstance(left, Items) else (right, left)
        if isinstance(known, Items) and isinstance(other, Unknown | Made):
            partly = Items(list(known.items), module, node, known.kind)
            partly.complete, partly.missing = False, describe(other)
            return partly
    if isinstance(left, Mapping) and isinstance(right, Mapping) and isinstance(operator, ast.BitOr):
        merged = Mapping(module, node)
        merged.entries = {**left.entries, **right.entries}
        merged.complete = left.complete and right.complete
        return merged
    if not isinstance(left, Literal):
        return None
    assumed = left.assumed
    a = left.value
    if isinstance(operator, ast.Mod) and isinstance(a, str):
        text = _interpolate(a, right)
        return None if text is None else Literal(text, module, node, assumed)
    if not isinstance(right, Literal):
        return None
    b, assumed = right.value, assumed or right.assumed
    if isinstance(a, str) and isinstance(b, str) and isinstance(operator, ast.Add):
        return Literal(a + b, module, node, assumed) if len(a) + len(b) <= MAX_TEXT else None
    if isinstance(a, str) and type(b) is int and isinstance(operator, ast.Mult):
        return Literal(a * b, module, node, assumed) if len(a) * b <= MAX_TEXT else None
    if type(a) in (int, float) and type(b) in (int, float) and abs(a) < 2**53 and abs(b) < 2**53:
        if isinstance(operator, ast.Add):
            return Literal(a + b, module, node, assumed)
        if isinstance(operator, ast.Sub):
            return Literal(a - b, module, node, assumed)
        if isinstance(operator, ast.Mult):
            return Literal(a * b, module, node, assumed)
    return None


def _interpolate(template: str, value: Value) -> str | None:
    """`template % value` for templates that hold plain `%s` and `%d` only."""
    values = value.items if isinstance(value, Items) and value.kind == "tuple" else [value]
    texts = [text_of(element) for element in values]
    fields = re.findall(r"%(.?)", template)
    if any(field not in ("s", "d", "%") for field in fields) or None in texts:
        return None
    known = iter([text for text in texts if text is not None])
    if len([field for field in fields if field != "%"]) != len(texts):
        return None
    return _bounded(re.sub(r"%(.)", lambda match: "%" if match.group(1) == "%" else next(known), template))


def _bounded(text: str) -> str | None:
    return text if len(text) <= MAX_TEXT else None


def compare(operator: ast.cmpop, left: Value, right: Value, module: Module, node: Located) -> Value | None:
    """The value of a comparison; None if it is not known."""
    answer: bool | None = None
    if isinstance(operator, ast.Is | ast.IsNot) or (
        isinstance(operator, ast.Eq | ast.NotEq) and isinstance(right, Literal) and right.value is None
    ):
        answer = _same(left, right)
        if answer is not None and isinstance(operator, ast.IsNot | ast.NotEq):
            answer = not answer
    elif isinstance(operator, ast.Eq | ast.NotEq):
        a, b = plain(left), plain(right)
        if a is not _NONE and b is not _NONE:
            answer = (a == b) is isinstance(operator, ast.Eq)
    elif isinstance(operator, ast.In | ast.NotIn):
        answer = _holds(right, left)
        if answer is not None and isinstance(operator, ast.NotIn):
            answer = not answer
    if answer is None:
        return None
    assumed = any(isinstance(value, Literal) and value.assumed for value in (left, right))
    return Literal(answer, module, node, assumed)


def _same(left: Value, right: Value) -> bool | None:
    if isinstance(left, Literal) and isinstance(right, Literal):
        return left.value is right.value or (left.value is not None and left.value == right.value)
    if isinstance(right, Literal) and right.value is None and truth(left)[0]:
        return False
    return None


def _holds(container: Value, value: Value) -> bool | None:
    wanted = plain(value)
    if wanted is _NONE:
        return None
    if isinstance(container, Literal) and isinstance(container.value, str) and isinstance(wanted, str):
        return wanted in container.value
    if isinstance(container, Mapping):
        return wanted in container.entries if container.complete else None
    if isinstance(container, Items):
        held = [plain(item) for item in container.items]
        if any(item is not _NONE and item == wanted for item in held):
            return True
        return False if container.complete and all(item is not _NONE for item in held) else None
    return None


def call(
    evaluator: Evaluator, function: External, arguments: Arguments, module: Module, node: ast.expr
) -> Value | None:
    """What a call of a builtin or of the standard library gives; None for what is not known here."""
    path = function.path
    values = [argument.value for argument in arguments.positional]
    if function.root == "builtins":
        return _call_builtin(evaluator, function.last, values, arguments, module, node)
    if path in ("os.getenv", "os.environ.get"):
        return setting(values[1] if len(values) > 1 else None, module, node)
    if path in ("typing.cast", "typing_extensions.cast") and len(values) == 2:
        return values[1]
    if path in ("asyncio.run", "anyio.run", "copy.deepcopy", "copy.copy", "functools.partial") and values:
        if path == "anyio.run" and isinstance(values[0], Function):
            return evaluator.call(values[0], Arguments(), module, node)
        return values[0]
    if path == "functools.wraps" and values:
        wrapped = values[0]
        return Native(lambda given, where, at: wrapped, module, node)
    if path in ("inspect.cleandoc", "textwrap.dedent") and values:
        text = text_of(values[0])
        return None if text is None else Literal(_dedent(path, text), values[0].module, values[0].node)
    if path == "inspect.getdoc" and values and isinstance(values[0], Function):
        document = evaluator.attribute(values[0], "__doc__", node, module)
        text = text_of(document)
        return None if text is None else Literal(clean_docstring(text)[0], document.module, document.node)
    if path == "argparse.ArgumentParser":
        return Made(path, arguments, module, node)
    if path in ("os.path.exists", "os.path.isfile", "os.path.isdir"):
        return Unknown("a file that may exist", module, node)
    return None


def _dedent(path: str, text: str) -> str:
    if path == "inspect.cleandoc":
        return clean_docstring(text)[0]
    import textwrap

    return textwrap.dedent(text)


def setting(default: Value | None, module: Module, node: ast.expr) -> Value:
    """The value of a setting that nobody has set."""
    if default is None:
        return Literal(None, module, node, True)
    return Literal(default.value, default.module, default.node, True) if isinstance(default, Literal) else default


def field_default(field: Made, is_setting: bool) -> Value:
    """What a field of a model or dataclass is when nobody gives it; for a settings class, only assumed."""
    given = field.arguments.get("default", 0)
    if given is None or (isinstance(given.value, Literal) and given.value.value is Ellipsis):
        return Unknown("a field's value", field.module, field.node)
    value = given.value
    if isinstance(value, Literal) and is_setting:
        return Literal(value.value, value.module, value.node, True)
    return value


def _call_builtin(
    evaluator: Evaluator, name: str, values: list[Value], arguments: Arguments, module: Module, node: ast.expr
) -> Value | None:
    first = values[0] if values else None
    if name == "dict":
        return _make_dict(first, arguments, module, node)
    if name in ("list", "tuple", "set", "frozenset", "sorted", "reversed", "iter"):
        return _make_items(evaluator, name, first, module, node)
    if name == "str":
        text = "" if first is None else text_of(first)
        return None if text is None else Literal(text, module, node)
    if name == "bool" and first is not None:
        known, assumed = truth(first)
        return None if known is None else Literal(known, module, node, assumed)
    if name == "int" and isinstance(first, Literal) and isinstance(first.value, str | int):
        text = str(first.value)
        return Literal(int(text), module, node, first.assumed) if re.fullmatch(r"-?[0-9]{1,15}", text) else None
    if name == "len" and isinstance(first, Items) and first.complete:
        return Literal(len(first.items), module, node)
    if name == "enumerate" and first is not None:
        return _pairs(evaluator, first, module, node)
    if name == "zip" and values:
        return _zip(evaluator, values, module, node)
    if name == "getattr" and len(values) >= 2 and isinstance(values[1], Literal) and isinstance(values[1].value, str):
        assert first is not None
        return evaluator.attribute(first, values[1].value, node, module)
    return None


def _make_dict(first: Value | None, arguments: Arguments, module: Module, node: ast.expr) -> Value:
    mapping = Mapping(module, node)
    if isinstance(first, Mapping):
        mapping.entries.update(first.entries)
        mapping.complete = first.complete
    elif first is not None:
        mapping.complete = False
    for key, argument in arguments.keywords.items():
        mapping.set_at(key, argument.value, argument.module, argument.key)
    mapping.complete = mapping.complete and not arguments.open
    return mapping


def _make_items(evaluator: Evaluator, kind: str, first: Value | None, module: Module, node: ast.expr) -> Value | None:
    if first is None:
        return Items([], module, node, kind)
    elements = evaluator.elements(first)
    if elements is None:
        return None
    made = Items(list(reversed(elements)) if kind == "reversed" else list(elements), module, first.node or node)
    if isinstance(first, Items):
        made.complete, made.missing = first.complete, first.missing
    return made


def _pairs(evaluator: Evaluator, first: Value, module: Module, node: ast.expr) -> Value | None:
    elements = evaluator.elements(first)
    if elements is None:
        return None
    counted: list[Value] = [
        Items([Literal(index, module, node), element], module, node, "tuple") for index, element in enumerate(elements)
    ]
    return Items(counted, module, node)


def _zip(evaluator: Evaluator, values: list[Value], module: Module, node: ast.expr) -> Value | None:
    columns = [evaluator.elements(value) for value in values]
    known = [column for column in columns if column is not None]
    if len(known) != len(columns):
        return None
    return Items([Items(list(row), module, node, "tuple") for row in zip(*known, strict=False)], module, node)


# Methods of texts whose result is no longer than what goes in.
_TEXT_METHODS = frozenset((
    "lower", "upper", "strip", "lstrip", "rstrip", "title", "capitalize", "casefold", "swapcase", "removeprefix",
    "removesuffix", "startswith", "endswith", "isidentifier", "isdigit",
))  # fmt: skip


def call_method(
    evaluator: Evaluator, method: Method, arguments: Arguments, module: Module, node: ast.expr
) -> Value | None:
    """What a call of a method of a text, list, dict or option parser gives; None for what is not known here."""
    receiver = method.receiver
    values = [argument.value for argument in arguments.positional]
    if isinstance(receiver, Member) and receiver.cls.derives("str", "StrEnum") is not None:
        receiver = receiver.value
    if isinstance(receiver, Literal) and isinstance(receiver.value, str):
        return _call_text(evaluator, receiver, method.name, values, arguments, module, node)
    if isinstance(receiver, Mapping):
        result = _call_mapping(receiver, method.name, values, arguments, module, node)
        if result is None and method.name not in ("get", "__contains__"):
            # What is not known here may add and remove keys.
            receiver.complete = False
        return result
    if isinstance(receiver, Items):
        return _call_items(evaluator, receiver, method.name, values, module, node)
    if isinstance(receiver, Made):
        return _call_parser(receiver, method.name, arguments, module, node)
    return None


def _call_text(
    evaluator: Evaluator,
    text: Literal,
    name: str,
    values: list[Value],
    arguments: Arguments,
    module: Module,
    node: ast.expr,
) -> Value | None:
    plain_values = [value.value for value in values if isinstance(value, Literal) and isinstance(value.value, str)]
    if len(plain_values) == len(values) and not arguments.keywords:
        if name in _TEXT_METHODS and len(values) <= 1:
            try:
                result = getattr(text.value, name)(*plain_values)
            except TypeError:
                return None
            # A stripped text is still what was written: a name in it can be shown where it stands.
            return Literal(result, text.module, text.node, text.assumed)
        if name == "replace" and len(values) == 2:
            grown = len(text.value) + text.value.count(plain_values[0]) * len(plain_values[1])
            if grown <= MAX_TEXT:
                return Literal(text.value.replace(*plain_values), module, node, text.assumed)
        if name == "split" and len(values) <= 1 and (not plain_values or plain_values[0]):
            parts = text.value.split(*plain_values)
            return Items([Literal(part, module, node, text.assumed) for part in parts], module, node)
    if name == "join" and len(values) == 1:
        elements = evaluator.elements(values[0])
        texts = [text_of(element) for element in elements or ()]
        complete = not isinstance(values[0], Items) or values[0].complete
        known = [part for part in texts if part is not None]
        size = sum(map(len, known)) + len(text.value) * len(known)
        if elements is not None and complete and len(known) == len(texts) and size <= MAX_TEXT:
            return Literal(text.value.join(known), module, node)
    if name == "format":
        return _format(text, values, arguments, module, node)
    return None


_FIELD = re.compile(r"\{\{|\}\}|\{([A-Za-z0-9_]*)\}|[{}]")


def _format(text: Literal, values: list[Value], arguments: Arguments, module: Module, node: ast.expr) -> Value | None:
    """`str.format` for templates whose fields are plain names and numbers."""
    given: dict[str, Value] = {str(index): value for index, value in enumerate(values)}
    given.update({name: argument.value for name, argument in arguments.keywords.items()})
    automatic = iter(range(len(values)))
    parts: list[str] = []
    position = size = 0
    for match in _FIELD.finditer(text.value):
        parts.append(text.value[position : match.start()])
        position = match.end()
        if match.group() in ("{{", "}}"):
            parts.append(match.group()[0])
            continue
        name = match.group(1)
        if name is None:
            return None
        value = given.get(name if name else str(next(automatic, "")))
        replacement = None if value is None else text_of(value)
        if replacement is None:
            return None
        parts.append(replacement)
        size += len(replacement)
        if size > MAX_TEXT:
            return None
    parts.append(text.value[position:])
    return Literal("".join(parts), module, node, text.assumed)


def _call_mapping(
    mapping: Mapping, name: str, values: list[Value], arguments: Arguments, module: Module, node: ast.expr
) -> Value | None:
    if name in ("items", "values", "keys"):
        members: list[Value] = []
        for entry in mapping.entries.values():
            if name == "items":
                members.append(Items([entry.key, entry.value], module, node, "tuple"))
            else:
                members.append(entry.value if name == "values" else entry.key)
        result = Items(members, module, mapping.node)
        result.complete = mapping.complete
        result.missing = "" if mapping.complete else "a dict that is filled at run time"
        return result
    if name in ("get", "pop", "setdefault") and values:
        key = plain_key(values[0])
        entry_found = mapping.entries.get(key) if key is not None else None
        if entry_found is not None:
            return entry_found.value
        if key is not None and mapping.complete:
            default = values[1] if len(values) > 1 else Literal(None, module, node)
            if name == "setdefault":
                mapping.entries[key] = Entry(Literal(key, module, node), default)
            return default
        return None
    if name == "copy":
        copied = Mapping(module, mapping.node)
        copied.entries, copied.complete = dict(mapping.entries), mapping.complete
        return copied
    if name == "update":
        for value in values:
            if isinstance(value, Mapping):
                mapping.entries.update(value.entries)
                mapping.complete = mapping.complete and value.complete
            else:
                mapping.complete = False
        for key, argument in arguments.keywords.items():
            mapping.entries[key] = Entry(Literal(key, argument.module, argument.key), argument.value)
        return Literal(None, module, node)
    return None


def _call_items(
    evaluator: Evaluator, items: Items, name: str, values: list[Value], module: Module, node: ast.expr
) -> Value | None:
    if name in ("append", "add", "insert") and values and len(items.items) < MAX_ITERATIONS:
        added = values[-1]
        if evaluator.loops or isinstance(added, Unknown):
            # One that stands for many, or one that is not known: the list holds more than is seen.
            items.complete = False
            items.missing = (
                evaluator.loops[-1].what if evaluator.loops else added.what if isinstance(added, Unknown) else ""
            )
        if not isinstance(added, Unknown):
            items.items.append(added)
        return Literal(None, module, node)
    if name in ("extend", "update") and values:
        evaluator.extend(items, values[0])
        return Literal(None, module, node)
    if name == "copy":
        copied = Items(list(items.items), module, items.node, items.kind)
        copied.complete, copied.missing = items.complete, items.missing
        return copied
    return None


def _call_parser(parser: Made, name: str, arguments: Arguments, module: Module, node: ast.expr) -> Value | None:
    """Options of an `argparse` parser: each has its default until somebody gives it."""
    if parser.path.startswith("argparse."):
        if name in ("add_argument_group", "add_mutually_exclusive_group"):
            return parser
        if name == "add_argument":
            _add_option(parser, arguments, module, node)
            return Literal(None, module, node)
        if name == "parse_args":
            options = Made("argparse.Namespace", arguments, module, node)
            options.attributes = dict(parser.attributes)
            return options
    return None


def _add_option(parser: Made, arguments: Arguments, module: Module, node: ast.expr) -> None:
    flags = [argument.value.value for argument in arguments.positional if isinstance(argument.value, Literal)]
    names = [flag for flag in flags if isinstance(flag, str)]
    if not names or not names[0].startswith("-"):
        return
    long = next((name for name in names if name.startswith("--")), names[0])
    given = arguments.get("dest")
    key = (
        given.value.value
        if given is not None and isinstance(given.value, Literal)
        else long.lstrip("-").replace("-", "_")
    )
    default, action = arguments.get("default"), arguments.get("action")
    if default is not None:
        parser.attributes[str(key)] = setting(default.value, module, node)
    elif (
        action is not None and isinstance(action.value, Literal) and action.value.value in ("store_true", "store_false")
    ):
        parser.attributes[str(key)] = Literal(action.value.value == "store_false", module, node, True)
    else:
        parser.attributes[str(key)] = Literal(None, module, node, True)


def values_of(mapping: Mapping) -> Items:
    """The values of a dict as a list."""
    items = Items([entry.value for entry in mapping.entries.values()], mapping.module, mapping.node)
    items.complete = mapping.complete
    items.missing = "" if mapping.complete else "a dict that is filled at run time"
    return items
