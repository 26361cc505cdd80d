"""Versions of a project in commits: which commit a revision means, and what is read of it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from toolsurface_lint.api import compare_paths
from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.project import versions
from toolsurface_lint.project.git import Repository
from toolsurface_lint.project.versions import VersionMissing

Git = Callable[..., str]


def declare(path: Path, **parameters: str) -> None:
    """Tools that each have one required parameter of a type."""
    path.parent.mkdir(parents=True, exist_ok=True)
    tools = [
        {
            "name": name,
            "description": f"Does {name}.",
            "inputSchema": {"type": "object", "properties": {"id": {"type": kind}}, "required": ["id"]},
        }
        for name, kind in parameters.items()
    ]
    path.write_text(json.dumps({"tools": tools}, indent=1), encoding="utf-8")


@pytest.fixture
def project(git: Git, here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose last commit has removed a tool, with one more change in the work tree."""
    folder = here / "project"
    declare(folder / "server/tools.json", read_page="string", drop_page="string", list_pages="string")
    (folder / "system.md").write_text("Call `drop_page` in the end.\n", encoding="utf-8")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")
    git(folder, "tag", "-a", "-m", "x", "v1")
    declare(folder / "server/tools.json", read_page="string", list_pages="string")
    git(folder, "commit", "-qam", "two")
    declare(folder / "server/tools.json", read_page="integer", list_pages="string")
    monkeypatch.chdir(folder)
    return folder


def said(report: Report) -> list[str]:
    return [
        f"{found.location.path}: {found.message}" for found in report.diagnostics if found.location is not None
    ]  # fmt: skip


REMOVED = "server/tools.json: the tool `drop_page` was removed"
NARROWED = "server/tools.json: `id` of `read_page` accepted a string, and now accepts only an integer"


