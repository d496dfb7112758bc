"""Linear forms of integer expressions, and what follows from others."""

import itertools
import math

import libcst as cst
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from np2jax.migrate.analysis.symbolic.affine import Affine, Product, Quotient, affine, atom, substitute, text
from np2jax.migrate.analysis.symbolic.inequalities import at_most, below, nonnegative


def form(text, **names):
    return affine(cst.parse_expression(text), names)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("i + 1", "1 + i"),
        ("2 * (i - j) + 3", "3 - 2 * j + 2 * i"),
        ("-(i - n)", "n - i"),
        ("A.shape[0] - (A.shape[0] - k)", "k"),
        ("len(x) - 1", "x.shape[0] - 1"),
        ("(4 * i + 6) // 2", "2 * i + 3"),
        ("i % 2", "i - 2 * (i // 2)"),
        ("min(i, n)", "min(n, i)"),
        ("max(3, 4, 1)", "4"),
        ("2 ** 5 + (i << 2)", "32 + 4 * i"),
        ("i * 0", "0"),
        ("(i + 1) * b - i * b", "b"),
        ("(i - 2) * (j + 3)", "j * i - 2 * j + 3 * i - 6"),
        ("i % n", "i - n * (i // n)"),
        ("i // 1", "i"),
        ("(i * b) // b", "i"),
        ("(i * b + b + k) // b", "i + 1 + k // b"),
        ("(i * b) % b", "0"),
    ],
)
def test_forms_that_mean_the_same_are_equal(text, same):
    assert form(text) == form(same) is not None


@pytest.mark.parametrize(
    "text",
    [
        "i * j * k * l",
        "i / 2",
        "x[i]",
        "f(i)",
        "i // -2",
        "i // 0",
        "i % 0",
        "i ** j",
        "1.5",
        "'a'",
        "None",
        "x.shape[k]",
        "len(f())",
    ],
)
def test_what_is_no_linear_form(text):
    assert form(text) is None


def test_names_stand_for_forms():
    assert form("n - i", n=form("A.shape[0]")) == form("A.shape[0] - i")
    assert substitute(form("n // 2 + min(n, i)"), {"n": Affine(6)}) == form("3 + min(6, i)")
    assert form("n // 2 + x.shape[0]").names == {"n", "x.shape[0]"}
    assert form("2 * i - 3").coefficient("i") == 2
    assert substitute(form("i * b + n // b"), {"b": form("k + 1")}) == form("i * k + i + n // (k + 1)")
    assert substitute(form("i * b + n // b"), {"b": Affine(4)}) == form("4 * i + n // 4")
    assert form("i * b + n // c").names == {"i", "b", "n", "c"} and form("i * b").coefficient("i") == 0


@pytest.mark.parametrize(
    "source",
    [
        "n - i - 1",
        "i + 1",
        "0",
        "-i - 2",
        "1 - i",
        "2 * i - 3 * j",
        "(i + 1) // 2 + 1",
        "n // 2",
        "2 * (n // 2)",
        "min(i, n) - 1",
        "2 * b * i + b",
        "b * i - n // b",
        "n // (b + 1) - 1",
        "(n // b) * b",
    ],
)
def test_written_out(source):
    assert text(form(source)) == source


ROW = ["i", "A.shape[0] - 1 - i"]  # for i in range(A.shape[0])


@pytest.mark.parametrize(
    ("goal", "facts"),
    [
        ("A.shape[0]", []),
        ("x.size", []),
        ("i", ROW),
        ("A.shape[0] - i - 1", ROW),
        ("A.shape[0] - 1", ROW),  # the loop has an iteration
        ("j", [*ROW, "j - i", "A.shape[0] - 1 - j"]),
        ("j - 1", ["j - i - 1", *ROW]),
        ("3 * i + 2", ROW),
        ("n // 2", ["n"]),
        ("n - n // 2 * 2", []),
        ("1 - n % 2", []),
        ("n - min(i, n)", []),
        ("max(i, 0)", []),
        ("min(i, A.shape[0])", ROW),
        ("i - 2", ["2 * i - 3"]),  # integers
        ("n - k - i", ["i", "n - k - i"]),
        ("5", ["n"]),
        ("i * b", ["i", "b"]),
        ("i * j - j", ["i - 1", "j"]),
        ("x.shape[0] - (i + 1) * b", ["i", "x.shape[0] // b - 1 - i", "b"]),  # for i in range(len(x) // b)
        ("x.shape[0] - size - i * hop", ["i", "(x.shape[0] - size) // hop - i", "hop"]),
        ("i * x.shape[0]", ["i"]),
        ("n - n // b * b", ["b"]),
        ("b - 1 - n % b", ["b"]),
    ],
)
def test_what_follows(goal, facts):
    assert nonnegative(form(goal), [form(f) for f in facts])


