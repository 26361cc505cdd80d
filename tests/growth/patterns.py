"""Every regular expression of the package, and texts made to keep each of them busy.

A quantifier that can begin anywhere, or two that can share what they match, takes more than linear time on some text; from
its own tree each expression gets the texts that would show it: the way to each of its repeats, what the repeat takes n
times, and then what does not fit.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from re import _constants as op  # type: ignore[attr-defined]
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import toolsurface_lint
from tests.growth.matching import Matcher, TooManySteps, parsed, parts, repeats, takes

SIZES = (16, 64, 256)
LIMIT = 200_000
RATIO = 4.6
_FLOOR = 40
"""Steps for each repetition below which nothing is said: constants of a pattern, not its growth."""

_LINEAR = 4.2
"""Growth from the first size to the second up to which the third, which takes longest, is not tried."""

_CHARACTERS = (
    " ",
    "\n",
    "\t",
    "a",
    "Z",
    "0",
    "_",
    "-",
    ".",
    ":",
    "/",
    ",",
    "`",
    '"',
    "'",
    "<",
    ">",
    "*",
    "\\",
    "#",
    "{",
    "é",
)
ENDS = ("\x00", "", "\n")
"""What may follow what is repeated: mostly what nothing takes."""
_AT_ONE_PLACE = frozenset(("match", "fullmatch"))


WINDOWS = {
    "checks.prompt.denied_and_prohibited._CLAUSE_END": "120 characters behind a name",
    "checks.tool.description_unknown_parameter._WORD[0]": "80 characters before a noun",
    "project.discovery.globs._PART": "names in which every bracket is closed",
    "programs.python.modules._IMPORT": "8,000 characters of imported names in parentheses",
    "readers.named_tools.calls._SEPARATED_NAME": "the window of a name before a parenthesis",
    "readers.named_tools.candidates._JOINT": "16 characters between two names",
    "source.directives._REASON_END": "200 characters behind a directive",
    "checks.pages._FRONT_MATTER": "our own pages",
    "checks.pages._LINK": "our own pages",
    "server.completion._CALL": "2,000 characters before the cursor",
    "server.completion._KEY": "2,000 characters before the cursor",
    "server.completion._KEY_END": "2,000 characters before the cursor",
    "server.completion._WORD_END": "2,000 characters before the cursor",
}
"""Patterns that take more than linear time, and what bounds the text that they ever see."""


class Pattern(NamedTuple):
    """A compiled pattern, where it stands, and whether it is only ever tried at a place that is known, and to the end."""

    name: str
    pattern: re.Pattern[Any]
    anchored: bool
    whole: bool = False


class Growth(NamedTuple):
    """The text that made a pattern's steps grow most, as prefix, repeated part and end; and the steps at each size."""

    name: str
    text: tuple[str, str, str]
    steps: tuple[int, ...]

    @property
    def ratio(self) -> float:
        return self.steps[-1] / max(1, self.steps[-2])

    @property
    def is_hit(self) -> bool:
        pairs = zip(self.steps, self.steps[1:], strict=False)
        too_much = all(later > RATIO * earlier for earlier, later in pairs) or self.steps[-1] == LIMIT
        return too_much and self.steps[-1] > _FLOOR * SIZES[len(self.steps) - 1]


def package_modules() -> list[ModuleType]:
    """Every module of the package."""
    names = [info.name for info in pkgutil.walk_packages(toolsurface_lint.__path__, "toolsurface_lint.")]
    return [importlib.import_module(name) for name in names if not name.endswith("__main__")]


@cache
def package_patterns() -> list[Pattern]:
    """Every pattern that a module or class of the package holds, by itself, in a container or in a cache; and those that
    are compiled from constants inside functions.
    """
    modules = package_modules()
    methods: dict[tuple[str, str], set[str]] = {}
    texts: list[list[Pattern]] = []
    for module in modules:
        # The trees of all modules at once would be large, and a walk takes as long as all that is done with it.
        nodes = list(ast.walk(ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))))
        _add_methods(methods, module, nodes)
        texts.append(list(_given_as_text(module, nodes)))
    found: dict[tuple[str, int], Pattern] = {}
    for module, given_as_text in zip(modules, texts, strict=True):
        for name, value in list(vars(module).items()):
            for holder, method, pattern in _held(value, module.__name__, depth=3):
                key_of = (module.__name__, name) if name.startswith("_") else ("", name)
                known = methods.get(key_of, set()) - {"pattern"} if method is None else {method}
                anchored = bool(known) and known <= _AT_ONE_PLACE
                key = (pattern.pattern, pattern.flags)
                before = found.get(key)
                where = f"{module.__name__.removeprefix('toolsurface_lint.')}.{name}{holder}"
                anchored = anchored and (before is None or before.anchored)
                found[key] = Pattern(where, pattern, anchored, "fullmatch" in known)
        for given in given_as_text:
            found.setdefault((given.pattern.pattern, given.pattern.flags), given)
    return sorted(found.values(), key=lambda each: each.name)


