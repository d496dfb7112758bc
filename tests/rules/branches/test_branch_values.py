"""The values of branches on traced tests: tuples are chosen part by part, and what NumPy gives other dtypes or shapes is no choice."""

import itertools

import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on, check_agrees, convert, run

NUMBERS = (0.0, 1.5, -2.0, np.nan, np.inf)
VECTORS = tuple(map(np.array, ([1.0, 3.0], [-1.0, 0.5], [0.0, 0.0], [np.nan, 1.0], [4.0, np.nan])))


def function(body, params):
    lines = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    return f"import numpy as np\n\n\ndef pair(v: float):\n    return v, 2 * v\n\n\ndef f({params}):\n{lines}"


def given(params):
    kinds = {"float": NUMBERS, "int": (0, 3, -1), "np.ndarray": VECTORS}
    return list(itertools.product(*(kinds[p.partition(": ")[2]] for p in params.split(", "))))


def same(mine, theirs):
    """Alike in structure, shape and value: an integer of Python's in one arm is a float where the other side is one."""
    if isinstance(theirs, tuple):
        return isinstance(mine, tuple) and len(mine) == len(theirs) and all(map(same, mine, theirs))
    return np.shape(mine) == np.shape(theirs) and np.allclose(mine, theirs, equal_nan=True)


def compiled(body, params="x: float", calls=()):
    """The text of a function that jit compiles, with the values of NumPy's."""
    source = function(body, params)
    text, functions, _diagnostics = convert(source)
    assert functions["f"].label != "kept" and functions["f"].transform == "jit", text
    assert convert(text)[0] == text, "converting twice changes something"
    mine, theirs = run(text)["f"], run(source)["f"]
    for arguments in [*given(params), *calls]:
        with np.errstate(all="ignore"):
            want = theirs(*map(np.copy, arguments))
        got = mine(*arguments)
        assert same(got, want), f"{arguments}: {got}, NumPy {want}\n{text}"
    return text


def stays(body, params="x: float"):
    """Python decides; what is said of it."""
    source = function(body, params)
    text, functions, diagnostics = convert(source)
    assert "lax." not in text and "jnp.where" not in text and "tree.map" not in text, text
    for arguments in given(params):
        agrees_on(source, text, functions["f"], arguments)
    return "".join(d.message for d in diagnostics if d.code in ("NJ405", "NJ504"))


# --- tuples ----------------------------------------------------------------------------------------------------------------


def test_an_unpacked_choice():
    text = compiled("sign, y = (1, x) if x >= 0 else (-1, -x)\nreturn sign * np.sqrt(y)")
    assert "sign, y = (jnp.where(x >= 0, 1, -1), jnp.where(x >= 0, x, -x))" in text


def test_the_place_of_the_best():
    body = """
best, loc = 0.0, (0, 0)
for i in range(a.shape[0]):
    for j in range(a.shape[1]):
        if a[i, j] > best:
            best, loc = a[i, j], (i, j)
return loc
"""
    matrices = [np.arange(6.0).reshape(2, 3) - 2, -np.arange(6).reshape(3, 2), np.array([[np.nan, 1.0], [5.0, np.nan]])]
    source = function(body, "a: np.ndarray")
    text = check_agrees(source, *((m,) for m in matrices))
    assert "loc = (jnp.where(condition, i, loc[0]), jnp.where(condition, j, loc[1]))" in text


