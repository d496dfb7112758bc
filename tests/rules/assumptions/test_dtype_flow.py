"""Variables that NumPy gives another dtype on one path than on another: sums that start with an element, bools, narrow integers."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on, convert, function

IMPORTS = "import numpy as np\nfrom numpy.typing import NDArray\n\n\n"
BOOL, U8, F32, I64, F64 = (f"NDArray[np.{dtype}]" for dtype in ("bool_", "uint8", "float32", "int64", "float64"))

BY_PATH = {
    "a bool that is counted": (BOOL, "s = x[0]\nfor i in range(len(x)):\n    if y[i]:\n        s += 1\nreturn s"),
    "a bool beside an integer": (BOOL, "s = x[0] + y[0]\nfor i in range(len(x)):\n    if y[i]:\n        s += i\nreturn s"),
    "a bool and a float": (BOOL, "s = x[0].item()\nfor i in range(len(x)):\n    if x[i] > s:\n        s = s + 0.0\nreturn s"),
    "two arms that add": (F32, "s = np.float32(0)\nfor i in range(len(x)):\n    if y[i] > 0:\n        s += i\n    else:\n        s = 0\nreturn s"),
    "a literal in an iteration": (F32, "s = x.max()\nfor i in range(len(x)):\n    if c:\n        s = 1.0\nreturn s"),
    "integers of Python and of NumPy": ("np.ndarray", "s = 1\nfor v in x:\n    if v > s:\n        s += 1.0\n    else:\n        s = -s\nreturn s"),
    "a float32 and integers": (F32, "s = x[0] + 1\nfor i in range(len(x)):\n    s += z[i]\nreturn s"),
    "an integer beside a narrow array": (F32, "s = n\nfor i in range(len(z)):\n    if z[i] > 1:\n        s = z[i]\nreturn s + x"),
    "the larger one": ("np.ndarray", "s = x[0] * 2\nif c:\n    s = max(s, 0.0)\nelse:\n    s = 0\nreturn s"),
}  # fmt: skip
ALIKE = {
    "a sum of bools": (BOOL, "s = x[0]\nfor i in range(len(x)):\n    if y[i]:\n        s += x[i]\nreturn s"),
    "a sum of bools from a literal": (BOOL, "s = True\nfor i in range(len(x)):\n    if c:\n        s = s + x[i] * y[i]\nreturn s"),
    "counted bools": (BOOL, "s = 0\nfor v in x:\n    if v:\n        s += 1\nreturn s"),
    "small integers": (U8, "s = x[0]\nfor v in x:\n    if v > 1:\n        s += v\nreturn s"),
    "an element as a Python number": (U8, "s = x[0].item()\nreturn s * 300 - 1"),
    "an element of float32": (F32, "return x[0].item() * 0.1"),
    "an integer subtracted from a float32": ("NDArray[np.int64]", "s = np.float32(0)\nif n > 2:\n    t = k\nelse:\n    s -= x[1]\nreturn s * 2"),
    "a bool to which an integer is added": (BOOL, "s = np.abs(y[1])\ns += 1\nreturn s"),
    "a guard of Python": (F64, "s = 0.0\nfor i in range(1, len(x)):\n    if c:\n        s += 0.5 * x[i]\nreturn s"),
    "a guard of Python with two arms": (F64, "s = 0.0\nfor i in range(1, len(x)):\n    if c:\n        s += x[i]\n    else:\n        s += 1.0\nreturn s"),
}  # fmt: skip
DTYPES = {BOOL: "bool", U8: "uint8", F32: "float32", I64: "int64", F64: "float64"}


def converted(annotation, body):
    params = f"x: {annotation}, y: {annotation}, z: {I64}, k: float, n: int, c: bool"
    text = f"{IMPORTS}def f({params}):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    made, functions, _diagnostics = convert(text, placement="device")
    return text, made, functions["f"]


@pytest.mark.parametrize("name", BY_PATH)
def test_the_dtype_of_a_path_is_a_condition(name):
    _text, made, outcome = converted(*BY_PATH[name])
    assert any(c.kind == "path" for c in outcome.conditions), made


@pytest.mark.parametrize("name", ALIKE)
def test_one_dtype_is_kept(name):
    annotation, body = ALIKE[name]
    text, made, outcome = converted(annotation, body)
    assert not [c for c in outcome.conditions if c.kind in ("path", "number", "dtype")], outcome.conditions
    x, y = (np.array(each).astype(DTYPES[annotation]) for each in ([1, 0, 2, 3], [0, 1, 1, 2]))
    for c in (True, False):
        for n in (1, 3):
            assert agrees_on(text, made, outcome, (x, y, np.array([1, 2, 3]), 0.5, n, c))


@pytest.mark.parametrize(
    ("body", "words"),
    {
        "s = x[0]\ns += y[0]\nreturn s": "`x` and `y` do not combine integers with floats of fewer than 64 bits",
        "s = x.sum()\ns += y[0]\nreturn s": "`x` and `y` do not combine integers with floats of fewer than 64 bits",
        "s = x[0]\nfor i in range(1, len(x)):\n    if y[i] > 0:\n        s += x[i]\nreturn s": "`x` is not of bool",
    }.items(),
)
def test_what_is_added_to_an_element_is_a_condition(body, words):
    assert words in {c.words for c in converted("np.ndarray", body)[2].conditions}


def test_what_may_be_an_array_is_a_condition():
    words = {c.words for c in converted(F32, "s = x[0] + 1\ns += z[0]\nreturn s")[2].conditions}
    assert "`s` is an array, not a number, which would become one of float64" in words


def test_a_sum_of_elements_of_one_array_is_none():
    body = "s = x[0]\nt = x[1]\nfor v in x:\n    s += v\n    t = t * v\nreturn s + t"
    assert not [c for c in converted("np.ndarray", body)[2].conditions if c.kind in ("path", "dtype")]


def test_an_empty_list_of_narrow_floats_is_a_condition():
    body = "return np.array([v * 2 for v in x])"
    words = [c.words for c in converted(F32, body)[2].conditions if c.kind == "number"]
    assert words == ["there is an item `v * 2`: NumPy makes float64 of an empty list"]
    assert not [c for c in converted(F64, body)[2].conditions if c.kind == "number"]


def test_a_number_that_an_augmented_assignment_rebinds_is_combined():
    """`s` may be an element: then it gets the dtype of the sum."""
    words = "`s` and `x` do not combine integers with floats of fewer than 64 bits"
    for start, said in (("np.abs(y[0])", True), ("np.abs(y)", False)):
        outcome = convert(function(f"s = {start}\ns -= x\nreturn s * 2", "x, y"), placement="device")[1]["f"]
        assert (words in {c.words for c in outcome.conditions}) is said


def test_a_number_of_python_that_is_passed_on_stays_one():
    """`int(n)` takes the dtype of the array that it meets, also in a loop that moves out; an integer of JAX has one."""
    text = IMPORTS + f"def f(x: {U8}, n: int):\n    s = int(n)\n    for i in range(1, len(x)):\n        s -= x[i]\n    return s\n"
    made, functions, _diagnostics = convert(text, placement="device")
    agrees_on(text, made, functions["f"], (np.array([1, 2, 5, 1], np.uint8), 1))
