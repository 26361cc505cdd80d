"""The README and the pages in docs/ against the program: every command, every block, its output, the tables, the settings.

What is generated in them is marked as such, and rewritten by `python -m tests.regenerate`. The set-ups of editors are tried in
`server/test_editors.py`, the pictures are drawn in `test_pictures.py` and `page/test_pictures.py`.
"""

import inspect
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType

import pytest
import yaml

import toolsurface_lint
from tests import own_rule_tables, protocol_tables, provider_tables
from tests.files import install_linter, needs, write_files
from tests.regenerate import UPDATE
from tests.test_architecture import FLOORS
from toolsurface_lint import __version__
from toolsurface_lint.checks import all_rules
from toolsurface_lint.checks import pages as rule_pages
from toolsurface_lint.knowledge.sources import CODE, DOCUMENTED, OBSERVED
from toolsurface_lint.project.settings.loading import load_settings
from toolsurface_lint.reporters import FORMATS

REPOSITORY = Path(__file__).resolve().parents[1]
README = "README.md"
PAGES = [
    README,
    "CONTRIBUTING.md",
    "SECURITY.md",
    *sorted(f"docs/{file.name}" for file in (REPOSITORY / "docs").glob("*.md")),
]
FENCE = re.compile(r"^( *)(`{3,})(\w+)\n(.*?)^\1\2$", re.MULTILINE | re.DOTALL)
OUTPUT = re.compile(r"<!-- output of `([^`]+)` -->\n```text\n(.*?)```", re.DOTALL)

