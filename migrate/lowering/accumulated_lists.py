"""Lists that a loop fills and that become arrays after it: a function for the loop returns the arrays.

JAX has no lists that grow, but `lax.scan` and `jax.vmap` make an array of what each iteration gives. So the empty list moves with the
loop, and what leaves the function is `np.array(out)`; the same call in the code around it copies that array.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...rules.facts.loops import AccumulatedList, Loop
from ..syntax.source import Source


def made_arrays(loop: Loop) -> tuple[AccumulatedList, ...]:
    """The lists of a loop of which nothing but arrays are made after it."""
    return tuple(one for one in loop.accumulated if one.arrays and len(one.arrays) == len(one.reads))


def conversions(source: Source, lists: Iterable[AccumulatedList]) -> dict[str, str]:
    """The function that makes an array of each list, as it is called in the file: `np.array`."""
    return {one.name: source.module.code_for_node(one.arrays[0].func) for one in lists}
