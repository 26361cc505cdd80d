"""What a prompt says against tools that are there all the same."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolsurface_lint.checks.contract import PROMPT, check
from toolsurface_lint.model.diagnostics import INFO, WARNING, Finding, Rule
from toolsurface_lint.model.policy import ApprovalPolicy
from toolsurface_lint.model.prompt import DENIAL, PROHIBITION, Prompt
from toolsurface_lint.model.surface import Surface

DENIED = Rule(
    code="PROMPT_DENIES_ACTIVE_TOOL",
    since="0.1.0",
    severity=WARNING,
    summary="A prompt says that a tool does not exist, but it is active.",
    message="the prompt says that there is no tool `{name}`, but it is active",
    tags=("prompts",),
)

PROHIBITED = Rule(
    code="PROMPT_PROHIBITED_TOOL_ACTIVE",
    since="0.1.0",
    severity=INFO,
    summary="A prompt forbids a tool that is active and needs no approval.",
    message="the prompt forbids the tool `{name}`, which is active and needs no approval",
    tags=("prompts", "policies"),
    preview=True,
)


@check(PROMPT, DENIED, PROHIBITED)
def check_prompt(prompt: Prompt, surface: Surface) -> Iterator[Finding]:
    for reference in prompt.named(surface.vocabulary):
        if reference.stance not in (DENIAL, PROHIBITION) or reference.name not in surface.active_names:
            continue
        # The clause must end after the name, with no word about when or what for.
        if _CLAUSE_END.match(prompt.text[reference.call_end : reference.call_end + _CLAUSE_SIZE]) is None:
            continue
        name = reference.name
        place = prompt.place(reference.start, reference.end)
        related = [(f"tool `{name}` is declared here", surface.by_name[name][0].name_place)]
        if reference.stance == DENIAL:
            yield DENIED.at(place, tool=name, field="prompt", related=related)
        elif all(_approves(approval, name) for approval in surface.approvals):
            yield PROHIBITED.at(
                place,
                tool=name,
                field="prompt",
                related=related,
                help="leave it out of the policy: a sentence does not bind the model",
            )


# The end of the clause after a name, with words that add no condition.
_CLAUSE_END = re.compile(
    r"[`*\"'_]*(?:[ \t\n]+(?:tools?|functions?|is|are|was|were|isn't|aren't|doesn't|does|has|been|not|no|longer|never"
    r"|available|unavailable|disabled|removed|gone|exist|exists|existing|supported|enabled|present|here|any|more|anymore"
    r"|at|all|yet|currently|directly|ever|again))*[`*\"']*[ \t]*(?:[.;,!?):\n\u2014\u2013]|\Z)"
)
_CLAUSE_SIZE = 120


def _approves(approval: ApprovalPolicy, name: str) -> bool:
    """Whether an approval policy lets every call of a tool through."""
    # Prompts are checked without any policy most of the time.
    from toolsurface_lint.model.decisions import APPROVED, decide_approval

    return decide_approval(approval, name).outcome == APPROVED
