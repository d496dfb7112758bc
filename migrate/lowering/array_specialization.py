"""Specialization of functions for arrays: jit compiles a copy of the body, where NumPy's own takes lists, strings and other sequences, too.

`a[i] == b[j]` and `a == names[j]` may compare numbers or letters, and `for x in xs` may take the items of a list; `table[k]` may select by positions or by a
mask. If jit can compile a function as soon as the parameters that it indexes or iterates over are arrays, and those that are indices are
integers, the body is moved (see outlined_text), and the function tests what it got: `if type(a) is np.ndarray: return _f_core(a)`, with
the original statements below. These also run for arrays of few items, which take NumPy less time than the call.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.function_plan import MOST_LINES
from ...rules.facts.values import UNKNOWN, Value
from ...rules.syntax.source_text import code
from ..analysis.inference.compared_values import labels_among, perhaps_text
from ..analysis.interp.subscripts import MAYBE_MASK
from ..analysis.state.project_facts import Facts
from ..linking.cost_model import cost_of, loses
from ..summaries.units import Module, Unit
from ..syntax.bindings import parameters
from ..syntax.names import collect
from .loop_outlining import may_lose_parts
from .outlined_text import Guarded, Moved, Region, named, region_number, written
from .revision import Versions
from .run_time_guards import are_numbers, demanded, guarded, guards_in
from .speculation import Proposal, Speculation, Trial
from .statement_outlining import NEVER

ITERATING = ("builtins.len", "builtins.enumerate", "builtins.zip", "builtins.reversed")
FEW_ITEMS = 100  # of all arrays: one loop over these takes NumPy as long as to call compiled code, or less
REPEATING = (cst.For, cst.While, cst.CompFor)


class Candidates(NamedTuple):
    """The functions that stay NumPy."""

    host: frozenset[str]


def candidates(facts: Facts, unjitted: frozenset[str]) -> Candidates:
    host = (p.name for p in facts.plans.values() if not (p.jit or p.jax or p.refused)) if facts.program.fast else ()
    return Candidates(frozenset(host) - unjitted)


def specialized(
    module: Module, versions: Versions, names: Candidates, rejected: Collection[Hashable], only: Collection[Hashable] | None
) -> Proposal | None:
    """Move the bodies of some functions: of none that was rejected, and if `only` is not None, only of those in it."""
    numpy = module.scopes.name_of("numpy")
    taken = {*module.derived.owners, *module.derived.owners.values()}
    regions = list[Region]()
    for unit in module.units.values() if numpy else ():
        if unit.name not in names.host or unit.name in taken or unit.cls or not isinstance(unit.node, cst.FunctionDef):
            continue
        if unit.node.decorators or unit.node.asynchronous is not None or unit.node not in module.source.module.body:
            continue
        if not may_lose_parts(module, unit):
            continue
        region = _region(module, unit, unit.node, numpy, rejected)
        if region is not None and region.number not in rejected and (only is None or region.number in only):
            regions.append(region)
    made = written(module, versions, regions) if regions else None
    if made is None:
        return None

    def note(new: Module) -> None:
        new.derived.owners = {**module.derived.owners, **{m.function: m.owner for m in made.moved}}
        new.derived.statements = module.derived.statements | {m.function for m in made.moved}
        new.derived.guards = {**module.derived.guards, **{m.function: m.guard for m in made.moved}}

    return Proposal(made.source, made.lines, made.moved, note)


def rejects(trial: Trial) -> set[Hashable]:
    """The functions whose copies jit does not compile, or that do little; and the guards that the others need."""
    moved: Collection[Moved] = trial.changes
    vain = {m.region for m in moved if m.lines > MOST_LINES or not _pays(m, trial)}
    return {*vain, *demanded([m for m in moved if m.region not in vain], trial)}


def _pays(moved: Moved, trial: Trial) -> bool:
    plan, unit = trial.now.plans[moved.function], trial.units[moved.function]
    cost = cost_of(unit.work, len(unit.params))
    faster = cost.numpy >= cost.compiled and not loses(unit.work, len(unit.params), False)
    return plan.jit and not plan.returns and _is_new(unit.result) and faster


def _is_new(result: Value) -> bool:
    """Whether a result is a number, an array that the function allocates, or a tuple of such."""
    if result.kind is Kind.TUPLE and result.elements:
        return all(map(_is_new, result.elements))
    made = all(token.startswith(("new:", "old:")) for token in result.memory)
    return made and result.kind in (Kind.ARRAY, Kind.SCALAR)


SPECIALIZE = Speculation("specialize", ("NJ424",), candidates, specialized, rejects, key=lambda moved: moved.region, trials=1)


def _region(module: Module, unit: Unit, node: cst.FunctionDef, numpy: str, rejected: Collection[Hashable]) -> Region | None:
    """The body of a function, to be moved; None where nothing speaks for arrays, or it does more than compute a result."""
    summary, source = module.summaries[unit.name], module.source
    if summary.effects.mutates or summary.effects.touches or isinstance(node.params.star_arg, cst.Param):
        return None
    if node.params.star_kwarg is not None or not isinstance(node.body, cst.IndentedBlock):
        return None
    body = list(node.body.body)
    if node.get_docstring() is not None:
        body = body[1:]
    found = _arrays(module, unit, node)
    if not body or not (found.sequences or found.indices) or any(source.among(statement, *NEVER) for statement in body):
        return None
    names = collect(body)
    if names.dynamic or names.captured or names.declared:
        return None
    number = region_number(source, body[0], body[-1])
    region = Region(unit, node, body[0], body[-1], number, named(node, "core"), frozenset(), returns=True)
    region.arrays = dict.fromkeys((*found.sequences, *found.arrays), f"{numpy}.ndarray")
    region.arrays |= dict.fromkeys(found.indices, f"{numpy}.ndarray[{numpy}.int64]")
    region.params = {p.name.value: p.name.value for p in parameters(node.params) if p.name.value in names.read}
    guard = guarded(region, guards_in(rejected).get(number), module) or Guarded("", (), None)
    of_numbers = [name for name in region.params if name in region.arrays and name not in found.indices]
    arrays = [name for name in of_numbers if name not in labels_among(of_numbers, module.nodes[unit.name])]
    sizes = " + ".join(f"{name}.size" for name in arrays)
    many = f"{sizes} > {FEW_ITEMS}" if _item_by_item(module, body, arrays) else ""
    tests = [
        are_numbers(of_numbers, numpy, module.nodes[unit.name], many),
        *(f"type({name}) is {numpy}.ndarray and {name}.dtype == {numpy}.int64" for name in found.indices),
        *(f"{name}.ndim > 1" for name in of_numbers if _has_rows(module, node, name)),
        *(f"not isinstance({name}, (list, tuple))" for name in found.others),
        guard.test,
    ]
    region.guard = guard._replace(test=" and ".join(filter(None, tests)), otherwise=None)
    return region


@dataclass(slots=True)
class _Parameters:
    """The parameters of which a caller may pass something else than jit needs. `sequences`: those that are indexed, iterated over or only compared;
    `indices`: those that are positions or masks; `arrays`: arrays, as far as known; `others`: arrays or numbers, as far as known."""

    sequences: list[str] = field(default_factory=list)
    indices: list[str] = field(default_factory=list)
    arrays: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)


def _arrays(module: Module, unit: Unit, node: cst.FunctionDef) -> _Parameters:
    run, source, found = module.runs[unit.name], module.source, _Parameters()
    masks = [n for n, why in run.constraints.impure.items() if why == MAYBE_MASK and isinstance(n, cst.Subscript)]
    indices = {code(p.slice.value) for n in masks for p in n.slice if isinstance(p.slice, cst.Index)}
    text = perhaps_text(run, module.nodes[unit.name], on_host=True)
    for parameter in parameters(node.params):
        name = parameter.name.value
        reads = [n for n in source.among(node.body, cst.Name) if n.value == name and n in run.values]
        kinds = {run.values.get(n, UNKNOWN).kind for n in reads}
        if not reads or parameter.default is not None or not kinds <= {Kind.UNKNOWN, Kind.ARRAY}:
            continue
        if name in indices:
            found.indices.append(name)
        elif parameter.annotation is not None:
            continue
        elif Kind.ARRAY in kinds:
            found.arrays.append(name)
        elif name in text or any(_as_sequence(module, n) for n in reads):
            found.sequences.append(name)
        else:
            found.others.append(name)
    return found


def _item_by_item(module: Module, body: Sequence[cst.CSTNode], arrays: Collection[str]) -> bool:
    """Whether a function only goes through arrays once, item by item, in loops that are not in others: it does little for a few items."""
    source, looped, lengths = module.source, False, dict[str, str]()
    for assigned in (node for statement in body for node in source.among(statement, cst.Assign)):
        match assigned:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
                lengths[name] = "" if name in lengths else _measured(module, value, lengths)
    for loop in (node for statement in body for node in source.among(statement, *REPEATING)):
        if not isinstance(loop, (cst.For, cst.CompFor)) or _items_of(module, loop.iter, lengths) not in arrays:
            return False
        inner = loop.body if isinstance(loop, cst.For) else next(source.above(loop))
        if any(isinstance(node, REPEATING) and node is not loop for node in source.below(inner)):
            return False
        if not all(_one_item(module, n) for n in source.among(inner, cst.Name) if n.value in arrays and n is not loop.iter):
            return False
        looped = True
    return looped


def _one_item(module: Module, node: cst.Name) -> bool:
    """Whether a name of an array stands in `a[i]`, `a[i, j]` or `len(a)`."""
    match module.source.parents[node]:
        case cst.Subscript(value=base, slice=parts) if base is node:
            return all(isinstance(part.slice, cst.Index) for part in parts)
        case cst.Arg() as argument:
            call = module.source.parents[argument]
            return isinstance(call, cst.Call) and module.scopes.qualname(call.func) in ITERATING
    return False


def _items_of(module: Module, items: cst.BaseExpression, lengths: Mapping[str, str]) -> str:
    """The array that a loop takes item by item: `x` of `for v in x`, `enumerate(x)`, `range(len(x))`, `range(1, n)`; "" for others."""
    match items:
        case cst.Name(value=name):
            return name
        case cst.Call(args=[cst.Arg(value=inner), *_]) if module.scopes.qualname(items.func) in ITERATING[1:]:
            return _items_of(module, inner, lengths)
        case cst.Call(args=[cst.Arg(value=stop)] | [cst.Arg(), cst.Arg(value=stop)]):
            if module.scopes.qualname(items.func) == "builtins.range":
                return _measured(module, stop, lengths)
    return ""


def _measured(module: Module, value: cst.BaseExpression, lengths: Mapping[str, str]) -> str:
    """The variable whose length an expression is, or its length less a constant; "" for others. `lengths`: of variables."""
    match value:
        case cst.Name(value=name):
            return lengths.get(name, "")
        case cst.BinaryOperation(left=left, operator=cst.Subtract(), right=cst.Integer()):
            return _measured(module, left, lengths)
        case cst.Call(args=[cst.Arg(value=cst.Name(value=name))]) if module.scopes.qualname(value.func) == ITERATING[0]:
            return name
    return ""


def _has_rows(module: Module, node: cst.FunctionDef, name: str) -> bool:
    """Whether an axis of an item is named, `x[i].sum(axis=0)`: NumPy ignores it where the item is a number, and JAX does not."""
    for call in module.source.among(node.body, cst.Call):
        match call.func:
            case cst.Attribute(
                value=cst.Subscript(value=cst.Name(value=array), slice=[cst.SubscriptElement(slice=cst.Index(value=index))])
            ):
                asked = any(a.keyword is not None and a.keyword.value == "axis" for a in call.args)
                value = module.runs[f"{module.source.name}.{node.name.value}"].values.get(index, UNKNOWN)
                if array == name and asked and (value.kind is Kind.SCALAR or isinstance(index, cst.Integer)):
                    return True
    return False


def _as_sequence(module: Module, node: cst.Name) -> bool:
    """Whether a name is indexed, iterated over, or passed to what takes a sequence."""
    match module.source.parents[node]:
        case cst.Subscript(value=base) if base is node:
            return True
        case cst.For(iter=items) | cst.CompFor(iter=items) if items is node:
            return True
        case cst.Arg() as argument:
            call = module.source.parents[argument]
            return isinstance(call, cst.Call) and module.scopes.qualname(call.func) in ITERATING
    return False


__all__ = ["SPECIALIZE"]
