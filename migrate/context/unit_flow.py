"""Implements `ctx.flow`: data flow and control flow of the unit: what is read, bound and live, and where statements stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.values import NOTHING
from ..analysis.branches.branch_arms import bound_before
from ..analysis.state.memory import read_implicitly
from ..syntax.liveness import falls_through
from ..syntax.names import collect
from ..syntax.reaching_definitions import definitions_enclosing
from ..syntax.source import STATEMENTS
from .analysed_unit import AnalysedUnit
from .evaluation_order import not_first


class UnitFlow:
    """Implements rules.context.flow.Flow."""

    def __init__(self, analysed: AnalysedUnit) -> None:
        self.analysed = analysed
        self.module, self.run = analysed.module, analysed.run

    def may_be_tuple(self, name: str) -> bool:
        return name in self._tuples

    @cached_property
    def _tuples(self) -> frozenset[str]:
        found = (n for n, value in self.run.values.items() if type(n) is cst.Name and value.kind is Kind.TUPLE)
        return frozenset(n.value for n in found)

    def bound_to(self, node: cst.Name) -> tuple[cst.BaseExpression, ...]:
        parents = self.module.source.parents
        found = definitions_enclosing(node, parents).of_use(node, node.value, parents) if node in parents else None
        values = [_assigned(definition, node.value) for definition in found or ()]
        return tuple(value for value in values if value is not None) if all(values) else ()

    def falls_through(self, body: cst.BaseSuite) -> bool:
        return falls_through(body)

    def uses(self, nodes: Iterable[cst.CSTNode]) -> tuple[frozenset[str], frozenset[str]]:
        found = collect(nodes)
        return frozenset(found.read), frozenset(found.bound)

    def not_first(self, call: cst.Call, places: set[str]) -> str:
        return not_first(self.module.source.parents, call, places)

    def statement(self, node: cst.CSTNode) -> cst.CSTNode:
        at: cst.CSTNode | None = node
        while at is not None and type(at) not in STATEMENTS:
            above = self.analysed.parent(at)
            if type(above) is cst.SimpleStatementSuite:
                return at
            at = above
        return node if at is None else at

    def live_after(self, node: cst.CSTNode) -> frozenset[str]:
        at: cst.CSTNode | None = node
        lives = [self.run.live, *self.run.unit.nested_live.values()]
        while at is not None:
            for live in lives:
                if at in live.after:
                    return live.after[at]
            at = self.analysed.parent(at)
        return NOTHING

    def live_before(self, node: cst.CSTNode) -> frozenset[str]:
        changed = (name for name in read_implicitly(self.run) if bound_before(self.run, node, name))
        return self.run.live.before.get(node, NOTHING).union(changed)

    def first_in_block(self, node: cst.CSTNode) -> bool:
        body: Sequence[cst.CSTNode] = getattr(self.analysed.parent(node), "body", ())
        return bool(body) and body[0] is node

    def ends_unit(self, node: cst.Return) -> bool:
        at = self.analysed.parent(node)
        while at is not None and not isinstance(at, (cst.FunctionDef, cst.Lambda)):
            at = self.analysed.parent(at)
        return at is self.analysed.definition


def _assigned(definition: cst.CSTNode, name: str) -> cst.BaseExpression | None:
    """The value of an assignment to a variable."""
    match definition:
        case cst.AnnAssign(value=value):
            return value
        case cst.Assign(targets=targets, value=value):
            for target in targets:
                match target.target, value:
                    case cst.Name(value=bound), _ if bound == name:
                        return value
                    case (cst.Tuple() | cst.List()) as pattern, (cst.Tuple() | cst.List()) as display:
                        if len(pattern.elements) == len(display.elements):
                            pairs = zip(pattern.elements, display.elements, strict=True)
                            return next(
                                (v.value for t, v in pairs if isinstance(t.value, cst.Name) and t.value.value == name), None
                            )
    return None
