"""Results for integers, complex numbers, booleans and single precision: what differs counts, unless a condition explains it."""

import numpy as np
import pytest

pytest.importorskip("jax")

from np2jax.runtime_shim.values.calls import arguments
from np2jax.runtime_shim.values.comparison import Difference
from np2jax.runtime_shim.values.contract import Contract, contracts_of
from np2jax.runtime_shim.values.snapshot import Array
from np2jax.runtime_shim.verification.conditions import explains
from np2jax.runtime_shim.verification.verify import verify

BEFORE = """
import numpy as np


def product(a, b):
    return np.vdot(a, b)


def squared(z):
    return z * np.conj(z)


def halved(u):
    u = np.array(u, dtype=float)
    u[1:] = u[1:] * 0.5
    return u


def quotient(x):
    return x / 2


def doubled(x):
    return 2 * x
"""
AFTER = """
import jax.numpy as jnp


def product(a, b):
    return jnp.vdot(b, a)


def squared(z):
    return z * z


def halved(u):
    u = jnp.array(u)
    return u.at[1:].set(u[1:] * 0.5)


def quotient(x):
    return x * jnp.float64(0.5)


def doubled(x):
    return 2 * x
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dtypes")
    for name, text in (("before", BEFORE), ("after", AFTER)):
        (folder / name).mkdir()
        (folder / name / "code.py").write_text(text)
    promised = [
        Contract("code.py", "code", "code.halved", ("u",)),
        Contract("code.py", "code", "code.quotient", ("x",), conditions=(("dtype", "`x` is not of float32"),)),
    ]
    report = verify(folder / "before" / "code.py", folder / "after" / "code.py", promised)
    return {one.name.removeprefix("code."): one for one in report.functions}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "words"),
    [("product", "the values differ"), ("squared", "complex numbers"), ("halved", "the original has float64")],
)
def test_a_difference_for_another_dtype_counts(found, name, words):
    assert found[name].verdict == "differs"
    assert words in found[name].reason


@pytest.mark.slow
def test_a_condition_about_dtypes_explains_it(found):
    assert found["quotient"].verdict == "agrees"
    assert any("on float32: result: dtype float64, the original has float32" in note for note in found["quotient"].notes)


@pytest.mark.slow
def test_a_right_conversion_agrees(found):
    assert found["doubled"].verdict == "agrees"


def test_the_kinds_of_conditions_are_known_from_the_conversion():
    known = {"file": "a.py", "module": "a", "name": "a.f", "conditions": [{"kind": "dtype", "words": "`x` is not of bool"}]}
    assert contracts_of([known])[0].conditions == (("dtype", "`x` is not of bool"),)


@pytest.mark.parametrize(
    ("condition", "dtype", "reason", "explained"),
    [
        (("dtype", "`x` is not of bool"), bool, "dtype float32, the original has float16", True),
        (("dtype", "`x` is not of bool"), complex, "dtype complex64, the original has complex128", False),
        (("function", "this case of `np.clip` does not occur: complex numbers: JAX raises"), complex, "the values differ", True),
        (("function", "this case of `np.clip` does not occur: infinities"), complex, "the values differ", False),
        (("complex", "`z` has no NaN and no infinity"), complex, "the values differ", False),
        (("call", "the conditions of `g` hold"), "float32", "the values differ", True),
        (("number", "the loop runs"), "int64", "dtype float64, the original has int64", True),
        (("number", "the loop runs"), "int64", "the values differ", False),
    ],
)
def test_what_a_condition_explains(condition, dtype, reason, explained):
    contract = Contract("a.py", "a", "a.f", conditions=(condition,))
    call = arguments([Array(np.ones(2, dtype))])
    assert explains(contract, True, Difference("result", reason), call) is explained
