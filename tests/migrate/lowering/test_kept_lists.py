"""Lists in dicts and in attributes to which a loop appends: the loop is compiled, and the list is extended after it."""

import contextlib
import io
import textwrap

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

STEP = "for i in range(n):\n    x = np.sin(x) + 0.5\n    loss = np.abs(x).max()\n"
LOCAL = {
    "a dict of lists": 'h = {"loss": [], "sum": []}\n'
    + STEP
    + '    h["loss"].append(loss)\n    h["sum"].append(x.sum() * 0.5)\nreturn x, h',
    "a list that is not empty": 'h = {"loss": [1.0]}\n' + STEP + '    h["loss"].append(loss)\nreturn x, h',
    "another key": 'h = {"loss": [], "name": "abc"}\n' + STEP + '    h["loss"].append(loss)\nreturn x, h',
    "until it is small": 'h = {"loss": []}\n'
    + STEP
    + '    h["loss"].append(loss)\n    if loss < 0.9:\n        break\nreturn x, h',
    "printed now and then": 'h = {"loss": []}\n'
    + STEP
    + '    h["loss"].append(loss)\n    if i % 5 == 0:\n        print(i, round(h["loss"][-1], 6))\nreturn x, h',
}
STAYS = {
    "a key that is missing": 'h = {"sum": []}\n' + STEP + '    h["loss"].append(loss)\nreturn x, h',
    "a computed key": 'h = {"0": [], "1": []}\n' + STEP + "    h[str(i % 2)].append(loss)\nreturn x, h",
    "its length": 'h = {"loss": []}\n' + STEP + '    h["loss"].append(loss * len(h["loss"]))\nreturn x, h',
    "passed on": 'h = {"loss": []}\n' + STEP + '    h["loss"].append(loss)\n    print(h)\nreturn x, h',
    "of another name": 'h = {"loss": []}\nsame = h["loss"]\n'
    + STEP
    + '    h["loss"].append(loss)\n    x = x * len(same)\nreturn x, h',
}
CLASS = """\
import numpy as np


class Model:
    def __init__(self):
        self.w = np.zeros(3)
        self.losses = []
        self.history = {"loss": [], "norm": []}

    @staticmethod
    def _slope(z):
        return np.tanh(z)

    def last(self):
        return self.losses[-1] if self.losses else 0.0

    def fit(self, X: np.ndarray, steps: int):
        self.w = np.zeros(3)
        for step in range(steps):
            error = X @ self.w - 1.0
            self.w = self.w - 0.1 * (X.T @ error)
APPENDS
        return self


def f(X, steps):
    model = Model().fit(X, 2).fit(X, steps)
    return model.w, model.losses, model.history
"""
IN_CLASS = {
    "an attribute": "self.losses.append(np.mean(error**2))",
    "a dict": 'self.history["loss"].append(np.mean(error**2))\nself.history["norm"].append(np.abs(error).max())',
    "printed": 'loss = np.mean(error**2)\nself.history["loss"].append(loss)\nif step % 4 == 0:\n    print(f"{step}: {loss:.5f}")',
}
CLASS_STAYS = {
    "a method that reads it": "self.losses.append(np.mean(error**2))\nself.w = self.w * self.last()",
    "the object is passed on": "self.losses.append(np.mean(error**2))\nprint(vars(self))",
}


def called(text, *args):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        result = None
        try:
            result = run(text)["f"](*[np.copy(a) if isinstance(a, np.ndarray) else a for a in args])
        except KeyError as error:
            result = repr(error)
    return result, out.getvalue()


def check_same(text, made, *args):
    (want, printed), (got, again) = called(text, *args), called(made, *args)
    assert printed == again, made
    assert not compare_values(got, want), made


def in_function(body):
    return "import numpy as np\n\n\ndef f(x: np.ndarray, n: int):\n" + textwrap.indent(body, "    ") + "\n"


@pytest.mark.quick(3)
@pytest.mark.parametrize("name", LOCAL)
def test_lists_in_a_dict(name):
    text = in_function(LOCAL[name])
    made, functions, _diagnostics = convert(text, placement="fast")
    assert functions["f"].transform == "outlined", made
    for n in (12, 1, 0):
        check_same(text, made, np.array([0.1, 2.0, -3.0]), n)


@pytest.mark.parametrize("name", STAYS)
def test_other_dicts(name):
    text = in_function(STAYS[name])
    made, _functions, _diagnostics = convert(text, placement="fast")
    assert "_history" not in made
    check_same(text, made, np.array([0.1, 2.0, -3.0]), 4)


@pytest.mark.parametrize("name", IN_CLASS)
def test_lists_of_an_object(name):
    text = CLASS.replace("APPENDS", textwrap.indent(IN_CLASS[name], " " * 12))
    made, functions, _diagnostics = convert(text, placement="fast")
    assert functions["Model.fit"].transform == "outlined", made
    for steps in (0, 1, 9):
        check_same(text, made, np.random.default_rng(0).normal(size=(8, 3)) * 0.3, steps)


@pytest.mark.parametrize("name", CLASS_STAYS)
def test_other_objects(name):
    text = CLASS.replace("APPENDS", textwrap.indent(CLASS_STAYS[name], " " * 12))
    made, _functions, _diagnostics = convert(text, placement="fast")
    assert "losses_history" not in made
    check_same(text, made, np.random.default_rng(0).normal(size=(8, 3)) * 0.3, 3)
