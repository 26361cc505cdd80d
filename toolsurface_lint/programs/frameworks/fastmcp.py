"""FastMCP 2 and later: as the MCP SDK, with servers that mount and change one another."""

from __future__ import annotations

from functools import partial

from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.framework import CLEAN
from toolsurface_lint.programs.frameworks import mcp
from toolsurface_lint.programs.operations import plain, plain_set, plain_texts
from toolsurface_lint.programs.registry import Choice, Naming, Server, ToolObject
from toolsurface_lint.programs.schema import ANYTHING, build
from toolsurface_lint.programs.tool_maker import ToolMaker

_OPENAPI = "tools generated from an OpenAPI document"
_OTHER_SERVER = "tools taken over from another server"
_ONLY_NAMES = frozenset(("name", "title", "description", "tags", "meta"))

_DEFAULTS = (
    "Depends", "Progress", "CurrentContext", "CurrentFastMCP", "CurrentRequest", "CurrentHeaders", "CurrentDocket",
    "CurrentWorker", "CurrentAccessToken", "TokenClaim", "Resolve",
)  # fmt: skip


def _mount(maker: ToolMaker, method: v.Method, call: v.Call) -> None:
    """`server.mount(...)`: the tools of another server are served too, under a prefix if there is one."""
    known, given = maker.registry.known_server, call.values
    keys = ("server", "provider", "prefix", "namespace")
    given.extend(argument.value for key, argument in call.keywords.items() if key in keys)
    child = next(filter(None, map(known, given)), None)
    if child is None and not isinstance(method.receiver, Server):
        # Web applications mount things too.
        return
    parent = maker.registry.server_of(method, call.module)
    unknown = partial(maker.registry.add_reason, module=call.module, node=call.node, server=parent)
    prefix = ""
    for value in given:
        text = plain(value)
        if isinstance(text, str):
            prefix = text
        elif text is not None and child is not None and known(value) is None:
            unknown(f"a server mounted under {v.describe(value)}")
            return
    if child is None:
        unknown("a server is mounted that only a run can tell")
        return
    renamed = call.get("tool_names")
    names = {} if renamed is None else plain_texts(renamed.value)
    if names is None:
        unknown("a server mounted with names that only a run can tell")
    parent.mount(child, Naming(prefix, names or {}))


def _rename(maker: ToolMaker, method: v.Method, call: v.Call) -> None:
    """`server.add_transform(...)`, `server.add_tool_transformation(...)`: tools are served under other names."""
    server = method.receiver
    if not isinstance(server, Server):
        return
    first = call.first_value or v.Unknown("a transform")
    naming: Naming | None = None
    if isinstance(first, v.Made) and first.last == "Namespace":
        text = plain(first.arguments.value("prefix", 0))
        naming = Naming(text) if isinstance(text, str) else None
    elif isinstance(first, v.Made) and first.last == "ToolTransform":
        naming = _names(first.arguments.value("transforms", 0))
    elif len(call.positional) == 2:
        changes = v.Mapping()
        changes.set(str(plain(first)), call.values[1])
        naming = _names(changes)
    if naming is None:
        maker.registry.add_reason("tools changed by a transform", *call.at, server)
    elif naming not in server.changes:
        server.changes.append(naming)


def _choose(maker: ToolMaker, method: v.Method, call: v.Call) -> None:
    """`server.disable(tags={"admin"})`, `server.enable(names={"search"}, only=True)` (fastmcp 3.0.0 to 4.1.6)"""
    server = maker.registry.known_server(method.receiver)
    evaluator, enables = maker.registry.evaluator, method.name == "enable"
    if server is None or server.framework.format != FRAMEWORK.format or (evaluator.optional and not enables):
        return
    components, only = call.value("components"), call.value("only")
    is_sure = not (evaluator.soft or evaluator.optional or evaluator.loops or call.open or "version" in call.keywords)
    texts = {key: plain_set(call.value(key)) for key in ("names", "keys", "tags") if call.get(key) is not None}
    if components is not None and "tool" not in (plain_set(components) or ("tool",)):
        return
    if not texts and not call.open and components is None and "version" not in call.keywords:
        # Where nothing says which of them are meant, none are.
        texts["names"] = frozenset()
    named = [names for names in (texts.get("names"), _named_by(texts.get("keys"))) if names is not None]
    choice = Choice(
        enables,
        frozenset.intersection(*named) if named else None,
        texts.get("tags"),
        is_sure and None not in texts.values() and (only is None or isinstance(plain(only), bool)),
        only is not None and plain(only) is not False,
    )
    if choice not in server.changes:
        server.changes.append(choice)


def _choose_tool(maker: ToolMaker, method: v.Method, call: v.Call) -> v.Value | None:
    """`search.disable()`, of what a decorator has made of a function (fastmcp 2.8.0 to 2.14.7)"""
    tool = method.receiver
    if isinstance(tool, ToolObject) and tool.registration is not None and not maker.registry.evaluator.optional:
        tool.registration.optional = method.name == "disable" or tool.registration.optional
    return v.Literal(None, *call.at)


