"""The closing lines: what was found, what was looked at and what could not be checked: "clean" cannot mean "not read"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolsurface_lint.model.diagnostics import SEVERITIES, Compared, Report
from toolsurface_lint.model.unseen import Unseen, ranked
from toolsurface_lint.reporters import DEFAULTS, RenderOptions, count
from toolsurface_lint.reporters.characters import visible

# Reasons may name what is wrong with a single file; the JSON output and `surface` have the rest of them.
_MAX_REASONS = 3


class Remark(NamedTuple):
    """Something that could not be checked, and the main reasons for it."""

    text: str
    reasons: tuple[str, ...] = ()


def closing_lines(report: Report, options: RenderOptions = DEFAULTS) -> list[str]:
    """The account of a report and its remarks, their reasons below them; none if the output is to be quiet."""
    if options.quiet:
        return []
    lines = [account(report)]
    for remark in remarks(report):
        lines += [remark.text, *(f"  {reason}" for reason in remark.reasons)]
    return lines


def account(report: Report) -> str:
    """One line: the findings of a report by severity, what it checked, and what it left out with the reasons."""
    found = severities(report)
    if report.compared is not None:
        verdict = f"Found {found}." if found else "Found no breaking changes."
        text = f"{verdict} {_compared(report.compared)}"
    else:
        clean = "No problems found, but less was checked than before." if report.losses else "No problems found."
        verdict = f"Found {found}." if found else clean
        text = f"{verdict} {_checked(report)}" if checked_anything(report) else "Nothing was checked"
    if report.summary["suppressed"]:
        text += f"; suppressed {report.summary['suppressed']}"
    if report.stale:
        text += f"; {len(report.stale)} stale in the baseline"
    if report.losses:
        text += f"; {count(len(report.losses), 'loss')} against the coverage baseline"
    if report.skipped:
        text += f"; skipped {len(report.skipped)} ({_reasons(report)})"
    return f"{text}."


def remarks(report: Report) -> Iterator[Remark]:
    """What "no problems" does not cover: surfaces that are open, what met no tools, tools that were not read."""
    if report.compared is not None:
        yield from _not_compared(report.compared)
        return
    summary = report.summary
    if report.open_reasons:
        number, every = summary["open_surfaces"], summary["surfaces"]
        which = "The surface is" if every == 1 else f"{number} of {every} surfaces {'is' if number == 1 else 'are'}"
        text = f"{which} open: {'it' if number == 1 else 'they'} may have tools that were not seen, so unknown names"
        text += " are not reported." if every == 1 else " are not reported there."
        yield Remark(text, _main(report.open_reasons, " (`toolsurface-lint surface` lists them)"))
    if report.without_tools:
        prompts, policies = summary["prompts_without_tools"], summary["policies_without_tools"]
        counted = ((prompts, "prompt"), (policies, "policy"))
        what = " and ".join(count(number, noun) for number, noun in counted if number)
        text = f"{what} {'was' if prompts + policies == 1 else 'were'} checked against no tools"
        yield Remark(f"{text}{_such_as(report.without_tools)}.")
    silent = [summary.path for summary in report.transcripts if not summary.conversations]
    if silent:
        held = f"{count(len(silent), 'transcript')} {'holds' if len(silent) == 1 else 'hold'} no conversation that could be read"
        yield Remark(f"{held}{_such_as(silent)}.")
    if report.unread_tools:
        number = len(report.unread_tools)
        files = f"{count(number, 'file')} {'seems' if number == 1 else 'seem'} to have tools"
        yield Remark(f"{files}, but none was understood.", _main(report.unread_tools))
    if report.not_locked:
        number = len(report.not_locked)
        parts = "1 part of a locked tool was" if number == 1 else f"{number} parts of locked tools were"
        yield Remark(f"{parts} not compared with the lock.", _main(report.not_locked))
    if report.not_rendered:
        number = len(report.not_rendered)
        text = f"{count(number, 'chat template')} could not be rendered with all conversations, so some rules did not decide."
        yield Remark(text, _main(report.not_rendered))


def _compared(compared: Compared) -> str:
    sides = ((compared.old, compared.old_tools), (compared.new, compared.new_tools))
    old, new = (f"{visible(title)} ({count(tools, 'tool')})" for title, tools in sides)
    return f"Compared {old} with {new}"


def _not_compared(compared: Compared) -> Iterator[Remark]:
    number = len(compared.undecided)
    if number:
        text = f"{count(number, 'place')} {'was' if number == 1 else 'were'} not compared."
        yield Remark(text, _main(compared.undecided))


def checked_anything(report: Report) -> bool:
    """Whether there was anything to find problems in."""
    return any(report.summary.values())


def severities(report: Report) -> str:
    """How many findings there are of each severity, most severe first; empty without any."""
    return ", ".join(count(report.summary[one], one) for one in SEVERITIES if report.summary[one])


def _checked(report: Report) -> str:
    summary = report.summary
    files = f" in {count(summary['files'], 'file')}" if summary["files"] else ""
    parts = [count(summary["tools"], "tool")] if summary["surfaces"] else []
    for key, noun in (
        ("prompts", "prompt"),
        ("policies", "policy"),
        ("templates", "template"),
        ("chat_templates", "chat template"),
        ("server_commands", "server command"),
    ):
        if summary[key]:
            parts.append(count(summary[key], noun))
    if summary["transcripts"]:
        turns, calls = count(summary["turns"], "turn"), count(summary["calls"], "call")
        rows = "".join(f"; {count(number, 'row')} of {name}" for name, number in _schemas(report).items())
        parts.append(f"{count(summary['transcripts'], 'transcript')} ({turns}, {calls}{rows})")
    elif summary["turns"]:
        parts.append(f"{count(summary['turns'], 'response')} ({count(summary['calls'], 'call')})")
    if report.protocols:
        read = ", ".join(f"{number} as {visible(name)}" for name, number in report.protocols.items())
        parts[-1] = f"{parts[-1][:-1]}; read {read})" if parts and parts[-1].endswith(")") else f"read {read}"
    if summary["surfaces"]:
        return f"Checked {count(summary['surfaces'], 'surface')}: {', '.join(parts)}{files}"
    return f"Checked {', '.join(parts)}{files}" if parts else f"Checked no surface{files}"


def _schemas(report: Report) -> dict[str, int]:
    """How many conversations are rows of published datasets, by the name of the schema that was recognised."""
    rows: dict[str, int] = {}
    for transcript in report.transcripts:
        for name, number in transcript.schemas.items():
            rows[name] = rows.get(name, 0) + number
    return rows


def _such_as(paths: Sequence[str]) -> str:
    """The file, if it is one, or the first of several."""
    return f": {visible(paths[0])}" if len(paths) == 1 else f", such as {visible(paths[0])}"


def _main(unseen: Sequence[Unseen], elsewhere: str = "") -> tuple[str, ...]:
    """The most frequent reasons, how often there is each, and a place; `elsewhere` says where the others are."""
    found = ranked(unseen)
    lines = []
    for reason, number, first in found[:_MAX_REASONS]:
        place = f" ({visible(first.place)})" if first.place else ""
        lines.append(f"{number}: {visible(reason)}{place}")
    others = sum(each.number for each in found[_MAX_REASONS:])
    return (*lines, f"{others}: other reasons{elsewhere}") if others else tuple(lines)


def _reasons(report: Report) -> str:
    counts = Counter(visible(skipped.reason) for skipped in report.skipped)
    sizes = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    if len(sizes) == 1:
        return sizes[0][0]
    named = [f"{files} {reason}" for reason, files in sizes[:_MAX_REASONS]]
    others = sum(files for _, files in sizes[_MAX_REASONS:])
    return ", ".join([*named, f"{others} for other reasons"] if others else named)
