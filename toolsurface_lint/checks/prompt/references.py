"""The tools that a prompt names against those that are declared, allowed and loaded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from toolsurface_lint.checks.contract import CLIENT_PROMPT, CLIENT_REFERENCE, EVERY_PROMPT, REFERENCE, check
from toolsurface_lint.knowledge.clients import CLIENTS
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, WARNING, Finding, Rule, renaming
from toolsurface_lint.model.names import close_index, close_names, is_one_slip, likely_meant, suggestion, swapped_in
from toolsurface_lint.model.permission import is_client_tool
from toolsurface_lint.model.prompt import MEDIUM, STRONG, WEAK, Prompt, Reference
from toolsurface_lint.model.servers import TOOL_OF_SERVER, in_order, normalized
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.texts import sentence_around
from toolsurface_lint.source.tree import Place

UNKNOWN = Rule(
    code="TOOL_SURFACE_UNKNOWN_PROMPT_TOOL",
    since="0.1.0",
    harn=10,
    severity=WARNING,
    summary="A prompt uses a tool that is not declared.",
    message={
        "undeclared": "the prompt names the tool `{name}`, which is not declared",
        "client": "the prompt names the tool `{name}`, which {client} does not have",
        "removed": "the prompt names the tool `{name}`, which is no longer declared; the last commit declares it",
        "removed on branch": "the prompt names the tool `{name}`, which is no longer declared; it was where this branch began",
        "server": "the prompt names the tool `{name}`, which the server `{server}` does not serve",
        "no server": "the prompt names a tool of the server `{name}`, which is not declared",
    },
    tags=("specification", "prompts"),
    fix=UNSAFE,
)

NOT_GIVEN = Rule(
    code="PROMPT_TOOL_NOT_GIVEN",
    since="0.1.0",
    severity=ERROR,
    summary="A program tells an agent to call a tool that it does not give it.",
    message={
        "nowhere": "the prompt says to call `{name}`, which is not among the tools of {agent}",
        "elsewhere": "the prompt says to call `{name}`, which is declared, but not given to {agent}",
    },
    tags=("prompts",),
    fix=UNSAFE,
)

NOT_IN_POLICY = Rule(
    code="TOOL_SURFACE_PROMPT_TOOL_NOT_IN_POLICY",
    since="0.1.0",
    harn=11,
    severity=WARNING,
    summary="A prompt uses a tool that the policy leaves out.",
    message="the prompt names the tool `{name}`, which the policy does not allow",
    tags=("specification", "prompts", "policies"),
)

DEFERRED = Rule(
    code="TOOL_SURFACE_DEFERRED_TOOL_PROMPT_REFERENCE",
    since="0.1.0",
    harn=12,
    severity=WARNING,
    summary="A prompt uses a deferred tool, and tool search is off.",
    message="the prompt names the tool `{name}`, which is deferred, and tool search is off",
    tags=("specification", "prompts"),
)


@check(REFERENCE, UNKNOWN, NOT_GIVEN, NOT_IN_POLICY, DEFERRED)
def check_reference(reference: Reference, prompt: Prompt, surface: Surface) -> Iterator[Finding]:
    name = reference.name
    place = prompt.place(reference.start, reference.end)
    declared = surface.by_name.get(name)
    if declared is None:
        if is_former(reference, surface):
            yield _removed(reference, prompt, surface)
            return
        if (
            _is_plain(reference, prompt, surface)
            and not surface.open
            and surface.may_mean_a_tool(reference)
            and name not in surface.unread_names
        ):
            if reference.ordered and surface.is_of_agents and _cannot_be_given(reference, surface):
                yield _not_given(name, place, surface)
            elif surface.may_call_unknown(reference, prompt):
                yield _undeclared(name, place, surface)
        return
    if reference.evidence == WEAK and not surface.specified:
        return
    related = [(f"tool `{name}` is declared here", declared[0].name_place)]
    if name not in surface.active_names:
        yield NOT_IN_POLICY.at(place, tool=name, field="prompt", related=related)
    if not surface.tool_search and all(tool.deferred for tool in declared):
        yield DEFERRED.at(
            place, tool=name, field="prompt", related=related, help="load it at the start, or turn tool search on"
        )


@check(EVERY_PROMPT, NOT_GIVEN)
def check_orders_to_agents(prompt: Prompt, surface: Surface) -> Iterator[Finding]:
    """Orders to use a tool of the client that runs the agents, which their program leaves out."""
    clients = {agent.client for agent in surface.agents}
    client = next(iter(clients)) if len(clients) == 1 else None
    if client is None:
        return
    from toolsurface_lint.checks.prompt._orders import orders

    left_out = CLIENTS[client].tools - frozenset(name for agent in surface.agents for name in agent.built_in)
    for order in orders(prompt.text) if left_out else ():
        if order.name in left_out and order.names_a_known_tool:
            yield _not_given(order.name, prompt.place(order.start, order.end), surface)


def _is_plain(reference: Reference, prompt: Prompt, surface: Surface) -> bool:
    """Whether an undeclared name plainly is that of a tool; of a text whose reader a program gives tools, less will do."""
    if surface.specified or reference.evidence == STRONG:
        return True
    name = reference.name
    known = surface.tools or name in surface.declared_anywhere
    return reference.evidence == MEDIUM and bool(known and prompt.told_to) and not surface.close_names(name)


def _cannot_be_given(reference: Reference, surface: Surface) -> bool:
    """Whether an undeclared name plainly is that of a tool, and of none that its agents may have all the same."""
    name = reference.name
    if surface.has_as_a_part(name):
        return False
    if name in surface.declared_anywhere:
        return True
    return (reference.called_tool or bool(surface.close_names(name))) and not surface.may_be_given(name)


def _not_given(name: str, place: Place, surface: Surface) -> Finding:
    elsewhere = surface.declared_anywhere.get(name)
    near = surface.close_names(name) if elsewhere is None else ()
    if elsewhere is not None:
        declared = [(f"`{name}` is declared here", elsewhere.name_place)]
    else:
        declared = surface.declared_instead(near) if near else []
    given = "its tools are given here" if surface.tools else "it is made here, without functions"
    who = " and ".join(agent.title for agent in surface.agents)
    return NOT_GIVEN.at(
        place,
        "nowhere" if elsewhere is None else "elsewhere",
        tool=name,
        field="prompt",
        related=[(given, surface.agents[0].place), *declared],
        help=suggestion(near),
        fix=renaming(place, name, near),
        name=name,
        agent=who,
    )


def is_former(reference: Reference, surface: Surface) -> bool:
    """Whether a reference is to a tool that an earlier commit declares and that is gone.

    In an open surface it may be where it cannot be seen, unless another name is in its place.
    """
    if reference.name in surface.by_name or reference.evidence == WEAK:
        return False
    former = surface.former(reference.name)
    return former is not None and (not surface.open or former.renamed is not None)


def _removed(reference: Reference, prompt: Prompt, surface: Surface) -> Finding:
    name = reference.name
    former = surface.former(name)
    renamed = None if former is None else former.renamed
    near = (renamed,) if renamed in surface.by_name else surface.close_names(name)
    kind = "removed on branch" if former is not None and former.branch else "removed"
    place = prompt.place(reference.start, reference.end)
    return _unknown(kind, name, place, near, surface.declared_instead(near))


def _undeclared(name: str, place: Place, surface: Surface) -> Finding:
    near = surface.close_names(name) or surface.ending_with(f"_{name}")
    return _unknown("undeclared", name, place, near, surface.declared_instead(near))


def _unknown(
    kind: str, name: str, place: Place, near: Sequence[str], related: Iterable[tuple[str, Place]] = (), **values: str
) -> Finding:
    fix = renaming(place, name, near)
    return UNKNOWN.at(place, kind, tool=name, field="prompt", related=related, help=suggestion(near), fix=fix, **values)


@check(CLIENT_REFERENCE, UNKNOWN)
def check_client_reference(reference: Reference, prompt: Prompt, surface: Surface) -> Iterator[Finding]:
    """A client has tools that nobody sees here, and its user adds others: wrong is a slip in the name of a known one.

    It must be called a tool, since most of what such a prompt names are the functions of a program. A prompt that names
    a tool of its servers speaks of these; if all of them are known, another tool does not exist.
    """
    name = reference.name
    if is_former(reference, surface) and not is_client_tool(name):
        yield _removed(reference, prompt, surface)
        return
    if not reference.called_tool or reference.evidence != STRONG or name in surface.by_name or is_client_tool(name):
        return
    place = prompt.place(reference.start, reference.end)
    if name.startswith("mcp__"):
        yield from _of_server(name, place, surface)
        return
    client = surface.client_of(prompt)
    near = () if client is None else close_names(name, surface.own_tools(client))
    if client is not None and near:
        yield _unknown("client", name, place, near, client=CLIENTS[client].name)
    elif (
        not surface.open
        and (surface.close_names(name) or surface.speaks_of_servers(prompt))
        and name not in surface.unread_names
    ):
        yield _undeclared(name, place, surface)


@check(CLIENT_PROMPT, UNKNOWN)
def check_orders(prompt: Prompt, surface: Surface) -> Iterator[Finding]:
    """Slips in the names of a client's own tools, where a text orders to use one of them."""
    client = surface.client_of(prompt)
    if client is None:
        return
    from toolsurface_lint.checks.prompt._orders import orders

    own = surface.own_tools(client)
    for order in orders(prompt.text):
        name = order.name
        # A word that is nearly a tool's may be the name of a program.
        if (
            order.as_means
            or name in surface.by_name
            or is_client_tool(name)
            or (name.endswith("s") and name[:-1] in own)
        ):
            continue
        near = likely_meant(name, own)
        if near and (order.called_tool or is_one_slip(name, near[0])):
            place = prompt.place(order.start, order.end)
            yield _unknown("client", name, place, near, client=CLIENTS[client].name)


