"""The operands of Python's `sum`, `max`, `min`, `any` and `all`, where JAX reduces all of them at once.

The argument is an array, or a generator with one clause over the rows of arrays (`for v in x`, `for a, b in zip(x, y)`, these
enumerated) or over a range. The value of an iteration becomes code on whole arrays where it is elementwise, over one array or
over arrays of the same length whose elements are numbers; otherwise `jax.vmap` maps it.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ....rules import numpy_table
from ....rules.core.dtypes import category, strong
from ....rules.core.findings import Kind
from ....rules.dtypes.inexact import is_inexact
from ....rules.facts.comprehensions import ReductionOperands, Rows
from ....rules.facts.iteration_space import IterationSpace
from ....rules.facts.values import UNKNOWN, Value, replace
from ....rules.syntax.tree import walk
from ..branches import speculation
from ..branches.conditions import effects
from ..branches.type_agreement import may_be_list
from ..loops.zip_loops import sliced_rows
from ..state.interpreter_state import Run
from ..state.lattice import Env
from ..state.memory import new_memory

REDUCTIONS = ("sum", "max", "min", "any", "all")
ARITHMETIC = (cst.Add, cst.Subtract, cst.Multiply, cst.Divide, cst.FloorDivide, cst.Modulo, cst.Power)
COMPARED = (cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual, cst.Equal, cst.NotEqual)


def reduction_operands(run: Run, node: cst.Call, name: str) -> ReductionOperands | None:
    """The operands of a call of one of the reductions; None where it stays Python's."""
    run.loops.reduction_operands.pop(node, None)
    run.branching.logic.discard(node)
    match node.args:
        case [cst.Arg(value=argument, keyword=None, star="")] if run.unit.in_function and not run.flow.depth:
            found = _array(run, argument, name) or _generator(run, argument, name) or _sequence(run, argument, name)
            if found is not None and not effects(run, node):
                run.loops.reduction_operands[node] = found
                run.branching.logic.add(node)
                _computed(run, argument)
                return found
    return None


def result(run: Run, env: Env, node: cst.Call, name: str, found: ReductionOperands, item: Value) -> Value:
    """The value of a reduction that JAX computes."""
    array = run.values.get(node.args[0].value, UNKNOWN)
    item = run.values.get(found.value, UNKNOWN) if found.value is not None else item
    deps = item.deps | array.deps
    if name in ("any", "all"):
        return Value(Kind.SCALAR, "bool_", 0, deps, True, True)
    dtype = item.dtype
    if name == "sum":
        dtype = "int64" if category(dtype) == 0 else strong(dtype)
    if item.kind is Kind.SCALAR or found.numbers:
        return Value(Kind.SCALAR, dtype, 0, deps, True, True, origin=item.origin)
    return replace(
        item, dtype=dtype, deps=deps, traced=True, device=True, memory=new_memory(run, env, node), view=None, holds="", shape=""
    )


def _computed(run: Run, argument: cst.BaseExpression) -> None:
    """Python no longer iterates over the generator, nor needs its test."""
    run.loops.unrolled.pop(argument, None)
    if isinstance(argument, cst.GeneratorExp | cst.ListComp):
        for test in argument.for_in.ifs:
            run.constraints.needs.pop(test.test, None)


def _array(run: Run, argument: cst.BaseExpression, name: str) -> ReductionOperands | None:
    value = run.values.get(argument, UNKNOWN)
    if value.kind is not Kind.ARRAY or value.static or may_be_list(run, value.holds):
        return None
    numbers = value.rank == 1 or name != "sum"  # Python would need the truth value of rows
    typed = _typed(run, argument, value, ()) if name == "sum" else ()
    if typed is None:
        return None
    return ReductionOperands(
        array=argument, numbers=numbers, exact=0 <= category(value.dtype) < 2, dtype=value.dtype, typed=typed
    )


def _sequence(run: Run, argument: cst.BaseExpression, name: str) -> ReductionOperands | None:
    """What may be a list of arrays, and an array whose elements may be small integers: jit knows when it traces the sum."""
    value = run.values.get(argument, UNKNOWN)
    unsure = value.kind in (Kind.ARRAY, Kind.UNKNOWN) or value.number
    return ReductionOperands(array=argument, unsure=True) if name == "sum" and unsure and not value.static else None


