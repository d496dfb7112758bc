"""What a unit passes to methods of objects of unknown class, and which other such objects these values come from.

Where such a method is left as NumPy and changes what it makes of its arguments, these must be NumPy arrays. What a converted
method of such an object returned, or what it stores as an attribute, is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.values import NOTHING, UNKNOWN, Value
from ...rules.syntax.tree import EXPRESSIONS, children, walk
from ..analysis.interp.calls import PASSED_ON
from ..analysis.loops.loop_analysis import is_token
from ..analysis.state.access_paths import path_of
from ..analysis.state.interpreter_state import Run
from ..analysis.state.lattice import givers

WRITTEN = "!"  # the unit itself changes it
REBOUND = "!="  # changed only by `o.x op= v` and never read: like a rebinding, if its array has no alias
NO_ARRAYS = (Kind.SCALAR, Kind.STRING, Kind.NONE, Kind.FUNCTION, Kind.CLASS, Kind.MODULE, Kind.DTYPE)
PUTTING = frozenset({"append", "add", "put", "insert", "extend", "setdefault", "update", "push", "appendleft"})
FUNCTIONS = frozenset({cst.FunctionDef, cst.Lambda})
OTHER_ARRAYS = frozenset(
    "torch tensorflow cupy cupynumeric cunumeric legate dask dpnp mxnet astropy pint sparse numba dace".split()
)
BINDING = frozenset({cst.AnnAssign, cst.Assign, cst.AugAssign, cst.Call, cst.CompFor, cst.For, cst.NamedExpr, cst.WithItem})


class PassedValue(NamedTuple):
    """An argument that may be an array, or contain some.

    `callee`: ".name" is a method of an object of unknown class, "" a function value; otherwise a function of the project, WRITTEN
    or REBOUND. `position`: "0", "1" ..., a keyword, or "*" for any. `params`: the parameters of the unit that the value may be
    made of. `sources`: where it may come from: ".name", the result of such a method; "attr:C.x", an attribute, "attr:?.x" if the
    class is unknown; "global:m.T".
    """

    callee: str
    position: str
    params: frozenset[str] = NOTHING
    sources: frozenset[str] = NOTHING


def passed_values(run: Run, nodes: list[cst.CSTNode], imports: frozenset[str], rewritten: bool) -> tuple[PassedValue, ...]:
    """The relevant values that a unit passes on or changes. `imports`: the dotted names that its file imports. `rewritten`: the
    file may be rewritten, so that what it adds to arrays can be made NumPy's."""
    if rewritten and _has_no_other_arrays(run, imports):
        run.host.takes_in = frozenset(node for node in nodes if type(node) is cst.AugAssign and _takes_in(run, node))
    if not run.call_graph.blind and not any(
        a.startswith(("attr:?.", "?.")) for a in (*run.attributes.reads_attrs, *run.attributes.attr_stores)
    ):
        return ()
    added = {node for node in nodes if type(node) is cst.AugAssign and rewritten and is_added(run, node)}
    origins = Origins(run)
    origins.propagate([node for node in nodes if node not in added])
    run.effects.operands = {node: found for node in added if (found := unseen(origins.of(node.value)))}
    return tuple(dict.fromkeys((*_to_unknown(run, origins), *_to_known(run, origins), *_written(run, nodes, origins))))


def is_added(run: Run, node: cst.AugAssign) -> bool:
    """Whether `x op= v` certainly adds numbers to the array x, and not elements of a list."""
    kinds = [run.values.get(part, UNKNOWN).kind for part in (node.target, node.value)]
    place = path_of(node.target) is not None and run.source.name not in run.facts.program.pandas
    return place and Kind.ARRAY in kinds and all(k in (Kind.ARRAY, Kind.UNKNOWN) for k in kinds)


def _takes_in(run: Run, node: cst.AugAssign) -> bool:
    """Whether `x op= v` may add an argument, or a part of one, to an array x that may have an alias."""
    if isinstance(node.target, cst.Subscript) and run.values.get(node.target.value, UNKNOWN).kind is Kind.ARRAY:
        return False  # an element is stored, whatever it is
    target, value = (run.values.get(part, UNKNOWN) for part in (node.target, node.value))
    arrays = all(v.kind in (Kind.ARRAY, Kind.UNKNOWN) and v.rank != 0 and not v.number for v in (target, value))
    return arrays and bool(made_of((value,)))


