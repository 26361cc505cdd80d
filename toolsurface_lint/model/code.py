"""The Python function that a tool calls, as far as rules compare it with the tool's declaration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from toolsurface_lint.source.tree import Place

SIDE_EFFECTS = ("read", "write", "network", "mutate")
"""The effect tags that a tool decorator with declared side effects takes."""

WRITE, NETWORK, PROCESS, CHANGE, DELETE = "write", "network", "process", "change", "delete"
"""What code is seen to do: change files, reach the network, start processes, change and delete data of others.

The last two are what a database, a service or a command is asked for.
"""


class CodeParameter(NamedTuple):
    """One parameter of a function that the model fills in.

    `typing` is `typed`, `untyped` (no type hint), or `unsupported` (a type hint that the format's schema inference turns
    into a plain string); `typed` too without a hint, where the program itself makes the schema. `place` is the
    parameter's identifier, `hint` its type hint.
    """

    name: str
    typing: str
    place: Place
    hint: Place | None = None


class DocumentedParameter(NamedTuple):
    """A parameter that a docstring's parameter section names."""

    name: str
    place: Place


class Effect(NamedTuple):
    """Something that a function, or a function of its module that it calls, does to the world.

    `effect` is one of those above; `what` names the call (`subprocess.run`, `open`), or what is asked for by it
    (`DELETE FROM alerts`, `git push`), `place` is where it is done; `through` names the called function that does it,
    empty for the tool's own function.
    """

    effect: str
    what: str
    place: Place
    through: str = ""


class Dispatch:
    """Code that is given the name of a tool that is called, and does something else for each.

    `handled` are the names that it has, each with the place; `served` those of the tools that are called by way of it, as
    far as they are known; `refuses` says whether any name that is not handled ends in an error. `dead` are the handled names
    for which something is done that is done for no tool: it never runs.
    """

    def __init__(
        self,
        place: Place,
        handled: Mapping[str, Place],
        served: Sequence[str],
        *,
        refuses: bool,
        dead: Sequence[str] = (),
    ) -> None:
        self.dead = dead
        self.place = place
        self.handled = handled
        self.served = served
        self.refuses = refuses

    @cached_property
    def meant(self) -> dict[str, str]:
        """By the tools that are not handled: the handled name, of no tool, that each is closest to, if there is one."""
        from toolsurface_lint.model.names import CloseNames

        served = frozenset(self.served)
        lost = CloseNames(name for name in served if name not in self.handled)
        near = ((lost.find(name), name) for name in self.handled if name not in served)
        return {tools[0]: name for tools, name in near if tools}


class PythonFunction:
    """Facts about the function that a tool calls."""

    def __init__(self, name: str, place: Place) -> None:
        self.name = name
        self.place = place
        """The function's identifier."""
        self.describes_alone = False
        """Whether only its docstring can describe the tool: nothing else is given, and no call registers it with a server."""
        self.needs_docstring = False
        """Whether the program fails where it is decorated, for want of a docstring."""
        self.parameters: tuple[CodeParameter, ...] = ()
        """Those that the schema is derived from; none where a schema is given along with the function."""
        self.names: tuple[str, ...] = ()
        """Every parameter of the function, those included that the framework fills in."""
        self.takes_any = False
        """Whether it takes arguments of any other name too (`**kwargs`)."""
        self.documented: tuple[DocumentedParameter, ...] = ()
