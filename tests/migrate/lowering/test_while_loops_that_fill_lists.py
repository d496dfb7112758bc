"""`while` loops that append to lists: the trip count is known before the loop, from numbers alone or from a counter, or the loop stays
Python. Such a loop is never unrolled."""

import textwrap

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

STEP = "    y = y - dt * y\n    t += dt\n    ts.append(t)\n    ys.append(y)\n"
ENDS = "return np.array(ts), np.array(ys)"
BY_NUMBERS = {
    "start together": f"ts, ys = [t0], [y0]\nt, y = t0, y0.copy()\nwhile t < t1:\n{STEP}{ENDS}",
    "start empty": f"ts = []\nys = []\nt = t0\ny = y0.copy()\nwhile t < t1 - 1e-12:\n{STEP}{ENDS}",
    "an assignment": f"ts, ys = [], []\nt, y = t0, y0\nwhile t <= t1:\n    ts.append(t)\n    ys.append(y)\n    y = y - dt * y\n    t = t + dt\n{ENDS}",
    "the last step is shorter": f"ts, ys = [], []\nt, y = t0, y0\nwhile t < t1:\n    h = min(dt, t1 - t)\n    y = y - h * y\n    t = t + h\n    ts.append(t)\n    ys.append(y)\n{ENDS}",
    "a step that grows": f"ts, ys = [], []\nt, y, h = t0, y0, dt\nwhile t < np.pi:\n    y = y - h * y\n    h = h * 1.1\n    t = t + h\n    ts.append(t)\n    ys.append(y)\n{ENDS}",
    "other statements between": f"ts = [t0]\nys = [y0]\nt = t0\ny = y0.copy()\nprint(t)\nwhile t < t1:\n{STEP}{ENDS}",
    "lists that stay": f"ts, ys = [], []\nt, y = t0, y0.copy()\nwhile t < t1:\n{STEP}return ts, ys, t",
}
COUNTED = {
    "a counter behind": "while error > tol and k < n:\n    x = 0.5 * x\n    error = np.abs(x).max()\n    errors.append(error)\n    k += 1\nreturn x, errors, k",
    "a counter before": "while k < n and error > tol:\n    x = 0.5 * x\n    error = np.abs(x).max()\n    errors.append(error)\n    k += 1\nreturn x, errors, k",
    "three conditions": "while error > tol and k < n and error < 1e9:\n    x = 0.5 * x\n    error = np.abs(x).max()\n    errors.append(error)\n    k += 1\nreturn x, errors",
    "the last item": "errors = [error]\nwhile errors[-1] > tol and k < n:\n    x = 0.5 * x\n    errors.append(np.abs(x).max())\n    k += 1\nreturn x, errors, k",
    "a break": "while k < n:\n    x = 0.5 * x\n    error = np.abs(x).max()\n    errors.append(error)\n    if error < tol:\n        break\n    k += 1\nreturn x, errors, k",
}
STAYS = {
    "ends otherwise, too": f"ts, ys = [], []\nt, y = t0, y0\nwhile t < t1:\n{STEP}    if y.max() < 0.1:\n        break\n{ENDS}",
    "a step that depends on the array": f"ts, ys = [], []\nt, y = t0, y0\nwhile t < t1:\n    h = dt / (1 + y.max())\n    y = y - h * y\n    t = t + h\n    ts.append(t)\n    ys.append(y)\n{ENDS}",
    "a step in some iterations": f"ts, ys = [], []\nt, y = t0, y0\nwhile t < t1:\n    y = y - dt * y\n    if len(ts) % 2:\n        t += dt\n    t += dt\n    ts.append(t)\n    ys.append(y)\n{ENDS}",
    "a function of the file": f"ts, ys = [], []\nt, y = t0, y0\nwhile t < t1:\n    y = y - dt * y\n    t = after(t, dt)\n    ts.append(t)\n    ys.append(y)\n{ENDS}",
}
HEAD = "import numpy as np\n\n\ndef after(t, dt):\n    print(t)\n    return t + dt\n\n\ndef f(y0: np.ndarray, t0: float, t1: float, dt: float):\n"
COUNTING = "import numpy as np\n\n\ndef f(x: np.ndarray, tol: float, n: int):\n    errors = []\n    error = 1.0\n    k = 0\n"
ARRAYS = (np.array([1.0, -2.0, 3.0]), np.ones((2, 2)), np.array([np.nan, 1.0]))


