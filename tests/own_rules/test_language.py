"""What a rule of the settings finds, where, and in which words; and what is wrong with one, at its place."""

# ruff: noqa: E501 - a case on each line

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolsurface_lint import SettingsError, check_paths
from toolsurface_lint.own_rules.language import TESTS
from toolsurface_lint.project.settings.loading import load_settings

TOOLS = {
    "tools": [
        {
            "name": "get_user",
            "description": "Gets a user. \U0001f600 TODO: say how. TODO",
            "annotations": {"title": "User"},
            "inputSchema": {
                "type": "object",
                "properties": {"userId": {"type": "string", "enum": ["a", "b", "a"]}, "limit": {"type": "integer"}},
                "required": ["userId"],
            },
        },
        {
            "name": "fetchThing",
            "description": "fetches",
            "annotations": {"title": "User"},
            "inputSchema": {"type": "object"},
        },
    ]
}


def rule(
    asserts: str, subject: str = "tool", where: str = "{}", message: str = "{value}|{problem}", more: str = ""
) -> str:
    head = f'[[rule]]\ncode = "ACME_X"\nsubject = "{subject}"\nwhere = {where}\nassert = {asserts}\n'
    return f"{head}message = {json.dumps(message)}\n{more}"


def find(folder: Path, settings: str, files: dict[str, Any] | None = None) -> list[tuple[str, str]]:
    """The text at each finding of ACME_X, and its message."""
    for path, content in (files or {"tools.json": TOOLS}).items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            content if isinstance(content, str) else json.dumps(content, ensure_ascii=False), encoding="utf-8"
        )
    (folder / "toolsurface.toml").write_text(settings, encoding="utf-8")
    report = check_paths([str(folder)], select=["ACME", "INPUT"])
    found = []
    for each in report.diagnostics:
        assert each.location is not None
        text = Path(each.location.path).read_text(encoding="utf-8")
        found.append((text[slice(*each.location.span)], each.message))
    return found


@pytest.mark.parametrize(
    ("asserts", "found"),
    [
        ('{ name = { pattern = "^get_" } }', [('"fetchThing"', "fetchThing|does not match")]),
        ('{ name = { casing = "snake_case" } }', [('"fetchThing"', "fetchThing|is not in snake_case")]),
        # After a character beyond the first plane: offsets are code points.
        (
            '{ description = { not-pattern = "TODO:?" } }',
            [("TODO:", "Gets a user. 😀 TODO: say how. TODO|holds what is not allowed"), ("TODO", "Gets a user. 😀 TODO: say how. TODO|holds what is not allowed")],
        ),
        ('{ name = { not-pattern = "get" } }', [('"get_user"', "get_user|holds what is not allowed")]),
        ('{ name = ["get_user"] }', [('"fetchThing"', "fetchThing|is not one of the allowed values")]),
        ('{ name = { not-one-of = ["get_user"] } }', [('"get_user"', "get_user|is a value that is not allowed")]),
        ('{ description = { length = { min = 10 } } }', [('"fetches"', "fetches|has 7 characters")]),
        ('{ parameters = { count = { max = 1 } } }', [('"get_user"', "userId, limit|has 2 items")]),
        ('{ "/annotations/audience" = { required = true } }', [('"get_user"', "|is missing"), ('"fetchThing"', "|is missing")]),
        ('{ "/annotations/title" = { required = false } }', [('"title"', "User|must not be there")] * 2),
        (
            '{ "/inputSchema" = { schema = { properties = { properties = { maxProperties = 1 } } } } }',
            [('{"userId": {"type": "string", "enum": ["a", "b", "a"]}, "limit": {"type": "integer"}}', "an object|breaks its schema")],
        ),
        ('{ "/annotations/title" = { defined = "declared" } }', [('"User"', "User|is not the name of a declared tool")] * 2),
        ('{ "/annotations/title" = { unique = true } }', [('"User"', "User|is not the only one")]),
        ('{ "/inputSchema/properties/userId/enum" = { unique = true } }', [('"a"', "a|is there twice")]),
        # Nothing but `required` speaks of what is not there; a value of another type passes no test of texts.
        ('{ "/title" = { pattern = "x", length = { min = 3 }, not-one-of = ["x"] } }', []),
        ('{ "/annotations" = { pattern = "x" } }', [('{"title": "User"}', "an object|is not a text")] * 2),
    ],
)  # fmt: skip
def test_each_test(tmp_path: Path, asserts: str, found: list[tuple[str, str]]) -> None:
    assert find(tmp_path, rule(asserts)) == found


