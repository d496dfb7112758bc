"""Every draw of the table has NumPy's distribution, by two-sample tests.

The seeds are fixed, so that a run cannot fail by chance; they were not chosen. For other seeds, all comparisons together raise
a false alarm with a probability of at most 1e-4 (Bonferroni). Continuous draws are compared by the Kolmogorov-Smirnov test with
Smirnov's bound exp(-2 t^2) on either side, integers by Pearson's test of homogeneity, and both by their means and variances,
where these exist, with the normal approximation.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import pytest

np = pytest.importorskip("numpy")
jax = pytest.importorskip("jax")
jnp = jax.numpy

from np2jax.rules.random_table import APIS, draw  # noqa: E402
from np2jax.tests.helpers.random_calls import parse  # noqa: E402
from np2jax.tests.helpers.random_runs import evaluated, run_jax, run_numpy, written  # noqa: E402

jax.config.update("jax_enable_x64", True)

N = 40_000
COMPARISONS = 400  # no more are made: see `level`
FALSE_ALARM = 1e-4
made = 0


def level():
    """The error rate of one comparison."""
    global made
    made += 1
    assert made <= COMPARISONS
    return FALSE_ALARM / COMPARISONS


def same_continuous(ours, theirs):
    """Smirnov, On the Estimation of the Discrepancy Between Empirical Curves of Distribution for Two Samples (1939)."""
    values = np.sort(np.concatenate([ours, theirs]))
    distance = np.abs(
        np.searchsorted(np.sort(ours), values, "right") / len(ours)
        - np.searchsorted(np.sort(theirs), values, "right") / len(theirs)
    ).max()
    bound = math.sqrt(-math.log(level() / 2) / 2 * (1 / len(ours) + 1 / len(theirs)))
    assert distance < bound, f"Kolmogorov-Smirnov distance {distance:.4f}, bound {bound:.4f}"


def same_integers(ours, theirs):
    """Pearson's test for two samples; values are put together until 20 of both samples are expected in each class."""
    values, where = np.unique(np.concatenate([ours, theirs]), return_inverse=True)
    counts = np.stack([np.bincount(w, minlength=len(values)) for w in (where[: len(ours)], where[len(ours) :])])
    classes = np.cumsum(counts.sum(0)) // 40
    table = np.stack([np.bincount(classes, row)[np.bincount(classes, minlength=classes[-1] + 1) > 0] for row in counts])
    expected = np.outer(table.sum(1), table.sum(0)) / table.sum()
    statistic, freedom = ((table - expected) ** 2 / expected).sum(), table.shape[1] - 1
    if not freedom:
        assert np.array_equal(*map(np.unique, (ours, theirs)))
        return
    tail = float(jax.scipy.special.gammaincc(freedom / 2, statistic / 2))
    assert tail > level(), f"chi-square {statistic:.1f} with {freedom} degrees of freedom"


def same_moments(ours, theirs):
    """Means and variances: their differences in standard errors."""
    z = NormalDist().inv_cdf(1 - level() / 4)
    for a, b in ((ours, theirs), ((ours - theirs.mean()) ** 2, (theirs - theirs.mean()) ** 2)):
        error = math.sqrt(a.var() / len(a) + b.var() / len(b))
        assert abs(a.mean() - b.mean()) <= z * error, f"{a.mean()} and {b.mean()}, standard error {error}"


def same(ours, theirs, moments=True):
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
    if ours.dtype.kind == "f":
        same_continuous(ours, theirs)
    else:
        same_integers(ours, theirs)
    if moments:
        same_moments(ours.astype(float), theirs.astype(float))


