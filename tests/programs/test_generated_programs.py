"""Programs made at random, run before and after conversion: NumPy and JAX agree on everything that can be seen.

A long run has another seed: NP2JAX_SEED=1234 NP2JAX_PROGRAMS=3000 pytest tests/programs/test_generated_programs.py -m slow
"""

import os
from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings

from np2jax.tests.helpers.observed import NumpyRaises, check_program
from np2jax.tests.programs.generators.programs import programs

MOST_KEPT = 0.45
PURE = {
    "database": None,
    "deadline": None,
    "suppress_health_check": list(HealthCheck),
    "phases": (Phase.generate, Phase.shrink),
    "verbosity": Verbosity.quiet,
    "report_multiple_bugs": False,
}


def compare(program, counts):
    try:
        functions = check_program(dict(program.sources))
    except NumpyRaises:
        counts["raises"] += 1
        return
    counts["programs"] += 1
    for function in functions.values():
        if not function.name.endswith("<module>"):
            counts["functions"] += 1
            counts["kept"] += function.label == "kept"


def summary(counts):
    share = counts["kept"] / max(counts["functions"], 1)
    programs = f"{counts['programs']} programs agree ({counts['raises']} raise under NumPy)"
    print(f"{programs}; {counts['functions']} functions, {share:.0%} kept")
    return share


def test_generated_programs():
    counts = Counter()

    @settings(max_examples=15, derandomize=True, **PURE)
    @given(programs())
    def agree(program):
        compare(program, counts)

    agree()
    summary(counts)


@pytest.mark.slow
def test_many_generated_programs():
    counts = Counter()

    @seed(int(os.environ.get("NP2JAX_SEED", "1")))
    @settings(max_examples=int(os.environ.get("NP2JAX_PROGRAMS", "150")), **PURE)
    @given(programs())
    def agree(program):
        compare(program, counts)

    agree()
    assert counts["raises"] < 0.1 * counts["programs"]
    assert summary(counts) <= MOST_KEPT
