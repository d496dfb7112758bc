"""A baseline of `verify`: differences that are accepted, each with a reason, until a day."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from ..values.errors import ShimError
from .report import ACCEPTED, DIFFERS, ERROR, FunctionVerdict, ProgramVerdict, Report

VERSION = 1
DAYS = 90  # how long differences are accepted if nobody says
FAILURES = (DIFFERS, ERROR)


@dataclass(frozen=True, slots=True, order=True)
class KnownDifference:
    """One accepted difference. `name`: the function, "" for a whole program; `where`: the result or argument, or the exception."""

    file: str
    name: str
    verdict: str
    where: str
    reason: str
    until: str  # the last day on which it is accepted, such as 2027-01-31


def read_known(path: Path) -> tuple[KnownDifference, ...]:
    """The entries of a baseline. Raises ShimError for a file that is none."""
    again = f"--write-baseline {path} makes a baseline"
    try:
        data = json.loads(path.read_bytes())
    except OSError as problem:
        raise ShimError(f"{path}: cannot be read ({problem.strerror}); {again}") from problem
    except (ValueError, RecursionError) as problem:
        raise ShimError(f"{path}: not a baseline, as it is not JSON; {again}") from problem
    try:
        if data["version"] != VERSION:
            raise ShimError(f"{path}: a baseline of another version of np2jax; {again}")
        entries = tuple(KnownDifference(**entry) for entry in data["differences"])
        if not all(isinstance(value, str) for entry in entries for value in asdict(entry).values()):
            raise TypeError
    except (KeyError, TypeError) as problem:
        raise ShimError(f"{path}: not a baseline of `verify`, though it is JSON; {again}") from problem
    for entry in entries:
        if not entry.reason.strip():
            raise ShimError(f"{path}: the difference of {entry.name or entry.file} has no reason; write one")
        day(entry.until, f"{path}: {entry.name or entry.file}: until")
    return entries


def day(text: str, what: str) -> datetime.date:
    """The day that is written as 2027-01-31. Raises ShimError that begins with `what`."""
    try:
        return datetime.date.fromisoformat(text)
    except ValueError as problem:
        raise ShimError(f"{what} {text!r} is no day; write it as 2027-01-31") from problem


def acceptance(
    baseline: Path | None, to_write: Path | None, reason: str | None, until: str | None
) -> Callable[[Report], tuple[Report, list[str], str | None]]:
    """What makes of a report the one in which differences are accepted, what is to be said, and the text of the new baseline.

    Raises ShimError for a file that is no baseline, and for a new one without a reason, or whose last day is over.
    """
    today = datetime.date.today()
    if to_write is None and (reason is not None or until is not None):
        raise ShimError("--reason and --until say why and how long --write-baseline FILE accepts differences; name that, too")
    if to_write is not None and not (reason or "").strip():
        raise ShimError("--write-baseline needs --reason TEXT: why the differences are accepted")
    last = day(until, "--until") if until is not None else today + datetime.timedelta(DAYS)
    if last < today:
        raise ShimError(f"--until {until} is over; name a day to come")
    known = () if baseline is None else read_known(baseline)

    def run(report: Report) -> tuple[Report, list[str], str | None]:
        if to_write is None:
            return (*accepted(report, known, today), None)
        entries = found(report, [entry for entry in known if entry.until >= today.isoformat()], reason or "", last.isoformat())
        done, _ = accepted(report, entries, today)
        return done, [f"{to_write}: {len(entries)} accepted difference{'' if len(entries) == 1 else 's'}"], as_text(entries)

    return run


def found(report: Report, known: Sequence[KnownDifference], reason: str, until: str) -> list[KnownDifference]:
    """Entries for all differences of a report; those that `known` has keep their reason and their day."""
    old = {_key(entry): entry for entry in known}
    verdicts: list[FunctionVerdict | ProgramVerdict] = [*report.programs, *report.functions]
    new = [KnownDifference(*_identity(one), reason, until) for one in verdicts if one.verdict in FAILURES]
    return sorted(old.get(_key(entry), entry) for entry in new)


def as_text(entries: Sequence[KnownDifference]) -> str:
    """The content of a baseline: one line for each entry, so that a version control system shows what changed."""
    lines = [json.dumps(asdict(entry), ensure_ascii=False) for entry in entries]
    listed = "\n" + ",\n".join(lines) + "\n" if lines else ""
    return f'{{"version": {VERSION}, "differences": [{listed}]}}\n'


def accepted(report: Report, known: Sequence[KnownDifference], today: datetime.date) -> tuple[Report, list[str]]:
    """The report in which known differences are accepted, and what is to be said: entries that are over, or not found any more."""
    entries = {_key(entry): entry for entry in known}
    used: set[tuple[str, ...]] = set()
    said: list[str] = []

    def judged(one: FunctionVerdict | ProgramVerdict) -> str:
        """The reason in words if the difference is accepted, "" otherwise."""
        key = _identity(one)
        entry = entries.get(key) if one.verdict in FAILURES else None
        if entry is None:
            return ""
        used.add(key)
        if datetime.date.fromisoformat(entry.until) < today:
            said.append(f"{entry.name or entry.file}: was accepted until {entry.until} ({entry.reason}), and counts again")
            return ""
        return f"until {entry.until}, because {entry.reason}; {one.verdict}: {one.reason}"

    functions = [replace(one, verdict=ACCEPTED, reason=why) if (why := judged(one)) else one for one in report.functions]
    programs = [replace(one, verdict=ACCEPTED, reason=why) if (why := judged(one)) else one for one in report.programs]
    gone = [entry for key, entry in entries.items() if key not in used]
    said += [f"{entry.name or entry.file}: the accepted difference is no longer there" for entry in gone]
    return replace(report, functions=tuple(functions), programs=tuple(programs)), said


def _key(entry: KnownDifference) -> tuple[str, ...]:
    return (entry.file, entry.name, entry.verdict, entry.where)


def _identity(one: FunctionVerdict | ProgramVerdict) -> tuple[str, str, str, str]:
    return (one.file, one.name if isinstance(one, FunctionVerdict) else "", one.verdict, _where(one))


def _where(one: FunctionVerdict | ProgramVerdict) -> str:
    """Which result differs, or the type of the exception: what stays the same for other inputs."""
    if isinstance(one, FunctionVerdict) and one.where:
        return one.where
    return one.reason.partition(":")[0] if one.verdict == ERROR else ""
