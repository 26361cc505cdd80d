"""A parameter's description that contradicts its schema.

The one class of defect in definitions with a measured effect: descriptions that name another type or other values than
the schema cost models 13 to 29 points of task success.

The patterns are compiled when a text first needs them: most descriptions say nothing that a schema says too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from toolsurface_lint.checks.contract import DEFINITION, check
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.names import folded
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.texts import described
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.schemas.dialects import has_type
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Place

RULE = Rule(
    code="TOOL_DESCRIPTION_CONTRADICTS_SCHEMA",
    since="0.1.0",
    severity=WARNING,
    summary="A parameter's description contradicts its schema.",
    message={
        "type": "the description of `{name}` says `{said}`, but its type is {types}",
        "default": "the description of `{name}` says `{said}`, but its default is `{default}`",
        "values": "the description of `{name}` says `{said}`, but its schema allows only {values}",
        "bound": "the description of `{name}` says `{said}`, but its `{key}` is {bound}",
    },
    help="make the two agree; models follow the description",
    tags=("tools",),
)


@check(DEFINITION, RULE)
def check_definition(tool: Tool, target: Target) -> Iterator[Finding]:
    if tool.format == "arguments":
        return
    for part in described(tool):
        schema = _effective(part.schema)
        for claims in (type_claims, default_claims, value_claims, bound_claims) if part.name else ():
            for claim in claims(part.text, schema):
                place = part.node(tool).text_place(*claim.at)
                related = [("the schema says so here", Place(tool.tree, (*part.path, str(claim.values["key"]))))]
                yield RULE.of(claim, place, tool=tool.name, field=part.field, related=related, name=part.name)


def _effective(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema together with its only alternative besides null: what `Optional` becomes."""
    options = schema.get("anyOf")
    if not isinstance(options, list) or len(options) != 2:
        return schema
    others = [option for option in options if isinstance(option, dict) and option.get("type") != "null"]
    return {**others[0], **schema} if len(others) == 1 else schema


# --- types --------------------------------------------------------------------------------------------------------

_TYPES = {
    "string": "string",
    "str": "string",
    "integer": "integer",
    "int": "integer",
    "number": "number",
    "float": "number",
    "boolean": "boolean",
    "bool": "boolean",
    "array": "array",
    "list": "array",
    "tuple": "array",
    "object": "object",
    "dict": "object",
    "dictionary": "object",
}
_TYPE_WORDS = r"string|integer|int|number|float|boolean|bool|array|list|object|dict(?:ionary)?"
# At the start of the text, where it speaks of the whole value: `(integer) ...`, `Type: integer`, `An array of ...`.
_LEADING_TYPE = (
    rf"\s*(?:(?:[Tt]ype\s*[:=]\s*|\[)(?P<bare>{_TYPE_WORDS})\b|\((?P<bracketed>{_TYPE_WORDS})\)"
    rf"|(?:[Oo]ptional |[Rr]equired )?(?P<article>[Aa]n? (?:{_TYPE_WORDS}|comma[- ]separated (?:list|string)))"
    r"(?=\s+(?:of|with|that|which|containing|representing|specifying|indicating|identifying|value|identifier)\b|\s*[.;]))"
)
_MUST_BE = rf"(?:^|[.;]\s+)Must be an? (?P<must>{_TYPE_WORDS})\b(?=\s*(?:[.;,(]|$))"
_COMMA_SEPARATED = r"\s*(?:A |The |Optional )?[Cc]omma[- ][Ss]eparated (?:list|string|values)\b"
# Written as text, a value of another type is a string all the same; and alternatives are not a contradiction.
_AS_TEXT = r"(?i)\b(?:JSON|YAML|CSV|comma|separated|delimited|encoded|serialized|stringified|or|either)\b"


