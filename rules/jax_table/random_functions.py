"""The functions of `jax.random`: which use up a key, which make one."""

from __future__ import annotations

MODULE = "jax.random."
HAIKU = frozenset({"haiku.next_rng_key", "haiku.dropout"})
MAKERS = frozenset("jax.random.key jax.random.PRNGKey jax.random.wrap_key_data".split())
SPLIT = "jax.random.split"
DERIVED = frozenset({"jax.random.fold_in", "jax.random.clone"})  # a new key; the old one may be used again, with other data
NEUTRAL = frozenset("jax.random.key_data jax.random.key_impl jax.random.wrap_key_data jax.random.default_prng_impl".split())
SAMPLERS = frozenset(
    f"jax.random.{name}"
    for name in """
    ball bernoulli beta binomial bits categorical cauchy chisquare choice dirichlet double_sided_maxwell exponential f gamma
    generalized_normal geometric gumbel laplace logistic loggamma lognormal maxwell multinomial multivariate_normal normal
    orthogonal pareto permutation poisson rademacher randint rayleigh shuffle t triangular truncated_normal uniform wald
    weibull_min
    """.split()
)
USES = SAMPLERS | {SPLIT, "haiku.dropout"}
INITIALIZERS = frozenset(  # they make functions that draw
    f"jax.nn.initializers.{name}"
    for name in """
    glorot_normal glorot_uniform he_normal he_uniform kaiming_normal kaiming_uniform lecun_normal lecun_uniform normal orthogonal
    truncated_normal uniform variance_scaling xavier_normal xavier_uniform
    """.split()
)
INITIALIZER = "initializer"  # such a function
UNISON = frozenset({"jax.random.permutation", "jax.random.choice"})  # one key for several arrays selects the same of each
