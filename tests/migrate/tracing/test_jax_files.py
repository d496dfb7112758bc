"""Which files are JAX code: those that import JAX or a library of its surroundings, in whatever way."""

import pytest

from np2jax.migrate.tracing.linter import imports_jax


@pytest.mark.parametrize(
    "text",
    [
        "import jax",
        "import jax.numpy as jnp",
        "import os, jax",
        "import os as o, sys, equinox as eqx",
        "import os; import jax",
        "try: import jax\nexcept ImportError: pass",
        "def f():\n    from jax import lax",
        "\ufeffimport jax",
        "from flax import linen as nn",
        "import haiku",
        "import optax",
        "from numpyro import distributions",
    ],
)
def test_files_of_jax(text):
    assert imports_jax(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "import numpy",
        "# import jax",
        "import jaxtools",
        "from tools import jax",
        "from .jax import f",
        "jax = 1",
        "import " + ", ".join(f"module_{i}" for i in range(200)) + "\njax = flax = 1",
    ],
)
def test_other_files(text):
    assert not imports_jax(text.encode())
