"""Sentences about the past: they name what is not there any more, and nobody is to use it."""

from __future__ import annotations

import re

from toolsurface_lint.readers.named_tools.context import Context

_VERSION = r"\b(?:until|before|up to|prior to|through)(?: version| release)? v?[0-9]+\.[0-9]"
_BEFORE = (
    # `it was x`, `was originally called x`, `formerly x`
    r"\b(?:was|were|been|used to be|formerly|previously|originally)"
    r"(?: (?:once|originally|previously|formerly|still|then))?(?: (?:called|named|known as|spelled|written))?(?: the)?"
    r"[ `*\"'(]*\Z"
    # `old notes still have x`
    r"|(?:\A|[,:(] ?|\b(?:and|but|while|as|since|that|because|some|many) )"
    r"(?:[-*] )?(?:older|old|earlier|past|former|archived|historical|outdated) [a-z]+"
    r"(?: (?:still|may|might|also|often|only))* (?:have|has|had|uses?|used|shows?|says?|contains?|mentions?|calls?|called|names?"
    r"|refer to|speak of)(?: the)?[ `*\"']*\Z"
)
_REPLACED = (
    r"\b(?:replac|renam|chang|migrat)(?:e|es|ed|ing)(?: (?!(?:with|by|to|via|using|and|then)\b)[a-z]+){0,4}[ `*\"']*\Z"
)
_WITH = r"\A(?: tool| function)? (?:with|by|to|into|in favou?r of)\b"
_AFTER = (
    r"\A(?: tool| function)?(?:"
    r",? \(?(?:is |are )?now (?:(?:called|named|known as|part of|merged into|split into) )?[`*\"]"
    r"|,? (?:was|were|is|are|got|has been|have been) (?:since |later |now )?(?:renamed|replaced|superseded|merged)\b"
    r"|,? became\b)"
)


def is_past(context: Context) -> bool:
    """Whether a sentence says that its names were used once: `x was called`, `until 0.4`, `replace x with`."""
    said, rest = context.said, context.rest
    sentence = re.split(r"[.!?;](?=\s|\Z)", rest, maxsplit=1)[0]
    return (
        re.search(_BEFORE, said, re.IGNORECASE) is not None
        or re.match(_AFTER, rest, re.IGNORECASE) is not None
        or re.search(_VERSION, f"{said} {sentence}", re.IGNORECASE) is not None
        or (re.match(_WITH, rest) is not None and re.search(_REPLACED, said, re.IGNORECASE) is not None)
    )
