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
    """An array for a list or a tuple: jit would take each of its items for an argument."""
    return np.asarray(x) if isinstance(x, (list, tuple)) else x
'''

AS_NUMPY = "_as_numpy"
_AS_NUMPY = '''
def _as_numpy(result):
    """The result of a function that may be compiled, with NumPy arrays. What holds no JAX array is returned itself."""
    if isinstance(result, jax.Array):
        return np.array(result)[()]
    if type(result) in (list, tuple):
        parts = [_as_numpy(part) for part in result]
        return result if all(part is old for part, old in zip(parts, result)) else type(result)(parts)
    if type(result) is dict:
        parts = {key: _as_numpy(part) for key, part in result.items()}
        return result if all(part is result[key] for key, part in parts.items()) else parts
    return result
'''

SOURCES: dict[str, str] = {
    name: text.strip() + "\n" for name, text in ((TO_NUMPY, _TO_NUMPY), (AS_ARRAY, _AS_ARRAY), (AS_NUMPY, _AS_NUMPY))
}
