"""Folders whose modules register themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolsurface_lint.source.modules import WrongDeclaration, registered


def test_a_module_without_the_declaration_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "made_up_formats"
    folder.mkdir()
    (folder / "__init__.py").write_text("", encoding="utf-8")
    (folder / "first.py").write_text("FORMAT = 1\n", encoding="utf-8")
    (folder / "second.py").write_text("ENVELOPE = 2\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert registered("made_up_formats", "FORMAT", "ENVELOPE") == (1,)
    (folder / "third.py").write_text("FROMAT = 3\n", encoding="utf-8")
    with pytest.raises(WrongDeclaration, match=r"^made_up_formats\.third must declare `FORMAT` or `ENVELOPE`$"):
        registered("made_up_formats", "FORMAT", "ENVELOPE")
    with pytest.raises(WrongDeclaration, match=r"^made_up_formats\.second must declare `FORMAT`$"):
        registered("made_up_formats", "FORMAT")
