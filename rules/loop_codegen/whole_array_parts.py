"""Small parts of code on whole arrays: assignments, dtypes, tuples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ..context import Context
from ..core import dtypes
from ..dtypes.jax_dtypes import dtype_name, keeps_width
from ..syntax import builders, comments
from ..syntax.tree import children


def is_cast(node: cst.BaseExpression, dtype: cst.BaseExpression) -> bool:
    """Whether a value has already been cast to the dtype."""
    match node:
        case cst.Call(func=cst.Attribute(attr=cst.Name(value="astype")), args=[cst.Arg(value=found)]):
            return found.deep_equals(dtype)
    return False


def accumulated(start: str, given: str, ctx: Context) -> cst.BaseExpression | None:
    """The dtype of the sum over all iterations, where that is floating-point and `jnp.sum` of the operands would have another
    one.

    Integers of up to 32 bits are summed in 64, which is exact.
    """
    made = dtypes.promote(start, given)
    if not made or dtypes.is_weak(given) or dtypes.category(made) < 2 or dtypes.category(given) == 0:
        return None
    if dtypes.category(given) == 1 and given not in ("int64", "uint64") and (dtypes.is_weak(start) or start == made):
        return None
    if made == given or not keeps_width(made, ctx):
        return None
    return builders.dotted(dtype_name(made, ctx))


def made_dtype(made: cst.SimpleStatementLine, ctx: Context) -> cst.BaseExpression:
    """The dtype of the array that `np.zeros(n)` or `np.empty_like(x)` creates."""
    statement = made.body[0]
    assert isinstance(statement, cst.Assign) and isinstance(statement.value, cst.Call)
    call = statement.value
    for number, argument in enumerate(call.args):
        if argument.keyword.value == "dtype" if argument.keyword is not None else number == 1:
            return builders.bare(ctx.rewritten(argument.value))
    if (ctx.qualname(call.func) or "").endswith("_like"):
        return cst.Attribute(builders.operand(ctx.rewritten(call.args[0].value)), cst.Name("dtype"))
    return cst.Name("float")


def several(statements: Sequence[cst.Assign]) -> object:
    return statements[0] if len(statements) == 1 else cst.FlattenSentinel(statements)


def in_place_of(branch: cst.CSTNode, statements: Sequence[cst.Assign]) -> cst.FlattenSentinel[cst.BaseStatement]:
    """Statements that replace a branch, below its comments."""
    first, *rest = map(line_of, statements)
    return cst.FlattenSentinel([first.with_changes(leading_lines=[*comments.of_branch(branch)]), *rest])


def bound_to(name: str, value: cst.BaseExpression) -> cst.Assign:
    return cst.Assign([cst.AssignTarget(cst.Name(name))], builders.bare(value))


def is_slice(node: cst.BaseExpression) -> bool:
    """Whether an expression is a variable or a part of one, which may be repeated."""
    return isinstance(node, cst.Name) or (isinstance(node, cst.Subscript) and isinstance(node.value, cst.Name))


def line_of(statement: cst.BaseSmallStatement) -> cst.SimpleStatementLine:
    return cst.SimpleStatementLine([statement])


def tuple_display(nodes: Sequence[cst.BaseExpression]) -> cst.Tuple:
    return cst.Tuple([cst.Element(n) for n in nodes])


def named_in(root: cst.CSTNode, name: str) -> list[cst.Name]:
    """The occurrences of a variable in a piece of code."""
    return [n for n in nodes(root) if isinstance(n, cst.Name) and n.value == name]


def nodes(root: cst.CSTNode) -> Iterator[cst.CSTNode]:
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(children(node))
