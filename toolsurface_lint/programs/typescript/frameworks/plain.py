"""Plain definitions: objects with a name and the schema of an object as `parameters`, which many providers take."""

from __future__ import annotations

from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.frameworks import plain

FRAMEWORK = Framework("typescript", recognises=plain.FRAMEWORK.recognises, may_be_part=True)
"""Also of classes of tools that a program makes for itself."""
