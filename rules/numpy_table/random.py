"""numpy.random where it stays NumPy: the kinds of its results. For what its draws become, see rules.random_table."""

from __future__ import annotations

from .entry import Entry
from .forms import host

RANDOM = "random numbers are drawn on the host where no key can replace their generator"

# Draws with parameters of their own and `size`; floating point unless stated otherwise.
_FLOATS = (
    "beta chisquare dirichlet exponential f gamma gumbel laplace logistic lognormal multivariate_normal noncentral_chisquare "
    "noncentral_f normal pareto power rand randn random random_sample ranf sample rayleigh standard_cauchy standard_exponential "
    "standard_gamma standard_normal standard_t triangular uniform vonmises wald weibull"
)
_INTEGERS = "binomial geometric hypergeometric logseries multinomial negative_binomial poisson randint random_integers zipf"

ENTRIES: dict[str, Entry] = {
    "random": host(RANDOM),
    **{f"random.{name}": host(RANDOM, kind="array", dtype="float64") for name in _FLOATS.split()},
    **{f"random.{name}": host(RANDOM, kind="array", dtype="int64") for name in _INTEGERS.split()},
    "random.choice": host(RANDOM, "a size replace p", kind="array"),
    "random.permutation": host(RANDOM, "x", kind="array"),
    "random.shuffle": host(RANDOM, "x", kind="none", writes="x"),
    "random.bytes": host(RANDOM, "length", kind="object"),
    "random.seed": host(RANDOM, "seed", kind="none"),
    "random.get_state": host(RANDOM, "legacy", kind="object"),
    "random.set_state": host(RANDOM, "state", kind="none"),
    "random.get_bit_generator": host(RANDOM, kind="object"),
    "random.set_bit_generator": host(RANDOM, "bitgen", kind="none"),
    **{
        f"random.{name}": host(RANDOM, kind="object")
        for name in "default_rng Generator RandomState SeedSequence BitGenerator MT19937 PCG64 PCG64DXSM Philox SFC64".split()
    },
}
