"""What a run checked, in figures: plain data, the same for any number of processes."""

# No `from __future__ import annotations`: `NamedTuple` compiles annotations that are strings, each of them at every start.

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

AGAINST, OPEN = "_against_tools", "_in_open_surfaces"
"""How the figures end that say how many of something met any tools, and how many of these only where a surface is open."""

FIGURES = {
    "tools": "tool",
    f"tools{OPEN}": "tool",
    "agents": "agent",
    "prompts": "prompt",
    f"prompts{AGAINST}": "prompt",
    f"prompts{OPEN}": "prompt",
    "policies": "policy",
    f"policies{AGAINST}": "policy",
    f"policies{OPEN}": "policy",
    "permissions": "permission list",
    "hooks": "hook file",
    "client_files": "client file",
    "manifests": "manifest",
    "templates": "template",
    "chat_templates": "chat template",
    "server_commands": "server command",
    "responses": "response",
    "conversations": "conversation",
    "calls": "call",
    f"calls{AGAINST}": "call",
    f"calls{OPEN}": "call",
    "results": "result",
}
"""What is counted in a file, and what one of it is called; in this order."""

CLOSED = {"tools": "tools", **{key: f"{key}{AGAINST}" for key in ("prompts", "policies", "calls")}}
"""What may be in open surfaces, and the figure that says how many of it meet tools at all."""


class FileCoverage(NamedTuple):
    """What was checked of one file.

    `figures` are those that are not 0, by the keys that the file of a coverage baseline has for them. `tools` are the names
    of its tools, sorted, one for each definition. `ignored` are the codes, prefixes and groups that `per-file-ignores` hides in
    all of it.
    """

    figures: Mapping[str, int] = MappingProxyType({})
    tools: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()

    def closed(self, key: str) -> int:
        """How many `tools`, `prompts`, `policies` or `calls` meet the tools of a surface that is not open."""
        return self.figures.get(CLOSED[key], 0) - self.figures.get(f"{key}{OPEN}", 0)

    def opened(self, before: "FileCoverage") -> bool:
        """Whether more is in open surfaces alone than before, and less in others."""
        return any(
            self.figures.get(f"{key}{OPEN}", 0) > before.figures.get(f"{key}{OPEN}", 0)
            and self.closed(key) < before.closed(key)
            for key in CLOSED
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data, without what is absent; the names of tools in place of their number."""
        written: dict[str, Any] = {key: number for key, number in self.figures.items() if key != "tools"}
        if self.tools:
            written = {"tools": list(self.tools), **written}
        if self.ignored:
            written["ignored"] = list(self.ignored)
        return written


class OpenSurface(NamedTuple):
    """A surface that may have tools that were not seen: the files in it, and the first reason, with its place."""

    name: str
    files: tuple[str, ...]
    reason: str


class Coverage(NamedTuple):
    """What one run checked.

    `files` are those that were read and reported on, by displayed path, `skipped` the paths of others with the reasons, in order.
    `asked` is how many things of each subject were looked at, by its name; a thing in several surfaces counts in each.
    `rules` has the subjects of every enabled rule, `disabled` are the others; rules of other commands are in neither.
    `targets` are what definitions and texts were checked for: providers, models and protocols. `surfaces` is how many there are.
    """

    files: Mapping[str, FileCoverage]
    skipped: tuple[tuple[str, str], ...]
    asked: Mapping[str, int]
    rules: Mapping[str, tuple[str, ...]]
    disabled: tuple[str, ...]
    targets: tuple[str, ...]
    surfaces: int
    open_surfaces: tuple[OpenSurface, ...]

    @property
    def reasons(self) -> dict[str, int]:
        """How many files were skipped, by reason."""
        return dict(sorted(Counter(reason for _, reason in self.skipped).items()))

    def number(self, code: str) -> int:
        """How many things an enabled rule was asked about."""
        return asked_of(self.rules[code], self.asked)

    @property
    def totals(self) -> dict[str, int]:
        """The figures of all files together, those that are 0 among them."""
        total: Counter[str] = Counter()
        for file in self.files.values():
            total.update(file.figures)
        return {key: total[key] for key in FIGURES}


class Loss(NamedTuple):
    """Something that is checked less than a coverage baseline says: a sentence, and the displayed paths that it is about."""

    message: str
    paths: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"message": self.message, "paths": list(self.paths)}


def asked_of(subjects: Iterable[str], asked: Mapping[str, int]) -> int:
    """How many things of some subjects were looked at."""
    return sum(asked.get(subject, 0) for subject in subjects)


def named(names: Sequence[str], most: int = 10) -> str:
    """Names in a sentence, the first ones of many."""
    shown = ", ".join(f"`{name}`" for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def by_family(codes: Iterable[str], every: Iterable[str]) -> list[str]:
    """Codes, in order, but for those that are all of their family among `every`: their first word in place of them."""
    codes = list(codes)
    all_of, here = Counter(map(_family, every)), Counter(map(_family, codes))
    whole = {family for family, number in here.items() if number == all_of[family] > 1}
    shown = (f"{_family(code)}_* ({here[_family(code)]})" if _family(code) in whole else code for code in codes)
    return list(dict.fromkeys(shown))


def _family(code: str) -> str:
    return code.partition("_")[0]
