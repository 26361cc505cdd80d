"""What a text teaches about calling tools: which protocol, which of its rules, and what contradicts it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from toolsurface_lint.checks.template._examples import introduced_as_wrong, negates
from toolsurface_lint.protocols.recognition import FENCED_JSON, TAGGED
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span

_CALL_BLOCK = re.compile(r"^[ \t]*<tool_call>", re.MULTILINE)
_BARE_CALL_BLOCK = re.compile(r"<tool_call>\s*[A-Za-z_$<][\w$>]*\(\s*\{")
_SIBLING = re.compile(r"<(?:assistant_prose|user_response|done)>")
_TOOL_BLOCK = re.compile(r'^[ \t]*```tool[ \t]*\r?\n\s*\{\s*"(?:name|tool|args)"', re.MULTILINE)

_ANY_CALL_BLOCK = re.compile(
    r'^[ \t]*(?:```|~~~)\w*[ \t]*\r?\n\s*\{\s*"(?:name|tool)"\s*:[^\n]*"(?:args|arguments)"|'
    rf"(?:{_TOOL_BLOCK.pattern})",
    re.MULTILINE,
)
"""A block that shows a call, whatever its info string is; of use only where the right one is named."""


def taught_protocol(text: str) -> str | None:
    """The response protocol that a text teaches; None if it teaches none of ours.

    `<tool_call>` alone is not evidence: other formats have that tag too. Of two protocols it is the one with more blocks,
    of as many the one that comes first.
    """
    tagged = [match.start() for match in _CALL_BLOCK.finditer(text)]
    if tagged and not (_SIBLING.search(text) or _BARE_CALL_BLOCK.search(text)):
        tagged = []
    pattern = _ANY_CALL_BLOCK if "```tool" in text else _TOOL_BLOCK
    fenced = [match.start() for match in pattern.finditer(text)]
    if not tagged and not fenced:
        return None
    return TAGGED if (-len(tagged), tagged[:1]) < (-len(fenced), fenced[:1]) else FENCED_JSON


def mentions_protocol(text: str, protocol: str) -> bool:
    """Whether a text speaks of a protocol's call blocks at all."""
    return ("<tool_call>" if protocol == TAGGED else "```tool") in text


def teaching_place(text: str, protocol: str) -> Span:
    """Where a text begins to teach a protocol: its first call block."""
    block = (_CALL_BLOCK if protocol == TAGGED else re.compile(r"^[ \t]*```tool\b", re.MULTILINE)).search(text)
    if block is None:
        return Span(0, 0)
    start = block.end() - len(block.group().lstrip())
    return Span(start, block.end())


# Two protocols at once


_MARKUP = r"(?P<markup><(?:function=|invoke\b|function_calls>|\|tool_call)|\[TOOL_CALLS\])"
_FOREIGN = {
    TAGGED: re.compile(
        r'(?P<fence>```tool\b)|(?P<json>\{\s*"(?:name|tool)"\s*:[^{}]{0,200}"(?:args|arguments)"\s*:)|' + _MARKUP
    ),
    FENCED_JSON: re.compile(
        r"(?P<tag></?tool_call>)|^[ \t]*(?P<call>[A-Za-z_]\w*\(\{\s*[A-Za-z_]\w*\s*:)|" + _MARKUP, re.MULTILINE
    ),
}


def foreign_syntax(text: str, protocol: str, examples: list[Span]) -> Iterator[Problem[Span]]:
    """The call syntax of other protocols that a text teaches next to its own, once a paragraph.

    Its kind is `fence`, `json`, `tag`, `call` or `markup`. What a sentence forbids is not taught, and the examples of the
    text's own protocol are left to their own checks.
    """
    reported = -1
    example = 0
    for match in _FOREIGN[protocol].finditer(text):
        while example < len(examples) and examples[example].end <= match.start():
            example += 1
        inside = example < len(examples) and examples[example].start <= match.start()
        if inside or match.start() < reported:
            continue
        if negates(_sentence(text, match.start(), match.end())) or introduced_as_wrong(text, match.start()):
            continue
        kind = match.lastgroup or "markup"
        yield Problem(kind, Span(*match.span(kind)), {"protocol": protocol})
        blank = _BLANK_LINE.search(text, match.end())
        reported = len(text) if blank is None else blank.start()


_BLANK_LINE = re.compile(r"\n[ \t]*\r?\n")
_SENTENCE_START = re.compile(r"(?:[.!?:;]\s|\n)")
_SENTENCE_END = re.compile(r"[.!?;](?:\s|$)|\n")
_LONGEST_SENTENCE = 400


def _sentence(text: str, start: int, end: int) -> str:
    """The sentence around two offsets, within its line."""
    low = max(start - _LONGEST_SENTENCE, 0)
    begins = [match.end() for match in _SENTENCE_START.finditer(text, low, start)]
    close = _SENTENCE_END.search(text, end, min(end + _LONGEST_SENTENCE, len(text)))
    return text[begins[-1] if begins else low : end + _LONGEST_SENTENCE if close is None else close.start()]


# The sentinel where there is none

_DONE = r"<done>[^<\n]*</done>|</?done>"


def unguarded_sentinels(text: str, sentinel: str, names: frozenset[str]) -> Iterator[Span]:
    """Where a text that is rendered without a sentinel names one, once a line.

    `names` are the variables that hold it: one without a value stays in the text as it is written.
    """
    unset = [re.escape(f"{{{{{name}}}}}") for name in sorted(names)]
    pattern = re.compile("|".join([_DONE, *unset, *([re.escape(sentinel)] if sentinel else [])]))
    end_of_line = -1
    for match in pattern.finditer(text):
        start = match.start()
        says_there_is_none = text[start] == "<" and _THERE_IS_NONE.search(text, max(start - 40, 0), start) is not None
        if start < end_of_line or says_there_is_none:
            continue
        end_of_line = text.find("\n", match.end())
        end_of_line = len(text) if end_of_line < 0 else end_of_line
        yield Span(*match.span())


