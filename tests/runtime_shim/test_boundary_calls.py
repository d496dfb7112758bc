"""Calls made from the code: constants and their neighbours, ties, lengths."""

import ast
import math

import numpy as np
import pytest

from np2jax.runtime_shim.inputs.argument_forms import ArgumentForms, with_defaults
from np2jax.runtime_shim.inputs.boundary_calls import met, mixed, sized_calls, value_calls
from np2jax.runtime_shim.inputs.edge_cases import in_place_of_arrays, not_finite, perturbed, values
from np2jax.runtime_shim.inputs.leaves import in_order, is_in_order, leaves, same_size, with_leaves
from np2jax.runtime_shim.inputs.literals import asks_for_finite, asks_for_rank, boundary_values, large_lengths, lengths, literals
from np2jax.runtime_shim.inputs.parameter_hints import hints
from np2jax.runtime_shim.inputs.samples import ORDERED, sample
from np2jax.runtime_shim.inputs.signatures import Form, Model, options
from np2jax.runtime_shim.values.calls import arguments
from np2jax.runtime_shim.values.snapshot import Array, Node


def made(*parts, **named):
    return arguments([Array(part) if isinstance(part, np.ndarray) else part for part in parts], named)


def test_literals_of_comparisons_come_first():
    source = ast.parse("def f(x):\n    y = x * 7\n    return y if x > -2.5 else np.clip(y, 0.1, 3)")
    assert literals([source]) == (-2.5, 2.5, 0.1, 3.0, 7.0)
    assert literals([ast.parse("x = True; y = 'a'; z = 1e400; w = None")]) == ()


def test_neighbours_and_lengths():
    assert set(boundary_values([0.5])) == {0.5, math.nextafter(0.5, 1), math.nextafter(0.5, 0), 1.5, -0.5}
    assert all(value == 0 or abs(value) > 1e-100 for value in boundary_values([0.0]))  # XLA flushes subnormal numbers
    assert lengths([8.0, 0.5, 64.0, 1.0]) == [1, 2, 0, 3, 9, 6]


def test_lengths_with_which_the_code_compares_one():
    source = ast.parse(
        "def f(x):\n    if len(x) > 1000 or 99 < x.shape[0]:\n        return 500\n    return x.size == 7, x > 800, len(x) < 1e7"
    )
    assert large_lengths([source]) == (1000.0, 99.0)
    vectors = Model((("a", Form("array", rank=1, dims=("n",))), ("b", Form("float"))), (("n", 4),))
    assert leaves(next(sized_calls(vectors, (), 0, frozenset(), (1000.0,))))[0].data.shape == (1001,)
    matrix = Model((("a", Form("array", rank=2, dims=("n", "m"))),), (("n", 4), ("m", 3)))
    assert max(leaves(call)[0].data.size for call in sized_calls(matrix, (), 0, frozenset(), (1000.0,))) < 100


def test_leaves_are_replaced_in_place():
    call = made(np.ones(2), 3, Node("list", items=(True, "text", 1.5)), named=Node("dict", items=("key", 2)))
    assert [part if not isinstance(part, Array) else "array" for part in leaves(call)] == ["array", 3, True, 1.5, 2]
    again = with_leaves(call, leaves(call))
    assert again == call
    changed = with_leaves(call, [*leaves(call)[:1], 4, False, 2.5, 5])
    assert leaves(changed)[1:] == [4, False, 2.5, 5]
    assert changed.keywords["named"] == Node("dict", items=("key", 5))


def test_a_generator_and_an_alias_stay():
    call = made(Node("random", "Generator:PCG64", (Node("dict", items=("state", 3)),)), Node("ref", ident=1))
    assert leaves(call) == []
    assert with_leaves(call, []) == call


@pytest.fixture
def found():
    call = made(np.array([[1.25, -3.5], [0.75, 2.0]]), np.array([0.3, 0.1]), np.array([1, 2, 0]), np.array([True, False]), 0.6, 4)
    return call, list(value_calls(call, (0.2, 8.0), 0))


def test_shapes_and_dtypes_stay(found):
    call, variants = found
    for variant in variants:
        for old, new in zip(leaves(call), leaves(variant), strict=True):
            assert type(old) is type(new)
            if isinstance(old, Array):
                assert (old.data.shape, old.data.dtype) == (new.data.shape, new.data.dtype)


def test_values_from_the_code(found):
    _, variants = found
    first = [leaves(variant)[0].data for variant in variants]
    numbers = {leaves(variant)[4] for variant in variants}
    whole = {leaves(variant)[5] for variant in variants}
    assert any((data == 0.2).any() for data in first)
    assert any((data == math.nextafter(0.2, 1)).any() for data in first)
    assert any((data == 0).all() for data in first)
    assert any((data[0] == data[1]).all() and len(set(data[0])) == 2 for data in first)  # distances of zero
    assert any((np.sort(data, axis=-1) == data).all() and len(np.unique(data)) > 2 for data in first)
    assert {0.2, 8.0, 0.0, 1.25, math.nextafter(8.0, 9)} <= numbers  # an element of an array among them
    assert {0, 1, 2, 3, 7, 8, 9} <= whole
    assert any((leaves(variant)[0].data == leaves(variant)[4]).any() for variant in variants)
    assert all(same_size(leaves(variant), leaves(variants[0])) or leaves(variant)[5] != 4 for variant in variants)


