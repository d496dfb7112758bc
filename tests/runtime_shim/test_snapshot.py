"""Snapshots: what was frozen comes back, through JSON and .npy, without pickle; what cannot be stored says so."""

import argparse
import dataclasses
import enum
import functools
import math
import sys
import threading
import types
from collections import OrderedDict, namedtuple
from pathlib import Path

import numpy as np
import pytest

from np2jax.runtime_shim.sandbox.modules import Tree
from np2jax.runtime_shim.values.comparison import identical
from np2jax.runtime_shim.values.restore import Thawer
from np2jax.runtime_shim.values.serialization import npy, pack, split, unpack
from np2jax.runtime_shim.values.snapshot import Array, Freezer, Node, obstacle


class Color(enum.Enum):
    RED = 1


@dataclasses.dataclass(frozen=True)
class Settings:
    width: int
    weights: np.ndarray


class Slotted:
    __slots__ = ("a", "b")


Pair = namedtuple("Pair", "first second")


def free(x):
    return x


class Names:
    """This module's classes by name, as a tree would find them."""

    def locate(self, value):
        name = getattr(value, "__qualname__", "") or value.__name__
        if "<" in name:
            return None
        return f"here.py::{name}" if getattr(value, "__module__", "") == __name__ else f"numpy:{name}"

    def find(self, name):
        place, _, last = name.replace("::", ":").partition(":")
        return globals()[last] if place == "here.py" else getattr(np, last)


def there_and_back(value):
    names = Names()
    snapshot = Freezer(names.locate).take_snapshot(value)
    assert obstacle(snapshot) == ""
    sent = unpack(pack({"snapshots": {"value": snapshot}})[8:])["snapshots"]["value"]
    assert identical(sent, snapshot)
    return Thawer(names.find, lambda array: array.data).restore(sent)


PLAIN = [
    None,
    True,
    3,
    -7,
    1 << 80,
    -(1 << 63),
    2.5,
    math.inf,
    1e-310,
    "",
    "a\u20ac\udc80\x00",
    b"\x00\xff",
    1 + 2j,
    complex(math.nan, -math.inf),
]


@pytest.mark.parametrize("value", PLAIN, ids=repr)
def test_plain_values(value):
    back = there_and_back(value)
    assert type(back) is type(value) and repr(back) == repr(value)


def test_nan():
    assert math.isnan(there_and_back(math.nan))


DTYPES = ["?", "i1", "u8", "f2", "f4", "f8", "c8", "c16", ">i4", "U3", "S2", "M8[s]", "m8[ms]"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays_of_every_dtype(dtype):
    value = np.arange(6).astype("i4").astype(dtype).reshape(2, 3) if dtype[0] not in "US" else np.array([["a", "bb"]], dtype)
    back = there_and_back(value)
    assert back.dtype == value.dtype and back.shape == value.shape and (back == value).all()


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (1,)])
def test_odd_shapes(shape):
    assert there_and_back(np.zeros(shape)).shape == shape


def test_fortran_order_stays():
    assert there_and_back(np.asfortranarray(np.arange(6.0).reshape(2, 3))).flags.f_contiguous


def test_narrow_floats_of_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    back = there_and_back(np.array([1.5, 2.5], ml_dtypes.bfloat16))
    assert back.dtype == ml_dtypes.bfloat16 and back.tolist() == [1.5, 2.5]


def test_scalars_of_numpy_stay_scalars():
    assert type(there_and_back(np.float32(1.5))) is np.float32
    assert type(there_and_back(np.bool_(True))) is np.bool_


def test_a_copy_is_taken():
    array = np.zeros(2)
    snapshot = Freezer(Names().locate).take_snapshot(array)
    array[0] = 1.0
    assert snapshot.data.tolist() == [0.0, 0.0]


def test_the_same_array_twice_is_the_same_array_again():
    array = np.zeros(2)
    first, second = there_and_back([array, array])
    assert first is second
    first, second = there_and_back([array, array.copy()])
    assert first is not second


def test_the_same_list_twice_and_a_cycle():
    inner = [1]
    value = [inner, inner]
    value.append(value)
    back = there_and_back(value)
    assert back[0] is back[1] and back[2] is back


