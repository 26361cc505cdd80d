"""The grammar of bare calls: the argument object, its values, its heredocs."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.response._breaks import break_rule, findings
from toolsurface_lint.model.diagnostics import Finding
from toolsurface_lint.model.response import AssistantResponse
from toolsurface_lint.model.surface import Surface

CALL_SYNTAX = break_rule("CALL_SYNTAX", "The arguments of a call do not parse.")
NOT_OBJECT_LITERAL = break_rule("NOT_OBJECT_LITERAL", "A call takes something else than one argument object.")
HEREDOC_SYNTAX = break_rule("HEREDOC_SYNTAX", "A heredoc does not begin with `<<TAG` and the end of the line.")
HEREDOC_UNTERMINATED = break_rule("HEREDOC_UNTERMINATED", "A heredoc is never closed by its tag.")
HEREDOC_EARLY_CLOSE = break_rule("HEREDOC_EARLY_CLOSE", "A body line that begins with the tag closes a heredoc early.")

RULES = (CALL_SYNTAX, NOT_OBJECT_LITERAL, HEREDOC_SYNTAX, HEREDOC_UNTERMINATED, HEREDOC_EARLY_CLOSE)

_RULES = {
    "argument_syntax": CALL_SYNTAX,
    "missing_close_paren": CALL_SYNTAX,
    "unterminated_string": CALL_SYNTAX,
    "unterminated_template": CALL_SYNTAX,
    "not_object_literal": NOT_OBJECT_LITERAL,
    "heredoc_missing_tag": HEREDOC_SYNTAX,
    "heredoc_tag_not_followed_by_newline": HEREDOC_SYNTAX,
    "heredoc_unterminated": HEREDOC_UNTERMINATED,
    "heredoc_early_close": HEREDOC_EARLY_CLOSE,
}
_HELP = {
    "heredoc_unterminated": "begin a line with the tag where the text ends",
    "heredoc_early_close": "choose a tag that begins no line of the text",
}


def check_response(response: AssistantResponse, surface: Surface) -> Iterator[Finding]:
    return findings(response, response.read.violations, _RULES, _HELP)
