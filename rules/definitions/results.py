"""Decorators of compiled functions, which return what NumPy did to callers that pass nothing of JAX."""

from __future__ import annotations

NUMPY_RESULTS = "_numpy_results"
_NUMPY_RESULTS = '''
def _numpy_results(function, numbers=()):
    """The function with NumPy arrays as its results, unless it gets an array of JAX, as under jax.grad, or JAX traces it. `numbers`: the
    positions of the results that are Python numbers."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        results = function(*args, **kwargs)
        made, given = jax.tree.leaves(results), jax.tree.leaves((args, kwargs))
        traced = any(isinstance(leaf, jax.core.Tracer) for leaf in made)
        if traced or any(isinstance(leaf, jax.Array) for leaf in given) or not any(isinstance(leaf, jax.Array) for leaf in made):
            return results
        results = jax.tree.map(lambda leaf: np.array(leaf)[()] if isinstance(leaf, jax.Array) else leaf, results)
        return tuple(x.item() if k in numbers else x for k, x in enumerate(results)) if numbers else results

    return call
'''

PYTHON_RESULTS = "_python_results"
_PYTHON_RESULTS = '''
def _python_results(function):
    """The function with Python numbers as its results, unless it gets an array of JAX, as under jax.grad, or JAX traces it."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        results = function(*args, **kwargs)
        made, given = jax.tree.leaves(results), jax.tree.leaves((args, kwargs))
        traced = any(isinstance(leaf, jax.core.Tracer) for leaf in made)
        if traced or any(isinstance(leaf, jax.Array) for leaf in given) or not any(isinstance(leaf, jax.Array) for leaf in made):
            return results
        return jax.tree.map(lambda leaf: leaf.item() if isinstance(leaf, jax.Array) else leaf, results)

    return call
'''

_TEXTS = {NUMPY_RESULTS: _NUMPY_RESULTS, PYTHON_RESULTS: _PYTHON_RESULTS}
SOURCES: dict[str, str] = {name: text.strip() + "\n" for name, text in _TEXTS.items()}
