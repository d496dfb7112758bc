import jax
import jax.numpy as jnp
from typing import NamedTuple
from dataclasses import dataclass

jax.config.update("jax_enable_x64", True)


class P(NamedTuple):
    x: jax.Array
    y: jax.Array


@dataclass
class D:
    x: jax.Array


def f(p, z: jax.Array):
    return jnp.sqrt(p.x) * z


def g(d, z: jax.Array):
    return jnp.sqrt(d.x) * z


def h(d, z: jax.Array):
    return jnp.sqrt(z) * z


print(f(P(jnp.ones(3), jnp.ones(2)), jnp.ones(3)), g(D(jnp.ones(3)), jnp.ones(3)), h(D(jnp.ones(3)), jnp.ones(3)), h(P(jnp.ones(3), jnp.ones(2)), jnp.ones(3)))
