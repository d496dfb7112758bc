"""The bridge to the shim, which runs user code: nothing else of `migrate` loads it, and this only when a command needs it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..project.failure import Failure
from ..project.outcome import Conversion
from ..project.progress import say
from .convert import contracts
from .demotion import Compare, Measure, Verdict
from .formats.output import check_writable, write

if TYPE_CHECKING:
    from ...runtime_shim.profit.profit_report import ProfitReport
    from ...runtime_shim.verification.record import Recording
    from ...runtime_shim.verification.report import Report

DIFFERENT = {"differs", "error in converted"}  # verdicts of the shim


def recorder() -> Callable[..., Recording]:
    """The shim's `record`, which raises Failure where that cannot record."""
    from ...runtime_shim.values.errors import ShimError
    from ...runtime_shim.verification.record import record

    def run(command: Sequence[str], roots: Sequence[Path], output: Path, timeout: float | None) -> Recording:
        try:
            return record(command, roots, output, timeout)
        except ShimError as error:
            raise Failure(str(error)) from error

    return run


def verifier(chosen: dict[str, Any]) -> Callable[[Path, Path, Sequence[dict[str, Any]], str], Report]:
    """The shim's `verify` with the selected options. Raises Failure if its libraries are not installed."""
    from ...runtime_shim.values.contract import contracts_of
    from ...runtime_shim.values.errors import ShimError
    from ...runtime_shim.verification.verify import verify

    def run(original: Path, converted: Path, known: Sequence[dict[str, Any]], precision: str) -> Report:
        promised = contracts_of(known)
        try:
            return verify(
                original,
                converted,
                promised,
                entry=chosen["entry"],
                timeout=chosen["timeout"],
                jit=not chosen["no_jit"],
                examples=chosen["examples"],
                seed=chosen["seed"],
                precision=precision,
                evidence=chosen["evidence"],
                jobs=chosen["jobs"] or 1,  # 0: `convert` shares its own work out, and programs are compared one by one
                least=chosen["min_compared"],
            )
        except ShimError as error:
            raise Failure(str(error)) from error

    _require("verify")
    return run


def acceptance(chosen: Mapping[str, Any]) -> Callable[[Report], tuple[Report, list[str]]]:
    """What the options for a baseline make of a report, and what is to be said. Raises Failure for a file that is no baseline."""
    from ...runtime_shim.values.errors import ShimError
    from ...runtime_shim.verification.known_differences import acceptance as accepting

    to_write = chosen["write_baseline"]
    check_writable(to_write)
    try:
        accept = accepting(chosen["baseline"], to_write, chosen["reason"], chosen["until"])
    except ShimError as error:
        raise Failure(str(error)) from error

    def run(report: Report) -> tuple[Report, list[str]]:
        done, said, text = accept(report)
        if text is not None:
            write(text.rstrip("\n"), to_write)
        return done, said

    return run


def _require(purpose: str) -> None:
    """Raises Failure unless the libraries of the shim are installed."""
    from ...runtime_shim.values.errors import ShimError, require

    try:
        require("numpy", "jax", "hypothesis", purpose=purpose)
    except ShimError as error:
        raise Failure(str(error)) from error


def timer(chosen: dict[str, Any]) -> Callable[..., ProfitReport]:
    """The shim's `profit` with the selected options. Raises Failure if its libraries are not installed."""
    from ...runtime_shim.profit.profit import profit
    from ...runtime_shim.values.contract import contracts_of
    from ...runtime_shim.values.errors import ShimError

    def run(
        original: Path, converted: Path, conversion: Conversion, precision: str, only: frozenset[str] | None, eager: bool
    ) -> ProfitReport:
        limits = {name: chosen[name] for name in ("evidence", "timeout", "budget", "seed")}
        promised = contracts_of(contracts(conversion))
        try:
            return profit(original, converted, promised, **limits, precision=precision, only=only, eager=eager, tell=say)
        except ShimError as error:
            raise Failure(str(error)) from error

    _require("measuring")
    return run


def measurement(chosen: dict[str, Any]) -> Measure:
    """`profit` in the form that `convert --only-if-faster` needs."""
    run = timer(chosen)

    def measure(
        original: Path, converted: Path, conversion: Conversion, precision: str, only: frozenset[str]
    ) -> Mapping[str, str]:
        return run(original, converted, conversion, precision, only, False).slower

    return measure


def comparison(chosen: dict[str, Any]) -> Compare:
    """`verify` in the form that `convert --verify` needs."""
    run = verifier(chosen)

    def compare(original: Path, converted: Path, conversion: Conversion, precision: str) -> Verdict:
        found = run(original, converted, contracts(conversion), precision)
        functions = {function.name: function for function in found.functions}
        return Verdict(
            frozenset(name for name, function in functions.items() if function.verdict == "agrees"),
            {name: function.reason for name, function in functions.items() if function.verdict in DIFFERENT},
            tuple(f"{program.file}: {program.reason}" for program in found.programs if program.verdict in DIFFERENT),
            found.to_dict(),
        )

    return compare
