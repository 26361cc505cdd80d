"""What the body of a Python function is seen to do: change files, start processes, reach the network.

Only calls whose meaning does not depend on a value that is not known: `open` with a literal mode, functions of known
modules, methods whose names belong to one thing only. A function of the same module that is called is looked into too.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from toolsurface_lint.model.code import NETWORK, PROCESS, WRITE
from toolsurface_lint.readers.python.evaluation import Evaluator
from toolsurface_lint.readers.python.values import External, Function, Instance, Method, Scope

_NETWORK_ROOTS = frozenset((
    "requests", "httpx", "aiohttp", "urllib3", "socket", "smtplib", "ftplib", "paramiko", "websockets", "websocket",
))  # fmt: skip
_NETWORK_PATHS = ("urllib.request.", "http.client.", "imaplib.", "poplib.", "telnetlib.", "xmlrpc.client.")
_PROCESS_PATHS = (
    "subprocess.",
    "os.system",
    "os.popen",
    "os.exec",
    "os.spawn",
    "os.posix_spawn",
    "os.startfile",
    "pty.spawn",
)
_PROCESS_CALLS = frozenset((
    "asyncio.create_subprocess_exec", "asyncio.create_subprocess_shell",
))  # fmt: skip
# Constants and exceptions of these modules are no effects.
_PURE = frozenset((
    "list2cmdline", "gethostname", "getfqdn", "inet_aton", "inet_ntoa", "codes", "Timeout", "Limits", "URL",
    "QueryParams", "Headers", "HTTPError", "HTTPStatusError", "RequestException", "CalledProcessError",
    "SubprocessError", "TimeoutExpired", "ClientTimeout", "ClientError",
))  # fmt: skip
_WRITE_CALLS = frozenset((
    "os.remove", "os.unlink", "os.rename", "os.replace", "os.renames", "os.makedirs", "os.mkdir", "os.rmdir",
    "os.removedirs", "os.symlink", "os.link", "os.chmod", "os.chown", "os.truncate", "os.write", "os.mkfifo",
    "os.utime", "shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.copytree", "shutil.move", "shutil.rmtree",
    "shutil.chown", "shutil.make_archive", "shutil.unpack_archive", "tempfile.mkstemp", "tempfile.mkdtemp",
    "tempfile.NamedTemporaryFile", "tempfile.TemporaryDirectory", "tempfile.TemporaryFile",
))  # fmt: skip
# Methods of paths that nothing else has; `rename`, `replace` and `touch` mean other things too.
_WRITE_METHODS = frozenset((
    "write_text", "write_bytes", "unlink", "rmdir", "symlink_to", "hardlink_to",
))  # fmt: skip

MAX_FUNCTIONS = 20


class SeenEffect(NamedTuple):
    """An effect as in `model.code.Effect`, at a call of `function`'s file."""

    effect: str
    what: str
    node: ast.Call
    function: Function
    through: str


def effects_of(function: Function, evaluator: Evaluator) -> list[SeenEffect]:
    """Of each effect the first call in the function, and in each function of its module that it calls."""
    found: list[SeenEffect] = []
    pending: list[tuple[Function, str]] = [(function, "")]
    done: set[ast.AST] = {function.code}
    while pending and len(done) <= MAX_FUNCTIONS:
        current, through = pending.pop(0)
        seen: set[str] = set()
        nodes = list(ast.walk(current.code))
        scope = _imports(current, nodes)
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        for node in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
            effect, what, called = _effect(node, scope, evaluator, current)
            if effect and effect not in seen:
                seen.add(effect)
                found.append(SeenEffect(effect, what, node, current, through))
            if called is not None and called.code not in done and called.scope.module is function.scope.module:
                done.add(called.code)
                pending.append((called, called.name))
    return found


def _imports(function: Function, nodes: list[ast.AST]) -> Scope:
    """The scope of a function's body as far as its own imports go; its parameters hide the module's names."""
    scope = Scope(function.scope.module, function.scope)
    arguments = function.code.args
    for parameter in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        scope.names[parameter.arg] = Instance(None, None, None)
    if function.receiver is not None and arguments.args:
        scope.names[arguments.args[0].arg] = function.receiver
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                scope.names[alias.asname or alias.name.partition(".")[0]] = External(
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                scope.names[alias.asname or alias.name] = External(f"{node.module}.{alias.name}")
    return scope


def _effect(node: ast.Call, scope: Scope, evaluator: Evaluator, function: Function) -> tuple[str, str, Function | None]:
    """The effect of one call and what it calls; or the function of ours that it calls."""
    called = node.func
    root = called
    while isinstance(root, ast.Attribute):
        root = root.value
    if isinstance(called, ast.Attribute) and not isinstance(root, ast.Name):
        value: object = None
    else:
        value = evaluator.evaluate(called, scope)
    if isinstance(value, Function):
        return "", "", value
    if isinstance(value, External):
        return *_external_effect(value, node), None
    if isinstance(called, ast.Attribute):
        if called.attr in _WRITE_METHODS:
            return WRITE, called.attr, None
        if called.attr == "open" and _writes(node, 0) and not isinstance(value, External):
            return WRITE, "open", None
        if isinstance(value, Method) and isinstance(value.receiver, External):
            return *_external_effect(External(f"{value.receiver.path}.{called.attr}"), node), None
    return "", "", None


def _external_effect(value: External, node: ast.Call) -> tuple[str, str]:
    path = value.path
    if path in ("builtins.open", "io.open", "codecs.open", "aiofiles.open", "gzip.open"):
        return (WRITE, path.removeprefix("builtins.")) if _writes(node, 1) else ("", "")
    if value.last in _PURE:
        return "", ""
    if path in _WRITE_CALLS:
        return WRITE, path
    if path in _PROCESS_CALLS or path.startswith(_PROCESS_PATHS):
        return PROCESS, path
    if (value.root in _NETWORK_ROOTS and "." in path) or path.startswith(_NETWORK_PATHS):
        return NETWORK, path
    return "", ""


def _writes(node: ast.Call, position: int) -> bool:
    """Whether an `open` call has a literal mode that writes."""
    mode = node.args[position] if position < len(node.args) else None
    for keyword in node.keywords:
        if keyword.arg == "mode":
            mode = keyword.value
    return isinstance(mode, ast.Constant) and isinstance(mode.value, str) and bool(set("wax+") & set(mode.value))
