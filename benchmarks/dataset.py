"""A dataset of conversations in the shape of Toucan-1.5M, with defects that are known, and what it takes to check it.

    python benchmarks/dataset.py make FOLDER [--rows 1000000] [--seed 0]
    python benchmarks/dataset.py verify FOLDER FINDINGS.parquet
    python benchmarks/dataset.py measure FOLDER [--jobs 1,2] [--ray 2]

`make` writes shards of Parquet, and `FOLDER.seeded.jsonl` beside them: the defects in one of a hundred rows, with file, row
(from 1), kind and code. The
columns are those of Agent-Ark/Toucan-1.5M, all of them text: `messages` and `available_tools` hold JSON, in the shape of
Qwen-Agent: `function_call {name, arguments}` in an assistant's message, and its result in a `function` message. A million rows
take some minutes and 9 GB: text is drawn from a vocabulary of 60,000 words by Zipf's law, with numbers, dates and addresses,
so that zstd finds no more in it than in real conversations (Toucan shrinks to a third). The tools are those of 500 servers.

`verify` compares the findings of a run (`toolsurface-lint dataset FOLDER --output parquet=FINDINGS.parquet`) with what was
seeded: everything seeded must be found, and nothing else.

`measure` runs the command with each number of workers, and beside it a loop that only computes, in as many processes: what
this machine gains from a second process at all is the measure for the gain of the command. Memory is the greatest of any
process, read from /proc while the command runs.
"""

# ruff: noqa: SIM905

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import subprocess
import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROWS_A_SHARD = 10_000
ROWS_A_GROUP = 1_000
SHARE = 0.01
"""Of the rows, how many have a defect."""

COLUMNS = (
    "uuid",
    "subset_name",
    "messages",
    "question",
    "available_tools",
    "target_tools",
    "question_quality_assessment",
    "response_quality_assessment",
    "metadata",
)
SUBSETS = ("single-turn-original", "single-turn-diversify", "multi-turn", "irrelevant")

_COMMON = (
    "the of and to in a is for that with on as it by this from are be at or an was have which you not can will all we has "
    "their more about if they one also when time into other there some no its two only first may our up out than what how "
    "these who so use new between after most each your over such where both any then them see results need data using many"
).split()
_SERVERS = (
    "weather maps flights hotels calendar mail files search papers stocks crypto recipes movies music books games sports "
    "news translate images charts notes tasks git docker database cloud metrics logs tickets forms surveys invoices orders "
    "stock trains parks museums genes proteins chemistry planets taxes law patents jobs courses words poems quotes fonts "
    "colours icons videos podcasts"
).split()
_MAKERS = "open easy pro hub kit lab box desk base forge mill yard dock port grid".split()
_VERBS = "get list find fetch read look_up count compare show describe".split()
_NOUNS = (
    "record entry item page report summary price rate forecast route place event person team score article review version "
    "comment order status history detail category tag region station product account message thread file folder branch"
).split()
_PARAMETERS = (
    "query name city country date start_date end_date limit offset page language format category status sort_by id ids "
    "symbol currency amount latitude longitude radius unit title author year month tags include_details verbose timeout "
    "location max_results min_score filters options keywords"
).split()


class Words:
    """Text that is drawn from a vocabulary by Zipf's law: the same for the same seed."""

    def __init__(self, seed: int) -> None:
        import numpy

        self._table = _table()
        self._random = numpy.random.default_rng(seed)
        self._drawn: list[str] = []
        self._at = 0

    def words(self, number: int) -> list[str]:
        if self._at + number > len(self._drawn):
            draw = self._random.integers(0, len(self._table), max(1 << 18, number))
            self._drawn = self._table[draw].tolist()
            self._at = 0
        self._at += number
        return self._drawn[self._at - number : self._at]

    def text(self, number: int) -> str:
        return " ".join(self.words(number))

    def paragraphs(self, number: int) -> str:
        return "\n\n".join(self.text(min(60, number - start)) for start in range(0, number, 60))


@cache
def _table() -> Any:
    """An array of a million words, each as often as Zipf's law has it, some with a mark behind them."""
    import numpy

    made = random.Random(7)
    vocabulary = [*_COMMON, *_new_words(made, 60_000)]
    ranks = numpy.arange(len(vocabulary)) + 2.7
    counts = numpy.maximum(1, ((1 << 20) * 0.9 / ranks / (1 / ranks).sum())).astype(int)
    slots = [f"{word}{mark}" for word, n in zip(vocabulary, counts.tolist(), strict=True) for mark in _marks(made, n)]
    return numpy.array(slots, dtype=object)


