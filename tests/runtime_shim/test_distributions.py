"""Every distribution that jax.random has, converted by hand: the draws of NumPy's version make the converted one agree."""

import textwrap

import pytest

pytest.importorskip("jax")

from np2jax.runtime_shim.verification.verify import verify

pytestmark = pytest.mark.slow

# name, NumPy's expression, its conversion by hand; `a` and `b` are positive arrays of the same length, `n` is 4.
PAIRS = [
    ("normal", "rng.normal(a, b)", "a + b * jax.random.normal(rng, a.shape)"),
    ("normal_kinds", "rng.standard_normal((2, 3)).sum() + rng.normal(size=n)", "two(lambda k: jax.random.normal(k, (2, 3)).sum(), lambda k: jax.random.normal(k, (4,)))"),
    ("uniform", "rng.uniform(-a, b)", "jax.random.uniform(rng, a.shape, minval=-a, maxval=b)"),
    ("uniform_scaled", "rng.uniform(2, 5, n)", "2 + 3 * jax.random.uniform(rng, (4,))"),
    ("random", "rng.random((n, 2))", "jax.random.uniform(rng, (4, 2))"),
    ("float32", "rng.random(n, dtype=np.float32)", "jax.random.uniform(rng, (4,), dtype=jnp.float32)"),
    ("laplace", "rng.laplace(a, b)", "a + b * jax.random.laplace(rng, a.shape)"),
    ("logistic", "rng.logistic(a, b)", "a + b * jax.random.logistic(rng, a.shape)"),
    ("gumbel", "rng.gumbel(1, 2, n)", "1 + 2 * jax.random.gumbel(rng, (4,))"),
    ("exponential", "rng.exponential(a)", "a * jax.random.exponential(rng, a.shape)"),
    ("standard_exponential", "rng.standard_exponential(n)", "jax.random.exponential(rng, (4,))"),
    ("rayleigh", "rng.rayleigh(a)", "jax.random.rayleigh(rng, a)"),
    ("gamma", "rng.gamma(a, b)", "b * jax.random.gamma(rng, a)"),
    ("log_of_gamma", "np.log(rng.standard_gamma(a))", "jax.random.loggamma(rng, a)"),
    ("beta", "rng.beta(a, b)", "jax.random.beta(rng, a, b)"),
    ("chisquare", "rng.chisquare(a)", "jax.random.chisquare(rng, a)"),
    ("f", "rng.f(a, b)", "jax.random.f(rng, a, b)"),
    ("standard_t", "rng.standard_t(3, n)", "jax.random.t(rng, 3, (4,))"),
    ("standard_cauchy", "rng.standard_cauchy(n)", "jax.random.cauchy(rng, (4,))"),
    ("lognormal", "rng.lognormal(a, b)", "jnp.exp(a + b * jax.random.normal(rng, a.shape))"),
    ("lognormal_direct", "rng.lognormal(0, 0.5, n)", "jax.random.lognormal(rng, 0.5, (4,))"),
    ("pareto", "rng.pareto(a)", "jax.random.pareto(rng, a) - 1"),
    ("weibull", "rng.weibull(2.0, n)", "jax.random.weibull_min(rng, 1, 2.0, (4,))"),
    ("power", "rng.power(3.0, n)", "jax.random.uniform(rng, (4,)) ** (1 / 3.0)"),
    ("triangular", "rng.triangular(0, 1, 3, n)", "jax.random.triangular(rng, 0, 1, 3, (4,))"),
    ("wald", "rng.wald(a, b)", "b * jax.random.wald(rng, a / b)"),
    ("poisson", "rng.poisson(a)", "jax.random.poisson(rng, a)"),
    ("binomial", "rng.binomial(5, 0.3, n)", "jax.random.binomial(rng, 5, 0.3, (4,)).astype(int)"),
    ("geometric", "rng.geometric(0.3, n)", "jax.random.geometric(rng, 0.3, (4,))"),
    ("negative_binomial", "rng.negative_binomial(3, 0.4, n)", "two_of(lambda k: jax.random.gamma(k, 3, (4,)), lambda k, g: jax.random.poisson(k, g * (0.6 / 0.4)))"),
    ("noncentral_chisquare", "rng.noncentral_chisquare(a, b)", "two_of(lambda k: jax.random.poisson(k, b / 2), lambda k, m: jax.random.chisquare(k, a + 2 * m))"),
    ("hypergeometric", "rng.hypergeometric(5, 6, 3, n)", "jax.random.categorical(rng, jnp.log(jnp.array([20, 75, 60, 10]) / 165), shape=(4,))"),
    ("multinomial", "rng.multinomial(7, [0.2, 0.3, 0.5])", "jax.random.multinomial(rng, 7, jnp.array([0.2, 0.3, 0.5])).astype(int)"),
    ("dirichlet", "rng.dirichlet(a, 3)", "jax.random.dirichlet(rng, a, (3,))"),
    ("multivariate_normal", "rng.multivariate_normal(a, np.diag(b), 3)", "jax.random.multivariate_normal(rng, a, jnp.diag(b), (3,))"),
    ("integers", "rng.integers(2, 9, n)", "jax.random.randint(rng, (4,), 2, 9)"),
    ("integers_to", "rng.integers(3, endpoint=True)", "jax.random.randint(rng, (), 0, 4)"),
    ("bytes", "len(rng.bytes(5)) + 0 * n", "jax.random.bits(rng, (5,), jnp.uint8).size"),
    ("choice", "rng.choice(a, 5)", "jax.random.choice(rng, a, (5,))"),
    ("choice_weighted", "rng.choice(n, 2, replace=False, p=[0.1, 0.2, 0.3, 0.4])", "jax.random.choice(rng, 4, (2,), replace=False, p=jnp.array([0.1, 0.2, 0.3, 0.4]))"),
    ("choice_of_rows", "rng.choice(np.outer(a, b), axis=1)", "jax.random.choice(rng, jnp.outer(a, b), axis=1)"),
    ("permutation", "rng.permutation(n)", "jax.random.permutation(rng, 4)"),
    ("permutation_of_rows", "rng.permutation(np.outer(a, b), axis=1)", "jax.random.permutation(rng, jnp.outer(a, b), axis=1)"),
    ("permuted", "rng.permuted(np.outer(a, b), axis=1)", "jax.random.permutation(rng, jnp.outer(a, b), axis=1, independent=True)"),
    ("permuted_all", "rng.permuted(np.outer(a, b))", "jax.random.permutation(rng, jnp.outer(a, b).ravel()).reshape(len(a), len(b))"),
    ("shuffled", "in_new_order(a, rng)", "jax.random.permutation(rng, a)"),
    ("threshold", "rng.random(n) < 0.5", "jax.random.bernoulli(rng, 0.5, (4,))"),
]  # fmt: skip

