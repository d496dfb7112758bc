"""Double buffering: arrays whose names the iterations of a loop swap, `u, new = new, u`.

The name of an array in the analysis ("new:12") only tells which variables are bound to the same array. Where an iteration ends
with the same arrays that it started with, each bound to the variable of another one, they are renamed by the variables again, so
that they stay distinct.
"""

from __future__ import annotations

import libcst as cst

from ....rules.facts.values import Value, replace
from ..state.interpreter_state import Run
from ..state.lattice import Env


def as_before(run: Run, head: Env, end: Env | None) -> Env | None:
    """The state at the end of an iteration, with its arrays named as those that the variables were bound to at its start."""
    if end is None:
        return None
    called = _called(head, end)
    if not called:
        return end
    nodes = set[cst.CSTNode]().union(*(run.effects.written.get(token, ()) for token in called))
    for node in nodes:
        run.effects.write(called, node)
    for known in (run.effects.touched, run.effects.mutated_aliased, run.effects.views, run.effects.items):
        if not known.isdisjoint(called):
            known |= called.keys()  # each of them has been all of the others
    return {name: _renamed(value, called) for name, value in end.items()}


def _called(head: Env, end: Env) -> dict[str, str]:
    """The new name of each array; empty where they are not the same arrays."""
    pairs: dict[str, str] = {}
    for name, value in head.items():
        after = end.get(name)
        if after is None or len(value.memory) != 1 or len(after.memory) != 1 or name.startswith("<"):
            continue
        (old,), (new,) = value.memory, after.memory
        if not (old.startswith("new:") and new.startswith("new:")):
            continue
        if pairs.setdefault(new, old) != old:
            return {}
    moved = {new: old for new, old in pairs.items() if new != old}
    return moved if moved.keys() == {*moved.values()} else {}


def _renamed(value: Value, called: dict[str, str]) -> Value:
    elements = None if value.elements is None else tuple(_renamed(e, called) for e in value.elements)
    memory = frozenset(called.get(token, token) for token in value.memory)
    return value if memory == value.memory and elements == value.elements else replace(value, memory=memory, elements=elements)
