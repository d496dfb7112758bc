"""The value of a subscript: what an index selects from an array, a list, a dict."""

from __future__ import annotations

from typing import Any

import libcst as cst

from ....rules.core.dtypes import category
from ....rules.core.findings import Kind
from ....rules.facts.iteration_space import integer
from ....rules.facts.values import NOTHING, OBJECTS, PYTHON, SELECTED, UNKNOWN, Value, holds_objects, may_be_mask, replace
from ....rules.syntax.tree import remembered, walk
from ..branches.conditions import single
from ..inference import usage_inference
from ..random import generator_containers, generators
from ..state.access_paths import path_of
from ..state.evaluation import evaluate, need
from ..state.index_expressions import has_slice, steady
from ..state.interpreter_state import Run
from ..state.lattice import STATIC_INT, Env, join_all, whole
from ..state.memory import new_memory
from ..state.node_facts import MASKED
from ..state.views import read_through, viewed
from . import dict_order, special_methods

BASIC, ADVANCED, UNSURE = "basic", "advanced", "unsure"
MAYBE_MASK = "an index may be a boolean mask"


def index_kind(run: Run, env: Env, parts: Any) -> tuple[str, int, int, frozenset[str], frozenset[str], bool]:
    """How a subscript indexes: basic, advanced or unsure; axes dropped and added; names read; deps; traced.

    The number of axes dropped is -1 if it is unknown.
    """
    sure, dropped, added = BASIC, 0, 0
    names: set[str] = set()
    deps: frozenset[str] = NOTHING
    traced = False
    flat: list[Any] = []
    for part in parts:
        inner = part.slice.value if type(part.slice) is cst.Index else None
        if type(inner) is cst.Tuple:
            evaluate(run, env, inner)
            flat.extend(e.value for e in inner.elements)
        else:
            flat.append(part.slice)
    for part in flat:
        if type(part) is cst.Slice:
            varies = False
            for bound in (part.lower, part.upper, part.step):
                if bound is not None:
                    value = evaluate(run, env, bound)
                    varies |= value.traced or any(d.startswith("loop:") for d in value.deps)
                    need(run, bound, value, "it bounds a slice")
                    deps, traced = deps | value.deps, traced or value.traced
                    names |= read_names(bound)
            if varies and not run.flow.depth:
                run.slices.sliced[part] = None  # decided when the whole unit is known
            continue
        inner = part.value if type(part) is cst.Index else part
        known = run.values.get(inner) if type(part) is not cst.Index else None
        value = evaluate(run, env, inner) if known is None else known
        names |= read_names(inner)
        deps, traced = deps | value.deps, traced or value.traced
        if type(inner) is cst.Ellipsis:
            continue
        if value.kind is Kind.NONE:
            added += 1
        elif value.kind is Kind.SCALAR and category(value.dtype) != 0:
            dropped += 1
        elif value.kind in (Kind.ARRAY, Kind.LIST) or (value.kind is Kind.SCALAR and category(value.dtype) == 0):
            if value.kind is Kind.SCALAR:
                need(run, inner, value, "a boolean index selects all or nothing")
            sure = ADVANCED
        elif value.name == "slice":
            continue
        else:
            sure = UNSURE if sure is BASIC else sure
    return sure, dropped, added, frozenset(names), deps, traced


@remembered
def read_names(node: cst.CSTNode) -> frozenset[str]:
    """All names in an expression, including those of attributes."""
    return frozenset(n.value for n, _parent in walk(node) if type(n) is cst.Name)


def part_of(container: Value, value: Value) -> Value:
    """A part of a parameter: the parameter is then not a number or flag, and cannot be made static for it."""
    if not value.deps or container.kind in (Kind.TUPLE, Kind.STRING, Kind.DICT) or container.name == "range":
        return value
    return replace(value, deps=frozenset(f"{whole(d)}[]" for d in value.deps))