HEAVY = (
    "zipf(4",
    "zipf(a=4",
    "zipf(2.0",
    "zipf(1.3",
    "standard_cauchy",
    "standard_t(2",
    "pareto(1",
    "f(3.0, 4.0",
    "noncentral_f(3.0, 4.0",
)  # no variance, or no error of it
PREFIXES = {"module": "np.random", "RandomState": "state", "Generator": "rng"}
# Arguments for each draw; "size" is added.
ARGUMENTS = {
    "beta": ("1.5, 2.5", "0.3, 0.2"),
    "binomial": ("10, 0.3", "1000, 0.7", "3, 0.999"),
    "chisquare": ("3.0", "0.7"),
    "choice": ("7", "vs", "5, p=[0.1, 0.2, 0.3, 0.4, 0.0]"),
    "exponential": ("", "2.5"),
    "f": ("3.0, 4.0", "6, 20"),
    "gamma": ("2.0, 3.0", "0.3", "20.0"),
    "geometric": ("0.4", "0.01"),
    "gumbel": ("1.0, 2.0",),
    "hypergeometric": ("5, 6, 4", "100, 30, 60"),
    "integers": ("5", "-3, 4", "1, 6, endpoint=True", "255, dtype=np.uint8, endpoint=True"),
    "laplace": ("1.0, 2.0",),
    "logistic": ("1.0, 2.0",),
    "lognormal": ("0.5, 0.3", "sigma=0.4"),
    "logseries": ("0.4", "0.95", "0.001"),
    "negative_binomial": ("5, 0.4", "0.5, 0.1"),
    "noncentral_chisquare": ("3.0, 1.5", "0.5, 4.0", "3.0, 0.0"),
    "noncentral_f": ("3.0, 4.0, 1.5", "5.0, 30.0, 4.0"),
    "normal": ("1.0, 2.0", ""),
    "pareto": ("5.0", "1.0"),
    "poisson": ("3.0", "0.2", "60.0", "1e4"),
    "power": ("3.0", "0.3"),
    "randint": ("5", "-3, 4"),
    "random_integers": ("6", "2, 5"),
    "rayleigh": ("2.0",),
    "standard_gamma": ("2.0", "0.3"),
    "standard_t": ("2.0", "10.0"),
    "triangular": ("0.0, 1.0, 3.0", "0, 0, 1", "-1, 2, 2"),
    "vonmises": ("0.5, 4.0", "3.0, 0.3", "0.0, 0.0", "-2.0, 200.0", "0.0, 1e12"),
    "uniform": ("-1.0, 3.0", ""),
    "wald": ("1.0, 2.0", "3.0, 0.5"),
    "weibull": ("2.0", "0.7"),
    "zipf": ("4.0", "2.0", "1.3", "40.0", "2000.0"),
}
EVENTS = {"dirichlet", "multivariate_hypergeometric", "multinomial", "multivariate_normal"}
DISTINCT = list(
    {
        id(entry): (api, name) for api in APIS for name, entry in APIS[api].items() if entry.forms and "size" in entry.params
    }.values()
)
LINES = [
    f"{PREFIXES[api]}.{name}({arguments}{', ' * bool(arguments)}size=N)"
    for api, name in DISTINCT
    if name not in EVENTS
    for arguments in ARGUMENTS.get(name, ("",))
] + ["rng.random(N, dtype=np.float32)", "rng.standard_normal(N, np.float32)", "np.random.randn(N)", "np.random.rand(N)"]
ENVIRONMENT = {"N": N, "vs": np.array([2.0, 3.0, 5.0]) ** 2}


@pytest.mark.slow
@pytest.mark.parametrize("source", LINES)
def test_distributions(source):
    source = source.replace("(N, size=N)", "(N)")
    theirs = run_numpy(source, ENVIRONMENT, 1)
    ours = run_jax(source, ENVIRONMENT, 2)
    same(ours, theirs, not any(f".{h}" in source for h in HEAVY))


@pytest.mark.slow
@pytest.mark.parametrize(("api", "name", "parameter"), [(api, name, p) for api, name in DISTINCT for p in draw(api, name).arrays])
def test_each_parameter_as_an_array(api, name, parameter):
    """Without `size`, each element of an array has a draw of its own, and none is drawn for all."""
    entry = draw(api, name)
    given = dict(zip(entry.params, ARGUMENTS[name][0].split(", "), strict=False)) if ARGUMENTS[name][0] else {}
    value = given.get(parameter) or entry.defaults[parameter]
    if value == "None":
        value = "9"
    arguments = ", ".join(f"{p}={v}" for p, v in {**given, parameter: "full"}.items())
    source = f"{PREFIXES[api]}.{name}({arguments})"
    environment = {"full": np.full(N, float(value) if "." in value else int(value))}
    same(
        run_jax(source, environment, 3), run_numpy(source, environment, 4), not any(f".{h}" in f".{name}({value}" for h in HEAVY)
    )


