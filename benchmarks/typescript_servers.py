"""How much of what published npm servers serve is found in their source, and how exactly.

    python benchmarks/typescript_servers.py --record FOLDER [NAME...]
    python benchmarks/typescript_servers.py FOLDER [NAME...] [-v]

The first form installs the servers of `typescript_servers.toml`, or those named, starts each once, and records in FOLDER what
it serves (see `recording.py`). The second runs nothing: it reads the source of each recording with `inspect_paths`, as the
command `surface` does, and compares. Per server: tools served, found, and found but not served; of the tools found, the share
of parameters with the type and the required flag that are served, and the share of equal descriptions; whether the surface
is reported as open. A tool that the version has and the recorded start did not serve, for want of a setting or a network,
stands under `more` in its row and counts as neither found nor wrong.

With `-v`, every difference and every reason of an open surface is printed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

from _recording import record_all, servers

from toolsurface_lint.api import inspect_paths


class Parameter(NamedTuple):
    """The names of the types that a parameter may have, none where its schema has none, and whether it must be given."""

    types: frozenset[str]
    required: bool


class Tool(NamedTuple):
    """A tool as far as it is compared."""

    description: str
    parameters: dict[str, Parameter]


class Figures(NamedTuple):
    """Counts of one server, or of all."""

    served: int = 0
    found: int = 0
    wrong: int = 0
    parameters: int = 0
    same_parameters: int = 0
    same_descriptions: int = 0

    def plus(self, other: Figures) -> Figures:
        return Figures(*(ours + theirs for ours, theirs in zip(self, other, strict=True)))


def types_of(schema: Any, root: dict[str, Any]) -> frozenset[str]:
    """The types that a served schema names: itself, in its alternatives, or behind a reference to a definition."""
    if not isinstance(schema, dict):
        return frozenset()
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/"):
        target: Any = root
        for key in reference[2:].split("/"):
            target = target.get(key.replace("~1", "/").replace("~0", "~"), {}) if isinstance(target, dict) else {}
        return types_of(target, root)
    stated = schema.get("type")
    if stated is not None:
        return frozenset([stated] if isinstance(stated, str) else stated)
    options = schema.get("anyOf") or schema.get("oneOf") or ()
    return frozenset().union(*(types_of(option, root) for option in options))


def served_tools(answers: list[dict[str, Any]]) -> dict[str, Tool]:
    """The tools of a recorded answer to tools/list, by name."""
    tools: dict[str, Tool] = {}
    for answer in answers:
        schema = answer.get("inputSchema") or {}
        required = set(schema.get("required") or ())
        parameters = {
            name: Parameter(types_of(definition, schema), name in required)
            for name, definition in (schema.get("properties") or {}).items()
        }
        tools[answer["name"]] = Tool(answer.get("description") or "", parameters)
    return tools


def found_tools(surfaces: list[dict[str, Any]]) -> dict[str, Tool]:
    """The active tools of described surfaces, by name."""
    tools: dict[str, Tool] = {}
    for surface in surfaces:
        for tool in surface["tools"]:
            if tool["active"]:
                parameters = {
                    parameter["name"]: Parameter(
                        frozenset((parameter["type"] or "").split("|")) - {""}, parameter["required"]
                    )
                    for parameter in tool["parameters"]
                }
                tools.setdefault(tool["name"], Tool(tool["description"] or "", parameters))
    return tools


def compare(found: dict[str, Tool], served: dict[str, Tool], more: list[str], *, verbose: bool) -> Figures:
    """Compare the tools found with the tools served."""
    wrong = sorted(found.keys() - served.keys() - set(more))
    figures = Figures(len(served), 0, len(wrong))
    for name in sorted(found.keys() & served.keys()):
        ours, theirs = found[name], served[name]
        every = sorted(ours.parameters.keys() | theirs.parameters.keys())
        different = [key for key in every if ours.parameters.get(key) != theirs.parameters.get(key)]
        same_description = ours.description.strip() == theirs.description.strip()
        figures = figures.plus(Figures(0, 1, 0, len(every), len(every) - len(different), same_description))
        if verbose:
            for key in different:
                print(f"    {name}.{key}: {said(theirs.parameters.get(key))}, found {said(ours.parameters.get(key))}")
            if not same_description:
                print(f"    {name}: served {theirs.description!r}\n      found {ours.description!r}")
    if verbose:
        for title, names in (("missing", sorted(served.keys() - found.keys())), ("wrong", wrong)):
            if names:
                print(f"    {title}: {' '.join(names)}")
    return figures


def said(parameter: Parameter | None) -> str:
    if parameter is None:
        return "nothing"
    return ("|".join(sorted(parameter.types)) or "any") + (" required" if parameter.required else "")


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


def line(name: str, figures: Figures, state: str, seconds: float) -> str:
    return (
        f"{name:22} {figures.served:6} {figures.found:6} {figures.wrong:6}"
        f" {percent(figures.same_parameters, figures.parameters):>11}"
        f" {percent(figures.same_descriptions, figures.found):>13} {state:>6} {seconds:8.2f}"
    )


def read_all(folder: Path, names: list[str], *, verbose: bool) -> None:
    """Read every recording in a folder, or those named, and print the table."""
    more = {server.name: server.more for server in servers()}
    total, whole_time, open_servers = Figures(), 0.0, 0
    print(f"{'server':22} served  found  wrong  parameters  descriptions   open  seconds")
    recordings = [path.parent for path in sorted(folder.glob("*/tools_list.json"))]
    for recording in [path for path in recordings if not names or path.name in names]:
        answers = json.loads((recording / "tools_list.json").read_text(encoding="utf-8"))["tools"]
        start = time.perf_counter()
        surfaces = inspect_paths([str(recording / "src")], isolated=True)["surfaces"]
        seconds = time.perf_counter() - start
        figures = compare(found_tools(surfaces), served_tools(answers), more.get(recording.name, []), verbose=verbose)
        reasons = [reason for surface in surfaces if surface["open"] for reason in surface["open_reasons"]]
        print(line(recording.name, figures, "open" if reasons else "-", seconds), flush=True)
        for reason in reasons if verbose else reasons[:1] if figures.found < figures.served else ():
            print(f"    {reason}")
        total, whole_time, open_servers = total.plus(figures), whole_time + seconds, open_servers + bool(reasons)
    print(line("all", total, str(open_servers), whole_time))
    print(
        f"found {percent(total.found, total.served)} of what is served; "
        f"{percent(total.found, total.found + total.wrong)} of what is found is served"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("-v", dest="verbose", action="store_true")
    arguments = parser.parse_args()
    if arguments.record:
        record_all(arguments.folder.resolve(), arguments.names)
    else:
        read_all(arguments.folder, arguments.names, verbose=arguments.verbose)


if __name__ == "__main__":
    main()
