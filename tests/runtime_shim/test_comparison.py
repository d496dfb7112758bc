"""The comparison: what differs must be found, whatever else agrees."""

import jax.numpy as jnp
import numpy as np
import pytest

from np2jax.runtime_shim.values.calls import Outcome, arguments, call_difference
from np2jax.runtime_shim.values.comparison import Comparison, Policy
from np2jax.runtime_shim.values.contract import Contract
from np2jax.runtime_shim.values.snapshot import Array, Freezer, Node


def frozen(value):
    return Freezer(lambda item: f"m.py::{item.__qualname__}").take_snapshot(value)


def compared(want, got, precision="float64", alternatives=(), whole=False):
    comparison = Comparison(Policy(precision, whole=whole))
    found = comparison.difference("result", frozen(want), frozen(got), [frozen(other) for other in alternatives])
    return found, comparison.notes


def reason(want, got, **how):
    found, _ = compared(want, got, **how)
    return str(found) if found else None


def jax_array(data):
    return Array(np.asarray(data), "jax", 1)


class Thing:
    def __init__(self, **attributes):
        self.__dict__.update(attributes)


KEY = Node("key", "")


def test_an_object_may_keep_the_key_of_a_seed_and_a_function_give_it():
    plain, keyed = frozen(Thing(w=1.0)), frozen(Thing(w=1.0, key=2.0))
    keyed = Node(keyed.kind, keyed.name, (*keyed.items[:-1], KEY), keyed.ident)
    assert Comparison().difference("self", plain, keyed) is None
    assert Comparison().difference("self", keyed, plain) is not None
    assert Comparison().difference("self", plain, frozen(Thing(w=1.0, key=2.0))) is not None

    def gives(want, got, results):
        none = arguments(())
        contract = Contract("m.py", "m", "f", (), (), results)
        made = [Outcome("returned", value, none) for value in (want, got)]
        return call_difference(Comparison(), (), *made, contract) is None

    pair = frozen((1.0, 2.0))
    assert gives(None, KEY, 0) and gives(1.0, Node("tuple", "", (1.0, KEY)), 1)
    assert gives(pair, Node(pair.kind, pair.name, (1.0, 2.0, KEY)), 2)
    assert not gives(1.0, Node("tuple", "", (2.0, KEY)), 1) and not gives(1.0, Node("tuple", "", (1.0, 2.0)), 1)
    assert not gives(pair, Node("tuple", "", (1.0, KEY)), 2)


EQUAL = [
    (1.0, 1.0),
    ([1.0, np.nan], [1.0, np.nan]),
    (np.array([1.0, np.nan, np.inf, -np.inf]), np.array([1.0, np.nan, np.inf, -np.inf])),
    (np.array([1.0, 2.0]), np.array([1.0, 2.0]) * (1 + 1e-12)),
    (np.array([1e10, 1e-3]), np.array([1e10, 1e-3 + 1e-2])),  # cancellation beside large numbers
    (np.float64(2.0), np.array(2.0)),
    ({"a": (1, [np.arange(3)])}, {"a": (1, [np.arange(3)])}),
    (np.array([], dtype=float), np.array([], dtype=float)),
    (np.array([1e-310, 0.0]), np.zeros(2)),  # XLA takes subnormal numbers for zero
    (np.float32([0.0]), np.float32([3e-39])),
    (np.array([complex(np.nan, 1.0)]), np.array([complex(2.0, np.nan)])),
    ("abc", "abc"),
    ({1, 2}, {2, 1}),
    (slice(1, None), slice(1, None)),
    (np.array(["a", "b"]), np.array(["a", "b"])),
]


@pytest.mark.parametrize(("want", "got"), EQUAL)
def test_equal(want, got):
    assert reason(want, got) is None


