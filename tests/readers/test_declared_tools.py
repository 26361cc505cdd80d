"""Tools in Go, Rust, Java, Kotlin and C#, read where they are declared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.model.document import Document
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.readers.programs.declared.csharp import served_name
from toolsurface_lint.readers.programs.documents import read_program_documents
from toolsurface_lint.readers.programs.program_file import ProgramFile
from toolsurface_lint.source.string_literals import literals

LANGUAGES = {"go": "go", "rs": "rust", "java": "java", "kt": "kotlin", "cs": "csharp"}


def documents(files: dict[str, str]) -> dict[str, Document]:
    found = read_program_documents(
        [
            ProgramFile(f"/r/{path}", path, LANGUAGES[path.rpartition(".")[2]], None, 1 << 20, text.encode())
            for path, text in files.items()
        ]
    )
    return {path.removeprefix("/r/"): document for path, document in found.items()}


def tools(path: str, text: str, **others: str) -> list[Tool]:
    read = documents({path: text, **{name.replace("__", "."): other for name, other in others.items()}})
    return [tool for document in read.values() for made in document.tool_lists for tool in made]


def only(path: str, text: str, **others: str) -> Tool:
    (tool,) = tools(path, text, **others)
    return tool


def shown(tool: Tool, part: str) -> str:
    """What the file has where a part of the description is said to be."""
    node = tool.description
    assert node is not None
    start = str(node.value).index(part)
    place = node.text_place(start, start + len(part))
    span, source = place.span(), place.source
    assert span is not None
    assert source is not None
    return source.text[slice(*span)]


def name_shown(tool: Tool) -> str:
    span, source = tool.name_place.span(), tool.name_place.source
    assert span is not None
    assert source is not None
    return source.text[slice(*span)]


GO = """package main

import "github.com/mark3labs/mcp-go/mcp"

const (
	name = "read_file"
	Text ToolText = "Reads a ⚓ file. "
)

func add() {
	s.AddTool(mcp.NewTool(name,
		mcp.WithDescription(Text+`See "list".`),
		mcp.WithReadOnlyHintAnnotation(true),
		mcp.WithString("path", mcp.Required(), mcp.Description("Where it lies."), mcp.Enum("a", "b")),
		mcp.WithNumber("lines", mcp.DefaultNumber(5)),
		mcp.WithArray("tags", mcp.WithStringItems()),
	), run)
}
"""


class TestGo:
    def test_options(self):
        tool = only("main.go", GO)
        assert (tool.name, tool.format, name_shown(tool)) == ("read_file", "go-mcp", '"read_file"')
        assert tool.description is not None
        assert tool.description.value == 'Reads a ⚓ file. See "list".'
        assert shown(tool, "list") == "list"
        assert tool.hints is not None
        assert tool.hints.value == {"readOnlyHint": True}
        assert [(each.name, each.type, each.required, each.enum) for each in tool.parameters] == [
            ("path", "string", True, ("a", "b")),
            ("lines", "number", False, ()),
            ("tags", "array", False, ()),
        ]
        assert tool.description_of("path") == "Where it lies."

    def test_struct_with_the_input_of_its_handler(self):
        text = """package main
type input struct {
	Path  string   `json:"path" jsonschema:"the file"`
	Limit *int     `json:"limit,omitempty"`
	inner string
}
func main() {
	mcp.AddTool(server, &mcp.Tool{
		Name: "read", Description: "Reads.", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
	}, read)
}
func read(ctx context.Context, r *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) { return nil, nil, nil }
"""
        tool = only("main.go", text)
        assert [(each.name, each.type, each.required) for each in tool.parameters] == [
            ("path", "string", True),
            ("limit", "integer", False),
        ]
        assert tool.description_of("path") == "the file"
        assert tool.hints is not None
        assert tool.hints.value == {"readOnlyHint": True}

    def test_schema_in_a_struct_and_a_translated_text(self):
        text = """package github
