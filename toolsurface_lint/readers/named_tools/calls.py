"""Calls in forms that the Harn specification does not know: names with dots, JSON objects, tags with attributes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolsurface_lint.knowledge.prompt_words import ORDER_VERBS
from toolsurface_lint.model.prompt import CALL, JSON_CALL, QUALIFIED, STRONG, TAG, WEAK, Reference
from toolsurface_lint.model.vocabulary import CLOSE, COMPOUND, DECLARED, NOTHING, SHAPED, Vocabulary, is_file_name
from toolsurface_lint.readers.binding import Binding
from toolsurface_lint.readers.named_tools.candidates import NAME_WINDOW
from toolsurface_lint.readers.named_tools.context import (
    Context,
    is_other_thing,
    read_context,
    tool_follows,
    verb_before,
)
from toolsurface_lint.readers.stance import stance

_CALL = re.compile(r"\((?<=[A-Za-z0-9_]\()")
_SEPARATED_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[-.:/][A-Za-z0-9_]+)+\Z")
_JSON_CALL_START = re.compile(r'\{\s*"(?:name|tool|tool_name|function|type|id|arguments|args|input)"\s*:')
# Compiled when the first call of an undeclared name is weighed.
_NAMED_ARGUMENTS = r"\([ \t\n\f]*+(?:[{]|[A-Za-z_][A-Za-z0-9_]*+[ \t]*+(?::(?!:)|=(?!=)))"
_QUOTED_ARGUMENT = r"\([ \t\n\f]*+[\"']"
_FUNCTIONS = re.compile(r"functions\.(?<![A-Za-z0-9_./-]functions\.)([A-Za-z_][A-Za-z0-9_]*+)(?![./-][A-Za-z])")
_TAGGED = re.compile(r"<(?:invoke[ \t]+name=\"|function=|tool_use[ \t]+name=\")([A-Za-z_][A-Za-z0-9_.:/-]*)")


def dotted_calls(binding: Binding, vocabulary: Vocabulary) -> Iterator[Reference]:
    """Calls of declared names, and of nearly declared ones, that hold dots or dashes: `repo.search({...})`."""
    if not vocabulary.has_compound_separators:
        return
    text = binding.text
    resume = 0
    for match in _CALL.finditer(text):
        at = match.start()
        if at < resume:
            continue
        name = _SEPARATED_NAME.search(text, max(at - NAME_WINDOW, resume), at)
        if name is None or vocabulary.kind(name[0]) < CLOSE:
            continue
        resume = binding.call_end(at)
        start, end = name.span()
        gaps, said = binding.gaps(start, resume), stance(text, start)
        yield Reference(name[0], start, end, CALL, resume, specified=False, gaps=gaps, stance=said)


def weigh_call(text: str, call: Reference, vocabulary: Vocabulary) -> Reference:
    """A call of an undeclared name, with how plainly it is one of a tool: functions of other languages are called too.

    Arguments with names are as tools get them. Where there are none, the name or the words around it must say more.
    """
    kind = vocabulary.kind(call.name)
    if call.form != CALL or call.evidence != STRONG or kind == DECLARED:
        return call
    left, right = call.start, call.call_end
    while left and text[left - 1] in _MARKS:
        left -= 1
    while right < len(text) and text[right] in _MARKS:
        right += 1
    context = read_context(text, left, right)
    if not vocabulary.near(call.name) and not _is_call_of_a_tool(text, call, kind, context, vocabulary):
        return call._replace(evidence=WEAK)
    return call._replace(ordered=context.orders)


def _is_call_of_a_tool(text: str, call: Reference, kind: int, context: Context, vocabulary: Vocabulary) -> bool:
    if kind == NOTHING or is_other_thing(context):
        return False
    parenthesis = text.find("(", call.end, call.call_end)
    if re.compile(_NAMED_ARGUMENTS).match(text, parenthesis) or tool_follows(context.after, kind):
        return True
    verb = verb_before(context)
    if kind == SHAPED:
        quoted = re.compile(_QUOTED_ARGUMENT).match(text, parenthesis) is not None
        return bool(verb) or quoted or vocabulary.shares_an_edge(call.name)
    return kind == COMPOUND and verb in ORDER_VERBS


_MARKS = "`*\"'"


def json_calls(text: str, vocabulary: Vocabulary) -> Iterator[Reference]:
    """Calls written as JSON objects: a name and arguments."""
    if _JSON_CALL_START.search(text) is None:
        return
    from toolsurface_lint.protocols.json_calls import call_objects
    from toolsurface_lint.protocols.landmarks import Landmarks

    landmarks = Landmarks(text)
    for name, arguments, span in call_objects(landmarks, None, 0, len(text)):
        # A definition looks like a call but for what its parameters are.
        if isinstance(arguments, dict) and ("properties" in arguments or arguments.get("type") == "object"):
            continue
        written = text.find(f'"{name}"', span.start, span.end)
        resolved, known = vocabulary.resolve(name)
        if written < 0 or not known or vocabulary.kind(resolved) == NOTHING:
            continue
        end = written + 1 + len(name)
        start, said = end - len(resolved), stance(text, span.start)
        yield Reference(resolved, start, end, JSON_CALL, span.end, specified=False, stance=said)


def tags(text: str, vocabulary: Vocabulary) -> Iterator[Reference]:
    """Names in tool-call tags that hold the name as an attribute, and in the namespace `functions`."""
    for sign, pattern in (("functions.", _FUNCTIONS), ("<", _TAGGED)):
        # A look for the sign, which most texts do not hold, is quicker than `re`.
        for match in pattern.finditer(text) if sign in text else ():
            name, known = vocabulary.resolve(match[1])
            if pattern is _FUNCTIONS and is_file_name(match[0]) and name not in vocabulary:
                continue
            if known and vocabulary.kind(name) != NOTHING:
                end = match.end(1)
                form = QUALIFIED if pattern is _FUNCTIONS else TAG
                said = stance(text, match.start())
                yield Reference(name, end - len(name), end, form, end, specified=False, stance=said)
