"""`toolsurface-lint lock`: writing the lock, and accepting one change."""

import json
import os
import shutil
import subprocess
import tomllib

import pytest

from tests.files import needs

BOOKS = {
    "tools": [
        {"name": "find_book", "description": "Finds books.", "inputSchema": {"type": "object"}},
        {"name": "lend_book", "description": "Lends a book.", "inputSchema": {"type": "object"}},
    ]
}


@pytest.fixture
def folder(tmp_path):
    """A project with two tools, at the root of which the settings lie."""
    (tmp_path / "toolsurface.toml").write_text("", encoding="utf-8")
    (tmp_path / "desk").mkdir()
    write(tmp_path, BOOKS)
    return tmp_path


def write(folder, books):
    (folder / "desk/books.json").write_text(json.dumps(books), encoding="utf-8")


def changed(position=0, **members):
    books = json.loads(json.dumps(BOOKS))
    books["tools"][position].update(members)
    return books


def locked(folder):
    return tomllib.loads((folder / "toolsurface.lock").read_text(encoding="utf-8"))


def drift(run):
    output = run("check", "--select", "TOOL_SURFACE_DRIFT", "--output", "concise").stdout
    return [line for line in output.splitlines() if "TOOL_SURFACE_DRIFT" in line]


def test_the_lock_lies_where_the_settings_do(run, folder):
    (folder / ".git").mkdir()
    done = run("lock", cwd="desk")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"toolsurface-lint: wrote {folder}/toolsurface.lock: 2 tools of 1 server\n"
    lock = locked(folder)
    assert (lock["version"], list(lock["servers"]), list(lock["servers"]["desk/books.json"])) == (
        1,
        ["desk/books.json"],
        ["find_book", "lend_book"],
    )
    assert drift(run) == []


def test_nothing_is_written_where_nothing_has_changed(run, folder):
    run("lock")
    before = (folder / "toolsurface.lock").stat().st_ino
    done = run("lock")
    assert done.stderr == "toolsurface-lint: toolsurface.lock is as it was: 2 tools of 1 server\n"
    assert (folder / "toolsurface.lock").stat().st_ino == before


def test_all_changes_are_listed_when_all_are_accepted(run, folder):
    run("lock")
    books = changed(description="Finds books and letters.", outputSchema={"type": "object"})
    books["tools"][1]["name"] = "give_book"
    write(folder, books)
    assert run("lock").stdout == (
        "changed desk/books.json/find_book: description, output schema\n"
        "added desk/books.json/give_book\n"
        "removed desk/books.json/lend_book\n"
    )
    assert drift(run) == []


def test_one_change_is_shown_and_accepted_alone(run, folder):
    run("lock")
    before = locked(folder)
    books = changed(description="Finds books.\nHides \u202e this.")
    books["tools"][1]["description"] = "Sells a book."
    write(folder, books)
    done = run("lock", "--update", "find_book")
    after = locked(folder)
    tools = "servers", "desk/books.json"
    old, new = (lock[tools[0]][tools[1]]["find_book"]["description"] for lock in (before, after))
    assert done.returncode == 0
    assert done.stdout == (
        "changed desk/books.json/find_book: description\n"
        f"  description: {old} -> {new}\n"
        "    Finds books.\n"
        "    Hides \\u202e this.\n"
    )
    assert after[tools[0]][tools[1]]["lend_book"] == before[tools[0]][tools[1]]["lend_book"]
    assert [line.rpartition("] ")[2] for line in drift(run)] == [
        "the description of `lend_book` has changed since it was locked"
    ]


def test_a_new_tool_and_one_that_is_gone_are_accepted_one_by_one(run, folder):
    run("lock")
    write(folder, changed(1, name="give_book"))
    assert len(drift(run)) == 2
    assert run("lock", "--update", "lend_book").stdout == "removed desk/books.json/lend_book\n"
    assert run("lock", "--update", "desk/books.json/give_book").stdout.startswith("added desk/books.json/give_book\n")
    assert drift(run) == []


