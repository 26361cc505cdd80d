"""Built-in rules that are said in the language of rules of one's own find the same, at the same places."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from pathlib import Path

import pytest

from toolsurface_lint import api
from toolsurface_lint.checks.index import RULES
from toolsurface_lint.model.diagnostics import Diagnostic
from toolsurface_lint.project.settings import Settings
from toolsurface_lint.project.settings.loading import load_settings

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
FILE = FIXTURES / "own-rules" / "built-in.toml"
PREFIX = "OWN_"
SETTINGS = load_settings([], str(FILE))
CODES = [code.removeprefix(PREFIX) for code in sorted(SETTINGS.own_codes)]
SHARED = FIXTURES.parents[1] / "shared" / "inputs"


@pytest.fixture(autouse=True)
def _with_these_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the settings of a folder say, they have these rules, too."""

    def load(*arguments: object, **options: object) -> Settings:
        settings = load_settings(*arguments, **options)  # type: ignore[arg-type]
        settings.others, settings.own_codes = SETTINGS.others, SETTINGS.own_codes
        return settings

    monkeypatch.setattr(api, "load_settings", load)


def compare(folder: Path) -> Counter[str]:
    """How often each of the rules found something, where both found the same."""
    report = api.check_paths([str(folder)], select=[*CODES, *SETTINGS.own_codes], jobs=1)
    enabled = {rule.code for rule in report.rules}
    # What a comment or a setting hides is found all the same.
    found = [*report.diagnostics, *(hidden.diagnostic for hidden in report.suppressed)]
    built_in = [each for each in found if not each.code.startswith(PREFIX)]
    own = [each for each in found if each.code.startswith(PREFIX) and each.code.removeprefix(PREFIX) in enabled]
    assert places(own) == places(built_in)
    return Counter(each.code for each in built_in)


def places(diagnostics: list[Diagnostic]) -> list[tuple[str, str, tuple[int, int]]]:
    return sorted(
        {
            (each.code.removeprefix(PREFIX), each.location.path, each.location.span)
            for each in diagnostics
            if each.location is not None
        }
    )


def test_there_are_twenty() -> None:
    assert len(CODES) >= 20
    assert set(CODES) <= set(RULES)


def compare_copy(folder: Path, copy: Path) -> Counter[str]:
    """Away from the repository: for a policy that meets no tools, all of it would be searched for some."""
    shutil.copytree(folder, copy)
    return compare(copy)


@pytest.mark.parametrize("code", CODES)
def test_the_cases_of_the_rule(code: str, tmp_path: Path) -> None:
    folders = sorted((FIXTURES / "rules" / code).iterdir())
    found = sum((compare_copy(folder, tmp_path / folder.name) for folder in folders), Counter[str]())
    assert found[code]


@pytest.mark.parametrize("folder", sorted(each.name for each in (FIXTURES / "surfaces").iterdir() if each.is_dir()))
def test_whole_surfaces(folder: str, tmp_path: Path) -> None:
    compare_copy(FIXTURES / "surfaces" / folder, tmp_path / folder)


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.is_dir(), reason="the inputs are not here")
def test_real_surfaces() -> None:
    found: Counter[str] = Counter()
    for folder in sorted(os.scandir(SHARED), key=lambda each: each.name):
        if folder.is_dir():
            found += compare(Path(folder.path))
    assert found
