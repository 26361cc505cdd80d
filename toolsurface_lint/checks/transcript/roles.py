"""Roles that no format knows, and turns in a place where their role must not stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolsurface_lint.checks.contract import CONVERSATION, Follow, check
from toolsurface_lint.model.diagnostics import ERROR, WARNING, Finding, Rule
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.transcript import ASSISTANT, TOOL, USER, Mismatch, Turn
from toolsurface_lint.source.tree import Place

ROLE_ORDER = Rule(
    code="TRANSCRIPT_ROLE_ORDER",
    since="0.1.0",
    severity=ERROR,
    summary="A turn stands where its role must not, or holds what its role must not hold.",
    message={
        "calls": "a message of `{role}` must not hold calls",
        "results": "a message of `{role}` must not hold results",
        "first": "a conversation must begin with `user`, not with `{role}`",
        "twice": "two turns of `{role}` follow one another, where user and assistant must alternate",
        "unprompted": "a turn with calls must follow one of the user or one with results",
    },
    tags=("transcripts",),
)

UNKNOWN_ROLE = Rule(
    code="TRANSCRIPT_UNKNOWN_ROLE",
    since="0.1.0",
    severity=WARNING,
    summary="A message has a role that its format does not know.",
    message="`{role}` is not a role of a message",
    tags=("transcripts",),
)


@check(CONVERSATION, ROLE_ORDER, UNKNOWN_ROLE)
def check_conversation(surface: Surface) -> Follow:
    before: Turn | None = None

    def follow(turn: Turn | None, _: list[Mismatch]) -> Iterable[Finding]:
        nonlocal before
        if turn is None or turn.role_path is None:
            return ()
        last, before = before, turn
        role = turn.role
        contract = turn.contract
        if (
            role is None
            or (turn.calls and role != ASSISTANT)
            or (turn.results and role not in contract.result_roles)
            or contract.alternates
            or (contract.prompted and turn.calls)
        ):
            return _findings(turn, last)
        return ()

    return follow


def _findings(turn: Turn, last: Turn | None) -> Iterator[Finding]:
    assert turn.role_path is not None
    place = Place(turn.tree, turn.path + turn.role_path)
    word = turn.tree.at(turn.path + turn.role_path).value
    if turn.role is None:
        yield UNKNOWN_ROLE.at(place, role=word if isinstance(word, str) else "(none)")
        return
    kind = _problem(turn, last)
    if kind is not None:
        yield ROLE_ORDER.at(place, kind, role=word)


def _problem(turn: Turn, last: Turn | None) -> str | None:
    """The kind of what is wrong with the role of a turn."""
    role, contract = turn.role, turn.contract
    if turn.calls and role != ASSISTANT:
        return "calls"
    if turn.results and role not in contract.result_roles:
        return "results"
    if contract.alternates and role in (USER, ASSISTANT):
        if last is None and role != USER:
            return "first"
        if last is not None and _meant(last) == role:
            return "twice"
    if contract.prompted and turn.calls and not (last is None or last.role in (USER, TOOL) or last.results):
        return "unprompted"
    return None


def _meant(turn: Turn) -> str | None:
    """The role that a turn should have had, so that a wrong one is reported once."""
    return ASSISTANT if turn.calls else USER if turn.results else turn.role
