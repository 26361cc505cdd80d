"""Following a template gives what jinja2 renders, says which part wrote it, and ends for any template."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import jinja2
import jinja2.ext
import jinja2.sandbox
import pytest

from toolsurface_lint.chat_templates import behaviours as b
from toolsurface_lint.chat_templates.dataflow.evaluation import follow
from toolsurface_lint.chat_templates.dataflow.places import places, suspect
from toolsurface_lint.chat_templates.rendering import observe
from toolsurface_lint.chat_templates.rendering.conversations import CONVERSATIONS
from toolsurface_lint.chat_templates.syntax import parse
from toolsurface_lint.checks.chat_template.behaviours import RULES

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
RENDERER = jinja2.sandbox.ImmutableSandboxedEnvironment(
    trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols]
)
RENDERER.filters["tojson"] = lambda value, indent=None, **_: json.dumps(value, ensure_ascii=False, indent=indent)


def refuse(message: str) -> None:
    raise jinja2.TemplateError(message)


RENDERER.globals["raise_exception"] = refuse

GIVEN: dict[str, Any] = {
    "messages": [
        {"role": "user", "content": "a <b> c"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
    ],
    "number": 3,
    "items": [{"a": 2, "b": "y"}, {"a": 1, "b": "X"}, {"b": "y"}],
    "nested": {"z": {"k": [1, 2.5, None, True]}, "A": "é"},
    "text": "one two  three\nfour",
}

SAME = [
    "{{ text | trim | upper }}|{{ text | title }}|{{ text | capitalize }}|{{ text | replace('o', '00') }}|{{ text | length }}",
    "{{ nested | tojson }}{{ nested | tojson(indent=2) }}{{ nested }}{{ nested | string | length }}",
    "{{ items | map(attribute='b') | join(', ') }}{{ items | selectattr('a') | list | length }}",
    "{{ items | selectattr('b', 'equalto', 'y') | list }}{{ items | rejectattr('a', 'defined') | list }}",
    "{{ items | map(attribute='a', default=7) | list }}{{ items | map(attribute='b') | map('upper') | unique | list }}",
    "{{ items | sort(attribute='b') }}{{ nested | dictsort }}{{ [3, 1] | sort(reverse=true) | first }}{{ 'ab' | last }}",
    "{{ items[0] | items | list }}{{ items[1:] }}{{ items[::-1] }}{{ text[:3] }}{{ text[-1] }}{{ items[9] }}{{ text.x }}",
    "{{ text.split() }}{{ text.split(' ', 1) }}{{ text.startswith('one') }}{{ text.find('t') }}{{ ' a '.strip() }}",
    "{{ nested.get('q', 4) }}{{ nested.z.items() | list }}{{ nested.keys() | list }}",
    "{{ '{}-{b}'.format(1, b=2) }}{{ '%s!' | format('a') }}",
    "{% for a, b in nested | dictsort %}{{ loop.index }}{{ loop.last }}{{ a }}{{ loop.previtem is defined }}{% endfor %}",
    "{% for m in messages if m.content %}{{ loop.length }}{% else %}none{% endfor %}{% for x in [] %}{% else %}e{% endfor %}",
    "{% for i in range(5) %}{% if i == 1 %}{% continue %}{% elif i == 3 %}{% break %}{% endif %}{{ i }}{% endfor %}",
    "{% set ns = namespace(a=0) %}{% for i in [1, 2] %}{% set ns.a = ns.a + i %}{% set x = i %}{% endfor %}{{ ns.a }}{{ x }}",
    "{% macro m(a, b='d') %}<{{ a }}{{ b }}{{ caller() if caller }}>{% endmacro %}{{ m(1, b=2) }}{% call m(3) %}c{% endcall %}",
    "{% set x %}a {{ number }}{% endset %}{{ x }}{% set y | upper %}b{% endset %}{{ y }}{% filter trim %} c {% endfilter %}",
    "{% filter upper | replace('C', 'd') | trim %} c {% endfilter %}{% set z | trim | upper %} z {% endset %}{{ z }}",
    "{{ 1 if number > 2 else 3 }}{{ 'q' if none }}{{ number ~ none ~ missing }}{{ missing or 'd' }}{{ missing | default('e') }}",
    "{{ 7 // 2 }}{{ 7 % 4 }}{{ 7 / 2 }}{{ -number }}{{ 'a' * 3 }}{{ [1] + [2] }}{{ 1 < 2 < 3 }}{{ 2 not in [1] }}",
    "{{ number is number }}{{ text is string }}{{ nested is mapping }}{{ none is none }}{{ x is not defined }}",
    "{{ items is iterable }}",
    "{{ text | safe + '<' }}{{ '<' | escape }}{{ 'a\nb' | indent(2, true) }}{{ '3' | int + 1 }}{{ 'x' | int(5) }}",
    "{{ 2.5 | round }}",
    "{% with a = 1 %}{{ a }}{% endwith %}{{ a }}{{ {'k': 1}.k }}{{ (1, 2)[1] }}{{ dict(a=1) }}{{ nested['z']['k'][0] }}",
]
FAILS = [
    "{{ missing.a }}",
    "{{ text + none }}",
    "{{ none | items | list }}",
    "{{ text | items | list }}",
    "{{ 'a' in none }}",
    "{{ text.items() }}",
    "{{ missing() }}",
    "{% for a, b in text %}{% endfor %}",
    "{{ missing | tojson }}",
    "{{ items.append(1) }}",
    "{{ 1 | nofilter }}",
    "{% for x in none %}{% endfor %}",
    "{% filter dictsort %}x{% endfilter %}",
    "{% set x | nofilter %}x{% endset %}",
    "{{ raise_exception('no') }}",
    "{{ items | map(attribute='b') | tojson }}",
]


def followed(text: str, given: dict[str, Any] = GIVEN) -> Any:
    return follow(parse(text).root, given)


@pytest.mark.parametrize("text", SAME)
def test_it_gives_what_jinja2_renders(text: str) -> None:
    trace = followed(text)
    assert trace.crash is None
    assert trace.text == RENDERER.from_string(text).render(**json.loads(json.dumps(GIVEN)))


@pytest.mark.parametrize("text", FAILS)
def test_it_crashes_where_jinja2_does(text: str) -> None:
    trace = followed("before " + text)
    assert trace.crash is not None
    assert trace.text is None
    with pytest.raises(Exception):  # noqa: B017, PT011
        RENDERER.from_string(text).render(**GIVEN)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("{{ a }}{% if text + none %}x{% endif %}", "text + none"),
        ("{% for k, v in (text | trim).items() %}{% endfor %}", "(text | trim).items()"),
        ("{% macro m(x) %}{{ x | items }}{% endmacro %}{{ m(text) }}", "x | items"),
        ("{{ raise_exception('no ' + text) }}", "raise_exception('no ' + text)"),
    ],
)
def test_a_crash_is_at_the_expression_that_fails(text: str, written: str) -> None:
    trace = followed(text)
    start, end = parse(text).span(trace.crash.node)
    assert text[start:end] == written


HOSTILE = [
    "{{ 'a' * 10 ** 10 }}",
    "{{ 'a' * 99999999 }}",
    "{{ [1] * 99999999 }}",
    "{% for a in range(1000) %}{% for b in range(1000) %}{% for c in range(1000) %}{% endfor %}{% endfor %}{% endfor %}",
    "{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}",
    "{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x == ns.x }}",
    "{% set ns = namespace(x='a') %}{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}{% endfor %}{{ ns.x }}",
    "{% set ns = namespace(x='a') %}{% for i in range(60) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}",
    "{% set ns = namespace(x='a') %}{% for i in range(60) %}{% set ns.x = ns.x | replace('a', 'aaaaaaaa') %}{% endfor %}",
    "{% set ns = namespace(x=7) %}{% for i in range(900) %}{% set ns.x = ns.x * ns.x %}{% endfor %}{{ ns.x }}",
    "{% set ns = namespace(x=[]) %}{% for i in range(900) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x | tojson }}",
    "{% set ns = namespace(x=[1]) %}{% for i in range(900) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
    "{% macro m(x) %}{{ m(x) }}{{ m(x) }}{% endmacro %}{{ m(1) }}",
    "{{ '%99999999d' | format(1) }}{{ '{:>99999999}'.format(1) }}",
    "{{ 'a' | center(999999999) }}",
    "{% set ns = namespace() %}{% set ns.x = ns %}{{ ns.x.x.x | string }}",
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ messages.__class__ }}{{ raise_exception.__globals__ }}{{ text.format_map }}",
    "{% for i in range(900) %}{{ (text * 200).split('o') | join('oo') | length }}{% endfor %}",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_any_template_ends_soon(text: str) -> None:
    start = time.process_time()
    trace = followed(text)
    assert time.process_time() - start < 2
    assert trace.text is None or len(trace.text) < 1000
    assert "class" not in (trace.text or "")


CASES = sorted(path for rule in RULES for path in (FIXTURES / "rules" / rule.code).glob("*/chat_template.jinja"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parts[-3]}-{path.parts[-2]}")
def test_following_and_rendering_agree(path: Path) -> None:
    """The two ways see the same behaviours, and the first says where."""
    text = path.read_text(encoding="utf-8")
    parsed = parse(text)
    observed = observe(parsed, special_tokens={}).behaviours
    found = suspect(parsed, {})
    assert found.keys() == observed.keys()
    assert found == places(parsed, observed, {})
    behaviour = path.parts[-3].removeprefix("CHAT_TEMPLATE_")
    assert (behaviour in found) == path.parts[-2].startswith("fires")


def test_every_behaviour_has_a_rule() -> None:
    assert [rule.code.removeprefix("CHAT_TEMPLATE_") for rule in RULES] == list(b.BEHAVIOURS)


def test_the_conversations_are_not_changed() -> None:
    before = json.dumps(CONVERSATIONS)
    suspect(parse("{% for m in messages %}{{ m.role }}{% set m = 1 %}{% endfor %}"), {})
    assert json.dumps(CONVERSATIONS) == before


@pytest.mark.parametrize(
    "build",
    [
        lambda n: "{{ text }}" * n,
        lambda n: "{% if text %}" * 20 + "{{ text ~ number }}" * n + "{% endif %}" * 20,
        lambda n: "{{ " + "text ~ " * n + "text }}",
        lambda n: "".join(f"{{% for m in messages %}}{i}{{% endfor %}}" for i in range(n)),
        lambda n: "".join(f"{{% if messages[1].tool_calls[0 * {i}] %}}{{% endif %}}" for i in range(n)),
        lambda n: "{% for i in range(" + str(n) + ") %}{{ loop.index }}{% endfor %}",
        lambda n: "{% set x = '" + "a" * 20 * n + "' %}{{ x | replace('a', 'bb') | upper | trim }}",
    ],
)
def test_time_grows_with_the_length(build: Any) -> None:
    def seconds(length: int) -> float:
        root = parse(build(length)).root
        start = time.process_time()
        follow(root, GIVEN)
        return time.process_time() - start

    assert min(seconds(800) for _ in range(2)) < 24 * max(min(seconds(100) for _ in range(3)), 0.001)
