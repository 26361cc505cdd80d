"""Entries of permission files, as clients write them: lists and texts of names, and `Tool(what it may do)`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from toolsurface_lint.knowledge.clients import SENDING_TOOLS
from toolsurface_lint.model.names import slip
from toolsurface_lint.model.permission import (
    ALLOW,
    GLOB,
    PATH,
    PermissionFile,
    PermissionRule,
)
from toolsurface_lint.readers.shape import Shape, listed, shown
from toolsurface_lint.source.tree import Node, Place

CLAUDE_CODE = "claude-code"


def texts_of(file: PermissionFile, node: Node | None, field: str) -> tuple[Node, ...]:
    """The texts of a list; anything else is a problem of the file. Nothing for an absent node."""
    if node is None or node.value is None:
        return ()
    return Shape(file.node, file.problems).text_list(node, field)


def choice(
    file: PermissionFile, node: Node | None, field: str, words: tuple[str, ...], kind: str, **values: object
) -> bool:
    """Whether a value, if there is one, is one of a few words; another is a problem of the file, of this kind."""
    if node is None or node.value in words:
        return True
    near = slip(node.value, words)
    file.add(kind, node.place, field, **values, got=shown(node.value), words=listed(words), near=near)
    return False


def names_of(node: Node) -> Iterator[tuple[str, Place]]:
    """The names of a tool list in any spelling: a list, a text with commas or spaces between them, or one in brackets.

    A comma or a space in parentheses separates nothing; one after a parenthesis that is never closed does. Spaces separate
    only where there is no comma.
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
    words = list(_words(text, start, end, ",", _unclosed(text, start, end)))
    if not commas_only and len(words) == 1:
        words = list(_words(text, start, end, " \t\r\n"))
    for word_start, word_end in _stripped(text, words):
        yield text[word_start:word_end], node.text_place(word_start, word_end)


def listed_rules(text: str) -> Iterator[tuple[int, int]]:
    """Where the rules of a list are, with commas or blanks between them, as Claude Code's command line takes it."""
    return _stripped(text, _words(text, 0, len(text), ", \t\r\n"))


