"""What the frameworks themselves say of the agents in `fixtures/agents`: their tools, and what they are told.

    python benchmarks/agents_of_frameworks.py [FRAMEWORK ...]

Each framework is installed, from PyPI and in the versions of the table below, in a virtual environment of its own, which is
removed again. There the program in `fixtures/agents/FRAMEWORK/clean` is imported, with keys that open nothing, and the
framework is asked for its agents; no model is called. What it says is written to `fixtures/agents/recorded.json`, with the
versions, and `tests/test_agents_of_frameworks.py` compares it with what is read. That takes minutes and gigabytes, so that no
check runs it: run it for a framework whose fixture, or whose version, has changed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import NamedTuple

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "agents"
RECORDED = FIXTURES / "recorded.json"
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY")
QUIET = {
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_TRACING_ENABLED": "false",
    "OTEL_SDK_DISABLED": "true",
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "AGNO_TELEMETRY": "false",
    "ANONYMIZED_TELEMETRY": "false",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
}


class Asked(NamedTuple):
    """The packages with their versions, and the code that asks for the agents of `program`.

    It calls `note(NAME, TOOLS, TOLD)` for each agent, with names of tools and texts.
    """

    packages: tuple[str, ...]
    code: str


_LANGGRAPH = """
def tools_of(graph):
    return list(graph.nodes["tools"].bound.tools_by_name)
"""

FRAMEWORKS = {
    "openai-agents": Asked(
        ("openai-agents==0.24.0",),
        """
import asyncio
from agents import Handoff, RunContextWrapper, handoff

for agent in (program.tracking, program.billing, program.front):
    tools = asyncio.run(agent.get_all_tools(RunContextWrapper(None)))
    others = [each if isinstance(each, Handoff) else handoff(each) for each in agent.handoffs]
    note(agent.name, [tool.name for tool in tools] + [other.tool_name for other in others], [agent.instructions])
""",
    ),
    "pydantic-ai": Asked(
        ("pydantic-ai-slim==2.68.0",),
        """
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel

def answer(messages, info):
    parts = [part.content for message in messages for part in message.parts if part.part_kind == "system-prompt"]
    note(program.planner.name, [tool.name for tool in info.function_tools], [*parts, info.instructions])
    return ModelResponse(parts=[TextPart("done")])

program.planner.run_sync("Hello", model=FunctionModel(answer), deps=program.Garden({}))
""",
    ),
    "pydantic-ai-toolsets": Asked(
        ("pydantic-ai-slim==2.68.0",),
        """
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel

def answer(messages, info):
    note(program.cook.name, [tool.name for tool in info.function_tools], [info.instructions])
    return ModelResponse(parts=[TextPart("done")])

program.cook.run_sync("Hello", model=FunctionModel(answer))
""",
    ),
    "langchain": Asked(
        ("langchain==1.4.7", "langchain-openai==1.7.3"),
        _LANGGRAPH + 'note("weather", tools_of(program.agent), [program.SYSTEM])\n',
    ),
    "langgraph": Asked(
        ("langgraph==1.2.22", "langgraph-prebuilt==1.1.2", "langchain==1.4.7", "langchain-openai==1.7.3"),
        _LANGGRAPH
        + """
note(program.desk.name, tools_of(program.desk))
note(program.loans.name, tools_of(program.loans))
""",
    ),
    "langchain-bind-tools": Asked(
        ("langgraph==1.2.22", "langchain-openai==1.7.3"),
        """
note("", [tool["function"]["name"] for tool in program.model.kwargs["tools"]])
""",
    ),
    "langgraph-supervisor": Asked(
        ("langgraph-supervisor==0.0.31", "langgraph-swarm==0.1.0", "langchain==1.4.7", "langchain-openai==1.7.3"),
        _LANGGRAPH
        + """
