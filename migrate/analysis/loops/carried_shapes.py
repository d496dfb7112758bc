"""Numbers that become arrays in the iterations of a loop: `p = 1.0` before it, `p = p * x` in it.

A loop-carried value of JAX keeps its shape, so the number must have the shape of the array from the start. That shape is known
where iterations compute element by element from numbers, from carried values, and from loop-invariant variables. After too few
iterations the variable is still a number in NumPy, and nothing may depend on the difference. So the variable is not read after
the loop, or is combined with the array there; or Python must know the trip count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import libcst as cst

from ....rules import numpy_table
from ....rules.core.findings import Kind
from ....rules.facts.loops import CarriedShape
from ....rules.facts.values import NOTHING, UNKNOWN
from ....rules.syntax.source_text import verbatim
from ...syntax.names import bound_by, targets_of
from ...syntax.reaching_definitions import definitions_enclosing
from ..state.evaluation import need
from ..state.interpreter_state import Run
from ..state.lattice import Env
from ..state.memory import read_implicitly
from ..symbolic.affine import Affine, affine
from .array_uses import is_used_as_array, is_used_as_number

MAX_ITERATIONS = 4  # until a variable has the shape of all arrays
STAYS = "an array has its shape from the start, which needs an iteration"


Sources = frozenset[str] | None  # the variables that determine the shape of a value; None where something else may


def shaped(
    run: Run, node: cst.For | cst.While, carry: Iterable[str], bound: frozenset[str], before: Env, end: Env
) -> tuple[dict[str, CarriedShape], str]:
    """The carried variables that are numbers before a loop and may not be after an iteration, with the shape that they take; or why the
    loop cannot be compiled, if one certainly becomes an array and may be a number after it."""
    items = {n: item for n in carry if n in before and before[n].kind is not Kind.SCALAR and (item := _started_as(run, node, n))}
    starting = [n for n in carry if n in before and (before[n].kind is Kind.SCALAR or n in items) and _grows(n, end)]
    if not starting:
        return {}, ""
    given = _assigned(run, node)
    bound = bound | given.keys() | (targets_of(node) if isinstance(node, cst.For) else NOTHING)
    rows = _rows(run, node, bound)
    found, unknown = _shapes(run, given, bound, rows)
    if unknown & {*starting}:
        rows |= _carried_arrays({*carry} - {*starting}, before)
        found, unknown = _shapes(run, given, bound, rows)
    arrays = {n for n in starting if is_used_as_array(run, n) or not all(map(_is_element, found.get(n, NOTHING)))}
    if any(n not in items and (n in unknown or n not in arrays) for n in starting):
        return _rows_or_numbers(run, node, starting, items, given, bound), ""
    for name in list(starting):  # what is computed from elements alone most probably is a number: these have no more axes
        if name in unknown or name not in arrays:
            starting.remove(name)
        else:
            found[name] -= {items.get(name, "")}
    tests = {n: "" if _hidden(run, node, n, found[n]) else _enough(run, node, n, found[n], bound, rows) for n in starting}
    if None not in tests.values():
        return {n: CarriedShape(tuple(sorted(found[n])), test) for n, test in tests.items() if test is not None}, ""
    certain = (n for n in arrays if all("[" in source for source in found[n]))  # elements and rows, and no variables
    unsure = next((n for n in sorted(certain) if tests.get(n, "") is None), "")
    if unsure:
        return {}, f"`{unsure}` is a number before the loop, and an array after an iteration"
    return _rows_or_numbers(run, node, starting, items, given, bound), ""


def _rows_or_numbers(
    run: Run,
    node: cst.For | cst.While,
    starting: Iterable[str],
    items: Mapping[str, str],
    given: Mapping[str, list[cst.BaseExpression | None]],
    bound: frozenset[str],
) -> dict[str, CarriedShape]:
    """The variables that iterations compute from `u[i]`, a number or a row of an array of unknown rank, and from variables that may be numbers
    or arrays. If there is no iteration, they are still numbers in NumPy."""
    reads = {n: run.values[n] for n in run.source.among(run.unit.owner or run.source.module, cst.Name) if n in run.values}
    others = {n.value for n, value in reads.items() if value.kind is Kind.UNKNOWN or value.number} - bound
    found, unknown = _shapes(run, given, bound, {name: frozenset({name}) for name in others} | _rows(run, node, bound))
    shaping = {name for name in given if found.get(name)}
    inner = [line for line in node.body.body if not isinstance(line, cst.SimpleStatementLine) and not _skips_an_index(run, line)]
    if run.source.among(node.body, cst.Break, cst.Continue, cst.Return) or any(shaping & bound_by(line) for line in inner):
        return {}  # they may still be numbers after an iteration
    sources = {name: found.get(name, NOTHING) - {items.get(name, "")} for name in starting if name not in unknown}
    return {
        name: CarriedShape(tuple(sorted(shapes)), "", perhaps=True)
        for name, shapes in sources.items()
        if shapes and all(_is_element(source) or source in others for source in shapes) and not is_used_as_number(run, name)
    }


def _skips_an_index(run: Run, line: cst.CSTNode) -> bool:
    """`if i != j:`, with indices of loops: an iteration does what it guards for all indices but one."""
    match line:
        case cst.If(
            test=cst.Comparison(
                left=cst.Name(value=one),
                comparisons=[cst.ComparisonTarget(operator=cst.NotEqual(), comparator=cst.Name(value=other))],
            ),
            orelse=None,
        ):
            loops = [above for above in run.source.above(line) if isinstance(above, cst.For)]
            return {one, other} <= {run.scopes.iteration_space(loop).index for loop in loops}
    return False


def _shapes(
    run: Run,
    given: Mapping[str, list[cst.BaseExpression | None]],
    bound: frozenset[str],
    known: Mapping[str, frozenset[str]],
) -> tuple[dict[str, frozenset[str]], set[str]]:
    """The variables that determine the shapes of those that a loop binds, and the variables whose shapes are not known."""
    found: dict[str, frozenset[str]] = {**dict.fromkeys(bound, NOTHING), **known}
    unknown = {name for name in bound if name not in given} - known.keys()
    while True:
        previous = dict(found), set(unknown)
        for name, values in given.items():
            for value in values if name not in known else ():
                sources = None if value is None else _sources(run, value, bound, found, unknown)
                if sources is None:
                    unknown.add(name)
                else:
                    found[name] = found.get(name, NOTHING) | sources
        if (found, unknown) == previous:
            return found, unknown


def _carried_arrays(carry: Iterable[str], before: Env) -> dict[str, frozenset[str]]:
    """The arrays that a loop carries: a loop-carried value of JAX keeps the shape that it starts with."""
    arrays = (n for n in carry if n in before and before[n].kind is Kind.ARRAY and before[n].rank != 0)
    return {name: frozenset({name}) for name in arrays}


def _started_as(run: Run, node: cst.CSTNode, name: str) -> str:
    """The element of an array that a variable is when a loop starts, "c[0]" for `p = c[-1]`: a number, as far as is known. Else
    "".
    """
    definition = definitions_enclosing(node, run.source.parents).only(node, name)
    match definition:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name())], value=cst.Subscript() as item) if (
            run.values.get(item, UNKNOWN).rank < 1
        ):
            line = run.source.parents.get(definition)
            here = line is not None and run.source.parents.get(line) is run.source.parents.get(node)
            return found if here and _is_element(found := _item(run, item)) else ""
    return ""


def _rows(run: Run, node: cst.For | cst.While, bound: frozenset[str]) -> dict[str, frozenset[str]]:
    """The variables that a loop binds to rows of an array, or to their indices, with the element of that shape."""
    space = inner = run.scopes.iteration_space(node) if isinstance(node, cst.For) else None
    if space is not None and space.function == "enumerate" and space.index and space.start is None:
        inner = space.parts[0]
    if space is not None and space.function == "reversed":
        inner = space.parts[0]
    if (
        space is None
        or inner is None
        or not isinstance(array := inner.iterable, cst.Name)
        or not isinstance(inner.target, cst.Name)
    ):
        return {}
    if run.values.get(array, UNKNOWN).kind is not Kind.ARRAY or array.value in bound:
        return {}
    found = {inner.target.value: frozenset({f"{array.value}[0]"})}
    return found | {space.index: NOTHING} if space.index else found


def _enough(
    run: Run,
    node: cst.For | cst.While,
    name: str,
    arrays: frozenset[str],
    bound: frozenset[str],
    shapes: dict[str, frozenset[str]],
) -> str | None:
    """The condition under which a loop has so many iterations that a variable certainly has the shape of arrays afterwards, ""
    where it always has; None where no condition is known when JAX traces.
    """
    # with few iterations, the argument may be a number
    sure = all("[" in source or _is_array(run, node, source) for source in arrays)
    needed = _iterations_needed(run, node, name, arrays, bound, shapes) if isinstance(node, cst.For) and sure else None
    if needed is None or not isinstance(node, cst.For):
        return None
    space = run.scopes.iteration_space(node)
    if _rows(run, node, bound):
        return f"len({verbatim(next(space.leaves).iterable)}) > {needed - 1}"
    if not space.is_range or space.stop is None:
        return None
    low, high = space.start, space.stop
    if space.step is not None and low is not None:
        step = affine(space.step)
        if step is None or step.number is None or needed > 1:
            return None
        low, high = (low, high) if step.number > 0 else (high, low)
    forms = affine(high), Affine() if low is None else affine(low)
    if forms[0] is not None and forms[1] is not None and (count := (forms[0] - forms[1]).number) is not None:
        return "" if count >= needed else None
    for bound_ in space.bounds[:2]:
        value = run.values.get(bound_, UNKNOWN)
        if value.traced or any(":" in dependence for dependence in value.deps):
            return None
        need(run, bound_, value, STAYS)
    start = "0" if low is None else verbatim(low)
    minimum = start if needed == 1 else str(needed - 1) if low is None else f"{start} + {needed - 1}"
    return f"{verbatim(high)} > {minimum}"


def _is_array(run: Run, node: cst.CSTNode, name: str) -> bool:
    reads = [run.values.get(n, UNKNOWN) for n in run.source.among(node, cst.Name) if n.value == name]
    return any(value.kind is Kind.ARRAY and not value.number for value in reads)


def _iterations_needed(
    run: Run, node: cst.For, name: str, arrays: frozenset[str], bound: frozenset[str], known: dict[str, frozenset[str]]
) -> int | None:
    """The number of iterations after which a variable certainly has the shape of arrays; None where that is not certain. `known`:
    variables that have one shape in all iterations.
    """
    shapes = dict(known)
    lines = [small for line in node.body.body for small in (line.body if isinstance(line, cst.SimpleStatementLine) else (line,))]
    for iteration in range(1, MAX_ITERATIONS + 1):
        for line in lines:
            _turned(run, line, shapes, bound)
            shapes |= known
        if shapes.get(name, NOTHING) >= arrays:
            return iteration
    return None


def _turned(run: Run, line: cst.CSTNode, shapes: dict[str, frozenset[str]], bound: frozenset[str]) -> None:
    """The effect of a statement of an iteration on the shapes of variables."""
    match line:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
            shapes[name] = _made_of(run, value, shapes, bound)
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple(elements=targets))], value=cst.Tuple(elements=values)) if len(
            targets
        ) == len(values):
            made = [_made_of(run, element.value, shapes, bound) for element in values]
            for target, shape in zip(targets, made, strict=True):
                if isinstance(target.value, cst.Name):
                    shapes[target.value.value] = shape
        case cst.AugAssign(target=cst.Name(value=name), value=value):
            shapes[name] = shapes.get(name, NOTHING) | _made_of(run, value, shapes, bound)
        case _:  # a branch, a loop: it may bind others, or not be run
            for name in bound_by(line):
                shapes.pop(name, None)


def _made_of(run: Run, node: cst.BaseExpression, shapes: dict[str, frozenset[str]], bound: frozenset[str]) -> frozenset[str]:
    """The arrays whose shapes an expression certainly has."""
    return frozenset().union(*(shapes.get(n, NOTHING) if n in bound else frozenset({n}) for n in _named(run, node)))


def _hidden(run: Run, node: cst.For | cst.While, name: str, arrays: frozenset[str]) -> bool:
    """Whether nothing after a loop depends on whether a variable is a number, or an array of that number in the shape of
    `arrays`.
    """
    if name not in run.live.after.get(node, NOTHING) | read_implicitly(run):
        return True
    above = run.source.parents.get(node)
    if not isinstance(above, cst.IndentedBlock) or run.source.parents.get(above) is not run.unit.owner:
        return False
    later = above.body[next(k for k, line in enumerate(above.body) if line is node) + 1 :]
    reads = [n for line in later for n in run.source.below(line) if isinstance(n, cst.Name) and n.value == name]
    return all(arrays <= _met(run, read) for read in reads)


def _met(run: Run, read: cst.CSTNode) -> frozenset[str]:
    """The other operands of the arithmetic that a read is part of."""
    found: frozenset[str] = NOTHING
    at, above = read, run.source.parents.get(read)
    while isinstance(above, (cst.BinaryOperation, cst.UnaryOperation)):
        if isinstance(above, cst.BinaryOperation) and not isinstance(above.operator, cst.MatrixMultiply):
            found |= _named(run, above.right if above.left is at else above.left)
        at, above = above, run.source.parents.get(above)
    return found


def _named(run: Run, node: cst.BaseExpression) -> frozenset[str]:
    """The variables that are direct operands of arithmetic."""
    match node:
        case cst.Name(value=name):
            return frozenset({name})
        case cst.BinaryOperation(left=left, operator=operator, right=right) if not isinstance(operator, cst.MatrixMultiply):
            return _named(run, left) | _named(run, right)
        case cst.UnaryOperation(expression=inner):
            return _named(run, inner)
        case cst.Call(func=func, args=args) if not any(a.keyword or a.star for a in args):
            entry = numpy_table.function(run.scopes.qualname(func) or "")
            if entry is not None and entry.ufunc == len(args):
                return frozenset().union(*(_named(run, a.value) for a in args))
        case cst.Subscript() if item := _item(run, node):
            return frozenset({item})
    return NOTHING


def _item(run: Run, node: cst.Subscript, indices: frozenset[str] = NOTHING) -> str:
    """The key for the shape of an element or a row of an array, whichever it is: `x[0]` for `x[k]`, `x[0, :]` for `x[k, :]`; "" for other
    parts of an array. `indices`: variables that index nothing but arrays in code that JAX compiles.
    """
    if not isinstance(node.value, cst.Name):
        return ""
    kind = run.values.get(node.value, UNKNOWN).kind
    varies = any(isinstance(n, cst.Name) and n.value in indices for part in node.slice for n in run.source.below(part))
    if kind is not Kind.ARRAY and not (kind is Kind.UNKNOWN and varies):
        return ""
    parts = []
    for part in node.slice:
        match part.slice:
            case cst.Slice(lower=None, upper=None, step=None):
                parts.append(":")
            case cst.Index(value=index) if run.values.get(index, UNKNOWN).kind is Kind.SCALAR:
                parts.append("0")
            case _:
                return ""
    return f"{node.value.value}[{', '.join(parts)}]"


def _is_element(source: str) -> bool:
    """Whether a key is that of an element, which most probably is a number."""
    return "[" in source and ":" not in source


def _grows(name: str, end: Env) -> bool:
    value = end.get(name, UNKNOWN)
    return value.kind in (Kind.ARRAY, Kind.UNKNOWN) and value.rank != 0


def _assigned(run: Run, node: cst.For | cst.While) -> dict[str, list[cst.BaseExpression | None]]:
    """The values that the variables of a loop are bound to; None for a value that is not an expression."""
    found: dict[str, list[cst.BaseExpression | None]] = {}
    for part in run.source.below(node.body):
        match part:
            case cst.Assign(targets=targets, value=value):
                for each in targets:
                    _bind(found, each.target, value)
            case cst.AnnAssign(target=target, value=value) if value is not None:
                _bind(found, target, value)
            case cst.AugAssign(target=cst.Name(value=name), value=value):
                found.setdefault(name, []).append(value)
            case cst.For(target=target) | cst.NamedExpr(target=target) | cst.AugAssign(target=target):
                _bind(found, target, None)
    return found


def _bind(found: dict[str, list[cst.BaseExpression | None]], target: cst.CSTNode, value: cst.BaseExpression | None) -> None:
    match target, value:
        case cst.Name(value=name), _:
            found.setdefault(name, []).append(value)
        case cst.Tuple(elements=targets), cst.Tuple(elements=values) if len(targets) == len(values):
            for one, other in zip(targets, values, strict=True):
                _bind(found, one.value, other.value)
        case cst.Tuple(elements=targets), _:
            for one in targets:
                _bind(found, one.value, None)
        case cst.Subscript(value=cst.Name(value=name)) | cst.StarredElement(value=cst.Name(value=name)), _:
            found.setdefault(name, []).append(None)


def _sources(
    run: Run, node: cst.BaseExpression, bound: frozenset[str], found: dict[str, frozenset[str]], unknown: set[str]
) -> Sources:
    if run.values.get(node, UNKNOWN).kind is Kind.SCALAR:
        return NOTHING
    match node:
        case cst.Name(value=name) if name in found:
            return None if name in unknown else found[name]
        case cst.Name(value=name):
            value = run.values.get(node, UNKNOWN)
            return frozenset({name}) if value.kind is Kind.ARRAY or value.number or value.holds == name else None
        case cst.BinaryOperation(left=left, operator=operator, right=right) if not isinstance(operator, cst.MatrixMultiply):
            return _all(run, (left, right), bound, found, unknown)
        case cst.UnaryOperation(operator=cst.Minus() | cst.Plus(), expression=inner):
            return _sources(run, inner, bound, found, unknown)
        case cst.Subscript(value=cst.Name(value=name)) if (name not in bound or name in found.get(name, NOTHING)) and (
            item := _item(run, node, bound)
        ):
            return frozenset({item})
        case cst.Call(func=func, args=args) if not any(a.keyword or a.star for a in args):
            name = run.scopes.qualname(func) or ""
            entry = numpy_table.function(name)
            if name == "builtins.abs" or (entry is not None and entry.ufunc == len(args)):
                return _all(run, (a.value for a in args), bound, found, unknown)
    return None


def _all(
    run: Run,
    nodes: Iterable[cst.BaseExpression],
    bound: frozenset[str],
    found: dict[str, frozenset[str]],
    unknown: set[str],
) -> Sources:
    every = [_sources(run, node, bound, found, unknown) for node in nodes]
    return None if None in every else NOTHING.union(*(each for each in every if each is not None))
