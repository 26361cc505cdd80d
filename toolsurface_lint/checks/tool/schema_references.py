"""References that lead nowhere inside their schema."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolsurface_lint.checks.contract import DEFINITION, check
from toolsurface_lint.checks.tool._tool_schema import ToolSchema, field_of, schema_of
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, Finding, Rule, renaming
from toolsurface_lint.model.names import CloseNames, suggestion
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.schemas.references import leaves_document, resolve
from toolsurface_lint.schemas.walk import Subschema

UNRESOLVED_REF = Rule(
    code="TOOL_SCHEMA_UNRESOLVED_REF",
    since="0.1.0",
    severity=ERROR,
    summary="A reference leads nowhere inside the schema.",
    message={
        "outside": "`{reference}` leads out of the document",
        "nowhere": "`{reference}` leads nowhere in the schema",
    },
    tags=("tools", "schemas"),
    fix=UNSAFE,
)


@check(DEFINITION, UNRESOLVED_REF)
def check_definition(tool: Tool, target: Target) -> Iterator[Finding]:
    schema = schema_of(tool)
    if schema is not None:
        for part in schema.having("$ref"):
            yield from _reference(schema, part)


def _reference(schema: ToolSchema, part: Subschema) -> Iterator[Finding]:
    reference = part.schema["$ref"]
    if not isinstance(reference, str) or resolve(schema.value, reference) is not None:
        return
    # Some hosts put a file's shared definitions into each schema before they send it.
    if reference.startswith("#/") and resolve(schema.tool.tree.value, reference) is not None:
        return
    outside = leaves_document(reference)
    kind = "outside" if outside else "nowhere"
    place = schema.place((*part.path, "$ref"))
    near = _definitions_near(schema, reference)
    yield UNRESOLVED_REF.at(
        place,
        kind,
        tool=schema.tool.name,
        field=field_of(part),
        help="put the definition into `$defs` of the schema: nobody fetches it" if outside else suggestion(near),
        fix=renaming(place, reference, near),
        reference=reference,
    )


def _definitions_near(schema: ToolSchema, reference: str) -> list[str]:
    """References to the definitions of a schema that one which leads nowhere may be meant for.

    Those of the same name in another place (`definitions` for `$defs`), else those of a close name.
    """
    found = _DEFINITION.fullmatch(reference)
    if found is None or not isinstance(schema.value, dict):
        return []
    if schema.definitions is None:
        held: dict[str, list[str]] = {}
        for key in ("$defs", "definitions"):
            for name in schema.value[key] if isinstance(schema.value.get(key), dict) else ():
                if _PLAIN_NAME.fullmatch(name):
                    held.setdefault(name, []).append(f"#/{key}/{name}")
        schema.definitions = held, CloseNames(held)
    held, close = schema.definitions
    names = {found[1]} & held.keys() or close.find(found[1])
    return sorted(
        (written for name in names for written in held[name]), key=lambda written: written.split("/")[1] != "$defs"
    )


_PLAIN_NAME = re.compile(r"[\w.-]+")


_DEFINITION = re.compile(rf"#/(?:\$defs/|definitions/|components/schemas/)?({_PLAIN_NAME.pattern})")
