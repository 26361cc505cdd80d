"""How fast whole trees are checked, and in how much memory: whole processes, beside agnix where it is installed.

    python benchmarks/throughput.py [FILES]... [--tree FOLDER]... [--rounds N] [--no-agnix]      (default: 1000 10000)

The trees are generated, as mixed as repositories are: 30 % skills, 20 % agents with lists of tools, 10 % AGENTS.md of packages,
40 % lists of 1 to 5 tools; 450 texts of 3 to 15 KB made of the pages of rules, and 900 tools of the fixtures and of this file,
so that a large tree holds copies, as trees do that keep one skill for several clients. `--tree` measures any other folder.
The commands are run in turn, so that what else the machine does meets them all; agnix (`pip install agnix`) checks other rules.
Python writes its compiled modules before anything is measured, as an installation has them: compiling all of them takes
0.4 s a process, and `PYTHONDONTWRITEBYTECODE` would have them compiled again in every run.

Why a mixed tree takes several times as long as one of equal prompts and lists, which this benchmark had before:

- A skill or an agent with a list of tools is a surface of its own: half of the files, where there was one in ten.
- Its texts name hundreds of words that may be tools, each to be compared with those of a client; there were five.
- It has findings, whose places are computed, shown and written, and texts in which two rules tried a pattern at every letter.
- Its fences stand in lists, its front matter holds YAML, and its tools say what may be an order to the model.
- Prompts above all tools, and agents that send to one another, keep it from being read in parts by several processes.

What was gained, in processor time of one process on public skills and tool lists in this mix, measured in turn: 1,000 files, of
which a third are copies, take 0.55 of what they took, 10,000 files, nine tenths copies, 0.3.

- Patterns that begin with what is rare, in two rules: 14 s to 3.3 s for 54 MB of texts.
- With equal definitions checked once, that is 0.74 for 1,000 files.
- Equal texts read once, names compared once, and lists of agents judged once: 0.6.
- Signs before patterns, indented fences without a parse, places of words on demand: 0.55.

And in time from start to end, with two processes on two processors, for the same trees: 1,000 files 3.8 s to 2.7 s, 10,000 files
21 s to 13 s. One process looks at the definitions in files of data while the other reads texts, surfaces of the same texts go to
one process, and the largest surface is begun first. agnix 0.59 takes 1.2 s and 86 s: the goal, to be faster on both, is missed on
1,000 files.

What is left is flat: of 1,000 files, new definitions 19 %, names in prompts 15 %, reading and parsing 14 %, imports 7 %, reports
6 %. Of the 2.7 s, 1.0 s is before there is much to share: start, data, texts. Two processes take a fifth more processor time than
one, as each finds out anew what the other has seen of equal definitions.

Where the memory is, of 10,000 files in one process (289 MiB; the goal is 200 for all): 135 MiB after reading, of which 18
are texts and values that are kept; 20 for the surfaces, 47 for what is remembered of texts and names, 55 for the surface of all
tools, 32 for the report. A second process has its own copy of nearly all, as counting references writes to it.

What does not pay, in processor time of 1,000 files with one process, Python 3.11 and nothing kept:

- A lookbehind for each of thirty verbs: 1.8 s for 54 MB, where a look back from the word `tool` takes 0.1 s.
- Compiling with mypyc 2.4: 0.97 for most of `source`, 0.99 for names in prompts, 0.87 for both (53 modules, 3.9 MB). Start-up
  takes 1.04, named tuples stay slow, and code changes its meaning without a word: a `cached_property` is computed each time,
  a generator becomes a list, and two `except ... as error` are one variable of the first type.
- One engine for many patterns: all patterns together take 12 %, the 22 that go through whole texts 7 %. A set of RE2 takes longer
  than `re` does one by one; Hyperscan a tenth, but two fifths of its answers are "yes" and `re` has to look again: 4 % at most.
- Python's switches: the garbage collector is off already (on, it takes 6 %), `-O` gains nothing that can be measured.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

REPOSITORY = Path(__file__).resolve().parents[1]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(REPOSITORY), "TOOLSURFACE_LINT_NO_CACHE": "1"}
ENVIRONMENT.pop("PYTHONDONTWRITEBYTECODE", None)

T = TypeVar("T")

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


class Result(NamedTuple):
    """Runs of a command: the fewest seconds from start to end and of all processors, the memory of its processes in MiB."""

    seconds: float
    busy: float
    memory: float
    code: int


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="*", type=int, help="sizes of trees to generate")
    parser.add_argument("--tree", action="append", default=[], type=Path, help="another folder to check")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-agnix", action="store_true")
    options = parser.parse_args()
    agnix = None
    if not options.no_agnix:
        agnix = shutil.which("agnix") or shutil.which("agnix", path=str(Path(sys.executable).parent))
    print(f"{'':34} {'seconds':>8} {'busy':>6} {'MiB':>6} {'exit':>5}   best of {options.rounds} runs, all processes")
    for tree in options.tree:
        compare(str(tree), tree, agnix, options.rounds)
    sizes = options.files or ([] if options.tree else [1_000, 10_000])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for size in sizes:
            tree = folder / f"tree-{size}"
            megabytes = write_tree(tree, size) / 1e6
            compare(f"{size:,} files, {megabytes:.1f} MB", tree, agnix, options.rounds)
            shutil.rmtree(tree)
        if sizes:
            write_tools(folder / "one" / "tools.json", made_tools(random.Random(0), 1_000))
            compare("1,000 tools in one file", folder / "one", agnix, options.rounds)


def compare(title: str, tree: Path, agnix: str | None, rounds: int) -> None:
    commands = {title: [sys.executable, "-m", "toolsurface_lint", "check", "--output", "concise", str(tree)]}
    if agnix is not None:
        commands["  agnix on the same"] = [agnix, str(tree)]
    taken: dict[str, list[tuple[float, float, int]]] = {name: [] for name in commands}
    run(next(iter(commands.values())))
    for _ in range(rounds):
        for name, command in commands.items():
            taken[name].append(run(command))
    for name, command in commands.items():
        seconds, busy, codes = zip(*taken[name], strict=True)
        result = Result(min(seconds), min(busy), memory(command), codes[0])
        print(f"{name:34} {result.seconds:8.2f} {result.busy:6.2f} {result.memory:6.0f} {result.code:5}", flush=True)
    if agnix is None:
        print("  agnix is not run")


def run(command: list[str]) -> tuple[float, float, int]:
    """The seconds that a command takes, those of all processors that its processes keep busy, and its exit code."""
    done, seconds, busy = timed(
        lambda: subprocess.run(
            command, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
        )
    )
    return seconds, busy, done.returncode


def timed(work: Callable[[], T]) -> tuple[T, float, float]:
    """What came of work, the seconds that it took, and those of all processors that its child processes kept busy."""
    before, start = os.times(), time.perf_counter()
    result = work()
    seconds, after = time.perf_counter() - start, os.times()
    busy = after.children_user - before.children_user + after.children_system - before.children_system
    return result, seconds, busy


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
    """Write a mixed tree and return how many bytes it has."""
    chance = random.Random(files)
    texts, tools = made_texts(random.Random(1)), [*tools_of_fixtures()[:600], *made_tools(random.Random(2), 300)]
    chance.shuffle(tools)
    granted = ("Read, Grep, Glob", "Read, Write, Edit, Bash", "Bash(git status:*), Read", "WebFetch, WebSearch, Read")
    for number in range(files):
        kind, text = number % 10, chance.choice(texts)
        head = f"description: Works on {chance.choice(TOPICS)}, and says what it has found.\n"
        if kind < 3:
            path = root / ".claude" / "skills" / f"skill-{number:05}" / "SKILL.md"
            tools_of_skill = f"allowed-tools: {chance.choice(granted)}\n" if chance.random() < 0.9 else ""
            write(path, f"---\nname: skill-{number:05}\n{head}{tools_of_skill}---\n\n{text}")
        elif kind < 5:
            path = root / ".claude" / "agents" / f"agent-{number:05}.md"
            write(
                path,
                f"---\nname: agent-{number:05}\n{head}tools: {chance.choice(granted)}\nmodel: sonnet\n---\n\n{text}",
            )
        elif kind < 6:
            write(root / "packages" / f"package-{number:05}" / "AGENTS.md", text)
        else:
            first = chance.randrange(len(tools))
            some = [tools[(first + index) % len(tools)] for index in range(1 + number % 5)]
            write_tools(root / "tools" / f"part-{number:05}.mcp.json", some)
    return sum(path.stat().st_size for path in root.rglob("*") if path.is_file())


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def write_tools(path: Path, tools: list[dict[str, Any]]) -> None:
    write(path, json.dumps({"tools": tools}, indent=2) + "\n")


def tools_of_fixtures() -> list[dict[str, Any]]:
    """The different MCP tools of the fixtures, in the order of their names."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted((REPOSITORY / "fixtures").rglob("*.json")):
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
        except (UnicodeError, ValueError):
            continue
        listed = value.get("tools") if isinstance(value, dict) else value
        for tool in listed if isinstance(listed, list) else ():
            if (
                isinstance(tool, dict)
                and isinstance(tool.get("name"), str)
                and isinstance(tool.get("inputSchema"), dict)
            ):
                found.setdefault(tool["name"], tool)
    return [found[name] for name in sorted(found)]


