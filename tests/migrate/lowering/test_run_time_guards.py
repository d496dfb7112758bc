"""Code that stays NumPy tests what its compiled parts assume of their arguments, and runs as it was where that does not hold."""

import textwrap

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run
from np2jax.tests.helpers.guarded_calls import guarded

RNG = np.random.default_rng(5)
V, W = RNG.normal(size=7), RNG.normal(size=5)
A, B = RNG.normal(size=(6, 4)), RNG.normal(size=(4, 4))
EMPTY = np.zeros(0)
NAN = np.array([1.0, np.nan, -np.inf, 0.0, 2.0])


def test_a_rank():
    text = guarded(
        """
        def f(q: np.ndarray, spans: np.ndarray):
            print(len(spans))
            for j in spans:
                q[j[0] : j[1]] *= -1.0
            return q
        """,
        (V, np.array([[1, 3], [4, 6]])),
        (A, np.array([[1, 3], [4, 6]])),
        (A, np.zeros((0, 2), int)),
        (EMPTY, np.array([[0, 1]])),
    )
    assert "if q.ndim == 1" in text and "else:\n        for j in spans:" in text
    assert "assert" not in text


def test_ranks_of_masks():
    text = guarded(
        """
        def f(X, y, k):
            print("means")
            means = np.zeros((k, X.shape[1]))
            for j in range(k):
                means[j] = X[y == j].mean(axis=0)
            return means
        """,
        (A, np.array([0, 1, 0, 1, 2, 2]), 3),
        (A, np.array([0, 1, 0, 1, 2, 2]), 0),
        (A, np.array([0, 1, 0, 1, 2, 2]), 4),
    )
    assert "if X.ndim == 2 and y.ndim == 1:" in text and "assert" not in text


def test_no_iterations():
    text = guarded(
        """
        def f(x, alpha):
            print("smoothing")
            y = np.zeros(len(x))
            level = 0.0
            for i in range(len(x)):
                level = alpha * x[i] + (1 - alpha) * level
                y[i] = level
            return y
        """,
        (V, 0.5),
        (NAN, 0.5),
        (EMPTY, 0.5),
        (V.tolist(), 0.5),
        ([], 0.5),
    )
    assert "if len(x) > 0:" in text
    assert "    else:\n        y = np.zeros(len(x))\n    return y" in text  # neither the loop nor what only the loop reads


def test_no_iterations_and_nothing_else_to_do():
    text = guarded(
        """
        def f(x: np.ndarray, w: np.ndarray):
            print("in place")
            for i in range(1, len(x)):
                x[i] = w[i % 3] * x[i - 1] * x[i - 1] + x[0]
            return x
        """,
        (V, W),
        (V[:1], W),
        (V[:1], EMPTY),
        (EMPTY, W),
        (NAN, W),
    )
    assert "else:" not in text


def test_no_iterations_of_an_inner_loop():
    text = guarded(
        """
        def f(x: np.ndarray, w: np.ndarray):
            print("inner")
            s = 0.0
            for i in range(len(x)):
                for j in range(len(w)):
                    s = s * w[j] + x[i] * w[j // 2] * x[0]
                s = s + 1.0
            return s
        """,
        (V, W),
        (V, EMPTY),
        (EMPTY, W),
        (EMPTY, EMPTY),
    )
    assert "if len(x) > 0 and len(w) > 0:" in text and text.count("for j in range(len(w))") == 1


def test_an_array_that_only_some_iterations_read():
    guarded(
        """
        def f(n, d: np.ndarray):
            print("pairs")
            s, k = 1.0, 0
            for i in range(n):
                for j in range(i + 1, n):
                    s = s * 0.5 + d[k]
                    k += 1
            return s
        """,
        (4, V),
        (1, EMPTY),
        (0, EMPTY),
    )


