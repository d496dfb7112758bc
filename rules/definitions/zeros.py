"""Polynomials and their zeros. JAX returns complex numbers, as jit must know the dtype, and takes zeros that are 0 for eigenvalues: they
are not exact, and in another order."""

from __future__ import annotations

_ROOTS = '''
def _roots(p):
    """As NumPy's `roots`: zeros at the end of the coefficients are roots that are zero, and come last; all are real numbers if they can be."""
    p = jnp.asarray(p)
    last = int(jnp.flatnonzero(p).max(initial=-1)) + 1 if p.ndim == 1 else p.size
    found = jnp.roots(p[:last] if 0 < last < p.size else p)
    if not jnp.iscomplexobj(p) and not (found.imag != 0).any():
        found = found.real
    return jnp.concatenate([found, jnp.zeros(p.size - last, found.dtype)]) if last else found
'''

_POLY = '''
def _poly(zeros):
    """As NumPy's `poly`: real numbers if the zeros are pairs of conjugates, unless jit traces them."""
    zeros = jnp.asarray(zeros)
    zeros = jnp.linalg.eigvals(zeros) if zeros.ndim == 2 else zeros
    found = jnp.poly(zeros)
    if isinstance(found, jax.core.Tracer) or not jnp.iscomplexobj(found):
        return found
    return found.real if (jnp.sort(zeros) == jnp.sort(zeros.conj())).all() else found
'''

SOURCES = {"_roots": _ROOTS.lstrip("\n"), "_poly": _POLY.lstrip("\n")}
