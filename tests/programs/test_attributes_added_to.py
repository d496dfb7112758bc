"""`self.w += self.rule(e, x)`: the attribute is read ahead of a call that may bind attributes, and bound again after it."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

FILTER = """
import numpy as np


class Filter:
    def __init__(self, w, rate):
        self.w = self.start(w)
        self.rate = rate

    def start(self, w):
        return np.array(w, dtype="float64")

    def rule(self, e, x):
        return self.rate * e * x

    def adapt(self, d, x):
        y = np.dot(self.w, x)
        self.w += self.rule(d - y, x)
        return y


class Rebinding(Filter):
    def rule(self, e, x):
        self.w = np.ones(3)
        return self.rate * e * x
"""


@pytest.mark.parametrize("placement", ["fast", "device"])
@pytest.mark.parametrize("name", ["Filter", "Rebinding"])
def test_filters(name, placement):
    text, functions, _diagnostics = convert(FILTER, placement=placement)
    assert functions["Filter.adapt"].label != "kept", functions["Filter.adapt"].reason
    seen = []
    for program in (FILTER, text):
        made = run(program)[name]([0.5, -1.0, 2.0], 0.1)
        held = made.w
        outputs = [made.adapt(1.0, np.array([1.0, 2.0, k])) for k in (3.0, 0.0)]
        seen.append([*outputs, made.w, *([held] if placement == "fast" else [])])
    assert not compare_values(seen[1], seen[0])
