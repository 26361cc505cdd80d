"""What is reported depends on what is looked at: not on the order or the spelling of the paths, the working directory,
the number of processes, the order in which a file system lists, or the seed of Python's hashes.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.files import write_files
from tests.long import examples
from toolsurface_lint import check_paths
from toolsurface_lint.model.diagnostics import Report, Skipped
from toolsurface_lint.programs import flow
from toolsurface_lint.reporters import RenderOptions, render

pytestmark = pytest.mark.slow

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"

SERVER = '''\
"""A server."""

from mcp.server.fastmcp import FastMCP

from names import TITLE

mcp = FastMCP(TITLE)


@mcp.tool()
def {name}(path) -> str:
    """Does it."""
    return path
'''


def tools(*names: str) -> str:
    schema = {"type": "object", "properties": {"note": {"type": "string"}}}
    return json.dumps({"tools": [{"name": name, "description": "Do it.", "inputSchema": schema} for name in names]})


def lay(root: Path) -> Path:
    """Three agents that share names of files, tools and Python modules, and a folder of what belongs to all of them."""
    files = {
        "alpha/tools.json": tools("read_note", "send_note", "send-note"),
        "alpha/prompts/system.md": "Call `read_note` first.\n\nThen call `send_notes({})`.\n",
        "alpha/prompts/deep/more.md": "Then call `send_notes({})`, or `fetch_note({})`.\n",
        "alpha/notes.md": "Only notes: `send_notes({})`.\n",
        "alpha-two/tools.yaml": "tools:\n  - name: read_note\n    description: Do it.\n",
        "alpha-two/broken.json": '{"tools": [',
        "alpha-two/policy.toml": '[capability_policy]\ntools = ["read_note", "drop_note"]\n',
        "beta/server.py": SERVER.format(name="fetch"),
        "beta/names.py": 'TITLE = "beta"\n',
        "beta/nothing.py": "x = 1\n",
        "beta/sub/server.py": SERVER.format(name="fetch"),
        "beta/sub/names.py": 'TITLE = "sub"\n',
        "beta/runs/one.jsonl": '{"messages": [{"role": "user", "content": "Hello"}]}\n',
        "shared/AGENTS.md": "Call `fetch({})`.\n",
        "shared/empty.json": "",
        "shared/other.json": "[1, 2, 3]\n",
        "shared/pair.json": tools("left", "left"),
    }
    write_files(root, files)
    (root / "shared/CLAUDE.md").symlink_to("AGENTS.md")
    (root / "shared/linked.json").symlink_to("../alpha/tools.json")
    return root


@pytest.fixture(scope="module", params=["a folder", "a repository"])
def project(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = lay(tmp_path_factory.mktemp("same") / "project")
    if request.param == "a repository":
        subprocess.run(["git", "init", "-q", str(root)], check=True, timeout=60)
    return root


def reports(paths: Sequence[str], jobs: int = 1) -> tuple[str, str, str]:
    report = check_paths(paths, jobs=jobs)
    options = RenderOptions(root=os.getcwd())
    return render("text", report, options), render("json", report, options), render("sarif", report, options)


FOLDERS = ["alpha", "alpha-two", "beta", "shared"]
BELOW = [*FOLDERS, "alpha/prompts", "alpha/prompts/deep", "beta/sub", "beta/runs"]


def spellings(root: Path, path: str) -> list[str]:
    return [path, f"{path}/", f"./{path}", f"{path}/.", f"alpha/../{path}", str(root / path), f"{root}/beta//../{path}"]


def every_file(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file() and ".git" not in path.parts}


def test_every_file_is_inspected_or_said_to_be_left_out(project: Path) -> None:
    with contextlib.chdir(project):
        report = check_paths(["."])
        told = {skipped.path: skipped.reason for skipped in report.skipped}
        inspected = {path for surface in report.surfaces for path in surface.files}
        inspected |= {diagnostic.location.path for diagnostic in report.diagnostics if diagnostic.location}
        assert inspected.isdisjoint(told)
        assert inspected | told.keys() == every_file(project)
        assert told["beta/nothing.py"] == "not recognised"
        assert told["shared/CLAUDE.md"] == told["shared/linked.json"] == "another name of a file that is found"


def test_any_order_of_folders_gives_the_same_reports(project: Path) -> None:
    with contextlib.chdir(project):
        expected = reports(FOLDERS)
        assert len(check_paths(FOLDERS).diagnostics) == 8
        for order in list(permutations(FOLDERS))[1::3]:
            assert reports(order) == expected


@settings(max_examples=examples(8))
@given(chosen=st.lists(st.tuples(st.sampled_from(BELOW), st.integers(0, 6)), max_size=8), at=st.integers(0, 30))
def test_folders_named_beside_what_they_lie_in_change_nothing(
    project: Path, chosen: list[tuple[str, int]], at: int
) -> None:
    with contextlib.chdir(project):
        paths = [spellings(project, path)[how] for path, how in chosen]
        paths.insert(at % (len(paths) + 1), ".")
        assert reports(paths) == reports(["."])


@settings(max_examples=examples(8))
@given(
    order=st.permutations(FOLDERS), how=st.lists(st.integers(0, 6), min_size=4, max_size=4),
    more=st.lists(st.sampled_from(BELOW), max_size=4),
)  # fmt: skip
def test_any_spelling_of_folders_gives_the_same_reports(
    project: Path, order: list[str], how: list[int], more: list[str]
) -> None:
    with contextlib.chdir(project):
        paths = [spellings(project, path)[form] for path, form in zip(order, how, strict=True)] + more
        assert reports(paths) == reports(FOLDERS)
        if (project / ".git").exists():
            # In a repository, its root is what bounds a surface: the folders of all files are all that there is.
            assert reports(paths) == reports(["."])


@settings(max_examples=examples(8))
@given(chosen=st.lists(st.integers(0, 200), min_size=2, max_size=12))
def test_files_given_by_name_are_one_set(project: Path, chosen: list[int]) -> None:
    with contextlib.chdir(project):
        files = sorted(every_file(project))
        names = [files[number % len(files)] for number in chosen]
        shuffled = random.Random(sum(chosen)).sample(names, len(names))
        expected = reports(sorted(set(names)))
        assert reports([spellings(project, name)[0] for name in shuffled]) == expected
        assert reports([f"./{name}" for name in shuffled] + [str(project / names[0])]) == expected


def test_files_given_beside_their_folder_change_nothing_that_it_says(project: Path) -> None:
    """Except that what is given by name is read although its own name says nothing: the folder leaves it out."""
    with contextlib.chdir(project):
        expected = check_paths(["."])
        skipped = {each.path for each in expected.skipped}
        files = sorted(every_file(project) - skipped)
        assert reports([*files, "."]) == reports([".", *reversed(files)]) == reports(["."])
        more = check_paths([".", "alpha/notes.md"])
        assert [each for each in expected.skipped if each not in more.skipped] == [
            Skipped("alpha/notes.md", "not recognised")
        ]
        assert more.diagnostics == check_paths(["alpha/notes.md", "."]).diagnostics
        assert set(more.diagnostics) > set(expected.diagnostics)


def test_a_link_and_its_file_given_together_are_one_file(project: Path) -> None:
    with contextlib.chdir(project):
        both = check_paths(["shared/linked.json", "alpha/tools.json"])
        alone = check_paths(["alpha/tools.json"])
        assert both.diagnostics == alone.diagnostics != ()
        assert Skipped("shared/linked.json", "another name of a file that is found") in both.skipped
        # The file itself lies beside the link that is named: it is no second list of the same tools.
        named = check_paths(["shared/linked.json"])
        assert {diagnostic.code for diagnostic in named.diagnostics} == {"TOOL_SURFACE_CONFUSABLE_TOOLS"}


def absolute(report: Report, project: Path) -> Any:
    """A report with every path as its file system knows it, without the names of surfaces, which are such paths too."""
    shown = {each.path for each in report.skipped} | {path for each in report.surfaces for path in each.files}
    names = {path: os.path.realpath(path) for path in shown | set(report.sources)}
    pattern = re.compile("|".join(re.escape(path) for path in sorted(names, key=len, reverse=True)) or "(?!)")
    return (
        sorted(
            repr((
                each.code, each.severity, pattern.sub(lambda found: names[found[0]], each.message),
                None if each.location is None else (names[each.location.path], each.location.range),
            ))
            for each in report.diagnostics
        ),
        sorted((names[each.path], each.reason) for each in report.skipped),
        sorted((each.valid, each.tools, [names[path] for path in each.files]) for each in report.surfaces),
        report.summary,
    )  # fmt: skip


def test_any_working_directory_gives_the_same_report(project: Path, tmp_path: Path) -> None:
    (tmp_path / "to project").symlink_to(project)
    places = {
        project: [".", str(project), "../project"],
        project.parent: ["project", "./project/"],
        project / "alpha/prompts": ["../..", str(project)],
        project / "beta/sub": ["../../alpha/.."],
        tmp_path: [str(project), os.path.relpath(project, tmp_path), "to project"],
        tmp_path / "to project": ["."],
        Path("/"): [str(project)],
    }
    found = []
    for place, paths in places.items():
        with contextlib.chdir(place):
            found += [absolute(check_paths([path]), project) for path in paths]
    assert found[0][0]
    assert all(each == found[0] for each in found)


def test_a_folder_below_is_the_same_from_inside_it(project: Path) -> None:
    """A prompt is known by its folder's name wherever the command is run, and the tools around it in its repository."""
    found = []
    for place, path in ((project, "alpha/prompts"), (project / "alpha", "prompts"), (project / "alpha/prompts", ".")):
        with contextlib.chdir(place):
            found.append(absolute(check_paths([path]), project))
    assert found[0][3]["prompts"] == 2
    assert found[0] == found[1]
    # Without a repository, nothing above the working directory is read.
    assert (found[2] == found[0]) is (project / ".git").exists()


