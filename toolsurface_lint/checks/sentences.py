"""What is said of problems that the public functions return, in the sentences of the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolsurface_lint.checks.response import breaks, outputs  # noqa: F401 - they fill the sentences
from toolsurface_lint.checks.response._rules import OUTCOMES, SENTENCES
from toolsurface_lint.checks.template import language, runtime
from toolsurface_lint.protocols.templates import TemplateError
from toolsurface_lint.source.problem import Problem

if TYPE_CHECKING:
    from toolsurface_lint.protocols.calls import CallError

_CALLS = {
    **SENTENCES,
    "argument_syntax/not_json": "the arguments are not JSON",
    "opener_collapse": "`<tool_call>` is repeated {count} times in a row",
    "unknown_tool": "the tool `{name}` is not declared",
}
_RENDERING = {
    "bad_include_path": "the path of an include must be a string",
    "circular_include": "`{path}` includes itself",
    "filter_arguments": "the filter `{filter}` does not accept {count} arguments",
    "filter_value": "the filter `{filter}` requires: {wanted}",
    "include_depth": "includes are nested deeper than {levels} levels",
    "include_not_found": "`{path}` is not found",
    "not_iterable": "a loop requires a list or a dict",
    "unknown_filter": "`{filter}` is not a filter",
}
_LINTS = {
    "template-unknown-filter": runtime.UNKNOWN_FILTER,
    "template-provider-identity-branch": runtime.PROVIDER_IDENTITY_BRANCH,
    "template-variant-explosion": runtime.VARIANT_EXPLOSION,
}


def describe(wrong: Problem[Any] | CallError | TemplateError) -> str:
    """What is wrong, as one sentence: lower case, no full stop, names in backticks.

    `wrong` is a problem of `parse_response` or `lint_template`, an error of `parse_calls`, or a `TemplateError`. Raises
    `KeyError` for a problem of anything else.
    """
    problem = wrong if isinstance(wrong, Problem) else wrong.problem
    if isinstance(wrong, TemplateError) and problem.kind in _RENDERING:
        return _RENDERING[problem.kind].format(**problem.values)
    if isinstance(wrong, TemplateError):
        return language.SYNTAX.sentence(problem)
    if problem.kind == "template-parse":
        return language.SYNTAX.sentence(problem._replace(kind=str(problem.values["error"])))
    if problem.kind in _LINTS:
        return _LINTS[problem.kind].sentence(problem)
    return _CALLS[problem.kind].format(**problem.values) + OUTCOMES[str(problem.values.get("outcome", ""))]
