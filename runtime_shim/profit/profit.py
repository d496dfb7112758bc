"""Measure whether a conversion pays: what `np2jax profit` and `np2jax convert --only-if-faster` call."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..values.contract import Contract
from ..values.errors import require

if TYPE_CHECKING:
    from .profit_report import ProfitReport


def profit(
    original: Path,
    converted: Path,
    contracts: Sequence[Contract],
    *,
    evidence: Path | None = None,
    timeout: float = 10.0,
    budget: float = 10.0,
    seed: int = 0,
    precision: str = "float64",
    only: Collection[str] | None = None,
    eager: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> ProfitReport:
    """Time the converted functions of two files or two trees.

    `contracts` say which functions are converted, and how. `evidence`: a file that `record` wrote; without it, the programs and
    the tests of the original are run for their calls, and calls of other functions are generated from `seed`. `timeout`:
    seconds for one call of the original; a converted function, which JAX compiles first, gets three times as long, a program
    six times. `budget`: seconds for the calls of one function. `only`: the names of the functions to time. `eager`: functions
    without `jit` are called from Python, too. `tell` is told what is being done.

    Raises MissingExtra if numpy, jax or hypothesis is not installed, ShimError for paths and evidence that cannot be used.
    """
    require("numpy", "jax", "hypothesis", purpose="measuring")
    from .function_timing import Limits
    from .project_timing import time_project

    return time_project(
        original,
        converted,
        contracts,
        evidence=evidence,
        limits=Limits(timeout, budget, seed),
        precision=precision,
        only=only,
        eager=eager,
        tell=tell,
    )
