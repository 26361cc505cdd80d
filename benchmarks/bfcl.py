"""What the questions and answers of the Berkeley Function Calling Leaderboard are found to break, and what jsonschema says.

    python benchmarks/bfcl.py [FOLDER] [--show]

FOLDER is the folder `data` of the PyPI package bfcl-eval; without it that of the installed package is used. All of it is
checked as by the command. The same is counted with the library jsonschema, from the files alone: for each expected call,
whether a value that it accepts breaks the function's schema, or an argument is missing or not declared; for each definition,
the defaults and the enums that break the schema that they are part of. Prints both counts, and with `--show` what differs;
fails if anything does.

What counts, for both:
- Types are those of JSON Schema by `TYPES` below, which is the package's own `GORILLA_TO_OPENAPI`, but that `any` is any
  value.
- Every accepted value of an argument is checked: a call breaks its schema if one of them does. Of an object, alone or in a
  list, each member has accepted values of its own, and no deeper. An empty text means that the argument may be left out;
  where it is all that is accepted for a required argument it is the value. An argument for which nothing is accepted is
  missing.
- What a function does not declare is not accepted, as by the package's checker.

Of 2026.3.23, in 10 files of answers with 3,302 expected calls, both find 558 arguments that break the schema, in 212 calls:
435 of a wrong type, 111 not of the enum, 8 that are required and missing, 4 that are not declared. In the definitions of 13
files of questions both find 110 defaults other than null and 24 enums of the wrong type. (An earlier count of 2,702 calls
had 96; without those of the first reason below, which are a matter of taste, ours are 111.) Read, the 212 calls are:

- 101 that accept null and have nothing else wrong, where the definition has null as the default and a type without it.
- 18 of Java and JavaScript in which a text stands for an array, an object or a number: the name of a variable of the user's
  program, as the package means it. Whoever trains on the answers trains a text.
- the others: `false` for an enum of `"False"`, `dontcare` where the enum or the type does not have it, words that are not of
  the enum (`ft`, `GF`, `bronze`), enums on an array in place of its items, texts for numbers, and arguments that no function
  has.

Beside them, the same `ticket_id="ticket_001"` for an integer in each of the four files of answers in several turns, and what
the files break that the package does not use any more: neither is compared here.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator

from toolsurface_lint import check_paths

TYPES = {
    "integer": "integer", "number": "number", "float": "number", "string": "string", "boolean": "boolean",
    "bool": "boolean", "array": "array", "list": "array", "dict": "object", "object": "object", "tuple": "array",
    "byte": "integer", "short": "integer", "long": "integer", "double": "number", "char": "string",
    "ArrayList": "array", "Array": "array", "HashMap": "object", "Hashtable": "object", "Queue": "array",
    "Stack": "array", "String": "string", "Boolean": "boolean", "Bigint": "integer",
}  # fmt: skip
KINDS = {"required": "required", "additionalProperties": "unknown argument", "enum": "enum"}


class Break(NamedTuple):
    """One argument of an expected call that breaks the schema, or one default or enum of a definition."""

    file: str
    row: int
    name: str
    argument: str
    kind: str


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args(arguments)
    folder = options.folder or installed()
    if folder is None or not any(folder.glob("possible_answer/*.json")):
        print("no answers", file=sys.stderr)
        return 1
    report = check_paths([str(folder)], isolated=True)
    expected, calls = by_jsonschema(folder)
    differ = 0
    for title, ours, theirs in (
        ("calls", set(calls_of(report, folder)), expected),
        ("definitions", set(definitions_of(report, folder)), set(wrong_definitions(folder))),
    ):
        print(f"{title}:")
        for whose, found in (("toolsurface-lint", ours), ("jsonschema", theirs)):
            kinds = Counter(each.kind for each in found)
            print(
                f"    {whose}: {len(found)} ({', '.join(f'{number} {kind}' for kind, number in sorted(kinds.items()))})"
            )
        if title == "calls":
            print(f"    in {len({each[:2] for each in ours})} rows, of {calls} expected calls")
        differ += len(ours ^ theirs)
        for each in sorted(ours ^ theirs) if options.show else ():
            print(f"    only {'toolsurface-lint' if each in ours else 'jsonschema'}: {each}")
    return int(differ > 0)


def installed() -> Path | None:
    found = importlib.util.find_spec("bfcl_eval")
    return None if found is None or found.origin is None else Path(found.origin).parent / "data"


def rows(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


# What is reported

_ARGUMENT = re.compile(r"breaks its schema: `([^`.\[]+)[^`]*` (is missing|is not declared|must be one of)?")
_SAID = {"is missing": "required", "is not declared": "unknown argument", "must be one of": "enum"}


def calls_of(report: Any, folder: Path) -> Iterator[Break]:
    for diagnostic in report.diagnostics:
        path = Path(diagnostic.location.path if diagnostic.location is not None else "").absolute()
        file = path.name
        in_scope = path.parent == folder.absolute() / "possible_answer" and "multi_turn" not in file
        if not in_scope or not diagnostic.code.startswith("CALL_"):
            continue
        found = _ARGUMENT.search(diagnostic.message)
        argument, said = found.groups() if found is not None else (diagnostic.message, None)
        yield Break(
            file, diagnostic.location.range.start.line, diagnostic.tool, argument, _SAID.get(said or "", "type")
        )


_DEFAULT = re.compile(r"\Athe default of (?:an item of |a part of )?`([^`]+)`")


def definitions_of(report: Any, folder: Path) -> Iterator[Break]:
    for diagnostic in report.diagnostics:
        path = Path(diagnostic.location.path if diagnostic.location is not None else "").absolute()
        if path.parent != folder.absolute():
            continue
        if diagnostic.code == "TOOL_SCHEMA_DEFAULT_INVALID":
            yield Break(path.name, 0, diagnostic.tool, diagnostic.field, "default")
        elif diagnostic.code == "TOOL_SCHEMA_ENUM_TYPE_MISMATCH":
            yield Break(path.name, 0, diagnostic.tool, diagnostic.field, "enum")


# What jsonschema says


def standard(schema: Any) -> Any:
    """A schema with the types of JSON Schema; a type that the table does not have is left out."""
    if isinstance(schema, list):
        return [standard(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    copy: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "type" and isinstance(value, str):
            if value in TYPES:
                copy[key] = TYPES[value]
        elif key == "properties" and isinstance(value, dict):
            copy[key] = {name: standard(member) for name, member in value.items()}
        else:
            copy[key] = value if key in ("enum", "default", "required") else standard(value)
    return copy


def by_jsonschema(folder: Path) -> tuple[set[Break], int]:
    """What the expected calls break, and how many there are."""
    found: set[Break] = set()
    calls = 0
    for path in sorted(folder.glob("possible_answer/*.json")):
        if "multi_turn" in path.name:
            continue
        questions = {row["id"]: row for row in rows(folder / path.name)}
        for line, row in enumerate(rows(path), 1):
            functions = {
                tool["name"]: standard(tool["parameters"]) for tool in questions[row["id"]].get("function", ())
            }
            for call in row["ground_truth"]:
                for name, arguments in call.items() if isinstance(call, dict) else ():
                    calls += 1
                    for argument, kind in broken(functions[name], arguments):
                        found.add(Break(path.name, line, name, argument, kind))
    return found, calls


def broken(schema: dict[str, Any], arguments: dict[str, list[Any]]) -> Iterator[tuple[str, str]]:
    required = schema.get("required", [])
    declared = schema.get("properties", {})
    for name in required:
        if not arguments.get(name):
            yield name, "required"
    for name, accepted in arguments.items():
        if name not in declared:
            yield name, "unknown argument"
            continue
        values = [value for value in accepted if value != ""] or (accepted[:1] if name in required else [])
        for option in values:
            for value in plain(option):
                for error in Draft202012Validator(declared[name]).iter_errors(value):
                    yield name, KINDS.get(str(error.validator), str(error.validator))


def plain(option: Any) -> list[Any]:
    """The values that an accepted value stands for: of an object, one for each value that a member accepts."""
    if isinstance(option, dict):
        members = {
            key: [value for value in accepted if value != ""] if isinstance(accepted, list) else [accepted]
            for key, accepted in option.items()
        }
        first = {key: values[0] for key, values in members.items() if values}
        return [first, *({**first, key: value} for key, values in members.items() for value in values[1:])]
    if isinstance(option, list) and any(isinstance(item, dict) for item in option):
        items = [plain(item) for item in option]
        first_items = [values[0] for values in items]
        others = [(index, value) for index, values in enumerate(items) for value in values[1:]]
        return [first_items, *([*first_items[:at], value, *first_items[at + 1 :]] for at, value in others)]
    return [option]


def wrong_definitions(folder: Path) -> Iterator[Break]:
    for path in sorted(folder.glob("*.json")):
        try:
            functions = [tool for row in rows(path) for tool in row.get("function", ())]
        except json.JSONDecodeError:
            continue
        for tool in functions:
            for field, kind in wrong_in(standard(tool["parameters"]), "parameters"):
                yield Break(path.name, 0, tool["name"], field, kind)


def wrong_in(schema: Any, field: str) -> Iterator[tuple[str, str]]:
    """The places of a schema whose default breaks it, unless it is null, or whose enum does."""
    if not isinstance(schema, dict):
        return
    rest = {key: value for key, value in schema.items() if key not in ("default", "required", "properties")}
    rest |= {key: schema[key] for key in ("properties", "required") if key in schema}
    if schema.get("default") is not None and not Draft202012Validator(rest).is_valid(schema["default"]):
        yield field, "default"
    stated = {"type": schema["type"]} if "type" in schema else {}
    if any(not Draft202012Validator(stated).is_valid(value) for value in schema.get("enum", ())):
        yield field, "enum"
    for name, member in schema.get("properties", {}).items():
        yield from wrong_in(member, f"{field}.{name}")
    yield from wrong_in(schema.get("items"), field)


if __name__ == "__main__":
    sys.exit(main())
