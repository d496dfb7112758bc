"""Functions that NumPy runs faster stay NumPy; compiled code and callers with JAX arrays get a compiled version beside them."""

import textwrap

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from np2jax.tests.helpers.differential import convert, convert_project, run
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__, placement="fast")

PRODUCT = """
def product(p: np.ndarray, q: np.ndarray):
    w = p[0] * q[0] - p[1:] @ q[1:]
    v = p[0] * q[1:] + q[0] * p[1:]
    return np.hstack((w, v))
"""
PRINTED = """
def printed(qs: list, q: np.ndarray):
    for p in qs:
        print(product(p, q))
"""
COMPILED = """
def grown(x: np.ndarray, n: int):
    for _ in range(n):
        x = 0.5 * x + np.sqrt(x)
    return x
"""
P, Q = np.array([0.5, 0.5, -0.5, 0.5]), np.array([np.nan, 0.0, np.inf, 2.0])


def converted(source):
    text, functions, _diagnostics = convert("import numpy as np\n" + textwrap.dedent(source), placement="fast")
    return text, functions, run(text)


def test_numpy_callers_get_the_numpy_version_and_jax_callers_the_compiled_one():
    _text, functions, made = converted(PRODUCT + PRINTED + COMPILED)
    original = run("import numpy as np\n" + PRODUCT)["product"]
    assert functions["product"].transform == "both"
    for p, q in ((P, Q), (Q, P), (P, P)):
        want, got, compiled = original(p, q), made["product"](p, q), made["product"](jnp.asarray(p), q)
        assert type(got) is np.ndarray and got.flags.writeable and isinstance(compiled, jax.Array)
        np.testing.assert_array_equal(got, want)
        np.testing.assert_allclose(compiled, want, rtol=1e-15)
    gradient = jax.jacobian(made["product"], argnums=1)(P, jnp.asarray(P))
    np.testing.assert_allclose(gradient @ P, original(P, P))


def test_compiled_code_calls_the_compiled_version_and_python_the_other():
    text, functions, made = converted(
        PRODUCT
        + '''
def power(q: np.ndarray, n: int):
    """The product of `n` quaternions."""
    result = np.array([1.0, 0.0, 0.0, 0.0])
    for _ in range(n):
        result = product(result, q)
    return result


def table(named):
    return {name: float(product(q, q)[0]) for name, q in named.items()}
'''
    )
    assert "_product_jax(result, q)" in text and "float(product(q, q)[0])" in text
    assert [functions[name].transform for name in ("product", "power", "table")] == ["both", "jit", ""]
    assert type(made["power"](jnp.asarray(P), 3)) is not np.ndarray and made["table"]({"p": P}) == {"p": -0.5}
    np.testing.assert_allclose(made["power"](P, 2), made["product"](P, P))


def test_the_function_keeps_its_docstring_and_defaults():
    text, _functions, made = converted(
        '''
        def scaled(x: np.ndarray, shift: float = 2.0, *, power=2):
            """Half of it."""
            # the comment
            return (0.5 * (x + shift) - np.mean(x) + np.max(x) * x.min()) ** power

        def printed(xs: list):
            for x in xs:
                print(scaled(x))
        '''
        + textwrap.indent(COMPILED, "        ")
    )
    assert text.count('"""Half of it."""') == 1 and text.count("# the comment") == 2
    assert made["scaled"].__doc__ == "Half of it."
    x = np.array([1.0, 2.0, 4.0])
    np.testing.assert_allclose(made["scaled"](jnp.asarray(x), power=3), made["scaled"](x, power=3))


def test_findings_are_at_the_lines_of_the_original():
    source = "import numpy as np\n# above\n" + PRODUCT + COMPILED + PRINTED
    _text, _functions, diagnostics = convert(source, placement="fast")
    at = {d.message.split()[0]: d.line for d in diagnostics if d.code in ("NJ508", "NJ501")}
    lines = source.splitlines()
    assert "def product" in lines[at["`product`"] - 1] and "def grown" in lines[at["`grown`"] - 1]
    assert {d.line for d in diagnostics if d.code == "NJ508"} == {at["`product`"]}


