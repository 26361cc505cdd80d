from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.long import examples
from toolsurface_lint.model.prompt import DENIAL, PROHIBITION, USE, Reference
from toolsurface_lint.model.vocabulary import Vocabulary
from toolsurface_lint.readers.prompt_calls import alias_uses, called, hidden_references, scan
from toolsurface_lint.readers.prompts import read_prompt
from toolsurface_lint.source.json import read_json
from toolsurface_lint.source.text import SourceText
from toolsurface_lint.source.tree import plain


def names(text: str) -> list[str]:
    """The names of calls whatever is declared."""
    return [reference.name for reference in scan(text) if not reference.if_declared]


# --- names ---


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Call run_it({}) now", ["run_it"]),
        ("read_file", []),
        ("deploy({}) and x(1)", ["deploy", "x"]),
        ("run_b({}) run_a({}) run_a({})", ["run_b", "run_a", "run_a"]),
        ("`run_a({})` and <!-- run_b(1) -->", ["run_a", "run_b"]),
        ("read-file_a(1) 3run_x(2) élan_b(3)", ["file_a", "run_x", "lan_b"]),
        ("if(a) for(b) while(c) switch(d) return(e) function(f) fn(g)", []),
        ("JSON(a) print(b) println(c) contains(d) len(e) render(f) render_prompt(g)", []),
        ("If(a) json(b) print_it(c)", ["If", "json", "print_it"]),
        ("print(run_a(1))", ["run_a"]),
        ("(run_a)(1)", []),
        ("42(1) _(2) __(3)", ["_"]),
        ("run_a\t( )", ["run_a"]),
        ("a(1", ["a"]),
        ("", []),
        ("(", []),
        ("name_" * 40 + "x(1)", ["name_" * 40 + "x"]),
        ("run_a" + " " * 300 + "({})", ["run_a"]),
    ],
)
def test_a_name_before_a_parenthesis_is_a_call(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_a_reference_knows_its_places() -> None:
    text = "😀 use `run_a({x: 1})` now"
    (reference,) = scan(text)
    assert text[reference.start : reference.end] == "run_a"
    assert text[reference.start : reference.call_end] == "run_a({x: 1})"
    assert (reference.form, reference.evidence, reference.specified) == ("call", "strong", True)


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("run_a ({})", True),
        ("run_a ()", True),
        ('run_a ("x")', True),
        ("run_a ('x')", True),
        ("run_a (path: 1)", True),
        ("run_a (path = 1)", True),
        ("run_a\n  ({})", True),
        ("run_a\f( path=1)", True),
        ("run_a (only one)", False),
        ("run_a (a == b)", False),
        ("run_a (https://example.org)", False),
        ("run_a (1)", False),
        # A backtick formats a word of the remark.
        ("run_a (`x`)", False),
        ("run_a\n(see below)", False),
    ],
)
def test_white_space_before_the_parenthesis_wants_arguments(text: str, counts: bool) -> None:
    (reference,) = scan(text)
    assert reference.if_declared is not counts
    assert [used.name for used in called(text, [reference], ())] == (["run_a"] if counts else [])
    assert [used.name for used in called(text, [reference], {"run_a"})] == ["run_a"]


def test_a_declared_name_with_white_space_is_a_call_with_its_parentheses() -> None:
    text = "run_a (see run_b(1), or 'x)') and run_c (later) run_d(2)"
    references = scan(text)
    assert [reference.name for reference in called(text, references, ())] == ["run_b", "run_d"]
    used = called(text, references, {"run_a"})
    assert [text[one.start : one.call_end] for one in used] == ["run_a (see run_b(1), or 'x)')", "run_d(2)"]
    assert not any(one.if_declared for one in used)


@pytest.mark.parametrize(
    "text",
    [
        "x.run_a(1)",
        "math::run_a(1)",
        "self->run_a(1)",
        "def run_a(x)",
        "async def  run_a(x)",
        "function run_a(x)",
        "class run_a(x)",
        "__init__(self)",
        "__run_a__({})",
        "x.run_a ({})",
    ],
)
def test_code_is_no_reference(text: str) -> None:
    assert scan(text) == []


@pytest.mark.parametrize("text", ["undef run_a(1)", "def\nrun_a(1)", "mcp__a__run_a(1)", "x: run_a(1)", "a-> run_a(1)"])
def test_what_only_resembles_code_is_a_reference(text: str) -> None:
    assert len(names(text)) == 1


def test_code_takes_its_parentheses_with_it() -> None:
    assert names("def f(x=run_a(1)): run_b(2)") == ["run_b"]


