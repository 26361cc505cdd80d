"""Policies of Gemini CLI: TOML files of `[[rule]]` tables.

Source: @google/gemini-cli-core 0.61.0, policy/toml-loader and policy/policy-engine; its reference of the policy engine.
"""

from __future__ import annotations

from typing import Any

from toolsurface_lint.model.document import Document
from toolsurface_lint.model.names import slip
from toolsurface_lint.model.permission import ALLOW, ASK, DENY, PermissionFile, PermissionRule
from toolsurface_lint.readers.document_reader import DocumentReader
from toolsurface_lint.readers.permissions import choice
from toolsurface_lint.readers.shape import describe, shown
from toolsurface_lint.source.tree import Node

_DECISIONS = {"allow": ALLOW, "deny": DENY, "ask_user": ASK}
_MODES = ("default", "autoEdit", "plan", "yolo")
_SHELL = "run_shell_command"
_COMMAND_FIELDS = ("commandPrefix", "commandRegex")
_CONDITIONS = ("subagent", "argsPattern", *_COMMAND_FIELDS, "interactive")
_HIGHEST = 999


def _rules(root: Node, document: Document) -> Node | None:
    rules = root.get("rule") if document.language == "toml" else None
    if rules is None or not isinstance(rules.value, list):
        return None
    sure = any(
        isinstance(rule, dict)
        and ("toolName" in rule or "mcpName" in rule)
        and ("decision" in rule or "priority" in rule)
        for rule in rules.value
    )
    return rules if sure else None


def _read(rules: Node, document: Document) -> None:
    file = PermissionFile(rules, "gemini-cli")
    for index, node in enumerate(rules.elements()):
        if isinstance(node.value, dict):
            _read_rule(file, node, f"rule[{index}]")
    document.permissions.append(file)
    document.complete = True


def _read_rule(file: PermissionFile, node: Node, field: str) -> None:
    action = _decision(file, node, field)
    priority = _priority(file, node, field)
    conditions = _conditions(file, node, field)
    broken = _note_commands(file, node, field)
    if action is None or priority is None or conditions is None or broken:
        return
    server = node.string("mcpName")
    for name in _names(node):
        rule = PermissionRule(
            name.value if isinstance(name.value, str) else "*", name.place, action, f"{field}.toolName"
        )
        if server is not None:
            if rule.text.startswith(f"mcp_{server.value}_"):
                own = rule.text.removeprefix(f"mcp_{server.value}_")
                file.add("dead/own_name", name.place, rule.field, rule=rule.text, instead=own, meant=own)
            rule.server_place = server.place
            rule.server = None if "*" in server.value else server.value
            rule.server_tool = rule.text if rule.server is not None and "*" not in rule.text else None
            rule.tool = f"mcp_{server.value}_{rule.text}"
        elif "__" in rule.text:
            file.add("dead/underscores", name.place, rule.field, rule=rule.text)
        rule.rank = priority
        rule.conditions = conditions
        file.rules.append(rule)
        # In `yolo` mode alone, everything is allowed anyway.
        everywhere = "modes" not in conditions or "default" in conditions["modes"]
        any_call = everywhere and not set(conditions) - {"modes", "interactive"}
        if action == ALLOW and rule.tool in (_SHELL, "*") and any_call:
            file.add("broad/rule_for", name.place, rule.field, rule=rule.text)


def _names(node: Node) -> list[Node]:
    name = node.get("toolName")
    if name is None:
        server = node.get("mcpName")
        return [] if server is None else [Node(server.tree, server.path, None)]
    if isinstance(name.value, list):
        return [item for item in name.elements() if isinstance(item.value, str)]
    return [name] if isinstance(name.value, str) else []


def _decision(file: PermissionFile, node: Node, field: str) -> str | None:
    decision = node.get("decision")
    if decision is None:
        _reject(file, node, field, "missing", key="decision")
        return None
    action = _DECISIONS.get(decision.value) if isinstance(decision.value, str) else None
    if action is None:
        near = slip(decision.value, _DECISIONS)
        _reject(file, decision, f"{field}.decision", "decision", got=shown(decision.value), near=near)
    return action


def _priority(file: PermissionFile, node: Node, field: str) -> int | None:
    priority = node.get("priority")
    if priority is None:
        _reject(file, node, field, "missing", key="priority")
        return None
    value = priority.value
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _HIGHEST:
        return value
    _reject(file, priority, f"{field}.priority", "priority", most=_HIGHEST)
    return None


def _conditions(file: PermissionFile, node: Node, field: str) -> dict[str, frozenset[str]] | None:
    """What narrows a rule besides the name of the tool; None if that cannot be read."""
    found: dict[str, frozenset[str]] = {}
    modes = node.get("modes")
    if modes is not None:
        if not isinstance(modes.value, list):
            _reject(file, modes, f"{field}.modes", "modes", got=describe(modes.value))
            return None
        if not all(choice(file, mode, f"{field}.modes", _MODES, "rejected/gemini_mode") for mode in modes.elements()):
            return None
        if modes.value and set(modes.value) != set(_MODES):
            found["modes"] = frozenset(modes.value)
    for name in _CONDITIONS:
        if name in node.value:
            value = node.value[name]
            found[name] = frozenset(map(str, value if isinstance(value, list) else (value,)))
    annotations = node.value.get("toolAnnotations")
    if annotations:
        found["toolAnnotations"] = frozenset((_text(annotations),))
    return found


def _text(value: Any) -> str:
    return repr(sorted(value.items(), key=str)) if isinstance(value, dict) else repr(value)


def _note_commands(file: PermissionFile, node: Node, field: str) -> bool:
    """Note what is wrong with the fields for commands; whether the rule is rejected for it."""
    given = [member for name in (*_COMMAND_FIELDS, "argsPattern") if (member := node.get(name)) is not None]
    if not given or given[0].key == "argsPattern":
        return False
    if node.value.get("toolName") != _SHELL:
        name = str(given[0].key)
        file.add("rejected/gemini_command", given[0].key_place, f"{field}.{name}", key=name, shell=_SHELL)
        return True
    if len(given) > 1:
        name = str(given[1].key)
        file.add("rejected/gemini_both", given[1].key_place, f"{field}.{name}", key=given[0].key, other=name)
        return True
    regex = node.string("commandRegex")
    if regex is not None and regex.value.startswith("^"):
        file.add("dead/caret", regex.text_place(0, 1), f"{field}.commandRegex", meant="")
    return False


def _reject(file: PermissionFile, node: Node, field: str, kind: str, **values: object) -> None:
    file.add(f"rejected/gemini_{kind}", node.place, field, **values)


READER = DocumentReader("permissions", 31, False, _rules, _read)
