"""Values that are read from an array before a compiled loop updates it: kept, so that XLA does not copy the array."""

import re

import hypothesis
import hypothesis.strategies as st
import libcst as cst
import numpy as np
import pytest

from np2jax.migrate.rewriting import update_barriers
from np2jax.tests.helpers.differential import body, check_agrees, convert

HEAD = "import numpy as np\n\n\ndef f(A: np.ndarray, B: np.ndarray):\n    n, m = A.shape\n    A, B = A.copy(), B.copy()\n    s = 0.0\n"
LOOP = "    for x in range(1, n - 1):\n        for y in range(1, m - 1):\n"
END = "    return A, B, s\n"
SWAP = "t = A[x, y]\nA[x, y] = A[x, y - 1]\nA[x, y - 1] = t\n"
PARTS = [
    "A[x, y] += A[x - 1, y]\n",
    "A[x, y - 1] -= A[x, y] * 0.5\n",
    "A[y % n, x % m] = B[x, y]\n",
    "B[x, y] = A[x, y] - B[x, y - 1]\n",
    "t = A[x, y]\n",
    "t = t + B[x, y]\n",
    "A[x - 1, y] = t\n",
    "s = s * 0.5 + t\n",
    "s += A[x, y]\n",
    "A[x, y], A[x, y - 1] = A[x, y - 1], A[x, y]\n",
    "A[x] = A[x - 1] * 0.5 + t\n",
    "if A[x, y] > B[x, y]:\n    A[x, y] = t\n    A[x, y + 1] += t\n",
    "if A[x, y] < t:\n    A[x, y], B[x, y] = B[x, y], A[x, y]\nelse:\n    B[x, y] -= 1.0\n",
    "if A[x, y] > t:\n    A[x, y] = t\n    A[x, y + 1] += t\nelse:\n    A[x - 1, y] -= B[x, y]\n    B[x, y] += A[x, y]\n",
    "for k in range(2):\n    A[x, k] += t * A[x, y]\n",
    "for k in range(m):\n    A[x, k] = A[x, k] * 0.5 + t\n",
]


def looped(statements):
    indented = "".join(f"            {line}\n" for line in statements.splitlines())
    return HEAD + LOOP + "            t = B[x, y]\n" + indented + END


