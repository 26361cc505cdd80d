"""What clients and providers leave out of a schema without an error, by keyword.

Each row says where it was read, when, and how that is known. Whoever refuses a keyword, so that a request or a tool fails,
is in `provider_schemas`.
"""

# No `from __future__ import annotations`: `NamedTuple` compiles annotations that are strings, each of them at every start.

from collections.abc import Iterator
from typing import NamedTuple

from toolsurface_lint.knowledge import words
from toolsurface_lint.knowledge.provider_names import Provider
from toolsurface_lint.knowledge.sources import CODE, EVERY, OBSERVED, Source, Versions


class Loss(NamedTuple):
    """Keywords that do not reach the model, or mean nothing to it there.

    `items_kept`: what is below `items` arrives as it is.
    """

    keywords: frozenset[str]
    source: Source
    versions: Versions = EVERY
    items_kept: bool = False


_DEFINITIONS = words("$defs definitions")

LOSSES: dict[str, tuple[Loss, ...]] = {
    "vscode": (
        Loss(
            words("$defs"),
            Source("API error: '#/$defs/Category' does not exist, in PrefectHQ/fastmcp#2807", "2026-01", OBSERVED),
        ),
    ),
    "copilot-cli": (
        Loss(
            words("$defs"),
            Source(
                "API error: '#/$defs/QueryServerParams' does not exist, in perforce/p4mcp-server#3; "
                "github/copilot-cli#1876",
                "2026-03",
                OBSERVED,
            ),
        ),
    ),
    "claude-desktop": (
        Loss(words("$ref"), Source("arguments arrive as null, in PrefectHQ/fastmcp#1193", "2025-07", OBSERVED)),
    ),
    "claude-code": (
        Loss(
            words("$ref"),
            Source(
                "arguments arrive as strings or null, in anthropics/claude-code#18260 and #58794", "2026-05", OBSERVED
            ),
        ),
    ),
    "codex": (
        Loss(
            words("$ref $defs definitions"),
            Source("parameters shown as strings, in openai/codex#3152; fixed by #23357", "2025-09", OBSERVED),
            Versions(before=(0, 134)),
        ),
    ),
    "lmstudio": (
        Loss(
            words("$ref"),
            Source("lmstudio-ai/lmstudio-bug-tracker#738", "2025-07", OBSERVED),
            Versions(before=(0, 3, 18)),
        ),
    ),
    "ollama": (
        Loss(
            words("$ref"),
            Source("PyPI ollama 0.6.3, _types.py, Tool.Function.Parameters", "2026-11", CODE),
            items_kept=True,
        ),
    ),
    "autogen": (
        Loss(
            _DEFINITIONS,
            Source(
                "PyPI autogen-ext 0.7.5, tools/mcp/_workbench.py; microsoft/autogen#6663 and #7594", "2026-11", CODE
            ),
        ),
    ),
    "qwen-agent": (
        Loss(
            _DEFINITIONS,
            Source("PyPI qwen-agent 0.0.34, tools/mcp_manager.py; QwenLM/Qwen-Agent#873", "2026-11", CODE),
        ),
    ),
    "n8n": (
        Loss(
            words("$ref $defs definitions"),
            Source("an empty schema reaches the model, in n8n-io/n8n#25964", "2026-02", OBSERVED),
        ),
    ),
}
"""What each loses of a parameter schema, by its key."""


def losses_of(provider: Provider) -> Iterator[Loss]:
    """What a provider of some version loses."""
    return (loss for loss in LOSSES.get(provider.key, ()) if loss.versions.holds(provider.version))
