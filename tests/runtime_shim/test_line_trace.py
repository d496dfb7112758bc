"""A call followed line by line: arcs, sides of comparisons, exact ties; by sys.settrace and by sys.monitoring."""

import ast
import sys
import textwrap

import numpy as np
import pytest

from np2jax.runtime_shim.sandbox import line_trace
from np2jax.runtime_shim.sandbox.line_trace import LineTrace, given_numbers
from np2jax.runtime_shim.sandbox.staging import functions
from np2jax.runtime_shim.values.snapshot import Array
from np2jax.runtime_shim.verification.branches import never_reached

HOWS = ["_settrace", *(["_monitored"] if sys.version_info >= (3, 12) else [])]


def followed(folder, text, *calls, how="_settrace", constants=()):
    """What LineTrace finds in calls of `f`, and the branches that were not reached."""
    path = folder / "code.py"
    path.write_text("import numpy as np\n" + textwrap.dedent(text).lstrip())
    scope = {"__name__": "code"}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    line_trace._FILES.clear()
    line_trace._PAIRS.clear()
    seen, found = set(), {}
    for arguments in calls:
        numbers = given_numbers([Array(part) if isinstance(part, np.ndarray) else part for part in arguments])
        trace = LineTrace(lambda name: "code.py" if name == str(path) else "", folder, numbers, constants, True)
        with getattr(line_trace, how)(trace):
            scope["f"](*arguments)
        found = trace.found()
        seen |= set(found["features"])
    sources = [node for name, node in functions(ast.parse(path.read_text())) if name == "f"]
    return found, never_reached(sources, "code.py", seen)


BRANCHES = """
def f(x, limit=2.0):
    if x > 1.0:
        x = x - 1.0
    while x > limit:
        x = x / 2
        if x == 0.25:
            break
    return 1.0 if x >= 0.5 else 0.0
"""


@pytest.mark.parametrize("how", HOWS)
def test_branches(tmp_path, how):
    def missing(*calls):
        return followed(tmp_path, BRANCHES, *calls, how=how)[1]

    assert missing((0.0,)) == [
        "line 3 `x > 1.0` is never true",
        "line 5 `x > limit` is never true",
        "line 7 `x == 0.25` never ran",
        "line 9 `x >= 0.5` is never true",
    ]
    assert missing((0.0,), (8.0,)) == ["line 7 `x == 0.25` is never true"]
    assert missing((0.0,), (8.0,), (0.5, 0.3)) == []


@pytest.mark.parametrize("how", HOWS)
def test_elements(tmp_path, how):
    text = "def f(x):\n    return np.where(x > 1.0, x, 0.0)\n"
    assert followed(tmp_path, text, (np.array([0.0, 1.0]),), how=how)[1] == ["line 3 `x > 1.0` is never true"]
    assert followed(tmp_path, text, (np.array([0.0, 2.0]),), how=how)[1] == []
    assert followed(tmp_path, text, (np.array([]),), how=how)[1] == []


@pytest.mark.parametrize(
    ("line", "rounds"),
    [
        ("return x / 7.0", True),
        ("x /= 3\n    return x", True),
        ("x /= np.linalg.norm(x)\n    return x", True),
        ("return x / next(iter([7.0]))", True),  # not evaluated again
        ("return x / 0.25 + x / 1", False),
        ("return x * 7.0", False),
    ],
)
def test_quotients_are_rounded(tmp_path, line, rounds):
    """Where they are, whole numbers are no longer exact, such as -5 / -7 * 7."""
    assert followed(tmp_path, f"def f(x):\n    {line}\n", (np.array([5.0, 1.0]),))[0]["rounds"] is rounds


def test_operands_apart(tmp_path):
    found, _ = followed(tmp_path, "def f(x, t):\n    return np.clip(x, t, 9.0)\n", (np.array([1.5, 4.0]), 2.0))
    assert list(found["apart"].values()) == [[(1.5, 2.0)], [(4.0, 9.0)]]


@pytest.mark.parametrize(
    ("value", "sharp"),
    [
        (0.2, True),  # the constant itself
        (0.5, False),  # no tie
        (np.nextafter(0.2, 1), True),  # given as an argument: it is exactly that
    ],
)
def test_a_tie_of_arguments_and_constants_is_exact(tmp_path, value, sharp):
    constants = (0.2, float(np.nextafter(0.2, 1)))
    text = f"def f(x):\n    return x < {0.2 if value != constants[1] else constants[1]!r}\n"
    found, _ = followed(tmp_path, text, (float(value),), constants=constants)
    assert found["sharp"] is sharp


@pytest.mark.parametrize(
    ("line", "x"),
    [
        ("x * 3 < 0.9", 0.3),  # 0.8999999999999999
        ("np.floor(x * 10)", 0.3),
        ("(x * 10.0).astype(int)", np.array([0.7])),
        ("np.argmax(x / 3)", np.array([0.1, 0.1])),
        ("(x - x.mean()) / x.std()", np.full(3, 0.1)),  # the deviation is 1e-17
        ("(x * 3) // 0.3", np.array([0.1])),
        ("np.sign((x / np.linalg.norm(x)).sum())", np.array([1.0, -1.0, 0.0])),  # 0.0 is given, but this one is computed
        ("np.linalg.svd(x - x.mean(axis=0))", np.ones((3, 3))),  # rounding decides about the vectors
    ],
)
def test_what_rounding_may_decide_is_no_exact_tie(tmp_path, line, x):
    found, _ = followed(tmp_path, f"def f(x):\n    tie = 1 > 1\n    return {line}\n", (x,), constants=(0.9, 10.0, 3.0))
    assert not found["sharp"]