def test_a_loop_of_a_method():
    text = guarded(
        """
        class Rotations:
            def __init__(self, array):
                self.array = np.array(array, dtype=float)

            def flip(self, spans: np.ndarray):
                print(len(spans))
                for j in spans:
                    self.array[j[0] : j[1]] *= -1.0
                return self.array

        def f(array, spans):
            return Rotations(array).flip(spans)
        """,
        (V, np.array([[1, 3], [4, 6]])),
        (A, np.array([[1, 3], [4, 6]])),
        (A.tolist(), np.zeros((0, 2), int)),
    )
    assert "if self.array.ndim == 1" in text


def test_while():
    text = guarded(
        """
        def f(x: np.ndarray, tol):
            print("until")
            i, s = 0, 1.0
            while i < len(x) and s > tol:
                s = s * 0.5 + x[i] * x[0]
                i += 1
            return s
        """,
        (V, -9.0),
        (V, 9.0),
        (EMPTY, 0.0),
    )
    assert "if len(x) > 0:" in text and "else:\n        i, s" not in text


def test_nothing_is_tested_where_nothing_is_assumed():
    text = guarded(
        """
        def f(x: np.ndarray, w: np.ndarray):
            print("rows")
            y = np.zeros(len(x))
            for i in range(len(x)):
                y[i] = np.sum(np.sqrt(w * w + x[i])) * 2.0
            return y
        """,
        (V * V, W),
        (EMPTY, W),
        (V * V, EMPTY),
    )
    assert "_f_loop(x, w)" in text and "if " not in text.partition("def f(")[2]


def test_what_stands_in_a_branch_is_not_tested_again():
    text = guarded(
        """
        def f(x: np.ndarray, w):
            print("branch")
            s = 0.0
            if len(x) > 0:
                for i in range(len(x)):
                    s = s * w + x[i] * x[0]
            return s
        """,
        (V, 0.5),
        (EMPTY, 0.5),
    )
    assert text.count("len(x) > 0") == 1


def test_statements():
    text = guarded(
        """
        def f(X, y, k):
            if k < 1:
                raise ValueError(f"{k} groups")
            print("variances")
            Z = np.cos(X) * np.exp(np.sin(X))
            Z = np.tanh(Z - X[y == 0].mean(axis=0)) ** 3 / np.cosh(Z)
            Z = Z * np.sqrt(np.abs(Z)) + np.hypot(Z, X[y == 1].var(axis=0))
            return Z
        """,
        (A, np.array([0, 1, 0, 1, 2, 2]), 3),
        (A, np.array([0, 1, 0, 1, 2, 2]), 0),
        (A[0, :4], np.array([0, 1, 0, 1]), 2),
    )
    assert "_core" in text or "_Z" in text, text
    assert "if X.ndim == 2 and y.ndim == 1:" in text


def test_a_loop_that_is_long_stays_where_an_assertion_could_change_the_answer():
    lines = "\n".join(f"                x[j[0] : j[1]] += 0.{k + 1}" for k in range(30))
    text = guarded(
        f"""
        def f(x: np.ndarray, spans: np.ndarray):
            print(len(spans))
            for j in spans:
{lines}
            return x
        """,
        (V, np.array([[1, 3]])),
        (A, np.array([[1, 3]])),
    )
    assert "jax.jit" not in text


def test_an_item_ahead_of_a_position_is_found_as_before():
    text = guarded(
        """
        def f(q: np.ndarray):
            jumps = np.nonzero(np.where(np.abs(q) > 1.0, 1, 0))[0] + 1
            print(len(jumps))
            s = 0.0
            for i in range(len(q)):
                s = s * 0.5 + np.sum(q[i] * q[0])
            return s, jumps
        """,
        (V,),
        (A,),
        (EMPTY,),
    )
    assert "assert" not in text


