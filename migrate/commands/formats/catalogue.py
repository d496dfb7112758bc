"""All formats by name."""

from __future__ import annotations

from collections.abc import Callable

from .findings_report import FindingsReport

NAMES = ("text", "concise", "json", "sarif", "github", "gitlab", "junit")
FOR_PEOPLE = ("text", "concise")  # these end with a line that counts the findings


def render(name: str, report: FindingsReport) -> str:
    """The findings in the named format. With colours in those for people: whoever prints them drops these."""
    from . import concise, github, gitlab, json, junit, sarif, text

    renders: dict[str, Callable[[FindingsReport], str]] = {
        "text": text.render,
        "concise": concise.render,
        "json": json.render,
        "sarif": sarif.render,
        "github": github.render,
        "gitlab": gitlab.render,
        "junit": junit.render,
    }
    return renders[name](report)
