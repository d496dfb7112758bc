"""Pairs as the converter writes them, before and after, compared without any contract; and what a slip in them would do."""

import ast
import textwrap

import pytest

pytest.importorskip("jax")

from np2jax.runtime_shim.verification.verify import verify

pytestmark = pytest.mark.slow

IN_PLACE = (
    """
    import numpy as np

    def clean(x: "Float[Array, 'n']", index: "Int[Array, 'k']"):
        y = x.copy()
        y[0] = 1.0
        y[1:3] *= 2.0
        y[y < 0] = 0.0
        y[index] += 1.0  # a repeated index counts once
        np.add.at(y, index, 1.0)  # a repeated index counts every time
        y[3], y[4] = y[4], y[3]
        return y
    """,
    """
    import jax
    import jax.numpy as jnp

    @jax.jit
    def clean(x: "Float[Array, 'n']", index: "Int[Array, 'k']"):
        y = x
        y = y.at[0].set(1.0)
        y = y.at[1:3].multiply(2.0)
        y = jnp.where(y < 0, 0.0, y)
        y = y.at[index].set(y[index] + 1.0)  # a repeated index counts once
        y = y.at[index].add(1.0)  # a repeated index counts every time
        y = y.at[3].set(y[4]).at[4].set(y[3])
        return y
    """,
)

ARGUMENTS = (
    """
    import numpy as np

    def damp(state, rate):
        state *= 1.0 - rate

    def push(position, velocity, dt):
        step = velocity * dt
        position += step
        return np.abs(step).max()

    def simulate(position, velocity, dt, rate):
        biggest = push(position, velocity, dt)
        damp(velocity, rate)
        return biggest
    """,
    """
    import jax
    import jax.numpy as jnp

    @jax.jit
    def damp(state, rate):
        state = state * (1.0 - rate)
        return state

    @jax.jit
    def push(position, velocity, dt):
        step = velocity * dt
        position = position + step
        return jnp.abs(step).max(), position

    @jax.jit
    def simulate(position, velocity, dt, rate):
        biggest, position = push(position, velocity, dt)
        velocity = damp(velocity, rate)
        return biggest, position, velocity
    """,
)

LOOPS = (
    """
    import numpy as np

    def recurrence(x, decay):
        y = np.empty_like(x)
        y[0] = x[0]
        for i in range(1, x.shape[0]):
            y[i] = decay * y[i - 1] + x[i]
        return y

    def lu(A):
        for i in range(A.shape[0]):
            for j in range(i):
                A[i, j] -= A[i, :j] @ A[:j, j]
                A[i, j] /= A[j, j]
            for j in range(i, A.shape[0]):
                A[i, j] -= A[i, :i] @ A[:i, j]

    def power_iteration(A, tol=1e-10, max_iter=500):
        v = np.ones(A.shape[0])
        value = 0.0
        for i in range(max_iter):
            w = A @ v
            new = np.linalg.norm(w)
            v = w / new
            if abs(new - value) < tol:
                break
            value = new
        return value, v, i

    def scale(x, mode):
        if mode == "max":
            return x / x.max()
        if x.sum() > 0:
            x = x / x.sum()
        else:
            x = np.zeros_like(x)
        return x

    def one_hot(labels, classes, dtype=np.float32):
        return np.array(labels[:, None] == np.arange(classes), dtype)
    """,
    """
    import functools

    import jax
    import jax.numpy as jnp
    from jax import lax

    @jax.jit
    def recurrence(x, decay):
        y = jnp.empty_like(x)
        y = y.at[0].set(x[0])

        def step(i, y):
            return y.at[i].set(decay * y[i - 1] + x[i])

        y = lax.fori_loop(1, x.shape[0], step, y)
        return y

    @jax.jit
    def lu(A):
        n = jnp.arange(A.shape[0])

        def row(i, A):
            def lower(j, A):
                A = A.at[i, j].add(-(jnp.where(n < j, A[i], 0) @ jnp.where(n < j, A[:, j], 0)))
                A = A.at[i, j].divide(A[j, j])
                return A

            def upper(j, A):
                return A.at[i, j].add(-(jnp.where(n < i, A[i], 0) @ jnp.where(n < i, A[:, j], 0)))

            A = lax.fori_loop(0, i, lower, A)
            A = lax.fori_loop(i, A.shape[0], upper, A)
            return A

        A = lax.fori_loop(0, A.shape[0], row, A)
        return A

    @jax.jit
    def power_iteration(A, tol=1e-10, max_iter=500):
        v = jnp.ones(A.shape[0])
        value = 0.0

        def running(carry):
            i, done, v, value = carry
            return ~done & (i + 1 < max_iter)

        def step(carry):
            i, done, v, value = carry
            i = i + 1
            w = A @ v
            new = jnp.linalg.norm(w)
            v = w / new
            done = abs(new - value) < tol
            value = jnp.where(done, value, new)
            return i, done, v, value

        i, done, v, value = lax.while_loop(running, step, (-1, False, v, value))
        return value, v, i

    @functools.partial(jax.jit, static_argnames="mode")
    def scale(x, mode):
        if mode == "max":
            return x / x.max()
        x = jnp.where(x.sum() > 0, x / x.sum(), jnp.zeros_like(x))
        return x

    @functools.partial(jax.jit, static_argnames=("classes", "dtype"))
    def one_hot(labels, classes, dtype=jnp.float32):
        return jnp.array(labels[:, None] == jnp.arange(classes), dtype)
    """,
)


