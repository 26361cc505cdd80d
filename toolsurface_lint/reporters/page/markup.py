"""HTML put together so that text is text: whatever is not `Markup` is escaped when it becomes part of an element."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import TypeAlias

from toolsurface_lint.reporters.characters import visible


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


Child: TypeAlias = str | int | Iterable["Child"] | None
"""What may stand in an element: text, a number, elements, or any of these one after another; None is nothing."""

_VOID = frozenset({"input", "link", "meta"})
_QUOTED = re.compile(r"`([^`]*)`")


def element(name: str, /, *children: Child, **attributes: str | int | bool | None) -> Markup:
    """An element. The underscores of an attribute's name are hyphens, one at its end is dropped (`class_`, `aria_label`).

    An attribute that is None or False is left out, one that is True is written without a value.
    """
    parts = [f"<{name}"]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        parts.append(f" {key.rstrip('_').replace('_', '-')}")
        if value is not True:
            parts.append(f'="{escape(visible(str(value)))}"')
    parts.append(">")
    if name not in _VOID:
        parts.append(joined(*children))
        parts.append(f"</{name}>")
    return Markup("".join(parts))


def joined(*children: Child) -> Markup:
    """Elements and texts one after another."""
    return Markup("".join(_parts(children)))


def _parts(children: Iterable[Child]) -> Iterable[str]:
    for child in children:
        if isinstance(child, Markup):
            yield child
        elif isinstance(child, str):
            yield text(child)
        elif isinstance(child, int):
            yield str(child)
        elif child is not None:
            yield from _parts(child)


def text(value: str, *, lines: bool = False) -> Markup:
    """Text as it is to be read: characters that steer, hide or reverse text as marked escapes. `lines`: line ends stay."""
    if value.isprintable():
        return Markup(escape(value))
    parts = []
    for char in value:
        shown = visible(char)
        if shown == char or (lines and char == "\n"):
            parts.append(escape(char))
        else:
            parts.append(f'<span class="escaped">{escape(shown)}</span>')
    return Markup("".join(parts))


def prose(value: str) -> Markup:
    """A text of several lines."""
    return text(value.replace("\r\n", "\n").strip(), lines=True)


def code(value: str, **attributes: str | None) -> Markup:
    return element("code", value, **attributes)


def term(title: str, *values: Child) -> Markup:
    """One entry of a `dl`."""
    return element("div", element("dt", title), (element("dd", value) for value in values))


def table(caption: str, titles: Sequence[str], rows: Iterable[Sequence[Child]], style: str = "list") -> Markup:
    """A table with a heading for each column and each row; the caption is for those who do not see it."""
    body = (
        element(
            "tr",
            element("th", first, scope="row"),
            (element("td", cell, data_label=title) for title, cell in zip(titles[1:], cells, strict=True)),
        )
        for first, *cells in rows
    )
    return element(
        "table",
        element("caption", caption, class_="unseen"),
        element("thead", element("tr", (element("th", title, scope="col") for title in titles))),
        element("tbody", body),
        class_=style,
    )


def message(value: str) -> Markup:
    """A sentence of ours: what it has in backticks is code, and somebody else's text."""
    return joined(code(part) if index % 2 else part for index, part in enumerate(_QUOTED.split(value)))