DIFFERENT = [
    (np.array([1.0, 2.0]), np.array([1.0, 2.0 + 1e-7]), "[1]: 1 of 2 elements differ: NumPy 2.0, converted 2.0000001"),
    (np.array([1.0]), np.array([1.0], np.float32), "dtype float32, the original has float64"),
    (np.array([1]), np.array([1], np.int32), "dtype int32"),
    (np.array([1]), np.array([1.0]), "dtype float64"),
    (np.array([True]), np.array([1]), "dtype int64"),
    (np.float32(1.0), np.array(1.0), "dtype float64"),
    (np.array([1.0, np.nan]), np.array([np.nan, 1.0]), "2 of 2"),
    (np.array([np.nan]), np.array([0.0]), "NumPy nan"),
    (np.array([0.0]), np.array([np.nan]), "converted nan"),
    (np.array([np.inf]), np.array([-np.inf]), "NumPy inf, converted -inf"),
    (np.array([np.inf]), np.array([1e308]), "NumPy inf"),
    (np.array([1e308]), np.array([np.inf]), "converted inf"),
    (np.zeros(3), np.full(3, 1e-300), "3 of 3"),
    (np.float16([3e-6]), np.float16([0.0]), "NumPy 2.98"),
    (np.zeros((2, 3)), np.zeros((3, 2)), "shape (3, 2), the original has (2, 3)"),
    (np.zeros(3), np.zeros((3, 1)), "shape"),
    (np.zeros(()), np.zeros(1), "shape"),
    (np.zeros((0, 2)), np.zeros((2, 0)), "shape"),
    (3, 4, "NumPy 3, converted 4"),
    (3, 3.0, "dtype"),
    (True, 1, "dtype"),
    (None, 0.0, "differs"),
    (0.0, None, "differs"),
    ("a", "b", "differs"),
    ((1, 2), [1, 2], "another kind of result"),
    ((1, 2), (1, 2, 3), "3 elements, the original has 2"),
    ([np.zeros(2)], np.zeros((1, 2)), "differs"),
    ({"a": 1}, {"a": 1, "b": 2}, "'b' is new"),
    ({"a": 1, "b": 2}, {"b": 2}, "'a' is missing"),
    ({"a": {"b": np.zeros(2)}}, {"a": {"b": np.ones(2)}}, "result['a']['b'][0]"),
    ({1, 2}, {1, 3}, "the elements differ"),
    (np.array([complex(1, 2)]), np.array([complex(1, 2.001)]), "differ"),
    (np.array(["a", "b"]), np.array(["a", "c"]), "1 of 2"),
    (np.uint8([255]), np.uint8([0]), "NumPy 255, converted 0"),
]


@pytest.mark.parametrize(("want", "got", "words"), DIFFERENT)
def test_a_difference_is_found(want, got, words):
    assert words in reason(want, got)


def test_a_python_number_may_become_a_0d_array_of_any_width():
    found, notes = compared(3, 3)
    assert found is None and not notes
    comparison = Comparison()
    assert comparison.difference("result", 3, jax_array(np.int32(3))) is None
    assert "Python number" in next(iter(comparison.notes))
    assert comparison.difference("result", 3, jax_array(3.0)) is not None
    assert (
        comparison.difference("result", 0.1, jax_array(np.float32(0.1))) is not None
    )  # 64 bits are expected in precision float64


def test_float32_relaxes_widths_and_tolerance_but_not_kinds():
    value = np.array([0.1, 0.2])
    assert reason(value, value.astype(np.float32), precision="float32") is None
    assert reason(np.array([1, 2]), np.array([1, 2], np.int32), precision="float32") is None
    assert "2 of 2" in reason(value, (value * 1.01).astype(np.float32), precision="float32")
    assert "dtype" in reason(np.array([1, 2]), np.array([1.0, 2.0], np.float32), precision="float32")


def test_what_the_original_moves_by_rounding_is_pardoned():
    assert "differ" in reason(1e-16, 3e-16)
    found, notes = compared(1e-16, 3e-16, alternatives=[0.0])
    assert found is None and "rounding" in next(iter(notes))
    assert reason(1e-16, 3e-14, alternatives=[0.0]) is not None


def test_a_tie_is_pardoned_only_where_rounding_decides_it():
    assert reason(3, 5, alternatives=[3, 5]) is None
    assert reason(3, 5, alternatives=[3, 3]) is not None
    assert reason(3, 5, alternatives=[3, 5], whole=True) is not None


def test_a_pardon_for_one_element_is_none_for_another():
    want, got, moved = np.array([0.0, 1e-16]), np.array([1e-16, 3e-16]), np.array([0.0, 0.0])
    assert reason(np.array([1e-16, 1e-16]), np.array([3e-16, 3e-16]), alternatives=[moved]) is None
    assert reason(want, got, alternatives=[moved]) is not None  # the first never moves


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y


def test_instances_are_compared_by_their_attributes():
    assert reason(Point(1.0, np.zeros(2)), Point(1.0, np.zeros(2))) is None
    assert "result.y[1]" in reason(Point(1.0, np.zeros(2)), Point(1.0, np.array([0.0, 1.0])))
    other = Point(1.0, np.zeros(2))
    other.z = 1
    assert "'z' is new" in reason(Point(1.0, np.zeros(2)), other)


def test_addresses_in_texts_do_not_count():
    assert reason("f = <function f at 0x7fa846347920>, 1", "f = <function f at 0x7fc7126bf600>, 1") is None
    assert reason("f = <function f at 0x7fa846347920>, 1", "f = <function f at 0x7fc7126bf600>, 2") is not None


def test_a_ufunc_is_the_one_of_jax():
    assert reason(Point(np.subtract, 1), Point(jnp.subtract, 1)) is None
    assert reason(Point(np.subtract, 1), Point(jnp.add, 1)) is not None


