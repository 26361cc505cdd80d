"""How the profiles of providers agree with the cases by which other projects test theirs.

    python benchmarks/provider_cases.py --jsonschemaprofiles CHECKOUT --walle CHECKOUT [--all]

`jsonschemaprofiles` is a checkout of UnitVectorY-Labs/jsonschemaprofiles, `walle` one of MoonshotAI/walle. Each of their
cases is a schema that a provider accepts or refuses. It is made the parameters of a tool, and refused if a rule about schemas
reports an error or a warning with that provider. Prints the cases in which the two differ (`--all`: every case) with our
explanation, which is in `provider_cases.toml`, then how many of each set agree. Fails for a difference without an
explanation, and for an explanation without a difference.

A schema that describes no object becomes a property of one, with its definitions at the top, as the parameters of a tool are
an object for every provider; but not for OpenAI, whose cases are about the top as well.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import tomli

from toolsurface_lint import check_paths

EXPLANATIONS = Path(__file__).with_suffix(".toml")


class Profile(NamedTuple):
    """One of our profiles: the provider, the format of its tools, whether they are strict, and where their schema is."""

    provider: str
    format: str = "openai"
    strict: bool = False
    field: str = "parameters"
    wrapped: bool = True


PROFILES = {
    "openai_202602": Profile("openai", strict=True, wrapped=False),
    "gemini_202602": Profile("gemini", "gemini", field="parametersJsonSchema"),
    # What it asks for is a field of the schemas in `parameters`.
    "gemini_202503": Profile("gemini", "gemini"),
    "walle": Profile("moonshot"),
}


class Case(NamedTuple):
    """A case of theirs: the text of a schema, which need not be JSON, and whether it is valid for them."""

    set: str
    name: str
    schema: str
    valid: bool

    @property
    def key(self) -> str:
        return f"{self.set}/{'valid' if self.valid else 'invalid'}/{self.name}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jsonschemaprofiles", type=Path)
    parser.add_argument("--walle", type=Path)
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args(arguments)
    cases: list[Case] = []
    if options.jsonschemaprofiles is not None:
        cases += cases_of_jsonschemaprofiles(options.jsonschemaprofiles)
    if options.walle is not None:
        cases += cases_of_walle(options.walle)
    if not cases:
        print("no cases", file=sys.stderr)
        return 1
    table = tomli.loads(EXPLANATIONS.read_text(encoding="utf-8"))
    explained = {case: table["reasons"][reason] for case, reason in table["cases"].items()}
    agreed: Counter[str] = Counter()
    unexplained = 0
    for case, messages in zip(cases, reported(cases), strict=True):
        differs = case.valid == bool(messages)
        agreed[case.set] += not differs
        explanation = explained.pop(case.key, None)
        unexplained += differs != (explanation is not None)
        if differs or explanation is not None or options.all:
            ours = f"invalid: {messages[0]}" if messages else "valid"
            print(f"{case.key}: {'differs' if differs else 'agrees'}, ours {ours}")
            if differs:
                print(f"    {explanation or 'NOT EXPLAINED'}")
            elif explanation is not None:
                print("    EXPLAINED, but there is no difference")
    sets = Counter(case.set for case in cases)
    for name in explained:
        if name.split("/")[0] in sets:
            unexplained += 1
            print(f"{name}: EXPLAINED, but there is no such case")
    for name, count in sets.items():
        print(f"{name}: {agreed[name]} of {count} agree, {count - agreed[name]} differ")
    return 1 if unexplained else 0


def cases_of_jsonschemaprofiles(checkout: Path) -> Iterator[Case]:
    """One file a case. Their profile `minimal` is what OpenAI and Gemini share; nobody accepts or refuses by it."""
    for name in PROFILES:
        for verdict in ("valid", "invalid"):
            for file in sorted((checkout / "tests" / name / verdict).glob("*.json")):
                yield Case(name, file.stem, file.read_text(encoding="utf-8"), verdict == "valid")


def cases_of_walle(checkout: Path) -> Iterator[Case]:
    """One line a case, named after its suite and its line."""
    for folder in sorted((checkout / "testdata" / "validator_cases").iterdir()):
        for verdict in ("valid", "invalid") if folder.is_dir() else ():
            lines = (folder / f"{verdict}.jsonl").read_text(encoding="utf-8").split("\n")
            for number, line in enumerate(lines, 1):
                if line.strip():
                    schema = line if verdict == "valid" else json.loads(line)["schema"]
                    yield Case("walle", f"{folder.name}:{number}", schema, verdict == "valid")


def reported(cases: list[Case]) -> list[list[str]]:
    """What the rules about schemas report of each case, errors first."""
    found: list[list[str]] = [[] for _ in cases]
    with tempfile.TemporaryDirectory() as folder:
        for name in dict.fromkeys(case.set for case in cases):
            paths: dict[str, int] = {}
            for number, case in enumerate(cases):
                if case.set == name:
                    path = Path(folder) / name / f"{number}.json"
                    path.parent.mkdir(exist_ok=True)
                    path.write_text(tool(case.schema, PROFILES[name]), encoding="utf-8")
                    paths[str(path)] = number
            report = check_paths(list(paths), isolated=True, kind="tools", provider=PROFILES[name].provider)
            for diagnostic in sorted(report.diagnostics, key=lambda each: each.severity):
                counted = diagnostic.code.startswith(COUNTED) and diagnostic.severity != "info"
                if counted and diagnostic.location is not None:
                    found[paths[diagnostic.location.path]].append(f"[{diagnostic.code}] {diagnostic.message}")
    return found


COUNTED = ("TOOL_SCHEMA_", "INPUT_")


def tool(schema: str, profile: Profile) -> str:
    """The text of a file with a tool whose parameters are a schema; what is not JSON stays as it is written."""
    function = {"name": "find", "description": "Finds things.", profile.field: 0, "strict": True}
    if not profile.strict:
        del function["strict"]
    definition: Any = {"type": "function", "function": function}
    if profile.format == "gemini":
        definition = {"functionDeclarations": [function]}
    text = wrapped(schema) if profile.wrapped else schema
    return json.dumps([definition]).replace(f'"{profile.field}": 0', f'"{profile.field}": {text}')


def wrapped(schema: str) -> str:
    try:
        value = json.loads(schema)
    except ValueError:
        return schema
    if not isinstance(value, dict) or not value or value.get("type") == "object" or "properties" in value:
        return schema
    outer = {key: value.pop(key) for key in ("$id", "$defs") if key in value}
    return json.dumps({"type": "object", "properties": {"value": value}, "required": ["value"], **outer})


if __name__ == "__main__":
    raise SystemExit(main())
