"""Functions that do little are not compiled where that would make others compiled that are faster in NumPy."""

from np2jax.tests.helpers.differential import convert

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
