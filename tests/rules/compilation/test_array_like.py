"""Compiled functions that accept lists as NumPy does."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import convert, run
from np2jax.tests.helpers.rule_examples import example_of, leaves

FAST = {"placement": "fast"}
WORK = "* np.cumsum(np.exp(np.sqrt(y)))"
test_example = example_of(__name__, **FAST)


def program(body, params="x, y", before=""):
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return f"import numpy as np\n\n\n{before}def f({params}):\n{lines}"


test_left = leaves(
    __name__,
    program("return np.sum(x * 2) * np.cumsum(np.exp(x) * np.sin(x))", "x"),  # a list is repeated
    program("return np.sum(x + x) * np.cumsum(np.exp(x) * np.sin(x))", "x"),  # a list is concatenated
    program("return np.sum(x**2) * np.cumsum(np.exp(x) * np.sin(x))", "x"),  # raises TypeError for a list
    program("return x, np.cumsum(np.exp(x) * np.sin(x)) * np.sqrt(x)", "x"),  # returns the list
    program("return np.sum(x[0]) * np.cumsum(np.exp(x) * np.sin(x))", "x"),  # an item may be a list
    program("return np.sum(x.T) * np.cumsum(np.exp(x) * np.sin(x))", "x"),  # no list
    program("return np.sum(x * np.sum(y, dtype=int)) * np.cumsum(np.exp(x) * np.sin(x))", "x, y: np.ndarray"),  # repeated
    program(
        "return np.sum(x * np.square(y)) * np.cumsum(np.exp(x) * np.sin(x))", "x, y: np.ndarray"
    ),  # repeated if y is an integer
    program("return np.cumsum(np.exp(x) * np.sin(x)) * np.sqrt(x)", "x: np.ndarray"),
    program("return np.cumsum(np.exp(x) * np.sin(x)) * np.sqrt(x)", "x: float"),
    program("return np.cumsum(np.exp(x) * np.sin(x)) * np.sqrt(x)", "x").replace("f(", "_f("),  # private
    program("return g(x) * np.cumsum(np.exp(x))", "x", "def g(v):\n    return np.cumsum(np.exp(v * 2) * np.sin(v))\n\n\n"),
    program("return np.exp(x)", "x"),  # stays NumPy
    program("return np.ones(x) * np.cumsum(np.exp(y) * np.sqrt(y))", "x: int, y: np.ndarray"),  # static
    **FAST,
)

VALUES = ("A", "A.tolist()", "tuple(A.tolist())", "[1, 2, 3]", "2.0", "np.float64(2)", "[1j, 2, 3]")


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    ("body", "params"),
    [
        ("return np.sum(x * (1 + np.sqrt(y))) + np.dot(x, np.sqrt(y))", "x, y"),
        ("return np.sum(np.abs(x) * np.square(y)) + np.cumsum(np.sqrt(y))", "x, *, y"),
        ("x = np.asarray(x)\nreturn np.cumsum(x * 2) + np.exp(-x) * np.sum(x + x) * np.sqrt(y)", "x, y"),
        ("x = np.array(x, dtype=float)\nreturn np.cumsum(x * 2) + np.exp(-x) * np.sum(x + x) * np.sqrt(y)", "x, y"),
        ("if y is None:\n    y = np.ones(3)\nreturn np.sum(np.exp(x)) * np.cumsum(np.sqrt(y)) * np.sin(x)", "x, y=None"),
        ("return np.linalg.norm(x) * np.cumsum(np.where(np.less(x, y), x, y)) * np.exp(y)", "x, y: list"),
        ("x, y = np.broadcast_arrays(x, y)\nreturn x * y + np.cumsum(np.exp(y) * np.sin(x)).sum()", "x, y"),
        (
            "out = np.zeros(len(x))\nfor i in range(1, len(x)):\n    out[i] = 0.5 * x[i] + out[i - 1]\nreturn out * np.exp(np.sqrt(y))",
            "x, y",
        ),
    ],
)
def test_lists_and_tuples_are_accepted(body, params):
    text = program(body, params)
    made = convert(text, **FAST)[0]
    assert "_as_array(" in made
    before, after = run(text), run(made)
    names = {"A": np.array([0.5, 2.0, 1.5]), "np": np}
    for x in VALUES:
        for y in VALUES:
            call = f"f({x}, y={y})"
            try:
                expected = eval(call, before | names)
            except TypeError:
                continue  # `len(2.0)`
            result = eval(call, after | names)
            assert np.shape(result) == np.shape(expected) and result.dtype == np.asarray(expected).dtype, call
            np.testing.assert_allclose(result, expected, rtol=1e-6, err_msg=call)


def test_no_value_is_refused_that_numpy_accepts():
    text = program(f"return np.sum(np.abs(x)) {WORK}")
    after = run(convert(text, **FAST)[0])
    assert np.shape(after["f"]([], [])) == (0,)
    assert np.shape(after["f"]([[1, 2], [3, 4]], [[1.0], [2.0]])) == (2,)
    with pytest.raises(ValueError, match="inhomogeneous"):
        after["f"]([[1, 2], [3]], [1.0])


def test_a_call_from_compiled_code():
    """Lists of traced values stay lists, and arrays pass through the shell."""
    text = program(
        "return g(y, np.sqrt(y)) + g(x, y) * h([y[0], y[1]], y[:2]).sum()",
        "x: np.ndarray, y: np.ndarray",
        f"def g(x, y):\n    return np.sum(np.abs(x)) {WORK}\n\n\ndef h(x, y):\n    return np.exp(x) {WORK}\n\n\n",
    )
    made = convert(text, **FAST)[0]
    assert "_g(_as_array(x), _as_array(y))" in made and "_h(x, _as_array(y))" in made, made
    x = np.array([0.5, 2.0, 1.5])
    np.testing.assert_allclose(run(made)["f"](x, x), run(text)["f"](x, x))


def test_a_function_that_draws_has_one_shell():
    text = program(f"return np.sum(np.abs(x)) {WORK} + np.random.normal(size=len(y))")
    made = convert(text, **FAST)[0]
    assert made.count("def f(") == 1 and "return _f(_as_array(x), _as_array(y), key=key)" in made, made
    assert np.shape(run(made)["f"]([1, 2], (3.0, 4.0))) == (2,)
    assert convert(made, **FAST)[0] == made


@pytest.mark.quick(4)
@pytest.mark.parametrize(
    "shape", ["3", "(2, 3)", "[2, 3]", "np.array([2, 3])", "np.array(3)", "np.int64(3)", "[]", "2.0", "[1.5]", "'a'"]
)
def test_shapes(shape):
    text = program(
        "out = np.full(shape, fill)\nreturn np.cumsum(np.exp(out) * np.sqrt(np.abs(out))) + len(np.ones(shape))", "shape, fill"
    )
    made = convert(text, **FAST)[0]
    assert "_f(_as_shape(shape), _as_array(fill))" in made
    before, after = run(text), run(made)
    for fill in ("1.0", "[1.0, 2.0, 3.0]"):
        call = f"f({shape}, {fill})"
        try:
            expected = eval(call, before | {"np": np})
        except (TypeError, ValueError) as error:
            with pytest.raises(type(error)):
                eval(call, after | {"np": np})
        else:
            np.testing.assert_allclose(eval(call, after | {"np": np}), expected, rtol=1e-12)


@pytest.mark.parametrize("use", ["len(shape)", "shape[0]", "np.sum(shape)", "shape + (1,)"])
def test_shapes_that_are_used_otherwise(use):
    text = program(f"out = np.ones(shape) * fill\nreturn np.cumsum(np.exp(out)) * np.prod(np.shape({use}))", "shape, fill")
    assert ("_as_shape" in convert(text, **FAST)[0]) == (use == "len(shape)")


def test_another_name_of_numpy():
    text = program(f"return np.sum(np.abs(x)) {WORK}").replace("import numpy as np", "import numpy").replace("np.", "numpy.")
    assert np.shape(run(convert(text, **FAST)[0])["f"]([1, 2], (3.0, 4.0))) == (2,)


LOOPS = (
    "for _ in range(300):\n    x = 0.5 * (x + np.sqrt(np.abs(x)))\nreturn x",
    "for _ in range(300):\n    y = x / 2\n    x = np.where(np.greater(y, 1), np.sqrt(np.abs(x)), np.cos(x))\nreturn x",
    "for _ in range(300):\n    x = x @ np.ones((3, 3), np.float32) * 0.25 + np.exp(-np.abs(x))\nreturn x",
)
INTEGERS = ("[1, 2, 3]", "np.array([1, 2, 3])", "A", "np.array([4, 0, -7])", "A.astype('f4')", "(1, 0, 2)")


@pytest.mark.parametrize("body", LOOPS)
@pytest.mark.parametrize("shell", [False, True])
def test_integers_that_a_loop_makes_floats(body, shell):
    text = program(f"print(len(x))\n{body}" if shell else body, "x")
    made, functions, _diagnostics = convert(text, **FAST)
    assert functions["f"].transform == ("outlined" if shell else "jit") and "_as_float(" in made, made
    before, after = run(text), run(made)
    for x in INTEGERS:
        call = f"f({x})"
        try:
            expected = eval(call, before | {"A": np.array([0.5, 2.0, 1.5]), "np": np})
        except TypeError:  # a list divided by two
            continue
        result = eval(call, after | {"A": np.array([0.5, 2.0, 1.5]), "np": np})
        assert result.dtype == expected.dtype or "f4" in x
        np.testing.assert_allclose(result, expected, rtol=1e-5 if "f4" in x else 1e-12, err_msg=call)


@pytest.mark.parametrize(
    "body",
    [
        "for _ in range(300):\n    x = x * 2 + np.abs(x)\nreturn x * np.exp(-np.abs(np.sin(x)))",  # stays an integer
        "for _ in range(300):\n    x = np.maximum(x, x[::-1])\nreturn x * np.exp(-np.abs(np.sin(x)))",
        "x = np.asarray(x, dtype=float)\nfor _ in range(300):\n    x = 0.5 * np.sqrt(np.abs(x))\nreturn x",  # a float before
    ],
)
def test_what_no_loop_makes_a_float(body):
    text = program(body, "x")
    made = convert(text, **FAST)[0]
    assert "_as_float(" not in made
    for x in (np.array([1, 2, 3]), np.array([0.5, 2.0, 1.5])):
        expected, result = run(text)["f"](x), run(made)["f"](x)
        assert result.dtype == expected.dtype
        np.testing.assert_allclose(result, expected, rtol=1e-12)


@pytest.mark.parametrize("lines", ["", "        path.append(x)\n"], ids=["jit", "a loop that moves"])
@pytest.mark.parametrize("operation", ["x * y", "np.exp(x - y)", "x / 2 * y"])
def test_lists_beside_the_array_that_a_loop_carries(lines, operation):
    """A product with an integer of NumPy would repeat the list: the array starts as one of floats, and remains such."""
    source = "import numpy as np\n\n\ndef f(x, n, y):\n    x = np.array(x, dtype=float)\n    path = []\n"
    source += f"    for _ in range(n):\n        x = {operation}\n{lines}    return x, path\n"
    text = convert(source, **FAST)[0]
    assert "_as_array(y)" in text
    for y in ([0.5, 0.2, 0.1], (1, 2, 3), 0.5, np.arange(3.0)):
        mine, theirs = (names["f"]([1.0, 2.0, 3.0], 3, y) for names in (run(text), run(source)))
        np.testing.assert_allclose(mine[0], theirs[0])
        np.testing.assert_allclose(mine[1], theirs[1])


def test_a_list_beside_a_parameter_that_was_made_an_array_of_floats():
    source = "import numpy as np\n\n\ndef f(x, n, y):\n    {}x = np.array(x, dtype=float)\n    for _ in range(n):\n        x = x * y\n    return x\n"
    text = convert(source.format(""), **FAST)[0]
    np.testing.assert_allclose(run(text)["f"]([1, 2], 3, [0.5, 2.0]), [0.125, 16])
    assert "_as_array(y)" in text and "_as_array(y)" not in convert(source.format("y = x * y; "), **FAST)[0]


def test_a_list_that_an_integer_repeats():
    source = "import numpy as np\n\n\ndef f(x, n, y):\n    x = np.array(x)\n    for _ in range(n):\n        x = np.sum(x) * y\n    return np.exp(x) * np.sqrt(n)\n"
    assert "_as_array(y)" not in convert(source, **FAST)[0]


TYPES = {
    "Union[List[float], np.ndarray]": True,
    "list[float] | np.ndarray": True,
    '"list[float] | np.ndarray"': True,
    "Vector": True,
    "np.ndarray": False,
    "NDArray": False,
}


@pytest.mark.parametrize("name", TYPES)
def test_annotations_that_admit_lists(name):
    head = "import numpy as np\nfrom typing import List, Union\nfrom numpy.typing import NDArray\n\nVector = Union[list, np.ndarray]\n\n\n"
    body = "    s = 1.0\n    for j in range(len(x)):\n        s = s * 0.5 + np.sqrt(x[j] * x[0])\n    return s\n"
    source = f"{head}def f(x: {name}):\n{body}"
    after = convert(source, **FAST)[0]
    assert "jax.jit" in after and ("def _as_" in after) == TYPES[name]
    if TYPES[name]:
        assert run(after)["f"]([1.0, 2.0, 3.0]) == pytest.approx(run(source)["f"]([1.0, 2.0, 3.0]), rel=1e-12)
