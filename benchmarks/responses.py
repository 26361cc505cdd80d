"""How long responses and templates take to read, ordinary and hostile, and whether the time grows with the size alone.

Each input is generated at doubling sizes; the last column is the slowest time ratio of one doubling. About 2 is linear.
Garbage collection is off while a text is read, as it is while the linter reads files.

    python benchmarks/responses.py [--max-mb 16] [--only NAME]
    python benchmarks/responses.py --scan

`--scan` measures texts without calls instead: how fast a protocol is looked for, and how fast each protocol of raw outputs
reads, in megabytes a second of processor time, the best of five.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import pairwise

from toolsurface_lint.protocols.outputs.rows import PROTOCOLS
from toolsurface_lint.protocols.recognition import parse_calls, parse_response, recognise_protocol
from toolsurface_lint.protocols.template_parser import parse_template
from toolsurface_lint.protocols.templates import TemplateError
from toolsurface_lint.protocols.wire import canonical_to_wire, wire_to_canonical

TOOLS = ("edit", "run")
CALL = '<tool_call>\nrun({ command: "ls -la", limit: 10, deep: { list: [1, 2, 3] } })\n</tool_call>\n'
HEREDOC = "<tool_call>\nedit({ content: <<EOF\n" + "a line of content\n" * 40 + "EOF\n})\n</tool_call>\n"
FENCED = '```tool\n{ "name": "run", "args": { "command": "ls -la", "list": [1, 2, 3] } }\n```\nSome prose.\n'
HERMES = '<tool_call>{"name": "run", "arguments": {"command": "ls -la", "list": [1, 2, 3]}}</tool_call>\n'
CODER = "<tool_call>\n<function=run>\n<parameter=command>\nls -la\n</parameter>\n</function>\n</tool_call>\n"
GLM = "<tool_call>run<arg_key>command</arg_key><arg_value>ls -la</arg_value></tool_call>\n"
HARMONY = '<|start|>assistant<|channel|>commentary to=functions.run<|message|>{"command": "ls -la"}<|call|>'
PLAIN = {
    "prose": "What a model may write, where a < b, with `code` (or a list [1, 2]); it goes on: so.\n",
    "markup": '<p class="x">Some <b>bold</b> and <i>other</i> text &amp; more</p>\n',
    "wide": "Ein Text – mit „Zeichen“ außerhalb von Latin-1, 中文, und a < b.\n",
}
BRANCH = "{{ if done_sentinel }}Say {{ done_sentinel | default: 'x' }}.{{ else }}Stop.{{ end }}\n"

Generator = Callable[[int], str]


def repeated(unit: str) -> Generator:
    return lambda size: unit * max(1, size // len(unit))


def numbered(unit: str, tail: str = "") -> Generator:
    """The unit with a different number each time, so that no two delimiters are the same."""

    def generate(size: int) -> str:
        parts = []
        length = 0
        number = 0
        while length < size:
            parts.append(unit.replace("#", str(number)))
            length += len(parts[-1])
            number += 1
        return "".join(parts) + tail

    return generate


def with_tail(head: str, tail: str) -> Generator:
    """Half of the size in openers that all reach for the same tail, half in that tail."""
    return lambda size: head * (size // 2 // len(head)) + tail * (size // 2 // len(tail))


tagged = partial(parse_response, protocol="tagged", tools=TOOLS)
fenced = partial(parse_response, protocol="fenced-json", tools=TOOLS)
bare = partial(parse_calls, tools=TOOLS)


def raw(protocol: str) -> Callable[[str], object]:
    return partial(parse_response, protocol=protocol, tools=TOOLS)


def template(text: str) -> None:
    with suppress(TemplateError):
        parse_template(text)


def wire(text: str) -> None:
    wire_to_canonical(canonical_to_wire(text))


INPUTS: dict[str, tuple[Callable[[str], object], Generator]] = {
    "tagged: calls": (tagged, repeated(CALL)),
    "tagged: heredocs": (tagged, repeated(HEREDOC)),
    "tagged: one large heredoc": (
        tagged,
        lambda size: "<tool_call>\nedit({ content: <<EOF\n" + "x < y && z\n" * (size // 11) + "EOF\n})\n</tool_call>",
    ),
    "tagged: prose": (tagged, repeated("A line of prose that has no tag, a < b.\n")),
    "tagged: '<'": (tagged, repeated("<")),
    "tagged: '< '": (tagged, repeated("< ")),
    "tagged: openers": (tagged, repeated("<tool_call>\n")),
    "tagged: openers with text": (tagged, repeated("<tool_call>\nx\n")),
    "tagged: openers, one closer": (tagged, lambda size: "<tool_call>\nx\n" * (size // 14) + "</tool_call>"),
    "tagged: openers on one line": (tagged, repeated("<user_response>a ")),
    "tagged: answers after an end": (
        tagged,
        lambda size: "<done>x</done>" + "<user_response>a</user_response>" * (size // 32),
    ),
    "tagged: unclosed heredocs": (tagged, repeated("<tool_call>\nedit({ a: <<EOF\n</tool_call>\n")),
    "tagged: unclosed heredocs, own tags": (tagged, numbered("<tool_call>\nedit({ a: <<E#\n</tool_call>\n")),
    "tagged: heredocs to one late end": (
        tagged,
        with_tail("<tool_call>\nedit({ a: <<E\n</tool_call>\n", "E, b: [1, 2, 3,\n"),
    ),
    "tagged: unclosed strings": (tagged, repeated('<tool_call>\nrun({ a: "\n</tool_call>\n')),
    "tagged: unclosed comments": (tagged, repeated("<tool_call>\nrun({ /* a\n</tool_call>\n")),
    "tagged: unknown tags": (tagged, numbered("<a#>\n")),
    "tagged: angle calls": (tagged, repeated("<run({ a: `${ \n")),
    "tagged: calls in prose": (tagged, repeated("<assistant_prose>\n<tool_call>\nrun({})\n</assistant_prose>\n")),
    "tagged: shift operators": (tagged, repeated("a <<b\n")),
    "bare: calls": (bare, repeated('run({ command: "ls" })\n')),
    "bare: unclosed heredocs, own tags": (bare, numbered("run({ a: <<E#\n")),
    "bare: heredocs to one late end": (bare, with_tail("run({ a: <<E\n", "E, b: [1, 2, 3,\n")),
    "bare: interpolations": (bare, repeated("run({ a: `${ \n")),
    "bare: nesting": (bare, lambda size: "run({ a: " + "[" * size),
    "fenced: calls": (fenced, repeated(FENCED)),
    "fenced: one large call": (
        fenced,
        lambda size: '```tool\n{ "name": "edit", "args": { "content": "' + "x\\n" * (size // 3) + '" } }\n```\n',
    ),
    "fenced: openers": (fenced, repeated("```tool\n")),
    "fenced: broken blocks": (fenced, repeated('```tool\n{ "name": \n```\n')),
    "fenced: objects in prose": (fenced, repeated('{ "name": "run", "args": {} }\n')),
    "fenced: broken objects in prose": (fenced, repeated('{ "name": ')),
    "fenced: tags in prose": (fenced, repeated("<tool_call>\nrun({\n")),
    "hermes: calls": (raw("hermes"), repeated(HERMES)),
    "hermes: one large call": (
        raw("hermes"),
        lambda size: (
            '<tool_call>{"name": "edit", "arguments": {"content": "' + "x\\n" * (size // 3) + '"}}</tool_call>'
        ),
    ),
    "hermes: openers": (raw("hermes"), repeated("<tool_call>")),
    "hermes: broken calls": (raw("hermes"), repeated('<tool_call>{"name": ')),
    "hermes: unclosed strings": (raw("hermes"), repeated('<tool_call>{"name": "')),
    "hermes: markers in strings": (
        raw("hermes"),
        repeated('<tool_call>{"name": "edit", "arguments": {"a": "</tool_call>"}}</tool_call>'),
    ),
    "hermes: calls in reasoning": (raw("hermes"), lambda size: "<think>" + HERMES * (size // len(HERMES)) + "</think>"),
    "qwen3_coder: calls": (raw("qwen3_coder"), repeated(CODER)),
    "qwen3_coder: unclosed arguments": (raw("qwen3_coder"), repeated("<tool_call><function=run><parameter=a>")),
    "glm45: calls": (raw("glm45"), repeated(GLM)),
    "glm45: openers": (raw("glm45"), repeated("<tool_call>run<arg_key>a</arg_key><arg_value>")),
    "mistral: calls": (raw("mistral"), repeated('[TOOL_CALLS]run[ARGS]{"command": "ls -la", "list": [1, 2, 3]}')),
    "openai: calls": (raw("openai"), repeated(HARMONY)),
    "openai: headers": (raw("openai"), repeated("<|start|>assistant<|channel|>")),
    "pythonic: calls": (
        raw("pythonic"),
        lambda size: "[" + 'run(command="ls -la", list=[1, 2, 3]), ' * (size // 40) + "]",
    ),
    "pythonic: nesting": (raw("pythonic"), lambda size: "[run(a=" + "[" * size),
    "gemma4: calls": (
        raw("gemma4"),
        repeated('<|tool_call>call:run{command:<|"|>ls -la<|"|>,list:[1,2,3]}<tool_call|>'),
    ),
    "recognise: markers": (recognise_protocol, repeated("<tool_call> <|channel|> [TOOL_CALLS] <function= ")),
    "template: branches": (template, repeated(BRANCH)),
    "template: openers": (template, repeated("{{ if a }}")),
    "template: braces": (template, repeated("{{")),
    "template: text": (template, repeated("A line of text { with } braces.\n")),
    "wire: calls": (wire, repeated(CALL)),
}


def measure(read: Callable[[str], object], text: str) -> float:
    gc.collect()
    gc.disable()
    start = time.perf_counter()
    read(text)
    seconds = time.perf_counter() - start
    gc.enable()
    return seconds


def scan() -> None:
    """How fast texts without calls are read."""
    for name, unit in PLAIN.items():
        text = unit * ((4 << 20) // len(unit))
        recognising = 4 / best(recognise_protocol, text)
        rates = {row: 4 / best(raw(row), text) for row in PROTOCOLS}
        slowest = min(rates, key=rates.__getitem__)
        median = sorted(rates.values())[len(rates) // 2]
        print(
            f"{name:<8} recognised at {recognising:.0f} MB/s, read at {median:.0f} MB/s (median of the protocols), "
            f"{rates[slowest]:.0f} MB/s by the slowest, {slowest}"
        )


def best(read: Callable[[str], object], text: str) -> float:
    """The least processor time of five readings."""
    times = []
    for _ in range(5):
        start = time.process_time()
        read(text)
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--max-mb", type=int, default=16)
    parser.add_argument("--only", default="")
    parser.add_argument("--scan", action="store_true")
    options = parser.parse_args()
    if options.scan:
        scan()
        return
    sizes = [size for size in (1, 2, 4, 8, 16) if size <= options.max_mb]
    print(f"{'input':<40}" + "".join(f"{size:>6} MB" for size in sizes) + "   worst ratio")
    for name, (read, generate) in INPUTS.items():
        if options.only not in name:
            continue
        seconds = [measure(read, generate(size << 20)) for size in sizes]
        # Below a few hundredths of a second a ratio is noise.
        ratios = [after / before for before, after in pairwise(seconds) if before > 0.03]
        worst = f"{max(ratios):.1f}" if ratios else "-"
        print(f"{name:<40}" + "".join(f"{second:>9.2f}" for second in seconds) + f"{worst:>14}", flush=True)


if __name__ == "__main__":
    main()
