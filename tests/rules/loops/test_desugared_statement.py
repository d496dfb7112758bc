"""Loops and branches that are written in plain statements before they are converted."""

import warnings

import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on, check_agrees, convert, refused
from np2jax.tests.helpers.rule_examples import example_of
from np2jax.tests.programs.generators import match_programs
from np2jax.tests.programs.generators.loops import else_programs, grid_programs, growing_programs

test_example = example_of(__name__)

X = np.array([1.0, -2.0, 0.5, np.nan, 3.0, np.inf])
CALLS = [(X, 2.0), (X, 99.0), (X, -9.0), (X[:1], 0.5)]


def check(source, *calls):
    """`f` of a file agrees with NumPy, and its forms are written plainly; the converted text."""
    made = check_agrees(source, *calls)
    assert "NJ421" in convert(source)[1]["f"].codes, made
    return made


def test_the_order_of_memory_keeps_a_function():
    source = of_grid("c = 0.0\nfor v in np.nditer(x.T):\n    c = c * 0.5 + v", "c")
    assert refused(source).startswith("NJ103 ") and "in the order in which" in refused(source)


def check_stays(source, *calls):
    """`f` agrees, and stands as it was written."""
    made = check_agrees(source, *calls, keep=True)
    found = convert(source)
    assert "NJ421" not in found[1]["f"].codes, made
    return made


def of_loop(loop, returned="found", before="pass"):
    """A file with a function `f(x, limit)`."""
    lines = [*before.split("\n"), *loop.strip("\n").split("\n"), f"return {returned}"]
    return (
        "\n".join(["import numpy as np", "", "", "def f(x: np.ndarray, limit: float):", *(f"    {line}" for line in lines)])
        + "\n"
    )


# --- else of a loop --------------------------------------------------------------------------------------------------------


def test_what_else_gives_may_stand_ahead_of_the_loop():
    text = check(
        of_loop(
            """
for i in range(len(x)):
    if x[i] > limit:
        found = i
        break
else:
    found = -1
"""
        ),
        *CALLS,
    )
    assert "found = -1\n" in text and "stopped" not in text


OTHERS = [
    ("found = 0", "if x[i] > limit:\n        break", "found = -1"),  # it keeps its value where `break` ends the loop
    ("c = found = 0.0", "c = c + x[i]\n    if c > limit:\n        found = c * 2\n        break", "found = c"),
    ("found = 3", "if x[i] > limit + found:\n        found = i\n        break", "found = -1"),
    ("found = 3", "found = i\n    if x[i] > limit:\n        break", "found = -1"),
    ("found = 3", "if x[i] < 0:\n        found = 8\n    if x[i] > limit:\n        found = i\n        break", "found = -1"),
    ("found = 3", "if x[i] < 0:\n        break\n    if x[i] > limit:\n        found = i\n        break", "found = -1"),
    ("found = 3", "if x[i] > limit: found = i; break", "found = -1; found = found - 1"),
]


@pytest.mark.quick(3)
@pytest.mark.parametrize(("before", "body", "other"), OTHERS)
def test_a_flag_says_whether_the_loop_was_left(before, body, other):
    text = check(of_loop(f"for i in range(len(x)):\n    {body}\nelse:\n    {other}", before=before), *CALLS)
    assert "~stopped" in text


def test_a_loop_that_nothing_leaves():
    text = check(of_loop("for v in x:\n    found = found + v\nelse:\n    found = found * 2", before="found = 0.0"), *CALLS)
    assert "found = found + jnp.sum(x, axis=0)\n    found = found * 2" in text


def test_break_in_the_else_of_an_inner_loop_leaves_the_outer_one():
    check(
        of_loop(
            """
for i in range(len(x)):
    for j in range(i):
        if x[j] > limit:
            break
        found = found + x[j]
    else:
        found = found * 0.5
        if found < -3:
            break
        continue
    break
else:
    found = found + 100
""",
            before="found = 0.0",
        ),
        *CALLS,
    )


