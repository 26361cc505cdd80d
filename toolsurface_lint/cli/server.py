"""`toolsurface-lint server`: the language server, on standard input and output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolsurface_lint.cli.stream import CommandError

if TYPE_CHECKING:
    from toolsurface_lint.run.cache import Cache


def server(stdio: bool) -> int:
    """Answer one client until it says goodbye. Raises `CommandError` where pygls is not installed."""
    try:
        import pygls.lsp.server  # noqa: F401
    except ModuleNotFoundError:
        raise CommandError(
            "the language server needs pygls: install it with `pip install 'toolsurface-lint[lsp]'`"
        ) from None
    import gc

    from toolsurface_lint.server.features import make_server

    gc.enable()
    return make_server(open_cache).serve()


def open_cache(folder: str) -> Cache | None:
    """What is kept of a workspace folder from one session to the next."""
    from toolsurface_lint.cli.cache import cache_for

    return cache_for([folder], {"command": "server"}, None, None, False)
