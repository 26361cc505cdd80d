"""Paths of files and what is read from them: `pathlib`, `os.path`, `open` and `importlib.resources`. No file is looked at."""

from __future__ import annotations

import posixpath

from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.flow import MAX_TEXT
from toolsurface_lint.programs.operations import plain, text_of

_PATHS = ("pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath", "anyio.Path")
_OPENERS = ("builtins.open", "io.open", "codecs.open", "anyio.open_file", "aiofiles.open")
_SAME_FUNCTIONS = ("os.path.abspath", "os.path.realpath", "os.path.normpath", "os.fspath", "builtins.str")
_SAME = ("resolve", "absolute", "as_posix", "open", "__str__")
_READ = ("read", "read_text", "read_bytes")
_KEEP_TEXT = ("strip", "lstrip", "rstrip", "format", "format_map", "replace", "decode", "removeprefix", "removesuffix")
_RESOURCES = ("importlib.resources", "importlib_resources")


def file_path(module: v.Module, node: v.Node) -> v.FilePath:
    """`__file__`"""
    return v.FilePath(module.location, module, node)


def call_function(path: str, call: v.Call) -> v.Value | None:
    """What a function of the library that deals with paths gives; None for any other."""
    values = call.values
    if not values:
        return None
    if path in _PATHS or path == "os.path.join":
        return _joined(values, call)
    if path in _OPENERS:
        return _as_path(values[0], call)
    if path == "os.path.dirname":
        found = _as_path(values[0], call)
        return None if found is None else _parent(found, call)
    if path in _SAME_FUNCTIONS:
        return values[0] if isinstance(values[0], v.FilePath) else None
    package, _, function = path.rpartition(".")
    if package in _RESOURCES and function in ("files", "read_text", "read_binary"):
        folder = _package(values[0], call)
        if folder is None or function == "files":
            return folder
        found = _joined([folder, *values[1:2]], call)
        return None if found is None else v.FileText(found, *call.at)
    return None


def call_method(receiver: v.FilePath | v.FileText, name: str, call: v.Call) -> v.Value | None:
    """What a method of a path, of an open file or of a text that was read gives."""
    if isinstance(receiver, v.FileText):
        return receiver if name in _KEEP_TEXT else None
    if name in _READ:
        return v.FileText(receiver, *call.at)
    if name in _SAME:
        return receiver
    if name in ("joinpath", "__truediv__"):
        return _joined([receiver, *call.values], call)
    if name == "with_name" and call.first_value is not None:
        return _joined([_parent(receiver, call), call.first_value], call)
    if name == "with_suffix" and isinstance(plain(call.first_value), str):
        return v.FilePath(posixpath.splitext(receiver.path)[0] + plain(call.first_value), *call.at)
    return None


def attribute(path: v.FilePath, name: str, module: v.Module, node: v.Node) -> v.Value | None:
    return _parent(path, v.Call(module, node)) if name == "parent" else None


def element(holder: v.Value, index: object, module: v.Module, node: v.Node) -> v.Value | None:
    """`path.parents[1]`"""
    if not isinstance(holder, v.Method) or holder.name != "parents" or type(index) is not int or not 0 <= index < 50:
        return None
    found: v.Value = holder.receiver
    for _ in range(index + 1):
        if not isinstance(found, v.FilePath):
            return None
        found = _parent(found, v.Call(module, node))
    return found


def divide(left: v.Value, right: v.Value, module: v.Module, node: v.Node) -> v.Value | None:
    """`path / "name"`"""
    return _joined([left, right], v.Call(module, node)) if isinstance(left, v.FilePath) else None


def _parent(path: v.FilePath, call: v.Call) -> v.FilePath:
    return v.FilePath(posixpath.dirname(path.path), *call.at)


def _joined(values: list[v.Value], call: v.Call) -> v.FilePath | None:
    paths = [_as_path(value, call) for value in values]
    known = [each.path for each in paths if each is not None]
    if len(known) < len(paths) or sum(map(len, known)) > MAX_TEXT:
        return None
    return v.FilePath(posixpath.normpath(posixpath.join(*known)), *call.at)


def _as_path(value: v.Value, call: v.Call) -> v.FilePath | None:
    """A path, or the text of one: `BASE + "/prompt.md"` too."""
    if isinstance(value, v.FilePath):
        return value
    if isinstance(value, v.Text) and value.parts and isinstance(value.parts[0], v.FilePath):
        rest = [each.text if isinstance(each, v.Piece) else text_of(each) for each in value.parts[1:]]
        known = [value.parts[0].path, *(each for each in rest if each is not None)]
        if len(known) <= len(rest) or sum(map(len, known)) > MAX_TEXT:
            return None
        return v.FilePath("".join(known), *call.at)
    text = text_of(value) if isinstance(value, v.Literal) and isinstance(value.value, str) else None
    return v.FilePath(text.replace("\\", "/"), *call.at) if text else None


def _package(value: v.Value, call: v.Call) -> v.FilePath | None:
    name = plain(value)
    module = value if isinstance(value, v.Module) else call.module.find(name, 0) if isinstance(name, str) else None
    return None if module is None else v.FilePath(posixpath.dirname(module.location), *call.at)
