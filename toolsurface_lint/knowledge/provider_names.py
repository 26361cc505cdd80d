"""The providers, engines and clients that tools are sent to: what they are called, and which of their versions count.

Of some, nothing but the name is known: then a definition is checked against what everybody accepts.
"""

# No `from __future__ import annotations`: `NamedTuple` compiles annotations that are strings, each of them at every start.

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from toolsurface_lint.knowledge import renamed, words
from toolsurface_lint.knowledge.sources import Version

TITLES: dict[str, str] = {
    # Providers of models.
    "ai21": "AI21",
    "anthropic": "Anthropic",
    "azure-openai": "Azure OpenAI",
    "bedrock": "Amazon Bedrock",
    "cerebras": "Cerebras",
    "cohere": "Cohere",
    "crusoe": "Crusoe",
    "dashscope": "DashScope",
    "databricks": "Databricks",
    "deepinfra": "DeepInfra",
    "deepseek": "DeepSeek",
    "fireworks": "Fireworks",
    "gemini": "Gemini",
    "gemini-json-schema": "Gemini with `parametersJsonSchema`",
    "github-models": "GitHub Models",
    "groq": "Groq",
    "heroku": "Heroku",
    "huggingface": "Hugging Face",
    "minimax": "MiniMax",
    "mistral": "Mistral",
    "moonshot": "Moonshot",
    "nebius": "Nebius",
    "nvidia": "NVIDIA NIM",
    "openai": "OpenAI",
    "openai-compatible": "an OpenAI-compatible server",
    "openrouter": "OpenRouter",
    "ovhcloud": "OVHcloud",
    "perplexity": "Perplexity",
    "sambanova": "SambaNova",
    "together": "Together",
    "vercel": "Vercel AI Gateway",
    "vertex": "Vertex AI",
    "vertex-json-schema": "Vertex AI with `parametersJsonSchema`",
    "watsonx": "watsonx.ai",
    "xai": "xAI",
    "zai": "Z.ai",
    # Services with a format of their own for tools.
    "agentcore": "Amazon Bedrock AgentCore gateway",
    "bedrock-agents": "Bedrock Agents",
    "bedrock-prompt-management": "Bedrock Prompt Management",
    "elevenlabs": "ElevenLabs",
    "mcp": "the Model Context Protocol",
    # Engines that run a model on one's own machine.
    "gpt-oss": "gpt-oss",
    "litellm": "LiteLLM",
    "llama-cpp": "llama.cpp",
    "lmstudio": "LM Studio",
    "local": "a local server",
    "mlx": "MLX",
    "ollama": "Ollama",
    "sglang": "SGLang",
    "vllm": "vLLM",
    "vllm-xgrammar": "vLLM with the xgrammar backend",
    # Clients, and libraries, that take in the tools of MCP servers.
    "ai-sdk": "AI SDK",
    "amazon-q": "Amazon Q",
    "autogen": "AutoGen",
    "claude-code": "Claude Code",
    "claude-desktop": "Claude Desktop",
    "cline": "Cline",
    "codex": "Codex",
    "copilot-cli": "Copilot CLI",
    "copilotkit": "CopilotKit",
    "cursor": "Cursor",
    "gemini-cli": "Gemini CLI",
    "goose": "Goose",
    "kiro": "Kiro",
    "librechat": "LibreChat",
    "n8n": "n8n",
    "openai-agents": "OpenAI Agents SDK",
    "openai-agents-js": "OpenAI Agents SDK for JavaScript",
    "opencode": "OpenCode",
    "qwen-agent": "Qwen-Agent",
    "roo": "Roo Code",
    "vscode": "VS Code",
    "windsurf": "Windsurf",
    "zed": "Zed",
}
"""What people call each of them, by key."""

ALIASES = renamed(
    "azure=azure-openai claude=anthropic vertex-anthropic=anthropic google=gemini google-genai=gemini "
    "google-ai=gemini vertex-ai=vertex vertexai=vertex google-vertex=vertex aws-bedrock=bedrock amazon-bedrock=bedrock "
    "bedrock-converse=bedrock bedrock-agentcore=agentcore kimi=moonshot mistralai=mistral copilot=vscode "
    "vs-code=vscode x-ai=xai grok=xai llamacpp=llama-cpp llama.cpp=llama-cpp lm-studio=lmstudio roo-code=roo "
    "z-ai=zai zhipu=zai qwen=dashscope nim=nvidia"
)
"""Other ways to write their keys."""

PORTABLE = "portable"
"""What stands for every provider and client that people choose between: all but `SPECIAL`."""

SPECIAL = words("agentcore bedrock-agents bedrock-prompt-management elevenlabs mcp vllm-xgrammar")
"""Who is only asked by name: services with a format of their own, which nobody expects to fit another, and a backend that
has to be chosen.
"""

RELEASES: dict[str, tuple[Version, ...]] = {
    "mcp": ((2024, 11, 5), (2025, 3, 26), (2025, 6, 18), (2025, 11, 25), (2026, 7, 28)),
}
"""The versions of those that have few: modelcontextprotocol/modelcontextprotocol, docs/specification, 2026-08 (code)."""

NUMBERED = words(
    "ai-sdk amazon-q autogen claude-code claude-desktop cline codex copilot-cli copilotkit cursor gemini-cli goose "
    "kiro librechat litellm llama-cpp lmstudio n8n ollama openai-agents openai-agents-js opencode qwen-agent roo "
    "sglang vllm vscode windsurf zed"
)
"""Those whose versions are numbers that people know; what a provider runs today has none."""


class Provider(NamedTuple):
    """One that tools are sent to, by its key in `TITLES`, or `PORTABLE`; the version is None for the newest."""

    key: str
    version: Version | None = None

    @property
    def title(self) -> str:
        return TITLES[self.key]


@lru_cache(maxsize=128)
def provider_id(name: str) -> str:
    """The key of a provider or client, however the user writes it (`Azure OpenAI`, `azure_openai`)."""
    key = re.sub(r"[\s_]+", "-", name.strip().lower())
    return ALIASES.get(key, key)


def providers_of(texts: Iterable[str], versions: Mapping[str, Version] = MappingProxyType({})) -> tuple[Provider, ...]:
    """The providers that some texts name, each `openai`, `openai, gemini`, `cursor@2.3`, `mcp@2025-06-18` or `portable`.

    Each text is valid (`project.settings.values`). `versions` are those of the keys that are named without one.
    """
    found = (_provider(name) for text in texts for name in names_in(text))
    return tuple(dict.fromkeys(Provider(key, version or versions.get(key)) for key, version in found))


def names_in(text: str) -> list[str]:
    """The names between the commas of a text."""
    return [name.strip() for name in text.split(",") if name.strip()]


def _provider(text: str) -> Provider:
    name, _, version = (part.strip() for part in text.partition("@"))
    return Provider(provider_id(name), version_of(version))


def version_of(text: str) -> Version | None:
    """The numbers of a version, or of a date; None if it is neither."""
    return tuple(map(int, re.split("[.-]", text))) if _VERSION.fullmatch(text) else None


_VERSION = re.compile("[0-9]{1,9}(?:[.][0-9]{1,9}){0,3}|[0-9]{4}-[0-9]{2}-[0-9]{2}")
