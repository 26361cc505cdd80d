"""opencode: `tool({ description, args, execute })`, named by its key in a plugin, or by the file that exports it.

@opencode-ai/plugin 1.18.33 (`dist/tool.d.ts`): a default export of `.opencode/tool/NAME.ts` is the tool NAME, another export
`NAME_EXPORT`.
"""

from __future__ import annotations

import posixpath

from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.typescript.tool_maker import ScriptMaker, described, options, package_of
from toolsurface_lint.programs.values import Call, External, Literal, Value


def _tool(maker: ScriptMaker, function: External, call: Call) -> Value | None:
    if package_of(function) != "@opencode-ai/plugin":
        return None
    given = options(call)
    folder, name = posixpath.split(posixpath.splitext(call.module.location)[0])
    own = Literal(name, *call.at) if posixpath.basename(folder) in ("tool", "tools") else None
    return maker.nameless(FRAMEWORK, described(given, ("args",)), call, own)


FRAMEWORK = Framework("typescript-opencode", calls={"tool": _tool})
