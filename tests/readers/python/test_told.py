"""What programs tell models: texts that are put together, their gaps, and where each part of them is written."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.files import write_files
from toolsurface_lint.api import check_paths
from toolsurface_lint.model.diagnostics import Diagnostic
from toolsurface_lint.model.prompt import Prompt
from toolsurface_lint.model.unseen import LIMIT
from toolsurface_lint.project.grouping import load_project
from toolsurface_lint.project.settings import Settings
from toolsurface_lint.readers.programs.documents import read_program_documents
from toolsurface_lint.readers.programs.program_file import ProgramFile
from toolsurface_lint.readers.programs.tools import read_programs
from toolsurface_lint.source.text import GAP, SourceText

HEAD = """\
import textwrap
from agents import Agent
from parts import RULES, Texts


def search(text: str) -> str:
    'Search all articles.'


def list_orders(text: str) -> str:
    'List the orders of a customer.'


"""
PARTS = """\
RULES = '''Be brief.
Use `list_order` once.'''
class Texts:
    END = "That is all."
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def told(code: str, **files: str) -> list[Prompt]:
    """The prompts of a program that may import `RULES` and `Texts` of another file."""
    files = {"agent.py": HEAD + code, "parts.py": PARTS, **{f"{name}.py": text for name, text in files.items()}}
    write_files(Path(), files)
    given = [ProgramFile(os.path.abspath(name), name, "python", None, 1_000_000) for name in files]
    return [prompt for document in read_program_documents(given).values() for prompt in document.prompts]


def shown(prompt: Prompt, start: int, end: int) -> str:
    """What stands in the file where a range of a prompt is shown."""
    place = prompt.place(start, end)
    span = place.span()
    assert span is not None
    assert place.source is not None
    return place.source.text[slice(*span)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f'Use {name} well.'", "Use _ well."),
        ("f'Use {search.__name__} well.'", "Use search well."),
        ("f'{RULES} Now.'", "Be brief.\nUse `list_order` once. Now."),
        ("f'{RULES} {Texts.END} {3} {name!r} {RULES:>9}'", "Be brief.\nUse `list_order` once. That is all. 3 _ _"),
        ("'Use ' + RULES + name + ' well'", "Use Be brief.\nUse `list_order` once._ well"),
        ("'Use {} and {x} {{}} {y.z}.'.format(name, x=Texts.END)", "Use _ and That is all. {} _."),
        ("'Use {!r}, {:>4} and {}.'.format(name, 3, Texts.END)", "Use _, _ and That is all.."),
        ("'Use {} and {} {x}.'.format(*names, Texts.END, x=3)", "Use _ and _ 3."),
        ("'Use %s 100%% %d %.2f.' % (name, 3, 1)", "Use _ 100% 3 _."),
        ("'Use %(a)s and %(b)s.' % {'a': Texts.END}", "Use That is all. and _."),
        ("'\\n'.join(['Use this.', name, Texts.END])", "Use this.\n_\nThat is all."),
        ("'\\n'.join(['Use this.', *names])", "Use this._"),
        ("'Use {tools} and it.'.replace('{tools}', name)", "Use _ and it."),
        ("textwrap.dedent(f'''\n  Use {name}\n    it.\n''').strip()", "\nUse _\n  it.\n"),
        ("textwrap.dedent('''\n  Use\n    it.\n''')", "\nUse\n  it.\n"),
        ("str(f'Use {name} well.')", "Use _ well."),
        ("build(name)", "Use _ well. That is all."),
        ("grow()", "Be brief.\nUse `list_order` once. Use `search`. That is all."),
        ("RULES if name else Texts.END", None),
        ("f'{name}{name} {name}'", None),
        ("name", None),
        ("'Use ' * 3", "Use Use Use "),
    ],
)
def test_a_text_is_told_as_far_as_it_is_known(text: str, expected: str | None) -> None:
    code = f"""\
def build(name):
    return f'Use {{name}} well.' + ' ' + Texts.END


def grow():
    text = RULES
    if unknown():
        text += ' Use `search`.'
    return text + ' ' + Texts.END


def make(name, names):
    return Agent(instructions={text}, tools=[search, list_orders])
"""
    prompts = told(code)
    assert [prompt.text.replace(GAP, "_") for prompt in prompts] == ([] if expected is None else [expected])
    for prompt in prompts:
        for word in re.finditer(r"[a-z_]{4,}", prompt.text):
            written = shown(prompt, *word.span())
            assert written == word[0] or written in ("search.__name__", "'Use ' * 3")


