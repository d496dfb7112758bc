"""States that functions change in place and return, in loops that print: `x = f(x)`. The statements of an iteration move together."""

import textwrap

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

FLUX = """
import numpy as np


def moved(f, a, b, dt):
    f += dt * (np.roll(a, 1, axis=0) - a)
    f += dt * (np.roll(b, 1, axis=1) - b)
    return f


def both(f, g, a, dt):
    f += dt * np.roll(a, 1, axis=0)
    g -= dt * np.sin(a) * np.roll(a, 1, axis=1)
    return f, g


def slopes(f):
    return np.roll(f, -1, axis=0) - np.roll(f, 1, axis=0), np.roll(f, -1, axis=1) - np.roll(f, 1, axis=1)
"""
RUN = """
def simulate(n, steps):
    x = np.linspace(0, 1, n)
    m = np.exp(-np.outer(x, x))
    e = np.cos(np.outer(x, x))
    {before}
    for step in range(steps):
        ax, ay = slopes(m)
        bx, by = slopes(e)
        p = ax * by + np.sqrt(np.abs(m)) * np.abs(e)
        {iteration}
        print(step, round(float(m.sum()), 6))
    return {result}
"""


def converted(iteration, before="pass", result="m, e"):
    source = FLUX + textwrap.dedent(RUN.format(before=before, iteration=iteration, result=result))
    text, functions, _diagnostics = convert(source, placement="fast")
    got, want = (run(t)["simulate"](6, 3) for t in (text, source))
    assert not compare_values(got, want)
    return text.partition("def simulate")[2], functions


@pytest.mark.parametrize(
    ("iteration", "call"),
    [
        ("m = moved(m, p, ax * bx, 0.1)\n        e = moved(e, p, ay * by, 0.1)", "m, e = _to_numpy(_simulate_core"),
        ("m, e = both(m, e, p + ax, 0.1)", "m, e = _to_numpy(_simulate_core"),
        ("m = moved(m, p, ax * bx, 0.1)", "m = _to_numpy(_simulate_core"),
    ],
)
def test_an_iteration_moves_as_a_whole(capsys, iteration, call):
    text, _functions = converted(iteration)
    iteration = text.partition("for step")[2].partition("print")[0]
    assert call in iteration.replace("_simulate_m(", "_simulate_core("), text
    assert "moved(" not in iteration and "both(" not in iteration and "slopes(" not in iteration, text


@pytest.mark.parametrize(
    ("before", "iteration", "result"),
    [
        ("y = m", "m = moved(m, p, ax * bx, 0.1)", "m, y"),
        ("y = m[1:]", "m = moved(m, p, ax * bx, 0.1)", "m, y"),
        ("y = []", "y.append(m)\n        m = moved(m, p, ax * bx, 0.1)", "m, y"),
        ("y = {}", "y['m'] = m\n        m = moved(m, p, ax * bx, 0.1)", "m, y"),
        ("pass", "m, e = e, moved(m, p, ax * bx, 0.1)", "m, e"),
        ("pass", "e = moved(m, p, ax * bx, 0.1)", "m, e"),
        ("y = lambda: m.sum()", "m = moved(m, p, ax * bx, 0.1)", "m, y()"),
    ],
)
def test_other_names_see_the_change(capsys, before, iteration, result):
    converted(iteration, before, result)


def test_a_state_is_an_array_where_it_starts_as_one():
    _text, functions = converted("m, e = both(m, e, p + ax, 0.1)")
    assert functions["both"].label != "kept", functions["both"].reason


def test_a_state_may_be_a_number():
    source = FLUX + textwrap.dedent(
        """
        def simulate(x, steps):
            m = 1.0
            for step in range(steps):
                p = np.sin(x) * np.cos(x) + np.exp(-x * x) * np.tanh(x)
                m, x = both(m, x, p + m, 0.1)
                print(step)
            return m, x
        """
    )
    text, _functions, _diagnostics = convert(source, placement="fast")
    x = np.arange(12.0).reshape(3, 4)
    got, want = (run(t)["simulate"](x.copy(), 2) for t in (text, source))
    assert not compare_values(got, want)


SPEED = """
import numpy as np


def speed(theta, omega, coupling):
    difference = theta[None, :] - theta[:, None]
    return omega + coupling / len(theta) * np.sin(difference).sum(axis=1)


def run(omega, theta, steps, dt=0.05):
    for s in range(steps):
        a = speed(theta, omega, 1.5)
        b = speed(theta + dt / 2 * a, omega, 1.5)
        c = speed(theta + dt / 2 * b, omega, 1.5)
        theta = (theta + dt / 6 * (a + 2 * b + 2 * c + speed(theta + dt * c, omega, 1.5))) % (2 * np.pi)
        print(s)
    return theta
"""


@pytest.mark.parametrize("omega", [[0.5, -0.5, 1.0], (0.5, 0.25, 1.0), np.array([1, 2, 3]), 0.5, np.float32(0.5)])
def test_parameters_that_functions_of_the_file_take_for_arrays(capsys, omega):
    text, _functions, _diagnostics = convert(SPEED, placement="fast")
    assert "_run_theta(theta, _as_array(omega), dt)" in text, text
    theta = np.array([0.1, 2.0, 4.0])
    assert not compare_values(run(text)["run"](omega, theta, 2), run(SPEED)["run"](omega, theta, 2))


def test_parameters_that_a_function_of_the_file_repeats_or_joins(capsys):
    source = SPEED.replace("omega + coupling", "np.sum(omega * 2) + coupling")
    text, _functions, _diagnostics = convert(source, placement="fast")
    theta = np.array([0.1, 2.0, 4.0])
    for omega in ([0.5, -0.5, 1.0], np.array([0.5, 0.1, 0.2])):
        assert not compare_values(run(text)["run"](omega, theta, 2), run(source)["run"](omega, theta, 2))


def test_a_call_alone_does_not_move(capsys):
    source = """
import numpy as np


def turned(x, a):
    y = np.sin(x) * np.cos(a) + np.exp(-x * x) * np.sqrt(np.abs(a)) + np.tanh(x * a) - np.roll(x, 1, axis=0)
    return y + np.log1p(y * y) * np.roll(y, 1, axis=1) + np.cosh(x) * np.arctan(a) + np.roll(a, 2, axis=0)


def run(n, steps):
    x, a = np.ones((n, n)), np.linspace(0, 1, n * n).reshape(n, n)
    for s in range(steps):
        x = turned(x, a)
        print(s)
    return x
"""
    text, _functions, _diagnostics = convert(source, placement="fast")
    assert "@jax.jit" in text and "def _run_" not in text, text
    assert not compare_values(run(text)["run"](4, 2), run(source)["run"](4, 2))
