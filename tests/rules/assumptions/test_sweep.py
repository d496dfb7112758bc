"""Whatever is labelled proved is equal under NumPy and JAX: many expressions, for all dtypes and their edge values."""

import warnings

import jax
import numpy as np
import pytest

from np2jax.tests.helpers.differential import convert, run
from np2jax.tests.helpers.edge_values import DTYPES, pairs, tame

OPERATORS = "+ - * / // % ** & | ^ << >> == != < <= > >=".split()
UNARY = """
    negative absolute fabs sign sqrt cbrt square reciprocal exp exp2 expm1 log log2 log1p sin tan arcsin arctan sinh tanh arccosh
    arctanh floor trunc rint isnan isinf isfinite signbit logical_not deg2rad conj real angle nan_to_num sinc i0 modf frexp spacing
    iscomplex isneginf
""".split()
BINARY = """
    divide floor_divide fmod float_power maximum minimum fmax fmin arctan2 hypot logaddexp logaddexp2 copysign nextafter heaviside
    gcd lcm logical_and logical_xor left_shift isclose
""".split()
FLAT = "sum prod mean std median argmax cumsum nanvar average".split()
REDUCTIONS = """
    sum prod max min mean var std any all argmax argmin ptp median cumsum cumprod nansum nanprod nanmax nanmean nanstd nanmedian
    nanargmax count_nonzero sort argsort diff trapezoid
""".split()
CASTS = "bool int8 int32 int64 uint8 uint64 float16 float32 float64 complex128".split()
# Of two vectors x and y, a number n and a fraction a.
VECTORS = [
    *(f"x {operator} y" for operator in OPERATORS),
    *(f"x {operator} n" for operator in "+ - * / // % ** == <".split()),
    *(f"x {operator} a" for operator in OPERATORS[:7]),
    *(f"x {operator} {number}" for operator in OPERATORS[:7] for number in ("5", "0.5")),
    "x + -2",
    "x * -2",
    "x ** -2",
    "x ** 2",
    "2 ** x",
    "0.5 ** x",
    "5 // x",
    "7 % x",
    "1 / x",
    "1.0 / x",
    "-x",
    "~x",
    "abs(x)",
    "x @ y",
    "1 - x",
    "-3 * x",
    "x ** -1.0",
    "x ** 3",
    "x ** 0",
    *(f"np.{name}(x)" for name in UNARY),
    *(f"np.{name}(x, y)" for name in BINARY),
    *(f"x.astype(np.{name})" for name in CASTS),
    "x.astype(float)",
    "x.astype(int)",
    "np.array(x, dtype=int)",
    "np.asarray(x, dtype=float)",
    "np.round(x)",
    "np.round(x, 1)",
    "np.round(x, -1)",
    "x.round(2)",
    "np.clip(x, 0, 2)",
    "np.clip(x, -1, 2)",
    "x.clip(0.5, 2.0)",
    "x * (x > 0)",
    "(x > 1) * y",
    "(x == y) * x + y",
    "np.where(x > y, x, y)",
    "np.where(x > 0, x, 0)",
    "np.where(x > 0, x, 0.0)",
    "np.where(x > 0, 1.0, 0.0) * y",
    "np.maximum(x, 0)",
    "np.maximum(x, 0.0)",
    "x / y / y == x / (y * y)",
    "x * 3 == x + x + x",
    "(x + y) * y",
    "(x - y) / (x + y)",
    "np.full_like(x, 2)",
    "np.full_like(x, 2.5)",
    "np.full(3, x[0])",
    "np.zeros_like(x) + y",
    "np.ones_like(x) / 3",
    "np.fill_diagonal(x[:, None], 1)",
    "np.stack([x, y])",
    "np.concatenate([x, y])",
    "np.array([x[0], y[1], 2])",
    "np.array([x[0], 1.5])",
    "np.append(x, 2)",
    "np.outer(x, y)",
    "np.dot(x, y)",
    "np.linspace(x[0], 2, 5)",
    "x[::2]",
    "x[1:] - x[:-1]",
    "x[x > y]",
    "np.multiply(x, y, dtype=float)",
    "x.tolist()",
    "np.interp(x, [0.0, 1.0], [2.0, 3.0])",
    "np.isin(x, y)",
    "np.unique(x)",
    "np.searchsorted(np.sort(x), y)",
    "np.bincount(x)",
    "np.digitize(x, [0, 1, 2])",
]
# Of a matrix x.
MATRICES = [
    *(f"np.{name}(x)" for name in FLAT),
    *(f"np.{name}(x, axis=1)" for name in REDUCTIONS),
    "x.mean()",
    "x.argmax()",
    "np.percentile(x, 30)", "np.linalg.norm(x)", "np.linalg.norm(x, axis=1)", "x @ x.T", "np.dot(x, x.T)", "np.convolve(x[0], x[1])",
    "np.correlate(x[0], x[1])", "np.trace(x)", "np.cross(x[:, :3], x[:, 1:])", "np.einsum('ij,kj->ik', x, x)", "np.tensordot(x, x)", "np.kron(x, x)",
    "np.gradient(x[0])", "np.polyval(x[0], x[1])", "np.vander(x[0])", "np.cov(x)", "np.histogram(x[0], 3)", "x.sum(axis=0) / len(x)", "x / x.sum()",
    "x - x.mean(axis=0)", "np.sqrt((x ** 2).sum(axis=1))", "np.exp(x - x.max())", "np.sum(x, dtype=np.float32)",
]  # fmt: skip
# Of two vectors of different dtypes.
MIXED = [
    *(f"x {operator} y" for operator in OPERATORS),
    *(f"np.{name}(x, y)" for name in "arctan2 maximum copysign dot append searchsorted polyval convolve".split()),
    "np.where(x > 0, x, y)", "np.concatenate([x, y])", "np.array([x[0], y[0]])", "np.clip(x, y, y)", "np.average(x, weights=y)", "x * 2 + y",
    "x / 2 + y", "x.sum() + y", "x.mean() * y", "(x > 1) * y", "x[0] * y", "a * x + y", "n * x - y",
]  # fmt: skip
MET = "bool int8 uint8 uint16 int32 int64 float16 float32 complex64".split()
SHAPES = ("int8", "float32")  # the dtypes that are also tried as empty arrays and as numbers
TYPED = ("int16", "uint16", "uint32")  # of which only the dtypes and shapes of the results are compared: nothing is compiled
FAILED = "failed"
QUICK = {"xla_backend_optimization_level": 0}
TOLERANCES = {"float16": 4e-3, "float32": 3e-5, "complex64": 3e-5, "float64": 1e-9, "complex128": 1e-9}


