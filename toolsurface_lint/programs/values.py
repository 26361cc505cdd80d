"""What an expression in a Python file can be known to be without running it.

A value remembers where it was written (`module`, `node`), so that a name that is a constant in another file is reported
there. `Unknown` is the value of everything else.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from toolsurface_lint.source.python import Located

if TYPE_CHECKING:
    from toolsurface_lint.programs.python.modules import Module

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Value:
    """A value and where it was written; `node` is None for what was not written anywhere."""

    __slots__ = ("module", "node")

    def __init__(self, module: Module | None = None, node: Located | None = None) -> None:
        self.module = module
        self.node = node


class Unknown(Value):
    """A value that only a run can tell; `what` says what it is, as a noun phrase for people."""

    __slots__ = ("what",)

    def __init__(self, what: str, module: Module | None = None, node: Located | None = None) -> None:
        super().__init__(module, node)
        self.what = what


class Literal(Value):
    """A string, number, boolean or None.

    `assumed`: it is the default of a setting (an environment variable, a command line option).
    """

    __slots__ = ("assumed", "value")

    def __init__(
        self, value: Any, module: Module | None = None, node: Located | None = None, assumed: bool = False
    ) -> None:
        super().__init__(module, node)
        self.value = value
        self.assumed = assumed


class Items(Value):
    """A list, tuple or set. `complete` is false where it may hold more than `items`; then `missing` says what."""

    __slots__ = ("complete", "items", "kind", "missing")

    def __init__(self, items: list[Value], module: Module | None, node: Located | None, kind: str = "list") -> None:
        super().__init__(module, node)
        self.items = items
        self.kind = kind
        self.complete = True
        self.missing = ""


class Entry(NamedTuple):
    key: Value
    value: Value


class Mapping(Value):
    """A dict with literal keys; `complete` is false where it may hold other keys too."""

    __slots__ = ("complete", "entries")

    def __init__(self, module: Module | None = None, node: Located | None = None) -> None:
        super().__init__(module, node)
        self.entries: dict[Any, Entry] = {}
        self.complete = True

    def set(self, key: str, value: Value) -> None:
        """Give a key that is not written anywhere."""
        self.entries[key] = Entry(Literal(key), value)

    def set_at(self, key: str, value: Value, module: Module, node: Located | None) -> None:
        """Give a key that stands at `node` of `module`, wherever the value comes from."""
        self.entries[key] = Entry(Literal(key, module, node), value)

    def get(self, key: str) -> Value | None:
        entry = self.entries.get(key)
        return None if entry is None else entry.value


class Scope:
    """The names of a module, a function call or a class body; `outer` is where a name is looked up next."""

    __slots__ = ("cls", "globals", "is_class", "module", "names", "outer", "receiver")

    def __init__(self, module: Module, outer: Scope | None = None, *, is_class: bool = False) -> None:
        self.module = module
        self.outer = outer
        self.is_class = is_class
        self.cls: Class | None = None
        """In a call of a method: the class that the method stands in, for `super()`."""
        self.receiver: Value | None = None
        self.names: dict[str, Value] = {}
        self.globals: set[str] = set()

    def find(self, name: str) -> Value | None:
        scope: Scope | None = self
        while scope is not None:
            value = scope.names.get(name)
            if value is not None:
                return value
            scope = scope.outer
        return None


class Function(Value):
    """A function or lambda and the scope that it was made in; `receiver` is what it is bound to."""

    __slots__ = ("binding", "code", "name", "owner", "receiver", "scope")

    def __init__(self, code: FunctionNode, scope: Scope, owner: Class | None = None) -> None:
        super().__init__(scope.module, code)
        self.code = code
        self.scope = scope
        self.owner = owner
        self.name = "<lambda>" if isinstance(code, ast.Lambda) else code.name
        self.receiver: Value | None = None
        self.binding = ""
        """`static`, `class`, `property`, or empty for a plain function."""

    def bound(self, receiver: Value) -> Function:
        function = Function(self.code, self.scope, self.owner)
        function.receiver = receiver
        function.binding = self.binding
        return function


class Class(Value):
    """A class of a file that is read; `bases` are values."""

    __slots__ = ("bases", "code", "name", "scope")

    def __init__(self, code: ast.ClassDef, scope: Scope, bases: list[Value]) -> None:
        super().__init__(scope.module, code)
        self.code = code
        self.name = code.name
        self.scope = scope
        self.bases = bases

    def ancestors(self) -> list[Value]:
        """The class, its base classes depth first, and what else they derive from (`External` values)."""
        found: list[Value] = []
        pending: list[Value] = [self]
        while pending and len(found) < 100:
            value = pending.pop(0)
            if any(value is known for known in found):
                continue
            found.append(value)
            if isinstance(value, Class):
                pending[:0] = value.bases
        return found

    def member(self, name: str) -> Value | None:
        for value in self.ancestors():
            if isinstance(value, Class) and name in value.scope.names:
                return value.scope.names[name]
        return None

    def members(self) -> list[Member]:
        """The members of an enum class; none of another class, though its attributes may be members of one."""
        return [value for value in self.scope.names.values() if isinstance(value, Member) and value.cls is self]

    def derives(self, *names: str) -> External | None:
        """The first base from outside whose own name, or whole path, is one of `names`."""
        for value in self.ancestors():
            if isinstance(value, External) and (value.path in names or value.last in names):
                return value
        return None


class Instance(Value):
    """An object of a class of a file that is read, or (`cls` is None) of one that the reader knows by itself.

    `reserved` are the methods whose meaning the reader knows, whatever a derived class makes of them.
    """

    __slots__ = ("attributes", "cls")
    reserved: frozenset[str] = frozenset()

    def __init__(self, cls: Class | None, module: Module | None, node: Located | None) -> None:
        super().__init__(module, node)
        self.cls = cls
        self.attributes: dict[str, Value] = {}


class Member(Value):
    """One member of an enum class."""

    __slots__ = ("cls", "name", "value")

    def __init__(self, cls: Class, name: str, value: Value) -> None:
        super().__init__(value.module, value.node)
        self.cls = cls
        self.name = name
        self.value = value


class External(Value):
    """Something from a package that is not read, by its dotted path as imported."""

    __slots__ = ("path",)

    def __init__(self, path: str, module: Module | None = None, node: Located | None = None) -> None:
        super().__init__(module, node)
        self.path = path

    @property
    def last(self) -> str:
        return self.path.rpartition(".")[2]

    @property
    def root(self) -> str:
        return self.path.partition(".")[0]


class Argument(NamedTuple):
    """One argument of a call: its value, the expression that stands in the call, and the keyword's own place."""

    value: Value
    site: ast.expr
    module: Module
    key: Located | None = None


