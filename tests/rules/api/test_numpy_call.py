"""Names, calls, methods, indices and types of NumPy: what becomes of them, and what stays."""

import textwrap

import numpy as np
import pytest

from np2jax.tests.helpers.differential import body, check_agrees, check_noop, check_transformed, convert, refused
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

A, B = np.array([[1.5, -2.0, 0.25], [3.0, 0.5, -1.0]]), np.array([4, 2, 7])
SQUARE = np.array([[4.0, 1.0], [2.0, 3.0]])


def function(expression, params="x: np.ndarray"):
    return f"import numpy as np\n\n\ndef f({params}):\n    return {expression}\n"


def converted(expression, **options):
    return body(convert(function(expression), **options)[0]).partition("return ")[2]


@pytest.mark.parametrize(
    "expression",
    [
        "np.ravel(x, order='F')",
        "x.flatten(order='C')",
        "x.reshape(-1, 2, order='F')",
        "np.reshape(x, (3, 2), 'C')",
        "np.sort(x, kind='mergesort')",
        "np.argsort(x, 0, 'stable')",
        "np.clip(x, a_min=0, a_max=1)",
        "np.clip(x, 0, None)",
        "np.clip(a=x, a_min=0, a_max=1)",
        "np.arange(start=1, stop=len(x) + 3)",
        "x.clip(max=1)",
        "np.percentile(x, 30)",
        "np.percentile(x, [25, 75], axis=0, method='lower')",
        "np.quantile(x, 0.5, None, None, False, 'lower')",
        "np.median(x, axis=1, overwrite_input=False)",
        "np.array(x, copy=True, ndmin=3)",
        "np.array([x[0], [1.0, 2.0, 3.0]])",
        "np.asarray(x, order='C')",
        "np.zeros((2, 3), float, 'F')",
        "np.zeros_like(x, dtype=int, order='K')",
        "np.full((2,), [1.0, 2.0])",
        "np.full_like(x, 2)",
        "np.empty(3, dtype=np.float32).shape",
        "np.empty_like(prototype=x).shape",
        "np.zeros_like(a=x, dtype=int)",
        "np.concatenate([x[0], [1.0]], dtype=np.float32, casting='same_kind')",
        "np.concatenate(([1, 2], x[0]))",
        "np.stack([[1, 2, 3], x[0]])",
        "np.vstack((x, [1, 2, 3]))",
        "np.hstack(([1.0], x[0]))",
        "np.append(x, [[1, 2, 3]], axis=0)",
        "np.where([True, False, True], x, [0.0, 1.0, 2.0])",
        "np.where(x > 0)",
        "np.dot(x, [1, 2, 3])",
        "np.interp(0.5, range(3), x[0])",
        "x[0] + range(3)",
        "np.sum(range(len(x)))",
        "x.dot([1, 2, 3])",
        "np.cross(x, [1.0, 0.0, 0.0])",
        "np.outer([1, 2], x)",
        "np.einsum('ij,j', x, np.ones(3), optimize=True)",
        "np.sum([1, 2, 3])",
        "np.mean([x, x], axis=0)",
        "np.max((1, 2, 3))",
        "np.linalg.norm([3.0, 4.0])",
        "np.average(x[0], weights=[1.0, 2.0, 1.0])",
        "np.isin(x, [0.5, 3.0])",
        "np.allclose(x, [1.5, -2.0, 0.25])",
        "np.unique(x, return_counts=True)",
        "np.meshgrid([1, 2], [3, 4], copy=False)",
        "np.add(x, 1, dtype=np.float32)",
        "np.multiply(x, x, casting='same_kind', where=True)",
        "np.sum(x, where=x > 0)",
        "np.sum(x, axis=1, dtype=np.float32, keepdims=True)",
        "np.add.outer(x[0], x[1])",
        "np.add.reduce(x, axis=1)",
        "np.maximum.accumulate(x, axis=1)",
        "np.subtract.outer([1, 2], x[0])",
        "np.power.outer(x[0], [1, 2])",
        "np.r_[1.5, x[0], 3:5]",
        "np.c_[x[0], x[1]]",
        "np.mgrid[0:2, 0:3]",
        "np.ogrid[0:2, 0:3]",
        "np.ix_([0, 1], [2])",
        "x[np.ix_([0, 1], [2])]",
        "x[np.s_[:, 1:]]",
        "np.fix(x)",
        "np.ascontiguousarray(x)",
        "np.asfortranarray(x)",
        "np.asanyarray(x)",
        "np.require(x, requirements='C')",
        "np.copy(x, order='K')",
        "x.copy(order='C')",
        "x.astype(np.float32, order='C', casting='unsafe', copy=False)",
        "np.nan_to_num(x)",
        "np.nan_to_num(x, False, 0.0)",
        "np.searchsorted([0.0, 1.0, 2.0], x)",
        "np.interp(x, [0.0, 1.0], [2.0, 3.0])",
        "np.select([x > 0, x < -1], [x, [1.0, 2.0, 3.0]], 0.0)",
        "np.pad(x, [(1, 1), (0, 2)])",
        "np.tile([1, 2], 3)",
        "np.repeat([1, 2], 2)",
        "np.diag([1.0, 2.0])",
        "np.polyval([1.0, 2.0], x)",
        "np.gradient(x[0])",
        "np.linspace(0, 1, 5, retstep=True)",
        "np.broadcast_to([1, 2, 3], (2, 3), subok=False)",
        "np.split(x, [1])",
        "np.roll(x, 1, 0)",
        "np.inner([1, 2, 3], x)",
        "np.swapaxes(x, 0, 1)",
        "np.ndim(x) + np.size(x) + np.shape(x)[0]",
        "np.iinfo(np.int32).max * x",
        "np.finfo(x.dtype).eps * x",
        "np.issubdtype(x.dtype, np.floating)",
        "x.dtype == np.float64",
        "np.dtype(np.int16).itemsize * x",
        "x.max(axis=0, initial=0.0)",
        "x.any(axis=1)",
        "x.squeeze().T.real",
        "np.abs(x).item(0)",
        "x.tolist()",
        "sum(x.flat)",
        "[v for v in x.flat]",
        "x.flat[2]",
        "len(x.flat)",
        "x[:, None, np.newaxis]",
        "np.exp(np.float64(2)) * x",
        "np.float32(3) * x",
        "np.int64(7) // 2 * x",
        "np.pi * np.e * x",
        "-np.inf < x",
        "np.sqrt(2) * np.prod(x.shape) * x",
        "np.isscalar(3)",
        "list(map(np.sqrt, x))",
        "x @ [1.0, 2.0, 3.0]",
        "[1.0, 2.0, 3.0] * x",
    ],
)
def test_calls_agree(expression):
    check_agrees(function(expression), (A,))


