"""What Python files have been found to register: tools, servers, and the reasons why there may be more.

Kept here is what was found, in the state that the code was in when it was found; which code registers something is
decided in `registration`, `servers` and `tool_maker`, and what is said of it is made in `definitions`.
"""

from __future__ import annotations

import ast

from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.framework import Reason, Registration, Server, ToolObject
from toolsurface_lint.programs.python.modules import Module
from toolsurface_lint.programs.values import Class, Function, Items, Literal, Scope, Value, describe


class Registry:
    """The registrations of the files that are followed."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.registrations: list[Registration] = []
        self.reasons: list[Reason] = []
        self.instructions: list[tuple[Server, Literal]] = []
        """What servers tell the model about themselves, each a text that stands in a file as it is."""
        self.servers: dict[str, Server] = {}
        """By what tells one from another: where it is made, or what it is called on."""
        self.tool_functions: set[ast.AST] = set()
        """The code of functions that are tools: the model calls them, nothing in them registers anything."""
        self.given_servers: set[str] = set()
        """The names of functions that were called with a server."""
        self._evaluator = evaluator
        self.displays: dict[Value, Registration] = {}
        """By the dicts that are whole definitions."""
        self._seen: dict[tuple[object, ...], Registration] = {}
        self._blocks: dict[Scope | Class, int] = {}
        self._reported: set[tuple[str, str, int]] = set()

    def add(self, registration: Registration) -> Registration:
        """Keep a registration, once: code that is followed twice registers the same tool."""
        place = registration.node.lineno, registration.node.col_offset
        key = (registration.server, registration.name.value, registration.module.path, *place)
        known = self._seen.get(key)
        if known is not None:
            return known
        self._seen[key] = registration
        registration.entry = self._evaluator.entry
        registration.uncertain = self._evaluator.uncertain
        registration.optional = registration.optional or self._evaluator.optional > 0
        displays = self._evaluator.displays
        if registration.server is None:
            at = displays[0].lineno if displays else registration.node.lineno
            where = f"list:{at}" if displays else f"{at}:{registration.node.col_offset}"
            if registration.function is not None and not displays:
                where = self._block(registration.function)
            registration.container = f"{registration.module.path}:{registration.framework.format}:{where}"
        self.registrations.append(registration)
        return registration

    def gather(self, items: Items) -> None:
        """The definitions in a list that were made elsewhere are those of the list."""
        if items.module is None or items.node is None or not self.registrations:
            return
        outermost = self._evaluator.displays[0] if self._evaluator.displays else items.node
        for item in items.items:
            found = item.registration if isinstance(item, ToolObject) else self.displays.get(item)
            if found is not None and found.server is None and (found.display is not None or found.function is None):
                found.container = f"{items.module.path}:{found.framework.format}:list:{outermost.lineno}"

    def _block(self, function: Function) -> str:
        """What tells the tools in one function's or class's body from those in another; empty for those of a file itself."""
        if function.owner is None and function.scope.outer is None:
            return ""
        return str(self._blocks.setdefault(function.owner or function.scope, len(self._blocks) + 1))

    def add_instructions(self, server: Server, text: Value) -> None:
        """Take note of a server's instructions, once, if they are written in one piece."""
        if (
            isinstance(text, Literal)
            and isinstance(text.node, ast.Constant)
            and isinstance(text.node.value, str)
            and all(text.node is not known.node for _, known in self.instructions)
        ):
            self.instructions.append((server, text))

    def add_unknown(
        self, value: Value, module: Module, node: object, server: Server | None, prefix: str = "a tool that is "
    ) -> None:
        """Take note of a tool that cannot be told: its value, or the name that follows `prefix`, is not known."""
        if self._evaluator.loops:
            loop = self._evaluator.loops[-1]
            self.add_reason(f"tools registered in a loop over {loop.what}", loop.module, loop.node, server)
        elif isinstance(value, ToolObject) and value.what:
            self.add_reason(f"a tool registered under {value.what}", module, node, server)
        else:
            self.add_reason(prefix + describe(value), module, node, server)

    def add_reason(self, text: str, module: Module, node: object, server: Server | None) -> None:
        """Take note, once, of why there may be more tools."""
        key = text, module.path, getattr(node, "lineno", 1)
        if key not in self._reported:
            self._reported.add(key)
            self.reasons.append(Reason(text, module, node, server))
