"""What keeps XLA from computing a value again for each of its uses."""

from __future__ import annotations

ONCE = "_once"
_ONCE = '''
def _once(values):
    """The same values, which XLA computes once, rather than again for each of their uses.

    Across `optimization_barrier` alone, it may still compute them again, but not out of a `cond`.
    """
    first = jax.tree.leaves(values)[0]
    return jax.lax.cond(jnp.any(first.ravel()[:1] == 0), lambda same: same, jax.lax.optimization_barrier, values)
'''

SOURCES: dict[str, str] = {ONCE: _ONCE.strip() + "\n"}
