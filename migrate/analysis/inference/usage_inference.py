"""What a variable is, inferred from how it is used: `x.shape`, `x[1:, 0]`, `x @ y`, `range(n)` ..."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import libcst as cst

from ....rules import numpy_table
from ....rules.core.findings import Kind
from ....rules.facts.values import NOTHING, Value
from ...syntax.scopes import Scopes
from ..state.access_paths import path_of
from .number_usage import array_index, fractional, is_arithmetic, is_number, is_plain, is_product

ARRAY_DATA = frozenset("shape ndim dtype T itemsize nbytes flat".split())
ARRAY_METHODS = frozenset(
    "reshape astype ravel flatten dot transpose mean std var argmax argmin argsort cumsum cumprod clip squeeze swapaxes trace "
    "diagonal nonzero prod ptp searchsorted".split()
)
ARRAY_ATTRIBUTES = ARRAY_DATA | ARRAY_METHODS
PANDAS_TOO = frozenset(
    "shape ndim dtype T astype dot transpose mean std var argmax argmin cumsum cumprod clip nbytes prod".split()
)
REDUCTIONS = frozenset("max min sum any all round".split())  # other objects have methods of these names, too: `torch.max(x)`
AXES = ("axis", "keepdims", "decimals")  # arguments by which those of arrays are known
LIST_METHODS = frozenset("append extend insert pop remove index count sort reverse".split())
DICT_METHODS = frozenset("keys values items setdefault update popitem get".split())
STRING_METHODS = frozenset("lower upper split strip startswith endswith format join replace encode title".split())

MAKERS = frozenset(f"numpy.{n}" for n in ("zeros", "ones", "empty", "zeros_like", "ones_like", "empty_like"))
SIZES = ("shape", "num", "N", "M", "n", "k")
OF_INTEGERS = (cst.Add, cst.Subtract, cst.Multiply, cst.FloorDivide, cst.Modulo)  # an integer result needs integer operands
NO_LIST = (cst.Subtract, cst.Divide, cst.FloorDivide, cst.Power, cst.MatrixMultiply, cst.LeftShift, cst.RightShift)


@dataclass(slots=True)
class Usage:
    """How each variable and attribute path is used. `integers`: what Python requires to be an integer (a bound, a size)."""

    scopes: Scopes
    parents: Mapping[cst.CSTNode, cst.CSTNode | None]
    pandas: bool
    methods: frozenset[str]
    kinds: dict[str, set[Kind]] = field(default_factory=dict)
    integers: set[str] = field(default_factory=set)
    numeric: set[str] = field(default_factory=set)
    operands: set[str] = field(default_factory=set)  # operands of what lists do not support: a subtraction, a power
    written: set[str] = field(default_factory=set)
    copied: set[str] = field(default_factory=set)
    copies: list[tuple[str, str]] = field(default_factory=list)
    indices: list[tuple[str, cst.BaseExpression]] = field(default_factory=list)  # (index, what it indexes), of factors of `@`
    slices: dict[str, cst.BaseExpression] = field(default_factory=dict)  # variable -> what it is a slice of
    assigned: Counter[str] = field(default_factory=Counter)  # how often variables are assigned
    computed: list[tuple[str, cst.BaseExpression]] = field(default_factory=list)  # (variable, what it is bound to)
    stored: list[tuple[str, cst.BaseExpression]] = field(default_factory=list)  # (variable, what is stored in an item of it)
    made: set[str] = field(default_factory=set)  # variables that are bound to newly allocated arrays of numbers
    pairs: set[str] = field(default_factory=set)  # what is indexed by several numbers, as a list cannot be
    counted: set[str] = field(default_factory=set)  # arguments of `len`

    def note(self, node: cst.CSTNode, kind: Kind, integer: bool = False) -> None:
        if (key := key_of(node)) is not None:
            self.kinds.setdefault(key, set()).add(kind)
            if integer:
                self.integers.add(key)

    def array(self, node: cst.BaseExpression) -> None:
        """Note that an expression is an array: so is what it is a slice or a copy of."""
        while True:
            match node:
                case cst.Subscript(value=base, slice=parts) if any(type(e.slice) is cst.Slice for e in parts):
                    node = base
                case cst.Call(func=cst.Attribute(value=base, attr=cst.Name(value="copy")), args=[]):
                    node = base
                case _:
                    break
        self.note(node, Kind.ARRAY)

    def integer(self, node: cst.BaseExpression) -> None:
        """Note that Python requires an integer: so are the operands of its arithmetic, and those arguments of `min` and `max`
        that are arithmetic."""
        if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, OF_INTEGERS):
            self.integer(node.left)
            self.integer(node.right)
        elif isinstance(node, cst.UnaryOperation) and isinstance(node.operator, (cst.Minus, cst.Plus)):
            self.integer(node.expression)
        elif isinstance(node, cst.Call) and self.scopes.qualname(node.func) in ("builtins.min", "builtins.max"):
            for arg in node.args:  # a plain number may be infinity, and never the one selected
                if isinstance(arg.value, cst.BinaryOperation):
                    self.integer(arg.value)
        else:
            self.note(node, Kind.SCALAR, integer=True)

    def number(self, node: cst.BaseExpression) -> None:
        """Note that an expression is a number: so are the operands of its arithmetic, but for `@`."""
        if isinstance(node, cst.BinaryOperation) and not isinstance(node.operator, cst.MatrixMultiply):
            self.number(node.left)
            self.number(node.right)
        elif isinstance(node, cst.UnaryOperation):
            self.number(node.expression)
        else:
            self.note(node, Kind.SCALAR)

    def arithmetic(self, node: cst.CSTNode) -> None:
        """Note that an expression is subtracted, divided or scaled: a number or an array, not a list; a slice is an array's."""
        kind = type(node)
        if kind is cst.Name or kind is cst.Attribute:
            if (key := key_of(node)) is not None:
                self.numeric.add(key)
                self.operands.add(key)
        elif kind is cst.BinaryOperation:
            self.arithmetic(node.left)  # type: ignore[attr-defined]
            self.arithmetic(node.right)  # type: ignore[attr-defined]
        elif kind is cst.UnaryOperation:
            self.arithmetic(node.expression)  # type: ignore[attr-defined]
        elif kind is cst.Subscript and any(type(e.slice) is cst.Slice for e in node.slice):  # type: ignore[attr-defined]
            self.note(node.value, Kind.ARRAY)  # type: ignore[attr-defined]
        elif (key := key_of(node)) is not None:
            self.numeric.add(key)

    def stored_number(self, node: cst.BaseExpression) -> None:
        """Note that an expression is stored in an array of numbers: a number or an array; what it is an item of is an array."""
        match node:
            case cst.IfExp(body=body, orelse=orelse):
                self.stored_number(body)
                self.stored_number(orelse)
            case cst.UnaryOperation(expression=inner):
                self.stored_number(inner)
            case cst.Subscript(value=base) if all(type(e.slice) is cst.Index for e in node.slice):
                self.stored_number(base)
            case _ if (key := key_of(node)) is not None:
                self.numeric.add(key)


