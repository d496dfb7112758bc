"""Assignments to attributes of arrays, and to parts that attributes and methods lead to."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, check_transformed, convert, function, refused
from np2jax.tests.helpers.observed import check_program
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

pytestmark = pytest.mark.slow

ROW = np.arange(6.0)
GRID = np.arange(12.0).reshape(3, 4)
COMPLEX = np.array([1 + 2j, 3j, -1.5])


# --- shape ----------------------------------------------------------------------------------------------------------------


def test_shape():
    check_transformed(
        function("x.shape = 2, -1\nreturn x.sum(axis=0)"),
        """
        @jax.jit
        def f(x: jax.Array):
            x = x.reshape((2, -1))
            return x.sum(axis=0), x
        """,
    )
    for body in ("x.shape = (2, 3)", "x.shape = -1", "x.shape = 6\nx.shape = 3, 2\nreturn x[0]", "x.shape = (1, *x.shape)"):
        check_agrees(function(body), (ROW,))


def test_shape_of_another_array():
    check_agrees(function("x.shape = y.shape\nreturn y + x", "x: np.ndarray, y: np.ndarray"), (ROW, np.ones((3, 2))))


def test_shapes_in_a_chain():
    check_agrees(function("y = x * 2\nz = x + 1\ny.shape = z.shape = x.shape = (2, 3)\nreturn y, z"), (ROW,))
    check_agrees(function("n = 2\ny = x * 2\nx.shape = y.shape = max(n, 3), -1\nreturn y"), (ROW,))


def test_shape_of_aliases_and_views():
    for body in (
        "y = x\ny.shape = (3, 2)\nreturn x.sum(axis=0), y",
        "y = x\nx.shape = (2, 3)\ny[0, 0] = 5\nreturn y",
        "v = x[:4]\nx.shape = (2, 3)\nreturn v",
        "v = x[:4]\nv.shape = (2, 2)\nreturn v, x",
        "v = x[:4]\nx.shape = (2, 3)\nv[0] = 7\nreturn v",
        "v = x[:4]\nv.shape = (2, 2)\nv[0, 0] = 9\nreturn v",
        "v = x[:4]\nw = v\nv.shape = (2, 2)\nreturn w",
        "x.shape = (2, 3)\nv = x[0]\nv[1] = 9\nx.shape = 6\nreturn v",
    ):
        check_agrees(function(body), (ROW,), keep=True)


def test_shape_in_a_loop_a_branch_and_a_call():
    check_agrees(function("for s in ((2, 3), (3, 2)):\n    x.shape = s\n    x[0] += 1"), (ROW,))
    check_agrees(function("if n:\n    x.shape = (2, 3)\nreturn x * 1", "x: np.ndarray, n: int"), (ROW, 0), (ROW, 1))
    check_agrees(
        "import numpy as np\n\ndef g(a):\n    a.shape = (3, 2)\n\n" + function("g(x)\nreturn x.shape").partition("\n\n")[2],
        (ROW,),
        keep=True,
    )


def test_shape_of_an_attribute():
    check_agrees(
        """
        import numpy as np

        class Grid:
            def __init__(self, n):
                self.cells = np.zeros(n)

            def fold(self):
                self.cells.shape = (2, -1)
                self.cells[0] = 1
                return self.cells

        def f(x):
            return Grid(6).fold() + x
        """,
        (1.0,),
        keep=True,
    )


def test_shapes_that_are_kept():
    assert "NJ223" in refused(function("x.shape += (1,)"))
    assert "NJ223" in refused(function("s = x.shape = (2, 3)\nreturn s"))
    assert "NJ223" in refused(function("y = x * 1\nx.shape, y.shape = (2, 3), (3, 2)\nreturn y"))
    assert "NJ211" in refused(function("x.dtype = np.int64"))
    assert "NJ211" in refused(function("x.strides = (16,)"))


def test_shape_of_an_object_of_the_project():
    text = convert(
        "import numpy as np\n\nclass Box:\n    def __init__(self, shape):\n        self.shape = shape\n\ndef f(x: np.ndarray):\n    b = Box(3)\n    b.shape = 4\n    return np.sum(x) * b.shape\n"
    )[0]
    assert "b.shape = 4" in text and "self.shape = shape" in text


# --- real and imaginary parts ---------------------------------------------------------------------------------------------


def test_parts_of_complex_arrays():
    for body in (
        "z.real = 5",
        "z.imag = np.array([1, 2, 3])",
        "z.real[0] = 5\nz.imag[1:] += 7",
        "z.real *= 2",
        "z[1:].imag = 3",
        "z.imag[z.real > 0] = 0",
        "z.real = z.imag",
        "z.real, z.imag = z.imag.copy(), z.real.copy()",
    ):
        check_agrees(function(f"z = x.astype(complex)\n{body}\nreturn z"), (COMPLEX,), (COMPLEX.astype(np.complex64),), keep=True)
        assert "lax.complex" in convert(function(f"z = x.astype(complex)\n{body}\nreturn z"))[0] or "," in body


def test_parts_keep_infinity_and_nan():
    check_agrees(function("z = np.zeros(3, complex)\nz.real = x\nz.imag = x[::-1]\nreturn z"), (np.array([np.inf, np.nan, 1.0]),))


def test_the_real_part_of_a_real_array_is_the_array():
    check_agrees(function("y = np.ones(6)\ny.real[0] = 5\ny.real = x\ny.real *= 2\nreturn y"), (ROW,))


def test_parts_of_what_may_be_real_are_kept():
    assert "complex" in refused(function("x.real = 5"))
    assert "complex" in refused(function("x.imag[0] = 5"))


# --- flat, T and methods --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        "x.flat[3] = 9",
        "x.flat[[0, 1]] = 7",
        "x.flat[5:7] = [1, 2]",
        "x.flat[::5] += 1",
        "x.flat[:] = [1, 2, 3]",
        "x.flat[:] = x.flat[::-1]",
        "x.flat[-1] = x[0, 0]",
        "x.flat = 3",
        "x.flat = [1, 2, 3]",
        "x.flat = np.arange(12)",
        "x.flat = np.arange(30).reshape(5, 6)",
        "x[1].flat = 7",
        "x.T.flat[1] = 77",
        "x.T[0] = 5",
        "x.T[1:, 0] *= 2",
        "x.T[...] = 0",
        "x.transpose()[0] = 1",
        "x.transpose(1, 0)[0] = 1",
        "x.transpose((1, 0))[0][1] = 1",
        "x.swapaxes(0, 1)[0] = 1",
        "np.transpose(x)[0] = 1",
        "np.swapaxes(x, 0, 1)[2] = 1",
        "x[None][0, 1] = 4",
        "x[:, None, 1] = 4",
        "x[..., 0] = 4",
    ],
)
def test_parts(body):
    check_agrees(function(body), (GRID,), (GRID.astype(int),), (np.asfortranarray(GRID),))


def test_axes_of_three():
    cube = np.arange(27.0).reshape(3, 3, 3)
    for body in (
        "x.transpose(1, 2, 0)[0, 1] = 5",
        "x.transpose((2, 0, 1))[1, 1:] += 7",
        "v = np.transpose(x, (1, 2, 0))\nv[0, 0] = 100\nreturn v",
        "x.swapaxes(0, 2)[0] = 5",
    ):
        check_agrees(function(body), (cube,))
    assert "axes" in refused(function("x.transpose(*order)[0] = 1", "x: np.ndarray, order"))
    assert "axes" in refused(function("x.transpose(-1, 0)[0] = 1"))


def test_what_may_be_a_copy_is_kept():
    for body in (
        "x.ravel()[0] = 9",
        "x.reshape(2, 6)[0, 0] = 9",
        "x.T.ravel()[3] = 9",
        "np.ravel(x)[0] = 9",
        "y = x.reshape(-1)\ny[0] = 9\nreturn x",
    ):
        refused(function(body))


def test_what_is_a_copy_loses_the_change():
    for body in (
        "y = x.flatten()\ny[3] = 9\nreturn y",
        "y = x.copy()\ny.T[0] = 9\nreturn y",
        "y = x[[0, 1]]\ny[0] = 5\nreturn y",
    ):
        check_agrees(function(body), (GRID,))


ITSELF = """\
import numpy as np


def f(x):
    v = {view}
    v.shape = (-1,)
    return v


x = np.arange(6.0).reshape(2, 3)
y = f(x)
"""


@pytest.mark.parametrize(
    "view", ["x.squeeze()", "np.squeeze(x)", "x.real", "np.real(x)", "np.asarray(x)", "np.atleast_1d(x)", "x[...]"]
)
def test_a_view_may_be_the_array_itself(view):
    """The array kept its shape, where NumPy gives no view of it."""
    check_program({"m.py": ITSELF.format(view=view)})


@pytest.mark.parametrize("given", ["q", "q[1:]", "np.asarray(q)", "q + 1"])
def test_what_a_lambda_gives_is_sorted_in_place(given):
    """`v.sort()` of an array of JAX gives a sorted one, and changes nothing."""
    text = f"import numpy as np\n\n\ndef f(x):\n    v = (lambda q: {given})(x)\n    v.sort()\n    return x\n\n\nx = np.array([3.0, 1.0, 2.0])\ny = f(x)\n"
    check_program({"m.py": text})
