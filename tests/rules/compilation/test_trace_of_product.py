"""`np.trace(A @ B)`: only the diagonal is computed, where both are matrices of one inexact dtype."""

import jax
import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert, run
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

MADE = "import numpy as np\n\n\ndef f(n: int, m: int, v: float):\n    a = np.full((n, m), v{0})\n    b = np.ones((m, n){0})\n    return {1}\n"


def of(expression="np.trace(a @ b)", dtype="float64"):
    return MADE.format(f", np.{dtype}", expression).replace("np.ones((m, n), ", "np.ones((m, n), dtype=")


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_the_diagonal_alone_is_computed(dtype):
    calls = [(3, 4, 0.5), (4, 3, -2.0), (1, 1, 0.1), (0, 3, 1.0), (3, 0, 1.0), (2, 2, np.nan), (2, 2, np.inf)]
    text = check_agrees(of(dtype=dtype), *calls)
    assert 'jnp.einsum("ij,ji->", a, b, precision="highest")' in text
    assert "f32[4,4]" not in str(jax.make_jaxpr(lambda v: run(text)["f"](4, 3, v))(0.5))


@pytest.mark.quick(4)
@pytest.mark.parametrize(
    ("expression", "dtype"),
    [
        ("np.trace(a @ b)", "int8"),
        ("np.trace(a @ b)", "int64"),
        ("np.trace(a @ b)", "float16"),
        ("np.trace(a @ b, 1)", "float64"),
        ("np.trace(a @ b, dtype=np.float32)", "float64"),
        ("np.trace(a * b.T)", "float64"),
        ("np.trace((a @ b).T)", "float64"),
        ("np.trace(a @ b.astype(np.float32))", "float64"),
        ("np.trace(np.stack([a, a]) @ b)", "float64"),
        ("np.sum(a @ b)", "float64"),
    ],
)
def test_other_traces_stay(expression, dtype):
    assert "einsum" not in check_agrees(of(expression, dtype), (3, 4, 2.0))


def test_operands_of_unknown_rank_or_dtype_stay():
    text = "import numpy as np\n\n\ndef f(a: np.ndarray, b: np.ndarray):\n    return np.trace(a @ b)\n"
    assert "einsum" not in check_agrees(text, (np.ones((2, 3)), np.ones((3, 2))), (np.ones((2, 3, 3)), np.ones((2, 3, 3))))


def test_code_with_a_comment_in_the_product_stays():
    text = of("np.trace(\n        a  # loadings\n        @ b\n    )")
    assert "# loadings" in convert(text)[0]
