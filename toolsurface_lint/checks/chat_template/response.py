"""Whether transformers reads back the calls that a chat template writes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from toolsurface_lint.checks._rendered_templates import observe_template
from toolsurface_lint.checks.contract import CHAT_TEMPLATE, check
from toolsurface_lint.model.chat_template import ChatTemplate
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.source.excerpts import beginning
from toolsurface_lint.source.text import Span

RULE = Rule(
    code="CHAT_TEMPLATE_RESPONSE_TEMPLATE_MISMATCH",
    since="0.1.0",
    severity=WARNING,
    summary="The `response_template` of a tokenizer does not read back the calls that its chat template writes.",
    message={
        "refused": "transformers refuses this `response_template`: {reason}",
        "unreadable": "`response_template` fails for a call that the chat template writes: {reason}",
        "number": "the chat template writes {written}, of which `response_template` reads {read}",
        "name": "`response_template` reads the call of `{name}` as one of `{read}`",
        "arguments": "`response_template` reads other arguments than those with which the chat template writes a call",
    },
    tags=("chat-templates", "responses"),
)


@check(CHAT_TEMPLATE, RULE)
def check_response(template: ChatTemplate, target: Target) -> Iterator[Finding]:
    if template.response is None or template.parsed is None:
        return
    from toolsurface_lint.chat_templates.rendering.process import NotRendered, read_calls
    from toolsurface_lint.chat_templates.response_templates import Refused, ResponseTemplate

    place = template.response.key_place
    try:
        ResponseTemplate(template.response.value)
    except Refused as refused:
        yield RULE.at(place, "refused", reason=refused)
        return
    observed = observe_template(template)
    if not observed.calls:
        return
    try:
        read = read_calls(template.response.value, [(shown.prompt, shown.text) for shown in observed.calls])
    except NotRendered as error:
        template.observed = replace(observed, undecided=(*observed.undecided, str(error)))
        return
    for shown, calls in zip(observed.calls, read, strict=True):
        difference = _difference(shown.calls, calls)
        if difference is not None:
            kind, values = difference
            if template.response.tree.origin == template.origin:
                yield RULE.at(place, kind, **values)
            else:
                # The two files belong together; the one that is being checked is that of the template.
                related = [("the `response_template` is here", place)]
                yield RULE.at(template.place(Span(0, 0)), kind, related=related, **values)
            return


def _difference(
    written: Sequence[tuple[str, Mapping[str, Any]]], read: Sequence[tuple[str, Any]] | str
) -> tuple[str, dict[str, Any]] | None:
    """What is read back otherwise than it was written: a kind of message, and its values."""
    if isinstance(read, str):
        return "unreadable", {"reason": read}
    if len(written) != len(read):
        noun = "1 call" if len(written) == 1 else f"{len(written)} calls"
        return "number", {"written": noun, "read": len(read)}
    for (name, arguments), (read_name, read_arguments) in zip(written, read, strict=True):
        if name != read_name:
            return "name", {"name": name, "read": beginning(read_name, 40)}
        if not _means(read_arguments, arguments):
            return "arguments", {}
    return None


def _means(read: Any, written: Any) -> bool:
    """Whether what was read is what was written, or a text of it that its schema gives a type."""
    if isinstance(read, str) and not isinstance(written, str):
        try:
            return bool(json.loads(read.strip()) == written)
        except (ValueError, RecursionError):
            return read.strip().lower() == str(written).lower()
    if isinstance(read, dict) and isinstance(written, Mapping):
        return read.keys() == written.keys() and all(_means(read[key], written[key]) for key in written)
    return bool(read == written)
