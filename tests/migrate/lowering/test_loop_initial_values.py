"""Iterations whose iterations bind what is read after them, `x_new`: it starts with what it becomes, `x`."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert, run

A = np.array([[4.0, 1.0, 0.5], [0.5, 5.0, -1.0], [1.0, 0.0, 6.0]])
B = np.array([1.0, 2.0, -3.0])
STEP = "        x_new = (b - (A @ x - np.diag(A) * x)) / np.diag(A)\n"

COMPILED = {
    "break": "    for k in range(100):\n"
    + STEP
    + "        if np.max(np.abs(x_new - x)) < tol:\n            break\n        x = x_new\n    return x_new, x\n",
    "return": "    for k in range(100):\n"
    + STEP
    + "        if np.max(np.abs(x_new - x)) < tol:\n            return x_new, k * 1.0\n        x = x_new\n    return x, -1.0\n",
    "while True": "    while True:\n"
    + STEP
    + "        err = np.max(np.abs(x_new - x))\n        x = x_new\n        if err < tol:\n            break\n    return x_new, err + 1.0\n",
    "a number": "    last = 0.0\n    for k in range(60):\n        x = (b - (A @ x - np.diag(A) * x)) / np.diag(A)\n        norm = np.sqrt(x @ x)\n"
    "        if abs(norm - last) < tol:\n            break\n        last = norm\n    return x, norm\n",
    "while": "    err = 1.0\n    while err > tol:\n"
    + STEP
    + "        err = np.max(np.abs(x_new - x))\n        x = x_new\n    return x_new + x, err + 1.0\n",
}
STAY = {
    "bound on one side": "    for k in range(3):\n        if k > 0:\n            y = x * 2\n            x = y\n    return x, y\n",
    "read before it is bound": "    y = x\n    for k in range(3):\n        x = y + 1\n        y = x\n    return x, y\n",
    "that becomes nothing else": "    for k in range(3):\n        y = A[: k + 1] @ x\n        x = x / 2\n    return x, y\n",
}


def source_of(lines):
    return f"import numpy as np\n\n\ndef f(A: np.ndarray, b: np.ndarray, tol: float):\n    x = np.zeros_like(b)\n{lines}"


@pytest.mark.quick(3)
@pytest.mark.parametrize("name", COMPILED)
def test_compiled(name):
    given = [(A, B, 1e-9), (A, B, 0.5), (A, B * 0 + 1.0, 1e-3), (A.astype(np.float32), B.astype(np.float32), 1e-2)]
    text = check_agrees(source_of(COMPILED[name]), *given)
    assert "lax.while_loop" in text, text


@pytest.mark.parametrize("name", STAY)
def test_stays(name):
    made, _functions, _diagnostics = convert(source_of(STAY[name]))
    assert "y = x\n    for" not in made.replace("y = x\n    for", "", source_of(STAY[name]).count("y = x\n    for")), made
    mine, theirs = (run(text)["f"](A, B, 0.1) for text in (made, source_of(STAY[name])))
    for one, other in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(one, other)


def test_what_a_loop_made_in_an_iteration_before():
    """The array that one iteration made is another one than that of the next, so that `dist += ...` changes no `best_d`."""
    source = """
    import numpy as np

    def f(X: np.ndarray, centers: np.ndarray):
        n, d = X.shape
        labels = np.zeros(n, dtype=int)
        for i in range(n):
            best = 0
            best_d = np.inf
            for j in range(centers.shape[0]):
                dist = 0.0
                for c in range(d):
                    dist += (X[i, c] - centers[j, c]) ** 2
                if dist < best_d:
                    best_d = dist
                    best = j
            labels[i] = best
        return labels
    """
    rng = np.random.default_rng(0)
    text = check_agrees(
        source, (rng.normal(size=(7, 3)), rng.normal(size=(4, 3))), (rng.normal(size=(2, 1)), rng.normal(size=(3, 1)))
    )
    assert "jax.jit" in text


def test_what_is_the_same_array_in_all_iterations():
    source = """
    import numpy as np

    def f(X: np.ndarray):
        d = np.zeros(X.shape[1])
        best = np.ones(X.shape[1])
        for i in range(X.shape[0]):
            for c in range(2):
                d += X[i] * c
            if d.sum() > 0:
                best = d
        return best, d
    """
    rng = np.random.default_rng(0)
    check_agrees(source, (rng.normal(size=(5, 3)),), (np.ones((3, 2)),), (-np.ones((3, 2)),), keep=True)
