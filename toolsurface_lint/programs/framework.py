"""What frameworks call the things that make tools, and the facts of one registered tool.

Covers the tool chapter's `tool`, `Tool` and `ToolRegistry`, FastMCP and the MCP SDK, LangChain, OpenAI Agents, Pydantic AI,
smolagents, CrewAI, the Claude Agent SDK, and the dicts of the OpenAI, Anthropic and Gemini interfaces. The names of these
interfaces are those of their documentation.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from toolsurface_lint.programs.python.modules import Module
from toolsurface_lint.programs.schema import PYDANTIC, SIMPLE
from toolsurface_lint.programs.values import (
    Argument,
    Class,
    External,
    Function,
    Instance,
    Literal,
    Mapping,
    Value,
)
from toolsurface_lint.source.python import Located

RAW, CLEAN, STRIPPED, SUMMARY = "raw", "clean", "stripped", "summary"
"""What of a docstring is served: as written, without its indentation, stripped, or up to its first section."""


class Framework(NamedTuple):
    """How one library makes tools. `format` names it; `documented`: the docstring's parameter section is served.

    `unwraps`: a parameter that is the only one, and a model, is replaced by the model's fields. `nameless`: what a
    function's parameters are called is not served.
    """

    format: str
    flavour: str = PYDANTIC
    text: str = CLEAN
    documented: bool = False
    text_metadata: bool = False
    side_effects: bool = False
    unwraps: bool = False
    nameless: bool = False


MCP = Framework("python-mcp", text=RAW)
FASTMCP = Framework("python-mcp", text_metadata=True)
LANGCHAIN = Framework("python-langchain", text_metadata=True)
LANGCHAIN_PLAIN = LANGCHAIN._replace(nameless=True)
"""`langchain_core.tools.Tool`, for functions of one text."""
OPENAI_AGENTS = Framework("python-openai-agents", text=SUMMARY, documented=True, text_metadata=True)
PYDANTIC_AI = Framework("python-pydantic-ai", text=SUMMARY, documented=True, unwraps=True)
SMOLAGENTS = Framework("python-smolagents", text=SUMMARY, documented=True)
CREWAI = Framework("python-crewai", text=RAW)
CLAUDE = Framework("python-claude-agent-sdk", text_metadata=True)
HARNESS = Framework("python-harness", SIMPLE, STRIPPED, side_effects=True)
OPENAI = Framework("python-openai")
ANTHROPIC = Framework("python-anthropic")
GEMINI = Framework("python-gemini")
BEDROCK = Framework("python-bedrock")
OTHER = Framework("python")

BY_ROOT = {
    "mcp": MCP, "fastmcp": FASTMCP, "langchain": LANGCHAIN, "langchain_core": LANGCHAIN, "langchain_community": LANGCHAIN,
    "langgraph": LANGCHAIN, "agents": OPENAI_AGENTS, "pydantic_ai": PYDANTIC_AI, "smolagents": SMOLAGENTS,
    "crewai": CREWAI, "crewai_tools": CREWAI, "claude_agent_sdk": CLAUDE, "claude_code_sdk": CLAUDE, "harness": HARNESS,
    "openai": OPENAI, "anthropic": ANTHROPIC, "google": GEMINI,
}  # fmt: skip

SERVERS = ("FastMCP", "MCPServer", "FastMCPOpenAPI", "FastMCPProxy")
LOW_SERVERS = ("mcp.server.Server", "mcp.server.lowlevel.Server", "mcp.server.lowlevel.server.Server")
GENERATED = {
    "from_openapi": "tools generated from an OpenAPI document", "from_fastapi": "tools generated from a web application",
    "from_client": "tools taken over from another server", "as_proxy": "tools taken over from another server",
    "create_proxy": "tools taken over from another server", "FastMCPOpenAPI": "tools generated from an OpenAPI document",
    "FastMCPProxy": "tools taken over from another server",
}  # fmt: skip
DECORATORS = frozenset((
    "tool", "function_tool", "beta_tool", "beta_async_tool", "ai_function",
))  # fmt: skip
METHODS = frozenset((
    "tool", "tool_plain",
))  # fmt: skip
NO_FRAMEWORK = frozenset((
    "builtins", "typing", "functools", "pytest", "click", "typer", "django", "flask", "celery", "bpy", "unittest",
))  # fmt: skip
CONSTRUCTORS = frozenset((
    "Tool", "FunctionTool", "StructuredTool", "SdkMcpTool",
))  # fmt: skip
DICT_CONSTRUCTORS = frozenset((
    "ToolParam", "BetaToolParam", "ChatCompletionToolParam", "ChatCompletionFunctionToolParam", "FunctionToolParam",
    "ChatCompletionTool", "FunctionDeclaration", "FunctionDefinition", "ToolSpecificationTypeDef",
))  # fmt: skip
AGENT = re.compile(
    r"Agent$|Toolset$|^create_\w*agent$|^ToolNode$|^ToolCollection$|^GenerateContentConfig$|^GenerativeModel$"
)
MAY_REGISTER = re.compile(r"regist|tool|add_|setup|load|mount|install|attach|plugin", re.IGNORECASE)
TOOLSET_METHODS = frozenset((
    "prefixed", "renamed", "filtered", "prepared", "approval_required", "defer_loading", "with_metadata",
    "include_return_schemas",
))  # fmt: skip
"""What makes of a toolset of Pydantic AI another one with the same tools, the first two under other names."""
BASE_TOOLS = ("Tool", "BaseTool", "StructuredTool", "FunctionTool")
RUN_METHODS = ("_run", "forward", "run", "_arun", "execute", "__call__")
# Also the positional order of `Tool(...)` and of decorators, where the library has one.
ORDERS = {
    "python-harness": ("name", "description", "input_schema", "run", "side_effects"),
    "python-langchain": ("name", "func", "description"),
    "python-claude-agent-sdk": ("name", "description", "input_schema"),
    "python-pydantic-ai": ("function",),
    "python-openai-agents": ("name", "description", "params_json_schema"),
}
NAME_KEYS = ("name", "name_override", "tool_name")
DESCRIPTION_KEYS = ("description", "description_override", "tool_description")
SCHEMA_KEYS = (
    "inputSchema", "input_schema", "params_json_schema", "args_schema", "json_schema", "parameters",
    "parametersJsonSchema", "parameters_json_schema",
)  # fmt: skip
FUNCTION_KEYS = ("fn", "func", "function", "coroutine", "run", "handler")


def framework_of(function: External) -> Framework:
    """The framework of something from a package, or from a file that was not given with the others."""
    steps = function.path.lstrip(".").split(".")
    known = BY_ROOT.get(steps[0])
    if known is not None:
        return LANGCHAIN_PLAIN if known is LANGCHAIN and "Tool" in steps else known
    chapter = (".decorator.tool",) if function.root else (".decorator.tool", ".base.Tool", ".registry.ToolRegistry")
    return HARNESS if function.path.endswith(chapter) else OTHER


class Naming(NamedTuple):
    """What becomes of the names of a server's tools: some are given another one, the others a prefix."""

    prefix: str
    renamed: dict[str, str]

    def of(self, name: str) -> str:
        return self.renamed.get(name) or (f"{self.prefix}_{name}" if self.prefix else name)


