"""Parsers that a server does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolsurface_lint.checks.contract import SERVING, check
from toolsurface_lint.knowledge.serving_engines import ENGINES, Engine
from toolsurface_lint.model.diagnostics import ERROR, Finding, Rule, renaming
from toolsurface_lint.model.names import folded, likely_meant, suggestion
from toolsurface_lint.model.serving import Launch, Option
from toolsurface_lint.protocols.outputs.rows import by_parser, engine_parsers

RULE = Rule(
    code="SERVE_PARSER_UNKNOWN",
    since="0.1.0",
    severity=ERROR,
    summary="A server is given a parser that it does not have.",
    message={
        "tool": "{engine} has no tool-call parser `{name}`",
        "reasoning": "{engine} has no reasoning parser `{name}`",
        "removed": "{engine} has no tool-call parser `{name}` any more: {version} does not have it",
    },
    tags=("serving",),
    fix="unsafe",
)

_TOOL, _REASONING = "tool-call-parser", "reasoning-parser"
_DIGITS = re.compile(r"\d+")


class _Wrong(NamedTuple):
    kind: str
    near: tuple[str, ...] = ()


@check(SERVING, RULE)
def check_names(launch: Launch) -> Iterator[Finding]:
    engine = ENGINES[launch.engine]
    tool_parsers = frozenset(engine_parsers(launch.engine))
    plugins = {_TOOL: launch.last("tool-parser-plugin"), _REASONING: launch.last("reasoning-parser-plugin")}
    for option in launch.given(_TOOL, _REASONING):
        if option.value is None or plugins[option.name] is not None:
            continue
        if option.name == _TOOL:
            wrong = _wrong_tool_parser(option.value, launch, engine, tool_parsers)
        else:
            wrong = _wrong_reasoning_parser(option.value, launch, engine, tool_parsers)
        if wrong is not None:
            yield _finding(option, wrong, engine)


def _finding(option: Option, wrong: _Wrong, engine: Engine) -> Finding:
    name = option.value or ""
    version = ".".join(map(str, engine.removed.get(name, ())))
    return RULE.at(
        option.place,
        wrong.kind,
        field=option.name,
        name=name,
        engine=engine.title,
        version=version,
        help=suggestion(wrong.near),
        fix=renaming(option.place, name, wrong.near),
    )


def _wrong_tool_parser(name: str, launch: Launch, engine: Engine, known: frozenset[str]) -> _Wrong | None:
    removed = engine.removed.get(name)
    if removed is not None and (launch.version is None or launch.version >= removed):
        return _Wrong("removed")
    if name in known or removed is not None:
        return None
    near = _slips(name, known)
    if not near:
        near = _translated(name, launch.engine, known)
    if near or name in engine.reasoning or _is_of_others(name, launch.engine) or _is_pinned(launch, engine):
        return _Wrong("tool", near)
    return None


def _wrong_reasoning_parser(name: str, launch: Launch, engine: Engine, tools: frozenset[str]) -> _Wrong | None:
    known = engine.reasoning
    if not known or name in known or name in engine.no_reasoning:
        return None
    near = _slips(name, known)
    others = {other for title, one in ENGINES.items() if title != launch.engine for other in one.reasoning}
    if near or name in others or name in tools or _is_pinned(launch, engine):
        return _Wrong("reasoning", near)
    return None


def _slips(name: str, known: frozenset[str]) -> tuple[str, ...]:
    """The known names that a name is surely meant for. Another number is another model, perhaps a newer one."""
    same = tuple(sorted(other for other in known if folded(other) == folded(name)))
    if same:
        return same
    numbers = _DIGITS.findall(name)
    return likely_meant(name, (other for other in known if _DIGITS.findall(other) == numbers))


def _translated(name: str, engine: str, known: frozenset[str]) -> tuple[str, ...]:
    """What an engine calls the parser that has this name in another one."""
    for other in ENGINES:
        protocol = by_parser(other, name) if other != engine else None
        if protocol is not None:
            return tuple(own for own in protocol.engines.get(engine, ()) if own in known)[:1]
    return ()


def _is_of_others(name: str, engine: str) -> bool:
    return any(name in engine_parsers(other) for other in ENGINES if other != engine)


def _is_pinned(launch: Launch, engine: Engine) -> bool:
    """Whether the version is one of which all parsers are known; of newer ones they are not."""
    return launch.version is not None and launch.version < (*engine.newest, 1) and not launch.open
