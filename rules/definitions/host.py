"""The results of compiled code for code that stays NumPy."""

from __future__ import annotations

TO_NUMPY = "_to_numpy"
_TO_NUMPY = '''
def _to_numpy(results):
    """The arrays that compiled code returns as NumPy arrays, and those without dimensions as NumPy scalars."""
    return jax.tree.map(lambda leaf: np.array(leaf)[()] if isinstance(leaf, jax.Array) else leaf, results)
'''

SOURCES: dict[str, str] = {TO_NUMPY: _TO_NUMPY.strip() + "\n"}
