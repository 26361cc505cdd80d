"""Hooks that their client cannot run: unknown events, wrong shapes, timeouts in another unit, scripts that are not there."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import HOOKS, check
from toolsurface_lint.knowledge.hooks import EVENTS, MOST_SECONDS
from toolsurface_lint.knowledge.hooks import HOOKS as CLIENTS
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, WARNING, Finding, Rule, renaming
from toolsurface_lint.model.hooks import HookFile
from toolsurface_lint.model.names import alike_names, close_names, suggestion
from toolsurface_lint.model.surface import Surface

INVALID = Rule(
    code="HOOK_INVALID",
    since="0.1.0",
    severity=ERROR,
    summary="A hook has a value of the wrong shape, and does not run.",
    message={
        "shape/choice": "`{name}` is {got}, expected one of {words}",
        "shape/flat": "`{name}` has `{key}` itself: hooks are in its list `hooks`",
        "shape/list": "`{name}` must be a list, not {got}",
        "shape/missing": "`{name}` is missing",
        "shape/number": "`{name}` must be a number, not {got}",
        "shape/object": "`{name}` must be an object, not {got}",
        "shape/string": "`{name}` must be a string, not {got}",
    },
    help={"shape/flat": 'write `{{"matcher": ..., "hooks": [{{"type": ...}}]}}`'},
    tags=("hooks",),
    fix=UNSAFE,
)

UNKNOWN_EVENT = Rule(
    code="HOOK_UNKNOWN_EVENT",
    since="0.1.0",
    severity=WARNING,
    summary="A hook is for an event that its client does not have, so it never runs.",
    message={
        "of_no_client": "`{name}` is not an event of {client}, so its hooks never run",
        "of_another": "`{name}` is an event of {other}, not of {client}, so its hooks never run",
    },
    tags=("hooks",),
    fix=UNSAFE,
)

TIMEOUT_UNIT = Rule(
    code="HOOK_TIMEOUT_UNIT",
    since="0.1.0",
    severity=WARNING,
    summary="The timeout of a hook is in the wrong unit.",
    message="the timeout of {number} counts in {unit}, not in {other}",
    tags=("hooks",),
)

SCRIPT_MISSING = Rule(
    code="HOOK_SCRIPT_MISSING",
    since="0.1.0",
    severity=WARNING,
    summary="A hook runs a file of the repository that is not there.",
    message="the hook runs `{name}`, which is not there",
    tags=("hooks",),
)


@check(HOOKS, INVALID)
def check_shape(file: HookFile, surface: Surface) -> Iterator[Finding]:
    for problem in file.problems:
        if problem.kind in INVALID.message:
            yield INVALID.of(problem)


@check(HOOKS, UNKNOWN_EVENT)
def check_events(file: HookFile, surface: Surface) -> Iterator[Finding]:
    client = CLIENTS[file.client]
    for event, place in file.events:
        if event in client.events or (file.shared and event in EVENTS):
            continue
        near = close_names(event, client.events)
        if not near and not client.complete and event not in EVENTS:
            continue
        kind = "of_another" if event in EVENTS and not near else "of_no_client"
        yield UNKNOWN_EVENT.at(
            place,
            kind,
            field=f"hooks.{event}",
            help=suggestion(near or alike_names(event, client.events)),
            fix=renaming(place, event, near),
            name=event,
            client=client.name,
            other=EVENTS.get(event),
        )


@check(HOOKS, TIMEOUT_UNIT)
def check_timeouts(file: HookFile, surface: Surface) -> Iterator[Finding]:
    client = CLIENTS[file.client]
    for node, field in file.timeouts:
        value = node.value
        if client.unit == "seconds":
            # Whole hours are meant.
            wrong = value >= MOST_SECONDS and value % MOST_SECONDS == 0 and value % 3600 != 0
            other, meant = "milliseconds", value / MOST_SECONDS
        else:
            wrong = 0 < value < client.least
            other, meant = "seconds", value * MOST_SECONDS
        if wrong:
            yield TIMEOUT_UNIT.at(
                node.place, field=field, number=str(value), unit=client.unit, other=other, help=f"write `{meant:g}`"
            )


@check(HOOKS, SCRIPT_MISSING)
def check_scripts(file: HookFile, surface: Surface) -> Iterator[Finding]:
    files = surface.project_files
    if files is None:
        return
    for script in file.scripts:
        if all(files.lacks(file.origin, path) for path in script.paths):
            yield SCRIPT_MISSING.at(script.place, field=script.field, name=script.text)
