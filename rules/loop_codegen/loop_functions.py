"""The functions that loop iterations become: they take the loop-carried values, and return them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import libcst as cst

from ..context import Context
from ..core.findings import Statement
from ..facts.loops import Loop
from ..syntax import builders
from .loop_exits import IterationWriter


def shown(found: Loop) -> str:
    names = ", ".join(f"`{name}`" for name in found.carry) or "no variables"
    return f"{names} {'is' if len(found.carry) == 1 else 'are'} carried"


def names_of_step(found: Loop, index: str) -> tuple[str, ...]:
    """Names for the function of an iteration, best first."""
    first = f"update_{found.carry[0]}" if len(found.carry) == 1 else "step"
    return (first, f"{first}_{index}") if index.isidentifier() and index != "_" else (first,)


def done_as(found: Loop, ctx: Context) -> str:
    """The variable that tells whether a loop has ended: one of the function, or a new one; "" where nothing ends it early."""
    return found.exits.flag or (ctx.names.local("done", "finished") if found.exits.breaks else "")


def carried_as(carry: Sequence[str]) -> str:
    return carry[0] if len(carry) == 1 else "carry"


def unpacked(carry: Sequence[str]) -> list[cst.SimpleStatementLine]:
    """`a, b = carry`."""
    if len(carry) == 1:
        return []
    return [builders.assigned(carry, cst.Name("carry"))]


def started(found: Loop, *more: cst.BaseExpression, shapes: Shapes | None = None) -> cst.BaseExpression:
    """The initial loop-carried values, preceded by `more`. A scalar with no value before the loop starts as 0, which adopts
    any dtype. `shapes`: those of the arrays without a value, which start with zeros; without it these are None."""
    values: list[cst.BaseExpression] = [*more]
    for position, name in enumerate(found.carry, len(more)):
        if name in found.unset:
            values.append(cst.Integer("0"))
        elif name not in found.unset_arrays:
            values.append(cst.Name(name))
        elif shapes is None:
            values.append(cst.Name("None"))
        else:
            at = [cst.SubscriptElement(cst.Index(cst.Integer(str(position))))]
            shape = cst.Subscript(cst.Name(shapes.name), at) if len(found.carry) + len(more) > 1 else cst.Name(shapes.name)
            values.append(builders.call(builders.dotted(shapes.zeros_like), shape))
    return builders.tuple_of(values)


class Shapes(NamedTuple):
    """How the shapes of loop-carried arrays are found that have no value before the loop: JAX traces an iteration, which binds them before
    it reads them. `name`: the variable for the shapes of all carried values."""

    name: str
    eval_shape: str
    zeros_like: str

    def line(self, function: str, *arguments: cst.BaseExpression) -> cst.SimpleStatementLine:
        traced = builders.call(builders.dotted(self.eval_shape), cst.Name(function), *arguments)
        return builders.spaced(builders.assigned((self.name,), traced))


def shapes_of(found: Loop, ctx: Context) -> tuple[Shapes | None, frozenset[str]]:
    """None where all carried arrays have a value before the loop; and the imports that it takes."""
    if not found.unset_arrays:
        return None, frozenset()
    (eval_shape, imports), (zeros_like, more) = (ctx.names.name_of(n) for n in ("jax.eval_shape", "jax.numpy.zeros_like"))
    return Shapes(ctx.names.local("shapes", "carry_shapes"), eval_shape, zeros_like), imports | more


def starting(
    found: Loop, shapes: Shapes | None, function: str, index: Sequence[cst.BaseExpression], *more: cst.BaseExpression
) -> tuple[list[Statement], cst.BaseExpression]:
    """The statement that finds the shapes of carried arrays, if it takes one, and the initial values. `index`: the arguments of an
    iteration before the carried values."""
    if shapes is None:
        return [], started(found, *more)
    return [shapes.line(function, *index, started(found, *more))], started(found, *more, shapes=shapes)


def result(
    carry: Sequence[str], call: cst.BaseExpression, *outputs: str, after: Sequence[Statement] = ()
) -> cst.SimpleStatementLine:
    """The statement that runs the loop. `outputs`: the outputs of `lax.scan` in addition to the loop-carried values; `after`: the
    statements right above it."""
    carried = builders.named(carry)
    target = builders.tuple_of([carried, builders.named(outputs)]) if outputs else carried
    made = builders.bound(target, call)
    return made if after else builders.spaced(made)


def step(
    name: str,
    params: Sequence[str],
    first: Sequence[cst.BaseStatement],
    body: Sequence[cst.BaseStatement],
    carry: Sequence[str],
    output: cst.BaseExpression | None = None,
) -> cst.FunctionDef:
    """The function of an iteration: it unpacks the loop-carried values, runs the loop body, and returns them."""
    lines = list(body)
    if first and lines and isinstance(lines[0], cst.FunctionDef):
        lines[0] = lines[0].with_changes(leading_lines=[cst.EmptyLine(indent=False), *lines[0].leading_lines])
    returned = builders.named(carry)
    end = cst.SimpleStatementLine([])
    match lines[-1] if lines else None:
        case cst.SimpleStatementLine(body=[small]) as made if (value := builders.bound_last(small, carry)) is not None:
            if output is None or builders.names(output).isdisjoint(carry):
                returned, end, lines = value, made, lines[:-1]
    if output is not None:
        returned = cst.Tuple([cst.Element(returned), cst.Element(output)])
    last = builders.returned(returned).with_changes(leading_lines=end.leading_lines, trailing_whitespace=end.trailing_whitespace)
    return builders.function(name, params, [*first, *lines, last])


def going_on(iteration: IterationWriter, condition: cst.BaseExpression) -> cst.SimpleStatementLine:
    """Whether there is another iteration."""
    asked = condition
    if iteration.done:
        running = cst.UnaryOperation(cst.BitInvert(), cst.Name(iteration.done))
        endless = isinstance(condition, cst.Name) and condition.value == "True"
        asked = running if endless else cst.BinaryOperation(running, cst.BitAnd(), builders.operand(condition))
    return builders.returned(asked)


def leads(node: cst.CSTNode, gone: Sequence[cst.CSTNode], ctx: Context) -> bool:
    """Whether a statement is the first of its block, once the statements in `gone` are removed."""
    block = ctx.parent(node)
    return next((line is node for line in getattr(block, "body", ()) if not any(line is g for g in gone)), False)


def replacement(made: cst.For | cst.While, lines: list[Statement], first: bool) -> cst.FlattenSentinel[cst.BaseStatement]:
    """The statements that replace the loop: below its comments, with an empty line before a function."""
    leading = list(made.leading_lines)
    if not first and not any(line.comment is None for line in leading[:1]):
        leading.insert(0, cst.EmptyLine(indent=False))
    return cst.FlattenSentinel([lines[0].with_changes(leading_lines=leading), *lines[1:]])
