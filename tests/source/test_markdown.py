from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.long import examples
from toolsurface_lint.source.markdown import front_matter, layout, uniform

# --- front matter ---


@pytest.mark.parametrize(
    ("text", "content", "body"),
    [
        ("---\nname: a\n---\nText", "name: a\n", "Text"),
        ("---\r\nname: a\r\n---\r\nText", "name: a\r\n", "Text"),
        ("---\rname: a\r---\rText", "name: a\r", "Text"),
        ("---  \n# comment\n\nname: a\n--- \nText", "# comment\n\nname: a\n", "Text"),
        ("---\nname: a\n...\nText", "name: a\n", "Text"),
        ("---\n---\nText", "", "Text"),
        ("---\nname: a\n---", "name: a\n", ""),
        ("---\ndescription: Use: when [a] | --b\nargument-hint: [a] | --b\n---\nText", None, "Text"),
        ('---\n"quoted key": a\n---\nText', None, "Text"),
    ],
)
def test_front_matter_is_cut_off(text: str, content: str | None, body: str) -> None:
    matter = front_matter(text)
    assert matter is not None
    if content is not None:
        assert text[matter.content.start : matter.content.end] == content
    assert text[matter.body :] == body


@pytest.mark.parametrize(
    "text",
    [
        "Text\n---\nname: a\n---\n",
        "---\nname: a\n",
        "----\nname: a\n----\n",
        "---\n\n# Heading after a thematic break\n\n---\nText",
        "---\nprose that only looks like a head\n---\nText",
        "--- a\nname: b\n---\n",
        "",
    ],
)
def test_what_is_no_front_matter(text: str) -> None:
    assert front_matter(text) is None


@given(st.text(alphabet="a\r\n", max_size=20))
def test_uniform_text_has_one_line_end_and_the_same_length(text: str) -> None:
    made = uniform(text)
    assert len(made) == len(text)
    assert "\r" not in made
    assert [line.rstrip(" ") for line in made.split("\n")] == text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


# --- fences ---


def fenced(text: str) -> list[str]:
    return [text[start:end] for start, end in layout(text).fences]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n```\nb\n```\nc", ["```\nb\n```\n"]),
        ("~~~ py\nb\n~~~~\nc", ["~~~ py\nb\n~~~~\n"]),
        ("````\n```\nb\n````\nc", ["````\n```\nb\n````\n"]),
        ("```\nb\n~~~\n```\nc", ["```\nb\n~~~\n```\n"]),
        ("```\nb\n``` not a closing line\nc", ["```\nb\n``` not a closing line\nc"]),
        ("```inline```\nb", []),
        ("``\nb\n``", []),
        ("   ```\nb\n   ```\nc", ["   ```\nb\n   ```\n"]),
        ("    ```\n    b\n    ```\nc", []),
        ("- item\n\n  ```\n  b\n  ```\n  c", ["  ```\n  b\n  ```\n"]),
        ("1. item\n   ```\n   b\n   ```\nc", ["   ```\n   b\n   ```\n"]),
        ("- ```\n  b\n  ```\nc", ["- ```\n  b\n  ```\n"]),
        ("> ```\n> b\n> ```\nc", ["> ```\n> b\n> ```\n"]),
        ("> - ```\n>   b\n> c", ["> - ```\n>   b\n"]),
        # What is indented less than the item ends it, and the fence with it.
        ("- ```\n  b\nc\n\nd", ["- ```\n  b\n"]),
        ("> ```\n> b\nc", ["> ```\n> b\n"]),
        ("- a\n  - b\n\n    ```\n    c\n    ```\n  - d", ["    ```\n    c\n    ```\n"]),
        # A section tag is no HTML to a model, so the fence in it is one.
        ("<example>\n```\nb\n```\n</example>", ["```\nb\n```\n"]),
        ("<!--\n```\nb\n```\n-->", ["```\nb\n```\n"]),
        ("a\n```\nb", ["```\nb"]),
        ("a\r\n```\r\nb\r\n```\r\nc", ["```\r\nb\r\n```\r\n"]),
        ("a\r```\rb\r```\rc", ["```\rb\r```\r"]),
        ("```", ["```"]),
    ],
)
def test_fences_are_those_of_commonmark(text: str, expected: list[str]) -> None:
    assert fenced(text) == expected


