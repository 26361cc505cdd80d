"""Templates against their language and the protocols that they teach: each mutation of a good one at its place."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from toolsurface_lint.checks import Checks
from toolsurface_lint.checks.contract import TEMPLATE
from toolsurface_lint.model.target import Target
from toolsurface_lint.readers.templates import read_template
from toolsurface_lint.source.text import SourceText
from toolsurface_lint.source.tree import TextTree

TEMPLATES = Path(__file__).resolve().parents[1] / "fixtures" / "templates"
EXAMPLE = "TEMPLATE_EXAMPLE_NONCONFORMING"
UNGUARDED = "TEMPLATE_SENTINEL_UNGUARDED"
MIXED = "TEMPLATE_MIXED_PROTOCOLS"
MISSING = "TEMPLATE_MISSING_RULE"
SYNTAX = "TEMPLATE_SYNTAX"
DEAD = "TEMPLATE_DEAD_CONDITION"


def found(text: str, **target: Any) -> list[tuple[str, tuple[int, int], str]]:
    """Code, span and message of everything that there is to say about a template."""
    template = read_template(TextTree(SourceText("a.harn.prompt", text)))
    checks = Checks(lambda rule: True).of(TEMPLATE)
    findings = [finding for check in checks for finding in check.run(template, Target(**target))]
    spans = [finding.place.span() for finding in findings]
    assert None not in spans
    return [
        (finding.rule.code, tuple(span or ()), finding.message) for finding, span in zip(findings, spans, strict=True)
    ]  # type: ignore[misc]


def codes(text: str, **target: Any) -> list[str]:
    return [code for code, _, _ in found(text, **target)]


def mutated(text: str, old: str, new: str) -> tuple[str, list[tuple[int, int]]]:
    """The text with one part replaced, and the places that `new` or `old` mark with guillemets.

    A mark in `old` names a place that stays as it is.
    """
    plain = re.sub("[«»]", "", old)
    assert text.count(plain) == 1, old
    start = text.index(plain)
    marked = new if "«" in new else old
    places = []
    position = 0
    opened = -1
    for letter in marked:
        if letter == "«":
            opened = position
        elif letter == "»":
            places.append((start + opened, start + position))
        else:
            position += 1
    return text.replace(plain, re.sub("[«»]", "", new)), places


def template(name: str) -> str:
    return (TEMPLATES / f"{name}.harn.prompt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["tagged", "fenced"])
@pytest.mark.parametrize("sentinel", [None, "", "##DONE##", "READY"])
def test_the_templates_are_clean_in_every_branch(name: str, sentinel: str | None) -> None:
    assert found(template(name), done_sentinel=sentinel) == []
    assert found(template(name).replace("\n", "\r\n"), done_sentinel=sentinel) == []


CALL = 'save_recipe({ name: "Soup", servings: 4, text: <<END\nBoil water.\n\nAdd salt.\nEND\n})\n'
NAME = "save_recipe({ name"
PROSE = "I write the recipe down."
ANSWER = "The recipe of the soup is saved."
TAGGED = {
    # Examples that are broken
    "shape without its closing tag": (
        "«<tool_call>»\nname({ key: value })\n</tool_call>\n",
        "<tool_call>\nname({ key: value })\n",
        [EXAMPLE],
    ),
    "shape without its parenthesis": ("name({ key: value })\n</", "name({ key: value }\n«»</", [EXAMPLE]),
    "shape with keyword arguments": ("name({ key: value })\n</", "«name(»key=value)\n</", [EXAMPLE]),
    "shape as JSON": ("name({ key: value })\n</", '«{ "name": "x", "args": {} }»\n</', [EXAMPLE]),
    "closing tag dropped": (f"«<assistant_prose>»{PROSE}</assistant_prose>", f"<assistant_prose>{PROSE}", [EXAMPLE]),
    "opening tag dropped": (f"<assistant_prose>{PROSE}</assistant_prose>", f"{PROSE}«</assistant_prose>»", [EXAMPLE]),
    "call block never closed": (f"«<tool_call>»\n{CALL}</tool_call>\n", f"<tool_call>\n{CALL}", [EXAMPLE]),
    "answer never closed": (f"«<user_response>»{ANSWER}</user_response>", f"<user_response>{ANSWER}", [EXAMPLE]),
    "answer never opened": (f"<user_response>{ANSWER}</user_response>", f"{ANSWER}«</user_response>»", [EXAMPLE]),
    "text between blocks": (
        "</assistant_prose>\n<tool_call>\nsave",
        "</assistant_prose>\n«Here it is:»\n<tool_call>\nsave",
        [EXAMPLE],
    ),
    "bracket missing": ("\nEND\n})", "\nEND\n«)»", [EXAMPLE]),
    "comma missing": ('"Soup", servings', '"Soup" «s»ervings', [EXAMPLE]),
    "heredoc never closed": (
        "«<<END»\nBoil water.\n\nAdd salt.\nEND\n",
        "<<END\nBoil water.\n\nAdd salt.\n",
        [EXAMPLE],
    ),
    "heredoc with a space": ("<<END\nBoil", "«<<» END\nBoil", [EXAMPLE]),
    "heredoc closed early": ("Boil water.\n\nAdd", "Boil water.\n\n«END» it, add", [EXAMPLE]),
    "label": (f"\n{NAME}", f"\n«tool_code:» {NAME}", [EXAMPLE]),
    "fence in the block": (f"\n{NAME}", f"\n«```»\n{NAME}", [EXAMPLE]),
    "text before the call": (f"\n{NAME}", f"\n«Saving it.»\n{NAME}", [EXAMPLE]),
    "opener twice": (f"<tool_call>\n{NAME}", f"<tool_call>«\n<tool_call>»\n{NAME}", [EXAMPLE]),
    "misspelt tag": (f"<tool_call>\n{NAME}", f"«<toolcall>»\n{NAME}", [EXAMPLE]),
    "tag in capitals": (f"<tool_call>\n{NAME}", f"«<TOOL_CALL>»\n{NAME}", [EXAMPLE]),
    "call after the answer": (
        "soup is saved.</user_response>\n",
        "soup is saved.</user_response>\n«<tool_call>»\nserve({})\n</tool_call>\n",
        [EXAMPLE],
    ),
    "done before the answer": (
        "<user_response>The recipe",
        "«<done>{{ done_sentinel }}</done>»\n<user_response>The recipe",
        [EXAMPLE, UNGUARDED],
    ),
    "another sentinel": (
        "<done>{{ done_sentinel }}</done>\n{{ end }}\n",
        "<done>«FINISHED»</done>\n{{ end }}\n",
        [EXAMPLE],
    ),
    # Directives
    "block never closed": (
        "«{{ if done_sentinel }}»<done>{{ done_sentinel }}</done>\n\n{{ end }}The",
        "{{ if done_sentinel }}<done>{{ done_sentinel }}</done>\n\nThe",
        [SYNTAX],
    ),
    "end too many": ("{{ end }}The runtime", "{{ end }}«{{ end }}»The runtime", [SYNTAX]),
    "braces not closed": (
        "«{{ if done_sentinel }}- `<done>{{ done_sentinel }}»",
        "«{{ if done_sentinel }- `<done>{{ done_sentinel }}»",
        [SYNTAX],
    ),
    "else with a condition": ("{{ else }}; that", "«{{ else if brief }}»; that", [DEAD]),
    "words behind end": ("{{ end }}The runtime", "«{{ end if }}»The runtime", [DEAD]),
    "unknown filter": ("- {{ rule }}", "- {{ rule | «capitalise» }}", ["TEMPLATE_UNKNOWN_FILTER"]),
    # The sentinel outside its guard
    "unguarded shape": (
        "{{ if done_sentinel }}<done>{{ done_sentinel }}</done>\n\n{{ end }}The",
        "«<done>{{ done_sentinel }}</done>»\n\nThe",
        [UNGUARDED],
    ),
    "unguarded rule": (
        "{{ end }}- No call",
        "{{ end }}- «<done>{{ done_sentinel }}</done>» is last.\n- No call",
        [UNGUARDED],
    ),
    "unguarded name": (
        "{{ end }}- No call",
        "{{ end }}- The sentinel is «{{ done_sentinel }}».\n- No call",
        [UNGUARDED],
    ),
    "unguarded literal": ("{{ end }}- No call", "{{ end }}- The sentinel is «##DONE##».\n- No call", [UNGUARDED]),
    "sentinel in the other branch": ("{{ else }}; that", "{{ else }} and «<done>»; that", [UNGUARDED]),
    # Another call syntax
    "tool block": (
        "A last response:",
        'Or a block:\n\n«```tool»\n{ "name": "serve", "args": {} }\n```\n\nA last response:',
        [MIXED],
    ),
    "tool block in words": ("- Keep `<a", "- You may use a ```` «```tool» ```` block.\n- Keep `<a", [MIXED]),
    "JSON in words": ("- Keep `<a", '- Or write «{"name": "x", "arguments":» {}}.\n- Keep `<a', [MIXED]),
    "markup": ("- Keep `<a", '- Or write `«<invoke» name="x">`.\n- Keep `<a', [MIXED]),
}
RULES = {
    "outside": "- Write nothing outside the blocks. Recipes, lists and thoughts are stray content there.\n",
    "nested": "- Do not open a `<tool_call>` inside another one, and do not repeat its tag: nested tags are dropped.\n",
    "brief": "- Keep `<assistant_prose>` to one short sentence.\n",
    "label": "- Put no label in front of a call, and no Markdown fence around it.\n",
}


@pytest.mark.parametrize("name", TAGGED)
def test_a_mutation_of_the_tagged_template_is_found_at_its_place(name: str) -> None:
    old, new, expected = TAGGED[name]
    text, places = mutated(template("tagged"), old, new)
    reported = found(text)
    assert [code for code, _, _ in reported] == expected
    assert places
    assert {span for _, span, _ in reported} == set(places)


@pytest.mark.parametrize("name", RULES)
def test_a_dropped_rule_is_named_where_the_protocol_is_shown(name: str) -> None:
    text, _ = mutated(template("tagged"), RULES[name], "")
    ((code, span, message), *rest) = found(text)
    assert (code, rest) == (MISSING, [])
    assert span == (text.index("<tool_call>"), text.index("<tool_call>") + len("<tool_call>"))
    assert message.startswith("the template never teaches that ")


ARGUMENTS = '{ "name": "Soup", "text": "Boil water.\\n\\nAdd salt." }'
OBJECT = f'{{ "name": "save_recipe", "args": {ARGUMENTS} }}'
FENCED = {
    "shape with another info string": ('```tool\n{ "name": "<', '«```json»\n{ "name": "<', [EXAMPLE]),
    "example with another info string": ('```tool\n{ "name": "s', '«```python»\n{ "name": "s', [EXAMPLE]),
    "example without an info string": ('```tool\n{ "name": "s', '«```»\n{ "name": "s', [EXAMPLE]),
    "example in tildes": ('```tool\n{ "name": "s', '«~~~tool»\n{ "name": "s', [EXAMPLE]),
    "shape never closed": (
        '«```tool»\n{ "name": "<tool>", "args": { ... } }\n```\n',
        '```tool\n{ "name": "<tool>", "args": { ... } }\n',
        [EXAMPLE],
    ),
    "example never closed": (f"«```tool»\n{OBJECT}\n```\n", f"```tool\n{OBJECT}\n", [EXAMPLE]),
    "two objects": ("{ ... } }\n", '{ ... } }\n«{ "name": "b" }»\n', [EXAMPLE]),
    "another key": (f'"args": {ARGUMENTS}', f'"arguments": «{ARGUMENTS}»', [EXAMPLE]),
    "another key in the shape": ('"args": { ... }', '"arguments": «{ ... }»', [EXAMPLE]),
    "arguments as text": ('"args": { "name": "Soup", ', '"args": «"Soup"», "more": { ', [EXAMPLE]),
    "no name": (OBJECT, f'«{{ "title": "save_recipe", "args": {ARGUMENTS} }}»', [EXAMPLE]),
    "single quotes": ('"name": "Soup"', "«'»name': \"Soup\"", [EXAMPLE]),
    "guard dropped": (
        "{{ if done_sentinel }}\nAnd in the end:\n\nThe recipe of the soup is saved. {{ done_sentinel }}\n{{ end }}",
        "\nAnd in the end:\n\nThe recipe of the soup is saved. «{{ done_sentinel }}»\n",
        [UNGUARDED],
    ),
    "sentinel in a block": (
        "And in the end:\n",
        "And in the end:\n\n```tool\n«{{ done_sentinel }}»\n```\n",
        [EXAMPLE],
    ),
    "sentinel in the other branch": (
        "answer in plain text.\n",
        "answer in plain text with «{{ done_sentinel }}».\n",
        [UNGUARDED],
    ),
    "tagged call": (
        "An example:\n",
        'Or:\n\n«<tool_call>»\nserve({ dish: "Soup" })\n</tool_call>\n\nAn example:\n',
        [MIXED],
    ),
    "bare call": ("An example:\n", 'Or:\n\n«serve({ dish:» "Soup" })\n\nAn example:\n', [MIXED]),
}


@pytest.mark.parametrize("name", FENCED)
def test_a_mutation_of_the_fenced_template_is_found_at_its_place(name: str) -> None:
    old, new, expected = FENCED[name]
    text, places = mutated(template("fenced"), old, new)
    reported = found(text)
    assert [code for code, _, _ in reported] == expected
    assert places
    assert {span for _, span, _ in reported} == set(places)


@pytest.mark.parametrize(
    ("old", "what"),
    [
        (
            " No other info string opens a call, neither\n  ```` ```json ```` nor ```` ```python ````",
            " that no other info string opens a call",
        ),
        (" There is one object in a block, and nothing after it.", " that nothing follows the object of a block"),
        (" Several calls take several blocks.", " that each call has a block of its own"),
        (
            "- `name` is the tool's name, and `args` is an object; a tool without arguments needs none.\n",
            " what `name` and `args` hold",
        ),
        ("- Text is a JSON string. Do not write a heredoc (`<<END`) there.\n", " that there are no heredocs in JSON"),
        ("- Narration is plain text between the blocks.\n", " where narration belongs"),
        (
            " exactly once, outside of any block",
            ", where `done_sentinel` is true, that the sentinel occurs exactly once in plain text",
        ),
    ],
)
def test_a_dropped_rule_of_the_fenced_template_is_named(old: str, what: str) -> None:
    text, _ = mutated(template("fenced"), old, "")
    assert [(code, message) for code, _, message in found(text)] == [(MISSING, f"the template never teaches{what}")]


def test_a_rule_that_only_one_branch_teaches_is_missing_in_the_others() -> None:
    rule = RULES["brief"]
    text = template("tagged").replace(rule, f"{{{{ if strict }}}}{rule}{{{{ end }}}}")
    ((_, _, message),) = found(text)
    assert message == "the template never teaches, where `strict` is false, that narration is brief"


@pytest.mark.parametrize(
    "addition",
    [
        "\nDo not write:\n\n<tool_call>\n{}\n</tool_call>\n",
        "\nNever open a ```` ```tool ```` block.\n",
        "\nThe tag <tool_call> opens a call.\n",
        "\nThere is no `<done>` without a sentinel.\n",
        '\n```\n<tool_call>\nserve({ dish: "Soup" })\n</tool_call>\n```\n',
        "\n<tool_call>\n<name>({ <key>: <value>, ... })\n</tool_call>\n",
        "\n<tool_call>\nname(...)\n</tool_call>\n",
        '\nTools look like `{"name": "serve", "parameters": {}}`.\n',
    ],
)
def test_what_a_good_template_may_say(addition: str) -> None:
    assert found(template("tagged") + addition) == []


@pytest.mark.parametrize(
    "text",
    [
        "You are {{ name }}.\n",
        'Call a tool:\n\n<tool_call>\n{"name": "x", "arguments": {}}\n</tool_call>\n',
        '```json\n{ "name": "x", "args": {} }\n```\n',
        "Use the <tool_call> tag.\n",
        '{{ if a }}{{ b.c[0] | default: "x" }}{{ end }}\n',
    ],
)
def test_a_template_that_teaches_no_protocol_of_ours_is_not_held_to_one(text: str) -> None:
    assert found(text) == []
    assert found(text, protocol="tagged") == []


def test_the_configured_sentinel_is_the_one_that_counts() -> None:
    text = template("tagged").replace(
        "<done>{{ done_sentinel }}</done>\n{{ end }}\n", "<done>READY</done>\n{{ end }}\n"
    )
    assert codes(text) == [EXAMPLE]
    assert codes(text, done_sentinel="READY") == []


def test_without_a_variable_the_settings_say_whether_there_is_a_sentinel() -> None:
    text = template("tagged")
    for directive in ("{{ if done_sentinel }}", "{{ end }}", "{{ else }}; that ends the run"):
        text = text.replace(directive, "")
    text = text.replace("{{ for rule in house_rules }}- {{ rule }}\n", "").replace("{{ done_sentinel }}", "##DONE##")
    assert codes(text) == []
    assert set(codes(text, done_sentinel="")) == {UNGUARDED}
    assert codes(text, done_sentinel="##DONE##") == []
    assert set(codes(text, done_sentinel="READY")) == {EXAMPLE}


@pytest.mark.parametrize(
    ("text", "declared", "expected"),
    [
        ("{{ a }} {{ b }} {{ a }}", ("b",), ["a", "a"]),
        ("{{ a }}", None, []),
        ("{{ a }}", (), ["a"]),
        ("{{ for a in b }}{{ a }}{{ loop.index }}{{ llm.model }}{{ end }}", ("b",), []),
    ],
)
def test_unknown_variables(text: str, declared: tuple[str, ...] | None, expected: list[str]) -> None:
    reported = found(text, template_variables=declared)
    assert {code for code, _, _ in reported} <= {"TEMPLATE_UNKNOWN_VARIABLE"}
    assert [text[slice(*span)] for _, span, _ in reported] == expected
