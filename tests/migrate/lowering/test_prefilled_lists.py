"""Lists that begin with items and get one more in each iteration, of which arrays are made: the steps of integrators."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert, run

COMPILED = {
    "two lists": "    t = 0.0\n    y = y0\n    ts = [t]\n    ys = [y]\n    for _ in range(n):\n        y = y + h * (np.sin(t) - y)\n        t = t + h\n"
    "        ts.append(t)\n        ys.append(y)\n    return np.array(ts), np.array(ys)\n",
    "the last one": "    y = [y0]\n    for i in range(n):\n        y.append(y[-1] + h * (np.cos(i * h) - y[-1]))\n    return np.array(y)\n",
    "by its number": "    y = [y0]\n    for i in range(n):\n        k = -y[i]\n        y.append(y[i] + h * (k + np.exp(-y[i])))\n    return np.asarray(y)\n",
    "by its number, from 1 on": "    y = [y0]\n    for i in range(1, n):\n        y.append(y[i - 1] * (1 - h) + i)\n    return np.array(y)\n",
    "read after the loop": "    y = [y0]\n    for i in range(n):\n        y.append(y[-1] * (1 - h))\n    return np.array(y), y[-1] + 1.0\n",
    "read once it is there": "    y = [y0]\n    s = 0.0\n    for i in range(n):\n        y.append(y[-1] * (1 - h))\n        s += y[-1]\n    return np.array(y) * s\n",
    "two items": "    y = [0.0, y0]\n    for i in range(n):\n        y.append(0.5 * y[-1] + h)\n    return np.array(y)\n",
}
COMPILED["whole numbers, then floats"] = (
    "    y = [1]\n    for i in range(n):\n        y.append(y[-1] * h)\n    return np.array(y)\n"
)
COMPILED["no turns for 0"] = (
    "    y = [y0]\n    for i in range(1, n):\n        y.append(y[-1] * (1 - h))\n    return np.array(y)\n"
)
COMPILED["stacked"] = COMPILED["the last one"].replace("[y0]", "[np.array([y0, h])]").replace("np.array(y)", "np.stack(y)")
STAY = {
    "an earlier one": "    y = [0.0, y0]\n    for i in range(2, n):\n        y.append(y[i - 1] + y[i - 2])\n    return np.array(y)\n",
    "on some turns": "    y = [y0]\n    for i in range(n):\n        if i % 2:\n            y.append(h * i)\n    return np.array(y)\n",
    "given out": "    y = [y0]\n    for i in range(n):\n        y.append(y[-1] * h)\n    return y\n",
    "taken out": "    y = [y0]\n    for i in range(n):\n        y.append(y[-1] * h)\n    y.pop()\n    return np.array(y)\n",
    "by another number": "    y = [y0]\n    for i in range(n):\n        y.append(y[0] + i)\n    return np.array(y)\n",
    "the number of the one that the turn adds": "    y = [y0]\n    for i in range(1, n):\n        y.append(y0 + i)\n        y0 = y[i] * h\n    return np.array(y)\n",
}


def source_of(lines):
    return f"import numpy as np\n\n\ndef f(y0: float, n: int, h: float):\n{lines}"


@pytest.mark.quick(4)
@pytest.mark.parametrize("name", COMPILED)
def test_compiled(name):
    source = source_of(COMPILED[name])
    made, functions, _diagnostics = convert(source)
    assert functions["f"].transform == "jit" and "lax.scan" in made, made
    for given in ((1.0, 5, 0.1), (0.25, 1, 0.5), (2, 4, 0.1), (np.nan, 3, 0.1), (1.0, 0, 0.1)):
        mine, theirs = run(made)["f"](*given), run(source)["f"](*given)
        for one, other in zip(mine, theirs, strict=True) if isinstance(theirs, tuple) else [(mine, theirs)]:
            np.testing.assert_allclose(one, other)
            assert np.shape(one) == np.shape(other) and np.asarray(one).dtype == np.asarray(other).dtype


@pytest.mark.parametrize("name", STAY)
def test_stays(name):
    made, _functions, _diagnostics = convert(source_of(STAY[name]))
    assert "y_start" not in made, made
    for given in ((1.0, 5, 0.1), (0.25, 2, 0.5)):
        np.testing.assert_allclose(run(made)["f"](*given), run(source_of(STAY[name]))["f"](*given))


def test_rows():
    source = """
    import numpy as np

    def f(X: np.ndarray, t: np.ndarray, lr: float):
        w = np.zeros(X.shape[1])
        path = [w.copy()]
        for _ in range(20):
            w = w - lr * X.T @ (X @ w - t)
            path.append(w.copy())
        return np.array(path)
    """
    X = np.random.default_rng(0).normal(size=(5, 2))
    text = check_agrees(source, (X, X @ np.array([1.0, 2.0]), 0.01), (X[:1], np.ones(1), 0.1))
    assert "lax.scan" in text


@pytest.mark.parametrize("n", [0, 1, 5])
def test_a_loop_that_does_not_append(n):
    """Without other items, the array has the shape and the dtype of those that the list begins with, also where the loop stays NumPy."""
    lines = "    k, rows, numbers = 3, [np.ones(2)], [3]\n    for i in range(n):\n        k = k * 7 % 11\n        if k == 10:\n            break\n"
    lines += "        numbers.append(k)\n        rows.append(np.full(2, y0 * k))\n    return np.array(numbers), np.array(rows)\n"
    for source in (source_of(lines), source_of(lines.replace("            break\n", "            y0 = len(str(y0))\n"))):
        made = run(convert(source, placement="fast")[0])["f"]
        for mine, theirs in zip(made(0.5, n, 0.0), run(source)["f"](0.5, n, 0.0), strict=True):
            np.testing.assert_array_equal(mine, theirs)
            assert mine.dtype == theirs.dtype
