"""Prompts inside documents and programs: the texts next to a list of tools, and constants named like prompts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from toolsurface_lint.model.prompt import Prompt
from toolsurface_lint.readers.prompts import read_prompt
from toolsurface_lint.source.text import SourceText
from toolsurface_lint.source.tree import Node, Spans

if TYPE_CHECKING:
    import ast

PROMPT_FIELDS = ("system", "system_prompt", "systemPrompt", "instructions", "prompt", "developer_prompt", "developer")
"""Keys of agents, requests and served lists that hold a prompt."""

_SYSTEM_FIELDS = ("systemInstruction", "system_instruction", "system")
_WRAPPERS = (("result",), ("initialize",), ("initialize", "result"), ("request",), ("body",), ("params",))
_PROMPT_ROLES = ("system", "developer")


def embedded_prompts(root: Node) -> list[Prompt]:
    """The prompts of an object that also holds tools: an agent, a request to a provider, a recorded MCP server.

    MCP's `instructions` are in the answer to `initialize`, a request's system text under `system`, `instructions`,
    `systemInstruction` or among its messages.
    """
    holders = [root, *(holder for path in _WRAPPERS if (holder := root.find(*path)) is not None)]
    return [
        read_prompt(text.tree, text.path, ".".join(str(step) for step in text.path))
        for holder in holders
        if isinstance(holder.value, dict)
        for text in _texts(holder)
    ]


def _texts(holder: Node) -> Iterator[Node]:
    for key in PROMPT_FIELDS:
        text = holder.get(key)
        if text is not None and isinstance(text.value, str) and text.value:
            yield text
    for key in _SYSTEM_FIELDS:
        content = holder.get(key)
        if content is not None and not isinstance(content.value, str):
            yield from _parts(content)
    for key in ("messages", "input"):
        for message in holder.elements(key):
            content = message.get("content")
            if content is not None and isinstance(message.value, dict) and message.value.get("role") in _PROMPT_ROLES:
                yield from _parts(content)


def _parts(content: Node) -> Iterator[Node]:
    """The texts of a message's content: one string, or parts with a `text` each."""
    parts = content.elements("parts") if isinstance(content.value, dict) else content.elements()
    for part in [content] if isinstance(content.value, str) else parts:
        text = part.string("text") if isinstance(part.value, dict) else part
        if text is not None and isinstance(text.value, str) and text.value:
            yield text


# --- Programs -----------------------------------------------------------------------------------------------------

_NAMED_LIKE_PROMPT = re.compile(r"(?=[A-Z0-9_]*(?:PROMPT|INSTRUCTION|SYSTEM_MESSAGE))[A-Z0-9_]++")
_ASSIGNED = rf"{_NAMED_LIKE_PROMPT.pattern}[ \t]*+(?::[^=\n]*+)?="
_CONSTANTS = {
    "python": re.compile(rf"^{_ASSIGNED}", re.MULTILINE),
    "typescript": re.compile(rf"^(?:export[ \t]++)?(?:const|let|var)[ \t]++{_ASSIGNED}", re.MULTILINE),
}
_CLEANING = frozenset({"strip", "lstrip", "rstrip", "format", "dedent", "cleandoc", "render"})


def may_hold_prompts(text: str, language: str = "python") -> bool:
    """Whether a program may hold prompts: a cheap look, before it is parsed."""
    named = "PROMPT" in text or "INSTRUCTION" in text or "SYSTEM_MESSAGE" in text
    return named and bool(_CONSTANTS[language].search(text))


def script_prompts(source: SourceText) -> list[Prompt]:
    """The string constants at the top of a TypeScript or JavaScript file that are named like prompts (`SYSTEM_PROMPT`).

    Template literals have a gap for each substitution; other texts put together at run time are left out.
    """
    if not may_hold_prompts(source.text, "typescript"):
        return []
    from toolsurface_lint.source.syntax import ByteOffsets, grammar_of, parse_syntax
    from toolsurface_lint.source.typescript import ScriptTree, literals

    root = parse_syntax(source, grammar_of(source.path))
    if root is None:
        return []
    offsets = ByteOffsets(source)
    texts: dict[str, Any] = {}
    spans: dict[str, Spans] = {}
    for statement in root.children:
        declaration = statement.get("declaration") or statement
        for declarator in declaration.all("variable_declarator"):
            name, value = declarator.get("name"), declarator.get("value")
            if name is None or value is None or not _NAMED_LIKE_PROMPT.fullmatch(offsets.text(name)):
                continue
            while value.kind in ("call_expression", "member_expression", "as_expression", "satisfies_expression"):
                # `dedent`...``, `"...".trim()`
                inside = value.get("arguments") if value.kind == "call_expression" else None
                tagged = inside is not None and inside.kind == "template_string"
                value = inside if tagged and inside is not None else value.children[0]
            if value.kind in ("string", "template_string"):
                written = offsets.text(value)
                texts[offsets.text(name)] = next(iter(literals(written)), ("", []))[0]
                spans[offsets.text(name)] = Spans(*offsets.span(value))
    tree = ScriptTree(source, texts, Spans(0, len(source.text), spans))
    return [read_prompt(tree, (name,), name) for name in texts]


def python_prompts(source: SourceText, module: ast.Module | None = None) -> list[Prompt]:
    """The module-level string constants of a Python file that are named like prompts (`SYSTEM_PROMPT`, `*_INSTRUCTIONS`).

    `module` is the parsed file, if somebody has it; a file that is not Python has no prompts. f-strings have a gap for each
    field; other texts put together at run time are left out.
    """
    if not may_hold_prompts(source.text):
        return []
    import ast

    from toolsurface_lint.source.fstrings import written_text
    from toolsurface_lint.source.program_tree import Offsets
    from toolsurface_lint.source.python import PythonTree, parse_python

    if module is None:
        module = parse_python(source)[0]
    if module is None:
        return []
    offsets = Offsets(source)
    texts: dict[str, Any] = {}
    spans: dict[str, Spans] = {}
    for statement in module.body:
        if not isinstance(statement, ast.Assign | ast.AnnAssign):
            continue
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        name = next((target.id for target in targets if isinstance(target, ast.Name)), "")
        literal = _literal(statement.value) if _NAMED_LIKE_PROMPT.fullmatch(name) else None
        if literal is not None:
            texts[name] = written_text(literal) if isinstance(literal, ast.JoinedStr) else literal.value
            spans[name] = Spans(*offsets.span(literal))
    tree = PythonTree(source, texts, Spans(0, len(source.text), spans))
    return [read_prompt(tree, (name,), name) for name in texts]


def _literal(value: ast.expr | None) -> ast.Constant | ast.JoinedStr | None:
    """The string literal or f-string of an expression, which functions may clean: `dedent(\"\"\"...\"\"\").strip()`."""
    import ast

    while isinstance(value, ast.Call):
        function = value.func
        name = getattr(function, "attr", getattr(function, "id", None))
        if name not in _CLEANING:
            return None
        if isinstance(function, ast.Attribute) and not isinstance(function.value, ast.Name):
            value = function.value
        elif len(value.args) == 1:
            value = value.args[0]
        else:
            return None
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return value
    return value if isinstance(value, ast.JoinedStr) else None
