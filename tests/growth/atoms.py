"""What is repeated: every delimiter, keyword and directive that the package scans for, and what its parsers know.

The package's own are gathered from its source, so that none can be forgotten: its short string constants that hold
anything but letters, and a text that each of its regular expressions matches. Those of the parsers that it uses (Markdown,
YAML, TOML, JSON, Python) are listed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

_LONGEST = 24

COMMON: tuple[str, ...] = (
    *(
        "`",
        "``",
        "```",
        "~~~",
        "*",
        "**",
        "_",
        "__",
        "#",
        "> ",
        ">",
        "- ",
        "-",
        "+ ",
        "1. ",
        "1) ",
        "| ",
        "|-",
        "---",
        "===",
    ),
    *(
        "[",
        "](",
        "![",
        "[a]: b",
        "[a]",
        "<",
        "</",
        "<a ",
        "<!--",
        "-->",
        "<?",
        "<![CDATA[",
        "&amp;",
        "&",
        "http://a.b",
        "\\",
    ),
    *(
        '"',
        "'",
        "'''",
        '"""',
        "(",
        ")",
        "{",
        "}",
        "]",
        "((",
        "()",
        "{{",
        "}}",
        "{%",
        "{#",
        "#}",
        "{{#",
        "{{ if a }}",
        "{{ end }}",
    ),
    *(
        "/*",
        "*/",
        "//",
        "# ",
        "<<",
        "<<A\n",
        "<<'A'",
        "$ref",
        "$",
        "%",
        "^",
        "~",
        "@",
        "@a/b",
        "!",
        "!a ",
        "?",
        ":",
        "::",
        ";",
        ",",
    ),
    *(
        ": ",
        "? ",
        "&a ",
        "*a ",
        "|\n",
        ">-\n",
        "<<: ",
        "%YAML 1.2\n",
        "...\n",
        "---\n",
        "a: ",
        "a: b\n",
        "- a\n",
        "[a, ",
        "{a: ",
    ),
    *(
        "a = ",
        "[[a]]\n",
        "[a]\n",
        "a.b.",
        '"a": ',
        '{"a": ',
        "[1, ",
        "null",
        "true",
        "NaN",
        "-0",
        "1e9",
        "\\u0041",
        "\\ud800",
        "\\n",
    ),
    *(
        "def a",
        "@a\n",
        "lambda: ",
        "not ",
        "- -",
        "a or ",
        "a + ",
        "f'{",
        "\\\n",
        "if a:\n ",
        "a[",
        "a(",
        "a.",
        "*a, ",
        "async ",
        "'a' ",
    ),
    *(
        "\n",
        "\r",
        "\r\n",
        "\t",
        " ",
        "  ",
        "\n\n",
        "\f",
        "\v",
        "\x85",
        "\u2028",
        "\u2029",
        "\x00",
        "\x1b[31m",
        "\x7f",
        "\ufeff",
    ),
    *(
        "\u200b",
        "\u200d",
        "\u202e",
        "\u2066",
        "\u00ad",
        "\ufe0f",
        "\U000e0041",
        "\U000e0100",
        "\u0301",
        "\u0130",
        "\U0001f600",
    ),
    *(
        "\u00e9",
        "\u4e2d",
        "\u0627",
        "\u05d0",
        "\U0001f468\u200d\U0001f469",
        "\ufb01",
        "\u2026",
        "\u201c",
        "\u201d",
        "\u2018",
    ),
    *(
        "a",
        "A",
        "0",
        "aB",
        "a_b",
        "a_",
        "_a",
        "a-b",
        "a.b",
        "a/b",
        "a b ",
        "a,",
        "a, ",
        "a. ",
        "a\n",
        "é ",
        "Aa",
        "a1",
        "e.g. ",
        "tool ",
    ),
    *(
        "read_note",
        "read_note ",
        "`read_note`",
        "`read_note` ",
        "read_note(",
        "read_note({})",
        "read_note({ path: ",
        "`a_b` and ",
    ),
    *(
        "mcp__s__t",
        "mcp__",
        "Bash(",
        "Bash(a:*)",
        "Read(**/",
        "**/",
        "*?",
        "{a,b}",
        "{a,",
        "[!a]",
        "[a-z]",
        "(a+)+",
        "(?:",
        "(a|a)*",
        "\\d",
    ),
    *(
        '{"name": "read_note"}',
        '{"name": "',
        '{"tool": ',
        "do not use ",
        "never ",
        "use the ",
        "one of ",
        "must be ",
        "default ",
        "or ",
    ),
    *(
        "<tool_call>",
        "</tool_call>",
        "<done>",
        "##DONE##",
        "[[CALL]]",
        "[[/CALL]]",
        "<|im_start|>",
        "```tool\n",
        "```json\n",
        "Args:\n",
    ),
    *(
        ":param a: ",
        "toolsurface-lint: ",
        "harn-tool-surface: ignore-start\n",
        "tool-surface-ignore ",
        "until=",
        "ignore-line[",
    ),
)

NESTED: tuple[tuple[str, str], ...] = (
    *(
        ("(", ")"),
        ("[", "]"),
        ("{", "}"),
        ("<a>", "</a>"),
        ("<tool_call>", "</tool_call>"),
        ("{{ if a }}", "{{ end }}"),
    ),
    *(("{{#", "#}}"), ("`", "`"), ("*", "*"), ("**", "**"), ("[", "](b)"), ('{"a": ', "}"), ("> ", "\n"), ("- ", "\n")),
    *(("<<A\n", "A\n"), ("read_note({ a: ", " })"), ("((a|", ")*)*"), ("{a,", "}"), ("<!--", "-->"), ("/*", "*/")),
)
"""What opens and what closes: n times the one, then n times the other."""


class Atom(NamedTuple):
    """What is repeated: `opening` n times with `joint` between, then `closing` as often."""

    opening: str
    joint: str = ""
    closing: str = ""

    def times(self, number: int) -> str:
        return self.joint.join([self.opening] * number) + self.closing * number


@cache
def gathered() -> tuple[str, ...]:
    """What the package scans for, from its source: the same on every machine."""
    from tests.growth.matching import parsed
    from tests.growth.patterns import package_patterns, sample

    found = set(_constants())
    for pattern in package_patterns():
        tree = parsed(pattern.pattern)
        found.update(sample(tree, pattern.pattern.flags, variant) for variant in range(3))
    return tuple(sorted(text for text in found - set(COMMON) if text and len(text) <= 2 * _LONGEST))


def _constants() -> Iterator[str]:
    for path in sorted((Path(__file__).resolve().parents[2] / "toolsurface_lint").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        # Texts that are put together for a message, and docstrings, are not looked for in anything.
        aside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
        aside |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in aside:
                text = node.value
                if 0 < len(text) <= _LONGEST and not text.replace("_", "a").isalnum() and text.count(" ") <= 2:
                    yield text


def core() -> list[Atom]:
    """The atoms of the short search."""
    return [*(Atom(text) for text in COMMON), *(Atom(opening, "", closing) for opening, closing in NESTED)]


def all_atoms() -> list[Atom]:
    """The atoms of the long search: all texts, by themselves, a line each, and with words between."""
    texts = (*COMMON, *gathered())
    joined = [Atom(text, joint) for joint in ("", "\n", " a ") for text in texts]
    return [*joined, *(Atom(opening, "", closing) for opening, closing in NESTED)]
