"""Every fixable fixture, in every syntax and in several disguises, through the real fixing path.

What is held to: the fixes converge; a second run changes nothing; what was fixed still parses, by other parsers than ours
too; nothing with a fix is left, and nothing new is reported by any rule; every byte outside the declared edits stays.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.files import write_files
from toolsurface_lint.api import check_paths
from toolsurface_lint.checks import HARN_CODES, all_rules
from toolsurface_lint.checks.pages import page
from toolsurface_lint.model.diagnostics import Report, TextEdit
from toolsurface_lint.reporters import RenderOptions, render
from toolsurface_lint.run import fixes
from toolsurface_lint.run.fixes import Outcome, fix, write

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
FIXABLE = {rule.code: rule for rule in all_rules() if rule.fix is not None}
CASES = sorted(folder for code in FIXABLE for folder in (FIXTURES / "rules" / code).glob("fires*"))
SETTINGS = ("toolsurface.toml", "pyproject.toml")
MARK = "\ufeff"


def name_of(folder: Path) -> str:
    return f"{folder.parent.name}-{folder.name}"


def selection(code: str) -> list[str]:
    """A suppression is of use only where there is something to hide."""
    return [*HARN_CODES, "POLICY", "SUPPRESSION", "INPUT"] if code.startswith("SUPPRESSION_") else [code, "INPUT"]


# --- disguises --------------------------------------------------------------------------------------------------------


def as_written(name: str, text: str) -> str:
    return text


def as_windows_writes(name: str, text: str) -> str:
    """Behind a byte order mark, and with carriage returns."""
    text = text if "\r" in text else text.replace("\n", "\r\n")
    return text if text.startswith(MARK) else MARK + text


def behind_astral_characters_without_a_last_line_end(name: str, text: str) -> str:
    return behind_astral_characters(name, text).rstrip("\r\n")


def behind_astral_characters(name: str, text: str) -> str:
    """Characters that are one code point, two UTF-16 units and four bytes, before everything that is fixed."""
    signs = "\U0001f600\U0001d4b3"
    suffix = Path(name).suffix
    if suffix in (".yaml", ".toml", ".py"):
        return f"# {signs}\n{text}"
    if suffix == ".md":
        return text.replace("---\n", f"---\n# {signs}\n", 1) if text.startswith("---\n") else f"{signs}\n\n{text}"
    if suffix == ".prompt":
        return f"{signs}\n{text}"
    if '"description": "' in text:
        return text.replace('"description": "', f'"description": "{signs} ')
    # Not before the servers of a project: nothing else may stand beside them.
    if suffix not in (".json", ".jsonc") or "mcpServers" in text:
        return text
    member = f'"name": "{signs}"' if '"rules"' in text else f'"_{signs}": 1'
    return text.replace("{", f"{{{member}, ", 1)


DISGUISES = [as_written, as_windows_writes, behind_astral_characters_without_a_last_line_end]


def disguise(folder: Path, change: Callable[[str, str], str]) -> None:
    for path in folder.rglob("*"):
        if path.is_file() and path.name not in SETTINGS:
            text = path.read_bytes().decode("utf-8", "surrogatepass")
            path.write_bytes(change(path.name, text).encode("utf-8", "surrogatepass"))


# --- the path that the command takes, watched -------------------------------------------------------------------------


class Watched:
    """Checks the working directory, and keeps each round: the bytes of the files, and the report about them."""

    def __init__(self, select: list[str] | None) -> None:
        self.select = select
        self.rounds: list[tuple[dict[str, bytes], Report]] = []

    def __call__(self, unsaved: Mapping[str, bytes]) -> Report:
        report = check_paths(["."], select=self.select, unsaved=unsaved)
        files = contents()
        files.update({os.path.relpath(path): data for path, data in unsaved.items()})
        self.rounds.append((files, report))
        return report


def contents() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def fix_all(select: list[str] | None = None, *, unsafe: bool = True) -> tuple[Outcome, Watched]:
    watched = Watched(select)
    outcome = fix(watched, ["."], unsafe=unsafe)
    for change in outcome.changes:
        write(change)
    return outcome, watched


def spliced(data: bytes, edits: list[TextEdit]) -> bytes:
    """The bytes of a file after edits: everything outside their spans is copied."""
    mark = len(MARK.encode()) if data.startswith(MARK.encode()) else 0
    text = data[mark:].decode("utf-8", "surrogatepass")

    def offset(characters: int) -> int:
        return mark + len(text[:characters].encode("utf-8", "surrogatepass"))

    for edit in sorted(edits, key=lambda edit: edit.location.span, reverse=True):
        start, end = map(offset, edit.location.span)
        data = data[:start] + edit.text.encode() + data[end:]
    return data


def declared(report: Report) -> dict[str, list[TextEdit]]:
    """The edits of one round, by file: of fixes that meet, the first; one that several findings ask for, once."""
    made: list[TextEdit] = []
    for diagnostic in report.diagnostics:
        edits = diagnostic.fix.edits if diagnostic.fix is not None else ()
        if not any(meets(edit, other) for edit in edits for other in made):
            made.extend(edits)
    by_file: dict[str, list[TextEdit]] = {}
    for edit in made:
        by_file.setdefault(edit.location.path, []).append(edit)
    return by_file


def meets(edit: TextEdit, other: TextEdit) -> bool:
    if edit.location.path != other.location.path:
        return False
    one, two = edit.location.span, other.location.span
    return one == two or (one.start < two.end and two.start < one.end)


def parse(name: str, data: bytes) -> Any:
    """What another parser than ours makes of a file; None for what there is none for."""
    text = data.decode("utf-8-sig", "surrogatepass")
    if name.endswith(".json"):
        return json.loads(text)
    if name.endswith(".jsonl"):
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    if name.endswith(".yaml"):
        return list(yaml.safe_load_all(text))
    if name.endswith(".toml"):
        return tomllib.loads(text.replace("\r\n", "\n"))
    if name.endswith(".py"):
        return ast.parse(text)
    return None


def parses(name: str, data: bytes) -> bool:
    try:
        parse(name, data)
    except (ValueError, SyntaxError, yaml.YAMLError):
        return False
    return True


def counted() -> Counter[tuple[str, str]]:
    """How many findings every file has of every rule there is."""
    found = check_paths(["."], select=["ALL"]).diagnostics
    return Counter((d.location.path if d.location else "", d.code) for d in found)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("change", DISGUISES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("folder", CASES, ids=name_of)
def test_fixing_a_fixture(folder: Path, change: Callable[[str, str], str], here: Path) -> None:
    code = folder.parent.name
    shutil.copytree(folder, here, ignore=shutil.ignore_patterns("expect.txt"), dirs_exist_ok=True)
    plain = check_paths(["."], select=selection(code))
    if change is not as_written and not any(d.fix is not None for d in plain.diagnostics):
        return  # What has no fix as it is written is looked at once.
    disguise(here, change)
    originals = contents()
    before = check_paths(["."], select=selection(code))
    # A disguise hides nothing: what is found, and what of it can be fixed, is the same.
    assert [(d.code, d.fix is None) for d in before.diagnostics] == [(d.code, d.fix is None) for d in plain.diagnostics]
    could = {name for name, data in originals.items() if parses(name, data)}

    everything = counted() if any(d.fix is not None for d in before.diagnostics) else Counter()
    outcome, watched = fix_all(selection(code))
    assert (outcome.stable, outcome.refused, outcome.more) == (True, (), 0)
    assert (outcome.fixed > 0) == any(d.fix is not None for d in before.diagnostics)
    if outcome.fixed == 0:
        assert (outcome.changes, contents()) == ((), originals)
        return
    for (files, report), (following, _) in zip(watched.rounds, watched.rounds[1:], strict=False):
        edits = declared(report)
        assert following == {name: spliced(data, edits.get(name, [])) for name, data in files.items()}
    assert contents() == watched.rounds[-1][0]
    assert all(parses(name, data) for name, data in contents().items() if name in could)

    after = check_paths(["."], select=selection(code))
    assert after.diagnostics == outcome.report.diagnostics
    assert [d for d in after.diagnostics if d.fix is not None] == []
    revealed = FIXABLE[code].reveals
    assert [(path, found) for path, found in counted() - everything if found not in revealed] == []

    again, _ = fix_all(selection(code))
    assert (again.changes, again.fixed) == ((), 0)


@pytest.mark.slow
@pytest.mark.parametrize("code", sorted(FIXABLE))
def test_a_rule_that_declares_fixes_has_some_applied(code: str, here: Path) -> None:
    """And they stand in SARIF, one for one."""
    applied = set()
    for folder in (case for case in CASES if case.parent.name == code):
        shutil.rmtree(here)
        here.mkdir()
        os.chdir(here)
        shutil.copytree(folder, here, ignore=shutil.ignore_patterns("expect.txt"), dirs_exist_ok=True)
        before = check_paths(["."], select=selection(code))
        sarif = json.loads(render("sarif", before, RenderOptions()))
        shown = [result["ruleId"] for result in sarif["runs"][0]["results"] if "fixes" in result]
        assert Counter(shown) == Counter(d.code for d in before.diagnostics if d.fix is not None)
        left = fix_all(selection(code))[0].report.diagnostics
        gone = Counter(d.code for d in before.diagnostics) - Counter(d.code for d in left)
        if gone[code]:
            applied.update(d.fix.safe for d in before.diagnostics if d.code == code and d.fix is not None)
    assert applied
    # The least safe kind is what the rule declares.
    assert (False in applied) == (FIXABLE[code].fix == "unsafe")


@pytest.mark.parametrize("code", sorted(FIXABLE))
def test_the_page_says_what_the_fix_does_and_how_safe_it_is(code: str) -> None:
    text = page(code)
    assert text is not None
    cure = text.partition("\n## How to fix\n")[2].partition("\n## Options\n")[0]
    said = [paragraph for paragraph in cure.split("\n\n") if paragraph.startswith("The fix ")]
    assert len(said) == 1
    assert FIXABLE[code].fix in re.findall(r"\bunsafe\b|\bsafe\b", said[0])


# --- what no single fixture shows -------------------------------------------------------------------------------------

TOOLS = (
    '{"tools": [{"name": "read_notes", "description": "Shows the saved notes.", "inputSchema": {"type": "object",'
    ' "additionalProperties": false, "properties": {"words": {"type": "string", "description": "Words."}}}},'
    ' {"name": "find_notes", "description": "Looks for saved notes.", "inputSchema": {"type": "object"}}]}\n'
)


def test_several_fixes_in_one_line(here: Path) -> None:
    prompt = "\U0001f600 read_note({ wordz: 1 }), find_note({}), then read_note({ wordz: 2 })\r\n"
    write_files(here, {"tools.json": TOOLS, "system.md": prompt})
    outcome, watched = fix_all(["PROMPT", "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"])
    # The arguments are looked at once the names are right.
    assert (outcome.fixed, len(watched.rounds)) == (5, 3)
    fixed = prompt.replace("read_note", "read_notes").replace("find_note", "find_notes").replace("wordz", "words")
    assert (here / "system.md").read_bytes() == fixed.encode()


def test_fixes_in_several_files_at_once(here: Path) -> None:
    files = {
        "tools.json": TOOLS,
        "policy.toml": "side_effect_level = 'read-only'\ntools = ['read_note', 'find_notes']\n",
        "approval.yaml": "auto_approve:\n  - find_note # all\n",
        "prompts/a.md": "Call find_note({}).\n",
        "prompts/b.md": "Call find_notes({}).\n",
    }
    write_files(here, files)
    outcome, _ = fix_all(["POLICY", "TOOL_SURFACE"])
    assert [change.display for change in outcome.changes] == ["approval.yaml", "policy.toml", "prompts/a.md"]
    assert (
        here / "policy.toml"
    ).read_text() == "side_effect_level = 'read_only'\ntools = ['read_notes', 'find_notes']\n"
    assert (here / "approval.yaml").read_text() == "auto_approve:\n  - find_notes # all\n"
    assert (here / "prompts/a.md").read_text() == "Call find_notes({}).\n"


SHARED = """[[surface]]
name = "one"
tools = ["one.json"]
prompts = ["system.md"]

