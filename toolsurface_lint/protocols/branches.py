"""A template in each of its branches, with the completion sentinel set and unset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from toolsurface_lint.protocols.rendering import Rendering, render_branches
from toolsurface_lint.protocols.response import DEFAULT_SENTINEL
from toolsurface_lint.protocols.templates import Template, TemplateError


class RenderedBranch(NamedTuple):
    """One branch: its rendering, and the sentinel that it was rendered with.

    `sentinel` is empty where there is none, and None where the template has no variable for one.
    """

    rendering: Rendering
    sentinel: str | None


def sentinel_names(template: Template) -> frozenset[str]:
    """The variables of a template that hold the completion sentinel: those whose name says so."""
    return frozenset(name for name, _ in template.free_names() if "sentinel" in name.lower())


def rendered_branches(template: Template, sentinel: str | None = None) -> list[RenderedBranch]:
    """Every branch of a template, each text once; those with the sentinel set come first.

    `sentinel` is its text, the usual one if it is not known or empty. A branch that cannot be rendered is left out.
    """
    names = sentinel_names(template)
    if not names:
        return [RenderedBranch(rendering, None) for rendering in _renderings(template, {})]
    text = sentinel or DEFAULT_SENTINEL
    found: list[RenderedBranch] = []
    for values in (dict.fromkeys(names, text), {}):
        for rendering in _renderings(template, values):
            chosen = [rendering.choices[name] for name in names if name in rendering.choices]
            is_set = all(chosen) if chosen else bool(values)
            # A condition on the sentinel is decided both ways whatever its value is.
            if is_set == bool(values):
                found.append(RenderedBranch(rendering, text if is_set else ""))
    return found


def _renderings(template: Template, values: Mapping[str, str]) -> Iterator[Rendering]:
    seen: set[str] = set()
    try:
        for rendering in render_branches(template, values):
            if rendering.text not in seen:
                seen.add(rendering.text)
                yield rendering
    except TemplateError:
        # A filter that is unknown, or cannot use an invented value: no branch that needs it can be shown.
        return
