"""Calls of numpy.random for the tests of the table of draws: the converted calls, and the facts about their arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import libcst as cst

from np2jax.rules.core.findings import Kind
from np2jax.rules.facts.values import UNKNOWN, Value
from np2jax.rules.random_table import Draw, bind, draw, expression, problem

NUMBER = Value(Kind.SCALAR, "float", 0)
NAMES = {
    **dict.fromkeys(("n", "m"), Value(Kind.SCALAR, "int", 0)),
    **dict.fromkeys(("low", "high", "s"), NUMBER),
    **dict.fromkeys(("mu", "sigma"), Value(Kind.ARRAY, "float64", 1)),
    "v": Value(Kind.ARRAY, "int64", 1),
    "x": Value(Kind.ARRAY, "float64", 2),
    "cov": Value(Kind.ARRAY, "float64", 2),
    "shape": Value(Kind.TUPLE),
    "xs": Value(Kind.LIST),
    "words": Value(Kind.LIST, elements=(Value(Kind.STRING),)),
    "traced": Value(Kind.SCALAR, "int64", 0, traced=True),
    "sizes": Value(Kind.ARRAY, "int64", 1, traced=True),
}
PREFIXES = {"np.random": "module", "rng": "Generator", "state": "RandomState"}

SOURCES = [
    tuple(map(str.strip, line.split("->")))
    for line in """