TUPLES = [
    "lo, hi = (0, x) if x > 0 else (x, 0)\nreturn lo + 2 * hi",
    "return (x, 1.0) if x > 0 else (1.0, x)",
    "if x > 0:\n    return x, 1.0\nreturn (1.0, x)",
    "if x > 0:\n    p = (x, 1.0)\n    return p\nreturn (1.0, x)",
    "p = (1.0, x)\nif x > 0:\n    p = (x, 2)\na, b = p\nreturn a + b",
    "p = 1.0, x\nif x > 0:\n    p = x, 2\nelif x < -1:\n    p = 3.0, 4\nreturn p",
    "if x > 0:\n    p = (x, np.sqrt(x))\nelse:\n    p = (1.0, 0.0)\nreturn p",
    "p = (x, 2.0)\nq = (2.0, x)\nr = p if x > 0 else q\nreturn r",
    "p = (x, 2.0)\nq = (2.0, x)\nif x > 0:\n    p, q = q, p\nreturn p, q",
    "p = (x, 2.0)\nif x > 0:\n    p = (p[1], p[0])\nreturn p",
    "return ((x, x), 1) if x > 0 else ((1.0, 2.0), x)",
    "return (x,) if x > 0 else (-x,)",
    "return (x, 7) if x > 0 else (-x, 7)",
    "return ((x, 1.0) if x > 0 else (2.0, x)) if x < 1 else (3.0, 4.0)",
    "a, b = (x, 1.0) if np.abs(x - 3) > 1e-3 * np.abs(x) + 2 else (1.0, x)\nreturn a - b",
    "p = np.array((x, 1.0) if x > 0 else (1.0, x))\nreturn p",
    "p = pair(x)\nif p[1] > 0:\n    p = (1.0, x)\nreturn p",
    "return (x, 1, np.sin(x)) if x > 0 else (0, x, 2)",
]


@pytest.mark.parametrize("body", TUPLES)
def test_tuples_are_chosen_part_by_part(body):
    compiled(body)


LOOPS = [
    "best = (0.0, 0)\nfor i in range(len(x)):\n    if x[i] > best[0]:\n        best = (x[i], i)\nreturn best",
    "p = (0.0, 0)\nfor i in range(len(x)):\n    if x[i] > t:\n        p = (x[i], i)\n        break\nreturn p",
    "p = (0.0, 0)\nfor i in range(len(x)):\n    if x[i] < 0:\n        continue\n    if x[i] > t:\n        p = (x[i], i)\nreturn p",
    "p = (1.0, t)\nq = (t, 2.0)\nfor i in range(len(x)):\n    if x[i] > t:\n        p = q\n        break\nreturn p",
    "best = pair(t)\nfor v in x:\n    p = pair(v)\n    if p[0] > best[0]:\n        best = p\nreturn best",
    "p = (0.0, 4.0)\nwhile p[1] - p[0] > 0.1:\n    m = 0.5 * (p[0] + p[1])\n    if np.sum(x) > m:\n        p = (m, p[1])\n    else:\n"
    "        p = (p[0], m)\nreturn p",
    "p = (0, 0)\nfor i in range(len(x)):\n    if x[i] > t:\n        p = (i, p[0])\nreturn p",
]


@pytest.mark.parametrize("body", LOOPS)
def test_tuples_that_loops_carry(body):
    compiled(body, "x: np.ndarray, t: float")


ARRAYS = [
    "out = np.zeros((len(x), 2))\nfor i in range(len(x)):\n    out[i] = (x[i], i) if x[i] > t else (0, -1)\nreturn out",
    "out = np.zeros((2, len(x)))\nfor i in range(len(x)):\n    out[:, i] = (x[i], 1) if x[i] > t else (0, x[i])\nreturn out",
    "out = np.zeros((len(x), 2))\nfor i in range(len(x)):\n    if x[i] > t:\n        out[i] = (x[i], 1)\nreturn out",
    "out = np.zeros((len(x), 2))\nfor i in range(len(x)):\n    if x[i] > t:\n        out[i] = [x[i], 1]\n    else:\n"
    "        out[i] = 1, x[i]\nreturn out",
    "out = np.zeros((3, 2))\nfor i in range(3):\n    p = pair(x[0] * i)\n    if p[0] > t:\n        out[i] = p\nreturn out",
    "out = np.zeros(2)\nout[:] = (1.0, t) if t > 0 else (t, 2)\nreturn out",
    "return np.dot(x, (1.0, t) if t > 0 else (t, 2.0))",
    "a = np.arange(6.0).reshape(2, 3)\nreturn a[(0, 1) if t > 0 else (1, 2)] + x",
]


@pytest.mark.parametrize("body", ARRAYS)
def test_tuples_that_arrays_take(body):
    compiled(body, "x: np.ndarray, t: float")


ROWS = [
    "for i in range(len(x)):\n    out[i] = x[i], i",
    "for i in range(len(x)):\n    out[i, :] = [x[i], 2 * x[i]]",
    "for i in range(1, len(x)):\n    out[i] = out[i - 1, 0] + x[i], i",
    "for i in range(1, len(x)):\n    out[i, :] = [out[i - 1, 0] + x[i], out[i - 1, 1] * 0.5]",
    "for i in range(len(x)):\n    out[i] = pair(x[i])",
    "a, b = 0.0, 1.0\nfor i in range(len(x)):\n    a, b = a + x[i], b * 0.5\n    out[i] = (a, b)",
]


