"""`sum`, `max`, `min`, `any` and `all` of Python's, of arrays and of generators."""

import itertools
import random

import jax
import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, compare_values, convert, copied, run
from np2jax.tests.helpers.drawn_programs import seeds
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

VECTORS = tuple(
    map(
        np.array,
        (
            [1.0, 3.0, 2.0],
            [-1.0, 0.5, 0.0],
            [np.nan, 1.0, 2.0],
            [2.0, np.nan, 1.0],
            [np.inf, 1.0, -np.inf],
            [1, 2, 3],
            [True, False, True],
        ),
    )
)
MATRICES = (np.arange(6.0).reshape(3, 2) - 2, np.array([[1, 2], [3, 4], [0, -1]]))


def function(expression, params="x: np.ndarray"):
    return f"import numpy as np\n\n\ndef f({params}):\n    return {expression}\n"


def compiled(expression, *calls, params="x: np.ndarray"):
    text = check_agrees(function(expression, params), *calls)
    assert "@jax.jit" in text, text
    return text.rpartition("return ")[2].strip()


def both(expression, *more):
    """Of two arrays of one length."""
    calls = [*itertools.product(VECTORS, VECTORS[:3]), *more]
    return compiled(expression, *calls, params="x: np.ndarray, y: np.ndarray")


@pytest.mark.parametrize("name", ["sum", "max", "min", "any", "all"])
def test_arrays(name):
    compiled(f"{name}(x)", *((v,) for v in VECTORS))
    compiled(f"{name}(x > 1)", *((v,) for v in VECTORS))


def test_rows_are_added():
    assert compiled("sum(x)", *((m,) for m in MATRICES)) == "jnp.sum(x, axis=0, dtype=jnp.result_type(0, x))"
    compiled("sum(2 * row for row in x)", *((m,) for m in MATRICES))


@pytest.mark.quick(8)
@pytest.mark.parametrize(
    "expression",
    [
        "sum(v ** 2 for v in x)",
        "sum([v ** 2 for v in x])",
        "max(abs(v) for v in x)",
        "min(v - 1 for v in x)",
        "any(v < 0 for v in x)",
        "all(v >= 0 for v in x)",
        "sum(1 for v in x if v > 0)",
        "sum(v > 0 for v in x)",
        "sum(np.sqrt(v) for v in x if v > 0)",
        "any(np.isnan(v) for v in x)",
        "all(v > 1 for v in x if v > 0)",
        "any(v > 1 for v in x if v > 0)",
        "sum(i * v for i, v in enumerate(x))",
        "sum(x[i] ** 2 for i in range(len(x)))",
        "sum(abs(x[i + 1] - x[i]) for i in range(len(x) - 1))",
        "all(x[i] <= x[i + 1] for i in range(len(x) - 1))",
        "max(x[i] for i in range(1, len(x)))",
        "sum(0.5 ** k * v for k, v in enumerate(x))",
        "np.sqrt(sum(v * v for v in x)) + 1",
    ],
)
def test_generators(expression):
    compiled(expression, *((v,) for v in VECTORS if v.dtype != bool))


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    "expression",
    [
        "sum(a * b for a, b in zip(x, y))",
        "max(abs(a - b) for a, b in zip(x, y))",
        "any(a < b for a, b in zip(x, y))",
        "sum(x[i] * y[i] for i in range(len(x)))",
        "sum(i * a * b for i, (a, b) in enumerate(zip(x, y)))",
        "min(x[i] + y[i] for i in range(len(x)))",
    ],
)
def test_two_arrays(expression):
    both(expression, *((v[:2], v[:2]) for v in VECTORS[:3]))


def test_rows_and_numbers():
    """Where nobody says how many dimensions arrays have, `vmap` keeps rows and numbers apart."""
    calls = [(m, np.array([1.0, 2.0, 3.0])) for m in MATRICES]
    compiled("sum(b * a for a, b in zip(x, y))", *calls, params="x: np.ndarray, y: np.ndarray")
    compiled("sum(w * np.dot(r, r) for w, r in zip(y, x))", *calls, params="x: np.ndarray, y: np.ndarray")
    compiled("sum(v * w for v in x)", (VECTORS[0], np.ones(2)), params="x: np.ndarray, w: np.ndarray")
    compiled("min(np.linalg.norm(q - p) for q in x)", (MATRICES[0], np.ones(2)), params="x: np.ndarray, p: np.ndarray")


def test_the_text():
    assert compiled("any(v < 0 for v in x)") == "jnp.any(x < 0)"
    assert compiled("sum((v - 1) ** 2 for v in x)") == "jnp.sum((x - 1) ** 2, axis=0, dtype=jnp.result_type(0, x))"
    assert (
        both("sum(a * b for a, b in zip(x, y))")
        == "jax.vmap(lambda a, b: a * b)(x[:n], y[:n]).sum(axis=0, dtype=jnp.result_type(0, x, y))"
    )


def test_arrays_of_other_lengths():
    """zip stops at the end of the shortest: an array of one element must not be stretched."""
    calls = (np.ones(3), np.arange(1.0, 2.0)), (np.arange(2.0), VECTORS[0]), (VECTORS[5], np.arange(2))
    compiled("sum(a * b for a, b in zip(x, y))", *calls, params="x: np.ndarray, y: np.ndarray")


def test_a_sum_of_small_integers():
    compiled("sum(v for v in x.astype(np.int32))", (VECTORS[0],))


