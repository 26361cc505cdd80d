"""The names of response protocols, and which of them a response is read by."""

from __future__ import annotations

from toolsurface_lint.protocols.recognition import PROTOCOLS


def protocol_names() -> tuple[str, ...]:
    """Every name that a protocol has: those of the Harn specification, then those of raw outputs and engines' parsers."""
    from toolsurface_lint.protocols.outputs.rows import PROTOCOLS as OUTPUTS

    names = {*OUTPUTS, *(name for row in OUTPUTS.values() for parsers in row.engines.values() for name in parsers)}
    return (*PROTOCOLS, *sorted(names))


def unread_parser(name: str) -> str | None:
    """The engine that has a parser of this name, of whose format there is no reader."""
    from toolsurface_lint.protocols.outputs.engines import OTHER_PARSERS

    return next((engine for engine, names in OTHER_PARSERS.items() if name in names), None)


def protocol_of_model(model: str | None) -> str | None:
    """The protocol of the raw outputs of a model, by its name; None if that is not known."""
    if not model:
        return None
    from toolsurface_lint.protocols.outputs.rows import by_model

    row = by_model(model)
    return None if row is None else row.name


def choose_protocol(given: str | None, model: str | None, plain: str | None) -> str | None:
    """The protocol of a response: the one that somebody has said, else the model's own, else what the text plainly follows.

    A text that plainly follows a protocol of the Harn specification was asked for it, whatever the model's own is.
    """
    if given is not None:
        return given
    return plain if plain in PROTOCOLS else protocol_of_model(model) or plain
