"""`python -m np2jax` is the command `np2jax`."""

from .migrate.commands.cli import main

main()
