"""What the body of a Python function is seen to do: change files, start processes, reach the network, change or delete data.

Only calls whose meaning does not depend on a value that is not known: `open` with a literal mode, functions of known
modules, methods whose names belong to one thing only, or that are called on an object that is known. A function of the
same module that is called, or given to what calls it, is looked into too. Temporary files do not count as an effect,
and neither does what a program writes down about itself.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator
from typing import NamedTuple

from toolsurface_lint.knowledge.effects import (
    CHANGING_METHODS,
    CLOUD_CLIENTS,
    COMMANDS,
    DELETING_METHODS,
    KEPT_BRIEFLY,
    ONLY_SHOWS,
    TRACKING_COLUMNS,
    WRITTEN_ALONG,
)
from toolsurface_lint.model.code import CHANGE, DELETE, NETWORK, PROCESS, WRITE
from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.python.dispatch import Branch
from toolsurface_lint.programs.python.objects import CLIENT, MAX_FUNCTIONS, PATH, Objects, as_written, own_name
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
_REQUESTED = frozenset(name.lower() for name in CHANGING_METHODS | DELETING_METHODS)
# Functions whose own name says that they send a request, whoever defines them.
_SENDS = re.compile(r"request|fetch|api_call|call_api", re.IGNORECASE)
_CLOUD_CLIENTS = {row.package: row for row in CLOUD_CLIENTS}

# Functions and methods that hand a statement to a database, whoever defines them.
_EXECUTES = re.compile(
    r"execut|quer[yi]|sql|^(?:exec|fetch|fetchrow|fetchval|fetchall|fetch_all|fetch_one|run)$", re.IGNORECASE
)
_NAME = r"""(?:ONLY\s+)?(?P<name>[\w.{}$"'`\[\]-]+)"""
_IGNORED = r"\s*(?:--[^\n]*\n\s*)*"
_CHANGING_SQL = re.compile(
    rf"{_IGNORED}(?P<verb>INSERT\s+(?:OR\s+[A-Z]+\s+|IGNORE\s+)?INTO|REPLACE\s+INTO|MERGE\s+INTO|UPDATE)\s+{_NAME}"
    r"(?P<rest>.{0,200})",
    re.IGNORECASE | re.DOTALL,
)
_DELETING_SQL = re.compile(
    rf"{_IGNORED}(?P<verb>DELETE\s+FROM|TRUNCATE\s+TABLE|DROP\s+(?:TABLE|SCHEMA|DATABASE|COLLECTION)(?:\s+IF\s+EXISTS)?)\s+{_NAME}",
    re.IGNORECASE,
)
_SETS = re.compile(r"\s+(?:AS\s+)?(?:\w{1,20}\s+)?SET\s+(?P<columns>.*)", re.IGNORECASE | re.DOTALL)
_COLUMN = re.compile(r"\b([A-Za-z_][\w.]{0,60})\s{0,20}=")

# What calls the function that it is given.
_RUNNERS = frozenset((
    "to_thread", "run_in_executor", "submit", "run_sync", "partial", "Thread", "Timer", "Process", "map", "starmap",
))  # fmt: skip


class SeenEffect(NamedTuple):
    """An effect as in `model.code.Effect`, at a call of `function`'s file."""

    effect: str
    what: str
    node: ast.Call
    function: Function
    through: str


class _Seen(NamedTuple):
    """What some code does itself: of each effect the first call, and the functions of ours that it calls."""

    effects: list[tuple[str, str, ast.Call]]
    called: list[Function]


class Effects:
    """Looks at what code does. What several tools run is looked at once."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._functions: dict[tuple[ast.AST, object, bool], _Seen] = {}
        self._branches: dict[Branch, _Seen] = {}
        self._returned: dict[ast.AST, str] = {}

    def of(self, run: Function | Branch) -> list[SeenEffect]:
        """Of each effect the first call in a function or a branch of one, and in each function of its module that it calls."""
        if isinstance(run, Function):
            return self._all(run, self._of_function(run, commits=True))
        seen = self._branches.get(run)
        if seen is None:
            calls = [node for part in run.body for node in ast.walk(part) if isinstance(node, ast.Call)]
            seen = self._branches[run] = _seen(calls, run.objects, _committed(calls), run.names)
        return self._all(run.function, seen)

    def _all(self, function: Function, seen: _Seen) -> list[SeenEffect]:
        found = [SeenEffect(effect, what, node, function, "") for effect, what, node in seen.effects]
        pending = [*seen.called]
        done: set[ast.AST] = {function.code}
        for called in pending:
            if len(done) > MAX_FUNCTIONS:
                break
            if called.code in done or called.scope.module is not function.scope.module:
                continue
            done.add(called.code)
            # Of a helper, nobody knows what it keeps.
            own = self._of_function(called, commits=False)
            found += [SeenEffect(effect, what, node, called, called.name) for effect, what, node in own.effects]
            pending += own.called
        return found

    def _of_function(self, function: Function, *, commits: bool) -> _Seen:
        key = function.code, function.receiver, commits
        seen = self._functions.get(key)
        if seen is None:
            nodes = list(ast.walk(function.code))
            calls = [node for node in nodes if isinstance(node, ast.Call)]
            objects = Objects(function, nodes, self._evaluator, self._returned)
            seen = self._functions[key] = _seen(calls, objects, _committed(calls) if commits else ())
        return seen


def _seen(calls: list[ast.Call], objects: Objects, committed: Container[str], names: Container[str] = ()) -> _Seen:
    """What calls do that stand in one function; one that is given one of `names` is not followed into ours."""
    found: dict[str, tuple[str, str, ast.Call]] = {}
    called: dict[tuple[ast.AST, object], Function] = {}
    for node in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        given = _given(node)
        effects = [*_effects(node, objects)]
        for number, target in enumerate(given):
            effects += [*_call_effects(target, given[number + 1 :], None, objects)]
        effects += filter(None, (_puts(node, committed),))
        for effect, what in effects:
            found.setdefault(effect, (effect, what, node))
        if any(as_written(each) in names for each in (*node.args, *(keyword.value for keyword in node.keywords))):
            continue
        # The functions of ours that the call calls: its own, and those given to what calls them.
        for value in map(objects.value, (node.func, *given)):
            if isinstance(value, Function):
                called.setdefault((value.code, value.receiver), value)
    return _Seen([*found.values()], [*called.values()])


def _given(node: ast.Call) -> list[ast.expr]:
    """The functions, as expressions, that a call calls itself."""
    name = own_name(node.func)
    if name not in _RUNNERS:
        return []
    targets = [keyword.value for keyword in node.keywords if keyword.arg == "target"]
    return [*targets, *(argument for argument in node.args[:3] if isinstance(argument, ast.Name | ast.Attribute))]


def _effects(node: ast.Call, objects: Objects) -> Iterator[tuple[str, str]]:
    """The effects of a call, each with what it is: by what is called, then by what that is given."""
    yield from _call_effects(node.func, node.args, node, objects)
    name = own_name(node.func)
    if _EXECUTES.search(name) and not objects.in_memory:
        for argument in node.args[:2]:
            yield from filter(None, map(sql_effect, objects.texts(argument)))
    method = _method(node) if _SENDS.search(name) else ""
    if method:
        yield DELETE if method in DELETING_METHODS else CHANGE, f'{name}("{method}")'


def _method(node: ast.Call) -> str:
    """The HTTP method that a call names if it changes something: `request("DELETE", url)`, `Request(url, method="PUT")`."""
    given = [*node.args[:2], *(keyword.value for keyword in node.keywords if keyword.arg in ("method", "http_method"))]
    texts = (argument.value for argument in given if isinstance(argument, ast.Constant))
    return next((text for text in texts if text in CHANGING_METHODS or text in DELETING_METHODS), "")


def sql_effect(statement: str) -> tuple[str, str] | None:
    """What a statement in SQL changes or deletes, by how it begins; None for one that reads, or whose kind is not certain."""
    deletes = _DELETING_SQL.match(statement)
    match = deletes or _CHANGING_SQL.match(statement)
    if match is None:
        return None
    verb = " ".join(match["verb"].upper().split())
    name = match["name"].strip("\"'`[]")
    if verb == "UPDATE":
        sets = _SETS.match(match["rest"])
        if sets is None:
            return None
        columns = _COLUMN.findall(re.split(r"(?i)\sWHERE\s", sets["columns"])[0])
        if columns and all(_is_of(column, TRACKING_COLUMNS) for column in columns):
            return None
    if _is_of(name, KEPT_BRIEFLY if deletes else WRITTEN_ALONG):
        return None
    return (DELETE if deletes else CHANGE), verb if "{" in name else f"{verb} {name}"


def _is_of(name: str, words: frozenset[str]) -> bool:
    """Whether the name of a table or a column has one of some words in it."""
    return not words.isdisjoint(re.split(r"[^a-z]+", name.lower()))


def _committed(calls: list[ast.Call]) -> set[str]:
    """What something is committed on: `session.commit()`."""
    methods = (call.func for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "commit")
    return {_dotted(method.value) for method in methods} - {""}


def _puts(node: ast.Call, committed: Container[str]) -> tuple[str, str] | None:
    """The effect of a call that puts into a session what is committed then: `session.add(user)`."""
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in ("add", "add_all", "delete"):
        return None
    receiver = _dotted(node.func.value)
    put = node.args[0] if node.args else None
    name = _dotted(put.func if isinstance(put, ast.Call) else put) if put is not None else ""
    deletes = node.func.attr == "delete"
    if receiver not in committed or _is_of(re.sub("([A-Z])", r"_\1", name), KEPT_BRIEFLY if deletes else WRITTEN_ALONG):
        return None
    return (DELETE if deletes else CHANGE), f"{receiver}.{node.func.attr}"


def _dotted(node: ast.expr) -> str:
    """A name with up to two attributes, as written; empty for another expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) < 2:
        parts.append(node.attr)
        node = node.value
    return ".".join(reversed([*parts, node.id])) if isinstance(node, ast.Name) else ""


def _call_effects(
    called: ast.expr, arguments: list[ast.expr], node: ast.Call | None, objects: Objects
) -> Iterator[tuple[str, str]]:
    """The effects of calling something, each with what it is; `node` is the call, None where something else makes it."""
    value = objects.value(called)
    if isinstance(value, Function):
        return
    if isinstance(value, Method) and isinstance(value.receiver, External):
        value = External(f"{value.receiver.path}.{value.name}")
    if isinstance(value, External):
        yield from _external_effects(value.path, arguments, node, objects)
        return
    if not isinstance(called, ast.Attribute):
        return
    name, receiver = called.attr, called.value
    kind = objects.kind(receiver)
    writes = (
        name in _WRITE_METHODS
        or (name == "open" and node is not None and _writes(node, 0))
        or (name in _PATH_METHODS and kind == PATH)
    )
    what = f"{receiver.id}.{name}" if isinstance(receiver, ast.Name) else name
    if writes:
        if not objects.is_temporary(receiver):
            yield WRITE, name
    elif name in _CLIENT_METHODS and kind == CLIENT:
        yield NETWORK, what
        if name in _REQUESTED:
            yield DELETE if name == "delete" else CHANGE, what
    elif (row := _CLOUD_CLIENTS.get(kind)) is not None and not name.startswith(row.reads):
        if name.startswith(row.deletes):
            yield DELETE, what
        elif name.startswith(row.changes):
            yield CHANGE, what


def _external_effects(
    path: str, arguments: list[ast.expr], node: ast.Call | None, objects: Objects
) -> Iterator[tuple[str, str]]:
    if path in _NETWORK_CALLS:
        yield NETWORK, path
        method = path.rpartition(".")[2]
        if method in _REQUESTED:
            yield DELETE if method == "delete" else CHANGE, path
    if path in _PROCESS_CALLS or path.startswith(_PROCESS_PATHS):
        yield PROCESS, path
        command = _command(arguments, objects)
        if command is not None:
            yield command
    opens = path in _OPEN_CALLS and node is not None and _writes(node, 1)
    if opens or path in _WRITE_CALLS or path in _COPY_CALLS:
        written = arguments[path in _COPY_CALLS :]
        if not written or not objects.is_temporary(written[0]):
            yield WRITE, path.removeprefix("builtins.")


def _command(arguments: list[ast.expr], objects: Objects) -> tuple[str, str] | None:
    """What a command that is started changes or deletes: `["git", "push"]`, `"rm -rf build"`; `{}` is a word not known."""
    first = arguments[0] if arguments else None
    if isinstance(first, ast.Name):
        first = objects.made_once(first.id) or first
    listed = first.elts if isinstance(first, ast.List | ast.Tuple) else arguments
    if first is not None and listed is arguments and len(arguments) == 1:
        words = [word for text in objects.texts(first) for word in text.split()]
    else:
        words = [next(objects.texts(each), "{}") for each in listed[:_MAX_WORDS]]
    if words[:1] == ["sudo"]:
        del words[0]
    row = COMMANDS.get(words[0].rpartition("/")[2]) if words else None
    if row is None or any(objects.is_temporary(each) for each in listed[:_MAX_WORDS]):
        return None
    subcommand, at = "", 1
    while at < len(words) and not subcommand and (row.changes | row.deletes).isdisjoint(("",)):
        word = words[at]
        at += 2 if word in row.valued else 1
        subcommand = "" if word.startswith("-") or word in row.valued else word
    if not (ONLY_SHOWS | row.shows).isdisjoint(words[at:]):
        return None
    effect = DELETE if subcommand in row.deletes else CHANGE if subcommand in row.changes else ""
    return (effect, f"{row.program} {subcommand}".rstrip()) if effect else None


_MAX_WORDS = 20


def _writes(node: ast.Call, position: int) -> bool:
    """Whether an `open` call has a literal mode that writes."""
    mode = node.args[position] if position < len(node.args) else None
    for keyword in node.keywords:
        if keyword.arg == "mode":
            mode = keyword.value
    return (
        isinstance(mode, ast.Constant) and isinstance(mode.value, str) and _MODE.fullmatch(mode.value[:20]) is not None
    )
