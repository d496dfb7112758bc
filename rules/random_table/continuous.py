"""Draws of floating-point numbers."""

from __future__ import annotations

from ..facts.draw import Draw
from .forms import draw, in_range

_INVERSE = "inverse of the distribution function: Devroye, Non-Uniform Random Variate Generation (1986), II.2"
_NONCENTRAL = (
    "Poisson mixture: Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions, volume 2 (1995), chapters 29 and 30"
)
_LARGE = (
    "jax.random.poisson, of which this is made, works in float32: for `nonc` above 2e5 the distribution is not exact; draw the sum "
    "of squares of shifted normal variates, or keep NumPy"
)
_CANCELS = "for `mean` above 1e6 times `scale`, JAX's draws lose their digits, and some are negative; NumPy's are exact"
_F = "jax.random.f({f_key}, {dfnum}, {dfden}"

ENTRIES: dict[str, Draw] = {
    "normal": draw(
        "{loc} + {scale} * jax.random.normal({normal_key}, {size})", "loc=0.0 scale=1.0 size=None", lenient=in_range("scale")
    ),
    "laplace": draw(
        "{loc} + {scale} * jax.random.laplace({laplace_key}, {size})", "loc=0.0 scale=1.0 size=None", lenient=in_range("scale")
    ),
    "logistic": draw(
        "{loc} + {scale} * jax.random.logistic({logistic_key}, {size})", "loc=0.0 scale=1.0 size=None", lenient=in_range("scale")
    ),
    "gumbel": draw(
        "{loc} + {scale} * jax.random.gumbel({gumbel_key}, {size})", "loc=0.0 scale=1.0 size=None", lenient=in_range("scale")
    ),
    "uniform": draw(
        "jax.random.uniform({uniform_key}, {size}, minval={low}, maxval={high})",
        "low=0.0 high=1.0 size=None",
        lenient="where `low` is above `high`, NumPy's Generator raises ValueError (and the older functions are undefined), "
        "and JAX gives `low`",
    ),
    "exponential": draw(
        "{scale} * jax.random.exponential({exponential_key}, {size})", "scale=1.0 size=None", lenient=in_range("scale")
    ),
    "rayleigh": draw("jax.random.rayleigh({rayleigh_key}, {scale}, {size?})", "scale=1.0 size=None", lenient=in_range("scale")),
    "gamma": draw(
        "{scale} * jax.random.gamma({gamma_key}, {shape}, {size?})",
        "shape scale=1.0 size=None",
        lenient=in_range("shape", "scale"),
    ),
    "beta": draw("jax.random.beta({beta_key}, {a}, {b}, {size?})", "a b size=None", lenient=in_range("a", "b")),
    "chisquare": draw("jax.random.chisquare({chisquare_key}, {df}, {size?})", "df size=None", lenient=in_range("df")),
    "f": draw(
        (_F + ")", {"size": ""}),
        (_F + ", {size})", {"dfnum": "scalar", "dfden": "scalar"}),
        "jax.random.f({f_key}, jnp.full({size}, {dfnum}), jnp.full({size}, {dfden}))",  # before JAX 0.12, f takes no other shape
        "dfnum dfden size=None",
        lenient=in_range("dfnum", "dfden"),
    ),
    "standard_t": draw("jax.random.t({t_key}, {df}, {size})", "df size=None", lenient=in_range("df")),
    "standard_cauchy": draw("jax.random.cauchy({cauchy_key}, {size})", "size=None"),
    "lognormal": draw(
        ("jax.random.lognormal({normal_key}, {sigma}, {size?})", {"mean": "0.0"}),
        "jnp.exp({mean} + {sigma} * jax.random.normal({normal_key}, {size}))",
        "mean=0.0 sigma=1.0 size=None",
        lenient=in_range("sigma"),
    ),
    "pareto": draw("jax.random.pareto({pareto_key}, {a}, {size?}) - 1", "a size=None", lenient=in_range("a")),
    "power": draw("jax.random.uniform({power_key}, {size}) ** (1 / {a})", "a size=None", source=_INVERSE, lenient=in_range("a")),
    "weibull": draw(
        "jax.random.weibull_min({weibull_key}, 1, {a}, {size})",
        "a size=None",
        note="for `a` = 0, NumPy gives 0, JAX 0 or infinity",
        lenient=in_range("a"),
    ),
    "triangular": draw(
        "jax.random.triangular({triangular_key}, {left}, {mode}, {right}, {size?})",
        "left mode right size=None",
        lenient="NumPy raises ValueError unless left <= mode <= right and left < right; JAX gives NaN or other numbers",
    ),
    "wald": draw(
        "{scale} * jax.random.wald({wald_key}, {mean} / {scale}, {size?})",
        "mean scale size=None",
        note=_CANCELS,
        source="a multiple of a Wald variate is one: Johnson, Kotz and Balakrishnan, volume 1 (1994), chapter 15",
        lenient=in_range("mean", "scale"),
    ),
    "noncentral_chisquare": draw(
        "jax.random.chisquare({chisquare_key}, {df} + 2 * jax.random.poisson({poisson_key}, {nonc} / 2, {size?}), {size?})",
        "df nonc size=None",
        source=_NONCENTRAL,
        limits={"nonc": 2e5},
        note=_LARGE,
        lenient=in_range("df", "nonc"),
    ),
    "noncentral_f": draw(
        "{dfden} / {dfnum} * jax.random.chisquare({numerator_key}, "
        "{dfnum} + 2 * jax.random.poisson({poisson_key}, {nonc} / 2, {size}), {size}) "
        "/ jax.random.chisquare({denominator_key}, {dfden}, {size})",
        "dfnum dfden nonc size=None",
        source=_NONCENTRAL,
        limits={"nonc": 2e5},
        note=_LARGE,
        lenient=in_range("dfnum", "dfden", "nonc"),
    ),
    "dirichlet": draw(
        "jax.random.dirichlet({dirichlet_key}, {alpha}, {size?})",
        "alpha size=None",
        vectors="alpha",
        note="if all of `alpha` is 0, the legacy NumPy functions raise ValueError, Generator gives 0, and JAX NaN",
        events=1,
        scalar="numpy",
        lenient=in_range("alpha"),
    ),
    "vonmises": draw(
        "_vonmises({vonmises_key}, {mu}, {kappa}, {size})",
        "mu kappa size=None",
        source="rejection: Best and Fisher, Efficient Simulation of the von Mises Distribution, Applied Statistics 28 (1979)",
        lenient=in_range("kappa"),
    ),
}

