"""What the body of a Python function is seen to do: change files, start processes, reach the network.

Only calls whose meaning does not depend on a value that is not known: `open` with a literal mode, functions of known
modules, methods whose names belong to one thing only, or that are called on an object that is known. A function of the
same module that is called, or given to what calls it, is looked into too. Temporary files do not count as an effect.
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from toolsurface_lint.model.code import NETWORK, PROCESS, WRITE
from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.python.objects import CLIENT, PATH, Objects
from toolsurface_lint.programs.values import External, Function, Method

# Only what connects, or makes what does nothing but connect: the same modules parse addresses and hold constants.
_REQUESTS = ("get", "post", "put", "patch", "delete", "head", "options", "request")
_NETWORK_CALLS = frozenset((
    *(f"requests.{name}" for name in (*_REQUESTS, "Session", "session")),
    *(f"requests.api.{name}" for name in _REQUESTS),
    *(f"httpx.{name}" for name in (*_REQUESTS, "stream", "Client", "AsyncClient")),
    *(f"socket.{name}" for name in ("socket", "create_connection", "create_server", "getaddrinfo", "gethostbyname",
                                    "gethostbyname_ex", "gethostbyaddr")),
    "aiohttp.ClientSession", "aiohttp.request", "urllib3.PoolManager", "urllib3.ProxyManager", "urllib3.request",
    "urllib3.HTTPConnectionPool", "urllib3.HTTPSConnectionPool", "urllib3.connection_from_url",
    "urllib.request.urlopen", "urllib.request.urlretrieve", "http.client.HTTPConnection", "http.client.HTTPSConnection",
    "smtplib.SMTP", "smtplib.SMTP_SSL", "smtplib.LMTP", "ftplib.FTP", "ftplib.FTP_TLS", "imaplib.IMAP4",
    "imaplib.IMAP4_SSL", "poplib.POP3", "poplib.POP3_SSL", "telnetlib.Telnet", "xmlrpc.client.ServerProxy",
    "paramiko.SSHClient", "paramiko.Transport", "paramiko.client.SSHClient", "websockets.connect",
    "websockets.sync.client.connect", "websocket.create_connection", "websocket.WebSocketApp",
    "asyncio.open_connection", "asyncio.start_server", "boto3.client", "boto3.resource",
))  # fmt: skip
_PROCESS_CALLS = frozenset((
    *(f"subprocess.{name}" for name in ("run", "call", "check_call", "check_output", "Popen", "getoutput",
                                        "getstatusoutput")),
    "os.system", "os.popen", "os.startfile", "pty.spawn", "asyncio.create_subprocess_exec",
    "asyncio.create_subprocess_shell", "anyio.run_process", "anyio.open_process", "pexpect.spawn", "pexpect.run",
))  # fmt: skip
_PROCESS_PATHS = ("os.exec", "os.spawn", "os.posix_spawn")
_WRITE_CALLS = frozenset((
    "os.remove", "os.unlink", "os.makedirs", "os.mkdir", "os.rmdir", "os.removedirs", "os.chmod", "os.chown",
    "os.truncate", "os.write", "os.mkfifo", "os.utime", "shutil.rmtree", "shutil.chown", "shutil.make_archive",
    "aiofiles.os.remove", "aiofiles.os.makedirs", "aiofiles.os.mkdir", "aiofiles.os.rmdir",
))  # fmt: skip
# What is written is the second argument.
_COPY_CALLS = frozenset((
    "os.rename", "os.replace", "os.renames", "os.symlink", "os.link", "shutil.copy", "shutil.copy2", "shutil.copyfile",
    "shutil.copytree", "shutil.move", "shutil.unpack_archive", "aiofiles.os.rename", "aiofiles.os.replace",
))  # fmt: skip
_OPEN_CALLS = frozenset((
    "builtins.open", "io.open", "codecs.open", "aiofiles.open", "gzip.open", "bz2.open", "lzma.open", "os.fdopen",
    "tarfile.open", "tarfile.TarFile", "zipfile.ZipFile", "anyio.open_file",
))  # fmt: skip
_MODE = re.compile(r"[rbtU]*[wax+][rwxabt+]*(?:[:|]\w*)?")
# Methods that nothing but files, paths and archives has.
_WRITE_METHODS = frozenset((
    "write_text", "write_bytes", "unlink", "rmdir", "symlink_to", "hardlink_to", "extractall",
))  # fmt: skip
_PATH_METHODS = frozenset((
    "mkdir", "touch", "rename", "replace", "chmod",
))  # fmt: skip
_CLIENT_METHODS = frozenset((
    *_REQUESTS, "stream", "send", "ws_connect", "urlopen",
))  # fmt: skip
# What calls the function that it is given.
_RUNNERS = frozenset((
    "to_thread", "run_in_executor", "submit", "run_sync", "partial", "Thread", "Timer", "Process", "map", "starmap",
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
        objects = Objects(current, nodes, evaluator)
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        for node in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
            given = _given(node)
            effect = _effect(node.func, node.args, node, objects)
            for number, target in enumerate(given):
                effect = effect or _effect(target, given[number + 1 :], None, objects)
            if effect is not None and effect[0] not in seen:
                seen.add(effect[0])
                found.append(SeenEffect(*effect, node, current, through))
            # The functions of ours that the call calls: its own, and those given to what calls them.
            for called in map(objects.value, (node.func, *given)):
                if not isinstance(called, Function):
                    continue
                if called.code not in done and called.scope.module is function.scope.module:
                    done.add(called.code)
                    pending.append((called, called.name))
    return found


def _given(node: ast.Call) -> list[ast.expr]:
    """The functions, as expressions, that a call calls itself."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name not in _RUNNERS:
        return []
    targets = [keyword.value for keyword in node.keywords if keyword.arg == "target"]
    return [*targets, *(argument for argument in node.args[:3] if isinstance(argument, ast.Name | ast.Attribute))]


