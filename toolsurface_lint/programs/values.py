"""What an expression in a program can be known to be without running it.

A value remembers where it was written (`module`, `node`), so that a name that is a constant in another file is reported
there. `Unknown` is the value of everything else. The nodes of syntax trees are opaque here: a language derives its
`Module`, which knows them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from collections.abc import Mapping as Table
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import SourceText, Span

if TYPE_CHECKING:
    from toolsurface_lint.source.program_tree import Located, Location, Offsets, ProgramTree

Node = Any
"""An expression, a statement or a definition of the language's syntax tree; each has a place, as `Located`."""


class Value:
    """A value and where it was written; `node` is None for what was not written anywhere."""

    made_of: Mapping | None = None
    """The object that something was made of and whose properties it has too: `{ ...tool }` spreads them."""

    def __init__(self, module: Module | None = None, node: Located | None = None) -> None:
        self.module = module
        self.node = node


class Module(Value):
    """One file. `state` says how far its statements have been followed: `new`, `running`, `names` or `done`.

    `names`: only for the names that other files import from it. A language derives a class that knows its syntax:
    `expressions` and `statements` say by the type of a node what gives its value, and what follows it (an int of `flow`).
    """

    expressions: ClassVar[Table[type, Callable[[Any, Node, Scope], Value]]]
    statements: ClassVar[Table[type, Callable[[Any, Node, Any], int]]]
    library: Callable[[Any, Value, Call], Value | None]
    """Of an evaluator, a function and a call: what the language's own functions give; None for what is not known."""
    receiver_is_parameter: ClassVar[bool] = True
    """Whether a method's first parameter is the object that it is called on."""
    arguments_may_be_left_out: ClassVar[bool] = False
    """Whether a parameter that a call gives nothing to is None."""
    tree_class: ClassVar[type[ProgramTree]]
    """Makes the tree of values that are found in the file."""
    offsets: Offsets
    imported: Collection[Module]
    """The files that the file's imports name, read from its text without parsing it."""
    may_define_tools: Callable[[str], bool]
    """Whether a text of the language could define tools: one that could not need not be parsed."""
    has_signs: bool
    """Whether the text of the file could."""
    is_test: bool
    """Whether the file's own name says that it is a test."""
    too_long: bool
    """Whether that is why it is not parsed: then nothing is wrong with the file."""
    import_names: tuple[str, ...]
    """The parts of the dotted name by which files of other packages import this one."""
    package_defines: frozenset[str]
    """The functions and classes at the top of the files of the package that it is imported from."""
    find: Callable[[str, int], Module | None]
    """The file that a dotted name means in this one; None if it is not one of those that are read.

    With a level, the name is one below this file's folder, or below the one so many folders - 1 above that.
    """
    submodule: Callable[[str], Module | None]
    """A file of this package by its own name."""
    parse: Callable[[], Sequence[Node] | None]
    """The statements of the file; None if it cannot be parsed (then `problem` says why), or if there is no room."""
    defer: Callable[[Node], bool]
    """Whether a statement need not be followed unless somebody asks for the name that it binds; it is bound then."""
    body: Callable[[Node], Any]
    """The statements of a function in a list, or the expression that is its result."""
    take_apart: Callable[[Any, Function, Scope], None]
    """Binds what the parameters of a function take apart, once they are bound themselves; is given an evaluator first."""
    assignments: Callable[[Node], Sequence[Node]]
    """The statements of a function that only assign, outside of loops and branches."""
    docstring: Callable[[Node], Literal]
    """What documents a function or a class, as written; None if nothing does."""
    name_place: Callable[[Node, str], Location]
    """The place of its name in the definition of a function or a class."""
    parameters: Callable[[Node], tuple[Parameter, ...]]
    """The parameters of a function: those given by position, by name only, then what takes the rest of both."""
    class_syntax: Callable[[Node], ClassSyntax]
    read_hint: Callable[[Node, Scope, Any], TypeHint]
    """A type hint taken apart, with an evaluator for what it names."""
    hinted: Callable[[Node, Scope, Any], Iterable[tuple[str, Value]]]
    """The names in a hint, each with what it stands for."""

    def schema_of(self, value: Value, evaluator: Any) -> Mapping | None:
        """The JSON Schema that a value is to those who are given it as one; None if it is not one. Raises `OutOfSteps`."""
        return None

    def __init__(self, source: SourceText) -> None:
        super().__init__(self)
        self.source = source
        self.path = source.path
        self.location = source.path
        """Where it lies, with forward slashes: an absolute path where that is known."""
        self.scope = Scope(self)
        self.state = "new"
        self.problem: Problem[Span] | None = None


