"""References that lead nowhere inside their schema."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from toolsurface_lint.checks.contract import OUTPUT_SCHEMA, SCHEMA, check
from toolsurface_lint.checks.tool._tool_schema import ToolSchema
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, Finding, Rule, renaming
from toolsurface_lint.model.names import CloseNames, suggestion
from toolsurface_lint.model.target import Target
from toolsurface_lint.schemas.references import leaves_document, resolve
from toolsurface_lint.source.shared import look_around

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


_PLAIN_NAME = re.compile(r"[\w.-]+")
_DEFINITION = re.compile(rf"#/(?:\$defs/|definitions/|components/schemas/)?({_PLAIN_NAME.pattern})")


@check(SCHEMA, UNRESOLVED_REF)
@check(OUTPUT_SCHEMA, UNRESOLVED_REF)
def check_references(schema: ToolSchema, target: Target) -> Iterator[Finding]:
    broken = [part for part in schema.having("$ref") if _leads_nowhere(schema, part.schema["$ref"])]
    definitions = _definitions(schema.value) if broken else {}
    close = CloseNames(definitions)
    for part in broken:
        reference = part.schema["$ref"]
        outside = leaves_document(reference)
        # Those of the same name in another place (`definitions` for `$defs`), else those of a close name.
        meant = _DEFINITION.fullmatch(reference)
        names = () if meant is None else {meant[1]} & definitions.keys() or close.find(meant[1])
        near = sorted(
            (one for name in names for one in definitions[name]), key=lambda one: one.split("/")[1] != "$defs"
        )
        yield schema.finding(
            UNRESOLVED_REF,
            part,
            ("$ref",),
            "outside" if outside else "nowhere",
            help="put the definition into `$defs` of the schema: nobody fetches it" if outside else suggestion(near),
            fix=renaming(schema.place((*part.path, "$ref")), reference, near),
            reference=reference,
        )


def _leads_nowhere(schema: ToolSchema, reference: Any) -> bool:
    if not isinstance(reference, str):
        return False
    target = resolve(schema.value, reference)
    if target is not None:
        # A step short of a schema, as in `#/$defs/A/anyOf`; what is there and wrong is reported where it is.
        return isinstance(target.value, list)
    # Some hosts put a file's shared definitions into each schema before they send it.
    look_around()
    return not reference.startswith("#/") or resolve(schema.tool.tree.value, reference) is None


def _definitions(schema: dict[str, Any]) -> dict[str, list[str]]:
    """References to the shared definitions of a schema, by their names."""
    found: dict[str, list[str]] = {}
    for key in ("$defs", "definitions"):
        for name in schema[key] if isinstance(schema.get(key), dict) else ():
            if _PLAIN_NAME.fullmatch(name):
                found.setdefault(name, []).append(f"#/{key}/{name}")
    return found
