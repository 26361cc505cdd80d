"""To which other agents an agent hands over, and the tools that its framework makes it for that."""

from __future__ import annotations

import pytest

from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.handoffs import HANDS_OVER, hands_over
from toolsurface_lint.programs.python.modules import PythonModules
from toolsurface_lint.programs.registration import Registrar
from toolsurface_lint.programs.registry import Registry, Server
from toolsurface_lint.readers.programs.tools import _follow, read_programs
from toolsurface_lint.source.text import SourceText

SEARCH = "def search(text: str) -> str:\n    'Searches.'\n\n\n"


def registry_of(text: str) -> Registry:
    evaluator = Evaluator()
    registrar = Registrar(evaluator)
    modules = PythonModules([SourceText("agents_of_shop.py", text)], None)
    candidates = [module for module in modules.all if module.has_signs]
    _follow(evaluator, registrar, modules, candidates, modules.groups(candidates))
    return registrar.registry


HANDING = {
    "openai-agents": (
        "from agents import Agent, handoff, function_tool\n"
        + SEARCH
        + "refund = Agent(name='Refund Desk', instructions='x')\n"
        "billing = Agent('Billing', tools=[search])\n"
        "triage = Agent(name='triage', tools=[search], handoffs=[refund, handoff(billing, tool_name_override='ask_billing')])\n",
        ["Refund Desk", "Billing"],
        {"transfer_to_refund_desk", "ask_billing"},
    ),
    "openai-agents-later": (
        "from agents import Agent\n" + SEARCH + "triage = Agent(name='triage', tools=[search])\n"
        "billing = Agent(name='Billing', tools=[search])\ntriage.handoffs.append(billing)\n",
        ["Billing"],
        {"transfer_to_billing"},
    ),
    "openai-agents-assigned": (
        "from agents import Agent\n" + SEARCH + "triage = Agent(name='triage', tools=[search])\n"
        "billing = Agent(name='Billing', tools=[search])\ntriage.handoffs = [billing]\n",
        ["Billing"],
        {"transfer_to_billing"},
    ),
    "adk": (
        "from google.adk.agents import LlmAgent\n" + SEARCH + "billing = LlmAgent(name='billing', tools=[search])\n"
        "triage = LlmAgent(name='triage', instruction='x', sub_agents=[billing])\n",
        ["billing"],
        {"transfer_to_agent"},
    ),
    "autogen": (
        "from autogen_agentchat.agents import AssistantAgent\nfrom autogen_agentchat.base import Handoff\n"
        + SEARCH
        + "triage = AssistantAgent('triage', m, tools=[search], handoffs=['user', Handoff(target='Boss', name='ask_boss')])\n",
        ["the agent `user`", "the agent `Boss`"],
        {"transfer_to_user", "ask_boss"},
    ),
    "smolagents": (
        "from smolagents import CodeAgent, ToolCallingAgent\n"
        + SEARCH
        + "web = ToolCallingAgent([search], m, name='web_Search')\n"
        "triage = CodeAgent(name='triage', tools=[search], model=m, managed_agents=[web])\n",
        ["web_Search"],
        {"web_Search"},
    ),
    "langgraph-supervisor": (
        "from langgraph.prebuilt import create_react_agent\nfrom langgraph_supervisor import create_supervisor\n"
        + SEARCH
        + "math = create_react_agent(m, tools=[search], name='Math Expert')\n"
        "triage = create_supervisor([math], supervisor_name='triage', model=m, prompt='x')\n",
        ["Math Expert"],
        {"transfer_to_math_expert"},
    ),
    "deepagents": (
        "from deepagents import create_deep_agent\n"
        + SEARCH
        + "reader = {'name': 'reader', 'description': 'x', 'system_prompt': 'x', 'tools': [search]}\n"
        "triage = create_deep_agent(m, name='triage', tools=[search], subagents=[reader])\n",
        ["reader"],
        {"task"},
    ),
    "llama-index": (
        "from llama_index.core.agent.workflow import FunctionAgent\n" + SEARCH + "triage = FunctionAgent(\n"
        "    name='triage', tools=[search], can_handoff_to=['writer'],\n)\n",
        ["the agent `writer`"],
        {"handoff"},
    ),
    "swarm": (
        "from swarm import Agent\n" + SEARCH + "def to_billing():\n    return billing\n\n\n"
        "triage = Agent(name='triage', functions=[search, to_billing])\nbilling = Agent(name='Billing', functions=[search])\n",
        ["Billing"],
        set(),
    ),
}


