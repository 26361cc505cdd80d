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
    assert [related.message for related in diagnostic.related] == ["neither has `count`", "neither has `sort`"]
    assert [text[slice(*related.location.span)] for related in diagnostic.related] == ["count", "sort"]
    # One more function is a further place of the same finding, so that a baseline still knows it.
    (more,) = found(text + FUNCTION.format("pick"))
    assert more.parameters == diagnostic.parameters
    assert (
        found(text.replace("def find", "# toolsurface-lint: ignore-next-line[TOOL_CODE_DOCSTRING_MISSING]\ndef find"))
        == []
    )
