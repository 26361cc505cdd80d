"""Parsers against what the model writes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from toolsurface_lint.checks._rendered_templates import observe_template
from toolsurface_lint.checks.contract import SERVING, check
from toolsurface_lint.knowledge import words
from toolsurface_lint.knowledge.serving_engines import ENGINES
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule, rewriting
from toolsurface_lint.model.serving import VLLM, Launch, Option
from toolsurface_lint.protocols.outputs.protocol import OutputProtocol
from toolsurface_lint.protocols.outputs.rows import PROTOCOLS, by_parser
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Place

if TYPE_CHECKING:
    from toolsurface_lint.chat_templates.behaviours import ShownCall
    from toolsurface_lint.model.chat_template import ChatTemplate

RULE = Rule(
    code="SERVE_PARSER_MISMATCH",
    since="0.1.0",
    severity=WARNING,
    summary="A tool-call parser reads another format than the model writes.",
    message={
        "model": "the tool-call parser `{name}` does not read the calls of `{model}`, which are in the format `{format}`",
        "template": "the tool-call parser `{name}` does not read the calls that `{template}` shows, in the format `{format}`",
    },
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
def check_parser(launch: Launch) -> Iterator[Finding]:
    parser, model, given = launch.last(_PARSER), launch.model, launch.last("chat-template")
    reads = None if parser is None or not parser.sure else by_parser(launch.engine, parser.value or "")
    if parser is None or reads is None:
        return
    if given is None and model is not None and model.sure:
        writes = _protocol_of(model)
        if writes is not None and not _may_read(reads, writes, launch):
            related = [("the model is named here", model.place)]
            yield _finding("model", parser, launch, writes, related, model=model.value)
    elif given is not None and given.sure and launch.template is not None and reads.grammar != "channels":
        shown = _shown_by(launch.template)
        if shown and not any(_reads(reads, call) for call in shown):
            writes = next((row for row in PROTOCOLS.values() if all(_reads(row, call) for call in shown)), None)
            if writes is not None:
                related = [("the template is here", launch.template.place(Span(0, 0)))]
                yield _finding("template", parser, launch, writes, related, template=given.value)


def _finding(
    kind: str,
    parser: Option,
    launch: Launch,
    writes: OutputProtocol,
    related: list[tuple[str, Place]],
    **values: Any,
) -> Finding:
    names = writes.engines.get(launch.engine, ())
    help = f"write `--tool-call-parser {names[0]}`" if names else f"{ENGINES[launch.engine].title} has no parser for it"
    fix = rewriting(parser.place, names[0]) if names else None
    values.update(name=parser.value, format=writes.name)
    return RULE.at(parser.place, kind, field=_PARSER, help=help, fix=fix, related=related, **values)


def _shown_by(template: ChatTemplate) -> tuple[ShownCall, ...]:
    """The calls that a template shows; none where that could not be seen."""
    observed = observe_template(template)
    return () if observed.undecided else observed.calls


def _reads(protocol: OutputProtocol, shown: ShownCall) -> bool:
    """Whether a protocol finds the calls in what a template shows."""
    from toolsurface_lint.protocols.recognition import parse_response

    found = parse_response(shown.text, protocol.name, tools=list(shown.tools)).calls
    return [call.name for call in found] == [name for name, _ in shown.calls]


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
        for family, more, _ in (pattern.removeprefix("*").partition("*") for pattern in row.models)
        if (name.startswith(family) and _is_plain(name[len(family) :], family) if more else name == family)
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