_DIGITS = re.compile(r"[0-9]+")
_ASIDE = re.compile(
    r"(?:(?<!, )\b(?:not|never)|\b(?:not|never)(?! (?:against|at|during|for|from|in|on|with)\b)"
    r"|\b(?:don['\u2019]t|avoid|no such|instead of|rather than|renamed|formerly))\b",
    re.IGNORECASE,
)
"""Words that say that a name is wrong, or not for use; not those on where it is used: `on the test data, never on the real`."""


@check(CLIENT_PROMPT, UNKNOWN)
def check_server_names(prompt: Prompt, surface: Surface) -> Iterator[Finding]:
    """Slips in the names of servers. Any other server may be its user's own; numbered ones are several."""
    text = prompt.text
    if surface.servers is None or "mcp__" not in text:
        return
    servers = surface.servers
    known = frozenset(map(normalized, servers.declared(prompt.origin)))
    close, ordered = close_index(known), in_order(known)
    found = (
        (match, close.find(match[1]) or swapped_in(match[1], known) or servers.named_short(match[1], match[2], ordered))
        for match in TOOL_OF_SERVER.finditer(text)
    )
    named = [(match, near) for match, near in found if near and match[1] not in known]
    if not named:
        return
    from toolsurface_lint.source.markdown import layout

    is_fenced = layout(text).is_fenced
    for match, near in named:
        server, (start, end) = match[1], match.span(1)
        near = tuple(other for other in near if _DIGITS.sub("", other) != _DIGITS.sub("", server))
        if near and not is_fenced(start) and not _ASIDE.search(sentence_around(text, start, end)):
            yield _unknown("no server", server, prompt.place(start, end), near)


