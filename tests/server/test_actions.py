"""Code actions: the fixes of diagnostics, and what suppresses them. Each is applied, and what it fixes must be gone."""

import pytest
from lsprotocol import types

pytestmark = pytest.mark.slow

UNDECLARED = "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"
ALIASED = """{
  "tools": [
    {
      "name": "read_file",
      "description": "Read a file and return its text.",
      "parameters": {"path": {"type": "string"}},
      "annotations": {"kind": "read", "side_effect_level": "read_only", "arg_schema": {"arg_aliases": {"file": "path"}}},
      "executor": "harn"
    }
  ],
  "prompt": "🛠 Call read_file({ file: \\"a\\" }) and read_file({ file: \\"b\\" })."
}
"""


async def actions(session, name, range=None, only=None):
    range = range or types.Range(types.Position(0, 0), types.Position(999, 0))
    params = types.CodeActionParams(session.document(name), range, types.CodeActionContext([], only))
    return await session.client.text_document_code_action_async(params)


def apply(session, name, edit, text):
    """Apply the edits of one file, in units of UTF-16, and return its text."""
    lines = text.split("\n")
    edits = edit.changes[session.uri(name)]
    for one in sorted(edits, key=lambda edit: (edit.range.start.line, edit.range.start.character), reverse=True):
        start, end = (
            sum(len(line) + 1 for line in lines[: place.line]) + characters(lines[place.line], place.character)
            for place in (one.range.start, one.range.end)
        )
        text = "\n".join(lines)
        lines = (text[:start] + one.new_text + text[end:]).split("\n")
    return "\n".join(lines)


def characters(line, units):
    return len(line.encode("utf-16-le")[: 2 * units].decode("utf-16-le"))


def test_a_fix_of_one_place_and_of_all(talk):
    async def conversation(session):
        session.write({"surface.json": ALIASED})
        session.open("surface.json")
        found = [one for one in await session.findings("surface.json") if "ALIAS" in one]
        assert found == [
            "10:33-10:37 TOOL_SURFACE_DEPRECATED_ARG_ALIAS",
            "10:64-10:68 TOOL_SURFACE_DEPRECATED_ARG_ALIAS",
        ]
        second = types.Range(types.Position(10, 66), types.Position(10, 66))
        quick, *_ = await actions(session, "surface.json", second)
        assert (quick.title, quick.kind, quick.is_preferred) == (
            "Replace `file` with `path`",
            types.CodeActionKind.QuickFix,
            True,
        )
        assert [one.code for one in quick.diagnostics] == ["TOOL_SURFACE_DEPRECATED_ARG_ALIAS"]
        assert list(quick.diagnostics[0].tags) == [types.DiagnosticTag.Deprecated]
        fixed = apply(session, "surface.json", quick.edit, ALIASED)
        assert fixed == ALIASED.replace('file: \\"b', 'path: \\"b')
        (every,) = await actions(session, "surface.json", only=[types.CodeActionKind.SourceFixAll])
        assert every.kind == "source.fixAll.toolsurface-lint"
        fixed = apply(session, "surface.json", every.edit, ALIASED)
        session.rewrite("surface.json", fixed)
        assert fixed.count("path: ") == 2
        assert "ALIAS" not in str(await session.findings("surface.json"))
        assert not await actions(session, "surface.json", only=[types.CodeActionKind.SourceFixAll])

    talk(conversation)


@pytest.mark.parametrize(
    ("code", "text", "title", "safe", "fixed"),
    [
        (
            "INPUT_NOT_STRICT_JSON",
            '[{"name": "read_it", "description": "\U0001f6e0 Reads it.", "inputSchema": {"type": "object",},},]',
            "Remove the trailing commas",
            True,
            '[{"name": "read_it", "description": "\U0001f6e0 Reads it.", "inputSchema": {"type": "object"}}]',
        ),
        (
            "TOOL_DESCRIPTION_INVISIBLE_CHARACTER",
            '[{"name": "read_it", "description": "\U0001f6e0 Re\\u200bads\u200b it.", "inputSchema": {"type": "object"}}]',
            "Remove 2 invisible characters",
            None,
            '[{"name": "read_it", "description": "\U0001f6e0 Reads it.", "inputSchema": {"type": "object"}}]',
        ),
    ],
)
def test_a_fix_of_several_places(talk, code, text, title, safe, fixed):
    async def conversation(session):
        session.write({"tools.json": text})
        session.open("tools.json")
        assert code in str(await session.findings("tools.json"))
        (quick,) = [one for one in await actions(session, "tools.json") if one.title == title]
        assert quick.is_preferred is safe
        assert apply(session, "tools.json", quick.edit, text) == fixed

    talk(conversation)