INSTALL = (
    "python3 -m venv .venv && . .venv/bin/activate && pip install . && "
    "toolsurface-lint check fixtures/surfaces/release-bot"
)
# What each command ends with and says. Those on `fixtures/` run in a copy of the clone, the others in one project after each
# other, so that later ones find what earlier ones did.
RUN = {
    "toolsurface-lint check fixtures/surfaces/release-bot": (1, "Found 1 error, 2 warnings."),
    "toolsurface-lint check fixtures/surfaces/home": (0, "No problems found."),
    "toolsurface-lint compare fixtures/changes/tool-renamed/old fixtures/changes/tool-renamed/new": (
        1,
        "Found 2 errors. Compared",
    ),
    "toolsurface-lint surface --output html=surface.html fixtures/surfaces/support-desk": (0, ""),
    "toolsurface-lint check": (1, "Found 1 error, 2 warnings."),
    "toolsurface-lint surface": (0, "publish_release(tag, notes)"),
    "toolsurface-lint rule TOOL_SURFACE_UNKNOWN_PROMPT_TOOL": (0, "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"),
    "toolsurface-lint check --output concise --stdin-filename agents/coder/prompts/system.md - < buffer": (
        0,
        "agents/coder/prompts/system.md:1:7: warning[TOOL_SURFACE_UNKNOWN_PROMPT_TOOL]",
    ),
    "toolsurface-lint check --output stats runs/": (0, "runs/6.json"),
    "toolsurface-lint check --kind response --protocol tagged --done-sentinel '##DONE##' runs/7.txt": (
        1,
        "error[RESPONSE_STRAY_CONTENT]",
    ),
    "toolsurface-lint check --diff --unsafe-fixes": (1, "+3. Call `publish_release("),
    "toolsurface-lint check --fix": (1, "fixed 1 problem in 1 file"),
    "toolsurface-lint check --write-baseline toolsurface-baseline.json": (0, "suppressed 3"),
    "toolsurface-lint check --baseline toolsurface-baseline.json": (0, "suppressed 3"),
    "toolsurface-lint check --write-coverage-baseline toolsurface-coverage.json": (1, "Found 1 error, 2 warnings."),
    "toolsurface-lint check --coverage-baseline toolsurface-coverage.json": (1, "Found 1 error, 2 warnings."),
    "toolsurface-lint check --add-suppressions='until=2030-01-31 there before the linter' --diff": (
        1,
        "would suppress 3 problems in 2 files",
    ),
    "toolsurface-lint check --add-suppressions": (0, "suppressed 3 problems in 2 files"),
    "toolsurface-lint lock": (0, "wrote toolsurface.lock"),
    "toolsurface-lint lock --update publish_release": (0, "publish_release is as toolsurface.lock has it"),
    "toolsurface-lint rename publish_release ship_release --diff": (1, '+      "name": "ship_release",'),
    "toolsurface-lint rename from_tag start --argument-of read_changelog --diff": (1, '"required": ["start"]'),
}
# Commands inside of sentences, run in that project after the others.
MENTIONED = {
    "toolsurface-lint check": (0, "No problems found."),
    "toolsurface-lint check --output json": (0, '"valid": true'),
    "toolsurface-lint surface": (0, "publish_release(tag, notes)"),
    "toolsurface-lint surface --output json": (0, '"references"'),
    "toolsurface-lint compare": (2, "Missing argument"),
    "toolsurface-lint compare --output json": (2, "Missing argument"),
    "toolsurface-lint server": (0, ""),
    "toolsurface-lint rule CODE": (0, "PROMPT_MISSPELLED_TOOL"),
    "toolsurface-lint rule test": (2, "no [[rule]] to test"),
    "toolsurface-lint rule ACME_TOOL_VERB": (2, "no rule has the code"),
    "toolsurface-lint rule --output json": (0, '"code"'),
    "toolsurface-lint lock": (0, "toolsurface.lock is as it was"),
    "toolsurface-lint rename": (2, "Missing argument"),
    "toolsurface-lint init": (2, "toolsurface.toml"),
    "toolsurface-lint config": (0, "fail-on"),
    "toolsurface-lint config --output json": (0, "fail-on"),
    "toolsurface-lint wire to-wire": (0, ""),
    "toolsurface-lint snapshot": (2, "say which server"),
    "toolsurface-lint dataset": (2, "Missing argument"),
}
COMPLETIONS = {
    "bash": 'eval "$(toolsurface-lint completion bash)"',
    "zsh": 'eval "$(toolsurface-lint completion zsh)"',
    "fish": "toolsurface-lint completion fish > ~/.config/fish/completions/toolsurface-lint.fish",
}
# Commands that no test here runs, and why.
NOT_RUN = {
    "pip install '.[test]' && python -m pytest": "it runs these tests; .ci/run runs it",
    ".ci/run": "it runs these tests",
    "python -m pytest -n auto": "it runs these tests",
    "TOOLSURFACE_LINT_TEST_LONG=1 python -m pytest -n auto": "it runs these tests; a workflow runs it",
    "python -m tests.growth": "it takes an hour; a workflow runs it",
    'python -m pytest -n auto -m "not slow"': "it runs these tests; a workflow runs it",
    "python -m tests.regenerate": "it writes to this repository",
    "python -m tests.regenerate --check": "it runs tests that run with these",
    "git clone https://github.com/toolsurface-lint/toolsurface-lint && cd toolsurface-lint": "it needs the network",
    "python3 -m venv .venv && . .venv/bin/activate && pip install -e '.[test,lint,docs]' && pre-commit install": (
        "it needs the network"
    ),
    "toolsurface-lint snapshot --output servers.json --all --yes": "tests/cli/test_snapshot_command.py runs such ones",
    "toolsurface-lint snapshot --name notes --env NOTES_TOKEN --output notes.json -- npx -y @example/notes-server": (
        "it needs the network"
    ),
    "toolsurface-lint snapshot --url https://notes.example/mcp": "it needs the network",
    "pip install 'toolsurface-lint[dataset]'": "it needs the network",
    "toolsurface-lint dataset runs/ --sample 1000": "tests/cli/test_dataset_command.py runs it",
    "toolsurface-lint dataset runs/ --keep clean.parquet --output text --output parquet=findings.parquet": (
        "tests/cli/test_dataset_command.py runs it"
    ),
    "toolsurface-lint dataset runs/ --map messages=dialog,tools=meta.tools": "tests/cli/test_dataset_command.py runs it",
    "toolsurface-lint dataset s3://rains/runs --ray auto --output parquet=/shared/findings.parquet --keep /shared/clean": (
        "it needs a cluster; tests/cli/test_dataset_command.py runs one on one machine"
    ),
    f"pip install git+https://github.com/toolsurface-lint/toolsurface-lint@v{__version__}": "it needs the network",
    "cd editors/vscode && npm install && npx @vscode/vsce package && "
    f"code --install-extension toolsurface-lint-{__version__}.vsix": "it needs the network and VS Code",
    "npm install --prefix ../code-server code-server && npm install --prefix editors/vscode": "it needs the network",
    "TOOLSURFACE_LINT_CODE_SERVER=../code-server/node_modules/.bin/code-server "
    "python -m pytest tests/server/test_code_server.py": "it needs code-server",
}
# Commands that run some tests: they must find them.
TESTS = {"python -m pytest tests/test_fixtures.py -k TOOL_NAME_VAGUE"}

