"""The rows of a loop over arrays: all of them, as `lax.scan` takes them, or one by its number, where a loop may end early."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from ..core.context import Context
from ..core.findings import Kind, Statement
from ..syntax import builders, loop_ranges
from . import zip_lengths


def called(node: cst.BaseExpression, ctx: Context) -> str:
    """The function that an iterable is a call of, "" where it is none; a builtin one by its short name."""
    name = ctx.qualname(node.func) if isinstance(node, cst.Call) else None
    return (name or "").removeprefix("builtins.")


def stacked(loop: cst.For, ctx: Context) -> tuple[cst.BaseExpression, frozenset[str]]:
    """What `lax.scan` goes through in the place of what an (original) loop goes through."""
    return _stacked(loop.iter, ctx, loop)


def _stacked(node: cst.BaseExpression, ctx: Context, loop: cst.For) -> tuple[cst.BaseExpression, frozenset[str]]:
    name = called(node, ctx)
    if not isinstance(node, cst.Call) or name not in ("zip", "enumerate", "reversed", "range"):
        if ctx.kind(node) is Kind.ARRAY:
            return builders.bare(ctx.rewritten(node)), frozenset()
        asarray, imports = ctx.name_of("jax.numpy.asarray")
        return builders.call(builders.dotted(asarray), ctx.rewritten(node)), imports
    arange, imports = ctx.name_of("jax.numpy.arange")
    if name == "range":
        return _numbers(ctx.rewritten(node), arange, ctx), imports
    inner = [_stacked(a.value, ctx, loop) for a in node.args[: None if name == "zip" else 1]]
    if name == "reversed":
        return inner[0]
    if name == "zip":
        return cst.Tuple([cst.Element(part) for part, _i in inner]), imports.union(*(i for _p, i in inner))
    index = builders.call(builders.dotted(arange), zip_lengths.count(loop, node.args[0].value, ctx))
    start = zip_lengths.start(node, ctx)
    counted = index if start is None else cst.BinaryOperation(builders.operand(start), cst.Add(), index)
    return cst.Tuple([cst.Element(counted), cst.Element(inner[0][0])]), imports | inner[0][1]


def _numbers(made: cst.BaseExpression, arange: str, ctx: Context) -> cst.BaseExpression:
    """The numbers of a (rewritten) range, which may be cut to as many as there are turns."""
    match made:
        case cst.Call(args=args):
            return cst.Call(builders.dotted(arange), [a.with_changes(value=builders.bare(a.value)) for a in args])
        case cst.Subscript(value=cst.Call() as whole, slice=part):
            return cst.Subscript(_numbers(whole, arange, ctx), part)
    return builders.call(builders.dotted(ctx.name_of("jax.numpy.asarray")[0]), made)  # a variable holds it


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
        name = called(node, self.ctx)
        if isinstance(node, cst.Call) and name in ("enumerate", "reversed"):
            return self.count(node.args[0].value)
        if isinstance(node, cst.Call) and name == "zip":
            return builders.call(cst.Name("min"), *(self.count(a.value) for a in node.args))
        return builders.call(cst.Name("len"), self._array(node))

    def _at(self, node: cst.BaseExpression, position: cst.BaseExpression) -> cst.BaseExpression:
        name = called(node, self.ctx)
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
                function = "arange" if called(node, self.ctx) == "range" else "asarray"
                made = builders.dotted(self.ctx.name_of(f"jax.numpy.{function}")[0])
                given = value.args if function == "arange" and isinstance(value, cst.Call) else [cst.Arg(builders.bare(value))]
                value = cst.Call(made, given)
            name = self.ctx.local("rows")
            self.made.append(builders.assigned((name,), value))
            self.names[node] = cst.Name(name)
        return self.names[node]
