"""Branches on traced values: what they become, that both versions agree, and which stay Python's."""

import itertools
import textwrap

import jax
import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert, function, run
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


# --- results ---------------------------------------------------------------------------------------------------------------


def test_early_return():
    becomes("if x > 0:\n    return 2 * x\nreturn -x", "return jnp.where(x > 0, 2 * x, -x)")


def test_else():
    becomes("if x > 0:\n    return 2 * x\nelse:\n    return -x", "return jnp.where(x > 0, 2 * x, -x)")


def test_several_ways_out():
    body = "if x > 1:\n    return 1.0\nelif x < -1:\n    return -1.0\nreturn x"
    becomes(body, "return jnp.where(x > 1, 1.0, jnp.where(x < -1, -1.0, x))")


def test_guard_after_guard():
    body = "if x > 1:\n    return 1.0\nif x < -1:\n    return -1.0\ny = x * 2\nreturn y"
    becomes(body, "y = x * 2\nreturn jnp.where(x > 1, 1.0, jnp.where(x < -1, -1.0, y))")


def test_several_results():
    body = "if x > y:\n    return x, y, 1\nreturn y, x, 1"
    after = "condition = x > y\nreturn jnp.where(condition, x, y), jnp.where(condition, y, x), 1"
    becomes(body, after, "x: float, y: float")


def test_a_root_is_computed_where_it_is_defined():
    after = "return jnp.where(x > 0, jnp.sqrt(jnp.where(x > 0, x, 1)), 0.0)"
    becomes("if x > 0:\n    return np.sqrt(x)\nreturn 0.0", after)


def test_what_is_undefined_on_the_other_side():
    body = "d = x * x - y\nif d < 0:\n    return 0.0, 0.0\nr = np.sqrt(d)\nreturn x + r, x - r"
    after = """
d = x * x - y
condition = d < 0
r = jnp.sqrt(jnp.where(condition, 1, d))
return jnp.where(condition, 0.0, x + r), jnp.where(condition, 0.0, x - r)
"""
    becomes(body, after, "x: float, y: float")


def test_functions_of_functions_are_guarded_once():
    body = "if x < 30:\n    y = np.log1p(np.exp(x))\nelse:\n    y = x\nreturn y"
    after = """
condition = x < 30
y = jnp.where(condition, jnp.log1p(jnp.exp(jnp.where(condition, x, 0))), x)
return y
"""
    becomes(body, after)


def test_a_test_of_what_changes_is_asked_before():
    body = "if x > 1:\n    x = x - 1\n    y = y / x\nreturn x + y"
    after = """
condition = x > 1
x = jnp.where(condition, x - 1, x)
y = jnp.where(condition, y / jnp.where(condition, x, 1), y)
return x + y
"""
    becomes(body, after, "x: float, y: float")


def test_the_rest_of_the_body_becomes_a_function():
    body = "s = x.sum()\nif s > 10:\n    return s\nx = x * 2\nt = np.linalg.norm(x)\nreturn t / 2"
    after = """
s = x.sum()

def then(x):
    return s

def otherwise(x):
    x = x * 2
    t = jnp.linalg.norm(x)
    return t / 2

return lax.cond(s > 10, then, otherwise, x)
"""
    becomes(body, after, "x: np.ndarray")


def test_a_static_branch_stays_around_a_traced_one():
    body = """
if scale is None:
    return x
if x.sum() > scale:
    return x * 2
return x + 1
"""
    text, functions, _ = convert(function(body, "x: np.ndarray, scale=None"))
    assert "if scale is None:\n        return x\n    return jnp.where(x.sum() > scale, x * 2, x + 1)" in text
    assert functions["f"].transform == "jit"


def test_a_flag_stays_a_flag():
    body = "if twice:\n    return x * 2\nreturn x"
    text, functions, _ = convert(function(body, "x: np.ndarray, twice=False"))
    assert "if twice:" in text
    assert functions["f"].static == ("twice",)