def _marks(made: random.Random, times: int) -> Iterator[str]:
    for _ in range(times):
        draw = made.random()
        yield "." if draw < 0.05 else "," if draw < 0.11 else ":" if draw < 0.115 else ""


def _new_words(made: random.Random, number: int) -> list[str]:
    starts = "b c d f g h j k l m n p r s t v w br ch cl cr dr fl gr pl pr sh sl st th tr".split()
    vowels = "a e i o u ai ea ee io ou é ü".split()
    ends = ["", "", "n", "r", "s", "t", "l", "m", "nd", "st", "ck", "ng"]
    weights = [10] * 5 + [3] * 5 + [0.2, 0.2]
    found: dict[str, None] = {}
    while len(found) < number:
        parts = made.choice((1, 2, 2, 2, 3, 3, 4))
        found[
            "".join(made.choice(starts) + made.choices(vowels, weights)[0] for _ in range(parts)) + made.choice(ends)
        ] = None
    return list(found)


class Server:
    """One MCP server: its name, and its tools as OpenAI functions, with the texts that rows repeat."""

    def __init__(self, number: int, made: random.Random, words: Words) -> None:
        base = _SERVERS[number % len(_SERVERS)]
        self.name = f"{base}-{_MAKERS[number // len(_SERVERS) % len(_MAKERS)]}"
        names = [f"{verb}_{noun}" for verb in _VERBS for noun in _NOUNS]
        # A tool in two servers has the same name, as everywhere.
        chosen = made.sample(names, made.choice((2, 3, 4, 5, 6, 8, 10, 14, 20)))
        self.tools = [_tool(f"{self.name}-{name}", name, base, made, words) for name in chosen]
        self.by_name = {tool["function"]["name"]: tool["function"] for tool in self.tools}
        self.text = ", ".join(json.dumps(tool, ensure_ascii=False) for tool in self.tools)
        listed = [
            {
                "name": name,
                "description": tool["function"]["description"],
                "input_schema": tool["function"]["parameters"],
            }
            for name, tool in zip(chosen, self.tools, strict=True)
        ]
        card = {
            "server_id": number,
            "server_name": self.name,
            "server_info_crawled": {"author": made.choice(_MAKERS), "homepage": f"https://{self.name}.example/"},
            "remote_server_response": {"url": f"https://{self.name}.example/mcp", "tools": listed},
        }
        self.card = json.dumps(card, ensure_ascii=False)


def _tool(name: str, short: str, about: str, made: random.Random, words: Words) -> dict[str, Any]:
    verb, _, noun = short.rpartition("_")
    described = {
        "get": "Gets",
        "list": "Lists",
        "find": "Finds",
        "fetch": "Fetches",
        "read": "Reads",
        "look_up": "Looks up",
    }
    says = described.get(verb, f"{verb.capitalize()}s")
    properties = {
        key: _parameter(key, made, words) for key in made.sample(_PARAMETERS, made.choice((1, 2, 2, 3, 3, 4, 5, 7)))
    }
    required = [key for key in properties if made.random() < 0.5] or list(properties)[:1]
    parameters: dict[str, Any] = {"type": "object", "properties": properties, "required": required}
    if made.random() < 0.6:
        parameters["additionalProperties"] = False
    if made.random() < 0.5:
        parameters["$schema"] = "http://json-schema.org/draft-07/schema#"
    more = words.text(made.choice((5, 12, 30))).capitalize()
    description = f"{says} the {noun} of one of the {about} by what is known of it. {more}"
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


def _parameter(key: str, made: random.Random, words: Words) -> dict[str, Any]:
    description = f"The {key.replace('_', ' ')}: {words.text(made.choice((3, 5, 9)))}"
    if key in ("limit", "offset", "page", "radius", "year", "month", "timeout", "max_results"):
        return {"type": "integer", "minimum": 0, "description": description}
    if key in ("latitude", "longitude", "amount", "min_score"):
        return {"type": "number", "description": description}
    if key in ("include_details", "verbose"):
        return {"type": "boolean", "description": description}
    if key in ("ids", "tags", "keywords"):
        return {"type": "array", "items": {"type": "string"}, "description": description}
    if key in ("filters", "options"):
        inner = {"field": {"type": "string"}, "value": {"type": ["string", "null"]}}
        return {"type": "object", "properties": inner, "description": description}
    if key in ("language", "format", "category", "status", "sort_by", "unit", "currency"):
        values = sorted({word.strip(".,:") for word in words.words(made.choice((2, 3, 5)))})
        return {"type": "string", "enum": values, "description": description}
    return {"type": "string", "description": description}


