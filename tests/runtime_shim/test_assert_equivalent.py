"""`assert_equivalent`, for users' tests; and what happens where the libraries are missing."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from np2jax.runtime_shim.values import errors
from np2jax.runtime_shim.verification import verify

jax = pytest.importorskip("jax")
jnp = jax.numpy


@pytest.fixture(autouse=True)
def x64():
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


class Model:
    def __init__(self, w):
        self.w = w


def push(x, v):
    x += v
    return np.abs(v).max()


@jax.jit
def pushed(x, v):
    return jnp.abs(v).max(), x + v


def test_equal():
    x = np.zeros(3)
    verify.assert_equivalent(push, pushed, x, np.arange(3.0), returns=["x"])
    assert x.tolist() == [0.0, 0.0, 0.0]  # the arguments given are not touched
    verify.assert_equivalent(np.sum, jnp.sum, np.ones((2, 3)), axis=1)
    verify.assert_equivalent(lambda model, f: f(model.w), lambda model, f: f(model.w), Model(np.ones(2)), lambda w: w + 1)


def fails(words, *args, **kwargs):
    with pytest.raises(AssertionError) as failure:
        verify.assert_equivalent(*args, **kwargs)
    assert words in str(failure.value)


def test_differences():
    fails("does not return it", push, lambda x, v: jnp.abs(v).max(), np.zeros(3), np.ones(3))
    fails("expected 1 result(s) then `x`", push, lambda x, v: jnp.abs(v).max(), np.zeros(3), np.ones(3), returns=("x",))
    fails("`x` returned[0]", push, lambda x, v: (jnp.abs(v).max(), x - v), np.zeros(3), np.ones(3), returns=("x",))
    fails("dtype float32", np.sin, lambda x: jnp.sin(x).astype("float32"), np.ones(2))
    fails("shape", np.sin, lambda x: jnp.sin(x)[:1], np.ones(2))
    fails("NumPy nan", np.maximum, lambda x, y: jnp.where(x > y, x, y), np.array([np.nan]), 0.0)
    fails("(without jit)", np.ceil, lambda x: x if jax.config.jax_disable_jit else jnp.ceil(x), np.full(2, 0.5))


def test_exceptions_come_through():
    with pytest.raises(ZeroDivisionError):
        verify.assert_equivalent(lambda x: 1 / 0, lambda x: x, 1.0)
    with pytest.raises(errors.ShimError, match="no such parameter"):
        verify.assert_equivalent(push, pushed, np.ones(1), np.ones(1), returns=["z"])
    with pytest.raises(errors.ShimError, match="cannot be copied"):
        verify.assert_equivalent(list, list, iter([1]))


def test_float32_mode_of_jax():
    jax.config.update("jax_enable_x64", False)
    verify.assert_equivalent(lambda x: x.mean(), lambda x: x.mean(), np.linspace(0, 1, 7))
    fails("differ", lambda x: x.mean(), lambda x: x.mean() * 1.01, np.linspace(0, 1, 7))


@pytest.mark.parametrize("missing", ["jax", "hypothesis", "numpy"])
def test_a_missing_library_is_said_plainly(monkeypatch, missing):
    found = importlib.util.find_spec
    monkeypatch.setattr(errors, "find_spec", lambda name: None if name == missing else found(name))
    with pytest.raises(errors.MissingExtra, match=r"verify needs jax, numpy and hypothesis: pip install 'np2jax\[verify\]'"):
        verify.verify(Path("a"), Path("b"))


def test_paths_that_cannot_be_compared(tmp_path):
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "b").mkdir()
    with pytest.raises(errors.ShimError, match="absent: no such file"):
        verify.verify(tmp_path / "absent", tmp_path / "b")
    with pytest.raises(errors.ShimError, match="two files or two folders"):
        verify.verify(tmp_path / "a.py", tmp_path / "b")
    (tmp_path / "c.py").write_text("x = 1\n")
    with pytest.raises(errors.ShimError, match="no such program"):
        verify.verify(tmp_path / "a.py", tmp_path / "c.py", entry=Path("absent.py"))


def test_importing_the_entry_points_loads_no_library():
    code = (
        "import sys; import np2jax.runtime_shim.verification.verify, np2jax.runtime_shim.verification.record, np2jax.runtime_shim.values.contract;"
        "print(sorted({'numpy', 'jax', 'hypothesis', 'libcst', 'click'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
