"""Which code of TypeScript programs registers tools, as the evaluator meets it."""

from __future__ import annotations

import re

from toolsurface_lint.model.unseen import LIMIT
from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.registry import Registry, Server, ToolObject
from toolsurface_lint.programs.typescript.expressions import GLOBAL, MAX_METHODS, MethodCall
from toolsurface_lint.programs.typescript.frameworks.mcp import register_by_name
from toolsurface_lint.programs.typescript.frameworks.xmcp import take_metadata
from toolsurface_lint.programs.typescript.markers import may_define_tools
from toolsurface_lint.programs.typescript.schemas import attribute, converted
from toolsurface_lint.programs.typescript.tool_maker import ScriptMaker, handlers, script_frameworks

_MAY_REGISTER = re.compile(r"regist|tool|add|setup|load|mount|install|attach|plugin|init", re.IGNORECASE)
_GIVES_TOOLS = re.compile(r"\btools[ \t\n]{0,100}[,:}]")
"""`{ model, tools }`, of what hands tools to a model."""


IDLE_STEPS = 12_000
"""Schemas are expressions here, and a function puts an object of all tools together before anything registers one.

The tools of the largest servers that were tried take 8,000.
"""


class ScriptRegistrar:
    """What the evaluator asks about frameworks (`evaluator.Known`); what it answers is noted in its `registry`."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.registry = Registry(evaluator)
        self.maker = ScriptMaker(self.registry)
        evaluator.known = self
        evaluator.idle_steps = IDLE_STEPS

    # What the evaluator asks

    def call(self, function: v.Value, call: v.Call) -> v.Value | None:
        schema = converted(function, call, self.registry.evaluator)
        if schema is not None:
            return schema
        if isinstance(function, v.External):
            return self._handle("calls", function.last, function, call)
        if isinstance(function, v.Method):
            return self._call_method(function, call)
        if isinstance(function, v.Class):
            return self._make_instance(function, call)
        return self._call_function(function, call) if isinstance(function, v.Function) else None

    def _call_function(self, function: v.Function, call: v.Call) -> v.Value | None:
        if any(isinstance(value, Server) and value.path for value in call.values):
            self.registry.given_servers.add(function.name)
        if isinstance(function.receiver, Server):
            # A server's own way to register a tool takes what the framework's does.
            method = v.Method(function.receiver, function.name, "", *call.at)
            return register_by_name(self.maker, method, call)
        return None

    def _call_method(self, method: v.Method, call: v.Call) -> v.Value | None:
        receiver = method.receiver
        if isinstance(receiver, ToolObject):
            found = self._handle("tool_methods", method.name, method, call)
            # `registerTool(...).disable()`, `tool.server(...)`
            return found or receiver
        if isinstance(receiver, v.Literal | v.Module):
            return None
        found = self._handle("method_calls", method.name, method, call)
        found = found or register_by_name(self.maker, method, call)
        if found is None and isinstance(receiver, v.Made) and not receiver.path.startswith(f"{GLOBAL}."):
            if isinstance(receiver, MethodCall) and receiver.length >= MAX_METHODS:
                return v.Unknown(v.CALL, *call.at)
            return MethodCall(receiver, method.name, call)
        return found

    def _make_instance(self, cls: v.Class, call: v.Call) -> v.Value | None:
        """`new Server()` of a class that is derived from one of a framework."""
        for framework in script_frameworks():
            base = cls.derives(*framework.servers)
            handler = framework.calls.get(base.last) if base is not None else None
            if base is not None and handler is not None:
                made = handler(self.maker, base, call)
                if isinstance(made, Server):
                    made.cls = cls
                    if not made.attributes:
                        self.registry.evaluator.initialise(made, cls, call)
                    return made
        return None

    def call_unknown(self, function: v.Value, call: v.Call) -> None:
        server = next((value for value in call.values if isinstance(value, Server)), None)
        if server is None:
            return
        reason, cause = "tools registered by a function that only a run can tell", ""
        if isinstance(function, v.External | v.Method):
            name = function.last if isinstance(function, v.External) else function.name
            if not _MAY_REGISTER.search(name) or name in ("connect", "addEventListener"):
                return
            reason = f"`{name}` may register tools, and is not in the files read"
        elif isinstance(function, v.Function):
            reason, cause = f"`{function.name}` may register tools, and takes more steps than are followed", LIMIT
        self.registry.add_reason(reason, *call.at, server, cause)

    def attribute(self, holder: v.Made, name: str) -> v.Value | None:
        return attribute(holder, name)

    def assign(self, holder: v.Value, name: str, value: v.Value) -> v.Value | None:
        """`memoryTool.extras = { providerToolDefinition: { type: "memory_20250818" } }`: the provider knows the tool."""
        if name != "extras" or not isinstance(value, v.Mapping) or "providerToolDefinition" not in value.entries:
            return None
        if isinstance(holder, ToolObject) and holder.registration is not None:
            holder.registration.description = v.Unknown("the provider's own description")
        return None

    def cut_short(self, reason: str, module: v.Module, node: v.Node | None, cause: str = "") -> None:
        self.registry.add_reason(reason, module, node, None, cause)

    def note(self, value: v.Value) -> None:
        if isinstance(value, v.Class):
            self._note_class(value)
        elif isinstance(value, v.Mapping):
            if value.entries:
                self.maker.name_tools(value)
                self.maker.from_dict(value)
                take_metadata(self.maker, value)
        elif isinstance(value, v.Items):
            self.registry.gather(value)

    def _note_class(self, cls: v.Class) -> None:
        for framework in script_frameworks():
            base = cls.derives(*framework.base_classes) if framework.base_classes else None
            handler = framework.classes.get(base.last) if base is not None else None
            if handler is not None:
                handler(self.maker, cls, v.Call(*cls.at))
                return
        self.maker.note_class(cls)

    def _handle(self, field: str, name: str, called: v.Value, call: v.Call) -> v.Value | None:
        answers = (handler(self.maker, called, call) for handler in handlers(field).get(name, ()))
        return next((answer for answer in answers if answer is not None), None)

    # What the reader asks

    def is_framework_method(self, function: v.Function) -> bool:
        """Whether a method replaces one of a server class that is known."""
        return False

    def may_register(self, function: v.Function, text: str) -> bool:
        """Whether a function that nothing calls is worth following."""
        return may_define_tools(text) or _GIVES_TOOLS.search(text) is not None
