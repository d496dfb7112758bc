"""Arrays that iterations of a loop give each other's names: two buffers, of which each iteration fills the other one."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, refused

U = np.array([0.0, 1.0, 4.0, -2.0, 0.5, 3.0])
STEP = "        new[1:-1] = u[1:-1] + 0.25 * (u[2:] - 2 * u[1:-1] + u[:-2])\n"
TWO = "    u = u0.copy()\n    new = np.zeros_like(u)\n"


def text_of(body, params="u0: np.ndarray, steps: int"):
    return f"import numpy as np\n\n\ndef f({params}):\n{body}"


COMPILED = {
    "two": TWO + "    for _ in range(steps):\n" + STEP + "        u, new = new, u\n    return u\n",
    "both are returned": TWO + "    for _ in range(steps):\n" + STEP + "        u, new = new, u\n    return u, new\n",
    "by a third name": TWO
    + "    for _ in range(steps):\n"
    + STEP
    + "        t = u\n        u = new\n        new = t\n    return u\n",
    "while": TWO + "    k = 0\n    while k < steps:\n" + STEP + "        k += 1\n        u, new = new, u\n    return u\n",
    "continue": TWO
    + "    for k in range(steps):\n"
    + STEP
    + "        if k == 1:\n            continue\n        u, new = new, u\n    return u, new\n",
    "three": "    a = u0.copy()\n    b = u0 * 0.5\n    c = np.ones_like(u0)\n    for _ in range(steps):\n"
    "        c[1:-1] = 2 * b[1:-1] - a[1:-1] + 0.1 * (b[2:] - b[:-2])\n        c[0] = a[0] + 1\n"
    "        a, b, c = b, c, a\n    return a, b, c\n",
    "filled item by item": TWO
    + "    for _ in range(steps):\n        for i in range(1, len(u) - 1):\n            new[i] = 0.5 * (u[i - 1] + u[i + 1])\n"
    + "        new[0] = u[0]\n        u, new = new, u\n    return u\n",
    "in two loops": TWO
    + "    for _ in range(steps):\n        for _k in range(2):\n            new[0] = u[1] + 1\n            u, new = new, u\n"
    + "        u[2] += 1\n    return u, new\n",
    "seen through": TWO
    + "    for _ in range(steps):\n        inner = new[1:-1]\n        inner[:] = u[2:] + 1\n        u, new = new, u\n    return u\n",
}
REFUSED = {
    "another name for one": TWO
    + "    held = u\n    for _ in range(steps):\n        new[0] += 1\n        u, new = new, u\n    return u, held\n",
    "one array": "    u = u0.copy()\n    new = u\n    for _ in range(steps):\n        new[0] += 1\n        u, new = new, u\n    return u, new\n",
    "the caller's": "    u, new = u0, np.zeros_like(u0)\n    for _ in range(steps):\n        new[0] = u[0] + 1\n        u, new = new, u\n    return u\n",
    "a view of one, made before": TWO
    + "    head = u[:2]\n    for _ in range(steps):\n        new[0] += 1\n        u, new = new, u\n    return u, head\n",
    "in a list": TWO
    + "    both = [u]\n    for _ in range(steps):\n        new[0] += 1\n        u, new = new, u\n    return both[0], u\n",
    "on some turns only": TWO
    + "    w = u\n    for k in range(steps):\n        new[0] += 1\n        if k % 2:\n            w = new\n        u, new = new, u\n    return u, w\n",
}


@pytest.mark.parametrize("name", COMPILED)
def test_two_buffers(name):
    text = check_agrees(text_of(COMPILED[name]), *((U.copy(), steps) for steps in (0, 1, 2, 5)))
    assert "jax.jit" in text and "lax." in text, text


@pytest.mark.parametrize("name", REFUSED)
def test_what_may_be_seen_by_another_name(name):
    assert "may share memory" in refused(text_of(REFUSED[name]))
    check_agrees(text_of(REFUSED[name]), *((U.copy(), steps) for steps in (0, 1, 2, 5)), keep=True)
