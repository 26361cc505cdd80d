"""What a row about a raw-output protocol says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from toolsurface_lint.protocols.outputs.syntax import Pair, Syntax

THINK = (Pair("<think>", "</think>"),)

_TAG_HINTS = ("|", "｜", "tool_call", "function_", "<function", "invoke")
_OTHER_HINTS = ("TOOL_CALLS", "functools")
HINTS = (*_TAG_HINTS, *_OTHER_HINTS)
"""Pieces of which every marker that begins calls has one: a text without calls is searched for few strings, not for fifty.

Markers that have one of the first have a `<` too.
"""


def hints_in(text: str) -> tuple[str, ...]:
    tags = _TAG_HINTS if "<" in text else ()
    return tuple(hint for hint in (*tags, *_OTHER_HINTS) if hint in text)


@dataclass(frozen=True, slots=True)
class Stops:
    """The special tokens of a family of chat formats: those that end a response, and those that never stand in one."""

    ends: tuple[str, ...]
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OutputProtocol:
    """One way of writing calls into text.

    `name` is the name that vLLM has for its parser where it has one. `syntax` is the grammar with its parameters.
    `reasoning` are the markers around reasoning, `tokens` further markers that a runtime cuts out, so that one in prose
    has leaked, `frames` those around the answer, which are no part of it. `engines` maps `vllm`, `sglang` and
    `llama.cpp` to the names of their parsers that read this protocol (for llama.cpp the files of `common/parsers`, which
    it chooses by the template). `models` are patterns of lower-case model names without their owner, `source` says where
    the format is documented by code.
    """

    name: str
    title: str
    syntax: Syntax
    source: str
    engines: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    models: tuple[str, ...] = ()
    reasoning: tuple[Pair, ...] = THINK
    stops: Stops = Stops(())
    tokens: tuple[str, ...] = ()
    frames: tuple[str, ...] = ()

    @property
    def grammar(self) -> str:
        return self.syntax.grammar

    @property
    def stop_tokens(self) -> tuple[str, ...]:
        return self.stops.ends

    @property
    def leaking(self) -> tuple[str, ...]:
        """All that may not stand in prose."""
        closers = tuple(pair.close for pair in self.reasoning)
        return (*closers, *self.tokens, *self.stops.ends, *self.stops.others)
