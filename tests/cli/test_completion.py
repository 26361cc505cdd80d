"""Completion: what the program answers, and click's scripts in real shells, each skipped where it is not installed."""

import os
import pty
import shlex
import subprocess
from pathlib import Path

import click
import pytest
from click.shell_completion import CompletionItem, get_completion_class

from tests.files import install_linter, needs
from toolsurface_lint.checks.index import RULES
from toolsurface_lint.cli.command_table import COMMANDS, SHELLS, Command
from toolsurface_lint.cli.commands import PROGRAM, program
from toolsurface_lint.cli.options import COMPLETION, FLAG, OPTIONAL, SWITCH, Parameter

pytestmark = pytest.mark.slow

NAMES = ["TOOL_NAME_INVALID", "TOOL_NAME_RESERVED", "TOOL_NAME_VAGUE"]


def completion(shell: str) -> click.shell_completion.ShellComplete:
    return get_completion_class(shell)(program, {}, PROGRAM, COMPLETION)


def items(*words: str) -> list[CompletionItem]:
    return completion("fish").get_completions(list(words[:-1]), words[-1])


def offered(*words: str) -> list[str]:
    """What completion makes of the last word: the whole words that it may become."""
    return [item.value for item in items(*words)]


def options(command: Command) -> list[Parameter]:
    return [parameter for parameter in command.parameters if parameter.flags[0].startswith("--")]


class TestAnswer:
    def test_commands(self):
        assert sorted(offered("")) == sorted(command.name for command in COMMANDS)
        assert sorted(offered("co")) == ["compare", "completion", "config"]
        assert offered("--v") == ["--version"]

    @pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
    def test_every_flag_that_click_knows(self, command):
        known = {flag for one in program.commands[command.name].params for flag in (*one.opts, *one.secondary_opts)}
        assert set(offered(command.name, "--")) == {flag for flag in known if flag.startswith("--")}

    @pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
    def test_every_choice(self, command):
        for option in (option for option in options(command) if option.choices):
            assert offered(command.name, option.flags[0], "") == list(option.choices)
            assert offered(command.name, f"{option.flags[0]}=") == [
                f"{option.flags[0]}={choice}" for choice in option.choices
            ]

    def test_every_value_has_an_answer_or_is_free_text(self):
        free = {
            option.flags[0]
            for command in COMMANDS
            for option in options(command)
            if option.form not in (FLAG, SWITCH, OPTIONAL) and not option.choices and option.offers is None
        }
        of_snapshot = {"--env", "--name", "--timeout", "--url"}
        # Its own formats, beside those of a report.
        of_dataset = {"--map", "--output", "--ray", "--sample", "--shard"}
        assert free == {
            "--done-sentinel",
            "--jobs",
            "--model",
            "--sarif-category",
            "--argument-of",
            "--update",
            *of_snapshot,
            *of_dataset,
        }

    def test_codes(self):
        assert offered("rule", "TOOL_NAME_") == NAMES
        assert offered("check", "--select", "") == [*RULES, "ALL", "guidance"]
        assert offered("check", "--ignore", "TOOL_NAME_") == NAMES
        assert offered("check", "--extend-select=TOOL_NAME_V") == ["--extend-select=TOOL_NAME_VAGUE"]

    def test_codes_after_a_comma_are_those_not_named_yet(self):
        head = "CALL_DENIED,TOOL_NAME_INVALID,"
        assert offered("check", "--select", f"{head}TOOL_NAME_") == [head + name for name in NAMES[1:]]
        assert offered("check", f"--select={head}TOOL_NAME_V") == [f"--select={head}TOOL_NAME_VAGUE"]

    def test_formats_and_their_files(self):
        assert offered("check", "--output", "s") == ["sarif", "stats"]
        assert offered("surface", "--output", "") == ["text", "json", "html"]
        assert [(item.type, item.value) for item in items("check", "--output", "sarif=out")] == [("file", "out")]

    def test_providers(self):
        assert offered("check", "--provider", "anth") == ["anthropic"]
        assert offered("check", "--provider", "openai,anth") == ["openai,anthropic"]
        assert offered("check", "--provider", "gemini,gemini-c") == ["gemini,gemini-cli"]

    @pytest.mark.parametrize(
        ("words", "paths"),
        [
            (("check", ""), "file"),
            (("check", "a.json", "b"), "file"),
            (("check", "--isolated", ""), "file"),
            (("check", "--", "-"), "file"),
            (("check", "--add-suppressions", ""), "file"),
            (("check", "--config", ""), "file"),
            (("check", "--baseline", "x"), "file"),
            (("init", ""), "dir"),
            (("init", "a", ""), None),
            (("rule", "TOOL_NAME_INVALID", ""), None),
            (("check", "--model", ""), None),
            (("server", ""), None),
        ],
    )
    def test_paths(self, words, paths):
        assert [item.type for item in items(*words)] == ([] if paths is None else [paths])

    def test_an_option_that_takes_one_value_is_offered_once(self):
        assert "--config" not in offered("check", "--config", "x.toml", "-")
        assert "--no-tool-search" not in offered("check", "--tool-search", "--")
        assert "--select" in offered("check", "--select", "ALL", "--")
        # The value of an option is no option.
        assert "--isolated" in offered("check", "--done-sentinel", "--isolated", "--")

    def test_what_is_unknown(self):
        assert offered("chek", "") == offered("")
        assert offered("check", "--nothing=") == ["--nothing="]
        assert offered("rule", "X") == []

    def test_descriptions_are_for_shells_that_show_them(self):
        vague = items("rule", "TOOL_NAME_V")[0]
        text = "A tool's name says nothing about its effects"
        assert completion("fish").format_completion(vague) == f"plain,TOOL_NAME_VAGUE\t{text}"
        assert completion("zsh").format_completion(vague) == f"plain\nTOOL_NAME_VAGUE\n{text}"
        assert completion("bash").format_completion(vague) == "plain,TOOL_NAME_VAGUE"


