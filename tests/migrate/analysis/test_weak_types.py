"""What JAX types weakly, and NumPy does not, beside arrays of which nobody knows whether they are narrow."""

import pytest

from np2jax.tests.helpers.differential import convert
from np2jax.tests.helpers.observed import check_program, taped

PROGRAM = """\
import numpy as np


def half():
    return np.full(3, 0.5)


def f(x):
    m = np.array([True, False, True])
    v = {made}
    return {used}


x = np.ones(3, dtype=np.{dtype}) * 2
x = x * x
for given in (x, np.ones(3)):
    got = f(given)
"""
MADE = [
    "np.full(3, 2.0)",
    "np.where(m, 1.0, 0.0)",
    "np.array(2.5)",
    "np.arange(3) * 0.5",
    "m * 0.5",
    "m.sum() * 0.5",
    "np.full(3, 4) / 2",
    "np.sin(np.full((2, 3), 1.0)[0])",
    "np.stack([np.full(3, 1.0), np.full(3, 2.0)])[1].T",
    "np.full(3, 2.0) if x.shape[0] > 1 else np.ones(3)",
    "half()",
]


@pytest.mark.quick(4)
@pytest.mark.parametrize("dtype", ["float32", pytest.param("int32", marks=pytest.mark.slow)])
@pytest.mark.parametrize("made", MADE)
def test_its_dtype_is_numpys_beside_an_array_of_any_dtype(made, dtype):
    with taped():
        check_program({"m.py": PROGRAM.format(made=made, used="v * x", dtype=dtype)})


@pytest.mark.parametrize(
    "used",
    [
        "x - v",
        "v * 0.1 < x",
        "np.maximum(v, x)",
        "np.where(x > 1, x, v)",
        "np.stack([v, x])",
        "x.dot(v)",
        "np.arctan2(v, x)",
        "x[0] * v",
    ],
)
def test_so_it_is_whatever_is_done_with_it(used):
    with taped():
        check_program({"m.py": PROGRAM.format(made="np.full(3, 0.1)", used=used, dtype="float32")})


def test_with_integers_beside_integers():
    with taped():
        check_program({"m.py": PROGRAM.format(made="np.full(3, 4)", used="x * v", dtype="int32")})


STRONG = [
    "np.ones(3)",
    "np.full(3, 2.0, dtype=np.float64)",
    "np.arange(3) / 2",
    "np.sum(np.full(3, 1.0)) * m",
    "np.full(3, 2).astype(float)",
]


@pytest.mark.parametrize("made", STRONG)
def test_what_has_a_dtype_of_its_own_in_jax_is_not_cast(made):
    text = convert(PROGRAM.format(made=made, used="v * x", dtype="float32"))[0]
    assert "return v * x" in text


def test_nothing_is_cast_where_the_program_names_no_narrow_dtype():
    text = convert(PROGRAM.format(made="np.full(3, 2.0)", used="v * x", dtype="float64"))[0]
    assert "return v * x" in text


def test_nothing_is_cast_beside_what_is_known_to_be_wide():
    text = convert(PROGRAM.format(made="np.full(3, 2.0)", used="v * np.ones(3)", dtype="float32"))[0]
    assert "return v * jnp.ones(3)" in text
