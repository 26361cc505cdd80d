"""What Python itself and its standard library do with known values: texts, lists, dicts, settings with defaults."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.flow import MAX_ITERATIONS
from toolsurface_lint.programs.operations import plain, plain_key, setting, text_of, truth, values_of
from toolsurface_lint.programs.python import paths
from toolsurface_lint.programs.texts import dedented, formatted, replaced, together
from toolsurface_lint.source.python import clean_docstring

if TYPE_CHECKING:
    from toolsurface_lint.programs.evaluator import Evaluator

NAMES = frozenset((
    "str", "int", "float", "bool", "bytes", "list", "tuple", "set", "frozenset", "dict", "object", "type", "None",
    "len", "sorted", "reversed", "enumerate", "zip", "map", "filter", "getattr", "setattr", "hasattr", "isinstance",
    "super", "property", "staticmethod", "classmethod", "print", "range", "open", "any", "all", "min", "max", "sum",
    "Exception", "ValueError", "TypeError", "RuntimeError", "KeyError", "OSError", "complex", "callable", "repr",
    "iter", "next", "vars", "id", "abs", "round",
))  # fmt: skip
"""The builtins that a name means where no file defines it."""


def call_library(evaluator: Evaluator, function: v.Value, call: v.Call) -> v.Value | None:
    """What a call of Python's own functions, or of a method of a known value, gives; None for what is not known here."""
    if isinstance(function, v.External):
        return _call_function(evaluator, function, call)
    return _call_method(evaluator, function, call) if isinstance(function, v.Method) else None


def _call_function(evaluator: Evaluator, function: v.External, call: v.Call) -> v.Value | None:
    path, values = function.path, call.values
    found = paths.call_function(path, call)
    if found is not None:
        return found
    if function.root == "builtins":
        return _call_builtin(evaluator, function.last, call)
    if path in ("os.getenv", "os.environ.get"):
        return setting(values[1] if len(values) > 1 else None, *call.at)
    if path in ("typing.cast", "typing_extensions.cast") and len(values) == 2:
        return values[1]
    if path == "argparse.ArgumentParser":
        return v.Made(path, call)
    if path in ("os.path.exists", "os.path.isfile", "os.path.isdir"):
        return v.Unknown("a file that may exist", *call.at)
    if not values:
        return None
    first = values[0]
    if path == "anyio.run" and isinstance(first, v.Function):
        return evaluator.call(first, v.Call(*call.at))
    if path in ("asyncio.run", "anyio.run", "copy.deepcopy", "copy.copy", "functools.partial"):
        return first
    if path == "functools.wraps":
        return v.Native(lambda given: _wrapped(first, given.first_value), *call.at)
    if path == "inspect.getdoc" and isinstance(first, v.Function):
        first = first.docstring
        if v.is_none(first):
            return first
    elif path not in ("inspect.cleandoc", "textwrap.dedent"):
        return None
    if isinstance(first, v.Literal | v.Text) and first.parts:
        return dedented(first) if path == "textwrap.dedent" else first
    text = text_of(first)
    if text is None:
        return None
    if path != "textwrap.dedent":
        return v.Literal(clean_docstring(text)[0], first.module, first.node)
    import textwrap

    return v.Literal(textwrap.dedent(text), first.module, first.node)


def _wrapped(original: v.Value, wrapper: v.Value | None) -> v.Value:
    """What `functools.wraps(original)` makes of a wrapper: to callers, it is the original."""
    if isinstance(original, v.Function):
        # What becomes of the wrapper's attributes does not change the wrapped function.
        return original.with_attributes({})
    if not isinstance(wrapper, v.Function):
        return original
    copied = ("__name__", "__qualname__", "__doc__", "__signature__")
    return wrapper.with_attributes({name: v.Unknown(f"the `{name}` of what is wrapped") for name in copied})


