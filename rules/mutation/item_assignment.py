"""Assignment to an element or a slice of an array.

JAX arrays are immutable, so `x[i] = v` and `x[i] += v` become functional updates of `x`. An index that repeats does not
accumulate, as in NumPy. A boolean mask becomes `jnp.where`, which also works under `jit`.

```python
import numpy as np


def total(price):
    total = np.zeros(3)
    total[0] = price * 2
    total[1:] += price
    return total
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def total(price):
    total = jnp.zeros(3)
    total = total.at[0].set(price * 2)
    total = total.at[1:].add(price)
    return total
```
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import libcst as cst

from ..codegen.array_updates import Writer, needed, rebinding, refreshed, several
from ..context import Context
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from ..facts.updates import Update
from ..facts.values import Value
from ..syntax import builders
from ..syntax.row_exchanges import lengths_that_overlap
from ..syntax.tree import children

rule = Rule(__name__, "NJ201")


@rule.on(cst.AugAssign)
def augmented(node: cst.AugAssign, ctx: Context) -> Iterator[Finding]:
    for update in ctx.effects.updates(node):
        if update.problem or update.target is None or not update.steps or ctx.effects.slot(node) is not None:
            continue
        writer = Writer(ctx, update, node.operator, node.value, ctx.value(node.value))
        yield Finding(node, f"`{update.access_path}` is changed in place", {node: _edit(writer)}, needed(update, ctx))


@rule.on(cst.Assign)
def plain(node: cst.Assign, ctx: Context) -> Iterator[Finding]:
    updates = [u for u in ctx.effects.updates(node) if not u.problem and u.target is not None]
    if not updates or ctx.effects.slot(node) is not None:
        return
    message = f"`{updates[0].access_path}` is changed in place"
    if len(node.targets) == 1 and isinstance(node.targets[0].target, (cst.Subscript, cst.Attribute)):
        writer = Writer(ctx, updates[0], None, node.value, ctx.value(node.value))
        if _shape(node.targets[0].target):
            return
        yield Finding(node, message, {node: _edit(writer)}, frozenset(_imports(updates, ctx)))
        return
    if any(_shape(t.target) for t in node.targets):
        return
    if len(node.targets) == 1 and isinstance(node.targets[0].target, (cst.Tuple, cst.List)):
        yield from _unpacked(node, node.targets[0].target, updates, ctx, message)
        return
    yield Finding(node, message, {node: lambda made: _chained(made, node, updates, ctx)}, frozenset(_imports(updates, ctx)))


def _shape(target: cst.BaseExpression) -> bool:
    return isinstance(target, cst.Attribute) and target.attr.value == "shape"


def _imports(updates: Iterable[Update], ctx: Context) -> frozenset[str]:
    return frozenset().union(*(needed(u, ctx) for u in updates))


def _edit(writer: Writer):  # type: ignore[no-untyped-def]
    def edit(made: cst.Assign | cst.AugAssign) -> object:
        writer.value = made.value
        statement = rebinding(writer.update, writer.expression(), writer.ctx)
        return several([statement, *refreshed(writer.update, writer.ctx)])

    return edit


def _stored(update: Update, value: cst.BaseExpression, stored: Value, ctx: Context) -> list[cst.BaseSmallStatement]:
    writer = Writer(ctx, update, None, value, stored)
    return [rebinding(update, writer.expression(), ctx), *refreshed(update, ctx)]


def _chained(made: cst.Assign, node: cst.Assign, updates: list[Update], ctx: Context) -> object:
    """`a[i] = b[j] = v`: the value is computed once, then stored from left to right."""
    statements: list[cst.BaseSmallStatement] = []
    first = node.targets[0].target
    value: cst.BaseExpression = made.value
    if not isinstance(value, (cst.Name, cst.Integer, cst.Float)):
        name = first.value if isinstance(first, cst.Name) else ctx.names.fresh("value")
        statements.append(cst.Assign([cst.AssignTarget(cst.Name(name))], value))
        value = cst.Name(name)
    stored = ctx.value(node.value)
    for target in node.targets:
        update = next((u for u in updates if u.node is node and _targets(u, target.target)), None)
        if update is not None:
            statements += _stored(update, value, stored, ctx)
        elif not (isinstance(target.target, cst.Name) and isinstance(value, cst.Name) and target.target.value == value.value):
            statements.append(cst.Assign([cst.AssignTarget(target.target)], value))
    return several(statements)


def _targets(update: Update, target: cst.BaseExpression) -> bool:
    return bool(update.steps) and update.steps[-1] is target


def _unpacked(
    node: cst.Assign, target: cst.Tuple | cst.List, updates: list[Update], ctx: Context, message: str
) -> Iterator[Finding]:
    """`a[0], b = f()`: a value unpacked into an array element is bound to a name first, then stored."""
    elements = [e.value for e in target.elements]
    stores = {i: next((u for u in updates if _targets(u, e)), None) for i, e in enumerate(elements)}
    if any(isinstance(e, (cst.Tuple, cst.List, cst.StarredElement)) for e in elements):
        yield Finding(node, "an array is changed by a nested assignment", blocks=True)
        return
    source = node.value
    display = isinstance(source, (cst.Tuple, cst.List)) and len(source.elements) == len(elements)
    if display and isinstance(source, (cst.Tuple, cst.List)):
        stored = [ctx.value(e.value) for e in source.elements]
        if dimensions := _swapped(elements, [e.value for e in source.elements], updates, stored, ctx):
            yield Finding(
                node, message, {node: lambda made: _swap(made, updates, dimensions, ctx)}, frozenset(_imports(updates, ctx))
            )
            return
        if all(u is not None for u in stores.values()) and _are_views([e.value for e in source.elements], updates, ctx):
            yield Finding(
                node, message, {node: lambda made: _in_order(made, list(stores.values()), stored, ctx)}, _imports(updates, ctx)
            )
            return
        apart = lengths_that_overlap(elements, [e.value for e in source.elements]) is not None
        for value in stored:
            for update in updates:
                if value.kind is not Kind.SCALAR and value.memory & update.value.memory and (value.rank > 0 or not apart):
                    rows = f"rows of `{update.access_path}` are swapped, which NumPy does through views, one after the other"
                    yield Finding(
                        node,
                        rows if value.rank > 0 else f"if these are rows of `{update.access_path}`, NumPy copies one twice",
                        blocks=True,
                    )
                    return
        paths = {u.access_path for u in updates}
        if len(paths) == 1 and all(u is not None and _one_set(u, ctx) for u in stores.values()) and not updates[0].refresh:
            yield Finding(
                node,
                message,
                {node: lambda made: _exchanged(made, list(stores.values()), stored, ctx)},
                frozenset(_imports(updates, ctx)),
            )
            return
    bound = {e.value for e in elements if isinstance(e, cst.Name)}
    for i, store in stores.items():
        if store is not None and bound & _later_names(elements[i]):
            yield Finding(node, "an index is bound in the same assignment", blocks=True)
            return
    yield Finding(
        node, message, {node: lambda made: _separate(made, elements, stores, ctx, node)}, frozenset(_imports(updates, ctx))
    )


def _one_set(update: Update, ctx: Context) -> bool:
    """Whether an assignment to an element becomes `x.at[i].set(v)` and nothing else."""
    if len(update.steps) != 1 or not isinstance(update.steps[0], cst.Subscript):
        return False
    indices = [ctx.value(p.slice.value) for p in update.steps[0].slice if isinstance(p.slice, cst.Index)]
    return not any(i.kind is Kind.ARRAY and i.dtype == "bool_" for i in indices)


def _later_names(target: cst.BaseExpression) -> set[str]:
    if not isinstance(target, cst.Subscript):
        return set()
    found: set[str] = set()
    stack: list[cst.CSTNode] = list(target.slice)
    while stack:
        item = stack.pop()
        if isinstance(item, cst.Name):
            found.add(item.value)
        stack.extend(children(item))
    return found


def _are_views(values: Sequence[cst.BaseExpression], updates: Sequence[Update], ctx: Context) -> bool:
    """Whether all values are views of arrays that the assignment updates. NumPy does not copy them: each store reads the current
    contents."""
    paths = {update.access_path for update in updates}
    for value in values:
        if not isinstance(value, cst.Subscript) or not isinstance(value.value, cst.Name) or value.value.value not in paths:
            return False
        parts = [part.slice for part in builders.flat(value.slice)]
        indices = [part.value for part in parts if isinstance(part, cst.Index)]
        if not all(ctx.kind(index) is Kind.SCALAR for index in indices) or any(builders.names(part) & paths for part in parts):
            return False
        if len(indices) == len(parts) and ctx.value(value.value).rank <= len(parts):
            return False  # a number, for all that is known
    return True


def _in_order(made: cst.Assign, stores: list[Update | None], stored: list[Value], ctx: Context) -> object:
    """`x[:2], x[2:4] = x[2:4], x[:2]`: one store after the other, each reading the current contents."""
    assert isinstance(made.value, (cst.Tuple, cst.List))
    statements: list[cst.BaseSmallStatement] = []
    for update, element, value in zip(stores, made.value.elements, stored, strict=True):
        assert update is not None
        statements += _stored(update, element.value, value, ctx)
    return several(statements)


def _swapped(
    targets: list[cst.BaseExpression],
    values: list[cst.BaseExpression],
    updates: list[Update],
    stored: list[Value],
    ctx: Context,
) -> int:
    """For `x[i], x[j] = x[j], x[i]` of unknown rank, the rank for which the elements are numbers; else 0."""
    if len(targets) != 2 or len(updates) != 2 or updates[0].access_path != updates[1].access_path or updates[0].refresh:
        return 0
    if not (targets[0].deep_equals(values[1]) and targets[1].deep_equals(values[0])):
        return 0
    if any(u.value.rank >= 0 or len(u.steps) != 1 for u in updates) or any(v.kind is Kind.SCALAR for v in stored):
        return 0
    parts = [part.slice for t in targets if isinstance(t, cst.Subscript) for part in builders.flat(t.slice)]
    if not all(isinstance(part, cst.Index) and ctx.kind(part.value) is Kind.SCALAR for part in parts):
        return 0  # whatever the rank, a slice is a view, and indexing by a list or an array copies
    counts = {len(builders.flat(t.slice)) for t in targets if isinstance(t, cst.Subscript)}
    return counts.pop() if len(counts) == 1 else 0


def _swap(made: cst.Assign, updates: list[Update], dimensions: int, ctx: Context) -> object:
    """Exchange numbers. Rows are views: NumPy copies the second over the first, and then the result over the second."""
    assert isinstance(made.value, (cst.Tuple, cst.List))
    first, second = (e.value for e in made.value.elements)
    assert isinstance(second, cst.Subscript)
    numbers = cst.Comparison(
        cst.Attribute(second.value.deep_clone(), cst.Name("ndim")),
        [cst.ComparisonTarget(cst.Equal(), cst.Integer(str(dimensions)))],
    )
    either = cst.IfExp(numbers, second, first.deep_clone())
    built = [
        Writer(ctx, update, None, value, Value()).expression() for update, value in zip(updates, (first, either), strict=True)
    ]
    return rebinding(updates[0], _onto(built[0], built[1]), ctx)


def _exchanged(made: cst.Assign, stores: list[Update | None], stored: list[Value], ctx: Context) -> object:
    """`x[i], x[j] = x[j], x[i]`: one expression, in which all values are read before the update."""
    assert isinstance(made.value, (cst.Tuple, cst.List))
    first = stores[0]
    assert first is not None
    expression: cst.BaseExpression | None = None
    for update, element, value in zip(stores, made.value.elements, stored, strict=True):
        assert update is not None
        writer = Writer(ctx, update, None, element.value, value)
        built = writer.expression()
        expression = built if expression is None else _onto(expression, built)
    assert expression is not None
    return rebinding(first, expression, ctx)


def _onto(before: cst.BaseExpression, update: cst.BaseExpression) -> cst.BaseExpression:
    """`x.at[i].set(v)`, with `x` replaced by the update built so far."""
    match update:
        case cst.Call(
            func=cst.Attribute(value=cst.Subscript(value=cst.Attribute(attr=cst.Name(value="at")) as reach) as item) as setter
        ):
            return update.with_changes(func=setter.with_changes(value=item.with_changes(value=reach.with_changes(value=before))))
    raise TypeError("not an update")


def _separate(
    made: cst.Assign, elements: list[cst.BaseExpression], stores: dict[int, Update | None], ctx: Context, node: cst.Assign
) -> object:
    targets, after = [], list[cst.BaseSmallStatement]()
    original = ctx.value(node.value).elements
    for i, element in enumerate(elements):
        update = stores[i]
        if update is None:
            targets.append(cst.Element(element.deep_clone()))
            continue
        name = ctx.names.fresh(f"{update.access_path.replace('.', '_')}_value".removeprefix("self_"))
        targets.append(cst.Element(cst.Name(name)))
        stored = original[i] if original is not None and len(original) == len(elements) else Value()
        after += _stored(update, cst.Name(name), stored, ctx)
    unpack = cst.Assign([cst.AssignTarget(cst.Tuple(targets, lpar=[], rpar=[]))], made.value)
    return several([unpack, *after])