def test_code_that_runs_on_the_device_asserts():
    source = """
        import numpy as np

        def f(q: np.ndarray, spans: np.ndarray):
            print(len(spans))
            for j in spans:
                q[j[0] : j[1]] *= -1.0
            return q
        """
    text, _functions, _diagnostics = convert(textwrap.dedent(source), placement="device")
    assert "assert q.ndim == 1" in text and "if q.ndim" not in text


def test_a_condition_on_numbers_alone_is_no_guard():
    text = "import numpy as np\n\n\ndef f(x: np.ndarray):\n    print(x)\n    s = np.zeros(50)\n    for i in range(1, 50):\n        s[i] = s[i - 1] * 0.3 + x[i] ** 2\n    return s\n"
    made = convert(text, placement="fast")[0]
    assert "_f_loop(x)" in made and "    if " not in made


MADE = """
import numpy as np


def f(n, m, x: np.ndarray):
    print(n)
    f = np.zeros([n, m // 2 + 1])
    for j in range(n):
        for i in range(int(x[j]), int(x[j + 1])):
            f[j, i] = (i - x[j]) / (x[j + 1] - x[j])
    return f


def g(shape, x: np.ndarray):
    print(shape)
    f = np.zeros(shape)
    for j in range(x.shape[0]):
        for i in range(x.shape[1]):
            f[j, i] = x[j, i] * i + f[j, i - 1]
    return f
"""


def test_shapes_that_are_lists():
    text = convert(MADE, placement="fast")[0]
    old, new = run(MADE), run(text)
    steps = np.array([0.0, 2.0, 3.0])
    assert "n > 0 and m // 2 + 1 > 0" in text and not compare_values(new["f"](2, 6, steps), old["f"](2, 6, steps))
    for shape in ((2, 3), [2, 3], np.array([2, 3])):
        assert not compare_values(new["g"](shape, np.ones((2, 3))), old["g"](shape, np.ones((2, 3))))
    assert "_g_loop(_as_shape(shape), x)" in text


GROUPS = """
def f(labels, x):
    out = {}
    for label in np.unique(labels):
        total, count = 0.0, 0
        for i in range(len(x)):
            if labels[i] == label:
                total += x[i]
                count += 1
        out[str(label)] = total / count
    return out
"""
LABELS = np.array([2, 0, 2, 1, 0, 2, 1])


def test_labels_may_be_text_where_they_are_only_compared():
    text = guarded(GROUPS, *[(labels, V) for labels in (LABELS, LABELS * 1.5, LABELS.tolist(), EMPTY)])
    assert 'np.asarray(label).dtype.kind in "biufc"' in text
    after, before = run(text)["f"], run("import numpy as np\n" + GROUPS)["f"]
    for labels in (np.array(["a", "b", "c"])[LABELS], ["a", "b", "a", "b", "b", "a", "c"]):
        assert not compare_values(after(labels, V), before(labels, V))


def test_one_label_is_a_number():
    source = """
        def f(labels, x, label):
            total, count = 0.0, 1
            for i in range(len(x)):
                if labels[i] == label:
                    total += x[i]
                    count += 1
            return total / count
        """
    text = guarded(source, (LABELS, V, 2), (LABELS, V, np.int64(1)), (LABELS * 1.5, V, 3.0), (LABELS, V, "1"))
    assert "jax.jit" in text and "np.ndim(label) == 0" in text
    before = run("import numpy as np\n" + textwrap.dedent(source))["f"]
    assert not compare_values(run(text)["f"](LABELS.astype(str), V, "1"), before(LABELS.astype(str), V, "1"))


FILLED = {
    "a relaxation": "def f(x, n):\n    print(n)\n    for _ in range(n):\n        for i in range(1, len(x) - 1):\n"
    "            x[i] = 0.5 * (x[i - 1] + x[i + 1])\n    return n\n",
    "Gauss-Seidel": "def f(x, b, A=A):\n    for i in range(len(b)):\n        s = 0.0\n        for j in range(len(b)):\n"
    "            if j != i:\n                s += A[i, j] * x[j]\n        x[i] = (b[i] - s) / A[i, i]\n    return len(b)\n",
}


