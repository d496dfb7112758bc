"""Matrix products that replace expressions which JAX compiles to many times slower code, where the result is the same."""

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

_SCALED_MATMUL = '''
def _scaled_matmul(scale, a, b):
    """`scale * a @ b`, where a number scales the smaller of the two.

    That is the same in float64: other dtypes are rounded, overflow or wrap elsewhere.
    """
    alike = a.dtype == b.dtype == jnp.result_type(scale, a) == jnp.float64
    return a @ (scale * b) if alike and jnp.ndim(scale) == 0 and b.size < a.size else jnp.matmul(scale * a, b)
'''

_SCALED_TRANSPOSED_MATMUL = '''
def _scaled_transposed_matmul(scale, a, b):
    """`scale * a.T @ b`, where a number scales the vector b, which comes first: XLA copies no matrix then.

    That is the same in float64: other dtypes are rounded, overflow or wrap elsewhere.
    """
    alike = a.dtype == b.dtype == jnp.result_type(scale, a) == jnp.float64
    column = a.ndim == 2 and b.ndim in (1, 2) and b.size == len(b) < a.size
    return ((scale * b).T @ a).T if alike and column and jnp.ndim(scale) == 0 else jnp.matmul(scale * a.T, b)
'''

_TRANSPOSED_MATMUL = '''
def _transposed_matmul(a, b):
    """`a.T @ b`, where a vector b, or one column, comes first: XLA copies no matrix then."""
    column = a.ndim == 2 and b.ndim in (1, 2) and b.size == len(b)
    return (b.T @ a).T if column else jnp.matmul(a.T, b)
'''

_TRANSPOSED_DOT = '''
def _transposed_dot(a, b):
    """`jnp.dot(a.T, b)`, where a vector b, or one column, comes first: XLA copies no matrix then."""
    column = a.ndim == 2 and b.ndim in (1, 2) and b.size == len(b)
    return (b.T @ a).T if column else jnp.dot(a.T, b)
'''

_MASKED_MATMUL = '''
def _masked_matmul(mask, a, b):
    """`jnp.where(mask, a, 0) @ b`, in which a row of the result is made of what the mask selects for it alone.

    Zero times what is not finite is NaN: if there is such an element in b, each row gets a b of its own.
    """
    a = jnp.where(mask, a, jnp.zeros_like(a))

    def row(selected_and_a):
        selected, a_i = selected_and_a
        return a_i @ jnp.where(selected if b.ndim == 1 else selected[:, None], b, jnp.zeros_like(b))

    return jax.lax.cond(jnp.isfinite(b).all(), lambda: a @ b, lambda: jax.lax.map(row, (mask, a)))
'''

_SEGMENT_SUMS = '''
def _segment_sums(values, bounds, dtype=None):
    """`values[bounds[k] : bounds[k + 1]].sum()` for each k: for the rows of a sparse matrix in CSR format, say.

    Segments that follow each other are added up in one pass, others one by one.
    """
    dtype = jnp.sum(values[:0]).dtype if dtype is None else dtype
    added = values.astype(int if dtype == bool else dtype)

    def in_one_pass():
        begun = jnp.zeros(len(values) + 1, int).at[bounds].add(1, mode="drop")
        return jax.ops.segment_sum(added, jnp.cumsum(begun)[:-1] - 1, max(len(bounds) - 1, 0))

    def one_by_one():
        n = jnp.arange(len(values))
        first, last = (jnp.where(ends < 0, ends + len(values), ends) for ends in (bounds[:-1], bounds[1:]))
        return jax.lax.map(lambda k: jnp.sum(added, where=(n >= k[0]) & (n < k[1]), dtype=added.dtype), (first, last))

    in_order = (bounds[:1] >= 0).all() & (bounds[:-1] <= bounds[1:]).all()
    return jax.lax.cond(in_order, in_one_pass, one_by_one).astype(dtype)
'''

SOURCES: dict[str, str] = {
    "_sum_of_products": _SUM_OF_PRODUCTS.strip() + "\n",
    "_scaled_transposed_matmul": _SCALED_TRANSPOSED_MATMUL.strip() + "\n",
    "_transposed_matmul": _TRANSPOSED_MATMUL.strip() + "\n",
    "_transposed_dot": _TRANSPOSED_DOT.strip() + "\n",
    "_masked_matmul": _MASKED_MATMUL.strip() + "\n",
    "_segment_sums": _SEGMENT_SUMS.strip() + "\n",
    "_scaled_matmul": _SCALED_MATMUL.strip() + "\n",
}
