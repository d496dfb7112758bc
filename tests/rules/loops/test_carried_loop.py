"""Loops that jit compiles: what they carry, how they are counted, and which stay Python's."""

import textwrap
from collections import Counter

import numpy as np
import pytest

from np2jax.migrate.analysis.interp import loop_statements
from np2jax.tests.helpers.differential import body, check_agrees, convert
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)


def compiled(text):
    return body(convert("import numpy as np\n" + text)[0])


def test_two_arrays_are_carried():
    text = check_agrees(
        """
        import numpy as np

        def f(A: np.ndarray, B: np.ndarray, steps):
            for t in range(1, steps):
                B[1:-1] = 0.33333 * (A[:-2] + A[1:-1] + A[2:])
                A[1:-1] = 0.33333 * (B[:-2] + B[1:-1] + B[2:])
        """,
        (np.arange(8.0) ** 2, np.zeros(8), 5),
        (np.arange(8.0) ** 2, np.zeros(8), 1),
        (np.arange(8.0) ** 2, np.zeros(8), -3),
    )
    assert "def step(_, carry):\n        A, B = carry\n" in text
    assert "A, B = lax.fori_loop(1, steps, step, (A, B))" in text


RANGES = [
    "range(n)",
    "range(1, n)",
    "range(n - 2, -1, -1)",
    "range(0, n, 2)",
    "range(n - 1, 0, -3)",
    "range(3, n, 4)",
]

DEPENDENT = ("range(n)", "range(1, n)", "range(n - 1, 0, -3)")  # those that read what an iteration before stored, or may


@pytest.mark.parametrize("iterations", RANGES)
@pytest.mark.parametrize("size", [0, 1, 2, 5, 12])
def test_every_form_of_a_range(iterations, size):
    source = f"""
        import numpy as np

        def f(x: np.ndarray):
            n = x.shape[0]
            y = np.zeros(n + 1)
            for i in {iterations}:
                y[i + 1] = 0.5 * y[i] + i
            return y
        """
    text = check_agrees(source, (np.ones(size),))
    assert ("fori_loop" in text or "lax.scan" in text) == (iterations in DEPENDENT)


def test_a_carried_number_starts_as_what_it_becomes():
    source = """
        import numpy as np

        def f(x: np.ndarray):
            total = 0
            for i in range(x.shape[0]):
                total = total + x[i] / 2
            return total
        """
    check_agrees(source, (np.arange(4.0),), (np.arange(3),), (np.arange(3) * 1j,), (np.arange(3, dtype=np.float32),))


def test_the_index_after_the_loop():
    source = """
        import numpy as np

        def f(x: np.ndarray):
            total = 0.0
            for i in range(0, x.shape[0], 2):
                total = total + x[i]
            return total, i
        """
    check_agrees(source, (np.arange(4.0),), (np.arange(5.0),), (np.arange(1.0),))


def test_nested_loops():
    source = """
        import numpy as np

        def f(a: np.ndarray):
            n = a.shape[0]
            for j in range(1, n, 2):
                for k in range(j):
                    a[j] += a[k] * j
            return a
        """
    text = check_agrees(source, (np.arange(7.0),), (np.arange(1.0),))
    assert text.count("fori_loop") == 2


def test_rows_are_scanned():
    source = """
        import numpy as np

        def f(xs: np.ndarray, y: np.ndarray):
            for x in xs:
                y = y * x + 1
            return y
        """
    text = check_agrees(source, (np.arange(6.0).reshape(2, 3), np.ones(3)))
    assert "y, _ = lax.scan(update_y, y, xs)" in text


def test_a_condition():
    source = """
        import numpy as np

        def f(x: np.ndarray, tol):
            err = 1.0
            while err > tol:
                x = x / 2
                err = np.abs(x).max()
            return x, err
        """
    text = check_agrees(source, (np.arange(4.0), 1e-3), (np.arange(4.0), 10.0))
    assert "lax.while_loop(running, step, (x, err))" in text


def test_the_key_is_carried():
    text = compiled(
        """
def f(n, size):
    rng = np.random.default_rng(0)
    x = np.zeros(size)
    for _ in range(n):
        x += rng.normal(size=size)
    return x
"""
    )
    assert "x, rng = lax.fori_loop(0, n, step, (x, rng))" in text


