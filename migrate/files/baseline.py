"""A baseline: the findings that are known, so that only new ones are reported.

A finding is known by its file, its code and the text of its line. Lines may move; of equal findings as many are known as there were.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Sequence, Set
from pathlib import Path
from typing import NamedTuple

from ...rules.core.diagnostic import Diagnostic
from ..project.failure import Failure

VERSION = 1


class Entry(NamedTuple):
    """What identifies a finding. `path`: relative to the folder of the baseline, with slashes; `text`: the line, without indentation."""

    path: str
    code: str
    text: str


class Compared(NamedTuple):
    """The findings that the baseline does not know, and its entries that were not found, as often as they were missing."""

    new: tuple[Diagnostic, ...]
    gone: Counter[Entry]


def entry(item: Diagnostic, line: str, baseline: Path) -> Entry:
    """The entry for a finding. `line`: its line of code."""
    return Entry(_relative(item.path, baseline), item.code, line.strip())


def as_text(entries: Sequence[Entry]) -> str:
    """The content of a baseline: one line for each entry, sorted, so that a version control system shows what changed."""
    lines = [
        json.dumps({**each._asdict(), "count": count}, ensure_ascii=False) for each, count in sorted(Counter(entries).items())
    ]
    listed = "\n" + ",\n".join(lines) + "\n" if lines else ""
    return f'{{"version": {VERSION}, "findings": [{listed}]}}'


def read(path: Path) -> Counter[Entry]:
    """The entries of a baseline, with how often each was found. Raises Failure for a file that is none."""
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise Failure(f"{path}: cannot be read ({error.strerror}); --write-baseline {path} makes a baseline") from error
    except (ValueError, RecursionError) as error:
        raise Failure(f"{path}: not a baseline, as it is not JSON; --write-baseline {path} makes one") from error
    try:
        if data["version"] != VERSION:
            raise Failure(f"{path}: a baseline of another version of np2jax; --write-baseline {path} makes one of this version")
        known = Counter[Entry]()
        for each in data["findings"]:
            if not all(isinstance(each[name], str) for name in Entry._fields) or type(each["count"]) is not int:
                raise TypeError
            known[Entry(each["path"], each["code"], each["text"])] += each["count"]
    except (KeyError, TypeError, AttributeError) as error:
        raise Failure(f"{path}: not a baseline, though it is JSON; --write-baseline {path} makes one") from error
    return known


def compare(known: Counter[Entry], found: Sequence[tuple[Entry, Diagnostic]]) -> Compared:
    """The findings that are new, and the entries that are gone. What was mended in this run is never hidden."""
    left, new = Counter(known), []
    for each, item in found:
        if left[each] > 0:
            left[each] -= 1
            if not item.fixed:
                continue
        new.append(item)
    return Compared(tuple(new), +left)


def judged(gone: Counter[Entry], baseline: Path, linted: Sequence[str], runs: Set[str]) -> Counter[Entry]:
    """The entries that are gone for certain: their file was linted, or is no more, and their rule ran."""
    seen = {_relative(path, baseline) for path in linted}
    folder = baseline.absolute().parent
    sure = {each: n for each, n in gone.items() if each.code in runs and (each.path in seen or not (folder / each.path).exists())}
    return Counter(sure)


def _relative(path: str, baseline: Path) -> str:
    try:
        return Path(os.path.relpath(path, baseline.absolute().parent)).as_posix()
    except ValueError:  # another drive
        return Path(path).as_posix()
