"""How long the rules about tool definitions take, each by itself, over generated lists or given files.

Prints for each check its time a tool and its share of all of them, then the total with reading, in MB/s. With providers, the
rules run with none, with each, and with all of them by turns, and the ratios to none are printed: of the rules alone, and
with reading.

    python benchmarks/definitions.py [--tools 1000] [--preview] [--provider openai --provider portable] [FILE.json ...]
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

from toolsurface_lint.checks import Checks
from toolsurface_lint.checks.contract import DEFINITION, SCHEMA, TOOL_LISTS, Check
from toolsurface_lint.checks.tool._tool_schema import schema_of
from toolsurface_lint.knowledge.provider_names import providers_of
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.readers.loading import load_document

ROUNDS = 5


def generated(count: int) -> str:
    """A served list of tools with about ten parameters each, as servers write them."""
    tools: list[dict[str, Any]] = []
    for number in range(count):
        properties: dict[str, Any] = {
            f"field_{index}": {"type": "string", "description": f"The field {index} of the record, as text."}
            for index in range(6)
        }
        properties["limit"] = {"type": "integer", "minimum": 1, "maximum": 100, "default": 20, "title": "Limit"}
        properties["mode"] = {"type": "string", "enum": ["fast", "full"], "description": "How thorough to be."}
        properties["since"] = {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None, "title": "Since"}
        properties["tags"] = {"type": "array", "items": {"type": "string"}, "description": "Only with these tags."}
        tools.append(
            {
                "name": f"list_records_{number}",
                "description": "Lists the records of a collection, newest first, a page at a time.",
                "inputSchema": {"type": "object", "properties": properties, "required": ["field_0", "mode"]},
            }
        )
    return json.dumps({"tools": tools}, indent=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=int, default=1000)
    parser.add_argument("--preview", action="store_true", help="also the rules that are off by default")
    parser.add_argument("--provider", action="append", default=[], help="as the option of the command; may be repeated")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    texts: dict[str, str] = {}
    for path in options.files:
        with open(path, encoding="utf-8") as file:
            texts[path] = file.read()
    if not texts:
        texts = {f"tools-{part}.json": generated(options.tools // 10) for part in range(10)}
    enabled = Checks(lambda rule: options.preview or not rule.preview)
    targets = {"none": Target(), **{name: Target(providers_of([name])) for name in options.provider}}
    spent: dict[str, Spent] = {name: {} for name in targets}
    reading = tools = 0.0
    for _ in range(ROUNDS):
        for name, text in texts.items():
            start = time.process_time()
            document = load_document(name, name, "json", kind="tools", max_size=len(text) * 4, data=text.encode())
            reading += time.process_time() - start
            tools += sum(map(len, document.tool_lists))
            for provider, target in targets.items():
                measure(enabled, document.tool_lists, target, spent[provider])
    total = sum(spent["none"].values())
    for (codes, subject), seconds in sorted(spent["none"].items(), key=lambda item: -item[1]):
        print(f"{seconds / tools * 1e6:8.1f} us a tool {seconds / total:6.1%}  {subject:<10} {codes[:90]}")
    size = sum(len(text) for text in texts.values()) * ROUNDS / 1e6
    print(
        f"{tools / ROUNDS:.0f} tools, {size / ROUNDS:.2f} MB: rules {total / tools * 1e6:.1f} us a tool, {size / total:.1f} MB/s;"
    )
    print(
        f"reading {reading / tools * 1e6:.1f} us a tool, {size / reading:.1f} MB/s; both {size / (total + reading):.1f} MB/s"
    )
    for provider in options.provider:
        seconds = sum(spent[provider].values())
        print(
            f"with {provider}: rules {seconds / tools * 1e6:.1f} us a tool, {seconds / total:.2f} times as much, "
            f"{(seconds + reading) / (total + reading):.2f} times with reading"
        )


Spent = dict[tuple[str, str], float]
"""Seconds by the codes and the subject of a check."""


def measure(checks: Checks, lists: list[list[Tool]], target: Target, spent: Spent) -> None:
    """Run the checks tool by tool, as a run does: they share what was found out of the tool before."""
    for tool in (tool for tools in lists for tool in tools):
        schema = schema_of(tool)
        for subject, one in ((DEFINITION, tool), (SCHEMA, schema)):
            for check in checks.of(subject) if one is not None else ():
                timed(check, (one, target), spent)
    for check in checks.of(TOOL_LISTS):
        timed(check, (lists, target), spent)


def timed(check: Check, arguments: tuple[Any, ...], spent: Spent) -> None:
    start = time.process_time()
    list(check.run(*arguments))
    key = (", ".join(rule.code for rule in check.rules), check.subject)
    spent[key] = spent.get(key, 0.0) + time.process_time() - start


if __name__ == "__main__":
    main()
