"""Tools that a text names without saying "use": as a means, after a label, as a hand-over, and in the past."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.long import examples
from tests.readers.test_prose_named_tools import tool
from toolsurface_lint.model.prompt import MEDIUM, STRONG, USE, Reference
from toolsurface_lint.model.tool import FormerTool
from toolsurface_lint.model.vocabulary import Vocabulary
from toolsurface_lint.readers.named_tools import find_named_tools

TOOLS = ("find_parcel", "list_depots", "book_courier")
ELSEWHERE = frozenset({"weight_of", "refund_parcel"})


def vocabulary(*more: str) -> Vocabulary:
    tools = {name: [tool(name, "sort_by", "send_copy")] for name in (*TOOLS, *more)}
    return Vocabulary(tools, elsewhere=ELSEWHERE)


def others(text: str, *more: str) -> list[Reference]:
    """What a text uses that is not declared."""
    known = vocabulary(*more)
    return [one for one in find_named_tools(text, [], known) if one.name not in known and one.stance == USE]


@pytest.mark.parametrize(
    ("text", "name", "ordered"),
    [
        ("Find the parcel, then check it with `get_weight`.", "get_weight", True),
        ("Check with `show_parcel` that it left.", "show_parcel", True),
        ("When it is certain, send one with `make_claim`.", "make_claim", True),
        ("You must check it with the `show_parcel` first.", "show_parcel", True),
        ("Please look it up with `get_parcel`.", "get_parcel", True),
        ("Check every name and every order with `weight_of`.", "weight_of", True),
        ("Look its weight up with `weight_of`.", "weight_of", True),
        ("Take the depots from `get_depots`, and the rest from the map.", "get_depots", True),
        ("Labels are printed by `print_receipt`.", "print_receipt", False),
        ("Names are checked with `check_name`.", "check_name", False),
        ("The arrival comes from `get_arrival`, always.", "get_arrival", False),
        ("For everything that is late, `list_stuck` is faster.", "list_stuck", False),
        ("`list_stuck` gives the late ones.", "list_stuck", False),
    ],
)
def test_what_is_done_by_means_of_a_tool(text: str, name: str, ordered: bool) -> None:
    assert [(one.name, one.evidence, one.ordered) for one in others(text)] == [(name, MEDIUM, ordered)]


@pytest.mark.parametrize(
    "text",
    [
        # what is answered, and what things are compared, sorted or begun with
        "Answer with `starts_at`.",
        "Answer with `open_claim` or `find_parcel`.",
        "Reply with `needs_review`.",
        "Respond with `ask_person` if in doubt.",
        "Return an object with `create_ticket` set.",
        "Start your text with `get_help`.",
        "End with `stop_now`.",
        "Sort with `number`.",
        "Sort by `update_order`.",
        "Compare with `state`.",
        "Look for those with `blocked`.",
        "Those with `confidence` below 0.4 are left out.",
        # arguments of a call
        "Call `find_parcel` with `skip_cache`.",
        "Find it by a call of `find_parcel` with `include_raw`.",
        "Run it with `force_update`.",
        "List them with `sort_by` and `send_copy`.",
        # keys, fields, files and columns
        'Write it with `check_sum`: {"check_sum": 1}.',
        "Fill the form with `start_date` from `end_date`.",
        "Take the price from `list_price`.",
        "Take it from `get_parcel.py`.",
        "Take it from the `get_parcel` column.",
        "Check its `germination_rate`.",
        "If `list_price` is high, say so.",
        "A row where `list_stuck` is set.",
        "Order everything from `test_file`.",
        # no names of several words, or made in another way
        "Look it up with `lookup`.",
        "Look it up with `getParcel`.",
        "Look it up with get_parcel.",
        # what others do, and what is not to be done
        "Never check it with `show_parcel`.",
        "Do not take it from `get_parcel`.",
        "Take it from the map and not from `get_parcel`.",
    ],
)
def test_words_that_name_no_means(text: str) -> None:
    assert others(text) == []


def test_an_entry_behind_a_label_is_a_tool_where_most_are() -> None:
    text = "Which:\n\n* Lost: `find_parcel` by its number.\n* Shops near you: `list_depots`\n* A damage: `open_claim`, now.\n"
    assert [(one.name, one.evidence, one.form) for one in others(text)] == [("open_claim", STRONG, "list")]


@pytest.mark.parametrize(
    "text",
    [
        "* Lost: `find_parcel`\n* A damage: `open_claim`\n* A delay: `open_case`\n* None: `open_other`\n",
        "* Lost: `find_parcel`\n* Shops: `list_depots`\n* The order: `sort_by`\n",
        "* Lost: `find_parcel`\n* Shops: `list_depots`\n* The answer: `none`\n",
        "* Lost: `find_parcel`\n* Shops: `list_depots`\n\nThe answer:\n\n* A damage: `open_claim`\n",
        "* Lost: `find_parcel`\n* Shops: `list_depots`\n* A damage: never `open_claim`\n",
    ],
)
def test_an_entry_behind_a_label_is_no_tool_elsewhere(text: str) -> None:
    assert others(text) == []


TABLE = "| Question | {} |\n|---|:--|\n| Lost? | `find_parcel` |\n| Where? | `list_depots` |\n| Broken? | `{}` |\n"


@pytest.mark.parametrize(
    ("header", "name", "found"),
    [
        ("Tool", "open_claim", [("open_claim", True)]),
        ("**Tools**", "open_claim", [("open_claim", True)]),
        ("Answer with", "open_claim", [("open_claim", False)]),
        ("Tool", "sort_by", []),
        ("Field", "open_claim", []),
        ("Tool", "claims", []),
        ("Tool", "open_claim` (planned) or `mail", []),
        ("Tool", "open_claim` | planned, or `mail", []),
    ],
)
def test_a_column_of_tools(header: str, name: str, found: list[tuple[str, bool]]) -> None:
    text = TABLE.format(header, name)
    assert [(one.name, one.called_tool) for one in others(text)] == found
    assert all(
        (one.evidence, one.form, text[one.start : one.end]) == (STRONG, "list", one.name) for one in others(text)
    )


@pytest.mark.parametrize(
    ("text", "names"),
    [
        # the word "tool" in the header needs one that is declared
        (
            "| # | Tool |\n|--|--|\n| 1 | `find_parcel` |\n| 2 | `open_claim` |\n| 3 | `open_case` |",
            ["open_claim", "open_case"],
        ),
        ("| # | Name |\n|--|--|\n| 1 | `find_parcel` |\n| 2 | `open_claim` |\n| 3 | `open_case` |", []),
        ("| # | Tool |\n|--|--|\n| 1 | `open_claim` |\n| 2 | `open_case` |", []),
        # no header, no table; and a column ends with its table
        ("| 1 | `find_parcel` |\n| 2 | `list_depots` |\n| 3 | `open_claim` |", []),
        ("| # | Tool |\n|--|--|\n| 1 | `find_parcel` |\n\n| 2 | `open_claim` |", []),
        # a row may hold less or more than the header, and a bar that is escaped moves the others
        ("| # | Tool |\n|--|--|\n| 1 |\n| 1 | `find_parcel` | x | y |\n| 2 | `open_claim` |", ["open_claim"]),
        ("| # | Tool |\n|--|--|\n| 1 | `find_parcel` |\n| a \\| b | `open_claim` |", []),
    ],
)
def test_columns_of_other_tables(text: str, names: list[str]) -> None:
    assert [one.name for one in others(text)] == names


@pytest.mark.parametrize("word", ["Tool", "Name", "`Call`"])
def test_the_header_of_a_table_names_no_tool(word: str) -> None:
    rows = "| `find_parcel` | number |\n| `list_depots` | |\n| `open_claim` | number |\n"
    for below in ("|---|---|", ":--|--:", "| - |"):
        text = f"Tools:\n\n| {word} | Arguments |\n{below}\n{rows}"
        assert [one.name for one in others(text)] == ["open_claim"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Look the parcel up in `find_parcel`, then `release_parcel`.", "release_parcel"),
        ("1. Call `find_parcel`.\n2. Then `release_parcel` for each.", "release_parcel"),
        ("Ask `find_parcel(number)` for it; then `release_parcel` and wait.", "release_parcel"),
        ("Then `measure_box`.", "measure_box"),
        ("Look the parcel up in `find_parcel`, then `rebook_courier`.", "rebook_courier"),
    ],
)
def test_the_next_step(text: str, name: str) -> None:
    assert [(one.name, one.ordered) for one in others(text)] == [(name, True)]


@pytest.mark.parametrize(
    "text",
    [
        "Then `release_parcel` is true.",
        "Look at `find_parcel`, then `release_parcel` holds the day.",
        "Sort by `find_parcel`, then `release_parcel`.",
        "If the number is there, then `release_parcel`.",
        "Give the weight, then `release_parcel`.",
        "Do not take `find_parcel`, then `release_parcel`.",
        "Look at `find_parcel`, then `sort_by`.",
        "Look at `find_parcel`, then `courier_id`.",
        "Look at `find_parcel`, then release_parcel.",
    ],
)
def test_what_follows_without_being_a_step(text: str) -> None:
    assert not any(one.ordered for one in others(text))


@pytest.mark.parametrize("text", ["Hand over with `transfer_to_invoices`.", "- invoices: `transfer_to_invoices`"])
def test_a_hand_over_needs_no_other_evidence(text: str) -> None:
    (found,) = others(text, "transfer_to_claims")
    assert (found.name, found.evidence, found.called_tool) == ("transfer_to_invoices", STRONG, True)
    assert STRONG not in [one.evidence for one in others(text)]


FORMER = Vocabulary(
    {name: [tool(name)] for name in TOOLS},
    former=lambda name: FormerTool(False, None) if name == "find_package" else None,
)
PAST = [
    "`find_parcel` was called `{}` until 0.4.",
    "`find_parcel`, formerly `{}`, takes a number.",
    "`find_parcel` (previously the `{}` tool) takes a number.",
    "`find_parcel` used to be `{}`.",
    "Until 0.4 it was `{}`.",
    "Before version 2.1 one had to call `{}`.",
    "`{}` is now `find_parcel`.",
    "`{}` is now called `find_parcel`.",
    "`{}` (now `find_parcel`) takes a number.",
    "`{}` was renamed to `find_parcel`.",
    "The `{}` tool has been replaced by `find_parcel`.",
    "`{}` became `find_parcel` in the spring.",
    "Replace `{}` with `find_parcel`.",
    "Replace every call of `{}` by one of `find_parcel`.",
    "We renamed `{}` to `find_parcel`.",
    "Change `{}` to `find_parcel` in what you keep.",
    "Old transcripts have `{}`.",
    "It was long ago; old recordings still use `{}`.",
    "Earlier versions called `{}`.",
]


@pytest.mark.parametrize("text", PAST)
@pytest.mark.parametrize("name", ["find_pet", "find_parcl", "mcp__find__find_pet", "find_package"])
def test_a_sentence_about_the_past_uses_nothing(text: str, name: str) -> None:
    known = Vocabulary({**FORMER.by_name, "mcp__find__list": []}, former=FORMER._former)
    found = [one for one in find_named_tools(text.format(name), [], known) if one.stance == USE]
    assert {one.name for one in found} <= set(TOOLS)


@pytest.mark.parametrize(
    "text",
    [
        "If the parcel was lost, call `find_package`.",
        "The number was wrong: call `find_package` again.",
        "It is now time to call `find_package`.",
        "For old parcels use `find_package`.",
        "Earlier parcels: use `find_package`.",
        "Replace the number, then call `find_package` with it.",
        "Once the parcel has been found, call `find_package`.",
        "Wait until 10 and call `find_package`.",
        "`find_package` is now ready: call `find_package`.",
    ],
)
def test_a_sentence_about_what_happened_uses_tools(text: str) -> None:
    assert others(text.replace("find_package", "find_packages"))
    assert [one.name for one in find_named_tools(text, [], FORMER) if one.stance == USE][-1] == "find_package"


_PIECES = st.sampled_from(
    [
        *(
            "`list_stuck`",
            "`find_parcel`",
            "with ",
            "from ",
            "by ",
            "was called ",
            "until 0.4 ",
            "replace ",
            " is now ",
        ),
        *("old notes have ", "- a: ", "\n", "\n\n", ", ", ". ", "`transfer_to_x`", "the ", "you must ", "check it "),
        *("answer ", "(now ", ")", '"list_stuck": 1', "`"),
    ]
)


@pytest.mark.slow
@settings(max_examples=examples(300))
@given(st.lists(_PIECES, max_size=25).map("".join))
def test_references_stand_where_they_say_in_order_and_apart(text: str) -> None:
    end = 0
    for reference in find_named_tools(text, [], vocabulary("transfer_to_y")):
        assert text[reference.start : reference.end] == reference.name
        assert end <= reference.start < reference.end
        end = reference.end
