import os

import pytest

from toolsurface_lint.reporters.paths import from_root


@pytest.fixture
def repository(tmp_path, monkeypatch):
    root = tmp_path / "repository"
    (root / "agents" / "coder").mkdir(parents=True)
    monkeypatch.chdir(root)
    return root


@pytest.mark.parametrize("folder", [".", "agents", "agents/coder"])
def test_a_path_is_the_same_from_every_working_directory(repository, monkeypatch, folder):
    monkeypatch.chdir(repository / folder)
    displayed = os.path.relpath(repository / "agents" / "tools.json")
    assert from_root(displayed, str(repository)) == "agents/tools.json"


def test_an_absolute_path_is_made_relative(repository):
    assert from_root(str(repository / "agents" / "tools.json"), str(repository)) == "agents/tools.json"


def test_the_working_directory_is_the_root_if_none_is_given(repository):
    assert from_root("./agents/../agents/tools.json", None) == "agents/tools.json"


def test_a_link_is_followed(repository):
    (repository / "agents" / "tools.json").write_text("[]")
    (repository / "link").symlink_to(repository / "agents")
    assert from_root("link/tools.json", str(repository)) == "agents/tools.json"


def test_a_root_that_is_a_link_itself(repository, tmp_path):
    (tmp_path / "link").symlink_to(repository)
    assert from_root("agents/tools.json", str(tmp_path / "link")) == "agents/tools.json"


def test_a_link_out_of_the_root_keeps_its_own_name(repository, tmp_path):
    (tmp_path / "shared.json").write_text("[]")
    (repository / "agents" / "tools.json").symlink_to(tmp_path / "shared.json")
    assert from_root("agents/tools.json", str(repository)) == "agents/tools.json"


def test_a_path_outside_is_neither_absolute_nor_above(repository):
    outside = from_root("../elsewhere/tools.json", str(repository))
    assert outside.endswith("/elsewhere/tools.json")
    assert not outside.startswith("/")
    assert ".." not in outside


def test_a_folder_that_begins_like_the_root_is_outside(repository):
    assert from_root(f"{repository}-2/a.json", str(repository)) == f"{repository}-2/a.json".lstrip("/")
