"""Slices whose step, or whose start ahead of a step, changes from one iteration to the next: a mask says which positions count."""

import textwrap

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert, run
from np2jax.tests.programs.generators.slices.stride_programs import program
from np2jax.tests.programs.test_slice_programs import check

RNG = np.random.default_rng(11)
NAN, INF = np.nan, np.inf


def compiled(made):
    return "lax.fori_loop" in made or "lax.scan" in made or "lax.map" in made or "lax.while_loop" in made or "jax.vmap" in made


def vector(n, *special):
    made = RNG.normal(size=n)
    for position, value in special:
        made[position] = value
    return made


CALLS = [(vector(n),) for n in (0, 1, 4)] + [(vector(9, (3, NAN)),), (vector(9, (6, INF)),), (vector(9, (8, -INF)),)]

READS = {
    "sum": "x[::k].sum()",
    "from": "np.sum(x[k::k])",
    "from two": "np.sum(x[2 * k::k])",
    "from a square": "np.sum(x[k * k::k])",
    "between": "np.sum(x[1:n - 1:k])",
    "to the last": "np.sum(x[:-1:k])",
    "to the index": "np.sum(x[:k:2])",
    "from the index": "np.sum(x[k::3])",
    "from one less": "np.sum(x[k - 1::k])",
    "phase": "np.sum(x[k % 2::2])",
    "prod": "np.prod(x[::k])",
    "mean": "np.mean(x[::k])",
    "std": "x[::k].std()",
    "any": "np.any(x[k::k] > 0.5)",
    "count": "np.count_nonzero(x[k::k] > 0)",
    "max": "np.max(x[::k])",
    "min": "x[::k].min()",
    "dot": "np.dot(x[::k], x[::k])",
    "matmul": "x[k::k] @ x[k::k]",
    "scaled": "np.sum(2 * x[k::k] + 1)",
    "both": "np.sum(x[::k] * w[::k])",
    "functions": "np.sum(np.exp(x[::k]) * np.where(x[::k] > 0, 1.0, -x[::k]))",
    "from the end": "np.sum(x[-k::k])",
    "from far ahead of the start": "np.sum(x[-3 * k::k])",
    "to far ahead of the start": "np.sum(x[:-k:k])",
    "from perhaps the end": "np.sum(x[k - 3::k])",
    "to perhaps the end": "np.sum(x[:k - 3:2])",
    "below zero, twice": "np.dot(x[k - 3::k], 2 * x[k - 3::k])",
    "beyond the end": "np.sum(x[k:n + 5:k])",
    "double step": "np.sum(x[k::2 * k])",
    "step of a sum": "np.sum(x[::k + 2])",
    "step of a product": "np.sum(x[::k * k])",
}


@pytest.mark.quick(11)
@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_reads(read):
    text = f"""
    import numpy as np

    def f(x: np.ndarray):
        n = x.shape[0]
        y = np.zeros(n + 2)
        w = np.cos(x)
        for k in range(1, n + 2):
            y[k] = {read} + 0.5 * y[k - 1]
        return y
    """
    assert compiled(made := check_agrees(text, *CALLS)), made


STORES = {
    "number": "y[k::k] = 2.0",
    "sieve": "y[k * k::k] = 0",
    "add": "y[::k] += x[::k]",
    "subtract": "y[k::k] -= y[k::k] / k",
    "multiply": "y[2 * k::k] *= -1",
    "divide": "y[::k] /= 1 + 0.5 * k",
    "power": "y[k - 1::k] **= 2",
    "start moves": "y[k::2] = x[k::2]",
    "between": "y[k:n - 1:3] = k",
    "shifted": "y[1:n:k] = y[0:n - 1:k] + 1",
    "from the end": "y[-k::k] += 1",
    "from far ahead of the start": "y[-2 * k::k] += 1",
    "from perhaps the end": "y[k - 3::k] = x[k - 3::k]",
    "own mean": "y[k::k] = np.sum(x[::k])",
    "under a test": "if x[k - 1] > 0: y[k::k] += x[k::k]",
    "two": "y[::k] += 1; y[k::k] = x[k::k]",
}


@pytest.mark.quick(6)
@pytest.mark.parametrize("store", STORES.values(), ids=STORES)
def test_stores(store):
    text = f"""
    import numpy as np

    def f(x: np.ndarray):
        n = x.shape[0]
        y = np.cos(x)
        for k in range(1, n + 1):
            {store}
        return y
    """
    assert compiled(made := check_agrees(text, *CALLS[1:])), made


