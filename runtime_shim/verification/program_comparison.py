"""Runs whole programs in both trees. Exit statuses must be equal; printed text is compared, with a tolerance for numbers."""

from __future__ import annotations

import json
import tempfile
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from ..draws.jax_draws import NO_ORDER, UNORDERED
from ..draws.tape import TOO_MANY
from ..draws.tape_snapshot import is_full
from ..sandbox.ctrl_c import deferred
from ..sandbox.program_runner import Program, Ran, end_all, observe, run, this_python
from ..sandbox.staging import Staged
from ..values.errors import ShimError
from ..values.evidence import Evidence
from ..values.serialization import split
from ..values.snapshot import Snapshot
from .differential_run import KEYS_USED_TWICE
from .printed_output import PRINTED, compare_output, lost_message
from .report import AGREES, DIFFERS, ERROR, NOT_COMPARED, ProgramVerdict
from .written_files import files_differ, files_of

REPLAYED = "it draws random numbers: the converted program replays those of the original"
OFTEN = 0.05  # seconds between looks at Ctrl-C


def run_programs(
    staged: Staged, files: Sequence[str], limit: float, precision: str, jobs: int
) -> list[tuple[ProgramVerdict, Evidence]]:
    """Run scripts of both trees, `jobs` of them at the same time."""
    if jobs == 1:
        return [run_program(staged, file, limit, precision, True) for file in files]
    stopped = threading.Event()

    def one(file: str) -> tuple[ProgramVerdict, Evidence]:
        if stopped.is_set():
            raise ShimError(f"{file}: interrupted before it began")
        return run_program(staged, file, limit, precision)

    with deferred() as interrupted, ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(one, file) for file in files]
        while left := wait(futures, OFTEN).not_done:
            if interrupted() or any(future.exception() for future in futures if future not in left):
                stopped.set()
                end_all()  # again and again: a program may just be starting
    return [future.result() for future in futures]


def run_program(staged: Staged, file: str, limit: float, precision: str, alone: bool = False) -> tuple[ProgramVerdict, Evidence]:
    """Run one script of both trees; the original under observation, so that its calls and draws are recorded.

    `alone`: no other program runs, so that the files that change are written by this one.
    """
    with tempfile.TemporaryDirectory(prefix="np2jax-draws-") as folder:
        return _run_program(staged, file, limit, precision, Draws(Path(folder)), alone)


@dataclass(frozen=True, slots=True)
class Draws:
    """The files for the draws of a program: those of the original, and the mismatches of the converted one."""

    folder: Path

    @property
    def tape(self) -> Path:
        """The original's draws."""
        return self.folder / "tape"

    @property
    def report(self) -> Path:
        """The mismatches of the converted program."""
        return self.folder / "report"

    def stored(self) -> Snapshot:
        """The original's draws, None for none."""
        found = split(self.tape.read_bytes()) if self.tape.exists() else []
        return found[0]["snapshots"]["tape"] if found else None

    def outcome(self) -> tuple[str, bool]:
        """How the draws of the converted program differ, in words, and whether it draws with keys."""
        if not self.report.exists():
            return "", False
        found = json.loads(self.report.read_text())
        return found["trouble"], found["keys"]


