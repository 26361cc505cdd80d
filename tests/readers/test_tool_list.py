"""Lists of tools: which of their entries are tools, and what the others leave open."""

import json
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tests.files import write_files
from toolsurface_lint.api import check_paths, inspect_paths

OPENAI = {
    "type": "function",
    "function": {"name": "read_file", "description": "Read.", "parameters": {"type": "object"}},
}
MCP = {"name": "read_file", "description": "Read.", "inputSchema": {"type": "object"}}
BEDROCK = {"toolSpec": {"name": "read_file", "description": "Read.", "inputSchema": {"json": {"type": "object"}}}}
GEMINI = {"functionDeclarations": [{"name": "read_file", "description": "Read.", "parameters": {"type": "OBJECT"}}]}


@pytest.fixture
def surface(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The names of the tools that are read from a list, and the reasons why there may be more, unless not the `only` surface."""

    def read(value: object, name: str = "tools.json", *, only: bool = True) -> Any:
        monkeypatch.chdir(write_files(tmp_path, {name: json.dumps(value, indent=1)}))
        surfaces = inspect_paths([name])["surfaces"]
        if not only:
            return surfaces
        (described,) = surfaces
        return [tool["name"] for tool in described["tools"]], described["open_reasons"]

    return read


HOSTED = [
    ({"type": "web_search"}, "web_search"),
    ({"type": "web_search_preview_2025_03_11", "search_context_size": "low"}, "web_search"),
    ({"type": "file_search", "vector_store_ids": ["a"]}, "file_search"),
    ({"type": "computer_use_preview", "display_width": 800}, "computer_use"),
    ({"type": "code_interpreter", "container": {"type": "auto"}}, "code_interpreter"),
    ({"type": "local_shell"}, "local_shell"),
    ({"type": "bash_20250124", "name": "bash"}, "bash"),
    ({"type": "custom", "name": "run_code", "format": {"type": "text"}}, "run_code"),
    ({"type": "custom", "custom": {"name": "run_code", "description": "Run."}}, "run_code"),
    ({"googleSearch": {}}, "google_search"),
    ({"code_execution": {}}, "code_execution"),
    ({"type": "function", "name": "ping"}, "ping"),
]


@pytest.mark.parametrize(("entry", "name"), HOSTED)
def test_tools_of_providers_are_tools(surface, entry, name):
    assert surface([OPENAI, entry]) == (["read_file", name], [])


def test_tools_of_providers_are_not_judged(tmp_path, monkeypatch):
    stores = [{"type": "file_search", "vector_store_ids": [name]} for name in "ab"]
    prompt = "Use the `file_search` tool, then the `web_search` tool, then the `code_serch` tool."
    write_files(tmp_path, {"tools.json": json.dumps([OPENAI, *stores, {"type": "web_search"}]), "prompts/a.md": prompt})
    monkeypatch.chdir(tmp_path)
    assert [found.code for found in check_paths(["."]).diagnostics] == ["TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"]


def test_several_kinds_in_one_tool_of_gemini(surface):
    entry = {**GEMINI, "googleSearch": {}, "urlContext": {}}
    assert surface({"tools": [entry]}) == (["read_file", "google_search", "url_context"], [])


def test_the_tools_of_a_namespace_are_tools(surface):
    inner = [
        {"type": "function", "name": name, "parameters": {"type": "object"}} for name in ("read_file", "list_files")
    ]
    entry = {"type": "namespace", "name": "archive", "description": "The archive.", "tools": inner}
    assert surface([OPENAI, entry]) == (["read_file", "read_file", "list_files"], [])
    assert surface({"tools": [entry]}) == (["read_file", "list_files"], [])
    unknown = {**entry, "tools": [*inner, {"type": "teleport"}]}
    assert surface([OPENAI, unknown])[1] == ["tools.json:31: a tool of the type `teleport`, which is not known"]


def test_names_that_a_client_made_are_those_of_one_session(surface):
    shown = [{"name": name, "description": "What it does."} for name in ("read_file", "mcp__wiki__search")]
    why = "a list of what one session of a client had, with tools of the MCP servers that it was connected to"
    assert surface(shown) == (["read_file", "mcp__wiki__search"], [f"tools.json:7: {why}"])


def test_two_namespaces_may_have_a_tool_of_one_name(tmp_path, monkeypatch):
    tool = {"type": "function", "name": "read_file", "description": "Read.", "parameters": {"type": "object"}}
    groups = [{"type": "namespace", "name": name, "description": "Files.", "tools": [tool]} for name in "ab"]
    monkeypatch.chdir(write_files(tmp_path, {"tools.json": json.dumps(groups)}))
    assert list(check_paths(["."]).diagnostics) == []


WEB = {"name": "fetch_page", "description": "Fetch.", "input_schema": {"type": "object"}}


@pytest.mark.parametrize("name", ["tools.json", "catalogue.json"])
@pytest.mark.parametrize(
    ("value", "names"),
    [
        ({"files": [MCP], "web": [WEB]}, ["read_file", "fetch_page"]),
        ({"version": "1.0", "files": [MCP], "web": {"tools": [WEB]}, "none": []}, ["read_file", "fetch_page"]),
        (
            {"files": {"read_file": {"description": "Read.", "parameters": {"type": "object"}}}, "web": [WEB]},
            ["read_file", "fetch_page"],
        ),
    ],
)
def test_several_named_lists_are_each_read(surface, value, names, name):
    assert surface(value, name) == (names, [])


def test_named_lists_that_are_not_understood_are_said(surface):
    aliases = [{"name": "look", "alias_of": "read_file"}]
    value = {"files": [MCP], "aliases": aliases, "authors": ["Ada"], "options": {"strict": True}}
    assert surface(value) == (["read_file"], ["tools.json:12: the definition of `look`, which is in no known format"])


@pytest.mark.parametrize(
    "value",
    [
        {"files": [MCP], "authors": [{"name": "Ada"}]},
        {"request": {"model": "large", "tools": [MCP]}, "response": {"status": 200}},
        {"people": [{"name": "Ada", "description": "An author."}]},
        {"people": []},
        {"prompts": [{"name": "greet", "description": "Greets.", "arguments": [{"name": "who"}]}]},
    ],
)
def test_an_object_of_other_things_holds_no_lists_of_tools(tmp_path, monkeypatch, value):
    monkeypatch.chdir(write_files(tmp_path, {"record.json": json.dumps(value)}))
    assert inspect_paths(["."])["surfaces"] == []


def test_the_nodes_of_a_workflow_are_not_tools_whatever_it_is_called(tmp_path, monkeypatch):
    nodes = [{"type": "flow.mail", "name": "mail", "parameters": {"to": {}}}, {"type": "flow.start", "name": "start"}]
    monkeypatch.chdir(write_files(tmp_path, {"mail_tool.json": json.dumps({"nodes": nodes, "settings": {}})}))
    assert inspect_paths(["."])["surfaces"] == []


@pytest.mark.parametrize(
    ("tools", "entry"),
    [
        (OPENAI, {"type": "tool_search"}),
        (OPENAI, {"type": "programmatic_tool_calling"}),
        (OPENAI, None),
        (BEDROCK, {"cachePoint": {"type": "default"}}),
    ],
)
def test_entries_that_are_no_tools_leave_nothing_open(surface, tools, entry):
    assert surface([tools, entry]) == (["read_file"], [])


UNREAD = [
    ({"type": "mcp", "server_label": "wiki", "server_url": "https://wiki.test"}, "the tools of the MCP server `wiki`"),
    ({"type": "mcp_toolset", "mcp_server_name": "wiki"}, "the tools of the MCP server `wiki`"),
    ({"type": "mcp"}, "the tools of a remote MCP server"),
    ({"type": "namespace", "name": "crm", "tools": "later"}, "a tool of the type `namespace`, which is not known"),
    ({"type": "browser_toolset_20260801"}, "a tool of the type `browser_toolset_20260801`, which is not known"),
    ({"type": "function", "function": {"description": "Read."}}, "a tool without a usable name"),
    ({"type": "function", "function": {"name": "", "description": "Read."}}, "a tool without a usable name"),
    ({"type": "function", "name": 5, "parameters": {}}, "a tool without a usable name"),
    ({"description": "Read.", "parameters": {"type": "object"}}, "a tool without a usable name"),
    ({"name": "call_it", "arguments": {}}, "the definition of `call_it`, which is in no known format"),
    ("web_search", "the tool `web_search`, which is named and not defined"),
    (5, "an entry that is not a definition"),
]


@pytest.mark.parametrize(("entry", "reason"), UNREAD)
@pytest.mark.parametrize("tool", [OPENAI, MCP, GEMINI])
def test_what_may_be_a_tool_opens_the_surface_at_its_place(surface, tool, entry, reason):
    text = json.dumps([tool, entry], indent=1)
    line = len(text[: text.index(json.dumps(entry, indent=1).replace("\n", "\n "))].split("\n"))
    assert surface([tool, entry]) == (["read_file"], [f"tools.json:{line}: {reason}"])


def test_a_definition_without_schema_that_has_a_key_too_many(surface):
    extra = {"name": "list_files", "description": "List.", "version": 1}
    assert surface([OPENAI, MCP, extra])[1] == [
        "tools.json:19: the definition of `list_files`, which is in no known format"
    ]


def test_every_list_of_a_document_counts(surface):
    assert surface({"tools": [MCP], "native_tools": ["bash"], "functions": [{"parameters": {}}]}) == (
        ["read_file"],
        [
            "tools.json:12: the tool `bash`, which is named and not defined",
            "tools.json:15: a tool without a usable name",
        ],
    )


def test_one_entry_without_schema_does_not_hide_those_beside_it(surface):
    described = {"description": "Read.", "parameters": {"type": "object"}}
    assert surface({"tools": {"read_file": described, "list_files": {"description": "List."}}}) == (
        ["read_file"],
        ["tools.json:9: the definition of `list_files`, which is in no known format"],
    )


@pytest.mark.parametrize("value", [["a", "b"], [{"id": 1}], [{"type": "shell", "command": "ls"}]])
def test_lists_of_other_things_are_not_lists_of_tools(tmp_path, monkeypatch, value):
    monkeypatch.chdir(write_files(tmp_path, {"tools.json": json.dumps(value)}))
    assert inspect_paths(["tools.json"])["surfaces"] == []


def test_lines(tmp_path, monkeypatch):
    lines = [MCP, {"description": "Read.", "inputSchema": {}}, {"name": "list_files", "x": 1}, {"type": "mcp"}]
    monkeypatch.chdir(write_files(tmp_path, {"tools.jsonl": "".join(json.dumps(line) + "\n" for line in lines)}))
    (described,) = inspect_paths(["tools.jsonl"])["surfaces"]
    assert described["open_reasons"] == [
        "tools.jsonl:2: a tool without a usable name",
        "tools.jsonl:3: the definition of `list_files`, which is in no known format",
        "tools.jsonl:4: the tools of a remote MCP server",
    ]


def test_a_registry_and_a_surface_document(surface):
    entry = {"name": "read_file", "executor": "harn", "parameters": {"type": "object"}}
    nameless = {"executor": "harn", "parameters": {"type": "object"}}
    registry = {"_type": "tool_registry", "tools": [entry, nameless]}
    assert surface(registry)[1] == ["tools.json:11: a tool without a usable name"]
    document = {"tools": [entry, nameless, "bash"], "native_tools": [{"type": "mcp"}], "system": "Use read_file."}
    assert surface(document, "surface.json") == (
        ["read_file"],
        [
            "surface.json:10: a tool without a usable name",
            "surface.json:16: the tool `bash`, which is named and not defined",
            "surface.json:19: the tools of a remote MCP server",
        ],
    )


def test_a_node_of_a_workflow(surface):
    nodes = {"a": {"tools": [MCP, {"description": "Read."}]}, "b": {"tools": [MCP]}}
    graph = {"_type": "workflow_graph", "name": "flow", "nodes": nodes}
    reasons = {each["name"]: each["open_reasons"] for each in surface(graph, "flow.json", only=False)}
    reason = "flow.json:14: a tool without a usable name"
    assert reasons == {"flow": [reason], "flow: node a": [reason], "flow: node b": []}
    report = check_paths(["flow.json"])
    assert (report.summary["surfaces"], report.summary["open_surfaces"], len(report.open_reasons)) == (1, 1, 1)


def test_a_transcript_that_carries_its_tools(tmp_path, monkeypatch):
    call = {"id": "1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    messages = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": None, "tool_calls": [call]}]
    messages.append({"role": "tool", "tool_call_id": "1", "content": "[]"})
    for tools, codes in (([OPENAI], ["CALL_UNKNOWN_TOOL"]), ([OPENAI, {"type": "mcp"}], [])):
        write_files(tmp_path, {"run.json": json.dumps({"tools": tools, "messages": messages})})
        monkeypatch.chdir(tmp_path)
        assert [found.code for found in check_paths(["run.json"]).diagnostics] == codes


ARGUMENTS = {"name": "read_file", "description": "Read.", "arguments": [{"name": "path", "type": "string"}]}
TOOLBOX = {"name": "read_file", "description": "Read.", "kind": "sql", "source": "a", "parameters": [{"name": "path"}]}
COMMAND = {"name": "read_file", "docstring": "Read.", "signature": "read_file <path>"}
ANTHROPIC = {"name": "read_file", "description": "Read.", "input_schema": {"type": "object"}}


@pytest.mark.parametrize("plain", [OPENAI, MCP, BEDROCK, GEMINI, ARGUMENTS, TOOLBOX, COMMAND, ANTHROPIC])
def test_an_entry_without_a_format_of_its_own_is_read_beside_any_other(plain, tmp_path, monkeypatch):
    """The list decides what it is; whatever it has in the place of that format's fields."""
    fields = ("parameters", "inputSchema", "input_schema", "templateParameters", "enum", "toolSpec", "annotations")
    odd = (None, 1, "a", [], ["a"], [1], [{}], {}, {"a": 1}, [{"name": 1}], {"json": 1})
    entries = [{"name": "list_files", "description": "List."}, {"name": "list_files"}]
    entries += [{**entry, field: value} for entry in entries[:2] for field in fields for value in odd]
    lists = {f"tools_{number}.json": json.dumps([plain, entry]) for number, entry in enumerate(entries)}
    monkeypatch.chdir(write_files(tmp_path, lists))
    report = check_paths(["."], select=["ALL"])
    assert len(lists) == report.summary["files"] + len(report.skipped)
    assert not [found for found in report.diagnostics if found.code.startswith("INTERNAL")]


class TestRowsOfADataset:
    """Evaluations have hundreds of lists, written for a program that changes them before a model sees them.

    Those of a schema that is known are read (tests/transcripts/test_dataset_schemas.py).
    """

    ROW: ClassVar = {"id": "orders_0", "task": "Which orders are open?", "functions": [OPENAI["function"]]}

    def check(self, folder: Path, rows: list[object], **settings: Any) -> Any:
        write_files(folder, {"data/rows.json": "\n".join(map(json.dumps, rows)), "tools.json": json.dumps([OPENAI])})
        return check_paths([str(folder)], **settings)

    def test_they_are_skipped(self, tmp_path):
        report = self.check(tmp_path, [self.ROW, self.ROW])
        (skipped,) = report.skipped
        assert (Path(skipped.path).name, skipped.reason) == (
            "rows.json",
            "samples of a dataset, each with its own tools",
        )
        assert not report.open_reasons

    @pytest.mark.parametrize(
        "rows",
        [
            [ROW],
            [{"server": "a", "tools": [OPENAI]}, {"server": "b", "tools": [OPENAI]}],
            [OPENAI["function"], {"name": "write_file", "description": "Write.", "parameters": {"type": "object"}}],
            # Bodies of requests to OpenAI's Responses API.
            [{"model": "gpt-5", "input": text, "tools": [OPENAI["function"]]} for text in ("Hello", "Which orders?")],
        ],
    )
    def test_other_lines_are_read(self, tmp_path, rows):
        assert not self.check(tmp_path, rows).skipped