# --- tags ---


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<tool_call>\nrun({ a: 1 })\n</tool_call>", ["run({ a: 1 })\n"]),
        ("<toolcall>run_x and more</toolcall> x", ["run_x and more"]),
        ("<tool_call> if</tool_call>", ["if"]),
        ("<tool_call>run_a run_b(1)", ["run_a", "run_b(1)"]),
        ("<tool_call>run_a(run_b(1)</tool_call> run_c(2)", ["run_a(run_b(1)", "run_c(2)"]),
        ("<tool_call>run_a</toolcall></tool_call>", ["run_a</toolcall>"]),
        ('<tool_call>{"name": "run_z"}</tool_call>', []),
        ('<tool_call>{"code": "run_z(1)"}</tool_call>', ["run_z(1)"]),
        ("<Tool_call>run_a</Tool_call>", []),
        ("<tool_call>x.run_a</tool_call>", ["x.run_a"]),
        ("run_a(<tool_call>run_b</tool_call>)", ["run_a(<tool_call>run_b</tool_call>)"]),
    ],
)
def test_tags_name_a_tool(text: str, expected: list[str]) -> None:
    assert [text[reference.start : reference.call_end] for reference in scan(text)] == expected


# --- calls jumped over ---


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("outer(run_b({a: 1}), run_c(2)) run_d(3)", ["outer(run_b({a: 1}), run_c(2))", "run_d(3)"]),
        ("run_a(')') run_b(1)", ["run_a(')')", "run_b(1)"]),
        (r'run_a("\")") run_b(1)', [r'run_a("\")")', "run_b(1)"]),
        ("run_a(`)`) run_b(1)", ["run_a(`)`)", "run_b(1)"]),
        ("run_a(\\') run_b(1)", ["run_a(\\') run_b(1)"]),
        ("run_a(do not) run_b(1)", ["run_a(do not)", "run_b(1)"]),
        # An apostrophe opens a string, as in the specification.
        ("run_a(don't) run_b(1)", ["run_a(don't) run_b(1)"]),
        ("run_a( unclosed then run_b(1)", ["run_a( unclosed then run_b(1)"]),
        ("run_a( unclosed\nthen run_b(1)\n\nrun_c(2)", ["run_a( unclosed\nthen run_b(1)", "run_c(2)"]),
        ("- run_a( unclosed\n- run_b(1)", ["run_a( unclosed", "run_b(1)"]),
        ("# run_a( unclosed\nrun_b(1)", ["run_a( unclosed", "run_b(1)"]),
        ("| run_a( | x |\n|---|---|\n| run_b(1) | y |", ["run_a( | x |", "run_b(1)"]),
        ("run_a({\n  x: 1\n}) run_b(1)", ["run_a({\n  x: 1\n})", "run_b(1)"]),
        ("run_a({\r  x: 1\r}) run_b(1)", ["run_a({\r  x: 1\r})", "run_b(1)"]),
        ("> run_a({\n> x: 1})\n> run_b(1)", ["run_a({\n> x: 1})", "run_b(1)"]),
    ],
)
def test_a_call_ends_with_its_parenthesis_or_its_block(text: str, expected: list[str]) -> None:
    assert [text[reference.start : reference.call_end] for reference in scan(text)] == expected


