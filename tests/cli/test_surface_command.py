"""`toolsurface-lint surface`: the tree and the JSON."""

import json

from toolsurface_lint.cli.surface import tree

TOOL = {
    "name": "read_file",
    "description": "Read.",
    "path": "tools.json",
    "line": 3,
    "column": 5,
    "format": "harn",
    "active": True,
    "deferred": False,
    "kind": "read",
    "side_effect_level": "read_only",
    "parameters": [
        {"name": "path", "required": True, "type": "string"},
        {"name": "limit", "required": False, "type": "integer"},
    ],
    "estimated_tokens": 12,
    "outcome": None,
    "policy": None,
    "approval": None,
    "references": [],
    "results": None,
    "calls": None,
}
SURFACE = {
    "name": "coder",
    "open": False,
    "open_reasons": [],
    "agents": [],
    "tools": [TOOL],
    "policies": [],
    "prompts": [],
    "templates": [],
    "transcripts": [],
    "references": [],
}


def test_the_tree_of_a_folder(run):
    done = run("surface")
    assert (done.returncode, done.stderr) == (0, "")
    assert "read_file()  tools.json:4:15  harn, read, read_only\n" in done.stdout
    assert "  prompts (1)\n    system.md\n" in done.stdout
    assert "  references (1)\n    read_file  system.md:1:6\n" in done.stdout


def test_the_json_of_a_folder(run):
    described = json.loads(run("surface", ".", "--output", "json").stdout)
    assert described["version"] == 1
    (surface,) = described["surfaces"]
    assert list(surface) == [
        "name",
        "open",
        "open_reasons",
        "agents",
        "tools",
        "policies",
        "prompts",
        "templates",
        "transcripts",
        "references",
        "files",
        "scope",
    ]
    (tool,) = surface["tools"]
    assert list(tool) == list(TOOL)
    assert (tool["name"], tool["path"], tool["line"], tool["column"]) == ("read_file", "tools.json", 4, 15)
    excerpt = {"text": "Call read_file({}) first.", "start": 5, "end": 14}
    place = {"path": "system.md", "line": 1, "column": 6}
    assert surface["references"] == [{"name": "read_file", **place, "declared": True, "excerpt": excerpt}]
    assert tool["references"] == [{**place, "stance": "use", "excerpt": excerpt}]


def test_standard_input_and_wrong_usage(run):
    done = run(
        "surface",
        "-",
        "--stdin-filename",
        "tools.json",
        "--output",
        "json",
        input='[{"name": "other_tool", "parameters": {}}]',
    )
    assert "other_tool" in done.stdout
    assert run("surface", "nothing").returncode == 2
    assert run("surface", "--output", "sarif").returncode == 2


def test_a_full_tree():
    surface = {
        **SURFACE,
        "open": True,
        "open_reasons": ["server.py:4: tools registered in a loop"],
        "tools": [
            TOOL,
            {**TOOL, "name": "run", "deferred": True, "active": False, "kind": None, "side_effect_level": None},
            {**TOOL, "name": "mail", "outcome": "above_ceiling"},
        ],
        "policies": [
            {"path": "policy.toml", "line": None, "column": None, "kind": "capability"},
            {"path": "agent.md", "line": 4, "column": 8, "kind": "permissions"},
        ],
        "prompts": [{"path": "system.md", "line": 1, "column": 1}],
        "templates": [{"path": "x.harn.prompt"}],
        "transcripts": [{"path": "run.jsonl"}],
        "references": [
            {"name": "read_file", "path": "system.md", "line": 1, "column": 5, "declared": True},
            {"name": "gone", "path": "system.md", "line": 2, "column": 5, "declared": False},
        ],
    }
    assert tree([surface, {**SURFACE, "name": "empty", "tools": []}]) == (
        "coder (open)\n"
        "  open: server.py:4: tools registered in a loop\n"
        "  tools (3)\n"
        "    read_file(path, limit?)  tools.json:3:5  harn, read, read_only\n"
        "    run(path, limit?)        tools.json:3:5  harn, deferred, not active\n"
        "    mail(path, limit?)       tools.json:3:5  harn, read, read_only, above the ceiling\n"
        "  policies (2)\n"
        "    policy.toml (capability)\n"
        "    agent.md:4:8 (permissions)\n"
        "  prompts (1)\n"
        "    system.md\n"
        "  templates (1)\n"
        "    x.harn.prompt\n"
        "  transcripts (1)\n"
        "    run.jsonl\n"
        "  references (2)\n"
        "    read_file  system.md:1:5\n"
        "    gone       system.md:2:5  not declared\n"
        "\n"
        "empty\n"
    )


def test_nothing_recognised():
    assert tree([]) == "No surface was recognised.\n"


def test_long_parameter_lists_are_counted():
    many = [{"name": f"parameter_{number}", "required": True, "type": None} for number in range(20)]
    text = tree([{**SURFACE, "tools": [TOOL, {**TOOL, "name": "big", "parameters": many}]}])
    assert "    big(20 parameters)       tools.json:3:5" in text


def test_control_characters_are_escaped():
    assert "\x1b" not in tree([{**SURFACE, "name": "a\x1b[2J", "tools": [{**TOOL, "name": "b\x1b"}]}])


