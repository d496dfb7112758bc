"""The roots of a polynomial. That of JAX takes those that are zero for eigenvalues: they are not exact, and in another order."""

from __future__ import annotations

_ROOTS = '''
def _roots(p):
    """np.roots: zeros at the end of the coefficients are roots that are zero, and come last."""
    p = jnp.asarray(p)
    last = int(jnp.flatnonzero(p).max(initial=-1)) + 1 if p.ndim == 1 else p.size
    found = jnp.roots(p[:last] if 0 < last < p.size else p)
    return jnp.concatenate([found, jnp.zeros(p.size - last, found.dtype)]) if last else found
'''

SOURCES = {"_roots": _ROOTS.lstrip("\n")}