@pytest.mark.parametrize(
    "text",
    [
        "f'Call `search` and `list_{kind}`, `{kind}_orders`, list_{kind}, the {kind}_order tool.'",
        "f'Call list_order{kind}() and {kind}list_order().'",
        "f'Call mcp__{kind}__list_order and {kind}.list_order and list_order-{kind}.'",
        "f'Call `list_order{kind}`.'",
        "'Call ' + 'list_' + kind + ' and ' + kind + '_order.'",
    ],
)
def test_a_gap_makes_no_name_of_two_halves(text: str) -> None:
    assert told(f"def make(kind):\n    return Agent(instructions={text}, tools=[search, list_orders])\n")
    assert [each for each in check_paths(["."], isolated=True).diagnostics if "PROMPT" in each.code] == []


def test_the_arguments_of_a_call_with_a_gap_are_not_known() -> None:
    text = 'f\'Call search({{"txt{kind}": 1}}) or search({{"txt": 1}}).\''
    told(f"def make(kind):\n    return Agent(instructions={text}, tools=[search, list_orders])\n")
    report = check_paths(["."], isolated=True)
    found = {(each.code, places(each)[1]) for each in report.diagnostics if "PROMPT" in each.code}
    assert found == {("PROMPT_UNKNOWN_ARGUMENT", "txt")}
    # Not the first of the two calls.
    assert {each.location.range.start.column > 60 for each in report.diagnostics if each.location is not None} == {True}


def places(diagnostic: Diagnostic) -> tuple[str, str]:
    """The file of a finding, and the text that it is about."""
    assert diagnostic.location is not None
    (first, _), (second, _) = start, end = diagnostic.location.range
    assert first == second
    line = Path(diagnostic.location.path).read_text().split("\n")[first - 1]
    return diagnostic.location.path, line[start.column - 1 : end.column - 1]


def findings() -> list[tuple[str, str]]:
    report = check_paths(["."], isolated=True)
    return sorted(places(each) for each in report.diagnostics if "PROMPT" in each.code)


def test_a_name_is_reported_where_it_is_written() -> None:
    told("Agent(instructions=f'{RULES}\\nThen call `serch`.', tools=[search, list_orders])\n")
    assert findings() == [("agent.py", "serch"), ("parts.py", "list_order")]


def test_a_part_of_two_texts_is_reported_once() -> None:
    told("for_all = [search, list_orders]\n" + "Agent(instructions=f'Hi. {RULES}', tools=for_all)\n" * 2)
    assert findings() == [("parts.py", "list_order")]


@pytest.mark.parametrize(
    "told_text",
    ["SYSTEM_PROMPT", "f'Hi. {SYSTEM_PROMPT}'", "SYSTEM_PROMPT.format(tools=name)", "f'Hi. {SYSTEM_PROMPT.strip()}'"],
)
def test_a_constant_that_is_told_is_no_prompt_by_itself(told_text: str) -> None:
    prompts = told(
        "from prompts import SYSTEM_PROMPT\n"
        f"def make(name):\n    return Agent(instructions={told_text}, tools=[search, list_orders])\n",
        prompts="SYSTEM_PROMPT = 'Use it. {tools} '\n",
    )
    assert [bool(prompt.told_to) for prompt in prompts] == [True]


def test_what_a_function_puts_together_is_told_to_each_agent() -> None:
    code = "def build(name):\n    return f'Use {name} well.'\n\n\n"
    code += "Agent(instructions=build('it'), tools=[search])\nAgent(instructions=build('that'), tools=[search])\n"
    assert [(prompt.text, len(prompt.told_to)) for prompt in told(code)] == [
        ("Use it well.", 1),
        ("Use that well.", 1),
    ]


