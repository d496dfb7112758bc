"""Output arguments: NumPy before and JAX after agree, or the function is kept."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, check_transformed, convert, refused
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

pytestmark = pytest.mark.slow

DTYPES = [np.float64, np.float32, np.int64, np.int8, np.bool_, np.complex128]
MIXED = [
    (np.float64, np.float32),
    (np.float32, np.float64),
    (np.int64, np.int8),
    (np.int64, np.float64),
    (np.bool_, np.int64),
    (np.float64, np.complex128),
]


FLOATING = ("hypot", "arctan2", "exp", "sqrt")


def sample(dtype, shape=(4,), seed=0):
    numbers = np.random.default_rng(seed).integers(-5, 6, shape)
    return np.asarray(numbers % 2 == 0) if dtype is np.bool_ else np.asarray(numbers, dtype)


def in_every_dtype(expression, shape=(4,), extra=()):
    """A function `f(a, b, c)` of one statement, on operands and an output of the same dtype and of two."""
    pairs = [(d, d) for d in DTYPES] + MIXED
    if any(name in expression for name in FLOATING):  # of small integers NumPy makes float16, which takes knowing the dtype
        pairs = [(d, e) for d, e in pairs if d not in (np.int8, np.bool_) and (d, e) != (np.float32, np.float64)]
    calls = [(sample(d, shape, 1), sample(d, shape, 2), sample(e, shape, 3)) for d, e in pairs]
    source = f"import numpy as np\n\ndef f(a, b: np.ndarray, c: np.ndarray):\n    {expression}\n    return a * 2\n"
    return check_agrees(source, *calls, *extra)


@pytest.mark.parametrize(
    "name", ["add", "subtract", "multiply", "maximum", "hypot", "logical_and", "greater", "arctan2", "bitwise_or"]
)
def test_ufunc_of_two_in_every_dtype(name):
    in_every_dtype(f"np.{name}(a, b, out=c)")


@pytest.mark.parametrize("name", ["negative", "abs", "square", "isnan", "sign", "logical_not", "floor", "exp"])
def test_ufunc_of_one_in_every_dtype(name):
    in_every_dtype(f"np.{name}(a, out=c)")


def test_divide_into_another_dtype():
    in_every_dtype("np.divide(a, b, out=c)", extra=[(np.array([np.nan, np.inf]), np.array([1.0, 0.0]), np.zeros(2, np.float32))])


def test_positional():
    text = in_every_dtype("np.multiply(a, b, c)")
    assert "jnp.multiply(a, b))" in text


def test_output_may_be_larger_than_the_operands():
    source = "import numpy as np\n\ndef f(a, b, c: np.ndarray):\n    np.add(a, b, out=c)\n    return c.sum()\n"
    check_agrees(
        source,
        (np.arange(3.0), np.arange(3.0), np.zeros((2, 3))),
        (np.ones(()), np.ones(()), np.zeros((2, 3))),
        (1.0, 2.0, np.zeros(())),
    )


def test_empty_and_zero_dimensional():
    in_every_dtype("np.add(a, b, out=c)", (0,))
    in_every_dtype("np.add(a, b, out=c)", ())
    in_every_dtype("np.multiply(c, c, c)", ())


def test_operand_is_the_output():
    check_transformed(
        """
        import numpy as np

        def f(x: np.ndarray):
            np.multiply(x, 2.0, out=x)
            np.sqrt(x, x)
            return x
        """,
        """
        @jax.jit
        def f(x: jax.Array):
            x = jnp.multiply(x, 2.0)
            x = jnp.sqrt(x)
            return x
        """,
    )
    in_every_dtype("np.multiply(c, 2, out=c)")
    in_every_dtype("np.multiply(c, 2.5, out=c)")
    in_every_dtype("np.add(c, a, out=c)")
    in_every_dtype("np.add(a, c, c)")
    in_every_dtype("np.isnan(c, out=c)")
    in_every_dtype("np.abs(c, out=c)")


def test_operand_is_a_number_of_a_strong_dtype():
    source = "import numpy as np\n\ndef f(x: np.ndarray, rate=0.5):\n    np.multiply(x, rate, out=x)\n    return x\n"
    check_agrees(source, (np.ones(3, np.float32), np.float64(0.3)), (np.ones(3, np.float32), 0.3))


def test_value_of_the_call_is_the_output():
    for use in (
        "y = np.add(a, b, out=c)\n    c[0] = 9\n    return y",
        "y = np.add(a, b, out=c)\n    y[0] = 9\n    return c",
        "return 2 * np.add(a, b, out=c) + c",
    ):
        check_agrees(
            f"import numpy as np\n\ndef f(a: np.ndarray, b, c: np.ndarray):\n    {use}\n",
            (np.arange(3.0), np.ones(3), np.zeros(3)),
        )


def test_nested_calls_run_from_the_inside():
    for body in (
        "return np.sqrt(np.add(a, b, out=c), out=c)",
        "y = 3 * np.sqrt(np.add(a, b, out=c), out=c)\n    return y",
        "np.subtract(np.multiply(a, a, out=c), b, out=c)",
        "np.subtract(np.multiply(a, a, out=c), np.add(a, 1), out=a)",
    ):
        check_agrees(
            f"import numpy as np\n\ndef f(a: np.ndarray, b, c: np.ndarray):\n    {body}\n",
            (np.arange(3.0), np.ones(3), np.zeros(3)),
        )


def test_assignment_to_the_output_itself():
    text = check_agrees(
        "import numpy as np\n\ndef f(x: np.ndarray):\n    x = np.clip(x, 0, 1, out=x)\n    return x.sum()\n",
        (np.array([-1.0, 0.5, 7.0, np.nan]),),
    )
    assert "x = jnp.clip(x, 0, 1)" in text


def test_where_keeps_the_old_values():
    for dtype in DTYPES:
        check_agrees(
            "import numpy as np\n\n"
            "def f(a: np.ndarray, b, c: np.ndarray):\n    np.add(a, b, out=c, where=a > 0)\n"
            "    return np.divide(a, b, out=c * 1, where=b != 0)\n",
            (sample(dtype, seed=1), sample(dtype, seed=2), sample(dtype, seed=3)),
            keep=False,
        )
    check_agrees(
        "import numpy as np\n\ndef f(a, c: np.ndarray, m):\n    np.sqrt(a, out=c, where=m)\n    return c\n",
        (np.arange(4.0), np.zeros((2, 4)), np.array([[True], [False]])),
        (np.arange(4.0), np.zeros((2, 4), np.float32), True),
    )


def test_mask_that_reads_the_output():
    check_agrees(
        "import numpy as np\n\ndef f(c: np.ndarray):\n    np.negative(c, out=c, where=c < 0)\n",
        (np.array([-1.0, 2.0, np.nan]),),
        (np.array([-1, 2]),),
    )


def test_two_results():
    for call in ("np.divmod(a, b, out=(c, d))", "np.divmod(a, b, c, d)", "np.divmod(a, b, c)", "np.divmod(a, b, out=(c, None))"):
        source = (
            f"import numpy as np\n\ndef f(a: np.ndarray, b, c: np.ndarray, d: np.ndarray):\n    q, r = {call}\n    return q, r\n"
        )
        check_agrees(
            source, (np.arange(5.0), 2.0, np.zeros(5), np.zeros(5)), (np.arange(-3, 2), 2, np.zeros(5, int), np.zeros(5, int))
        )
    for name, second in (("modf", np.float64), ("frexp", np.int32)):
        source = f"import numpy as np\n\ndef f(a: np.ndarray, c: np.ndarray, d: np.ndarray):\n    np.{name}(a, c, d)\n"
        check_agrees(source, (np.array([1.5, -2.25, 0.0]), np.zeros(3), np.zeros(3, second)))


def test_tuple_of_one_output():
    in_every_dtype("np.add(a, b, out=(c,))")


def test_reductions_in_every_dtype():
    source = "import numpy as np\n\ndef f(a: np.ndarray, c: np.ndarray):\n    np.{}(a, axis=0, out=c)\n"
    for name in ("sum", "prod", "max", "min", "mean", "std", "var", "any", "all", "nansum", "median"):
        calls = [
            (sample(d, (3, 4), 1), sample(e, (4,), 2))
            for d, e in [*((d, d) for d in DTYPES), *MIXED]
            if (d, e) != (np.float32, np.float64) and (name, d) != ("median", np.complex128)
        ]
        check_agrees(source.format(name), *calls)


def test_reduction_in_the_dtype_of_the_output():
    source = (
        "import numpy as np\n\n"
        "def f(a: np.ndarray):\n    c = np.zeros(())\n    np.sum(a.astype(np.float32), out=c)\n    return c\n"
    )
    check_agrees(source, (np.array([1e8, 1.0, -1e8]),))


def test_reductions_by_position_and_method():
    for call in (
        "np.sum(a, 0, None, c)",
        "a.sum(axis=0, out=c)",
        "a.sum(0, None, c)",
        "np.add.reduce(a, axis=0, out=c)",
        "np.add.reduce(a, 0, None, c)",
    ):
        check_agrees(
            f"import numpy as np\n\ndef f(a: np.ndarray, c: np.ndarray):\n    {call}\n",
            (np.arange(6.0).reshape(2, 3), np.zeros(3)),
        )


@pytest.mark.parametrize(
    "call",
    [
        "np.cumsum(a, out=b)",
        "a.cumsum(out=b)",
        "np.add.accumulate(a, out=b)",
        "np.maximum.accumulate(a, out=a)",
        "np.cumprod(a, 0, None, b)",
        "np.clip(a, -1, 1, out=a)",
        "np.clip(a, -1, 1, b)",
        "a.clip(0, 2, out=b)",
        "np.round(a, 1, out=b)",
        "a.round(1, out=a)",
        "np.take(a, [2, 0, 1], out=b)",
        "a.take([2, 0, 1], out=b)",
        "np.concatenate([a[:1], a[1:]], out=b)",
        "np.stack([a[0], a[1], a[2]], out=b)",
        "np.abs(a, b)",
    ],
)
def test_other_functions(call):
    check_agrees(
        f"import numpy as np\n\ndef f(a: np.ndarray, b: np.ndarray):\n    {call}\n    return a.sum() + b.sum()\n",
        (np.array([1.26, -2.5, 3.14]), np.zeros(3)),
    )


def test_products():
    for call in ("np.dot(a, b, out=c)", "np.dot(a, b, c)", "a.dot(b, out=c)", "np.matmul(a, b, out=c)", "np.matmul(a, b, c)"):
        check_agrees(
            f"import numpy as np\n\ndef f(a: np.ndarray, b, c: np.ndarray):\n    {call}\n",
            (np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(3, 2), np.zeros((2, 2))),
        )
    check_agrees(
        "import numpy as np\n\ndef f(a, b, c: np.ndarray):\n    np.outer(a, b, out=c)\n",
        (np.arange(2.0), np.arange(3.0), np.zeros((2, 3))),
    )
    check_agrees(
        "import numpy as np\n\ndef f(a, c: np.ndarray):\n    np.einsum('ij->j', a, out=c)\n", (np.ones((2, 3)), np.zeros(3))
    )


# --- places ---------------------------------------------------------------------------------------------------------------


def test_slices_views_and_attributes():
    for body in (
        "np.add(a, 1, out=c[1:])",
        "np.add(a, 1, out=c[::-1][:3])",
        "v = c[1:]\n    np.add(a, 1, out=v)\n    return v.sum()",
        "v = c[:3]\n    np.add(c[1:], 1, out=c[1:])\n    return v",
        "np.add(a, 1, out=c[-3:])",
        "np.multiply(c[:-1], c[1:], out=c[1:])",
    ):
        check_agrees(
            f"import numpy as np\n\ndef f(a, c: np.ndarray):\n    {body}\n",
            (np.arange(3.0), np.arange(4.0)),
            (np.arange(3), np.arange(4)),
        )
    for body in (
        "np.add(a, 1, out=c.T)",
        "np.add(a, 1, out=c.T[0])",
        "np.add(a[:, 0], 1, out=c[0])",
        "np.add(a.T, 1, out=c[:, :])",
    ):
        check_agrees(
            f"import numpy as np\n\ndef f(a, c: np.ndarray):\n    {body}\n", (np.arange(4.0).reshape(2, 2), np.zeros((2, 2)))
        )


def test_attribute_of_an_object():
    source = """
        import numpy as np

        class Model:
            def __init__(self):
                self.buffer = np.zeros(3)

            def step(self, x):
                np.add(x, self.buffer, out=self.buffer)
                np.sqrt(x, out=self.buffer[1:2] if False else self.buffer)
                return self.buffer.sum()

        def f(x):
            m = Model()
            return m.step(x) + m.step(x), m.buffer
    """
    check_agrees(source, (np.arange(3.0),), keep=True)


def test_buffer_of_an_object_is_bound_again():
    text, functions, _ = convert(
        """
        import numpy as np

        class Model:
            def __init__(self):
                self.buffer = np.zeros(3)

            def step(self, x):
                np.add(x, 1.0, out=self.buffer)
        """
    )
    assert functions["Model.step"].label != "kept"
    assert "self.buffer = jnp.full_like(self.buffer, jnp.add(x, 1.0))" in text


def test_item_of_a_dict():
    check_agrees(
        """
        import numpy as np

        def f(x: np.ndarray):
            params = {"w": np.zeros(3), "b": np.ones(3)}
            np.add(params["b"], x, out=params["w"])
            return params
        """,
        (np.arange(3.0),),
    )


def test_in_a_loop():
    check_agrees(
        """
        import numpy as np

        def f(z: np.ndarray, c, n: int):
            for _ in range(n):
                np.multiply(z, z, z)
                np.add(z, c, out=z)
            return np.abs(z)
        """,
        (np.zeros(3, complex), np.array([0.1, 0.2j, -1.0]), 5),
    )


def test_of_a_temporary():
    text = check_agrees(
        "import numpy as np\n\ndef f(a: np.ndarray):\n    return np.add(a, 1, out=np.empty((2, 3)))\n", (np.arange(3),)
    )
    assert "out" not in text


def test_optional_output():
    source = """
        import numpy as np

        def f(x: np.ndarray, out=None):
            if out is None:
                out = np.empty_like(x)
            np.add(x, 1, out=out)
            return out
    """
    check_agrees(source, (np.arange(3.0),), (np.arange(3.0), np.zeros(3)), (np.arange(3.0), np.zeros((2, 3))))


def test_output_of_None():
    text = check_agrees(
        "import numpy as np\n\ndef f(x: np.ndarray):\n    return np.add(x, 1, out=None) + np.sum(x, out=None)\n",
        (np.arange(3.0),),
    )
    assert "out" not in text


# --- kept -----------------------------------------------------------------------------------------------------------------


def test_kept_where_None_may_be_given():
    assert "may be None" in refused("import numpy as np\n\ndef f(x, out=None):\n    return np.add(x, 1, out=out)\n")


def test_kept_where_an_alias_is_alive():
    assert "NJ203" in refused(
        "import numpy as np\n\ndef f(a: np.ndarray, flag):\n    b = a if flag else a * 2\n    np.add(a, 1, out=a)\n    return b\n"
    )


def test_kept_where_the_outputs_are_a_variable():
    assert "NJ220" in refused(
        "import numpy as np\n\n"
        "def f(a: np.ndarray):\n    both = (np.zeros(3), np.zeros(3))\n    np.divmod(a, 2, out=both)\n    return both\n"
    )


def test_kept_where_python_decides_whether_it_runs():
    for body in (
        "return flag and np.add(a, 1, out=a)",
        "return np.add(a, 1, out=a) if flag else a",
        "return [np.add(a, i, out=a) for i in range(3)]",
    ):
        refused(f"import numpy as np\n\ndef f(a: np.ndarray, flag: bool):\n    {body}\n")


def test_kept_where_the_old_value_is_read_before():
    refused("import numpy as np\n\ndef f(a: np.ndarray):\n    return a[0] + np.add(a, 1, out=a)\n")
    refused("import numpy as np\n\ndef f(a: np.ndarray):\n    v = a[:2]\n    s = v[0] + np.add(a, 1, out=a)\n    return s, v\n")


def test_kept_with_two_results_and_a_mask():
    refused(
        "import numpy as np\n\n"
        "def f(a: np.ndarray, q: np.ndarray, r: np.ndarray):\n    np.divmod(a, 2, out=(q, r), where=a > 0)\n"
    )


def test_a_copy_that_is_lost():
    refused("import numpy as np\n\ndef f(a: np.ndarray, i: np.ndarray):\n    np.add(a[i], 1, out=a[i])\n    return a\n")


@pytest.mark.parametrize(
    "call", ["np.copyto(y, 2 * x)", "np.multiply(2, x, out=y)", "np.add(x, x, out=y[:])", "np.copyto(y[...], [1, 2, 3])"]
)
def test_all_of_an_array_that_is_reversed_then_is_made_anew(call):
    """XLA for CPUs may abort the process on a scatter to all of an array whose result is reversed."""
    text = f"import numpy as np\n\n\ndef f(x: np.ndarray, y: np.ndarray):\n    {call}\n    return y[::-1] + 1\n"
    made = check_agrees(
        text, (np.arange(3.0), np.ones(3)), (np.arange(3.0), np.ones(3, np.float32)), (np.arange(3), np.ones(3, int))
    )
    assert "jnp.full_like(y, " in made and ".at[" not in made


def test_quotients_where_they_are_defined():
    text = """
    import numpy as np

    def f(a: np.ndarray, b: np.ndarray, q: np.ndarray):
        np.log(a, out=q, where=a > 0)
        return np.divide(a, b, out=np.zeros_like(a), where=b != 0), np.divide(a, b, out=np.ones_like(q), where=b != 0)
    """
    calls = [(sample(d, seed=1), sample(d, seed=2), sample(e, seed=3)) for d in DTYPES[:2] for e in DTYPES[:2]]
    made = check_agrees(text, *calls, (np.ones(1), np.zeros(1), np.ones(4)))
    assert "q = jnp.where(a > 0, jnp.log(a), q).astype(q.dtype)" in made
    assert "jnp.where(b != 0, jnp.divide(a, b), 0).astype(a.dtype)" in made
    assert "jnp.where(b != 0, jnp.divide(a, b), jnp.ones_like(q)).astype(q.dtype)" in made