def _generator(run: Run, argument: cst.BaseExpression, name: str) -> ReductionOperands | None:
    if not isinstance(argument, cst.GeneratorExp | cst.ListComp):
        return None
    clause = argument.for_in
    bound = _bound(run, clause)
    if bound is None or clause.inner_for_in is not None or clause.asynchronous is not None or len(clause.ifs) > 1:
        return None
    rows, counter = bound
    test = clause.ifs[0].test if clause.ifs else None
    names = {*(n for n, _a in rows), *((counter[0],) if counter else ())}
    value = run.values.get(argument.elt, UNKNOWN)
    if not value.numeric or (test is not None and not _fits(run, name, argument.elt, value, test)):
        return None
    for part in (argument.elt, *((test,) if test is not None else ())):
        if not _plain(run, part, names, test) or (counter is not None and not _counts(run, part, counter[0])):
            return None
    if not _mentions(argument.elt, names) and not (test is not None and isinstance(argument.elt, cst.Integer)):
        return None
    alone = name != "sum"  # a value whose truth value Python needs is a number
    items = [run.values.get(a, UNKNOWN) for _n, a in rows]
    numbers = value.kind is Kind.SCALAR or alone
    whole = counter is None and all(_elementwise(run, p, names) for p in (argument.elt, test) if p is not None)
    if len(rows) > 1:
        whole = whole and bool(items[0].shape) and len({v.shape for v in items}) == 1
        whole = whole and (alone or all(v.rank == 1 for v in items))
    if not whole and _expensive(run, argument.elt, names):
        return None
    typed = _typed(run, argument.elt, value, rows) if name == "sum" else ()
    if typed is None:
        return None
    exact = 0 <= category(value.dtype) < 2
    trapping = speculation.trapping(run, [argument.elt]) if test is not None else 0
    return ReductionOperands(None, argument.elt, rows, counter, test, whole, numbers, trapping, exact, value.dtype, typed)


def _typed(run: Run, node: cst.BaseExpression, value: Value, rows: Rows) -> tuple[str, ...] | None:
    """The arrays whose dtypes determine the dtype of a sum, () where it is known or wide anyway; None where it is unknown."""
    if value.dtype or _inexact(run, node):
        return ()
    found: dict[str, None] = {}
    stack = [node]
    while stack:
        match stack.pop():
            case cst.BinaryOperation(operator=cst.Add() | cst.Subtract() | cst.Multiply(), left=left, right=right):
                stack += [right, left]
            case cst.BinaryOperation(operator=cst.Power(), left=left, right=cst.Integer()):
                stack.append(left)
            case cst.UnaryOperation(operator=cst.Minus(), expression=inner):
                stack.append(inner)
            case cst.Call(func=func, args=args) if _widest(run, func) and not any(a.keyword or a.star for a in args):
                stack += [a.value for a in reversed(args)]
            case cst.Name(value=name) if name in dict(rows):
                base = sliced_rows(dict(rows)[name])
                if base is None:
                    return None
                found[base[0].value] = None
            case (cst.Name() as variable) | cst.Subscript(value=cst.Name() as variable) if run.values.get(
                variable, UNKNOWN
            ).numeric:
                if run.values.get(variable, UNKNOWN).dtype != "int":
                    found[variable.value] = None
            case other if run.values.get(other, UNKNOWN).dtype != "int":
                return None
    return tuple(found) or None


def _widest(run: Run, func: cst.BaseExpression) -> bool:
    """Whether a function returns a number of the common dtype of its arguments."""
    entry = numpy_table.function(run.scopes.qualname(func) or "")
    return run.scopes.qualname(func) == "builtins.abs" or (entry is not None and entry.dtype in ("same", "promote"))


def _inexact(run: Run, node: cst.BaseExpression) -> bool:
    """Whether a number certainly is not an integer, whatever its operands are."""

    def definition(name: cst.Name) -> cst.BaseExpression | None:
        bindings = run.scopes.bindings(name)
        match run.source.parents.get(bindings[0]) if len(bindings) == 1 else None:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name())], value=value):
                return value
        return None

    return is_inexact(node, lambda n: run.values.get(n, UNKNOWN), run.scopes.qualname, definition)


def _fits(run: Run, name: str, elt: cst.BaseExpression, value: Value, test: cst.BaseExpression) -> bool:
    """Whether the iterations that a test excludes can be masked: they add 0, or are not tested."""
    asked = run.values.get(test, UNKNOWN)
    if category(asked.dtype) != 0 or asked.rank > 0 or isinstance(test, cst.BooleanOperation):
        return False
    return name == "sum" or (name in ("any", "all") and category(value.dtype) == 0)


def _bound(run: Run, clause: cst.CompFor) -> tuple[Rows, tuple[str, IterationSpace] | None] | None:
    """The rows and the counter that a clause binds."""
    space = inner = run.scopes.iteration_space(clause)
    if space.is_range and space.index:
        return (), (space.index, space)
    counter: tuple[str, IterationSpace] | None = None
    if space.function == "enumerate":
        if not space.index or space.first is None:
            return None
        inner, counter = space.parts[0], (space.index, space)
    rows: list[tuple[str, cst.BaseExpression]] = []
    for each in inner.parts if inner.function == "zip" else (inner,):
        value = run.values.get(each.iterable, UNKNOWN)
        if not isinstance(each.target, cst.Name) or value.kind is not Kind.ARRAY or may_be_list(run, value.holds):
            return None
        rows.append((each.target.value, each.iterable))
    if counter is not None and not (rows and isinstance(rows[0][1], cst.Name)):
        return None
    names = [n for n, _a in rows] + ([counter[0]] if counter else [])
    return (tuple(rows), counter) if rows and len(set(names)) == len(names) else None


def _mentions(node: cst.CSTNode, names: set[str]) -> bool:
    return any(isinstance(n, cst.Name) and n.value in names for n, _p in walk(node))


