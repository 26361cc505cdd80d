"""Contradicting rules: the index finds what comparing each rule with all others does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.long import examples
from tests.work import lines_run
from toolsurface_lint.model.contradictions import MOST_COMPARED, contradictions, uncompared
from toolsurface_lint.model.permission import ALLOW, ASK, DENY, EXACT, GLOB, PATH, PermissionRule
from toolsurface_lint.source.tree import plain

MATCHING = {"Bash": GLOB, "Read": PATH, "B*": GLOB, "*a*": GLOB, "R*d": EXACT, "Web": EXACT}


def rule(
    tool: str,
    specifier: str | None = None,
    action: str = ALLOW,
    rank: int = 0,
    conditions: dict[str, frozenset[str]] | None = None,
) -> PermissionRule:
    made = PermissionRule(tool, plain(tool).place, action, "rules")
    made.tool, made.specifier, made.rank, made.conditions = tool, specifier, rank, conditions or {}
    made.matching = MATCHING.get(tool, GLOB)
    return made


def naive(rules: Sequence[PermissionRule]) -> Iterator[tuple[PermissionRule, PermissionRule]]:
    position = {id(rule): index for index, rule in enumerate(rules)}
    same: dict[tuple[str, str | None], list[PermissionRule]] = {}
    broad: dict[str, list[PermissionRule]] = {}
    for rule in rules:
        same.setdefault((rule.tool, rule.specifier), []).append(rule)
        if rule.specifier is None or "*" in rule.tool or "*" in rule.specifier:
            broad.setdefault(rule.action, []).append(rule)
    for rule in rules:
        others = [*same[rule.tool, rule.specifier]]
        others.extend(other for action, found in broad.items() if action != rule.action for other in found)
        for other in others:
            if other.action == rule.action or other.rank < rule.rank or not other.covers(rule):
                continue
            if other.rank > rule.rank or (position[id(other)] < position[id(rule)] and other.equals(rule)):
                yield rule, other
                break


SPECIFIERS = st.one_of(
    st.none(),
    st.text("ab *", min_size=1, max_size=5),
    st.sampled_from(["a *", "a b", "a *b", "a/**", "a/b/**", "a/b/c", "*/**", "a", "a *b *", "a/../b", "**"]),
)
CONDITIONS = st.one_of(
    st.just({}),
    st.dictionaries(st.sampled_from(["modes", "args"]), st.frozensets(st.sampled_from("xyz"), min_size=1), max_size=2),
)
RULES = st.lists(
    st.builds(
        rule,
        st.sampled_from([*MATCHING]),
        SPECIFIERS,
        st.sampled_from([ALLOW, ASK, DENY]),
        st.integers(0, 3),
        CONDITIONS,
    ),
    max_size=12,
)


@pytest.mark.slow
@settings(max_examples=examples(600))
@given(RULES)
def test_the_index_finds_what_comparing_all_rules_does(rules: list[PermissionRule]) -> None:
    assert [(id(one), id(other)) for one, other in contradictions(rules)] == [
        (id(one), id(other)) for one, other in naive(rules)
    ]


def listed(size: int, *patterns: tuple[str, str, str]) -> list[PermissionRule]:
    ranks = {ALLOW: 1, ASK: 2, DENY: 3}
    return [
        rule(tool.format(number), specifier.format(number) or None, action, ranks[action])
        for tool, specifier, action in patterns
        for number in range(size)
    ]


GROWING = {
    "names": (("a{}", "", ALLOW), ("b{}", "", DENY), ("c{}", "", ASK)),
    "families": (("mcp__a{}__*", "", ALLOW), ("mcp__b{}__*", "", DENY), ("mcp__*__c{}", "", ASK)),
    "commands": (("Bash", "a{} *", ALLOW), ("Bash", "b{} *", DENY), ("Bash", "c *{}", ASK)),
    "the same commands": (("Bash", "a *{}", ALLOW), ("Bash", "a *{}", DENY), ("Bash", "a *{}", ASK)),
    "one command": (("Bash", "a", ALLOW), ("Bash", "a", DENY), ("Bash", "a", ASK)),
    "folders": (("Read", "a/{}/**", ALLOW), ("Read", "b/{}/**", DENY), ("Read", "c/{}", ASK)),
}


def test_work_grows_with_the_rules() -> None:
    for name, patterns in GROWING.items():
        small, large = (listed(size, *patterns) for size in (50, 200))
        once = lines_run(lambda rules=small: list(contradictions(rules)))
        assert lines_run(lambda rules=large: list(contradictions(rules))) < 5 * once, name


def test_what_no_index_finds_is_compared_up_to_a_bound() -> None:
    intricate = listed(MOST_COMPARED + 2, ("Bash", "a *<{}>*", DENY))
    assert uncompared(intricate) == intricate[-2:]
    assert uncompared(intricate[:MOST_COMPARED]) == []
    covered = [rule("Bash", f"a x<{number}>x", ALLOW, 1) for number in (MOST_COMPARED - 1, MOST_COMPARED + 1)]
    assert [(one, other.specifier) for one, other in contradictions([*intricate, *covered])] == [
        (covered[0], f"a *<{MOST_COMPARED - 1}>*")
    ]
