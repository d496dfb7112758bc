"""Statements of functions that stay NumPy: runs of them move into jitted functions, where that pays and nothing else changes."""

import textwrap

import numpy as np
import pytest

from np2jax.tests.helpers.differential import convert, run
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__, placement="fast")

Q = np.array([[1.0, 0.0, 0.0, 0.0], [0.6, 0.8, 0.0, 0.0], [0.5, 0.5, -0.5, 0.5]])
V = np.array([[1.0, 2.0, 3.0], [np.nan, 1.0, np.inf], [0.0, -1.0, 2.0]])


def moved(source, *calls):
    """The converted text and its functions, once each call of `f` agrees with NumPy: results, arguments and exceptions."""
    source = "import numpy as np\n" + textwrap.dedent(source)
    text, functions, _diagnostics = convert(source, placement="fast")
    for arguments in calls:
        outcomes = []
        for version in (source, text):
            given = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
            with np.errstate(all="ignore"):
                try:
                    result = run(version)["f"](*given)
                except Exception as error:
                    result = (type(error), str(error))
            outcomes.append((result, *given))
        np.testing.assert_equal(type(outcomes[1][0]), type(outcomes[0][0]))
        for got, want in zip(flat(outcomes[1]), flat(outcomes[0]), strict=True):
            assert isinstance(got, np.ndarray) == isinstance(want, np.ndarray)
            if isinstance(want, np.ndarray):
                assert got.dtype == want.dtype and got.flags.writeable
                np.testing.assert_allclose(got, want, rtol=1e-12)
            elif isinstance(want, np.inexact):
                assert type(got) is type(want)
                np.testing.assert_allclose(got, want, rtol=1e-12)
            else:
                np.testing.assert_equal(got, want)
    return text, functions


def flat(value):
    return [x for v in value for x in flat(v)] if isinstance(value, tuple) else [value]


def stays(source, *calls):
    """Nothing moves, and each call agrees."""
    text, functions = moved(source, *calls)
    assert not any(f.transform for f in functions.values()), text
    return text


def test_checks_stay_in_the_function():
    text, functions = moved(
        """
        def f(q, v):
            q = np.asarray(q, dtype=float)
            if q.shape[-1] != 4:
                raise ValueError(f"4 numbers, not {q.shape[-1]}")
            if np.isnan(q).any():
                raise ValueError("a number is missing")
            v = np.asarray(v, dtype=float)
            return v + 2 * np.cross(q[..., 1:], np.cross(q[..., 1:], v) + q[..., :1] * v)
        """,
        (Q, V),
        (Q[0].tolist(), (1, 2, 3)),
        (Q[:, :3], V),
        (Q * np.nan, V),
    )
    assert functions["f"].transform == "outlined" and "return np.array(_f_core(v, q))" in text


def test_modes_are_static():
    text, _functions = moved(
        """
        def f(x: np.ndarray, y: np.ndarray, mode="cross"):
            print(mode)
            z = np.cross(x, y)
            if mode == "cross":
                z = np.cross(z, y)
            elif mode == "sum":
                z = z + np.cross(y, z)
            else:
                raise ValueError(f"no mode {mode!r}")
            return z * 2.0
        """,
        (V, V[::-1]),
        (V, V[::-1], "sum"),
        (V, V[::-1], "other"),
    )
    assert 'static_argnames="mode"' in text


def test_numbers_are_numpy_scalars():
    moved(
        """
        def f(x: np.ndarray, y: np.ndarray):
            print("start")
            total = np.cross(np.cross(x, y), y).sum()
            total += 1
            return total
        """,
        (V, V),
        (V[0], V[2]),
    )


def test_what_is_in_a_try_stays():
    stays(
        """
        def f(a: np.ndarray):
            try:
                print("try")
                b = np.linalg.pinv(a) @ np.linalg.inv(a)
                return b + np.linalg.pinv(b)
            except np.linalg.LinAlgError:
                return a
        """,
        (np.eye(2) * 2,),
        (np.ones((2, 2)),),
    )


def test_what_may_raise_floating_point_errors_stays():
    stays(
        """
        def f(x: np.ndarray, y: np.ndarray):
            print("start")
            with np.errstate(all="raise"):
                z = np.cross(x, y) / np.cross(y, np.cross(x, y)) + np.cross(y, x)
            return z
        """,
        (V[0], V[2]),
        (V[0], V[0]),
    )


