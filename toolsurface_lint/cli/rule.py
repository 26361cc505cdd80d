"""`toolsurface-lint rule`: the page of a rule, or the table of all of them."""

from __future__ import annotations

from typing import Any

from toolsurface_lint.checks import all_rules
from toolsurface_lint.checks.pages import page, url
from toolsurface_lint.cli.stream import CommandError, write
from toolsurface_lint.model.diagnostics import Rule
from toolsurface_lint.model.names import did_you_mean


def rule(code: str | None, output: str) -> int:
    """Run the command and return its exit code. Raises `CommandError` for a code that no rule has."""
    rules = {rule.code: rule for rule in all_rules()}
    if code is None:
        write(_json([describe(rule) for rule in rules.values()]) if output == "json" else table(list(rules.values())))
        return 0
    found = rules.get(code)
    if found is None:
        raise CommandError(f"no rule has the code `{code}`{did_you_mean(code, rules)}")
    text = page(code)
    write(_json({**describe(found), "page": text}) if output == "json" else text or f"# {code}\n\n{found.summary}\n")
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
        "url": url(rule.code),
    }


def table(rules: list[Rule]) -> str:
    """The rules in columns: code, severity, summary; one that is off by default has a star."""
    codes = max((len(rule.code) for rule in rules), default=0) + 1
    lines = []
    for rule in rules:
        code = rule.code + "*" * rule.preview
        lines.append(f"{code:{codes}} {rule.severity:7}  {rule.summary}")
    if any(rule.preview for rule in rules):
        lines += ["", "* off by default: enable it with --select or --extend-select and its full code"]
    return "\n".join(lines) + "\n"


def _json(value: Any) -> str:
    from toolsurface_lint.reporters.json import dump

    return dump(value, 2) + "\n"
