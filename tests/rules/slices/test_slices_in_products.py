"""Slices whose bounds vary, in products of vectors and matrices."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import body, check_agrees, convert

RNG = np.random.default_rng(7)


def square(n):
    return RNG.normal(size=(n, n)) + n * np.eye(n)


def test_a_product_tells_the_rank():
    made = convert(
        "import numpy as np\n\ndef f(A):\n    for i in range(A.shape[0]):\n        A[i, 0] -= A[i, :i] @ A[:i, 0]\n    return A\n"
    )
    assert "assert" not in made[0]
    assert "n = jnp.arange(A.shape[0])" in body(made[0])


PRODUCTS = {
    "at": "L[i, :i] @ x[:i]",
    "dot": "np.dot(x[:i], L[:i, i])",
    "method": "x[:i].dot(L[i, :i])",
    "reversed": "np.dot(np.flip(x[:i]), L[i, :i])",
    "shifted": "x[i:] @ L[0, :len(x) - i]",
    "inner": "np.inner(x[:i], x[:i])",
}


@pytest.mark.quick(3)
@pytest.mark.parametrize("name", PRODUCTS)
def test_products_of_vectors_keep_their_dtype(name):
    """A sum of narrow integers would be wider than their product."""
    source = f"""
    import numpy as np

    def f(L: np.ndarray, x: np.ndarray):
        last = x[0]
        for i in range(1, len(x)):
            last = last + {PRODUCTS[name]}
        return last
    """
    full = np.array([[1.0, np.nan, 2.0], [np.inf, 1.0, 3.0], [2.0, 0.5, -np.inf]])
    text = check_agrees(source, (full, np.array([1.0, 2.0, np.nan])), (full, np.array([0.5, -1.0, 2.0])))
    made = body(text)
    assert "_masked_matmul" in made if name in ("at", "dot", "method") else "where=" in made and "jnp.where" not in made, text
    for dtype in (np.int32, np.uint8, np.int64, np.float32, np.complex64):
        whole = (np.arange(9).reshape(3, 3) * 50).astype(dtype)
        check_agrees(source, (whole, np.array([100, 7, 90]).astype(dtype)))


ONE_ARM = {
    "np.dot(a[i + 1:, i], b[i + 1:, j])": True,
    "a[i, :i] @ b[:i, j]": True,
    "b[:i, j].dot(a[i, :i])": True,
    "2.0 ** np.dot(b[:i, j], a[:i, i])": True,
    "a[j, :i] @ b[:i, j]": False,  # a product for each iteration
    "a[i, :i] @ a[:i, i]": False,  # one product for all iterations
    "a[i, :j] @ b[:j, i]": False,  # a mask for each iteration
}


@pytest.mark.quick(3)
@pytest.mark.parametrize("product", ONE_ARM)
@pytest.mark.parametrize("annotated", [True, False])
def test_a_vector_that_meets_one_of_each_iteration_is_a_product_with_a_matrix(product, annotated):
    note = ": np.ndarray" if annotated else ""
    source = f"""
    import numpy as np

    def f(a{note}, b{note}):
        out = np.zeros(b.shape)
        for i in range(a.shape[0]):
            for j in range(b.shape[1]):
                out[i, j] = {product} + 0.5 * b[j, i]
        return out
    """
    a, b = RNG.normal(size=(4, 4)), RNG.normal(size=(4, 4))
    b[3, 1], b[1, 2], a[2, 2], a[0, 3] = np.nan, np.inf, np.inf, np.nan
    narrow = (np.arange(16).reshape(4, 4) * 37).astype(np.int8)
    text = check_agrees(source, (a, b), (narrow, narrow), (narrow > 0, narrow.T > 50), (narrow, narrow.astype(np.float32)))
    assert ("jnp.where(n" in text) == ONE_ARM[product], text


ROWS_OF_SLICES = [
    "out[i, j] += np.dot(a[i + 1:, i], b[i + 1:, j])",
    "out[i, j] += np.dot(a[i + 1:, i], out[i + 1:, j])",
    "out[i, j] = a[i, :i] @ b[j, :i]",
    "out[i, j] = np.sum(a[i, :j] * b[i, :j])",
    "out[i, j] = np.max(b[j, : i + 1])",
    "out[i, j] = np.sum(a[i, i:] * b[j, i:]) + a[j, i]",
    "out[i, j] = np.sum(a[j, :i] * np.flip(a[j, :i]))",
    "out[i, j] = np.sum(a[j, 1 : i + 1] - a[j, :i])",
    "out[j, i] = np.sum(b[:i, j]) - np.sum(b[i:, j])",
]


@pytest.mark.parametrize("iteration", ROWS_OF_SLICES)
def test_rows_of_slices_are_parameters_of_an_iteration(iteration):
    source = f"""import numpy as np

def f(a: np.ndarray, b: np.ndarray):
    out = np.zeros((4, 4))
    for i in range(4):
        for j in range(4):
            {iteration}
    return out
"""
    rng = np.random.default_rng(1)
    wild = np.where(rng.random((4, 4)) < 0.2, np.nan, rng.normal(size=(4, 4)))
    whole = rng.integers(-9, 9, (4, 4))
    square = rng.normal(size=(4, 4))
    calls = [(square, square.T.copy()), (whole, whole.T.copy()), (wild, square), (square, wild)]
    if "max" in iteration:
        calls = calls[:1]
    check_agrees(source, *calls)


def test_a_part_of_a_column_that_meets_an_expression():
    """It was kept: what takes the column as a parameter met what masks it."""
    text = """
    import numpy as np

    def f(a: np.ndarray, b: np.ndarray):
        for i in range(b.shape[0]):
            for j in range(b.shape[1]):
                b[i, j] += np.dot(2 * a[i + 1:, i], b[i + 1:, j])
        return b
    """
    a, b = np.arange(9.0).reshape(3, 3), np.array([[np.nan, 1.0], [np.inf, 2.0], [3.0, 4.0]])
    assert "@jax.jit" in check_agrees(text, (a, b), (a, a[:, :2]))


def test_a_row_of_a_slice_is_not_looked_up():
    text = check_agrees(
        """import numpy as np

def f(a: np.ndarray, b: np.ndarray):
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            b[i, j] += np.max(a[i]) * np.dot(a[i + 1:, i], b[i + 1:, j])
    return b
""",
        (np.arange(9.0).reshape(3, 3), np.arange(6.0).reshape(3, 2)),
        (np.arange(9).reshape(3, 3), np.array([[np.nan, 1], [np.inf, 2], [3, 4]])),
    )
    assert "in_axes=(1,))(b)" in text, text
