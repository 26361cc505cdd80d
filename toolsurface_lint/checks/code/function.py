"""The Python function behind a tool: its parameters, and its side effects against those that are declared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolsurface_lint.checks.contract import PYTHON_DEFINITION, check
from toolsurface_lint.model.code import (
    CHANGE,
    DELETE,
    NETWORK,
    PROCESS,
    SIDE_EFFECTS,
    WRITE,
    CodeParameter,
    Effect,
    PythonFunction,
)
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, WARNING, Finding, Rule, renaming
from toolsurface_lint.model.effects import READS, declared_effects, said_effect
from toolsurface_lint.model.names import CloseNames, slip, suggestion
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.schemas.references import objects
from toolsurface_lint.source.tree import Place

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

UNKNOWN_PARAMETER = Rule(
    code="TOOL_CODE_DOCSTRING_PARAMETER_UNKNOWN",
    since="0.1.0",
    severity=WARNING,
    summary="The docstring of a Python tool documents a parameter that its function does not have.",
    message="the docstring documents `{name}`, which is not a parameter of `{function}`",
    tags=("tools", "python"),
    fix=UNSAFE,
)

_LONGEST_HINT = 60


@check(PYTHON_DEFINITION, UNSUPPORTED, UNTYPED, UNKNOWN_PARAMETER)
def check_parameters(tool: Tool, target: Target) -> Iterator[Finding]:
    code = tool.code
    if code is None:
        return
    for parameter in code.parameters:
        declared = tool.parameter(parameter.name)
        said = None if declared is None else declared.type
        if parameter.typing == "unsupported":
            yield UNSUPPORTED.at(
                parameter.place if parameter.hint is None else parameter.hint,
                tool=tool.name,
                field="parameters",
                name=parameter.name,
                hint=_hint(parameter),
                kind="an array of `string`" if said == "array" else "`string`",
                help="use `str`, `int`, `float`, `bool` or `list[...]` of them, or give `Tool(...)` the schema",
            )
        elif parameter.typing == "untyped":
            yield UNTYPED.at(
                parameter.place,
                tool=tool.name,
                field="parameters",
                name=parameter.name,
                help="add a type hint: without one, "
                + ("the model may send anything" if said is None else f"the schema says `{said}`"),
            )
    yield from _undeclared(tool, code)


def _hint(parameter: CodeParameter) -> str:
    """The hint as written, for the message, unless it is long."""
    if parameter.hint is None:
        return ""
    text = " ".join(str(parameter.hint.tree.at(parameter.hint.path).value).split())
    return f" `{text}`" if len(text) <= _LONGEST_HINT and "`" not in text else ""


def _undeclared(tool: Tool, code: PythonFunction) -> Iterator[Finding]:
    if not code.documented or code.takes_any:
        return
    known = set(code.names)
    for part in objects(None if tool.schema is None else tool.schema.value):
        if isinstance(part.get("properties"), dict):
            known.update(part["properties"])
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
        yield UNKNOWN_PARAMETER.at(
            parameter.place,
            tool=tool.name,
            field="description",
            related=[("the function is defined here", code.place)],
            name=parameter.name,
            function=code.name,
            help=suggestion(near) or "remove the entry: the model reads the docstring",
            fix=renaming(parameter.place, parameter.name, near),
        )


EFFECTS_UNDECLARED = Rule(
    code="TOOL_CODE_SIDE_EFFECTS_UNDECLARED",
    since="0.1.0",
    severity=WARNING,
    summary="A Python tool does not declare its side effects, though its decorator accepts them.",
    message="the tool `{name}` declares no side effects",
    tags=("tools", "python"),
)

UNKNOWN_EFFECT = Rule(
    code="TOOL_CODE_UNKNOWN_SIDE_EFFECT",
    since="0.1.0",
    severity=ERROR,
    summary="A Python tool declares a side effect that is not one of the known tags.",
    message="`{name}` is not a side effect",
    tags=("tools", "python"),
    fix=UNSAFE,
)

EFFECT_MISMATCH = Rule(
    code="TOOL_CODE_SIDE_EFFECT_MISMATCH",
    since="0.1.0",
    severity=WARNING,
    summary="The code of a Python tool does what its declaration excludes.",
    message="`{name}` {does} (`{what}`), but {declared}",
    tags=("tools", "python"),
)

_TAGS = "`read`, `write`, `network`, `mutate`"

_DOES = {
    WRITE: "changes files",
    NETWORK: "uses the network",
    PROCESS: "starts processes",
    CHANGE: "changes data",
    DELETE: "deletes data",
}

# What may be meant by doing so: `mutate` is an effect on the outside that needs files, the network or processes, and a
# process may do anything that a tag is for but merely read.
_ADMITTED_BY = {
    WRITE: frozenset(("write", "mutate")),
    NETWORK: frozenset(("network", "mutate")),
    PROCESS: frozenset(("write", "network", "mutate")),
    CHANGE: frozenset(("write", "mutate")),
    DELETE: frozenset(("write", "mutate")),
}
_TO_ADD = {PROCESS: "write", CHANGE: "mutate", DELETE: "mutate"}


@check(PYTHON_DEFINITION, EFFECTS_UNDECLARED, UNKNOWN_EFFECT, EFFECT_MISMATCH)
def check_effects(tool: Tool, target: Target) -> Iterator[Finding]:
    if tool.side_effects is None and "side_effects" in tool.declarable:
        yield EFFECTS_UNDECLARED.at(
            tool.name_place,
            tool=tool.name,
            field="side_effects",
            help=f"declare what it does with `side_effects`: any of {_TAGS}",
        )
    tags = [] if tool.side_effects is None else list(tool.side_effects.elements())
    given = [tag.value for tag in tags]
    for tag in tags:
        if tag.value not in SIDE_EFFECTS:
            near = slip(tag.value, SIDE_EFFECTS)
            yield UNKNOWN_EFFECT.at(
                tag.place,
                tool=tool.name,
                field="side_effects",
                name=tag.value,
                help=suggestion(near) or f"use any of {_TAGS}",
                fix=renaming(tag.place, tag.value, [other for other in near if other not in given]),
            )
    for effect, excluding in _excluded(tool):
        done = "is run here" if " " in effect.what or effect.what.isupper() else "is called here"
        yield EFFECT_MISMATCH.at(
            excluding.place,
            tool=tool.name,
            field=excluding.field,
            related=[
                (f"`{effect.what}` {done}" + (f", in `{effect.through}`" if effect.through else ""), effect.place)
            ],
            declared=excluding.says,
            does=_DOES[effect.effect],
            what=effect.what,
            help=excluding.help,
        )


class _Excluding(NamedTuple):
    """What a tool says that excludes an effect: in words, the field and the place of it, and what to do."""

    says: str
    field: str
    place: Place
    help: str


def _excluded(tool: Tool) -> list[tuple[Effect, _Excluding]]:
    """The first effect of each kind that the tool says it does not have; if any changes data, the first of those alone.

    Whoever declares such a change need not declare by what way it is made.
    """
    found: dict[str, tuple[Effect, _Excluding]] = {}
    for effect in tool.effects:
        excluding = None if effect.effect in found else _excluding(tool, effect.effect)
        if excluding is not None:
            found[effect.effect] = effect, excluding
    changes = [each for kind, each in found.items() if kind in (CHANGE, DELETE)]
    return changes[:1] or [*found.values()]


def _excluding(tool: Tool, effect: str) -> _Excluding | None:
    """What excludes an effect; None if nothing does.

    To say that a tool only reads says nothing about the network or about processes, by which one may read too.
    """
    if tool.side_effects is not None:
        tags = [tag.value for tag in tool.side_effects.elements()]
        # What an unknown tag stands for is not known.
        if any(tag not in SIDE_EFFECTS for tag in tags) or not _ADMITTED_BY[effect].isdisjoint(tags):
            return None
        declared = "only " + ", ".join(f"`{tag}`" for tag in sorted(tags)) if tags else "no side effects"
        help = f"add `{_TO_ADD.get(effect, effect)}`"
        return _Excluding(f"declares {declared}", "side_effects", tool.side_effects.place, help)
    if effect in (NETWORK, PROCESS):
        return None
    hints = {} if tool.hints is None else {key: tool.hints.get(key) for key in ("readOnlyHint", "destructiveHint")}
    given = {key: hint for key, hint in hints.items() if hint is not None}
    for key, value, effects, help in _HINTS:
        hint = given.get(key)
        if hint is not None and hint.value is value and effect in effects:
            return _Excluding(f"declares `{key}: {str(value).lower()}`", "annotations", tool.hint_place(hint), help)
    description = tool.description
    says = None if description is None or declared_effects(tool) else said_effect(description.value)
    if description is None or says is None or says[0] != READS:
        return None
    _, start, end = says
    text = f"its description says `{description.value[start:end]}`"
    help = "correct the description: models and people rely on it"
    return _Excluding(text, "description", description.text_place(start, end), help)


_HINTS = (
    (
        "readOnlyHint", True, (WRITE, CHANGE, DELETE),
        "correct the hint: clients call read-only tools without asking",
    ),
    (
        "destructiveHint", False, (DELETE,),
        "correct the hint: clients ask less before they call tools that only add",
    ),
)  # fmt: skip
