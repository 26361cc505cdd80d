"""Tools defined in Python files, read with `ast`: nothing is imported or run.

All files of a group are read together, since a server, its tools and their constants are spread over modules. The
result of each file is a tree in the shape of MCP tool lists, whose spans lie in the file: a property's key is the
parameter's identifier, its type the type hint, its default the default's expression.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.flow import Frame, ImportGroup
from toolsurface_lint.programs.framework import WITH_TOOLS, is_framework, ready_made
from toolsurface_lint.programs.markers import may_define_tools
from toolsurface_lint.programs.python.modules import Modules, PythonModule
from toolsurface_lint.programs.registration import Registrar, is_server_method
from toolsurface_lint.programs.registry import Registry
from toolsurface_lint.programs.run_time_tools import added_by
from toolsurface_lint.programs.values import (
    Call,
    External,
    Function,
    Imported,
    Instance,
    Made,
    Module,
    Node,
    Unknown,
    Value,
)
from toolsurface_lint.readers.python.definitions import Definitions, PythonTools
from toolsurface_lint.source.text import SourceText


def read_python_project(files: Sequence[SourceText], paths: Sequence[str] | None = None) -> PythonTools:
    """The tools of Python files that belong together (one repository, one folder).

    `paths` are where the files lie, by which imports find them, if their own paths do not say it. Files without any sign
    of tools are parsed only if another one imports what they define. Raises nothing: what cannot be followed gives an
    open reason, a file that is not Python a problem.
    """
    modules = Modules(files, paths)
    candidates = [module for module in modules.all if module.has_signs]
    # What a test registers is not a tool of the group, unless the group is nothing but tests.
    candidates = [module for module in candidates if not module.is_test] or candidates
    if not candidates:
        return PythonTools([], [], {}, [], [], [], {}, {}, {}, frozenset())
    evaluator = Evaluator()
    registrar = Registrar(evaluator)
    groups = modules.groups(candidates)
    _follow(evaluator, registrar, modules, candidates, groups)
    for module in modules.refused:
        groups[module].complete = False
    return Definitions(evaluator, registrar.registry, modules, candidates, groups).build()


def _follow(
    evaluator: Evaluator,
    registrar: Registrar,
    modules: Modules,
    candidates: list[PythonModule],
    groups: Mapping[Module, ImportGroup],
) -> None:
    """Follow files, then functions that nothing called, each in the steps that its group has."""

    def follow(module: Module, work: Callable[[], object], node: Node | None = None) -> None:
        evaluator.within(groups[module], module, work, node)

    def run(files: list[PythonModule]) -> None:
        evaluator.whole.update(files)
        for module in files:
            follow(module, partial(evaluator.run, module))
        starts, evaluator.starts = evaluator.starts, []
        for started, body in starts:
            follow(started, partial(evaluator.execute, body, Frame(started.scope)))

    run(candidates)
    defining = _defining(candidates, evaluator, registrar.registry)
    if defining:
        # Who imports them knows how they are put together: which server, which prefix, which settings. A framework puts
        # together what its users define, and they have signs of tools themselves.
        run(modules.with_importers([module for module in defining if not is_framework(module)]))
        _call_uncalled(evaluator, registrar.registry, modules, follow)
        registrar.maker.run_handlers(follow)
    registrar.registry.give_folders()
    registrar.registry.note_ready_made()


def _defining(candidates: list[PythonModule], evaluator: Evaluator, registry: Registry) -> list[PythonModule]:
    """The files that register tools, or have a function that would."""
    found = {server.module for server in registry.servers.values()}
    for registration in registry.registrations.values():
        found.update((registration.module, registration.name.module))
    for function in evaluator.functions:
        module = function.scope.module
        if module not in found and may_define_tools(module.offsets.text(function.code)):
            found.add(module)
    return [module for module in candidates if module in found]


# What no name has becomes a space, so that a text is split into words at memory speed.
_WORDS = bytes(byte if byte > 127 or chr(byte).isalnum() or chr(byte) == "_" else 32 for byte in range(256))
_ENTRY = ("tool", "mcp", "server", "agent", "handler", "regist")
_IMPORT = re.compile(r"import\b(?<=\bimport)")
"""Begins with plain text, which is searched for at memory speed."""


def _call_uncalled(
    evaluator: Evaluator,
    registry: Registry,
    modules: Modules,
    follow: Callable[[Module, Callable[[], object], Node], None],
) -> None:
    """Follow functions that nothing called: entry points first, so that what they call gets real arguments."""
    used = _used_names(evaluator, modules)
    ready = _ReadyMade()
    for entries_only in (True, False):
        number = 0
        while number < len(evaluator.functions):
            function = evaluator.functions[number]
            number += 1
            code = function.code
            if code in evaluator.called or code in registry.tool_functions or is_server_method(function):
                continue
            if function.scope.module not in evaluator.whole:
                continue
            text = function.scope.module.offsets.text(code)
            if entries_only:
                if function.name in used or function.owner is not None:
                    continue
                lowered = text.lower()
                if not any(word in lowered for word in _ENTRY) and _IMPORT.search(lowered) is None:
                    continue
            elif not (
                may_define_tools(text)
                or any(name in text for name in ready[function.scope.module])
                # What hands tools to a model says what it is told, and which of them it may call; but how a framework
                # calls a model is not followed.
                or ("tools=" in text and not is_framework(function.scope.module))
            ):
                continue
            follow(function.scope.module, partial(_call_with_unknowns, evaluator, function), code)


class _ReadyMade(dict[Module, frozenset[str]]):
    """The names in a file that tell of tools, found once for each file.

    Those of tools that it imports from packages of them, of what adds tools when it runs, and of models with tools, which it
    tells something later.
    """

    def __missing__(self, module: Module) -> frozenset[str]:
        named = module.scope.names.items()
        # How a framework makes its own agents is not followed.
        adds = not is_framework(module)
        self[module] = found = frozenset(
            name
            for name, value in named
            if ((path := _imported_path(value)) and (ready_made(path) or (adds and added_by(path))))
            or (isinstance(value, Made) and value.last == WITH_TOOLS)
        )
        return found


def _imported_path(value: Value) -> str:
    """The dotted path that something is imported by; empty for what is not imported."""
    if isinstance(value, Imported):
        return ".".join((*value.target.import_names, value.name))
    return value.path if isinstance(value, External) else ""


def _used_names(evaluator: Evaluator, modules: Modules) -> set[str]:
    """The names that are written more often than functions of that name are defined."""
    defined = Counter(function.name.encode() for function in evaluator.functions)
    written: Counter[bytes] = Counter()
    for module in modules.all:
        if module.state == "done":
            words = module.source.text.encode(errors="replace").translate(_WORDS).split()
            written.update(filter(defined.__contains__, words))
    return {name.decode() for name, times in defined.items() if written[name] > times}


def _call_with_unknowns(evaluator: Evaluator, function: Function) -> None:
    call = Call(function.scope.module, function.code, open=True)
    evaluator.entry = function.name
    try:
        if function.owner is not None and function.binding not in ("static", "class"):
            # A method runs in an object: its `__init__` first, which often registers everything by itself.
            owner = function.owner
            instance = evaluator.call(owner, call)
            if isinstance(instance, Instance):
                # Nobody is seen to make it: it may be of a class that derives from this one.
                for name in owner.replaced:
                    if name in owner.scope.names and not isinstance(owner.scope.names[name], Function):
                        instance.attributes.setdefault(name, Unknown(f"`{name}` of a derived class"))
            if function.code not in evaluator.called:
                evaluator.call(function.bound(instance), call)
        else:
            evaluator.call(function, call)
    finally:
        evaluator.called.add(function.code)
        evaluator.entry = ""
