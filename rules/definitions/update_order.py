"""What makes XLA update an array in place inside a loop."""

from __future__ import annotations

BEFORE_UPDATE = "_before_update"
_BEFORE_UPDATE = '''
def _before_update(values):
    """The same values, which XLA computes before the statements that follow.

    The array that they are read from is then updated in place. XLA copies all of it, in each iteration, where it merges a read into a
    later statement. It may do so across `optimization_barrier` alone, but not out of a `cond`.
    """
    leaves, tree = jax.tree.flatten(values)
    arrays = [leaf for leaf in leaves if isinstance(leaf, jax.Array)]
    if not arrays:
        return values
    held = iter(jax.lax.cond(jnp.any(arrays[0].ravel()[:1] == 0), lambda same: same, jax.lax.optimization_barrier, arrays))
    return tree.unflatten([next(held) if isinstance(leaf, jax.Array) else leaf for leaf in leaves])
'''

SOURCES: dict[str, str] = {BEFORE_UPDATE: _BEFORE_UPDATE.strip() + "\n"}