def _call_builtin(evaluator: Evaluator, name: str, call: v.Call) -> v.Value | None:
    values, first = call.values, call.first_value
    if name == "dict":
        mapping = call.mapping()
        if isinstance(first, v.Mapping):
            return v.Mapping(*call.at, {**first.entries, **mapping.entries}, mapping.complete and first.complete)
        mapping.complete = mapping.complete and first is None
        return mapping
    if name in ("list", "tuple", "set", "frozenset", "sorted", "reversed", "iter"):
        return _make_items(evaluator, name, first, call)
    if name == "str":
        if isinstance(first, v.Text):
            return first
        if first is None:
            return v.Literal("", *call.at)
        return None if text_of(first) is None else together((first,), *call.at)
    if name == "zip":
        columns = [column for column in map(evaluator.elements, values) if column is not None]
        return _tuples(zip(*columns, strict=False), call) if values and len(columns) == len(values) else None
    if first is None:
        return None
    if name == "bool":
        known, assumed = truth(first)
        return None if known is None else v.Literal(known, *call.at, assumed)
    if name == "int" and isinstance(first, v.Literal) and isinstance(first.value, str | int):
        text = str(first.value)
        return v.Literal(int(text), *call.at, first.assumed) if re.fullmatch(r"-?[0-9]{1,15}", text) else None
    if isinstance(first, v.Function):
        known = _of_function(first, name, values[1:])
        if known is not None:
            return v.Literal(known, *call.at)
    if name == "len" and isinstance(first, v.Items) and first.complete:
        return v.Literal(len(first.items), *call.at)
    if name == "enumerate":
        elements = evaluator.elements(first)
        counted = enumerate(elements or ())
        return None if elements is None else _tuples(((v.Literal(at, *call.at), each) for at, each in counted), call)
    if name == "setattr" and len(values) == 3 and isinstance(plain(values[1]), str):
        evaluator.set_attribute(first, plain(values[1]), values[2])
    if name == "getattr" and len(values) >= 2 and isinstance(values[1], v.Literal) and isinstance(values[1].value, str):
        if len(values) == 3 and isinstance(first, v.Function) and _has(first, values[1].value) is False:
            return values[2]
        return evaluator.attribute(first, values[1].value, *call.at)
    return None


_FUNCTION_TYPES = frozenset(("Callable", "FunctionType", "MethodType", "object"))
_FUNCTION_ATTRIBUTES = frozenset(("__name__", "__qualname__", "__doc__", "__module__", "__annotations__"))


def _of_function(function: v.Function, name: str, others: list[v.Value]) -> bool | None:
    """What `callable`, `isinstance` and `hasattr` answer for a function; None if that is not known."""
    if name == "callable":
        return True
    other = others[0] if others else None
    if name == "hasattr" and isinstance(other, v.Literal):
        return _has(function, other.value)
    if name == "isinstance" and other is not None:
        types = other.items if isinstance(other, v.Items) else [other]
        if all(
            isinstance(each, v.Class) or (isinstance(each, v.External) and each.last not in _FUNCTION_TYPES)
            for each in types
        ):
            return False
    return None


def _has(function: v.Function, name: object) -> bool | None:
    if name in function.attributes or name in _FUNCTION_ATTRIBUTES:
        return True
    # Methods pass on those of their function, and what else begins with two underscores is the language's.
    return None if function.may_have_more or function.receiver is not None or str(name).startswith("__") else False


def _tuples(rows: Iterable[tuple[v.Value, ...]], call: v.Call) -> v.Items:
    return v.Items([v.Items(list(row), *call.at, "tuple") for row in rows], *call.at)


def _make_items(evaluator: Evaluator, kind: str, first: v.Value | None, call: v.Call) -> v.Value | None:
    if first is None:
        return v.Items([], *call.at, kind)
    elements = evaluator.elements(first)
    if elements is None:
        return None
    elements = elements[::-1] if kind == "reversed" else elements[:]
    missing = first.missing if isinstance(first, v.Items) else ""
    return v.Items(elements, call.module, first.node or call.node, missing=missing)


# Methods of texts whose result is no longer than what goes in.
_TEXT_METHODS = frozenset((
    "lower", "upper", "strip", "lstrip", "rstrip", "title", "capitalize", "casefold", "swapcase", "removeprefix",
    "removesuffix", "startswith", "endswith", "isidentifier", "isdigit", "isupper", "islower", "isalnum",
))  # fmt: skip


def _call_method(evaluator: Evaluator, method: v.Method, call: v.Call) -> v.Value | None:
    receiver = method.receiver
    if isinstance(receiver, v.Member) and receiver.cls.derives("str", "StrEnum") is not None:
        receiver = receiver.value
    if isinstance(receiver, v.FilePath | v.FileText):
        return paths.call_method(receiver, method.name, call)
    if isinstance(receiver, v.Text) or (isinstance(receiver, v.Literal) and isinstance(receiver.value, str)):
        return _call_text(evaluator, receiver, method.name, call)
    if isinstance(receiver, v.Mapping):
        result = _call_mapping(receiver, method.name, call)
        if result is None and method.name not in ("get", "__contains__"):
            # What is not known here may add and remove keys.
            receiver.complete = False
        return result
    if isinstance(receiver, v.Items):
        return _call_items(evaluator, receiver, method.name, call)
    if isinstance(receiver, v.Made):
        return _call_parser(receiver, method.name, call)
    return None


