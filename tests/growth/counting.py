"""Counts the work that code does, place by place: the same number at every run, on every machine.

`install` makes every module imported afterwards from the named packages count while it runs: each function entered, each
turn of a loop or comprehension, and the characters or elements that string methods, regular expressions, slices, joins,
`in` and copies of containers look at, as these take one line however long they take. So one place whose count grows faster
than the input shows beside a thousand that do not.

Modules written in C (libyaml, tomli, rpds, `ast`, `json`'s scanner) count nothing: the long search takes processor time.
"""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

from tests.growth.matching import Matcher, TooManySteps, is_bounded

COUNTS: list[int] = []
"""How often each place has run, or how much it has looked at, since `reset`."""
PLACES: list[str] = []
"""`file:line` of each place, with the method or operation where it is one."""

_SEARCHES = frozenset(("find", "rfind", "index", "rindex", "count"))
_PATTERN = frozenset(("match", "fullmatch", "search", "finditer", "findall", "sub", "subn", "split"))
_METHODS = (
    _SEARCHES
    | _PATTERN
    | frozenset(("replace", "rsplit", "splitlines", "partition", "rpartition", "join", "lower", "upper", "casefold"))
    | frozenset(("strip", "lstrip", "rstrip", "translate", "encode", "decode", "expandtabs", "removeprefix"))
    | frozenset(("insert", "pop", "remove", "copy", "extend", "update", "union", "intersection", "difference"))
    | frozenset(("issubset", "issuperset", "isdisjoint"))
)
_FUNCTIONS = frozenset(
    ("sorted", "list", "tuple", "set", "frozenset", "dict", "sum", "max", "min", "any", "all", "Counter")
)
_SIZED = (str, bytes, list, tuple, dict, set, frozenset)
_BOUND = type("".join)
_FAILED_STEPS = 1 << 14
"""Steps after which a failing match is not followed further."""


def install(packages: Sequence[str]) -> None:
    """Count in every module of `packages` that is imported from now on. Raises RuntimeError if one already has been."""
    for name in sys.modules:
        if _is_within(name, packages):
            raise RuntimeError(f"{name} has been imported before it could be counted")
    sys.meta_path.insert(0, _Finder(packages))


def reset() -> None:
    COUNTS[:] = [0] * len(COUNTS)


