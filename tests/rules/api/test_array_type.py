"""NumPy's array type in annotations and `isinstance`."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, check_transformed, convert, function
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(__name__, function("return isinstance(n, int)", "n"), "def f(xs: list):\n    return xs\n")


A, B = np.array([[1.5, -2.0, 0.25], [3.0, 0.5, -1.0]]), np.array([4, 2, 7])


def test_annotations():
    check_transformed(
        """
        from __future__ import annotations
        import numpy as np
        from numpy.typing import ArrayLike, NDArray


        def f(a: np.ndarray, b: NDArray[np.float64] | None, c: "np.ndarray", d: list[np.ndarray], e: ArrayLike) -> np.float64:
            total: np.ndarray = np.sum(a)
            return total
        """,
        """
        @jax.jit
        def f(a: jax.Array, b: jax.Array | None, c: "np.ndarray", d: list[jax.Array], e: jax.typing.ArrayLike) -> jax.Array:
            total: jax.Array = jnp.sum(a)
            return total
        """,
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("isinstance(x, np.ndarray)", "isinstance(_number(x), (np.ndarray, jax.Array))"),
        ("isinstance(x, (list, np.ndarray))", "isinstance(_number(x), (list, np.ndarray, jax.Array))"),
        ("isinstance(x, list | np.ndarray)", "isinstance(_number(x), list | np.ndarray | jax.Array)"),
        ("isinstance(x, list)", "isinstance(x, list)"),
    ],
)
def test_isinstance(before, after):
    text = f"import numpy as np\n\n\ndef f(x):\n    print(x)\n    return {before}\n"
    assert f"return {after}" in convert(text)[0]
    check_agrees(text, (A,), ([1.0],), (1.0,))
