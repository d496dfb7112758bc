"""Where NumPy and JAX differ, row by row (M: mutation, D: dtypes, E: errors, P: scalars): the table fixes or says it.

Each test first shows the difference with both libraries, where a program could meet it silently, and then what the entry does.
Rows that no entry can decide (x[i] = v, x += y, x == None, branches on values ...) belong to the rules and their tests.
"""

from __future__ import annotations

import pytest

np = pytest.importorskip("numpy")
jax = pytest.importorskip("jax")
jnp = jax.numpy

from np2jax.rules.core.dtypes import promote, promote_jax  # noqa: E402
from np2jax.rules.numpy_table import Entry, Memory, Verdict, function, method, ufunc_method  # noqa: E402
from np2jax.rules.numpy_table.forms import INTEGERS  # noqa: E402
from np2jax.tests.helpers.numpy_table_applied import Unsupported, converted, difference  # noqa: E402

pytestmark = pytest.mark.usefixtures("sixty_four_bits")


def of(name: str) -> Entry:
    entry = function(f"numpy.{name}") or ufunc_method(f"numpy.{name}")
    assert entry is not None, name
    return entry


def of_method(name: str) -> Entry:
    entry = method(name)
    assert entry is not None, name
    return entry


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "minimum", "logical_or", "bitwise_and"])
def test_m03_ufunc_at_accumulates(name: str) -> None:
    entry = of(f"{name}.at")
    start = np.array([True, False]) if name == "logical_or" else np.array([6, 5])
    expected = start.copy()
    getattr(np, name).at(expected, [0, 0], 2)
    assert entry.writes == "a"
    assert difference(expected, converted(entry, (start, [0, 0], 2), {})) == ""


def test_m07_the_sort_method_sorts() -> None:
    array = np.array([3, 1, 2])
    jnp.asarray(array).sort()  # sorts nothing, and says nothing
    entry = of_method("sort")
    assert entry.writes == "self" and entry.target == "jax.numpy.sort"
    assert converted(entry, (), {}, jnp.asarray(array)).tolist() == [1, 2, 3]


def test_m08_nan_to_num_without_a_copy() -> None:
    entry = of("nan_to_num")
    assert "copy" in entry.drop and entry.views_if == ("copy",)
    assert converted(entry, (np.array([np.nan]),), {"copy": False}).tolist() == [0.0]


@pytest.mark.parametrize("name", ["fill", "resize", "partition", "put", "itemset", "sort"])
def test_m10_methods_that_write(name: str) -> None:
    assert of_method(name).writes == "self" and of_method(name).verdict is not Verdict.REFUSED


@pytest.mark.parametrize("name", ["setflags", "setfield", "byteswap"])
def test_m10_methods_without_an_equivalent(name: str) -> None:
    assert of_method(name).verdict is Verdict.REFUSED


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("copyto", "dst"),
        ("putmask", "a"),
        ("put", "a"),
        ("place", "arr"),
        ("put_along_axis", "arr"),
        ("fill_diagonal", "a"),
        ("random.shuffle", "x"),
    ],
)
def test_m09_m11_functions_that_write(name: str, written: str) -> None:
    entry = of(name)
    assert entry.writes == written and entry.kind == "none"
    assert entry.verdict in (Verdict.EXPRESSION, Verdict.HOST) or entry.add == {"inplace": "False"}


@pytest.mark.parametrize("name", ["put", "copyto", "putmask", "fill_diagonal", "place"])
def test_m22_writing_keeps_the_dtype(name: str) -> None:
    array = np.array([[1, 2], [3, 4]])
    calls = {
        "put": (array, [0], 2.7),
        "copyto": (array, 2.7),
        "putmask": (array, array > 1, 2.7),
        "fill_diagonal": (array, 2.7),
        "place": (array, array > 1, [2.7]),
    }
    assert str(converted(of(name), calls[name], {}).dtype) == "int64"


@pytest.mark.parametrize("name", ["sum", "mean", "max", "add", "sqrt", "clip", "round", "cumsum", "dot", "concatenate", "take"])
def test_m12_out_is_left_to_the_rule(name: str) -> None:
    entry = of(name)
    assert "out" in entry.params and "out" not in entry.drop


def test_m13_where_of_a_ufunc_is_left_to_the_rule() -> None:
    assert "where" in of("add").params and "where" not in of("add").drop
    masked = converted(of("sum"), (np.array([1.0, 2.0]),), {"where": np.array([True, False])})
    assert float(masked) == 1.0


