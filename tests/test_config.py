"""Settings: where they are found, what they may say, where errors point, and which rules stay enabled."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.checks import index
from toolsurface_lint.model.diagnostics import Rule
from toolsurface_lint.project.roles import target_of
from toolsurface_lint.project.settings import FileIgnore, Settings, SettingsError
from toolsurface_lint.project.settings.loading import load_settings, override
from toolsurface_lint.project.settings.selection import Selection, names_code, split_codes
from toolsurface_lint.protocols import recognition
from toolsurface_lint.protocols.choosing import protocol_names

CODES = frozenset(
    ("INTERNAL_ERROR", "TOOL_SCHEMA_INVALID", "TOOL_SCHEMA_DEPTH", "TOOL_SCHEMATIC", "TOOL_NAME", "POLICY_INVALID")
)


@pytest.fixture(autouse=True)
def known_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "RULES", dict.fromkeys(CODES, rule("ANY")))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


PROTOCOLS = "it must be tagged, fenced-json, or the parser of a model's raw output, such as hermes"


def read(folder: Path, text: str) -> Settings:
    put(folder / "toolsurface.toml", text)
    return load_settings(["."])


def error(folder: Path, text: str) -> SettingsError:
    with pytest.raises(SettingsError) as caught:
        read(folder, text)
    return caught.value


class TestWhere:
    def test_without_a_file_everything_has_its_default(self, here: Path) -> None:
        settings = load_settings([])
        assert settings.path is None
        assert settings.root == str(here)
        assert (settings.fail_on, settings.select, settings.extend_select, settings.ignore) == ("error", None, (), ())
        assert (settings.severity, settings.surfaces, settings.per_file_ignores) == ({}, (), ())
        assert (settings.kinds, settings.exclude, settings.max_file_size) == ({}, (), 67_108_864)
        assert (settings.protocol, settings.done_sentinel, settings.model, settings.provider) == (None,) * 4
        assert settings.tool_search is None
        assert settings.named_globs() == ()

    def test_the_own_file_wins_in_one_folder_and_the_closer_folder_wins_over_it(self, here: Path) -> None:
        put(here / ".git/HEAD")
        own = put(here / "toolsurface.toml", 'fail-on = "info"')
        put(here / "pyproject.toml", '[tool.toolsurface-lint]\nfail-on = "never"')
        assert (load_settings(["."]).fail_on, load_settings(["."]).path) == ("info", str(own))
        put(here / "sub/pyproject.toml", '[tool.toolsurface-lint]\nfail-on = "warning"')
        put(here / "sub/deep/tools.json")
        closer = load_settings(["sub/deep/tools.json"])
        assert (closer.fail_on, closer.root) == ("warning", str(here / "sub"))

    def test_a_project_file_without_our_table_is_passed_by_even_if_it_is_broken(self, here: Path) -> None:
        put(here / ".git/HEAD")
        put(here / "toolsurface.toml", 'fail-on = "info"')
        put(here / "a/pyproject.toml", "[project\n")
        put(here / "b/pyproject.toml", '[project]\ndependencies = ["toolsurface-lint"]\n')
        assert load_settings(["a"]).fail_on == "info"
        assert load_settings(["b"]).fail_on == "info"

    def test_several_paths_start_at_the_folder_that_they_share(self, here: Path) -> None:
        put(here / ".git/HEAD")
        put(here / "a/toolsurface.toml", 'fail-on = "info"')
        put(here / "a/x/toolsurface.toml", 'fail-on = "never"')
        for name in ("a/x/1.json", "a/y/2.json", "b/3.json"):
            put(here / name)
        assert load_settings(["a/x/1.json", "a/y/2.json"]).fail_on == "info"
        assert load_settings(["a/x/1.json", "b/3.json"]).fail_on == "error"

    def test_nothing_above_the_repository_is_read(self, here: Path) -> None:
        put(here / "toolsurface.toml", 'fail-on = "info"')
        put(here / "repository/.git/HEAD")
        put(here / "repository/a/tools.json")
        settings = load_settings(["repository/a"])
        assert (settings.path, settings.root) == (None, str(here / "repository"))

    def test_outside_a_repository_the_working_directory_is_the_last(
        self, here: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put(here / "toolsurface.toml", 'fail-on = "info"')
        put(here / "work/toolsurface.toml", 'fail-on = "warning"')
        put(here / "work/a/b/tools.json")
        put(here / "other/a/tools.json")
        monkeypatch.chdir(here / "work/a")
        assert load_settings(["b"]).fail_on == "error"
        monkeypatch.chdir(here / "work")
        assert load_settings(["a/b"]).fail_on == "warning"
        # What lies elsewhere is asked for itself alone.
        assert load_settings(["../other/a"]).root == str(here / "other/a")

    def test_a_file_that_does_not_exist_yet_counts_by_its_folder(self, here: Path) -> None:
        put(here / "a/toolsurface.toml", 'fail-on = "info"')
        assert load_settings(["a/new.json"]).fail_on == "info"

    def test_a_given_settings_file_wins_whatever_its_name(self, here: Path) -> None:
        put(here / "toolsurface.toml", 'fail-on = "info"')
        put(here / "ci/strict.toml", 'fail-on = "warning"')
        settings = load_settings(["."], "ci/strict.toml")
        assert (settings.fail_on, settings.root) == ("warning", str(here / "ci"))
        put(here / "ci/pyproject.toml", "[project]\n")
        assert load_settings(["."], "ci/pyproject.toml").root == str(here / "ci")

    def test_isolated_reads_nothing(self, here: Path) -> None:
        put(here / "toolsurface.toml", "this is no TOML")
        assert load_settings(["."], isolated=True).path is None

    def test_a_given_settings_file_must_be_there(self, here: Path) -> None:
        with pytest.raises(SettingsError) as caught:
            load_settings(["."], "nothing.toml")
        assert str(caught.value) == "cannot read the settings file nothing.toml: No such file or directory"
        assert caught.value.path is None


class TestValues:
    def test_every_setting(self, here: Path) -> None:
        settings = read(
            here,
            """
            fail-on = "warning"
            select = ["TOOL_SCHEMA", "POLICY_INVALID"]
            extend-select = "TOOL_NAME"
            ignore = ["TOOL_SCHEMA_DEPTH"]
            exclude = ["vendor", "**/*.snap"]
            max-file-size = 1000
            protocol = "tagged"
            done-sentinel = ""
            model = "m"
            provider = "openai"
            tool-search = true
            kinds = {"runs/*.txt" = "response", "x.json" = "approval-policy"}

            [severity]
            TOOL_NAME = "off"
            POLICY_INVALID = "info"

            [[per-file-ignores]]
            path = "vendor/**"
            codes = ["TOOL_SCHEMA", "ALL"]

            [[per-file-ignores]]
            path = "tools.json"
            codes = "TOOL_NAME"
            pointer = "/tools/0"
            """,
        )
        assert settings.fail_on == "warning"
        assert settings.select == ("TOOL_SCHEMA", "POLICY_INVALID")
        assert settings.extend_select == ("TOOL_NAME",)
        assert settings.ignore == ("TOOL_SCHEMA_DEPTH",)
        assert settings.exclude == ("vendor", "**/*.snap")
        assert settings.max_file_size == 1000
        assert (settings.protocol, settings.done_sentinel, settings.model, settings.provider) == (
            "tagged",
            "",
            "m",
            ("openai",),
        )
        assert settings.tool_search is True
        assert settings.kinds == {"runs/*.txt": "response", "x.json": "approval-policy"}
        assert settings.severity == {"TOOL_NAME": "off", "POLICY_INVALID": "info"}
        assert settings.per_file_ignores == (
            FileIgnore("vendor/**", ("TOOL_SCHEMA", "ALL"), None),
            FileIgnore("tools.json", ("TOOL_NAME",), "/tools/0"),
        )

    def test_surfaces_have_their_own_values_or_those_of_the_whole(self, here: Path) -> None:
        settings = read(
            here,
            """
            protocol = "fenced-json"
            tool-search = true
            model = "everywhere"

            [[surface]]
            name = "coder"
            tools = ["a/*.json", "b/**/*.py"]
            policy = "policy.toml"
            approval-policy = ["approval.yaml"]
            prompts = "prompts/**"
            transcripts = "runs/*.jsonl"
            templates = "x.harn.prompt"
            protocol = "tagged"
            done-sentinel = ""
            tool-search = false
            wire-remap = true

            [[surface]]
            name = "other"
            """,
        )
        coder, other = settings.surfaces
        assert (coder.name, coder.tools, coder.policy) == ("coder", ("a/*.json", "b/**/*.py"), ("policy.toml",))
        assert (coder.approval_policy, coder.prompts) == (("approval.yaml",), ("prompts/**",))
        assert (coder.transcripts, coder.templates) == (("runs/*.jsonl",), ("x.harn.prompt",))
        assert (coder.protocol, coder.done_sentinel, coder.tool_search) == ("tagged", "", False)
        assert (coder.model, coder.provider, coder.wire_remap) == ("everywhere", None, True)
        assert (other.protocol, other.done_sentinel, other.tool_search) == ("fenced-json", None, True)
        assert (other.tools, other.wire_remap) == ((), None)
        assert settings.named_globs() == (*coder.globs, *other.globs)
        assert len(coder.globs) == 7

    def test_how_many_tools_and_tokens_there_may_be(self, here: Path) -> None:
        text = """
            many-tools = 20
            context-budget = 4000
            [[surface]]
            name = "coder"
            many-tools = 5
            [[surface]]
            name = "other"
            context-budget = 100
            """
        settings = read(here, text)
        coder, other = settings.surfaces
        assert (settings.many_tools, settings.context_budget) == (20, 4000)
        assert (coder.many_tools, coder.context_budget) == (5, 4000)
        assert (other.many_tools, other.context_budget) == (20, 100)
        assert (Settings(str(here)).many_tools, Settings(str(here)).context_budget) == (None, None)

    def test_a_surface_may_have_no_model_although_the_others_have(self, here: Path) -> None:
        settings = read(here, 'model = "a"\nprovider = "openai"\n[[surface]]\nname = "x"\nmodel = ""\nprovider = ""\n')
        target = target_of(settings, settings.surfaces[0])
        assert (target.model, target.providers) == ("", ())

    def test_the_command_line_wins_over_every_surface(self, here: Path) -> None:
        settings = read(here, 'model = "a"\n[[surface]]\nname = "x"\nprotocol = "tagged"\ntool-search = true\n')
        override(settings, protocol="fenced-json", tool_search=False, done_sentinel="", model=None)
        for holder in (settings, settings.surfaces[0]):
            assert (holder.protocol, holder.tool_search, holder.done_sentinel) == ("fenced-json", False, "")
            assert (holder.model, holder.provider) == ("a", None)

    def test_a_byte_order_mark_and_crlf_are_no_harm(self, here: Path) -> None:
        (here / "toolsurface.toml").write_bytes(b'\xef\xbb\xbffail-on = "info"\r\nignore = []\r\n')
        assert load_settings(["."]).fail_on == "info"


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ('fail_on = "info"', 1, 1, "unknown setting `fail_on`, did you mean `fail-on`?"),
        ("\n  zebra = 1", 2, 3, "unknown setting `zebra`"),
        ("fail-on = 1", 1, 11, '`fail-on` must be "error", "warning", "info" or "never"'),
        (
            'fail-on = "warnings"',
            1,
            11,
            '`fail-on` must be "error", "warning", "info" or "never", did you mean `warning`?',
        ),
        ("select = 1", 1, 10, "`select` must be a string or an array of strings"),
        ('ignore = [\n"TOOL_NAME",\n 2]', 3, 2, "each item of `ignore` must be a string"),
        (
            'ignore = ["TOOL_NAME", "TOOL_NAMES"]',
            1,
            24,
            "unknown code or prefix `TOOL_NAMES`, did you mean `TOOL_NAME`?",
        ),
        ('ignore = "TOOL_SCH"', 1, 10, "unknown code or prefix `TOOL_SCH`, did you mean `TOOL_SCHEMA`?"),
        ("severity = 1", 1, 12, "`severity` must be a table"),
        ('[severity]\nTOOL_SCHEMA = "info"', 2, 1, "unknown code `TOOL_SCHEMA`, did you mean `TOOL_SCHEMATIC`?"),
        ('[severity]\nTOOL_NAME = "hint"', 2, 13, '`TOOL_NAME` must be "error", "warning", "info" or "off"'),
        ("max-file-size = 0", 1, 17, "`max-file-size` must be a number of bytes above 0"),
        ("max-file-size = true", 1, 17, "`max-file-size` must be a number of bytes above 0"),
        ("many-tools = 0", 1, 14, "`many-tools` must be a number of tools above 0"),
        ('context-budget = "1k"', 1, 18, "`context-budget` must be a number of tokens above 0"),
        ('[[surface]]\nname = "x"\nmany-tools = -1', 3, 14, "`many-tools` must be a number of tools above 0"),
        ('protocol = "tag"', 1, 12, f"unknown protocol `tag`: {PROTOCOLS}"),
        ("tool-search = 1", 1, 15, "`tool-search` must be true or false"),
        ("[surface]", 1, 1, "`surface` must be an array of tables, written [[surface]]"),
        ("[[surface]]\ntools = []", 1, 1, "each item of `surface` needs a `name`"),
        ('[[surface]]\nname = "x"\ntols = []', 3, 1, "unknown setting `tols`, did you mean `tools`?"),
        ('[[surface]]\nname = "x"\nprompt = []', 3, 1, "unknown setting `prompt`, did you mean `prompts`?"),
        ('[[surface]]\nname = "x"\n[[surface]]\nname = "x"', 4, 8, "a second surface named `x`"),
        ('[[per-file-ignores]]\npath = "x"', 1, 1, "each item of `per-file-ignores` needs a `codes`"),
        (
            '[[per-file-ignores]]\npath = "x"\ncodes = "ALL"\npointer = "tools"',
            4,
            11,
            "`pointer` must be a JSON pointer, which is empty or begins with `/`",
        ),
        (
            '[[per-file-ignores]]\npath = "x"\ncodes = "ALL"\nuntil = 2030-02-28T12:00:00',
            4,
            9,
            "`until` must be a day, written YYYY-MM-DD",
        ),
        (
            '[[per-file-ignores]]\npath = "x"\ncodes = "ALL"\nuntil = "2030-02-31"',
            4,
            9,
            "`until` must be a day, written YYYY-MM-DD",
        ),
        (
            '[kinds]\n"x" = "tool"',
            2,
            7,
            (
                '`x` must be "tools", "policy", "approval-policy", "surface", "workflow", "prompt", "template", '
                '"chat-template", "response" or "transcript", did you mean `tools`?'
            ),
        ),
    ],
)
def test_errors_point_at_what_is_wrong(here: Path, text: str, line: int, column: int, message: str) -> None:
    found = error(here, text)
    assert (found.path, found.line, found.column, found.message) == ("toolsurface.toml", line, column, message)
    assert str(found) == f"toolsurface.toml:{line}:{column}: {message}"


BRACES = "{a,*a,a*}" * 8


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        (f'exclude = ["a", "{BRACES}"]', 1, 17),
        (f'exclude = "{BRACES}"', 1, 11),
        (f'kinds = {{ "{BRACES}" = "prompt" }}', 1, 11),
        (f'[[per-file-ignores]]\npath = "{BRACES}"\ncodes = ["TOOL_NAME"]', 2, 8),
        *(
            (f'[[surface]]\nname = "a"\n{key} = ["{BRACES}"]', 3, len(key) + 5)
            for key in ("tools", "policy", "approval-policy", "prompts", "transcripts", "templates")
        ),
    ],
)
def test_a_glob_whose_braces_stand_for_too_much_is_an_error(here: Path, text: str, line: int, column: int) -> None:
    found = error(here, text)
    assert (found.line, found.column) == (line, column)
    limit = "has more than 20,000 characters once its braces are expanded"
    assert found.message == f"the glob `{BRACES[:60]}…` {limit}"


def test_all_globs_together_have_a_bound(here: Path) -> None:
    globs = [f"{number}/{{{'a' * 4_000},{'b' * 4_000}}}" for number in range(30)]
    assert error(here, f"exclude = {globs}").message == (
        "the globs have more than 200,000 characters once their braces are expanded"
    )
    assert len(read(here, f"exclude = {globs[:24]}").exclude) == 24


@pytest.mark.parametrize("glob", ["{" * 15_000, "{" * 3_000 + "a" + "}" * 3_000, "[" * 6_000, "[/" * 4_000 + "]"])
def test_strange_globs_are_read(here: Path, glob: str) -> None:
    assert read(here, f'exclude = ["{glob}"]').exclude == (glob,)


@pytest.mark.parametrize(
    ("text", "line", "column", "name"),
    [
        ("[tool.toolsurface-lint]\nignore = []", 1, 7, "tool.toolsurface-lint"),
        ("\n[tool.toolsurface-lint.severity]", 2, 7, "tool.toolsurface-lint"),
        ("[toolsurface-lint]\nignore = []", 1, 2, "toolsurface-lint"),
    ],
)
def test_the_table_of_a_project_file_is_refused_in_our_own(
    here: Path, text: str, line: int, column: int, name: str
) -> None:
    put(here / "toolsurface.toml", text)
    with pytest.raises(SettingsError) as caught:
        load_settings(["."])
    said = f"the table `{name}` is for pyproject.toml: in this file, settings stand at the top, without it"
    assert str(caught.value) == f"toolsurface.toml:{line}:{column}: {said}"


def test_errors_in_a_project_file_point_below_its_table(here: Path) -> None:
    put(here / "pyproject.toml", '[project]\nname = "x"\n[tool.toolsurface-lint]\nselct = []\n')
    with pytest.raises(SettingsError) as caught:
        load_settings(["."])
    assert str(caught.value) == "pyproject.toml:4:1: unknown setting `selct`, did you mean `select`?"


def test_a_table_of_another_type_is_an_error(here: Path) -> None:
    put(here / "pyproject.toml", "[tool]\ntoolsurface-lint = 3\n")
    with pytest.raises(SettingsError) as caught:
        load_settings(["."])
    assert str(caught.value) == "pyproject.toml:2:20: `[tool.toolsurface-lint]` must be a table"


def test_broken_files_are_errors_at_the_place(here: Path) -> None:
    found = error(here, 'fail-on = "info"\nignore = [\n')
    assert (found.path, found.line) == ("toolsurface.toml", 3)
    (here / "toolsurface.toml").write_bytes(b'model = "\xff"\n')
    with pytest.raises(SettingsError) as caught:
        load_settings(["."])
    assert str(caught.value) == "toolsurface.toml:1:10: byte 0xff is not valid UTF-8"


def rule(code: str, preview: bool = False) -> Rule:
    return Rule(code, "warning", "summary", "message", "0.1.0", preview=preview)


class TestSelection:
    @pytest.mark.parametrize(
        ("flags", "enabled"),
        [
            ({}, {"TOOL_SCHEMA_INVALID", "TOOL_NAME", "POLICY_INVALID", "TOOL_SCHEMATIC"}),
            ({"select": ["TOOL_SCHEMA"]}, {"TOOL_SCHEMA_INVALID"}),
            ({"select": ["TOOL_SCHEMA_"]}, {"TOOL_SCHEMA_INVALID"}),
            ({"select": ["TOOL"]}, {"TOOL_SCHEMA_INVALID", "TOOL_NAME", "TOOL_SCHEMATIC"}),
            ({"select": ["TOOL_NAME,POLICY_INVALID"]}, {"TOOL_NAME", "POLICY_INVALID"}),
            ({"select": "TOOL_NAME"}, {"TOOL_NAME"}),
            ({"select": []}, set()),
            (
                {"select": ["ALL"]},
                {"TOOL_SCHEMA_INVALID", "TOOL_SCHEMA_DEPTH", "TOOL_NAME", "POLICY_INVALID", "TOOL_SCHEMATIC"},
            ),
            ({"select": ["TOOL_SCHEMA_DEPTH"]}, {"TOOL_SCHEMA_DEPTH"}),
            ({"select": ["TOOL_NAME"], "extend_select": ["TOOL_SCHEMA"]}, {"TOOL_NAME", "TOOL_SCHEMA_INVALID"}),
            ({"ignore": ["TOOL"]}, {"POLICY_INVALID"}),
            ({"select": ["TOOL_NAME"], "ignore": ["TOOL_NAME"]}, set()),
            ({"ignore": ["ALL"]}, set()),
        ],
    )
    def test_what_is_enabled(self, flags: dict[str, object], enabled: set[str]) -> None:
        rules = [rule(code, code == "TOOL_SCHEMA_DEPTH") for code in CODES if code != "INTERNAL_ERROR"]
        selection = Selection(Settings("/"), **flags)  # type: ignore[arg-type]
        assert {one.code for one in rules if selection.enabled(one)} == enabled

    def test_flags_replace_the_selected_and_add_to_the_rest(self, here: Path) -> None:
        settings = read(
            here, 'select = ["TOOL_NAME"]\nextend-select = ["POLICY_INVALID"]\nignore = ["TOOL_SCHEMA_INVALID"]\n'
        )
        names = [rule("TOOL_NAME"), rule("POLICY_INVALID"), rule("TOOL_SCHEMA_INVALID"), rule("TOOL_SCHEMATIC")]

        def enabled(**flags: list[str]) -> list[str]:
            selection = Selection(settings, **flags)  # type: ignore[arg-type]
            return [one.code for one in names if selection.enabled(one)]

        assert enabled() == ["TOOL_NAME", "POLICY_INVALID"]
        assert enabled(select=["ALL"]) == ["TOOL_NAME", "POLICY_INVALID", "TOOL_SCHEMATIC"]
        assert enabled(extend_select=["TOOL_SCHEMATIC"]) == ["TOOL_NAME", "POLICY_INVALID", "TOOL_SCHEMATIC"]
        assert enabled(ignore=["POLICY"]) == ["TOOL_NAME"]

    def test_severities(self, here: Path) -> None:
        selection = Selection(read(here, '[severity]\nTOOL_NAME = "off"\nPOLICY_INVALID = "info"\n'))
        assert selection.severity(rule("TOOL_NAME")) is None
        assert selection.severity(rule("POLICY_INVALID")) == "info"
        assert selection.severity(rule("TOOL_SCHEMATIC")) == "warning"
        assert selection.severity(rule("TOOL_SCHEMA_DEPTH", preview=True)) is None

    def test_our_own_crashes_cannot_be_silenced(self) -> None:
        selection = Selection(Settings("/"), select=["TOOL_NAME"], ignore=["INTERNAL_ERROR", "ALL"])
        assert selection.enabled(rule("INTERNAL_ERROR"))

    @pytest.mark.parametrize("argument", ["select", "extend_select", "ignore"])
    def test_an_unknown_code_is_an_error(self, argument: str) -> None:
        with pytest.raises(SettingsError) as caught:
            Selection(Settings("/"), **{argument: ["TOOL_NAME", "TOOL_NAME_"]})  # type: ignore[arg-type]
        assert str(caught.value) == "unknown code or prefix `TOOL_NAME_`, did you mean `TOOL_NAME`?"


def test_every_protocol_that_may_be_set_is_one_that_responses_are_read_by(here: Path) -> None:
    assert {"tagged", "fenced-json", "hermes", "qwen25", "gpt-oss"} < {*protocol_names()}
    for protocol in protocol_names():
        assert read(here, f'protocol = "{protocol}"').protocol == protocol
        assert recognition.parse_response("Hello.", protocol).calls == []


def test_split_codes() -> None:
    assert split_codes(["A, B", "", "C,,"]) == ("A", "B", "C")


@given(st.lists(st.sampled_from(["A", "BC", "D"]), min_size=1, max_size=4), st.integers(1, 4))
def test_a_prefix_ends_at_an_underscore(words: list[str], count: int) -> None:
    code = "_".join(words)
    assert names_code("_".join(words[:count]), code)
    assert names_code("ALL", code)
    # One letter short of a word is no prefix.
    shorter = "_".join([*words[:count]])[:-1]
    assert names_code(shorter, code) == (shorter.endswith("_") and bool(shorter.rstrip("_")))
