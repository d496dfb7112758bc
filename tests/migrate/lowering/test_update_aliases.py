"""Arrays under two names, one of which a loop changes in place: such a loop stays where it is."""

import numpy as np
import pytest

from np2jax.tests.migrate.lowering.test_method_inlining import check, of_class

ROWS = np.random.default_rng(0).normal(size=(6, 3))
CALLS = [(ROWS[0], 0.5, ROWS), (ROWS[0], 0.5, ROWS[:1]), (ROWS[0], 0.5, ROWS[:0])]
LOOP = "for k in range(len(rows)):\n    self.w += {value}\n    y[k] = {read}\n"
STEP = "def gain(self, x):\n    return self.a * x\ndef own(self):\n    return self.w\ndef keep(self, v):\n    self.kept = v"
INIT = "self.w, self.a, self.n, self.kept = np.array(w, dtype=float), a, 0, np.zeros(3)\n"
SHARED = {
    "two attributes": ("self.kept = self.w", "", "self.kept.sum()"),
    "two attributes of one array": ("v = np.zeros(3)\nself.w = v\nself.kept = v", "", "self.kept.sum()"),
    "a view as an attribute": ("self.kept = self.w[:2]", "", "self.kept[0]"),
    "through a method": ("self.keep(self.w)", "", "self.kept[1]"),
    "a variable": ("", "v = self.w", "v.sum()"),
    "a view as a variable": ("", "v = self.w[1:]", "v.sum()"),
    "the result of a method": ("", "v = self.own()", "v.sum()"),
}


@pytest.mark.quick(3)
@pytest.mark.parametrize("name", SHARED)
@pytest.mark.parametrize("value", ["self.gain(rows[k])", "rows[k]"])
def test_what_shares_memory(name, value):
    init, start, read = SHARED[name]
    body = f"y = np.zeros(len(rows))\n{start}\n{LOOP.format(value=value, read=read)}return y"
    text = check(of_class(body, STEP, INIT + init, "made.run(rows), made.w, made.kept, w"), *CALLS)
    assert "_run_loop" not in text, text


SEPARATE = {
    "another attribute": ("self.kept = self.w.copy()", "", "self.kept.sum()"),
    "another variable": ("", "v = self.w.copy()", "v.sum()"),
    "a number": ("", "v = 2.0", "v * self.w[0]"),
}


@pytest.mark.parametrize("name", SEPARATE)
@pytest.mark.parametrize("value", ["self.gain(rows[k])", "rows[k]"])
def test_what_does_not(name, value):
    init, start, read = SEPARATE[name]
    body = f"y = np.zeros(len(rows))\n{start}\n{LOOP.format(value=value, read=read)}return y"
    text = check(of_class(body, STEP.partition("def keep")[0], INIT + init, "made.run(rows), made.w, made.kept, w"), *CALLS)
    assert "_run_loop" in text, text


def test_a_variable_for_an_attribute():
    source = of_class(
        "y = self.kept\nfor k in range(len(rows)):\n    y[k % 3] = self.gain(rows[k])[0] + self.kept[0]\nreturn y",
        STEP,
        INIT,
        "made.run(rows), made.kept",
    )
    assert "_run_loop" not in check(source, *CALLS)


def test_a_result_that_is_another_result():
    source = of_class(
        "for k in range(len(rows)):\n    self.step(rows[k])\nself.w += 1\nreturn self.kept",
        "def step(self, x):\n    self.w = self.w * 0.5 + x\n    self.kept = self.w",
        INIT,
        "made.run(rows), made.w, made.kept",
    )
    check(source, *CALLS)