def test_calls_of_one_size():
    def same(one, other):
        return same_size(leaves(one), leaves(other))

    assert same(made(np.ones(2), 1.5, 3), made(np.zeros(2), 2.5, 3))
    assert not same(made(np.ones(2)), made(np.ones(3)))
    assert not same(made(np.ones(2)), made(np.ones(2, int)))
    assert not same(made(np.ones(2), 3), made(np.ones(2), 4))
    assert not same(made(np.ones(2), 3), made(np.ones(2)))
    assert not same(made(np.ones(2)), made(3))
    assert not same(made(True), made(1))


def test_operands_meet():
    call = made(np.array([1.5, 4.0]), 2.0)
    variants = [leaves(variant) for variant in met(call, {"a": [(1.5, 2.0)], "b": [(7.0, 8.0)]}, ["a", "b", "c"])]
    assert any(parts[0].data.tolist() == [2.0, 4.0] for parts in variants)
    assert any(parts[1] == 1.5 for parts in variants)
    assert any(parts[1] == math.nextafter(1.5, 2) for parts in variants)


def test_a_numpy_number_meets_another_operand():
    variants = [leaves(variant) for variant in met(arguments([Array(np.float64(1.5)), 2.0], {}), {"a": [(1.5, 2.0)]}, ["a"])]
    assert any(np.array_equal(parts[0].data, 2.0) for parts in variants if hasattr(parts[0], "data"))


def test_whole_numbers_stay_whole():
    call = made(np.array([1, 4]), 2)
    variants = [leaves(variant) for variant in met(call, {"a": [(1.0, 2.0), (4.0, 4.5)]}, ["a"])]
    assert variants
    assert all(parts[0].data.dtype == int and isinstance(parts[1], int) for parts in variants)


def test_random_changes_are_reproducible():
    call = made(np.arange(4.0), 2)
    one, two = (mixed(call, (0.5,), np.random.default_rng(3)) for _ in range(2))
    assert repr(one) == repr(two) != repr(call)
    assert mixed(made(2), (0.5,), np.random.default_rng(3)) == made(2)


def test_lengths_of_all_dimensions_and_of_one():
    model = Model(
        (("a", Form("array", rank=2, dims=("n", "m"))), ("b", Form("array", rank=1, dims=("m",)))), (("n", 4), ("m", 3))
    )
    shapes = [tuple(part.data.shape for part in leaves(call)) for call in sized_calls(model, (8.0,), 0, frozenset())]
    assert {((0, 0), (0,)), ((1, 1), (1,)), ((1, 3), (3,)), ((4, 2), (2,))} <= set(shapes)
    assert len(shapes) == len(set(shapes)) == 10


def test_indices_of_an_array_that_may_be_empty():
    """An array of indices, or one index, has no number below 0 to draw from: it gets 0."""
    index, number = Form("array", "int64", 1, dims=("k",), index=True), Form("int", index=True)
    model = Model((("x", Form("array", "float64", 1, dims=("n",))), ("i", index), ("j", number)), (("n", 3), ("k", 2)))
    assert [part.data.size for call in sized_calls(model, (), 0, frozenset()) for part in leaves(call)[:1]].count(0) >= 1


def test_defaults_that_are_numbers_are_passed_so_that_they_can_be_changed():
    call = with_defaults(made(np.ones(2), b=3), ("x", "a", "b", "c"), {"a": 0.5, "b": 1, "c": "text"})
    assert call.keywords == {"b": 3, "a": 0.5}
    assert len(call.positional) == 1


def test_a_sequence_meets_one_with_an_item_less_and_more():
    call = made(np.array([1.0, 2.0, 3.0, 4.0]), np.array([5.0, 6.0, 7.0, 8.0]))
    seconds = [leaves(variant)[1].data.tolist() for variant in value_calls(call, (), 0)]
    assert [1.0, 2.0, 4.0, 1.0] in seconds and [1.0, 2.0, 4.0, 3.0] in seconds


def test_numbers_in_order():
    limits = Form("array", rank=1, dims=(3,))
    forms = (("x", Form("array", rank=1, dims=("n",))), ("abc", limits), ("e", Form("float")), ("fgh", limits))
    for seed in range(4):
        parts = leaves(sample(Model(forms, (("n", 5),), ORDERED), seed))
        assert is_in_order(parts) and not is_in_order(in_order(parts)[::-1])
        assert [part.data.size for part in parts if isinstance(part, Array)] == [5, 3, 3]
    assert in_order([3.0, 2, 5.0, True, 4.0]) == [3.0, 2, 4.0, True, 5.0]
    assert not is_in_order([1.0, 2.0, 3.0])  # two limits


