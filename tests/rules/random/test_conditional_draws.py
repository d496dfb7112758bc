"""Draws on one side of a branch: their keys are split off ahead of it, whether they are used or not."""

import jax
import numpy as np
import pytest

from np2jax.tests.helpers.differential import convert, run

HEAD = "import numpy as np\n\n\ndef f(x: np.ndarray, seed: int):\n    rng = np.random.default_rng(seed)\n    out = np.zeros(len(x))\n"
X = np.array([1.0, -1.0, 2.0, -3.0, 0.5, 4.0, -1.0, 2.0])

COMPILED = {
    "or": "if x[i] > 3 or rng.random() < 0.5:\n    out[i] = 1.0",
    "an expression": "out[i] = rng.random() if x[i] > 0 else -1.0",
    "one side": "if x[i] > 0:\n    out[i] = rng.random()",
    "both sides": "if x[i] > 0:\n    out[i] = rng.random()\nelse:\n    out[i] = -rng.random()",
    "elif": "if x[i] > 1:\n    out[i] = rng.random()\nelif rng.random() < 0.5:\n    out[i] = rng.random()",
    "an array": "if x[i] > 0:\n    out[i] = rng.normal(size=3).sum()",
    "a branch in a branch": "if x[i] > 0:\n    if x[i] < 3:\n        out[i] = rng.random()",
}
STAY = {
    "a loop on one side": "if x[i] > 0:\n    for _ in range(i):\n        out[i] += rng.random()",
    "a generator of its own": "if x[i] > 0:\n    other = np.random.default_rng(i)\n    out[i] = other.random()",
    "after a turn may end": "if x[i] < 0 and out[0] > 0:\n    break\nout[i] = rng.random()",
}


def source_of(lines):
    inner = "".join(f"        {line}\n" for line in lines.split("\n"))
    return f"{HEAD}    for i in range(len(x)):\n{inner}    return out\n"


@pytest.mark.parametrize("name", COMPILED)
def test_compiled(name):
    source = source_of(COMPILED[name])
    made, functions, _diagnostics = convert(source)
    assert functions["f"].transform == "jit", made
    with jax.debug_key_reuse(True):
        mine = np.asarray(run(made)["f"](X, 7))
    theirs = run(source)["f"](X, 7)
    if name != "or":
        drawn = mine[(mine != 0) & (mine != -1.0)]
        assert len(np.unique(drawn)) == len(drawn)  # no key twice
    if name not in ("or", "elif"):
        np.testing.assert_array_equal(
            np.sign(mine) if "array" not in name else mine != 0, np.sign(theirs) if "array" not in name else theirs != 0
        )


@pytest.mark.parametrize("name", STAY)
def test_stays(name):
    made, _functions, _diagnostics = convert(source_of(STAY[name]))
    with jax.debug_key_reuse(True):
        first, second = (np.asarray(run(made)["f"](X, 7)) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    drawn = first[first != 0]
    assert len(np.unique(drawn)) == len(drawn)


def test_a_chain_of_spins():
    source = """import numpy as np

def f(spins, steps, beta, seed):
    rng = np.random.default_rng(seed)
    n = spins.shape[0]
    spins = spins.copy()
    flips = 0
    for _ in range(steps):
        i = rng.integers(0, n)
        change = 2 * spins[i] * (spins[(i + 1) % n] + spins[(i - 1) % n])
        if change <= 0 or rng.random() < np.exp(-beta * change):
            spins[i] = -spins[i]
            flips += 1
    return spins, flips / steps
"""
    made, functions, _diagnostics = convert(source)
    assert functions["f"].transform == "jit", made
    spins = np.where(np.arange(40) % 3, 1, -1)
    mine, theirs = run(made)["f"], run(source)["f"]
    for beta in (0.0, 0.4, 50.0):  # the share of flips is that of the model
        rates = [np.mean([float(f(spins, 4000, beta, seed)[1]) for seed in range(10)]) for f in (mine, theirs)]
        assert abs(rates[0] - rates[1]) < 0.03, (beta, rates)
    assert set(np.unique(mine(spins, 100, 0.4, 0)[0])) == {-1, 1}


def test_numpys_own_state():
    source = "import numpy as np\n\n\ndef f(x: np.ndarray):\n    out = np.zeros(len(x))\n    for i in range(len(x)):\n        if x[i] > 0:\n            out[i] = np.random.rand()\n    return out\n"
    made, functions, _diagnostics = convert(source)
    assert functions["f"].transform == "jit" and "lax." in made, made
    with jax.debug_key_reuse(True):
        mine = np.asarray(run(made)["f"](X, key=jax.random.key(3)))
    assert ((mine > 0) == (X > 0)).all() and len(np.unique(mine[X > 0])) == (X > 0).sum()
