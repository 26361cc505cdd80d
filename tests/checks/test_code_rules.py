"""What the rules for a tool's code say beyond what their cases show: related places, help, and which of two rules speaks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from toolsurface_lint.model.diagnostics import Diagnostic, Report

MCP = "from mcp.server.fastmcp import FastMCP\n\nmcp = FastMCP('shop')\n\n\n"
HARNESS = "from harness.tools.decorator import tool\n\n\n"


@pytest.fixture
def found(tmp_path: Path, check: Callable[..., Report]) -> Callable[..., list[Diagnostic]]:
    """The diagnostics of one Python file, of all rules that are on."""

    def found(text: str, **options: object) -> list[Diagnostic]:
        (tmp_path / "tools.py").write_text(text, encoding="utf-8")
        report = check(tmp_path, **options)
        assert report.summary["tools"] > 0
        return list(report.diagnostics)

    return found


def codes(diagnostics: list[Diagnostic]) -> list[str]:
    return [diagnostic.code for diagnostic in diagnostics]


def test_the_related_location_is_the_line_that_does_it(found: Callable[..., list[Diagnostic]]) -> None:
    text = HARNESS + (
        '@tool(side_effects={"read"})\n'
        "def report(path: str) -> str:\n"
        '    """Write a report about one path."""\n'
        "    return store(path)\n\n\n"
        "def store(path: str) -> str:\n"
        "    import os\n\n"
        "    os.rename(path, path + '.old')\n"
        "    return path\n"
    )
    (diagnostic,) = found(text)
    assert diagnostic.code == "TOOL_CODE_SIDE_EFFECT_MISMATCH"
    assert diagnostic.tool == "report"
    assert diagnostic.help == "add `write`"
    (related,) = diagnostic.related
    assert related.message == "`os.rename` is called here, in `store`"
    assert text[slice(*related.location.span)] == "os.rename(path, path + '.old')"


@pytest.mark.parametrize(
    ("tags", "body", "expected"),
    [
        ('{"read"}', "open(path)", None),
        ('{"read"}', "open(path, 'rb')", None),
        ('{"read"}', "open(path, mode)", None),
        ('{"read"}', "open(path, 'w')", "changes files"),
        ('{"mutate"}', "open(path, 'w')", None),
        ('{"network"}', "open(path, 'w')", "changes files"),
        ('{"write"}', "requests.get(path)", "uses the network"),
        ('{"mutate"}', "requests.post(path)", None),
        ('{"read"}', "subprocess.run(path)", "starts processes"),
        ('{"network"}', "subprocess.run(path)", None),
        ("set()", "subprocess.run(path)", "starts processes"),
        ('{"read"}', "tempfile.mkdtemp()", None),
        # What an unknown tag covers is not known.
        ('{"read", "disk"}', "open(path, 'w')", None),
        # The parameter of that name, not the module.
        ('{"read"}', "httpx.get(path)", None),
    ],
)
def test_what_a_declaration_excludes(
    found: Callable[..., list[Diagnostic]], tags: str, body: str, expected: str | None
) -> None:
    text = (
        "import subprocess\nimport tempfile\n\nimport httpx\nimport requests\n"
        + HARNESS
        + f"@tool(side_effects={tags})\n"
        + f'def act(path: str, mode: str, httpx: str) -> str:\n    """Act upon a path."""\n    {body}\n    return path\n'
    )
    (said,) = [d.message for d in found(text, select=["TOOL_CODE_SIDE_EFFECT_MISMATCH"])] or [None]
    assert (said is None) == (expected is None)
    assert expected is None or (said is not None and f" {expected} (" in said)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("db.execute('DELETE FROM alerts')", "deletes data (`DELETE FROM alerts`)"),
        ("db.execute(f'delete  from {table} where x')", "deletes data (`DELETE FROM`)"),
        (
            "db.execute(text('-- all\\n INSERT OR REPLACE INTO \"alerts\" VALUES (1)'))",
            "changes data (`INSERT OR REPLACE INTO alerts`)",
        ),
        ("run_query(conn, 'UPDATE alerts AS a SET x = 1 WHERE cache = 2')", "changes data (`UPDATE alerts`)"),
        ("db.fetch('DROP TABLE IF EXISTS alerts')", "deletes data (`DROP TABLE IF EXISTS alerts`)"),
        ("db.execute('UPDATE alerts SET last_access = 1, hits = hits + 1')", None),
        ("db.execute('UPDATE alerts SET last_name = 1')", "changes data (`UPDATE alerts`)"),
        ("db.execute('UPDATE alerts SET status = 1')", "changes data (`UPDATE alerts`)"),
        ("db.execute('INSERT INTO visits VALUES (1)')", "changes data (`INSERT INTO visits`)"),
        ("db.execute('INSERT INTO search_log VALUES (1)')", None),
        ("db.execute('DELETE FROM search_log')", "deletes data (`DELETE FROM search_log`)"),
        ("db.execute('DELETE FROM search_cache')", None),
        ("db.execute('INSERT INTO search_cache VALUES (1)')", None),
        ("db.execute('SELECT 1 -- DELETE FROM alerts')", None),
        ("agent.execute('Update the alerts and set them')", None),
        ("db.execute(table)", None),
        ("print('DELETE FROM alerts')", None),
        ("requests.request('PATCH', table)", 'changes data (`request("PATCH")`)'),
        ("requests.request('POST', table)", None),
        ("urllib.request.Request(table, method='DELETE')", 'deletes data (`Request("DELETE")`)'),
        ("make_api_call(table, 'DELETE')", 'deletes data (`make_api_call("DELETE")`)'),
        ("make_request('DELETE', table)", 'deletes data (`make_request("DELETE")`)'),
        ("subprocess.run(['sudo', 'rm', '-rf', table])", "deletes data (`rm`)"),
        ("subprocess.run('git push', shell=True)", "changes data (`git push`)"),
        ("subprocess.run(f'kubectl -n {table} delete pod x', shell=True)", "deletes data (`kubectl delete`)"),
        ("subprocess.run(['kubectl', 'delete', 'pod', '--dry-run=client'])", None),
        ("subprocess.run(['git', table, 'push'])", None),
        ("subprocess.run(['/usr/bin/terraform', 'apply'])", "changes data (`terraform apply`)"),
        ("subprocess.run(['git', 'log', 'push'])", None),
        ("subprocess.run(['rm', tempfile.mktemp()])", None),
        ("boto3.Session().client('s3').delete_bucket(Bucket=table)", "deletes data (`delete_bucket`)"),
        ("storage.Client().create_bucket(table)", "changes data (`create_bucket`)"),
        ("storage.Client().get_bucket(table)", None),
        ("shop.delete_bucket(table)", None),
    ],
)
def test_what_changes_data(found: Callable[..., list[Diagnostic]], call: str, expected: str | None) -> None:
    text = (
        "import subprocess\nimport tempfile\nimport urllib.request\n\nimport boto3\nimport requests\n"
        "from google.cloud import storage\nfrom sqlalchemy import text\n"
        + MCP
        + "@mcp.tool(annotations={'readOnlyHint': True})\n"
        + f'def find(table: str) -> str:\n    """Find something."""\n    {call}\n    return table\n'
    )
    said = [d.message for d in found(text, select=["TOOL_CODE_SIDE_EFFECT_MISMATCH"])]
    assert said == ([] if expected is None else [f"`find` {expected}, but declares `readOnlyHint: true`"])


@pytest.mark.parametrize(
    ("decorator", "description", "expected"),
    [
        ("@mcp.tool()", "Look. This tool is read-only.", "its description says `read-only`"),
        ("@mcp.tool(annotations={'title': 'Look'})", "Read-only lookup.", "its description says `Read-only`"),
        # Then the description contradicts the hint, and one of the two is right.
        ("@mcp.tool(annotations={'readOnlyHint': False})", "Look. This tool is read-only.", None),
        (
            "@mcp.tool(annotations={'readOnlyHint': True})",
            "Look. This tool is read-only.",
            "declares `readOnlyHint: true`",
        ),
        ("@mcp.tool(annotations={'destructiveHint': False})", "Look.", "declares `destructiveHint: false`"),
        ("@mcp.tool()", "Look into a read-only table.", None),
        ("@mcp.tool()", "Count the rows. Read-only.", "its description says `Read-only`"),
        ("@mcp.tool()", "Count the rows.\n\n    Read-only, nothing is changed.", "its description says `Read-only`"),
        ("@mcp.tool()", "Count the rows. Read-only tables are left out.", None),
        ("@mcp.tool()", "Count the rows. Read-only, unless `force` is given.", None),
        ("@mcp.tool()", "Set a field.\n\n    Fields:\n      The name. Read-only.", None),
        ("@mcp.tool()", "Set a field.\n\n    name: The name. Read-only.", None),
        ("@mcp.tool()", "Set a field.\n\n    - The name. Read-only.", None),
    ],
)
def test_what_excludes_a_change(
    found: Callable[..., list[Diagnostic]], decorator: str, description: str, expected: str | None
) -> None:
    text = (
        MCP
        + f'{decorator}\ndef look(db: str) -> str:\n    """{description}"""\n    return db.execute("DROP TABLE x")\n'
    )
    said = [d.message for d in found(text, select=["TOOL_CODE_SIDE_EFFECT_MISMATCH"])]
    assert said == ([] if expected is None else [f"`look` deletes data (`DROP TABLE x`), but {expected}"])


def test_a_change_of_data_is_said_once(found: Callable[..., list[Diagnostic]]) -> None:
    text = (
        "import httpx\n"
        + HARNESS
        + (
            '@tool(side_effects={"read"})\n'
            "def find(url: str) -> str:\n"
            '    """Look for an order."""\n'
            "    return httpx.delete(url).text\n"
        )
    )
    (diagnostic,) = found(text)
    assert diagnostic.message == "`find` deletes data (`httpx.delete`), but declares only `read`"
    assert diagnostic.help == "add `mutate`"


def test_a_parameter_without_a_hint_is_said_once(found: Callable[..., list[Diagnostic]]) -> None:
    text = MCP + '@mcp.tool()\ndef find(text, limit=10) -> str:\n    """Find an order."""\n    return text\n'
    diagnostics = found(text)
    assert codes(diagnostics) == ["TOOL_CODE_UNTYPED_PARAMETER"] * 2
    assert [diagnostic.help for diagnostic in diagnostics] == [
        "add a type hint: without one, the model may send anything"
    ] * 2


def test_where_the_schema_says_string_the_help_says_so(found: Callable[..., list[Diagnostic]]) -> None:
    (diagnostic,) = found(
        HARNESS + '@tool(side_effects={"read"})\ndef find(text) -> str:\n    """Find an order."""\n    return text\n'
    )
    assert diagnostic.help == "add a type hint: without one, the schema says `string`"


def test_a_documented_parameter_with_a_slip_is_said_once(found: Callable[..., list[Diagnostic]]) -> None:
    text = MCP + (
        "@mcp.tool()\n"
        "def find(customer: str, limit: int) -> str:\n"
        '    """Find an order.\n\n'
        "    Args:\n"
        "        costumer: Whose.\n"
        "        limit: How many.\n"
        '    """\n'
        "    return customer\n"
    )
    (diagnostic,) = found(text)
    assert diagnostic.code == "TOOL_CODE_DOCSTRING_PARAMETER_UNKNOWN"
    assert diagnostic.help == "did you mean `customer`?"
    assert diagnostic.location is not None
    assert text[slice(*diagnostic.location.span)] == "costumer"
    assert [text[slice(*related.location.span)] for related in diagnostic.related] == ["find"]


