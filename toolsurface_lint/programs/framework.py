"""What a framework is: how its code makes tools, and what it serves of them. One file each in `programs/frameworks/`.

Everything that a file leaves out has a default that fits most frameworks. What makes a tool is found by its own name, from
whatever package it was imported, since wrappers and copies of frameworks keep the names; the package then decides how the
tool is served.
"""

# No `from __future__ import annotations`: `NamedTuple` compiles annotations that are strings, each of them at every start.

from collections.abc import Callable, Iterable
from collections.abc import Mapping as Table
from functools import cache, lru_cache
from typing import Any, NamedTuple, Optional

from toolsurface_lint.programs.operations import plain
from toolsurface_lint.programs.values import Call, Class, External, Function, Mapping, Module, Value
from toolsurface_lint.source.modules import registered

RAW, CLEAN, STRIPPED, SUMMARY, UNUSED = "raw", "clean", "stripped", "summary", "unused"
"""What of a docstring is served: as written, without its indentation, stripped, up to its first section, or nothing."""
FIRST = "0"
"""An argument that is given first, by position."""

Handler = Callable[[Any, Any, Call], Value | None]
"""Is given the `ToolMaker`, what is called (an `External`, a `Method` or a `Class`), and the call; None to let others have it."""


class Framework(NamedTuple):
    """One library. `format` names it in reports."""

    format: str

    # How it is recognised.
    packages: Table[str, tuple[str, ...]] = {}
    """The roots of the paths that it is imported by, each with functions and classes that the package of that name defines.

    Applications have packages called `agents` or `mcp` too; one that defines all of these is the framework itself.
    """
    by_path: Callable[[str], Optional["Framework"]] | None = None
    """The framework that a dotted path means where the root alone does not say it."""
    signs: tuple[str, ...] = ()
    """Texts that files with its tools hold, if nothing in `markers` finds them."""
    keyword: str = ""
    """An argument that only its tools take: `tool` or `Tool` of no known package is its if given that."""

    # What makes tools.
    decorators: tuple[str, ...] = ()
    constructors: tuple[str, ...] = ()
    """Classes whose objects are tools."""
    methods: Table[str, bool] = {}
    """Methods of its servers that make a tool of a function, and whether the function's first parameter is the context."""
    own_methods: tuple[str, ...] = ()
    """Methods that an object of its toolkits calls on itself to make a tool of a method."""
    base_classes: tuple[str, ...] = ()
    """Classes from which tools are derived,"""
    run_methods: tuple[str, ...] = ()
    """the methods of theirs that take the arguments,"""
    class_schemas: tuple[str, ...] = ()
    """and the class attributes that hold the schema."""
    are_models: bool = False
    """Its classes of tools are models: named like the class, described by its docstring, with its fields as parameters."""
    recognises: Callable[[Mapping, str], Mapping | None] | None = None
    """Of a dict, and the constructor that made it (or nothing): the part that has the tool's name, if it is a definition."""
    may_be_part: bool = False
    """What it recognises may be a part of what another framework makes a tool of, which is the tool then."""

    toolkits: Table[str, str] = {}
    """Classes of toolkits, each with the attribute that names those of its methods that are tools."""
    ready_made: tuple[str, ...] = ()
    """The modules whose classes are tools and toolkits that can be used as they are."""

    # What serves tools, and everything else that is called.
    servers: Table[str, int | None] = {}
    """Classes of servers, by own name or path, each with the position of the instructions."""
    generated: Table[str, str] = {}
    """What makes servers whose tools nobody can see, and why."""
    calls: Table[str, Handler] = {}
    """By the last part of a name."""
    method_calls: Table[str, Handler] = {}
    """By the name of a method of something that may be a server."""
    tool_methods: Table[str, Handler] = {}
    """By the name of a method of a tool."""
    classes: Table[str, Handler] = {}
    """What making an object of a class of that name does, where the class is in the files read."""
    agent_names: tuple[str, ...] = ("name",)
    """The arguments that name an agent."""
    agent_positions: Table[str, tuple[str, ...]] = {}
    """What its agents take by position, each under the root of its path and its own name: `agents.Agent`."""
    hands_over_by_returning: bool = False
    """A tool that returns an agent hands over to it."""
    is_usual: bool = False
    """A server of which nothing is known is one of its."""
    has_provider_tools: bool = False
    """Its tool objects may stand for tools that the provider runs; they are not missing."""

    # How a registration is read.
    positions: tuple[str, ...] = ()
    """What its constructors take by position,"""
    decorator_positions: tuple[str, ...] = ("name",)
    """and its decorators."""
    named_by: str = ""
    """The keyword by which its decorators are given another name than the function's, `FIRST` for what comes first by position;
    empty if there is no such thing, or nobody has looked."""
    wraps: bool = False
    """Its constructors take a function, whose docstring and parameters are served whatever else is given."""
    switches: tuple[tuple[str, bool, dict[str, Any]], ...] = ()
    """Arguments with a value that changes what is served: the fields of the framework that become others."""
    keeps_functions: bool = False
    """A decorated function stays a function."""

    # What is served.
    simple_types: bool = False
    """Types become schemas as the decorator of the tool chapter does it, which knows few; else as pydantic does it."""
    text: str = CLEAN
    documented: bool = False
    """The docstring's parameter section is served."""
    text_metadata: bool = False
    """A plain text in `Annotated` is the parameter's description."""
    takes_hints: bool = False
    side_effects: bool = False
    nameless: bool = False
    """What a function's parameters are called is not served."""
    typed_keys: bool = False
    """A schema may be given as a dict of parameters and their types."""
    own_types: tuple[str, ...] = ()
    """The types in such a dict that JSON Schema does not have: what is served in their place is not known."""
    reshape: Callable[[Mapping, bool], Mapping] | None = None
    """What becomes of the schema of a signature; the flag: it takes any other arguments too."""
    injected_types: tuple[str, ...] = ()
    injected_metadata: tuple[str, ...] = ()
    injected_defaults: tuple[str, ...] = ()
    """Parameters that the framework fills in, by their type, what `Annotated` says, or what makes their default."""
    injected_names: tuple[str, ...] = ()
    """Parameters that it fills in whatever their type is,"""
    names_injected: str = ""
    """and the argument of its decorators that names one more."""
    untyped: str = ""
    """The type of a parameter without a type hint in the schema; empty for any."""
    needs_text: bool = False
    """Its decorators raise an error for a function that nothing describes, neither a docstring nor that of its schema."""
    describes: bool = False
    """It makes up a description where there is none."""

    @property
    def is_mcp(self) -> bool:
        """Whether its servers speak the Model Context Protocol: whatever else has tools is an agent."""
        return self.format.endswith("-mcp")