def test_cycles_end():
    one, two = [1.0], [1.0]
    one.append(one)
    two.append(two)
    assert reason(one, two) is None
    two[0] = 2.0
    assert reason(one, two) is not None


def call(result, *after, **named):
    return Outcome("returned", result, arguments(after, named))


X, CHANGED = Array(np.zeros(2), ident=1), Array(np.ones(2), ident=1)
CONTRACT = Contract("m.py", "m", "m.f", ("x",), returns=("x",), results=1)


def difference(want, got, contract=CONTRACT, params=("x",)):
    return call_difference(Comparison(), params, want, got, contract)


def pair(*items):
    return Node("tuple", items=items)


def test_a_changed_argument_is_handed_back():
    assert difference(call(1.0, CHANGED), call(pair(1.0, jax_array(np.ones(2))), jax_array(np.zeros(2)))) is None


def test_a_changed_argument_handed_back_wrong():
    found = difference(call(1.0, CHANGED), call(pair(1.0, jax_array([1.0, 2.0])), X))
    assert "`x` returned[1]" in str(found)


def test_a_changed_argument_missing():
    assert "expected 1 result(s) then `x`" in str(difference(call(1.0, CHANGED), call(1.0, jax_array(np.zeros(2)))))
    unaware = Contract("m.py", "m", "m.f", ("x",))
    found = difference(call(1.0, CHANGED), call(1.0, jax_array(np.zeros(2))), unaware)
    assert "does not return it" in str(found) and "argument `x`" in str(found)


def test_an_argument_that_is_also_the_result_is_returned_once():
    assert difference(call(CHANGED, CHANGED), call(jax_array(np.ones(2)), X)) is None
    assert difference(call(CHANGED, CHANGED), call(jax_array(np.zeros(2)), X)) is not None


def test_nothing_returned_and_two_handed_back_in_parameter_order():
    contract = Contract("m.py", "m", "m.f", ("a", "b"), returns=("a", "b"), results=0)
    a, b = Array(np.zeros(1), ident=1), Array(np.ones(1), ident=2)
    assert difference(call(None, a, b), call(pair(a, b), a, b), contract, ("a", "b")) is None
    assert "`a` returned" in str(difference(call(None, a, b), call(pair(b, a), a, b), contract, ("a", "b")))


def test_an_unchanged_argument_must_stay_unchanged():
    found = difference(call(1.0, X), call(1.0, Array(np.ones(2))), Contract("m.py", "m", "m.f", ("x",)))
    assert "argument `x` after the call" in str(found)


def test_a_list_is_changed_in_place_in_both():
    contract = Contract("m.py", "m", "m.f", ("x",), results=0)
    assert (
        difference(call(None, Node("list", items=(CHANGED,))), call(None, Node("list", items=(jax_array(np.ones(2)),))), contract)
        is None
    )
    assert difference(call(None, Node("list", items=(CHANGED,))), call(None, Node("list", items=(X,))), contract) is not None


def test_an_array_handed_back_may_also_be_an_attribute_of_another_argument():
    contract = Contract("m.py", "m", "m.f", ("x", "gas"), returns=("x",), results=0)
    changed, old = Array(np.ones(2), ident=1), Array(np.zeros(2), ident=1)
    want = call(None, changed, Node("object", "m.py::Gas", ("force", changed)))
    fine = call(changed, old, Node("object", "m.py::Gas", ("force", old)))
    comparison = Comparison()
    assert call_difference(comparison, ("x", "gas"), want, fine, contract) is None
    assert "returned as `x`" in next(iter(comparison.notes))
    other = Node("object", "m.py::Gas", ("force", Array(np.ones(2), ident=3)))  # another array, which only the original changes
    assert call_difference(Comparison(), ("x", "gas"), call(None, changed, other), fine, contract) is not None


def test_paths_of_the_copies_are_the_same_path():
    assert reason("/tmp/np2jax-verify-a1/original/pkg/data.wav", "/tmp/np2jax-verify-a1/converted/pkg/data.wav") is None
    assert reason("/tmp/np2jax-verify-a1/original/pkg/a.wav", "/tmp/np2jax-verify-a1/converted/pkg/b.wav") is not None
    assert reason("/data/original/a.wav", "/data/converted/a.wav") is not None


def test_the_keys_of_a_dict_come_in_one_order():
    """Who iterates over it, or writes it to a file, sees the order. Attributes of instances have none."""
    assert reason({"a": 1, "b": 2.0}, {"b": 2.0, "a": 1}) == (
        "result: the keys come in another order: NumPy 'a', 'b', converted 'b', 'a'"
    )
    assert reason({"a": 1, "b": 2.0}, {"a": 1, "b": 2.0}) is None
    assert reason(Thing(a=1, b=2), Thing(b=2, a=1)) is None
    assert "is new" in reason({"a": 1, "b": 2}, {"b": 2, "c": 1, "a": 1})