def test_sizes_that_are_powers_of_the_index_unroll_the_loop():
    text = check_agrees(
        """
        import numpy as np

        def f(x: np.ndarray, K):
            for i in range(K):
                x = x.reshape(2**i, -1)
                x = x + x[:, ::-1]
            return x.ravel()
        """,
        (np.arange(8.0), 3),
    )
    assert 'static_argnames="K"' in text and "for i in range(K)" in text


STAYS = [
    "for i in range(n):\n        out.append((i, x[i]))",
    "for i in range(n):\n        x = np.append(x, np.zeros(i))",
    "for i in range(n):\n        x = np.r_[np.c_[x, x][0], x]",
    "for i in range(n):\n        x = np.concatenate([np.append(x, 1.0), x])",
    "for i in range(n):\n        x = np.delete(x, 0)",
    "for i in range(n):\n        y = x[:i].reshape(i, 1)\n        x = x + y.sum()",
    "for i in range(n):\n        try:\n            x = x + i\n        except ValueError:\n            pass",
    "for i in range(n):\n        d['a'] = x\n        x = x + 1",
]


@pytest.mark.parametrize("loop", STAYS)
def test_what_stays_a_loop_of_python(loop):
    text = compiled(f"def f(x: np.ndarray, n):\n    out = []\n    d = {{}}\n    {loop}\n    return x, out, d\n")
    assert "for i in range(n)" in text and "jit" not in text


def test_a_loop_in_a_method_moves_into_a_function():
    text = compiled(
        "class C:\n    def f(self, x):\n        for i in range(len(x)):\n            x = np.sin(x)\n        return x\n"
    )
    assert "x = _f_loop(x)" in text and "lax.fori_loop(" in text


ROWS = {
    "enumerate(zip(xs, ys))": ("i, (x, y)", "z = z * x + y * i"),
    "zip(xs, ys)": ("x, y", "z = z * x + y"),
    "enumerate(xs, 2)": ("i, x", "z = z * i + x"),
    "reversed(xs)": ("x", "z = z / 2 + x"),
    "xs[1:]": ("x", "z = z / 2 + x"),
    "zip(range(1, 4), xs)": ("i, x", "z = z * i + x"),
}


@pytest.mark.parametrize("iterable", ROWS)
def test_rows_of_several_arrays(iterable):
    target, body = ROWS[iterable]
    source = f"""
        import numpy as np

        def f(xs: np.ndarray, ys: np.ndarray, z: np.ndarray):
            for {target} in {iterable}:
                {body}
            return z
        """
    arguments = [(np.arange(3.0), np.ones(3) * 2, np.arange(2.0)), (np.arange(6.0).reshape(3, 2), np.ones((3, 2)), np.ones(2))]
    assert "lax.scan(" in check_agrees(source, *arguments)


def test_a_range_backwards():
    source = """
        import numpy as np

        def f(z: np.ndarray):
            for i in reversed(range(1, len(z))):
                z[i - 1] += z[i] * i
            for i in reversed(range(1, len(z) - 1, 3)):
                z[i - 1] += z[i] * i
            return z, i
        """
    assert "fori_loop" in check_agrees(source, (np.arange(7.0),), (np.arange(9.0),), (np.arange(5.0),))


def test_a_sequence_of_numbers_that_nobody_says_is_an_array():
    source = """
        import numpy as np

        def f(points, z: np.ndarray):
            for p in points:
                z = z / p
            return z
        """
    text = check_agrees(source, (np.arange(1.0, 4.0), np.ones(2)), ([1.0, 2.0], np.ones(2)))
    assert "lax.scan(update_z, z, jnp.asarray(points))" in text


def test_a_sequence_of_something_else_stays():
    text = compiled("def f(names, z: np.ndarray):\n    for n in names:\n        z = z + len(n)\n    return z\n")
    assert "for n in names" in text


def test_a_number_that_the_loop_binds_first():
    source = """
        import numpy as np

        def f(x: np.ndarray, n):
            for i in range(n):
                x = x / 2
                size = np.sqrt(np.sum(x**2))
            return x, size
        """
    text = check_agrees(source, (np.arange(4.0), 3), (np.arange(4.0), 1))
    assert "x, size = lax.fori_loop(0, n, step, (x, 0))" in text


