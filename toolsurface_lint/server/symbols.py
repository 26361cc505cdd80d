"""The outline of a file: its tools with their parameters, its policies with their patterns, its prompts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lsprotocol import types

from toolsurface_lint.model.document import Document
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.run.naming import without_quotes
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Node, Place

TOOL, PARAMETER, POLICY = types.SymbolKind.Function, types.SymbolKind.Property, types.SymbolKind.Object
PATTERN = PROMPT = types.SymbolKind.String
AGENT = types.SymbolKind.Class


class Symbol(NamedTuple):
    """One entry: `span` is all of it, `name_span` its name, which lies inside of that."""

    name: str
    kind: types.SymbolKind
    detail: str | None
    span: Span
    name_span: Span
    children: tuple[Symbol, ...] = ()


def document_symbols(document: Document, surfaces: Sequence[Surface]) -> list[Symbol]:
    """The symbols of a document, in the order of the text."""
    own = document.scopes
    found = [*_tools(document, [*surfaces, *own]), *_policies(document, own), *_prompts(document, own)]
    unique = {(symbol.kind, symbol.name_span, symbol.span): symbol for symbol in found}
    return sorted(unique.values(), key=lambda symbol: symbol.span)


def workspace_symbols(document: Document, surfaces: Sequence[Surface]) -> Iterator[Symbol]:
    """What a document adds to the names of a workspace: its tools, agents and prompts, without what is in them."""
    for symbol in (*_tools(document, [*surfaces, *document.scopes]), *_prompts(document, document.scopes)):
        yield symbol._replace(children=())
    for agent in document.agents:
        if agent.place.tree.origin == document.path:
            made = _symbol(agent.name or agent.made_by, AGENT, agent.made_by, agent.place, agent.place)
            yield from () if made is None else (made,)
    file = document.client_file
    name = None if file is None else file.text("name")
    if file is not None and name is not None:
        read = _symbol(name.value, AGENT, file.kind, name.place, name.place)
        yield from () if read is None else (read,)
    elif any(not prompt.path for prompt in document.prompts):
        start = Span(0, 0)
        yield Symbol(document.path.rpartition("/")[2], PROMPT, None, start, start)


def is_asked(name: str, query: str) -> bool:
    """Whether a name has the letters of a query in their order, in any case: clients sort, and narrow it down."""
    letters = iter(name.lower())
    return all(letter in letters for letter in query.lower() if not letter.isspace())


def _tools(document: Document, surfaces: Sequence[Surface]) -> Iterator[Symbol]:
    tools = {id(tool): tool for tools in document.tool_lists for tool in tools}
    tools.update((id(tool), tool) for surface in surfaces for tool in surface.tools)
    for tool in tools.values():
        if tool.tree.source is None or tool.tree.source.path != document.path:
            continue
        symbol = _symbol(tool.name, TOOL, _first_line(tool), Place(tool.tree, tool.path), tool.name_place)
        if symbol is not None:
            yield symbol._replace(children=tuple(_parameters(tool)))


def _first_line(tool: Tool) -> str | None:
    if tool.description is None:
        return None
    return next(iter(str(tool.description.value).strip().split("\n")), "") or None


def _parameters(tool: Tool) -> Iterator[Symbol]:
    schema = tool.schema
    if schema is None:
        return
    for parameter in tool.parameters:
        node = schema.find("properties", parameter.name) or schema.get(parameter.name)
        if node is not None:
            symbol = _symbol(parameter.name, PARAMETER, parameter.type, node.place, node.key_place)
            if symbol is not None:
                yield symbol


def _policies(document: Document, surfaces: Sequence[Surface]) -> Iterator[Symbol]:
    policies = [*document.policies, *(policy for surface in surfaces for policy in surface.policies)]
    for policy in policies:
        yield from _policy("capability policy", policy.node, policy.tools)
    approvals = [*document.approvals, *(approval for surface in surfaces for approval in surface.approvals)]
    for approval in approvals:
        yield from _policy("approval policy", approval.node, [pattern.node for pattern in approval.patterns()])


def _policy(name: str, node: Node, patterns: Sequence[Node]) -> Iterator[Symbol]:
    symbol = _symbol(name, POLICY, None, node.place, node.key_place)
    if symbol is not None:
        children = (_symbol(str(one.value), PATTERN, None, one.place, one.place) for one in patterns)
        yield symbol._replace(children=tuple(child for child in children if child is not None))


def _prompts(document: Document, surfaces: Sequence[Surface]) -> Iterator[Symbol]:
    # A file that is a prompt as a whole needs no entry for that.
    prompts = [prompt for prompt in document.prompts if prompt.path]
    prompts.extend(prompt for surface in surfaces for prompt in surface.prompts)
    for prompt in prompts:
        symbol = _symbol(prompt.field, PROMPT, None, prompt.node.place, prompt.node.key_place)
        if symbol is not None:
            yield symbol


def _symbol(name: str, kind: types.SymbolKind, detail: str | None, whole: Place, named: Place) -> Symbol | None:
    span, name_span = whole.span(), without_quotes(named)
    if span is None or name_span is None:
        return None
    covering = Span(min(span.start, name_span.start), max(span.end, name_span.end))
    # Clients refuse an entry without a name.
    return Symbol(name or "(no name)", kind, detail, covering, name_span)
