"""What the functions of NumPy and SciPy cost, there and compiled by XLA: the figures from which rules/numpy_table/call_costs.py is rounded.

    python benchmarks/numpy_call_costs.py [NAME...]

For each function: microseconds of a call on three elements in NumPy, and nanoseconds for each element of large arrays in NumPy and in
compiled code, without what the call itself and its arguments take.
"""

import functools
import pydoc
import sys
import timeit
import warnings

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)
warnings.simplefilter("ignore")
SMALL, LARGE = 3, 300_000
ELEMENTWISE = """abs add angle arccos arccosh arcsin arcsinh arctan arctan2 arctanh cbrt ceil clip conj copysign cos cosh deg2rad degrees
divide equal exp exp2 expm1 fabs floor floor_divide fmod heaviside hypot i0 isclose isfinite isnan less log log10 log1p log2 logaddexp
logical_and logical_not maximum minimum mod multiply nan_to_num negative nextafter power rad2deg radians remainder rint round sign
sinc sin sinh sqrt square subtract tan tanh trunc where""".split()
REDUCTIONS = """all any argmax argmin average count_nonzero max mean median min nanargmax nanmax nanmean nanmedian nanmin nanstd nansum
nanvar percentile prod ptp quantile std sum var""".split()
OTHER = """append argsort array_split bincount concatenate convolve corrcoef cov cross cumprod cumsum diag diff digitize dot dstack
ediff1d einsum fft.fft fft.fft2 fft.ifft fft.ifft2 fft.irfft fft.rfft fft.rfft2 flip gradient histogram hstack insert interp isin linalg.cholesky linalg.cond
linalg.det linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh linalg.inv linalg.lstsq linalg.matrix_rank linalg.norm linalg.pinv
linalg.qr linalg.slogdet linalg.solve linalg.svd linspace matmul meshgrid moveaxis nancumsum outer pad partition piecewise poly
polyfit polyval ravel repeat reshape roll searchsorted select sort stack take tile trapezoid transpose tril triu unique unwrap
vander vdot vstack""".split()
SCIPY = [
    *(f"scipy.special.{name}" for name in """digamma entr erf erfc erfinv expit gamma gammaln i0 i0e i1 i1e log_softmax logit logsumexp ndtr
    ndtri psi softmax""".split()),
    *(f"scipy.stats.norm.{name}" for name in ("cdf", "logpdf", "pdf", "ppf", "sf")),
]  # fmt: skip
TWO = set(
    "add arctan2 copysign divide equal floor_divide fmod heaviside hypot isclose less logaddexp logical_and maximum minimum mod"
    " multiply nextafter power remainder subtract append concatenate dot vdot isin digitize interp searchsorted".split()
)


def arguments(name, n):
    """Arguments of about n elements."""
    r = np.random.default_rng(0)
    x, y = r.random(n) * 0.8 + 0.1, r.random(n) * 0.8 + 0.1
    side = max(3, int(n**0.5))
    square = r.random((side, side)) + side * np.eye(side)
    small = r.random((max(n // 9, 1), 3, 3)) + 3 * np.eye(3)
    rows = r.random((max(n // 3, 1), 3))
    special = {
        "arccosh": (x + 1,), "where": (x > 0.5, x, y), "clip": (x, 0.2, 0.7), "percentile": (x, 30.0), "quantile": (x, 0.3),
        "bincount": (np.arange(n) % 50,), "convolve": (x, y[:3]), "cross": (rows, rows), "einsum": ("ij,ij->i", rows, rows),
        "insert": (x, 1, 5.0), "interp": (x, np.linspace(0, 1, 100), np.linspace(0, 1, 100) ** 2),
        "digitize": (x, np.linspace(0, 1, 100)), "searchsorted": (np.linspace(0, 1, 100), x), "isin": (x, y[:50]),
        "matmul": (square, square), "outer": (x[:side], y[:side]), "pad": (x, 1), "partition": (x, n // 2),
        "polyfit": (x, y, 2), "polyval": (y[:5], x), "poly": (x[:20],), "repeat": (x, 2), "reshape": (x, (-1,)), "roll": (x, 1),
        "select": ([x > 0.5, x <= 0.5], [x, y]), "piecewise": (x, [x > 0.5, x <= 0.5], [1.0, 2.0]), "tile": (x, 2),
        "take": (x, np.arange(n)[::-1].copy()), "vander": (x, 4), "linspace": (0.0, 1.0, n), "meshgrid": (x[:side], y[:side]),
        "moveaxis": (rows, -1, 0), "transpose": (rows,), "diag": (square,), "tril": (square,), "triu": (square,),
        "corrcoef": (rows.T,), "cov": (rows.T,), "array_split": (x, 3), "linalg.norm": (rows, None, -1), "linalg.lstsq": (rows, x[: len(rows)]),
        "linalg.matrix_rank": (small,), "linalg.solve": (small, small), "gradient": (x,), "vdot": (x, y),
    }  # fmt: skip
    if name in special:
        return special[name]
    if name in ("stack", "vstack", "hstack", "dstack"):
        return ((x, y),)
    if name in ("append", "concatenate"):
        return ((x, y),) if name == "concatenate" else (x, y)
    if name.startswith("fft.") and name.endswith("2"):
        return (square,)
    if name.startswith("linalg."):
        return (small @ small.swapaxes(-1, -2),)
    return (x, y) if name in TWO else (x,)


def best(call, number):
    return min(timeit.repeat(call, number=number, repeat=7)) / number


def costs(name):
    """Microseconds for few elements in NumPy; nanoseconds an element in NumPy, and compiled."""
    if name.startswith("scipy."):
        of_numpy, short = pydoc.locate(name), name.rpartition(".")[2]
        of_jax = getattr(jax.nn, short) if "softmax" in name else pydoc.locate(f"jax.{name.replace('psi', 'digamma')}")
    else:
        of_numpy = functools.reduce(getattr, name.split("."), np)
        of_jax = functools.reduce(getattr, name.split("."), jnp)
    few, many = arguments(name, SMALL), arguments(name, LARGE)
    small = best(lambda: of_numpy(*few), 300) * 1e6
    numpy_time = best(lambda: of_numpy(*many), 2)
    traced = [
        k
        for k, a in enumerate(many)
        if isinstance(a, np.ndarray)
        or (isinstance(a, (tuple, list)) and not isinstance(a[0], int) and name not in ("reshape", "piecewise"))
    ]
    fixed = list(many)

    def call(*arrays):
        given = list(fixed)
        for k, array in zip(traced, arrays, strict=True):
            given[k] = list(array) if name == "select" else array
        return of_jax(*given)

    compiled = jax.jit(call)
    on_device = jax.tree.map(jnp.asarray, [many[k] for k in traced])
    jax.block_until_ready(compiled(*on_device))
    xla_time = best(lambda: jax.block_until_ready(compiled(*on_device)), 2)
    return small, numpy_time / LARGE * 1e9, xla_time / LARGE * 1e9


def main():
    print(f"{'':22s}{'few, us':>9s}{'NumPy, ns':>11s}{'XLA, ns':>9s}")
    for name in sys.argv[1:] or [*ELEMENTWISE, *REDUCTIONS, *OTHER, *SCIPY]:
        try:
            print(f"{name:22s}" + "{:9.1f}{:11.2f}{:9.2f}".format(*costs(name)), flush=True)
        except Exception as error:
            print(f"{name:22s} {type(error).__name__}: {str(error)[:80]}", flush=True)


if __name__ == "__main__":
    main()