[[surface]]
name = "two"
tools = ["{two}.json"]
prompts = ["system.md"]
"""


def test_a_file_of_two_surfaces_is_fixed_once(here: Path) -> None:
    write_files(here, {"one.json": TOOLS, "two.json": TOOLS, "system.md": "Call read_note({}).\n"})
    write_files(here, {"toolsurface.toml": SHARED.format(two="two")})
    outcome, _ = fix_all(["TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"])
    assert (outcome.stable, outcome.fixed) == (True, 1)
    assert (here / "system.md").read_text() == "Call read_notes({}).\n"


def test_what_two_surfaces_would_name_otherwise_settles(here: Path) -> None:
    """The name that one surface asks for is as wrong to the other: each is close to its own, so nobody can win."""
    write_files(here, {"one.json": TOOLS, "two.json": TOOLS.replace("read_notes", "read_noted")})
    write_files(here, {"system.md": "Call read_note({}).\n", "toolsurface.toml": SHARED.format(two="two")})
    outcome, _ = fix_all(["TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"])
    assert (here / "system.md").read_text() == "Call read_note({}).\n"
    assert outcome.changes == ()


def test_one_edit_that_several_findings_ask_for_is_made_once(here: Path) -> None:
    write_files(here, {"policy.toml": "[[tool_arg_constraints]]\ntool = '*_notes'\narg_key = 'wordz'\n"})
    write_files(here, {"tools.json": TOOLS.replace('"inputSchema": {"type": "object"}', '"inputSchema": {"type":'
                ' "object", "properties": {"words": {"type": "string"}}}')})  # fmt: skip
    outcome, watched = fix_all(["TOOL_SURFACE_UNKNOWN_ARG_CONSTRAINT_KEY"])
    assert (outcome.fixed, len(watched.rounds)) == (2, 2)
    assert (here / "policy.toml").read_text().endswith("arg_key = 'words'\n")


def test_a_key_that_one_of_several_tools_takes_stays(here: Path) -> None:
    write_files(here, {"tools.json": TOOLS, "policy.toml": "[[tool_arg_constraints]]\ntool = '*'\narg_key = 'words'\n"})
    outcome, _ = fix_all(["TOOL_SURFACE_UNKNOWN_ARG_CONSTRAINT_KEY"])
    assert len(outcome.report.diagnostics) == 1
    assert outcome.changes == ()


@pytest.mark.parametrize("select", [["TEMPLATE_UNKNOWN_FILTER"], ["POLICY"], None])
def test_what_breaks_a_file_is_noticed_whatever_is_selected(
    select: list[str] | None, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No fix of ours breaks a file; one is bent here so that it does."""
    files = {
        "prompts/a.harn.prompt": "Hello {{ name | uper }}.\n",
        "policy.toml": "side_effect_level = 'none'\nrecursion_limits = 2\n",
    }
    write_files(here, files)
    real = fixes._edited
    monkeypatch.setattr(fixes, "_edited", lambda text, edits: real(text, edits) + "{{ if\n= x\n")
    outcome, _ = fix_all(select)
    assert outcome.changes == ()
    assert {reason for _, reason in outcome.refused} == {"its fixes would leave it with a problem of syntax"}
    assert all((here / name).read_text() == text for name, text in files.items())