def test_a_name_that_several_servers_have_needs_the_server(run, folder):
    shutil.copytree(folder / "desk", folder / "shop")
    run("lock")
    done = run("lock", "--update", "find_book")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "toolsurface-lint: several servers have `find_book`: write desk/books.json/find_book or shop/books.json/find_book\n"
    )
    done = run("lock", "--update", "shop/books.json/find_book")
    assert done.stderr == "toolsurface-lint: shop/books.json/find_book is as toolsurface.lock has it\n"


CANNOT, WRITES = "toolsurface.lock cannot be updated, as ", "`toolsurface-lint lock` writes it"


@pytest.mark.parametrize(
    ("lock", "arguments", "message"),
    [
        (None, ["--update", "find_book"], f"{CANNOT}there is none: {WRITES}"),
        ("version = 1\n<<<<<<< HEAD\n", ["--update", "find_book"], f"{CANNOT}it cannot be used: {WRITES}"),
        ("version = 1\n", ["--update", "find_bok"], "no tool is called `find_bok`, did you mean `find_book`?"),
        ("version = 2\n", [], "toolsurface.lock is of a version that only another release of toolsurface-lint knows"),
        (None, ["nowhere"], "nowhere: no such file or folder"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_written(run, folder, lock, arguments, message):
    path = folder / "toolsurface.lock"
    if lock is not None:
        path.write_text(lock, encoding="utf-8")
    done = run("lock", *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"toolsurface-lint: {message}\n")
    assert (path.read_text(encoding="utf-8") if path.exists() else None) == lock


def test_a_conflict_is_resolved_by_writing_it_again(run, folder):
    (folder / "toolsurface.lock").write_text("<<<<<<< HEAD\n=======\n>>>>>>> other\n", encoding="utf-8")
    assert run("lock").returncode == 0
    assert len(locked(folder)["servers"]["desk/books.json"]) == 2


@pytest.mark.parametrize("position", [-1, 0])
def test_no_tool_is_lost_to_a_file_that_cannot_be_read(run, folder, position):
    (folder / "desk/letters.json").write_text(json.dumps(BOOKS["tools"]), encoding="utf-8")
    run("lock")
    before = locked(folder)
    text = json.dumps(BOOKS["tools"])
    (folder / "desk/letters.json").write_text(f"{text[:position]}?{text[position:]}", encoding="utf-8")
    done = run("lock")
    assert (done.returncode, done.stdout) == (0, "")
    assert "; 2 tools of files that cannot be read were kept" in done.stderr
    assert locked(folder) == before
    assert drift(run) == []


def test_a_folder_without_tools_gets_no_lock(run, folder):
    (folder / "desk/books.json").unlink()
    done = run("lock")
    assert (done.returncode, done.stderr) == (2, "toolsurface-lint: no tools were found below .\n")
    assert not (folder / "toolsurface.lock").exists()


@pytest.mark.skipif(os.name == "nt", reason="links need privileges there")
def test_no_link_out_of_the_project_is_written_through(run, folder, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "file"
    outside.write_text("", encoding="utf-8")
    (folder / "toolsurface.lock").symlink_to(outside)
    done = run("lock")
    assert done.returncode == 2
    assert "which was not named" in done.stderr
    assert outside.read_text(encoding="utf-8") == ""


def test_git_merges_the_changes_of_two_neighbouring_tools(run, folder, tmp_path_factory):
    git = needs("git")
    versions = tmp_path_factory.mktemp("versions")

    def written(name, books):
        write(folder, books)
        run("lock")
        return shutil.copy(folder / "toolsurface.lock", versions / name)

    base = written("base", BOOKS)
    ours = written("ours", changed(description="Finds letters."))
    theirs = written("theirs", changed(1, description="Lends a letter."))
    merged = subprocess.run([git, "merge-file", ours, base, theirs], check=False, capture_output=True)
    assert merged.returncode == 0
    shutil.copy(ours, folder / "toolsurface.lock")
    both = changed(description="Finds letters.")
    both["tools"][1]["description"] = "Lends a letter."
    write(folder, both)
    assert drift(run) == []
