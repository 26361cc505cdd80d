"""The rules: one folder a family, one file a rule (or the few that share one walk).

What a file declares is in `contract`; what is known of all of them without importing any, in `index`. Where a file lies
means nothing.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module

from toolsurface_lint.checks import contract
from toolsurface_lint.checks.contract import CRASH, Check, Indexed, P, R, Subject, declared
from toolsurface_lint.checks.index import RULES
from toolsurface_lint.model.diagnostics import INTERNAL_ERROR, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.source.crashes import crash
from toolsurface_lint.source.modules import WrongDeclaration, names_in
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.shared import Shared
from toolsurface_lint.source.tree import Place

HARN_CODES = tuple(sorted((code for code, rule in RULES.items() if rule.harn), key=lambda code: RULES[code].harn))
"""The codes of the Harn specification, in the order in which it reports them about one thing."""

_MOST_CONTENTS = 10_000
"""Contents of which it is remembered what was said of them."""

STALE = "toolsurface_lint/checks/index.py is not what the rules declare: run `python -m tests.regenerate`"


Said = list[tuple[Target, Shared[Hashable]]]
"""What the same checks have said of contents, by the target that these are meant for."""


class Checks:
    """The checks of the enabled rules: imported when there is something to look at, and run so that a crash is a finding."""

    def __init__(
        self, enabled: Callable[[Indexed | Rule], bool], others: Sequence[Check] = (), said: Said | None = None
    ) -> None:
        """`others` are checks of rules that are not built in; `said` is what is known already, to be added to."""
        self.enabled = {code for code, rule in RULES.items() if code == INTERNAL_ERROR or enabled(rule)}
        self._others = others
        for check in others:
            self.enabled.update(rule.code for rule in check.rules if enabled(rule))
        self._of: dict[str, list[Check]] = {}
        self.asked: dict[str, int] = defaultdict(int)
        """How many things of each subject were looked at, by its name; one in several surfaces counts in each."""
        self._said: Said = [] if said is None else said

    def of(self, subject: Subject[P, R]) -> Sequence[Check]:
        """The checks of a subject: those of Harn's rules in its order, then the others by code."""
        found = self._of.get(subject.name)
        if found is None:
            modules = {
                rule.module for rule in RULES.values() if subject.name in rule.subjects and rule.code in self.enabled
            }
            found = [check for module in modules for check in _load(module) if self._is_asked(check, subject.name)]
            found.sort(key=_order)
            found.extend(check for check in self._others if self._is_asked(check, subject.name))
            self._of[subject.name] = found
        return found

    def said_of(self, target: Target) -> Shared[Hashable] | None:
        """What they have said of contents that are meant for a target, to be asked and added to.

        None if more than the content may decide what they say: rules that are not built in may ask for its file.
        """
        if self._others:
            return None
        for known, said in self._said:
            if known is target or known == target:
                return said
        self._said.append((target, Shared(_MOST_CONTENTS)))
        return self._said[-1][1]

    def _is_asked(self, check: Check, subject: str) -> bool:
        return check.subject == subject and any(rule.code in self.enabled for rule in check.rules)

    def rules(self) -> tuple[Rule, ...]:
        """The enabled rules, by code; their modules are imported."""
        others = {rule.code: rule for check in self._others for rule in check.rules}
        found = {rule.code: rule for rule in all_rules()} | others
        return tuple(rule for code, rule in sorted(found.items()) if code in self.enabled)

    @property
    def codes(self) -> frozenset[str]:
        """The codes of all rules that there are, enabled or not."""
        return frozenset((*RULES, *(rule.code for check in self._others for rule in check.rules)))

    def run(
        self, subject: Subject[P, Iterable[Finding]], place: Place, *arguments: P.args, **named: P.kwargs
    ) -> Iterator[Finding]:
        """What there is to say about one thing; a crash is reported at `place`."""
        self.asked[subject.name] += 1
        for check in self.of(subject):
            try:
                for finding in check.run(*arguments, **named):
                    if finding.rule not in check.rules:
                        raise LookupError(f"the check does not declare `{finding.rule.code}`")
                    if finding.rule.code in self.enabled:
                        yield finding
            except Exception as error:
                yield self.check_crash(check, place, error)

    @contextmanager
    def counting(self) -> Iterator[dict[str, int]]:
        """What is looked at meanwhile, counted by itself.

        Plain data, to be given to `count`: by the process that another one worked for, or by whoever knows already what
        came of the work.
        """
        before, self.asked = self.asked, defaultdict(int)
        try:
            yield self.asked
        finally:
            self.asked = before

    def count(self, asked: Mapping[str, int]) -> None:
        """Count what was looked at elsewhere too."""
        for name, number in asked.items():
            self.asked[name] += number

    def contained(self, place: Place, found: Iterable[Finding]) -> Iterator[Finding]:
        """Findings as they are asked for; where what is looked at for them crashes, that is reported at `place`, and they end."""
        try:
            yield from found
        except Exception as error:
            yield self.crash("check", place, error)

    def check_crash(self, check: Check, place: Place, error: Exception) -> Finding:
        """The finding that says that a check failed at a place."""
        return self.crash("rule", place, error, codes=", ".join(f"`{rule.code}`" for rule in check.rules))

    def crash(self, kind: str, place: Place, error: Exception, **values: str) -> Finding:
        """The finding that says what failed at a place."""
        return self.report_crash(crash(kind, place, error, **values))

    def report_crash(self, problem: Problem[Place]) -> Finding:
        found: list[Finding] = [finding for check in self.of(CRASH) for finding in check.run(problem)]
        return found[0]