def test_a_key_that_is_there_already_is_not_written_again(here: Path) -> None:
    text = '{"permission": {"webfetch": "ask", "web_fetch": "deny"}}'
    write_files(here, {"opencode.json": text, "policy.json": '{"tools": [], "side_effect_level": "none", "tool": []}'})
    outcome, _ = fix_all(["POLICY"])
    assert [d.code for d in outcome.report.diagnostics if "web_fetch" in d.message] == ["POLICY_UNKNOWN_TOOL"]
    assert outcome.changes == ()


def test_codes_of_a_block_go_only_with_those_of_its_end(here: Path) -> None:
    """Taken out of the start alone, they would leave it without its end."""
    codes = "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL, POLICY"
    lines = [
        f"<!-- toolsurface-lint: ignore-start[{codes}] -->",
        "run_it({})",
        "<!-- toolsurface-lint: ignore-end{} -->",
    ]
    for end, changed in ((f"[{codes}]", False), ("", True)):
        prompt = "\n".join(["Call read_notes({}).", "", *lines[:2], lines[2].format(end), ""])
        write_files(here, {"tools.json": TOOLS, "system.md": prompt})
        outcome, _ = fix_all([*HARN_CODES, "SUPPRESSION", "POLICY"])
        assert (here / "system.md").read_text() == (prompt.replace(", POLICY", "") if changed else prompt)
        assert "SUPPRESSION_UNCLOSED" not in {d.code for d in outcome.report.diagnostics}


