"""Renders chat templates and reads calls back: the program of a process of its own.

It is started as `python -I -S -B worker.py FOLDER...`, in an empty environment; the folders hold jinja2, markupsafe and our
`response_templates`, and nothing else but the standard library can be imported. A request comes on standard input and its
answer goes to standard output, each as four bytes of length (big-endian) and JSON. The first answer, without a request, is
`{"ready": true}` or `{"unlimited": WHY}`.

Request: `{"template": TREE, "variables": {NAME: VALUE}, "conversations": [{"messages": [...], "tools": [...], ...}]}`: the
variables of each conversation are added to those of all. TREE is the base64 of the pickled nodes of the template, its root last.
Answer: `{"ended": REASON}` if a limit was reached, else `{"renderings": [[TEXT, "", 0] | [null, MESSAGE, PLACE], ...]}`, one for
each conversation; PLACE is one more than the `lineno` of the node that failed, or 0. A template that does not compile fails so in
each conversation.

Or request: `{"response_template": VALUE, "answers": [[PROMPT, TEXT], ...]}`. Answer: `{"ended": REASON}`, or
`{"read": [[[NAME, ARGUMENTS], ...] | MESSAGE, ...]}`: the calls in each answer, or why reading it fails.

This process only forks. Each template has a process that is limited, that holds one open file, the pipe for its answer,
and that ends with it. Whoever takes control there can write that answer, which is read as what a stranger says.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.machinery import PathFinder
from typing import Any, NoReturn

MEMORY = 400 * 2**20
"""Bytes of address space, of which Python takes about a tenth."""

TEMPLATES = 16
"""Templates that one process renders: forking takes as long as rendering."""

CPU_SECONDS = 1.0
"""For one template."""
WALL_SECONDS = 10.0
"""Ten times as much as the processor's, since the machine may be busy with other things."""

MOST_RENDERED = 400_000
"""Characters of one rendering. The conversations have a few thousand, and no template is known to add 50,000."""

MOST_ANSWERED = 8 * 2**20
"""Bytes of an answer."""

RECURSION = 1000
"""Frames of Python, as many as it has by default; each macro that calls a macro takes four."""

FORBIDDEN = 77
"""The exit status of a process in which something was asked for that no template needs."""

_HARMLESS = frozenset({"builtins.id", "object.__getattr__"})
"""Audit events of rendering: `tojson` with an indent notes by `id` what it is in, and jinja2 looks at the code of functions."""
_COMPILING = _HARMLESS | {"compile", "exec"}
_LOADING = frozenset({"pickle.find_class"})


def main() -> None:
    os.chdir("/")
    os.closerange(3, 2**16)
    sys.meta_path.append(_Packages(sys.argv[1:]))  # type: ignore[arg-type]
    try:
        _limit_memory()
        _warm_up()
    except Exception as error:
        _send(json.dumps({"unlimited": str(error)}).encode(), 1)
        return
    _send(b'{"ready": true}', 1)
    _serve()


class _Packages:
    """Finds these modules in the given folders, and leaves the rest to the standard library."""

    _NAMES = ("jinja2", "markupsafe", "response_templates")

    def __init__(self, folders: list[str]) -> None:
        self._folders = folders

    def find_spec(self, name: str, path: object = None, target: object = None) -> object:
        return PathFinder.find_spec(name, self._folders) if name in self._NAMES else None


def _limit_memory() -> None:
    """Raises OSError where the system does not limit memory; some accept the limit and ignore it."""
    import resource

    try:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        bytearray(2 * MEMORY)
    except MemoryError:
        return
    except (ValueError, OSError):
        pass
    raise OSError("this system does not limit the memory of a process")