INTEGERS = {
    "sieve": (
        "s = np.ones(n + 1, dtype=bool)",
        "for i in range(2, n + 1):\n    if s[i]:\n        s[i * i::i] = False",
    ),
    "sieve to a bound": (
        "s = np.ones(n + 1, dtype=bool)",
        "for i in range(2, n):\n    s[i * i:n + 1:i] = False",
    ),
    "sieve by while": (
        "s = np.ones(n + 1, dtype=bool)\ni = 2",
        "while i * i <= n:\n    if s[i]:\n        s[i * i::i] = False\n    i += 1",
    ),
    "sieve of the odd": (
        "s = np.ones(n // 2 + 1, dtype=bool)",
        "for i in range(3, n, 2):\n    s[i * i // 2::i] = False",
    ),
    "sieve of powers": (
        "s = np.ones(n + 1, dtype=bool)",
        "for i in range(2, int(np.sqrt(n)) + 1):\n    s[i**2:n + 1:i] = 0",
    ),
    "totient": (
        "s = np.arange(n + 1)",
        "for p in range(2, n + 1):\n    if s[p] == p:\n        s[p::p] -= s[p::p] // p",
    ),
    "divisors": ("s = np.zeros(n + 1, int)", "for d in range(1, n + 1):\n    s[d::d] += d"),
    "divisors of small integers": ("s = np.zeros(n + 1, np.int16)", "for d in range(1, n + 1):\n    s[d::d] += 1"),
    "moebius": (
        "s = np.ones(n + 1, int)",
        "for p in range(2, n + 1):\n    s[p::p] *= -1\n    s[p * p::p * p] = 0",
    ),
    "greatest": ("s = np.arange(n + 1)\nt = 0", "for p in range(1, n + 1):\n    t += s[::p].max() + s[p::p].max()"),
    "least": ("s = np.arange(n + 1)[::-1] * 7 % 11\nt = 0", "for p in range(1, n + 1):\n    t += s[:p + 1:p].min()"),
}


@pytest.mark.quick(4)
@pytest.mark.parametrize(("before", "loop"), INTEGERS.values(), ids=INTEGERS)
def test_integers(before, loop):
    lines = [*before.split("\n"), *loop.split("\n")]
    text = "import numpy as np\n\n\ndef f(n: int):\n" + "".join(f"    {line}\n" for line in lines)
    text += "    return s\n" if "t = 0" not in before else "    return s, t\n"
    assert compiled(made := check_agrees(text, *[(n,) for n in (1, 2, 3, 10, 30)])), made


def test_a_square_that_32_bits_are_too_few_for():
    text = """
    import numpy as np

    def f(n: int):
        s = np.ones(n + 1, dtype=bool)
        for i in range(2, n + 1):
            s[i * i::i] = False
        return s
    """
    made = convert(text, precision="float32")[0]
    assert "(m // i >= i) & (m % i == 0)" in made
    assert np.array_equal(run(made)["f"](120), run(textwrap.dedent(text))["f"](120))


MATRICES = {
    "red and black": """
        for i in range(1, A.shape[0] - 1):
            A[i, 1 + i % 2:-1:2] = 0.25 * (A[i - 1, 1 + i % 2:-1:2] + A[i + 1, 1 + i % 2:-1:2]
                                           + A[i, i % 2:-2:2] + A[i, 2 + i % 2::2])
    """,
    "columns": """
        for k in range(1, A.shape[1]):
            A[:, ::k] += 1
            A[0, 0] += A[:, k::k].sum()
    """,
    "both": """
        for k in range(1, len(A)):
            A[k::k, ::k] *= 0.5
    """,
    "along an axis": """
        for k in range(1, len(A)):
            A[k] += A[::k].mean(axis=0)
    """,
    "the axis that stays": """
        for k in range(1, len(A)):
            A[::k] -= A[::k].sum(axis=1)[:, None]
    """,
    "rows of another": """
        for k in range(1, len(A)):
            A[0] += A[:, ::k] @ A[::k, 0]
    """,
    "differences": """
        for k in range(1, m):
            A[:, 0] += (A[:, 1:m:k] - A[:, 0:m - 1:k]).sum(axis=1)
    """,
}


@pytest.mark.quick(3)
@pytest.mark.parametrize("loop", MATRICES.values(), ids=MATRICES)
def test_matrices(loop):
    text = f"""
    import numpy as np

    def f(A: np.ndarray):
        n, m = A.shape
        {loop.strip()}
        return A
    """
    calls = [(RNG.normal(size=(n, n)),) for n in (1, 2, 3, 6, 7)]
    assert compiled(made := check_agrees(text, *calls)), made


