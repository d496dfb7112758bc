import pytest

from np2jax.migrate.commands.formats.findings_report import FindingsReport
from np2jax.rules.core.diagnostic import Diagnostic

SAFE = Diagnostic("pkg/a b.py", 3, 5, 3, 12, "NJ101", "`np.sqrt` is `jnp.sqrt`", "safe", False, "pkg.a.f")
MANUAL = Diagnostic("pkg/b.py", 1, 1, 2, 6, "NJ999", "50% of it:\nby <hand> & \x07", "manual", False)
SOURCES = {"pkg/a b.py": b"import numpy as np\n\ny = np.sqrt(x)\n", "pkg/b.py": b"y = (\n    1)\n"}


@pytest.fixture
def report():
    """Two findings in two files, and a file that could not be read."""
    return FindingsReport((SAFE, MANUAL), (("pkg/c.py", "pkg/c.py:2: syntax error"),), sources=SOURCES)


@pytest.fixture
def finding():
    """A finding at a place in a file."""

    def make(path="a.py", line=1, column=1, end=2, code="NJ101", message="m"):
        return Diagnostic(path, line, column, line, end, code, message, "manual", False)

    return make
