"""Writes every generated file and part of a file in the repository, or checks that each is what would be written.

    python -m tests.regenerate [--check]

Those are: the index of the rules in toolsurface_lint/checks/, the expected findings in fixtures/, the heading and the outputs
of the pages in rules/ and what they say of published smells, the schema of the settings, the outputs and tables in README.md
and docs/, and the pictures (those of the page of surfaces with Chromium, if they are stale). Each belongs to a test with the
mark `generated`, which compares it, or writes it where this program runs the test.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

UPDATE = os.environ.get("TOOLSURFACE_UPDATE") == "1"
"""Whether tests with the mark `generated` write instead of comparing."""


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    import pytest

    folder = Path(__file__).parent
    marked = sorted(file for file in folder.rglob("test_*.py") if "mark.generated" in file.read_text(encoding="utf-8"))
    # In one process: several tests write to one page.
    options = ["-m", "generated", "-p", "no:cacheprovider", "-p", "no:xdist", f"--rootdir={folder.parent}"]
    if not arguments:
        # First, and in a process of its own: nothing that uses the rules starts with a stale one.
        subprocess.run([sys.executable, "-m", "tests.rule_index"], cwd=folder.parent, check=True)
        os.environ["TOOLSURFACE_UPDATE"] = "1"
    return pytest.main([*options, *map(str, marked)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