_TYPE_STARTS = (
    *("(", "[", "A ", "An ", "a ", "an ", "Type", "type", "Optional ", "optional ", "Required ", "required "),
    *("Comma", "comma", "The ", " ", "\n", "\t"),
)
"""How texts begin that may begin with their type."""
_FIRST_WORDS = frozenset((*_TYPES, "comma", "comma-separated"))
_TYPE_STEMS = ("str", "int", "number", "float", "bool", "array", "list", "tuple", "object", "dict", "comma")
"""What these words have in common: to look for it first costs half as much."""
_SPACES = str.maketrans("()[]:.,;=", " " * 9)


def type_claims(text: str, schema: dict[str, Any]) -> Iterator[Problem[Span]]:
    if "ust be a" not in text:
        head = text[:50].lower() if text.startswith(_TYPE_STARTS) else ""
        if not head or not any(stem in head for stem in _TYPE_STEMS):
            return
        if _FIRST_WORDS.isdisjoint(head.translate(_SPACES).split()[:4]):
            return
    leading = re.match(_LEADING_TYPE, text)
    must = re.search(_MUST_BE, text) if "ust be a" in text else None
    separated = re.match(_COMMA_SEPARATED, text)
    if leading is None and must is None and separated is None:
        return
    types = _schema_types(schema)
    if not types or "enum" in schema or "const" in schema:
        return
    stated = {"key": "type", "types": " or ".join(f"`{name}`" for name in sorted(types))}
    if separated is not None:
        if types == {"array"}:
            yield Problem("type", Span(*separated.span()), {"said": separated[0].strip(), **stated})
        return
    for match in (leading, must):
        if match is None:
            continue
        word = next(group for group in match.groups() if group).lower().split()
        if word[:2] == ["a", "number"] and text[match.end() :].lstrip().startswith("of"):
            continue
        said = _TYPES.get(word[-1])
        start, end = match.span(match.lastgroup or 0)
        sentence = text[start : _sentence_end(text, end)]
        compatible = said in types or (said in _NUMBERS and not _NUMBERS.isdisjoint(types))
        if said is not None and not compatible and re.search(_AS_TEXT, sentence) is None:
            yield Problem("type", Span(start, end), {"said": text[start:end], **stated})
            return


_NUMBERS = frozenset(("integer", "number"))


def _sentence_end(text: str, start: int) -> int:
    ends = [at for at in (text.find(". ", start), text.find("\n", start)) if at >= 0]
    return min(ends, default=len(text))


_CONDITION = r"(?i)\b(?:or|if|when|unless|otherwise|except)\b"


def _is_conditional(text: str, at: int) -> bool:
    """Whether the words of the sentence before an offset limit what follows to some cases."""
    start = max(text.rfind(". ", 0, at), text.rfind("\n", 0, at), 0)
    return re.search(_CONDITION, text[start:at]) is not None


def _schema_types(schema: dict[str, Any]) -> set[str]:
    """The JSON types that a schema accepts, without null; empty if it does not say, or names something else."""
    stated = schema.get("type")
    if isinstance(stated, str):
        stated = [stated]
    if not isinstance(stated, list):
        options = schema.get("anyOf") or schema.get("oneOf")
        if not isinstance(options, list) or not options:
            return set()
        found: set[str] = set()
        for option in options:
            types = _schema_types(option) if isinstance(option, dict) else set()
            if not types and option != {"type": "null"}:
                return set()
            found |= types
        return found
    names = {_TYPES.get(name.lower(), "") for name in stated if isinstance(name, str) and name.lower() != "null"}
    return set() if "" in names else names


# --- defaults -----------------------------------------------------------------------------------------------------

_NUMBER = r"-?\d[\d,]*(?:\.\d+)?"
_DEFAULT = (
    r"\b[Dd]efault(?:s to|s? (?:value )?is|ing to| value)?\s*+(?:[:=]\s*+)?"
    rf"(?:(?P<number>{_NUMBER})(?=\s*(?:[)\];]|,\s|\.(?:\s|$)|\n|$))|(?P<boolean>[Tt]rue|[Ff]alse)\b"
    r"|(?P<quote>[`'\"])(?P<text>[^`'\"\n]{1,40})(?P=quote)|(?P<word>[A-Za-z][\w-]*)(?=\s*(?:[)\];]|\.(?:\s|$)|\n|$)))"
)


