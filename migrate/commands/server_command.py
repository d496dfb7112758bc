"""`np2jax server`."""

from __future__ import annotations

from importlib.util import find_spec

import click

from ..project.failure import Failure


@click.command()
def server() -> None:
    """Serve an editor: findings while typing, fixes, hover. Speaks the Language Server Protocol on standard input and output."""
    if find_spec("pygls") is None:
        raise Failure("`np2jax server` needs pygls; install it with: pip install 'np2jax[server]'")
    from ..server.language_server import run

    run()
