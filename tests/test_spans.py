"""Findings point at exactly the characters that they are about, in every format of file and of report.

In the written cases the marks `«` and `»` stand around the span that a finding must have; they are taken out before the file
is written. The generated ones re-read each reported span and compare it with the value that the finding is about.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import tomli
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.long import examples
from toolsurface_lint.api import check_paths
from toolsurface_lint.checks import HARN_CODES
from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.reporters import render

ENTRY = (
    '{"name": "read_file", "description": "Reads.", "parameters": {}, "executor": "harn", '
    '"annotations": {"kind": "read", "side_effect_level": "read_only"}}'
)
SURFACE_YAML = f"tools: [{ENTRY}]\n"
SURFACE_TOML = (
    '[[tools]]\nname = "read_file"\ndescription = "Reads."\nparameters = {}\nexecutor = "harn"\n'
    'annotations = {kind = "read", side_effect_level = "read_only"}\n'
)
TOOLS = f'{{"_type": "tool_registry", "tools": [{ENTRY}]}}\n'
UNKNOWN = "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"
LEVEL = "POLICY_UNKNOWN_SIDE_EFFECT_LEVEL"


class Case(NamedTuple):
    """One file with one marked span, beside `tools.json` where it is no surface of its own."""

    path: str
    text: str
    code: str = UNKNOWN


CASES = {
    "markdown-behind-an-emoji": Case("system.md", "# Work\n\nGo 🙂👩‍🚀 é «run_it»({}) now 🌿, or read_file({}).\n"),
    "markdown-at-the-start": Case("system.md", "«run_it»({}) or read_file({})"),
    "markdown-at-the-end": Case("system.md", "read_file({})\n\n<tool_call>«run_it»"),
    "markdown-in-a-table": Case("system.md", "| a | b |\n|---|---|\n| read_file({}) | `«run_it»({})` 🙂 |\n"),
    "json-escapes": Case("a.json", rf'{{"tools": [{ENTRY}], "prompt": "\"\\\t\u00e9\ud83d\ude00 «run_it»(\"x\") \/"}}'),
    "json-escaped-name": Case("a.json", rf'{{"tools": [{ENTRY}], "system": "a\n«\u0072un\u005fit»({{}})"}}'),
    "json-second-prompt": Case(
        "a.json", f'{{"tools": [{ENTRY}], "prompts": ["read_file({{}})", "🙂 «run_it»({{}})"]}}'
    ),
    "json-value": Case("policy.json", '{"_🙂": 1, "side_effect_level":\n «"r\\u00e9ad"»}', LEVEL),
    "json-key": Case(
        "policy.json", '{"side_effect_level": "none", «"si\\u0064e_effects"»: {"a": 1}}', "POLICY_UNKNOWN_FIELD"
    ),
    "yaml-literal-block": Case(
        "a.yaml", SURFACE_YAML + "prompt: |\n  # Work\n\n    indented 🙂\n  Go «run_it»({}) now.\n"
    ),
    "yaml-folded-block": Case(
        "a.yaml", SURFACE_YAML + "prompt: >-\n    One line\n    and 🙂\n\n    more «run_it»({}) here.\n"
    ),
    "yaml-indentation-indicator": Case("a.yaml", SURFACE_YAML + "prompt: |2+\n     deep\n   «run_it»({})\n\n"),
    "yaml-plain-over-lines": Case("a.yaml", SURFACE_YAML + "prompt: one\n  two 🙂\n\n  three «run_it»({})\n"),
    "yaml-single-quotes": Case("a.yaml", SURFACE_YAML + "prompt: 'it''s 🙂 «run_it»(''x'')'\n"),
    "yaml-double-quotes": Case("a.yaml", SURFACE_YAML + 'prompt: "a\\U0001F642\\x41 \\\n   b «run_it»(\\"x\\")"\n'),
    "yaml-value": Case("policy.yaml", "# 🙂\nside_effect_level: «'it''s'» # why\n", LEVEL),
    "yaml-key": Case("policy.yaml", "«side_effects»: 1\nside_effect_level: none\n", "POLICY_UNKNOWN_FIELD"),
    "toml-basic": Case("a.toml", 'prompt = "\\U0001F642\\t🙂 «run_it»(\\"x\\")"\n' + SURFACE_TOML),
    "toml-literal": Case("a.toml", "prompt = 'C:\\dir 🙂 «run_it»({})'\n" + SURFACE_TOML),
    "toml-multi-line": Case("a.toml", 'prompt = """\nOne \\\n   two 🙂\n"«run_it»({})"\n"""\n' + SURFACE_TOML),
    "toml-multi-line-literal": Case("a.toml", "prompt = '''\n'one' 🙂\n«run_it»({})'''\n" + SURFACE_TOML),
    "toml-value": Case("policy.toml", "# 🙂\nside_effect_level = «'''all'''»\n", LEVEL),
    "toml-key": Case(
        "policy.toml", 'side_effect_level = "none"\n«"side\\u005feffects"».a = 1\n', "POLICY_UNKNOWN_FIELD"
    ),
}
FORMS = ("lf", "crlf", "cr", "bom", "bom-crlf")
LINE_ENDS = {"crlf": "\r\n", "cr": "\r", "bom-crlf": "\r\n"}


def variants() -> list[Any]:
    # A lone carriage return ends no line in TOML.
    return [
        pytest.param(case, form, id=f"{name}-{form}")
        for name, case in CASES.items()
        for form in FORMS
        if form != "cr" or not case.path.endswith(".toml")
    ]


@pytest.mark.parametrize(("case", "form"), variants())
def test_the_marked_span_is_reported(case: Case, form: str, tmp_path: Path, check: Callable[..., Report]) -> None:
    marked = case.text.replace("\n", LINE_ENDS.get(form, "\n"))
    before, inside, after = re.split("[«»]", marked)
    text = before + inside + after
    bom = b"\xef\xbb\xbf" if form.startswith("bom") else b""
    (tmp_path / case.path).write_bytes(bom + text.encode())
    if not case.path.startswith(("a.", "policy")):
        (tmp_path / "tools.json").write_text(TOOLS, encoding="utf-8")
    report = check(tmp_path, select=[*HARN_CODES, "POLICY"])
    assert [diagnostic.code for diagnostic in report.diagnostics] == [case.code]

    start, end = position(before), position(before + inside)
    found = json.loads(render("json", report))["diagnostics"][0]
    assert found["range"] == {
        "start": {"line": start[0], "column": start[1]},
        "end": {"line": end[0], "column": end[1]},
    }

    lines = render("text", report).split("\n")
    assert lines[0].startswith(f"{case.path}:{start[0]}:{start[1]}: ")
    assert lines[2].split(" | ")[0].strip() == str(start[0])
    assert lines[3].strip(" |") == "^" * len(inside)

    # Columns in SARIF are UTF-16 code units, as the run says.
    run = json.loads(render("sarif", report))["runs"][0]
    region = run["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert run["columnKind"] == "utf16CodeUnits"
    assert (region["startLine"], region["startColumn"]) == (start[0], start[1] + astral(before))
    assert (region["endLine"], region["endColumn"]) == (end[0], end[1] + astral(before + inside))


def position(text: str) -> tuple[int, int]:
    """The line and column behind a text, from 1, in code points."""
    ends = [match.end() for match in re.finditer(r"\r\n|\r|\n", text)]
    return len(ends) + 1, len(text) - (ends[-1] if ends else 0) + 1


def astral(text: str) -> int:
    """How many code points of the last line take two UTF-16 code units."""
    return sum(character > "\uffff" for character in re.split(r"\r\n|\r|\n", text)[-1])


# --- generated surfaces ----------------------------------------------------------------------------------------------

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12)
# In YAML 1.2 more texts are numbers than those that the writer, which follows 1.1, puts in quotes.
NAMES = ANY_TEXT.map(lambda text: f"n{text}" if text[0] in "0123456789+-." else text)
# Nothing that hides a call or takes it for code.
FILLER = st.text("aä🌿 \n\t'\"\\", max_size=15)
CALLS = st.text("abcdefgh", min_size=1, max_size=6).map(lambda letters: f"run_{letters}")
PROMPTS = st.lists(st.tuples(FILLER, CALLS), min_size=1, max_size=4)


@st.composite
def surfaces(draw: st.DrawFn) -> tuple[dict[str, Any], Counter[tuple[str, str]]]:
    """A surface document, and what must be found in it: codes with the texts that they point at."""
    expected: Counter[tuple[str, str]] = Counter()
    tools = []
    for name in draw(st.lists(NAMES, unique=True, max_size=4)):
        tools.append(
            {"name": name, "description": "x", "annotations": {"kind": "read", "side_effect_level": "read_only"}}
        )
        expected["TOOL_SURFACE_MISSING_SCHEMA", name] += 1
        expected["TOOL_SURFACE_MISSING_EXECUTOR", name] += 1
    denied = draw(st.lists(NAMES.filter(lambda text: "*" not in text), unique=True, max_size=3))
    for pattern in denied:
        if all(tool["name"] != pattern for tool in tools):
            expected["TOOL_SURFACE_APPROVAL_PATTERN_NO_MATCH", pattern] += 1
    approval: dict[str, Any] = {"auto_deny": denied}
    for key in draw(st.lists(NAMES.filter(lambda text: text[0] != "_"), unique=True, max_size=2)):
        approval[key] = 1
        expected["POLICY_UNKNOWN_FIELD", key] += 1
    prompts = []
    for pieces in draw(st.lists(PROMPTS, max_size=3)):
        prompts.append("".join(f"{filler} {call}({{}})" for filler, call in pieces))
        expected.update((UNKNOWN, call) for _, call in pieces)
    return {"tools": tools, "approval_policy": approval, "prompts": ["x", *prompts]}, expected


def found_in(report: Report, text: str, reread: Callable[[str], Any]) -> Counter[tuple[str, str]]:
    """The codes of a report with the texts that their spans re-read to."""
    found: Counter[tuple[str, str]] = Counter()
    for diagnostic in report.diagnostics:
        assert diagnostic.location is not None
        raw = text[diagnostic.location.span.start : diagnostic.location.span.end]
        found[diagnostic.code, raw if diagnostic.code == UNKNOWN else reread(raw)] += 1
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("generated")


def outcome(folder: Path, name: str, text: str, bom: bool, reread: Callable[[str], Any]) -> Counter[tuple[str, str]]:
    path = folder / name
    path.write_bytes((b"\xef\xbb\xbf" if bom else b"") + text.encode())
    report = check_paths([str(path)], isolated=True, select=[*HARN_CODES, "POLICY"])
    return found_in(report, text, reread)


QUICK = settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.slow
@QUICK
@given(
    surfaces(), st.booleans(), st.sampled_from([None, 0, 2, "\t"]), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans()
)
def test_spans_in_generated_json(
    folder: Path, surface: Any, ascii_only: bool, indent: int | str | None, line_end: str, bom: bool
) -> None:
    text = json.dumps(surface[0], ensure_ascii=ascii_only, indent=indent).replace("\n", line_end)
    assert outcome(folder, "surface.json", text, bom, json.loads) == surface[1]


@pytest.mark.slow
@QUICK
@given(
    surfaces(),
    st.sampled_from([None, "'", '"', "|", ">"]),
    st.booleans(),
    st.sampled_from([False, True, None]),
    st.sampled_from([10, 80, 1000]),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
)
def test_spans_in_generated_yaml(
    folder: Path,
    surface: Any,
    style: str | None,
    allow_unicode: bool,
    flow: bool | None,
    width: int,
    line_end: str,
    bom: bool,
) -> None:
    texts = [text for _, text in surface[1]]
    if style in ("|", ">") and any(text[0] in " \n\x85\u2028\u2029" for text in texts):
        # An indentation indicator counts from the parent, which a scalar by itself does not have.
        style = None
    if any(set(text) & set("\x85\u2028\u2029") for text in texts):
        # Line ends to the writer, which does not read back what it writes; escaped, they are safe.
        allow_unicode = False
    text = yaml.safe_dump(
        surface[0],
        default_style=style,
        allow_unicode=allow_unicode,
        default_flow_style=flow,
        width=width,
        line_break=line_end,
    )
    assert outcome(folder, "surface.yaml", text, bom, yaml.safe_load) == surface[1]


@st.composite
def toml_strings(draw: st.DrawFn, text: str) -> str:
    """A text as a TOML string, in any of the styles that can hold it."""
    escaped = json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
    styles = [escaped]
    if "\\\\" not in escaped:
        styles.append('"""\n' + escaped[1:-1].replace("\\n", "\n") + '"""')
    if all(character == "\t" or " " <= character != "\x7f" for character in text):
        if "'" not in text:
            styles.append(f"'{text}'")
        if "'''" not in text and not text.endswith("'"):
            styles.append(f"'''\n{text}'''")
    return draw(st.sampled_from(styles))


@pytest.mark.slow
@QUICK
@given(st.data(), surfaces(), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_spans_in_generated_toml(folder: Path, data: st.DataObject, surface: Any, line_end: str, bom: bool) -> None:
    def string(text: str) -> str:
        return data.draw(toml_strings(text))

    document, expected = surface
    lines = ["prompts = [" + ", ".join(map(string, document["prompts"])) + ",]", "[approval_policy]"]
    for key, value in document["approval_policy"].items():
        written = "[" + ",\n ".join(map(string, value)) + "]" if isinstance(value, list) else str(value)
        lines.append(f"{json.dumps(key, ensure_ascii=False)} = {written}".replace("\x7f", "\\u007f"))
    for tool in document["tools"]:
        lines += ["[[tools]]", f"name = {string(tool['name'])}", 'description = "x"']
        lines += ['annotations.kind = "read"', 'annotations.side_effect_level = "read_only"']
    if not document["tools"]:
        lines.insert(0, "tools = []")
    text = "\n".join(lines).replace("\n", line_end)
    assert outcome(folder, "surface.toml", text, bom, lambda raw: tomli.loads(f"x = {raw}")["x"]) == expected