_STANDARD = {
    "standard_normal": "jax.random.normal({normal_key}, {size}",
    "standard_exponential": "jax.random.exponential({exponential_key}, {size}",
    "standard_gamma": "jax.random.gamma({gamma_key}, {shape}, {size?}",
    "random": "jax.random.uniform({uniform_key}, {size}",
}
_OUT = "`out=` is changed in place: assign the draw instead, `x[...] = rng.{name}(x.shape)`"
_NARROW = "where `mean` and `cov` are float32, so is the result in JAX; NumPy's is float64"
_MVN = "jax.random.multivariate_normal({normal_key}, {mean}, {cov}, {size?}"

LEGACY: dict[str, Draw] = {
    **{
        name: draw(template + ")", "shape size=None" if name == "standard_gamma" else "size=None")
        for name, template in _STANDARD.items()
    },
    **{name: draw(_STANDARD["random"] + ")", "size=None") for name in ("random_sample", "ranf", "sample")},
    "rand": draw("jax.random.uniform({uniform_key}, {size})", "*d"),
    "randn": draw("jax.random.normal({normal_key}, {size})", "*d"),
    "multivariate_normal": draw(
        _MVN + ', method="svd")',
        "mean cov size=None check_valid='warn' tol=1e-8",
        vectors="mean cov",
        events=1,
        ignored=("check_valid", "tol"),
        scalar="numpy",
        note=_NARROW,
        lenient="JAX does not say when `cov` is not a covariance matrix",
    ),
}
GENERATOR: dict[str, Draw] = {
    **{
        name: draw(
            template + ", dtype={dtype})",
            ("shape size=None" if name == "standard_gamma" else "size=None")
            + " dtype=np.float64"
            + (" method='zig'" if name == "standard_exponential" else "")
            + " out=None",
            dtype="param",
            ignored=("method",) if name == "standard_exponential" else (),
            refused={"out": _OUT.format(name=name)},
        )
        for name, template in _STANDARD.items()
    },
    "multivariate_normal": draw(
        (_MVN + ")", {"method": "'cholesky'"}),
        (_MVN + ', method="eigh")', {"method": "'eigh'"}),
        _MVN + ', method="svd")',
        "mean cov size=None check_valid='warn' tol=1e-8 method='svd'",
        keyword_only="method",
        vectors="mean cov",
        events=1,
        ignored=("check_valid", "tol"),
        allowed={"method": ("'svd'", "'eigh'", "'cholesky'")},
        scalar="numpy",
        note=_NARROW,
        lenient="JAX does not say when `cov` is not a covariance matrix",
    ),
}
