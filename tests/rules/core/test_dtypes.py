"""The lattice of dtypes against NumPy's and JAX's own promotion, for all dtypes and Python scalars."""

import itertools

import jax
import numpy as np
import pytest

from np2jax.rules.core import dtypes

PYTHON = {"bool": True, "int": 2, "float": 2.5, "complex": 2j}
SAMPLES = {**{name: np.ones(2, name) for name in dtypes.BITS}, **PYTHON}
NAMES = tuple(SAMPLES)


@pytest.fixture(autouse=True)
def double():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


@pytest.mark.parametrize(("library", "ours"), [(np, dtypes.promote), (jax.dtypes, dtypes.promote_jax)])
def test_all_pairs_and_triples(library, ours):
    for count in (1, 2, 3):
        for names in itertools.combinations_with_replacement(NAMES, count):
            result = dtypes.named(str(library.result_type(*(SAMPLES[name] for name in names))))
            assert {dtypes.strong(ours(*order)) for order in itertools.permutations(names)} == {result}, names


def test_scalars_alone_stay_weak():
    for names in itertools.product(PYTHON, repeat=2):
        assert (
            dtypes.promote(*names)
            == dtypes.promote_jax(*names)
            == type(sum(PYTHON[n] for n in names if n != "bool") or True).__name__
        )


def test_what_is_not_known():
    for promotion in (dtypes.promote, dtypes.promote_jax):
        assert promotion() == promotion("int32", "") == promotion("", "float") == promotion("int32", "datetime64") == ""
        assert promotion("datetime64") == promotion("datetime64", "datetime64") == "datetime64"
    assert dtypes.kind("str") == dtypes.join("int8", "") == dtypes.join("", "float") == dtypes.python_type("") == ""


@pytest.mark.parametrize("name", dtypes.BITS)
def test_of_one_dtype(name):
    dtype = np.dtype(name)
    assert dtypes.kind(name) == dtype.kind
    assert dtypes.python_type(name) == type(np.ones((), name).item()).__name__
    assert dtypes.category(name) == ["b", "iu", "f", "c"].index("iu" if dtype.kind in "iu" else dtype.kind)
    assert dtypes.is_narrow(name) == (np.asarray(np.ones((), name).item()).dtype != dtype)
    assert dtypes.named(str(np.sqrt(np.ones(1, name)).dtype)) == dtypes.inexact(name)
    if dtype.kind in "iu":
        assert dtypes.bounds(name) == (np.iinfo(name).min, np.iinfo(name).max)
        assert dtypes.is_small_integer(name) == (dtype.itemsize < 8)


@pytest.mark.parametrize(("scalar", "name"), dtypes.PYTHON.items())
def test_of_python_scalars(scalar, name):
    assert dtypes.named(str(np.asarray(PYTHON[scalar]).dtype)) == dtypes.strong(scalar) == name
    assert dtypes.weak(name) == scalar and dtypes.is_weak(scalar) and not dtypes.is_weak(name)
    assert dtypes.is_default(scalar) and dtypes.is_default(name) and not dtypes.is_narrow(scalar)
    assert dtypes.named(str(np.sqrt(PYTHON[scalar]).dtype)) == dtypes.strong(dtypes.inexact(scalar)) or scalar == "bool"


def test_joins():
    for a, b in itertools.product((*NAMES, ""), repeat=2):
        joined = dtypes.join(a, b)
        assert joined == dtypes.join(b, a) and dtypes.join(a, a) == a
        assert joined in ("", a, b) and dtypes.join(joined, a) in ("", joined)


@pytest.mark.parametrize("name", dtypes.NARROWED)
def test_without_64_bits(name):
    with jax.enable_x64(False):
        assert str(jax.dtypes.canonicalize_dtype(name)) == dtypes.NARROWED[name]


def test_assignments_in_place():
    """Where `absorbs` says so, JAX's result has the dtype of the target, and NumPy stores into it without an error."""
    for target, value in itertools.product(dtypes.BITS, NAMES):
        result = jax.dtypes.result_type(SAMPLES[target], SAMPLES[value])
        assert dtypes.named(str(result)) == target or not dtypes.absorbs(target, value), (target, value)


def test_wider_in_numpy():
    """Integers of 32 and 64 bits with narrow floats."""
    integers, floats = ("int32", "int64", "uint32", "uint64"), ("float16", "float32", "complex64")
    expected = {frozenset(pair) for pair in itertools.product(integers, floats)}
    assert {frozenset((a, b)) for a, b in itertools.product(NAMES, repeat=2) if dtypes.is_wider_in_numpy(a, b)} == expected


@pytest.mark.parametrize("name", [*np.typecodes["AllInteger"], *"?efdFD", *"i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16 b1".split()])
def test_codes(name):
    assert dtypes.named(name) == dtypes.named(f"<{name}") == dtypes.named(str(np.dtype(name)))


@pytest.mark.parametrize("name", [*dtypes.C_NAMES, *dtypes.PYTHON, *dtypes.BITS])
def test_names(name):
    assert dtypes.named(name) == dtypes.named(str(np.dtype(getattr(np, name, name))))


@pytest.mark.parametrize("name", ["", "object", "U3", "datetime64[s]", ">f8", "f1", "float128", "integer"])
def test_other_names(name):
    assert dtypes.named(name) == ""
