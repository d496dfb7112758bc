"""Arrays that iterations of a loop give each other's names: `u, new = new, u`.

What an array is called in the analysis ("new:12") says only which names are one array, and which are not. Where the end of an iteration has the
arrays of its start, each under the name of another one, they are called after the names again, so that they stay apart.
"""

from __future__ import annotations

from ....rules.facts.values import Value, replace
from ..state.interpreter_state import Run
from ..state.lattice import Env


def as_before(run: Run, head: Env, end: Env | None) -> Env | None:
    """The state at the end of an iteration, its arrays called as those are that the names held when it began."""
    if end is None:
        return None
    called = _called(head, end)
    if not called:
        return end
    for known in (run.effects.touched, run.effects.mutated_aliased, run.effects.views, run.effects.items):
        if not known.isdisjoint(called):
            known |= called.keys()  # each has been all of them
    return {name: _renamed(value, called) for name, value in end.items()}


def _called(head: Env, end: Env) -> dict[str, str]:
    """What each array is to be called; nothing where they are not the same ones."""
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
