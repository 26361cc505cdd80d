"""The README against the program: every command, every block, its output, its table of codes, its settings, its workflow.

With TOOLSURFACE_UPDATE=1 the output and the table are rewritten instead of compared. The set-ups of editors are tried in
`server/test_editors.py`, the pictures are drawn in `test_pictures.py` and `page/test_pictures.py`.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

import pytest
import yaml

from toolsurface_lint import __version__
from toolsurface_lint.checks import all_rules
from toolsurface_lint.checks import pages as rule_pages
from toolsurface_lint.project.settings.loading import load_settings
from toolsurface_lint.reporters import FORMATS

REPOSITORY = Path(__file__).resolve().parents[1]
README = REPOSITORY / "README.md"
UPDATE = os.environ.get("TOOLSURFACE_UPDATE") == "1"
FENCE = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)

INSTALL = (
    "python3 -m venv .venv && . .venv/bin/activate && pip install . && "
    "toolsurface-lint check fixtures/surfaces/release-bot"
)
# What each command ends with and says, in the order of the README. Those on `fixtures/` run in a copy of the clone, the
# others in one project after each other, so that later ones find what earlier ones did.
RUN = {
    "toolsurface-lint check fixtures/surfaces/release-bot": (1, "Found 1 error, 2 warnings."),
    "toolsurface-lint surface --output html=surface.html fixtures/surfaces/support-desk": (0, ""),
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
    "toolsurface-lint check --add-suppressions='until=2030-01-31 there before the linter' --diff": (
        1,
        "would suppress 3 problems in 2 files",
    ),
    "toolsurface-lint check --add-suppressions": (0, "suppressed 3 problems in 2 files"),
}
# Commands inside of sentences, run in that project after the others.
MENTIONED = {
    "toolsurface-lint check": (0, "No problems found."),
    "toolsurface-lint surface": (0, "publish_release(tag, notes)"),
    "toolsurface-lint server": (0, ""),
    "toolsurface-lint rule CODE": (0, "PROMPT_MISSPELLED_TOOL"),
    "toolsurface-lint check --help": (0, "--watch"),
    "toolsurface-lint init": (2, "toolsurface.toml"),
    "toolsurface-lint config": (0, "fail-on"),
    "toolsurface-lint wire to-wire": (0, ""),
}
COMPLETIONS = {
    "bash": 'eval "$(toolsurface-lint completion bash)"',
    "zsh": 'eval "$(toolsurface-lint completion zsh)"',
    "fish": "toolsurface-lint completion fish > ~/.config/fish/completions/toolsurface-lint.fish",
}
# Commands that no test here runs, and why.
NOT_RUN = {
    "pip install '.[test]' && python -m pytest": "it runs these tests; .ci/run runs it",
    "cd editors/vscode && npm install && npx @vscode/vsce package --skip-license && "
    "code --install-extension toolsurface-lint-0.1.0.vsix": "it needs the network and VS Code",
}


def fences(*languages: str) -> list[str]:
    """The blocks of the README in a language, without the indentation of the list that they stand in."""
    blocks = FENCE.findall(README.read_text(encoding="utf-8"))
    return [textwrap.dedent(content) for _, info, content in blocks if info in languages]


def commands() -> list[str]:
    return [line for block in fences("sh", "console") for line in block.strip().split("\n")]


def compare(pattern: str, expected: str) -> None:
    """Compare the part of the README between two marks with what it must be, or rewrite it."""
    text = README.read_text(encoding="utf-8")
    match = re.search(pattern, text, re.DOTALL)
    assert match is not None
    if UPDATE:
        README.write_text(text[: match.start(1)] + expected + text[match.end(1) :], encoding="utf-8")
    else:
        assert match.group(1) == expected


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Variables with the linter on the PATH, and a home of its own."""
    programs, home = tmp_path / "bin", tmp_path / "home"
    for folder in (programs, home):
        folder.mkdir()
    program = programs / "toolsurface-lint"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m toolsurface_lint "$@"\n', encoding="utf-8")
    program.chmod(0o755)
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
    assert sorted(commands()) == sorted([*RUN, *COMPLETIONS.values(), *NOT_RUN, INSTALL])
    mentioned = re.findall(r"`(toolsurface-lint [^`]+)`", README.read_text(encoding="utf-8"))
    assert set(mentioned) == set(MENTIONED)


