"""The converted functions, run on the calls that tests make of the original ones."""

from __future__ import annotations

import hashlib
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from ..sandbox.copying import note, sources
from ..sandbox.process import Ended
from ..sandbox.session import Side, open_sides
from ..sandbox.staging import FunctionPair, Staged, contracts_by_place, package_top, pairs, stage
from ..values.calls import Arguments, without_defaults
from ..values.contract import contracts_of
from ..values.errors import ShimError
from ..values.evidence import Evidence, Location
from ..values.serialization import pack
from ..verification.differential_run import DifferentialRun
from ..verification.steps import Settings

SEED = 0


@dataclass(frozen=True, slots=True)
class Finding:
    """A function of which one call differs."""

    name: str
    words: str
    call: str

    def __str__(self) -> str:
        return f"{self.name} differs: {self.words}" + (f", on {self.call}" if self.call else "")


@dataclass(slots=True)
class Beside:
    """Both trees, staged, with the processes that run them. `compared`: how many calls of each function were."""

    original: Path
    staged: Staged
    folder: tempfile.TemporaryDirectory[str]
    sides: tuple[Side, Side]
    settings: Settings
    pairs: dict[Location, FunctionPair]
    compared: dict[str, int] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)  # functions with a call that was not compared, and why
    runs: dict[Location, DifferentialRun] = field(default_factory=dict)
    known: dict[bytes, Finding | None] = field(default_factory=dict)  # what came of each call, by its digest

    @property
    def top(self) -> Path:
        """The folder that the names of the files are relative to."""
        return package_top(self.original)

    def differences(self, evidence: Evidence) -> list[Finding]:
        """The functions that differ in one of these calls: each once, with the first such call."""
        found: dict[str, Finding] = {}
        for location, calls in evidence.calls.items():
            pair = self.pairs.get(location)
            for call in calls if pair is not None else ():
                assert pair is not None
                finding = self._known(pair, call)
                if finding is not None:
                    found.setdefault(finding.name, finding)
        for location, reasons in evidence.skipped.items():
            if (pair := self.pairs.get(location)) is not None:
                self.skipped[pair.contract.name] = f"a call cannot be stored: {reasons[0]}"
        return list(found.values())

    def stop(self) -> None:
        """End the processes, and remove the copies."""
        for side in self.sides:
            side.stop()
        self.folder.cleanup()

    def _known(self, pair: FunctionPair, call: Arguments) -> Finding | None:
        """What comes of a call; tests that make the same call again get the same."""
        message = {"file": pair.file, "name": pair.name, "snapshots": {"arguments": call.node}}
        digest = hashlib.sha256(pack(message)).digest()
        if digest not in self.known:
            self.known[digest] = self._compared(pair, call)
        return self.known[digest]

    def _compared(self, pair: FunctionPair, call: Arguments) -> Finding | None:
        name = pair.contract.name
        try:
            run = self._run_of(pair)
            if isinstance(run, Finding):
                return run
            if run is None:
                return None
            defaults = self.sides[0].defaults(pair.file, pair.name)
            step = run.run(without_defaults(call, run.params, defaults))
        except (Ended, ShimError) as problem:
            self.skipped[name] = f"the original cannot be run: {problem}"
            return None
        if step.failed:
            self.compared[name] = self.compared.get(name, 0) + 1
            return Finding(name, step.words, step.call.summary(run.params))
        if step.kind == "agrees":
            self.compared[name] = self.compared.get(name, 0) + 1
        else:
            self.skipped[name] = step.words
        return None

    def _run_of(self, pair: FunctionPair) -> DifferentialRun | Finding | None:
        """Both versions of a function; None, with the reason noted, if it cannot be called, and what is missing in the converted."""
        location = (pair.file, pair.name)
        if location in self.runs:
            return self.runs[location]
        name = pair.contract.name
        if not (self.staged.converted / pair.file).exists():
            return Finding(name, "the converted tree does not have this file", "")
        if location not in self.sides[0].described:
            names = tuple(inside for file, inside in self.pairs if file == pair.file)
            for side in self.sides:
                side.describe(pair.file, names)
        about, there = (side.described[location] for side in self.sides)
        if why := about.error or about.kind or ("it is not there after the module is imported" if about.missing else ""):
            self.skipped[name] = why
            return None
        if there.error or there.missing:
            why = f"the module cannot be imported: {there.error}" if there.error else "the converted code does not have it"
            return Finding(name, why, "")
        self.runs[location] = DifferentialRun(pair, *self.sides, self.settings, about.names)
        return self.runs[location]


def beside(original: Path | None, converted: Path, timeout: float) -> Beside:
    """Stage both trees. The note in a folder that np2jax made says what the original is, and how its functions are called.

    Raises ShimError if the original is not known, and for paths that cannot be compared.
    """
    if not converted.exists():
        raise ShimError(f"{converted}: no such file or folder")
    noted, made_from = note(converted), sources(converted)
    if original is None and len(made_from) != 1:
        raise ShimError(f"{converted}: np2jax did not make it from one file or folder; --np2jax-original names the original")
    if original is None:
        ((converted, original),) = made_from.items()
    folder = tempfile.TemporaryDirectory(prefix="np2jax-beside-")
    try:
        staged = stage(original, converted, Path(folder.name).resolve())
        precision = noted.get("options", {}).get("precision", "float64")
        contracts = contracts_by_place(contracts_of(noted.get("functions", ())), staged, original.resolve())
        found = {(pair.file, pair.name): pair for pair in pairs(staged, contracts)}
        sides = open_sides(staged, precision, timeout)
        sides[1].child.start()
        settings = Settings(timeout, 0, SEED, precision, True, tuple(sides[1].child.about["platforms"]))
    except BaseException:
        folder.cleanup()
        raise
    return Beside(original.resolve(), staged, folder, sides, settings, found)
