"""What is shown for a name under the cursor: the tool that it means, or the page of a code in a suppression."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from toolsurface_lint.checks import pages as rule_pages
from toolsurface_lint.checks.index import RULES
from toolsurface_lint.model.diagnostics import Rule, selects
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Parameter, Tool
from toolsurface_lint.source.directives import directives
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Place

SHOWN_TOOLS = 10
"""How many tools of a pattern are listed."""

_SHOWN_PARAMETERS = 30
_LONGEST = 2000


def describe_tools(tools: Sequence[tuple[Tool, Surface]], link: Callable[[Place], str]) -> str:
    """Markdown about one tool, or a list of several; `link` makes a link to the place of a declaration."""
    if len(tools) == 1:
        return _describe_tool(*tools[0], link)
    lines = [f"- `{tool.name}` {link(tool.name_place)}" for tool, _ in tools[:SHOWN_TOOLS]]
    if len(tools) > SHOWN_TOOLS:
        lines.append(f"- and {len(tools) - SHOWN_TOOLS} more")
    return "\n".join(lines)


def _describe_tool(tool: Tool, surface: Surface, link: Callable[[Place], str]) -> str:
    """Markdown about one tool: how it is called, what it says of itself, its parameters, and where it is declared."""
    names = ", ".join(one.name + ("" if one.required else "?") for one in tool.parameters)
    parts = [_fenced(f"{tool.name}({names})")]
    if tool.description is not None:
        parts.append(_shortened(str(tool.description.value)))
    if tool.parameters:
        parts.append("\n".join(_parameter(tool, one) for one in tool.parameters[:_SHOWN_PARAMETERS]))
    facts = [f"Declared in {link(tool.name_place)}"]
    annotations = surface.annotations(tool)
    if annotations is not None:
        facts.append(f"kind `{annotations.kind}`")
        if annotations.level is not None:
            facts.append(f"side effects `{annotations.level}`")
    if surface.policies and tool.name not in surface.active_names:
        facts.append("left out by the policy")
    if tool.deferred:
        facts.append("deferred")
    return "\n\n".join([*parts, "; ".join(facts)])


def _parameter(tool: Tool, parameter: Parameter) -> str:
    words = [f"- `{parameter.name}`"]
    if parameter.type is not None:
        words.append(f"`{parameter.type}`")
    if parameter.required:
        words.append("required")
    line = " ".join(words)
    description = tool.description_of(parameter.name)
    return f"{line}: {_shortened(' '.join(description.split()))}" if description else line


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _fenced(text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"


def code_at(text: str, offset: int) -> tuple[str, Span] | None:
    """The code or prefix that a suppression in a text names at an offset, and its place."""
    for directive in directives(text):
        for named in directive.codes:
            if named.span.start <= offset <= named.span.end:
                return named.text, named.span
    return None


def describe_code(code: str, others: Iterable[Rule]) -> str | None:
    """Markdown about a code: its page; for a prefix, the codes that it stands for. `others` are rules that are not built in."""
    own = {rule.code: rule for rule in others}
    page = rule_pages.page_of(own[code]) if code in own else rule_pages.page(code)
    if page is not None:
        return page
    codes = {one: rule_pages.url(one) for one in RULES if selects(code, one)}
    lines = [f"- [`{one}`]({url})" for one, url in codes.items()]
    return "\n".join([*lines, *(f"- `{one}`" for one in own if selects(code, one))]) or None
