"""The tables of raw outputs and of the engines that read them, in Markdown, from the data of the package."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from tests.protocols.raw_outputs import write_calls
from tests.provider_tables import codes, markdown
from toolsurface_lint.knowledge.serving_engines import ENGINES
from toolsurface_lint.protocols.outputs.engines import OTHER_PARSERS
from toolsurface_lint.protocols.outputs.rows import PROTOCOLS, OutputProtocol

CALL = [("get_weather", {"city": "Oslo"})]
"""What every protocol is shown with."""


def page() -> str:
    """What is generated of `docs/protocols.md`."""
    return "\n".join(
        [
            "## Calls\n",
            calls(),
            "## Parsers\n",
            parsers(),
            "## Other parsers\n",
            others(),
        ]
    )


def calls() -> str:
    """What a call looks like in each protocol, by its grammar."""
    rows = [
        (row.grammar, f"`{row.name}`", escape(row.title), code(write_calls(row, CALL)), row.source)
        for row in in_order()
    ]
    return markdown(("grammar", "protocol", "format", "a call", "source"), rows)


def parsers() -> str:
    """Which parsers read each protocol, and which models write it."""
    rows = [
        (
            f"`{row.name}`",
            *(codes(row.engines.get(engine, ())) for engine in ENGINES),
            ", ".join(f"`{pattern}`" for pattern in row.models),
        )
        for row in in_order()
    ]
    return markdown(("protocol", *(engine.title for engine in ENGINES.values()), "models"), rows)


def others() -> str:
    """The parsers of tool calls whose formats are not read, those of reasoning, and those that are gone."""
    rows = [
        (
            engine.title,
            codes(OTHER_PARSERS.get(name, ())),
            codes(engine.reasoning),
            codes((*engine.removed, *engine.no_reasoning)),
        )
        for name, engine in ENGINES.items()
    ]
    return markdown(("engine", "of tool calls, not read here", "of reasoning", "former ones"), rows)


def in_order() -> Iterable[OutputProtocol]:
    return sorted(PROTOCOLS.values(), key=lambda row: (row.grammar, row.name))


def code(text: str) -> str:
    """A text of several lines as code in a table."""
    shown = text.strip("\n").replace("\n", "↵")
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", shown)), default=0))
    space = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{space}{shown}{space}{fence}"
