"""Masks of whole axes in place of slices: compiled where the slices have a constant fraction of the axis, and the work is that of vectors."""

import pytest

from np2jax.tests.helpers.differential import CONVERTED, convert, function

PARAMS = "a: np.ndarray, b: np.ndarray, k: int"


def outcome(body):
    return convert(function(body, PARAMS), placement="fast")[1]["f"]


DENSE = {
    "up to": "x = np.zeros(len(b))\nfor i in range(len(b)):\n    x[i] = b[i] - a[i, :i] @ x[:i]\nreturn x",
    "from": "x = np.zeros(len(b))\nfor i in range(len(b) - 1, -1, -1):\n    x[i] = b[i] - a[i, i + 1 :] @ x[i + 1 :]\nreturn x",
    "from the first on": "x = np.zeros(len(b))\nfor i in range(1, len(b)):\n    x[i] = b[i] - np.sum(x[1:i])\nreturn x",
    "both ends": "x = np.zeros(len(b))\nfor i in range(len(b) // 2):\n    x[i] = np.sum(b[i : len(b) - i] ** 2) + x[i - 1]\nreturn x",
    "triangle": "n = len(b)\nx = np.zeros((n, n))\nfor j in range(n):\n    x[j, j] = 1.0\n    for i in range(j + 1, n):\n        x[i, j] = -np.sum(a[i, j:i] * x[j:i, j])\nreturn x",
    "rows": "for i in range(len(b) - 1):\n    a[i + 1 :, :] -= b[i] * a[i, :]\nreturn a",
    "in parallel": "n = a.shape[1]\nc = np.eye(n)\nfor i in range(n - 1):\n    c[i + 1 : n, i] = c[i, i + 1 : n] = a[:, i] @ a[:, i + 1 : n]\nreturn c",
}
SHORT = {
    "stride": "for i in range(2, len(b)):\n    if b[i] > 1:\n        b[i::i] -= b[i]\nreturn b",
    "clipped": "x = np.zeros(len(b))\nfor i in range(len(b)):\n    x[i] = np.sum(b[max(0, i - k) : i + 1]) + x[i - 1]\nreturn x",
    "given": "x = np.zeros(len(b))\nfor i in range(len(b) - 1):\n    x[i] = np.max(b[int(a[i, 0]) : int(a[i, 1])]) + x[i - 1]\nreturn x",
    "near": "x = np.zeros(len(b))\nfor i in range(5, len(b)):\n    x[i] = np.sum(x[i - 5 : min(i, k)])\nreturn x",
}
LARGE = {
    "both axes": "for i in range(len(b) - 1):\n    a[i + 1 :, i + 1 :] -= np.outer(a[i + 1 :, i], a[i, i + 1 :])\nreturn a",
    "product": "x = np.zeros(a.shape)\nfor i in range(len(b)):\n    x[i, :] = a[i, :] - a[i, :i] @ x[:i, :]\nreturn x",
    "matrix and vector": "m, n = a.shape\nq, r = np.zeros((m, n)), np.zeros((n, n))\nfor j in range(n):\n    v = a[:, j].copy()\n    r[:j, j] = q[:, :j].T @ v\n    v -= q[:, :j] @ r[:j, j]\n    q[:, j] = v\nreturn q",
}


SEARCHES = {
    "function": "for i in range(len(b)):\n    m = i + np.argmin(b[i:])\n    b[i], b[m] = b[m], b[i]\nreturn b",
    "method": "for i in range(1, len(b)):\n    b[i] = b[:i].argmax() + b[i - 1]\nreturn b",
}


@pytest.mark.parametrize("body", SEARCHES.values(), ids=SEARCHES)
def test_positions_of_extremes(body):
    found = outcome(body)
    assert found.label == "host" and "takes longer than of the slice" in found.reason, found


@pytest.mark.parametrize("body", DENSE.values(), ids=DENSE)
def test_a_constant_fraction(body):
    found = outcome(body)
    assert found.label in CONVERTED, found.reason


@pytest.mark.parametrize("body", SHORT.values(), ids=SHORT)
def test_short(body):
    found = outcome(body)
    assert found.label == "host" and "may be much shorter" in found.reason, found


@pytest.mark.parametrize("body", LARGE.values(), ids=LARGE)
def test_matrices(body):
    found = outcome(body)
    assert found.label == "host" and "a mask of the whole matrix" in found.reason, found