func Get(t Helper) Tool {
	return NewTool(Toolset, mcp.Tool{
		Name: "get", Description: t("KEY", "Gets it."),
		InputSchema: &jsonschema.Schema{
			Type: "object",
			Properties: map[string]*jsonschema.Schema{
				"owner": {Type: "string", Description: "Who.", Enum: []any{"a"}},
				"page":  {Type: "number", Minimum: jsonschema.Ptr(1.0), Default: json.RawMessage(`3`)},
			},
			Required: []string{"owner"},
		},
	}, handler)
}
"""
        tool = only("get.go", text)
        assert tool.schema is not None
        assert tool.schema.value == {
            "type": "object",
            "properties": {
                "owner": {"type": "string", "description": "Who.", "enum": ["a"]},
                "page": {"type": "number", "minimum": 1.0, "default": 3},
            },
            "required": ["owner"],
        }
        assert shown(tool, "it") == "it"

    def test_tools_of_agents_and_of_helpers(self):
        files = {
            "tools/names.go": 'package tools\nconst ViewToolName = "view"\n',
            "tools/view.go": "package tools\nfunc (v *view) Info() ToolInfo {\n"
            '\treturn ToolInfo{Name: ViewToolName, Description: text(), Required: []string{"path"},\n'
            '\t\tParameters: map[string]any{"path": map[string]any{"type": "string"}}}\n}\n',
            "app/agent.go": "package app\nvar a = fantasy.NewAgentTool(tools.ViewToolName, describe(), run)\n",
            "grafana/list.go": "package grafana\ntype args struct {\n"
            '\tTeam string `json:"team" jsonschema:"required,description=A team\\\\, by name"`\n'
            '\tOrder string `json:"order" jsonschema:"enum=up,enum=down"`\n}\n'
            'var List = m.MustTool("list", "Lists.", list, mcp.WithIdempotentHintAnnotation(true))\n'
            "func list(ctx context.Context, a args) (string, error) { return a.Team, nil }\n",
        }
        found = {path: document.tool_lists[0][0] for path, document in documents(files).items() if document.tool_lists}
        assert {path: tool.name for path, tool in found.items()} == {
            "tools/view.go": "view",
            "app/agent.go": "view",
            "grafana/list.go": "list",
        }
        view, listed = found["tools/view.go"], found["grafana/list.go"]
        assert [(each.name, each.required) for each in view.parameters] == [("path", True)]
        assert "description" not in view.declarable
        assert [(each.name, each.required, each.enum) for each in listed.parameters] == [
            ("team", True, ()),
            ("order", False, ("up", "down")),
        ]
        assert listed.description_of("team") == "A team, by name"

    def test_names_that_are_not_known_are_said(self):
        text = (
            'package m\nfunc f(n string) { add(mcp.NewTool(n, d)) }\nvar x = mcp.Tool{}\nvar y = mcp.Tool{Name: "a"}\n'
        )
        (document,) = documents({"m.go": text}).values()
        assert [str(reason) for reason in document.open_reasons] == [
            "m.go:2: a tool whose name is not a literal or a constant"
        ]
        (document,) = documents({"m.go": text.rpartition("var y")[0]}).values()
        assert document.leaves_open
        assert document.unread is not None
        assert document.unread.line == 2

    def test_one_name_made_in_two_places_may_be_either(self):
        text = 'package m\nvar a = mcp.Tool{Name: "a"}\nvar b = mcp.Tool{Name: "a"}\n'
        assert [tool.optional for tool in tools("m.go", text)] == [False, True]
        text = 'package m\nfunc f() { add(mcp.Tool{Name: "a"}); add(mcp.Tool{Name: "a"}) }\n'
        assert [tool.optional for tool in tools("m.go", text)] == [False, False]

    def test_a_schema_that_is_not_known_leaves_the_tool_open(self):
        tool = only("m.go", 'package m\nvar a = mcp.Tool{Name: "a", InputSchema: schema}\n')
        assert "schema" not in tool.declarable
        assert tool.schema is None

    def test_tests_and_text_are_left_out(self):
        assert not documents({"main_test.go": GO})
        assert not documents({"main.go": 'package m\n// mcp.NewTool("a")\nvar s = `mcp.NewTool("a")`\n'})


RUST = """
#[derive(JsonSchema)]
pub struct Sum {
    /// The left one.
    pub a: i32,
    #[schemars(description = "The right one.")]
    #[serde(default, rename = "bb")]
    pub b: Option<Vec<f64>>,
}

