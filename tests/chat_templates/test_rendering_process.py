"""The process that renders templates: what it gives, and that neither hostile templates nor an escape get further."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolsurface_lint.chat_templates.rendering import process
from toolsurface_lint.chat_templates.rendering.process import Conversations, NotRendered, Rendering, read_calls, render
from toolsurface_lint.chat_templates.syntax import parse

REPOSITORY = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows limits no process")


@pytest.fixture(autouse=True, scope="module")
def _ended() -> Iterator[None]:
    yield
    process.end()


def one(template: str, **variables: object) -> Rendering:
    (rendering,) = render(parse(template), {}, Conversations.of([variables]))
    return rendering


def test_each_conversation_is_rendered() -> None:
    template = "{{ bos_token }}{% for message in messages %}{{ message.content | tojson }}{% endfor %}"
    conversations = [{"messages": [{"content": "a"}]}, {"messages": [{"content": "<é>"}] * 2}]
    renderings = render(parse(template), {"bos_token": "<s>"}, Conversations.of(conversations))
    assert [each.text for each in renderings] == ['<s>"a"', '<s>"<é>""<é>"']


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("a\n  {% if true %}\nb\n  {% endif %}\nc", "a\nb\nc"),
        ("{% for x in range(9) %}{% if x == 2 %}{% break %}{% endif %}{{ x }}{% endfor %}", "01"),
        ("{% generation %}a{{ x }}{% endgeneration %}b", "ab"),
        ("{{ strftime_now('%Y-%m-%d') }}", "2025-01-02"),
        ("{{ {'b': '<&>', 'a': 1.5} | tojson(indent=1, sort_keys=true) }}", '{\n "a": 1.5,\n "b": "<&>"\n}'),
        ("{% set n = namespace(a=1) %}{% set n.a = n.a + 1 %}{{ n.a }}{{ dict(a=1) }}", "2{'a': 1}"),
        ("{{ '{} {a}'.format('x', a='y') }}{{ ['b', 'a'] | sort | join }}{{ 'a b' | title }}", "x yabA B"),
        (
            "{{ '<b>x</b>' | striptags }}{{ 'a b' | urlencode }}{{ lipsum(0) }}{{ [1] | random }}{{ 1 | pprint }}",
            "xa%20b11",
        ),
        ("{{ '\\ud800' }}", "?"),
    ],
)
def test_templates_have_what_transformers_gives_them(template: str, text: str) -> None:
    assert one(template) == (text, "", None)


@pytest.mark.parametrize(
    ("template", "message", "line"),
    [
        ("{# a #}\n\n{% block a %}{% endblock %}{% block a %}{% endblock %}", "block 'a' defined twice", 3),
        ("a\n{{ x.y.z }}", "UndefinedError: 'x' is undefined", 2),
        ("a\r\nb\r{{\n x.y.z }}", "UndefinedError: 'x' is undefined", 4),
        ("{{ x.y.z }}", "UndefinedError: 'x' is undefined", 1),
        (
            "a\n\n{% macro m(x) %}\n{{ x + 1 }}\n{% endmacro %}\n{{ m('a') }}",
            'TypeError: can only concatenate str (not "int") to str',
            4,
        ),
        ("{{ raise_exception('System role not supported') }}", "TemplateError: System role not supported", 1),
        ("{{ 1 }}\n{{ x | from_json }}", "No filter named 'from_json'.", 2),
        (
            "a\n{% if true %}{{ x | from_json }}{% endif %}",
            "TemplateRuntimeError: No filter named 'from_json' found.",
            2,
        ),
    ],
)
def test_what_fails_has_a_message_and_a_line(template: str, message: str, line: int) -> None:
    assert one(template) == (None, message, line)


DEEP = 3000


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("{{ 'a' * 10**10 }}", "memory"),
        ("{{ 'a' | center(10**9) }}", "memory"),
        ("{{ range(90000) | join('a' * 100000) }}", "memory"),
        ("{{ ('a' * 100000) | replace('a', 'b' * 100000) }}", "memory"),
        ("{{ '%1000000000d' % 1 }}", "memory"),
        ("{{ '{:1000000000}'.format(1) }}", "memory"),
        ("{{ '1'.zfill(10**9) }}", "memory"),
        ("{% set n = namespace(x='a') %}{% for i in range(60) %}{% set n.x = n.x ~ n.x %}{% endfor %}", "memory"),
        ("{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}", "time"),
        ("{{ 9 ** (9 ** 9) }}", "time"),
        ("{% for a in range(99999) %}" + "x" * 99 + "{% endfor %}", "output"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "recursion"),
        ("{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}", "recursion"),
    ],
)
def test_what_has_no_end_is_ended(template: str, reason: str) -> None:
    with pytest.raises(NotRendered) as caught:
        one(template)
    assert str(caught.value) == process._REASONS[reason].format("rendering")


def test_others_are_rendered_after_it() -> None:
    assert one("{{ 1 + 1 }}").text == "2"
    for _ in range(2):
        with pytest.raises(NotRendered):
            one("{{ 'a' * 10**10 }}")
        assert one("{{ 1 + 1 }}").text == "2"


def response_template(pattern: str, **field: object) -> dict[str, object]:
    field = {"transform": {"function": {"name": "f", "arguments": "{content}"}}, **field}
    return {"start_anchor": "<a>", "fields": {"tool_calls": {"open_pattern": pattern, "close": ";", **field}}}


def test_calls_are_read_back() -> None:
    answers = [("<a>", "[1];[2]"), ("<a>[3];<a>", ""), ("<a>", "[a]")]
    read = read_calls(response_template(r"(?=\[)\[|(?P<x>x)", content="int", close="]", repeats=True), answers)
    assert read == [[("f", 1.0), ("f", 2.0)], [], "`a` is not a number"]
    assert read_calls(response_template("c", content="python-call-list"), [("<a>", "c[f(x={1}, y=b'\\d')]")]) == [
        [("f", [{"name": "f", "arguments": {"x": "{1}", "y": "b'\\\\d'"}}])]
    ]


@pytest.mark.parametrize(
    ("pattern", "text", "reason"),
    [
        ("(a+)+$", "a" * 5_000 + "b", "time"),
        ("(" * DEEP + "a" + ")" * DEEP, "a", "recursion"),
        (".", "a" * process.MOST_ANSWERED, "output"),
        (r"\p{L}", "a", "unsupported"),
    ],
)
def test_patterns_end_at_the_limits(pattern: str, text: str, reason: str) -> None:
    with pytest.raises(NotRendered) as caught:
        read_calls(response_template(pattern), [("<a>", text)])
    assert str(caught.value) == process._REASONS[reason].format(process._READING)
    assert one("{{ 1 + 1 }}").text == "2"


@pytest.mark.parametrize(
    "template",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ cycler.__init__.__globals__.os }}",
        "{{ lipsum.__globals__['os'].environ }}",
        "{{ (lipsum | attr('__globals__'))['os'].environ }}",
        "{{ '{0.__class__.__mro__}'.format('') }}",
        "{{ '{a.__class__.__mro__}'.format_map({'a': ''}) }}",
        "{{ ('{0.__class__.__mro__}' | format) ~ ('%s' | format(''.__class__.__mro__)) }}",
        "{{ [''] | map(attribute='__class__') | list }}",
        "{{ self.__init__.__globals__ }}{{ namespace.__init__.__globals__ }}{{ raise_exception.__globals__ }}",
        "{{ namespace(__class__=1) }}",
        "{% import 'os' as os %}{{ os.environ }}",
        "{% include '/etc/passwd' %}",
        "{% set x = [] %}{{ x.append(1) }}{{ x }}",
    ],
)
def test_nothing_of_the_interpreter_is_within_reach(template: str) -> None:
    text = one(template).text or ""
    assert not any(word in text for word in ("type", "object", "environ", "module", "root:", "[1]"))


# --- an escape ---------------------------------------------------------------------------------------------------------

ESCAPE = """
import importlib.util, json, os, select, sys, time
spec = importlib.util.spec_from_file_location("worker", sys.argv[1])
worker = importlib.util.module_from_spec(spec)
spec.loader.exec_module(worker)
if sys.argv[3:]:
    sys.addaudithook = lambda hook: None
