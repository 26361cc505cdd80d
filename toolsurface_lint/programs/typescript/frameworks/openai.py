"""The OpenAI interfaces: objects with a `function`, or (Responses) with `type: "function"` and `parameters`."""

from __future__ import annotations

from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.frameworks import openai

FRAMEWORK = Framework("typescript-openai", recognises=openai.FRAMEWORK.recognises)
