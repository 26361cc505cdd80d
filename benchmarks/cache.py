"""What the cache of `check` saves and what it costs: whole processes on the tree of `throughput.py`.

    python benchmarks/cache.py [FILES]... [--tree FOLDER]... [--rounds N]      (default: 1000 10000)

Each round runs once without the cache, once with an empty one, which is filled then, and twice from it: with nothing changed, and
with every file touched, as in a new checkout, where all are read and compared. `--tree` measures a copy of any other folder.
Targets: from the cache, half of the time that the run without it is to take, 0.35 s for 1,000 files and 0.7 s for 10,000.

On a machine shared with others, in processor time: 1,000 mixed files take 6.9 s without the cache and 0.10 s from it; filling it
is lost in the noise. Of the 0.10 s, starting takes 0.05, asking again what has changed 0.02, reading and writing the report the
rest. Nothing smaller than a run is kept: after an edit, all is checked. From start to end on an idle machine of two processors:
1,000 files 0.22 s, 10,000 files 0.9 to 1.05 s.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

from throughput import ENVIRONMENT, timed, write_tree

COMMAND = [sys.executable, "-m", "toolsurface_lint", "check", "--output", "concise"]


class Taken(NamedTuple):
    """The seconds from start to end, and those of all processors."""

    seconds: float
    busy: float


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="*", type=int, help="sizes of trees to generate")
    parser.add_argument("--tree", action="append", default=[], type=Path, help="another folder to check")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(f"{'':44} {'seconds':>8} {'busy':>6}   best of {options.rounds} rounds")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        for tree in options.tree:
            shutil.copytree(tree, folder / "tree")
            measure(str(tree), folder, options.rounds)
        for size in options.files or ([] if options.tree else [1_000, 10_000]):
            write_tree(folder / "tree", size)
            measure(f"{size:,} files", folder, options.rounds)


def measure(title: str, folder: Path, rounds: int) -> None:
    """Check the folder `tree` in all ways, and remove it."""
    tree, cache = folder / "tree", folder / "cache"
    ways: dict[str, Callable[[], bytes]] = {
        "without the cache": lambda: check(tree, "--no-cache"),
        "with an empty one": lambda: check(tree, "--cache-dir", str(cache)),
        "from the cache": lambda: check(tree, "--cache-dir", str(cache)),
        "from the cache, all files touched": lambda: check(tree, "--cache-dir", str(cache)),
    }
    taken: dict[str, list[Taken]] = {way: [] for way in ways}
    check(tree, "--no-cache")
    for _ in range(rounds):
        shutil.rmtree(cache, ignore_errors=True)
        outputs = set()
        for way, run in ways.items():
            if way.endswith("touched"):
                for path in tree.rglob("*"):
                    os.utime(path)
            output, *took = timed(run)
            outputs.add(output)
            taken[way].append(Taken(*took))
        assert len(outputs) == 1, "what comes from the cache is not what the run said"
    for way, found in taken.items():
        seconds, busy = map(min, zip(*found, strict=True))
        print(f"{f'{title}, {way}':44} {seconds:8.2f} {busy:6.2f}", flush=True)
    print(f"{'  the entry, MB':44} {sum(path.stat().st_size for path in cache.iterdir()) / 1e6:8.2f}")
    shutil.rmtree(tree)
    shutil.rmtree(cache)


def check(tree: Path, *options: str) -> bytes:
    """Check the tree from inside it."""
    done = subprocess.run([*COMMAND, *options], cwd=tree, env=ENVIRONMENT, capture_output=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr.decode())
    return done.stdout


if __name__ == "__main__":
    main()
