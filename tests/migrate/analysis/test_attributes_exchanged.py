"""Attributes that get what other attributes of the object held."""

import pytest

from np2jax.tests.helpers.observed import check_program, taped

EXCHANGED = """\
import numpy as np


class Model:
    def __init__(self, p):
        self.a = p.copy()
        self.b = p

    def step(self):
        {exchange}
        {change}
        return np.zeros(2)


p = np.array([4.0, 7.0, 0.5, -2.0])
model = Model(p)
first = model.step()
second = first - model.step()
"""


@pytest.mark.parametrize("change", ["self.b[1:] /= 2.0", "self.a[0] = 9.0", "self.b = self.b * 2"])
@pytest.mark.parametrize(
    "exchange",
    [
        "self.b, self.a = self.a, self.b",
        "self.a = np.sort(self.a)\n        self.b, self.a = self.a, self.b",
        "self.a = self.a + 1\n        (self.b, c), self.a = (self.a, 1), self.b",
        "self.a = self.a + 1\n        a, b = self.b, self.a\n        self.a, self.b = a, b",
        "self.b, self.a = self.a[::-1], self.b + 1",
    ],
)
def test_an_attribute_is_not_the_one_that_is_bound_beside_it(exchange, change):
    """`self.a = self.b` was written after the change of `self.b`. Found by random programs (502366)."""
    check_program({"m.py": EXCHANGED.format(exchange=exchange, change=change)})


SHARED = """\
import numpy as np


class Model:
    def __init__(self, p):
        self.a = np.array(p)
        self.b = np.zeros_like(p)

    def share(self):
        {share}

    def change(self):
        {change}
        return np.ones(2)


model = Model(np.array([4.0, 7.0, 0.5]))
{calls}
a, b = model.a, model.b
"""


@pytest.mark.parametrize("calls", ["model.share()\nmodel.change()", "model.change()\nmodel.share()\nmodel.change()"])
@pytest.mark.parametrize(
    "change", ["self.a[0] = 5.0", "self.a += 1", "self.a[...] = 2.0", "self.share()\n        self.a[0] = 5.0"]
)
@pytest.mark.parametrize(
    "share",
    ["self.b = self.a", "self.b = self.a[1:]", "c = self.a.T\n        self.b = c", "self.b = [self.a]", "self.b = self.a.copy()"],
)
def test_an_attribute_that_another_method_gave_to_another_attribute(share, change, calls):
    """Only the one that got the array was known to be somebody else's, too. Found by random programs (514084)."""
    check_program({"m.py": SHARED.format(share=share, change=change, calls=calls)})


GIVEN = """\
import numpy as np


class Model:
    def __init__(self, p):
        self.a = p
        self.b = np.zeros_like(p)

    def give(self):
        return {given}

    def share(self):
        self.b = self.give()

    def change(self):
        self.b[0] = 7.0


def part(x):
    return {part}


def change():
    view[0] = 5.0


p = np.array([4.0, 7.0, 0.5])
model = Model(p)
model.share()
model.change()
whole = np.ones(3)
view = part(whole)
change()
a, b = model.a, model.b
"""


@pytest.mark.parametrize("given", ["self.a", "self.a[1:]", "self.a + 1"])
@pytest.mark.parametrize("part", ["x", "x[1:]", "x * 2"])
def test_what_functions_give_to_attributes_and_variables_that_kept_code_changes(given, part):
    """Kept code made a copy of it, and changed that alone."""
    check_program({"m.py": GIVEN.format(given=given, part=part)})


BETWEEN = """\
import numpy as np


class Owner:
    def __init__(self, p):
        self.w = np.array(p)
        self.v = np.array(p)

    def change(self):
        {change}


class Reader:
    def __init__(self, owner{note}):
        self.w = {given}


owner = Owner(np.array([4.0, 7.0, 0.5]))
reader = Reader(owner)
owner.change()
a, b, c = owner.w, owner.v, reader.w
"""


@pytest.mark.parametrize("note", ["", ": Owner"])
@pytest.mark.parametrize("given", ["owner.w", "owner.v", "owner.w[1:]", "owner.w * 2", "[owner.w]", "(owner.v, owner.w)[1]"])
@pytest.mark.parametrize("change", ["self.w[0] = 5.0", "self.w += 1", "self.v[...] = 2.0"])
def test_an_object_that_takes_an_attribute_of_another_one(change, given, note):
    """Where both have the same name, it was taken for the object's own."""
    check_program({"m.py": BETWEEN.format(change=change, given=given, note=note)})


PASSED_ON = """\
import numpy as np
from dataclasses import dataclass


class Owner:
    def __init__(self, p):
        self.w = np.array(p)

    def change(self):
        {change}


{reader}


owner = Owner(np.array([4.0, 7.0, 0.5]))
reader = {made}
owner.change()
a, b = owner.w, reader.w
"""
READERS = {
    "class Reader:\n    def __init__(self, w):\n        self.w = w": "Reader(owner.w)",
    "class Reader:\n    def __init__(self, w):\n        self.w = w[1:]": "Reader(owner.w)",
    "class Reader:\n    def __init__(self, *given):\n        self.w = given[0]": "Reader(owner.w)",
    "class Reader:\n    def __init__(self, **given):\n        self.w = given['w']": "Reader(w=owner.w)",
    "class Reader:\n    def __init__(self, w):\n        self.take(w)\n\n    def take(self, w):\n        self.w = w": "Reader(owner.w)",
    "@dataclass\nclass Reader:\n    w: np.ndarray": "Reader(owner.w)",
    "class Reader:\n    def __init__(self, w):\n        self.w = w + 1": "Reader(owner.w)",
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("change", ["self.w[0] = 5.0", "self.w *= 2", "self.w.sort()", "self.w = self.w + 1"])
def test_an_object_that_is_made_with_an_attribute_of_another_one(reader, change):
    """Its owner did not know that another object holds the array."""
    made = READERS[reader]
    functions = check_program({"m.py": PASSED_ON.format(change=change, reader=reader, made=made)})
    if reader.endswith("w + 1"):
        assert functions["m.Owner.change"].label != "kept"


@pytest.mark.parametrize(
    "taken",
    [
        "self.w = getattr(owner, 'w')",
        "for name in ('w',):\n            setattr(self, name, getattr(owner, name))",
        "self.__dict__.update(owner.__dict__)",
        "self.__dict__ = dict(vars(owner))",
    ],
)
def test_an_object_that_takes_attributes_by_their_names(taken):
    reader = f"class Reader:\n    def __init__(self, owner):\n        {taken}"
    check_program({"m.py": PASSED_ON.format(change="self.w[0] = 5.0", reader=reader, made="Reader(owner)")})


GIVES_ITS_ARRAY = """\
import numpy as np


def f(x):
    x[...] = x.any()
    return np.ones(3, dtype=np.float32)


class K:
    def __init__(self, p):
        self.a = p
        self.b = self.a
        self.rng = np.random.default_rng(4)

    def change(self, rng):
        v = self.rng.permutation(self.b)
        self.b[0, 1:] = self.rng.integers(1, 4)
        return v

    def give(self, rng):
        v = self.b + self.change(rng)
        s = rng.random()
        return self.a


rng = np.random.default_rng(5)
k = K(np.ones((2, 3)))
v = k.give(rng)
k.give(rng)
"""


def test_what_a_method_gives_of_its_object_stays_the_same_array():
    """It became a copy, for the sake of dtypes: v kept its values when k changed. Found by random programs."""
    with taped():
        check_program({"m.py": GIVES_ITS_ARRAY}, random=True)
