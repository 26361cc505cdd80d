"""The texts of a surface: its prompts, templates and transcripts, and the lines in them that name tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from toolsurface_lint.reporters.page.findings import one_of_each_name
from toolsurface_lint.reporters.page.markup import Markup, code, element
from toolsurface_lint.reporters.page.words import count, excerpt_line

_STANCES = {"denial": "said to be missing", "prohibition": "forbidden", "aside": "in passing"}


def texts(surface: dict[str, Any]) -> list[tuple[Markup, str, str]]:
    """The prompts, templates and transcripts of a surface: the path of each, what it is, and what it holds, in words."""
    named = Counter(item["path"] for tool in one_of_each_name(surface["tools"]) for item in tool["references"])
    found = []
    for kind in ("prompt", "template"):
        for item in surface[f"{kind}s"]:
            number = named[item["path"]]
            found.append((code(item["path"]), kind, f"{count(number, 'mention') if number else 'no mention'} of tools"))
    for item in surface["transcripts"]:
        followed = item["conversations"] is not None
        holds = [count(item[f"{noun}s"], noun) for noun in ("conversation", "turn", "call")] if followed else []
        found.append((code(item["path"]), "transcript", ", ".join(holds) or "not followed"))
    return found


def mentions(references: Sequence[dict[str, Any]]) -> Markup:
    """Lines of texts that name tools, each below its file."""
    files = []
    for path, items in groupby(references, lambda item: item["path"]):
        lines = [
            element(
                "li",
                element("span", f"{item['line']}:{item['column']}", class_="number"),
                excerpt_line(item["excerpt"]),
                element("span", _STANCES[stance], class_="tag")
                if (stance := item.get("stance", "use")) in _STANCES
                else None,
            )
            for item in items
        ]
        files.append(element("li", code(path or "", class_="place"), element("ul", lines, class_="lines")))
    return element("ul", files, class_="files")