@pytest.mark.parametrize(
    ("where", "names"),
    [
        ('{ name = { pattern = "^get" } }', ["get_user"]),
        ('{ name = { not-pattern = "^get" } }', ["fetchThing"]),
        ('{ parameters = "limit" }', ["get_user"]),
        ('{ parameters = { not-one-of = ["limit"] } }', ["fetchThing"]),
        ('{ "/title" = { required = false }, format = "mcp" }', ["get_user", "fetchThing"]),
        ('{ "/title" = "x" }', []),
        ('{ surface = { inferred = true }, in-program = false }', ["get_user", "fetchThing"]),
        ('{ name = ["get_user", 1, true] }', ["get_user"]),
        ('{ "/inputSchema" = { schema = { required = ["properties"] } } }', ["get_user"]),
    ],
)  # fmt: skip
def test_where(tmp_path: Path, where: str, names: list[str]) -> None:
    settings = rule('{ name = { pattern = "^$" } }', where=where, message="{name}")
    assert [message for _, message in find(tmp_path, settings)] == names


def test_parameters_at_any_depth(tmp_path: Path) -> None:
    nested = {"type": "object", "properties": {"since": {"type": "string", "description": "A day."}}}
    schema = {
        "type": "object",
        "properties": {"filter": {**nested, "$defs": {"D": {"description": "d"}}}, "x": {"$ref": "#/$defs/Y"}},
        "$defs": {"Y": {"description": "y"}},
    }
    tool = {"name": "find_notes", "description": "Finds.", "inputSchema": schema}
    settings = rule("{ description = { required = true } }", "parameter", message="{path} {depth} {tool.name}")
    assert find(tmp_path, settings, {"tools.json": [tool]}) == [('"filter"', "filter 0 find_notes")]


CHAT = {
    "tools": [{"type": "function", "function": {"name": "send", "description": "Sends.", "parameters": {"type": "object"}}}],
    "messages": [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function", "function": {"name": "send", "arguments": '{"to": "a\\u00e9", "password": "x"}'}}]},
        {"role": "tool", "tool_call_id": "1", "content": "secret: 1"},
        {"role": "assistant", "content": "Done."},
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        (rule('{ arguments = { not-one-of = ["password"] } }', "call"), [('\\"password\\"', "password|is a value that is not allowed")]),
        (rule('{ "/to" = { pattern = "^[a-z]$" } }', "call"), [('\\"a\\\\u00e9\\"', "aé|does not match")]),
        (rule("{ tool = { deferred = true } }", "call", message="{name} {tool.format}"), [('"send"', "send openai")]),
        (rule('{ text = { not-pattern = "secret" } }', "result"), [("1", "secret: 1|holds what is not allowed")]),
    ],
)  # fmt: skip
def test_calls_and_results(tmp_path: Path, settings: str, found: list[tuple[str, str]]) -> None:
    files = {"chats/one.json": CHAT, "chats/many.jsonl": f"{json.dumps(CHAT)}\n{json.dumps(CHAT)}\n"}
    # A line of many is followed for such a rule, however plain it is.
    assert sorted(find(tmp_path, settings, files)) == sorted(found * 3)


@pytest.mark.parametrize(
    ("settings", "files", "found"),
    [
        (
            rule('{ text = { not-pattern = "(?i)kindly" } }', "prompt"),
            {"prompts/system.md": "Do it.\nKindly do it.\n"},
            [("Kindly", "Do it. Kindly do it.|holds what is not allowed")],
        ),
        (
            rule("{ declared = true }", "reference", message="{name}"),
            {"prompts/system.md": "Call get_user({}) or get_users({}).\n", "tools.json": TOOLS},
            [("get_users", "get_users")],
        ),
        (
            rule('{ pattern = { not-pattern = "^\\\\*$" } }', "policy-entry", message="{list} {pattern}"),
            {"policy.json": {"tools": ["*", "get_user"], "side_effect_level": "none"}, "tools.json": TOOLS},
            [('"*"', "tools *")],
        ),
        (
            rule('{ specifier = { not-pattern = "^git push" } }', "permission", '{ action = "allow" }', "{text} {client}"),
            {".claude/settings.json": {"permissions": {"allow": ["Bash(git push:*)", "Read"], "deny": ["Bash(git push -f)"]}}},
            [('"Bash(git push:*)"', "Bash(git push:*) claude-code")],
        ),
        (
            rule('{ "/license" = { required = true } }', "client-file", '{ kind = "skill" }', "{name}"),
            {"skills/a/SKILL.md": "---\nname: a\ndescription: Does it.\n---\nGo.\n"},
            [("name: a\ndescription: Does it.\n", "a")],
        ),
        (rule("{ tools = { count = { max = 1 } } }", "surface", message="{problem}"), {"tools.json": TOOLS}, [('"get_user"', "has 2 items")]),
    ],
)  # fmt: skip
def test_other_subjects(tmp_path: Path, settings: str, files: dict[str, Any], found: list[tuple[str, str]]) -> None:
    assert find(tmp_path, settings, files) == found


