"""Draws of code that stays NumPy: their bounds and parameters, and the seeds of all generators, are those of the original."""

import pytest

pytest.importorskip("jax")

from np2jax.runtime_shim.verification.seeding import Seeding
from np2jax.runtime_shim.verification.verify import verify

BEFORE = """
import numpy as np


def walk(n, seed=0):
    rng = np.random.default_rng(seed)
    return np.cumsum(rng.standard_normal(n))


def keyed(n, seed=0):
    rng = np.random.default_rng(seed)
    return np.cumsum(rng.standard_normal(n))


def dice(n, seed=0):
    return np.random.default_rng(seed).integers(1, 7, size=n)


def counts(n, rate):
    return np.random.default_rng(1).poisson(abs(rate) + 1.0, size=n)


def legacy(n, seed=0):
    np.random.seed(seed)
    return np.random.rand(n)


def wide(n):
    return np.random.default_rng(1).integers(0, 2**64 - 1, size=n, dtype=np.uint64, endpoint=True)


def given(n, rng):
    return rng.random(n)
"""
AFTER = """
import functools

import jax
import numpy as np


def walk(n, seed=0):
    rng = np.random.default_rng(0)
    return np.cumsum(rng.standard_normal(n))


@functools.partial(jax.jit, static_argnames="n")
def keyed(n, seed=0):
    rng = jax.random.key(5)
    return jax.numpy.cumsum(jax.random.normal(rng, (n,)))


def dice(n, seed=0):
    return np.random.default_rng(seed).integers(1, 6, size=n)


def counts(n, rate):
    return np.random.default_rng(1).poisson(abs(rate) + 1.5, size=n)


def legacy(n, seed=0):
    rng = jax.random.key(seed)
    return jax.random.uniform(rng, (n,))


def wide(n):
    return np.random.default_rng(1).integers(0, 2**64 - 1, size=n, dtype=np.uint64, endpoint=True)


def given(n, rng):
    return jax.random.uniform(rng, (n,))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("seeds")
    for name, text in (("before", BEFORE), ("after", AFTER)):
        (folder / name).mkdir()
        (folder / name / "code.py").write_text(text)
    report = verify(folder / "before" / "code.py", folder / "after" / "code.py")
    return {one.name.removeprefix("code."): one for one in report.functions}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("walk", "seeds generator 1 of the call as in another call"),
        ("keyed", "seeds generator 1 of the call as in another call"),
        ("dice", "with high 6, not 7"),
        ("counts", "with lam "),
    ],
)
def test_a_slip_is_found(found, name, words):
    assert found[name].verdict == "differs"
    assert words in found[name].reason


@pytest.mark.slow
@pytest.mark.parametrize("name", ["legacy", "wide", "given"])
def test_right_draws_agree(found, name):
    assert found[name].verdict == "agrees"


def test_seeds_of_several_calls():
    seeding = Seeding()
    assert seeding.difference([("a", "k1", False), ("b", "k2", False)], False) is None
    assert seeding.difference([("b", "k2", False), ("a", "k1", False)], False) is None  # other places in the call
    assert "generator 2" in str(seeding.difference([("c", "k3", False), ("c", "k2", False)], False))
    assert seeding.difference([("a", "a", True)], True) is None
    assert "stays NumPy" in str(seeding.difference([("a", "z", True)], True))
    assert seeding.difference([("a", "z", True)], False) is None  # made from a key, say
