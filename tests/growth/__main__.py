"""Searches for inputs that take more than n log n.

    python -m tests.growth                everything: about an hour on two processors
    python -m tests.growth --short        what the test suite runs: at most 90 seconds on two busy processors
    python -m tests.growth tools server   everything for the documents whose name holds one of these words

Counted is work, place by place in the code (`counting.py`), and the steps of regular expressions (`matching.py`), which
are the same at every run; the long search takes processor time beside it, for what C code does. The last line gives
the figures; the exit code is 1 if there is any hit. A new kind of file belongs into `documents.py`; an atom that has once
been a hit into `FIXED` in `search.py`.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from tests.growth import tasks
from tests.growth.documents import DOCUMENTS
from tests.growth.tasks import Found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="documents whose name holds one of these words")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--processes", type=int, default=min(2, os.cpu_count() or 1))
    options = parser.parse_args()
    chosen = [document for document in DOCUMENTS if not options.words or any(map(document.name.count, options.words))]
    started = time.monotonic()
    found = (
        []
        if options.words
        else _run(tasks.patterns, [(part, 8, options.short) for part in range(8)], options.processes)
    )
    patterns = sum(count for count, _, _ in found)
    worst_pattern = max((ratio for _, ratio, _ in found), default=0.0)
    hits = [hit for _, _, each in found for hit in each]
    ordered = sorted(((document.name, options.short) for document in chosen), key=lambda task: -_size(task[0]))
    searched = _run(tasks.document, ordered, options.processes)
    hits += [hit for _, _, each in searched for hit in each]
    timed = [] if options.short else _run(tasks.timed, [(document.name,) for document in chosen], options.processes)
    hits += [hit for _, _, each in timed for hit in each]
    places = sum(len(document.places()) for document in chosen)
    blocks = sum(len(document.blocks()) for document in chosen)
    print(
        f"{_atoms(options.short)} atoms x {places} places and {blocks} blocks x {len(chosen)} kinds in "
        f"{sum(runs for runs, _, _ in searched):,} cases, {patterns} regular expressions, "
        f"{sum(runs for runs, _, _ in timed):,} cases timed: worst ratio "
        f"{max(worst_pattern, *(worst for _, worst, _ in searched)):.1f}, {len(hits)} hits, "
        f"{time.monotonic() - started:.0f} seconds"
    )
    return 1 if hits else 0


def _run(task: Callable[..., Found], arguments: Sequence[tuple[Any, ...]], processes: int) -> list[Found]:
    """Have processes of their own do all tasks of one kind: what counts and what does not cannot share one."""
    found = []
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        for result in [pool.apply_async(task, given) for given in arguments]:
            found.append(result.get())
            for hit in found[-1][2]:
                print(hit, flush=True)
    return found


def _size(name: str) -> int:
    return sum(len(text) for document in DOCUMENTS if document.name == name for text in document.files.values())


def _atoms(short: bool) -> int:
    from tests.growth import atoms

    return len(atoms.core() if short else atoms.all_atoms())


if __name__ == "__main__":
    sys.exit(main())