@pytest.mark.slow
def test_the_commands_do_what_they_are_shown_for(tmp_path: Path, environment: dict[str, str]) -> None:
    clone, project = tmp_path / "clone", tmp_path / "project"
    shutil.copytree(REPOSITORY / "fixtures/surfaces", clone / "fixtures/surfaces")
    shutil.copytree(REPOSITORY / "fixtures/surfaces/release-bot", project)
    read = '{"name": "read_file", "description": "Read.", "input_schema": {"type": "object", "properties": {}}}'
    call = '{"name": "read_changelog", "arguments": "{\\"from_tag\\": \\"v1\\"}"}'
    for name, text in {
        "agents/coder/tools.json": f"[{read}]\n",
        "agents/coder/prompts/system.md": "Call `read_file({})`.\n",
        "buffer": "Call `read_flie({})`.\n",
        "runs/6.json": '{"messages": [{"role": "user", "content": "Go on."}, {"role": "assistant", "tool_calls": '
        f'[{{"id": "1", "type": "function", "function": {call}}}]}}, '
        '{"role": "tool", "tool_call_id": "1", "content": "- a"}, {"role": "assistant", "content": "One change."}]}\n',
        "runs/7.txt": "First, the changes:\n<tool_call>\nread_changelog({ from_tag: 'v1' })\n</tool_call>\n",
    }.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text, encoding="utf-8")
    wrong = []
    for command, (code, said) in {**RUN, **MENTIONED}.items():
        folder = clone if "fixtures/" in command else project
        done = shell("bash", command.replace("CODE", "PROMPT_MISSPELLED_TOOL"), folder, environment)
        if done.returncode != code or said not in done.stdout:
            wrong.append((command, done.returncode, done.stdout))
    assert wrong == []
    assert (clone / "surface.html").read_text(encoding="utf-8").startswith("<!doctype html>")


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
        pytest.skip("no package index")
    assert done.returncode == 1, done.stdout
    assert done.stdout.rstrip().endswith(fences("text")[0].rstrip())


@pytest.mark.slow
@pytest.mark.parametrize("program", COMPLETIONS)
def test_every_shell_takes_its_completion(program: str, tmp_path: Path, environment: dict[str, str]) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"no {program}")
    (tmp_path / "home/.config/fish/completions").mkdir(parents=True)
    prepared = "autoload -U compinit && compinit -u && " if program == "zsh" else ""
    done = shell(program, prepared + COMPLETIONS[program], tmp_path, environment)
    assert (done.returncode, done.stdout) == (0, "")
    if program == "fish":
        shown = shell(program, "complete -C 'toolsurface-lint comp'", tmp_path, environment)
        assert "completion" in shown.stdout


def test_every_shell_is_told_how_to_complete() -> None:
    from toolsurface_lint.cli.command_table import SHELLS

    assert list(COMPLETIONS) == list(SHELLS)


def test_every_option_exists() -> None:
    from toolsurface_lint.cli.command_table import COMMANDS

    known = {flag for command in COMMANDS for option in command.options for flag in option.flags} | {
        "--help",
        "--version",
    }
    named = re.findall(r"`(?:toolsurface-lint [^`]*)?(--[a-z-]+)", README.read_text(encoding="utf-8"))
    assert named
    assert set(named) - known == set()


def test_every_block_is_tried() -> None:
    tried_here = {"sh", "text", "yaml", "toml", "python", "pycon", "markdown"}
    tried_in_editors = {"lua", "elisp"}
    languages = {info for _, info, _ in FENCE.findall(README.read_text(encoding="utf-8"))}
    assert languages == tried_here | tried_in_editors


def test_the_output_is_real(environment: dict[str, str]) -> None:
    command = commands()[0]
    done = shell("bash", command, REPOSITORY, environment)
    assert done.returncode == 1
    compare(r"checked by the tests -->\n```text\n(.*?)```", done.stdout)


def test_the_table_of_codes() -> None:
    rows = ["| code | severity | when |", "|---|---|---|"]
    for rule in all_rules():
        star = "\\*" if rule.preview else ""
        rows.append(f"| [{rule.code}](rules/{rule.code}.md){star} | {rule.severity} | {rule.summary} |")
    if any(rule.preview for rule in all_rules()):
        rows += ["", "\\* off by default: enable it with its full code."]
    compare("<!-- codes -->\n(.*?)<!-- /codes -->", "\n".join(rows) + "\n")


