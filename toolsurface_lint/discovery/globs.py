"""Globs of the settings, as regular expressions."""

from __future__ import annotations

import re

_GLOBS: dict[str, re.Pattern[str]] = {}


def matches(glob: str, path: str) -> bool:
    """Whether a glob matches a whole relative path with forward slashes.

    `*` and `?` stay within one name, `**` as a whole name stands for any number of folders, `[...]` and `[!...]` for
    one character, `{a,b}` for alternatives. A glob that ends with a slash matches everything below that folder.
    """
    pattern = _GLOBS.get(glob)
    if pattern is None:
        pattern = _GLOBS[glob] = re.compile(_regex(glob), re.DOTALL)
    return pattern.fullmatch(path) is not None


def covers(glob: str, path: str) -> bool:
    """Whether a glob matches a relative path or one of the folders that it lies in; without a slash, at any depth."""
    anywhere = "/" not in glob.rstrip("/")
    folder = glob.rstrip("/")
    full = f"**/{folder}" if anywhere else folder
    return matches(full, path) or matches(f"{full}/**", path)


def _regex(glob: str) -> str:
    glob = glob.removeprefix("./").removeprefix("/")
    if glob.endswith("/"):
        glob += "**"
    parts: list[str] = []
    open_braces = 0
    index = 0
    while index < len(glob):
        char = glob[index]
        at_name = index == 0 or glob[index - 1] in "/{,"
        stars = _DOUBLE_STAR.match(glob, index) if at_name else None
        if stars:
            # `**/**/` says no more than `**/`, and would make the match exponential.
            index = stars.end()
            parts.append("(?:[^/]+/)*" if stars.group().endswith("/") else ".*")
            continue
        index += 1
        if char == "*":
            index = _STARS.match(glob, index).end()  # type: ignore[union-attr]
            parts.append("[^/]*")
        elif char == "?":
            parts.append("[^/]")
        elif char == "[" and (found := _CHARACTERS.match(glob, index)):
            index = found.end()
            parts.append(_character_class(found))
        elif char == "{" and _closes(glob, index):
            open_braces += 1
            parts.append("(?:")
        elif char == "}" and open_braces:
            open_braces -= 1
            parts.append(")")
        elif char == "," and open_braces:
            parts.append("|")
        else:
            parts.append(re.escape(char))
    return "".join(parts)


_DOUBLE_STAR = re.compile(r"(?:\*\*/)+(?:\*\*(?=$|[,}]))?|\*\*(?=$|[,}])")
_STARS = re.compile(r"\**")
_CHARACTERS = re.compile(r"([!^]?)(\][^\]/]*|[^\]/]+)\]")


def _character_class(found: re.Match[str]) -> str:
    negated, body = found.groups()
    members: list[str] = []
    index = 0
    while index < len(body):
        if body[index + 1 : index + 2] == "-" and index + 2 < len(body):
            first, last = body[index], body[index + 2]
            # A range that runs backwards is empty.
            if first <= last:
                members.append(f"{re.escape(first)}-{re.escape(last)}")
            index += 3
        else:
            members.append(re.escape(body[index]))
            index += 1
    if negated:
        return f"[^/{''.join(members)}]"
    return f"[{''.join(members)}]" if members else "(?!)"


def _closes(glob: str, index: int) -> bool:
    """Whether a brace opened before `index` is closed."""
    depth = 1
    for char in glob[index:]:
        depth += {"{": 1, "}": -1}.get(char, 0)
        if not depth:
            return True
    return False