def _effect(
    called: ast.expr, arguments: list[ast.expr], node: ast.Call | None, objects: Objects
) -> tuple[str, str] | None:
    """The effect of calling something, and what it is; `node` is the call, None where something else makes it."""
    value = objects.value(called)
    if isinstance(value, Function):
        return None
    if isinstance(value, Method) and isinstance(value.receiver, External):
        value = External(f"{value.receiver.path}.{value.name}")
    if isinstance(value, External):
        return _external_effect(value.path, arguments, node, objects)
    if not isinstance(called, ast.Attribute):
        return None
    name, receiver = called.attr, called.value
    writes = (
        name in _WRITE_METHODS
        or (name == "open" and node is not None and _writes(node, 0))
        or (name in _PATH_METHODS and objects.kind(receiver) == PATH)
    )
    if writes:
        return None if objects.is_temporary(receiver) else (WRITE, name)
    if name in _CLIENT_METHODS and objects.kind(receiver) == CLIENT:
        return NETWORK, f"{receiver.id}.{name}" if isinstance(receiver, ast.Name) else name
    return None


def _external_effect(
    path: str, arguments: list[ast.expr], node: ast.Call | None, objects: Objects
) -> tuple[str, str] | None:
    if path in _NETWORK_CALLS:
        return NETWORK, path
    if path in _PROCESS_CALLS or path.startswith(_PROCESS_PATHS):
        return PROCESS, path
    opens = path in _OPEN_CALLS and node is not None and _writes(node, 1)
    if not opens and path not in _WRITE_CALLS and path not in _COPY_CALLS:
        return None
    written = arguments[path in _COPY_CALLS :]
    if written and objects.is_temporary(written[0]):
        return None
    return WRITE, path.removeprefix("builtins.")


def _writes(node: ast.Call, position: int) -> bool:
    """Whether an `open` call has a literal mode that writes."""
    mode = node.args[position] if position < len(node.args) else None
    for keyword in node.keywords:
        if keyword.arg == "mode":
            mode = keyword.value
    return (
        isinstance(mode, ast.Constant) and isinstance(mode.value, str) and _MODE.fullmatch(mode.value[:20]) is not None
    )
