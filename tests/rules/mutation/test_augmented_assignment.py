"""Augmented assignment to a whole array."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, function
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(__name__, function("n += 1\nreturn n", "n: int"), function("x = x + 1\nreturn x"))


ROW = np.arange(6.0)


GRID = np.arange(12.0).reshape(3, 4)


def agrees(body, *calls, params="x: np.ndarray"):
    """The function converts, and agrees on every call."""
    return check_agrees(
        function(body, params), *(calls or [(ROW,), (ROW.astype(np.float32),), (ROW.astype(int),), (ROW.astype(np.int8),)])
    )


def agrees_or_refused(body, *calls, params="x: np.ndarray"):
    check_agrees(function(body, params), *(calls or [(ROW,)]), keep=True)


@pytest.mark.quick(4)
@pytest.mark.parametrize("operator", ["//=", "%=", "**=", "/=", "&=", "|=", "^=", "<<=", ">>="])
def test_m02_other_operators(operator):
    agrees_or_refused(f"x[1:] {operator} 2", (ROW,), (np.arange(6),), (np.arange(6, dtype=np.int8),))


@pytest.mark.quick(3)
@pytest.mark.parametrize("target", ["x", "y", "v", "w"])
def test_m04_of_a_parameter_an_alias_and_a_view(target):
    agrees(f"y = x\nv = x[1:4]\nw = v[::-1]\n{target} += 3\n{target} *= 2\nreturn x.sum(), y, v, w")


def test_m04_of_an_attribute():
    check_agrees(
        """
        import numpy as np

        class Model:
            def __init__(self, n):
                self.w = np.zeros(n)
                self.head = self.w

            def step(self, g):
                self.w -= 0.1 * g
                return self.head.sum()

        def f(g):
            m = Model(3)
            m.step(g)
            return m.step(g), m.w
        """,
        (1.0,),
        keep=True,
    )


def test_m04_the_caller_sees_it():
    check_agrees(
        """
        import numpy as np

        def shift(a, by):
            a += by

        def f(x: np.ndarray):
            shift(x, 2)
            shift(x[1:], 1)
            shift(x.T[0:2], 5)
            return x.sum()
        """,
        (ROW,),
    )


def test_m04_of_numbers_binds_the_name():
    agrees_or_refused("s = x[0] * 1\nt = s\ns += 1\nn = 2\nm = n\nn += 1\nreturn s, t, n, m", (ROW,), (GRID,))
    agrees("x = np.arange(5)\ns = x[n] * 1\nt = s\ns += 1\nn += 1\nreturn s, t, n", (2,), params="n: int")
    agrees("s = x.sum()\nt = s\ns += 1\nreturn s, t", (ROW,))


def test_m04_of_an_element_or_a_row():
    agrees_or_refused("y = x[1]\ny += 9\nreturn x", (ROW,), (GRID,))
    agrees_or_refused("y = x[1]\nx[1] = 50\nreturn y", (ROW,), (GRID,))
    agrees("y = x[1, :]\ny += 9\nz = x[0:1]\nx[0] = 50\nreturn z", (GRID,))


def test_m04_of_an_array_of_no_dimensions():
    agrees("c = np.array(3.0)\nd = c\nd += 1\nc += x[0]\ne = np.zeros(())\nnp.copyto(e, 5)\nreturn c, d, e", (ROW,))
    agrees("v = x[1, ...]\nv += 5\nreturn x", (ROW,))


@pytest.mark.parametrize("change", ["v += v", "v *= 2", "v[:] = 3", "v -= p[0]"])
def test_the_real_part_of_a_view_of_real_numbers(change):
    check_agrees(
        f"import numpy as np\n\ndef f(p: np.ndarray):\n    p = p.astype(float)\n    v = p[::2].real\n    {change}\n    return p\n",
        (np.arange(4.0),),
    )
    check_agrees(
        f"import numpy as np\n\ndef f(p):\n    v = p[::2].real\n    {change}\n\na = np.ones(4, dtype=np.float32)\nf(a)\n",
        (np.ones(4, np.float32),),
    )


@pytest.mark.parametrize("dtype", [np.uint8, np.uint32, bool, np.int8, np.float32])
@pytest.mark.parametrize("iteration", ["c[i] -= x[i]", "c[1:] -= x[1:]", "c[[0, 2]] -= x[0]", "c[x > 1] -= 2", "c[:i] -= x[:i]"])
def test_what_has_no_negative_is_subtracted(iteration, dtype):
    """`.add(-x)` would add 255 for one of uint8, and bools have no negative at all."""
    source = f"""
    import numpy as np

    def f(x: np.ndarray):
        c = np.zeros(3)
        for i in range(3):
            {iteration}
        return c
    """
    check_agrees(source, (np.array([1, 0, 1]).astype(dtype),), (np.array([3, 100, 2]).astype(dtype),))


BOOLS = [
    "s[1:] += s[:-1]",
    "s[1:] *= s[:-1]",
    "s[k] += True",
    "for i in range(len(x)):\n        s[i] += x[i] > 4",
    "for i in range(1, len(x)):\n        s[i] *= s[i - 1]",
    "for i in range(1, len(x)):\n        s[:i] += x[0] > 0",
    "for i in range(len(x)):\n        for j in range(len(k)):\n            s[i] += x[i] == k[j]",
]


@pytest.mark.parametrize("change", BOOLS)
def test_sums_and_products_of_bools_in_place(change):
    """JAX has no `.at[...].add` for them."""
    source = f"import numpy as np\n\ndef f(x: np.ndarray, k: np.ndarray):\n    s = x > 1\n    {change}\n    return s\n"
    check_agrees(source, (np.array([1.0, 3, 2, 0, 5]), np.array([0, 2])))


@pytest.mark.parametrize("head", ["price, cash", "price: np.ndarray, cash"])
@pytest.mark.parametrize(
    "body",
    [
        "for i in range(1, len(price)):\n        cash -= price[i]",
        "for i in range(1, len(price)):\n        r = price[i] - price[i - 1]\n        if r > 0:\n            cash -= price[i]",
        "for p in price:\n        cash += p",
        "cash *= price[0]",
        "p = price[0]\n    cash *= p",
        "cash -= np.dot(price, price)",
        "cash -= price @ price",
    ],
)
def test_what_may_be_a_number_is_no_array_because_a_number_is_added(head, body):
    """It kept the dtype of the integer that it was given."""
    text = f"import numpy as np\n\ndef f({head}):\n    {body}\n    return cash\n"
    check_agrees(text, (np.array([1.5, 2.5, 3.25]), 100), (np.array([1.5, 2.5, 3.25]), 100.0), keep=True)


@pytest.mark.parametrize("value", ["2 * x", "x[1:]", "np.exp(x)", "A @ x", "x - A[0]", "np.dot(A, x)"])
def test_what_an_array_is_added_to_is_one(value):
    text = f"import numpy as np\n\ndef f(x: np.ndarray, A: np.ndarray, y):\n    y += {value}\n    return y\n"
    y = np.arange(2.0) if "1:" in value else np.arange(3.0)
    check_agrees(text, (np.array([1.5, 2.5, 3.25]), np.eye(3), y))