def _warm_up() -> None:
    """Import and cache what templates use: once rendering begins, no file can be opened."""
    import gc
    import random

    # Filters import `textwrap` and `urllib`, an answer `signal` and `time`.
    for name in (
        "base64",
        "jinja2.debug",
        "jinja2.sandbox",
        "pickle",
        "select",
        "signal",
        "textwrap",
        "time",
        "urllib.parse",
    ):
        import_module(name)
    random.seed(0)
    _quicken_compiler()
    environment = _environment()
    template = environment.from_string(
        "{% macro m(x) %}{{ x | tojson(indent=2) }}{% endmacro %}{% set n = namespace(a=1) %}{{ m({'a': 1.5}) }}"
        "{% for x in 'ab' | list | unique | sort %}{{ x | string | trim | urlencode | pprint }}{% endfor %}"
        "{{ strftime_now('%d %b %Y') }}{{ '{0}'.format(1) }}{{ 'a' | wordwrap(3) | random | title }}{{ missing }}{{ lipsum(1) }}"
        "{{ '<a>&amp;' | striptags | escape }}{{ 'http://a.b' | urlize }}"
    )
    template.render()
    calls = {
        "open_pattern": "(?P<name>.)",
        "content": "python-call-list",
        "transform": {"function": {"name": "{content}"}},
    }
    _read_back({"start_anchor": "a", "fields": {"tool_calls": calls}}, [["a", "b[c(d=1)]"]])
    gc.freeze()
    gc.disable()


def _quicken_compiler() -> None:
    """Let nodes remember what is below them, and visitors what they do with each kind of node.

    jinja2's compiler changes no tree, and goes through it dozens of times: that took half of its time.
    """
    from jinja2.nodes import Node
    from jinja2.visitor import NodeVisitor

    walked = Node.iter_child_nodes

    def children(self: Any, exclude: Any = None, only: Any = None) -> Any:
        if exclude or only:
            return walked(self, exclude, only)
        known = self.__dict__
        if "children" not in known:
            values = [known.get(field) for field in self.fields]
            several = [value if isinstance(value, list) else [value] for value in values]
            known["children"] = [item for value in several for item in value if isinstance(item, Node)]
        return known["children"]

    def below(self: Any) -> list[Any]:
        found: list[Any] | None = self.__dict__.get("below")
        if found is None:
            found = self.__dict__["below"] = [each for child in children(self) for each in (child, *below(child))]
        return found

    def find_all(self: Any, node_type: Any) -> Iterator[Any]:
        return iter([node for node in below(self) if isinstance(node, node_type)])

    methods: dict[tuple[type, type], Any] = {}

    def visit(self: Any, node: Any, *arguments: Any, **named: Any) -> Any:
        kinds = type(self), type(node)
        if kinds not in methods:
            methods[kinds] = getattr(kinds[0], f"visit_{kinds[1].__name__}", kinds[0].generic_visit)
        return methods[kinds](self, node, *arguments, **named)

    def generic_visit(self: Any, node: Any, *arguments: Any, **named: Any) -> None:
        for child in children(node):
            self.visit(child, *arguments, **named)

    Node.iter_child_nodes = children  # type: ignore[method-assign]
    Node.find_all = find_all  # type: ignore[method-assign]
    NodeVisitor.visit = visit  # type: ignore[method-assign]
    NodeVisitor.generic_visit = generic_visit  # type: ignore[method-assign]


def _receive(pipe: int) -> bytes | None:
    """The next message on a pipe; None when nobody can write to it any more."""
    length = _read(pipe, 4)
    return None if length is None else _read(pipe, int.from_bytes(length, "big"))


def _read(pipe: int, count: int, deadline: float | None = None) -> bytes | None:
    """That many bytes; None at their end. Raises TimeoutError at the deadline, by the monotonic clock."""
    import select
    import time

    parts = []
    while count:
        if deadline is not None and not select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))[0]:
            raise TimeoutError
        part = os.read(pipe, min(count, 2**20))
        if not part:
            return None
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _send(message: bytes, pipe: int) -> None:
    message = len(message).to_bytes(4, "big") + message
    while message:
        message = message[os.write(pipe, message[: 2**16]) :]


class _Renderer:
    """A forked process that renders `TEMPLATES` templates, one after the other, within limits."""

    def __init__(self) -> None:
        requests, self._requests = os.pipe()
        self._answers, answers = os.pipe()
        self._number = os.fork()
        self.served = 0
        if not self._number:
            try:
                os.close(self._requests)
                os.close(self._answers)
                _render_all(requests, answers)
            finally:
                os._exit(1)
        os.close(requests)
        os.close(answers)

    def ask(self, request: bytes) -> bytes:
        """The answer to a request. Raises `_Ended`."""
        import time

        self.served += 1
        deadline = time.monotonic() + WALL_SECONDS
        try:
            _send(request, self._requests)
            length = _read(self._answers, 4, deadline)
            if length is not None:
                if int.from_bytes(length, "big") > MOST_ANSWERED:
                    raise _Ended("output")
                answer = _read(self._answers, int.from_bytes(length, "big"), deadline)
                if answer is not None:
                    return answer
        except TimeoutError:
            raise _Ended("time") from None
        except BrokenPipeError:
            pass
        raise _Ended(self._why())

    def _why(self) -> str:
        """Why it has ended, when it has by itself."""
        import signal

        status = os.waitstatus_to_exitcode(os.waitpid(self._number, 0)[1])
        self._number = 0
        if status in (-signal.SIGPROF, -signal.SIGXCPU, -signal.SIGKILL):
            return "time"
        return "forbidden" if status == FORBIDDEN else "death"

    def end(self) -> None:
        import signal

        os.close(self._requests)
        os.close(self._answers)
        if self._number:
            os.kill(self._number, signal.SIGKILL)
            os.waitpid(self._number, 0)


