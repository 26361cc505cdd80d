"""What holds for every file in `programs/frameworks`."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolsurface_lint.programs.framework import Framework, frameworks

ROOT = Path(__file__).resolve().parents[3]
FILES = sorted(
    path.stem for path in (ROOT / "toolsurface_lint/programs/frameworks").glob("*.py") if path.stem != "__init__"
)


@pytest.mark.parametrize("file", FILES)
def test_a_framework_has_a_fixture_folder(file: str) -> None:
    folders = (ROOT / "fixtures/python/frameworks").glob(f"{file.replace('_', '-')}-*")
    assert any((folder / "expect.txt").exists() for folder in folders), f"no fixture folder of {file}"


def test_a_framework_is_known_by_lying_in_its_folder() -> None:
    assert len(frameworks()) == len(FILES)
    assert all(isinstance(framework, Framework) for framework in frameworks())


def test_a_package_belongs_to_one_framework() -> None:
    packages = [package for framework in frameworks() for package in framework.packages]
    assert len(packages) == len(set(packages))


def test_one_framework_is_the_usual_one() -> None:
    assert [framework.format for framework in frameworks() if framework.is_usual] == ["python-mcp"]
