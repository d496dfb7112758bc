"""How all iterations of a loop run in parallel: as code on whole arrays, or as a function of one iteration that JAX maps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import libcst as cst

from ..codegen.array_updates import least_rank, without_axes
from ..context import Context
from ..core.findings import Edit, Statement
from ..facts.parallel_loops import Access, Store, WindowRead
from ..syntax import builders, loop_ranges
from ..syntax.sequences import is_sequence, wrapped
from . import search_loops, varying_length_sums
from .whole_array_parts import bound_to, line_of, named_in, tuple_display
from .whole_array_writer import Lines, LoopOutput, WholeArrays, is_reduction, is_store

WINDOWS = "_windows"
READABLE = 2  # so many nested maps are one expression


class _Taken(NamedTuple):
    """A parameter of the function of one iteration: its values for all iterations, and the index of the nest along which they
    vary."""

    name: str
    values: cst.BaseExpression
    along: int | Access

    def axis(self, index: int) -> int | None:
        """The axis along which an index varies, once the axes of the preceding indices are mapped."""
        if isinstance(self.along, int):
            return 0 if self.along == index else None
        return in_axis(self.along, index)


@dataclass(slots=True)
class Vectorizer(WholeArrays):
    """Writes all iterations of one loop nest in parallel."""

    results: dict[cst.CSTNode, str] = field(default_factory=dict)  # what an iteration returns, by the statement that computes it
    rows: dict[str, tuple[str, Access]] = field(default_factory=dict)  # what an iteration reads, by the source of the subscript
    windows: dict[str, tuple[str, WindowRead]] = field(default_factory=dict)  # the same for windows that start at an index

    def edits(self) -> dict[cst.CSTNode, Edit]:
        """The edits of the loop, of its statements, and of the statements that create its outputs before it."""
        found = self.found
        edits: dict[cst.CSTNode, Edit] = {outputs.maker: builders.gone for outputs in self.outputs if outputs.maker is not None}
        edits.update(dict.fromkeys([*found.gone, *(node for s in found.stores for node in s.again)], builders.gone))
        edits.update({call: self._array(cst.Name(r.name)) for r in found.reductions for call in r.arrays})
        if found.elementwise:
            seen = varying_length_sums.inside(self)
            reads = [a for a in found.reads if any(axis >= 0 for axis in a.axes or ()) and a.node not in seen]
            edits.update({a.node: self._sliced(a) for a in reads})
            edits.update(varying_length_sums.edits(self))
            for name, array in found.rows:
                edits.update({n: self._array(array) for n in named_in(found.nest[0].body, name)})
            edits.update(dict.fromkeys(found.shared, self._deeper))
            edits.update({s.node: self._stored(s) for s in found.stores if s.predication is None})
            edits.update({node: self.selection(group, self.sliced, self.finished) for node, group in self.groups.items()})
            for reduction in (r for r in found.reductions if r.predication is None):
                searched = search_loops.Search(self, reduction) if reduction.how == "first" else None
                edits.update({reduction.whole: self._reduced(reduction)} if searched is None else searched.edits())
            edits[found.nest[0]] = self.whole
        else:
            edits.update(self.row_edits())
            edits.update({read.node: self._window(read) for read in found.windows})
            for outputs in self.outputs:
                self.results[outputs.node] = ""
                edits[outputs.whole] = self._result(outputs)
            edits.update(
                {node: self.selection(group, self._parameter, self._named_result) for node, group in self.groups.items()}
            )
            edits[found.nest[0]] = self.mapped
        self.name("jax.numpy.arange")
        if not found.elementwise:
            self.name("jax.lax.map" if found.expensive else "jax.vmap")
        return edits

    def row_edits(self) -> dict[cst.CSTNode, Edit]:
        """The rows that iterations read become parameters."""
        return {a.node: self._row(a) for a in self.found.rows_read}

    def _row(self, access: Access) -> Edit:
        return lambda _made: self._parameter(access)

    def _window(self, read: WindowRead) -> Edit:
        self.definitions.add(WINDOWS)

        def edit(made: cst.Subscript) -> cst.BaseExpression:
            shown = builders.axes_shown(builders.flat(made.slice))
            code = cst.Module([]).code_for_node(cst.Subscript(cst.Name(read.access.array), read.along.parts))
            if code not in self.windows:
                self.windows[code] = (self.ctx.names.local(f"{read.access.array}_window", "window"), read)
            name = cst.Name(self.windows[code][0])
            return cst.Subscript(name, builders.clean(shown)) if shown else name

        return edit

    def _all_windows(self, read: WindowRead) -> cst.BaseExpression:
        """`_windows(x, first, last, size, axis)`: the windows of all iterations."""
        made = self.sliced(read.access, aligned=False)
        parts = [p.slice for p in read.along.parts if not builders.is_new_axis(p.slice)]
        axis = 0
        for position, index in enumerate(read.access.axes or ()):
            if position in read.starts:
                along, number = read.starts[position]
                low, high, _step = self.bounds(along)
                size = cst.parse_expression(read.sizes[position])
                given = [loop_ranges.plus(low, number), loop_ranges.plus(high, number)] if number is not None else []
                given = given or [self._started(parts[position], along, bound) for bound in (low, high)]
                made = builders.call(cst.Name(self.ctx.names.defined(WINDOWS)), made, *given, size)
                made = builders.with_keyword(made, "axis", cst.Integer(str(axis)))
                axis += 1
            axis += index != -1
        return made

    def _started(self, part: cst.BaseSlice, along: int, bound: cst.BaseExpression) -> cst.BaseExpression:
        """The start of a slice for an index."""
        assert isinstance(part, cst.Slice) and part.lower is not None
        start = builders.replaced(self.ctx.rewritten(part.lower), {self.found.indices[along]: builders.operand(bound)})
        return loop_ranges.cancelled(start)

    @property
    def groups(self) -> dict[cst.CSTNode, list[LoopOutput]]:
        """What branches store and add up, by branch."""
        found: dict[cst.CSTNode, list[LoopOutput]] = {}
        for outputs in self.outputs:
            if outputs.predication is not None:
                found.setdefault(outputs.whole, []).append(outputs)
        return found

    def _named_result(self, outputs: LoopOutput, value: cst.BaseExpression) -> list[cst.Assign]:
        return [self.result(outputs, value)]

    def _parameter(self, access: Access) -> cst.BaseExpression:
        return cst.Name(self.row(access))

    def _result(self, outputs: LoopOutput) -> Edit:
        branch = outputs.whole is not outputs.node
        return lambda _made: line_of(self.result(outputs)) if branch else self.result(outputs)

    def result(self, statement: LoopOutput, value: cst.BaseExpression | None = None) -> cst.Assign:
        """The assignment of what an iteration computes for a statement to a new variable. `value`: that value, where it is
        known."""
        suffix = (self.found.indices[-1] or "row") if _collects(statement) else "term"
        self.results[statement.node] = self.ctx.names.local(f"{output_name(statement)}_{suffix}")
        if value is None:
            value = stored_value(statement, self.ctx) if is_store(statement) else self.ctx.rewritten(statement.value)
        if is_store(statement) and not statement.fits:
            shape, rank = item_shape(statement), least_rank(statement.value, self.ctx)
            if isinstance(shape, cst.Tuple) and not statement.open:
                value = without_axes(value, rank - len(shape.elements))
            value = builders.call(self.name("jax.numpy.broadcast_to"), value, shape)
        return bound_to(self.results[statement.node], value)

    def mapped(self, made: cst.For) -> cst.FlattenSentinel[cst.BaseStatement]:
        """A function of one iteration, and its map over all iterations."""
        outputs = self.outputs
        outputs.sort(key=lambda s: list(self.results).index(s.node))
        body = [line for each in self._body(made) for line in (each, *self._asserted(each))]
        direct = self._direct(outputs)
        if direct is not None:
            return self.replacement(made, [line_of(each) for each in self.finished(outputs[0], direct)], spaced=False)
        names = [self.results[s.node] for s in outputs]
        function = self.ctx.names.local(f"{output_name(outputs[0])}_at" if _collects(outputs[0]) else "term", "turn")
        used = builders.names(cst.IndentedBlock(body))
        taken = [_Taken(name, self.arange(k), k) for k, name in enumerate(self.found.indices) if name in used]
        taken += [_Taken(name, self.ctx.rewritten(array), 0) for name, array in self.found.rows if name in used]
        rows = [(name, access) for name, access in self.rows.values() if name in used]
        taken += [_Taken(name, self.sliced(access, aligned=False), access) for name, access in rows]
        windows = [(name, read) for name, read in self.windows.values() if name in used]
        taken += [_Taken(name, self._all_windows(read), read.along) for name, read in windows]
        mentioned = {axis for t in taken for axis in range(len(self.found.indices)) if t.axis(axis) is not None}
        for k in set(range(len(self.found.indices))) - mentioned:  # nothing else determines the trip count
            values = self.ctx.rewritten(self.found.rows[0][1]) if self.found.rows else self.arange(k)
            taken.append(_Taken("_" if len(mentioned) == len(self.found.indices) - 1 else self.found.indices[k], values, k))
        params = [t.name for t in taken]
        stages: list[cst.SimpleStatementLine] = []
        mapped: cst.BaseExpression = self._map(cst.Name(function), outputs, taken, stages)
        definition = builders.function(function, params, _returning(body, names))
        if stages and len(outputs) == 1:
            terms = self.ctx.names.local("terms", f"{function}_all")
            stages.append(line_of(bound_to(terms, mapped)))
            mapped = cst.Name(terms)
        if len(outputs) == 1:
            lines = [*stages, *(line_of(each) for each in self.finished(outputs[0], mapped))]
            return self.replacement(made, [definition, *_after(lines)], spaced=True)
        plain = {s.node: output_name(s) if _is_list(s) and not self.typed(s) else self.results[s.node] for s in outputs}
        lines = [*stages, builders.assigned(list(plain.values()), mapped)]
        lines += [
            line_of(each)
            for s in outputs
            if plain[s.node] != output_name(s)
            for each in self.finished(s, cst.Name(plain[s.node]))
        ]
        return self.replacement(made, [definition, *_after(lines)], spaced=True)

    def _asserted(self, line: Statement) -> Lines:
        """An assertion that the dtype of the array can hold what an iteration adds, where nothing else implies it: NumPy
        truncates or raises."""
        made = _made_last(line)
        unsure = {self.results[s.node]: s for s in self.found.stores if s.unsure and s.node in self.results}
        if made is None or made[0] not in unsure:
            return []
        store = unsure[made[0]]
        given, outputs = (cst.Attribute(cst.Name(name), cst.Name("dtype")) for name in (made[0], store.target.array))
        term = builders.call(self.name("jax.numpy.result_type"), cst.Name(made[0])) if store.fits else given
        return [
            line_of(cst.Assert(builders.call(self.name("jax.numpy.can_cast"), term, outputs, cst.SimpleString('"same_kind"'))))
        ]

    def row(self, access: Access) -> str:
        """The parameter for what an iteration reads with one subscript."""
        code = cst.Module([]).code_for_node(access.node)
        if code not in self.rows:
            indices = [self.found.indices[a] for a in access.axes or () if a >= 0]
            plain = not any(access.offsets)
            names = (
                [f"{access.array}_{'_'.join(indices)}"]
                if plain
                else [f"{access.array}_next" if max(access.offsets) > 0 else f"{access.array}_before"]
            )
            self.rows[code] = (self.ctx.names.local(*names), access)
        return self.rows[code][0]

    def _map(
        self,
        function: cst.BaseExpression,
        outputs: Sequence[LoopOutput],
        taken: Sequence[_Taken],
        stages: list[cst.SimpleStatementLine],
    ) -> cst.Call:
        """`jax.vmap(function)(...)` over the indices and the arrays that an iteration reads. The maps of a deep nest are bound
        in `stages`, one per loop."""
        arguments = [t.values for t in taken]
        if self.found.expensive:
            return builders.call(self.name("jax.lax.map"), function, *arguments)
        for axis in reversed(range(len(self.found.indices))):
            axes = [t.axis(axis) for t in taken]
            given = [cst.Arg(function)]
            if any(a != 0 for a in axes):
                given.append(
                    builders.keyword(
                        "in_axes", tuple_display([cst.Name("None") if a is None else cst.Integer(str(a)) for a in axes])
                    )
                )
            out = [out_axis(s, axis) for s in outputs]
            if any(out):
                numbers = [cst.Integer(str(k)) for k in out]
                given.append(builders.keyword("out_axes", numbers[0] if len(numbers) == 1 else tuple_display(numbers)))
            function = cst.Call(self.name("jax.vmap"), given)
            if len(self.found.indices) > READABLE:
                name = self.ctx.names.local(f"over_{self.found.indices[axis]}")
                stages.append(line_of(bound_to(name, function)))
                function = cst.Name(name)
        return builders.call(function, *arguments)

    def _direct(self, outputs: Sequence[LoopOutput]) -> cst.Call | None:
        """`jax.vmap(f)(x)`, where an iteration only calls a project function with its rows."""
        statements = builders.lines(self.found.nest[-1].body)
        call = outputs[0].value
        if len(statements) != 1 or len(self.found.indices) != 1 or self.found.expensive or not isinstance(call, cst.Call):
            return None
        plan = self.ctx.calls.callee(call)
        if (
            not getattr(outputs[0], "fits", True)
            or getattr(outputs[0], "unsure", False)
            or out_axis(outputs[0], 0)
            or (is_store(outputs[0]) and is_sequence(call, self.ctx))
        ):
            return None
        if plan is None or not plan.traceable or plan.returns or plan.random.gives or plan.static_args or plan.random.key:
            return None
        if not isinstance(call.func, cst.Name) or any(a.star or a.keyword is not None for a in call.args):
            return None
        index = self.found.indices[0]
        rows = dict(self.found.rows)
        accesses = {a.node: a for a in self.found.reads}
        given: list[cst.BaseExpression] = []
        axes: list[int | None] = []
        for argument in call.args:
            access = accesses.get(argument.value) if isinstance(argument.value, cst.Subscript) else None
            if isinstance(argument.value, cst.Name) and argument.value.value in (index, *rows):
                name = argument.value.value
                given.append(self.ctx.rewritten(rows[name]) if name in rows else self.arange(0))
                axes.append(0)
            elif access is not None and access.axes is not None and 0 in access.axes:
                given.append(self.sliced(access, aligned=False))
                axes.append(in_axis(access, 0))
            elif not builders.names(argument.value).isdisjoint((index, *rows)):
                return None
            else:
                given.append(self.ctx.rewritten(argument.value))
                axes.append(None)
        if not any(a is not None for a in axes):
            return None
        arguments = [cst.Arg(self.ctx.rewritten(call.func))]
        if any(axes) or None in axes:
            shown = tuple_display([cst.Name("None") if a is None else cst.Integer(str(a)) for a in axes])
            arguments.append(builders.keyword("in_axes", shown))
        return builders.call(cst.Call(self.name("jax.vmap"), arguments), *given)


def item_shape(store: Store) -> cst.BaseExpression:
    """The shape of what one iteration stores: the sliced axes, and those after the subscript."""
    shape = cst.Attribute(cst.Name(store.target.array), cst.Name("shape"))
    sliced = [k for k, axis in enumerate(store.target.axes or ()) if axis == -2]
    rest = cst.Subscript(shape, [cst.SubscriptElement(cst.Slice(cst.Integer(str(len(store.target.parts))), None))])
    sizes = [cst.Subscript(shape, [cst.SubscriptElement(cst.Index(cst.Integer(str(k))))]) for k in sliced]
    if not sizes:
        return rest
    elements: list[cst.BaseElement] = [cst.Element(size) for size in sizes]
    return cst.Tuple([*elements, *([cst.StarredElement(rest)] if store.open else [])])


def in_axis(access: Access, index: int) -> int | None:
    """The axis of what all iterations read along which an index varies, once the axes of the preceding indices are mapped."""
    axes = access.axes or ()
    return sum(a == -2 or a > index for a in axes[: axes.index(index)]) if index in axes else None


def out_axis(outputs: LoopOutput, index: int) -> int:
    """The axis of the results along an index, among the axes of what is stored and of the following indices."""
    if not is_store(outputs) or outputs.masks:
        return 0
    axes = outputs.target.axes or ()
    return sum(a == -2 or a > index for a in axes[: axes.index(index)]) if index in axes else 0


def _returning(body: Lines, names: Sequence[str]) -> Lines:
    """The statements of an iteration, which returns its results."""
    values: dict[str, cst.BaseExpression] = {}
    leading: list[cst.EmptyLine] = []
    trailing = cst.TrailingWhitespace()
    while body and (made := _made_last(body[-1])) is not None and made[0] in names and made[0] not in values:
        if any(named_in(value, made[0]) for value in values.values()):
            break
        last = body[-1]
        assert isinstance(last, cst.SimpleStatementLine)
        if not values:
            trailing = last.trailing_whitespace
        elif last.trailing_whitespace.comment is not None:  # one line returns what several computed
            leading = [cst.EmptyLine(comment=last.trailing_whitespace.comment), *leading]
        values[made[0]] = made[1]
        leading = [*last.leading_lines, *leading]
        body = body[:-1]
    returned = [values.get(name, cst.Name(name)) for name in names]
    line = builders.returned(builders.tuple_of(returned))
    return [*body, line.with_changes(leading_lines=leading, trailing_whitespace=trailing)]


def _made_last(line: Statement) -> tuple[str, cst.BaseExpression] | None:
    match line:
        case cst.SimpleStatementLine(body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value)]):
            return name, value
    return None


def _after(lines: list[cst.SimpleStatementLine]) -> list[Statement]:
    return [builders.spaced(lines[0]), *lines[1:]]


def stored_value(store: Store, ctx: Context) -> cst.BaseExpression:
    """What an iteration stores, as an array where it is a tuple or a list; NJ107 converts a literal."""
    made = ctx.rewritten(store.value)
    listed = is_sequence(store.value, ctx) and not isinstance(store.value, (cst.List, cst.Tuple))
    return wrapped(store.value, made, ctx) if listed else made


def _collects(outputs: LoopOutput) -> bool:
    """Whether each iteration computes an element of an array, or an item of a list."""
    return is_store(outputs) or _is_list(outputs)


def _is_list(outputs: LoopOutput) -> bool:
    return is_reduction(outputs) and outputs.how == "stack"


def output_name(outputs: LoopOutput) -> str:
    if is_store(outputs):
        return outputs.target.array
    assert is_reduction(outputs)
    return outputs.name