BEFORE = """
import numpy as np
n = 4

def in_new_order(a, rng):
    copy = a.copy()
    rng.shuffle(copy)
    return copy
"""

AFTER = """
import jax
import jax.numpy as jnp
"""

FUNCTION = """
def _{name}(a, b, rng):
    a, b = abs(a) + 1, abs(b) + 1
    def two(first, second):
        first_key, second_key = jax.random.split(rng)
        return first(first_key) + second(second_key)
    def two_of(first, second):
        first_key, second_key = jax.random.split(rng)
        return second(second_key, first(first_key))
    return {after}
{name} = jax.jit(_{name})
"""

SLIPS = [
    ("rate", "rng.exponential(2.0, n)", "jax.random.exponential(rng, (4,))", "elements differ"),
    ("gamma_of", "rng.gamma(2.0, 3.0, n)", "3.0 * jax.random.gamma(rng, 3.0, (4,))", "with a 3., not 2."),
    ("bound", "rng.integers(0, 5, n)", "jax.random.randint(rng, (4,), 0, 6)", "with high 6, not 5"),
    ("weights", "rng.choice(3, 2, p=[0.2, 0.3, 0.5])", "jax.random.choice(rng, 3, (2,))", "with p ["),
    ("replaced", "rng.choice(4, 2, replace=False)", "jax.random.choice(rng, 4, (2,))", "with replace True, not False"),
    ("axis", "rng.permutation(np.outer(a, b[:3]))", "jax.random.permutation(rng, jnp.outer(a, b[:3]), axis=1)", "another shape"),
    (
        "covariance",
        "rng.multivariate_normal(a, np.diag(b))",
        "jax.random.multivariate_normal(rng, a, jnp.diag(b**2))",
        "with cov",
    ),
    ("one_for_all", "rng.normal(a, 1.0)", "a + jax.random.normal(rng)", "another shape"),
]


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("distributions")
    signature = "(a: \"Float[Array, 'k']\", b: \"Float[Array, 'k']\", rng: np.random.Generator)"
    before, after = BEFORE, AFTER
    for name, numpys, jaxs, *_ in PAIRS + SLIPS:
        numpys, jaxs = (text.replace("a.shape", "jnp.shape(a)") for text in (numpys, jaxs))
        before += f"def {name}{signature}:\n    a, b = abs(a) + 1, abs(b) + 1\n    return {numpys}\n"
        after += FUNCTION.format(name=name, after=jaxs)
    for name, text in (("before", before), ("after", after)):
        (folder / name).mkdir()
        (folder / name / "code.py").write_text(textwrap.dedent(text))
    report = verify(folder / "before" / "code.py", folder / "after" / "code.py", examples=3)
    return {function.name.removeprefix("code."): function for function in report.functions}


@pytest.mark.parametrize("name", [name for name, *_ in PAIRS])
def test_distribution_is_replayed(verdicts, name):
    assert verdicts[name].verdict == "agrees", verdicts[name].summary
    assert {"jitted", "eager", "keys"} <= set(verdicts[name].modes)


@pytest.mark.parametrize(("name", "why"), [(name, why) for name, _, _, why in SLIPS])
def test_another_distribution_is_found(verdicts, name, why):
    assert verdicts[name].verdict == "differs", verdicts[name].summary
    assert why in verdicts[name].reason