Message = dict[str, Any]


class Row:
    """One conversation in the making."""

    def __init__(self, servers: list[Server], made: random.Random, words: Words) -> None:
        self._made, self._words = made, words
        self._servers = servers
        self.tools = {name: tool for server in servers for name, tool in server.by_name.items()}
        listed = f"[{', '.join(server.text for server in servers)}]"
        self.available = listed
        self.question = words.text(made.choice((20, 40, 60, 90))).capitalize() + "?"
        self.subset = made.choice(SUBSETS)
        self.called: list[str] = []
        self.messages: list[Message] = [
            {"role": "system", "content": f"<|im_system|>tool_declare<|im_middle|>{listed}<|im_end|>"},
            {"role": "user", "content": self.question},
        ]
        for turn in range(made.choice((1, 1, 1, 2, 3))):
            if turn:
                self.messages.append({"role": "user", "content": words.text(made.choice((10, 25, 50)))})
            if self.subset != "irrelevant":
                for _ in range(made.choice((1, 1, 2, 2, 3, 5))):
                    self._exchange()
            self.messages.append({"role": "assistant", "content": words.paragraphs(made.choice((70, 130, 240)))})

    def _exchange(self) -> None:
        made, words = self._made, self._words
        name = made.choice(list(self.tools))
        self.called.append(name)
        said = words.text(made.choice((0, 0, 15, 40)))
        self.messages.append({"role": "assistant", "content": said, "function_call": self.call(name)})
        self.messages.append({"role": "function", "content": self._result(), "name": name})

    def call(self, name: str) -> dict[str, str]:
        return {"name": name, "arguments": json.dumps(self.arguments(name), ensure_ascii=False)}

    def arguments(self, name: str) -> dict[str, Any]:
        schema = self.tools[name]["parameters"]
        return {
            key: self._value(each)
            for key, each in schema["properties"].items()
            if key in schema["required"] or self._made.random() < 0.4
        }

    def _value(self, schema: dict[str, Any]) -> Any:
        made, words = self._made, self._words
        if "enum" in schema:
            return made.choice(schema["enum"])
        of = schema["type"]
        if of == "integer":
            return made.randrange(200)
        if of == "number":
            return round(made.uniform(-180, 180), 4)
        if of == "boolean":
            return made.random() < 0.5
        if of == "array":
            return words.words(made.choice((1, 2, 4)))
        if of == "object":
            return {"field": words.text(1), "value": words.text(2)}
        return words.text(made.choice((1, 2, 4, 8)))

    def _result(self) -> str:
        made, words = self._made, self._words
        form = made.random()
        if form < 0.4:
            return words.paragraphs(made.choice((40, 100, 250)))
        if form < 0.5:
            return f"Error: {words.text(12)}"
        entries = [
            {
                "id": f"{made.getrandbits(48):012x}",
                "title": words.text(6),
                "url": f"https://{'.'.join(word.strip('.,:') for word in words.words(2))}.example/{made.getrandbits(32):x}",
                "score": round(made.random(), 6),
                "published": f"20{made.randrange(10, 26)}-{made.randrange(1, 13):02}-{made.randrange(1, 29):02}",
                "snippet": words.text(made.choice((15, 35, 70))),
            }
            for _ in range(made.choice((1, 2, 4, 7)))
        ]
        return json.dumps({"results": entries, "total": made.randrange(10_000)}, ensure_ascii=False)

    def values(self) -> list[str]:
        made, words = self._made, self._words
        quality = ("tool_selection_difficulty", "question_quality", "scenario_realism", "verifiable")
        answer = ("completeness", "conciseness")
        cards = ", ".join(server.card for server in self._servers)
        return [
            str(uuid.UUID(int=made.getrandbits(128), version=4)),
            self.subset,
            json.dumps(self.messages, ensure_ascii=False),
            self.question,
            self.available,
            ", ".join(dict.fromkeys(self.called)),
            json.dumps({each: {"reasoning": words.text(40), "score": made.randrange(1, 6)} for each in quality}),
            json.dumps({each: {"reasoning": words.text(55), "score": made.randrange(1, 6)} for each in answer}),
            f'{{"prompt_id": "{made.getrandbits(64):016x}", "mcp_servers": [{cards}], "seed": {made.getrandbits(31)}}}',
        ]

    # The defects. Each changes one call or result, and gives the index of the message; None if the row has no place for it.

    def _calls(self, fits: Callable[[dict[str, Any]], bool] = lambda _: True) -> list[int]:
        return [
            index
            for index, message in enumerate(self.messages)
            if "function_call" in message and fits(self.tools[message["function_call"]["name"]]["parameters"])
        ]

    def _change(self, indices: list[int], change: Callable[[dict[str, Any], dict[str, Any]], Any]) -> int | None:
        """Change the arguments of one of these calls: `change` is given them and their schema, and may give new ones."""
        if not indices:
            return None
        index = self._made.choice(indices)
        call = self.messages[index]["function_call"]
        arguments = json.loads(call["arguments"])
        changed = change(arguments, self.tools[call["name"]]["parameters"])
        call["arguments"] = changed if isinstance(changed, str) else json.dumps(arguments, ensure_ascii=False)
        return index

    def unknown_tool(self) -> int | None:
        calls = self._calls()
        if not calls:
            return None
        index = self._made.choice(calls)
        name = self.messages[index]["function_call"]["name"] + "_v2"
        self.messages[index]["function_call"]["name"] = self.messages[index + 1]["name"] = name
        return index

    def wrong_type(self) -> int | None:
        def change(arguments: dict[str, Any], schema: dict[str, Any]) -> None:
            key = next(key for key, each in schema["properties"].items() if each["type"] in ("integer", "number"))
            arguments[key] = self._words.text(2)

        return self._change(
            self._calls(lambda schema: _has(schema, lambda each: each["type"] in ("integer", "number"))), change
        )

    def missing_required(self) -> int | None:
        return self._change(self._calls(), lambda arguments, schema: arguments.pop(schema["required"][0]) and None)

    def unknown_argument(self) -> int | None:
        def change(arguments: dict[str, Any], _: dict[str, Any]) -> None:
            arguments["request_context"] = self._words.text(2)

        return self._change(self._calls(lambda schema: schema.get("additionalProperties") is False), change)

    def enum(self) -> int | None:
        def change(arguments: dict[str, Any], schema: dict[str, Any]) -> None:
            key = next(key for key, each in schema["properties"].items() if "enum" in each)
            arguments[key] = "something else"

        return self._change(self._calls(lambda schema: _has(schema, lambda each: "enum" in each)), change)

    def encoded_argument(self) -> int | None:
        def change(arguments: dict[str, Any], schema: dict[str, Any]) -> None:
            key = next(key for key, each in schema["properties"].items() if each["type"] in ("array", "object"))
            arguments[key] = json.dumps(self._value(schema["properties"][key]))

        return self._change(
            self._calls(lambda schema: _has(schema, lambda each: each["type"] in ("array", "object"))), change
        )

    def double_encoded(self) -> int | None:
        return self._change(self._calls(), lambda arguments, _: json.dumps(json.dumps(arguments)))

    def not_json(self) -> int | None:
        return self._change(self._calls(), lambda arguments, _: json.dumps(arguments)[:-1])

    def orphan_result(self) -> int | None:
        calls = self._calls()
        if not calls:
            return None
        index = self._made.choice(calls)
        # The call is lost, its result is left: not after another call's result, where it could be taken for a second one.
        del self.messages[index]["function_call"]
        return index + 1

    def unanswered_call(self) -> int | None:
        calls = self._calls()
        if len(calls) < 2:
            # Where no call has a result, results may be left out on purpose.
            return None
        index = self._made.choice(calls)
        del self.messages[index + 1]
        return index


