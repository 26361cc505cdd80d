"""How fast prompts are scanned, and that the scan is linear on hostile text.

    python benchmarks/prompt_scan.py [FOLDER]

The scan for calls first, then the whole look at a prompt: with the tools that prose names, against a surface of 100 tools.
Generated prompts first, then the text files of FOLDER if one is given. Each hostile text is scanned at two sizes, one four
times the other: a ratio well above 4 would be more than linear. Bounds: without candidates the search for a parenthesis
(memchr), with them the Python code that looks at each one, where layout decides markdown-it-py's block parser.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator
from time import perf_counter

from toolsurface_lint.model.vocabulary import Vocabulary
from toolsurface_lint.readers.prompt_calls import named_tools, scan
from toolsurface_lint.source.markdown import layout

_MEGABYTE = 1_000_000
TOOLS = Vocabulary({name: [] for number in range(50) for name in (f"read_it_{number}", f"save-it.{number}")})

PROMPTS = {
    "no parenthesis": "Read the whole file before you edit it, and say what you changed. Use `words` in code.\n\n",
    "parentheses that follow no name": "- (one) read the file; [link](path) and `code` are fine, too.\n" * 3 + "\n",
    "calls in fences only": "Some prose about the work that is to be done here.\n" * 12 + "```py\nx = read(1)\n```\n",
    "a call in 1,000 characters": "Say what you did and why you did it, in plain words.\n" * 19
    + "Use read_it({a: 1}).\n\n",
    "nothing but calls": "Use read_it({path: 1}) first, then save_it (only once).\n\n",
}

HOSTILE: dict[str, Callable[[int], str]] = {
    "one line of calls": lambda size: "read_it({a: 1}) and " * (size // 20),
    "identifiers a(": lambda size: "a(" * (size // 2),
    "identifiers a( in paragraphs": lambda size: "a(\n\n" * (size // 4),
    "identifiers a (": lambda size: "a (" * (size // 3),
    "backticks": lambda size: "`" * size + "a(",
    "brackets": lambda size: "[" * size + "a(",
    "open quotes": lambda size: "a('" * (size // 3),
    "open tags": lambda size: "<tool_call>a " * (size // 13),
    "white space": lambda size: " " * size + "(",
    "fence lines": lambda size: "```\n" * (size // 4) + "a(",
    "open fences in items": lambda size: "- a\n  ```\n" * (size // 10) + "a(",
    "items in one line": lambda size: "- " * (size // 2) + "```\na(",
    "quotes in one line": lambda size: ">" * size + " ```\na(",
    "code spans": lambda size: "`read_it`, " * (size // 11),
    "names in prose": lambda size: "the read_it tool " * (size // 17),
    "headings": lambda size: "# Tools\n## Tools\n" * (size // 17),
    "lists": lambda size: "tools:\n- read_it: x\n" * (size // 20),
    "objects": lambda size: '{"name": "a", "arguments": {' * (size // 28),
    "markers": lambda size: "harn-tool-surface: ignore-start\n" * (size // 32) + "a(",
}


def main() -> None:
    gc.disable()
    print(f"{'text':34}{'calls MB/s':>12}{'whole MB/s':>12}")
    for label, text in PROMPTS.items():
        prompt = text * (2 * _MEGABYTE // len(text))
        show(label, [prompt])
    if len(sys.argv) > 1:
        texts = list(read_texts(sys.argv[1]))
        show(f"{len(texts)} files of {os.path.basename(sys.argv[1])}", texts)
        seconds = least(lambda: [layout(text) for text in texts])
        print(f"{'  layout alone':34}{sum(map(len, texts)) / seconds / _MEGABYTE:12.0f}")
    print(f"\n{'hostile text':34}{'calls s':>9}{'x4':>7}{'whole s':>9}{'x4':>7}")
    for label, make in HOSTILE.items():
        small, large = make(_MEGABYTE // 8), make(_MEGABYTE // 2)
        times = [(scan_time(small), scan_time(large)), (whole_time(small), whole_time(large))]
        cells = "".join(f"{after:9.3f}{after / before:7.1f}" for before, after in times)
        print(f"{label:34}{cells}")
    line = HOSTILE["one line of calls"](10 * _MEGABYTE)
    print(f"\n10 MB in one line, a call every 20 characters: {scan_time(line):.2f} s")
    million = HOSTILE["identifiers a("](2 * _MEGABYTE)
    print(f"a million identifiers `a(`: {scan_time(million):.2f} s")
    names = "get_it " * _MEGABYTE
    print(f"a million names `get_it`: {whole_time(names):.2f} s")


def show(label: str, texts: list[str]) -> None:
    size = sum(map(len, texts)) / _MEGABYTE
    speeds = [size / min(sum(map(time, texts)) for _ in range(3)) for time in (scan_time, whole_time)]
    print(f"{label:34}" + "".join(f"{speed:12.0f}" for speed in speeds))


def scan_time(text: str) -> float:
    """The seconds that one scan takes."""
    start = perf_counter()
    scan(text)
    return perf_counter() - start


def whole_time(text: str) -> float:
    """The seconds that one scan takes together with the names in prose."""
    start = perf_counter()
    named_tools(text, scan(text), TOOLS)
    return perf_counter() - start


def least(run: Callable[[], object], times: int = 3) -> float:
    """The least number of seconds that a run takes."""
    best = float("inf")
    for _ in range(times):
        start = perf_counter()
        run()
        best = min(best, perf_counter() - start)
    return best


def read_texts(folder: str) -> Iterator[str]:
    for parent, _, files in os.walk(folder):
        for name in sorted(files):
            if name.lower().endswith((".md", ".txt", ".mdc", ".prompt")):
                with open(os.path.join(parent, name), encoding="utf-8", errors="replace", newline="") as file:
                    yield file.read()


if __name__ == "__main__":
    main()