@pytest.mark.parametrize(
    "expression",
    [
        "x[[0, -1]]",
        "x[[0, 1], [2, 0]]",
        "x[[1, 0], 1:]",
        "x[:, [True, False, True]]",
        "x[1, (0, 2)]",
        "x[(1, 2)]",
        "x[[[0, 1], [1, 0]]]",
        "x[[]]",
        "x[[i for i in range(2)]]",
        "x[list(range(2))]",
        "x[..., [0]]",
        "x[range(2)]",
        "x[1, range(2)]",
        "x[:, range(x.shape[1])]",
    ],
)
def test_list_indices_agree(expression):
    check_agrees(function(expression), (A,))


@pytest.mark.parametrize(
    "statement", ["x[[0, 1], 2] = 5.0", "x[:, [0, 2]] += 1.0", "x[[1, 0]] = x[[0, 1]]", "x[[0, 0], [1, 1]] += 1.0"]
)
def test_list_indices_are_written(statement):
    check_agrees(f"import numpy as np\n\n\ndef f(x: np.ndarray):\n    {statement}\n    return x\n", (A,))


@pytest.mark.parametrize("expression", ["{'a': 1}['a'] * x", "[3, 4, 5][1] * x", "(1, 2)[0] * x", "[[1, 2], [3, 4]][1][0] * x"])
def test_indices_of_other_things_stay(expression):
    text = check_agrees(function(expression), (A,))
    assert "jnp.array" not in text


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("np.ravel(x, order='K')", "order='K'"),
        ("x.reshape((3, 2), order='A')", "order='A'"),
        ("np.percentile(x, 30, method='hazen')", "method='hazen'"),
        ("np.add(x, 1, where=x > 0)", "jnp.where"),
        ("np.zeros(3, dtype=object)", "objects"),
        ("np.array(['a', 'b'])", "text"),
        ("np.array([1, None])", "objects"),
        ("x.astype('U5')", "U5"),
        ("x.astype('>f4')", ">f4"),
        ("np.zeros(3, dtype=[('a', int)])", "records"),
        ("np.zeros(3, np.longdouble)", "longdouble"),
        ("x.astype(np.dtype('datetime64[s]'))", "datetime64"),
        ("x.strides", "layout"),
        ("x.flags", "layout"),
        ("x.view(type=np.ndarray)", "no equivalent"),
        ("x.ctypes.data", "layout"),
        ("np.sqrt.reduce(x)", ""),
        ("np.power.accumulate(x)", "scan"),
        ("np.frompyfunc(abs, 1, 1)(x)", "vectorize"),
        ("np.poly1d(x)", "polyval"),
        ("np.lib.stride_tricks.as_strided(x, (2,), (8,))", "layout"),
        ("issubclass(type(x), np.ndarray)", "array type"),
        ("list(map(np.linalg.eigh, [x]))", "lambda"),
    ],
)
def test_refused(expression, reason):
    assert reason in refused(function(expression))


