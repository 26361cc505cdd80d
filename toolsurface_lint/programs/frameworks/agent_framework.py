"""The Microsoft Agent Framework: `@ai_function`."""

from toolsurface_lint.programs.framework import Framework

FRAMEWORK = Framework("python", decorators=("ai_function",))
