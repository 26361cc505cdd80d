import pytest

from toolsurface_lint.reporters import count
from toolsurface_lint.reporters.page import words


@pytest.mark.parametrize(
    ("number", "noun", "said"),
    [
        (0, "tool", "0 tools"),
        (1, "tool", "1 tool"),
        (2, "policy", "2 policies"),
        (3, "info", "3 info"),
        (1200, "call", "1200 calls"),
    ],
)
def test_how_many_there_are(number, noun, said):
    assert count(number, noun) == said


def test_the_page_keeps_thousands_apart():
    assert words.count(1200, "policy") == "1,200 policies"
