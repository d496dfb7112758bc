"""Loops that `return` may leave: they end as if by `break`, and the result is computed from the loop-carried values.

Such a loop is a statement of the function's body before the final `return`, or a final `while True`. The function returns the
value of one of the two `return` statements. The one in the loop is evaluated after the loop, with the values at its end.
"""

from __future__ import annotations

import libcst as cst

from ....rules.facts.loops import Returned
from ....rules.facts.values import NOTHING, UNKNOWN, replace
from ....rules.syntax.tree import walk
from ..state.interpreter_state import Run
from . import speculation
from .early_exits import refuse
from .type_agreement import unify


def read_after(left: Returned) -> frozenset[str]:
    """The variables that are read after the loop has ended."""
    value = left.inner[0].value
    return NOTHING if value is None else frozenset(n.value for n, _p in walk(value) if type(n) is cst.Name)


def returned(run: Run, node: cst.For | cst.While) -> Returned | str | None:
    """How `return` leaves a loop, None where it does not; or why JAX cannot express that."""
    inner = tuple(run.source.among(node.body, cst.Return))
    if not inner:
        return None
    block = run.source.parents.get(node)
    if (
        block is None
        or run.flow.depth
        or run.source.parents.get(block) is not run.unit.owner
        or not isinstance(block, cst.IndentedBlock)
    ):
        return "`return` leaves a loop in another block"
    codes = {"" if part.value is None else cst.Module([]).code_for_node(part.value) for part in inner}
    if "" in codes:
        return "it returns nothing from the loop"
    if len(codes) > 1:
        return "it returns one thing or another from the loop"
    if any(_acts(run, part) for part in inner):
        return "the expression that it returns from the loop has side effects, or draws"
    rest = block.body[next(k for k, line in enumerate(block.body) if line is node) + 1 :]
    endless = isinstance(node, cst.While) and isinstance(node.test, cst.Name) and node.test.value == "True"
    if endless and not rest:
        return Returned(inner, None)
    match list(rest):
        case [cst.SimpleStatementLine(body=[cst.Return(value=cst.BaseExpression()) as last]) as line] if not endless:
            if _acts(run, last):
                return "the expression that it returns after the loop has side effects, or draws"
            return Returned(inner, line, speculation.expensive(run, (inner[0], last)))
    return "`return` leaves the loop, and more than a `return` follows it"


def _acts(run: Run, node: cst.Return) -> bool:
    """Whether the returned expression has an effect."""
    parts = run.source.below(node)
    return any(
        isinstance(p, (cst.NamedExpr, cst.Await, cst.Yield)) or p in run.random.sites or run.effects.updates.get(p) for p in parts
    )


def resolve(run: Run) -> None:
    """Leave as NumPy the loops whose two results cannot be one value of JAX, after the whole function was run."""
    for node, loop in list(run.loops.compiled.items()):
        found: Returned | None = loop.exits.returned
        if found is None or found.last is None or loop.why:
            continue
        assert isinstance(node, (cst.For, cst.While))
        last = next(part for part in found.last.body if isinstance(part, cst.Return))
        if found.inner[0] not in run.flow.returns or last not in run.flow.returns:
            continue
        one, other = run.flow.returns[found.inner[0]][0], run.flow.returns[last][0]
        why, same = unify(run, one, other, "its result", loop.exits.guards[0].test)
        if why:
            run.loops.compiled[node] = replace(loop, why=why)
            refuse(run, node.body.body, why)
        elif not same and not _same_type(run, found.inner[0].value, last.value, loop.exits.guards[0].test):
            shapes = replace(found, expensive=found.expensive or "both results must have the same shape")
            run.loops.compiled[node] = replace(loop, exits=replace(loop.exits, returned=shapes))


def _same_type(run: Run, one: cst.BaseExpression | None, other: cst.BaseExpression | None, test: cst.BaseExpression) -> bool:
    """Whether two results certainly have the same shape and dtype: element by element, where they are written as tuples."""
    if one is None or other is None:
        return False
    if isinstance(one, cst.Tuple) and isinstance(other, cst.Tuple) and len(one.elements) == len(other.elements):
        return all(_same_type(run, a.value, b.value, test) for a, b in zip(one.elements, other.elements, strict=True))
    if one.deep_equals(other):
        return True
    why, same = unify(run, run.values.get(one, UNKNOWN), run.values.get(other, UNKNOWN), "its result", test)
    return same and not why


def guards(run: Run) -> list[cst.If]:
    """The branches that leave compiled loops by `return`."""
    loops = (loop for loop in run.loops.compiled.values() if not loop.why and loop.exits.returned is not None)
    return [guard for loop in loops for guard in loop.exits.guards]


def result_deps(run: Run) -> tuple[frozenset[str], bool]:
    """The dependences of the choice between the `return` statements of a function, and whether it is traced."""
    found = [loop for loop in run.loops.compiled.values() if not loop.why and loop.exits.returned is not None]
    tests = [run.values.get(guard.test, UNKNOWN) for guard in guards(run)]
    deps = NOTHING.union(*(test.deps for test in tests), *(loop.deps | {loop.token} for loop in found))
    return deps, any(test.traced for test in tests) or any(loop.traced for loop in found)


__all__ = ["Returned", "guards", "resolve", "result_deps", "returned"]
