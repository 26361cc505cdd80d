"""The words of names: what verbs say about effects."""

from __future__ import annotations

import re
from functools import lru_cache

from toolsurface_lint.knowledge import words

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

READING_VERBS = words("get list read search find describe show view count lookup inspect retrieve query")
"""Verbs of tools that change nothing."""

WRITING_VERBS = words(
    "delete remove drop destroy purge erase truncate wipe overwrite write update insert uninstall upload publish "
    "deploy rename edit modify patch"
)
"""Verbs of tools that change what they name."""

_MAKING_VERBS = frozenset(("create", "add", "send"))
_KEPT = words(
    "account bucket branch channel collection comment customer database directory event file folder group "
    "invitation invoice issue item label member mail email message node note notification order payment policy "
    "project record release repo repository reply role row rule secret sms subscription table task team ticket "
    "user webhook workspace"
)
"""What stays when it has been created, added or sent: one may also `create` a chart, a plan or a link."""

_ALSO_NOUNS = frozenset({"update", "edit", "patch", "drop", "purge"})


@lru_cache(maxsize=1 << 14)
def name_words(name: str) -> tuple[str, ...]:
    """The words of a name in lower case: `readFile`, `read-file` and `ReadFile` all give `read`, `file`."""
    return tuple(word.lower() for word in _WORD.findall(name))


def stem(word: str) -> str:
    """A word without its ending: `lists`, `listing` and `list` are one."""
    for ending in ("ing", "es", "s", "ed", "e"):
        if len(word) - len(ending) >= 3 and word.endswith(ending):
            return word[: -len(ending)]
    return word


def verb_of(name: str) -> str | None:
    """The reading or writing verb that a name begins with, or has after one word, which may be a server's name."""
    words = name_words(name)
    if "or" in words or "and" in words:
        return None
    if words[:1] and words[0] in READING_VERBS | WRITING_VERBS:
        return words[0]
    if len(words) > 2 and (words[1] in READING_VERBS or words[1] in WRITING_VERBS - _ALSO_NOUNS):
        return words[1] if words[0] not in _OTHER_VERBS else None
    return None


def making_verb_of(name: str) -> str | None:
    """The verb of a name that says that something is created, added or sent which stays: `create_issue`, `addLabels`."""
    words = name_words(name)
    if len(words) < 2 or words[0] not in _MAKING_VERBS or "or" in words:
        return None
    last = words[-1]
    return words[0] if last in _KEPT or last.removesuffix("s") in _KEPT else None


_OTHER_VERBS = words(
    "check compare explain generate wait export validate plan preview simulate estimate analyze analyse is has "
    "can should verify test open select trace create add set make build run execute start stop enable disable "
    "apply undo cancel no not dry pre post after before bulk batch auto last"
)
"""First words after which a second verb does not belong to a name."""

TOOL_VERBS = READING_VERBS - {"view", "count", "query"} | words(
    "create delete remove add fetch write send upload download execute generate validate insert edit cancel "
    "enable disable install deploy publish subscribe resolve check analyze invoke submit extract convert register "
    "unregister resume pause restart stop verify rename merge clone save load scrape crawl navigate click take "
    "apply update run set open close start query move copy build test select export import read search call scan "
    "compare assign share replace upsert watch unwatch reply archive restore lock unlock expand"
)
"""Verbs with which names of tools begin."""

LOOKS_LIKE_A_FIELD = words(
    "id ids time date at by type types name names mode count key url uri path flag status state mask query string "
    "text term terms number version format token result results index options config size limit only start end "
    "field fields filter value values on off in out up down ahead back through once write heavy able friendly "
    "specific started as is per based like level code all error errors data timeout interval"
)
"""Words after a verb that make a name one of a field: `update_time`, `search_query`, `read-only`."""

ALSO_AN_OBJECT = words(
    "all text data code error errors status field fields filter value values key version results options config "
    "path url page name names"
)
"""Those of them that also begin what a verb is about: `delete_all_notes`, `read_text_file`."""