def test_a_long_text_with_something_put_in_for_each_caller_is_read_so_often() -> None:
    code = f"def build(name):\n    return f'Use {{name}}. {'x ' * 40_000}'\n"
    code += "".join(f"Agent(instructions=build('{number}'), tools=[search])\n" for number in range(100))
    code += "Agent(instructions='Be brief.', tools=[search])\n"
    prompts = told(code)
    assert 0 < len(prompts) < 20
    # A text that is written as it is told costs nothing more.
    assert prompts[-1].text == "Be brief."
    source = SourceText("agent.py", HEAD + code)
    found = read_programs([source])
    assert [(reason.text, reason.line, reason.cause) for reason in found.reasons] == [
        ("more texts put together than are read", 15, LIMIT)
    ]


def test_the_paths_of_files_have_a_bound() -> None:
    code = "from pathlib import Path\n" + "here = Path(__file__)\nlong = 'x' * 60_000\n"
    code += "here = open(f'{here}{long}')\n" * 3
    code += "Agent(instructions=here.read() + ' Be brief.', tools=[search])\n"
    found = read_programs([SourceText("agent.py", HEAD + code)])
    assert found.prompt_files == {}


FROM_FILES = {
    "pathlib": "(Path(__file__).parent / 'texts' / 'about.md').read_text()",
    "pathlib-parents": "Path(__file__).resolve().parents[1].joinpath('app', 'texts/about.md').read_text(encoding='utf-8')",
    "os-path": "open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'texts', 'about.md')).read().strip()",
    "plain": "open('texts/about.md').read()",
    "from-the-root": "Path('app/texts/about.md').read_text()",
    "with": "read_file()",
    "loader": "load_prompt('about')",
    "resources": "importlib.resources.files('texts').joinpath('about.md').read_text()",
    "resources-text": "importlib.resources.read_text('texts', 'about.md')",
    "formatted": "load_prompt('about').format(name=search)",
    "in-a-text": "f'Be brief.\\n{load_prompt(\"about\")}'",
    "open-method": "(HERE / 'texts' / 'about.md').open().read()",
    "added": "open(f'{HERE}/texts/about.md').read() + 'Be brief.'",
    "with-name": "Path(__file__).with_name('texts').joinpath('x.txt').with_name('about').with_suffix('.md').read_text()",
}
READS_FILES = """\
import importlib.resources
import os
from pathlib import Path
from agents import Agent

HERE = Path(__file__).parent


def load_prompt(name):
    return (HERE / "texts" / f"{name}.md").read_text()


def read_file():
    with open(HERE / "texts/about.md", encoding="utf-8") as file:
        return file.read()


def search(text: str) -> str:
    'Search all articles.'


def list_orders(text: str) -> str:
    'List the orders of a customer.'


"""


@pytest.mark.parametrize("text", FROM_FILES.values(), ids=FROM_FILES)
def test_a_file_that_is_told_is_a_prompt(text: str) -> None:
    files = {
        ".git/HEAD": "ref: refs/heads/main\n",
        "app/main.py": f"{READS_FILES}Agent(instructions={text}, tools=[search, list_orders])\n",
        "app/texts/__init__.py": "",
        "app/texts/about.md": "Use `search`.\n\nThen call `list_order`.\n",
        "app/texts/notes.txt": "Then call `serch`.\n",
    }
    write_files(Path(), files)
    assert findings() == [("app/texts/about.md", "list_order")]
    # It is the same prompt when the program alone is named.
    assert len(check_paths(["app/main.py"], isolated=True).diagnostics) == 1


