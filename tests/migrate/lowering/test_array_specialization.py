"""Functions of sequences: jit compiles a copy for arrays, and lists, strings and other objects get the original."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

DISTANCE = '''
import numpy as np


def f(a, b):
    """The edit distance."""
    n, m = len(a), len(b)
    d = np.zeros((n + 1, m + 1), dtype=int)
    d[:, 0] = np.arange(n + 1)
    d[0, :] = np.arange(m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d[n, m]
'''
FORWARD = """
import numpy as np


def f(A, B, start, seen):
    alpha = start * B[:, seen[0]]
    total = 0.0
    for o in seen[1:]:
        alpha = (alpha @ A) * B[:, o]
        total += np.log(alpha.sum())
        alpha = alpha / alpha.sum()
    return total, alpha
"""
AREA = """
import numpy as np


def f(points):
    area = 0.0
    for i in range(len(points)):
        j = (i + 1) % len(points)
        area += points[i][0] * points[j][1] - points[j][0] * points[i][1]
    return abs(area) / 2
"""
CALLS = {
    DISTANCE: [
        (np.array([1, 2, 3, 3]), np.array([2, 3, 1])),
        ("kitten", "sitting"),
        ([1, "a", None], (1, "b")),
        (np.array(list("abc")), np.array(list("axc"))),
        (np.array([1, "x"], dtype=object), np.array([1.0, 2.0])),
        (np.array([]), np.array([1.0])),
        (np.array([1.0, np.nan]), [1.0, np.nan]),
    ],
    FORWARD: [
        (np.array([[0.5, 0.5], [0.2, 0.8]]), np.array([[0.9, 0.1], [0.3, 0.7]]), start, seen)
        for start in (np.array([0.5, 0.5]), [0.25, 0.75], 0.5)
        for seen in (np.array([0, 1, 1]), [0, 1, 1, 0], np.array([1]))
    ],
    AREA: [
        (np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 1.0]]),),
        ([(0, 0), (2, 0), (2, 1)],),
        (np.ma.masked_array([[0.0, 0.0], [2.0, 0.0], [2.0, 1.0]], [[0, 0], [0, 1], [0, 0]]),),
        (np.zeros((0, 2)),),
    ],
}


@pytest.mark.parametrize("text", CALLS, ids=["edit distance", "forward", "area"])
def test_arrays_are_compiled_and_the_rest_is_numpys(text):
    made, functions, _diagnostics = convert(text, placement="fast")
    assert "@jax.jit\ndef _f_core(" in made and functions["f"].transform == "outlined"
    assert convert(made, placement="fast")[0] == made
    before, after = run(text)["f"], run(made)["f"]
    for arguments in CALLS[text]:
        want, got = before(*arguments), after(*arguments)
        assert type(got) is type(want)
        assert not compare_values(got, want, beside=2), arguments


@pytest.mark.parametrize(
    "body",
    [
        "for i in range(len(a)):\n        a[i] = a[i] == b[i]\n    return np.sum(b)",
        "best = a\n    for i in range(len(b)):\n        if b[i] == a[i]:\n            best = b\n    return best",
        "return np.array([a[0] == b[0]])",
        "s = 0\n    for x in a:\n        s = s + np.sum(x == b[0])\n        print(s)\n    return s",
        "s = 0\n    for x in a:\n        s = s + np.sum(x == b[0])\n" + "    s = s + 1\n" * 25 + "    return s",
        "for x in a:\n        yield np.sum(x == b[0])",
    ],
)
def test_others_stay_as_they_are(body):
    made = convert(f"import numpy as np\n\n\ndef f(a, b):\n    {body}\n", placement="fast")[0]
    assert "_core" not in made


def test_an_index_that_is_no_mask():
    text = """
import numpy as np


def f(table, k):
    x = 0.5
    for _ in range(20):
        x = np.sin(table[k].sum() * x) + table.mean()
    return x