@pytest.mark.parametrize(
    ("name", "text", "inserted"),
    [
        (
            "prompts/a.md",
            '🛠 One.\r\n  - Call `read_flie({ path: "b" })`.\r\n',
            "  <!-- toolsurface-lint: ignore-next-line[{code}] -->\r\n",
        ),
        ("policy.yaml", "tools:\n  - read_file\n  - read_flie\n", "  # toolsurface-lint: ignore-next-line[{code}]\n"),
        (
            "prompts/a.prompt",
            "{{ if level }}\nRead.\n{{ else }}\nWrite {{ name | frobnicate }}.\n{{ end }}\n",
            "{{{{# toolsurface-lint: ignore-next-line[{code}] #}}}}\n",
        ),
        (
            "policy.toml",
            'side_effect_level = "read_only"\ntools = ["read_file", "read_flie"]\n',
            "# toolsurface-lint: ignore-next-line[{code}]\n",
        ),
    ],
)
def test_a_suppression_above_the_line(talk, name, text, inserted):
    async def conversation(session):
        session.open(name, text)
        (diagnostic,) = await session.pull(name)
        line = diagnostic.range.start.line
        found = await actions(session, name)
        (suppress,) = [one for one in found if one.title == f"Suppress {diagnostic.code} here"]
        expected = text.split("\n")
        expected[line] = inserted.format(code=diagnostic.code) + expected[line]
        fixed = apply(session, name, suppress.edit, text)
        assert fixed == "\n".join(expected)
        session.rewrite(name, fixed)
        assert await session.findings(name) == []

    talk(conversation)


def test_a_suppression_joins_the_one_that_is_there(talk):
    text = "One.\n\n<!-- toolsurface-lint: ignore-next-line[TOOL_SURFACE_MISSING_SCHEMA] so -->\nCall read_flie({}).\n"

    async def conversation(session):
        session.open("prompts/a.md", text)
        (suppress,) = [one for one in await actions(session, "prompts/a.md") if UNDECLARED in one.title]
        fixed = apply(session, "prompts/a.md", suppress.edit, text)
        assert fixed == text.replace("SCHEMA]", f"SCHEMA, {UNDECLARED}]")

    talk(conversation)


def test_an_expired_suppression_is_told_in_the_file_and_in_the_settings(talk):
    settings = '[[per-file-ignores]]\npath = "**"\ncodes = "POLICY_UNKNOWN_FIELD"\nuntil = 2020-01-31\n'
    text = "Read.\n\n<!-- toolsurface-lint: ignore-next-line until=2020-01-31 -->\nCall read_file({ path: 1 }).\n"

    async def conversation(session):
        session.write({"toolsurface.toml": settings})
        session.open("prompts/a.md", text)
        session.open("toolsurface.toml")
        assert "2:46-2:56 SUPPRESSION_EXPIRED" in await session.findings("prompts/a.md")
        assert await session.findings("toolsurface.toml") == ["3:8-3:18 SUPPRESSION_EXPIRED"]
        session.rewrite("toolsurface.toml", settings.replace("2020", "9999"))
        assert await session.findings("toolsurface.toml") == []
        assert not await actions(session, "toolsurface.toml")

    talk(conversation)


@pytest.mark.parametrize("settings", ["", 'fail-on = "error"'])
def test_where_no_comment_can_stand_the_settings_ignore(talk, settings):
    policy = '{"tools": ["read_file", "read_flie"], "side_effect_level": "read_only"}'

    async def conversation(session):
        session.write({"toolsurface.toml": settings})
        session.open("policy.json", policy)
        *_, diagnostic = await session.pull("policy.json")
        *_, ignore = await actions(session, "policy.json")
        assert ignore.title == f"Ignore {diagnostic.code} here (toolsurface.toml)"
        session.open("toolsurface.toml")
        changed = apply(session, "toolsurface.toml", ignore.edit, settings)
        table = f'[[per-file-ignores]]\npath = "policy.json"\ncodes = ["{diagnostic.code}"]\npointer = "/tools/1"\n'
        assert changed == (f"{settings}\n\n{table}" if settings else table)
        session.rewrite("toolsurface.toml", changed)
        assert await session.findings("policy.json") == []

    talk(conversation)


def test_no_comment_goes_into_a_string(talk):
    text = "tools: [read_file]\nprompt: |\n  You read files for people.\n  Call read_flie({ path: 1 }) and read_file({}) now.\n"

    async def conversation(session):
        session.write({"agent.yaml": text})
        session.open("agent.yaml")
        found = await session.findings("agent.yaml")
        assert [one for one in found if UNDECLARED in one] == [f"3:7-3:16 {UNDECLARED}"]
        place = types.Range(types.Position(3, 7), types.Position(3, 7))
        titles = [one.title for one in await actions(session, "agent.yaml", place)]
        assert f"Suppress {UNDECLARED} here" not in titles
        assert f"Ignore {UNDECLARED} here (toolsurface.toml)" in titles

    talk(conversation)


def test_settings_that_are_not_there_are_created(talk, able, folder):
    (folder / "toolsurface.toml").unlink()

    async def conversation(session):
        session.open("policy.json", '{"tools": ["read_flie"], "side_effect_level": "read_only"}')
        ignore = (await actions(session, "policy.json"))[-1]
        created, filled = ignore.edit.document_changes
        assert (created.kind, created.uri) == ("create", session.uri("toolsurface.toml"))
        assert filled.edits[0].new_text.startswith("[[per-file-ignores]]\n")

    edits = types.WorkspaceEditClientCapabilities(
        document_changes=True, resource_operations=[types.ResourceOperationKind.Create]
    )
    talk(conversation, able(workspace_edit=edits))