@pytest.mark.parametrize(
    ("path", "files"),
    [
        ("HERE.parent.parent / 'about.md'", {"../about.md": "Call `list_order`."}),
        ("'/etc/hostname.txt'", {}),
        ("HERE / 'gone.md'", {}),
        ("HERE / 'data.json'", {"app/data.json": "{}"}),
        ("HERE / 'node_modules/about.md'", {"app/node_modules/about.md": "Call `list_order`."}),
        ("HERE / name", {"app/about.md": "Call `list_order`."}),
    ],
)
def test_what_is_no_file_to_read(
    path: str, files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "repository").mkdir()
    monkeypatch.chdir(tmp_path / "repository")
    program = f"def make(name):\n    return Agent(instructions=({path}).read_text(), tools=[search, list_orders])\n"
    write_files(Path(), {".git/HEAD": "ref: refs/heads/main\n", "app/main.py": READS_FILES + program, **files})
    assert findings() == []


def test_a_link_out_of_the_repository_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret.md").write_text("Call `list_order`.")
    (tmp_path / "repository").mkdir()
    monkeypatch.chdir(tmp_path / "repository")
    program = "Agent(instructions=(HERE / 'about.md').read_text(), tools=[search, list_orders])\n"
    write_files(Path(), {".git/HEAD": "ref: refs/heads/main\n", "app/main.py": READS_FILES + program})
    Path("app/about.md").symlink_to(tmp_path / "secret.md")
    assert findings() == []


def test_a_file_that_several_agents_are_told_is_one_prompt() -> None:
    agents = "Agent(instructions=load_prompt('system'), tools=[search, list_orders])\n" * 2
    write_files(Path(), {"app/main.py": READS_FILES + agents, "app/texts/system.md": "Then call `list_order`.\n"})
    assert findings() == [("app/texts/system.md", "list_order")]


RETURNED = {
    "text": "'''Start with `search`.\n\nThen call `list_order`.'''",
    "f-string": "f'About {name}: then call `list_order`.'",
    "list": "['Hi.', 'Then call `list_order`.']",
    "message": "[UserMessage('Then call `list_order`.')]",
    "assistant": "[AssistantMessage(content=TextContent(type='text', text='Then call `list_order`.'))]",
    "mapping": "[{'role': 'user', 'content': {'type': 'text', 'text': 'Then call `list_order`.'}}]",
    "result": "GetPromptResult(messages=[PromptMessage(role='user', content=TextContent(text='Then call `list_order`.'))])",
}


@pytest.mark.parametrize("returned", RETURNED.values(), ids=RETURNED)
@pytest.mark.parametrize("decorator", ["mcp.prompt", "mcp.prompt()", "mcp.prompt('about', title='About')"])
def test_what_a_prompt_of_a_server_returns_is_a_prompt(returned: str, decorator: str) -> None:
    code = f"""\
from mcp.server.fastmcp import FastMCP
from mcp.server.fastmcp.prompts.base import AssistantMessage, UserMessage
from mcp.types import GetPromptResult, PromptMessage, TextContent

mcp = FastMCP("shop")


@mcp.tool()
def search(text: str) -> str:
    'Search all articles.'


@mcp.tool()
def list_orders(text: str) -> str:
    'List the orders of a customer.'


@{decorator}
def about(name: str):
    'Call `list_order` as the docstring says.'
    {"x = 1;" * 40}
    return {returned}
"""
    write_files(Path(), {"server.py": code.replace(";", "\n    ")})
    assert findings() == [("server.py", "list_order")]


def test_a_prompt_of_a_server_that_a_function_is_given() -> None:
    code = """\
def register(mcp):
    @mcp.tool()
    def search(text: str) -> str:
        'Search all articles.'

    @mcp.tool()
    def list_orders(text: str) -> str:
        'List the orders of a customer.'

    @mcp.prompt()
    def about(name: str):
        return f'About {name}: then call `list_order`.'
"""
    write_files(Path(), {"server.py": code})
    assert findings() == [("server.py", "list_order")]


