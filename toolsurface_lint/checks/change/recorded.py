"""Recorded calls that were right by the old version of a surface, and are not by the new one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolsurface_lint.checks._schema_words import PREDICATES, spelled, spelled_path
from toolsurface_lint.checks.change import SCHEMA
from toolsurface_lint.checks.contract import CALL, check
from toolsurface_lint.model.diagnostics import ERROR, Finding, Rule
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.transcript import UNREADABLE, Call
from toolsurface_lint.schemas.arguments import argument_schema, meant_tool

BREAKS = Rule(
    code="CHANGE_BREAKS_RECORDED_CALL",
    since="0.1.0",
    severity=ERROR,
    summary="A recorded call was valid before the change, and no longer is.",
    message={
        "removed": "this call of `{name}` was valid before the change, but the tool was removed",
        "renamed": "this call of `{name}` was valid before the change, but the tool is now called `{new}`",
        **{
            kind: f"this call of `{{name}}` was valid before the change, but now {{where}} {text}"
            for kind, text in PREDICATES.items()
        },
        "required": "this call of `{name}` was valid before the change, but now {where} is missing",
        "additionalProperties": "this call of `{name}` was valid before the change, but {where} is no longer declared",
    },
    tags=("changes", "calls"),
)


@check(CALL, BREAKS)
def check_call(call: Call, tool: Tool | None, surface: Surface) -> Iterable[Finding]:
    earlier = surface.earlier
    if earlier is None or call.value is UNREADABLE:
        return ()
    was = meant_tool(call, earlier)
    before = None if was is None else argument_schema(was, earlier)
    if was is None or (before is not None and before.errors(call.value)):
        return ()
    return _broken(call, tool, surface, earlier.renamed.get(was.name))


def _broken(call: Call, tool: Tool | None, surface: Surface, renamed: str | None) -> Iterator[Finding]:
    if tool is None:
        kind = "removed" if renamed is None else "renamed"
        yield BREAKS.at(call.place, kind, tool=call.name, name=call.name, new=renamed)
        return
    schema = argument_schema(tool, surface)
    root = call.arguments_node
    for problem in () if schema is None else schema.errors(call.value):
        assert schema is not None
        path = schema.written(problem.at, root.value)
        subject = problem.values.get("property") if problem.kind in ("required", "additionalProperties") else None
        where = spelled_path(path if subject is None else (*path, str(subject)))
        node = root.tree.at(root.path + path)
        member = node.get(str(subject)) if problem.kind == "additionalProperties" else None
        yield BREAKS.of(
            spelled(problem),
            node.place if member is None else member.key_place,
            tool=tool.name,
            field=where or None,
            related=[(SCHEMA, schema.place(keyword)) for _, keyword in problem.related],
            name=call.name,
            where=f"`{where}`" if where else "the arguments",
        )
