"""`zip` of arrays of different lengths: Python stops where the shortest ends, and what JAX maps or scans is cut to that."""

import itertools

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

LENGTHS = (0, 1, 2, 3, 6)
PAIRS = [(0, 0), (0, 2), (3, 0), (1, 1), (1, 3), (3, 2), (3, 3), (2, 6), (6, 1)]
VALUES = np.array([2.0, -1.0, 0.5, 3.0, 1.5, -2.0])


def function(body, params="x: np.ndarray, w: np.ndarray"):
    lines = "\n".join(f"    {line}" for line in body.strip("\n").split("\n"))
    return f"import numpy as np\n\n\ndef f({params}):\n{lines}\n"


def one(dtype=float, least=0):
    return [(VALUES[:k].astype(dtype),) for k in LENGTHS if k >= least]


def both():
    """As long as the other, shorter and longer; empty; with NaN; of integers."""
    made = [(VALUES[:k], VALUES[::-1][:m] * 2) for k, m in PAIRS]
    nan = np.array([np.nan, 1.0, np.nan])
    return [*made, (nan, VALUES), (VALUES, nan), (np.arange(5), np.arange(3) * 2), (np.arange(2), VALUES)]


def agrees(body, calls, params="x: np.ndarray, w: np.ndarray"):
    """The code of the function, which jit compiles."""
    text = check_agrees(function(body, params), *calls)
    assert "@jax.jit" in text or "partial(jax.jit" in text, text
    return text.partition("def f(")[2]


SUM = """
s = 0.0
for a, b in {}:
    s += (b - a) ** 2
return s
"""
CARRY = """
s = 0.5
for a, b in {}:
    s = s * 0.5 * b + a
return s
"""
STORE = """
y = np.zeros({})
for i, (a, b) in enumerate({}):
    y[i] = b - a
return y
"""
RECURRENCE = """
y = np.zeros({})
for i, (a, b) in enumerate({}):
    y[i] = 0.5 * y[i - 1] + b - a
return y
"""
LIST = """
out = []
for a, b in {}:
    out.append(b - a)
return np.array(out, float)
"""
NEIGHBOURS = "zip(x, x[1:])"


@pytest.mark.parametrize("body", [SUM, CARRY])
@pytest.mark.parametrize("dtype", [float, int])
def test_neighbours(body, dtype):
    text = agrees(body.format(NEIGHBOURS), one(dtype), "x: np.ndarray")
    assert "x[:-1]" in text and "x[1:]" in text and "min(" not in text


@pytest.mark.parametrize("body", [SUM, CARRY])
@pytest.mark.parametrize("dtype", [float, np.float32])
def test_neighbours_without_annotation(body, dtype):
    calls = one(dtype)[2:] if dtype is not float else one(dtype)
    assert "x[:-1]" in agrees(body.format(NEIGHBOURS), calls, "x")


def test_differences_of_all_neighbours_are_whole_array_code():
    assert "s + jnp.sum((x[1:] - x[:-1]) ** 2, axis=0)" in agrees(SUM.format(NEIGHBOURS), one(), "x: np.ndarray")


def test_neighbours_of_rows():
    rows = [(np.arange(2.0 * k).reshape(k, 2) ** 2,) for k in (0, 1, 2, 4)]
    body = "s = 0.0\nfor p, q in zip(a, a[1:]):\n    s += np.linalg.norm(p - q)\nreturn s"
    assert "(a[:-1], a[1:])" in agrees(body, rows, "a: np.ndarray")
    body = "s = np.zeros(2)\nfor p, q in zip(a, a[1:]):\n    s = 0.5 * s + p * q\nreturn s"
    assert "(a[:-1], a[1:])" in agrees(body, rows, "a: np.ndarray")
    body = "s = np.zeros(2)\nfor p, q in zip(a, a[1:]):\n    s += (p - q) ** 2\nreturn s"
    agrees(body, rows, "a: np.ndarray")


def test_columns():
    rows = [(np.arange(3.0 * k).reshape(k, 3) ** 2,) for k in (0, 1, 2, 4)]
    body = "s = 0.0\nfor p, q in zip(a[:, 0], a[1:, 2]):\n    s = s * 0.5 + p * q\nreturn s"
    assert "(a[:-1, 0], a[1:, 2])" in agrees(body, rows, "a: np.ndarray")


