"""What a snapshot holds of a server: what it answered, as it answered it."""

import os

import pytest

from tests.snapshot.conftest import ADD, asked
from tests.snapshot.test_hostile_servers import refused
from toolsurface_lint.snapshot.targets import INHERITED

pytest.importorskip("mcp", reason="the extra `snapshot` is not installed")

LISTED = {"tools": [ADD]}


def test_everything_as_the_server_says_it(server):
    tool = {"inputSchema": {"properties": {"b": {}, "a": {"x": 1.0}}, "type": "object"}, "name": "add", "x-own": [None]}
    prompt = {"name": "sum", "arguments": [{"name": "of", "required": True}]}
    resource, template = {"uri": "note://1", "name": "1"}, {"uriTemplate": "note://{id}", "name": "notes"}
    answer = asked(
        server(
            initialize={
                "capabilities": {"tools": {"listChanged": True}, "prompts": {}, "resources": {}, "x-own": {}},
                "serverInfo": {"version": "2", "name": "sums", "x-own": 1},
                "instructions": "Add, \u202ethen stop.",
            },
            tools__list={"tools": [tool], "_meta": {"page": 1}},
            prompts__list={"prompts": [prompt]},
            resources__list={"resources": [resource]},
            resources__templates__list={"resourceTemplates": [template]},
        )
    )
    assert answer.notes == ()
    assert list(answer.entry.items()) == [
        ("name", "sums"),
        ("command", answer.entry["command"]),
        ("protocolVersion", "2025-11-25"),
        ("serverInfo", {"version": "2", "name": "sums", "x-own": 1}),
        ("capabilities", {"tools": {"listChanged": True}, "prompts": {}, "resources": {}, "x-own": {}}),
        ("instructions", "Add, \u202ethen stop."),
        ("tools", [tool]),
        ("prompts", [prompt]),
        ("resources", [resource]),
        ("resourceTemplates", [template]),
    ]
    assert list(answer.entry["tools"][0]) == ["inputSchema", "name", "x-own"]
    assert list(answer.entry["tools"][0]["inputSchema"]["properties"]) == ["b", "a"]


def test_all_pages_of_a_list(server):
    own = """
def answer(message, answer=answer):
    if message["method"] != "tools/list":
        return answer(message)
    page = int(message.get("params", {}).get("cursor", 0))
    tool = {"name": "tool_%d" % page, "inputSchema": {"type": "object"}}
    return {"tools": [tool], **({"nextCursor": str(page + 1)} if page < 4 else {"nextCursor": ""})}
"""
    assert [tool["name"] for tool in asked(server(own)).entry["tools"]] == [f"tool_{page}" for page in range(5)]


def test_only_what_a_server_declares_is_asked_for(server):
    entry = asked(server(initialize={"capabilities": {}}, tools__list=LISTED)).entry
    assert (entry["tools"], "instructions" in entry) == ([], False)


def test_resources_without_templates(server):
    given = {"resources": [{"uri": "note://1", "name": "1"}]}
    entry = asked(server(initialize={"capabilities": {"resources": {}}}, resources__list=given)).entry
    assert (entry["resources"], entry["resourceTemplates"]) == (given["resources"], [])


def test_a_tool_that_clients_refuse_is_there_all_the_same(server):
    listed = {"tools": [{"name": "add"}, {"name": 7, "inputSchema": []}]}
    answer = asked(server(tools__list=listed))
    assert answer.entry["tools"] == listed["tools"]
    (note,) = answer.notes
    assert note.startswith("clients refuse its answer to `tools/list`: tools.0.inputSchema: Field required")


@pytest.mark.parametrize(
    ("results", "reason"),
    [
        ({}, "it answered `tools/list` with an error: Method not found"),
        ({"tools__list": {"tools": {}}}, "its answer to `tools/list` has no list `tools`"),
        (
            {"initialize": {"serverInfo": None}},
            "its answer to `initialize` is not what MCP defines: serverInfo: Input should be a valid dictionary",
        ),
        (
            {"initialize": {"protocolVersion": "1999-01-01"}},
            "the client of MCP gave up at `initialize`: Unsupported protocol version from the server: 1999-01-01",
        ),
    ],
    ids=["error", "list", "handshake", "version"],
)
def test_answers_that_say_nothing(server, results, reason):
    assert refused(server(**results)).reason.startswith(reason)


