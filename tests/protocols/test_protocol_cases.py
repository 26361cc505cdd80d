"""The cases of the protocols: what is broken, which calls run, and what else a response says."""

from __future__ import annotations

from typing import Any

import pytest

from tests.protocol_cases import cases, tools
from toolsurface_lint.protocols.recognition import parse_response


@pytest.mark.parametrize(("protocol", "case"), cases())
def test_case(protocol: str, case: dict[str, Any]) -> None:
    response = parse_response(case["text"], protocol, tools=tools(protocol))
    assert {violation.code for violation in response.violations} == set(case["breaks"])
    assert [{"name": call.name, "arguments": call.arguments} for call in response.calls] == case["calls"]
    for key, said in (("answer", response.user_response), ("done", response.done)):
        if key in case or not case["breaks"]:
            assert said == case.get(key)
