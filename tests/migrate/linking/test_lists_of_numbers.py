"""Lists that functions go through item by item: they are arrays in compiled code if they are as deep as the code expects."""

import io

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

ROWS = [[1.0, 2.0, 0.5], [0.25, -1.0, 3.0], [2.0, 0.0, 1.0]]
FUNCTIONS = {
    "compared": (
        "longest = np.ones(len(x), dtype=int)\nfor i in range(len(x)):\n    for j in range(i):\n"
        "        if x[j] < x[i] and longest[j] + 1 > longest[i]:\n            longest[i] = longest[j] + 1\nreturn longest",
        "_as_vector(x)",
    ),
    "an index": ("out = np.zeros(len(x))\nfor i in range(len(x)):\n    out[i] = y[(x[i] > 1) * 1]\nreturn out", "_as_vector(x)"),
    "items": ("best = 0.0\nfor v in x:\n    if abs(v) > best:\n        best = abs(v) * 1.0\nreturn best", "_as_vector(x)"),
    "in pairs": ("s = 0.0\nfor a, b in zip(x, y):\n    s = 0.5 * s + a * b\nreturn s", "_as_vector(x)"),
    "with other uses": ("s = np.sum(np.sqrt(np.abs(x)))\nfor i in range(len(x)):\n    s = 0.5 * s + x[i] * x[0]\nreturn s", "_as_vector(x)"),
    "rows": (
        "out = np.zeros((len(x), len(x[0])))\nfor i in range(len(x)):\n    for j in range(len(x[0])):\n"
        "        for k in range(len(x)):\n            out[i, j] += x[i][k] * x[k][j]\nreturn out",
        "_as_matrix(x)",
    ),
}  # fmt: skip
STAYS = {
    "a literal index alone": "return np.cumsum(np.exp(y) * x[0] + np.sin(y) * x[1])",
    "of two depths": "s = 0.0\nfor i in range(len(y)):\n    s = s * 0.5 + y[i]\nreturn s * x[0][0] + x[1]",
    "a part": "s = 0.0\nfor i in range(len(y)):\n    s = s * 0.5 + y[i]\nfor v in x:\n    s = s + v\nreturn s, x[1:]",
    "returned": "s = 0.0\nfor i in range(len(x)):\n    s = s * 0.5 + x[i]\nreturn s, x",
    "changed": "s = 0.0\nfor i in range(len(x)):\n    s = s * 0.5 + x[i]\n    x[i] = s\nreturn s",
}


def program(body, before=""):
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return f"import numpy as np\n\n\n{before}def f(x, y):\n{lines}"


@pytest.mark.quick(3)
@pytest.mark.parametrize("make", [list, tuple, np.array])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_lists_as_deep_as_the_code_expects(name, make):
    body, shell = FUNCTIONS[name]
    text = program(body)
    made = convert(text, placement="fast")[0]
    assert f"return _f({shell}" in made
    for x in (ROWS,) if "matrix" in shell else (ROWS[0], [3, 1, 2], range(1, 4), [1.5], [2.5, 1]):
        want = run(text)["f"](make(x), np.array([0.5, 2.0, -1.0]))
        assert not compare_values(run(made)["f"](make(x), np.array([0.5, 2.0, -1.0])), want)


@pytest.mark.parametrize("name", STAYS)
def test_other_uses(name):
    made = convert(program(STAYS[name]), placement="fast")[0]
    assert "_as_vector(x)" not in made and "_as_matrix(x)" not in made


def test_deeper_lists_are_passed_as_they_are():
    text = program("for w in x:\n    y = np.tanh(y @ w) * np.sum(np.exp(y))\nreturn y")
    made = convert(text, placement="fast")[0]
    for x in ([np.eye(3), np.ones((3, 3))], np.ones((2, 3, 3))):
        assert not compare_values(run(text)["f"](x, np.array(ROWS[0])), run(made)["f"](x, np.array(ROWS[0])))


@pytest.mark.parametrize(("use", "shell"), [("np.sum(v)", "_as_array(x)"), ("np.exp(v[i] > v[0])", "_as_vector(x)")])
def test_what_a_function_passes_on(use, shell):
    helper = f"def g(v):\n    s = 0.0\n    for i in range(len(v)):\n        s = s * 0.5 + {use}\n    return s\n\n\n"
    text = program("return g(x) * np.cumsum(np.exp(y) * np.sin(y))", helper)
    made = convert(text, placement="fast")[0]
    assert f"return _f({shell}, " in made, made


DOCUMENTED = '''
import numpy as np


def _deviation(y, items):
    """The squares of deviations.

    Parameters
    ----------
    y : numpy.ndarray
    items : array
        The items to compare with.
    """
    total = 0.0
    for item in items:
        centred = y - y[item] * 0.5
        total += np.sum(centred * centred) + np.sum(np.exp(centred))
    return total


def f(y, names, log):
    found = []
    {fill}
    print(len(found), file=log)
    return _deviation(y, found)
'''


@pytest.mark.parametrize(
    "fill", ["for name in names:\n        found.append(len(name))", "[found.append(len(name)) for name in names]"]
)
def test_a_list_of_numbers_for_a_documented_array(fill):
    """jit would take each number for an argument, and `jax.vmap` accepts no list."""
    text = DOCUMENTED.replace("{fill}", fill)
    made, functions, _found = convert(text, placement="fast")
    assert functions["_deviation"].transform == "jit" and "_deviation(y, _as_vector(found))" in made
    for names in (["a", "bb"], ["a"]):
        arguments = (np.array([0.5, 2.0, -1.0]), names, io.StringIO())
        assert not compare_values(run(made)["f"](*arguments), run(text)["f"](*arguments))


@pytest.mark.parametrize(
    "fill", ["for name in names:\n        found.append([0, len(name)])", "[found.append([0] * len(name)) for name in names]"]
)
def test_lists_of_lists_for_a_documented_array(fill):
    """They may have different lengths, and NumPy takes each for an array of indices."""
    text = DOCUMENTED.replace("{fill}", fill)
    made, functions, _found = convert(text, placement="fast")
    assert functions["_deviation"].reason == "not compiled: a call passes a list of lists for `items`" and made == text


def test_a_list_that_a_test_passes_to_a_loop_over_a_documented_array():
    text = """
import numpy as np


def filtered(x, order, log):
    \"\"\"The filtered series.

    Parameters
    ----------
    x : array
        The series.
    \"\"\"
    y = np.zeros(len(x) - order, dtype=complex)
    weights = log(y)
    for k in range(order, len(x)):
        total = x[k]
        for j in range(order):
            total = total + weights[j] * x[k - j - 1]
        y[k - order] = total.conjugate()
    return y


def example(log):
    return filtered(np.arange(9.0), 2, log)
"""
    test = "from m import filtered\n\n\ndef test_filtered(log):\n    filtered([1.0, 2.0, 3.0], 1, log)\n"
    made = convert(text, beside={"test_m.py": test}, placement="fast")[0]
    assert "_as_vector(x)" in made
    for x in ([1j, 2.0 + 0j, 0.5 + 0j, 3.0j], np.array([1.0, 2.0, 0.5, 3.0])):
        want = run(text)["filtered"](x, 2, lambda x: np.array([0.5, 0.25]))
        assert not compare_values(run(made)["filtered"](x, 2, lambda x: np.array([0.5, 0.25])), want)


def test_an_array_stays_an_array():
    text = DOCUMENTED.replace("{fill}", "found = np.arange(len(names))")
    made, functions, _found = convert(text, placement="fast")
    assert functions["_deviation"].transform == "jit" and "_as_vector" not in made