OTHER = Framework("python")

# What holds for tools wherever they come from: frameworks learn these from one another.
NAME_KEYS = ("name", "name_override", "tool_name")
DESCRIPTION_KEYS = ("description", "description_override", "tool_description")
SCHEMA_KEYS = (
    "inputSchema", "input_schema", "params_json_schema", "args_schema", "json_schema", "parameters",
    "parametersJsonSchema", "parameters_json_schema", "param_model", "schema",
)  # fmt: skip
SYSTEM_PROMPTS = ("instructions", "instruction", "system_prompt", "system_message", "system_instruction", "system")
"""The arguments of agents and of requests to a model that hold what it is told before anybody asks something,"""
AGENT_PROMPTS = (
    "prompt", "state_modifier", "messages_modifier", "global_instruction", "backstory", "goal", "sys_prompt",
    "extend_system_message", "override_system_message",
)  # fmt: skip
"""those that are such only in agents,"""
MESSAGES = ("messages", "input")
"""and those of requests that hold messages, of which only some roles tell the model what to do."""
TELLING_ROLES = frozenset(("system", "developer"))
ROLES = frozenset((*TELLING_ROLES, "user", "human", "assistant", "ai", "tool"))
MESSAGE_CLASSES = {
    **dict.fromkeys(("SystemMessage", "system"), ("content", "system")),
    "SystemMessagePromptTemplate": ("prompt", "system"),
    "from_system": ("text", "system"),
    **dict.fromkeys(("UserMessage", "HumanMessage", "Message", "PromptMessage"), ("content", "user")),
    **dict.fromkeys(("AssistantMessage", "AIMessage"), ("content", "assistant")),
    **dict.fromkeys(("GetPromptResult", "PromptResult", "from_messages"), ("messages", "")),
    "Content": ("parts", ""),
    **dict.fromkeys(("TextContent", "Part", "from_text"), ("text", "")),
}
"""What makes messages, lists of them and parts of them: the argument that holds what is in it, and the role of a message.

As MCP's SDK, FastMCP, LangChain and Google's `genai` call them.
"""
REQUESTS = frozenset((
    "create", "acreate", "parse", "stream", "completion", "acompletion", "generate_content", "generate_content_async",
    "generate_content_stream", "converse", "converse_stream", "chat", "complete",
))  # fmt: skip
"""The methods and functions of clients that send one request to a model, with the tools that they are given."""
TOOL_LISTS = ("tools", "functions")
"""The arguments and attributes of agents that hold their tools."""
DECLARATIONS = ("function_declarations", "functionDeclarations")
"""The arguments and keys of one of these that hold several definitions."""
WITH_TOOLS = "RunnableBinding"
"""The class of a model with tools that is called later."""
FUNCTION_KEYS = ("fn", "func", "function", "coroutine", "run", "handler")
KEPT_PATHS = 4_096
"""Dotted paths of which it is remembered what they mean: the paths in one project, of those that a server checks for days."""
NO_FRAMEWORK = frozenset((
    "builtins", "typing", "functools", "pytest", "click", "typer", "django", "flask", "celery", "bpy", "unittest",
    "promptflow",
))  # fmt: skip


