"""The strings of a definition and the described parts of a schema, in the order of the text."""

from typing import Any

import pytest

from toolsurface_lint.model.texts import described, names_in, sentence_around, strings
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.words import name_words, verb_of
from toolsurface_lint.source.tree import plain


def tool(definition: dict[str, Any], schema_path: tuple[str, ...] | None, format: str = "mcp") -> Tool:
    root = plain(definition)
    name = root.get("name")
    assert name is not None
    made = Tool(name, format, root.tree, ())
    made.schema_path = schema_path
    return made


def test_described_parts_in_order() -> None:
    schema = {
        "type": "object",
        "description": "all",
        "properties": {
            "a": {"type": "string", "description": "A"},
            "b": {"type": "array", "description": "B", "items": {"properties": {"c": {"description": "C"}}}},
            "d": {"anyOf": [{"description": "D1"}, {"type": "null"}]},
            "e": {"default": {"description": "no"}, "examples": [{"description": "no"}]},
            "description": {"type": "string"},
            "f": "no schema",
        },
        "$defs": {"G": {"description": "G"}},
    }
    parts = described(tool({"name": "x", "inputSchema": schema}, ("inputSchema",)))
    assert [(part.name, part.field, part.text) for part in parts] == [
        ("", "parameters", "all"),
        ("a", "parameters.a", "A"),
        ("b", "parameters.b", "B"),
        ("b[].c", "parameters.b[].c", "C"),
        ("d", "parameters.d", "D1"),
        ("G", "parameters.G", "G"),
    ]
    assert parts[3].text_path == ("inputSchema", "properties", "b", "items", "properties", "c", "description")


def test_flat_maps_and_lists_of_arguments() -> None:
    flat = tool({"name": "x", "parameters": {"a": {"description": "A"}, "b": "string"}}, ("parameters",))
    assert [(part.name, part.text) for part in described(flat)] == [("a", "A")]
    listed = tool({"name": "x", "arguments": [{"name": "a", "desc": "A"}, {"name": "b"}]}, None, "arguments")
    assert [(part.name, part.text, part.text_path) for part in described(listed)] == [
        ("a", "A", ("arguments", 0, "desc"))
    ]
    assert described(tool({"name": "x"}, None)) == ()


def test_strings_with_keys() -> None:
    value = plain({"a": "x", "b": [1, "y", {"c": "z"}], "d": None})
    assert list(strings(value)) == [
        (("a",), "a", True),
        (("a",), "x", False),
        (("b",), "b", True),
        (("b", 1), "y", False),
        (("b", 2, "c"), "c", True),
        (("b", 2, "c"), "z", False),
        (("d",), "d", True),
    ]


def test_names_in_a_schema() -> None:
    schema = {
        "properties": {"a": {"enum": ["x", 1], "default": "y"}, "b": {"properties": {"c": {"const": "z"}}}},
        "$defs": {"D": {"examples": [{"k": "v"}]}},
    }
    assert set(names_in(schema)) == {"a", "x", "y", "b", "c", "z", "D", "k", "v"}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Here. Use X now. Then stop.", " Use X now"),
        ("a\nUse X\nb", "Use X"),
        ("X", "X"),
        (". " + "a" * 500 + "X" + "b" * 500 + ". ", "a" * 400 + "X" + "b" * 400),
    ],
)
def test_sentence_around(text: str, sentence: str) -> None:
    at = text.index("X")
    assert sentence_around(text, at, at + 1) == sentence


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("readFile", ("read", "file")),
        ("read-file_2", ("read", "file", "2")),
        ("GetAHORunLogs", ("get", "aho", "run", "logs")),
        ("wiki.read/page", ("wiki", "read", "page")),
        ("__", ()),
    ],
)
def test_name_words(name: str, words: tuple[str, ...]) -> None:
    assert name_words(name) == words


@pytest.mark.parametrize(
    ("name", "verb"),
    [
        ("delete_note", "delete"),
        ("wiki_delete_page", "delete"),
        ("wiki_update_page", None),
        ("check_delete_rights", None),
        ("get_update_state", "get"),
        ("get_or_create", None),
        ("last_update", None),
        ("note_read", None),
        ("", None),
    ],
)
def test_verb_of(name: str, verb: str | None) -> None:
    assert verb_of(name) == verb