JOBS = (2, 3, 8)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("paths", [["."], FOLDERS, ["alpha"], ["shared", "alpha"]], ids=" ".join)
def test_any_number_of_processes_reports_the_same(project: Path, paths: list[str]) -> None:
    _any_number_of_processes(project, paths)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize(
    "folder", ["surfaces", "hostile", "rules/TOOL_SCHEMA_INVALID", "rules/TOOL_SURFACE_DUPLICATE_TOOL"]
)
def test_any_number_of_processes_reports_the_same_of_fixtures(folder: str, tmp_path: Path) -> None:
    """Away from the repository, all of which would be searched for the tools of a policy."""
    shutil.copytree(FIXTURES / folder, tmp_path / folder)
    _any_number_of_processes(tmp_path, [folder])


def _any_number_of_processes(place: Path, paths: Sequence[str]) -> None:
    with contextlib.chdir(place):
        expected = reports(paths)
        for jobs in JOBS:
            assert reports(paths, jobs) == expected


NAMES = st.sampled_from(["read_note", "send_note", "send-note", "sent_note", "drop_note"])
CONTENTS = st.one_of(
    st.tuples(
        st.sampled_from(["tools.json", "more.json"]),
        st.lists(NAMES, min_size=1, max_size=4).map(lambda names: tools(*names)),
    ),
    st.tuples(
        st.sampled_from(["AGENTS.md", "prompts/system.md", "prompts/deep/more.md"]),
        st.lists(NAMES, max_size=4).map(lambda names: "".join(f"Call `{name}({{}})`.\n\n" for name in names) + "End."),
    ),
    st.tuples(
        st.sampled_from(["responses/1.txt", "responses/2.txt"]),
        NAMES.map(lambda name: f'<tool_call>\n{name}({{ path: "a" }})\n</tool_call>\n'),
    ),
    st.tuples(
        st.just("policy.toml"), NAMES.map(lambda name: f'[capability_policy]\ntools = ["{name}", "read_note"]\n')
    ),
    NAMES.map(lambda name: ("notes.md", f"<!-- toolsurface-lint: ignore-next-line -->\nCall `{name}({{}})`.\n")),
    NAMES.map(lambda name: ("runs/one.jsonl", json.dumps(CONVERSATION).replace("read_note", name) + "\n")),
    NAMES.map(lambda name: (".claude/settings.json", json.dumps({"permissions": {"allow": [f"mcp__a__{name}"]}}))),
    st.sampled_from(
        [
            ("broken.json", '{"tools": ['),
            (".mcp.json", '{"mcpServers": {"a": {"command": "a"}}}'),
            ("server.py", SERVER.format(name="fetch")),
            ("names.py", 'TITLE = "a"\n'),
            ("other.json", "[1]"),
        ]
    ),
)
CONVERSATION = {
    "messages": [
        {"role": "user", "content": "Hello"},
        {
            "role": "assistant",
            "tool_calls": [{"id": "1", "type": "function", "function": {"name": "read_note", "arguments": "{"}}],
        },
    ]
}
FILES = st.tuples(st.sampled_from(["", "a", "a/b", "a/c", "b", "b/a", "c/a/b"]), CONTENTS)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.usefixtures("eager")
@pytest.mark.slow
@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=st.lists(FILES, min_size=4, max_size=24))
def test_any_number_of_processes_reports_the_same_of_any_tree(
    tmp_path: Path, files: list[tuple[str, tuple[str, str]]]
) -> None:
    root = tmp_path / "tree"
    shutil.rmtree(root, ignore_errors=True)
    for folder, (name, text) in files:
        path = root / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    with contextlib.chdir(root):
        expected = reports(["."])
        for jobs in JOBS:
            assert reports(["."], jobs) == expected


