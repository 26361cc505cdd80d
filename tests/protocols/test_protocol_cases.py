"""The reference's cases for the grammars; they lie beside the repository and are skipped where they are not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolsurface_lint.protocols.arguments import normalise_arguments, validate_arguments
from toolsurface_lint.protocols.recognition import parse_calls, parse_response
from toolsurface_lint.protocols.rendering import render_template
from toolsurface_lint.protocols.template_lint import lint_template
from toolsurface_lint.protocols.template_parser import parse_template
from toolsurface_lint.protocols.templates import TemplateError
from toolsurface_lint.protocols.wire import canonical_to_wire, reserves_tool_call_token, wire_to_canonical

CASES = Path(__file__).resolve().parents[3] / "shared" / "facts" / "harn-cases.json"
REFERENCES = ("reference_latest", "reference_0_7_50", "reference_near_seed")


def cases(*areas: str) -> list[Any]:
    if not CASES.is_file():
        return []
    found = [case for case in json.loads(CASES.read_text(encoding="utf-8")) if case["area"] in areas]
    return [pytest.param(case["input"], case["expected"], id=case["id"]) for case in found]


def plain(calls: list[Any]) -> list[dict[str, Any]]:
    return [{"name": call.name, "arguments": call.arguments} for call in calls]


@pytest.mark.parametrize(("given", "expected"), cases("tagged_protocol", "fenced_json"))
def test_response(given: dict[str, Any], expected: dict[str, Any], request: pytest.FixtureRequest) -> None:
    protocol = "tagged" if request.node.callspec.id.startswith("TAG") else "fenced-json"
    response = parse_response(given["text"], protocol, tools=given.get("tools"))
    assert {violation.code for violation in response.violations} == set(expected["contract_breaks"])
    references = [expected[name] for name in REFERENCES if isinstance(expected.get(name), dict)]
    if expected["contract_breaks"]:
        # Releases differ on broken responses; ours is what at least one of them makes of it.
        assert plain(response.calls) in [reference["calls"] for reference in references]
        return
    assert plain(response.calls) == references[0]["calls"]
    assert response.user_response == references[0].get("user_response")
    assert response.done == references[0].get("done")


@pytest.mark.parametrize(("given", "expected"), cases("bare_call", "heredoc"))
def test_calls(given: dict[str, Any], expected: dict[str, Any]) -> None:
    reference = expected["reference_0_7_50"]
    found = parse_calls(given["text"], given["tools"])
    assert plain(found.calls) == reference["calls"]
    assert [error.code for error in found.errors] == reference["errors"]
    if "prose" in reference:
        assert found.prose == reference["prose"]


@pytest.mark.parametrize(("given", "expected"), cases("template_syntax"))
def test_template(given: dict[str, Any], expected: dict[str, Any]) -> None:
    if expected["ok"]:
        parse_template(given["text"])
        return
    with pytest.raises(TemplateError) as caught:
        parse_template(given["text"])
    error = caught.value
    assert (error.line, error.column, error.category) == (expected["line"], expected["column"], expected["category"])


@pytest.mark.parametrize(("given", "expected"), cases("template_render"))
def test_rendering(given: dict[str, Any], expected: dict[str, Any]) -> None:
    if "text" in expected:
        assert render_template(given["text"], given["bindings"]) == expected["text"]
        return
    with pytest.raises(TemplateError):
        render_template(given["text"], given["bindings"])


@pytest.mark.parametrize(("given", "expected"), cases("template_lint"))
def test_template_lint(given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert [finding.rule for finding in lint_template(given["text"])] == expected["rules"]


@pytest.mark.parametrize(("given", "expected"), cases("wire_remap"))
def test_wire(given: dict[str, Any], expected: dict[str, Any]) -> None:
    if "direction" not in given:
        pytest.skip("the result of a parser")
    remap = canonical_to_wire if given["direction"] == "to_wire" else wire_to_canonical
    assert remap(given["text"]) == expected["text"]


@pytest.mark.parametrize(("given", "expected"), cases("reserved_models"))
def test_reserved_models(given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert reserves_tool_call_token(given["provider"], given["model"]) is expected["reserved_tool_call_token"]


@pytest.mark.parametrize(("given", "expected"), cases("args_validation"))
def test_missing_arguments(given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert validate_arguments(given.get("tool"), given["arguments"]) == expected["missing"]


@pytest.mark.parametrize(("given", "expected"), cases("args_normalise"))
def test_aliases(given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert normalise_arguments(given["annotations"], given["arguments"]) == expected["arguments"]