def test_comments_stay_and_lines_are_those_of_the_file():
    source = of_loop(
        """
# looks for it
for i in range(len(x)):
    if x[i] > limit:
        found = x[i]
        break
# nothing there
else:
    found = 2 * x[0]
""",
        before="found = 0.0",
    )
    text = check(source, *CALLS[:-1])
    assert text.index("# looks for it") < text.index("stopped = False") < text.index("# nothing there")
    found = {d.code: d.line for d in convert(source)[2]}
    assert found["NJ421"] == 4 and found["NJ410"] == 7, found


def test_a_name_of_its_own():
    text = check(
        of_loop(
            "for i in range(len(x)):\n    if x[i] > limit:\n        break\nelse:\n    stopped = stopped + 1",
            "stopped",
            "stopped = 1",
        ),
        *CALLS,
    )
    assert "~stopped_2" in text


@pytest.mark.parametrize("other", ["raise ValueError(found)", "print(found)", "found = None", "return x"])
def test_what_python_does_afterwards(other):
    text = check(
        of_loop(f"for i in range(len(x)):\n    if x[i] > limit:\n        break\nelse:\n    {other}", before="found = 0"), *CALLS
    )
    assert "if not stopped:" in text and "_f_loop(" in text


STAYS = [
    "for i in range(len(x)):\n    if x[i] > limit:\n        found = str(i)\n        break\nelse:\n    found = ''",
    "def inner():\n    return found\nfor i in range(len(x)):\n    if x[i] > limit:\n        found = inner() + 1\n        break\nelse:\n    found = -1",
]


@pytest.mark.parametrize("loop", STAYS)
def test_what_jit_does_not_compile_stays_as_it_is_written(loop):
    text = check_stays(of_loop(loop, before="found = 0"), *CALLS)
    assert "else:" in text and "stopped" not in text


def test_errors_find_what_there_was():
    check_stays(
        of_loop(
            """
try:
    for i in range(9):
        if x[i] > limit:
            found = i
            break
    else:
        found = -1
except IndexError:
    pass
""",
            before="found = 0",
        ),
        *CALLS,
    )


def test_it_may_be_ignored():
    source = of_loop("for v in x:\n    found = found + v\nelse:\n    found = found * 2", before="found = 0.0")
    assert "else:" in convert(source, ignore=("NJ421",))[0]


def test_a_loop_of_a_method_moves():
    source = """
        import numpy as np


        class Search:
            def __init__(self, w: np.ndarray):
                self.w = w

            def run(self, x: np.ndarray, limit: float):
                s = 0.0
                for i in range(len(x)):
                    s = s + self.w[0] * x[i]
                    if s > limit:
                        break
                else:
                    s = s * 2
                return s


        def f(x: np.ndarray, limit: float):
            return Search(x).run(x, limit)
        """
    text = check_agrees(source, *CALLS)
    assert "_run_loop(" in text and "NJ421" in convert(source)[1]["Search.run"].codes


# --- grids -----------------------------------------------------------------------------------------------------------------

ROWS = np.arange(12.0).reshape(3, 4) - 5
GRIDS = [(ROWS,), (ROWS[:1],), (np.where(ROWS > 2, np.nan, ROWS),), (np.asfortranarray(ROWS),)]


def of_grid(loop, returned="y", before="y = np.zeros(x.shape)"):
    """A file with a function `f(x)`."""
    lines = [*before.split("\n"), *loop.strip("\n").split("\n"), f"return {returned}"]
    head = ["import itertools", "from itertools import product", "import numpy as np", "", "", "def f(x: np.ndarray):"]
    return "\n".join([*head, *(f"    {line}" for line in lines)]) + "\n"


