"""Text of the user's project in reports: names, messages and values may hold anything."""

from __future__ import annotations

import re

MARKUP = re.compile(r"([\\`*_\[\]<>|#~])")


def visible(text: str) -> str:
    """The text with control characters, and those that change the direction of writing, made visible."""
    return text if text.isprintable() else "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def cell(text: str) -> str:
    """The text inside of a table of Markdown, with markup escaped."""
    return MARKUP.sub(r"\\\1", visible(text))