def _stripped(text: str, words: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The words without blanks and quotes around them; none that is empty."""
    for start, end in words:
        word = text[start:end].strip(" \t\r\n'\"")
        if word:
            start = text.index(word, start)
            yield start, start + len(word)


def _unclosed(text: str, start: int, end: int) -> list[int]:
    """Where parentheses open that are not closed."""
    opened: list[int] = []
    for offset in range(start, end):
        if text[offset] == "(":
            opened.append(offset)
        elif text[offset] == ")" and opened:
            opened.pop()
    return opened


def _words(
    text: str, start: int, end: int, separators: str, unclosed: Collection[int] = ()
) -> Iterator[tuple[int, int]]:
    """The words between separators outside of parentheses; those that open at `unclosed` hold nothing together."""
    depth = 0
    begin = start
    passed = frozenset(unclosed)
    for offset in range(start, end):
        character = text[offset]
        if character == "(":
            depth += offset not in passed
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
# What was wrong with the parentheses inside of others, which are text since 2.1.260.
_ONCE_BROKEN = ("unbalanced", "empty_inside")
_ABSOLUTE = re.compile(r"/(?:etc|usr|Users|root|System|Applications|Volumes|proc|boot|home/[^/*]+)/")
_PARAMETER = re.compile(r"[a-z_]+:(?!//)")


def read_claude_rule(
    file: PermissionFile, text: str, place: Place, action: str, field: str, *, settings: bool
) -> PermissionRule | None:
    """One rule of Claude Code; None if the client rejects it, which is then a problem of the file.

    `settings`: the rule is in a settings file, whose rules are validated; those in front matter are not. Source: the
    documentation of permissions, up to 2.1.288, and the messages of the client's own validation.
    """
    rule = PermissionRule(text, place, action, field)
    name, specifier, broken = _parts(text)
    if not text.strip():
        if settings:
            file.add("rejected/empty", place, field)
        return None
    if broken is not None and settings:
        file.add(f"rejected/{broken}", place, field, rule=text)
        if broken not in _ONCE_BROKEN:
            return None
    if not name:
        return None
    rule.tool = name
    unclosed = broken == "parentheses" or (broken == "unbalanced" and "," in text)
    if unclosed and not settings and text.count("(") > text.count(")"):
        # It stands for its tool all the same: the list is wrong at this one place.
        file.add("rejected/unclosed", place, field, rule=text)
        rule.specifier = text.partition("(")[2]
        return rule
    if name.startswith("mcp__"):
        return _read_claude_server(file, rule, specifier, settings)
    rule.specifier = None if specifier in (None, "", "*") else specifier
    if settings and (rejected := _rejected(rule, action)):
        file.add(f"rejected/{rejected}", place, field, rule=text, **_instead(rule, rejected))
        return None
    _note_claude_dead(file, rule, settings)
    if name in _COMMAND_TOOLS:
        rule.matching = GLOB
        if rule.specifier is not None and rule.specifier.endswith(":*"):
            rule.specifier = f"{rule.specifier[:-2]} *"
        # `tools` says what an agent has; whether it must ask is said elsewhere.
        if rule.specifier is None and action == ALLOW and name != "Monitor" and field != "tools":
            file.add("broad/rule", place, field, rule=text)
    elif name in _PATH_TOOLS:
        rule.matching = PATH
    elif name == "Skill":
        rule.matching = GLOB
    return rule


def _parts(text: str) -> tuple[str, str | None, str | None]:
    """The name of a rule, the text in its parentheses, and the kind of what is wrong with them.

    Parentheses in that text are wrong only in versions that reject them.
    """
    plain = re.sub(r"\\.", "__", text).rstrip()
    start, end = plain.find("("), plain.rfind(")")
    if start < 0 and end < 0:
        return text, None, None
    name = text[:start] if start >= 0 else text
    unbalanced = plain.count("(") != plain.count(")")
    if start < 0 or end < start or end + 1 < len(plain) or ")" in name:
        return name if unbalanced else text, None, "parentheses" if unbalanced else "malformed"
    inside = text[start + 1 : end]
    if not name:
        return name, inside, "no_tool"
    if not inside:
        return name, None, "empty_parentheses"
    if "()" in plain:
        return name, inside, "empty_inside"
    return name, inside, "unbalanced" if unbalanced else None


def _rejected(rule: PermissionRule, action: str) -> str | None:
    """The kind of problem for which the client's validation refuses a rule."""
    name, specifier = rule.tool, rule.specifier
    if name[0].islower() and "_" not in name:
        return "lower_case"
    if specifier is None:
        return None
    if name == "Bash":
        if specifier == ":*":
            return "no_command"
        return "inner_wildcard" if ":*" in specifier[:-2] else None
    if name in _PATH_TOOLS:
        return "path_wildcard" if ":*" in specifier else None
    if name == "WebSearch":
        return "search_wildcard" if "*" in specifier or "?" in specifier else None
    if name != "WebFetch" or specifier.startswith("domain:"):
        return None
    # Rules that deny or ask may be of the form `field:value`.
    return None if action != ALLOW and _PARAMETER.match(specifier) else "fetch"


def _instead(rule: PermissionRule, rejected: str) -> dict[str, str | None]:
    """What to write instead of a rejected rule, and the whole rule as it is meant if that is plain."""
    if rejected == "fetch":
        address = rule.specifier or ""
        host = _HOST.match(address)
        return {"instead": host[1] if host is not None else "example.com", "meant": _fetching(rule, address)}
    if rejected != "lower_case":
        return {}
    from toolsurface_lint.knowledge.clients import CLIENTS

    right = f"{rule.tool[0].upper()}{rule.tool[1:]}"
    meant = f"{right}{rule.text[len(rule.tool) :]}" if right in CLIENTS[CLAUDE_CODE].tools else None
    return {"instead": right, "meant": meant}


_HOST = re.compile(r"(?:https?://)?((?:\*\.)?[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)(?![^/:])")
_ALL_OF_IT = re.compile(r"(?:/\*{0,2})?")


def _fetching(rule: PermissionRule, address: str) -> str | None:
    """The rule for fetching from the host of an address; None if the address says more than its host."""
    host = _HOST.match(address)
    if host is None or _ALL_OF_IT.fullmatch(address, host.end()) is None:
        return None
    return _with_specifier(rule, f"domain:{host[1]}")


def _with_specifier(rule: PermissionRule, specifier: str, name: str | None = None) -> str | None:
    """A rule with something else in its parentheses, and another name; None if it is written in an odd way."""
    if rule.text != f"{rule.tool}({rule.specifier})":
        return None
    return f"{name or rule.tool}({specifier})"


def _note_claude_dead(file: PermissionFile, rule: PermissionRule, settings: bool) -> None:
    """Note a rule that the client reads and never matches."""
    name, specifier = rule.tool, rule.specifier
    if "*" in name:
        if rule.action != ALLOW:
            _note_new(file, rule, "name_wildcard")
        elif settings:
            _dead(file, rule, "wildcard")
    if specifier is None:
        return
    if new := _new_form(name, specifier):
        _note_new(file, rule, new)
    checked_as = _PATHS_CHECKED_AS.get(name)
    slash = "/" if _ABSOLUTE.match(specifier) else ""
    if checked_as is not None and (settings or name != "Glob"):
        meant = _with_specifier(rule, f"{slash}{specifier}", checked_as)
        _dead(file, rule, "checked_as", checked_as=checked_as, instead=f"{checked_as}({slash}{specifier})", meant=meant)
        return
    own = _OWN_FIELDS.get(name)
    if own is not None and specifier.startswith(f"{own}:") and specifier != f"{own}:*":
        rest = specifier.removeprefix(f"{own}:")
        fetches = name == "WebFetch"
        instead = f"{name}(domain:HOST)" if fetches else f"{name}({rest})"
        meant = _fetching(rule, rest) if fetches else _with_specifier(rule, rest)
        _dead(file, rule, "own_field", key=own, instead=instead, meant=meant)
    elif name in ("Read", "Edit") and slash:
        meant = _with_specifier(rule, f"/{specifier}")
        _dead(file, rule, "relative", instead=f"{name}(/{specifier})", meant=meant)


def _new_form(name: str, specifier: str) -> str | None:
    """The form of what is in the parentheses of a rule that earlier versions of Claude Code do not know."""
    if name in _COMMAND_TOOLS:
        return "command_wildcard" if "*" in specifier.removesuffix(":*") else None
    if name == "WebFetch":
        return "subdomains" if specifier.startswith("domain:*.") else None
    if name == "Skill":
        return "skill_wildcard" if specifier.endswith(" *") else None
    if name not in _PATH_TOOLS and _PARAMETER.match(specifier):
        return "parameter"
    return "agent" if name in SENDING_TOOLS else None


def _note_new(file: PermissionFile, rule: PermissionRule, form: str) -> None:
    """Note a form of rules that matches nothing in versions before the one that brought it."""
    from toolsurface_lint.knowledge.client_versions import PERIODS
    from toolsurface_lint.knowledge.sources import shown

    before = PERIODS[f"before/{form}"].versions.before
    file.add(f"before/{form}", rule.place, rule.field, rule=rule.text, before=shown(before or ()))


def _dead(file: PermissionFile, rule: PermissionRule, kind: str, **values: object) -> None:
    file.add(f"dead/{kind}", rule.place, rule.field, rule=rule.text, **values)


def _read_claude_server(
    file: PermissionFile, rule: PermissionRule, specifier: str | None, settings: bool
) -> PermissionRule | None:
    """The rule with the server and tool of `mcp__SERVER`, `mcp__SERVER__*` or `mcp__SERVER__TOOL`; None if it is skipped."""
    name = rule.tool
    server, separator, tool = name[5:].partition("__")
    if specifier is not None and settings:
        _dead(file, rule, "server_parentheses", instead=name)
        return None
    if "*" in server and rule.action == ALLOW:
        if settings:
            _dead(file, rule, "server_wildcard")
    elif "*" in server:
        _note_new(file, rule, "name_wildcard")
    elif tool == "*":
        _note_new(file, rule, "server_wildcard")
    elif "*" in tool:
        _note_new(file, rule, "partial_wildcard" if rule.action == ALLOW else "name_wildcard")
    if "*" not in server:
        rule.server = server
        rule.server_tool = tool if tool and "*" not in tool else None
    if not separator and "*" not in server:
        rule.tool = f"{name}__*"
    elif separator and not tool:
        rule.tool = f"{name}*"
    return rule