def default_claims(text: str, schema: dict[str, Any]) -> Iterator[Problem[Span]]:
    default = schema.get("default")
    if default is None or default == "" or "efault" not in text:
        return
    matches = list(re.finditer(_DEFAULT, text))
    # Several defaults hold under conditions, which the schema cannot say.
    if len(matches) != 1:
        return
    match = matches[0]
    if _agrees_with_default(match, default, schema) or _is_conditional(text, match.start()):
        return
    shown = str(default).lower() if isinstance(default, bool) else str(default)
    yield Problem("default", Span(*match.span()), {"said": match[0].strip(), "key": "default", "default": shown})


def _agrees_with_default(match: re.Match[str], default: Any, schema: dict[str, Any]) -> bool:
    if match["number"] is not None:
        if isinstance(default, bool) or not isinstance(default, int | float):
            return True
        return _is_number(match["number"], default)
    if match["boolean"] is not None:
        return not isinstance(default, bool) or (match["boolean"].lower() == "true") == default
    if not isinstance(default, str):
        return True
    if match["text"] is not None:
        return folded(match["text"]) == folded(default) or not folded(match["text"])
    values = schema.get("enum")
    known = isinstance(values, list) and any(match["word"] == value for value in values)
    return not known or match["word"] == default


def _is_number(said: str, value: float) -> bool:
    """Whether a number in a text is that of a schema; taken for it where that is an integer beyond all floats."""
    try:
        return float(said.replace(",", "")) == float(value)
    except OverflowError:
        return True


# --- values -------------------------------------------------------------------------------------------------------

_ITEM = r"(?:`[^`\n]{1,40}`|\"[^\"\n]{1,40}\"|'[^'\n]{1,40}'|[A-Za-z0-9][\w.+-]*)"
_JOIN = r"(?:\s*+[,|/]\s*+(?:or\s++|and\s++)?|\s++(?:or|and)\s++)"
_VALUES = (
    r"\b(?:(?:(?P<sole>(?<!at least )[Oo]ne of|[Mm]ust be(?: either| one of)?)|[Cc]an be(?: either| one of)?|[Ee]ither)"
    r"(?:\s*+:\s*+|\s++)|"
    r"(?:(?:[Aa]llowed|[Vv]alid|[Pp]ossible|[Ss]upported|[Aa]ccepted) values?|[Oo]ptions|[Vv]alues)"
    r"(?:\s*+:\s*+|\s++(?:are|is)(?:\s*+:)?\s++))"
    rf"[\[(]?(?P<list>{_ITEM}(?:{_JOIN}{_ITEM})+)"
)
_PLAIN_VALUE = r"[A-Za-z0-9][\w+-]*"
_SPLIT = r"`([^`\n]+)`|\"([^\"\n]+)\"|'([^'\n]+)'|([A-Za-z0-9][\w.+-]*)"


_LIST_MARKS = ("ne of", "alues", "ust be", "an be", "ither", "ptions")
# What stands for leaving the parameter out, and is not a value.
_ABSENT = ("none", "null", "nothing", "empty", "omitted")


def value_claims(text: str, schema: dict[str, Any]) -> Iterator[Problem[Span]]:
    values, key = _enum(schema)
    if not values or not any(mark in text for mark in _LIST_MARKS):
        return
    shapes = {folded(value) for value in values}
    for match in re.finditer(_VALUES, text):
        listed = [item for item in re.finditer(_SPLIT, match["list"]) if item[0] not in ("or", "and")]
        coded = all(item.lastindex != 4 for item in listed)
        said = [(item, item[item.lastindex or 0].rstrip(".")) for item in listed]
        shared = sum(folded(value) in shapes for _, value in said)
        # Words of which none is a value are prose, unless they are quoted as the only values that there are; of bare
        # ones nearly all must be values.
        if not shared and not (coded and match["sole"] and all(re.fullmatch(_PLAIN_VALUE, value) for _, value in said)):
            continue
        if not coded and shared < len(said) - 1:
            continue
        for item, value in said:
            if value in values or (not coded and not _ends_list(text, match, item)):
                continue
            if item.lastindex == 4 and value.lower() in _ABSENT:
                continue
            start, end = (match.start("list") + at for at in item.span())
            shown = ", ".join(f"`{known}`" for known in values[:6]) + (", ..." if len(values) > 6 else "")
            yield Problem("values", Span(start, end), {"said": value, "key": key, "values": shown})
            return