def test_a_name_that_is_documented_too_is_not_meant(found: Callable[..., list[Diagnostic]]) -> None:
    text = MCP + (
        "@mcp.tool()\n"
        "def find(customer: str) -> str:\n"
        '    """Find an order.\n\n'
        "    Args:\n"
        "        customer: Whose.\n"
        "        customers: All of them.\n"
        '    """\n'
        "    return customer\n"
    )
    (diagnostic,) = found(text)
    assert diagnostic.help == "remove the entry: the model reads the docstring"


def test_what_a_docstring_documents_is_described(found: Callable[..., list[Diagnostic]]) -> None:
    text = MCP + (
        "@mcp.tool()\n"
        "def find(customer: str, limit: int) -> str:\n"
        '    """Find an order.\n\n'
        "    Args:\n"
        "        customer: Whose.\n"
        '    """\n'
        "    return customer\n"
    )
    diagnostics = found(text, select=["TOOL_SCHEMA_PARAMETER_UNDESCRIBED"])
    assert [diagnostic.message for diagnostic in diagnostics] == ["parameter `limit` has no description"]


def test_a_decorator_without_a_place_for_descriptions_is_left_alone(found: Callable[..., list[Diagnostic]]) -> None:
    text = (
        HARNESS
        + '@tool(side_effects={"read"})\ndef find(text: str) -> str:\n    """Find an order."""\n    return text\n'
    )
    assert found(text, select=["TOOL_SCHEMA_PARAMETER_UNDESCRIBED"]) == []


