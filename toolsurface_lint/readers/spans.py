"""Spans of OpenTelemetry as facts: their attributes and events by name, whichever exporter wrote them.

An exporter writes attributes as an object (the console's), as OTLP's list of `{key, value: {stringValue: ...}}`, or as Jaeger's
list of tags, `{key, type, value}`; some tools nest them by their dots. Grafana Tempo calls the groups of OTLP `batches`.
Sources: opentelemetry-proto, `trace.proto`, and its mapping to JSON; the exports in agentevals-dev/agentevals, `samples`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from toolsurface_lint.readers.requests import start_of
from toolsurface_lint.source.composed import ComposedTree
from toolsurface_lint.source.tree import Node, Path, Tree, depth_exceeds

_SCALARS = (
    "stringValue",
    "intValue",
    "doubleValue",
    "boolValue",
    "string_value",
    "int_value",
    "double_value",
    "bool_value",
)
_INTEGERS = ("intValue", "int_value")
_LISTS = ("arrayValue", "array_value")
_OBJECTS = ("kvlistValue", "kvlist_value")
_MOST_STEPS = 16
"""Steps of a flattened name, and of what is nested below it; the conventions need 8."""
_DEEPEST = 50
"""Levels of OTLP's wrapped values that are unwrapped; each is three levels of JSON."""


class Attributes:
    """The attributes of a span or an event, by name."""

    def __init__(self, node: Node | None) -> None:
        self._named: dict[str, Node] = {}
        if node is None:
            return
        if type(node.value) is list:
            for item in node.elements():
                key = item.string("key")
                value = (
                    None
                    if key is None
                    else item.get("value")
                    if "type" in item.value
                    else _unwrapped(item.get("value"))
                )
                if key is not None and value is not None:
                    self._named[key.value] = value
        else:
            self._named = dict(node.members())

    def get(self, name: str) -> Node | None:
        """The value of an attribute, also where the dots of its name are levels."""
        found = self._named.get(name)
        if found is None and "." in name:
            first, *others = name.split(".")
            top = self._named.get(first)
            found = None if top is None else top.find(*others)
        return found

    def text(self, name: str) -> str | None:
        node = self.get(name)
        return node.value if node is not None and type(node.value) is str else None

    def below(self, prefix: str) -> Iterator[tuple[Path, Node]]:
        """What is flattened below a name, such as `llm.input_messages`: the path of each value there, numbers as indexes.

        Values that some tool has nested in part are flattened too.
        """
        for name, node in self._named.items():
            if name.startswith(prefix) and name[len(prefix) : len(prefix) + 1] in ("", "."):
                yield from _leaves(_steps(name[len(prefix) + 1 :]), node)
            elif prefix.startswith(f"{name}.") and type(node.value) is dict:
                inner = node.find(*prefix[len(name) + 1 :].split("."))
                if inner is not None:
                    yield from _leaves((), inner)

    def begins(self, *prefixes: str) -> bool:
        """Whether any attribute has a name that begins so."""
        return any(name.startswith(prefixes) for name in self._named)


def _steps(name: str) -> Path:
    return tuple(int(step) if step.isdecimal() and len(step) < 7 else step for step in name.split(".") if step)


def _leaves(path: Path, node: Node) -> Iterator[tuple[Path, Node]]:
    if depth_exceeds(node.value, _DEEPEST):
        return
    waiting = [(path, node)]
    while waiting:
        path, node = waiting.pop()
        if len(path) > _MOST_STEPS:
            # Every value below would repeat the path.
            continue
        if type(node.value) is dict and node.value:
            waiting.extend([((*path, *_steps(key)), child) for key, child in node.members()][::-1])
        elif type(node.value) is list and any(type(item) is dict for item in node.value):
            waiting.extend([((*path, index), child) for index, child in enumerate(node.elements())][::-1])
        else:
            yield path, node


def _unwrapped(node: Node | None) -> Node | None:
    """The value that OTLP wraps."""
    if node is None or type(node.value) is not dict:
        return None
    for key in _SCALARS:
        if key in node.value:
            return node.get(key)
    if depth_exceeds(node.value, 3 * _DEEPEST):
        return None
    parts: dict[Path, Node] = {}
    keys: dict[Path, Node] = {}
    value = _plain(node, (), parts, keys)
    return ComposedTree(node.tree, value, parts, keys).root