def test_stores_to_one_place_in_a_row_are_one():
    source = """
        import numpy as np

        def f(A: np.ndarray):
            N = A.shape[0]
            for i in range(1, N - 1):
                for j in range(1, N - 1):
                    A[i, j] += A[i, j - 1]
                    A[i, j] /= 9.0
            return A
        """
    text = check_agrees(source, (np.arange(25.0).reshape(5, 5),), (np.arange(25, dtype=np.float32).reshape(5, 5),))
    assert "A_ij = A[i, j] + A[i, j - 1]" in text and text.count(".at[") == 1
    check_agrees(source, (np.arange(25).reshape(5, 5),))  # truncated at each store: one number alone


def test_what_is_stored_first_has_the_shape_and_dtype_of_its_place():
    source = """
        import numpy as np

        def f(c: np.ndarray, w: np.ndarray):
            for k in range(c.shape[1]):
                c[:, k] = 7.9
                total = c[:, k].sum() + w[k]
                c[:, k] = c[:, k] / total
                c[:, k] += w[k]
            return c
        """
    for dtype in (float, np.float32, int):
        check_agrees(source, (np.ones((3, 2), dtype), np.arange(2.0)))


READ_BETWEEN = [
    "B[i] = A.sum()",
    "B[i] = A[i - B.shape[0]]",
    "i = i - 1",
    "B = B + A[:i].sum() if False else A",
    "A = A * 2",
    "for j in range(3):\n            B[j] = A[j]",
    "B[i] = A[B.shape[0] - 1 - i]",
    "A[i - 1] = A[i - 2]",
    "A[-i] = 5",
]


@pytest.mark.parametrize("between", READ_BETWEEN)
def test_stores_stay_where_the_array_may_be_read_between(between):
    source = f"""
import numpy as np


def f(A: np.ndarray, B: np.ndarray):
    for i in range(1, B.shape[0]):
        A[i] += 1
        {between}
        A[i] *= 3
    return A, B
"""
    text = check_agrees(source, (np.arange(1.0, 7.0), np.arange(6.0)), keep=True)
    assert "A_i = " not in text


def test_a_store_elsewhere_does_not_hinder():
    source = """
        import numpy as np

        def f(A: np.ndarray, B: np.ndarray):
            for i in range(1, A.shape[0]):
                A[i] += A[i - 1]
                A[i - 1] = B[i] * A.shape[0]
                A[i] *= 3
            return A
        """
    assert "A_i = " in check_agrees(source, (np.arange(1.0, 7.0), np.arange(6.0)))


def test_a_loop_that_stays_says_why():
    _text, _functions, diagnostics = convert(
        "import numpy as np\n\n\ndef f(x: np.ndarray):\n    out = []\n    for i in range(len(x)):\n        out.append((i, x[i] * 2))\n"
        "    return out\n"
    )
    found = [d for d in diagnostics if d.code == "NJ402"]
    assert len(found) == 1 and "may change `out`" in found[0].message and found[0].line == 6


def test_what_ufuncs_take_are_numbers():
    source = """
        import numpy as np

        def f(points, z: np.ndarray):
            for p in points:
                z = z + np.power(p, 2.0)
            return z
        """
    assert "lax.scan(" in check_agrees(source, (np.arange(1.0, 4.0), np.ones(2)), ([1.0, 2.0], np.ones(2)))


def test_shifts_and_bits_of_a_carried_integer():
    source = """
        import numpy as np

        def f(data: np.ndarray, poly=0x8408):
            crc = 0xFFFF
            for b in data:
                byte = 0xFF & b
                for _ in range(0, 8):
                    if (crc & 1) ^ (byte & 1):
                        crc = (crc >> 1) ^ poly
                    else:
                        crc >>= 1
                    byte >>= 1
            return (crc << 8) | (crc >> 8)
        """
    assert "lax.scan(" in check_agrees(source, (np.arange(250, 256),), (np.arange(9, dtype=np.uint8),), (np.arange(0),))


def test_a_store_on_one_side_of_a_branch_keeps_shape_and_dtype():
    source = """
        import numpy as np

        def f(G, S, n):
            for i in range(n):
                for j in range(n):
                    if i - j >= 0:
                        S[i, j] += G[i - j] @ G[j]
        """
    text = check_agrees(source, (np.arange(6.0).reshape(2, 3), np.zeros((2, 2)), 2))
    assert text.count("fori_loop") == 2


