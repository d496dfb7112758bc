"""What converted functions assume: for each kind a program with the condition, and a twin without it."""

import pytest

from np2jax.tests.helpers.differential import convert, convert_project, function

F64 = "NDArray[np.float64]"
F32 = "NDArray[np.float32]"
I64 = "NDArray[np.int64]"
U8 = "NDArray[np.uint8]"
C64 = "NDArray[np.complex64]"
BOOL = "NDArray[np.bool_]"


def conditions(body, params, **options):
    """The conditions of one function, as texts."""
    text = "import math\nfrom numpy.typing import NDArray\n" + function(body, params)
    outcome = convert(text, placement="device", **options)[1]["f"]
    assert outcome.transform, outcome.reason
    assert outcome.label == ("assumed" if outcome.conditions else "proved")
    return {f"{c.kind}: {c.words}" for c in outcome.conditions}


# name: parameters, body, conditions, body of the twin, its parameters if they differ
KINDS = {
    "a divisor": (f"x: {I64}, n: {I64}", "return x // n", {"divisor: the divisor `n` is not 0"}, "return x // (n % 3 + 1)"),
    "a remainder": (f"x: {I64}, n: int", "return x % n", {"divisor: the divisor `n` is not 0"}, "return x % 7"),
    "divmod": (
        f"x: {I64}, n: {I64}",
        "return divmod(x, n)",
        {"divisor: the divisor `n` is not 0"},
        "return divmod(x, n)",
        f"x: {F64}, n: {F64}",
    ),
    "a divisor in place": (
        f"x: {I64}, n: {I64}",
        "x //= n\nreturn x",
        {"divisor: the divisor `n` is not 0"},
        "x //= np.clip(n, 1, 9)\nreturn x",
    ),
    "an index": (
        f"x: {F64}, i: int",
        "return x[i]",
        {"index: `i` is in range of `x`"},
        "if 0 <= i < len(x):\n    return x[i]\nreturn x[0]",
    ),
    "rows that are exchanged": (
        "x",
        "u = np.cos(x)\nu[0], u[-1] = u[1], u[-2]\nreturn u",
        {
            "dtype: `x` is not of bool, int8, int32, uint8 or uint32",
            "index: `u` has 2 elements or more",
            "index: `u` has not 2 rows",
        },
        "u = np.cos(x)\nu[0] = u[-1]\nu[-1] = u[0]\nreturn u",
        f"x: {F64}",
    ),
    "an index of a loop": (
        f"x: {F64}, n: int",
        "s = 0.0\nfor i in range(n):\n    s += x[i]\nreturn s",
        {
            "index: `i` is in range of `x`",
            "number: the loop runs: without an iteration, `s` is a number in NumPy, whatever `x` may be",
        },
        "s = 0.0\nfor i in range(1, len(x)):\n    s += x[i] - x[i - 1]\nreturn s",
    ),
    "a carried argument": (
        "x, n: int",
        "for _ in range(n):\n    x = (x > 1).astype(np.int64)\nreturn x",
        {"dtype: `x` is of int64"},
        "for _ in range(n):\n    x = x + x\nreturn x",
    ),
    "items of a loop that may end early": (
        f"x: {F64}",
        "b = 1.0\nfor v in x:\n    b = b + np.sum(v)\n    if b > 9.0:\n        break\nreturn b",
        {"index: `x` is not empty"},
        "b = 1.0\nfor v in x:\n    b = b + np.sum(v)\nreturn b",
    ),
    "a constant index": (
        f"x: {F64}",
        "return x[3]",
        {"index: `x` has 4 elements or more"},
        "return x[0] + x[-1]",
    ),
    "an index of a store": (
        f"n: int, i: {I64}",
        "x = np.zeros(3)\nx[i] = 1.0\nreturn x",
        {"index: `i` is in range of `x`"},
        "x = np.zeros(3)\nx[2] = 1.0\nreturn x * i[0]",
        f"n: int, i: {F64}",
    ),
    "an index along another axis": (
        f"x: {F64}, j: int",
        "return x[:, j]",
        {"index: `j` is in range of axis 1 of `x`"},
        "return x[:, None, 0]",
    ),
    "a quotient": (
        "x: np.ndarray",
        "return x / 3",
        {"dtype: `x` is not of an integer dtype of fewer than 64 bits"},
        "return x / 3 + x / 0.5",
        f"x: {F64}",
    ),
    "a mean": (
        "x: np.ndarray",
        "return x.mean()",
        {"dtype: `x` is not of an integer dtype of fewer than 64 bits or bool"},
        "return (x * 0.5).mean()",
    ),
    "two arrays": (
        "x: np.ndarray, y: np.ndarray",
        "return x - y",
        {"dtype: `x` and `y` do not combine integers with floats of fewer than 64 bits"},
        "return x - 2.5 * x",
    ),
    "beside integers": (
        f"x: np.ndarray, n: {I64}",
        "return x * n",
        {"dtype: `x` is not of float16, float32 or complex64"},
        "return x * n.astype(float)",
    ),
    "a number in a list": (
        "x: np.ndarray",
        "return np.array([x[0], 1.5])",
        {"dtype: `x` is not of float16, float32 or complex64"},
        "return np.array([x[0], x[-1]])",
    ),
    "a number in a list with several items": (
        "v",
        "return np.array([1.5, v, 2 * v])",
        {"dtype: `v` is not of float16, float32 or complex64"},
        "return np.array([1.5, 2.5])",
    ),
    "a function of Python": (
        "x: np.ndarray",
        "return math.exp(x[0])",
        {"dtype: `x` is not of an integer dtype of fewer than 64 bits, bool, float16 or float32"},
        "return math.exp(x[0])",
        f"x: {F64}",
    ),
    "a power of bools": (
        f"x: {BOOL}",
        "return x ** 2",
        {"dtype: `x` is not of bool"},
        "return x ** 2",
        f"x: {F64}",
    ),
    "a float that is added to an element": (
        f"x: {U8}, k: float",
        "x[0] += k\nx[1:] *= 2\nreturn x",
        {"cast: `x[0] + k` is in the range of uint8, and has no NaN"},
        "x[0] += 1\nx[1:] *= 2\nreturn x",
    ),
    "a float that is added to what may be an integer": (
        "x: np.ndarray, k: float",
        "for i in range(len(x)):\n    x[i] -= k\nreturn x",
        {"cast: `x` is not of integers, or `x[i] - k` fits into them and is no NaN"},
        "for i in range(len(x)):\n    x[i] -= x[i]\nreturn x",
    ),
    "an element that is divided": (
        "x: np.ndarray, k: float",
        "for i in range(len(x)):\n    x[i] /= 2\nreturn x",
        {"index: `x` is not empty", "cast: `x` is not of integers, or `x[i] / 2` fits into them and is no NaN"},
        "for i in range(len(x)):\n    x[i] /= 2\nreturn x",
        f"x: {F64}, k: float",
    ),
    "an exponent": (
        f"x: {I64}, n: {I64}",
        "return x ** n",
        {"exponent: the exponent `n` is from 0 to 63"},
        "return x ** 3 + x ** (n % 4)",
    ),
    "a fractional exponent": (
        f"x: {F64}, a: float",
        "return x ** a",
        {"exponent: `x` is not -inf where `a` is 0.5"},
        "return x ** 1.5",
    ),
    "a square root": (f"x: {F64}", "return x ** 0.5", {"exponent: `x` is not -inf"}, "return np.sqrt(x)"),
    "a cast": (
        f"x: {F64}",
        "return x.astype(int)",
        {"cast: `x` is in the range of int64, and has no NaN"},
        "return (x > 0).astype(int)",
    ),
    "a cast within the range": (
        f"x: {F64}",
        "return np.clip(x, 0, 9).astype(int)",
        {"cast: `np.clip(x, 0, 9)` has no NaN"},
        "return np.clip(x, 0, 9)",
    ),
    "a stored float": (
        f"x: {F64}, n: int",
        "c = np.zeros(3, dtype=int)\nc[0] = x[0]\nreturn c",
        {"cast: `x[0]` is in the range of int64, and has no NaN"},
        "c = np.zeros(3)\nc[0] = x[0]\nreturn c",
    ),
    "a float that fills": (
        "x: np.ndarray, a: float",
        "return np.full_like(x, a)",
        {"cast: `x` is not of integers, or `a` fits into them and is no NaN"},
        "return np.full_like(x, 2)",
    ),
    "a mask": (
        f"x: {F64}",
        "return x * (x > 0)",
        {"mask: `x` has no NaN and no infinity where `(x > 0)` is False"},
        "return np.where(x > 0, x, 0)",
    ),
    "a mask that has a name": (
        f"x: {F64}",
        "mask = (x > 0).astype(float)\nreturn 2.0 * mask * x",
        {
            "mask: `x` has no NaN and no infinity where `2.0 * mask` is False",
        },
        "mask = x - 1.0\nreturn 2.0 * mask * x",
    ),
    "a number beside unsigned ones": (
        "x: np.ndarray",
        "return x - 300",
        {"operand: `x` is not of int8 or uint8"},
        "return x - 3",
    ),
    "a number that may not fit": (
        f"x: {U8}, n: int",
        "return x + n",
        {"operand: `n` is a value of uint8"},
        "return x + n % 9",
    ),
    "a product of Python's integers": (
        f"x: {F64}, n: int, m: int",
        "return x + n * m",
        {"operand: `n * m` has 64 bits at most"},
        "return x + n + m",
    ),
    "equality": (
        f"x: {F64}, y: {F64}",
        "return x / 3 == y",
        {"equality: no rounding error decides the test of `x / 3`"},
        "return (x == y) & (x[0] != 0) & (np.maximum(x, y) == y)",
    ),
    "equality of what has a name": (
        f"x: {F64}, y: {F64}",
        "total = x.sum()\nreturn total != 1.0",
        {"equality: no rounding error decides the test of `total`"},
        "total = x.max()\nreturn total != 1.0",
    ),
    "a function": (
        f"x: {F64}",
        "return np.sinc(x)",
        {"function: this case of `np.sinc` does not occur: infinity: NaN in NumPy, 0 in JAX"},
        "return np.sin(x)",
    ),
    "a convolution": (
        f"x: {F32}",
        "return np.convolve(x, x)",
        {
            "function: this case of `np.convolve` does not occur: narrow floats: NaN and infinities may spread over the whole result in JAX"
        },
        "return np.convolve(x, x)",
        f"x: {F64}",
    ),
    "decimals": (
        f"x: {I64}, n: int",
        "return np.round(x, -1)",
        {"function: this case of `np.round` does not occur: negative decimals of integers: JAX raises"},
        "return np.round(x)",
    ),
    "the largest of a selection": (
        f"x: {F64}",
        "return x[x > 0].max()",
        {"function: `x[x > 0]` is not empty"},
        "return x[x > 0].sum()",
    ),
    "decimals of Python": (
        "x: float",
        "return round(x, 2) + np.ones(3)",
        {"function: `x` does not lie between two rounded numbers"},
        "return round(x) + np.ones(3)",
    ),
    "the index of a loop": (
        "x: np.ndarray",
        "out = np.zeros(len(x))\nfor i in range(len(x)):\n    out[i] = x[i] * i + 0.5\nreturn out",
        {
            "dtype: `x` is not of an integer dtype of fewer than 64 bits or uint64",
            "operand: `i` is a value of the dtype of `x[i]`",
        },
        "out = np.zeros(len(x))\nfor i in range(len(x)):\n    out[i] = x[i] * (0.5 * i)\nreturn out",
        f"x: {F64}",
    ),
    "a function that is passed": (
        f"x: {F64}, f",
        "return f(x) + np.zeros(3)",
        {
            "call: `f` computes the same with arrays of JAX",
        },
        "return np.sin(x) + np.zeros(3)",
    ),
    "an assertion": (
        f"x: {F64}, k: int, n: int",
        "out = np.zeros(n)\nfor i in range(n):\n    out[i] = x[i : i + k].sum()\nreturn out",
        {"assertion: `k >= 0`", "assertion: `x` has 1 dimension"},
        "return np.zeros(n)",
    ),
    "complex numbers": (
        f"x: {C64}",
        "return abs(x)",
        {"complex: `x` has no NaN and no infinity"},
        "return 2.0 * x",
    ),
    "a draw": (
        f"x: {F64}",
        "return x + np.random.normal(size=len(x))",
        {"draw: other numbers of the same distribution will do for `np.random.normal`"},
        "return x + np.zeros(len(x))",
    ),
    "a loop that does not run": (
        f"x: {F64}",
        "s = 0\nfor v in x:\n    s += v\nreturn s",
        {"number: the loop runs: without an iteration, `s` stays an integer of Python in NumPy"},
        "s = 0.0\nfor v in x:\n    s += v\nreturn s",
    ),
    "an integer in one arm": (
        f"x: {F64}, t: float",
        "if t > 1:\n    return 0\nreturn x.sum()",
        {"number: the result may be a float where it is an integer of Python"},
        "if t > 1:\n    return 0.0\nreturn x.sum()",
    ),
    "an integer beside a float": (
        f"x: {F64}",
        "return max(x.sum(), 0)",
        {"number: `max(x.sum(), 0)` may be a float where it is an integer of Python"},
        "return max(x.sum(), 0.0)",
    ),
    "a sum of nothing": (
        f"x: {F64}",
        "return sum(v * v for v in x)",
        {"number: `v * v for v in x` is not empty"},
        "return sum(v * v for v in x)",
        f"x: {I64}",
    ),
    "an extremum under a test of Python": (
        f"x: {F64}, c: bool",
        "s = 1\nfor i in range(len(x)):\n    if c:\n        s = max(s, 0.0)\nreturn s",
        {"number: `max(s, 0.0)` may be a float where it is an integer of Python"},
        "s = 1.0\nfor i in range(len(x)):\n    if c:\n        s = max(s, 0.0)\nreturn s",
    ),
    "an integer that is read before the loop": (
        f"x: {F64}",
        "s = 0\nt = s + 1\nfor v in x:\n    s += v\nreturn s, t",
        {"number: the loop runs: without an iteration, `s` stays an integer of Python in NumPy"},
        "s = 0.0\nt = s + 1\nfor v in x:\n    s += v\nreturn s, t",
    ),
    "an integer that is a parameter": (
        f"x: {F64}, s: int",
        "for v in x:\n    s += v\nreturn s",
        {"number: the loop runs: without an iteration, `s` stays an integer of Python in NumPy"},
        "for v in x:\n    s += v\nreturn s",
        f"x: {F64}, s: float",
    ),
    "an array of no integers": (
        f"x: {F64}",
        "return np.array([1 if v > 0 else 0 for v in x])",
        {"number: there is an item `1 if v > 0 else 0`: NumPy makes floats of an empty list"},
        "return np.array([2.0 * v for v in x]), np.array([v > 2.0 for v in x], dtype=bool)",
    ),
    "degrees of freedom": (
        f"x: {F64}, n: int",
        "return x.std(ddof=n)",
        {"function: `x` has more elements than `n`"},
        "return np.std(x, ddof=1)",
    ),
    "several arrays": (
        f"x: {F64}",
        "return np.meshgrid(x, x)",
        {"function: nothing depends on the type of `np.meshgrid(x, x)`, a list in JAX and a tuple in NumPy 2"},
        "a, b = np.meshgrid(x, x)\nreturn a + b, np.atleast_1d(x), [v.sum() for v in np.broadcast_arrays(x, x[:1])]",
    ),
    "a loop over nothing": (
        f"x: {F64}",
        "best = -1\nfor i in range(len(x)):\n    if x[i] > 0.5:\n        best = i\nreturn best",
        {"index: `x` is not empty"},
        "s = 0.0\nfor i in range(len(x)):\n    s += x[i]\nreturn s",
    ),
    "a ufunc": (
        "x: np.ndarray",
        "return np.exp(x)",
        {"dtype: `x` is not of bool, int8, int32, uint8 or uint32"},
        "return np.exp(0.5 * x)",
    ),
}


