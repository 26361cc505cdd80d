"""A server outlives the folder that it was started in."""

import shutil

import pytest

pytestmark = pytest.mark.slow

BAD = '[{"name": "read_file", "description": "Read a file and return its text.", "input_schema": {"type": "objekt"}}]'


def test_a_working_directory_that_is_gone(talk, folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    tools = str(elsewhere / "tools.json")
    (elsewhere / "tools.json").write_text(BAD, encoding="utf-8")

    async def conversation(session):
        shutil.rmtree(folder)
        session.open(tools)
        assert [found.split()[1] for found in await session.findings(tools)] == ["TOOL_SCHEMA_INVALID"]

    talk(conversation)
