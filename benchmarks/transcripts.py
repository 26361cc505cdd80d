"""How fast JSON Lines conversations are checked, how that compares to reading them alone, and what memory it takes.

    python benchmarks/transcripts.py [MEGABYTES ...]

The conversations are as long, and have as many turns and calls, as those of a published benchmark: 2.7 kB a call. For
each size (default: 10, 200) a file of valid conversations is generated, with the tools that they call beside it, and
checked as the command does: `json.loads` of every line alone, the check in one process, the check in two. Each is run
three times; the best time counts, and the greatest memory. With `broken`, every hundredth call has a wrong argument.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1]
_WORDS = [
    "please",
    "find",
    "the",
    "open",
    "orders",
    "of",
    "this",
    "customer",
    "and",
    "tell",
    "them",
    "which",
    "ones",
    "can",
    "still",
    "be",
    "changed",
    "before",
    "they",
    "are",
    "sent",
    "the",
    "flight",
    "leaves",
    "at",
    "noon",
    "from",
    "the",
    "second",
    "terminal",
    "with",
    "one",
    "checked",
    "bag",
    "and",
    "a",
    "seat",
    "at",
    "the",
    "window",
    "refund",
    "policy",
    "says",
    "that",
    "a",
    "basic",
    "fare",
    "can",
    "be",
    "cancelled",
    "within",
    "a",
    "day",
    "after",
    "booking",
    "unless",
    "part",
    "of",
    "it",
    "has",
    "been",
    "used",
    "already",
]


def tools() -> list[dict[str, Any]]:
    """Ten tools of the ordinary kind: strings, numbers, lists, objects, enums."""
    text, number = {"type": "string", "description": "A text."}, {"type": "integer", "minimum": 0, "maximum": 100000}
    item = {"type": "object", "properties": {"id": text, "count": number}, "required": ["id"]}
    schemas = [
        {
            "type": "object",
            "properties": {
                "user": text,
                "kind": {"type": "string", "enum": ["open", "sent", "closed"]},
                "limit": number,
                "items": {"type": "array", "items": item},
                "dry_run": {"type": "boolean"},
            },
            "required": ["user", "kind"],
            "additionalProperties": False,
        }
        for _ in range(10)
    ]
    return [
        {
            "type": "function",
            "function": {"name": f"orders_{index}", "description": "Works on the orders.", "parameters": schema},
        }
        for index, schema in enumerate(schemas)
    ]


def text(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(_WORDS, k=words))


def conversation(chance: random.Random, number: int, broken: bool) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "system", "content": text(chance, 1200)}]
    for turn in range(chance.randint(3, 8)):
        messages.append({"role": "user", "content": text(chance, chance.randint(10, 60))})
        messages.append({"role": "assistant", "content": text(chance, chance.randint(20, 90))})
        messages.append({"role": "user", "content": text(chance, chance.randint(2, 20))})
        for step in range(chance.randint(1, 3)):
            id = f"call_{number}_{turn}_{step}"
            arguments: dict[str, Any] = {"user": text(chance, 2), "kind": chance.choice(["open", "sent", "closed"])}
            if chance.random() < 0.5:
                arguments["limit"] = chance.randint(0, 1000)
            if chance.random() < 0.5:
                arguments["items"] = [{"id": text(chance, 1), "count": 3} for _ in range(chance.randint(1, 5))]
            if broken and chance.random() < 0.01:
                arguments["kind"] = "lost"
            function = {"name": f"orders_{chance.randint(0, 9)}", "arguments": json.dumps(arguments)}
            call = {"id": id, "type": "function", "function": function}
            messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
            result = json.dumps({"orders": [{"id": text(chance, 1), "note": text(chance, 40)} for _ in range(4)]})
            messages.append({"role": "tool", "tool_call_id": id, "content": result})
        messages.append({"role": "assistant", "content": text(chance, chance.randint(20, 120))})
    return {"task_id": number, "messages": messages}


def generate(folder: Path, megabytes: int, broken: bool) -> Path:
    """Write `tools.json` and `runs.jsonl`; a few hundred conversations over and over, as generating takes longest."""
    chance = random.Random(1)
    (folder / "tools.json").write_text(json.dumps(tools(), indent=1), encoding="utf-8")
    lines = [json.dumps(conversation(chance, number, broken)) + "\n" for number in range(400)]
    path = folder / "runs.jsonl"
    left = megabytes * 1_000_000
    with path.open("w", encoding="utf-8") as file:
        while left > 0:
            for line in lines:
                file.write(line)
                left -= len(line)
                if left <= 0:
                    break
    return path


_READ_ALONE = """
import json, sys
for line in open(sys.argv[1], "rb"):
    json.loads(line)
"""

_CHECK = """
import gc, sys
gc.disable()
from toolsurface_lint.api import check_paths
report = check_paths([sys.argv[1]], isolated=True, jobs=int(sys.argv[2]))
summary = report.summary
print(summary["transcripts"], summary["calls"], summary["error"])
"""

_MEASURED = """
import resource, subprocess, sys, time
start = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, text=True, check=True)
seconds = time.perf_counter() - start
print(seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, done.stdout.strip())
"""


def measure(program: str, *arguments: str) -> tuple[float, int, str]:
    """The best seconds of three runs, the most megabytes, and what the program said."""
    best, memory, said = float("inf"), 0, ""
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    for _ in range(3):
        command = [sys.executable, "-c", _MEASURED, sys.executable, "-c", program, *arguments]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
        seconds, megabytes, *words = done.stdout.split()
        said = " ".join(words)
        best, memory = min(best, float(seconds)), max(memory, int(megabytes))
    return best, memory, said


def main() -> None:
    broken = "broken" in sys.argv
    sizes = [int(argument) for argument in sys.argv[1:] if argument.isdigit()] or [10, 200]
    print(f"{'':28} {'seconds':>8} {'MB/s':>7} {'x json':>7} {'memory':>8}  conversations, calls, errors")
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            path = generate(Path(name), size, broken)
            alone = 0.0
            for title, program, arguments in (
                ("json.loads alone", _READ_ALONE, (str(path),)),
                ("one process", _CHECK, (name, "1")),
                ("two processes", _CHECK, (name, "2")),
            ):
                seconds, memory, said = measure(program, *arguments)
                alone = alone or seconds
                rate = size / seconds
                print(f"{size:5} MB {title:19} {seconds:8.2f} {rate:7.0f} {seconds / alone:7.2f} {memory:5} MB  {said}")


if __name__ == "__main__":
    main()