def _plain(node: Node, path: Path, parts: dict[Path, Node], keys: dict[Path, Node]) -> Any:
    """The plain value of a wrapped one; where its parts and their keys are goes to `parts` and `keys`."""
    for key in _SCALARS:
        found = node.get(key)
        if found is not None:
            parts[path] = found
            return _number(found.value) if key in _INTEGERS else found.value
    parts[path] = node
    items: list[Any] = []
    for key in _LISTS:
        for index, item in enumerate(node.elements(key, "values")):
            whole = type(item.value) is dict
            items.append(_plain(item, (*path, index), parts, keys) if whole else None)
        if key in node.value:
            return items
    members: dict[str, Any] = {}
    for key in _OBJECTS:
        for item in node.elements(key, "values"):
            name, inner = item.string("key"), item.get("value")
            if name is not None and inner is not None and type(inner.value) is dict:
                members[name.value] = _plain(inner, (*path, name.value), parts, keys)
                keys[(*path, name.value)] = name
        if key in node.value:
            return members
    return None


def _number(value: Any) -> Any:
    """An integer, which JSON has as a text: it may have 64 bits."""
    return int(value) if type(value) is str and len(value) < 20 and value.removeprefix("-").isdecimal() else value


class Span(NamedTuple):
    """One span. `event_nodes` are its events, each an object with `name` and `attributes`."""

    node: Node
    attributes: Attributes
    trace: str
    start: str
    failed: bool
    event_nodes: list[Node]


_TRACE = ("traceId", "trace_id", "traceID")
_GROUPS = ("resourceSpans", "resource_spans", "batches")
_SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")


def is_export(value: dict[str, Any]) -> bool:
    return any(type(value.get(key)) is list for key in _GROUPS) or _is_jaeger(value)


def _is_jaeger(value: dict[str, Any]) -> bool:
    traces = value.get("data")
    return type(traces) is list and any(type(trace) is dict and type(trace.get("spans")) is list for trace in traces)


def spans_of(root: Node) -> Iterator[Span]:
    """The spans in an OTLP export, or the one that a value is."""
    if not is_export(root.value):
        span = _span(root)
        if span is not None:
            yield span
        return
    if _is_jaeger(root.value):
        for trace in root.elements("data"):
            yield from filter(None, map(_span, trace.elements("spans")))
        return
    for group in _children(root, _GROUPS):
        for scope in _children(group, _SCOPES):
            for node in scope.elements("spans"):
                span = _span(node)
                if span is not None:
                    yield span


def _children(node: Node, keys: tuple[str, ...]) -> Iterator[Node]:
    for key in keys:
        yield from node.elements(key)


def _span(node: Node) -> Span | None:
    value = node.value
    named = "attributes" if type(value) is dict and "attributes" in value else "tags"
    if type(value) is not dict or type(value.get(named)) not in (dict, list):
        return None
    context = value.get("context")
    holders = (value, context if type(context) is dict else {})
    trace = next((holder[key] for holder in holders for key in _TRACE if type(holder.get(key)) is str), None)
    if trace is None:
        return None
    status = value.get("status")
    code = status.get("code", status.get("status_code")) if type(status) is dict else value.get("status_code", status)
    failed = code in (2, "ERROR", "STATUS_CODE_ERROR", "StatusCode.ERROR")
    start = start_of(value, "startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime")
    events = [event for event in node.elements("events") if type(event.value) is dict]
    return Span(node, Attributes(node.get(named)), trace, start, failed, events)


def composed(of: Tree, leaves: Iterable[tuple[Path, Node]]) -> Node | None:
    """The list that flattened values are together, by their paths; None if there are none.

    Steps that are numbers are indexes, in order; a number that is left out is no item.
    """
    root: dict[str | int, Any] = {}
    found = {
        path: node for path, node in leaves if len(path) > 1 and type(path[0]) is int and _put(root, path, node.value)
    }
    if not root:
        return None
    parts: dict[Path, Node] = {}
    return ComposedTree(of, _with_lists(root, (), (), found, parts), parts).root


def _put(holder: dict[str | int, Any], path: Path, value: Any) -> bool:
    for step in path[:-1]:
        inner = holder.setdefault(step, _Level())
        if type(inner) is not _Level:
            return False
        holder = inner
    return holder.setdefault(path[-1], value) is value


class _Level(dict[str | int, Any]):
    """An object or a list that flattened values make; what a value has itself is never one."""


def _with_lists(level: Any, path: Path, new: Path, found: dict[Path, Node], parts: dict[Path, Node]) -> Any:
    """A level as a list or an object; where its values are goes to `parts`."""
    if path and type(level) is not _Level:
        parts[new] = found[path]
        return level
    numbers = sorted(step for step in level if type(step) is int)
    if numbers:
        return [
            _with_lists(level[number], (*path, number), (*new, index), found, parts)
            for index, number in enumerate(numbers)
        ]
    return {step: _with_lists(inner, (*path, step), (*new, step), found, parts) for step, inner in level.items()}
