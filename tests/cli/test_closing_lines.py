"""What the closing lines say of what could not be checked, so that "no problems" means what it says."""

import json
from textwrap import indent

import pytest

from tests.files import write_files
from toolsurface_lint.project import other_languages

TOOLS = '[{"name": "read_file", "description": "Read a file.", "inputSchema": {"type": "object"}}]\n'
PROMPT = "Use the `read_file` tool.\n"
LOOP = """\
from mcp.server.fastmcp import FastMCP

server = FastMCP("files")


@server.tool()
def read_file(path: str) -> str:
    \"\"\"Read a file.\"\"\"


for tool in load():
    server.add_tool(tool)
"""
OPEN = "may have tools that were not seen, so unknown names are not reported"
LOOP_REASON = "tools registered in a loop over a call's result"


@pytest.fixture
def closing(run, tmp_path):
    """The closing lines of a run over some files, after the first, which counts."""

    def check(files, *arguments):
        write_files(tmp_path / "project", files)
        done = run("check", "--output", "concise", "--fail-on", "never", *arguments, cwd="project")
        assert done.stderr == "" or "nothing to check was recognised" in done.stderr, done.stderr
        lines = done.stdout.splitlines()
        first = next(
            number for number, line in enumerate(lines) if line.startswith(("Found", "No problems", "Nothing"))
        )
        return lines[first + 1 :]

    return check


def test_nothing_is_added_where_all_was_checked(closing):
    files = {"tools.json": TOOLS, "prompts/a.md": PROMPT, "policy.toml": 'tools = ["read_file"]\n'}
    assert closing(files) == []


class TestOpenSurfaces:
    def test_one(self, closing):
        assert closing({"server.py": LOOP, "prompts/a.md": PROMPT}) == [
            f"The surface is open: it {OPEN}.",
            f"  1: {LOOP_REASON} (server.py:11)",
        ]

    def test_some_of_several(self, closing):
        files = {"a/server.py": LOOP, "b/server.py": LOOP, "c/tools.json": TOOLS}
        assert closing(files) == [
            f"2 of 3 surfaces are open: they {OPEN} there.",
            f"  2: {LOOP_REASON} (a/server.py:11)",
        ]

    def test_reasons_that_differ_in_names_are_one_and_the_most_frequent_come_first(self, closing):
        def agent(name):
            return (
                f'from agents import Agent\nfrom notes import {name}\n\nagent = Agent(name="a", tools=[{name}()])\n'
                + LOOP.split("for ")[0]
            )

        files = {f"{name}/agent.py": agent(name) for name in ("FirstTool", "SecondTool")}
        assert closing({**files, "z/server.py": LOOP})[1:] == [
            "  2: a tool of class `FirstTool`, which is not in the files read, and the like (FirstTool/agent.py:4)",
            f"  1: {LOOP_REASON} (z/server.py:11)",
        ]

    def test_what_has_no_tools_is_not_called_open(self, closing):
        assert not any("open" in line for line in closing({"prompts/a.md": PROMPT, ".claude/agents/b.md": AGENT}))

    def test_as_data(self, run, tmp_path):
        write_files(tmp_path / "project", {"a/server.py": LOOP, "b/tools.json": TOOLS})
        outputs = ("--output", "json=report.json", "--output", "sarif=report.sarif", "--fail-on", "never")
        assert run("check", *outputs, cwd="project").returncode == 0
        report = json.loads((tmp_path / "project/report.json").read_text(encoding="utf-8"))
        log = json.loads((tmp_path / "project/report.sarif").read_text(encoding="utf-8"))
        reasons = [{"reason": LOOP_REASON, "surfaces": 1, "path": "a/server.py", "line": 11}]
        for data in (report, log["runs"][0]["properties"]):
            assert (data["open_reasons"], data["without_tools"], data["unread_tools"]) == (reasons, [], [])
            assert data["summary"]["open_surfaces"] == 1


AGENT = "---\nname: b\ndescription: Reviews.\ntools: Read\n---\nUse the Read tool.\n"


