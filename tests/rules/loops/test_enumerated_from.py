"""`enumerate` that starts from another number than 0."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert, function

STARTS = ("1", "start=1", "start=0", "3", "start=-2")
VALUES = np.array([2.0, np.nan, 0.5, 3.0, 1.5])
CALLS = [(VALUES[:k],) for k in (1, 2, 5)] + [(np.arange(4),)]
EMPTY = (VALUES[:0],)


def agrees(body, calls=CALLS, params="x: np.ndarray"):
    text = check_agrees(function(body, params), *calls)
    assert "@jax.jit" in text, text
    return text


@pytest.mark.quick(3)
@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(
    "iteration",
    ["s = s * 0.5 + a * i", "s += a * i", "s = max(s, a / (i + 3))", "if a > 1:\n        s += i", "s += x[i - i] * a"],
)
def test_numbers(start, iteration):
    agrees(f"s = 0.0\nfor i, a in enumerate(x, {start}):\n    {iteration}\nreturn s")


@pytest.mark.quick(3)
@pytest.mark.parametrize("start", ["1", "start=1", "start=2", "start=0"])
@pytest.mark.parametrize("at", ["i", "i - 1", "i + 1"])
@pytest.mark.parametrize("size", ["len(x) + 4", "20"])
def test_stores(start, at, size):
    if (start, at) != ("start=0", "i - 1"):
        agrees(f"y = np.ones({size})\nfor i, a in enumerate(x, {start}):\n    y[{at}] = a * 2\nreturn y", [*CALLS, EMPTY])
        agrees(f"y = np.ones({size})\nz = np.arange(20.0)\nfor i, a in enumerate(x, {start}):\n    y[{at}] = a * z[i]\nreturn y")
    agrees(f"y = np.ones({size})\nfor i, a in enumerate(x, {start}):\n    y[{at}] = a * 2 + y[i]\nreturn y")


def test_a_negative_place_wraps_round():
    agrees("y = np.ones(8)\nfor i, a in enumerate(x, start=-2):\n    y[i] = a * 2\nreturn y")


def test_all_of_an_array_is_stored():
    text = agrees("y = np.zeros(len(x))\nfor i, a in enumerate(x, 1):\n    y[i - 1] = a * 2\nreturn y", [*CALLS, EMPTY])
    assert "y.at[:].set(x * 2)" in text
    text = agrees("y = np.zeros(len(x) + 1)\nfor i, a in enumerate(x, start=1):\n    y[i] = a\nreturn y", [*CALLS, EMPTY])
    assert "y.at[1:].set(x)" in text


@pytest.mark.quick(3)
@pytest.mark.parametrize("start", STARTS)
def test_zipped(start):
    calls = [(VALUES[:k], VALUES[::-1][:m]) for k in (1, 3) for m in (1, 2, 5)]
    body = f"y = np.ones(12)\nfor i, (a, b) in enumerate(zip(x, w), {start}):\n    y[i + 2] = a * i - b\nreturn y"
    agrees(body, calls, "x: np.ndarray, w: np.ndarray")
    body = f"s = 0.0\nfor i, (a, b) in enumerate(zip(x, x[1:]), {start}):\n    s = 0.5 * s + a * i - b\nreturn s"
    agrees(body, [*CALLS, EMPTY])


@pytest.mark.parametrize("start", STARTS)
def test_lists_and_reductions(start):
    agrees(f"out = []\nfor i, a in enumerate(x, {start}):\n    out.append(a * i * 0.5)\nreturn np.array(out)", [*CALLS, EMPTY])
    agrees(f"return sum(i * a for i, a in enumerate(x, {start}))")
    agrees(f"return sum(i * a * b for i, (a, b) in enumerate(zip(x, x[1:]), {start}))", [c for c in CALLS if len(c[0]) > 1])


@pytest.mark.quick(3)
@pytest.mark.parametrize("start", STARTS)
def test_what_is_found(start):
    agrees(f"k = -9\nfor i, a in enumerate(x, {start}):\n    if a > 1.8:\n        k = i\n        break\nreturn k")
    agrees(f"s = 0.0\nfor i, a in enumerate(x, {start}):\n    s = s * 0.5 + a * i\n    if s > 1:\n        break\nreturn s")
    agrees(
        f"best = 0.0\nk = -9\nfor i, a in enumerate(x, {start}):\n    if a > best:\n        best = a\n        k = i\nreturn best, k",
        CALLS[:3],
    )


def test_other_arguments_stay():
    for arguments in ("x, start=k", "iterable=x", "iterable=x, start=1"):
        source = function(
            f"s = 0.0\nfor i, a in enumerate({arguments}):\n    s = s * 0.5 + a * i\nreturn s", "x: np.ndarray, k: int"
        )
        assert f"enumerate({arguments})" in convert(source)[0]
