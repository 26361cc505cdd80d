"""The protocols of raw outputs, and the names that engines have for their parsers."""

from __future__ import annotations

from fnmatch import fnmatchcase

from toolsurface_lint.protocols.outputs import json_rows, tag_rows, token_rows
from toolsurface_lint.protocols.outputs.engines import OTHER_PARSERS
from toolsurface_lint.protocols.outputs.protocol import OutputProtocol

__all__ = ["PROTOCOLS", "OutputProtocol", "by_model", "by_parser", "engine_parsers", "parser_named"]

PROTOCOLS: dict[str, OutputProtocol] = {
    # Of several that read a text alike, the first is recognised.
    row.name: row
    for row in (*token_rows.ROWS, *tag_rows.ROWS, *json_rows.ROWS)
}

_BY_PARSER = {
    (engine, parser): row for row in PROTOCOLS.values() for engine, parsers in row.engines.items() for parser in parsers
}


def by_parser(engine: str, name: str) -> OutputProtocol | None:
    """The protocol that a parser of `vllm`, `sglang` or `llama.cpp` reads; None if it is not one of ours."""
    return _BY_PARSER.get((engine, name))


def engine_parsers(engine: str) -> tuple[str, ...]:
    """The names of an engine's parsers, also of those whose format is not here; empty for any other engine."""
    ours = [name for known, name in _BY_PARSER if known == engine]
    return tuple(sorted([*ours, *OTHER_PARSERS.get(engine, ())]))


def parser_named(name: str) -> OutputProtocol | None:
    """The protocol of a name: its own, else that of the first engine that has a parser of this name."""
    row = PROTOCOLS.get(name)
    if row is not None:
        return row
    return next((row for (_, parser), row in _BY_PARSER.items() if parser == name), None)


def by_model(model: str) -> OutputProtocol | None:
    """The protocol of a model, by its name with or without an owner; the longest pattern wins."""
    name = model.lower().rpartition("/")[2]
    matching = [
        (len(pattern), row) for row in PROTOCOLS.values() for pattern in row.models if fnmatchcase(name, pattern)
    ]
    return max(matching, key=lambda pair: pair[0], default=(0, None))[1]