GROUPS = {
    "Surfaces: tools, policies and prompts together": ("TOOL_SURFACE_",),
    "Tool definitions": ("TOOL_NAME_", "TOOL_DESCRIPTION_", "TOOL_SCHEMA_", "TOOL_ANNOTATION_"),
    "Tools in Python": ("TOOL_CODE_",),
    "Policies and permission files": ("POLICY_",),
    "Files of coding clients": ("HOOK_", "SERVER_", "SKILL_", "MANIFEST_"),
    "Prompts": ("PROMPT_",),
    "Templates": ("TEMPLATE_",),
    "Responses": ("RESPONSE_",),
    "Calls": ("CALL_",),
    "Results": ("RESULT_",),
    "Transcripts": ("TRANSCRIPT_",),
    "Reserved tokens": ("RESERVED_TOKEN_",),
    "Workflows": ("WORKFLOW_",),
    "Changes between two versions": ("CHANGE_",),
    "Datasets": ("DATASET_",),
    "Suppressions": ("SUPPRESSION_",),
    "Input": ("INPUT_", "INTERNAL_ERROR"),
}
"""The groups of the overview of the rules, by the prefixes of their codes; a code of none of them gets a group by its prefix."""


def text_of(page: str) -> str:
    return (REPOSITORY / page).read_text(encoding="utf-8")


def fences(page: str, *languages: str) -> list[str]:
    """The blocks of a page in a language, without the indentation of the list that they are in."""
    return [textwrap.dedent(content) for _, _, info, content in FENCE.findall(text_of(page)) if info in languages]


def prose(page: str) -> str:
    """A page without its blocks and comments."""
    return re.sub("<!--.*?-->", "", FENCE.sub("", text_of(page)), flags=re.DOTALL)


def commands() -> list[str]:
    return [line for page in PAGES for block in fences(page, "sh", "console") for line in block.strip().split("\n")]


