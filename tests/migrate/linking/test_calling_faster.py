"""Functions that do little are not compiled where that would make others compiled that are faster in NumPy."""

from np2jax.tests.helpers.differential import convert, convert_project

PRODUCT = """
import numpy as np

def {name}(p, q):
    a, b = p
    c, d = q
    return np.array([a * c - b * d, a * d + b * c])

def turned(v: np.ndarray, q: np.ndarray):
    w = np.zeros(2)
    w[1:] = v / np.sqrt(np.dot(q, q))
    return {name}(q, {name}(w, q))
"""
MUCH = """
def settled(v: np.ndarray, q: np.ndarray, n: int):
    for i in range(n):
        v = {name}(v, q) + np.sin(v) * np.cos(q)
    return v
"""


def transforms(text):
    return {name: function.transform for name, function in convert(text, placement="fast")[1].items()}


def test_a_function_that_does_little_stays():
    assert transforms(PRODUCT.format(name="product")) == {"product": "", "turned": ""}


def test_one_that_does_much_is_compiled_with_what_it_calls():
    found = transforms((PRODUCT + MUCH).format(name="product"))
    assert (found["settled"], found["product"]) == ("jit", "both")


def test_what_nobody_else_calls_is_compiled():
    found = transforms(PRODUCT.format(name="_product"))
    assert found["turned"] == "jit"


LAYERS = """
import numpy as np

def relu(x):
    return np.maximum(x, 0)

def layers(x: np.ndarray, w: np.ndarray, v: np.ndarray):
    return relu(relu(x @ w) @ v)
"""


def test_one_operation_on_arrays_is_compiled_with_its_caller():
    assert transforms(LAYERS) == {"relu": "both", "layers": "jit"}


def test_a_function_that_hides_its_module():
    """`from .logistic import logistic` in `__init__.py`: `pkg.logistic` is the function, and the module that it was."""
    sources = {
        "pkg/__init__.py": "",
        "pkg/maths/__init__.py": "from .logistic import logistic, LIMIT\n",
        "pkg/maths/logistic.py": "import numpy as np\n\nLIMIT = 3.0\n\n\ndef logistic(x):\n    return 1 / (1 + np.exp(-x))\n",
        "pkg/net.py": (
            "from .maths import LIMIT, logistic\n\n\ndef layers(x, weights, n):\n    found = {}\n"
            "    for k in range(n):\n        x = logistic(weights[k] @ x)\n        found[f'{k}'] = x * LIMIT\n    return found\n"
        ),
    }
    texts = convert_project(sources, placement="fast")[0]
    assert "jit" not in texts["pkg/maths/logistic.py"]  # Python calls it in a loop


KERNELS = """
import numpy as np
from scipy.optimize import minimize

def squared(v: np.ndarray):
    return np.dot(v, v) * 0.5 + np.sum(v)

class Machine:
    def __init__(self, name):
        self.kernel = self.linear if name == "linear" else self.gaussian

    def linear(self, v, w):
        return np.dot(v, w)

    def gaussian(self, v, w):
        return np.exp(-squared(v - w))

    def fit(self, x, y):
        {loop}
"""


def test_a_function_that_an_attribute_holds_is_called_in_a_loop():
    loop = "self.sums = [sum(y[j] * self.kernel(x[i], x[j]) for j in range(len(x))) for i in range(len(x))]"
    assert not transforms(KERNELS.format(loop=loop))["squared"]
    assert transforms(KERNELS.format(loop="self.first = self.kernel(x[0], x[1])"))["squared"] == "jit"


METRICS = """
import numpy as np

class Euclidean:
    @staticmethod
    def distance(x, y):
        return np.sum((x - y) ** 2)

def manhattan(x, y):
    return np.sum(np.abs(x - y) / 2)

CLASSES = {{"euclidean": Euclidean}}
FUNCTIONS = {{"manhattan": manhattan}}

def distance_of(kind):
    return FUNCTIONS[kind] if kind in FUNCTIONS else CLASSES[kind].distance

def total(a, b, kind):
    f = distance_of(kind)
    return {result}
"""


def test_a_function_in_a_table_is_called_in_a_loop():
    def compiled(result):
        return {name for name, made in transforms(METRICS.format(result=result)).items() if made == "jit"}

    assert not compiled("{(i, j): f(x, y) for i, x in enumerate(a) for j, y in enumerate(b)}")
    assert compiled("f(a, b)") == compiled("[g(a, b) for g in (f, f)]") == {"Euclidean.distance", "manhattan"}
    assert compiled("{i: f(x, b, 2.0) for i, x in enumerate(a)}") == compiled("f(a, b)"), "a call that fits neither"


def test_a_function_that_a_library_gets_is_called_again_and_again():
    loop = "return minimize(self.loss, x)\n\n    def loss(self, v):\n        return squared(v)"
    assert not transforms(KERNELS.format(loop=loop))["squared"]
