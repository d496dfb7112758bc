"""jit traces one operation or more for each item of an array that becomes a value of Python: such code stays NumPy."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

STAYS = {
    "list": "items = list(x * 2)\n    return items[-1] * np.sin(x) + np.cos(x)",
    "tuple": "return np.sin(tuple(x * 2.0)) * np.cos(x) + np.exp(x)",
    "display": "return np.sin(np.array([*x, 1.0])) * np.cos(np.array([*x, 2.0]))",
    "starred target": "first, *rest = x * 2.0\n    return np.sin(x) * first + np.cos(x) * len(rest)",
    "zip": "return np.array(list(zip(x * 2, x))) * np.sin(np.array([1.0, 2.0])) + np.exp(x[0])",
    "map": "return np.array(list(map(float, x ** 2))) + np.sin(x) * x",
    "map of NumPy's function": "return np.array(list(map(np.sin, x ** 2))) + np.sin(x) * x",
}
COMPILED = {
    "few items": "y = np.array([x[0], x[1], 1.0])\n    a, *rest = list(y * 2)\n    return np.sin(x) * a + np.cos(x) * rest[0]",
    "an index": "return x[tuple(np.array([1]))] * np.sin(x) + np.cos(x)",
    "a shape": "return np.ones(tuple(x.shape)) * np.sin(x) + np.cos(x)",
}


def converted(body):
    text = f"import numpy as np\n\n\ndef f(x: np.ndarray):\n    {body}\n"
    made = convert(text, placement="fast")[0]
    for size in (3, 5):
        x = np.linspace(0.5, 2.0, size)
        compare_values(run(made)["f"](x), run(text)["f"](x))
    return made


@pytest.mark.parametrize("body", STAYS.values(), ids=STAYS.keys())
def test_code_that_makes_a_value_of_each_item_stays_numpy(body):
    assert "jit" not in converted(body)


@pytest.mark.parametrize("body", COMPILED.values(), ids=COMPILED.keys())
def test_few_items_are_compiled(body):
    assert "jit" in converted(body)
