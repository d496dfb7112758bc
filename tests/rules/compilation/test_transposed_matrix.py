"""`X.T @ v`: the vector comes first, whatever the ranks and the dtypes turn out to be."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(4, 3)) * 50
VECTORS = [RNG.normal(size=shape) * 50 for shape in [(4,), (4, 1), (4, 2), (4, 0)]]
FORMS = ["X.T @ v", "np.dot(X.T, v)", "np.matmul(X.T, v)", "X.T.dot(v)", "X.transpose() @ v", "-X.T @ v", "2.0 * X.T @ v / 3.0"]
TEXT = "import numpy as np\n\n\ndef f(X: np.ndarray, v: np.ndarray):\n    return {0}\n"
KNOWN = "import numpy as np\n\n\ndef f(n: int, m: int):\n    X = np.ones((n, m), np.{1}) * 3\n    v = np.ones(n, np.{1}) * 2\n    return {0}\n"
DTYPES = ["int8", "int64", "float16", "float32", "complex64", "complex128"]


@pytest.mark.quick(3)
@pytest.mark.parametrize("form", FORMS)
def test_ranks_of_which_nobody_knows(form):
    special = X.copy()
    special[0, 0], special[1, 1], special[2, 2] = np.nan, np.inf, 0.0
    calls = [(X, v) for v in VECTORS] + [
        (special, VECTORS[0]),
        (X[:, 0], VECTORS[0]),
        (X[:0], np.ones(0)),
        (X[:0], np.ones((0, 1))),
    ]
    if form != "X.T @ v" and "matmul" not in form:
        calls += [(X, np.ones((4, 1)))]
    text = check_agrees(TEXT.format(form), *calls)
    assert ("_transposed_" in text) is (form != "-X.T @ v")


@pytest.mark.quick(3)
@pytest.mark.parametrize("form", ["X.T @ v", "2 * X.T @ v", "np.dot(X.T, v)"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(form, dtype):
    made = [
        (array / 9).astype(dtype) if np.dtype(dtype).kind != "c" else (array + 1j * array).astype(dtype)
        for array in (X, *VECTORS)
    ]
    check_agrees(TEXT.format(form), *[(made[0], v) for v in made[1:3]])


def test_stacks_of_matrices():
    """`X.T` reverses all axes."""
    stack = RNG.normal(size=(2, 3, 4))
    check_agrees(TEXT.format("X.T @ v"), (stack, np.ones(2)), (X, RNG.normal(size=(2, 4, 3))))
    check_agrees(TEXT.format("np.dot(X.T, v)"), (stack, np.ones(2)), (X, RNG.normal(size=(2, 4, 3))), (X, 3.0))


@pytest.mark.parametrize(
    ("form", "written"),
    [
        ("X.T @ v", "return v @ X"),
        ("X.T.dot(v)", "return v @ X"),
        ("np.dot(X.T, v) ** 2", "return (v @ X) ** 2"),
        ("0.5 * X.T @ v", "return (0.5 * v) @ X"),
        ("X.T @ (v + 1)", "return (v + 1) @ X"),
        ("X.T @ v @ X.T", "return (v @ X) @ X.T"),
    ],
)
def test_a_matrix_and_a_vector(form, written):
    assert written in check_agrees(KNOWN.format(form, "float64"), (3, 2), (1, 1), (0, 2))


@pytest.mark.parametrize(
    "form", ["X @ v[:2]", "v.T @ X", "X.T @ X", "X.T * v[:2, None]", "X.T[0] @ v", "np.dot(X.T, X)", "X.T.sum(0) @ v"]
)
def test_other_products_stay(form):
    text = KNOWN.format(form, "float64").replace("X @ v[:2]", "X @ v[:m]").replace("v[:2, None]", "v[:m, None]")
    assert "_transposed_" not in check_agrees(text, (3, 3))


def test_bools_objects_and_comments_stay():
    assert "_transposed_" not in convert(KNOWN.format("X.T @ v", "bool_").replace(" * 3", "").replace(" * 2", ""))[0]
    assert "# rows" in convert(TEXT.format("(X.T  # rows\n        @ v)"))[0]
