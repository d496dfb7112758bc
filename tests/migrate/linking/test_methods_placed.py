"""Methods: static ones are compiled, the statements of others move out, and those of test cases stay NumPy."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

METRICS = """
import numpy as np


class Metrics:
    def __init__(self, scale):
        self.scale = scale

    @staticmethod
    def kernel(a: np.ndarray, b: np.ndarray):
        s = np.exp(a) * np.sin(b) + np.sqrt(np.abs(a))
        return np.cos(a) + np.tanh(b) * s

    @staticmethod
    def of_lists(a, b):
        s = np.exp(a) * np.sin(b) + np.sqrt(np.abs(a))
        t = np.cos(a) + np.tanh(b) * s
        return s * t + np.exp(t)

    def mapped(self, a, b):
        s = np.exp(a) * np.sin(b) + np.sqrt(np.abs(a))
        t = np.cos(a) + np.tanh(b) * s
        return s * t + np.exp(t)

    def total(self, a: np.ndarray, b: np.ndarray):
        s = np.exp(a) * np.sin(b) + np.sqrt(np.abs(a))
        t = np.cos(a) + np.tanh(b) * s
        return np.sum(s * t)

    @classmethod
    def both(cls, a: np.ndarray):
        return cls.kernel(a, a) + Metrics.kernel(a, a).sum()

    def whole(self, n):
        return n * n + n * self.scale


def call(name, *arguments):
    return getattr(Metrics(2), name)(*arguments)
"""
ARRAYS = [np.array([0.5, -1.0, np.nan, np.inf]), np.zeros((0, 3)), np.float32([1.5, 2.5]), np.array(0.25)]


@pytest.fixture(scope="module")
def converted():
    text, functions, _diagnostics = convert(METRICS, placement="fast")
    return text, functions, run(METRICS)["call"], run(text)["call"]


@pytest.mark.parametrize("name", ["kernel", "of_lists", "mapped", "total"])
def test_methods_return_what_numpy_returns(converted, name):
    _text, _functions, old, new = converted
    others = [[1.0, 2.0], 0.5, 3] if name in ("of_lists", "mapped") else []
    for given in [*ARRAYS, *others]:
        want, got = old(name, given, given), new(name, given, given)
        assert not (type(want) is not type(got) and name != "kernel"), (type(want), type(got))
        assert not compare_values(got, want)


def test_static_methods_are_compiled_and_code_on_the_host_gets_numpy_arrays(converted):
    text, functions, old, new = converted
    assert "    @staticmethod\n    @_numpy_results\n    @jax.jit\n    def kernel(" in text
    assert functions["Metrics.kernel"].transform == "jit"
    assert isinstance(new("both", ARRAYS[0]), np.ndarray) and not compare_values(new("both", ARRAYS[0]), old("both", ARRAYS[0]))


def test_numbers_of_python_stay(converted):
    text, _functions, old, new = converted
    assert "return n * n + n * self.scale" in text
    assert new("whole", 2**70) == old("whole", 2**70)


TESTS = """
import unittest
import numpy as np


class Base(unittest.TestCase):
    pass


class TestSums(Base):
    def test_sums(self):
        x = np.arange(50.0) * 0.1
        s = np.zeros(50)
        for i in range(1, 50):
            s[i] = s[i - 1] * 0.3 + x[i] ** 2
        for i in range(1, 50):
            assert s[i] == s[i - 1] * 0.3 + x[i] ** 2
"""


def test_test_cases_stay_numpy():
    text, functions, _diagnostics = convert(TESTS, placement="fast")
    assert text == TESTS and "it is a test" in functions["TestSums.test_sums"].reason
    assert convert(TESTS.replace("unittest.TestCase", "Other"), placement="fast")[0] != TESTS
