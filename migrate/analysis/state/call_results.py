"""A function's result as its callers see it, without what only the function's own code knows."""

from __future__ import annotations

from ....rules.facts.values import NOTHING, Value, replace

MOST_NAMES = 16  # of memory that one result has: recursive calls would double them in each round; "?" stands for the others


def as_called(result: Value) -> Value:
    """The result with memory that the function allocated named by its order alone, and without the functions that made it.

    A call names the memory that it allocates, and itself as the origin. So a change of the names inside of the function is no
    reason to analyse its callers again.
    """
    made = [*(result.elements or ()), result]
    if not any(v.origin or any(m.startswith(("new:", "old:")) for m in v.memory) for v in made):
        return result
    order: dict[str, str] = {}
    elements = None if result.elements is None else tuple(_renamed(element, order) for element in result.elements)
    return replace(_renamed(result, order), elements=elements)


def _renamed(value: Value, order: dict[str, str]) -> Value:
    memory = {m for m in value.memory if not m.startswith(("new:", "old:"))}
    for own in sorted(value.memory - memory, key=lambda token: (len(token), token)):
        memory.add(order.setdefault(own.partition(":")[2], f"new:{len(order)}" if len(order) < MOST_NAMES else "?"))
    elements = None if value.elements is None else tuple(_renamed(element, order) for element in value.elements)
    return replace(value, memory=frozenset(memory), origin=NOTHING, elements=elements)
