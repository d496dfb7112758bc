"""The dtypes that the conditions of a conversion name are those of the calls that `verify` makes."""

import pytest

pytest.importorskip("jax")

from np2jax.runtime_shim.values.contract import Contract
from np2jax.runtime_shim.verification.verify import verify

CODE = """
import numpy as np


def live(grid, n: int):
    for _ in range(n):
        grid = (np.roll(grid, 1) > 0).astype(np.int64)
    return grid
"""
LOOP = """
import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


@jax.jit
def live(grid, n):
    return jax.lax.fori_loop(0, n, lambda _, grid: (jnp.roll(grid, 1) > 0).astype(jnp.int64), grid)
"""


@pytest.mark.parametrize(
    "kinds, words, required",
    [
        ({}, "`grid` is of int64", {"grid": "array:int64"}),
        ({"grid": "array::2"}, "`grid` is of int64", {"grid": "array:int64:2"}),
        ({"grid": "scalar:float:0"}, "`grid` is of int64", {"grid": "scalar:float:0"}),
        ({}, "`grid` is not of int64", {}),
        ({}, "`other` is of int64", {}),
    ],
)
def test_what_conditions_require(kinds, words, required):
    contract = Contract(
        "m.py", "m", "m.live", ("grid", "n"), kinds=kinds, conditions=(("dtype", words), ("index", "`n` is of int64"))
    )
    assert contract.required == required


@pytest.mark.slow
@pytest.mark.parametrize("conditions", [(), (("dtype", "`grid` is of int64"),)])
def test_calls_have_these_dtypes(tmp_path, conditions):
    for side, text in (("before", CODE), ("after", LOOP)):
        (tmp_path / side).mkdir()
        (tmp_path / side / "m.py").write_text(text)
    contract = Contract("m.py", "m", "m.live", ("grid", "n"), kinds={"n": "scalar:int:0"}, label="assumed", conditions=conditions)
    (function,) = verify(tmp_path / "before", tmp_path / "after", [contract]).functions
    assert function.verdict == ("agrees" if conditions else "error in converted"), function.summary
