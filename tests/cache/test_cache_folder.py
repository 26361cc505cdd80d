"""Nothing in the cache folder can change what is reported, whoever wrote it, and nothing there can stop a run."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cache.conftest import Command
from tests.cache.test_same_report import lay
from toolsurface_lint.run.cache import folder as module
from toolsurface_lint.run.cache.folder import CacheFolder, Unusable, default_folder

Entries = Callable[[], list[Path]]
A, B = "a" * 32, "b" * 32


def test_what_is_written_is_read(folder: CacheFolder, tmp_path: Path) -> None:
    assert folder.read(A) is None
    folder.write(A, b"one")
    folder.write(B, b"two")
    folder.write(A, b"three")
    other = CacheFolder(str(tmp_path / "cache"), [])
    assert (other.read(A), other.read(B)) == (b"three", b"two")
    assert sorted(os.listdir(tmp_path / "cache")) == [f"{A}.run", f"{B}.run", "key"]


def test_no_byte_of_an_entry_can_be_changed(folder: CacheFolder, tmp_path: Path) -> None:
    folder.write(A, b"found nothing")
    path = tmp_path / "cache" / f"{A}.run"
    whole = path.read_bytes()
    for at in range(len(whole)):
        for changed in (whole[:at], whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]):
            path.write_bytes(changed)
            assert folder.read(A) is None
    path.write_bytes(whole + b" ")
    assert folder.read(A) is None
    path.write_bytes(whole)
    assert folder.read(A) == b"found nothing"


@given(data=st.binary(max_size=200))
def test_no_bytes_are_taken_for_an_entry(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("cache")
    folder = CacheFolder(str(path), [])
    folder.write(B, b"")
    (path / f"{A}.run").write_bytes(data)
    assert folder.read(A) is None


def test_an_entry_is_of_its_name(folder: CacheFolder, tmp_path: Path) -> None:
    folder.write(A, b"found nothing")
    shutil.copy(tmp_path / "cache" / f"{A}.run", tmp_path / "cache" / f"{B}.run")
    assert folder.read(B) is None


def test_an_entry_of_somebody_with_another_key(folder: CacheFolder, tmp_path: Path) -> None:
    folder.write(B, b"")
    CacheFolder(str(tmp_path / "other"), []).write(A, b"found nothing")
    shutil.copy(tmp_path / "other" / f"{A}.run", tmp_path / "cache")
    assert folder.read(A) is None


def test_a_link_is_no_entry(folder: CacheFolder, tmp_path: Path) -> None:
    folder.write(A, b"found nothing")
    path = tmp_path / "cache" / f"{A}.run"
    path.rename(tmp_path / "moved")
    path.symlink_to(tmp_path / "moved")
    assert folder.read(A) is None


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_key_that_others_can_read_is_none(folder: CacheFolder, tmp_path: Path, mode: int) -> None:
    folder.write(A, b"found nothing")
    (tmp_path / "cache/key").chmod(mode)
    other = CacheFolder(str(tmp_path / "cache"), [])
    assert other.read(A) is None
    other.write(B, b"")
    assert not (tmp_path / "cache" / f"{B}.run").exists()


@pytest.mark.parametrize("mode", [0o770, 0o702])
def test_a_folder_that_others_can_write_to(tmp_path: Path, mode: int) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(mode)
    with pytest.raises(Unusable, match="others may write to it"):
        CacheFolder(str(tmp_path / "cache"), [])


def test_a_folder_of_somebody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cache").mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(Unusable, match="belongs to somebody else"):
        CacheFolder(str(tmp_path / "cache"), [])


def test_planted_entries_change_nothing(command: Command, entries: Entries) -> None:
    lay(Path())
    expected = command("--no-cache")
    command("--select", "INPUT", "prompts")
    quiet = entries()
    command()
    (loud,) = set(entries()) - set(quiet)
    shutil.copy(quiet[0], loud)
    assert command() == expected
    whole = loud.read_bytes()
    for at in range(0, len(whole), 97):
        loud.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        if at % (97 * 16) == 0:
            assert command() == expected
        else:
            assert CacheFolder(str(loud.parent), []).read(loud.stem) is None
    for size in (0, 31, 32, 33, len(whole) - 1):
        loud.write_bytes(whole[:size])
        assert command() == expected


# --- where it lies ----------------------------------------------------------------------------------------------------


def test_the_user_has_a_folder(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform == "linux":
        assert default_folder() == str(home / ".cache/toolsurface-lint")
        monkeypatch.setenv("XDG_CACHE_HOME", str(home / "elsewhere"))
        assert default_folder() == str(home / "elsewhere/toolsurface-lint")
        monkeypatch.setenv("XDG_CACHE_HOME", "relative")
        assert default_folder() == str(home / ".cache/toolsurface-lint")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(sys, "platform", "darwin")
    assert default_folder() == str(home / "Library/Caches/toolsurface-lint")
    monkeypatch.setenv("HOME", "relative")
    assert default_folder() is None


@pytest.mark.parametrize("variable", ["HOME", "XDG_CACHE_HOME", "TOOLSURFACE_LINT_CACHE_DIR"])
@pytest.mark.parametrize("value", [".", "sub/deep", "{work}", "{work}/sub", "link"])
def test_nothing_is_kept_in_what_is_checked(
    command: Command, home: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    lay(Path())
    Path("link").symlink_to(".")
    monkeypatch.setenv("HOME", str(home / "none"))
    monkeypatch.setenv(variable, value.format(work=os.getcwd()))
    before = sorted(Path().rglob("*"))
    for paths in ([], ["prompts"], ["prompts/system.md"]):
        if command(*paths).output:
            command(*paths)
    assert sorted(Path().rglob("*")) == before


def test_a_folder_that_was_named_and_is_not_used_is_said(command: Command, tmp_path: Path) -> None:
    lay(Path())
    said = command("--cache-dir", ".cache")
    assert "no cache is used: .cache: it lies in what is checked, or in the working directory" in said.errors
    elsewhere = tmp_path / "elsewhere"
    assert "cache" not in command("--cache-dir", str(elsewhere)).errors
    assert command.is_kept("--cache-dir", str(elsewhere))
    elsewhere.chmod(0o777)
    assert "others may write to it" in command("--cache-dir", str(elsewhere)).errors


def test_the_user_can_do_without(command: Command, entries: Entries, monkeypatch: pytest.MonkeyPatch) -> None:
    lay(Path())
    command("--no-cache")
    monkeypatch.setenv("TOOLSURFACE_LINT_NO_CACHE", "1")
    command()
    assert entries() == []
    monkeypatch.setenv("TOOLSURFACE_LINT_NO_CACHE", "0")
    command()
    assert len(entries()) == 1


def test_settings_cannot_name_a_folder(command: Command) -> None:
    Path("toolsurface.toml").write_text('cache-dir = "/tmp/planted"\n', encoding="utf-8")
    assert "cache-dir" in command().errors


# --- a disk that does not do what is asked ------------------------------------------------------------------------------


def test_no_run_fails_where_nothing_can_be_written(
    command: Command, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(Path())
    expected = command("--no-cache")
    (home / ".cache").write_text("a file", encoding="utf-8")
    assert command() == expected
    (home / ".cache").unlink()
    (home / ".cache/toolsurface-lint").mkdir(parents=True)
    (home / ".cache/toolsurface-lint/key").mkdir()
    assert command() == expected
    (home / ".cache/toolsurface-lint/key").rmdir()
    opened = os.open

    def full(path: str, flags: int, *mode: int, **more: object) -> int:
        if flags & os.O_CREAT:
            raise OSError(errno.ENOSPC, "No space left on device")
        return opened(path, flags, *mode, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", full)
    assert command() == expected


def test_a_key_that_was_cut_off_is_not_used(command: Command, home: Path, entries: Entries) -> None:
    lay(Path())
    command()
    (home / ".cache/toolsurface-lint/key").write_bytes(b"short")
    assert not command.is_kept()


def test_it_does_not_grow_for_ever(folder: CacheFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ENTRIES", 3)
    now = time.time()
    for number in range(5):
        name = f"{number}" * 32
        folder.write(name, b"x" * 100)
        os.utime(tmp_path / "cache" / f"{name}.run", (now - 100 + number, now - 100 + number))
    left = sorted(path.name[0] for path in (tmp_path / "cache").glob("*.run"))
    assert left == ["2", "3", "4"]
    monkeypatch.setattr(module, "MOST_BYTES", 300)
    folder.write(A, b"x" * 100)
    assert sorted(path.name[0] for path in (tmp_path / "cache").glob("*.run")) == ["4", "a"]
    os.utime(tmp_path / "cache" / f"{A}.run", (1, 1))
    (tmp_path / "cache" / f"{A}.tmp").write_bytes(b"left")
    os.utime(tmp_path / "cache" / f"{A}.tmp", (1, 1))
    folder.write(B, b"")
    assert sorted(path.name[0] for path in (tmp_path / "cache").iterdir()) == ["4", "b", "k"]
    monkeypatch.setattr(module, "LARGEST", 50)
    folder.write(A, b"x" * 100)
    assert folder.read(A) is None


def test_what_is_used_stays(folder: CacheFolder, tmp_path: Path) -> None:
    folder.write(A, b"")
    path = tmp_path / "cache" / f"{A}.run"
    old = time.time() - 20 * 86_400
    os.utime(path, (old, old))
    assert folder.read(A) == b""
    assert time.time() - path.stat().st_mtime < 60


def test_several_processes_at_once(command: Command, home: Path) -> None:
    lay(Path())
    arguments = [sys.executable, "-m", "toolsurface_lint", "check", "--output", "json"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    started = [subprocess.Popen(arguments, env=environment, stdout=subprocess.PIPE) for _ in range(4)]
    outputs = {process.communicate(timeout=60)[0] for process in started}
    assert len(outputs) == 1
    assert outputs.pop().decode() == command("--output", "json").output
    assert [path.suffix for path in (home / ".cache/toolsurface-lint").iterdir() if path.suffix == ".tmp"] == []
