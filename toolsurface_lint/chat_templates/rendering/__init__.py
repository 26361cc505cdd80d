"""What a chat template shows a model, by rendering it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from toolsurface_lint.chat_templates.behaviours import Observed

if TYPE_CHECKING:
    from toolsurface_lint.chat_templates.rendering.process import Conversations
    from toolsurface_lint.chat_templates.syntax import ParsedTemplate


def observe(template: ParsedTemplate, *, special_tokens: Mapping[str, str]) -> Observed:
    """Render conversations with a template, in a process of its own, and judge what comes out.

    `special_tokens` are the variables that the tokenizer adds, such as `bos_token`; without them, `<s>` and `</s>`.
    """
    from toolsurface_lint.chat_templates.rendering.conversations import TOOLS
    from toolsurface_lint.chat_templates.rendering.judgement import Judgement
    from toolsurface_lint.chat_templates.rendering.process import NotRendered, render

    variables = {"bos_token": "<s>", "eos_token": "</s>", **special_tokens, "tools": TOOLS}
    text = template.text

    def judged(parts: bool) -> Judgement:
        names, conversations = _conversations("tool" in text, parts)
        return Judgement(dict(zip(names, render(template, variables, conversations), strict=True)))

    try:
        judgement = judged(parts=False)
        if judgement.shows_nothing:
            judgement = judged(parts=True)
    except NotRendered as error:
        return Observed(undecided=(str(error),))
    if judgement.shows_nothing:
        return Observed(undecided=("no conversation could be rendered",))
    # Most templates know nothing of calls, and may refuse them.
    fails = "tool_calls" in text and judgement.shows_no_form
    return Observed(
        judgement.behaviours(),
        ("no conversation with a call could be rendered",) if fails else (),
        tuple(judgement.calls()),
        judgement.shows_tools,
        judgement.shows_calls,
        judgement.shows_results,
    )


@cache
def _conversations(tools: bool, parts: bool) -> tuple[tuple[str, ...], Conversations]:
    """The names of the conversations, and what is sent of them; the tools, which are the same in all that have some, are not."""
    from toolsurface_lint.chat_templates.rendering.conversations import CONVERSATIONS, WITHOUT_TOOLS, in_parts
    from toolsurface_lint.chat_templates.rendering.process import Conversations

    chosen = CONVERSATIONS if tools else WITHOUT_TOOLS
    sent = [
        {key: value for key, value in (in_parts(each) if parts else each).items() if key != "tools" or value is None}
        for each in chosen.values()
    ]
    return tuple(chosen), Conversations.of(sent)
