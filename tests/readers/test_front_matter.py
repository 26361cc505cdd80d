"""Front matter: what a strict reader makes of it where that can read it, and what clients make of it everywhere else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.long import examples
from toolsurface_lint.readers.front_matter import FrontMatter, read_front_matter
from toolsurface_lint.source.markdown import front_matter
from toolsurface_lint.source.text import SourceText
from toolsurface_lint.source.tree import Spans
from toolsurface_lint.source.yaml import read_yaml


def read(head: str, body: str = "Text.\n") -> FrontMatter:
    found = read_front_matter(SourceText("agent.md", f"---\n{head}---\n{body}"))
    assert found is not None
    return found


def shown(found: FrontMatter) -> dict[str, Any]:
    """For each value, or each item of a list, the text at its place; keys as they are written."""
    source = found.tree.source
    assert source is not None
    text = source.text

    def of(spans: Spans) -> Any:
        if isinstance(spans.items, list):
            return [of(item) for item in spans.items]
        return text[spans.start : spans.end]

    items = found.tree.spans.items
    assert isinstance(items, dict)
    return {text[spans.key_start : spans.key_end]: of(spans) for spans in items.values()}


def test_plain_members() -> None:
    found = read(
        "# An agent.\n"
        "name: writer\n"
        "description: Writes (short) notes - and letters.   # for people\n"
        "tools: Read, Edit, Bash(git *)\n"
        'model: "small \\"one\\""\n'
        "color: 'it''s red'\n"
        "empty:\n"
        "skills: [notes, 'letters', \"minutes\", a/b]\n"
        "triggers:\n"
        "  - write\n"
        "\n"
        "  - 'note down'  # twice\n"
    )
    assert found.problems == []
    assert found.body == found.tree.source.text.index("Text.")  # type: ignore[union-attr]
    assert found.tree.value == {
        "name": "writer",
        "description": "Writes (short) notes - and letters.",
        "tools": "Read, Edit, Bash(git *)",
        "model": 'small "one"',
        "color": "it's red",
        "empty": None,
        "skills": ["notes", "letters", "minutes", "a/b"],
        "triggers": ["write", "note down"],
    }
    assert shown(found) == {
        "name": "writer",
        "description": "Writes (short) notes - and letters.",
        "tools": "Read, Edit, Bash(git *)",
        "model": '"small \\"one\\""',
        "color": "'it''s red'",
        "empty": "",
        "skills": ["notes", "'letters'", '"minutes"', "a/b"],
        "triggers": ["write", "'note down'"],
    }


def test_what_only_yaml_can_read_is_left_to_it() -> None:
    found = read(
        "name: 12\ndraft: true\ndescription: >-\n  Two\n  lines.\nhooks:\n  Stop: [{run: make}]\nat: 2026-03-01\n"
    )
    assert found.problems == []
    assert found.tree.value == {
        "name": 12,
        "draft": True,
        "description": "Two lines.",
        "hooks": {"Stop": [{"run": "make"}]},
        "at": "2026-03-01",
    }


@pytest.mark.parametrize(
    ("head", "value", "at"),
    [
        (
            "description: Use it for: letters\ntools: Read, Edit\n",
            {"description": "Use it for: letters", "tools": "Read, Edit"},
            ": letters",
        ),
        (
            "argument-hint: [issue] [branch]\nallowed-tools:\n  - Read\n  - Bash(git status:*)\n",
            {"argument-hint": "[issue] [branch]", "allowed-tools": ["Read", "Bash(git status:*)"]},
            "[branch]",
        ),
        (
            "argument-hint: [topic] | --all\ntools: [Read]\n",
            {"argument-hint": "[topic] | --all", "tools": ["Read"]},
            "--all",
        ),
        (
            "tools:\n  - @notes/read\n  - Read # once\nname: a\n",
            {"tools": ["@notes/read", "Read"], "name": "a"},
            "@notes",
        ),
        (
            "description: |\n  Kept:\n  as it is\nhint: `x`\n",
            {"description": "Kept:\nas it is\n", "hint": "`x`"},
            "`x`",
        ),
        ("name: a\nlost\n", {"name": "a"}, None),
    ],
)
def test_what_strict_readers_refuse_still_yields_its_members(head: str, value: dict[str, Any], at: str | None) -> None:
    found = read(head)
    assert found.tree.value == value
    assert [problem.code for problem in found.problems] == ["front_matter"]
    if at is not None:
        text = found.tree.source.text  # type: ignore[union-attr]
        assert found.problems[0].at.start == text.index(at)


def test_places_in_what_strict_readers_refuse() -> None:
    found = read("description: Use it for: letters\ntools: Read, Edit\nallowed-tools: [Read, 'Edit']\n")
    assert shown(found) == {
        "description": "Use it for: letters",
        "tools": "Read, Edit",
        "allowed-tools": ["Read", "'Edit'"],
    }
    tools = found.tree.root.get("tools")
    assert tools is not None
    span = tools.text_place(6, 10).span()
    assert span is not None
    assert found.tree.source.text[span.start : span.end] == "Edit"  # type: ignore[union-attr]


def test_quotes_are_put_around_a_text_but_not_around_what_may_be_a_comment() -> None:
    quoted = read("name: a\ndescription: Use it when: always\n").problems[0].edits
    assert [text for _, text in quoted] == ['"Use it when: always"']
    assert not read("name: a\ndescription: Use it when: always # not: ever\n").problems[0].edits


def test_a_repeated_key_is_told() -> None:
    found = read("name: a\nname: b\n")
    assert [problem.code for problem in found.problems] == ["duplicate_key"]
    assert found.tree.value == {"name": "b"}


@pytest.mark.parametrize("ends", ["\r\n", "\r", "\n"])
def test_every_line_end(ends: str) -> None:
    text = "---\nname: a\ntools:\n  - Read\n  - Edit\n---\nText.\n".replace("\n", ends)
    found = read_front_matter(SourceText("agent.md", text))
    assert found is not None
    assert found.problems == []
    assert found.tree.value == {"name": "a", "tools": ["Read", "Edit"]}
    assert text[found.body :] == f"Text.{ends}"


@pytest.mark.parametrize("text", ["", "Text.\n", "---\n\nText.\n\n---\n", "--\nname: a\n---\n", "---\nname: a\n"])
def test_no_front_matter(text: str) -> None:
    assert read_front_matter(SourceText("agent.md", text)) is None


def test_empty_front_matter() -> None:
    found = read("")
    assert found.tree.value == {}
    assert found.problems == []


def test_released_values_come_back_and_a_shorter_file_is_survived() -> None:
    text = "---\nname: a\ntools: Read\n---\n"
    source = SourceText("agent.md", text, lambda: "---\nname: a\n")
    found = read_front_matter(source)
    assert found is not None
    found.tree.release()
    assert found.tree.value == {"name": "a", "tools": "Read"}
    found.tree.release()
    source.release()
    assert found.tree.value == {"name": "a"}
    assert found.tree.spans.items is not None


def test_plain_front_matter_and_its_places_never_load_yaml() -> None:
    program = (
        "import sys\n"
        "from toolsurface_lint.readers.front_matter import read_front_matter\n"
        "from toolsurface_lint.source.text import SourceText\n"
        "found = read_front_matter(SourceText('a.md', '---\\nname: a\\ntools:\\n- Read\\n- \"Edit\"\\n---\\n'))\n"
        "place = found.tree.at(('tools', 1)).place.part(1, 3)\n"
        "assert (place.span(), place.rewritten('x')) == ((30, 32), ((30, 32), 'x'))\n"
        "print(found.tree.value['tools'], 'yaml' in sys.modules)\n"
    )
    repository = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", program], cwd=repository, capture_output=True, text=True, check=True)
    assert done.stdout == "['Read', 'Edit'] False\n"


def test_a_long_line_costs_its_length() -> None:
    for line in (
        "a" + " " * 200_000 + "b",
        '"' + "\\" * 100_000,
        "[" * 1_000,
        "'" * 99_999,
        "# " * 100_000,
        "a: " * 50_000,
    ):
        found = read(f"name: {line}\ntools: Read\n")
        assert found.tree.value["tools"] == "Read"


# --- against a strict reader ------------------------------------------------------------------------------------------

WORDS = st.sampled_from(
    [
        *(
            "Read",
            "Bash(git *)",
            "a b",
            "x:y",
            "a#b",
            "a #b",
            "a: b",
            "-",
            "- a",
            "[a, b]",
            "[a]b",
            "[]",
            "{a: b}",
            "{}",
        ),
        *(
            '"a"',
            "'a'",
            "'it''s'",
            '"a\\"b"',
            '"\\n"',
            "true",
            "null",
            "~",
            "12",
            "1.5",
            ".5",
            "0x1F",
            "*a",
            "&a b",
            "!t a",
        ),
        *(
            "|",
            ">",
            "@a",
            "`a`",
            "%a",
            "?",
            "? a",
            ":",
            "::",
            "a:",
            "yes",
            "No",
            "2026-03-01",
            "",
            " ",
            "\t",
            "\u2028",
            "é",
            "😀",
        ),
        *(
            "<<",
            "=",
            "a, b",
            "[a, 'b', \"c\"]",
            "[a, b: c]",
            "[a, *]",
            "[a,]",
            "[,]",
            "[a b, c]",
            "# c",
            '"a" # c',
            '"a" b',
            "\x07",
        ),
    ]
)
LINES = st.one_of(
    st.builds(
        "{}:{}{}".format,
        st.sampled_from(["name", "tools", "a-b", "a.b", "on"]),
        st.sampled_from([" ", "", "  ", "\t"]),
        WORDS,
    ),
    st.builds("{}- {}".format, st.sampled_from(["", "  ", " ", "\t"]), WORDS),
    st.builds("{}{}".format, st.sampled_from(["", "  ", "\t"]), WORDS),
)


@pytest.mark.slow
@settings(max_examples=examples(600), deadline=None)
@given(st.lists(LINES, max_size=6), st.sampled_from(["\n", "\r\n", "\r"]))
@example(["tools:", "  - a", " - b"], "\n")
@example(["name: a", "  b"], "\n")
@example(["tools:", "- a", "- b"], "\n")
def test_whatever_is_read_without_yaml_is_what_yaml_reads(lines: list[str], ends: str) -> None:
    source = SourceText("agent.md", ends.join(["---", *lines, "---", "Text."]))
    head = front_matter(source.text)
    found = read_front_matter(source)
    assert (found is None) == (head is None)
    if found is None or head is None:
        return
    strict = read_yaml(source, head.content.start, head.content.end)
    refused = [problem for problem in strict.problems if problem.code != "duplicate_key"]
    assert [problem.code for problem in found.problems if problem.code != "duplicate_key"] == ["front_matter"] * len(
        refused
    )
    if refused or len(strict.trees) > 1:
        return
    value = strict.trees[0].value if strict.trees else {}
    if isinstance(value, dict):
        assert found.tree.value == value
        if strict.trees:
            assert_same_places(strict.trees[0].spans, found.tree.spans, root=True)


def assert_same_places(strict: Spans, found: Spans, root: bool = False) -> None:
    # A value that is not there lies somewhere behind its key.
    if not root and strict.end > strict.start:
        assert (strict.start, strict.end) == (found.start, found.end)
    assert (strict.key_start, strict.key_end) == (found.key_start, found.key_end)
    if isinstance(strict.items, dict):
        assert isinstance(found.items, dict)
        assert list(strict.items) == list(found.items)
        for key, spans in strict.items.items():
            assert_same_places(spans, found.items[key])
    elif isinstance(strict.items, list):
        assert isinstance(found.items, list)
        for one, other in zip(strict.items, found.items, strict=True):
            assert_same_places(one, other)


@settings(max_examples=examples(300), deadline=None)
@given(st.text(st.sampled_from("ab: \n\r\t-[]{}'\"#|>,&*!?\\"), max_size=60))
def test_nothing_makes_it_fail(head: str) -> None:
    found = read_front_matter(SourceText("agent.md", f"---\nname: a\n{head}\n---\n"))
    if found is not None:
        assert isinstance(found.tree.value, dict)
        assert found.tree.spans.items is not None
