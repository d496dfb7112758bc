"""Functions of SciPy that jax.scipy has: `scipy.special.erf` has the entry "scipy.special.erf", and so on.

Only those that agree to ten digits over their whole domain; tests/rules/numpy_table/test_scipy.py measures that. jax.scipy also has
`log_ndtr`, `kl_div`, `rel_entr`, `beta`, `betaln` and `exp1`, which do not, and incomplete integrals, which take far longer than SciPy's.
"""

from __future__ import annotations

from typing import Any

from .entry import Entry
from .forms import EXACT, FLOAT64, UFUNC_DROP, UFUNC_TAIL, UFUNC_UNSUPPORTED, jnp, names, under
from .linalg import SINGULAR

PREFIX = "scipy."
# SciPy computes with float64, before 1.17; since then with float32 for the smallest integers and float16.
_FLOAT = {**dict.fromkeys(EXACT, "float64"), "float16": "float64"}
_OF_ONE = "erf erfc erfinv expit logit gamma i0 i0e i1 i1e entr"
_DROP = names("check_finite overwrite_a overwrite_b")
_NO_NAN = f"{SINGULAR}; SciPy raises ValueError for NaN and infinity"


def _special(name: str, inputs: str = "x", **facts: Any) -> Entry:
    arrays = names(inputs)
    return jnp(
        name,
        " ".join((inputs, *UFUNC_TAIL)),
        target=f"jax.scipy.special.{facts.pop('to', name)}",
        arrays=arrays,
        drop=UFUNC_DROP,
        unsupported=(*UFUNC_UNSUPPORTED, "out"),
        dtype="float",
        cast_for=_FLOAT,
        rank="broadcast" if len(arrays) > 1 else "same",
        ufunc=len(arrays),
        **facts,
    )


def _linalg(name: str, params: str, **facts: Any) -> Entry:
    facts = {"dtype": "mean", "cast_for": FLOAT64, "rank": "same", "lenient": _NO_NAN, **facts}
    drop = tuple(param for param in names(params) if param in _DROP)
    return jnp(name, params, target=f"jax.scipy.linalg.{name}", drop=drop, positional=facts.pop("leading", 1), **facts)


def _normal(name: str, first: str) -> Entry:
    return jnp(
        name,
        f"{first} loc scale",
        target=f"jax.scipy.stats.norm.{name}",
        arrays=(first, "loc", "scale"),
        dtype="mean",
        cast_for=_FLOAT,
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
            **{name: _special(name, "x y") for name in ("xlogy", "xlog1py")},
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
                    dtype="mean",
                    cast_for=FLOAT64,
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
            "det": _linalg("det", "a overwrite_a check_finite", arrays=("a",), rank="minus:2"),
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
    "scipy.stats.norm.ppf": _normal("ppf", "q"),
}
