"""How deep a tree LibCST can visit and write: some builds of Python, such as 3.12.1, limit C recursion to 1,500 levels."""

from functools import cache

import libcst as cst

from np2jax.migrate.syntax.source import deep

DEPTHS = (1200, 400)


@cache
def deepest():
    """The number of operands that a chain of operators may have in a test."""
    for count in DEPTHS:
        module = cst.parse_module("x = " + "+".join(["a"] * count) + "\n")
        try:
            deep(module.visit, cst.CSTTransformer())
            deep(getattr, module, "code")
        except RecursionError:
            continue
        return count
    raise AssertionError("this Python visits no deep trees at all")