def key_of(node: cst.CSTNode) -> str | None:
    """The key of a variable, of an attribute path, or of an item with a string key: `params["w"]`."""
    match node if type(node) is cst.Subscript else None:
        case cst.Subscript(value=base, slice=[cst.SubscriptElement(slice=cst.Index(value=cst.SimpleString() as name))]):
            return None if (above := path_of(base)) is None else f"{above}[{name.evaluated_value!r}]"
    return path_of(node)


def usage(
    nodes: Iterable[cst.CSTNode],
    parents: Mapping[cst.CSTNode, cst.CSTNode | None],
    scopes: Scopes,
    pandas: bool,
    methods: frozenset[str],
) -> dict[str, Value]:
    """The kinds of the variables and attribute paths of a unit. `pandas`: `.shape`, `.T`, `.mean` may be a data frame's.
    `methods`: the names of the methods of the project's classes, which then do not indicate a list, a dict or a string."""
    seen = Usage(scopes, parents, pandas, methods)
    for node in nodes:
        if (look := _LOOK.get(type(node))) is not None:
            look(seen, node)
    for index, looked_up in seen.indices:
        if index in seen.slices:
            seen.note(seen.slices[index], Kind.ARRAY)
            seen.note(looked_up, Kind.ARRAY)
    for name, base in seen.slices.items():
        if seen.assigned[name] == 1 and (seen.kinds.get(name) == {Kind.ARRAY} or name in seen.operands):
            seen.array(base)
    for name, value in seen.stored:
        if name in seen.made:
            seen.stored_number(value)
    for name, other in reversed(seen.copies):
        if name in seen.numeric:
            seen.numeric.add(other)
    for name, value in reversed(seen.computed):
        if name in seen.integers and type(value) in (cst.BinaryOperation, cst.UnaryOperation, cst.Call):
            seen.integer(value)
    result: dict[str, Value] = {}
    for key, kinds in seen.kinds.items():
        if len(kinds) == 1:
            kind = next(iter(kinds))
            dtype = "int" if kind is Kind.SCALAR and key in seen.integers else ""
            result[key] = Value(kind, dtype, 0 if kind is Kind.SCALAR else -1)
        elif kinds == {Kind.ARRAY, Kind.SCALAR}:
            result[key] = Value(number=True)
    for key in sorted((seen.written | seen.copied) & seen.numeric):
        if key not in result and not seen.kinds.get(key, NOTHING):
            result[key] = Value(Kind.ARRAY)
    for name, other in seen.copies:
        if name in seen.pairs or other in seen.pairs:
            seen.pairs |= {name, other}
    if not pandas:
        arrays = seen.pairs & (seen.copied | seen.counted)  # code has no use for the length of a dict keyed by pairs
        arrays |= seen.operands & seen.counted  # a number has no length
        for key in sorted(arrays - result.keys()):
            if not seen.kinds.get(key, NOTHING):
                result[key] = Value(Kind.ARRAY)
    for key in sorted(seen.numeric - result.keys()):
        result[key] = Value(number=True)
    for name, other in [*seen.copies, *reversed(seen.copies)]:  # the source of a copy that is an array is an array, too
        if result.get(other, Value()).kind is Kind.UNKNOWN and result.get(name, Value()).kind is Kind.ARRAY:
            result[other] = Value(Kind.ARRAY)
    return result