@pytest.mark.parametrize(
    ("goal", "facts"),
    [
        ("n", []),
        ("i - 1", ROW),
        ("A.shape[0] - 2 - i", ROW),
        ("B.shape[0] - 1 - i", ROW),
        ("-1", []),
        ("min(i - 1, 0)", ROW),
        ("j", ["n - j"]),
        ("i * b", ["i"]),
        ("x.shape[0] - (i + 1) * b", ["i", "x.shape[0] // b - 1 - i"]),
        ("x.shape[0] - (i + 1) * b", ["i", "n - 1 - i", "b"]),
        ("n - n // b * b", []),
        ("i * j - 1", ["i", "j"]),
    ],
)
def test_what_does_not_follow(goal, facts):
    assert not nonnegative(form(goal), [form(f) for f in facts])


def test_from_what_cannot_be_everything_follows():
    assert nonnegative(atom("n"), [form("i"), form("-1 - i"), form("n - i - 9")])


def test_comparisons():
    row = [form(f) for f in ROW]
    assert at_most(form("i + 1"), form("A.shape[0]"), row)
    assert below(form("i"), form("A.shape[0]"), row)
    assert not below(form("i + 1"), form("A.shape[0]"), row)


def test_many_facts_take_no_time():
    facts = [form(f"i{a} - i{b} + {a * b}") for a, b in itertools.permutations(range(14), 2)]
    assert not nonnegative(form("i0 + i5 - i9"), facts)


FORMS = st.builds(
    lambda constant, a, b, c: Affine(constant) + atom("a") * a + atom("b") * b + atom("c") * c,
    *[st.integers(-4, 4)] * 4,
)


@settings(max_examples=300, deadline=None)
@given(FORMS, st.lists(FORMS, max_size=5))
def test_what_is_proven_is_true(goal, facts):
    if not nonnegative(goal, facts):
        return
    for values in itertools.product(range(-5, 6), repeat=3):
        held = dict(zip("abc", values, strict=True))
        if all(_value(f, held) >= 0 for f in facts):
            assert _value(goal, held) >= 0


DERIVED = [affine(cst.parse_expression(each)) for each in ("a * b", "b * b", "a // b", "b * c")]
PRODUCTS = st.builds(
    lambda start, *factors: sum((each * factor for each, factor in zip(DERIVED, factors, strict=True)), start),
    FORMS,
    *[st.sampled_from([-1, 0, 0, 0, 1])] * 4,
)


@settings(max_examples=300, deadline=None)
@given(
    PRODUCTS,
    st.lists(st.one_of(FORMS, PRODUCTS), max_size=4),
    st.sampled_from([[], ["b"], ["a", "b"], ["b", "c"], ["a", "b", "c"]]),
)
def test_what_is_proven_of_products_is_true(goal, facts, positive):
    facts = [*facts, *map(atom, positive)]
    if not nonnegative(goal, facts):
        return
    for values in itertools.product(range(-4, 5), repeat=3):
        held = dict(zip("abc", values, strict=True))
        if held["b"] and all(_value(f, held) >= 0 for f in facts):
            assert _value(goal, held) >= 0


def _value(of, held):
    return of.constant + sum(c * _held(a, held) for a, c in of.terms)


def _held(of, held):
    match of:
        case Product():
            return math.prod(_held(f, held) for f in of.factors)
        case Quotient():
            return _value(of.form, held) // _value(of.divisor, held)
    return held[of]
