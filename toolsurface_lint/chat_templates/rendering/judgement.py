"""What the renderings of one template show."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

from toolsurface_lint.chat_templates import behaviours as b
from toolsurface_lint.chat_templates.behaviours import Evidence, ShownCall
from toolsurface_lint.chat_templates.rendering.conversations import (
    ANSWER,
    ANSWERED,
    CALL,
    FORMS,
    IDS_THAT_NAME,
    PROPERTY,
    QUESTION,
    REASONING,
    RESULT,
    SECOND_CALL,
    SECOND_QUESTION,
    SECOND_RESULT,
    SECOND_VALUE,
    STARTS,
    TOOLS,
    VALUE,
    WITHOUT_PROMPT,
    Form,
)
from toolsurface_lint.chat_templates.rendering.process import Rendering

_ON_PURPOSE = "TemplateError: "
"""How the message of `raise_exception` begins: the template says in words what it does not take."""

_EXCERPT = 200
"""Characters of a rendering that a piece of evidence quotes at most."""

_Call = tuple[str, dict[str, Any]]


class Judgement:
    """The renderings by the names of their conversations, and what they show."""

    def __init__(self, renderings: Mapping[str, Rendering]) -> None:
        self._renderings = renderings
        self._forms = [form for form in FORMS if self._text(form.name)]
        """Those that are rendered."""
        self.shows_tools = any(CALL[0] in self._text(name) for name in _WITH_TOOLS)
        self.shows_calls = any(_shows(CALL, self._text(form.name), self._before(form)) for form in self._forms)
        self.shows_results = any(RESULT in self._text(form.name) for form in self._forms)

    @property
    def shows_nothing(self) -> bool:
        """Whether no conversation shows a question: the template may want something else, such as parts of content."""
        return not any(QUESTION in self._text(name) for name in ("a question", *_WITH_TOOLS))

    @property
    def shows_no_form(self) -> bool:
        """Whether every conversation with a call failed, whatever else is rendered."""
        return not self._forms

    def behaviours(self) -> dict[str, Evidence]:
        """What the template gets wrong, in the order of `BEHAVIOURS`."""
        judges: Mapping[str, Callable[[], Evidence | None]] = {
            b.TOOLS_NOT_RENDERED: self._tools_not_rendered,
            b.ARGUMENTS_DOUBLE_ENCODED: self._double_encoded,
            b.STRING_ARGUMENTS_CRASH: lambda: self._arguments_crash(as_text=True),
            b.OBJECT_ARGUMENTS_CRASH: lambda: self._arguments_crash(as_text=False),
            b.CALLS_DROPPED: self._calls_dropped,
            b.CALLS_MERGED: self._calls_merged,
            b.RESULT_DROPPED: self._result_dropped,
            b.RESULT_UNIDENTIFIED: self._result_unidentified,
            b.NULL_CONTENT: self._null_content,
            b.REASONING_KEPT: self._reasoning_kept,
            b.REASONING_LOST: self._reasoning_lost,
            b.ROLE_REFUSED: self._role_refused,
            b.GENERATION_PROMPT_MISSING: self._prompt_missing,
            b.SCHEMA_NOT_JSON: self._schema_not_json,
        }
        return {name: evidence for name, judge in judges.items() if (evidence := judge()) is not None}

    def calls(self) -> list[ShownCall]:
        """The turns with calls, as a model would have to write them after the prompt for its turn."""
        found = [each for name, count in ((_ONE, 1), (_TWO, 2)) if (each := self._shown_call(name, count)) is not None]
        if not found:
            # Only calls whose arguments are a string may be rendered, or the id may take the place of the name.
            others = (
                (Form(1, "call", as_text=True).name, 1),
                (Form(2, "call", as_text=True).name, 2),
                (IDS_THAT_NAME, 2),
            )
            found = [each for name, count in others if (each := self._shown_call(name, count)) is not None]
        return found

    def _shown_call(self, name: str, count: int) -> ShownCall | None:
        prompt, text = self._text("a question with tools"), self._text(name)
        start = _parting(prompt, text)
        calls = (CALL, SECOND_CALL)[:count]
        if QUESTION not in text[:start] or not all(_shows(call, text, prompt) for call in calls):
            return None
        return ShownCall(name, text[:start], text[start:], calls, TOOLS)

    @property
    def _handles_tools(self) -> bool:
        return self.shows_tools or self.shows_calls

    def _tools_not_rendered(self) -> Evidence | None:
        if self.shows_tools or not self.shows_calls or not any(map(self._text, _WITH_TOOLS)):
            return None
        return Evidence("a question with tools")

    def _double_encoded(self) -> Evidence | None:
        written = f'\\"{PROPERTY}\\"'
        for form in self._forms:
            text = self._text(form.name)
            # Some formats have a string there whatever they are given.
            if form.as_text and written in text and written not in self._text(form._replace(as_text=False).name):
                return Evidence(form.name, _around(text, text.find(written)))
        return None

    def _arguments_crash(self, as_text: bool) -> Evidence | None:
        for form in FORMS:
            other = form._replace(as_text=not as_text)
            fails = form.as_text == as_text and form not in self._forms and other in self._forms
            if fails and not self._renderings[form.name].message.startswith(_ON_PURPOSE):
                return self._crash(form.name)
        return None

    def _calls_dropped(self) -> Evidence | None:
        if not self._handles_tools:
            return None
        for form in self._forms:
            text, before = self._text(form.name), self._before(form)
            for call in (CALL, SECOND_CALL)[: form.calls]:
                if form.end != "call" and not _shows_part(call, text, before):
                    return Evidence(form.name, _after(text, QUESTION))
        return None

    def _calls_merged(self) -> Evidence | None:
        for form in self._forms:
            text, before = self._text(form.name), self._before(form)
            if form.calls == 2 and _shows(CALL, text, before) and _shows(SECOND_CALL, text, before):
                end = text.rfind(SECOND_VALUE)
                start = text.rfind("true", 0, end)
                name = text.find(SECOND_CALL[0], start, end)
                between = text[start + len("true") : name]
                # In some formats, an id that says the name takes its place.
                if 0 <= start < name and _NO_DIVISION.fullmatch(between):
                    return Evidence(form.name, _around(text, name))
        return None

    def _result_dropped(self) -> Evidence | None:
        if not self._handles_tools:
            return None
        for form in self._forms:
            text = self._text(form.name)
            if form.end != "call" and not all(result in text for result in (RESULT, SECOND_RESULT)[: form.calls]):
                return Evidence(form.name, _after(text, VALUE))
        return None

    def _result_unidentified(self) -> Evidence | None:
        name = Form(2, "result").name
        text = self._text(name)
        if self.shows_calls and RESULT in text and text == self._text("two results, said to be each other's"):
            return Evidence(name, _around(text, text.find(RESULT)))
        return None

    def _null_content(self) -> Evidence | None:
        if not self.shows_calls:
            return None
        for content, form in product(("null", "absent"), FORMS):
            if form.content != content:
                continue
            twins = [form._replace(content=other) for other in ("empty", "null", "absent") if other != content]
            usual = [self._text(twin.name) for twin in twins if twin in self._forms]
            text = self._text(form.name)
            # Where the other kind of arguments renders, it is the arguments that fail.
            fails = form not in self._forms and form._replace(as_text=not form.as_text) not in self._forms
            if usual and fails:
                return self._crash(form.name, what=content)
            if usual and len(_NONE.findall(text)) > min(len(_NONE.findall(each)) for each in usual):
                places = [found.start() for found in _NONE.finditer(text)]
                return Evidence(form.name, _around(text, places[-1]), what="None")
        return None

    def _reasoning_kept(self) -> Evidence | None:
        for name in ("an earlier answer with reasoning", "an earlier call with reasoning"):
            text = self._text(name)
            if REASONING in text:
                return Evidence(name, _around(text, text.find(REASONING)), what="reasoning_content")
        return None

    def _reasoning_lost(self) -> Evidence | None:
        name = "a call with reasoning"
        text = self._text(name)
        if text and REASONING not in text and REASONING in self._text("an answer with reasoning"):
            return Evidence(name, _after(text, QUESTION), what="reasoning_content")
        return None

    def _role_refused(self) -> Evidence | None:
        if not self._handles_tools:
            return None
        for name, without in (
            ("a system message with tools", "a question with tools"),
            ("a system message", "a question"),
        ):
            if self._text(without) and not self._text(name):
                return self._crash(name, what="system")
        ends = {form.end for form in self._forms}
        return self._crash(Form(1, "result").name, what="tool") if ends == {"call"} else None

    def _prompt_missing(self) -> Evidence | None:
        if self._always_prompts:
            return None
        for name in STARTS:
            asked, answered = self._text(name), self._text(ANSWERED.format(name))
            if name == "a result" and not (self.shows_calls and RESULT in asked):
                continue
            if asked and asked == self._text(WITHOUT_PROMPT.format(name)) and answered.startswith(asked.rstrip()):
                header = answered[len(asked.rstrip()) :].partition(ANSWER)[0]
                is_of_user = name != "a result" and header.strip() in asked
                if ANSWER in answered and header.strip() and not is_of_user:
                    return Evidence(name, asked[-_EXCERPT:])
        return None

    @property
    def _always_prompts(self) -> bool:
        """Whether every rendering ends with the beginning of an assistant's turn: more than the user's next turn has there."""
        answered = self._text(ANSWERED.format("a question"))
        before, _, end = answered.partition(ANSWER)
        following = self._text("an earlier answer with reasoning").partition(ANSWER)[2]
        if SECOND_QUESTION not in following:
            return False
        extra = end[_common(end, following) :].strip()
        return bool(extra) and extra in before.partition(QUESTION)[2]

    def _schema_not_json(self) -> Evidence | None:
        for name in _WITH_TOOLS:
            text = self._text(name)
            if CALL[0] in text:
                for what, pattern in NOT_JSON.items():
                    if found := pattern.search(text):
                        return Evidence(name, _around(text, found.start()), what=what)
        return None

    def _text(self, name: str) -> str:
        """The rendering of a conversation; empty if it failed or was not asked for."""
        rendering = self._renderings.get(name)
        return "" if rendering is None else rendering.text or ""

    def _before(self, form: Form) -> str:
        """What is rendered before the calls: the schemas, which have the same words."""
        return self._text("a system message with tools" if form.after_system else "a question with tools")

    def _crash(self, name: str, what: str = "") -> Evidence:
        rendering = self._renderings[name]
        return Evidence(name, message=rendering.message, line=rendering.line, what=what)


_ONE, _TWO = Form(1, "call").name, Form(2, "call").name
_WITH_TOOLS = ("a question with tools", "a system message with tools", ANSWERED.format("a question with tools"))
_NO_DIVISION = re.compile(r"""[\s{}"']*""")
"""What may stand between two calls without dividing them."""
_NONE = re.compile(r"\bNone\b")
NOT_JSON = {
    "python": re.compile(rf"'type': '|'{PROPERTY}': |\['{VALUE}'"),
    "html": re.compile(r"&(?:amp|lt|gt|quot|#3[49]);"),
}
"""The ways in which a schema is written that are not JSON. The constant `False` alone is one of many that formats with tags of
their own write so."""