def test_a_mode_is_static_where_a_value_is_traced():
    body = 'if mode == "max":\n    return x / x.max()\nif x.sum() > 0:\n    x = x * 2\nelse:\n    x = np.zeros_like(x)\nreturn x'
    text, functions, _ = convert(function(body, "x, mode"))
    assert functions["f"].static == ("mode",)
    assert "x = jnp.where(x.sum() > 0, x * 2, jnp.zeros_like(x))" in text


# --- variables -------------------------------------------------------------------------------------------------------------


def test_no_else_keeps_the_value():
    becomes("if x < 0:\n    x = 0.0\nreturn x", "x = jnp.where(x < 0, 0.0, x)\nreturn x")


def test_else_binds_the_same():
    becomes("if x < 0:\n    y = -x\nelse:\n    y = x + 1\nreturn y", "y = jnp.where(x < 0, -x, x + 1)\nreturn y")


def test_variables_of_its_own():
    body = "y = x\nif x > 1:\n    t = x * 2\n    y = t + 1\nreturn y"
    becomes(body, "y = x\nt = x * 2\ny = jnp.where(x > 1, t + 1, y)\nreturn y")


def test_values_are_exchanged():
    body = "if x > y:\n    x, y = y, x\nreturn x, y"
    after = "condition = x > y\nx, y = jnp.where(condition, y, x), jnp.where(condition, x, y)\nreturn x, y"
    becomes(body, after, "x: float, y: float")


def test_one_after_the_other():
    body = "y = 0.0\nif x > 1:\n    x = x + 1\n    y = x * 2\nreturn x + y"
    after = """
y = 0.0
condition = x > 1
x = jnp.where(condition, x + 1, x)
y = jnp.where(condition, x * 2, y)
return x + y
"""
    becomes(body, after)


def test_elif():
    body = "if x > 2:\n    y = x\nelif x > 1:\n    y = 2 * x\nelse:\n    y = 0.0\nreturn y"
    becomes(body, "y = jnp.where(x > 2, x, jnp.where(x > 1, 2 * x, 0.0))\nreturn y")


def test_elif_of_several_variables():
    body = (
        "if x > 2:\n    y = x\n    z = 1.0\nelif x > 1:\n    y = 2 * x\n    z = x\nelse:\n    y = 0.0\n    z = 2.0\nreturn y + z"
    )
    after = """
condition = x > 2
condition_2 = x > 1
y = jnp.where(condition, x, jnp.where(condition_2, 2 * x, 0.0))
z = jnp.where(condition, 1.0, jnp.where(condition_2, x, 2.0))
return y + z
"""
    becomes(body, after)


def test_an_item_is_stored():
    becomes(
        "if v > x[1]:\n    x[1] = v\nreturn x",
        "x = x.at[1].set(jnp.where(v > x[1], v, x[1]))\nreturn x",
        "x: np.ndarray, v: float",
    )


def test_an_item_is_added_to():
    becomes(
        "if v > 1:\n    x[1] += v\nreturn x",
        "x = x.at[1].set(jnp.where(v > 1, x[1] + v, x[1]))\nreturn x",
        "x: np.ndarray, v: float",
    )


def test_both_sides_store():
    body = "if v > x[0]:\n    x[0] = v\nelse:\n    x[1] += v\nreturn x"
    after = """
condition = v > x[0]
x = x.at[0].set(jnp.where(condition, v, x[0]))
x = x.at[1].set(jnp.where(condition, x[1], x[1] + v))
return x
"""
    becomes(body, after, "x: np.ndarray, v: float")


def test_a_changed_argument_is_handed_back():
    text = check_agrees(function("if v > 1:\n    x[1] = v", "x: np.ndarray, v: float"), *given("x: np.ndarray, v: float"))
    assert "x = x.at[1].set(jnp.where(v > 1, v, x[1]))\n    return x" in text


def test_a_product_of_matrices_runs_on_one_side():
    body = "y = np.outer(x, x)\nz = 0.0\nif x.sum() > 1:\n    y = y @ y\n    z = y.sum()\nreturn y, z"
    after = """
y = jnp.outer(x, x)
z = 0.0

def then(y, z):
    y = y @ y
    z = y.sum()
    return y, z

def otherwise(y, z):
    return y, z

y, z = lax.cond(x.sum() > 1, then, otherwise, y, z)
return y, z
"""
    becomes(body, after, "x: np.ndarray")


