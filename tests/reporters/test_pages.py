from pathlib import Path

import pytest

from toolsurface_lint.checks import pages as rule_pages

PAGE = "# SOME_CODE\n\nFinds tools that\n[nobody](https://example.org) wants.\n\n## Why\n\nMore.\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(rule_pages, "_PACKAGE", tmp_path / "package")
    (tmp_path / "package").mkdir()
    (tmp_path / "rules").mkdir()
    return tmp_path


def test_pages_beside_the_package_are_found(folder):
    (folder / "rules" / "SOME_CODE.md").write_text(PAGE, encoding="utf-8")
    assert rule_pages.page("SOME_CODE") == PAGE


def test_pages_inside_the_package_come_first(folder):
    (folder / "rules" / "SOME_CODE.md").write_text("outside", encoding="utf-8")
    (folder / "package" / "rules").mkdir()
    (folder / "package" / "rules" / "SOME_CODE.md").write_text("inside", encoding="utf-8")
    assert rule_pages.page("SOME_CODE") == "inside"


def test_the_real_folder_belongs_to_this_project():
    package = Path(rule_pages.__file__).parents[1]
    assert Path(rule_pages.folder()) in (package / "rules", package.parent / "rules")


def test_front_matter_is_left_out(folder):
    (folder / "rules" / "SOME_CODE.md").write_text(f"---\ncode: SOME_CODE\n---\n\n{PAGE}", encoding="utf-8")
    assert rule_pages.page("SOME_CODE") == PAGE


@pytest.mark.parametrize("code", ["NO_SUCH_CODE", "../secret", "some_code", "", "A/B"])
def test_without_a_page_there_is_none(folder, code):
    (folder / "secret.md").write_text("secret", encoding="utf-8")
    assert rule_pages.page(code) is None


def test_first_paragraph():
    assert rule_pages.first_paragraph(PAGE) == "Finds tools that nobody wants."
    assert rule_pages.first_paragraph("# Title\nDirectly below.\n") == "Directly below."
    assert rule_pages.first_paragraph("# Title\n\n```json\n{}\n```\n\n- a list\n\nProse.\n") == "Prose."
    assert rule_pages.first_paragraph("# Title\n") == ""