def _shows(call: _Call, text: str, before: str) -> bool:
    """Whether a call is in a text with its name and its first argument, beyond those in `before`."""
    return all(text.count(word) > before.count(word) for word in _words(call))


def _shows_part(call: _Call, text: str, before: str) -> bool:
    """Whether the name or the first argument is there."""
    return any(text.count(word) > before.count(word) for word in _words(call))


def _words(call: _Call) -> tuple[str, str]:
    name, arguments = call
    return name, str(next(iter(arguments.values())))


def _common(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    length = min(len(one), len(other))
    return next((index for index in range(length) if one[index] != other[index]), length)


def _parting(prompt: str, text: str) -> int:
    """Where two texts part, outside of what looks like a token: the prompt for a turn may begin reasoning, a call does not."""
    place = _common(prompt, text)
    for opening, closing in ("<>", "[]"):
        start = text.rfind(opening, 0, place)
        if start > text.rfind(closing, 0, place) and text.find(closing, place) >= 0 and place < len(prompt):
            place = start
    return place


def _around(text: str, place: int) -> str:
    """What stands around a place."""
    start = max(0, place - _EXCERPT // 2)
    return text[start : start + _EXCERPT]


def _after(text: str, word: str) -> str:
    """What follows the last occurrence of a word."""
    start = text.rfind(word) + len(word)
    return text[start : start + _EXCERPT]