def _serve() -> None:
    """Answer requests until nobody can ask any more."""
    renderer: _Renderer | None = None
    while (request := _receive(0)) is not None:
        if renderer is not None and renderer.served >= TEMPLATES:
            renderer.end()
            renderer = None
        while True:
            renderer = renderer or _Renderer()
            try:
                answer = renderer.ask(request)
                break
            except _Ended as ended:
                answer = json.dumps({"ended": str(ended)}).encode()
                is_first = renderer.served == 1
                renderer.end()
                renderer = None
                # The limits are for one template: what others have left behind does not count.
                if is_first:
                    break
        _send(answer, 1)


def _render_all(requests: int, answers: int) -> NoReturn:
    """Limit this process, answer requests, and end."""
    import resource
    import signal

    os.close(0)
    os.close(1)
    for limit, most in (
        (resource.RLIMIT_CPU, int(CPU_SECONDS * TEMPLATES) + 1),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 0),
        # Files that are open stay so: the two pipes, and nothing else from here on, neither a file nor a socket.
        (resource.RLIMIT_NOFILE, 0),
    ):
        resource.setrlimit(limit, (most, most))
    sys.setrecursionlimit(RECURSION)
    allowed = _HARMLESS

    def refuse(event: str, _: object) -> None:
        if event not in allowed:
            os._exit(FORBIDDEN)

    sys.addaudithook(refuse)
    while (request := _receive(requests)) is not None:
        asked = json.loads(request)
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
        answer: dict[str, object]
        try:
            if "response_template" in asked:
                allowed = _COMPILING
                answer = {"read": _read_back(asked["response_template"], asked["answers"])}
            else:
                allowed = _LOADING
                tree = _loaded(asked["template"])
                allowed = _COMPILING
                render = _compiled(tree)
                allowed = _HARMLESS
                answer = {"renderings": [render({**asked["variables"], **each}) for each in asked["conversations"]]}
        except _Ended as ended:
            answer = {"ended": str(ended)}
        # What Python's literals have and JSON has not is no argument that a template was given.
        _send(json.dumps(answer, default=repr, skipkeys=True).encode(), answers)
    os._exit(0)


class _Ended(BaseException):
    """A limit was reached; the message is the reason. It passes whatever catches the exceptions of a template."""


def _read_back(response_template: object, answers: list[list[str]]) -> list[object]:
    """The calls in each answer, or why it is refused. Raises `_Ended`."""
    module = import_module("response_templates")
    read: list[object] = []
    for prompt, text in answers:
        try:
            read.append(module.ResponseTemplate(response_template).calls(prompt, text))
        except module.Refused as refused:
            read.append(str(refused)[:1000])
        except module.NotRun:
            raise _Ended("unsupported") from None
        except (MemoryError, RecursionError) as error:
            raise _Ended(_limit_of(error)) from None
    return read


_Rendering = tuple[str | None, str, int]


def _loaded(tree: str) -> Any:
    """The root of a tree that was sent. It raises `_Ended`."""
    import pickle
    from base64 import b64decode

    try:
        # Requests are written by the process that has started this one; strangers write answers at most.
        return pickle.loads(b64decode(tree))[-1]
    except MemoryError as error:
        raise _Ended(_limit_of(error)) from None


def _compiled(root: Any) -> Callable[[dict[str, Any]], _Rendering]:
    """A function that renders a template with given variables. It raises `_Ended`."""
    import jinja2

    try:
        template = _environment().from_string(root)
    except jinja2.TemplateSyntaxError as error:
        failed = (None, str(error.message), error.lineno + 1)
        return lambda _: failed
    except (MemoryError, RecursionError) as error:
        raise _Ended(_limit_of(error)) from None
    except Exception as error:
        # The compiler of Python refuses what jinja2 has made of it.
        broken = (None, _sentence(error), 0)
        return lambda _: broken
    return lambda variables: _rendered(template, variables)


