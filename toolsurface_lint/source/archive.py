"""Zip archives that strangers have written: their members one at a time, in memory, within bounds, and never unpacked.

The standard library reads the list of members, and what it can decompress. Zstandard, which it cannot read before Python
3.14, is read by the package `zstandard` where that is installed.
"""

from __future__ import annotations

import io
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO

from toolsurface_lint.source.files import open_file
from toolsurface_lint.source.text import Unreadable

MAGIC = b"PK\x03\x04"
MOST_LISTED = 8 * 1024 * 1024
"""Bytes of the list of members, with room for about 100,000."""
MOST_EXPANDED = 250
"""How many times larger a member may be than what it is compressed to; logs of agents reach 60."""
_FREE = 1024 * 1024
"""Bytes for which no ratio is asked."""
_ZSTANDARD = 93
_BOUNDED = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
"""Methods of which the standard library decompresses as much as was asked for; of others all that some kilobytes hold."""
_NAMES = {zipfile.ZIP_BZIP2: "bzip2", zipfile.ZIP_LZMA: "LZMA"}
_WINDOW = 27
"""Of Zstandard, as the exponent of two: 128 MB."""
_ENCRYPTED = 1
_HEADER = 30
_FAILURES = (zipfile.BadZipFile, OSError, ValueError, RuntimeError, struct.error, EOFError, zlib.error, OverflowError)


class _Bounded(io.RawIOBase):
    """A file of which no more than `MOST_LISTED` bytes are read at once."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__()
        self._file = file

    def read(self, size: int = -1) -> bytes:
        if size > MOST_LISTED:
            raise zipfile.BadZipFile(f"its list of members has more than {MOST_LISTED:,} bytes")
        return self._file.read(size if size >= 0 else MOST_LISTED)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        return True

    def close(self) -> None:
        self._file.close()
        super().close()


class Archive:
    """An open archive: `names` are those of its members, in order. To be closed, as a context manager.

    Raises `Unreadable` for what is not a zip archive.
    """

    def __init__(self, path: str, data: bytes | None = None) -> None:
        """`data` is what to read in place of the file at `path`."""
        file: IO[bytes] | None = None
        try:
            file = io.BytesIO(data) if data is not None else open_file(path)
            self._file = file
            self._archive = zipfile.ZipFile(_Bounded(file))
        except _FAILURES as error:
            if file is not None:
                file.close()
            raise _unreadable("zip", error) from None
        self._members = {info.filename: info for info in self._archive.infolist()}
        self.names = list(self._members)

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()
        self._file.close()

    def read(self, name: str, limit: int) -> bytes:
        """The bytes of a member. Raises `Unreadable` for one that is broken or encrypted, or has more than `limit`."""
        info = self._members[name]
        most = min(limit, max(_FREE, MOST_EXPANDED * info.compress_size))
        if info.flag_bits & _ENCRYPTED:
            raise Unreadable("zip_member", reason="it is encrypted")
        if info.compress_type not in _BOUNDED and info.compress_type != _ZSTANDARD:
            method = _NAMES.get(info.compress_type, f"method {info.compress_type}")
            raise Unreadable("zip_member", reason=f"it is compressed with {method}, which is not supported")
        try:
            data = self._expanded(info, most)
        except _FAILURES as error:
            raise _unreadable("zip_member", error) from None
        if len(data) > most:
            if most < limit:
                raise Unreadable("zip_ratio", most=MOST_EXPANDED)
            raise Unreadable("zip_large", most=f"{limit:,}")
        return data

    def _expanded(self, info: zipfile.ZipInfo, most: int) -> bytes:
        """What a member is decompressed to, at most one byte more than `most`."""
        if info.compress_type != _ZSTANDARD:
            with self._archive.open(info) as member:
                return member.read(most + 1)
        self._file.seek(info.header_offset)
        header = self._file.read(_HEADER)
        if not header.startswith(MAGIC) or len(header) < _HEADER:
            raise zipfile.BadZipFile("a member does not begin where its list says")
        self._file.seek(sum(struct.unpack("<HH", header[26:])), os.SEEK_CUR)
        data = _of_zstandard(self._file.read(min(info.compress_size, most)), most + 1)
        if len(data) <= most and zlib.crc32(data) != info.CRC:
            raise zipfile.BadZipFile("its checksum is wrong")
        return data


def _of_zstandard(packed: bytes, most: int) -> bytes:
    """The first `most` bytes of what a frame of Zstandard holds, or all."""
    try:
        import zstandard  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return _of_zstandard_here(packed, most)
    try:
        with zstandard.ZstdDecompressor(max_window_size=1 << _WINDOW).stream_reader(packed) as stream:
            return bytes(stream.read(most))
    except zstandard.ZstdError as error:
        raise zipfile.BadZipFile(str(error)) from None


def _of_zstandard_here(packed: bytes, most: int) -> bytes:
    """The same by the standard library, from Python 3.14 on. Its own reader of archives gives no bound."""
    try:
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise Unreadable("zip_zstandard") from None
    try:
        decompressor = zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: _WINDOW})
        return bytes(decompressor.decompress(packed, most))
    except zstd.ZstdError as error:
        raise zipfile.BadZipFile(str(error)) from None


def _unreadable(kind: str, error: Exception) -> Unreadable:
    reason = (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__
    return Unreadable(kind, reason=reason)


def is_archive(path: str, data: bytes | None = None) -> bool:
    """Whether a file begins as a zip archive does."""
    if data is not None:
        return data.startswith(MAGIC)
    try:
        with open_file(path, 0) as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def plain_names(names: list[str], folder: str, ending: str) -> Iterator[str]:
    """Those of the names that lie in a folder and end so, and that say nothing else: no `..`, no control characters."""
    for name in names:
        plain = name.isprintable() and "\\" not in name and ".." not in name.split("/")
        if plain and name.startswith(folder) and name.endswith(ending):
            yield name
