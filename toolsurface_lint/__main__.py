"""The entry of the command, as `toolsurface-lint` and as `python -m toolsurface_lint`."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from toolsurface_lint.cli.stream import NOWHERE, CommandError, complain, complain_of_defect, flush, prepare

_FAILURE = 2
_INTERRUPTED = 130


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code; what went wrong goes to standard error."""
    from toolsurface_lint.cli.options import COMPLETION
    from toolsurface_lint.project.discovery import PathMissing
    from toolsurface_lint.project.discovery.paths import working_folder
    from toolsurface_lint.project.settings import SettingsError
    from toolsurface_lint.source.modules import WrongDeclaration

    if working_folder() is None and COMPLETION not in os.environ:
        complain(NOWHERE)
        return _FAILURE

    try:
        return _dispatch(arguments)
    except (CommandError, PathMissing, SettingsError, WrongDeclaration) as error:
        complain(str(error))
        return _FAILURE


def _dispatch(arguments: Sequence[str]) -> int:
    """Run `check` without click if its arguments are plain, anything else with it."""
    from toolsurface_lint.cli.check import check
    from toolsurface_lint.cli.options import CHECK, parse_quickly

    # On Windows, click expands wildcards.
    if arguments[:1] == ["check"] and os.name != "nt":
        options = parse_quickly(arguments[1:], CHECK)
        if options is not None:
            return check(**options)
    from toolsurface_lint.cli.commands import run_click

    return run_click(arguments)


def main() -> NoReturn:
    """Run the command line of this process and end the process.

    It ends without the interpreter's own clean-up, which takes longer than checking a small file does; nothing is garbage
    before that, so nothing looks for any. Commands that stay turn the collector on again.
    """
    gc.disable()
    prepare()
    try:
        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = _INTERRUPTED
    except BrokenPipeError:
        code = 0
    except Exception:
        complain_of_defect()
        code = _FAILURE
    flush()
    os._exit(code)


if __name__ == "__main__":
    # Of a module that is run, Python looks for others in the working directory first, which may be anybody's checkout.
    if not sys.flags.safe_path:
        del sys.path[0]
    main()
