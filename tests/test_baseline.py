"""Baselines as values: what counts as the same finding, what is written, what is never hidden."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from toolsurface_lint.api import check_paths
from toolsurface_lint.model.diagnostics import BASELINE, Diagnostic, Location, Report, SurfaceSummary
from toolsurface_lint.run.baseline import Baseline, make_baseline, read_baseline, written
from toolsurface_lint.source.text import SourceText, Span

RULES = Path(__file__).resolve().parents[1] / "fixtures" / "rules"


def finding(text: str, at: str, *, code: str = "TOOL_NAME_VAGUE", path: str = "a.json", nth: int = 0) -> Diagnostic:
    start = -1
    for _ in range(nth + 1):
        start = text.index(at, start + 1)
    span = Span(start, start + len(at))
    location = Location(path, SourceText(path, text).lines.range(span), span)
    return Diagnostic(code, "error", f"`{at}` is wrong", location, surface="default")


def report(text: str, *diagnostics: Diagnostic) -> Report:
    surfaces = (SurfaceSummary("default", False, False, (), ("a.json",)),)
    return Report(diagnostics, surfaces=surfaces, sources={"a.json": SourceText("a.json", text)})


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_hidden_findings_are_suppressed_and_their_surface_is_valid(here: Path) -> None:
    old = report("x\ny", finding("x\ny", "x"))
    left = make_baseline("b.json", old).hide(old, ["."])
    assert (left.diagnostics, left.valid, left.surfaces[0].valid) == ((), True, True)
    assert [(hidden.by, hidden.diagnostic.code) for hidden in left.suppressed] == [(BASELINE, "TOOL_NAME_VAGUE")]
    assert (left.summary["error"], left.summary["suppressed"], left.stale) == (0, 1, ())
    text = "x\ny"
    more = make_baseline("b.json", old).hide(report(text, finding(text, "x"), finding(text, "y")), ["."])
    assert [diagnostic.message for diagnostic in more.diagnostics] == ["`y` is wrong"]
    assert (more.valid, more.surfaces[0].valid) == (False, False)


def test_equal_findings_are_counted(here: Path) -> None:
    text = "x\nx\nx"
    two = report(text, finding(text, "x"), finding(text, "x", nth=1))
    baseline = make_baseline("b.json", two)
    assert [entry.times for entry in baseline.entries] == [2]
    three = report(text, *(finding(text, "x", nth=nth) for nth in range(3)))
    assert len(baseline.hide(three, ["."]).diagnostics) == 1
    one = baseline.hide(report(text, finding(text, "x")), ["."])
    assert one.stale is not None
    assert [entry.code for entry in one.stale] == []
    # The rule was not among those enabled; a code that no rule has can only be stale.
    gone = make_baseline("b.json", report(text, finding(text, "x", code="TOOL_GONE")))
    assert [entry.code for entry in gone.hide(report(text), ["."]).stale or ()] == ["TOOL_GONE"]


def test_a_crash_is_never_hidden(here: Path) -> None:
    crashed = report("x", finding("x", "x", code="INTERNAL_ERROR"))
    baseline = make_baseline("b.json", crashed)
    assert baseline.entries == ()
    assert len(baseline.hide(crashed, ["."]).diagnostics) == 1


def test_what_is_written_is_read_back_and_does_not_depend_on_the_order(here: Path) -> None:
    text = "x y z \u202e\ud800"
    findings = [finding(text, at) for at in ("x", "y", "z", "\u202e", "\ud800")]
    first = written(make_baseline("b.json", report(text, *findings)))
    random.Random(1).shuffle(findings)
    assert written(make_baseline("b.json", report(text, *findings))) == first
    Path("b.json").write_text(first, encoding="utf-8")
    again = read_baseline("b.json")
    assert isinstance(again, Baseline)
    assert written(again) == first
    assert first.isascii()


@pytest.mark.slow
def test_a_large_project_is_hidden_and_stays_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines inserted, files read in another order: nothing comes back; a new defect shows alone."""
    files = []
    for file in sorted(RULES.glob("TOOL_D*/fires*/*.json")):
        rule, case = file.parts[-3:-1]
        files.append(tmp_path / f"{rule}-{case}-{file.name}")
        files[-1].write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path)
    run: Callable[..., Report] = lambda *paths: check_paths(paths or ["."], isolated=True, select=["ALL"])  # noqa: E731
    old = run()
    assert len(old.diagnostics) > 50
    baseline = make_baseline("b.json", old)
    hidden = baseline.hide(run(), ["."])
    assert (hidden.diagnostics, hidden.stale) == ((), ())
    for file in files:
        file.write_bytes(b"\n\n\n" + file.read_bytes().replace(b'{"name"', b'\n{"name"'))
    assert baseline.hide(run(), ["."]).diagnostics == ()
    names = [file.name for file in files]
    by_name = make_baseline("b.json", run(*names))
    assert by_name.hide(run(*reversed(names)), names).diagnostics == ()
    (tmp_path / "new.json").write_text(
        '{"tools": [{"name": "water the plants", "inputSchema": {"type": "object"}}]}', encoding="utf-8"
    )
    left = baseline.hide(run(), ["."]).diagnostics
    assert left
    assert {diagnostic.location.path for diagnostic in left if diagnostic.location} == {"new.json"}
