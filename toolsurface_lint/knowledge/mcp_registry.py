"""What the MCP registry asks of a `server.json`.

Source: modelcontextprotocol/static 12022ab, schemas/2025-12-11/server.schema.json; modelcontextprotocol/registry,
internal/validators/validators.go at 0122c31 and registries/npm.go at 1010a33, 2026-11.
"""

from __future__ import annotations

from toolsurface_lint.knowledge import words

SCHEMAS = "https://static.modelcontextprotocol.io/schemas/"
SNAKE_CASE = "2025-07-09"
"""The version of the schema whose fields have underscores."""

NAME = r"[a-zA-Z0-9][a-zA-Z0-9.-]*[a-zA-Z0-9]/[a-zA-Z0-9][a-zA-Z0-9._-]*[a-zA-Z0-9]"
_VERSION = r"v?\d{1,9}(?:\.\d{1,9}){0,3}+(?:-[0-9A-Za-z.-]{1,64}+)?+"
RANGES = (
    rf"(?:[\^~]|[<>]=?|=) {{0,9}}+{_VERSION}",
    rf"{_VERSION} - {{0,9}}+{_VERSION}",
    rf"{_VERSION}(?: {{0,9}}+\|\| {{0,9}}+{_VERSION})++",
    r"[xX*](?:\.(?:\d{1,9}|[xX*])){1,2}",
    r"v?\d{1,9}\.[xX*](?:\.(?:\d{1,9}|[xX*]))?",
    r"v?\d{1,9}\.\d{1,9}\.[xX*]",
)
"""The forms of versions that are ranges, which the registry refuses."""
LONGEST = {"name": 200, "description": 100, "title": 100, "version": 255}
"""The most characters of a field."""
REQUIRED = ("name", "description", "version")
FIELDS = words("$schema name title description version repository websiteUrl icons packages remotes status")
PACKAGE_REQUIRED = ("registryType", "identifier", "transport")
PACKAGE_FIELDS = words(
    "registryType registryBaseUrl identifier version fileSha256 runtimeHint transport runtimeArguments packageArguments "
    "environmentVariables"
)
REGISTRIES = words("npm pypi oci nuget mcpb cargo")
"""The registries that packages come from; the schema allows others."""
LOCAL_TRANSPORTS = ("stdio", "streamable-http", "sse")
REMOTE_TRANSPORTS = ("streamable-http", "sse")
