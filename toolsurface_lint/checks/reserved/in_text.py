"""Texts that collide with the reserved tokens of the model that they are sent to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from toolsurface_lint.checks.contract import DEFINITION_TEXT, PROMPT_TEXT, RESPONSE, check
from toolsurface_lint.knowledge.provider_names import provider_id
from toolsurface_lint.knowledge.reserved_tokens import FAMILIES, FLAG_DECIDES, HOSTS
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, WARNING, Finding, Rule, rewriting
from toolsurface_lint.model.prompt import Prompt
from toolsurface_lint.model.response import AssistantResponse
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.texts import strings
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.protocols.wire import CANONICAL, DELIMITERS, reserves_tool_call_token, wire_forms
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Node

IN_PROMPT = Rule(
    code="RESERVED_TOKEN_IN_PROMPT",
    since="0.1.0",
    severity=ERROR,
    summary="A text holds a reserved token of the model that it is sent to.",
    message="`{token}` is a reserved token of `{model}` on `{provider}`",
    tags=("reserved-tokens",),
)

WIRE_FORM = Rule(
    code="RESERVED_TOKEN_WIRE_FORM",
    since="0.1.0",
    severity=WARNING,
    summary="A text holds a delimiter in the form that belongs on the wire.",
    message="`{wire}` is the wire form of `{canonical}`; canonical text has the tag",
    tags=("reserved-tokens",),
    fix=UNSAFE,
)

NOT_INVERTIBLE = Rule(
    code="RESERVED_TOKEN_NOT_INVERTIBLE",
    since="0.1.0",
    severity=ERROR,
    summary="Remapping a text to the wire and back does not return it.",
    message="`{wire}` comes back as `{canonical}` when the delimiters are remapped for `{model}` on `{provider}`",
    tags=("reserved-tokens",),
)


@check(PROMPT_TEXT, IN_PROMPT, WIRE_FORM, NOT_INVERTIBLE)
def check_text(prompt: Prompt, target: Target) -> Iterator[Finding]:
    return _findings(prompt.node, prompt.text, target, None)


@check(DEFINITION_TEXT, IN_PROMPT, WIRE_FORM, NOT_INVERTIBLE)
def check_definition(tool: Tool, target: Target) -> Iterator[Finding]:
    for path, text, is_key in strings(tool.definition):
        if not is_key:
            yield from _findings(Node(tool.tree, path, text), text, target, tool.name)


def _findings(node: Node, text: str, target: Target, tool: str | None) -> Iterator[Finding]:
    """Each token once a text: whoever words one place differently will look for the others."""
    for token, provider in colliding_tokens(target).items():
        at = text.find(token)
        if at >= 0:
            yield IN_PROMPT.at(
                node.text_place(at, at + len(token)),
                tool=tool,
                token=token,
                model=target.model,
                provider=provider,
                help="let the runtime remap it and set `wire-remap = true`, or teach another call syntax"
                if token in _CANONICAL
                else "name it in words, or break it up",
            )
    for span in wire_forms(text) if "CALL]]" in text else ():
        wire = text[span.start : span.end]
        place = node.text_place(span.start, span.end)
        canonical = CANONICAL[wire]
        remapping = _remapping(target)
        if remapping is not None:
            yield NOT_INVERTIBLE.at(
                place, tool=tool, wire=wire, canonical=canonical, model=target.model, provider=remapping
            )
        else:
            # The tag is not the fix for a model that reserves it.
            fix = None if canonical in colliding_tokens(target) else rewriting(place, canonical)
            yield WIRE_FORM.at(place, tool=tool, wire=wire, canonical=canonical, fix=fix)


def _remapping(target: Target) -> str | None:
    """The first provider for whose model the runtime remaps delimiters."""
    model = target.model
    if not target.wire_remap or model is None:
        return None
    return next((provider.key for provider in target.named if reserves_tool_call_token(provider.key, model)), None)


COLLAPSE = Rule(
    code="RESERVED_TOKEN_COLLAPSE",
    since="0.1.0",
    severity=ERROR,
    summary="A response repeats the opener of a call over and over.",
    message="`{opener}` is repeated {count} times in a row: the output of the model has collapsed into this reserved token",
    tags=("reserved-tokens", "responses"),
)

_REPEATED = re.compile(r"(?P<opener><tool_call>|\[\[CALL\]\])(?:\s*+(?P=opener)){2,}+")


@check(RESPONSE, COLLAPSE)
def check_response(response: AssistantResponse, surface: Surface) -> Iterator[Finding]:
    match = _REPEATED.search(response.read.text)
    if match is not None:
        yield COLLAPSE.at(
            response.place(Span(*match.span())),
            opener=match["opener"],
            count=match.group().count(match["opener"]),
            help="send this model the wire form of the delimiters instead",
        )


_CANONICAL = tuple(canonical for canonical, _ in DELIMITERS)


def colliding_tokens(target: Target) -> dict[str, str]:
    """The texts that must not be in what is sent to a target, each with the first provider that reserves it.

    Delimiters that the runtime remaps are not a collision.
    """
    model = target.model
    if model is None:
        return {}
    tokens: dict[str, str] = {}
    for provider in target.named:
        for token in reserved_tokens(provider.key, model):
            tokens.setdefault(token, provider.key)
    if _remapping(target) is not None:
        return {token: provider for token, provider in tokens.items() if token not in _CANONICAL}
    return tokens


@lru_cache(maxsize=16)
def reserved_tokens(provider: str, model: str) -> tuple[str, ...]:
    """The tokens of a provider's model. Case does not count, nor does the maker before the last slash of the model."""
    provider = provider_id(provider)
    flagged = reserves_tool_call_token(provider, model)
    tokens = _tokens(model) if provider in HOSTS else ()
    if provider in FLAG_DECIDES and "qwen" in model.lower():
        tokens = tuple(token for token in tokens if token not in _CANONICAL)
    return (*_CANONICAL, *tokens) if flagged and _CANONICAL[0] not in tokens else tokens


def _tokens(model: str) -> tuple[str, ...]:
    """The tokens of the family whose pattern says most about a model's name."""
    name = model.strip().lower().rpartition("/")[2].replace("-", "")
    best = ""
    found: tuple[str, ...] = ()
    for family in FAMILIES:
        for pattern in family.models:
            start = pattern.rstrip("*").replace("-", "")
            covers = name.startswith(start) if pattern.endswith("*") else name.partition(":")[0] == start
            if covers and len(start) > len(best):
                best, found = start, family.tokens
    return found
