"""The scripts that the command of a hook runs, as far as its words say so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.readers.commands import scripts_of, words_of

RUN = {
    "python3 a/check.py --fast": ["a/check.py"],
    "./check.sh": ["./check.sh"],
    "check.sh": [],
    "bash check.sh": ["check.sh"],
    "NAME=x bash -e 'a b/check.sh'": ["a b/check.sh"],
    "bash -c 'a/check.sh'": [],
    "python3 -m a.check": [],
    "node -e 'a/check.js'": [],
    "uv run --script a/check.py": ["a/check.py"],
    "/usr/bin/env python3 a/check.py": ["a/check.py"],
    "timeout 10 a/check.py; a/log.sh|b/cut.sh": ["a/check.py", "a/log.sh", "b/cut.sh"],
    "a/check.sh > a/log.sh 2>&1 < a/in.sh": ["a/check.sh"],
    "[ -f a/check.sh ] && a/check.sh": [],
    "if test -x a/check.sh; then a/check.sh; fi": [],
    "cd a && bash check.sh": ["a/check.sh"],
    "cd && bash check.sh": [],
    "cat a/check.sh": [],
    "a/check.sh 'open": [],
    "a/check.sh <<END": [],
    "bash $(pwd)/a/check.sh": ["$(pwd)/a/check.sh"],
    '"${A:-b c}"/check.sh': ["${A:-b c}/check.sh"],
    "# a/check.sh": [],
}


@pytest.mark.parametrize(("command", "scripts"), RUN.items())
def test_the_scripts_that_are_run(command: str, scripts: list[str]) -> None:
    assert [word.text for word in scripts_of(command)] == scripts


@given(st.text("ab/.sh\"'$(){}<>|&;# \n\\", max_size=60))
def test_words_are_where_they_say(command: str) -> None:
    for word in words_of(command) or ():
        written = command[word.start : word.end]
        assert written
        assert written[0] not in " \t"
        assert word.ends or not set(written) & set("\n") or set(written) & set("\"'$")


@given(st.text("ab/.sh\"'$(){}<>|&;# \n\\", max_size=60))
def test_a_script_is_a_word(command: str) -> None:
    words = {(word.start, word.end) for word in words_of(command) or ()}
    assert {(script.start, script.end) for script in scripts_of(command)} <= words
