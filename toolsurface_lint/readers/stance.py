"""What the words before a name say about it: use it, do not use it, or there is none."""

from __future__ import annotations

import re

from toolsurface_lint.model.prompt import DENIAL, PROHIBITION, USE

_USING = r"(?:us(?:e|ing)|call(?:ing)?|invok(?:e|ing)|run(?:ning)?|execut(?:e|ing)|try(?:ing)?)"
_FORBIDS = re.compile(
    r"\b(?:no [`a-z0-9-]+(?: [`a-z0-9-]+){0,3} (?:uses|calls|invokes|runs)"
    r"|(?:(?:(?:this|the|an?) [a-z-]+ (?:does not|doesn['’]t)|never|do not|don['’]t|must not|mustn['’]t|should not"
    r"|shouldn['’]t|may not|cannot|can['’]t)"
    rf"(?: ever| even| just| also| again| [a-z]+ly){{0,2}}(?: try to| attempt to)? {_USING}"
    rf"|avoid(?: {_USING})?|without {_USING}))"
    r"(?: the| a| an| any)?(?: tool| function)?\Z",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"(?:\b(?:(?:there(?: is|['’]s| are| was)|you have) (?:no|not an?)(?: such)?|no such"
    r"|(?:do not|don['’]t|cannot|can['’]t|no longer) have(?: access to)?(?: an?| the| any)?)"
    # `(it starts no others: no x tool)`
    r"|[\u2013\u2014(,;:] ?no)"
    r"(?: tool| function)?(?: as| named| called)?\Z",
    re.IGNORECASE,
)
# How all that the two accept ends: nearly no name comes after one of these, and asking costs a hundredth of a search.
_STANCE_ENDS = (
    *(
        "use",
        "uses",
        "using",
        "call",
        "calls",
        "calling",
        "invoke",
        "invokes",
        "invoking",
        "run",
        "runs",
        "running",
        "execute",
        "executing",
        "try",
        "trying",
        "avoid",
    ),
    *(" the", " a", " an", " any", " no", " not", " such", " as", " named", " called", " have", " to"),
    *("tool", "function"),
)
_STANCE_WINDOW = 60
_LIMITED = (
    r"[`*\"']*\s+tools?\s+(?:[a-z]+ly|unless|until|without|before|after|when|while|if|for|to|on|in|with|as|more)\b"
)


def is_limited(rest: str) -> bool:
    """Whether a clause goes on after `the X tool` with a limit: who may not use it often has the tool."""
    return re.match(_LIMITED, rest) is not None


def stance(text: str, start: int) -> str:
    """What the words right before a name say about it."""
    before = text[max(start - _STANCE_WINDOW, 0) : start].rstrip(" \t\n`*\"'")
    if not before.endswith(_STANCE_ENDS):
        return USE
    before = " ".join(before.split())
    if _FORBIDS.search(before):
        return PROHIBITION
    return DENIAL if _DENIES.search(before) else USE
