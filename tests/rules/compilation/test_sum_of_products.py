"""Sums of products that are products of matrices: the same for every dtype, also where nothing says which one it will be."""

import jax
import libcst as cst
import numpy as np
import pytest

from np2jax.migrate.rewriting import rewriter
from np2jax.rules.core import registry
from np2jax.rules.core.findings import Finding
from np2jax.tests.helpers.differential import agrees_on, check_agrees, convert, run
from np2jax.tests.helpers.drawn_programs import seeds
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

HELPER = "_sum_of_products("
MATRICES = "import numpy as np\n\ndef f(a, b):\n    return np.sum(a[:, :, None] * b[None, :, :], axis=1)\n"
CONVOLUTION = """
import numpy as np

def f(x, w):
    k = w.shape[0]
    out = np.empty((x.shape[0], x.shape[1] - k + 1, x.shape[2] - k + 1, w.shape[3]), np.float32)
    for i in range(x.shape[1] - k + 1):
        for j in range(x.shape[2] - k + 1):
            out[:, i, j, :] = np.sum(x[:, i:i + k, j:j + k, :, np.newaxis] * w[np.newaxis, :, :, :], axis=(1, 2, 3))
    return out
"""
DTYPES = ["bool", "int8", "uint8", "int16", "int64", "float32", "float64", "complex64", "complex128"]


def array(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    made = rng.normal(size=shape) * 60
    return made.astype(dtype) if np.dtype(dtype).kind != "c" else (made + 1j * rng.normal(size=shape)).astype(dtype)


def called(text):
    """Whether a function of the file calls the helper."""
    return text.count(HELPER) > 1


@pytest.mark.quick(4)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_of_which_nobody_knows(dtype):
    """Products of int8 wrap before they are added up, those of bools are bools, and their sums are int64."""
    text = check_agrees(MATRICES, (array((4, 30), dtype), array((30, 5), dtype, 1)))
    assert called(text)
    check_agrees(CONVOLUTION, (array((2, 6, 7, 3), dtype), array((3, 3, 3, 4), dtype, 1)))


@pytest.mark.parametrize("one", ["float32", "float64", "int8", "complex128"])
@pytest.mark.parametrize("other", ["float64", "int64", "bool"])
def test_mixed_dtypes(one, other):
    if {one, other} & {"float32", "int8"} and other == "int64" and one == "float32":
        pytest.skip("JAX promotes float32 with int64 otherwise, with and without this")
    check_agrees(MATRICES, (array((4, 3), one), array((3, 5), other, 1)))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("special", [np.inf, -np.inf, np.nan])
def test_infinite_and_undefined(dtype, special):
    a, b = array((4, 6), dtype), array((6, 5), dtype, 1)
    a[1, 2], a[2, 3], b[3, 1], b[2, 2], b[0, 0] = special, -special, 0, 0, special
    check_agrees(MATRICES, (a, b), (b.T.copy(), a.T.copy()))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((4, 0), (0, 5)),
        ((0, 3), (3, 5)),
        ((4, 1), (1, 5)),
        ((1, 1), (1, 1)),
        ((4, 1), (3, 5)),
        ((4, 3), (1, 5)),
        ((4, 1), (0, 5)),
    ],
)
def test_empty_axes_and_those_that_broadcast(a, b):
    """Where only one has an axis that is summed, the other one counts as often as that is long: also 0 times, also inf - inf."""
    one, other = array(a, "float64"), array(b, "float64", 1)
    check_agrees(MATRICES, (one, other))
    if one.size and other.size:
        one.flat[0], other.flat[-1] = np.inf, -np.inf
        check_agrees(MATRICES, (one, other))


def test_more_axes_than_are_written():
    check_agrees(
        MATRICES, (array((4, 3, 2), "float64"), array((3, 5, 2), "float64")), (array((4, 3), "f8"), array((3, 5, 6), "f8"))
    )


def test_shapes_that_do_not_fit_raise():
    text, *_ = convert(MATRICES)
    for a, b in [((4, 3), (2, 5)), ((4,), (3, 5))]:
        with pytest.raises((TypeError, ValueError, IndexError)):
            run(text)["f"](jax.numpy.ones(a), jax.numpy.ones(b))


