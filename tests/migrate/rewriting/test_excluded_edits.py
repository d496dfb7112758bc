"""A change that a comment or an option excludes leaves a program that computes what it did: what depends on the change stays NumPy."""

import pytest

from np2jax.tests.helpers.differential import CONVERTED, convert, convert_project, printed

PROGRAM = """import numpy as np


def _increase(x: np.ndarray, k: float):
    x += k * np.sin(x)  # UPDATE


def _scaled(x: np.ndarray):
    return np.exp(x) * 2.0


def run(n: int):  # HEAD
    y = np.arange(float(n))
    _increase(y, 2.0)  # CALL
    z = _scaled(y)  # RESULT
    z[0] = 7.0
    return y + z


print(*[f"{float(v):.6f}" for v in run(4)])
"""
DRAWING = """import numpy as np


def _noise(n: int):
    return np.random.normal(size=n)


def run(n: int):
    np.random.seed(3)
    y = np.zeros(n)
    return y + _noise(n)  # CALL


print(run(4).shape)
"""


@pytest.mark.parametrize("placement", ["fast", "device"])
@pytest.mark.parametrize("comment", ["ignore", "ignore[NJ2]", "ignore[NJ1]", "ignore[NJ5]"])
@pytest.mark.parametrize("places", ["UPDATE", "HEAD", "CALL", "RESULT", "CALL RESULT", "UPDATE HEAD"])
def test_comments(placement, comment, places):
    text = PROGRAM
    for place in places.split():
        text = text.replace(f"# {place}", f"# np2jax: {comment}")
    assert printed(convert(text, placement=placement)[0]) == printed(PROGRAM)


@pytest.mark.quick(4)
@pytest.mark.parametrize("placement", ["fast", "device"])
@pytest.mark.parametrize("code", ["NJ201", "NJ203", "NJ213", "NJ216", "NJ217", "NJ1", "NJ2", "NJ5"])
def test_options(placement, code):
    assert printed(convert(PROGRAM, placement=placement, ignore=(code,))[0]) == printed(PROGRAM)


@pytest.mark.parametrize("placement", ["fast", "device"])
@pytest.mark.parametrize("codes", ["NJ3", "NJ304", "NJ302"])
def test_draws(placement, codes):
    text = DRAWING.replace("# CALL", f"# np2jax: ignore[{codes}]")
    assert printed(convert(text, placement=placement)[0]) == "(4,)\n"
    assert printed(convert(DRAWING, placement=placement, ignore=(codes,))[0]) == "(4,)\n"


IN_FILES = {
    "pkg/__init__.py": "",
    "pkg/b.py": "import numpy as np\n\n\ndef _increase(x: np.ndarray, k: float):\n    x += k * np.sin(x)  # np2jax: ignore[NJ1]\n",
    "pkg/a.py": "import numpy as np\n\nfrom .b import _increase\n\n\ndef run(n: int):\n    y = np.arange(float(n))\n"
    "    _increase(y, 2.0)\n    return np.sqrt(y) + np.exp(y)\n",
    "main.py": "from pkg.a import run\n\nprint(run(4))\n",
}


def test_what_is_no_longer_compiled_stays_numpy():
    """The caller of a function that a comment keeps would run without `jit`, and cannot change a JAX array in place."""
    texts, functions, _ = convert_project(IN_FILES, placement="fast")
    assert functions["pkg.b._increase"].label == "kept"
    assert functions["pkg.a.run"].label in ("kept", "host")
    assert texts["pkg/a.py"] == IN_FILES["pkg/a.py"]


LOOPS = """import numpy as np


def f(x: np.ndarray, n: int):
    out, sums, filtered = np.empty(len(x)), np.zeros(len(x)), np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i] * 2 + np.sin(x[i])
    total = 0.0
    for i in range(len(x)):
        total += x[i]
        sums[i] = total
    y = x
    for _ in range(n):
        y = np.cos(y)
    for i in range(1, len(x)):
        filtered[i] = 0.5 * filtered[i - 1] + x[i]
    return out, sums, y, filtered


print(*[f"{float(np.sum(part)):.5f}" for part in f(np.arange(4.0), 3)])
"""


@pytest.mark.parametrize("placement", ["fast", "device"])
@pytest.mark.parametrize("code", ["NJ401", "NJ411", "NJ416", "NJ417", "NJ421", "NJ4"])
def test_loops(placement, code):
    """No other rule writes the body of a loop that has a plan, so the function stays NumPy."""
    text, functions, _ = convert(LOOPS, placement=placement, ignore=(code,))
    assert functions["f"].label in (CONVERTED if code == "NJ421" else ("kept",))
    assert printed(text) == printed(LOOPS)