note(program.accounts.name, tools_of(program.accounts))
note(program.staff.name, tools_of(program.staff))
note("chief", tools_of(program.chief.nodes["chief"].runnable))
""",
    ),
    "deepagents": Asked(
        ("deepagents==0.7.32", "langchain-openai==1.7.3"),
        _LANGGRAPH + "note(program.reviewer.name, tools_of(program.reviewer))\n",
    ),
    "crewai": Asked(
        ("crewai==1.15.30",),
        """
for agent in (program.archivist, program.writer):
    tasks = [task.description for task in program.crew.tasks if task.agent.role == agent.role]
    note(agent.role, [tool.name for tool in agent.tools], [agent.goal, agent.backstory, *tasks])
""",
    ),
    "smolagents": Asked(
        ("smolagents[litellm]==1.26.0",),
        """
for agent in (program.reader, program.lead):
    note(agent.name, [*agent.tools, *agent.managed_agents], [agent.instructions])
""",
    ),
    "google-adk": Asked(
        ("google-adk==2.13.0",),
        """
import asyncio

from google.adk.flows.llm_flows.agent_transfer import _build_transfer_tool, _get_transfer_targets

async def ask(agent):
    tools = [tool.name for tool in await agent.canonical_tools()]
    targets = _get_transfer_targets(agent)
    if targets:
        tools.append(_build_transfer_tool(targets).name)
    note(agent.name, tools, [agent.instruction, agent.global_instruction])

asyncio.run(ask(program.stock))
asyncio.run(ask(program.root_agent))
""",
    ),
    "autogen": Asked(
        ("autogen-agentchat==0.7.5", "autogen-core==0.7.5", "autogen-ext[openai]==0.7.5"),
        """
import asyncio

async def ask(agent):
    tools = [tool["name"] for bench in agent._workbench for tool in await bench.list_tools()]
    note(agent.name, tools + [tool.name for tool in agent._handoff_tools], [agent._system_messages[0].content])

asyncio.run(ask(program.planner))
asyncio.run(ask(program.booker))
""",
    ),
    "agno": Asked(
        ("agno==3.1.10", "openai"),
        """
from agno.tools import Function, Toolkit

names = []
for tool in program.editor.tools:
    names += tool.functions if isinstance(tool, Toolkit) else [getattr(tool, "name", None) or tool.__name__]
note(program.editor.name, names, program.editor.instructions)
""",
    ),
    "strands": Asked(
        ("strands-agents==1.62.0",),
        "note(program.house.name, program.house.tool_names, [program.house.system_prompt])\n",
    ),
    "llama-index": Asked(
        ("llama-index-core==0.14.25",),
        """
import asyncio

async def ask(agent):
    tools = [tool.metadata.name for tool in await program.workflow.get_tools(agent.name)]
    note(agent.name, tools, [agent.system_prompt])

asyncio.run(ask(program.scribe))
asyncio.run(ask(program.filer))
""",
    ),
    "haystack": Asked(
        ("haystack-ai==3.3.0",),
        'note("", [tool.name for tool in program.clerk.tools], [program.clerk.system_prompt])\n',
    ),
    "claude-agent-sdk": Asked(
        ("claude-agent-sdk==0.2.187",),
        """
import asyncio
from mcp import Client

async def ask(name, server):
    async with Client(server["instance"]) as client:
        return [f"mcp__{name}__{tool.name}" for tool in (await client.list_tools()).tools]

(served,) = program.options.mcp_servers.items()
note("", asyncio.run(ask(*served)), [program.options.system_prompt])
""",
    ),
    "semantic-kernel": Asked(
        ("semantic-kernel==1.45.0",),
        """
functions = program.teller.kernel.get_full_list_of_function_metadata()
note(program.teller.name, [each.name for each in functions], [program.teller.instructions])
""",
    ),
    "agent-framework": Asked(
        ("agent-framework-core==1.23.0", "agent-framework-openai"),
        """
options = program.master.default_options
note(program.master.name, [tool.name for tool in options["tools"]], [options["instructions"]])
""",
    ),
    "mirascope": Asked(
        ("mirascope[openai]==2.8.2",),
        """