# As if the template were a program that has got out of the sandbox.
def escaped(text):
    try:
        result = eval(text)
    except Exception as error:
        result = repr(error)
    return lambda variables: (str(result), "", 0)
worker._loaded = str
worker._compiled = escaped
try:
    answer = worker._Renderer().ask(json.dumps({"template": sys.argv[2], "variables": {}, "conversations": [{}]}).encode())
except worker._Ended as ended:
    answer = str(ended)
print(answer)
"""


def escaped(code: str, *without_hook: str) -> str:
    worker = process.__file__.replace("process.py", "worker.py")
    command = [sys.executable, "-I", "-S", "-c", ESCAPE, worker, code, *without_hook]
    return subprocess.run(command, capture_output=True, text=True, env={}, check=True).stdout


@pytest.mark.parametrize(
    "code",
    [
        "open('/etc/passwd')",
        "os.open('/etc/passwd', os.O_RDONLY)",
        "os.listdir('/')",
        "os.mkdir('/tmp/made')",
        "os.remove('/tmp/made')",
        "os.system('true')",
        "os.execv('/bin/true', ['true'])",
        "os.posix_spawn('/bin/true', ['true'], {})",
        "os.fork()",
        "os.kill(os.getppid(), 9)",
        "__import__('socket')",
        "__import__('_socket')",
        "__import__('ctypes')",
        "__import__('resource').setrlimit(0, (-1, -1))",
    ],
)
def test_an_escape_ends_at_the_audit_hook(code: str) -> None:
    assert escaped(code).strip() == "forbidden"


@pytest.mark.parametrize("code", ["os.open('/etc/passwd', os.O_RDONLY)", "os.pipe()", "os.open('/tmp/x', 66)"])
def test_the_system_opens_nothing_even_without_the_hook(code: str) -> None:
    assert "Too many open files" in escaped(code, "without the hook")


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("6 * 7", '["42", "", 0]'),
        ("sorted(set(os.environ) - {'LC_CTYPE'})", "[]"),
        ("os.write(1, b'x')", "Bad file descriptor"),
        ("os.read(0, 1)", "Bad file descriptor"),
    ],
)
def test_an_escape_finds_nothing(code: str, found: str) -> None:
    assert found in escaped(code)


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"null",
        b"[" * 100_000,
        b"\xff",
        b'{"renderings": ' + b"9" * 10_000 + b"}",
        b'{"renderings": []}',
        b'{"renderings": [["a", "", 0], ["a", "", 0]]}',
        b'{"renderings": [["a", "", true]]}',
        b'{"renderings": [["a", "", -1]]}',
        b'{"renderings": [["a", null, 0]]}',
        b'{"renderings": [[1, "", 0]]}',
        b'{"renderings": [{"a": 1}]}',
        b'{"ended": "<script>"}',
        json.dumps({"renderings": [["a" * 400_001, "", 0]]}).encode(),
    ],
)
def test_an_answer_of_another_form_is_none(answer: bytes) -> None:
    with pytest.raises(NotRendered) as caught:
        process._renderings(answer, 1, "a")
    assert str(caught.value) == process._REASONS["forbidden"].format("rendering")


@pytest.mark.parametrize("read", [3, [3], [["f"]], [[3, {}]], "a" * 1001])
def test_calls_of_another_form_are_none(read: object) -> None:
    with pytest.raises(NotRendered):
        process._items(json.dumps({"read": [read]}).encode(), "read", 1, process._READING, process._is_read)


# --- the process itself ------------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says what a process was given")
def test_it_has_no_environment_no_folder_and_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "abc")
    process.end()
    with open(__file__, "rb") as held:
        os.set_inheritable(held.fileno(), True)
        one("")
        assert process._running is not None
        about = Path("/proc", str(process._running._number))
        assert (about / "environ").read_bytes() == b""
        assert os.readlink(about / "cwd") == "/"
        assert not any(os.readlink(each) == __file__ for each in (about / "fd").iterdir())


def test_a_process_that_was_killed_is_replaced() -> None:
    one("")
    assert process._running is not None
    os.killpg(process._running._number, signal.SIGKILL)
    with pytest.raises(NotRendered):
        one("")
    assert one("a").text == "a"


SCRIPT = """
import os, sys
sys.path.insert(0, sys.argv[1])
from toolsurface_lint.chat_templates.rendering import process
from toolsurface_lint.chat_templates.syntax import parse
def show():
    print(process.render(parse("{{ 1 + 1 }}"), {}, process.Conversations.of([{}]))[0].text, flush=True)