def made_tools(chance: random.Random, count: int) -> list[dict[str, Any]]:
    """Tools of about 2 KB."""
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
                "name": f"{verb}_{noun}_{number}",
                "description": f"Tool {number}: {verb} one {noun}. " + " ".join(sentences),
                "inputSchema": {"type": "object", "properties": properties, "required": ["path"]},
            }
        )
    return tools


def made_texts(chance: random.Random) -> list[str]:
    """450 texts: what is to be done, in lists, and a page or two about a rule, with its names, tables and code."""
    pages = [path.read_text(encoding="utf-8") for path in sorted((REPOSITORY / "rules").glob("*.md"))]
    texts = []
    for _ in range(450):
        lines = ["# Role", "", "You work with others on one project.", ""]
        for number in range(chance.randint(1, 6)):
            lines += [f"## Step {number + 1}", ""]
            for _ in range(chance.randint(3, 8)):
                lines.append("- " + chance.choice(SENTENCES).format(topic=chance.choice(TOPICS)))
            if chance.random() < 0.5:
                lines += ["- " + chance.choice(CALLS).format(tool="read_file", topic=chance.choice(TOPICS))]
            fence = ["```bash", f"python scripts/{chance.choice(NOUNS)}.py --all", "```"]
            lines += [
                "",
                *(fence if chance.random() < 0.8 else ["1. Run this:", "", *(f"   {line}" for line in fence)]),
                "",
            ]
        texts.append("\n".join([*lines, *chance.sample(pages, chance.randint(1, 3))]))
    return texts


if __name__ == "__main__":
    main()
