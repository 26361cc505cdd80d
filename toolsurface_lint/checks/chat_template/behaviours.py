"""What a chat template makes of conversations: seen by rendering it, and placed by following its tree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from toolsurface_lint.chat_templates import behaviours as b
from toolsurface_lint.chat_templates.behaviours import Evidence
from toolsurface_lint.checks._rendered_templates import observe_template
from toolsurface_lint.checks.contract import CHAT_TEMPLATE, check
from toolsurface_lint.model.chat_template import ChatTemplate
from toolsurface_lint.model.diagnostics import ERROR, WARNING, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.source.excerpts import beginning


def _rule(
    behaviour: str,
    summary: str,
    message: str | dict[str, str],
    help: str,
    severity: str = ERROR,
    preview: bool = False,
) -> Rule:
    return Rule(
        code=_PREFIX + behaviour,
        since="0.1.0",
        severity=severity,
        summary=summary,
        message=message,
        help=help,
        tags=("chat-templates",),
        preview=preview,
    )


_PREFIX = "CHAT_TEMPLATE_"

RULES = (
    _rule(
        b.TOOLS_NOT_RENDERED,
        "A chat template renders calls, but never shows the model the tools.",
        "`tools` is never rendered, but calls are: the model cannot know what it may call",
        "render each tool where the system message ends, with `{{{{ tool | tojson }}}}`",
        WARNING,
    ),
    _rule(
        b.ARGUMENTS_DOUBLE_ENCODED,
        "A chat template encodes arguments again that are a string of JSON.",
        "arguments that are a string, as OpenAI's API gives them, are encoded twice: `{shown}`",
        "write the arguments by themselves, and those that are a string as they are",
    ),
    _rule(
        b.STRING_ARGUMENTS_CRASH,
        "A chat template cannot be rendered if arguments are a string of JSON.",
        "rendering fails for arguments given as a string: {reason}",
        "test `is mapping` first, and write a string as it is",
    ),
    _rule(
        b.OBJECT_ARGUMENTS_CRASH,
        "A chat template cannot be rendered if arguments are an object.",
        "rendering fails for arguments given as an object: {reason}",
        "test `is string` first, and write an object with `| tojson`",
    ),
    _rule(
        b.CALLS_DROPPED,
        "A chat template does not render calls.",
        {
            "": "the call of an assistant's turn is not rendered",
            "second": "of two calls in one turn, only one is rendered",
        },
        "render every call in `message.tool_calls`, whatever the content of the message is",
    ),
    _rule(
        b.CALLS_MERGED,
        "A chat template puts nothing between two calls of one turn.",
        "two calls of one turn run into each other: `{shown}`",
        "write the separator of the format between two calls: `{{{{ ', ' if not loop.last }}}}`",
    ),
    _rule(
        b.RESULT_DROPPED,
        "A chat template does not render results.",
        {
            "": "the result of a call is not rendered: the model never learns what came of it",
            "second": "of the results of two calls, only one is rendered",
        },
        "add a branch for `message.role == 'tool'` that renders `message.content`",
    ),
    _rule(
        b.RESULT_UNIDENTIFIED,
        "A chat template renders results without the name or id of their calls.",
        "the results of two calls are rendered without names and ids: only their order says which is which",
        "render `message.name` or `message.tool_call_id` beside the content",
        WARNING,
        preview=True,
    ),
    _rule(
        b.NULL_CONTENT,
        "A chat template cannot be rendered with `content: null` or no content, or shows the model the text `None`.",
        {
            "null": "rendering fails for a call with `content: null`: {reason}",
            "absent": "rendering fails for a call without `content`: {reason}",
            "None": "`content: null`, as APIs give it beside a call, is rendered as the text `None`",
        },
        "write `message.content or ''`, or test `message.content` first",
    ),
    _rule(
        b.REASONING_KEPT,
        "A chat template shows the model the reasoning of earlier turns again.",
        "the reasoning of turns before the last question is rendered again",
        "render reasoning only after the last message of the user",
        WARNING,
        preview=True,
    ),
    _rule(
        b.REASONING_LOST,
        "A chat template drops the reasoning between a call and its result.",
        "the reasoning before a call is not rendered while its result is being answered",
        "render the reasoning of all turns after the last message of the user",
        WARNING,
        preview=True,
    ),
    _rule(
        b.ROLE_REFUSED,
        "A chat template cannot be rendered with a message of a common role.",
        "rendering fails for a conversation with a message of the role `{role}`: {reason}",
        "render the message, or add its text to the first message of the user",
        WARNING,
    ),
    _rule(
        b.GENERATION_PROMPT_MISSING,
        "A chat template ignores `add_generation_prompt`.",
        "`add_generation_prompt` changes nothing here: the prompt ends without the beginning of an assistant's turn",
        "after the messages, write what an assistant's turn begins with if `add_generation_prompt` is true",
        WARNING,
    ),
    _rule(
        b.SCHEMA_NOT_JSON,
        "A chat template renders schemas as Python values, or with HTML entities.",
        {
            "python": "tools are written as Python writes them, not as JSON: `{shown}`",
            "html": "tools are written with HTML entities: `{shown}`",
        },
        "write a value of a schema with `| tojson`, and without `| escape`",
        WARNING,
    ),
)

_BY_BEHAVIOUR = {rule.code.removeprefix(_PREFIX): rule for rule in RULES}


@check(CHAT_TEMPLATE, *RULES)
def check_behaviours(template: ChatTemplate, target: Target) -> Iterator[Finding]:
    """Report what rendering shows. Where it shows nothing for certain, the account says so, and nothing is reported."""
    parsed = template.parsed
    if parsed is None:
        return
    from toolsurface_lint.chat_templates.dataflow.places import places

    observed = observe_template(template).behaviours
    for behaviour, spans in places(parsed, observed, template.tokens.special).items():
        evidence = observed[behaviour]
        rule = _BY_BEHAVIOUR[behaviour]
        first, *others = map(template.place, spans)
        values: dict[str, Any] = {"shown": _shown(evidence), "reason": _reason(evidence), "role": evidence.what}
        if behaviour == b.ARGUMENTS_DOUBLE_ENCODED and (match := _ENCODING.fullmatch(parsed.text[slice(*spans[0])])):
            value = match["value"]
            values["help"] = f"write `{{{{ {value} if {value} is string else {value} | tojson }}}}`"
        yield rule.at(
            first,
            _kind(rule, evidence),
            field=template.key or None,
            related=[("the same happens here", place) for place in others],
            **values,
        )


def _kind(rule: Rule, evidence: Evidence) -> str:
    """Which of the messages of a rule is about the evidence."""
    if isinstance(rule.message, str):
        return ""
    if evidence.what in rule.message:
        return "second" if evidence.conversation.startswith("two") and "second" in rule.message else evidence.what
    return ""


def _shown(evidence: Evidence) -> str:
    """A short piece of the rendering, in one line: the encoded object, or else what is in the middle."""
    text = evidence.rendered
    encoded = text.find('{\\"')
    start = max(0, encoded - 1 if encoded >= 0 else len(text) // 2 - _SHOWN // 2)
    shown = " ".join(beginning(text[start:], _SHOWN).replace("`", "'").split())
    return f"…{shown}" if start and encoded < 0 else shown


_SHOWN = 40
"""Characters of a rendering in a message."""

_ON_PURPOSE = "TemplateError: "
"""What an exception of `raise_exception` begins with."""


def _reason(evidence: Evidence) -> str:
    """What the exception says, in one short line."""
    words = " ".join(evidence.message.replace("`", "'").split()).removesuffix(".")
    if words.startswith(_ON_PURPOSE):
        words = f'the template raises "{words.removeprefix(_ON_PURPOSE)}"'
    return beginning(words, _REASON)


_REASON = 100

_ENCODING = re.compile(r"(?P<value>[\w.\[\]'\"]*arguments['\"\]]*)\s*\|\s*tojson\b.*", re.DOTALL)
"""The arguments alone, as they are written, where a template encodes no more than these."""
