"""What `check` does with fixes and new suppressions: write the files, or show what would be written."""

from __future__ import annotations

from toolsurface_lint.checks.index import RULES
from toolsurface_lint.cli.stream import complain, on_terminal, write, write_bytes
from toolsurface_lint.reporters import count
from toolsurface_lint.reporters.characters import visible
from toolsurface_lint.run.fixes import ROUNDS, NotWritten, Outcome, diff
from toolsurface_lint.run.fixes import write as write_change


def write_fixes(outcome: Outcome, verb: str, quiet: bool = False) -> bool:
    """Write the changed files and say on standard error what was done; whether all of it could be.

    `verb` is what is done to problems: `fix` or `suppress`; `quiet` says only what could not be done.
    """
    written = 0
    for change in outcome.changes:
        try:
            write_change(change)
        except NotWritten as error:
            complain(str(error))
        else:
            written += 1
    done = written == len(outcome.changes)
    if not done:
        complain(f"not all files were written: not everything is {verb}ed")
    elif quiet:
        pass
    elif outcome.changes:
        complain(f"{verb}ed {count(outcome.fixed, 'problem')} in {count(written, 'file')}{_more(outcome)}")
    elif outcome.more:
        complain(f"nothing is {verb}ed{_more(outcome)}")
    return _complain(outcome, verb) and done


def show_fixes(outcome: Outcome, verb: str, quiet: bool = False) -> bool:
    """Print the changes as a diff, and unless `quiet` how many there are; whether there was nothing to complain of."""
    text = "".join(map(diff, outcome.changes))
    if on_terminal():
        write("\n".join("\t".join(map(visible, line.split("\t"))) for line in text.split("\n")))
    else:
        write_bytes(text.encode("utf-8"))
    if quiet:
        pass
    elif outcome.changes:
        in_files = f"in {count(len(outcome.changes), 'file')}"
        complain(f"would {verb} {count(outcome.fixed, 'problem')} {in_files}{_more(outcome)}")
    elif outcome.more:
        complain(f"would {verb} nothing{_more(outcome)}")
    return _complain(outcome, verb)


def _more(outcome: Outcome) -> str:
    """What is left to those who ask for unsafe fixes, as the end of a sentence."""
    if not outcome.more:
        return ""
    return f"; --unsafe-fixes would fix {f'{outcome.more} more' if outcome.fixed else count(outcome.more, 'problem')}"


def _complain(outcome: Outcome, verb: str) -> bool:
    for path, reason in outcome.refused:
        complain(f"{path} is left as it is: {reason}")
    if not outcome.stable:
        own = sorted(outcome.restless.difference(RULES))
        named = ", ".join(f"`{code}`" for code in own)
        complain(
            f"nothing is {verb}ed: after {ROUNDS} rounds there was still something to {verb}; "
            + (
                f"fixes of {named} do not settle what they are for"
                if own
                else "this is a bug in toolsurface-lint: report it"
            )
        )
    return outcome.stable and not outcome.refused
