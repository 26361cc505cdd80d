"""The index of the rules: what is known of them without importing any. This program writes it."""

from __future__ import annotations

from pathlib import Path

from toolsurface_lint.checks import index_of, modules

INDEX = Path(__file__).resolve().parents[1] / "toolsurface_lint" / "checks" / "index.py"

HEAD = '''"""What is known of every rule before its module is imported. Written by `python -m tests.regenerate`."""

# fmt: off
# ruff: noqa: E501

from toolsurface_lint.checks.contract import Indexed

RULES = {
    rule.code: rule
    for rule in (
'''


def text() -> str:
    """The index as the modules below `checks` have it to be."""
    # Most rules are in no group.
    facts = (tuple(rule) if rule.group else tuple(rule)[:-1] for rule in index_of(modules()).values())
    rules = "".join(f"        Indexed{each!r},\n".replace("'", '"') for each in facts)
    return f"{HEAD}{rules}    )\n}}\n"


if __name__ == "__main__":
    INDEX.write_text(text(), encoding="utf-8")
