"""What an MCP server gave against what its tool declares, and errors that say nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolsurface_lint.checks._schema_words import PREDICATES, spelled, spelled_path
from toolsurface_lint.checks.contract import RESULT, check
from toolsurface_lint.model.diagnostics import ERROR, INFO, WARNING, Finding, Rule
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.transcript import Call, Result
from toolsurface_lint.schemas.results import output_validator
from toolsurface_lint.source.tree import Node, Place

BREAKS_OUTPUT_SCHEMA = Rule(
    code="RESULT_BREAKS_OUTPUT_SCHEMA",
    since="0.1.0",
    severity=ERROR,
    summary="The structured content of a result breaks the output schema of its tool.",
    message={
        **{
            kind: f"the result of `{{name}}` breaks its output schema: {{where}} {text}"
            for kind, text in PREDICATES.items()
        },
        "required": "the result of `{name}` breaks its output schema: {where} is missing",
        "additionalProperties": "the result of `{name}` breaks its output schema: {where} is not declared",
        "failed": "the failed result of `{name}` has structured content that breaks its output schema",
    },
    help={"failed": "leave `structuredContent` out: clients report that it breaks the schema, and hide the error"},
    tags=("transcripts", "results"),
)

STRUCTURED_CONTENT_MISSING = Rule(
    code="RESULT_STRUCTURED_CONTENT_MISSING",
    since="0.1.0",
    severity=ERROR,
    summary="A result has no structured content, and its tool declares an output schema.",
    message="the result of `{name}` has no `structuredContent`, which its `outputSchema` promises",
    help="give `structuredContent`, or leave `outputSchema` out",
    tags=("transcripts", "results"),
)

STRUCTURED_CONTENT_UNDECLARED = Rule(
    code="RESULT_STRUCTURED_CONTENT_UNDECLARED",
    since="0.1.0",
    severity=INFO,
    summary="A result has structured content, and its tool declares no output schema.",
    message="the result of `{name}` has `structuredContent`, and the tool declares no `outputSchema`",
    tags=("transcripts", "results"),
    preview=True,
)

ERROR_WITHOUT_TEXT = Rule(
    code="RESULT_ERROR_WITHOUT_TEXT",
    since="0.1.0",
    severity=WARNING,
    summary="A result says that the call failed, and has no text that says why.",
    message="the failed result of `{name}` has no text that says what went wrong",
    tags=("transcripts", "results"),
)

_STRUCTURED = "structuredContent"


@check(RESULT, BREAKS_OUTPUT_SCHEMA, STRUCTURED_CONTENT_MISSING, STRUCTURED_CONTENT_UNDECLARED, ERROR_WITHOUT_TEXT)
def check_result(call: Call, result: Result, tool: Tool, surface: Surface) -> Iterator[Finding]:
    served = result.served
    if served is None:
        return
    if result.failed and not _says_why(served.value.get("content")):
        node = served.get("content")
        yield ERROR_WITHOUT_TEXT.at(served.place if node is None else node.place, tool=tool.name)
    structured = served.get(_STRUCTURED)
    if structured is None or structured.value is None:
        if tool.output_path is not None and not result.failed and "toolResult" not in served.value:
            related = [("the schema", Place(tool.tree, tool.output_path))]
            yield STRUCTURED_CONTENT_MISSING.at(result.place, tool=tool.name, related=related)
    elif tool.output_path is not None:
        problems = _breaks(structured, tool, surface)
        if not result.failed:
            yield from problems
        elif any(True for _ in problems):
            related = [("the schema", Place(tool.tree, tool.output_path))]
            place = structured.key_place
            yield BREAKS_OUTPUT_SCHEMA.at(place, "failed", tool=tool.name, field=_STRUCTURED, related=related)
    elif tool.format == "mcp":
        # What a program declares, its framework may derive from its type hints.
        yield STRUCTURED_CONTENT_UNDECLARED.at(structured.key_place, tool=tool.name)


def _says_why(content: Any) -> bool:
    if isinstance(content, str):
        return not content.isspace() and content != ""
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict):
            resource = block.get("resource")
            text = resource.get("text") if isinstance(resource, dict) else block.get("text")
            if isinstance(text, str) and text and not text.isspace():
                return True
    return False


def _breaks(structured: Node, tool: Tool, surface: Surface) -> Iterator[Finding]:
    validator = output_validator(tool, surface)
    for problem in validator.errors(structured.value) if validator is not None else ():
        node = structured.tree.at(structured.path + problem.at)
        subject = problem.values.get("property") if problem.kind in ("required", "additionalProperties") else None
        where = spelled_path(problem.at if subject is None else (*problem.at, str(subject)))
        member = node.get(str(subject)) if problem.kind == "additionalProperties" else None
        output = tool.output_path or ()
        yield BREAKS_OUTPUT_SCHEMA.of(
            spelled(problem),
            node.place if member is None else member.key_place,
            tool=tool.name,
            field=".".join(map(str, (_STRUCTURED, *problem.at))),
            related=[("the schema", Place(tool.tree, output + keyword)) for _, keyword in problem.related],
            name=tool.name,
            where=f"`{where}`" if where else "the structured content",
        )
