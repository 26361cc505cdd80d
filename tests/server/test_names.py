"""Hover, definitions, references, completion and symbols."""

import pytest
from lsprotocol import types

pytestmark = pytest.mark.slow

PROMPT = """# 🛠 Work

Call `read_file({ path: "a" })`, then the `list_files` tool.

Never use `read_file` on folders.
"""
POLICY = """tools:
  - read_file
  - "list_*"
side_effect_level: read_only
tool_arg_constraints:
  - tool: read_file
    arg_key: path
    arg_patterns: ["src/*"]
"""


def places(locations, session):
    """Locations as `file line:character-line:character`, sorted."""
    found = []
    for one in locations or ():
        start, end = one.range.start, one.range.end
        name = one.uri.removeprefix(session.folder.as_uri() + "/")
        found.append(f"{name} {start.line}:{start.character}-{end.line}:{end.character}")
    return sorted(found)


def test_definition_and_references(talk):
    async def conversation(session):
        session.write({"policy.yaml": POLICY})
        session.open("prompts/system.md", PROMPT)
        session.open("policy.yaml")

        async def definition(name, line, character):
            params = types.DefinitionParams(**session.at(name, line, character))
            return places(await session.client.text_document_definition_async(params), session)

        async def references(name, line, character, declaration=True):
            params = types.ReferenceParams(
                context=types.ReferenceContext(declaration), **session.at(name, line, character)
            )
            return places(await session.client.text_document_references_async(params), session)

        read = "tools.json 2:13-2:22"
        listed = "tools.json 14:13-14:23"
        assert await definition("prompts/system.md", 2, 8) == [read]
        assert await definition("prompts/system.md", 2, 43) == [listed]
        assert await definition("prompts/system.md", 0, 3) == []
        assert await definition("policy.yaml", 1, 4) == [read]
        assert await definition("policy.yaml", 2, 5) == [listed]
        assert await definition("policy.yaml", 5, 10) == [read]
        uses = [
            "policy.yaml 1:4-1:13",
            "policy.yaml 5:10-5:19",
            "prompts/system.md 2:6-2:15",
            "prompts/system.md 4:11-4:20",
        ]
        assert await references("prompts/system.md", 2, 6) == sorted([*uses, read])
        assert await references("policy.yaml", 1, 13, declaration=False) == uses
        assert await references("prompts/system.md", 2, 45) == sorted(
            ["policy.yaml 2:5-2:11", "prompts/system.md 2:43-2:53", listed]
        )
        # From the definition, in a file that was not open before, behind what was typed above it.
        session.open("tools.json")
        session.edit("tools.json", (0, 0), (0, 0), "\n🛠🛠\n".replace("🛠🛠", ""))
        assert await references("tools.json", 4, 15, declaration=False) == uses
        assert await definition("prompts/system.md", 2, 8) == ["tools.json 4:13-4:22"]

    talk(conversation)


def test_hover(talk):
    async def conversation(session):
        session.write({"policy.yaml": POLICY})
        session.open("prompts/system.md", PROMPT)
        session.open("policy.yaml")

        async def hover(name, line, character):
            return await session.client.text_document_hover_async(
                types.HoverParams(**session.at(name, line, character))
            )

        found = await hover("prompts/system.md", 2, 8)
        assert found.contents.kind == types.MarkupKind.Markdown
        assert found.contents.value.split("\n\n") == [
            "```\nread_file(path, limit?)\n```",
            "Read a file and return its text.",
            "- `path` `string` required: Which file.\n- `limit` `integer`: How many lines.",
            f"Declared in [tools.json:3]({session.uri('tools.json')}#L3)",
        ]
        assert (found.range.start, found.range.end) == (types.Position(2, 6), types.Position(2, 15))
        assert "List the files of a folder." in (await hover("policy.yaml", 2, 6)).contents.value
        assert await hover("prompts/system.md", 0, 2) is None
        session.rewrite(
            "prompts/system.md",
            "<!-- toolsurface-lint: ignore-next-line[PROMPT_MISSING_ARGUMENT] until=2030-01-31 so -->\nx\n",
        )
        page = await hover("prompts/system.md", 0, 45)
        assert page.contents.value.startswith("# PROMPT_MISSING_ARGUMENT")
        assert (page.range.start.character, page.range.end.character) == (40, 63)

    talk(conversation)


