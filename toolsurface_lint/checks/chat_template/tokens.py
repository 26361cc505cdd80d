"""Special tokens in the text of a chat template."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from toolsurface_lint.checks.contract import CHAT_TEMPLATE, check
from toolsurface_lint.model.chat_template import ChatTemplate
from toolsurface_lint.model.diagnostics import UNSAFE, WARNING, Finding, Rule, renaming
from toolsurface_lint.model.names import close_index, suggestion
from toolsurface_lint.model.target import Target
from toolsurface_lint.source.excerpts import beginning
from toolsurface_lint.source.text import Span

if TYPE_CHECKING:
    from jinja2 import nodes

    from toolsurface_lint.chat_templates.syntax import ParsedTemplate

TOKEN_AS_TEXT = Rule(
    code="CHAT_TEMPLATE_TOKEN_AS_TEXT",
    since="0.1.0",
    severity=WARNING,
    summary="A chat template writes a special token that the tokenizer beside it does not have.",
    message="`{token}` is not a token of the tokenizer: the model reads it as plain text",
    tags=("chat-templates", "tokens"),
    fix=UNSAFE,
)

_MARKER = re.compile(r"<(?P<bar>[|｜])[^|｜<>\s]{1,60}(?P=bar)>|\[/?[A-Z][A-Z_]{2,40}\]")
_ASKING = frozenset(("==", "!=", "in", "not"))
_TAKING_APART = frozenset(
    ("split", "rsplit", "replace", "startswith", "endswith", "strip", "lstrip", "rstrip", "find", "index")
)


class Marker(NamedTuple):
    """A text in the form of a special token, and where it is in the template."""

    text: str
    span: Span


def markers(parsed: ParsedTemplate) -> list[Marker]:
    """What a template writes in the form of special tokens; not what it compares with, or looks for in a message."""
    found: list[Marker] = []
    meaning = [token for token in parsed.tokens if token.kind != "whitespace"]
    for index, token in enumerate(meaning):
        if token.kind not in ("data", "string"):
            continue
        if token.kind == "string":
            before = [each.value for each in meaning[max(index - 2, 0) : index]]
            after = [each.value for each in meaning[index + 1 : index + 2]]
            if not _ASKING.isdisjoint((*before[-1:], *after)) or (before[-1:] == ["("] and before[0] in _TAKING_APART):
                continue
        matches = _MARKER.finditer(parsed.text, token.start, token.end)
        found += [Marker(match[0], Span(*match.span())) for match in matches]
    return found


@check(CHAT_TEMPLATE, TOKEN_AS_TEXT)
def check_tokens(template: ChatTemplate, target: Target) -> Iterator[Finding]:
    added = template.tokens.added
    if not added or template.parsed is None:
        return
    found = markers(template.parsed)
    alike = {_plain(token): token for token in sorted(added, reverse=True)}
    forms = {marker.text[:2] for marker in found if marker.text in added}
    for marker in found:
        if marker.text in added:
            continue
        same = alike.get(_plain(marker.text))
        near = (same,) if same is not None else close_index(added).find(marker.text)
        # A tokenizer without any token of this form is that of a model which was taught plain text; brackets are prose, too.
        if not near and (marker.text[:2] not in forms or marker.text[0] == "["):
            continue
        place = template.place(marker.span)
        help = suggestion(near)
        fix = renaming(place, marker.text, near)
        yield TOKEN_AS_TEXT.at(place, field=template.key or None, token=marker.text, help=help, fix=fix)


def _plain(token: str) -> str:
    """A token with the signs that are easily mistaken for others replaced by those."""
    return token.replace("｜", "|").replace("▁", "_").lower()


FORGEABLE_TOKEN = Rule(
    code="CHAT_TEMPLATE_FORGEABLE_TOKEN",
    since="0.1.0",
    severity=WARNING,
    summary="A message can write the special tokens with which a chat template separates turns.",
    message={
        "content": "a message whose `content` holds `{token}` forges a turn: the template writes it as it is",
        "pieces": "this token is put together from `{expression}`, so that no engine can keep it apart from what users write",
    },
    help={
        "content": "take the token out of `content`, or let the engine encode what users write as plain text",
        "pieces": "write the whole token for each role",
    },
    tags=("chat-templates", "tokens", "security"),
    preview=True,
)


@check(CHAT_TEMPLATE, FORGEABLE_TOKEN)
def check_forgeable(template: ChatTemplate, target: Target) -> Iterator[Finding]:
    parsed = template.parsed
    if parsed is None:
        return
    added = template.tokens.added
    taken_out = set(_taken_out(parsed))
    written = (marker.text for marker in markers(parsed) if added is None or marker.text in added)
    token = next((text for text in written if text not in taken_out), None)
    is_said = token is None
    for pieces in _written(parsed):
        for before, piece in pairwise([None, *pieces]):
            if piece is None or isinstance(piece, str):
                continue
            place = template.place(parsed.span(piece))
            if isinstance(before, str) and _BEGUN.search(before):
                expression = beginning(place.reads() or "", 80)
                yield FORGEABLE_TOKEN.at(place, "pieces", field=template.key or None, expression=expression)
            elif not is_said and _is_content(piece):
                is_said = True
                yield FORGEABLE_TOKEN.at(place, "content", field=template.key or None, token=token)


_BEGUN = re.compile(r"<[|｜][^|｜<>\s]*\Z")


def _taken_out(parsed: ParsedTemplate) -> Iterator[str]:
    """The texts that a template replaces, or splits a text at."""
    meaning = [token for token in parsed.tokens if token.kind != "whitespace"]
    for (name, bracket), text in zip(pairwise(meaning), meaning[2:], strict=False):
        if text.kind == "string" and bracket.value == "(" and name.value in ("replace", "split"):
            yield text.value[1:-1]


def _written(parsed: ParsedTemplate) -> Iterator[list[str | nodes.Node]]:
    """What a template writes or puts together, each as the pieces of which it is made: texts and expressions."""
    from jinja2 import nodes

    for node in parsed.all_nodes:
        waiting: list[nodes.Node] = []
        if isinstance(node, nodes.Output):
            waiting += reversed(node.nodes)
        elif isinstance(node, nodes.Assign):
            waiting.append(node.node)
        pieces: list[str | nodes.Node] = []
        while waiting:
            part = waiting.pop()
            if isinstance(part, nodes.Add):
                waiting += [part.right, part.left]
            elif isinstance(part, nodes.Concat):
                waiting += reversed(part.nodes)
            elif isinstance(part, nodes.TemplateData):
                pieces.append(part.data)
            elif isinstance(part, nodes.Const) and isinstance(part.value, str):
                pieces.append(part.value)
            else:
                pieces.append(part)
        if pieces:
            yield pieces


def _is_content(piece: nodes.Node) -> bool:
    """Whether an expression is the content of a message, perhaps filtered or stripped."""
    from jinja2 import nodes

    while True:
        if isinstance(piece, nodes.Filter) and piece.node is not None:
            piece = piece.node
        elif isinstance(piece, nodes.Call) and isinstance(piece.node, nodes.Getattr):
            piece = piece.node.node
        elif isinstance(piece, nodes.Getattr):
            return piece.attr == "content"
        else:
            return (
                isinstance(piece, nodes.Getitem) and isinstance(piece.arg, nodes.Const) and piece.arg.value == "content"
            )
