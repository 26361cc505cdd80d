"""The page of `surface --output html`, and the same facts in JSON: what they say, and that nothing in them acts."""

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest

pytestmark = pytest.mark.slow

VOID = {"input", "link", "meta"}
VALIDATOR = os.environ.get("TOOLSURFACE_LINT_HTML_VALIDATE") or shutil.which("html-validate")


class Parsed(HTMLParser):
    """The elements of a page, with a complaint about each that is not closed where it must be."""

    def __init__(self, markup: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[int, list[str]] = {}
        self.open: list[int] = []
        self.feed(markup)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert len(dict(attrs)) == len(attrs), f"an attribute twice in {tag}"
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(len(self.elements) - 1)

    def handle_endtag(self, tag):
        assert self.elements[self.open.pop()][0] == tag

    def handle_data(self, data):
        for index in self.open:
            self.texts.setdefault(index, []).append(data)

    def text(self, tag: str, **attributes: str) -> list[str]:
        """The texts of the elements of a kind that have these attributes."""
        return [
            " ".join("".join(self.texts.get(index, [])).split())
            for index, (name, found) in enumerate(self.elements)
            if name == tag
            and all(found.get(key.rstrip("_").replace("_", "-")) == value for key, value in attributes.items())
        ]


def rows(parsed: Parsed) -> dict[str, list[str]]:
    """The cells of the matrix, by the name of the tool."""
    found: dict[str, list[str]] = {}
    for index, (name, attributes) in enumerate(parsed.elements):
        if name == "tr" and "data-tool" in attributes:
            cells = []
            for later in range(index + 1, len(parsed.elements)):
                if parsed.elements[later][0] == "tr":
                    break
                if parsed.elements[later][0] in ("th", "td"):
                    cells.append(" ".join("".join(parsed.texts.get(later, [])).split()))
            found[cells[0].split(" ")[0]] = cells[1:]
    return found


@pytest.fixture(scope="module")
def described(page, desk, surface):
    folder = page(desk).parent
    (folder / "page.html").rename(folder.parent / f"{folder.name}.html")
    done = surface(folder, "--output", "json")
    (folder.parent / f"{folder.name}.html").rename(folder / "page.html")
    assert (done.returncode, done.stderr) == (0, b"")
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def tools(described):
    (surface,) = described["surfaces"]
    return {tool["name"]: tool for tool in surface["tools"]}


def test_outcomes_in_the_data(tools) -> None:
    assert {name: (tool["outcome"], tool["active"], tool["deferred"]) for name, tool in tools.items()} == {
        "read_note": ("allowed", True, False),
        "write_note": ("needs_approval", True, False),
        "send_mail": ("above_ceiling", True, False),
        "drop_notes": ("denied", True, False),
        "old_search": ("outside_policy", False, True),
        "run_report": ("depends_on_call", True, False),
    }
    assert tools["send_mail"]["policy"] == {
        "outcome": "above_ceiling",
        "decisions": [
            {
                "outcome": "above_ceiling",
                "field": "side_effect_level",
                "pattern": "send_mail",
                "ceiling": "process_exec",
                "path": "policy.toml",
                "line": 2,
                "column": 21,
            }
        ],
    }
    (decision,) = tools["drop_notes"]["approval"]["decisions"]
    assert (decision["field"], decision["pattern"]) == ("auto_deny", "drop_notes")
    assert (decision["path"], decision["line"], decision["column"]) == ("approval.toml", 3, 14)
    (decision,) = tools["send_mail"]["approval"]["decisions"]
    assert (decision["outcome"], decision["field"], decision["pattern"]) == ("approved", None, None)


def test_references_results_and_calls_in_the_data(tools, described) -> None:
    assert [(item["line"], item["column"], item["stance"]) for item in tools["read_note"]["references"]] == [
        (1, 12, "use"),
        (2, 7, "use"),
    ]
    (forbidden,) = tools["drop_notes"]["references"]
    assert forbidden["stance"] == "prohibition"
    shown = forbidden["excerpt"]
    assert shown["text"] == "Never use the `drop_notes` tool."
    assert shown["text"][shown["start"] : shown["end"]] == "drop_notes"
    results = tools["run_report"]["results"]
    assert (results["emits_artifacts"], results["inline"]) == (True, False)
    assert [(reader["name"], reader["declared"], reader["active"]) for reader in results["readers"]] == [
        ("read_report", True, False),
        ("read_note", True, True),
    ]
    assert tools["read_note"]["results"] is None
    assert tools["read_note"]["calls"] == {"calls": 1, "failures": 0}
    (surface,) = described["surfaces"]
    assert surface["transcripts"] == [
        {"path": "run.json", "conversations": 1, "clean": 1, "turns": 4, "calls": 1, "results": 1}
    ]
    assert [(item["name"], item["declared"]) for item in surface["references"]] == [
        ("read_note", True),
        ("write_note", True),
        ("read_note", True),
        ("sent_mail", False),
    ]


def test_entries_of_policies_in_the_data(described) -> None:
    (surface,) = described["surfaces"]
    capability, approval = surface["policies"]
    assert (capability["kind"], capability["ceiling"]["level"]) == ("capability", "process_exec")
    assert {entry["pattern"]: entry["tools"] for entry in capability["entries"]} == {
        "*_note": ["read_note", "write_note"],
        "send_mail": ["send_mail"],
        "drop_*": ["drop_notes"],
        "run_report": ["run_report"],
    }
    assert [(entry["field"], entry.get("action")) for entry in approval["entries"]] == [
        ("auto_approve", None),
        ("auto_deny", None),
        ("require_approval", None),
        ("rules[0].tool", "ask"),
    ]


def test_without_policies_and_transcripts_there_is_no_outcome(surface, tmp_path) -> None:
    (tmp_path / "tools.json").write_text('[{"name": "read_file", "parameters": {}}]', encoding="utf-8")
    (tool,) = json.loads(surface(tmp_path, "--output", "json").stdout)["surfaces"][0]["tools"]
    assert [tool[key] for key in ("outcome", "policy", "approval", "results", "calls")] == [None] * 5
    assert tool["references"] == []


def test_the_page_says_what_the_data_says(page, desk, tools) -> None:
    parsed = Parsed(page(desk).read_text(encoding="utf-8"))
    cells = rows(parsed)
    assert {name: row.pop(6) for name, row in cells.items()} == {
        name: str(tool["estimated_tokens"]) for name, tool in tools.items()
    }
    assert cells == {
        "read_note": ["read", "read_only", "allowed *_note", "approved read_*", "2", "1 call", "–no findings"],
        "write_note": [
            *("edit", "workspace_write", "allowed *_note", "needs approval write_note"),
            *("1", "–no calls", "–no findings"),
        ],
        "send_mail": [
            *("execute", "network", "above the ceiling process_exec", "approved"),
            *("–in no prompt", "–no calls", "1 error"),
        ],
        "drop_notes": [
            *("delete", "workspace_write", "allowed drop_*", "denied drop_notes"),
            *("1", "–no calls", "–no findings"),
        ],
        "old_search": [
            *("search", "read_only", "outside the policy", "approved"),
            *("–in no prompt", "–no calls", "–no findings"),
        ],
        "run_report": [
            *("execute", "process_exec", "allowed run_report", "depends on the call run_report"),
            *("–in no prompt", "–no calls", "1 warning"),
        ],
    }
    (found,) = parsed.text("li", data_severity="error")
    place, message = "tools.json:46:30", "tool send_mail has the side-effect level network, above the policy's ceiling"
    assert found.startswith(f"errorTOOL_SURFACE_SIDE_EFFECT_CEILING_EXCEEDED{place}{message} process_exec")
    assert found.endswith('the ceiling is set here policy.toml:2:212side_effect_level = "process_exec"')
    (undeclared,) = [one for one in parsed.text("li", data_severity="warning") if "PROMPT_TOOL" in one]
    assert undeclared.endswith("help did you mean send_mail?")
    text = " ".join(parsed.text("main"))
    for said in (
        "policy.toml:2:21",
        "by drop_notes in auto_deny approval.toml:3:14",
        "no pattern of tools matches policy.toml:1:9",
        "3:16 Never use the `drop_notes` tool. forbidden",
        "reader read_report not active",
        "not active, deferred: loaded when it is searched for",
        "notes.txt not recognised",
        "1 conversation, 4 turns, 1 call",
    ):
        assert said.replace(" ", "") in text.replace(" ", ""), said


def test_text_and_page_in_one_run(surface, tmp_path, desk) -> None:
    for name, content in desk.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    done = surface(tmp_path, "--output", "html=page.html", "--output=text")
    text = done.stdout.decode()
    assert "  harn, execute, network, above the ceiling\n" in text
    assert "  harn, search, read_only, deferred, not active, outside the policy\n" in text
    assert "  harn, edit, workspace_write, needs approval\n" in text
    assert (tmp_path / "page.html").read_bytes().startswith(b"<!doctype html>\n")
    assert surface(tmp_path, "--output", "html", PYTHONIOENCODING="ascii").stdout.decode("utf-8").endswith("</html>\n")
    assert surface(tmp_path, "--output", "html=").returncode == 2
    wrong = surface(tmp_path, "--output", "htm")
    assert (wrong.returncode, wrong.stdout) == (2, b"")
    assert b"did you mean `html`?" in wrong.stderr


def test_nothing_recognised(page) -> None:
    parsed = Parsed(page({"notes.txt": "Nothing.\n"}).read_text(encoding="utf-8"))
    assert "No surface was recognised." in parsed.text("main")[0]
    assert parsed.text("h1") == ["0 tool surfaces"]


def test_workflows_and_their_nodes(page) -> None:
    graph = {
        "_type": "workflow_graph",
        "name": "triage",
        "entry": "a",
        "nodes": {
            "a": {"kind": "stage", "tools": [{"name": "look", "description": "Look."}], "prompt": "Call look({})."}
        },
        "edges": [],
    }
    parsed = Parsed(page({"flow.json": json.dumps(graph)}).read_text(encoding="utf-8"))
    names = [parsed.text("h2", id=f"surface-{number}") for number in (1, 2)]
    assert names == [["triage"], ["triage: node a"]]
    whole, node = parsed.text("section", class_="surface")
    # One defect that is seen in both is reported in the first.
    assert "TOOL_SURFACE_MISSING_SCHEMA" in whole
    assert "TOOL_SURFACE_MISSING_SCHEMA" not in node


def test_hostile_texts_are_shown_and_do_nothing(page, hostile) -> None:
    text = page(hostile).read_text(encoding="utf-8")
    parsed = Parsed(text)
    kinds = {name for name, _ in parsed.elements}
    assert kinds.isdisjoint({"img", "svg", "b", "iframe", "object", "form"})
    assert sum(name == "script" for name, _ in parsed.elements) == 1
    assert not [
        key for _, attributes in parsed.elements for key in attributes if key.startswith("on") or key == "style"
    ]
    assert all(char in "\n\u200c\u200d" or char.isprintable() or char in "\u00a0" for char in text)
    shown = " ".join(parsed.text("main"))
    for escape in (
        "\\x1b[2J",
        "\\u202e",
        "\\u2066",
        "\\ud800",
        "<script>document.title",
        "&amp; <b>",
        '" onmouseover="x',
    ):
        assert escape in shown, escape
    assert "\\u202e" in parsed.text("span", class_="escaped")


def test_the_page_names_nothing_to_load(page, desk, hostile) -> None:
    for files in (desk, hostile):
        text = page(files).read_text(encoding="utf-8")
        parsed = Parsed(text)
        addresses = {
            (name, key, value)
            for name, attributes in parsed.elements
            for key, value in attributes.items()
            if key in ("src", "href", "srcset", "action", "data", "poster", "ping", "background", "formaction")
        }
        for name, key, value in addresses:
            assert (name, key) == ("a", "href") or (name, key, value) == ("link", "href", "data:,")
            assert value is not None
            assert value.startswith(("#", "https://github.com/toolsurface-lint/toolsurface-lint")) or name == "link"
        style, script = (re.search(f"<{kind}>(.*?)</{kind}>", text, re.DOTALL)[1] for kind in ("style", "script"))
        assert not re.search(r"url\(|@import|https?:", style)
        assert not re.search(r"https?:|fetch|XMLHttpRequest|import\(|innerHTML|eval", script)
        (policy,) = [
            attributes["content"] for _, attributes in parsed.elements if attributes.get("http-equiv") is not None
        ]
        digests = [base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in (style, script)]
        assert policy == (
            f"default-src 'none'; style-src 'sha256-{digests[0]}'; script-src 'sha256-{digests[1]}'; "
            "img-src data:; base-uri 'none'; form-action 'none'"
        )


def test_every_anchor_leads_somewhere(page, desk) -> None:
    parsed = Parsed(page(desk).read_text(encoding="utf-8"))
    ids = [attributes["id"] for _, attributes in parsed.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    named = {
        reference
        for _, attributes in parsed.elements
        for key in ("for", "aria-labelledby")
        for reference in (attributes.get(key) or "").split()
    }
    linked = {value[1:] for _, attributes in parsed.elements if (value := attributes.get("href") or "").startswith("#")}
    assert named | linked <= set(ids)


@pytest.mark.skipif(VALIDATOR is None, reason="html-validate is not installed")
def test_the_page_is_valid_html(page, desk, hostile, tmp_path) -> None:
    settings = {"root": True, "extends": ["html-validate:standard", "html-validate:a11y"]}
    (tmp_path / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    pages = [str(page(files)) for files in (desk, hostile)]
    done = subprocess.run(
        [str(VALIDATOR), "--config", "settings.json", "--formatter", "text", *pages],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (0, "")
