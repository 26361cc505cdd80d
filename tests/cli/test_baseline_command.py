"""`check` with `--write-baseline` and `--baseline`."""

import json

import pytest

pytestmark = pytest.mark.slow

OTHER = '{"tools": [{"name": "other_tool", "description": "Do it.", "executor": "harn"}]}\n'


@pytest.fixture
def baseline(run, folder):
    done = run("check", "--write-baseline", "baseline.json", "--fail-on", "info")
    said = "toolsurface-lint: wrote baseline.json: 1 finding, hidden by --baseline baseline.json\n"
    assert (done.returncode, done.stderr) == (0, said)
    return folder / "baseline.json"


def concise(run, *arguments):
    return run("check", "--baseline", "baseline.json", "--output", "concise", "--fail-on", "info", *arguments)


def test_everything_old_is_hidden_and_counted(run, baseline):
    done = concise(run)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "No problems found. Checked 1 surface: 1 tool, 1 prompt in 2 files; suppressed 1.\n"


def test_the_file_is_not_one_that_could_not_be_recognised(run, folder):
    """Whatever it is called, and also where it is not used."""
    (folder / "old.json").write_text('{"version": 1, "findings": []}', encoding="utf-8")
    (folder / "other.json").write_text('{"version": 2, "findings": [{"path": "a"}]}', encoding="utf-8")
    run("check", "--write-baseline", "known.json")
    report = json.loads(run("check", "--output", "json").stdout)
    assert report["skipped"] == [{"path": "other.json", "reason": "not recognised"}]


def test_the_file_is_for_people_too(baseline):
    value = json.loads(baseline.read_text(encoding="utf-8"))
    assert value["version"] == 2
    assert [(entry["path"], entry["code"], entry["times"]) for entry in value["findings"]] == [
        ("tools.json", "TOOL_SURFACE_MISSING_SCHEMA", 1)
    ]
    assert value["findings"][0]["message"].startswith("tool `read_file`")


def test_lines_inserted_above_bring_nothing_back(run, folder, baseline):
    tools = (folder / "tools.json").read_text(encoding="utf-8")
    (folder / "tools.json").write_text("\n\n" + tools.replace('"tools"', '\n\n   "tools"'), encoding="utf-8")
    assert concise(run).returncode == 0


def test_another_order_of_files_and_tools_brings_nothing_back(run, folder):
    """Of the files on the command line, of the tools in a file, and of the files in a folder."""
    tools = [
        {"name": f"{verb}_file", "description": f"{verb} it.", "executor": "harn"} for verb in ("read", "write", "move")
    ]
    for name, listed in {"tools.json": tools, "b/tools.json": tools[:2]}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps({"tools": listed}), encoding="utf-8")
    names = ("system.md", "tools.json", "b/tools.json")
    for given in ((), names):
        run("check", *given, "--write-baseline", "baseline.json")
        count = sum(entry["times"] for entry in json.loads((folder / "baseline.json").read_text("utf-8"))["findings"])
        assert count >= 5
        (folder / "tools.json").write_text(json.dumps({"tools": tools[::-1]}, indent=4), encoding="utf-8")
        (folder / "a").mkdir(exist_ok=True)
        (folder / "a/tools.json").write_text('{"tools": []}', encoding="utf-8")
        done = concise(run, *given[::-1])
        assert (done.returncode, done.stderr) == (0, "")
        assert f"suppressed {count}" in done.stdout


def test_a_number_that_changes_brings_nothing_back(run, folder):
    """There were three tools, more than two; now there are four."""
    tools = [
        {"name": f"{verb}_file", "description": f"{verb} it.", "executor": "harn"} for verb in ("read", "write", "move")
    ]
    (folder / "toolsurface.toml").write_text('select = ["TOOL_SURFACE_MANY_TOOLS"]\nmany-tools = 2\n', encoding="utf-8")
    for left in (3, 4):
        (folder / "tools.json").write_text(json.dumps({"tools": tools[:left]}), encoding="utf-8")
        if left == 3:
            assert run("check", "--write-baseline", "baseline.json", "--fail-on", "info").returncode == 0
        tools.append({**tools[0], "name": "copy_file"})
    done = concise(run)
    assert (done.returncode, "suppressed 1" in done.stdout) == (0, True)


