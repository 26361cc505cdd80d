"""What chat templates do, seen by rendering them as transformers does. Nothing of the package is used here.

`truth(text)` answers, for each rule, whether a template does what the rule is about. It argues from the forms of a
conversation that render: a form that fails is only evidence where a twin form, that differs in the one point in question,
does not fail.

TOOLS_NOT_RENDERED         The template shows calls or treats results, and shows the name of no tool of `tools` in any form.
ARGUMENTS_DOUBLE_ENCODED   Arguments as a string come out as a JSON string with escapes, where a dict comes out without.
STRING_ARGUMENTS_CRASH     A form with arguments as a string fails, be it by `raise_exception`, and its twin with a dict does not.
OBJECT_ARGUMENTS_CRASH     The same with a dict, and its twin with a string does not.
CALLS_DROPPED              In a form that renders, neither the name nor the arguments of a call appear; of one or of two calls.
CALLS_MERGED               Two calls of one turn appear, and nothing but closing braces and white space divides them.
RESULT_DROPPED             In a form that renders, the content of a tool's result does not appear.
RESULT_UNIDENTIFIED        Results of two calls appear without name or id: swapping those of both changes nothing.
NULL_CONTENT               The template shows calls, and one with null or no content fails with either kind of arguments where
                           a twin with other content renders, or null shows `None`.
REASONING_KEPT             The reasoning of a turn before the last user message is shown.
REASONING_LOST             The template shows the reasoning of an answer, and not that of a call whose result comes last.
ROLE_REFUSED               A conversation fails with a system message, or (if calls are shown) with results, and not without.
GENERATION_PROMPT_MISSING  `add_generation_prompt` changes nothing, and the prompt lacks the head of an assistant's turn.
SCHEMA_NOT_JSON            Tools are shown with a dict or a list as Python writes them, or with HTML entities. A constant
                           alone does not decide: signatures and elements may mean Python's.
SYNTAX                     jinja2 does not parse the template.
UNDEFINED_VARIABLE         A name that neither the template nor transformers sets is written, called, or read into.
FUNCTION_UNSUPPORTED       jinja2 lacks a filter, a test or, for any value, a method, or its sandbox refuses it.
... minijinja              minijinja does not parse it, or lacks a filter, a test, a method or a function of jinja2.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from itertools import product
from typing import Any

import jinja2
import jinja2.nodes
from _chat_template_conversations import (
    ABSENT,
    ANSWER,
    ANSWERED,
    CALL_ALONE,
    EMPTY,
    FIRST,
    FORMS,
    LATER_REASONING,
    NOTING,
    NULL,
    PLAIN,
    REASONING,
    RESULT_LAST,
    SECOND,
    SYSTEM,
    THANKS,
    TOKENS,
    TOOLS,
    USER,
    Form,
    Message,
    Noted,
    Template,
    conversation,
    refuse,
    rendered,
    result,
    shown_of,
    thought,
)

Answer = tuple[bool | None, str]
"""Whether a template does it (None: not decided), and what was seen."""

NO: Answer = (False, "")


def tools_not_rendered(template: Template) -> Answer:
    plain = [template.show(form.start()) for form in FORMS[:2]]
    plain += [template.show([*form.start(), ANSWER, THANKS]) for form in FORMS[:2]]
    shown = [text for text in plain if text is not None]
    if not shown:
        return None, "no conversation with tools renders"
    if any(tool["function"]["name"] in text for text in shown for tool in TOOLS):
        return NO
    for form in FORMS:
        called = [
            text for end in (RESULT_LAST, ANSWERED) if (text := template.show(conversation(form, end))) is not None
        ]
        for text in called:
            if FIRST[0] in text or FIRST[1]["harbour"] in text:
                return True, "calls are shown"
            if FIRST[3] in text and {"tool", "function", "ipython", "observation"} & template.constants:
                return True, "results are shown"
    return NO


def arguments_double_encoded(template: Template) -> Answer:
    escaped = json.dumps(json.dumps(FIRST[1]))[1:-1]
    for end in (CALL_ALONE, RESULT_LAST, ANSWERED):
        for form, text, _ in rendered(template, end):
            if form.as_text and escaped in text:
                twin = template.show(conversation(form.like(as_text=False), end))
                if twin is None or '\\"harbour' not in twin:
                    return True, f"{end}: {form}"
    return NO


def twins(template: Template, end: str, changed: str, to: Any) -> Iterator[tuple[Form, Form]]:
    """Forms that fail where a twin renders."""
    for form in FORMS:
        twin = form.like(**{changed: to})
        fails = form != twin and template.show(conversation(form, end)) is None
        if fails and template.show(conversation(twin, end)) is not None:
            yield form, twin


def arguments_crash(template: Template, as_text: bool) -> Answer:
    for end in (CALL_ALONE, RESULT_LAST, ANSWERED):
        for form, _ in twins(template, end, "as_text", not as_text):
            return True, f"{end}: {form}: {template.failed[json.dumps([conversation(form, end), True, True])]}"
    return NO


def string_arguments_crash(template: Template) -> Answer:
    return arguments_crash(template, as_text=True)


def object_arguments_crash(template: Template) -> Answer:
    return arguments_crash(template, as_text=False)


def calls_dropped(template: Template) -> Answer:
    seen = False
    for end, calls in product((RESULT_LAST, ANSWERED), ((FIRST,), (FIRST, SECOND))):
        for form, text, without in rendered(template, end, *calls):
            seen = True
            for one in calls:
                if not any(shown_of(text, one, without)):
                    return True, f"{end}: {form}: {one[0]} of {len(calls)}"
    return NO if seen else (None, "no form renders")


def calls_merged(template: Template) -> Answer:
    seen = False
    for end in (RESULT_LAST, ANSWERED):
        for form, text, without in rendered(template, end, FIRST, SECOND):
            seen = True
            shown = all(all(shown_of(text, one, without)) for one in (FIRST, SECOND))
            if shown and not between(text).strip("}"):
                return True, f"{end}: {form}: {between(text)!r}"
    return NO if seen else (None, "no form renders")


def between(text: str) -> str:
    """What stands between the first call's last value and the second's name, without white space and quotes; or `-`."""
    start = text.rfind("lee", 0, text.rfind(SECOND[1]["booking"]))
    stop = text.find(SECOND[0], start)
    return "-" if start < 0 or stop < 0 else re.sub(r'[\s"\']', "", text[start + 3 : stop])


def result_dropped(template: Template) -> Answer:
    seen = False
    for end, calls in product((RESULT_LAST, ANSWERED), ((FIRST,), (FIRST, SECOND))):
        for form, text, _ in rendered(template, end, *calls):
            seen = True
            if any(one[3] not in text for one in calls):
                return True, f"{end}: {len(calls)} calls: {form}"
    return NO if seen else (None, "no form renders")


def result_unidentified(template: Template) -> Answer:
    for form in FORMS:
        start = [*form.start(), form.turn(FIRST, SECOND)]
        text = template.show([*start, result(FIRST), result(SECOND)])
        if text is None or any(one[3] not in text for one in (FIRST, SECOND)):
            continue
        swapped = template.show([*start, result(FIRST, SECOND), result(SECOND, FIRST)])
        return (swapped == text), str(form)
    return None, "no form with two results renders"


def null_content(template: Template) -> Answer:
    if not template.shows_calls:
        return NO
    for end in (CALL_ALONE, RESULT_LAST, ANSWERED):
        for form in (one for one in FORMS if one.content in (NULL, ABSENT)):
            text = template.show(conversation(form, end))
            others = (one for one in (EMPTY, NULL, ABSENT) if one != form.content)
            usual = [template.show(conversation(form.like(content=one), end)) for one in others]
            known = [one for one in usual if one is not None]
            # Where the other kind of arguments renders with this content, it is the arguments that fail.
            other = template.show(conversation(form.like(as_text=not form.as_text), end))
            if text is None and known and other is None:
                error = template.failed[json.dumps([conversation(form, end), True, True])]
                return True, f"{end}: {form}: {error}"
            if text is not None and known and text.count("None") > min(one.count("None") for one in known):
                return True, f"{end}: {form}: shows None"
    return NO


def reasoning_kept(template: Template) -> Answer:
    seen = False
    for form in FORMS:
        start = form.start()
        plain = [*start, {**ANSWER, **thought(REASONING)}, THANKS]
        called = [*start, form.turn(FIRST, reasoning=REASONING), result(FIRST)]
        called += [{**ANSWER, **thought(LATER_REASONING)}, THANKS]
        for messages in (plain, called):
            text = template.show(messages)
            seen = seen or text is not None
            if text is not None and (REASONING in text or LATER_REASONING in text):
                return True, f"{len(messages)} messages: {form}"
    return NO if seen else (None, "no form renders")


def reasoning_lost(template: Template) -> Answer:
    treated, lost, seen = False, "", False
    for form in FORMS:
        text = template.show([*form.start(), form.turn(FIRST, reasoning=REASONING), result(FIRST)])
        if text is not None and REASONING in text:
            return NO
        lost = lost or (str(form) if text is not None else "")
        seen = seen or text is not None
        answer = {**ANSWER, **thought(REASONING)}
        for messages in (
            [*form.start(), answer],
            [*form.start(), answer, THANKS],
            [*conversation(form, RESULT_LAST), answer],
        ):
            treated = treated or REASONING in (template.show(messages) or "")
    return (treated and bool(lost), lost) if seen else (None, "no form renders")


def role_refused(template: Template) -> Answer:
    if template.show([USER]) is not None and template.show([SYSTEM, USER]) is None:
        return True, "system"
    if template.show([USER], tools=False) is not None and template.show([SYSTEM, USER], tools=False) is None:
        return True, "system, without tools"
    alone = [form for form in FORMS if template.show(conversation(form, CALL_ALONE)) is not None]
    if not alone or not template.shows_calls:
        return NO
    ends = (RESULT_LAST, ANSWERED)
    if all(template.show(conversation(form, end)) is None for form in alone for end in ends):
        return True, f"tool: {template.failed[json.dumps([conversation(alone[0], RESULT_LAST), True, True])]}"
    return NO


def generation_prompt_missing(template: Template) -> Answer:
    seen = False
    starts = [form.start() for form in FORMS[:2]]
    starts += [conversation(form, RESULT_LAST) for form in FORMS]
    for messages, tools in product(starts, (False, True)):
        with_prompt, without = (template.show(messages, tools, prompt) for prompt in (True, False))
        answered = template.show([*messages, ANSWER], tools, False)
        if with_prompt is None or without is None or answered is None:
            continue
        seen = True
        if with_prompt != without or ANSWER["content"] not in answered:
            continue
        head = answered[len(shared(answered, with_prompt)) : answered.rindex(ANSWER["content"])]
        if head.strip() and len(shared(answered, with_prompt)) >= len(with_prompt.rstrip()):
            return True, f"{len(messages)} messages: lacks {head!r}"
    return NO if seen else (None, "no form renders")


def shared(left: str, right: str) -> str:
    length = next((at for at, (one, other) in enumerate(zip(left, right, strict=False)) if one != other), None)
    return left[: min(len(left), len(right)) if length is None else length]


PYTHON = re.compile(r"""\{'\w+': |\['(?:lee|harbour|metres|booking)'|&(?:amp|lt|gt|quot|#3[49]);""")
CONSTANTS = re.compile(r"\b(?:False|None)\b")


def schema_not_json(template: Template) -> Answer:
    seen, constant = False, ""
    for form in FORMS[:2]:
        for messages in (form.start(), [*form.start(), ANSWER, THANKS]):
            text, without = template.show(messages), template.show(messages, tools=False)
            if text is None:
                continue
            seen = True
            for pattern in (PYTHON, CONSTANTS):
                found = pattern.findall(text)
                if "find_mooring" in text and len(found) > len(pattern.findall(without or "")):
                    if pattern is PYTHON:
                        return True, f"{found[0]!r}"
                    constant = found[0]
    if constant:
        return None, f"only {constant!r}"
    return NO if seen else (None, "no conversation with tools renders")


BEHAVIOURS = {
    function.__name__.upper(): function
    for function in (
        *(tools_not_rendered, arguments_double_encoded, string_arguments_crash, object_arguments_crash),
        *(calls_dropped, calls_merged, result_dropped, result_unidentified, null_content),
        *(reasoning_kept, reasoning_lost, role_refused, generation_prompt_missing, schema_not_json),
    )
}


# --- the static rules, by another way ----------------------------------------------------------------------------------


def every_conversation() -> Iterator[tuple[list[Message], bool]]:
    for form, tools in product(FORMS, (True, False)):
        yield form.start(), tools
        yield conversation(form, ANSWERED), tools
        yield conversation(form, RESULT_LAST, FIRST, SECOND), tools
    for form in FORMS[:2]:
        # A call without arguments, as some clients write it.
        yield conversation(form, RESULT_LAST, (FIRST[0], None, *FIRST[2:])), True


def undefined_variable(text: str) -> Answer:
    template = Template(text, NOTING)
    Noted.seen.clear()
    for messages, tools in every_conversation():
        template.show(messages, tools)
    own = {node.name for node in template.tree.find_all(jinja2.nodes.Name) if node.ctx != "load"}
    seen = sorted(Noted.seen - own)
    return bool(seen), ", ".join(seen)


def methods(template: Template) -> set[str]:
    """The names of the methods that it calls, of whatever value."""
    called = (node.node for node in template.tree.find_all(jinja2.nodes.Call))
    return {node.attr for node in called if isinstance(node, jinja2.nodes.Getattr)}


VALUES = ("", [], {}, (), 0, 0.5)
OF_LOOPS = {"cycle", "changed"}
CHANGING = {
    "append",
    "clear",
    "extend",
    "insert",
    "pop",
    "popitem",
    "remove",
    "reverse",
    "setdefault",
    "sort",
    "update",
}
"""Methods that change a list or a dict."""


def function_unsupported(template: Template) -> Answer:
    """What the environment lacks of filters and tests, methods that no value has, and those that the sandbox refuses."""
    used = [(node.name, PLAIN.filters) for node in template.tree.find_all(jinja2.nodes.Filter)]
    used += [(node.name, PLAIN.tests) for node in template.tree.find_all(jinja2.nodes.Test)]
    lacks = {name for name, known in used if name not in known}
    for name in methods(template) - OF_LOOPS:
        if name in CHANGING or not any(hasattr(value, name) for value in VALUES):
            lacks.add(name)
    return bool(lacks), "; ".join(sorted(lacks))


UNKNOWN = re.compile(r"unknown (function|filter|test): (?:filter |test )?(\S+)")
GENERATION = re.compile(r"\{%-?\s*(?:end)?generation\s*-?%\}")


def minijinja_lacks(template: Template) -> dict[str, Answer]:
    """What minijinja makes of it, with the functions that servers add, and without the tags that they take out.

    Methods are tried with values that templates write themselves, since those of Python's are Python's.
    """
    import minijinja

    made = minijinja.Environment(trim_blocks=True, lstrip_blocks=True)
    made.add_function("raise_exception", refuse)
    made.add_function("strftime_now", lambda pattern: datetime(2025, 3, 2).strftime(pattern))
    try:
        made.add_template("chat", GENERATION.sub("", template.text))
    except minijinja.TemplateError as error:
        return {CONSTRUCT: (True, error.message), FUNCTION: NO}
    lacks = set()
    for name in methods(template) - OF_LOOPS:
        tried = []
        for value in ("''", "[]", "{}", "1"):
            try:
                tried.append(made.render_str(f"{{{{ ({value}).{name}() }}}}"))
            except minijinja.TemplateError as error:
                tried.append(str(error))
        if all("has no method named" in one or "is not callable" in one for one in tried):
            lacks.add(name)
    for messages, tools in every_conversation():
        # A copy: minijinja lets templates change lists.
        given = json.loads(json.dumps({"messages": messages, "tools": template.tools if tools else None}))
        try:
            made.render_template("chat", **given, add_generation_prompt=True, **TOKENS)
        except minijinja.TemplateError as error:
            unknown = UNKNOWN.match(str(error))
            # A function that jinja2 lacks too is an undefined variable.
            if unknown and (unknown[1] != "function" or unknown[2] in PLAIN.globals):
                lacks.add(unknown[2])
        except jinja2.TemplateError:
            continue
    return {CONSTRUCT: NO, FUNCTION: (bool(lacks), "; ".join(sorted(lacks)))}


CONSTRUCT, FUNCTION = "CONSTRUCT_UNSUPPORTED minijinja", "FUNCTION_UNSUPPORTED minijinja"


STATIC = ("SYNTAX", "UNDEFINED_VARIABLE", "FUNCTION_UNSUPPORTED", "CONSTRUCT_UNSUPPORTED")


def is_tool_capable(text: str) -> bool:
    """Also said of what does not parse, where its words alone can be asked."""
    try:
        return Template(text).tool_capable
    except jinja2.TemplateError:
        return "tool_calls" in text


def truth(text: str) -> dict[str, Answer]:
    """By rule, without the prefix `CHAT_TEMPLATE_`."""
    try:
        template = Template(text)
    except jinja2.TemplateSyntaxError as error:
        return {"SYNTAX": (True, str(error))}
    answers = {"SYNTAX": NO, "UNDEFINED_VARIABLE": undefined_variable(text)}
    answers |= {"FUNCTION_UNSUPPORTED": function_unsupported(template), **minijinja_lacks(template)}
    return answers | {name: function(template) for name, function in BEHAVIOURS.items()}