"""
    made = convert(text, placement="fast")[0]
    assert (
        'if type(table) is np.ndarray and table.dtype.kind in "biufc" and type(k) is np.ndarray and k.dtype == np.int64:' in made
    )
    before, after, table = run(text)["f"], run(made)["f"], np.linspace(-1.0, 2.0, 5)
    for k in (np.array([0, 4, 4, -1]), table > 0, np.array([1, 2], np.int8), [1, 3], 2, np.zeros(0, int)):
        assert not compare_values(after(table, k), before(table, k), beside=8)


def test_what_nothing_reads_is_not_passed():
    text = AREA.replace("def f(points):", "def f(points, name):")
    made = convert(text, placement="fast")[0]
    assert "_f_core(points)" in made
    assert run(made)["f"](np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 1.0]]), "triangle") == 1.0


def test_code_for_a_device_is_not_doubled():
    assert "_core" not in convert(DISTANCE)[0]


CONFUSION = """
import numpy as np


def f(a, b, names):
    n = len(names)
    found = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            found[i, j] = np.sum((a == names[i]) & (b == names[j]))
    return found
"""
WEIGHTED = """
import numpy as np


def f(a, b, weights):
    found = weights * (a == b) * np.exp(weights) * np.sin(weights) * np.cos(weights) * np.tanh(weights)
    return np.sum(found) / np.sum(weights * np.exp(weights))
"""


@pytest.mark.parametrize("text", [CONFUSION, WEIGHTED], ids=["confusion", "weighted"])
def test_what_is_only_compared_may_be_text(text):
    made = convert(text, placement="fast")[0]
    assert "jax.jit" in made and '"biufc"' in made
    before, after = run(text)["f"], run(made)["f"]
    for names in (["a", "b", "c"], [1, 2, 3], [0.5, 2.0, 3.0]):
        labels = np.array(names)
        a, b = labels[[0, 1, 2, 1, 0, 2]], labels[[0, 2, 2, 1, 1, 2]]
        third = np.arange(6.0) if text is WEIGHTED else labels
        assert not compare_values(after(a, b, third), before(a, b, third), beside=2)
        assert not compare_values(after(a.tolist(), b.tolist(), third), before(a.tolist(), b.tolist(), third), beside=2)


def test_a_loop_over_what_is_only_compared():
    text = """
import numpy as np


def f(x, labels):
    names = np.array(tuple(set(labels)))
    width = x.shape[1]
    mean = np.mean(x, axis=0)
    total = np.zeros((width, width))
    for name in names:
        step = np.sin(mean) + 1
        total += x[labels == name, :].shape[0] * np.dot(step.reshape(width, 1), step.reshape(1, width))
    return total
"""
    made = convert(text, placement="fast")[0]
    assert 'if type(names) is type(labels) is np.ndarray and {names.dtype.kind, labels.dtype.kind} <= {*"biufc"}:' in made
    before, after, x = run(text)["f"], run(made)["f"], np.linspace(-1.0, 2.0, 12).reshape(4, 3)
    for labels in (np.array(["a", "b", "a", "c"]), np.array([1, 2, 2, 0])):
        assert not compare_values(after(x, labels), before(x, labels), beside=8)


@pytest.mark.parametrize("item", ["y[j]", "y[0]"])
def test_an_axis_of_a_number(item):
    """NumPy accepts `axis=0` for a number, JAX for arrays only."""
    body = f"    s = 0.0\n    for j in range(len(y)):\n        s += {item}.sum(axis=0) * 0.5\n    return s\n"
    text = f"import numpy as np\n\n\ndef f(y):\n{body}"
    made = convert(text, placement="fast")[0]
    for y in (np.arange(4.0), np.arange(6.0).reshape(3, 2), np.ones((2, 2, 2))):
        assert not compare_values(run(made)["f"](y), run(text)["f"](y))
    assert "jit" not in made or "y.ndim > 1" in made


DIFFERENCES = """
import numpy as np


def f(a, b):
    total = 0.0
    n = len(a)
    for i in {items}:
        total += pow(a[i] - b[i], 2)
    return total
