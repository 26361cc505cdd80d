"""What the door says of earlier commits, and what is reported of tools that were declared in them."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from lsprotocol import types

from tests.work import memory_taken
from toolsurface_lint.api import check_paths
from toolsurface_lint.model.target import Target
from toolsurface_lint.project import git as door
from toolsurface_lint.project.git import GitFailed, Repository, process
from toolsurface_lint.project.history import History
from toolsurface_lint.project.project import Reading
from toolsurface_lint.server.workspace import Workspace

Git = Callable[..., str]

PROMPT = "You look after pages. The text comes from `read_page`.\n"
REMOVED = "the prompt names the tool `read_page`, which is no longer declared; the last commit declares it"
ON_BRANCH = "the prompt names the tool `read_page`, which is no longer declared; it was where this branch began"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def declare(path: Path, *names: str) -> None:
    schema = {"type": "object", "properties": {}}
    tools = [{"name": name, "description": f"Does {name}.", "inputSchema": schema} for name in names]
    write(path, json.dumps(tools, indent=1))


def commit(git: Git, folder: Path) -> str:
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "x")
    return git(folder, "rev-parse", "HEAD").strip()


@pytest.fixture
def project(git: Git, here: Path) -> Path:
    """A repository with three tools and a prompt that mentions one of them, in its last commit."""
    folder = here / "project"
    declare(folder / "tools.json", "list_pages", "read_page", "write_note")
    write(folder / "prompts/system.md", PROMPT)
    git(folder, "init", "-q", "-b", "main")
    commit(git, folder)
    return folder


def found(folder: Path, *names: str) -> list[str]:
    """What is said of the prompts when these files, or else the folder, are checked."""
    report = check_paths([str(folder / name) for name in names] or [str(folder)])
    return [
        diagnostic.message
        for diagnostic in report.diagnostics
        if diagnostic.location is not None and diagnostic.location.path.endswith(".md")
    ]


def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The git commands that are run from now on, other than for lists of files."""
    names: list[str] = []
    run = process.run

    def count(arguments: list[str], *rest: object) -> bytes:
        names.extend({"ls-tree", "cat-file", "merge-base"} & set(arguments))
        return run(arguments, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(door, "run", count)
    return names


class TestWhatTheDoorSays:
    def test_the_commit_that_is_checked_out(self, git: Git, here: Path) -> None:
        folder = here / "project"
        write(folder / "a.json", "[]")
        git(folder, "init", "-q")
        repository = Repository(str(folder), str(folder / ".git"), str(folder / ".git"))
        assert repository.head() is None
        last = commit(git, folder)
        assert repository.head() == last
        git(folder, "pack-refs", "--all")
        assert not list((folder / ".git/refs/heads").iterdir())
        assert repository.head() == last
        git(folder, "checkout", "-q", "--detach")
        assert repository.head() == last

    def test_a_linked_work_tree_has_a_commit_of_its_own(self, git: Git, project: Path, here: Path) -> None:
        git(project, "worktree", "add", "-q", "-b", "other", str(here / "linked"))
        declare(here / "linked/tools.json", "list_pages")
        last = commit(git, here / "linked")
        repository = Repository.around(str(here / "linked"))
        assert repository is not None
        assert repository.head() == last != git(project, "rev-parse", "HEAD").strip()

    @pytest.mark.parametrize(
        "content",
        [
            "ref: ../elsewhere",
            "ref: refs/../../elsewhere",
            "ref: refs//elsewhere",
            "ref: HEAD",
            "--help",
            "ref: refs/a b",
        ],
    )
    def test_a_name_that_leads_out_of_the_repository_is_not_followed(
        self, content: str, git: Git, project: Path
    ) -> None:
        last = git(project, "rev-parse", "HEAD").strip()
        for place in (project / "elsewhere", project / ".git/elsewhere", project / ".git/refs/a b"):
            write(place, last)
        (project / ".git/HEAD").write_text(content + "\n", encoding="utf-8")
        repository = Repository.around(str(project))
        assert repository is not None
        assert repository.head() is None

    def test_names_that_lead_in_a_circle(self, git: Git, project: Path) -> None:
        (project / ".git/refs/heads/main").write_text("ref: refs/heads/main\n", encoding="utf-8")
        repository = Repository.around(str(project))
        assert repository is not None
        assert repository.head() is None

    def test_the_commit_where_branches_went_apart(self, git: Git, project: Path) -> None:
        base = git(project, "rev-parse", "HEAD").strip()
        write(project / "more.txt", "1")
        other = commit(git, project)
        git(project, "update-ref", "refs/remotes/origin/main", other)
        git(project, "checkout", "-q", "-b", "mine", base)
        write(project / "own.txt", "1")
        last = commit(git, project)
        repository = Repository.around(str(project))
        assert repository is not None
        assert repository.default_branch() == other
        assert repository.merge_base(last, other) == base
        git(project, "update-ref", "refs/remotes/origin/trunk", base)
        git(project, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
        assert repository.default_branch() == base

    def test_the_files_of_a_commit(self, git: Git, project: Path) -> None:
        (project / "link.json").symlink_to("tools.json")
        write(project / "ä b/c.json", "[]\n")
        last = commit(git, project)
        repository = Repository.around(str(project))
        assert repository is not None
        tree = repository.tree(last)
        assert sorted(tree) == ["prompts/system.md", "tools.json", "ä b/c.json"]
        assert tree["ä b/c.json"] == git(project, "rev-parse", "HEAD:ä b/c.json").strip()
        contents = repository.blobs(tree.values(), 1000)
        assert contents[tree["ä b/c.json"]] == b"[]\n"
        assert contents[tree["tools.json"]] == (project / "tools.json").read_bytes()
        assert tree["tools.json"] not in repository.blobs(tree.values(), 60)

    def test_more_files_than_git_is_given_at_once(self, git: Git, project: Path) -> None:
        for number in range(150):
            write(project / f"more/{number}.json", f"[{number}]")
        tree = (repository := Repository(str(project), str(project / ".git"), str(project / ".git"))).tree(
            commit(git, project)
        )
        contents = repository.blobs(tree.values(), 1000)
        assert len(contents) == 152
        assert all(contents[tree[f"more/{number}.json"]] == b"[%d]" % number for number in range(150))

    @pytest.mark.parametrize("name", ["..", ".git", "."])
    def test_a_path_that_leads_elsewhere_is_left_out(self, name: str, git: Git, project: Path, here: Path) -> None:
        blob = git(project, "rev-parse", "HEAD:tools.json").strip()
        inner = b"100644 tools.json\0" + bytes.fromhex(blob)
        (here / "inner").write_bytes(inner)
        tree = git(project, "hash-object", "--literally", "-t", "tree", "-w", str(here / "inner")).strip()
        (here / "outer").write_bytes(b"40000 " + name.encode() + b"\0" + bytes.fromhex(tree))
        outer = git(project, "hash-object", "--literally", "-t", "tree", "-w", str(here / "outer")).strip()
        last = git(project, "commit-tree", "-m", "x", outer).strip()
        repository = Repository.around(str(project))
        assert repository is not None
        # Some versions do not list such a tree at all.
        with suppress(GitFailed):
            assert repository.tree(last) == {}

    def test_trees_that_name_one_another_without_end(
        self, git: Git, project: Path, here: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tree = git(project, "rev-parse", "HEAD^{tree}").strip()
        for _ in range(12):
            entries = b"".join(b"40000 %d\0" % number + bytes.fromhex(tree) for number in range(10))
            (here / "tree").write_bytes(entries)
            tree = git(project, "hash-object", "--literally", "-t", "tree", "-w", str(here / "tree")).strip()
        git(project, "update-ref", "HEAD", git(project, "commit-tree", "-m", "x", tree).strip())
        monkeypatch.setattr(door, "_MOST_PATHS", 1 << 20)
        repository = Repository.around(str(project))
        assert repository is not None
        with pytest.raises(GitFailed, match="more than 1,048,576 bytes"):
            repository.tree(str(repository.head()))
        declare(project / "tools.json", "list_pages", "open_page", "write_note")
        assert found(project) == []
        with pytest.raises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)


class TestWhatIsReported:
    def test_a_tool_that_was_renamed(self, git: Git, project: Path) -> None:
        assert found(project) == []
        declare(project / "tools.json", "list_pages", "fetch_text", "write_note")
        assert found(project) == [REMOVED]
        (diagnostic,) = check_paths([str(project)], select=["TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"]).diagnostics
        assert diagnostic.help == "did you mean `fetch_text`?"
        assert diagnostic.fix is not None
        assert [edit.text for edit in diagnostic.fix.edits] == ["fetch_text"]

    def test_a_name_that_was_never_declared_says_as_little_as_before(self, git: Git, project: Path) -> None:
        write(project / "prompts/system.md", PROMPT.replace("read_page", "page_text"))
        declare(project / "tools.json", "list_pages", "fetch_text", "write_note")
        assert found(project) == []

    def test_the_prompt_alone_as_a_hook_names_it(self, git: Git, project: Path) -> None:
        declare(project / "tools.json", "list_pages", "write_note")
        git(project, "add", ".")
        assert found(project, "prompts/system.md") == [REMOVED]
        assert found(project, "tools.json", "prompts/system.md") == [REMOVED]

    def test_two_tools_that_went_and_one_that_came_are_no_plain_renaming(self, git: Git, project: Path) -> None:
        declare(project / "tools.json", "fetch_text", "write_note")
        (diagnostic,) = check_paths([str(project)], select=["TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"]).diagnostics
        assert diagnostic.help is None
        assert diagnostic.fix is None

    def test_a_close_name_is_reported_once(self, git: Git, project: Path) -> None:
        declare(project / "tools.json", "list_pages", "read_pages", "write_note")
        assert found(project) == [REMOVED]

    def test_a_single_word_that_was_a_tool(self, git: Git, project: Path) -> None:
        declare(project / "tools.json", "list_pages", "read_page", "fetch")
        write(project / "prompts/system.md", "Read pages. Use `fetch` for those of others.\n")
        declare(project / "tools.json", "list_pages", "read_page")
        assert found(project) == []
        declare(project / "tools.json", "list_pages", "read_page", "fetch")
        commit(git, project)
        declare(project / "tools.json", "list_pages", "read_page", "download")
        assert found(project) == [REMOVED.replace("read_page", "fetch")]

    @pytest.mark.parametrize(
        "text",
        [
            "There is no `read_page` any more.",
            "Never use `read_page`.",
            "Use `list_pages` instead of `read_page`.",
            "The parameter `read_page` says which.",
        ],
    )
    def test_what_a_sentence_says_of_it_still_counts(self, text: str, git: Git, project: Path) -> None:
        write(project / "prompts/system.md", f"{text}\n")
        declare(project / "tools.json", "list_pages", "write_note")
        assert found(project) == []

    def test_a_prompt_for_coding_clients(self, git: Git, project: Path) -> None:
        write(project / "AGENTS.md", "# Notes\n\nPages are read with `read_page` and `apply_patch`.\n")
        declare(project / "tools.json", "list_pages", "write_note")
        assert found(project, "AGENTS.md") == [REMOVED]

    def test_a_tool_of_python_that_keeps_its_function(self, git: Git, project: Path) -> None:
        program = (
            "from mcp.server.fastmcp import FastMCP\n\nmcp = FastMCP('pages')\n\n\n"
            "@mcp.tool()\ndef read_page(number: int) -> str:\n    '''Read a page.'''\n    return ''\n"
        )
        (project / "tools.json").unlink()
        write(project / "pages/server.py", program)
        commit(git, project)
        assert found(project) == []
        write(project / "pages/server.py", program.replace("tool()", "tool(name='fetch_text')"))
        assert found(project) == [REMOVED]

    def test_a_file_for_each_tool(self, git: Git, project: Path) -> None:
        (project / "tools.json").unlink()
        for name in ("list_pages", "read_page", "write_note"):
            declare(project / f"tools/{name}.json", name)
        commit(git, project)
        (project / "tools/read_page.json").unlink()
        assert found(project) == [REMOVED]

    def test_a_tool_that_went_to_another_file(self, git: Git, project: Path) -> None:
        declare(project / "tools.json", "list_pages", "write_note")
        declare(project / "more/tools.json", "read_page")
        assert found(project) == []
        # The prompt joins the tools of its own folder only.
        declare(project / "prompts/tools.json", "list_pages", "read_page")
        commit(git, project)
        declare(project / "prompts/tools.json", "list_pages")
        assert found(project) == []

    def test_in_an_open_surface_only_another_name_in_its_place_counts(self, git: Git, project: Path) -> None:
        # A name that only a run could tell.
        program = (
            "import os\nfrom mcp.server.fastmcp import FastMCP\n\nmcp = FastMCP('pages')\n\n\n"
            "@mcp.tool()\ndef read_page(number: int) -> str:\n    '''Read a page.'''\n    return ''\n\n\n"
            "@mcp.tool()\ndef write_note() -> str:\n    '''Write.'''\n    return ''\n\n\n"
            "@mcp.tool(name=os.environ['NAME'])\ndef any_page() -> str:\n    '''Read it.'''\n    return ''\n"
        )
        (project / "tools.json").unlink()
        write(project / "pages/server.py", program)
        write(project / "pages/prompts/system.md", PROMPT)
        (project / "prompts/system.md").unlink()
        commit(git, project)
        write(project / "pages/server.py", program.replace("def read_page", "def fetch_text"))
        assert found(project) == [REMOVED]
        start, end = (program.index(f"@mcp.tool()\ndef {name}") for name in ("read_page", "write_note"))
        write(project / "pages/server.py", program[:start] + program[end:])
        assert check_paths([str(project)]).surfaces[0].open
        assert found(project) == []

    def test_what_the_settings_put_together(self, git: Git, project: Path) -> None:
        surfaces = '[[surface]]\nname = "a"\ntools = ["tools.json"]\nprompts = ["prompts/*.md"]\n'
        surfaces += '[[surface]]\nname = "b"\ntools = ["other.json"]\n'
        write(project / "toolsurface.toml", surfaces)
        declare(project / "other.json", "fetch_text", "read_note")
        commit(git, project)
        declare(project / "other.json", "fetch_text")
        write(project / "prompts/system.md", "Notes come from `read_note`.\n")
        assert found(project) == []
        declare(project / "tools.json", "list_pages", "write_note")
        write(project / "prompts/system.md", PROMPT)
        assert found(project) == [REMOVED]

    def test_after_the_commit_the_beginning_of_the_branch_says_it(self, git: Git, project: Path) -> None:
        git(project, "update-ref", "refs/remotes/origin/main", "HEAD")
        git(project, "checkout", "-q", "-b", "mine")
        declare(project / "tools.json", "list_pages", "write_note")
        commit(git, project)
        assert found(project) == [ON_BRANCH]
        # What others have declared meanwhile says nothing of this branch.
        git(project, "checkout", "-q", "main")
        declare(project / "tools.json", "list_pages", "write_note", "page_text")
        git(project, "update-ref", "refs/remotes/origin/main", commit(git, project))
        git(project, "checkout", "-q", "mine")
        write(project / "prompts/system.md", PROMPT.replace("read_page", "page_text"))
        assert found(project) == []

    def test_names_by_sha256(self, git: Git, here: Path) -> None:
        folder = here / "project"
        declare(folder / "tools.json", "list_pages", "read_page")
        write(folder / "prompts/system.md", PROMPT)
        git(folder, "init", "-q", "--object-format=sha256")
        commit(git, folder)
        declare(folder / "tools.json", "list_pages")
        assert found(folder) == [REMOVED]


def test_an_editor_is_told_as_soon_as_the_name_changes_and_git_is_not_asked_again(
    git: Git, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = calls(monkeypatch)
    workspace = Workspace()
    workspace.add_folder(project.as_uri())

    def edit(name: str, text: str) -> list[str]:
        uri = (project / name).as_uri()
        if workspace.buffer(uri) is None:
            workspace.open(types.TextDocumentItem(uri, "", 1, (project / name).read_text(encoding="utf-8")))
        document = types.VersionedTextDocumentIdentifier(2, uri)
        change = types.TextDocumentContentChangeWholeDocument(text)
        workspace.change(types.DidChangeTextDocumentParams(document, [change]))
        return [str(found.message) for found in workspace.diagnostics((project / "prompts/system.md").as_uri())]

    assert edit("prompts/system.md", PROMPT) == []
    tools = (project / "tools.json").read_text(encoding="utf-8")
    assert edit("tools.json", tools.replace("read_page", "fetch_text")) == [
        f"{REMOVED}\nhelp: did you mean `fetch_text`?"
    ]
    assert asked
    del asked[:]
    assert len(edit("prompts/system.md", f"{PROMPT}{PROMPT}")) == 2
    assert len(edit("tools.json", tools.replace("read_page", "page_text"))) == 2
    assert edit("tools.json", tools) == []
    assert asked == []


class TestWhatIsNoEvidence:
    def test_before_the_first_commit_git_is_not_asked(
        self, git: Git, project: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        shutil.rmtree(project / ".git")
        git(project, "init", "-q")
        git(project, "add", ".")
        declare(project / "tools.json", "list_pages", "write_note")
        asked = calls(monkeypatch)
        assert found(project) == []
        assert asked == []

    def test_where_nothing_has_changed_git_is_asked_once(
        self, git: Git, project: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked = calls(monkeypatch)
        assert found(project) == []
        assert asked == []
        write(project / "prompts/system.md", PROMPT + "Another is `page_text`, and so is `note_text`.\n")
        assert found(project) == []
        assert asked == ["ls-tree"]

    def test_a_shallow_clone_does_not_know_where_the_branch_began(self, git: Git, project: Path, here: Path) -> None:
        git(project, "checkout", "-q", "-b", "mine")
        declare(project / "tools.json", "list_pages", "write_note")
        commit(git, project)
        git(here, "clone", "-q", "--depth=1", "--no-single-branch", f"file://{project}", "clone")
        assert (here / "clone/.git/shallow").exists()
        assert found(here / "clone") == []

    def test_of_a_partial_clone_nothing_is_fetched(self, git: Git, project: Path, here: Path) -> None:
        git(project, "config", "uploadpack.allowFilter", "true")
        git(project, "config", "uploadpack.allowAnySHA1InWant", "true")
        declare(project / "tools.json", "list_pages", "write_note")
        commit(git, project)
        git(here, "clone", "-q", "--filter=blob:none", f"file://{project}", "clone")
        clone = here / "clone"
        git(clone, "checkout", "-q", "-b", "mine")
        # The branch began at the commit before, whose version of the tools is not there.
        git(clone, "update-ref", "refs/remotes/origin/HEAD", "HEAD^")
        objects = sorted((clone / ".git/objects").rglob("*"))
        missing = git(clone, "rev-parse", "HEAD^:tools.json").strip()
        repository = Repository.around(str(clone))
        assert repository is not None
        assert "tools.json" in repository.tree(git(clone, "rev-parse", "HEAD^").strip())
        assert repository.blobs([missing], 1000) == {}
        assert found(clone) == []
        assert sorted((clone / ".git/objects").rglob("*")) == objects
        # Git itself fetches it.
        git(clone, "cat-file", "blob", missing)
        assert sorted((clone / ".git/objects").rglob("*")) != objects
        assert found(clone) == [ON_BRANCH]

    def test_a_file_that_is_too_large(self, git: Git, project: Path) -> None:
        text = (project / "tools.json").read_text(encoding="utf-8")
        write(project / "tools.json", text + " " * (1 << 20))
        commit(git, project)
        declare(project / "tools.json", "list_pages", "write_note")
        assert found(project) == []

    def test_what_the_settings_leave_out(self, git: Git, project: Path) -> None:
        declare(project / "old/read_page.json", "read_page")
        declare(project / "old/list_notes.json", "list_notes")
        declare(project / "tools.json", "list_pages", "write_note")
        write(project / "toolsurface.toml", 'exclude = ["old/read*"]\n')
        commit(git, project)
        (project / "old/read_page.json").unlink()
        assert found(project) == []


def test_tools_of_a_whole_surface_were_no_tools_of_the_folder(git: Git, project: Path) -> None:
    declare(project / "tools.json", "list_pages", "write_note")
    tools = [
        {"name": name, "description": "Does it.", "inputSchema": {"type": "object"}} for name in ("read_page", "a_b")
    ]
    write(project / "agent.json", json.dumps({"tools": tools, "system": "Call `read_page({})`."}, indent=1))
    write(project / "prompts/system.md", PROMPT)
    commit(git, project)
    del tools[0]
    write(project / "agent.json", json.dumps({"tools": tools, "system": "Call `a_b({})`."}, indent=1))
    assert found(project) == []


def test_of_a_file_that_changes_again_and_again_only_the_last_id_is_kept(tmp_path: Path) -> None:
    """A language server stays for days, and asks after every edit."""
    file = tmp_path / "tools.json"
    reading = Reading(str(file), "tools.json", False, "json", None, Target(), 1000, None)
    history = History()

    def ask(edits: int) -> None:
        for number in range(edits):
            text = b"%06d" % number
            file.write_bytes(text)
            os.utime(file, ns=(number, number))
            assert history.present(reading, 40 * "0") == hashlib.sha1(b"blob 6\0" + text).hexdigest()

    few, many = memory_taken(lambda: ask(50)), memory_taken(lambda: ask(500))
    assert many - few < 20_000
