"""Arguments whose shape depends on values: jit compiles the function that gets them anew for each of these.

`path = np.zeros(hops[i, j] + 1)`, which a loop then fills, has another length for each `i` and `j`. Where Python calls the function again
and again with others, compiling the loop takes longer than the loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.values import NOTHING, UNKNOWN
from ..analysis.state.interpreter_state import Run
from ..analysis.state.lattice import whole
from .resized_arguments import KEEPING, SIZED, passed


def sized_by_values(
    run: Run, nodes: Sequence[cst.CSTNode], node: cst.CSTNode, callee: str
) -> tuple[tuple[str, frozenset[str]], ...]:
    """The parameters of a function that a call gives arrays whose shapes depend on values, with the caller's parameters whose values
    these are."""
    arguments = [*passed(run, node, callee)] if isinstance(node, cst.Call) else []
    if not arguments:
        return ()
    assigned = dict[str, list[cst.BaseExpression]]()
    for statement in (each for each in nodes if type(each) is cst.Assign):
        for target in statement.targets:
            if isinstance(target.target, cst.Name):
                assigned.setdefault(target.target.value, []).append(statement.value)
    found = ((p, a, run.values.get(a, UNKNOWN)) for p, a in arguments)
    sized = (
        (p, NOTHING.union(*(run.values.get(size, UNKNOWN).deps for size in _sizes(run, a, assigned, set()))))
        for p, a, value in found
        if value.kind is not Kind.SCALAR and value.rank != 0
    )
    return tuple((parameter, frozenset(map(whole, deps))) for parameter, deps in sized if deps)


def _sizes(
    run: Run, node: cst.BaseExpression, assigned: dict[str, list[cst.BaseExpression]], seen: set[str]
) -> Iterator[cst.BaseExpression]:
    """The numbers, or the shapes, that say how many elements an array has. `seen`: the variables that have been followed."""
    match node:
        case cst.Name(value=name) if name not in seen:
            seen.add(name)
            for value in assigned.get(name, ()):
                yield from _sizes(run, value, assigned, seen)
        case cst.Subscript(value=base, slice=parts):
            bounds = (
                bound for part in parts if isinstance(part.slice, cst.Slice) for bound in (part.slice.lower, part.slice.upper)
            )
            yield from (bound for bound in bounds if bound is not None)
            yield from _sizes(run, base, assigned, seen)
        case cst.Call(func=func, args=arguments) if arguments:
            called = (run.scopes.qualname(func) or "").removeprefix("numpy.").removeprefix("builtins.")
            if called in SIZED:
                yield arguments[-1 if called == "linspace" else 0].value
            elif called in KEEPING:
                yield from _sizes(run, arguments[0].value, assigned, seen)
        case cst.BinaryOperation(left=left, right=right):
            yield from _sizes(run, left, assigned, seen)
            yield from _sizes(run, right, assigned, seen)
