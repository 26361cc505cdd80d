"""What changes between two commits in what is reported about a list of folders; wording does not count.

    python benchmarks/compare_commits.py OLD NEW FOLDER [FOLDER ...]

OLD and NEW are revisions of this repository, or folders that hold a checkout. In each folder both run `check` and
`surface` with their default settings. Compared are, of each finding, its code, path, range, severity, tool, field and
surface, the places that it is related to and the edits of its fix; further the exit codes, the counts, the skipped files,
the surfaces with the reasons why they are open, their tools, policies and references, and the transcripts. Messages,
titles and help are not compared, and a reason that reads differently everywhere in the same way is named as reworded only.

Prints a line for each difference, then how many there are by code. The exit status is 1 if there is any.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

REPOSITORY = Path(__file__).resolve().parents[1]
TIMEOUT = 900
"""Seconds for one run of a command."""

PROSE = ("skipped", "open reason")
"""Facts whose value is a sentence for people."""


class Fact(NamedTuple):
    """One thing reported: `group` is a finding's code or a section of the report, `where` is its place."""

    group: str
    where: str
    value: str


class Changes(NamedTuple):
    """The facts that only one of two runs has, each with its number, and sentences that say the same in other words."""

    lost: Counter[Fact]
    new: Counter[Fact]
    reworded: dict[str, str]


def main(arguments: list[str] | None = None) -> int:
    arguments = sys.argv[1:] if arguments is None else arguments
    if len(arguments) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    totals: dict[str, Counter[str]] = defaultdict(Counter)
    with tempfile.TemporaryDirectory() as name:
        sides = zip(arguments[:2], ("old", "new"), strict=True)
        checkouts = [checkout(revision, Path(name) / side) for revision, side in sides]
        for folder in arguments[2:]:
            old, new = ([*facts(side, folder, Path(name))] for side in checkouts)
            found = changes(old, new)
            print(f"{folder}: {len(old)} -> {len(new)} facts, {found.lost.total()} lost, {found.new.total()} new")
            show(found)
            for title, side in (("lost", found.lost), ("new", found.new)):
                for fact, count in side.items():
                    totals[fact.group][title] += count
    for group, counts in sorted(totals.items()):
        print(f"{group:40} lost {counts['lost']:6} new {counts['new']:6}")
    return 1 if totals else 0


def checkout(revision: str, target: Path) -> Path:
    """The folder of a checkout: the given one, or a revision's files, unpacked."""
    if os.path.isdir(revision):
        root = Path(revision).resolve()
        if not (root / "toolsurface_lint" / "__init__.py").is_file():
            # Else Python would run the installed one without a word.
            raise SystemExit(f"{revision}: no package `toolsurface_lint` is here")
        return root
    with tempfile.TemporaryFile() as archive:
        subprocess.run(["git", "-C", str(REPOSITORY), "archive", revision], stdout=archive, check=True)
        archive.seek(0)
        with tarfile.open(fileobj=archive) as files:
            files.extractall(target, filter="data")
    return target


def facts(root: Path, folder: str, temporary: Path) -> Iterator[Fact]:
    """All that the commit in `root` reports about a folder."""
    code, report = run(root, folder, temporary, "check")
    yield Fact("exit code", "check", str(code))
    yield from report_facts(report)
    code, described = run(root, folder, temporary, "surface")
    yield Fact("exit code", "surface", str(code))
    yield from surface_facts(described)


def run(root: Path, folder: str, temporary: Path, command: str) -> tuple[int, dict[str, Any]]:
    """The exit code and the JSON output of a command; no JSON counts as an empty object."""
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONPYCACHEPREFIX": str(temporary / "compiled")}
    environment["TOOLSURFACE_LINT_NO_CACHE"] = "1"
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    # `-P`: nothing is imported from the folder that is looked at.
    words = [sys.executable, "-P", "-m", "toolsurface_lint", command, "--output", "json"]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, timeout=TIMEOUT, check=False)
    return done.returncode, json.loads(done.stdout or b"{}")


