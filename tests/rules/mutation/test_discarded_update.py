"""Results that are dropped, in code that is JAX already: reported, never changed; and what is no mistake is not reported."""

import pytest

from np2jax.tests.helpers.differential import body, convert
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

HEADER = (
    "import jax\nimport jax.numpy as jnp\nimport numpy as np\nfrom jax import lax\n\ndef f(x: jax.Array, xs: list, i, df):\n    "
)


def reported(statement):
    text, _functions, diagnostics = convert(HEADER + statement + "\n    return x\n")
    assert statement in body(text)
    return [d.message for d in diagnostics if d.code == "NJ702"]


@pytest.mark.parametrize(
    "statement",
    [
        "x.at[0].set(1)",
        "x.at[i, 1:].add(2)",
        "x.at[i].apply(jnp.sin)",
        "x.at[x > 0].multiply(2)",
        "x.sort()",
        "x.astype(int)",
        "jnp.sort(x)",
        "jnp.add(x, 1)",
        "lax.add(x, 1)",
        "jax.random.normal(jax.random.key(0))",
        "xs[0].at[0].set(1)",
    ],
)
def test_reported(statement):
    assert len(reported(statement)) == 1


@pytest.mark.parametrize(
    "statement",
    [
        "x = x.at[0].set(1)",
        "xs.append(x.at[0].set(1))",
        "xs.sort()",
        "df.sort()",
        "df.at[0, 'a']",
        "df.set(3)",
        "jnp.save('x', x)",
        "jax.block_until_ready(x)",
        "x.block_until_ready()",
        "jnp.set_printoptions(precision=3)",
        "jax.debug.print('{}', x)",
        "lax.cond(i, print, print)",
        "print(jnp.sort(x))",
        "jnp.linalg",
    ],
)
def test_not_reported(statement):
    assert reported(statement) == []


def test_code_of_jax_stays_as_it_is():
    source = (
        "import jax\nimport jax.numpy as jnp\n\n@jax.jit\ndef g(x: jax.Array):\n    x += 1\n    x *= 2.5\n    return x * 2\n\n"
        "@jax.jit\ndef h(x: jax.Array, y: jnp.ndarray):\n    g(x)\n    y -= x\n    return g(x) + x, y\n"
    )
    assert convert(source)[0] == source


def test_sort_of_numpy_is_no_mistake():
    _text, _functions, diagnostics = convert("import numpy as np\n\ndef f(x: np.ndarray):\n    x.sort()\n    return x\n")
    assert not [d for d in diagnostics if d.code == "NJ702"]