rng.normal(size=n) -> jax.random.normal(key, (n,))
np.random.normal(low, s, (2, 3)) -> low + s * jax.random.normal(key, (2, 3))
np.random.normal(mu, s) -> mu + s * jax.random.normal(key, mu.shape)
np.random.normal(mu, sigma) -> mu + sigma * jax.random.normal(key, jnp.broadcast_shapes(mu.shape, sigma.shape))
np.random.normal(unknown, 1) -> unknown + jax.random.normal(key, jnp.shape(unknown))
np.random.normal(f(x), 1, n) -> f(x) + jax.random.normal(key, (n,))
np.random.normal(low, high) -> low + high * jax.random.normal(key)
np.random.normal(0, 1, size=unknown) -> jax.random.normal(key, jnp.broadcast_shapes(unknown))
np.random.normal(0.0, 0.5) -> 0.5 * jax.random.normal(key)
np.random.normal(-1, low * 2, n) -> -1 + low * 2 * jax.random.normal(key, (n,))
np.random.normal(low + 1, low + 2, n) -> low + 1 + (low + 2) * jax.random.normal(key, (n,))
np.random.normal(low if n else 0, 1, n) -> (low if n else 0) + jax.random.normal(key, (n,))
np.random.normal([1, 2], 1) -> jnp.array([1, 2]) + jax.random.normal(key, (2,))
np.random.normal([unknown, 2], 1) -> jnp.array([unknown, 2]) + jax.random.normal(key, jnp.shape(jnp.array([unknown, 2])))
rng.normal(size=[2, n]) -> jax.random.normal(key, (2, n))
rng.normal(size=xs) -> jax.random.normal(key, tuple(xs))
rng.normal(size=traced) -> jax.random.normal(key, (traced,))
rng.normal(size=None) -> jax.random.normal(key)
rng.normal(size=()) -> jax.random.normal(key)
rng.normal(size=x.shape) -> jax.random.normal(key, x.shape)
state.normal(size=n + 1) -> jax.random.normal(key, (n + 1,))
np.random.randn() -> jax.random.normal(key)
np.random.randn(n) -> jax.random.normal(key, (n,))
np.random.randn(n, m) -> jax.random.normal(key, (n, m))
np.random.randn(*shape) -> jax.random.normal(key, shape)
np.random.randn(2, *shape) -> jax.random.normal(key, (2, *shape))
np.random.rand(*x.shape) -> jax.random.uniform(key, x.shape)
rng.uniform(low, high, n) -> jax.random.uniform(key, (n,), minval=low, maxval=high)
rng.uniform(0, high) -> jax.random.uniform(key, maxval=high)
rng.uniform(-1, 1, size=x.shape) -> jax.random.uniform(key, x.shape, minval=-1)
rng.uniform(low=[0, 0], high=v, size=(n, 2)) -> jax.random.uniform(key, (n, 2), minval=jnp.array([0, 0]), maxval=v)
rng.integers(n) -> jax.random.randint(key, (), 0, n)
rng.integers(1, 7, endpoint=True) -> jax.random.randint(key, (), 1, 8)
rng.integers(n, endpoint=True, size=5) -> jax.random.randint(key, (5,), 0, n + 1)
rng.integers(1, n, (3,), np.uint8, True) -> jax.random.randint(key, (3,), 1, n + 1, dtype=np.uint8)
rng.integers(5, dtype=np.int64) -> jax.random.randint(key, (), 0, 5)
np.random.randint(10, size=5) -> jax.random.randint(key, (5,), 0, 10)
np.random.randint(v, 10) -> jax.random.randint(key, v.shape, v, 10)
np.random.random_integers(6) -> jax.random.randint(key, (), 1, 7)
rng.random() -> jax.random.uniform(key)
rng.random((n, m), dtype=np.float32) -> jax.random.uniform(key, (n, m), dtype=np.float32)
rng.random(dtype="f4") -> jax.random.uniform(key, dtype="f4")
rng.standard_normal(n, "float64") -> jax.random.normal(key, (n,))
rng.choice(v) -> jax.random.choice(key, v)
rng.choice(n, 5, replace=False) -> jax.random.choice(key, n, (5,), replace=False)
rng.choice(v, size=n, p=[0.2, 0.8]) -> jax.random.choice(key, v, (n,), p=jnp.array([0.2, 0.8]))
rng.choice(x, n, axis=1, shuffle=False) -> jax.random.choice(key, x, (n,), axis=1)
np.random.permutation(n) -> jax.random.permutation(key, n)
np.random.permutation(xs) -> jax.random.permutation(key, jnp.asarray(xs))
rng.permuted(x) -> jax.random.permutation(key, jnp.ravel(x)).reshape(jnp.shape(x))
rng.permuted(v) -> jax.random.permutation(key, v)
rng.permuted(x, axis=1) -> jax.random.permutation(key, x, axis=1, independent=True)
np.random.shuffle(x) -> jax.random.permutation(key, x)
rng.shuffle(x, axis=1) -> jax.random.permutation(key, x, axis=1)
np.random.multivariate_normal([0, 0], cov, n) -> jax.random.multivariate_normal(key, jnp.array([0, 0]), cov, (n,), method="svd")
rng.multivariate_normal(mu, cov, method="cholesky") -> jax.random.multivariate_normal(key, mu, cov)
rng.multinomial(10, unknown, n) -> jax.random.multinomial(key, 10, jnp.broadcast_to(unknown, (n, unknown.shape[-1]))).astype(int)
rng.multinomial(10, [0.2, 0.8]) -> jax.random.multinomial(key, 10, jnp.array([0.2, 0.8])).astype(int)
np.random.multinomial(10, mu, n) -> jax.random.multinomial(key, 10, jnp.tile(mu, (n, 1))).astype(int)
np.random.multinomial(10, mu, shape) -> jax.random.multinomial(key, 10, jnp.tile(mu, (*shape, 1))).astype(int)
rng.gamma(2.0, s, n) -> s * jax.random.gamma(key, 2.0, (n,))
rng.gamma(2.0) -> jax.random.gamma(key, 2.0)
rng.gamma(2.0, mu) -> mu * jax.random.gamma(key, 2.0, mu.shape)
rng.gamma(mu) -> jax.random.gamma(key, mu)
np.random.exponential(scale=1 / s, size=n) -> 1 / s * jax.random.exponential(key, (n,))
rng.poisson(v) -> jax.random.poisson(key, v)
rng.binomial(n, 0.5, m) -> jax.random.binomial(key, n, 0.5, (m,)).astype(int)
rng.power(3.0, n) -> jax.random.uniform(key, (n,)) ** (1 / 3.0)
rng.wald(low, s) -> s * jax.random.wald(key, low / s)
rng.wald(low, 1.0) -> jax.random.wald(key, low)
rng.lognormal(sigma=0.5, size=n) -> jax.random.lognormal(key, 0.5, (n,))
rng.lognormal(1.0, 0.5, size=n) -> jnp.exp(1.0 + 0.5 * jax.random.normal(key, (n,)))
rng.pareto(3, n) -> jax.random.pareto(key, 3, (n,)) - 1
rng.dirichlet([1, 2], n) -> jax.random.dirichlet(key, jnp.array([1, 2]), (n,))
rng.negative_binomial(5, s, n) -> jax.random.poisson(poisson_key, jax.random.gamma(gamma_key, 5, (n,)) * ((1 - s) / s), (n,))
rng.bytes(10) -> jax.random.bits(key, (10,), jnp.uint8).tobytes()
""".strip().splitlines()
]


def parse(source: str) -> tuple[Draw, Mapping[str, cst.BaseExpression]]:
    """The entry and the arguments of a call. Raises ValueError if the arguments cannot be identified."""
    call = cst.parse_expression(source)
    assert isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute)
    entry = draw(PREFIXES[cst.Module([]).code_for_node(call.func.value)], call.func.attr.value)
    assert entry is not None
    arguments, why = bind(entry, call.args)
    if why:
        raise ValueError(why)
    return entry, arguments


def known(node: cst.BaseExpression | None) -> Value:
    """What an analysis would know about an argument."""
    match node:
        case cst.Name(value=name):
            return NAMES.get(name, UNKNOWN)
        case cst.Integer() | cst.Float() | cst.UnaryOperation() | cst.BinaryOperation():
            return NUMBER
        case cst.List():
            return Value(Kind.LIST)
    return UNKNOWN


def call_facts(arguments: Mapping[str, cst.BaseExpression]) -> Callable[[str], Value]:
    return lambda parameter: known(arguments.get(parameter))


def keys_of(entry: Draw) -> list[str]:
    return ["key"] if len(entry.keys) == 1 else [f"{stem}_key" for stem in entry.keys]


def text(source: str, facts: Callable[[str], Value] | None = None) -> str:
    """The converted call."""
    entry, arguments = parse(source)
    facts = facts or call_facts(arguments)
    assert not problem(entry, arguments, facts)
    made = expression(entry, arguments, [cst.Name(key) for key in keys_of(entry)], facts)
    return cst.Module([]).code_for_node(made)