def arrays(n=5, m=6, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(-3, 4, (n, m)) / 4, rng.integers(-3, 4, (n, m)) / 4


def kept(text):
    return [line.strip() for line in text.splitlines() if "_before_update(" in line and "def " not in line]


def test_an_exchange_keeps_both_elements():
    before = looped(SWAP)
    after = convert(before)[0]
    assert "A_item, t = _before_update((A[x, y - 1], t))\n            A = A.at[x, y].set(A_item)" in after
    assert after.count("def _before_update(") == 1 and "import jax\n" in after
    check_agrees(before, arrays(), arrays(2, 2))


@hypothesis.settings(max_examples=12, deadline=None)
@hypothesis.given(st.lists(st.sampled_from(PARTS), min_size=2, max_size=5), st.integers(0, 9))
def test_iterations_that_read_and_update_agree(parts, seed):
    check_agrees(looped("".join(parts)), arrays(seed=seed), keep=True, idempotent=False)


@pytest.mark.slow
@hypothesis.settings(max_examples=60, deadline=None)
@hypothesis.given(st.lists(st.sampled_from(PARTS), min_size=2, max_size=6), st.integers(0, 9))
def test_more_iterations_that_read_and_update_agree(parts, seed):
    check_agrees(looped("".join(parts)), arrays(seed=seed), arrays(3, 3, seed), keep=True, idempotent=False)


def test_a_second_conversion_changes_nothing():
    check_agrees(looped(SWAP), arrays(), idempotent=True)


@pytest.mark.parametrize(
    "statements",
    [
        "A[x, y] = A[x, y - 1] + B[x, y]\n",  # one store, and nothing that is read before it is needed later
        "A[x, y] = B[x, y]\nA[x, y - 1] = B[x, y - 1]\n",  # nothing is read from the array
        "A[x, y] = A[x, y - 1]\ns += A[y % n, x % m]\n",  # read after the store
        "A[x, y] = A[x - 1, y] + B[x, y]\nB[x, y] = A[x, y - 1] - B[x, y - 1]\n",  # each array has one store
        "k = A.shape[1] - 2\nA[x, k] = B[x, y]\nA[x, y] = k\n",  # the shape is no element
    ],
)
def test_iterations_that_xla_updates_in_place_are_left(statements):
    after = convert(looped(statements))[0]
    assert "fori_loop" in after and not kept(after)


def test_a_statement_outside_of_a_loop_is_left():
    after = convert(HEAD + "    t = A[0, 1]\n    A[0, 1] = A[1, 0]\n    A[1, 0] = t\n" + END)[0]
    assert ".at[" in after and not kept(after)


def test_functions_that_the_user_wrote_with_jax_are_left():
    own = (
        "import jax.numpy as jnp\nfrom jax import lax\nimport numpy as np\n\n\n"
        "def swap(A):\n    def step(i, A):\n        t = A[i]\n        A = A.at[i].set(A[i - 1])\n        return A.at[i - 1].set(t)\n\n"
        "    return lax.fori_loop(1, 3, step, A)\n\n\ndef f(x: np.ndarray):\n    return np.sin(x)\n"
    )
    after = convert(own)[0]
    assert "np.sin" in after and not kept(after)


def test_what_a_variable_of_the_function_around_holds_gets_a_name_of_its_own():
    before = (
        HEAD + "    c = B[0, 0]\n" + LOOP + "            t = A[x, y]\n            A[x, y] = c\n            B[x, y] = t\n" + END
    )
    after = convert(before)[0]
    assert kept(after) == ["A_item, t = _before_update((c, t))"]
    check_agrees(before, arrays())


def test_a_loop_inside_takes_what_it_needs_before_it():
    statements = "t = A[x]\nfor k in range(m):\n    A[x, k] = A[x - 1, k] * t[0]\nB[x] = t\n"
    before = HEAD + "    for x in range(1, n):\n" + "".join(f"        {line}\n" for line in statements.splitlines()) + END
    check_agrees(before, arrays())


def test_an_arm_of_a_branch_keeps_its_own_values():
    statements = "if t > 0:\n    for k in range(3):\n        A[x, y] -= B[x, k] * 0.1\nA[x, y + 1] += A[x, y]\n"
    before = looped(statements)
    after = convert(before)[0]
    assert "lax.cond(" in after and len(kept(after)) == 2
    check_agrees(before, arrays())


FLAG = """
import numpy as np


def f(x: np.ndarray, clip: bool, mode: str = ""):
    y = np.zeros(len(x))
    for i in range(1, len(x)):
        y[i] = x[i] - 0.5 * y[i - 1]
        if clip:
            y[i] = min(max(y[i], -0.5), 0.5)
        elif mode == "half":
            y[i] = y[i] - 0.5 * y[i - 1]
        else:
            y[i] = 2.0
    return y
"""


def test_arms_that_the_trace_decides_keep_values_too():
    after = convert(FLAG)[0]
    assert len(kept(after)) == 3 and "        if clip:\n            y_item = _before_update(" in after
    for clip in (True, False):
        check_agrees(FLAG, *((arrays(seed=seed)[0][0], clip, mode) for seed in range(2) for mode in ("", "half")))


def test_a_name_of_the_user_is_left_alone():
    before = looped(SWAP).replace("def f(", "def _before_update(x):\n    return x\n\n\ndef f(")
    after = convert(before)[0]
    assert "_before_update_2((" in after
    check_agrees(before, arrays())


def test_a_value_that_is_named_like_the_new_variable():
    before = looped("A_item = A[x, y]\nA[x, y] = A[x, y - 1]\nA[x, y - 1] = A_item\n")
    assert "A_item_2" in body(convert(before)[0])
    check_agrees(before, arrays())


@pytest.mark.parametrize("block", ["if flag:", "for k in range(n):"])
def test_a_variable_that_may_have_no_value_is_not_read(block):
    step = f"""def f(A, B, n, flag):
    def step(x, carry):
        A, B = carry
        {block}
            t = A[x, 0] + A[x - 1, 1]
        A = A.at[x, 1].set(A[x - 1, 0])
        A = A.at[x - 1, 0].set(A[x, 1] + A[x, 0])
        {block}
            B = B.at[x, 0].set(t)
        return A, B
    return lax.fori_loop(1, n, step, (A, B))
"""
    made = update_barriers.inserted(cst.parse_module(step), (), lambda: "_before_update").code
    assert len(kept(made)) == 2 and not any("t" in re.findall(r"\w+", line) for line in kept(made))


def test_a_variable_that_has_a_value_in_any_case_is_kept():
    step = """def f(A, n, flag):
    def step(x, A):
        t = A[x, 1]
        if flag:
            t = A[x, 0] + t
        A = A.at[x, 1].set(0)
        return A.at[x, 0].set(t)
    return lax.fori_loop(1, n, step, A)
"""
    made = update_barriers.inserted(cst.parse_module(step), (), lambda: "_before_update").code
    assert kept(made) == ["t = _before_update(t)"]
