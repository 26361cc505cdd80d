"""Which tools a piece of code does something for when it is given the name of the one that is called.

The code is followed as for a name that it does not know: a comparison with such a name is false, a dict has no entry for
it. Where that ends in an error on every way, and nothing else is done with the name, the code is *closed*: whatever it
names nowhere fails. What is done with a name that is not understood (a prefix is tested, the name is handed on to what is
not in the files read) leaves it open.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.operations import plain
from toolsurface_lint.programs.python.answers import MAX_NAMES, blocks_with_calls
from toolsurface_lint.programs.python.objects import MAX_FUNCTIONS, FunctionStatement, Objects, as_written, own_name
from toolsurface_lint.programs.python.refusals import LOGS, catches, quoted_in, refuses, says_error
from toolsurface_lint.programs.values import Function, Items, Literal, Mapping, Module, Scope, Value
from toolsurface_lint.source.program_tree import Located

NODES_OF_A_STEP, CHARACTERS_OF_A_STEP = 10, 1_000
_MAX_BLOCKS = 20
_MAX_COLLECTIONS = 50
"""Collections that the name is looked up in, in one function."""
_MAX_DEPTH = 6
_MAX_NESTING = 60

_CHANGES = (
    r"\b{}\b\s{{0,5}}(?:\[[^\]\n]{{0,200}}\]\s{{0,5}}=(?!=)|\|=|\+="
    r"|\.(?:update|setdefault|append|add|extend|pop|insert|remove|clear|discard)\b)"
)
"""What adds to a collection of this name later."""


class SeenName(NamedTuple):
    """A name that is handled, where it is written."""

    name: str
    module: Module
    node: Located


class Branch:
    """Code of a function that is run for some names only; `names` are the expressions that are the name there."""

    def __init__(self, function: Function, body: Sequence[ast.AST], objects: Objects, names: frozenset[str]) -> None:
        self.function = function
        self.body = body
        self.objects = objects
        self.names = names


class SeenDispatch(NamedTuple):
    """What some code handles, by name; `closed` if any other name is refused. `at` is where the code begins.

    `runs` are the functions and the parts of functions that are run for each name, as far as they are known.
    """

    names: dict[str, SeenName]
    runs: dict[str, list[Function | Branch]]
    closed: bool
    module: Module
    at: Located


def dispatches_of(function: Function, position: int, attribute: str, evaluator: Evaluator) -> list[SeenDispatch]:
    """What a function handles that is given the name as its parameter at a position, or as an attribute of that one.

    A list of one; empty if that is not known: it takes no such parameter, or changes the name before it compares it.
    """
    parameters = _positional(function) if isinstance(function.code, FunctionStatement) else []
    if position >= len(parameters):
        return []
    reader = _Reader(evaluator)
    name = parameters[position]
    reader.follow(function, frozenset((f"{name}.{attribute}" if attribute else name,)))
    return reader.found(function.scope.module, function.name_place)


def dispatches_of_calls(module: Module, evaluator: Evaluator) -> list[SeenDispatch]:
    """What the code of a file handles of the calls in a model's answers: `tool_call.function.name`, `block.name`."""
    found: list[SeenDispatch] = []
    for block in islice(blocks_with_calls(module.parse() or ()), _MAX_BLOCKS):
        reader = _Reader(evaluator)
        reader.follow_block(block.statements, block.names, block.function, module)
        found += reader.found(module, block.statements[0])
    return found


_DECORATORS = ("staticmethod", "classmethod", "call_tool")


def _called(node: ast.expr) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node


def _positional(function: Function) -> list[str]:
    """The parameters that callers give by position."""
    arguments = function.code.args
    names = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
    is_bound = function.owner is not None and function.binding != "static"
    return names[1:] if is_bound else names


class _Code:
    """One function, or the statements of a file, that is followed."""

    def __init__(
        self, names: Iterable[str], scope: Scope, objects: Objects | None, function: Function | None = None
    ) -> None:
        self.function = function
        """None for the statements of a file."""
        self.names = set(names)
        """The expressions that are the name of the tool, as they are written."""
        self.missing: set[str] = set()
        """The local names that are None for a name that is not known: `handler = HANDLERS.get(name)`."""
        self.collections: dict[str, bool] = {}
        """The collections that were looked at, as they are written, and whether what they hold is known."""
        self.scope = scope
        self.objects = objects
        self.ends_clean = False
        """Whether it may end without having refused the name."""