class TestWithoutTools:
    def test_prompts_and_policies(self, closing):
        assert closing({"prompts/a.md": PROMPT}) == ["1 prompt was checked against no tools: prompts/a.md."]
        policy = {"prompts/b.md": PROMPT, "policy.toml": 'tools = ["read_file"]\nside_effect_level = "read_only"\n'}
        assert closing(policy) == ["2 prompts and 1 policy were checked against no tools, such as policy.toml."]

    def test_what_coding_clients_read_is_checked_against_their_tools(self, closing):
        assert closing({"CLAUDE.md": PROMPT, ".claude/agents/b.md": AGENT}) == []
        assert closing({"AGENTS.md": PROMPT}) == ["1 prompt was checked against no tools: AGENTS.md."]

    def test_a_prompt_of_two_surfaces_has_met_tools_in_one_of_them(self, closing):
        settings = """\
[[surface]]
name = "one"
prompts = ["prompts/*.md"]

[[surface]]
name = "two"
tools = ["tools.json"]
prompts = ["prompts/a.md"]
"""
        files = {"toolsurface.toml": settings, "tools.json": TOOLS, "prompts/a.md": PROMPT, "prompts/b.md": PROMPT}
        assert closing(files) == ["1 prompt was checked against no tools: prompts/b.md."]

    def test_of_given_files_only_those_count(self, closing):
        files = {"prompts/a.md": PROMPT, "prompts/b.md": PROMPT}
        assert closing(files, "prompts/b.md") == ["1 prompt was checked against no tools: prompts/b.md."]


DECORATED = """\
from lib import Agent, registry


@registry.register_tool("x")
def read_file(path: str) -> str:
    return Agent(tools=[])
"""
NAMED_CLASS = """\
from lib import Base


class ReadFileTool(Base):
    name = "read_file"
    description: str = "Read a file."

    def execute(self, path: str) -> str:
        return path
"""
DERIVED_CLASS = """\
from lib import base


class ReadFile(base.FileTool):
    @property
    def name(self):
        return "read_file"

    @property
    def description(self):
        return "Read a file."

    async def run(self, path: str) -> str:
        return path
"""
CONSTRUCTED = """\
from lib import Tool


class ReadFile(Tool):
    def __init__(self, **rest):
        super().__init__(name="read_file", description="Read a file.", inputs={})

    async def __call__(self, inputs: dict):
        yield inputs
"""
ACTION = """\
from lib import Controller


def set_up(controller: Controller):
    @controller.action()
    async def read_file(path: str) -> str:
        return path
"""
DECORATED_METHODS = """\
from lib import Toolbox, activity


class FilesTool(Toolbox):
    @activity(config={"description": "Read a file.", "schema": PATH})
    def read_file(self, values):
        return values
"""
DECORATED_BY_AN_API = """\
from lib import Action, tool_api


class Files(Action):
    @tool_api
    def read_file(self, path: str) -> str:
        return path
"""
MESSAGE = """\
from lib import ToolMessage


class FindTool(ToolMessage):
    request: str = "find"
    purpose: str = "Find a <term>."
    term: str
"""
PLUGIN = """\
name: search_shops
description: Finds shops by what they sell.
parameters:
  - name: goods
    type: str
    description: What to look for.
"""
NOT_UNDERSTOOD = {
    DECORATED_METHODS: "the class `FilesTool`, which is not derived from a known one (app/code.py:4)",
    DECORATED_BY_AN_API: "a function with the decorator `@tool_api` (app/code.py:6)",
    DECORATED: "a function with the decorator `@registry.register_tool` (app/code.py:5)",
    DECORATED.replace(
        "registry.register_tool", "app_tool"
    ): "a function with the decorator `@app_tool` (app/code.py:5)",
    NAMED_CLASS: "the class `ReadFileTool`, which is not derived from a known one (app/code.py:4)",
    DERIVED_CLASS: "the class `ReadFile`, which is not derived from a known one (app/code.py:4)",
    CONSTRUCTED: "the class `ReadFile`, which is not derived from a known one (app/code.py:4)",
    ACTION: "a function with the decorator `@controller.action` (app/code.py:6)",
    MESSAGE: "the class `FindTool`, which is not derived from a known one (app/code.py:4)",
    LOOP.replace("@server.tool()\n", ""): f"{LOOP_REASON} (app/code.py:10)",
}


