"""Wrong usage: one line that says what is wrong, with the name that was probably meant."""

import pytest

pytestmark = pytest.mark.slow

HELP = " (help: toolsurface-lint{} --help)"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chek"], "no such command `chek`, did you mean `check`?" + HELP.format("")),
        (["frobnicate"], "no such command `frobnicate`" + HELP.format("")),
        (["--verson"], "no such option `--verson`, did you mean `--version`?" + HELP.format("")),
        (["check", "--selct", "ALL"], "no such option `--selct`, did you mean `--select`?" + HELP.format(" check")),
        (["rule", "--outpt", "x"], "no such option `--outpt`, did you mean `--output`?" + HELP.format(" rule")),
        (["check", "--frobnicate"], "no such option `--frobnicate`" + HELP.format(" check")),
        (["check", "--output", "jsno"], "unknown output format `jsno`, did you mean `json`?"),
        (["check", "--output=sarfi=x"], "unknown output format `sarfi`, did you mean `sarif`?"),
        (["surface", "--output", "jsn"], "unknown output format `jsn`, did you mean `json`?"),
        (["rule", "--output", "jsn"], "unknown value `jsn` of --output, did you mean `json`?" + HELP.format(" rule")),
        (
            ["check", "--fail-on", "eror"],
            "unknown value `eror` of --fail-on, did you mean `error`?" + HELP.format(" check"),
        ),
        (
            ["check", "--kind", "promt"],
            "unknown value `promt` of --kind, did you mean `prompt`?" + HELP.format(" check"),
        ),
        (
            ["check", "--protocol", "fenced_json"],
            "unknown protocol `fenced_json`, did you mean `fenced-json`?",
        ),
        (["wire", "to-wir"], "unknown value `to-wir`, did you mean `to-wire`?" + HELP.format(" wire")),
        (["wire"], "Missing argument '{to-wire|to-canonical}'" + HELP.format(" wire")),
        (["rule", "TOOL_NAME_INVALD"], "no rule has the code `TOOL_NAME_INVALD`, did you mean `TOOL_NAME_INVALID`?"),
        (["check", "--select", "X_Y"], "unknown code or prefix `X_Y`"),
        (
            ["check", "--select", "CALL_DENIED,TOOL_NAME_INVALD"],
            "unknown code or prefix `TOOL_NAME_INVALD`, did you mean `TOOL_NAME_INVALID`?",
        ),
        (["check", "--ignore", "TOOL_NMAE"], "unknown code or prefix `TOOL_NMAE`, did you mean `TOOL_NAME`?"),
        (["check", "--extend-select", "all"], "unknown code or prefix `all`, did you mean `ALL`?"),
        (["check", "--select", ""], "--select names no code: nothing would be checked"),
        (["check", "--select= ,"], "--select names no code: nothing would be checked"),
        (
            ["check", "--isolated", "--config", "toolsurface.toml"],
            "--isolated reads no settings: it cannot be combined with --config",
        ),
        (
            ["surface", "--config", "toolsurface.toml", "--isolated"],
            "--isolated reads no settings: it cannot be combined with --config",
        ),
        (
            ["check", "--output", "text", "--output", "json"],
            "two reports on standard output, json among them: give all but one a file (--output json=FILE)",
        ),
        (
            ["surface", "--output", "html", "--output", "html"],
            "two reports on standard output, html among them: give all but one a file (--output html=FILE)",
        ),
        (["check", "--output", "json=a", "--output", "sarif=a"], "two reports cannot be written to one file: a"),
        (["check", ""], "'': no such file or folder"),
        (["check", "--stdin-filename", ".", "-"], "--stdin-filename names a folder: ."),
        (["check", "--provider", "opnai"], "unknown provider `opnai`, did you mean `openai`?"),
        (["check", "--provider", "openai,acme-gateway"], "unknown provider `acme-gateway`"),
        (["check", "--provider", "cursor@new"], "unknown version `new` of `cursor`"),
        (
            ["check", "--provider", "mcp@2025-06-19"],
            "unknown version `2025-06-19` of `mcp`, did you mean `2025-06-18`?",
        ),
        (["check", "--provider", "openai@4"], "`openai` has no versions that are known: leave `@4` out"),
        (["surface", "--provider", "antrhopic"], "unknown provider `antrhopic`, did you mean `anthropic`?"),
    ],
)
def test_one_line_says_what_is_wrong(run, arguments, message):
    done = run(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"toolsurface-lint: {message}\n")


@pytest.mark.parametrize(
    "providers",
    [
        ("openai",),
        ("OpenAI",),
        ("Azure OpenAI",),
        ("azure_openai",),
        ("vertexai",),
        ("portable",),
        ("openai, gemini",),
        ("openai", "cursor@2.3"),
        ("mcp@2025-06-18",),
    ],
)
def test_ways_to_name_providers(run, providers):
    options = [option for provider in providers for option in ("--provider", provider)]
    assert run("check", *options).returncode == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ('ingore = "ALL"', "1:1: unknown setting `ingore`, did you mean `ignore`?"),
        ('[[surface]]\nname = "a"\nprompt = []', "3:1: unknown setting `prompt`, did you mean `prompts`?"),
        (
            '[severity]\nTOOL_NAME_INVALD = "off"',
            "2:1: unknown code `TOOL_NAME_INVALD`, did you mean `TOOL_NAME_INVALID`?",
        ),
        ('provider = ["openai", "gemmini"]', "1:23: unknown provider `gemmini`, did you mean `gemini`?"),
        ('provider = "gemmini"', "1:12: unknown provider `gemmini`, did you mean `gemini`?"),
        (
            'protocol = "taged"',
            "1:12: unknown protocol `taged`, did you mean `tagged`?",
        ),
        ("[builtin-tools]\ncluade-code = []", "2:1: unknown client `cluade-code`, did you mean `claude-code`?"),
    ],
)
def test_settings(run, folder, settings, message):
    (folder / "toolsurface.toml").write_text(settings, encoding="utf-8")
    done = run("check")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"toolsurface-lint: toolsurface.toml:{message}\n")
