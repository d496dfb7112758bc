"""Loops of functions that set elements of an array in a variable of the module."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert_project, run

START = """
import numpy as np

u = np.arange(60.0).reshape(6, 10)
v = np.ones((6, 10))
w = u[::2]
q = u
table = np.linspace(0.0, 1.0, 10)
c = 0.5


def f(nt, z):
    for n in range(nt):
        for i in range(1, 6):
            for j in range(10):
                u[i, j] = u[i - 1, j] * c + EXPRESSION + u[i, j]
    return u.sum()


"""
COMPILED = {
    "itself": "u[i, j - 1]",
    "another array": "table[j]",
    "two arrays": "v[i, j]",
}
STAYS = {
    "a view of it": "w[2, j]",
    "another name of it": "q[2, j]",
    "an argument that may be it": "z[2, j]",
    "what a function reads": "g(j)",
}
REST = """

def g(j):
    return u[0, j]


r = [f(2, u), f(1, u[::-1]), f(2, u.copy()), f(0, v)]
"""


def converted(text, placement="fast"):
    made = convert_project({"m.py": text}, placement=placement)[0]["m.py"]
    before, after = run(text), run(made)
    for name in ("u", "v", "w", "q", "r"):
        compare_values(np.asarray(after[name]), np.asarray(before[name]), name)
    return made


@pytest.mark.parametrize("expression", COMPILED.values(), ids=COMPILED.keys())
def test_the_array_is_an_argument_of_the_loop(expression):
    made = converted(START.replace("EXPRESSION", expression) + REST)
    assert "u[...] = _f_loop(" in made


@pytest.mark.parametrize("placement", ["fast", "device"])
@pytest.mark.parametrize("expression", STAYS.values(), ids=STAYS.keys())
def test_the_loop_stays_where_it_may_read_the_array_otherwise(expression, placement):
    assert "_f_loop(" not in converted(START.replace("EXPRESSION", expression) + REST, placement)


def test_a_variable_that_a_function_binds_anew_is_no_argument():
    text = (
        START.replace("EXPRESSION", "1.0")
        + "def new():\n    global u\n    u = np.zeros((6, 10))\n\n\n"
        + REST
        + "new()\nr.append(f(2, v))\n"
    )
    assert "_f_loop(" not in converted(text)