TEAM = """\
from agents import Agent, WebSearchTool, function_tool

from desk import load


@function_tool
def find_order(number: str) -> str:
    \"\"\"Find an order.\"\"\"
    return number


@function_tool
def refund(number: str) -> str:
    \"\"\"Pay an order back.\"\"\"
    return number


finder = Agent(name="finder", instructions="Call `find_order`.", tools=[find_order])
payer = Agent(name="payer", instructions="Call `refund`.", tools=[refund, *load()])
triage = Agent(name="triage", instructions="Find out what is wanted.", handoffs=[finder, payer])
silent = Agent(name="silent", tools=[find_order])
"""


def test_every_agent_of_a_program_is_seen(run, folder):
    (folder / "desk").mkdir()
    (folder / "desk" / "team.py").write_text(TEAM)
    done = run("surface", "team.py", cwd="desk")
    assert (
        done.stdout
        == """\
default (open)
  open: team.py:19: tools made in a loop over a call's result
  agents (2)
    payer  team.py:19:9  made by Agent
      tools: refund
      told: team.py:19:43
      open: team.py:19: tools made in a loop over a call's result
    silent  team.py:21:10  made by Agent
      tools: find_order
  tools (2)
    find_order(number)  team.py:7:5  python-openai-agents
    refund(number)      team.py:13:5  python-openai-agents
  prompts (1)
    team.py:19:43
  references (1)
    refund  team.py:19:49

team.py: finder
  agents (1)
    finder  team.py:18:10  made by Agent
      tools: find_order
      told: team.py:18:45
  tools (1)
    find_order(number)  team.py:7:5  python-openai-agents
  prompts (1)
    team.py:18:45
  references (1)
    find_order  team.py:18:51

team.py: triage
  agents (1)
    triage  team.py:20:10  made by Agent
      tools: transfer_to_finder, transfer_to_payer
      hands over to: finder, payer
      told: team.py:20:45
  tools (2)
    transfer_to_finder()  team.py:20:10  python-openai-agents
    transfer_to_payer()   team.py:20:10  python-openai-agents
  prompts (1)
    team.py:20:45
"""
    )
    page = run("surface", "team.py", "--output", "html", cwd="desk").stdout
    described = json.loads(run("surface", "team.py", "--output", "json", cwd="desk").stdout)["surfaces"]
    assert [[agent["name"] for agent in surface["agents"]] for surface in described] == [
        ["payer", "silent"],
        ["finder"],
        ["triage"],
    ]
    for surface in described[1:]:
        (agent,) = surface["agents"]
        assert f"<code>{agent['name']}</code>" in page
        assert [tool["name"] for tool in surface["tools"]] == agent["tools"]


def test_settings_of_clients_decide_about_the_tools_of_servers(run, folder):
    settings = {
        "permissions": {"allow": ["mcp__desk"], "ask": ["mcp__desk__refund"], "deny": ["mcp__other__find_order"]}
    }
    files = {
        "desk/.claude/settings.json": json.dumps(settings),
        "desk/.mcp.json": json.dumps({"mcpServers": {"desk": {"command": "python", "args": ["-m", "desk.server"]}}}),
        "desk/src/desk/server.py": "from fastmcp import FastMCP\n\nmcp = FastMCP()\n\n\n"
        "@mcp.tool\ndef find_order(number: str) -> str:\n    'Find an order.'\n\n\n"
        "@mcp.tool\ndef refund(number: str) -> str:\n    'Pay an order back.'\n",
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    described = json.loads(run("surface", ".", "--output", "json", cwd="desk").stdout)["surfaces"]
    (tools,) = (surface["tools"] for surface in described if surface["tools"])
    assert [(tool["name"], tool["outcome"]) for tool in tools] == [
        ("find_order", "allowed"),
        ("refund", "needs_approval"),
    ]
    (decision,) = tools[1]["approval"]["decisions"][1:] or tools[1]["approval"]["decisions"]
    assert (decision["path"], decision["pattern"]) == (".claude/settings.json", "mcp__desk__refund")


AGENTS = '''
from agents import Agent, function_tool


@function_tool
def find_book(title: str) -> str:
    """Find a book."""
    return title


finder = Agent(name="finder", instructions="Use `find_book`, a `shelf` (or two) and the `catalogue`.", tools=[find_book])
greeter = Agent(name="greeter", instructions="Say hello (warmly), and use the `find_book` tool.")
thinker = Agent(name="thinker", instructions="Action: find_book\\nAction Input: the title")
'''


def test_agents_without_tools_and_names_that_are_not_those_of_tools(run, tmp_path):
    (tmp_path / "agents_of_a_library.py").write_text(AGENTS, encoding="utf-8")
    shown = run("surface", "agents_of_a_library.py").stdout
    assert "    greeter  agents_of_a_library.py:12:11  made by Agent\n      tools: none\n" in shown
    open_agent = shown.partition("thinker")[2]
    assert "      tools: none\n" in open_agent
    assert "      open: agents_of_a_library.py:13: made without tools, and told how to write calls" in open_agent
    described = json.loads(run("surface", "agents_of_a_library.py", "--output", "json").stdout)
    references = {surface["name"]: surface["references"] for surface in described["surfaces"]}
    named = {name: [(one["name"], one["declared"]) for one in found] for name, found in references.items()}
    assert named == {
        "default": [("find_book", True), ("read_file", True)],
        "agents_of_a_library.py: finder": [("find_book", True)],
        "agents_of_a_library.py: greeter": [("find_book", False)],
    }
