"""Entries of permission files, as clients write them: lists and texts of names, and `Tool(what it may do)`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolsurface_lint.model.names import slip
from toolsurface_lint.model.permission import (
    ALLOW,
    BROAD,
    DEAD,
    GLOB,
    PATH,
    REJECTED,
    SHAPE,
    PermissionFile,
    PermissionRule,
)
from toolsurface_lint.readers.annotations import describe
from toolsurface_lint.source.tree import Node, Place

CLAUDE_CODE = "claude-code"
_RANKS = {"allow": 1, "ask": 2, "deny": 3}


def texts_of(file: PermissionFile, node: Node | None, field: str) -> Iterator[Node]:
    """The texts of a list; what is no list of texts is a defect of the file. Nothing for an absent node."""
    if node is None or node.value is None:
        return
    if not isinstance(node.value, list):
        file.add(SHAPE, node.place, f"`{field}` must be a list of texts, not {describe(node.value)}", field=field)
        return
    for item in node.elements():
        if isinstance(item.value, str):
            yield item
        else:
            file.add(SHAPE, item.place, f"`{field}` must hold texts, not {describe(item.value)}", field=field)


def choice(file: PermissionFile, node: Node | None, field: str, choices: tuple[str, ...]) -> None:
    """A value that must be one of a few words; another is a defect of the file."""
    if node is not None and node.value not in choices:
        words = ", ".join(f"`{word}`" for word in choices)
        shown = f"`{node.value}`" if isinstance(node.value, str) else describe(node.value)
        help, meant = slip(node.value, choices)
        file.add(
            SHAPE, node.place, f"`{field}` is {shown}, which is none of {words}", help=help, field=field, meant=meant
        )


_BETWEEN = re.compile(r"[,\s]+")


def names_of(node: Node) -> Iterator[tuple[str, Place]]:
    """The names of a tool list in any spelling: a list, a text with commas or spaces between them, or one in brackets.

    A comma or a space in parentheses separates nothing. Spaces separate only where there is no comma.
    """
    if isinstance(node.value, list):
        for item in node.elements():
            if isinstance(item.value, str) and item.value.strip():
                yield from _split(item, commas_only=True)
    elif isinstance(node.value, str):
        yield from _split(node, commas_only=False)


def _split(node: Node, *, commas_only: bool) -> Iterator[tuple[str, Place]]:
    text: str = node.value
    start, end = 0, len(text)
    stripped = text.strip()
    if not commas_only and stripped.startswith("[") and stripped.endswith("]"):
        start, end = text.index("[") + 1, text.rindex("]")
    separators = "," if commas_only or "," in _outside(text[start:end]) else " \t\r\n"
    for word_start, word_end in _words(text, start, end, separators):
        while word_start < word_end and text[word_start] in " \t\r\n'\"":
            word_start += 1
        while word_end > word_start and text[word_end - 1] in " \t\r\n'\"":
            word_end -= 1
        if word_start < word_end:
            yield text[word_start:word_end], node.text_place(word_start, word_end)


def _outside(text: str) -> str:
    """A text without what stands in parentheses."""
    kept = []
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")" and depth > 0)
        if not depth:
            kept.append(character)
    return "".join(kept)


def _words(text: str, start: int, end: int, separators: str) -> Iterator[tuple[int, int]]:
    depth = 0
    begin = start
    for offset in range(start, end):
        character = text[offset]
        if character == "(":
            depth += 1
        elif character == ")" and depth:
            depth -= 1
        elif character in separators and not depth:
            yield begin, offset
            begin = offset + 1
    yield begin, end


# --- Claude Code --------------------------------------------------------------------------------------------------

_COMMAND_TOOLS = ("Bash", "PowerShell", "Monitor")
_PATH_TOOLS = ("Read", "Edit", "Write", "Glob", "Grep", "NotebookEdit", "NotebookRead", "MultiEdit", "LS")
# Paths are checked against rules for these two tools alone, whichever tool is called (since 2.1.210).
_PATHS_CHECKED_AS = {"Write": "Edit", "NotebookEdit": "Edit", "MultiEdit": "Edit", "Glob": "Read"}
# The field that a tool's own specifier matches; the form `field:value` is ignored for it.
_OWN_FIELDS = {
    "Bash": "command",
    "PowerShell": "command",
    "Read": "file_path",
    "Edit": "file_path",
    "Write": "file_path",
    "Grep": "path",
    "Glob": "path",
    "NotebookEdit": "notebook_path",
    "WebFetch": "url",
}
_ABSOLUTE = re.compile(r"/(?:etc|usr|Users|root|System|Applications|Volumes|proc|boot|home/[^/*]+)/")
_PARAMETER = re.compile(r"[a-z_]+:(?!//)")


def read_claude_rule(
    file: PermissionFile, text: str, place: Place, action: str, field: str, *, settings: bool
) -> PermissionRule | None:
    """One rule of Claude Code; None if the client rejects it, which is then a defect of the file.

    `settings`: the rule stands in a settings file, whose rules are validated; those in front matter are not. Source: the
    documentation of permissions, up to 2.1.288, and the messages of the client's own validation.
    """
    rule = PermissionRule(text, place, action, field)
    rule.rank = _RANKS[action]
    name, specifier, broken = _parts(text)
    if not text.strip():
        if settings:
            file.add(REJECTED, place, "an empty rule is rejected by Claude Code", field=field)
        return None
    if broken is not None and settings:
        file.add(REJECTED, place, f"the rule `{text}` is rejected by Claude Code: {broken}", field=field)
        return None
    if not name:
        return None
    rule.tool = name
    if name.startswith("mcp__"):
        return _read_claude_server(file, rule, specifier, settings)
    rule.specifier = None if specifier in (None, "", "*") else specifier
    rejected, cure, meant = _rejected(rule, action) if settings else (None, None, None)
    if rejected is not None:
        message = f"the rule `{text}` is rejected by Claude Code: {rejected}"
        file.add(REJECTED, place, message, field=field, help=cure, meant=meant)
        return None
    _note_claude_dead(file, rule, settings)
    if name in _COMMAND_TOOLS:
        rule.matching = GLOB
        if rule.specifier is not None and rule.specifier.endswith(":*"):
            rule.specifier = f"{rule.specifier[:-2]} *"
        # `tools` says what an agent has; whether it must ask is said elsewhere.
        if rule.specifier is None and action == ALLOW and name != "Monitor" and field != "tools":
            file.add(BROAD, place, f"the rule `{text}` allows any command", field=field)
    elif name in _PATH_TOOLS:
        rule.matching = PATH
    elif name == "Skill":
        rule.matching = GLOB
    return rule


def _parts(text: str) -> tuple[str, str | None, str | None]:
    """The name of a rule, what stands in its parentheses, and what is wrong with them."""
    plain = re.sub(r"\\.", "__", text)
    opens, closes = plain.count("("), plain.count(")")
    if opens != closes:
        return text.partition("(")[0], None, "its parentheses do not match"
    if "()" in plain:
        name = text[: plain.index("(")]
        return name, None, "its parentheses are empty" if name else "it has no tool before its parentheses"
    if opens and plain.rstrip().endswith(")"):
        start = plain.index("(")
        return (
            text[:start],
            text[start + 1 : plain.rindex(")")],
            None if start else "it has no tool before its parentheses",
        )
    return text, None, None


def _rejected(rule: PermissionRule, action: str) -> tuple[str | None, str | None, str | None]:
    """Why the client's validation refuses a rule, the cure, and the whole rule as it is meant if that is plain."""
    name, specifier = rule.tool, rule.specifier
    if name[0].islower() and "_" not in name:
        from toolsurface_lint.knowledge.clients import CLIENTS

        right = f"{name[0].upper()}{name[1:]}"
        meant = f"{right}{rule.text[len(name) :]}" if right in CLIENTS[CLAUDE_CODE].tools else None
        return "a tool's name begins with a capital letter", f"write `{right}`", meant
    if specifier is None:
        return None, None, None
    if name == "Bash":
        if specifier == ":*":
            return "there is no command before `:*`", "write `Bash` for any command", None
        if ":*" in specifier[:-2]:
            return "`:*` is only possible at the end", "write ` *` for any text", None
    elif name in _PATH_TOOLS and ":*" in specifier:
        return "`:*` is for commands, not for paths", "write `**` for anything below a folder", None
    elif name == "WebSearch" and ("*" in specifier or "?" in specifier):
        return "`WebSearch` takes no wildcards", "write `WebSearch`", None
    elif name == "WebFetch" and not specifier.startswith("domain:") and not _matches_parameter(specifier, action):
        cure = "write `WebFetch(domain:example.com)`"
        return "`WebFetch` takes `domain:` and a host", cure, _fetching(rule, specifier)
    return None, None, None