SHARED = """
    def f(x: np.ndarray, y: np.ndarray):
        print("start")
        a = np.cross(np.cross(x, y), np.cross(y, x))
        {line}
        print("middle")
        {after}
"""


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("b = a[1:]", "b[0] = 1.0; return a, b"),
        ("b = a.T", "a[0] = 1.0; return b"),
        ("b = x[1:]", "b[0] = 1.0; return a, x"),
        ("b = a", "b += 1.0; return a"),
        ("b = np.asarray(x)", "b[0] = 3.0; return a"),
        ("x[0] = a[1]", "return x"),
        ("x += a", "return a"),
    ],
)
def test_views_and_aliases(line, after):
    moved(SHARED.format(line=line, after=after), (V, V[::-1]), (V[0], V[2]))


@pytest.mark.parametrize(
    "line",
    [
        "a = np.cos(x) + y",  # too little
        "a = np.arcsin(x) + np.arctan2(x, y) ** y - np.sort(x) * np.percentile(x, 30)",  # slower in XLA
        "a = np.random.normal(size=3) + np.cross(x, y) * np.cross(y, x)",  # draws
        "a = np.cross(x, y).tolist() + [np.cross(y, x).sum().item()]",  # values for Python
        "a = [np.cross(x, y), np.cross(y, x)]; a.append(x)",
    ],
)
def test_what_stays(line):
    source = f"def f(x: np.ndarray, y: np.ndarray):\n    print('start')\n    {line}\n    print('end')\n    return a\n"
    if "random" in line:
        source = source.replace("    print('start')", "    np.random.seed(3)\n    print('start')")
    stays(source, (V[0] / 4, V[2] / 4))


def test_a_loop_does_not_copy_whole_arrays_for_their_items():
    stays(
        """
        def f(x: np.ndarray, y: np.ndarray):
            for i in range(len(x)):
                print(i)
                x[i] = np.cross(x[i], y[i]) + np.cross(y[i], np.cross(x[i], y[i]))
            return x
        """,
        (V, V[::-1]),
    )


def test_lists_stay_lists_for_the_function():
    text, _functions = moved(
        """
        def f(x, y):
            print(len(x))
            a, b = np.asarray(x), np.atleast_2d(y)
            return np.cross(a, np.cross(a, b)) + np.cross(b, a)
        """,
        ([1.0, 2.0, 3.0], [[1.0, 0.0, 2.0]]),
        (V, V),
    )
    assert "np.asarray(x), np.atleast_2d(y)" in text


def test_attributes_are_given_and_assigned():
    text, _functions = moved(
        """
        class Filter:
            def __init__(self, gain: np.ndarray):
                self.gain = gain

            def update(self, x: np.ndarray):
                if x.ndim != 2:
                    raise ValueError("rows of numbers")
                residual = np.cross(self.gain, x) + np.cross(x, np.cross(self.gain, x))
                self.gain = residual / np.linalg.norm(residual) + np.cross(residual, x)
                print("updated")
                return residual * 2.0

        def f(x: np.ndarray):
            filter = Filter(x + 1.0)
            before = filter.gain
            return filter.update(x), filter.gain, before, filter.update(x * 2.0)
        """,
        (Q[:, 1:],),
        (Q[0, 1:],),
    )
    assert "_update_core" in text


def test_device_placement_moves_no_statements():
    source = "import numpy as np\ndef f(x: np.ndarray):\n    print(1)\n    y = np.cross(x, x[::-1])\n    return np.cross(y, np.cross(x, y))\n"
    assert "_core" not in convert(source, placement="device")[0]
    assert "_core" in convert(source, placement="fast")[0]
    assert "_core" not in convert(source, placement="fast", ignore=("NJ424",))[0]


def test_attributes_that_did_not_exist_before():
    text, _functions = moved(
        """
        class Model:
            def __init__(self, x: np.ndarray, k: int):
                print(k)
                self.a = np.cross(x, np.cross(x, x + 1.0)) + np.cross(x + 2.0, x)
                self.b = np.cross(self.a, self.a + 1.0)
                if k > 1:
                    self.c = np.cross(x, np.cross(x, x + 1.0)) + np.cross(x + 2.0, x)
                print(k)

        def f(x: np.ndarray, k: int):
            model = Model(x, k)
            return model.a, model.b, getattr(model, "c", None)
        """,
        (V, 2),
        (V, 1),
    )
    assert "_init_core(x: jax.Array)" in text and "_init_c(x" in text


