"""What a call costs when NumPy runs it, and when `jit` compiles it, in microseconds: estimates from counted operations.

The constants are rounded from measurements on a desktop CPU: on small arrays, a function of NumPy takes about 1 us and an operator
0.5 us, an operation on a Python number 0.05 us; a call of a compiled function takes 5 us, 1 us for each argument, and 2 us for each
result with its conversion. How large the arrays are is not known, as a rule. So the estimate for NumPy holds for the smallest arrays,
and a function is compiled where even these do not make it slow, or where it is not called again and again.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import NamedTuple

from ...rules.facts.work import Work
from ..analysis.state.call_signatures import CallShape
from ..summaries.units import UnitSummary
from .indirect_calls import fits

NUMPY_CALL, NUMBER, JIT_CALL, ARGUMENT, RESULT = 1.0, 0.05, 5.0, 1.0, 2.0
COPIED_IN, WRITTEN, COPIED_OUT = 0.7, 0.7, 0.6  # nanoseconds for each element of large arrays
FEW = 2  # operations, which XLA has little to fuse of
DEEP = 3  # levels of calls that are counted
OPERATIONS_FOR_A_DRAW = 20  # of an array, which compiling has to save
MANY = 100  # iterations of a loop whose trip count is not known
SURE = 2  # how much longer NumPy has to take than compiled code that Python calls again and again: on some CPUs a call takes twice as long
TOO_SMALL = "Python calls it in a loop, and its operations take less time than to call compiled code"


class Cost(NamedTuple):
    """What something takes in NumPy, and compiled."""

    numpy: float
    compiled: float


def cost_of(work: Work, parameters: int, results: int = 1) -> Cost:
    """Microseconds of one call of a unit that does this work, with small arrays."""
    once = work.arrays * NUMPY_CALL + work.items * NUMBER + work.slow
    looped = MANY * (work.looped_arrays * NUMPY_CALL + work.looped_items * NUMBER + work.looped_slow)
    return Cost(once + looped, JIT_CALL + ARGUMENT * parameters + RESULT * results)


def cost_of_large(work: Work, arrays: int, copied: int) -> Cost:
    """Nanoseconds for each element of large arrays, outside of loops. `arrays`: the arguments that are arrays, which are copied to the
    device; `copied`: the results that are copied to arrays of NumPy."""
    return Cost(work.numpy, work.xla + COPIED_IN * arrays + WRITTEN + COPIED_OUT * copied)


def work_with_calls(units: Mapping[str, UnitSummary]) -> Mapping[str, Work]:
    """The work of each unit together with that of the units that it calls, a few levels deep."""
    total = {name: unit.work for name, unit in units.items()}
    for _level in range(DEEP):
        total = {
            name: reduce(added, ((total[c.callee], c.looped) for c in unit.call_graph.calls if c.callee in total), unit.work)
            for name, unit in units.items()
        }
    return total


def added(work: Work, called: tuple[Work, bool]) -> Work:
    """The work of a unit after one more call. `called`: the work of the callee, and whether the call is in a loop."""
    other, looped = called
    return Work(
        work.arrays + (0 if looped else other.arrays),
        work.items + (0 if looped else other.items),
        work.looped_arrays + other.looped_arrays + (other.arrays if looped else 0),
        work.looped_items + other.looped_items + (other.items if looped else 0),
        work.slow + (0 if looped else other.slow),
        work.looped_slow + other.looped_slow + (other.slow if looped else 0),
        work.numpy + (0 if looped else other.numpy),
        work.xla + (0 if looped else other.xla),
        work.masked,
        work.products or other.products,
        work.looped_draws + other.looped_draws,
    )


def loses(work: Work, parameters: int, repeated: bool) -> str:
    """Why compiling a unit would make it slower; "" where it would not.

    `work`: with that of what it calls; `parameters`: their number; `repeated`: Python calls it again and again, in a loop.
    """
    if work.masked:
        return work.masked
    if mostly_draws(work):
        return "it draws arrays in a loop, which takes JAX several times as long, and does little with them"
    large = cost_of_large(work, min(parameters, 1), 0)
    if large.compiled > large.numpy and not (work.looped_arrays or work.looped_items) and work.xla > work.numpy:
        return "functions such as sorting and inverse trigonometric ones take several times as long in XLA, on large arrays"
    cost = cost_of(work, parameters)
    if cost.numpy >= cost.compiled * (SURE if repeated else 1):
        return ""
    if is_of_numbers(work):
        return "it computes a few numbers, which takes less time than to call compiled code"
    if work.arrays <= FEW and not (work.looped_arrays or work.looped_items or work.products):
        return "it is one operation of NumPy or two, which compiled code does not do faster"
    if repeated:
        return TOO_SMALL
    return ""


def mostly_draws(work: Work) -> bool:
    """Whether the iterations of loops draw arrays, and do so little with them that compiling does not make up for that.

    On a CPU, JAX takes 75 ns for a number of the normal distribution, and NumPy 13; an operation takes 1 ns for each.
    """
    return work.looped_draws * OPERATIONS_FOR_A_DRAW > work.looped_arrays and not work.products


def makes_little(work: Work) -> bool:
    """Whether the iterations of a unit make arrays and no more, such as `[np.eye(n) for _ in range(m)]`."""
    stored = work.looped_items <= 1  # the array, in a list
    return stored and work.looped_arrays <= FEW and work.arrays <= FEW and work.looped_slow <= NUMPY_CALL and not work.products


def is_of_numbers(work: Work) -> bool:
    """Whether a unit computes a few numbers only, whatever it is given, so that compiling never pays."""
    return not (work.arrays or work.looped_arrays or work.looped_items)


def does_little(work: Work, parameters: int) -> bool:
    """Whether compiling a unit does not make it twice as fast on the smallest arrays."""
    cost = cost_of(work, parameters)
    return cost.numpy < 2 * cost.compiled


def repeated_calls(units: Mapping[str, UnitSummary]) -> frozenset[str]:
    """The units that others call in loops, those that libraries get, which may call them as often, and what such units call.

    Some are called as values, as those in an attribute, a variable or a table (`METRICS[name](a, b)`), or by way of a class in one:
    static methods that no call names.
    """
    found: set[str] = set()
    graphs = [unit.call_graph for unit in units.values()]
    named = {call.callee for graph in graphs for call in graph.calls}
    used = {name for graph in graphs for name in graph.escapes}
    used |= {name for name, unit in units.items() if unit.cls and not unit.signature.receiver and name not in named}
    values = {name: units[name] for name in used if name in units}

    work = [call.callee for graph in graphs for call in graph.calls if call.looped]
    work += [name for graph in graphs for name in graph.given_away]
    shapes, seen = {shape for graph in graphs for shape in graph.repeated}, set[CallShape]()  # of calls of unknown functions
    while work or shapes:
        for shape in shapes - seen:
            for receivers in (0, 1):  # a bound method has one
                work += [name for name, unit in values.items() if fits(shape, unit, receivers, unit.signature.required)]
        seen |= shapes
        shapes = set()
        while work:
            name = work.pop()
            if name in units and name not in found:
                found.add(name)
                graph = units[name].call_graph
                work += [*(call.callee for call in graph.calls), *graph.escapes]
                shapes |= graph.unknown_calls - seen
    return frozenset(found)
