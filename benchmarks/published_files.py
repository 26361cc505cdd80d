"""What is found in files that others have published, against what is known about them.

    python benchmarks/published_files.py [FOLDER]

FOLDER holds tool lists, policies, agents and logs of published projects, by default `../shared/inputs` beside the
repository. What is counted in them by other means must be found; where they are known to be in order, nothing may be
reported. Prints each part with what is not as expected. The exit status is 1 if there is anything.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from toolsurface_lint.api import check_paths

HERE = Path(__file__).resolve().parents[1]
Facts = dict[str, Any]
"""By name, something that is counted or found."""

WRONG_SCHEMAS = [
    f"TOOL_SCHEMA_{name}"
    for name in (
        *("INVALID", "ROOT_NOT_OBJECT", "REQUIRED_UNDECLARED", "UNSATISFIABLE", "DEFAULT_INVALID", "NULL_DEFAULT"),
        *("ENUM_TYPE_MISMATCH", "ARRAY_WITHOUT_ITEMS", "UNRESOLVED_REF"),
    )
]
"""The rules on schemas that cannot be meant, rather than on what a description would better say."""


def codes(report: Any, *prefixes: str, within: str = "") -> Counter[tuple[str, str]]:
    """How often each file has each code that begins like this."""
    return Counter(
        (Path(found.location.path).name, found.code)
        for found in report.diagnostics
        if found.location and within in found.location.path and found.code.startswith(prefixes or "")
    )


def values(folder: str, *endings: str) -> Iterator[Any]:
    """Every value of every file, whether the file holds one or one a line."""
    for path in sorted(Path(folder).rglob("*")):
        if path.suffix not in endings:
            continue
        text = path.read_text(encoding="utf-8")
        try:
            yield json.loads(text)
        except ValueError:
            yield from (json.loads(line) for line in text.split("\n") if line.strip())


def objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for member in value.values():
            yield from objects(member)
    elif isinstance(value, list):
        for item in value:
            yield from objects(item)


# --- parts: what is found, and what is expected ------------------------------------------------------------------------


def tool_lists() -> tuple[Facts, Facts]:
    """Lists that their authors look after have one defect; those of running servers have the ones that were seen by eye."""
    rules = ["TOOL_SURFACE_DUPLICATE_TOOL", "TOOL_SURFACE_TOOL_LIMIT_EXCEEDED", "TOOL_SURFACE_CONFUSABLE_TOOLS"]
    rules += ["TOOL_NAME", "TOOL_DESCRIPTION", "TOOL_ANNOTATION"]
    curated = check_paths(["mcp/github-mcp-server", "mcp/mcp-spec-examples"], isolated=True, select=rules)
    schemas = check_paths(["mcp/github-mcp-server"], isolated=True, select=WRONG_SCHEMAS)
    live = check_paths(["mcp/live"], isolated=True, select=rules)
    named = " ".join(found.message for found in live.diagnostics)
    defects = ("read_iac_documentation_page", "create_ecs_infrastructure", "get_page", "results_filter", "update_issue")
    return (
        {
            "curated": codes(curated),
            "schemas": codes(schemas),
            **{name: f"`{name}`" in named for name in defects},
            "get_attachments": named.count("`get_attachments`"),
        },
        {
            "curated": {("label_write.snap", "TOOL_DESCRIPTION_UNKNOWN_TOOL"): 1},
            "schemas": {},
            **dict.fromkeys(defects, True),
            "get_attachments": 5,
        },
    )


def permissions() -> tuple[Facts, Facts]:
    """Valid settings have no error, invalid ones those that their authors put in, and agents what is wrong with them."""
    report = check_paths(["policies", "skills"], isolated=True, select=["POLICY", "PROMPT_TOOL_NOT_GRANTED", "INPUT"])
    return (
        {
            "valid": {code for _, code in codes(report, within="policies/schemastore/test/")}
            - {"POLICY_PATTERN_NEVER_MATCHES"},
            "invalid": codes(report, within="/negative_test/"),
            "shipped": codes(report, within="policies/gemini-cli/"),
            "agents": codes(report, "POLICY", "PROMPT", within="skills/"),
            "refused by strict readers": codes(report, "INPUT_FRONT_MATTER", within="skills/").total(),
        },
        {
            "valid": set(),
            "invalid": {
                ("invalid-enum-values.json", "POLICY_INVALID"): 3,
                ("invalid-permission-rule.json", "POLICY_INVALID_RULE"): 4,
                ("invalid-permission-rule.json", "POLICY_UNKNOWN_TOOL"): 6,
                ("wrong-property-types.json", "POLICY_INVALID"): 3,
            },
            "shipped": {("policies.toml", "INPUT_SYNTAX_ERROR"): 1},
            # Names of servers and of other agents, which grant nothing in Claude Code, and orders that the lists leave out.
            "agents": {
                ("ui-ux-tester.md", "POLICY_UNKNOWN_TOOL"): 2,
                ("codebase-orchestrator.md", "POLICY_UNKNOWN_TOOL"): 6,
                ("atlassian-requirements-to-jira.agent.md", "PROMPT_TOOL_NOT_GRANTED"): 2,
                ("plan.agent.md", "PROMPT_TOOL_NOT_GRANTED"): 1,
            },
            "refused by strict readers": 8,
        },
    )


def conversations(folder: str, calls: int, results: int, reported: Facts | None = None) -> tuple[Facts, Facts]:
    report = check_paths([f"transcripts/{folder}"], isolated=True)
    return (
        {
            "calls": report.summary["calls"],
            "results": sum(summary.results for summary in report.transcripts),
            "reported": codes(report, "TRANSCRIPT_", "CALL_", "INPUT_", "INTERNAL_"),
        },
        {"calls": calls, "results": results, "reported": reported or {}},
    )


def tau_bench() -> tuple[Facts, Facts]:
    folder = "tau-bench-airline-gpt4o"
    made = [item for value in values(f"transcripts/{folder}", ".jsonl") for item in objects(value)]
    calls = sum(len(item["tool_calls"] or ()) for item in made if "tool_calls" in item)
    return conversations(folder, calls, sum(item.get("role") == "tool" for item in made))


def tau_bench_without_parameters() -> tuple[Facts, Facts]:
    """Every argument of every call is too much for tools that take none."""
    folder = Path("transcripts/tau-bench-airline-gpt4o")
    tools = json.loads((folder / "tools.json").read_text(encoding="utf-8"))
    for tool in tools:
        tool["function"]["parameters"] |= {"properties": {}, "additionalProperties": False}
    runs = (folder / "trajectories.jsonl").read_bytes()
    made = [item for value in values(str(folder), ".jsonl") for item in objects(value)]
    arguments = [call["function"]["arguments"] for item in made for call in item.get("tool_calls") or ()]
    with tempfile.TemporaryDirectory() as copy:
        Path(copy, "tools.json").write_text(json.dumps(tools), encoding="utf-8")
        Path(copy, "runs.jsonl").write_bytes(runs)
        report = check_paths([copy], isolated=True)
    wanted = {("runs.jsonl", "CALL_INVALID_ARGUMENTS"): sum(len(json.loads(text)) for text in arguments)}
    return {"reported": codes(report, "CALL_", "TRANSCRIPT_")}, {"reported": wanted}


def swe_agent() -> tuple[Facts, Facts]:
    calls = answers = 0
    for value in values("transcripts/swe-agent", ".traj"):
        for before, message in zip([{}, *value["history"]], value["history"], strict=False):
            functions = message.get("tool_calls") or ()
            calls += len(functions) or bool((message.get("action") or "").strip())
            text_action = bool((before.get("action") or "").strip()) and not before.get("tool_calls")
            answers += len(message.get("tool_call_ids") or ()) or (message["role"] == "user" and text_action)
    return conversations("swe-agent", calls, answers)


def typed(folder: str, calls: tuple[str, ...], results: tuple[str, ...]) -> Callable[[], tuple[Facts, Facts]]:
    """Logs whose items say by a type what they are."""

    def count() -> tuple[Facts, Facts]:
        every = values(f"transcripts/{folder}", ".json", ".jsonl")
        kinds = Counter(item.get("type") for value in every for item in objects(value))
        return conversations(folder, sum(kinds[kind] for kind in calls), sum(kinds[kind] for kind in results))

    return count


def edge_cases() -> tuple[Facts, Facts]:
    """One result stands under a misspelled key, which no reader can know: its call is without one."""
    report = check_paths(["transcripts/claude-code-log/test_data"], isolated=True)
    found = codes(report, "TRANSCRIPT_", "CALL_", "INPUT_", "INTERNAL_")
    return {"reported": [code for _, code in found.elements()]}, {"reported": ["TRANSCRIPT_UNANSWERED_CALL"]}


def gemini() -> tuple[Facts, Facts]:
    folder = "gemini-cli-responses"
    made = [item for value in values(f"transcripts/{folder}", ".responses") for item in objects(value)]
    found, wanted = conversations(folder, sum("functionCall" in item for item in made), 0)
    return {**found, "results": 0}, wanted


def no_conversations() -> tuple[Facts, Facts]:
    folders = ("hermes", "llama.cpp-parser-cases", "harn-protocol-cases")
    found = {folder: conversations(folder, 0, 0) for folder in folders}
    return {name: each[0] for name, each in found.items()}, {name: each[1] for name, each in found.items()}


def suppressions() -> tuple[Facts, Facts]:
    """What is suppressed is silent, and a second time there is nothing to suppress."""
    names = ("policies", "prompts", "transcripts")
    found = {}
    for name in names:
        with tempfile.TemporaryDirectory() as copy:
            shutil.copytree(name, copy, dirs_exist_ok=True)
            command = [sys.executable, "-m", "toolsurface_lint", "check", "--select", "ALL", "."]
            environment = {**os.environ, "PYTHONPATH": str(HERE), "TOOLSURFACE_LINT_NO_CACHE": "1"}
            for more in (["--add-suppressions"], []):
                done = subprocess.run([*command, *more], cwd=copy, env=environment, capture_output=True, check=False)
            found[name] = done.returncode
    return found, dict.fromkeys(names, 0)


PARTS: dict[str, Callable[[], tuple[Facts, Facts]]] = {
    "tool lists": tool_lists,
    "permissions": permissions,
    "tau-bench": tau_bench,
    "tau-bench, tools without parameters": tau_bench_without_parameters,
    "SWE-agent": swe_agent,
    "Claude Code": typed("claude-code-log/messages/claude-code", ("tool_use",), ("tool_result",)),
    "Claude Code, whole sessions": typed("claude-code-transcripts", ("tool_use",), ("tool_result",)),
    "Claude Code, edge cases": edge_cases,
    "Codex": typed(
        "claude-code-log/messages/codex",
        ("function_call", "custom_tool_call"),
        ("function_call_output", "custom_tool_call_output"),
    ),
    "Gemini": gemini,
    "no conversations": no_conversations,
    "suppressions": suppressions,
}


def main() -> int:
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else HERE.parent / "shared" / "inputs")
    missed = 0
    for name, part in PARTS.items():
        found, wanted = part()
        wrong = [key for key in wanted if found[key] != wanted[key]]
        missed += len(wrong)
        print(f"{name}: {len(wanted) - len(wrong)} of {len(wanted)} as expected")
        for key in wrong:
            print(f"  {key}: {found[key]!r}, expected {wanted[key]!r}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