def test_arrays_made_with_the_shape_of_another_have_its_shape():
    source = """
        import numpy as np

        def f(C: np.ndarray, turns, horizon=2.0):
            N = np.zeros(C.shape, dtype=np.int64)
            Z = np.zeros(C.shape, dtype=np.complex128)
            for n in range(turns):
                inside = np.less(abs(Z), horizon)
                N[inside] = n
                Z[inside] = Z[inside] ** 2 + C[inside]
            return Z, N
        """
    text = check_agrees(source, (np.array([[0.3 + 0.1j, 2.0], [-1.0, 0.4j]]), 8))
    assert "N = jnp.where(inside, n, N)" in text


def test_a_reduction_along_an_axis_is_no_number():
    source = """
        import numpy as np

        def f(X: np.ndarray, n):
            for i in range(n):
                s = X.sum(-1)
                X = X / 2
            return s
        """
    assert "jax.eval_shape" in check_agrees(source, (np.ones((2, 3)), 2))


MIRRORED = [
    ("c[i, j] = x[i] / x[j]", "c[j, i] = c[i, j]"),
    ("c[i, j] = x[i] * x[j]", "c[j, i] = 2 * c[i, j] + 1"),
    ("c[i, j] += x[i] * x[j]", "c[j, i] -= c[i, j]"),
    ("c[i, j] = x[i]", "c[i, j] *= x[j]", "c[j, i] = c[i, j]"),
    ("c[i, j] = x[j]", "c[j, i] = c[i, j]", "c[i, j] += c[j, i]"),
    ("c[i, j] = x[j]", "c[j, i] = c[i, j]", "c[0, 0] += c[i, j] + c[j, i]"),
    ("c[i] = x[j]", "c[j] = c[i] + 1"),
    ("c[i] += c[j]", "c[j] = c[i] * 0.5", "c[i, j] = c[j, i]"),
    ("c[i, j] = x[j]", "c[-1, -1] = 7", "c[j, i] = c[i, j]"),
    ("c[i, j] = x[j]", "c[i, 0] = 7", "c[j, i] = c[i, j]"),
    ("c[i, j] = x[j]", "c[j, i] = x[i] if c[i, j] > 0 else 0.0"),
]


@pytest.mark.quick(5)
@pytest.mark.parametrize("statements", MIRRORED)
@pytest.mark.parametrize("inner", ["range(i)", "range(i, n)", "range(n)"])
@pytest.mark.parametrize("dtype", ["float", "int", "np.float32"])
def test_what_one_store_gives_and_the_next_one_reads(statements, inner, dtype):
    lines = "".join(f"            {statement}\n" for statement in statements)
    source = f"""import numpy as np

def f(x: np.ndarray):
    n = len(x)
    c = np.ones((n, n), {dtype})
    for i in range(n):
        for j in {inner}:
{lines}    return c
"""
    calls = [np.array([2.0, -3.0, 0.5, 7.25])]
    calls += [np.array([1.5, np.nan, np.inf])] if dtype != "int" else []
    check_agrees(source, *((x,) for x in calls))


def test_a_place_that_is_read_between_two_stores_is_kept_in_a_variable():
    source = """import numpy as np

def f(x: np.ndarray):
    c = np.zeros((len(x), len(x)))
    for i in range(len(x)):
        for j in range(i):
            c[i, j] = np.sqrt(x[i] * x[j])
            c[j, i] = c[i, j]
    return c
"""
    text = check_agrees(source, (np.array([1.0, 4.0, 9.0]),))
    assert "c_ij = " in text and "c.at[j, i].set(c_ij)" in text, text


def test_inner_loops_are_not_run_twice_for_each_iteration_of_those_around(monkeypatch):
    depth, iterations = 12, Counter()
    run_loop = loop_statements._loop

    def counted(run, node, env, iteration, *rest):
        def count(state):
            iterations[node] += 1
            return iteration(state)

        return run_loop(run, node, env, count, *rest)

    monkeypatch.setattr(loop_statements, "_loop", counted)
    text, indent = "import numpy as np\n\n\ndef f(a, n: int):\n    out = np.zeros((n, n))\n    s = 0.0\n", "    "
    for level in range(depth):
        text += f"{indent}t{level} = np.sin(s) + a[{level}, 0]\n{indent}s = s + t{level}\n{indent}for i{level} in range(n):\n"
        indent += "    "
    convert(f"{text}{indent}out[i0, i1] += s\n    return out, s\n")
    assert len(iterations) == depth
    assert max(iterations.values()) <= depth + 4, iterations.values()