_HOST = re.compile(r"(?:https?://)?((?:\*\.)?[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)/?")


def _fetching(rule: PermissionRule, address: str) -> str | None:
    """The rule for fetching from the host of an address; None if the address says more than its host."""
    host = _HOST.fullmatch(address)
    return None if host is None else _with_specifier(rule, f"domain:{host[1]}")


def _with_specifier(rule: PermissionRule, specifier: str, name: str | None = None) -> str | None:
    """A rule with something else in its parentheses, and another name; None if it is written in an odd way."""
    if rule.text != f"{rule.tool}({rule.specifier})":
        return None
    return f"{name or rule.tool}({specifier})"


def _matches_parameter(specifier: str, action: str) -> bool:
    """Whether a specifier is of the form `field:value`, which only rules that deny or ask may have."""
    return action != ALLOW and _PARAMETER.match(specifier) is not None


def _note_claude_dead(file: PermissionFile, rule: PermissionRule, settings: bool) -> None:
    """Note a rule that the client reads and never matches."""
    name, specifier, text = rule.tool, rule.specifier, rule.text
    if "*" in name and rule.action == ALLOW and settings:
        _dead(file, rule, f"`{text}` allows nothing: in `allow`, `*` counts only behind `mcp__SERVER__`")
    if specifier is None:
        return
    checked_as = _PATHS_CHECKED_AS.get(name)
    slash = "/" if _ABSOLUTE.match(specifier) else ""
    if checked_as is not None and (settings or name != "Glob"):
        _dead(
            file,
            rule,
            f"`{text}` never matches: paths are checked against `{checked_as}` rules only",
            f"write `{checked_as}({slash}{specifier})`",
            _with_specifier(rule, f"{slash}{specifier}", checked_as),
        )
        return
    own = _OWN_FIELDS.get(name)
    if own is not None and specifier.startswith(f"{own}:") and specifier != f"{own}:*":
        rest = specifier.removeprefix(f"{own}:")
        fetches = name == "WebFetch"
        cure = f"write `{name}(domain:HOST)`" if fetches else f"write `{name}({rest})`"
        meant = _fetching(rule, rest) if fetches else _with_specifier(rule, rest)
        _dead(file, rule, f"`{text}` is ignored: `{own}` is what the rule matches anyway", cure, meant)
    elif name in ("Read", "Edit") and slash:
        _dead(
            file,
            rule,
            f"`{text}` is not an absolute path: one `/` means the project's own folder",
            f"write `{name}(/{specifier})`",
            _with_specifier(rule, f"/{specifier}"),
        )


def _dead(
    file: PermissionFile, rule: PermissionRule, message: str, help: str | None = None, meant: str | None = None
) -> None:
    file.add(DEAD, rule.place, message, help=help, field=rule.field, meant=meant)


def _read_claude_server(
    file: PermissionFile, rule: PermissionRule, specifier: str | None, settings: bool
) -> PermissionRule | None:
    """The rule with the server and tool of `mcp__SERVER`, `mcp__SERVER__*` or `mcp__SERVER__TOOL`; None if it is skipped."""
    name = rule.tool
    server, separator, tool = name[5:].partition("__")
    if specifier is not None and settings:
        message = f"`{rule.text}` is skipped: a rule for the tools of a server takes no parentheses"
        _dead(file, rule, message, f"write `{name}`")
        return None
    if "*" in server and rule.action == ALLOW and settings:
        _dead(
            file,
            rule,
            f"`{rule.text}` allows nothing: in `allow`, `*` counts only behind `mcp__SERVER__`",
            "name each server",
        )
    if "*" not in server:
        rule.server = server
        rule.server_tool = tool if tool and "*" not in tool else None
    if not separator and "*" not in server:
        rule.tool = f"{name}__*"
    elif separator and not tool:
        rule.tool = f"{name}*"
    return rule