def test_m15_a_copy_is_new() -> None:
    assert of_method("copy").memory is of("copy").memory is Memory.NEW


@pytest.mark.parametrize("name", ["base", "strides", "flags", "ctypes", "data"])
def test_m18_memory_layout_of_arrays(name: str) -> None:
    assert of_method(name).verdict is Verdict.REFUSED


@pytest.mark.parametrize("name", ["shares_memory", "may_share_memory", "lib.stride_tricks.as_strided"])
def test_m18_memory_layout(name: str) -> None:
    assert of(name).verdict is Verdict.REFUSED


@pytest.mark.parametrize("name", ["nditer", "ndenumerate", "ndindex", "memmap"])
def test_m18_walks_stay_on_the_host(name: str) -> None:
    assert of(name).verdict is Verdict.HOST


@pytest.mark.parametrize("pair", [("int32", "float32"), ("int64", "float32"), ("float16", "int16"), ("int32", "complex64")])
def test_d02_integers_with_narrow_floats(pair: tuple[str, str]) -> None:
    one, other = (np.ones(2, dtype) for dtype in pair)
    assert str((jnp.asarray(one) + jnp.asarray(other)).dtype) == promote_jax(*pair)
    assert str((one + other).dtype) == promote(*pair) != promote_jax(*pair)
    for name in ("add", "maximum", "where", "concatenate", "dot", "true_divide", "arctan2"):
        if name == "arctan2" and "complex64" in pair:
            continue
        args = {"where": (np.array([True, False]), one, other), "concatenate": ([one, other],)}.get(name, (one, other))
        assert difference(getattr(np, name)(*args), converted(of(name), args, {})) == ""


@pytest.mark.parametrize(
    "name", ["sqrt", "mean", "std", "true_divide", "median", "linalg.norm", "fft.fft", "interp", "average", "cov"]
)
@pytest.mark.parametrize("dtype", ["int32", "uint8", "bool"])
def test_d02_integers_alone(name: str, dtype: str) -> None:
    array = np.array([1, 0, 1], dtype)
    args = {"true_divide": (array, array + array), "interp": (array, [0.0, 1.0], [2.0, 5.0])}.get(name, (array,))
    if dtype == "bool" and name == "true_divide":
        args = (array, array | True)
    args = tuple(np.where(a == 0, a.dtype.type(1), a) if name == "true_divide" and isinstance(a, np.ndarray) else a for a in args)
    called = np
    for part in name.split("."):
        called = getattr(called, part)
    assert difference(called(*args), converted(of(name), args, {})) == ""


def test_d03_unsigned_with_signed() -> None:
    assert promote("uint64", "int64") == promote_jax("uint64", "int64") == "float64"
    assert (jnp.ones(1, "uint64") + jnp.ones(1, "int64")).weak_type


@pytest.mark.parametrize(
    ("name", "args"), [("array", (2.5,)), ("full", (2, 2.5)), ("where", (True, 1.0, 0.0)), ("asarray", (2.5,))]
)
def test_d04_weak_results_of_python_scalars(name: str, args: tuple[object, ...]) -> None:
    assert getattr(jnp, name)(*args).weak_type  # docs/limitations.md says what that means


@pytest.mark.parametrize("name", ["append", "hstack", "stack", "dot", "diff", "polyval", "block"])
def test_d04_scalars_that_are_strong_in_numpy(name: str) -> None:
    array = np.array([1.0, 2.0, 3.0], "float32")
    args = {"hstack": ([array, 1.5],), "block": ([array, 1.5],), "stack": ([array[0], 1.5],), "diff": (array,)}.get(
        name, (array, 1.5)
    )
    kwargs = {"prepend": 1.5} if name == "diff" else {}
    assert of(name).strong
    expected = getattr(np, name)(*args, **kwargs)
    assert str(expected.dtype) == "float64"
    assert difference(expected, converted(of(name), args, kwargs)) == ""


def test_d07_floats_out_of_range() -> None:
    with np.errstate(invalid="ignore"):
        wrapped = np.array([300.0, -1.0]).astype("uint8").tolist()
    assert wrapped != jnp.array([300.0, -1.0]).astype("uint8").tolist()
    assert "saturates" in of_method("astype").note and "float64" in of_method("astype").note_dtypes