@cache
def frameworks() -> tuple[Framework, ...]:
    """Every framework, in the order of the names of their files."""
    return registered("toolsurface_lint.programs.frameworks", "FRAMEWORK")


@cache
def names(field: str) -> tuple[str, ...]:
    """What any framework says in a field of names."""
    return tuple(dict.fromkeys(name for framework in frameworks() for name in getattr(framework, field)))


@cache
def handlers(field: str) -> dict[str, list[Handler]]:
    """By name, what the frameworks do with it, in their order."""
    found: dict[str, list[Handler]] = {}
    for framework in frameworks():
        for name, handler in getattr(framework, field).items():
            found.setdefault(name, []).append(handler)
    return found


@lru_cache(maxsize=KEPT_PATHS)
def framework_of(path: str) -> Framework:
    """The framework of something from a package, or from a file that was not given with the others."""
    root = path.lstrip(".").partition(".")[0]
    found = next((framework for framework in frameworks() if root in framework.packages), OTHER)
    asked = frameworks() if found is OTHER else (found,)
    by_path = (framework.by_path(path) for framework in asked if framework.by_path is not None)
    return next((special for special in by_path if special is not None), found)


def agent_call(path: str, call: Call) -> Call:
    """The call that makes an agent, with the names of the arguments that it takes by position."""
    positions = framework_of(path).agent_positions.get(f"{path.partition('.')[0]}.{path.rpartition('.')[2]}")
    if positions is None or not call.positional:
        return call
    named = call.named()
    named.positional = call.positional
    for key, argument in zip(positions, call.positional, strict=False):
        named.keywords.setdefault(key, argument)
    return named


@cache
def _own_names() -> dict[str, tuple[str, ...]]:
    """By package, what it defines."""
    return {root: own for framework in frameworks() for root, own in framework.packages.items()}


def is_object_schema(value: Value | None) -> bool:
    """Whether a value is the schema of an object, as definitions have one for their parameters."""
    if not isinstance(value, Mapping):
        return False
    return plain(value.get("type")) == "object" and isinstance(value.get("properties"), Mapping)


def ready_made(path: str) -> str:
    """The class of ready-made tools that a path from outside means, or one of its methods; empty for anything else."""
    if not any(path.startswith(f"{module}.") for module in names("ready_made")):
        return ""
    return next((part for part in path.split(".") if part[:1].isupper()), "")


def is_framework(module: Module) -> bool:
    """Whether a file is part of a framework itself, in the framework's own repository: by what its package defines."""
    own = _own_names().get(module.import_names[0]) if module.import_names else None
    return own is not None and module.package_defines.issuperset(own)


def own_path(value: Function | Class) -> str:
    """The path of what is defined in the repository of a framework itself, as others import it; empty for anything else."""
    module = value.scope.module
    return ".".join((*module.import_names, value.name)) if is_framework(module) else ""


def outside_base(cls: Class) -> str:
    """The path of the nearest class from outside that a class derives from, or of a framework's in its own repository."""
    for value in cls.ancestors():
        path = value.path if isinstance(value, External) else own_path(value) if isinstance(value, Class) else ""
        if path and value is not cls and path.partition(".")[0] not in NO_FRAMEWORK:
            return path
    return ""


def server_framework(base: External) -> Framework:
    """The framework of a class of servers: of its package, else the one that names its servers so."""
    found = framework_of(base.path)
    named = (each for each in frameworks() if base.last in each.servers or base.path in each.servers)
    return max(named, key=lambda each: each.is_usual) if found is OTHER else found


def by_keywords(framework: Framework, given: Iterable[str]) -> Framework:
    """The framework of a tool, where it is not known but the names of the arguments tell it."""
    if framework is not OTHER:
        return framework
    return next((each for each in frameworks() if each.keyword and each.keyword in given), OTHER)


def usual_framework(method: str, roots: set[str]) -> Framework:
    """The framework of a server that is not known, by the method called on it and the packages that its file imports."""
    candidates = [each for each in frameworks() if method in each.methods]
    if len(candidates) == 1:
        return candidates[0]
    ours = (each for each in frameworks() if each.methods and not roots.isdisjoint(each.packages))
    return next(ours, None) or next(each for each in frameworks() if each.is_usual)
