"""What a folder holds, what is never looked into, and what globs and names say."""

import os
import subprocess
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.project.discovery import Candidate, PathMissing, discover
from toolsurface_lint.project.discovery.globs import MAX_LENGTH, GlobTooLong, covers, matches, written_out
from toolsurface_lint.project.discovery.listing import list_folder
from toolsurface_lint.project.discovery.names import candidate_globs, candidate_kind, lies_in_examples, names_prompt
from toolsurface_lint.project.discovery.paths import display_path, is_below, relative_to
from toolsurface_lint.project.discovery.repositories import repository_root
from toolsurface_lint.project.settings import FileIgnore, Settings, SurfaceSettings


def lay(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}\n", encoding="utf-8")


def git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "protocol.file.allow=always"]
    subprocess.run(["git", "-C", str(root), *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory that lies in no repository."""
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shown(candidates: list[Candidate]) -> list[str]:
    return [candidate.display for candidate in candidates]


def settings(root: Path, **fields: object) -> Settings:
    made = Settings(str(root))
    for name, value in fields.items():
        setattr(made, name, value)
    return made


class TestListFolder:
    def test_lists_every_file_sorted_by_its_whole_path(self, here: Path) -> None:
        lay(here, "b.json", "a/z.md", "a.txt", "a/b/c.bin", ".claude/settings.json")
        assert list_folder(str(here)).names == [".claude/settings.json", "a.txt", "a/b/c.bin", "a/z.md", "b.json"]

    @pytest.mark.parametrize("repository", [False, True])
    def test_never_walks_build_folders_caches_and_environments(self, here: Path, repository: bool) -> None:
        lay(here, "node_modules/x/tools.json", "a/dist/tools.json", "build/tools.json", "a/__pycache__/x.json")
        lay(here, "env/pyvenv.cfg", "env/lib/tools.json", "env.json", "environment/tools.json")
        if repository:
            git(here, "init", "-q")
        assert list_folder(str(here)).names == ["env.json", "environment/tools.json"]

    def test_a_given_environment_is_walked(self, here: Path) -> None:
        lay(here, "env/pyvenv.cfg", "env/tools.json")
        assert list_folder(str(here / "env")).names == ["pyvenv.cfg", "tools.json"]

    @pytest.mark.parametrize("repository", [False, True])
    def test_links_to_folders_are_not_followed_and_what_is_no_file_is_left_out(
        self, here: Path, repository: bool
    ) -> None:
        lay(here, "a/tools.json")
        (here / "a/loop").symlink_to(here, target_is_directory=True)
        (here / "dead.json").symlink_to(here / "nothing.json")
        os.mkfifo(here / "pipe.json")
        if repository:
            git(here, "init", "-q")
        assert list_folder(str(here)).names == ["a/tools.json"]

    def test_in_a_repository_what_git_ignores_is_left_out(self, here: Path) -> None:
        git(here, "init", "-q")
        lay(here, "tracked.json", "new.json", "gone.json", "runs/log.jsonl", "agents/.env.json")
        (here / ".gitignore").write_text("runs/\n.env.json\n", encoding="utf-8")
        git(here, "add", "tracked.json", "gone.json")
        (here / "gone.json").unlink()
        assert list_folder(str(here)).names == [".gitignore", "new.json", "tracked.json"]
        assert list_folder(str(here / "agents")).names == []

    def test_an_ignored_folder_that_is_given_itself_is_walked(self, here: Path) -> None:
        git(here, "init", "-q")
        lay(here, "runs/log.jsonl")
        (here / ".gitignore").write_text("runs/\n", encoding="utf-8")
        assert list_folder(str(here / "runs")).names == ["log.jsonl"]

    def test_a_repository_further_down_speaks_for_itself(self, here: Path) -> None:
        lay(here, "one/tools.json", "one/secret.json", "two.json")
        git(here / "one", "init", "-q")
        (here / "one/.gitignore").write_text("secret.json\n", encoding="utf-8")
        assert list_folder(str(here)).names == ["one/.gitignore", "one/tools.json", "two.json"]
        git(here, "init", "-q")
        assert list_folder(str(here)).names == ["one/.gitignore", "one/tools.json", "two.json"]

    def test_submodules_are_looked_into_whether_they_are_checked_out_or_not(self, here: Path) -> None:
        lay(here, "library/tools.json", "project/own.json")
        for name in ("library", "project"):
            git(here / name, "init", "-q")
            git(here / name, "add", ".")
            git(here / name, "commit", "-qm", "x")
        git(here / "project", "submodule", "add", "-q", str(here / "library"), "sub")
        git(here / "project", "commit", "-qm", "y")
        assert list_folder(str(here / "project")).names == [".gitmodules", "own.json", "sub/tools.json"]
        git(here / "project", "submodule", "--quiet", "deinit", "-f", "sub")
        assert list_folder(str(here / "project")).names == [".gitmodules", "own.json"]
        assert list_folder(str(here / "project/sub")).names == []

    def test_unusual_names_survive(self, here: Path) -> None:
        names = ["new\nline.json", 'quote".json', "\u00e4 \U0001f600.json"]
        lay(here, *names)
        git(here, "init", "-q")
        assert sorted(list_folder(str(here)).names) == sorted(names)

    def test_a_program_named_in_the_repository_is_never_run(self, here: Path) -> None:
        git(here, "init", "-q")
        lay(here, "tools.json")
        hook = here / "hook.sh"
        hook.write_text(f"#!/bin/sh\ntouch {here}/ran\n", encoding="utf-8")
        hook.chmod(0o755)
        git(here, "config", "core.fsmonitor", str(hook))
        assert list_folder(str(here)).names == ["hook.sh", "tools.json"]
        assert not (here / "ran").exists()

    def test_the_variables_of_a_git_hook_do_not_mislead(self, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        lay(here, "one/a.json", "two/b.json")
        git(here / "one", "init", "-q")
        git(here / "two", "init", "-q")
        monkeypatch.setenv("GIT_DIR", str(here / "one/.git"))
        monkeypatch.setenv("GIT_INDEX_FILE", str(here / "one/.git/index"))
        assert list_folder(str(here / "two")).names == ["b.json"]

    def test_without_git_everything_is_listed(self, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        git(here, "init", "-q")
        lay(here, "a.json", "ignored.json")
        (here / ".gitignore").write_text("ignored.json\n", encoding="utf-8")
        monkeypatch.setenv("PATH", str(here / "nowhere"))
        assert list_folder(str(here)).names == [".gitignore", "a.json", "ignored.json"]

    def test_a_folder_that_cannot_be_read_is_told(self, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        lay(here, "open/a.json", "shut/b.json")
        scandir = os.scandir

        def refuse(path: str) -> object:
            if path.rstrip("/").endswith("shut"):
                raise PermissionError(13, "Permission denied")
            return scandir(path)

        monkeypatch.setattr(os, "scandir", refuse)
        assert list_folder(str(here)).names == ["open/a.json"]
        assert discover(["."], settings(here))[1:] == [
            Candidate(str(here / "shut"), "shut", False, "cannot be listed: Permission denied")
        ]


class TestDiscover:
    def test_files_given_and_folders_walked_none_twice_and_in_one_order(self, here: Path) -> None:
        lay(here, "b/y.json", "b/x.md", "b/picture.png", "a.bin", "c.json")
        paths = ["c.json", "./b/y.json", "b", "a.bin", "b/", f"{here}/c.json"]
        found = discover(paths, settings(here))
        assert shown(found) == ["a.bin", "b/x.md", "b/y.json", "c.json"]
        assert [candidate.given for candidate in found] == [True, False, True, True]
        assert found[1].path == str(here / "b/x.md")
        for order in permutations(paths):
            assert discover(order, settings(here)) == found

    def test_paths_outside_the_working_directory_are_shown_as_given(
        self, here: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lay(here, "data/in/x.json")
        (here / "work").mkdir()
        monkeypatch.chdir(here / "work")
        assert shown(discover(["../data"], settings(here))) == ["../data/in/x.json"]
        assert shown(discover([str(here / "data")], settings(here))) == [f"{here}/data/in/x.json"]
        assert shown(discover([str(here / "work")], settings(here))) == []

    def test_a_missing_path_is_an_error(self, here: Path) -> None:
        lay(here, "file.json")
        for path in ("nothing", "file.json/below"):
            with pytest.raises(PathMissing) as caught:
                discover([path], settings(here))
            assert caught.value.path == path
            assert str(caught.value) == f"{path}: no such file or folder"

    def test_names_from_the_settings_are_found_whatever_their_extension(self, here: Path) -> None:
        lay(here, "runs/one.out", "runs/one.log", "agents/tools.list", "other.list")
        surface = SurfaceSettings("coder")
        surface.tools = ("agents/*.list",)
        made = settings(here, kinds={"runs/*.out": "response"}, surfaces=(surface,))
        assert shown(discover(["."], made)) == ["agents/tools.list", "runs/one.out"]
        assert shown(discover(["runs"], made)) == ["runs/one.out"]

    def test_excluded_files_are_not_found_and_marked_when_given(self, here: Path) -> None:
        lay(here, "vendor/a.json", "lib/vendor/b.json", "own.json")
        made = settings(here, exclude=("vendor",))
        assert shown(discover(["."], made)) == ["own.json"]
        assert discover(["vendor/a.json", "own.json"], made) == [
            Candidate(str(here / "own.json"), "own.json", True),
            Candidate(str(here / "vendor/a.json"), "vendor/a.json", True, "excluded"),
        ]

    def test_a_link_to_a_file_that_is_found_itself_adds_nothing(self, here: Path) -> None:
        lay(here, "AGENTS.md", "notes.md", "tools.json")
        (here / "CLAUDE.md").symlink_to("AGENTS.md")
        (here / "more.json").symlink_to("tools.json")
        (here / "GEMINI.md").symlink_to("notes.md")
        # The last one stays: only the link's name says that the notes are a prompt.
        found = discover(["."], settings(here))
        read = [candidate.display for candidate in found if candidate.skip is None]
        assert read == ["AGENTS.md", "GEMINI.md", "notes.md", "tools.json"]
        skipped = {candidate.display: candidate.skip for candidate in found if candidate.skip is not None}
        assert skipped == dict.fromkeys(("CLAUDE.md", "more.json"), "another name of a file that is found")

    def test_one_file_under_several_names_is_read_once(self, here: Path) -> None:
        lay(here, "data/tools.json", "data/notes.md")
        (here / "again").symlink_to("data")
        (here / "notes.md").symlink_to("data/notes.md")
        (here / "one.json").symlink_to("data/tools.json")
        (here / "two.json").symlink_to("one.json")
        paths = [".", "again", "two.json", "one.json", "notes.md"]
        for order in permutations(paths):
            found = discover(order, settings(here))
            read = [(candidate.display, candidate.given) for candidate in found if candidate.skip is None]
            # A link that is named asks for the file.
            assert read == [("data/notes.md", True), ("data/tools.json", True)]
        # Neither of two links is the file's own name.
        read = [each.display for each in discover(["two.json", "one.json"], settings(here)) if each.skip is None]
        assert read == ["one.json"]

    def test_the_settings_may_lie_below_the_folder_that_is_walked(self, here: Path) -> None:
        lay(here, "app/vendor/a.json", "vendor/b.json", "app/x.out")
        made = settings(here / "app", exclude=("vendor",), kinds={"*.out": "response"})
        assert shown(discover(["."], made)) == ["app/x.out", "vendor/b.json"]


class TestRepositoryRoot:
    def test_the_closest_folder_with_git(self, here: Path) -> None:
        lay(here, "outer/inner/deep/x.json")
        git(here / "outer", "init", "-q")
        assert repository_root(str(here / "outer/inner/deep/x.json")) == str(here / "outer")
        assert repository_root(str(here)) is None

    def test_a_worktree_has_a_file_there(self, here: Path) -> None:
        lay(here, "tree/.git", "tree/a/b.json")
        assert repository_root(str(here / "tree/a")) == str(here / "tree")


@pytest.mark.parametrize(
    ("path", "expected"),
    [("a.json", "a.json"), ("./a.json", "a.json"), ("b/../a.json", "a.json"), ("../a.json", "../a.json"), (".", ".")],
)
def test_display_path(here: Path, path: str, expected: str) -> None:
    assert display_path(path) == expected


def test_display_path_of_an_absolute_path(here: Path) -> None:
    assert display_path(str(here / "b" / "a.json")) == "b/a.json"
    # A sibling whose name begins with that of the working directory does not lie below it.
    assert display_path(f"{here}2/a.json") == f"{here}2/a.json"


@pytest.mark.parametrize(
    ("glob", "yes", "no"),
    [
        ("tools.json", ["tools.json"], ["a/tools.json", "tools.json5", "toolsXjson"]),
        ("*.json", ["a.json", ".json", ".x.json"], ["a/b.json", "a.jsonl"]),
        ("a/*.json", ["a/b.json"], ["a/b/c.json", "b.json"]),
        ("a/**/*.py", ["a/x.py", "a/b/x.py", "a/b/c/x.py"], ["x.py", "b/a/x.py", "ab/x.py"]),
        ("**/*.md", ["x.md", "a/x.md"], ["x.txt"]),
        ("**", ["x", "a/b/c"], []),
        ("vendor/**", ["vendor/a", "vendor/a/b"], ["vendor", "a/vendor/b"]),
        ("vendor/", ["vendor/a", "vendor/a/b"], ["vendor"]),
        ("./a/b", ["a/b"], ["./a/b"]),
        ("**/**/**/x", ["x", "a/x", "a/b/c/d/x"], ["a/y"]),
        ("a**b", ["ab", "axb"], ["a/b"]),
        ("?.txt", ["a.txt"], ["ab.txt", "/.txt"]),
        ("[ab]*.md", ["a.md", "bc.md"], ["c.md"]),
        ("[!ab].md", ["c.md"], ["a.md", "/.md"]),
        ("[]x].md", ["].md", "x.md"], ["[.md"]),
        ("[a-c]", ["b"], ["-", "d"]),
        ("[c-a]", [], ["a", "b", "c", "-"]),
        ("[!c-a]", ["b"], ["/"]),
        ("[a--]", [], ["-"]),
        ("[a-]", ["a", "-"], ["b"]),
        ("[]", ["[]"], [""]),
        ("[ab", ["[ab"], ["a"]),
        ("x{a,b/c}y", ["xay", "xb/cy"], ["xby", "xa,b/cy"]),
        ("{a,{b,c}}.md", ["a.md", "b.md", "c.md"], ["d.md"]),
        ("**/{x/**,y}", ["x/1", "a/x/1/2", "y", "a/y"], ["x", "y/1"]),
        ("{a", ["{a"], ["a"]),
        ("{a{b,c}", ["{ab", "{ac"], ["a", "b"]),
        ("{[}],x}", ["}", "x"], ["[", "]"]),
        ("{[}", ["["], ["{[}", "}"]),
        ("[{/,a}]", ["[/]", "[a]"], ["a"]),
        ("{a/,}**/x", ["a/x", "a/b/x", "x", "b/x"], ["a/y"]),
        ("*a*b", ["ab", "aab", "xaybzb"], ["ba", "abx", "a/b"]),
        ("**/a/*/**/b", ["a/x/b", "a/a/x/y/b", "x/a/y/b"], ["a/b", "a/x/c"]),
        ("a}b,c", ["a}b,c"], ["ab"]),
        ("a+(b).md", ["a+(b).md"], ["aab.md"]),
    ],
)
def test_matches(glob: str, yes: list[str], no: list[str]) -> None:
    assert [path for path in yes if not matches(glob, path)] == []
    assert [path for path in no if matches(glob, path)] == []


@pytest.mark.slow
@given(st.text(alphabet="ab*?[]!-{},/.^&~|\\", max_size=12), st.text(alphabet="ab/.", max_size=8))
def test_any_glob_can_be_asked(glob: str, path: str) -> None:
    assert covers(glob, path) or not matches(glob, path)


def expected(glob: str, path: str) -> bool:
    """What a glob of names, stars and braces means, by trying everything."""
    opened = glob.rfind("{")
    if opened >= 0 and (closed := glob.find("}", opened)) >= 0:
        choices = glob[opened + 1 : closed].split(",")
        return any(expected(glob[:opened] + choice + glob[closed + 1 :], path) for choice in choices)
    names = glob.split("/")
    return names_match([*names[:-1], "**"] if names[-1] == "" and len(names) > 1 else names, path.split("/"))


def names_match(globs: list[str], names: list[str]) -> bool:
    if not globs or not names:
        return not globs and not names
    if globs[0] != "**":
        return name_matches(globs[0], names[0]) and names_match(globs[1:], names[1:])
    return globs == ["**"] or names_match(globs[1:], names) or names_match(globs, names[1:])


def name_matches(glob: str, name: str) -> bool:
    if not glob:
        return not name
    if glob[0] == "*":
        return name_matches(glob[1:], name) or (name != "" and name_matches(glob, name[1:]))
    return name != "" and glob[0] in ("?", name[0]) and name_matches(glob[1:], name[1:])


PART = st.sampled_from(
    ["a", "b", "*", "?", "*a", "a*", "*a*b", "**", "{a,b}", "{a*,*b}", "{a/b,*/a}", "{,a}*", "a{b,{a,b}}"]
)
PATH = st.lists(st.text(alphabet="ab", min_size=1, max_size=4), min_size=1, max_size=5).map("/".join)


@pytest.mark.slow
@given(st.lists(PART, min_size=1, max_size=5).map("/".join), PATH)
def test_a_glob_means_what_trying_everything_finds(glob: str, path: str) -> None:
    assert matches(glob, path) == expected(glob, path)
    folders = [path.rsplit("/", cut)[0] for cut in range(path.count("/") + 1)]
    full = glob if "/" in glob else f"**/{glob}"
    assert covers(glob, path) == any(expected(full, folder) for folder in folders)


@pytest.mark.parametrize(
    "glob",
    [
        "*a" * 60 + "*b",
        "*?" * 60 + "b",
        "{a,*a,a*}" * 5 + "b",
        "**/a/" * 60 + "b",
        "**/*a*/" * 60 + "b",
        "**/*/**/" * 30 + "b*",
        "**/{*a,a*}/" * 6 + "b",
        "**/*a*a*a*a*/a/**/**/*a*a*a*a*/a/*b",
    ],
)
def test_no_glob_tries_its_stars_against_one_another(glob: str) -> None:
    """Each of these would go on for longer than anybody waits."""
    for path in ("a" * 250, "a/" * 2000 + "a", "/".join(["a" * 100] * 40)):
        assert not matches(glob, path)
        assert not covers(glob, path)


@pytest.mark.parametrize(
    "glob",
    ["{a,*a,a*}" * 8, "{a,b}" * 5000, "a" * (MAX_LENGTH + 1), "{" * 20_001, "{" * 9_000 + "a,b" * 9_000 + "}" * 9_000],
)
def test_a_glob_that_stands_for_too_much_is_refused(glob: str) -> None:
    for ask in (matches, covers):
        with pytest.raises(GlobTooLong):
            ask(glob, "a")


def test_braces_may_nest_as_deep_as_a_glob_is_long() -> None:
    assert matches("{" * 9_000 + "a,b" + "}" * 9_000, "b")
    assert matches("{" * 9_000 + "a,b}", "{" * 8_999 + "b")


def test_what_braces_stand_for() -> None:
    assert written_out("a{b,c{d,e},}") == ["ab", "acd", "ace", "a"]
    assert written_out("{a,a}{,}") == ["a"]
    assert written_out("{a") == ["{a"]


@given(st.lists(st.text(alphabet="ab-._\U0001f600", min_size=1, max_size=4), min_size=1, max_size=4))
def test_a_glob_without_wildcards_matches_itself_alone(names: list[str]) -> None:
    path = "/".join(name for name in names if name != ".")
    assert matches(path, path)
    assert matches(f"./{path}", path)
    assert not matches(path, path + "x")
    assert not matches(path, "x/" + path)


@pytest.mark.parametrize(
    ("glob", "yes", "no"),
    [
        ("vendor", ["vendor", "vendor/x", "a/vendor/b/c"], ["vendors/x"]),
        ("*.snap", ["a.snap", "x/y/a.snap"], ["a.snapx"]),
        ("a/b", ["a/b", "a/b/c"], ["x/a/b"]),
        ("a/b/", ["a/b/c"], ["a/bc"]),
        ("vendor/**", ["vendor/x/y"], ["a/vendor/x"]),
    ],
)
def test_covers(glob: str, yes: list[str], no: list[str]) -> None:
    assert [path for path in yes if not covers(glob, path)] == []
    assert [path for path in no if covers(glob, path)] == []


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("tools.json", "json"),
        ("TOOLS.JSON", "json"),
        ("settings.jsonc", "json"),
        ("x.snap", "json"),
        ("run.traj", "json"),
        ("log.jsonl", "jsonl"),
        ("log.ndjson", "jsonl"),
        ("a.yml", "yaml"),
        ("a.toml", "toml"),
        ("a/b.md", "markdown"),
        ("rule.mdc", "markdown"),
        ("x.harn.prompt", "markdown"),
        ("x.prompty", "markdown"),
        ("system.j2", "text"),
        ("notes.txt", "text"),
        ("server.py", "python"),
        ("a.json/b", None),
        ("Makefile", "shell"),
        ("picture.png", None),
        ("x.code-workspace", None),
    ],
)
def test_candidate_kind(name: str, kind: str | None) -> None:
    assert candidate_kind(name) == kind


@pytest.mark.parametrize(
    "path",
    [
        "agents/coder/prompts/system.md",
        "prompts/deep/er/any.txt",
        "prompts/review.j2",
        "review.prompt.md",
        "x.prompt",
        "x.prompty",
        "system.md",
        "system_message.md",
        "my_system_prompt.txt",
        "review-prompt.md",
        "skills/pdf/SKILL.md",
        "AGENTS.md",
        "sub/AGENT.md",
        "sub/CLAUDE.md",
        "GEMINI.md",
        "agents/reviewer.md",
        ".claude/agents/reviewer.md",
        ".claude/commands/git/commit.md",
        "skills/archive/SKILL.md",
        "docs.agent.md",
        "plan.chatmode.md",
        "chatmodes/plan.md",
        ".github/copilot-instructions.md",
        ".github/instructions/python.instructions.md",
        "instructions.md",
        "specs/AGENTS.md",
        ".cursor/rules/style.mdc",
        ".cursorrules",
    ],
)
def test_names_of_prompts(path: str) -> None:
    assert names_prompt(path)


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "prompts/README.md",
        "prompts/LICENSE.txt",
        "docs/guide.md",
        "docs/reference/agent.md",
        "docs/agents/memory.md",
        "docs/guide/Agents/tools.md",
        "agents/coder/notes.md",
        "requirements.txt",
        "commands/commit.md",
        "ecosystem.md",
        "prompts/data.json",
        "prompts/build.py",
        "prompt/guide.md",
        "specs/add-system-prompt.md",
        "server/plans/prompt.md",
        "tests/snapshots/system_prompt.md",
        "library/unit_tests/smoke/__snapshots__/system_prompt.md",
        "archive/2025/system_prompt.md",
        "docs/archived/prompts/reader.md",
    ],
)
def test_names_of_other_files(path: str) -> None:
    assert not names_prompt(path)


@pytest.mark.parametrize(
    "folder", ["examples", "docs", "docs_src", "docs/first-steps", "example_servers", "mcp-examples"]
)
def test_folders_of_examples(folder: str) -> None:
    assert lies_in_examples(f"{folder}/server.py")


@pytest.mark.parametrize("folder", ["src", "documents", "src/sample", "doctor"])
def test_folders_of_programs(folder: str) -> None:
    assert not lies_in_examples(f"{folder}/server.py")


def test_a_file_ignore_unpacks_like_a_row() -> None:
    assert FileIgnore("vendor/**", ("TOOL_SCHEMA",)) == ("vendor/**", ("TOOL_SCHEMA",), None, None, None)


@pytest.mark.parametrize(
    ("path", "folder", "relative"),
    [
        ("/a/b/c.json", "/a/b", "c.json"),
        ("/a/b/c/d.json", "/a/b", "c/d.json"),
        ("/a/b", "/a/b", "."),
        ("/a/b", "/", "a/b"),
        ("/", "/", "."),
        ("/a/bc/d.json", "/a/b", None),
        ("/a", "/a/b", None),
    ],
)
def test_what_lies_below_a_folder(path: str, folder: str, relative: str | None) -> None:
    assert relative_to(path, folder) == relative
    assert is_below(path, folder) is (relative is not None)


NAMES = st.text("aA.d-", max_size=4)
KNOWN = st.sampled_from(
    [
        "Dockerfile",
        "dockerfile",
        "Makefile",
        "Containerfile",
        "justfile",
        ".cs",
        ".sh",
        ".gguf",
        ".d.ts",
        "toolsurface.lock",
    ]
)


@given(st.text("aA-", max_size=4), KNOWN, NAMES)
def test_the_globs_are_those_of_the_files_that_have_a_kind(before: str, known: str, after: str) -> None:
    path = f"a/{before}{known}{after}"
    assert any(matches(glob, path) for glob in candidate_globs()) == (candidate_kind(path) is not None)