def test_overflow_of_half_precision_stays():
    check_agrees(MATRICES, (np.full((2, 3), 300, "float16"), np.full((3, 2), 300, "float16")))


def test_no_precision_is_lost():
    """The default of devices that multiply matrices of float32 by shorter numbers is not taken."""
    text, *_ = convert(MATRICES)
    jaxpr = str(jax.make_jaxpr(run(text)["f"])(np.ones((2, 3), "float32"), np.ones((3, 2), "float32")))
    assert "HIGHEST" in jaxpr and "dot_general" in jaxpr


def test_derivatives():
    f = run(convert(MATRICES)[0])["f"]
    a, b = array((2, 3), "float64"), array((3, 4), "float64", 1)
    assert np.allclose(jax.grad(lambda a: f(a, b).sum())(a), np.broadcast_to(b.sum(1), (2, 3)))


@pytest.mark.quick(4)
@pytest.mark.parametrize(
    "expression",
    [
        "np.sum(a[:, :, None] * b[None, :, :], 1)",
        "np.sum(a[:, :, None] * b[None], axis=1)",
        "np.sum(a[:, :, None] * b[None, :, :], axis=-2)",
        "np.sum(a[:, None, :] * b.T[None, :, :], axis=2)",
        "np.sum(a[:, None] * b.T[None], axis=2)",
        "np.sum(a[None, :, :] * b.T[:, None, :], axis=(2,))",
        "(a[:, :, None] * b[None, :, :]).sum(axis=1)",
        "(a[:, :, None]*b[None]).sum(-2)",
        "np.sum(np.sum((a[:, :, None] * b[None, :, :]), axis=1), axis=0)",
    ],
)
def test_ways_to_write_it(expression):
    a, b = array((4, 3), "float64"), array((3, 5), "float64", 1)
    text = check_agrees(
        f"import numpy as np\n\ndef f(a, b):\n    return {expression}\n", (a, b), (a.astype("int8"), b.astype("int8"))
    )
    # trailing axes that nobody writes may be summed as well: only those that are seen count
    assert called(text) == (expression != "np.sum(a[:, None] * b.T[None], axis=2)")


@pytest.mark.quick(9)
@pytest.mark.parametrize(
    "expression",
    [
        "np.sum(a * b, axis=1)",
        "np.sum(a[:, :, None] * b[:, :, None], axis=1)",
        "np.sum(a[:, None, :] * b, axis=1)",
        "np.sum(a[:, :, None] * b[None, :, :])",
        "np.sum(a[:, :, None] * b[None, :, :], axis=k)",
        "np.sum(a[:, :, None] * b[None, :, :], axis=(1, -2))",
        "np.sum(a[:, :, None] * b[None, :, :], axis=1, keepdims=True)",
        "np.sum(a[:, :, None] * b[None, :, :], axis=1, dtype=np.float64)",
        "np.sum(a[:, :, None] + b[None, :, :], axis=1)",
        "np.sum(a[:, :, None] ** b[None, :, :], axis=1)",
        "np.sum(a[:, :, None] * b[None, :, :], axis=0)",
        "np.sum(a[0, :, None] * b[None, 0, :], axis=0)",
        "np.sum(a[..., None] * b[None], axis=1)",
        "(a[:, :, None] * b[None, :, :]).sum()",
        "(a[:, :, None] * b[None, :, :]).sum(axis=1, keepdims=True)",
        "(a[:, :, None] * b[None, :, :]).mean(axis=1)",
        "(a[:, :, None]  # first\n        * b[None, :, :]).sum(axis=1)",
        "np.sum(a[:, :, None] * # first\n        b[None, :, :], axis=1)",
        "np.max(a[:, :, None] * b[None, :, :], axis=1)",
        "np.sum(1 * (a[:, :, None] > 0) * b[None, :, :], axis=1)",
        "np.sum(a.astype(int)[:, :, None] * b.astype(int)[None, :, :], axis=1)",
    ],
)
def test_what_stays(expression):
    text = check_agrees(
        f"import numpy as np\n\ndef f(a, b, k=1):\n    return {expression}\n",
        (array((3, 3), "f8"), array((3, 3), "f8")),
        keep=True,
    )
    assert HELPER not in text


