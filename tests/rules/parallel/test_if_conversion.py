"""Branches of an iteration that do nothing but store and add up: all iterations in parallel, where none needs another one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from np2jax.tests.helpers.differential import check_agrees, convert
from np2jax.tests.helpers.drawn_programs import check_few, check_many

X = np.array([3.0, -1.5, 0.0, 0.25, -4.0, 7.0])
Y = np.array([0.0, 2.0, -3.0, 0.0, 1.0, 5.0])
N = np.array([3, -1, 0, 2, -4, 7])
SPECIAL = np.array([np.nan, np.inf, -np.inf, -0.0, 1.0, -1.0])
LOOPS = ("fori_loop", "scan", "while_loop", "for i in")


def body_of(lines, start="out = np.zeros(len(x))", result="return out"):
    inner = "".join(f"        {line}\n" for line in lines.split("\n"))
    return f"    {start}\n    for i in range(len(x)):\n{inner}    {result}\n"


def text_of(body, params="x: np.ndarray, y: np.ndarray"):
    return f"import numpy as np\n\n\ndef f({params}):\n{body}"


IN_PARALLEL = {
    "both sides": "if x[i] > 0:\n    out[i] = x[i] * 2\nelse:\n    out[i] = -x[i]",
    "one side": "if x[i] > 0:\n    out[i] = x[i] * 2",
    "the other side": "if x[i] > 0:\n    pass\nelse:\n    out[i] = x[i] * 2",
    "elif": "if x[i] > 1:\n    out[i] = 5\nelif y[i] > 0:\n    out[i] = x[i]\nelse:\n    out[i] = y[i]",
    "elif, some turns nothing": "if x[i] > 1:\n    out[i] = 5\nelif y[i] > 0:\n    out[i] = x[i]",
    "branches in branches": "if x[i] > 0:\n    if y[i] > 0:\n        out[i] = 1\nelse:\n    if y[i] > 0:\n        out[i] = 2\n    else:\n        out[i] = y[i]",
    "a quotient": "if y[i] != 0:\n    out[i] = x[i] / y[i]\nelse:\n    out[i] = 0.0",
    "a root, a long test": "if abs(x[i]) > 0.5 and x[i] > 0:\n    out[i] = np.sqrt(x[i]) + y[i]",
    "added": "if x[i] > 0:\n    out[i] += x[i]\nelse:\n    out[i] -= 2 * y[i]",
    "two arrays": "if x[i] > 0:\n    out[i] = x[i]\n    y[i] = 1\nelse:\n    y[i] = 2\n    out[i] = 7",
    "two arrays, the test reads one": "if y[i] > 0:\n    y[i] = -1\n    out[i] = 5\nelse:\n    out[i] = y[i]\n    y[i] = 8",
    "two arrays, one is read first": "if x[i] > 0:\n    out[i] = y[i] * 2\n    y[i] = 0",
    "variables of a side": "if x[i] > 0:\n    t = x[i] * 2\n    u = t + y[i]\n    out[i] = u * t\nelse:\n    out[i] = -x[i]",
    "the index": "if i == 0:\n    out[i] = x[i]\nelif i == len(x) - 1:\n    out[i] = 9\nelse:\n    out[i] = x[i - 1] + x[i + 1]",
    "in place": "if x[i] < 0:\n    x[i] = 0",
    "in place, a float": "if x[i] < 0.0:\n    x[i] = 0.5\nelif x[i] > 3.0:\n    x[i] = 3.0",
    "not": "if not x[i] > 0 or y[i] < 0:\n    out[i] = 1",
    "a variable": "t = x[i] * y[i]\nif t > 0:\n    out[i] = t\nelse:\n    out[i] = -t",
}
SUMS = {
    "two": "if x[i] > 1:\n    n += 1\n    s += x[i]",
    "both sides": "if x[i] > 0:\n    s += x[i] ** 2\nelse:\n    s -= x[i]",
    "three": "if x[i] > 0:\n    s += x[i]\nelif x[i] < 0:\n    q -= x[i]\nelse:\n    n += 1",
    "with stores": "if x[i] > 0:\n    y[i] = x[i]\n    n += 1\nelse:\n    s += y[i]",
    "of what is stored elsewhere": "if x[i] > 0:\n    y[i] = x[i]\n    s = s + y[i - 1] * 0 + 1",
    "a product": "if x[i] > 1:\n    q *= x[i]\nelif x[i] < -1:\n    q *= -x[i]",
    "a logarithm": "if x[i] > 0:\n    s += np.log(x[i])\nelse:\n    s += np.log(1 - x[i])",
    "a variable": "r = abs(x[i] - y[i])\nif r <= 2:\n    s += 0.5 * r**2\nelse:\n    s += 2 * (r - 1)",
    "a variable of a side": "if x[i] > 0:\n    d = x[i] - y[i]\n    s += d * d\n    n += 1",
    "the index": "if i + 1 < len(x):\n    s += x[i + 1] - x[i]\nelse:\n    n += i",
    "bools": "if x[i] > 0:\n    n += x[i] > 1\nelse:\n    n += 2",
    "branches in branches": "if x[i] > 0:\n    n += 1\n    if y[i] > 0:\n        s += y[i]\n    else:\n        q += 1",
}
ONE_BY_ONE = {
    "what the turn before stored": "if i > 0 and x[i] > 0:\n    out[i] = out[i - 1] + 1",
    "other places": "if x[i] > 0:\n    out[i] = 1\nelse:\n    out[0] = 2",
    "one place": "if x[i] > 0:\n    out[0] = x[i]\nelse:\n    out[0] = 2",
    "read after it is stored": "if x[i] > 0:\n    out[i] = x[i]\n    y[i] = out[i] + 1",
    "read after the branch": "if x[i] > 0:\n    out[i] = x[i]\ny[i] = out[i] + 1",
    "one bound twice": "if x[i] > 0:\n    t = x[i] * 2\n    out[i] = t\nelse:\n    t = -x[i]\n    out[i] = t",
}


@pytest.mark.quick(8)
@pytest.mark.parametrize("name", IN_PARALLEL)
def test_at_once(name):
    calls = [(X, Y), (Y, X), (SPECIAL, X), (X[:1], Y[:1]), (X[:0], Y[:0]), (X.astype(np.float32), Y.astype(np.float32))]
    text = check_agrees(text_of(body_of(IN_PARALLEL[name], result="return out, x, y")), *[(a.copy(), b.copy()) for a, b in calls])
    assert not any(word in text for word in LOOPS), text


@pytest.mark.quick(8)
@pytest.mark.parametrize("name", IN_PARALLEL)
@pytest.mark.parametrize("start", ["out = np.zeros(len(x), dtype=int)", "out = np.ones_like(x)", "out = np.full(len(x), 7)"])
def test_dtypes(name, start):
    body = body_of(IN_PARALLEL[name], start, "return out, x, y")
    calls = [(N, N[::-1]), (N, Y), (X, N)] if name != "a quotient" else [(N, Y), (X, Y)]
    check_agrees(text_of(body), *[(a.copy(), b.copy()) for a, b in calls], keep=True)


@pytest.mark.quick(5)
@pytest.mark.parametrize("name", SUMS)
def test_sums(name):
    text = text_of(body_of(SUMS[name], "n = 0\n    s = 0.0\n    q = 1.0", "return np.array([n, s, q]), y"))
    calls = [(X, Y), (Y, X), (SPECIAL, X), (X[:1], Y[:1]), (N, Y)]
    calls += [] if name in ("the index", "of what is stored elsewhere") else [(X[:0], Y[:0])]  # one item of none: JAX raises
    made = check_agrees(text, *[(a.copy(), b.copy()) for a, b in calls])
    assert name.startswith("of what") or not any(word in made for word in LOOPS), made


def test_sums_that_are_read():
    for line in (
        "if x[i] > 0:\n    s += x[i]\n    n += s > 3",
        "if s < 3:\n    s += abs(x[i])",
        "if x[i] > 0:\n    n += 1\n    s *= 2\nelse:\n    s += 1",
    ):
        text = text_of(body_of(line, "n = 0\n    s = 1.0", "return np.array([n, s])"))
        assert any(word in check_agrees(text, (X, Y)) for word in LOOPS)


@pytest.mark.parametrize("name", ONE_BY_ONE)
def test_one_by_one(name):
    text = check_agrees(
        text_of(body_of(ONE_BY_ONE[name], result="return out, x, y")), (X.copy(), Y.copy()), (X[:2].copy(), Y[:2].copy())
    )
    assert any(word in text for word in LOOPS), text


def test_integers_keep_all_their_bits():
    big = np.array([2**62 + 1, -(2**62) - 1, 5])
    text = text_of(body_of("if x[i] < 0:\n    x[i] = 0.5", "n = len(x)", "return x"), "x: np.ndarray")
    check_agrees(text, (big,), (X,))
    typed = text_of(
        body_of("if x[i] < 0:\n    out[i] = x[i]\nelse:\n    out[i] = 0.5", "out = np.zeros(len(x), dtype=np.int64)"),
        "x: np.ndarray",
    )
    check_agrees(typed, (big,), (X,))


def test_a_place_that_a_test_keeps_inside_of_the_array():
    body = body_of("if i + 1 < len(x):\n    out[i + 1] = x[i]")
    check_agrees(text_of(body), (X, Y), (X[:1], Y))


def test_an_item_that_a_test_keeps_inside_of_the_array():
    check_agrees(text_of(body_of("if i < len(y):\n    out[i] = x[i] * y[i]")), (X, Y[:3]), (X, Y[:1]))
    check_agrees(
        text_of(
            "    s = 0.0\n    for i in range(len(x)):\n        if i + 1 < len(x):\n            s += x[i + 1] - x[i]\n    return s\n"
        ),
        (X, Y),
    )
    check_agrees(text_of(body_of("v = x[i + 1] if i + 1 < len(x) else x[i]\nout[i] = v * 2")), (X, Y))
    check_agrees(
        text_of(body_of("if i + 3 <= len(x):\n    v = np.median(x[i : i + 3])\nelse:\n    v = x[i] * 1.0\nout[i] = v")), (X, Y)
    )


def test_sums_of_rows_and_columns():
    head = "    h = np.zeros(m.shape[{axis}])\n    for i in range(m.shape[0]):\n        for j in range(m.shape[1]):\n            if m[i, j] > 0:\n                h[{k}] {op} m[i, j] * 2\n    return h\n"
    grid = np.outer(X, Y[:4])
    for axis, k in ((0, "i"), (1, "j")):
        for op in ("+=", "-="):
            text = check_agrees(
                text_of(head.format(axis=axis, k=k, op=op), "m: np.ndarray"), (grid,), (grid[:0],), (SPECIAL[:, None] * X,)
            )
            assert "jnp.sum(jnp.where(" in text and not any(word in text for word in LOOPS)


def test_rows():
    head = "    out = np.zeros(m.shape)\n    for i in range(m.shape[0]):\n        if x[i] > 0:\n            out[i] = m[i] * 2\n        else:\n            out[i] = {other}\n    return out\n"
    for other in ("0", "x", "m[i].sum()", "out[i] + 1"):
        check_agrees(
            text_of(head.format(other=other), "m: np.ndarray, x: np.ndarray"),
            (np.outer(X, X), X),
            (np.ones((6, 6)), Y),
            keep=True,
        )


def test_a_static_test():
    body = body_of("if flag:\n    out[i] = x[i] * 2\nelse:\n    out[i] = -x[i]").replace("return", "return")
    text = check_agrees(text_of(body, "x: np.ndarray, flag: bool = True"), (X, True), (X, False))
    assert "if flag else" in text


@pytest.mark.parametrize("other", ["else:\n            s = s + 0.5", "elif x[i] > 1:\n            s = s + 0.0"])
def test_a_number_of_python_under_a_static_test_widens_no_sum(other):
    body = f"    s = x.sum()\n    for i in range(1, len(x)):\n        if flag:\n            s = s + x[i]\n        {other}\n    return s\n"
    text = "from numpy.typing import NDArray\n" + text_of(body, "x: NDArray[np.float32], flag: bool")
    x = np.array([1.0, 2.0, 3.0], np.float32)
    check_agrees(text, (x, True), (x, False))


def test_grids():
    lines = "if m[i, j] > m[i - 1, j] and m[i, j] >= m[i + 1, j]:\n    out[i, j] = 1.0"
    body = (
        "    n, k = m.shape\n    out = np.zeros((n, k))\n    for i in range(1, n - 1):\n        for j in range(k):\n"
        + "".join(f"            {line}\n" for line in lines.split("\n"))
        + "    return out\n"
    )
    text = check_agrees(text_of(body, "m: np.ndarray"), (np.outer(X, Y),), (np.ones((3, 0)),))
    assert ".at[1:-1].set(jnp.where(" in text


def test_the_array_that_is_made_is_chosen():
    text, *_ = convert(
        text_of(
            "    out = np.zeros((n, n))\n    for i in range(n):\n        for j in range(n):\n            if i > j:\n                out[i, j] = i - j\n    return out\n",
            "n: int",
        )
    )
    assert "out = jnp.where(i > j, i - j, 0).astype(float)" in text and "zeros" not in text


TESTS = st.sampled_from(
    ["x[i] > 0", "y[i] > x[i]", "i > 2", "x[i] == y[i]", "not x[i] < 1", "x[i] > 0 and y[i] > 0", "out[i] > 0", "i % 2 == 0"]
)
VALUES = st.sampled_from(
    ["x[i]", "y[i] * 2", "0", "1.5", "x[i] + y[i]", "i", "out[i] + 1", "abs(x[i])", "x[i - 1]", "-y[i]", "np.sin(x[i])"]
)
STORES = st.one_of(
    st.builds(
        "{} {} {}".format,
        st.sampled_from(["out[i]", "out[i]", "y[i]", "x[i]"]),
        st.sampled_from(["=", "=", "=", "+=", "*="]),
        VALUES,
    ),
    st.builds(
        "{} {}".format,
        st.sampled_from(["s +=", "s -=", "q *=", "s = s +"]),
        st.sampled_from(["1", "x[i]", "y[i] * 2", "out[i]", "0.5", "i"]),
    ),
    st.builds("n += {}".format, st.sampled_from(["1", "2", "i"])),
)


@st.composite
def branches(draw, depth=0):
    """An `if` of stores, as lines."""

    def side():
        many = draw(st.integers(1, 2))
        found = []
        for _ in range(many):
            found += branches_of() if depth < 1 and draw(st.integers(0, 3)) == 0 else [draw(STORES)]
        return ["    " + line for line in found]

    def branches_of():
        return draw(branches(depth + 1))

    lines = [f"if {draw(TESTS)}:", *side()]
    if draw(st.booleans()):
        lines += [f"elif {draw(TESTS)}:", *side()]
    if draw(st.booleans()):
        lines += ["else:", *side()]
    return lines


DRAWN = given(
    branches(),
    st.lists(STORES, max_size=1),
    st.sampled_from(["np.zeros(len(x))", "np.ones_like(x)", "np.zeros(len(x), dtype=int)"]),
)


def agrees(lines, after, maker):
    head = f"out = {maker}\n    n = 0\n    s = 0.0\n    q = 1.0"
    text = text_of(body_of("\n".join([*lines, *after]), head, "return out, x, y, np.array([n, s, q])"))
    check_agrees(text, (X.copy(), Y.copy()), (X[:1].copy(), Y[:1].copy()), keep=True)


def test_drawn_branches():
    check_few(DRAWN(agrees))


@pytest.mark.slow
@pytest.mark.parametrize("start", range(6))
def test_many_drawn_branches(start):
    check_many(DRAWN(agrees), start)


def test_what_masks_need_is_said():
    body = "    n = c.shape[0]\n    new = c.copy()\n    for k in range(n):\n        of = X[y == k]\n        if len(of) > 0:\n            new[k] = of.mean(axis=0)\n    return new\n"
    given = np.outer(X, np.ones(2)), np.array([0, 1, 1, 0, 0, 3]), np.zeros((4, 2))
    text = check_agrees(text_of(body, "X: np.ndarray, y: np.ndarray, c: np.ndarray"), given)
    assert "assert X.ndim == 2" in text


def test_large_arrays_in_branches():
    body = "    out = np.zeros(len(x))\n    for i in range(len(x)):\n        d = np.abs(y - x[i])\n        if d.min() > 1:\n            out[i] = d.sum()\n    return out\n"
    check_agrees(text_of(body), (X, Y), (Y, X[:2]))


def test_one_index_that_is_left_out():
    body = "    s = 0.0\n    for i in range(len(x)):\n        if i != k:\n            s += x[i] * y[i]\n    return s\n"
    text = check_agrees(text_of(body, "x: np.ndarray, y: np.ndarray, k: int"), (X, Y, 2), (X, Y, 9))
    assert "y[: len(x)]" in text  # not looked up one by one


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint64, bool, np.float32])
def test_what_is_taken_away_keeps_its_sign(dtype):
    given = np.array([3, 0, 1, 5, 0, 2]).astype(dtype)
    for line in (
        "if y[i] > 0:\n    s += x[i]\nelse:\n    s -= x[i]",
        "if y[i] > 0:\n    s -= x[i]\n    t += 1\nelif x[i] > 0:\n    s += 2\nelse:\n    t -= x[i]",
    ):
        check_agrees(text_of(body_of(line, "s = 0.0\n    t = 0.0", "return s * y[0] + t")), (given, Y), (given[:1], Y + 1))
        lines = line.replace("x[i]", "int(x[i])")
        check_agrees(text_of(body_of(lines, "s = 0\n    t = 0", "return y[:1] * s + t")), (given, Y), (given[:1], Y + 1))


@pytest.mark.quick(4)
@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint16, np.float16, np.float32, bool, np.int64])
@pytest.mark.parametrize("number", ["-1", "300", "0.1", "100000.0", "1e-9", "t", "np.nan", "7", "-0.5"])
def test_numbers_of_python_are_stored_as_they_are(number, dtype):
    given = np.array([3, 0, 1, 5, 0, 2]).astype(dtype)
    for start in ("out = np.zeros(len(x))", "out = np.zeros(len(x), dtype=np.float32)"):
        body = body_of(f"if y[i] > 0:\n    out[i] = x[i]\nelse:\n    out[i] = {number}", start)
        check_agrees(text_of(body, "x: np.ndarray, y: np.ndarray, t: float"), (given, Y, 0.3))


def test_numbers_of_python_are_added_as_they_are():
    for number in ("300", "-1", "7", "n"):
        body = body_of(f"if y[i] > 0:\n    s += x[i]\nelse:\n    s += {number}", "s = 0.0", "return s * y[:1]")
        for dtype in (np.uint8, np.int8, np.uint32):
            check_agrees(
                text_of(body, "x: np.ndarray, y: np.ndarray, n: int"), (np.array([3, 0, 1, 5, 0, 2]).astype(dtype), Y, 1000)
            )


NARROW = [
    np.array([3, 0, 1, 5, 0, 2]).astype(dtype) for dtype in (np.float32, np.float16, np.uint8, np.int8, np.int32, np.int64, float)
]


@pytest.mark.parametrize(
    "line", ["if y[i] > 0:\n    s += x[i]\nelse:\n    s -= t", "if y[i] > 0:\n    s += t\nelse:\n    s = s - x[i]"]
)
def test_numbers_of_python_take_the_dtype_of_what_else_is_added(line):
    """The sum of `t` had 64 bits, and made the whole sum float64. Found by random programs (learning 5100013)."""
    text = text_of(body_of(line, "s = 0.0", "return s"), "x: np.ndarray, y: np.ndarray, t: float")
    made = check_agrees(text, *((x, Y, 0.5) for x in NARROW))
    assert "dtype=jnp.result_type(s, float)" in made
    text = text_of(body_of(line, "s = 0", "return s"), "x: np.ndarray, y: np.ndarray, t: int")
    check_agrees(text, *((x, Y, 2) for x in NARROW))
    known = text_of(body_of(line, "s = 0.0", "return s"), "x: NDArray[np.float32], y: np.ndarray, t: float")
    made = check_agrees(known.replace("np\n", "np\nfrom numpy.typing import NDArray\n", 1), (NARROW[0], Y, 0.5))
    assert "dtype=jnp.float32" in made
    wide = known.replace("np\n", "np\nfrom numpy.typing import NDArray\n", 1).replace("float32", "float64")
    assert "dtype=" not in check_agrees(wide, (NARROW[-1], Y, 0.5))


@pytest.mark.parametrize("line", ["if y[i] > 0:\n    s += x[i]\nelse:\n    s += n", "s += x[i] if y[i] > 0 else n"])
def test_integers_of_python_take_the_dtype_of_the_integers_beside_which_they_are_added(line):
    text = text_of(body_of(line, "s = 0", "return s"), "x: np.ndarray, y: np.ndarray, n: int")
    check_agrees(text, *((x, Y, 2) for x in NARROW), (np.full(6, 200, np.uint8), Y, 90))


@pytest.mark.parametrize("line", ["s += t", "if y[i] > 0:\n    s += t", "if y[i] > 0:\n    s -= 1", "s = s + t * i"])
@pytest.mark.parametrize("start", ["s = x[0]", "s = x.sum()", "s = x * 1"])
def test_numbers_of_python_take_the_dtype_with_which_a_sum_starts(line, start):
    text = text_of(body_of(line, start, "return s"), "x: np.ndarray, y: np.ndarray, t: float")
    check_agrees(text, *((x, Y, 0.5) for x in NARROW if x.dtype.kind == "f" or "t" not in line), keep=True)
