"""Files are written by one room: whole or not at all, and nothing is left beside them."""

from __future__ import annotations

import ast
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.package_source import PACKAGE, nodes
from toolsurface_lint.run import writing
from toolsurface_lint.run.writing import NotWritten, Reach, overwrite, replace

# --- one room ---------------------------------------------------------------------------------------------------------

OF_OS = {
    *("chflags", "chmod", "chown", "fchmod", "fchown", "fsync", "ftruncate", "lchown", "link", "makedirs", "mkdir"),
    *("mkfifo", "mknod", "remove", "removedirs", "removexattr", "rename", "renames", "replace", "rmdir", "setxattr"),
    *("symlink", "truncate", "unlink", "utime"),
}
OF_PATHS = {
    *("hardlink_to", "mkdir", "rmdir", "symlink_to", "touch", "unlink", "write_bytes", "write_text"),
}
FOR_WRITING = {"O_APPEND", "O_CREAT", "O_EXCL", "O_RDWR", "O_TMPFILE", "O_TRUNC", "O_WRONLY"}


def writes(within: Iterable[ast.AST]) -> Iterator[str]:
    """What in the nodes of a module changes what lies on a disk."""
    for node in within:
        if isinstance(node, ast.Import | ast.ImportFrom):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names]
            yield from (module for module in modules if module in ("shutil", "tempfile"))
        elif isinstance(node, ast.Call):
            yield from _writes_by_call(node)


def _writes_by_call(node: ast.Call) -> Iterator[str]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name not in OF_OS | OF_PATHS | {"open"}:
        return
    function = ast.unparse(node.func)
    owner = function.rpartition(".")[0]
    if owner == "os" and name in OF_OS:
        yield function
    elif function == "os.open":
        yield from (flag for flag in FOR_WRITING if f"os.{flag}" in ast.unparse(node))
    # A folder of the language server is no path: its `touch` takes what was touched from nothing.
    elif owner not in ("", "os", "folder") and name in OF_PATHS:
        yield function
    elif name == "open" and owner in ("", "io", "codecs", "path", "Path"):
        given = [*node.args[1:2], *(keyword.value for keyword in node.keywords if keyword.arg == "mode")]
        if any(not isinstance(mode, ast.Constant) or set(str(mode.value)) & set("wax+") for mode in given):
            yield ast.unparse(node)


def test_nobody_else_writes_files() -> None:
    found = {path: sorted(set(writes(within))) for path, within in nodes().items()}
    assert {name: what for name, what in found.items() if what and name != "run/writing.py"} == {
        # What is thrown away.
        "cli/stream.py": ["open(os.devnull, 'wb')"],
        # The pipe to git.
        "project/git/process.py": ["open(write_end, 'wb', buffering=0)"],
        # What the user asks for: pieces beside the state of a run, put together and renamed at its end.
        "dataset/piece.py": ["os.replace"],
        "dataset/repeats.py": ["open(os.path.join(self._folder, f'{part:02x}'), 'ab')", "os.makedirs"],
        "dataset/rows.py": ["open(path, 'wb')"],
        "dataset/run.py": ["os.makedirs", "os.replace", "shutil", "tempfile"],
        "dataset/state.py": ["O_CREAT", "O_WRONLY", "os.makedirs", "shutil"],
        # The user's own cache, outside of what is checked.
        "run/cache/folder.py": [
            "O_CREAT",
            "O_EXCL",
            "O_WRONLY",
            "os.link",
            "os.makedirs",
            "os.replace",
            "os.unlink",
            "os.utime",
        ],
        # It looks for a program.
        "snapshot/process.py": ["shutil"],
    }
    assert {"O_CREAT", "os.chmod", "os.replace", "os.unlink"} <= set(found["run/writing.py"])


@pytest.mark.parametrize(
    "line",
    [
        "open(path, 'w')",
        "open(path, mode='ab')",
        "open(path, mode)",
        "os.open(path, os.O_WRONLY)",
        "os.replace(a, b)",
        "import tempfile",
        "from shutil import copy",
        "Path(a).write_text(b)",
        "target.unlink()",
    ],
)
def test_what_writes_is_seen(line: str) -> None:
    assert list(writes(ast.walk(ast.parse(line))))


@pytest.mark.parametrize("line", ["open(path, 'rb')", "open(path)", "text.replace(a, b)", "os.open(path, flags)"])
def test_what_only_reads_is_not(line: str) -> None:
    assert not list(writes(ast.walk(ast.parse(line))))


# --- whole or not at all ----------------------------------------------------------------------------------------------


