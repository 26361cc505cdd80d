"""A tool that writes, and does not say what."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolsurface_lint.checks.contract import DEFINITION, check
from toolsurface_lint.model.diagnostics import INFO, Finding, Rule
from toolsurface_lint.model.effects import WRITES, declared_effects
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool

RULE = Rule(
    code="TOOL_DESCRIPTION_NO_SIDE_EFFECTS",
    since="0.1.0",
    severity=INFO,
    summary="A tool that declares effects does not say what it changes.",
    message="tool `{name}` declares `{declared}`, and its description does not say what it changes",
    help="say what it changes, and whether that can be undone",
    tags=("tools",),
    preview=True,
)

_SAYS = (
    r"(?i)\b(?:side[- ]?effects?|writ|creat|delet|remov|updat|modif|overwrit|replac|add|insert|append|edit|renam|mov|send|sent"
    r"|upload|publish|deploy|install|uninstall|drop|eras|purg|truncat|clear|reset|set|stor|sav|chang|mutat|merg|clos|cancel"
    r"|plac|start|stop|kill|terminat|execut|run|register|assign|import|copy|copies|push|commit|post|submit|enabl|disabl"
    r"|schedul|trigger|restor|revert|grant|revok|attach|link|mark|transition|destroy|irreversibl|persist|launch|click|type"
    r"|fill|drag|press|upgrad|scal|patch|appl|rebuild|roll(?:s|ed|ing)?[ -]?(?:back|out)|undo|convert|cordon|unresolv|evict"
    r"|migrat|rotat|resiz|toggl|unlock|archiv|subscrib|invit|refund|approv|reject|renew|switch)"
)
# Verbs that are nouns or say little anywhere else.
_BEGINS = (
    r"(?i)\W*(?:star|unstar|fork|pin|unpin|lock|book|order|pay|charge|buy|sell|vote|react|follow|record|clean|clear|drain"
    r"|request|resolve|reprioritize|reorder|restart|navigate|transfer|sync|synchroni[sz]e|check ?out|flush|reindex)"
    r"(?:s|es)?\b"
)


@check(DEFINITION, RULE)
def check_definition(tool: Tool, target: Target) -> Iterator[Finding]:
    description = tool.description
    if description is None or not description.value.strip():
        return
    writing = next((declared for declared in declared_effects(tool) if declared.effect == WRITES), None)
    if writing is None or re.search(_SAYS, description.value) is not None:
        return
    if re.match(_BEGINS, description.value) is None:
        yield RULE.at(
            description.place,
            tool=tool.name,
            field="description",
            related=[("declared here", writing.place)],
            name=tool.name,
            declared=writing.what,
        )
