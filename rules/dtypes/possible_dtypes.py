"""The dtypes that NumPy may give an expression, where those of the arrays from which it is computed are given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import product
from types import MappingProxyType
from typing import NamedTuple

import libcst as cst

from .. import numpy_table
from ..context import Context
from ..core import dtypes
from ..core.findings import Kind
from ..facts.values import UNKNOWN
from ..numpy_table.entry import Entry
from ..numpy_table.result_dtypes import result_dtype
from ..syntax.argument_binding import bind
from .path_dtypes import is_exact

MOST = 64  # combinations of the dtypes of operands


class Possible(NamedTuple):
    """`exact`: a number of Python that every dtype can represent."""

    dtype: str
    exact: bool = False


Set = frozenset[Possible]  # empty: NumPy raises
State = Mapping[str, Set | None]  # None: not known
BOOL, INT, FLOAT = (frozenset({Possible(dtype)}) for dtype in ("bool", "int", "float"))
BITWISE = (cst.BitAnd, cst.BitOr, cst.BitXor, cst.LeftShift, cst.RightShift)
DIVISIONS = (cst.FloorDivide, cst.Modulo)
EXTREMES = ("builtins.max", "builtins.min")
CASTS = {"builtins.float": FLOAT, "builtins.int": INT, "builtins.bool": BOOL, "builtins.len": INT}


def is_open(node: cst.Name, ctx: Context) -> bool:
    """Whether a variable may be an array of any dtype."""
    value = ctx.value(node)
    return value.kind in (Kind.ARRAY, Kind.UNKNOWN) and not value.dtype and value != UNKNOWN


def changes_in_place(node: cst.AugAssign, ctx: Context) -> bool:
    """Whether an augmented assignment changes an array in place, which retains its dtype, and binds no number."""
    value = ctx.value(node.target)
    if not isinstance(node.target, cst.Name):
        return value.kind is Kind.ARRAY
    return value.kind is Kind.ARRAY and value.rank != 0 and not value.number and bool(ctx.effects.updates(node))


class Evaluation:
    """Evaluates expressions in dtypes. `given`: the dtypes of parameters. `chosen` is told of conditional expressions with both values.
    `taken`: how Python decides the others."""

    def __init__(
        self,
        ctx: Context,
        given: Mapping[str, str],
        chosen: Callable[[cst.IfExp, Set, Set], bool] = lambda *_: False,
        taken: Mapping[cst.CSTNode, bool] = MappingProxyType({}),
    ) -> None:
        self.ctx, self.given, self.chosen, self.taken = ctx, given, chosen, taken

    def of(self, node: cst.BaseExpression, state: State) -> Set | None:
        value = self.ctx.value(node)
        known = value.dtype if value.kind in (Kind.ARRAY, Kind.SCALAR) else ""
        found = self._of(node, state)
        if found is not None or not known or (isinstance(node, cst.Name) and node.value in state):
            return found
        return frozenset({Possible(known, is_exact(node, self.ctx.qualname))})

    def _of(self, node: cst.BaseExpression, state: State) -> Set | None:
        match node:
            case cst.Name(value=name) if name in state:
                return state[name]
            case cst.Name(value=name) if name in self.given and is_open(node, self.ctx):
                return frozenset({Possible(self.given[name])})
            case cst.UnaryOperation(operator=cst.Not()):
                return BOOL
            case cst.UnaryOperation(operator=operator, expression=inner):
                found = self.of(inner, state)
                exact = is_exact(node, self.ctx.qualname)
                return None if found is None else _any(_unary(operator, one.dtype, exact) for one in found)
            case cst.BinaryOperation(left=left, operator=operator, right=right):
                return self.combined(type(operator), self.of(left, state), self.of(right, state))
            case cst.Comparison(left=left, comparisons=parts):
                every = [self.of(each, state) for each in (left, *(part.comparator for part in parts))]
                python = all(one is not None and all(dtypes.is_weak(each.dtype) for each in one) for one in every)
                if any(isinstance(part.operator, (cst.In, cst.NotIn, cst.Is, cst.IsNot)) for part in parts) or python:
                    return BOOL
                return frozenset({Possible("bool_")}) if None not in every else None
            case cst.BooleanOperation(left=left, right=right):
                return either(self.of(left, state), self.of(right, state))
            case cst.IfExp(body=body, orelse=orelse):
                return self._conditional(node, self.of(body, state), self.of(orelse, state))
            case cst.Subscript(value=base):
                return self._array(base, state)
            case cst.Attribute(value=base, attr=cst.Name(value=name)):
                entry = numpy_table.method(name) if self.ctx.kind(base) in (Kind.ARRAY, Kind.UNKNOWN) else None
                if entry is None or entry.dtype not in ("same", "real"):
                    return None
                return self._result(entry, [self._array(base, state)])
            case cst.Call():
                return self._call(node, state)
        return None

    def _array(self, node: cst.BaseExpression, state: State) -> Set | None:
        found = self.of(node, state)
        return None if found is None or any(dtypes.is_weak(one.dtype) for one in found) else found

    def _argument(self, node: cst.BaseExpression, state: State) -> Set | None:
        """The same for an argument: NumPy makes an array of a display, in which a number of Python has 64 bits."""
        if not isinstance(node, (cst.List, cst.Tuple)) or not node.elements:
            return self.of(node, state)
        items = [_strong(self._argument(element.value, state)) for element in node.elements]
        distinct = list(dict.fromkeys(items))
        return _product(lambda *every: frozenset({Possible(dtypes.promote(*every))}), distinct)

    def _conditional(self, node: cst.IfExp, body: Set | None, orelse: Set | None) -> Set | None:
        if node in self.taken:
            return body if self.taken[node] else orelse
        if body is None or orelse is None:
            return None
        if self.ctx.branches.branch(node) is None or self.ctx.is_static(node.test) or self.chosen(node, body, orelse):
            return body if body == orelse else None
        return body | orelse

    def _call(self, node: cst.Call, state: State) -> Set | None:
        name = self.ctx.qualname(node.func) or ""
        given = [self._argument(argument.value, state) for argument in node.args]
        if any(argument.star for argument in node.args):
            return None
        if name in CASTS:
            return CASTS[name]
        if name in EXTREMES:
            several = len(given) > 1 and all(argument.keyword is None for argument in node.args)
            return either(*given) if several else None
        if name == "builtins.abs" and len(given) == 1:
            return self._result(numpy_table.FUNCTIONS["abs"], given)
        receiver: list[Set | None] = []
        entry = numpy_table.function(name) if name.startswith("numpy.") else None
        if (
            entry is None
            and isinstance(node.func, cst.Attribute)
            and self.ctx.kind(node.func.value) in (Kind.ARRAY, Kind.UNKNOWN)
        ):
            entry, receiver = numpy_table.method(node.func.attr.value), [self._array(node.func.value, state)]
        if entry is None or any(a.keyword is not None and a.keyword.value in ("dtype", "out") for a in node.args):
            return None
        if receiver and isinstance(node.func, cst.Attribute) and node.func.attr.value == "item":
            return _product(lambda dtype: frozenset({Possible(dtypes.python_type(dtype))}), receiver)
        promoted = entry.promotes or entry.arrays
        if entry.sequences:
            return None
        bound = [(parameter, given[at]) for at, parameter in bind(node, entry) if parameter in promoted]
        operands = [*receiver, *(_strong(found) if parameter in entry.strong else found for parameter, found in bound)]
        return self._result(entry, operands) if operands else None

    def _result(self, entry: Entry, operands: list[Set | None]) -> Set | None:
        if entry.kind not in ("array", "scalar") or entry.cast_how == "each" or entry.dtype in ("", "param"):
            return None
        if entry.dtype in ("same", "real"):
            operands = operands[:1]
        return _product(lambda *every: _of_entry(entry, every), operands)

    def combined(self, operator: type, left: Set | None, right: Set | None) -> Set | None:
        """The dtypes of the result of an operator."""
        return _product(lambda one, other: _binary(operator, one, other), [left, right])


def either(*every: Set | None) -> Set | None:
    found = [one for one in every if one is not None]
    return frozenset[Possible]().union(*found) if len(found) == len(every) else None


def _any(found: Iterable[Set | None]) -> Set | None:
    return either(*found)


def _strong(found: Set | None) -> Set | None:
    return None if found is None else frozenset(Possible(dtypes.strong(one.dtype)) for one in found)


def _product(function: Callable[..., Set | None], operands: list[Set | None]) -> Set | None:
    known = [one for one in operands if one is not None]
    if len(known) < len(operands):
        return None
    pairs = list(product(*({one.dtype for one in each} for each in known)))
    return either(*(function(*pair) for pair in pairs)) if len(pairs) <= MOST else None


def _of_entry(entry: Entry, operands: tuple[str, ...]) -> Set | None:
    made = dtypes.strong(dtypes.promote(*operands))
    found = entry.cast_for.get(made) or result_dtype(entry.dtype, made)
    return frozenset({Possible(found)}) if found else None


@lru_cache(maxsize=4096)
def _binary(operator: type, one: str, other: str) -> Set | None:
    made = dtypes.promote(one, other)
    if not made:
        return None
    category = dtypes.category(made)
    bits = operator in BITWISE
    if (bits and category > 1) or (operator in DIVISIONS and category > 2) or (operator is cst.Subtract and made == "bool_"):
        return frozenset()
    if dtypes.is_weak(made):
        if operator is cst.Power and category == 1:
            return None  # a negative exponent gives a float
        shift = operator in (cst.LeftShift, cst.RightShift)
        found = "int" if category == 0 and (not bits or shift) else made
        return FLOAT if operator is cst.Divide and category < 2 else frozenset({Possible(found)})
    if operator is cst.Divide and category < 2:
        return frozenset({Possible("float64")})
    if made == "bool_" and operator in (*DIVISIONS, cst.Power, cst.LeftShift, cst.RightShift):
        return frozenset({Possible("int8")})
    return frozenset({Possible(made)})


def _unary(operator: cst.BaseUnaryOp, dtype: str, exact: bool) -> Set:
    invert = isinstance(operator, cst.BitInvert)
    if (dtype == "bool_" and not invert) or (invert and dtypes.category(dtype) > 1):
        return frozenset()
    return frozenset({Possible("int" if dtype == "bool" else dtype, exact)})


def parameters(definition: cst.FunctionDef) -> dict[str, cst.Name]:
    """The parameters of a function that are passed one by one."""
    params = definition.params
    return {param.name.value: param.name for param in (*params.posonly_params, *params.params, *params.kwonly_params)}


def bound_names(target: cst.BaseExpression) -> Iterator[str]:
    """The variables that a target binds."""
    match target:
        case cst.Name(value=name):
            yield name
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            for element in elements:
                yield from bound_names(element.value)