@pytest.fixture(params=["without a name", "named"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to a new file: one without a name until it is whole, and one that has one from the beginning."""
    if request.param == "named":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    elif not hasattr(os, "O_TMPFILE"):
        pytest.skip("every file has a name here")
    return str(request.param)


@pytest.mark.usefixtures("way")
def test_a_new_file_has_the_mode_of_any_other(tmp_path: Path) -> None:
    overwrite(str(tmp_path / "a"), b"new", "a")
    replace(str(tmp_path / "b"), b"new", None, "b")
    (tmp_path / "c").write_bytes(b"new")
    assert len({stat.S_IMODE((tmp_path / name).stat().st_mode) for name in "abc"}) == 1
    assert [(tmp_path / name).read_bytes() for name in "abc"] == [b"new"] * 3
    assert sorted(os.listdir(tmp_path)) == ["a", "b", "c"]


@pytest.mark.usefixtures("way")
def test_an_old_file_keeps_its_mode_and_its_attributes(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"old")
    file.chmod(0o640)
    noted = hasattr(os, "setxattr")
    if noted:
        try:
            os.setxattr(file, "user.note", b"mine")
        except OSError:  # a file system without attributes
            noted = False
    os.utime(file, (1, 1))
    replace(str(file), b"new", b"old", "a")
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (b"new", 0o640)
    assert file.stat().st_mtime > 1
    if noted:
        assert os.getxattr(file, "user.note") == b"mine"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.usefixtures("way")
def test_what_came_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"newer")
    for before in (b"old", None):
        with pytest.raises(NotWritten, match=r"a changed while it was checked"):
            replace(str(file), b"new", before, "a")
    # Even if it comes at the last moment.
    draft = writing._Draft(str(tmp_path), False)
    with pytest.raises(FileExistsError):
        draft.move(str(file), replacing=False)
    draft.discard()
    assert file.read_bytes() == b"newer"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("call", ["fsync", "chmod", "replace"])
def test_what_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"old")

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(NotWritten, match=r"^cannot write a: No space left on device$"):
        overwrite(str(file), b"new", "a")
    monkeypatch.undo()
    assert file.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.usefixtures("way")
def test_a_file_that_does_not_fit_is_not_begun(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"old")
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(NotWritten, match=r"cannot write a: File too large"):
            overwrite(str(file), b"x" * 1001, "a")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert file.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.usefixtures("way")
def test_a_file_system_without_owners_and_modes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    for name in ("fchown", "chmod", "setxattr"):
        monkeypatch.setattr(os, name, refuse, raising=False)
    (tmp_path / "a").write_bytes(b"old")
    overwrite(str(tmp_path / "a"), b"new", "a")
    assert ((tmp_path / "a").read_bytes(), os.listdir(tmp_path)) == (b"new", ["a"])


def test_a_file_system_without_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    monkeypatch.setattr(os, "link", refuse)
    file = tmp_path / "a"
    replace(str(file), b"new", None, "a")
    assert (file.read_bytes(), os.listdir(tmp_path)) == (b"new", ["a"])
    draft = writing._Draft(str(tmp_path), False)
    with pytest.raises(OSError, match="not permitted"):
        draft.move(str(file), replacing=False)
    draft.discard()
    assert (file.read_bytes(), os.listdir(tmp_path)) == (b"new", ["a"])


# Sends itself a signal at the worst moments: while a file lies beside the old one under a name of its own.
ENDED = """
import os, signal, sys
from toolsurface_lint.run.writing import overwrite
if sys.argv[2] == "named":
    del os.O_TMPFILE
for name in ("fsync", "replace"):
    def ended(*given, real=getattr(os, name), name=name, **options):
        if name == sys.argv[3]:
            os.kill(os.getpid(), int(sys.argv[4]))
        return real(*given, **options)
    setattr(os, name, ended)
overwrite(sys.argv[1], b"new", "a")
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="needs signals")
@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGIO])
@pytest.mark.parametrize(
    ("named", "moment"), [("named", "fsync"), ("named", "replace"), ("", "fsync"), ("", "replace")]
)
def test_a_signal_leaves_nothing_behind(tmp_path: Path, ending: int, named: str, moment: str) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"old")
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    command = [sys.executable, "-c", ENDED, str(file), named, moment, str(int(ending))]
    done = subprocess.run(command, env=environment, cwd=PACKAGE.parent, timeout=60, check=False)
    assert done.returncode == -ending
    # Where nothing is left of it anyway, it ends at once.
    assert file.read_bytes() == (b"old" if (named, moment) == ("", "fsync") and hasattr(os, "O_TMPFILE") else b"new")
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="needs signals")
@pytest.mark.parametrize("moment", ["open", "fsync", "replace"])
def test_no_signal_stays_blocked_whatever_is_raised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    with monkeypatch.context() as patch:
        patch.setattr(os, moment, interrupted)
        with pytest.raises(KeyboardInterrupt):
            overwrite(str(tmp_path / "a"), b"new", "a")
    after = signal.pthread_sigmask(signal.SIG_SETMASK, before)
    assert after == before
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="needs files without a name")
def test_being_killed_leaves_nothing_behind_either(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"old")
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    command = [sys.executable, "-c", ENDED, str(file), "", "fsync", str(int(signal.SIGKILL))]
    done = subprocess.run(command, env=environment, cwd=PACKAGE.parent, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    assert (file.read_bytes(), os.listdir(tmp_path)) == (b"old", ["a"])


LEFT = ".toolsurface-lint-0123456789abcdef.tmp"


def test_what_a_killed_process_has_left_is_removed(tmp_path: Path) -> None:
    others = [f"{LEFT}2", LEFT.upper(), ".toolsurface-lint-baseline", ".toolsurface-lint-baseline.tmp"]
    for name in (LEFT, *others):
        (tmp_path / name).write_bytes(b"new")
    (tmp_path / LEFT.replace("f", "0")).symlink_to(others[0])
    overwrite(str(tmp_path / "a"), b"new", "a")
    assert sorted(os.listdir(tmp_path)) == sorted(["a", LEFT.replace("f", "0"), *others])


def test_what_another_process_is_at_stays(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    with open(tmp_path / LEFT, "wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        overwrite(str(tmp_path / "a"), b"new", "a")
        assert sorted(os.listdir(tmp_path)) == [LEFT, "a"]


@pytest.mark.usefixtures("way")
def test_while_it_is_written_a_file_is_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []
    rename = os.replace

    def look(*given: str) -> None:
        seen.append(os.listdir(tmp_path))
        writing._remove_left(given[0])
        rename(*given)

    monkeypatch.setattr(os, "replace", look)
    (tmp_path / "a").write_bytes(b"old")
    overwrite(str(tmp_path / "a"), b"new", "a")
    assert [len(names) for names in seen] == [2]
    assert (os.listdir(tmp_path), (tmp_path / "a").read_bytes()) == (["a"], b"new")


# --- what is no file of one name --------------------------------------------------------------------------------------


def test_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "one").write_bytes(b"old")
    os.link(tmp_path / "one", tmp_path / "two")
    reasons = {
        "folder": "it is a folder",
        "pipe": "it is a pipe",
        "two": "it has 2 hard links, and only this one would change",
    }
    for name, reason in reasons.items():
        with pytest.raises(NotWritten, match=rf"^cannot write {name}: {reason}$"):
            overwrite(str(tmp_path / name), b"new", name)
    with pytest.raises(NotWritten, match=r"^cannot write null: it is a device$"):
        overwrite(os.devnull, b"new", "null")
    assert (tmp_path / "one").read_bytes() == b"old"


def test_a_new_file_is_not_written_through_a_link_that_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside/a").symlink_to("../outside")
    with pytest.raises(NotWritten):
        replace(str(tmp_path / "inside/a"), b"new", None, "a")
    assert not (tmp_path / "outside").exists()


# --- how far a name reaches -------------------------------------------------------------------------------------------


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("named/in/a.json", "named/b.json", "other/c.json", "named-too.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}", encoding="utf-8")
    links = {
        "named/inwards.json": "in/a.json",
        "named/outwards.json": "../other/c.json",
        "named/in/up.json": "../b.json",
        "named/folder": "../other",
        "named/twice.json": "outwards.json",
        "named/beside.json": "../named-too.json",
        "by-link": "named",
    }
    for name, target in links.items():
        (tmp_path / name).symlink_to(target)
    return tmp_path


@pytest.mark.parametrize(
    ("named", "path", "reaches"),
    [
        ("named", "named/b.json", True),
        ("named", "named/inwards.json", True),
        ("named", "named/in/up.json", True),
        ("named", "named/outwards.json", False),
        ("named", "named/twice.json", False),
        ("named", "named/folder/c.json", False),
        # It lies beside a folder whose name its own begins with.
        ("named", "named/beside.json", False),
        ("by-link", "by-link/b.json", True),
        ("by-link", "by-link/outwards.json", False),
        ("named/b.json", "named/b.json", True),
        ("named/inwards.json", "named/inwards.json", True),
        ("named/outwards.json", "named/outwards.json", False),
        ("named/in/up.json", "named/in/up.json", False),
        ("by-link/b.json", "by-link/b.json", True),
        ("by-link/outwards.json", "by-link/outwards.json", False),
        # The user named this folder, link or not.
        ("named/folder", "named/folder/c.json", True),
        ("named/folder/c.json", "named/folder/c.json", True),
    ],
)
def test_the_real_path_decides(tree: Path, named: str, path: str, reaches: bool) -> None:
    reason = Reach([str(tree / named)]).reason_against(str(tree / path))
    real = os.path.realpath(tree / path)
    assert reason == (None if reaches else f"it is a link to {real}, which was not named")


def test_a_link_to_what_was_named_as_well(tree: Path) -> None:
    links = [str(tree / name) for name in ("named/outwards.json", "named/in/up.json")]
    for named in ("other", "other/c.json"):
        reach = Reach([*links, str(tree / named)])
        assert reach.reason_against(links[0]) is None
        # That the folder of a named file is named is true for that file only.
        assert reach.reason_against(links[1]) is not None


def test_hard_links_are_no_place_to_write(tree: Path) -> None:
    os.link(tree / "named/b.json", tree / "other/b.json")
    reason = Reach([str(tree / "named")]).reason_against(str(tree / "named/b.json"))
    assert reason == "it has 2 hard links, and only this one would change"