@pytest.mark.parametrize("p", [1, 2, 3, 7])
def test_phases_of_a_period_that_is_an_argument(p):
    text = """
    import numpy as np

    def f(x: np.ndarray, p: int):
        out = np.zeros(p)
        for r in range(p):
            out[r] = x[r::p].sum()
        return out
    """
    made = check_agrees(text, *((x, p) for (x,) in CALLS))
    assert compiled(made), made


def test_a_variable_that_holds_what_was_read():
    text = """
    import numpy as np

    def f(x: np.ndarray):
        y = np.zeros(len(x) + 1)
        for k in range(1, len(x)):
            v = x[k::k]
            y[k] = np.sum(v * v) + v.sum() + 0.5 * y[k - 1]
        return y
    """
    assert compiled(made := check_agrees(text, *CALLS)), made


STAYS = {
    "a step that may be 0": ("range(len(x))", "t += x[::k].sum()"),
    "a step that may be negative": ("range(1, len(x))", "t += x[::k - 3].sum()"),
    "a negative step": ("range(1, len(x))", "t += x[k::-2].sum()"),
    "a step that falls below 1": ("range(len(x), 0, -1)", "t += x[::k - 1].sum() if k > 1 else 0.0"),
    "one that is sorted": ("range(1, len(x))", "t += np.sort(x[::k])[0]"),
    "others without a step": ("range(1, len(x))", "t += (x[::k][:1] * x[:1]).sum()"),
    "another step": ("range(1, len(x) // 2)", "t += (x[:1:k] + x[:1:k + 1]).sum()"),
    "another array": ("range(1, 2)", "t += (x[::k] + y[::k]).sum()"),
    "cut off at the end": ("range(len(x) - 1, len(x))", "t += (x[0:len(x) - 1:k] + x[1:len(x):k]).sum()"),
    "cut off beyond the end": ("range(len(x), len(x) + 1)", "t += (x[0:len(x) + 1:k] + x[1:len(x) + 2:k]).sum()"),
    "a step of each element": ("range(1, len(x))", "t += x[::k][0]"),
}


@pytest.mark.quick(4)
@pytest.mark.parametrize(("iterations", "line"), STAYS.values(), ids=STAYS)
def test_what_is_not_certain_is_no_mask(iterations, line):
    """Whatever becomes of it, it is what NumPy gives."""
    text = f"""
    import numpy as np

    def f(x: np.ndarray, y: np.ndarray):
        t = 0.0
        for k in {iterations}:
            {line}
        return t
    """
    made = check_agrees(text, *[(vector(n), vector(m)) for n, m in ((1, 1), (2, 2), (3, 3), (9, 9), (1, 4), (4, 1))])
    assert "% k == 0" not in made, made


def test_the_step_of_a_variable_that_is_bound_to_anything_else():
    text = """
    import numpy as np

    def f(x: np.ndarray, k: int):
        t = 0.0
        for i in range(1, len(x)):
            t += x[i::k].sum()
        return t
    """
    made = check_agrees(text, *[(vector(7), k) for k in (1, 2, -1, -3)])
    assert "% k" not in made


def test_a_counter_that_falls():
    text = """
    import numpy as np

    def f(x: np.ndarray):
        t = 0.0
        k = 3
        for i in range(4):
            t += x[::k].sum() + 0.5 * t
            k -= 2 if k == 1 else 1
        return t
    """
    made = check_agrees(text, (vector(7),), keep=True)
    assert "% k" not in made


def test_what_is_stored_meets_no_array_of_unknown_length():
    text = """
    import numpy as np

    def f(x: np.ndarray, y):
        for r in range(2):
            x[r::2] = y
        return x
    """
    made = check_agrees(text, (vector(8), vector(4)), (vector(8), 2.5))
    assert "% 2" not in made


def test_a_vector_that_is_read_with_a_step_of_each_iteration_is_no_mask():
    text, functions, _diagnostics = convert("""
    import numpy as np

    def f(x: np.ndarray):
        t = 0.0
        for k in range(1, len(x)):
            t += len(x[::k])
        return t
    """)
    assert functions["f"].label != "kept" and "% k" not in text


def check_strides(seed):
    return check(seed, program)[0], " == 0" in convert(program(seed))[0]


def test_random_loops_over_slices_with_a_step():
    assert any(check_strides(seed)[0] for seed in range(5))


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 1120, 40))
def test_many_random_loops_over_slices_with_a_step(start):
    ran, compiled = zip(*(check_strides(seed) for seed in range(start, start + 40)), strict=True)
    assert sum(ran) > 10 and sum(compiled) >= 10
