"""Counts of values in intervals."""

from __future__ import annotations

_HISTOGRAM = '''
def _histogram(a, bins=10, range=None, density=None, weights=None):
    """Histograms with the dtypes of NumPy's: integers are counted, weights summed in double precision.

    In which of several bins of one width a number lies is computed, and put right by the edges, as in NumPy.
    """
    if weights is not None and jnp.shape(weights) != jnp.shape(a):
        raise ValueError("weights should have the same shape as a.")
    a = jnp.ravel(a)
    edges = jnp.asarray(bins)
    if edges.ndim == 1:
        count = len(edges) - 1
        k = jnp.where(a == edges[-1], count, jnp.searchsorted(edges, a, side="right")) - 1
    else:
        count = bins
        first, last = range if range is not None else (a.min(), a.max()) if a.size else (0, 1)
        dtype = jnp.result_type(first, last, a)
        dtype = dtype if jnp.issubdtype(dtype, jnp.inexact) else jnp.result_type(dtype, float)
        first, last = jnp.asarray(first) * 1.0, jnp.asarray(last) * 1.0
        alike = first == last
        first, last = jnp.where(alike, first - 0.5, first), jnp.where(alike, last + 0.5, last)
        step = (last - first) / jax.lax.optimization_barrier(jnp.asarray(count, first.dtype))
        edges = jnp.sort(jnp.arange(count + 1).astype(first.dtype) * step) + first  # sorted, so rounded, before it is added
        edges = edges.at[-1].set(last).astype(dtype)
        x = a.astype(dtype)
        k = jnp.clip((x - edges[0]) / (edges[-1] - edges[0]) * count, 0, count - 1).astype(int)
        k = k - (x < edges[k])
        k = k + ((x >= edges[k + 1]) & (k < count - 1))
        k = jnp.where((a >= first) & (a <= last), k, count)
    k = jnp.where(k < 0, count, k)  # outside: dropped
    if weights is None:
        counts = jnp.zeros(count, int).at[k].add(1, mode="drop")
    else:
        added = jnp.ravel(weights)
        wide = jnp.promote_types(added.dtype, jnp.zeros(0).dtype)
        counts = jnp.zeros(count, wide).at[k].add(added.astype(wide), mode="drop").astype(added.dtype)
    if density:
        counts = counts / jnp.diff(edges).astype(float) / counts.sum()
    return counts, edges
'''

SOURCES: dict[str, str] = {"_histogram": _HISTOGRAM.strip() + "\n"}