@pytest.mark.parametrize("body", ROWS)
def test_rows_that_are_written_as_tuples(body):
    """Two iterations and two columns: what is stored must not be transposed either."""
    source = function(f"out = np.zeros((len(x), 2))\n{body}\nreturn out", "x: np.ndarray")
    check_agrees(source, *((x,) for x in VECTORS), (np.array([3, 1]),), (np.arange(3.0),))


@pytest.mark.parametrize("dtype", [np.float32, np.int16])
def test_rows_keep_the_dtype_of_their_array(dtype):
    body = "for i in range(len(x)):\n    if x[i] > t:\n        out[i] = (x[i], 2.7)\nreturn out"
    source = function(body, "out: np.ndarray, x: np.ndarray, t: float")
    text, functions, _diagnostics = convert(source)
    for x in VECTORS[:3]:
        agrees_on(source, text, functions["f"], (np.ones((2, 2), dtype), x, 0.0))


def test_dear_tuples_run_on_one_side():
    body = "a, b = (np.linalg.norm(x), 1) if t > 0 else (0, t)\nreturn a / (b + 7)"
    text = compiled(body, "x: np.ndarray, t: float")
    assert "lax.cond(t > 0, lambda: (jnp.linalg.norm(x), 1.0), lambda: (0.0, t))" in text
    body = "if t > 0:\n    a, p = np.linalg.norm(x), (t, 1)\nelse:\n    a, p = 0, (2, t)\nreturn a, p"
    compiled(body, "x: np.ndarray, t: float")


@pytest.mark.parametrize(
    "body",
    [
        "return (x, 1.0) if x > 0 else (1.0, x, 2)",
        "return (x, 1.0) if x > 0 else x",
        "return x if x > 0 else (x,)",
        "a, b = [x, 1.0] if x > 0 else [1.0, x]\nreturn a - b",
        'return (x, "up") if x > 0 else (x, "down")',
        "return (x, None) if x > 0 else (x, 1)",
        "p = (x, 1)\nq = ()\nif x > 0:\n    q = p\nreturn q",
        "p = (x,)\nif x > 0:\n    p += (1.0,)\nreturn p",
        "return (x, (1, 2)) if x > 0 else (x, 1)",
        "n = (2, 3) if x > 0 else (3, 2)\nreturn np.zeros(n) + 1",
        "return (np.ones(3) * x, 1) if x > 0 else (np.ones(2), 1)",
        "return (x, x > 1) if x > 0 else (x, np.sqrt(2 + x * x))",
    ],
)
def test_noop_tuples_of_other_structure(body):
    stays(body)


@pytest.mark.parametrize(
    "body", ["p = (x[i], p[0])", "if x[i] > 1:\n        p = (x[i], p[0])", "p = (i, 1, 2)", "p = (p[0] / 2, i)"]
)
def test_noop_tuples_that_change_in_a_loop(body):
    """JAX would refuse to carry them."""
    source = function(f"p = (0, 0)\nfor i in range(len(x)):\n    {body}\nreturn p", "x: np.ndarray")
    text = check_agrees(source, *((x,) for x in VECTORS))
    assert "lax." not in text


# --- dtypes ----------------------------------------------------------------------------------------------------------------

FLOATS = {
    "return np.linalg.norm(x) if t > 0 else len(x)": "lambda: float(len(x))",
    "if t > 0:\n    s = np.linalg.norm(x)\nelse:\n    s = x.shape[0]\nreturn s": "lambda: float(x.shape[0])",
    "s = len(x)\nif t > 0:\n    s = np.linalg.norm(x)\nreturn s": "jnp.asarray(s, float)",
    "if t > 0:\n    return np.linalg.norm(x)\nelif t < -1:\n    return len(x)\nreturn 3": "jnp.asarray(jnp.where(",
    "if t > 0:\n    s = np.linalg.norm(x)\nelif t < -1:\n    s = 2\nelse:\n    s = 0\nreturn s": "jnp.asarray(jnp.where(",
    "if t > 0:\n    return x.size\nreturn np.mean(x) / 2": "jnp.where(t > 0, x.size",
    "if t > 0:\n    y = t * 2\n    s = np.linalg.norm(x) + y\nelse:\n    y = t\n    s = len(x)\nreturn s": "float(",
}


