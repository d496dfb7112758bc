"""Calls of nested functions that compute and do nothing else."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees

X = np.array([1.5, -2.0, 0.25, 3.0])
COMPILED = {
    "a step": "def f(y):\n        return np.array([y[1], -y[0]])\n    y = x[:2]\n    for _ in range(n):\n        y = y + a * f(y + a / 2 * f(y))\n    return y",
    "a lambda": "g = lambda t: np.exp(-(t**2))\n    return g(x) + g(x + 1) + g(a)",
    "what it captures": "b = a * 2\n\n    def f(t, k=3.0):\n        u = t * b\n        return u + k\n    s = 0.0\n    for i in range(len(x)):\n        s += f(x[i])\n    return s + f(a, 1)",
    "differences": "def f(v):\n        return np.sum(v**2)\n    g = np.zeros(len(x))\n    for i in range(len(x)):\n        e = np.zeros(len(x))\n        e[i] = a\n        g[i] = (f(x + e) - f(x - e)) / (2 * a)\n    return g",
    "one in another": "def f(v):\n        return np.sin(v)\n\n    def g(v):\n        return f(v) + 1\n    return g(x) * g(a)",
    "newton": "f = lambda v: v**2 - 2\n    df = lambda v: 2 * v\n    z = a\n    for _ in range(n):\n        z = z - f(z) / df(z)\n    return z * x",
    "a loop that ends": "def f(v):\n        return v - a * (v - 1)\n    z = x\n    for k in range(50):\n        new = f(z)\n        if np.max(np.abs(new - z)) < 1e-3:\n            break\n        z = new\n    return z, k",
    "unpacked": "def f(v):\n        p, q = v\n        p, q = q, p + q\n        return np.array([p, -q])\n    out = np.ones((n + 1, 2))\n    for i in range(n):\n        v = out[i]\n        out[i + 1] = v + a * f(v)\n    return out",
    "its argument": "def f(v):\n        return v\n    y = f(x) * 2\n    y[0] = 1\n    return y",
}
OTHERS = {
    "what it captures is carried": "s = 1.0\n\n    def f(t):\n        return t * s\n    for i in range(len(x)):\n        s = s + f(x[i])\n    return s",
    "what it captures changes": "y = x * 1\n\n    def f(t):\n        return y[0] * t\n    for i in range(len(x)):\n        y[0] = y[0] + 1\n        y[1] = f(2.0)\n    return y",
    "what it captures has two names": "y = x * 1\n    z = y\n\n    def f(t):\n        return y[0] * t\n    for i in range(len(x)):\n        z[0] = z[0] + 1\n        z[1] = f(2.0)\n    return z",
    "what it captures is no copy": "y = x * 1\n    z = np.array(y, copy=None)\n\n    def f(t):\n        return y[0] * t\n    for i in range(len(x)):\n        z[0] = z[0] + 1\n        z[1] = f(2.0)\n    return z",
    "what it captures comes later": "def f(t):\n        return t * b\n    b = 2.0\n    s = f(a)\n    b = 3.0\n    return s + f(a) * x",
    "of a turn": "out = np.zeros(len(x))\n\n    def f(t):\n        return t * b\n    for i in range(len(x)):\n        b = x[i]\n        out[i] = f(2.0)\n    return out",
    "a row that is unpacked": "def f(v):\n        p, q = v\n        return p\n    out = np.ones((n + 1, 2, 2))\n    row = f(out[0])\n    for i in range(n):\n        out[i] = a * f(out[i])\n    row += 1\n    return out, row",
    "a branch": "def f(v):\n        if v > 1:\n            return 1.0\n        return v\n    out = np.zeros(len(x))\n    for i in range(len(x)):\n        out[i] = f(x[i])\n    return out",
    "it changes what it gets": "def f(v):\n        v[0] = 7\n        return v\n    y = x * 1\n    f(y)\n    return y",
    "augmented": "def f(v):\n        v *= 2\n        return v\n    y = x * 1\n    return f(y) + y",
    "other names": "f = lambda v: v + 1\n    if n > 2:\n        f = lambda v: v - 1\n    return f(x)",
    "itself": "def f(v, k):\n        return v if k == 0 else f(v * 2, k - 1)\n    return f(x, 3)",
    "its part": "def f(v):\n        return v[1:]\n    y = x * 1\n    z = f(y)\n    z[0] = 5\n    return y, z",
    "a branch changes what it captures": "y = x * 1\n\n    def f(t):\n        return y[0] * t\n    if x[0] > 0:\n        y.sort()\n        r = f(2.0) + np.linalg.norm(y)\n    else:\n        y.fill(7)\n        r = f(3.0) + np.linalg.norm(y)\n    return r",
    "a part with a name": "y = x * 1\n    f = lambda t: y[0] * t\n    z = np.reshape(y, -1)\n    if x[0] > 0:\n        z.fill(3)\n        r = f(2.0) + np.linalg.norm(y)\n    else:\n        r = f(3.0) + np.linalg.norm(y)\n    return r",
    "an out argument of a nested function": "y = x * 1\n\n    def f(t, u):\n        np.sqrt(t, u)\n        return u[0]\n    r = f(np.abs(x), y)\n    return r, y",
    "an out argument": "y = x * 1\n    f = lambda t: y[0] * t\n    if x[0] > 0:\n        np.multiply(x, 2, y)\n        r = f(2.0) + np.linalg.norm(y)\n    else:\n        r = f(3.0) + np.linalg.norm(y)\n    return r",
    "shape": "def f(v, k):\n        return np.zeros(k) + v\n    return f(a, n) * x[0]",
    "printed": "def f(v):\n        return str(v)\n    return len(f(n)) * x",
}


def text_of(body):
    return f"import numpy as np\n\n\ndef f(x: np.ndarray, a: float, n: int):\n    {body}\n".replace("def f(x:", "def given(x:")


@pytest.mark.quick(4)
@pytest.mark.parametrize("name", COMPILED)
def test_they_are_compiled(name):
    made = check_agrees(text_of(COMPILED[name]), (X, 0.25, 3), (X[:2], -0.5, 0), function="given")
    assert "@jax.jit" in made or "@functools.partial(jax.jit" in made


@pytest.mark.quick(8)
@pytest.mark.parametrize("name", OTHERS)
def test_others_agree(name):
    check_agrees(text_of(OTHERS[name]), (X, 0.25, 3), (X[:2], -0.5, 1), function="given", keep=True)


def test_arguments_that_are_sliced_along_several_axes_are_arrays():
    text = """
import numpy as np


def f(pos, vel, mass, n):
    def pull(p):
        d = p[None, :, :] - p[:, None, :]
        r = ((d**2).sum(-1) + 0.1) ** 1.5
        return (d * (mass[None, :] / r)[..., None]).sum(1)

    for _ in range(n):
        vel = vel + 0.1 * pull(pos)
        pos = pos + 0.1 * vel
    return pos
"""
    made = check_agrees(text, (np.arange(6.0).reshape(3, 2), np.ones((3, 2)), np.array([1.0, 2.0, 0.5]), 4))
    assert "@jax.jit" in made and "lax.fori_loop" in made