def test_calls_made_from_numbers_in_order_are_in_order():
    call = made(np.array([0.5, 2.5, 1.5]), 0.25, 1.0, 2.0)
    assert all(is_in_order(leaves(mixed(call, (0.5,), np.random.default_rng(seed)))) for seed in range(9))


def test_nan_and_infinity_come_first_and_in_the_middle():
    places = [np.flatnonzero(np.isnan(leaves(edge.arguments)[0].data)).tolist() for edge in values(made(np.eye(3)))]
    assert [4] in places and [0] in places


def test_numbers_that_are_not_finite_where_the_code_asks_for_them():
    assert asks_for_finite([ast.parse("def f(x, t):\n    if np.isnan(t): raise ValueError('NaN')")])
    assert not asks_for_finite([ast.parse("def f(x, t):\n    return np.log(x) * t")])
    call = made(np.ones(2), 3, True, 1.5)
    assert [str(leaves(edge.arguments)[1:]) for edge in not_finite(call)] == [
        "[nan, True, 1.5]",
        "[inf, True, 1.5]",
        "[3, True, nan]",
        "[3, True, inf]",
    ]


def test_a_number_in_place_of_an_array_for_whose_rank_the_code_asks():
    asked = asks_for_rank([ast.parse("def f(x, y, t):\n    return x.T * y if x.ndim else y[y.ndim]")])
    assert asked == {"x"}
    (edge,) = in_place_of_arrays(made(np.full(2, 3.0), np.ones(2), 1.5), asked, ("x", "y", "t"))
    number, array, _last = leaves(edge.arguments)
    assert (number.data.shape, number.data[()], number.origin, array.data.shape, edge.results) == ((), 3.0, "scalar", (2,), True)


def test_a_rounding_error_of_numbers_that_are_added_reaches_small_ones():
    moved = [leaves(perturbed(made(np.array([1e-9, np.inf, 0.0]), 1e-9), seed, absolute=True)) for seed in range(9)]
    assert any(abs(parts[0].data[2]) > 1e-17 for parts in moved) and any(abs(parts[1] - 1e-9) > 1e-17 for parts in moved)
    assert all(parts[0].data[1] == np.inf for parts in moved)


def test_square_matrices_have_structure():
    call = made(np.array([[1.5, -2.0, 0.5], [3.0, 1.0, 4.0], [2.5, 0.25, 6.0]]))
    found = [leaves(variant)[0].data for variant in value_calls(call, (), 0)]
    skew = [data for data in found if (data == -data.T).all() and data.any()]
    nilpotent = [data for data in found if data.any() and not (data @ data).any()]
    assert skew and nilpotent


def forms_of(text, annotation="", doc=""):
    """The values of the choices for the first parameter of a function, plain."""
    function = ast.parse(text).body[0]
    name = function.args.args[0].arg
    made = options(hints(function, [name], {name: annotation}, doc, {}, {})[name], None, False)
    values = [value for form in made for value in form.values]
    return [value if isinstance(value, str) else value.name or value.items for value in values]


def test_sequences_are_as_long_as_they_are_unpacked():
    assert forms_of("def f(p):\n    a, b, c = p") == [(1, 2, 3), (0.5, 1.0, 1.5)]
    assert (1, 2) in forms_of("def f(p): return p", "list[int]")
    assert (1, 2) in forms_of("def f(p): return range(len(p))")
    assert forms_of("def f(p): return p + 1") == []


def test_what_is_called_is_a_function_whatever_the_documentation_says():
    doc = "Parameters\n----------\nf : function of an array\n    It.\n"
    assert forms_of("def g(f, x, *args): return f(x, *args)", doc=doc)[0] == "numpy:cos"


def test_a_text_of_unknown_meaning():
    assert forms_of("def f(text): return [ord(c) for c in text]", "str") == ["abc 101"]
    assert forms_of("def f(mode): return mode == 'a'", "str") == ["a", "other"]


def test_the_ranks_that_the_code_tells_apart_are_tried():
    doc = "Parameters\n----------\ns : matrix\n    It.\n"
    for text, ranks in (("if s.ndim < 2: return s[None]", {1, 2}), ("return s[None]", {2})):
        function = ast.parse(f"def f(s): \n    {text}").body[0]
        hint = hints(function, ["s"], {}, doc, {}, {})["s"]
        made = options(hint, None, False)
        assert {form.rank for form in made if form.kind == "array"} == ranks
        model = Model((("s", Form("array", rank=1, dims=("n",))),), (("n", 3),))
        assert ArgumentForms([("s", made)], frozenset(), {}, {"s": hint.tested}).is_intended(model) is (len(ranks) == 2)
