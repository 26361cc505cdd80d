"""How much of what published Python servers serve is found in their source, and how exactly.

    python benchmarks/python_servers.py [FOLDER]

FOLDER holds one folder a server, each with `src/` (the package) and `tools_list.json` (what the server answers to
tools/list); by default `../shared/inputs/python` beside the repository. Per server: tools served, found and wrongly found;
of the tools found, the share of parameter names, required flags and first description lines that are equal. The first
table asks the reader for Python alone and times it, the second asks `inspect_paths`, as the command `surface` does.
With `-v`, every difference is printed.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from toolsurface_lint.api import inspect_paths
from toolsurface_lint.readers.programs.definitions import ProgramTools
from toolsurface_lint.readers.programs.tools import read_programs
from toolsurface_lint.source.text import SourceText, Unreadable, decode


class Found(NamedTuple):
    """A tool as far as it is compared: whether each of its parameters is required, and its description."""

    name: str
    parameters: dict[str, bool]
    description: str


class Figures(NamedTuple):
    """Counts of one server; each pair is equal and compared."""

    served: int
    found: int
    wrong: int
    parameters: tuple[int, int]
    required: tuple[int, int]
    descriptions: tuple[int, int]


def read_server(folder: Path) -> tuple[ProgramTools, float, int]:
    """The tools of a server's source, the seconds that it took, and the bytes of source."""
    files: list[SourceText] = []
    size = 0
    for path in sorted(folder.rglob("*.py")):
        data = path.read_bytes()
        size += len(data)
        try:
            files.append(SourceText(path.relative_to(folder).as_posix(), decode(data)))
        except Unreadable:
            continue
    start = time.perf_counter()
    tools = read_programs(files)
    return tools, time.perf_counter() - start, size


def of_reader(tools: ProgramTools) -> list[Found]:
    """The tools found, without those behind settings that are off by default."""
    return [
        Found(
            tool.name,
            {parameter.name: parameter.required for parameter in tool.parameters},
            "" if tool.description is None else tool.description.value,
        )
        for tool in tools.tools
        if not tool.optional
    ]


def of_surfaces(surfaces: list[dict[str, Any]]) -> list[Found]:
    """The active tools of described surfaces."""
    return [
        Found(
            tool["name"],
            {parameter["name"]: parameter["required"] for parameter in tool["parameters"]},
            tool["description"] or "",
        )
        for surface in surfaces
        for tool in surface["tools"]
        if tool["active"]
    ]


def compare(tools: list[Found], served: list[dict[str, Any]], *, verbose: bool = False) -> Figures:
    """Hold tools found against the served list."""
    found = {tool.name: tool for tool in tools}
    answers = {answer["name"]: answer for answer in served}
    names = sorted(found.keys() & answers.keys())
    parameters, required, descriptions = [0, 0], [0, 0], [0, 0]
    for name in names:
        tool, schema = found[name], answers[name].get("inputSchema") or {}
        theirs, ours = set(schema.get("properties") or {}), set(tool.parameters)
        parameters[0] += len(theirs & ours)
        parameters[1] += len(theirs | ours)
        needed = set(schema.get("required") or ())
        for parameter, is_required in tool.parameters.items():
            if parameter in theirs:
                required[0] += is_required == (parameter in needed)
                required[1] += 1
        said = tool.description
        same = first_line(said) == first_line(answers[name].get("description") or "")
        descriptions[0] += same
        descriptions[1] += 1
        if verbose and (theirs != ours or not same):
            print(f"    {name}: only served {sorted(theirs - ours)}, only found {sorted(ours - theirs)}")
            if not same:
                print(
                    f"      served: {first_line(answers[name].get('description') or '')!r}\n      found:  {first_line(said)!r}"
                )
    if verbose:
        print("    missing:", sorted(answers.keys() - found.keys()), "wrong:", sorted(found.keys() - answers.keys()))
    return Figures(
        len(answers), len(names), len(found.keys() - answers.keys()),
        (parameters[0], parameters[1]), (required[0], required[1]), (descriptions[0], descriptions[1]),
    )  # fmt: skip


def first_line(text: str) -> str:
    lines = text.strip().split("\n")
    return lines[0].strip()


def percent(pair: tuple[int, int]) -> str:
    return f"{100 * pair[0] / pair[1]:.1f} %" if pair[1] else "-"


class Table:
    """Prints a line for each server and one for all."""

    def __init__(self, title: str) -> None:
        self.totals = [0] * 9
        print(f"{title:42} served found wrong  names   required  first lines  open   ms  MB/s")

    def add(self, server: str, figures: Figures, is_open: bool, seconds: float, size: int) -> None:
        numbers = (
            figures.served, figures.found, figures.wrong, *figures.parameters, *figures.required, *figures.descriptions,
        )  # fmt: skip
        self.totals = [total + number for total, number in zip(self.totals, numbers, strict=True)]
        print(
            f"{server:42} {figures.served:6} {figures.found:5} {figures.wrong:5} {percent(figures.parameters):>8}"
            f" {percent(figures.required):>9} {percent(figures.descriptions):>9}"
            f"   {'open' if is_open else '-':>6} {seconds * 1000:5.0f} {size / seconds / 1e6:5.1f}"
        )

    def end(self) -> None:
        served, found, wrong, *pairs = self.totals
        print(
            f"{'all':42} {served:6} {found:5} {wrong:5} {percent((pairs[0], pairs[1])):>8}"
            f" {percent((pairs[2], pairs[3])):>9} {percent((pairs[4], pairs[5])):>9}\n"
            f"found {percent((found, served))} of what is served; {percent((found, found + wrong))} of what is found is served"
        )


def main() -> None:
    arguments = [argument for argument in sys.argv[1:] if argument != "-v"]
    verbose = "-v" in sys.argv
    here = Path(__file__).resolve().parents[1]
    folder = Path(arguments[0]) if arguments else here.parent / "shared" / "inputs" / "python"
    servers = {
        path.parent: json.loads(path.read_text(encoding="utf-8"))["tools"]
        for path in sorted(folder.glob("*/tools_list.json"))
    }
    sizes: dict[Path, int] = {}
    table = Table("reader")
    for server, answers in servers.items():
        tools, seconds, sizes[server] = read_server(server / "src")
        figures = compare(of_reader(tools), answers, verbose=verbose)
        table.add(server.name, figures, bool(tools.reasons), seconds, sizes[server])
        for reason in tools.reasons:
            print(f"    {reason.source.path}:{reason.line}: {reason.text}")
        for path, problems in tools.problems.items() if verbose else ():
            print("   ", path, problems)
    table.end()
    print()
    table = Table("inspect_paths")
    for server, answers in servers.items():
        start = time.perf_counter()
        surfaces = inspect_paths([str(server / "src")], isolated=True)["surfaces"]
        seconds = time.perf_counter() - start
        figures = compare(of_surfaces(surfaces), answers)
        table.add(server.name, figures, any(surface["open"] for surface in surfaces), seconds, sizes[server])
    table.end()


if __name__ == "__main__":
    main()
