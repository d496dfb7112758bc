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


@pytest.mark.slow
def test_each_mode_is_compared(tmp_path):
    after = BEFORE.replace("np.max(np.abs(x))", "np.max(x)").replace("import numpy as np", "import jax.numpy as np")
    for name, text in (("before", BEFORE), ("after", after)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "code.py").write_text(text)
    (norm,) = verify(tmp_path / "before" / "code.py", tmp_path / "after" / "code.py").functions
    assert norm.verdict == "differs"
    assert "how='linf'" in norm.call
