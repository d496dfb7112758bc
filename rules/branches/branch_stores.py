"""Branches that store to parts of arrays in the iterations of a loop that run one after the other.

XLA updates an array in place in the only arm of a `lax.cond` that changes it. Where both arms change it, it is copied in each iteration:
such a branch becomes two, the second one for the opposite of the condition.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import libcst as cst

from ..context import Context
from ..facts.branches import Branch
from ..facts.loop_plan import loop_carried
from ..syntax import builders
from .batched_context import in_parallel
from .branch_results import asked


def carried_by_enclosing(names: Collection[str], node: cst.CSTNode, ctx: Context) -> bool:
    """Whether the enclosing loop carries all of the variables."""
    *_branches, at = _enclosing(node, ctx)
    return isinstance(at, (cst.For, cst.While)) and set(names) <= set(loop_carried(ctx.loops.loop_plan(at)))


def _enclosing(node: cst.CSTNode, ctx: Context) -> list[cst.CSTNode]:
    """The branches that enclose a node, and then the loop or the function."""
    found: list[cst.CSTNode] = []
    at = ctx.parent(node)
    while at is not None and not (found and not isinstance(found[-1], cst.If)):
        if isinstance(at, (cst.If, cst.For, cst.While, cst.FunctionDef)):
            found.append(at)
        at = ctx.parent(at)
    return found


def runs_alone(found: Branch, node: cst.CSTNode, ctx: Context) -> bool:
    """Whether only the arm that the condition selects should run, since it stores to several elements."""
    *branches, _at = _enclosing(node, ctx)
    alone = all(isinstance(branch, cst.If) and branch.orelse is None for branch in branches)
    return found.several_stores and alone and _in_turn(node, ctx)


def two_branches(
    made: cst.If, node: cst.If, other: Sequence[cst.BaseStatement], found: Branch, ctx: Context
) -> tuple[list[cst.BaseStatement], list[tuple[cst.If, Branch]]] | None:
    """The statements that compute the condition, and a branch for each arm; None if one branch is as good. `other`: the other arm."""
    bound = [ctx.flow.uses(block)[1] for block in (made.body.body, other)]
    if not found.both_store or found.floats or found.promoted or not _in_turn(node, ctx):
        return None
    if any(name not in found.both_store for name in found.names if all(name in names for names in bound)):
        return None  # it may have no value before the branch
    first, test = asked(made.test, 2, found.names, ctx)
    opposite = builders.call(builders.dotted(ctx.names.name_of("jax.numpy.logical_not")[0]), test)
    arms = [(test, made.body), (opposite, cst.IndentedBlock(other))]
    return first, [
        (
            made.with_changes(test=asks, body=body, orelse=None),
            found._replace(names=tuple(name for name in found.names if name in names), both_store=frozenset()),
        )
        for (asks, body), names in zip(arms, bound, strict=True)
    ]


def _in_turn(node: cst.CSTNode, ctx: Context) -> bool:
    *_branches, at = _enclosing(node, ctx)
    return isinstance(at, (cst.For, cst.While)) and not in_parallel(node, ctx)
