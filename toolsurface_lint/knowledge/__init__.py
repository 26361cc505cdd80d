"""Facts about providers and models: literal data, each row with its source."""


def words(text: str) -> frozenset[str]:
    """The words of a text: a set that costs nothing to load."""
    return frozenset(text.split())
