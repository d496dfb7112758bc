"""A pure function of arrays is compiled."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, function, run
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(__name__, function("print(x)\nreturn x.sum()"), "def f(n: int):\n    return n + 1\n")


@pytest.mark.parametrize("use", ["np.array(scales)", "[s for s in scales]", "[scales[0], scales[-1]]"])
def test_an_option_that_may_be_a_list_is_no_static_argument(use):
    text = f"""
import numpy as np


def f(w, scales=False):
    if not scales:
        return np.exp(w) / np.sqrt(np.abs(w).sum(axis=0) + 1) + np.log(np.abs(w) + 1) + np.sin(w)
    found = {use}
    total = np.zeros(len(w))
    for scale in found:
        total += np.sum(w * scale < 1, axis=1)
    return total / len(found)
"""
    made = convert(text, placement="fast")[0]
    assert "@jax.jit" in made
    before, after, w = run(text)["f"], run(made)["f"], np.linspace(-1.0, 2.0, 12).reshape(4, 3)
    for given in ((), ([0.5, 2.0],), ((0.5, 2.0),)):
        assert not compare_values(after(w, *given), before(w, *given), beside=2)
