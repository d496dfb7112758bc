"""Every draw of the table executed under both libraries: shape, dtype, what `result` foretells, and the edge cases."""

from __future__ import annotations

import itertools

import pytest

np = pytest.importorskip("numpy")
jax = pytest.importorskip("jax")

from np2jax.rules.core.findings import Kind  # noqa: E402
from np2jax.rules.random_table import APIS, draw, result  # noqa: E402
from np2jax.tests.helpers.random_calls import parse  # noqa: E402
from np2jax.tests.helpers.random_runs import facts_in, jax_shape, run_jax, run_numpy  # noqa: E402

jax.config.update("jax_enable_x64", True)

PREFIXES = {"module": "np.random", "RandomState": "state", "Generator": "rng"}
# Arguments without `size`, good for each draw: by parameter, so that every one is given by position and by keyword.
REQUIRED = {
    "beta": "1.5 2.5",
    "binomial": "10 0.3",
    "chisquare": "3.0",
    "choice": "5",
    "dirichlet": "[1.0,2.0,3.0]",
    "f": "3.0 4.0",
    "gamma": "2.0",
    "geometric": "0.4",
    "hypergeometric": "5 6 4",
    "integers": "5",
    "logseries": "0.4",
    "multivariate_hypergeometric": "[5,6,4] 8",
    "multinomial": "10 [0.2,0.3,0.5]",
    "multivariate_normal": "[0.0,1.0] [[2.0,0.3],[0.3,0.5]]",
    "negative_binomial": "5 0.4",
    "noncentral_chisquare": "3.0 1.5",
    "noncentral_f": "3.0 4.0 1.5",
    "pareto": "3.0",
    "power": "3.0",
    "randint": "5",
    "random_integers": "5",
    "standard_gamma": "2.0",
    "standard_t": "5.0",
    "triangular": "0.0 1.0 3.0",
    "vonmises": "0.5 2.0",
    "wald": "1.0 2.0",
    "weibull": "2.0",
    "zipf": "3.0",
}
SIZES = ("", "3", "(2, 3)", "(0,)", "()", "[2, 3]", "None", "n", "shape")
ENVIRONMENT = {
    "n": 3,
    "shape": (2, 3),
    "mu": np.array([1.0, 2.0, 3.0]),
    "above": np.array([1.5, 2.0, 3.0]),
    "column": np.array([[1.5], [2.5]]),
    "p": np.array([0.2, 0.3, 0.5]),
    "v": np.arange(5),
    "rows": np.array([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]]),
    "counts": np.array([1, 2, 3]),
    "x": np.arange(12.0).reshape(3, 4),
    "single": np.arange(4, dtype=np.float32),
    "cov": np.array([[2.0, 0.3], [0.3, 0.5]]),
    "xs": [3.0, 4.0, 5.0],
    "zero": 0.0,
    "one": 1.0,
}
SIZED = list(  # one of each entry: most are the same for all three
    {
        id(entry): (api, name) for api in APIS for name, entry in APIS[api].items() if entry.forms and "size" in entry.params
    }.values()
)


def agrees(source, more=(), known=True):
    """The same shape and dtype (of a number: the dtype that an array of it has), and as `result` says."""
    environment = {**ENVIRONMENT, **dict(more)}
    theirs, ours = run_numpy(source, environment), jax_shape(source, environment, known)
    assert ours.shape == np.shape(theirs)
    assert ours.dtype == np.asarray(theirs).dtype or (np.ndim(theirs) == 0 and ("float32" in source or "f4" in source))
    entry, arguments = parse(source)
    said = result(entry, arguments, facts_in(arguments, environment, known))
    assert said.rank in (np.ndim(theirs), -1) and (not known or said.rank >= 0 or "*" in source)
    if said.kind is Kind.SCALAR:
        assert said.dtype == type(theirs).__name__
    elif said.kind is Kind.ARRAY or np.ndim(theirs):
        assert said.dtype in (np.asarray(theirs).dtype.name, "" if entry.dtype == "same" and not known else None)


@pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])
@pytest.mark.parametrize(("api", "name"), SIZED)
def test_shapes_and_dtypes(api, name, known):
    given = REQUIRED.get(name, "").split()
    parameters = draw(api, name).params
    for size in SIZES:
        if name in ("ranf", "sample") and size:
            continue
        by_name = ", ".join([*(f"{p}={v}" for p, v in zip(parameters, given, strict=False)), *([f"size={size}"] if size else [])])
        agrees(f"{PREFIXES[api]}.{name}({by_name})", known=known)
        index = parameters.index("size")
        if size:
            defaults = [draw(api, name).defaults.get(p) for p in parameters[len(given) : index]]
            agrees(f"{PREFIXES[api]}.{name}({', '.join([*given, *defaults, size])})", known=known)


BROADCASTING = [(api, name, p) for api, name in SIZED for p in draw(api, name).arrays]
VALUES = {"p": "p", "n": "counts", "low": "counts", "left": "p", "mode": "p"}


@pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])
@pytest.mark.parametrize(("api", "name", "parameter"), BROADCASTING)
def test_parameters_that_are_arrays(api, name, parameter, known):
    """One parameter is an array, or a list; `size` is left out, equal to its shape, or has one more dimension."""
    entry = draw(api, name)
    given = dict(zip(entry.params, REQUIRED.get(name, "").split(), strict=False))
    if parameter in ("low", "mean") and name not in ("uniform", "lognormal", "wald"):
        given |= {"high": "20"}
    value = "above" if name == "zipf" else VALUES.get(parameter, "mu")
    if parameter == "low" and name == "uniform":
        given["high"] = "20"
    if parameter == "high" and name in ("integers", "randint"):
        given, value = {"low": "0"}, "counts"
    if parameter == "high" and name == "uniform":
        given = {"low": "0.5"}
    if name == "triangular" and parameter == "right":
        given = {"left": "0.0", "mode": "0.5"}
    for size in ("", "size=3", "size=(2, 3)"):
        arguments = ", ".join([*(f"{p}={v}" for p, v in {**given, parameter: value}.items()), *([size] if size else [])])
        agrees(f"{PREFIXES[api]}.{name}({arguments})", known=known)
    listed = f"[{', '.join(map(str, ENVIRONMENT[value]))}]"
    agrees(f"{PREFIXES[api]}.{name}({', '.join(f'{p}={v}' for p, v in {**given, parameter: listed}.items())})", known=known)


@pytest.mark.parametrize(("api", "name", "parameter"), BROADCASTING)
def test_the_dtype_of_parameters_is_not_that_of_the_result(api, name, parameter):
    given = dict(zip(draw(api, name).params, REQUIRED.get(name, "").split(), strict=False))
    if parameter in ("low", "left"):
        given["high" if parameter == "low" else "right"] = "20"
    if parameter == "high":
        given["low"] = "0"
    for dtype in ("float32", "int32", "uint8"):
        if dtype == "float32" and (name in ("integers", "randint") or (name, parameter) == ("binomial", "n")):
            continue  # NumPy refuses them
        value = 0.5 if dtype == "float32" and parameter in ("p", "mode") else 3 if name == "zipf" else 1
        arguments = ", ".join(f"{p}={v}" for p, v in {**given, parameter: "few"}.items())
        if (name, parameter) == ("logseries", "p") and dtype != "float32":
            continue  # 1 is out of range
        agrees(f"{PREFIXES[api]}.{name}({arguments})", {"few": np.full(3, value, dtype)})


@pytest.mark.slow
@pytest.mark.parametrize(("api", "name"), SIZED)
def test_arguments_that_are_expressions(api, name):
    """The same numbers are drawn, whatever operators the arguments are made of."""
    entry = draw(api, name)
    given = dict(zip(entry.params, REQUIRED.get(name, "").split(), strict=False))
    given |= {p: v for p, v in entry.defaults.items() if v[0].isdigit() and p in entry.arrays}

    def drawn(parameter, form):
        arguments = {**given, "size": 3, parameter: form.format(given[parameter])}
        source = f"{PREFIXES[api]}.{name}({', '.join(f'{p}={v}' for p, v in arguments.items())})"
        return np.asarray(run_jax(source, ENVIRONMENT))

    for parameter, value in given.items():
        if "[" not in value:
            plain = drawn(parameter, "{}")
            for form in ("{} - n + n", "-(-{})", "{} if n else 0", "{} * n / n" if "." in value else "{} * n // n"):
                try:
                    made = drawn(parameter, form)
                except ValueError as error:
                    assert "if" in form and "needed more than once" in str(error)
                else:
                    assert np.allclose(plain, made, rtol=1e-12)


