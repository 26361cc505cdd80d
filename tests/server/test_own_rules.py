"""Rules of one's own in the editor: found as one types, fixed, suppressed and explained as built-in ones are."""

import pytest
from lsprotocol import types

from tests.server.test_actions import apply

pytestmark = pytest.mark.slow

RULE = """
[[rule]]
code = "ACME_NO_FETCH"
subject = "tool"
assert = { description = { not-pattern = '\\bFetches\\b' } }
message = "the description of `{name}` says `{match}`"
help = "Say what is read."
url = "https://acme.invalid/fetch"
severity = "error"
fix = { replace = 'Fetches', with = "Reads" }
"""
TOOLS = '[{"name": "read_page", "description": "🛠 Fetches a page.", "inputSchema": {"type": "object"}}]'


def test_a_rule_of_the_settings(talk):
    async def conversation(session):
        session.open("toolsurface.toml")
        session.open("more.json", TOOLS)
        assert "ACME" not in str(await session.findings("more.json"))
        session.rewrite("toolsurface.toml", RULE)
        (found,) = [each for each in await session.pull("more.json") if each.code == "ACME_NO_FETCH"]
        assert (found.range.start, found.range.end) == (types.Position(0, 42), types.Position(0, 49))
        assert found.severity == types.DiagnosticSeverity.Error
        assert found.message.startswith("the description of `read_page` says `Fetches`")
        assert found.code_description.href == "https://acme.invalid/fetch"
        context = types.CodeActionContext([found])
        params = types.CodeActionParams(session.document("more.json"), found.range, context)
        actions = {each.title: each for each in await session.client.text_document_code_action_async(params)}
        fix = actions["Replace `Fetches` with `Reads`"]
        assert apply(session, "more.json", fix.edit, TOOLS) == TOOLS.replace("Fetches", "Reads")
        assert any("ACME_NO_FETCH" in title and title.startswith(("Ignore", "Suppress")) for title in actions)
        session.rewrite("more.json", TOOLS.replace("Fetches", "Reads"))
        assert "ACME" not in str(await session.findings("more.json"))

    talk(conversation)


def test_a_rule_that_is_wrong_is_shown_in_the_settings(talk):
    async def conversation(session):
        session.open("toolsurface.toml", RULE.replace("'\\bFetches\\b' } }", "'(?<=a)b' } }"))
        (found,) = await session.findings("toolsurface.toml")
        assert found.startswith("4:")

    talk(conversation)