def test_branches_in_branches():
    body = "y = x\nif x > 0:\n    if x > 1:\n        y = x * 2\n    else:\n        y = x + 1\nreturn y"
    becomes(body, "y = x\ny = jnp.where(x > 0, jnp.where(x > 1, x * 2, x + 1), y)\nreturn y")


def test_comments_stay():
    text, *_ = convert(function("# cut\nif x < 0:  # too small\n    x = 0.0  # to zero\nreturn x", "x: float"))
    assert "    # cut\n    # too small\n    # to zero\n    x = jnp.where(x < 0, 0.0, x)\n" in text


# --- expressions -----------------------------------------------------------------------------------------------------------


def test_a_test_that_python_decides_in_part():
    body = "if limit is not None and x > limit:\n    x = limit\nreturn x"
    assert "if limit is not None:\n        x = jnp.where(x > limit" in convert(function(body, "x: float, limit=None"))[0]


def test_what_a_function_of_a_branch_gets_is_traced():
    """A number of Python's that a side binds again is an argument of its function: NumPy cannot take it there."""
    body = "z = 0.5\ny = np.outer(x, x)\nif x.sum() > 0:\n    z = (y @ y).sum() + np.sqrt(z)\nreturn z + 0.0"
    assert "jnp.sqrt(z)" in check_agrees(function(body, "x: np.ndarray"), *given("x: np.ndarray"))


def test_what_is_bound_to_itself():
    check_agrees(
        function("if x > y:\n    y = y\n    x = x + 1\n    y = x\nreturn x, y", "x: float, y: float"),
        *given("x: float, y: float"),
    )


def test_what_is_compared_is_no_view():
    """`max` tells that `v[0]` is a number or a row of one element: that it is no row is said."""
    body = "z = 1.0 + max(0.5, v[0])\nw = v[0]\nv[0] *= 1.5\nreturn z, w"
    assert "assert v.ndim == 1" in check_agrees(function(body, "v: np.ndarray"), (np.array([2.0, 3.0]),))


# --- in loops --------------------------------------------------------------------------------------------------------------


def test_branches_in_loops():
    body = """
m = x[0]
k = 0
for i in range(1, len(x)):
    if x[i] > m:
        m = x[i] - s
        k = i
return m, k
"""
    after = """
m = x[0]
k = 0

m = jnp.asarray(m, jnp.result_type(m, float))

def step(i, carry):
    m, k = carry
    condition = x[i] > m
    m = jnp.where(condition, x[i] - s, m)
    k = jnp.where(condition, i, k)
    return m, k

m, k = lax.fori_loop(1, len(x), step, (m, k))
return m, k
"""
    becomes(body, after, "x: np.ndarray, s: float")


@pytest.mark.parametrize(
    "body",
    [
        "n = 0\ns = 0.0\nfor i in range(len(x)):\n    if x[i] > t:\n        n += 1\n        s += x[i]\nreturn n, s",
        "y = np.zeros_like(x)\nfor i in range(len(x)):\n    if x[i] < t:\n        y[i] = t\n    elif x[i] > 2 * t:\n        y[i] = 2 * t\n"
        "    else:\n        y[i] = x[i]\nreturn y",
        "y = x.copy()\nfor i in range(len(x)):\n    if i > 0:\n        y[i] = x[i] - x[i - 1]\nreturn y",
        "s = 0.0\nfor i in range(len(x)):\n    s += x[i]\n    if s > t:\n        x[i] = x[i] / s\nreturn x",
        "n = len(x)\nfor i in range(n):\n    for j in range(n - 1):\n        if x[j] > x[j + 1]:\n            x[j], x[j + 1] = x[j + 1], x[j]\n"
        "return x",
        "state = 0\ns = 0.0\nfor i in range(len(x)):\n    if state == 0:\n        if x[i] > t:\n            state = 1\n    elif state == 1:\n"
        "        s += x[i]\n        if x[i] < 0:\n            state = 0\nreturn s, state",
        "n = 0\nwhile t < 100 and n < 50:\n    if n % 2 == 0:\n        t = t * 2\n    else:\n        t = t + 1\n    n += 1\nreturn t, n, x",
    ],
)
def test_branches_in_loops_agree(body):
    params = "x: np.ndarray, t: float"
    text = check_agrees(function(body, params), *given(params))
    assert "@jax.jit" in text
    assert "if " not in text.partition("def f(")[2].replace("if x.ndim == 1", "")