def test_other_modules_import_the_compiled_version():
    sources = {
        "pkg/__init__.py": "from .vectors import product\n",
        "pkg/vectors.py": "import numpy as np\n" + PRODUCT + PRINTED,
        "pkg/paths.py": """
            import numpy as np

            from . import vectors
            from .vectors import product

            def power(q: np.ndarray, n: int):
                result = np.array([1.0, 0.0, 0.0, 0.0])
                for _ in range(n):
                    result = vectors.product(product(result, q), q)
                return result
            """,
    }
    texts, functions, _diagnostics = convert_project(sources, placement="fast")
    assert "from .vectors import product, _product_jax" in texts["pkg/paths.py"]
    assert "vectors._product_jax(_product_jax(result, q), q)" in texts["pkg/paths.py"]
    assert functions["pkg.paths.power"].transform == "jit" and functions["pkg.vectors.product"].transform == "both"


def test_a_name_that_cannot_be_imported_with_its_version_is_not_cloned():
    """A module that re-exports a function does not re-export its second version."""
    sources = {
        "vectors.py": "import numpy as np\n" + PRODUCT + PRINTED,
        "names.py": "from vectors import product\n",
        "paths.py": """
            import numpy as np
            from names import product

            def power(q: np.ndarray, n: int):
                result = np.array([1.0, 0.0, 0.0, 0.0])
                for _ in range(n):
                    result = product(result, q)
                return result
            """,
    }
    texts, functions, _diagnostics = convert_project(sources, placement="fast")
    assert functions["paths.power"].transform == "jit" and "_jax" not in texts["paths.py"]


@pytest.mark.parametrize(
    "body",
    [
        "x[0] = 1.0\n    return np.sum(x) + np.prod(x) * np.max(x) - np.min(x)",  # changes its argument
        "return x + np.random.normal(size=3) * np.sum(x) - np.prod(x) * np.max(x)",  # draws
        "return [float(np.sum(x)), np.max(x) * np.min(x) + np.prod(x), print(x)]",  # prints
        "return x if np.sum(x) * np.prod(x) > np.max(x) - np.min(x) else None",  # jit cannot return None or an array
        "return np.unique(x) * np.sum(x) - np.prod(x) * np.max(x)",  # a shape that depends on values
        "return np.array([x[0], x[1]]) if x[0] * x[1] - np.sum(x) > np.max(x) else np.array([x[0]])",  # two lengths
    ],
)
def test_nothing_is_cloned_that_jit_would_not_compile(body):
    text, _functions, _made = converted(f"def f(x: np.ndarray):\n    {body}\n" + COMPILED)
    assert "_f_jax" not in text


def test_placement_on_the_device_needs_no_second_version():
    text, functions, _diagnostics = convert("import numpy as np\n" + PRODUCT + PRINTED, placement="device")
    assert "_product_jax" not in text and functions["product"].transform == "jit"


def test_a_function_that_tests_too_much_for_its_work_has_no_second_version():
    text, _functions, _made = converted("def half(x: np.ndarray):\n    return 0.5 * x\n" + COMPILED)
    assert "_half_jax" not in text


def test_a_package_that_needs_no_jax_does_not_import_it():
    """A second version only serves callers with JAX arrays: it is not worth half a second for all others. Nobody imports scripts."""
    text, _functions, _made = converted(PRODUCT + PRINTED)
    assert "jax" not in text
    text, _functions, _made = converted(
        PRODUCT + PRINTED + COMPILED + 'if __name__ == "__main__":\n    print(product(1.0, 2.0))\n'
    )
    assert "_product_jax" not in text


def test_recursive_functions_and_methods_stay_alone():
    text, _functions, _made = converted(
        """
        def depth(x: np.ndarray, n: int):
            return x if n == 0 else np.sum(x) * depth(x * np.max(x) - np.min(x), n - 1)

        class Filter:
            def gain(self, x: np.ndarray):
                return np.sum(x) * self.k - np.max(x) * np.min(x)
        """
    )
    assert "_jax" not in text


def test_lists_that_the_project_passes_may_come_with_jax_arrays():
    _text, functions, made = converted(
        """
        def cells(position, box, shape):
            scaled = position / box * shape
            cells = np.floor(scaled).astype(int)
            np.clip(cells, 0, np.array(shape) - 1, out=cells)
            return cells[:, 0], cells[:, 1]

        def listed(positions: list):
            for position in positions:
                print(cells(position, (2.0, 4.0), (3, 3)))
        """
        + textwrap.indent(COMPILED, "        ")
    )
    assert functions["cells"].transform == "both"
    position = np.array([[0.5, 1.5], [1.9, 3.0]])
    want, got = made["cells"](position, (2.0, 4.0), (3, 3)), made["cells"](jnp.asarray(position), (2.0, 4.0), (3, 3))
    assert all(type(part) is np.ndarray for part in want) and all(isinstance(part, jax.Array) for part in got)
    np.testing.assert_array_equal(got, want)