def _rendered(template: Any, variables: dict[str, Any]) -> _Rendering:
    try:
        return "".join(_bounded(template.root_render_func(template.new_context(variables)))), "", 0
    except (MemoryError, RecursionError) as error:
        raise _Ended(_limit_of(error)) from None
    except Exception as error:
        return None, _sentence(error), _place(template, error)


def _bounded(parts: Iterator[str]) -> Iterator[str]:
    size = 0
    for part in parts:
        size += len(part)
        if size > MOST_RENDERED:
            raise _Ended("output")
        yield part


def _limit_of(error: BaseException) -> str:
    return "memory" if isinstance(error, MemoryError) else "recursion"


def _sentence(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:1000]


def _place(template: Any, error: BaseException) -> int:
    """One more than the `lineno` of the innermost node at which an error was raised; 0 if there is none."""
    place = 0
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        # A filter or test that is unknown is a function of the module that only raises.
        if code.co_filename == "<template>" and not code.co_name.startswith("t_"):
            place = template.get_corresponding_lineno(trace.tb_lineno) + 1
        trace = trace.tb_next
    return place


def _environment() -> Any:
    """Jinja as transformers sets it up for chat templates (`utils/chat_template_utils.py`, 5.24)."""
    import datetime

    import jinja2
    import jinja2.ext
    import jinja2.sandbox
    import jinja2.utils

    class Generation(jinja2.ext.Extension):
        """`{% generation %}` marks what the assistant writes; it renders as what is in it."""

        tags = {"generation"}  # noqa: RUF012

        def parse(self, parser: Any) -> Any:
            line = next(parser.stream).lineno
            body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            return jinja2.nodes.Scope(body).set_lineno(line)

    class Namespace(jinja2.utils.Namespace):
        """Without names that begin with an underscore."""

        def __init__(*args: Any, **values: Any) -> None:
            self, given = args[0], args[1:]
            attributes = dict(*given, **values)
            for name in attributes:
                Namespace._check(name)
            jinja2.utils.Namespace.__init__(self, attributes)

        def __setitem__(self, name: str, value: Any) -> None:
            Namespace._check(name)
            jinja2.utils.Namespace.__setitem__(self, name, value)

        @staticmethod
        def _check(name: object) -> None:
            if isinstance(name, str) and name.startswith("_"):
                raise jinja2.exceptions.SecurityError(f"a namespace cannot hold {name!r}")

    class Dictionaries:
        """`dict`, without the attributes of a type."""

        def __call__(self, *values: Any, **named: Any) -> dict[Any, Any]:
            return dict(*values, **named)

        def fromkeys(self, *values: Any) -> dict[Any, Any]:
            return dict.fromkeys(*values)

    def to_json(
        value: object, ensure_ascii: bool = False, indent: Any = None, separators: Any = None, sort_keys: bool = False
    ) -> str:
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    def raise_exception(message: object) -> NoReturn:
        raise jinja2.TemplateError(str(message))

    def strftime_now(format: str) -> str:
        return datetime.datetime(2025, 1, 2, 3, 4, 5).strftime(format)

    class Environment(jinja2.sandbox.ImmutableSandboxedEnvironment):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            self._are_safe: dict[tuple[type, str], bool] = {}

        def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
            """The sandbox's answer, which depends on the type alone and takes a third of the time of rendering."""
            key = type(obj), attr
            is_safe = self._are_safe.get(key)
            if is_safe is None:
                is_safe = self._are_safe[key] = super().is_safe_attribute(obj, attr, value)
            return is_safe

        def handle_exception(self, source: str | None = None) -> NoReturn:
            """Raise it as it is: a traceback that shows the template is made of code objects, which nobody needs here."""
            raise

    # Folding of constants takes as long as the rest of compiling.
    environment = Environment(
        optimized=False, trim_blocks=True, lstrip_blocks=True, extensions=[Generation, "jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = to_json
    environment.globals.update(
        raise_exception=raise_exception, strftime_now=strftime_now, dict=Dictionaries(), namespace=Namespace
    )
    return environment


if __name__ == "__main__":
    main()
