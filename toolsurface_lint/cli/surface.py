"""`toolsurface-lint surface`: what was recognised, as a tree for people, as JSON, or as a page with the findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from toolsurface_lint.cli.check import CLEAN, FAILURE, find_targets, parse_outputs, read_input, read_jobs
from toolsurface_lint.cli.command_table import VIEWS
from toolsurface_lint.cli.stream import write, write_bytes, write_file
from toolsurface_lint.reporters.characters import no_commands, visible


def surface(
    paths: Sequence[str], *, output: Sequence[str] = (), stdin_filename: str | None = None, **options: Any
) -> int:
    """Run the command and return its exit code. Raises `CommandError`, `SettingsError` and `PathMissing`."""
    outputs = parse_outputs(output or ("text",), VIEWS)
    paths, stdin = read_input(paths, stdin_filename)
    planned = find_targets(outputs, paths, stdin_filename, options.get("config"))
    options["jobs"] = read_jobs(options.get("jobs"))
    options = {"planned": planned, "stdin": stdin, "stdin_filename": stdin_filename, **options}
    failed = False
    page = ""
    if any(form == "html" for form, _ in outputs):
        from toolsurface_lint.api import check_project
        from toolsurface_lint.reporters.page import render
        from toolsurface_lint.run.inspection import describe_surfaces

        project, report = check_project(paths, **options)
        described = describe_surfaces(project, report.transcripts)
        page = render(described, report)
        failed = report.internal_errors
    else:
        from toolsurface_lint.api import inspect_paths

        described = inspect_paths(paths, **options)
    for form, file in outputs:
        text = page if form == "html" else _shown(form, described)
        if file is not None:
            write_file(file, text)
        elif form == "html":
            # The page says that it is UTF-8, whatever the terminal's encoding is.
            write_bytes(text.encode("utf-8"))
        else:
            write(text)
    return FAILURE if failed else CLEAN


def _shown(form: str, described: dict[str, Any]) -> str:
    if form == "text":
        return no_commands(tree(described["surfaces"]))
    from toolsurface_lint.reporters.json import dump

    return dump(described, 4) + "\n"


def tree(surfaces: Iterable[dict[str, Any]]) -> str:
    """Surfaces as `--output json` describes them, drawn as a tree, a blank line between two."""
    drawn = ["\n".join(_surface_lines(surface)) for surface in surfaces]
    return "\n\n".join(drawn or ["No surface was recognised."]) + "\n"


def _surface_lines(surface: dict[str, Any]) -> list[str]:
    lines = [visible(surface["name"]) + (" (open)" if surface["open"] else "")]
    lines += [f"  open: {visible(reason)}" for reason in surface["open_reasons"]]
    for title, items in (
        ("agents", [line for agent in surface["agents"] for line in _agent(agent)]),
        ("tools", _tools(surface["tools"])),
        ("policies", [f"{_part(policy)} ({policy['kind']})" for policy in surface["policies"]]),
        ("prompts", [_part(prompt) for prompt in surface["prompts"]]),
        ("templates", [_path(template) for template in surface["templates"]]),
        ("transcripts", [_path(transcript) for transcript in surface["transcripts"]]),
        ("references", _references(surface["references"])),
    ):
        if items:
            lines.append(f"  {title} ({len(surface[title])})")
            lines += [f"    {item}" for item in items]
    return lines


def _path(item: dict[str, Any]) -> str:
    return visible(item["path"])


def _part(item: dict[str, Any]) -> str:
    """The file, with the place of what stands somewhere in it."""
    return _path(item) if (item["line"], item["column"]) in ((1, 1), (None, None)) else _place(item)


def _agent(agent: dict[str, Any]) -> Iterator[str]:
    """What makes it and where; then what it is given, and why that may not be all."""
    name = f"{visible(agent['name'])}  " if agent["name"] else ""
    yield f"{name}{_place(agent)}  made by {visible(agent['made_by'])}"
    for title, shown in (
        ("tools", _names(agent["tools"]) or "none"),
        ("run by the provider", _names(agent["ready_made"])),
        ("hands over to", _names(agent["hands_over_to"])),
        ("told", ", ".join(map(_part, agent["prompts"]))),
        ("open", "; ".join(map(visible, agent["open_reasons"]))),
    ):
        if shown:
            yield f"  {title}: {shown}"


def _names(names: Sequence[str]) -> str:
    return ", ".join(map(visible, names))


def _place(item: dict[str, Any]) -> str:
    return f"{visible(item['path'])}:{item['line']}:{item['column']}"


def _tools(tools: Sequence[dict[str, Any]]) -> list[str]:
    calls = [_call(tool) for tool in tools]
    # One tool with a long list of parameters must not push the places of all others out of sight.
    column = max((len(call) for call in calls if len(call) <= _MAX_CALL), default=0)
    return [f"{call:{column}}  {_place(tool)}  {_notes(tool)}" for call, tool in zip(calls, tools, strict=True)]


_MAX_CALL = 60


def _call(tool: dict[str, Any]) -> str:
    """A tool as one would call it: its name and parameters, the optional ones with a question mark."""
    parameters = tool["parameters"]
    names = [visible(one["name"]) + ("" if one["required"] else "?") for one in parameters]
    call = f"{visible(tool['name'])}({', '.join(names)})"
    return call if len(call) <= _MAX_CALL else f"{visible(tool['name'])}({len(names)} parameters)"


def _notes(tool: dict[str, Any]) -> str:
    notes = [tool["format"], tool["kind"], tool["side_effect_level"]]
    notes += ["deferred"] if tool["deferred"] else []
    notes += [] if tool["active"] else ["not active"]
    outcome = tool.get("outcome")
    notes += [_OUTCOMES[outcome]] if outcome else []
    return ", ".join(visible(note) for note in notes if note)


_OUTCOMES = {
    "allowed": "allowed",
    "needs_approval": "needs approval",
    "depends_on_call": "approval depends on the call",
    "denied": "denied",
    "outside_policy": "outside the policy",
    "above_ceiling": "above the ceiling",
}


def _references(references: Sequence[dict[str, Any]]) -> list[str]:
    width = max((len(visible(reference["name"])) for reference in references), default=0)
    return [
        f"{visible(reference['name']):{width}}  {_place(reference)}{'' if reference['declared'] else '  not declared'}"
        for reference in references
    ]
