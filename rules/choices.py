"""A choice between two values or two blocks as JAX writes it: `jnp.where` of both, or `lax.cond` of functions.

The blocks are rewritten already; their statements are put together here, and nothing is decided.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import libcst as cst

from . import functional
from .context import Context

NEUTRAL = {"add": "0", "subtract": "0", "multiply": "1", "divide": "1"}
LONGEST = 100  # columns of a line that holds two lambdas
Pairs = list[tuple[str, cst.BaseExpression]]


@dataclass(frozen=True, slots=True)
class Side:
    """A block of plain assignments. `first`: those to variables of its own, to be made whatever the test says. `values`: what
    it binds for later."""

    first: list[cst.BaseStatement] = field(default_factory=list)
    values: dict[str, cst.BaseExpression] = field(default_factory=dict)


def where(ctx: Context, test: cst.BaseExpression, yes: cst.BaseExpression, no: cst.BaseExpression) -> cst.BaseExpression:
    if yes.deep_equals(no):
        return yes
    return functional.call(functional.dotted(ctx.name_of("jax.numpy.where")[0]), test, yes, no)


def cond(ctx: Context, test: cst.BaseExpression, *others: cst.BaseExpression) -> cst.BaseExpression:
    return functional.call(functional.dotted(ctx.name_of("jax.lax.cond")[0]), test, *others)


def is_truth(test: cst.BaseExpression, ctx: Context) -> bool:
    """Whether a condition is a bool already."""
    if isinstance(test, (cst.Comparison, cst.BooleanOperation)) or ctx.value(test).dtype in ("bool", "bool_"):
        return True
    return isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not)


def enclosed(node: cst.BaseExpression) -> cst.BaseExpression:
    """In parentheses."""
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def beside(node: cst.BaseExpression, operator: cst.BaseBinaryOp) -> cst.BaseExpression:
    """An operand of `&` or `|`: in parentheses, unless it binds tighter."""
    if isinstance(node, cst.BinaryOperation) and not node.lpar and type(node.operator) is type(operator):
        return node
    tight = isinstance(node, cst.UnaryOperation) and not isinstance(node.operator, cst.Not)
    return node if tight else functional.operand(node)


def same(a: cst.BaseExpression | None, b: cst.BaseExpression | None) -> bool:
    """Whether two expressions are written alike, white space aside."""
    return a is not None and b is not None and "".join(code(a).split()) == "".join(code(b).split())


def code(node: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)


# --- plain assignments -----------------------------------------------------------------------------------------------------


def assignments(statement: cst.BaseSmallStatement) -> Pairs | None:
    """The variables that a statement binds with their values, at the same time; None for anything but such a statement."""
    match statement:
        case cst.Pass() | cst.Expr(value=cst.BaseString()):
            return []
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
            return [(name, value)]
        case cst.AnnAssign(target=cst.Name(value=name), value=cst.BaseExpression() as value):
            return [(name, value)]
        case cst.AugAssign(target=cst.Name(value=name), operator=operator, value=value):
            return [(name, functional.binary(cst.Name(name), operator, functional.bare(value)))]
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple(elements=left))], value=cst.Tuple(elements=right)) if len(
            left
        ) == len(right) and all(isinstance(e, cst.Element) for e in (*left, *right)):
            names = [e.value.value for e in left if isinstance(e.value, cst.Name)]
            if len(set(names)) == len(left):
                return list(zip(names, (e.value for e in right), strict=True))
    return None


def small(statements: Iterable[cst.CSTNode]) -> list[cst.BaseSmallStatement] | None:
    """The statements one by one; None where one of them is compound."""
    found: list[cst.BaseSmallStatement] = []
    for statement in statements:
        if not isinstance(statement, cst.SimpleStatementLine):
            return None
        found += statement.body
    return found


def side(statements: Sequence[cst.CSTNode], names: Sequence[str], others: Iterable[cst.CSTNode], ctx: Context) -> Side | None:
    """What a block of plain assignments binds; None where it is anything else, or binds a variable twice.

    `others`: what else is evaluated around it, and must not see its own variables.
    """
    parts = small(statements)
    if parts is None:
        return None
    read, bound = ctx.uses(others)
    found, own = Side(), set[str]()
    for part in parts:
        pairs = assignments(part)
        if pairs is None or ctx.uses(value for _n, value in pairs)[0] & found.values.keys():
            return None
        for name, value in pairs:
            if name in names:
                if name in found.values:
                    return None
                found.values[name] = value
            elif name in own or name in read or name in bound or len(pairs) > 1:
                return None
            else:
                own.add(name)
                found.first.append(assigned(name, value))
    return found


def assigned(name: str, value: cst.BaseExpression) -> cst.SimpleStatementLine:
    return functional.assigned((name,), value)


def together(pairs: Pairs) -> cst.SimpleStatementLine:
    """`a, b = x, y`."""
    values = functional.tuple_of([v for _n, v in pairs])
    return functional.assigned([n for n, _v in pairs], values if len(pairs) == 1 else functional.opened(values))


# --- `where` ---------------------------------------------------------------------------------------------------------------


class Stored(NamedTuple):
    """`x.at[parts].method(value)`."""

    parts: functional.Parts
    method: str
    value: cst.BaseExpression


def stored(name: str, value: cst.BaseExpression) -> Stored | None:
    match value:
        case cst.Call(
            func=cst.Attribute(
                value=cst.Subscript(value=cst.Attribute(value=cst.Name(value=base), attr=cst.Name(value="at")), slice=parts),
                attr=cst.Name(value=method),
            ),
            args=[cst.Arg(value=given, keyword=None)],
        ) if base == name and (method == "set" or method in NEUTRAL):
            return Stored(parts, method, given)
    return None


def same_place(a: Stored, b: Stored) -> bool:
    return a.method == b.method and code(cst.Subscript(cst.Name("x"), a.parts)) == code(cst.Subscript(cst.Name("x"), b.parts))


def chosen(ctx: Context, name: str, test: cst.BaseExpression, yes: cst.BaseExpression, no: cst.BaseExpression) -> Pairs:
    """What `name` is bound to, one after the other: `where` of both sides, within `.at` where a part of an array changes."""
    base = cst.Name(name)
    mine, theirs = stored(name, yes), stored(name, no)
    if mine is not None and theirs is not None and same_place(mine, theirs):
        return [(name, functional.at(base, mine.parts, mine.method, where(ctx, test, mine.value, theirs.value)))]
    unchanged = [isinstance(v, cst.Name) and v.value == name for v in (yes, no)]
    if (mine is None and not unchanged[0]) or (theirs is None and not unchanged[1]):
        return [(name, where(ctx, test, yes, no))]
    found: Pairs = []
    if mine is not None:
        found.append((name, functional.at(base, mine.parts, mine.method, where(ctx, test, mine.value, kept(base, mine)))))
    if theirs is not None:
        found.append((name, functional.at(base, theirs.parts, theirs.method, where(ctx, test, kept(base, theirs), theirs.value))))
    return found


def kept(base: cst.Name, change: Stored) -> cst.BaseExpression:
    """What is stored where nothing changes."""
    if change.method in NEUTRAL:
        return cst.Integer(NEUTRAL[change.method])
    return cst.Subscript(base, functional.clean(change.parts))


def merged(
    ctx: Context, names: Sequence[str], test: cst.BaseExpression, yes: Side, no: Side, condition: str
) -> list[cst.BaseStatement] | None:
    """Both sides computed, and what is bound chosen by the test; None where the order of the assignments forbids it.

    `condition`: the variable that holds the test where it is asked for more than once.
    """
    lines = [*yes.first, *no.first]
    pairs = choices_of(ctx, names, test, yes, no)
    if len(pairs) > 1 and not isinstance(test, cst.Name):
        condition = condition or ctx.local("condition")
        lines.insert(0, assigned(condition, test))
        pairs = choices_of(ctx, names, cst.Name(condition), yes, no)
    late = any(reads_earlier(pairs, at, ctx) for at in range(len(pairs)))
    if late and len({n for n, _v in pairs}) < len(pairs):
        return None
    return [*lines, together(pairs)] if late else [*lines, *(assigned(*pair) for pair in pairs)]


def choices_of(ctx: Context, names: Sequence[str], test: cst.BaseExpression, yes: Side, no: Side) -> Pairs:
    sides = ((n, yes.values.get(n, cst.Name(n)), no.values.get(n, cst.Name(n))) for n in names)
    return [pair for n, a, b in sides for pair in chosen(ctx, n, test, a, b)]


def reads_earlier(pairs: Pairs, at: int, ctx: Context) -> bool:
    """Whether a value reads another variable that is bound before it."""
    name, value = pairs[at]
    return bool(ctx.uses((value,))[0] & {n for n, _v in pairs[:at] if n != name})


def either(ctx: Context, names: Sequence[str], test: cst.BaseExpression, yes: Side, no: Side, condition: str) -> Side | None:
    """An `elif` as a side of the branch that it belongs to."""
    first = [*yes.first, *no.first]
    bound = [n for n in names if n in yes.values or n in no.values]
    asked = test
    if not isinstance(test, cst.Name) and len(bound) > 1:
        asked = cst.Name(condition)
        first.insert(0, assigned(condition, test))
    values = {}
    for name in bound:
        pairs = choices_of(ctx, (name,), asked, yes, no)
        if len(pairs) > 1:
            return None
        values[name] = pairs[0][1]
    return Side(first, values)


def predicated(
    ctx: Context, names: Sequence[str], test: cst.BaseExpression, statements: Sequence[cst.CSTNode], condition: str
) -> list[cst.BaseStatement] | None:
    """Every assignment of a block made where the test holds: `x = jnp.where(test, value, x)`, one after the other."""
    parts = small(statements)
    every = None if parts is None else [assignments(part) for part in parts]
    if every is None or any(pairs is None for pairs in every):
        return None
    bound = {name for pairs in every for name, _v in pairs or ()}
    if any(len(pairs or ()) > 1 and not {n for n, _v in pairs or ()} <= set(names) for pairs in every):
        return None
    made: list[cst.BaseStatement] = []
    if not isinstance(test, cst.Name) or test.value in bound:
        condition = condition or ctx.local("condition")
        made.append(assigned(condition, test))
        test = cst.Name(condition)
    for pairs in every:
        if pairs is not None and len(pairs) == 1 and pairs[0][0] not in names:
            made.append(assigned(*pairs[0]))
        elif pairs:
            every_pair = [pair for n, v in pairs for pair in chosen(ctx, n, test, v, cst.Name(n))]
            made += [together(every_pair)] if every_pair else []
    return made


# --- `cond` ----------------------------------------------------------------------------------------------------------------


def function(name: str, params: Sequence[str], body: Sequence[cst.BaseStatement]) -> cst.FunctionDef:
    return functional.apart(functional.function(name, params, body))


def lambda_of(params: Sequence[str], value: cst.BaseExpression) -> cst.Lambda:
    return cst.Lambda(cst.Parameters([cst.Param(cst.Name(p)) for p in params]), value)


def returned(values: Sequence[cst.BaseExpression]) -> cst.SimpleStatementLine:
    return functional.returned(functional.tuple_of(values))


def selected(
    ctx: Context,
    test: cst.BaseExpression,
    yes: Sequence[cst.BaseStatement],
    no: Sequence[cst.BaseStatement],
    operands: Sequence[str],
) -> tuple[list[cst.BaseStatement], cst.BaseExpression]:
    """`lax.cond` of two blocks that end with `return`: the functions that it takes, and the call."""
    short = [value_of(block) for block in (yes, no)]
    if short[0] is not None and short[1] is not None:
        call = cond(ctx, test, *(lambda_of((), value) for value in short if value is not None))
        if len(code(call)) <= LONGEST:
            return [], call
    named = [(ctx.label("then"), yes), (ctx.label("otherwise"), no)]
    functions = [function(name, operands, body) for name, body in named]
    return list(functions), cond(ctx, test, *(cst.Name(name) for name, _body in named), *map(cst.Name, operands))


def floated(node: cst.BaseExpression) -> cst.BaseExpression:
    """An integer that is written as one, as a floating-point number."""
    match node:
        case cst.Integer():
            return cst.Float(f"{node.evaluated_value}.0", lpar=node.lpar, rpar=node.rpar)
        case cst.UnaryOperation(expression=inner):
            return node.with_changes(expression=floated(inner))
    return node


def value_of(block: Sequence[cst.BaseStatement]) -> cst.BaseExpression | None:
    """The value of a block that does nothing but return it."""
    match list(block):
        case [cst.SimpleStatementLine(body=[cst.Return(value=cst.BaseExpression() as value)])]:
            if isinstance(value, cst.Tuple) and not value.lpar:
                return value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
            return value
    return None
