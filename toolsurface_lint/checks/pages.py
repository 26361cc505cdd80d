"""The page of each rule: `rules/CODE.md`, inside an installed package, next to it in a checkout."""

from __future__ import annotations

import os
import re

from toolsurface_lint.model.diagnostics import Diagnostic, Rule

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_CODE = re.compile(r"[A-Z][A-Z0-9_]*")
_FRONT_MATTER = re.compile(r"---\n.*?^---\n", re.DOTALL | re.MULTILINE)
# A mark of what is generated.
_COMMENT = re.compile(r"^<!--.*-->\n+", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
# The last three begin the line below the title that says the severity.
_NOT_PROSE = ("#", "```", "~~~", "|", ">", "- ", "* ", "<!--", "`error` ", "`warning` ", "`info` ")

URL = "https://github.com/toolsurface-lint/toolsurface-lint/blob/main/rules/{code}.md"


def url(code: str) -> str:
    """Where the page of a built-in rule can be read on the web."""
    return URL.format(code=code)


def url_of(rule: Rule | Diagnostic) -> str | None:
    """Where more about a rule, or about that of a diagnostic, can be read on the web; None for a rule that names no address."""
    return url(rule.code) if rule.url is None else rule.url or None


def built_in_url(rule: Rule | Diagnostic) -> str | None:
    """The same where people may follow a link without a look at it: no address that comes from settings."""
    return url(rule.code) if rule.url is None else None


def page_of(rule: Rule) -> str | None:
    """The page of a rule in Markdown: its own, or that of a built-in rule. None if there is none."""
    return rule.page or page(rule.code)


def folder() -> str:
    """The folder of the pages. An editable install has them next to the package, where the repository keeps them."""
    inside = os.path.join(_PACKAGE, "rules")
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(_PACKAGE), "rules")


def page(code: str) -> str | None:
    """The page of a rule in Markdown, without its front matter and its comments; None if there is none."""
    if not _CODE.fullmatch(code):
        return None
    try:
        with open(os.path.join(folder(), f"{code}.md"), encoding="utf-8") as file:
            text = file.read()
    except OSError:
        return None
    text = _FRONT_MATTER.sub("", text, count=1).lstrip() if text.startswith("---\n") else text
    return _COMMENT.sub("", text)


def first_paragraph(page: str) -> str:
    """The first paragraph of prose on a page, on one line, its links reduced to their text; empty if there is none."""
    for block in page.split("\n\n"):
        lines = [line.strip() for line in block.strip().split("\n")]
        while lines and lines[0].startswith("#"):
            del lines[0]
        if lines and lines[0] and not lines[0].startswith(_NOT_PROSE):
            return _LINK.sub(r"\1", " ".join(lines))
    return ""