NESTS = [
    "for i, j in product(range(x.shape[0]), range(x.shape[1])):\n    y[i, j] = x[i, j] * i - j",
    "for i, j in itertools.product(range(x.shape[0]), range(1, x.shape[1])):\n    y[i, j] = x[i, j - 1]",
    "for i, j in np.ndindex(x.shape):\n    y[i, j] = x[i, j] * i - j",
    "for i, j in np.ndindex(*x.shape):\n    y[i, j] = x[i, j] * i - j",
    "for i, j in np.ndindex(x.shape[0], x.shape[1]):\n    y[i, j] = x[i, j] * i - j",
    "for i, j in np.ndindex((x.shape[0], 2)):\n    y[i, j] = x[i, j] * i - j",
    "for (i, j), v in np.ndenumerate(x):\n    y[i, j] = v * i - j",
    "for (i, j), v in np.ndenumerate(x):\n    v = v * 2\n    y[i, j] += v",
    "n, m = x.shape\nfor k in np.ndindex(x.shape):\n    y[k] = x[k] * k[0] - k[1]",
    "n, m = x.shape\nfor k in np.ndindex(x.shape):\n    i, j = k\n    y[k] = x[i, j] * k[0] - j",
    "n, m = x.shape\nfor k, v in np.ndenumerate(x):\n    y[k] = v * sum(k)",
    "for k in product(range(x.shape[0]), range(2)):\n    i, j = k\n    y[i, j] = x[k] * j",
    "for (i, j) in product(range(2), repeat=2):\n    y[0, i + j] = i * x[0, j]",
]


@pytest.mark.quick(5)
@pytest.mark.parametrize("loop", NESTS)
def test_grids_are_nests_of_loops_over_ranges(loop):
    text = check(of_grid(loop), *GRIDS)
    assert "product(" not in text and "np.nd" not in text
    assert "fori_loop" not in text or "2" in loop, text


def test_the_shape_that_is_taken_apart_raises_for_another_rank():
    text = check(of_grid(NESTS[2]), (ROWS,))
    assert "n, m = x.shape" in text


def test_break_leaves_all_of_a_grid():
    loop = "for i, j in product(range(x.shape[0]), range(x.shape[1])):\n    y[i, j] = 1\n    if x[i, j] > -3:\n        break"
    text = check(of_grid(loop), *GRIDS)
    assert "stopped" in text
    check(of_grid(f"{loop}\nelse:\n    y[0, 0] = 7"), *GRIDS)
    check(of_grid(loop.replace("product", "product").replace("> -3", "> 99") + "\nelse:\n    y[0, 0] = 7"), *GRIDS)


NO_NESTS = [
    (
        "for i, j in product(range(2), range(3)):\n    y[i, j] = x[i, j]\ny[0, 0] = i",
        "y",
    ),  # `i` where there is no iteration of the inner loop
    ("for i, j in product(range(2), range(3)):\n    y[i, j] = x[i, j]\n    i = i + 1\n    y[0, 0] = i", "y"),
    ("i = 2\nfor i, j in product(range(2), range(i)):\n    y[i, j] = x[i, j]", "y"),
    ("m = 2\nfor i, j in product(range(2), range(m)):\n    y[i, j] = x[i, j]\n    m = m + 1", "y"),
    ("for i, j in product(range(2), (0, 2)):\n    y[i, j] = x[i, j]", "y"),
    ("for i, j in product(*(range(2), range(3))):\n    y[i, j] = x[i, j]", "y"),
    ("for k in np.ndindex(x.shape):\n    y[k] = x[k]", "y"),  # nobody knows how many indices
    ("if x.ndim == 3:\n    y = y * 2\nfor k in np.ndindex(x.shape):\n    y[k] = x[k]", "y"),
    ("n, m = x.shape\nfor k in np.ndindex(x.shape):\n    y[k] = sum(k for k in range(3))", "y"),
    ("c = 0.0\nfor v, w in np.nditer([x, y]):\n    c += v * w", "c"),
    ("for k in np.ndindex(x[0].shape):\n    y[0][k] = x[0][k]", "y"),
    ("fs = []\nfor i, j in product(range(2), range(3)):\n    fs.append(lambda: i + j)", "y + fs[0]()"),
    ("for i, i in product(range(2), range(3)):\n    y[0, i] = x[0, i]", "y"),
    ("for v in np.nditer(x, op_flags=['readwrite']):\n    v[...] = 2 * v", "x"),
    ("for v in np.nditer(x):\n    y[0, 0] = v", "y"),  # the last one in memory
    ("c = 0.0\nfor v in np.nditer(x):\n    c = c * 0.5 + v", "c"),
    ("c = 0.0\nfor v in np.nditer(x):\n    c += v\n    c *= 2", "c"),
    ("c = 0.0\nn = 1\nfor v in np.nditer(x):\n    n += 1\n    c += v * n", "c"),
    ("c = 0.0\nfor v in np.nditer(x, order='F'):\n    c += v", "c"),
    ("c = 0.0\nfor v in np.nditer(x):\n    c += v\n    if c > 3:\n        break", "c"),
]