"""


@pytest.mark.parametrize("items", ["range(len(a))", "range(n)", "range(1, n - 1)", "range(0, len(a) - 1)"])
def test_few_items_stay_numpys(items):
    text = DIFFERENCES.format(items=items)
    made = convert(text, placement="fast")[0]
    assert "is np.ndarray and a.size + b.size > 100 and {a.dtype.kind" in made
    assert convert(made, placement="fast")[0] == made
    rng = np.random.default_rng(3)
    for n in (0, 1, 50, 51, 200):
        a, b = rng.normal(size=(2, n))
        for call in ((a, b), (a.tolist(), b.tolist()), (a, b.tolist())):
            want, got = run(text)["f"](*call), run(made)["f"](*call)
            assert type(got) is type(want) and not compare_values(got, want), n


@pytest.mark.parametrize(
    "body",
    [
        "for i in range(len(a)):\n        for j in range(len(b)):\n            total += pow(a[i] - b[j], 2)",
        "for i in range(1000):\n        total += pow(a[0] - b[0], 2) * i",
        "for i in range(1000 * len(a)):\n        total += pow(a[0] - b[0], 2) * i",
        "for x, y in zip(a, b):\n        total += pow(x - y, 2)\n    for i in range(1000):\n        total += a[0] * i",
        "i = 0\n    while i < 1000:\n        total += pow(a[0] - b[0], 2) * i\n        i += 1",
        "n = len(a)\n    n = 1000 * n\n    for i in range(n):\n        total += pow(a[0] - b[0], 2) * i",
        "for i in range(0, 1000, len(a)):\n        total += pow(a[0] - b[0], 2) * i",
        "for i in range(len(a)):\n        total += np.dot(np.sin(a), np.cos(b)) * a[i]",
        "for i in range(len(a)):\n        total += pow(a[:i].sum() - b[i], 2)",
        "total = sum([sum([pow(x - y, 2) for x in a]) for y in b])",
    ],
)
def test_other_loops_need_no_long_arrays(body):
    text = f"import numpy as np\n\n\ndef f(a, b):\n    total = 0.0\n    {body}\n    return total\n"
    assert ".size >" not in convert(text, placement="fast")[0]


def test_the_size_of_a_label_is_not_asked():
    text = """
import numpy as np


def f(names, label):
    n = 0
    for i in range(len(names)):
        if names[i] == label:
            n += i
    return n
"""
    made = convert(text, placement="fast")[0]
    assert "is np.ndarray and names.size > 100 and names.dtype.kind in" in made and "label.size" not in made
    for n in (3, 200):
        for names, label in (
            (np.arange(n) % 7, 3),
            (np.arange(n) % 7, np.float64(2.0)),
            (["a", "b"] * n, "b"),
            (np.array(list("ab" * n)), "b"),
        ):
            assert not compare_values(run(made)["f"](names, label), run(text)["f"](names, label)), n


COUNTED = """
import numpy as np


def f(points, weights):
    out = np.zeros(len(points))
    for k, {item} in enumerate({items}):
        c = 0.0
        for i in range(5):
            c = np.cos(c + {value})
        out[k] = c
    return out
"""


@pytest.mark.parametrize(
    "item, items, value",
    [("(x, y)", "points", "x * y"), ("p", "points", "np.sum(p)"), ("((x, y), w)", "zip(points, weights)", "x * y * w")],
)
def test_counted_rows_are_no_unrolled_loop(item, items, value):
    """jit would trace the body once for each row of an array."""
    text = COUNTED.format(item=item, items=items, value=value)
    made = convert(text, placement="fast")[0]
    rng = np.random.default_rng(3)
    points, weights = rng.normal(size=(300, 2)), rng.normal(size=300)
    want, got = run(text)["f"](points, weights), run(made)["f"](points, weights)
    assert not compare_values(got, want)
    assert not compare_values(run(made)["f"](points.tolist(), weights.tolist()), want)
    core = made.partition("def _f_core")[2].partition("\n\n\n")[0]
    assert core and "for k, " not in core