def module(annotation):
    """One function for each expression."""
    text = "import numpy as np\nfrom numpy.typing import NDArray\n"
    for number, expression in enumerate(VECTORS):
        text += f"\n\ndef v{number}(x: {annotation}, y: {annotation}, n: int, a: float):\n    return {expression}\n"
    for number, expression in enumerate(MATRICES):
        text += f"\n\ndef m{number}(x: {annotation}):\n    return {expression}\n"
    return text


def proved(annotation):
    """The names of the proved functions, and both versions of the module."""
    text = module(annotation)
    made, functions, _diagnostics = convert(text, placement="device")
    return {name: f.transform for name, f in functions.items() if f.label == "proved"}, run(text), run(made)


def arguments(dtype, shapes):
    """The arguments of the functions of vectors and of matrices. `shapes`: also empty arrays and numbers."""
    x, y = pairs(dtype, dtype)
    matrix = tame(dtype)
    vectors, matrices = [(x, y, 3, 0.5), (x, y, -2, -1.5)], [(matrix,)]
    if shapes:
        vectors += [(x[:0], y[:0], 0, 0.0), (x[-1:].reshape(()), y[-2:-1].reshape(()), 5, 2.0)]
        matrices += [(matrix[:0],), (matrix[:, :0],)]
    return {"v": vectors, "m": matrices}


def quiet(function, given):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return function(*given)


def differences(names, before, after, dtype, shapes=False):
    """The functions whose results differ, and how."""
    found = {}
    for start, calls in arguments(dtype, shapes).items():
        own = {name: transform for name, transform in names.items() if name.startswith(start)}
        compiled = {}
        for given in calls:
            typed = dtype in TYPED or np.shape(given[0]) == ()
            made, raised = together(own, after, given, compiled, typed)
            for name in own:
                try:
                    expected = quiet(before[name], [np.copy(v) if isinstance(v, np.ndarray) else v for v in given])
                except Exception:
                    continue
                if why := raised.get(name) or difference(expected, made[name]):
                    found.setdefault(name, f"{why} for {shown(given)}")
    return found