RANGES_OF_ITEMS = ["range(p[i], p[i + 1])", "range(p[i])", "range(p[i] + 1, -1, -1)", "range(p[i], q[i])", "range(0, q[i], 2)"]


@pytest.mark.quick(3)
@pytest.mark.parametrize("iterations", RANGES_OF_ITEMS)
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint32, np.int64])
def test_python_counts_with_its_own_integers_between_items(iterations, dtype):
    """An index that is computed with, or between items of two arrays, has 64 bits."""
    p, q, x = np.array([1, 3, 5], dtype), np.array([4, 0, 2], np.int32), np.arange(7.0)
    for limit in ("", "if s > 900: break"):
        check_agrees(
            f"""
            import numpy as np

            def f(p: np.ndarray, q: np.ndarray, x: np.ndarray):
                s = 0.0
                for i in range(len(p) - 1):
                    for j in {iterations}:
                        s = 0.5 * s + (j - 5) * x[j] + 100 * j
                        {limit}
                return s
            """,
            (p, q, x),
            (p[:2], q, x),
        )


def test_an_index_between_items_of_one_array_stays_as_narrow():
    text = check_agrees(
        """
        import numpy as np

        def f(p: np.ndarray, x: np.ndarray):
            s = 0.0
            for i in range(len(p) - 1):
                for j in range(p[i], p[i + 1]):
                    s = 0.5 * s + x[j]
            return s
        """,
        (np.array([0, 2, 3], np.int32), np.arange(4.0)),
        (np.array([0, 2, 3], np.uint8), np.arange(4.0)),
    )
    assert "astype" not in text


UNSET = {
    "labels": "for _ in range(n):\n    d = (x[:, None] - y) ** 2\n    k = d.argmin(1)\n    y = 0.5 * y + x[k].mean()\nreturn y, k",
    "alone": "for i in range(1, n + 1):\n    z = x * i\nreturn z",
    "a flag": "for i in range(n):\n    low = x.sum() < i\n    x = x * 0.5\nreturn x, low",
    "while": "while x.sum() > 1:\n    z = x * 0.5\n    x = z - 0.1\nreturn z if n > 5 else x",
    "break": "for i in range(100):\n    z = np.tanh(x) + y\n    near = np.abs(z - x) < 0.01\n    x = z\n    if near.sum() == len(x):\n        break\nreturn x, near, i",
    "two": "for i in range(n):\n    z, w = x + y, x > y\n    x = z * 0.5\nreturn z, w",
    "integers become floats": "k = np.zeros(3, int)\nfor i in range(n):\n    w = k * 2\n    k = k + 1\nreturn k, w",
}


@pytest.mark.parametrize("name", UNSET)
def test_an_array_that_only_the_loop_binds(name):
    text = f"import numpy as np\n\n\ndef f(x: np.ndarray, y: np.ndarray, n: int):\n{textwrap.indent(UNSET[name], '    ')}\n"
    made = check_agrees(text, *((np.array([1.0, v, 3.0]), np.array([0.5, 2.0, -1.0]), n) for v in (-2.0, np.nan) for n in (1, 6)))
    assert "jax.eval_shape" in made


@pytest.mark.parametrize(
    "lines",
    [
        "if i > 0:\n    x = x + z\nz = x * 2",
        "if x[0] > i:\n    z = x * 2\nx = x + 1",
        "if x[0] < i:\n    break\nz = x * 2\nx = x - 1",
        "x = x - z if i else x\nz = x * 2",
        "z += x",
    ],
)
def test_what_an_iteration_may_read_first_has_no_shape(lines):
    lines = f"for i in range(n):\n{textwrap.indent(lines, '    ')}\nreturn x, z"
    text = f"import numpy as np\n\n\ndef f(x: np.ndarray, n: int):\n{textwrap.indent(lines, '    ')}\n"
    made = check_agrees(text, (np.array([1.5, -2.0]), 3), keep=True)
    assert "jax.eval_shape" not in made
