"""The rows of a loop over arrays: all of them, for `lax.scan`, or one by its index, where a loop may end early."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from ..context import Context
from ..core.findings import Kind, Statement
from ..facts.iteration_space import IterationSpace
from ..syntax import builders, loop_ranges
from . import zip_lengths


def stacked(loop: cst.For, ctx: Context) -> tuple[cst.BaseExpression, frozenset[str]]:
    """The operand over which `lax.scan` iterates in place of the iterable of an (original) loop."""
    return _stacked(ctx.loops.iteration_space(loop), ctx, loop)


def _stacked(space: IterationSpace, ctx: Context, loop: cst.For) -> tuple[cst.BaseExpression, frozenset[str]]:
    arange, imports = ctx.names.name_of("jax.numpy.arange")
    inner = [_stacked(part, ctx, loop) for part in space.parts]
    match space.function:
        case "range":
            return _numbers(ctx.rewritten(space.iterable), arange, ctx), imports
        case "reversed":
            return inner[0]
        case "zip":
            return cst.Tuple([cst.Element(part) for part, _i in inner]), imports.union(*(i for _p, i in inner))
        case "enumerate":
            index = builders.call(builders.dotted(arange), zip_lengths.count(loop, space.parts[0].iterable, ctx))
            start = zip_lengths.start(space, ctx)
            counted = index if start is None else cst.BinaryOperation(builders.operand(start), cst.Add(), index)
            return cst.Tuple([cst.Element(counted), cst.Element(inner[0][0])]), imports | inner[0][1]
    if ctx.kind(space.iterable) is Kind.ARRAY:
        return builders.bare(ctx.rewritten(space.iterable)), frozenset()
    asarray, imports = ctx.names.name_of("jax.numpy.asarray")
    return builders.call(builders.dotted(asarray), ctx.rewritten(space.iterable)), imports


def _numbers(made: cst.BaseExpression, arange: str, ctx: Context) -> cst.BaseExpression:
    """The numbers of a (rewritten) range, possibly truncated to the trip count."""
    match made:
        case cst.Call(args=args):
            return cst.Call(builders.dotted(arange), [a.with_changes(value=builders.bare(a.value)) for a in args])
        case cst.Subscript(value=cst.Call() as whole, slice=part):
            return cst.Subscript(_numbers(whole, arange, ctx), part)
    return builders.call(builders.dotted(ctx.names.name_of("jax.numpy.asarray")[0]), made)  # a variable bound to a range


@dataclass(slots=True)
class Rows:
    """The rows by their index, `counter`. `made`: statements that bind what is indexed, where it is no variable."""

    ctx: Context
    counter: str
    made: list[Statement] = field(default_factory=list)
    names: dict[cst.CSTNode, cst.BaseExpression] = field(default_factory=dict)

    def row(self, space: IterationSpace) -> cst.BaseExpression:
        """The element of an (original) iterable for the iteration with this counter."""
        return self._at(space, cst.Name(self.counter))

    def count(self, space: IterationSpace) -> cst.BaseExpression:
        """The number of rows."""
        match space.function:
            case "enumerate" | "reversed":
                return self.count(space.parts[0])
            case "zip":
                return builders.call(cst.Name("min"), *map(self.count, space.parts))
        return builders.call(cst.Name("len"), self._array(space))

    def _at(self, space: IterationSpace, position: cst.BaseExpression) -> cst.BaseExpression:
        match space.function:
            case "zip":
                return cst.Tuple([cst.Element(self._at(part, position)) for part in space.parts])
            case "enumerate":
                index = position
                if space.start is not None:
                    index = loop_ranges.added(self.ctx.rewritten(space.start), position)
                return cst.Tuple([cst.Element(index), cst.Element(self._at(space.parts[0], position))])
            case "reversed":
                inner = space.parts[0]
                return self._at(inner, loop_ranges.minus(loop_ranges.plus(self.count(inner), -1), position))
        return cst.Subscript(self._array(space), [cst.SubscriptElement(cst.Index(position))])

    def _array(self, space: IterationSpace) -> cst.BaseExpression:
        """The variable that is indexed."""
        node = space.iterable
        if isinstance(node, cst.Name) and self.ctx.kind(node) is Kind.ARRAY:
            return node
        if node not in self.names:
            value = self.ctx.rewritten(node)
            if self.ctx.kind(node) is not Kind.ARRAY:
                function = "arange" if space.is_range else "asarray"
                made = builders.dotted(self.ctx.names.name_of(f"jax.numpy.{function}")[0])
                given = value.args if function == "arange" and isinstance(value, cst.Call) else [cst.Arg(builders.bare(value))]
                value = cst.Call(made, given)
            name = self.ctx.names.local("rows")
            self.made.append(builders.assigned((name,), value))
            self.names[node] = cst.Name(name)
        return self.names[node]