def together(names, after, given, compiled, typed):
    """The results of functions, and why some raise. Those with jit are compiled together, once for each shape. `typed`: their dtypes
    and shapes alone."""
    given = [jax.numpy.asarray(v) if isinstance(v, np.ndarray) else v for v in given]
    made, raised = {}, {}
    shape = np.shape(given[0])
    if shape not in compiled:
        types = {
            name: found
            for name in names
            if names[name] == "jit" and not isinstance(found := typed_result(after[name], given), str)
        }
        compiled[shape] = types, jax.jit(lambda *a: [after[name](*a) for name in types], compiler_options=QUICK)
    types, run_all = compiled[shape]
    made |= types if typed else zip(types, run_all(*given), strict=True)
    for name in names.keys() - made.keys():
        try:
            made[name] = quiet(after[name], given)
        except Exception as error:
            raised[name] = f"raises {type(error).__name__}: {error}"[:150].replace("\n", " ")
    return made, raised


def typed_result(function, given):
    try:
        return jax.eval_shape(function, *(jax.numpy.asarray(v) if isinstance(v, np.ndarray) else v for v in given))
    except Exception:
        return FAILED


def difference(expected, got):
    """How two results differ, "" if they do not."""
    if isinstance(got, str):
        return "raises in JAX"
    if isinstance(expected, list):
        expected, got = np.array(expected), np.array(got)
    if isinstance(expected, tuple):
        return next((d for a, b in zip(expected, got, strict=True) if (d := difference(a, b))), "")
    want, made = np.asarray(expected), got if isinstance(got, jax.ShapeDtypeStruct) else np.asarray(got)
    if isinstance(expected, np.generic | np.ndarray) and want.dtype != made.dtype:
        return f"{want.dtype} in NumPy, {made.dtype} in JAX"
    if want.shape != made.shape:
        return f"shape {want.shape} in NumPy, {made.shape} in JAX"
    if isinstance(got, jax.ShapeDtypeStruct):
        return ""
    if want.dtype.kind not in "fc":
        wrong = want != made
    else:
        tolerance = TOLERANCES[str(want.dtype)]
        with np.errstate(all="ignore"):
            wrong = ~np.isclose(want, made, rtol=tolerance, atol=np.finfo(want.dtype).eps * 4, equal_nan=True)
    if not wrong.any():
        return ""
    first = np.argmax(wrong.ravel())
    return f"{want.ravel()[first]} in NumPy, {made.ravel()[first]} in JAX, at {first}"


def shown(given):
    return ", ".join(f"{v.dtype}{v.shape}" if isinstance(v, np.ndarray) else repr(v) for v in given)


def expression(name):
    return (VECTORS if name.startswith("v") else MATRICES)[int(name[1:])]


@pytest.fixture(scope="module")
def unknown():
    return proved("np.ndarray")


@pytest.mark.slow
@pytest.mark.parametrize("dtype", DTYPES)
def test_of_known_dtype(dtype):
    names, before, after = proved(f"NDArray[np.{dtype + '_' * (dtype == 'bool')}]")
    assert len(names) > len(VECTORS + MATRICES) / 2, "what is assumed is not compared"
    wrong = differences(names, before, after, dtype, shapes=dtype in SHAPES)
    assert not wrong, "\n".join(f"{expression(name)}: {why}" for name, why in wrong.items())


@pytest.mark.slow
@pytest.mark.parametrize("dtype", DTYPES)
def test_of_unknown_dtype(dtype, unknown):
    names, before, after = unknown
    wrong = differences(names, before, after, dtype)
    assert not wrong, "\n".join(f"{expression(name)}: {why}" for name, why in wrong.items())


@pytest.mark.slow
@pytest.mark.parametrize("dtype", MET)
def test_dtypes_that_meet(dtype):
    text = "import numpy as np\nfrom numpy.typing import NDArray\n"
    for other in MET:
        known = [f"NDArray[np.{d}{'_' * (d == 'bool')}]" for d in (dtype, other)]
        for number, code in enumerate(MIXED):
            text += f"\n\ndef {other}_{number}(x: {known[0]}, y: {known[1]}, n: int, a: float):\n    return {code}\n"
    made, functions, _diagnostics = convert(text, placement="device")
    before, after = run(text), run(made)
    wrong, compared = [], 0
    for name, outcome in functions.items():
        if outcome.label != "proved" or not outcome.transform:
            continue
        other, _underscore, number = name.partition("_")
        given = [np.ones(4, dtype), np.ones(4, other), 2, 0.5]
        try:
            expected = quiet(before[name], given)
        except Exception:
            continue
        compared += 1
        if why := difference(expected, typed_result(after[name], given)):
            wrong.append(f"{MIXED[int(number)]}: {why} for {shown(given)}")
    assert not wrong, "\n".join(wrong)
    assert compared > 100