@pytest.mark.parametrize(
    "text",
    [
        "import math\n\n\ndef f(x):\n    return math.sqrt(x)\n",
        "import numpy as np\n\n\ndef f(path):\n    return np.loadtxt(path)\n",
        "import numpy as np\n\n\ndef f(x):\n    return np.sqrt(2) * np.prod(x.shape)\n",
        "import numpy as np\n\nSCALE = np.float64(2.5)\n",
        "import numpy as np\n\n\ndef f(e):\n    return isinstance(e, np.linalg.LinAlgError)\n",
        "import numpy as np\n\nnp.set_printoptions(precision=3)\n",
        'import numpy as np\n\n__all__ = ["np"]\n"""np.sqrt and np.ndarray in text"""\n',
        "import pandas as np\n\n\ndef f(x):\n    return np.sqrt(x)\n",
        "class np:\n    sqrt = abs\n\n\ndef f(x):\n    return np.sqrt(x)\n",
    ],
)
def test_nothing_to_do(text):
    check_noop(text)


def test_copies():
    assert converted("np.sqrt(x).copy()") == "jnp.sqrt(x)"
    assert converted("(x + 1).copy().sum()") == "(x + 1).sum()"
    eager = "import numpy as np\n\n\ndef f(x: np.ndarray):\n    print(x)\n    y = x.copy()\n    y[0] = 1.0\n    return y\n"
    assert "y = jnp.array(x)" in check_agrees(eager, (A,))


def test_comments_and_layout_stay():
    check_transformed(
        """
        import numpy as np


        def f(x: np.ndarray):
            return np.concatenate(
                [
                    x,  # the values
                    [1.0, 2.0],
                ],
                axis=0,
                casting="same_kind",  # as before
            )
        """,
        """
        @jax.jit
        def f(x: jax.Array):
            return jnp.concatenate(
                [
                    x,  # the values
                    jnp.array([1.0, 2.0]),
                ],
                axis=0,  # as before
            )
        """,
    )


def test_a_ufunc_as_a_value_stays_where_its_type_is_asked_for():
    text = """
        import numpy as np


        class Methods:
            def __init__(self, both=np.fmin):
                self.both = both


        def f(x):
            return np.fmin(x, 1.0) + np.fmin.reduce(x)
    """
    asked = "\n\ndef test_methods():\n    assert isinstance(Methods().both, np.ufunc)\n"
    plain = textwrap.dedent(text)
    assert "both=jnp.fmin" in convert(plain)[0]
    stays, functions, diagnostics = convert(plain + asked)
    assert "both=np.fmin" in stays and "jnp.fmin(x, 1.0)" in stays
    assert any("np.ufunc" in d.message for d in diagnostics) and functions["Methods.__init__"].label != "kept"
    stored = plain.replace("self.both = both", "self.both = np.fmin")
    assert "np.ufunc" in refused(stored + asked, "Methods.__init__")


def test_the_numbers_of_a_range_become_floats_where_numpy_makes_floats_of_integers():
    before = "import numpy as np\n\n\ndef f(x: np.ndarray):\n    t = range(len(x))\n    return np.polyfit(t, x, 1), np.polyfit(range(3), x[:3], 0)\n"
    check_agrees(before, (np.arange(5.0) ** 2,))