def _plain(run: Run, node: cst.BaseExpression, names: set[str], test: cst.BaseExpression | None) -> bool:
    """Whether JAX can compute the value of an iteration with traced variables."""
    for part, _parent in walk(node):
        if part in run.constraints.needs and part is not test:
            return False
        if isinstance(part, (cst.Slice, cst.BooleanOperation, cst.IfExp, cst.Not, cst.BaseComp, cst.Lambda, cst.BaseString)):
            return False
        if isinstance(part, cst.Comparison) and len(part.comparisons) > 1:
            return False
        if (
            part in run.constraints.impure
            or part in run.loops.unrolled
            or part in run.effects.updates
            or part in run.call_graph.calls
        ):
            return False
        if isinstance(part, cst.Call) and not _traceable(run, part):
            return False
    return True


def _traceable(run: Run, call: cst.Call) -> bool:
    """Whether JAX can trace a function as it is: of NumPy, `abs`, or a method of an array."""
    name = run.scopes.qualname(call.func) or ""
    if name.startswith("numpy."):
        entry = numpy_table.function(name)
        return entry is not None and entry.jit
    if isinstance(call.func, cst.Attribute) and not name:
        return run.values.get(call.func.value, UNKNOWN).kind in (Kind.ARRAY, Kind.SCALAR)
    return name == "builtins.abs"


def _counts(run: Run, node: cst.BaseExpression, counter: str) -> bool:
    """Whether a counter is used only as a number or as an index of arrays, and never needed by Python."""
    return all(
        all(_open(run, above, at) for at, above in _up(run, part, node))
        for part, _parent in walk(node)
        if isinstance(part, cst.Name) and part.value == counter
    )


def _up(run: Run, node: cst.CSTNode, top: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    at = node
    while at is not top and (above := run.source.parents.get(at)) is not None:
        yield at, above
        if isinstance(above, cst.Subscript):
            return  # an element of an array is not a counter
        at = above


def _open(run: Run, above: cst.CSTNode, at: cst.CSTNode) -> bool:
    """Whether a JAX scalar may replace a Python number."""
    match above:
        case cst.BinaryOperation(operator=cst.Power(), left=left, right=right):
            return at is right and category(run.values.get(left, UNKNOWN).dtype) >= 2
        case cst.BinaryOperation(operator=operator):
            return isinstance(operator, ARITHMETIC)
        case cst.UnaryOperation(operator=cst.Minus()) | cst.Index() | cst.SubscriptElement() | cst.Comparison() | cst.Arg():
            return True
        case cst.ComparisonTarget(operator=operator):
            return isinstance(operator, COMPARED)
        case cst.Subscript(value=base):
            return run.values.get(base, UNKNOWN).kind is Kind.ARRAY
        case cst.Call(func=func):
            entry = numpy_table.function(run.scopes.qualname(func) or "")
            stays = run.values.get(above, UNKNOWN).static  # NumPy's, which accepts no JAX scalar
            return entry is not None and bool(entry.ufunc) and not stays
    return False


def _elementwise(run: Run, node: cst.BaseExpression, names: set[str]) -> bool:
    """Whether the same code computes arrays from arrays instead of the variables: all its other operands are numbers."""
    match node:
        case cst.Name(value=name) if name in names:
            return True
        case cst.BinaryOperation(left=left, operator=operator, right=right) if isinstance(operator, ARITHMETIC):
            return _elementwise(run, left, names) and _elementwise(run, right, names)
        case cst.UnaryOperation(operator=cst.Minus(), expression=inner):
            return _elementwise(run, inner, names)
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator=operator, comparator=right)]):
            return isinstance(operator, COMPARED) and _elementwise(run, left, names) and _elementwise(run, right, names)
        case cst.Call(func=func, args=args) if not any(a.keyword or a.star for a in args):
            name = run.scopes.qualname(func) or ""
            entry = numpy_table.function(name)
            if name == "builtins.abs" or (entry is not None and entry.ufunc == len(args)):
                return all(_elementwise(run, a.value, names) for a in args)
    return not _mentions(node, names) and run.values.get(node, UNKNOWN).kind is Kind.SCALAR


def _expensive(run: Run, node: cst.BaseExpression, names: set[str]) -> bool:
    """Whether an iteration computes an array from another whole array, so that all iterations in parallel would need too much
    memory.
    """
    for part, _parent in walk(node):
        if isinstance(part, cst.BinaryOperation) and not isinstance(part.operator, cst.MatrixMultiply):
            sides = [part.left, part.right]
        elif isinstance(part, cst.Comparison):
            sides = [part.left, *(c.comparator for c in part.comparisons)]
        else:
            continue
        fixed = [run.values.get(s, UNKNOWN) for s in sides if not _mentions(s, names)]
        moving = [run.values.get(s, UNKNOWN) for s in sides if _mentions(s, names)]
        if any(v.kind is Kind.ARRAY and not v.number for v in fixed) and all(v.kind is Kind.SCALAR for v in moving):
            return True
    return False
