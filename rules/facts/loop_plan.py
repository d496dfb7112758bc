"""What becomes of each loop: one value, decided before the rules run, which rules and code generation only read.

`migrate/analysis/parallel/loop_planner.py` decides, and states the order of preference. Each case of `LoopPlan` is written by one
rule, whose check begins with `match ctx.loop_plan(node)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

if TYPE_CHECKING:
    from .compaction import CompactedArrays
    from .loops import Loop
    from .parallel_loops import ParallelNest
    from .parallel_loops import Prefix as PrefixTerms

UNTRACEABLE = "NJ402"  # the rule that reports loops which keep jit away

# --- iterations that do not depend on each other --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Vectorized:
    """All iterations of a nest of loops at once: as code on whole arrays, by `jax.vmap`, or by `lax.map` to save memory."""

    iterations: ParallelNest


@dataclass(frozen=True, slots=True)
class Parallel(Vectorized):
    """Each iteration stores its own elements of arrays, or appends one item to a list."""


@dataclass(frozen=True, slots=True)
class ParallelReduction(Vectorized):
    """The iterations add up, multiply, or look for the greatest or least."""


@dataclass(frozen=True, slots=True)
class Search(Vectorized):
    """The loop ends in the first iteration in which a test holds: all tests are evaluated at once."""


@dataclass(frozen=True, slots=True)
class Distributed:
    """All iterations do the first part of the body, then all do the next: each part is code on whole arrays."""

    parts: tuple[ParallelNest, ...]


@dataclass(frozen=True, slots=True)
class Nested:
    """The loop is written together with the loop around it."""

    iterations: ParallelNest


# --- iterations that each store one element of arrays, made of the one before ---------------------------------------------


@dataclass(frozen=True, slots=True)
class Prefix:
    """The elements are prefix sums, products, maxima or minima: `jnp.cumsum` and its kind."""

    iterations: ParallelNest
    terms: PrefixTerms


@dataclass(frozen=True, slots=True)
class Recurrence:
    """`lax.scan` carries what goes on to the next iteration, and stacks the elements that the iterations store."""

    iterations: ParallelNest


# --- iterations that go on from the one before ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Carried:
    """The body becomes a function of the loop-carried variables."""

    loop: Loop


@dataclass(frozen=True, slots=True)
class Accumulation(Carried):
    """Each iteration appends to lists: `lax.scan` stacks the items, or `lax.map` where nothing is carried.

    `rows`: what the iterations read of arrays, where the index of a counted loop only selects one row of each.
    """

    rows: ParallelNest | None = None


@dataclass(frozen=True, slots=True)
class Scan(Carried):
    """`lax.scan` over the rows of arrays.

    `rows`: what the iterations read of arrays, where the index of a counted loop only selects one row of each; None where the
    loop goes through the arrays themselves.
    """

    rows: ParallelNest | None = None


@dataclass(frozen=True, slots=True)
class Fori(Carried):
    """`lax.fori_loop` over a range."""


@dataclass(frozen=True, slots=True)
class While(Carried):
    """`lax.while_loop`: of a `while`, or of a `for` that may end early."""


@dataclass(frozen=True, slots=True)
class Compaction:
    """A mask shortens the arrays in each iteration: `lax.while_loop` over arrays of full length, with a mask."""

    arrays: CompactedArrays


# --- loops of Python ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Unrolled:
    """Python runs the loop when JAX traces the function. `reason`: why it is not compiled, "" where it could be."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class PythonLoop:
    """The loop stays Python's, in code that jit does not compile.

    `code`: that of the rule which reports it, "" where there is nothing to report. `reason`: why it could not be compiled, ""
    where the loop is not what keeps jit away. `node`: the loop.
    """

    code: str
    reason: str
    node: cst.CSTNode


LoopPlan = (
    Parallel
    | ParallelReduction
    | Search
    | Distributed
    | Nested
    | Prefix
    | Recurrence
    | Accumulation
    | Scan
    | Fori
    | While
    | Compaction
    | Unrolled
    | PythonLoop
)


def vectorized(plan: LoopPlan) -> tuple[ParallelNest, ...]:
    """What all iterations of a loop do at once: the parts of them, where the loop is distributed; () for any other loop."""
    match plan:
        case Vectorized(iterations=iterations):
            return (iterations,)
        case Distributed(parts=parts):
            return parts
    return ()


def loop_carried(plan: LoopPlan) -> tuple[str, ...]:
    """The variables whose values go on to the next iteration, where a function of one iteration is compiled."""
    match plan:
        case Carried(loop=loop):
            return loop.carry
        case Prefix(iterations=iterations) | Recurrence(iterations=iterations):
            return iterations.carry
    return ()


def takes_rows(plan: LoopPlan) -> bool:
    """Whether JAX takes the rows that a loop goes through, which must be equally many of all arrays."""
    return isinstance(plan, (Vectorized, Accumulation, Scan))


def index_is_array(plan: LoopPlan) -> bool:
    """Whether the indices of a loop are items of an array; `lax.fori_loop` gives numbers whose dtype yields as that of Python's does."""
    return isinstance(plan, (Vectorized, Distributed, Prefix, Recurrence, Accumulation))
