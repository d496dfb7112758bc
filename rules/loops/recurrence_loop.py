"""A loop that stores one array element in each iteration, computed from the previous iteration.

`lax.scan` passes the carried values on and stacks the elements. The array itself is not carried, so reverse-mode derivatives
need not store a copy of it for each iteration. Where an iteration reads the element that the previous one stored, that element
is carried. The trip count must be known when tracing, which it is for the length of an array.

The loop carries the array (NJ401) where an iteration reads other elements of it, stores several elements, or stores under a
test.

```python
import numpy as np


def lowpass(x: np.ndarray, decay: float):
    y = np.zeros(len(x))
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = decay * y[i - 1] + (1 - decay) * x[i]
    return y


def trajectory(x: np.ndarray, v: np.ndarray, dt: float, n: int):
    xs = np.zeros((n, 3))
    for i in range(n):
        v = v - dt * x
        x = x + dt * v
        xs[i] = x
    return xs
```

becomes

```python
import functools

import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def lowpass(x: jax.Array, decay: float):
    y = jnp.zeros(len(x))
    y = y.at[0].set(x[0])

    def step(y_before, x_i):
        y_i = decay * y_before + (1 - decay) * x_i
        return y_i, y_i

    _, y_items = lax.scan(step, y[0], x[1:])
    y = y.at[1:].set(y_items)
    return y


@functools.partial(jax.jit, static_argnames="n")
def trajectory(x: jax.Array, v: jax.Array, dt: float, n: int):
    xs = jnp.zeros((n, 3))

    def step(carry, _):
        x, v = carry
        v = v - dt * x
        x = x + dt * v
        return (x, v), jnp.broadcast_to(x, xs.shape[1:])

    _, xs_items = lax.scan(step, (x, v), length=n)
    xs = xs_items.astype(xs.dtype)
    return xs
```
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import libcst as cst

from ..context import Context
from ..core.dtypes import DEFAULTS, absorbs
from ..core.findings import Edit, Finding, Statement
from ..core.registry import Rule
from ..facts.loop_plan import Recurrence
from ..facts.parallel_loops import Store
from ..loop_codegen.loop_functions import carried_as, result, unpacked
from ..loop_codegen.vmap_writer import Vectorizer, item_shape, stored_value
from ..loop_codegen.whole_array_parts import bound_to, line_of
from ..syntax import builders, loop_ranges

rule = Rule(__name__, "NJ416", optional=True)


@rule.on(cst.For)
def check(node: cst.For, ctx: Context) -> Iterator[Finding]:
    match ctx.loops.loop_plan(node):
        case Recurrence(iterations=found):
            pass
        case _:
            return
    writer = _Scan(ctx, found)
    edits = writer.scan_edits()
    names = ", ".join(f"`{s.target.array}`" for s in found.stores)
    yield Finding(node, f"each iteration stores an element of {names}: `lax.scan` stacks them", edits, frozenset(writer.imports))


@dataclass(slots=True)
class _Scan(Vectorizer):
    """Writes the loop as `lax.scan` of one iteration. `before`: by array, the name of the element that the previous iteration
    stored; `items`: by array, the name of the element that the iteration itself stores."""

    before: dict[str, str] = field(default_factory=dict)
    items: dict[str, str] = field(default_factory=dict)

    def scan_edits(self) -> dict[cst.CSTNode, Edit]:
        found = self.found
        for store in found.stores:
            self.items[store.target.array] = self.ctx.names.local(f"{store.target.array}_{found.indices[0]}", "item")
        for _node, array in found.before:
            if array not in self.before:
                self.before[array] = self.ctx.names.local(f"{array}_before", "before")
        edits: dict[cst.CSTNode, Edit] = {s.maker: builders.gone for s in found.stores if s.maker is not None}
        edits.update({node: self._previous(array) for node, array in found.before})
        edits.update(self.row_edits())
        edits.update({s.node: self._made(s) for s in found.stores})
        edits[found.nest[0]] = self.scanned
        for name in ("jax.lax.scan", "jax.numpy.arange"):
            self.name(name)
        return edits

    def _previous(self, array: str) -> Edit:
        """`y[i - 1]` becomes the carried value, `y[i - 1, k]` an element of it."""

        def made(changed: cst.Subscript) -> cst.BaseExpression:
            rest = list(builders.flat(changed.slice))[1:]
            name = cst.Name(self.before[array])
            return name if not rest or builders.whole(rest) else cst.Subscript(name, builders.clean(rest))

        return made

    def _made(self, store: Store) -> Edit:
        return lambda _made: bound_to(self.items[store.target.array], self.item(store))

    def item(self, store: Store) -> cst.BaseExpression:
        """The value that an iteration stores; in the dtype of the array, if the next iteration reads it."""
        value = stored_value(store, self.ctx)
        if not store.fits:
            value = builders.call(self.name("jax.numpy.broadcast_to"), value, item_shape(store))
        if store.target.array not in self.before:
            return value
        known, given = self.ctx.value(store.target.node.value).dtype, self.ctx.value(store.value).dtype
        if store.same or (known == given and known in DEFAULTS):
            return value
        return builders.method(value, "astype", cst.Attribute(cst.Name(store.target.array), cst.Name("dtype")))

    def scanned(self, made: cst.For) -> cst.FlattenSentinel[cst.BaseStatement]:
        """The function of one iteration, and the scan that runs all of them."""
        found, index = self.found, self.found.indices[0]
        body = self._body(made)
        values: dict[str, cst.BaseExpression] = {array: cst.Name(name) for array, name in self.items.items()}
        for array in values:
            self._inlined(array, body, values)
        carry = [*found.carry, *self.before.values()]
        going_on = [*(cst.Name(name) for name in found.carry), *(values[array] for array in self.before)]
        used = builders.names(cst.IndentedBlock(body)).union(*(builders.names(v) for v in values.values()))
        taken = [(index, self.arange(0))] if index in used else []
        taken += [(name, self.sliced(access, aligned=False)) for name, access in self.rows.values() if name in used]
        names = [name for name, _values in taken]
        row = names[0] if len(names) == 1 else self.ctx.names.local("row", "turn") if names else "_"
        first = [*unpacked(carry), *([builders.assigned(names, cst.Name(row))] if len(names) > 1 else [])]
        outputs = builders.tuple_of(list(values.values()))
        end = builders.returned(cst.Tuple([cst.Element(builders.tuple_of(going_on)), cst.Element(outputs)]))
        function = self.ctx.names.local("step", f"step_{index}")
        stacked = {s.target.array: self._stacked(s) for s in found.stores}
        later = self.ctx.flow.live_after(found.nest[0]) | {*self.ctx.plan.returns}
        kept = [*found.carry, *("_" for _array in self.before)] if any(n in later for n in found.carry) else ["_"]
        lines: list[Statement] = [
            builders.function(function, [carried_as(carry), row], [*first, *body, end]),
            result(kept, self._call(function, taken), *stacked.values()),
        ]
        for store in found.stores:
            if stacked[store.target.array] != store.target.array:
                lines += [line_of(each) for each in self._array_of(store, cst.Name(stacked[store.target.array]))]
        return self.replacement(made, lines, spaced=True)

    def _array_of(self, store: Store, items: cst.Name) -> list[cst.Assign]:
        """The statements that build the array from its stacked elements."""
        if store.fits or store.maker is not None or not builders.whole(self.parts(store.target, aligned=False)):
            return self.stored(store, items)
        dtype = cst.Attribute(cst.Name(store.target.array), cst.Name("dtype"))
        return [bound_to(store.target.array, builders.method(items, "astype", dtype))]

    def _inlined(self, array: str, body: list[Statement], values: dict[str, cst.BaseExpression]) -> None:
        """Return the expression of an element directly, if nothing changes its operands later."""
        for position, line in enumerate(body):
            match line:
                case cst.SimpleStatementLine(
                    body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value)]
                ) if name == self.items[array]:
                    later = self.ctx.flow.uses(body[position + 1 :])[1]
                    plain = isinstance(value, cst.Name) and value.value not in later
                    if plain or (position == len(body) - 1 and array not in self.before):
                        values[array] = value
                        del body[position]
                    return

    def _call(self, function: str, taken: list[tuple[str, cst.BaseExpression]]) -> cst.Call:
        """`lax.scan(step, start, rows)`."""
        found, (low, high, _step) = self.found, self.bounds(0)
        starts: list[cst.BaseExpression] = [cst.Integer("0") if n in found.unset else cst.Name(n) for n in found.carry]
        back = self.ctx.loops.iteration_space(found.nest[0]).stride == -1
        for array in self.before:
            offset = next(s.target.offsets[0] for s in found.stores if s.target.array == array)
            at = loop_ranges.plus(high, offset) if back else loop_ranges.plus(low, offset - 1)
            starts.append(cst.Subscript(cst.Name(array), [cst.SubscriptElement(cst.Index(at))]))
        arguments = [cst.Arg(cst.Name(function)), cst.Arg(builders.tuple_of(starts))]
        if taken:
            arguments.append(cst.Arg(builders.tuple_of([values for _name, values in taken])))
        elif loop_ranges.is_zero(low):
            arguments.append(builders.keyword("length", loop_ranges.length(low, high)))
        else:
            arguments.append(cst.Arg(self.arange(0)))
        return cst.Call(
            self.name("jax.lax.scan"), [*arguments, *([builders.keyword("reverse", cst.Name("True"))] if back else [])]
        )

    def _stacked(self, store: Store) -> str:
        """The name of the stacked elements: that of the array, if they are all of it."""
        known, given = self.ctx.value(store.target.node.value).dtype, self.ctx.value(store.value).dtype
        whole = store.maker is not None and known == given and absorbs(known, given)
        return store.target.array if whole else self.ctx.names.local(f"{store.target.array}_items", "items")