def _has(schema: dict[str, Any], fits: Callable[[dict[str, Any]], bool]) -> bool:
    return any(map(fits, schema["properties"].values()))


DEFECTS: dict[str, tuple[Callable[[Row], int | None], str]] = {
    "unknown tool": (Row.unknown_tool, "CALL_UNKNOWN_TOOL"),
    "wrong type": (Row.wrong_type, "CALL_INVALID_ARGUMENTS"),
    "missing required": (Row.missing_required, "CALL_INVALID_ARGUMENTS"),
    "unknown argument": (Row.unknown_argument, "CALL_INVALID_ARGUMENTS"),
    "enum": (Row.enum, "CALL_INVALID_ARGUMENTS"),
    "encoded argument": (Row.encoded_argument, "CALL_ARGUMENT_STRINGIFIED"),
    "double-encoded arguments": (Row.double_encoded, "CALL_ARGUMENTS_NOT_JSON"),
    "not JSON": (Row.not_json, "CALL_ARGUMENTS_NOT_JSON"),
    "orphan result": (Row.orphan_result, "TRANSCRIPT_ORPHAN_RESULT"),
    "unanswered call": (Row.unanswered_call, "TRANSCRIPT_UNANSWERED_CALL"),
}


def make(folder: Path, rows: int, seed: int = 0, processes: int = 2) -> None:
    """Write the shards and the list of what is wrong in them."""
    folder.mkdir(parents=True, exist_ok=True)
    starts = range(0, rows, ROWS_A_SHARD)
    works = [
        (folder / f"train-{index:05}-of-{len(starts):05}.parquet", index, min(ROWS_A_SHARD, rows - start), seed)
        for index, start in enumerate(starts)
    ]
    with seeds(folder).open("w", encoding="utf-8") as file:
        if processes == 1 or len(works) == 1:
            results: Any = map(_make_shard, works)
        else:
            pool = multiprocessing.get_context("spawn").Pool(processes)
            results = pool.imap(_make_shard, works)
        for seeded in results:
            file.writelines(f"{json.dumps(each)}\n" for each in seeded)


