"""Generators and seeds as arguments, results and attributes: what becomes a key, what may be a number or None, what is kept."""

import textwrap

import jax
import numpy as np
import pytest
from differential import body, convert, kept, run

HEAD = "import numpy as np\n\n\n"


def written(text):
    """The converted body, everything being converted."""
    made, functions, _diagnostics = convert(HEAD + textwrap.dedent(text))
    assert not [f"{f.name}: {f.reason}" for f in functions.values() if f.label == "kept"]
    assert convert(made)[0] == made, "converting twice changes something"
    return body(made)


def outcome(text, call):
    """What an expression gives in the converted file, with the check of JAX that no key is used twice."""
    made = convert(HEAD + textwrap.dedent(text))[0]
    with jax.debug_key_reuse(True):
        return eval(call, {"np": np, "jax": jax, **run(made)})


def test_entropy_is_not_compiled_in():
    text = "def f(n: int, rng=None):\n    rng = np.random.default_rng(rng)\n    return rng.normal(size=n)\n"
    assert "jit" not in written(text)
    assert outcome(text, "(f(3) != f(3)).all()")


def test_a_generator_for_one_draw_is_a_key():
    text = "def f(n: int, seed):\n    return np.random.default_rng(seed).normal(size=n)\n"
    assert "return jax.random.normal(jax.random.key(seed), (n,))" in written(text)


def test_a_generator_that_may_be_none_is_not_split():
    text = """
    def draw(n: int, rng: np.random.Generator = None):
        if rng is None:
            rng = np.random.default_rng()
        return rng.normal(size=n)

    def both(n: int, rng: np.random.Generator = None):
        return draw(n, rng) + draw(n, rng)
    """
    assert "may be None" in kept(HEAD + textwrap.dedent(text), "both")
    assert outcome(text, "both(3).shape == both(3, np.random.default_rng(1)).shape == (3,)")


def test_a_generator_is_made_for_a_kept_function():
    text = """
    def odd(rng, **options):
        return rng.normal(**options)

    def f(n: int, seed):
        return odd(rng=np.random.default_rng(seed), size=n)
    """
    assert outcome(text, "f(3, 1).shape") == (3,)


@pytest.mark.parametrize(
    ("text", "function", "why"),
    [
        ("def f(seed):\n    return [np.random.default_rng(seed + i) for i in range(3)]\n", "f", "makes a generator in"),
        ("def f(seed, g):\n    return g(np.random.default_rng(seed))\n", "f", "makes a generator in"),
        (
            "def f(seed, other):\n    r = np.random.default_rng(seed) if seed else other\n    return r.normal()\n",
            "f",
            "makes a gen",
        ),
        (
            "def f(seed, other):\n    if seed:\n        r = np.random.default_rng(seed)\n    else:\n        r = other\n"
            "    return r.normal()\n",
            "f",
            "not known whether `r.normal` draws",
        ),
        ("def f(seed):\n    if seed:\n        return np.random.default_rng(seed)\n    return seed\n", "f", "on some ways only"),
        ("def f(seed):\n    if seed:\n        return np.random.default_rng(seed)\n", "f", "on some ways only"),
        (
            "def f(seed):\n    return np.random.default_rng(seed), 3\n\n\n"
            "def g():\n    r, n = f(1)\n    return r.normal(size=n)\n",
            "g",
            "takes a generator from `f`, which is kept",
        ),
        (
            "class C:\n    def __init__(self, seed):\n        self.rng = np.random.default_rng(seed)\n\n"
            "    def take(self, rng_like):\n        self.rng = rng_like\n",
            "C.__init__",
            "bound to something else, too",
        ),
    ],
)
def test_a_generator_that_may_be_something_else_is_kept(text, function, why):
    assert why in kept(HEAD + text, function)
