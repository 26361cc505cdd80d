"""How often each rule was broken: `--statistics`."""

import json

from toolsurface_lint.reporters import RenderOptions, render

COUNTED = RenderOptions(statistics=True)


def counted(build):
    """Three codes: one with a safe and an unsafe fix, one with an unsafe fix, one with none."""
    build.file("a.md", "one two")
    place = build.at("a.md", "two")
    safe = build.fix("write `2`", (place, "2"))
    unsafe = build.fix("write `3`", (place, "3"), safe=False)
    for fix in (safe, unsafe, None):
        build.add("TOOL_B", "warning", "b", place, fix=fix)
    build.add("TOOL_C", "error", "c", place)
    for _ in range(10):
        build.add("TOOL_LONG_NAME", "info", "a", place, fix=unsafe)
    build.add("TOOL_A", "error", "a", place)
    return build.report()


TABLE = """\
10  info[TOOL_LONG_NAME]  [-]
 3  warning[TOOL_B]       [*]
 1  error[TOOL_A]
 1  error[TOOL_C]
[*] some or all can be fixed with --fix
[-] some or all can be fixed with --fix --unsafe-fixes
"""


def test_the_table_stands_in_place_of_the_findings(build):
    report = counted(build)
    closing = "Found 2 errors, 3 warnings, 10 info. Checked no surface.\n"
    assert render("text", report, COUNTED) == f"{TABLE}\n{closing}"
    assert render("concise", report, COUNTED) == TABLE + closing
    assert render("text", report, COUNTED._replace(quiet=True)) == TABLE


def test_colours_do_not_move_the_marks(build):
    from toolsurface_lint.checks.pages import url

    text = render("text", counted(build), COUNTED._replace(colour=True, links=True, quiet=True))
    plain = text
    for code in ("1;31", "1;32", "1;33", "1;36", "0"):
        plain = plain.replace(f"\x1b[{code}m", "")
    for code in ("TOOL_A", "TOOL_B", "TOOL_C", "TOOL_LONG_NAME"):
        plain = plain.replace(f"\x1b]8;;{url(code)}\x1b\\", "")
    assert plain.replace("\x1b]8;;\x1b\\", "") == TABLE


def test_json_has_them_beside_the_findings(build):
    report = counted(build)
    plain = json.loads(render("json", report))
    value = json.loads(render("json", report, COUNTED))
    assert value.pop("statistics") == [
        {"code": "TOOL_LONG_NAME", "severity": "info", "count": 10, "safe_fixes": 0, "unsafe_fixes": 10},
        {"code": "TOOL_B", "severity": "warning", "count": 3, "safe_fixes": 1, "unsafe_fixes": 1},
        {"code": "TOOL_A", "severity": "error", "count": 1, "safe_fixes": 0, "unsafe_fixes": 0},
        {"code": "TOOL_C", "severity": "error", "count": 1, "safe_fixes": 0, "unsafe_fixes": 0},
    ]
    assert value == plain


def test_nothing_found(build):
    report = build.report()
    assert render("text", report, COUNTED) == render("text", report)
    assert json.loads(render("json", report, COUNTED))["statistics"] == []
    for form in ("text", "concise", "github", "stats"):
        assert render(form, report, RenderOptions(quiet=True)) == ""
