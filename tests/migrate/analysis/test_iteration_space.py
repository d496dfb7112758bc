"""Iteration spaces, and what is known where an expression is read."""

import textwrap

import libcst as cst
import pytest

from np2jax.migrate.analysis.symbolic.affine import affine
from np2jax.migrate.analysis.symbolic.inequalities import nonnegative
from np2jax.migrate.analysis.symbolic.scalar_evolution import ScalarEvolution
from np2jax.migrate.syntax.scopes import build
from np2jax.migrate.syntax.source import parse

ARRAYS = set("ABCxyzab")
INTEGERS = set("nmkij")


def places(body):
    """What is known in `def f(A, B, x, b, n, m)`; `HERE[...]` marks the place."""
    text = "import numpy as np\nimport itertools\n\ndef f(A, B, x, b, n, m):\n" + textwrap.indent(textwrap.dedent(body), "    ")
    source = parse("m.py", "m", False, text.encode())
    unit = source.module.body[-1]
    found = ScalarEvolution(
        unit,
        build(source),
        source.parents,
        is_array=lambda node: isinstance(node, cst.Name) and node.value in ARRAYS,
        is_integer=lambda node: isinstance(node, cst.Name) and node.value in INTEGERS,
    )
    here = next(
        n for n in source.parents if isinstance(n, cst.Subscript) and isinstance(n.value, cst.Name) and n.value.value == "HERE"
    )
    return found, here


def form_here(body):
    found, here = places(body)
    return found.form(here.slice[0].slice.value)


def known_here(body):
    """Whether what HERE[...] holds is at least 0."""
    found, here = places(body)
    form = found.form(here.slice[0].slice.value)
    return form is not None and nonnegative(form, found.facts(here))


def plain(text):
    return affine(cst.parse_expression(text))


@pytest.mark.parametrize(
    ("loop", "minimum", "maximum", "step"),
    [
        ("for i in range(n):", "0", "n - 1", 1),
        ("for i in range(1, n):", "1", "n - 1", 1),
        ("for i in range(A.shape[0] - 2, 0, -1):", "1", "A.shape[0] - 2", -1),
        ("for i in range(1, n, 3):", "1", "n - 1", 3),
        ("for i in reversed(range(n)):", "0", "n - 1", -1),
        ("for i in reversed(range(0, 7, 3)):", "0", "6", -3),
        ("for i, v in enumerate(x):", "0", "x.shape[0] - 1", 1),
        ("for i, v in enumerate(x, start=2):", "2", "x.shape[0] + 1", 1),
        ("for i, v in zip(range(m, n), x):", "m", "n - 1", 1),
        ("for i, j in np.ndindex(n, m):", "0", "n - 1", 1),
        ("for i, j in np.ndindex(A.shape):", "0", "A.shape[0] - 1", 1),
        ("for i, j in itertools.product(range(1, n), range(m)):", "1", "n - 1", 1),
    ],
)
def test_the_range_of_an_index(loop, minimum, maximum, step):
    found, here = places(f"{loop}\n    HERE[i]")
    of = found.ranges(here)[0]
    assert (of.index, of.minimum, of.maximum, of.step) == ("i", plain(minimum), plain(maximum), step)


@pytest.mark.parametrize("loop", ["for i in range(0, n, m):", "for i in x:", "for i in f():", "for (i, j), k in x:"])
def test_ranges_that_are_not_known(loop):
    found, here = places(f"{loop}\n    HERE[i]")
    assert found.ranges(here) == []


def test_nested_ranges_and_comprehensions():
    found, here = places("for i in range(n):\n    for j in range(i, n):\n        HERE[i]")
    assert [(r.index, r.start) for r in found.ranges(here)] == [("i", plain("0")), ("j", plain("i"))]
    found, here = places("return [HERE[i] for i in range(n) for j in range(i)]")
    assert [(r.index, r.stop) for r in found.ranges(here)] == [("i", plain("n")), ("j", plain("i"))]


