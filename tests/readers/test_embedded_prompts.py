from __future__ import annotations

from pathlib import Path

import pytest

from toolsurface_lint.model.vocabulary import Vocabulary
from toolsurface_lint.readers.embedded_prompts import embedded_prompts, may_hold_prompts, python_prompts
from toolsurface_lint.readers.loading import load_document
from toolsurface_lint.source.text import GAP, SourceText
from toolsurface_lint.source.tree import plain


def texts(value: object) -> list[tuple[str, str]]:
    return [(prompt.field, prompt.text) for prompt in embedded_prompts(plain(value))]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"system": "S", "tools": []}, [("system", "S")]),
        ({"instructions": "I", "prompt": "P"}, [("instructions", "I"), ("prompt", "P")]),
        ({"system_prompt": "S"}, [("system_prompt", "S")]),
        (
            {"system": [{"type": "text", "text": "A"}, {"type": "text", "text": "B"}]},
            [("system.0.text", "A"), ("system.1.text", "B")],
        ),
        ({"systemInstruction": {"parts": [{"text": "A"}]}}, [("systemInstruction.parts.0.text", "A")]),
        (
            {"messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "U"}]},
            [("messages.0.content", "S")],
        ),
        ({"input": [{"role": "developer", "content": [{"text": "D"}]}]}, [("input.0.content.0.text", "D")]),
        ({"initialize": {"instructions": "I"}}, [("initialize.instructions", "I")]),
        ({"result": {"instructions": "I"}}, [("result.instructions", "I")]),
        ({"system": "", "prompt": 3, "messages": "x", "instructions": {"a": 1}}, []),
    ],
)
def test_prompts_beside_tools(value: object, expected: list[tuple[str, str]]) -> None:
    assert texts(value) == expected


def python(text: str) -> list[tuple[str, str]]:
    return [(prompt.field, prompt.text) for prompt in python_prompts(SourceText("a.py", text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('SYSTEM_PROMPT = "use it"\n', [("SYSTEM_PROMPT", "use it")]),
        ("AGENT_INSTRUCTIONS: str = 'a' 'b'\n", [("AGENT_INSTRUCTIONS", "ab")]),
        ('PROMPT_A = dedent("""\n  x\n""").strip()\n', [("PROMPT_A", "\n  x\n")]),
        ('PROMPT_B = textwrap.dedent("x")\n', [("PROMPT_B", "x")]),
        ('PROMPT = f"x{1}" "y"\n', [("PROMPT", f"x{GAP}y")]),
        ('PROMPT = dedent(f"x{1}").strip()\n', [("PROMPT", f"x{GAP}")]),
        ("PROMPT = load()\n", []),
        ('OTHER = "PROMPT = 1"\n', []),
        ('def f():\n    PROMPT = "x"\n', []),
        ('PROMPT = "x\n', []),
        ('prompt = "x"\n', []),
    ],
)
def test_python_constants(text: str, expected: list[tuple[str, str]]) -> None:
    assert python(text) == expected


def test_a_reference_in_a_python_string_has_its_place_in_the_file() -> None:
    text = 'A = "é"\nSYSTEM_PROMPT = """Be brief.\\n\nUse the `read_fil` tool."""\n'
    source = SourceText("a.py", text)
    (prompt,) = python_prompts(source)
    (reference,) = prompt.named(Vocabulary({"read_file": []}))
    span = prompt.place(reference.start, reference.end).span()
    assert span is not None
    assert text[span.start : span.end] == reference.name == "read_fil"


def test_most_python_files_are_not_parsed() -> None:
    assert not may_hold_prompts("x = 1  # a PROMPT\n")
    assert may_hold_prompts('MY_PROMPT = "x"\n')


def test_agents_that_name_their_tools_hold_prompts(tmp_path: Path) -> None:
    path = tmp_path / "agent.yaml"
    path.write_text(
        "tools: [a_b]\nsystem_prompt: You are the first of them.\nagents:\n  x:\n    tools: [c_d]\n"
        "    instructions: You are the second of them.\n  y: {tools: [], prompt: You have no tools at all.}\n",
        encoding="utf-8",
    )
    document = load_document(str(path), "agent.yaml", "yaml", kind=None, max_size=10_000)
    assert [prompt.text for prompt in document.prompts] == ["You are the first of them.", "You are the second of them."]