@pytest.mark.parametrize("name", FILLED)
def test_lists_that_loops_change(name):
    """As in NumPy, the list of the caller changes, and integers in it stay integers."""
    source = "\nA = np.arange(16.0).reshape(4, 4) + 9 * np.eye(4)\n\n\n" + FILLED[name]
    last = 3 if name == "a relaxation" else np.ones(4)
    given = ([1.0, 2.0, 9.0, 4.0], [1, 2, 9, 4], np.array([1.0, 2.0, 9.0, 4.0]), [0.0] * 4, [V[0], 1, 2.0, V[1]])
    text = guarded(source, *[(x, last) for x in given])
    assert "jax.jit" in text and "type(x) is np.ndarray" in text
    items = [1, 2, 9, 4]
    run(text)["f"](items, last)
    assert type(items[1]) is not int and (type(items[0]) is int) == (name == "a relaxation")


def test_what_is_no_list_is_not_tested():
    """On a device, arrays are JAX's; and lists have no `ndim`."""
    source = "import numpy as np\n\n\n" + FILLED["a relaxation"]
    assert "type(x)" not in convert(source, placement="device")[0]
    asserted = source.replace("print(n)", "assert x.ndim == 1\n    print(n)")
    made = convert(asserted, placement="fast")[0]
    assert "jax.jit" in made and "type(x)" not in made


MEASURED = {
    "lengths": "return np.array([len(x[i]) for i in range(len(x))]) * k",
    "shapes": "return np.array([x[i].shape[0] for i in range(len(x))]) * k",
    "sums of items": "s = np.zeros(len(x))\nfor i in range(len(x)):\n    s[i] = np.sum(x[i]) * k\nreturn s",
    "sums of rows": "return np.array([np.sqrt(np.abs(row)).sum() * k for row in x])",
    "pairs": "s = 0.0\nfor i, row in enumerate(x):\n    s = s * 0.5 + np.mean(row**2) * i\nreturn s",
}


@pytest.mark.parametrize("name", MEASURED)
def test_lists_of_arrays_of_different_lengths(name):
    """Time series, of which NumPy makes no array unless it is one of objects."""
    body = "".join(f"    {line}\n" for line in MEASURED[name].split("\n"))
    source = f"import numpy as np\n\n\ndef f(x, k, log):\n    log(k)\n{body}"
    text = convert(source, placement="fast")[0]
    ragged = [V, W, np.ones(3)]
    objects = np.array([*ragged, None], dtype=object)[:3]
    for x in (A, ragged, objects, [V, V + 1], A.astype("float32"), np.ones((2, 3), int)):
        assert not compare_values(run(text)["f"](x, 2, print), run(source)["f"](x, 2, print))
    assert name in ("pairs", "sums of rows") or 'x.dtype.kind in "biufc"' in text


def test_a_long_loop_through_such_a_list_stays():
    lines = "".join(f"        s = s * 0.5 + np.sum(x[i]) * {k}\n" for k in range(30))
    source = (
        f"import numpy as np\n\n\ndef f(x, k, log):\n    log(k)\n    s = 0.0\n    for i in range(len(x)):\n{lines}    return s\n"
    )
    text = convert(source, placement="fast")[0]
    x = [V, W, np.ones(3)]
    assert not compare_values(run(text)["f"](x, 2, print), run(source)["f"](x, 2, print))


def test_numbers_may_be_a_list():
    """What is computed of each item alone needs no array of rows."""
    source = "import numpy as np\n\n\ndef f(x, k, log):\n    log(k)\n    s = 0.0\n    for i in range(len(x)):\n        s = s * 0.5 + np.sqrt(x[i]).real\n    return s\n"
    text = convert(source, placement="fast")[0]
    assert "jax.jit" in text and "_as_" in text and "ndarray and" not in text.replace("isinstance(x, np.ndarray) and", "")
