"""The policies of a surface: each entry with the tools that it means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolsurface_lint.reporters.page.markup import Child, Markup, code, element, table
from toolsurface_lint.reporters.page.words import absent, place

_ACTIONS = {"approve": "allow"}


def described_policy(policy: dict[str, Any]) -> Markup:
    """A policy with its ceiling and its entries."""
    ceiling = policy.get("ceiling")
    return element(
        "div",
        element("h4", code(policy["path"]), " ", element("span", policy["kind"], class_="tag")),
        element("p", "Ceiling of side effects ", code(ceiling["level"]), " ", place(ceiling)) if ceiling else None,
        _entries(policy) if policy["entries"] else element("p", "No entries that name tools.", class_="quiet"),
        class_="policy",
    )


def _entries(policy: dict[str, Any]) -> Markup:
    rows = (
        (code(entry["pattern"]), _says(entry), _matched(entry["tools"]), place(entry)) for entry in policy["entries"]
    )
    return table(f"Entries of {policy['path']}", ("Entry", "Says", "Tools", "Place"), rows, "list entries")


def _says(entry: dict[str, Any]) -> Child:
    action = entry.get("action")
    if "argument" in entry:
        argument = code(entry["argument"]) if entry["argument"] else "the path"
        patterns = [[" " if index == 0 else " or ", code(one)] for index, one in enumerate(entry["argument_patterns"])]
        return [argument, " must be", patterns or " given"]
    return [code(entry["field"]), f": {_ACTIONS.get(action, action)}" if action else None]


def _matched(names: Sequence[str]) -> Child:
    if not names:
        return absent("no declared tool")
    shown = [[", " if index else None, code(name)] for index, name in enumerate(names[:5])]
    return [shown, f" and {len(names) - 5:,} more" if len(names) > 5 else None]
