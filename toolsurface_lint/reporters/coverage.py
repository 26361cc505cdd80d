"""What was checked, in figures: what there was, how many rules looked at it, and which rules had nothing to look at."""

from __future__ import annotations

from collections.abc import Iterable

from toolsurface_lint.checks.index import RULES
from toolsurface_lint.model.coverage import AGAINST, FIGURES, OPEN, Coverage, by_family
from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.reporters import RenderOptions, count
from toolsurface_lint.reporters.account import closing_lines
from toolsurface_lint.reporters.characters import visible
from toolsurface_lint.reporters.tables import table

SUBJECTS = {
    "definition": "tool definitions",
    "python_definition": "tool definitions in Python",
    "definition_text": "tool definitions as the model reads them",
    "schema": "parameter schemas",
    "output_schema": "result schemas",
    "tool_lists": "files with tools",
    "active_tool": "tools in surfaces",
    "surface": "surfaces with tools or policies",
    "agent": "agents in programs",
    "every_prompt": "prompts",
    "prompt": "prompts of applications that name a tool",
    "prompt_text": "prompts as the model reads them",
    "reference": "names of tools in prompts of applications",
    "client_prompt": "prompts for coding clients",
    "client_reference": "names of tools in prompts for coding clients",
    "client_file": "agents, commands and skills of coding clients",
    "policy": "capability policies",
    "constraint": "constraints on arguments",
    "approval_policy": "approval policies",
    "approval_pattern": "patterns of approval policies",
    "permissions": "permission lists",
    "hooks": "hook files",
    "manifest": "manifests",
    "lock": "locks",
    "snapshot": "servers in snapshots",
    "template": "templates",
    "chat_template": "chat templates",
    "serving": "server commands",
    "workflow": "workflows",
    "response": "responses",
    "conversation": "conversations",
    "call": "calls",
    "result": "results of MCP servers",
    "document": "files",
}
"""What rules look at, by the name of the subject."""

_WIDTH = 118


def render(report: Report, options: RenderOptions) -> str:
    """What there was, what rules were asked about, the rules that were not asked or are disabled, and the closing lines."""
    coverage = report.coverage
    parts = [] if coverage is None else [*_tables(coverage), *_rules(coverage)]
    return "\n\n".join([*(part for part in parts if part), "\n".join(closing_lines(report))]) + "\n"


def _tables(coverage: Coverage) -> Iterable[str]:
    totals = coverage.totals
    held = [("files", len(coverage.files)), ("surfaces", coverage.surfaces)]
    held.append(("  open", len(coverage.open_surfaces)))
    for key, noun in FIGURES.items():
        if key.endswith(OPEN):
            held.append(("  in open surfaces", totals[key]))
        elif key.endswith(AGAINST):
            held.append(("  checked against no tools", totals[key.removesuffix(AGAINST)] - totals[key]))
        else:
            held.append((count(2, noun).removeprefix("2 "), totals[key]))
    held += [(f"skipped: {visible(reason)}", number) for reason, number in coverage.reasons.items()]
    yield table(("what there is", "number"), [row for row in held if row[1]])
    rows = [
        (title, coverage.asked[subject], sum(subject in subjects for subjects in coverage.rules.values()))
        for subject, title in SUBJECTS.items()
        if coverage.asked.get(subject)
    ]
    yield table(("what rules looked at", "number", "rules"), rows)
    if coverage.targets:
        yield f"Checked for: {visible(', '.join(coverage.targets))}."


def _rules(coverage: Coverage) -> Iterable[str]:
    every = len(coverage.rules) + len(coverage.disabled)
    silent = [code for code in coverage.rules if not coverage.number(code)]
    yield f"{count(len(coverage.rules) - len(silent), 'rule')} of {every} looked at something."
    preview = [code for code in coverage.disabled if RULES[code].preview]
    others = [code for code in coverage.disabled if not RULES[code].preview]
    for what, codes in (
        ("had nothing to look at", silent),
        ("disabled by the settings or the command line", others),
        ("in preview and not enabled", preview),
    ):
        if codes:
            among = coverage.rules if codes is silent else coverage.disabled
            yield f"{count(len(codes), 'rule')} {what}:\n{_wrapped(by_family(codes, among))}"


def _wrapped(names: Iterable[str]) -> str:
    """Names in lines, none of them cut."""
    lines = [""]
    for name in names:
        if len(lines[-1]) + len(name) > _WIDTH:
            lines.append("")
        lines[-1] += f"  {name}"
    return "\n".join(lines)
