"""What docstrings say about parameters: a tuple of arrays is no array."""

import numpy as np
import pytest

from np2jax.migrate.analysis.inference.declared_types import docstring_kinds
from np2jax.rules.core.findings import Kind
from np2jax.tests.helpers.differential import convert, run


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("ndarray, shape (n, m)", Kind.ARRAY),
        ("ndarray(float, ndim=2)", Kind.ARRAY),
        ("array of objects", Kind.ARRAY),
        ("tuple(ndarray(float, ndim=2))", Kind.TUPLE),
        ("(tuple of) ndarray", Kind.TUPLE),
        ("list of array", Kind.LIST),
        ("dictionary of array", Kind.DICT),
        ("sequence of array", None),
        ("function that returns an array", None),
        ("array or list of array", None),
        ("tuple or ndarray", None),
        ("array-like", None),
    ],
)
def test_kinds_of_parameters(text, kind):
    found = dict(docstring_kinds(f"Parameters\n----------\nx : {text}\n    what it is"))
    assert (found["x"].kind if found else None) is kind


def test_a_tuple_of_arrays_that_changes_is_not_taken_for_an_array():
    before = '''import numpy as np


def fill(p, k: int):
    """Fill both.

    Parameters
    ----------
    p : tuple(ndarray(float, ndim=2))
        Modified in place.
    """
    for h in range(k):
        p[0][h, h] = 0.75
        p[1][h, 0] = 0.5
'''
    arrays = np.zeros((3, 3)), np.zeros((2, 2))
    run(convert(before)[0])["fill"](arrays, 2)
    assert arrays[0].trace() == 1.5 and arrays[1].sum() == 1.0