@pytest.mark.parametrize("name", ["floor_divide", "divmod"])
def test_d08_integer_division_by_zero(name: str) -> None:
    with np.errstate(divide="ignore"):
        theirs = getattr(np, name)(np.array([5]), np.array([0]))
    assert difference(theirs, getattr(jnp, name)(jnp.array([5]), jnp.array([0])))
    assert "zero" in of(name).note and set(INTEGERS) <= set(of(name).note_dtypes)


def test_d09_negative_powers() -> None:
    with pytest.raises(ValueError):
        np.power(np.array([2]), np.array([-1]))
    jnp.power(jnp.array([2]), jnp.array([-1]))
    assert of("power").lenient


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint8"])
@pytest.mark.parametrize("name", ["cumsum", "cumprod", "nancumsum", "cumulative_sum", "add.accumulate", "multiply.accumulate"])
def test_d12_running_sums_are_64_bits_wide(name: str, dtype: str) -> None:
    array = np.array([100, 100, 50, 2], dtype)
    called = np
    for part in name.split("."):
        called = getattr(called, part)
    assert difference(called(array), converted(of(name), (array,), {})) == ""


@pytest.mark.parametrize("name", ["log", "sqrt", "sin", "arctan2"])
def test_d12_functions_of_small_integers(name: str) -> None:
    array = np.array([1, 2, 3], "int8")
    args = (array, array) if name == "arctan2" else (array,)
    assert difference(getattr(np, name)(*args), converted(of(name), args, {})) == ""


def test_d12_results_of_searching_are_int64() -> None:
    edges, values = np.array([0.0, 1.0, 2.0]), np.array([0.5, 1.5])
    assert difference(np.searchsorted(edges, values), converted(of("searchsorted"), (edges, values), {})) == ""
    assert difference(np.digitize(values, edges), converted(of("digitize"), (values, edges), {})) == ""
    assert difference(edges.searchsorted(values), converted(of_method("searchsorted"), (values,), {}, jnp.asarray(edges))) == ""


@pytest.mark.parametrize("name", ["cholesky", "eigh", "eigvalsh"])
def test_d13_one_triangle_is_read(name: str) -> None:
    matrix = np.array([[4.0, 99.0], [1.0, 3.0]])
    theirs = getattr(np.linalg, name)(matrix)
    assert difference(theirs, getattr(jnp.linalg, name)(jnp.asarray(matrix)))
    ours = converted(of(f"linalg.{name}"), (matrix,), {})
    assert difference(np.abs(np.asarray(theirs[0])), np.abs(np.asarray(ours[0]))) == ""


@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("sort", ([3, 1],), {"kind": "mergesort"}),
        ("clip", (np.arange(4), 1), {"a_max": 2}),
        ("clip", (np.arange(4),), {"a_min": 1, "a_max": 2}),
        ("zeros", ((2, 2), float, "F"), {}),
        ("full", ((2, 2), 1.5), {"order": "F"}),
        ("eye", (2,), {"order": "F"}),
        ("concatenate", ([np.arange(2.0)],), {"casting": "unsafe"}),
        ("add", (1.0, np.arange(2.0)), {"casting": "same_kind", "subok": False}),
        ("percentile", (np.arange(4.0), 30), {"method": "lower"}),
        ("einsum", ("i,i", np.arange(2.0), np.arange(2.0)), {"optimize": True}),
        ("isin", (np.arange(3), [1]), {"kind": "sort"}),
    ],
)
def test_d14_arguments_that_jax_lacks(name: str, args: tuple[object, ...], kwargs: dict[str, object]) -> None:
    assert difference(getattr(np, name)(*args, **kwargs), converted(of(name), args, kwargs)) == ""


@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("percentile", (np.arange(4.0), 30), {"method": "weibull"}),
        ("array", ([1],), {"ndmax": 1}),
        ("ravel", (np.eye(2), "K"), {}),
        ("add", (1, 2), {"dtype": "float32"}),
        ("vectorize", (abs,), {"otypes": [float]}),
        ("sort", ([1],), {"order": "field"}),
        ("gradient", (np.arange(4.0),), {"edge_order": 2}),
        ("fill_diagonal", (np.eye(2), 1), {"wrap": True}),
        ("histogram", (np.arange(4.0),), {"bins": "auto"}),
    ],
)
def test_d14_arguments_that_refuse_the_call(name: str, args: tuple[object, ...], kwargs: dict[str, object]) -> None:
    with pytest.raises(Unsupported):
        converted(of(name), args, kwargs)