def test_a_text_too_long_for_its_pattern_is_said_to_be_undecided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolsurface_lint.own_rules.patterns._STEPS", 60)
    settings = rule('{ description = { pattern = "^Gets" } }', where='{ name = "get_user" }')
    message = "`ACME_X` is not decided here: a text is too long for the size of its pattern"
    assert find(tmp_path, settings) == [('"get_user"', message)]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        # Each step asks both ways of the next one.
        (
            {
                "$ref": "#/$defs/a0",
                "$defs": {
                    **{f"a{i}": {"anyOf": [{"$ref": f"#/$defs/a{i + 1}"}] * 2} for i in range(30)},
                    "a30": {"type": "array"},
                },
            },
            {},
        ),
        ({"pattern": "a*b$"}, "a" * 10_000),
        ({"patternProperties": {"a*b$": {"type": "string"}}}, {"a" * 10_000: 1}),
    ],
)
def test_what_a_schema_does_not_decide_is_said(tmp_path: Path, schema: dict[str, Any], value: Any) -> None:
    settings = rule("{ '/value' = { schema = " + _toml(schema) + " } }")
    files = {
        "tools.json": [{"name": "get_user", "description": "x", "inputSchema": {"type": "object"}, "value": value}]
    }
    message = "`ACME_X` is not decided here: its schema takes too many steps, or a text is too long for a pattern of it"
    assert find(tmp_path, settings, files) == [('"get_user"', message)]


