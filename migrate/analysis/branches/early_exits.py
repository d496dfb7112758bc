"""Early exits from an iteration of a loop: conditional `break`, `continue` and `return`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import libcst as cst

from ....rules.facts.loops import NO_EXITS, Exits
from ....rules.facts.values import UNKNOWN
from ....rules.syntax.comparisons import tests_flag
from ..state.evaluation import need
from ..state.interpreter_state import Run
from . import branch_analysis, branch_arms, conditions, speculation

MOST_COPIES = 2  # of the statements after a branch that leaves the loop on some paths only: they are copied to both arms


def exits(run: Run, body: Sequence[cst.CSTNode], returned: Any = None) -> Exits | str:
    """How the iterations of a loop end early; or why JAX cannot express that."""
    found = list(_leaving(body))
    if not found:
        return NO_EXITS
    guards = [node for node in found if isinstance(node, cst.If)]
    for node in found:
        if isinstance(node, cst.Raise):
            return "it may raise an error in the loop"
        if not isinstance(node, (cst.If, cst.Break, cst.Continue, cst.Return)):
            return "it leaves the loop from within another block"
        if isinstance(node, cst.If) and not _is_decided(run, node) and (why := conditions.untraceable(run, node.test)):
            return why
    if not guards:
        return "every iteration ends early"
    first = next(i for i, statement in enumerate(body) if statement is guards[0])
    for statement in body[first:]:
        if why := branch_arms.unfit(run, statement):
            return why
    if sum(map(_falls_in_both_arms, guards)) > MOST_COPIES:
        return "it leaves the loop on some paths through several branches only"
    breaks = any(isinstance(node, (cst.Break, cst.Return)) for node in found)
    if returned is not None and any(isinstance(node, cst.Break) for node in found):
        return "`break` and `return` leave the loop"
    # the test of the first guard is computed in every iteration
    region = [part for part in (guards[0].body, guards[0].orelse, *body[first + 1 :]) if part is not None]
    return Exits(tuple(guards), breaks, speculation.expensive(run, region), speculation.trapping(run, region), returned)


def _is_decided(run: Run, node: cst.If) -> bool:
    """Whether Python decides on a branch when JAX traces, in each iteration the same."""
    if conditions.decided(run, node.test) and tests_flag(node.test):
        need(run, node.test, run.values.get(node.test, UNKNOWN), conditions.BLOCKED)
        return True
    return False


def _falls_in_both_arms(node: cst.If) -> bool:
    return branch_arms.falls(branch_arms.statements(node.body)) and branch_arms.falls(branch_arms.otherwise(node))


def _leaving(body: Sequence[cst.CSTNode]) -> Iterator[cst.CSTNode]:
    """The statements that end an iteration early, and those that enclose them, except those of inner loops."""
    for statement in body:
        match statement:
            case cst.SimpleStatementLine(body=parts):
                yield from (p for p in parts if isinstance(p, (cst.Break, cst.Continue, cst.Return, cst.Raise)))
            case cst.Break() | cst.Continue() | cst.Return() | cst.Raise():
                yield statement
            case cst.If(body=block, orelse=orelse):
                other: Sequence[cst.CSTNode] = ()
                if orelse is not None:
                    other = [orelse] if isinstance(orelse, cst.If) else orelse.body.body
                inner = [*_leaving(block.body), *_leaving(other)]
                if inner:
                    yield statement
                    yield from inner
            case cst.For() | cst.While():
                if branch_arms.leaves(statement):  # by `return`
                    yield statement
            case cst.FunctionDef() | cst.ClassDef():
                pass
            case _:
                if branch_arms.leaves(statement):
                    yield statement


def refuse(run: Run, body: Sequence[cst.CSTNode], why: str) -> None:
    """Leave the loop to Python, and with it the tests that leave the loop."""
    for node in _leaving(body):
        if isinstance(node, cst.If) and not run.values.get(node.test, UNKNOWN).static:
            branch_analysis.refuse(run, node, why)
