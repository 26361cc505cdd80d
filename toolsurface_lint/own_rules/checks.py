"""Checks made of rules as data: which things each looks at, and the findings that it reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from toolsurface_lint.checks.contract import (
    APPROVAL_POLICY,
    CLIENT_FILE,
    DEFINITION,
    EVERY_CALL,
    EVERY_PROMPT,
    EVERY_RESULT,
    PERMISSIONS,
    POLICY,
    SURFACE,
    Check,
)
from toolsurface_lint.model.diagnostics import UNSAFE, Finding, Rule
from toolsurface_lint.model.transcript import UNREADABLE
from toolsurface_lint.own_rules import things
from toolsurface_lint.own_rules.fixes import rewriting_fix
from toolsurface_lint.own_rules.judging import Failure, failures, meets, read_field, unique_in
from toolsurface_lint.own_rules.language import PLACEHOLDER, TOOL, Condition, Definition
from toolsurface_lint.own_rules.pages import page
from toolsurface_lint.own_rules.patterns import TooMuch
from toolsurface_lint.own_rules.subjects import SUBJECTS, SubjectForm, Thing, field_of, pointer_path

if TYPE_CHECKING:
    from toolsurface_lint.source.tree import Place


def rule_of(definition: Definition) -> Rule:
    """What reports say of a rule."""
    return Rule(
        code=definition.code,
        severity=definition.severity,
        summary=definition.summary or definition.message,
        message=definition.message,
        since="",
        tags=definition.tags,
        fix=None if definition.fix is None else UNSAFE,
        help=definition.help,
        url=definition.url,
        page=page(definition),
    )


def checks_of(definitions: Iterable[Definition]) -> Iterator[Check]:
    """The checks of rules, in their order."""
    for definition in definitions:
        yield from Judge(definition).checks()


class Judge:
    """One rule at work; `seen` counts the things that it has looked at, `met` those among them that meet its `where`."""

    def __init__(self, definition: Definition) -> None:
        self.rule = rule_of(definition)
        self.seen = self.met = 0
        self._remembered: dict[tuple[Any, ...], tuple[Any, ...]] = {}
        self._named: dict[str, Condition] = {}
        self._definition = definition
        self._form = SUBJECTS[definition.subject]
        self._unique = [condition for condition in definition.asserts if unique_in(condition)]

    def checks(self) -> Iterator[Check]:
        """The checks that the rule is made of, one for each subject of the contract."""
        for subject, run in self._looks():
            yield Check(subject, (self.rule,), run)

    def _looks(self) -> Iterator[tuple[str, Callable[..., Iterator[Finding]]]]:
        subject = self._definition.subject
        if subject in ("tool", "parameter"):
            of_tool = things.tool_things if subject == "tool" else things.parameter_things
            if is_wide(self._definition):
                yield (
                    SURFACE.name,
                    lambda surface: self._all([thing for tool in surface.tools for thing in of_tool(tool, surface)]),
                )
            else:
                yield DEFINITION.name, lambda tool, target: self._all(of_tool(tool, None))
        for contract, make in _THINGS.get(subject, ()):
            yield contract, partial(self._made, make)

    def _made(self, make: Callable[..., Iterable[Thing]], *arguments: Any) -> Iterator[Finding]:
        return self._all(make(*arguments))

    def _all(self, found: Iterable[Thing]) -> Iterator[Finding]:
        looked_at: list[Thing] = []
        for thing in found:
            self.seen += 1
            try:
                if not all(self._meets(thing, condition) for condition in self._definition.where):
                    continue
                self.met += 1
                if self._unique:
                    looked_at.append(thing)
                for condition in self._definition.asserts:
                    for failure in self._failures(thing, condition):
                        yield self._finding(thing, condition, failure)
            except TooMuch as reason:
                yield self._undecided(thing, reason)
        for condition in self._unique:
            yield from self._repeated(looked_at, condition)

    def _meets(self, thing: Thing, condition: Condition) -> bool:
        if not condition.relation:
            return meets(thing, condition, self._form)
        return bool(self._of_related(thing, condition, lambda: meets(thing, condition, self._form)))

    def _failures(self, thing: Thing, condition: Condition) -> Iterable[Failure]:
        if not condition.relation:
            return failures(thing, condition, self._form)
        # All of them would be at one place.
        found: Failure | None = self._of_related(
            thing, condition, lambda: next(iter(failures(thing, condition, self._form)), None)
        )
        return () if found is None else (found._replace(place=thing.place),)

    def _of_related(self, thing: Thing, condition: Condition, find: Callable[[], Any]) -> Any:
        """What is found out about the tool or the surface of a thing: once for all things that share it."""
        shared = thing.tool if condition.relation == TOOL else thing.surface
        # Neither `id` can be another object's as long as both are kept.
        key = (condition.named, id(condition), id(shared), id(thing.surface))
        if key not in self._remembered:
            if len(self._remembered) >= _REMEMBERED:
                self._remembered.clear()
            self._remembered[key] = find(), shared, thing.surface
        return self._remembered[key][0]

    def _repeated(self, looked_at: Sequence[Thing], condition: Condition) -> Iterator[Finding]:
        """The things whose single value another one of the same list has."""
        first: dict[tuple[Any, ...], Place] = {}
        for thing in looked_at:
            value, place, _ = read_field(thing, condition, self._form)[0]
            if isinstance(value, str | int | float):
                before = first.setdefault((*things.list_of(thing), isinstance(value, bool), value), place)
                if before is not place:
                    yield self._finding(thing, condition, Failure(value, place, "is not the only one", other=before))

    def _finding(self, thing: Thing, condition: Condition, failure: Failure) -> Finding:
        values = {"value": failure.value, "match": failure.match, "problem": failure.problem}
        named: list[str] = []

        def filled(placeholder: Any) -> str:
            name = placeholder[1]
            if name is None:
                return str(placeholder[0][0])
            value = values[name] if name in values else self._value(thing, name)
            if isinstance(value, str):
                named.append(f"{name}={value}")
            return shown(value)

        message = PLACEHOLDER.sub(filled, self._definition.message)
        help = PLACEHOLDER.sub(filled, self._definition.help) or None
        return Finding(
            self.rule,
            failure.place,
            message,
            None if thing.tool is None else thing.tool.name,
            condition.named,
            () if failure.other is None else ((_OTHERS.get(condition.relation, "the same is here"), failure.other),),
            help,
            rewriting_fix(self._definition, failure, None if thing.tool is None else thing.tool.name_place),
            tuple(named),
        )

    def _undecided(self, thing: Thing, reason: TooMuch) -> Finding:
        message = f"`{self.rule.code}` is not decided here: {reason}"
        return Finding(self.rule, thing.place, message)

    def _value(self, thing: Thing, name: str) -> Any:
        condition = self._named.setdefault(name, named_field(name))
        if not condition.relation:
            return read_field(thing, condition, self._form)[0].value
        return self._of_related(thing, condition, lambda: read_field(thing, condition, self._form)[0].value)


def is_wide(definition: Definition) -> bool:
    """Whether a rule about definitions cannot be decided without the surface that they are in."""
    form = SUBJECTS[definition.subject]
    conditions = (*definition.where, *definition.asserts)
    named = [found[1] for found in PLACEHOLDER.finditer(definition.message + definition.help) if found[1]]
    fields = [(condition.relation, condition.field) for condition in (*conditions, *map(named_field, named))]
    if any(relation == "surface" or _is_wide_field(form, relation, name) for relation, name in fields):
        return True
    return any(test.name in ("unique", "defined") for condition in conditions for test in condition.tests)


def _is_wide_field(form: SubjectForm, relation: str, name: str) -> bool:
    field = field_of(form, relation, name)
    return field is not None and field.wide


def named_field(name: str) -> Condition:
    """What a message names: a condition that asks nothing of a field, or of what a pointer leads to."""
    if name.startswith("/"):
        return Condition(name, (), "", pointer_path(name))
    relation, _, field = name.rpartition(".")
    return Condition(field, (), relation)


_REMEMBERED = 512
_OTHERS = {"tool": "the tool is declared here", "surface": "the surface begins here"}
_SHOWN = 80
_ITEMS = 10


def shown(value: Any) -> str:
    """A value in a message: on one line, and not long."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        items = [shown(item) for item in value[:_ITEMS]]
        return ", ".join(items) + (", …" if len(value) > _ITEMS else "")
    if isinstance(value, dict):
        return "an object"
    text = " ".join(str(value)[: 4 * _SHOWN].split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _every_call(call: Any, tool: Any, surface: Any) -> Iterator[Thing]:
    node = None if call.value is UNREADABLE else call.arguments_node
    yield Thing(call, call.place, node, tool, surface)


def _every_result(call: Any, result: Any, tool: Any, surface: Any) -> Iterator[Thing]:
    node = result.served if result.served is not None else result.tree.at(result.path)
    yield Thing(result, result.place, node, tool, surface)


_THINGS: dict[str, tuple[tuple[str, Callable[..., Iterable[Thing]]], ...]] = {
    "call": ((EVERY_CALL.name, _every_call),),
    "result": ((EVERY_RESULT.name, _every_result),),
    "prompt": ((EVERY_PROMPT.name, things.prompt_things),),
    "reference": ((EVERY_PROMPT.name, things.reference_things),),
    "policy-entry": ((POLICY.name, things.policy_things), (APPROVAL_POLICY.name, things.approval_things)),
    "permission": ((PERMISSIONS.name, things.permission_things),),
    "client-file": ((CLIENT_FILE.name, things.file_things),),
    "surface": ((SURFACE.name, things.surface_things),),
}
