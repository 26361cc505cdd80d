"""Edits of every kind, in the order of chance: the server answers each, and ends where a fresh one begins."""

import random

import pytest
from lsprotocol import types

pytestmark = pytest.mark.slow

PIECES = (
    *(
        "`",
        "read_file",
        "({ ",
        " })",
        "{",
        "}",
        "[",
        "]",
        '"',
        "\n",
        "\r\n",
        "\r",
        " ",
        ":",
        ",",
        "-",
        "#",
        "🛠",
        "é",
        "\u2028",
    ),
    *(
        "\ufeff",
        "\ud83d",
        "\0",
        "---\n",
        "```\n",
        "<tool_call>",
        "tools:",
        '{"name": "x"}',
        "toolsurface-lint: ignore-start",
        "*",
    ),
)
FILES = {
    "prompts/system.md": "---\nname: a\n---\nCall `read_file({ path: 1 })` 🛠 now.\n",
    "policy.yaml": "tools: [read_file, list_*]\nside_effect_level: read_only\n",
    "policy2.toml": 'tools = ["read_file"]\nside_effect_level = "read_only"\n',
    "server.py": "@mcp.tool()\ndef read_it(path: str) -> str:\n    '''Read. Call read_file().'''\n    return path\n",
    "run.jsonl": '{"role": "user", "content": "hi"}\n{"role": "assistant", "content": "ho"}\n',
    "toolsurface.toml": 'ignore = ["TOOL_DESCRIPTION"]\n',
}
SEEDS = range(3)
EDITS = 40


def test_edits_of_every_kind(talk):
    async def conversation(session):
        session.write(FILES)
        names = ["tools.json", *FILES]
        for name in names:
            session.open(name)
        # Surrogates, which a client may send alone, are changed by the wire; what the server has is known by replacing.
        for seed in SEEDS:
            chance = random.Random(seed)
            for number in range(EDITS):
                name = chance.choice(names)
                first = (chance.randrange(12), chance.randrange(40))
                last = (first[0] + chance.randrange(2), chance.randrange(60))
                text = "".join(chance.choices(PIECES, k=chance.randrange(4)))
                session.edit(name, first, max(first, last), text)
                if number % 5 == 0:
                    await ask_everything(session, name, chance)
        for name in names:
            session.rewrite(name, "")
        session.rewrite("toolsurface.toml", "")
        session.rewrite("tools.json", '[{"name": "read_file", "description": "Read.", "input_schema": {}}]')
        session.rewrite("prompts/system.md", "Call `read_file({})`, then `read_flie({})`.\n")
        assert await session.findings("prompts/system.md") == ["0:28-0:37 TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"]
        assert session.client.error is None
        assert [one.message for one in session.client.messages if "toolsurface.toml" not in one.message] == []

    talk(conversation)


async def ask_everything(session, name, chance):
    client = session.client
    place = session.at(name, chance.randrange(12), chance.randrange(40))
    whole = types.Range(types.Position(0, 0), types.Position(99, 0))
    assert "INTERNAL_ERROR" not in str(await session.findings(name))
    await client.text_document_hover_async(types.HoverParams(**place))
    await client.text_document_definition_async(types.DefinitionParams(**place))
    await client.text_document_references_async(types.ReferenceParams(context=types.ReferenceContext(True), **place))
    await client.text_document_completion_async(types.CompletionParams(**place))
    await client.text_document_document_symbol_async(types.DocumentSymbolParams(session.document(name)))
    everything = [types.CodeActionKind.QuickFix, types.CodeActionKind.SourceFixAll]
    params = types.CodeActionParams(session.document(name), whole, types.CodeActionContext([], everything))
    await client.text_document_code_action_async(params)
