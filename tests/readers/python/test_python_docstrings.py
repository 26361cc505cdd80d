from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.programs.python.docstrings import read_docstring
from toolsurface_lint.source.python import clean_docstring

GOOGLE = """Fetch a page.

    More prose: with a colon.

    Args:
        url (str): Where it
            lies.

            A second paragraph.
        `limit`: How much, e.g. {"a": 1}.
        **options: Others.
        - flag (dict(str, int), optional): Listed with a dash.

    Returns:
        text: what was fetched
    """

NUMPY = """Fetch a page.

    Parameters
    ----------
    url : str
        Where it lies.
    width, height : int, optional
        How large.

    Returns
    -------
    text : str
        What was fetched.
    """

SPHINX = """Fetch a page.

    :param url: Where it
        lies.
    :param int limit: How much.
    :type limit: int
    :returns: text
    """


@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        (
            GOOGLE,
            [
                ("url", "Where it lies. A second paragraph."),
                ("limit", 'How much, e.g. {"a": 1}.'),
                ("options", "Others."),
                ("flag", "Listed with a dash."),
            ],
        ),
        (NUMPY, [("url", "Where it lies."), ("width", "How large."), ("height", "How large.")]),
        (SPHINX, [("url", "Where it lies."), ("limit", "How much.")]),
        ("Args:\n    a: one\n", [("a", "one")]),
        ("X.\n\nParameters:\n  a: one\nb: no section any more\n", [("a", "one")]),
        ("Runs.\n\npath: a path as plain prose\n", []),
        ("The args: are many\n", []),
        ("Args:\n", []),
        ("", []),
    ],
)
def test_parameters(text: str, parameters: list[tuple[str, str]]) -> None:
    document = read_docstring(text)
    assert [(found.name, found.description) for found in document.parameters] == parameters
    assert all(text[found.start : found.end] == found.name for found in document.parameters)


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, SPHINX])
def test_the_summary_ends_at_the_first_section(text: str) -> None:
    assert text[: read_docstring(text).summary_end].strip().endswith(("colon.", "page."))


def test_a_text_without_sections_is_all_summary() -> None:
    assert read_docstring("One.\nTwo.").summary_end == 9


@pytest.mark.parametrize(("style", "text"), [("google", GOOGLE), ("numpy", NUMPY), ("sphinx", SPHINX)])
def test_griffe_finds_the_same_names(style: str, text: str) -> None:
    griffe = pytest.importorskip("griffe")
    # Dashes and backquotes before names are read here only.
    text = clean_docstring(text.replace("- flag", "flag").replace("`limit`", "limit"))[0]
    sections = griffe.Docstring(text).parse(style, warnings=False)
    theirs = [
        parameter.name.lstrip("*")
        for section in sections
        if section.kind.value == "parameters"
        for parameter in section.value
    ]
    assert [found.name for found in read_docstring(text).parameters] == theirs


NAMES = st.lists(st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True), min_size=1, max_size=6)


@pytest.mark.slow
@given(NAMES, st.sampled_from(["    ", "  ", "\t"]), st.booleans())
def test_every_documented_name_is_found_at_its_place(names: list[str], indent: str, typed: bool) -> None:
    kind = " (int)" if typed else ""
    text = "Do it.\n\nArgs:\n" + "".join(f"{indent}{name}{kind}: text\n{indent * 2}more\n" for name in names)
    found = read_docstring(text).parameters
    assert [parameter.name for parameter in found] == names
    assert [text[parameter.start : parameter.end] for parameter in found] == names
    assert {parameter.description for parameter in found} == {"text more"}


@given(st.text("Args: \n-:`*(a,)", max_size=80))
def test_any_text_is_read(text: str) -> None:
    document = read_docstring(text)
    assert 0 <= document.summary_end <= len(text)
    assert all(text[found.start : found.end] == found.name for found in document.parameters)


@pytest.mark.parametrize("line", ["a" * 200_000, "(" * 200_000, ":param " * 50_000, "a (" + "()" * 100_000])
def test_long_lines_end(line: str) -> None:
    text = f"Args:\n    {line}\n{line}\n"
    found = read_docstring(text)
    assert 0 <= found.summary_end <= len(text)
    assert all(text[parameter.start : parameter.end] == parameter.name for parameter in found.parameters)


@pytest.mark.parametrize("end", ["    ```\n", ""])
def test_the_docstring_of_an_example_documents_no_parameter(end: str) -> None:
    text = f"Load a tool.\n\n    ```python\n    def add(a):\n        Args:\n            a: One.\n{end}"
    assert not read_docstring(text).parameters
    after = read_docstring(f"{text}\n    Args:\n        path: The file.\n").parameters
    assert [found.name for found in after] == (["path"] if end else [])
