"""`alpha * A @ x`: the smaller of the two is scaled where that is the same, whatever the dtypes and the shapes turn out to be."""

import jax
import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on, check_agrees, convert, run
from np2jax.tests.helpers.drawn_programs import seeds
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

HELPER = "_scaled_matmul("
SCALED = "import numpy as np\n\ndef f(alpha, A, x):\n    return np.asarray(alpha * A @ x)\n"
DTYPES = ["bool", "int8", "uint8", "int16", "int64", "float32", "float64", "complex64", "complex128"]


def array(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    made = rng.normal(size=shape) * 60
    return made.astype(dtype) if np.dtype(dtype).kind != "c" else (made + 1j * rng.normal(size=shape)).astype(dtype)


@pytest.mark.quick(4)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_of_which_nobody_knows(dtype):
    """int8 wraps where A is scaled: to scale x would wrap elsewhere."""
    text = check_agrees(SCALED, (3, array((4, 6), dtype), array(6, dtype, 1)), (3, array(6, dtype), array((6, 4), dtype, 1)))
    assert text.count(HELPER) == 2


@pytest.mark.parametrize(
    ("a", "x"), [("float64", "int8"), ("float64", "bool"), ("int8", "float64"), ("float64", "complex128"), ("int8", "int64")]
)
def test_mixed_dtypes(a, x):
    check_agrees(SCALED, (100, array((4, 6), a), array(6, x, 1)), (0.1, array((4, 6), a), array(6, x, 1)))


def test_a_vector_of_less_precision_is_not_rounded():
    """0.1 times float32 is a float32; times A it is a float64."""
    text, *_ = convert(SCALED)
    A, x = array((50, 60), "float64"), array(60, "float32", 1)
    assert np.allclose(run(text)["f"](0.1, A, x), 0.1 * A @ x, rtol=1e-12, atol=0)


@pytest.mark.parametrize(
    "alpha", [0.5, -2, True, 0.0, np.inf, -np.inf, np.nan, 1e200, np.float64(0.3), np.array(0.3), np.array([[2.0]])]
)
def test_every_number(alpha):
    A, x = array((4, 6), "float64"), array(6, "float64", 1)
    special = A.copy()
    special[0, 0], special[1, 1], special[2, 2], special[3, 3] = 0, np.inf, -np.inf, np.nan
    more = x.copy()
    more[0], more[3] = np.inf, 0
    check_agrees(SCALED, *[(alpha, one, other) for one in (A, special) for other in (x, more)])


def test_infinity_keeps_what_is_undefined():
    """inf - inf: to scale the product A @ x would give inf."""
    check_agrees(SCALED, (np.inf, np.array([[1.0, -1.0]]), np.array([2.0, 1.0])))


@pytest.mark.parametrize(
    ("alpha", "a", "x"),
    [
        ((), (0, 3), (3,)),
        ((), (4, 0), (0,)),
        ((), (3,), (3,)),
        ((), (3,), (3, 4)),
        ((), (4, 3), (3, 2)),
        ((), (2, 4, 3), (3, 2)),
        ((), (2, 4, 3), (2, 3, 5)),
        ((3,), (4, 3), (3,)),
        ((4, 1), (4, 3), (3,)),
        ((4, 3), (4, 3), (3,)),
        ((4, 3), (3,), (3,)),
        ((2, 1, 1), (4, 3), (3,)),
    ],
)
def test_every_shape(alpha, a, x):
    check_agrees(SCALED, (array(alpha, "float64", 2), array(a, "float64"), array(x, "float64", 1)))


def test_shapes_that_do_not_fit_raise():
    text, *_ = convert(SCALED)
    with pytest.raises((TypeError, ValueError)):
        run(text)["f"](2.0, np.ones((3, 4)), np.ones(3))


def test_the_smaller_one_is_scaled():
    text, *_ = convert(SCALED)
    for a, x, scaled in [((4, 6), (6,), "6"), ((6,), (6, 4), "6"), ((6, 6), (6, 6), "6,6")]:
        jaxpr = str(jax.make_jaxpr(run(text)["f"])(2.0, np.ones(a), np.ones(x)))
        assert f":f64[{scaled}] = mul" in jaxpr
    jaxpr = str(jax.make_jaxpr(run(text)["f"])(2.0, np.ones((4, 6), "float32"), np.ones(6, "float32")))
    assert ":f32[4,6] = mul" in jaxpr


def test_what_is_known_is_written_out():
    text = check_agrees(
        """
        import numpy as np

        def f(alpha: float, n: int):
            A = np.ones((n, n + 1))
            x = np.ones(n + 1)
            return alpha * A @ x + np.sum(A) * (2.0 * A @ (x - 1))
        """,
        (0.3, 4),
    )
    assert "return A @ (alpha * x) + jnp.sum(A) * (A @ (2.0 * (x - 1)))" in text


@pytest.mark.quick(6)
@pytest.mark.parametrize(
    "expression",
    [
        "alpha * (A @ x)",
        "A @ (alpha * x)",
        "alpha + A @ x",
        "alpha @ A @ x",
        "alpha / A @ x",
        "A.astype(int) * alpha @ x",
        "A.shape[0] * A.astype(int) @ x",
        "A.shape[0] * A.astype(np.float32) @ x",
        "A.shape[0] * A @ x.astype(np.float32)",
        "np.ones(3) * A @ x",
        "2.0 * np.ones(3) @ A",
        "2.0 * A @ np.ones((3, 3))",
        "(A  # the matrix\n        @ x)",
        "(alpha * A  # the matrix\n        @ x)",
    ],
)
def test_what_stays(expression):
    before = f"import numpy as np\n\ndef f(alpha, A, x):\n    return np.abs({expression})\n"
    text = check_agrees(before, (np.full((3, 3), 2.0), array((3, 3), "f8"), array(3, "f8")), keep=True)
    assert HELPER not in text


def test_operators_of_somebodys_own_stay():
    """What jit does not trace may be anything that has a product with an array: a linear operator."""
    for before in (
        "def f(A, x):\n    print(x.dtype)\n    return 2.0 * A @ np.tanh(x)\n",
        "def f(x):\n    return 2.0 * A @ np.tanh(x)\n",
        "class C:\n    def __init__(self, A):\n        self.A = A\n    def f(self, x):\n        return 2.0 * self.A @ np.tanh(x)\n",
    ):
        assert HELPER not in convert(f"import numpy as np\nfrom operators import A\n\n{before}")[0]


def test_float32_by_choice_stays():
    assert HELPER not in convert(SCALED, precision="float32")[0]


def test_slices_that_vary():
    before = """
        import numpy as np

        def f(alpha, A, x):
            out = np.zeros(len(x))
            for i in range(1, len(x)):
                out[i] = x[i] + np.sum(alpha * A[:i, :i] @ x[:i]) + alpha * x[:i] @ A[:i, i]
            return out
    """
    check_agrees(before, (0.5, array((6, 6), "f8"), array(6, "f8")), (3, array((6, 6), "i1"), array(6, "i1")), keep=True)


def test_in_loops_and_branches():
    before = """
        import numpy as np

        def f(A: np.ndarray, b: np.ndarray, x: np.ndarray, n: int):
            step = 0.01
            for _ in range(n):
                x = x - step * A.T @ (A @ x - b)
            return x
    """
    text = check_agrees(before, (array((4, 3), "f8") / 60, array(4, "f8"), array(3, "f8"), 5))
    assert "return x - _scaled_transposed_matmul(step, A, A @ x - b)" in text


def check(seed):
    """A random program with scaled products, of random dtypes and shapes; its text, and whether the smaller one may be scaled."""
    rng = np.random.default_rng(seed)

    def drawn(*texts):
        return texts[rng.integers(len(texts))]

    n, k = rng.integers(0, 5, 2)
    square = bool(rng.integers(2))
    k = n if square else k
    scale = drawn(
        "alpha", "2", "-0.5", "A.shape[0]", "1 / (1 + len(x))", "(alpha + 1)", "np.sum(alpha)", "np.abs(x).sum()", "alpha[0]"
    )
    matrix = drawn("A", "A", "A[:]", "np.abs(A)", "(A * A)", "A.T" if square else "A", "np.ones(A.shape)")
    vector = drawn("x", "x", "(x - 1)", "x[::-1]", "np.where(x > 0, x, 0)", "A.T" if rng.random() < 0.3 else "x")
    products = f"{scale} * {matrix} @ {vector}"
    body = drawn(
        f"    return {products}\n",
        f"    y = {products}\n    return y + {products}\n",
        f"    y = np.zeros(A.shape[0])\n    for i in range(3):\n        y = y + {products}\n    return y\n",
        f"    if np.sum(x) > 0:\n        return {products}\n    return -({products})\n",
    )
    known = drawn("def f(alpha, A, x):\n", "def f(alpha: float, A: np.ndarray, x: np.ndarray):\n")
    before = f"import numpy as np\n\n{known}{body}"
    dtypes = [drawn("int8", "int64", "float64", "float64", "float64") for _ in range(2)]
    numbers = [2, 0.5, np.array(0.25), np.inf, np.nan, 0.0, rng.normal(size=k), rng.normal(size=(n, 1))]
    if scale == "alpha[0]":
        numbers = [rng.normal(size=2), rng.normal(size=(2, k)), np.array([np.inf, 2.0])]
    text, functions, _ = convert(before)
    A, x = (array(s, d, seed) for s, d in zip(((n, k), (k,)), dtypes, strict=True))
    if n * k and dtypes[0] == "float64":
        A.flat[0] = [np.inf, np.nan, 0, 1][rng.integers(4)]
    agrees_on(before, text, functions["f"], (numbers[rng.integers(len(numbers))], A, x))
    return text, text.count(HELPER) > 1


@pytest.mark.parametrize("seed", seeds(range(8), quick=4))
def test_random_products(seed):
    check(seed)
