"""Numbers of Python's that the iterations of a loop give a dtype: they start with the one that they will have."""

import random

import numpy as np
import pytest

from np2jax.tests.helpers.differential import body, check_agrees, compare_values, convert, run
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

X = np.array([0.5, -1.25, 3.0, 2.0, 0.75])
DTYPES = ["float64", "float32", "int64"]


def texts(lines, annotation=""):
    return "import numpy as np\n\n\ndef f(x" + annotation + ", r):\n    " + "\n    ".join(lines) + "\n"


LAGGED = {
    "explicit Euler": ["p = 0.0", "v = 1.0", "for a in x:", "    p += v * r", "    v += a * r", "return p, v"],
    "integers": ["p = 0", "v = 1", "for a in x:", "    p += v", "    v += a", "return p, v"],
    "what was before": ["a = b = c = 0", "for i in range(len(x)):", "    c = b", "    b = a", "    a = x[i]", "return a, b, c"],
    "exchanged": ["a, b = 0, 1", "for y in x:", "    a, b = b, a + y", "return a, b"],
    "several turns later": ["a = b = c = 0", "for y in x:", "    a += b", "    b += c", "    c += y", "return a, b, c"],
    "divided": ["a = b = 0", "for y in x:", "    a = a + b / 2", "    b = b + y", "return a, b"],
    "a function": ["a = b = 0", "for y in x:", "    a = abs(a) + b", "    b = np.sin(y)", "return a, b"],
    "a while": ["a = b = 0", "i = 0", "while i < len(x):", "    a += b", "    b += x[i]", "    i += 1", "return a, b, i"],
    "a break": ["a = b = 0", "for y in x:", "    a += b", "    b += y", "    if b > 100:", "        break", "return a, b"],
    "a nested loop": ["a = b = 0", "for y in x:", "    a += b", "    for k in range(3):", "        b += y * k", "return a, b"],
    "rows of two": ["a = b = 0", "for y, z in zip(x, x[::-1]):", "    a += b", "    b += y * z", "return a, b"],
    "counted": ["a = b = 0", "for k, y in enumerate(x):", "    a += b", "    b += y * k", "return a, b"],
    "a side in steps": [
        "a = b = 0",
        "for y in x:",
        "    if y > r:",
        "        a = max(a, y)",
        "        b += a - y",
        "    else:",
        "        b -= 1",
        "return a, b",
    ],
    "a dear side": [
        "b = 0.0",
        "for y in x:",
        "    if y > r:",
        "        for k in range(3):",
        "            b += y * k",
        "    else:",
        "        b -= 1",
        "return b",
    ],
    "an elif": [
        "a = 0.0",
        "b = 1.0",
        "for y in x:",
        "    if y > r:",
        "        a = a + y",
        "        b = b * a",
        "    elif y < 0:",
        "        a = a - y",
        "return a, b",
    ],
    "a float on one side": [
        "a = b = 0",
        "for y in x:",
        "    if y > 1:",
        "        a = a + y",
        "        b += a",
        "    else:",
        "        b = y / 2",
        "return a, b",
    ],
    "a long way to the next turn": [
        "b = 0",
        "for y in x:",
        "    if y < r:",
        "        continue",
        "    for k in range(3):",
        "        b += y * k",
        "return b",
    ],
    "a long way after break": [
        "a = b = 0",
        "for y in x:",
        "    if y > 2:",
        "        break",
        "    a += y",
        "    for k in range(3):",
        "        b += a * k",
        "return a, b",
    ],
    "a long way after return": [
        "b = i = 0",
        "while i < len(x):",
        "    if x[i] > 2:",
        "        return 1.0 * b",
        "    for k in range(3):",
        "        b += x[i] * k",
        "    i += 1",
        "return 1.0 * b",
    ],
    "Python's alone": ["t = 0", "for i in range(len(x)):", "    t = t / 2 + 1", "return x * t"],
}


