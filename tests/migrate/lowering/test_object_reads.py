"""Loops that read attributes of objects and elements of dicts: `config.rate`, `self.grid.dx`, `options["rate"]`."""

from types import SimpleNamespace

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

HEAD = """
from dataclasses import dataclass

import numpy as np


@dataclass
class Config:
    rate: float = 0.3
    steps: int = 40
    offsets: np.ndarray = None


class Grid:
    def __init__(self, rate, steps):
        self.rate = rate
        self.steps = steps
        self.count = 0

    @property
    def drawn(self):
        self.count += 1
        return self.rate * self.count

    def double(self):
        self.rate *= 2

"""
LOOP = """
def f(x: np.ndarray, c{annotation}):
    if not np.isfinite(x).all():
        raise ValueError("not finite")
    x = x.copy()
    for i in range({steps}):
        x[i % len(x)] += {rate} * x[i % 3] * (1 - x[i % 2])
    return x
"""
OBJECTS = {
    "an object": (LOOP.format(annotation="", steps="c.steps", rate="c.rate"), SimpleNamespace(rate=0.25, steps=30)),
    "integers": (LOOP.format(annotation="", steps="c.steps", rate="c.rate"), SimpleNamespace(rate=1, steps=np.int64(30))),
    "no iterations": (LOOP.format(annotation="", steps="c.steps", rate="c.rate"), SimpleNamespace(rate=0.25, steps=0)),
    "an object in an object": (
        LOOP.format(annotation="", steps="c.time.steps", rate="c.rate"),
        SimpleNamespace(rate=0.25, time=SimpleNamespace(steps=30)),
    ),
    "a dict": (
        LOOP.format(annotation=": dict", steps='c["steps"]', rate="c['rate']"),
        {"rate": 0.5, "steps": 20, "name": "text"},
    ),
    "a dict of dicts": (
        LOOP.format(annotation="", steps='c["time"]["steps"]', rate="c['rate']"),
        {"rate": 0.5, "time": {"steps": 20, "name": "text"}},
    ),
    "arrays": (
        LOOP.format(annotation="", steps="len(c.rates)", rate="c.rates[i]"),
        SimpleNamespace(rates=np.linspace(0, 1, 25)),
    ),
    "a list": (LOOP.format(annotation="", steps="len(c.rates)", rate="c.rates[i]"), SimpleNamespace(rates=[0.1, 0.2, 0.3, 0.4])),
    "text": (
        LOOP.format(annotation="", steps="c.steps", rate='c.rate * (2.0 if c.mode == "fast" else 1.0)'),
        SimpleNamespace(rate=0.25, steps=30, mode="fast"),
    ),
}
X = np.linspace(-0.5, 1.5, 7)


@pytest.mark.quick(4)
@pytest.mark.parametrize("name", OBJECTS)
def test_what_a_loop_reads_becomes_an_argument(name):
    text, given = OBJECTS[name]
    after = convert(HEAD + text, placement="fast")[0]
    assert "_f_loop(" in after, after
    for x in (X, X[:1].astype(np.float32)):
        if len(x) > 3:
            assert not compare_values(run(after)["f"](x, given), run(HEAD + text)["f"](x, given))


@pytest.mark.parametrize("made", ["c = Config(**options)", "c = Grid(**options)"])
def test_an_object_that_the_function_makes(made):
    text = HEAD + LOOP.format(annotation="", steps="c.steps", rate="c.rate").replace("c):", "**options):").replace(
        "    x = x.copy()", f"    {made}\n    x = x.copy()"
    )
    after = convert(text, placement="fast")[0]
    assert "_f_loop(" in after, after
    assert not compare_values(run(after)["f"](X, rate=0.5, steps=9), run(text)["f"](X, rate=0.5, steps=9))


METHOD = """
class Model:
    def __init__(self, config, rates):
        self.config = config
        self.rates = rates
        self.options = {"decay": 0.9, "name": "model"}
        self.x = np.ones(5)

    def run(self, n: int):
        for i in range(n):
            self.x[i % 5] = self.options["decay"] * self.x[i % 4] + self.config.rate * self.rates[i % 3]
        return self.x
"""


