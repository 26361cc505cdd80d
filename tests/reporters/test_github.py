import os

from toolsurface_lint.reporters import RenderOptions, render


def test_the_most_severe_come_first(build):
    build.file("a.md", "one\ntwo\n")
    build.add("SOME_INFO", "info", "odd", build.at("a.md", "one"))
    build.add("SOME_WARNING", "warning", "bad", build.at("a.md", "two"), help="mend it")
    build.add("SOME_ERROR", "error", "wrong", None)
    assert render("github", build.report()) == (
        "::error title=SOME_ERROR::wrong\n"
        "::warning file=a.md,line=2,endLine=2,col=1,endColumn=4,title=SOME_WARNING::bad%0Amend it\n"
        "::notice file=a.md,line=1,endLine=1,col=1,endColumn=4,title=SOME_INFO::odd\n"
        "Found 1 error, 1 warning, 1 info. Checked no surface.\n"
    )


def test_what_has_a_meaning_in_a_command_is_escaped(build):
    build.file("a:b,c%.md", "x")
    build.add("SOME_CODE", "error", "100% of `a::b`, c\n::error::no", build.at("a:b,c%.md", "x"))
    assert render("github", build.report()).split("\n")[0] == (
        "::error file=a%3Ab%2Cc%25.md,line=1,endLine=1,col=1,endColumn=2,title=SOME_CODE"
        "::100%25 of `a::b`, c\\n::error::no"
    )


def test_a_range_of_several_lines_has_no_columns(build):
    build.file("a.md", "one\ntwo\n")
    build.add("SOME_CODE", "error", "wrong", build.at("a.md", "e\nt"))
    assert render("github", build.report()).startswith("::error file=a.md,line=1,endLine=2,title=SOME_CODE::")


def test_files_are_named_from_the_root(build, tmp_path):
    path = os.path.relpath(tmp_path / "sub" / "a.md")
    build.file(path, "x")
    build.add("SOME_CODE", "error", "wrong", build.at(path, "x"))
    text = render("github", build.report(), RenderOptions(root=str(tmp_path)))
    assert text.startswith("::error file=sub/a.md,")


def test_it_says_what_github_does_not_show(build):
    for _ in range(11):
        build.add("SOME_CODE", "error", "wrong", None)
    build.add("SOME_CODE", "info", "odd", None)
    lines = render("github", build.report()).split("\n")
    assert lines[12] == "GitHub shows 10 of 11 error annotations; the log has all of them."
    assert lines[13].startswith("Found 11 errors, 1 info.")