@pytest.mark.parametrize("case", KINDS.values(), ids=KINDS)
def test_kind(case):
    params, body, expected, twin, *other = case
    assert conditions(body, params) == expected
    assert not conditions(twin, *other or [params])


@pytest.mark.parametrize(
    "body, said",
    [
        ("s = 0.0\nfor i in range(len(a)):\n    s += a[i] * b[i]\nreturn s", "`a` and `b` are arrays"),
        ("r = 0.0\nfor v in a:\n    r = r * b + v\nreturn r, len(a)", "`a` and `b` are arrays"),
        ("s = 0.0\nfor v in a:\n    s += np.sin(v) * b\nreturn s", ""),
        ("return np.sum(a * np.sqrt(b)) + np.dot(a, np.sqrt(b))", ""),
        ("out = np.zeros(len(a))\nfor i in range(1, len(a)):\n    out[i] = out[i - 1] * b + a[i]\nreturn out", ""),
    ],
)
def test_a_number_of_the_items_of_a_list_is_one_of_python(body, said):
    outcome = convert(function(body, "a, b"), path="m/__init__.py", placement="fast")[1]["f"]
    words = [c.words for c in outcome.conditions if "for lists of numbers" in c.words]
    assert outcome.transform and (words[0].startswith(said) if said else not words)


