"""How fast whole trees are checked, and in how much memory: whole processes, beside agnix where it is installed.

    python benchmarks/throughput.py [FILES]...        (default: 1000 10000)

The tree is generated: 60 % prompt and agent markdown, of which a third name tools, and 40 % tool lists, about 10 KB a file,
varied from the prompts and tools below; a tool takes 2 KB, as those of published servers do (879 tools in 1.9 MB).
Targets on 2 cores: 1,000 files in 0.5 s, 10,000 in 4 s and linear between, at most 200 MiB; 1,000 tools in one file in
0.5 s. agnix (`pip install agnix`) checks other rules on the same files.

What bounds the figures is interpreted code over facts, spread flat. Of a tree, prompts take 45 % (100 us each to find
calls, 100 us to find names), definitions 33 % (75 us a tool of seven parameters), reading and parsing 15 %, listing and
grouping the rest; starting and ending takes 0.06 s. Two processes share all but the listing. Of one file, the definitions
are shared. Memory is that of facts about tools, 6 KB each, and of at most 6 million characters of text in each process.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parents[1]
ROUNDS = 3
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(REPOSITORY)}

VERBS = ("read", "list", "search", "create", "update", "delete", "fetch", "publish", "archive", "compare")
NOUNS = ("file", "issue", "release", "branch", "comment", "invoice", "customer", "report", "schedule", "message")
PARAMETERS = ("query", "owner", "title", "body", "since", "until", "labels", "format")
TOPICS = ("the report", "a pull request", "the customer's order", "an open question", "the schedule", "a failed build")
SENTENCES = (
    "Read what the user wrote before you answer, and say so if something about {topic} is unclear.",
    "Keep answers about {topic} short; a list is better than a long paragraph (three to five items are enough).",
    "If {topic} cannot be found, say what you looked for and stop.",
    "Never guess a number: take it from {topic}, or ask.",
    "The order of work is: look at {topic}, plan, act, check the result, then report.",
    "Write `snake_case` names for files and **bold** for terms that the reader has to notice in {topic}.",
    "Dates are written as 2026-03-01 and amounts with their currency, in {topic} and everywhere else.",
)
CALLS = (
    'Call `{tool}({{ path: "notes.md" }})` when you need {topic}.',
    'When {topic} has changed, use {tool}({{ path: "notes.md", limit: 10 }}) again.',
)

FRONT_MATTER = ("---", "name: reviewer", "description: Reviews what the others did.", "---", "")


class Result(NamedTuple):
    """Runs of a command: the fewest seconds from start to end, the memory of all its processes in MiB, its exit code."""

    seconds: float
    memory: float
    code: int


def main() -> None:
    sizes = [int(argument) for argument in sys.argv[1:]] or [1_000, 10_000]
    print(f"{'':34} {'seconds':>8} {'MiB':>6} {'exit':>5}   best of {ROUNDS} runs, all processes")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for size in sizes:
            tree = folder / f"tree-{size}"
            megabytes = write_tree(tree, size) / 1e6
            compare(f"{size:,} files, {megabytes:.1f} MB", tree)
            shutil.rmtree(tree)
        write_tools(folder / "one" / "tools.json", random.Random(0), "big", 1_000)
        compare("1,000 tools in one file", folder / "one")


def compare(title: str, tree: Path) -> None:
    ours = [sys.executable, "-m", "toolsurface_lint", "check", "--output", "concise", str(tree)]
    show(title, best(ours))
    agnix = shutil.which("agnix") or shutil.which("agnix", path=str(Path(sys.executable).parent))
    if agnix is None:
        print("  agnix is not installed")
    else:
        show("  agnix on the same", best([agnix, str(tree)]))


def show(title: str, result: Result) -> None:
    print(f"{title:34} {result.seconds:8.2f} {result.memory:6.0f} {result.code:5}", flush=True)


def best(command: list[str]) -> Result:
    """The fastest of several runs, which tells most about the program and least about its neighbours.

    The memory is that of one more run, which is slowed down by being looked at.
    """
    seconds, code = min(run(command) for _ in range(ROUNDS))
    return Result(seconds, memory(command), code)


def run(command: list[str]) -> tuple[float, int]:
    """The seconds that a command takes, and its exit code."""
    start = time.perf_counter()
    done = subprocess.run(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.perf_counter() - start, done.returncode


def memory(command: list[str]) -> float:
    """The most memory that a command takes at any moment, in MiB; what two of its processes share counts once.

    Where the system does not tell (`/proc`), 0.
    """
    peak = 0
    with subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            peak = max(peak, sum(map(proportional_set_size, [process.pid, *children(process.pid)])))
            time.sleep(0.02)
    return peak / 1024


def children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def proportional_set_size(pid: int) -> int:
    """The memory of a process in KiB, of pages that it shares only its part; 0 if it has ended or nobody can tell."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


def write_tree(root: Path, files: int) -> int:
    """Write agents of five files each, two tool lists and three prompts, and return how many bytes they have."""
    chance = random.Random(files)
    written = 0
    for agent in range(files // 5):
        folder = root / f"group_{agent // 100:03}" / f"agent_{agent:05}"
        names: list[str] = []
        for part in range(2):
            names += write_tools(folder / "tools" / f"part_{part}.json", chance, f"{agent}_{part}", 5)
        # Names that agnix looks at as well.
        write_prompt(folder / "prompts" / "system.md", chance, names)
        write_prompt(folder / "CLAUDE.md", chance, [])
        write_prompt(folder / ".claude" / "agents" / "reviewer.md", chance, [], FRONT_MATTER)
        written += sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return written


def write_tools(path: Path, chance: random.Random, mark: str, count: int) -> list[str]:
    """Write a tool list and return the names of its tools."""
    tools = []
    for number in range(count):
        verb, noun = chance.choice(VERBS), chance.choice(NOUNS)
        sentences = [sentence.format(topic=chance.choice(TOPICS)) for sentence in chance.sample(SENTENCES, 4)]
        properties: dict[str, object] = {
            name: {
                "type": "string",
                "description": f"The {name} of {chance.choice(TOPICS)}. " + chance.choice(SENTENCES).format(topic="it"),
            }
            for name in ("path", *chance.sample(PARAMETERS, 5))
        }
        properties["limit"] = {"type": "integer", "description": "How many at most.", "minimum": 1}
        tools.append(
            {
                "name": f"{verb}_{noun}_{mark}_{number}",
                "description": f"Tool {number} of {mark}: {verb} one {noun}. " + " ".join(sentences),
                "input_schema": {
                    "type": "object",
                    "properties": properties,
                    "required": ["path"],
                },
            }
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(tools, indent=1), encoding="utf-8")
    return [str(tool["name"]) for tool in tools]


def write_prompt(path: Path, chance: random.Random, tools: list[str], head: tuple[str, ...] = ()) -> None:
    """Write a prompt of about 10 KB, one that calls `tools`."""
    lines = [*head, "# Role", "", "You are one of several agents that work on the same project.", ""]
    waiting = list(tools)
    size = 0
    while size < 10_000:
        lines += [f"## Step {len(lines)}", ""]
        for _ in range(chance.randint(3, 8)):
            topic = chance.choice(TOPICS)
            line = "- " + chance.choice(SENTENCES).format(topic=topic)
            if waiting and chance.random() < 0.4:
                line = "- " + chance.choice(CALLS).format(tool=waiting.pop(), topic=topic)
            lines.append(line)
            size += len(line) + 1
        lines += ["", "```text", "path: notes.md", "```", ""]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
