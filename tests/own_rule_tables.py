"""The reference of `docs/own-rules.md`: what rules of one's own look at, and what they may ask."""

from __future__ import annotations

from toolsurface_lint.own_rules.language import CASINGS, OF_FINDINGS, TESTS
from toolsurface_lint.own_rules.subjects import SUBJECTS


def page() -> str:
    """The part of the page that is generated."""
    parts = ["## Tests", _table(("test", "value", "holds if"), [_test(*form) for form in TESTS.values()])]
    parts.append(f"The casings are {', '.join(f'`{casing}`' for casing in CASINGS)}.")
    parts += ["## Subjects"]
    for form in SUBJECTS.values():
        parts += [f"### {form.name}", f"{form.meaning[:1].upper()}{form.meaning[1:]}."]
        if form.pointers:
            parts.append(f"A JSON pointer leads into {form.pointers}.")
        if form.has_tool:
            parts.append("`tool = { ... }` asks for the fields of its tool.")
        rows = [(f"`{field.name}`", field.kind, field.meaning) for field in form.fields.values()]
        parts.append(_table(("field", "kind", "meaning"), rows))
    rows = [(f"`{{{name}}}`", meaning) for name, meaning in OF_FINDINGS.items()]
    parts += [
        "## Messages",
        "Beside the fields of the subject, a message may have these:",
        _table(("field", "meaning"), rows),
    ]
    return "\n\n".join(parts) + "\n"


def _test(name: str, value: str, meaning: str) -> tuple[str, str, str]:
    return f"`{name}`", value, meaning


def _table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [heads, tuple("---" for _ in heads), *rows]
    return (
        "\n".join(f"| {' | '.join(cells)} |" for cells in lines).replace("| --- |", "|---|").replace(" --- |", "---|")
    )
