"""Facts about providers and models: literal data, each row with its source."""

SOURCE, DOCS = "source", "docs"
"""How sure a row is: read in the code of a published package or repository, or only in what is written about it."""


def words(text: str) -> frozenset[str]:
    """The words of a text: a set that costs nothing to load."""
    return frozenset(text.split())


def renamed(text: str) -> dict[str, str]:
    """Names by others that stand, or stood, for them: the words of a text, each `other=name`."""
    return dict(pair.split("=") for pair in text.split())
