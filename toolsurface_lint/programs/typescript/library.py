"""What the objects and functions of JavaScript itself give."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.flow import MAX_ITERATIONS, Loop
from toolsurface_lint.programs.operations import compare, plain_key, text_of, truth, values_of
from toolsurface_lint.programs.texts import is_text, replaced, together
from toolsurface_lint.programs.typescript.expressions import GLOBAL, iterated, namespace, pairs, put

if TYPE_CHECKING:
    from toolsurface_lint.programs.evaluator import Evaluator


def call_library(evaluator: Evaluator, function: v.Value, call: v.Call) -> v.Value | None:
    """What a call of the language's own functions gives; None for what is not known."""
    if isinstance(function, v.External):
        path = function.path
        if not path.startswith(f"{GLOBAL}."):
            return None
        return _call_global(evaluator, path[len(GLOBAL) + 1 :], call)
    if not isinstance(function, v.Method):
        return None
    receiver, name = function.receiver, function.name
    if isinstance(receiver, v.Items):
        return _call_items(evaluator, receiver, name, call)
    if isinstance(receiver, v.Mapping):
        return _call_mapping(evaluator, receiver, name, call)
    if is_text(receiver):
        return _call_text(receiver, name, call)
    if isinstance(receiver, v.Function | v.Method) and name == "bind" and len(call.positional) == 1:
        return receiver
    if isinstance(receiver, v.Function) and name in ("call", "apply") and not call.keywords:
        return evaluator.call(receiver, _rest(call) if name == "call" else v.Call(*call.at, open=True))
    if name in ("then", "catch", "finally"):
        return _promise(evaluator, receiver, name, call)
    if name in _EACH and isinstance(receiver, v.Unknown | v.Method | v.Made) and _is_callback(call):
        return _each(evaluator, receiver, name, call)
    return None


def _rest(call: v.Call) -> v.Call:
    rest = v.Call(*call.at, open=call.open)
    rest.positional = call.positional[1:]
    return rest


def _is_callback(call: v.Call) -> bool:
    first = call.first_value
    return isinstance(first, v.Function) or (isinstance(first, v.External) and first.path in _CONVERSIONS)


def _promise(evaluator: Evaluator, receiver: v.Value, name: str, call: v.Call) -> v.Value | None:
    """`promise.then(use)`: what waits for a value is called with it; how something fails is not followed."""
    first = call.first_value
    if isinstance(receiver, v.Instance) or not isinstance(first, v.Function):
        return None
    if name == "then":
        return evaluator.call(first, v.Call(*call.at, receiver))
    return receiver


# Objects and functions that are always there


def _call_global(evaluator: Evaluator, name: str, call: v.Call) -> v.Value | None:
    first = call.first_value
    if isinstance(first, v.Module) and name.startswith("Object."):
        first = namespace(first, evaluator)
    if name in ("Array.from", "Set") and first is not None:
        first = iterated(first)
    if name in ("Object.freeze", "Object.seal", "Promise.resolve", "structuredClone") and first is not None:
        return first
    if name in ("Promise.all", "Promise.allSettled", "Array.from", "Set") and isinstance(first, v.Items):
        mapped = call.values[1] if len(call.values) > 1 and name == "Array.from" else None
        if isinstance(mapped, v.Function):
            return _each(evaluator, first, "map", _rest(call))
        return v.Items(list(first.items), call.module, call.node, missing=first.missing)
    if name in ("Object.values", "Object.keys", "Object.entries") and isinstance(first, v.Mapping):
        return _listed(first, name.partition(".")[2], call)
    if name == "Object.fromEntries":
        return _from_entries(evaluator, first, call)
    if name == "Object.assign" and isinstance(first, v.Mapping):
        for value in call.values[1:]:
            if isinstance(value, v.Mapping):
                first.entries.update(value.entries)
            first.complete = first.complete and isinstance(value, v.Mapping) and value.complete
        return first
    if name in ("Map", "WeakMap"):
        return v.Mapping(*call.at) if first is None else _from_entries(evaluator, first, call)
    if name in ("Set", "Array") and first is None:
        return v.Items([], *call.at)
    if name == "String" and first is not None:
        return first if is_text(first) else together((first,), *call.at)
    if name == "Boolean" and first is not None:
        known, by_setting = truth(first)
        return None if known is None else v.Literal(known, *call.at, by_setting)
    if name == "Array.isArray" and first is not None:
        return v.Literal(isinstance(first, v.Items), *call.at) if isinstance(first, v.Items | v.Mapping) else None
    return None