class Server(Instance):
    """Something that tools are registered with: an MCP server, an agent, an object that only a run can tell.

    `mounts` are the servers whose tools it serves too, `namings` what becomes of the names of all that it serves, in order.
    """

    __slots__ = ("framework", "key", "mounts", "namings", "path", "removed")
    reserved = frozenset(
        (
            "tool",
            "add_tool",
            "list_tools",
            "mount",
            "import_server",
            "remove_tool",
            "add_provider",
            "add_transform",
            "add_tool_transformation",
        )
    )

    def __init__(
        self, key: str, framework: Framework, path: str, cls: Class | None, module: Module, node: Located | None
    ) -> None:
        super().__init__(cls, module, node)
        self.key = key
        self.framework = framework
        self.path = path
        self.mounts: list[tuple[Server, Naming]] = []
        self.namings: list[Naming] = []
        self.removed: set[str] = set()


class Registration:
    """One tool as it is registered: every part is a value, None for what is not given."""

    __slots__ = (
        "annotations",
        "container",
        "description",
        "display",
        "entry",
        "excluded",
        "framework",
        "function",
        "module",
        "name",
        "node",
        "optional",
        "schema",
        "server",
        "side_effects",
        "skip_first",
        "title",
        "transforms",
        "uncertain",
        "versioned",
    )

    def __init__(self, name: Literal, framework: Framework, module: Module, node: Located) -> None:
        self.name = name
        self.framework = framework
        self.module = module
        """The file that the tool is reported in: of its function, or of the call that makes it."""
        self.node = node
        """What stands for the whole definition there."""
        self.function: Function | None = None
        self.description: Value | None = None
        self.title: Argument | None = None
        self.schema: Argument | None = None
        self.annotations: Argument | None = None
        self.side_effects: Argument | None = None
        self.display: Mapping | None = None
        """The dict that is the whole definition, if it is one."""
        self.entry = ""
        """The function that it was found in, if nothing called that."""
        self.server: Server | None = None
        self.container = ""
        self.optional = False
        """Behind a setting that is off by default."""
        self.uncertain = False
        self.skip_first = False
        self.excluded: frozenset[str] = frozenset()
        self.transforms: Value | None = None
        """What becomes of the parameters of a tool that is made of another one."""
        self.versioned = False
        """One of several versions, of which clients see the newest."""


class ToolObject(Value):
    """A tool as a value; `registration` is None if its name is not known."""

    __slots__ = ("registration", "what")

    def __init__(self, registration: Registration | None, module: Module, node: Located, what: str = "") -> None:
        super().__init__(module, node)
        self.registration = registration
        self.what = what


class Reason(NamedTuple):
    """Why there may be tools that are not seen."""

    text: str
    module: Module
    node: object
    server: Server | None
