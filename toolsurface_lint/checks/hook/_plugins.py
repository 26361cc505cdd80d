"""Whose hooks those of a plugin are."""

from __future__ import annotations

from toolsurface_lint.knowledge.hooks import HOOKS
from toolsurface_lint.model.hooks import HookFile
from toolsurface_lint.model.surface import Surface


def has_known_client(file: HookFile, surface: Surface) -> bool:
    """Whether a file is surely read by the client whose events it has: many clients have taken over the form of one."""
    mark = HOOKS[file.client].plugin[1]
    return file.named or surface.project_files.has(file.origin, f"../{mark}")