def rule_of(code: str) -> Rule:
    """The built-in rule of a code. Raises `KeyError` for any other."""
    return next(rule for check in _load(RULES[code].module) for rule in check.rules if rule.code == code)


def all_rules() -> tuple[Rule, ...]:
    """Every rule there is, by code."""
    rules = {
        rule.code: rule
        for module in {rule.module for rule in RULES.values()}
        for check in _load(module)
        for rule in check.rules
    }
    return tuple(rules[code] for code in RULES)


@cache
def _load(module: str) -> list[Check]:
    """The checks of a module. Raises `WrongDeclaration` if the index says something else of it."""
    _compare_modules()
    if index_of([module], RULES) != {code: rule for code, rule in RULES.items() if rule.module == module}:
        raise WrongDeclaration(STALE)
    return declared[f"{__name__}.{module}"]


@cache
def _compare_modules() -> None:
    """Raise `WrongDeclaration` if the index knows other modules than there are: a rule would be silently dead."""
    if set(modules()) != {rule.module for rule in RULES.values()}:
        raise WrongDeclaration(STALE)


def modules() -> Iterator[str]:
    """The names, below this package, of the modules that declare rules."""
    root = os.path.dirname(__file__)
    for folder in names_in(root, ""):
        for name in names_in(os.path.join(root, folder), ".py"):
            yield f"{folder}.{name}"


def index_of(modules: Iterable[str], known: Container[str] = ()) -> dict[str, Indexed]:
    """What the index has to say of modules, by code; `known` are the codes of others.

    Raises `WrongDeclaration` for a rule that no check reports, for a code that two rules have, and for a check of what
    `contract` does not name, which nothing would run.
    """
    subjects_known = {each.name for each in vars(contract).values() if isinstance(each, Subject)}
    found: dict[str, Indexed] = {}
    without: dict[str, str] = {}
    for module in modules:
        imported = import_module(f"{__name__}.{module}")
        subjects: dict[str, list[str]] = {}
        for check in declared.get(imported.__name__, ()):
            if check.subject not in subjects_known:
                raise WrongDeclaration(f"a check in {module} looks at `{check.subject}`, which is not a subject")
            for rule in check.rules:
                subjects.setdefault(rule.code, []).append(check.subject)
                facts = (
                    rule.code,
                    rule.severity,
                    rule.preview,
                    rule.harn,
                    module,
                    tuple(subjects[rule.code]),
                    rule.group,
                )
                entry = Indexed(*facts)
                if found.setdefault(rule.code, entry).module != module:
                    raise WrongDeclaration(f"{module} and {found[rule.code].module} both have a rule `{rule.code}`")
                found[rule.code] = entry
        without.update({rule.code: module for rule in _rules_among(vars(imported).values())})
    for code, module in without.items():
        if code not in found and code not in known:
            raise WrongDeclaration(f"no check in {module} declares that it reports `{code}`")
    return dict(sorted(found.items()))


def _rules_among(values: Iterable[object]) -> Iterator[Rule]:
    for value in values:
        if isinstance(value, Rule):
            yield value
        elif isinstance(value, dict | list | tuple):
            members = value.values() if isinstance(value, dict) else value
            if isinstance(next(iter(members), None), Rule):
                yield from _rules_among(members)


def _order(check: Check) -> tuple[bool, int, str]:
    first = check.rules[0]
    return (not first.harn, first.harn, first.code)
