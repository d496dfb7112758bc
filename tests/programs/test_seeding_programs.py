"""What a seed determined it determines still, and no two draws are alike that were not: in random programs."""

import itertools

import jax
import numpy as np
import pytest

from np2jax.tests.helpers.differential import convert, run
from np2jax.tests.programs.generators.seeding_programs import Program


def drawn(main, seed=None):
    if seed is not None:
        np.random.seed(seed)
    return [float(v) for v in main()]


def wrong(seed):
    """What is wrong with a converted program, "" for nothing; and how many of its functions are converted."""
    text = Program(seed).text()
    before = run(text)["main"]
    one, other = drawn(before, 101), drawn(before, 102)
    made, functions, _diagnostics = convert(text)
    if convert(made)[0] != made:
        return "converting twice changes something", 0
    done = sum(f.label != "kept" for f in functions.values())
    main = run(made)["main"]
    try:
        with jax.debug_key_reuse(True):
            got, again = drawn(main), drawn(main)
    except Exception as error:
        return f"{type(error).__name__}: {error}", done
    if not len(got) == len(one) == len(again):
        return f"{len(got)} draws, not {len(one)}", done
    if functions["main"].label != "kept":
        determined = [i for i, (a, b) in enumerate(zip(one, other, strict=True)) if a == b]
        if lost := [i for i in determined if got[i] != again[i]]:
            return f"draw {lost[0]} is not determined by its seed any more", done
    for i, j in itertools.combinations(range(len(got)), 2):
        if got[i] == got[j] and one[i] != one[j]:
            return f"draws {i} and {j} are alike", done
    return "", done


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_programs_that_seed(seed):
    assert wrong(seed)[0] == ""