@pytest.mark.quick(9)
@pytest.mark.parametrize("annotation", ["", ": np.ndarray"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lines", LAGGED.values(), ids=LAGGED)
def test_dtypes_that_a_later_iteration_gives(lines, dtype, annotation):
    """JAX raised TypeError, or made float64 of float32. Found by random programs."""
    text = check_agrees(texts(lines, annotation), ((4 * X).astype(dtype), 0.5))
    assert "@jax.jit" in text or not annotation  # `x[i]` may be an item of a list


def test_how_they_start():
    made = body(convert(texts(LAGGED["explicit Euler"], ": np.ndarray"))[0])
    assert "    p = jnp.asarray(p, jnp.result_type(p, r, x))\n" in made
    made = body(convert(texts(LAGGED["divided"]))[0])
    assert "    a = jnp.asarray(a, jnp.result_type(a, x, float))\n" in made and "b = jnp.asarray" not in made
    assert "t = 0.0\n" in body(convert(texts(LAGGED["Python's alone"], ": np.ndarray"))[0])


@pytest.mark.parametrize(
    "lines",
    [
        ["t = 0", "for y in x:", "    t = r * t + y", "return t"],
        ["t = 0.0", "m = 1.0", "for y in x:", "    m = 0.9 * m + y", "    t = t + m", "return t, m"],
        ["n = 0", "for i in range(5):", "    n += i", "return x * n"],
        ["t = x.sum()", "s = x.min()", "for y in x:", "    s += t", "    t += y", "return s, t"],
        ["s = t = 0", "for y in x:", "    if y > r:", "        s = s + y", "        t = t + s", "return s, t"],
        ["s = 0", "for y in x:", "    if y > r:", "        s = s + y", "    else:", "        s = 1 - s", "return s"],
        ["n = 0", "p = 1.0", "for y in x:", "    n += 1", "    p = y - p * r", "return n, p"],
    ],
)
def test_what_starts_as_it_is(lines):
    text = check_agrees(texts(lines, ": np.ndarray"), (X, 0.5), (X.astype(np.float32), 0.5))
    assert "asarray" not in text and "result_type" not in text and "1.0 * " not in text


def test_a_float_that_becomes_an_integer():
    """It is neither from the start: the loop is not compiled."""
    text = texts(["a = 0.5", "n = 0", "for y in x:", "    n = n - 1", "    a = n", "return a + x, n"], ": np.ndarray")
    assert "lax." not in check_agrees(text, (X, 0.5), (X[:0], 0.5))


NAMES = ["a", "b", "c"]
VALUES = [
    "{0}",
    "{0} + {1}",
    "{0} - y",
    "{0} * 0.25",
    "y",
    "y * {0} + {1}",
    "{0} / 2",
    "0.5 * {0}",
    "-{0}",
    "abs({0}) - {1}",
    "np.minimum({0}, y)",
    "2",
]


def program(seed):
    """Three numbers that take values from each other, and from the rows of an array."""
    chosen = random.Random(seed)
    lines = [f"{name} = {chosen.choice(['0', '1', '0.0', '0.5', '2'])}" for name in NAMES]
    lines.append(chosen.choice(["for y in x:", "for y in x[::-1]:", "for y, z in zip(x, x):", "for k, y in enumerate(x):"]))
    for _ in range(chosen.randint(2, 4)):
        name, one, other = (chosen.choice(NAMES) for _ in range(3))
        value = chosen.choice(VALUES).format(one, other)
        lines.append("    " + chosen.choice([f"{name} = {value}", f"{name} += {value}", f"{name} = {value}"]))
    return texts([*lines, "return a, b, c"], chosen.choice(["", ": np.ndarray"]))


def check(seed):
    text = program(seed)
    for dtype in ("float64", "float32"):
        check_agrees(text, ((X * 4).astype(dtype), 0.5), keep=True)
    return True, "result_type" in convert(text)[0]


@pytest.mark.quick(3)
@pytest.mark.parametrize("seed", range(6))
def test_random_numbers(seed):
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(100, 900, 200))
def test_many_random_numbers(start):
    assert sum(check(seed)[1] for seed in range(start, start + 200)) > 0


@pytest.mark.quick(3)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize("change", ["b = b - r", "b = b - 0.5", "b -= r * 2"])
def test_a_number_in_a_loop_within_a_loop(change, dtype):
    """It became float64 beside float32. Found by random programs (learning 400836)."""
    text = f"""\
import numpy as np


def f(x: np.ndarray, y: np.ndarray, r: float, n: int):
    b = 1
    c = 0
    for _ in range(n):
        for i in range(x.shape[0]):
            if y[i] * x[i] > 1:
                {change}
            else:
                b = b + c
                c += y[i]
    return 1.0 * b, 1.0 * c
"""
    x, y = np.array([-2.0, 1.0, 3.0]).astype(dtype), np.array([-1.0, -1.0, 2.0]).astype(dtype)
    check_agrees(text, (x, y, 0.5, 2), (x[:1], y[:1], 0.5, 3), (x[1:], y[1:], 0.25, 1))


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "float32"])
@pytest.mark.parametrize("after", ["s / 3", "s / len(x)", "s / 2 + s", "s * np.arange(3, dtype=np.float32)", "s < -len(x)"])
@pytest.mark.parametrize("iteration", ["s += v", "s = s * 2 + v", "print(v, end='')\n        s = s + v"])
def test_what_is_computed_of_them_after_the_loop(iteration, after, dtype):
    """Nobody knew the dtype of such a number: int8 divided by an integer was a float32, silently."""
    source = f"""import numpy as np
import numpy.typing as npt

def f(x: npt.NDArray[np.{dtype}]):
    s = 0
    for v in x:
        {iteration}
    return {after}
"""
    check_agrees(source, (np.array([3, 1, 7], dtype),), (np.array([100, 120, 99], dtype),))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_what_a_side_of_a_branch_gives_them(dtype):
    """`lax.cond` raised TypeError, where a dtype that is known met one that nobody knew any more."""
    source = f"""import numpy as np
import numpy.typing as npt

def f(x: npt.NDArray[np.{dtype}]):
    best = -1
    where = (0, 0)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            if x[i, j] > best:
                best = x[i, j]
                where = (i, j)
    return best / 2, where[0], where[1]

def g(x: npt.NDArray[np.{dtype}]):
    s = 0
    for v in x[0]:
        if v > 50:
            break
        s += v
    return s / 3
"""
    x = np.array([[3, 1, 7], [100, 2, 90]]).astype(dtype)
    check_agrees(source, (x,), (x[:, ::-1],))
    check_agrees(source, (x,), function="g")


