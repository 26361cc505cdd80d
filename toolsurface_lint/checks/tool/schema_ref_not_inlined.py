"""References that those the tools are sent to do not follow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolsurface_lint.checks.contract import SCHEMA, check
from toolsurface_lint.checks.tool._recipients import listed, sourced
from toolsurface_lint.checks.tool._tool_schema import ToolSchema, parameter_of
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.schemas.references import at_pointer
from toolsurface_lint.schemas.walk import ITEM, Subschema

REF_NOT_INLINED = Rule(
    code="TOOL_SCHEMA_REF_NOT_INLINED",
    since="0.1.0",
    severity=WARNING,
    summary="A schema refers to a definition that does not reach the model.",
    message={
        "parameter": "`{reference}` is not resolved by {clients}: the model does not see what `{name}` accepts",
        "schema": "`{reference}` is not resolved by {clients}: the model does not see the parameters",
    },
    tags=("tools", "schemas", "providers"),
)

_INLINE = "write the definition in place of the reference, as FastMCP does since 2.14.4"
_UNROLL = "end the recursion at a fixed depth: a schema that contains itself has no form without references"


@check(SCHEMA, REF_NOT_INLINED)
def check_references(schema: ToolSchema, target: Target) -> Iterator[Finding]:
    if not target.providers:
        return
    from toolsurface_lint.knowledge.provider_losses import losses_of

    references = schema.having("$ref")
    recipients = target.recipients(schema.tool.shape) if references else ()
    losses = [(provider, loss) for provider in recipients for loss in losses_of(provider)]
    for part in references if losses else ():
        reference = part.schema["$ref"]
        # Definitions are reached by a reference from outside of them, which comes first.
        if part.path[:1] in (("$defs",), ("definitions",)) or _target(schema.value, reference) is None:
            continue
        holder = reference.split("/", 2)[1:2]
        below_items = _is_below_items(part)
        lost = [
            (provider.title, loss.source)
            for provider, loss in losses
            if "$ref" in loss.keywords or not loss.keywords.isdisjoint(holder)
            if not (loss.items_kept and below_items)
        ]
        if lost:
            advice = _UNROLL if _is_recursive(schema.value, part.schema) else _INLINE
            name = parameter_of(part)
            yield schema.finding(
                REF_NOT_INLINED,
                part,
                ("$ref",),
                "parameter" if name else "schema",
                help=f"{advice}; {sourced(lost)}",
                reference=reference,
                name=name,
                clients=listed([title for title, _ in lost]),
            )
            return


def _target(root: Any, reference: Any) -> Any:
    """What a reference of the usual form leads to in a schema: `#/$defs/Size`, `#`; None for any other."""
    if reference == "#":
        return root
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return None
    found = at_pointer(root, reference[1:])
    return None if found is None else found.value


def _is_below_items(part: Subschema) -> bool:
    current: Subschema | None = part
    while current is not None:
        if current.role == ITEM:
            return True
        current = current.parent
    return False


def _is_recursive(root: Any, start: Any) -> bool:
    """Whether whoever follows the references from a part of a schema comes back to where they have been."""
    done: set[int] = set()
    entered: set[int] = set()
    # Everything is left again after all that it holds.
    pending: list[tuple[Any, bool]] = [(start, False)]
    while pending:
        value, leaving = pending.pop()
        if leaving:
            entered.discard(id(value))
            done.add(id(value))
        elif id(value) in entered:
            return True
        elif isinstance(value, dict | list) and id(value) not in done:
            entered.add(id(value))
            pending.append((value, True))
            if isinstance(value, dict):
                pending.append((_target(root, value.get("$ref")), False))
                pending.extend((member, False) for member in value.values())
            else:
                pending.extend((member, False) for member in value)
    return False
