"""The rows of a loop over arrays by their number, for a loop that may end before the last of them."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from . import functional, loop_ranges
from .context import Context
from .model import Kind, Statement


@dataclass(slots=True)
class Rows:
    """`made`: statements that bind what is indexed, where it is no variable."""

    ctx: Context
    counter: str
    made: list[Statement] = field(default_factory=list)
    names: dict[cst.CSTNode, cst.BaseExpression] = field(default_factory=dict)

    def row(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """What an (original) iterable gives in the turn of the counter."""
        return self._at(node, cst.Name(self.counter))

    def count(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """How many rows there are."""
        name = self._called(node)
        if isinstance(node, cst.Call) and name in ("enumerate", "reversed"):
            return self.count(node.args[0].value)
        if isinstance(node, cst.Call) and name == "zip":
            return functional.call(cst.Name("min"), *(self.count(a.value) for a in node.args))
        return functional.call(cst.Name("len"), self._array(node))

    def _called(self, node: cst.BaseExpression) -> str:
        name = self.ctx.qualname(node.func) if isinstance(node, cst.Call) else None
        return (name or "").removeprefix("builtins.")

    def _at(self, node: cst.BaseExpression, position: cst.BaseExpression) -> cst.BaseExpression:
        name = self._called(node)
        if isinstance(node, cst.Call) and name == "zip":
            return cst.Tuple([cst.Element(self._at(a.value, position)) for a in node.args])
        if isinstance(node, cst.Call) and name == "enumerate":
            index = position
            if len(node.args) > 1:
                index = loop_ranges.added(self.ctx.rewritten(node.args[1].value), position)
            return cst.Tuple([cst.Element(index), cst.Element(self._at(node.args[0].value, position))])
        if isinstance(node, cst.Call) and name == "reversed":
            inner = node.args[0].value
            return self._at(inner, loop_ranges.minus(loop_ranges.plus(self.count(inner), -1), position))
        element = cst.SubscriptElement(cst.Index(position))
        return cst.Subscript(self._array(node), [element])

    def _array(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """A variable that holds what is indexed."""
        if isinstance(node, cst.Name) and self.ctx.kind(node) is Kind.ARRAY:
            return node
        if node not in self.names:
            value = self.ctx.rewritten(node)
            if self.ctx.kind(node) is not Kind.ARRAY:
                function = "arange" if self._called(node) == "range" else "asarray"
                called = functional.dotted(self.ctx.name_of(f"jax.numpy.{function}")[0])
                given = value.args if function == "arange" and isinstance(value, cst.Call) else [cst.Arg(functional.bare(value))]
                value = cst.Call(called, given)
            name = self.ctx.local("rows")
            self.made.append(cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(cst.Name(name))], value)]))
            self.names[node] = cst.Name(name)
        return self.names[node]