class TestWhichCommit:
    @pytest.mark.parametrize("revision", ["HEAD~1", "HEAD^", "@~1", "main~1", "v1", "refs/tags/v1", "main^1"])
    def test_a_name(self, revision: str, git: Git, project: Path) -> None:
        repository = Repository.around(str(project))
        assert repository is not None
        first = git(project, "rev-parse", "HEAD~1").strip()
        assert repository.commit(revision) == first
        git(project, "pack-refs", "--all")
        assert repository.commit(revision) == first
        assert repository.commit(first) == repository.commit(first[:9]) == first

    @pytest.mark.parametrize(
        "revision",
        ["HEAD~7", "nothing", "--help", "-1", "HEAD:server", "HEAD@{1}", "../main", "", "main..v1", "0" * 40, ":/one"],
    )
    def test_what_is_none(self, revision: str, project: Path) -> None:
        repository = Repository.around(str(project))
        assert repository is not None
        assert repository.commit(revision) is None

    def test_a_remote_branch(self, git: Git, project: Path, here: Path) -> None:
        git(here, "clone", "-q", str(project), "clone")
        repository = Repository.around(str(here / "clone"))
        assert repository is not None
        assert repository.commit("origin/main~1") == git(project, "rev-parse", "HEAD~1").strip()

    def test_a_shallow_clone(self, git: Git, project: Path, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        git(here, "clone", "-q", "--depth", "1", f"file://{project}", "clone")
        monkeypatch.chdir(here / "clone")
        with pytest.raises(VersionMissing, match=r"HEAD~1: no such file or folder, nor a commit .* shallow"):
            compare_paths("HEAD~1")


class TestWhatIsRead:
    def test_a_commit_and_the_work_tree(self, project: Path) -> None:
        report = compare_paths("HEAD~1")
        assert said(report) == [REMOVED, NARROWED]
        assert [related.location.path for related in report.diagnostics[0].related] == ["system.md"]
        assert report.compared is not None
        assert report.compared[:4] == ("HEAD~1", "the working tree", 3, 2)

    def test_two_commits(self, project: Path) -> None:
        assert said(compare_paths("HEAD~1", "HEAD")) == [REMOVED]
        assert said(compare_paths("HEAD", "HEAD~1")) == []

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("HEAD:server", None),
            ("HEAD", "server"),
            ("HEAD:server/tools.json", "server/tools.json"),
            ("HEAD:./server/tools.json", None),
        ],
    )
    def test_a_part_of_a_commit(self, old: str, new: str | None, project: Path) -> None:
        assert said(compare_paths(old, new)) == [NARROWED]

    def test_from_a_folder_below(self, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(project / "server")
        assert said(compare_paths("HEAD")) == [NARROWED.removeprefix("server/")]
        assert said(compare_paths("HEAD:./tools.json")) == [NARROWED.removeprefix("server/")]

    def test_a_file_that_is_gone(self, git: Git, project: Path) -> None:
        (project / "server/tools.json").unlink()
        declare(project / "other/tools.json", send_page="string")
        report = compare_paths("HEAD~1")
        assert [(found.code, found.location and found.location.path) for found in report.diagnostics] == [
            ("CHANGE_TOOL_REMOVED", "other/tools.json"),
            ("CHANGE_TOOL_REMOVED", "other/tools.json"),
            ("CHANGE_TOOL_REMOVED", "system.md"),
        ]
        assert report.diagnostics[2].message == "the tool `drop_page` was removed with `server/tools.json`"

    def test_a_file_that_moved(self, git: Git, project: Path) -> None:
        git(project, "checkout", "-q", "--", ".")
        (project / "moved").mkdir()
        (project / "server/tools.json").rename(project / "moved/list.json")
        assert said(compare_paths("HEAD")) == []

    def test_a_program_of_a_commit_is_read_with_what_it_imports(self, git: Git, project: Path) -> None:
        (project / "names.py").write_text('FIND = "find_page"\n', encoding="utf-8")
        text = "from fastmcp import FastMCP\nfrom names import FIND\n\nmcp = FastMCP('x')\n\n\n@mcp.tool(name=FIND)\n"
        (project / "program.py").write_text(f"{text}def find(text: str) -> str: ...\n", encoding="utf-8")
        git(project, "add", ".")
        git(project, "commit", "-qm", "three")
        (project / "program.py").write_text(f"{text}def find(text: int) -> str: ...\n", encoding="utf-8")
        report = compare_paths("HEAD:program.py")
        assert [(found.code, found.tool) for found in report.diagnostics] == [("CHANGE_TYPE_NARROWED", "find_page")]

    def test_a_link_of_a_commit_is_not_followed(self, git: Git, project: Path, here: Path) -> None:
        declare(here / "secret.json", secret_tool="string")
        os.symlink(here / "secret.json", project / "linked.json")
        git(project, "add", ".")
        git(project, "commit", "-qm", "three")
        report = compare_paths("HEAD", "HEAD")
        assert report.compared is not None
        assert report.compared.old_tools == report.compared.new_tools == 2

    def test_settings_of_the_work_tree_hold_for_both(self, project: Path) -> None:
        (project / "toolsurface.toml").write_text('exclude = ["server/**"]\n', encoding="utf-8")
        report = compare_paths("HEAD")
        assert report.compared is not None
        assert report.compared[2:4] == (0, 0)

    def test_nothing_is_written(self, git: Git, project: Path) -> None:
        before = git(project, "status", "--porcelain", "--ignored")
        compare_paths("HEAD~1")
        assert git(project, "status", "--porcelain", "--ignored") == before

    def test_too_much(self, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(versions, "MOST_FILES", 0)
        with pytest.raises(VersionMissing, match="more than 0 files: name a folder"):
            compare_paths("HEAD")
        monkeypatch.undo()
        monkeypatch.chdir(project)
        monkeypatch.setattr(versions, "MOST_BYTES", 10)
        report = compare_paths("HEAD", "HEAD")
        assert [skipped.reason for skipped in report.skipped] == ["too large to be read from a commit"] * 2


@pytest.mark.parametrize(
    ("old", "message"),
    [
        ("nothing.json", "nothing.json: no such file or folder, nor a commit of this repository"),
        ("HEAD:nothing", "HEAD:nothing: the commit has no `nothing`"),
        ("HEAD:../../x", "HEAD:../../x: this path leads out of the repository"),
        ("", ": no such file or folder"),
    ],
)
def test_what_cannot_be_compared(old: str, message: str, project: Path) -> None:
    with pytest.raises(VersionMissing) as raised:
        compare_paths(old, ".")
    assert str(raised.value).startswith(message)


def test_outside_a_repository(here: Path) -> None:
    with pytest.raises(VersionMissing, match=r"^HEAD: no such file or folder$"):
        compare_paths("HEAD")


@pytest.mark.parametrize(
    ("cut", "path", "relative"),
    [
        ("src", "src/a.json", "a.json"),
        ("src", "src", ""),
        ("src", "src2/a.json", "src2/a.json"),
        ("src/a.py", "src/a.py:server", ":server"),
        (".", "src/a.json", "src/a.json"),
        (".", ".claude/a.json", ".claude/a.json"),
    ],
)
def test_paths_as_both_versions_have_them(cut: str, path: str, relative: str, here: Path) -> None:
    version = versions.Version("x", versions.Project(versions.Settings(str(here))), True, cut)
    assert version.relative(path) == relative
