"""The value of a comprehension or a generator expression."""

from __future__ import annotations

from typing import Any

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.values import Value
from ...syntax.bindings import target_names
from ..loops import literal_items
from ..loops.pytree_loops import structured
from ..state.evaluation import KEY, evaluate, need, truth
from ..state.interpreter_state import Run
from ..state.lattice import SEQUENCES, Env, join
from . import mapped_comprehensions


def comprehension(run: Run, env: Env, node: Any) -> Value:
    inner = dict(env)
    clause: cst.CompFor | None = node.for_in
    unrolled, bound = True, set[str]()
    from ..random.generators import collection, is_generator
    from .loop_statements import iterate

    while clause is not None:
        iterated = evaluate(run, inner, clause.iter)
        bound |= {name.value for name in target_names(clause.target)}
        run.flow.depth += 1  # the names that it binds are local to it
        iterate(run, inner, clause.target, clause.iter, iterated)
        run.flow.depth -= 1
        for test in clause.ifs:
            truth(run, inner, test.test)
        unrolled = unrolled and structured(run, clause, inner, ())
        clause = clause.inner_for_in
    parts = [node.key, node.value] if isinstance(node, cst.DictComp) else [node.elt]
    run.flow.depth += 1
    values = [evaluate(run, inner, part) for part in parts]
    run.flow.depth -= 1
    if isinstance(node, (cst.SetComp, cst.DictComp)):
        need(run, parts[0], values[0], KEY)
    if isinstance(node, cst.ListComp) and (found := mapped_comprehensions.comprehension(run, node)) is not None:
        run.loops.maps[node] = found
    elif not (unrolled or literal_items.few(node, run.scopes)):
        run.loops.unrolled[node] = "a comprehension is unrolled"
    for name, value in inner.items():
        if name.startswith("!") or name == "<escaped>":
            env[name] = value
        elif name in env and value is not env[name] and name not in bound:
            env[name] = join(env[name], value)  # a container that it changes, as `[found.append(x) for x in xs]` does
    kind = Kind.LIST if type(node) is cst.ListComp else Kind.DICT if type(node) is cst.DictComp else Kind.OBJECT
    item = values[-1]
    enclosing = frozenset[str]().union(
        *(v.memory for v in env.values())
    )  # memory from before the comprehension, of which an item may be a part
    memory = frozenset("old:" + m[4:] if m.startswith("new:") and m not in enclosing else m for m in item.memory)
    return Value(
        kind,
        dtype=item.dtype if item.kind is Kind.SCALAR else "",
        elements=(item,) if kind is Kind.LIST and is_generator(item) else None,
        name="" if kind is Kind.OBJECT else collection((item,)),
        deps=item.deps,
        traced=item.traced,
        memory=memory,
        origin=item.origin,
        fresh=kind is not Kind.OBJECT,
        nested=item.kind in SEQUENCES,
    )
