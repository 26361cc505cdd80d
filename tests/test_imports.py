"""Which modules a run imports: what it does not need, it must not pay for."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).resolve().parents[1]

HEAVY = {
    "asyncio",
    "ast",
    "click",
    "dataclasses",
    "difflib",
    "importlib.metadata",
    "importlib.resources",
    "inspect",
    "ipaddress",
    "jsonschema",
    "logging",
    "markdown_it",
    "pathlib",
    "referencing",
    "sarif_om",
    "subprocess",
    "tempfile",
    "tomli",
    "traceback",
    "urllib.parse",
    "uuid",
    "yaml",
}

TOOLS = '[{"name": "read_file", "description": "Read.", "input_schema": {"type": "object", "properties": {}}}]'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {
        "tools/tools.json": TOOLS,
        "quiet/system.md": "# Role\n\nBe brief.\n",
        "yaml/policy.yaml": "tools: [read_file]\n",
        "toml/policy.toml": 'tools = ["read_file"]\n',
        "settings/tools.json": TOOLS,
        "settings/toolsurface.toml": 'ignore = ["TOOL_NAME"]\n\n[severity]\nTOOL_SCHEMA_INVALID = "warning"\n',
        "programs/tools.json": TOOLS,
        "programs/app.py": "import json\n\n\ndef run(tools):\n    return json.dumps(tools)\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def imported(folder: Path, *arguments: str) -> set[str]:
    """The modules that a run of the command has imported when it is done, beyond those of a bare interpreter."""
    # `-S`: what the environment's own start-up files import is not ours. The path then has to be given whole.
    program = f"""
import sys
before = set(sys.modules)
sys.path[:0] = {[str(REPOSITORY), *sys.path]!r}
from toolsurface_lint.__main__ import run
code = run({list(arguments)!r})
assert code in (0, 1), code
print("MODULES", *(set(sys.modules) - before))
"""
    done = subprocess.run(
        [sys.executable, "-S", "-c", program], cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.rsplit("MODULES", 1)[1].split())


@pytest.mark.parametrize(
    ("working", "arguments", "needed"),
    [
        ("tools", ["check", "tools.json"], set()),
        ("tools", ["check", "tools.json", "--output", "json", "--fail-on", "info"], set()),
        ("quiet", ["check", "system.md"], set()),
        (".", ["check", "tools"], set()),
        # Programs that define no tools are not parsed.
        (".", ["check", "programs"], set()),
        ("yaml", ["check", "policy.yaml"], {"yaml"}),
        ("toml", ["check", "policy.toml"], {"tomli"}),
        ("settings", ["check", "tools.json"], {"tomli"}),
    ],
)
def test_a_run_imports_nothing_heavy_but_what_it_needs(
    folder: Path, working: str, arguments: list[str], needed: set[str]
) -> None:
    # From inside the folder: what lies around a given file is read with it.
    found = imported(folder / working, *arguments)
    assert found & HEAVY == needed
    assert "toolsurface_lint.run.analysis" in found


def test_settings_without_errors_need_no_places(folder: Path) -> None:
    found = imported(folder / "settings", "check", "tools.json")
    assert {name for name in found if name.startswith("toolsurface_lint.source.toml.")} == {
        "toolsurface_lint.source.toml.values"
    }


def test_what_people_ask_for_is_imported_when_they_ask(folder: Path) -> None:
    asked = {
        "toolsurface_lint.cli.completion",
        "toolsurface_lint.reporters.explanations",
    }
    rare = {"difflib", "multiprocessing", "select", "signal", "textwrap"}
    assert imported(folder / "tools", "check", "tools.json") & (asked | rare) == set()
    explained = imported(folder / "tools", "check", "tools.json", "--explain", "--select", "TOOL_SCHEMA")
    assert "toolsurface_lint.reporters.explanations" not in explained - asked


def test_what_a_file_has_nothing_of_is_not_imported(folder: Path) -> None:
    absent = {f"toolsurface_lint.{name}" for name in ("cli.command_table", "model.transcript", "model.code")}
    absent |= {
        f"toolsurface_lint.{name}" for name in ("checks.code", "knowledge.client_files", "knowledge.provider_schemas")
    }
    absent |= {"unicodedata"}
    assert imported(folder / "tools", "check", "tools.json") & absent == set()


@pytest.mark.parametrize(("working", "name"), [("tools", "tools.json"), ("quiet", "system.md")])
def test_what_only_files_of_clients_need_is_not_imported(folder: Path, working: str, name: str) -> None:
    knowledge = {f"knowledge.{name}" for name in ("actions", "hooks", "published_servers", "server_lists")}
    readers = {f"readers.{name}" for name in ("commands", "hooks", "server_lists", "shell_words")}
    checks = {"checks.hook._plugins", "checks.prompt._orders", "model.published"}
    absent = {f"toolsurface_lint.{name}" for name in knowledge | readers | checks}
    assert imported(folder / working, "check", name) & absent == set()


def test_a_prompt_alone_needs_no_rules_about_tools(folder: Path) -> None:
    found = imported(folder / "quiet", "check", "system.md")
    assert {
        name for name in found if name.startswith(("toolsurface_lint.checks.tool", "toolsurface_lint.schemas"))
    } == set()


def test_click_comes_alone(folder: Path) -> None:
    found = imported(folder, "--version")
    assert "click" in found
    assert found & {"jsonschema", "markdown_it", "sarif_om", "yaml", "tomli", "importlib.metadata"} == set()
    assert {name for name in found if name.startswith("toolsurface_lint.checks")} == set()


def test_the_package_itself_imports_nothing() -> None:
    program = "import sys; before = set(sys.modules); import toolsurface_lint; print(*(set(sys.modules) - before))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, text=True, check=True, timeout=60
    )
    assert [name for name in done.stdout.split() if name.startswith("toolsurface_lint")] == ["toolsurface_lint"]


def test_sarif_is_imported_for_sarif_only(folder: Path) -> None:
    assert "sarif_om" in imported(folder, "check", "tools/tools.json", "--output", "sarif=out.sarif")


def test_the_page_of_surfaces_is_imported_for_itself_only(folder: Path) -> None:
    def views(*arguments: str) -> set[str]:
        names = ("toolsurface_lint.run.inspection", "toolsurface_lint.reporters.page")
        return {name for name in imported(folder, *arguments) if name.startswith(names)}

    assert views("check", "tools/tools.json") == set()
    assert views("surface", "tools/tools.json", "--output", "json=out.json") == {"toolsurface_lint.run.inspection"}
    assert "toolsurface_lint.reporters.page.surface" in views("surface", "tools", "--output", "html=out.html")


def test_grammars_are_imported_only_where_there_is_something_to_read_by_them(folder: Path) -> None:
    for name, text in {"template/a.harn.prompt": "Hello {{ name }}.\n", "response/1.txt": "Hello.\n"}.items():
        (folder / name).parent.mkdir()
        (folder / name).write_text(text, encoding="utf-8")

    def grammars(working: str, *arguments: str) -> set[str]:
        prefix = "toolsurface_lint.protocols."
        found = imported(folder / working, "check", *arguments)
        return {name.removeprefix(prefix) for name in found if name.startswith(prefix)}

    assert grammars("tools", "tools.json") == grammars("quiet", "system.md") == set()
    found = grammars("template", "a.harn.prompt")
    assert "templates" in found
    assert "tagged" not in found
    found = grammars("response", "1.txt", "--kind", "response", "--protocol", "fenced-json")
    assert "fenced_json" in found
    assert found.isdisjoint({"tagged", "templates"})
