"""A function whose exceptions a caller catches, or whose warnings it records, stays NumPy if JAX raises none."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import convert, convert_project, run

CODE = """
import contextlib
import warnings

import numpy as np
from numpy.linalg import LinAlgError


def factor(a: np.ndarray):
    return np.linalg.cholesky(a)


def likelihood(a: np.ndarray):
    return np.log(np.diag(factor(a))).sum()


def ratio(x: np.ndarray, y: np.ndarray):
    s = 0.0
    for i in range(len(x)):
        s += np.sin(x[i]) / y[i] + np.cos(x[i])
    return s


def picked(x: np.ndarray, n: int):
    s = 0.0
    for i in range(n):
        s += np.sin(x[i]) * x[i] + np.exp(-x[i])
    return s


class Model:
    def likelihood(self, a):
        return likelihood(a)


"""

AWAITED = {
    "by name": ("def f(a):\n    try:\n        return likelihood(a)\n    except LinAlgError:\n        return None", {"factor"}, "LinAlgError"),
    "the direct callee": ("def f(a):\n    try:\n        return factor(a)\n    except Exception:\n        return None", {"factor"}, "LinAlgError"),
    "a method": ("def f(model, a):\n    try:\n        return model.likelihood(a)\n    except LinAlgError:\n        return None", {"factor"}, ""),
    "a function that is passed": (
        "def call(g, *given):\n    try:\n        return g(*given)\n    except LinAlgError:\n        return None\n\n\ndef f(a):\n    return call(factor, a)",
        {"factor"},
        "LinAlgError",
    ),
    "an index": ("def f(x, n):\n    try:\n        return picked(x, n)\n    except IndexError:\n        return None", {"picked"}, "IndexError"),
    "suppressed": ("def f(a):\n    with contextlib.suppress(LinAlgError):\n        return likelihood(a)", {"factor"}, "LinAlgError"),
    "in errstate": ("def f(x, y):\n    with np.errstate(divide='raise'):\n        return ratio(x, y)", {"ratio"}, "FloatingPointError"),
    "set": ("def f(x, y):\n    np.seterr(all='raise')\n    return ratio(x, y)", {"ratio"}, "FloatingPointError"),
    "set for the module": ("np.seterr(all='raise')", {"factor", "likelihood", "ratio", "picked"}, ""),
    "a warning that is an error": (
        "def f(x, y):\n    warnings.simplefilter('error')\n    try:\n        return ratio(x, y)\n    except RuntimeWarning:\n        return None",
        {"ratio"},
        "RuntimeWarning",
    ),
    "a recorded warning": (
        "def f(x, y):\n    with warnings.catch_warnings(record=True) as found:\n        ratio(x, y)\n    return len(found)",
        {"ratio"},
        "RuntimeWarning",
    ),
}  # fmt: skip
NOT_AWAITED = {
    "another exception": "def f(a):\n    try:\n        return likelihood(a)\n    except KeyError:\n        return None",
    "any exception, of a function further away": "def f(a):\n    try:\n        return likelihood(a)\n    except Exception:\n        return None",
    "an index that is not read": "def f(a):\n    try:\n        return factor(a)\n    except IndexError:\n        return None",
    "ignored": "def f(x, y):\n    with np.errstate(divide='ignore'):\n        return ratio(x, y)",
    "warnings that are silenced": "def f(x, y):\n    with warnings.catch_warnings():\n        warnings.simplefilter('ignore')\n        return ratio(x, y)",
    "in the handler": "def f(x, n):\n    try:\n        return 1 // n\n    except LinAlgError:\n        return factor(x)",
}


def kept(text, placement="fast"):
    functions = convert(CODE + text + "\n", path="m/__init__.py", placement=placement)[1]
    return {name: f.reason for name, f in functions.items() if "NJ701" in f.codes}


@pytest.mark.parametrize("name", AWAITED)
def test_a_function_whose_exceptions_are_awaited_stays(name):
    text, stays, error = AWAITED[name]
    found = kept(text)
    assert stays <= found.keys() and all(error in found[each] for each in stays)


@pytest.mark.parametrize("name", NOT_AWAITED)
def test_other_functions_are_converted(name):
    assert not kept(NOT_AWAITED[name])


@pytest.mark.parametrize(
    "line, stays",
    [
        ("with pytest.raises(np.linalg.LinAlgError):\n        m.likelihood(-np.eye(2))", {"m.factor"}),
        ("np.testing.assert_raises(IndexError, m.picked, np.ones(2), 3)", {"m.picked"}),
        ("with pytest.raises(ValueError):\n        m.likelihood(-np.eye(2))", set()),
        ("try:\n        m.likelihood(-np.eye(2))\n    except LinAlgError:\n        pass", set()),
    ],
)
def test_what_a_test_requires_is_awaited(line, stays):
    text = f"import m\nimport numpy as np\nimport pytest\n\n\ndef test_m():\n    {line}\n"
    functions = convert_project({"m.py": CODE, "test_m.py": text}, placement="fast")[1]
    assert {name for name, f in functions.items() if "NJ701" in f.codes} == stays


@pytest.mark.parametrize("placement", ["fast", "device"])
def test_the_handler_runs(placement):
    text = CODE + AWAITED["by name"][0] + "\n"
    for version in (text, convert(text, path="m/__init__.py", placement=placement)[0]):
        assert run(version)["f"](-np.eye(2)) is None


CHANGED = """
import numpy as np


def rooted(x: np.ndarray, n: int):
    for i in range(n):
        if x[i] < 0:
            raise ValueError("negative")
        x[i] = np.sqrt(x[i])


def f(x: np.ndarray, n: int):
    try:
        rooted(x, n)
    except ValueError:
        {handler}
    return x.max()
"""


def test_what_a_function_has_changed_when_it_raises_is_seen():
    text = CHANGED.format(handler="return x.sum()")
    for version in (text, convert(text, path="m/__init__.py", placement="device")[0]):
        assert run(version)["f"](np.array([4.0, -1.0, 9.0]), 3) == 10.0


def test_a_handler_that_raises_again_sees_no_half_changed_array():
    functions = convert(CHANGED.format(handler="print(n)\n        raise"), placement="device")[1]
    assert functions["f"].label in ("proved", "assumed")
