"""Parsers against what the model writes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolsurface_lint.checks.contract import SERVING, check
from toolsurface_lint.knowledge.serving_engines import ENGINES
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule, rewriting
from toolsurface_lint.model.serving import Launch, Option
from toolsurface_lint.protocols.outputs.protocol import OutputProtocol
from toolsurface_lint.protocols.outputs.rows import by_model, by_parser

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


@check(SERVING, RULE)
def check_model(launch: Launch) -> Iterator[Finding]:
    parser, model = launch.last(_PARSER), launch.model
    if parser is None or model is None or not (parser.sure and model.sure) or launch.last("chat-template") is not None:
        return
    reads = by_parser(launch.engine, parser.value or "")
    writes = _protocol_of(model)
    if reads is None or writes is None or _can_read(reads, writes):
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
    """The protocol of a model whose name begins with that of its family; what was made of it may write another one."""
    if model.value is None or _REFERENCE.match(model.value) is None:
        return None
    protocol = by_model(model.value)
    name = model.value.lower().rpartition("/")[2]
    if protocol is None:
        return None
    families = (pattern.strip("*").split("*")[0] for pattern in protocol.models)
    return protocol if any(name.removeprefix("meta-").startswith(family) for family in families) else None


def _can_read(reads: OutputProtocol, writes: OutputProtocol) -> bool:
    """Whether a parser may read a protocol: it is the same one, or of the same grammar with a marker in common."""
    if reads is writes or reads.name == writes.name:
        return True
    return reads.grammar == writes.grammar and not set(reads.syntax.openers).isdisjoint(writes.syntax.openers)