LOW_LEVEL = """\
from mcp.server import Server
from mcp.types import GetPromptResult, PromptMessage, TextContent, Tool

{made}

ABOUT = "Then call `list_order`."


async def list_tools():
    schema = {{"type": "object", "properties": {{}}}}
    return [
        Tool(name="search", description="Search all articles.", inputSchema=schema),
        Tool(name="list_orders", description="List the orders of a customer.", inputSchema=schema),
    ]


def message(text):
    return PromptMessage(role="user", content=TextContent(type="text", text=text))


def help_of(arguments):
    return GetPromptResult(messages=[message("Call `serch` first.")])


async def get_prompt(name, arguments):
    if name == "about":
        return GetPromptResult(description="Calls `list_ordrs`.", messages=[message(ABOUT)])
    elif name == "help":
        return help_of(arguments)
    messages = [message(f"For {{arguments['whom']}} call `list_orderrs`.")]
    if name != "other":
        raise ValueError(name)
    return GetPromptResult(messages=messages)


{end}
"""


@pytest.mark.parametrize(
    ("made", "end"),
    [
        ('server = Server("shop")', "server.list_tools()(list_tools)\nserver.get_prompt()(get_prompt)"),
        (
            'server = Server("shop")',
            "def start(server):\n    server.get_prompt()(get_prompt)\nstart(server)\nserver.list_tools()(list_tools)",
        ),
        ("", 'server = Server("shop", on_list_tools=list_tools, on_get_prompt=get_prompt)'),
    ],
)
def test_what_a_low_level_server_gives_as_a_prompt_is_one(made: str, end: str) -> None:
    write_files(Path(), {"server.py": LOW_LEVEL.format(made=made, end=end)})
    assert findings() == [("server.py", "list_order"), ("server.py", "list_orderrs"), ("server.py", "serch")]


def test_a_prompt_that_a_client_asks_for_is_none() -> None:
    asks = "async def ask(session):\n    return await session.get_prompt('about', {'text': 'Call `serch`.'})"
    write_files(Path(), {"server.py": LOW_LEVEL.format(made='server = Server("shop")', end=asks)})
    assert findings() == []


def test_each_text_that_a_function_may_tell_is_a_prompt() -> None:
    code = (
        "def about(ctx):\n    if ctx.deps:\n        return 'Call `list_order` now.'\n    return 'Call `serch` now.'\n"
    )
    code += "agent = Agent('m', instructions=about, tools=[search, list_orders])\n"
    write_files(Path(), {"agent.py": f"from pydantic_ai import Agent\n{ASKS}{code}"})
    assert findings() == [("agent.py", "list_order"), ("agent.py", "serch")]


ASKS = """\
def search(text: str) -> str:
    'Search all articles.'


def list_orders(text: str) -> str:
    'List the orders of a customer.'


"""


@pytest.mark.parametrize(
    "code",
    [
        "agent = Agent('m', tools=[search, list_orders])\n@agent.system_prompt\n{about}",
        "agent = Agent('m', tools=[search, list_orders])\n@agent.instructions()\n{about}",
        "{about}\nAgent('m', instructions=about, tools=[search, list_orders])\n",
    ],
)
def test_what_a_function_tells_an_agent_is_a_prompt(code: str) -> None:
    about = "def about(ctx):\n    return f'{ctx.deps} Then call `list_order`.'\n"
    write_files(Path(), {"agent.py": f"from pydantic_ai import Agent\n{ASKS}{code.format(about=about)}"})
    assert findings() == [("agent.py", "list_order")]


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("prompt=SystemMessage('Then call `list_order`.')", ["list_order"]),
        (
            "prompt=ChatPromptTemplate.from_messages([('system', 'Then call `list_order`.'), ('human', '`serch`')])",
            ["list_order"],
        ),
        ("prompt=[('user', 'Then call `list_order`.')]", []),
        ("messages=[HumanMessage('Then call `list_order`.')]", []),
    ],
)
def test_messages_tell_an_agent_by_their_role(argument: str, expected: list[str]) -> None:
    code = f"{ASKS}create_react_agent(model, [search, list_orders], {argument})\n"
    imports = (
        "from langgraph.prebuilt import create_react_agent\nfrom langchain_core.prompts import ChatPromptTemplate\n"
    )
    imports += "from langchain_core.messages import HumanMessage, SystemMessage\n"
    write_files(Path(), {"agent.py": imports + code})
    assert findings() == [("agent.py", name) for name in expected]