def _listed(mapping: v.Mapping, what: str, call: v.Call) -> v.Items:
    values = pairs(mapping) if what == "entries" else values_of(mapping)
    values.module, values.node = call.at
    if what == "keys":
        values.items = [entry.key for entry in mapping.entries.values()]
    return values


def _from_entries(evaluator: Evaluator, given: v.Value | None, call: v.Call) -> v.Mapping:
    mapping = v.Mapping(*call.at)
    given = None if given is None else iterated(given)
    elements = None if given is None else evaluator.elements(given)
    mapping.complete = elements is not None and not (isinstance(given, v.Items) and given.missing)
    for pair in elements or ():
        key = plain_key(pair.items[0]) if isinstance(pair, v.Items) and len(pair.items) > 1 else None
        if key is None or not isinstance(pair, v.Items):
            mapping.complete = False
        else:
            written = pair.items[0]
            mapping.entries[key] = v.Entry(v.Literal(key, written.module, written.node), pair.items[1])
    evaluator.known.note(mapping)
    return mapping


# Arrays and sets

_EACH = frozenset(("map", "forEach", "flatMap", "filter", "find", "some", "every", "reduce", "sort"))
_CONVERSIONS = (f"{GLOBAL}.Boolean", f"{GLOBAL}.String")


def _call_items(evaluator: Evaluator, items: v.Items, name: str, call: v.Call) -> v.Value | None:
    values = call.values
    if name in ("push", "unshift", "add") and values and len(items.items) < MAX_ITERATIONS:
        for added in values:
            known = () if isinstance(added, v.Unknown) else (added,)
            # In a loop, one stands for many.
            missing = evaluator.loops[-1].what if evaluator.loops else "" if known else v.describe(added)
            items.add(known, missing)
            if known and evaluator.soft:
                items.otherwise[added] = evaluator.optional > 0
        if call.open:
            items.add((), v.AT_RUN_TIME)
        evaluator.known.note(items)
        return items if name == "add" else v.Unknown("a number", *call.at)
    if name in _EACH and _is_callback(call):
        return _each(evaluator, items, name, call)
    if name in ("slice", "reverse", "toSorted", "toReversed", "values", "flat", "sort", "keys"):
        kept: list[v.Value] = []
        for item in items.items:
            kept.extend(item.items if name == "flat" and isinstance(item, v.Items) else [item])
        missing = items.missing or (v.AT_RUN_TIME if name == "slice" and values else "")
        return v.Items(kept, call.module, items.node, items.kind, missing)
    if name == "concat":
        joined = v.Items(items.items[:], *call.at, items.kind, items.missing)
        for value in values:
            if isinstance(value, v.Items):
                evaluator.extend(joined, value)
            else:
                joined.add((value,), "" if not isinstance(value, v.Unknown) else v.describe(value))
        return joined
    if name == "entries":
        pairs: list[v.Value] = [
            v.Items([v.Literal(number), item], *call.at, "tuple") for number, item in enumerate(items.items)
        ]
        return v.Items(pairs, *call.at, missing=items.missing)
    if name == "join":
        return _join(items, call)
    if name == "at" and items.complete:
        index = None if call.first_value is None else plain_key(call.first_value)
        return items.items[index] if type(index) is int and -len(items.items) <= index < len(items.items) else None
    if name in ("includes", "has"):
        return compare("in", call.first_value or v.Unknown(v.CALL), items, *call.at)
    return None


def _join(items: v.Items, call: v.Call) -> v.Value | None:
    between = call.first_value or v.Literal(",")
    if not items.complete:
        return None
    parts: list[v.Part] = []
    for number, item in enumerate(items.items):
        if number:
            parts.append(between)
        parts.append(item)
    return together(parts, *call.at)


