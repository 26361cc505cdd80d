"""Completion and hover in settings files: through the protocol, and against the schema that they come from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lsprotocol import types

import toolsurface_lint
from toolsurface_lint.checks.index import RULES
from toolsurface_lint.project.settings import KINDS
from toolsurface_lint.server.settings_files import offers
from toolsurface_lint.source.text import LineIndex

SCHEMA = json.loads(Path(toolsurface_lint.__file__).with_name("settings.schema.json").read_text("utf-8"))


def offered(text: str, name: str = "toolsurface.toml") -> list[str] | None:
    """The labels of what is offered at the mark `|`."""
    found = offers(f"/project/{name}", text.replace("|", "", 1), text.index("|"))
    return None if found is None else [item.label for item in found.items]


# What is there, what is chosen, and what is there then.
ACCEPTED = [
    ("|", "fail-on", "fail-on = "),
    ("fail|", "fail-on", "fail-on = "),
    ("'|'", "fail-on", "fail-on = "),
    ("f| = 'error'\n", "fail-on", "fail-on = 'error'\n"),
    ("|", "[[surface]]", "[[surface]]"),
    ("[[|]]\n", "[[surface]]", "[[surface]]\n"),
    ("[|", "[severity]", "[severity]"),
    (
        '[[surface]]\nname = "a"\n[[surface.|',
        "[[surface.call-rules]]",
        '[[surface]]\nname = "a"\n[[surface.call-rules]]',
    ),
    ('[[surface]]\nname = "a"\n|\n', "prompts", '[[surface]]\nname = "a"\nprompts = \n'),
    ("fail-on = |\n", "warning", 'fail-on = "warning"\n'),
    ('fail-on = "|"\n', "warning", 'fail-on = "warning"\n'),
    ("fail-on = 'wa|'\n", "warning", "fail-on = 'warning'\n"),
    ('fail-on = "wa|\nmodel = "m"\n', "warning", 'fail-on = "warning\nmodel = "m"\n'),
    ("select = [|]\n", "CALL_DENIED", 'select = ["CALL_DENIED"]\n'),
    (
        'select = [\n  "CALL_",\n  "TOO|\n[kinds]\n',
        "TOOL_NAME_VAGUE",
        'select = [\n  "CALL_",\n  "TOOL_NAME_VAGUE\n[kinds]\n',
    ),
    ("ignore = |", "TOOL_SURFACE", 'ignore = "TOOL_SURFACE"'),
    ("[severity]\n|", "CALL_DENIED", "[severity]\nCALL_DENIED = "),
    ("severity.|", "CALL_DENIED", "severity.CALL_DENIED = "),
    ("severity = {|}", "CALL_DENIED", "severity = {CALL_DENIED = }"),
    ("[severity]\nCALL_DENIED = |\n", "off", '[severity]\nCALL_DENIED = "off"\n'),
    ("# 𝒜\n[kinds]\n'*𝒜.txt' = '|'\n", "chat-template", "# 𝒜\n[kinds]\n'*𝒜.txt' = 'chat-template'\n"),
    ('provider = ["openai", "|"]', "gemini", 'provider = ["openai", "gemini"]'),
    ("tool-search = |", "true", "tool-search = true"),
    ("max-file-size = |", "67108864", "max-file-size = 67108864"),
    ("[[call-rules]]\n|", "failure-when", "[[call-rules]]\nfailure-when = "),
    ("call-rules = [{|", "requires", "call-rules = [{requires = "),
    ("[client-versions]\n|", "claude-code", "[client-versions]\nclaude-code = "),
]
OURS = "tool.toolsurface-lint"
SHARED = [
    ("[tool.|]\n", f"[{OURS}]", f"[{OURS}]\n"),
    (f"[{OURS}]\n|", "fail-on", f"[{OURS}]\nfail-on = "),
    (f"[{OURS}]\n[[tool.|", f"[[{OURS}.surface]]", f"[{OURS}]\n[[{OURS}.surface]]"),
    (f"[{OURS}.severity]\nCALL_DENIED = |", "off", f'[{OURS}.severity]\nCALL_DENIED = "off"'),
]


def applied(text: str, edit: types.TextEdit) -> str:
    """A text after an edit whose columns are UTF-16 units."""
    units = text.encode("utf-16-le")
    starts = [len(text[:start].encode("utf-16-le")) for start in LineIndex(text).starts]
    start, end = (starts[at.line] + 2 * at.character for at in (edit.range.start, edit.range.end))
    return (units[:start] + edit.new_text.encode("utf-16-le") + units[end:]).decode("utf-16-le")


def position(text: str, offset: int) -> types.Position:
    line = text.count("\n", 0, offset)
    before = text[:offset].rpartition("\n")[2]
    return types.Position(line, len(before.encode("utf-16-le")) // 2)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "cases"), [("toolsurface.toml", ACCEPTED), ("pyproject.toml", SHARED)])
def test_what_is_chosen_is_written(talk, name, cases):
    async def conversation(session):
        session.write({name: ""})
        session.open(name)
        for marked, label, expected in cases:
            text = marked.replace("|", "", 1)
            session.rewrite(name, text)
            at = position(text, marked.index("|"))
            params = types.CompletionParams(session.document(name), at)
            found = await session.client.text_document_completion_async(params)
            (item,) = [item for item in found.items if item.label == label]
            assert applied(text, item.text_edit) == expected, marked
            assert item.documentation is None or isinstance(item.documentation, str)

    talk(conversation)


@pytest.mark.slow
def test_what_is_offered_is_explained(talk, able):
    async def conversation(session):
        session.open("toolsurface.toml", "\nignore = ['']\n")
        found = {}
        for line, character in ((0, 0), (1, 11)):
            at = types.CompletionParams(**session.at("toolsurface.toml", line, character))
            completed = await session.client.text_document_completion_async(at)
            assert not completed.is_incomplete
            found.update((item.label, item.documentation) for item in completed.items)
        assert found["fail-on"].kind == types.MarkupKind.Markdown
        assert "The severity from which on a run fails." in found["fail-on"].value
        assert "A tool's name says nothing about its effects." in found["TOOL_NAME_VAGUE"].value
        assert "`TOOL_NAME_RESERVED`" in found["TOOL_NAME"].value

    with_markdown = able()
    with_markdown.text_document.completion = types.CompletionClientCapabilities(
        completion_item=types.ClientCompletionItemOptions(documentation_format=[types.MarkupKind.Markdown])
    )
    talk(conversation, with_markdown)


HOVERS = [
    ("fail|-on = 'error'", '**`fail-on`** · `error`, `warning`, `info`, `never` · default `"error"`', (0, 7)),
    ("[[surface]]\nmany-tools| = 3", "**`many-tools`** · number\n\nHow many tools an agent may have", (12, 22)),
    ("[sev|erity]", "**`severity`** · table\n\nAnother severity for a code", (1, 9)),
    (
        "[severity]\nTOOL_NAME_V|AGUE = 'off'",
        "**`TOOL_NAME_VAGUE`** · `info` · off by default\n\nA tool's name says",
        (11, 26),
    ),
    ("ignore = ['TOOL_NAME_V|AGUE']", "**`TOOL_NAME_VAGUE`** · `info`", (10, 27)),
    ("ignore = ['TOOL_NAME|']", "- [`TOOL_NAME_INVALID`](https://", (10, 21)),
    ("provider = ['az|ure']", "**`azure`** · Azure OpenAI", (12, 19)),
]


@pytest.mark.slow
def test_hover(talk):
    async def conversation(session):
        name = "toolsurface.toml"
        session.open(name)
        for marked, expected, (start, end) in HOVERS:
            text = marked.replace("|", "", 1)
            session.rewrite(name, text)
            params = types.HoverParams(session.document(name), position(text, marked.index("|")))
            found = await session.client.text_document_hover_async(params)
            assert found.contents.value.startswith(expected)
            assert (found.range.start, found.range.end) == (position(text, start), position(text, end))
        assert found.contents.kind == types.MarkupKind.Markdown
        page = "https://github.com/toolsurface-lint/toolsurface-lint/blob/main/rules/TOOL_NAME_VAGUE.md"
        session.rewrite(name, "ignore = 'TOOL_NAME_VAGUE'")
        params = types.HoverParams(session.document(name), types.Position(0, 12))
        assert page in (await session.client.text_document_hover_async(params)).contents.value
        for text in ("# fail-on", "unknown = 1", "model = 'error'", "fail-on = 'error'"):
            session.rewrite(name, text)
            params = types.HoverParams(session.document(name), types.Position(0, len(text) - 3))
            assert await session.client.text_document_hover_async(params) is None

    talk(conversation)


def test_every_key_of_the_schema_is_offered():
    settings = SCHEMA["properties"]
    assert {label.strip("[]") for label in offered("|")} == settings.keys()
    inside = {
        key: SCHEMA["definitions"][setting["items"]["$ref"].rpartition("/")[2]]["properties"].keys()
        for key, setting in settings.items()
        if "$ref" in setting.get("items", {})
    }
    assert "surface" in inside
    for key, names in inside.items():
        assert names <= {label.strip("[]").removeprefix(f"{key}.") for label in offered(f"[[{key}]]\n|")}


@pytest.mark.parametrize(
    ("text", "choices"),
    [
        ("fail-on = '|'", SCHEMA["properties"]["fail-on"]["enum"]),
        ("[kinds]\na = '|'", list(KINDS)),
        ("[severity]\n|", list(RULES)),
        ("ignore = ['|']", ["ALL", *RULES]),
    ],
)
def test_choices(text, choices):
    found = offered(text)
    assert found is not None
    assert [label for label in found if label in choices] == choices


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("fail-on = 'error'\n|", "fail-on"),
        ("|\nfail-on = 'error'\n", "fail-on"),
        ("ignore = ['TOOL_NAME_VAGUE', '|']", "TOOL_NAME_VAGUE"),
        ("[severity]\nx = 1\n[|", "[severity]"),
        ("[[surface]]\nname = 'a'\n|", "name"),
        ("ignore = ['|']", "TOOL_NAME_"),
        ("ignore = ['|']", "CALL_ARGUMENTS_NOT"),
        ("protocol = '|'", "CALL_DENIED"),
    ],
)
def test_what_is_there_or_says_nothing_is_not_offered(text, missing):
    found = offered(text)
    assert found
    assert missing not in found


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("# |", "toolsurface.toml"),
        ("fail-on = 'error' |", "toolsurface.toml"),
        ("fail-on = 'error' # |", "toolsurface.toml"),
        ('fail-on = """\n|\n"""', "toolsurface.toml"),
        ("|", "pyproject.toml"),
        ("[project]\n|", "pyproject.toml"),
        ("[project]\nname = '|'", "pyproject.toml"),
        ("[project.|", "pyproject.toml"),
        ("[tool.ruff]\nselect = ['|']", "pyproject.toml"),
    ],
)
def test_where_nothing_of_ours_is_written(text, name):
    assert offered(text, name) is None
