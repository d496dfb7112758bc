"""Run an original and its conversion on the same inputs and report differences: `verify` and `assert_equivalent`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..values.contract import Contract
from ..values.errors import require

if TYPE_CHECKING:
    from .report import Report


def verify(
    original: Path,
    converted: Path,
    contracts: Sequence[Contract] = (),
    *,
    entry: Path | None = None,
    timeout: float = 10.0,
    jit: bool = True,
    examples: int = 20,
    seed: int = 0,
    precision: str = "float64",
    evidence: Path | None = None,
    jobs: int = 1,
    least: float = 0.0,
) -> Report:
    """Compare two files or two trees, function by function and as whole programs.

    `contracts` say what the converted functions return; without one it is inferred by observing the original. `entry` is the
    program to run (relative to the tree, or inside it); by default every program found. `timeout`: seconds for one call of the
    original; a converted function, which JAX compiles first, gets three times as long, a program six times. `jit=False`
    compares under `jax.disable_jit()` only. `examples`: generated calls for a function without recorded ones, drawn from
    `seed`. `precision`: "float64" compares dtypes exactly, "float32" by kind. `evidence`: a file that `record` wrote. `jobs`:
    how many programs run at the same time; printed timings are not compared. `least`: the report is not `ok` if a smaller share of
    the original, in percent, was compared; nor is it if nothing was.

    Raises MissingExtra if numpy, jax or hypothesis is not installed, ShimError for paths that cannot be compared.
    """
    require("jax", "numpy", "hypothesis")
    from .tree_comparison import verify_project

    return verify_project(
        Path(original),
        Path(converted),
        contracts,
        entry=entry,
        timeout=timeout,
        jit=jit,
        examples=examples,
        seed=seed,
        precision=precision,
        evidence=evidence,
        jobs=jobs,
        least=least,
    )


def assert_equivalent(
    original: Callable[..., Any], converted: Callable[..., Any], *args: Any, returns: Sequence[str] = (), **kwargs: Any
) -> None:
    """Assert that `converted` returns for these arguments what `original` returns, for use in tests.

    The original gets copies of the arguments, the converted function the same with JAX arrays in place of NumPy arrays, once as
    it is and once under `jax.disable_jit()`. `returns` names the parameters that the original changes in place and the
    converted function returns after its results. Raises AssertionError that says where they differ, MissingExtra if numpy or
    jax is not installed.
    """
    require("numpy", "jax", purpose="assert_equivalent")
    from .equivalence import check_equivalent

    check_equivalent(original, converted, args, kwargs, tuple(returns))
