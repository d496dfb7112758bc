"""Products and linear algebra: numpy.linalg, and dot and its relatives of the main namespace."""

from __future__ import annotations

from typing import Any

from .entry import Entry, Memory
from .forms import BOOLS, FLOAT64, INTEGERS, host, jnp, join, names, under

_AB = ("a", "b")
SINGULAR = "a singular or unsuitable matrix: NumPy raises LinAlgError, JAX gives NaN or infinity"
_SYMMETRIC = {"symmetrize_input": "False"}  # otherwise JAX averages the two triangles, of which NumPy reads one


# The Hermitian variants read one triangle in NumPy, both in JAX.
_HERMITIAN: Any = {"note": "of a matrix that is not Hermitian NumPy reads one triangle, JAX both", "note_if": ("hermitian",)}
_REAL = (
    "the result is complex in JAX even where NumPy's is real, so sqrt, log and powers of negative numbers are not NaN, and clip raises; "
    "use .real if it is known to be real"
)


def _linalg(name: str, params: str, **facts: Any) -> Entry:
    facts.setdefault("arrays", (params.split()[0],))
    facts.setdefault("target", f"jax.numpy.linalg.{name}")
    return jnp(name, params, **facts)


def _solver(name: str, params: str, **facts: Any) -> Entry:
    return _linalg(name, params, **{"dtype": "mean", "cast_for": FLOAT64, "lenient": SINGULAR, **facts})


_PRODUCT_DROP = ("casting", "order", "subok")


def _matrix_product(name: str, rank: str) -> Entry:
    return jnp(
        name,
        "x1 x2 out axes axis keepdims casting order dtype subok signature",
        drop=_PRODUCT_DROP,
        unsupported=names("axes axis keepdims dtype signature"),
        arrays=("x1", "x2"),
        dtype="promote",
        rank=rank,
    )


PRODUCTS: dict[str, Entry] = {
    "dot": jnp("dot", "a b out", arrays=_AB, strong=_AB, dtype="promote", rank="dot"),
    "vdot": jnp("vdot", "a b", arrays=_AB, dtype="promote", rank="0"),
    "inner": jnp("inner", "a b", arrays=_AB, dtype="promote", rank="inner"),
    "outer": jnp("outer", "a b out", arrays=_AB, dtype="promote", rank="2"),
    "kron": jnp("kron", "a b", arrays=_AB, dtype="promote", rank="broadcast", loud=BOOLS),
    "cross": jnp(
        "cross",
        "a b axisa axisb axisc axis",
        arrays=_AB,
        dtype="promote",
        rank="broadcast",
        static=names("axisa axisb axisc axis"),
    ),
    "tensordot": jnp("tensordot", "a b axes", arrays=_AB, dtype="promote", static=("axes",)),
    "einsum": jnp(
        "einsum",
        "*operands out optimize dtype order casting",
        drop=("optimize",),
        dtype="promote",
        promotes=("*operands",),
        rank="einsum",
        loud="lists as operands: JAX raises",
        unsupported=names("dtype order casting"),
        memory=Memory.MAYBE,
        shares=("*operands",),
    ),
    "einsum_path": host("it plans an einsum; jnp.einsum does this itself", "*operands optimize einsum_call", kind="static"),
    "trace": jnp(
        "trace",
        "a offset axis1 axis2 dtype out",
        arrays=("a",),
        dtype="sum",
        rank="minus:2",
        static=names("offset axis1 axis2 dtype"),
    ),
    "matmul": _matrix_product("matmul", "matmul"),
    "vecdot": _matrix_product("vecdot", ""),
    "matvec": _matrix_product("matvec", ""),
    "vecmat": _matrix_product("vecmat", ""),
}

