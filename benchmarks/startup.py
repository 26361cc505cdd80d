"""How long the command takes on one small file, against `python -c "import click"`: whole processes, interleaved.

    python benchmarks/startup.py [PAIRS]

Prints the median of each in milliseconds and the ratio to click. The targets are 1.4 for JSON and 2.0 for Markdown. Absolute
times drift with the machine; the ratios within one run do not.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
BASELINE = "import click"

TOOLS = [
    {
        "name": name,
        "description": description,
        "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    }
    for name, description in (
        ("read_file", "Read a file and return its text."),
        ("list_folder", "List the names in a folder."),
        ("delete_file", "Delete a file. It cannot be brought back."),
    )
]
# One with a finding too: it is the slower way, through positions, Markdown's own parser and a snippet.
PROMPTS = {
    "quiet.md": "# Files\n\nYou help with files. Be brief, and ask before you delete anything.\n",
    "calling.md": '# Files\n\nCall `read_file({ path: "a.txt" })` before you answer.\n',
    "finding.md": '# Files\n\nCall `read_flie({ path: "a.txt" })`, then `read_file({ path: "b.txt" })`.\n',
}


def main() -> None:
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tools").mkdir()
        (folder / "tools/tools.json").write_text(json.dumps(TOOLS, indent=2), encoding="utf-8")
        commands = {BASELINE: ["-c", BASELINE], "JSON": ["-m", "toolsurface_lint", "check", "tools/tools.json"]}
        for file, text in PROMPTS.items():
            path = folder / file.removesuffix(".md") / file
            path.parent.mkdir()
            path.write_text(text, encoding="utf-8")
            arguments = [f"{path.parent.name}/{file}", *(["tools/tools.json"] if file == "finding.md" else [])]
            commands[f"Markdown, {path.parent.name}"] = ["-m", "toolsurface_lint", "check", *arguments]
        commands["--version, through click"] = ["-m", "toolsurface_lint", "--version"]
        report(measure(commands, folder, pairs))


def measure(commands: dict[str, list[str]], folder: Path, rounds: int) -> dict[str, list[float]]:
    """The seconds of every run of each command; the commands take turns, and a first round is not counted."""
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "TOOLSURFACE_LINT_NO_CACHE": "1"}
    times: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, arguments in commands.items():
            start = time.perf_counter()
            subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, check=True)
            if number:
                times[name].append(time.perf_counter() - start)
    return times


def report(times: dict[str, list[float]]) -> None:
    baseline = statistics.median(times[BASELINE])
    print(f"{'':26} {'median':>9} {'ratio':>6}")
    for name, seconds in times.items():
        median = statistics.median(seconds)
        print(f"{name:26} {median * 1000:6.1f} ms {median / baseline:6.2f}")


if __name__ == "__main__":
    main()
