"""The keys at the root of a client's settings file: slips, and lists of servers under the key of another client."""

from __future__ import annotations

from toolsurface_lint.knowledge import ADDRESSES
from toolsurface_lint.knowledge.server_lists import SERVER_LISTS
from toolsurface_lint.knowledge.settings_files import SETTINGS_FILES
from toolsurface_lint.model.names import folded
from toolsurface_lint.model.permission import PermissionFile
from toolsurface_lint.readers.shape import Shape
from toolsurface_lint.source.tree import Node

_LISTS = frozenset(("mcpserver", "mcpservers", "contextservers"))
"""The keys that clients have for their servers, and those that are nearly they, folded."""
_DEFINES = ("command", *ADDRESSES, "type")


def read_settings_keys(file: PermissionFile, root: Node, client: str) -> None:
    """Note the keys of a settings file that are wrong; `client` is a key of `SETTINGS_FILES`."""
    row = SETTINGS_FILES[client]
    shape = Shape(root, file.problems)
    lists = [(key, node) for key, node in root.members() if key not in row.keys and _is_list(key, node.value)]
    for key, node in lists:
        form = SERVER_LISTS[client]
        values = {"name": key, "client": form.name, "expected": row.servers or form.key}
        if row.servers:
            file.add("list_key/file", node.key_place, key, **values)
        else:
            # Beside the right key, the servers have to be moved; OpenCode's are written in another way.
            near = () if form.key in root.value or client == "opencode" else (form.key,)
            file.add("list_key/key", node.key_place, key, **values, near=near)
    shape.unknown_fields(root, row.name, row.keys | row.others | {key for key, _ in lists}, close=True)
    for key, keys in row.tables.items():
        table = root.get(key)
        if table is not None and isinstance(table.value, dict):
            shape.unknown_fields(table, key, keys, close=True)


def _is_list(key: str, value: object) -> bool:
    """Whether a member is a list of servers, by its key and by what it holds."""
    return (
        folded(key) in _LISTS
        and isinstance(value, dict)
        and any(isinstance(one, dict) and any(each in one for each in _DEFINES) for one in value.values())
    )
