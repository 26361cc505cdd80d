"""What descriptions of parameters claim about types, defaults, values and bounds, against their schemas.

The patterns are compiled when a text first needs them: most descriptions say nothing that a schema says too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from toolsurface_lint.model.names import folded


class Claim(NamedTuple):
    """What a text says at `start` to `end` (`said`), and in `values` what the schema says instead, under `key`."""

    kind: str
    start: int
    end: int
    said: str
    key: str
    values: dict[str, Any]


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


def type_claims(text: str, schema: dict[str, Any]) -> Iterator[Claim]:
    leading = re.match(_LEADING_TYPE, text)
    must = re.search(_MUST_BE, text) if "ust be a" in text else None
    separated = re.match(_COMMA_SEPARATED, text)
    if leading is None and must is None and separated is None:
        return
    types = _schema_types(schema)
    if not types or "enum" in schema or "const" in schema:
        return
    stated = {"types": " or ".join(f"`{name}`" for name in sorted(types))}
    if separated is not None:
        if types == {"array"}:
            yield Claim("type", *separated.span(), separated[0].strip(), "type", stated)
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
        if said is None or _compatible(said, types) or re.search(_AS_TEXT, sentence) is not None:
            continue
        yield Claim("type", start, end, text[start:end], "type", stated)
        return


def _sentence_end(text: str, start: int) -> int:
    ends = [at for at in (text.find(". ", start), text.find("\n", start)) if at >= 0]
    return min(ends, default=len(text))


_CONDITION = r"(?i)\b(?:or|if|when|unless|otherwise|except)\b"


def _is_conditional(text: str, at: int) -> bool:
    """Whether the words of the sentence before an offset limit what follows to some cases."""
    start = max(text.rfind(". ", 0, at), text.rfind("\n", 0, at), 0)
    return re.search(_CONDITION, text[start:at]) is not None


def _compatible(said: str, types: set[str]) -> bool:
    return said in types or (said in ("integer", "number") and not types.isdisjoint(("integer", "number")))


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


def default_claims(text: str, schema: dict[str, Any]) -> Iterator[Claim]:
    default = schema.get("default")
    if default is None or default == "":
        return
    matches = list(re.finditer(_DEFAULT, text))
    # Several defaults hold under conditions, which the schema cannot say.
    if len(matches) != 1:
        return
    match = matches[0]
    if _agrees_with_default(match, default, schema) or _is_conditional(text, match.start()):
        return
    yield Claim("default", *match.span(), match[0].strip(), "default", {"default": _plain(default)})


def _agrees_with_default(match: re.Match[str], default: Any, schema: dict[str, Any]) -> bool:
    kind = match.lastgroup
    if match["number"] is not None:
        if isinstance(default, bool) or not isinstance(default, int | float):
            return True
        return float(match["number"].replace(",", "")) == float(default)
    if match["boolean"] is not None:
        return not isinstance(default, bool) or (match["boolean"].lower() == "true") == default
    if not isinstance(default, str):
        return True
    if match["text"] is not None:
        return folded(match["text"]) == folded(default) or not folded(match["text"])
    values = schema.get("enum")
    known = isinstance(values, list) and any(match["word"] == value for value in values)
    return kind != "word" or not known or match["word"] == default


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


# --- values -------------------------------------------------------------------------------------------------------

_ITEM = r"(?:`[^`\n]{1,40}`|\"[^\"\n]{1,40}\"|'[^'\n]{1,40}'|[A-Za-z0-9][\w.+-]*)"
_JOIN = r"(?:\s*+[,|/]\s*+(?:or\s++|and\s++)?|\s++(?:or|and)\s++)"
_VALUES = (
    r"\b(?:(?:(?P<sole>[Oo]ne of|[Mm]ust be(?: either| one of)?)|[Cc]an be(?: either| one of)?|[Ee]ither)(?:\s*+:\s*+|\s++)|"
    r"(?:(?:[Aa]llowed|[Vv]alid|[Pp]ossible|[Ss]upported|[Aa]ccepted) values?|[Oo]ptions|[Vv]alues)"
    r"(?:\s*+:\s*+|\s++(?:are|is)(?:\s*+:)?\s++))"
    rf"[\[(]?(?P<list>{_ITEM}(?:{_JOIN}{_ITEM})+)"
)
_PLAIN_VALUE = r"[A-Za-z0-9][\w+-]*"
_SPLIT = r"`([^`\n]+)`|\"([^\"\n]+)\"|'([^'\n]+)'|([A-Za-z0-9][\w.+-]*)"


# What stands for leaving the parameter out, and is not a value.
_ABSENT = ("none", "null", "nothing", "empty", "omitted")


def value_claims(text: str, schema: dict[str, Any]) -> Iterator[Claim]:
    values, key = _enum(schema)
    if not values:
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
            start = match.start("list") + item.start()
            shown = ", ".join(f"`{known}`" for known in values[:6]) + (", ..." if len(values) > 6 else "")
            yield Claim("values", start, start + len(item[0]), value, key, {"values": shown})
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
    rf"(?P<low>{_NUMBER})\s*(?:-|–|to|and|\.\.)\s*(?P<high>{_NUMBER}){_END}"
)
_MOST = rf"\b[Mm]ax(?:imum)?(?:\s++(?:is|of|value))?\s*+(?:[:=]\s*+)?(?P<high>{_NUMBER}){_END}"
_LEAST = rf"\b[Mm]in(?:imum)?(?:\s++(?:is|of|value))?\s*+(?:[:=]\s*+)?(?P<low>{_NUMBER}){_END}"
_LENGTH = (
    rf"\b(?:[Mm]ax(?:imum)?|[Uu]p to|[Aa]t most)(?:\s+of)?:?\s+(?P<most>{_NUMBER})\s+"
    r"(?P<unit>characters|chars|items|elements|entries)\b"
)
# What a text must hold for each to be worth a search.
_PATTERNS = ((_RANGE, ("(", "etween", "ange", "rom ")), (_MOST, ("max", "Max")), (_LEAST, ("min", "Min")))
_BOUNDS = ("minimum", "maximum", "maxLength", "maxItems")


def bound_claims(text: str, schema: dict[str, Any]) -> Iterator[Claim]:
    bounds = _bounds(schema)
    if not bounds or re.search("[0-9]", text) is None:
        return
    if "minimum" in bounds or "maximum" in bounds:
        for pattern, marks in _PATTERNS:
            for match in re.finditer(pattern, text) if any(mark in text for mark in marks) else ():
                for group, key in (("low", "minimum"), ("high", "maximum")):
                    if not _is_conditional(text, match.start()):
                        yield from _bound_claim(match, group, key, bounds)
    if "maxLength" in bounds or "maxItems" in bounds:
        for match in re.finditer(_LENGTH, text):
            key = "maxLength" if match["unit"].startswith("char") else "maxItems"
            yield from _bound_claim(match, "most", key, bounds)


def _bounds(schema: dict[str, Any]) -> dict[str, float]:
    return {
        key: schema[key]
        for key in _BOUNDS
        if isinstance(schema.get(key), int | float) and not isinstance(schema[key], bool)
    }


def _bound_claim(match: re.Match[str], group: str, key: str, bounds: dict[str, float]) -> Iterator[Claim]:
    said = match.groupdict().get(group)
    if said is None or key not in bounds:
        return
    if float(said.replace(",", "")) != float(bounds[key]):
        yield Claim("bound", *match.span(group), match[0].strip("( "), key, {"key": key, "bound": f"{bounds[key]:g}"})


CLAIMS = {"type": type_claims, "default": default_claims, "values": value_claims, "bounds": bound_claims}