class Arguments:
    """The arguments of a call; `open` when a `*` or `**` argument could not be read."""

    __slots__ = ("keywords", "open", "positional")

    def __init__(self) -> None:
        self.positional: list[Argument] = []
        self.keywords: dict[str, Argument] = {}
        self.open = False

    def all(self) -> list[Argument]:
        return [*self.positional, *self.keywords.values()]

    def named(self) -> Arguments:
        """The same without those given by position."""
        named = Arguments()
        named.keywords, named.open = dict(self.keywords), self.open
        return named

    def get(self, name: str, position: int | None = None) -> Argument | None:
        return self.first((name,), position)

    def first(self, names: Sequence[str], position: int | None = None) -> Argument | None:
        """The argument given under the first of several names that is used, else the one at a position."""
        for name in names:
            if name in self.keywords:
                return self.keywords[name]
        if position is not None and position < len(self.positional):
            return self.positional[position]
        return None


class Made(Value):
    """The result of calling something from a package that is not read."""

    __slots__ = ("arguments", "attributes", "path")

    def __init__(self, path: str, arguments: Arguments, module: Module, node: Located) -> None:
        super().__init__(module, node)
        self.path = path
        self.arguments = arguments
        self.attributes: dict[str, Value] = {}

    @property
    def last(self) -> str:
        return self.path.rpartition(".")[2]


