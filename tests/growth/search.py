"""The search: atoms at the places of documents, blocks repeated, and the work of every place of the code compared.

`install` has to run before anything of the package is imported; see `tests.growth.counting`.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from itertools import compress
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from tests.growth import counting
from tests.growth.atoms import Atom, all_atoms, core
from tests.growth.documents import DOCUMENTS, Document

COUNTED = ("toolsurface_lint", "markdown_it", "mdurl", "jsonschema", "referencing", "yaml")
SIZES = (16, 64, 256, 1024)
"""Repetitions; from the third on only where those before are suspicious."""
RATIO = 5.4
"""Growth for four times the repetitions up to which it counts as n log n, which is 5.3 from 64 to 256."""
FLOOR = 20
"""Work at one place of the code for each repetition below which nothing is said."""
_PATIENCE = 120
"""Seconds after which a run has failed; no run that ends takes one."""
_MOST = 500_000
"""Work at one size up to which the short search follows all blocks of a document at once."""
_PAIRED = 5
"""Blocks of a document up to which each is repeated with each other."""
_DATA = (".json", ".jsonc", ".jsonl", ".yaml", ".toml", ".py", ".ts", ".go", ".rs", ".java", ".kt", ".cs", ".traj")

Place = tuple[str, int]


class Case(NamedTuple):
    """One input that grows: atoms at places of a document, and which of its blocks are repeated."""

    document: str
    texts: Mapping[Place, Atom] = {}
    blocks: tuple[Place, ...] = ()
    most: float = inf
    """Work after which it is not followed to more repetitions."""

    def files(self, size: int) -> dict[str, str]:
        texts = {place: atom.times(size) for place, atom in self.texts.items()}
        return BY_NAME[self.document].written(texts, dict.fromkeys(self.blocks, size))


class Hit(NamedTuple):
    """A place of the code whose work grows too fast; `counts` are those of the sizes."""

    case: Case
    where: str
    counts: tuple[int, ...]

    @property
    def ratio(self) -> float:
        return self.counts[-1] / max(1, self.counts[-2])

    def __str__(self) -> str:
        return f"{self.where}: {' -> '.join(map(str, self.counts))} (x {self.ratio:.1f}) for {self.case!r}"


class Outcome(NamedTuple):
    """What a search has come to: runs, the worst growth that is no hit, the hits, and how many cases were not followed to
    an end.
    """

    runs: int
    worst: float
    hits: tuple[Hit, ...]
    left: int = 0


FIXED = tuple(
    map(
        Atom, ("[[CALL]]", "\u200b", ">", "- ", "> ", "&a ", '{"name": "read_note"}', "toolsurface-lint: ignore-line\n")
    )
)
"""Atoms that once took more than linear time somewhere."""
_EVERY = 80
"""One of how many other atoms the short search tries with each document."""
_SHARE = 3
"""One of how many atoms it tries at each place that may end the reading of a file."""

BY_NAME = {document.name: document for document in DOCUMENTS}


def install() -> None:
    counting.install(COUNTED)
    os.environ["TZ"] = "UTC"


def block_cases(document: Document, *, short: bool = False) -> Iterator[Case]:
    """Each block repeated by itself, each with each other unless there are many, and all at once.

    The short search leaves the pairs to the case of all at once, which repeats both blocks of each pair too.
    """
    blocks = document.blocks()
    for index, block in enumerate(blocks):
        yield Case(document.name, {}, (block,))
        for other in blocks[:index] if len(blocks) <= _PAIRED and not short else ():
            yield Case(document.name, {}, (other, block))
    if len(blocks) > (1 if short else 2):
        yield Case(document.name, {}, tuple(blocks), _MOST if short else inf)


def atom_cases(document: Document, atoms: Sequence[Atom], share: int = 1) -> Iterator[Case]:
    """Every atom at every place: different ones at all places of prose and strings in one case, as what one place costs
    shows beside the others; by itself where it may end the reading of the file, and there only one of `share`, others at
    each place.
    """
    together: list[Place] = []
    alone: list[Place] = []
    marks = {path: [mark for mark in text if mark in "§¤"] for path, text in document.files.items()}
    for path, index in document.places():
        breaks = marks[path][index] == "§" and path.endswith(_DATA)
        (alone if breaks else together).append((path, index))
    for turn, atom in enumerate(atoms):
        if together:
            step = max(1, len(atoms) // len(together))
            yield Case(
                document.name,
                {place: atoms[(turn + step * position) % len(atoms)] for position, place in enumerate(together)},
            )
        for place in alone[-turn % share :: share]:
            yield Case(document.name, {place: atom})


def cases_of(document: Document, *, short: bool) -> list[Case]:
    """What is tried with one document: in the short search two of the atoms that have once been hits, and some of the
    others, different ones for each document.
    """
    if not short:
        return [*block_cases(document), *atom_cases(document, all_atoms())]
    position = DOCUMENTS.index(document)
    once = [FIXED[(position + step) % len(FIXED)] for step in (0, len(FIXED) // 2)]
    some = [*once, *core()[position % _EVERY :: _EVERY]]
    return [*block_cases(document, short=True), *atom_cases(document, some, _SHARE)]


def search(cases: Iterable[Case]) -> Outcome:
    """Run every case and compare its work at growing sizes."""
    hits: dict[str, Hit] = {}
    runs, worst = 0, 1.0
    left = 0
    with _workplace() as folder:
        for case in cases:
            runs += 1
            try:
                found = examined(case, folder)
            except TooMuchWork:
                left += 1
                continue
            except TimeoutError as error:
                hits[str(error)] = Hit(case, str(error), (0, 0))
                continue
            for hit in found:
                if hit.where not in hits:
                    hits[hit.where] = hit._replace(case=_smallest(hit, folder))
            worst = max(worst, _growth.worst)
    return Outcome(runs, worst, tuple(hits.values()), left)


class _Growth:
    worst = 1.0


_growth = _Growth()


class TooMuchWork(Exception):
    """A case is too large to be followed to more repetitions."""


def examined(case: Case, folder: Path) -> list[Hit]:
    """The places of the code that work too much on a case. Raises TooMuchWork if more than its most is needed to say."""
    before = work(case, SIZES[0], folder)
    if sum(before.values()) > case.most:
        raise TooMuchWork
    after = work(case, SIZES[1], folder)
    suspects = [place for place in after if _is_too_much(before.get(place, 0), after[place], SIZES[1])]
    _growth.worst = max((after[place] / before[place] for place in _grown(before, after)), default=1.0)
    counts = [before, after]
    for size in SIZES[2:]:
        if suspects:
            if sum(counts[-1].values()) > case.most:
                raise TooMuchWork
            counts.append(work(case, size, folder))
            suspects = [
                place for place in suspects if _is_too_much(counts[-2].get(place, 0), counts[-1].get(place, 0), size)
            ]
    return [Hit(case, counting.PLACES[place], tuple(count.get(place, 0) for count in counts)) for place in suspects]


def _grown(before: Mapping[int, int], after: Mapping[int, int]) -> list[int]:
    """Where growth says something: enough work at both sizes, and no hit."""
    return [
        place
        for place in after
        if before.get(place, 0) > FLOOR * SIZES[0] and not _is_too_much(before[place], after[place], SIZES[1])
    ]


def _is_too_much(before: int, after: int, size: int) -> bool:
    return after > FLOOR * size and after > RATIO * before


def _smallest(hit: Hit, folder: Path) -> Case:
    """The one atom or block of a case that is enough for a hit, if one is."""
    case = hit.case
    parts = [Case(case.document, {place: atom}) for place, atom in case.texts.items()]
    parts += [Case(case.document, {}, (block,)) for block in case.blocks]
    for part in parts if len(parts) > 1 else ():
        if any(found.where == hit.where for found in examined(part, folder)):
            return part
    return case


def work(case: Case, size: int, folder: Path) -> dict[int, int]:
    """The work of every place of the code that has done any, by the place's number."""
    check(case.files(size), BY_NAME[case.document].options, folder, counted=True)
    return {place: counting.COUNTS[place] for place in compress(range(len(counting.COUNTS)), counting.COUNTS)}