LAMBDA = "<lambda>"
"""The name of a function that is an expression."""

REWRITING = frozenset(("__signature__", "__annotations__", "__defaults__", "__kwdefaults__"))
"""The attributes of a function that say which parameters it takes."""

POSITIONAL, NAMED, REST, NAMED_REST = "positional", "named", "rest", "named rest"


class Parameter(NamedTuple):
    """A parameter of a function, or an annotated name in the body of a class; `hint` and `default` are expressions."""

    name: str
    hint: Node | None
    default: Node | None
    node: Located
    kind: str = POSITIONAL


class ClassSyntax(NamedTuple):
    """What a class statement says of the fields of its objects.

    `is_partial`: they may be missing. `base_argument` is the type in the brackets of the first base class that has any.
    """

    fields: tuple[Parameter, ...]
    is_dataclass: bool
    is_partial: bool
    base_argument: Node | None


class TypeHint(NamedTuple):
    """A type hint taken apart: names of hints followed, `Annotated` taken off, whose `metadata` are kept.

    `alternatives` are the types that a union allows, else the hint itself, each with its scope. `value` is what the hint
    names, before its brackets; `head` the own name of that if it is a known type; `inside` what is in the brackets.
    """

    node: Node
    scope: Scope
    metadata: list[Value]
    alternatives: list[tuple[Node, Scope]]
    head: str
    value: Value | None
    inside: list[Node]


class Unknown(Value):
    """A value that only a run can tell; `what` says what it is, as a noun phrase for people."""

    def __init__(self, what: str, module: Module | None = None, node: Located | None = None) -> None:
        super().__init__(module, node)
        self.what = what


class Literal(Value):
    """A string, number, boolean or None.

    `assumed`: it is the default of a setting (an environment variable, a command line option). `parts` are those of a text
    that is put together.
    """

    def __init__(
        self,
        value: Any,
        module: Module | None = None,
        node: Located | None = None,
        assumed: bool = False,
        parts: Sequence[Part] = (),
    ) -> None:
        super().__init__(module, node)
        self.value = value
        self.assumed = assumed
        self.parts = parts


class Piece(NamedTuple):
    """A part of a text as it is written: what begins at offset `start` of the text `whole`, for which `node` stands.

    Of an f-string, `whole` has a gap for each field. A piece without a node is a gap, or is written nowhere.
    """

    text: str
    module: Module | None = None
    node: Located | None = None
    whole: str = ""
    start: int = 0


class Text(Unknown):
    """A text that is put together of parts of which some are not known; `size` is the number of its characters, with gaps."""

    def __init__(self, parts: Sequence[Part], size: int, module: Module, node: Located) -> None:
        super().__init__("a text put together at run time", module, node)
        self.parts = parts
        self.size = size


class FilePath(Unknown):
    """The path of a file or a folder, with forward slashes; a relative one is so to a folder that only a run can tell."""

    def __init__(self, path: str, module: Module, node: Located) -> None:
        super().__init__("the path of a file", module, node)
        self.path = path


class FileText(Text):
    """What a program reads from a file."""

    def __init__(self, file: FilePath, module: Module, node: Located) -> None:
        super().__init__((), 1, module, node)
        self.what = "the text of a file"
        self.file = file


Part = Value | Piece


class Items(Value):
    """A list, tuple or set. `missing` says what it may hold beside `items`, as a noun phrase; empty for nothing."""

    def __init__(
        self, items: list[Value], module: Module | None, node: Located | None, kind: str = "list", missing: str = ""
    ) -> None:
        super().__init__(module, node)
        self.items = items
        self.kind = kind
        self.missing = missing
        self.otherwise: dict[Value, bool] = {}
        """What it holds only if a condition turns out otherwise, and whether that hangs on a setting that is off by default."""

    @property
    def complete(self) -> bool:
        return not self.missing

    def add(self, values: Sequence[Value], missing: str = "") -> None:
        """Hold more: values, and what is said in the words of `missing`."""
        self.items.extend(values)
        self.missing = missing or self.missing


class Entry(NamedTuple):
    key: Value
    value: Value


