"""Guards: code on the host tests what a compiled function assumes of its arguments, and runs the statements as they were otherwise.

`if x.ndim == 2 and len(x) > 0: y = _f_loop(x)`, with the original statements in `else`: what NumPy accepts, the converted code accepts, and
the answer is NumPy's own.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from typing import NamedTuple

import libcst as cst

from ...rules.core.findings import Edit, Kind
from ...rules.facts.function_plan import MOST_LINES
from ...rules.facts.values import NOTHING, UNKNOWN
from ...rules.syntax import builders
from ...rules.syntax.comparisons import conjuncts
from ...rules.syntax.source_text import code
from ..analysis.branches.conditions import NO_NUMBERS
from ..analysis.inference.compared_values import labels_among, perhaps_text
from ..analysis.loops.lists_of_arrays import held, measured
from ..analysis.state.ranks import asserted_rank
from ..analysis.symbolic.inequalities import nonnegative
from ..analysis.symbolic.scalar_evolution import ScalarEvolution, evolution_in
from ..context.empty_arrays import has_iterations
from ..summaries.units import Module, Unit
from ..syntax.edits import Edits, apply
from ..syntax.locations import positions
from ..syntax.names import collect, targets_of
from ..syntax.source import walk
from .outlined_text import Guarded, Moved, Region, named, statements_of
from .speculation import Trial

SHAPES = ("ndim", "shape", "size")
KINDS = ".dtype.kind"  # marks the test of arrays for numbers, which needs no trial to be known


class Guard(NamedTuple):
    """What must hold where a region is called, in terms of the parameters of its function. `idle`: otherwise its loop does nothing."""

    region: tuple[str, int]
    conditions: tuple[str, ...]
    idle: bool


def demanded(moved: Collection[Moved], trial: Trial) -> Iterator[Hashable]:
    """The guards that moved statements need in code on the host, and the regions that stay there, as no guard tells whether they may be
    called: too much would be written twice, or their functions assume something of values that they compute."""
    if not trial.now.program.fast:
        return
    host = [m for m in moved if not trial.now.plans[m.owner].jit]
    found = trial.assumed({m.function for m in host})
    for each in host:
        assumed = found.get(each.function)
        if assumed is None:
            continue
        conditions = tuple(dict.fromkeys((*assumed.asserted, *assumed.elements)))
        idle = assumed.idle and not assumed.asserted
        given = [c for c in each.guard if KINDS not in c and c not in each.supposed]
        if (
            (len(given) < len(each.guard) and each.lines > MOST_LINES)
            or assumed.others
            or not (idle or each.lines <= MOST_LINES or not assumed.asserted)
        ):
            yield each.region
        elif not {*conditions} <= {*given, *each.supposed} and (idle or each.lines <= MOST_LINES):
            yield each.region if given else Guard(each.region, conditions, idle)


def guards_in(rejected: Collection[Hashable]) -> Mapping[tuple[str, int], Guard]:
    """The guards that regions need, as earlier trials showed."""
    return {each.region: each for each in rejected if isinstance(each, Guard)}


def guarded(region: Region, guard: Guard | None, module: Module) -> Guarded | None:
    """The test to write before the call of a region; None if its function assumes nothing, as far as known. Arrays that are compared and
    may hold text are tested first."""
    numpy = module.scopes.name_of("numpy")
    run = module.runs[region.unit.name]
    whole = NO_NUMBERS in run.branching.untraceable_branches.values()  # it may be specialized for arrays as a whole
    text = perhaps_text(run, module.nodes[region.unit.name], on_host=True) if numpy and not whole else NOTHING
    supposed = module.derived.ranks.get(region.unit.name, {})
    arrays = (
        text | _lists(region, module) | _sliced(region, module) | (_filled(region, module) & supposed.keys())
        if numpy
        else NOTHING
    )
    names = [n for n, argument in region.params.items() if n == argument and n in arrays and n not in region.arrays]
    numbers = are_numbers(names, numpy, module.nodes[region.unit.name])
    region.supposed = tuple(f"{name}.ndim == {rank}" for name, rank in supposed.items() if region.params.get(name) == name)
    if numbers:
        region.arrays |= dict.fromkeys(names, f"{numpy}.ndarray")
    if numbers or region.supposed:
        conditions = (*filter(None, [numbers]), *region.supposed, *(() if guard is None else guard.conditions))
        guard = Guard(region.number, tuple(dict.fromkeys(conditions)), False)
    tested = set(_tested(region, module))
    runs, ends = _runs(region, module), getattr(region.last, "orelse", None) is None
    if guard is None:
        return Guarded(runs, (), _bound_before(region, module) if ends else None) if runs and runs not in tested else None
    proven = _proven([c for c in guard.conditions if c != numbers], region, module)
    open_conditions = [c for c in guard.conditions if c not in proven]
    written = [c if c == numbers else _in_terms_of_arguments(c, region, module, numpy) for c in open_conditions]
    tests = [test for test in dict.fromkeys([*written, *filter(None, [runs])]) if test not in tested and not _holds_always(test)]
    skipped = guard.idle and ends
    otherwise = _bound_before(region, module) if skipped else None
    return Guarded(" and ".join(tests), guard.conditions, otherwise)


def _runs(region: Region, module: Module) -> str:
    """The test whether a loop has iterations, where its variable is read after it: otherwise that has no value, or the one before."""
    loop = region.last
    if not isinstance(loop, cst.For) or targets_of(loop).isdisjoint(region.results):
        return ""
    test = has_iterations(module.scopes.iteration_space(loop))
    return "" if test is None else code(test)


def _lists(region: Region, module: Module) -> frozenset[str]:
    """The arguments that may as well be lists, where a region changes them, or takes one item after the other for an array: nothing can fill lists
    afterwards with the numbers that they would hold, integers among floats, and arrays of different shapes are no array."""
    source, run = module.source, module.runs[region.unit.name]
    if not run.facts.program.fast:
        return NOTHING  # on a device, they are arrays of JAX
    where = positions(source, {region.first, region.last})
    loops = [loop for statement in statements_of(source, region) for loop in source.among(statement, cst.For)]
    ragged = NOTHING.union(*(measured(run, loop) for loop in loops))
    if where[region.last][2] - where[region.first][0] >= MOST_LINES:
        return ragged  # it stays there, as it is too long to be written twice
    arrays = {asserted_rank(node.test)[0] for node in source.among(region.owner, cst.Assert)}
    filled = _filled(region, module) & run.unit.sequences - arrays
    return filled.union(ragged, *(held(run, loop) for loop in loops))


def _filled(region: Region, module: Module) -> frozenset[str]:
    """The variables whose items a region changes."""
    source, updates = module.source, module.runs[region.unit.name].effects.updates
    nodes = (node for statement in statements_of(source, region) for node in source.below(statement))
    return frozenset(u.access_path for node in nodes for u in updates.get(node, ()))


def _sliced(region: Region, module: Module) -> frozenset[str]:
    """The arguments of which a loop takes slices that vary: jit compiles these of arrays only, and nothing says that these are."""
    source, run = module.source, module.runs[region.unit.name]
    if not run.facts.program.fast:
        return NOTHING
    found = set[str]()
    for subscript in (n for statement in statements_of(source, region) for n in source.among(statement, cst.Subscript)):
        if isinstance(subscript.value, cst.Name) and run.values.get(subscript.value, UNKNOWN).kind is Kind.UNKNOWN:
            if any(part.slice in run.slices.sliced for part in subscript.slice):
                found.add(subscript.value.value)
    return frozenset(found)


def are_numbers(names: Sequence[str], numpy: str, nodes: Sequence[cst.CSTNode], size: str = "") -> str:
    """The test whether variables are arrays of numbers, or numbers, which JAX accepts. `nodes`: all of the function; `size`: what is asked of arrays
    first, as it takes less time than to ask for numbers."""
    labels = [name for name in names if name in labels_among(names, nodes)]
    of_labels = (f'{numpy}.ndim({name}) == 0 and {numpy}.asarray({name}).dtype.kind in "biufc"' for name in labels)
    return " and ".join(filter(None, [_are_arrays([name for name in names if name not in labels], numpy, size), *of_labels]))


def _are_arrays(names: Sequence[str], numpy: str, size: str) -> str:
    if not names:
        return ""
    types, kinds = " is ".join(f"type({name})" for name in names), [f"{name}.dtype.kind" for name in names]
    numbers = f'{kinds[0]} in "biufc"' if len(kinds) == 1 else f'{{{", ".join(kinds)}}} <= {{*"biufc"}}'
    return " and ".join(filter(None, [f"{types} is {numpy}.ndarray", size, numbers]))


def _holds_always(test: str) -> bool:
    """Whether a condition compares two numbers, and is true."""
    match ast.parse(test, mode="eval").body:
        case ast.Compare(left=left, ops=[ast.GtE() | ast.Gt() as than], comparators=[right]):
            try:
                low, high = ast.literal_eval(right), ast.literal_eval(left)
            except ValueError:  # it is on variables
                return False
            return bool(high >= low if isinstance(than, ast.GtE) else high > low)
    return False


def _proven(conditions: Sequence[str], region: Region, module: Module) -> set[str]:
    """The conditions on integers that the code around a region shows."""
    if not conditions or not isinstance(region.owner, cst.FunctionDef):
        return set()
    evolution = evolution_in(module.runs[region.unit.name])
    return {condition for condition in conditions if _is_proven(condition, region, evolution)}


def _is_proven(written: str, region: Region, evolution: ScalarEvolution) -> bool:
    """Whether the code around a region shows a condition on integers, `n <= len(x) + 1` after `n = len(x)`."""
    match cst.parse_expression(written):
        case cst.Comparison(left=low, comparisons=[cst.ComparisonTarget(operator=cst.LessThanEqual(), comparator=high)]):
            difference = cst.BinaryOperation(high, cst.Subtract(), low, lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        case _:
            return False
    if any(region.params.get(name) != name for name in collect((difference,)).read):
        return False
    form = evolution.form(difference, region.first)
    return form is not None and nonnegative(form, evolution.facts(region.first))


def _bound_before(region: Region, module: Module) -> tuple[cst.CSTNode, ...]:
    """The statements before the loop of a region that bind what is read after it."""
    read, found = {*region.results}, list[cst.CSTNode]()
    for statement in reversed(statements_of(module.source, region)[:-1]):
        names = collect((statement,))
        if names.bound & read:
            read |= names.read
            found.insert(0, statement)
    return tuple(found)


def chooses(statement: cst.CSTNode, module: Module) -> bool:
    """Whether a statement is a guard, which chooses between a moved function and the statements as they were."""
    match statement:
        case cst.If(
            body=cst.IndentedBlock(body=[cst.SimpleStatementLine(body=[cst.Assign() | cst.Expr() | cst.Return() as call])])
        ):
            match call.value:
                case cst.Call(func=cst.Name(value=name)):
                    return f"{module.source.name}.{name}" in module.derived.guards
    return False


def is_split(module: Module, unit: Unit) -> bool:
    """Whether a conversion has moved a part of a function before: it chooses between `_f_loop(x)` and the statements as they were."""
    start = f"{module.source.name}.{named(unit.node, '')}" if isinstance(unit.node, cst.FunctionDef) else ""
    for branch in module.source.among(unit.node, cst.If) if start else ():
        for call in module.source.among(branch.body, cst.Call):
            name = module.scopes.qualname(call.func) or ""
            name = name if "." in name else f"{module.source.name}.{name}"
            if f"{name}_".startswith(start) and name in module.units and module.units[name].decorators:
                return True
    return False


def _tested(region: Region, module: Module) -> Iterator[str]:
    """The conditions that the branches around a region test."""
    source, at = module.source, region.first
    for above in source.above(region.first):
        if above is region.owner:
            return
        if isinstance(above, cst.If) and at is above.body:
            yield from map(code, conjuncts(above.test))
        at = above


def _in_terms_of_arguments(condition: str, region: Region, module: Module, numpy: str) -> str:
    """A condition on parameters as one on the arguments, which may be lists where nothing says that they are arrays."""
    test = cst.parse_expression(condition)
    edits = Edits()
    for node, parent in walk(test):
        match node:
            case cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value=attr)) if attr in SHAPES:
                argument = cst.parse_expression(region.params[name])
                asked: cst.BaseExpression = cst.Attribute(builders.operand(argument), cst.Name(attr))
                if numpy and not _is_array(name, region, module):
                    asked = builders.call(cst.Attribute(cst.Name(numpy), cst.Name(attr)), argument)
                edits.by_node[node] = [_replacement(asked)]
            case cst.Name(value=name) if name in region.params and not isinstance(parent, cst.Attribute):
                edits.by_node[node] = [_replacement(cst.parse_expression(region.params[name]))]
    made = cst.Module([cst.SimpleStatementLine([cst.Expr(test)])])
    return code(apply(made, dict(walk(made)), edits).body[0]).strip()


def _replacement(node: cst.BaseExpression) -> Edit:
    return lambda _made: node


def _is_array(name: str, region: Region, module: Module) -> bool:
    """Whether an argument certainly is an array, and no list."""
    run, source = module.runs[region.unit.name], module.source
    if name in region.arrays or name in module.summaries[region.unit.name].signature.arrays_only:
        return True
    names = (n for s in statements_of(module.source, region) for n in source.among(s, cst.Name))
    nodes: list[cst.CSTNode] = [n for n in names if n.value == name and n in run.values]
    nodes += [node for node, swapped in region.swaps.items() if swapped == name]
    values = [run.values.get(node, UNKNOWN) for node in nodes]
    return bool(values) and all(v.kind is Kind.ARRAY and not (v.listed or v.number or v.holds) for v in values)
