"""Why a draw cannot be expressed in JAX, and the kind, dtype and rank of its result."""

from __future__ import annotations

import math

import libcst as cst

from ..core.findings import Kind
from ..dtypes.jax_dtypes import numpy_dtype
from ..facts.draw import Draw, Facts
from ..facts.ranks import rank_of
from ..facts.values import Value
from .arguments import SEQUENCES, Arguments, dtype_name, is_default, is_passed, is_scalar, literal, number, parsed
from .shapes import dimensions
from .write import uses


def problem(draw: Draw, arguments: Arguments, facts: Facts) -> str:
    """Why a call cannot be expressed in JAX, and what the user can do about it; "" if it can."""
    for parameter, node in arguments.items():
        if is_default(draw, arguments, parameter):
            continue
        if parameter in draw.refused and is_passed(arguments, parameter):
            return draw.refused[parameter]
        if found := draw.excluded.get(parameter, {}).get(literal(node)):
            return found
        if parameter in draw.allowed and literal(node) not in draw.allowed[parameter]:
            return f"`{parameter}` must be written out, as one of {', '.join(draw.allowed[parameter])}"
        if parameter in draw.limits and (number(node) or 0) > draw.limits[parameter]:
            return draw.note
        if parameter in draw.sums and abs(_total(node) - 1) > 1e-9:
            return draw.note
        value = facts(parameter)
        if parameter in draw.scalars and value.kind in (Kind.ARRAY, *SEQUENCES) and value.rank != 0:
            return f"`{parameter}` must be a single number in JAX; draw for each number separately"
        if parameter in static_parameters(draw, arguments, facts) and value.traced and not _counts(draw, parameter, value):
            return (
                f"`{parameter}` is computed by JAX, and must be known before the function runs: give it as a number of Python's"
            )
        if parameter == draw.writes and value.kind in SEQUENCES:
            return f"`{parameter}` is a list, which is changed in place: convert it to an array, or use Python's random module"
        if parameter in draw.vectors and (text := _not_numbers(value)):
            return f"`{parameter}` holds {text}, which no array of JAX can: draw an index, and look it up"
    missing = [p for p in draw.params if p not in arguments and p not in draw.defaults and not p.startswith("*")]
    if missing:
        return f"`{missing[0]}` is missing"
    return _reversed(draw, arguments) or _twice(draw, arguments, facts)


def _counts(draw: Draw, parameter: str, value: Value) -> bool:
    """Whether an argument is a length or a tuple of lengths: outside of compiled code, JAX accepts one that it has computed."""
    if parameter not in ("size", "*d", *draw.vectors[:1]):
        return False
    parts = (value,) if value.kind is not Kind.TUPLE else value.elements or (value,)
    return all(p.kind in (Kind.SCALAR, Kind.UNKNOWN) and not p.elements for p in parts)


def static_parameters(draw: Draw, arguments: Arguments, facts: Facts) -> tuple[str, ...]:
    """The arguments of a call that must be static: `size`, an axis, the n of choice(n)."""
    found = [p for p in arguments if p in ("size", "*d", *draw.static) and not is_default(draw, arguments, p)]
    if draw.dtype == "same" and facts(draw.vectors[0]).kind not in (Kind.ARRAY, *SEQUENCES):
        found.append(draw.vectors[0])
    return tuple(found)


def result(draw: Draw, arguments: Arguments, facts: Facts) -> Value:
    """Kind, dtype and rank of NumPy's result: "float" and "int" for Python numbers, which are strongly typed in JAX."""
    if draw.state or draw.dtype == "bytes":
        return Value(Kind.OBJECT)
    dtype, scalar, size = draw.dtype, draw.scalar, dimensions(draw, arguments, facts)
    if draw.dtype == "param":
        node = arguments.get("dtype", parsed(draw.defaults["dtype"]) if "dtype" in draw.defaults else None)
        default = is_default(draw, arguments, "dtype")
        dtype = "" if node is None else dtype_name(node)
        dtype = dtype if default or isinstance(node, (cst.Attribute, cst.SimpleString)) else facts("dtype").dtype
        scalar = scalar if default or scalar == "float" else "numpy"
    if draw.dtype == "same":
        first = arguments[draw.vectors[0]]
        source = facts(draw.vectors[0])
        whole = is_scalar(source, first)
        dtype = "int64" if whole else numpy_dtype(source, strong=True)
        scalar = scalar if whole else "numpy"
        inner = 1 if whole else rank_of(source)
        dropped = -1 if -1 in (size, inner) else size + inner - 1
        size = inner if draw.rank == "same" else dropped
    elif draw.rank == "rows" and not is_passed(arguments, "size"):
        size = rank_of(facts(draw.vectors[0]))
    elif size >= 0:
        size += draw.events
    if size == 0 and not is_passed(arguments, "size"):
        return Value(Kind.SCALAR, dtype if scalar == "numpy" else scalar, 0, traced=True)
    array = size >= 0 or draw.dtype == "same" or is_passed(arguments, "size")  # otherwise it may be a NumPy scalar
    kind = Kind.ARRAY if array else Kind.UNKNOWN
    return Value(kind, dtype, size, traced=True, number=True)


def _not_numbers(value: Value) -> str:
    if value.kind is Kind.STRING:
        return "text"
    if value.kind in (Kind.DICT, Kind.NONE, Kind.OBJECT, Kind.FUNCTION, Kind.CLASS):
        return "Python objects"
    return next((found for e in value.elements or () if (found := _not_numbers(e))), "")


def _total(node: cst.BaseExpression) -> float:
    """The sum of probabilities that are literals; 1 if they are not."""
    if not isinstance(node, (cst.List, cst.Tuple)):
        return 1.0
    numbers = [number(e.value) for e in node.elements]
    return math.fsum(n for n in numbers if n is not None) if None not in numbers else 1.0


def _reversed(draw: Draw, arguments: Arguments) -> str:
    low, high = (number(arguments[p]) if p in arguments else None for p in ("low", "high"))
    if low is not None and high is not None and low > high and "low" in draw.params:
        return "`low` is above `high`: exchange them"
    return ""


def _twice(draw: Draw, arguments: Arguments, facts: Facts) -> str:
    """Why the expression cannot read an argument more than once; "" if it does not, or can."""
    for parameter, times in uses(draw, arguments, facts).items():
        if times > 1 and not _readable(arguments[parameter]):
            return f"`{parameter}` is needed more than once: assign it to a variable first"
    return ""


def _readable(node: cst.BaseExpression) -> bool:
    """Whether an expression is short, pure, and has the same value when it is read again."""
    match node:
        case cst.Name() | cst.Integer() | cst.Float():
            return True
        case cst.Attribute(value=inner) | cst.UnaryOperation(expression=inner):
            return _readable(inner)
        case cst.Subscript(value=inner, slice=[cst.SubscriptElement(slice=cst.Index(value=index))]):
            return _readable(inner) and _readable(index)
        case cst.BinaryOperation(left=left, right=right):
            return _readable(left) and _readable(right)
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            return all(_readable(e.value) for e in elements)
        case cst.Call(func=cst.Name(value="len"), args=[cst.Arg(value=inner)]):
            return _readable(inner)
    return False
