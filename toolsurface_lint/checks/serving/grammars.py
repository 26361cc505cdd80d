"""Parsers against what the model writes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolsurface_lint.checks.contract import SERVING, check
from toolsurface_lint.knowledge import words
from toolsurface_lint.knowledge.serving_engines import ENGINES
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule, rewriting
from toolsurface_lint.model.serving import VLLM, Launch, Option
from toolsurface_lint.protocols.outputs.protocol import OutputProtocol
from toolsurface_lint.protocols.outputs.rows import PROTOCOLS, by_parser

RULE = Rule(
    code="SERVE_PARSER_MISMATCH",
    since="0.1.0",
    severity=WARNING,
    summary="A tool-call parser reads another format than the model writes.",
    message={
        "model": "the tool-call parser `{name}` does not read the calls of `{model}`: {title}",
    },
    help={"model": "write `--tool-call-parser {parser}`"},
    tags=("serving",),
    fix="unsafe",
)

_PARSER = "tool-call-parser"
_REFERENCE = re.compile(r"[\w.-]+/[\w.-]+(?::[\w.-]+)?\Z|(?:/|\.{1,2}/|~/)[\w./-]+\Z|[\w.-]+\Z")
_SIZE = re.compile(r"[aewvxq]?\d+(?:[bekmx]|bit|x\d+b|a\d+|e\d+)?")
_WORDS = words(
    "instruct base chat it thinking reasoning coder math vl omni audio next preview exp terminus speciale air flash plus pro "
    "max mini small medium large nano super ultra scout maverick hf bf16 fp8 fp4 nvfp4 mxfp4 mxfp8 awq gptq int4 int8 dynamic "
    "gguf bnb mlx quantized block"
)
"""What the name of a model has beside its family, if it is that model."""
_BASES = words("llama theta pro mistral")
"""What Nous makes its models of, which their names say."""


@check(SERVING, RULE)
def check_model(launch: Launch) -> Iterator[Finding]:
    parser, model = launch.last(_PARSER), launch.model
    if parser is None or model is None or not (parser.sure and model.sure) or launch.last("chat-template") is not None:
        return
    reads = by_parser(launch.engine, parser.value or "")
    writes = _protocol_of(model)
    if reads is None or writes is None or _may_read(reads, writes, launch):
        return
    right = writes.engines.get(launch.engine, ())
    yield RULE.at(
        parser.place,
        "model",
        field=_PARSER,
        name=parser.value,
        model=model.value,
        title=writes.title,
        parser=right[0] if right else "",
        help=None if right else f"{ENGINES[launch.engine].title} has no parser for it",
        fix=rewriting(parser.place, right[0]) if right else None,
        related=[("the model is named here", model.place)],
    )


def _protocol_of(model: Option) -> OutputProtocol | None:
    """The protocol of a model whose name is that of its family, with what says its size and its form.

    What others made of a model may write another one.
    """
    if model.value is None or _REFERENCE.match(model.value) is None:
        return None
    name = model.value.lower().rpartition("/")[2].removeprefix("meta-").removeprefix("nvidia-")
    found = [
        (len(family), row)
        for row in PROTOCOLS.values()
        for family in (pattern.strip("*") for pattern in row.models)
        if "*" not in family and name.startswith(family) and _is_plain(name[len(family) :], family)
    ]
    return max(found, key=lambda pair: pair[0], default=(0, None))[1]


def _is_plain(rest: str, family: str) -> bool:
    """Whether what follows the family in a name says no more than which of its models it is. `Qwen3.9` is not `Qwen3`."""
    own = _WORDS | _BASES if family.startswith("hermes") else _WORDS
    return rest[:1] in ("", "-", "_", ":") and all(
        part in own or _SIZE.fullmatch(part) is not None for part in re.split(r"[-_.:]", rest) if part
    )


def _may_read(reads: OutputProtocol, writes: OutputProtocol, launch: Launch) -> bool:
    """Whether a parser may read a protocol: it is the same, or of the same grammar with a marker in common."""
    if reads is writes or (writes.grammar == "channels" and launch.engine == VLLM):
        # For models of Harmony, vLLM takes no other parser, whatever it is given (vllm/parser/parser_manager.py).
        return True
    if reads.grammar == writes.grammar:
        opens, opened = reads.syntax.openers, writes.syntax.openers
        return not opens or not set(opens).isdisjoint(opened)
    # Models of Llama are asked for either, by the template that they are given.
    return {reads.grammar, writes.grammar} == {"bare-json", "pythonic"}
