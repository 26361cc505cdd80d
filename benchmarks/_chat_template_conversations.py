"""Conversations with tools, and chat templates that show them as transformers does. Nothing of the package is used here.

Conversations are in OpenAI's format as transformers and vLLM pass them on: two tools, nine-character call ids, results with
`name` and `tool_call_id`. A form of a conversation is how its calls are written: arguments as a dict or as a JSON string;
content as `""`, as text, as null, or absent; a system message or none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import product
from typing import Any

import jinja2
import jinja2.ext
import jinja2.nodes
import jinja2.runtime
import jinja2.sandbox

Message = dict[str, Any]

TOKENS = {
    f"{name}_token": text
    for name, text in (
        *(("bos", "<s>"), ("eos", "</s>"), ("unk", "<unk>"), ("pad", "<pad>"), ("sep", "<sep>"), ("cls", "<cls>")),
        ("mask", "<mask>"),
    )
}

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "find_mooring",
            "description": 'Finds a mooring & its price; <quiet> ones "first", the harbour\'s own last.',
            "parameters": {
                "type": "object",
                "properties": {
                    "harbour": {"type": "string", "description": "The harbour's name."},
                    "side": {"type": "string", "enum": ["lee", "luv"], "description": "Which side."},
                    "covered": {"type": "boolean", "default": False, "description": "Only under a roof."},
                    "boat": {
                        "type": "object",
                        "description": "The boat.",
                        "properties": {"metres": {"type": "number", "description": "Its length."}},
                        "required": ["metres"],
                    },
                },
                "required": ["harbour", "side"],
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "cancel_mooring",
            "description": "Cancels a mooring.",
            "parameters": {
                "type": "object",
                "properties": {"booking": {"type": "string", "description": "What was booked."}},
                "required": ["booking"],
            },
        },
    },
]

PLAIN_TOOLS = json.loads(json.dumps(TOOLS))
"""For templates that fail on an object in an object, whatever the conversation."""
del PLAIN_TOOLS[0]["function"]["parameters"]["properties"]["boat"]

FIRST = ("find_mooring", {"harbour": "Zierikzee", "side": "lee"}, "kQ7mVx2Ra", "Berthtwelve is free.")
SECOND = ("cancel_mooring", {"booking": "Hindeloopen"}, "Tz4bWn9Ye", "Berthseventy was cancelled.")
CONTENTS: tuple[dict[str, Any], ...] = ({"content": ""}, {"content": "Lookingaround."}, {"content": None}, {})
EMPTY, TEXT, NULL, ABSENT = CONTENTS
SYSTEM = {"role": "system", "content": "Answerbriefly."}
USER = {"role": "user", "content": "Whereto tonight?"}
ANSWER = {"role": "assistant", "content": "Berthtwelve it is."}
THANKS = {"role": "user", "content": "Thankyou, and tomorrow?"}
REASONING = "Ponderinglong."
LATER_REASONING = "Ponderingmore."


@dataclass(frozen=True)
class Form:
    """One way to write calls."""

    as_text: bool
    content: dict[str, Any] = field(hash=False)
    system: bool

    def turn(self, *calls: tuple[Any, ...], reasoning: str = "") -> Message:
        return {
            "role": "assistant",
            **self.content,
            **thought(reasoning),
            "tool_calls": [self.call(one) for one in calls],
        }

    def call(self, one: tuple[Any, ...]) -> Message:
        name, arguments, number, _ = one
        written = json.dumps(arguments) if self.as_text else arguments
        return {"id": number, "type": "function", "function": {"name": name, "arguments": written}}

    def start(self) -> list[Message]:
        return [SYSTEM, USER] if self.system else [USER]

    def like(self, **changes: Any) -> Form:
        return Form(**{"as_text": self.as_text, "content": self.content, "system": self.system, **changes})


FORMS = [Form(*one) for one in product((False, True), CONTENTS, (False, True))]


def thought(text: str) -> dict[str, str]:
    """A turn's reasoning, under each of the names that transformers and vLLM pass it by."""
    return {"reasoning_content": text, "reasoning": text, "thinking": text} if text else {}


def result(one: tuple[Any, ...], named: tuple[Any, ...] | None = None) -> Message:
    name, _, number, _ = named or one
    return {"role": "tool", "tool_call_id": number, "name": name, "content": one[3]}


# --- rendering ---------------------------------------------------------------------------------------------------------


class Generation(jinja2.ext.Extension):
    """`{% generation %}`, whose body is shown as it is."""

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Any) -> Any:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return jinja2.nodes.Scope(body).set_lineno(line)