# --- fences and markers ---


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```\nrun_a(1)\n```\nrun_b(1)", ["run_b"]),
        ("~~~\nrun_a(1)\n~~~\nrun_b(1)", ["run_b"]),
        ("```run_q(1)```\nrun_a(1)", ["run_q", "run_a"]),
        ("- x\n  ```\n  run_a(1)\n  ```\n  run_b(1)", ["run_b"]),
        ("> ```\n> run_a(1)\n> ```\n> run_b(1)", ["run_b"]),
        ("<example>\n```\nrun_a(1)\n```\n</example>\nrun_b(1)", ["run_b"]),
        ("```\nrun_a(1)", []),
        ("run_x\n```\nrun_a(1)\n```\n(y: 2)", ["run_x"]),
        ("<!-- harn-tool-surface: ignore-next-line -->\nrun_a(1)\nrun_b(1)", ["run_b"]),
        ("<!-- harn-tool-surface: ignore-next-line -->\n\nrun_a(1)", ["run_a"]),
        ("run_z(1) harn-tool-surface: ignore-next-line\nrun_a(1)\nrun_b(1)", ["run_b"]),
        ("harn-tool-surface: ignore-next-line\n```\nx\n```\nrun_a(1)\nrun_b(1)", ["run_b"]),
        ("harn-tool-surface: ignore-next-line\nx tool-surface-ignore\nrun_a(1)\nrun_b(1)", ["run_b"]),
        ("run_a(1) harn-tool-surface: ignore-line\nrun_b(1) # tool-surface-ignore\nrun_c(1)", ["run_c"]),
        ("harn-tool-surface: ignore-start\nrun_a(1)\n\nrun_b(1)", []),
        ("harn-tool-surface: ignore-start\nrun_a(1)\nharn-tool-surface: ignore-end\nrun_b(1)", ["run_b"]),
        (
            "harn-tool-surface: ignore-start\nharn-tool-surface: ignore-start\nharn-tool-surface: ignore-end\nrun_b(1)",
            ["run_b"],
        ),
        ("```\nharn-tool-surface: ignore-start\n```\nrun_a(1)\nharn-tool-surface: ignore-end\nrun_b(1)", ["run_b"]),
        # Lines of an ignored block do not spend `ignore-next-line`.
        (
            (
                "harn-tool-surface: ignore-next-line\nharn-tool-surface: ignore-start\nx\n"
                "harn-tool-surface: ignore-end\nrun_a(1)\nrun_b(1)"
            ),
            ["run_b"],
        ),
        # Of several markers in a line one decides.
        ("harn-tool-surface: ignore-end harn-tool-surface: ignore-start\nrun_a(1)", []),
        ("harn-tool-surface: ignore-start harn-tool-surface: ignore-end\nrun_a(1)", []),
        ("harn-tool-surface: ignore-line harn-tool-surface: ignore-next-line\nrun_a(1)\nrun_b(1)", ["run_b"]),
        ("harn-tool-surface:ignore-line run_a(1)", ["run_a"]),
        ("harn-tool-surface:  ignore-line run_a(1)", ["run_a"]),
        ("Harn-Tool-Surface: ignore-line run_a(1)", ["run_a"]),
        ("toolsurface-lint: ignore-next-line\nrun_a(1)\nrun_b(1)", ["run_b"]),
        ("toolsurface-lint: ignore-next-line[TOOL_SURFACE] why\nrun_a(1)", ["run_a"]),
        # Each family of markers is blind to the other.
        ("harn-tool-surface: ignore-start\nrun_a(1)\ntoolsurface-lint: ignore-end\nrun_b(1)", []),
        ("harn-tool-surface: ignore-next-line\r\nrun_a(1)\r\nrun_b(1)", ["run_b"]),
        ("harn-tool-surface: ignore-next-line\rrun_a(1)\rrun_b(1)", ["run_b"]),
    ],
)
def test_hidden_lines_do_not_bind(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_a_hidden_line_is_no_part_of_the_call_around_it() -> None:
    text = "run_a({\n  b: ')', // tool-surface-ignore ) (\n  c: 2\n}) run_d(1)"
    first, second = scan(text)
    assert text[first.start : first.call_end].endswith("c: 2\n})")
    assert [text[start:end] for start, end in first.gaps] == ["  b: ')', // tool-surface-ignore ) (\n"]
    assert alias_uses(text, first, ("b", "c")) == [("c", text.index("c: 2"), text.index("c: 2") + 1)]
    assert second.name == "run_d"


def test_hidden_references_are_those_in_lines_that_markers_hide() -> None:
    text = (
        "run_a(1)\nharn-tool-surface: ignore-start\nrun_b(1)\n```\nrun_c(1)\n```\nharn-tool-surface: ignore-end\n"
        "run_d(1)\nrun_e(1) toolsurface-lint: ignore-line[X]\nrun_f(1) toolsurface-lint: ignore-line"
    )
    found = hidden_references(text)
    assert [(reference.name, text[reference.start : reference.end]) for reference in found] == [
        (name, name) for name in ("run_b", "run_c", "run_f")
    ]
    assert hidden_references("run_a(1)") == []


# --- what is said about it ---


@pytest.mark.parametrize(
    ("text", "stance"),
    [
        ("Never call `run_a({})` here", PROHIBITION),
        ("Do not use run_a({})", PROHIBITION),
        ("you don’t\nrun the **run_a({})", PROHIBITION),
        ("avoid run_a({})", PROHIBITION),
        ("There is no `run_a({})` tool", DENIAL),
        ("there is no tool named run_a({})", DENIAL),
        ("If you do not know, call run_a({})", USE),
        ("Call run_a({})", USE),
        ("never stop; use run_a({})", USE),
        ("run_a({})", USE),
    ],
)
def test_a_denied_or_forbidden_tool_is_no_use(text: str, stance: str) -> None:
    (reference,) = scan(text)
    assert reference.stance == stance
    prompt = read_prompt(plain(text).tree)
    assert prompt.uses(Vocabulary({"run_a": []})) == ([reference] if stance == USE else [])
    assert prompt.named(Vocabulary({"run_a": []})) == [reference]
    spaced = text.replace("run_a(", "run_a (")
    assert [one.stance for one in called(spaced, scan(spaced), {"run_a"})] == [stance]


# --- aliases ---


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("run({file: 1})", ["file"]),
        ('run({"file": 1})', ["file"]),
        ("run({'file' : 1})", ["file"]),
        ("run(file=1)", ["file"]),
        ("run(file = 1, mode='file')", ["file"]),
        ("run({file})", ["file"]),
        ("run({a: 1, file, b})", ["file"]),
        ("run({path: 'src/file.rs'})", []),
        ("run({path: `file: x`})", []),
        ('run({path: "a \\" file: "})', []),
        ("run({files: 1, my_file: 2, file_: 3})", []),
        ("run({my-file: 1})", ["file"]),
        ("run(file == 1)", []),
        ("run(file::x)", []),
        ("run([a, file, b])", []),
        ("run({path: file})", []),
        ("run({path: <<END\nfile: x\nEND\n, file: 2})", ["file"]),
        ("run({path: <<END\nfile: x})", []),
        ("run({a: 1}) file: x", []),
        ("<tool_call>run({ file: 1 })</tool_call> file: x", ["file"]),
    ],
)
def test_an_alias_counts_as_a_key_of_the_call(call: str, found: list[str]) -> None:
    text = f"é {call}"
    reference = scan(text)[0]
    places = alias_uses(text, reference, {"file"})
    assert [text[start:end] for _, start, end in places] == found
    assert [alias for alias, _, _ in places] == found