VECTORS = """
rng.dirichlet([0.5, 1.0, 4.0], N)
rng.dirichlet([10.0, 3.0], N)
rng.multivariate_hypergeometric([5, 8, 3], 7, N)
rng.multivariate_hypergeometric([5, 0, 30, 3], 12, N, method="count")
rng.multinomial(10, [0.2, 0.3, 0.5], N)
rng.multinomial(50, [0.01, 0.0, 0.99], N)
state.multivariate_normal([1.0, -1.0], [[2.0, 0.8], [0.8, 0.5]], N)
rng.multivariate_normal([1.0, -1.0], [[2.0, 0.8], [0.8, 0.5]], N, method="cholesky")
rng.multivariate_normal([1.0, -1.0], [[2.0, 0.8], [0.8, 0.5]], N, method="eigh")
rng.multivariate_normal([1.0, -1.0, 0.0], [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 2.0]], N)
"""


@pytest.mark.slow
@pytest.mark.parametrize("source", VECTORS.strip().splitlines())
def test_vectors(source):
    """Each component, and two sums of several."""
    theirs, ours = run_numpy(source, ENVIRONMENT, 5), np.asarray(run_jax(source, ENVIRONMENT, 6))
    for weights in (*np.eye(theirs.shape[1], dtype=int), np.arange(theirs.shape[1]) + 1, (-2) ** np.arange(theirs.shape[1])):
        same((ours @ weights).round(12), (theirs @ weights).round(12))


# Small results of which each is told from all others: the order matters.
SMALL = """
rng.permutation(4)
rng.permutation(items)
np.random.permutation(4)
rng.permuted(items)
rng.permuted(grid)
rng.permuted(grid, axis=1)
rng.permuted(grid, axis=0)
rng.permutation(grid)
rng.permutation(grid, axis=1)
rng.shuffle(items)
rng.shuffle(grid, axis=1)
np.random.shuffle(grid)
rng.choice(5, 3, replace=False)
rng.choice(items, 2, replace=False)
rng.choice(4, 3, replace=False, p=[0.1, 0.2, 0.3, 0.4])
rng.choice(5, 2, p=[0.1, 0.2, 0.3, 0.4, 0.0])
np.random.choice(4, 2, False, [0.4, 0.1, 0.3, 0.2])
rng.choice(grid, 2, axis=1)
rng.choice(grid, 2, replace=False)
"""


@pytest.mark.slow
@pytest.mark.parametrize("source", SMALL.strip().splitlines())
def test_orders(source):
    environment = {"items": np.arange(4), "grid": np.arange(6).reshape(2, 3)}
    generators = {"rng": np.random.default_rng(7), "np": np}
    entry, text = written(source, environment)
    np.random.seed(8)
    changed = entry.writes and parse(source)[1][entry.writes].value

    def theirs():
        copies = {name: v.copy() for name, v in environment.items()}
        result = eval(source, {**generators, **copies})
        return copies[changed] if changed else result

    ours = jax.vmap(lambda key: evaluated(entry, text, environment, key))(jax.random.split(jax.random.key(9), N // 2))
    code = 7 ** np.arange(ours[0].size)
    same(np.asarray(ours).reshape(N // 2, -1) @ code, np.stack([theirs().ravel() for _ in range(N // 2)]) @ code, moments=False)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("rng.normal(0, 1, N)", "rng.normal(0, 1.1, N)"),
        ("rng.gamma(2.0, size=N)", "rng.gamma(2.1, size=N)"),
        ("rng.integers(5, size=N)", "rng.choice(5, N, p=[0.22, 0.18, 0.2, 0.2, 0.2])"),
        ("rng.poisson(3.0, N)", "rng.poisson(3.1, N)"),
    ],
)
def test_the_tests_see_differences(ours, theirs):
    with pytest.raises(AssertionError, match=r"distance|chi-square"):
        same(run_numpy(ours, ENVIRONMENT, 1), run_numpy(theirs, ENVIRONMENT, 2))