def subscript(run: Run, env: Env, node: cst.Subscript) -> Value:
    value = _item(run, env, node)
    if value.rank < 0 and value.kind in (Kind.ARRAY, Kind.UNKNOWN) and single(node) in run.unit.evidence:
        value = replace(value, rank=0, number=True)
    if value.rank < 0 and value.kind is Kind.ARRAY and all(isinstance(p.slice, cst.Index) for p in node.slice):
        value = replace(value, item=True)
    base = run.values.get(node.value, UNKNOWN)
    value = part_of(base, value) if base.deps else value
    value = replace(value, weak=base.weak, either=base.either) if base.weak or base.either else value
    if not base.origin:
        return value
    if any(isinstance(p.slice, cst.Index) and run.values.get(p.slice.value, UNKNOWN).kind is Kind.LIST for p in node.slice):
        run.host.host_uses |= base.origin
    return replace(value, origin=base.origin)


def _item(run: Run, env: Env, node: cst.Subscript) -> Value:
    base = evaluate(run, env, node.value)
    if base.name in ("numpy.mgrid", "numpy.ogrid", "numpy.r_", "numpy.c_", "numpy.s_", "numpy.index_exp"):
        return _index_object(run, env, node, base.name)
    sure, dropped, added, _names, deps, traced = index_kind(run, env, node.slice)
    if base.kind is Kind.OBJECT:
        found = special_methods.method(run, env, node, "__getitem__", node.value, base, special_methods.indices(run, node))
        if found is not None:
            return found
    if (collection := generators.in_collection(base)) is not None and generator_containers.element(node):
        run.constraints.impure[node] = "it takes a key from a list or a dict, and stores a new one"
        return collection
    if base.kind is Kind.DICT and base.elements:
        need(run, node, Value(deps=deps, traced=traced), "it indexes a dict")
        collection = join_all(base.elements)
        return replace(
            collection,
            memory=base.memory,
            view=None,
            holds="",
            deps=collection.deps | base.deps,
            origin=collection.origin | base.origin,
        )
    if base.kind is Kind.DICT and (hint := run.unit.evidence.get(usage_inference.key_of(node) or "")) is not None:
        if hint.kind is Kind.ARRAY:
            return Value(Kind.ARRAY, hint.dtype, -1, base.deps | deps, base.traced or traced, False, base.memory)
    if base.elements is not None and base.kind is not Kind.DICT:
        match node.slice:
            case [cst.SubscriptElement(slice=cst.Index(value=index))] if (position := integer(index)) is not None:
                if -len(base.elements) <= position < len(base.elements):
                    return base.elements[position]
    if base.kind is Kind.TUPLE and base.elements is None and base.rank >= 0 and _by_literal(node):
        return Value(Kind.ARRAY, base.dtype, base.rank, base.deps | deps, True, True, base.memory)
    learn_array(run, node, base)
    if base.kind is Kind.TUPLE and base.name == "shape":
        for part in node.slice:
            if isinstance(part.slice, cst.Index) and (deps or traced):
                need(run, node, Value(deps=deps, traced=traced), "it indexes a tuple")
        if dropped and base.traced:  # the shape of what a mask selects
            return replace(STATIC_INT, deps=base.deps, traced=True, name=PYTHON)
        return STATIC_INT if dropped else Value(Kind.TUPLE, "int", name="shape")
    if base.kind is not Kind.ARRAY:
        for part in node.slice:
            if isinstance(part.slice, cst.Index):
                dict_order.by_items(run, node, base, run.values.get(part.slice.value, UNKNOWN))
        if base.kind in (Kind.LIST, Kind.TUPLE, Kind.DICT, Kind.STRING):
            need(run, node, Value(deps=deps, traced=traced), f"it indexes a {base.kind.value}")
        if has_slice(node) and base.kind in (Kind.LIST, Kind.TUPLE, Kind.STRING):
            return replace(base, elements=None, deps=base.deps | deps, view=None, holds="", copied=True)
        if base.kind is Kind.LIST and base.dtype and dropped:
            return Value(Kind.SCALAR, base.dtype, 0, base.deps | deps, base.traced or traced)
        if base.kind is Kind.UNKNOWN and any(_is_mask(run, part) for part in node.slice):
            run.constraints.impure[node] = MAYBE_MASK
        fixed = steady(run, node.slice) if base.kind is Kind.UNKNOWN and sure is BASIC else None
        view = viewed(read_through(base, path_of(node.value)), node, fixed) if fixed is not None else None
        bools = base.dtype if category(base.dtype) == 0 else ""  # a part of a mask is a mask
        made = Value(Kind.UNKNOWN, bools, deps=base.deps | deps, traced=base.traced or traced, memory=base.memory, view=view)
        return replace(made, number=True) if base.number else made  # a number or an array that is indexed is an array
    learn_mask(run, node)
    both = base.deps | deps
    if any(_may_be_mask(run, part) for part in node.slice):
        run.constraints.impure[node] = MAYBE_MASK
    if sure is ADVANCED:
        name = ""
        if any(_is_mask(run, part) for part in node.slice):
            run.constraints.impure[node] = MASKED
            name = SELECTED if _is_mask(run, node.slice[0]) else ""
        name = OBJECTS if base.name == OBJECTS else name
        memory = new_memory(run, env, node)
        rank = _selected_rank(run, node, base)
        return Value(Kind.ARRAY, base.dtype, rank, both, base.traced or traced, base.device, memory, name=name)
    rank = base.rank - dropped + added if base.rank >= 0 and sure is BASIC else -1
    if (
        rank == 0
        and dropped
        and not any(isinstance(p.slice, cst.Index) and isinstance(p.slice.value, cst.Ellipsis) for p in node.slice)
    ):
        return Value(Kind.SCALAR, base.dtype, 0, both, base.traced or traced or base.device, base.device)
    if sure is UNSURE:
        if any(_is_mask(run, part) for part in node.slice):
            run.constraints.impure[node] = MASKED
        return Value(
            Kind.ARRAY, base.dtype, -1, both, base.traced or traced, base.device, base.memory | new_memory(run, env, node)
        )
    fixed = steady(run, node.slice)
    view = viewed(read_through(base, path_of(node.value)), node, fixed) if fixed is not None else None
    name = OBJECTS if base.name == OBJECTS and not dropped else ""  # a field of records may hold numbers
    return Value(Kind.ARRAY, base.dtype, rank, both, base.traced or traced, base.device, base.memory, view=view, name=name)