def test_structures():
    value = {
        "a": (1, [2.0, None]),
        3: {4},
        (5, 6): frozenset({7}),
        "s": slice(1, None, 2),
        "r": range(3),
        "e": ...,
        "d": np.dtype("f4"),
    }
    assert there_and_back(value) == value
    assert there_and_back(Path("a/b")) == Path("a/b")
    assert isinstance(there_and_back(OrderedDict(a=1)), OrderedDict)


def test_arrays_of_objects():
    back = there_and_back(np.array([[None, 1], ["a", np.arange(2)]], object))
    assert back.dtype == object and back.shape == (2, 2)
    assert back[0].tolist() == [None, 1] and back[1, 1].tolist() == [0, 1]


def test_classes_of_the_project():
    assert there_and_back(Color.RED) is Color.RED
    assert there_and_back(Pair(1, np.arange(2))).second.tolist() == [0, 1]
    back = there_and_back(Settings(3, np.ones(2)))
    assert isinstance(back, Settings) and back.width == 3 and back.weights.tolist() == [1.0, 1.0]
    slotted = Slotted()
    slotted.a = 1
    assert there_and_back(slotted).a == 1 and not hasattr(there_and_back(slotted), "b")


def test_namespaces():
    names = Tree(Path(), {})
    value = types.SimpleNamespace(a=1, b=[2])
    back = Thawer(names.find, None).restore(Freezer(names.locate).take_snapshot(value))
    assert back == value
    assert obstacle(Freezer(names.locate).take_snapshot(argparse.Namespace(x=1))) == ""
    assert obstacle(Freezer(names.locate).take_snapshot(threading.Event())) != ""


def test_functions_and_types_by_name():
    assert there_and_back(free) is free
    assert there_and_back(np.sin) is np.sin
    assert there_and_back(np.float32) is np.float32
    back = there_and_back(functools.partial(free, 1))
    assert back.func is free and back.args == (1,)


@pytest.mark.parametrize(
    "make",
    [lambda: np.random.default_rng(3), lambda: np.random.RandomState(3), lambda: np.random.Generator(np.random.MT19937(3))],
)
def test_random_generators_go_on_where_they_were(make):
    rng = make()
    rng.normal(size=3)
    assert there_and_back(rng).normal(size=4).tolist() == rng.normal(size=4).tolist()


class Sized(list):
    pass


class Tagged(np.ndarray):
    pass


@pytest.mark.parametrize("value", [Sized([1]), np.zeros(2).view(Tagged), np.ma.masked_array([1.0], [True]), np.matrix([1.0])])
def test_what_is_not_in_attributes_is_not_lost_silently(value):
    assert obstacle(Freezer(Names().locate).take_snapshot(value))


UNSTORABLE = [threading.Lock(), (number for number in range(3)), iter([1]), lambda: 0, open, np.array([object()]), sys.stdout]


@pytest.mark.parametrize("value", UNSTORABLE, ids=lambda value: type(value).__name__)
def test_what_cannot_be_stored_says_so(value):
    class Nothing:
        def locate(self, value):
            return None

    snapshot = Freezer(Nothing().locate).take_snapshot([1, value])
    assert obstacle(snapshot)
    assert unpack(pack({"snapshots": {"value": snapshot}})[8:])["snapshots"]["value"] == snapshot


def test_too_much_is_not_stored():
    value = []
    for _ in range(500):
        value = [value]
    assert "too large" in obstacle(Freezer(Names().locate).take_snapshot(value))


def test_no_pickle():
    with pytest.raises(ValueError, match="allow_pickle"):
        npy(np.array([object()]))


def test_a_message_that_was_cut_off_is_left_out():
    data = pack({"a": 1, "snapshots": {}}) + pack({"a": 2, "snapshots": {"x": Array(np.zeros(3))}})
    assert [message["a"] for message in split(data)] == [1, 2]
    for cut in (1, 9, 40):
        assert [message["a"] for message in split(data[:-cut])] == [1]


def test_a_jax_array_and_a_key(tmp_path):
    jax = pytest.importorskip("jax")
    freezer = Freezer(Tree(tmp_path, {}).locate)
    array, key = freezer.take_snapshot([jax.numpy.arange(3.0), jax.random.key(1)]).items
    assert array.origin == "jax" and isinstance(key, Node) and key.kind == "key"
    assert bool(
        jax.numpy.array_equal(jax.random.key_data(Thawer(None, None).restore(key)), jax.random.key_data(jax.random.key(1)))
    )
