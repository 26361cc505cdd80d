"""The Anthropic interface: objects with an `input_schema`."""

from __future__ import annotations

from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.frameworks import anthropic

FRAMEWORK = Framework("typescript-anthropic", recognises=anthropic.FRAMEWORK.recognises)