_THERE_IS_NONE = re.compile(
    r"\b(?:no|without(?: an?)?|(?:do not|don't|never) (?:write|emit|use|send))\s+`*\Z", re.IGNORECASE
)


# Rules


class _Rule:
    """What a protocol demands, in words, and the ways of teaching it: patterns that a sentence has one after the other."""

    def __init__(self, words: str, *ways: str | tuple[str, ...], needs_sentinel: bool = False) -> None:
        self.words = words
        each = ((way,) if isinstance(way, str) else way for way in ways)
        self.ways = [[re.compile(part, re.IGNORECASE) for part in way] for way in each]
        self.needs_sentinel = needs_sentinel

    def is_taught_by(self, sentence: str) -> bool:
        return any(_has_in_order(sentence, way) for way in self.ways)


def _has_in_order(sentence: str, way: Iterable[re.Pattern[str]]) -> bool:
    # One pattern `a.*b` would look for `b` again from every `a`.
    position = 0
    for part in way:
        found = part.search(sentence, position)
        if found is None:
            return False
        position = found.end()
    return True


_WHEN_TO_ANSWER = _Rule(
    "when to answer",
    r"\bno (?:more|further) (?:tool )?calls\b",
    (r"\b(?:once|when)\b", r"\b(?:satisfied|complete|done|finished)\b"),
)
_RULES = {
    TAGGED: (
        _Rule("that nothing may be outside the tags", r"\boutside\b|\bstray\b|\bnothing else\b"),
        _Rule(
            "that a block holds exactly one call",
            r"\b(?:exactly|only) one\b|\b(?:one|single) (?:\w+ )?(?:tool )?call\b",
        ),
        _Rule("how to write multi-line text in a heredoc", r"heredoc|<<"),
        _Rule("that `<tool_call>` is not nested or repeated", r"\bnest|\brepeat"),
        _Rule(
            "that narration is brief",
            (r"prose|narrat", r"\b(?:brief|short|concise)"),
            (r"\b(?:brief|short|concise)\b", r"prose|narrat"),
        ),
        _Rule("that a call has no label before it", r"\blabel|\bprefix"),
        _Rule("that a call is not put into a Markdown fence", r"\bfence|\bcode block|```"),
        _Rule(
            "that no call follows the answer",
            r"\b(?:after|follow\w*)\W+(?:the |a )?(?:<user_response>|user_response|answer)",
            (r"(?:user_response>?|answer)\W", r"\b(?:last|ends the)\b"),
        ),
        _WHEN_TO_ANSWER,
        _Rule(
            "that the sentinel is not a call",
            (r"\bsentinel", r"\bonly\b"),
            (r"\bonly\b", r"\bsentinel"),
            (r"\b(?:not|never)\b", r"<tool_call>\W*\w+\W*</tool_call>"),
            needs_sentinel=True,
        ),
        _Rule("that `<done>` needs a verifying call before it", r"\bverif", needs_sentinel=True),
    ),
    FENCED_JSON: (
        _Rule(
            "that nothing follows the object of a block",
            r"\btrailing\b|\bnothing (?:else|after|follows)\b|\bonly the object\b",
        ),
        _Rule("that each call has a block of its own", r"\bseveral\b|\bmultiple\b|\bmore than one\b"),
        _Rule("what `name` and `args` hold", r"\b(?:name|args)\b\W+(?:is|are|must|names|holds?)\b"),
        _Rule("that there are no heredocs in JSON", r"heredoc|<<"),
        _Rule("that no other info string opens a call", r"\binfo string|```json|\bother (?:language|fence)"),
        _Rule("that a block is closed by a line ```", r"\bclos(?:e|es|ed|ing)\b"),
        _Rule("where narration belongs", r"\bnarrat|\bcomment(?:ary|s)\b|\bprose\b|\bexplanations?\b"),
        _WHEN_TO_ANSWER,
        _Rule("that the sentinel occurs exactly once in plain text", r"\bonce\b", needs_sentinel=True),
    ),
}
_TAGS = ("<tool_call>", "<assistant_prose>", "<user_response>")


def untaught(text: str, protocol: str, examples: list[Span], has_sentinel: bool) -> list[str]:
    """The tags and the rules of a protocol that a text never mentions, in words; examples teach tags, not rules."""
    tags = (*_TAGS, "<done>") if has_sentinel else _TAGS
    sentences = _sentences(text, examples)
    return [
        *(f"the tag `{tag}`" for tag in tags if protocol == TAGGED and tag not in text),
        *(
            rule.words
            for rule in _RULES[protocol]
            if (has_sentinel or not rule.needs_sentinel) and not any(map(rule.is_taught_by, sentences))
        ),
    ]


_SENTENCE_BREAK = re.compile(r"(?<=[.!?;])\s+|\n")


def _sentences(text: str, examples: list[Span]) -> list[str]:
    """The sentences of a text outside its examples; a sentence ends with its line at the latest."""
    parts = []
    position = 0
    for start, end in examples:
        parts.append(text[position:start])
        position = end
    parts.append(text[position:])
    return [one[:_LONGEST_SENTENCE] for part in parts for one in _SENTENCE_BREAK.split(part) if one.strip()]