THREE = """
s = 0.0
for a, b, c in {}:
    s = 0.5 * s + a - 2 * b + c
return s
"""


@pytest.mark.parametrize(
    ("zipped", "becomes"),
    [
        ("zip(x, x[1:], x[2:])", "(x[:-2], x[1:-1], x[2:])"),
        ("zip(x[2:], x[1:], x)", "(x[2:], x[1:-1], x[:-2])"),
        ("zip(x[:-2], x[1:-1], x[2:])", "(x[:-2], x[1:-1], x[2:])"),
        ("zip(x[:-1], x[1:], x[3:])", "(x[:-3], x[1:-2], x[3:])"),
        ("zip(x[1:], x[:-1], x)", "(x[1:], x[:-1], x[:-1])"),
        ("zip(x[:-3], x[:], x[1:-1])", "(x[:-3], x[:-3], x[1:-2])"),
    ],
)
def test_lengths_that_the_text_tells(zipped, becomes):
    assert becomes in agrees(THREE.format(zipped), one(), "x: np.ndarray")


@pytest.mark.parametrize("body", [SUM, CARRY])
@pytest.mark.parametrize("zipped", ["zip(x, w)", "zip(x, w[1:])", "zip(x[:-1], w)", "zip(x[::2], w)", "zip(np.cos(x), w)"])
def test_lengths_that_nobody_knows(body, zipped):
    assert "n = min(len(" in agrees(body.format(zipped), both())


@pytest.mark.parametrize("body", [SUM, CARRY])
@pytest.mark.parametrize("zipped", ["zip(x[::2], x[1::2])", "zip(x[::-1], x[1:])", "zip(x[:2], x[3:])", "zip(x[-2:], x)"])
def test_other_parts_of_one_array(body, zipped):
    assert "n = min(len(" in agrees(body.format(zipped), one(), "x: np.ndarray")


@pytest.mark.parametrize("zipped", ["zip(x, np.diff(x))", "zip(x.cumsum(), np.diff(x))"])
def test_what_is_computed_is_computed_once(zipped):
    text = agrees(CARRY.format(zipped), one(least=1), "x: np.ndarray")
    assert text.count("jnp.diff(x)") == 1 and "rows = " in text and "[:n]" in text


def test_three_arrays():
    calls = [
        (VALUES[:k], VALUES[::-1][:m], VALUES[1:][:j]) for k, m, j in itertools.product((0, 1, 3, 5), repeat=3) if (k + m + j) % 2
    ]
    text = agrees(THREE.format("zip(x, w, v)"), calls, "x: np.ndarray, w: np.ndarray, v: np.ndarray")
    assert "min(len(x), len(w), len(v))" in text
    text = agrees(THREE.format("zip(x, w, x[1:])"), both())
    assert "min(len(w), len(x[1:]))" in text  # x is longer than a part of it


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    ("setup", "zipped"),
    [
        ("y = np.zeros_like(x)", "zip(x, y)"),
        ("y = np.sin(x)", "zip(x, y)"),
        ("y = x * 2", "zip(x, y)"),
        ("y = np.ones(len(x))", "zip(x, y)"),
        ("n = len(x)", "zip(range(n), x)"),
        ("n = len(x) - 1", "zip(x[1:], x[:-1])"),
        ("n = len(x)", "zip(x, x)"),
        ("n = x.shape[0]\nz = np.ones(n)", "zip(range(n), z)"),
    ],
)
def test_equal_lengths_are_not_cut(setup, zipped):
    body = f"{setup}\ns = 0.5\nfor a, b in {zipped}:\n    s = s * 0.5 * b + a\nreturn s"
    text = agrees(body, one(), "x: np.ndarray")
    assert "min(" not in text and "[:-" not in text.replace("x[:-1])", "")


def test_a_single_operand_is_not_cut():
    text = agrees("s = 0.0\nfor i, a in enumerate(x):\n    s = s * 0.5 + i * a\nreturn s", one(), "x: np.ndarray")
    assert "min(" not in text and "x[:" not in text


@pytest.mark.parametrize("body", [STORE, RECURRENCE])
@pytest.mark.parametrize("length", ["len(x)", "len(x) + 2", "max(len(x) - 1, 0)", "len(x[1:])"])
def test_stores_of_neighbours(body, length):
    agrees(body.format(length, NEIGHBOURS), one(least=2 if body is RECURRENCE else 0), "x: np.ndarray")


