"""Arrays in `zip` that may differ in length: all are truncated to the shortest.

JAX maps and scans over arrays of equal length; Python stops where the shortest one ends. Lengths are known when tracing, so
this costs nothing at run time. Nothing is truncated where all arrays certainly have the same length.

```python
import numpy as np


def rough(x: np.ndarray):
    total = 0.0
    for a, b in zip(x, x[1:]):
        total += abs(b - a)
    return total


def mixed(x: np.ndarray, w: np.ndarray):
    y = np.zeros(len(x))
    for i, (a, b) in enumerate(zip(x, w)):
        y[i] = a * b
    return y
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def rough(x: jax.Array):
    total = 0.0
    total = total + jnp.sum(abs(x[1:] - x[:-1]), axis=0)
    return total


@jax.jit
def mixed(x: jax.Array, w: jax.Array):
    y = jnp.zeros(len(x))
    n = min(len(x), len(w))
    y = y.at[:n].set(x[:n] * w[:n])
    return y
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import libcst as cst

from ..context import Context
from ..core.findings import Edit, Finding, Statement
from ..core.registry import Rule
from ..facts.loops import Zipped
from ..syntax import builders
from ..syntax.tree import walk

rule = Rule(__name__, "NJ423")
PLAIN = (cst.Name, cst.Attribute, cst.Subscript, cst.BaseNumber, cst.UnaryOperation, cst.BinaryOperation)
PARTS = (*PLAIN, cst.SubscriptElement, cst.BaseSlice, cst.Tuple, cst.Element, cst.Arg)
SIZES = tuple(f"builtins.{name}" for name in ("len", "range", "min", "max"))
SOMETIMES = (cst.Lambda, cst.IfExp, cst.BooleanOperation, cst.BaseComp)  # their operands may be evaluated never, or several times


@rule.on(cst.For)
def loop(node: cst.For, ctx: Context) -> Iterator[Finding]:
    found = ctx.loops.zipped(node)
    if found is not None:
        yield from _truncated(node, node, found, ctx)


@rule.on(cst.Call)
def reduction(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    """`sum(... for a, b in zip(x, y))`."""
    found = ctx.loops.zipped(node)
    if found is not None:
        yield from _truncated(node, ctx.flow.statement(node), found, ctx)


def _truncated(node: cst.For | cst.Call, statement: cst.CSTNode, found: Zipped, ctx: Context) -> Iterator[Finding]:
    if found.truncations is not None:
        edits: dict[cst.CSTNode, Edit] = {
            operand: _shorter(cut) for operand, cut in zip(found.operands, found.truncations, strict=True) if cut
        }
        message = "they differ in length: the longer ones are truncated to the shortest"
        if edits:
            yield Finding(node, message, edits, wraps=True)
        return
    message = "they may differ in length: all are truncated to the shortest"
    if any(_is_taken(name, ctx) for name in ("min", "len")):
        yield Finding(node, f"{message}, for which `min` and `len` have to be Python's", blocks=True)
        return
    ahead = _runs_first(node, statement, ctx)
    writer = _Counted(node, found, ctx, ahead)
    edits = writer.edits()
    if writer.names and not ahead:
        yield Finding(
            node, f"{message}, and one of them would be computed twice for it: bind a variable to it first", blocks=True
        )
        return
    yield Finding(node, message, edits, before=writer.lines if ahead else None, wraps=True)


def _is_taken(name: str, ctx: Context) -> bool:
    """Whether the name of a builtin function may mean something else in the function."""
    places = [] if ctx.unit.definition is None else [n for n, _parent in walk(ctx.unit.definition) if isinstance(n, cst.Name)]
    return any(n.value == name and ctx.qualname(n) != f"builtins.{name}" and not _is_label(n, ctx) for n in places)


def _is_label(node: cst.Name, ctx: Context) -> bool:
    """Whether a name is that of an attribute or a keyword argument."""
    match ctx.parent(node):
        case cst.Attribute(attr=label) | cst.Arg(keyword=label):
            return label is node
    return False


def _runs_first(node: cst.CSTNode, statement: cst.CSTNode, ctx: Context) -> bool:
    """Whether the zipped operands are certainly evaluated, and have the same values before the statement."""
    if node is statement:
        return True
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return False
    if any(isinstance(n, cst.NamedExpr) for n, _parent in walk(statement)):
        return False
    above = ctx.parent(node)
    while above is not None and above is not statement:
        if isinstance(above, SOMETIMES):
            return False
        above = ctx.parent(above)
    return True


def _shorter(cut: int) -> Edit:
    """The edit that drops `cut` rows at the end."""

    def edit(made: cst.BaseExpression) -> cst.Subscript:
        match made:
            case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Slice(upper=upper, step=None) as part), *rest]) if (
                last := _left_out(upper)
            ) is not None:
                shorter = part.with_changes(upper=builders.integer(-cut - last))
                return made.with_changes(slice=[made.slice[0].with_changes(slice=shorter), *rest])
        return _part(made, builders.integer(-cut))

    return edit


def _left_out(upper: cst.BaseExpression | None) -> int | None:
    """The number of rows that a slice drops at the end, None if its bound does not tell."""
    match upper:
        case None:
            return 0
        case cst.UnaryOperation(operator=cst.Minus(), expression=cst.Integer() as number):
            return number.evaluated_value
    return None


def _part(made: cst.BaseExpression, stop: cst.BaseExpression) -> cst.Subscript:
    space = cst.SimpleWhitespace(" " if isinstance(stop, cst.Call) else "")
    rows = cst.Slice(None, stop, first_colon=cst.Colon(whitespace_after=space))
    return cst.Subscript(builders.operand(made), [cst.SubscriptElement(rows)])


def _clause(reduction: cst.Call) -> cst.CompFor:
    """The `for` clause of a Python reduction."""
    terms = reduction.args[0].value
    assert isinstance(terms, (cst.GeneratorExp, cst.ListComp))
    return terms.for_in


@dataclass(slots=True)
class _Counted:
    """Truncates the zipped operands to a number of rows, which is bound to a variable `ahead` of the statement if possible.
    `names`: variables for operands that are computed only once; `written`: whether these and the lengths are being written."""

    node: cst.For | cst.Call
    found: Zipped
    ctx: Context
    ahead: bool
    names: dict[cst.BaseExpression, str] = field(default_factory=dict)
    written: bool = False

    def edits(self) -> dict[cst.CSTNode, Edit]:
        for operand in self.found.operands:
            if not self._plain(operand):
                self.names[operand] = self.ctx.names.local("rows")
        return {operand: self._truncated(operand) for operand in self.found.operands}

    def lines(self) -> Sequence[Statement]:
        """The statements that bind the variables and the number of rows."""
        self.written = True
        lines: list[Statement] = [builders.assigned((name,), self.ctx.rewritten(o)) for o, name in self.names.items()]
        self.written = False
        return [*lines, builders.assigned((self.ctx.loops.row_count(self.node),), self._least())]

    def _least(self) -> cst.BaseExpression:
        """The number of rows of the shortest operand."""
        self.written = True
        lengths = [builders.call(cst.Name("len"), self._itself(operand)) for operand in self.found.shortest]
        self.written = False
        return builders.call(cst.Name("min"), *lengths)

    def _itself(self, operand: cst.BaseExpression) -> cst.BaseExpression:
        name = self.names.get(operand)
        return builders.bare(self.ctx.rewritten(operand)) if name is None else cst.Name(name)

    def _truncated(self, operand: cst.BaseExpression) -> Edit:
        name = self.names.get(operand)
        known = cst.Name(self.ctx.loops.row_count(self.node)) if self.ahead else None

        def edit(made: cst.BaseExpression) -> cst.BaseExpression:
            if self.written:
                return made
            count = known or self._least()
            if self._counts(operand) and isinstance(made, cst.Call):
                return builders.call(made.func, count)
            return _part(made if name is None else cst.Name(name), count)

        return edit

    def _counts(self, operand: cst.BaseExpression) -> bool:
        """Whether an operand counts from 0: `range(n)`."""
        whole = self.node if isinstance(self.node, cst.For) else _clause(self.node)
        leaves = {leaf.iterable: leaf for leaf in self.ctx.loops.iteration_space(whole).leaves}
        return operand not in self.names and leaves[operand].is_range and len(leaves[operand].bounds) == 1

    def _plain(self, node: cst.CSTNode) -> bool:
        """Whether an operand is cheap to compute twice, and has no side effects."""
        return all(
            isinstance(n, PARTS) or (isinstance(n, cst.Call) and self.ctx.qualname(n.func) in SIZES) for n, _p in walk(node)
        )
