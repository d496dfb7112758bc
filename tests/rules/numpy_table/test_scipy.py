"""The functions of SciPy that become those of jax.scipy: to ten digits the same, over their whole domain."""

import re

import numpy as np
import pytest

from np2jax.rules import numpy_table
from np2jax.rules.numpy_table import scipy as table
from np2jax.tests.helpers.differential import check_agrees, convert, run

scipy = pytest.importorskip("scipy")

RNG = np.random.default_rng(7)
EDGES = np.array(
    [0.0, 1.0, -1.0, 2.0, 0.5, -0.5, 1.5, np.inf, np.nan, 1e-8, -1e-8, 10.0, 100.0, -100.0, 170.5, 30.0, -30.0, 700.0]
)
WIDE = np.concatenate([RNG.uniform(-35, 35, 400), RNG.uniform(-3, 3, 400), 10 ** RNG.uniform(-9, 2, 300), RNG.uniform(0, 1, 300)])
MATRIX = RNG.normal(size=(5, 5))
POSITIVE = MATRIX @ MATRIX.T + np.eye(5)
OF_ONE = [name for name, entry in table.ENTRIES.items() if entry.ufunc == 1]
NORMAL = [name for name in table.ENTRIES if name.startswith("scipy.stats.norm.")]
CALLS = [
    "scipy.special.logsumexp(x)",
    "scipy.special.logsumexp(x, axis=1)",
    "scipy.special.logsumexp(x, 0, y, keepdims=True)",
    "scipy.special.softmax(x)",
    "scipy.special.softmax(x, axis=1)",
    "scipy.special.log_softmax(x, -1)",
    "scipy.linalg.cholesky(y)",
    "scipy.linalg.cholesky(y, lower=True, check_finite=False)",
    "scipy.linalg.cholesky(y, True, False)",
    "scipy.linalg.inv(x)",
    "scipy.linalg.solve(x, y)",
    "scipy.linalg.solve(x, y[0], check_finite=False)",
    "scipy.linalg.solve(y, x, assume_a='pos')",
    "scipy.linalg.solve_triangular(x, y)",
    "scipy.linalg.solve_triangular(x, y[1], lower=True)",
    "scipy.linalg.solve_triangular(x, y, trans='T', lower=True, unit_diagonal=True)",
    "scipy.linalg.block_diag(x, y[:2], 3.0)",
]


def source(call, params="x, y"):
    module = call.rpartition("(")[0] if "(" not in call.partition("(")[2] else call.partition("(")[0]
    return (
        f"import numpy as np\nimport {module.rpartition('.')[0].removesuffix('.norm')}\n\n\ndef f({params}):\n    return {call}\n"
    )


def test_every_function_is_tried():
    tried = {*OF_ONE, *NORMAL, *(call.partition("(")[0] for call in CALLS)}
    assert tried == table.ENTRIES.keys()


@pytest.mark.quick(6)
@pytest.mark.parametrize("name", OF_ONE)
def test_functions_of_one_argument(name):
    entry = table.ENTRIES[name]
    edges = EDGES[np.isfinite(EDGES) & (EDGES != 0)] if entry.edges else EDGES
    inputs = [(edges,), (WIDE,), (np.float64(0.25),), (np.zeros((0, 2)),), (np.float32([0.5, 2.0]),)]
    inputs += [] if entry.loud else [(np.arange(1, 5),)]
    text = check_agrees(source(f"{name}(x)", "x: np.ndarray"), *inputs)
    assert table.ENTRIES[name].target in text and f" {name}(" not in text


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64"])
def test_integers_are_computed_in_the_precision_of_scipy(dtype):
    text = f"import numpy as np\nimport numpy.typing as npt\nimport scipy.special\n\n\ndef f(x: npt.NDArray[np.{dtype}]):\n    return scipy.special.expit(x)\n"
    check_agrees(text, (np.array([0, 1, 1]).astype(dtype),))


@pytest.mark.quick(3)
@pytest.mark.parametrize("name", NORMAL)
def test_the_normal_distribution(name):
    x = RNG.uniform(0.001, 0.999, 50) if name.endswith("ppf") else RNG.normal(scale=3, size=50)
    text = source(f"{name}(x, y, 2.5) + {name}(x) + {name}(x, scale=3, loc=0.5)", "x: np.ndarray, y: np.ndarray")
    assert "jax.scipy.stats.norm" in check_agrees(text, (x, RNG.normal(size=50)), (x[:0], x[:0]))


@pytest.mark.quick(7)
@pytest.mark.parametrize("call", CALLS)
def test_calls(call):
    text = check_agrees(source(call, "x: np.ndarray, y: np.ndarray"), (MATRIX + 3 * np.eye(5), POSITIVE))
    assert not re.search(r"(?<!jax\.)scipy\.", text)


OTHERS = {
    "not in jax.scipy to ten digits": "import scipy.special\n\ndef f(x: np.ndarray):\n    return scipy.special.log_ndtr(x) + np.exp(x)\n",
    "the name of something else": "from special import erf\n\ndef f(x: np.ndarray):\n    return erf(x) + np.exp(x)\n",
    "bound anew": "try:\n    from scipy.special import expit\nexcept ImportError:\n    def expit(x):\n        return 1 / (1 + np.exp(-x))\n\ndef f(x: np.ndarray):\n    return expit(x)\n",
}


@pytest.mark.parametrize("why", OTHERS)
def test_what_stays(why):
    assert "jax.scipy" not in convert(f"import numpy as np\n{OTHERS[why]}")[0]


def test_a_function_that_is_passed_on_and_one_that_stays_scipys():
    """The import stays where something still needs it."""
    text, _functions, _diagnostics = convert(
        "import numpy as np\nfrom scipy import special\n\n\ndef f(x: np.ndarray):\n    return special.erf(x)\n\n\ndef g(x: np.ndarray):\n"
        "    return special.jv(0, x)\n"
    )
    assert "from scipy import special" in text and "jax.scipy.special.erf(x)" in text
    x = np.linspace(0.5, 2, 4)
    np.testing.assert_allclose(run(text)["g"](x), scipy.special.jv(0, x))


def test_the_names_are_not_numpys():
    assert numpy_table.function("numpy.scipy.special.nothing") is None
    assert numpy_table.SCIPY["scipy.special.erf"] == "numpy.scipy.special.erf"
