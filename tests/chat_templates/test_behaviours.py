"""What renderings show: one template without a flaw, and one change of it for each behaviour."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from toolsurface_lint.chat_templates.behaviours import BEHAVIOURS, Observed
from toolsurface_lint.chat_templates.rendering import observe, process
from toolsurface_lint.chat_templates.rendering.conversations import CALL, SECOND_CALL, TOOLS
from toolsurface_lint.chat_templates.syntax import parse

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows limits no process")


@pytest.fixture(autouse=True, scope="module")
def _ended() -> Iterator[None]:
    yield
    process.end()


SOUND = """\
{%- if tools -%}
<|tools|>
{%- for tool in tools %}
{{ tool | tojson }}
{%- endfor %}
<|end|>
{%- endif %}
{%- set last = namespace(question=0) %}
{%- for message in messages if message.role == 'user' %}{% set last.question = last.question + 1 %}{% endfor %}
{%- set seen = namespace(questions=0) %}
{%- for message in messages %}
{%- if message.role == 'user' %}{% set seen.questions = seen.questions + 1 %}{% endif %}
{%- if message.role == 'tool' %}
<|tool|>{{ message.tool_call_id }}: {{ message.content }}<|end|>
{%- else %}
<|{{ message.role }}|>
{%- if message.reasoning_content and seen.questions == last.question %}<think>{{ message.reasoning_content }}</think>{% endif %}
{%- if message.content %}{{ message.content }}{% endif %}
{%- for call in message.tool_calls or [] %}
<call id="{{ call.id }}">{"name": "{{ call.function.name }}", "arguments":
{%- set given = call.function.arguments %}
{%- if given is string %}{{ given }}{% else %}{{ given | tojson }}{% endif %}}</call>
{%- endfor %}<|end|>
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
<|assistant|>
{%- endif %}
"""

TEXT = "{%- if message.content %}{{ message.content }}{% endif %}"
EACH_CALL = "{%- for call in message.tool_calls or [] %}"
EACH_MESSAGE = "{%- for message in messages %}\n"
PROMPT = "{%- if add_generation_prompt %}"
OBJECT = "{%- if given is string %}"
NOW = " and seen.questions == last.question"
SCHEMA = "{{ tool | tojson }}"


def refused(condition: str, words: str = "no") -> str:
    return f"{{% if {condition} %}}{{{{ raise_exception('{words}') }}}}{{% endif %}}"


FLAWS = [
    ("TOOLS_NOT_RENDERED", "{%- if tools -%}", "{%- if functions -%}", ""),
    ("ARGUMENTS_DOUBLE_ENCODED", OBJECT + "{{ given }}{% else %}", "{% if true %}", ""),
    ("STRING_ARGUMENTS_CRASH", OBJECT, "{%- for key, value in given.items() %}{% endfor %}{% if false %}", ""),
    ("OBJECT_ARGUMENTS_CRASH", OBJECT, "{{ ' ' + given }}{% if true %}", ""),
    ("CALLS_DROPPED", EACH_CALL, "{%- for call in (message.tool_calls or [])[:1] %}", ""),
    ("CALLS_DROPPED", EACH_CALL, "{%- for call in not message.content and message.tool_calls or [] %}", ""),
    ("RESULT_DROPPED", "{{ message.content }}<|end|>\n{%- else", "<|end|>\n{%- else", ""),
    ("RESULT_UNIDENTIFIED", "{{ message.tool_call_id }}: ", "", ""),
    ("NULL_CONTENT", TEXT, "{{ message.content or message.content + '' }}", "null"),
    ("NULL_CONTENT", TEXT, "{%- if message.content is not none %}{{ message.content + '' }}{% endif %}", "absent"),
    ("NULL_CONTENT", TEXT, "{{ message.content }}", "None"),
    ("REASONING_KEPT", NOW, "", "reasoning_content"),
    ("REASONING_LOST", NOW, NOW + " and not message.tool_calls", "reasoning_content"),
    ("ROLE_REFUSED", EACH_MESSAGE, EACH_MESSAGE.rstrip() + refused("message.role == 'system'") + "\n", "system"),
    ("ROLE_REFUSED", "{%- if message.role == 'tool' %}", "{%- if message.role == 'tool' %}" + refused("true"), "tool"),
    ("GENERATION_PROMPT_MISSING", PROMPT, "{%- if add_prompt %}", ""),
    ("GENERATION_PROMPT_MISSING", PROMPT, "{%- if add_generation_prompt and messages[-1].role == 'user' %}", ""),
    ("SCHEMA_NOT_JSON", SCHEMA, "{{ tool }}", "python"),
    ("SCHEMA_NOT_JSON", SCHEMA, "{{ tool | tojson | escape }}", "html"),
]


def seen(template: str) -> Observed:
    return observe(parse(template), special_tokens={"bos_token": "<s>"})


def test_a_sound_template_has_none() -> None:
    observed = seen(SOUND)
    assert dict(observed.behaviours) == {}
    assert observed.undecided == ()
    assert observed.shows_tools
    assert observed.shows_calls
    assert observed.shows_results


@pytest.mark.parametrize(("behaviour", "sound", "flawed", "what"), FLAWS)
def test_a_flaw_shows_as_its_behaviour_alone(behaviour: str, sound: str, flawed: str, what: str) -> None:
    assert SOUND.count(sound) == 1
    template = SOUND.replace(sound, flawed)
    behaviours = seen(template).behaviours
    assert list(behaviours) == [behaviour]
    evidence = behaviours[behaviour]
    assert evidence.what == what
    if evidence.message:
        assert evidence.line is not None
        assert flawed.split("\n")[0] in template.splitlines()[evidence.line - 1]


def test_calls_that_run_into_each_other() -> None:
    start, end = SOUND.index('<call id="'), SOUND.index("{%- set given")
    merged = SOUND[:start] + "{{- call.function.name }}\n" + SOUND[end:].replace("endif %}}</call>", "endif %}")
    behaviours = seen(merged).behaviours
    assert list(behaviours) == ["CALLS_MERGED"]
    assert f"true}}{SECOND_CALL[0]}" in behaviours["CALLS_MERGED"].rendered


def test_every_behaviour_has_a_flaw_here() -> None:
    assert {each[0] for each in FLAWS} | {"CALLS_MERGED"} == set(BEHAVIOURS)


@pytest.mark.parametrize(
    ("sound", "other"),
    [
        # The format has a string there, whatever it is given.
        ("{{ given }}{% else %}{{ given | tojson }}", "{{ given | tojson }}{% else %}{{ given | tojson | tojson }}"),
        (EACH_MESSAGE, EACH_MESSAGE.rstrip() + refused("message.role == 'developer'") + "\n"),
        (OBJECT, refused("given is string", "arguments must be an object") + OBJECT),
        (OBJECT, refused("given is mapping", "arguments must be a string") + OBJECT),
        (EACH_CALL, refused("message.tool_calls and message.tool_calls | length > 1", "one at a time") + EACH_CALL),
        (EACH_CALL, EACH_CALL + refused("call.id | length != 9", "ids have nine characters")),
        (SCHEMA, "{{ tool.function.name }}({{ tool.function.parameters.properties | join(', ') }})"),
        (PROMPT + "\n", ""),
    ],
)
def test_what_is_meant_so_is_none(sound: str, other: str) -> None:
    assert SOUND.count(sound) == 1
    template = SOUND.replace(sound, other)
    if sound.startswith(PROMPT):
        # The beginning of a turn is there, whatever an answer, and no call, begins with beyond it.
        template = template.replace(
            TEXT, TEXT.replace("{{", "{% if message.role == 'assistant' %}<answer>{% endif %}{{")
        )
    if not other:
        template = template.removesuffix("{%- endif %}\n")
    assert dict(seen(template).behaviours) == {}


@pytest.mark.parametrize(
    "template",
    [
        "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}<|end|>\n{% endfor %}<|assistant|>",
        "{% for message in messages %}"
        + refused("message.role == 'system'")
        + refused("(message.role == 'user') != (loop.index0 % 2 == 0)", "must alternate")
        + "{% if message.role == 'user' %}[INST] {{ message.content }} [/INST]{% else %} {{ message.content }}{% endif %}"
        + "{% endfor %}",
    ],
)
def test_a_template_without_tools_is_asked_nothing_about_them(template: str) -> None:
    observed = seen(template)
    assert dict(observed.behaviours) == {}
    assert observed.undecided == ()
    assert observed.calls == ()


def test_parts_of_content_are_tried_where_texts_are_not_taken() -> None:
    parts = "{% for part in message.content or [] %}{{ part.text }}{% endfor %}"
    observed = seen(SOUND.replace(TEXT, parts).replace(": {{ message.content }}<", ": " + parts + "<"))
    assert dict(observed.behaviours) == {}
    assert observed.shows_results


@pytest.mark.parametrize("template", ["{{ 'a' * 10**10 }}", "{{ missing.value }}", "nothing"])
def test_what_is_not_rendered_is_not_decided(template: str) -> None:
    observed = seen(template)
    assert dict(observed.behaviours) == {}
    assert len(observed.undecided) == 1


def test_where_every_call_fails_that_is_said() -> None:
    observed = seen(
        SOUND.replace(
            EACH_CALL, "{% set calls = [] %}{% if message.tool_calls %}{{ calls.append(1) }}{% endif %}" + EACH_CALL
        )
    )
    assert dict(observed.behaviours) == {}
    assert observed.undecided == ("no conversation with a call could be rendered",)


def test_rendered_calls_are_kept_for_a_round_trip() -> None:
    one, two = seen(SOUND).calls
    assert (one.calls, two.calls, one.tools) == ((CALL,), (CALL, SECOND_CALL), TOOLS)
    assert one.prompt.endswith("drybramble<|end|><|assistant|>")
    assert one.text == (
        f'<call id="Zt4kQ8mW1">{{"name": "{CALL[0]}", "arguments":'
        '{"quay_slug": "Ostravian", "fathoms": 4417, "in_zone": true}}</call><|end|>'
    )
    assert two.text.count("<call ") == 2


def test_a_prompt_that_begins_reasoning_is_left_before_the_call() -> None:
    thoughtful = SOUND.replace("<|assistant|>\n{%- endif %}\n", "<|assistant|><think>\n{%- endif %}\n")
    one, _ = seen(thoughtful).calls
    assert one.prompt.endswith("<|assistant|>")
    assert one.text.startswith("<call ")


def test_the_same_template_shows_the_same() -> None:
    assert seen(SOUND.replace("{{ tool | tojson }}", "{{ tool }}")) == seen(
        SOUND.replace("{{ tool | tojson }}", "{{ tool }}")
    )