def _call_text(evaluator: Evaluator, text: v.Literal | v.Text, name: str, call: v.Call) -> v.Value | None:
    values = call.values
    if name == "format":
        return formatted(text, call)
    if name == "join" and len(values) == 1:
        return _join(evaluator, text, values[0], call)
    if name == "replace" and len(values) == 2 and text_of(values[0]):
        return replaced(text, str(text_of(values[0])), values[1], call)
    if isinstance(text, v.Text):
        return text if name in ("strip", "lstrip", "rstrip") else None
    plain_values = [value.value for value in values if isinstance(value, v.Literal) and isinstance(value.value, str)]
    if len(plain_values) == len(values) and not call.keywords:
        if name in _TEXT_METHODS and len(values) <= 1:
            try:
                result = getattr(text.value, name)(*plain_values)
            except TypeError:
                return None
            # A stripped text is still what was written: a name in it can be shown where it stands.
            is_stripped = name in ("strip", "lstrip", "rstrip")
            return v.Literal(result, text.module, text.node, text.assumed, text.parts if is_stripped else ())
        if name == "split" and len(values) <= 1 and (not plain_values or plain_values[0]):
            parts = text.value.split(*plain_values)
            return v.Items([v.Literal(part, *call.at, text.assumed) for part in parts], *call.at)
    return None


def _join(evaluator: Evaluator, separator: v.Value, joined: v.Value, call: v.Call) -> v.Value | None:
    elements = evaluator.elements(joined)
    if elements is None or len(elements) > MAX_ITERATIONS:
        return None
    parts: list[v.Part] = []
    for element in elements:
        parts += (separator, element) if parts else (element,)
    if isinstance(joined, v.Items) and not joined.complete:
        parts.append(joined)
    return together(parts, *call.at)


def _call_mapping(mapping: v.Mapping, name: str, call: v.Call) -> v.Value | None:
    values = call.values
    if name in ("items", "values", "keys"):
        result = values_of(mapping)
        result.module = call.module
        if name == "keys":
            result.items = [entry.key for entry in mapping.entries.values()]
        elif name == "items":
            result.items = list(_tuples(mapping.entries.values(), call).items)
        return result
    if name in ("get", "pop", "setdefault") and values:
        key = plain_key(values[0])
        entry_found = mapping.entries.get(key) if key is not None else None
        if entry_found is not None:
            return entry_found.value
        if key is not None and mapping.complete:
            default = values[1] if len(values) > 1 else v.Literal(None, *call.at)
            if name == "setdefault":
                mapping.entries[key] = v.Entry(v.Literal(key, *call.at), default)
            return default
        return None
    if name == "copy":
        return v.Mapping(call.module, mapping.node, dict(mapping.entries), mapping.complete)
    if name == "update":
        for value in values:
            if isinstance(value, v.Mapping):
                mapping.entries.update(value.entries)
                mapping.complete = mapping.complete and value.complete
            else:
                mapping.complete = False
        mapping.entries.update(call.mapping().entries)
        return v.Literal(None, *call.at)
    return None


def _call_items(evaluator: Evaluator, items: v.Items, name: str, call: v.Call) -> v.Value | None:
    values = call.values
    if name in ("append", "add", "insert") and values and len(items.items) < MAX_ITERATIONS:
        added = values[-1]
        known = () if isinstance(added, v.Unknown) else (added,)
        # In a loop, one stands for many.
        missing = evaluator.loops[-1].what if evaluator.loops else "" if known else v.describe(added)
        items.add(known, missing)
        if known and evaluator.soft:
            items.otherwise[added] = evaluator.optional > 0
        return v.Literal(None, *call.at)
    if name in ("extend", "update") and values:
        evaluator.extend(items, values[0])
        return v.Literal(None, *call.at)
    if name == "copy":
        return v.Items(items.items[:], call.module, items.node, items.kind, items.missing)
    return None


def _call_parser(parser: v.Made, name: str, call: v.Call) -> v.Value | None:
    """Options of an `argparse` parser: each has its default until somebody gives it."""
    if parser.root != "argparse":
        return None
    if name in ("add_argument_group", "add_mutually_exclusive_group"):
        return parser
    if name == "add_argument":
        _add_option(parser, call)
        return v.Literal(None, *call.at)
    if name == "parse_args":
        options = v.Made("argparse.Namespace", call)
        options.attributes = dict(parser.attributes)
        return options
    return None


def _add_option(parser: v.Made, call: v.Call) -> None:
    flags = [value.value for value in call.values if isinstance(value, v.Literal) and isinstance(value.value, str)]
    if not flags or not flags[0].startswith("-"):
        return
    long = next((flag for flag in flags if flag.startswith("--")), flags[0])
    given, default = call.value("dest"), call.value("default")
    key = str(given.value) if isinstance(given, v.Literal) else long.lstrip("-").replace("-", "_")
    if default is None:
        initial = {"store_true": False, "store_false": True}.get(plain(call.value("action")))
        default = v.Literal(initial, *call.at)
    parser.attributes[key] = setting(default, *call.at)
