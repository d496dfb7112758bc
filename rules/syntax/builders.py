"""Builders of syntax, and in-place changes in functional form: lenses from a value to the part of it that changes.

`put(base, steps, leaf)` builds the whole after `leaf` has changed the part to which `steps` lead; it follows the law of lenses
put(a, [s, t], v) = put(a, [s], put(get(a, s), [t], v)), and writes it as JAX users do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import libcst as cst

from ..core.findings import Statement
from .tree import children

Line = TypeVar("Line", bound=Statement)
Leaf = Callable[[cst.BaseExpression], cst.BaseExpression]
ACCUMULATE = {
    cst.AddAssign: "add",
    cst.SubtractAssign: "subtract",
    cst.MultiplyAssign: "multiply",
    cst.DivideAssign: "divide",
    cst.PowerAssign: "power",
}
BINARY: dict[type[cst.BaseAugOp], type[cst.BaseBinaryOp]] = {
    cst.AddAssign: cst.Add,
    cst.SubtractAssign: cst.Subtract,
    cst.MultiplyAssign: cst.Multiply,
    cst.DivideAssign: cst.Divide,
    cst.PowerAssign: cst.Power,
    cst.FloorDivideAssign: cst.FloorDivide,
    cst.ModuloAssign: cst.Modulo,
    cst.MatrixMultiplyAssign: cst.MatrixMultiply,
    cst.BitAndAssign: cst.BitAnd,
    cst.BitOrAssign: cst.BitOr,
    cst.BitXorAssign: cst.BitXor,
    cst.LeftShiftAssign: cst.LeftShift,
    cst.RightShiftAssign: cst.RightShift,
}
Parts = Sequence[cst.SubscriptElement]


def call(function: cst.BaseExpression, *args: cst.BaseExpression) -> cst.Call:
    return cst.Call(function, [cst.Arg(shut(bare(a))) for a in args])


def method(base: cst.BaseExpression, name: str, *args: cst.BaseExpression) -> cst.Call:
    return call(cst.Attribute(operand(base), cst.Name(name)), *args)


def quoted(names: Sequence[str]) -> str:
    """Names as jit expects them: `"n"`, or `("n", "axis")`."""
    written = ", ".join(f'"{name}"' for name in names)
    return written if len(names) == 1 else f"({written})"


def dotted(name: str) -> cst.BaseExpression:
    """The syntax of a dotted name, or of another short expression."""
    first, *rest = name.split(".")
    if not all(part.isidentifier() for part in (first, *rest)):
        return cst.parse_expression(name)
    made: cst.BaseExpression = cst.Name(first)
    for part in rest:
        made = cst.Attribute(made, cst.Name(part))
    return made


def bare(node: cst.BaseExpression) -> cst.BaseExpression:
    """Without the parentheses that an argument does not need. Those of a generator or a walrus remain, as do those of an
    expression that spans several lines: they may be needed to join these."""
    if isinstance(node, (cst.GeneratorExp, cst.NamedExpr, cst.Yield, cst.Tuple)) or not getattr(node, "lpar", ()):
        return node
    made = node.with_changes(lpar=(), rpar=())
    return node if "\n" in cst.Module([]).code_for_node(made) else made


def operand(node: cst.BaseExpression) -> cst.BaseExpression:
    """In parentheses where an operator or an attribute would bind more tightly."""
    if isinstance(node, (cst.Name, cst.Attribute, cst.Subscript, cst.Call, cst.List, cst.Dict)) or bool(
        getattr(node, "lpar", None)
    ):
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def binary(left: cst.BaseExpression, operator: cst.BaseAugOp, right: cst.BaseExpression) -> cst.BinaryOperation:
    """`left op right` for `left op= right`; the right operand in parentheses where its operator binds no more tightly."""
    made = BINARY[type(operator)]()
    return cst.BinaryOperation(left, made, right if tighter(right, made) else operand(right))


def bound_last(statement: cst.BaseSmallStatement, names: Sequence[str]) -> cst.BaseExpression | None:
    """The value that a statement binds to the only variable of `names`."""
    match statement:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value) if [name] == list(names):
            return value
        case cst.AugAssign(target=cst.Name(value=name) as target, operator=operator, value=value) if [name] == list(names):
            return binary(target, operator, value)
    return None


_PRECEDENCE: tuple[tuple[type[cst.CSTNode], ...], ...] = (
    (cst.BitOr,),
    (cst.BitXor,),
    (cst.BitAnd,),
    (cst.LeftShift, cst.RightShift),
    (cst.Add, cst.Subtract),
    (cst.Multiply, cst.Divide, cst.FloorDivide, cst.Modulo, cst.MatrixMultiply),
    (cst.Power,),
)


def _level(operator: cst.CSTNode) -> int:
    return next(i for i, group in enumerate(_PRECEDENCE) if isinstance(operator, group))


def tighter(node: cst.BaseExpression, operator: cst.BaseBinaryOp) -> bool:
    if isinstance(node, cst.BinaryOperation):
        return bool(node.lpar) or _level(node.operator) > _level(operator)
    return isinstance(
        node, (cst.Name, cst.Attribute, cst.Subscript, cst.Call, cst.Integer, cst.Float, cst.Imaginary, cst.List)
    ) or bool(getattr(node, "lpar", ()))


def negative(node: cst.BaseExpression) -> cst.BaseExpression:
    """`-node`, without unneeded parentheses."""
    match node:
        case cst.UnaryOperation(operator=cst.Minus(), expression=inner):
            return inner
        case cst.Name() | cst.Attribute() | cst.Subscript() | cst.Call() | cst.Integer() | cst.Float():
            return cst.UnaryOperation(cst.Minus(), node)
    return cst.UnaryOperation(cst.Minus(), operand(node))


def at(base: cst.BaseExpression, parts: Parts, name: str, value: cst.BaseExpression) -> cst.Call:
    """`base.at[parts].name(value)`."""
    return method(cst.Subscript(cst.Attribute(operand(base), cst.Name("at")), clean(parts)), name, value)


def clean(parts: Parts) -> list[cst.SubscriptElement]:
    made = [p.with_changes(comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))) for p in parts]
    made[-1] = made[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return made


def flat(parts: Parts) -> list[cst.SubscriptElement]:
    """The parts of a subscript, with a tuple in it unpacked: x[(i, j)] is x[i, j]."""
    match parts:
        case [cst.SubscriptElement(slice=cst.Index(value=cst.Tuple(elements=elements)))]:
            if elements and not any(isinstance(e, cst.StarredElement) for e in elements):
                return [cst.SubscriptElement(cst.Index(e.value)) for e in elements]
    return list(parts)


def whole(parts: Parts) -> bool:
    """Whether a subscript selects everything: x[:], x[...]."""
    match list(parts):
        case [cst.SubscriptElement(slice=cst.Slice(lower=None, upper=None, step=None))]:
            return True
        case [cst.SubscriptElement(slice=cst.Index(value=cst.Ellipsis()))]:
            return True
    return False


def plain(parts: Parts) -> bool:
    """Whether every part is a literal or simple integer index: each drops an axis, so that a second subscript may be appended."""
    return all(
        isinstance(p.slice, cst.Index)
        and isinstance(p.slice.value, (cst.Integer, cst.Name, cst.UnaryOperation, cst.BinaryOperation))
        and not (isinstance(p.slice.value, cst.Name) and p.slice.value.value == "None")
        for p in parts
    )


def put(
    base: cst.BaseExpression,
    steps: Sequence[cst.BaseExpression],
    leaf: Leaf,
    store: Callable[[cst.BaseExpression, Parts], cst.BaseExpression],
    integers: Callable[[Parts], bool],
    complex_of: str = "lax.complex",
    device: Leaf = lambda made: made,
) -> cst.BaseExpression:
    """The whole after a change.

    `store(b, parts)`: `b` with the change made at a last subscript. `leaf(b)`: `b` changed as a whole.
    `integers(parts)`: whether a subscript consists of integers only, so that two subscripts can be merged.
    `complex_of`: how the file spells jax.lax.complex, which combines the real and the imaginary part again.
    `device(b)`: `b` as an array that is certainly a jax.Array.
    Steps that are calls are method calls.
    """

    def inside(inner: cst.BaseExpression) -> cst.BaseExpression:
        return put(inner, rest, leaf, store, integers, complex_of, device)

    if not steps:
        return leaf(base)
    first, rest = steps[0], steps[1:]
    if isinstance(first, cst.Subscript):
        parts = flat(first.slice)
        while rest and isinstance(rest[0], cst.Subscript) and (integers(parts) or whole(rest[0].slice)):
            parts = parts if whole(rest[0].slice) else [*parts, *flat(rest[0].slice)]
            rest = rest[1:]
        if not rest:
            return store(base, parts)
        return at(device(base), parts, "set", inside(cst.Subscript(operand(base), clean(parts))))
    shape = cst.Attribute(operand(base), cst.Name("shape"))
    if isinstance(first, cst.Attribute):
        name = first.attr.value
        inner = cst.Attribute(operand(base), cst.Name(name))
        if name in ("T", "mT"):
            return cst.Attribute(operand(inside(inner)), cst.Name(name))
        if name == "flat":
            return method(inside(method(base, "ravel")), "reshape", shape)
        real, imag = cst.Attribute(operand(base), cst.Name("real")), cst.Attribute(operand(base), cst.Name("imag"))
        return call(dotted(complex_of), inside(real), imag) if name == "real" else call(dotted(complex_of), real, inside(imag))
    assert isinstance(first, cst.Call) and isinstance(first.func, cst.Attribute)
    name = first.func.attr.value
    changed = inside(first.with_changes(func=cst.Attribute(operand(base), cst.Name(name))))
    if name == "swapaxes":
        return cst.Call(cst.Attribute(operand(changed), cst.Name(name)), first.args)
    if name == "transpose":
        return method(changed, name, *inverse(first))
    return method(changed, "reshape", shape)


def is_new_axis(part: cst.BaseSlice) -> bool:
    """Whether a part of a subscript adds an axis: None, np.newaxis."""
    match part:
        case cst.Index(value=cst.Name(value="None" | "newaxis") | cst.Attribute(attr=cst.Name(value="newaxis"))):
            return True
    return False


def has_comment(*nodes: cst.CSTNode) -> bool:
    """Whether some syntax contains a comment, which would be lost with it."""
    return any("#" in cst.Module([]).code_for_node(node) for node in nodes)


def with_keyword(made: cst.Call, name: str, value: cst.BaseExpression) -> cst.Call:
    """A call with one more keyword argument."""
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    before = [a.with_changes(comma=comma) for a in made.args]
    return made.with_changes(args=[*before, cst.Arg(value, cst.Name(name), equal)])


def inverse(transpose: cst.Call) -> list[cst.BaseExpression]:
    """The arguments that undo a transpose. Raises ValueError unless its axes are non-negative literals."""
    arguments = [a.value for a in transpose.args]
    if len(arguments) == 1 and isinstance(arguments[0], (cst.Tuple, cst.List)):
        arguments = [e.value for e in arguments[0].elements]
    if not all(isinstance(a, cst.Integer) for a in arguments):
        raise ValueError("axes that are not written out")
    axes = [int(a.value) for a in arguments if isinstance(a, cst.Integer)]
    return [cst.Integer(str(axes.index(i))) for i in range(len(axes))]


def tuple_of(values: Sequence[cst.BaseExpression]) -> cst.BaseExpression:
    """One value alone, or the values as a tuple in parentheses."""
    return values[0] if len(values) == 1 else cst.Tuple([cst.Element(shut(bare(v))) for v in values])


def named(names: Sequence[str]) -> cst.BaseExpression:
    """One name alone, or the names as a tuple in parentheses."""
    return tuple_of([cst.Name(name) for name in names])


def enclosed(node: cst.BaseExpression) -> cst.BaseExpression:
    """A tuple in parentheses."""
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()]) if isinstance(node, cst.Tuple) else node


def shut(node: cst.BaseExpression) -> cst.BaseExpression:
    """A tuple in parentheses, as an argument or as a part of another one."""
    return enclosed(node) if isinstance(node, cst.Tuple) and not node.lpar else node


def opened(node: cst.BaseExpression) -> cst.BaseExpression:
    """A tuple without its parentheses, as written on either side of `=` or after `return`."""
    return node.with_changes(lpar=[], rpar=[]) if isinstance(node, cst.Tuple) and node.elements else node


def bound(target: cst.BaseExpression, value: cst.BaseExpression) -> cst.SimpleStatementLine:
    """`target = value`, where the target is a name or a tuple."""
    target = opened(target)
    assert isinstance(target, (cst.Name, cst.Tuple, cst.List))
    return cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(target)], bare(value))])


def assigned(names: Sequence[str], value: cst.BaseExpression) -> cst.SimpleStatementLine:
    """`a, b = value`."""
    return bound(named(names), value)


def returned(value: cst.BaseExpression) -> cst.SimpleStatementLine:
    """`return value`."""
    return cst.SimpleStatementLine([cst.Return(opened(value))])


def function(name: str, params: Sequence[str], body: Sequence[cst.BaseStatement]) -> cst.FunctionDef:
    """`def name(params): body`, with an empty line before nested functions."""
    placed = [spaced_by_one(s) if k and isinstance(s, cst.FunctionDef) else s for k, s in enumerate(body)]
    return cst.FunctionDef(cst.Name(name), cst.Parameters([cst.Param(cst.Name(p)) for p in params]), cst.IndentedBlock(placed))


def spaced_by_one(statement: cst.FunctionDef) -> cst.FunctionDef:
    """With one empty line before it and its comments."""
    comments = [line for line in statement.leading_lines if line.comment is not None]
    return statement.with_changes(leading_lines=[cst.EmptyLine(indent=False), *comments])


def spaced(statement: Line) -> Line:
    """With an empty line before it, and no comment."""
    return statement.with_changes(leading_lines=[cst.EmptyLine(indent=False)])  # type: ignore[return-value]


def passes(statement: cst.CSTNode) -> bool:
    """Whether a statement is `pass`."""
    return isinstance(statement, cst.SimpleStatementLine) and all(isinstance(s, cst.Pass) for s in statement.body)


def lines(body: cst.BaseSuite) -> list[cst.BaseStatement]:
    """The statements of a body; those after the colon on lines of their own."""
    if isinstance(body, cst.SimpleStatementSuite):
        return [cst.SimpleStatementLine([s.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]) for s in body.body]
    return list(body.body)  # type: ignore[arg-type]


def names(node: cst.CSTNode) -> set[str]:
    """Every name in a piece of code."""
    found: set[str] = set()
    stack = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, cst.Name):
            found.add(item.value)
        stack.extend(children(item))
    return found


def summed(call: cst.BaseExpression) -> cst.BaseExpression:
    """The operand of `np.sum(x)` or `x.sum()`."""
    assert isinstance(call, cst.Call)
    return call.args[0].value if call.args else cst.ensure_type(call.func, cst.Attribute).value


def axes_shown(parts: Iterable[cst.SubscriptElement]) -> list[cst.SubscriptElement]:
    """The subscript that adds the new axes of another one to the result of the rest of it; empty where it adds none."""
    every = cst.SubscriptElement(cst.Slice(None, None))
    made = [
        every if isinstance(p.slice, cst.Slice) else p for p in parts if isinstance(p.slice, cst.Slice) or is_new_axis(p.slice)
    ]
    while whole(made[-1:]):
        made.pop()
    return made


def integer(value: int) -> cst.BaseExpression:
    number = cst.Integer(str(abs(value)))
    return number if value >= 0 else cst.UnaryOperation(cst.Minus(), number)


def keyword(name: str, value: cst.BaseExpression) -> cst.Arg:
    """`name=value` among the arguments of a call."""
    return cst.Arg(value, cst.Name(name), cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace("")))


def gone(_made: cst.CSTNode) -> cst.RemovalSentinel:
    """The edit that removes a node."""
    return cst.RemoveFromParent()


def replaced(node: cst.BaseExpression, values: Mapping[str, cst.BaseExpression]) -> cst.BaseExpression:
    """An expression with variables replaced by other expressions."""
    made = node.visit(Replacing(values))
    assert isinstance(made, cst.BaseExpression)
    return made


class Replacing(cst.CSTTransformer):
    """Leaves attribute names and keywords unchanged."""

    def __init__(self, values: Mapping[str, cst.BaseExpression]) -> None:
        super().__init__()
        self.values = values

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        value = self.values.get(original_node.value)
        return updated_node if value is None else value.deep_clone()
