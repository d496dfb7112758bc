"""An `if` whose test depends on traced values.

Python cannot decide such a test, because `jit` traces the function once for all values. Where both arms are cheap, both are
computed, and `jnp.where` selects. An operation that is undefined for the other arm's values (a quotient, a root, a logarithm)
gets a safe operand there; otherwise its derivative would be NaN. An expensive arm (a loop, a matrix product, a call) becomes a
function, and `lax.cond` runs one of the two. A test that is known when tracing stays an `if`. Where part of a test is known
(`limit is not None and norm > limit`), an `if` decides that part, and the rest is selected inside it; tests of flags may stand
anywhere (`norm > limit and not exact`). Where such a test ends a loop, its known part comes first in the value that ends it
(`done = limit is not None and norm > limit`). Tuples of equal length are selected element by element.

```python
import numpy as np


def huber(r, delta):
    if abs(r) <= delta:
        return 0.5 * r * r
    return delta * (abs(r) - 0.5 * delta)


def clipped(gradient: np.ndarray, limit):
    norm = np.linalg.norm(gradient)
    if norm > limit:
        gradient = gradient * (limit / norm)
    return gradient
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def huber(r, delta):
    return jnp.where(abs(r) <= delta, 0.5 * r * r, delta * (abs(r) - 0.5 * delta))


@jax.jit
def clipped(gradient: jax.Array, limit):
    norm = jnp.linalg.norm(gradient)
    gradient = jnp.where(norm > limit, gradient * (limit / jnp.where(norm > limit, norm, 1)), gradient)
    return gradient
```
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator, Sequence

import libcst as cst

from ..codegen import arm_dtypes, safe_operands, select, static_conditions
from ..context import Context
from ..core.findings import Edit, Finding
from ..core.registry import Rule
from ..facts.branches import Branch
from ..facts.values import replace
from ..syntax import builders, comments
from . import batched_context
from .branch_results import asked, ended, returns_tuple, with_floats, with_result
from .branch_stores import carried_by_enclosing, runs_alone, two_branches

rule = Rule(__name__, "NJ403")


@rule.on(cst.If)
def binds(node: cst.If, ctx: Context) -> Iterator[Finding]:
    """A branch that binds variables."""
    found = ctx.branches.branch(node)
    if found is None or found.returns or _in_compiled(node, ctx):
        return
    elif_ = isinstance(ctx.parent(node), cst.If)

    def edit(made: cst.If) -> object:
        lines = written(made, node, ctx)
        above = list(comments.of_branch(made))
        if elif_:
            return cst.Else(cst.IndentedBlock(lines), leading_lines=made.leading_lines)
        if isinstance(lines[0], cst.FunctionDef) and not ctx.flow.first_in_block(node):
            above = [*above, cst.EmptyLine(indent=False)] if not above else [cst.EmptyLine(indent=False), *above]
        elif isinstance(lines[0], cst.FunctionDef):
            lines[0] = lines[0].with_changes(leading_lines=())
        before = above if isinstance(lines[0], cst.FunctionDef) else [*made.leading_lines, *above[len(made.leading_lines) :]]
        lines[0] = lines[0].with_changes(leading_lines=before)
        return cst.FlattenSentinel(lines)

    yield Finding(
        node,
        _message(found, same_shape(found, node, ctx), runs_alone(found, node, ctx)),
        {node: edit},
        select.imports_of(ctx, any(map(ctx.flow.may_be_tuple, found.names))),
    )


@rule.on(cst.FunctionDef)
def returns(node: cst.FunctionDef, ctx: Context) -> Iterator[Finding]:
    """The branches that return from the function."""
    compiled = list(ctx.branches.returning) if node is ctx.unit.definition else []
    if not compiled:
        return
    originals: dict[cst.CSTNode, cst.If] = {}

    def remember(original: cst.If, made: cst.If) -> cst.If:
        originals[made.body] = original
        return made

    def edit(made: cst.IndentedBlock) -> cst.IndentedBlock:
        return made.with_changes(body=ended(list(made.body), originals, ctx))

    edits: dict[cst.CSTNode, Edit] = {branch: functools.partial(remember, branch) for branch in compiled}
    edits[node.body] = edit
    first = ctx.branches.branch(compiled[0])
    assert first is not None
    yield Finding(compiled[0], _message(first, first.sure, False), edits, select.imports_of(ctx, returns_tuple(node, ctx)))


def same_shape(found: Branch, node: cst.CSTNode, ctx: Context) -> bool:
    """Whether both arms have the same shape: certainly, or because the enclosing loop carries the values in a fixed shape."""
    return found.sure or (bool(found.carried) and carried_by_enclosing(found.carried, node, ctx))


def _message(found: Branch, sure: bool, stores: bool) -> str:
    if not found.expensive and sure and not stores:
        return "a branch on a traced value: both arms are computed, and `jnp.where` selects"
    why = found.expensive or ("it stores to several elements" if stores else "both arms must have the same shape")
    return f"a branch on a traced value: `lax.cond` runs one arm, since {why}"


def _in_compiled(node: cst.If, ctx: Context) -> bool:
    """Whether an `elif` is converted together with the branch that it belongs to."""
    parent = ctx.parent(node)
    return isinstance(parent, cst.If) and ctx.branches.branch(parent) is not None


def written(made: cst.If, node: cst.If, ctx: Context) -> list[cst.BaseStatement]:
    """The statements that replace a branch."""
    if (mixed := static_conditions.parts(node.test, ctx)) is None:
        return compiled(made, node, ctx)
    lines = compiled(made.with_changes(test=mixed.rest), node, ctx)
    return [static_conditions.nested(mixed, lines, builders.lines(made.body), other_lines(made, node, ctx))]


def compiled(made: cst.If, node: cst.If, ctx: Context) -> list[cst.BaseStatement]:
    """The statements that replace a branch whose whole test is traced."""
    found = ctx.branches.branch(node)
    assert found is not None
    if not found.expensive and same_shape(found, node, ctx) and not runs_alone(found, node, ctx):
        if found.trapping and isinstance(made.orelse, cst.If):
            made = made.with_changes(orelse=cst.Else(cst.IndentedBlock(other_lines(made, node, ctx))))
        first, safe = with_safe_operands(made, found, ctx)
        if safe is None and batched_context.in_parallel(node, ctx):
            safe = made
        several = len(found.names) > 1 or any(map(ctx.flow.may_be_tuple, found.names))
        condition = ctx.names.local("condition") if safe is not None and several and not first else ""
        lines = None
        if safe is not None:
            yes, no = arms(safe, node, found.names, ctx)
            if yes is not None and no is not None:
                lines = select.merged(ctx, found.names, safe.test, yes, no, condition)
            elif safe.orelse is None:
                lines = select.predicated(ctx, found.names, safe.test, builders.lines(safe.body), condition)
        if lines is not None:
            return [*first, *lines] or [cst.SimpleStatementLine([cst.Pass()])]  # nothing remains of `a = a`
    if (
        found.light
        and carried_by_enclosing(found.light, node, ctx)
        and (lines := split_expensive(made, node, found, ctx)) is not None
    ):
        return lines
    return by_functions(made, node, found, ctx)


def split_expensive(made: cst.If, node: cst.If, found: Branch, ctx: Context) -> list[cst.BaseStatement] | None:
    """`lax.cond` for the expensive variables, and `jnp.where` for the light ones; None if one kind depends on the other."""
    names = [n for n in found.names if n not in found.light]
    if not names or isinstance(made.orelse, cst.If):
        return None
    blocks = [builders.lines(made.body), builders.lines(made.orelse.body) if made.orelse is not None else []]
    yes, no = (select.arm(b, found.names, [made.test, *o], ctx) for b, o in zip(blocks, reversed(blocks), strict=True))
    if yes is None or no is None or yes.first or no.first:
        return None
    values = [(n, arm.values[n]) for arm in (yes, no) for n in found.light if n in arm.values]
    if any(ctx.flow.uses((value,))[0] & ({*found.names} - {name}) for name, value in values) or builders.has_comment(
        *blocks[0], *blocks[1]
    ):
        return None
    before, test = asked(made.test, 1 + len(found.light), found.names, ctx)
    kept = made.with_changes(test=test, body=without(made.body, found.light))
    if made.orelse is not None:
        kept = kept.with_changes(orelse=made.orelse.with_changes(body=without(made.orelse.body, found.light)))
    lines = by_functions(kept, node, replace(found, names=tuple(names)), ctx)
    return [*before, *lines, *(select.assigned(*pair) for pair in select.selects_of(ctx, found.light, test, yes, no))]


def without(body: cst.BaseSuite, names: Collection[str]) -> cst.IndentedBlock:
    """A block of simple assignments, without those to some variables."""
    kept = []
    for line in builders.lines(body):
        assert isinstance(line, cst.SimpleStatementLine)
        parts = [part for part in line.body if not any(name in names for name, _v in select.assignments(part) or ())]
        kept += [line.with_changes(body=parts)] if parts else []
    return cst.IndentedBlock(kept)


def with_safe_operands(made: cst.If, found: Branch, ctx: Context) -> tuple[list[cst.BaseStatement], cst.If | None]:
    """The statements that compute the test first, and the branch with safe operands; None if operands cannot be made safe."""
    if not found.trapping:
        return [], made
    if isinstance(made.orelse, cst.If):
        return [], None
    blocks = builders.lines(made.body), builders.lines(made.orelse.body) if made.orelse is not None else []
    bound = ctx.flow.uses((made,))[1] if any(len(block) > 1 for block in blocks) else ()
    first, test = asked(made.test, found.trapping + len(found.names), bound, ctx)
    safe = safe_operands.with_safe_operands(ctx, test, *blocks, found.trapping)
    if safe is None:
        return [], None
    orelse = cst.Else(cst.IndentedBlock(safe[1])) if made.orelse is not None else None
    return first, made.with_changes(test=test, body=cst.IndentedBlock(safe[0]), orelse=orelse)


def arms(
    made: cst.If, node: cst.If, names: Sequence[str], ctx: Context, enclosing: Sequence[cst.CSTNode] = ()
) -> tuple[select.Arm | None, select.Arm | None]:
    """Both arms as simple assignments. `enclosing`: what the branches compute that this one is an `elif` of."""
    body = builders.lines(made.body)
    orelse = builders.lines(made.orelse.body) if isinstance(made.orelse, cst.Else) else []
    chain = made.orelse if isinstance(made.orelse, cst.If) else None
    others: list[cst.CSTNode] = [made.test, *orelse, *([chain] if chain is not None else []), *enclosing]
    yes = select.arm(body, names, others, ctx)
    if chain is None:
        return yes, select.arm(orelse, names, [made.test, *body, *enclosing], ctx)
    assert isinstance(node.orelse, cst.If)
    inner = ctx.branches.branch(node.orelse)
    if (
        inner is None
        or inner.expensive
        or not same_shape(inner, node.orelse, ctx)
        or static_conditions.parts(node.orelse.test, ctx) is not None
    ):
        return yes, None
    condition = ctx.names.local("condition") if len(names) > 1 or any(map(ctx.flow.may_be_tuple, names)) else ""
    first, second = arms(chain, node.orelse, names, ctx, [made.test, *body, *enclosing])
    if first is None or second is None:
        return yes, None
    return yes, select.either(ctx, names, chain.test, first, second, condition)


def by_functions(made: cst.If, node: cst.If, found: Branch, ctx: Context) -> list[cst.BaseStatement]:
    """`x = lax.cond(test, then, otherwise, x)`."""
    blocks = [builders.lines(made.body), other_lines(made, node, ctx)]
    if (apart := two_branches(made, node, blocks[1], found, ctx)) is not None:
        first, branches = apart
        return [*first, *(line for each, of in branches for line in by_functions(each, node, of, ctx))]
    starts = [node.body.body[0], *([_first(node.orelse)] if node.orelse is not None else [])]
    bound = set().union(*(ctx.flow.uses(block)[1] for block in blocks))
    live = frozenset().union(*(ctx.flow.live_before(statement) for statement in starts))
    kept = {n for n in found.names if any(n not in ctx.flow.uses(block)[1] for block in blocks)}
    needed = live | kept
    operands = [n for n in found.names if n in needed]
    operands += sorted(n for n in bound & live if n not in operands)
    plain = [
        select.arm(block, found.names, [made.test, *other], ctx) for block, other in zip(blocks, reversed(blocks), strict=True)
    ]
    ends: list[list[cst.BaseStatement]] = []
    for block, arm, first_arm in zip(blocks, plain, (True, False), strict=True):
        ending = functools.partial(arm_dtypes.unified, ctx, found=found, first=first_arm)
        if arm is not None and not arm.first:
            ends.append([select.returned([ending(arm.values.get(n, cst.Name(n)), name=n) for n in found.names])])
        else:
            ended_by = with_result(block, found.names)
            ends.append(with_floats(ended_by, ending, found.names) if found.floats or found.promoted else ended_by)
    lines, call = select.selected(ctx, made.test, ends[0], ends[1], operands)
    result = builders.assigned(found.names, call)
    return [*lines, builders.spaced(result) if lines else result]


def _first(orelse: cst.If | cst.Else) -> cst.CSTNode:
    return orelse if isinstance(orelse, cst.If) else orelse.body.body[0]


def other_lines(made: cst.If, node: cst.If, ctx: Context) -> list[cst.BaseStatement]:
    """The statements of the other arm, including those of a compiled `elif`."""
    match made.orelse:
        case cst.Else(body=body):
            return builders.lines(body)
        case cst.If() as chain:
            assert isinstance(node.orelse, cst.If)
            return written(chain, node.orelse, ctx) if ctx.branches.branch(node.orelse) is not None else [chain]
    return []