def test_completion(talk):
    async def conversation(session):
        session.write({"policy.yaml": POLICY})
        session.open("prompts/system.md", PROMPT)
        session.open("policy.yaml")

        async def complete(name, text, line, character, asked=False):
            session.rewrite(name, text)
            trigger = types.CompletionTriggerKind.Invoked if asked else types.CompletionTriggerKind.TriggerCharacter
            params = types.CompletionParams(
                context=types.CompletionContext(trigger), **session.at(name, line, character)
            )
            found = await session.client.text_document_completion_async(params)
            return None if found is None else [(item.label, item.text_edit.range) for item in found.items]

        def at(line, start, end):
            return types.Range(types.Position(line, start), types.Position(line, end))

        both = [("read_file", at(0, 7, 7)), ("list_files", at(0, 7, 7))]
        assert await complete("prompts/system.md", "🛠 Use `", 0, 8) == [(label, at(0, 8, 8)) for label, _ in both]
        assert await complete("prompts/system.md", "So use rea", 0, 10) == [("read_file", at(0, 7, 10))]
        assert await complete("prompts/system.md", "So use the", 0, 10) is None
        assert await complete("prompts/system.md", "So use ", 0, 7) is None
        assert await complete("prompts/system.md", "So use ", 0, 7, asked=True) == both
        keys = await complete("prompts/system.md", "Call `read_file({ ", 0, 18)
        assert keys == [("path", at(0, 18, 18)), ("limit", at(0, 18, 18))]
        keys = await complete("prompts/system.md", 'Call `read_file({ path: "a", li', 0, 31)
        assert keys == [("limit", at(0, 29, 31))]
        codes = await complete("prompts/system.md", "<!-- toolsurface-lint: ignore-line[PROMPT_", 0, 42)
        assert ("PROMPT_MISSING_ARGUMENT", at(0, 35, 42)) in codes
        ended = "<!-- toolsurface-lint: ignore-line[PROMPT_ until=2030-01-31 so -->"
        assert await complete("prompts/system.md", ended, 0, 42) == codes
        # A policy that cannot be read while it is typed is still known to be one.
        names = await complete("policy.yaml", 'tools: [read_file, "', 0, 20)
        assert names == [("read_file", at(0, 20, 20)), ("list_files", at(0, 20, 20))]
        names = await complete("policy.yaml", POLICY.replace("  - read_file\n", "  - li\n"), 1, 6)
        assert names == [("read_file", at(1, 4, 6)), ("list_files", at(1, 4, 6))]
        keys = await complete("policy.yaml", POLICY.replace("arg_key: path", "arg_key: "), 6, 13)
        assert [label for label, _ in keys] == ["path", "limit", "folder"]

    talk(conversation)


def test_document_symbols(talk):
    async def conversation(session):
        session.write({"policy.yaml": POLICY})
        session.open("tools.json")
        session.open("policy.yaml")

        async def symbols(name):
            params = types.DocumentSymbolParams(session.document(name))
            return await session.client.text_document_document_symbol_async(params)

        first, second = await symbols("tools.json")
        assert (first.name, first.kind, first.detail) == (
            "read_file",
            types.SymbolKind.Function,
            "Read a file and return its text.",
        )
        assert (first.range.start, first.range.end) == (types.Position(1, 2), types.Position(12, 3))
        assert (first.selection_range.start, first.selection_range.end) == (
            types.Position(2, 13),
            types.Position(2, 22),
        )
        assert [child.name for child in first.children] == ["path", "limit"]
        assert [child.name for child in second.children] == ["folder"]
        (policy,) = await symbols("policy.yaml")
        assert (policy.name, [child.name for child in policy.children]) == (
            "capability policy",
            ["read_file", "list_*"],
        )

    talk(conversation)
