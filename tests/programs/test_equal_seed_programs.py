"""Random programs that use seeds again: the numbers that are equal in NumPy are equal after the conversion, and no others."""

import pytest
from hypothesis import given

from np2jax.tests.helpers.differential import convert
from np2jax.tests.helpers.drawn_programs import check_few, check_many
from np2jax.tests.helpers.equal_draws import drawn
from np2jax.tests.programs.generators.equal_seed_programs import equal_seed_programs

WAYS = ({}, {"placement": "fast"}, {"random": "host"})


@given(equal_seed_programs())
def agree(text):
    expected = drawn(text)
    for options in WAYS:
        assert drawn(convert(text, **options)[0]) == expected, (options, text)


def test_equal_seed_programs():
    check_few(agree)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(6))
def test_many_equal_seed_programs(start):
    check_many(agree, start)