def test_a_sum_under_a_mask_stays():
    before = """
        import numpy as np

        def f(a, b):
            out = np.zeros((a.shape[0], b.shape[1]))
            for i in range(1, a.shape[1]):
                out += np.sum(a[:, :i, None] * b[None, :i, :], axis=1)
            return out
    """
    check_agrees(before, (array((4, 6), "f8"), array((6, 5), "f8")), (array((4, 6), "i1"), array((6, 5), "i1")), keep=True)


def test_functions_that_stay_numpy_and_names_that_are_taken():
    text, *_ = convert(
        "import numpy as np\n\n_sum_of_products = 3\n\ndef f(a, b):\n    return _sum_of_products + np.sum(a[:, :, None] * b[None, :, :], axis=1)\n\n"
        "def g(a, b, path):\n    np.save(path, np.sum(a[:, :, None] * b[None, :, :], axis=1))\n    np.setdiff1d(a, b).tofile(path)\n"
    )
    assert "_sum_of_products_2(a" in text and text.count("_sum_of_products_2(") == 2
    assert np.allclose(run(text)["f"](np.ones((2, 3)), np.ones((3, 2))), 6)


def check(seed):
    """A random sum of products, of all dtypes and of random shapes; its text, and whether einsum may add it up."""
    rng = np.random.default_rng(seed)
    places = rng.permutation(4)
    new, axes = (places[0], places[1]), tuple(int(k) for k in sorted(places[2 : 2 + rng.integers(1, 3)]))
    factors = [f"{n}[{', '.join('None' if k == where else ':' for k in range(4))}]" for n, where in zip("ab", new, strict=True)]
    before = f"import numpy as np\n\ndef f(a, b):\n    return np.sum({factors[0]} * {factors[1]}, axis={axes})\n"
    text, functions, _ = convert(before)
    assert called(text)
    for dtype in ["float64", "int8", "bool", "float32"]:
        sizes = rng.integers(0, 4, 4)
        a, b = (array(tuple(np.where(rng.random(3) < 0.1, 1, np.delete(sizes, k))), dtype, seed) for k in new)
        agrees_on(before, text, functions["f"], (a, b))
    return text, called(text)


@pytest.mark.parametrize("seed", seeds(range(12), quick=5))
def test_random_sums(seed):
    check(seed)


@pytest.mark.quick(3)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "int8", "bool"])
@pytest.mark.parametrize("call", ["np.sum({}, axis=1)", "({}).sum(axis=1)"])
def test_dtypes_that_are_known(call, dtype):
    """Other rules may say which dtype the sum has: what only makes code faster gives way to them."""
    product = call.format("a[:, :, None] * b[None, :, :]")
    before = f"import numpy as np\n\ndef f(n: int):\n    a = np.ones((2, n), np.{dtype})\n    b = np.ones((n, 3), np.{dtype})\n    return {product}\n"
    check_agrees(before.replace("np.bool", "bool"), (4,), (0,))


@pytest.mark.parametrize("call", ["np.sum(a[:, :, None] * b[None, :, :], axis=1)", "(2.0 * a @ b)"])
def test_two_changes_in_one_place(call, monkeypatch):
    """The other one is made, and the function is converted all the same."""
    known = registry.all_rules()
    monkeypatch.setattr(registry, "_FOUND", {})  # where the rule of this test is registered
    rule = registry.Rule("made.for_this_test", "NJ999")

    @rule.on(cst.Call, cst.BinaryOperation)
    def check(node, ctx):
        if isinstance(node, cst.Call) or isinstance(node.operator, cst.MatrixMultiply):
            yield Finding(
                node, "", {node: lambda made: cst.parse_expression("jnp.zeros(())")}, frozenset({"import jax.numpy as jnp"})
            )

    monkeypatch.setattr(rewriter, "all_rules", lambda: {**known, "NJ999": rule})
    text, functions, _ = convert(f"import numpy as np\n\ndef f(a, b):\n    return np.pi + {call}\n")
    assert "jnp.pi + jnp.zeros(())" in text.replace("(jnp.zeros(()))", "jnp.zeros(())") and functions["f"].label != "kept"
    assert HELPER not in text and "_scaled_matmul" not in text
