"""`shadow`: the caller never notices it, and what differs is logged."""

import logging
import random

import numpy as np
import pytest

from np2jax.testing import assert_equivalent, shadow

jax = pytest.importorskip("jax")
jnp = jax.numpy

pytestmark = pytest.mark.usefixtures("sixty_four_bits")


def push(x, v):
    x += v
    return np.abs(v).max()


def pushed(x, v):
    return jnp.abs(v).max(), x + v


def wrong(x, v):
    return jnp.abs(v).max(), x - v


def logged(caplog, converted, *args, original=push, **options):
    """The result of a call beside its original, and the warnings."""
    caplog.set_level(logging.DEBUG, "np2jax.shadow")
    caplog.clear()
    result = shadow(original, share=1.0, **options)(converted)(*args)
    return result, [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]


def test_equal_calls_log_nothing(caplog):
    x = jnp.zeros(3)
    (fastest, moved), said = logged(caplog, jax.jit(pushed), x, jnp.arange(3.0))
    assert (float(fastest), moved.tolist(), said) == (2.0, [0.0, 1.0, 2.0], [])
    assert logged(caplog, pushed, x, jnp.arange(3.0), returns=["x"])[1] == []
    assert caplog.records == []


def test_what_differs_is_logged_and_returned_all_the_same(caplog):
    (_, moved), said = logged(caplog, wrong, np.zeros(3), np.arange(3.0), returns=["x"])
    assert moved.tolist() == [0.0, -1.0, -2.0]
    assert said == [
        "wrong differs from the original: `x` returned[1]: 2 of 3 elements differ: NumPy 1.0, converted -1.0, on x=[0., 0., 0.] float64, v=[0., 1., 2.] float64"
    ]


def test_the_original_sees_the_arguments_before_the_call(caplog):
    def both_in_place(x, v):
        x += v
        return np.abs(v).max()

    x = np.zeros(2)
    _, said = logged(caplog, both_in_place, x, np.ones(2), returns=[])
    assert (x.tolist(), said) == ([1.0, 1.0], [])


def test_errors_of_either_version(caplog):
    def broken(*_):
        raise ZeroDivisionError("no")

    assert "which raises ZeroDivisionError: no, on " in logged(caplog, pushed, np.zeros(2), np.ones(2), original=broken)[1][0]
    with pytest.raises(ZeroDivisionError):
        logged(caplog, broken, np.zeros(2), np.ones(2))
    assert "broken differs from the original: it raises ZeroDivisionError: no" in caplog.text
    with pytest.raises(ZeroDivisionError):
        logged(caplog, broken, np.zeros(2), original=broken)
    assert not [record for record in caplog.records if record.levelno == logging.WARNING]


def test_what_cannot_be_compared_runs(caplog):
    assert list(logged(caplog, lambda items: items, iter([1]), original=lambda items: items)[0]) == [1]
    assert "not compared: the arguments cannot be copied" in caplog.text
    traced = jax.jit(shadow(np.sin, share=1.0)(jnp.sin))
    assert traced(jnp.zeros(2)).tolist() == [0.0, 0.0]


def test_random_numbers_of_the_program_stay_the_same(caplog):
    def draws(x):
        return x + np.random.normal() + random.random()

    def converted(x):
        return x

    def run(function):
        np.random.seed(0)
        random.seed(0)
        function(np.ones(2))
        return np.random.normal(), random.random()

    assert run(shadow(draws, share=1.0)(converted)) == run(converted)


def test_a_share_of_the_calls(caplog):
    calls = []
    beside = shadow(lambda x: calls.append(x), share=0.2)(lambda x: None)
    for _ in range(500):
        beside(1.0)
    assert 50 < len(calls) < 160
    with pytest.raises(ValueError, match="share=2"):
        shadow(push, share=2)


def test_assert_equivalent_is_here_too():
    assert_equivalent(push, pushed, np.zeros(3), np.ones(3), returns=["x"])