# --- derivatives -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "at", "want"),
    [
        ("if x > 0:\n    return np.sqrt(x)\nreturn 0.0 * x", 0.0, 0.0),
        ("if x != 0:\n    y = np.sin(x) / x\nelse:\n    y = 1.0\nreturn y", 0.0, 0.0),
        ("if x > 0:\n    y = x * np.log(x)\nelse:\n    y = 0.0\nreturn y", 0.0, 0.0),
        ("if x < 30:\n    y = np.log1p(np.exp(x))\nelse:\n    y = x\nreturn y", 1000.0, 1.0),
        ("y = x\nif x > 1:\n    y /= x\nreturn y", 0.0, 1.0),
    ],
)
def test_derivatives_are_finite_where_a_side_is_undefined(body, at, want):
    text = check_agrees(function(body, "x: float"), *given("x: float"))
    assert jax.grad(run(text)["f"])(at) == want


# --- what stays Python's ---------------------------------------------------------------------------------------------------


def test_what_a_number_is_used_for():
    """A result that Python needs, as a size or a key, is computed by Python."""
    text = """
        import numpy as np


        def half(n):
            if n > 10:
                return n // 2
            return n


        def f(x: np.ndarray):
            return np.ones(half(x.shape[0]))
        """
    made = check_agrees(text, (np.arange(3.0),), (np.arange(30.0),))
    assert "jnp.where" not in made


def test_a_chosen_number_is_traced():
    text = """
        import numpy as np


        def step(x: float):
            if x > 0:
                return 1.0
            return 0.0


        def f(x: np.ndarray, t: float):
            if step(t) > 0.5:
                x = x + 1
            return x
        """
    made = check_agrees(text, *given("x: np.ndarray, t: float"))
    assert "x = jnp.where(step(t) > 0.5, x + 1, x)" in made


def test_an_argument_that_is_given_an_array_is_not_static():
    text, _functions, _diagnostics = convert(
        """
        import numpy as np

        def size(x, mode):
            if mode == "max" and x is not None:
                return np.max(x)
            return np.sum(x)

        def pick(x, flag):
            if flag:
                return x * 2
            return x

        def main():
            for value in np.linspace(0.0, 1.0, 3):
                print(pick(value, value), size(np.zeros(2), "max"))
        """
    )
    assert 'static_argnames="flag"' not in text and 'static_argnames="mode"' in text


def test_a_number_that_is_printed_may_be_chosen_by_jax():
    text, _functions, _diagnostics = convert(
        """
        import numpy as np

        def absolute_value(x):
            if x >= 0:
                return x
            else:
                return -x

        def main():
            for x in np.linspace(-2.0, 2.0, 5):
                print("%.2f" % absolute_value(x), f"{absolute_value(x):.3f}")
        """
    )
    assert "return jnp.where(x >= 0, x, -x)" in text


def test_a_dear_side_beside_a_light_one():
    source = """
    import numpy as np

    def f(X, y, lr, n):
        w = np.zeros(X.shape[1])
        b = 0
        for _ in range(n):
            for i, x in enumerate(X):
                if y[i] * (np.dot(x, w) - b) >= 1:
                    w -= lr * (0.2 * w)
                else:
                    w -= lr * (0.2 * w - np.dot(x, y[i]))
                    b -= lr * y[i]
        return w, b
    """
    X, y = np.array([[1.0, -2.0], [0.5, 3.0], [4.0, 1.0]]), np.array([1.0, -1.0, 1.0])
    text = check_agrees(source, (X, y, 0.1, 3), (X, y.astype(int), 0.5, 2), (X.astype(np.float32), y, 0.5, 2))
    assert "w = lax.cond(" in text and "b = jnp.where(" in text


