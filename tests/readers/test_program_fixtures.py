"""Every case in `fixtures/python` and `fixtures/typescript`: what is found in a program that is only read.

A case is a folder with source files and `expect.txt`, which `python -m tests.regenerate` writes once there is an empty one.
It has a block for each tool, with a line for each value of its definition:

    tool NAME (FORMAT), what else is to be said of it
      PATH: VALUE ← the text that a finding would mark

Further lines of a block: what the tool takes, but has not (`missing`) or nobody can know without running the program
(`unknown`); parameters of its function whose type says nothing to a model; what the function does. The reasons why there may
be more tools stand at the end. A new framework needs a folder here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.regenerate import UPDATE
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.readers.programs.definitions import ProgramTools
from toolsurface_lint.readers.programs.tools import read_programs
from toolsurface_lint.source.text import SourceText
from toolsurface_lint.source.tree import Node, Place

FOLDER = Path(__file__).resolve().parents[2] / "fixtures"
ENDINGS = {"python": ".py", "typescript": ".ts"}
CASES = sorted(path.parent for language in ENDINGS for path in (FOLDER / language).glob("**/expect.txt"))
LONGEST = 60
"""Characters of a marked text that are shown."""


def read(folder: Path) -> ProgramTools:
    language = folder.relative_to(FOLDER).parts[0]
    files = sorted(folder.rglob(f"*{ENDINGS[language]}"))
    sources = [SourceText(file.relative_to(folder).as_posix(), file.read_text("utf-8")) for file in files]
    return read_programs(sources, language=language)


def marked(place: Place, origin: str) -> str:
    """The text that a finding at a place would mark."""
    source, span = place.source, place.span()
    assert source is not None
    assert span is not None
    text = source.text[slice(*span)].replace("\n", "\\n")
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]}..."
    return text if source.path == origin else f"{text} in {source.path}"


def values(node: Node, path: str, origin: str) -> Iterator[str]:
    """A line for each value that holds no other."""
    value = node.value
    if isinstance(value, dict) and value:
        for key, member in node.members():
            inner = f"{path}.{key}" if path else key
            if (written := marked(member.key_place, origin)) not in (
                key,
                f'"{key}"',
                f"'{key}'",
                marked(member.place, origin),
            ):
                yield f"{inner} ← {written}"
            yield from values(member, inner, origin)
    elif isinstance(value, list) and value:
        for index in range(len(value)):
            item = node.find(index)
            assert item is not None
            yield from values(item, f"{path}[{index}]", origin)
    else:
        yield f"{path}: {json.dumps(value, ensure_ascii=False)} ← {marked(node.place, origin)}"


def block(tool: Tool) -> Iterator[str]:
    yield from values(tool.definition, "", tool.origin)
    for part in ("description", "schema", "side_effects"):
        node = getattr(tool, part)
        if node is None and (part != "side_effects" or part in tool.declarable):
            yield f"{part}: {'missing' if part in tool.declarable else 'unknown'}"
    if tool.code is None:
        return
    for parameter in tool.code.parameters:
        if parameter.typing != "typed":
            yield f"parameter {parameter.name}: {parameter.typing}"
    for effect in tool.effects:
        through = f", through {effect.through}" if effect.through else ""
        yield f"does: {effect.effect}{through} ← {marked(effect.place, tool.origin)}"


def facts(found: ProgramTools) -> Iterator[str]:
    servers = list(dict.fromkeys(tool.namespace for tool in found.tools))
    files = {tool.origin for tool in found.tools}
    for tool in found.tools:
        said = [f"tool {tool.name} ({tool.format})"]
        if len(files) > 1:
            said.append(f"in {tool.origin}")
        if len(servers) > 1:
            said.append(f"of list {servers.index(tool.namespace) + 1}")
        if tool.optional:
            said.append("may not be offered")
        yield ", ".join(said)
        yield from (f"  {line}" for line in block(tool))
    for path, problems in found.problems.items():
        yield f"problem in {path}: {problems[0].code}"
    for reason in found.reasons:
        yield f"open: {reason.source.path}:{reason.line}: {reason.text}"


@pytest.mark.generated
@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.relative_to(FOLDER).as_posix())
def test_case(folder: Path) -> None:
    actual = "".join(f"{line}\n" for line in facts(read(folder)))
    expected = folder / "expect.txt"
    if UPDATE:
        expected.write_text(actual, encoding="utf-8", newline="")
    assert actual == expected.read_text(encoding="utf-8")
    if folder.parent.name == "frameworks":
        assert actual, "nothing is found: do the `signs` of the framework stand in the files?"