def test_the_expressions_are_not_evaluated_where_that_has_an_effect(tmp_path):
    text = "def f(x, it):\n    if next(it) > x.pop():\n        return 1\n    return list(it), x\n"
    path_result = followed(tmp_path, text, ([1, 2], iter([3, 4])))
    assert [feature for feature in path_result[0]["features"] if "#" in feature] == []


@pytest.mark.parametrize(
    ("line", "undefined"),
    [
        ("np.searchsorted(x, 1.0)", True),
        ("np.searchsorted(np.sort(x), 1.0)", False),
        ("np.interp(1.0, x, x)", True),
        ("np.interp(1.0, x * 0, x)", True),  # two values at one place
        ("np.interp(1.0, np.sort(x), x)", False),
        ("x + 1", False),
    ],
)
def test_what_needs_sorted_numbers_and_does_not_get_them(tmp_path, line, undefined):
    found, _ = followed(tmp_path, f"def f(x):\n    return {line}\n", (np.array([2.0, 1.0, 3.0]),))
    assert bool(found["undefined"]) is undefined


@pytest.mark.parametrize(
    ("line", "x", "noise"),
    [
        ("(x - x.mean()) / x.std()", np.full(3, 0.1), True),  # 1e-17
        ("(x - x.mean()) / x.std()", np.array([0.1, 0.2, 0.4]), False),
        ("x / x[0]", np.array([1e-18, 1.0]), False),  # given so
        ("np.where(x.sum() > 0, 1.0, x)", np.array([0.1, 0.2, -0.3]), True),  # 5e-17
        ("np.where(x.sum() > 0, 1.0, x)", np.array([1.0, -1.0]), False),
    ],
)
def test_what_is_left_of_numbers_that_cancel(tmp_path, line, x, noise):
    found, _ = followed(tmp_path, f"def f(x):\n    return {line}\n", (x,))
    assert bool(found["undefined"]) is noise


HALVING = """
def f(x):
    while x > 0:
        x = x / 2
"""
NEARLY_EQUAL = """
def f(x):
    for i in range(80):
        if x > 0:
            x = (x + 1.3) / 2 - 0.65
"""


@pytest.mark.parametrize(("text", "noise"), [(HALVING, False), (NEARLY_EQUAL, True)])
def test_a_number_that_falls_below_any_rounding_error_is_none(tmp_path, text, noise):
    assert bool(followed(tmp_path, text, (0.7,))[0]["undefined"]) is noise


def test_a_long_call_is_followed_for_a_while_only(tmp_path):
    found, _ = followed(tmp_path, "def f(n):\n    for i in range(n):\n        n = n\n    return n\n", (100_000,))
    assert "code.py:3>4" in found["features"]
    assert "code.py:3>5" not in found["features"]


@pytest.mark.parametrize(
    ("line", "numbers", "undefined"),
    [
        ("x.astype(np.int16)", [4e4, 1.0], line_trace.UNHELD),
        ("x.astype('uint8')", [-1.5, 1.0], line_trace.UNHELD),
        ("x.astype(int)", [np.nan, 1.0], line_trace.UNHELD),
        ("x.astype(np.int16)", [32767.5, -3.0], ""),
        ("x.astype(np.float32)", [1e60, 1.0], ""),
        ("np.argsort(x)", [2.0, 1.0, 2.0], line_trace.UNTIED),
        ("x.argsort()", [2.0, 1.0, 2.0], line_trace.UNTIED),
        ("np.argsort(x, kind='stable')", [2.0, 1.0, 2.0], ""),
        ("np.sort(x)", [2.0, 1.0, 2.0], ""),
        ("np.argsort(x)", [2.0, 1.0, 3.0], ""),
        ("np.interp(1.0, [1.0, 2.0], x)", [1.0, np.nan], line_trace.UNLIMITED),
        ("np.interp(1.0, [1.0, 2.0], x)", [1.0, 2.0], ""),
    ],
)
def test_results_that_no_library_has_to_give(tmp_path, line, numbers, undefined):
    text = f"def f(x):\n    with np.errstate(all='ignore'):\n        return {line}\n"
    assert followed(tmp_path, text, (np.array(numbers),))[0]["undefined"] == undefined


def test_each_of_three_operands_of_max_wins_or_does_not(tmp_path):
    text = "def f(x, y, z):\n    return max([x, y, z]) + min(x, y, z) + max([x])"
    found, _ = followed(tmp_path, text, (1.0, 2.0, 3.0))
    sides = {feature.partition("#")[2][-3:] for feature in found["features"] if "#" in feature}
    assert sides == {".0<", ".1<", ".1>", ".2>"}