# --- prompts ---


def test_a_prompt_finds_its_uses() -> None:
    text = "- run_a({x: 1})\n\n  ```\nrun_b(1)\n\nrun_c (2) run_a({x: 3, y: 4})"
    (tree,) = read_json(SourceText("a.json", json.dumps({"system": text}))).trees
    prompt = read_prompt(tree, ("system",), "system")
    assert (prompt.text, prompt.field, prompt.origin) == (text, "system", "a.json")
    declared = Vocabulary({"run_a": [], "run_c": []}, specified=True)
    expected = ["run_a", "run_b", "run_c", "run_a"]
    assert [reference.name for reference in prompt.uses(declared)] == expected
    found = [prompt.alias_uses(call, ("x", "z")) for call in prompt.uses(declared) if call.name == "run_a"]
    assert [[alias for alias, _, _ in places] for places in found] == [["x"], ["x"]]


def test_a_call_that_is_not_closed_ends_with_its_row() -> None:
    text = "a | run_a(\n---|---\nb | run_b(1)\n\nrun_c(1)"
    prompt = read_prompt(plain(text).tree)
    nothing = Vocabulary({})
    assert [reference.name for reference in prompt.uses(nothing)] == ["run_a", "run_b", "run_c"]


def test_a_value_that_is_no_text_is_an_empty_prompt() -> None:
    prompt = read_prompt(plain({"system": 3}).tree, ("system",))
    assert (prompt.text, prompt.named(Vocabulary({}))) == ("", [])


