"""Arrays of indices in generated calls: they are in range, and some entries occur twice."""

import pytest

pytest.importorskip("jax")

from np2jax.runtime_shim.verification.verify import verify

pytestmark = pytest.mark.slow

BEFORE = """
import numpy as np


def histogram(idx, n=8):
    h = np.zeros(n, dtype=np.int64)
    np.add.at(h, idx % n, 1)
    return h


def scattered(out, idx, w):
    out = out.copy()
    np.add.at(out, idx, w)
    return out


def short(idx):
    h = np.zeros(4)
    np.add.at(h, idx, 1.0)
    return h


def gathered(x, idx):
    return x[idx] * 2.0
"""
AFTER = BEFORE.replace("np.add.at(h, idx % n, 1)", "h[idx % n] += 1").replace("np.add.at(out, idx, w)", "out[idx] += w")
AFTER = AFTER.replace("np.add.at(h, idx, 1.0)", "h[idx] += 1.0")


def test_what_repeated_entries_do_is_compared(tmp_path):
    for name, text in (("before", BEFORE), ("after", AFTER)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "code.py").write_text(text)
    report = verify(tmp_path / "before" / "code.py", tmp_path / "after" / "code.py")
    agree = {one.name.removeprefix("code.") for one in report.functions if one.verdict == "agrees"}
    assert agree == {"gathered"}
