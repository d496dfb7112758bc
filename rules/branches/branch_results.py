"""The results of the arms of a branch: selected by `where`, or returned by the functions that `lax.cond` calls."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Sequence

import libcst as cst

from ..codegen import arm_dtypes, safe_operands, select, static_conditions
from ..context import Context
from ..core.findings import Kind
from ..syntax import builders
from ..syntax.tree import children

Block = Sequence[cst.BaseStatement]
Ending = Callable[..., cst.BaseExpression]  # the value that an arm computes for the variable `name`


def asked(
    test: cst.BaseExpression, times: int, bound: Collection[str], ctx: Context
) -> tuple[list[cst.BaseStatement], cst.BaseExpression]:
    """A test that is read several times: unchanged if it is short, otherwise bound to a variable first."""
    if isinstance(test, cst.Name) and test.value not in bound:
        return [], test
    if times <= 2 and select.is_short(test) and not ctx.flow.uses((test,))[0] & set(bound):
        return [], test
    name = ctx.names.local("condition")
    return [select.assigned(name, test)], cst.Name(name)


def with_result(block: Block, names: Sequence[str]) -> list[cst.BaseStatement]:
    """The body of a function that returns the variables bound in a block."""
    lines = [s for s in block if not builders.passes(s)]
    if lines and isinstance(lines[0], cst.FunctionDef):
        lines[0] = lines[0].with_changes(leading_lines=[x for x in lines[0].leading_lines if x.comment is not None])
    last = lines[-1] if lines else None
    if len(names) == 1 and isinstance(last, cst.SimpleStatementLine) and len(last.body) == 1:
        pairs = select.assignments(last.body[0])
        if pairs is not None and len(pairs) == 1 and pairs[0][0] == names[0]:
            return [*lines[:-1], last.with_changes(body=[cst.Return(pairs[0][1])])]
    return [*lines, select.returned([cst.Name(n) for n in names])]


def ended(statements: list[cst.BaseStatement], originals: dict[cst.CSTNode, cst.If], ctx: Context) -> list[cst.BaseStatement]:
    """The statements up to the end of a function, in which the branches that return are compiled."""
    for position, statement in enumerate(statements):
        if not isinstance(statement, cst.If):
            continue
        rest = statements[position + 1 :]
        original = originals.get(statement.body)
        if original is None and not any(part in originals for part in bodies(statement)):
            continue
        chain = statement.orelse
        orelse = [chain] if isinstance(chain, cst.If) else builders.lines(chain.body) if chain is not None else []
        body, other = (
            ended([*side, *rest] if _falls(side, ctx) else list(side), originals, ctx)
            for side in (builders.lines(statement.body), orelse)
        )
        before = statements[:position]
        if original is None:
            last = cst.Else(cst.IndentedBlock(other)) if other else None
            return [*before, statement.with_changes(body=cst.IndentedBlock(body), orelse=last)]
        return [*before, *selected_result(statement, original, body, other, ctx, first=not before)]
    return statements


def bodies(statement: cst.If) -> Iterator[cst.CSTNode]:
    """The bodies of a branch and of all branches nested in it."""
    stack: list[cst.CSTNode] = [statement]
    while stack:
        at = stack.pop()
        if isinstance(at, cst.If):
            yield at.body
        if isinstance(at, (cst.If, cst.Else, cst.IndentedBlock)):
            stack += at.children


def _falls(block: Block, ctx: Context) -> bool:
    return ctx.flow.falls_through(cst.IndentedBlock(block))


def selected_result(
    made: cst.If, node: cst.If, body: list[cst.BaseStatement], other: list[cst.BaseStatement], ctx: Context, first: bool
) -> list[cst.BaseStatement]:
    """The statements that return one of two results."""
    if (mixed := static_conditions.parts(node.test, ctx)) is None:
        return compiled_result(made, node, body, other, ctx, first)
    lines = compiled_result(made.with_changes(test=mixed.rest, leading_lines=()), node, body, other, ctx, first=True)
    last = other if isinstance(mixed.operator, cst.And) else lines
    outer = static_conditions.nested(mixed, lines, body, ())
    outer = outer.with_changes(orelse=None, leading_lines=made.leading_lines)
    return [outer, *(s.deep_clone() for s in last)]


def compiled_result(
    made: cst.If, node: cst.If, body: list[cst.BaseStatement], other: list[cst.BaseStatement], ctx: Context, first: bool
) -> list[cst.BaseStatement]:
    """The statements that return one of two results, selected by JAX."""
    found = ctx.branches.branch(node)
    assert found is not None
    lines = None if found.expensive or not found.sure else result_by_where(made.test, body, other, found.trapping, ctx)
    if lines is None:
        bound = [n for block in (body, other) for n in sorted(ctx.flow.uses(block)[1])]
        live = ctx.flow.live_before(node)
        operands = [n for n in dict.fromkeys(bound) if n in live]
        blocks = [static_conditions.opened(block) for block in (body, other)]
        if found.floats:
            endings = (functools.partial(arm_dtypes.floated, ctx, floats=found.floats, first=side) for side in (True, False))
            blocks = [with_floats(block, ending) for block, ending in zip(blocks, endings, strict=True)]
        lines, call = select.selected(ctx, made.test, blocks[0], blocks[1], operands)
        gap = [cst.EmptyLine(indent=False)] if lines else []
        lines = [*lines, cst.SimpleStatementLine([cst.Return(call)], leading_lines=gap)]
    head = list(made.leading_lines)
    if isinstance(lines[0], cst.FunctionDef) and not first and not any(x.comment is None for x in head[:1]):
        head.insert(0, cst.EmptyLine(indent=False))
    lines[0] = lines[0].with_changes(leading_lines=head)
    return lines


def with_floats(block: Block, floated: Ending, names: Sequence[str] = ("",)) -> list[cst.BaseStatement]:
    """Convert the integer that a block returns to floating point, as in the other arm."""
    match list(block):
        case [*lines, cst.SimpleStatementLine(body=[cst.Return(value=cst.BaseExpression() as value)]) as last]:
            if len(names) == 1:
                value = floated(value, name=names[0])
            elif isinstance(value, cst.Tuple):
                value = builders.opened(builders.tuple_of([floated(cst.Name(name), name=name) for name in names]))
            return [*lines, last.with_changes(body=[cst.Return(value)])]
    return list(block)


def result_by_where(
    test: cst.BaseExpression, body: list[cst.BaseStatement], other: list[cst.BaseStatement], trapping: int, ctx: Context
) -> list[cst.BaseStatement] | None:
    """Compute both results and select one; None if an arm does more than bind local variables and return."""
    before: list[cst.BaseStatement] = []
    if trapping:
        results = select.value_of(body[-1:])
        times = len(results.elements) if isinstance(results, cst.Tuple) else 1
        before, test = asked(test, trapping + times, ctx.flow.uses((*body, *other))[1], ctx)
        safe = safe_operands.with_safe_operands(ctx, test, body, other, trapping)
        if safe is None:
            return None
        body, other = safe
    found = []
    for block, beside in ((body, other), (other, body)):
        last = select.value_of(block[-1:])
        side = select.arm(block[:-1], (), [test, *beside], ctx)
        if last is None or side is None:
            return None
        found.append((side.first, last))
    (first, yes), (second, no) = found
    lines = [*before, *first, *second]
    if not isinstance(test, cst.Name) and select.times(yes, no) > 1:
        name = ctx.names.local("condition")
        lines.insert(0, select.assigned(name, test))
        test = cst.Name(name)
    assert ctx.unit.definition is not None
    tuples = returns_tuple(ctx.unit.definition, ctx)
    return [*lines, builders.returned(select.where(ctx, test, yes, no, tuples))]


def returns_tuple(node: cst.CSTNode, ctx: Context) -> bool:
    """Whether a function returns tuples, nested functions aside."""
    stack = list(children(node))
    while stack:
        at = stack.pop()
        if isinstance(at, cst.Return) and at.value is not None and ctx.kind(at.value) is Kind.TUPLE:
            return True
        if not isinstance(at, (cst.FunctionDef, cst.ClassDef, cst.BaseExpression)):
            stack += children(at)
    return False
