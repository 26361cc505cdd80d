"""The parameters of a Python tool's function: without a type, of a type that is lost, or only in its docstring."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolsurface_lint.checks.contract import PYTHON_DEFINITION, check
from toolsurface_lint.model.code import CodeParameter, PythonFunction
from toolsurface_lint.model.diagnostics import UNSAFE, WARNING, Finding, Rule, renaming
from toolsurface_lint.model.names import CloseNames, suggestion
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool

UNSUPPORTED = Rule(
    code="TOOL_CODE_UNSUPPORTED_TYPE",
    since="0.1.0",
    severity=WARNING,
    summary="A type hint of a Python tool that the schema inference turns into a plain string.",
    message="the hint{hint} of `{name}` becomes {kind} in the schema",
    tags=("tools", "python"),
)

UNTYPED = Rule(
    code="TOOL_CODE_UNTYPED_PARAMETER",
    since="0.1.0",
    severity=WARNING,
    summary="A parameter of a Python tool has no type hint.",
    message="the parameter `{name}` has no type hint",
    tags=("tools", "python"),
)

UNKNOWN = Rule(
    code="TOOL_CODE_DOCSTRING_PARAMETER_UNKNOWN",
    since="0.1.0",
    severity=WARNING,
    summary="The docstring of a Python tool documents a parameter that its function does not have.",
    message="the docstring documents `{name}`, which is not a parameter of `{function}`",
    tags=("tools", "python"),
    fix=UNSAFE,
)

_LONGEST_HINT = 60


@check(PYTHON_DEFINITION, UNSUPPORTED, UNTYPED, UNKNOWN)
def check_definition(tool: Tool, target: Target) -> Iterator[Finding]:
    code = tool.code
    if code is None:
        return
    for parameter in code.parameters:
        if parameter.typing == "unsupported":
            yield UNSUPPORTED.at(
                parameter.place if parameter.hint is None else parameter.hint,
                tool=tool.name,
                field="parameters",
                name=parameter.name,
                hint=_hint(parameter),
                kind="an array of `string`" if _type(tool, parameter.name) == "array" else "`string`",
                help="use `str`, `int`, `float`, `bool` or `list[...]` of them, or give `Tool(...)` the schema",
            )
        elif parameter.typing == "untyped":
            yield UNTYPED.at(
                parameter.place,
                tool=tool.name,
                field="parameters",
                name=parameter.name,
                help="the schema is made of type hints: " + _without_hint(tool, parameter.name),
            )
    yield from _undeclared(tool, code)


def _type(tool: Tool, name: str) -> str | None:
    declared = tool.parameter(name)
    return None if declared is None else declared.type


def _without_hint(tool: Tool, name: str) -> str:
    said = _type(tool, name)
    return "without one, the model may send anything" if said is None else f"without one, it says `{said}`"


def _hint(parameter: CodeParameter) -> str:
    """The hint as written, for the message, unless it is long."""
    if parameter.hint is None:
        return ""
    text = " ".join(str(parameter.hint.tree.at(parameter.hint.path).value).split())
    return f" `{text}`" if len(text) <= _LONGEST_HINT and "`" not in text else ""


def _undeclared(tool: Tool, code: PythonFunction) -> Iterator[Finding]:
    if not code.documented or code.takes_any:
        return
    known = {*code.names, *_properties(None if tool.schema is None else tool.schema.value)}
    strange = [parameter for parameter in code.documented if parameter.name not in known]
    if not strange:
        return
    # A docstring may list what an object holds that is the only argument, or what a wrapper adds to a bare signature.
    listed = len(code.names) <= 1 and len(strange) == len(code.documented)
    taken = {parameter.name for parameter in code.documented}
    close = CloseNames(name for name in code.names if name not in taken)
    for parameter in strange:
        near = close.find(parameter.name)
        # `Note:` and the like begin a sentence.
        if not near and (listed or parameter.name[0].isupper()):
            continue
        yield UNKNOWN.at(
            parameter.place,
            tool=tool.name,
            field="description",
            related=[("the function is defined here", code.place)],
            name=parameter.name,
            function=code.name,
            help=suggestion(near) or "the model reads the docstring: take the entry out",
            fix=renaming(parameter.place, parameter.name, near),
        )


def _properties(schema: Any) -> Iterator[str]:
    """The names of all properties in a schema, at any depth."""
    pending = [schema]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            properties = value.get("properties")
            if isinstance(properties, dict):
                yield from properties
            pending.extend(value.values())
        elif isinstance(value, list):
            pending.extend(value)
