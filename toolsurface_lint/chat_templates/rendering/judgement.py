"""What the renderings of one template show."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from toolsurface_lint.chat_templates import behaviours as b
from toolsurface_lint.chat_templates.behaviours import Evidence, ShownCall
from toolsurface_lint.chat_templates.rendering.conversations import (
    ANSWER,
    CALL,
    CONVERSATIONS,
    IDS,
    PROPERTY,
    QUESTION,
    REASONING,
    RESULT,
    SECOND_CALL,
    SECOND_RESULT,
    SECOND_VALUE,
    SYSTEM,
    TOOLS,
    VALUE,
)
from toolsurface_lint.chat_templates.rendering.process import Rendering

_ON_PURPOSE = "TemplateError: "
"""How the message of `raise_exception` begins: the template says in words what it does not take."""

_EXCERPT = 200
"""Characters of a rendering that a piece of evidence quotes at most."""


class Judgement:
    """The renderings by the names of their conversations, and what they show."""

    def __init__(self, renderings: Mapping[str, Rendering]) -> None:
        self._renderings = renderings
        tools = "tools", "tools and a system message"
        self.shows_tools = any(CALL[0] in self._text(name) and SECOND_CALL[0] in self._text(name) for name in tools)
        self._as_text = not self._shows_call("one call") and self._shows_call("one call, arguments as a string")
        """Only calls whose arguments are a string are rendered."""
        self._one = "one call, arguments as a string" if self._as_text else "one call"
        self._two = "two calls, arguments as strings" if self._as_text else "two calls"
        self.shows_calls = self._shows_call(self._one)
        self.shows_results = RESULT in self._text("a result") or RESULT in self._text("a result to be answered")

    def behaviours(self) -> dict[str, Evidence]:
        """What the template gets wrong, in the order of `BEHAVIOURS`."""
        judges: Mapping[str, Callable[[], Evidence | None]] = {
            b.TOOLS_NOT_RENDERED: self._tools_not_rendered,
            b.ARGUMENTS_DOUBLE_ENCODED: self._double_encoded,
            b.STRING_ARGUMENTS_CRASH: self._string_crash,
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

    def calls(self) -> Iterator[ShownCall]:
        """The turns with calls that are shown after the prompt for them, as a model would have to write them."""
        prompt = self._text("tools and a question to be answered")
        for name, calls in ((self._one, (CALL,)), (self._two, (CALL, SECOND_CALL))):
            text = self._text(name)
            if prompt and text.startswith(prompt) and all(self._shows(call, name) for call in calls):
                yield ShownCall(name, prompt, text[len(prompt) :], calls, TOOLS)

    def _tools_not_rendered(self) -> Evidence | None:
        if not self.shows_calls:
            return None
        for name in ("tools", "tools and a system message"):
            if self._is_rendered(name) and CALL[0] not in self._text(name):
                return Evidence(name)
        return None

    def _double_encoded(self) -> Evidence | None:
        for name, reference in (
            ("one call, arguments as a string", "one call"),
            ("two calls, arguments as strings", "two calls"),
        ):
            text, plain = self._text(name), self._text(reference)
            escaped = text.find(f'\\"{PROPERTY}\\"')
            # Some formats have a string there whatever they are given.
            if escaped >= 0 and plain and f'\\"{PROPERTY}\\"' not in plain:
                return Evidence(name, _around(text, escaped))
        return None

    def _string_crash(self) -> Evidence | None:
        name = "one call, arguments as a string"
        return self._crash(name) if self._is_rendered("one call") and not self._is_rendered(name) else None

    def _calls_dropped(self) -> Evidence | None:
        if self.shows_calls:
            return self._second_dropped()
        if self.shows_tools and self._is_rendered("one call"):
            return Evidence("one call")
        return None

    def _second_dropped(self) -> Evidence | None:
        text = self._text(self._two)
        missing = [call for call in (CALL, SECOND_CALL) if not self._shows(call, self._two)]
        return Evidence(self._two, _after(text, QUESTION)) if text and missing else None

    def _calls_merged(self) -> Evidence | None:
        text = self._text(self._two)
        if not (self.shows_calls and self._shows(CALL, self._two) and self._shows(SECOND_CALL, self._two)):
            return None
        after = text[text.rfind(VALUE) + len(VALUE) : text.rfind(SECOND_VALUE)]
        return None if SECOND_CALL[0] in after else Evidence(self._two, after)

    def _result_dropped(self) -> Evidence | None:
        if not (self.shows_tools or self.shows_calls) or self.shows_results:
            return None
        name = "a result to be answered"
        if self._is_rendered(name):
            return Evidence(name, _after(self._text(name), VALUE))
        return None

    def _result_unidentified(self) -> Evidence | None:
        name = "two results"
        text = self._text(name)
        if RESULT not in text or SECOND_RESULT not in text or not self.shows_calls:
            return None
        shown = text[text.rfind(SECOND_VALUE) :]
        if any(IDS[0] in shown or CALL[0] in shown for _ in IDS):
            return None
        return Evidence(name, _after(text, SECOND_VALUE))

    def _null_content(self) -> Evidence | None:
        if not self.shows_calls:
            return None
        name = "one call, content null"
        if not self._is_rendered(name):
            return self._crash(name, what="null") if self._is_rendered("one call") else None
        none = re.compile(r"\bNone\b")
        text = self._text(name)
        found = none.search(text)
        if found and len(none.findall(text)) > len(none.findall(self._text("one call"))):
            return Evidence(name, _around(text, found.start()), what="None")
        return None

    def _reasoning_kept(self) -> Evidence | None:
        name = "an earlier answer with reasoning"
        text = self._text(name)
        if REASONING in text:
            return Evidence(name, _around(text, text.find(REASONING)), what="reasoning_content")
        return None

    def _reasoning_lost(self) -> Evidence | None:
        name = "a call with reasoning and its result"
        text = self._text(name)
        if text and REASONING not in text and REASONING in self._text("an answer with reasoning"):
            return Evidence(name, _after(text, QUESTION), what="reasoning_content")
        return None

    def _role_refused(self) -> Evidence | None:
        if self._is_rendered("a question to be answered"):
            name = "a system message"
            if not self._is_rendered(name):
                return self._crash(name, what="system")
            if SYSTEM not in self._text(name):
                return Evidence(name, what="system")
        return None

    def _prompt_missing(self) -> Evidence | None:
        name = "a question to be answered"
        without, asked, answered = self._text("a question"), self._text(name), self._text("an answer")
        if without and without == asked and answered.startswith(without):
            header = answered[len(without) :].partition(ANSWER)[0]
            if header.strip():
                return Evidence(name, _around(asked, len(asked)))
        return None

    def _schema_not_json(self) -> Evidence | None:
        for name in ("tools", "tools and a system message"):
            text = self._text(name)
            for what, written in (("python", f"'{PROPERTY}': {{'"), ("html", f"&#34;{PROPERTY}&#34;")):
                if written in text:
                    return Evidence(name, _around(text, text.find(written)), what=what)
        return None

    def _text(self, name: str) -> str:
        """The rendering of a conversation; empty if it failed."""
        return self._renderings[name].text or ""

    def _is_rendered(self, name: str) -> bool:
        return self._renderings[name].text is not None

    def _crash(self, name: str, what: str = "") -> Evidence:
        rendering = self._renderings[name]
        return Evidence(name, message=rendering.message, line=rendering.line, what=what)

    def _shows_call(self, name: str) -> bool:
        return self._shows(CALL, name)

    def _shows(self, call: tuple[str, dict[str, object]], name: str) -> bool:
        """Whether a call is in a rendering, with its name and its first argument: both are in the schemas too."""
        called, arguments = call
        value = str(next(iter(arguments.values())))
        text, before = self._text(name), self._text("tools")
        return text.count(called) > before.count(called) and text.count(value) > before.count(value)


def _around(text: str, place: int) -> str:
    """What stands around a place."""
    start = max(0, place - _EXCERPT // 2)
    return text[start : start + _EXCERPT]


def _after(text: str, word: str) -> str:
    """What follows the last occurrence of a word."""
    start = text.rfind(word) + len(word)
    return text[start : start + _EXCERPT]