def _of_server(name: str, place: Place, surface: Surface) -> Iterator[Finding]:
    """A tool of a server, `mcp__SERVER__TOOL`, against the list of that server if it is known."""
    if surface.servers is None or not surface.servers.lacks(name):
        return
    server, _, tool = name[5:].partition("__")
    place = place.part(len(name) - len(tool), len(name))
    near, related = surface.servers.instead_of(tool, server)
    yield _unknown("server", tool, place, near, [related], server=server)


MISSPELLED = Rule(
    code="PROMPT_MISSPELLED_TOOL",
    since="0.1.0",
    severity=WARNING,
    summary="A prompt misspells the name of a tool.",
    message="the prompt writes `{name}`; the tool is declared as `{declared}`",
    help="write `{declared}`",
    tags=("prompts",),
    fix=UNSAFE,
)


@check(REFERENCE, MISSPELLED)
def check_spelling(reference: Reference, prompt: Prompt, surface: Surface) -> Iterator[Finding]:
    name = reference.name
    if reference.evidence != MEDIUM or name in surface.by_name or surface.open or is_former(reference, surface):
        return
    near = surface.close_names(name)
    if not near or name in surface.unread_names or not surface.may_call_unknown(reference, prompt):
        return
    declared = near[0]
    place = prompt.place(reference.start, reference.end)
    yield MISSPELLED.at(
        place,
        tool=declared,
        field="prompt",
        related=[(f"`{declared}` is declared here", surface.by_name[declared][0].name_place)],
        name=name,
        declared=declared,
        fix=renaming(place, name, near),
    )
