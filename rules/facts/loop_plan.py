"""What becomes of each loop: one value, decided before the rules run, which rules and code generation only read.

`migrate/analysis/parallel/loop_planner.py` decides, and states the order of preference. Each case of `LoopPlan` is written by one
rule, whose check begins with `match ctx.loops.loop_plan(node)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

if TYPE_CHECKING:
    from .compaction import CompactedArrays
    from .loops import Loop
    from .parallel_loops import ParallelNest
    from .parallel_loops import Prefix as PrefixTerms

UNTRACEABLE = "NJ402"  # the rule that reports loops that prevent jit

# --- iterations that do not depend on each other --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Vectorized:
    """All iterations of a loop nest in parallel: as code on whole arrays, by `jax.vmap`, or by `lax.map` to save memory."""

    iterations: ParallelNest


@dataclass(frozen=True, slots=True)
class Parallel(Vectorized):
    """Each iteration stores its own elements of arrays, or appends one item to a list."""


@dataclass(frozen=True, slots=True)
class ParallelReduction(Vectorized):
    """The iterations compute a sum, a product, a maximum or a minimum."""


@dataclass(frozen=True, slots=True)
class Search(Vectorized):
    """The loop ends in the first iteration in which a test holds: all tests are evaluated in parallel."""


@dataclass(frozen=True, slots=True)
class Distributed:
    """The loop is distributed: all iterations run the first part of the body, then all run the next. Each part is code on
    whole arrays."""

    parts: tuple[ParallelNest, ...]


@dataclass(frozen=True, slots=True)
class Nested:
    """The loop is written together with the enclosing loop."""

    iterations: ParallelNest


# --- iterations that each store one element of arrays, computed from the previous one -------------------------------------


@dataclass(frozen=True, slots=True)
class Prefix:
    """The elements are prefix sums, products, maxima or minima: `jnp.cumsum` and its kind."""

    iterations: ParallelNest
    terms: PrefixTerms


@dataclass(frozen=True, slots=True)
class Recurrence:
    """`lax.scan` carries what flows into the next iteration, and stacks the elements that the iterations store."""

    iterations: ParallelNest


# --- iterations that depend on the previous one ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Carried:
    """The body becomes a function of the loop-carried variables."""

    loop: Loop


@dataclass(frozen=True, slots=True)
class Accumulation(Carried):
    """Each iteration appends to lists: `lax.scan` stacks the items, or `lax.map` where nothing is carried.

    `rows`: the array elements that the iterations read, where the index of a counted loop only selects one row of each.
    """

    rows: ParallelNest | None = None


@dataclass(frozen=True, slots=True)
class Scan(Carried):
    """`lax.scan` over the rows of arrays.

    `rows`: the array elements that the iterations read, where the index of a counted loop only selects one row of each; None
    where the loop iterates over the arrays themselves.
    """

    rows: ParallelNest | None = None


@dataclass(frozen=True, slots=True)
class Fori(Carried):
    """`lax.fori_loop` over a range."""


@dataclass(frozen=True, slots=True)
class While(Carried):
    """`lax.while_loop`: for a `while`, or a `for` that may end early."""


@dataclass(frozen=True, slots=True)
class Compaction:
    """A mask shortens the arrays in each iteration: `lax.while_loop` over arrays of full length, with a mask."""

    arrays: CompactedArrays


# --- loops that Python runs -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Unrolled:
    """Python runs the loop when JAX traces the function. `reason`: why it is not compiled, "" where it could be."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class PythonLoop:
    """Python runs the loop, in code that jit does not compile.

    `code`: the code of the rule that reports it, "" where there is nothing to report.
    `reason`: why it could not be compiled, "" where the loop is not what prevents jit.
    `node`: the loop.
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
    """The loop nests whose iterations run in parallel: several where the loop is distributed; () for any other loop."""
    match plan:
        case Vectorized(iterations=iterations):
            return (iterations,)
        case Distributed(parts=parts):
            return parts
    return ()


def listed_items(plan: LoopPlan) -> Iterator[cst.BaseExpression]:
    """The items of lists that become arrays without a dtype."""
    found = [(one.value, one.arrays) for nest in vectorized(plan) for one in nest.reductions]
    if isinstance(plan, Carried):
        found += [(one.value, one.arrays) for one in plan.loop.accumulated]
    return (value for value, arrays in found if any(len(call.args) == 1 for call in arrays))


def loop_carried(plan: LoopPlan) -> tuple[str, ...]:
    """The loop-carried variables, where one iteration becomes a function that is compiled."""
    match plan:
        case Carried(loop=loop):
            return loop.carry
        case Prefix(iterations=iterations) | Recurrence(iterations=iterations):
            return iterations.carry
    return ()


def takes_rows(plan: LoopPlan) -> bool:
    """Whether JAX reads the rows that a loop iterates over: all arrays must have equally many."""
    return isinstance(plan, (Vectorized, Accumulation, Scan))


def index_is_array(plan: LoopPlan) -> bool:
    """Whether the indices of a loop are elements of an array. The index of `lax.fori_loop` is weakly typed, as a Python
    integer is."""
    return isinstance(plan, (Vectorized, Distributed, Prefix, Recurrence, Accumulation))