def _add_methods(found: dict[tuple[str, str], set[str]], module: ModuleType, nodes: Sequence[ast.AST]) -> None:
    """Add by the name of a constant, and its module if it is private, the methods of it that a module uses, `?` where it
    is handed on. `nodes`: each behind the one that holds it.
    """
    used: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Attribute):
            holder = node.value.value if isinstance(node.value, ast.Subscript) else node.value
            name, method = getattr(holder, "id", getattr(holder, "attr", None)), node.attr
            used.add(id(holder))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in used:
            name, method = node.id, "?"
        else:
            continue
        if isinstance(name, str):
            found.setdefault((module.__name__, name) if name.startswith("_") else ("", name), set()).add(method)


def _held(value: Any, module: str, depth: int) -> Iterator[tuple[str, str | None, re.Pattern[Any]]]:
    """The patterns in a value: where in it, and the method if it is a method of one."""
    if isinstance(value, re.Pattern):
        yield "", None, value
    elif isinstance(getattr(value, "__self__", None), re.Pattern):
        yield "", value.__name__, value.__self__
    elif hasattr(value, "cache_info") and getattr(value, "__module__", None) == module:
        code = value.__wrapped__.__code__
        if code.co_argcount == 0 and not code.co_flags & inspect.CO_VARARGS:
            yield from _held(value(), module, depth - 1)
    elif depth and isinstance(value, type) and value.__module__ == module:
        for name, member in list(vars(value).items()):
            if not isinstance(member, FunctionType):
                yield from ((f".{name}{where}", *rest) for where, *rest in _held(member, module, depth - 1))
    elif depth and isinstance(value, dict):
        for key, member in value.items():
            yield from ((f"[{key!r}]{where}", *rest) for where, *rest in _held(member, module, depth - 1))
    elif depth and isinstance(value, list | tuple | set | frozenset):
        for index, member in enumerate(value):
            yield from ((f"[{index}]{where}", *rest) for where, *rest in _held(member, module, depth - 1))


def _given_as_text(module: ModuleType, nodes: Sequence[ast.AST]) -> Iterator[Pattern]:
    """The expressions that a module hands to `re` as text: constants beside the call, or of the module."""
    where = module.__name__.removeprefix("toolsurface_lint.")
    named: dict[str, set[str]] = {}
    handed_on: set[str] = set()
    used: set[int] = set()
    called = {id(node.value): node.attr for node in nodes if isinstance(node, ast.Attribute)}
    for node in nodes:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
            continue
        if not isinstance(node.func.value, ast.Name) or node.func.value.id != "re" or node.func.attr == "escape":
            continue
        first, method = node.args[0], node.func.attr
        if method == "compile":
            method = called.get(id(node), method)
        if isinstance(first, ast.Constant):
            mentioned = {leaf.attr for leaf in ast.walk(node) if isinstance(leaf, ast.Attribute)}
            flags = sum(getattr(re, name) for name in sorted(mentioned & set(re.RegexFlag.__members__)))
            pattern = re.compile(first.value, flags)
            yield Pattern(f"{where}:{node.lineno}", pattern, method in _AT_ONE_PLACE, method == "fullmatch")
        elif isinstance(first, ast.Name):
            named.setdefault(first.id, set()).add(method)
            used.add(id(first))
    if not named:
        return
    # A part of another expression is no expression by itself.
    used |= {id(leaf) for node in nodes if isinstance(node, ast.JoinedStr) for leaf in ast.walk(node)}
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in used:
            handed_on.add(node.id)
    for name, value in vars(module).items():
        for index, text in enumerate(_texts(value)):
            # A module that gives `re` texts has no other texts with these in them.
            if name in named or (name in handed_on and re.search(r"\\|\(\?|\[\^", text)):
                methods = named.get(name, {"?"}) | ({"?"} if name in handed_on else set())
                try:
                    anchored = methods <= _AT_ONE_PLACE
                    yield Pattern(f"{where}.{name}[{index}]", re.compile(text), anchored, "fullmatch" in methods)
                except re.error:
                    continue


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple | list):
        for member in value:
            yield from _texts(member)