@pytest.mark.parametrize(("loop", "returned"), NO_NESTS)
def test_what_is_no_grid_of_ranges_stays(loop, returned):
    check_stays(of_grid(loop, returned), (ROWS,))


def test_the_order_of_memory_makes_no_difference_to_sums():
    text = check(
        of_grid("c = 0.0\nn = 0\nfor v in np.nditer(x):\n    if v > 0:\n        c += v * v\n        n += 1", "c, n"), *GRIDS
    )
    assert "jnp.sum(jnp.ravel(x) > 0)" in text and "scan" not in text
    loop = "c = 0.0\nfor v in np.nditer(x, order='C'):\n    c = 0.5 * c + v\n    if c > 3:\n        break"
    check(of_grid(loop, "c"), *GRIDS)


# --- arrays that grow ------------------------------------------------------------------------------------------------------

GROWN = [
    ("a = np.array([])", "for v in x:\n    a = np.append(a, v * 2)"),
    ("a = np.array([])", "for i in range(len(x)):\n    a = np.append(a, i)"),  # integers become floats
    ("a = np.array([])", "for i in range(len(x)):\n    a = np.append(a, x[i] > 0)"),
    ("a = np.array([], dtype=int)", "for i in range(len(x)):\n    a = np.append(a, i * 2)"),
    ("a = np.array([], dtype=int)", "for i in range(len(x)):\n    a = np.append(a, x[i])"),
    ("a = np.array([], dtype=complex)", "for i in range(len(x)):\n    a = np.append(a, x[i])"),
    ("a = np.array([])", "for i in range(len(x)):\n    a = np.append(a, x[i] * 1j)"),
    ("a = np.empty(0)", "for i in range(len(x)):\n    limit = limit * 0.5 + x[i]\n    a = np.concatenate([a, [limit]])"),
    ("a = np.zeros((0,))", "for i in range(len(x)):\n    a = np.concatenate((a, np.array([x[i]])))"),
    ("a = np.array([])", "for i in range(len(x)):\n    a = np.hstack((a, [x[i]]))"),
    ("a = np.array([])", "for i in range(len(x)):\n    a = np.r_[a, x[i]]"),
    ("a = np.array([])", "for i in range(len(x)):\n    a = np.append(a, x * i)"),  # all items of an array
    ("a = np.array([])", "for i in range(len(x)):\n    for j in range(3):\n        a = np.append(a, x[i] * j)"),
    ("a = np.empty((0, len(x)))", "for i in range(len(x)):\n    a = np.vstack([a, x * i])"),
    ("a = np.empty((0, len(x)), int)", "for i in range(len(x)):\n    a = np.vstack((a, x * i))"),
    ("a = np.array([1.0])", "for v in x:\n    a = np.append(a, v)"),
    ("a = np.ones(2)", "for i in range(len(x)):\n    a = np.concatenate([a, [i]])"),
    ("a = np.array([0, 1])", "for i in range(len(x)):\n    a = np.append(a, 2 * i)"),
    ("a = np.zeros((1, len(x)))", "for i in range(len(x)):\n    a = np.vstack([a, x * i])"),
    (
        "a = np.array([])\nb = np.array([])",
        "for v in x:\n    a = np.append(a, v * 2)\n    b = np.append(b, limit + v)\na = a + b",
    ),
]


@pytest.mark.quick(7)
@pytest.mark.parametrize(("before", "loop"), GROWN)
def test_arrays_that_grow_are_filled_as_lists_are(before, loop):
    text = check(of_loop(loop, "a, a.sum()", before), *CALLS)
    assert "_items" in text or "_rows" in text


