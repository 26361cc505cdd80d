"""How much of what published Python servers serve is found in their source, and how exactly.

    python benchmarks/python_servers.py [FOLDER]

FOLDER holds one folder a server, each with `src/` (the package) and `tools_list.json` (what the server answers to
tools/list); by default `../shared/inputs/python` beside the repository. Per server: tools served, found and wrongly found;
of the tools found, the share of parameter names, required flags and first description lines that are equal.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from toolsurface_lint.model.tool import Tool
from toolsurface_lint.readers.python_tools import PythonTools, read_python_project
from toolsurface_lint.source.text import SourceText, Unreadable, decode


class Figures(NamedTuple):
    """Counts of one server; each pair is equal and compared."""

    served: int
    found: int
    wrong: int
    parameters: tuple[int, int]
    required: tuple[int, int]
    descriptions: tuple[int, int]


def read_server(folder: Path) -> tuple[PythonTools, float, int]:
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
    tools = read_python_project(files)
    return tools, time.perf_counter() - start, size


def compare(tools: list[Tool], served: list[dict[str, Any]], *, verbose: bool = False) -> Figures:
    """Hold the tools found, without those behind settings that are off by default, against the served list."""
    found = {tool.text: tool for tool in tools if not tool.optional}
    answers = {answer["name"]: answer for answer in served}
    names = sorted(found.keys() & answers.keys())
    parameters, required, descriptions = [0, 0], [0, 0], [0, 0]
    for name in names:
        tool, schema = found[name], answers[name].get("inputSchema") or {}
        theirs, ours = set(schema.get("properties") or {}), {parameter.name for parameter in tool.parameters}
        parameters[0] += len(theirs & ours)
        parameters[1] += len(theirs | ours)
        needed = set(schema.get("required") or ())
        for parameter in tool.parameters:
            if parameter.name in theirs:
                required[0] += parameter.required == (parameter.name in needed)
                required[1] += 1
        said = tool.description.value if tool.description is not None else ""
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


def main() -> None:
    arguments = [argument for argument in sys.argv[1:] if argument != "-v"]
    here = Path(__file__).resolve().parents[1]
    folder = Path(arguments[0]) if arguments else here.parent / "shared" / "inputs" / "python"
    print(f"{'server':42} served found wrong  names   required  first lines  open   ms  MB/s")
    totals = [0, 0, 0, 0, 0, 0, 0, 0, 0]
    for server in sorted(path.parent for path in folder.glob("*/tools_list.json")):
        answer = json.loads((server / "tools_list.json").read_text(encoding="utf-8"))
        tools, seconds, size = read_server(server / "src")
        figures = compare(tools.tools, answer["tools"], verbose="-v" in sys.argv)
        numbers = (
            figures.served, figures.found, figures.wrong, *figures.parameters, *figures.required, *figures.descriptions,
        )  # fmt: skip
        totals = [total + number for total, number in zip(totals, numbers, strict=True)]
        print(
            f"{server.name:42} {figures.served:6} {figures.found:5} {figures.wrong:5} {percent(figures.parameters):>8}"
            f" {percent(figures.required):>9} {percent(figures.descriptions):>9}"
            f"   {'open' if tools.reasons else '-':>6} {seconds * 1000:5.0f} {size / seconds / 1e6:5.1f}"
        )
        for reason in tools.reasons:
            print(f"    {reason.source.path}:{reason.line}: {reason.text}")
        if "-v" in sys.argv:
            for path, problems in tools.problems.items():
                print("   ", path, problems)
    served, found, wrong, *pairs = totals
    print(
        f"{'all':42} {served:6} {found:5} {wrong:5} {percent((pairs[0], pairs[1])):>8} {percent((pairs[2], pairs[3])):>9}"
        f" {percent((pairs[4], pairs[5])):>9}\nfound {percent((found, served))} of what is served;"
        f" {percent((found, found + wrong))} of what is found is served"
    )


if __name__ == "__main__":
    main()
