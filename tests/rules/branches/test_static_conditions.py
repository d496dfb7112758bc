"""Tests of which Python knows a part when JAX traces."""

import itertools
import random
import re

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees
from np2jax.tests.helpers.drawn_programs import seeds

VECTORS = tuple(map(np.array, ([1.0, 3.0, 2.0], [-1.0, 0.5, 0.0], [0.0, 0.0, 0.0], [np.nan, 1.0, 2.0], [np.inf, 1.0, 20.0])))
VALUES = {
    "x: np.ndarray": VECTORS,
    "limit: float = None": (None, 0.5, 2.0, np.nan),
    "flag: bool = False": (True, False),
    "kind: str = 'a'": ("a", "b"),
    "mask: np.ndarray = None": (None, np.array([True, False, True]), np.array([False] * 3)),
    "n: int = 3": (0, 2, 3),
}


def function(body, params):
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return f"import numpy as np\n\n\ndef f({', '.join(params)}):\n{lines}"


def compiled(body, *params, keep=False, finite=False):
    given = ("x: np.ndarray", *params)
    calls = itertools.product(*(VALUES[p] for p in given))
    calls = [c for c in calls if not finite or np.isfinite(c[0]).all()]
    text = check_agrees(function(body, given), *calls, keep=keep)
    assert keep or "jit" in text, text
    return text


def becomes(body, after, *params):
    text = compiled(body, *params)
    assert "\n".join(line[4:] for line in text.partition("def f(")[2].splitlines()[1:]).strip() == after


def test_an_optional_limit():
    becomes(
        "if limit is not None and x.max() > limit:\n    x = x - limit\nreturn x",
        "if limit is not None:\n    x = jnp.where(x.max() > limit, x - limit, x)\nreturn x",
        "limit: float = None",
    )


def test_a_flag_or_a_value():
    becomes(
        "if flag or x.max() > 1:\n    return 2 * x\nreturn x",
        "if flag:\n    return 2 * x\nreturn jnp.where(x.max() > 1, 2 * x, x)",
        "flag: bool = False",
    )


def test_a_size_is_asked_first():
    """What is read where there is none is not traced."""
    body = "if x.size == 0 or x[0] == 0:\n    return 0.0\nreturn x.max() / x[0]"
    text = check_agrees(function(body, ["x: np.ndarray"]), *((v,) for v in (*VECTORS, np.zeros(0))))
    assert "jit" in text


def test_several_parts_on_each_side():
    becomes(
        "if flag and len(x) > 2 and x[0] > 0 and x[1] > 0:\n    x = 2 * x\nelse:\n    x = -x\nreturn x",
        "if flag and len(x) > 2:\n    x = jnp.where((x[0] > 0) & (x[1] > 0), 2 * x, -x)\nelse:\n    x = -x\nreturn x",
        "flag: bool = False",
    )


def test_conditional_expressions():
    becomes(
        "return 2 * x if flag and x[0] > 0 else x", "return jnp.where(x[0] > 0, 2 * x, x) if flag else x", "flag: bool = False"
    )
    becomes("return x if flag or x[0] > 0 else -x", "return x if flag else jnp.where(x[0] > 0, x, -x)", "flag: bool = False")


def test_the_value_of_a_mixed_test():
    becomes(
        "ok = len(x) > 2 and x[0] > 0 and x[1] > 0\nif ok:\n    x = 2 * x\nreturn x, ok",
        "ok = len(x) > 2 and (x[0] > 0) & (x[1] > 0)\nx = jnp.where(ok, 2 * x, x)\nreturn x, ok",
    )


def test_not_of_a_mixed_test_that_python_decides():
    """`~False` is -1."""
    text = compiled("if not (flag and x[0] > 0):\n    x = 2 * x\nreturn x", "flag: bool = False")
    assert "logical_not" in text


def test_an_elif_of_which_a_part_is_known():
    for test in ("flag and x[0] > 0", "flag or x[0] > 0", "limit is not None and x[1] > limit"):
        compiled(
            f"if x[1] > 2:\n    y = 2 * x\nelif {test}:\n    y = 3 * x\nelse:\n    y = -x\nreturn y",
            "flag: bool = False",
            "limit: float = None",
            keep=True,
        )


def test_an_optional_mask():
    body = "if mask is not None and mask.any():\n    return np.where(mask, x, 0.0)\nreturn x"
    assert "if mask is not None:" in compiled(body, "mask: np.ndarray = None")


def test_a_loop_whose_iterations_read_what_may_be_none():
    """Its iterations would be traced with None."""
    text = compiled(
        "while limit is not None and x.max() > limit:\n    x = x - abs(limit) - 1\nreturn x",
        "limit: float = None",
        keep=True,
        finite=True,
    )
    assert "while_loop" not in text


def test_a_loop_with_a_flag():
    assert "while_loop" in compiled("while flag and x[0] > 0.5:\n    x = x / 2\nreturn x", "flag: bool = False", finite=True)


