"""Programs made at random that draw random numbers: the conversion gets the draws of NumPy's version, and agrees with it.

Each program is made from its number: NP2JAX_FIRST=2500 NP2JAX_PROGRAMS=100 pytest tests/programs/test_random_programs.py -m slow
runs those from 2500 on.
"""

import os
import random
from collections import Counter

import jax
import numpy as np
import pytest

from np2jax.tests.helpers.differential import convert, run
from np2jax.tests.helpers.observed import NumpyRaises, check_program, taped
from np2jax.tests.programs.generators.programs import program

OTHER_DTYPE = "carry input and carry output must have equal types"  # of an array of unknown dtype: see docs/limitations.md


def compare(number, counts):
    made = program(random.Random(number).randrange, random=True)
    try:
        functions = check_program(dict(made.sources), random=True)
    except NumpyRaises:
        counts["raises"] += 1
        return
    except AssertionError as error:
        if "raises TypeError" in str(error) and OTHER_DTYPE in str(error):
            counts["other dtype"] += 1
            return
        raise AssertionError(f"program {number}: {error}") from error
    counts["programs"] += 1
    for function in functions.values():
        if not function.name.endswith("<module>"):
            counts["functions"] += 1
            counts["kept"] += function.label == "kept"


def compare_many(first, count):
    counts = Counter()
    with taped():
        for number in range(first, first + count):
            compare(number, counts)
            if number % 200 == 199:
                jax.clear_caches()
    share = counts["kept"] / max(counts["functions"], 1)
    refused = f"{counts['raises']} raise, {counts['other dtype']} do so in JAX alone, for a dtype that changes in a loop"
    print(f"{counts['programs']} programs agree ({refused}); {counts['functions']} functions, {share:.0%} kept")
    return counts


def test_random_programs():
    assert compare_many(0, 12)["programs"] > 9


@pytest.mark.slow
def test_many_random_programs():
    counts = compare_many(int(os.environ.get("NP2JAX_FIRST", "0")), int(os.environ.get("NP2JAX_PROGRAMS", "80")))
    assert counts["raises"] < 0.1 * counts["programs"]
    assert counts["other dtype"] <= 1 + counts["programs"] // 1000


MAY_BE_NARROW = """\
import numpy as np


class Model:
    def __init__(self, w):
        self.w = w


def f(x, model, rng):
    {body}


w = np.ones((2, 3), dtype=np.{dtype})
w = w * w
for x in (w, np.ones((2, 3)), f(w, Model(w), np.random.default_rng(1))):
    made = f(x, Model(w), np.random.default_rng(0))
"""


@pytest.mark.quick(4)
@pytest.mark.parametrize(
    "dtype", ["float32", "int8", *(pytest.param(d, marks=pytest.mark.slow) for d in ("complex64", "float16", "int32", "bool_"))]
)
@pytest.mark.parametrize(
    "body",
    [
        "return x * rng.normal()",
        "return rng.normal() - x",
        "return model.w * rng.exponential(2.0)",
        "return x[0] * (2.0 * rng.uniform())",
        "return np.abs(x) * rng.uniform()",
        "return np.where(x == x, x, rng.uniform())",
        "return np.maximum(rng.uniform(), x)",
        "y = np.asarray(x)\n    return np.where(y == y, rng.uniform(-1, 1), y)",
        "return np.add(x + x, rng.uniform())",
        "y = x * 2\n    y = y - rng.uniform()\n    return y",
        "return x + rng.normal(size=3)",
    ],
)
def test_a_drawn_number_beside_an_array_that_may_be_narrow(body, dtype):
    """It was a float64 in JAX, and is one of Python's in NumPy: float32 became float64. Found by random programs."""
    with taped():
        check_program({"m.py": MAY_BE_NARROW.format(body=body, dtype=dtype)}, random=True)


def test_an_array_stays_what_it_is_beside_a_drawn_number_where_no_dtype_is_named():
    text = "import numpy as np\n\n\ndef f(x: np.ndarray, rng: np.random.Generator):\n    return x * rng.normal()\n"
    assert "return x * jax.random.normal(rng)\n" in convert(text)[0]


def test_a_drawn_number_is_added_to_what_may_be_narrow_in_the_code_of_a_module():
    text = """\
import numpy as np


def square(x):
    return x * x


rng = np.random.default_rng(5)
a = np.ones(3, dtype=np.float32)
a = square(a)
a += rng.normal(1.0, 0.5)
b = square(a) + a
"""
    with taped():
        check_program({"m.py": text}, random=True)


TAKEN_FROM_AN_ARRAY = """\
import numpy as np


def f(rng, x):
    v = rng.{draw}
    v -= np.zeros(3)
    return v


rng = np.random.default_rng(5)
a = np.ones((3, 3), dtype=np.{dtype})
b = f(rng, a) - a
c = f(rng, b)
"""


@pytest.mark.quick(3)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
@pytest.mark.parametrize("draw", ["permutation(x)", "permuted(x)", "choice(x)", "permuted(x, axis=0)"])
def test_what_is_drawn_of_an_array_keeps_its_dtype_when_it_is_changed(draw, dtype):
    """It became float64, where nothing told whether it is a number. Found by random programs (401526)."""
    with taped():
        check_program({"m.py": TAKEN_FROM_AN_ARRAY.format(draw=draw, dtype=dtype)}, random=True)


ANEW = """
import numpy as np


def constant(x: np.ndarray, n: int):
    for i in range(n):
        rng = np.random.default_rng(1)
        x = x + rng.normal(size=3)
    return x


def twice(x: np.ndarray, n: int):
    for i in range(n):
        rng = np.random.default_rng(i)
        x = x + rng.normal(size=3) * rng.uniform(size=3)
    return x


def nested(x: np.ndarray, n: int):
    for i in range(n):
        rng = np.random.default_rng(i)
        for j in range(n):
            x = x + rng.normal(size=3)
    return x


def until(x: np.ndarray, n: int):
    i = 0
    while i < n:
        rng = np.random.default_rng(1)
        x = x + rng.normal(size=3)
        i += 1
    return x


def later(x: np.ndarray, n: int):
    for i in range(n):
        rng = np.random.default_rng(i)
        x = x + rng.normal(size=3)
    return x + rng.normal(size=3)


def earlier(x: np.ndarray, n: int):
    rng = np.random.default_rng(5)
    for i in range(n):
        x = x + rng.normal(size=3)
        rng = np.random.default_rng(i)
    return x
"""


def test_a_generator_of_each_iteration_is_no_key_that_a_loop_carries():
    made, functions, _diagnostics = convert(ANEW)
    converted, x = run(made), np.ones(3)
    assert {name for name, f in functions.items() if f.label != "kept"} >= {"constant", "twice", "nested", "until"}
    drawn = {name: np.asarray(converted[name](x, 2)) - x for name in functions if not name.startswith("_")}
    assert all(np.isfinite(each).all() and each.any() for each in drawn.values())
    once = np.asarray(converted["constant"](x, 1)) - x
    np.testing.assert_allclose(drawn["constant"], 2 * once)
    np.testing.assert_allclose(drawn["until"], 2 * once)
    assert not np.allclose(drawn["twice"], 2 * (np.asarray(converted["twice"](x, 1)) - x))
