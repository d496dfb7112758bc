"""Compiled functions of packages return to NumPy callers what the NumPy version returned, and to JAX callers arrays of JAX."""

import textwrap

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, convert_project, run
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__, path="m/__init__.py", placement="fast")
X = np.array([1.0, -2.0, 3.0, 0.5])


def converted(source, **options):
    source = "import numpy as np\n" + textwrap.dedent(source)
    text, functions, _diagnostics = convert(source, path="m/__init__.py", placement="fast", **options)
    return text, functions, run(source), run(text)


LOOP = """
    y = np.zeros_like(x)
    total = 0.0
    for i in range(1, len(x)):
        y[i] = 0.5 * y[i - 1] + abs(x[i])
        total += y[i] * x[i]
"""


@pytest.mark.parametrize(
    "result",
    ["y", "y.sum()", "float(total)", "total < 1.0", "(y, total)", "(float(total), y)", "[y, y]", "(float(y[1]), float(y[2]))"],
)
def test_results_are_of_the_kinds_that_they_were(result):
    text, _functions, before, after = converted(f"def f(x: np.ndarray):{LOOP}    return {result}\n")
    assert "_results\n@jax.jit\ndef f(" in text or "numbers=(0,))\n@jax.jit\ndef f(" in text, text
    want, got = before["f"](X), after["f"](X)
    assert not compare_values(got, want)
    for one, other in zip(want if type(want) is tuple else [want], got if type(got) is tuple else [got], strict=True):
        assert type(one) is type(other)
        if isinstance(other, np.ndarray):
            assert other.flags.writeable
    assert all(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(after["f"](jnp.asarray(X))))


def test_transformations_of_jax_reach_the_compiled_function():
    _text, _functions, before, after = converted(f"def f(x: np.ndarray):{LOOP}    return total\n")
    gradient = jax.grad(after["f"])(X)
    step = np.array([0.0, 1e-6, 0.0, 0.0])
    np.testing.assert_allclose(gradient[1], (before["f"](X + step) - before["f"](X - step)) / 2e-6, rtol=1e-6)
    np.testing.assert_allclose(jax.vmap(after["f"])(np.stack([X, X])), [before["f"](X)] * 2)
    assert isinstance(jax.jit(lambda y: y + after["f"](X))(1.0), jax.Array)  # it is traced, without a traced argument


def test_the_project_gets_numpy_arrays_on_the_host_and_traced_ones_in_compiled_code():
    text, _functions, before, after = converted(
        f"""
def f(x: np.ndarray):{LOOP}    return y

def compiled(x: np.ndarray):
    for _ in range(20):
        x = f(x) * 0.5 + np.sqrt(np.abs(x))
    return x

def host(name, x: np.ndarray):
    print(name)
    y = f(x)
    y[0] = 2.0
    return y
"""
    )
    assert "np.array(f(x))" not in text and "jnp.sqrt(jnp.abs(x))" in text, text
    np.testing.assert_allclose(after["compiled"](X), before["compiled"](X))
    np.testing.assert_array_equal(after["host"]("abc", X), before["host"]("abc", X))


@pytest.mark.parametrize(
    "options", [{"path": "m.py", "placement": "fast"}, {"path": "m/__init__.py", "placement": "device"}], ids=["a file", "device"]
)
def test_functions_of_scripts_and_of_programs_for_the_device_return_arrays_of_jax(options):
    text, _functions, _diagnostics = convert(f"import numpy as np\ndef f(x: np.ndarray):{LOOP}    return y\n", **options)
    assert "_numpy_results" not in text and "@jax.jit" in text


GUARD = '\nif __name__ == "__main__":\n    print(f(np.ones(3)))\n'


@pytest.mark.parametrize(("guard", "found"), [("", True), (GUARD, False)], ids=["a module", "a script"])
def test_functions_beside_those_that_stay_numpy(guard, found):
    """What one returns may be passed to the other, which works with NumPy arrays."""
    other = "\ndef g(name, x: np.ndarray):\n    print(name)\n    x[0] = 2.0\n    return np.sqrt(x)\n"
    text, *_rest = convert(f"import numpy as np\ndef f(x: np.ndarray):{LOOP}    return y\n{other}{guard}", placement="fast")
    assert ("@_numpy_results" in text) is found, text
    if found:
        run(text)["g"]("a", run(text)["f"](X))


def test_private_functions_return_arrays_of_jax():
    text, *_rest = converted(f"def _f(x: np.ndarray):{LOOP}    return y\n\ndef f(name, x):\n    print(name)\n    return _f(x)\n")
    assert "_numpy_results" not in text and "return np.array(_f(x))" in text


def test_converted_code_that_is_not_compiled_gets_arrays_of_jax():
    """It updates them by `.at`, which NumPy's have not."""
    source = f"import numpy as np\ndef f(x: np.ndarray):{LOOP}    return y\n"
    user = "import numpy as np\nfrom m import f\nY = f(np.ones(3))\nY[0] = 5.0\nZ = np.sqrt(Y)\n"
    texts, *_rest = convert_project({"m/__init__.py": source, "m/tables.py": user}, placement="fast")
    assert ("_numpy_results" in texts["m/__init__.py"]) is (".at[" not in texts["m/tables.py"]), texts


def test_lists_and_keys_of_shells():
    text, _functions, before, after = converted(
        f"""
def f(x):{LOOP.replace("zeros_like(x)", "zeros(len(x))")}    return y * np.mean(x)
"""
    )
    assert "@_numpy_results" in text
    for given in (X, [1, 2, 3], (1.5, 2.5)):
        want, got = before["f"](given), after["f"](given)
        assert type(got) is type(want)
        np.testing.assert_allclose(got, want)


def test_draws_return_numpy_arrays_without_a_key():
    _text, _functions, _before, after = converted(
        """
def walk(n: int, steps: int):
    x = np.random.normal(size=n)
    for _ in range(steps):
        x = 0.9 * x + np.sqrt(np.abs(x))
    return x
"""
    )
    assert type(after["walk"](3, 4)) is np.ndarray
    assert isinstance(after["walk"](3, 4, key=jax.random.key(1)), jax.Array)


def test_what_a_function_returns_beside_the_arrays_that_it_changes():
    _text, _functions, before, after = converted(
        """
def f(x: np.ndarray):
    for i in range(1, len(x)):
        x[i] = 0.5 * x[i - 1] + np.abs(x[i])
    return x.sum()
"""
    )
    x, y = X.copy(), X.copy()
    want, got = before["f"](x), after["f"](y)
    assert type(got) is type(want) and got == want
    np.testing.assert_array_equal(x, y)