STILL_GROWN = [
    ("a = np.array([1])", "for v in x:\n    a = np.append(a, v)"),  # integers, until there is an item
    ("a = np.ones((2, 2))", "for v in x:\n    a = np.append(a, v)"),  # which makes a vector of it
    ("a = [1.0]", "for v in x:\n    a = np.append(a, v)"),
    ("a = np.ones(2)\nif limit > 0:\n    a = np.ones((1, 2))", "for v in x:\n    a = np.append(a, v)"),
    ("a = np.array([1.0])", "for v in x:\n    a = np.append(a, a[-1] * v)"),
    ("a = np.array([], np.float32)", "for v in x:\n    a = np.append(a, v)"),
    ("a = x", "for v in x:\n    a = np.append(a, v)"),
    ("a = np.array([])", "for v in x:\n    if v > limit:\n        a = np.append(a, v)"),
    ("a = np.array([])", "for v in x:\n    a = np.append(a, v)\n    if v > limit:\n        break"),
    ("a = np.array([])", "for v in x:\n    if v > limit:\n        continue\n    a = np.append(a, v)"),
    ("a = np.array([])", "for v in x:\n    a = np.append(a, v)\n    limit = limit + a.sum()"),
    ("a = np.array([])", "for v in x:\n    a = np.append(a, len(a))"),
    ("a = np.array([])", "for v in x:\n    a = np.append(v, a)"),  # ahead of the others
    ("a = np.array([])", "for v in x:\n    a = np.append(a, v)\n    a = np.append(a, v)"),
    ("a = np.array([])\nif limit > 0:\n    a = np.ones(2)", "for v in x:\n    a = np.append(a, v)"),
    ("a = np.array([])\nb = a", "while len(a) < 3:\n    a = np.append(a, limit)"),
]


@pytest.mark.quick(6)
@pytest.mark.parametrize(("before", "loop"), STILL_GROWN)
def test_other_arrays_grow_as_they_are_written(before, loop):
    check_stays(of_loop(loop, "a", before), (X[:5], 2.0), (X[:3], 99.0), (X[:1], 0.5))


# --- match -----------------------------------------------------------------------------------------------------------------

NUMBERS = [(X[:3], 0.0), (X[:3], 1.0), (X[:3], -2.5), (X[:3], np.nan), (X[:3], np.inf)]
MATCHES = [
    "match limit:\n    case 0:\n        r = 1.0\n    case 1 | 2:\n        r = 2.0\n    case _:\n        r = 0.5",
    "match limit:\n    case 0:\n        r = 1.0\n    case -2.5:\n        r = 2.0",
    "match limit * 2:\n    case 0 if x[0] > 3:\n        r = 1.0\n    case 2 | 0 if x[0] > 0 or x[1] > 0:\n        r = 7.0\n    case _:\n        r = 0.5",
    "match limit:\n    case 0:\n        r = 1.0\n    case v if v > 0:\n        r = v * 2\n    case v:\n        r = v + 1",
    "match limit:\n    case limit if limit > 0:\n        r = limit * 2\n    case _:\n        r = -1.0",
    "match limit, x[0]:\n    case 0, 1:\n        r = 1.0\n    case _, 1 if limit > 0:\n        r = 3.0\n    case 1 | 0, _:\n        r = 4.0",
    "for i in range(len(x)):\n    match i % 3:\n        case 0:\n            r = r + x[i]\n        case 1:\n            r = r * 2",
    "match x[0] > limit:\n    case 1:\n        r = 1.0\n    # else\n    case _:\n        r = 2.0",
    "match v := x[0] + limit:\n    case 1:\n        r = v\n    case _:\n        r = v * 2.0",
]


@pytest.mark.parametrize("match", MATCHES)
def test_match_is_a_chain_of_branches(match):
    text = check(of_loop(match, "r", "r = 9.0"), *NUMBERS)
    assert "case " not in text


