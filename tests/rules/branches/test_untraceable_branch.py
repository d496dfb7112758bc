"""An `if` on a traced value that keeps `jit` away."""

import itertools

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert, function
from np2jax.tests.helpers.rule_examples import leaves, reports

test_reported = reports(
    __name__,
    function("if x.sum() > 0:\n    print(x)\nreturn x * 2"),
    function("if x.sum() > 0:\n    y = 2.0\nelse:\n    y = x\nreturn y * 2"),
)
test_left = leaves(
    __name__, function("if x.sum() > 0:\n    return x * 2\nreturn x"), function("if x.ndim == 2:\n    x = x[0]\nreturn x * 2")
)


NUMBERS = (0.0, 0.5, 1.0, 3.0, -2.0, np.nan, np.inf, -np.inf)


VECTORS = tuple(map(np.array, ([1.0, 3.0, 2.0], [-1.0, 0.5, 0.0], [0.0, 0.0, 0.0], [np.nan, 1.0, 2.0], [np.inf, 1.0, 20.0])))


INTEGERS = (0, 1, 2, -1)


def given(params):
    kinds = {"float": NUMBERS, "int": INTEGERS, "np.ndarray": VECTORS, "bool": (True, False)}
    pools = [kinds[p.partition(": ")[2]] for p in params.split(", ")]
    return list(itertools.islice(itertools.product(*pools), 60))


def stays(body, params="x: float"):
    """The branch stays as it is."""
    text = check_agrees(function(body, params), *given(params))
    assert "jnp.where" not in text
    assert "lax." not in text
    return text


@pytest.mark.parametrize(
    ("body", "params"),
    [
        ('if x > 0:\n    return "yes"\nreturn "no"', "x: float"),
        ("if x > 0:\n    return [x]\nreturn []", "x: float"),
        ("if x > 0:\n    return x\nreturn None", "x: float"),
        ("if x > 0:\n    return x, x\nreturn x", "x: float"),
        ("if x > 0:\n    y = x\nreturn 1.0 if x <= 0 else y", "x: float"),
        ("if x.sum() > 0:\n    return x\nreturn 0.0", "x: np.ndarray"),
        ("out = []\nif x > 0:\n    out.append(x)\nreturn len(out)", "x: float"),
        ("if x > 0:\n    print(x)\nreturn x", "x: float"),
        ("if x > 0:\n    for i in range(3):\n        if i > x:\n            return i\nreturn 5", "x: float"),
        ("if not np.all(x > 0):\n    raise ValueError('negative')\nreturn x * 2", "x: np.ndarray"),
        ("try:\n    if x > 0:\n        return x\nfinally:\n    pass\nreturn 2 * x", "x: float"),
        (
            "if x > 0:\n    return x\nelif x > -1:\n    x = x + 1\nelse:\n    x = x + 2\nif x > 5:\n    return\nreturn x",
            "x: float",
        ),
    ],
)
def test_noop_if_unsure(body, params):
    stays(body, params)


def test_a_kept_branch_says_why():
    diagnostics = convert(function("if x.sum() > 0:\n    return x\nreturn 0.0", "x: np.ndarray"))[2]
    assert [d.message.rpartition(": ")[2] for d in diagnostics if d.code == "NJ405"] == [
        "its result is a number in one arm and an array in the other"
    ]
