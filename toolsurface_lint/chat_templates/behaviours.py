"""What a chat template can get wrong, and what shows that it does.

A behaviour is named like its rule, without `CHAT_TEMPLATE_`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

TOOLS_NOT_RENDERED = "TOOLS_NOT_RENDERED"
"""The template handles calls or results, and the model is never shown the tools."""

ARGUMENTS_DOUBLE_ENCODED = "ARGUMENTS_DOUBLE_ENCODED"
"""Arguments that are a string of JSON, as OpenAI's API gives them, are encoded again."""

STRING_ARGUMENTS_CRASH = "STRING_ARGUMENTS_CRASH"
"""Arguments that are a string of JSON make rendering fail."""

OBJECT_ARGUMENTS_CRASH = "OBJECT_ARGUMENTS_CRASH"
"""Arguments that are an object, as transformers and vLLM give them, make rendering fail."""

CALLS_DROPPED = "CALLS_DROPPED"
"""The calls of an assistant's turn, or all but one of them, are not in what is rendered, though results are."""

CALLS_MERGED = "CALLS_MERGED"
"""Several calls of one turn run into each other: what is rendered cannot be taken apart again."""

RESULT_DROPPED = "RESULT_DROPPED"
"""The result of a call is not in what is rendered, though calls are."""

RESULT_UNIDENTIFIED = "RESULT_UNIDENTIFIED"
"""Two results are rendered with neither the name nor the id of their calls."""

NULL_CONTENT = "NULL_CONTENT"
"""A call whose turn has `content: null`, or no content, makes rendering fail, or the model is shown the text `None`."""

REASONING_KEPT = "REASONING_KEPT"
"""The reasoning of turns before the last question is shown to the model again."""

REASONING_LOST = "REASONING_LOST"
"""The reasoning between a call and its result, in the turn that is being answered, is not shown to the model."""

ROLE_REFUSED = "ROLE_REFUSED"
"""A message of a common role makes rendering fail."""

GENERATION_PROMPT_MISSING = "GENERATION_PROMPT_MISSING"
"""`add_generation_prompt` changes nothing: the model is not asked for a turn of the assistant."""

SCHEMA_NOT_JSON = "SCHEMA_NOT_JSON"
"""The schemas of tools are rendered as a Python value or with escaped HTML."""

BEHAVIOURS = (
    TOOLS_NOT_RENDERED,
    ARGUMENTS_DOUBLE_ENCODED,
    STRING_ARGUMENTS_CRASH,
    OBJECT_ARGUMENTS_CRASH,
    CALLS_DROPPED,
    CALLS_MERGED,
    RESULT_DROPPED,
    RESULT_UNIDENTIFIED,
    NULL_CONTENT,
    REASONING_KEPT,
    REASONING_LOST,
    ROLE_REFUSED,
    GENERATION_PROMPT_MISSING,
    SCHEMA_NOT_JSON,
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What shows a behaviour.

    `conversation` is the name of the conversation that was rendered. `rendered` is the part of the result that shows it,
    a few lines at most; empty where rendering failed or where something is missing. `message` is that of the exception,
    empty where rendering did not fail; `line` is the line of the template, from 1, that raised it, or None.
    `what` is the word that the behaviour is about: the refused role, the field of the reasoning, `null`, `absent` or
    `None`, the way in which a schema is written; empty for the other behaviours.
    """

    conversation: str
    rendered: str = ""
    message: str = ""
    line: int | None = None
    what: str = ""


@dataclass(frozen=True, slots=True)
class ShownCall:
    """A turn of the assistant with calls, as the template writes it.

    `text` is what the model would have had to answer: all that is rendered after the prompt for its turn, with the tokens
    that end it. `prompt` is what comes before, with the generation prompt. `calls` are the names and arguments that
    `text` stands for, `tools` the definitions of all tools in the conversation, in OpenAI's form.
    """

    conversation: str
    prompt: str
    text: str
    calls: tuple[tuple[str, Mapping[str, Any]], ...]
    tools: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Observed:
    """What rendering a template has shown.

    `behaviours` holds what was seen, `undecided` why something could not be seen: each is a reason such as "rendering
    took more than 2 seconds". Of a template with reasons, the behaviours that are missing are unknown. `calls` are the
    turns with calls, written from arguments that are objects, for a round trip through a parser; empty where the
    template shows none. The template `shows_tools`, `shows_calls` and `shows_results` if at least one conversation has
    them in its rendering.
    """

    behaviours: Mapping[str, Evidence] = field(default_factory=dict)
    undecided: tuple[str, ...] = ()
    calls: tuple[ShownCall, ...] = ()
    shows_tools: bool = False
    shows_calls: bool = False
    shows_results: bool = False