def compared(text, made, *args):
    copies = [[np.copy(a) if isinstance(a, np.ndarray) else a for a in args] for _version in range(2)]
    want, got = run(text)["f"](*copies[0]), run(made)["f"](*copies[1])
    return compare_values(got, want) or compare_values(copies[1][0], copies[0][0])


@pytest.mark.quick(3)
@pytest.mark.parametrize("name", BY_NUMBERS)
def test_numbers_alone_bound_the_loop(name):
    text = HEAD + textwrap.indent(BY_NUMBERS[name], "    ")
    made, functions, _diagnostics = convert(text, placement="fast")
    assert functions["f"].transform == "outlined", made
    for y in ARRAYS:
        for t1, dt in ((1.0, 0.1), (0.7, 0.3), (2.0, 0.01)):
            assert not compared(text, made, y, 0.0, t1, dt), made


@pytest.mark.quick(3)
@pytest.mark.parametrize("name", COUNTED)
def test_counter_bounds_the_loop(name):
    text = COUNTING + textwrap.indent(COUNTED[name], "    ")
    made, functions, _diagnostics = convert(text, placement="fast")
    assert functions["f"].transform == "outlined", made
    for x in ARRAYS:
        for tol, n in ((0.1, 30), (0.1, 2), (0.0, 5), (9.0, 4), (0.1, 0), (np.nan, 3)):
            assert not compared(text, made, x, tol, n), made


@pytest.mark.parametrize("name", STAYS)
def test_unknown_trip_count(name):
    text = HEAD + textwrap.indent(STAYS[name], "    ")
    made, _functions, _diagnostics = convert(text, placement="fast")
    assert "jit" not in made
    assert not compared(text, made, np.array([1.0, -2.0, 3.0]), 0.0, 1.0, 0.1)


def test_index_that_the_bound_guards():
    """`x[k] > 0 and k < n` raises IndexError at the end of the array: the bound may not come first."""
    text = (
        COUNTING
        + "    while x[k] > tol and k < n:\n        errors.append(x.sum())\n        x = 0.5 * x\n        k += 1\n    return errors\n"
    )
    made, _functions, _diagnostics = convert(text, placement="fast")
    with pytest.raises(IndexError):
        run(made)["f"](np.ones(3), 0.0, 5)


def test_start_time_that_may_be_an_array():
    """`t += dt` would change an array of one element in place: that `t` is a number is assumed, as the loop compares it."""
    text = "import numpy as np\n\n\ndef f(y: np.ndarray, t, t1, dt):\n    ts = []\n    while t < t1:\n        y = y - dt * y\n        t += dt\n        ts.append(t)\n    return np.array(ts), y\n"
    made, functions, _diagnostics = convert(text, placement="fast")
    assert functions["f"].label == "assumed"
    assert not compared(text, made, np.ones(3), 0.0, 1.0, 0.1)
    assert not compared(text, made, np.ones(3), np.float64(0.0), 1.0, 0.1)


@pytest.mark.parametrize("scaled", ["n //= 2", "n = n >> 1"])
def test_logarithmic_trip_count_is_unrolled(scaled):
    text = f"import numpy as np\n\n\ndef f(x: np.ndarray, n: int):\n    xs = []\n    while n > 0:\n        x = np.sin(x) * n\n        xs.append(x)\n        {scaled}\n    return np.array(xs)\n"
    made, _functions, _diagnostics = convert(text, placement="fast")
    assert 'static_argnames="n"' in made
    assert not compared(text, made, np.ones(3), 9)