def _toml(value: Any) -> str:
    """Plain data as an inline value."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_toml(member)}" for key, member in value.items()) + " }"
    return "[" + ", ".join(map(_toml, value)) + "]" if isinstance(value, list) else json.dumps(value)


def wrong(folder: Path, text: str) -> str:
    """What is wrong with settings, after the text from the place to the end of the line."""
    file = folder / "toolsurface.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as raised:
        load_settings([str(folder)], str(file))
    line = text.split("\n")[raised.value.line - 1]
    return f"{line[raised.value.column - 1 :]} -> {raised.value.message}"


BASE = '[[rule]]\ncode = "ACME_X"\nsubject = "tool"\nmessage = "m"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BASE + "assert = { name = { pattern = 'é(?=b)' } }", "(?=b)' } } -> patterns have no lookahead and no lookbehind: they are searched for in linear time"),
        (BASE + 'assert = { name = { pattern = "\\u00e9(a)\\\\1" } }', '\\\\1" } } -> patterns have no backreferences: they are searched for in linear time'),
        (BASE + "assert = { name = { pattern = '((a{50}){50}){50}' } }", "{50}){50}){50}' } } -> not a regular expression of RE2: invalid repetition size, `{50}`"),
        (BASE + "assert = { name = { pattern = '(a{90}){19}' } }", "{19}' } } -> not a regular expression of RE2: invalid repetition size, `{19}`"),
        (BASE + "assert = { nme = 'a' }", "nme = 'a' } -> a `tool` has no field `nme`, did you mean `name`?"),
        (BASE + "assert = { name = { patern = 'a' } }", "patern = 'a' } } -> unknown test `patern`, did you mean `pattern`?"),
        (BASE + "assert = {}", "{} -> `assert` must test a field"),
        (BASE + "assert = { name = {} }", "{} } -> `name` has no test"),
        (BASE + "assert = { name = { count = { max = 1 } } }", "count = { max = 1 } } } -> `count` is for lists: `length` is the number of characters"),
        (BASE + "assert = { name = { length = { min = 2, max = 1 } } }", "2, max = 1 } } } -> `min` is greater than `max`"),
        (BASE + "assert = { name = { one-of = [1979-05-27, [1]] } }", "[1]] } } -> each value must be a text, a number or a boolean"),
        (BASE + "assert = { '/a' = { schema = { type = 'text' } } }", "'text' } } } -> this is not a JSON Schema"),
        (BASE + "assert = { '/a' = { schema = { '$ref' = 'https://a.example/b' } } }", "'https://a.example/b' } } } -> `https://a.example/b` leads nowhere in this schema"),
        (BASE + "assert = { '/a' = { schema = { '$ref' = '#/$defs/a', '$defs' = { a = { anyOf = [{ '$ref' = '#' }] } } } } }", "{ '$ref' = '#/$defs/a', '$defs' = { a = { anyOf = [{ '$ref' = '#' }] } } } } } -> its references lead back to themselves without a step into the value"),
        (BASE + "assert = { '/a' = { schema = { items = { pattern = '^(a+)+$' } } } }", "'^(a+)+$' } } } } -> in a schema, only simple patterns are run, and this is none: use the test `pattern`"),
        (BASE + "assert = { '/a' = { schema = { patternProperties = { '(a|b)*' = true } } } }", "'(a|b)*' = true } } } } -> in a schema, only simple patterns are run, and this is none: use the test `pattern`"),
        (BASE.replace('"m"', '"é {nme}"') + "assert = { name = 'a' }", 'nme}" -> a `tool` has no field `nme`, did you mean `name`?'),
        (BASE.replace('"m"', '"a } b"') + "assert = { name = 'a' }", '} b" -> write `}}` for a brace, or a field between two of them'),
        (BASE.replace('"m"', '"{name.__class__}"') + "assert = { name = 'a' }", 'name.__class__}" -> a `tool` has no field `name.__class__`'),
        (BASE.replace("ACME_X", "TOOL_X") + "assert = { name = 'a' }", 'TOOL_X" -> codes that begin with `TOOL_` are those of built-in rules: choose another prefix'),
        (BASE.replace("ACME_X", "acme") + "assert = { name = 'a' }", '"acme" -> `code` must be a prefix of one\'s own and a name, in capital letters and digits, with underscores between the words: `ACME_TOOL_VERB`'),
        (BASE.replace('"tool"', '"tols"') + "assert = { name = 'a' }", '"tols" -> `subject` must be "tool", "parameter", "call", "result", "prompt", "reference", "policy-entry", "permission", "client-file" or "surface", did you mean `tool`?'),
        (BASE + "assert = { name = 'a' }\nfix = { replace = 'a', with = 'b' }", "{ replace = 'a', with = 'b' } -> `name` is a name that others may refer to: a rule cannot rewrite it"),
        (BASE + "assert = { description = 'a' }\nfix = { replace = '(a)', with = 'é\\2' }", "\\2' } -> `replace` has no such group"),
        (BASE + "assert = { name = 'a' }\nurl = 'javascript:alert(1)'", "'javascript:alert(1)' -> `url` must be an address that begins with https://"),
        (BASE + "assert = { name = 'a' }\n[[rule.examples.fires]]\n'../a' = 'x'", "'../a' = 'x' -> write a relative path, such as `tools.json`"),
        (BASE + "assert = { name = 'a' }\n" + BASE + "assert = { name = 'a' }", '"ACME_X" -> a second rule `ACME_X`'),
        (BASE + "assert = { name = 'a' }\n[severity]\nACME_Y = 'off'", "ACME_Y = 'off' -> unknown code `ACME_Y`, did you mean `ACME_X`?"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_rule(tmp_path: Path, text: str, said: str) -> None:
    assert wrong(tmp_path, text) == said


def test_settings_speak_of_own_codes_wherever_they_stand(tmp_path: Path) -> None:
    head = 'select = ["ACME"]\nignore = ["ACME_Y"]\nseverity = { ACME_X = "error" }\n'
    other = rule('{ name = "a" }').replace("ACME_X", "ACME_Y")
    settings = head + rule('{ name = { pattern = "^get" } }') + other
    find(tmp_path, settings)
    report = check_paths([str(tmp_path)])
    assert [(each.code, each.severity) for each in report.diagnostics] == [("ACME_X", "error")]


def test_the_engine_is_loaded_for_patterns_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "re2", None)
    assert find(tmp_path, rule('{ name = { casing = "snake_case" } }')) == [
        ('"fetchThing"', "fetchThing|is not in snake_case")
    ]
    text = BASE + "assert = { name = { pattern = 'never seen before' } }"
    said = "never seen before' } } -> patterns need the engine RE2: pip install 'toolsurface-lint[rules]'"
    assert wrong(tmp_path, text) == said


def test_every_test_is_tried_here() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    assert [name for name in TESTS if f"{name} = " not in text] == []