def check(files: Mapping[str, str], options: Mapping[str, Any], folder: Path, *, counted: bool) -> None:
    """Check one folder with every rule on, as the command does."""
    from toolsurface_lint.api import check_paths
    from toolsurface_lint.project.settings import SettingsError

    _write(files, folder)
    if counted:
        counting.reset()
    with _patience(), suppress(SettingsError):
        check_paths(
            ["."],
            isolated="toolsurface.toml" not in files,
            select=["ALL"],
            today=date(2026, 1, 1),
            **options,
        )


def _write(files: Mapping[str, str], folder: Path) -> None:
    for entry in list(folder.iterdir()):
        if entry.is_dir():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode("utf-8", "surrogatepass"))


@contextmanager
def _workplace() -> Iterator[Path]:
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        try:
            yield Path(name)
        finally:
            os.chdir(before)


@contextmanager
def _patience() -> Iterator[None]:
    def tired(*_: Any) -> None:
        raise TimeoutError(f"a run that takes more than {_PATIENCE} seconds")

    with suppress(AttributeError):
        signal.signal(signal.SIGALRM, tired)
        signal.alarm(_PATIENCE)
    try:
        yield
    finally:
        with suppress(AttributeError):
            signal.alarm(0)


TIMES = (1024, 4096)
_TIME_RATIO = 7.0
_TIME_FLOOR = 0.2


def timed(document: Document) -> Outcome:
    """Processor time in place of counts, of larger inputs: what C code does shows, and so does whatever is not counted.

    Only growth that three runs agree on is a hit, as time depends on the machine.
    """
    atoms = core()[::5]
    cases = [*block_cases(document), *atom_cases(document, [*FIXED, *atoms])]
    hits = []
    worst = 1.0
    with _workplace() as folder:
        for case in cases:
            seconds = [_seconds(case, size, folder) for size in TIMES]
            if seconds[1] > _TIME_FLOOR and seconds[1] > _TIME_RATIO * seconds[0]:
                seconds = [min(_seconds(case, size, folder) for _ in range(3)) for size in TIMES]
            ratio = seconds[1] / max(seconds[0], _TIME_FLOOR / _TIME_RATIO)
            if ratio > _TIME_RATIO:
                hits.append(Hit(case, "processor time, ms", tuple(round(each * 1000) for each in seconds)))
            else:
                worst = max(worst, ratio)
    return Outcome(len(cases), worst, tuple(hits))


def _seconds(case: Case, size: int, folder: Path) -> float:
    files = case.files(size)
    started = time.process_time()
    check(files, BY_NAME[case.document].options, folder, counted=False)
    return time.process_time() - started