def is_number(run: Run, env: Env, target: cst.Subscript, base: Value) -> bool:
    """Whether the target is one element: in `x[i, j]` of an array of two dimensions, only a number can be stored."""
    sure, dropped, added, *_others = index_kind(run, env, target.slice)
    return base.kind is Kind.ARRAY and not holds_objects(base) and sure is BASIC and base.rank == dropped > added == 0


def _by_literal(node: cst.Subscript) -> bool:
    match node.slice:
        case [cst.SubscriptElement(slice=cst.Index(value=index))]:
            return integer(index) is not None
    return False


def learn_array(run: Run, node: cst.Subscript, base: Value) -> None:
    """Learn that what is indexed with an array, or sliced along one of several axes, is an array."""
    key = base.holds if base.holds in run.params else path_of(node.value)
    if (
        base.kind is not Kind.UNKNOWN
        or not key
        or run.source.name in run.facts.program.pandas
        or run.unit.evidence.get(key, UNKNOWN).kind is not Kind.UNKNOWN
    ):
        return
    for part in node.slice:
        index = run.values.get(part.slice.value, UNKNOWN) if isinstance(part.slice, cst.Index) else UNKNOWN
        several = len(node.slice) > 1 and isinstance(part.slice, cst.Slice) and isinstance(node.value, cst.Name)
        if several or (index.kind is Kind.ARRAY and (index.rank > 0 or category(index.dtype) == 0)):
            run.unit.learned[key] = Value(Kind.ARRAY)


