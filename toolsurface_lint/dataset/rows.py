"""The rows of one piece of a dataset, a bounded number at a time, and the files into which rows are sorted.

However large a file, a row group or a page of it says that it is: what is held at once are the rows of one batch. What a
file makes of more memory than a worker may have ends in an error of the reader, which is counted.
"""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import IO, Any, NamedTuple

from toolsurface_lint.dataset.pieces import ARROW, PARQUET, Piece, is_remote
from toolsurface_lint.dataset.remote import open_remote
from toolsurface_lint.source.files import MAX_FILE_SIZE, open_file
from toolsurface_lint.source.json_values import read_value

MAX_ROW = MAX_FILE_SIZE
"""Bytes of a row: one with more is counted and not read."""
_BATCH_BYTES = 16 * 1024 * 1024
_BATCH_ROWS = 1000


class Bad(NamedTuple):
    """In place of a row that was not read: why."""

    reason: str


class Batch(NamedTuple):
    """Some rows: the number of each, from 1; its value, or why it has none; and the same rows as they were stored."""

    numbers: Sequence[int]
    values: list[Any]
    stored: Any


class Lost(NamedTuple):
    """Rows that were not read, from a row on; `rows` is how many, 0 if that is not known."""

    row: int
    rows: int
    reason: str


class End(NamedTuple):
    """How many rows, or lines, a piece has: the number of its last one."""

    row: int


Part = Batch | Lost | End


def read_rows(piece: Piece) -> Iterator[Part]:
    """The rows of a piece, in order. Raises whatever its file makes the reader raise."""
    if piece.form == PARQUET:
        return _parquet(piece)
    return _arrow(piece) if piece.form == ARROW else _lines(piece)


@contextmanager
def _opened(piece: Piece) -> Iterator[IO[bytes]]:
    if is_remote(piece.path):
        with open_remote(piece.path) as file:
            yield file
    else:
        with open_file(piece.path) as file:
            yield file


@contextmanager
def opened_parquet(piece: Piece) -> Iterator[Any]:
    """The Parquet file of a piece."""
    import pyarrow.parquet as pq

    with _opened(piece) as file, pq.ParquetFile(file, pre_buffer=False, buffer_size=1 << 20) as opened:
        yield opened


