"""The pages in `rules/` against the rules: what they say about a code, and what their examples really give.

`python -m tests.regenerate` writes what is above the first section, and the outputs of the examples.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from markdown_it import MarkdownIt

from tests.dataset_here import check_here
from tests.regenerate import UPDATE
from toolsurface_lint.api import compare_paths
from toolsurface_lint.checks import all_rules
from toolsurface_lint.checks import pages as rule_pages
from toolsurface_lint.model.diagnostics import Report, Rule
from toolsurface_lint.reporters.concise import line as concise_line

RULES = {rule.code: rule for rule in all_rules()}
SECTIONS = ["What it does", "Why it matters", "Example", "How to fix", "Options", "Origin"]
WITHOUT_EXAMPLE = {"INTERNAL_ERROR"}
"""Nobody can write an input that makes a rule of ours crash: it would be fixed here."""


class Fence(NamedTuple):
    """One fence of a page; `lines` are those of its content, from 0, end exclusive."""

    section: str
    info: str
    content: str
    lines: tuple[int, int]

    @property
    def path(self) -> str | None:
        found = re.search(r"\bpath=(\S+)", self.info)
        return found[1] if found else None


def page_file(code: str) -> Path:
    return Path(rule_pages.folder()) / f"{code}.md"


def fences(text: str) -> list[Fence]:
    found = []
    section = ""
    tokens = MarkdownIt("commonmark").parse(text)
    for index, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag == "h2":
            section = tokens[index + 1].content
        elif token.type == "fence":
            assert token.map is not None
            found.append(Fence(section, token.info, token.content, (token.map[0] + 1, token.map[1] - 1)))
    return found


def status_line(rule: Rule) -> str:
    """The line below the title, from what Python says about the rule."""
    parts = [f"`{rule.severity}`", f"since {rule.since}"]
    if rule.preview:
        parts.append("off by default")
    if rule.fix:
        parts.append(f"fix: {rule.fix}")
    return " · ".join(parts)


def test_every_rule_has_a_page_and_every_page_a_rule() -> None:
    assert {file.stem for file in Path(rule_pages.folder()).glob("*.md")} == set(RULES)


@pytest.mark.generated
@pytest.mark.parametrize("code", sorted(RULES))
def test_the_page_says_what_the_rule_says(code: str) -> None:
    rule = RULES[code]
    lines = page_file(code).read_text(encoding="utf-8").split("\n")
    sections = next(number for number, line in enumerate(lines) if line.startswith("## "))
    expected = [f"# {code}", "", status_line(rule), "", rule.summary, ""]
    if UPDATE and lines[:sections] != expected:
        rewrite(page_file(code), (0, sections), "\n".join([*expected, ""]))
    else:
        assert lines[:sections] == expected
    assert rule_pages.first_paragraph("\n".join(expected)) == rule.summary


@pytest.mark.parametrize("code", sorted(RULES))
def test_the_page_has_its_sections_and_names_only_codes_that_exist(code: str) -> None:
    text = page_file(code).read_text(encoding="utf-8")
    tokens = MarkdownIt("commonmark").parse(text)
    headings = [tokens[index + 1].content for index, token in enumerate(tokens) if token.type == "heading_open"]
    assert headings == [code, *SECTIONS]
    sections = re.split(r"^## .*$", text, flags=re.MULTILINE)[1:]
    assert all(section.strip() for section in sections)
    outputs = {line for fence in fences(text) if fence.info == "text output" for line in fence.content.split("\n")}
    # A row of JSON Lines is a line.
    rows = {line for fence in fences(text) if fence.info.startswith("jsonl ") for line in fence.content.split("\n")}
    shown = (line for line in text.split("\n") if line not in outputs | rows and not line.startswith("| "))
    assert [line for line in shown if len(line) > 120] == []
    prefixes = tuple({known.split("_")[0] + "_" for known in RULES})
    for fence in fences(text):
        text = text.replace(fence.content, "")
    for word in re.findall(r"`([A-Z]+(?:_[A-Z]+)+)_?`", text):
        if word.startswith(prefixes):
            assert word in RULES or any(known.startswith(f"{word}_") for known in RULES)


def test_inner_longer_fences_are_respected() -> None:
    page = "## Example\n\n````markdown path=a.md\n```json\n{}\n```\n````\n\n```text output\nx\n```\n"
    assert fences(page) == [
        Fence("Example", "markdown path=a.md", "```json\n{}\n```\n", (3, 6)),
        Fence("Example", "text output", "x\n", (9, 10)),
    ]


@pytest.mark.generated
@pytest.mark.parametrize("code", sorted(set(RULES) - WITHOUT_EXAMPLE))
def test_the_example_fires_as_shown(code: str, tmp_path: Path, check: Callable[..., Report]) -> None:
    shown = [fence for fence in fences(page_file(code).read_text(encoding="utf-8")) if fence.section == "Example"]
    outputs = [fence for fence in shown if fence.info == "text output"]
    assert len(outputs) == 1
    assert shown[-1] == outputs[0]
    actual = outcome(shown[:-1], tmp_path, check)
    assert f"[{code}]" in actual
    if UPDATE and actual != outputs[0].content:
        rewrite(page_file(code), outputs[0].lines, actual)
    else:
        assert actual == outputs[0].content


@pytest.mark.slow
@pytest.mark.parametrize("code", sorted(set(RULES) - WITHOUT_EXAMPLE))
def test_the_fixed_files_are_clean(code: str, tmp_path: Path, check: Callable[..., Report]) -> None:
    shown = fences(page_file(code).read_text(encoding="utf-8"))
    fixed = [fence for fence in shown if fence.section == "How to fix"]
    assert {fence.path for fence in fixed} >= {
        fence.path for fence in shown if fence.section == "Example" and fence.path
    }
    assert outcome(fixed, tmp_path, check) == ""


def outcome(shown: list[Fence], folder: Path, check: Callable[..., Report]) -> str:
    """What the fences of one section give: the lines of the concise output, or what their Python prints."""
    assert shown
    if shown[0].info == "python run":
        printed = io.StringIO()
        # What it gives on standard input would meet whatever lies around the working directory.
        with contextlib.redirect_stdout(printed), contextlib.chdir(folder):
            exec(compile(shown[0].content, "page", "exec"), {})
        return printed.getvalue()
    for fence in shown:
        assert fence.path is not None, f"a fence without a path: {fence.info}"
        path = folder / fence.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(fence.content, encoding="utf-8", newline="")
    if any(folder.glob("*.jsonl")) and shown[0].info.startswith("jsonl "):
        return of_dataset(folder)
    if (folder / "old").is_dir():
        with contextlib.chdir(folder):
            report = compare_paths("old", "new")
    else:
        report = check(folder)
    # Clean must mean looked at.
    assert report.summary["files"] > 0
    return "".join(f"{concise_line(diagnostic)}\n" for diagnostic in report.diagnostics)


def of_dataset(folder: Path) -> str:
    """What the rules say of a dataset as a whole."""
    with contextlib.chdir(folder):
        report = check_here(".")
    assert report.conversations > 0
    return "".join(f"{each.example}: {each.severity}[{each.code}] {each.message}\n" for each in report.whole)


def rewrite(page: Path, lines: tuple[int, int], content: str) -> None:
    """Replace lines of a page; nothing else of it changes."""
    text = page.read_text(encoding="utf-8").split("\n")
    text[lines[0] : lines[1]] = content.split("\n")[:-1]
    page.write_text("\n".join(text), encoding="utf-8", newline="")
