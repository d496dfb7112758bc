"""`python -m np2jax` is the command `np2jax`."""

from .migrate.cli import main

main()
