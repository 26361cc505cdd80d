"""Responses in files: which protocol they are held to, which rules break where, and their calls against the surface."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.files import write_files
from tests.protocol_cases import cases, tools
from toolsurface_lint import check_paths, protocols
from toolsurface_lint.checks import Checks
from toolsurface_lint.checks.contract import RESPONSE
from toolsurface_lint.checks.index import RULES
from toolsurface_lint.checks.response import breaks, outputs  # noqa: F401 - they fill the sentences
from toolsurface_lint.checks.response._rules import SENTENCES
from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.target import Target
from toolsurface_lint.readers.responses import read_response
from toolsurface_lint.readers.surfaces import read_surface
from toolsurface_lint.source.text import SourceText, Span
from toolsurface_lint.source.tree import TextTree, plain

OTHER_NAMES = {
    "unknown_tool": "CALL_UNKNOWN_TOOL",
    "heredoc": "RESPONSE_HEREDOC_IN_JSON",
    "unterminated": "RESPONSE_UNTERMINATED_JSON",
    **dict.fromkeys(
        ("argument_syntax", "missing_close_paren", "unterminated_string", "unterminated_template"),
        "RESPONSE_CALL_SYNTAX",
    ),
    "nested_call": "RESPONSE_NESTED_TOOL_CALL",
    "arguments_not_json": "RESPONSE_INVALID_JSON",
    **dict.fromkeys(("unclosed_section", "unclosed_argument", "unclosed_message"), "RESPONSE_UNCLOSED_CALL"),
    **dict.fromkeys(("malformed_header", "missing_opener", "missing_key"), "RESPONSE_MALFORMED_CALL"),
    **dict.fromkeys(("heredoc_missing_tag", "heredoc_tag_not_followed_by_newline"), "RESPONSE_HEREDOC_SYNTAX"),
}
"""The rules of the breaks whose rule is not simply their own name."""

READ = {
    "name": "read_file",
    "inputSchema": {
        "type": "object",
        "properties": {"path": {"type": "string"}, "lines": {"type": "array", "items": {"type": "integer"}}},
        "required": ["path"],
    },
    "annotations": {"arg_schema": {"arg_aliases": {"file": "path"}}},
}
CALL = '<tool_call>\nread_file({ path: "a.md" })\n</tool_call>\n'


def surface(names: list[str] | None, **target: Any) -> Surface:
    described = read_surface(plain({"tools": [{"name": name} for name in names or ()]}))
    if names is None:
        described.open_reasons.append("nothing is known")
    described.target = Target(**target)
    return described


def reported(text: str, protocol: str, on: Surface, final: bool = False) -> list[tuple[str, str]]:
    """Code and text at the place of everything that there is to say about a response itself."""
    response = read_response(TextTree(SourceText("1.txt", text)).root, protocol, on, final=final)
    found = []
    checks = Checks(lambda rule: rule.code.startswith("RESPONSE_"))
    for finding in checks.run(RESPONSE, response.place(Span(0, 0)), response, on):
        span = finding.place.span()
        assert span is not None
        found.append((finding.rule.code, text[span.start : span.end]))
    return found


@pytest.mark.parametrize(("protocol", "case"), cases())
def test_the_breaks_of_a_case_are_what_is_reported(
    protocol: str, case: dict[str, Any], tmp_path: Path, check: Callable[..., Report]
) -> None:
    """Through the whole command: files, settings, surface."""
    (tmp_path / "toolsurface.toml").write_text(
        f'protocol = "{protocol}"\n[kinds]\n"*.txt" = "response"\n[[surface]]\nname = "s"\ntools = "tools.json"\n',
        encoding="utf-8",
    )
    if known := tools(protocol):
        declared = [{"name": name, "parameters": {}} for name in known]
        (tmp_path / "tools.json").write_text(json.dumps({"tools": declared}), encoding="utf-8")
    (tmp_path / "1.txt").write_text(case["text"], encoding="utf-8", newline="")
    report = check(
        tmp_path, select=["RESPONSE", "CALL_UNKNOWN_TOOL"], ignore=["RESPONSE_CODE_IN_PROSE", "RESPONSE_LONG_PROSE"]
    )
    expected = {OTHER_NAMES.get(code, f"RESPONSE_{code.upper()}") for code in case["breaks"]}
    found = {diagnostic.code for diagnostic in report.diagnostics}
    assert found == expected
    assert not report.internal_errors


def test_every_code_of_the_cases_has_a_rule() -> None:
    codes = {code for code in RULES if code.startswith("RESPONSE_")} - {"RESPONSE_CALL_SYNTAX"}
    named = {
        OTHER_NAMES.get(kind.partition("/")[0], f"RESPONSE_{kind.partition('/')[0].upper()}") for kind in SENTENCES
    }
    assert named - {"RESPONSE_CALL_SYNTAX"} == codes
    assert len(codes) == 47


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<tool_call>\nread_file({ path: + })\n</tool_call>", [("RESPONSE_CALL_SYNTAX", "+")]),
        ("<tool_call>\nread_file({ path: <<A b\nA\n})\n</tool_call>", [("RESPONSE_HEREDOC_SYNTAX", "<<A")]),
        ("<tool_call>\nread_file({ path: <<A\nx\n})\n</tool_call>", [("RESPONSE_HEREDOC_UNTERMINATED", "<<A")]),
        ("<tool_call>\nread_file({ path: <<A\nA is\nA\n})\n</tool_call>", [("RESPONSE_HEREDOC_EARLY_CLOSE", "A")]),
        ("<tool_call>\nread_file()\n</tool_call>", [("RESPONSE_NOT_OBJECT_LITERAL", "read_file(")]),
        # An unclosed tag is the cause of what is wrong inside of it.
        ("<tool_call>\nread_file({ path: <<A\nx", [("RESPONSE_UNCLOSED_TAG", "<tool_call>")]),
    ],
)
def test_one_cause_gives_one_finding(text: str, expected: list[tuple[str, str]]) -> None:
    assert reported(text, "tagged", surface(["read_file"])) == expected


@pytest.mark.parametrize(
    ("protocol", "text", "target", "expected"),
    [
        ("tagged", "<assistant_prose>Hm.</assistant_prose>", {}, ["RESPONSE_MISSING_USER_RESPONSE"]),
        ("tagged", "<user_response>Yes.</user_response>", {}, []),
        ("tagged", "<assistant_prose>Hm.</assistant_prose><done>##DONE##</done>", {}, []),
        ("tagged", CALL, {}, []),
        ("tagged", "Hm.", {}, ["RESPONSE_STRAY_CONTENT"]),
        ("fenced-json", "Yes.", {}, []),
        ("fenced-json", "Yes.", {"done_sentinel": "READY"}, ["RESPONSE_SENTINEL_MISSING"]),
        ("fenced-json", "Yes. READY", {"done_sentinel": "READY"}, []),
    ],
)
def test_what_only_the_last_response_needs(
    protocol: str, text: str, target: dict[str, Any], expected: list[str]
) -> None:
    on = surface(["read_file"], **target)
    assert [code for code, _ in reported(text, protocol, on, final=True)] == expected
    of_the_last = {"RESPONSE_MISSING_USER_RESPONSE", "RESPONSE_SENTINEL_MISSING"}
    assert [code for code, _ in reported(text, protocol, on)] == [code for code in expected if code not in of_the_last]


def test_help_says_that_a_response_was_never_remapped(tmp_path: Path, check: Callable[..., Report]) -> None:
    (tmp_path / "1.txt").write_text('[[CALL]]\nread_file({ path: "a" })\n[[/CALL]]\n', encoding="utf-8")
    (diagnostic,) = check(tmp_path, "1.txt", kind="response", protocol="tagged").diagnostics
    assert diagnostic.code == "RESPONSE_BARE_CALL_OUTSIDE_TAGS"
    assert diagnostic.help is not None
    assert "wire to-canonical" in diagnostic.help


# Which protocol


def codes(report: Report) -> list[str]:
    return [diagnostic.code for diagnostic in report.diagnostics]


def test_the_flag_wins_over_the_settings_and_those_over_the_text(tmp_path: Path, check: Callable[..., Report]) -> None:
    write_files(tmp_path, {"1.txt": f"Hm.\n{CALL}"})
    assert codes(check(tmp_path, "1.txt", kind="response")) == ["RESPONSE_STRAY_CONTENT"]
    assert codes(check(tmp_path, "1.txt", kind="response", protocol="fenced-json")) == [
        "RESPONSE_CALL_NOT_IN_TOOL_FENCE"
    ]
    write_files(tmp_path, {"toolsurface.toml": 'protocol = "fenced-json"\n'})
    assert codes(check(tmp_path, "1.txt", kind="response")) == ["RESPONSE_CALL_NOT_IN_TOOL_FENCE"]
    assert codes(check(tmp_path, "1.txt", kind="response", protocol="tagged")) == ["RESPONSE_STRAY_CONTENT"]


@pytest.mark.parametrize("text", ["Hello.\n", f"{CALL}\n```tool\n{{}}\n```\n", ""])
def test_without_a_protocol_the_file_is_skipped(text: str, tmp_path: Path, check: Callable[..., Report]) -> None:
    write_files(tmp_path, {"1.txt": text})
    report = check(tmp_path, "1.txt", kind="response")
    assert report.diagnostics == ()
    assert [(skipped.path, skipped.reason) for skipped in report.skipped] == [
        ("1.txt", "a response of no known protocol")
    ]
    assert report.summary["files"] == report.summary["turns"] == 0


def test_a_text_is_no_response_unless_somebody_says_so(tmp_path: Path, check: Callable[..., Report]) -> None:
    write_files(tmp_path, {"prompts/1.md": "Hm.\n\n<tool_call>\nx\n</tool_call>\n\n<done></done>\n"})
    report = check(tmp_path)
    assert codes(report) == []
    assert report.summary["prompts"] == 1


def test_responses_count_as_turns(tmp_path: Path, check: Callable[..., Report]) -> None:
    write_files(tmp_path, {"1.txt": CALL + CALL, "2.txt": CALL})
    report = check(tmp_path, "1.txt", "2.txt", kind="response")
    assert (report.summary["turns"], report.summary["calls"], report.summary["files"]) == (2, 3, 2)


# The calls of a response

SURFACE = '[[surface]]\nname = "reader"\ntools = "agent/tools.json"\n{more}\n[kinds]\n"**/*.txt" = "response"\n'


@pytest.mark.parametrize("place", ["agent/runs/1.txt", "runs/1.txt"])
def test_a_response_meets_the_surface_that_it_lies_by(place: str, tmp_path: Path, check: Callable[..., Report]) -> None:
    settings = SURFACE.format(more='protocol = "tagged"\ndone-sentinel = "READY"\n')
    text = f"{CALL.replace('read_file', 'read_files')}<done>done</done>\n"
    write_files(
        tmp_path, {"toolsurface.toml": settings, "agent/tools.json": json.dumps({"tools": [READ]}), place: text}
    )
    report = check(tmp_path)
    assert [
        (diagnostic.code, diagnostic.surface)
        for diagnostic in report.diagnostics
        if diagnostic.location and diagnostic.location.path == place
    ] == [
        ("CALL_UNKNOWN_TOOL", "reader"),
        ("RESPONSE_DONE_MISMATCH", "reader"),
    ]
    given = check(tmp_path, place)
    assert codes(given) == ["CALL_UNKNOWN_TOOL", "RESPONSE_DONE_MISMATCH"]


def test_a_text_among_the_transcripts_of_a_surface_is_a_response(tmp_path: Path, check: Callable[..., Report]) -> None:
    settings = '[[surface]]\nname = "reader"\ntools = "tools.json"\ntranscripts = "runs/*"\nprotocol = "tagged"\n'
    write_files(
        tmp_path, {"toolsurface.toml": settings, "tools.json": json.dumps({"tools": [READ]}), "runs/1.txt": "Hm.\n"}
    )
    report = check(tmp_path, select=["RESPONSE"])
    assert codes(report) == ["RESPONSE_STRAY_CONTENT"]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ('read_file({ path: "a" })', []),
        (
            'read_file({ path: 1, lines: [1, "b"] })',
            [("CALL_INVALID_ARGUMENTS", "1"), ("CALL_INVALID_ARGUMENTS", '"b"')],
        ),
        ("read_file({ lines: [] })", [("CALL_INVALID_ARGUMENTS", "{ lines: [] }")]),
        ('read_file({ "file": "a" })', [("CALL_DEPRECATED_ALIAS", '"file"')]),
        ('delete_file({ path: "a" })', [("CALL_UNKNOWN_TOOL", "delete_file")]),
        ('write_file({ path: "a" })', [("CALL_OUTSIDE_POLICY", "write_file")]),
        ('read_file({ path: "/etc/x" })', [("CALL_ARG_CONSTRAINT_VIOLATED", '"/etc/x"')]),
        # The arguments are only checked once they parse.
        ("read_file({ path: 1, lines: })", [("RESPONSE_CALL_SYNTAX", "}")]),
        ("ledger({ note: 1 })", []),
    ],
)
@pytest.mark.parametrize("name", ["1.txt", "1.md"])
def test_the_calls_of_a_response_are_held_to_the_surface(
    call: str, expected: list[tuple[str, str]], name: str, tmp_path: Path, check: Callable[..., Report]
) -> None:
    policy = {
        "tools": ["read_file"],
        "tool_arg_constraints": [{"tool": "read_file", "arg_key": "path", "arg_patterns": ["a*"]}],
    }
    tools = {"tools": [READ, {**READ, "name": "write_file"}]}
    text = f"<tool_call>\n{call}\n</tool_call>\n"
    write_files(tmp_path, {"tools.json": json.dumps(tools), "policy.json": json.dumps(policy), name: text})
    report = check(tmp_path, name, kind="response", select=["CALL", "RESPONSE"])
    found = []
    for diagnostic in report.diagnostics:
        assert diagnostic.location is not None
        assert diagnostic.location.path == name
        start, end = diagnostic.location.span
        found.append((diagnostic.code, text[start:end]))
    assert found == expected


def test_the_calls_of_a_fenced_response_are_held_to_the_surface(tmp_path: Path, check: Callable[..., Report]) -> None:
    text = '```tool\n{ "name": "read_file", "args": { "path": 1 } }\n```\n```tool\n{ "name": "raed_file" }\n```\n'
    write_files(tmp_path, {"tools.json": json.dumps({"tools": [READ]}), "1.txt": text})
    report = check(tmp_path, "1.txt", kind="response", select=["CALL", "RESPONSE"])
    found = [(one.code, text[slice(*one.location.span)]) for one in report.diagnostics if one.location]
    assert found == [("CALL_INVALID_ARGUMENTS", "1"), ("CALL_UNKNOWN_TOOL", '"raed_file"')]


def test_a_json_encoded_call_of_an_unknown_tool_is_told_twice(tmp_path: Path, check: Callable[..., Report]) -> None:
    text = '<tool_call>\n{"name": "raed_file", "arguments": {}}\n</tool_call>\n'
    write_files(tmp_path, {"tools.json": json.dumps({"tools": [READ]}), "1.txt": text})
    report = check(tmp_path, "1.txt", kind="response", protocol="tagged", select=["CALL", "RESPONSE"])
    assert [(one.code, one.tool) for one in report.diagnostics] == [
        ("CALL_UNKNOWN_TOOL", "raed_file"),
        ("RESPONSE_JSON_ENCODED_CALL", None),
    ]


def test_positions_survive_line_ends_and_a_byte_order_mark(tmp_path: Path, check: Callable[..., Report]) -> None:
    (tmp_path / "1.txt").write_bytes(b"\xef\xbb\xbf" + f"\U0001f600 Hm.\r\n{CALL}".replace("\n", "\r\n").encode())
    (diagnostic,) = check(tmp_path, "1.txt", kind="response", protocol="tagged").diagnostics
    assert diagnostic.location is not None
    assert tuple(map(tuple, diagnostic.location.range)) == ((1, 1), (1, 6))


def test_every_kind_of_break_has_a_sentence() -> None:
    folder = Path(protocols.__path__[0])
    names = ("calls", "fenced_json", "json_calls", "narration", "tagged", "values")
    sources = "".join((folder / f"{name}.py").read_text(encoding="utf-8") for name in names)
    kinds = {*re.findall(r'(?:report|Error|Problem)\("([a-z]+_[a-z_/]+)"', sources)}
    kinds |= {*re.findall(r'"([a-z_]+/[a-z_]+[a-z])"', sources)}
    assert len(kinds) > 50
    sources_of_outputs = "".join(path.read_text(encoding="utf-8") for path in (folder / "outputs").glob("*.py"))
    raw = {*re.findall(r'report\(\s*"([a-z]+_[a-z_/]+)"', sources_of_outputs)}
    assert len(raw) > 15
    assert raw <= SENTENCES.keys()
    assert kinds - SENTENCES.keys() == {"unknown_tool", "opener_collapse", "argument_syntax/not_json", "too_deep"}


def messages(text: str, on: Surface) -> list[str]:
    response = read_response(TextTree(SourceText("1.txt", text)).root, "tagged", on)
    checks = Checks(lambda rule: rule.code.startswith("RESPONSE_"))
    return [finding.message for finding in checks.run(RESPONSE, response.place(Span(0, 0)), response, on)]


def test_a_sentence_says_what_becomes_of_the_call() -> None:
    on = surface(["read_file"])
    assert messages(f"<user_response>x</user_response>\n{CALL}", on) == [
        "this call comes after the answer, which ends the turn; the call still runs"
    ]
    assert messages("<done></done>", on) == ["`<done>` holds no completion sentinel"]


def test_the_command_says_that_a_response_is_final(tmp_path: Path) -> None:
    (tmp_path / "1.txt").write_text("<assistant_prose>The notes are there.</assistant_prose>\n")
    options = {"kind": "response", "protocol": "tagged", "select": ["RESPONSE"]}
    assert [each.code for each in check_paths([str(tmp_path / "1.txt")], final=True, **options).diagnostics] == [
        "RESPONSE_MISSING_USER_RESPONSE"
    ]
    assert not check_paths([str(tmp_path / "1.txt")], **options).diagnostics
