"""What `check` does with fixes: write the files, or show what would be written."""

from __future__ import annotations

from toolsurface_lint.cli.stream import complain, on_terminal, write, write_bytes
from toolsurface_lint.fixes import ROUNDS, NotWritten, Outcome, diff
from toolsurface_lint.fixes import write as write_change
from toolsurface_lint.reporters.characters import visible


def write_fixes(outcome: Outcome) -> bool:
    """Write the changed files and say on standard error what was done; whether all of it could be."""
    written = 0
    for change in outcome.changes:
        try:
            write_change(change)
        except NotWritten as error:
            complain(str(error))
        else:
            written += 1
    done = written == len(outcome.changes)
    if outcome.changes:
        complain(
            f"fixed {_count(outcome.fixed, 'problem')} in {_count(written, 'file')}"
            if done
            else "not all fixes were written"
        )
    return _complain(outcome) and done


def show_fixes(outcome: Outcome) -> bool:
    """Print the changes as a diff; whether there was nothing to complain of."""
    text = "".join(map(diff, outcome.changes))
    if on_terminal():
        write("\n".join("\t".join(map(visible, line.split("\t"))) for line in text.split("\n")))
    else:
        write_bytes(text.encode("utf-8"))
    if outcome.changes:
        complain(f"would fix {_count(outcome.fixed, 'problem')} in {_count(len(outcome.changes), 'file')}")
    return _complain(outcome)


def _complain(outcome: Outcome) -> bool:
    for path, reason in outcome.refused:
        complain(f"{visible(path)} is left as it is: {reason}")
    if not outcome.stable:
        complain(
            f"nothing is fixed: after {ROUNDS} rounds there was still something to fix; "
            "this is a defect of toolsurface-lint: please report it"
        )
    return outcome.stable and not outcome.refused


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