def test_objects_in_attributes_of_the_object():
    after = convert(HEAD + METHOD, placement="fast")[0]
    assert "_run_loop(" in after, after
    results = []
    for text in (after, HEAD + METHOD):
        space = run(text)
        model = space["Model"](space["Config"](rate=0.25), np.arange(3.0))
        results.append([model.run(7).copy(), model.run(0), model.x])
    assert not compare_values(*results)


LEFT = {
    "a property": LOOP.format(annotation=": Grid", steps="c.steps", rate="c.drawn"),
    "an attribute that the loop binds": LOOP.format(annotation="", steps="9", rate="c.rate").replace(
        "    return x", "        c.rate *= 0.5\n    return x"
    ),
    "an element that the loop stores": LOOP.format(annotation=": dict", steps="9", rate="c['rate']").replace(
        "    return x", "        c['rate'] = x[0]\n    return x"
    ),
    "an array in it that the loop changes": LOOP.format(annotation="", steps="9", rate="c.rates[i]").replace(
        "    return x", "        c.rates[i] = x[0]\n    return x"
    ),
    "a method that changes it": LOOP.format(annotation=": Grid", steps="9", rate="c.rate").replace(
        "    return x", "        c.double()\n    return x"
    ),
    "another object of that name": LOOP.format(annotation="", steps="9", rate="c.rate").replace(
        "    return x", "        c = c.next\n    return x"
    ),
    "an option": LOOP.format(annotation="", steps="9", rate="(c.rate if c.fast else 1.0)"),
    "a function": LOOP.format(annotation="", steps="9", rate="c.rate(i)"),
}


@pytest.mark.parametrize("name", LEFT)
def test_what_is_left_to_python(name):
    text = HEAD + LEFT[name]
    after = convert(text, placement="fast")[0]
    assert "_f_loop(" not in after, after


def test_an_array_of_an_object_that_the_loop_changes_by_another_name():
    text = HEAD + LOOP.format(annotation="", steps="9", rate="c.rates[i % 3]").replace("x = x.copy()", "x = c.rates")
    after = convert(text, placement="fast")[0]
    results = [run(t)["f"](X, SimpleNamespace(rates=np.linspace(0, 1, 7))) for t in (after, text)]
    assert not compare_values(*results)


def test_an_option_that_is_none():
    text = HEAD + LOOP.format(
        annotation=": Config", steps="c.steps", rate="(c.offsets[i % 3] if c.offsets is not None else c.rate)"
    )
    after = convert(text, placement="fast")[0]
    for offsets in (None, np.arange(3.0)):
        results = []
        for t in (after, text):
            space = run(t)
            results.append(space["f"](X, space["Config"](offsets=offsets)))
        assert not compare_values(*results)


STATEMENTS = """
def f(x: np.ndarray, c):
    print(c.name)
    a = np.clip(x * c.gain + c.offset, 0, 1)
    b = np.exp(-((a - c.mean) ** 2) / (2 * c.sigma**2)) * c.weight + (1 - c.weight) * a
    d = np.sqrt(np.abs(b)) + np.sin(a) * np.cos(b) - c.bias
    return d / (1 + np.abs(d))
"""
SETTINGS = {"name": "text", "gain": 2.0, "offset": 0.1, "mean": 0.5, "sigma": 0.3, "weight": 1, "bias": np.array([0.5])}


def test_statements_that_read_an_object():
    text = HEAD + STATEMENTS
    after = convert(text, placement="fast")[0]
    assert "_f_core(" in after, after
    for change in ({}, {"bias": 0.25, "mean": [0.5] * len(X)}, {"gain": np.float32(2.0)}):
        given = SimpleNamespace(**{**SETTINGS, **change})
        assert not compare_values(run(after)["f"](X, given), run(text)["f"](X, given))


class Both(dict):
    rate = 0.5
    steps = 12


def test_an_attribute_is_no_element():
    text = HEAD + LOOP.format(annotation="", steps="c.steps", rate="c.rate * c['rate']")
    after = convert(text, placement="fast")[0]
    given = Both(rate=0.25, steps=3)
    assert not compare_values(run(after)["f"](X, given), run(text)["f"](X, given))


def test_a_file_that_uses_pandas_is_left():
    assert "_f_loop(" not in convert(HEAD + "import pandas\n" + OBJECTS["arrays"][0], placement="fast")[0]
    assert "_f_core(" not in convert(HEAD + "import pandas\n" + STATEMENTS, placement="fast")[0]
