"""Decorators of compiled functions, which return what NumPy did to callers that pass nothing of JAX."""

from __future__ import annotations

NUMPY_RESULTS = "_numpy_results"
PYTHON_RESULTS = "_python_results"
_DECORATOR = '''
def {name}({parameters}):
    """The function with {kind} as its results, unless it gets an array of JAX, as under jax.grad, or JAX traces it.{more}"""

    @functools.wraps(function)
    def call(*args, **kwargs):
        results = function(*args, **kwargs)
        made, given = jax.tree.leaves(results), jax.tree.leaves((args, kwargs))
        traced = any(isinstance(leaf, jax.core.Tracer) for leaf in made)
        if traced or any(isinstance(leaf, jax.Array) for leaf in given) or not any(isinstance(leaf, jax.Array) for leaf in made):
            return results
{lines}

    return call
'''
_TO_NUMPY = """\
        results = jax.tree.map(lambda leaf: np.array(leaf)[()] if isinstance(leaf, jax.Array) else leaf, results)
        return tuple(x.item() if k in numbers else x for k, x in enumerate(results)) if numbers else results"""
_TO_PYTHON = """\
        return jax.tree.map(lambda leaf: leaf.item() if isinstance(leaf, jax.Array) else leaf, results)"""
_POSITIONS = " `numbers`: the\n    positions of the results that are Python numbers."

_TEXTS = {
    NUMPY_RESULTS: _DECORATOR.format(
        name=NUMPY_RESULTS, parameters="function, numbers=()", kind="NumPy arrays", more=_POSITIONS, lines=_TO_NUMPY
    ),
    PYTHON_RESULTS: _DECORATOR.format(
        name=PYTHON_RESULTS, parameters="function", kind="Python numbers", more="", lines=_TO_PYTHON
    ),
}
SOURCES: dict[str, str] = {name: text.strip() + "\n" for name, text in _TEXTS.items()}
