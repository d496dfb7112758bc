"""What crosses between compiled code and NumPy."""

from __future__ import annotations

TO_NUMPY = "_to_numpy"
_TO_NUMPY = '''
def _to_numpy(results):
    """The arrays that compiled code returns as NumPy arrays, and those without dimensions as NumPy scalars."""
    return jax.tree.map(lambda leaf: np.array(leaf)[()] if isinstance(leaf, jax.Array) else leaf, results)
'''

WITH_NUMBERS = "_with_numbers"
_WITH_NUMBERS = '''
def _with_numbers(results, *positions):
    """Several results, with Python numbers in place of NumPy's at these positions."""
    return tuple(x.item() if k in positions and isinstance(x, np.generic) else x for k, x in enumerate(results))
'''

AS_ARRAY = "_as_array"
_AS_ARRAY = '''
def _as_array(x):
    """An array for a list, of which jit would take each item for an argument, and for an array of another byte order."""
    x = np.asarray(x) if isinstance(x, (list, tuple, range)) else x
    return x.astype(x.dtype.newbyteorder("=")) if isinstance(x, np.ndarray) and not x.dtype.isnative else x
'''

AS_VECTOR = "_as_vector"
_AS_VECTOR = '''
def _as_vector(x):
    """An array for a list of numbers, of which jit would take each for an argument, and for an array of another byte order."""
    if isinstance(x, (list, tuple, range)) and not isinstance(next(iter(x), 0), (list, tuple)) and np.ndim(x[:1]) == 1:
        x = np.asarray(x)
    return x.astype(x.dtype.newbyteorder("=")) if isinstance(x, np.ndarray) and not x.dtype.isnative else x
'''

AS_MATRIX = "_as_matrix"
_AS_MATRIX = '''
def _as_matrix(x):
    """An array for a list of rows, of which jit would take each number for an argument, and for an array of another byte order."""
    x = np.asarray(x) if isinstance(x, (list, tuple)) and np.ndim(x[:1]) == 2 else x
    return x.astype(x.dtype.newbyteorder("=")) if isinstance(x, np.ndarray) and not x.dtype.isnative else x
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
    return x * 1.0 if getattr(x, "dtype", None) in ("int32", "int64", "uint32", "uint64") else x
'''

IS_RAGGED = "_is_ragged"
_IS_RAGGED = '''
def _is_ragged(x):
    """Whether the items of a list, a dict or an array of objects are neither numbers nor arrays of one shape, so that they are no rows of an array."""
    if not isinstance(x, (list, tuple)):
        return isinstance(x, dict) or getattr(x, "dtype", None) == object
    shapes = {getattr(item, "shape", None if isinstance(item, (list, tuple)) else ()) for item in x}
    return len(shapes) != 1 or None in shapes
'''

_TEXTS = {
    TO_NUMPY: _TO_NUMPY,
    WITH_NUMBERS: _WITH_NUMBERS,
    AS_ARRAY: _AS_ARRAY,
    AS_VECTOR: _AS_VECTOR,
    AS_MATRIX: _AS_MATRIX,
    AS_NUMPY: _AS_NUMPY,
    AS_SHAPE: _AS_SHAPE,
    AS_FLOAT: _AS_FLOAT,
    IS_RAGGED: _IS_RAGGED,
}
SOURCES: dict[str, str] = {name: text.strip() + "\n" for name, text in _TEXTS.items()}
