"""Sums of products, as products of matrices: what JAX compiles to many times faster code where they give the same."""

from __future__ import annotations

_SUM_OF_PRODUCTS = '''
def _sum_of_products(a, b, axis):
    """`jnp.sum(a * b, axis)`, which jnp.einsum adds up without making the products.

    Those of small integers and of half precision overflow before they are added up: their sum stays, as do axes that only one has.
    """
    axes = axis if isinstance(axis, tuple) else (axis,)
    shared = a.ndim == b.ndim and all(a.shape[k] == b.shape[k] for k in axes)
    dtype = jnp.result_type(a, b)
    if not shared or not jnp.issubdtype(dtype, jnp.inexact) or dtype.itemsize < 4:
        return jnp.sum(a * b, axis)
    every = range(a.ndim)
    summed = [every[k] for k in axes]
    return jnp.einsum(a, [*every], b, [*every], [k for k in every if k not in summed], precision="highest")
'''

SOURCES: dict[str, str] = {"_sum_of_products": _SUM_OF_PRODUCTS.strip() + "\n"}
