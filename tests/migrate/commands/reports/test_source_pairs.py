"""Which lines of both versions belong to a function."""

from np2jax.migrate.commands.reports.source_pairs import source_pairs

BEFORE = b"""import numpy as np


def f(x):
    return np.sin(x)


class C:
    @property
    def g(self):
        return 1
"""
AFTER = b"""import jax.numpy as jnp


def unrelated():
    pass


VALUE = 1
MORE = 2


def _as_array(x):
    return x


@jax.jit
def _f(x):
    return jnp.sin(x)


def f(x):
    return _f(_as_array(x))


class C:
    @property
    def g(self):
        return 1
"""


def test_new_functions_right_above_belong_to_a_function():
    pair = source_pairs(BEFORE, AFTER)["f"]
    assert pair.first == (4, 12)
    assert pair.original == ("def f(x):", "    return np.sin(x)")
    assert pair.converted[0] == "def _as_array(x):" and pair.converted[-1] == "    return _f(_as_array(x))"
    assert pair.equal == ((0, 9, 1),)


def test_methods_with_their_decorators():
    pair = source_pairs(BEFORE, AFTER)["C.g"]
    assert (pair.first, pair.equal) == ((9, 26), ((0, 0, 3),))


def test_a_function_that_is_lost_and_code_that_does_not_parse():
    assert source_pairs(BEFORE, b"")["f"].converted == ()
    assert source_pairs(b"def f(:", AFTER) == {}
    assert source_pairs("# é\n".encode("latin-1"), AFTER) == {}