def learn_mask(run: Run, node: cst.Subscript) -> None:
    """Learn that what is compared with a number to compute a mask is an array."""
    for part in node.slice:
        match part.slice:
            case cst.Index(value=cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(comparator=right)])):
                kinds = [run.values.get(side, UNKNOWN).kind for side in (left, right)]
                if (
                    run.source.name in run.facts.program.pandas
                    or Kind.UNKNOWN not in kinds
                    or not {*kinds} <= {Kind.UNKNOWN, Kind.SCALAR}
                ):
                    continue
                key = path_of((left, right)[kinds.index(Kind.UNKNOWN)])  # if both may be arrays, usually the first is
                if key is not None and run.unit.evidence.get(key, UNKNOWN).kind is Kind.UNKNOWN:
                    run.unit.learned[key] = Value(Kind.ARRAY)


def _selected_rank(run: Run, node: cst.Subscript, base: Value) -> int:
    """The number of dimensions of what a mask or one array of integers selects; -1 if it is unknown."""
    parts = [run.values.get(p.slice.value, UNKNOWN) if isinstance(p.slice, cst.Index) else None for p in node.slice]
    masks = [v for v in parts if v is not None and v.kind is Kind.ARRAY and category(v.dtype) == 0 and v.rank >= 1]
    plain = [v for v in parts if v is None or (v.kind is Kind.SCALAR and category(v.dtype) == 1)]
    if len(parts) > 1 and len(masks) == 1 and len(plain) == len(parts) - 1 and base.rank >= 0:
        return base.rank - masks[0].rank + 1 - sum(v is not None for v in plain)
    match node.slice:
        case [cst.SubscriptElement(slice=cst.Index(value=index))]:
            given = run.values.get(index, UNKNOWN)
            if given.kind is Kind.ARRAY and base.rank >= 0 and given.rank >= 1:
                kind = category(given.dtype)
                return base.rank - given.rank + 1 if kind == 0 else base.rank - 1 + given.rank if kind == 1 else -1
    return -1


def _is_mask(run: Run, part: cst.SubscriptElement) -> bool:
    if not isinstance(part.slice, cst.Index):
        return False
    value = run.values.get(part.slice.value, UNKNOWN)
    return value.kind in (Kind.ARRAY, Kind.UNKNOWN) and category(value.dtype) == 0


def _may_be_mask(run: Run, part: cst.SubscriptElement) -> bool:
    return isinstance(part.slice, cst.Index) and may_be_mask(run.values.get(part.slice.value, UNKNOWN))


def _index_object(run: Run, env: Env, node: cst.Subscript, name: str) -> Value:
    """The value of `np.mgrid[...]`, `np.r_[...]` and the like."""
    deps: frozenset[str] = NOTHING
    whole = True  # bounds and steps are integers
    for part in node.slice:
        inside: Any = part.slice
        for child in (inside.lower, inside.upper, inside.step) if isinstance(inside, cst.Slice) else (inside.value,):
            if child is not None:
                value = evaluate(run, env, child)
                deps |= value.deps
                whole &= category(value.dtype) == 1
                if isinstance(part.slice, cst.Slice):
                    need(run, child, value, "it sets a shape")
    if name in ("numpy.s_", "numpy.index_exp"):
        return Value(Kind.OBJECT, deps=deps, name="slice")
    if name == "numpy.ogrid":
        memory = new_memory(run, env, node)
        each = [
            Value(Kind.ARRAY, "", len(node.slice), deps, True, True, frozenset(f"{m}.{i}" for m in memory))
            for i in range(len(node.slice))
        ]
        return Value(Kind.LIST, memory=memory, traced=True, elements=tuple(each)) if len(each) > 1 else each[0]
    rank = len(node.slice) + 1 if name == "numpy.mgrid" and len(node.slice) > 1 else -1
    dtype = "int64" if whole and name == "numpy.mgrid" else ""
    return Value(Kind.ARRAY, dtype, rank, deps, True, True, new_memory(run, env, node))
