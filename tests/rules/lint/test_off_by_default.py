"""Rules that are off by default, in more spellings than their examples have."""

import pytest

from np2jax.migrate.tracing.linter import JaxSource, chosen, findings

HEAD = "import jax\nimport jax.numpy as jnp\nimport numpy as np\n\n"
FOUND = [
    ("NJ839", "f = jax.jit(lambda x, n: x * n)\nf(1.0, 2)\nf(1.0, n=2.5)\n"),
    ("NJ842", "g = jax.grad(lambda a, b: jnp.arccos(jnp.dot(a, b)))\n"),
    ("NJ842", "g = jax.value_and_grad(lambda a: jnp.sum(a * a) ** 0.5)\n"),
    ("NJ842", "g = jax.grad(lambda a: jnp.std(a) + a.std())\n"),
    ("NJ842", "g = jax.grad(jnp.std)\n"),
    ("NJ856", "f = jax.jit(lambda x: x)\nx = 1.0\nfor _ in range(3):\n    x = f(x)\n    print('loss: %g' % x)\n"),
    ("NJ857", "@jax.pmap\ndef f(x):\n    return x\n"),
]
CLEAN = [
    ("NJ839", "f = jax.jit(lambda x, n: x * n)\nf(1.0, 2.0)\nf(1.0, n=2.5)\n"),
    ("NJ842", "x = jnp.arccos(jnp.dot(jnp.ones(2), jnp.ones(2)))\ng = jax.grad(lambda a: (jnp.sum(a * a) + 1e-9) ** 0.5)\n"),
    ("NJ856", "f = jax.jit(lambda x: x)\nx = 1.0\nfor i in range(3):\n    x = f(x)\n    print(i)\nprint(x)\n"),
    ("NJ857", "f = jax.vmap(jnp.sin)\n"),
]


def codes(code, text):
    found = findings([JaxSource("a.py", "a", False, (HEAD + text).encode())], chosen((code,), ()))
    return {diagnostic.code for diagnostic in found["a.py"]}


@pytest.mark.parametrize(("code", "text"), FOUND)
def test_it_is_found(code, text):
    assert codes(code, text) == {code}


@pytest.mark.parametrize(("code", "text"), CLEAN)
def test_nothing_is_found(code, text):
    assert codes(code, text) == set()