def test_the_host_assumes_nothing():
    text = function("n = len(x) // k\nm = [1, 2][k]\nreturn np.zeros(n) + m", "x: np.ndarray, k: int")
    outcome = convert(text, placement="device", kept=(("m.f", "not now"),))[1]["f"]
    assert (outcome.label, outcome.conditions) == ("kept", ())


def test_static_numbers_assume_nothing():
    assert not conditions("return np.zeros(len(x) // k)", f"x: {F64}, k: int")


def test_callers_assume_what_the_called_functions_do():
    program = {
        "a.py": "import numpy as np\nfrom numpy.typing import NDArray\n\n\ndef share(x: NDArray[np.int64], n: NDArray[np.int64]):\n"
        "    return x // n\n\n\ndef half(x: NDArray[np.int64]):\n    return x // 2\n",
        "b.py": "import numpy as np\nfrom numpy.typing import NDArray\nfrom a import half, share\n\n\n"
        "def f(x: NDArray[np.int64]):\n    return share(x, x)\n\n\ndef g(x: NDArray[np.int64]):\n    return f(x)\n\n\n"
        "def h(x: NDArray[np.int64]):\n    return half(x)\n",
    }
    functions = convert_project(program)[1]
    assert [functions[f"b.{name}"].label for name in "fgh"] == ["assumed", "assumed", "proved"]
    (condition,) = functions["b.g"].conditions
    assert (condition.kind, condition.line, condition.words) == ("call", 11, "the conditions of `f` hold")


def test_places_are_those_of_the_file():
    text = "import numpy as np\n\n\ndef f(x: np.ndarray, names: dict, n: int):\n    names['x'] = open('x').read()\n    s = 0.0\n    # sum\n    for i in range(len(x)):\n        s += x[i] - x[i * n]\n    return s\n"
    outcome = convert(text, placement="fast")[1]["f"]
    assert (outcome.label, outcome.transform) == ("assumed", "outlined"), outcome
    assert [(c.line, c.column, c.kind, c.words) for c in outcome.conditions] == [(9, 21, "index", "`i * n` is in range of `x`")]
