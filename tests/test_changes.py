"""Every pair in `fixtures/changes`: two versions of a surface, and exactly what is reported, with what breaks by the change.

Each folder has `old`, `new` and `expect.txt`: one line a finding, `path:line:col-line:col severity[CODE] message`, below it a
line for each related place, and what was not compared in the end. `python -m tests.regenerate` writes it.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.regenerate import UPDATE
from tests.work import lines_run
from toolsurface_lint.api import compare_paths
from toolsurface_lint.checks import all_rules
from toolsurface_lint.model.diagnostics import Location, Report
from toolsurface_lint.project.settings.selection import of_changes

CHANGES = Path(__file__).resolve().parents[1] / "fixtures" / "changes"
CASES = sorted(folder for folder in CHANGES.iterdir() if folder.is_dir())
CODES = sorted(rule.code for rule in all_rules() if of_changes(rule.code))


def lines(report: Report) -> Iterator[str]:
    for diagnostic in report.diagnostics:
        yield f"{at(diagnostic.location)} {diagnostic.severity}[{diagnostic.code}] {diagnostic.message}"
        for related in diagnostic.related:
            yield f"  {at(related.location)} {related.message}"
    assert report.compared is not None
    for unseen in report.compared.undecided:
        yield f"not compared: {unseen}"


def at(location: Location | None) -> str:
    if location is None:
        return "nowhere"
    (line, column), (end_line, end_column) = location.range
    return f"{location.path}:{line}:{column}-{end_line}:{end_column}"


@pytest.mark.generated
@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_a_change(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(folder, tmp_path / "case", ignore=shutil.ignore_patterns("expect.txt"))
    monkeypatch.chdir(tmp_path / "case")
    report = compare_paths("old", "new", isolated=True, extend_select=["CHANGE_TOOL_ADDED"])
    actual = "".join(f"{line}\n" for line in lines(report))
    expected = folder / "expect.txt"
    if UPDATE:
        expected.write_text(actual, encoding="utf-8", newline="")
    assert actual == expected.read_text(encoding="utf-8")
    assert report.compared is not None
    assert report.compared.old_tools > 0 < report.compared.new_tools
    if folder.name.startswith("silent-"):
        assert report.diagnostics == ()
    else:
        # One change each; a recorded call is named where it breaks, too. What was replaced is described in other words.
        codes = {diagnostic.code for diagnostic in report.diagnostics} - {"CHANGE_BREAKS_RECORDED_CALL"}
        assert len(codes) == 1 or codes == {"CHANGE_TOOL_RENAMED", "CHANGE_DESCRIPTION"}


def test_every_rule_has_a_pair() -> None:
    assert len(CASES) >= 30
    found = {
        code
        for folder in CASES
        for code in re.findall(r"^\S+ \w+\[([A-Z_]+)\]", (folder / "expect.txt").read_text(encoding="utf-8"), re.M)
    }
    assert found == set(CODES)


def tool(name: str, *parameters: str, kind: str = "string", description: str = "Does something.") -> dict[str, Any]:
    properties = {parameter: {"type": kind} for parameter in parameters}
    return {
        "name": name,
        "description": description,
        "inputSchema": {"type": "object", "properties": properties, "required": list(parameters[:1])},
    }


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (tool("get_user", "id", description="Gets a user."), tool("delete_user", "id", description="Deletes a user.")),
        (tool("get_user", "id"), tool("set_user", "id", description="Sets something.")),
        (tool("find", "text"), tool("search", "text", description="Looks for it.")),
    ],
)
def test_another_tool_is_not_a_new_name(
    old: dict[str, Any], new: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = tool("first_tool", "id"), tool("last_tool", "id")
    for version, middle in (("old", old), ("new", new)):
        (tmp_path / version).mkdir()
        text = json.dumps({"tools": [ends[0], middle, ends[1]]})
        (tmp_path / version / "tools.json").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    report = compare_paths("old", "new", extend_select=["CHANGE_TOOL_ADDED"])
    assert [diagnostic.code for diagnostic in report.diagnostics] == ["CHANGE_TOOL_ADDED", "CHANGE_TOOL_REMOVED"]


def removed(number: int) -> tuple[Any, Any]:
    return [tool(f"close_{each}_page", "id") for each in range(number)], [tool("open_page", "id")]


def renamed(number: int) -> tuple[Any, Any]:
    ways = ("close_{}_page", "end_{}_page")
    old, new = ([tool(way.format(each), "id") for each in range(number)] for way in ways)
    return old, new


def narrowed(number: int) -> tuple[Any, Any]:
    old, new = (
        [tool(f"close_{each}_page", "id", kind=kind) for each in range(number)] for kind in ("string", "integer")
    )
    return old, new


def of_one_name(number: int) -> tuple[Any, Any]:
    old, new = ([tool("close_page", f"{way}{each}") for each in range(number)] for way in "ab")
    return old, new


def of_many_parameters(number: int) -> tuple[Any, Any]:
    old, new = ([tool("close_page", *(f"{way}_{each}" for each in range(number)))] for way in ("one", "other"))
    return old, new


@pytest.mark.parametrize("versions", [removed, renamed, narrowed, of_one_name, of_many_parameters])
def test_work_grows_with_the_size(
    versions: Callable[[int], tuple[Any, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(number: int) -> int:
        folder = tmp_path / str(number)
        for version, tools in zip(("old", "new"), versions(number), strict=True):
            (folder / version / "prompts").mkdir(parents=True)
            (folder / version / "tools.json").write_text(json.dumps({"tools": tools}), encoding="utf-8")
        names = [f"close_{each}_page" for each in range(number)]
        prompt = "".join(f"Then call `{name}`: {name}(id='a').\n" for name in names)
        (folder / "new/prompts/system.md").write_text(prompt, encoding="utf-8")
        (folder / "new/policy.json").write_text(json.dumps({"tools": names}), encoding="utf-8")
        monkeypatch.chdir(folder)
        return lines_run(lambda: compare_paths("old", "new", isolated=True))

    work(2)
    small, large = work(20), work(80)
    assert large < 4 * 1.4 * small
