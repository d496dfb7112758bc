"""Loops whose trip count differs between iterations of an enclosing loop: padded to a rectangular iteration space, with a test.

`for j in range(i): s += x[j]` in a loop over `i` becomes `for j in range(n - 1)` with `if j < i:` in it. Then all iterations may
run in parallel with a mask. If they do not, the loop is left as it is, since padding would only add iterations. Loops with a
loop-invariant test are tried in the same way (see loop_unswitching).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator
from typing import NamedTuple

import libcst as cst

from ...rules.core.findings import Edit
from ...rules.facts.function_plan import FunctionPlan
from ...rules.facts.values import UNKNOWN
from ...rules.syntax import builders, loop_ranges
from ..analysis.loops.loop_analysis import bound_in
from ..analysis.slices.slice_bounds import moving_names
from ..analysis.state.project_facts import Facts
from ..analysis.symbolic.affine import Affine, affine, atom, shaped, substitute, text, with_lengths
from ..context.empty_arrays import with_elements
from ..context.file_names import FileNames
from ..context.unit_context import UnitContext
from ..summaries.units import Module
from ..syntax.edits import Edits
from ..syntax.source import walk
from .forms.rank_assertions import is_docstring
from .loop_unswitching import hoisted
from .matrix_parameters import matrices
from .revision import Versions
from .speculation import Assumed, Place, Proposal, Speculation, Trial

RULES = ("NJ410", "NJ411")  # that run all iterations of a loop in parallel


class _Bounds(NamedTuple):
    """The padded range of a loop, and the test for its iterations."""

    given: tuple[cst.BaseExpression, ...]
    test: cst.BaseExpression
    reached: bool  # whether each index occurs in some iteration of the enclosing loops


def candidates(facts: Facts, _unjitted: frozenset[str]) -> Facts:
    return facts


def unswitched(
    module: Module, versions: Versions, facts: Facts, rejected: Collection[Hashable], _only: Collection[Hashable] | None = None
) -> Proposal | None:
    """Unswitch the loop-invariant tests in the compiled functions of a file; None if there are none. Loops that contain, or are
    in, a loop that can be made rectangular are left to `rectangles`."""
    edits, loops = Edits(), list[Place]()
    for context in compiled(module, facts):
        rows = _rows(context, rejected)
        found = {location: edit for location, node in rows.items() if (edit := hoisted(node, context)) is not None}
        near = [node for node in rows.values() if _bounds(node, context) is not None] if found else []
        for location, edit in found.items():
            node = rows[location]
            if not any(module.source.inside(other, node) or module.source.inside(node, other) for other in near):
                edits.by_node[node] = [edit]
                near.append(node)
                loops.append(location)
    if not loops:
        return None
    source = versions.edited(module.source, edits)
    return Proposal(source, versions.lines(module.source, source), tuple(loops), lambda made: None)


def rectangles(
    module: Module, versions: Versions, facts: Facts, rejected: Collection[Hashable], _only: Collection[Hashable] | None = None
) -> Proposal | None:
    """Make the loops in the compiled functions of a file rectangular; None if there are none."""
    edits, loops = Edits(), dict[Place, bool]()
    for context in compiled(module, facts):
        rows = _rows(context, rejected)
        wide = {location: bounds for location, node in rows.items() if (bounds := _bounds(node, context)) is not None}
        if wide:
            _say_ranks(context, edits)
        for location, bounds in wide.items():
            loops[location] = bounds.reached
            edits.by_node[rows[location]] = [_writing(bounds)]
    if not loops:
        return None
    source = versions.edited(module.source, edits)

    def note(made: Module) -> None:
        made.reached = frozenset(_tests_reached(made, [location for location, reached in loops.items() if reached]))

    return Proposal(source, versions.lines(module.source, source), tuple(loops), note)


def rejects(trial: Trial) -> set[Place]:
    """The loops that still do not run in parallel, and those of functions that jit no longer compiles as it did."""
    units = {unit for unit, _number in trial.changes}
    worse = {name for name in units if not as_good(trial.before.plans[name], trial.now.plans[name])}
    return {location for location in trial.changes if location[0] in worse} | ({*trial.sequential(units)} & {*trial.changes})


def as_good(before: FunctionPlan, after: FunctionPlan) -> bool:
    """Whether jit still compiles a function, with no more static arguments than before."""
    return after.jit and not after.refused and set(after.static_args) <= set(before.static_args)


UNSWITCH = Speculation("unswitch", RULES, candidates, unswitched, rejects)
RECTANGULAR_LOOPS = Speculation("rectangular-loops", RULES, candidates, rectangles, rejects)


def compiled(module: Module, facts: Facts) -> Iterator[UnitContext]:
    """The contexts of the functions of a file that jit compiles."""
    plans = {n: facts.plans[n] for n, u in module.units.items() if isinstance(u.node, cst.FunctionDef)}
    return _contexts(module, facts, [name for name, plan in plans.items() if plan.jit and not plan.refused])


def _rows(context: UnitContext, rejected: Collection[Hashable]) -> dict[Place, cst.For]:
    loops = {(context.analysed.unit.name, number): node for number, node in enumerate(loops_of(context))}
    return {location: node for location, node in loops.items() if location not in rejected}


def _say_ranks(context: UnitContext, edits: Edits) -> None:
    """Insert an `assert A.ndim == 2` at the start of the function for parameters whose elements are read by two indices, so that
    whole-array code may be used."""
    owner = context.analysed.unit.node
    assert isinstance(owner, cst.FunctionDef)
    lines = [line for line in owner.body.body if isinstance(line, cst.BaseStatement) and not is_docstring(line)]
    ranks = dict(matrices(owner, context))
    if ranks and lines:
        asserted = [cst.parse_statement(f"assert {name}.ndim == {rank}") for name, rank in ranks.items()]
        edits.before[lines[0]] = [lambda: asserted]


def _tests_reached(module: Module, loops: Collection[Place]) -> Iterator[cst.CSTNode]:
    """The tests of the rectangular loops that hold for each index in some iteration of the enclosing loops: what the iterations
    read exists."""
    for unit, number in loops:
        loop = [node for node, _parent in walk(module.units[unit].node) if isinstance(node, cst.For)][number]
        if isinstance(loop.body, cst.IndentedBlock):
            yield loop.body.body[0]


def one_by_one(module: Module, facts: Facts, units: Collection[str]) -> Iterator[Place]:
    """The loops of some units whose iterations do not run in parallel."""
    for context in _contexts(module, facts, units):
        for number, node in enumerate(loops_of(context)):
            found = context.loops.in_parallel(node)
            if found is None or found.expensive:
                yield context.analysed.unit.name, number


def assumed_by(module: Module, facts: Facts, name: str, conditions: tuple[str, ...], others: tuple[str, ...]) -> Assumed:
    """What a function assumes of its arguments, given what it asserts: the ranks on which padding depends, and arrays with
    elements."""
    context = context_of(module, name, facts, FileNames(module))
    elements, idle = with_elements(context)
    ranks: tuple[str, ...] = ()
    if any(_bounds(node, context) is not None for node in loops_of(context)):
        assert isinstance(context.analysed.unit.node, cst.FunctionDef)
        ranks = tuple(f"{array}.ndim == {rank}" for array, rank in matrices(context.analysed.unit.node, context))
    return Assumed(tuple(dict.fromkeys((*ranks, *conditions))), others, elements, idle)


def loops_of(context: UnitContext) -> list[cst.For]:
    """The loops of a unit, in source order."""
    return [node for node, _parent in walk(context.analysed.unit.node) if isinstance(node, cst.For)]


def _contexts(module: Module, facts: Facts, units: Collection[str]) -> Iterator[UnitContext]:
    names = FileNames(module)
    return (context_of(module, name, facts, names) for name in module.units if name in units)


def context_of(module: Module, name: str, facts: Facts, names: FileNames) -> UnitContext:
    """The context of one unit, for what its loops are planned to become."""
    return UnitContext(module, module.units[name], module.runs[name], facts, facts.plans[name], names, "float64", Edits())


def _writing(bounds: _Bounds) -> Edit:
    def edit(made: cst.For) -> cst.For:
        iterable = made.iter
        assert isinstance(iterable, cst.Call)
        step = iterable.args[2:]
        start, stop = bounds.given
        given = [stop] if loop_ranges.is_zero(start) and not step else [start, stop]
        args = [*(cst.Arg(node) for node in given), *(a.with_changes(comma=cst.MaybeSentinel.DEFAULT) for a in step)]
        body = cst.IndentedBlock([cst.If(bounds.test, made.body)])
        return made.with_changes(iter=iterable.with_changes(args=args), body=body)

    return edit


def _bounds(node: cst.For, context: UnitContext) -> _Bounds | None:
    """The padded range of a loop with exactly one bound that depends on an enclosing loop; None for any other loop."""
    loop = context.analysed.run.loops.compiled.get(node)
    space, target = context.loops.iteration_space(node), node.target
    if (
        loop is None
        or loop.form != "range"
        or loop.why
        or loop.exits.guards
        or loop.accumulated
        or loop.index_after
        or loop.compaction
    ):
        return None
    if not space.is_range or space.stop is None or not isinstance(target, cst.Name):
        return None
    step = space.stride
    if step not in (1, -1) or context.loops.in_parallel(node) is not None:
        return None
    given = space.bounds[:2]
    start, stop = space.start or cst.Integer("0"), space.stop
    varies = [not context.is_static(each) if each in given else False for each in (start, stop)]
    if varies[0] is varies[1]:
        return None
    bound = start if varies[0] else stop
    names = builders.names(bound)
    if names & (bound_in(context.analysed.run, node) | {target.value}):
        return None
    upper = varies[0] is (step < 0)  # whether it bounds the index from above
    form = _extremum(bound, node, context, 1 if upper else -1)
    if form is None:
        return None
    widened = _widened(form, node, context, upper)
    wide = cst.parse_expression(_written_out(form if widened is None else widened, context))
    bounds = (wide, stop) if varies[0] else (start, wide)
    return _Bounds(bounds, _test(target, bound, varies[0], upper), widened is None or not upper)


def _written_out(form: Affine, context: UnitContext) -> str:
    """The source text of an affine form, with `len(x)` if the function does not read the shape of x, which may be a list."""
    return with_lengths(text(form), shaped(context.analysed.module.nodes[context.analysed.unit.name]))


def _widened(form: Affine, node: cst.For, context: UnitContext, upper: bool) -> Affine | None:
    """Extend a range from 1 to start at 0, or one to `n - 1` to end at `n`, if the index is the whole index in all subscripts and
    these axes are known to be that long: then the loop reads whole axes."""
    if context.loops.iteration_space(node).stride != 1 or form.constant != (-1 if upper else 1) or bool(form.terms) is not upper:
        return None
    assert isinstance(node.target, cst.Name)
    evolution = context.compiled.evolution
    longer = form + (1 if upper else -1)
    for part, parent in walk(node.body):
        if not isinstance(part, cst.Name) or part.value != node.target.value:
            continue
        if not isinstance(parent, cst.Index):
            return None
        element = context.parent(parent)
        subscript = None if element is None else context.parent(element)
        if not isinstance(subscript, cst.Subscript) or not isinstance(subscript.value, cst.Name):
            return None
        axis = [each is element for each in subscript.slice].index(True)
        extent = evolution.extent(subscript.value.value, axis, node)
        if upper and extent != substitute(
            longer, {n: known for n in longer.names if (known := _known(n, node, context)) is not None}
        ):
            return None
    return longer


def _known(name: str, node: cst.For, context: UnitContext) -> Affine | None:
    """The affine form of a variable where a loop begins."""
    found = next((n for n, _parent in walk(context.analysed.unit.node) if isinstance(n, cst.Name) and n.value == name), None)
    return None if found is None else context.compiled.evolution.form(found, node)


def _test(target: cst.Name, bound: cst.BaseExpression, starts: bool, upper: bool) -> cst.BaseExpression:
    """The test for the iterations of the original loop: `j < i`, and `j > i` for a loop from `i + 1` on."""
    strict = not starts
    match bound:
        case cst.BinaryOperation(left=left, operator=operator, right=cst.Integer(value="1")):
            if isinstance(operator, cst.Add if strict is upper else cst.Subtract):
                bound, strict = left, not strict
    operators: dict[tuple[bool, bool], cst.BaseCompOp] = {
        (True, True): cst.LessThan(),
        (True, False): cst.LessThanEqual(),
        (False, True): cst.GreaterThan(),
        (False, False): cst.GreaterThanEqual(),
    }
    return cst.Comparison(cst.Name(target.value), [cst.ComparisonTarget(operators[upper, strict], bound.deep_clone())])


def _extremum(bound: cst.BaseExpression, node: cst.For, context: UnitContext, sign: int) -> Affine | None:
    """The maximum of a bound over all iterations of the enclosing loops, the minimum if `sign` is negative: an affine form of
    loop-invariant values."""
    known = context.compiled.evolution.form(bound)
    for form in (affine(bound), known):
        found = None if form is None else _over_all_iterations(form, node, context, sign)
        if found is not None and all(_is_unchanged(name, context) for name in found.names):
            return found
    return None


def _over_all_iterations(form: Affine, node: cst.For, context: UnitContext, sign: int) -> Affine | None:
    moving = moving_names(context.analysed.run, context.compiled.evolution)
    inside: set[str] = set()  # bound between an enclosing loop and this one
    for loop in _enclosing(node, context):
        if not form.names & moving:
            break
        inside |= bound_in(context.analysed.run, loop)
        space = context.loops.iteration_space(loop)
        assert space.stop is not None
        factor = form.coefficient(space.index)
        if not factor:
            continue
        start, stop, step = Affine() if space.start is None else affine(space.start), affine(space.stop), space.stride
        if start is None or stop is None or step not in (1, -1):
            return None
        minimum, maximum = (start, stop - 1) if step == 1 else (stop + 1, start)
        value = maximum if factor * sign > 0 else minimum
        if value.names & inside:
            return None
        form = form + (value - atom(space.index)) * factor
    return None if form.names & moving else form


def _enclosing(node: cst.For, context: UnitContext) -> Iterator[cst.For]:
    """The enclosing loops over ranges whose indices nothing else binds, innermost first."""
    at = context.parent(node)
    while at is not None and not isinstance(at, (cst.FunctionDef, cst.Lambda)):
        space = context.loops.iteration_space(at) if isinstance(at, cst.For) else None
        if isinstance(at, cst.For) and space is not None and space.is_range and space.index:
            if space.index not in bound_in(context.analysed.run, at):
                yield at
        at = context.parent(at)


def _is_unchanged(name: str, context: UnitContext) -> bool:
    """Whether a scalar, or the size of an array, is static under tracing."""
    root, dot, _rest = name.partition(".")
    if dot:
        return True
    nodes = [n for n in context.analysed.module.nodes[context.analysed.unit.name] if isinstance(n, cst.Name) and n.value == root]
    found = [n for n in nodes if context.analysed.run.values.get(n, UNKNOWN) is not UNKNOWN]
    return bool(found) and all(context.is_static(n) for n in found)
