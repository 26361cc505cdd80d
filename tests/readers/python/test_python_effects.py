"""What the body of a tool is seen to do, and what it is not."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from toolsurface_lint.readers.programs.tools import read_programs
from toolsurface_lint.source.text import SourceText

HEAD = """
import asyncio, codecs, functools, gzip, http.client, io, os, pathlib, shutil, socket, subprocess, tarfile, tempfile, zipfile
import aiofiles, aiohttp, boto3, httpx, requests
import urllib.request as request
from pathlib import Path
from subprocess import run
from urllib.parse import urlencode
from mcp.server.fastmcp import FastMCP

mcp = FastMCP("x")
ROOT = Path(__file__).resolve().parent
CACHE = ROOT / "cache"
session = requests.Session()
client = httpx.AsyncClient()

def save(path):
    with open(path, "w") as file:
        file.write("")

def load(path):
    return open(path).read()

class Store:
    def open(self, mode):
        return mode

    def rename(self, name):
        return name

store = Store()
"""


def effects(
    body: str, parameters: str = "path: str, name: str, mode: str", head: str = ""
) -> list[tuple[str, str, str]]:
    """The effects of a tool: each with the source text of its call, and the function that it is in."""
    start = f"\n@mcp.tool(annotations={{'readOnlyHint': True}})\nasync def f({parameters}):\n    'F.'\n"
    text = HEAD + head + start + indent(dedent(body).strip(), "    ")
    (tool,) = read_programs([SourceText("server.py", text + "\n")]).tools
    assert tool.code is not None
    found = []
    for effect in tool.effects:
        span = effect.place.span()
        assert span is not None
        found.append((effect.effect, text[slice(*span)], effect.through))
    return found


@pytest.mark.parametrize(
    "call",
    [
        # Methods of what is known to be a path.
        "Path(path).mkdir(parents=True)",
        "(CACHE / name).touch()",
        "Path(path).rename(name)",
        "(ROOT.parent / name).replace(path)",
        "Path.home().joinpath(name).with_suffix('.x').chmod(0o600)",
        "pathlib.Path(path).parents[0].mkdir()",
        "CACHE.open('a')",
        "Path(path).open(mode='xb')",
        # Functions that open with a mode.
        "open(path, 'w')",
        "open(path, 'rb+')",
        "io.open(path, 'xb')",
        "codecs.open(path, 'a')",
        "gzip.open(path, 'wt')",
        "zipfile.ZipFile(path, 'w')",
        "tarfile.open(path, 'w:gz')",
        "os.fdopen(3, 'w')",
        "aiofiles.open(path, mode='w')",
        # Functions and methods that only write.
        "os.makedirs(path)",
        "os.replace(path, name)",
        "shutil.copyfile(path, name)",
        "shutil.rmtree(path)",
        "zipfile.ZipFile(path).extractall(name)",
    ],
)
def test_writes(call: str) -> None:
    assert effects(call) == [("write", call, "")]


@pytest.mark.parametrize(
    "call",
    [
        "session.get(path)",
        "client.post(path)",
        "requests.request('GET', path)",
        "httpx.stream('GET', path)",
        "aiohttp.ClientSession()",
        "request.urlopen(path)",
        "socket.create_connection((path, 80))",
        "http.client.HTTPSConnection(path)",
        "asyncio.open_connection(path, 80)",
        "boto3.client('s3')",
    ],
)
def test_uses_of_the_network(call: str) -> None:
    assert effects(call) == [("network", call, "")]


@pytest.mark.parametrize(
    "call",
    [
        "run(['ls'])",
        "subprocess.Popen(path)",
        "os.execvp(path, [])",
        "asyncio.create_subprocess_shell(path)",
    ],
)
def test_started_processes(call: str) -> None:
    assert effects(call) == [("process", call, "")]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("target = Path(path)\ntarget.rename(name)", ("write", "target.rename(name)")),
        ("if (target := CACHE / name):\n    target.touch()", ("write", "target.touch()")),
        ("async with httpx.AsyncClient() as other:\n    await other.get(path)", ("network", "httpx.AsyncClient()")),
    ],
)
def test_local_names(body: str, expected: tuple[str, str]) -> None:
    assert effects(body) == [(*expected, "")]


@pytest.mark.parametrize(
    ("hint", "call", "effect"),
    [
        ("Path", "it.rename('x')", ["write"]),
        ("'Path'", "it.rename('x')", []),
        ("httpx.Client", "it.get('x')", ["network"]),
        ("dict", "it.get('x')", []),
        ("str", "it.replace('a', 'b')", []),
    ],
)
def test_the_type_hint_of_a_parameter_tells_what_it_is(hint: str, call: str, effect: list[str]) -> None:
    head = f"def helper(it: {hint}):\n    return {call}\n"
    assert [found[0] for found in effects("helper(path)", head=head)] == effect


@pytest.mark.parametrize(
    ("body", "through"),
    [
        ("save(path)", "save"),
        ("await asyncio.to_thread(save, path)", "save"),
        ("await asyncio.get_running_loop().run_in_executor(None, save, path)", "save"),
        ("functools.partial(save, path)()", "save"),
        ("import threading\nthreading.Thread(target=save, args=(path,)).start()", "save"),
    ],
)
def test_functions_that_are_called_or_given_to_what_calls_them(body: str, through: str) -> None:
    assert effects(body) == [("write", 'open(path, "w")', through)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("await asyncio.to_thread(shutil.rmtree, path)", "write"),
        ("await asyncio.to_thread(Path(path).write_text, name)", "write"),
        ("await asyncio.to_thread(requests.get, path)", "network"),
        ("await asyncio.to_thread(subprocess.run, path)", "process"),
    ],
)
def test_calls_that_something_else_makes(body: str, expected: str) -> None:
    assert [found[0] for found in effects(body)] == [expected]


def test_methods_of_the_tools_own_class() -> None:
    text = HEAD + dedent(
        """
        class Visit:
            def forward(self):
                return self._fetch()
            def _fetch(self):
                return requests.get("x")
        mcp.tool(annotations={"readOnlyHint": True})(Visit().forward)
        """
    )
    (tool,) = read_programs([SourceText("server.py", text)]).tools
    assert tool.code is not None
    assert [(effect.effect, effect.what, effect.through) for effect in tool.effects] == [
        ("network", "requests.get", "_fetch")
    ]


def test_what_a_tool_does_that_declares_nothing_is_not_looked_into() -> None:
    (tool,) = read_programs([SourceText("server.py", HEAD + "\n@mcp.tool()\ndef f(): save('x')\n")]).tools
    assert tool.code is not None
    assert tool.effects == ()


@pytest.mark.parametrize(
    "body",
    [
        "load(path)",
        "open(path)",
        "open(path, mode)",
        "open(path, 'rb')",
        "open(path, 'unknown')",
        "zipfile.ZipFile(path).namelist()",
        "store.open('w')",
        "store.rename(name)",
        "anything.open('write-ahead')",
        "anything.open(path, 'w')",
        "anything.rename(columns={})",
        "anything.get(path)",
        "name.replace('a', 'b')",
        "frame = load(path)\nframe.rename('x')",
        "target = Path(path)\ntarget = name\ntarget.replace('a', 'b')",
        "buffer = io.StringIO()\nbuffer.write(name)",
        "urlencode({'q': name})",
        "request.Request(path).get_full_url()",
        "requests.Request('GET', path).prepare()",
        "raise requests.exceptions.ConnectionError(path)",
        "httpx.URL(path)",
        "httpx.codes.is_error(3)",
        "socket.inet_pton(socket.AF_INET, path)",
        "socket.gethostname()",
        "subprocess.list2cmdline([])",
        "shutil.which(path)",
        "shutil.disk_usage('/')",
        "os.path.join(path, name)",
        "os.stat(path)",
        "asyncio.to_thread(load, path)",
        "requests = {}\nrequests.get(path)",
    ],
)
def test_what_looks_like_an_effect(body: str) -> None:
    assert effects(body) == []


@pytest.mark.parametrize(
    "body",
    [
        "with tempfile.TemporaryDirectory() as folder:\n    (Path(folder) / name).write_text('')",
        "file = tempfile.NamedTemporaryFile(delete=False)\nopen(file.name, 'w')\nos.unlink(file.name)",
        "folder = tempfile.mkdtemp()\ntarget = os.path.join(folder, name)\nshutil.copy(path, target)\nshutil.rmtree(folder)",
        "Path(tempfile.gettempdir(), name).mkdir()",
    ],
)
def test_temporary_files_are_no_effect(body: str) -> None:
    assert effects(body) == []


def test_a_temporary_file_hides_no_other() -> None:
    body = "folder = tempfile.mkdtemp()\nopen(folder + name, 'w')\nshutil.move(folder + name, path)"
    assert effects(body) == [("write", "shutil.move(folder + name, path)", "")]


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "it = it / it / it",
        "it = join(" + ", ".join(["it"] * 300) + ")",
        "open(it, 'w')\nit = join(it)",
        "it, other = other, it\nother = it / other\nit = other / it",
    ],
)
def test_names_made_of_themselves_end(line: str) -> None:
    body = f"it = Path(path)\n{line}\n" * 200 + "it.rename(name)\nopen(it, 'w')"
    assert "write" in [found[0] for found in effects(body)]


def test_a_path_that_is_made_of_itself() -> None:
    assert effects("it = Path(path)\nit = it / name\nit.touch()") == [("write", "it.touch()", "")]


@pytest.mark.parametrize(
    "body",
    [
        "os.system('rm -rf build')",
        "command = 'rm -rf build'\nos.system(command)",
        "command = f'rm -rf {name}'\nsubprocess.run(command, shell=True)",
        "command = ['rm', '-rf', name]\nsubprocess.run(command, check=True)",
    ],
)
def test_what_a_command_deletes(body: str) -> None:
    assert [found[0] for found in effects(body)] == ["process", "delete"]


@pytest.mark.parametrize(
    ("helper", "expected"),
    [
        ("def remote() -> httpx.AsyncClient:\n    return make()", ["network", "delete"]),
        ("def remote():\n    return httpx.AsyncClient()", ["network", "delete"]),
        ("def remote():\n    found = requests.Session()\n    found.auth = 1\n    return found", ["network", "delete"]),
        ("async def remote():\n    async with aiohttp.ClientSession() as it:\n        yield it", ["network", "delete"]),
        ("def remote():\n    return inner()\ndef inner():\n    return httpx.Client()", ["network", "delete"]),
        ("def remote(a=1):\n    return httpx.Client() if a else None", []),
        ("def remote(a=1):\n    if a:\n        return {}\n    return httpx.Client()", []),
        ("def remote():\n    return remote()", []),
    ],
)
def test_what_a_function_returns(helper: str, expected: list[str]) -> None:
    found = effects("async with remote() as it:\n    await it.delete(name)", head=helper + "\n")
    assert [effect for effect, _, through in found if not through] == expected


def test_a_cloud_client_that_a_function_returns() -> None:
    head = "def ec2():\n    return boto3.client('ec2')\n"
    assert ("change", "ec2().create_tags(Resources=[name])", "") in effects(
        "ec2().create_tags(Resources=[name])", head=head
    )


LOW = """
import requests
from mcp.server import Server
from mcp.types import Tool, ToolAnnotations