@pytest.mark.parametrize("body", FLOATS)
def test_an_integer_of_pythons_is_a_float_beside_one(body):
    assert FLOATS[body] in compiled(body, "x: np.ndarray, t: float")


def test_a_parameter_that_is_an_integer():
    text = compiled("return np.linalg.norm(x) if t > 0 else n", "x: np.ndarray, n: int, t: float")
    assert "lambda: jnp.asarray(n, float)" in text


@pytest.mark.quick(5)
@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("return np.count_nonzero(x) if x[0] > 0 else np.mean(x @ x)", "its value is int64 in one arm and floating-point"),
        ("if x[0] > 0:\n    r = np.count_nonzero(x)\nelse:\n    r = np.mean(x @ x)\nreturn r", "`r` is int64 in one arm"),
        ("if x[0] > 0:\n    return np.argmax(x)\nreturn np.mean(x)", "its result is int64 in one arm and floating-point"),
        ("if x[0] > 0:\n    return np.any(x > 0)\nreturn np.mean(x) / 2", "its result is bool in one arm and floating-point"),
        ("return np.linalg.norm(x) if x[0] > 0 else False", "its value is bool in one arm"),
        (
            "y = np.ones(3)\nreturn np.sum(y > 0) if x[0] > 0 else np.sum(y)",
            "its value is int64 in one arm and float64",
        ),
        (
            "a, b = (1, np.sum(x > 0)) if x[0] > 0 else (2, np.linalg.norm(x))\nreturn a * b",
            "a part of its value is int64 in one arm",
        ),
        # shapes
        (
            "return np.ones(3) * x[0] if x[0] > 0 else np.ones(2)",
            "its value has the shape (3,) in one arm and (2,) in the other",
        ),
        ("y = np.ones(2)\nif x[0] > 0:\n    y = np.ones(3) * x[0]\nreturn y", "`y` has the shape (3,) in one arm and (2,)"),
        ("if x[0] > 0:\n    return np.zeros((2, 3)) + x[0]\nreturn np.zeros((3, 2))", "its result has the shape (2, 3)"),
        (
            "return np.array([1.0, x[0]]) if x[0] > 0 else np.array([x[0], 2.0, 3.0])",
            "its value has 2 items in one arm and 3 in the other",
        ),
        ("return np.zeros(1) if x[0] > 0 else np.sqrt(np.ones(3) * 2)", "its value has the shape (1,) in one arm and (3,)"),
    ],
)
def test_noop_where_jax_would_raise(body, why):
    """NumPy gives another dtype or another shape on each side: no choice of JAX's does."""
    assert why in stays(body, "x: np.ndarray")


@pytest.mark.parametrize(
    "body",
    [
        "return np.ones(3) * x if x > 0 else np.zeros(3)",
        "return np.ones((2, 1)) * np.ones(3) if x > 0 else np.zeros((2, 3)) + x",
        "y = np.ones(2)\nif x > 0:\n    y = np.array([x, 2.0])\nreturn y",
        "if x > 0:\n    return np.array([[1.0, x], [x, 2.0]])\nreturn np.zeros((2, 2))",
        "return 1 if x > 0 else 0",
        "return 2 if x > 0 else -x",
    ],
)
def test_shapes_and_dtypes_that_agree(body):
    compiled(body)


def test_noop_shapes_that_are_not_known():
    """What a variable is bound to elsewhere, or changed to, tells nothing: JAX says where they differ."""
    body = "y = np.ones(2)\nif len(x) > 2:\n    y = np.ones(3)\nif x[0] > 0:\n    y = np.zeros(3) * x[0]\nreturn y"
    text, functions, _diagnostics = convert(function(body, "x: np.ndarray"))
    assert "lax.cond(x[0] > 0" in text and functions["f"].transform == "jit"
    text, _functions, _diagnostics = convert(function("return np.zeros(n) if t > 0 else np.ones(3)", "n: int, t: float"))
    assert "lax.cond(t > 0" in text