def _each(evaluator: Evaluator, over: v.Value, name: str, call: v.Call) -> v.Value | None:
    """A function is called with each element of a list; what it holds that is not known stands for one more."""
    function = call.first_value
    assert function is not None
    items = over.items[:MAX_ITERATIONS] if isinstance(over, v.Items) else []
    missing = over.missing if isinstance(over, v.Items) else v.describe(over)
    if name in ("reduce", "sort"):
        if name == "sort":
            return over
        held = call.values[1] if len(call.values) > 1 else v.Unknown(v.CALL)
        for item in items:
            evaluator.step()
            held = evaluator.call(function, v.Call(*call.at, held, item))
        return held if not missing else v.Unknown(v.CALL, *call.at)
    results = v.Items([], *call.at, missing=missing)
    kept: list[bool | None] = []
    for number, item in enumerate(items):
        evaluator.step()
        result = evaluator.call(function, v.Call(*call.at, item, v.Literal(number)))
        kept.append(truth(result)[0])
        if name == "map":
            results.items.append(result)
        elif name == "flatMap":
            evaluator.extend(results, result)
    if missing:
        evaluator.loops.append(Loop(call.module, call.node, missing))
        evaluator.call(function, v.Call(*call.at, v.Unknown("an element of " + missing)))
        evaluator.loops.pop()
    if name == "filter":
        results.items = [item for item, keep in zip(items, kept, strict=True) if keep is not False]
        if None in kept:
            # What a condition leaves out is not known: it may be there or not.
            results.otherwise.update((item, False) for item, keep in zip(items, kept, strict=True) if keep is None)
        return results
    if name == "find":
        found = (item for item, keep in zip(items, kept, strict=True) if keep)
        return next(found, None) or v.Unknown("an element of " + v.describe(over), *call.at)
    if name in ("some", "every"):
        return None
    return v.Literal(None, *call.at) if name == "forEach" else results


# Objects and maps


def _call_mapping(evaluator: Evaluator, mapping: v.Mapping, name: str, call: v.Call) -> v.Value | None:
    values = call.values
    if name == "set" and len(values) > 1:
        key = plain_key(values[0])
        mapping.complete = mapping.complete and key is not None and not evaluator.loops
        if key is not None and len(mapping.entries) < MAX_ITERATIONS:
            written = values[0]
            put(evaluator, mapping, key, v.Literal(key, written.module, written.node), values[1])
        return mapping
    if name == "get" and values:
        key = plain_key(values[0])
        found = None if key is None else mapping.get(key)
        return found or v.Unknown("an element of " + v.describe(mapping), *call.at)
    if name in ("keys", "values", "entries") and not values:
        return _listed(mapping, name, call)
    if name == "forEach" and _is_callback(call):
        function = values[0]
        for entry in list(mapping.entries.values())[:MAX_ITERATIONS]:
            evaluator.step()
            evaluator.call(function, v.Call(*call.at, entry.value, entry.key))
        return v.Literal(None, *call.at)
    return None


# Texts

_TEXT_METHODS: dict[str, Callable[[str], str]] = {
    "toLowerCase": str.lower,
    "toUpperCase": str.upper,
    "trim": str.strip,
    "trimStart": str.lstrip,
    "trimEnd": str.rstrip,
}


def _call_text(text: v.Value, name: str, call: v.Call) -> v.Value | None:
    if name in ("trim", "trimStart", "trimEnd", "toString", "normalize") and isinstance(text, v.Text):
        return text
    if name in _TEXT_METHODS and isinstance(text, v.Literal):
        changed = _TEXT_METHODS[name](text.value)
        return v.Literal(changed, text.module, text.node, text.assumed)
    if name in ("replace", "replaceAll") and len(call.values) > 1:
        old = text_of(call.values[0])
        if old and isinstance(text, v.Literal | v.Text):
            return replaced(text, old, call.values[1], call)
    if name == "concat" and isinstance(text, v.Literal | v.Text):
        return together((text, *call.values), *call.at)
    if name == "toString":
        return text
    if name in ("startsWith", "endsWith", "includes") and isinstance(text, v.Literal):
        wanted = text_of(call.first_value)
        if wanted is not None:
            found = {"startsWith": str.startswith, "endsWith": str.endswith, "includes": str.__contains__}[name]
            return v.Literal(bool(found(text.value, wanted)), *call.at)
    if name == "split" and isinstance(text, v.Literal):
        by = text_of(call.first_value)
        if by:
            parts: list[v.Value] = [v.Literal(part, text.module, text.node) for part in text.value.split(by)]
            return v.Items(parts[:MAX_ITERATIONS], *call.at)
    return None
