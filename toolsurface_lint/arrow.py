"""Conversations in the columns of Arrow: one function for every engine that hands over batches.

    import ray
    from toolsurface_lint import arrow

    ray.data.read_parquet("runs/").map_batches(lambda batch: batch.append_column("findings", arrow.lint(batch)),
                                               batch_format="pyarrow")

`datasets.map`, `mapInArrow` of Spark, DuckDB and Polars hand over the same batches. Needs `pyarrow`, which comes with the
extra `dataset`.
"""

from __future__ import annotations

import re
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from toolsurface_lint.protocols.outputs.protocol import HINTS
from toolsurface_lint.run.rows import Linter, RowFinding, read_row

FINDINGS = pa.list_(
    pa.struct(
        [
            ("code", pa.string()),
            ("severity", pa.string()),
            ("pointer", pa.string()),
            ("message", pa.string()),
            ("tool", pa.string()),
            ("call", pa.int32()),
        ]
    )
)
"""The findings of a row: `RowFinding` as Arrow writes it."""


def lint(
    batch: pa.RecordBatch | pa.Table, messages: str = "messages", tools: str = "tools", *, linter: Linter | None = None
) -> pa.Array:
    """The findings of each row of a batch: an array of `FINDINGS`, as long as the batch, without nulls.

    `messages` and `tools` are the names of columns: JSON text, or lists of structs, of which members that are null are
    absent. Where the batch does not have both of the usual names, its rows are read by the layout of all their columns, as
    `Linter.rows` does. Rows in which a look at the columns shows that nothing can be wrong are not copied to Python. Raises
    `KeyError` if another name is not that of a column.
    """
    linter = linter or Linter()
    columns = _columns(batch, messages, tools)
    found: list[list[RowFinding]] = [[]] * batch.num_rows
    waiting = range(batch.num_rows)
    if messages in columns and set(columns) <= {messages, tools} and linter.passes_plain_chats:
        plain = _plain(columns[messages])
        waiting = pc.indices_nonzero(pc.invert(plain)).to_pylist()
        if tools in columns:
            _lint_tools(columns[tools], plain, linter, found, tools)
    named = None if (messages, tools) == _USUAL else {"messages": messages, "tools": tools}
    for index in waiting:
        row = {name: column[index].as_py() for name, column in columns.items()}
        found[index] = read_row(linter, row, named).findings
    return pa.array([[_written(finding) for finding in each] for each in found], FINDINGS)


def _written(finding: RowFinding) -> dict[str, Any]:
    """A finding as Arrow takes it: half a surrogate pair, which JSON text may spell, is not in any encoding."""
    return {
        name: value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
        for name, value in finding._asdict().items()
    }


def _lint_tools(tools: pa.Array, plain: pa.Array, linter: Linter, found: list[list[RowFinding]], name: str) -> None:
    """Put what is wrong with the tools of conversations that are plain into `found`; the same tools are read once."""
    indexes = pc.indices_nonzero(pc.and_(plain, pc.is_valid(tools)))
    chosen = tools.take(indexes)
    known: dict[Any, list[RowFinding]] = {}
    for index, value in zip(indexes.to_pylist(), chosen, strict=True):
        if value not in known:
            row = {"messages": _NOTHING_CALLED, name: value.as_py()}
            known[value] = read_row(linter, row, {"messages": "messages", "tools": name}).findings
        found[index] = known[value]


_USUAL = "messages", "tools"
_NOTHING_CALLED = [{"role": "user", "content": ""}]


def _columns(batch: pa.RecordBatch | pa.Table, messages: str, tools: str) -> dict[str, pa.Array]:
    """The columns that make a row."""
    names = batch.schema.names
    chosen = [messages, tools]
    missing = [name for name in chosen if name not in names]
    if missing and (messages, tools) != _USUAL:
        raise KeyError(missing[0])
    return {name: _whole(batch.column(name)) for name in (names if missing else chosen)}


def _whole(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
        if isinstance(column, pa.ChunkedArray):
            column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


# The quick look: it only ever passes over rows that have no finding; `tests/transcripts/test_arrow.py` holds it to that.

_TEXT = r'"(?:[^"\\]|\\[^u]|\\u[^0fF]|\\u0[^0]|\\u00[^2-7])*"'
_MEMBERS = rf'"role"\s*:\s*"(?:system|user|assistant)"\s*,\s*"content"\s*:\s*{_TEXT}'
_SWAPPED = rf'"content"\s*:\s*{_TEXT}\s*,\s*"role"\s*:\s*"(?:system|user|assistant)"'
_MESSAGE = rf"\{{\s*(?:{_MEMBERS}|{_SWAPPED})\s*\}}"
_PLAIN = rf"^\s*\[\s*{_MESSAGE}(?:\s*,\s*{_MESSAGE})*\s*\]\s*$"
"""A list of messages that only speak, in which no character of ASCII is written as `\\uXXXX`."""
_CALLS = "|".join(re.escape(hint) for hint in (*HINTS, "CALL]]", "<", "`"))
"""What a text has in which a call, or a delimiter in its wire form, may be."""
_ROLES = pa.array(["system", "user", "assistant"])


def _plain(messages: pa.Array) -> pa.Array:
    """Which conversations only speak."""
    return _plain_texts(messages) if _is_text(messages.type) else _plain_lists(messages)


def _is_text(type: pa.DataType) -> bool:
    return bool(pa.types.is_string(type) or pa.types.is_large_string(type))


def _plain_texts(texts: pa.Array) -> pa.Array:
    plain = pc.and_(pc.match_substring_regex(texts, _PLAIN), pc.invert(pc.match_substring_regex(texts, _CALLS)))
    return pc.fill_null(plain, False)


def _plain_lists(lists: pa.Array) -> pa.Array:
    """Which lists of structs are of messages that only speak."""
    nothing = pa.array([False] * len(lists))
    if not (pa.types.is_list(lists.type) or pa.types.is_large_list(lists.type)):
        return nothing
    members = lists.type.value_type
    if not pa.types.is_struct(members):
        return nothing
    fields = {members.field(index).name: members.field(index).type for index in range(members.num_fields)}
    if len(fields) != members.num_fields or not {"role", "content"} <= set(fields):
        return nothing
    if not (_is_text(fields["role"]) and _is_text(fields["content"])):
        return nothing
    if lists.null_count:
        # A null may stand over items, which are in `list_parent_indices` and not in `flatten`.
        lists = lists.take(pa.array(range(len(lists))))
    items = lists.flatten()
    speaks = pc.and_(
        pc.is_in(pc.struct_field(items, "role").cast(pa.string()), _ROLES),
        pc.invert(pc.match_substring_regex(pc.struct_field(items, "content"), _CALLS)),
    )
    for name in fields:
        if name not in ("role", "content"):
            speaks = pc.and_(speaks, pc.is_null(pc.struct_field(items, name)))
    speaks = pc.fill_null(pc.and_(speaks, pc.is_valid(items)), False)
    parents = pc.list_parent_indices(lists)
    others = pc.unique(parents.filter(pc.invert(speaks)))
    indexes = pa.array(range(len(lists)), parents.type)
    speaking = pc.and_(pc.is_in(indexes, pc.unique(parents)), pc.invert(pc.is_in(indexes, others)))
    return pc.fill_null(speaking, False)