class _Reader:
    """Follows functions for one dispatch."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self.names: dict[str, SeenName] = {}
        self.runs: dict[str, list[Function | Branch]] = {}
        self.open = False
        """Whether something may be done with a name that is not among them."""
        self.unsure = False
        """Whether not even what is among them is certain."""
        self._refuses = False
        """Whether the code refuses a name that is not known on every way."""
        self._ends = False
        """Whether the expression that is looked at raises an exception for such a name."""
        self._jumped: set[bool] = set()
        """The states in which the loop that is followed is left, or its next turn begins."""
        self._caught: str | None = None
        """In the handler of an exception: the name of that, or nothing."""
        self._done: set[ast.AST] = set()
        self._changed: dict[tuple[str, Module], bool] = {}
        """By the name of a collection and the file, whether something there may add to it."""
        self._nesting = 0
        self.code: _Code

    def found(self, module: Module, at: Located) -> list[SeenDispatch]:
        """What was found out, if anything."""
        if self.unsure or not self.names:
            return []
        return [SeenDispatch(self.names, self.runs, self._refuses and not self.open, module, at)]

    def follow(self, function: Function, names: frozenset[str]) -> bool:
        """Follow a function that is given the name; whether it refuses one that it does not know on every way."""
        code = function.code
        if code in self._done or len(self._done) >= MAX_FUNCTIONS or not isinstance(code, FunctionStatement):
            self.open = True
            return False
        self._done.add(code)
        if any(own_name(each) not in _DECORATORS for each in map(_called, code.decorator_list)):
            # It may be given other names, or none.
            self.open = True
        nodes = list(ast.walk(code))
        self._evaluator.spend(len(nodes) // NODES_OF_A_STEP)
        objects = Objects(function, nodes, self._evaluator)
        return self._follow(code.body, nodes, _Code(names, objects.scope, objects, function))

    def follow_block(
        self, statements: Sequence[ast.stmt], names: Iterable[str], function: FunctionStatement | None, module: Module
    ) -> None:
        """Follow statements of a function, or of a file, in which expressions are the name."""
        nodes = [node for statement in statements for node in ast.walk(statement)]
        self._evaluator.spend(len(nodes) // NODES_OF_A_STEP)
        objects = made = None
        scope = module.scope
        if function is not None:
            # Whatever encloses the function hides nothing that matters here.
            made = Function(function, function.name, module.scope)
            objects = Objects(made, list(ast.walk(function)), self._evaluator)
            scope = objects.scope
        self._follow(statements, nodes, _Code(names, scope, objects, made))

    def _follow(self, statements: Sequence[ast.stmt], nodes: list[ast.AST], code: _Code) -> bool:
        outer = getattr(self, "code", code)
        jumped, caught = self._jumped, self._caught
        self.code, self._jumped, self._caught = code, set(), None
        clean = False in self._block(statements, {False}) | self._jumped
        self._collect(nodes)
        self.code, self._jumped, self._caught = outer, jumped, caught
        self._refuses = not (clean or code.ends_clean)
        return self._refuses

    # What is handled

    def _collect(self, nodes: list[ast.AST]) -> None:
        """Take note of the names that the name is compared with, wherever that is, and of what is run for them."""
        for node in nodes:
            if isinstance(node, ast.If | ast.IfExp):
                self._runs(self._names_in(node.test), node.body if isinstance(node, ast.If) else [node.body])
            if isinstance(node, ast.Compare) and len(node.ops) == 1:
                left, right = node.left, node.comparators[0]
                if self._is_name(right):
                    left, right = right, left
                if self._is_name(left):
                    self._note(right, isinstance(node.ops[0], ast.In | ast.NotIn))
            elif isinstance(node, ast.Match) and self._is_name(node.subject):
                for case in node.cases:
                    values = [part.value for part in ast.walk(case.pattern) if isinstance(part, ast.MatchValue)]
                    for value in values:
                        self._note(value, False)
                    self._runs([text for value in values for text, _ in self._text(value) or ()], case.body)

    def _names_in(self, test: ast.expr) -> list[str]:
        """The names of which the name is one where a condition holds; empty if they are not known."""
        if isinstance(test, ast.BoolOp):
            parts = [self._names_in(value) for value in test.values]
            if isinstance(test.op, ast.And):
                return next(filter(None, parts), [])
            return [name for part in parts for name in part] if all(parts) else []
        if not isinstance(test, ast.Compare) or len(test.ops) != 1:
            return []
        left, right = test.left, test.comparators[0]
        if self._is_name(right):
            left, right = right, left
        if not self._is_name(left):
            return []
        if isinstance(test.ops[0], ast.Eq):
            values = [right]
        elif isinstance(test.ops[0], ast.In) and isinstance(right, ast.Tuple | ast.List | ast.Set):
            values = right.elts
        else:
            return []
        texts = [self._text(value) for value in values]
        return [] if None in texts else [name for found in texts for name, _ in found or ()]

    def _runs(self, names: list[str], body: Sequence[ast.AST]) -> None:
        """Take note of code that is run for some names: of several, only if it does not tell them apart itself."""
        function, objects = self.code.function, self.code.objects
        if not names or function is None or objects is None:
            return
        if len(names) == 1 or not any(self._is_name(node) for part in body for node in ast.walk(part)):
            branch = Branch(function, body, objects, frozenset(self.code.names))
            for name in names:
                self.runs.setdefault(name, []).append(branch)

    def _note(self, node: ast.expr, several: bool) -> bool:
        """Take note of a name, or of all in a collection; whether they are known."""
        node = _unwrapped(node) if several else node
        written = as_written(node) if several else ""
        if written in self.code.collections:
            return self.code.collections[written]
        if several and len(self.code.collections) >= _MAX_COLLECTIONS:
            return False
        found = self._keys(node) if several else self._text(node)
        for name, value in found or ():
            if value.module is not None and value.node is not None:
                self.names.setdefault(name, SeenName(name, value.module, value.node))
        if written:
            self.code.collections[written] = found is not None
        return found is not None

    def _text(self, node: ast.expr) -> list[tuple[str, Value]] | None:
        """The text that an expression is, as a list of one; empty for None and the like, None if it is not known."""
        if isinstance(node, ast.Constant):
            value = Literal(node.value, self.code.scope.module, node)
            return [(node.value, value)] if isinstance(node.value, str) else []
        if not isinstance(node, ast.Name | ast.Attribute):
            return None
        made = self._made(node)
        if isinstance(made, ast.Constant):
            return self._text(made)
        found = None if made is not None else self._value(node)
        text = plain(found)
        # The place is where the code names it, whatever constant holds the text.
        return [(text, Literal(text, self.code.scope.module, node))] if isinstance(text, str) else None

    def _keys(self, node: ast.expr, depth: int = 0) -> list[tuple[str, Value]] | None:
        """The texts in a collection, or the keys of a dict; None if they are not known."""
        if depth > _MAX_DEPTH:
            return None
        node = _unwrapped(node)
        if isinstance(node, ast.Dict | ast.List | ast.Tuple | ast.Set):
            parts = [self._text(part) if part is not None else None for part in _members(node)]
            if isinstance(node, ast.Dict):
                for texts, given in zip(parts, node.values, strict=True):
                    if isinstance(given, ast.Name | ast.Attribute | ast.Lambda):
                        self._handles(texts or (), self._evaluator.evaluate(given, self.code.scope))
            return None if None in parts else [each for part in parts for each in part or ()]
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr | ast.Add):
            sides = self._keys(node.left, depth + 1), self._keys(node.right, depth + 1)
            return None if None in sides else [each for side in sides for each in side or ()]
        if not isinstance(node, ast.Name | ast.Attribute):
            return None
        own = node.id if isinstance(node, ast.Name) else node.attr
        value: Value | None = None
        made = self._made(node)
        if made is None:
            value = self._value(node)
        home = self.code.scope.module if value is None or value.module is None else value.module
        if any(self._changes(own, module) for module in (home, self.code.scope.module)):
            return None
        if made is not None:
            return self._keys(made, depth + 1)
        if isinstance(value, Mapping) and value.complete:
            held: Iterable[Value] = (entry.key for entry in value.entries.values())
            for entry in value.entries.values():
                self._handles([(plain(entry.key), entry.key)], entry.value)
        elif isinstance(value, Items) and value.complete:
            held = value.items
        else:
            return None
        texts = [(plain(each), each) for each in held]
        return [(text, each) for text, each in texts] if all(isinstance(text, str) for text, _ in texts) else None

    def _handles(self, texts: Iterable[tuple[object, Value]], value: Value) -> None:
        """Take note of what is in a dict under a name, if that is a function."""
        value = self._evaluator.resolve(value)
        for text, _ in texts:
            if isinstance(value, Function) and isinstance(text, str):
                self.runs.setdefault(text, []).append(value)

    def _changes(self, name: str, module: Module) -> bool:
        """Whether something in a file may add to a collection of a name."""
        if (name, module) not in self._changed:
            self._evaluator.spend(len(module.source.text) // CHARACTERS_OF_A_STEP)
            found = re.search(_CHANGES.format(re.escape(name)), module.source.text)
            self._changed[name, module] = found is not None
        return self._changed[name, module]

    def _made(self, node: ast.expr) -> ast.expr | None:
        """What a local name is bound to, if that is one thing."""
        return self.code.objects.made_once(node.id) if self.code.objects and isinstance(node, ast.Name) else None

    def _value(self, node: ast.expr) -> Value | None:
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        return self._evaluator.evaluate(node, self.code.scope) if isinstance(root, ast.Name) else None

    def _is_name(self, node: ast.AST) -> bool:
        written = as_written(node)
        return written != "" and written in self.code.names

    # What happens to a name that is not known: the states say whether it has been refused on the way

    def _block(self, statements: Sequence[ast.stmt], states: set[bool]) -> set[bool]:
        self._nesting += 1
        if self._nesting > _MAX_NESTING:
            self.open = True
            statements = ()
        for statement in statements:
            if not states:
                break
            states = self._statement(statement, states)
        self._nesting -= 1
        return states

    def _statement(self, node: ast.stmt, states: set[bool]) -> set[bool]:
        self._ends = False
        if isinstance(node, ast.If):
            return self._if(node, states)
        if isinstance(node, ast.Match):
            return self._match(node, states)
        if isinstance(node, ast.For | ast.AsyncFor | ast.While):
            self._look(node.test if isinstance(node, ast.While) else node.iter)
            if not isinstance(node, ast.While):
                self._rebind(node.target)
            outer, self._jumped = self._jumped, set()
            states = states | self._block(node.body, set(states)) | self._jumped
            self._jumped = outer
            return self._block(node.orelse, states)
        if isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                self._look(item.context_expr)
                self._rebind(item.optional_vars)
            self.open = self.open or catches(node)
            return self._block(node.body, states)
        if isinstance(node, ast.Try | ast.TryStar):
            return self._try(node, states)
        if isinstance(node, ast.Return):
            return self._return(node.value, states)
        if isinstance(node, ast.Raise):
            return set()
        if isinstance(node, ast.Break | ast.Continue):
            self._jumped |= states
            return set()
        if isinstance(node, ast.Assert):
            return set() if self._test(node.test) is False else states
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            self._look_inside(node)
            return states
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr) and node.value is not None:
            return self._bind(node, node.value, states)
        return states

    def _if(self, node: ast.If, states: set[bool]) -> set[bool]:
        ends: set[bool] = set()
        while True:
            known = self._test(node.test)
            if known is not False:
                ends |= self._block(node.body, set(states))
            if known is True:
                return ends
            if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
                return ends | self._block(node.orelse, set(states))
            # One `elif` after the other: there may be hundreds.
            node = node.orelse[0]

    def _match(self, node: ast.Match, states: set[bool]) -> set[bool]:
        if not self._is_name(node.subject):
            self._look(node.subject)
            return states.union(*(self._block(case.body, set(states)) for case in node.cases))
        found: set[bool] = set()
        for case in node.cases:
            patterns = case.pattern.patterns if isinstance(case.pattern, ast.MatchOr) else [case.pattern]
            if any(isinstance(pattern, ast.MatchAs) and pattern.pattern is None for pattern in patterns):
                if case.guard is None:
                    return found | self._block(case.body, set(states))
                self._look(case.guard)
                self.open = True
            elif not all(isinstance(each, ast.MatchValue) and self._note(each.value, False) for each in patterns):
                self.open = True
        return found | states

    def _try(self, node: ast.Try | ast.TryStar, states: set[bool]) -> set[bool]:
        ends = self._block(node.orelse, self._block(node.body, set(states)))
        for handler in node.handlers:
            outer, self._caught = self._caught, handler.name or ""
            ends = ends | self._block(handler.body, {False})
            self._caught = outer
        # Where all ways end, it is on each of them.
        after = self._block(node.finalbody, ends or {False})
        return after if ends else set()

    def _return(self, value: ast.expr | None, states: set[bool]) -> set[bool]:
        refused = value is not None and (self._look(value) or self._ends or says_error(value, self._caught))
        if False in states and not refused:
            self.code.ends_clean = True
        return set()

    def _bind(self, node: ast.stmt, value: ast.expr, states: set[bool]) -> set[bool]:
        """An expression, and what is assigned."""
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign | ast.AugAssign):
            targets = [node.target]
        pairs = [(target, value) for target in targets]
        if len(targets) == 1 and isinstance(targets[0], ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = list(zip(targets[0].elts, value.elts, strict=False))
        ended = not pairs and self._look(value)
        for target, given in pairs:
            own = as_written(target)
            if self._is_name(given) and isinstance(target, ast.Name) and not isinstance(node, ast.AugAssign):
                self.code.names.add(own)
                self.unsure = self.unsure or len(self.code.names) > MAX_NAMES
                continue
            self._rebind(target)
            self.code.missing.discard(own)
            found = self._lookup(given)
            if found is None:
                ended = self._look(given) or ended
            elif own:
                self.code.missing.add(own)
        if self._ends:
            return set()
        return {True} if ended or says_error(value, self._caught) else states

    def _rebind(self, target: ast.expr | None) -> None:
        """Something is assigned: if that is the name, it becomes another one, and what it is compared with is not known."""
        if target is not None and not self.code.names.isdisjoint(map(as_written, ast.walk(target))):
            self.unsure = True

    def _lookup(self, node: ast.expr) -> ast.expr | None:
        """The dict in `HANDLERS.get(name)`, all of whose keys are known; None for another expression."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "get":
            return None
        default = node.args[1] if len(node.args) == 2 else None
        plain_default = default is None or (isinstance(default, ast.Constant) and default.value is None)
        if not node.args or not self._is_name(node.args[0]) or not plain_default or node.keywords:
            return None
        return node.func.value if self._note(node.func.value, True) else None

    def _test(self, node: ast.expr) -> bool | None:
        """What a condition is for a name that is not known; None if that hangs on something else."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            known = self._test(node.operand)
            return None if known is None else not known
        if isinstance(node, ast.BoolOp):
            decides = isinstance(node.op, ast.Or)
            found = []
            for value in node.values:
                found.append(self._test(value))
                if found[-1] is decides:
                    return decides
            return None if None in found else not decides
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self._compare(node, node.ops[0], node.left, node.comparators[0])
        if isinstance(node, ast.NamedExpr) and self._lookup(node.value) is not None:
            self.code.missing.add(node.target.id)
            return False
        if self._lookup(node) is not None or as_written(node) in self.code.missing:
            return False
        if self._is_name(node):
            return True
        self._look(node)
        return None

    def _compare(self, node: ast.Compare, operator: ast.cmpop, left: ast.expr, right: ast.expr) -> bool | None:
        negated = isinstance(operator, ast.NotEq | ast.NotIn | ast.IsNot)
        if isinstance(left, ast.NamedExpr) and self._lookup(left.value) is not None:
            self.code.missing.add(left.target.id)
            left = left.target
        if isinstance(right, ast.Constant) and right.value is None and as_written(left) in self.code.missing:
            return not negated
        if self._is_name(right) and isinstance(operator, ast.Eq | ast.NotEq):
            left, right = right, left
        if self._is_name(left):
            several = isinstance(operator, ast.In | ast.NotIn)
            if several or isinstance(operator, ast.Eq | ast.NotEq | ast.Is | ast.IsNot):
                if self._note(right, several):
                    return negated
                self.open = True
                return None
        self._look(node)
        return None

    def _look_inside(self, node: ast.AST) -> None:
        """A function or a class in the code: if it uses the name, it may do anything with it."""
        if any(self._is_name(part) for part in ast.walk(node)):
            self.open = True

    def _look(self, node: ast.AST) -> bool:
        """Look at what an expression does with the name; whether a call in it refuses one that is not known."""
        self._nesting += 1
        refuses = self._nesting <= _MAX_NESTING and self._looked(node)
        self.open = self.open or self._nesting > _MAX_NESTING
        self._nesting -= 1
        return refuses

    def _looked(self, node: ast.AST) -> bool:
        if self._is_name(node):
            self.open = True
            return False
        if isinstance(node, ast.Compare | ast.BoolOp):
            # What comes after the first part need not be evaluated.
            ends = self._ends
            self._parts(node)
            self._ends = ends
            return False
        if isinstance(node, ast.IfExp):
            known = self._test(node.test)
            ways = [node.body] if known is not False else []
            ways += [node.orelse] if known is not True else []
            return all([self._look(way) or refuses(way) for way in ways])  # noqa: C419, each way is looked at
        if isinstance(node, ast.Lambda):
            self._look_inside(node)
            return False
        if isinstance(node, ast.NamedExpr):
            self._rebind(node.target)
        if isinstance(node, ast.Subscript) and self._is_name(node.slice):
            if self._note(node.value, True):
                self._ends = True
                return True
            self.open = True
            return False
        if quoted_in(node):
            return self._look_aside(node)
        if isinstance(node, ast.Dict) and (self._caught is not None or refuses(node)):
            # The report of an error.
            return self._look_aside(node)
        if isinstance(node, ast.Await):
            return self._look(node.value)
        if isinstance(node, ast.Call):
            return self._call(node)
        return self._parts(node)

    def _look_aside(self, node: ast.AST) -> bool:
        """Look at what is only written down: the name may be in it, but what gives it may do anything."""
        parts = quoted_in(node)
        if parts or isinstance(
            node, ast.Dict | ast.List | ast.Tuple | ast.keyword | ast.JoinedStr | ast.FormattedValue
        ):
            return any([self._look_aside(part) for part in parts or ast.iter_child_nodes(node)])  # noqa: C419, as above
        return not self._is_name(node) and self._look(node)

    def _parts(self, node: ast.AST) -> bool:
        refuses = False
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and self._is_name(node.left):
            self._compare(node, node.ops[0], node.left, node.comparators[0])
        else:
            for part in ast.iter_child_nodes(node):
                refuses = self._look(part) or refuses
        return refuses

    def _call(self, node: ast.Call) -> bool:
        if own_name(node.func) in LOGS:
            return any([self._look_aside(part) for part in ast.iter_child_nodes(node)])  # noqa: C419, all are looked at
        if isinstance(node.func, ast.Subscript) and self._look(node.func) and self._ends:
            return True
        if as_written(node.func) in self.code.missing:
            # `handler(**arguments)` where there is none.
            self._ends = True
            return True
        given: list[tuple[int | str, ast.expr]] = [*enumerate(node.args)]
        given += [(each.arg or len(node.args), each.value) for each in node.keywords]
        passed = [(at, rest) for at, each in given for rest in self._rests(each)]
        if passed:
            value = self._value(node.func)
            replaced = isinstance(value, Function) and value.owner is not None and value.name in value.owner.replaced
            starred = any(isinstance(each, ast.Starred) for each in node.args)
            if isinstance(value, Function) and not (replaced or starred):
                parameters = dict[int | str, str](enumerate(_positional(value)))
                names = [(at if isinstance(at, str) else parameters.get(at, ""), rest) for at, rest in passed]
                if all(name for name, _ in names):
                    refuses = self._refuses
                    found = self.follow(value, frozenset(name + rest for name, rest in names))
                    self._refuses = refuses
                    return found
            self.open = True
            return False
        return self._parts(node)

    def _rests(self, node: ast.expr) -> list[str]:
        """What has to be added to an expression for it to be the name: nothing to the name, an attribute to what has it."""
        written = as_written(node)
        if not written:
            return []
        return [name[len(written) :] for name in self.code.names if name == written or name.startswith(f"{written}.")]


_COLLECTIONS = ("set", "frozenset", "list", "tuple")


def _unwrapped(node: ast.expr) -> ast.expr:
    """The collection in `set(HANDLERS.keys())`."""
    for _ in range(_MAX_DEPTH):
        if not isinstance(node, ast.Call):
            break
        if isinstance(node.func, ast.Attribute) and node.func.attr == "keys":
            node = node.func.value
        elif isinstance(node.func, ast.Name) and node.func.id in _COLLECTIONS and len(node.args) == 1:
            node = node.args[0]
        else:
            break
    return node


def _members(node: ast.Dict | ast.List | ast.Tuple | ast.Set) -> Sequence[ast.expr | None]:
    return node.keys if isinstance(node, ast.Dict) else node.elts
