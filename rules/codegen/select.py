"""How a select between two values or two (rewritten) blocks is written: `jnp.where` of both, or `lax.cond` of functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import libcst as cst

from ..context import Context
from ..core.dtypes import category
from ..syntax import builders
from ..syntax.source_text import verbatim
from ..syntax.tree import walk
from .element_stores import Stored, kept, same_paths, stored, written

LONGEST = 100  # columns of a line with two lambdas
SHORT = 16  # columns of a test that may be repeated
Pairs = list[tuple[str, cst.BaseExpression]]


@dataclass(frozen=True, slots=True)
class Arm:
    """A block of plain assignments. `first`: those to local variables, executed unconditionally. `values`: what it binds for
    later code."""

    first: list[cst.BaseStatement] = field(default_factory=list)
    values: dict[str, cst.BaseExpression] = field(default_factory=dict)


def where(
    ctx: Context, test: cst.BaseExpression, yes: cst.BaseExpression, no: cst.BaseExpression, tuples: bool = False
) -> cst.BaseExpression:
    """`jnp.where`, applied to each element of tuples. `tuples`: both are tuples, whatever their syntax."""
    if yes.deep_equals(no):
        return yes
    name = builders.dotted(ctx.names.name_of("jax.numpy.where")[0])
    if not tuples and not (_holds_tuple(yes, ctx) or _holds_tuple(no, ctx)):
        return builders.call(name, test, yes, no)
    pairs = parts_of(yes, no)
    if pairs is not None and (isinstance(test, cst.Name) or times(yes, no) < 2 or (times(yes, no) == 2 and is_short(test))):
        return cst.Tuple([cst.Element(builders.bare(where(ctx, test, a, b))) for a, b in pairs])
    chooses = builders.call(builders.dotted(ctx.names.name_of("functools.partial")[0]), name, test)
    return builders.call(builders.dotted(ctx.names.name_of("jax.tree.map")[0]), chooses, yes, no)


def imports_of(ctx: Context, tuples: bool) -> frozenset[str]:
    """The imports that a select of two values, or of two tuples, may need."""
    names = [
        "jax.numpy.where",
        "jax.numpy.logical_not",
        "jax.lax.cond",
        *(("jax.tree.map", "functools.partial") if tuples else ()),
    ]
    return frozenset[str]().union(*(ctx.names.name_of(name)[1] for name in names))


def is_short(test: cst.BaseExpression) -> bool:
    """Whether a test is short enough to be repeated."""
    return len(verbatim(test)) <= SHORT


def _holds_tuple(node: cst.BaseExpression, ctx: Context) -> bool:
    return isinstance(node, cst.Tuple) or (isinstance(node, cst.Name) and ctx.flow.may_be_tuple(node.value))


def parts_of(yes: cst.BaseExpression, no: cst.BaseExpression) -> list[tuple[cst.BaseExpression, cst.BaseExpression]] | None:
    """The pairs of elements of two tuples, of which one is a display, and the other a display or a variable; None for others."""
    match yes, no:
        case cst.Tuple(), cst.Tuple() if len(yes.elements) != len(no.elements):
            return None
        case cst.Tuple(elements=elements), (cst.Tuple() | cst.Name()):
            pass
        case cst.Name(), cst.Tuple(elements=elements):
            pass
        case _:
            return None
    if any(isinstance(e, cst.StarredElement) for arm in (yes, no) if isinstance(arm, cst.Tuple) for e in arm.elements):
        return None
    return [(_part(yes, at), _part(no, at)) for at in range(len(elements))]


def _part(node: cst.BaseExpression, at: int) -> cst.BaseExpression:
    if isinstance(node, cst.Tuple):
        return node.elements[at].value
    return cst.Subscript(node.deep_clone(), [cst.SubscriptElement(cst.Index(builders.integer(at)))])


def times(yes: cst.BaseExpression, no: cst.BaseExpression) -> int:
    """How often `where` of two values evaluates the test."""
    if yes.deep_equals(no):
        return 0
    pairs = parts_of(yes, no)
    return 1 if pairs is None else sum(times(*pair) for pair in pairs)


def cond(ctx: Context, test: cst.BaseExpression, *others: cst.BaseExpression) -> cst.BaseExpression:
    return builders.call(builders.dotted(ctx.names.name_of("jax.lax.cond")[0]), test, *others)


def is_truth(test: cst.BaseExpression, ctx: Context) -> bool:
    """Whether a condition already is a bool."""
    if isinstance(test, (cst.Comparison, cst.BooleanOperation)) or category(ctx.value(test).dtype) == 0:
        return True
    return isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not)


def python_truth(test: cst.BaseExpression, made: cst.BaseExpression, ctx: Context) -> cst.BaseExpression:
    """A condition that Python knows as a bool, also where a caller passes 1 for True. `test`: the original one."""
    plain = isinstance(test, cst.Name) or not is_truth(test, ctx)
    return builders.call(cst.Name("bool"), made) if plain else made


def enclosed(node: cst.BaseExpression) -> cst.BaseExpression:
    """In parentheses."""
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def bitwise_operand(node: cst.BaseExpression, operator: cst.BaseBinaryOp) -> cst.BaseExpression:
    """An operand of `&` or `|`: in parentheses, unless it binds more tightly."""
    if isinstance(node, cst.BinaryOperation) and not node.lpar and type(node.operator) is type(operator):
        return node
    tight = isinstance(node, cst.UnaryOperation) and not isinstance(node.operator, cst.Not)
    return node if tight else builders.operand(node)


def same(a: cst.BaseExpression | None, b: cst.BaseExpression | None) -> bool:
    """Whether two expressions have the same source, white space aside."""
    return a is not None and b is not None and "".join(verbatim(a).split()) == "".join(verbatim(b).split())


# --- plain assignments -----------------------------------------------------------------------------------------------------


def assignments(statement: cst.BaseSmallStatement) -> Pairs | None:
    """The variables that a statement binds in parallel, with their values; None for any other statement."""
    match statement:
        case cst.Pass() | cst.Expr(value=cst.BaseString()):
            return []
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
            return [(name, value)]
        case cst.AnnAssign(target=cst.Name(value=name), value=cst.BaseExpression() as value):
            return [(name, value)]
        case cst.AugAssign(target=cst.Name(value=name), operator=operator, value=value):
            return [(name, builders.binary(cst.Name(name), operator, builders.bare(value)))]
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple(elements=left))], value=cst.Tuple(elements=right)) if len(
            left
        ) == len(right) and all(isinstance(e, cst.Element) for e in (*left, *right)):
            names = [e.value.value for e in left if isinstance(e.value, cst.Name)]
            if len(set(names)) == len(left):
                return list(zip(names, (e.value for e in right), strict=True))
    return None


def small(statements: Iterable[cst.CSTNode]) -> list[cst.BaseSmallStatement] | None:
    """The small statements in order; None where one of the statements is compound."""
    found: list[cst.BaseSmallStatement] = []
    for statement in statements:
        if not isinstance(statement, cst.SimpleStatementLine):
            return None
        found += statement.body
    return found


def arm(statements: Sequence[cst.CSTNode], names: Sequence[str], others: Iterable[cst.CSTNode], ctx: Context) -> Arm | None:
    """What a block of plain assignments binds; None where it is anything else, or binds a variable twice.

    `others`: the code that is evaluated with it, and must not read its local variables.
    """
    parts = small(statements)
    if parts is None:
        return None
    read, bound = ctx.flow.uses(others)
    found, own = Arm(), set[str]()
    for part in parts:
        pairs = assignments(part)
        if pairs is None or ctx.flow.uses(value for _n, value in pairs)[0] & found.values.keys():
            return None
        for name, value in pairs:
            if name in names:
                if name in found.values:
                    return None
                found.values[name] = value
            elif name in own or name in read or name in bound or len(pairs) > 1:
                return None
            elif name in ctx.flow.uses(found.values.values())[0]:
                return None  # the selected values are computed after it, but read its previous value
            else:
                own.add(name)
                found.first.append(assigned(name, value))
    return found


def assigned(name: str, value: cst.BaseExpression) -> cst.SimpleStatementLine:
    return builders.assigned((name,), value)


def together(pairs: Pairs) -> cst.SimpleStatementLine:
    """`a, b = x, y`."""
    values = builders.tuple_of([v for _n, v in pairs])
    return builders.assigned([n for n, _v in pairs], values if len(pairs) == 1 else builders.opened(values))


# --- `where` ---------------------------------------------------------------------------------------------------------------


def selects(ctx: Context, name: str, test: cst.BaseExpression, yes: cst.BaseExpression, no: cst.BaseExpression) -> Pairs:
    """The bindings of `name`, in order: `where` of both arms, inside `.at` where a part of an array changes."""
    base = cst.Name(name)
    mine, theirs = (_as_arrays(ctx, name, stored(name, value)) for value in (yes, no))
    if mine is not None and theirs is not None and same_paths(mine, theirs):
        both = zip(mine, theirs, strict=True)
        return [(name, written(base, [a._replace(value=where(ctx, test, a.value, b.value)) for a, b in both]))]
    unchanged = [isinstance(v, cst.Name) and v.value == name for v in (yes, no)]
    if (mine is None and not unchanged[0]) or (theirs is None and not unchanged[1]):
        return [(name, where(ctx, test, yes, no, ctx.flow.may_be_tuple(name)))]
    found: Pairs = []
    if mine is not None:
        found.append((name, written(base, [a._replace(value=where(ctx, test, a.value, kept(base, a))) for a in mine])))
    if theirs is not None:
        found.append((name, written(base, [b._replace(value=where(ctx, test, kept(base, b), b.value)) for b in theirs])))
    return found


def _as_arrays(ctx: Context, name: str, changes: list[Stored] | None) -> list[Stored] | None:
    return None if changes is None else [_as_array(ctx, name, change) for change in changes]


def _as_array(ctx: Context, name: str, change: Stored) -> Stored:
    """The store with an array for a list or a tuple, which `.at` accepts and `where` does not: in the dtype of its target."""
    if not (isinstance(change.value, cst.List) or _holds_tuple(change.value, ctx)):
        return change
    made = builders.dotted(ctx.names.name_of("jax.numpy.array")[0])
    dtype = [cst.Attribute(cst.Name(name), cst.Name("dtype"))] if change.method == "set" else []
    return change._replace(value=builders.call(made, change.value, *dtype))


def merged(
    ctx: Context, names: Sequence[str], test: cst.BaseExpression, yes: Arm, no: Arm, condition: str
) -> list[cst.BaseStatement] | None:
    """Both arms computed, and what they bind selected by the test; None where the order of the assignments forbids it.

    `condition`: the variable for the test, where it is evaluated more than once.
    """
    lines = [*yes.first, *no.first]
    pairs = selects_of(ctx, names, test, yes, no)
    if max(len(pairs), asked_for(names, yes, no)) > 1 and not isinstance(test, cst.Name):
        condition = condition or ctx.names.local("condition")
        lines.insert(0, assigned(condition, test))
        pairs = selects_of(ctx, names, cst.Name(condition), yes, no)
    late = any(reads_earlier(pairs, at, ctx) for at in range(len(pairs)))
    if late and len({n for n, _v in pairs}) < len(pairs):
        return None
    return [*lines, together(pairs)] if late else [*lines, *(assigned(*pair) for pair in pairs)]


def asked_for(names: Sequence[str], yes: Arm, no: Arm) -> int:
    """How often the selects of some variables evaluate the test."""
    return sum(_asked_for(n, yes.values.get(n, cst.Name(n)), no.values.get(n, cst.Name(n))) for n in names)


def _asked_for(name: str, yes: cst.BaseExpression, no: cst.BaseExpression) -> int:
    mine, theirs = (stored(name, value) or [] for value in (yes, no))
    return max(times(yes, no), len(mine) if same_paths(mine, theirs) else len(mine) + len(theirs))


def selects_of(ctx: Context, names: Sequence[str], test: cst.BaseExpression, yes: Arm, no: Arm) -> Pairs:
    arms = ((n, yes.values.get(n, cst.Name(n)), no.values.get(n, cst.Name(n))) for n in names)
    return [pair for n, a, b in arms for pair in selects(ctx, n, test, a, b)]


def reads_earlier(pairs: Pairs, at: int, ctx: Context) -> bool:
    """Whether a value reads another variable that is bound before it."""
    name, value = pairs[at]
    return bool(ctx.flow.uses((value,))[0] & {n for n, _v in pairs[:at] if n != name})


def either(ctx: Context, names: Sequence[str], test: cst.BaseExpression, yes: Arm, no: Arm, condition: str) -> Arm | None:
    """An `elif` as an arm of the branch to which it belongs."""
    first = [*yes.first, *no.first]
    bound = [n for n in names if n in yes.values or n in no.values]
    asked = test
    if not isinstance(test, cst.Name) and max(len(bound), asked_for(bound, yes, no)) > 1:
        asked = cst.Name(condition or ctx.names.local("condition"))
        first.insert(0, assigned(asked.value, test))
    values = {}
    for name in bound:
        pairs = selects_of(ctx, (name,), asked, yes, no)
        if len(pairs) > 1:
            return None
        values[name] = pairs[0][1] if pairs else cst.Name(name)  # `a = a` in both arms
    return Arm(first, values)


def predicated(
    ctx: Context, names: Sequence[str], test: cst.BaseExpression, statements: Sequence[cst.CSTNode], condition: str
) -> list[cst.BaseStatement] | None:
    """Every assignment of a block, predicated by the test: `x = jnp.where(test, value, x)`, one after the other."""
    parts = small(statements)
    every = None if parts is None else [assignments(part) for part in parts]
    if every is None or any(pairs is None for pairs in every):
        return None
    bound = {name for pairs in every for name, _v in pairs or ()}
    if any(len(pairs or ()) > 1 and not {n for n, _v in pairs or ()} <= set(names) for pairs in every):
        return None
    made: list[cst.BaseStatement] = []
    if not isinstance(test, cst.Name) or test.value in bound:
        condition = condition or ctx.names.local("condition")
        made.append(assigned(condition, test))
        test = cst.Name(condition)
    for pairs in every:
        if pairs is not None and len(pairs) == 1 and pairs[0][0] not in names:
            made.append(assigned(*pairs[0]))
        elif pairs:
            every_pair = [pair for n, v in pairs for pair in selects(ctx, n, test, v, cst.Name(n))]
            made += [together(every_pair)] if every_pair else []
    return made


# --- `cond` ----------------------------------------------------------------------------------------------------------------


def function(name: str, params: Sequence[str], body: Sequence[cst.BaseStatement]) -> cst.FunctionDef:
    return builders.spaced(builders.function(name, params, body))


def lambda_of(params: Sequence[str], value: cst.BaseExpression) -> cst.Lambda:
    return cst.Lambda(cst.Parameters([cst.Param(cst.Name(p)) for p in params]), value)


def returned(values: Sequence[cst.BaseExpression]) -> cst.SimpleStatementLine:
    return builders.returned(builders.tuple_of(values))


def selected(
    ctx: Context,
    test: cst.BaseExpression,
    yes: Sequence[cst.BaseStatement],
    no: Sequence[cst.BaseStatement],
    operands: Sequence[str],
) -> tuple[list[cst.BaseStatement], cst.BaseExpression]:
    """`lax.cond` of two blocks that end with `return`: the functions that it calls, and the call."""
    short = [value_of(block) for block in (yes, no)]
    if short[0] is not None and short[1] is not None and not any(map(_stores_twice, short)):
        call = cond(ctx, test, *(lambda_of((), value) for value in short if value is not None))
        if len(verbatim(call)) <= LONGEST:
            return [], call
    named = [(ctx.names.label("then"), yes), (ctx.names.label("otherwise"), no)]
    functions = [function(name, operands, body) for name, body in named]
    return list(functions), cond(ctx, test, *(cst.Name(name) for name, _body in named), *map(cst.Name, operands))


def _stores_twice(value: cst.BaseExpression | None) -> bool:
    """Whether an expression stores to several parts of arrays. What they hold may have to be read first, in a statement of its own."""
    stores = (
        (n for n, _parent in walk(value) if isinstance(n, cst.Attribute) and n.attr.value == "at") if value is not None else ()
    )
    return len(list(stores)) > 1


def value_of(block: Sequence[cst.BaseStatement]) -> cst.BaseExpression | None:
    """The value of a block that consists of its return."""
    match list(block):
        case [cst.SimpleStatementLine(body=[cst.Return(value=cst.BaseExpression() as value)])]:
            if isinstance(value, cst.Tuple) and not value.lpar:
                return value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
            return value
    return None