def seeds(folder: Path) -> Path:
    """The list of what is wrong in the rows of a folder: beside it, since it is no part of the dataset."""
    return folder.with_name(f"{folder.name}.seeded.jsonl")


def _make_shard(work: tuple[Path, int, int, int]) -> list[dict[str, Any]]:
    import pyarrow
    from pyarrow import parquet

    path, index, rows, seed = work
    servers = _servers()
    words = Words(seed * 1_000_003 + index)
    made = random.Random(seed * 1_000_003 + index)
    kinds = list(DEFECTS)
    broken = set(made.sample(range(rows), max(1, round(rows * SHARE))))
    seeded: list[dict[str, Any]] = []
    schema = pyarrow.schema([(name, pyarrow.string()) for name in COLUMNS])
    unfinished = path.with_suffix(".part")
    with parquet.ParquetWriter(unfinished, schema, compression="zstd", use_dictionary=False) as writer:
        for start in range(0, rows, ROWS_A_GROUP):
            columns: list[list[str]] = [[] for _ in COLUMNS]
            for number in range(start, min(rows, start + ROWS_A_GROUP)):
                row = Row(_some(servers, made), made, words)
                if number in broken:
                    kind = kinds[len(seeded) % len(kinds)]
                    defect, code = DEFECTS[kind]
                    at = defect(row)
                    while at is None:
                        row = Row(made.sample(servers, 1), made, words)
                        at = defect(row)
                    seeded.append({"file": path.name, "row": number + 1, "kind": kind, "code": code, "message": at})
                for column, value in zip(columns, row.values(), strict=True):
                    column.append(value)
            writer.write_table(pyarrow.table(columns, schema=schema))
    os.replace(unfinished, path)
    return seeded


def _some(servers: list[Server], made: random.Random) -> list[Server]:
    """One to three servers that have at most 40 tools: more are reported."""
    chosen = made.sample(servers, made.choice((1, 1, 1, 2, 3)))
    return chosen if sum(len(server.tools) for server in chosen) <= 40 else chosen[:1]


@cache
def _servers() -> list[Server]:
    words, made = Words(1), random.Random(1)
    return [Server(number, made, words) for number in range(500)]


def verify(folder: Path, findings: Path) -> list[str]:
    """What differs between what was seeded in a folder and what a run found there; empty if it is the same."""
    from pyarrow import parquet

    table = parquet.read_table(findings, columns=["file", "row", "code"])
    rows = zip(*(table[name].to_pylist() for name in table.column_names), strict=True)
    found = Counter((Path(file).name, row, code) for file, row, code in rows)
    lines = seeds(folder).read_text(encoding="utf-8").splitlines()
    seeded = Counter((each["file"], each["row"], each["code"]) for each in map(json.loads, lines))
    missing, more = seeded - found, found - seeded
    return [
        *(f"not found: {file}:{row} {code}" for file, row, code in sorted(missing)),
        *(f"not seeded: {file}:{row} {code}" for file, row, code in sorted(more)),
    ]


