"""The head of an agent's, a command's or a skill's markdown file: its keys, and its tool list in the spelling of any client.

Source: the documentation of Claude Code on subagents, commands and skills; github/awesome-copilot, the instructions for
agents; Gemini CLI on subagents; OpenCode on agents; the agent skills format.
"""

from __future__ import annotations

from toolsurface_lint.knowledge.client_files import ALL_KEYS, FILE_KINDS, FileKind
from toolsurface_lint.knowledge.clients import AGENT, ANY_CLIENT, CLIENTS, COMMAND, MODEL_WORDS, Standing
from toolsurface_lint.model.client_file import ClientFile
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.names import folded, likely_meant
from toolsurface_lint.model.permission import ALLOW, DENY, PermissionFile, PermissionRule
from toolsurface_lint.model.prompt import Prompt
from toolsurface_lint.model.unseen import Unseen
from toolsurface_lint.readers.front_matter import FrontMatter
from toolsurface_lint.readers.permissions import CLAUDE_CODE, names_of, read_claude_rule
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Node, Place, Tree

OFFERS = ("tools",)
"""The lists without which an agent has every tool, and with which it has no other."""
_APPROVES = ("allowed-tools", "allowed_tools", "allowedTools")
_WITHHOLDS = ("disallowedTools", "disallowed-tools", "disallowed_tools")
LISTS = (*OFFERS, *_APPROVES, *_WITHHOLDS)


def read_agent(document: Document, head: Tree) -> None:
    """Read the tool lists of a markdown file's front matter into the document.

    The file is a surface of its own as soon as its client is known: which tools there are is then the client's to say. An
    agent or a command without a list has all of them.
    """
    root = head.root
    lists = _lists(root)
    standing = document.standing
    client = client_of(document.location, standing, root)
    permission = root.get("permission") if client == "opencode" else None
    if lists or permission is not None:
        _read_lists(document, root, lists, permission, client)
    elif standing.kind not in (AGENT, COMMAND):
        return
    if client is not None:
        document.complete = True
        document.open_reasons.append(
            Unseen(f"{CLIENTS[client].name} reads this file, and has tools that no file declares", document.path)
        )


def _read_lists(
    document: Document, root: Node, lists: list[tuple[str, Node]], permission: Node | None, client: str | None
) -> None:
    file = PermissionFile((lists[0][1] if lists else permission or root), client)
    row = FILE_KINDS.get((client or "", document.standing.kind))
    if row is not None and client is not None:
        # What the client does not read says nothing.
        lists = [(key, node) for key, node in lists if key in row.keys]
    for key, node in lists:
        for text, place, action in _entries(key, node):
            rule = _rule(file, text, place, action, key)
            if rule is not None:
                file.rules.append(rule)
    file.closed = any(key in OFFERS and not isinstance(node.value, dict) for key, node in lists)
    if permission is not None:
        from toolsurface_lint.readers.documents.opencode import read_permission

        rules = PermissionFile(permission, client)
        read_permission(rules, permission, "permission")
        document.permissions.append(rules)
    document.permissions.append(file)


def audience_of(path: str, standing: Standing, head: Tree) -> frozenset[str]:
    """The coding clients that a markdown file with front matter is written for, as in `Prompt.audience`."""
    if standing.readers:
        return standing.readers
    lists = _lists(head.root)
    client = client_of(path, standing, head.root)
    if client is not None:
        return frozenset({client})
    value = head.value if isinstance(head.value, dict) else {}
    agent = {"name", "description"} <= value.keys()
    # In a description, examples in tags are what Claude Code's wizard for agents writes.
    if agent and "<example>" in str(value["description"]):
        return ANY_CLIENT
    if lists:
        # These names are of skills and commands; `tools` may be the list of any program.
        return ANY_CLIENT if any(key in _APPROVES[:1] for key, _ in lists) else frozenset()
    # The hint is what the user is shown to type after a command's name.
    there = agent and "agents" in path.lower().split("/")[:-1]
    return ANY_CLIENT if there or "argument-hint" in value else frozenset()


def problems_of(path: str, standing: Standing, matter: FrontMatter) -> list[Problem[Span]]:
    """What is wrong with the front matter of a markdown file for the clients that read it.

    Claude Code writes descriptions full of colons and shows hints such as `[file] [line]` without quotes, and where YAML
    refuses them, it puts the quotes there itself. A skill is for other clients too, some of them strict; and a list of
    tools that was meant to be one is not what quotes make of it.

    Source: npm @anthropic-ai/claude-code 2.1.50 and 2.1.330; 1.0.60 read such front matter line by line.
    """
    readers = standing.readers
    quotes = readers == {CLAUDE_CODE} if readers else CLAUDE_CODE in audience_of(path, standing, matter.tree)
    # The hint of a command has the form that Claude Code gave it, whoever else shows it.
    quotes = quotes or ("/commands/" in f"/{path}" and set(matter.unquoted) == {"argument-hint"})
    if not quotes or not matter.unquoted or any(_breaks_off(matter.tree.root, name) for name in matter.unquoted):
        # Of what no strict reader reads, a repeated key is no further finding.
        return [problem for problem in matter.problems if problem.code == "front_matter"] or matter.problems
    return [problem for problem in matter.problems if problem.code != "front_matter"]


def _breaks_off(root: Node, name: str) -> bool:
    """Whether the text of a member was meant to be a list of tools."""
    node = root.get(name)
    return name in LISTS and node is not None and node.value.startswith(("[", "{"))


