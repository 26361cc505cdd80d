"""The prompt scan: which tools a text calls, as the Harn specification finds them; `named_tools` finds those in prose.

Found per text, without knowing any surface, so that it can be done once a file. What counts only for a declared tool is
marked (`if_declared`) and decided by `called`; whether an undeclared name looks like a tool is for the rule to ask.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING

from toolsurface_lint.model.prompt import CALL, JSON_CALL, PROSE, STRONG, TAG, WEAK, Reference
from toolsurface_lint.readers.binding import Binding, blanked
from toolsurface_lint.readers.stance import stance
from toolsurface_lint.source.directives import directives, hidden_lines
from toolsurface_lint.source.markdown import layout, uniform
from toolsurface_lint.source.shared import shared
from toolsurface_lint.source.text import Span

if TYPE_CHECKING:
    from toolsurface_lint.model.vocabulary import Vocabulary

STOPWORDS = frozenset(
    {
        *("if", "for", "while", "switch", "return", "function", "fn"),
        *("JSON", "print", "println", "contains", "len", "render", "render_prompt"),
    }
)
"""Names that are not tools when they are called in a prompt, unless in a tool-call tag (specification)."""


@shared
def scan(text: str) -> list[Reference]:
    """The calls of a prompt text, in order. Names inside a call's parentheses are part of it; fenced code does not bind."""
    if "(" not in text and _TAG_START not in text:
        return []
    text = uniform(text)
    if _candidate(text).search(text) is None:
        return []
    return _references(Binding(text))


def hidden_references(text: str) -> list[Reference]:
    """The calls in lines that directives without codes hide from `scan`, in fenced code too.

    Other names that may be tools are among them as weak references: who hides a line with a name has a reason.
    """
    text = uniform(text)
    lines = hidden_lines(directives(text, layout(text).fences))
    if not lines:
        return []
    outside = zip([0, *(line.end for line in lines)], [*(line.start for line in lines), len(text)], strict=True)
    shown = [Span(start, end) for start, end in outside if start < end]
    binding = Binding(text, shown)
    calls = [call for call in _references(binding) if not _is_code(binding.text, call.name, call.start)]
    starts = {call.start for call in calls}
    names = (
        Reference(match[0], *match.span(), PROSE, match.end(), WEAK, specified=False)
        for match in _ANY_NAME.finditer(binding.text)
        if match.start() not in starts
    )
    return sorted([*calls, *names], key=lambda reference: reference.start)


_ANY_NAME = re.compile(r"(?<=`)[A-Za-z_][A-Za-z0-9_.:/-]*(?=`)|\b[A-Za-z0-9]+_[A-Za-z0-9_]+")


def called(text: str, references: Iterable[Reference], declared: Container[str]) -> list[Reference]:
    """Those of a text's references that are calls, if these names are declared.

    Decides the references marked `if_declared`: of a declared tool they are calls, and what is inside their parentheses is
    part of them.
    """
    binding: Binding | None = None
    calls: list[Reference] = []
    resume = 0
    for reference in references:
        if reference.start < resume:
            continue
        if reference.if_declared:
            if reference.name not in declared:
                continue
            if binding is None:
                binding = Binding(uniform(text))
            if _is_code(binding.text, reference.name, reference.start):
                continue
            parenthesis = binding.text.find("(", reference.end)
            if parenthesis < 0:
                continue
            resume = binding.call_end(parenthesis)
            remark = _is_remark(binding.text, reference.start, reference.end, parenthesis)
            reference = reference._replace(
                if_declared=False,
                evidence=WEAK if remark else STRONG,
                call_end=resume,
                gaps=binding.gaps(reference.start, resume),
                stance=stance(binding.text, reference.start),
            )
        calls.append(reference)
    return calls


def weighed(text: str, calls: list[Reference], vocabulary: Vocabulary) -> list[Reference]:
    """The calls with their evidence in prose, where undeclared names may be of other functions than tools."""
    if all(call.name in vocabulary for call in calls):
        return calls
    from toolsurface_lint.readers.named_tools.calls import weigh_call

    text = Binding(uniform(text)).text
    return [call if call.name in vocabulary else weigh_call(text, call, vocabulary) for call in calls]


