"""`trip-counts = "static"`: trip counts that come from arguments are static, and reverse-mode derivatives work."""

import jax
import numpy as np
import pytest

from np2jax.migrate.project.failure import Failure
from np2jax.migrate.project.settings import parse
from np2jax.tests.helpers.differential import check_agrees, convert, run

TEXT = """\
import numpy as np


def heat(u: np.ndarray, steps, k):
    for t in range(steps):
        u = u + k * (np.roll(u, 1) - 2 * u + np.roll(u, -1))
    return u


def again(u: np.ndarray, n, k=0.1):
    for t in range(n - 1, 0, -1):
        u = heat(u, n, k) / t
    return u


def longer(u: np.ndarray, n):
    for t in range(n):
        u = heat(u, 2 * t, 0.1)
    return u


def until(u: np.ndarray, n):
    for t in range(n):
        u = np.cos(u)
        if u[0] < 0.1:
            break
    return u


def counted(u: np.ndarray):
    s = 0.0
    for i in range(int(u[0])):
        s += np.sin(i * u[1])
    return s
"""
U = np.array([2.0, 0.5, 3.0, -1.0])
ITERATIONS = {"heat": (U, 3, 0.1), "again": (U, 3), "longer": (U, 3)}
STATIC = {
    "heat": ("steps",),
    "again": ("n",),
    "longer": (),
}  # the iterations of `longer` give `heat` their number: it stays Python's


@pytest.mark.parametrize("function", ITERATIONS)
def test_derivatives_go_backwards(function):
    arguments = ITERATIONS[function]
    text, functions, _ = convert(TEXT, trip_counts="static")
    assert functions[function].static == STATIC[function]
    function = run(text)[function]
    at, *rest = arguments
    slope = jax.grad(lambda u: function(u, *rest)[0])(at)
    step = 1e-6 * np.eye(4)
    want = [(function(at + h, *rest)[0] - function(at - h, *rest)[0]) / 2e-6 for h in step]
    np.testing.assert_allclose(slope, want, atol=1e-7)


@pytest.mark.parametrize("function", ITERATIONS)
def test_they_are_traced_where_nobody_asks(function):
    text, functions, _ = convert(TEXT)
    assert functions[function].static == ()
    at, *rest = ITERATIONS[function]
    with pytest.raises(ValueError, match="Reverse-mode"):
        jax.grad(lambda u: run(text)[function](u, *rest)[0])(at)


@pytest.mark.parametrize("function", ["until", "counted"])
def test_what_only_the_data_count_is_as_before(function):
    _text, functions, _ = convert(TEXT, trip_counts="static")
    assert (functions[function].static, functions[function].transform) == ((), "jit")


@pytest.mark.parametrize(("function", "arguments"), [*ITERATIONS.items(), ("until", (U, 9)), ("counted", (U,))])
def test_both_agree_with_numpy(function, arguments):
    check_agrees(TEXT, arguments, function=function)
    text, _functions, _ = convert(TEXT, trip_counts="static")
    np.testing.assert_allclose(run(text)[function](*arguments), run(TEXT)[function](*arguments), rtol=1e-12)


@pytest.mark.parametrize("key", ["trip-counts", "trip_counts"])
def test_the_setting(key, tmp_path):
    file = tmp_path / "pyproject.toml"
    assert parse({key: "static"}, file).trip_counts == "static"
    with pytest.raises(Failure, match=r"`trip-counts` in .* must be dynamic or static, not 'traced'"):
        parse({key: "traced"}, file)


@pytest.mark.parametrize(("old", "new"), [("traced", "dynamic"), ("static", "static")])
def test_the_old_name_of_the_setting_warns(old, new, tmp_path):
    with pytest.warns(FutureWarning, match=f'`turns` in .* is called trip-counts now, with the value "{new}"'):
        assert parse({"turns": old}, tmp_path / "pyproject.toml").trip_counts == new
