"""Parameters that the framework fills in: the model never sees them."""

from __future__ import annotations

from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.framework import names
from toolsurface_lint.programs.values import Class, External, Made, Parameter, Scope


def is_injected(parameter: Parameter, scope: Scope, evaluator: Evaluator) -> bool:
    """Whether the type, what is said of it, or the default of a parameter is one that only the framework knows."""
    if parameter.default is not None:
        default = evaluator.evaluate(parameter.default, scope)
        if isinstance(default, Made) and default.last in names("injected_defaults"):
            return True
    if parameter.hint is None:
        return False
    hint = scope.module.read_hint(parameter.hint, scope, evaluator)
    for value in hint.metadata:
        name = value.last if isinstance(value, External | Made) else value.name if isinstance(value, Class) else ""
        if name in names("injected_metadata"):
            return True
    types = names("injected_types")
    for name, value in scope.module.hinted(hint.node, hint.scope, evaluator):
        if isinstance(value, External):
            found = value.last in types
        else:
            found = value.derives(*types) is not None if isinstance(value, Class) else name in types
        if found:
            return True
    return False