@pytest.mark.parametrize("name", ["str_", "object_", "datetime64", "longdouble", "void", "char.add", "strings.upper", "ma.array"])
def test_d16_what_stays_on_the_host(name: str) -> None:
    assert of(name).verdict is Verdict.HOST and of(name).reason


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("sum", ([1, 2],)),
        ("where", ([True, False], [1, 2], [3, 4])),
        ("dot", ([1, 2], [3, 4])),
        ("isin", ([1, 2], [2])),
        ("append", ([1], [2])),
        ("concatenate", ([[1], [2]],)),
        ("average", ([1.0, 2.0], None, [1, 3])),
        ("ix_", ([0, 1], [1])),
        ("linalg.norm", ([3.0, 4.0],)),
    ],
)
def test_d18_lists(name: str, args: tuple[object, ...]) -> None:
    called = np
    for part in name.split("."):
        called = getattr(called, part)
    assert difference(called(*args), converted(of(name), args, {})) == ""


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("fix", Verdict.RENAMED),
        ("asanyarray", Verdict.ADAPTED),
        ("ascontiguousarray", Verdict.ADAPTED),
        ("require", Verdict.ADAPTED),
        ("real_if_close", Verdict.REFUSED),
        ("poly1d", Verdict.REFUSED),
        ("matrix", Verdict.HOST),
        ("loadtxt", Verdict.HOST),
        ("errstate", Verdict.HOST),
        ("copyto", Verdict.EXPRESSION),
        ("half", Verdict.RENAMED),
        ("intp", Verdict.RENAMED),
    ],
)
def test_d19_names_that_jax_lacks(name: str, verdict: Verdict) -> None:
    assert of(name).verdict is verdict


@pytest.mark.parametrize("name", ["take", "take_along_axis", "put", "put_along_axis", "unravel_index", "add.at"])
def test_e01_indices_out_of_bounds(name: str) -> None:
    assert "bounds" in of(name).lenient


@pytest.mark.parametrize("name", ["solve", "inv", "cholesky", "eigh", "svd", "lstsq", "tensorsolve"])
def test_e02_singular_matrices(name: str) -> None:
    assert "LinAlgError" in of(f"linalg.{name}").lenient


def test_e02_the_exception_stays_numpys() -> None:
    assert not hasattr(jnp.linalg, "LinAlgError")
    assert of("linalg.LinAlgError").verdict is Verdict.HOST and "never" in of("linalg.LinAlgError").reason


@pytest.mark.parametrize("name", ["nanargmax", "nanargmin", "bincount", "unravel_index"])
def test_e03_errors_that_disappear(name: str) -> None:
    assert of(name).lenient


@pytest.mark.parametrize("name", ["errstate", "seterr", "seterrcall"])
def test_e05_warnings_mean_nothing(name: str) -> None:
    assert of(name).droppable and "warns" in of(name).reason


@pytest.mark.parametrize("name", ["float64", "floating", "integer", "int32", "generic", "bool_"])
def test_p01_nothing_is_an_instance_of_a_scalar_type(name: str) -> None:
    assert isinstance(np.float64(1) * 2, np.generic) and not isinstance(jnp.float64(1) * 2, np.generic)
    assert "instance" in of(name).note


@pytest.mark.parametrize("name", ["allclose", "array_equal", "array_equiv"])
def test_p01_answers_are_arrays(name: str) -> None:
    assert of(name).kind == "scalar" and isinstance(getattr(jnp, name)(1.0, 1.0), jax.Array)


@pytest.mark.parametrize("name", ["ndim", "shape", "size", "can_cast", "iscomplexobj", "finfo", "iinfo", "broadcast_shapes"])
def test_p04_what_is_static(name: str) -> None:
    assert of(name).kind == "static"


@pytest.mark.parametrize("name", ["shape", "ndim", "size", "itemsize", "nbytes"])
def test_p04_attributes_that_are_static(name: str) -> None:
    assert of_method(name).kind == "static"


@pytest.mark.parametrize(
    "name", ["nonzero", "argwhere", "flatnonzero", "unique", "compress", "extract", "bincount", "setdiff1d", "roots"]
)
def test_shapes_that_depend_on_values_keep_jit_away(name: str) -> None:
    assert not of(name).jit
    assert of("where").alone == "numpy.nonzero"


def test_truth_of_imaginary_numbers() -> None:
    array = np.array([0.75j])
    assert np.all(array) and not jnp.all(jnp.asarray(array))
    assert converted(of("all"), (array,), {}) and converted(of("any"), (array,), {})
