"""Slices of constant length that meet arrays of this length, and slices of what `np.pad` makes: none ends beyond its array."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on, check_agrees, convert, run
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

RNG = np.random.default_rng(3)
X, K, IMAGE = RNG.normal(size=12), np.array([0.5, -1.0, 2.0]), RNG.normal(size=(5, 6))

ADDED = {
    "shifted": "n = len(x) - len(k) + 1\n    out = np.zeros(n)\n    for j in range(len(k)):\n        out += k[j] * x[j : j + n]\n    return out",
    "the other way": "n = len(x) - len(k) + 1\n    out = np.ones(n)\n    for j in range(len(k) - 1, -1, -1):\n        out -= x[j : j + n] * k[j] + 1\n    return out",
    "padded": "n = len(x)\n    p = np.pad(x, len(k) // 2)\n    out = np.zeros(n)\n    for j in range(len(k)):\n        out += k[j] * p[j : j + n]\n    return out",
    "padded on one side": "n = len(x)\n    p = np.pad(x, (len(k) - 1, 0))\n    out = np.zeros(n)\n    for j in range(len(k)):\n        out += k[j] * p[j : j + n]\n    return out",
    "of another array": "n = len(x) - len(k)\n    out = np.zeros(n)\n    w = np.append(x, x)\n    for j in range(len(k)):\n        out += w[j : j + n]\n    return out",
}


@pytest.mark.parametrize("name", ADDED)
def test_slices_that_are_added_up(name):
    text = f"import numpy as np\n\n\ndef f(x: np.ndarray, k: np.ndarray):\n    {ADDED[name]}\n"
    made = check_agrees(text, (X, K), (X, K[:1]), (X[:3], K), (X, RNG.normal(size=4)), (np.arange(9), np.array([1, 2])))
    assert "jax.jit" in made and (" <= " in made) is (name == "of another array"), made


IMAGES = {
    "a median filter": "p = np.pad(a, s // 2, mode='edge')\n    out = np.zeros_like(a)\n    for i in range(a.shape[0]):\n        for j in range(a.shape[1]):\n            out[i, j] = np.median(p[i : i + s, j : j + s])\n    return out",
    "pads for each axis": "n, m = a.shape\n    p = np.pad(a, ((s, 1), (0, s)))\n    out = np.zeros((n, m))\n    for i in range(n):\n        for j in range(m):\n            out[i, j] = p[i : i + s, j : j + s].max()\n    return out",
}


@pytest.mark.parametrize("name", IMAGES)
def test_windows_of_what_is_padded(name):
    text = f"import numpy as np\n\n\ndef f(a: np.ndarray, s: int):\n    {IMAGES[name]}\n"
    made = check_agrees(text, (IMAGE, 3), (IMAGE, 1), (IMAGE[:1, :2], 3), ((IMAGE * 9).astype(int), 2))
    assert "_windows(" in made and "jax.jit" in made


ENDS = {
    "a function": "out[i] = np.median(x[i : i + w])",
    "a factor": "out[i] = np.median(x[i : i + w] * s)",
    "a sum": "out[i] = np.sum(x[i : i + w] ** 2)",
}


@pytest.mark.parametrize("name", ENDS)
def test_slices_that_end_with_the_array_may_be_shorter(name):
    """Nothing is supposed of them that NumPy does not ask for."""
    text = f"import numpy as np\n\n\ndef f(x: np.ndarray, w: int, s):\n    out = np.zeros(len(x))\n    for i in range(len(x)):\n        {ENDS[name]}\n    return out\n"
    made = check_agrees(text, (X, 3, 2.0), (X, 20, 0.5), (X[:1], 1, 1.0))
    assert "assert w <" not in made and ".shape[0]" not in "".join(line for line in made.splitlines() if "assert" in line)


def test_a_slice_that_ends_beyond_its_array():
    text = f"import numpy as np\n\n\ndef f(x: np.ndarray, k: np.ndarray):\n    {ADDED['of another array']}\n".replace(
        "np.append(x, x)", "x[1:]"
    )
    made, functions, _diagnostics = convert(text)
    assert agrees_on(text, made, functions["f"], (X, K))
    short = text.replace("x[1:]", "x[3:]")
    made, functions, _diagnostics = convert(short)
    with pytest.raises(ValueError):
        run(short)["f"](X, K)
    with pytest.raises(AssertionError):
        run(made)["f"](X, K)


def test_the_width_of_a_pad_is_given_by_its_name():
    """`constant_values` was taken for the width: windows that end with the array were read as if it went on."""
    text = "import numpy as np\n\n\ndef f(x: np.ndarray, s: int):\n    p = np.pad(x, constant_values=9, pad_width=1)\n    out = np.zeros(len(x))\n    for i in range(len(x)):\n        out[i] = np.median(p[i : i + 5])\n    return out\n"
    check_agrees(text, (X, 5), (X[:3], 5))
    check_agrees(text.replace("constant_values=9, pad_width=1", "pad_width=2, mode='edge'"), (X, 5), (X[:3], 5))


RNG = np.random.default_rng(7)


NAN, INF = np.nan, np.inf


def one_by_one(made):
    """Whether JAX takes one iteration after the other."""
    return "lax.fori_loop" in made or "lax.scan" in made


def vector(n, *special):
    made = RNG.normal(size=n)
    for position, value in special:
        made[position] = value
    return made


def square(n):
    return RNG.normal(size=(n, n)) + n * np.eye(n)


WINDOWS = {
    "read": "y[i] = y[i - 1] + x[i:i + 3].sum()",
    "around": "y[i + 1] = np.median(x[i:i + 3]) + y[i]",
    "store": "y[i:i + 2] += x[i]",
    "store array": "y[i:i + 3] = 0.5 * y[i:i + 3] + x[i:i + 3]",
    "mixed": "y[i:i + 2] = x[i + 1:i + 3] - y[i]",
}


@pytest.mark.quick(3)
@pytest.mark.parametrize("iteration", WINDOWS.values(), ids=WINDOWS)
def test_windows(iteration):
    text = f"""
    import numpy as np

    def f(x):
        n = x.shape[0]
        y = np.zeros(n)
        for i in range(n - 2):
            {iteration}
        return y
    """
    made = check_agrees(text, *[(vector(n),) for n in (1, 3, 5)], (vector(5, (2, NAN)),))
    assert one_by_one(made) and "jnp.where" not in made, made


def test_windows_along_several_axes():
    text = """
    import numpy as np

    def f(image, weights):
        K = weights.shape[0]
        rows, columns = image.shape[0] - K + 1, image.shape[1] - K + 1
        out = np.zeros((max(rows, 0), max(columns, 0)))
        for i in range(rows):
            for j in range(columns):
                out[i, j] = np.sum(image[i:i + K, j:j + K] * weights) + 0.1 * out[i - 1, j]
        return out
    """
    made = check_agrees(text, (RNG.normal(size=(4, 5)), square(2)), (RNG.normal(size=(1, 2)), square(1)))
    assert "lax.dynamic_slice_in_dim(lax.dynamic_slice_in_dim(image, i, min(K, image.shape[0]))" in made


def test_a_slice_that_lies_inside_meets_one_that_may_not():
    text = """
    import numpy as np

    def f(x: np.ndarray, z: np.ndarray):
        y = np.zeros_like(x)
        for i in range(x.shape[0] - 1):
            y[i] = np.sum(2 * x[i:i + 2] * z[i:i + 2]) + y[i - 1]
        return y
    """
    made = check_agrees(text, (vector(1), vector(1)), (vector(4), vector(4)))
    assert one_by_one(made) and "jnp.arange(2)" not in made


def test_a_window_that_may_leave_the_array_is_masked():
    text = """
    import numpy as np

    def f(x: np.ndarray):
        y = np.zeros(x.shape[0])
        for i in range(x.shape[0]):
            y[i] = 0.5 * y[i - 1] + x[i:i + 3].sum()
        return y
    """
    made = check_agrees(text, (vector(2),), (vector(6),), (vector(6, (5, NAN)),))
    assert "dynamic_slice" not in made and one_by_one(made)


@pytest.mark.quick(3)
@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("slices", ["np.flip(x[i:i + 2])", "x[i:i + 2][::-1]", "np.flip(x[i // 2:i + 3])"])
def test_a_slice_that_is_turned_round_may_end_beyond_the_array(slices, n):
    check_agrees(
        f"""
        import numpy as np

        def f(x: np.ndarray, z: np.ndarray):
            n = len(x)
            for i in range(n):
                z[i] = np.prod(2 * {slices})
            return z
        """,
        (vector(n), vector(n)),
    )


@pytest.mark.parametrize("store", ["z[i:i + 2] = {}", "z[i:i + 2] *= {}", "z[i] = {}", "z[i, None] += {}"])
def test_a_window_is_given_what_a_slice_of_another_length_makes(store):
    made = check_agrees(
        f"""
        import numpy as np

        def f(z: np.ndarray, y: np.ndarray):
            n = z.shape[0]
            for i in range(n - 1):
                {store.format("np.sum(y[i:n])")}
            return z
        """,
        (vector(5), vector(5)),
        (vector(1), vector(1)),
        (vector(2), vector(2, (1, NAN))),
    )
    assert "@jax.jit" in made
