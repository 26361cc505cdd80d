"""Hooks that their client cannot run: unknown events, wrong shapes, timeouts in another unit, scripts that are not there."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import HOOKS, check
from toolsurface_lint.checks.hook._plugins import has_known_client
from toolsurface_lint.knowledge.hooks import EVENTS, MOST_SECONDS, HookClient
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
        "hook/choice": "`{name}` is {got}, expected one of {words}",
        "hook/flat": "`{name}` has `{key}` itself: hooks are in its list `hooks`",
        "hook/list": "`{name}` must be a list, not {got}",
        "hook/missing": "`{name}` is missing",
        "hook/number": "`{name}` must be a number, not {got}",
        "hook/object": "`{name}` must be an object, not {got}",
        "hook/string": "`{name}` must be a string, not {got}",
    },
    help={"hook/flat": 'write `{{"matcher": ..., "hooks": [{{"type": ...}}]}}`'},
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
    reveals=("HOOK_SCRIPT_MISSING", "HOOK_MATCHER_NEVER_MATCHES"),
)

TIMEOUT_UNIT = Rule(
    code="HOOK_TIMEOUT_UNIT",
    since="0.1.0",
    severity=WARNING,
    summary="The timeout of a hook is in the wrong unit.",
    message="the timeout of {number} is in {unit}, not in {other}",
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
    if has_known_client(file, surface):
        yield from (INVALID.of(problem) for problem in file.problems if problem.kind in INVALID.message)


@check(HOOKS, UNKNOWN_EVENT)
def check_events(file: HookFile, surface: Surface) -> Iterator[Finding]:
    client = CLIENTS[file.client]
    for event, place in file.events if has_known_client(file, surface) else ():
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
    """Once for a file: who mistakes the unit does so throughout."""
    client = CLIENTS[file.client]
    wrong = [each for each in file.timeouts if _is_in_other_unit(each[0].value, client)]
    if not wrong or not has_known_client(file, surface):
        return
    (node, field), *others = wrong
    seconds = client.unit == "seconds"
    meant = node.value / MOST_SECONDS if seconds else node.value * MOST_SECONDS
    yield TIMEOUT_UNIT.at(
        node.place,
        field=field,
        number=str(node.value),
        unit=client.unit,
        other="milliseconds" if seconds else "seconds",
        help=f"write `{meant:g}`",
        related=[(f"`{other.value}` here", other.place) for other, _ in others],
    )


_MOST = 10**9
"""From here on, a timeout is meant to be none."""


def _is_in_other_unit(value: float, client: HookClient) -> bool:
    """Whether a timeout is plainly meant in another unit than its client's."""
    if client.unit == "seconds":
        # Whole hours are meant.
        return MOST_SECONDS <= value <= _MOST and value % MOST_SECONDS == 0 and value % 3600 != 0
    return 0 < value < client.least


@check(HOOKS, SCRIPT_MISSING)
def check_scripts(file: HookFile, surface: Surface) -> Iterator[Finding]:
    files = surface.project_files
    if not has_known_client(file, surface):
        return
    lacking = files.lacking(file.origin, dict.fromkeys(path for script in file.scripts for path in script.paths))
    for script in file.scripts:
        if lacking.issuperset(script.paths):
            yield SCRIPT_MISSING.at(script.place, field=script.field, name=script.text)
