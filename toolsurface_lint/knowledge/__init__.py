"""Facts about providers and models: literal data, each row with its source."""

from collections.abc import Iterable

SOURCE, DOCS = "source", "docs"
"""How sure a row is: read in the code of a published package or repository, or only in what is written about it."""

NPM, PYPI, IMAGE, ADDRESS = "npm", "pypi", "image", "address"
"""Where a published server is had: a package of a registry, a container's image, or an address, which has its newest version."""

ADDRESSES = ("url", "httpUrl", "serverUrl")
"""The fields that clients have for the address of a server, in their lists of servers."""


def words(text: str) -> frozenset[str]:
    """The words of a text: a set that costs nothing to load."""
    return frozenset(text.split())


def renamed(text: str) -> dict[str, str]:
    """Names by their aliases or former names: the words of a text, each `other=name`."""
    return dict(pair.split("=") for pair in text.split())


OPENAI_FUNCTION_KEYS = words("description parameters input_schema strict")
"""What the definition of an OpenAI function has, beside the name, that a call and a choice of a tool do not."""

_SERVICE_KEYS = words("url endpoint method steps")


def describes_service(name: object, keys: Iterable[str]) -> bool:
    """Whether an entry with an input schema describes a service or a workflow: its name is a title, and it says how to run it."""
    return isinstance(name, str) and " " in name and not _SERVICE_KEYS.isdisjoint(keys)


GEMINI_TOOLS = words(
    "retrieval google_search google_maps code_execution enterprise_web_search google_search_retrieval "
    "parallel_ai_search exa_ai_search url_context"
)
"""Tools that only Gemini runs itself, by the keys that declare them: PyPI google-genai 3.4.0, types.py, Tool."""
