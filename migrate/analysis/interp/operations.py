"""The value of an operation on numbers and arrays."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ....rules.core.dtypes import category, inexact, is_weak, promote, strong, weak
from ....rules.core.findings import Kind
from ....rules.facts.iteration_space import integer
from ....rules.facts.values import BITS, DRAWN, NOTHING, OBJECTS, PYTHON, TOGETHER, UNKNOWN, Value, holds_objects, replace
from ....rules.syntax.tree import is_negated
from ..branches import binding_nodes, conditions
from ..inference import big_integers, weak_types
from ..inference.usage_inference import ARRAY_ATTRIBUTES, REDUCTIONS
from ..random import generators
from ..state.evaluation import TEXT, evaluate, need
from ..state.index_expressions import is_sign
from ..state.interpreter_state import Run
from ..state.lattice import NUMERIC, Env, join, scalar
from ..state.memory import IMMUTABLE, immutable, new_memory
from . import scalar_casts, subscripts

SHORT_SHIFT = 32
MET = 3  # the shape of a result tracks at most this many different operand shapes
REPEATED = "it is the number of times that a list is repeated"
SHIFTS = (cst.LeftShift, cst.LeftShiftAssign)
BITWISE = frozenset({cst.BitAnd, cst.BitOr, cst.BitXor, cst.BitAndAssign, cst.BitOrAssign, cst.BitXorAssign})


def arithmetic(run: Run, env: Env, node: cst.CSTNode, operator: cst.CSTNode, left: Value, right: Value) -> Value:
    """The result of a binary operation or an augmented assignment."""
    made = weak_types.of_arithmetic(_arithmetic(run, env, node, operator, left, right), left, right)
    if PYTHON in (left.name, right.name):
        scalar_casts.meet(run, node, (left, right))
        if made.kind is Kind.SCALAR and is_weak(made.dtype):
            made = replace(made, name=PYTHON)
    if DRAWN in (left.name, right.name) and isinstance(node, cst.BinaryOperation):
        made = _with_drawn(made, left, right, operator)
    if type(operator) in BITWISE and made.kind in (Kind.ARRAY, Kind.UNKNOWN) and not made.dtype:
        made = replace(made, name=BITS)
    if made.kind is Kind.ARRAY and (immutable(left) or immutable(right)):
        made = replace(made, memory=frozenset({IMMUTABLE}))
    origin = left.origin | right.origin
    if origin and {left.kind, right.kind} & {Kind.LIST, Kind.TUPLE}:
        run.host.host_uses |= origin
    return replace(made, origin=origin) if origin else made


def _with_drawn(made: Value, left: Value, right: Value, operator: cst.CSTNode) -> Value:
    """The result of arithmetic with a number that was drawn: see `rules.dtypes.mixed_dtypes`."""
    other = right if left.name == DRAWN else left
    if other.name == DRAWN or (other.kind is Kind.SCALAR and is_weak(other.dtype)):
        return replace(made, name=DRAWN) if made.kind is Kind.SCALAR and made.dtype in ("float64", "int64") else made
    drawn = left if left.name == DRAWN else right
    met = promote(other.dtype, weak(drawn.dtype)) if other.kind in NUMERIC else ""
    division = category(met) < 2 and isinstance(operator, cst.Divide)
    return replace(made, dtype=strong(met)) if met and not division else made


def _arithmetic(run: Run, env: Env, node: cst.CSTNode, operator: cst.CSTNode, left: Value, right: Value) -> Value:
    deps, traced = left.deps | right.deps, left.traced or right.traced
    kinds = {left.kind, right.kind}
    if Kind.STRING in kinds:
        if traced or deps:
            need(run, node, Value(deps=deps, traced=traced), TEXT)
        return Value(Kind.STRING, deps=deps)
    if Kind.ARRAY not in kinds and (Kind.LIST in kinds or Kind.TUPLE in kinds):
        kind = left.kind if left.kind in (Kind.LIST, Kind.TUPLE) else right.kind
        if type(operator) in (cst.Multiply, cst.MultiplyAssign):
            times = right if left.kind is kind else left
            need(run, node, Value(deps=times.deps, traced=times.traced), REPEATED)
        name = OBJECTS if holds_objects(left) or holds_objects(right) else ""
        nested = left.nested or right.nested
        memory = left.memory | right.memory
        return Value(kind, deps=deps, traced=traced, memory=memory, name=name, nested=nested, copied=True)
    division = type(operator) in (cst.Divide, cst.DivideAssign)
    dtype = promote(left.dtype, right.dtype)
    if division and dtype:
        dtype = (
            inexact(dtype) if category(dtype) < 2 and dtype not in ("int", "bool") else dtype if category(dtype) >= 2 else "float"
        )
        dtype = "float64" if category(promote(left.dtype, right.dtype)) < 2 and dtype != "float" else dtype
    if type(operator) in (cst.Power, cst.PowerAssign) and dtype == "int":
        exponent = getattr(node, "right", None) or getattr(node, "value", None)
        dtype = "int" if isinstance(exponent, cst.Integer) else "float" if is_negated(exponent) else ""
    if type(operator) in (cst.MatrixMultiply, cst.MatrixMultiplyAssign):
        rank = left.rank + right.rank - 2 if left.rank in (1, 2) and right.rank in (1, 2) else -1
        if rank == 0:
            return Value(Kind.SCALAR, dtype, 0, deps, True, left.device or right.device)
        return Value(Kind.ARRAY, dtype, rank, deps, traced, left.device or right.device, new_memory(run, env, node))
    rank = max(left.rank, right.rank) if left.rank >= 0 and right.rank >= 0 else -1
    if Kind.ARRAY in kinds:
        memory = new_memory(run, env, node)
        shape = same_shape([left, right], memory)
        number = all(v.number or v.kind is Kind.SCALAR for v in (left, right))
        made = Value(Kind.ARRAY, dtype, rank, deps, traced, left.device or right.device, memory, shape=shape, number=number)
        dates = isinstance(operator, (cst.Add, cst.Subtract)) and OBJECTS in (
            left.name,
            right.name,
        )  # their quotients are numbers
        return replace(made, name=OBJECTS) if dates else made
    if kinds == {Kind.SCALAR}:
        if why := unlike_traced(run, node, operator, left, right):
            need(run, node, Value(deps=deps, traced=traced), why)
        return Value(Kind.SCALAR, dtype, 0, deps, traced, left.device or right.device)
    if left.dtype == right.dtype == "bool" and type(operator) in (cst.Add, cst.Subtract):
        run.constraints.impure[node] = "it may be an array of numbers, where True and False count as 1 and 0"
    product = type(operator) in (cst.Multiply, cst.MultiplyAssign)  # a list times an integer is a list
    number = (left.numeric and right.numeric) or (not product and (left.numeric or right.numeric))
    number = number or (product and {"float", "complex"} & {left.dtype, right.dtype} != set())
    number = number or type(operator) in (
        cst.Subtract,
        cst.SubtractAssign,
        cst.Divide,
        cst.DivideAssign,
        cst.Power,
        cst.PowerAssign,
    )
    memory = NOTHING if number else left.memory | right.memory
    memory |= new_memory(run, env, node)
    if used_as_array(run, node):
        return Value(Kind.ARRAY, dtype, rank, deps, traced, False, memory)
    return Value(Kind.UNKNOWN, dtype, rank, deps, traced, False, memory, number=number, copied=not number)


def unlike_traced(run: Run, node: cst.CSTNode, operator: cst.CSTNode, left: Value, right: Value) -> str:
    """Why arithmetic on Python numbers has another result under jit, as int64 and bool arrays; "" if it does not."""
    dtypes = {left.dtype, right.dtype}
    if left.device or right.device or not dtypes <= {"int", "bool"}:
        return ""
    if dtypes == {"bool"} and type(operator) not in BITWISE:
        return "True and False count as 1 and 0"
    if type(operator) in (cst.Power, cst.PowerAssign, *SHIFTS):
        exponent = getattr(node, "right", None) or getattr(node, "value", None)
        shift = integer(exponent) if exponent is not None and isinstance(operator, SHIFTS) else None
        if shift is not None and 0 <= shift < SHORT_SHIFT:
            return ""  # no larger than a product with a small number
        if isinstance(node, cst.BinaryOperation) and is_sign(node.left) and _counts(run, node.right):
            return ""
        if isinstance(operator, cst.Power) and (is_negated(exponent) or _is_square(node)):
            return ""  # a fraction, for which the base becomes a float; a product of two numbers
        return "a power of Python's integers may be a fraction, or very large"
    if isinstance(operator, cst.Multiply) and isinstance(node, cst.BinaryOperation):
        if (isinstance(node.left, cst.BinaryOperation) and isinstance(node.left.operator, cst.Multiply)) or any(
            map(_is_square, (node.left, node.right))
        ):
            return "a product of Python's integers may be very large"
    return ""


def _is_square(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Power) and integer(node.right) == 2


def _counts(run: Run, node: cst.BaseExpression) -> bool:
    """Whether an integer is certainly not negative: computed from literals and indices of ranges that start at 0 or above."""
    match node:
        case cst.Integer():
            return True
        case cst.BinaryOperation(operator=cst.Add() | cst.Multiply(), left=left, right=right):
            return _counts(run, left) and _counts(run, right)
        case cst.Name(value=name) if name not in run.params:
            bound = binding_nodes.bindings(run, name)
            return bool(bound) and all(isinstance(b, cst.For) and _rises(run, b) for b in bound)
    return False


def _rises(run: Run, loop: cst.For) -> bool:
    space = run.scopes.iteration_space(loop)
    return space.is_range and space.index != "" and space.step is None and isinstance(space.start, (type(None), cst.Integer))


def same_shape(operands: Sequence[Value], memory: frozenset[str]) -> str:
    """The shape of an elementwise result: the shapes of its operands, broadcast, with that of the result for an unknown one."""
    shapes = {v.shape for v in operands if v.kind is not Kind.SCALAR and v.rank != 0}
    if len(shapes) == 1 and (only := next(iter(shapes))):
        return only
    own = min(memory, default="")
    parts = {part for shape in shapes for part in (shape.split(TOGETHER) if shape else (own,)) if part}
    return TOGETHER.join(sorted(parts)) if 0 < len(parts) <= MET else own


def binary(run: Run, env: Env, node: cst.BinaryOperation) -> Value:
    chain: list[cst.BinaryOperation] = []
    leaf: cst.BaseExpression = node
    while type(leaf) is cst.BinaryOperation:  # a long sum is nested on the left: avoid recursion
        chain.append(leaf)
        leaf = leaf.left
    value = evaluate(run, env, leaf)
    for item in reversed(chain):
        right = evaluate(run, env, item.right)
        big_integers.refuse_product(run, item, right)
        value = big_integers.checked(run, item, arithmetic(run, env, item, item.operator, value, right))
        run.values[item] = value
    return value


def boolean(run: Run, env: Env, node: cst.BooleanOperation) -> Value:
    run.constraints.needs.pop(node.left, None)  # from an earlier pass over a loop, when less was traced
    left, right = evaluate(run, env, node.left), evaluate(run, env, node.right)
    if not conditions.logical(run, node) and not generators.is_generator(left):  # a generator may be None
        need(run, node.left, left, conditions.BLOCKED)
    return join(left, right)


def comparison(run: Run, env: Env, node: cst.Comparison) -> Value:
    run.constraints.needs.pop(node, None)
    left = evaluate(run, env, node.left)
    result: Value | None = None
    first: Value | None = None
    for position, part in enumerate(node.comparisons):
        right = evaluate(run, env, part.comparator)
        deps, traced = left.deps | right.deps, left.traced or right.traced
        if left.origin | right.origin and {left.kind, right.kind} & {Kind.LIST, Kind.TUPLE}:
            run.host.host_uses |= left.origin | right.origin
        if isinstance(part.operator, (cst.Is, cst.IsNot)):
            value = scalar("bool")  # whether an argument is None is known when tracing
            if Kind.NONE not in (left.kind, right.kind):
                need(run, node, Value(deps=deps, traced=traced), "its identity is tested")
        elif isinstance(part.operator, (cst.In, cst.NotIn)):
            deps = left.deps | subscripts.part_of(right, right).deps
            if len(node.comparisons) > 1 or not conditions.logical(run, node):
                need(run, node, Value(deps=deps, traced=traced), "Python tests membership")
            value = scalar("bool", deps, traced)
        elif Kind.ARRAY in (left.kind, right.kind):
            rank = max(left.rank, right.rank) if left.rank >= 0 and right.rank >= 0 else -1
            memory = new_memory(run, env, node)
            shape = same_shape([left, right], memory)
            number = all(v.number or v.kind is Kind.SCALAR for v in (left, right))
            device = left.device or right.device
            value = Value(Kind.ARRAY, "bool_", rank, deps, traced, device, memory, shape=shape, number=number)
        elif left.kind is Kind.SCALAR and right.kind is Kind.SCALAR:
            value = scalar("bool", deps, traced)
        elif {left.kind, right.kind} & {Kind.STRING, Kind.TUPLE, Kind.LIST, Kind.DTYPE, Kind.NONE}:
            need(run, node, Value(deps=deps, traced=traced), "Python compares it")
            value = scalar("bool", deps, traced)
        else:
            value = Value(Kind.UNKNOWN, "bool", -1, deps, traced, memory=new_memory(run, env, node))
            if used_as_array(run, node):
                value = replace(value, kind=Kind.ARRAY, dtype="bool_")
        if position:
            first = result
        result = value if result is None else join(result, value)
        left = right
    if first is not None and not conditions.logical(run, node):
        need(run, node, first, "a chained comparison needs the truth value of its first part")
    return result or UNKNOWN


def used_as_array(run: Run, node: cst.CSTNode) -> bool:
    """Whether a method or an attribute of the result of an operation is used, `((x - y) ** 2).sum()`, that arrays have, and Python's
    numbers do not."""
    above = run.source.parents.get(node)
    if not isinstance(above, cst.Attribute) or run.source.name in run.facts.program.pandas:
        return False
    if above.attr.value in run.facts.hierarchy.methods:  # the operands may be objects of the project
        return False
    call = run.source.parents.get(above)
    called = isinstance(call, cst.Call) and call.func is above
    return above.attr.value in ARRAY_ATTRIBUTES or (called and above.attr.value in REDUCTIONS)


def unary(run: Run, env: Env, node: cst.UnaryOperation) -> Value:
    if isinstance(node.operator, cst.Not):
        run.constraints.needs.pop(node.expression, None)
        value = evaluate(run, env, node.expression)
        if not conditions.logical(run, node, node.expression):
            need(run, node.expression, value, conditions.BLOCKED)
        return scalar("bool", value.deps, value.traced)
    value = evaluate(run, env, node.expression)
    if value.kind is Kind.SCALAR:
        dtype = "int" if value.dtype == "bool" else value.dtype
        return replace(value, dtype=dtype, holds="", view=None)
    if value.kind is Kind.UNKNOWN and used_as_array(run, node):
        value = replace(value, kind=Kind.ARRAY)
    name = BITS if isinstance(node.operator, cst.BitInvert) and not value.dtype else value.name
    return replace(value, memory=new_memory(run, env, node), holds="", view=None, elements=None, name=name)
