"""Markdown for a pull request: only what changed against the report of the base branch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ...project.failure import Failure
from .document import AGREES, BAD, SCHEMA, Document
from .text import cell

MOST_ROWS = 100  # code hosts cut long comments


class Change(NamedTuple):
    """A function or program whose verdict or label is not what it was. `before`, `after`: in words; "new" or "gone" where there is none."""

    rank: int  # 0: worse
    name: str
    place: str
    before: str
    after: str
    reason: str


def base_report(path: Path) -> Mapping[str, Any]:
    """The JSON report of the base branch. Raises Failure if it is none, or one of a later version."""
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise Failure(f"{path}: the report of the base branch cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise Failure(
            f"{path}: is no JSON ({error}); --against takes a report that `np2jax verify --report FILE.json` wrote"
        ) from error
    functions = data.get("functions") if isinstance(data, dict) else None
    known = isinstance(functions, list) and all(isinstance(one, dict) and {"name", "verdict"} <= one.keys() for one in functions)
    if not known or "schema" not in data:
        raise Failure(f"{path}: is no report of `np2jax verify --report FILE.json`")
    if data["schema"] != SCHEMA:
        raise Failure(f"{path}: is a report of schema {data['schema']}, and this np2jax reads schema {SCHEMA}; write it anew")
    found: Mapping[str, Any] = data
    return found


def render(document: Document, base: Mapping[str, Any]) -> str:
    """The verdict, and a table of what changed, the worst first."""
    found = changes(document, base)
    lines = [f"## np2jax: {cell(document.headline)}", ""]
    lines += [f"- {cell(problem)}" for problem in document.data["problems"]]
    lines += [""] if document.data["problems"] else []
    if found:
        lines += ["| function or program | where | base | now | reason |", "|---|---|---|---|---|"]
        lines += [f"| {' | '.join(map(cell, change[1:]))} |" for change in found[:MOST_ROWS]]
        lines += [f"| and {len(found) - MOST_ROWS} more | | | | |"] if len(found) > MOST_ROWS else []
    else:
        lines.append("No verdict and no label changed against the base branch.")
    changed = {change.name for change in found}
    same = [name for name, one in _entries(document.data).items() if one["verdict"] in BAD and name not in changed]
    if same:
        lines += ["", f"As on the base branch, {len(same)} {'fail' if len(same) > 1 else 'fails'}."]
    return "\n".join(lines) + "\n"


def changes(document: Document, base: Mapping[str, Any]) -> list[Change]:
    """What changed, the worst first. New functions that agree are no news."""
    before, now = _entries(base), _entries(document.data)
    found = []
    for name, one in now.items():
        old = before.get(name)
        if (old is None and one["verdict"] != AGREES) or (old is not None and _told(old) != _told(one)):
            words = "new" if old is None else _words(old)
            reason = "; on ".join(filter(None, (one["reason"] or one.get("label_reason", ""), one.get("call", ""))))
            place = f"{one['file']}:{one['line']}" if "line" in one else one["file"]
            found.append(Change(_rank(old, one), name, place, words, _words(one), reason))
    found += [Change(3, name, old.get("file", ""), _words(old), "gone", "") for name, old in before.items() if name not in now]
    return sorted(found)


def _entries(data: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The functions and the programs by their names."""
    programs = {f"program {one['file']}": one for one in data.get("programs", ())}
    return {**{one["name"]: one for one in data["functions"]}, **programs}


def _told(one: Mapping[str, Any]) -> tuple[str, str]:
    return one["verdict"], one.get("label", "")


def _words(one: Mapping[str, Any]) -> str:
    return ", ".join(filter(None, _told(one)))


def _rank(old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> int:
    """0 for what fails now, 1 for what is compared no more, 2 for the rest."""
    if new["verdict"] in BAD:
        return 0
    return 1 if old is not None and old["verdict"] == AGREES != new["verdict"] else 2
