"""A function that changes its arguments in place."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert, function
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(__name__, function("y = x.copy()\ny[0] = 1\nreturn y"), function("items.append(1)", "items: list"))


ROW = np.arange(6.0)


PUSH = """
import numpy as np

def push(a, i):
    a[i] += 10
    return a.sum()

def clear(a):
    a[:] = 0

"""


@pytest.mark.quick(6)
@pytest.mark.parametrize(
    "text",
    [
        "push(x, 0)",
        "s = push(x, 0)\nreturn s",
        "return push(x, 0)",
        "return 2 * push(x, 0) + 1",
        "push(x[1:], 0)\nclear(x[3:])",
        "push(a=x, i=1)",
        "push(x, 1)\npush(x, 2)",
        "if push(x, 0) > 3:\n    clear(x)",
        "s = [push(x, 0)]\nreturn s",
        "for i in range(3):\n    push(x, i)",
        "s = 0\nfor i in range(3):\n    s += push(x, i)\nreturn s",
        "v = x[2:]\nclear(v)\nreturn v",
        "v = x[:2]\ns = push(x, 0)\nreturn s, v",
    ],
)
def test_m06_changed_arguments(text):
    check_agrees(PUSH + function(text).partition("\n\n")[2], (ROW,))


@pytest.mark.parametrize(
    "text",
    [
        "return push(x, 0) + push(x, 1)",
        "return x[0] + push(x, 0), x[0]",
        "v = x[:2]\ns = v[0] + push(x, 0)\nreturn s, v",
        "v = x[:2]\nreturn push(x, 0) + v.sum()",
        "return [push(x, 0), x[0], push(x, 1), x[1]]",
        "while push(x, 0) < 50:\n    x[1] += 1\nreturn x[1]",
        "return push(x, 0) if x[0] > 0 else push(x, 1)",
        "return x[0] > 0 and push(x, 0) > 3",
        "return list(map(clear, [x]))",
        "g = push\nreturn g(x, 0)",
        "return {'push': push}['push'](x, 0)",
        "push(*(x, 0))",
        "push(**{'a': x, 'i': 0})",
        "clear(x if x.shape[0] > 3 else x[1:])",
    ],
)
def test_m06_calls_in_unusual_places(text):
    program = PUSH + function(text).partition("\n\n")[2]
    text, functions, _diagnostics = convert(program)
    if functions["f"].label != "kept" or functions["push"].label == functions["clear"].label == "kept":
        check_agrees(program, (ROW,), keep=True)


def test_m06_of_two_arguments_that_are_one_array():
    both = "import numpy as np\n\ndef g(a, b):\n    a[0] = 5\n    b[1] = 6\n    return a.sum() + b.sum()\n\ndef f(x: np.ndarray):\n    return g({})\n"
    for arguments in ("x, x", "x, x[1:]", "x[:3], x[2:]", "x, x.copy()", "x[:3], x[3:]"):
        check_agrees(both.format(arguments), (ROW,), keep=True)


def test_m06_of_a_public_function_is_handed_back():
    _text, functions, _diagnostics = convert(PUSH.replace("(a", "(a: np.ndarray"))
    assert functions["push"].returns == ("a",) and functions["clear"].returns == ("a",)