CALLS = """
rng.normal(mu, column)
rng.normal(mu, mu)
rng.normal([1, 2, 3], column)
rng.normal(xs, 1)
rng.uniform(mu, 5, (4, 3))
rng.beta(mu, column)
rng.gamma(column, mu)
rng.negative_binomial(counts, column / 5)
rng.noncentral_chisquare(mu, column)
rng.noncentral_f(mu, column, 2.0)
rng.wald(mu, column)
rng.lognormal(mu, column)
rng.triangular(0, mu, column + 5)
rng.binomial(counts, [[0.1], [0.2]])
np.random.rand()
np.random.rand(3)
np.random.rand(2, n)
np.random.randn(2, n)
np.random.randn(*shape)
np.random.randn(4, *shape)
state.rand(*x.shape)
rng.random(3, dtype=np.float32)
rng.random(3, "float32")
rng.random(dtype="f4")
rng.standard_normal((2, 3), dtype=np.float32)
rng.standard_exponential(3, np.float32, method="inv")
rng.standard_gamma(2.0, 3, np.float32)
rng.standard_gamma(mu, dtype=np.float32)
rng.integers(0, 5, 3, np.int32)
rng.integers(0, 256, 3, "uint8")
rng.integers(0, 255, 3, np.uint8, endpoint=True)
rng.integers(255, size=3, dtype=np.uint8, endpoint=True)
rng.integers(-5, 5, dtype=np.int8)
rng.integers(counts, 9, endpoint=True)
rng.integers(3, endpoint=True, size=4)
np.random.randint(5, dtype=np.int16)
np.random.randint(5, size=3, dtype="uint32")
rng.choice(v)
rng.choice(5)
rng.choice(5, 3)
rng.choice(5, (2, 3), replace=True)
rng.choice(n, 3, replace=False)
rng.choice(n, n, False)
rng.choice(v, (2, 2), replace=False, shuffle=False)
rng.choice(xs)
rng.choice([1, 2, 3], 2)
rng.choice(single, 2)
rng.choice(3, 2, p=p)
rng.choice(3, 2, False, p)
rng.choice(xs, p=[0.2, 0.3, 0.5])
rng.choice(x)
rng.choice(x, 2)
rng.choice(x, (2, 5), axis=1)
rng.choice(x, 2, replace=False, axis=1)
rng.choice(x, 2, replace=False, p=p)
rng.choice(v, (0,))
np.random.choice(v, 3, False)
state.choice(5, size=(2, 2))
rng.permutation(5)
rng.permutation(n)
rng.permutation(x)
rng.permutation(x, 1)
rng.permutation(x, axis=-1)
rng.permutation(xs)
rng.permutation([3, 1, 2])
state.permutation(x)
rng.permuted(x)
rng.permuted(v)
rng.permuted(x, axis=0)
rng.permuted(x, axis=None)
rng.permuted([1, 2, 3])
rng.shuffle(x)
rng.shuffle(x, axis=1)
np.random.shuffle(v)
rng.multivariate_normal([0, 0], cov)
rng.multivariate_normal([0.0, 0.0], cov, 3, method="cholesky")
rng.multivariate_normal([0.0, 0.0], cov, (2, 3), method="eigh")
rng.multivariate_normal([0.0, 0.0], cov, 3, "ignore", 1e-6, method="svd")
state.multivariate_normal([0.0, 0.0], cov, [2, 3])
rng.multinomial(10, p, shape)
rng.multinomial(10, p, size=[2, 3])
rng.multinomial(10, rows)
rng.multinomial(10, rows, 2)
rng.multinomial(10, rows, (4, 2))
rng.dirichlet(mu, shape)
rng.dirichlet(xs)
"""


@pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])
@pytest.mark.parametrize("source", CALLS.strip().splitlines())
def test_other_calls(source, known):
    if not known and ("xs" in source.replace("axis", "") or source == "rng.permuted(v)"):
        pytest.skip("lists must be known to be lists")
    agrees(source, known=known)