def _attribute(seen: Usage, node: cst.Attribute) -> None:
    attr = node.attr.value
    if attr == "ndim" and isinstance(comparison := seen.parents.get(node), cst.Comparison):
        if isinstance(seen.parents.get(comparison), cst.Assert):
            return  # no evidence: the argument may be a list, which is converted to an array first
    parent = seen.parents.get(node)
    call = parent if isinstance(parent, cst.Call) and parent.func is node else None
    # `stats.mean` without a call is the data of some other object, as is `point.x`
    if attr in ARRAY_DATA or (call is not None and attr in ARRAY_METHODS):
        if not (seen.pandas and attr in PANDAS_TOO):
            seen.array(node.value)
        return
    if call is None:
        return
    if attr in REDUCTIONS and not seen.pandas and reduces(call) and seen.scopes.qualname(node) is None:
        seen.array(node.value)
    elif attr == "copy" and not call.args and (key := key_of(node.value)) is not None:
        seen.copied.add(key)
    elif attr in seen.methods:
        return  # the object may be an instance of a class of the project
    elif attr in DICT_METHODS:
        seen.note(node.value, Kind.DICT)
    elif attr in LIST_METHODS and attr not in ("sort", "index", "count"):
        seen.note(node.value, Kind.LIST)
    elif attr in STRING_METHODS:
        seen.note(node.value, Kind.STRING)


def reduces(call: cst.Call) -> bool:
    """Whether the arguments of a call are those of a reduction of an array: none, or an axis."""
    return all(
        arg.keyword.value in AXES if arg.keyword is not None else isinstance(arg.value, (cst.Integer, cst.UnaryOperation))
        for arg in call.args
    )


def _subscript(seen: Usage, node: cst.Subscript) -> None:
    labels = type(node.value) is cst.Attribute and node.value.attr.value == "loc"  # of pandas, of any type
    for bound in (
        b for e in node.slice if type(e.slice) is cst.Slice and not labels for b in (e.slice.lower, e.slice.upper, e.slice.step)
    ):
        if bound is not None:
            seen.integer(bound)
    if len(node.slice) > 1:
        if any(array_index(e.slice) for e in node.slice):
            seen.note(node.value, Kind.ARRAY)
        elif all(is_plain(e.slice) for e in node.slice) and (key := key_of(node.value)) is not None:
            seen.pairs.add(key)
        return
    part = node.slice[0].slice
    if type(part) is cst.Index:
        if type(part.value) is cst.SimpleString:
            seen.note(node.value, Kind.DICT)
        elif type(part.value) in (cst.Comparison, cst.List):  # neither a list nor a dict accepts a list as an index
            seen.note(node.value, Kind.ARRAY)


def _binary(seen: Usage, node: cst.BinaryOperation) -> None:
    if type(node.operator) is cst.MatrixMultiply:
        for side in (node.left, node.right):
            seen.note(side, Kind.ARRAY)
            _looked_up(seen, side)
    elif (
        isinstance(node.operator, NO_LIST)
        or fractional(node.left)
        or fractional(node.right)
        or (type(node.operator) is cst.Add and (is_number(node.left) or is_number(node.right)))
    ):
        seen.arithmetic(node.left)
        seen.arithmetic(node.right)


def _looked_up(seen: Usage, node: cst.BaseExpression) -> None:
    """Note a factor that is a variable, or `x[index]`: where the variable or the index is a slice, all of them are arrays."""
    match node:
        case cst.Name(value=name):
            seen.indices.append((name, node))
        case cst.Subscript(value=base, slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Name(value=name)))]):
            seen.indices.append((name, base))