class Mapping(Value):
    """A dict with literal keys; `complete` is false where it may hold other keys too."""

    def __init__(
        self,
        module: Module | None = None,
        node: Located | None = None,
        entries: dict[Any, Entry] | None = None,
        complete: bool = True,
    ) -> None:
        super().__init__(module, node)
        self.entries = {} if entries is None else entries
        self.complete = complete

    def set(self, key: str, value: Value) -> None:
        """Give a key that is not written anywhere."""
        self.entries[key] = Entry(Literal(key), value)

    def give(self, key: str, argument: Argument) -> None:
        """Give a key that stands where the keyword of an argument does."""
        self.entries[key] = Entry(Literal(key, argument.module, argument.key), argument.value)

    def get(self, key: str) -> Value | None:
        entry = self.entries.get(key)
        return None if entry is None else entry.value


class Scope:
    """The names of a module, a function call or a class body; `outer` is where a name is looked up next."""

    def __init__(self, module: Module, outer: Scope | None = None, *, is_class: bool = False) -> None:
        self.module = module
        self.outer = outer
        self.is_class = is_class
        self.cls: Class | None = None
        """In a call of a method: the class that the method is in, for `super()`."""
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

    def __init__(self, code: Node, name: str, scope: Scope, owner: Class | None = None) -> None:
        super().__init__(scope.module, code)
        self.code = code
        self.name = name
        self.scope = scope
        self.owner = owner
        self.receiver: Value | None = None
        self.binding = ""
        """`static`, `class`, `property`, or empty for a plain function."""
        self.attributes: dict[str, Value] = {}
        """What the program has assigned to its attributes: another `__name__`, another `__signature__`."""
        self.may_have_more = False
        """Whether something that is not read decorates it, and may have given it other attributes."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return self.scope.module.parameters(self.code)

    @property
    def docstring(self) -> Value:
        return self.attributes.get("__doc__") or self.scope.module.docstring(self.code)

    @property
    def is_rewritten(self) -> bool:
        """Whether the program says itself which parameters callers see: they are not those in the code."""
        return not REWRITING.isdisjoint(self.attributes)

    @property
    def name_place(self) -> Location:
        return self.scope.module.name_place(self.code, self.name)

    def bound(self, receiver: Value) -> Function:
        function = self.with_attributes({})
        function.receiver = receiver
        return function

    def with_attributes(self, attributes: Table[str, Value]) -> Function:
        """The same function with more attributes, which do not become those of this one."""
        function = Function(self.code, self.name, self.scope, self.owner)
        function.receiver = self.receiver
        function.binding = self.binding
        function.may_have_more = self.may_have_more
        function.attributes = {**self.attributes, **attributes}
        return function


class FunctionName(Literal):
    """The `__name__` of a function, as its definition says it."""

    def __init__(self, function: Function) -> None:
        super().__init__(function.name, function.module, None if function.name == LAMBDA else function.name_place)
        self.function = function


class Class(Value):
    """A class of a file that is read; `bases` are values, `site` is where the first of them is written."""

    def __init__(self, code: Node, name: str, scope: Scope, bases: list[Value], site: Located) -> None:
        super().__init__(scope.module, code)
        self.code = code
        self.name = name
        self.scope = scope
        self.bases = bases
        self.site = site
        self.at = (scope.module, code)
        self.shows_value = False
        """Of an enum: the text of a member is that of its value."""
        self.replaced: set[str] = set()
        """The names for which classes that derive from it have something else."""

    @property
    def syntax(self) -> ClassSyntax:
        return self.scope.module.class_syntax(self.code)

    @property
    def docstring(self) -> Literal:
        return self.scope.module.docstring(self.code)

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

    def lineage(self) -> list[Class]:
        """The class and those of ours that it derives from, the farthest first."""
        return [value for value in reversed(self.ancestors()) if isinstance(value, Class)]

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
    """An object of a class of a file that is read, or (`cls` is None) of one that the reader knows by itself."""

    def __init__(self, cls: Class | None, module: Module | None, node: Located | None) -> None:
        super().__init__(module, node)
        self.cls = cls
        self.attributes: dict[str, Value] = {}
        self.later: Call | None = None
        """The call that made it, as long as its `__init__` has not been followed."""
        self.reserved: frozenset[str] = frozenset()
        """The methods whose meaning the reader knows, whatever a derived class makes of them."""


class Member(Value):
    """One member of an enum class."""

    def __init__(self, cls: Class, name: str, value: Value) -> None:
        super().__init__(value.module, value.node)
        self.cls = cls
        self.name = name
        self.value = value


class Outside(Value):
    """What comes from a package that is not read, by its dotted path as imported."""

    def __init__(self, path: str, module: Module | None = None, node: Located | None = None) -> None:
        super().__init__(module, node)
        self.path = path

    @property
    def last(self) -> str:
        return self.path.rpartition(".")[2]

    @property
    def root(self) -> str:
        return self.path.partition(".")[0]


class External(Outside):
    """Something from such a package."""


class Argument(NamedTuple):
    """One argument of a call: its value, the expression in the call, and the keyword's own place."""

    value: Value
    site: Node
    module: Module
    key: Located | None = None


