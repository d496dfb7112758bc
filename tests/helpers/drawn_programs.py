"""Programs drawn by Hypothesis: a few fixed ones in each run, many in shares."""

import pytest
from hypothesis import HealthCheck, seed, settings

PURE = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}


def check_few(check):
    """Run a test of drawn arguments (`given(...)(function)`) with a few fixed examples."""
    settings(max_examples=6, derandomize=True, **PURE)(check)()


def check_many(check, start):
    """Run it with 30 other examples, selected by a number."""
    seed(start)(settings(max_examples=30, **PURE)(check))()


def seeds(every, quick):
    """The seeds of random programs as test parameters: the first few are quick tests, the others slow ones."""
    return [pytest.param(number, marks=[pytest.mark.slow] if position >= quick else []) for position, number in enumerate(every)]