def test_a_long_hint_is_not_quoted(found: Callable[..., list[Diagnostic]]) -> None:
    hint = "dict[str, " * 10 + "int" + "]" * 10
    (diagnostic,) = found(
        HARNESS
        + f'@tool(side_effects={{"read"}})\ndef find(text: {hint}) -> str:\n    """Find an order."""\n    return ""\n'
    )
    assert diagnostic.message == "the hint of `text` becomes `string` in the schema"


FUNCTION = "@tool\ndef {0}(text: str) -> str:\n    return text\n\n\n"
AGENTS = "from agents import function_tool as tool\n\n\n"


def test_functions_without_a_docstring_are_one_finding_a_file(found: Callable[..., list[Diagnostic]]) -> None:
    text = AGENTS + "".join(map(FUNCTION.format, ("find", "count", "sort")))
    (diagnostic,) = found(text)
    assert (diagnostic.code, diagnostic.severity, diagnostic.tool) == ("TOOL_CODE_DOCSTRING_MISSING", "info", "find")
    assert [related.message for related in diagnostic.related] == ["`count` has none either", "`sort` has none either"]
    assert [text[slice(*related.location.span)] for related in diagnostic.related] == ["count", "sort"]
    # One more function is a further place of the same finding, so that a baseline still knows it.
    (more,) = found(text + FUNCTION.format("pick"))
    assert more.parameters == diagnostic.parameters
    assert (
        found(text.replace("def find", "# toolsurface-lint: ignore-next-line[TOOL_CODE_DOCSTRING_MISSING]\ndef find"))
        == []
    )