class Call:
    """A call's arguments, and where it stands; `open` when a `*` or `**` argument could not be read."""

    def __init__(self, module: Module, node: Node, *values: Value, open: bool = False) -> None:
        self.module = module
        self.node = node
        self.positional = [Argument(value, node, module) for value in values]
        self.keywords: dict[str, Argument] = {}
        self.open = open

    @property
    def at(self) -> tuple[Module, Node]:
        return self.module, self.node

    @property
    def values(self) -> list[Value]:
        """What is given by position."""
        return [argument.value for argument in self.positional]

    @property
    def first_value(self) -> Value | None:
        return self.positional[0].value if self.positional else None

    def all(self) -> list[Argument]:
        return [*self.positional, *self.keywords.values()]

    def named(self) -> Call:
        """The same without the arguments given by position."""
        named = Call(*self.at, open=self.open)
        named.keywords = dict(self.keywords)
        return named

    def get(self, name: str, position: int | None = None) -> Argument | None:
        return self.first((name,), position)

    def value(self, name: str, position: int | None = None) -> Value | None:
        argument = self.get(name, position)
        return None if argument is None else argument.value

    def first(self, names: Sequence[str], position: int | None = None) -> Argument | None:
        """The argument given under the first of several names that is used, else the one at a position."""
        for name in names:
            if name in self.keywords:
                return self.keywords[name]
        if position is not None and position < len(self.positional):
            return self.positional[position]
        return None

    def mapping(self) -> Mapping:
        """The arguments given by name as a dict."""
        mapping = Mapping(*self.at, complete=not self.open)
        for key, argument in self.keywords.items():
            mapping.give(key, argument)
        return mapping


class Made(Outside):
    """The result of calling something from such a package."""

    def __init__(self, path: str, arguments: Call) -> None:
        super().__init__(path, *arguments.at)
        self.arguments = arguments
        self.attributes: dict[str, Value] = {}


class Method(Value):
    """An attribute of something that is not an object of this reader: a method that is about to be called."""

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

    def __init__(
        self, call: Callable[[Call], Value], module: Module, node: Node, unused: Callable[[], None] | None = None
    ) -> None:
        super().__init__(module, node)
        self.call = call
        self.unused = unused


class Super(Value):
    """What `super()` gives in a method of `cls`: the members of its base classes, bound to `receiver`."""

    def __init__(self, cls: Class, receiver: Value) -> None:
        super().__init__(cls.module, cls.node)
        self.cls = cls
        self.receiver = receiver


class Imported(Value):
    """A name imported from a file that is read; the file is followed only when the name is used."""

    def __init__(self, target: Module, name: str) -> None:
        super().__init__(target, None)
        self.target = target
        self.name = name


class Expression(Value):
    """An expression that stands for its value."""

    def __init__(self, expression: Node, scope: Scope) -> None:
        super().__init__(scope.module, expression)
        self.expression = expression
        self.scope = scope


class Deferred(Expression):
    """What a name of a file stands for that is read only for such names: evaluated when it is asked for."""


class Hint(Expression):
    """A type expression that is a value: `Optional[int]`, `Annotated[str, ...]` kept under a name."""


CALL = "a call's result"
AT_RUN_TIME = "a value that only a run can tell"


def is_none(value: Value) -> bool:
    return isinstance(value, Literal) and value.value is None


def describe(value: Value) -> str:
    """What a value is, as a noun phrase for people."""
    if isinstance(value, Unknown):
        return value.what
    if isinstance(value, Items) and value.missing:
        return value.missing
    if isinstance(value, Made):
        return CALL
    return AT_RUN_TIME