def named_tools(text: str, calls: Sequence[Reference], vocabulary: Vocabulary) -> list[Reference]:
    """The tools that a prompt names outside of `calls`; see `readers.named_tools`."""
    from toolsurface_lint.readers.named_tools import find_named_tools

    return find_named_tools(uniform(text), calls, vocabulary)


# --- names --------------------------------------------------------------------------------------------------------

_TAG_START = "<tool"
_SPACE = " \t\n\f"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
_DIGITS = "0123456789"
_IDENTIFIER = _LETTERS + _DIGITS

# A parenthesis after a name, or after white space that may follow one. The literal comes first and the name is looked
# for backwards: a pattern that begins with a name tries every letter of the text.
_PARENTHESIS = re.compile(r"\((?<=[A-Za-z0-9_ \t\n\f]\()")
_TAG_OR_PARENTHESIS = re.compile(r"<tool_?call>|\((?<=[A-Za-z0-9_ \t\n\f]\()")
_TAGGED_NAME = re.compile(r"[ \t\n\f]*([A-Za-z_][A-Za-z0-9_]*)")
# No backtick among the quotes: after a name in prose it formats a word of a remark.
_ARGUMENTS = re.compile(r"\([ \t\n\f]*+(?:[{)\"']|[A-Za-z_][A-Za-z0-9_]*+[ \t]*+(?::(?!//)|=(?!=)))")
_WINDOW = 64


def _candidate(text: str) -> re.Pattern[str]:
    return _TAG_OR_PARENTHESIS if _TAG_START in text else _PARENTHESIS


def _references(binding: Binding) -> list[Reference]:
    text = binding.text
    found: list[Reference] = []
    resume = 0
    unclosed: set[str] = set()
    for match in _candidate(text).finditer(text):
        at = match.start()
        if at < resume:
            continue
        if text[at] == "<":
            reference = _tagged(binding, match, unclosed)
            if reference is not None:
                found.append(reference)
                resume = reference.call_end
            continue
        start, end = _name_before(text, at, resume)
        if start == end:
            continue
        name = text[start:end]
        if name in STOPWORDS:
            continue
        if end < at and not _ARGUMENTS.match(text, at):
            found.append(Reference(name, start, end, CALL, end, STRONG, True, True))
            continue
        resume = binding.call_end(at)
        if not _is_code(text, name, start):
            gaps = binding.gaps(start, resume) if binding.hidden else ()
            prose = _is_in_url(text, start) or _PLURAL.match(text, at) or _is_remark(text, start, end, at)
            evidence = WEAK if prose else STRONG
            found.append(Reference(name, start, end, CALL, resume, evidence, gaps=gaps, stance=stance(text, start)))
    return found


_PLURAL = re.compile(r"\(e?s\)")


def _is_remark(text: str, start: int, end: int, parenthesis: int) -> bool:
    """Whether a parenthesis after a word of prose and white space holds a remark: `the task (reward = 0)`."""
    spaced = end < parenthesis and text[start:end].isalpha() and text[start - 1 : start] != "`"
    return spaced and not text[parenthesis + 1 : parenthesis + 2].startswith(("{", '"', "'"))


def _is_in_url(text: str, start: int) -> bool:
    """Whether a name is in a URL or an address with a path; to the Harn specification it is a call all the same."""
    if text[start - 1 : start] not in ("/", "=", "#", "?", "&", "%"):
        return False
    before = text[max(start - 2 * _WINDOW, 0) : start].split()
    return bool(before) and "://" in before[-1]


def _tagged(binding: Binding, tag: re.Match[str], unclosed: set[str]) -> Reference | None:
    """The name after a tool-call tag, with its call. `unclosed`: closing tags that are known not to follow."""
    text = binding.text
    name = _TAGGED_NAME.match(text, tag.end())
    if name is None:
        return None
    start, end = name.span(1)
    closing = "</" + tag[0][1:]
    call_end = -1
    if closing not in unclosed:
        call_end = text.find(closing, end)
        if call_end < 0:
            unclosed.add(closing)
    if call_end < 0:
        return Reference(name[1], start, end, TAG, end)
    return Reference(name[1], start, end, TAG, call_end, gaps=binding.gaps(start, call_end))


