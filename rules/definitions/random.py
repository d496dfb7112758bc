"""Draws by methods that need a loop, each exact, with its source; and keys from NumPy's generators."""

from __future__ import annotations

_VONMISES = '''
def _vonmises(key, mu, kappa, shape=()):
    """Angles of the von Mises distribution, as numpy.random's.

    By rejection: D. J. Best and N. I. Fisher, Efficient simulation of the von Mises distribution, Applied Statistics 28 (1979).
    """
    kappa = jnp.clip(kappa, 1e-8)
    more = (1 + 1 / (jnp.sqrt(1 + 4 * kappa**2) + 2 * kappa)) / (2 * kappa)  # their r - 1, without cancellation

    def attempt(state):
        key, angle, done = state
        key, uniform_key = jax.random.split(key)
        u, v, side = jax.random.uniform(uniform_key, (3, *shape))
        square = jnp.sin(jnp.pi * u / 2) ** 2
        below = more + 2 - 2 * square
        c = kappa * more * (more + 2) / below
        rejected = (c * (2 - c) < v) & (jnp.log(c / v) + 1 - c < 0)
        found = jnp.where(side < 0.5, -2, 2) * jnp.arcsin(jnp.sqrt(more * square / below))
        return key, jnp.where(done, angle, found), done | ~rejected

    state = (key, jnp.zeros(shape), jnp.zeros(shape, bool))
    _, angle, _ = jax.lax.while_loop(lambda state: ~state[2].all(), attempt, state)
    return (angle + mu + jnp.pi) % (2 * jnp.pi) - jnp.pi
'''

_MULTIVARIATE_HYPERGEOMETRIC = '''
def _multivariate_hypergeometric(key, colors, nsample, shape=()):
    """Counts of each color among balls drawn without replacement, as numpy.random's.

    One color after the other, given those before: J. E. Gentle, Random Number Generation and Monte Carlo Methods (2003), 5.3.
    """
    colors, count = jnp.asarray(colors), jnp.arange(nsample + 1.0)

    def step(left, color):
        key, balls, others = color
        rest = left[..., None] - count
        parts = jnp.stack([count + jnp.zeros_like(rest), balls - count + jnp.zeros_like(rest), rest, others - rest])
        drawn = jax.random.categorical(key, -jax.lax.lgamma(parts + 1).sum(0))  # no chance where a count would be negative
        return left - drawn, drawn

    others = colors.sum() - jnp.cumsum(colors)
    _, counts = jax.lax.scan(step, jnp.full(shape, nsample), (jax.random.split(key, len(colors)), colors, others))
    return jnp.moveaxis(counts, 0, -1)
'''

_ZIPF = '''
def _zipf(key, a, shape=()):
    """Numbers of the Zipf distribution, as numpy.random's.

    By rejection: L. Devroye, Non-Uniform Random Variate Generation (1986), p. 550; no number is above the largest integer.
    """
    power, most = a - 1.0, jnp.iinfo(jnp.result_type(int)).max

    def attempt(state):
        key, number, done = state
        key, uniform_key = jax.random.split(key)
        u, v = jax.random.uniform(uniform_key, (2, *shape))
        x = jnp.floor(jnp.exp(-jnp.log1p(u * jnp.expm1(-power * jnp.log(most))) / power))
        accepted = (x < most) & (v * x * jnp.expm1(-power * jnp.log1p(1 / x)) >= jnp.expm1(-power * jnp.log(2)))
        return key, jnp.where(done, number, x), done | accepted

    state = (key, jnp.zeros(shape), jnp.zeros(shape, bool) | jnp.logical_not(a > 1))
    _, number, _ = jax.lax.while_loop(lambda state: ~state[2].all(), attempt, state)
    return number.astype(int)
'''

_AS_KEY = '''
def _as_key(source):
    """A key that a generator of NumPy draws, which advances it; anything else as it is."""
    if hasattr(source, "integers"):  # numpy.random.Generator
        return jax.random.key(source.integers(2**63 - 1))
    if hasattr(source, "randint"):  # numpy.random.RandomState, and the module numpy.random
        return jax.random.key(source.randint(2**63 - 1, dtype="int64"))
    return source
'''

SOURCES: dict[str, str] = {
    "_as_key": _AS_KEY.strip() + "\n",
    "_vonmises": _VONMISES.strip() + "\n",
    "_zipf": _ZIPF.strip() + "\n",
    "_multivariate_hypergeometric": _MULTIVARIATE_HYPERGEOMETRIC.strip() + "\n",
}
