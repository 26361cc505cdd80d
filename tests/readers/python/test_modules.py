"""Which of several files an import names, and how much work it is to find."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.long import examples
from tests.work import lines_run
from toolsurface_lint.programs.framework import frameworks, is_framework
from toolsurface_lint.programs.python import modules as python_modules
from toolsurface_lint.programs.python.modules import PythonModule, PythonModules
from toolsurface_lint.readers.programs.tools import read_programs
from toolsurface_lint.source.text import SourceText

NAMES = st.lists(st.sampled_from("ab"), min_size=1, max_size=4).map("/".join)
PATHS = st.lists(st.tuples(NAMES, st.sampled_from([".py", "/__init__.py"])).map("".join), unique=True, max_size=12)
DOTTED = st.lists(st.sampled_from("ab"), min_size=1, max_size=3).map(".".join)


def modules(paths: list[str]) -> PythonModules:
    return PythonModules([SourceText(path, "") for path in paths])


def shared(ours: tuple[str, ...], theirs: tuple[str, ...]) -> int:
    return next(
        (count for count, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs))
    )


def one_by_one(found: PythonModules, importer: PythonModule, dotted: str) -> PythonModule | None:
    names = tuple(dotted.split("."))
    packages = {module.names for module in found.all if module.is_package}
    ranked = []
    for module in found.all:
        root = module.names[: -len(names)]
        hidden = not module.is_package and module.names in packages
        outside = importer.names[: len(root)] != root
        if module.names[-len(names) :] == names and root not in packages and not hidden and not outside:
            ranked.append((-shared(importer.names, module.names), len(root), root, module))
    return min(ranked, key=lambda each: each[:3])[3] if ranked else None


@pytest.mark.slow
@given(PATHS, DOTTED)
@settings(max_examples=examples(300), deadline=None)
def test_an_import_names_the_nearest_file(paths: list[str], dotted: str) -> None:
    found = modules(paths)
    for importer in found.all:
        assert found.absolute(importer, dotted) is one_by_one(found, importer, dotted)


def test_work_of_imports_grows_with_the_files() -> None:
    def work(size: int) -> int:
        found = modules([f"d{number}/p/{name}.py" for number in range(size) for name in ("utils", "main")])

        def all_imports() -> None:
            for importer in found.all:
                for dotted in ("utils", "p.utils", f"{importer.names[0]}.p.utils"):
                    assert found.absolute(importer, dotted).names == (importer.names[0], "p", "utils")

        return lines_run(all_imports)

    assert work(400) < 5.5 * work(100)


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("src/kit/notes.py", ("notes",)),
        ("src/kit/agno/notes.py", ("agno", "notes")),
        # An `__init__.py` in a folder whose name cannot be imported makes no package of it.
        ("src/agno-kit/agno/notes.py", ("agno", "notes")),
    ],
)
def test_a_file_is_imported_by_the_names_of_its_packages(path: str, names: tuple[str, ...]) -> None:
    found = modules(["src/kit/agno/__init__.py", "src/agno-kit/__init__.py", "src/agno-kit/agno/__init__.py", path])
    assert next(module.import_names for module in found.all if module.path == path) == names


def test_who_imports_a_framework_from_its_own_repository_is_followed_only_with_a_sign_of_tools(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parse, parsed = python_modules.parse_python, list[str]()
    monkeypatch.setattr(python_modules, "parse_python", lambda source: parsed.append(source.path) or parse(source))
    tool = "from agno.tools import tool\n\n@tool\ndef {}(path: str):\n    '''Reads.'''\n"
    files = {
        "agno/__init__.py": "",
        "agno/parts.py": "class Toolkit: ...\nclass FunctionCall: ...\n",
        "agno/reading.py": tool.format("read_note"),
        "notes/__init__.py": "",
        "notes/reading.py": tool.format("read_page"),
        "examples/plain.py": "from agno.reading import read_note\n",
        "examples/with_tools.py": "from agno.reading import read_note\nAgent(tools=[read_note])\n",
        "run.py": "from notes.reading import read_page\n",
    }
    found = read_programs([SourceText(path, text) for path, text in files.items()])
    assert {tool.name for tool in found.tools} == {"read_note", "read_page"}
    assert set(parsed) == {"agno/reading.py", "notes/reading.py", "examples/with_tools.py", "run.py"}


OPENAI_AGENTS = {
    "src/agents/__init__.py": "",
    "src/agents/tool.py": "def function_tool(f): ...\n",
    "src/agents/run/__init__.py": "",
    "src/agents/run/context.py": "class RunContextWrapper: ...\n",
}
MCP = {"src/mcp/__init__.py": "", "src/mcp/session.py": "class ClientSession: ...\n\nclass ServerSession: ...\n"}
ADK = {
    "src/google/adk/__init__.py": "",
    "src/google/adk/agents/__init__.py": "class LlmAgent: ...\nclass InvocationContext: ...\n",
}
OWN_CLIENT = {
    "mcp/__init__.py": "from mcp.client import Client\n",
    "mcp/client.py": "class Client: ...\n\nclass Tool: ...\n",
}
QUOTED = {"mcp/__init__.py": '"""\n    class ClientSession:\n    class ServerSession:\n"""\n'}


@pytest.mark.parametrize(
    ("files", "path", "expected"),
    [
        pytest.param(OPENAI_AGENTS, "src/agents/run/context.py", True, id="OpenAI's agents"),
        pytest.param(OPENAI_AGENTS | {"agents/__init__.py": ""}, "agents/__init__.py", False, id="others beside them"),
        pytest.param({"agents/__init__.py": "class Agent: ...\n"}, "agents/__init__.py", False, id="an application's"),
        pytest.param({"agents.py": "class Agent: ...\n"}, "agents.py", False, id="one file"),
        pytest.param(MCP, "src/mcp/__init__.py", True, id="the SDK of MCP"),
        pytest.param(OWN_CLIENT, "mcp/client.py", False, id="an application's client"),
        pytest.param(QUOTED, "mcp/__init__.py", False, id="a text about classes"),
        pytest.param(ADK, "src/google/adk/agents/__init__.py", True, id="Google's kit"),
        pytest.param(
            {"plugins/google/__init__.py": "class LLM: ...\n"}, "plugins/google/__init__.py", False, id="plugin"
        ),
    ],
)
def test_a_package_is_the_framework_of_its_name_if_it_defines_what_that_one_does(
    files: dict[str, str], path: str, expected: bool
) -> None:
    found = PythonModules([SourceText(name, text) for name, text in files.items()])
    assert is_framework(next(module for module in found.all if module.path == path)) is expected


def test_every_package_of_a_framework_says_what_it_defines() -> None:
    assert {root for framework in frameworks() for root, own in framework.packages.items() if not own} == set()
