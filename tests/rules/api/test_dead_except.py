"""An exception of NumPy's that JAX never raises."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert, function, refused
from np2jax.tests.helpers.rule_examples import leaves, reports

test_reported = reports(
    __name__,
    function("try:\n    return np.linalg.inv(x)\nexcept np.linalg.LinAlgError:\n    return x"),
    function("with np.errstate(all='raise'):\n    return np.log(x)"),
)
test_left = leaves(
    __name__,
    function("try:\n    return table[name]\nexcept KeyError:\n    return None", "table: dict, name"),
    function("with np.errstate(all='ignore'):\n    return np.log(x)"),
)


I64, F64 = np.array([4, 5, 6]), np.array([0.1, 0.2, 0.3])


def notes(text, **options):
    return {d.code for d in convert(text, **options)[2] if not d.fixed}


@pytest.mark.parametrize(
    "body",
    [
        "try:\n    return x[i]\nexcept IndexError:\n    return 0.0",
        "try:\n    return np.linalg.inv(x)\nexcept np.linalg.LinAlgError:\n    return x",
        "try:\n    return np.linalg.inv(x)\nexcept ValueError:\n    return x",
        "try:\n    return np.take(x, i)\nexcept (IndexError, TypeError):\n    return x",
        "try:\n    return np.log(x)\nexcept FloatingPointError:\n    return x",
        "try:\n    return np.log(x)\nexcept RuntimeWarning:\n    return x",
        "with np.errstate(all='raise'):\n    return x / i",
        "np.seterr(invalid='raise')\nreturn np.log(x)",
        "import contextlib\nwith contextlib.suppress(np.linalg.LinAlgError):\n    return np.linalg.inv(x)\nreturn x",
        "import warnings\nwith warnings.catch_warnings(record=True) as w:\n    y = np.log(x)\nreturn y, len(w)",
    ],
)
def test_e02_exceptions_that_jax_does_not_raise(body):
    assert refused(function(body, "x: np.ndarray, i"))


def test_e02_other_exceptions_are_still_raised():
    body = "try:\n    return np.sum(x) / len(name)\nexcept (TypeError, KeyError):\n    return 0.0"
    check_agrees(function(body, "x: np.ndarray, name"), (F64, "abc"), (F64, 3))


@pytest.mark.parametrize(
    "expression",
    [
        "np.nanargmax(x)",
        "np.bincount(x)",
        "np.unravel_index(x, (3, 3))",
        "np.linalg.inv(x)",
        "np.linalg.solve(x, x)",
        "np.take(x, 5)",
    ],
)
def test_e03_errors_that_disappear(expression):
    assert "NJ602" in notes(function(f"return {expression}"))