def test_the_order_in_which_a_file_system_lists_has_no_part(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scandir = os.scandir
    for seed in range(4):
        with contextlib.chdir(project):
            expected = reports(["."])

            class Shuffled:
                def __init__(self, path: str, number: int = seed) -> None:
                    with scandir(path) as entries:
                        self._entries = sorted(entries, key=lambda entry: entry.name)
                    random.Random(number).shuffle(self._entries)

                def __enter__(self) -> Iterator[os.DirEntry[str]]:
                    return iter(self._entries)

                def __exit__(self, *_: object) -> None:
                    return

            with monkeypatch.context() as patch:
                patch.setattr(os, "scandir", Shuffled)
                assert reports(["."]) == expected


def test_the_seed_of_hashes_has_no_part(project: Path, tmp_path: Path) -> None:
    found = []
    outputs = [part for form in ("text", "json", "sarif") for part in ("--output", f"{form}={tmp_path}/{form}")]
    for seed in ("0", "1", "7", "4242"):
        done = subprocess.run(
            [sys.executable, "-P", "-m", "toolsurface_lint", "check", *outputs, str(project), "surfaces"],
            cwd=FIXTURES, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=False, timeout=120,
        )  # fmt: skip
        assert done.returncode == 1
        found.append(tuple((tmp_path / form).read_bytes() for form in ("text", "json", "sarif")))
    assert len(set(found)) == 1


# Eighty turns of three loops: more than a small project may take.
BOMB = "items = [" + "1, " * 80 + "]\nfor a in items:\n  for b in items:\n    for c in items:\n      d = a + b + c\n"


def test_what_one_project_takes_leaves_the_others_as_they_are(tmp_path: Path) -> None:
    """Python files that import nothing of one another are followed each in steps of its own."""
    head = "from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('x')\n"
    tool = "@mcp.tool()\ndef {}(path: str) -> str:\n  '''Does it.'''\n  return path\n"
    for name, text in {
        "a/server.py": head + BOMB + tool.format("late"),
        "b/server.py": head + tool.format("early") + BOMB + tool.format("late"),
        "c/server.py": head + tool.format("alone"),
        "d/helper.py": "LIST = 1\n",
        "d/server.py": "import helper\n" + head + tool.format("helped"),
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert len(BOMB) * flow.STEPS_A_CHARACTER < 80**3
    with contextlib.chdir(tmp_path):
        for order in permutations("abcd"):
            report = check_paths(order)
            assert [(each.name, each.open, each.tools) for each in report.surfaces] == [
                ("b", True, ("early",)), ("c", False, ("alone",)), ("d", False, ("helped",))
            ]  # fmt: skip
            assert report.skipped == (
                Skipped("a/server.py", "more code than is followed"),
                Skipped("d/helper.py", "not recognised"),
            )


def test_of_two_files_that_an_import_may_mean_the_order_chooses_none(tmp_path: Path) -> None:
    """A package hides a file of its name; of two around the importer, the nearest is meant, and none beside it."""
    main = (
        "from mcp.server.fastmcp import FastMCP\nfrom {} import NAME\nmcp = FastMCP('x')\n"
        "@mcp.tool(name=NAME)\ndef f() -> str:\n  return ''\n"
    )
    for name, text in {
        "x/main.py": main.format("common.names"),
        "common/names.py": "NAME = 'far'\n",
        "x/common/names.py": "NAME = 'near'\n",
        "y/common/names.py": "NAME = 'beside'\n",
        "w/main.py": main.format("names"),
        "w/names.py": "NAME = 'file'\n",
        "w/names/__init__.py": "NAME = 'package'\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    with contextlib.chdir(tmp_path):
        for order in permutations(("w", "x", "y", "common")):
            tools = {tool for each in check_paths(order).surfaces for tool in each.tools}
            assert tools == {"near", "package"}