def named(registry: Registry, name: str) -> Server:
    (agent,) = (server for server in registry.servers.values() if server.name == name)
    return agent


@pytest.mark.parametrize(("text", "agents", "tools"), HANDING.values(), ids=HANDING)
def test_an_agent_hands_over(text: str, agents: list[str], tools: set[str]) -> None:
    registry = registry_of(text)
    triage = named(registry, "triage")
    assert [agent.name if isinstance(agent, Server) else agent.what for agent in triage.handoffs.values()] == agents
    assert triage.transfers == tools
    assert [reason.text for reason in registry.reasons.values() if "hand" in reason.text] == []


def test_a_sub_agent_of_the_adk_may_transfer_too() -> None:
    assert named(registry_of(HANDING["adk"][0]), "billing").transfers == {"transfer_to_agent"}


def test_each_agent_of_a_workflow_may_hand_over() -> None:
    registry = registry_of(
        "from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent\n"
        + SEARCH
        + "writer = FunctionAgent(name='writer', tools=[search])\nreader = FunctionAgent(name='reader', tools=[search])\n"
        "team = AgentWorkflow(agents=[writer, reader])\n"
    )
    assert named(registry, "writer").transfers == named(registry, "reader").transfers == {"handoff"}


@pytest.mark.parametrize("handoffs", ["load()", "[load()]", "[Agent(name=NAME)]", "[*load()]", "[billing] + load()"])
def test_agents_that_are_not_known_may_have_any_tool(handoffs: str) -> None:
    registry = registry_of(
        "from agents import Agent\nfrom shop import NAME, load\n"
        + SEARCH
        + f"billing = Agent(name='Billing')\ntriage = Agent(name='triage', tools=[search], handoffs={handoffs})\n"
    )
    triage = named(registry, "triage")
    assert [reason.server for reason in registry.reasons.values()] == [triage]
    assert triage.handoffs


def test_an_agent_that_hands_over_to_nobody_is_closed() -> None:
    registry = registry_of(
        "from agents import Agent\n" + SEARCH + "triage = Agent(name='triage', tools=[search], handoffs=[])\n"
    )
    assert (named(registry, "triage").handoffs, registry.reasons) == ({}, {})


def test_a_tool_of_the_agent_that_it_returns_is_followed_once() -> None:
    found = read_programs(
        [
            SourceText(
                "agents_of_shop.py",
                "from swarm import Agent\n"
                + SEARCH
                + "def to_billing():\n    return Agent(name='billing', functions=[search, to_billing])\n\n\n"
                "triage = Agent(name='triage', functions=[search, to_billing])\n",
            )
        ]
    )
    assert [(agent.name, agent.handoffs, agent.open_reasons) for agent in found.agents] == [
        ("triage", ["billing"], []),
        ("billing", ["billing"], []),
    ]
    assert found.reasons == []


def test_every_row_has_its_source_and_is_found() -> None:
    for row in HANDS_OVER:
        assert row.source
        for name in row.names:
            assert row in hands_over(f"{row.package}.somewhere.{name}")
            assert hands_over(f"{row.package}.somewhere.{name}", row.argument) == (row,)
            assert row not in hands_over(f"elsewhere.{name}")


def test_templates_in_templates_end() -> None:
    made = "".join(
        f"p{number} = ChatPromptTemplate.from_messages([p{number - 1}, p{number - 1}])\n" for number in range(1, 3000)
    )
    registry = registry_of(
        "from langchain.agents import create_tool_calling_agent\nfrom langchain_core.prompts import ChatPromptTemplate\n"
        + SEARCH
        + "p0 = ChatPromptTemplate.from_messages([('system', 'Use `search`.')])\n"
        + made
        + "create_tool_calling_agent(m, [search], p0)\ncreate_tool_calling_agent(m, [search], p2999)\n"
    )
    assert [told.text.value for told in registry.told.values()] == ["Use `search`."]
