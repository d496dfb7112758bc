"""Programs made at random that draw random numbers: the conversion gets the draws of NumPy's version, and agrees with it.

Each program is made from its number: NP2JAX_FIRST=2500 NP2JAX_PROGRAMS=100 pytest tests/test_random_programs.py -m slow
runs those from 2500 on.
"""

import os
import random
from collections import Counter

import jax
import pytest

from np2jax.tests.observed import NumpyRaises, check_program, taped
from np2jax.tests.programs import program

pytestmark = pytest.mark.usefixtures("fast_compilation")


def compare(number, counts):
    made = program(random.Random(number).randrange, random=True)
    try:
        functions = check_program(dict(made.sources), random=True)
    except NumpyRaises:
        counts["raises"] += 1
        return
    except AssertionError as error:
        raise AssertionError(f"program {number}: {error}") from error
    counts["programs"] += 1
    for function in functions.values():
        if not function.name.endswith("<module>"):
            counts["functions"] += 1
            counts["kept"] += function.label == "kept"


def compare_many(first, count):
    counts = Counter()
    with taped():
        for number in range(first, first + count):
            compare(number, counts)
            if number % 200 == 199:
                jax.clear_caches()
    share = counts["kept"] / max(counts["functions"], 1)
    print(f"{counts['programs']} programs agree ({counts['raises']} raise); {counts['functions']} functions, {share:.0%} kept")
    return counts


def test_random_programs():
    assert compare_many(0, 25)["programs"] > 20


@pytest.mark.slow
def test_many_random_programs():
    counts = compare_many(int(os.environ.get("NP2JAX_FIRST", "0")), int(os.environ.get("NP2JAX_PROGRAMS", "200")))
    assert counts["raises"] < 0.1 * counts["programs"]