class TestNotUnderstood:
    @pytest.mark.parametrize(("code", "reason"), NOT_UNDERSTOOD.items())
    def test_python(self, closing, code, reason):
        lines = closing({"app/code.py": code, "app/notes.py": "tools = ['a']\n", "prompts/a.md": PROMPT})
        assert lines[1:] == ["1 file seems to have tools, but none was understood.", f"  1: {reason}"]

    @pytest.mark.parametrize("text", [PLUGIN, f"- name: other\n-{indent(PLUGIN, '  ')[1:]}"])
    def test_a_definition_that_lists_its_parameters(self, closing, text):
        line = 1 + text.startswith("- name: other")
        lines = closing({"plugins/search.yaml": text, "prompts/a.md": PROMPT})
        reason = f"the definition of `search_shops`, which is in no known format (plugins/search.yaml:{line})"
        assert lines[1:] == ["1 file seems to have tools, but none was understood.", f"  1: {reason}"]

    @pytest.mark.parametrize(
        "text",
        [
            PLUGIN.replace("parameters:", "columns:"),
            PLUGIN.replace("    type: str", "    in: query"),
            PLUGIN.replace("    description: What to look for.\n", ""),
            "name: search\ndescription: Finds shops.\nparameters: []\n",
        ],
    )
    def test_other_things_with_a_name_and_parameters(self, closing, text):
        assert closing({"plugins/search.yaml": text, "prompts/a.md": PROMPT})[1:] == []

    def test_it_opens_the_surface_of_its_folder(self, run, tmp_path):
        files = {"app/code.py": NAMED_CLASS, "app/tools.json": TOOLS, "app/prompts/a.md": "Call red_file({}).\n"}
        write_files(tmp_path / "project", files)
        done = run("check", "--output", "json", cwd="project")
        report = json.loads(done.stdout)
        assert report["diagnostics"] == []
        reason = "the class `ReadFileTool`, which is not derived from a known one"
        assert report["open_reasons"] == [{"reason": reason, "surfaces": 1, "path": "app/code.py", "line": 4}]
        assert report["unread_tools"] == [{"reason": reason, "path": "app/code.py", "line": 4}]
        assert report["skipped"] == [
            {"path": "app/code.py", "reason": "looks like tools, but is not understood", "line": 4}
        ]

    @pytest.mark.parametrize(
        "code",
        [
            "class Hammer(Tool):\n    name = 'hammer'\n    description = 'Of steel.'\n",
            "class ListFiles(Command):\n    name = 'ls'\n    description = 'List.'\n\n    def run(self):\n        ...\n",
            "from promptflow.core import tool\n\n\n@tool\ndef grade(answer):\n    ...\n",
            "@server.call_tool()\ndef f():\n    ...\n",
            "from pytest import tool_path\n\n\n@with_toolbox\ndef f():\n    Agent(tools=[])\n",
        ],
    )
    def test_other_code_is_not_mentioned(self, closing, code):
        assert closing({"app/code.py": code, "prompts/a.md": PROMPT})[1:] == []

    def test_files_with_tools_are_not_mentioned(self, closing):
        code = NAMED_CLASS + LOOP.split("for ")[0]
        assert closing({"server.py": code, "prompts/a.md": PROMPT}) == []


OTHER_LANGUAGES = {
    "lesson.ipynb": ('"tools = [weather]"\n', "tools in a notebook"),
    "lib/tools.rb": ("class Weather < RubyLLM::Tool\n", "tools in Ruby"),
    "src/Tools.php": ("#[McpTool(name: 'a')]\n", "tools in PHP"),
    "Sources/main.swift": ("server.withMethodHandler(ListTools.self) { _ in\n", "tools in Swift"),
}


