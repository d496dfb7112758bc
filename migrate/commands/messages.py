"""Lines for the user on standard error, so that standard output holds only what was asked for."""

from __future__ import annotations

import click


def say(message: str) -> None:
    click.echo(f"np2jax: {message}", err=True)


def say_unreadable(path: str, reason: str) -> None:
    say(f"{reason if reason.startswith(path) else f'{path}: {reason}'}; skipped")


def plural(number: int, what: str) -> str:
    """A number with what it counts."""
    return f"{number} {what}" + "s" * (number != 1)