def _is_within(name: str, packages: Sequence[str]) -> bool:
    return any(name == package or name.startswith(package + ".") for package in packages)


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, packages: Sequence[str]) -> None:
        self._packages = packages

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if not _is_within(name, self._packages):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname: str) -> Any:
        tree = ast.parse(self.get_data(self.path))
        counted = _Counted(fullname.replace(".", "/")).visit(tree)
        return compile(ast.fix_missing_locations(counted), self.path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        vars(module).update(_work_=COUNTS, _tick_=_tick, _call_=_call, _sized_=_sized, _in_=_in)
        super().exec_module(module)
        # `_NEXT = re.compile(...).search` is called by a name that says nothing of what it is.
        for name, value in list(vars(module).items()):
            if _is_pattern_method(value):
                setattr(module, name, _counted_method(f"{module.__name__}.{name}", value))


def _is_pattern_method(value: Any) -> bool:
    return isinstance(value, _BOUND) and isinstance(value.__self__, re.Pattern)


def _counted_method(name: str, method: Any) -> Callable[..., Any]:
    place = _place(name)
    return lambda *arguments, **keywords: _call(place, method, *arguments, **keywords)


def _place(name: str) -> int:
    PLACES.append(name)
    COUNTS.append(0)
    return len(COUNTS) - 1


class _Counted(ast.NodeTransformer):
    """Rewrites the functions of a module so that they count; what they compute stays the same."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._depth = 0

    def _at(self, node: Any, what: str = "") -> ast.Constant:
        return ast.Constant(_place(f"{self._name}:{node.lineno}{what}"))

    def _counting(self, node: Any) -> ast.stmt:
        target = ast.Subscript(ast.Name("_work_", ast.Load()), self._at(node), ast.Store())
        return ast.copy_location(ast.AugAssign(target, ast.Add(), ast.Constant(1)), node)

    def _call(self, function: str, *arguments: ast.expr) -> ast.Call:
        return ast.Call(ast.Name(function, ast.Load()), list(arguments), [])

    def _function(self, node: Any) -> Any:
        self._depth += 1
        # Annotations and defaults are left as they are: some are read again.
        body = [self.visit(statement) for statement in node.body]
        self._depth -= 1
        node.decorator_list = [self.visit(decorator) for decorator in node.decorator_list]
        start = 1 if ast.get_docstring(node, clean=False) is not None else 0
        node.body = [*body[:start], self._counting(node), *body[start:]]
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = _function  # noqa: N815

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        body = self.visit(node.body)
        node.body = ast.BoolOp(ast.And(), [self._call("_tick_", self._at(node)), body])
        return node

    def _loop(self, node: Any) -> Any:
        self.generic_visit(node)
        if self._depth:
            node.body.insert(0, self._counting(node))
        return node

    visit_For = visit_While = visit_AsyncFor = _loop  # noqa: N815

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        self.generic_visit(node)
        if self._depth:
            node.ifs.insert(0, self._call("_tick_", self._at(node.target)))
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        known = _METHODS if isinstance(node.func, ast.Attribute) else _FUNCTIONS
        if self._depth and name in known:
            node.args[:0] = [self._at(node, f" {name}"), node.func]
            node.func = ast.Name("_call_", ast.Load())
        return node

    def _result(self, node: Any, what: str) -> Any:
        self.generic_visit(node)
        return self._call("_sized_", self._at(node, " " + what), node) if self._depth else node

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        if isinstance(node.slice, ast.Slice) and isinstance(node.ctx, ast.Load):
            return self._result(node, "[:]")
        return self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        return self._result(node, "+") if isinstance(node.op, ast.Add) else self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> Any:
        return self._result(node, "f-string")

    def _display(self, node: Any) -> Any:
        if isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
            return self.generic_visit(node)
        if any(isinstance(element, ast.Starred) for element in getattr(node, "elts", ())):
            return self._result(node, "*")
        if isinstance(node, ast.Dict) and None in node.keys:
            return self._result(node, "**")
        return self.generic_visit(node)

    visit_List = visit_Tuple = visit_Set = visit_Dict = _display  # noqa: N815

    def visit_FormattedValue(self, node: ast.FormattedValue) -> Any:
        node.value = self.visit(node.value)
        return node

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        constant = (ast.Tuple, ast.Set, ast.List, ast.Constant)
        if self._depth and len(node.ops) == 1 and not isinstance(node.comparators[0], constant):
            place = self._at(node, " in")
            if isinstance(node.ops[0], ast.In):
                return self._call("_in_", place, node.left, node.comparators[0])
            if isinstance(node.ops[0], ast.NotIn):
                return ast.UnaryOp(ast.Not(), self._call("_in_", place, node.left, node.comparators[0]))
        return node

    def _left_alone(self, node: Any) -> Any:
        return node

    visit_match_case = visit_Global = visit_Nonlocal = _left_alone  # noqa: N815


def _tick(place: int) -> bool:
    COUNTS[place] += 1
    return True


def _sized(place: int, value: Any) -> Any:
    if type(value) in _SIZED:
        COUNTS[place] += len(value)
    return value


def _in(place: int, item: Any, container: Any) -> bool:
    kind = type(container)
    if kind is str and type(item) is str:
        found = container.find(item)
        COUNTS[place] += found + 1 if found >= 0 else len(container)
        return bool(found >= 0)
    if kind is list or kind is tuple:
        for position, element in enumerate(container):
            if element is item or element == item:
                COUNTS[place] += position + 1
                return True
        COUNTS[place] += len(container)
        return False
    return item in container


def _call(place: int, function: Any, *arguments: Any, **keywords: Any) -> Any:
    if isinstance(function, _BOUND):
        owner = function.__self__
        if type(owner) is str or type(owner) is bytes:
            return _text_call(place, function, owner, arguments, keywords)
        if isinstance(owner, re.Pattern):
            return _pattern_call(place, function, owner, arguments, keywords)
        if type(owner) in _SIZED:
            return _container_call(place, function, owner, arguments, keywords)
    elif arguments and type(arguments[0]) in _SIZED:
        COUNTS[place] += len(arguments[0])
    return function(*arguments, **keywords)


def _text_call(place: int, method: Any, text: Any, arguments: Any, keywords: Any) -> Any:
    name = method.__name__
    if name not in _SEARCHES:
        result = method(*arguments, **keywords)
        if name == "join":
            COUNTS[place] += len(result)
        elif result is not text:
            COUNTS[place] += len(text)
        return result
    start, end, _ = slice(*(arguments[1:3] or (None,)) if len(arguments) != 2 else (arguments[1], None)).indices(
        len(text)
    )
    found = -1
    try:
        found = method(*arguments, **keywords)
    finally:
        looked = end - start
        if name in ("find", "index") and found >= 0:
            looked = found - start
        elif name in ("rfind", "rindex") and found >= 0:
            looked = end - found
        COUNTS[place] += max(1, looked)
    return found


def _container_call(place: int, method: Any, owner: Any, arguments: Any, keywords: Any) -> Any:
    name = method.__name__
    if name in ("insert", "pop"):
        if type(owner) is list and arguments and isinstance(arguments[0], int) and arguments[0] >= 0:
            COUNTS[place] += max(0, len(owner) - arguments[0])
    elif name == "isdisjoint":
        COUNTS[place] += min([len(owner), *(len(each) for each in arguments if type(each) in _SIZED)])
    elif name in ("extend", "update"):
        for each in arguments:
            if type(each) in _SIZED:
                COUNTS[place] += len(each)
    elif name == "intersection":
        COUNTS[place] += min([len(owner), *(len(each) for each in arguments if type(each) in _SIZED)])
    elif name in ("copy", "union", "difference", "issubset", "index", "count", "remove"):
        COUNTS[place] += len(owner)
    return method(*arguments, **keywords)


_matchers: dict[re.Pattern[Any], Matcher | None] = {}


def _pattern_call(place: int, method: Any, pattern: re.Pattern[Any], arguments: Any, keywords: Any) -> Any:
    name = method.__name__
    if name in ("sub", "subn"):
        COUNTS[place] += len(arguments[1])
        return method(*arguments, **keywords)
    text = arguments[0]
    start, end, _ = slice(*(*arguments[1:3], None, None)[:2]).indices(len(text))
    if name in ("match", "fullmatch", "search"):
        found = method(*arguments, **keywords)
        if found is not None:
            COUNTS[place] += found.end() - start + 1
        elif name == "search":
            COUNTS[place] += max(1, end - start)
        else:
            COUNTS[place] += _failed_steps(pattern, text, start, end, whole=name == "fullmatch")
        return found
    if name == "finditer":
        return _counted_matches(place, method(*arguments, **keywords), start, end)
    COUNTS[place] += max(1, end - start)
    return method(*arguments, **keywords)


def _counted_matches(place: int, matches: Iterator[re.Match[Any]], start: int, end: int) -> Iterator[re.Match[Any]]:
    for found in matches:
        COUNTS[place] += found.end() - start + 1
        start = found.end()
        yield found
    COUNTS[place] += max(1, end - start)


def _failed_steps(pattern: re.Pattern[Any], text: Any, start: int, end: int, *, whole: bool) -> int:
    """How much a match that fails has looked at: nothing tells, so it is tried once more, step by step."""
    if pattern not in _matchers:
        _matchers[pattern] = None if is_bounded(pattern) or isinstance(text, bytes) else Matcher(pattern)
    matcher = _matchers[pattern]
    if matcher is None:
        return 1
    try:
        return matcher.match(text, start, end, _FAILED_STEPS, whole=whole)
    except TooManySteps:
        return _FAILED_STEPS