show()
first = process._running._number
number = os.fork()
show()
assert (process._running._number == first) == bool(number)
if number:
    os.waitpid(number, 0)
    show()
    print(first)
"""


def test_a_fork_has_a_process_of_its_own_and_all_end() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(REPOSITORY)], capture_output=True, text=True, check=True, timeout=60
    )
    *texts, last = done.stdout.splitlines()
    assert (texts, done.stderr) == (["2"] * 4, "")
    with pytest.raises(ProcessLookupError):
        os.kill(int(last), 0)


def test_what_a_program_ignores_is_not_ignored_there() -> None:
    """Its children are waited for, and a template without an end is ended by a signal."""
    script = """
import signal, sys
for number in (signal.SIGCHLD, signal.SIGPROF, signal.SIGXCPU):
    signal.signal(number, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGPROF])
sys.path.insert(0, sys.argv[1])
from toolsurface_lint.chat_templates.rendering import process
from toolsurface_lint.chat_templates.syntax import parse
for template in ("{{ 9 ** (9 ** 9) }}", "{{ 1 + 1 }}"):
    try:
        print(process.render(parse(template), {}, process.Conversations.of([{}]))[0].text)
    except process.NotRendered as error:
        print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(REPOSITORY)], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.splitlines() == [process._REASONS["time"].format("rendering"), "2"]


def test_nothing_is_imported_from_the_working_directory_or_the_environment(tmp_path: Path) -> None:
    for name in ("json", "markupsafe", "signal", "resource"):
        (tmp_path / f"{name}.py").write_text("print('imported')\nraise SystemExit(3)\n", encoding="utf-8")
    (tmp_path / "sitecustomize.py").write_text("raise SystemExit(3)\n", encoding="utf-8")
    script = f"import os; os.environ['PYTHONPATH'] = {str(tmp_path)!r}; os.chdir({str(tmp_path)!r})\n" + SCRIPT
    # What the parent imports is found before it changes the folder.
    script = "import json, signal, resource, markupsafe, select\n" + script
    done = subprocess.run(
        [sys.executable, "-c", script, str(REPOSITORY)], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr, done.stdout.splitlines()[:4]) == (0, "", ["2"] * 4)


def test_where_nothing_is_limited_nothing_is_rendered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_running", None)
    monkeypatch.setattr(process, "_refused", None)
    monkeypatch.delattr(os, "posix_spawn")
    for _ in range(2):
        with pytest.raises(NotRendered, match="this system does not limit what a process may do"):
            one("a")