NO_CHAINS = [
    "match limit > 0:\n    case True:\n        r = 1.0",  # `is True` is not asked of what JAX computes
    "match x:\n    case [a, b, c]:\n        r = a * limit if limit > 0 else b",
    "match limit:\n    case float():\n        r = 1.0 if limit > 0 else 2.0",
    "match limit:\n    case 0 as v:\n        r = v + 1.0 if x[0] > 0 else 2.0",
    "match limit, x[0]:\n    case v, 1.0:\n        r = v if v > 0 else 2.0",
    "match limit, x[0]:\n    case pair:\n        r = pair[0] if pair[1] > 0 else 2.0",
    "match limit:\n    case 0 if (r := 3.0) > limit:\n        r = 1.0",
]


@pytest.mark.parametrize("match", NO_CHAINS)
def test_other_patterns_stay(match):
    text = check_stays(of_loop(match, "r", "r = 9.0"), *NUMBERS)
    assert "case " in text


@pytest.mark.parametrize("parameter", ["x: np.ndarray", "x"])
def test_arrays_that_are_taken_for_sequences_keep_a_function(parameter):
    source = f"import numpy as np\n\ndef f({parameter}):\n    match x:\n        case [a, b]:\n            return np.sin(a) + b\n    return 0.0\n"
    assert refused(source).startswith("NJ102 `match` treats")
    check_agrees(source, (X[:2],), (X[:3],), keep=True)


def test_a_match_that_python_decides_stays():
    source = of_loop(
        "match kind:\n    case 'sum':\n        return x.sum()\n    case _:\n        return x.mean()", "x.max()"
    ).replace("limit: float", "kind: str")
    assert "case 'sum':" in check_stays(source, (X[:3], "sum"), (X[:3], "mean"))


def check_program(text, calls):
    """Whether a program ran in NumPy and agreed, and whether a form was written plainly."""
    made, functions, _diagnostics = convert(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ran = [agrees_on(text, made, functions["f"], call) for call in calls]
    return any(ran), "NJ421" in functions["f"].codes


def check_else(seed):
    rng = np.random.default_rng(seed)
    calls = []
    for n in (3, 1, 0):
        x = rng.normal(size=max(n, 3))
        if rng.random() < 0.3:
            x[rng.integers(len(x))] = rng.choice([np.nan, np.inf, 0.0])
        calls.append((x, rng.normal(size=3), float(rng.normal()), n))
    return check_program(else_programs.program(seed), calls)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_random_programs_with_else(seed):
    check_else(seed)


def test_random_programs_are_written_plainly():
    assert sum(check_else(seed)[1] for seed in range(100, 112)) >= 4


def check_grid(seed):
    rng = np.random.default_rng(seed)
    calls = []
    for shape in ((3, 2), (1, 1), (2, 4), (1, 3)):
        x = rng.normal(size=shape)
        if x.size and rng.random() < 0.3:
            x[0, 0] = rng.choice([np.nan, np.inf, 0.0])
        if rng.random() < 0.3:
            x = np.asfortranarray(x)
        whole = np.where(np.isfinite(x), x, 7).astype(int)  # NaN would be the least integer, or any other
        calls.append((x if rng.random() < 0.9 else whole, float(rng.normal())))
    return check_program(grid_programs.program(seed), calls)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_random_programs_of_grids(seed):
    check_grid(seed)


def check_growing(seed):
    rng = np.random.default_rng(seed)
    calls = []
    for n in (3, 2):
        x = rng.normal(size=3)
        if rng.random() < 0.3:
            x[rng.integers(3)] = rng.choice([np.nan, np.inf, 0.0])
        calls.append((x, rng.normal(size=3), float(rng.normal()), n))
    return check_program(growing_programs.program(seed), calls)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_random_programs_of_arrays_that_grow(seed):
    check_growing(seed)


def check_match(seed):
    rng = np.random.default_rng(seed)
    calls = []
    for n in (3, 1, 0):
        x = rng.choice([0.0, 1.0, -1.0, 2.0, 0.5, np.nan], size=3)
        calls.append((x, rng.choice([0.0, 1.0, 3.5], size=3), float(rng.normal()), n))
    return check_program(match_programs.program(seed), calls)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_random_programs_with_match(seed):
    check_match(seed)