def only(text, name):
    """The source without the functions that `name` does not need."""
    tree = ast.parse(text)
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    needed = {name} | {node.id for node in ast.walk(functions[name]) if isinstance(node, ast.Name)}
    tree.body = [node for node in tree.body if not isinstance(node, ast.FunctionDef) or node.name in needed]
    return ast.unparse(tree)


def verdicts(folder, pair, slip=("", ""), name=""):
    before, after = (textwrap.dedent(text) for text in pair)
    assert slip[0] in after
    for side, text in (("before", before), ("after", after.replace(*slip) if slip[0] else after)):
        (folder / side).mkdir(parents=True)
        (folder / side / "pair.py").write_text(only(text, name) if name else text)
    report = verify(folder / "before" / "pair.py", folder / "after" / "pair.py", examples=9)
    return {function.name.removeprefix("pair."): function for function in report.functions}, report


@pytest.mark.parametrize("pair", [IN_PLACE, ARGUMENTS, LOOPS], ids=["in place", "arguments", "loops"])
def test_pairs_agree(tmp_path, pair):
    functions, report = verdicts(tmp_path, pair)
    assert {function.verdict for function in functions.values()} == {"agrees"}, report.to_text()
    assert all(function.modes == ("jitted", "eager", "ndarray") for function in functions.values())


SLIPS = [
    (IN_PLACE, ".set(y[index] + 1.0)", ".add(1.0)", "clean"),
    (IN_PLACE, "y.at[index].add(1.0)", "y.at[index].set(y[index] + 1.0)", "clean"),
    (IN_PLACE, "y < 0, 0.0", "y <= 0, 0.5", "clean"),
    (IN_PLACE, "y.at[1:3]", "y.at[1:4]", "clean"),
    (ARGUMENTS, "return biggest, position, velocity", "return biggest, velocity, position", "simulate"),
    (ARGUMENTS, "return biggest, position, velocity", "return biggest, position", "simulate"),
    (ARGUMENTS, "biggest, position = push", "biggest, _ = push", "simulate"),
    (ARGUMENTS, "jnp.abs(step).max(), position", "jnp.abs(step).max()", "push"),
    (LOOPS, "lax.fori_loop(1, x.shape[0], step, y)", "lax.fori_loop(1, x.shape[0] - 1, step, y)", "recurrence"),
    (LOOPS, "A.at[i, j].divide(A[j, j])", "A.at[i, j].divide(A[i, i])", "lu"),
    (LOOPS, "(-1, False, v, value)", "(0, False, v, value)", "power_iteration"),
    (LOOPS, "x.sum() > 0", "x.sum() < 0", "scale"),
    (LOOPS, "return x / x.max()", "return x / abs(x).max()", "scale"),
    (LOOPS, "dtype=jnp.float32", "dtype=jnp.float64", "one_hot"),
]


@pytest.mark.parametrize(("pair", "right", "wrong", "name"), SLIPS)
def test_a_slip_is_found(tmp_path, pair, right, wrong, name):
    functions, report = verdicts(tmp_path, pair, (right, wrong), name)
    assert functions[name].verdict == "differs", report.to_text()
