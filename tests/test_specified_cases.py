"""What the specification's calls answer, worked out from its semantics one sentence at a time, in its order.

Each case states all diagnostics of a surface as `CODE tool field`, without the common prefix of the codes.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest

from toolsurface_lint import glob_match, tool_surface_validate, workflow_validate

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}
READ = {"kind": "read", "side_effect_level": "read_only"}
EDIT = {"kind": "edit", "side_effect_level": "workspace_write"}
EMITS = {"kind": "execute", "side_effect_level": "process_exec", "emits_artifacts": True}
ALIASED = {**EDIT, "arg_schema": {"arg_aliases": {"file": "path", "body": "text"}}}


def tool(name: Any = "open_door", annotations: Any = EDIT, **more: Any) -> dict[str, Any]:
    """A registry entry without a fault, except for what is said."""
    entry = {"name": name, "parameters": SCHEMA, "executor": "harn", "annotations": annotations, **more}
    return {key: value for key, value in entry.items() if value is not ...}


def native(name: Any, **more: Any) -> dict[str, Any]:
    entry = {"name": name, "parameters": SCHEMA, "annotations": EDIT, **more}
    return {key: value for key, value in entry.items() if value is not ...}


def answers(report: Any) -> list[str]:
    prefix = "TOOL_SURFACE_"
    return [" ".join(filter(None, (one.code.removeprefix(prefix), one.tool, one.field))) for one in report.diagnostics]


def case(name: str, surface: Any, *expected: str, options: Any = None) -> Any:
    return pytest.param(surface, options, list(expected), id=name)


SCHEMA_OF_T = "MISSING_SCHEMA t parameters"
NO_ANNOTATIONS = "MISSING_ANNOTATIONS t annotations"
NO_LEVEL = "MISSING_SIDE_EFFECT_LEVEL t side_effect_level"
NO_EXECUTOR = "MISSING_EXECUTOR t executor"
NO_READER = "MISSING_RESULT_READER t result_readers"
UNKNOWN_READER = "UNKNOWN_RESULT_READER t result_readers"
CEILING = "SIDE_EFFECT_CEILING_EXCEEDED t side_effect_level"
NO_TOOL = "UNKNOWN_ARG_CONSTRAINT_TOOL"
NO_MATCH = "APPROVAL_PATTERN_NO_MATCH approval_policy"


def constrained(pattern: str, key: str | None = None, *, tools: list[Any] | None = None) -> dict[str, Any]:
    constraint = {"tool": pattern, "arg_patterns": ["src/*"], **({} if key is None else {"arg_key": key})}
    return {"tools": tools or [tool("t")], "policy": {"tool_arg_constraints": [constraint]}}


ENTRIES = [
    case("nothing at all", {}),
    case("a list is no surface", [tool("t", annotations=...)]),
    case("neither is a text", "tools"),
    case("null", None),
    case("a registry is a surface", {"_type": "tool_registry", "tools": [tool("t", executor=...)]}, NO_EXECUTOR),
    case("one object is one tool", {"tools": {"name": "t", "parameters": {}, "executor": "harn"}}, NO_ANNOTATIONS),
    case("a text is no registry", {"tools": "t"}),
    case("what is no object is skipped", {"tools": [None, 3, "t", ["t"], tool("t", parameters=...)]}, SCHEMA_OF_T),
    case("a missing or empty name is skipped", {"tools": [{}, {"name": ""}, {"parameters": {}}]}),
    case("a number is a name", {"tools": [tool(42, annotations=...)]}, "MISSING_ANNOTATIONS 42 annotations"),
    case("one name twice, one report each", {"tools": [tool("t", parameters=...)] * 2}, SCHEMA_OF_T, SCHEMA_OF_T),
    case("null is a schema", {"tools": [tool("t", parameters=None)]}),
    case(
        "`inputSchema` is none of a registry", {"tools": [tool("t", parameters=..., inputSchema=SCHEMA)]}, SCHEMA_OF_T
    ),
    case("nor of a native tool", {"native_tools": [native("t", parameters=..., inputSchema=SCHEMA)]}, SCHEMA_OF_T),
    case("`input_schema` is", {"native_tools": [native("t", parameters=..., input_schema=None)]}),
    case("an empty text is an executor", {"tools": [tool("t", executor="")]}),
    case("a number is not", {"tools": [tool("t", executor=1)]}, NO_EXECUTOR),
    case("a function is a handler", {"tools": [tool("t", executor=..., handler=len)]}),
    case("a text is not", {"tools": [tool("t", executor=..., handler="len")]}, NO_EXECUTOR),
    case("`mcp_server` alone runs nothing", {"tools": [tool("t", executor=..., mcp_server="files")]}, NO_EXECUTOR),
    case("`_mcp_server` does", {"tools": [tool("t", executor=..., _mcp_server="files")]}),
    case("native tools need no executor", {"native_tools": [native("t")]}),
    case("a native name must be a text", {"native_tools": [native(42, annotations=...)]}),
    case("`native_tools` is a list", {"native_tools": native("t", annotations=...)}),
    case(
        "the name in `function` comes first",
        {"native_tools": [{"name": "other", "function": {"name": "t", "parameters": {}}}]},
        NO_ANNOTATIONS,
    ),
    case(
        "a function with all that it needs",
        {"native_tools": [{"type": "function", "function": {"name": "t", "parameters": {}, "annotations": READ}}]},
    ),
    case(
        "a provider's own tool search is not checked, what looks like it is",
        {
            "native_tools": [
                {"name": "tool_search"},
                {"name": "tool_search_tool_bm25_20260101"},
                {"name": "tool_searches"},
            ]
        },
        "MISSING_SCHEMA tool_searches parameters",
        "MISSING_ANNOTATIONS tool_searches annotations",
    ),
    case("a native tool that the registry has is not checked", {"tools": [tool("t")], "native_tools": [{"name": "t"}]}),
    case(
        "one native name twice, one report each",
        {"native_tools": [native("t", annotations=...)] * 2},
        *(NO_ANNOTATIONS, NO_ANNOTATIONS),
    ),
    case("a registry may declare a tool search", {"tools": [tool("tool_search")]}),
    case(
        "the registry before the native tools",
        {"native_tools": [native("b", parameters=...)], "tools": [tool("c", executor=...), tool("a", executor=...)]},
        "MISSING_EXECUTOR c executor",
        "MISSING_EXECUTOR a executor",
        "MISSING_SCHEMA b parameters",
    ),
    case(
        "all of one tool before the next",
        {"tools": [{"name": "t"}, tool("u", {})]},
        *(SCHEMA_OF_T, NO_ANNOTATIONS, NO_EXECUTOR),
        "MISSING_SIDE_EFFECT_LEVEL u side_effect_level",
    ),
]

ANNOTATIONS = [
    case("an empty object has no level", {"tools": [tool("t", {})]}, NO_LEVEL),
    case("`none` written out is none", {"tools": [tool("t", {"side_effect_level": "none"})]}, NO_LEVEL),
    case("null means absent", {"tools": [tool("t", None)]}, NO_ANNOTATIONS),
    case("hints alone give no level", {"tools": [tool("t", {"readOnlyHint": True})]}, NO_LEVEL),
    case("unknown keys are harmless", {"tools": [tool("t", {**READ, "colour": "red"})]}),
    case("the newest level is one", {"tools": [tool("t", {**EDIT, "side_effect_level": "desktop_control"})]}),
    case(
        "an unknown level is reported, the rest used",
        {"tools": [tool("t", {**EMITS, "side_effect_level": "networked"})]},
        NO_READER,
        "TOOL_ANNOTATION_INVALID t annotations",
    ),
    case(
        "so is an unknown kind",
        {"tools": [tool("t", {**READ, "kind": "reads"})], "policy": {"side_effect_level": "none"}},
        CEILING,
        "TOOL_ANNOTATION_INVALID t annotations",
    ),
    case(
        "a list holds nothing to use",
        {"tools": [tool("t", [])]},
        NO_ANNOTATIONS,
        "TOOL_ANNOTATION_INVALID t annotations",
    ),
    case("annotated by the policy", {"tools": [tool("t", ...)], "policy": {"tool_annotations": {"t": READ}}}),
    case(
        "policies name whole names",
        {"tools": [tool("t", ...)], "policy": {"tool_annotations": {"*": READ}}},
        NO_ANNOTATIONS,
    ),
    case("`policy` of an entry annotates nothing", {"tools": [tool("t", ..., policy=READ)]}, NO_ANNOTATIONS),
    case(
        "never merged",
        {"tools": [tool("t", {"kind": "execute"})], "policy": {"tool_annotations": {"t": EMITS}}},
        NO_LEVEL,
    ),
    case(
        "annotations in `function`",
        {"native_tools": [{"function": {"name": "t", "parameters": {}, "annotations": {}}}]},
        NO_LEVEL,
    ),
]

ACTIVE = [
    case(
        "an empty list leaves all active", {"tools": [tool("t", parameters=...)], "policy": {"tools": []}}, SCHEMA_OF_T
    ),
    case("a prefix", {"tools": [tool("t", parameters=...)], "policy": {"tools": ["t*"]}}, SCHEMA_OF_T),
    case("inactive tools are not checked", {"tools": [{"name": "t"}], "policy": {"tools": ["T"]}}),
    case("an empty pattern matches nothing", {"tools": [{"name": "t"}], "policy": {"tools": [""]}}),
    case("`?` is a letter", {"tools": [{"name": "t"}], "policy": {"tools": ["?"]}}),
    case(
        "a star in the middle too, and one in front of another",
        {"tools": [{"name": "run"}], "policy": {"tools": ["r*n", "*u*"]}},
    ),
    case("a policy may be null", {"tools": [tool("t")], "policy": None, "approval_policy": None}),
    case(
        "a policy of the wrong shape",
        {"tools": [tool("t")], "policy": ["t"]},
        "POLICY_INVALID policy",
    ),
    case(
        "the rest of a policy is used",
        {"tools": [tool("t")], "policy": {"recursion_limit": -1, "side_effect_level": "read_only"}},
        CEILING,
        "POLICY_INVALID policy.recursion_limit",
    ),
    case(
        "the rest of an approval policy too",
        {"tools": [tool("t")], "approval_policy": {"auto_deny": "u", "auto_approve": ["v"]}},
        f"{NO_MATCH}.auto_approve",
        "POLICY_INVALID approval_policy.auto_deny",
    ),
]

READERS = [
    case("any reader", {"tools": [tool("t", EMITS), tool("u", {**READ, "kind": "search"})]}),
    case("fetching reads nothing", {"tools": [tool("t", EMITS), tool("u", {**READ, "kind": "fetch"})]}, NO_READER),
    case("thinking reads nothing", {"tools": [tool("t", EMITS), tool("u", {**READ, "kind": "think"})]}, NO_READER),
    case("the common reader", {"tools": [tool("t", EMITS), tool("read_command_output")]}),
    case(
        "not if it is left out",
        {"tools": [tool("t", EMITS), tool("read_command_output")], "policy": {"tools": ["t"]}},
        NO_READER,
    ),
    case(
        "nor one that is named",
        {"tools": [tool("t", {**EMITS, "result_readers": ["u"]}), tool("u", READ)], "policy": {"tools": ["t"]}},
        *(NO_READER, UNKNOWN_READER),
    ),
    case("a tool may name itself", {"tools": [tool("t", {**EMITS, "result_readers": ["t"]})]}),
    case(
        "every unknown one, in order and as often as it stands there",
        {"tools": [tool("t", {**EMITS, "result_readers": ["x", "u", "x"]}), tool("u")]},
        *(UNKNOWN_READER, UNKNOWN_READER),
    ),
    case(
        "no reader, and one that is none",
        {"tools": [tool("t", {**EMITS, "result_readers": ["x"]})]},
        *(NO_READER, UNKNOWN_READER),
    ),
    case(
        "complete results need none", {"tools": [tool("t", {**EMITS, "inline_result": True, "result_readers": ["x"]})]}
    ),
    case("nor do results that are no artifacts", {"tools": [tool("t", {**EMITS, "emits_artifacts": False})]}),
    case("only execute tools", {"tools": [tool("t", {**EDIT, "emits_artifacts": True, "result_readers": ["x"]})]}),
    case(
        "as the policy annotates it",
        {"native_tools": [native("t", annotations=...)], "policy": {"tool_annotations": {"t": EMITS}}},
        NO_READER,
    ),
]

CONSTRAINTS = [
    case("an empty text is no tool", constrained(""), f"{NO_TOOL} tool_arg_constraints.tool"),
    case("case counts", constrained("T"), f"{NO_TOOL} T tool_arg_constraints.tool"),
    case("a pattern may match nothing", constrained("u*", "path")),
    case(
        "an inactive tool is none",
        {
            "tools": [tool("t"), tool("u")],
            "policy": {
                "tools": ["t"],
                "tool_arg_constraints": [{"tool": "u", "arg_key": "path", "arg_patterns": ["*"]}],
            },
        },
        f"{NO_TOOL} u tool_arg_constraints.tool",
    ),
    case("no key, nothing to know", constrained("t")),
    case("a known key", constrained("t", "path")),
    case("an unknown one", constrained("*", "file"), "UNKNOWN_ARG_CONSTRAINT_KEY t tool_arg_constraints.file"),
    case("an empty one", constrained("t", ""), "UNKNOWN_ARG_CONSTRAINT_KEY t tool_arg_constraints."),
    case("an alias", constrained("t", "file", tools=[tool("t", ALIASED)])),
    case("what an alias stands for", constrained("t", "text", tools=[tool("t", ALIASED)])),
    case("a required key", constrained("t", "to", tools=[tool("t", {**EDIT, "arg_schema": {"required": ["to"]}})])),
    case("a path key", constrained("t", "to", tools=[tool("t", {**EDIT, "arg_schema": {"path_params": ["to"]}})])),
    case("a flat schema", constrained("t", "to", tools=[tool("t", parameters={"to": "string"})])),
    case(
        "its words are no keys",
        constrained("t", "type", tools=[tool("t", parameters={"type": "object", "to": {}})]),
        "UNKNOWN_ARG_CONSTRAINT_KEY t tool_arg_constraints.type",
    ),
    case(
        "one report for each tool, in order",
        constrained("*", "to", tools=[tool("b"), tool("c", parameters={"to": {}}), tool("a")]),
        "UNKNOWN_ARG_CONSTRAINT_KEY b tool_arg_constraints.to",
        "UNKNOWN_ARG_CONSTRAINT_KEY a tool_arg_constraints.to",
    ),
]

APPROVALS = [
    case(
        "the lists in their order, then the rules",
        {
            "tools": [tool("t")],
            "approval_policy": {
                "rules": [{"allow": "u"}, {"deny": ["t", "v*"]}, {"ask": {"tools": ["w", "x"]}}],
                "require_approval": ["c", "t*"],
                "auto_deny": ["b"],
                "auto_approve": ["a", "a"],
            },
        },
        *(f"{NO_MATCH}.auto_approve", f"{NO_MATCH}.auto_approve"),
        f"{NO_MATCH}.auto_deny",
        f"{NO_MATCH}.require_approval",
        f"{NO_MATCH}.rules[0].tool",
        *(f"{NO_MATCH}.rules[2].tool", f"{NO_MATCH}.rules[2].tool"),
    ),
    case(
        "an inactive tool is not matched",
        {"tools": [tool("t"), tool("u")], "policy": {"tools": ["t"]}, "approval_policy": {"require_approval": ["u"]}},
        f"{NO_MATCH}.require_approval",
    ),
    case("paths match no tool", {"tools": [tool("t")], "approval_policy": {"write_path_allowlist": ["src"]}}),
    case(
        "a rule with an action",
        {"tools": [tool("t")], "approval_policy": {"rules": [{"action": "block", "when": {"tool": "u"}}]}},
        f"{NO_MATCH}.rules[0].tool",
    ),
    case("`true` matches everything", {"tools": [tool("t")], "approval_policy": {"rules": [{"ask": True}]}}),
    case(
        "an empty exact pattern",
        {"tools": [tool("t")], "approval_policy": {"auto_deny": [""]}},
        f"{NO_MATCH}.auto_deny",
    ),
]

LEVELS = [
    case(
        "an unknown ceiling is the lowest",
        {"tools": [tool("t", READ)], "policy": {"side_effect_level": "all"}},
        CEILING,
    ),
    case("so is an empty one", {"tools": [tool("t", READ)], "policy": {"side_effect_level": ""}}, CEILING),
    case("null is none", {"tools": [tool("t", READ)], "policy": {"side_effect_level": None}}),
    case(
        "what is not annotated exceeds nothing",
        {"tools": [tool("t", ...)], "policy": {"side_effect_level": "none"}},
        NO_ANNOTATIONS,
    ),
    case("the ceiling itself is no more", {"tools": [tool("t", READ)], "policy": {"side_effect_level": "read_only"}}),
    case("`none` exceeds nothing", {"tools": [tool("t", {})], "policy": {"side_effect_level": "none"}}, NO_LEVEL),
    case(
        "the inactive exceed nothing",
        {"tools": [tool("t"), tool("u", READ)], "policy": {"tools": ["u"], "side_effect_level": "read_only"}},
    ),
    case(
        "tools, constraints, approvals, prompts, and the ceiling last",
        {
            "system": "run_x({})",
            "approval_policy": {"auto_approve": ["v"]},
            "policy": {"side_effect_level": "read_only", "tool_arg_constraints": [{"tool": "u", "arg_patterns": []}]},
            "tools": [tool("t", executor=...)],
        },
        NO_EXECUTOR,
        f"{NO_TOOL} u tool_arg_constraints.tool",
        f"{NO_MATCH}.auto_approve",
        "UNKNOWN_PROMPT_TOOL run_x prompt",
        CEILING,
    ),
]

UNKNOWN_X = "UNKNOWN_PROMPT_TOOL run_x prompt"
OPTIONS = [
    case("options fill in", {}, NO_EXECUTOR, options={"tools": [tool("t", executor=...)]}),
    case("a key of the surface decides", {"tools": None}, options={"tools": [tool("t", executor=...)]}),
    case(
        "texts of both, the surface's first",
        {"prompts": ["run_c({})"], "prompt": "run_b({})", "system": "run_a({})"},
        *(f"UNKNOWN_PROMPT_TOOL run_{letter} prompt" for letter in "abcx"),
        options={"system": "run_x({})"},
    ),
    case("a prompt that is no text", {"system": 3, "prompts": [None, "run_x({})"], "prompt": ["run_y({})"]}, UNKNOWN_X),
    case(
        "null turns tool search off for good",
        {"native_tools": [native("t", defer_loading=True)], "system": "t({})", "tool_search": None},
        "DEFERRED_TOOL_PROMPT_REFERENCE t prompt",
        options={"tool_search": True},
    ),
    case(
        "an empty text turns it on",
        {"native_tools": [native("t", defer_loading=True)], "system": "t({})", "tool_search": ""},
    ),
    case(
        "so does an empty object",
        {"native_tools": [native("t", defer_loading=True)], "system": "t({})", "tool_search": {}},
    ),
    case(
        "deferred, and not in the policy",
        {"tools": [tool("t", defer_loading=True), tool("u")], "system": "t({})", "policy": {"tools": ["u"]}},
        "PROMPT_TOOL_NOT_IN_POLICY t prompt",
        "DEFERRED_TOOL_PROMPT_REFERENCE t prompt",
    ),
    case("deferred is exactly true", {"tools": [tool("t", defer_loading="true")], "system": "t({})"}),
    case(
        "deferred in `function`",
        {"native_tools": [{**native("u"), "defer_loading": 1, "function": {"name": "t", "defer_loading": True}}]}
        | {"prompt": "t({}) t({})"},
        *("DEFERRED_TOOL_PROMPT_REFERENCE t prompt", "DEFERRED_TOOL_PROMPT_REFERENCE t prompt"),
    ),
    case(
        "names before aliases, entry by entry, aliases sorted",
        {
            "tools": [tool("t", ALIASED), tool("s", ALIASED)],
            "system": "s({file: 1}) t({file: 1, body: 2}) run_x({})",
        },
        UNKNOWN_X,
        "DEPRECATED_ARG_ALIAS t arg_schema.arg_aliases.body",
        "DEPRECATED_ARG_ALIAS t arg_schema.arg_aliases.file",
        "DEPRECATED_ARG_ALIAS s arg_schema.arg_aliases.file",
    ),
    case(
        "aliases of the inactive too",
        {"tools": [tool("t", ALIASED), tool("u")], "policy": {"tools": ["u"]}, "system": "t({file: 1})"},
        "PROMPT_TOOL_NOT_IN_POLICY t prompt",
        "DEPRECATED_ARG_ALIAS t arg_schema.arg_aliases.file",
    ),
    case("nor is one in a fence", {"tools": [tool("t", ALIASED)], "system": "```\nt({file: 1})\n```"}),
    case("an alias in a string is none", {"tools": [tool("t", ALIASED)], "system": 't({path: "file"})'}),
    case("keys that are no texts", {"tools": [{**tool("t"), None: 1}], "approval_policy": {1: 2, None: 3}}),
    case(
        "parameters by number",
        {"tools": [tool("t", parameters={"properties": {1: {}, None: {}}})]}
        | {"policy": {"tool_arg_constraints": [{"tool": "t", "arg_key": "1"}, {"tool": "t", "arg_key": "one"}]}},
        "UNKNOWN_ARG_CONSTRAINT_KEY t tool_arg_constraints.one",
    ),
    case(
        "mappings of any class, lists of any kind",
        MappingProxyType({"tools": (MappingProxyType(tool("t", parameters=...)),)}),
        SCHEMA_OF_T,
    ),
]


@pytest.mark.parametrize(
    ("surface", "options", "expected"),
    [*ENTRIES, *ANNOTATIONS, *ACTIVE, *READERS, *CONSTRAINTS, *APPROVALS, *LEVELS, *OPTIONS],
)
def test_surface(surface: Any, options: Any, expected: list[str]) -> None:
    report = tool_surface_validate(surface, options)
    assert answers(report) == expected
    errors = ("MISSING_RESULT_READER", "SIDE_EFFECT_CEILING_EXCEEDED", "POLICY_INVALID")
    severities = ["error" if answer.startswith(errors) else "warning" for answer in expected]
    assert [one.severity for one in report.diagnostics] == severities
    assert report.valid is ("error" not in severities)


def test_data_that_holds_itself() -> None:
    looped: dict[str, Any] = tool("t", parameters=...)
    looped["again"] = looped
    assert answers(tool_surface_validate({"tools": [looped]})) == [SCHEMA_OF_T]


# The names that a prompt must be found to call, in a surface without tools; `read_file` is declared.
PROMPTS = {
    "a list's fence": ("- item\n\n  ```\n  run_a({})\n  ```\n  run_b({})", "run_b"),
    "a quote's fence ends with the quote": ("> ```\n> run_a({})\nrun_b({})", "run_b"),
    "a list's fence ends with the list": ("- ```\n  run_a({})\n\nrun_b({})", "run_b"),
    "a quote in a list": ("1. > ```\n   > run_a({})\n   > ```\n   run_b({})", "run_b"),
    "a longer fence holds a shorter one": ("````\n```\nrun_a({})\n```\n````\nrun_b({})", "run_b"),
    "tildes are not closed by backticks": ("~~~\n```\nrun_a({})\n~~~\nrun_b({})", "run_b"),
    "a closing fence says nothing": ("```\n```js\nrun_a({})\n```\nrun_b({})", "run_b"),
    "a fence that is never closed": ("run_a({})\n```\nrun_b({})\n\nrun_c({})", "run_a"),
    "indented code is no fence": ("text\n\n    run_a({})", "run_a"),
    "backticks within a line": ("see ```run_a({})``` and run_b({})", "run_a run_b"),
    "any line end": ("```\rrun_a({})\r```\r\nrun_b({})\nrun_c({})", "run_b run_c"),
    "an emoji is one character": ("\U0001f600 run_a({}) \U0001f600\U0001f600 run_b({})", "run_a run_b"),
    "letters beyond ASCII only separate": ("\u00e9run_a({}) run_\u00e9({}) \u00e9({})", "run_a"),
    "digits and dashes too": ("3run_a({}) read-file_b({}) 42({})", "run_a file_b"),
    "names that look like tools": (
        "deploy({}) Run_it({}) toolbox({}) runner({}) x_({}) Tool({})",
        "Run_it toolbox runner x_",
    ),
    "stopwords, exact case": (
        "if (a) for(b) while(c) print(d) println(e) len(f) JSON(g) contains(h) render_prompt({}) Print_it({})",
        "Print_it",
    ),
    "code and comments are read": ("`run_a({})` <!-- run_b({}) -->", "run_a run_b"),
    "what a stopword calls": ("print(run_a({}))", "run_a"),
    "what a call holds": ("edit(run_a({})) run_b({})", "run_b"),
    "quotes hide parentheses": ('run_a(\')\', "\\")", `)`, run_b({})) run_c({})', "run_a run_c"),
    "arguments in the next line": ("run_a\n({x: 1}) run_b \t(x: 1)", "run_a run_b"),
    "a remark in parentheses": ("run_a (twice) read_file (once)", ""),
    "an open parenthesis ends with its block": ("run_a(open\n\nrun_b({})", "run_a run_b"),
    "an open parenthesis holds the rest of its block": ("run_a(open run_b({})\nrun_c({})", "run_a"),
    "code": ("obj.run_a({}) A::run_b({}) p->run_c({}) def run_d(x): function run_e(x) __run_f__(x)", ""),
    "a prohibition and a denial": ("Never use run_a({}). There is no run_b({}).", ""),
    "a tag needs no parenthesis": ("<tool_call>\n run_a\n</tool_call> <toolcall>run_b</toolcall>", "run_a run_b"),
    "a tag with a call": ('<tool_call>\nrun({ word: "soup" })\n</tool_call>', "run"),
    "a tag with JSON names nothing": ('<tool_call>{"name": "run_a", "arguments": {}}</tool_call>', ""),
    "a tag lifts a stopword": ("<tool_call>render_prompt</tool_call>", "render_prompt"),
    "a tag ends at its first closing tag": ("<tool_call>run_a run_b({}) </tool_call> run_c({})", "run_a run_c"),
    "an open tag holds one name": ("<tool_call>run_a run_b({})", "run_a run_b"),
    "the next line that is left": (
        "harn-tool-surface: ignore-next-line\n```\nrun_a({})\n```\nrun_b({})\nrun_c({})",
        "run_c",
    ),
    "an empty line is the next line": ("<!-- harn-tool-surface: ignore-next-line -->\n\nrun_a({})", "run_a"),
    "the line of a marker is not read": (
        "run_a({}) <!-- harn-tool-surface: ignore-next-line -->\nrun_b({})\nrun_c({})",
        "run_c",
    ),
    "two ways to leave one line out": (
        "run_a({}) <!-- harn-tool-surface: ignore-line -->\nrun_b({}) # tool-surface-ignore\nrun_c({})",
        "run_c",
    ),
    "a block without an end": ("<!-- harn-tool-surface: ignore-start -->\nrun_a({})\n\nrun_b({})", ""),
    "markers do not spend a marker": (
        "harn-tool-surface: ignore-next-line\nrun_a({}) tool-surface-ignore\nrun_b({})\nrun_c({})",
        "run_c",
    ),
    "two markers hide one line": ("harn-tool-surface: ignore-next-line\n" * 2 + "run_a({})\nrun_b({})", "run_b"),
    "blocks do not nest": (
        "# harn-tool-surface: ignore-start\n" * 2 + "// harn-tool-surface: ignore-end\nrun_a({})",
        "run_a",
    ),
    "a block begins in a fence": (
        "```\nharn-tool-surface: ignore-start\n```\nrun_a({})\nharn-tool-surface: ignore-end\nrun_b({})",
        "run_b",
    ),
    "an end without a start": ("run_a({}) harn-tool-surface: ignore-end\nrun_b({})", "run_b"),
    "start before end in one line": (
        "harn-tool-surface: ignore-end harn-tool-surface: ignore-start\nrun_a({})",
        "",
    ),
    "plain text, in any word": ("my-harn-tool-surface: ignore-lines run_a({})\nxtool-surface-ignored run_b({})", ""),
    "two markers made one": (
        "harn-tool-surface: tool-surface-ignore run_a({})\nharn-tool-surface-ignore run_b({})",
        "",
    ),
    "ours and the specification's": ("toolsurface-lint: tool-surface-ignore run_a({})\nrun_b({})", "run_b"),
    "case and spaces count": (
        "Harn-tool-surface: ignore-line run_a({})\nharn-tool-surface:  ignore-line run_b({})",
        "run_a run_b",
    ),
    "ours: the next line": ("<!-- toolsurface-lint: ignore-next-line -->\nrun_a({})\nrun_b({})", "run_b"),
    "ours: a line": ("run_a({}) <!-- toolsurface-lint: ignore-line -->\nrun_b({})", "run_b"),
    "ours: a block": (
        "<!-- toolsurface-lint: ignore-start -->\nrun_a({})\n<!-- toolsurface-lint: ignore-end -->\nrun_b({})",
        "run_b",
    ),
}


@pytest.mark.parametrize(("text", "names"), [pytest.param(*PROMPTS[name], id=name) for name in PROMPTS])
def test_prompt(text: str, names: str) -> None:
    report = tool_surface_validate({"tools": [tool("read_file")], "system": text})
    assert answers(report) == [f"UNKNOWN_PROMPT_TOOL {name} prompt" for name in names.split()]


def test_every_text_begins_anew() -> None:
    texts = ["harn-tool-surface: ignore-start", "```", "run_x({})", "run_x({})"]
    assert answers(tool_surface_validate({"prompts": texts})) == [UNKNOWN_X, UNKNOWN_X]


@pytest.mark.parametrize(
    ("pattern", "name", "matches"),
    [
        ("*", "", True),
        ("*", "run", True),
        ("", "run", False),
        ("read_file", "read_file", True),
        ("", "", True),
        ("**", "*x", True),
        ("**", "x", False),
        ("*_file", "_file", True),
        ("*_file", "read_file_", False),
        ("read_*", "read_", True),
        ("read_*", "Read_file", False),
        ("a*b", "a*b", True),
        ("a*b", "axb", False),
        ("*b*", "*bc", True),
        ("*b*", "abc", False),
        ("r?n", "run", False),
        ("r[u]n", "run", False),
        ("***", "**", True),
    ],
)
def test_pattern(pattern: str, name: str, matches: bool) -> None:
    assert glob_match(pattern, name) is matches


def scoped(report: Any) -> list[str]:
    return [
        f"{diagnostic.scope}: {answer}" for diagnostic, answer in zip(report.diagnostics, answers(report), strict=True)
    ]


def graph(name: str, value: Any, *expected: str, ceiling: Any = None) -> Any:
    return pytest.param(value, ceiling, list(expected), id=name)


INVALID = "workflow: WORKFLOW_INVALID_GRAPH"
AB = {"a": {}, "b": {}}


@pytest.mark.parametrize(
    ("value", "ceiling", "expected"),
    [
        graph("an empty graph", {}),
        graph("no graph", [], INVALID),
        graph("nodes in a list", {"nodes": [{}]}, f"{INVALID} nodes"),
        graph("a node that is no object", {"nodes": {"a": None, "b": {}}}, f"{INVALID} nodes"),
        graph("an unknown entry", {"nodes": AB, "entry": "c"}, f"{INVALID} entry"),
        graph("a number as entry", {"nodes": AB, "entry": 1}, f"{INVALID} entry"),
        graph(
            "both ends of an edge",
            {"nodes": AB, "edges": [{"from": "x", "to": "y"}, {"from": "a", "to": "z"}]},
            *[f"{INVALID} edges"] * 3,
        ),
        graph("an edge without ends", {"nodes": AB, "edges": [{}]}, *[f"{INVALID} edges"] * 2),
        graph("edges that are no list", {"nodes": AB, "edges": {"a": "b"}}, f"{INVALID} edges"),
        graph("an edge that is no object", {"nodes": AB, "edges": [["a", "b"], None]}, *[f"{INVALID} edges"] * 2),
        graph(
            "a circle is reached",
            {"nodes": AB, "entry": "a", "edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "a"}]},
        ),
        graph(
            "a circle that is not",
            {"nodes": {**AB, "c": {}}, "entry": "c", "edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "a"}]},
            *["workflow: WORKFLOW_UNREACHABLE_NODE"] * 2,
        ),
        graph("a condition with one way", {"nodes": {**AB, "c": {"kind": "condition"}}}, INVALID),
        graph(
            "a branch that is no text",
            {"nodes": {**AB, "c": {"kind": "condition"}}}
            | {"edges": [{"from": "c", "to": "a", "branch": True}, {"from": "c", "to": "b", "branch": "false"}]},
            f"{INVALID} edges",
        ),
        graph(
            "a kind that is no text",
            {"nodes": {"a": {"kind": 1, "prompt": ["x"], "system": {}}}},
            *[f"{INVALID} nodes"] * 3,
        ),
        graph(
            "a contract that is no object",
            {"nodes": {"a": {"input_contract": "two", "map_policy": []}}},
            *[f"{INVALID} nodes"] * 2,
        ),
        graph(
            "a count that is no number", {"nodes": {"a": {"input_contract": {"min_inputs": "2"}}}}, f"{INVALID} nodes"
        ),
        graph(
            "null is absent", {"nodes": {"a": {"kind": None, "prompt": None, "input_contract": None}}, "edges": None}
        ),
        graph("a map over nothing", {"nodes": {"a": {"kind": "map", "map_policy": {"items": []}}}}, INVALID),
        graph(
            "a fork with one way",
            {"nodes": {**AB, "c": {"kind": "fork"}}, "edges": [{"from": "c", "to": "a"}]},
            INVALID,
        ),
        graph("more than it takes", {"nodes": {"a": {"input_contract": {"min_inputs": 2, "max_inputs": 1}}}}, INVALID),
        graph(
            "policies of the wrong shape",
            {"nodes": {"a": {"capability_policy": [], "approval_policy": "x"}}},
            "node a: POLICY_INVALID policy",
            "node a: POLICY_INVALID approval_policy",
        ),
        graph(
            "beyond the ceiling",
            {"nodes": {"a": {"capability_policy": {"tools": ["t", "u"]}}}},
            "workflow: WORKFLOW_CEILING_EXCEEDED capability_policy",
            ceiling={"tools": ["t"]},
        ),
        graph(
            "a ceiling of the wrong shape",
            {"nodes": AB},
            "workflow: POLICY_INVALID ceiling.tools",
            ceiling={"tools": "t"},
        ),
        graph(
            "both scopes, nodes by name",
            {"nodes": {"b": {"tools": [native("t", parameters=...)]}, "a": {"prompt": "t({}) run_x({})"}}},
            f"workflow: {SCHEMA_OF_T}",
            f"node a: {UNKNOWN_X}",
            f"node b: {SCHEMA_OF_T}",
        ),
        graph(
            "one object is one tool",
            {"nodes": {"a": {"tools": native("t", annotations=...)}}},
            *(f"workflow: {NO_ANNOTATIONS}", f"node a: {NO_ANNOTATIONS}"),
        ),
        graph(
            "a registry is one tool without a name",
            {
                "nodes": {
                    "a": {"tools": {"_type": "tool_registry", "tools": [tool("read_it")]}, "prompt": "read_it({})"}
                }
            },
            "node a: UNKNOWN_PROMPT_TOOL read_it prompt",
        ),
        graph(
            "a function is a tool of its node alone",
            {"nodes": {"a": {"tools": [{"type": "function", "function": {"name": "t", "parameters": {}}}]}}},
            f"node a: {NO_ANNOTATIONS}",
        ),
        graph(
            "of one name in two nodes the workflow has the first",
            {"nodes": {"b": {"tools": [native("t")]}, "a": {"tools": [native("t", annotations=...)]}}},
            *(f"workflow: {NO_ANNOTATIONS}", f"node a: {NO_ANNOTATIONS}"),
        ),
        graph(
            "a tool that the policy annotates",
            {"capability_policy": {"tool_annotations": {"t": {}, "": {}}}},
            f"workflow: {NO_LEVEL}",
        ),
        graph("but no provider's own", {"capability_policy": {"tool_annotations": {"tool_search": {}}}}),
        graph(
            "tool search is never on",
            {"tool_search": True, "nodes": {"a": {"tools": [native("t", defer_loading=True)], "system": "t({})"}}},
            "node a: DEFERRED_TOOL_PROMPT_REFERENCE t prompt",
        ),
        graph(
            "system, then prompt",
            {"nodes": {"a": {"prompt": "run_b({})", "system": "run_a({})"}}},
            "node a: UNKNOWN_PROMPT_TOOL run_a prompt",
            "node a: UNKNOWN_PROMPT_TOOL run_b prompt",
        ),
        graph("nodes of the old form", {"act": {"prompt": "run_x({})"}, "verify": {}}, f"node act: {UNKNOWN_X}"),
        graph("nodes by number", {"nodes": {2: {"prompt": "run_x({})"}, "a": {}}}, f"node 2: {UNKNOWN_X}"),
    ],
)
def test_workflow(value: Any, ceiling: Any, expected: list[str]) -> None:
    assert scoped(workflow_validate(value, ceiling)) == expected