LINALG: dict[str, Entry] = {
    "norm": _linalg(
        "norm", "x ord axis keepdims", dtype="size", rank="reduce", static=names("ord axis keepdims"), cast_for=FLOAT64
    ),
    "vector_norm": _linalg(
        "vector_norm",
        "x axis keepdims ord",
        dtype="size",
        rank="reduce",
        static=names("ord axis keepdims"),
        cast_for={**FLOAT64, "int64": "float64", "uint64": "float64"},
    ),
    "matrix_norm": _linalg("matrix_norm", "x keepdims ord", dtype="size", static=names("ord keepdims"), cast_for=FLOAT64),
    "cond": _linalg("cond", "x p", dtype="size", rank="minus:2", static=("p",), cast_for=FLOAT64),
    "det": _solver("det", "a", rank="minus:2", lenient=""),
    "slogdet": _solver("slogdet", "a", kind="tuple:2", results=("minus:2", "minus:2"), lenient=""),
    "inv": _solver("inv", "a", rank="same"),
    "pinv": _solver("pinv", "a rcond hermitian rtol", positional=1, rank="same", static=("hermitian",), **_HERMITIAN),
    "solve": _solver("solve", "a b", arrays=_AB),
    "lstsq": _solver(
        "lstsq",
        "a b rcond",
        arrays=_AB,
        kind="tuple:4",
        add={"numpy_resid": "True"},
        jit=False,
        note="the rank among the results is int64 in JAX, int32 in NumPy",
    ),
    "matrix_rank": _linalg(
        "matrix_rank",
        "A tol hermitian rtol",
        positional=1,
        rename={"A": "M"},
        dtype="int64",
        edges="of a vector: int32 in JAX",
        static=("hermitian",),
        **_HERMITIAN,
    ),
    "matrix_power": _linalg(
        "matrix_power",
        "a n",
        dtype="",
        rank="same",
        static=("n",),
        memory=Memory.MAYBE,
        note="a negative power of integers below 64 bits is of float32 in JAX",
        note_dtypes=INTEGERS,
    ),
    "multi_dot": _linalg("multi_dot", "arrays out", arrays=(), sequences=("arrays",), dtype="promote"),
    "cholesky": _solver("cholesky", "a upper", add=_SYMMETRIC, rank="same", static=("upper",)),
    "qr": _solver("qr", "a mode", kind="tuple:2", results=("same", "same"), kind_if={"mode": "unknown"}, static=("mode",)),
    "svd": _solver(
        "svd",
        "a full_matrices compute_uv hermitian",
        kind="tuple:3",
        results=("same", "minus:1", "same"),
        kind_if={"compute_uv": "array"},
        static=names("full_matrices compute_uv hermitian"),
        **_HERMITIAN,
    ),
    "svdvals": _solver("svdvals", "x", dtype="size", rank="minus:1"),
    "eig": _solver("eig", "a", kind="tuple:2", dtype="", results=("minus:1", "same"), note=_REAL),
    "eigvals": _solver("eigvals", "a", dtype="", rank="minus:1", note=_REAL),
    "eigh": _solver("eigh", "a UPLO", kind="tuple:2", results=("minus:1", "same"), add=_SYMMETRIC, static=("UPLO",)),
    "eigvalsh": _solver("eigvalsh", "a UPLO", dtype="size", rank="minus:1", add=_SYMMETRIC, static=("UPLO",)),
    "tensorsolve": _solver("tensorsolve", "a b axes", arrays=_AB, static=("axes",)),
    "tensorinv": _solver("tensorinv", "a ind", static=("ind",)),
    "cross": _linalg("cross", "x1 x2 axis", arrays=("x1", "x2"), dtype="promote", rank="broadcast", static=("axis",)),
    "diagonal": _linalg("diagonal", "x offset", dtype="same", rank="minus:1", static=("offset",), memory=Memory.VIEW),
    "matrix_transpose": _linalg("matrix_transpose", "x", dtype="same", rank="same", memory=Memory.VIEW),
    "matmul": _linalg("matmul", "x1 x2", arrays=("x1", "x2"), dtype="promote", rank="matmul"),
    "outer": _linalg("outer", "x1 x2", arrays=("x1", "x2"), dtype="promote", rank="2"),
    "tensordot": _linalg("tensordot", "x1 x2 axes", arrays=("x1", "x2"), dtype="promote", static=("axes",)),
    "trace": _linalg("trace", "x offset dtype", dtype="sum", rank="minus:2", static=("offset", "dtype")),
    "vecdot": _linalg("vecdot", "x1 x2 axis", arrays=("x1", "x2"), dtype="promote", static=("axis",)),
    "LinAlgError": host("JAX never raises it: a singular matrix gives NaN or infinity", kind="unknown"),
}

ENTRIES: dict[str, Entry] = join((PRODUCTS, under("linalg", LINALG)))
