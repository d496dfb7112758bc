"""What Python's own parser says about a file: whether it is valid, and which libraries it imports."""

import pytest

from np2jax.migrate.syntax.file_syntax import FileSyntax, syntax_of

ANYWHERE = """
import os, numpy.linalg as la
from scipy import *
from . import numpy_like
try:
    from a.b import c
except ImportError:
    import d
finally:
    import e
class C:
    async def f(self):
        async with x:
            import f
match x:
    case 1:
        import g
for i in x:
    pass
else:
    import h
"""


def test_imports_are_found_wherever_they_stand():
    assert syntax_of(ANYWHERE.encode()) == FileSyntax(True, frozenset("os numpy scipy a d e f g h".split()))


@pytest.mark.parametrize("text", ["x = 'import numpy'", "# import numpy", '"""\nimport numpy\n"""', ""])
def test_text_that_is_no_import(text):
    assert syntax_of(text.encode()) == FileSyntax(True)


@pytest.mark.parametrize("data", [b"def f(:", b"\0", b"# coding: none\n", b"\xff"])
def test_a_file_that_is_not_valid(data):
    assert syntax_of(data) == FileSyntax(False)
