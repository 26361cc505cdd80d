"""How our reading of raw outputs agrees with the fixtures of the PyPI package canitoolcall.

    python benchmarks/raw_outputs.py [FOLDER] [--all] [--only TEXT]

FOLDER holds the fixtures; without it those of the installed package are used. Each fixture is what a model has written, with
the tools that it had, and either the calls, the content and the reasoning in it or the reasons why there is no call. The
protocol is that of the model's name. Prints the fixtures in which the two differ (`--all`: every one) with our explanation,
which is in `raw_outputs.toml`, then how many of each family agree. Fails for a difference without an explanation, and for an
explanation without a difference.

Content and reasoning are compared without the blanks around them. Of an output that is cut off or malformed only the calls
count: there may be none. Our reader is given the tools, and whether the prompt that the fixture names ends in the reasoning.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tomli

from toolsurface_lint import parse_response
from toolsurface_lint.protocols.outputs.rows import by_model

EXPLANATIONS = Path(__file__).with_suffix(".toml")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args(arguments)
    folder = options.folder or installed()
    fixtures = list(read_fixtures(folder)) if folder is not None else []
    if not fixtures:
        print("no fixtures", file=sys.stderr)
        return 1
    table = tomli.loads(EXPLANATIONS.read_text(encoding="utf-8"))
    explained = {name: table["reasons"][reason] for name, reason in table["fixtures"].items()}
    agreed: Counter[str] = Counter()
    families = Counter(fixture["family"] for fixture in fixtures)
    failed = 0
    for fixture in fixtures:
        name = fixture["id"]
        differences = compare(fixture)
        agreed[fixture["family"]] += not differences
        explanation = explained.pop(name, None)
        failed += bool(differences) != (explanation is not None)
        if options.only in name and (differences or explanation is not None or options.all):
            print(f"{name}: {'; '.join(differences) or 'agrees'}")
            if differences:
                print(f"    {explanation or 'NOT EXPLAINED'}")
            elif explanation is not None:
                print("    EXPLAINED, but there is no difference")
    for name in explained:
        failed += 1
        print(f"{name}: EXPLAINED, but there is no such fixture")
    for family, count in families.items():
        print(f"{family}: {agreed[family]} of {count} agree")
    print(f"all: {sum(agreed.values())} of {len(fixtures)} agree")
    return 1 if failed else 0


def installed() -> Path | None:
    """The fixtures of the installed package."""
    found = importlib.util.find_spec("canitoolcall")
    return None if found is None or found.origin is None else Path(found.origin).parent / "_data" / "fixtures"


def read_fixtures(folder: Path) -> Iterator[dict[str, Any]]:
    """The fixtures of all families, each with the prompt of its model's template where it names none."""
    for family in sorted(path for path in folder.iterdir() if path.is_dir()):
        models = json.loads((family / "family.json").read_text(encoding="utf-8"))["reference_models"]
        prompts = {model["repo"]: model["default_generation_prompt"] for model in models}
        for file in sorted(family.glob("*.jsonl")):
            for line in file.read_text(encoding="utf-8").splitlines():
                fixture = json.loads(line)
                if fixture.get("generation_prompt") is None:
                    fixture["generation_prompt"] = prompts.get(fixture["models"][0], "")
                yield fixture


def compare(fixture: dict[str, Any]) -> list[str]:
    """What differs between our reading of a fixture and what it expects."""
    row = by_model(fixture["models"][0])
    if row is None:
        return [f"no protocol for {fixture['models'][0]}"]
    response = parse_response(
        fixture["raw_output"],
        row.name,
        tools=fixture["tools"],
        reasoning=in_reasoning(fixture["generation_prompt"]),
    )
    calls = [{"name": call.name, "arguments": call.arguments} for call in response.calls]
    if "expected_error" in fixture:
        return [f"calls {calls!r}, none expected"] if calls else []
    expected = fixture["expected"]
    ours = {"tool_calls": calls, "content": response.prose, "reasoning_content": response.reasoning}
    return [
        f"{key} {ours[key]!r}, not {expected[key]!r}"
        for key in ("tool_calls", "content", "reasoning_content")
        if normal(ours[key]) != normal(expected[key])
    ]


def in_reasoning(prompt: str) -> bool | None:
    """Whether a prompt ends in reasoning that it has opened; None if it says nothing of reasoning."""
    prompt = prompt.rstrip()
    if prompt.endswith(("<think>", "think<|sep|>")):
        return not prompt.endswith("<|close|>think<|sep|>")
    return False if prompt.endswith(("</think>", "response<|sep|>")) else None


def normal(value: Any) -> Any:
    """Text without the blanks around it, None if nothing is left; anything else as text, which keeps 1 and true apart."""
    if isinstance(value, str):
        return value.strip() or None
    return value if value is None else json.dumps(numbers(value), sort_keys=True)


def numbers(value: Any) -> Any:
    """A value whose numbers are whole wherever they can be: JSON has one type of them."""
    if isinstance(value, dict):
        return {key: numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [numbers(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


if __name__ == "__main__":
    raise SystemExit(main())
