"""Where in a template each behaviour comes from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from jinja2 import nodes

from toolsurface_lint.chat_templates import behaviours as b
from toolsurface_lint.chat_templates.behaviours import Evidence
from toolsurface_lint.chat_templates.dataflow.evaluation import follow
from toolsurface_lint.chat_templates.dataflow.trace import Trace, Written
from toolsurface_lint.chat_templates.dataflow.values import Call, Message
from toolsurface_lint.chat_templates.rendering.conversations import (
    CONVERSATIONS,
    PROPERTY,
    REASONING,
    RESULT,
    SECOND_CALL,
    SECOND_RESULT,
    in_parts,
)
from toolsurface_lint.chat_templates.rendering.judgement import NOT_JSON, Judgement
from toolsurface_lint.chat_templates.rendering.process import Rendering
from toolsurface_lint.chat_templates.syntax import ParsedTemplate
from toolsurface_lint.source.text import LineIndex, Span


def places(
    parsed: ParsedTemplate, behaviours: Mapping[str, Evidence], special_tokens: Mapping[str, str]
) -> dict[str, list[Span]]:
    """The parts of a template that behave so, by what rendering has shown, the most telling first.

    Without a part that is found by following the template, it is the line that raised the exception, or the loop that
    goes through the messages.
    """
    found: dict[str, list[Span]] = {}
    traces: dict[tuple[str, bool], Trace] = {}
    for behaviour, evidence in behaviours.items():
        key = evidence.conversation, bool(evidence.message)
        trace = traces.get(key) or _trace_of(parsed, evidence, special_tokens)
        traces[key] = trace
        spans = list(dict.fromkeys(map(parsed.span, _FINDERS[behaviour](trace, evidence))))
        found[behaviour] = spans or [_fallback(parsed, trace, evidence)]
    return found


def suspect(parsed: ParsedTemplate, special_tokens: Mapping[str, str]) -> dict[str, list[Span]]:
    """The behaviours that following the template shows, without rendering it, and where they come from."""
    variables = _variables(special_tokens)
    traces = {name: follow(parsed.root, {**variables, **each}) for name, each in CONVERSATIONS.items()}
    judgement = _judged(traces)
    if judgement.shows_nothing:
        traces = {name: follow(parsed.root, {**variables, **in_parts(each)}) for name, each in CONVERSATIONS.items()}
        judgement = _judged(traces)
    behaviours = {
        behaviour: evidence
        for behaviour, evidence in judgement.behaviours().items()
        if traces[evidence.conversation].is_followed
    }
    return places(parsed, behaviours, special_tokens)


def _judged(traces: Mapping[str, Trace]) -> Judgement:
    return Judgement(
        {
            name: Rendering(trace.text, "" if trace.crash is None else trace.crash.sentence, None)
            for name, trace in traces.items()
        }
    )


def _variables(special_tokens: Mapping[str, str]) -> dict[str, str]:
    return {"bos_token": "<s>", "eos_token": "</s>", **special_tokens}


def _trace_of(parsed: ParsedTemplate, evidence: Evidence, special_tokens: Mapping[str, str]) -> Trace:
    """The conversation of the evidence, in the form in which it renders or fails as it did."""
    conversation = CONVERSATIONS[evidence.conversation]
    first: Trace | None = None
    for each in (conversation, in_parts(conversation)):
        trace = follow(parsed.root, {**_variables(special_tokens), **each})
        first = first or trace
        if (trace.crash is not None) if evidence.message else (trace.text is not None):
            return trace
    assert first is not None
    return first


def _fallback(parsed: ParsedTemplate, trace: Trace, evidence: Evidence) -> Span:
    if evidence.line is not None:
        lines = LineIndex(parsed.text)
        if evidence.line <= len(lines.starts):
            span = lines.line_span(evidence.line)
            written = parsed.text[span.start : span.end]
            return Span(span.start + len(written) - len(written.lstrip()), span.end)
    loops = [*(trace.loops.get(Message) or parsed.root.find_all(nodes.For))]
    if loops:
        return parsed.span(loops[0])
    statement = next(parsed.root.iter_child_nodes(), None)
    return Span(0, 0) if statement is None else parsed.span(statement)


Finder = Callable[[Trace, Evidence], Iterable[nodes.Node]]


def _crash(trace: Trace, evidence: Evidence) -> list[nodes.Node]:
    return [] if trace.crash is None else [trace.crash.node]


def _messages(trace: Trace, evidence: Evidence) -> list[nodes.Node]:
    """The last loop over the messages that wrote something."""
    return [*trace.loops.get(Message, ())][-1:]


def _handler(trace: Trace, evidence: Evidence, is_it: Callable[[Mapping[str, object]], bool]) -> list[nodes.Node]:
    """The branch that was taken for a message, or else the loop that goes through all."""
    conversation = CONVERSATIONS[evidence.conversation]["messages"]
    for index, message in enumerate(conversation):
        if is_it(message):
            handler = trace.handlers.get(index)
            return _messages(trace, evidence) if handler is None else [handler]
    return _messages(trace, evidence)


def _condition(variable: str) -> Finder:
    """The condition that asks for a variable, or else the loop over the messages."""

    def find(trace: Trace, evidence: Evidence) -> list[nodes.Node]:
        condition = trace.reads.get(variable)
        return _messages(trace, evidence) if condition is None else [condition]

    return find


def _written(trace: Trace, pattern: re.Pattern[str]) -> list[nodes.Node]:
    """The node that wrote the last piece of a kind: the innermost, where macros wrote it."""
    matching = [each for each in trace.written if pattern.search(each.text) and not _is_constant(each)]
    if not matching:
        return []
    found = matching.pop()
    while matching and matching[-1].level > found.level:
        found = matching.pop()
    return [found.node]


def _is_constant(written: Written) -> bool:
    return isinstance(written.node, nodes.TemplateData | nodes.Const)


def _double_encoded(trace: Trace, evidence: Evidence) -> list[nodes.Node]:
    pattern = re.compile(re.escape(f'\\"{PROPERTY}\\"'))
    return [each.node for each in trace.encoded if pattern.search(each.text)] or _written(trace, pattern)


def _calls_dropped(trace: Trace, evidence: Evidence) -> list[nodes.Node]:
    loops = trace.loops.get(Call)
    return [*(loops or [*trace.picked][:1])] or _handler(trace, evidence, _has_calls)


def _calls_merged(trace: Trace, evidence: Evidence) -> list[nodes.Node]:
    loops = trace.loops.get(Call)
    return [*loops] if loops else _written(trace, re.compile(SECOND_CALL[0]))


def _has_calls(message: Mapping[str, object]) -> bool:
    return bool(message.get("tool_calls"))


def _result_dropped(trace: Trace, evidence: Evidence) -> list[nodes.Node]:
    text = trace.text or ""
    missing = [result for result in (RESULT, SECOND_RESULT) if result not in text]
    return _handler(trace, evidence, lambda message: message.get("content") in missing)


def _null_content(trace: Trace, evidence: Evidence) -> list[nodes.Node]:
    if evidence.message:
        return _crash(trace, evidence)
    return trace.nulls[-1:] or _written(trace, re.compile(r"\bNone\b"))


_FINDERS: Mapping[str, Finder] = {
    b.TOOLS_NOT_RENDERED: _condition("tools"),
    b.ARGUMENTS_DOUBLE_ENCODED: _double_encoded,
    b.STRING_ARGUMENTS_CRASH: _crash,
    b.OBJECT_ARGUMENTS_CRASH: _crash,
    b.CALLS_DROPPED: _calls_dropped,
    b.CALLS_MERGED: _calls_merged,
    b.RESULT_DROPPED: _result_dropped,
    b.RESULT_UNIDENTIFIED: lambda trace, _: _written(trace, re.compile(RESULT)),
    b.NULL_CONTENT: _null_content,
    b.REASONING_KEPT: lambda trace, _: _written(trace, re.compile(REASONING)),
    b.REASONING_LOST: lambda trace, evidence: _handler(trace, evidence, _has_calls),
    b.ROLE_REFUSED: _crash,
    b.GENERATION_PROMPT_MISSING: _condition("add_generation_prompt"),
    b.SCHEMA_NOT_JSON: lambda trace, evidence: _written(trace, NOT_JSON[evidence.what]),
}
"""How the nodes that behave so are found in the conversation that shows it."""