EXACT = """
rng.normal(2.0, 0.0, 3)
rng.normal(mu, zero)
rng.laplace(2.0, zero, 3)
rng.logistic(2.0, zero, 3)
rng.gumbel(2.0, zero, 3)
rng.lognormal(zero, zero, 3)
rng.lognormal(1.0, 0.0, 3)
rng.exponential(0.0, 3)
rng.rayleigh(0.0, 3)
rng.uniform(2.0, 2.0, 3)
rng.gamma(0.0, 2.0, 3)
rng.gamma(2.0, 0.0, 3)
rng.standard_gamma(0.0, 3)
rng.poisson(0.0, 3)
rng.poisson([0.0, 0.0])
rng.binomial(0, 0.5, 3)
rng.binomial(7, 0.0, 3)
rng.binomial(7, 1.0, 3)
rng.binomial(counts, [0.0, 1.0, 1.0])
rng.geometric(1.0, 3)
rng.negative_binomial(5, 1.0, 3)
rng.logseries(0.0, 3)
rng.hypergeometric(0, 5, 3, 4)
rng.hypergeometric(5, 0, 3, 4)
rng.hypergeometric(5, 6, 0, 4)
rng.hypergeometric(5, 6, 11, 4)
rng.integers(1, size=4)
rng.integers(3, 4, size=4)
rng.integers(3, 3, size=4, endpoint=True)
rng.multinomial(7, [0.0, 1.0, 0.0], 3)
rng.multinomial(0, [0.5, 0.5], 3)
rng.multivariate_normal([1.0, 2.0], np.zeros((2, 2)), 3)
rng.dirichlet([0.0, 1.0], 3)
rng.choice(3, 5, p=[0.0, 1.0, 0.0])
rng.choice(1, 5)
rng.permutation(1)
rng.permutation(0)
rng.permutation(np.zeros((0, 3)))
rng.shuffle(zeros)
"""


@pytest.mark.slow
@pytest.mark.parametrize("source", EXACT.strip().splitlines())
def test_edge_cases_that_leave_nothing_to_chance(source):
    environment = {**ENVIRONMENT, "zeros": np.zeros(4)}
    for seed in range(5):
        theirs, ours = run_numpy(source, environment, seed), run_jax(source, environment, seed)
        assert ours.shape == np.shape(theirs)
        assert np.allclose(theirs, ours, rtol=1e-15, atol=0)


@pytest.mark.parametrize("source", ["rng.bytes(0)", "rng.bytes(5)", "np.random.bytes(n)"])
def test_bytes(source):
    theirs, ours = run_numpy(source, ENVIRONMENT), run_jax(source, ENVIRONMENT)
    assert type(ours) is bytes and len(ours) == len(theirs)
    entry, arguments = parse(source)
    assert result(entry, arguments, facts_in(arguments, ENVIRONMENT, True)).kind is Kind.OBJECT


def test_what_a_call_keeps_of_its_argument():
    """A permutation has the same elements; whole rows move together, and `permuted` moves each element of a row alone."""
    x = ENVIRONMENT["x"]
    for seed, source in itertools.product(range(5), ("rng.permutation(x)", "rng.shuffle(x)", "state.shuffle(x)")):
        ours = np.asarray(run_jax(source, ENVIRONMENT, seed))
        assert sorted(map(tuple, ours)) == sorted(map(tuple, x))
    assert np.array_equal(np.sort(np.asarray(run_jax("rng.permuted(x, axis=1)", ENVIRONMENT)), 1), np.sort(x, 1))
    assert np.array_equal(np.sort(np.asarray(run_jax("rng.permuted(x)", ENVIRONMENT)), None), x.ravel())
    assert len(set(np.asarray(run_jax("rng.choice(9, 9, replace=False)", ENVIRONMENT)).tolist())) == 9


def test_every_draw_is_executed():
    """The samples above cover the table."""
    done = {name for _, name in SIZED} | {"rand", "randn", "permutation", "permuted", "shuffle", "bytes", "choice"}
    drawn = {name for api in APIS for name, entry in APIS[api].items() if entry.forms}
    assert drawn <= done
