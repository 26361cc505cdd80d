"""Tools defined in programs, read with a parser: nothing is imported or run.

All files of a group are read together, since a server, its tools and their constants are spread over modules. The
result of each file is a tree in the shape of MCP tool lists, whose spans lie in the file: a property's key is the
parameter's identifier, its type the type hint, its default the default's expression.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Protocol

from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.flow import Frame, ImportGroup
from toolsurface_lint.programs.framework import is_framework
from toolsurface_lint.programs.modules import Modules
from toolsurface_lint.programs.registry import Registry
from toolsurface_lint.programs.tool_maker import ToolMaker
from toolsurface_lint.programs.values import Call, Function, Instance, Module, Node, Unknown
from toolsurface_lint.readers.programs.definitions import Definitions, ProgramTools
from toolsurface_lint.source.text import SourceText


class _Registrar(Protocol):
    """What knows the frameworks of a language: see `registration.Registrar`."""

    @property
    def registry(self) -> Registry: ...
    @property
    def maker(self) -> ToolMaker: ...
    def is_framework_method(self, function: Function) -> bool: ...
    def may_register(self, function: Function, text: str) -> bool: ...


def _python(
    files: Sequence[SourceText], paths: Sequence[str] | None, evaluator: Evaluator
) -> tuple[Modules, _Registrar]:
    from toolsurface_lint.programs.python.modules import PythonModules
    from toolsurface_lint.programs.registration import Registrar

    return PythonModules(files, paths), Registrar(evaluator)


def _typescript(
    files: Sequence[SourceText], paths: Sequence[str] | None, evaluator: Evaluator
) -> tuple[Modules, _Registrar]:
    from toolsurface_lint.programs.typescript.modules import ScriptModules
    from toolsurface_lint.programs.typescript.registration import ScriptRegistrar

    return ScriptModules(files, paths), ScriptRegistrar(evaluator)


_LANGUAGES = {"python": _python, "typescript": _typescript}


def read_programs(
    files: Sequence[SourceText], paths: Sequence[str] | None = None, language: str = "python"
) -> ProgramTools:
    """The tools of files of one language that belong together (one repository, one folder).

    `paths` are where the files lie, by which imports find them, if their own paths do not say it. Files without any sign
    of tools are parsed only if another one imports what they define. Raises nothing: what cannot be followed gives an
    open reason, a file that cannot be parsed a problem.
    """
    evaluator = Evaluator()
    modules, registrar = _LANGUAGES[language](files, paths, evaluator)
    candidates = [module for module in modules.all if module.has_signs]
    # What a test registers is not a tool of the group, unless the group is nothing but tests.
    candidates = [module for module in candidates if not module.is_test] or candidates
    if not candidates:
        return ProgramTools([], [], {}, [], [], [], {}, {}, {}, frozenset())
    groups = modules.groups(candidates)
    _follow(evaluator, registrar, modules, candidates, groups)
    for module in modules.refused:
        groups[module].complete = False
    return Definitions(evaluator, registrar.registry, modules, candidates, groups).build()


def _follow(
    evaluator: Evaluator,
    registrar: _Registrar,
    modules: Modules,
    candidates: list[Module],
    groups: Mapping[Module, ImportGroup],
) -> None:
    """Follow files, then functions that nothing called, each in the steps that its group has."""

    def follow(module: Module, work: Callable[[], object], node: Node | None = None) -> None:
        evaluator.within(groups[module], module, work, node)

    def run(files: list[Module]) -> None:
        evaluator.whole.update(files)
        for module in files:
            follow(module, partial(evaluator.run, module))
        starts, evaluator.starts = evaluator.starts, []
        for started, body in starts:
            follow(started, partial(evaluator.execute, body, Frame(started.scope)))

    run(candidates)
    texts = _Texts(modules, groups)
    defining = _defining(candidates, evaluator, registrar, texts)
    if defining:
        # Who imports them knows how they are put together: which server, which prefix, which settings. A framework puts
        # together what its users define, and they have signs of tools themselves.
        run(modules.with_importers([module for module in defining if not is_framework(module)]))
        _call_uncalled(evaluator, registrar, modules, texts, follow)
        registrar.maker.run_handlers(follow)
    registrar.registry.name_the_unnamed()
    registrar.registry.give_folders()
    registrar.registry.note_ready_made()


class _Texts:
    """The texts of functions, as long as there have not been too many of them.

    A function is a part of those around it: of very many within one another, each text is nearly as long as the file.
    """

    def __init__(self, modules: Modules, groups: Mapping[Module, ImportGroup]) -> None:
        self._left = _TEXT_OF_FUNCTIONS * sum(
            len(module.source.peek()) for module in modules.all if module.state != "new"
        )
        self._groups = groups

    def of(self, function: Function) -> str:
        """The text of a function; empty if there is no room for it."""
        module = function.scope.module
        start, end = module.offsets.span(function.code)
        self._left -= end - start
        if self._left < 0:
            self._groups[module].complete = False
            return ""
        return module.source.text[start:end]


_TEXT_OF_FUNCTIONS = 50
"""How many characters of functions are looked at for each character of the files."""


def _defining(candidates: list[Module], evaluator: Evaluator, registrar: _Registrar, texts: _Texts) -> list[Module]:
    """The files that register tools, or have a function that would."""
    registry = registrar.registry
    found = {server.module for server in registry.servers.values()}
    for registration in registry.registrations.values():
        found.update((registration.module, registration.name.module))
    for function in evaluator.functions:
        module = function.scope.module
        if module not in found and module.may_define_tools(texts.of(function)):
            found.add(module)
    return [module for module in candidates if module in found]


# What no name has becomes a space, so that a text is split into words at memory speed.
_WORDS = bytes(byte if byte > 127 or chr(byte).isalnum() or chr(byte) == "_" else 32 for byte in range(256))
_ENTRY = ("tool", "mcp", "server", "agent", "handler", "regist")
_IMPORT = re.compile(r"import\b(?<=\bimport)")
"""Begins with plain text, which is searched for at memory speed."""


def _call_uncalled(
    evaluator: Evaluator,
    registrar: _Registrar,
    modules: Modules,
    texts: _Texts,
    follow: Callable[[Module, Callable[[], object], Node], None],
) -> None:
    """Follow functions that nothing called: entry points first, so that what they call gets real arguments."""
    used = _used_names(evaluator, modules)
    registered = registrar.registry.tool_functions
    for entries_only in (True, False):
        number = 0
        while number < len(evaluator.functions):
            function = evaluator.functions[number]
            number += 1
            code = function.code
            if code in evaluator.called or code in registered or registrar.is_framework_method(function):
                continue
            if function.scope.module not in evaluator.whole:
                continue
            text = texts.of(function)
            if entries_only:
                if function.name in used or function.owner is not None:
                    continue
                lowered = text.lower()
                if not any(word in lowered for word in _ENTRY) and _IMPORT.search(lowered) is None:
                    continue
            elif not registrar.may_register(function, text):
                continue
            follow(function.scope.module, partial(_call_with_unknowns, evaluator, function), code)


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
