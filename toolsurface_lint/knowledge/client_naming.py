"""How clients, and libraries that take in MCP servers, name the tools of a server for the model.

Each row says where it was read. Of closed programs, what their messages and their users say is all there is.
"""

# No `from __future__ import annotations`: `NamedTuple` compiles annotations that are strings, each of them at every start.

import re
from collections.abc import Iterable
from typing import NamedTuple

from toolsurface_lint.knowledge.provider_names import Provider
from toolsurface_lint.knowledge.sources import CODE, EVERY, OBSERVED, Source, Versions

REFUSED, DROPPED, CUT, CUT_INSIDE, APART = "refused", "dropped", "cut", "cut inside", "apart"
"""What happens to a name that is too long: the request fails; the tool is left out; the end of the name is left out, or the
middle of it; it is shortened with a suffix that tells it from every other.
"""

ERROR, LAST_WINS, FIRST_WINS = "nothing works", "the last one wins", "the first one wins"
"""What happens to the tools of two servers that get one name."""


class Part(NamedTuple):
    """What becomes of the name of a server or of a tool: characters that match `other` are replaced by `by`, then it is cut."""

    other: str = ""
    by: str = "_"
    lower: bool = False
    most: int | None = None

    def made_of(self, name: str) -> str:
        text = name.lower() if self.lower else name
        return (re.sub(self.other, self.by, text) if self.other else text)[: self.most]


class Naming(NamedTuple):
    """The names of one client: `form` holds `{server}` and `{tool}`; without `{server}`, servers share their names.

    `most` are the characters of a whole name, `overflow` what happens beyond. `collision` is what happens to the tools of two
    servers that get one name, None if the client tells its servers apart.
    """

    form: str
    source: Source
    server: Part = Part()
    tool: Part = Part()
    most: int | None = None
    overflow: str = CUT
    collision: str | None = None
    versions: Versions = EVERY

    def full(self, server: str, tool: str) -> str:
        """The name of a tool before it is cut to its length."""
        return self.form.format(server=self.server.made_of(server), tool=self.tool.made_of(tool))

    def name(self, server: str, tool: str) -> str:
        """The name of a tool as the model sees it."""
        full = self.full(server, tool)
        if self.most is None or len(full) <= self.most:
            return full
        if self.overflow == CUT_INSIDE:
            half = (self.most - 3) // 2
            return f"{full[:half]}...{full[-half:]}"
        return full[: self.most] if self.overflow == CUT else full

    @property
    def limit(self) -> int | None:
        """The length from which on a tool is lost, None if none is."""
        return self.most if self.overflow in (REFUSED, DROPPED) else None


_PLAIN = Part("[^a-zA-Z0-9_-]")

