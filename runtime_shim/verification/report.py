"""The result of a verification: plain data, as JSON, as Markdown, as text for a terminal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from .coverage import Compared

AGREES, DIFFERS, ERROR, NOT_COMPARED = "agrees", "differs", "error in converted", "not compared"
ACCEPTED = "accepted"  # a difference that a baseline holds
MOST_RANGES = 12
MOST_TESTS = 5  # printed on a terminal
VERDICTS = (DIFFERS, ERROR, NOT_COMPARED, ACCEPTED, AGREES)


@dataclass(frozen=True, slots=True)
class FunctionVerdict:
    """The verdict on one function: agrees, differs, error in converted, not compared, accepted.

    `recorded` and `generated` count the compared calls; `modes` says how: jitted, eager, ndarray (the converted function got
    NumPy arrays), as it is. `reason` is one line; `call` the smallest call that shows a difference; `notes` list what agreed
    only loosely, or differs only for arguments that nobody promised.
    """

    file: str
    name: str  # qualified: "pkg.mod.C.m"
    line: int
    verdict: str
    reason: str = ""
    recorded: int = 0
    generated: int = 0
    modes: tuple[str, ...] = ()
    call: str = ""
    where: str = ""
    original: str = ""
    converted: str = ""
    notes: tuple[str, ...] = ()
    needs: str = ""  # if it could not be called: what input would do
    parting: str = ""  # the first statement at which the versions part
    test: str = ""  # a test of the converted function that fails

    @property
    def summary(self) -> str:
        """The verdict in one line."""
        if self.verdict != AGREES:
            on, needs = f", on {self.call}" if self.call else "", f"; {self.needs}" if self.needs else ""
            return f"{self.verdict}: {self.reason}{on}{needs}"
        calls = self.recorded + self.generated
        kinds = f"{self.recorded} recorded, {self.generated} generated"
        return f"agrees ({calls} calls: {kinds}; {', '.join(self.modes)})"


@dataclass(frozen=True, slots=True)
class ProgramVerdict:
    """The verdict on a whole program, run in both trees: exit status and printed lines."""

    file: str
    verdict: str
    reason: str = ""
    lines: int = 0
    notes: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """The verdict in one line."""
        return (
            f"agrees (exit status and {self.lines} printed lines)" if self.verdict == AGREES else f"{self.verdict}: {self.reason}"
        )


@dataclass(frozen=True, slots=True)
class Report:
    """A whole verification."""

    original: str
    converted: str
    functions: tuple[FunctionVerdict, ...] = ()
    programs: tuple[ProgramVerdict, ...] = ()
    notes: tuple[str, ...] = ()
    precision: str = "float64"
    platforms: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    compared: Compared = field(default_factory=Compared)
    unread: Mapping[str, str] = field(default_factory=dict)  # files of the original that do not parse, with the reason
    least: float = 0.0  # the share that must be compared, in percent
    sources: Mapping[str, tuple[bytes, bytes]] = field(default_factory=dict)  # by file: both versions, as they were compared

    @property
    def ok(self) -> bool:
        """Whether something was compared, as much as is required, and nothing differs or fails."""
        verdicts = {one.verdict for one in self.functions} | {one.verdict for one in self.programs}
        return not verdicts & {DIFFERS, ERROR} and not self.problems

    @property
    def problems(self) -> tuple[str, ...]:
        """Why the verification says too little, in words."""
        unread = tuple(f"{file}: nothing in it was compared: {_line(why)}" for file, why in self.unread.items())
        return (*unread, *self._too_little())

    def _too_little(self) -> tuple[str, ...]:
        verdicts: list[FunctionVerdict | ProgramVerdict] = [*self.programs, *self.functions]
        if not verdicts:
            return (f"nothing was compared: {self.original} has no functions and no programs",)
        if all(one.verdict == NOT_COMPARED for one in verdicts):
            why, number = Counter(one.reason for one in verdicts).most_common(1)[0]
            which = "" if number == len(verdicts) else f", for {number} of {len(verdicts)} functions and programs"
            return (f"nothing was compared: {_line(why)}{which}",)
        if self.compared.share < self.least:
            return (f"{self.compared.share:.1f}% of the original was compared, less than {self.least:g}%",)
        return ()

    def counts(self) -> dict[str, int]:
        """The number of functions for each verdict."""
        found = Counter(function.verdict for function in self.functions)
        return {verdict: found[verdict] for verdict in VERDICTS if verdict != ACCEPTED or found[verdict]}

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON data."""
        data = asdict(self) | {"ok": self.ok, "summary": {"functions": self.counts(), "programs": len(self.programs)}}
        data |= {"problems": self.problems}
        del data["sources"]
        data["compared"]["share"] = self.compared.share
        data["versions"] = dict(self.versions)
        return data

    def to_markdown(self) -> str:
        """The report as Markdown: a table of functions, then the notes."""
        lines = [f"# Verification of {_cell(self.converted)}", "", self._headline(), "", *self._extent(), ""]
        if self.programs:
            lines += [
                "| program | verdict |",
                "|---|---|",
                *(f"| {_cell(one.file)} | {_cell(one.summary)} |" for one in self.programs),
                "",
            ]
        if self.functions:
            rows = (
                f"| {_cell(one.name)} | {_cell(f'{one.file}:{one.line}')} | {_cell(one.summary)} |" for one in self._ordered()
            )
            lines += ["| function | where | verdict |", "|---|---|---|", *rows, ""]
        noted = [f"- {_cell(name)}: {_cell(note)}" for name, notes in self._noted() for note in notes]
        parted = [f"- {_cell(one.name)}: {_cell(one.parting)}" for one in self._ordered() if one.parting]
        lines += ["Where the versions part:", "", *parted, ""] if parted else []
        tests = [part for test in self._tests() for part in ("```python", test, "```", "")]
        lines += ["Tests of the converted code that fail:", "", *tests] if tests else []
        return "\n".join(lines + (["Notes:", "", *noted, ""] if noted else []))

    def to_text(self) -> str:
        """The report for a terminal."""
        lines = [f"{_line(one.file)}: {_line(one.summary)}" for one in self.programs]
        for one in self._ordered():
            lines.append(f"{_line(one.file)}:{one.line}: {_line(one.name)}: {_line(one.summary)}")
            lines += [f"    the versions part: {_line(one.parting)}"] if one.parting else []
        lines += [f"note: {_line(name)}: {_line(note)}" for name, notes in self._noted() for note in notes]
        tests = self._tests()
        if tests:
            rest = (
                f"; --report FILE.json has those of {len(tests) - MOST_TESTS} more functions" if len(tests) > MOST_TESTS else ""
            )
            lines += [f"# tests of the converted code that fail, to paste{rest}:", "\n\n".join(tests[:MOST_TESTS])]
        return "\n".join([*lines, *self._extent(), _line(self._headline())]) + "\n"

    def _extent(self) -> list[str]:
        """How much was compared, and what was not reached."""
        found = []
        for file, missed in self.compared.unreached.items():
            shown = _ranges(missed)
            more = f" and {len(shown) - MOST_RANGES} more" if len(shown) > MOST_RANGES else ""
            found.append(f"never reached: {_line(file)}: lines {', '.join(shown[:MOST_RANGES])}{more}")
        return [*found, str(self.compared)]

    def _tests(self) -> list[str]:
        return [one.test.rstrip() for one in self._ordered() if one.test and one.verdict != ACCEPTED]

    def _ordered(self) -> list[FunctionVerdict]:
        return sorted(self.functions, key=lambda one: (VERDICTS.index(one.verdict), one.file, one.line))

    def _noted(self) -> list[tuple[str, tuple[str, ...]]]:
        own = [("all", self.notes)] if self.notes else []
        return [*own, *((one.file, one.notes) for one in self.programs), *((one.name, one.notes) for one in self.functions)]

    def _headline(self) -> str:
        counts = ", ".join(f"{count} {verdict}" for verdict, count in self.counts().items() if count) or "no functions"
        tools = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        return f"{counts} (precision {self.precision}; {', '.join(self.platforms) or 'no device'}; {tools}; {self.seconds:.1f} s)"


def _ranges(lines: Sequence[int]) -> list[str]:
    """Line numbers with neighbours joined: "3", "7-9"."""
    groups: list[list[int]] = []
    for line in lines:
        if groups and line <= groups[-1][-1] + 1:
            groups[-1].append(line)
        else:
            groups.append([line])
    return [str(group[0]) if len(group) == 1 else f"{group[0]}-{group[-1]}" for group in groups]


def _line(text: str) -> str:
    """The text on one line, with control characters made visible."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def _cell(text: str) -> str:
    """The text inside a Markdown table or list, with markup escaped."""
    return re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", _line(text))