# --- texts ----------------------------------------------------------------------------------------------------------


def sample(tree: Any, flags: int, variant: int = 0) -> str:
    """One short text that a tree matches, look-around left aside; `variant` chooses other branches and characters."""
    text = ""
    for operation, value in tree:
        text += _sample_of(operation, value, flags, variant)
    return text


def _sample_of(operation: Any, value: Any, flags: int, variant: int) -> str:
    if operation is op.LITERAL:
        return chr(value)
    taken = takes(operation, value, flags)
    if taken is not None:
        fitting = [character for character in (*_CHARACTERS, *_mentioned(value)) if taken(character)]
        return fitting[variant % len(fitting)] if fitting else ""
    if operation in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        low, high, body = value
        return "".join(sample(body, flags, variant + turn) for turn in range(max(low, min(1, high))))
    if operation is op.BRANCH:
        return sample(value[1][variant % len(value[1])], flags, variant)
    if operation in (op.ASSERT, op.ASSERT_NOT, op.AT):
        return ""
    if operation is op.GROUPREF:
        return "`"
    return "".join(sample(part, flags, variant) for part in parts(operation, value)[:1])


def _mentioned(value: Any) -> list[str]:
    """The characters that a set names."""
    if not isinstance(value, list):
        return []
    literal = [chr(item) for operation, item in value if operation is op.LITERAL]
    return literal + [chr(item[0]) for operation, item in value if operation is op.RANGE]


def pumps(tree: Any, flags: int, before: str = "") -> Iterator[tuple[str, str]]:
    """For each repeat without a bound: a text that leads to it, and what it takes, one pair for each of a few kinds."""
    for operation, value in tree:
        if operation in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT) and value[1] > 64:
            seen = {sample(value[2], flags, variant) for variant in range(12)}
            yield from ((before, pump) for pump in sorted(seen) if pump)
        for part in parts(operation, value):
            yield from pumps(part, flags, before)
        before += _sample_of(operation, value, flags, 0)


def attacks(pattern: re.Pattern[Any], ends: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Texts that may keep a pattern busy, as what comes first, what is repeated, and what comes last."""
    tree = parsed(pattern)
    seen: set[tuple[str, str, str]] = set()
    wholes = {sample(tree, pattern.flags, variant) for variant in range(4)}
    pairs = list(pumps(tree, pattern.flags))
    repeated = [*pairs, *(("", before + pump) for before, pump in pairs), *(("", before) for before, _ in pairs)]
    repeated += [("", whole) for whole in wholes]
    repeated += [("", "\n" + whole) for whole in wholes]
    for before, pump in repeated:
        for end in ends:
            if pump and (before, pump, end) not in seen:
                seen.add((before, pump, end))
                yield before, pump, end


def growth(pattern: Pattern, ends: Sequence[str] = ENDS) -> Growth | None:
    """The worst growth of a pattern's steps over the texts made for it; None if it never looks far."""
    tree = parsed(pattern.pattern)
    if not any(True for _ in repeats(tree)) and pattern.anchored:
        return None
    matcher = Matcher(pattern.pattern)
    worst: Growth | None = None
    for text in attacks(pattern.pattern, ends):
        before, pump, end = text
        steps = []
        for size in SIZES:
            whole = before + pump * size + end
            try:
                if pattern.anchored:
                    steps.append(matcher.match(whole, 0, len(whole), LIMIT, whole=pattern.whole))
                else:
                    steps.append(matcher.search(whole, LIMIT))
            except TooManySteps:
                steps.append(LIMIT)
                break
            if len(steps) == 2 and steps[1] <= _LINEAR * steps[0]:
                break
        found = Growth(pattern.name, text, tuple(steps))
        if worst is None or (found.is_hit, found.ratio) > (worst.is_hit, worst.ratio):
            worst = found
        if found.is_hit:
            break
    return worst