def test_derivatives_stay_finite():
    text = convert(function("sum(np.sqrt(v) for v in x if v > 0)"))[0]
    assert np.isfinite(jax.grad(run(text)["f"])(np.array([0.0, 4.0]))).all()


@pytest.mark.parametrize(
    "expression",
    [
        "sum(x[i, j] for i in range(2) for j in range(2))",  # several clauses
        "sum(x[:i].sum() for i in range(len(x)))",  # a slice that varies
        "sum(np.zeros(i).sum() for i in range(1, len(x)))",  # a size
        "sum(2 ** i for i in range(len(x))) * x",  # integers that grow
        "sum((v for v in x), 1.0)",  # a start
        "max((v for v in x), default=0.0)",
        "max((v for v in x), key=abs)",
        "max(v for v in x if v > 0)",  # none may be left
        "sum(len(str(i)) for i in range(len(x))) * x",
        "sum(float(v) for v in x)",
        "sum(x[i] * np.maximum(2, i) for i in range(len(x)))",  # NumPy's function of a counter alone
    ],
)
def test_stays_pythons(expression):
    text = check_agrees(function(expression), *((v,) for v in VECTORS[:2]), keep=True)
    assert "vmap" not in text


def random_reduction(seed):
    choice = random.Random(seed)
    clause, names = choice.choice(
        [
            ("v in x", ["v"]),
            ("a, b in zip(x, y)", ["a", "b"]),
            ("i, v in enumerate(x)", ["i", "v"]),
            ("i in range(len(x))", ["x[i]", "y[i]", "i"]),
            ("i in range(1, len(x))", ["x[i]", "x[i - 1]", "y[i]"]),
            ("i, (a, b) in enumerate(zip(x, y))", ["i", "a", "b"]),
            ("i in range(len(x) - 1, -1, -1)", ["x[i]", "y[-1]"]),
        ]
    )

    name = choice.choice(["sum", "max", "min", "any", "all"])
    rounded = ["{} / {}", "np.sqrt({})"] if name in ("sum", "max", "min") else []  # else a test may see the last bit

    def term(depth=2):
        if depth == 0 or choice.random() < 0.2:
            return choice.choice([*names, *names, "c", "2", "0.5"])
        form = choice.choice(["{} + {}", "{} - {}", "{} * {}", "abs({})", "np.maximum({}, {})", "-{}", "({}) ** 2", *rounded])
        return "(" + form.format(*(term(depth - 1) for _ in range(form.count("{}")))) + ")"

    elt = term() if name in ("sum", "max", "min") else f"{term()} {choice.choice(['<', '>=', '=='])} {term(1)}"
    test = f" if {term(1)} > {term(0)}" if choice.random() < 0.3 else ""
    start = "0.0 + " if name == "sum" and test else ""  # the sum of nothing is Python's 0
    text = function(f"{start}{name}({elt} for {clause}{test})", "x: np.ndarray, y: np.ndarray, c: float")
    calls = [(a, b, c) for a in VECTORS[:6] for b in VECTORS[:6] for c in (0.0, -1.5)]
    check_agrees(text, *choice.sample(calls, 6), keep=True)


@pytest.mark.parametrize("seed", seeds(range(60), quick=10))
def test_random_reductions(seed):
    random_reduction(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1150))
def test_many_random_reductions(seed):
    random_reduction(seed)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64, bool, np.float32])
@pytest.mark.parametrize(
    "expression", ["sum(x)", "sum(v * 2 for v in x)", "sum(v * v for v in x if v > 2)", "sum(x[i] for i in range(len(x)))"]
)
def test_a_sum_is_as_narrow_as_its_terms(expression, dtype):
    """Python adds one to the other, in their dtype; what `jnp.sum` makes of narrow integers is wider."""
    source = f"import numpy as np\n\n\ndef f(x: np.ndarray):\n    return {expression}\n"
    text = check_agrees(source, (np.array([100, 100, 1]).astype(dtype),))
    assert "jax.jit" in text


@pytest.mark.parametrize(
    "expression, given",
    [
        ("np.exp(sum(x))", [(np.arange(3.0),), (np.ones((2, 3)),), ([1.0, 2.0],)]),
        ("np.exp(x) * sum((x * k) ** k)", [(np.arange(1.0, 4.0), 2), (np.ones((2, 2)), 3)]),
        ("np.sin(x[0]) + sum(x[:, 0] ** k)", [(np.ones((3, 2)), 2), (np.full((3, 2), 100, np.int8), np.int8(1))]),
        ("np.sin(x) + sum(x > k)", [(np.arange(5.0), 1.5)]),
    ],
)
def test_sum_of_what_is_unknown(expression, given):
    """A list, or an array whose elements may be small integers: Python adds them in their own dtype."""
    params = "x, k" if "k" in expression else "x"
    text, functions, _ = convert(function(expression, params))
    assert functions["f"].label == "assumed" and "_sum(" in text and " sum(x" not in text
    for arguments in given:
        expected = run(function(expression, params))["f"](*copied(arguments))
        compare_values(run(text)["f"](*arguments), expected)


def test_sum_is_not_unrolled():
    text, _, _ = convert(function("np.exp(x) * sum(x ** k)", "x, k"))
    assert len(str(jax.make_jaxpr(run(text)["f"])(np.ones(1000), 2)).splitlines()) < 40


def test_sum_of_a_list_display_stays():
    text, _, _ = convert(function("sum([np.sin(x), np.cos(x)]) + sum((x, x))"))
    assert "_sum" not in text
