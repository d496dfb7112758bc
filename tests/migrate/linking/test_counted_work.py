"""What counts as work: items are numbers whatever their number of indices, and one arm of a branch runs."""

import pytest

from np2jax.tests.helpers.differential import convert, run

QUATERNION = """
import math

import numpy as np


def quaternion(R: np.ndarray):
    e = np.array([math.sqrt(R[0, 0] + 1), math.sqrt(R[1, 1] + 1), math.sqrt(R[2, 2] + 1), 1.0])
    i = np.argmax(e)
    if i == 0:
        e[1] = math.copysign(e[1], R[2, 1] - R[1, 2])
        e[2] = math.copysign(e[2], R[0, 2] - R[2, 0])
        e[3] = math.copysign(e[3], R[1, 0] - R[0, 1])
    elif i == 1:
        e[0] = math.copysign(e[0], R[2, 1] - R[1, 2])
        e[2] = math.copysign(e[2], R[1, 0] + R[0, 1])
        e[3] = math.copysign(e[3], R[0, 2] + R[2, 0])
    else:
        e[0] = math.copysign(e[0], R[0, 2] - R[2, 0])
        e[1] = math.copysign(e[1], R[1, 0] + R[0, 1])
        e[3] = math.copysign(e[3], R[2, 1] + R[1, 2])
    if e[0] < 0:
        print(i)
    return e
"""
ARMS = """
import numpy as np


def f(x: np.ndarray, y: np.ndarray, n: int):
    for k in range(n):
        print(step(x, y))


def step(x: np.ndarray, y: np.ndarray):
    if x[0] > 0:
        y = y * np.sqrt(x) + np.abs(y) - x / 2 + y**2 - np.tanh(x)
        y = y * np.sqrt(x) + np.abs(y) - x / 2 + y**2 - np.tanh(x)
    else:
        y = y * np.sqrt(x) - np.abs(y) + x / 2 + y**3 - np.tanh(x)
        y = y * np.sqrt(x) - np.abs(y) + x / 2 + y**3 - np.tanh(x)
    {more}return y
"""


@pytest.mark.parametrize("index", ["0, 1", "-1, i"])
def test_items_of_matrices_are_numbers(index):
    assert "jit" not in convert(QUATERNION.replace("0, 1", index), placement="fast")[0]
    rows = (
        QUATERNION.replace("R[2, 1]", "np.sum(np.abs(np.sqrt(R[2:, 1])))")
        .replace("R[1, 0]", "np.sum(np.abs(np.sqrt(R[1, :])))")
        .replace("R[0, 1]", "np.sum(np.abs(np.sqrt(R[0, :])))")
    )
    assert "jit" in convert(rows, placement="fast")[0]


def test_one_arm_of_a_branch_counts():
    outcome = convert(ARMS.format(more=""), placement="fast")[1]["step"]
    assert outcome.label == "host" and "Python calls it in a loop" in outcome.reason
    both = "y = y * np.sqrt(x) + np.abs(y) - x / 2 + y**2 - np.tanh(x)\n    " * 2
    assert convert(ARMS.format(more=both), placement="fast")[1]["step"].transform == "jit"


NUMBERS = """
import math


def spherical(x, y, z):
    r = math.sqrt(x * x + y * y + z * z)
    rho = math.sqrt(x * x + y * y)
    phi = math.asin(y / rho) * 180.0 / math.pi
    if x < 0.0:
        phi += 180
    theta = math.acos(z / r) * 180.0 / math.pi
    return [r, theta, phi]
"""
ARRAYS = "\n\ndef other(a: np.ndarray):\n    for _ in range(9):\n        a = np.sqrt(a + np.sin(a))\n    return a\n"


def test_functions_of_math_compute_numbers():
    """Python raises ZeroDivisionError for them, and a call of compiled code takes ten times as long."""
    made, functions, _found = convert(NUMBERS.replace("math\n", "math\n\nimport numpy as np\n", 1) + ARRAYS, placement="fast")
    assert functions["spherical"].label == "host" and functions["other"].transform == "jit"
    with pytest.raises(ZeroDivisionError):
        run(made)["spherical"](0.0, 0.0, 1.0)