# --- several stores to an array --------------------------------------------------------------------------------------------

GRID = "A: np.ndarray, B: np.ndarray"
CALLS = [(np.arange(12.0).reshape(4, 3) - 5, np.cos(np.arange(12.0)).reshape(4, 3)), (np.full((3, 2), -0.0), -np.ones((3, 2)))]


def stores(lines, after=""):
    """The conversion of a loop over the elements of two arrays that makes some stores where an element of `B` is positive."""
    made = "".join(f"            {line}\n" for line in lines)
    loops = "    n, m = A.shape\n    for i in range(1, n):\n        for j in range(1, m):\n            if B[i, j] > 0:\n"
    source = f"import numpy as np\n\n\ndef f({GRID}):\n    A = A.copy()\n    count = 0\n{loops}"
    source += made.replace("            ", "                ", len(lines)) + after + "    return A, count\n"
    return check_agrees(source, *CALLS)


@pytest.mark.parametrize(
    "lines",
    [
        ["A[i, j] -= 1", "A[i - 1, j] += 0.25"],
        ["A[i, j], A[i - 1, j] = A[i - 1, j], A[i, j]"],
        ["A[i], A[i - 1] = A[i - 1].copy(), A[i].copy()"],
        ["A[i, j] -= 1", "A[i, j - 1] = A[i, j] * 2", "count += 1"],
    ],
)
def test_an_arm_that_stores_to_several_elements_runs_alone(lines):
    text = stores(lines)
    assert "lax.cond(B[i, j] > 0, then, otherwise, A" in text
    assert "jnp.where" not in text


@pytest.mark.parametrize("lines", [["A[i, j] -= 1"], ["A[i, j] = 0.0", "A[i - 1, j] = 1.0"]])
def test_stores_that_are_selected(lines):
    """One store, and stores that read nothing."""
    text = stores(lines)
    assert "lax.cond(B" not in text
    assert "jnp.where" in text


@pytest.mark.parametrize(
    "other",
    [
        "else:\n    A[i, j] = 0.0\n    count = 3",
        "elif B[i, j] < -0.5:\n    A[i - 1, j - 1] += A[i, j]\nelse:\n    A[i, j] *= 2\n    count -= 1",
    ],
)
def test_an_array_that_both_arms_change_takes_two_branches(other):
    """XLA copies an array that both arms of one `lax.cond` update."""
    text = stores(["A[i, j] -= 1", "A[i - 1, j] += 0.25"], textwrap.indent(other + "\n", " " * 12))
    assert "jnp.logical_not(B[i, j] > 0)" in text


def test_a_variable_that_both_arms_bind_first_takes_one_branch():
    text = stores(
        ["A[i, j] -= 1", "A[i - 1, j] += 0.25", "t = 1.0"],
        "            else:\n                A[i, j] = t = 2.0\n            A[i, 0] += t\n",
    )
    assert "logical_not" not in text


@pytest.mark.parametrize(
    "arms, why",
    [
        ("x + 1 if x.sum() > 0 else x * 2", ""),
        ("np.linalg.inv(x) if x.sum() > 0 else x * 2", "it calls `np.linalg.inv`"),
        ("x * 2 if x.sum() > 0 else x.T", "both arms must have the same shape"),
    ],
)
def test_the_message_says_why_one_arm_runs_alone(arms, why):
    yes, _if, rest = arms.partition(" if ")
    test, _else, no = rest.partition(" else ")
    body = f"if {test}:\n    y = {yes}\nelse:\n    y = {no}\nreturn y"
    (message,) = (d.message for d in convert(function(body, "x: np.ndarray"), placement="device")[2] if d.code == "NJ403")
    assert message.endswith(f"`lax.cond` runs one arm, since {why}" if why else "both arms are computed, and `jnp.where` selects")
