"""Rounding errors that are added to what a call computes: results that jump then are decided by rounding."""

import numpy as np

from np2jax.runtime_shim.sandbox.line_trace import given_numbers
from np2jax.runtime_shim.values.rounding_noise import RoundingNoise
from np2jax.runtime_shim.values.snapshot import Array

TEXT = """
import numpy as np
TABLE = np.array([0.1, 0.7])

def scaled(n):
    logs = np.log10(np.array([10.0, 1000.0]) * n / 7.0)
    back = 10**logs * 7.0
    return np.floor(back / n)

def exact(n):
    half = n * np.array([0.5, 1.5])
    third = n * 1.0
    return half, third, np.floor(half)

def given(x):
    y = x
    z = x[::-1].copy()
    return y, z

def looked_up(n):
    table = TABLE
    total = table[0] * 3.0
    return total
"""


def results(name, *arguments, constants=()):
    scope = {"__name__": "code"}
    exec(compile(TEXT, "code.py", "exec"), scope)
    numbers = given_numbers([Array(part) if isinstance(part, np.ndarray) else part for part in arguments])
    found = []
    for seed in range(1, 13):
        noise = RoundingNoise(lambda file: "code.py" if file == "code.py" else "", numbers, constants, seed, False)
        with noise.running():
            found.append(scope[name](*arguments))
        noise.found()
    return found, scope


def test_what_is_computed_moves():
    found, _ = results("scaled", 1)
    assert len({row.tobytes() for row in found}) > 1
    assert any(row[1] == 999.0 for row in found)


def test_exact_numbers_and_given_ones_stay():
    found, _ = results("exact", 3)
    assert all(np.array_equal(half, [1.5, 4.5]) and third == 3.0 for half, third, _ in found)
    x = np.array([0.1, 0.2])
    found, _ = results("given", x)
    assert all(np.array_equal(y, [0.1, 0.2]) and np.array_equal(z, [0.2, 0.1]) for y, z in found)


def test_numbers_move_and_arrays_of_modules_get_their_values_back():
    found, scope = results("looked_up", 1)
    assert len(set(found)) > 1
    assert np.array_equal(scope["TABLE"], [0.1, 0.7])
    assert set(results("looked_up", 1, constants=(0.1, 0.7, 0.1 * 3.0))[0]) == {0.1 * 3.0}
