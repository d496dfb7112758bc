"""Items that the previous iteration stored are carried, where XLA would copy the array otherwise."""

import textwrap

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert

RNG = np.random.default_rng(8)


def vectors(n, *kinds):
    """Vectors of length n."""
    return [RNG.normal(size=n) + 3 for _ in range(4)]


def system(n):
    a, b, c, d = vectors(n)
    return a, b + 8, c, d


def carried(source, *calls):
    """Check that each call of `f` agrees with NumPy, and that items are carried."""
    text = converted(source, *calls)
    assert "_before = " in text, text
    return text


def as_it_was(source, *calls):
    text = converted(source, *calls)
    assert "_before = " not in text, text
    return text


def converted(source, *calls):
    source = "import numpy as np\n\n\n" + textwrap.dedent(source).strip() + "\n"
    check_agrees(source, *calls)
    return convert(source)[0]


def test_elimination_that_may_end():
    source = """
        def f(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray):
            c, d = c.copy(), d.copy()
            ok = True
            for i in range(1, len(b)):
                m = b[i] - a[i] * c[i - 1]
                if np.abs(m) < 1e-3:
                    ok = False
                    break
                c[i] = c[i] / m
                d[i] = (d[i] - a[i] * d[i - 1]) / m
            return c, d, ok
        """
    a, b, c, d = system(9)
    singular = b.copy()
    singular[4] = np.nan
    small = np.where(np.arange(9) == 5, 0.0, a), np.where(np.arange(9) == 5, 1e-4, b), c, d
    text = carried(source, (a, b, c, d), (a, singular, c, d), small, system(1), system(2))
    assert "a[i] * c_before" in text and "c_before = c[i]" in text


def test_from_the_first_item_the_last_one_is_read():
    carried(
        """
        def f(a: np.ndarray, b: np.ndarray, limit: float):
            c, d = np.zeros(len(a)), np.ones(len(a))
            c[-1] = 5.0
            for i in range(len(a)):
                m = b[i] - a[i] * c[i - 1]
                if m > limit:
                    break
                c[i] = a[i] / m
                d[i] = m
            return c, d
        """,
        (*vectors(6)[:2], 100.0),
        (*vectors(6)[:2], 2.0),
        (*vectors(1)[:2], 100.0),
    )


def test_backwards():
    carried(
        """
        def f(a: np.ndarray, b: np.ndarray, limit: float):
            c, d = a.copy(), b.copy()
            for i in range(len(a) - 2, -1, -1):
                m = b[i] - 0.1 * c[i + 1]
                if m > limit:
                    break
                c[i] = a[i] / m
                d[i] = d[i + 1] + m
            return c, d
        """,
        (*vectors(6)[:2], 100.0),
        (*vectors(6)[:2], 2.5),
        (*vectors(1)[:2], 100.0),
    )


def test_an_item_that_is_stored_as_another_dtype():
    carried(
        """
        def f(x: np.ndarray, limit: float):
            c = np.zeros(len(x), dtype=int)
            d = np.zeros(len(x), dtype=np.float32)
            for i in range(1, len(x)):
                m = x[i] + c[i - 1]
                if m > limit:
                    break
                c[i] = int(m)
                d[i] = m * 0.1
            return c, d
        """,
        (vectors(8)[0], 1000.0),
        (vectors(8)[0], 9.0),
    )


def test_an_item_that_is_not_always_stored():
    carried(
        """
        def f(x: np.ndarray, limit: float):
            c, d = x.copy(), np.zeros(len(x))
            for i in range(1, len(x)):
                m = x[i] - c[i - 1]
                if m > limit:
                    break
                if m > 0:
                    c[i] = m
                d[i] = m
            return c, d
        """,
        (RNG.normal(size=12), 10.0),
        (RNG.normal(size=12), 0.5),
    )


def test_rows():
    carried(
        """
        def f(x: np.ndarray, limit: float):
            c, d = np.zeros((len(x), 3)), np.zeros((len(x), 3))
            for i in range(1, len(x)):
                m = x[i] - 0.5 * c[i - 1]
                if np.sum(m) > limit:
                    break
                c[i] = m
                d[i] = m * d[i - 1] + 1.0
            return c, d
        """,
        (RNG.normal(size=(7, 3)), 100.0),
        (RNG.normal(size=(7, 3)), 1.0),
    )


@pytest.mark.parametrize(
    "store",
    [
        "c[i] = m * c[0]",  # an item of any iteration
        "c[i] = m\n        c[i - 1] = 0.5 * m",
        "c[i] = m * c[-i]",
        "c[i] = m + np.sum(c)",
        "c[i] = m * c[i - 5]",
    ],
)
def test_other_items(store):
    as_it_was(
        f"""
def f(x: np.ndarray, limit: float):
    c, d = x.copy(), x.copy()
    for i in range(2, len(x)):
        m = 0.1 * x[i] + c[i - 1]
        if m > limit:
            break
        {store}
        d[i] = m
    return c, d
""",
        (RNG.normal(size=9), 100.0),
        (RNG.normal(size=9), 1.0),
    )


