"""Python numbers that get a dtype in the iterations of a loop: `b = 0` before it, `b += c; c += x[i]` in it.

JAX gives a carried Python number the dtype that it has after a first iteration, and does so once. Where the number takes its
dtype from another one that has none before the end of that iteration, the two iterations disagree, and JAX raises TypeError. So
do the two arms of a `lax.cond` in the first iteration, if one of them leaves the number unchanged. An integer that an iteration
turns into a Python float becomes a strong float64, which is not narrowed by float32 as a Python float is. So numbers of the first
kind start with the dtype that they will have, those of the second kind as floats. So does a part or a copy of an array of unknown dtype,
`e = x[0]` or `c = x[:k].copy()`, of which iterations make floats if it is an integer: `e = k * x[i] + (1 - k) * e`. An argument of a loop
that was outlined may be just that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from ....rules import numpy_table
from ....rules.core.dtypes import is_small_integer
from ....rules.core.findings import Kind
from ....rules.facts.loops import Promoted
from ....rules.facts.values import NOTHING, UNKNOWN
from ...syntax.reaching_definitions import definitions_enclosing
from ..branches.promotion import FLOAT, INTEGER, both, iteration, joined
from ..state.interpreter_state import Run
from ..state.lattice import Env

COPIES = ("numpy.array", "numpy.asarray", "numpy.copy")
ALIKE_DTYPES = ("same", "real")


def typed(
    run: Run, node: cst.For | cst.While, carry: Iterable[str], before: Env, guard: cst.If | None
) -> tuple[dict[str, Promoted], str]:
    """The carried Python numbers that must start with another dtype, and what that is promoted from; or why one has no such
    dtype. `guard`: the branch that may end an iteration, where what follows it is expensive, and is not computed then.
    """
    numbers = {n for n in carry if n in before and before[n].kind is Kind.SCALAR and before[n].dtype in ("int", "float")}
    open_ = [n for n in carry if n in before and not before[n].dtype]
    elements = {n: array for n in open_ if (array := _copied_from(run, node, n))}
    elements |= {n: n for n in open_ if run.unit.outlined and before[n].holds == n}
    lists = {n for n in _iterated(run, node) if not before.get(n, UNKNOWN).numeric} if run.unit.outlined else NOTHING
    if not numbers and not elements:
        return {}, ""
    start = {name: _start(name, name in numbers, before) for name in carry}
    split: set[str] = set()
    first = iteration(run, node, start, split, guard)
    kept = {name: origin for name, origin in start.items() if name not in numbers}  # a value with a dtype keeps it
    state = start
    while (after := joined(state, iteration(run, node, state)) | kept) != state:
        state = after
    last = iteration(run, node, state)
    for name in sorted(numbers):
        if before[name].dtype == "float" and last.get(name) == INTEGER:
            return {}, f"`{name}` is a float before the loop and an integer after an iteration"
    found: dict[str, Promoted] = {}
    for name in carry:
        once, finally_ = first.get(name), state.get(name)
        if name in numbers and once is not None and finally_ is not None:
            widened = finally_.inexact and not finally_.arrays and before[name].dtype == "int"
            if finally_.inexact and before[name].dtype == "int" and _narrow_integers(finally_.arrays, before):
                found[name] = FLOAT  # JAX makes float32 of their quotients, NumPy float64
            elif once.arrays != finally_.arrays or widened or (finally_.arrays and name in split):
                found[name] = finally_._replace(inexact=finally_.inexact and before[name].dtype == "int")
        if name in elements and finally_ is not None and last.get(name) is not None:
            made = both(finally_, last[name]) or finally_
            if (made.inexact or made.arrays - {name, elements[name]}) and not (made.arrays & lists):
                found[name] = made._replace(arrays=made.arrays - {elements[name]} | {name})
    return found, ""


def _narrow_integers(arrays: Iterable[str], before: Env) -> bool:
    """Whether there are some arrays, and all hold bools or integers of fewer than 64 bits."""
    found = [before.get(name, UNKNOWN).dtype for name in arrays]
    return bool(found) and all(dtype == "bool_" or is_small_integer(dtype) for dtype in found)


def _iterated(run: Run, node: cst.For | cst.While) -> Iterator[str]:
    """The variables whose items a loop, or one in it, goes through."""
    spaces = [
        run.scopes.iteration_space(loop) for loop in (node, *run.source.among(node.body, cst.For)) if isinstance(loop, cst.For)
    ]
    while spaces:
        space = spaces.pop()
        spaces += space.parts
        if isinstance(space.iterable, cst.Name):
            yield space.iterable.value


def _copied_from(run: Run, node: cst.For | cst.While, name: str) -> str:
    """The array of which a variable is a part or a copy when a loop starts; "" if it is something else."""
    definitions = definitions_enclosing(node, run.source.parents)
    found = definitions.only(node, name)
    while isinstance(found, cst.Assign) and isinstance(found.value, cst.Name):  # another name of the same value
        uses = definitions.of_use(found.value, found.value.value, run.source.parents) or ()
        found = next(iter(uses)) if len(uses) == 1 else None
    match found:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name())], value=value):
            return _array_of(run, value)
    return ""


def _array_of(run: Run, node: cst.BaseExpression) -> str:
    match node:
        case cst.Name(value=name):
            return name
        case cst.Subscript(value=inner) | cst.Call(func=cst.Attribute(value=inner, attr=cst.Name(value="copy")), args=[]):
            return _array_of(run, inner)
        case cst.Call(func=func, args=[cst.Arg(value=inner, keyword=None)]):
            name = run.scopes.qualname(func) or ""
            entry = numpy_table.function(name) if name.startswith("numpy.") else None
            return _array_of(run, inner) if name in COPIES or (entry is not None and entry.dtype in ALIKE_DTYPES) else ""
    return ""


def _start(name: str, number: bool, before: Env) -> Promoted | None:
    value = before.get(name)
    if value is None:  # it starts as 0
        return INTEGER
    if number:
        return Promoted(inexact=value.dtype == "float")
    return Promoted(frozenset({name})) if value.kind in (Kind.ARRAY, Kind.SCALAR, Kind.UNKNOWN) else None
