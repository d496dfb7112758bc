"""The one error that users see: a single line that says what, where and what to do. The command line exits with 2."""

from __future__ import annotations


class Failure(Exception):
    """Invalid usage, or input that cannot be read or written. The message is a single line for the user."""