class ModuleValue(Value):
    __slots__ = ("target",)

    def __init__(self, target: Module) -> None:
        super().__init__(target, None)
        self.target = target


class Method(Value):
    """An attribute of something that is no object of ours: a method that is about to be called."""

    __slots__ = ("name", "receiver", "text")

    def __init__(self, receiver: Value, name: str, text: str, module: Module, node: Located) -> None:
        super().__init__(module, node)
        self.receiver = receiver
        self.name = name
        self.text = text
        """The receiver as written."""


class Native(Value):
    """A function that the reader knows by itself: what a decorator factory returned, a method of a known object.

    `unused` is called where a statement makes it and does nothing with it.
    """

    __slots__ = ("call", "unused")

    def __init__(
        self,
        call: Callable[[Arguments, Module, ast.expr], Value],
        module: Module,
        node: Located,
        unused: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(module, node)
        self.call = call
        self.unused = unused


class Super(Value):
    """What `super()` gives in a method of `cls`: the members of its base classes, bound to `receiver`."""

    __slots__ = ("cls", "receiver")

    def __init__(self, cls: Class, receiver: Value) -> None:
        super().__init__(cls.module, cls.node)
        self.cls = cls
        self.receiver = receiver


class Imported(Value):
    """A name imported from a file that is read; the file is followed only when the name is used."""

    __slots__ = ("name", "target")

    def __init__(self, target: Module, name: str) -> None:
        super().__init__(target, None)
        self.target = target
        self.name = name


class Deferred(Value):
    """What a name of a file stands for that is read only for such names: evaluated when it is asked for."""

    __slots__ = ("expression", "scope")

    def __init__(self, expression: ast.expr, scope: Scope) -> None:
        super().__init__(scope.module, expression)
        self.expression = expression
        self.scope = scope


class Hint(Value):
    """A type expression that is a value: `Optional[int]`, `Annotated[str, ...]` kept under a name."""

    __slots__ = ("expression", "scope")

    def __init__(self, expression: ast.expr, scope: Scope) -> None:
        super().__init__(scope.module, expression)
        self.expression = expression
        self.scope = scope


CALL = "a call's result"


def describe(value: Value) -> str:
    """What a value is, as a noun phrase for people."""
    if isinstance(value, Unknown):
        return value.what
    if isinstance(value, Items) and value.missing:
        return value.missing
    if isinstance(value, Made):
        return CALL
    return "a value that only a run can tell"


def function_name(function: Function, module: Module) -> Located | None:
    """The place of a function's name in its definition."""
    code = function.code
    return None if isinstance(code, ast.Lambda) else module.offsets.identifier(code, code.name, keyword=True)


def docstring(owner: Function | Class) -> Value:
    """The docstring of a function or a class as written; a literal None if it has none."""
    code = owner.code
    if not isinstance(code, ast.Lambda) and code.body and isinstance(code.body[0], ast.Expr):
        node = code.body[0].value
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return Literal(node.value, owner.scope.module, node)
    return Literal(None, owner.scope.module, code)


def returned(values: list[Value], module: Module, node: ast.expr) -> Value:
    """What a call gives whose ways end in these values: the one that says something, if there is no other like it."""
    telling = [
        value
        for value in values
        if not isinstance(value, Unknown) and not (isinstance(value, Literal) and value.value is None)
    ]
    if not telling:
        return values[0] if values and not isinstance(values[0], Unknown) else Unknown(CALL, module, node)
    first = telling[0]
    if isinstance(first, Literal):
        same = all(isinstance(value, Literal) and value.value == first.value for value in values)
        return first if same else Unknown("a value chosen at run time", module, node)
    return first
