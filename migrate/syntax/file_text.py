"""What the name and the text of a file say about it, before it is parsed."""

from __future__ import annotations

import re

TEST_FILE = re.compile(r"(^|/)tests?/|(^|/)(test_[^/]*|[^/]*_test|conftest)\.py$")
SETS_PRECISION = re.compile(
    r"""^[^#\n]*(?:["']jax_enable_x64["']\s*,(?!\s*False)  # config.update(...)
    |\.jax_enable_x64\s*=(?!=)
    |["']JAX_ENABLE_X64["'](?:\s*,|\]\s*=)  # os.environ
    )|^[ \t]*(?:[\w.]+\.)?enable_x64\(  # numpyro's; below `with` it is not for the whole program""",
    re.MULTILINE | re.VERBOSE,
)


def is_test(path: str) -> bool:
    """Whether a file is a test by its name. Tests check the conversion: they are read, never rewritten."""
    return TEST_FILE.search(path.replace("\\", "/")) is not None


def sets_precision(text: str) -> bool:
    """Whether a file may switch on JAX's 64 bits for its program."""
    return "enable_x64" in text.lower() and SETS_PRECISION.search(text) is not None
