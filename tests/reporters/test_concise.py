import re

from toolsurface_lint.reporters import RenderOptions, render


def test_one_line_for_each_diagnostic_and_the_closing_line(sample):
    assert (
        render("concise", sample)
        == """\
prompts/system.md:1:6: error[PROMPT_UNKNOWN_TOOL] `read_flie` is no tool of this surface; did you mean `read_file`?
tools.json:2:12: warning[TOOL_MISSING_SCHEMA] tool `read_file` has no parameter schema
tools.json:3:12: info[TOOL_MISSING_DESCRIPTION] tool `search` has no description
Found 1 error, 1 warning, 1 info. Checked 1 surface: 2 tools, 1 prompt in 2 files; skipped 1 (not recognised).
"""
    )


def test_plain_data_has_no_place(build):
    build.add("SOME_CODE", "warning", "wrong\nindeed", None)
    assert render("concise", build.report()).split("\n")[0] == "warning[SOME_CODE] wrong\\nindeed"


def test_columns_count_code_points(build):
    build.file("a.md", "\U0001f600\u5de5\tx")
    build.add("SOME_CODE", "error", "wrong", build.at("a.md", "x"))
    assert render("concise", build.report()).startswith("a.md:1:4: ")


def test_colour_changes_no_character(sample):
    coloured = render("concise", sample, RenderOptions(colour=True))
    assert coloured.startswith("\x1b[1mprompts/system.md:1:6\x1b[0m: \x1b[1;31merror[PROMPT_UNKNOWN_TOOL]\x1b[0m ")
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == render("concise", sample)
