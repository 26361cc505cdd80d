"""The truth about chat templates is only worth something if each of its answers can be yes and no."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"

GOOD = """\
{%- if tools %}<|system|>{% for tool in tools %}{{ tool | tojson }}{% endfor %}{% endif %}
{%- set last = namespace(user=0) %}
{%- for message in messages if message.role == 'user' %}{% set last.user = loop.index0 %}{% endfor %}
{%- set seen = namespace(users=-1) %}
{%- for message in messages %}
  {%- if message.role == 'user' %}{% set seen.users = seen.users + 1 %}{% endif %}
  {%- if message.role == 'tool' %}
    {{- '<|tool|>' + message.tool_call_id + ': ' + message.content + '<|end|>' }}
  {%- else %}
    {{- '<|' + message.role + '|>' }}
    {%- if message.reasoning_content and seen.users == last.user %}<think>{{ message.reasoning_content }}</think>{% endif %}
    {{- message.content or '' }}
    {%- for call in message.tool_calls or [] %}
      {%- set given = call.function.arguments %}
      {{- '<call>' + call.function.name }} {{ given if given is string else given | tojson }}</call>
    {%- endfor %}
    {{- '<|end|>' }}
  {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}<|assistant|>{% endif %}
"""

CHANGES = [
    ("TOOLS_NOT_RENDERED", "{{ tool | tojson }}", ""),
    ("ARGUMENTS_DOUBLE_ENCODED", "given if given is string else given | tojson", "given | tojson"),
    ("STRING_ARGUMENTS_CRASH", "given if given is string else given | tojson", "given.items() | list | tojson"),
    ("OBJECT_ARGUMENTS_CRASH", "given if given is string else given | tojson", "'' + given"),
    ("CALLS_DROPPED", "message.tool_calls or []", "(message.tool_calls or [])[:1]"),
    ("CALLS_MERGED", "<call>' + call.function.name }} {{", "' + call.function.name }} {{"),
    ("RESULT_DROPPED", "': ' + message.content", "': '"),
    ("RESULT_UNIDENTIFIED", "message.tool_call_id + ': ' + ", ""),
    ("NULL_CONTENT", "message.content or ''", "message.content"),
    ("NULL_CONTENT", "message.content or ''", "'' if message.content is none else '' + message.content"),
    ("REASONING_KEPT", " and seen.users == last.user", ""),
    ("REASONING_LOST", "seen.users == last.user", "not message.tool_calls"),
    ("ROLE_REFUSED", "{{- '<|' + message.role", "{{- 1 / 0 if message.role == 'system' }}{{- '<|' + message.role"),
    ("GENERATION_PROMPT_MISSING", "add_generation_prompt", "false"),
    ("SCHEMA_NOT_JSON", "tool | tojson", "tool"),
    ("SCHEMA_NOT_JSON", "tool | tojson", "tool | tojson | escape"),
    ("UNDEFINED_VARIABLE", "<|system|>", "<|system|>{{ date_text }}"),
    ("FUNCTION_UNSUPPORTED", "<|system|>", "<|system|>{{ tools | fromjson }}"),
    ("FUNCTION_UNSUPPORTED", "<|system|>", "<|system|>{{ tools.append(1) }}"),
    ("FUNCTION_UNSUPPORTED minijinja", "<|system|>", "<|system|>{{ 'a b'.rsplit(' ', 1)[0] }}"),
    ("CONSTRUCT_UNSUPPORTED minijinja", "<|system|>", "<|system|>{% print(1) %}"),
    ("SYNTAX", "{% endfor %}", "{% endfor"),
]


@pytest.fixture(scope="module")
def benchmark() -> Iterator[dict[str, Any]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        yield runpy.run_path(str(FOLDER / "_chat_template_truth.py"), run_name="imported")


def does(benchmark: dict[str, Any], text: str) -> set[str]:
    return {rule for rule, (answer, _) in benchmark["truth"](text).items() if answer}


def test_nothing_is_said_of_a_template_that_does_all_right(benchmark: dict[str, Any]) -> None:
    pytest.importorskip("minijinja")
    assert does(benchmark, GOOD) == set()


@pytest.mark.parametrize(("rule", "old", "new"), CHANGES)
def test_each_answer_can_be_yes(rule: str, old: str, new: str, benchmark: dict[str, Any]) -> None:
    pytest.importorskip("minijinja")
    changed = GOOD.replace(old, new)
    if rule == "CALLS_MERGED":
        changed = changed.replace("</call>", "")
    assert changed != GOOD
    assert rule in does(benchmark, changed)


def test_only_what_reads_calls_is_tool_capable(benchmark: dict[str, Any]) -> None:
    assert benchmark["is_tool_capable"](GOOD)
    assert not benchmark["is_tool_capable"]("{# tool_calls #}{{ messages[0].content }}")