def test_every_linked_page_is_there() -> None:
    text = README.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#:]+)\)", text)
    assert links
    assert [link for link in links if not (REPOSITORY / link).exists()] == []
    headings = {
        re.sub(r"[^\w -]", "", line).strip().lower().replace(" ", "-") for line in re.findall("^#+ (.*)$", text, re.M)
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= headings


def test_a_package_index_gets_addresses_instead_of_paths() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    text = README.read_text(encoding="utf-8")
    for substitution in project["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"]:
        text, count = re.subn(substitution["pattern"], substitution["replacement"], text)
        assert count
    addresses = re.findall(r"\]\(([^)]+)\)", text) + re.findall(r'(?:src|srcset|href)="([^"]+)"', text)
    assert [address for address in addresses if not address.startswith(("https://", "#"))] == []
    assert re.sub(r"https://[\w./-]+/v\$HFPR_VERSION/", "", text) == README.read_text(encoding="utf-8")


def test_the_settings_are_valid_and_complete(tmp_path: Path) -> None:
    (example,) = (block for block in fences("toml") if "[[surface]]" in block)
    (tmp_path / "toolsurface.toml").write_text(example, encoding="utf-8")
    settings = load_settings([str(tmp_path)])
    assert settings.path is not None
    assert [surface.name for surface in settings.surfaces] == ["coder"]
    from toolsurface_lint.project.settings import reading

    text = README.read_text(encoding="utf-8")
    assert [key for key in (*reading.SETTINGS, *reading.SURFACE) if f"`{key}`" not in text] == []
    rows = re.findall(r"^\| (`.*?`) \|", text.partition("| setting | says |")[2].partition("\n\n")[0], re.MULTILINE)
    agent = {key for row in rows[-5:] for key in re.findall("`([^`]+)`", row)}
    assert agent | {"name", "tools", "policy", "approval-policy", "prompts", "transcripts", "templates"} == set(
        reading.SURFACE
    )
    assert "The last five rows hold for all agents" in text
    only = re.search(r"for one \(`([\w-]+)` and `([\w-]+)` only there\)", text)
    assert only is not None
    assert agent - set(reading.SETTINGS) == set(only.groups())


def test_the_python_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = fences("python")
    exec(compile(example, "README.md", "exec"), {})
    assert "warning TOOL_SURFACE_MISSING_SCHEMA read_file" in capsys.readouterr().out


def test_the_suppression_example_suppresses(tmp_path: Path) -> None:
    from toolsurface_lint import check_paths

    (example,) = fences("markdown")
    (tmp_path / "tools.json").write_text('[{"name": "read_file", "input_schema": {}}]', encoding="utf-8")
    paths = [str(tmp_path / "tools.json"), str(tmp_path / "system.md")]

    def codes(text: str) -> list[str]:
        (tmp_path / "system.md").write_text(f"Use `read_file({{}})`.\n{text}", encoding="utf-8")
        report = check_paths(paths)
        return [found.code for found in report.diagnostics if found.code == "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"]

    assert codes(example) == []
    assert codes(example.split("\n", 1)[1]) == ["TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"]


def test_the_workflow_and_the_hook_name_this_version() -> None:
    hook, workflow = (yaml.safe_load(text) for text in fences("yaml"))
    assert hook["repos"][0]["rev"] == f"v{__version__}"
    hooks = yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hook["repos"][0]["hooks"][0]["id"] in [one["id"] for one in hooks]
    repository = hook["repos"][0]["repo"]
    assert rule_pages.URL.startswith(repository)
    steps = workflow["jobs"]["check"]["steps"]
    assert f"pip install git+{repository}@v{__version__}" in [step.get("run") for step in steps]
    written = next(step["run"] for step in steps if "sarif=" in step.get("run", ""))
    assert f"--output sarif={steps[-1]['with']['sarif_file']} " in written


def test_the_command_for_the_tests_is_that_of_the_ci() -> None:
    command = next(command for command in commands() if "pytest" in command)
    assert f"\n{command}\n" in (REPOSITORY / ".ci/run").read_text(encoding="utf-8")
    extras = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    assert {"lsp", "test"} <= set(extras["project"]["optional-dependencies"])


def test_the_formats_are_named() -> None:
    listed = re.search(r"`--output` takes (.*?), with", README.read_text(encoding="utf-8"))
    assert listed is not None
    assert re.findall(r"`(\w+)`", listed.group(1)) == list(FORMATS)


def test_the_session_is_real() -> None:
    import doctest

    (session,) = fences("pycon")
    test = doctest.DocTestParser().get_doctest(session, {}, "README", "README.md", 0)
    assert doctest.DocTestRunner(verbose=False).run(test) == doctest.TestResults(0, 5)
