"""All formats by name."""

from __future__ import annotations

from importlib import import_module

from .findings_report import FindingsReport

NAMES = ("text", "concise", "json", "sarif", "github", "gitlab", "junit")
FOR_PEOPLE = ("text", "concise")  # these end with a line that counts the findings


def render(name: str, report: FindingsReport) -> str:
    """The findings in the named format. With colours in those for people: whoever prints them drops these."""
    module = import_module(f".{name}", __package__)  # that of JUnit loads much that the others do not need
    text: str = module.render(report)
    return text
