"""Searches for inputs that take more than n log n.

    python -m tests.growth                everything: about an hour on two processors
    python -m tests.growth --short        what the test suite runs: two to three minutes of processor time
    python -m tests.growth tools server   everything for the documents whose name holds one of these words

Counted is work, place by place in the code (`counting.py`), and the steps of regular expressions (`matching.py`), which
are the same at every run; the long search takes processor time beside it, for what C code does. The last line gives
the figures; the exit code is 1 if there is any hit. The short search follows the blocks of a document all at once only as
long as it is cheap, and says how many it leaves to the long one. A new kind of file belongs into `documents.py`; an atom
that has once been a hit into `FIXED` in `search.py`.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from tests.growth import tasks
from tests.growth.documents import DOCUMENTS
from tests.growth.tasks import Found

Made = TypeVar("Made")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="documents whose name holds one of these words")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--processes", type=int, default=min(2, os.cpu_count() or 1))
    options = parser.parse_args()
    chosen = [document for document in DOCUMENTS if not options.words or any(map(document.name.count, options.words))]
    started = time.monotonic()
    own = [] if options.words else _run(tasks.all_patterns, [()], 1)[0]
    found = _run(tasks.patterns, [(own[part::8], options.short) for part in range(8)], options.processes) if own else []
    worst_pattern = max((each.worst for each in found), default=0.0)
    hits = [hit for each in found for hit in each.hits]
    ordered = sorted(((document.name, options.short) for document in chosen), key=lambda task: -_size(task[0]))
    searched = _run(tasks.document, ordered, options.processes)
    hits += [hit for each in searched for hit in each.hits]
    timed = [] if options.short else _run(tasks.timed, [(document.name,) for document in chosen], options.processes)
    hits += [hit for each in timed for hit in each.hits]
    places = sum(len(document.places()) for document in chosen)
    blocks = sum(len(document.blocks()) for document in chosen)
    print(
        f"{_atoms(options.short)} atoms x {places} places and {blocks} blocks x {len(chosen)} kinds in "
        f"{sum(each.cases for each in searched):,} cases, {len(own)} regular expressions, "
        f"{sum(each.cases for each in timed):,} cases timed: worst ratio "
        f"{max(worst_pattern, *(each.worst for each in searched)):.1f}, {len(hits)} hits, "
        f"{sum(each.left for each in searched)} left to the long search, {time.monotonic() - started:.0f} seconds"
    )
    return 1 if hits else 0


def _run(task: Callable[..., Made], arguments: Sequence[tuple[Any, ...]], processes: int) -> list[Made]:
    """Have processes of their own do all tasks of one kind: what counts and what does not cannot share one."""
    made = []
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        for result in [pool.apply_async(task, given) for given in arguments]:
            made.append(result.get())
            if isinstance(made[-1], Found):
                print(*made[-1].hits, sep="\n", end="\n" if made[-1].hits else "", flush=True)
    return made


def _size(name: str) -> int:
    return sum(len(text) for document in DOCUMENTS if document.name == name for text in document.files.values())


def _atoms(short: bool) -> int:
    from tests.growth import atoms

    return len(atoms.core() if short else atoms.all_atoms())


if __name__ == "__main__":
    sys.exit(main())
