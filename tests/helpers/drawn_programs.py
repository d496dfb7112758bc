"""Programs that Hypothesis draws: a few of them, always the same, in each run; many in shares."""

import pytest
from hypothesis import HealthCheck, seed, settings

PURE = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}


def check_few(check):
    """Run a test of drawn arguments (`given(...)(function)`) with a few of them, always the same."""
    settings(max_examples=15, derandomize=True, **PURE)(check)()


def check_many(check, start):
    """Run it with 30 others, which a number tells."""
    seed(start)(settings(max_examples=30, **PURE)(check))()


def seeds(every, quick):
    """The numbers of random programs as parameters: the first few are quick tests, the others slow ones."""
    return [pytest.param(number, marks=[pytest.mark.slow] if position >= quick else []) for position, number in enumerate(every)]
