"""What the decorators of a project do with the functions that they get."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert_project, run

CODE = """
import functools
import numpy as np

STORED = {}


def exporter():
    names = []

    def decorator(obj):
        names.append(obj.__name__)
        return obj

    return decorator, names


def marked(f):
    f.marked = True
    return f


def register(name):
    def add(function):
        STORED[name] = function
        return function
    return add


def counted(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        result = f(*args, **kwargs)
        return result
    return wrapper


def rounded(f):
    def wrapper(*args):
        return [round(float(v), 3) for v in f(*args)]
    return wrapper


def sometimes(f):
    if __debug__:
        return f
    return counted(f)


def renamed(f):
    f.__code__ = f.__code__.replace(co_name="other")
    return f


def outside(f):
    return np.vectorize(f)
"""

USE = """
import numpy as np
from .tools import counted, exporter, marked, outside, register, renamed, rounded, sometimes

export, __all__ = exporter()


@DECORATOR
def smooth(x: np.ndarray):
    n = x.shape[0]
    out = np.zeros(n)
    for i in range(1, n):
        out[i] = x[i - 1] * 2.0 + out[i - 1] * 0.5
    return out


def caller(x: np.ndarray):
    return smooth(x)
"""

CHANGED = """

@rounded
def smooth(x):
    return np.cumsum(x) * 0.3337


def twice(x: np.ndarray):
    return np.sum(x) + smooth(x).index(0.0)
"""


def converted(decorator):
    texts, functions, _found = convert_project(
        {"p/__init__.py": "", "p/tools.py": CODE, "p/work.py": USE.replace("DECORATOR", decorator)}, placement="fast"
    )
    return texts["p/work.py"], functions["p.work.smooth"]


@pytest.mark.parametrize("decorator", ["export", "exporter()[0]", "marked", 'register("smooth")'])
def test_a_function_that_its_decorator_returns_is_compiled(decorator):
    text, function = converted(decorator)
    if decorator == "exporter()[0]":  # not a name
        assert function.label == "host", function.reason
        return
    assert f"@{decorator}\n@jax.jit\ndef smooth" in text, function.reason


def test_the_loop_of_a_function_that_a_wrapper_calls_is_outlined():
    text, function = converted("counted")
    assert "@counted\ndef smooth" in text and "_smooth_loop" in text, function.reason


@pytest.mark.parametrize("decorator", ["sometimes", "renamed", "outside"])
def test_nothing_changes_where_it_is_not_known_what_a_decorator_does(decorator):
    text, function = converted(decorator)
    assert function.label == "host" and "lax" not in text


def test_the_result_of_a_wrapper_that_changes_it_is_not_an_array():
    program = CODE + CHANGED
    text = convert_project({"m.py": program}, placement="device")[0]["m.py"]
    x = np.arange(4.0)
    compare_values(run(text)["twice"](x), run(program)["twice"](x))
