"""What kind of object an expression in a function gives, where that decides what a call of its methods does.

`rename` changes files if it is called on a path, and a data frame otherwise; `get` uses the network if it is called on a
client. Told by how the object is made, in the function, in its module, or by the type hint of a parameter.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from toolsurface_lint.knowledge.effects import CLOUD_CLIENTS
from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.values import External, Function, Instance, Literal, Made, Method, Scope, Unknown, Value

PATH, CLIENT = "path", "client"
"""Kinds of objects; that of the client of a cloud service is the name of its package."""

_PATHS = frozenset((
    "pathlib.Path", "pathlib.PosixPath", "pathlib.WindowsPath", "pathlib.Path.home", "pathlib.Path.cwd", "anyio.Path",
))  # fmt: skip
_CLIENTS = frozenset((
    "requests.Session", "requests.session", "requests.sessions.Session", "httpx.Client", "httpx.AsyncClient",
    "aiohttp.ClientSession", "aiohttp.client.ClientSession", "urllib3.PoolManager", "urllib3.ProxyManager",
    "http.client.HTTPConnection", "http.client.HTTPSConnection",
))  # fmt: skip
_PATH_PARTS = frozenset((
    "parent", "joinpath", "resolve", "absolute", "expanduser", "with_suffix", "with_name", "with_stem", "relative_to",
    "readlink",
))  # fmt: skip
_SESSIONS = ("boto3.Session", "boto3.session.Session")
_SESSION, _CLIENT_OF_SESSION = "session", "boto3"
"""Of an object that makes the clients of a cloud service, and of those."""
_TEMPORARY = "tempfile."
_ITSELF = "itself"
"""Of a name that is asked about while it is looked into: `path = path / "x"` says nothing new."""
_MAX_DEPTH = 8
_MAX_BINDINGS = 5
_LONGEST = 400
"""Characters of a text that are looked at."""

MAX_FUNCTIONS = 20
"""Functions that are followed from one whose effects, or whose use of a name, are looked for."""

FunctionStatement = ast.FunctionDef | ast.AsyncFunctionDef


def own_name(node: ast.AST | None) -> str:
    """The name that a name or an attribute ends with; empty for another expression."""
    return str(getattr(node, "attr", getattr(node, "id", "")))


def as_written(node: ast.AST | None, depth: int = 0) -> str:
    """A name, its attributes and its entries under literal keys, as a text that tells one from another; else empty."""
    if isinstance(node, ast.Name):
        return node.id
    if depth > _MAX_DEPTH:
        return ""
    if isinstance(node, ast.Attribute):
        base, own = as_written(node.value, depth + 1), node.attr
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        base, own = as_written(node.value, depth + 1), str(node.slice.value)
    else:
        return ""
    return f"{base}.{own}" if base else ""


class Objects:
    """The objects that one function handles; `scope` is its own, in which parameters and local names hide others."""

    def __init__(
        self,
        function: Function,
        nodes: list[ast.AST],
        evaluator: Evaluator,
        returned: dict[ast.AST, str] | None = None,
    ) -> None:
        self._evaluator = evaluator
        self._returned = {} if returned is None else returned
        """By the code of functions: the kind of what they return."""
        self._made: dict[str, list[ast.expr]] = {}
        """What local names are bound to, by every statement that does so."""
        self._hints: dict[str, ast.expr] = {}
        self._kinds: dict[str, str] = {}
        self._temporary: dict[str, bool] = {}
        self.scope = scope = Scope(function.scope.module, function.scope)
        arguments = function.code.args
        for parameter in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            scope.names[parameter.arg] = Instance(None, None, None)
            if parameter.annotation is not None:
                self._hints[parameter.arg] = parameter.annotation
        if arguments.args and function.owner is not None and function.binding != "static":
            receiver = function.receiver or Instance(function.owner, None, None)
            scope.names[arguments.args[0].arg] = receiver
        self.in_memory = any(map(_makes_own_database, nodes))
        """Whether it makes a database that nobody else sees."""
        for node in nodes:
            for name, value in _bound(node):
                self._made.setdefault(name, []).append(value)
                scope.names.setdefault(name, Instance(None, None, None))
        for node in nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    first = alias.name.partition(".")[0]
                    scope.names[alias.asname or first] = External(alias.name if alias.asname else first)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                for alias in node.names:
                    scope.names[alias.asname or alias.name] = External(f"{node.module}.{alias.name}")

    def value(self, node: ast.expr, scope: Scope | None = None) -> Value | None:
        """What a name or an attribute of a name stands for; None for other expressions."""
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        return self._evaluator.evaluate(node, scope or self.scope) if isinstance(root, ast.Name) else None

    def kind(self, node: ast.expr, scope: Scope | None = None, depth: int = 0) -> str:
        """`PATH`, `CLIENT`, or empty for an object of another kind, or one that is not known."""
        scope = scope or self.scope
        if depth > _MAX_DEPTH:
            return ""
        depth += 1
        if isinstance(node, ast.Await):
            return self.kind(node.value, scope, depth)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            sides = self.kind(node.left, scope, depth), self.kind(node.right, scope, depth)
            return next((kind for kind in (PATH, _ITSELF) if kind in sides), "")
        if isinstance(node, ast.IfExp):
            first, second = self.kind(node.body, scope, depth), self.kind(node.orelse, scope, depth)
            return first if first == second else ""
        if isinstance(node, ast.Subscript):
            parents = node.value
            if not isinstance(parents, ast.Attribute) or parents.attr != "parents":
                return ""
            return self.kind(parents.value, scope, depth)
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr in _PATH_PARTS:
                kind = self.kind(node.func.value, scope, depth)
                return kind if kind in (PATH, _ITSELF) else ""
            made = self.value(node.func, scope)
            if isinstance(made, External):
                return _kind_of(made.path)
            if isinstance(made, Function):
                return self._kind_returned(made, depth)
            if isinstance(node.func, ast.Attribute) and node.func.attr in ("client", "resource"):
                return _CLIENT_OF_SESSION if self.kind(node.func.value, scope, depth) == _SESSION else ""
            return ""
        if isinstance(node, ast.Name) and scope is self.scope and (node.id in self._made or node.id in self._hints):
            if node.id not in self._kinds:
                self._kinds[node.id] = _ITSELF
                self._kinds[node.id] = self._local_kind(node.id, depth)
            return self._kinds[node.id]
        if isinstance(node, ast.Attribute) and node.attr == "parent" and self.kind(node.value, scope, depth) == PATH:
            return PATH
        return self._kind_of_value(self.value(node, scope), depth)

    def _local_kind(self, name: str, depth: int) -> str:
        kinds = {self.kind(value, self.scope, depth) for value in self._made.get(name, ())}
        hint = self._hints.get(name)
        if hint is not None:
            named = self.value(hint, self.scope.outer or self.scope)
            kinds.add(_kind_of(named.path) if isinstance(named, External) else "")
        kinds.discard(_ITSELF)
        return kinds.pop() if len(kinds) == 1 else ""

    def _kind_returned(self, function: Function, depth: int) -> str:
        """The kind of what a function of ours returns or, for `with`, yields: by its hint, else by what is returned."""
        code = function.code
        if code not in self._returned:
            self._returned[code] = _ITSELF
            hint = getattr(code, "returns", None)
            named = None if hint is None else self.value(hint, function.scope)
            kind = _kind_of(named.path) if isinstance(named, External) else ""
            if not kind and isinstance(code, FunctionStatement):
                nodes = list(ast.walk(code))
                objects = Objects(function, nodes, self._evaluator, self._returned)
                values = [node.value for node in nodes if isinstance(node, ast.Return | ast.Yield) and node.value]
                kinds = {objects.kind(value, None, depth) for value in values} - {_ITSELF}
                kind = kinds.pop() if len(kinds) == 1 else ""
            self._returned[code] = kind
        return self._returned[code]

    def _kind_of_value(self, value: Value | None, depth: int) -> str:
        if isinstance(value, Made):
            return _kind_of(value.path)
        if isinstance(value, Method) and value.name in _PATH_PARTS:
            return PATH if self._kind_of_value(value.receiver, depth) == PATH else ""
        if isinstance(value, Unknown) and value.module is not None and isinstance(value.node, ast.expr):
            return self.kind(value.node, value.module.scope, depth)
        return ""

    def made_once(self, name: str) -> ast.expr | None:
        """What a local name is bound to, if that is one thing."""
        made = self._made.get(name, ())
        return made[0] if len(made) == 1 else None

    def texts(self, node: ast.expr, depth: int = 0) -> Iterator[str]:
        """How the texts begin that an expression may be, as far as they are known; `{}` stands for what is not."""
        if depth > _MAX_DEPTH:
            return
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value[:_LONGEST]
        elif isinstance(node, ast.JoinedStr):
            parts = (str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values[:_LONGEST])
            yield "".join(parts)[:_LONGEST]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
            for text in self.texts(node.left, depth + 1):
                yield text if isinstance(node.op, ast.Mod) else text + "{}"
        elif isinstance(node, ast.Call):
            # `text("...")`, `"...".format(x)`, `textwrap.dedent("...")`.
            name = own_name(node.func)
            if name in ("text", "sql", "SQL", "dedent", "cleandoc") and node.args:
                yield from self.texts(node.args[0], depth + 1)
            elif name in ("format", "strip") and isinstance(node.func, ast.Attribute):
                yield from self.texts(node.func.value, depth + 1)
        elif isinstance(node, ast.Name) and node.id in self._made:
            for made in self._made[node.id][:_MAX_BINDINGS]:
                yield from self.texts(made, depth + _MAX_DEPTH // 2)
        elif isinstance(node, ast.Name | ast.Attribute):
            value = self.value(node)
            if isinstance(value, Literal) and isinstance(value.value, str):
                yield value.value[:_LONGEST]

    def is_temporary(self, node: ast.expr, depth: int = 0) -> bool:
        """Whether an expression is made of what `tempfile` gave: a file that nobody else sees."""
        names = [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]
        return depth <= _MAX_DEPTH and any(self._names_temporary(name, depth) for name in names)

    def _names_temporary(self, name: str, depth: int) -> bool:
        if name not in self._temporary:
            self._temporary[name] = False
            value = self._evaluator.resolve(self.scope.find(name) or Unknown(name))
            self._temporary[name] = (isinstance(value, External) and (value.path + ".").startswith(_TEMPORARY)) or any(
                self.is_temporary(made, depth + 1) for made in self._made.get(name, ())
            )
        return self._temporary[name]


def _makes_own_database(node: ast.AST) -> bool:
    """`sqlite3.connect(":memory:")`, `duckdb.connect()`"""
    if isinstance(node, ast.Constant):
        return node.value == ":memory:"
    if not isinstance(node, ast.Call) or node.args or not isinstance(node.func, ast.Attribute):
        return False
    return node.func.attr == "connect" and getattr(node.func.value, "id", "") == "duckdb"


def _kind_of(path: str) -> str:
    if path in _PATHS:
        return PATH
    if path in _CLIENTS:
        return CLIENT
    if path in _SESSIONS:
        return _SESSION
    of_service = (row for row in CLOUD_CLIENTS if path.startswith(row.package + ".") and path.endswith(row.endings))
    return next((row.package for row in of_service), "")


def _bound(node: ast.AST) -> list[tuple[str, ast.expr]]:
    """The names that a statement or an expression binds, each with what it is bound to."""
    if isinstance(node, ast.Assign):
        return [(target.id, node.value) for target in node.targets if isinstance(target, ast.Name)]
    if isinstance(node, ast.AnnAssign | ast.NamedExpr) and isinstance(node.target, ast.Name) and node.value is not None:
        return [(node.target.id, node.value)]
    if isinstance(node, ast.withitem) and isinstance(node.optional_vars, ast.Name):
        return [(node.optional_vars.id, node.context_expr)]
    return []
