"""Functions of SciPy that jax.scipy has: `scipy.special.erf` has the entry "scipy.special.erf", and so on.

Only those that agree to ten digits over their whole domain; tests/rules/numpy_table/test_scipy.py measures that. jax.scipy also has
`log_ndtr`, `kl_div`, `rel_entr`, `beta`, `betaln` and `exp1`, which do not, and incomplete integrals, which take far longer than
SciPy's. The precision of `xlogy(2, x)` depends on the version of SciPy.
"""

from __future__ import annotations

from typing import Any

from .entry import Entry
from .forms import ALWAYS_64, FLOAT64, UFUNC_DROP, UFUNC_FLOAT, UFUNC_TAIL, UFUNC_UNSUPPORTED, jnp, names, under
from .linalg import SINGULAR

PREFIX = "scipy."
# SciPy computes with 32 or 64 bits. Which of them for smaller integers and float16 depends on its version.
_WIDE = {**dict.fromkeys(("int32", "uint32", "int64", "uint64"), "float64"), "float16": "float32"}
_OF_ONE = "erf erfc erfinv expit logit gamma i0 i0e i1 i1e entr"
_DROP = names("check_finite overwrite_a overwrite_b")
_NO_NAN = f"{SINGULAR}; SciPy raises ValueError for NaN and infinity"


def _special(name: str, **facts: Any) -> Entry:
    return jnp(
        name,
        " ".join(("x", *UFUNC_TAIL)),
        target=f"jax.scipy.special.{facts.pop('to', name)}",
        arrays=("x",),
        drop=UFUNC_DROP,
        unsupported=(*UFUNC_UNSUPPORTED, "out"),
        dtype="wide",
        cast_for=_WIDE,
        rank="same",
        ufunc=1,
        **facts,
    )


def _linalg(name: str, params: str, **facts: Any) -> Entry:
    facts = {"dtype": "wide", "cast_for": _WIDE, "rank": "same", "lenient": _NO_NAN, **facts}
    drop = tuple(param for param in names(params) if param in _DROP)
    return jnp(name, params, target=f"jax.scipy.linalg.{name}", drop=drop, positional=facts.pop("leading", 1), **facts)


def _normal(name: str, first: str) -> Entry:
    return jnp(
        name,
        f"{first} loc scale",
        target=f"jax.scipy.stats.norm.{name}",
        arrays=(first, "loc", "scale"),
        dtype="double",
        cast_for=ALWAYS_64,
        rank="broadcast",
        edges="a scale that is not positive: NaN in SciPy",
    )


ENTRIES: dict[str, Entry] = {
    **under(
        "scipy.special",
        {
            **{name: _special(name) for name in _OF_ONE.split()},
            "gammaln": _special("gammaln", edges="-infinity: infinity in SciPy, NaN in JAX"),
            **{
                name: _special(name, to="digamma", edges="0: an infinity in SciPy, NaN in old versions of JAX")
                for name in ("digamma", "psi")
            },
            **{name: _special(name, loud="integers of unknown dtype: JAX raises") for name in ("ndtr", "ndtri")},
            "logsumexp": jnp(
                "logsumexp",
                "a axis b keepdims return_sign",
                target="jax.scipy.special.logsumexp",
                arrays=("a", "b"),
                unsupported=("return_sign",),
                static=("axis", "keepdims"),
                dtype="mean",
                cast_for=FLOAT64,
                rank="reduce",
            ),
            **{
                name: jnp(
                    name,
                    "x axis",
                    target=f"jax.nn.{name}",
                    arrays=("x",),
                    add={"axis": "None"},
                    add_unless=("axis",),
                    static=("axis",),
                    dtype="float",
                    cast_for=UFUNC_FLOAT,
                    rank="same",
                )
                for name in ("softmax", "log_softmax")
            },
        },
    ),
    **under(
        "scipy.linalg",
        {
            "cholesky": _linalg("cholesky", "a lower overwrite_a check_finite", arrays=("a",), static=("lower",)),
            "inv": _linalg("inv", "a overwrite_a check_finite", arrays=("a",)),
            "solve": _linalg(
                "solve",
                "a b lower overwrite_a overwrite_b check_finite assume_a transposed",
                arrays=("a", "b"),
                rank="",
                leading=2,
                unsupported=("lower", "transposed"),
                allowed={"assume_a": ("'gen'", "'pos'")},
            ),
            "solve_triangular": _linalg(
                "solve_triangular",
                "a b trans lower unit_diagonal overwrite_b check_finite",
                arrays=("a", "b"),
                rank="",
                leading=2,
                static=("trans", "lower", "unit_diagonal"),
            ),
            "block_diag": jnp(
                "block_diag", "*arrs", target="jax.scipy.linalg.block_diag", arrays=("*arrs",), dtype="promote", rank="2"
            ),
        },
    ),
    **under("scipy.stats.norm", {name: _normal(name, "x") for name in ("pdf", "logpdf", "cdf", "sf")}),
    "scipy.stats.norm.ppf": _normal("ppf", "q")._replace(dtype="float64"),
}
