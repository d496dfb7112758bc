"""Which conditions JAX can compute, and what they imply for the numbers that they compare."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ....rules import numpy_table
from ....rules.core.dtypes import category
from ....rules.core.findings import Kind
from ....rules.facts.values import UNKNOWN, Value
from ....rules.syntax import membership
from ....rules.syntax.comparisons import chain, tests_flag
from ....rules.syntax.extrema import extremum_operands
from ....rules.syntax.tree import walk
from ...syntax.bindings import optional
from ...syntax.names import collect
from ..state.access_paths import path_of
from ..state.evaluation import need
from ..state.interpreter_state import Run
from ..state.lattice import NUMERIC
from ..state.node_facts import GLOBAL_STATE, ON_HOST, Site
from . import speculation
from .binding_nodes import bindings
from .type_agreement import ORDER, dtypes_differ

CONSTANTS = ("True", "False", "None")
SUSPENDING = frozenset((cst.NamedExpr, cst.Yield, cst.Await))
NO_NUMBERS = "np2jax cannot tell whether numbers are compared"
BLOCKED = "Python needs its truth value"


def untraceable(run: Run, test: cst.BaseExpression) -> str:
    """Why Python must know a condition when JAX traces, "" where it may be traced."""
    value = run.values.get(test, UNKNOWN)
    if value.static:
        return ""
    if (need := run.constraints.needs.get(test)) is not None:
        return need.why
    if run.flow.depth or not run.unit.in_function:
        return BLOCKED
    match test:
        case cst.Comparison():
            return _compared(run, test)
        case cst.BooleanOperation(left=left, right=right):
            if test in run.branching.logic:
                return ""
            known = any(run.values.get(side, UNKNOWN).static for side in (left, right))
            return "Python decides on a part of it" if known else untraceable(run, left) or untraceable(run, right)
        case cst.UnaryOperation(operator=cst.Not(), expression=inner):
            return untraceable(run, inner)
        case cst.NamedExpr():
            return "`:=` binds a name in it"
    if flag := value.holds or _may_be_none(run, test):
        return f"`{flag}` is a flag"
    if value.kind not in NUMERIC and not value.numeric:
        return BLOCKED
    return "" if value.rank <= 0 else "it needs the truth value of a whole array"


def _may_be_none(run: Run, test: cst.BaseExpression) -> str:
    """The parameter that is tested, where it is None by default and nothing else is bound to it."""
    owner = run.unit.owner
    if not isinstance(test, cst.Name) or owner is None or test.value not in optional(owner) or bindings(run, test.value):
        return ""
    return test.value


def _compared(run: Run, test: cst.Comparison) -> str:
    if members := membership.members(test):
        compared = [run.values.get(n, UNKNOWN) for n in (test.left, *members) if not membership.is_number(n)]
        known = all(v.numeric and v.rank <= 0 for v in compared)
        return "" if known else "np2jax cannot tell whether it looks for a number"
    sides = [test.left, *(part.comparator for part in test.comparisons)]
    values = [run.values.get(side, UNKNOWN) for side in sides]
    for side, value in zip(sides, values, strict=True):
        if isinstance(side, cst.Name) and side.value in CONSTANTS:
            return f"it is compared with {side.value}"
        if value.kind not in NUMERIC and value.kind is not Kind.UNKNOWN:
            return f"a {value.kind.value} is compared"
        if value.rank > 0:
            return "it needs the truth value of a whole array"
    for position, part in enumerate(test.comparisons):
        if not isinstance(part.operator, (*ORDER, cst.Equal, cst.NotEqual)):
            return "Python compares it"
        if not (values[position].numeric or values[position + 1].numeric):
            return NO_NUMBERS
        if not isinstance(part.operator, ORDER) and any(_size(run, sides[p]) for p in (position, position + 1)):
            return "it is the size of an array, and the shapes of both arms depend on it"
    return ""


def _ordered(test: cst.Comparison) -> bool:
    """Whether the operators ask which operand is greater, which is rare for strings."""
    return all(isinstance(part.operator, ORDER) for part in test.comparisons)


def _size(run: Run, node: cst.BaseExpression) -> bool:
    """Whether an expression is the length of an array along an axis, or a number that is computed from one."""
    sizes = ("shape", "ndim", "size")
    return run.values.get(node, UNKNOWN).static and any(
        isinstance(inner, cst.Attribute) and inner.attr.value in sizes for inner, _parent in walk(node)
    )


def learn(run: Run, test: cst.BaseExpression) -> None:
    """Learn that the operands of a condition, or of a value stored into an element of an array, have one element each.

    The evidence is about a variable `x`, or about `x[i]` for an array `x`.
    """
    for leaf in _leaves(run, test):
        key, value = single(leaf), run.values.get(leaf, UNKNOWN)
        unknown = value.rank < 0 and value.kind in (Kind.ARRAY, Kind.UNKNOWN)
        if key is not None and unknown and key not in run.unit.evidence and key not in run.unit.learned:
            run.unit.learned[key] = Value(rank=0)
            if isinstance(leaf, cst.Name) and (made := _made_of(run, leaf.value)) is not None and _same_everywhere(run, made):
                learn(run, made)


def _leaves(run: Run, node: cst.BaseExpression) -> Iterator[cst.Name | cst.Subscript]:
    """The variables and items of which an expression is made element by element."""
    match node:
        case cst.Name() | cst.Subscript():
            yield node
        case cst.Comparison() if _compared(run, node) == NO_NUMBERS and not _ordered(node):
            return  # perhaps strings
        case cst.Comparison(left=left, comparisons=parts):
            for side in (left, *(part.comparator for part in parts)):
                yield from _leaves(run, side)
        case cst.BinaryOperation(left=left, right=right, operator=operator) if not isinstance(operator, cst.MatrixMultiply):
            yield from (*_leaves(run, left), *_leaves(run, right))
        case cst.UnaryOperation(expression=inner):
            yield from _leaves(run, inner)
        case cst.BooleanOperation(left=left, right=right) | cst.IfExp(body=left, orelse=right):
            yield from (*_leaves(run, left), *_leaves(run, right))
        case cst.Call(func=func, args=[cst.Arg(value=only)]):
            entry = numpy_table.function(run.scopes.qualname(func) or "")
            if (entry is not None and entry.ufunc) or run.scopes.qualname(func) == "builtins.abs":
                yield from _leaves(run, only)


def _made_of(run: Run, name: str) -> cst.BaseExpression | None:
    """The value of a variable that one assignment binds. Where the variable has one element, the operands of an elementwise value
    do, too.
    """
    match bindings(run, name):
        case [cst.Assign(targets=[cst.AssignTarget(target=cst.Name())], value=value)] if name not in run.params:
            return value
    return None


def _same_everywhere(run: Run, node: cst.BaseExpression) -> bool:
    """Whether the variables of which an expression is made element by element have the same value wherever the unit reads them: they
    are bound once, or to numbers.
    """
    parts = (part for leaf in _leaves(run, node) for part in run.source.among(leaf, cst.Name))
    for name in {part.value for part in parts if part.value in run.unit.local or part.value in run.params}:
        bound = bindings(run, name)
        numbers = [
            b
            for b in bound
            if isinstance(b, cst.Assign)
            and len(b.targets) == 1
            and _is_number(run, b.value)
            and path_of(b.targets[0].target) == name
        ]
        if len(bound) > len(numbers) + (name not in run.params):
            return False
    return True


def _is_number(run: Run, node: cst.BaseExpression) -> bool:
    known = isinstance(node, cst.Name) and (single(node) in run.unit.learned or single(node) in run.unit.evidence)
    return known or isinstance(node, (cst.Integer, cst.Float))


def single(node: cst.BaseExpression) -> str | None:
    """The key for the evidence that a variable, or an element of an array at indices, is one number: "x[*1]" for `x[i]`."""
    match node:
        case cst.Name(value=name):
            return f"{name}[*0]"
        case cst.Subscript(value=cst.Name(value=name), slice=parts) if all(isinstance(p.slice, cst.Index) for p in parts):
            count = 0
            for part in parts:
                assert isinstance(part.slice, cst.Index)
                inner = part.slice.value
                count += len(inner.elements) if isinstance(inner, cst.Tuple) else 1
            return f"{name}[*{count}]"
    return None


def boolean(value: Value) -> bool:
    """Whether a value is a bool, or an array of bool."""
    return category(value.dtype) == 0


def logical(run: Run, node: cst.BooleanOperation | cst.Comparison | cst.UnaryOperation, *operands: cst.BaseExpression) -> bool:
    """Whether JAX can compute `and`, `or`, `not` or a chain of comparisons: all operands are bools, and each is evaluated."""
    run.branching.logic.discard(node)
    values = [run.values.get(operand, UNKNOWN) for operand in operands]
    if run.flow.depth or not run.unit.in_function or effects(run, node):
        return False
    if isinstance(node, cst.BooleanOperation):
        return _joined(run, node)
    if any(v.static for v in values) and not isinstance(node, cst.Comparison):
        return False
    for operand in (node,) if isinstance(node, cst.Comparison) else operands:
        learn(run, operand)
    if isinstance(node, cst.Comparison):
        if _compared(run, node) or any(speculation.calls(run, part.comparator) for part in node.comparisons[:-1]):
            return False
    elif any(untraceable(run, operand) for operand in operands):
        return False
    run.branching.logic.add(node)
    return True


def decided_first(run: Run, node: cst.BooleanOperation) -> list[cst.BaseExpression]:
    """The operands of a chain that Python knows when JAX traces, or must know: those at its start, and later tests of flags."""
    found: list[cst.BaseExpression] = []
    leading = True
    for operand in chain(node):
        known = decided(run, operand)
        leading = leading and known
        if leading or (known and tests_flag(operand)):
            found.append(operand)
    return found


def decided(run: Run, operand: cst.BaseExpression) -> bool:
    """Whether a condition is static, or depends only on arguments that Python must know."""
    value = run.values.get(operand, UNKNOWN)
    if value.static:
        return True
    return not value.traced and not any(d.endswith("[]") or ":" in d for d in value.deps) and bool(untraceable(run, operand))


def _joined(run: Run, node: cst.BooleanOperation) -> bool:
    """Whether JAX can compute `and` and `or`, apart from the operands that Python knows and evaluates first."""
    first = decided_first(run, node)
    rest = [operand for operand in chain(node) if operand not in first]
    if not rest or any(_asks_for_none(part) for part in rest) or (any(map(_asks_for_none, first)) and not _is_test(run, node)):
        return False  # what may be None would be traced
    for operand in rest:
        learn(run, operand)
        value = run.values.get(operand, UNKNOWN)
        sure = boolean(value) or (isinstance(operand, cst.BooleanOperation) and operand in run.branching.logic)
        if untraceable(run, operand) or not (sure or (first and len(rest) == 1) or (not first and _is_truth(run, node))):
            return False
    for operand in first:
        need(run, operand, run.values.get(operand, UNKNOWN), BLOCKED)
    run.branching.logic.add(node)
    return True


def _asks_for_none(node: cst.BaseExpression) -> bool:
    """Whether an expression contains a test whether something is None."""
    return any(
        isinstance(part, cst.ComparisonTarget) and isinstance(part.operator, (cst.Is, cst.IsNot)) for part, _parent in walk(node)
    )


def _is_test(run: Run, node: cst.BooleanOperation) -> bool:
    """Whether a chain is the test of a branch or of a loop, or the start of a longer chain that is."""
    above = run.source.parents.get(node)
    if isinstance(above, cst.BooleanOperation) and above.left is node and type(above.operator) is type(node.operator):
        return _is_test(run, above)
    return isinstance(above, (cst.If, cst.IfExp, cst.While)) and above.test is node


def _is_truth(run: Run, node: cst.BaseExpression) -> bool:
    """Whether only the truth value of an expression is used."""
    above = run.source.parents.get(node)
    if isinstance(above, cst.BooleanOperation):
        return _is_truth(run, above)
    if isinstance(above, cst.UnaryOperation):
        return isinstance(above.operator, cst.Not)
    return isinstance(above, (cst.If, cst.IfExp, cst.While)) and above.test is node


def tested_each_iteration(run: Run, node: cst.While) -> None:
    """Reject a `while` test in which the body reads what Python tests first: JAX traces the iterations even where Python knows
    that there are none.
    """
    if not isinstance(node.test, cst.BooleanOperation) or node.test not in run.branching.logic:
        return
    asked = collect(decided_first(run, node.test)).read
    if asked & collect((node.body,)).read:
        run.branching.logic.discard(node.test)
        need(run, node.test, run.values.get(node.test, UNKNOWN), BLOCKED)


def extremum(run: Run, node: cst.Call) -> Sequence[Value]:
    """The operands of `min` or `max` of several numbers; none where JAX cannot compute it."""
    run.branching.logic.discard(node)
    operands = extremum_operands(node)
    values = [run.values.get(operand, UNKNOWN) for operand in operands]
    if run.flow.depth or not run.unit.in_function or all(v.static for v in values) or effects(run, node):
        return ()
    for value in values:
        if value.rank > 0 or (value.kind not in NUMERIC and not value.numeric):
            return ()
        if dtypes_differ(values[0].dtype, value.dtype):
            return ()
    for operand in operands:
        learn(run, operand)
    run.branching.logic.add(node)
    return values


def one_sided(run: Run, node: cst.CSTNode, drawing: bool = False) -> str:
    """The effect of code, apart from its value, that must happen exactly where Python has it. `drawing`: the code is in an arm of
    a branch before which keys may be split off.
    """
    sites = [run.random.sites[part] for part in run.source.below(node) if part in run.random.sites]
    if sites and not (drawing and all(_split_ahead(run, site) for site in sites)):
        return "random numbers are drawn in one arm"
    return _binds(run, node)


def _split_ahead(run: Run, site: Site) -> bool:
    """Whether the key of a draw in a branch arm is certainly split off before the branch: see
    migrate.analysis.random.key_assignment. It is not where an arm creates the generator, or seeds NumPy's random state; nor where
    there may be no generator.
    """
    if site.seeds or site.optional or site.draw is None or site.stream == ON_HOST:
        return False
    if site.stream == GLOBAL_STATE:
        seeded = [each.node for each in run.random.sites.values() if each.seeds]
        return not run.call_graph.calls and not any(_conditional(run, node) for node in seeded)
    bound = bindings(run, site.stream)
    if not site.stream.isidentifier() or any(_conditional(run, node) for node in bound):
        return False
    if site.stream in run.params:
        return not bound and run.unit.owner is not None and site.stream not in optional(run.unit.owner)
    return len(bound) == 1 and site.stream in run.unit.local


def _conditional(run: Run, node: cst.CSTNode) -> bool:
    """Whether a node is executed conditionally."""
    return any(isinstance(at, (cst.If, cst.Try, cst.TryStar, cst.Match)) for at in run.source.above(node))


def _binds(run: Run, node: cst.CSTNode) -> str:
    """Why an expression must be evaluated once, at its node."""
    for part in run.source.below(node):
        if type(part) in SUSPENDING:
            return "`:=` binds a name in it" if type(part) is cst.NamedExpr else "it yields"
    return ""


def effects(run: Run, node: cst.BaseExpression) -> str:
    """What must not be evaluated where Python would not evaluate it. A draw may be: its key is its own, and is split off before
    the statement whether it is used or not. It is not split off before each iteration of a `while`.
    """
    if why := _binds(run, node):
        return why
    for part in run.source.below(node):
        if part in run.effects.updates:
            return "an array is changed in it"
        if part in run.call_graph.calls and isinstance(run.flow.stmt, cst.While):
            return "it calls a function that may draw random numbers in each iteration"
        if (site := run.random.sites.get(part)) is not None and (isinstance(run.flow.stmt, cst.While) or site.stream == ON_HOST):
            return "random numbers are drawn in it"
    return ""