def compare(page: str, start: int, end: int, expected: str) -> None:
    """Compare a part of a page with what it must be, or rewrite it."""
    text = text_of(page)
    if UPDATE:
        (REPOSITORY / page).write_text(text[:start] + expected + text[end:], encoding="utf-8", newline="")
    else:
        assert text[start:end] == expected


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Variables with the linter on the PATH, and a home of its own."""
    if os.name == "nt":
        pytest.skip("needs a POSIX shell")
    programs, home = install_linter(tmp_path / "bin"), tmp_path / "home"
    home.mkdir()
    kept = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "GITHUB_ACTIONS")}
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return {**kept, "HOME": str(home), "PATH": path, "PYTHONPATH": str(REPOSITORY), "COLUMNS": "120"}


def shell(program: str, command: str, folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a command in a shell, with what it says on either stream as its output."""
    return subprocess.run(
        [program, "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
        timeout=300,
    )


def test_every_command_is_run_or_has_a_reason() -> None:
    assert set(commands()) == {*RUN, *COMPLETIONS.values(), *NOT_RUN, *TESTS, INSTALL}
    assert {command for page in PAGES for command in re.findall(r"`(toolsurface-lint [^`]+)`", prose(page))} == set(
        MENTIONED
    )


@pytest.mark.slow
def test_the_commands_do_what_they_are_shown_for(tmp_path: Path, environment: dict[str, str]) -> None:
    clone, project = tmp_path / "clone", tmp_path / "project"
    for shown in ("fixtures/surfaces", "fixtures/changes/tool-renamed"):
        shutil.copytree(REPOSITORY / shown, clone / shown)
    shutil.copytree(REPOSITORY / "fixtures/surfaces/release-bot", project)
    wrong = []
    for command, (code, said) in [*RUN.items(), *MENTIONED.items()]:
        folder = clone if "fixtures/" in command else project
        if "buffer" in command:
            write_more_files(project)
        done = shell("bash", command.replace("CODE", "PROMPT_MISSPELLED_TOOL"), folder, environment)
        if done.returncode != code or said not in done.stdout:
            wrong.append((command, done.returncode, done.stdout))
    assert wrong == []
    assert (clone / "surface.html").read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.slow
@pytest.mark.parametrize("command", sorted(TESTS))
def test_the_commands_that_run_some_tests_find_them(command: str, environment: dict[str, str]) -> None:
    _, *arguments = shlex.split(command)
    done = subprocess.run(
        [sys.executable, *arguments, "--collect-only", "-p", "no:cacheprovider"],
        cwd=REPOSITORY,
        env=environment,
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0


def write_more_files(project: Path) -> None:
    """What the commands on certain files need."""
    read = '{"name": "read_file", "description": "Read.", "input_schema": {"type": "object", "properties": {}}}'
    call = '{"name": "read_changelog", "arguments": "{\\"from_tag\\": \\"v1\\"}"}'
    files = {
        "agents/coder/tools.json": f"[{read}]\n",
        "agents/coder/prompts/system.md": "Call `read_file({})`.\n",
        "buffer": "Call `read_flie({})`.\n",
        "runs/6.json": '{"messages": [{"role": "user", "content": "Go on."}, {"role": "assistant", "tool_calls": '
        f'[{{"id": "1", "type": "function", "function": {call}}}]}}, '
        '{"role": "tool", "tool_call_id": "1", "content": "- a"}, {"role": "assistant", "content": "One change."}]}\n',
        "runs/7.txt": "First, the changes:\n<tool_call>\nread_changelog({ from_tag: 'v1' })\n</tool_call>\n",
    }
    write_files(project, files)


@pytest.mark.slow
def test_the_first_command_installs(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    for name in ("toolsurface_lint", "rules", "fixtures/surfaces"):
        shutil.copytree(REPOSITORY / name, clone / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(REPOSITORY / name, clone)
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV", "COLUMNS"))
    }
    done = shell("bash", INSTALL, clone, kept)
    if re.search("No matching distribution found|Could not find a version", done.stdout):
        pytest.skip("no package index can be reached")
    assert done.returncode == 1, done.stdout
    assert done.stdout.rstrip().endswith(fences(README, "text")[0].rstrip())


@pytest.mark.slow
@pytest.mark.parametrize("program", COMPLETIONS)
def test_every_shell_takes_its_completion(program: str, tmp_path: Path, environment: dict[str, str]) -> None:
    needs(program)
    (tmp_path / "home/.config/fish/completions").mkdir(parents=True)
    prepared = "autoload -U compinit && compinit -u && " if program == "zsh" else ""
    done = shell(program, prepared + COMPLETIONS[program], tmp_path, environment)
    assert (done.returncode, done.stdout) == (0, "")
    if program == "fish":
        shown = shell(program, "complete -C 'toolsurface-lint comp'", tmp_path, environment)
        assert "completion" in shown.stdout


def shown_outputs() -> list[tuple[str, str]]:
    return [(page, match[1]) for page in PAGES for match in OUTPUT.finditer(text_of(page))]


@pytest.mark.slow
@pytest.mark.generated
@pytest.mark.parametrize(("page", "command"), shown_outputs())
def test_the_outputs_are_real(page: str, command: str, environment: dict[str, str]) -> None:
    help = command.endswith("--help")
    done = shell("bash", command, REPOSITORY, {**environment, "COLUMNS": "80"} if help else environment)
    assert done.returncode == (0 if help else RUN[command][0])
    (shown,) = (match for match in OUTPUT.finditer(text_of(page)) if match[1] == command)
    compare(page, shown.start(2), shown.end(2), done.stdout)


def test_every_command_has_a_section(environment: dict[str, str]) -> None:
    done = shell("bash", "toolsurface-lint --help", REPOSITORY, environment)
    known = re.findall(r"^  ([a-z]+)  ", done.stdout.partition("Commands:")[2], re.MULTILINE)
    page = text_of("docs/commands.md")
    assert re.findall(r"^## ([a-z]+)$", page, re.MULTILINE) == [
        command.split()[1] for _, command in shown_outputs() if "--help" in command
    ]
    assert sorted(re.findall(r"^## ([a-z]+)$", page, re.MULTILINE)) == sorted(known)
    (shells,) = re.findall(r"toolsurface-lint completion \[OPTIONS\] \{(.*?)\}", page)
    assert list(COMPLETIONS) == shells.split("|")


def test_every_option_exists() -> None:
    outputs = "".join(match[2] for match in OUTPUT.finditer(text_of("docs/commands.md")))
    known = {*re.findall(r"--[a-z-]+", outputs), "--help", "--version"}
    named = {option for page in PAGES for option in re.findall(r"`(?:toolsurface-lint [^`]*)?(--[a-z-]+)", prose(page))}
    assert named
    assert named - known == set()


def test_every_block_is_tried() -> None:
    tried_here = {"sh", "text", "yaml", "toml", "python", "pycon", "markdown"}
    tried_in_editors = {"lua", "elisp"}
    languages = {info for page in PAGES for _, _, info, _ in FENCE.findall(text_of(page))}
    assert languages == tried_here | tried_in_editors


@pytest.mark.generated
def test_the_overview_of_the_rules() -> None:
    grouped: dict[str, list[str]] = {title: [] for title in GROUPS}
    for rule in all_rules():
        titles = (title for title, prefixes in GROUPS.items() if rule.code.startswith(prefixes))
        title = next(titles, rule.code.split("_")[0].capitalize())
        star = "\\*" if rule.preview else ""
        row = f"| [{rule.code}](../rules/{rule.code}.md){star}<br>{rule.summary} | {rule.severity} | {rule.fix or ''} |"
        grouped.setdefault(title, []).append(row)
    tables = [
        "\n".join([f"## {title}", "", "| rule | severity | fix |", "|---|---|---|", *rows, ""])
        for title, rows in grouped.items()
    ]
    page = text_of("docs/rules.md")
    mark = "<!-- generated from here on -->\n"
    compare("docs/rules.md", page.index(mark) + len(mark), len(page), "\n" + "\n".join(tables))


@pytest.mark.generated
def test_what_providers_accept() -> None:
    page = text_of("docs/providers.md")
    mark = "<!-- generated from here on -->\n"
    compare("docs/providers.md", page.index(mark) + len(mark), len(page), "\n" + provider_tables.page())


@pytest.mark.generated
def test_what_own_rules_may_say() -> None:
    page = text_of("docs/own-rules.md")
    mark = "<!-- generated from here on -->\n"
    compare("docs/own-rules.md", page.index(mark) + len(mark), len(page), "\n" + own_rule_tables.page())


@pytest.mark.generated
def test_what_engines_read() -> None:
    page = text_of("docs/protocols.md")
    mark = "<!-- generated from here on -->\n"
    compare("docs/protocols.md", page.index(mark) + len(mark), len(page), "\n" + protocol_tables.page())


@pytest.mark.generated
@pytest.mark.parametrize("code", ["TOOL_SCHEMA_UNSUPPORTED_KEYWORD", "TOOL_SCHEMA_NOT_PORTABLE"])
def test_the_pages_of_rules_say_who_refuses_what(code: str) -> None:
    page = f"rules/{code}.md"
    text = text_of(page)
    start = text.index(provider_tables.MARK) + len(provider_tables.MARK)
    compare(page, start, text.index(provider_tables.END), f"\n{provider_tables.who_refuses_what()}\n")


def test_every_row_about_a_provider_has_a_source() -> None:
    rows = list(provider_tables.every_source())
    assert len(rows) > 100
    for row, source in rows:
        assert source.text.strip(), row
        assert re.fullmatch(r"20\d\d-(?:0[1-9]|1[0-2])", source.date), row
        assert source.verified in (OBSERVED, DOCUMENTED, CODE), row


@pytest.mark.generated
def test_the_readme_counts_the_rules() -> None:
    (count,) = re.finditer(r"There are \[(\d+) rules\]", text_of(README))
    compare(README, count.start(1), count.end(1), str(len(all_rules())))


@pytest.mark.parametrize("page", [*PAGES, "CHANGELOG.md"])
def test_every_linked_page_is_there(page: str) -> None:
    text = FENCE.sub("", text_of(page))
    here = (REPOSITORY / page).parent
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text) + re.findall(r'(?:src|srcset)="([^"]+)"', text)
    assert [link for link in links if not (here / link).exists()] == []
    for target, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", text):
        assert anchor in headings(here / target if target else REPOSITORY / page), (target, anchor)


def headings(file: Path) -> set[str]:
    """The anchors of a page."""
    lines = re.findall("^#+ (.*)$", FENCE.sub("", file.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", line).strip().lower().replace(" ", "-") for line in lines}


@pytest.mark.parametrize("page", PAGES)
def test_every_named_path_is_there(page: str) -> None:
    folders = "|".join(re.escape(path.name) for path in REPOSITORY.iterdir() if path.is_dir())
    named = re.findall(rf"`((?:{folders})/[a-z_./-]*)`", prose(page))
    assert [path for path in named if not (REPOSITORY / path).exists()] == []


def test_every_page_is_on_the_site() -> None:
    site = text_of("mkdocs.yml")
    assert [
        page for page in PAGES if page.startswith("docs/") and f" {Path(page).name}" not in site.replace("[", " ")
    ] == []


def test_every_room_is_described_below_those_that_it_may_import() -> None:
    table = text_of("docs/architecture.md").partition("## Rooms")[2].partition("##")[0]
    rooms = [room for row in re.findall(r"^\| (`.*?`) \|", table, re.MULTILINE) for room in re.findall(r"`(\w+)`", row)]
    floor = {room: number for number, floor in enumerate(FLOORS) for room in floor}
    assert sorted(rooms) == sorted(set(floor) - {"toolsurface_lint", "__main__"})
    assert [floor[room] for room in rooms] == sorted(floor[room] for room in rooms)


def test_a_package_index_gets_addresses_instead_of_paths() -> None:
    project = tomllib.loads(text_of("pyproject.toml"))
    text = text_of(README)
    for substitution in project["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"]:
        text, count = re.subn(substitution["pattern"], substitution["replacement"], text)
        assert count
    addresses = re.findall(r"\]\(([^)]+)\)", text) + re.findall(r'(?:src|srcset|href)="([^"]+)"', text)
    assert [address for address in addresses if not address.startswith(("https://", "#"))] == []
    assert re.sub(r"https://[\w./-]+/v\$HFPR_VERSION/", "", text) == text_of(README)


def test_the_settings_are_valid_and_complete(tmp_path: Path) -> None:
    (example,) = (block for block in fences("docs/settings.md", "toml") if "[[surface]]" in block)
    (tmp_path / "toolsurface.toml").write_text(example, encoding="utf-8")
    settings = load_settings([str(tmp_path)])
    assert settings.path is not None
    assert [surface.name for surface in settings.surfaces] == ["coder"]
    from toolsurface_lint.project.settings import reading

    text = text_of("docs/settings.md")
    assert [key for key in (*reading.SETTINGS, *reading.SURFACE) if f"`{key}`" not in text] == []
    rows = re.findall(r"^\| (`.*?`) \|", text.partition("| setting |")[2].partition("\n\n")[0], re.MULTILINE)
    agent = {key for row in rows[-8:] for key in re.findall("`([^`]+)`", row)}
    assert agent | {"name", "tools", "policy", "approval-policy", "prompts", "transcripts", "templates"} == set(
        reading.SURFACE
    )
    assert "The last eight rows apply to all agents" in text
    only = re.search(r"to one \(`([\w-]+)` and `([\w-]+)` only there\)", text)
    assert only is not None
    assert agent - set(reading.SETTINGS) == set(only.groups())


@pytest.mark.parametrize("page", PAGES)
def test_the_python_examples_run(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    for example in fences(page, "python"):
        exec(compile(example, page, "exec"), {"__name__": "example"})
    printed = capsys.readouterr().out
    assert page != "docs/python-api.md" or "warning TOOL_SURFACE_MISSING_SCHEMA read_file" in printed


@pytest.mark.slow
def test_the_example_of_a_rule_is_one(tmp_path: Path, environment: dict[str, str]) -> None:
    """It reports when its file is there and the index is written anew."""
    (example,) = fences("CONTRIBUTING.md", "python")
    for name in ("toolsurface_lint", "rules", "tests"):
        shutil.copytree(REPOSITORY / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (code,) = re.findall(r'code="(\w+)"', example)
    (tmp_path / "toolsurface_lint/checks/tool/new_rule.py").write_text(example, encoding="utf-8")
    (tmp_path / "tools.json").write_text('[{"name": "READ_FILE", "input_schema": {}}]', encoding="utf-8")
    command = f"{shlex.quote(sys.executable)} -m tests.rule_index && toolsurface-lint check --select {code} tools.json"
    done = shell("bash", command, tmp_path, {**environment, "PYTHONPATH": str(tmp_path)})
    assert f"tools.json:1:11: info[{code}] the name of tool `READ_FILE` is in capital letters" in done.stdout
    assert "help: write `read_file`" in done.stdout


def called(name: str, function: Callable[..., object]) -> str:
    """How a function of a module with `from __future__ import annotations` is called; one argument a line if they are many."""
    parts, only_by_name = [], False
    signature = inspect.signature(function)
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not only_by_name:
            only_by_name = True
            parts.append("*")
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        parts.append(parameter.name + ("" if parameter.name == "self" else f": {parameter.annotation}") + default)
    line = f"{name}({', '.join(parts)}) -> {signature.return_annotation}"
    return (
        line if len(line) < 100 else f"{name}(\n    " + ",\n    ".join(parts) + f",\n) -> {signature.return_annotation}"
    )


def described(name: str) -> str:
    """A name of the API: how a function is called, the fields and members of a class, and the docstrings."""
    value = getattr(toolsurface_lint, name)
    text = inspect.getdoc(value) or ""
    if inspect.isfunction(value):
        return f"### {name}\n\n```text\n{called(name, value)}\n```\n\n{text}\n"
    fields = getattr(value, "_fields", None)
    parts = [f"### {name}\n"]
    if fields is not None:
        parts.append(f"Fields: {', '.join(f'`{field}`' for field in fields)}.\n")
    if not text.startswith(f"{name}("):
        parts.append(f"{text}\n")
    for member, member_value in vars(value).items():
        if member.startswith("_") or not isinstance(member_value, property | FunctionType):
            continue
        shown = member if isinstance(member_value, property) else f"{member}()"
        said = (inspect.getdoc(member_value) or "").partition("\n\n")[0].replace("\n", " ")
        parts.append(f"- `{shown}`: {said}" if said else f"- `{shown}`")
    return "\n".join(parts) + ("" if parts[-1].endswith("\n") else "\n")


@pytest.mark.generated
def test_every_name_of_the_api_is_described() -> None:
    page = text_of("docs/python-api.md")
    mark = "<!-- generated from here on -->\n"
    names = [name for name in toolsurface_lint.__all__ if name != "__version__"]
    compare("docs/python-api.md", page.index(mark) + len(mark), len(page), "\n" + "\n".join(map(described, names)))
    functions = [name for name in names if inspect.isfunction(getattr(toolsurface_lint, name))]
    assert [name for name in functions if f"`{name}`" not in page.partition(mark)[0]] == []


def test_every_key_of_the_json_output_is_described(environment: dict[str, str]) -> None:
    done = shell("bash", "toolsurface-lint check fixtures/surfaces --output json", REPOSITORY, environment)
    report = json.loads(done.stdout)

    def keys(value: object) -> Iterator[str]:
        if isinstance(value, dict):
            yield from value
        for member in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from keys(member)

    assert {key for key in keys(report) if f"`{key}`" not in text_of("docs/json.md")} == set()


def test_the_suppression_example_suppresses(tmp_path: Path) -> None:
    from toolsurface_lint import check_paths

    (example,) = fences("docs/suppressions.md", "markdown")
    (tmp_path / "tools.json").write_text('[{"name": "read_file", "input_schema": {}}]', encoding="utf-8")
    paths = [str(tmp_path / "tools.json"), str(tmp_path / "system.md")]

    def codes(text: str) -> list[str]:
        (tmp_path / "system.md").write_text(f"Use `read_file({{}})`.\n{text}", encoding="utf-8")
        report = check_paths(paths)
        return [found.code for found in report.diagnostics if found.code == "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"]

    assert codes(example) == []
    assert codes(example.split("\n", 1)[1]) == ["TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"]


def test_the_workflows_and_the_hooks_name_this_version() -> None:
    blocks = {page: [yaml.safe_load(text) for text in fences(page, "yaml")] for page in (README, "docs/ci.md")}
    (hook, workflow), (same_hook, with_action, without, comparing) = blocks[README], blocks["docs/ci.md"]
    assert (hook, workflow) == (same_hook, with_action)
    assert hook["repos"][0]["rev"] == f"v{__version__}"
    hooks = yaml.safe_load(text_of(".pre-commit-hooks.yaml"))
    assert hook["repos"][0]["hooks"][0]["id"] in [one["id"] for one in hooks]
    repository = hook["repos"][0]["repo"]
    assert rule_pages.URL.startswith(repository)
    action = workflow["jobs"]["check"]["steps"][-1]
    assert action["uses"] == f"{repository.removeprefix('https://github.com/')}@v{__version__}"
    steps = without["jobs"]["check"]["steps"]
    assert f"pip install git+{repository}@v{__version__}" in [step.get("run") for step in steps]
    assert steps[2] in comparing["jobs"]["compare"]["steps"]
    written = next(step["run"] for step in steps if "sarif=" in step.get("run", ""))
    assert f"--output sarif={steps[-1]['with']['sarif_file']} " in written
    assert with_action["jobs"]["check"]["permissions"] == without["jobs"]["check"]["permissions"]


def test_the_command_for_the_tests_is_that_of_the_ci() -> None:
    command = next(command for command in commands() if "pytest" in command)
    assert f"\n{command}\n" in text_of(".ci/run")
    extras = tomllib.loads(text_of("pyproject.toml"))
    assert {"lsp", "test"} <= set(extras["project"]["optional-dependencies"])


def test_the_commands_of_the_workflows_are_those_of_the_pages() -> None:
    quick = yaml.safe_load(text_of(".github/workflows/ci.yml"))["jobs"]["quick"]["steps"][-1]["run"]
    assert quick in commands()
    docs = [step.get("run") for step in yaml.safe_load(text_of(".github/workflows/docs.yml"))["jobs"]["build"]["steps"]]
    assert "python -m mkdocs build --strict" in docs


def test_the_formats_are_named() -> None:
    listed = re.search(r"`--output` takes (.*?), with", text_of("docs/commands.md"), re.DOTALL)
    assert listed is not None
    assert re.findall(r"`(\w+)`", listed.group(1)) == list(FORMATS)


def test_the_sessions_are_real() -> None:
    import doctest

    ran = []
    for session in fences("docs/python-api.md", "pycon"):
        test = doctest.DocTestParser().get_doctest(session, {}, "docs", "docs/python-api.md", 0)
        ran.append(doctest.DocTestRunner(verbose=False).run(test))
    assert ran == [doctest.TestResults(0, 5), doctest.TestResults(0, 8)]


def test_every_test_that_writes_is_marked() -> None:
    writing = [
        file
        for file in (REPOSITORY / "tests").rglob("test_*.py")
        if re.search(r"^from tests\.regenerate import", file.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert len(writing) > 5
    assert [file.name for file in writing if "@pytest.mark.generated" not in file.read_text(encoding="utf-8")] == []
