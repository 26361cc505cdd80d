"""Quick readers, of which each accepts or hands over to the exact one behind it.

That both read the same is held by a property test beside each: `tests/source/test_markdown.py`, `tests/source/test_json.py`,
`tests/schemas/test_accept.py`, `tests/readers/test_front_matter.py`, `tests/transcripts/test_quick_way.py` and
`tests/cli/test_options.py`; for the ends of calls it stands here. Here too: that they accept what is ordinary, hand over what
is not, and that their work grows with the input and no faster, whichever they do.

What a run takes without each, by processor time, as a multiple of what it takes with it; what came to less than 1.05 is gone:

    fences                2.7   throughput.py, 1,000 files
    ends of calls         1.7   throughput.py, 1,000 files: a call that ends in its line needs no parse
    JSON values           1.5   throughput.py, 1,000 tools in one file; 1.1 transcripts.py
    places in JSON        1.4   throughput.py, 1,000 tools in one file, one of them with a finding
    schemas               6.4   throughput.py, 1,000 files; 1.9 startup.py, JSON
    compiled schemas      3.6   transcripts.py
    front matter          1.08  throughput.py, 1,000 files; 1.1 a repository of agents
    conversations         1.4   transcripts.py; 3 in Anthropic's and other formats
    JSON by msgspec       1.3   transcripts.py
    command lines         1.3   startup.py, JSON: 1.8 times `import click` instead of 1.4
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.work import lines_run
from toolsurface_lint.cli.options import CHECK, parse_quickly
from toolsurface_lint.readers.binding import Binding
from toolsurface_lint.readers.front_matter import read_front_matter
from toolsurface_lint.readers.transcripts import openai
from toolsurface_lint.run.transcripts.plain_chat import read_plain
from toolsurface_lint.schemas.accept import Acceptors
from toolsurface_lint.schemas.plain import is_plainly_valid
from toolsurface_lint.source.json_values import read_value
from toolsurface_lint.source.markdown import Layout, quick_fences
from toolsurface_lint.source.text import SourceText


class Quick(NamedTuple):
    """A quick reader: whether it accepts an input, one of a size that it accepts, and one that it hands over at its end."""

    accepts: Callable[[Any], bool]
    ordinary: Callable[[int], Any]
    odd: Callable[[int], Any]


def schema(size: int, **last: Any) -> dict[str, Any]:
    properties: dict[str, Any] = {f"field_{number}": {"type": "string"} for number in range(size)}
    return {"type": "object", "properties": {**properties, "last": {"type": "integer", **last}}}


def value(size: int, last: Any) -> dict[str, Any]:
    return {**{f"field_{number}": "text" for number in range(size)}, "last": last}


def compiles(schema: Any) -> bool:
    return Acceptors(schema).of(schema) is not None


def is_accepted(pair: tuple[Any, Any]) -> bool:
    accept = Acceptors(pair[0]).of(pair[0])
    assert accept is not None
    return accept(pair[1])


def needs_no_yaml(text: str) -> bool:
    import toolsurface_lint.source.yaml as yaml

    asked: list[bool] = []
    with pytest.MonkeyPatch.context() as patch:
        exact = yaml.read_yaml
        patch.setattr(yaml, "read_yaml", lambda *given: asked.append(True) or exact(*given))
        assert read_front_matter(SourceText("a.md", text)) is not None
    return not asked


def is_plain_chat(messages: list[Any]) -> bool:
    quick = openai.FORMAT.quick
    assert quick is not None
    return read_plain(messages, quick, {"read": lambda arguments: True}.get, lambda name: False) is not None


def chat(size: int, last: str = "assistant") -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for number in range(size):
        function = {"name": "read", "arguments": json.dumps({"number": number})}
        messages += [
            {"role": "user", "content": "Read."},
            {"role": "assistant", "content": None, "tool_calls": [{"id": f"call_{number}", "function": function}]},
            {"role": "tool", "tool_call_id": f"call_{number}", "content": "text"},
        ]
    return [*messages, {"role": last, "content": "Done."}]


def ends_with_its_line(text: str) -> bool:
    """Whether the layout, which takes a parse, is not asked where calls end."""
    binding = Binding(text)
    asked: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Layout, "block_end", lambda self, offset: asked.append(offset) or len(text))
        for at, character in enumerate(text):
            if character == "(":
                binding.call_end(at)
    return not asked


QUICK = {
    "fences": Quick(
        lambda text: quick_fences(text) is not None,
        lambda size: "text\n\n```\ncode\n```\n" * size,
        lambda size: "text\n\n```\ncode\n```\n" * size + "- item\n  ```\n",
    ),
    "ends of calls": Quick(
        ends_with_its_line,
        lambda size: "Call `read({ path })`.\n" * size,
        lambda size: "Call `read({ path })`.\n" * size + "Call `read({\n",
    ),
    "JSON values": Quick(
        lambda text: read_value(text) is not None,
        lambda size: json.dumps([{"name": "read"}] * size),
        lambda size: json.dumps([{"name": "read"}] * size) + "// a comment",
    ),
    "schemas": Quick(is_plainly_valid, schema, lambda size: schema(size, minimum="none")),
    "compiled schemas": Quick(compiles, schema, lambda size: schema(size, multipleOf=2)),
    "values": Quick(
        is_accepted, lambda size: (schema(size), value(size, 1)), lambda size: (schema(size), value(size, "1"))
    ),
    "front matter": Quick(
        needs_no_yaml,
        lambda size: "---\n" + "".join(f"name_{number}: text\n" for number in range(size)) + "---\n",
        lambda size: "---\n" + "".join(f"name_{number}: text\n" for number in range(size)) + "last: {a: 1}\n---\n",
    ),
    "conversations": Quick(is_plain_chat, chat, lambda size: chat(size, last="critic")),
    "command lines": Quick(
        lambda arguments: parse_quickly(arguments, CHECK) is not None,
        lambda size: ["--select", "ALL", "tools.json"] * size,
        lambda size: [*["--select", "ALL", "tools.json"] * size, "--help"],
    ),
}


@pytest.mark.parametrize("quick", QUICK.values(), ids=QUICK)
def test_what_is_ordinary_is_accepted_and_what_is_not_is_handed_over(quick: Quick) -> None:
    assert quick.accepts(quick.ordinary(4))
    assert not quick.accepts(quick.odd(4))


@pytest.mark.parametrize("kind", ["ordinary", "odd"])
@pytest.mark.parametrize("quick", QUICK.values(), ids=QUICK)
def test_work_grows_with_the_input(quick: Quick, kind: str) -> None:
    make = quick.ordinary if kind == "ordinary" else quick.odd
    few, many = make(40), make(320)
    # What is looked up once does not count.
    quick.accepts(few)
    assert lines_run(lambda: quick.accepts(many)) <= 8.5 * lines_run(lambda: quick.accepts(few))


CALLS = st.lists(
    st.sampled_from(["read(", "{", "}", ")", "(", '"', "'", "`", "a", " ", "\n", "\n\n", "- "]), max_size=24
)


@given(CALLS.map("".join))
def test_calls_end_where_they_end_in_their_block(text: str) -> None:
    """A line lies in one block, so that a call closed in its line is closed in its block."""
    for at in [at for at, character in enumerate(text) if character == "("]:
        quick, exact = Binding(text), Binding(text)
        # No line is known: what is asked is the block.
        exact._line_end = len(text) + 1
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("toolsurface_lint.readers.binding._closed", closed_in_block(exact))
            expected = exact.call_end(at)
        assert quick.call_end(at) == expected


def closed_in_block(binding: Binding) -> Callable[[str, int, int], int]:
    """Where a call is closed; in its line never."""
    from toolsurface_lint.readers.binding import _closed

    return lambda text, at, limit: -1 if limit == binding._line_end else _closed(text, at, limit)