def _parquet(piece: Piece) -> Iterator[Part]:
    with opened_parquet(piece) as file:
        metadata = file.metadata
        end = piece.end or metadata.num_row_groups
        first = 1 + sum(metadata.row_group(index).num_rows for index in range(piece.start))
        for group in range(piece.start, end):
            rows = metadata.row_group(group).num_rows
            width = metadata.row_group(group).total_byte_size // max(1, rows)
            batch_rows = max(1, min(_BATCH_ROWS, _BATCH_BYTES // max(1, width)))
            done = 0
            try:
                for batch in file.iter_batches(batch_rows, row_groups=[group], use_threads=False):
                    yield _columns(batch, first + done)
                    done += batch.num_rows
            except (OSError, ValueError, MemoryError, NotImplementedError) as error:
                # The file goes on behind a row group that is broken.
                yield Lost(first + done, max(0, rows - done), said(error))
            else:
                if done < rows:
                    yield Lost(first + done, rows - done, "the file ends before")
            first += rows


def _arrow(piece: Piece) -> Iterator[Part]:
    import pyarrow as pa

    with _opened(piece) as file:
        try:
            reader = pa.ipc.open_file(file)
            batches: Any = (reader.get_batch(index) for index in range(reader.num_record_batches))
        except pa.ArrowInvalid:
            # `datasets` writes streams into files of the same name.
            file.seek(0)
            batches = pa.ipc.open_stream(file)
        first = 1
        for batch in batches:
            width = batch.nbytes // max(1, batch.num_rows)
            step = max(1, min(_BATCH_ROWS, _BATCH_BYTES // max(1, width)))
            for start in range(0, batch.num_rows, step):
                part = batch.slice(start, step)
                yield _columns(part, first + start)
            first += batch.num_rows


def said(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "it takes more memory than a worker has"
    text = str(error).strip().split("\n")[0] or type(error).__name__
    return text[:200]


def _columns(batch: Any, first: int) -> Batch:
    numbers = range(first, first + batch.num_rows)
    values: list[Any]
    read = _with_plain_times(batch)
    if batch.nbytes > MAX_ROW or batch.num_rows == 1:
        values = [_single(read.slice(index, 1)) for index in range(batch.num_rows)]
    else:
        try:
            values = read.to_pylist()
        except Exception:
            # A text that is not UTF-8: the other rows have none.
            values = [_single(read.slice(index, 1)) for index in range(batch.num_rows)]
    return Batch(numbers, values, batch)


def _with_plain_times(batch: Any) -> Any:
    """The batch with its columns of times as numbers: Python has no nanoseconds, nor years of five digits."""
    import pyarrow as pa

    schema = batch.schema
    for index, field in enumerate(schema):
        if pa.types.is_temporal(field.type) and not pa.types.is_interval(field.type):
            plain = pa.int32() if field.type.bit_width == 32 else pa.int64()
            batch = batch.set_column(index, field.name, batch.column(index).view(plain))
    return batch


def _single(row: Any) -> Any:
    if row.nbytes > MAX_ROW:
        return Bad(f"it has more than {MAX_ROW // 2**20} MiB")
    try:
        return row.to_pylist()[0]
    except Exception as error:
        return Bad(said(error))


def _lines(piece: Piece) -> Iterator[Part]:
    with ExitStack() as stack:
        file: Any = stack.enter_context(_opened(piece))
        if piece.compression == "gz":
            file = stack.enter_context(gzip.GzipFile(fileobj=file))
        elif piece.compression == "zst":
            file = io.BufferedReader(stack.enter_context(_zstandard(file)), 1 << 20)
        else:
            file.seek(piece.start)
        left = piece.end - piece.start if piece.end else None
        number, held = 0, 0
        numbers: list[int] = []
        values: list[Any] = []
        stored: list[bytes] = []
        lines = _each_line(file)
        broken: Exception | None = None
        while left is None or left > 0:
            try:
                line, is_whole, length = next(lines)
            except StopIteration:
                break
            except Exception as error:
                # The lines before are good: they are in their place, and this comes behind them.
                broken = error
                break
            number += 1
            if number == 1 and not piece.start:
                line = line.removeprefix(b"\xef\xbb\xbf")
            if line.strip() or not is_whole:
                numbers.append(number)
                values.append(_value(line) if is_whole else Bad(f"it has more than {MAX_ROW // 2**20} MiB"))
                stored.append(line if is_whole else b"")
                held += len(line)
            if held > _BATCH_BYTES or len(numbers) >= _BATCH_ROWS:
                yield Batch(numbers, values, stored)
                numbers, values, stored, held = [], [], [], 0
            if left is not None:
                left -= length
        if numbers:
            yield Batch(numbers, values, stored)
        if broken is not None:
            raise broken
        yield End(number)


def count_lines(piece: Piece) -> int:
    """How many lines of its file come before a piece of uncompressed lines."""
    number, left = 0, piece.start
    with _opened(piece) as file:
        while left > 0 and (data := file.read(min(left, 1 << 20))):
            number += data.count(b"\n")
            left -= len(data)
    return number


def _zstandard(file: Any) -> Any:
    import pyarrow as pa

    return pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd")


def _each_line(file: IO[bytes]) -> Iterator[tuple[bytes, bool, int]]:
    """Each line; whether that is all of it, of one that is too long only the beginning; and how many bytes it has."""
    while line := file.readline(MAX_ROW + 1):
        length = len(line)
        is_whole = line.endswith(b"\n") or length <= MAX_ROW
        rest = line
        while not is_whole and rest and not rest.endswith(b"\n"):
            rest = file.readline(1 << 20)
            length += len(rest)
        yield (line if is_whole else line[:1000]), is_whole, length


def _value(line: bytes) -> Any:
    try:
        value = read_value(line.decode("utf-8"))
    except UnicodeDecodeError:
        return Bad("it is not UTF-8")
    if value is None and line.strip() != b"null":
        return Bad("it is not JSON")
    return value


class Sorted:
    """A file of some of the rows of a piece, written as they come, in the form in which they were stored, lines uncompressed."""

    def __init__(self, path: str, piece: Piece) -> None:
        self._path = path
        self._piece = piece
        self._writer: Any = None
        self._file: Any = None
        self.rows = 0

    def add(self, batch: Batch, indexes: Sequence[int]) -> None:
        """Write the rows at these indexes of a batch."""
        if self._piece.form not in (PARQUET, ARROW):
            self._add_lines([batch.stored[index] for index in indexes])
        else:
            import pyarrow as pa

            if self._writer is None:
                self._writer = _writer(self._path, self._piece.form, batch.stored.schema)
            chosen = (
                batch.stored
                if len(indexes) == batch.stored.num_rows
                else batch.stored.take(pa.array(indexes, pa.int64()))
            )
            self._writer.write_batch(chosen)
        self.rows += len(indexes)

    def _add_lines(self, lines: Sequence[bytes]) -> None:
        if self._file is None:
            self._file = _open_lines(self._path, "")
        _write_lines(self._file, lines)

    def close(self) -> None:
        """Finish the file; where nothing was added, there is none."""
        for each in (self._writer, self._file):
            if each is not None:
                each.close()


def _writer(path: str, form: str, schema: Any) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    return pq.ParquetWriter(path, schema, compression="zstd") if form == PARQUET else pa.ipc.new_file(path, schema)


def _open_lines(path: str, compression: str) -> Any:
    """A new file of lines, compressed as its name says."""
    if compression == "gz":
        return gzip.open(path, "wb", compresslevel=6)
    if compression == "zst":
        import pyarrow as pa

        return pa.CompressedOutputStream(path, "zstd")
    return open(path, "wb")


def _write_lines(file: Any, lines: Sequence[bytes]) -> None:
    for line in lines:
        if line:
            file.write(line if line.endswith(b"\n") else line + b"\n")


def joined(paths: Sequence[str], target: str, form: str, compression: str) -> None:
    """Put files of `Sorted` rows together into one, in order, a batch at a time. Raises `ValueError` if they do not fit."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if form not in (PARQUET, ARROW):
        with _open_lines(target, compression) as file:
            for path in paths:
                piece = Piece(path, path, form, "", os.path.getsize(path), "", "")
                for batch in _lines(piece):
                    if isinstance(batch, Batch):
                        _write_lines(file, batch.stored)
        return
    writer: Any = None
    try:
        for path in paths:
            if form == PARQUET:
                source: Any = pq.ParquetFile(path)
                schema, batches = source.schema_arrow, source.iter_batches(_BATCH_ROWS)
            else:
                source = pa.ipc.open_file(path)
                schema, batches = source.schema, map(source.get_batch, range(source.num_record_batches))
            if writer is None:
                first, writer = schema, _writer(target, form, schema)
            if not schema.equals(first):
                raise ValueError("its files have different columns: name a folder in its place")
            for batch in batches:
                writer.write_batch(batch)
    finally:
        if writer is not None:
            writer.close()
