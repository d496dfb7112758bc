"""Values whose dtype depends on the path in NumPy: what is called proved agrees for all dtypes."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on, convert

DTYPES = "float64 float32 float16 int64 int32 uint8 int8 complex64".split()
IMPORTS = "import numpy as np\nfrom numpy.typing import NDArray\n\n\n"
F64, F32, U8 = (f"NDArray[np.{dtype}]" for dtype in ("float64", "float32", "uint8"))

BY_PATH = {
    "a number or an element": "return x[0] if x[1] > 0 else k",
    "elements of two arrays": "return x[0] if x[1] > 0 else y[0]",
    "a sum or a literal": "if x[0] > 0:\n    s = x.sum()\nelse:\n    s = 0.0\nreturn s",
    "a literal before": "s = 0.5\nif x[0] > 0:\n    s = x[1]\nreturn s * 2",
    "a quotient or the array": "if x[0] > 0:\n    x = x * 0.5\nreturn x",
    "results": "n = np.linalg.norm(x)\nif n > 3:\n    return x / n\nreturn x",
    "parts of results": "if x[0] > 0:\n    return x[1], 1\nreturn k, 2",
    "an extremum": "s = 0.0\nfor v in x:\n    s = max(s, v)\nreturn s",
    "the larger one": "return max(x[0], k)",
    "the largest one": "s = k\nfor v in x:\n    if v > s:\n        s = v\nreturn s",
    "one of the rows": "s = 0.0\nfor v in x:\n    if v > 1:\n        s = v\n    elif v > 0:\n        s = k\nreturn s",
    "terms": "s = x[0]\nfor i in range(len(x)):\n    if x[i] > 1:\n        s += k\nreturn s",
    "terms and numbers": "s = 0.0\nfor v in x:\n    if v > 1:\n        s += v\n    else:\n        s -= k\nreturn s",
    "an argument": "for v in x:\n    if v > k:\n        k = v\nreturn k",
    "items of a running sum": "s = 0.0\nout = []\nfor v in x:\n    if v > 0:\n        s = s + v\n    else:\n        s = k\n    out.append(s)\nreturn np.array(out)",
    "a number in a list": "s = 0.0\nfor i in range(n):\n    s += x[i]\nreturn np.array([s, s])",
}
ALIKE = {
    "elements of one array": "return x[0] if x[1] > 0 else x[2]",
    "the array, negated": "if x[0] > 0:\n    return x\nreturn -x",
    "the largest element": "s = x[0]\nfor v in x:\n    if v > s:\n        s = v\nreturn s",
    "a sum of elements": "s = x[0]\nfor i in range(len(x)):\n    if x[i] > 1:\n        s += x[i]\nreturn s",
    "a selection": "return np.where(x > 0, x, k)",
    "stored": "out = np.zeros(len(x))\nfor i in range(len(x)):\n    if x[i] > 0:\n        out[i] = x[i]\n    else:\n        out[i] = k\nreturn out",
    "counted": "n = 0\nfor v in x:\n    if v > 1:\n        n += 1\nreturn n",
    "a choice of Python": "if len(x) > 2:\n    return x * 0.5\nreturn x",
}


def converted(body, annotation="np.ndarray", **options):
    params = f"x: {annotation}, y: {annotation}, k: float, n: int"
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    text = f"{IMPORTS}def f({params}):\n{lines}"
    made, functions, _diagnostics = convert(text, placement="device", **options)
    assert functions["f"].transform, functions["f"].reason
    return text, made, functions["f"], {c.words for c in functions["f"].conditions if c.kind == "path"}


@pytest.mark.quick(6)
@pytest.mark.parametrize("name", BY_PATH)
def test_a_dtype_that_depends_on_the_path_is_a_condition(name):
    for annotation in ("np.ndarray", F32, U8):
        assert converted(BY_PATH[name], annotation)[3] or annotation != "np.ndarray", name
    assert not converted(BY_PATH[name], F64)[3]


@pytest.mark.parametrize(
    "name",
    ["a number or an element", "the largest one", "one of the rows", "terms and numbers", "an argument", "a number in a list"],
)
def test_a_float_of_python_beside_float32_is_one(name):
    assert converted(BY_PATH[name], F32)[3]


@pytest.mark.parametrize("name", ["a sum or a literal", "a literal before", "a quotient or the array", "an extremum", "terms"])
def test_a_literal_that_float32_holds_is_none(name):
    assert not converted(BY_PATH[name], F32)[3]


@pytest.mark.quick(3)
@pytest.mark.parametrize("name", ALIKE)
def test_one_dtype_on_all_paths_is_no_condition(name):
    text, made, outcome, words = converted(ALIKE[name])
    assert not words
    rng = np.random.default_rng(0)
    for dtype in DTYPES[:7]:
        x, y = (rng.integers(0 if dtype == "uint8" else -3, 4, size=4).astype(dtype) for _ in "xy")
        agrees_on(text, made, outcome, (x, y, 0.5, 3))


LISTED = {
    "an item or a literal": "return np.array([v * 2 if v > k else 0.0 for v in x])",
    "an item or a number": "out = []\nfor v in x:\n    out.append(v if v > 1 else k)\nreturn np.array(out)",
    "the larger one": "return np.array([max(v, 0.0) for v in x])",
    "what was found": "s = 0.0\nout = []\nfor v in x:\n    if v > k:\n        s = v\n    out.append(s)\nreturn np.array(out)",
}
LISTED_ALIKE = {
    "literals": "return np.array([1.0 if v > k else 0.0 for v in x])",
    "elements of one array": "return np.array([v if v > k else y[0] * 0 + v for v in x])",
    "what is computed in each iteration": "s = 0.0\nout = []\nfor v in x:\n    s = s * k + v\n    out.append(s)\nreturn np.array(out)",
}


@pytest.mark.parametrize("name", LISTED)
def test_numbers_of_python_have_64_bits_in_a_list(name):
    """`np.array([np.float32(1), 0.0])` is float64."""
    text, made, outcome, words = converted(LISTED[name], F32)
    literal = "0.0" in LISTED[name] and "s = " not in LISTED[name]
    assert any(each.startswith("items of both dtypes" if literal else "all items") for each in words)
    if literal:
        agrees_on(text, made, outcome, (np.array([3.0, -1.0, 0.25], np.float32),) * 2 + (0.5, 1))
    assert not converted(LISTED[name], F64)[3]


def test_items_of_a_list_that_a_loop_of_python_fills():
    """Python chooses an arm in each iteration, whatever the test."""
    body = "s = {start}\ni = 0\nout = []\nwhile i < len(x) and s < 3:\n    if n > i:\n        s = -s\n    else:\n        s = x[i]\n    out.append(s)\n    i += 1\nreturn np.array(out)"
    assert converted(body.format(start="0"), F32)[3] == {"all items have one dtype in NumPy: `s`"}
    assert not converted(body.format(start="x[0]"), F32)[3]


@pytest.mark.parametrize("name", LISTED_ALIKE)
def test_items_of_one_dtype_are_no_condition(name):
    text, made, outcome, words = converted(LISTED_ALIKE[name], F32)
    assert not words
    x = np.array([0.5, -1.0, 2.0], np.float32)
    agrees_on(text, made, outcome, (x, x, 0.25, 1))


@pytest.mark.slow
@pytest.mark.parametrize("annotation", ["np.ndarray", F64, F32, U8, "NDArray[np.int64]"])
@pytest.mark.parametrize("name", [*BY_PATH, *ALIKE, *LISTED, *LISTED_ALIKE])
def test_what_is_proved_agrees(name, annotation):
    text, made, outcome, _words = converted({**LISTED, **LISTED_ALIKE, **BY_PATH, **ALIKE}[name], annotation)
    if outcome.label != "proved":
        return
    rng = np.random.default_rng(1)
    for dtype in DTYPES if annotation == "np.ndarray" else [annotation[11:-1]]:
        for _ in range(4):
            x, y = (rng.integers(0 if dtype == "uint8" else -3, 5, size=4).astype(dtype) for _ in "xy")
            agrees_on(text, made, outcome, (x, y, 0.1, 3))


CHOSEN = {
    "a branch": "if flag:\n        s = 1.0\n    else:\n        s = w.sum()\n    z = x * s\n    return z",
    "an expression": "s = 1.0 if flag else w.sum()\n    return x * s",
    "a row": "s = 2\n    if not flag:\n        s = w[0]\n    return x + s",
}
UNKNOWN = "`s` is not of int32, int64, uint32 or uint64"  # where the two have no dtype in common, so that nothing is cast


@pytest.mark.parametrize("name", CHOSEN)
@pytest.mark.parametrize("wide", ["float64", "int64"])
def test_a_cast_for_one_of_two_branches_of_python_is_a_condition(name, wide):
    """The cast to the wider dtype stands for both; NumPy gives float32 where a number of Python comes."""
    params = f"x: {F32}, w: NDArray[np.{wide}], flag: bool"
    words = {c.words for c in convert(f"{IMPORTS}def f({params}):\n    {CHOSEN[name]}\n", placement="device")[1]["f"].conditions}
    assert len(words & {f"`x {'+' if '+' in CHOSEN[name] else '*'} s` has the same dtype in NumPy on all paths", UNKNOWN}) == 1, (
        words
    )
    same = params.replace(f"NDArray[np.{wide}]", F32)
    words = {c.words for c in convert(f"{IMPORTS}def f({same}):\n    {CHOSEN[name]}\n", placement="device")[1]["f"].conditions}
    assert not any("on all paths" in each for each in words), words