def _has_no_other_arrays(run: Run, imports: frozenset[str]) -> bool:
    """Whether the arrays of a file are NumPy's: it imports NumPy, and no library with arrays of its own."""
    roots = {name.partition(".")[0] for name in imports}
    return "numpy" in roots and run.source.name not in run.facts.program.pandas and roots.isdisjoint(OTHER_ARRAYS)


class Origins:
    """Where the values of a unit may come from: objects of unknown class, attributes, module variables."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.names: dict[str, frozenset[str]] = {}

    def propagate(self, nodes: list[cst.CSTNode]) -> None:
        """Follow assignments up to the fixed point."""
        bindings = [(path, value) for node in nodes if type(node) in BINDING for path, value in _bindings(self.run, node)]
        inner: list[Any] = [n for n in nodes if type(n) in FUNCTIONS and n is not self.run.unit.owner]
        anywhere = {p.name.value for f in inner for p, _parent in walk(f.params) if isinstance(p, cst.Param)}
        anywhere |= {f.name.value for f in inner if isinstance(f, cst.FunctionDef)}
        caught: list[Any] = [n for n in nodes if type(n) in (cst.MatchAs, cst.MatchStar)]
        anywhere |= {n.name.value for n in caught if n.name is not None}
        while True:
            before = dict(self.names)
            for path, value in bindings:
                if found := self.of(value):
                    self.names[path] = self.names.get(path, NOTHING) | found
            every = NOTHING.union(*(self.of(n) for n in self.run.call_graph.blind), *self.names.values()) if anywhere else NOTHING
            self.names |= {name: every for name in anywhere if every}
            if self.names == before:
                return

    def of(self, expression: cst.CSTNode) -> frozenset[str]:
        """The sources of an expression."""
        found: set[str] = set()
        stack: list[Any] = [expression]
        while stack:
            node = stack.pop()
            kind = type(node)
            if kind in EXPRESSIONS and self.run.values.get(node, UNKNOWN).kind in NO_ARRAYS:
                continue
            if kind is cst.Call:
                stack += self._of_call(node, found)
                continue
            found |= self.names.get(path_of(node) or "", NOTHING)
            if kind is cst.Attribute:
                holder = self.run.values.get(node.value, UNKNOWN)
                if holder.kind in (Kind.UNKNOWN, Kind.OBJECT):
                    known = holder.name in self.run.facts.classes
                    found.add(f"attr:{self.run.facts.root(holder.name) if known else '?'}.{node.attr.value}")
                stack.append(node.value)
            elif kind is cst.Name:
                memory = self.run.values.get(node, UNKNOWN).memory
                found |= {m for m in memory if m.startswith("global:")}
            else:
                stack += children(node)
        return frozenset(found)

    def _of_call(self, node: cst.Call, found: set[str]) -> list[cst.CSTNode]:
        """Add the sources that a call itself may return; return the expressions that its result may be made of."""
        if gives_numpy(self.run, node):
            return []
        if name := self.run.call_graph.blind.get(node):
            found.add(f".{name}")
        arguments = [a.value for a in node.args]
        if isinstance(node.func, cst.Attribute):
            return [node.func.value, *arguments]
        if isinstance(node.func, cst.Name):
            found |= self.names.get(node.func.value, NOTHING)
            return [*arguments]
        return [node.func, *arguments]


def gives_numpy(run: Run, call: cst.Call) -> bool:
    """Whether a call always returns a NumPy array, whatever its arguments are."""
    name = run.scopes.qualname(call.func) or ""
    owner, _dot, short = name.rpartition(".")
    return (owner.partition(".")[0] == "numpy" and short not in PASSED_ON) or name == "jax.device_get"


def _bindings(run: Run, node: cst.CSTNode) -> Iterator[tuple[str, cst.CSTNode]]:
    """The access paths that a node binds or stores into, with the values."""
    match node:
        case cst.Assign(targets=targets, value=value):
            yield from ((path, value) for t in targets for path in _positions(run, t.target))
        case cst.AnnAssign(target=target, value=cst.BaseExpression() as value) | cst.NamedExpr(target=target, value=value):
            yield from ((path, value) for path in _positions(run, target))
        case cst.AugAssign(target=target, value=value):
            yield from ((path, value) for path in _positions(run, target))
        case cst.For(target=target, iter=value) | cst.CompFor(target=target, iter=value):
            yield from ((path, value) for path in _positions(run, target))
        case cst.WithItem(item=value, asname=cst.AsName(name=name)):
            yield from ((path, value) for path in _positions(run, name))
        case cst.Call(func=cst.Attribute(value=holder, attr=cst.Name(value=name)), args=args) if name in PUTTING:
            if run.values.get(holder, UNKNOWN).kind not in (Kind.MODULE, Kind.ARRAY) and (path := path_of(holder)) is not None:
                yield from ((path, a.value) for a in args)


def _positions(run: Run, target: cst.BaseExpression) -> Iterator[str]:
    stack: list[cst.BaseExpression] = [target]
    while stack:
        at = stack.pop()
        if isinstance(at, (cst.Tuple, cst.List)):
            stack += [e.value for e in at.elements]
        elif isinstance(at, cst.Subscript):
            if run.values.get(at.value, UNKNOWN).kind is not Kind.ARRAY:
                stack.append(at.value)
        elif (path := path_of(at)) is not None:
            yield path
        elif isinstance(at, cst.Attribute):
            stack.append(at.value)


def _to_unknown(run: Run, origins: Origins) -> Iterator[PassedValue]:
    for node, name in run.call_graph.blind.items():
        for position, argument in enumerate(node.args):
            value = run.values.get(argument.value, UNKNOWN)
            if value.kind in NO_ARRAYS:
                continue
            place = "*" if argument.star or not name else str(position)
            if argument.keyword is not None and name:
                place = argument.keyword.value
            yield PassedValue(f".{name}" if name else "", place, made_of((value,)), origins.of(argument.value))


def _to_known(run: Run, origins: Origins) -> Iterator[PassedValue]:
    for node, call in run.call_graph.calls.items():
        if not isinstance(node, cst.Call):
            continue
        ordered = sorted(node.args, key=lambda a: a.keyword is not None)
        positions = [p for p, _value in call.args]
        before = len(positions) - len(ordered)  # the receiver of a method
        for position, argument in enumerate(ordered):
            place = "*" if argument.star or before < 0 else positions[before + position]
            if sources := unseen(origins.of(argument.value)):
                yield PassedValue(call.callee, place, sources=sources)


def _written(run: Run, nodes: list[cst.CSTNode], origins: Origins) -> Iterator[PassedValue]:
    if not run.host.host_writes:
        return
    made_numpy = {node.value for node in run.effects.operands}
    targets = [value for value in run.effects.added if value not in made_numpy]
    for node in nodes:
        if type(node) not in BINDING and type(node) is not cst.AssignTarget:
            continue
        if isinstance(node, cst.AugAssign) and isinstance(node.target, cst.Attribute) and _only_bound(run, nodes, node.target):
            yield PassedValue(REBOUND, "", sources=unseen(origins.of(node.target)))
        elif isinstance(node, cst.AugAssign):
            targets.append(node.target)
        elif isinstance(node, cst.AssignTarget) and isinstance(node.target, cst.Subscript):
            targets.append(node.target.value)
        elif isinstance(node, cst.Call) and node in run.call_graph.calls and node not in run.constraints.blocks:
            targets += [u.argument for u in run.effects.updates.get(node, ()) if u.argument is not None]
        elif isinstance(node, cst.Call) and (node in run.effects.updates or node in run.constraints.blocks):
            targets += [a.value for a in node.args]
            targets += [node.func.value] if isinstance(node.func, cst.Attribute) else []
    if sources := unseen(NOTHING.union(*map(origins.of, targets))):
        yield PassedValue(WRITTEN, "", sources=sources)


def unseen(sources: frozenset[str]) -> frozenset[str]:
    """Only the sources of unknown class: for attributes of known classes and for module variables, it is known who needs NumPy
    arrays."""
    return frozenset(s for s in sources if s.startswith((".", "attr:?.")))


def _only_bound(run: Run, nodes: list[cst.CSTNode], place: cst.Attribute) -> bool:
    """Whether a unit only binds attributes of this name, and never reads them."""
    parents = (run.source.parents[n] for n in nodes if isinstance(n, cst.Attribute) and n.attr.value == place.attr.value)
    return all(isinstance(p, (cst.AugAssign, cst.AssignTarget)) for p in parents)


def made_of(values: Iterable[Value]) -> frozenset[str]:
    """The parameters that values depend on or share memory with."""
    return frozenset(p for value in values for p in givers(value) if not is_token(p))
