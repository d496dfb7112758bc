"""The roots of a polynomial. JAX returns complex numbers, as jit must know the dtype, and takes roots that are zero for eigenvalues:
they are not exact, and in another order."""

from __future__ import annotations

_ROOTS = '''
def _roots(p):
    """np.roots: zeros at the end of the coefficients are roots that are zero, and come last; all are real numbers if they can be."""
    p = jnp.asarray(p)
    last = int(jnp.flatnonzero(p).max(initial=-1)) + 1 if p.ndim == 1 else p.size
    found = jnp.roots(p[:last] if 0 < last < p.size else p)
    if not jnp.iscomplexobj(p) and not (found.imag != 0).any():
        found = found.real
    return jnp.concatenate([found, jnp.zeros(p.size - last, found.dtype)]) if last else found
'''

SOURCES = {"_roots": _ROOTS.lstrip("\n")}
