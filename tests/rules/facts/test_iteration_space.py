"""What the header of a loop goes through."""

import libcst as cst
import pytest

from np2jax.rules.facts.iteration_space import iteration_space


def space(header):
    loop = cst.parse_statement(f"{header} pass")
    names = {"np.ndindex": "numpy.ndindex", "product": "itertools.product"}

    def qualname(node):
        name = cst.Module([]).code_for_node(node)
        return names.get(name, f"builtins.{name}")

    return iteration_space(loop.target, loop.iter, qualname)


def written(node):
    return None if node is None else cst.Module([]).code_for_node(node)


@pytest.mark.parametrize(
    ("header", "bounds", "first", "stride"),
    [
        ("for i in range(n):", ["n"], 0, 1),
        ("for i in range(1, n):", ["1", "n"], 1, 1),
        ("for i in range(a, b, -2):", ["a", "b", "-2"], None, -2),
        ("for i in range(a, b, s):", ["a", "b", "s"], None, None),
        ("for i in reversed(range(3, n)):", ["3", "n"], 3, 1),
    ],
)
def test_ranges(header, bounds, first, stride):
    through = space(header).range
    assert [*map(written, through.bounds)] == bounds
    assert (through.first, through.stride, through.index) == (first, stride, "i")
    assert space(header).is_range is ("reversed" not in header)


def test_parts_have_the_targets_of_their_own():
    found = space("for k, (a, (b, i)) in enumerate(zip(x, zip(y, range(n))), 1):")
    assert (found.function, found.index, found.first) == ("enumerate", "k", 1)
    assert [(written(leaf.target), written(leaf.iterable)) for leaf in found.leaves] == [
        ("a", "x"),
        ("b", "y"),
        ("i", "range(n)"),
    ]


@pytest.mark.parametrize(
    ("header", "function"),
    [
        ("for k, v in d.items():", "items"),
        ("for i, j in product(range(n), x):", "product"),
        ("for v in x:", ""),
        ("for v in f(x):", ""),
    ],
)
def test_functions(header, function):
    assert space(header).function == function


@pytest.mark.parametrize("header", ["for i in range(*a):", "for i in range():", "for i in range(n, step=2):"])
def test_no_range(header):
    assert space(header).range is None


@pytest.mark.parametrize(
    "header", ["for a, b in zip(*rows):", "for a, b in zip(x, y, strict=True):", "for a in enumerate(x, 1, 2):"]
)
def test_arguments_that_do_not_fit_have_no_parts(header):
    assert space(header).parts == ()


def test_a_repeated_product():
    parts = space("for i, j in product(range(n), repeat=2):").parts
    assert [(part.index, written(part.stop)) for part in parts] == [("i", "n"), ("j", "n")]
    assert space("for i, j in product(range(n), repeat=k):").parts == ()


@pytest.mark.parametrize("header", ["for pair in zip(x, y):", "for a, b, c in zip(x, y):", "for pair in enumerate(x):"])
def test_parts_without_targets(header):
    assert [part.target for part in space(header).parts] == [None] * len(space(header).parts)
    assert space(header).index == ""
