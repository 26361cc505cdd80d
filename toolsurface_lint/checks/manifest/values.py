"""Values of manifests that a registry or a client refuses, and variables that nobody gives a value."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import MANIFEST, check
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, WARNING, Finding, Rule
from toolsurface_lint.model.manifest import Manifest
from toolsurface_lint.model.surface import Surface

INVALID = Rule(
    code="MANIFEST_INVALID",
    since="0.1.0",
    severity=ERROR,
    summary="A manifest has a value that its registry or its client refuses.",
    message={
        "field": "`{name}` is not a field of `{owner}`",
        "refused/choice": "`{name}` is `{got}`, expected one of {words}",
        "refused/list": "`{name}` must be a list, not {got}",
        "refused/long": "`{name}` has {length} characters, more than {most}",
        "refused/missing": "`{name}` is missing",
        "refused/name": "`{name}` is not of the form `com.example/server`",
        "refused/object": "`{name}` must be an object, not {got}",
        "refused/string": "`{name}` must be a string, not {got}",
        "refused/version": "`{name}` must be one version, not `{version}`",
    },
    tags=("manifests",),
    fix=UNSAFE,
)

UNKNOWN_VARIABLE = Rule(
    code="MANIFEST_UNKNOWN_VARIABLE",
    since="0.1.0",
    severity=WARNING,
    summary="A manifest uses a variable that it does not declare.",
    message={
        "variable/arguments": "the prompt uses `{variable}`, which is not among its `arguments`",
        "variable/user_config": "`{variable}` is not in `user_config`",
    },
    tags=("manifests",),
    fix=UNSAFE,
)


@check(MANIFEST, INVALID, UNKNOWN_VARIABLE)
def check_values(manifest: Manifest, surface: Surface) -> Iterator[Finding]:
    for problem in manifest.problems:
        yield (INVALID if problem.kind in INVALID.message else UNKNOWN_VARIABLE).of(problem)