#[tool_router]
impl Calculator {
    /// Adds two numbers.
    /// It is "exact".
    #[tool(annotations(title = "Sum", read_only_hint = true))]
    fn sum(&self, Parameters(Sum { a, b }): Parameters<Sum>) -> String { String::new() }

    #[tool(name = "calc-reset", description = "Forgets \\
        all.")]
    async fn reset(&self, ctx: RequestContext<RoleServer>) {}

    #[tool(description = TEXT)]
    fn other(&self, Parameters(map): Parameters<JsonObject>) {}

    #[tool(name = make!())]
    fn unnamed(&self) {}
}
const TEXT: &str = r#"Has "quotes"."#;
"""


def test_rust():
    (document,) = documents({"calc.rs": RUST}).values()
    (found,) = document.tool_lists
    added, reset, other = found
    assert [tool.name for tool in found] == ["sum", "calc-reset", "other"]
    assert [name_shown(tool) for tool in found] == ["sum", '"calc-reset"', "other"]
    assert added.description is not None
    assert added.description.value == 'Adds two numbers.\nIt is "exact".'
    assert shown(added, "exact") == "exact"
    assert [(each.name, each.type, each.required) for each in added.parameters] == [
        ("a", "integer", True),
        ("bb", "array", False),
    ]
    assert (added.description_of("a"), added.description_of("bb")) == ("The left one.", "The right one.")
    assert added.hints is not None
    assert added.hints.value == {"title": "Sum", "readOnlyHint": True}
    assert reset.description is not None
    assert reset.description.value == "Forgets all."
    assert reset.schema is not None
    assert reset.schema.value == {"type": "object", "properties": {}}
    assert (other.description and other.description.value, other.schema) == ('Has "quotes".', None)
    assert [reason.line for reason in document.open_reasons] == [26]


JAVA = '''import dev.langchain4j.agent.tool.Tool;
class A {
    static final String NAME = "find";
    @Tool(name = NAME, value = {"Finds.", "By \\u0041 name."})
    String f(@P("What.") String query, @P(value = "How many.", required = false) Integer limit, @ToolMemoryId String id) {}
    @Tool("""
        Stops.
          Now.
        """)
    void stop() {}
    String toString() {}
}
class B { @Tool("Again.") void stop(Unknown it) {} }
'''


def test_java():
    (document,) = documents({"A.java": JAVA}).values()
    (find, stop), (again,) = document.tool_lists
    assert [tool.name for tool in (find, stop, again)] == ["find", "stop", "stop"]
    assert find.format == "java-langchain4j"
    assert find.description is not None
    assert find.description.value == "Finds.\nBy A name."
    assert shown(find, "name") == "name"
    assert [(each.name, each.type, each.required) for each in find.parameters] == [
        ("query", "string", True),
        ("limit", "integer", False),
    ]
    assert stop.description is not None
    assert stop.description.value == "Stops.\n  Now."
    assert shown(stop, "Now.") == "Now."
    assert again.parameters[0].type is None


def test_java_builders_and_an_annotation_of_something_else():
    text = """import io.modelcontextprotocol.spec.McpSchema;
class S { void f() {
    var a = McpSchema.Tool.builder().name("a").description("Does.").inputSchema("{\\"type\\": \\"object\\"}").build();
    var b = new McpSchema.Tool("b", "Does too.", schema);
    var c = Other.builder().name("c").build();
} }
"""
    first, second = tools("S.java", text)
    assert (first.name, second.name) == ("a", "b")
    assert first.schema is not None
    assert first.schema.value == {"type": "object"}
    assert second.description is not None
    assert second.description.value == "Does too."
    assert not tools("S.java", 'import org.junit.Tool;\nclass S { @Tool("x") void f() {} }\n')


KOTLIN = '''package a
import io.modelcontextprotocol.kotlin.sdk.Tool
const val NAME = "get_alerts"
fun add(server: Server) {
    server.addTool(
        name = NAME,
        description = """
            Gets alerts.
            For a state.
        """.trimIndent(),
    ) { request -> x }
    server.addTool(name = "b_$id", description = "b") { it }
}
'''


def test_kotlin():
    (document,) = documents({"A.kt": KOTLIN}).values()
    ((tool,),) = document.tool_lists
    assert (tool.name, tool.format) == ("get_alerts", "kotlin-mcp")
    assert tool.description is not None
    assert tool.description.value == "Gets alerts.\nFor a state."
    assert shown(tool, "state") == "state"
    assert [reason.line for reason in document.open_reasons] == [12]


def test_koog():
    text = """import ai.koog.agents.core.tools.annotations.Tool