def test_one_array():
    as_it_was(
        """
        def f(x: np.ndarray, limit: float):
            c = x.copy()
            for i in range(1, len(x)):
                m = 0.1 * x[i] + c[i - 1]
                if m > limit:
                    break
                c[i] = m
            return c
        """,
        (RNG.normal(size=9), 100.0),
        (RNG.normal(size=9), 1.0),
    )


def test_two_names_of_one_array():
    converted(
        """
        def f(x: np.ndarray, limit: float):
            c = x.copy()
            e = c
            d = x.copy()
            for i in range(1, len(x) - 1):
                m = 0.1 * x[i] + c[i - 1]
                if m > limit:
                    break
                c[i] = m
                e[i + 1] = 2 * m
                d[i] = m
            return c, d, e
        """,
        (RNG.normal(size=9), 100.0),
    )


def test_a_product_of_tridiagonal_factors():
    carried(
        """
        def f(a: np.ndarray, b: np.ndarray, c: np.ndarray, limit: float):
            u, l = b.copy(), np.zeros(len(b))
            for i in range(1, len(b)):
                q = a[i] / u[i - 1]
                if q > limit:
                    break
                l[i] = q
                u[i] = b[i] - q * c[i - 1]
            return l, u
        """,
        (*system(8)[:3], 1e9),
        (*system(8)[:3], 0.4),
    )


def test_items_of_two_iterations_ago():
    source = """
        def f(d: np.ndarray, e: np.ndarray, limit: float):
            u, v = d.copy(), e.copy()
            for i in range(2, len(d)):
                g = e[i] - v[i - 2] * 0.1
                if g > limit:
                    break
                u[i] = d[i] - g * v[i - 1]
                v[i] = e[i] / (5.0 + u[i])
            return u, v
        """
    text = carried(
        source, (*vectors(9)[:2], 1e9), (*vectors(9)[:2], 4.0), (*vectors(2)[:2], 1e9), (np.full(5, np.nan), np.ones(5), 9.0)
    )
    assert "v_before_2 = jnp.where(done, v_before_2, v_before)" in text


def test_two_iterations_ago_from_the_start():
    carried(
        """
        def f(d: np.ndarray, e: np.ndarray, limit: float):
            u, v = d.copy(), e.copy()
            for i in range(len(d)):
                g = e[i] - v[i - 2] * 0.1
                if g > limit:
                    break
                u[i] = d[i] - g * v[i - 1]
                v[i] = e[i] / (5.0 + u[i])
            return u, v
        """,
        *((*vectors(n)[:2], 1e9) for n in (2, 3, 4, 9)),
    )


def test_items_that_are_not_stored_yet():
    text = carried(
        """
        def f(x: np.ndarray, y: np.ndarray, w: float):
            change = np.zeros(len(x))
            x = x.copy()
            for i in range(1, len(x) - 1):
                old = x[i]
                x[i] = (1 - w) * old + w * 0.5 * (x[i - 1] + x[i + 1] + y[i])
                change[i] = abs(x[i] - old)
            return x, change
        """,
        (*vectors(9)[:2], 0.5),
        (*vectors(2)[:2], 0.5),
        (np.array([1.0, np.inf, np.nan, 2.0, 0.0]), np.ones(5), 0.5),
    )
    assert "old = x_start[i]" in text


def test_not_stored_yet_backwards():
    carried(
        """
        def f(x: np.ndarray, y: np.ndarray, w: float):
            change = np.zeros(len(x))
            x = x.copy()
            for i in range(len(x) - 2, 0, -1):
                old = x[i] + x[i - 1]
                x[i] = (1 - w) * old + w * (x[i + 1] + y[i])
                change[i] = old
            return x, change
        """,
        (*vectors(9)[:2], 0.5),
        (*vectors(3)[:2], 0.5),
    )


def test_a_negative_index_is_an_item_that_may_be_stored():
    as_it_was(
        """
        def f(x: np.ndarray, y: np.ndarray):
            x, y = x.copy(), y.copy()
            for i in range(-4, 3):
                old = x[i]
                x[i] = 0.5 * old + y[i - 2]
                y[i] = old + x[i + 1]
            return x, y
        """,
        vectors(7)[:2],
        vectors(4)[:2],
        vectors(5)[:2],
    )


def test_an_item_that_is_read_again_after_it_is_stored():
    carried(
        """
        def f(x: np.ndarray, y: np.ndarray):
            x, y = x.copy(), y.copy()
            for i in range(1, len(x)):
                old = x[i]
                x[i] = 0.5 * old + x[i - 1]
                new = x[i]
                y[i] = old * new + y[i - 1] * x[i]
            return x, y
        """,
        vectors(7)[:2],
        vectors(1)[:2],
    )


def test_an_inner_loop_stores():
    converted(
        """
        def f(x: np.ndarray, y: np.ndarray, w: np.ndarray):
            x, y = x.copy(), y.copy()
            for i in range(1, len(x)):
                s = x[i - 1]
                for j in range(len(w)):
                    old = x[i]
                    x[i] = 0.5 * old * w[j] + s
                    y[i] = y[i] * 0.5 + old
            return x, y
        """,
        vectors(6)[:3],
        (*vectors(6)[:2], vectors(2)[0]),
    )
