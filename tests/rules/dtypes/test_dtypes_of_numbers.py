"""Numbers of known, narrow dtypes: items of arrays, NumPy's scalars, and what crosses a call or becomes a loop of its own."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on, check_agrees, convert

LOOPS = {
    "an item is divided": "c = np.arange(n, dtype=np.int32)\ns = 0.0\n{p}for i in range(n):\n    s += c[i] / 7\nreturn s",
    "an item times a narrow float": "c = np.arange(n, dtype=np.int32)\nw = np.full(n, 0.1, dtype=np.float32)\ns = 0.0\n{p}for i in range(n):\n    s += c[i] * w[i]\nreturn s",
    "a scalar is divided": "s = np.uint32(1)\nout = np.zeros(n)\n{p}for i in range(n):\n    s = s * np.uint32(1664525) + np.uint32(7)\n    out[i] = s / 4294967296\nreturn out",
    "a scalar of an argument": "s = np.uint32(n)\n{p}return s / 4294967296",
    "a search": "q = np.array([0, 5, 3], np.uint8)\nbest = -1\n{p}for i in range(len(q)):\n    if q[i] > best:\n        best = q[i]\nreturn best",
    "a search for the least": "q = np.array([7, 5], np.int8)\nlo = 1000\n{p}for v in q:\n    lo = min(lo, v)\nreturn lo",
    "what was seen before": "q = np.array([255, 3], np.uint8)\nprev = -1\nruns = 0\n{p}for v in q:\n    if v != prev:\n        runs += 1\n        prev = v\nreturn runs",
}


def program(body, moved, head=""):
    lines = body.replace("{p}", "print(n)\n" if moved else "").split("\n")
    return f"import math\n\nimport numpy as np\n\n{head}\ndef f(n: int):\n" + "".join(f"    {line}\n" for line in lines)


@pytest.mark.parametrize("moved", [False, True], ids=["whole", "moved"])
@pytest.mark.parametrize("body", LOOPS.values(), ids=LOOPS)
def test_loops_that_become_functions(body, moved):
    check_agrees(program(body, moved), (7,), (3,), keep=True, idempotent=not moved)  # a loop that is kept has moved by then


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "uint32", "int64"])
@pytest.mark.parametrize("used", ["ratio(c, 1)", "third(c[1])", "share(c, 0)"])
def test_items_that_cross_calls(used, dtype):
    head = (
        "\ndef ratio(c: np.ndarray, i):\n    return c[i] / 3\n\n\ndef third(v):\n    return v / 3\n\n"
        "\ndef share(c: np.ndarray, k):\n    out = np.zeros(len(c))\n    for i in range(len(c)):\n        out[i] = c[i] / 7 + k\n    return out\n\n"
    )
    check_agrees(program(f"c = np.arange(n).astype(np.{dtype})\nreturn {used}", False, head), (5,), keep=True)


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    "call", ["math.exp(y[0])", "math.log(y[0])", "math.sqrt(y[1])", "math.pow(y[0], 30.0)", "math.hypot(y[0], y[1])"]
)
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "float16", "float32", "float64"])
def test_math_computes_in_64_bits(call, dtype):
    known = f"import math\n\nimport numpy as np\n\n\ndef f(x: np.ndarray):\n    y = x.astype(np.{dtype})\n    return {call}\n"
    check_agrees(known, (np.array([100.0, 3.0]),))
    unknown = known.replace(f"x.astype(np.{dtype})", "x") + f"\n\nSMALL = np.zeros(3, np.{dtype})\n"
    check_agrees(unknown, (np.array([100, 3]).astype(dtype),), (np.array([100.0, 3.0]),))


def test_math_of_what_has_64_bits_stays():
    text = "import math\n\nimport numpy as np\n\n\ndef f(x: np.ndarray):\n    return {}\n"
    assert "astype" not in convert(text.format("math.exp(x[0])"))[0]
    small = "\n\nSMALL = np.zeros(3, np.float32)\n"
    assert "astype" not in convert(text.format("math.exp(float(x.astype(float)[0]))") + small)[0].replace("x.astype(float)", "")


def test_trunc():
    text = "import math\n\nimport numpy as np\n\n\ndef f(x: np.ndarray):\n    return math.trunc(x[0])\n"
    check_agrees(text, (np.array([-1.5]),), (np.array([2.7]),), keep=True)


def test_small_integers_beside_what_nobody_knows():
    text = "import numpy as np\n\n\ndef f(x: np.ndarray, thr):\n    q = x.astype(np.uint8)\n    return q > thr, thr == q\n"
    for thr in (-1, 2, 300, 2.5, np.array([-1, 300]), np.array([0, 5], np.uint8)):
        check_agrees(text, (np.array([0, 5]), thr))


def test_a_branch_between_expressions_of_whole_arrays():
    text = "import numpy as np\n\n\ndef f(a: np.ndarray, b: np.ndarray):\n    n = 0\n    for i in range(len(a)):\n        d = a[i] - b[i]\n        if d < 0:\n            d = -d\n        n += d\n    return n\n"
    made = check_agrees(text, (np.array([1.0, 2, 5]), np.array([3.0, 1, 5])), (np.array([1, 2]), np.array([3, 1])))
    assert "d = jnp.where(d < 0, -d, d)" in made


def test_what_is_brought_to_the_host_once():
    text = """\
import numpy as np

def f(E, wx):
    s = E.dtype.type(0)
    for i in range(wx.shape[0]):
        s += E[i] * np.conj(wx[i])
    return s

def g(E, wx):
    return f(np.sin(E), wx)
"""
    once = convert(text)[0]
    assert convert(once)[0] == once


def test_what_is_public_takes_other_dtypes_than_the_project_gives():
    text = """\
import numpy as np


def half(x):
    out = np.zeros(x.shape[0], x.dtype)
    for i in range(x.shape[0]):
        out[i] = x[i] / 2
    return out


if __name__ == "__main__":
    print(half(np.ones(5)))
"""
    made, functions, _diagnostics = convert(text, public=frozenset({"m.half"}))
    for dtype in ("float64", "int64", "int8", "float32"):
        assert agrees_on(text, made, functions["half"], (np.array([1, 2, 3], dtype),), function="half")


@pytest.mark.quick(4)
@pytest.mark.parametrize("operand", ["x[0]", "flag", "n > 0"])
@pytest.mark.parametrize(
    "call", ["sqrt({})", "mean({})", "arctan2({}, x[1])", "power({}, 2)", "divide({0}, {0})", "std({})", "square({})"]
)
def test_functions_of_single_bools(call, operand):
    """They are float16, int8 or float64 in NumPy, also of bools of Python; JAX made float32 and int32 of them."""
    text = f"import numpy as np\n\n\ndef f(x: np.ndarray, flag: bool, n: int):\n    x = x > 0\n    return np.{call.format(operand)}, x\n"
    check_agrees(text, (np.array([1.0, 2.0]), True, 3))


def test_functions_of_bools_that_python_knows():
    """A static bool is no array: it has no `astype`."""
    text = "import numpy as np\n\n\ndef f(x: np.ndarray, flag: bool):\n    if flag:\n        x = x * 2\n    return x + np.sqrt(flag)\n"
    check_agrees(text, (np.float16([1.0, 2.0]), True), (np.ones(2), False))