def _name_before(text: str, parenthesis: int, limit: int) -> tuple[int, int]:
    """The span of the name before a parenthesis and white space; empty if there is none after `limit`."""
    size = _WINDOW
    while True:
        low = max(parenthesis - size, limit)
        before = text[low:parenthesis].rstrip(_SPACE)
        word = len(before) - len(before.rstrip(_IDENTIFIER))
        # Digits before the first letter only separate, so a name that may begin before the window is not known yet.
        if word < len(before) or low == limit:
            end = low + len(before)
            name = before[len(before) - word :].lstrip(_DIGITS)
            return end - len(name), end
        size *= 4


_DEFINITION = re.compile(r"(?<![A-Za-z0-9_])(?:def|function|class)[ \t]+\Z")


def _is_code(text: str, name: str, start: int) -> bool:
    """Whether a name is a member, a definition or one of Python's own: code, not a tool."""
    if name.startswith("__") and name.endswith("__"):
        return True
    before = text[start - 1 : start]
    if before == "." or text[max(start - 2, 0) : start] in ("::", "->"):
        return True
    return before in (" ", "\t") and _DEFINITION.search(text, max(start - 20, 0), start) is not None


# --- arguments ----------------------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"""(?P<quoted>"[^"\\]*+(?:\\.[^"\\]*+)*+"|'[^'\\]*+(?:\\.[^'\\]*+)*+'|`[^`\\]*+(?:\\.[^`\\]*+)*+`)"""
    r"""|(?P<word>[A-Za-z0-9_]+)|<<[-~]?['"]?(?P<heredoc>[A-Za-z_][A-Za-z0-9_]*)['"]?[ \t]*\n|(?P<mark>[^\s])""",
    re.DOTALL,
)
_KEY_END = re.compile(r"[ \t\n\f]*(?::(?!:)|=(?!=))")
_SHORTHAND_END = re.compile(r"[ \t\n\f]*[,}]")


def alias_uses(text: str, reference: Reference, aliases: Container[str]) -> list[tuple[str, int, int]]:
    """Where a call uses one of these argument names as a key: the name, its start and its end, in order.

    A key is a word or a quoted word before `:`, a word before `=`, or a word alone in braces (`{path}`). What is
    inside a string value is not a key.
    """
    call = uniform(text)[reference.start : reference.call_end]
    if reference.gaps:
        offset = reference.start
        call = blanked(call, [Span(max(gap.start - offset, 0), gap.end - offset) for gap in reference.gaps])
    # The name of a JSON call is in quotes.
    first = reference.end - reference.start + (reference.form == JSON_CALL)
    return [
        (name, reference.start + start, reference.start + end)
        for name, start, end in _keys(call, first)
        if name in aliases
    ]


def _keys(call: str, position: int) -> list[tuple[str, int, int]]:
    """The keys of a call's arguments, from `position` on."""
    keys: list[tuple[str, int, int]] = []
    openers: list[str] = []
    previous = ""
    while (token := _TOKEN.search(call, position)) is not None:
        position = token.end()
        if token["word"]:
            shorthand = previous in ("{", ",") and openers[-1:] == ["{"] and _SHORTHAND_END.match(call, position)
            if shorthand or _KEY_END.match(call, position):
                keys.append((token["word"], *token.span()))
        elif token["quoted"]:
            if _KEY_END.match(call, position):
                keys.append((token["quoted"][1:-1], token.start() + 1, token.end() - 1))
        elif token["heredoc"]:
            closing = re.compile(rf"^[ \t]*{token['heredoc']}\b", re.MULTILINE).search(call, position)
            if closing is None:
                break
            position = closing.end()
        elif token["mark"] in "([{":
            openers.append(token["mark"])
        elif token["mark"] in ")]}" and openers:
            openers.pop()
        previous = call[position - 1]
    return keys
