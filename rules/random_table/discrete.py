"""Draws of integers."""

from __future__ import annotations

from typing import Any

from ..facts.draw import Draw
from .forms import draw, in_range

_LOW_HIGH = "unless `low` < `high`, NumPy raises ValueError and JAX gives `low`"
_LARGE = (
    "jax.random.poisson works in float32: above a mean of 1e5 its distribution is not exact, and above 1e6 it is visibly wrong; "
    "draw a rounded normal variate there, or keep NumPy"
)
_NO_BOOL = "`dtype=bool` has no equivalent in JAX: draw integers 0 and 1 and compare them, rng.integers(2, size=n) == 1"
_BOOL = {"dtype": dict.fromkeys(("bool", "bool_", "'bool'", "'?'"), _NO_BOOL)}
_COUNTS = "jax.random.multinomial({multinomial_key}, {n}, "
_ROWS = _COUNTS + "jnp.tile({pvals}, (*{size}, 1))).astype(int)"  # before JAX 0.12, `shape` must be that of `p`


def _multinomial(*forms: str | tuple[str, dict[str, str]], **fields: Any) -> Draw:
    return draw(
        (_COUNTS + "{pvals}).astype(int)", {"size": ""}),
        *forms,
        "n pvals size=None",
        vectors="pvals",
        scalars=("n",),
        arrays=(),
        events=1,
        dtype="int64",
        scalar="numpy",
        sums=("pvals",),
        note="if the probabilities do not sum to 1, JAX scales them, and NumPy gives the rest to the last one",
        lenient="NumPy raises ValueError for probabilities whose sum is above 1; JAX scales them",
        **fields,
    )


def _integers(template: str, low: str, high: str) -> str:
    return template.replace("LOW", low).replace("HIGH", high)


_RANDINT = "jax.random.randint({randint_key}, {size}, LOW, HIGH, dtype={dtype})"

ENTRIES: dict[str, Draw] = {
    "poisson": draw(
        "jax.random.poisson({poisson_key}, {lam}, {size?})",
        "lam=1.0 size=None",
        dtype="int64",
        scalar="int",
        limits={"lam": 1e5},
        note=_LARGE,
        lenient=in_range("lam"),
    ),
    "binomial": draw(
        "jax.random.binomial({binomial_key}, {n}, {p}, {size?}).astype(int)",
        "n p size=None",
        dtype="int64",
        scalar="int",
        lenient=in_range("n") + "; for `p` outside [0, 1] likewise",
    ),
    "geometric": draw(
        "jax.random.geometric({geometric_key}, {p}, {size?})",
        "p size=None",
        dtype="int64",
        scalar="int",
        lenient="for `p` outside (0, 1], NumPy raises ValueError and JAX gives other numbers",
    ),
    "negative_binomial": draw(
        "jax.random.poisson({poisson_key}, jax.random.gamma({gamma_key}, {n}, {size?}) * ((1 - {p}) / {p}), {size?})",
        "n p size=None",
        dtype="int64",
        scalar="int",
        source="gamma mixture of Poisson distributions, as NumPy's own: Devroye (1986), X.4.7",
        note=_LARGE,
        lenient=in_range("n") + "; for `p` outside (0, 1] likewise",
    ),
    "logseries": draw(
        "jnp.floor(1 - jax.random.exponential({exponential_key}, {size}) "
        "/ jnp.log(-jnp.expm1(jnp.log1p(-{p}) * jax.random.uniform({uniform_key}, {size})))).astype(int)",
        "p size=None",
        dtype="int64",
        scalar="int",
        source="Kemp, Efficient Generation of Logarithmically Distributed Pseudo-Random Variables, Applied Statistics 30 (1981)",
        lenient="for `p` outside [0, 1), NumPy raises ValueError and JAX gives other numbers",
    ),
    "hypergeometric": draw(
        "jax.random.categorical({categorical_key}, "
        "jax.scipy.stats.binom.logpmf(jnp.arange({nsample} + 1), {ngood}, 0.5) "
        "+ jax.scipy.stats.binom.logpmf({nsample} - jnp.arange({nsample} + 1), {nbad}, 0.5), shape={size})",
        "ngood nbad nsample size=None",
        dtype="int64",
        scalar="int",
        arrays=(),
        scalars=("ngood", "nbad", "nsample"),
        static=("nsample",),
        source="a binomial variate given its sum with another one: Johnson, Kemp and Kotz, Univariate Discrete Distributions "
        "(2005), 6.2",
        note="a draw takes memory for `nsample + 1` numbers",
        lenient="NumPy raises ValueError for negative numbers or `nsample` above `ngood + nbad`; JAX gives a number",
    ),
    "zipf": draw(
        "_zipf({zipf_key}, {a}, {size})",
        "a size=None",
        dtype="int64",
        scalar="int",
        source="rejection: Devroye, Non-Uniform Random Variate Generation (1986), X.6.1",
        lenient="unless `a` > 1, NumPy raises ValueError and JAX gives 0",
    ),
}

LEGACY: dict[str, Draw] = {
    "randint": draw(
        (_integers(_RANDINT, "0", "{low}"), {"high": ""}),
        _integers(_RANDINT, "{low}", "{high}"),
        "low high=None size=None dtype=int",
        dtype="param",
        scalar="int",
        lenient=_LOW_HIGH,
        excluded=_BOOL,
    ),
    "random_integers": draw(
        ("jax.random.randint({randint_key}, {size}, 1, {low} + 1)", {"high": ""}),
        "jax.random.randint({randint_key}, {size}, {low}, {high} + 1)",
        "low high=None size=None",
        dtype="int64",
        scalar="numpy",
        scalars=("low", "high"),
        lenient=_LOW_HIGH,
    ),
    "tomaxint": draw(
        "(jax.random.bits({bits_key}, {size}, jnp.uint64) >> 1).astype(int)", "size=None", dtype="int64", scalar="int"
    ),
    "multinomial": _multinomial(_ROWS),
}
GENERATOR: dict[str, Draw] = {
    "integers": draw(
        (_integers(_RANDINT, "0", "{low} + 1"), {"high": "", "endpoint": "True"}),
        (_integers(_RANDINT, "{low}", "{high} + 1"), {"endpoint": "True"}),
        (_integers(_RANDINT, "0", "{low}"), {"high": ""}),
        _integers(_RANDINT, "{low}", "{high}"),
        "low high=None size=None dtype=np.int64 endpoint=False",
        dtype="param",
        scalar="numpy",
        allowed={"endpoint": ("True", "False")},
        lenient=_LOW_HIGH,
        excluded=_BOOL,
    ),
    "multinomial": _multinomial(
        (_ROWS, {"pvals": "rank1"}),
        _COUNTS + "jnp.broadcast_to({pvals}, (*{size}, {pvals}.shape[-1]))).astype(int)",
        rank="rows",
    ),
    "multivariate_hypergeometric": draw(
        "_multivariate_hypergeometric({multivariate_hypergeometric_key}, {colors}, {nsample}, {size})",
        "colors nsample size=None method='marginals'",
        vectors="colors",
        arrays=(),
        scalars=("nsample",),
        static=("nsample",),
        ignored=("method",),
        events=1,
        dtype="int64",
        scalar="numpy",
        source="a hypergeometric variate for each color, given those before: Gentle, Random Number Generation and Monte Carlo "
        "Methods (2003), 5.3",
        note="a draw takes memory for `nsample + 1` numbers",
        lenient="NumPy raises ValueError for negative numbers or more draws than there are balls; JAX gives numbers",
    ),
}