def measure(folder: Path, jobs: list[int], ray: list[int]) -> None:
    """Run the command with so many workers here, and with so many of a Ray cluster that is started for it."""
    text, rows = _text_of(folder)
    print(f"{rows:,} rows, {text / 1e6:,.0f} MB of text in `messages` and `available_tools`")
    loops = {number: _loop(number) for number in sorted({1, *jobs})}
    seconds: dict[int, float] = {}
    for number in jobs:
        seconds[number], memory = _run(folder, ["--jobs", str(number)])
        _say(f"{number} local", seconds[number], memory, rows, text)
    if {1, 2} <= set(seconds):
        gain, bound = seconds[1] / seconds[2], 2 * loops[1] / loops[2]
        print(
            f"from 1 to 2 workers: {gain:.2f} times as fast; a loop that only computes: {bound:.2f} ({gain / bound:.0%} of it)"
        )
    for number in ray:
        from ray.cluster_utils import Cluster

        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": number, "include_dashboard": False})
        try:
            duration, memory = _run(folder, ["--jobs", str(number), "--ray", cluster.address])
        finally:
            cluster.shutdown()
        _say(f"{number} of Ray", duration, memory, rows, text)


def _say(what: str, seconds: float, memory: int, rows: int, text: int) -> None:
    print(
        f"{what}: {seconds:,.1f} s, {rows / seconds:,.0f} rows/s, {text / seconds / 1e6:,.0f} MB of text/s, "
        f"{memory >> 20:,} MiB at most in a process",
        flush=True,
    )


def _run(folder: Path, options: list[str]) -> tuple[float, int]:
    """How long the command takes, and the greatest memory of any of its processes, in bytes."""
    before = _processes()
    command = [sys.executable, "-m", "toolsurface_lint", "dataset", str(folder), "--output", "json", *options]
    start = time.monotonic()
    memory = 0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            ours = [number for number in _processes() - before if _is_worker(number)]
            memory = max([memory, *map(_resident, ours)])
            time.sleep(0.2)
    return time.monotonic() - start, memory


def _processes() -> set[int]:
    return {int(name) for name in os.listdir("/proc") if name.isdigit()}


def _is_worker(number: int) -> bool:
    try:
        command = Path(f"/proc/{number}/cmdline").read_bytes()
    except OSError:
        return False
    return b"toolsurface_lint" in command or b"daft" in command or command.startswith(b"ray::")


def _resident(number: int) -> int:
    """The memory of a process that is its own: the store of Ray is shared by all."""
    try:
        pages = Path(f"/proc/{number}/statm").read_text().split()
    except OSError:
        return 0
    return (int(pages[1]) - int(pages[2])) * os.sysconf("SC_PAGE_SIZE")


def _text_of(folder: Path) -> tuple[int, int]:
    """The bytes of the two columns that are checked, and the rows."""
    from pyarrow import parquet

    text = rows = 0
    for path in sorted(folder.glob("*.parquet")):
        metadata = parquet.ParquetFile(path).metadata
        rows += metadata.num_rows
        for group in map(metadata.row_group, range(metadata.num_row_groups)):
            columns = map(group.column, range(group.num_columns))
            text += sum(
                each.total_uncompressed_size
                for each in columns
                if each.path_in_schema in ("messages", "available_tools")
            )
    return text, rows


_LOOP = "n = 0\nfor i in range(30_000_000): n = (n * 31 + i) % 1_000_003"


def _loop(processes: int) -> float:
    """How long a loop takes in each of so many processes at once."""
    start = time.monotonic()
    started = [subprocess.Popen([sys.executable, "-c", _LOOP]) for _ in range(processes)]
    for each in started:
        each.wait()
    return time.monotonic() - start


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("make")
    making.add_argument("folder", type=Path)
    making.add_argument("--rows", type=int, default=1_000_000)
    making.add_argument("--seed", type=int, default=0)
    making.add_argument("--jobs", type=int, default=2)
    verifying = commands.add_parser("verify")
    verifying.add_argument("folder", type=Path)
    verifying.add_argument("findings", type=Path)
    measuring = commands.add_parser("measure")
    measuring.add_argument("folder", type=Path)
    measuring.add_argument("--jobs", default="1,2")
    measuring.add_argument("--ray", default="2")
    given = parser.parse_args(arguments)
    if given.command == "make":
        make(given.folder, given.rows, given.seed, given.jobs)
    elif given.command == "measure":
        numbers = [[int(each) for each in text.split(",") if each] for text in (given.jobs, given.ray)]
        measure(given.folder, *numbers)
    else:
        differences = verify(given.folder, given.findings)
        print("\n".join([*differences[:50], f"{len(differences)} differences"]))
        return 1 if differences else 0
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