# --- recordings are evidence ------------------------------------------------------------------------------------------

RECORDED = {
    "messages": [
        {"role": "system", "content": "Call read_note({ wordz: 1 })."},
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": '```json\n{"name": "read_notes", "arguments": {}}\n```'},
    ],
    "tools": [
        {
            "type": "function",
            "function": {
                "name": "read_notes",
                "description": "Shows\u200b the saved notes.",
                "parameters": {"type": "object", "properties": {"words": {"type": "str"}}},
            },
        }
    ],
}


@pytest.mark.parametrize("name", ["run.json", "run.jsonl"])
def test_nothing_in_a_transcript_is_changed(name: str, here: Path) -> None:
    write_files(here, {name: json.dumps(RECORDED) + "\n", "toolsurface.toml": 'protocol = "fenced-json"\n'})
    before = contents()
    outcome, _ = fix_all(["ALL"])
    assert "RESPONSE_WRONG_INFO_STRING" in {d.code for d in outcome.report.diagnostics}
    assert [d for d in outcome.report.diagnostics if d.fix is not None] == []
    assert (outcome.fixed, contents()) == (0, before)


def test_the_same_outside_of_a_transcript_is(here: Path) -> None:
    write_files(here, {"tools.json": json.dumps(RECORDED["tools"])})
    outcome, _ = fix_all(["TOOL_DESCRIPTION_INVISIBLE_CHARACTER", "TOOL_SCHEMA_INVALID"])
    assert outcome.fixed == 2
    assert (here / "tools.json").read_text() == json.dumps(RECORDED["tools"]).replace("\\u200b", "").replace(
        '"str"', '"string"'
    )


