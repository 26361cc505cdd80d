"""The tools that prose names: what is strong, medium and weak evidence, and what is none."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.long import examples
from toolsurface_lint.model.prompt import ASIDE, DENIAL, MEDIUM, PROHIBITION, STRONG, USE, WEAK, Reference
from toolsurface_lint.model.tool import Parameter, Tool
from toolsurface_lint.model.vocabulary import Vocabulary
from toolsurface_lint.readers.named_tools import find_named_tools
from toolsurface_lint.readers.named_tools.candidates import _humps
from toolsurface_lint.readers.prompts import read_prompt
from toolsurface_lint.source.tree import Node, plain

NAMES = ("read_file", "grep_search", "replace", "web_fetch")


def tool(name: str, *parameters: str, origin: str = "tools.json") -> Tool:
    tree = plain({"name": name}).tree
    made = Tool(Node(tree, ("name",), name), "mcp", tree, ())
    made.parameters = tuple(Parameter(parameter) for parameter in parameters)
    made.origin = origin
    return made


def vocabulary(*names: str) -> Vocabulary:
    return Vocabulary({name: [tool(name, "file_path", "is_background", "pattern")] for name in names or NAMES})


def named(text: str, *names: str) -> list[Reference]:
    return find_named_tools(text, [], vocabulary(*names))


def one(text: str, *names: str) -> tuple[str, str]:
    """The name and the evidence of the only reference."""
    (reference,) = named(text, *names)
    assert text[reference.start : reference.end] == reference.name
    return reference.name, reference.evidence


@pytest.mark.parametrize(
    "text",
    [
        "the `{}` tool",
        "Use the `{}` tool.",
        "the **{}** tool",
        "the '{}' tool",
        'the "{}" tool',
        "the {} tool",
        "use `{}`",
        "Using the `{}`, look.",
        "call **{}** first",
        "Call {} first",
        "invoke `{}`",
        "always run `{}`",
        "(use `{}`)",
        "the tool `{}`",
        "a tool named `{}`",
        "tools such as `{}`",
        "## Tools\n\n- `{}`: does\n- `read_file`: reads",
        "### Available tools\n\n* **{}** - does\n* **read_file** - reads",
        "You can use these tools:\n\n1. {}: does\n2. read_file: reads",
        "## Tools\n\n| `{}` | does |\n| `read_file` | reads |",
        "## Tools\n\n### {}\n\nDoes.\n\n### read_file\n\nReads.",
        "<available_tools>\nTools:\n  <tool>`{}`</tool>\n  <tool>`read_file`</tool>",
        "functions.{} is there",
        '{{"name": "{}", "arguments": {{"a": 1}}}}',
        '<tool_call>{{"name": "{}", "arguments": {{}}}}</tool_call>',
        '<invoke name="{}">',
        "<function={}>",
    ],
)
@pytest.mark.parametrize("name", ["save_notes", "read_flie", "grep_search"])
def test_strong_evidence(text: str, name: str) -> None:
    text = text.format(name)
    found = [reference for reference in named(text) if reference.name == name]
    assert [(reference.evidence, reference.stance) for reference in found] == [(STRONG, USE)]
    assert text[found[0].start : found[0].end] == name
    assert not found[0].specified


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        ("Use `read_file` to look and `save_notes` to keep.", STRONG),
        ("Use `read_file` for one file, or the `save_notes` for many.", STRONG),
        ("Use `read_file` to look,\nand `save_notes` when done.", STRONG),
        # What is not declared first, what is not used for anything, and what stands between others may be anything.
        ("Use `open_file` to look and `save_notes` to keep.", None),
        ("Use `read_file` to get `path` and `save_notes` for the rest.", None),
        ("Use `read_file` to look. You know `load_notes` and `save_notes` to keep.", None),
        ("Use `read_file` to set `save_notes`.", None),
        ("Use `read_file` to look and `is_background` to wait.", None),
    ],
)
def test_a_sentence_that_goes_on_about_uses(text: str, evidence: str | None) -> None:
    found = {reference.name: reference.evidence for reference in named(text)}
    assert found.get("save_notes") == evidence
    assert "is_background" not in found


@pytest.mark.parametrize("text", ["the `{}` tool", "use the `{}` tool", "use `{}` or `read_file`", "'{}' tool"])
def test_a_plain_word_is_a_tool_where_the_text_says_so(text: str) -> None:
    found = [reference for reference in named(text.format("archive")) if reference.name == "archive"]
    assert [reference.evidence for reference in found] == [STRONG]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("With `Read_File` you", "Read_File"),
        ("With `readFile` you", "readFile"),
        ("With `read-file` you", "read-file"),
        ("With `read_fil` you", "read_fil"),
        ("With `grep_serch` you", "grep_serch"),
        ("What `replac` does", "replac"),
        ("`web.fetch` gives", "web.fetch"),
    ],
)
def test_medium_evidence_is_code_close_to_a_declared_name(text: str, name: str) -> None:
    assert one(text) == (name, MEDIUM)


def test_a_declared_name_is_always_a_reference() -> None:
    text = "What `read_file` gives, and `replace`, and read_file, is text."
    assert [(reference.name, reference.evidence) for reference in named(text)] == [
        ("read_file", MEDIUM),
        ("replace", WEAK),
        ("read_file", WEAK),
    ]


@pytest.mark.parametrize(
    "text",
    [
        # fenced code, tags, files, paths, globs, URLs, variables
        "```\nuse the `save_note` tool\n```",
        "<save_note>x</save_note> and `<save_note>`",
        "use `data_model.json` and `src/save_note`, use save_note.py",
        "use `save_*` and save_note_* and use `./save_note`",
        "see https://example.org/use/save_note and use `https://example.org`",
        "use `SAVE_NOTE` and use $SAVE_NOTE",
        # parameters, enum values and what the words beside a name call it
        "use `is_background` and `file_path`, with `pattern`",
        "use the `save_mode` parameter, the `page_token` field and the `save_note` column",
        "the field `save_note`, the parameter `get_page` and the event `find_all`",
        "use `save_note` and `find_note` parameters",
        "use `total_max_matches` and `session_id`",
        # words
        "use `context`, `before`, and/or `after`",
        "CloudFormation and DynamoDB; use CloudFormation",
        "use `CloudFormation`, use `undefined` and use `TypeScript`",
        "run `pytest`, use `jq`, the `gh` CLI tool, the `git` tool",
        "use snake_case names and tool_call blocks",
        "use multi_tool_use.parallel and the `tool_search_tool_regex` tool",
        "**all** tools and **search** tools, the `shell` tools",
        "Press `Read_File` to read",
        "in_progress (only one) and run (plan_it, check_it)",
        # no tool, not to be used, or not sure to be there
        "There is no `save_note` tool",
        "you do not have access to the `save_note` tool",
        "never use the save_note tool",
        "do not call `save_note`",
        "the `save_note` tool is not available",
        "the legacy `save_note` tool",
        "use `read_file` instead of `save_note`"[20:],
        "if the `save_note` tool is available, go on",
        "use `save_note` (if available)",
        # lists that are none of tools
        "## Tools and frameworks\n\n- react\n- save_note: x\n",
        "## Tools\n\n- docker: builds\n- terraform: plans\n",
        "## Tools\n\n- `read_file`: reads\n  - `save_as`: a parameter\n",
        '{"name": "save_note", "parameters": {"type": "object", "properties": {}}}',
        '{"name": "save_note", "value": 1}',
        "mcp__notes__save_note is of another server, `mcp_notes_save_note` too",
        "limit what is related to what via an edge_type_map",
        "use a search_note or a find_note",
    ],
)
def test_other_names_are_none(text: str) -> None:
    assert [reference for reference in named(text) if reference.name not in NAMES] == []


CLOUD = ("list_core_networks", "get_cwan", "get_cwan_routes", "create_issue", "list_followed_projects", "apply_patch")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("the listFollowedProjects tool", "listFollowedProjects"),
        ("Use listFollowedProjects first", "listFollowedProjects"),
        ("Use list-followed-projects to see them", "list-followed-projects"),
        ("Use get_alert first", "get_alert"),
        ("Then get_alert shows it", "get_alert"),
        ("First get_alert, please", "get_alert"),
        ("Prefer get_alert", "get_alert"),
        ("via get_alert", "get_alert"),
        ("the get_alert function", "get_alert"),
        ("1. **get_alert** - shows one alert\n2. **create_issue** - opens an issue", "get_alert"),
        ("- **get_alert** - shows one alert", "get_alert"),
        ("Routing: list_core_networks \u2192 get_cloudwan_details \u2192 get_cloudwan_routes", "get_cloudwan_details"),
        ("Routing: list_core_networks -> get_cloudwan_details -> get_cloudwan_routes", "get_cloudwan_routes"),
        ("avoid calling the create_file tool unnecessarily", "create_file"),
        ("Never use the create_file tool to append", "create_file"),
        ("Call `manage_branch_list`", "manage_branch_list"),
        ("Call `account_overview_list` now", "account_overview_list"),
        ("call account_overview", "account_overview"),
    ],
)
def test_names_of_tools_in_sentences(text: str, name: str) -> None:
    found = [reference for reference in named(text, *CLOUD) if reference.name == name]
    assert [(reference.evidence, reference.stance) for reference in found] == [(STRONG, USE)]


@pytest.mark.parametrize(
    "text", ["Use the ReadFiles tool.", "Call ReadFiles first", "the SearchRepo tool", "use SearchRepo"]
)
def test_names_with_inner_capitals(text: str) -> None:
    found = [reference for reference in named(text, "ReadFile", "SearchWeb") if reference.evidence == STRONG]
    assert [reference.name for reference in found] == [text.split("Use the ")[-1].split()[-2 if "the" in text else 1]]


def test_a_product_is_written_as_a_tool_may_be() -> None:
    assert [one.evidence for one in named("Use PowerShell 7.", "PowerShell", "ReadFile")] == [WEAK]
    assert [one.evidence for one in named("Use the PowerShell tool.", "PowerShell", "ReadFile")] == [STRONG]


@pytest.mark.parametrize(
    "text",
    [
        "NEVER try `applypatch` or `apply-patch`, only `apply_patch`",
        "never try to use `applypatch`",
        "see src/functions.ts, firebase/functions.js and functions.py",
        "when access patterns use `filter_expression`",
        "a field called `routes_list` and the file that uses `get_alert`",
        "use follow-up questions, then use GitHub",
        "use the WebSearch tool",
        "- `notes_operation`: what to do\n- `first_name`: of whom",
        "then `is_background`, first the `sort_by` key",
        "- **sort_query** - what to sort by",
        "a \u2192 b, first_name \u2192 last_name",
        "the first_name function of the form",
    ],
)
def test_other_words_in_sentences_are_no_tools(text: str) -> None:
    names = (*CLOUD, "follow_up", "github", "web_search", "sort_notes")
    assert [one for one in named(text, *names) if one.name not in names and one.stance == USE] == []


@pytest.mark.parametrize(
    ("text", "stance"),
    [
        ("There is no `read_file` tool", DENIAL),
        ("You don't have a read_file tool", DENIAL),
        ("The `read_file` tool is not available", DENIAL),
        ("The `read_file` tool has been removed", DENIAL),
        ("Never use `read_file`", PROHIBITION),
        ("Do not call the read_file tool", PROHIBITION),
        ("Use `ls`, not `read_file`", PROHIBITION),
        ("If there is no `read_file` tool, stop", ASIDE),
        ("If `read_file` is available", ASIDE),
        ("instead of `read_file`", ASIDE),
        ("the old `read_file` tool", ASIDE),
        ("If in doubt, use `read_file`", USE),
        ("Never guess. Use `read_file`", USE),
        ("- Do not guess\n- `read_file` it", USE),
        ("tools like `read_file`", USE),
    ],
)
def test_what_the_clause_says(text: str, stance: str) -> None:
    (found,) = [reference for reference in named(text) if reference.name == "read_file"]
    assert found.stance == stance


def test_names_with_dashes_and_dots_are_found_whole() -> None:
    text = 'Call read-file({a: 1}), repo.search(q="x") and `read-file`; use list-users (or another tool).'
    found = named(text, "read-file", "repo.search", "list-files")
    assert [(one.name, one.form, text[one.start : one.call_end]) for one in found] == [
        ("read-file", "call", "read-file({a: 1})"),
        ("repo.search", "call", 'repo.search(q="x")'),
        ("read-file", "prose", "read-file"),
        ("list-users", "prose", "list-users"),
    ]


def test_the_end_of_a_dashed_name_is_no_call_of_its_own() -> None:
    prompt = read_prompt(plain("read-my_file({a: 1}) and my_file({a: 1})").tree)
    assert [one.name for one in prompt.named(vocabulary("read-my_file"))] == ["read-my_file", "my_file"]
    specified = Vocabulary({"read-my_file": []}, specified=True)
    assert [one.name for one in prompt.named(specified)] == ["my_file", "my_file"]


def test_a_server_s_prefix_is_left_out() -> None:
    text = "mcp__files__read_file, `files/read_file` and `mcp_files_read_file`"
    found = named(text)
    assert [(one.name, text[one.start : one.end], one.form) for one in found] == [
        ("read_file", "read_file", "qualified")
    ]


def test_a_server_is_known_by_its_prefix_or_by_its_file() -> None:
    known = Vocabulary({"read_file": [tool("read_file", origin="servers/disk.json")], "mcp__mail__send": [tool("x")]})
    text = "`mcp__disk__read_file` `mcp__disk__write_file` `mcp__mail__read` `mcp__mail__send` `mcp__other__read`"
    found = find_named_tools(text, [], known)
    assert [one.name for one in found] == ["read_file", "mcp__disk__write_file", "mcp__mail__read", "mcp__mail__send"]


_PIECES = st.sampled_from(
    [
        *(
            "`read_file`",
            "`save_note`",
            "**",
            "*",
            "`",
            "'",
            '"',
            "use ",
            "the ",
            " tool",
            " tools",
            "\n",
            "\n\n",
            "- ",
        ),
        *(
            "# Tools\n",
            "read_file",
            "mcp__a__b",
            "functions.x",
            '{"name": "x", "arguments": {}}',
            "(",
            ")",
            ", ",
            " and ",
        ),
        *("no ", "never ", "```\n", "a-b", "x.y", "| ", ":", ".", "é", "_", "__", "<tool>", "if "),
    ]
)


@pytest.mark.slow
@settings(max_examples=examples(300))
@given(st.lists(_PIECES, max_size=25).map("".join))
def test_references_stand_where_they_say_in_order_and_apart(text: str) -> None:
    end = 0
    for reference in named(text, *NAMES, "a-b", "x.y"):
        assert text[reference.start : reference.end] == reference.name
        assert end <= reference.start < reference.end <= reference.call_end <= len(text)
        end = reference.end


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "a_b " * 20_000,
        "`a_b` " * 20_000,
        "`a_b`, " * 20_000,
        "**a_b** tool " * 10_000,
        "'a' tool " * 10_000,
        "`" * 250_000,
        "[" * 250_000 + "`a_b`",
        "_" * 250_000,
        "a_" * 125_000,
        "a-" * 125_000,
        "a.b(" * 50_000,
        "## Tools\n" * 20_000,
        "## Tools\n" * 200 + "- a_b: x\n" * 20_000,
        "tools:\n" * 20_000,
        "functions.a " * 20_000,
        '{"name": ' * 20_000,
        '{"name": "a", "arguments": {}} ' * 5_000,
        "mcp__a__b " * 20_000,
        "<invoke " * 20_000,
    ],
    ids=lambda text: text[:14],
)
def test_hostile_text_is_read(text: str) -> None:
    assert all(reference.end <= len(text) for reference in named(text, *NAMES, "a-b", "x.y"))


@given(st.text(st.sampled_from("aZ9_ é😀\ud800`-")))
@example("readFiles, HTMLPage2Go")
def test_humps_are_what_a_pattern_would_find(text: str) -> None:
    pattern = re.compile(r"(?<=[a-z0-9])[A-Z][A-Za-z0-9]*+")
    assert [match.span() for match in _humps(text)] == [match.span() for match in pattern.finditer(text)]


def test_a_heading_in_bold_ends_a_list_of_tools() -> None:
    tools = "**Available Tools:**\n- read_file: reads\n- grep_serch: finds\n"
    text = f"{tools}\n**Operations:**\n- count_words: counts\n- trim_text: trims\n"
    assert [found.name for found in named(text)] == ["read_file", "grep_serch"]
