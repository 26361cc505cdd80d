"""Where a response breaks its protocol: a rule for each break, and what it says of each kind of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from toolsurface_lint.checks.contract import RESPONSE, check
from toolsurface_lint.checks.response._rules import findings, rule
from toolsurface_lint.model.diagnostics import UNSAFE, WARNING, Edit, Finding, Fix, renaming
from toolsurface_lint.model.response import AssistantResponse
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Place

RULES = (
    # Bare calls
    rule(
        "CALL_SYNTAX",
        "The arguments of a call do not parse.",
        {
            "argument_syntax/too_deep": "the arguments are nested deeper than {levels} levels",
            "argument_syntax/heredoc_key": "a heredoc cannot be a key",
            "argument_syntax/colon": "expected `:` after the key `{key}`",
            "argument_syntax/escape": "`\\{letter}` does not name a character",
            "argument_syntax/number": "`{number}` is not a number",
            "argument_syntax/separator": "expected `,` or `{closer}`, found `{found}`",
            "argument_syntax/separator_missing": "expected `,` or `{closer}`, but the call stops here",
            "argument_syntax/key": "expected a key, found `{found}`",
            "argument_syntax/key_missing": "expected a key, but the call stops here",
            "argument_syntax/value": "expected a value, found `{found}`",
            "argument_syntax/value_missing": "expected a value, but the call stops here",
            "argument_syntax/literal/too_deep": "the arguments are nested too deeply",
            "argument_syntax/literal/call": "expected a call `name(key=value)`",
            "argument_syntax/literal/positional": "an argument without a name",
            "argument_syntax/literal/separator": "expected `,` or a closing bracket",
            "argument_syntax/literal/key": "expected a key",
            "argument_syntax/literal/colon": "expected `:` after the key",
            "argument_syntax/literal/value": "expected a value",
            "missing_close_paren": "expected `)` after the argument object, found `{found}`",
            "missing_close_paren/end": "expected `)` after the argument object, but the text stops here",
            "unterminated_string": "this string is never closed",
            "unterminated_template": "this template string is never closed",
        },
    ),
    rule(
        "NOT_OBJECT_LITERAL",
        "A call has something other than one argument object.",
        "the call of `{name}` does not hold exactly one argument object, as in `{name}({{ key: value }})`",
    ),
    rule(
        "HEREDOC_SYNTAX",
        "A heredoc does not begin with `<<TAG` and the end of the line.",
        {
            "heredoc_missing_tag": "a heredoc needs a tag right after `<<`",
            "heredoc_tag_not_followed_by_newline": "the line must end right after the heredoc tag `{tag}`",
        },
    ),
    rule(
        "HEREDOC_UNTERMINATED",
        "A heredoc is never closed by its tag.",
        "no line begins with the heredoc tag `{tag}`",
        help="begin a line with the tag where the text ends",
    ),
    rule(
        "HEREDOC_EARLY_CLOSE",
        "A body line that begins with the tag closes a heredoc early.",
        "this line begins with the tag `{tag}`, which closes the heredoc early",
        help="choose a tag that begins no line of the text",
    ),
    # The tags of a tagged response
    rule(
        "STRAY_CONTENT",
        "A tagged response has content outside its tags.",
        {
            "stray_content": "text outside the tags: `{preview}`",
            "stray_content/closing_tag": "`{tag}` closes nothing",
            "stray_content/fence": "a Markdown fence outside the tags",
        },
        help="put narration into `<assistant_prose>` and the answer into `<user_response>`",
    ),
    rule(
        "BARE_CALL_OUTSIDE_TAGS",
        "A call is outside `<tool_call>`.",
        "the call of `{name}` is outside `<tool_call>`",
        help="put the call into a `<tool_call>` block of its own",
    ),
    rule(
        "UNKNOWN_TAG",
        "A tag is not one of the protocol.",
        "`{tag}` is not a tag of the protocol",
        help="use `<tool_call>`, `<assistant_prose>`, `<user_response>` and `<done>`, without attributes",
    ),
    rule(
        "UNCLOSED_TAG",
        "A tag of a response is never closed.",
        {
            "unclosed_tag": "`{tag}` is never closed",
            "unclosed_tag/bracket": "the tag `{tag}` has no `>`",
        },
    ),
    rule("EMPTY_DONE", "A `<done>` block holds no completion sentinel.", "`<done>` holds no completion sentinel"),
    rule(
        "NOTHING_USABLE",
        "A response holds no call, no narration and no answer.",
        "the response holds no call, no narration and no answer",
    ),
    rule(
        "DONE_BEFORE_USER_RESPONSE",
        "A `<done>` block comes before the answer.",
        "`<done>` comes before the answer that it completes",
    ),
    rule(
        "TOOL_CALL_AFTER_USER_RESPONSE",
        "A call comes after the answer.",
        "this call comes after the answer, which ends the turn",
        help="call first, and answer once no more calls are needed",
    ),
    # The body of a `<tool_call>` block
    rule(
        "NO_CALL",
        "A `<tool_call>` block holds no call.",
        {
            "no_call": "the block holds no call `name({{ key: value }})`",
            "no_call/empty": "the block is empty",
        },
    ),
    rule(
        "SEVERAL_CALLS",
        "A `<tool_call>` block holds more than one call.",
        {
            "several_calls": "the block holds more than one call; none of them runs",
            "several_calls/first_runs": "the block holds more than one call; only the first one runs",
        },
        help="give each call a `<tool_call>` block of its own",
    ),
    rule(
        "NESTED_TOOL_CALL",
        "A call begins inside another one.",
        {
            "nested_tool_call": "`<tool_call>` is repeated before the name of a tool",
            "nested_call": "a call begins inside another one",
        },
    ),
    rule(
        "TEXT_INSIDE_TOOL_CALL",
        "A `<tool_call>` block holds text before or after its call.",
        {
            "text_inside_tool_call/before": "text before the call",
            "text_inside_tool_call/after": "text after the call",
            "text_inside_tool_call/angles": "the call is wrapped in `<` and `>`",
        },
        help="put narration into `<assistant_prose>`",
    ),
    rule("LABEL_PREFIX", "A label comes before a call.", "the label `{label}` comes before the call"),
    rule(
        "MARKDOWN_FENCE",
        "A call is wrapped in a Markdown fence or code span.",
        {
            "markdown_fence": "the call is wrapped in a Markdown fence",
            "markdown_fence/code_span": "the call is wrapped in a code span",
            "markdown_fence/block": "the call block is wrapped in a Markdown fence",
        },
    ),
    rule(
        "JSON_ENCODED_CALL",
        "A call is written as JSON.",
        {
            "json_encoded_call": "the call is written as JSON, not as `name({{ key: value }})`",
            "json_encoded_call/invalid": "the call is written as JSON that does not parse",
        },
        help="write `name({{ key: value }})`",
    ),
    rule("QUOTED_CALL", "A call is in quotes.", "the call is in quotes"),
    rule(
        "SENTINEL_IN_TOOL_CALL",
        "A `<tool_call>` block holds the sentinel.",
        "the completion sentinel is not a call",
        help="write it into `<done>`",
    ),
    # The blocks of a fenced-JSON response
    rule(
        "WRONG_INFO_STRING",
        "A tool block does not open with exactly ` ```tool `.",
        "the tool block opens with {opener}, not with exactly ```tool",
        fix=UNSAFE,
    ),
    rule("UNCLOSED_FENCE", "A tool block is never closed.", "the tool block is never closed by a line ```"),
    rule(
        "UNTERMINATED_JSON",
        "The JSON of a tool block is empty or stops early.",
        {
            "unterminated": "the JSON of this tool block stops before it is complete",
            "unterminated/empty": "the tool block is empty",
        },
    ),
    rule(
        "INVALID_JSON",
        "The JSON of a call does not parse.",
        {
            "invalid_json/too_deep": "the JSON of this tool block is nested too deeply",
            "invalid_json/constant": "the block is not JSON: `NaN` and `Infinity` are not JSON values",
            "invalid_json/control_character": "the block is not JSON: a raw line break or control character in a string",
            "invalid_json/escape": "the block is not JSON: a backslash that begins no JSON escape",
            "invalid_json/key": "the block is not JSON: a key in double quotes is expected here",
            "invalid_json/colon": "the block is not JSON: `:` is expected here",
            "invalid_json/separator": "the block is not JSON: `,` or a closing bracket is expected here",
            "invalid_json/value": "the block is not JSON: a value is expected here",
            "invalid_json/trailing_comma": "the block is not JSON: a comma before a closing bracket",
            "invalid_json/other": "the block is not JSON from here on",
            "arguments_not_json/too_deep": "the JSON of this call is nested too deeply",
            "arguments_not_json/constant": "the call is not JSON: `NaN` and `Infinity` are not JSON values",
            "arguments_not_json/control_character": "the call is not JSON: a raw line break or control character in a string",
            "arguments_not_json/escape": "the call is not JSON: a backslash that begins no JSON escape",
            "arguments_not_json/key": "the call is not JSON: a key in double quotes is expected here",
            "arguments_not_json/colon": "the call is not JSON: `:` is expected here",
            "arguments_not_json/separator": "the call is not JSON: `,` or a closing bracket is expected here",
            "arguments_not_json/value": "the call is not JSON: a value is expected here",
            "arguments_not_json/trailing_comma": "the call is not JSON: a comma before a closing bracket",
            "arguments_not_json/incomplete": "the JSON of this call stops before it is complete",
            "arguments_not_json/other": "the call is not JSON from here on",
            "arguments_not_json/rest": "the JSON of this call is followed by something else",
            "arguments_not_json/string": "the arguments of `{name}` are a string that is not JSON",
        },
    ),
    rule(
        "HEREDOC_IN_JSON",
        "A tool block holds a heredoc.",
        {"heredoc": "a heredoc is not JSON"},
        help="write the text as one JSON string, line breaks as `\\n`",
    ),
    rule(
        "NOT_SINGLE_OBJECT",
        "A call is something other than one JSON object.",
        {
            "not_single_object": "the call is not one JSON object",
            "not_single_object/rest": "the tool block holds more after its JSON object",
        },
        help="write one block for each call",
    ),
    rule(
        "MISSING_NAME",
        "A call does not name its tool.",
        {
            "missing_name": "the call does not name a tool: a non-empty string is required",
            "missing_name/tool": "the tool is named by the key `tool`, not by `name`",
        },
    ),
    rule(
        "ARGS_NOT_OBJECT",
        "The arguments of a call are not an object.",
        {
            "args_not_object": "`{key}` is not an object",
            "args_not_object/null": "`args` is null, which is not an object",
            "args_not_object/call": "the arguments of `{name}` are not an object",
        },
    ),
    rule(
        "WRONG_KEY",
        "The arguments of a tool block are under a key other than `args`.",
        "the arguments are under the key `arguments`, not under `args`",
        fix=UNSAFE,
    ),
    rule(
        "SENTINEL_IN_TOOL_BLOCK",
        "A tool block holds the completion sentinel.",
        "the completion sentinel is not a call",
        help="write it into the plain text",
    ),
    rule(
        "CALL_NOT_IN_TOOL_FENCE",
        "A call is outside a ` ```tool ` block.",
        {
            "call_not_in_tool_fence": "the call of `{name}` is outside a ```tool block",
            "call_not_in_tool_fence/tagged": "this call is in `<tool_call>` tags, not in a ```tool block",
        },
    ),
    # The text around the calls
    rule(
        "LOST_CALL",
        "What is meant as a call is where no runtime looks for one.",
        {
            "lost_call/narration": "this call of `{name}` is in the narration",
            "lost_call/answer": "this call of `{name}` is in the answer",
            "lost_call/prose": "this call of `{name}` is in the prose of a fenced-JSON response",
            "lost_call/block_in_narration": "this call block is in the narration",
            "lost_call/block_in_answer": "this call block is in the answer",
        },
    ),
    rule(
        "CODE_IN_PROSE",
        "Narration holds a code block or a diff.",
        "the narration holds code, which belongs in a tool call",
        WARNING,
    ),
    rule(
        "LONG_PROSE",
        "Narration is not brief.",
        {
            "long_prose/lines": "the narration has {lines} lines and should be brief",
            "long_prose/characters": "the narration has {characters} characters and should be brief",
        },
        WARNING,
    ),
    # The end of a conversation
    rule(
        "DONE_MISMATCH",
        "A `<done>` block does not hold the configured completion sentinel.",
        {
            "done_mismatch": "`<done>` does not hold the sentinel `{sentinel}`",
            "done_mismatch/no_sentinel": "`<done>` is used, but there is no completion sentinel",
        },
    ),
    rule(
        "MISSING_USER_RESPONSE",
        "The last response has no answer to the user.",
        "the response ends without an answer to the user",
    ),
    rule(
        "SENTINEL_REPEATED",
        "A response holds the completion sentinel more than once.",
        "the sentinel `{sentinel}` occurs {count} times in the response",
    ),
    rule(
        "SENTINEL_MISSING",
        "The last response does not hold the completion sentinel.",
        "the final answer does not hold the sentinel `{sentinel}`",
    ),
)


@check(RESPONSE, *RULES)
def check_response(response: AssistantResponse, surface: Surface) -> Iterator[Finding]:
    return findings(response, RULES, block_fix)


def block_fix(problem: Problem[Span], text: str, place: Callable[[Span], Place]) -> Fix | None:
    """The fix for a break in a tool block of a text, whose spans have their places by `place`.

    Unsafe: what looks like a call may not be one, and a response of a model is a record of what it said.
    """
    if problem.code == "wrong_info_string":
        fence = place(problem.at)
        # A longer fence would need another closing too.
        if re.match("```(?!`)", fence.reads() or ""):
            return Fix("open the block with ```tool", False, (Edit(fence, "```tool"),))
    elif problem.code == "wrong_key":
        key = _KEY.search(text, max(problem.at.start - _KEY_SIZE, 0), problem.at.start)
        return None if key is None else renaming(place(Span(*key.span(1))), key[1], ("args",))
    return None


_KEY = re.compile(r'"(arguments)"\s*:\s*\Z')
_KEY_SIZE = 100