NAMINGS: dict[str, Naming] = {
    "ai-sdk": Naming(
        "{tool}", Source("npm @ai-sdk/mcp 1.0.102, src/tool/mcp-client.ts", "2026-11", CODE), collision=LAST_WINS
    ),
    "amazon-q": Naming(
        "{server}___{tool}",
        Source("awslabs/mcp#361 and #643: tool name exceeds max length of 64", "2025-06", OBSERVED),
        Part("[^a-zA-Z0-9]+"),
        most=64,
        overflow=DROPPED,
    ),
    "claude-code": Naming(
        "mcp__{server}__{tool}",
        Source("npm @anthropic-ai/claude-code 2.1.330; API error in anthropics/claude-code#21136", "2026-11", CODE),
        _PLAIN,
        _PLAIN,
        most=64,
        overflow=REFUSED,
    ),
    "cline": Naming(
        "{server}__{tool}",
        Source("cline/cline at 21cb8d2, name-transform.ts", "2026-08", CODE),
        _PLAIN,
        _PLAIN,
        most=64,
        overflow=APART,
    ),
    "codex": Naming(
        "mcp__{server}__{tool}",
        Source("openai/codex, codex-rs/codex-mcp/src/tools.rs", "2026-08", CODE),
        _PLAIN,
        _PLAIN,
        most=64,
        overflow=APART,
    ),
    "copilot-cli": Naming(
        "{server}-{tool}",
        Source("API error in microsoft/mcp#842; github/copilot-cli#2223", "2026-03", OBSERVED),
        most=64,
        overflow=REFUSED,
    ),
    "copilotkit": Naming("{tool}", Source("CopilotKit/CopilotKit#2409", "2025-09", OBSERVED), collision=FIRST_WINS),
    "cursor": Naming(
        "mcp_{server}_{tool}",
        Source(
            "elevenlabs/elevenlabs-mcp#33; warning of too many characters in ComposioHQ/composio#2788",
            "2026-02",
            OBSERVED,
        ),
        most=64,
        overflow=DROPPED,
    ),
    "gemini-cli": Naming(
        "mcp_{server}_{tool}",
        Source("npm @google/gemini-cli-core 0.61.0, tools/mcp-tool.js and tool-registry.js", "2026-11", CODE),
        Part("[^a-zA-Z0-9_.:-]"),
        Part("[^a-zA-Z0-9_.:-]"),
        most=63,
        overflow=CUT_INSIDE,
        collision=LAST_WINS,
    ),
    "goose": Naming("{server}__{tool}", Source("aaif-goose/goose#5755", "2025-11", OBSERVED)),
    "kiro": Naming("mcp_{server}_{tool}", Source("kirodotdev/Kiro#7656", "2026-04", OBSERVED), Part("[^a-zA-Z0-9]+")),
    "librechat": Naming(
        "{tool}_mcp_{server}",
        Source("API error in awslabs/mcp#2395 and #3181", "2026-04", OBSERVED),
        most=64,
        overflow=REFUSED,
    ),
    "openai-agents": Naming(
        "{tool}",
        Source(
            "PyPI openai-agents 0.24.0, mcp/util.py: Duplicate tool names found across MCP servers", "2026-11", CODE
        ),
        collision=ERROR,
    ),
    "openai-agents-js": Naming(
        "{tool}",
        Source("npm @openai/agents-core 0.20.0, dist/mcp.mjs; openai/openai-agents-js#1934", "2026-11", CODE),
        tool=Part("[^a-zA-Z0-9]"),
        collision=ERROR,
    ),
    "opencode": Naming(
        "{server}_{tool}",
        Source("anomalyco/opencode, packages/opencode/src/mcp/index.ts", "2026-01", CODE),
        _PLAIN,
        _PLAIN,
        collision=LAST_WINS,
    ),
    "roo": Naming(
        "mcp--{server}--{tool}",
        Source("RooCodeInc/Roo-Code at cb83656, src/utils/mcp-name.ts", "2026-04", CODE),
        Part(r"[^a-zA-Z0-9_-]", ""),
        Part(r"[^a-zA-Z0-9_-]", ""),
        most=64,
        collision=FIRST_WINS,
    ),
    "vscode": Naming(
        "mcp_{server}_{tool}",
        Source("microsoft/vscode at 0052d68, contrib/mcp/common/mcpServer.ts and mcpTypes.ts", "2026-08", CODE),
        Part("[^a-z0-9_-]+", lower=True, most=13),
        _PLAIN,
        most=64,
    ),
    # Puts the server's name before names that two servers share.
    "zed": Naming(
        "{tool}", Source("zed-industries/zed, resolve_tool_name_conflicts", "2026-08", CODE), most=64, overflow=CUT
    ),
    "windsurf": Naming("{tool}", Source("cajasmota/grafel#62", "2026-05", OBSERVED), collision=ERROR),
}
"""By the key of the client."""


def losing(providers: Iterable[Provider]) -> list[tuple[Provider, Naming]]:
    """How those of some providers name tools that lose one of two with the same name."""
    found = [(provider, NAMINGS.get(provider.key)) for provider in providers]
    return [
        (provider, naming)
        for provider, naming in found
        if naming is not None and naming.overflow != APART and naming.versions.holds(provider.version)
    ]
