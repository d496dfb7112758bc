"""Bugs that show with few iterations, in a loop that does not end, for one column, or for data that a model can learn."""

import pytest

pytest.importorskip("jax")

from np2jax.runtime_shim.values.calls import arguments
from np2jax.runtime_shim.values.snapshot import Node
from np2jax.runtime_shim.verification.generated_calls import _is_mode
from np2jax.runtime_shim.verification.verify import verify

SETTLED = """
import numpy as np
def settled(x, rounds=20):
    for _ in range(rounds):
        x = np.minimum(x, np.roll(x, 1, 0))
    return x
"""

FITTED = """
import numpy as np
def fitted(X, y):
    weights = np.zeros(X.shape[1])
    losses = []
    for _ in range(200):
        p = 1 / (1 + np.exp(-(X @ weights)))
        weights = weights - X.T @ (p - y)
        losses.append(-np.mean(y * np.log(p + 1e-12) + (1 - y) * np.log(1 - p + 1e-12)))
    return weights, losses
"""

SPREAD = """
import numpy as np
def spread(edges, low, high):
    rows, columns = edges.shape
    keep = edges >= high
    for _ in range(columns):
        keep = (keep | np.roll(keep, 1, 1)) & (edges >= low)
    return keep
"""


def compared(folder, before, old, new):
    after = before.replace("import numpy as np", "import jax.numpy as np")
    assert old in after
    for name, text in (("before", before), ("after", after.replace(old, new))):
        (folder / name).mkdir()
        (folder / name / "code.py").write_text(text)
    return verify(folder / "before" / "code.py", folder / "after" / "code.py").functions[0]


@pytest.mark.slow
def test_a_limit_that_is_reached_before_all_is_the_same(tmp_path):
    found = compared(tmp_path, SETTLED, "range(rounds)", "range(1, rounds)")
    assert found.verdict == "differs", found.summary
    assert "rounds=" in found.call


@pytest.mark.slow
def test_labels_between_0_and_1_where_others_leave_only_rounding_errors(tmp_path):
    found = compared(tmp_path, FITTED, "weights = weights - X.T", "weights = weights - 2 * X.T")
    assert found.verdict == "differs", found.summary


@pytest.mark.slow
def test_one_column_with_limits_in_the_wrong_order(tmp_path):
    found = compared(tmp_path, SPREAD, "range(columns)", "range(1, columns)")
    assert found.verdict == "differs", found.summary


@pytest.mark.parametrize(
    ("call", "mode"),
    [
        (arguments([1.5, 3]), False),
        (arguments([1.5], {"rounds": 1}), True),
        (arguments([1.5], {"rounds": 19}), False),
        (arguments([1.5], {"rounds": 2.0}), False),
        (arguments([1.5], {"report": Node("global", "builtins:print")}), True),
        (arguments([1.5], {"how": "l1"}), True),
    ],
)
def test_texts_functions_and_small_limits_are_modes(call, mode):
    assert _is_mode(call, [arguments([2.5])], ("x", "rounds")) == mode
