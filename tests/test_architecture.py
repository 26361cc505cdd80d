"""The house: which rooms may import which. Arrows go downwards only, and nowhere in a circle."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping

import pytest

from tests.package_source import PACKAGE, module_name, nodes

FLOORS = (
    {"source"},
    {"knowledge"},
    {"protocols"},
    {"model", "schemas", "chat_templates"},
    {"programs"},
    {"readers", "checks"},
    {"own_rules"},
    {"project", "reporters", "snapshot"},
    {"run"},
    {"api", "arrow", "dataset"},
    {"toolsurface_lint"},
    {"cli", "server"},
    {"__main__"},
)
"""The rooms (packages and modules of the top level), from the ground up."""


def imports() -> dict[str, set[str]]:
    """What each module imports of the package, anywhere in its text, for types too.

    The package itself does not count: whatever is imported of it imports it first.
    """
    modules = {module_name(path): within for path, within in nodes().items()}
    return {name: set(_imported(within, modules)) for name, within in modules.items()}


def _imported(within: Iterable[ast.AST], names: Iterable[str]) -> Iterator[str]:
    for node in within:
        if isinstance(node, ast.ImportFrom) and node.module is not None and node.module.startswith(PACKAGE.name):
            module = node.module.removeprefix(PACKAGE.name).removeprefix(".")
            for alias in node.names:
                inner = f"{module}.{alias.name}".removeprefix(".")
                if module or inner in names:
                    yield inner if inner in names else module


@pytest.fixture(scope="module")
def modules() -> dict[str, set[str]]:
    return imports()


def room(module: str) -> str:
    return module.partition(".")[0]


def circle(graph: Mapping[str, set[str]]) -> list[str]:
    """Some circle in a graph, as the way around it; empty if there is none."""
    done: set[str] = set()

    def visit(node: str, way: list[str]) -> list[str]:
        if node in way:
            return [*way[way.index(node) :], node]
        if node in done:
            return []
        for other in sorted(graph.get(node, ())):
            found = visit(other, [*way, node])
            if found:
                return found
        done.add(node)
        return []

    return next((found for node in sorted(graph) if (found := visit(node, []))), [])


def test_every_room_has_its_floor(modules: dict[str, set[str]]) -> None:
    assert {room(module) for module in modules} == set().union(*FLOORS)
    assert sum(map(len, FLOORS)) == len(set().union(*FLOORS))


def test_nothing_imports_from_a_floor_above(modules: dict[str, set[str]]) -> None:
    floor = {name: number for number, rooms in enumerate(FLOORS) for name in rooms}
    upwards = [
        (module, other)
        for module, others in modules.items()
        for other in sorted(others)
        if floor[room(other)] > floor[room(module)]
    ]
    assert upwards == []


def test_rooms_do_not_need_each_other(modules: dict[str, set[str]]) -> None:
    rooms: dict[str, set[str]] = {}
    for module, others in modules.items():
        rooms.setdefault(room(module), set()).update(room(other) for other in others if room(other) != room(module))
    assert circle(rooms) == []


def test_modules_do_not_need_each_other(modules: dict[str, set[str]]) -> None:
    assert circle({module: others - {module} for module, others in modules.items()}) == []


STARTS = re.compile(
    r"(posix_)?spawn[a-z]*|exec[vl][pe]{0,2}|system|popen|Popen|startfile|subprocess(_\w+)?|create_subprocess_\w+|pty"
    r"|open_process|run_process"
)


def test_programs_are_started_in_three_places() -> None:
    """The doors to git, to Python that renders chat templates, and to the servers that `snapshot` is given; see SECURITY.md."""
    found = {
        module_name(path)
        for path, within in nodes().items()
        for node in within
        if (isinstance(node, ast.Attribute) and STARTS.fullmatch(node.attr))
        or (isinstance(node, ast.ImportFrom) and STARTS.fullmatch(node.module or ""))
        or (isinstance(node, ast.Import) and any(STARTS.fullmatch(alias.name) for alias in node.names))
    }
    assert found == {"project.git.process", "chat_templates.rendering.process", "snapshot.process"}


NETWORK = {"socket", "ssl", "http", "urllib.request", "httpx2", "mcp", "asyncio", "anyio"}


def importers(packages: Iterable[str]) -> set[str]:
    """The modules that import any of some packages of others, anywhere in their text."""
    found = set()
    for path, within in nodes().items():
        for node in within:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(name == each or name.startswith(f"{each}.") for name in names for each in packages):
                found.add(module_name(path))
    return found


def test_the_network_is_reached_by_one_room() -> None:
    """The language server speaks with its client through the loop of its library."""
    found = importers(NETWORK)
    assert {room(module) for module in found} == {"snapshot", "cli", "server"}
    assert {module for module in found if room(module) == "cli"} == {"cli.snapshot"}


ENGINES = ("daft", "ray", "pyarrow")


def test_engines_and_arrow_are_loaded_by_two_rooms() -> None:
    """Nobody else pays for them, and nobody else needs them to be there."""
    found = importers(ENGINES)
    assert {room(module) for module in found} == {"arrow", "dataset"}


WRITING = {"write", "writelines", "writable", "buffer", "print_exc"}


def test_one_module_writes_to_the_standard_streams() -> None:
    """Text of strangers is made visible there; nothing else may write past it. The server speaks its protocol."""
    found = []
    for path, within in nodes().items():
        name = module_name(path)
        for node in within:
            writes = isinstance(node, ast.Name) and node.id == "print"
            if isinstance(node, ast.Attribute) and node.attr in ("echo", "secho", "show", "excepthook"):
                writes = ast.unparse(node) in ("click.echo", "click.secho", "error.show", "sys.excepthook")
            if isinstance(node, ast.Attribute) and node.attr in WRITING:
                streams = ("sys.stdout", "sys.stderr", "sys.__stdout__", "sys.__stderr__")
                writes = ast.unparse(node.value) in streams
            # Passed to something that writes, or kept under another name.
            if isinstance(node, ast.Call | ast.Assign):
                given = (
                    [*node.args, *(word.value for word in node.keywords)]
                    if isinstance(node, ast.Call)
                    else [node.value]
                )
                given = [each for each in given if isinstance(each, ast.Attribute)]
                writes = any(ast.unparse(each) in ("sys.stdout", "sys.stderr") for each in given)
            if writes:
                found.append(name)
    assert set(found) == {"cli.stream", "server.program"}


@pytest.mark.parametrize(
    ("graph", "found"),
    [
        ({}, []),
        ({"a": {"b", "c"}, "b": {"c"}}, []),
        ({"a": {"b"}, "b": {"c"}, "c": {"b"}}, ["b", "c", "b"]),
        ({"a": {"a"}}, ["a", "a"]),
    ],
)
def test_a_circle_is_found(graph: dict[str, set[str]], found: list[str]) -> None:
    assert circle(graph) == found


OPENING = {
    "source.files",
    # Files of the package itself, and a pipe of our own.
    "checks.pages", "reporters.page", "project.git.process",
}  # fmt: skip
"""The modules that open something to read it."""


def test_everything_is_opened_in_one_place() -> None:
    """There alone pipes, devices and files without an end are refused."""
    found = set()
    for path, within in nodes().items():
        for node in within:
            if isinstance(node, ast.Call) and _called(node) in _OPENS and not _writes(node):
                found.add(module_name(path))
            if isinstance(node, ast.Attribute) and node.attr in ("read_text", "read_bytes"):
                found.add(module_name(path))
    # A pipe that the shell hands over, a new file, a lock and the user's own cache are opened where it is said why.
    assert found - OPENING == {"dataset.state", "project.settings.loading", "run.cache.folder", "run.writing"}


_OPENS = ("open", "io.open", "os.open", "mmap.mmap")


def _called(call: ast.Call) -> str:
    """The function that a call names; empty if its last name is that of nothing which opens."""
    last = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return ast.unparse(call.func) if last in ("open", "mmap") else ""


def _writes(call: ast.Call) -> bool:
    mode = next(
        (word.value for word in call.keywords if word.arg == "mode"), call.args[1] if len(call.args) > 1 else None
    )
    return isinstance(mode, ast.Constant) and isinstance(mode.value, str) and mode.value[:1] in ("w", "x", "a")


ASKING = re.compile(
    r"os\.(stat|lstat|scandir|listdir|walk|fwalk|readlink|access|path\.(exists|lexists|isfile|isdir|islink|ismount|isjunction"
    r"|getsize|get[amc]time|realpath|samefile))|pathlib|glob\.i?glob|shutil\.which"
)
NOT_ABOUT_FILES = {
    # Files of the package itself.
    "source.modules", "checks.pages", "chat_templates.rendering.process",
    # What is written, and where to: of a run that writes, nothing is kept.
    "run.writing", "run.fixes", "run.locking", "run.baseline", "run.add_suppressions.plan", "run.add_suppressions.ignores",
    # The cache itself.
    "run.cache", "run.cache.entry", "run.cache.folder", "run.cache.identity",
    # What is compared with a coverage baseline is checked anew.
    "run.coverage_baseline",
    # Two versions are compared anew each time.
    "project.versions",
}  # fmt: skip


def test_the_disk_is_asked_in_one_place() -> None:
    """What a run asks elsewhere, the cache does not know: it would take a report for true that is not any more."""
    found = {
        (module_name(path), ast.unparse(node))
        for path, within in nodes().items()
        if room(module_name(path))
        not in ("api", "cli", "server", "dataset", "arrow", "snapshot", "reporters", "__main__")
        for node in within
        if isinstance(node, ast.Attribute | ast.alias) and ASKING.fullmatch(ast.unparse(node))
    }
    assert {module for module, _ in found} - NOT_ABOUT_FILES == {"source.disk", "source.files"}
    assert {what for module, what in found if module == "source.files"} == {"os.stat"}
