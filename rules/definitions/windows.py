"""The slices of an array of one length at consecutive starts."""

from __future__ import annotations

_WINDOWS = '''
def _windows(x, first, last, size, axis):
    """The slices `x[k : k + size]` along an axis for each k from first on, below last: the axis becomes two, of k and of their items.

    A few items are stacked, which is several times as fast as to look them up.
    """
    last = max(first, last)
    if not 0 < size <= (64 if x.ndim == 1 else 8):
        return jnp.take(x, jnp.arange(first, last)[:, None] + jnp.arange(size), axis=axis)
    return jnp.stack([x[(*[slice(None)] * axis, slice(first + k, last + k))] for k in range(size)], axis + 1)
'''

SOURCES: dict[str, str] = {"_windows": _WINDOWS.strip() + "\n"}
