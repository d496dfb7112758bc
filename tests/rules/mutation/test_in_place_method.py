"""Methods that change an array in place: NumPy before and JAX after agree, or the function is kept."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, check_noop, check_transformed, convert, refused
from np2jax.tests.helpers.in_place import DTYPES, function, sample
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

pytestmark = pytest.mark.slow

# --- sort -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_sort(dtype):
    check_agrees(function("a.sort()\n    return a[0]"), (sample(dtype),), (sample(dtype, (3, 4)),))


def test_sort_of_edges():
    check_agrees(
        function("a.sort()"),
        (np.array([3.0, np.nan, -np.inf, np.inf, 0.0, np.nan]),),
        (np.zeros(0),),
        (np.array([2.0, 2.0, 1.0, 1.0]),),
    )


@pytest.mark.parametrize(
    "call",
    ["a.sort(axis=0)", "a.sort(0)", "a.sort(kind='stable')", "a.sort(-1, 'mergesort')", "a.sort(axis=1, kind='quicksort')"],
)
def test_sort_arguments(call):
    check_agrees(function(call), (sample(np.float64, (3, 4)),))


def test_sort_of_a_part():
    for body in (
        "a[1:].sort()",
        "v = a[::-1]\n    v.sort()\n    return v",
        "a[:3].sort()\n    a[3:].sort()",
        "a.T.sort()",
        "a.reshape(2, 3).sort(0)",
    ):
        check_agrees(function(body), (sample(np.int64),), (sample(np.float32, seed=3),), keep="reshape" in body)
    check_agrees(function("a[0].sort()\n    a[:, 1].sort()\n    a.T.sort()"), (sample(np.int64, (3, 4)),))


def test_sort_of_a_copy_leaves_the_array():
    check_agrees(function("b = a.copy()\n    b.sort()\n    return b"), (sample(np.int64),))
    check_agrees(function("b = np.sort(a)\n    b.sort()\n    return b"), (sample(np.int64),))


def test_sort_text():
    check_transformed(
        "import numpy as np\n\ndef f(a: np.ndarray):\n    a.sort()\n    return a[0]\n",
        "@jax.jit\ndef f(a: jax.Array):\n    a = jnp.sort(a)\n    return a[0], a\n",
    )


# --- fill -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_fill(dtype):
    for value in ("0", "1", "2.7", "True", "-3"):
        check_agrees(function(f"a.fill({value})"), (sample(dtype),), (sample(dtype, ()),), (sample(dtype, (0,)),))


def test_fill_by_a_value():
    check_agrees(
        function("a.fill(v)", "a: np.ndarray, v"),
        (sample(np.float32), 2.5),
        (sample(np.int64), np.int8(3)),
        (sample(np.float64), np.array(3.5)),
        (sample(np.float64), np.nan),
    )


def test_fill_of_a_part():
    check_agrees(function("a[1:].fill(0)\n    a[::2].fill(7.9)"), (sample(np.int64),), (sample(np.float32),))
    check_agrees(function("a.T[0].fill(0)\n    a[-1].fill(1)"), (sample(np.int64, (3, 4)),))
    check_agrees(function("v = a[2:4]\n    v.fill(1)\n    return v + a[0]"), (sample(np.int64),))


# --- partition, put, itemset, resize --------------------------------------------------------------------------------------


def test_partition_puts_the_kth_in_its_place():
    check_agrees(
        function("a.partition(3)\n    b = np.sort(a[:3])\n    k = a[3] * 1\n    a.fill(0)\n    return b, k"),
        (sample(np.float64),),
        (sample(np.int8),),
    )


def test_partition_at_several_places_sorts():
    assert "jnp.sort(a)" in convert(function("a.partition([1, 3])"))[0]
    check_agrees(function("a.partition((1, 2))\n    k = a[1] + a[2]\n    a.fill(0)\n    return k"), (sample(np.float64),))


@pytest.mark.parametrize("arguments", ["axis=0, kth=[0, 1]", "[0, 1], axis=0", "[0, 1], 0", "kth=[0, 1], axis=0"])
def test_partition_along_an_axis(arguments):
    matrix = np.array([[3.0, 1.0], [2.0, 5.0], [0.0, 4.0]])
    text = (
        f"import numpy as np\n\n\ndef f(x: np.ndarray):\n    a = x * 1\n    a.partition({arguments})\n    return a[:2].copy()\n"
    )
    check_agrees(text, (matrix,))


def test_partition_is_reported():
    assert any("order of the elements" in d.message for d in convert(function("a.partition(2)"))[2])


@pytest.mark.parametrize(
    "call",
    [
        "a.put([0, 2], [7, 8])",
        "a.put(1, 9)",
        "a.put([0, -1, 0], [1, 2, 3])",
        "a.put([0, 9], 5, mode='clip')",
        "a.put([0, 9, -9], [5, 6], 'wrap')",
    ],
)
def test_put(call):
    check_agrees(
        function(call), (sample(np.float64),), (sample(np.int64, (2, 3)),), (sample(np.float32),), (sample(np.complex128),)
    )


def test_put_by_arrays():
    check_agrees(
        function("a.put(i, v)", "a: np.ndarray, i: np.ndarray, v: np.ndarray"),
        (sample(np.float64), np.array([1, 1, 3]), np.array([4.5, 5.5])),
        (sample(np.int64, (2, 3)), np.array([-1]), np.array([7])),
    )


def test_resize():
    for shape in ("(2, 4)", "4", "(2, 2)", "(3,)", "(0,)", "10", "(5, 2)"):
        check_agrees(
            function(f"a = a * 1\n    a.resize({shape}, refcheck=False)\n    return a"),
            (sample(np.float64),),
            (sample(np.int8),),
            (sample(np.int64, (0,)),),
        )
    check_agrees(function("b = np.arange(6.0)\n    b.resize(2, 4)\n    return a + b"), (np.ones((2, 4)),))


def test_resize_while_a_view_is_alive():
    refused(function("v = a[:2]\n    a.resize((4,), refcheck=False)\n    return v"))


def test_itemset_which_numpy_2_removed():
    for call, item in (
        ("a.itemset(2, 5)", "a.at[2].set(5)"),
        ("a.itemset((1, 2), 5)", "a.at[1, 2].set(5)"),
        ("a.itemset(1, 2, 5)", "a.at[1, 2].set(5)"),
        ("a.itemset(5)", "jnp.full_like(a, 5)"),
    ):
        assert f"a = {item}" in convert(function(f"a = np.zeros(6)\n    {call}\n    return a"))[0]
    assert "a.ravel().at[2].set(5).reshape(a.shape)" in convert(function("a.itemset(2, 5)"))[0]


# --- clip, round, byteswap ------------------------------------------------------------------------------------------------


def test_clip_and_round_into_themselves():
    check_agrees(function("a.clip(0, 1, out=a)\n    a.round(out=a)"), (np.array([-1.0, 0.4, 0.6, 2.0, np.nan]),))


def test_layout_is_refused():
    for call in ("a.byteswap(inplace=True)", "a.setflags(write=False)", "a.setfield(1, np.int64)"):
        refused(function(call))


# --- places ---------------------------------------------------------------------------------------------------------------


def test_of_an_attribute_an_item_and_an_argument():
    check_agrees(
        """
        import numpy as np

        class Box:
            def __init__(self, x):
                self.x = np.array(x)

            def tidy(self):
                self.x.sort()
                self.x[1:].fill(0)

        def clear(part):
            part.fill(0)

        def f(x: np.ndarray):
            box = Box(x)
            box.tidy()
            params = {"w": np.array([3.0, 1.0, 2.0])}
            params["w"].sort()
            return box.x, params
        """,
        (np.array([3.0, 1.0, 2.0, 5.0]),),
        keep=True,
    )
    check_agrees(
        "import numpy as np\n\n"
        "def clear(part):\n    part.fill(0)\n\ndef f(x: np.ndarray):\n    clear(x[1:3])\n    return x.sum()\n",
        (np.arange(5.0),),
    )


def test_in_a_loop_and_a_branch():
    check_agrees(
        function("for i in range(2):\n        a[i].sort()\n        if i:\n            a[2].fill(i)\n    return a.sum()"),
        (sample(np.float64, (3, 4)),),
    )


def test_aliases_see_the_change():
    check_agrees(function("b = a\n    b.sort()\n    return a[0], b[-1]"), (sample(np.float64),))
    check_agrees(function("b = a[::2]\n    a.sort()\n    return b"), (sample(np.float64),))
    check_agrees(function("b = c = np.array([3, 1, 2])\n    b.sort()\n    return a * 2, c"), (sample(np.float64),))


# --- nothing is changed ---------------------------------------------------------------------------------------------------


def test_a_list_is_no_array():
    for body in (
        "xs = [3, 1, 2]\n    xs.sort()\n    return xs",
        "xs = list(range(3))\n    xs.sort(reverse=True)\n    return xs",
        "xs = sorted(a)\n    xs.sort()\n    return xs",
    ):
        assert "jnp.sort" not in convert(function(body, "a"))[0]


def test_a_dict_a_set_and_a_string_are_no_arrays():
    for body in ("d = {}\n    d.fill(1)\n    return d", "s = 'abc'\n    s.put(1)\n    return s"):
        text = convert(function(body, "a"))[0]
        assert "full_like" not in text and "jnp.put" not in text


def test_an_unknown_object_keeps_the_function():
    assert "NJ202" in refused("import numpy as np\n\ndef f(xs):\n    xs.sort()\n    return np.sum(xs)\n")
    assert "NJ202" in refused("import numpy as np\n\ndef f(canvas):\n    canvas.fill(0)\n    return np.sum(canvas.data)\n")


def test_an_object_of_the_project_keeps_its_method():
    text, functions, _ = convert(
        """
        import numpy as np

        class Bucket:
            def fill(self, level):
                self.level = level

        def f(x: np.ndarray):
            b = Bucket()
            b.fill(3)
            return np.sum(x) + b.level
        """
    )
    assert "b.fill(3)" in text
    assert functions["f"].label != "kept"


def test_the_value_of_sort_is_None():
    refused(function("return a.sort()"))


def test_no_numpy_no_change():
    check_noop("def f(xs):\n    xs.sort()\n    xs.fill(3)\n    return xs\n")
