"""Eigenvalues and polynomials of roots: NumPy's results are real or complex by their values, those of compiled code always complex."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, function, run

SYMMETRIC = np.array([[2.0, 1.0], [1.0, 3.0]])
ROTATION = np.array([[0.0, -1.0], [1.0, 0.0]])
BEFORE = "a = a * 2 + a @ a @ a - np.exp(-a @ a)\n"


def check(body, inputs, compiled, params="a: np.ndarray"):
    text = function(BEFORE + body, params)
    made, functions, _found = convert(text, placement="fast")
    assert (functions["f"].transform in ("jit", "both")) == compiled, functions["f"].reason
    for given in inputs:
        assert not compare_values(run(made)["f"](given), run(text)["f"](given))
    return functions["f"].reason


@pytest.mark.parametrize(
    "body",
    [
        "return np.linalg.eigvals(a) * 2",
        "w, v = np.linalg.eig(a)\nreturn v * w",
        "w = np.linalg.eigvals(a)\nb = w.real\nreturn b + w",
        "return np.poly(a)",
        "return np.poly(np.exp(1j * a[0]))",
    ],
)
def test_by_values(body):
    reason = check(body, (SYMMETRIC, ROTATION), False)
    assert reason.endswith("returns real or complex numbers, depending on values")


@pytest.mark.parametrize(
    "body",
    [
        "return np.abs(np.linalg.eigvals(a)) * 2",
        "return np.linalg.eigvals(a).real",
        "w = np.linalg.eigvals(a)\nw = w.real\nreturn w.sum() * 2",
        "return np.poly(a.ravel()) * a[0, 0]",
    ],
)
def test_real_parts_and_real_roots(body):
    check(body, (SYMMETRIC, ROTATION), True)


def test_complex_matrices():
    check("return np.linalg.eigvals(a) * 2", (SYMMETRIC + 0j, ROTATION * 1j), True, "a: np.typing.NDArray[np.complex128]")
