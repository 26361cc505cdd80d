"""`toolsurface-lint rule`: the page of a rule, the table of all of them, or the examples of one's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from toolsurface_lint.checks import all_rules
from toolsurface_lint.checks.index import RULES
from toolsurface_lint.checks.pages import page_of, url_of
from toolsurface_lint.cli.stream import CommandError, write
from toolsurface_lint.model.diagnostics import Rule
from toolsurface_lint.model.names import did_you_mean
from toolsurface_lint.project.settings import Settings, SettingsError
from toolsurface_lint.project.settings.loading import load_settings
from toolsurface_lint.project.settings.selection import Selection, other_rules
from toolsurface_lint.reporters.characters import visible, visible_lines

if TYPE_CHECKING:
    from toolsurface_lint.run.examples import Outcome

TEST = "test"


def rule(code: str | None, output: str, config: str | None = None, isolated: bool = False) -> int:
    """Run the command and return its exit code. Raises `CommandError` for a code that no rule has, and `SettingsError`."""
    if code == TEST:
        return _test(load_settings((".",), config, isolated), output)
    if code in RULES:
        # The page of a built-in rule is there whatever the settings are.
        others: tuple[Rule, ...] = ()
    else:
        others = other_rules(load_settings((".",), config, isolated))
    rules = {rule.code: rule for rule in (*all_rules(), *others)}
    if code is None:
        write(_json([describe(rule) for rule in rules.values()]) if output == "json" else table(list(rules.values())))
        return 0
    found = rules.get(code)
    if found is None:
        raise CommandError(f"no rule has the code `{code}`{did_you_mean(code, (*rules, TEST))}")
    text = page_of(found)
    if output == "json":
        write(_json({**describe(found), "page": text}))
    else:
        text = text or f"# {code}\n\n{found.summary}\n"
        # That of any other comes from whoever wrote the settings.
        write(text if code in RULES else visible_lines(text))
    return 0


def describe(rule: Rule) -> dict[str, Any]:
    """One rule as `--output json` writes it."""
    return {
        "code": rule.code,
        "severity": rule.severity,
        "summary": rule.summary,
        "preview": rule.preview,
        "tags": list(rule.tags),
        "fix": rule.fix,
        "since": rule.since,
        "url": url_of(rule),
    }


def table(rules: list[Rule]) -> str:
    """The rules in columns: code, severity, summary; one that is off by default has a star."""
    codes = max((len(rule.code) for rule in rules), default=0) + 1
    lines = []
    for rule in rules:
        code = rule.code + "*" * rule.preview
        lines.append(f"{code:{codes}} {rule.severity:7}  {visible(rule.summary)}")
    if any(rule.preview for rule in rules):
        lines += ["", "* off by default: enable it with --select or --extend-select and its full code"]
    return "\n".join(lines) + "\n"


def _test(settings: Settings, output: str) -> int:
    """Check the examples of the settings' own rules: 1 if one of them is wrong."""
    from toolsurface_lint.run.examples import check_examples

    if not settings.rules:
        raise SettingsError(
            "the settings have no [[rule]] to test"
            if settings.path
            else "there are no settings, and no [[rule]] to test"
        )
    outcomes = [outcome for definition in settings.rules for outcome in check_examples(definition)]
    selection = Selection(settings)
    bare = [each.code for each in settings.rules if not each.fires and not each.silent]
    off = [rule.code for rule in other_rules(settings) if not selection.enabled(rule)]
    wrong = sum(outcome.wrong is not None for outcome in outcomes)
    if output == "json":
        write(_json({"examples": [_plain(each) for each in outcomes], "without_examples": bare, "not_enabled": off}))
    else:
        lines = [*_lines(outcomes), *_remarks(outcomes, wrong, bare, off)]
        write("".join(f"{visible(line)}\n" for line in lines))
    return 1 if wrong else 0


def _plain(outcome: Outcome) -> dict[str, Any]:
    found = [
        {"path": path, "line": line, "column": column, "message": text} for path, line, column, text in _found(outcome)
    ]
    kind = "fires" if outcome.fires else "silent"
    return {"code": outcome.code, "kind": kind, "number": outcome.number, "wrong": outcome.wrong, "found": found}


def _found(outcome: Outcome) -> Iterator[tuple[str, int, int, str]]:
    for each in outcome.found:
        path, line, column = "", 1, 1
        if each.location is not None:
            path, (line, column) = each.location.path.removeprefix("example/"), each.location.range.start
        yield path, line, column, each.message


def _lines(outcomes: list[Outcome]) -> Iterator[str]:
    code = ""
    for outcome in outcomes:
        if outcome.code != code:
            code = outcome.code
            yield code
        kind = f"{'fires' if outcome.fires else 'silent'} {outcome.number}"
        yield f"  {kind:10} {'ok' if outcome.wrong is None else f'WRONG: {outcome.wrong}'}"
        for path, line, column, message in _found(outcome):
            yield f"             {path}:{line}:{column} {message}"


def _remarks(outcomes: list[Outcome], wrong: int, bare: list[str], off: list[str]) -> Iterator[str]:
    if outcomes:
        yield ""
        count = "1 example" if len(outcomes) == 1 else f"{len(outcomes)} examples"
        yield f"{wrong} of {count} wrong." if wrong else f"{count}, none wrong."
    if bare:
        yield f"Without examples: {', '.join(bare)}."
    if off:
        yield f"Not enabled by these settings: {', '.join(off)}."


def _json(value: Any) -> str:
    from toolsurface_lint.reporters.json import dump

    return dump(value, 2) + "\n"