@pytest.mark.parametrize("body", [STORE, RECURRENCE])
@pytest.mark.parametrize("length", ["len(x)", "max(len(x), len(w))", "min(len(x), len(w))", "20"])
def test_stores(body, length):
    fits = [(x, w) for x, w in both() if len(x) and len(w)] if body is RECURRENCE else both()
    agrees(body.format(length, "zip(x, w)"), fits)


def test_all_of_an_array_that_is_longer_is_not_stored():
    text = agrees(STORE.format("len(x)", "zip(x, w)"), both())
    assert "y.at[:n].set" in text
    assert "y.at[:-1].set" in agrees(STORE.format("len(x)", NEIGHBOURS), one(), "x: np.ndarray")


def test_places_beside_the_index():
    body = "y = np.ones(len(x) + 1)\nfor i, (a, b) in enumerate(zip(x, w)):\n    y[i + 1] = b - a\nreturn y"
    agrees(body, both())
    body = "y = np.ones(len(x) + 1)\nfor i, (a, b) in enumerate(zip(x, x[1:])):\n    y[i + 1] = b - a\nreturn y"
    agrees(body, one(), "x: np.ndarray")
    body = "y = np.ones(len(x))\nfor i, a in enumerate(x[2:]):\n    y[i + 1] = a * 2\nreturn y"
    agrees(body, one(), "x: np.ndarray")


def test_other_arrays_at_the_index():
    body = "z = np.arange(30.0)\ns = 0.0\nfor i, (a, b) in enumerate(zip(x, w)):\n    s += a * z[i] + b * z[i + 2]\nreturn s"
    agrees(body, both())
    body = "z = np.arange(30.0)\ns = 0.0\nfor i, (a, b) in enumerate(zip(x, x[1:])):\n    s += a * z[i] + b * i\nreturn s"
    agrees(body, one(), "x: np.ndarray")


def test_an_array_that_is_changed_while_it_is_gone_through():
    body = "x = x.copy()\nfor i, (a, b) in enumerate(zip(x, x[1:])):\n    x[i] = a + b\nreturn x"
    check_agrees(function(body, "x: np.ndarray"), *one(), keep=True)
    body = "x = x.copy()\nfor i, (a, b) in enumerate(zip(x, x[1:])):\n    x[i + 1] = a + b\nreturn x"
    check_agrees(function(body, "x: np.ndarray"), *one(), keep=True)


@pytest.mark.parametrize("body", [LIST, "return np.array([b - a for a, b in {}], float)"])
def test_lists(body):
    agrees(body.format(NEIGHBOURS), one(), "x: np.ndarray")
    agrees(body.format("zip(x, w)"), both())


def test_lists_with_a_carry():
    body = "out = []\ns = 0.0\nfor a, b in {}:\n    s = 0.5 * s + a\n    out.append(s - b)\nreturn np.array(out, float)"
    agrees(body.format(NEIGHBOURS), one(), "x: np.ndarray")
    assert "n = min(" in agrees(body.format("zip(x, w)"), both())


@pytest.mark.quick(3)
@pytest.mark.parametrize("zipped", ["zip(range(n), x)", "zip(x, range(n))", "zip(range(n + 1), x[1:])", "zip(range(1, n), x)"])
def test_ranges(zipped):
    calls = [(VALUES[:k], n) for k in LENGTHS for n in (-1, 0, 1, 2, 4, 9)]
    agrees(CARRY.format(zipped), calls, "x: np.ndarray, n: int")


def test_the_number_of_iterations_has_a_free_name():
    text = agrees(CARRY.format("zip(range(n), x)"), [(VALUES, 2), (VALUES, 8)], "x: np.ndarray, n: int")
    assert "length = min(len(range(n)), len(x))" in text and "jnp.arange(length)" in text
    twice = f"{CARRY.format('zip(x, w)').partition('return')[0]}n, length = s, 2 * s\nfor a, b in zip(w, x):\n    s = s * a * n + b * length\nreturn s"
    agrees(twice, both())


def test_nested_zips():
    body = "s = 0.0\nfor (a, b), c in zip(zip(x, w), x[1:]):\n    s = 0.5 * s + a * b - c\nreturn s"
    agrees(body, both())
    body = "s = 0.0\nfor (i, a), b in zip(enumerate(x), w):\n    s = 0.5 * s + a * i - b\nreturn s"
    agrees(body, both())
    body = "s = 0.0\nfor a, (i, b) in zip(x, enumerate(x[1:])):\n    s = 0.5 * s + a * i - b\nreturn s"
    agrees(body, one(), "x: np.ndarray")


