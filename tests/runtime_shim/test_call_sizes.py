"""Calls of several sizes: the relations between shapes stay, and what the original does not accept does not grow."""

import numpy as np
import pytest

pytest.importorskip("hypothesis")

from np2jax.runtime_shim.inputs.signatures import Form, Model
from np2jax.runtime_shim.profit.call_sizes import elements, generated, recorded, tiled
from np2jax.runtime_shim.values.calls import arguments
from np2jax.runtime_shim.values.snapshot import Array, Node


def array(*shape, dtype="float64"):
    return Array(np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype), ident=1)


def shapes(call):
    """The shapes of the arrays of a call, and its whole numbers."""
    found = []
    for part in call.positional:
        if isinstance(part, Array):
            found.append(part.data.shape)
        elif isinstance(part, Node):
            found += [item.data.shape if isinstance(item, Array) else item for item in part.items]
        else:
            found.append(part)
    return found


def ladder(made):
    return [shapes(call) for step in range(made.steps) if (call := made.make(step)) is not None]


def always(_call):
    return True


def test_axes_of_equal_length_grow_together():
    call = arguments([array(20, 3), array(20), array(7), 20, 0.5])
    made = recorded(call, always)
    assert ladder(made)[0] == shapes(call)
    assert ladder(made)[1] == [(200, 3), (200,), (70,), 200, 0.5]
    assert ladder(made)[2] == [(2000, 3), (2000,), (700,), 2000, 0.5]


def test_the_calls_of_tests_grow_further():
    found = ladder(recorded(arguments([array(20)]), always, least=1_000_000))
    assert [shape for (shape,) in found] == [(20,), (200,), (2000,), (20_000,), (200_000,), (2_000_000,)]
    assert len(ladder(recorded(arguments([array(20)]), always, least=50))) == 3


def test_both_axes_of_a_matrix_grow():
    assert ladder(recorded(arguments([array(20, 20)]), always)) == [[(20, 20)], [(60, 60)], [(200, 200)]]


def test_what_is_not_accepted_does_not_grow():
    """The original takes vectors of seven numbers only."""

    def accepts(call):
        return all(shape[-1] == 7 for shape in shapes(call))

    assert ladder(recorded(arguments([array(20, 7)]), accepts))[2] == [(2000, 7)]
    assert ladder(recorded(arguments([array(7)]), accepts)) == [[(7,)]]


def test_a_number_may_be_no_length():
    def accepts(call):
        return shapes(call)[1] == 20

    assert ladder(recorded(arguments([array(20), 20]), accepts))[1] == [(200,), 20]


def test_short_axes_grow_last():
    assert ladder(recorded(arguments([array(2, 3)]), always))[1] == [(6, 9)]
    assert ladder(recorded(arguments([array(9, 3)]), always))[1] == [(90, 3)]


def test_values_are_repeated_and_dtypes_stay():
    made = tiled(arguments([array(5, dtype="int32")]), frozenset({5}), False, 10)
    (part,) = made.positional
    assert part.data.dtype == np.int32
    assert part.data.tolist() == [0, 1, 2, 3, 4] * 10
    assert part.ident == 1, "the same array twice stays one"


def test_arrays_in_objects_grow_and_generators_stay():
    state = Node("random", "Generator:PCG64", (array(5),), 3)
    thing = Node("object", "a.py::Sim", ("x", array(6), "n", 6, "flag", True), 4)
    call = arguments([thing, state])
    larger = tiled(call, frozenset({5, 6, 1}), True, 10)
    assert shapes(larger) == ["x", (60,), "n", 60, "flag", True, (5,)]


@pytest.mark.parametrize("parts", [[], [1, 2.0, "mode"], [array()], [array(1)], [array(0)]])
def test_nothing_to_grow(parts):
    call = arguments(parts)
    assert ladder(recorded(call, always)) == [shapes(call)]


def model(*forms, sizes=(("n", 4),)):
    return Model(tuple((f"p{number}", form) for number, form in enumerate(forms)), sizes)


def made_up(one, accepts=always):
    return ladder(generated(one, 0, frozenset(), accepts))


def test_generated_arrays_grow_to_a_million():
    found = made_up(model(Form("array", rank=1, dims=("n",)), Form("float")))
    assert [shape for shape, _ in found] == [(100,), (1000,), (10_000,), (100_000,), (1_000_000,)]


def test_the_elements_of_a_matrix_are_counted():
    found = made_up(model(Form("array", rank=2, dims=("n", "m")), Form("array", rank=1, dims=("m",)), sizes=(("n", 4), ("m", 2))))
    rows, columns = found[-1][0]
    assert found[-1][1] == (columns,)
    assert 2 * columns == pytest.approx(rows, abs=1), "the proportions stay"
    assert 4e5 < rows * columns < 2e6


def test_points_get_no_more_coordinates():
    points = Form("array", rank=2, dims=("n", "d")), Form("array", rank=2, dims=("m", "d")), Form("array", rank=1, dims=("d",))
    sizes = (("n", 4), ("m", 4), ("d", 3))
    assert made_up(model(*points, sizes=sizes))[-1] == [(333_333, 3), (333_333, 3), (3,)]
    refusing = made_up(model(*points, sizes=sizes), lambda call: shapes(call)[0][1] > 3)
    assert refusing[0][0][1] > 3, "unless the original wants it"
    product = Form("array", rank=2, dims=("n", "d")), Form("array", rank=2, dims=("d", "m"))
    assert made_up(model(*product, sizes=sizes))[0][0][1] > 3
    assert made_up(model(*points[:1], sizes=sizes))[0][0][1] > 3, "a matrix alone may be an image"


def test_known_lengths_stay():
    found = made_up(model(Form("array", rank=2, dims=("n", 3))))
    assert found[0] == [(33, 3)]
    assert found[-1] == [(333_333, 3)]


def test_whole_numbers_count_iterations():
    found = made_up(model(Form("array", rank=1, dims=("n",)), Form("int")))
    assert [count for _, count in found] == [10, 18, 32, 56, 100]


def test_a_number_that_must_not_grow():
    found = made_up(model(Form("array", rank=1, dims=("n",)), Form("int")), lambda call: shapes(call)[1] == 2)
    assert found[0] == [(100,), 2]


def test_numbers_are_the_same_at_every_size():
    """A function may accept only some of them: a <= b."""
    found = made_up(
        model(Form("array", rank=1, dims=("n",)), Form("float"), Form("flag"), Form("array", rank=1, dims=("n",)), Form("float"))
    )
    assert len({(call[1], call[2], call[4]) for call in found}) == 1
    assert found[0][1] != found[0][4]


def test_an_index_is_no_count():
    (first, *_) = made_up(model(Form("array", rank=1, dims=("n",)), Form("int", index=True)))
    assert first[1] < 100


def test_lengths_that_no_array_has():
    found = made_up(model(Form("int", dims=("n",))))
    assert found == [[10], [32], [100], [316], [1000]]


def test_a_model_that_cannot_grow():
    one = model(Form("array", rank=1, dims=("n",)))
    assert made_up(one, lambda _: False) == [[(4,)]]
    assert made_up(model(Form("float"), sizes=())) == [shapes(generated(model(Form("float")), 0, frozenset(), always).make(0))]


def test_elements():
    assert elements(arguments([array(20, 3), array(7), 999])) == 60
    assert elements(arguments([3, 12, True, 0.5])) == 12
    assert elements(arguments([])) == 1