def _named_by(keys: frozenset[str] | None) -> frozenset[str] | None:
    """The names of tools in keys such as `tool:search@`, before the version; None if they are not known."""
    tools = None if keys is None else (key.removeprefix("tool:") for key in keys if key.startswith("tool:"))
    return None if tools is None else frozenset(key.rpartition("@")[0] for key in tools)


def _names(transforms: v.Value | None) -> Naming | None:
    """The names that a dict of `ToolTransformConfig(...)` gives; None if that is not known, or more than names is changed."""
    if not isinstance(transforms, v.Mapping) or not transforms.complete:
        return None
    names: dict[str, str] = {}
    for tool, entry in transforms.entries.items():
        given = entry.value.arguments if isinstance(entry.value, v.Made) else None
        if given is None or given.open or not _ONLY_NAMES.issuperset(given.keywords):
            return None
        name = given.value("name")
        if name is not None:
            text = plain(name)
            if not isinstance(text, str):
                return None
            names[tool] = text
    return Naming("", names)


def _from_tool(maker: ToolMaker, function: v.External, call: v.Call) -> v.Value | None:
    """`Tool.from_tool(tool, transform_args={...})`."""
    made = maker.convert(function, call)
    changed = call.get("transform_args")
    if changed is not None and isinstance(made, ToolObject) and made.registration is not None:
        made.registration.reshape = partial(_transformed, changed.value)
    return made


def _transformed(transforms: v.Value, schema: v.Mapping, takes_any: bool) -> v.Mapping:
    """What `transform_args` makes of the schema of a signature; an incomplete one where that is not known."""
    made = v.Mapping(schema.module, schema.node, dict(schema.entries))
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(transforms, v.Mapping) or not isinstance(properties, v.Mapping):
        made.complete = False
        return made
    needed = [plain(item) for item in required.items] if isinstance(required, v.Items) else []
    changed = v.Mapping(properties.module, properties.node)
    still = v.Items([], schema.module, schema.node)
    for name, entry in properties.entries.items():
        options = _options(transforms.get(name))
        if options is None:
            made.complete = False
            return made
        if plain(options.get("hide")) is True:
            continue
        parameter = v.Mapping(entry.value.module, entry.value.node)
        if isinstance(entry.value, v.Mapping) and "type" not in options.entries:
            parameter.entries.update(entry.value.entries)
        elif "type" in options.entries:
            parameter = build(ANYTHING, schema.module, schema.node)
        for key in ("description", "default"):
            if key in options.entries:
                parameter.entries[key] = options.entries[key]
        given = options.get("name")
        label = given if isinstance(given, v.Literal) and isinstance(given.value, str) else entry.key
        written = str(plain(label))
        changed.entries[written] = v.Entry(label, parameter)
        if plain(options.get("required")) is True or (name in needed and "default" not in options.entries):
            still.items.append(v.Literal(written, label.module, label.node))
    made.set("properties", changed)
    made.entries.pop("required", None)
    if still.items:
        made.set("required", still)
    made.complete = transforms.complete
    return made


def _options(given: v.Value | None) -> v.Mapping | None:
    """What is said of one parameter; None if that is not known."""
    if isinstance(given, v.Made) and given.last in ("ArgTransform", "ArgTransformConfig"):
        given = given.arguments.mapping()
    if given is None:
        return v.Mapping()
    return given if isinstance(given, v.Mapping) and given.complete else None


FRAMEWORK = mcp.FRAMEWORK._replace(
    packages={"fastmcp": ("FastMCP",)},
    constructors=("Tool", "FunctionTool"),
    recognises=None,
    servers={"FastMCP": 1, "FastMCPOpenAPI": None, "FastMCPProxy": None},
    generated={
        "from_openapi": _OPENAPI,
        "from_fastapi": "tools generated from a web application",
        "from_client": _OTHER_SERVER,
        "as_proxy": _OTHER_SERVER,
        "create_proxy": _OTHER_SERVER,
        "FastMCPOpenAPI": _OPENAPI,
        "FastMCPProxy": _OTHER_SERVER,
    },
    calls={"from_tool": _from_tool},
    method_calls={
        "mount": _mount,
        "import_server": _mount,
        "add_provider": _mount,
        "add_transform": _rename,
        "add_tool_transformation": _rename,
        "enable": _choose,
        "disable": _choose,
    },
    tool_methods={"enable": _choose_tool, "disable": _choose_tool},
    is_usual=False,
    keeps_functions=False,
    text=CLEAN,
    text_metadata=True,
    injected_types=(),
    injected_metadata=("Depends", "Resolve", "FromDishka"),
    injected_defaults=_DEFAULTS,
)