ELEMENTS = {
    "a smoothed value": "e = x[0]\n    for i in range(len(x)):\n        e = 0.25 * np.maximum(x[i], 0) + 0.75 * e\n    return e",
    "with a parameter": "e = x[0]\n    for i in range(len(x)):\n        e = a * np.maximum(x[i], 0) + (1 - a) * e\n    return e",
    "stored": "e = x[0]\n    out = np.empty(len(x))\n    for i in range(len(x)):\n        e = a * x[i] + (1 - a) * e\n        out[i] = e\n    return out",
    "what another one takes": "b = x[0]\n    r = 1.0\n    for y in x:\n        r *= 1 - b * b\n        b = y / np.sqrt(1 + r * r)\n    return r, b",
    "a loop that moves": "e = x[0]\n    print(e > 2)\n    for v in x:\n        e = np.maximum(np.sin(e), v) * 0.5\n    return e",
}


@pytest.mark.quick(3)
@pytest.mark.parametrize("name", ELEMENTS)
def test_an_element_of_which_iterations_make_a_float(name):
    text = f"import numpy as np\n\n\ndef f(x, a=0.25):\n    {ELEMENTS[name]}\n"
    made = convert(text, placement="fast")[0]
    assert "jax.jit" in made
    for x in (np.array([1, 2, 5]), np.array([1.0, np.nan, 2.0]), np.ones(3, "f4"), np.array([3, 1], "i8")):
        assert not compare_values(run(made)["f"](x), run(text)["f"](x)), made


def test_an_element_that_keeps_its_dtype():
    text = "import numpy as np\n\n\ndef f(x: np.ndarray):\n    e = x[0]\n    for i in range(1, len(x)):\n        e = x[i] - e // 2\n    return e\n"
    assert "result_type" not in convert(text)[0]


CENTERS = "np.array([X[label == c].mean(axis=0) if np.any(label == c) else C[c] for c in range(k)])"
MEANS = {
    "k-means": f"""
def f(X, k, n=5):
    C = X[:k].copy()
    for _ in range(n):
        label = ((X[:, None] - C[None]) ** 2).sum(-1).argmin(axis=1)
        C = {CENTERS}
    return C
""",
    "k-means in a method": f"""
class K:
    def fit(self, X, k, n):
        C = np.array(X[:k])
        label = np.zeros(len(X), dtype=int)
        for _ in range(n):
            for i in range(len(X)):
                label[i] = np.argmin(((C - X[i]) ** 2).sum(axis=1))
            C = {CENTERS}
        return C


def f(X, k, n=5):
    return K().fit(X, k, n)
""",
    "no empty clusters": """
def f(X, k, n=5):
    C = X[:k]
    for _ in range(n):
        label = ((X[:, None] - C[None]) ** 2).sum(-1).argmin(axis=1)
        C = np.array([X[label == j].mean(axis=0) for j in range(k)])
    return C
""",
}


@pytest.mark.parametrize("name", MEANS)
def test_means_of_integers(name):
    """The carried centers, a part or a copy of an array, are floats after the first iteration."""
    text = f"import numpy as np\n\n{MEANS[name]}"
    made = convert(text, placement="fast")[0]
    assert "jax.jit" in made
    X = np.random.default_rng(3).integers(0, 20, (12, 2))
    for given in (X, X * 0.25, (X * 0.25).astype("f4")):
        rounded = 2e-5 if given.dtype == "f4" else 0
        assert not compare_values(run(made)["f"](given, 2), run(text)["f"](given, 2), rounded=rounded), made


NONE = """
import numpy as np


def f(u, a, source=None, n=3):
    print(n)
    for _ in range(n):
        step = np.zeros_like(u)
        step[1:] = a * u[:-1]
        u = u + step
        if source is not None:
            u = u + source
    return u
"""


@pytest.mark.parametrize("kind", DTYPES[:2])
@pytest.mark.parametrize("source", [None, X])
def test_what_may_be_none_has_no_dtype_then(kind, source):
    text = convert(NONE, placement="fast")[0]
    assert "u if source is None else source" in text
    want, got = (run(each)["f"](X.astype(kind), 0.5, source) for each in (NONE, text))
    assert not compare_values(got, want)


@pytest.mark.parametrize("kind", ["uint8", "int16", "bool"])
@pytest.mark.parametrize("start", ["0", "n", "int(n)"])
def test_quotients_of_narrow_integers_have_64_bits(start, kind):
    """NumPy divides them in float64, JAX in float32, which the sum kept."""
    text = (
        "import numpy as np\nfrom numpy.typing import NDArray\n\n\n"
        f"def f(x: NDArray[np.{kind}{'_' if kind == 'bool' else ''}], n: int):\n    s = {start}\n    for v in x:\n        s = (s + v) / 3\n    return s\n"
    )
    check_agrees(text, (np.array([1, 0, 1]).astype(kind), 3))
