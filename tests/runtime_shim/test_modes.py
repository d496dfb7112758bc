"""The modes of a function that texts choose are compared first, also where its calls take long: uncompiled code of JAX."""

import pytest

pytest.importorskip("jax")

from np2jax.runtime_shim.verification.verify import verify

BEFORE = """
import numpy as np


def norm(x, how="l2"):
    if how == "l1":
        return np.sum(np.abs(x))
    elif how == "linf":
        return np.max(np.abs(x))
    return np.sqrt(np.sum(x * x))
"""


def compared(tmp_path, changed):
    after = BEFORE.replace("np.max(np.abs(x))", changed).replace("import numpy as np", "import jax.numpy as np")
    for name, text in (("before", BEFORE), ("after", after)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "code.py").write_text(text)
    (norm,) = verify(tmp_path / "before" / "code.py", tmp_path / "after" / "code.py").functions
    return norm


@pytest.mark.slow
def test_each_mode_is_compared(tmp_path):
    norm = compared(tmp_path, "np.max(x)")
    assert norm.verdict == "differs"
    assert "how='linf'" in norm.call


def test_an_exception_in_a_mode_counts(tmp_path):
    """It is no edge case, though no other call raises."""
    norm = compared(tmp_path, "np.max((x * 1.0) ^ x)")
    assert norm.verdict == "error in converted", norm
    assert "how='linf'" in norm.call and "TypeError" in norm.reason


def test_right_modes_agree(tmp_path):
    assert compared(tmp_path, "np.max(np.abs(x))").verdict == "agrees"
