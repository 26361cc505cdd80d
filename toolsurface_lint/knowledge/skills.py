"""What the format of agent skills asks of a skill.

Source: agentskills.io/specification, 2026; opencode.ai/docs/skills asks for the same. VS Code reports a name that is not
its folder's (microsoft/vscode 01a5990, promptValidator.ts); Claude Code shows it and goes by the folder (npm
@anthropic-ai/claude-code 2.1.50, cli.js).
"""

from toolsurface_lint.knowledge import words

LONGEST_NAME = 64
LONGEST_DESCRIPTION = 1024
OWN_FOLDERS = words("scripts references assets")
"""The folders that a skill keeps its files in."""
