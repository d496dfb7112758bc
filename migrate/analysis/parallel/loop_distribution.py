"""Loop distribution: all iterations run the first statement of the body, then all iterations run the next.

`for i: s[i] = 0; for j: s[i] += a[i, j]; s[i] /= m` is three loops, each of which is code on whole arrays. This is valid if no
iteration reads or stores what another one stores: then no statement reads another value when it is delayed. See K. Kennedy and K.
McKinley, "Maximizing loop parallelism and improving data locality via loop fusion and distribution", LCPC 1993. A private
variable of the iterations, `s` in place of `s[i]`, becomes an array of its values in all iterations (scalar expansion).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import libcst as cst

from ....rules.facts.loops import Loop
from ....rules.facts.parallel_loops import ParallelNest
from ....rules.facts.values import replace
from ...syntax.names import bound_by
from ...syntax.source import walk
from ..loops.loop_analysis import bound_in
from ..state.interpreter_state import Run
from ..symbolic.dependence import Relation, relation
from ..symbolic.scalar_evolution import ScalarEvolution
from .loop_nest import is_size
from .parallel_loops import ParallelNestAnalysis, nest_of


def distributed(
    run: Run, evolution: ScalarEvolution, node: cst.For, loop: Loop, is_static: Callable[[cst.CSTNode], bool]
) -> tuple[ParallelNest, ...]:
    """The parts of the iterations of a nest, in order, each run by all iterations in parallel; () where that is not possible."""
    nest = nest_of(run, node)
    body = nest[-1].body
    if not isinstance(body, cst.IndentedBlock) or loop.exits.guards or loop.accumulated or len(body.body) < 2:
        return ()
    whole = ParallelNestAnalysis(run, evolution, nest, loop, is_static)
    if not all(whole.counted(each) for each in nest) or whole.rows or len(set(whole.names)) < len(whole.names):
        return ()
    whole.private = bound_in(run, node) - {*whole.names} - set(loop.carry)
    found: list[ParallelNest] = []
    spans: dict[str, frozenset[int]] = {}
    sure: set[str] = set()
    for line in body.body:
        iterations = _part(whole, line, spans, sure)
        if iterations is None:
            return ()
        others = [each for each in body.body if each is not line]
        stores = tuple(replace(s, maker=None) if _mentioned(s.target.array, others) else s for s in iterations.stores)
        found.append(replace(iterations, stores=stores, part=(line,)))
    kept = {store.target.array for iterations in found for store in iterations.stores}
    sums = {r.name for iterations in found for r in iterations.reductions if not r.along}
    if len(found) < 2 or kept | sums != set(loop.carry) or not _disjoint(whole, found) or not _added(whole, found, sums):
        return ()
    return tuple(found)


def _part(
    whole: ParallelNestAnalysis, line: cst.BaseStatement, spans: dict[str, frozenset[int]], sure: set[str]
) -> ParallelNest | None:
    """The plan of one statement of an iteration, or of a nest of loops in it. `spans`: the indices along which the variables of
    an iteration vary so far; `sure`: those that certainly are scalars in each iteration, as they must be where all iterations add
    to one variable.
    """
    nest, inner = list(whole.nest), None
    body: cst.BaseSuite = cst.IndentedBlock([line])
    if isinstance(line, cst.For):
        inner = whole.run.loops.compiled.get(line)
        if inner is None:
            return None
        nest += nest_of(whole.run, line)
        body = nest[-1].body
    made = ParallelNestAnalysis(whole.run, whole.evolution, nest, whole.loop, whole.is_static, body)
    made.spans, made.sure = dict(spans), sure
    if inner is not None:
        assert isinstance(line, cst.For)
        made.inner, made.first, made.depth = inner, line, tuple(nest[len(whole.nest) :])
    iterations = made.plan(part=True)
    if iterations is None:
        return None
    sure -= bound_by(line)
    sure |= bound_by(line) if made.certain else set()
    added = {r.name: made.varying[r.node] for r in iterations.reductions if r.along}
    reads = (n for n, _parent in walk(line) if isinstance(n, cst.Name) and spans.get(n.value) and n.value not in added)
    iterations = replace(iterations, shared=tuple(reads) if inner is not None else (), deeper=len(made.depth))
    bound = bound_in(whole.run, line) if isinstance(line, cst.For) else frozenset()
    outer = frozenset(range(len(whole.nest)))
    for name, span in made.spans.items():
        if name not in bound:
            spans[name] = span
    for name in bound:  # the value from the last iteration of the loop is not available
        before = spans.pop(name, frozenset())
        if name in added:
            spans[name] = before | (added[name] & outer)
    return iterations


def _added(whole: ParallelNestAnalysis, found: Sequence[ParallelNest], sums: set[str]) -> bool:
    """Whether no part of the iterations reads what they reduce."""
    for name in sums:
        own = [line for iterations in found for line in iterations.part if any(r.name == name for r in iterations.reductions)]
        if sum(_times(name, line) for line in own) != _times(name, whole.body):
            return False
    return True


def _mentioned(name: str, lines: Sequence[cst.CSTNode]) -> bool:
    """Whether other parts read an array before a part creates all of it, or take their dtype from it."""
    return any(_times(name, line) for line in lines)


def _times(name: str, root: cst.CSTNode) -> int:
    return sum(isinstance(n, cst.Name) and n.value == name for n, _parent in walk(root))


def _disjoint(whole: ParallelNestAnalysis, found: Sequence[ParallelNest]) -> bool:
    """Whether no iteration reads or stores what another one stores, in whatever part."""
    known = {node for iterations in found for store in iterations.stores for node in store.nodes}
    known |= {node for iterations in found for r in iterations.reductions if not r.along for node in r.nodes}
    if not whole.changes_nothing_else(known):
        return False
    targets = [(store.target.array, store.target.node) for iterations in found for store in iterations.stores]
    for node, parent in walk(whole.body):
        if not isinstance(node, cst.Name):
            continue
        for array, target in targets:
            if node.value != array or parent is target:
                continue
            if is_size(node, parent):
                continue
            if not isinstance(parent, cst.Subscript) or parent.value is not node:
                return False
            facts = whole.evolution.facts(parent)
            same = relation(whole.subscript(target), whole.subscript(parent), whole.order, facts)
            if same not in (Relation.SAME, Relation.NEVER):
                return False
    return True
