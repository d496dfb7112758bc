"""The value of an attribute."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ....rules import library_table, numpy_table
from ....rules.core.dtypes import category
from ....rules.core.findings import Kind
from ....rules.facts.values import NOTHING, SELECTED, UNKNOWN, Value, View, replace
from ....rules.numpy_table.entry import Verdict
from ....rules.syntax.tree import is_callee
from ..effects import in_place_updates
from ..inference import big_integers
from ..state.access_paths import path_of
from ..state.evaluation import evaluate
from ..state.interpreter_state import Run
from ..state.lattice import STATIC_INT, Env, aliased_memory, count_of
from ..state.project_facts import SHARED
from ..state.views import read_through, viewed
from . import library_calls, operations, special_methods
from .variables import imported, named


def attribute(run: Run, env: Env, node: cst.Attribute) -> Value:
    return big_integers.refuse(run, node, _attribute(run, env, node))


def _attribute(run: Run, env: Env, node: cst.Attribute) -> Value:
    key = path_of(node)
    if key is not None and key in env:
        evaluate(run, env, node.value)
        return env[key]
    root: cst.BaseExpression = node
    while type(root) is cst.Attribute:
        root = root.value
    if type(root) is cst.Name and root.value not in env:
        dotted = run.scopes.qualname(node)
        if dotted is not None:
            evaluate(run, env, node.value)
            return imported(run, node, dotted)
    attr = node.attr.value
    if attr == "shape" and (operands := broadcast_operands(run, node.value)):
        return _broadcast_shape(run, [evaluate(run, env, operand) for operand in operands])
    base = evaluate(run, env, node.value)
    if base.origin and (known := numpy_table.method(attr)) is not None and known.verdict is not Verdict.SAME:
        run.host.host_uses |= base.origin
    if base.kind is Kind.MODULE and base.name:
        return named(run, f"{base.name}.{attr}")
    if base.kind is Kind.CLASS and attr not in ("__name__",):
        run.constraints.impure[node] = f"`.{attr}` of a class may change"
    if base.kind is Kind.CLASS and (found := run.facts.method(base.name, attr)):
        return Value(Kind.FUNCTION, name=found)
    if base.kind is Kind.OBJECT and base.name in run.facts.classes:
        return _object_attribute(run, env, node, base, attr, key)
    if base.kind is Kind.ARRAY or (base.kind is Kind.UNKNOWN and attr in ("shape", "ndim", "dtype", "size", "T")):
        return array_attribute(run, env, node, base, attr)
    if base.kind is Kind.SCALAR:
        if attr in ("real", "imag"):
            return replace(base, dtype="float64" if base.dtype.startswith("complex1") else "")
        return Value(Kind.DTYPE, base.dtype) if attr == "dtype" else replace(UNKNOWN, deps=base.deps)
    if base.kind is Kind.DTYPE or base.name.startswith("numpy."):
        return Value(Kind.SCALAR, "", 0)
    if in_place_updates.may_change(base, attr) and not is_callee(
        node, run.source.parents.get(node)
    ):  # `map(names.append, x)`: the callee calls it
        in_place_updates.container_changed(run, env, node, path_of(node.value), base)
    if base.kind in (Kind.UNKNOWN, Kind.OBJECT):
        run.attributes.reads_attrs.add(f"attr:?.{attr}")
    if base.deps and base.kind in (Kind.UNKNOWN, Kind.OBJECT):
        run.constraints.impure[node] = f"`.{attr}` reads an attribute of an object"
    if base.kind is Kind.OBJECT and (result := library_table.attribute(base.name, attr)) is not None:
        return library_calls.attribute(base, result)
    return Value(
        Kind.UNKNOWN, deps=base.deps, traced=base.traced, memory=base.memory, name=f"{base.name}.{attr}" if base.name else ""
    )


def broadcast_operands(run: Run, node: cst.BaseExpression) -> list[cst.BaseExpression]:
    """What `np.broadcast(a, b)` broadcasts; nothing for any other expression."""
    if not isinstance(node, cst.Call) or run.scopes.qualname(node.func) != "numpy.broadcast":
        return []
    return [a.value for a in node.args] if all(a.keyword is None and not a.star for a in node.args) else []


def _broadcast_shape(run: Run, operands: Sequence[Value]) -> Value:
    run.host.numpy_used = True
    ranks = [v.rank for v in operands]
    shape = operations.same_shape(operands, NOTHING)
    return Value(Kind.TUPLE, "int", elements=(STATIC_INT,) * max(ranks) if min(ranks) >= 0 else None, name="shape", shape=shape)


def _object_attribute(run: Run, env: Env, node: cst.Attribute, base: Value, attr: str, key: str | None) -> Value:
    """An attribute of an instance of a class of the project."""
    if base.deps and not run.unit.self_name:
        run.constraints.impure[node] = f"`.{attr}` reads an attribute of an object"
    if found := run.facts.method(base.name, attr):
        if (fact := run.function(found)) is not None and fact.property:
            return special_methods.method(run, env, node, attr, node.value, base) or UNKNOWN
        return Value(Kind.FUNCTION, name=found)
    known = run.attribute(base.name, attr)
    if known is None:
        known = run.unit.evidence.get(key or "", UNKNOWN)
    if attr == "__dict__":
        run.store(f"{base.name}.*", UNKNOWN)
        return Value(Kind.OBJECT, memory=frozenset({f"attr:{run.facts.root(base.name)}.*"}))
    own = f"{run.facts.root(base.name)}.{attr}"
    run.attributes.reads_attrs.add(f"attr:{own}")
    shared = (
        known is UNKNOWN
        or not known.memory
        or any(not m.startswith(("new:", "old:")) and m != f"attr:{own}" for m in known.memory)
    )
    memory = frozenset({f"attr:{own}"}) | ({f"{SHARED}{own}"} | aliased_memory(base) if shared else NOTHING)
    if known.kind in (Kind.SCALAR, Kind.STRING, Kind.NONE, Kind.FUNCTION):
        memory = NOTHING
    view = View(key) if key is not None and known.kind is Kind.ARRAY else None
    origin = frozenset({f"attr:{own}"}) if memory else NOTHING
    value = replace(
        known, memory=memory, holds="", view=view, elements=None, deps=base.deps, device=False, traced=False, origin=origin
    )
    if key is not None and key.count(".") == 1:
        env[key] = value
        run.effects.viewed.add(key)
    return value


def array_attribute(run: Run, env: Env, node: cst.CSTNode, base: Value, attr: str) -> Value:
    """An attribute of an array."""
    if attr == "shape":
        elements = (STATIC_INT,) * base.rank if base.rank >= 0 else None
        if base.name == SELECTED:  # the first size depends on values
            elements = (count_of(base), *elements[1:]) if elements else None
            return Value(Kind.TUPLE, "int", deps=base.deps, traced=True, elements=elements, name="shape")
        return Value(Kind.TUPLE, "int", elements=elements, name="shape", shape=base.shape)
    if attr == "size":
        return count_of(base)
    if attr in ("ndim", "itemsize", "nbytes"):
        return STATIC_INT
    if attr == "dtype":
        return Value(Kind.DTYPE, base.dtype, name="")
    entry = numpy_table.method(attr)
    if attr in ("T", "real", "imag", "flat", "mT"):
        kept = base.dtype if attr in ("T", "mT", "flat") or category(base.dtype) in (0, 1, 2) else ""
        rank = 1 if attr == "flat" else base.rank
        shape = base.shape if attr in ("real", "imag") or base.rank == 1 else ""
        location = read_through(base, path_of(node.value)) if isinstance(node, cst.Attribute) else base
        return replace(base, dtype=kept, rank=rank, holds="", view=viewed(location, node), elements=None, shape=shape)
    if entry is None:
        return Value(Kind.UNKNOWN, deps=base.deps, traced=base.traced, memory=base.memory)
    if entry.writes and not is_callee(node, run.source.parents.get(node)):
        run.constraints.blocks[node] = (
            "NJ102",
            f"`.{attr}` updates its array in place wherever it is called, which JAX cannot do",
        )
    return Value(Kind.FUNCTION, deps=base.deps, traced=base.traced, memory=base.memory)
