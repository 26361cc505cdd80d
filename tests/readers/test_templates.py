"""Which files are templates, and the prompts that they render to, with their places."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.readers.templates import is_template, read_template
from toolsurface_lint.source.text import SourceText
from toolsurface_lint.source.tree import TextTree

TOOLS = json.dumps(
    [
        {
            "name": "read_file",
            "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}},
            "annotations": {"arg_schema": {"arg_aliases": {"file": "path"}}},
        }
    ]
)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.harn.prompt", "{% if a %}", True),
        ("a.harn.prompt", "---\nmodel: m\n---\n{{#if a}}", True),
        ("A.Harn.Prompt", "", True),
        ("a.prompt", "Hello {{ name }}.", True),
        ("a.prompt", "Hello.", True),
        ("a.prompt", "{{ if a }} {{ b", True),
        ("a.prompt", "{{# a comment #}}", True),
        ("a.prompt", "---\nmodel: m\n---\nHello {{ name }}.", False),
        ("a.prompt", "{{#if a}}Hello{{/if}}", False),
        ("a.prompt", "{{#each items}}{{this}}{{/each}}", False),
        ("a.prompt", "{{> partial}}", False),
        ("a.prompt", "{{{ raw }}}", False),
        ("a.prompt", "{% for a in b %}{{ a }}{% endfor %}", False),
        ("a.prompt", 'Answer {{"name": "x"}} with {name}.', False),
        ("a.prompt", 'Answer {{\n  "name": "x"\n}}.', False),
        ("a.prompt", '{{role "system"}} Hello.', False),
        ("a.prompt", "{{ user.name ? 'x' : 'y' }}", False),
    ],
)
def test_which_prompt_files_are_templates(name: str, text: str, expected: bool) -> None:
    assert is_template(name, text) is expected


@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.j2", "system.md"])
def test_other_files_are_templates_only_if_somebody_says_so(
    name: str, tmp_path: Path, check: Callable[..., Report]
) -> None:
    (tmp_path / name).write_text("{{ if a }}\n", encoding="utf-8")
    report = check(tmp_path, name)
    assert report.diagnostics == ()
    assert report.summary["templates"] == 0
    report = check(tmp_path, name, kind="template")
    assert [diagnostic.code for diagnostic in report.diagnostics] == ["TEMPLATE_SYNTAX"]
    assert (report.summary["templates"], report.summary["prompts"]) == (1, 0)


def test_settings_name_templates(tmp_path: Path, check: Callable[..., Report]) -> None:
    (tmp_path / "toolsurface.toml").write_text(
        '[kinds]\n"a.md" = "template"\n[[surface]]\nname = "s"\ntemplates = "b.md"\n', encoding="utf-8"
    )
    for name in ("a.md", "b.md", "c.md"):
        (tmp_path / name).write_text("{{ if a }}\n", encoding="utf-8")
    report = check(tmp_path)
    assert sorted(one.location.path for one in report.diagnostics if one.location) == ["a.md", "b.md"]


def test_the_prompts_are_what_the_branches_render_to() -> None:
    text = "{{ if a }}One{{ elif b }}Two{{ else }}Three{{ end }}{{# no #}}{{ for x in xs }} {{ x }}{{ end }}\n"
    template = read_template(TextTree(SourceText("a.prompt", text)))
    rendered = [prompt.text for prompt in template.prompts]
    assert sorted(rendered) == sorted({f"{one}{loop}\n" for one in ("One", "Two", "Three") for loop in (" x", "")})
    prompt = next(prompt for prompt in template.prompts if prompt.text == "Three x\n")
    assert prompt.place(0, 5).span() == (text.index("Three"), text.index("Three") + 5)
    # What a directive renders comes from that directive.
    assert text[slice(*(prompt.place(6, 7).span() or ()))] == "{{ x }}"


def test_a_broken_template_has_no_prompts() -> None:
    template = read_template(TextTree(SourceText("a.prompt", "{{ if a }}\nread_fiel({})")))
    assert template.parsed is None
    assert template.error is not None
    assert template.error.problem.code == "missing_end"
    assert list(template.prompts) == []


def findings(text: str, folder: Path, check: Callable[..., Report]) -> list[tuple[str, str]]:
    (folder / "tools.json").write_text(TOOLS, encoding="utf-8")
    (folder / "a.harn.prompt").write_text(text, encoding="utf-8")
    report = check(
        folder, select=["TOOL_SURFACE_UNKNOWN_PROMPT_TOOL", "TOOL_SURFACE_DEPRECATED_ARG_ALIAS", "SUPPRESSION"]
    )
    return [(one.code, text[slice(*one.location.span)]) for one in report.diagnostics if one.location]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "{{ if a }}Use read_fiel({}).{{ end }} {{ if b }}x{{ end }}\n",
            [("TOOL_SURFACE_UNKNOWN_PROMPT_TOOL", "read_fiel")],
        ),
        (
            "Use read_file({ {{ if a }}file{{ else }}path{{ end }}: 1 }).\n",
            [("TOOL_SURFACE_DEPRECATED_ARG_ALIAS", "file")],
        ),
        ("{{# read_fiel({}) #}}Hello.\n", []),
        ("{{ raw }}read_fiel({}) {{ x }}{{ endraw }}\n", [("TOOL_SURFACE_UNKNOWN_PROMPT_TOOL", "read_fiel")]),
        ("Use read_{{ what }}({}).\n", []),
        ("<!-- toolsurface-lint: ignore-next-line -->\nUse read_fiel({}).\n", []),
        ("{{# toolsurface-lint: ignore-next-line #}}\nUse read_fiel({}).\n", []),
        (
            "{{# toolsurface-lint: ignore-next-line #}}\nHello.\n",
            [("SUPPRESSION_UNUSED", "toolsurface-lint: ignore-next-line")],
        ),
    ],
)
def test_prompt_rules_see_the_rendered_text_and_report_the_template(
    text: str, expected: list[tuple[str, str]], tmp_path: Path, check: Callable[..., Report]
) -> None:
    assert findings(text, tmp_path, check) == expected


def test_a_directive_hides_what_is_wrong_with_the_template_itself(tmp_path: Path, check: Callable[..., Report]) -> None:
    text = "{{# toolsurface-lint: ignore-next-line[TEMPLATE_DEAD_CONDITION] meant so #}}\n{{ if true }}a{{ end }}\n"
    (tmp_path / "a.harn.prompt").write_text(text, encoding="utf-8")
    report = check(tmp_path)
    assert report.diagnostics == ()
    assert report.summary["suppressed"] == 1


def test_what_was_recognised_names_the_templates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from toolsurface_lint.api import inspect_paths

    (tmp_path / "tools.json").write_text(TOOLS, encoding="utf-8")
    (tmp_path / "a.harn.prompt").write_text("Use read_file({}).\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (surface,) = inspect_paths(["."], isolated=True)["surfaces"]
    assert surface["templates"] == [{"path": "a.harn.prompt"}]
    assert surface["prompts"] == []
