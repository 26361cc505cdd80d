"""The published smells: what the pages of the rules and docs/smells.md say of them, from the rows in `knowledge.smells`.

`python -m tests.regenerate` writes the last paragraph of each page of a rule about tools, and the tables.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from tests.regenerate import UPDATE
from toolsurface_lint.checks import pages
from toolsurface_lint.checks.index import RULES
from toolsurface_lint.knowledge import smells
from toolsurface_lint.knowledge.smells import QUOTED, SMELLS, Smell, Study

DOCS = Path(__file__).resolve().parents[1] / "docs" / "smells.md"
CODES = sorted(code for code in RULES if code.startswith("TOOL_"))
STUDIES = [value for value in vars(smells).values() if isinstance(value, Study)]


def effect_of(smell: Smell) -> str:
    return smell.effect or (f"not measured alone; {smell.study.effect}" if smell.study.effect else "not measured")


def paragraph(code: str) -> str:
    """What the page of a rule says of its smells."""
    found = [smell for smell in SMELLS if code in smell.rules]
    sentences = [
        f"Published smell: {smell.name} (arXiv {smell.study.arxiv}{', ' * bool(smell.group)}{smell.group}). "
        f"Measured effect: {effect_of(smell)}."
        for smell in found
    ] or ["Published smell: none that is known. Measured effect: not measured."]
    return textwrap.fill(" ".join(sentences), 118, break_on_hyphens=False, break_long_words=False)


@pytest.mark.generated
@pytest.mark.parametrize("code", CODES)
def test_the_page_says_which_smell_it_is(code: str) -> None:
    file = Path(pages.folder()) / f"{code}.md"
    text = file.read_text(encoding="utf-8")
    kept, _, last = text.rstrip("\n").rpartition("\n\n")
    if UPDATE:
        before = kept if last.startswith("Published smell: ") else text.rstrip("\n")
        file.write_text(f"{before}\n\n{paragraph(code)}\n", encoding="utf-8", newline="")
    else:
        assert last == paragraph(code)


@pytest.mark.generated
def test_the_tables() -> None:
    mark = "<!-- generated from here on -->\n"
    text = DOCS.read_text(encoding="utf-8")
    expected = text[: text.index(mark) + len(mark)]
    for study in STUDIES:
        rows = [smell for smell in SMELLS if smell.study is study]
        expected += (
            f"\n## arXiv {study.arxiv}\n\n[{study.title}](https://arxiv.org/abs/{study.arxiv}): {study.looked_at}.\n"
        )
        if study.effect:
            expected += f"Measured as a whole: {study.effect}.\n"
        expected += "\n| smell | found | measured effect | rules |\n|---|---|---|---|\n"
        for smell in rows:
            rules = "<br>".join(f"[{code}](../rules/{code}.md)" for code in smell.rules) or "none"
            dagger = "†" if smell.source == QUOTED else ""
            effect = smell.effect or ("not measured alone" if study.effect else "not measured")
            expected += f"| {smell.name} | {smell.found}{dagger} | {effect} | {rules} |\n"
    if UPDATE:
        DOCS.write_text(expected, encoding="utf-8", newline="")
    else:
        assert text == expected


def test_every_row_has_its_source_and_its_study() -> None:
    assert {smell.source for smell in SMELLS} == {smells.ABSTRACT, smells.QUOTED}
    assert all(any(smell.study is study for smell in SMELLS) for study in STUDIES)
    assert all(re.fullmatch(r"\d{4}\.\d{5}", study.arxiv) for study in STUDIES)
    assert len({(smell.name, smell.study.arxiv) for smell in SMELLS}) == len(SMELLS)


def test_the_rules_of_the_rows_exist() -> None:
    assert {code for smell in SMELLS for code in smell.rules} <= set(CODES)