def _lists(root: Node) -> list[tuple[str, Node]]:
    return [(key, node) for key in LISTS if (node := root.get(key)) is not None and node.value is not None]


def read_client_file(path: str, standing: Standing, head: Tree, body: Prompt) -> ClientFile | None:
    """What a markdown file is to the clients that read it, with what is wrong with its keys; None if it is nothing to them."""
    kind = standing.kind
    if not kind:
        return None
    file = ClientFile(kind, _owner(path, standing, head.root), head.root, body)
    row = FILE_KINDS.get((file.client or "", kind))
    if row is not None:
        for key, node in head.root.members():
            if node.value is None:
                continue
            if key not in row.keys and key not in row.spellings:
                _note_key(file, row, key, node)
            elif standing.in_plugin and key in row.not_in_plugins:
                file.add("plugin", node, name=key, owner=row.name)
            elif key in row.values:
                _check_value(file, row, key, node)
    return file


def _check_value(file: ClientFile, row: FileKind, key: str, node: Node) -> None:
    """Note a word that stands for one that a key may have."""
    words, text = row.values[key], node.value
    if isinstance(text, str) and text not in words:
        near = tuple(word for word in words if folded(word) == folded(text)) or likely_meant(text, words)
        if near:
            values = {"name": key, "got": text, "owner": row.name, "near": near}
            file.problems.append(Problem("value", node.place, values, key))


def _owner(path: str, standing: Standing, root: Node) -> str | None:
    """The one client that reads a file, one without a catalogue of tools among them."""
    readers = standing.readers
    return next(iter(readers)) if len(readers) == 1 else client_of(path, standing, root)


def note_keys(file: ClientFile, row: FileKind) -> None:
    """Note the keys of a file that its client ignores, and that stand for others."""
    for key, node in file.head.members() if file.head is not None else ():
        if key not in row.keys and node.value is not None:
            _note_key(file, row, key, node)


def _note_key(file: ClientFile, row: FileKind, key: str, node: Node) -> None:
    """Note a key that the client ignores, if it stands for another: people add keys of their own."""
    if key in LISTS:
        # Programs of many kinds read skills, and some have a list of that name.
        meant = () if file.client is None and key in OFFERS else row.lists[:1]
        near = row.lists[1:] if key in _WITHHOLDS else meant
    else:
        near = likely_meant(key, row.keys) if key not in ALL_KEYS else ()
    if not near:
        return
    if near[0] in row.lists:
        file.add("list", node, name=key, owner=row.name, instead=near[0])
    else:
        file.add("key", node, name=key, owner=row.name, near=near)


def _entries(key: str, node: Node) -> list[tuple[str, Place, str]]:
    action = DENY if key in _WITHHOLDS else ALLOW
    if isinstance(node.value, dict):
        # OpenCode's switches: `write: false`.
        return [
            (name, member.key_place, DENY if member.value is False else ALLOW)
            for name, member in node.members()
            if isinstance(member.value, bool)
        ]
    return [(text, place, action) for text, place in names_of(node)]


def _rule(file: PermissionFile, text: str, place: Place, action: str, key: str) -> PermissionRule | None:
    if file.client == CLAUDE_CODE:
        return read_claude_rule(file, text, place, action, key, settings=False)
    rule = PermissionRule(text, place, action, key)
    name, parenthesis, specifier = text.partition("(")
    if parenthesis:
        rule.tool, rule.specifier = name, specifier.removesuffix(")")
    if rule.tool.startswith("mcp__"):
        # Several clients name the tools of servers so.
        server, _, tool = rule.tool[5:].partition("__")
        if "*" not in server:
            rule.server = server
            rule.server_tool = tool if tool and "*" not in tool else None
    elif file.client == "copilot":
        # `set/tool` is the client's own, `server/tool` and `server/*` are a server's.
        group, slash, tool = rule.tool.partition("/")
        if slash and group not in CLIENTS["copilot"].sets:
            rule.server = group
            rule.server_tool = None if "*" in tool else tool
    return rule


def client_of(path: str, standing: Standing, root: Node) -> str | None:
    """The client that a markdown file is written for: by its place, by its name, by its model, or by the tools that it names."""
    kind, read_by, _ = standing
    if len(read_by) == 1 and not read_by.isdisjoint(CLIENTS):
        return next(iter(read_by))
    if path.lower().endswith(".prompt.md"):
        return "copilot"
    head = root.value if isinstance(root.value, dict) else {}
    model = str(head.get("model", ""))
    if not read_by and kind == AGENT and {"name", "description"} <= head.keys() and model in MODEL_WORDS:
        # What the wizards of Claude Code write; other clients name models by their versions.
        return CLAUDE_CODE
    lists = [(key, node) for key, node in root.members() if key in LISTS or likely_meant(key, LISTS)]
    names = {
        text.partition("(")[0] for key, node in lists if not isinstance(node.value, dict) for text, _ in names_of(node)
    }
    found = CLIENTS[CLAUDE_CODE]
    own = sum(name in found.tools or name in found.legacy for name in names)
    # In a file that is an agent or a command by its place, one name is enough if there is no other.
    few = (
        own == len(names) and kind in (AGENT, COMMAND) and "description" in head and (not model or model in MODEL_WORDS)
    )
    if own >= (1 if few else 2) and 2 * own >= len(names) and not any("/" in name for name in names):
        return CLAUDE_CODE
    return None