def test_a_new_defect_shows_alone(run, folder, baseline):
    with open(folder / "system.md", "a", encoding="utf-8") as file:
        file.write("Call write_everything({}).\n")
    done = concise(run)
    assert done.returncode == 1
    assert [line.split(" ")[1] for line in done.stdout.split("\n")[:-2]] == [
        "warning[TOOL_SURFACE_UNKNOWN_PROMPT_TOOL]"
    ]


def test_a_second_one_of_a_kind_shows(run, folder):
    (folder / "system.md").write_text("Call read_file({}). Call write_all({}).\n", encoding="utf-8")
    run("check", "--write-baseline", "baseline.json")
    assert concise(run).returncode == 0
    (folder / "system.md").write_text("Call read_file({}). Call write_all({}).\n\nwrite_all({})\n", encoding="utf-8")
    done = concise(run)
    assert (done.returncode, done.stdout.count("TOOL_SURFACE_UNKNOWN_PROMPT_TOOL")) == (1, 1)


def test_stale_entries_are_listed(run, folder, baseline):
    tools = (folder / "tools.json").read_text(encoding="utf-8")
    (folder / "tools.json").write_text(
        tools.replace('"name"', '"parameters": {"type": "object"}, "name"'), encoding="utf-8"
    )
    done = concise(run)
    assert done.returncode == 0
    assert done.stderr.startswith(
        "toolsurface-lint: stale in the baseline: tools.json: [TOOL_SURFACE_MISSING_SCHEMA] tool"
    )
    assert "; 1 stale in the baseline" in done.stdout
    stale = json.loads(run("check", "--baseline", "baseline.json", "--output", "json").stdout)["stale"]
    assert [(entry["path"], entry["code"]) for entry in stale] == [("tools.json", "TOOL_SURFACE_MISSING_SCHEMA")]


def test_what_was_not_looked_at_is_not_stale(run, folder, baseline):
    (folder / "more").mkdir()
    (folder / "more/tools.json").write_text(OTHER, encoding="utf-8")
    assert concise(run, "more").stderr == ""
    assert concise(run, "--ignore", "TOOL_SURFACE_MISSING_SCHEMA").stderr == ""


def test_it_holds_from_any_folder(run, folder, baseline):
    (folder / "below").mkdir()
    done = run("check", "..", "--baseline", "../baseline.json", "--fail-on", "info", cwd="below")
    assert (done.returncode, done.stderr) == (0, "")


def test_what_the_baseline_hides_is_not_fixed(run, folder):
    (folder / "system.md").write_text("<!-- toolsurface-lint: ignore-line -->\nCall read_file({}).\n", encoding="utf-8")
    before = (folder / "system.md").read_bytes()
    run("check", "--write-baseline", "baseline.json")
    run("check", "--baseline", "baseline.json", "--fix")
    assert (folder / "system.md").read_bytes() == before
    run("check", "--fix")
    assert (folder / "system.md").read_bytes() == b"Call read_file({}).\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot read the baseline baseline.json: No such file or directory"),
        ("nonsense", "baseline.json is not a baseline: it is not JSON"),
        ("[]", "baseline.json is not a baseline: its `findings` are not a list"),
        ('{"version": 1, "findings": []}', "another version of toolsurface-lint: write it again with --write-baseline"),
        ('{"version": 2, "findings": [{"path": "a"}]}', "an entry has other fields than path, code"),
        ('{"version": 2, "findings": [[]]}', "an entry has other fields than path, code"),
        (
            '{"version": 2, "findings": [{"path": 1, "code": "", "fingerprint": "", "times": 1, "message": ""}]}',
            "an entry has a value of the wrong type",
        ),
    ],
)
def test_a_baseline_that_cannot_be_used(run, folder, text, message):
    if text is not None:
        (folder / "baseline.json").write_text(text, encoding="utf-8")
    done = concise(run, "tools.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_writing_and_hiding_at_once_is_wrong(run):
    done = run("check", "--baseline", "a.json", "--write-baseline", "b.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "it cannot be combined with --baseline" in done.stderr