def report_facts(report: dict[str, Any]) -> Iterator[Fact]:
    for diagnostic in report.get("diagnostics", ()):
        fix = diagnostic["fix"]
        value = {key: diagnostic[key] for key in ("severity", "tool", "field", "surface")}
        value["scope"] = diagnostic.get("scope")
        value["related"] = [spot(related) for related in diagnostic["related"]]
        value["fix"] = fix and {"safe": fix["safe"], "edits": [[spot(edit), edit["text"]] for edit in fix["edits"]]}
        yield Fact(diagnostic["code"], spot(diagnostic), written(value))
    for skipped in report.get("skipped", ()):
        yield Fact("skipped", skipped["path"], skipped["reason"])
    for surface in report.get("surfaces", ()):
        yield Fact("surface", surface["name"], written(surface))
    for transcript in report.get("transcripts", ()):
        yield Fact("transcript", transcript["path"], written(transcript))
    for key, count in report.get("summary", {}).items():
        yield Fact("count", key, str(count))


def surface_facts(described: dict[str, Any]) -> Iterator[Fact]:
    for surface in described.get("surfaces", ()):
        name = surface["name"]
        for reason in surface["open_reasons"]:
            yield Fact("open reason", name, reason)
        for section in ("tools", "policies", "prompts", "templates", "references"):
            for item in surface[section]:
                yield Fact(section, f"{name}: {item.get('name') or item.get('path')}", written(item))


def spot(item: dict[str, Any]) -> str:
    if item["range"] is None:
        return str(item["path"])
    ends = (item["range"][end] for end in ("start", "end"))
    return f"{item['path']}:" + "-".join(f"{end['line']}:{end['column']}" for end in ends)


def written(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def changes(before: Iterable[Fact], after: Iterable[Fact]) -> Changes:
    old, new = Counter(before), Counter(after)
    lost, added = old - new, new - old
    kept = {template(fact.value)[0] for fact in new if fact.group in PROSE}
    reworded = {words: others for words, others in rewordings(lost, added).items() if words not in kept}
    for fact in [fact for fact in lost if fact.group in PROSE]:
        words, names = template(fact.value)
        for other in [other for other in added if other[:2] == fact[:2]]:
            if template(other.value) == (reworded.get(words), names):
                count = min(lost[fact], added[other])
                lost[fact] -= count
                added[other] -= count
    return Changes(+lost, +added, reworded)


def rewordings(lost: Counter[Fact], added: Counter[Fact]) -> dict[str, str]:
    """Sentences that gave way to one other each wherever they stood, with the same names in them."""
    there: dict[tuple[object, ...], set[str]] = defaultdict(set)
    for fact in added:
        words, names = template(fact.value)
        there[fact.group, fact.where, names].add(words)
    options: dict[str, set[str]] = {}
    for fact in lost:
        if fact.group in PROSE:
            words, names = template(fact.value)
            found = there[fact.group, fact.where, names]
            options[words] = found & options.get(words, found)
    single = {words: next(iter(found)) for words, found in options.items() if len(found) == 1}
    taken = Counter(single.values())
    return {words: other for words, other in single.items() if taken[other] == 1}


_NAMES = re.compile(r"`[^`]*`|^\S+: |\d+")


def template(sentence: str) -> tuple[str, tuple[str, ...]]:
    """A sentence without the path before it, its numbers and its names in backticks; and these."""
    return _NAMES.sub("_", sentence), tuple(_NAMES.findall(sentence))


def show(found: Changes) -> None:
    for mark, side in (("-", found.lost), ("+", found.new)):
        for fact, count in sorted(side.items()):
            times = f" ({count} times)" if count > 1 else ""
            print(f"  {mark} {fact.group} {fact.where} {fact.value}{times}")
    for old, new in found.reworded.items():
        print(f"  reworded: {old!r} -> {new!r}")


if __name__ == "__main__":
    sys.exit(main())
