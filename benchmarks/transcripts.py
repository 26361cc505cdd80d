"""How fast JSON Lines conversations are checked, how that compares to reading them alone, and what memory it takes.

    python -m benchmarks.transcripts [MEGABYTES ...] [--format NAME ...] [--folder] [--broken] [--times N]

The conversations are as long, and have as many turns and calls, as those of a published benchmark: 2.7 kB a call. For
each size (default: 10, 200) a file of valid conversations is generated, with the tools that they call beside it, and
checked as the command does: `json.loads` of every line alone, the check in one process, the check in two. Each is run
three times; the best time counts, and the greatest memory. The processor time is that of all processes.

`--format`: the formats in which the conversations are written, by default OpenAI's; `all` for all of them. A log that
keeps one conversation, or one session, in a file is written into files of 1 MB. `--folder`: each conversation has a file of
its own, beside the same ones in one file. With `--broken`, every hundredth call has a wrong argument.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks._transcript_formats import FORMATS

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


SESSION = 1_000_000
"""Bytes of a file of a log."""


def generate(folder: Path, megabytes: int, broken: bool, format: str = "openai", apart: bool = False) -> None:
    """Write `tools.json` and the conversations; a few hundred of them over and over, as generating takes longest.

    `apart`: each of them into a file of JSON.
    """
    chance = random.Random(1)
    (folder / "tools.json").write_text(json.dumps(tools(), indent=1), encoding="utf-8")
    written = FORMATS[format]
    texts = []
    for number in range(400):
        values = written.write(number, conversation(chance, number, broken)["messages"])
        texts.append("".join(json.dumps(value) + "\n" for value in values))
    left = megabytes * 1_000_000
    file, room, number = None, 0, 0
    while left > 0:
        for text in texts:
            if file is None or room <= 0:
                if file is not None:
                    file.close()
                file = (folder / f"run_{number}.json{'' if apart else 'l'}").open("w", encoding="utf-8")
                room = 1 if apart else SESSION if written.session else left
                number += 1
            file.write(text)
            room -= len(text)
            left -= len(text)
            if left <= 0:
                break
    if file is not None:
        file.close()


_READ_ALONE = """
import json, sys
from pathlib import Path
for path in Path(sys.argv[1]).glob("run_*"):
    for line in path.open("rb"):
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
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss // 1024, done.stdout.strip())
"""


class Measured(NamedTuple):
    """Of several runs the best seconds, by the clock and of processors, the most megabytes, and what the program said."""

    seconds: float
    processor: float
    memory: int
    said: str


def measure(program: str, *arguments: str, times: int) -> Measured:
    """What running a program takes."""
    runs = []
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    for _ in range(times):
        command = [sys.executable, "-c", _MEASURED, sys.executable, "-c", program, *arguments]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
        seconds, processor, megabytes, *words = done.stdout.split()
        runs.append(Measured(float(seconds), float(processor), int(megabytes), " ".join(words)))
    best = (min(run.seconds for run in runs), min(run.processor for run in runs))
    return Measured(*best, max(run.memory for run in runs), runs[-1].said)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("megabytes", nargs="*", type=int, default=[10, 200])
    parser.add_argument("--format", nargs="+", default=["openai"], choices=[*FORMATS, "all"])
    parser.add_argument("--folder", action="store_true")
    parser.add_argument("--broken", action="store_true")
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    formats = list(FORMATS) if "all" in options.format else options.format
    title = f"{'':49} {'seconds':>8} {'MB/s':>7} {'processor':>9} {'x json':>7} {'memory':>8}"
    print(f"{title}  conversations, calls, errors")
    for format in formats:
        for size in options.megabytes:
            for apart in (False, True) if options.folder else (False,):
                name = f"{size:5} MB {format}" + (", a file each" if apart else "")
                with tempfile.TemporaryDirectory() as folder:
                    generate(Path(folder), size, options.broken, format, apart)
                    show(name, size, folder, options.times)


def show(name: str, size: int, folder: str, times: int) -> None:
    alone = 0.0
    for title, program, arguments in (
        ("json.loads", _READ_ALONE, ()),
        ("1 process", _CHECK, ("1",)),
        ("2 processes", _CHECK, ("2",)),
    ):
        found = measure(program, folder, *arguments, times=times)
        alone = alone or found.processor
        print(
            f"{name:36} {title:12} {found.seconds:8.2f} {size / found.seconds:7.0f} {found.processor:9.2f} "
            f"{found.processor / alone:7.2f} {found.memory:5} MB  {found.said}",
            flush=True,
        )


if __name__ == "__main__":
    main()
