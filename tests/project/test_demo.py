"""`make demo` says at once what it does, and ends with what was converted, the speed, and a page that is there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_demo():
    done = subprocess.run([sys.executable, ROOT / ".ci/demo.py"], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    first, *_ = done.stdout.splitlines()
    assert first.startswith("[ 0 s] ")
    assert re.search(r"^converted: \d+ of \d+ files", done.stdout, re.MULTILINE)
    assert re.search(r"^verified: .*\d+ agrees", done.stdout, re.MULTILINE) and " differs" not in done.stdout
    assert "        out[i] = vec_vec_dot(xx[i], y)" in done.stdout and "jax.vmap(vec_vec_dot" in done.stdout
    assert re.search(r"vec_vec_dot.mat_vec, [\d,]+ elements: [\d,]+ us and [\d,]+ us", done.stdout)
    page = ROOT / done.stdout.splitlines()[-1].rpartition(": ")[2]
    assert "vec_vec_dot.mat_vec" in page.read_text()