server = Server("x")
READS = ToolAnnotations(readOnlyHint=True)

@server.list_tools()
async def tools():
    return [
        Tool(name=name, description="Do it.", inputSchema={"type": "object"}, annotations=READS)
        for name in ("one", "two", "three")
    ]

def clear(name):
    requests.delete(name)

def look(name):
    return requests.get(name)
"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("if name == 'one':\n        clear(1)\n    else:\n        look(1)", ["one"]),
        ("if name == 'one' and arguments:\n        clear(1)", ["one"]),
        ("if 'one' == name or name == 'two':\n        clear(1)", ["one", "two"]),
        ("if name in ('one', 'two'):\n        clear(name)", []),
        ("if name in ('one', 'two'):\n        clear(1)", ["one", "two"]),
        ("if name in ('one', 'two'):\n        if name == 'two':\n            clear(1)", ["two"]),
        ("if name != 'one':\n        clear(1)", []),
        ("if name == 'one' or arguments:\n        clear(1)", []),
        ("clear(1)\n    if name == 'one':\n        look(1)", []),
        ("match name:\n        case 'one':\n            clear(1)\n        case 'two' | 'three':\n            look(1)", ["one"]),
        ("match name:\n        case 'one' if arguments:\n            pass\n        case _:\n            clear(1)", []),
        ("return {'one': clear, 'two': look}[name](1)", ["one"]),
        ("return {'one': lambda it: requests.delete(it), 'two': look}[name](1)", ["one"]),
        ("return HANDLERS[name](1)", ["three"]),
        ("return clear(1) if name == 'two' else look(1)", ["two"]),
        # What is given the name does something else for each.
        ("if name == 'one':\n        return inner(name)", []),
        ("return inner(name)", ["two"]),
    ],
)  # fmt: skip
def test_what_is_done_for_one_name(code: str, expected: list[str]) -> None:
    text = (
        LOW
        + "\nHANDLERS = {'one': look, 'three': clear}\n"
        + "def inner(tool):\n    if tool == 'two':\n        clear(1)\n"
        + f"\n@server.call_tool()\nasync def call(name, arguments):\n    {code}\n"
    )
    found = read_programs([SourceText("server.py", text)]).tools
    assert [tool.name for tool in found if any(effect.effect == "delete" for effect in tool.effects)] == expected