# --- characters that nobody sees, in every way to write them -----------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("t.json", '"Shows\\u200b\\u2060 it."', '"Shows it."'),
        ("t.json", '"Shows\\udb40\\udc68\\uDB40\\uDC69 it\\n."', '"Shows it\\n."'),
        ("t.json", '"\U0001f600 Shows\u200b \\"it\\"."', '"\U0001f600 Shows \\"it\\"."'),
        ("t.yaml", '"Shows\\u200B it \\x41\\xAD."', '"Shows it \\x41."'),
        ("t.yaml", "Shows\u200b it.", "Shows it."),
        ("t.yaml", "'Shows\u200b ''it''.'", "'Shows ''it''.'"),
        ("t.yaml", "|\n    Shows\u200b\n    it.", "|\n    Shows\n    it."),
        ("t.yaml", ">-\n    Shows\n    \u2060it.", ">-\n    Shows\n    it."),
        # Without it, a list, a comment or another word would stand there.
        ("t.yaml", "\u200b- Shows it.", None),
        ("t.yaml", "Shows it \u200b#1.", None),
        ("t.yaml", "tr\u200bue", None),
        ("t.toml", '"Shows\\u200b\\U0000200b it."', '"Shows it."'),
        ("t.toml", "'''\nShows\u200b it.'''", "'''\nShows it.'''"),
        ("t.py", '"Shows\\u200b\\N{ZERO WIDTH SPACE}\\x41 it."', '"Shows\\x41 it."'),
        ("t.py", "r'Shows\u200b it.'", "r'Shows it.'"),
        ("t.py", "'''Shows\u200b\n    it.'''", "'''Shows\n    it.'''"),
        ("t.py", "('Shows' '\\u200b it.')", "('Shows' ' it.')"),
        ("t.py", "f'Shows\u200b it.'", "f'Shows it.'"),
        # Across two literals, behind an escape that it ends, behind a backslash.
        ("t.py", "('Shows\\u200b' '\\u200b it.')", None),
        ("t.py", "'Shows \\1\u200b2.'", None),
        ("t.py", "'Shows \\\u200bn.'", None),
    ],
)
def test_characters_are_taken_out_of_every_literal(name: str, before: str, after: str | None, here: Path) -> None:
    frames = {
        ".json": '[{{"name": "show_it", "description": {}, "inputSchema": {{"type": "object"}}}}]\n',
        ".yaml": "tools:\n- name: show_it\n  description: {}\n  inputSchema: {{type: object}}\n",
        ".toml": "[[tools]]\nname = 'show_it'\ndescription = {}\ninputSchema = {{type = 'object'}}\n",
        ".py": "from mcp.server.fastmcp import FastMCP\n\nmcp = FastMCP('x')\n\n\n@mcp.tool(description={})\n"
        "def show_it() -> str:\n    return ''\n",
    }
    frame = frames[Path(name).suffix]
    write_files(here, {name: frame.format(before)})
    outcome, _ = fix_all(["TOOL_DESCRIPTION_INVISIBLE_CHARACTER", "TOOL_DESCRIPTION_HIDDEN_TEXT", "INPUT"])
    assert (here / name).read_bytes() == frame.format(before if after is None else after).encode()
    assert outcome.refused == ()


def test_an_escape_of_a_control_character_is_left_alone(here: Path) -> None:
    """`\\b` was meant as two letters, and a backspace hides what stands before it."""
    write_files(
        here, {"t.json": '[{"name": "a", "description": "Finds \\bword\\b.", "inputSchema": {"type": "object"}}]'}
    )
    outcome, _ = fix_all(["TOOL_DESCRIPTION_INVISIBLE_CHARACTER"])
    assert (len(outcome.report.diagnostics), outcome.changes) == (1, ())
