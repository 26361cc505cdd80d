"""What a chat template shows a model, by rendering it."""

from __future__ import annotations

from collections.abc import Mapping

from toolsurface_lint.chat_templates.behaviours import Observed


def observe(text: str, *, special_tokens: Mapping[str, str]) -> Observed:
    """Render conversations with a template, in a process of its own, and judge what comes out.

    `special_tokens` are the variables that the tokenizer adds, such as `bos_token`; without them, `<s>` and `</s>`.
    """
    from toolsurface_lint.chat_templates.rendering.conversations import CONVERSATIONS, WITHOUT_TOOLS, in_parts
    from toolsurface_lint.chat_templates.rendering.judgement import Judgement
    from toolsurface_lint.chat_templates.rendering.process import NotRendered, render

    variables = {"bos_token": "<s>", "eos_token": "</s>", **special_tokens}

    def judged(conversations: Mapping[str, Mapping[str, object]]) -> Judgement:
        rendered = render(text, variables, list(conversations.values()))
        return Judgement(dict(zip(conversations, rendered, strict=True)))

    conversations = CONVERSATIONS if "tool" in text else WITHOUT_TOOLS
    try:
        judgement = judged(conversations)
        if judgement.shows_nothing:
            judgement = judged({name: in_parts(each) for name, each in conversations.items()})
    except NotRendered as error:
        return Observed(undecided=(str(error),))
    if judgement.shows_nothing:
        return Observed(undecided=("no conversation could be rendered",))
    return Observed(
        judgement.behaviours(),
        (),
        tuple(judgement.calls()),
        judgement.shows_tools,
        judgement.shows_calls,
        judgement.shows_results,
    )