def _ends_list(text: str, match: re.Match[str], item: re.Match[str]) -> bool:
    """Whether a bare word is an item and not the first word of what follows the list."""
    if match.start("list") + item.end() < match.end("list"):
        return True
    return text[match.end("list") :].lstrip(" ")[:1] in ("", ".", ",", ";", ")", "]", "\n")


def _enum(schema: dict[str, Any]) -> tuple[list[str], str]:
    """The texts that a schema allows, or its items, and the key under which they are."""
    values = schema.get("enum")
    key = "enum"
    if not isinstance(values, list) and isinstance(schema.get("items"), dict):
        values, key = schema["items"].get("enum"), "items"
    if not isinstance(values, list):
        return [], key
    texts = [value for value in values if isinstance(value, str)]
    return (texts, key) if len(texts) == len([value for value in values if value is not None]) else ([], key)


# --- bounds -------------------------------------------------------------------------------------------------------

_END = r"(?=\s*(?:[)\];]|,\s|\.(?:\s|$)|\n|$))"
_RANGE = (
    r"(?:\(|\b(?:[Rr]ange:?\s*|[Bb]etween\s+|[Ff]rom\s+))"
    rf"(?P<minimum>{_NUMBER})\s*(?:-|–|to|and|\.\.)\s*(?P<maximum>{_NUMBER}){_END}"
)
_MOST = rf"\b[Mm]ax(?:imum)?(?:\s++(?:is|of|value))?\s*+(?:[:=]\s*+)?(?P<maximum>{_NUMBER}){_END}"
_LEAST = rf"\b[Mm]in(?:imum)?(?:\s++(?:is|of|value))?\s*+(?:[:=]\s*+)?(?P<minimum>{_NUMBER}){_END}"
_UP_TO = r"\b(?:[Mm]ax(?:imum)?|[Uu]p to|[Aa]t most)(?:\s+of)?:?\s+"
# Each with what a text must hold for it to be worth a search.
_CLAIMED = (
    (_RANGE, ("(", "etween", "ange", "rom ")),
    (_MOST, ("max", "Max")),
    (_LEAST, ("min", "Min")),
    (rf"{_UP_TO}(?P<maxLength>{_NUMBER})\s+(?:characters|chars)\b", ("char",)),
    (rf"{_UP_TO}(?P<maxItems>{_NUMBER})\s+(?:items|elements|entries)\b", ("items", "elements", "entries")),
)
_BOUNDS = frozenset(("minimum", "maximum", "maxLength", "maxItems"))


def bound_claims(text: str, schema: dict[str, Any]) -> Iterator[Problem[Span]]:
    if _BOUNDS.isdisjoint(schema) or re.search("[0-9]", text) is None:
        return
    bounds = {key: schema[key] for key in _BOUNDS if has_type(schema.get(key), "number")}
    for pattern, marks in _CLAIMED:
        for match in re.finditer(pattern, text) if any(mark in text for mark in marks) else ():
            for key, said in match.groupdict().items():
                if key not in bounds or _is_number(said, bounds[key]):
                    continue
                if key in ("maxLength", "maxItems") or not _is_conditional(text, match.start()):
                    values = {"said": match[0].strip("( "), "key": key, "bound": f"{bounds[key]:g}"}
                    yield Problem("bound", Span(*match.span(key)), values)