class Mail : ToolSet {
    @Tool
    @LLMDescription("Sends a mail.")
    fun send(@LLMDescription("To whom.") to: String, copies: List<String>? = null): String { return "" }

    @Tool("drop_it") @LLMDescription("Drops.") fun drop(all: Boolean = false) {}
}
"""
    send, drop = tools("Mail.kt", text)
    assert (send.name, send.format, drop.name) == ("send", "kotlin-koog", "drop_it")
    assert [(each.name, each.type, each.required) for each in send.parameters] == [
        ("to", "string", True),
        ("copies", "array", False),
    ]
    assert [(each.name, each.required) for each in drop.parameters] == [("all", False)]
    assert send.description_of("to") == "To whom."


CSHARP = '''
public class Tools
{
    const string Said = @"Says ""it"".";
    [McpServerTool(ReadOnly = true), Description("Gets " + Said)]
    public static async Task<string> GetHTTPAlertsAsync(HttpClient client, [Description("Which.")] string state, int? days = 3) {}

    [McpServerTool(Name = "set-it")]
    [Description("""
        Sets it.
          So.
        """)]
    public void Set(IStore store, CancellationToken token) {}

    [KernelFunction("turn_on")] public void TurnOn() {}
}
'''


def test_csharp():
    (found,) = next(iter(documents({"Tools.cs": CSHARP}).values())).tool_lists
    get, put, turn = found
    assert [tool.name for tool in found] == ["get_http_alerts", "set-it", "turn_on"]
    assert name_shown(get) == "GetHTTPAlertsAsync"
    assert get.description is not None
    assert get.description.value == 'Gets Says "it".'
    assert get.hints is not None
    assert get.hints.value == {"readOnlyHint": True}
    assert [(each.name, each.type, each.required) for each in get.parameters] == [
        ("state", "string", True),
        ("days", "integer", False),
    ]
    assert put.description is not None
    assert put.description.value == "Sets it.\n  So."
    assert shown(put, "So") == "So"
    # What is of a type of the program may be a service.
    assert put.schema is None
    assert turn.format == "csharp-semantic-kernel"


@pytest.mark.parametrize(
    ("method", "name"),
    [
        ("GetAlerts", "get_alerts"),
        ("EchoAsync", "echo"),
        ("Async", "async"),
        ("IOStat", "io_stat"),
        ("Get_it", "get_it"),
    ],
)
def test_names_that_the_sdk_of_csharp_gives(method, name):
    assert served_name(method, is_async=True) == name


QUOTED = {
    "go": ('"{}"', "`{}`"),
    "rust": ('"{}"', 'r#"{}"#'),
    "java": ('"{}"',),
    "kotlin": ('"{}"', '"""{}"""'),
    "csharp": ('"{}"', '@"{}"'),
}


@pytest.mark.parametrize("language", QUOTED)
@given(texts=st.lists(st.text("ab ⚓é\U0001f600.,", min_size=1), min_size=1, max_size=4), data=st.data())
def test_plain_literals_are_mapped_character_for_character(language, texts, data):
    raw = " + ".join(data.draw(st.sampled_from(QUOTED[language])).format(text) for text in texts)
    found = list(literals(raw, language))
    assert [text for text, _ in found] == texts
    assert all("".join(raw[at] for at in offsets[:-1]) == text for text, offsets in found)


@pytest.mark.parametrize("extension", LANGUAGES)
@given(text=st.text('@#[]Tool("mcp.New{}=\\`+;\n fnuc', max_size=200))
def test_any_text_is_read(extension, text):
    signs = {
        "go": 'mcp.NewTool("',
        "rs": "#[tool]",
        "java": "import dev.langchain4j.X; @Tool",
        "kt": "addTool(",
        "cs": "[McpServerTool]",
    }
    for document in documents({f"a.{extension}": signs[extension] + text}).values():
        assert not document.problems
