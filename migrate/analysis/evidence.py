"""What the text of a function says of its parameters: annotations, defaults, numpydoc, and how they are used."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from ...rules import numpy_table
from ...rules.facts import NOTHING, Value
from ...rules.model import Kind
from ..scope import Scopes
from ..source import walk
from . import paths

ARRAY_ATTRIBUTES = frozenset(
    "shape ndim dtype T reshape astype ravel flatten dot transpose itemsize nbytes mean std var argmax argmin argsort cumsum cumprod "
    "clip squeeze swapaxes trace diagonal nonzero prod ptp searchsorted flat".split()
)
PANDAS_TOO = frozenset("shape ndim dtype T astype dot transpose mean std var argmax argmin cumsum cumprod clip nbytes prod".split())
LIST_METHODS = frozenset("append extend insert pop remove index count sort reverse".split())
DICT_METHODS = frozenset("keys values items setdefault update popitem get".split())
STRING_METHODS = frozenset("lower upper split strip startswith endswith format join replace encode title".split())

_ARRAY_TYPES = ("ndarray", "NDArray", "ArrayLike", "Array", "Float", "Int", "Complex", "Inexact", "Shaped", "Num", "Bool", "Real", "UInt")
_DTYPE_NAMES = re.compile(r"\b(float16|float32|float64|int8|int16|int32|int64|uint8|uint16|uint32|uint64|complex64|complex128)\b")
_DOC_PARAM = re.compile(r"^[ \t]*(\*{0,2}\w+(?:\s*,\s*\w+)*)[ \t]*:[ \t]*(.+)$", re.M)


def annotation(node: cst.BaseExpression | None) -> Value | None:
    """The value that an annotation promises, None when it promises nothing that is known."""
    match node:
        case cst.Name(value="float"):
            return Value(Kind.SCALAR, "float", 0)
        case cst.Name(value="int"):
            return Value(Kind.SCALAR, "int", 0)
        case cst.Name(value="complex"):
            return Value(Kind.SCALAR, "complex", 0)
        case cst.Name(value="bool"):
            return Value(Kind.SCALAR, "bool", 0)
        case cst.Name(value="str") | cst.Name(value="bytes"):
            return Value(Kind.STRING)
        case cst.Name(value="dict") | cst.Name(value="Dict") | cst.Name(value="Mapping"):
            return Value(Kind.DICT)
        case cst.Name(value="list") | cst.Name(value="List"):
            return Value(Kind.LIST)
        case cst.Name(value="tuple") | cst.Name(value="Tuple"):
            return Value(Kind.TUPLE)
        case cst.Name(value="Callable"):
            return Value(Kind.FUNCTION)
        case cst.Name(value=name) | cst.Attribute(attr=cst.Name(value=name)) if name in ("ndarray", "NDArray", "Array", "jax.Array"):
            return Value(Kind.ARRAY)
        case cst.Name(value="ArrayLike") | cst.Attribute(attr=cst.Name(value="ArrayLike")):
            return None
        case cst.SimpleString() | cst.ConcatenatedString():
            text = node.evaluated_value
            if isinstance(text, str):
                try:
                    return annotation(cst.parse_expression(text))
                except cst.ParserSyntaxError:  # jaxtyping's shape strings are no expressions
                    return None
            return None
        case cst.Subscript(value=base, slice=elements):
            return _subscript(base, elements)
        case cst.BinaryOperation(left=left, operator=cst.BitOr(), right=right):
            return _optional([left, right])
    return None


def _subscript(base: cst.BaseExpression, elements: object) -> Value | None:
    name = base.value if isinstance(base, cst.Name) else base.attr.value if isinstance(base, cst.Attribute) else ""
    inner = [e.slice.value for e in elements if isinstance(e.slice, cst.Index)] if isinstance(elements, (list, tuple)) else []
    if name == "Optional":
        return annotation(inner[0]) if inner else None
    if name == "Union":
        return _optional(inner)
    if name in ("Annotated", "Final"):
        return annotation(inner[0]) if inner else None
    if name in ("ndarray", "NDArray"):
        text = cst.Module([]).code_for_node(base.deep_clone()) if not inner else " ".join(
            cst.Module([]).code_for_node(e.deep_clone()) for e in inner
        )
        found = _DTYPE_NAMES.findall(text)
        return Value(Kind.ARRAY, found[0] if len(set(found)) == 1 else "")
    if name in _ARRAY_TYPES and inner:  # jaxtyping: Float[Array, "n m"]
        return Value(Kind.ARRAY)
    return annotation(cst.Name(name)) if name in ("list", "List", "dict", "Dict", "Mapping", "tuple", "Tuple", "Callable") else None


def _optional(parts: list[cst.BaseExpression]) -> Value | None:
    known = [annotation(p) for p in parts if not (isinstance(p, cst.Name) and p.value == "None")]
    if len(known) == 1:
        return known[0]
    return None


def default(node: cst.BaseExpression | None) -> Value | None:
    """What a default says: a number is likely a number, None says nothing."""
    match node:
        case cst.Integer():
            return Value(Kind.SCALAR, "int", 0)
        case cst.Float():
            return Value(Kind.SCALAR, "float", 0)
        case cst.Name(value="True") | cst.Name(value="False"):
            return Value(Kind.SCALAR, "bool", 0)
        case cst.SimpleString() | cst.ConcatenatedString():
            return Value(Kind.STRING)
        case cst.UnaryOperation(expression=inner):
            return default(inner)
    return None


def docstring_kinds(text: str) -> Iterator[tuple[str, Value]]:
    """Parameters that a numpydoc section describes as arrays or numbers."""
    for names, described in _DOC_PARAM.findall(text):
        words = described.lower()
        value = None
        if re.search(r"\b(ndarray|np\.array|numpy array|array)\b", words) and "like" not in words and "callable" not in words:
            value = Value(Kind.ARRAY, *_DTYPE_NAMES.findall(words)[:1])
        elif re.match(r"(int|integer)\b", words):
            value = Value(Kind.SCALAR, "int", 0)
        elif re.match(r"(float|scalar|number)\b(?!.*array)", words):
            value = Value(Kind.SCALAR, "", 0)
        elif re.match(r"(str|string)\b", words):
            value = Value(Kind.STRING)
        elif re.match(r"(bool|boolean)\b", words):
            value = Value(Kind.SCALAR, "bool", 0)
        elif re.match(r"dict", words):
            value = Value(Kind.DICT)
        elif re.match(r"list\b", words):
            value = Value(Kind.LIST)
        if value is not None:
            for name in re.split(r"\s*,\s*", names):
                yield name.lstrip("*"), value


def usage(body: cst.CSTNode, scopes: Scopes, pandas: bool) -> dict[str, Value]:
    """Kinds of variables and attribute paths by how the text uses them: `x.shape`, `x[1:, 0]`, `x @ y`, `range(n)` ..."""
    found: dict[str, set[Kind]] = {}
    numeric: set[str] = set()
    written: set[str] = set()
    copies: list[tuple[str, str]] = []

    def note(node: cst.CSTNode, kind: Kind) -> None:
        if (key := paths.path_of(node)) is not None:
            found.setdefault(key, set()).add(kind)

    def note_numeric(node: cst.CSTNode) -> None:
        if (key := paths.path_of(node)) is not None:
            numeric.add(key)

    def arithmetic(node: cst.CSTNode) -> None:
        """It is subtracted, divided or scaled: a number or an array, and no list; a slice of it is of an array."""
        match node:
            case cst.Name() | cst.Attribute():
                note_numeric(node)
            case cst.BinaryOperation(left=left, right=right):
                arithmetic(left)
                arithmetic(right)
            case cst.UnaryOperation(expression=inner):
                arithmetic(inner)
            case cst.Subscript(value=base, slice=elements) if any(isinstance(e.slice, cst.Slice) for e in elements):
                note(base, Kind.ARRAY)

    for node, parent in walk(body):
        match node:
            case cst.Attribute(value=base, attr=cst.Name(value=attr)):
                if attr in ARRAY_ATTRIBUTES and not (pandas and attr in PANDAS_TOO):
                    note(base, Kind.ARRAY)
                elif isinstance(parent, cst.Call) and parent.func is node:
                    if attr in DICT_METHODS:
                        note(base, Kind.DICT)
                    elif attr in LIST_METHODS and attr not in ("sort", "index", "count"):
                        note(base, Kind.LIST)
                    elif attr in STRING_METHODS:
                        note(base, Kind.STRING)
            case cst.Subscript(value=base, slice=elements):
                if len(elements) > 1 and any(_array_index(e.slice) for e in elements):
                    note(base, Kind.ARRAY)
                elif len(elements) == 1:
                    match elements[0].slice:
                        case cst.Slice(lower=low, upper=high, step=step):
                            for bound in (low, high, step):
                                if bound is not None:
                                    note(bound, Kind.SCALAR)
                        case cst.Index(value=cst.SimpleString()):
                            note(base, Kind.DICT)
                        case cst.Index(value=cst.Comparison()):
                            note(base, Kind.ARRAY)
            case cst.BinaryOperation(left=left, operator=cst.MatrixMultiply(), right=right):
                note(left, Kind.ARRAY)
                note(right, Kind.ARRAY)
            case cst.BinaryOperation(left=left, operator=operator, right=right):
                if not isinstance(operator, (cst.Add, cst.Modulo, cst.Multiply)) or _fractional(left) or _fractional(right):
                    arithmetic(left)
                    arithmetic(right)
            case cst.AugAssign(target=target, operator=operator, value=value):
                if isinstance(target, cst.Subscript):
                    if (key := paths.path_of(target.value)) is not None:
                        written.add(key)
                    if not isinstance(operator, (cst.AddAssign, cst.MultiplyAssign)) or _fractional(value):
                        arithmetic(target)
                        arithmetic(value)
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
                match value:
                    case cst.Name(value=other) | cst.Call(func=cst.Attribute(value=cst.Name(value=other), attr=cst.Name(value="copy")), args=[]):
                        copies.append((name, other))
            case cst.AssignTarget(target=cst.Subscript(value=base, slice=elements) as target):
                if (key := paths.path_of(base)) is not None:
                    written.add(key)
                    if isinstance(parent, cst.Assign) and isinstance(elements[0].slice, cst.Slice) and _is_arithmetic(parent.value):
                        note(base, Kind.ARRAY)
            case cst.Call(func=func, args=args):
                if (name := scopes.qualname(func)) is None:
                    continue
                if name == "builtins.range" or name.startswith("math."):
                    for arg in args:
                        note(arg.value, Kind.SCALAR)
                elif name.startswith("numpy.") and (entry := numpy_table.function(name)) is not None:
                    for position, arg in enumerate(args):
                        parameter = arg.keyword.value if arg.keyword else (entry.params[position] if position < len(entry.params) else "")
                        if parameter in entry.static and parameter in ("shape", "num", "N", "M", "n", "k"):
                            note(arg.value, Kind.SCALAR) if not isinstance(arg.value, cst.Tuple) else None
                            if isinstance(arg.value, cst.Tuple):
                                for element in arg.value.elements:
                                    note(element.value, Kind.SCALAR)
                        elif arg.star == "" and (position == 0 or entry.ufunc or parameter in entry.arrays):
                            note_numeric(arg.value)
    result: dict[str, Value] = {}
    for key, kinds in found.items():
        if len(kinds) == 1:
            kind = next(iter(kinds))
            result[key] = Value(kind, "int" if kind is Kind.SCALAR else "", 0 if kind is Kind.SCALAR else -1)
        elif kinds == {Kind.ARRAY, Kind.SCALAR}:
            result[key] = Value(Kind.UNKNOWN)
    for key in written & numeric:
        if key not in result and not found.get(key, NOTHING):
            result[key] = Value(Kind.ARRAY)
    for key in numeric - result.keys():
        result[key] = Value(number=True)
    for name, other in [*copies, *reversed(copies)]:  # a copy of an array is made of an array
        if other not in result and result.get(name, Value()).kind is Kind.ARRAY:
            result[other] = Value(Kind.ARRAY)
    return result


def _fractional(node: cst.BaseExpression) -> bool:
    """A number with a fraction: what it scales is no list."""
    match node:
        case cst.Float():
            return True
        case cst.UnaryOperation(expression=inner):
            return _fractional(inner)
    return False


def _is_arithmetic(node: cst.BaseExpression) -> bool:
    """Subtraction, division, scaling: what no list can do."""
    match node:
        case cst.BinaryOperation(operator=cst.Subtract() | cst.Divide() | cst.Power() | cst.MatrixMultiply()):
            return True
        case cst.BinaryOperation(left=left, right=right):
            return _fractional(left) or _fractional(right) or _is_arithmetic(left) or _is_arithmetic(right)
        case cst.UnaryOperation(operator=cst.Minus(), expression=inner):
            return _is_arithmetic(inner)
    return False


def _array_index(part: cst.BaseSlice) -> bool:
    match part:
        case cst.Slice() | cst.Index(value=cst.Ellipsis()) | cst.Index(value=cst.Name(value="None")):
            return True
        case cst.Index(value=cst.Attribute(attr=cst.Name(value="newaxis"))):
            return True
    return False
