"""How fast whole trees are checked, and in how much memory: whole processes, beside agnix where it is installed.

    python benchmarks/throughput.py [FILES]...        (default: 1000 10000)

The tree is generated: 60 % prompt and agent markdown, of which a third name tools, and 40 % tool lists, about 10 KB a file,
varied from the prompts and tools below; a tool takes 2 KB, as those of published servers do (879 tools in 1.9 MB).
Targets on 2 cores: 1,000 files in 0.5 s, 10,000 in 4 s and linear between, at most 200 MiB; 1,000 tools in one file in
0.5 s. agnix (`pip install agnix`) checks other rules on the same files.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parents[1]
ROUNDS = 3

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
    """One run of a command: seconds from start to end, peak memory of its largest process in MiB, and its exit code."""

    seconds: float
    peak: float
    code: int


def main() -> None:
    sizes = [int(argument) for argument in sys.argv[1:]] or [1_000, 10_000]
    print(f"{'':34} {'seconds':>8} {'MiB':>6} {'exit':>5}   best of {ROUNDS} runs, whole process")
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
    print(f"{title:34} {result.seconds:8.2f} {result.peak:6.0f} {result.code:5}", flush=True)


def best(command: list[str]) -> Result:
    """The fastest of several runs, which tells most about the program and least about its neighbours."""
    return min(run(command) for _ in range(ROUNDS))


def run(command: list[str]) -> Result:
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    silent = os.open(os.devnull, os.O_WRONLY)
    actions = [(os.POSIX_SPAWN_DUP2, silent, 1), (os.POSIX_SPAWN_DUP2, silent, 2)]
    start = time.perf_counter()
    pid = os.posix_spawn(command[0], command, environment, file_actions=actions)
    _, status, usage = os.wait4(pid, 0)
    seconds = time.perf_counter() - start
    os.close(silent)
    # Kilobytes on Linux, bytes on macOS.
    unit = 1 if sys.platform == "darwin" else 1024
    return Result(seconds, usage.ru_maxrss * unit / 2**20, os.waitstatus_to_exitcode(status))


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