def oracle(text: str) -> list[tuple[int, int]]:
    """Line ranges of fences by a parser of our own making, not by the module's."""
    parser = MarkdownIt("commonmark").disable(["html_block", "reference"])
    return [(token.map[0], token.map[1]) for token in parser.parse(text) if token.type == "fence" and token.map]


def line_ranges(text: str) -> list[tuple[int, int]]:
    return [
        (text.count("\n", 0, start), text.count("\n", 0, end) + (end == len(text) and not text.endswith("\n")))
        for start, end in layout(text).fences
    ]


_LINES = st.lists(
    st.lists(
        st.sampled_from(["```", "~~~", "````", "- ", "1. ", "> ", "  ", "    ", "\t", "a", "# h", "---", "`"]),
        max_size=3,
    ).map("".join),
    max_size=8,
).map("\n".join)


@pytest.mark.slow
@settings(max_examples=examples(300))
@example("- \n\n  ```\na")
@given(_LINES.map(lambda text: text.rstrip() + "\nend"))
def test_the_layout_is_that_of_markdown_it(text: str) -> None:
    assert line_ranges(text) == oracle(text)


_PLAIN_LINES = st.lists(
    st.sampled_from(["```", "~~~", "````py", "  ```", "- item", "> quote", "    code", "text", "", "``` `"]), max_size=9
)


@pytest.mark.slow
@settings(max_examples=examples(200))
@given(_PLAIN_LINES.filter(lambda lines: "  ```" not in lines).map("\n".join))
def test_fences_at_the_first_column_need_no_parser(text: str) -> None:
    text = text.rstrip() + "\nend"
    assert line_ranges(text) == oracle(text)


# --- blocks ---


@pytest.mark.parametrize(
    ("text", "block"),
    [
        ("one *two\nthree\n\nfour", "one *two\nthree"),
        ("# one *two\nthree", "# one *two"),
        ("- one *two\n- three", "- one *two"),
        ("- one *two\n  three\n- four", "- one *two\n  three"),
        ("1. one *two\n2. three", "1. one *two"),
        ("one *two\n```\nthree\n```", "one *two"),
        ("one *two\n> three", "one *two"),
        ("one *two\n---\nthree", "one *two"),
        ("| *a |\n|----|\n| b |", "| *a |"),
        ("one *two", "one *two"),
        ("one *two\n   \nthree", "one *two"),
    ],
)
def test_a_block_ends_where_the_next_begins(text: str, block: str) -> None:
    end = layout(text).block_end(text.index("*"))
    # A setext heading has its underline as its last line.
    assert text[:end].removesuffix("\n---") == block


def test_every_cell_of_a_table_ends_with_its_row() -> None:
    text = "a | b\n--|--\nc* | d\ne | f"
    assert layout(text).block_end(text.index("*")) == text.index("\ne | f")


def test_a_fence_holds_its_lines() -> None:
    text = "a\n```\nb\n```\nc"
    made = layout(text)
    assert [offset for offset in range(len(text) + 1) if made.is_fenced(offset)] == list(range(2, text.index("c")))


@pytest.mark.slow
@settings(max_examples=examples(200))
@given(_LINES)
def test_blocks_end_behind_what_they_hold(text: str) -> None:
    made = layout(text)
    ends = [made.block_end(offset) for offset in range(len(text))]
    assert all(offset <= end <= len(text) for offset, end in enumerate(ends))
    assert all(before <= after for before, after in pairwise(ends))


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "`" * 100_000,
        "- " * 50_000 + "```",
        ">" * 50_000 + " ```\na",
        "- a\n  ```\n" * 5_000,
        "[" * 50_000,
        "```\n" * 20_000,
        " ```\n" + "\n" * 50_000,
    ],
    ids=["backticks", "items", "quotes", "open fences", "brackets", "fences", "blank lines"],
)
def test_hostile_text_is_survived(text: str) -> None:
    made = layout(text)
    assert all(0 <= start < end <= len(text) for start, end in made.fences)
    assert made.block_end(0) <= len(text)