def _looked_up_by_slice(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """The `x` of `x[index[i:j]]`."""
    match node:
        case cst.Subscript(
            value=base,
            slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Slice())])))],
        ):
            return base
    return None


def _comparison(seen: Usage, node: cst.Comparison) -> None:
    """Note that `x` in `x > 0` is a number or an array."""
    ordered = (cst.LessThan, cst.GreaterThan, cst.LessThanEqual, cst.GreaterThanEqual)
    parts = [node.left, *(c.comparator for c in node.comparisons)]
    if all(isinstance(c.operator, ordered) for c in node.comparisons) and any(is_number(p) for p in parts):
        for part in parts:
            seen.arithmetic(part)


def _augmented(seen: Usage, node: cst.AugAssign) -> None:
    if type(node.target) is not cst.Subscript:
        return
    if (key := key_of(node.target.value)) is not None:
        seen.written.add(key)
    if len(node.target.slice) > 1 and is_product(node.value):
        seen.note(node.target.value, Kind.ARRAY)
    if not isinstance(node.operator, (cst.AddAssign, cst.MultiplyAssign)) or fractional(node.value):
        seen.arithmetic(node.target)
        seen.arithmetic(node.value)


def _assign(seen: Usage, node: cst.Assign) -> None:
    for target in node.targets:
        if type(target.target) is cst.Subscript and (key := key_of(target.target.value)) is not None:
            seen.written.add(key)
            seen.stored.append((key, node.value))
            if type(target.target.slice[0].slice) is cst.Slice and is_arithmetic(node.value):
                seen.note(target.target.value, Kind.ARRAY)
    first = node.targets[0].target
    if type(first) is cst.Tuple and type(node.value) is cst.Tuple and len(first.elements) == len(node.value.elements):
        pairs = [(t.value, e.value) for t, e in zip(first.elements, node.value.elements, strict=True)]
        seen.computed += [(target.value, value) for target, value in pairs if type(target) is cst.Name]
    if type(first) is cst.Name:
        value = node.value
        seen.assigned[first.value] += 1
        if type(value) is cst.Subscript and len(value.slice) == 1 and type(value.slice[0].slice) is cst.Slice:
            seen.slices[first.value] = value.value
        if type(value) is cst.Call and type(value.func) is cst.Attribute and value.func.attr.value == "copy" and not value.args:
            value = value.func.value
        seen.computed.append((first.value, value))
        if type(value) is cst.Call and _makes_numbers(seen, value):
            seen.made.add(first.value)
        if type(value) is cst.Name:
            seen.copies.append((first.value, value.value))


def _call(seen: Usage, node: cst.Call) -> None:
    if (name := seen.scopes.qualname(node.func)) is None:
        return
    if name == "builtins.range" or name.startswith("math."):
        for arg in node.args:
            if name == "builtins.range":
                seen.integer(arg.value)
            else:
                seen.number(arg.value)
        return
    if name == "builtins.len" and len(node.args) == 1 and (key := key_of(node.args[0].value)) is not None:
        seen.counted.add(key)
    if not name.startswith("numpy.") or (entry := numpy_table.function(name)) is None:
        return
    for position, arg in enumerate(node.args):
        parameter = arg.keyword.value if arg.keyword else (entry.params[position] if position < len(entry.params) else "")
        if parameter in entry.static and parameter in SIZES:
            sizes = [e.value for e in arg.value.elements] if type(arg.value) is cst.Tuple else [arg.value]
            for size in sizes:
                if parameter != "shape" or type(arg.value) is cst.Tuple:
                    seen.integer(size)
        elif arg.star == "" and (position == 0 or entry.ufunc or parameter in entry.arrays):
            if (key := key_of(arg.value)) is not None:
                seen.numeric.add(key)
            elif not entry.sequences and (base := _looked_up_by_slice(arg.value)) is not None:
                seen.note(base, Kind.ARRAY)


_LOOK: dict[type, Callable[[Usage, Any], None]] = {
    cst.Attribute: _attribute,
    cst.Subscript: _subscript,
    cst.BinaryOperation: _binary,
    cst.AugAssign: _augmented,
    cst.Comparison: _comparison,
    cst.Assign: _assign,
    cst.Call: _call,
}


def _makes_numbers(seen: Usage, node: cst.Call) -> bool:
    """Whether a call is `np.zeros(...)` or the like, without a dtype of other objects."""
    given = [a.value for a in node.args[1:] if a.keyword is None or a.keyword.value == "dtype"]
    return seen.scopes.qualname(node.func) in MAKERS and not any(
        type(v) is cst.SimpleString or (type(v) is cst.Name and v.value in ("object", "str")) for v in given
    )
