"""The Microsoft Agent Framework: `@ai_function`."""

from __future__ import annotations

from toolsurface_lint.programs.framework import Framework

FRAMEWORK = Framework("python", decorators=("ai_function",))