def test_one_that_knows_nothing_but_the_handshake(server):
    own = "def serve(message, serve=serve):\n    serve(message) if message['method'] != 'server/discover' else os._exit(1)"
    assert asked(server(own, tools__list=LISTED)).entry["tools"] == [ADD]


def test_one_without_a_handshake(server):
    own = """
def answer(message):
    method = message["method"]
    if method == "server/discover":
        return {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "instructions": "Add.",
                "resultType": "complete", "ttlMs": 0, "cacheScope": "public",
                "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "modern", "version": "1"}}}
    if method == "tools/list":
        return {**RESULTS[method], "resultType": "complete", "ttlMs": 0, "cacheScope": "public"}
"""
    entry = asked(server(own, tools__list=LISTED)).entry
    assert (entry["name"], entry["protocolVersion"], entry["instructions"]) == ("modern", "2026-07-28", "Add.")
    assert (entry["serverInfo"], entry["tools"]) == ({"name": "modern", "version": "1"}, [ADD])


def test_tools_that_depend_on_what_the_client_can_do(server):
    own = """
def answer(message, answer=answer):
    if message["method"] == "initialize":
        RESULTS["tools/list"] = {"tools": [{"name": can, "inputSchema": {}} for can in message["params"]["capabilities"]]}
    return answer(message)
"""
    tools = asked(server(own)).entry["tools"]
    assert {tool["name"] for tool in tools} == {"sampling", "elicitation", "roots"}


def test_the_name_that_was_given(server):
    assert asked(server(tools__list=LISTED), name="sums").entry["name"] == "sums"


def test_the_requests_of_a_server_are_answered(server):
    own = """
def serve(message, serve=serve):
    if message["method"] == "tools/list":
        for number, method in enumerate(("ping", "sampling/createMessage", "roots/list", "elicitation/create")):
            send({"jsonrpc": "2.0", "id": "q%d" % number, "method": method, "params": {"messages": [], "maxTokens": 1,
                  "message": "Who?", "requestedSchema": {"type": "object", "properties": {}}}})
            reply = json.loads(sys.stdin.readline())
            assert ("result" in reply) == (method == "ping"), reply
    serve(message)
"""
    assert asked(server(own, tools__list=LISTED)).entry["tools"] == [ADD]


ENVIRONMENT = "RESULTS['initialize'] = {'instructions': json.dumps(dict(os.environ))}"


def test_only_named_variables_are_passed(server, monkeypatch):
    monkeypatch.setenv("OURS_TOKEN", "not for servers")
    monkeypatch.setenv("OURS_MODE", "loud")
    command = server(ENVIRONMENT, tools__list=LISTED)
    said = asked(command, env=("OURS_MODE",)).entry["instructions"]
    # Python itself sets a locale.
    passed = {name for name in eval(said) if name not in ("LC_CTYPE", "__CF_USER_TEXT_ENCODING")}
    assert passed == {name for name in (*INHERITED, "OURS_MODE") if name in os.environ}


def test_what_a_named_variable_holds_is_never_shown(server, monkeypatch):
    monkeypatch.setenv("OURS_TOKEN", "5f0c-a secret")
    noise = f"{ENVIRONMENT}\nraw('hello ' + os.environ['OURS_TOKEN'] + '\\n')\nos.write(2, os.environ['OURS_TOKEN'].encode())"
    answer = asked(server(noise, tools__list=LISTED), env=("OURS_TOKEN",))
    assert "5f0c" not in repr(answer)
    assert "'OURS_TOKEN': '${OURS_TOKEN}'" in answer.entry["instructions"].replace('"', "'")
    failed = refused(server(f"{noise}\nos._exit(1)"), env=("OURS_TOKEN",))
    assert failed.last_lines == ("${OURS_TOKEN}",)


def test_a_program_that_is_not_there():
    assert refused(["no-such-program-here"]).reason == "it cannot be started: there is no such program"
    assert refused([os.devnull]).reason == "it cannot be started: Permission denied"
    assert refused(["a\0b"]).reason == "it cannot be started: embedded null byte"
