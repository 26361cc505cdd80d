"""Includes of templates in a project: what is followed, what is never read, and what it costs."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolsurface_lint import check_paths as check
from toolsurface_lint.protocols.includes import Includes, Missing
from toolsurface_lint.protocols.rendering import MAX_INCLUDED, render_branches
from toolsurface_lint.protocols.template_parser import parse_template
from toolsurface_lint.protocols.templates import Template

CODES = ["TEMPLATE", "PROMPT"]


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / "prompts" / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_name(f"{path.name}.harn.prompt").write_text(text)


def found(root: Path, name: str = "") -> list[str]:
    report = check([str(root / name)], select=CODES)
    return [f"{Path(each.location.path).name} {each.code}" for each in report.diagnostics if each.location is not None]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    return root


def test_nothing_outside_the_repository_is_read(project: Path) -> None:
    secret = project.parent / "secret.txt"
    secret.write_text("{{ if never_closed }}")
    write(project, main='{{ include "../../secret.txt" }}\n{{ include "link.txt" }}\n{{ include "folder/secret.txt" }}')
    (project / "prompts/link.txt").symlink_to(secret)
    (project / "prompts/folder").symlink_to(project.parent)
    report = check([str(project)], select=["TEMPLATE"])
    assert [(each.code, each.message.split("`")[2]) for each in report.diagnostics] == [
        ("TEMPLATE_INCLUDE_UNRESOLVED", " leads out of the project")
    ] * 3


def test_a_path_that_no_file_can_have_leads_nowhere(project: Path) -> None:
    write(project, main='{{ include "@x/a" }}')
    (project / "harn.toml").write_text('[asset_roots]\nx = "a\\u0000b"\n')
    report = check([str(project)], select=["TEMPLATE"])
    assert [each.message.split("`")[0] for each in report.diagnostics] == ["there is no file "]


def test_outside_a_repository_nobody_says_where_a_project_ends(tmp_path: Path) -> None:
    write(tmp_path / "a", main='{{ include "../../../b.txt" }}\n{{ include name }}')
    report = check([str(tmp_path / "a")], select=["TEMPLATE"])
    assert not report.diagnostics
    assert [(each.reason, each.line) for each in report.skipped] == [
        ("an include that may lie outside the project", 1),
        ("an include with a computed path", 2),
    ]


def test_what_is_not_text_is_not_included(project: Path) -> None:
    write(project, main='{{ include "data" }}{{ include "." }}')
    (project / "prompts/data").write_bytes(b"\xff\xfe\xff")
    assert found(project) == ["main.harn.prompt TEMPLATE_INCLUDE_UNRESOLVED"] * 2


def test_a_cycle_is_reported_once_whichever_of_its_files_is_named(project: Path) -> None:
    write(project, b='{{ include "c.harn.prompt" }}', c='{{ include "b.harn.prompt" }}')
    for name in ("", "prompts/b.harn.prompt", "prompts/c.harn.prompt"):
        assert found(project, name) == ["b.harn.prompt TEMPLATE_INCLUDE_CYCLE"]


def test_a_literal_decides_in_what_is_included(project: Path) -> None:
    class Files(Includes):
        inner = parse_template("{{ if style == 'bold' }}**{{ end }}{{ name }}{{ if other }}!{{ end }}")

        def find(self, outer: Template, path: str) -> Template | Missing:
            self.inner.name = path
            return self.inner

    text = "{{ include 'p' with { style: 'bold', name: 'ada' } }}{{ if other }}?{{ end }}"
    assert {each.text for each in render_branches(parse_template(text), includes=Files())} == {"**ada!?", "**ada"}


def test_names_of_tools_in_included_text_are_checked_there(project: Path) -> None:
    write(project, main='Do it.\n{{ include "more.txt" }}')
    (project / "prompts/more.txt").write_text("{{# a #}}Call `read_flie({path})` first.")
    (project / "prompts/tools.json").write_text(
        '[{"name": "read_file", "description": "Reads a file of the project.", "inputSchema": {"type": "object"}}]'
    )
    assert "more.txt TOOL_SURFACE_UNKNOWN_PROMPT_TOOL" in {
        f"{Path(each.location.path).name} {each.code}"
        for each in check([str(project)]).diagnostics
        if each.location is not None
    }


def test_the_cost_does_not_double_with_each_level(project: Path) -> None:
    for level in range(30):
        write(project, **{f"p{level}": f'{{{{ include "p{level + 1}.harn.prompt" }}}}' * 2})
    write(project, p30="The end.")
    report = check([str(project)], select=CODES)
    assert not report.diagnostics
    assert "more included text than is rendered" in {each.reason for each in report.skipped}


def test_links_do_not_give_a_file_any_number_of_names(project: Path) -> None:
    write(project, main='{{ include "a/more.txt" }}')
    for name in ("a", "b"):
        (project / "prompts" / name).symlink_to(project / "prompts")
    (project / "prompts/more.txt").write_text('{{ include "a/more.txt" }}{{ include "b/more.txt" }}')
    assert set(found(project)) == {"more.txt TEMPLATE_INCLUDE_CYCLE"}


def test_large_files_are_not_rendered_for_everybody(project: Path) -> None:
    write(project, main='{{ include "large.txt" }}')
    (project / "prompts/large.txt").write_text("word " * (MAX_INCLUDED // 5 + 1))
    assert [each.reason for each in check([str(project)], select=CODES).skipped] == [
        "more included text than is rendered"
    ]