@pytest.mark.parametrize(
    ("body", "form"),
    [
        ("n = A.shape[0]\nHERE[n - 1]", "A.shape[0] - 1"),
        ("n, m = A.shape\nHERE[m]", "A.shape[1]"),
        ("n, m = 3, len(x)\nHERE[m - n]", "x.shape[0] - 3"),
        ("n = len(x)\nm = n // 2\nHERE[m]", "x.shape[0] // 2"),
        ("y = np.zeros(n)\nHERE[y.shape[0]]", "n"),
        ("y = np.zeros((n, m + 1))\nHERE[y.shape[1]]", "m + 1"),
        ("y = np.zeros((n, m + 1))\nHERE[y.shape[-1]]", "m + 1"),
        ("y = np.zeros_like(A)\nz = y.copy()\nHERE[z.shape[1]]", "A.shape[1]"),
        ("y = np.empty(A.shape)\nHERE[len(y)]", "A.shape[0]"),
        ("y = x\nHERE[y.shape[0]]", "x.shape[0]"),
        ("y = np.eye(n)\nHERE[y.shape[1]]", "n"),
        ("y = np.arange(n)\ny += 1\nHERE[y.shape[0]]", "n"),
        ("for i in range(n):\n    k = i + 1\n    HERE[k]", "i + 1"),
        ("if n > 2:\n    m = n\n    HERE[m]", "n"),
        ("k = n\nn = 3\nHERE[k]", "k"),  # n is another one now
        ("k = 1\nfor i in range(n):\n    HERE[k]\n    k = 2", "k"),
        ("k = 1\nif n:\n    k = 2\nHERE[k]", "k"),
        ("k = 1\nk += 1\nHERE[k]", "k"),
        ("for j in range(n):\n    pass\nk = j\nfor j in range(m):\n    HERE[k]", "k"),
        ("k = A[0]\nHERE[k]", "k"),
        ("k = 1\ndef g():\n    nonlocal k\n    k = 2\nHERE[k]", "k"),
        ("try:\n    k = 1\n    k = g()\nexcept ValueError:\n    HERE[k]", "k"),
    ],
)
def test_what_variables_stand_for(body, form):
    assert form_here(body) == plain(form)


@pytest.mark.parametrize("text", ["q.shape[0]", "len(q)", "self.n", "x.shape[n]", "float(n)", "A.shape"])
def test_what_may_change_is_no_form(text):
    assert form_here(f"HERE[{text}]") is None


@pytest.mark.parametrize(
    "body",
    [
        "for i in range(A.shape[0]):\n    for j in range(i):\n        HERE[i - j - 1]",
        "n = A.shape[0]\nfor i in range(n):\n    HERE[A.shape[0] - i - 1]",
        "for i in range(1, n):\n    HERE[i - 1]",
        "for i in range(A.shape[0] - 1, -1, -1):\n    HERE[i]",
        "for i in range(n):\n    if i + 1 < m:\n        HERE[m - i - 2]",
        "for i in range(n):\n    if i >= m or n < 2:\n        pass\n    else:\n        HERE[m - i - 1]",
        "while n > 0:\n    HERE[n - 1]\n    x[0] = 1",
        "for i in range(n):\n    HERE[n - 1]",  # the loop has an iteration
        "y = np.zeros_like(x)\nfor i in range(x.shape[0]):\n    HERE[y.shape[0] - i - 1]",
        "if 0 <= n < m:\n    HERE[m - n - 1]",
    ],
)
def test_what_is_known_inside_of_loops_and_tests(body):
    assert known_here(body)


@pytest.mark.parametrize(
    "body",
    [
        "for i in range(n):\n    HERE[i - 1]",
        "for i in range(n):\n    i = i - 1\n    HERE[i]",
        "for i in range(n):\n    n = -1\n    HERE[n]",
        "for i in range(n):\n    pass\nHERE[i]",
        "while n > 0:\n    n -= 1\n    HERE[n - 1]",
        "if z < 1 and z > 0:\n    HERE[m]",  # an array, or a fraction
        "if w < 1 and w > 0:\n    HERE[m]",  # a fraction
        "for i in range(n):\n    def g():\n        return HERE[i]",
        "for i in range(A.shape[0]):\n    A = A[1:]\n    HERE[A.shape[0] - 1 - i]",
        "x.shape = (2, 3)\nfor i in range(x.shape[0]):\n    x.resize((1, 1))\n    HERE[x.shape[0] - 1 - i]",
    ],
)
def test_what_is_not_known(body):
    assert not known_here(body)