def _run_program(
    staged: Staged, file: str, limit: float, precision: str, draws: Draws, alone: bool
) -> tuple[ProgramVerdict, Evidence]:
    what, where = program_of(staged, file)
    before = [files_of(top) for top in (staged.original, staged.converted)]
    want, evidence = observe(what, [staged.original], staged.original / where, limit, tape=draws.tape)
    if want.status is None:
        return ProgramVerdict(file, NOT_COMPARED, f"the original does not end within {limit:g} s"), evidence
    if not want.deliberate:
        return ProgramVerdict(file, NOT_COMPARED, f"the original ends with {_status(want)}"), evidence
    ours = before[0].written()
    tape = draws.stored()
    if is_full(tape):
        return ProgramVerdict(file, NOT_COMPARED, TOO_MANY), evidence
    command = what.plain() if tape is None else what.replayed(staged.converted, draws.tape, draws.report)
    got = run(command, staged.converted / where, limit)
    trouble, keys = draws.outcome()
    if trouble:
        return ProgramVerdict(file, DIFFERS, f"random draws: {trouble}"), evidence
    if got.status is None:
        return ProgramVerdict(
            file, ERROR, f"it does not end within {limit:g} s (the original took {want.seconds:.2g} s)"
        ), evidence
    if got.status != want.status and any(words in got.last_error for words in UNORDERED):
        return ProgramVerdict(file, NOT_COMPARED, NO_ORDER), evidence
    if got.status != want.status:
        return ProgramVerdict(file, ERROR, f"it ends with {_status(got)}, the original with exit status {want.status}"), evidence
    left, right = (ran.output.replace(str(top), "") for ran, top in ((want, staged.original), (got, staged.converted)))
    printed = compare_output(left, right, PRINTED[precision])
    if printed.perhaps_timings and not printed.reason:
        again, _ = observe(what, [staged.original], staged.original / where, limit, tape=draws.tape)
        printed = compare_output(left, right, PRINTED[precision], again.output.replace(str(staged.original), ""))
    notes = tuple(printed.notes) + (("it prints more than is compared",) if want.truncated or got.truncated else ())
    notes += (REPLAYED,) if tape is not None else ()
    if printed.reason:
        # A line that differs between runs of the original itself has no meaning.
        again, _ = observe(what, [staged.original], staged.original / where, limit, tape=draws.tape)
        if compare_output(want.output, again.output, PRINTED[precision]).reason:
            reason = "the output of the original changes from run to run"
            return ProgramVerdict(file, NOT_COMPARED, reason, 0, notes), evidence
        return ProgramVerdict(file, DIFFERS, printed.reason, 0, notes), evidence
    if lost_message(want.errors, got.errors, PRINTED[precision], want.errors):
        again, _ = observe(what, [staged.original], staged.original / where, limit, tape=draws.tape)
        if lost := lost_message(want.errors, got.errors, PRINTED[precision], again.errors):
            why = f"it does not write {lost.strip()[:120]!r} on the standard error output, as the original does"
            return ProgramVerdict(file, DIFFERS, why, 0, notes), evidence
    if alone and (why := files_differ(ours, before[1].written(), precision)):
        observe(what, [staged.original], staged.original / where, limit, tape=draws.tape)
        if not files_differ(ours, before[0].written(), precision):
            return ProgramVerdict(file, DIFFERS, why, 0, notes), evidence
        notes += ("the files that the original writes change from run to run",)
    if want.status != 0:
        return ProgramVerdict(file, NOT_COMPARED, f"both versions end with {_status(want)}", 0, notes), evidence
    if keys:
        reused, more = _reuses_keys(what, staged.converted / where, limit)
        if reused:
            return ProgramVerdict(file, DIFFERS, reused, 0, notes), evidence
        notes += more
    return ProgramVerdict(file, AGREES, "", len(want.output.splitlines()), notes), evidence


def _reuses_keys(what: Program, folder: Path, limit: float) -> tuple[str, tuple[str, ...]]:
    """Run the converted program with its own draws while JAX checks for key reuse. Returns what it found, and notes.

    The check makes uncompiled code many times slower, and most reuse shows early: it gets a third of the time.
    """
    ran = run(what.plain(), folder, limit / 3, variables={"JAX_DEBUG_KEY_REUSE": "1"})
    if ran.status == 0:
        return "", ()
    if "KeyReuseError" in ran.last_error:
        return f"random draws: {KEYS_USED_TWICE}: {ran.last_error[:300]}", ()
    how = "does not end in time" if ran.status is None else f"ends with {_status(ran)}"
    return "", (f"with its own draws it {how}",)


def observe_tests(staged: Staged, limit: float) -> Evidence:
    """Run the original's tests under observation."""
    what = this_python("module", "pytest", "-q", "-p", "no:cacheprovider", *staged.tests)
    return observe(what, [staged.original], staged.original, limit)[1]


def program_of(staged: Staged, file: str) -> tuple[Program, str]:
    """How a script is run, and in which folder: one inside a package as a module, from the folder that contains the package."""
    root, module = staged.modules[file]
    if "." in module or file.endswith("__main__.py"):
        name = module.removesuffix(".__main__")
        return this_python("module", name), root
    return this_python("script", Path(file).name), Path(file).parent.as_posix()


def _status(ran: Ran) -> str:
    words = f"exit status {ran.status}" if ran.status is not None and ran.status >= 0 else f"signal {-(ran.status or 0)}"
    return f"{words}: {ran.last_error[:300]}" if ran.last_error else words