@pytest.mark.parametrize("test", ["s > b", "a > b"])
def test_a_loop_that_ends_early(test):
    body = f"s = 0.0\nfor a, b in zip(x, w):\n    s = s * 0.5 + a\n    if {test}:\n        break\nreturn s"
    full = [(x, w) for x, w in both() if len(x) and len(w)]
    agrees(body, full)


def test_the_first_that_is_found():
    body = "found = -1\nfor i, (a, b) in enumerate(zip(x, w)):\n    if a > b:\n        found = i\n        break\nreturn found"
    agrees(body, [(x, w) for x, w in both() if len(x) and len(w)])
    body = "for a, b in zip(x, x[1:]):\n    if a > b:\n        return True\nreturn False"
    agrees(body, one(least=2), "x: np.ndarray")


SOME = [(x, w) for x, w in both() if len(x) > 1 and len(w)]  # without any term, `sum` is an integer for Python


@pytest.mark.parametrize("name", ["sum", "any", "all"])
@pytest.mark.parametrize("zipped", ["zip(x, w)", "zip(x[1:], w)"])
def test_reductions_of_python(name, zipped):
    item = "a * b" if name == "sum" else "a > b"
    text = agrees(f"return {name}({item} for a, b in {zipped})", SOME if name == "sum" else both())
    assert "n = min(" in text


def test_reductions_of_neighbours():
    text = agrees("return sum(abs(b - a) for a, b in zip(x, x[1:]))", one(least=2), "x: np.ndarray")
    assert "(x[:-1], x[1:])" in text
    agrees("return sum(abs(b - a) for a, b in zip(x, x[1:]))", one(int, least=2), "x: np.ndarray")
    agrees("return all(a <= b for a, b in zip(x, x[1:]))", one(), "x: np.ndarray")
    agrees("return max(b - a for a, b in zip(x, x[1:]))", one(least=2), "x: np.ndarray")
    agrees("return sum(i * (b - a) for i, (a, b) in enumerate(zip(x, w)))", SOME)
    agrees("return sum(1 for a, b in zip(x, w) if a < b)", SOME)


@pytest.mark.parametrize(
    "body",
    [
        "return 0.0 if len(x) < 3 else sum(a * b for a, b in zip(x, w))",
        "return len(x) > 2 and sum(a * b for a, b in zip(x, w)) > 1",
        "y = x * 2; s = sum(a * b for a, b in zip(y, w))\nreturn s",
        "return (y := x[1:]) is None or sum(a * b for a, b in zip(y, w)) > 1",
    ],
)
def test_reductions_that_may_not_be_made_are_not_prepared_ahead(body):
    text = agrees(body, SOME)
    assert "n = min(" not in text and "[: min(len(" in text


def test_what_would_be_computed_twice_is_kept():
    source = function("return len(x) > 2 and sum(a / b for a, b in zip(np.cumsum(x), w)) > 1")
    assert convert(source)[1]["f"].label == "kept"


def test_more_arrays_in_one_statement():
    agrees("return sum(a * b for a, b in zip(x, w)) + sum(a - b for a, b in zip(w[1:], x))", [c for c in SOME if len(c[1]) > 1])


def test_python_loops_are_not_cut():
    source = function("for a, b in zip(x, w):\n    print(float(a), float(b))\nreturn x + 1")
    text = convert(source)[0]
    assert "in zip(x, w):" in text and "min(" not in text


def test_another_min():
    source = function("min = x[:1].sum()\ns = 0.5\nfor a, b in zip(x, w):\n    s = s * 0.5 * b + a - min\nreturn s")
    assert convert(source)[1]["f"].label == "kept"
    check_agrees(source, *both(), keep=True)
    agrees("s = 0.5 + x.sum().min()\nfor a, b in zip(x, w):\n    s = s * 0.5 * b + a\nreturn s", both())
    neighbours = "min = x[:1].sum()\ns = 0.5\nfor a, b in zip(x, x[1:]):\n    s = s * 0.5 * b + a - min\nreturn s"
    assert "(x[:-1], x[1:])" in agrees(neighbours, one(), "x: np.ndarray")