prompt = program.ask.prompt
told = [message.content.text for message in prompt.messages("history") if message.role == "system"]
note("", list(prompt.toolkit.tools_dict), told)
""",
    ),
    "pipecat": Asked(
        ("pipecat-ai==1.14.0",),
        """
note("", [tool.name for tool in program.context.tools.standard_tools], [program.context.messages[0]["content"]])
""",
    ),
    "praisonai": Asked(
        ("praisonaiagents==1.7.17",),
        """
for agent in (program.baker, program.seller):
    note(agent.name, [tool.__name__ for tool in agent.tools], [agent.instructions or "", agent.goal, agent.backstory])
""",
    ),
    "agentscope": Asked(
        ("agentscope==2.0.9",),
        """
import asyncio

schemas = asyncio.run(program.ranger.toolkit.get_tool_schemas())
note(program.ranger.name, [schema["function"]["name"] for schema in schemas])
""",
    ),
    "ag2": Asked(
        ("ag2==1.2.1",),
        """
agent = program.secretary
note(agent.name, [tool.name for tool in agent.tools], [*agent._system_prompt, program.be_kind()])
""",
    ),
    "agency-swarm": Asked(
        ("agency-swarm==0.7.2",),
        """
for agent in (program.composer, program.cutter):
    note(agent.name, [tool.__name__ for tool in agent.tools], [agent.instructions])
""",
    ),
    "gemini": Asked(
        ("google-genai==3.4.0",),
        """
from google.genai import _transformers

names = []
for tool in program.config.tools:
    declared = _transformers.t_tool(program.client._api_client, tool) if callable(tool) else tool
    names += [each.name for each in declared.function_declarations]
note("", names, [program.config.system_instruction])
""",
    ),
}

RUNNER = """
import contextlib, importlib, json, os, sys
sys.path.insert(0, os.getcwd())
agents = {}

def note(name, tools, told=()):
    agents[name] = {"tools": sorted(tools), "told": [text for text in told if text]}

with contextlib.redirect_stdout(sys.stderr):
    program = importlib.import_module(sys.argv[1])
    exec(compile(sys.argv[2], "asked", "exec"))
print(json.dumps(agents))
"""


def ask(name: str, asked: Asked, folder: Path) -> dict[str, object]:
    """Install a framework below a folder, and ask it for the agents of its fixture."""
    home = folder / name
    venv.create(home, with_pip=True, clear=True)
    python = home / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", *asked.packages], check=True)
    listed = subprocess.run(
        [python, "-m", "pip", "list", "--format", "json"], check=True, capture_output=True, text=True
    )
    versions = {each["name"].lower(): each["version"] for each in json.loads(listed.stdout)}
    (program,) = (FIXTURES / name / "clean").glob("*.py")
    environment = {
        **os.environ,
        **QUIET,
        **dict.fromkeys(KEYS, "none"),
        "HOME": str(home),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [python, "-c", RUNNER, program.stem, asked.code]
    answer = subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=program.parent, env=environment, timeout=300
    )
    wanted = [package.partition("==")[0].partition("[")[0] for package in asked.packages]
    return {
        "packages": {package: versions[package.lower()] for package in wanted},
        "agents": json.loads(answer.stdout.splitlines()[-1]),
    }


def main(names: list[str]) -> int:
    """Ask the frameworks of these names, or all; give the number of those that could not be asked."""
    failed = 0
    for name in names or list(FRAMEWORKS):
        with tempfile.TemporaryDirectory(prefix="agents-of-") as folder:
            try:
                answer = ask(name, FRAMEWORKS[name], Path(folder))
            except subprocess.SubprocessError as error:
                failed += 1
                print(f"{name}: {error}\n{getattr(error, 'stderr', '') or ''}", file=sys.stderr)
                continue
        print(f"{name}: {json.dumps(answer)}", flush=True)
        recorded = json.loads(RECORDED.read_text("utf-8")) if RECORDED.exists() else {}
        recorded[name] = answer
        RECORDED.write_text(json.dumps(recorded, indent=2, sort_keys=True) + "\n", "utf-8")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
