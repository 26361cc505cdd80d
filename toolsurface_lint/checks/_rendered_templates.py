"""What rendering a chat template shows, which several rules ask for."""

from __future__ import annotations

from toolsurface_lint.chat_templates.behaviours import Observed
from toolsurface_lint.model.chat_template import ChatTemplate


def observe_template(template: ChatTemplate) -> Observed:
    """What is seen in conversations that a template renders; they are rendered once."""
    if template.observed is None:
        from toolsurface_lint.chat_templates.rendering import observe

        parsed = template.parsed
        if parsed is None:
            template.observed = Observed(undecided=("no conversation could be rendered",))
        else:
            template.observed = observe(parsed, special_tokens=template.tokens.special)
    return template.observed
