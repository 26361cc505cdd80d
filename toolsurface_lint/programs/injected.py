"""Parameters that the framework fills in: the model never sees them."""

from __future__ import annotations

import ast

from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.python.hints import Declaration, HintReader, is_text, parsed
from toolsurface_lint.programs.values import Class, External, Hint, Made, Scope

_TYPES = frozenset((
    "Context", "RunContext", "RunContextWrapper", "ToolContext", "ToolRuntime", "RunnableConfig",
    "CallbackManagerForToolRun", "AsyncCallbackManagerForToolRun", "CallbackContext", "ToolCallContext",
))  # fmt: skip
_METADATA = frozenset((
    "InjectedToolArg", "InjectedState", "InjectedStore", "InjectedToolCallId", "Depends", "Resolve", "FromDishka",
))  # fmt: skip
_DEFAULTS = frozenset((
    "Depends", "Progress", "CurrentContext", "CurrentFastMCP", "CurrentRequest", "CurrentHeaders", "CurrentDocket",
    "CurrentWorker", "CurrentAccessToken", "TokenClaim", "Resolve",
))  # fmt: skip


def is_injected(parameter: Declaration, evaluator: Evaluator, hints: HintReader) -> bool:
    """Whether the type, what is said of it, or the default of a parameter is one that only the framework knows."""
    if parameter.default is not None:
        default = evaluator.evaluate(parameter.default, parameter.scope)
        if isinstance(default, Made) and default.last in _DEFAULTS:
            return True
    hint = parameter.hint
    if hint is None:
        return False
    if is_text(hint):
        hint = parsed(hint) or hint
    inner, inner_scope, metadata = hints.unwrap(hint, parameter.scope)
    for value in metadata:
        name = value.last if isinstance(value, External | Made) else value.name if isinstance(value, Class) else ""
        if name in _METADATA:
            return True
    return any(
        _names_injected(node, inner_scope, evaluator)
        for node in ast.walk(inner)
        if isinstance(node, ast.Name | ast.Attribute)
    )


def _names_injected(node: ast.Name | ast.Attribute, scope: Scope, evaluator: Evaluator) -> bool:
    name = node.id if isinstance(node, ast.Name) else node.attr
    value = evaluator.evaluate(node, scope)
    if isinstance(value, External):
        return value.last in _TYPES
    if isinstance(value, Class):
        return value.derives(*_TYPES) is not None
    if isinstance(value, Hint):
        return any(
            _names_injected(below, value.scope, evaluator)
            for below in ast.walk(value.expression)
            if isinstance(below, ast.Name | ast.Attribute) and below is not node
        )
    return name in _TYPES