CREW = """\
from crewai import Agent, Crew, Task
from crewai.project import CrewBase, agent, task
from shop.tools import list_orders, search, send_mail


@CrewBase
class Shop:
{config}
    @agent
    def seller(self) -> Agent:
        return Agent(config=self.agents_config["seller"], tools=[search, list_orders])

    @agent
    def writer(self) -> Agent:
        return Agent(config=self.agents_config['writer'], tools=[send_mail])  # type: ignore

    @task
    def sell(self) -> Task:
        return Task(config=self.tasks_config["sell"])
"""
CREW_TOOLS = """\
from crewai.tools import tool


@tool("search")
def search(text: str) -> str:
    \"\"\"Search all articles.\"\"\"


@tool("list_orders")
def list_orders(text: str) -> str:
    \"\"\"List the orders of a customer.\"\"\"


@tool("send_mail")
def send_mail(text: str) -> str:
    \"\"\"Send a mail to a customer.\"\"\"
"""
AGENTS_YAML = """\
seller:
  role: >
    Seller of {topic}
  goal: >
    Call `search`, then call the `list_order` tool.
  backstory: Knows `send_mail`, and has sold it all.
writer:
  role: Writer
  goal: Write to them with the `send_mail` tool.
  backstory: Has written it all, and more of it.
"""
TASKS_YAML = """\
sell:
  description: First call the `send_mials` tool, then rest a while.
  expected_output: A list of what they have bought, nothing else.
  agent: writer
"""


@pytest.mark.parametrize(
    ("config", "folder_of_config"),
    [
        ("", "config"),
        ("    agents_config = 'config/agents.yaml'\n    tasks_config = 'config/tasks.yaml'\n", "config"),
        ("    agents_config: dict = 'texts/agents.yaml'\n    tasks_config = \"texts/tasks.yaml\"\n", "texts"),
    ],
)
def test_what_yaml_tells_the_agents_of_a_crew_is_a_prompt_of_each(config: str, folder_of_config: str) -> None:
    files = {
        ".git/HEAD": "ref: refs/heads/main\n",
        "src/shop/crew.py": CREW.replace("{config}", config),
        "src/shop/tools.py": CREW_TOOLS,
        f"src/shop/{folder_of_config}/agents.yaml": AGENTS_YAML,
        f"src/shop/{folder_of_config}/tasks.yaml": TASKS_YAML,
    }
    write_files(Path(), files)
    agents, tasks = (f"src/shop/{folder_of_config}/{name}.yaml" for name in ("agents", "tasks"))
    assert findings() == [(agents, "list_order"), (tasks, "send_mials")]
    bound = {
        agent.title
        for surface in load_project(["."], Settings(os.getcwd())).surfaces
        for agent in surface.agents
        if surface.prompts
    }
    assert bound == {"the agent `seller`", "the agent `writer`"}


def test_surfaces_of_agents_without_names_have_names_of_their_own() -> None:
    """A finding says by it which surface it is in."""
    code = "Agent(instructions='Call the `serch` tool.', tools=[search])\n"
    code += "Agent(instructions='Call the `list_order` tool.', tools=[list_orders])\n"
    write_files(Path(), {"agent.py": HEAD + code, "parts.py": PARTS})
    found = check_paths(["."]).diagnostics
    assert [diagnostic.surface for diagnostic in found] == ["agent.py: Agent", "agent.py: Agent (2)"]


@pytest.mark.parametrize("options", ["made = {}\n    await server.run(r, w, made)", "await server.run(r, w, {})"])
def test_what_a_low_level_server_is_run_with(options: str) -> None:
    made = "InitializationOptions('notes', '1', capabilities=server.get_capabilities(), instructions='Call `serch`.')"
    prompts = told(
        "from mcp.server.lowlevel import Server\nfrom mcp.server.models import InitializationOptions\n"
        "from mcp.types import Tool\nserver = Server('notes')\n@server.list_tools()\nasync def tools():\n"
        "    return [Tool(name='search', description='Search.', inputSchema={'type': 'object'})]\n"
        "async def main(r, w):\n    " + options.format(made) + "\n"
    )
    assert [str(prompt.text) for prompt in prompts] == ["Call `serch`."]
