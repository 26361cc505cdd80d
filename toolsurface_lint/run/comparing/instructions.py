"""What the servers of two versions say of themselves: which instructions took the place of which."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from toolsurface_lint.checks.change._changes import InstructionsChange
from toolsurface_lint.model.prompt import Prompt
from toolsurface_lint.project.versions import Version
from toolsurface_lint.source.languages import PROGRAMS


def changed_instructions(old: Version, new: Version) -> Iterator[InstructionsChange]:
    """The instructions that servers did not give before, each with those in their place.

    Servers are told apart by their files; a file that only one version has was moved. In one file, what stays as it was is of
    the same server, and the others are of the same in their order.
    """
    before, after = _said_by(old), _said_by(new)
    for file in sorted(before.keys() ^ after.keys()):
        for said in (before, after):
            said.setdefault("", []).extend(said.pop(file, []))
    known = {old.relative(tool.tree.origin) for tool in old.tools()}
    for file, prompts in after.items():
        texts = {prompt.text for prompt in prompts}
        earlier = [prompt for prompt in before.get(file, ()) if prompt.text not in texts]
        same = {prompt.text for prompt in before.get(file, ())}
        fresh = [prompt for prompt in prompts if prompt.text not in same]
        for was, now in zip_longest(earlier, fresh):
            if now is not None and (was is not None or new.relative(now.origin) in known):
                yield InstructionsChange(was, now)


def _said_by(version: Version) -> dict[str, list[Prompt]]:
    """The instructions of servers, by the paths of their files as both versions have them."""
    found: dict[str, list[Prompt]] = {}
    for document in version.project.documents:
        if not version.project.reports(version.project.absolute(document)):
            continue
        serving = {agent.key for agent in document.agents if agent.serves}
        for prompt in document.all_prompts:
            told = (
                not serving.isdisjoint(prompt.told_to) if document.language in PROGRAMS else bool(document.tool_lists)
            )
            if told and prompt.field.rpartition(".")[2] == "instructions":
                found.setdefault(version.relative(document.path), []).append(prompt)
    return found