@pytest.mark.parametrize("shell", SHELLS)
def test_the_command_prints_the_script(run, shell):
    done = run("completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == completion(shell).source()
    assert f"{COMPLETION}={shell}_complete" in done.stdout


def test_an_unknown_shell(run):
    done = run("completion", "fsh")
    assert (done.returncode, done.stdout) == (2, "")
    assert "unknown value `fsh`, did you mean `fish`?" in done.stderr


@pytest.fixture
def place(folder: Path, environment: dict[str, str]) -> tuple[Path, dict[str, str]]:
    """A folder with the scripts, a folder and a file, and an environment in which the program is on the path."""
    for shell in SHELLS:
        (folder / f"script.{shell}").write_text(completion(shell).source(), encoding="utf-8")
    (folder / "inside").mkdir()
    path = f"{install_linter(folder / 'bin')}:{environment['PATH']}"
    return folder, {**environment, "PATH": path, "HOME": str(folder)}


def in_bash(place, *words: str) -> list[str]:
    """The replies of the function for the words of a command line, as readline splits them; `<...>` is what it leaves to it."""
    folder, environment = place
    program = """
source script.bash
compopt() { COMPREPLY=("<$2>"); }
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_toolsurface_lint_completion "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""
    command = [needs("bash"), "--norc", "--noprofile", "-c", program, "bash", *words]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == ""
    return done.stdout.split("\n")[:-1]


def in_fish(place, line: str) -> list[str]:
    folder, environment = place
    command = [needs("fish"), "--no-config", "-c", 'source script.fish; complete -C "$argv[1]"', line]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == ""
    return [line.split("\t")[0] for line in done.stdout.splitlines()]


# What is added to the list of matches is said before it is added.
ZSH = r"""
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1= PS2= PROMPT_SP=; unset zle_bracketed_paste; autoload -Uz compinit && compinit -D -u; source script.zsh'
zpty -w shell 'compadd() {
  [[ ${(M)@:#-[a-zA-Z]#[OAD]} ]] && { builtin compadd "$@"; return }
  local -a hits; builtin compadd -A hits "$@"
  (( $#hits )) && printf "<%s>" $IPREFIX$^hits
  builtin compadd "$@" }'
zpty -w shell 'say() { printf "{{{"; zle complete-word; printf "}}}" }; zle -N say; bindkey "^I" say; echo REA""DY'
zpty -r shell output '*READY*'
zpty -n -w shell "$1"$'\t'
zpty -r shell output '*}}}*'
print -r -- ${output##*\{\{\{}
"""


def in_zsh(place, line: str) -> list[str]:
    folder, environment = place
    command = [needs("zsh"), "-f", "-c", ZSH, "zsh", line]
    done = subprocess.run(
        command,
        cwd=folder,
        env={**environment, "TERM": "xterm"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return [part.split(">")[0] for part in done.stdout.split("<")[1:]]


LINES = {
    "toolsurface-lint ": sorted(command.name for command in COMMANDS),
    "toolsurface-lint check --sel": ["--select"],
    "toolsurface-lint check --output s": ["sarif", "stats"],
    "toolsurface-lint check tools.json --fail-on ": ["error", "warning", "info", "never"],
    "toolsurface-lint check --kind t": ["tools", "template", "transcript"],
    "toolsurface-lint check --protocol ta": ["tagged"],
    "toolsurface-lint check --protocol qwen3_": ["qwen3_coder", "qwen3_json", "qwen3_xml"],
    "toolsurface-lint check --provider anth": ["anthropic"],
    "toolsurface-lint rule TOOL_NAME_": NAMES,
    "toolsurface-lint completion ": list(SHELLS),
    "toolsurface-lint init ": ["bin/", "inside/"],
    "toolsurface-lint check --model ": [],
}
JOINED = {
    "toolsurface-lint check --output=s": ["--output=sarif", "--output=stats"],
    "toolsurface-lint check --ignore=TOOL_NAME_V": ["--ignore=TOOL_NAME_VAGUE"],
    "toolsurface-lint check too": ["tools.json"],
    "bin/toolsurface-lint check --out": ["--output"],
}
LISTED = {
    "toolsurface-lint check --select CALL_DENIED,TOOL_NAME_": [f"CALL_DENIED,{name}" for name in NAMES],
    "toolsurface-lint check --ignore=TOOL_NAME_INVALID,TOOL_NAME_V": ["--ignore=TOOL_NAME_INVALID,TOOL_NAME_VAGUE"],
}
"""Lists of codes: click's script for fish cuts candidates at commas."""


class TestBash:
    @pytest.mark.parametrize("line", LINES)
    def test_a_line(self, place, line):
        expected = {"toolsurface-lint init ": ["<dirnames>"]}.get(line, LINES[line] or [""])
        assert sorted(in_bash(place, *line.split(" "))) == sorted(expected)

    @pytest.mark.parametrize(
        ("words", "replies"),
        [
            (("--output", "="), ["text", "concise", "json"]),
            (("--output", "=", "s"), ["sarif", "stats"]),
            (("--ignore", "=", "CALL_DENIED,TOOL_NAME_"), [f"CALL_DENIED,{name}" for name in NAMES]),
        ],
    )
    def test_words_that_readline_breaks(self, place, words, replies):
        assert in_bash(place, "toolsurface-lint", "check", *words)[: len(replies)] == replies

    def test_paths_are_left_to_readline(self, place):
        assert in_bash(place, "toolsurface-lint", "check", "too") == ["<default>"]
        assert in_bash(place, "toolsurface-lint", "check", "--output", "sarif", "=", "out") == ["<default>"]

    @pytest.mark.parametrize(
        ("typed", "line"),
        [
            ("check --sel\t", "check --select "),
            ("check --ignore=TOOL_NAME_V\t", "check --ignore=TOOL_NAME_VAGUE "),
            ("check --ignore CALL_DENIED,TOOL_NAME_V\t", "check --ignore CALL_DENIED,TOOL_NAME_VAGUE "),
            ("check --output=js\t", "check --output=json "),
            ("check --output sarif=sys\t", "check --output sarif=system.md "),
            ("check too\t", "check tools.json "),
            ("check 'with sp\t", "check 'with space.json' "),
            ("init ins\t", "init inside/"),
        ],
    )
    def test_in_readline(self, place, typed, line):
        folder, environment = place
        (folder / "with space.json").write_text("[]", encoding="utf-8")
        (folder / "rc").write_text("PS1='> '; source script.bash; echo READY\n", encoding="utf-8")
        controller, terminal = pty.openpty()
        process = subprocess.Popen(
            [needs("bash"), "--noprofile", "--rcfile", "rc", "-i"],
            cwd=folder,
            env={**environment, "TERM": "dumb"},
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            start_new_session=True,
        )
        os.close(terminal)
        try:
            seen = b""
            while b"READY" not in seen:
                seen += os.read(controller, 10_000)
            # The line is told by a command of its own, whatever the terminal shows: Ctrl-A goes to its start.
            os.write(controller, f"toolsurface-lint {typed}\x01printf '<%s>' \x05; echo DO''NE\n".encode())
            while b"DONE" not in seen:
                seen += os.read(controller, 10_000)
        finally:
            process.kill()
            process.wait()
            os.close(controller)
        words = seen.decode().rsplit("\n<", 1)[1].split(">DONE")[0].split("><")
        assert words == ["toolsurface-lint", *shlex.split(line)]


class TestFish:
    @pytest.mark.parametrize("line", LINES | JOINED)
    def test_a_line(self, place, line):
        assert sorted(in_fish(place, line)) == sorted((LINES | JOINED)[line])


class TestZsh:
    @pytest.mark.parametrize("line", LINES | JOINED | LISTED)
    def test_a_line(self, place, line):
        found = [word if "=" in word else word.rstrip("/") for word in (LINES | JOINED | LISTED)[line]]
        assert list(dict.fromkeys(in_zsh(place, line))) == found

    def test_as_a_file_on_the_path_of_functions(self, place):
        (place[0] / "functions").mkdir()
        (place[0] / "script.zsh").rename(place[0] / "functions/_toolsurface-lint")
        (place[0] / "script.zsh").write_text("fpath+=($PWD/functions); compinit -D -u\n", encoding="utf-8")
        assert in_zsh(place, "toolsurface-lint che") == ["check"]
