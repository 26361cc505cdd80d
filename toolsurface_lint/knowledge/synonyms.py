"""Words of names and descriptions that do not tell two tools apart: verbs that mean the same, and words that say nothing.

That tools with overlapping names and descriptions make models choose worse is measured: merging such tools, together with
showing fewer at a time, gave 8.38 % to 38.6 % more right choices (arXiv 2510.20036, abstract). Which words overlap is a
judgement of ours, 2026-11, and not a fact about any software: it counts only where parameters and descriptions agree too.
"""

from toolsurface_lint.knowledge import words

SAME_VERBS = (
    words("get fetch retrieve obtain"),
    words("list enumerate"),
    words("search find lookup"),
    words("show display"),
    words("create make add"),
    words("delete remove"),
    words("update modify edit change"),
    words("run execute invoke"),
    words("start launch"),
    words("stop halt terminate"),
    words("check verify"),
    words("compute calculate"),
)
"""Verbs of which one is as good as another in the name of a tool. Not `read`: a file may be read, and facts about it got."""

ONE_VERBS, MANY_VERBS = SAME_VERBS[0], SAME_VERBS[1]
"""Those that give one thing, or several if the name has a plural, as in `get_users`; and those that give several."""

READING = frozenset().union(*SAME_VERBS[:4])
"""Those of tools that only look: `delete_all_files` does more than `delete_files`, but `list_all_files` lists the same."""

SAYS_NOTHING = words("all info information detail details data list")
"""Words that say nothing in the name of a tool that looks: `get_order_info` gets what `get_order` gets."""

SAYS_LITTLE = words(
    "a an about the this that these those of for from to in on at by with and or its it as is are be s t your you "
    "tool function api call use used allow allows let lets enable enables provide provides give gives given return returns "
    "all any every each info information detail details data list record records object objects item items entry entries "
    "available existing current specified specific certain provided complete full entire basic"
)
"""Words of a description that say nothing about which of two tools to use."""