def refuse(message: str) -> None:
    raise jinja2.TemplateError(message)


def to_json(value: Any, ensure_ascii: bool = False, **options: Any) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, **options)


class Noted(jinja2.Undefined):
    """An undefined value that notes what is made of it: names that are written, called or read into."""

    seen: set[str] = set()  # noqa: RUF012

    def _note(self) -> None:
        if self._undefined_obj is jinja2.runtime.missing and self._undefined_hint is None:
            self.seen.add(str(self._undefined_name))

    def _fail_with_undefined_error(self, *given: Any, **named: Any) -> Any:
        self._note()
        return super()._fail_with_undefined_error(*given, **named)

    def __getattr__(self, name: str) -> Any:
        if name[:2] != "__":
            self._note()
        return super().__getattr__(name)

    def __str__(self) -> str:
        self._note()
        return ""

    __add__ = __radd__ = __sub__ = __mul__ = __mod__ = __call__ = __getitem__ = _fail_with_undefined_error
    __lt__ = __le__ = __gt__ = __ge__ = __int__ = __float__ = _fail_with_undefined_error


def environment(undefined: type[jinja2.Undefined] = jinja2.Undefined) -> jinja2.Environment:
    made = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols], undefined=undefined
    )
    made.filters["tojson"] = to_json
    made.globals["raise_exception"] = refuse
    made.globals["strftime_now"] = lambda pattern: datetime(2025, 3, 2).strftime(pattern)
    return made


PLAIN, NOTING = environment(), environment(Noted)


class Template:
    """One template, and what it shows of conversations: the text, or None with the error in `failed`."""

    def __init__(self, text: str, made: jinja2.Environment = PLAIN) -> None:
        self.text = text
        self.compiled = made.from_string(text)
        self.tree = made.parse(text)
        self.shown: dict[str, str | None] = {}
        self.failed: dict[str, Exception] = {}
        self.tools = TOOLS
        if all(self.show(form.start()) is None for form in FORMS[:2]):
            self.tools = PLAIN_TOOLS
            self.shown.clear()

    def show(self, messages: list[Message], tools: bool = True, prompt: bool = True) -> str | None:
        key = json.dumps([messages, tools, prompt])
        if key not in self.shown:
            given = json.loads(json.dumps(messages))
            try:
                self.shown[key] = self.compiled.render(
                    messages=given,
                    tools=json.loads(json.dumps(self.tools)) if tools else None,
                    documents=None,
                    add_generation_prompt=prompt,
                    **TOKENS,
                )
            except Exception as error:
                self.shown[key] = None
                self.failed[key] = error
        return self.shown[key]

    @cached_property
    def constants(self) -> set[str]:
        """The strings of its expressions, and the names of the attributes that it reads."""
        names = {node.attr for node in self.tree.find_all(jinja2.nodes.Getattr)}
        return names | {node.value for node in self.tree.find_all(jinja2.nodes.Const) if isinstance(node.value, str)}

    @property
    def tool_capable(self) -> bool:
        """Whether its expressions read `tool_calls`, as an attribute or as a key."""
        return "tool_calls" in self.constants

    @cached_property
    def shows_calls(self) -> bool:
        """Whether a call's name and argument are shown in some form."""
        ends = (CALL_ALONE, RESULT_LAST)
        return any(all(shown_of(text, FIRST, without)) for end in ends for _, text, without in rendered(self, end))


# --- conversations, and what is shown of them ---------------------------------------------------------------------------

CALL_ALONE, RESULT_LAST, ANSWERED = "call", "result", "answered"


def conversation(form: Form, end: str, *calls: tuple[Any, ...]) -> list[Message]:
    calls = calls or (FIRST,)
    messages = [*form.start(), form.turn(*calls)]
    if end != CALL_ALONE:
        messages += [result(one) for one in calls]
    return [*messages, ANSWER, THANKS] if end == ANSWERED else messages


def shown_of(text: str, one: tuple[Any, ...], without: str) -> tuple[bool, bool]:
    """Whether a call's name (beyond `without`, which shows the tools too) and its main argument are in a text."""
    return text.count(one[0]) > without.count(one[0]), next(iter(one[1].values())) in text


def rendered(template: Template, end: str, *calls: tuple[Any, ...]) -> Iterator[tuple[Form, str, str]]:
    """The forms that render, with the text, and with the text of the conversation's start."""
    for form in FORMS:
        text = template.show(conversation(form, end, *calls))
        if text is not None:
            yield form, text, template.show(form.start()) or ""