@pytest.mark.parametrize(
    "head",
    [
        "import numpy as np\nfrom numba import njit\n@njit",
        "import numpy as np\nfrom registry import handler\n@handler('name')",
        "import cupy as np\nimport numpy\n",
    ],
)
def test_functions_that_another_library_compiles_or_computes(head):
    body = "def f(x: np.ndarray, y: np.ndarray):\n    print('start')\n    for i in range(1, len(x)):\n        x[i] = 0.5 * x[i - 1] + y[i]\n"
    body += "    print('middle')\n    return np.cross(np.cross(x, y), y) + np.cross(y, np.cross(x, y))\n"
    text = convert(f"{head}\n{body}", placement="fast")[0]
    assert "jax" not in text


def test_what_holds_for_arrays_of_one_rank_only_stays():
    source = """
        def f(q):
            q = np.asarray(q)
            out = np.zeros_like(q)
            norm = np.linalg.norm(q, axis=-1) + np.linalg.norm(q[..., 1:], axis=-1) * np.linalg.norm(q[..., :2], axis=-1)
            zero = np.isclose(norm, 0) | np.isclose(norm, 1) | np.isclose(norm, 2)
            out[zero] = -np.inf
            print("masked")
            return out
        """
    text, _functions = moved(source, (Q,), (Q[0],), (Q[1] * 0,))
    assert "assert" not in text


MEASURED = """
def f(x, rate, size=8):
    if {test}:
        raise ValueError(f"rate: {{rate}}")
    p = np.abs(np.fft.rfft(x, size)) ** 2 / rate
    p[1:-1] *= 2
    return np.sum(np.exp(-p / np.mean(p)) * p) * rate
"""


@pytest.mark.parametrize("test", ["rate <= 0", "not 0 < rate < 1", "rate * 2 > 1 or rate == 0"])
def test_numbers_that_are_checked_are_traced_after_the_check(test):
    """As a static argument, each would compile the function again, and an array of JAX would not be accepted."""
    text, functions = moved(MEASURED.format(test=test), (V[2], 0.25), (V[2], -1.0), (V[2], np.nan))
    assert functions["f"].label == "assumed" and 'static_argnames="size"' in text
    assert text.index("_f_core(x") < text.index("raise") and "_f_jax" not in text


@pytest.mark.parametrize("test", ["size < 2", 'size not in (4, 8) or rate == "none"'])
def test_sizes_and_modes_that_are_checked_stay_static(test):
    source = "import numpy as np\n" + MEASURED.format(test=test).replace("rate: {rate}", "size: {size}")
    assert "_f_core" not in (text := convert(source, placement="fast")[0]) and "static_argnames=" in text


def test_what_compiled_code_calls_is_compiled_with_it():
    text, _functions, _diagnostics = convert(
        """
        import numpy as np

        def scaled(x, rate):
            if rate < 0:
                raise ValueError("rate")
            return np.exp(-x * rate) + np.cos(x * rate)

        def f(x: np.ndarray):
            return np.cumsum(np.sin(scaled(x, 0.5)) * scaled(x, 2.0)) + np.tanh(x)
        """,
        placement="fast",
    )
    assert text.count("@jax.jit") == 1 and "_core" not in text


STEPS = """
    def f(x: np.ndarray, y: np.ndarray):
        for k in range(4):
            z = np.cross(x, y) + np.cross(y, np.cross(x, y))
            x = z / (1.0 + np.cross(z, y) ** 2)
            y = y + np.cross(x, z)
            {last}
            print(k)
        return x, y
"""


def test_what_a_loop_carries_may_be_an_argument_at_first():
    text, functions = moved(STEPS.format(last="pass"), (V, V[::-1]))
    assert functions["f"].transform == "outlined" and "x, y = _to_numpy(_f_core(x, y))" in text


@pytest.mark.parametrize("last", ["y = x", "y = x[:]", "x, y = y, x", "y = y if k else x"])
def test_what_a_loop_carries_may_share_memory(last):
    moved(STEPS.format(last=f"{last}\n            x[0] = 2.0"), (V, V[::-1]))