def test_markdown_it_is_not_imported_for_what_lines_alone_can_tell() -> None:
    program = (
        "import sys\n"
        "from toolsurface_lint.readers.prompt_calls import scan\n"
        "scan('text (see below)\\n```\\nrun_a(1)\\n```\\nrun_b({x: 1}) and - run_c(2)')\n"
        "scan('- no candidate\\n  ```\\n  x\\n  ```')\n"
        "print('markdown_it' in sys.modules)\n"
        "scan('> run_a(1)\\n> ```\\n> x\\n> ```')\n"
        "print('markdown_it' in sys.modules)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["False", "True"]


# --- properties ---

_WORDS = st.sampled_from(
    [
        "run_a",
        "run_b(",
        "b(",
        ")",
        "(",
        "'",
        '"',
        "`",
        "\\",
        " ",
        "if(",
        "x",
        "3c(",
        "<tool_call>",
        "</tool_call>",
        ",",
        "é",
    ]
)
_LINE = st.lists(_WORDS, max_size=7).map("".join)
_MARKS = st.sampled_from(
    [
        "```",
        "",
        "tool-surface-ignore b(",
        "harn-tool-surface: ignore-next-line",
        "harn-tool-surface: ignore-start",
        "harn-tool-surface: ignore-end",
    ]
)
_TEXT = st.lists(st.one_of(_LINE, _LINE, _MARKS), max_size=10).map("\n".join)


def specified(text: str) -> list[tuple[str, int]]:
    """The specified scan, character by character: names and their offsets.

    Our differences that the alphabet of the test can reach are built in: an unclosed parenthesis ends at its block, and a
    name with white space before its parenthesis counts only with arguments.
    """
    binding: list[tuple[str, int, int]] = []
    fence = block_ignored = next_ignored = False
    position = block = 0
    for line in text.split("\n"):
        start, position = position, position + len(line) + 1
        if "ignore-start" in line:
            block_ignored = True
        elif "ignore-end" in line:
            block_ignored = False
        elif "ignore-next-line" in line:
            next_ignored = True
        elif line.strip().startswith("```") and "`" not in line.strip()[3:] and not (fence and line.strip() != "```"):
            fence = not fence
            block += 1
            continue
        elif fence or block_ignored or "tool-surface-ignore" in line:
            pass
        elif next_ignored:
            next_ignored = False
        else:
            binding.extend((character, start + i, block) for i, character in enumerate(line + "\n"))
        if not line.strip():
            block += 1
    characters = "".join(character for character, _, _ in binding)
    found = []
    at = 0

    def is_letter(index: int, digits: bool) -> bool:
        character = characters[index : index + 1]
        return character != "" and (
            character in "abcdefghijklmnopqrstuvwxyz_" or (digits and character in "0123456789")
        )

    def skip(index: int, digits: bool = True, spaces: bool = False) -> int:
        while index < len(characters) and (characters[index] in " \n" if spaces else is_letter(index, digits)):
            index += 1
        return index

    while at < len(characters):
        if characters.startswith("<tool_call>", at):
            at += len("<tool_call>")
            start = skip(at, spaces=True)
            if is_letter(start, False):
                end = skip(start)
                found.append((characters[start:end], binding[start][1]))
                closing = characters.find("</tool_call>", end)
                at = closing if closing >= 0 else end
            continue
        if not is_letter(at, False):
            at += 1
            continue
        end = skip(at)
        parenthesis = skip(end, spaces=True)
        name = characters[at:end]
        start = at
        at = end
        if characters[parenthesis : parenthesis + 1] != "(" or name == "if":
            continue
        if parenthesis > end:
            inside = skip(parenthesis + 1, spaces=True)
            if characters[inside : inside + 1] not in {")", "'", '"'}:
                continue
        found.append((name, binding[start][1]))
        depth, quote, at = 0, "", parenthesis
        while at < len(characters) and binding[at][2] == binding[parenthesis][2]:
            character = characters[at]
            at += 1
            if quote:
                if character == "\\":
                    at += 1
                elif character == quote:
                    quote = ""
            elif character in "'\"`":
                quote = character
            elif character == "(":
                depth += 1
            elif character == ")":
                depth -= 1
                if not depth:
                    break
    return found


@pytest.mark.slow
@settings(max_examples=examples(500))
@given(_TEXT)
def test_the_scan_is_the_specified_one(text: str) -> None:
    found = [reference for reference in scan(text) if not reference.if_declared]
    assert [(reference.name, reference.start) for reference in found] == specified(text)


@pytest.mark.slow
@settings(max_examples=examples(200))
@given(_TEXT, st.sampled_from(["\n", "\r\n", "\r"]))
def test_references_stand_where_they_say_in_order_and_apart(text: str, line_end: str) -> None:
    text = text.replace("\n", line_end)
    resume = 0
    for reference in called(text, scan(text), {"run_a", "b"}):
        assert text[reference.start : reference.end] == reference.name
        assert resume <= reference.start < reference.end <= reference.call_end <= len(text)
        resume = reference.call_end
    assert all(isinstance(reference, Reference) for reference in hidden_references(text))


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "a(" * 100_000,
        "a (" * 50_000,
        "a(\n\n" * 20_000,
        "a('" * 50_000,
        "<tool_call>a " * 30_000,
        "`" * 250_000 + "a(",
        "[" * 250_000 + "a(",
        " " * 500_000 + "(",
        "x" * 500_000 + "(",
        "harn-tool-surface: ignore-next-line " * 10_000 + "a(",
        "toolsurface-lint: ignore-start[A]\n" * 5_000 + "a(",
        ("word_" * 20 + "x ({a: 1}) ") * 10_000,
    ],
    ids=lambda text: text[:12],
)
def test_hostile_text_is_scanned(text: str) -> None:
    found = scan(text)
    assert len(called(text, found, {"a"})) <= len(found)
