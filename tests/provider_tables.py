"""The tables of what providers and clients accept, in Markdown, from the data in `toolsurface_lint/knowledge/`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from toolsurface_lint.knowledge import client_naming, provider_schemas, providers
from toolsurface_lint.knowledge.provider_losses import LOSSES
from toolsurface_lint.knowledge.provider_names import TITLES
from toolsurface_lint.knowledge.provider_schemas import PROFILES, STRICT_PROFILES, Demand
from toolsurface_lint.knowledge.sources import Source, Versions, shown

MARK, END = "<!-- who refuses what -->\n", "<!-- end -->"
"""What the table of schemas is between on the pages of rules."""

STRUCTURES = {
    "all-required": "a property that `required` does not list",
    "array-items": "an array without `items`",
    "closed-objects": "an object without `additionalProperties: false`",
    "declared-required": "a name in `required` that the same object does not declare",
    "defs-ref": "a `$ref` to anything but `#` and what is under `#/$defs/`",
    "described": "a property without a description",
    "described-ref": "keywords beside `$ref` other than `description`, `default` and those with `$`",
    "ending-recursion": "something required that requires itself without end",
    "few-min-items": "a `minItems` above 1",
    "items-of-arrays": "`items`, `minItems` or `maxItems` beside a type other than `array`",
    "local-ref": "a `$ref` to anything but `#` and a definition at the top",
    "lone-any-of": "any keyword beside `anyOf`",
    "lone-ref": "any keyword beside `$ref`",
    "no-boolean-schema": "`true` or `false` as the schema of a property",
    "no-default": "a `default` that is not null",
    "no-lookaround": "lookahead or lookbehind in a `pattern`",
    "no-recursion": "recursion",
    "object-properties": "an object without `properties`",
    "plain-definitions": "an empty name, or one with a `/`, in `$defs`",
    "plain-enum": "an `enum` without values, or beside several types other than one and `null`",
    "primitive-enum": "an object or an array in `enum`",
    "properties-for-required": "`required` without `properties`",
    "single-all-of": "more than one schema in `allOf`",
    "single-items": "a list of schemas in `items`",
    "single-type": "a list of types",
    "text-enum": "a value in `enum` that is not a string, or is empty",
    "typed-items": "`items` without a type",
    "typed-parts": "any part without a type",
    "typed-properties": "a property without a type",
    "untyped-any-of": "`type` beside `anyOf`",
    "untyped-ref": "`type` or `anyOf` beside `$ref`",
}
"""What those refuse that demand a structure, by its name."""

LIMITS = {
    "depth": "more than {} levels of objects and arrays",
    "properties": "more than {} properties in all",
    "enum_values": "more than {} values of enums in all",
    "texts": "more than {} characters in names and values of enums",
}

KEYWORD = re.compile("`[^`]+`( at the top)?(?:, from .*|, before .*)?")
"""A row for one keyword."""


def profiles() -> Iterator[tuple[str, tuple[Demand, ...]]]:
    """Everybody with demands on schemas, by the name that the tables have for them."""
    for key, demands in PROFILES.items():
        yield TITLES[key], demands
    for key, demands in STRICT_PROFILES.items():
        yield f"{TITLES[key]} (strict)", demands


KNOWN = frozenset(
    {
        *("$anchor", "$comment", "$defs", "$id", "$ref", "$schema", "additionalProperties", "const", "contentEncoding"),
        *("definitions", "deprecated", "examples", "prefixItems", "readOnly", "writeOnly"),
        *(key for _, demands in profiles() for demand in demands for key in demand.rejected | demand.rejected_at_root),
    }
)
"""The keywords with a row of their own; who accepts no others than a list refuses also those that nobody has heard of."""


def refused(demand: Demand) -> Iterator[str]:
    """What a demand refuses, in words; keywords one by one."""
    since = during(demand.versions)
    for keyword in sorted(demand.rejected):
        yield f"`{keyword}`{since}"
    for keyword in sorted(demand.rejected_at_root):
        yield f"`{keyword}` at the top{since}"
    if demand.allowed is not None:
        yield f"every keyword but {codes(demand.allowed)}{since}"
    for name in sorted(demand.structures):
        yield STRUCTURES[name] + since
    for kind, formats in demand.formats.items():
        yield f"a `format`{f' of {kind}s' if kind else ''} other than {codes(formats)}{since}"
    for field, words in LIMITS.items():
        most = getattr(demand, field)
        if most is not None:
            yield words.format(f"{most:,}") + since
    if demand.property_name is not None:
        yield f"a property name that does not match `{demand.property_name}`{since}"


def who_refuses_what() -> str:
    """One row for all that the same ones refuse: keywords first, then those at the top, then the rest."""
    refusers: dict[str, list[str]] = {}
    for title, demands in profiles():
        for demand in demands:
            others = KNOWN - demand.allowed if demand.allowed is not None else ()
            for words in (*refused(demand), *(f"`{keyword}`" for keyword in others)):
                if title not in refusers.setdefault(words, []):
                    refusers[words].append(title)
    rows: dict[tuple[int, str], list[str]] = {}
    for words, titles in refusers.items():
        keyword = KEYWORD.fullmatch(words)
        order = 2 if keyword is None else 1 if keyword[1] else 0
        # What is said in words stands alone, keywords with the others that the same ones refuse.
        same = rows.setdefault((order, ", ".join(sorted(titles, key=str.lower))), [])
        same.append(words)
    table: list[tuple[str, str]] = []
    for (order, by), together in sorted(rows.items(), key=lambda item: (item[0][0], sorted(item[1]))):
        together.sort()
        if order == 2:
            table += [(words, by) for words in together]
        else:
            suffix = " at the top" if order else ""
            table.append((", ".join(words.removesuffix(suffix) for words in together) + suffix, by))
    return markdown(("refused in a schema", "by"), table)


def names() -> str:
    rows = [
        (TITLES[key], f"{rule.allowed}{during(rule.versions)}", str(rule.most), str(rule.source))
        for key, rule in sorted(providers.NAME_RULES.items(), key=lambda item: TITLES[item[0]].lower())
    ]
    return markdown(("provider", "characters of a tool's name", "at most", "source"), rows)


def limits(known: dict[str, providers.Limit]) -> str:
    rows = [
        (TITLES[key], f"{limit.most:,} {limit.unit}{during(limit.versions)}", str(limit.source))
        for key, limit in sorted(known.items(), key=lambda item: TITLES[item[0]].lower())
    ]
    return markdown(("provider or client", "at most", "source"), rows)


def namings() -> str:
    """How clients name the tools of servers: of a part, what is replaced, and what happens to a name that is too long."""
    rows = []
    for key, naming in sorted(client_naming.NAMINGS.items(), key=lambda item: TITLES[item[0]].lower()):
        changes = {f"`{{{name}}}`": changed(part) for name, part in (("server", naming.server), ("tool", naming.tool))}
        same = len(set(changes.values())) == 1
        parts = [f"{name}: {change}" for name, change in changes.items() if change]
        rows.append(
            (
                TITLES[key] + during(naming.versions),
                f"`{naming.form}`",
                next(iter(changes.values())) if same else "; ".join(parts),
                "" if naming.most is None else f"{naming.most}: {OVERFLOW[naming.overflow]}",
                naming.collision or "",
                str(naming.source),
            )
        )
    head = (
        "client",
        "name of a tool",
        "changed in it",
        "characters at most: what happens beyond",
        "two of one name",
        "source",
    )
    return markdown(head, rows)


OVERFLOW = {
    client_naming.REFUSED: "the request fails",
    client_naming.DROPPED: "the tool is left out",
    client_naming.CUT: "the end is cut off",
    client_naming.CUT_INSIDE: "the middle is replaced by `...`",
    client_naming.APART: "it is shortened, with a suffix that no other has",
}


def changed(part: client_naming.Part) -> str:
    """What becomes of a server's or a tool's name, in words; empty if it stays as it is."""
    changes = ["lower case"] if part.lower else []
    if part.other:
        changes.append(f"`{part.other}` " + (f"replaced by `{part.by}`" if part.by else "removed"))
    if part.most is not None:
        changes.append(f"cut to {part.most} characters")
    return ", ".join(changes)


def losses() -> str:
    rows = [
        (
            TITLES[key] + during(loss.versions),
            codes(loss.keywords) + (", but not below `items`" if loss.items_kept else ""),
            str(loss.source),
        )
        for key, found in sorted(LOSSES.items(), key=lambda item: TITLES[item[0]].lower())
        for loss in found
    ]
    return markdown(("client", "what does not reach the model", "source"), rows)


def sources() -> str:
    """For each provider, each demand on schemas in words and where it was read."""
    parts = []
    for title, demands in sorted(profiles(), key=lambda profile: profile[0].lower()):
        rows = [(", ".join(refused(demand)), *read(demand.source)) for demand in demands]
        parts.append(f"### {title}\n\n{markdown(('refused', 'source', 'date', 'how'), rows)}")
    return "\n".join(parts)


def page() -> str:
    """What is generated of `docs/providers.md`."""
    return "\n".join(
        [
            "## Schemas\n",
            who_refuses_what(),
            "## Names of tools\n",
            names(),
            "## Numbers of tools\n",
            limits(providers.TOOL_LIMITS),
            "## Descriptions of tools\n",
            limits(providers.DESCRIPTION_LIMITS),
            "## Names that clients give to the tools of MCP servers\n",
            namings(),
            "## Keywords of a schema that are dropped silently\n",
            losses(),
            "## Sources of the demands on schemas\n",
            sources(),
        ]
    )


def every_source() -> Iterator[tuple[str, Source]]:
    """The source of every row of the data, and what it is a row of."""
    for title, demands in profiles():
        yield from ((title, demand.source) for demand in demands)
    for key, rule in providers.NAME_RULES.items():
        yield f"name {key}", rule.source
    for known in (providers.TOOL_LIMITS, providers.DESCRIPTION_LIMITS):
        yield from ((f"limit {key}", limit.source) for key, limit in known.items())
    for reserved in (providers.RESERVED_NAMES, providers.RESERVED_PREFIXES):
        yield from ((f"reserved {key}", row[1]) for key, row in reserved.items())
    yield from ((f"naming {key}", naming.source) for key, naming in client_naming.NAMINGS.items())
    yield from ((f"loss {key}", loss.source) for key, found in LOSSES.items() for loss in found)
    yield provider_schemas.HEADER, provider_schemas.HEADER_SOURCE


def read(source: Source) -> tuple[str, str, str]:
    return source.text, source.date, source.verified


def during(versions: Versions) -> str:
    since = "" if versions.since is None else f", from {shown(versions.since)}"
    return since + ("" if versions.before is None else f", before {shown(versions.before)}")


def codes(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in sorted(words))


def markdown(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)
