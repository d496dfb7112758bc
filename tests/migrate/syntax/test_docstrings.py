"""The examples in docstrings: they need what they name, and they call functions."""

import doctest
import types

import numpy as np
import pytest

from np2jax.migrate.syntax import docstrings
from np2jax.tests.helpers.differential import check_agrees, convert, refused, run

DOT = '''
import numpy as np


def squared(vector: np.ndarray) -> float:
    """The squared norm.

    >>> float(squared([1.0, 2.0]))
    5.0
    >>> float(squared(np.array([1.0,
    ...                         3.0])))
    10.0
    """
    return np.dot(vector, vector)
'''


def test_examples_run_after_the_conversion():
    module = types.ModuleType("m")
    exec(convert(DOT)[0], module.__dict__)
    assert doctest.testmod(module) == (0, 2)


def test_what_examples_import_themselves_need_not_be_imported():
    text = DOT.replace(">>> float(squared([1.0", ">>> import numpy as np\n    >>> float(squared([1.0")
    assert "import numpy as np\n\n" not in convert(text)[0]


@pytest.mark.parametrize("line", ["See np.dot.", ">>> squared([1.0, 2.0])", ">>> x.np"])
def test_other_text_needs_nothing(line):
    start, _examples, end = DOT.partition("    >>> float")[0], "", DOT.rpartition('    """')[2]
    text = convert(f'{start}    {line}\n    """{end}')[0]
    assert ("import numpy as np" in text) == (line == ">>> x.np")  # any word will do: an import too many does no harm


def test_lists_in_examples_are_lists_that_calls_give():
    text = check_agrees(DOT, ([1.0, 2.0],), (np.arange(3.0),), function="squared")
    assert "jnp.dot(jnp.asarray(vector), jnp.asarray(vector))" in text


@pytest.mark.parametrize(
    ("example", "found"),
    [
        ("f([1, 2], 3)", {"a"}),
        ("f(1, b=(2, 3))", {"b"}),
        ("print(f(1, [2]))", {"b"}),
        ("C().f([1, 2], 3)", {"a"}),
        ("g([1, 2])", set()),
        ("f([1, 2)", set()),
        ("f(*[1, 2])", set()),
        ("f(np.array([1, 2]))", set()),
        ("f(1, 2, [3])", set()),
        ("f(c=[3])", set()),
    ],
)
def test_arguments_of_examples(example, found):
    assert docstrings.list_arguments(f"Text.\n\n    >>> {example}\n    1\n", "f", ("a", "b"), method=False) == found
    if example.startswith("C()"):
        assert docstrings.list_arguments(f">>> {example}", "f", ("self", "a", "b"), method=True) == found


@pytest.mark.parametrize("made", ["np.array(SQUARE)", "np.asarray([SQUARE, SQUARE])", "np.array(ROW)", "np.stack([SQUARE])"])
def test_lists_of_text_elsewhere_in_the_module_make_no_array_of_jax(made):
    text = f'import numpy as np\n\nSQUARE = [["a", "b"], ["c", "d"]]\nROW = "x", 1\n\n\ndef f():\n    return {made}\n'
    assert "NJ103" in refused(text)


def test_lists_of_numbers_beside_text_do():
    text = 'import numpy as np\n\nNAMES, ROWS = ["a", "b"], [[1, 2], [3, 4]]\n\n\ndef f(k: int):\n    return NAMES[1], np.array(ROWS)\n'
    assert "jnp.array(ROWS)" in convert(text)[0]


def test_attributes_that_hold_text_stay_numpys():
    text = """
import numpy as np

SQUARE = [["a", "b"], ["c", "d"]]


class Cipher:
    def __init__(self):
        self.square = np.array(SQUARE)

    def letter(self, i: int, j: int):
        return self.square[i - 1, j - 1]

    def encode(self, n: int):
        steps = np.arange(n) + 1
        return self.letter(int(steps[0]), int(steps[1]))
"""
    made = convert(text)[0]
    assert "asarray" not in made
    assert run(made)["Cipher"]().encode(2) == "b"


@pytest.mark.parametrize(("decorator", "self"), [("@staticmethod\n    ", ""), ("@classmethod\n    ", "cls, "), ("", "self, ")])
def test_what_examples_give_to_methods(decorator, self):
    text = f"""
import numpy as np


class C:
    {decorator}def dot({self}a: np.ndarray, b: np.ndarray):
        '''Their product.

        >>> C().dot([1.0, 2.0], np.ones(2))
        3.0
        '''
        return np.dot(a, b)
"""
    assert "jnp.dot(jnp.asarray(a), b)" in convert(text)[0]
