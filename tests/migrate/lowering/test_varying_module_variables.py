"""Loops of functions that read variables of the module with several values: the function that the loop becomes gets them as arguments."""

import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

RELAX = """
import numpy as np

steps = 30
scale = 0.5


def relax(p):
    for q in range(steps):
        p[1:-1] = (p[2:] + p[:-2]) / 2 - scale * source[1:-1]
        p[0] = p[1]
    return p


def set_scale(value):
    global scale
    scale = value


p = np.ones(9)
source = np.zeros(9)
found = []
for step in range(3):
    source = np.sin(p) * 0.1
    p = relax(p)
    found.append(p.sum())
set_scale(0.25)
source[2] = 4.0
found.append(relax(p).sum())
found.append(relax(source + 1.0).sum())
"""


def same(source):
    """Whether both versions of a script leave the same values; the converted text."""
    text, functions, _found = convert(source, placement="fast")
    before, after = run(source), run(text)
    for name in ("p", "source", "found"):
        assert not compare_values(before[name], after[name]), name
    return text, functions


def test_the_values_of_each_call_are_used():
    text, functions = same(RELAX)
    assert "_relax_loop(p, scale, source)" in text or "_relax_loop(p, source, scale)" in text, functions["relax"].reason
    assert "@jax.jit" in text


@pytest.mark.parametrize(
    "changed",
    [
        ("relax(source + 1.0)", "relax(source)"),  # what the loop changes is what it reads
        ("relax(source + 1.0)", "relax(source[:])"),
        ("    source = np.sin(p) * 0.1\n", "    source = p\n"),
        ("        p[0] = p[1]\n", "        p[0] = p[1]\n        set_scale(q * 0.01)\n"),
        ("        p[0] = p[1]\n", "        p[0] = p[1]\n        source[3] += 1.0\n"),
    ],
)
def test_what_may_change_while_the_loop_runs(changed):
    assert changed[0] in RELAX
    same(RELAX.replace(*changed))


def test_a_variable_with_one_value_stays_where_it_is():
    text, _functions = same(RELAX.replace("source = np.sin(p) * 0.1", "pass").replace("source[2] = 4.0", ""))
    assert "_relax_loop(p, scale)" in text
