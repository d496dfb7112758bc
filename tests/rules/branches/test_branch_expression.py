"""`a if test else b` on traced values."""

import itertools

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, function
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)


NUMBERS = (0.0, 0.5, 1.0, 3.0, -2.0, np.nan, np.inf, -np.inf)


VECTORS = tuple(map(np.array, ([1.0, 3.0, 2.0], [-1.0, 0.5, 0.0], [0.0, 0.0, 0.0], [np.nan, 1.0, 2.0], [np.inf, 1.0, 20.0])))


INTEGERS = (0, 1, 2, -1)


def given(params):
    kinds = {"float": NUMBERS, "int": INTEGERS, "np.ndarray": VECTORS, "bool": (True, False)}
    pools = [kinds[p.partition(": ")[2]] for p in params.split(", ")]
    return list(itertools.islice(itertools.product(*pools), 60))


def becomes(body, after, params="x: float"):
    """The body of the jitted function, exactly; both versions agree."""
    text = check_agrees(function(body, params), *given(params))
    made = "\n".join(line[4:] for line in text.partition("def f(")[2].splitlines()[1:]).strip()
    assert made == after.strip()
    assert "@jax.jit" in text


def stays(body, params="x: float"):
    """The branch stays as it is."""
    text = check_agrees(function(body, params), *given(params))
    assert "jnp.where" not in text
    assert "lax." not in text
    return text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("2 * (x if x > y else y)", "2 * jnp.where(x > y, x, y)"),
        ("np.sqrt(x) if x > 0 else y", "jnp.where(x > 0, jnp.sqrt(jnp.where(x > 0, x, 1)), y)"),
        ("1.0 if x > 0 and y > 0 else 2.0", "jnp.where((x > 0) & (y > 0), 1.0, 2.0)"),
        ("1.0 if x > 0 and y > 0 or x < -1 else 2.0", "jnp.where(((x > 0) & (y > 0)) | (x < -1), 1.0, 2.0)"),
        ("1.0 if not x > 0 else 2.0", "jnp.where(~(x > 0), 1.0, 2.0)"),
        ("1.0 if 0 < x <= y else 2.0", "jnp.where((0 < x) & (x <= y), 1.0, 2.0)"),
        ("x > 0 and not x > y", "(x > 0) & ~(x > y)"),
        ("max(x, y)", "jnp.where(y > x, y, x)"),
        ("min(x, y, 0.5)", "jnp.minimum(jnp.where(y < x, y, x), 0.5)"),
        ("max(x + y, 0.0)", "jnp.maximum(x + y, 0.0)"),
        ("max(0.0, x)", "jnp.where(x > 0.0, x, 0.0)"),
        ("max((x, y))", "jnp.where(y > x, y, x)"),
        ("min([x + 1, 0.5])", "jnp.minimum(x + 1, 0.5)"),
        ("max(x, y, x * y)", "_greatest(x, y, x * y)"),
        ("min([0.0, x, y])", "_least(0.0, x, y)"),
        ("max(x, min(y, x * y))", "_greatest(x, jnp.where(x * y < y, x * y, y))"),
        ("max(x, 2.0 if y > 0 else y)", "_greatest(x, jnp.where(y > 0, 2.0, y))"),
        ("max(x, np.exp(y))", "jnp.where(jnp.exp(y) > x, jnp.exp(y), x)"),
    ],
)
def test_expressions(before, after):
    becomes(f"return {before}", f"return {after}", "x: float, y: float")


def test_integers_have_no_nan():
    becomes("return max(i, j), min(j, i)", "return jnp.maximum(i, j), jnp.minimum(j, i)", "i: int, j: int")


@pytest.mark.parametrize(
    "expression",
    [
        "x or y",
        "x and y",
        "not x",
        "x == y == True",
        '"a" if x > 0 else "b"',
        "[x] if x > 0 else [y]",
        "x if y is None else 2 * x",
        "max([x, *[y]])",
        "max((x, y), key=abs)",
        "max((x,))",
    ],
)
def test_noop_expressions(expression):
    stays(f"return {expression}", "x: float, y: float")
