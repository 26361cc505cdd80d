"""The servers in a client's file: what is wrong with how they are written, and what should not be written there."""

from __future__ import annotations

from toolsurface_lint.knowledge import ADDRESSES
from toolsurface_lint.knowledge.server_lists import REACHED, SERVER_LISTS, STARTED, SWITCHES, WAYS, ServerList
from toolsurface_lint.model.names import likely_meant
from toolsurface_lint.model.permission import PermissionFile
from toolsurface_lint.model.secrets import is_key, is_secret
from toolsurface_lint.model.texts import strings
from toolsurface_lint.readers.shape import Shape, describe, listed
from toolsurface_lint.source.tree import Node, Place

_TEXTS = (*ADDRESSES, "type", "cwd", "envFile")
_NEEDED = frozenset(("command", "args", "env", "url", "headers"))
_TABLES = ("env", "environment", "headers", "http_headers")


def read_server_list(file: PermissionFile, servers: Node, client: str) -> None:
    """Note what is wrong with the servers at a node; `client` is a key of `SERVER_LISTS`."""
    form = SERVER_LISTS[client]
    if not isinstance(servers.value, dict):
        file.add("server/object", servers.place, str(servers.key), name=str(servers.key), got=describe(servers.value))
    for name, server in servers.members():
        field = f"{servers.key}.{name}"
        if not isinstance(server.value, dict):
            file.add("server/object", server.place, field, name=field, got=describe(server.value))
            continue
        _read_server(file, server, field, form)
    _note_secrets(file, servers)


def _read_server(file: PermissionFile, server: Node, field: str, form: ServerList) -> None:
    before = len(file.problems)
    # A program of its own, which reads a file of its own, has other fields than those that nothing works without.
    known = form.fields if form is not SERVER_LISTS[""] else _NEEDED.union(set(server.value) & form.fields)
    Shape(server, file.problems).unknown_fields(server, field, known, close=True, others=form.others)
    _read_types(file, server, field, form)
    if len(file.problems) == before:
        _read_transport(file, server, field, form)


def _read_types(file: PermissionFile, server: Node, field: str, form: ServerList) -> None:
    """The types of the fields that every client knows."""

    def wrong(kind: str, node: Node, name: str) -> None:
        file.add(f"server/{kind}", node.place, name, name=name, got=describe(node.value))

    command, arguments = server.get("command"), server.get("args")
    if command is not None and not isinstance(command.value, form.command_type):
        # A table is a form of Zed's, and a list with the arguments one of others.
        if form.command_type is list:
            wrong("list", command, f"{field}.command")
        elif not (form.name in ("Zed", "any client") and isinstance(command.value, dict | list)):
            wrong("string", command, f"{field}.command")
    if arguments is not None and arguments.value is not None:
        if not isinstance(arguments.value, list):
            wrong("list", arguments, f"{field}.args")
        else:
            for item in arguments.elements():
                if not isinstance(item.value, str):
                    wrong("item", item, f"{field}.args")
    for key in _TEXTS:
        node = server.get(key)
        if node is not None and node.value is not None and not isinstance(node.value, str):
            wrong("string", node, f"{field}.{key}")
    for key in _TABLES:
        table = server.get(key)
        if table is None or table.value is None:
            continue
        if not isinstance(table.value, dict):
            # mcphost and others take headers as lines.
            if not (key == "headers" and isinstance(table.value, list) and form.name == "any client"):
                wrong("object", table, f"{field}.{key}")
        elif form.text_values:
            for name, value in table.members():
                if not isinstance(value.value, str) and not is_key(name):
                    wrong("string", value, f"{field}.{key}.{name}")


def _read_transport(file: PermissionFile, server: Node, field: str, form: ServerList) -> None:
    """How the server is reached, where its fields are right; of one that is switched off, only what may be wrong there too."""
    value = server.value
    off = any(value.get(key) is state for key, state in SWITCHES.items())
    command = "command" in value
    address = next((key for key in ADDRESSES if key in value), None)
    kind = server.string("type")

    def add(problem: str, place: Place, **values: object) -> None:
        if problem == "type" or not off:
            file.add(f"transport/{problem}", place, field, name=str(server.key), client=form.name, **values)

    if command and address is not None:
        add("both", server.get(address).key_place, key=address)  # type: ignore[union-attr]
        return
    if kind is not None and is_secret("type", kind.value):
        return
    if kind is not None and form.types:
        needs = form.types.get(kind.value)
        if needs is None:
            near = likely_meant(kind.value, form.types)
            if near or form.all_types:
                add("type", kind.place, value=kind.value, words=listed(form.types), near=near)
        elif needs == STARTED and address is not None:
            add("unfit", kind.place, value=kind.value, needs="`command`", has=address)
        elif needs == REACHED and command:
            add("unfit", kind.place, value=kind.value, needs="`url`", has="command")
        elif needs == REACHED and address is None and "tcp" not in value:
            add("none", server.place, needs="`url`")
        elif needs == STARTED and not command:
            add("none", server.place, needs="`command`")
        return
    if form.needs_type and kind is None and address is not None and "transport" not in value:
        add("no_type", server.get(address).key_place, key=address)  # type: ignore[union-attr]
        return
    states = {*SWITCHES, "settings", "source", "tools"}
    if value and form.fields.issuperset(value) and not any(key in value for key in WAYS) and states.isdisjoint(value):
        add("none", server.place, needs="`command` or `url`")


def _note_secrets(file: PermissionFile, servers: Node) -> None:
    """Note every text at or below a list of servers, of whatever shape, that holds a key or a password in plain text."""
    for path, text, is_name in strings(servers):
        server, *steps = path[len(servers.path) :] or (None,)
        if is_key(text) if is_name else is_secret(str(path[-1]), text):
            node = Node(servers.tree, path, text)
            place = node.key_place if is_name else node.place
            field = str(servers.key) if server is None else f"{servers.key}.{server}"
            # A name that is a secret itself is not said.
            name = ".".join(step for step in map(str, steps) if not is_key(step))
            file.add("server/secret", place, field, name=name or str(servers.key if server is None else server))