class TestOtherLanguages:
    @pytest.mark.parametrize("path", OTHER_LANGUAGES)
    def test_each(self, closing, path):
        code, reason = OTHER_LANGUAGES[path]
        assert closing({path: f"// {path}\n\n{code}"}) == [
            "1 file seems to have tools, but none was understood.",
            f"  1: {reason}, which is not read ({path}:3)",
        ]

    def test_only_where_no_tools_were_read_and_below_the_folders_asked_for(self, closing):
        code = OTHER_LANGUAGES["lib/tools.rb"][0]
        files = {"a/index.rb": code, "a/tests/index.rb": code, "a/index_test.rb": code}
        files |= {"b/tools.json": TOOLS, "c/prompts/a.md": PROMPT, "d/dist/index.rb": code, "e/index.rb": code}
        files |= {"toolsurface.toml": 'exclude = ["e"]\n'}
        assert closing(files) == []
        assert [line for line in closing({}, "a", "d", "e", "--allow-empty") if line.startswith("  ")] == [
            "  1: tools in Ruby, which is not read (a/index.rb:1)"
        ]
        assert closing({}, "c/prompts/a.md") == []

    def test_at_most_so_many_files_are_looked_at_and_those_that_speak_of_tools_come_first(self, tmp_path, monkeypatch):
        from toolsurface_lint import check_paths

        monkeypatch.setattr(other_languages, "MAX_FILES", 2)
        monkeypatch.setattr(other_languages, "MAX_BYTES", 100)
        code = OTHER_LANGUAGES["lib/tools.rb"][0]
        files = {f"{name}.rb": code for name in ("a", "b", "tools/c")} | {"tools/d.rb": " " * 100 + code}
        write_files(tmp_path, files)
        monkeypatch.chdir(tmp_path)
        assert [unseen.path for unseen in check_paths(["."]).unread_tools] == ["tools/c.rb"]


class TestChatTemplates:
    ENDLESS = (
        "{% if add_generation_prompt %}{% for a in range(9999) %}{% for b in range(9999) %}{{ messages }}"
        "{% endfor %}{% endfor %}{% endif %}{{ messages[0].tool_calls }}\n"
    )
    GOOD = "{% for message in messages %}{{ message.content }}{% endfor %}{% if add_generation_prompt %}: {% endif %}\n"

    def test_what_could_not_be_rendered_is_said(self, closing):
        files = {"a.jinja": self.ENDLESS, "b.jinja": self.GOOD}
        assert closing(files, "--select", "CHAT_TEMPLATE_NULL_CONTENT") == [
            "1 chat template could not be rendered with all conversations, so some rules did not decide.",
            "  1: rendering gave too much text (a.jinja:1)",
        ]

    def test_a_pattern_without_an_end_is_said_and_the_next_template_is_decided(self, run, tmp_path):
        template = (
            "{% for message in messages %}{{ message.content }}{% for call in message.tool_calls or [] %}"
            "<call>{{ call.function | tojson }}</call>{% endfor %}{% endfor %}"
            "{% if add_generation_prompt %}<model>{% endif %}\n"
        )
        for folder, pattern in {"a": r"(\D+)+$(?!.)x", "b": "<calls>"}.items():
            response = {"start_anchor": "<model>", "fields": {"tool_calls": {"open_pattern": pattern}}}
            settings = json.dumps({"response_template": response})
            files = {f"{folder}/chat_template.jinja": template, f"{folder}/tokenizer_config.json": settings}
            write_files(tmp_path / "project", files)
        rule = "CHAT_TEMPLATE_RESPONSE_TEMPLATE_MISMATCH"
        report = json.loads(run("check", "--output", "json", "--select", rule, cwd="project").stdout)
        assert [found["path"] for found in report["diagnostics"]] == ["b/chat_template.jinja"]
        reason = "reading calls by its `response_template` took too long"
        assert report["not_rendered"] == [{"reason": reason, "path": "a/chat_template.jinja", "line": 1}]

    def test_nothing_is_said_of_rules_that_are_off(self, closing):
        assert closing({"a.jinja": self.ENDLESS}, "--select", "CHAT_TEMPLATE_SYNTAX")[1:] == []

    def test_it_is_in_the_json_output(self, run, tmp_path):
        write_files(tmp_path / "project", {"a.jinja": self.ENDLESS})
        report = json.loads(run("check", "--output", "json", cwd="project").stdout)
        assert report["not_rendered"] == [{"reason": "rendering gave too much text", "path": "a.jinja", "line": 1}]
        write_files(tmp_path / "project", {"a.jinja": self.GOOD})
        assert "not_rendered" not in json.loads(run("check", "--output", "json", cwd="project").stdout)
