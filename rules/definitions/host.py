"""What crosses between compiled code and NumPy."""

from __future__ import annotations

TO_NUMPY = "_to_numpy"
_TO_NUMPY = '''
def _to_numpy(results):
    """The arrays that compiled code returns as NumPy arrays, and those without dimensions as NumPy scalars."""
    return jax.tree.map(lambda leaf: np.array(leaf)[()] if isinstance(leaf, jax.Array) else leaf, results)
'''

AS_ARRAY = "_as_array"
_AS_ARRAY = '''
def _as_array(x):
    """An array for a list, of which jit would take each item for an argument, and for an array of another byte order."""
    x = np.asarray(x) if isinstance(x, (list, tuple, range)) else x
    return x.astype(x.dtype.newbyteorder("=")) if isinstance(x, np.ndarray) and not x.dtype.isnative else x
'''

AS_SHAPE = "_as_shape"
_AS_SHAPE = '''
def _as_shape(x):
    """A tuple, which jit can hash, for a shape that is a list or an array."""
    return tuple(np.ravel(x).tolist()) if isinstance(x, (list, np.ndarray)) else x
'''

AS_FLOAT = "_as_float"
_AS_FLOAT = '''
def _as_float(x):
    """Integers as floats, which they become in the first iteration of a loop: a compiled loop keeps the dtype of its values."""
    return x * 1.0 if getattr(x, "dtype", None) == "int64" else x
'''

SOURCES: dict[str, str] = {
    name: source.strip() + "\n"
    for name, source in ((TO_NUMPY, _TO_NUMPY), (AS_ARRAY, _AS_ARRAY), (AS_SHAPE, _AS_SHAPE), (AS_FLOAT, _AS_FLOAT))
}
