"""Mutation, aliases and views: the rows M01 to M23 of what differs between NumPy and JAX. Each converts and agrees, or is said."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import body, check_agrees, convert, function, refused, run
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

ROW = np.arange(6.0)
GRID = np.arange(12.0).reshape(3, 4)
COMPLEX = np.array([1 + 2j, 3j, -1.5])


def agrees(body, *calls, params="x: np.ndarray"):
    """The function converts, and agrees on every call."""
    return check_agrees(
        function(body, params), *(calls or [(ROW,), (ROW.astype(np.float32),), (ROW.astype(int),), (ROW.astype(np.int8),)])
    )


def agrees_or_refused(body, *calls, params="x: np.ndarray"):
    check_agrees(function(body, params), *(calls or [(ROW,)]), keep=True)


# --- M01 and M02: items -----------------------------------------------------------------------------------------------------


@pytest.mark.quick(5)
@pytest.mark.parametrize(
    "index",
    [
        "0",
        "-1",
        "1:3",
        "::-1",
        "::2",
        "-2:0:-1",
        "...",
        ":",
        "None",
        "[0, 2]",
        "x > 2",
        "np.array([1, 1])",
        "slice(1, 3)",
        "(2,)",
    ],
)
@pytest.mark.parametrize("store", ["x[{}] = 7", "x[{}] += 2", "x[{}] -= 1", "x[{}] *= 3"])
def test_m01_items(index, store):
    agrees(store.format(index))


@pytest.mark.quick(5)
@pytest.mark.parametrize(
    "index",
    [
        "0",
        "1, 2",
        "0, 1:",
        ":, 1",
        "..., -1",
        "1:, ::2",
        "[0, 2], 1",
        "[0, 2], [1, 3]",
        ":, [0, 0]",
        "x[:, 0] > 3",
        "x > 5",
        "None, 1",
    ],
)
def test_m01_items_of_two_dimensions(index):
    agrees(f"x[{index}] = 7\nx[{index}] *= 2", (GRID,), (GRID.astype(int),))


def test_m01_values_are_broadcast():
    agrees("x[:] = x[:, :1]\nx[1:] = [1, 2, 3, 4]\nx[:, 1] = np.arange(3)\nx[0] = x[1] + 0.5", (GRID,), (GRID.astype(int),))


def test_m01_what_overlaps_is_read_first():
    agrees("x[1:] = x[:-1]\nx[:-2] = x[2:]\nx[1:] += x[:-1]\nx[::-1] = x")


def test_m02_duplicates_do_not_accumulate():
    agrees(
        "x[[0, 0, 1]] += 1\nx[np.array([2, 2])] *= 3\nx[i] -= 1\nx[i] = x[i] * 2",
        (ROW, np.array([0, 0, -1])),
        params="x: np.ndarray, i: np.ndarray",
    )
    assert ".add(" not in convert(function("x[i] += 1", "x: np.ndarray, i: np.ndarray"))[0]


def test_m02_the_last_of_several_values_stays():
    agrees("x[[0, 0, 1]] = [1, 2, 3]\nx[[2, 2]] = x[[0, 1]]", (ROW,), (ROW.astype(int),))


def test_m02_a_list_a_dict_and_an_unknown_object_stay():
    for text in (
        "xs = [1, 2]\n    xs[0] = 3",
        "d = {}\n    d['a'] = 3",
        "d = {'a': 1}\n    d['a'] += 3",
        "xs = [[1]]\n    xs[0][0] = 2",
        "frame.loc[0] = 3",
        "frame['a'] = 3",
    ):
        source = f"import numpy as np\n\ndef f(frame):\n    {text}\n    return np.sqrt(2.0)\n"
        assert text in body(convert(source)[0])


# --- M03 --------------------------------------------------------------------------------------------------------------------


def test_m03_ufunc_at_accumulates():
    agrees(
        "np.add.at(x, [0, 0, -1], 1)\nnp.multiply.at(x, i, 2)\nnp.maximum.at(x, (i,), 3)",
        (ROW, np.array([1, 1, 2])),
        params="x: np.ndarray, i: np.ndarray",
    )


# --- M04: x += y ------------------------------------------------------------------------------------------------------------


# --- M05: views -------------------------------------------------------------------------------------------------------------


# --- M06: changed arguments -------------------------------------------------------------------------------------------------


# --- M07 to M11: methods and functions --------------------------------------------------------------------------------------


def test_m07_sort_sorts():
    agrees("x.sort()\nv = x[::2]\nx[::-1].sort()\nreturn v", (ROW[::-1],))


def test_m08_nan_to_num_without_a_copy():
    agrees("y = np.nan_to_num(x, copy=False)\ny[0] = 5\nreturn x.sum()", (np.array([np.nan, 1.0, np.inf]),))


def test_m09_shuffle_binds_its_argument():
    text = convert(function("np.random.shuffle(x)"))[0]
    assert "x = jax.random.permutation(key, x)\n    return x" in text


def test_m10_methods():
    agrees("x.fill(3)\nx.put([0, -1], [7, 8])\nx[2:].fill(1)\ny = np.arange(6.0)\ny.resize((2, 4))\nreturn y", (ROW,))
    for call in ("x.byteswap(inplace=True)", "x.setflags(write=False)", "x.setfield(1, np.int64)"):
        refused(function(call))


def test_m11_functions():
    agrees(
        "np.copyto(x, 3, where=x > 2)\nnp.putmask(x, x < 2, [7, 8])\nnp.place(x, x == 3, [1, 2])\nnp.put(x, [0, -1], 9)\nnp.put_along_axis(x, np.array([1, 2]), 4, 0)",
        (ROW,),
    )
    agrees("np.fill_diagonal(x, 5)", (GRID,))


# --- M12 to M15 -------------------------------------------------------------------------------------------------------------


def test_m12_out():
    agrees(
        "y = np.zeros(6)\nnp.add(x, 1, out=y)\nnp.sqrt(y, y)\nnp.sum(x, out=y[0, ...])\nz = np.multiply(x, 2, out=x)\nz[0] = 5\nreturn y",
        (ROW,),
    )


def test_m13_where_of_a_ufunc():
    agrees("y = np.ones(6)\nnp.divide(1, x, out=y, where=x != 0)\nreturn y", (ROW,))
    refused(function("return np.divide(1, x, where=x != 0)"))


def test_m14_attributes():
    agrees("x.shape = (2, 3)\nz = x.astype(complex)\nz.real = 5\nz.imag[0] = 7\nz.real *= 2\nx.flat = 3\nreturn z", (ROW,))
    assert "NJ211" in refused(function("x.dtype = np.int64")) and "NJ211" in refused(function("x.strides = (8,)"))


def test_m15_a_copy_is_independent():
    agrees("y = x.copy()\nz = np.copy(x)\nx[0] = 9\ny += 1\nz[1] = 2\nreturn y, z")


# --- M16 to M18: NumPy and JAX side by side ---------------------------------------------------------------------------------


def test_m16_kept_code_gets_arrays_that_it_can_write_to():
    check_agrees(
        """
        import numpy as np

        def scaled(x):
            return np.sqrt(x) * 2

        def f(x):
            y = scaled(x)
            y[int(np.random.randint(2, dtype=bool) * 0)] = 5
            return y
        """,
        (ROW,),
        keep=True,
    )


def test_m17_an_array_that_is_given_to_jax_is_a_copy():
    check_agrees(
        """
        import numpy as np

        def scaled(x):
            return x * 2

        def f(n):
            x = np.ones(n) + np.random.randint(2, dtype=bool) * 0
            y = scaled(x)
            z = scaled(x[:2])
            x[0] = 50
            return y, z
        """,
        (3,),
        keep=True,
    )


@pytest.mark.parametrize(
    "text",
    [
        "x.base is None",
        "x.strides",
        "x.flags",
        "np.shares_memory(x, x[1:])",
        "np.may_share_memory(x, x)",
        "np.lib.stride_tricks.as_strided(x, (2,), (8,))",
    ],
)
def test_m18_memory_is_not_visible(text):
    refused(function(f"return {text}"))


@pytest.mark.parametrize(
    "text", ["for i, v in np.ndenumerate(x):\n    y[i] = v * 2", "for i in np.ndindex(x.shape):\n    y[i] = x[i] * 2"]
)
def test_m18_walks_over_arrays(text):
    agrees_or_refused(f"y = np.zeros(x.shape)\n{text}\nreturn y", (GRID,))


# --- M19 to M23 -------------------------------------------------------------------------------------------------------------


def test_m19_dropped_results_are_reported():
    source = "import jax.numpy as jnp\n\ndef f(v):\n    x = jnp.asarray(v)\n    x.at[0].set(1)\n    x.sort()\n    return x\n"
    assert [d.code for d in convert(source)[2]].count("NJ702") == 2


def test_m20_an_iterator_is_not_consumed_under_jit():
    agrees_or_refused("it = iter([1.0, 2.0, 3.0])\na = next(it) * x\nb = next(it) * x\nreturn a + b", (ROW,))
    agrees_or_refused("it = iter(x)\nx[1] = 50\nnext(it)\nreturn next(it)", (ROW,))


@pytest.mark.parametrize(
    "text",
    [
        "x[0], x[1] = 7.0, 8.0",
        "i, j = 1, 2\nx[i], x[j] = x[j] * 1, x[i] * 1",
        "x[0], b = 5.0, x[0] * 1\nreturn b",
        "x[0] = x[1] = y = 4.0\nreturn y",
        "x[1:3] = x[3] = x[4] * 2",
        "x[[0, 1]] = x[[1, 0]]",
        "x[1:][0], x[1:][1] = 7.0, 8.0",
        "x[x > 3], x[x < 3] = 7.0, 8.0",
        "x[0], x[0] = 1.0, 2.0",
        "(y := x)[0] = 5\nreturn y",
        "y = (z := x[:2]).sum()\nx[0] = 10\nreturn y, z",
        "for x[0] in range(3):\n    x[1] += x[0]",
        "with np.errstate(all='ignore'):\n    x[0] = 5",
    ],
)
def test_m21_targets(text):
    agrees_or_refused(text, (ROW,))


@pytest.mark.parametrize(
    "text, least",
    [
        ("u[0], u[-1] = u[1], u[-2]", 3),
        ("u[-1], u[0], u[1] = u[1], u[-2], u[-3]", 4),
        ("u[0, -1], u[1, 0] = u[1, 1], u[0, 1]", 3),
    ],
)
def test_ghost_cells_may_be_rows(text, least):
    """Rows are copied one after the other: that shows only where one is stored before it is read."""
    grids = [(np.arange(5.0 * n).reshape(n, 5),) for n in range(least, 7)]
    rows = [(np.arange(float(n)),) for n in range(least, 7)] if "[0, -1]" not in text else []
    check_agrees(function(f"u = np.cos(x)\n{text}\nreturn u", "x"), *grids, *rows)


@pytest.mark.parametrize("text", ["u[0], u[2] = u[1], u[0]", "u[0], u[1] = u[1], u[i]"])
def test_rows_that_are_read_after_they_are_stored(text):
    assert "if these are rows of `u`" in refused(function(f"u = np.cos(x)\n{text}\nreturn u", "x, i: int"))


@pytest.mark.parametrize(
    "text",
    [
        "x[0], x[1] = x[1], x[0]",
        "x[0], x[1], x[2] = x[2], x[0], x[1]",
        "x[i], x[j] = x[j], x[i]",
        "t = x[i]\nx[i] = x[j]\nx[j] = t",
    ],
)
def test_m21_swaps(text):
    body = f"i, j = 0, 1\n{text}"
    if text.startswith("t = "):  # of rows that is no swap: an assert says that x is a vector
        with pytest.raises(AssertionError):
            run(convert(function(body))[0])["f"](GRID)
    agrees_or_refused(body, (ROW,), *([] if text.startswith("t = ") else [(GRID,)]))
    agrees_or_refused(f"i, j = 0, 1\nx = np.arange(5) * n\n{text}\nreturn x", (2,), params="n")


def test_m21_del_of_an_item():
    assert "NJ212" in refused(function("del x[0]"))


def test_m22_the_dtype_of_the_array_is_kept():
    agrees(
        "x[0] = 2.7\nx[1:3] = [1.5, 2.5]\nx[x > 3] = 1.9\nx[3:] += 1",
        (np.arange(6),),
        (np.arange(6, dtype=np.int8),),
        (np.arange(6, dtype=np.float32),),
    )
    agrees("m = x > 2\nm[0] = 5\nm[1] = 0\nreturn m", (ROW,))


def test_m22_what_numpy_refuses_is_no_silent_promotion():
    text = convert(function("y = np.arange(5)\ny += 1.5\nreturn y"))[0]
    assert "y += 1.5" not in text or "np.arange" in text


def test_m23_empty_arrays_are_filled_before_they_are_read():
    agrees("y = np.empty(6)\ny[:] = x\nz = np.empty_like(x)\nnp.add(x, y, out=z)\nreturn y, z", (ROW,))


# --- aliases through everything ---------------------------------------------------------------------------------------------


def test_default_arguments_of_nested_functions():
    agrees_or_refused("g = lambda y=x: y.sum()\nx += 100\nreturn g()")
    agrees_or_refused("def g(y=x):\n    return y.sum()\nx[0] = 100\nreturn g()")


def test_return_before_finally():
    agrees_or_refused("try:\n    return x.sum()\nfinally:\n    x[0] = 9")


def test_setattr_keeps_what_it_is_given():
    program = "import numpy as np\n\nclass Box:\n    pass\n\ndef f(x: np.ndarray):\n    b = Box()\n    setattr(b, 'a', x)\n    x[0] = 9\n    return b.a\n"
    check_agrees(program, (ROW,), keep=True)


# --- masks of another shape than the array's ------------------------------------------------------------------------------------

SQUARE = np.array([[1.0, -1.0, 2.0], [3.0, -4.0, -5.0], [-6.0, 7.0, 8.0]])


def test_shapes_of_a_function_are_not_those_of_its_caller():
    text = "import numpy as np\n\ndef twice(x: np.ndarray):\n    return x * 2.0, 1\n\n"
    text += "def f(x: np.ndarray, y: np.ndarray):\n    a, _one = twice(y)\n    a[x > 0] = 0.0\n    return a\n"
    check_agrees(text, (SQUARE[0], SQUARE), keep=True)


@pytest.mark.parametrize(
    "store", ["y[:] = v", "y[...] = v", "y[:] += v", "y[:] = 2.5", "y[:] = [1, 2.5, 3]", "y[...] = v.tolist()"]
)
@pytest.mark.parametrize("annotation", ["np.ndarray", "np.ndarray[tuple[int], np.dtype[np.int64]]"])
def test_all_of_an_array_is_stored_and_reversed(store, annotation):
    """XLA for CPUs aborts the process on a scatter to all of an array that is reversed."""
    text = f"""
        import numpy as np


        def f(y: {annotation}, v: np.ndarray):
            {store}
            return y[::-1]
    """
    assert ".at[" not in check_agrees(text, (np.arange(3.0), np.array([1.0, 2.0, -3.0])), (np.arange(3), np.array([4, 5, 6])))


@pytest.mark.parametrize("test", ["isinstance(r, np.ndarray)", "not isinstance(r, float)"])
def test_masked_item_of_what_is_a_number_elsewhere(test):
    """The other branch asks `r == 0`, so that there it is a number; the mask must not be concrete for arrays."""
    lines = f"r = np.sqrt(x**2 + y**2)\nif {test}:\n    r[r == 0] = 1.0\nelif r == 0:\n    r = 1.0\nreturn x / r, y / r**3"
    zeros, ones = np.array([0.0, 1.0, 0.0]), np.array([0.0, 2.0, 1.0])
    agrees(lines, (zeros, ones), (ones, zeros), params="x, y")


@pytest.mark.parametrize(
    "start, why",
    [("m = np.ones((3, 3))", "rows of `m` are swapped"), ("m = np.asarray(x) + 0", "if these are rows of `m`")],
)
def test_the_reason_says_whether_rows_are_swapped(start, why):
    assert why in refused(function(f"{start}\nm[i], m[j] = m[j] + 1, m[i]\nreturn m", "x, i: int, j: int"))


@pytest.mark.parametrize(
    "text",
    [
        "h[:, 0] = np.ones((1, n)) * 3",
        "h[0] = np.ones((1, 1, n))",
        "h[0, :] = x[None, :]",
        "for i in range(n):\n    h[:, i] = np.ones((1, n)) * i",
        "for i in range(n):\n    row = np.zeros((1, n))\n    row[0, i] = x[i]\n    h[i, :] = row",
        "for i in range(n):\n    x[i] = np.sum(x) / 9\n    h[:, i] = x[None, :] * i",
    ],
)
def test_first_axes_of_one_element_are_dropped(text):
    """NumPy takes a row of shape (1, n) for one of shape (n,)."""
    made = function(f"h = np.zeros((n, n))\n{text}\nreturn h", "x: np.ndarray, n: int")
    check_agrees(made, (np.arange(4.0), 4), (np.arange(1.0), 1))