KNOWN = {
    "flag": "flag: bool = False",
    "not flag": "flag: bool = False",
    "kind == 'a'": "kind: str = 'a'",
    "limit is not None": "limit: float = None",
    "limit is None": "limit: float = None",
    "len(x) > 2": "",
    "n > 2": "n: int = 3",
}
TRACED = ("x[0] > 0", "x.max() <= 1", "np.isnan(x[0])", "np.any(x < 0)", "x[0] < x[1] < 3")


def program(choice):
    """A function with a test of several parts, and its parameters."""
    params = set()

    def test(depth=2):
        if depth == 0 or choice.random() < 0.4:
            if choice.random() < 0.5:
                text = choice.choice(list(KNOWN))
                params.add(KNOWN[text])
                return text
            return choice.choice(TRACED)
        word = choice.choice(("and", "or"))
        parts = [test(depth - 1) for _ in range(choice.randint(2, 3))]
        inner = f" {word} ".join(f"({p})" if " and " in p or " or " in p else p for p in parts)
        return f"not ({inner})" if choice.random() < 0.2 else inner

    def value():
        return choice.choice(("x + 1", "2 * x", "-x", "x / x.sum()", "np.sqrt(x)"))

    forms = (
        f"if {test()}:\n    x = {value()}\nreturn x",
        f"if {test()}:\n    y = {value()}\nelse:\n    y = {value()}\nreturn y",
        f"if {test()}:\n    return {value()}\nreturn {value()}",
        f"if {test()}:\n    y = {value()}\nelif {test()}:\n    y = {value()}\nelse:\n    y = x\nreturn y",
        f"if {test()}:\n    return {value()}\nif {test()}:\n    return {value()}\ny = {value()}\nreturn y",
        f"return {value()} if {test()} else {value()}",
        f"a = {test()}\nb = {test()}\nif a and b:\n    x = {value()}\nreturn x",
    )
    body = choice.choice(forms)
    return body, sorted(p for p in params - {""} if re.search(rf"\b{p.partition(':')[0]}\b", body))


def random_program(seed):
    body, params = program(random.Random(seed))
    given = ("x: np.ndarray", *params)
    calls = list(itertools.product(*(VALUES[p] for p in given)))
    random.Random(seed).shuffle(calls)
    check_agrees(function(body, given), *calls[:12], keep=True)


@pytest.mark.parametrize("seed", seeds(range(40), quick=10))
def test_random_tests(seed):
    random_program(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1150))
def test_many_random_tests(seed):
    random_program(seed)


def test_a_bool_as_an_index_is_known_when_tracing():
    """It selects all or nothing: the shape of the result depends on it."""
    x = np.arange(4.0)
    text = check_agrees(
        """
        import numpy as np

        def f(x: np.ndarray, flag: bool):
            x[flag] = x[flag] + 1.0
            return x[flag]
        """,
        (x, True),
        (x, False),
        (x.reshape(2, 2), True),
    )
    assert 'static_argnames="flag"' in text
    check_agrees(
        """
        import numpy as np

        def f(x: np.ndarray, y: np.ndarray):
            counts = np.zeros((2, 2), dtype=int)
            for i in range(len(x)):
                counts[int(x[i] > 1.0), int(y[i] > 1.0)] += 1
            return counts
        """,
        (x, x[::-1].copy()),
    )


@pytest.mark.parametrize("flag", [False, True])
@pytest.mark.parametrize(
    "test",
    [
        "not ((not flag or np.isnan(x[0])) and len(x) > 2)",
        "not (len(x) > 2 and (flag or x[0] > 1))",
        "not ((flag and x[0] > 1) or (flag and x[1] > 1))",
        "not not (flag or x[0] > 1)",
        "not (not (flag or x[0] > 1) and x[1] > 1)",
        "not ((flag or x[0] > 1) and x[1] > 1)",
    ],
)
def test_not_of_what_python_may_know(test, flag):
    """`~True` is -2, and that is true: the other side was taken. Found by random programs (tests 400539)."""
    body = f"if {test}:\n    return x / 2\nreturn x + 1"
    calls = [(np.array(x), flag) for x in ([0.0, 3.0, 1.0], [2.0, 0.5, 1.0], [2.0, 3.0, np.nan], [np.nan, 0.0, 0.0])]
    check_agrees(function(body, ["x: np.ndarray", "flag: bool"]), *calls, keep=True)


NEGATED = [
    "def f(x: np.ndarray):\n    b = False\n    return x[0] > 1 and not b",
    "def f(x: np.ndarray):\n    b = True\n    return not b or x[0] > 1",
    "def f(x: np.ndarray):\n    if np.abs(x).max() < 2 and not LOUD:\n        return x\n    return x * 2",
    "def f(x: np.ndarray):\n    done = False\n    s = 0.0\n    while s < 10 and not done:\n        s += x[0]\n    return s",
]


@pytest.mark.parametrize("body", NEGATED)
def test_not_of_what_is_known(body):
    check_agrees(f"import numpy as np\n\nLOUD = False\n\n\n{body}\n", (np.array([1.5, -3.0]),), (np.array([0.5, 0.25]),))
