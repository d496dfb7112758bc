"""A variable that XLA would compute again for each of its uses is kept: no other one, and with the same results and derivatives."""

import textwrap

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__, placement="fast")
ONCE = " = _once("
SLOPES = """
def slopes(f, dx):
    left, right, below, above = np.roll(f, 1, axis=0), np.roll(f, -1, axis=0), np.roll(f, 1, axis=1), np.roll(f, -1, axis=1)
    return (right - left) / (2 * dx), (above - below) / (2 * dx), (left + right + below + above - 4 * f) / dx**2
"""


def converted(source, **options):
    source = "import numpy as np\n" + textwrap.dedent(source)
    text, _functions, _diagnostics = convert(source, **{"placement": "fast", **options})
    return text, run(source), run(text)


STEP = (
    SLOPES
    + """
def step(u: np.ndarray, dt: float, limit: bool):
    ux, uy, u2 = slopes(u, 0.5)
    if limit:
        ux = np.clip(ux, -1.0, 1.0)
    p = u - dt * (u * ux + u * uy - u2)
    q = ux * uy + p * u2 - ux
    return p, q, ux - uy, u2 + uy, ux * u2
"""
)


@pytest.mark.parametrize("limit", [False, True])
def test_results_and_derivatives_are_the_same(limit):
    text, before, after = converted(STEP)
    assert text.count(ONCE) == 1, text
    u = np.random.default_rng(0).normal(size=(6, 5))
    u[2, 3], u[4, 1] = np.nan, np.inf
    assert not compare_values(after["step"](u, 0.1, limit), before["step"](u, 0.1, limit))
    finite, direction, h = np.cos(np.arange(30.0)).reshape(6, 5), np.sin(np.arange(30.0)).reshape(6, 5), 1e-6
    got = jax.grad(lambda x: after["step"](x, 0.1, limit)[0].sum())(jnp.asarray(finite))
    ends = [before["step"](finite + s * h * direction, 0.1, limit)[0].sum() for s in (1, -1)]
    np.testing.assert_allclose(np.sum(got * direction), (ends[0] - ends[1]) / (2 * h), rtol=1e-5)
    each = jax.vmap(lambda x: after["step"](x, 0.1, limit)[1])(jnp.stack([finite, direction]))
    np.testing.assert_allclose(each[1], before["step"](direction, 0.1, limit)[1])


LOOP = (
    SLOPES
    + """
def run(u: np.ndarray, n: int):
    for _ in range(n):
        ux, uy, u2 = slopes(u, 0.5)
        p = ux * uy - u2
        q = ux * u + p
        r = np.maximum(ux - uy, ux * u)
        u = u + 0.01 * (p + q * np.roll(r, 1, axis=0))
    return u
"""
)


@pytest.mark.parametrize("n", [0, 3])
def test_in_iterations_that_run_one_after_the_other(n):
    text, before, after = converted(LOOP)
    assert ONCE in text.partition("def update_u(")[2], text
    u = np.random.default_rng(1).normal(size=(5, 4))
    assert not compare_values(after["run"](u, n), before["run"](u, n))


def test_not_in_iterations_that_run_in_parallel():
    text, before, after = converted(
        SLOPES
        + """
def run(images: np.ndarray):
    found = np.zeros_like(images)
    for i in range(len(images)):
        ux, uy, u2 = slopes(images[i], 0.5)
        found[i] = ux * uy - u2 + ux * u2 + ux * images[i] + np.maximum(ux, uy)
    return found
"""
    )
    images = np.random.default_rng(2).normal(size=(3, 5, 4))
    assert ONCE not in text and "vmap" in text, text
    assert not compare_values(after["run"](images), before["run"](images))


@pytest.mark.parametrize(
    ("statements", "result"),
    [
        ("a = 2 * x + y", "a * x, a * y, a + x"),  # computed again in no time
        (
            "a = np.exp(2 * np.roll(x, 1) + np.roll(x, 2) + np.roll(x, 3)) * np.roll(x, 4)",
            "a * x, a * y",
        ),  # XLA does not repeat exp
        ("a = (x * y + x - y) @ (x.T * 2 + y.T - x.T) @ (x + y * 3 - x * y)", "a * x, a * y, a + x, a - y"),
        ("a = (x[:-2] + 2 * x[1:-1] + x[2:]) / 4 + y[1:-1]", "a[:-2] + 2 * a[1:-1] + a[2:]"),
        ("a = np.sum(x * y + x - y * x * x, axis=0)", "a * x, a * y, a + x, a - y, a / x, a * a"),
        ("a = " + " + ".join(f"np.roll(x, {k}) * {k}" for k in range(1, 20)), "a * x + y"),  # used once
        ("a = len(x) * 2 + x.shape[1] * 3 + x.ndim", "x[:a] * a, x * a, y * a, x + a, y + a"),  # a number of Python
    ],
)
def test_other_variables_are_not_kept(statements, result):
    text, before, after = converted(
        f"""
        def f(x: np.ndarray, y: np.ndarray):
            {statements}
            return {result}
        """
    )
    assert ONCE not in text, text
    x, y = np.arange(25.0).reshape(5, 5), np.ones((5, 5))
    assert not compare_values(after["f"](x, y), before["f"](x, y))


def test_numbers_beside_arrays_stay_numbers():
    text, before, after = converted(
        """
        def parts(f):
            a = np.roll(f, 1) + np.roll(f, 2) + np.roll(f, 3) + np.roll(f, 4) + np.roll(f, 5) + np.roll(f, 6)
            return a, len(f)

        def f(x: np.ndarray):
            a, n = parts(x)
            y = np.zeros(n)
            return a * x, a + x, a - x, y[: n // 2]
        """
    )
    assert ONCE not in text, text
    x = np.arange(4.0)
    assert not compare_values(after["f"](x), before["f"](x))


def test_with_placement_device_no_variable_is_kept():
    assert ONCE not in converted(STEP, placement="device")[0]
