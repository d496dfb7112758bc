"""Functions that JAX lacks: the converted module gets its own copy, once, after its imports, under a name that is free."""

import importlib
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from np2jax.rules.definitions import DEFINITIONS, host, mentioned, needed, results
from np2jax.tests.helpers.differential import CONVERTED, body, check_agrees, convert, refused, run
from np2jax.tests.helpers.numpy_table_applied import DEFINED

BASES = {
    "polynomial": "poly",
    "chebyshev": "cheb",
    "legendre": "leg",
    "laguerre": "lag",
    "hermite": "herm",
    "hermite_e": "herme",
}
X = np.linspace(-1.0, 1.0, 7)
C = np.array([1.0, -2.0, 0.5, 3.0])
CALL = "import numpy as np\nfrom numpy.polynomial import chebyshev as C\n\n\ndef f(x, c):\n    return C.chebval(x, c)\n"


def defined(text):
    return re.findall(r"^def (_\w+)", text, re.M)


@pytest.mark.parametrize("name", DEFINITIONS)
def test_each_says_where_it_is_from_and_calls_what_it_needs(name):
    source = DEFINITIONS[name]
    assert source.startswith(f"def {name}(") and '"""' in source.splitlines()[1] and source.endswith("\n")
    compile(source, name, "exec")
    assert name in {*host.SOURCES, *results.SOURCES} or not re.search(r"\b(np|numpy)\.(?!polynomial|random)", source)
    assert needed([name])[-1] == name and set(mentioned(source)) <= set(needed([name]))


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    ("imports", "call"),
    [
        ("from numpy.polynomial import chebyshev as C", "C.chebval(x, c)"),
        ("import numpy.polynomial.chebyshev as C", "C.chebval(x, c)"),
        ("from numpy.polynomial.chebyshev import chebval", "chebval(x, c)"),
        ("from numpy.polynomial.chebyshev import chebval as value", "value(x, c=c)"),
        ("import numpy.polynomial.chebyshev", "numpy.polynomial.chebyshev.chebval(x, c)"),
        ("from numpy import polynomial", "polynomial.chebyshev.chebval(x, c, tensor=True)"),
        ("", "np.polynomial.chebyshev.chebval(c=c, x=x)"),
    ],
)
def test_every_way_to_name_it(imports, call):
    text = check_agrees(
        f"import numpy as np\n{imports}\n\n\ndef f(x, c):\n    return {call} + np.sin(x)\n", (X, C), (X, np.arange(4))
    )
    assert "return _chebval(x" in text and defined(text) == ["_floating", "_chebval"]
    assert "numpy" not in re.sub('""".*?"""', "", body(text), flags=re.S)


def test_one_copy_serves_all_calls():
    text = check_agrees(
        "import numpy as np\nfrom numpy.polynomial import legendre as L\n\n\ndef g(x, c):\n    return L.legval(x, c)\n\n\n"
        "def f(x, c):\n    return g(x, c) + L.legval(x, L.legder(c)) + L.leggrid2d(x, x, np.outer(c, c))[0]\n",
        (X, C),
    )
    assert sorted(defined(text)) == sorted(set(defined(text)))
    assert "_legval(x, _legder(c)) + _legval(x, _legval(x, jnp.outer(c, c)))[0]" in text


def test_where_it_stands():
    text, *_ = convert(
        '"""Doc."""\n\nimport os\n\nimport numpy as np\nfrom numpy.polynomial import chebyshev as C\n\n# what follows\nN = 3\n\n\ndef f(x, c):\n    return C.chebval(x, c)\n'
    )
    assert text.startswith('"""Doc."""\n\nimport os\n\nimport jax\nimport jax.numpy as jnp\n\njax.config.update')
    assert re.search(r"\n\n\ndef _floating.*\n\n\ndef _chebval.*\n\n\n# what follows\nN = 3\n\n\n@jax.jit\ndef f", text, re.S)


def test_before_what_the_module_computes_and_after_imports_that_are_tried():
    text, *_ = convert(
        "import numpy as np\ntry:\n    import fast\nexcept ImportError:\n    fast = None\n\nVALUE = np.polynomial.chebyshev.chebval(0.5, [1.0, 2.0, 3.0])\n\n\n"
        "def f(x):\n    return x * VALUE + np.polynomial.chebyshev.chebval(x, [1.0, 2.0])\n"
    )
    assert text.index("fast = None") < text.index("def _chebval") < text.index("VALUE =")
    assert np.allclose(run(text)["f"](jnp.array([1.0])), [np.polynomial.chebyshev.chebval(0.5, [1, 2, 3]) + 3])


def test_names_that_are_taken():
    text = check_agrees(
        "import numpy as np\n\ndef _chebval(x):\n    return x + 1\n\ndef f(x, c):\n    _floating = 2.0\n"
        "    return _chebval(np.polynomial.chebyshev.chebval(x, c)) * _floating\n",
        (X, C),
    )
    assert defined(text) == ["_floating_2", "_chebval_2", "_chebval"] and "_floating_2(c)" in text


def test_names_of_jax_that_are_taken():
    text = check_agrees("import numpy as np\n\ndef f(jnp, jax):\n    return np.polynomial.chebyshev.chebval(jnp, jax)\n", (X, C))
    assert "def _chebval" in text


def test_a_copy_that_is_there_is_used():
    first, *_ = convert(CALL)
    more = first.replace("import jax.numpy as jnp", "import jax.numpy as jnp\nimport numpy as np")
    text, *_ = convert(
        more + "\n\ndef g(x: np.ndarray, c: np.ndarray):\n    return np.polynomial.chebyshev.chebval(np.sin(x), c)\n"
    )
    assert defined(text) == ["_floating", "_chebval"] and "return _chebval(jnp.sin(x), c)" in text
    assert np.allclose(run(text)["g"](jnp.asarray(X), jnp.asarray(C)), np.polynomial.chebyshev.chebval(np.sin(X), C))


def test_never_without_a_call():
    assert not defined(convert("import numpy as np\n\ndef f(x):\n    return np.polynomial.chebyshev.chebweight(x)\n")[0])
    text, *_ = convert(
        "import numpy as np\n\ndef f(x, c, path):\n    np.setdiff1d(x, c).tofile(path)\n    return np.poly1d(c)(np.polynomial.chebyshev.chebval(x, c))\n"
    )
    assert not defined(text)


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("C.chebfit(x, c, 2, full=True)", "full"),
        ("C.chebfit(x, c, 2, None, flag)", "full"),
        ("list(map(C.chebval, x, c))", "value"),
    ],
)
def test_what_is_refused(call, why):
    assert why in refused(
        f"import numpy as np\nfrom numpy.polynomial import chebyshev as C\n\ndef f(x, c, flag):\n    return np.sin({call}[0])\n"
    )


@pytest.mark.parametrize("caught", ["np.linalg.LinAlgError", "ValueError", "np.exceptions.RankWarning", "(KeyError, Exception)"])
@pytest.mark.parametrize(
    "call", ["np.polyfit(x, c, 3)", "np.polynomial.chebyshev.chebfit(x, c, 3)", "np.polynomial.polynomial.polyfit(x, c, 3)"]
)
def test_what_a_fit_raises_and_is_caught(call, caught):
    assert "NJ607" in refused(
        f"import numpy as np\n\ndef f(x, c):\n    try:\n        return {call}\n    except {caught}:\n        return np.zeros(4)\n"
    )


@pytest.mark.parametrize("call", ["np.roots(c)", "np.polynomial.hermite.hermroots(c)"])
def test_what_roots_raise_and_is_caught(call):
    head = f"import numpy as np\n\ndef f(x, c):\n    try:\n        return {call}\n    except "
    assert "NJ607" in refused(head + "np.linalg.LinAlgError:\n        return np.zeros(4)\n")
    check_agrees(head + "KeyError:\n        return np.zeros(4)\n", (X, np.array([1.0, 0.0, 2.0, 3.0])))


def test_polynomial_objects_stay():
    text, *_ = convert(
        "import numpy as np\nfrom numpy.polynomial import Chebyshev\n\ndef f(x):\n    p = Chebyshev([1, 2, 3])\n    return p(x) + np.sin(x)\n"
    )
    assert "Chebyshev([1, 2, 3])" in text and not defined(text)


@pytest.mark.quick(3)
@pytest.mark.parametrize("m", [0, 1, 2, 5])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("module", BASES)
def test_derivatives_and_integrals_are_numpys(module, axis, m):
    """Of every order along every axis, also more derivatives than coefficients, compiled."""
    stem, numpy = BASES[module], importlib.import_module(f"numpy.polynomial.{module}")
    c = np.random.default_rng(m).normal(size=(4, 3))
    der, integral = DEFINED[f"_{stem}der"], DEFINED[f"_{stem}int"]
    close(jax.jit(lambda c: der(c, m, 1.5, axis))(c), getattr(numpy, f"{stem}der")(c, m, 1.5, axis))
    constants = [0.5, 2.0][:m]
    ours = jax.jit(lambda c: integral(c, m, constants, 0.3, 1.5, axis))(c)
    close(ours, getattr(numpy, f"{stem}int")(c, m, constants, 0.3, 1.5, axis))


@pytest.mark.quick(3)
@pytest.mark.parametrize("module", BASES)
def test_of_one_zero_the_integral_is_numpys_or_raises(module):
    stem, numpy = BASES[module], importlib.import_module(f"numpy.polynomial.{module}")
    for c in ([0.0], [3.0], [0.0, 0.0]):
        close(DEFINED[f"_{stem}int"](jnp.array(c), 2, [4.0]), getattr(numpy, f"{stem}int")(c, 2, [4.0]))
    with pytest.raises(jax.errors.TracerBoolConversionError):
        jax.jit(DEFINED[f"_{stem}int"])(jnp.zeros(1))


@pytest.mark.quick(3)
@pytest.mark.parametrize("module", BASES)
def test_they_differentiate_and_map(module):
    stem, numpy = BASES[module], importlib.import_module(f"numpy.polynomial.{module}")
    val = DEFINED[f"_{stem}val"]
    derivative = getattr(numpy, f"{stem}val")(X, getattr(numpy, f"{stem}der")(C))
    close(jax.vmap(jax.grad(val), (0, None))(X, C), derivative)
    close(jax.jacobian(val, 1)(X, C), getattr(numpy, f"{stem}vander")(X, 3))
    close(jax.vmap(val, (None, 0))(X, np.stack([C, 2 * C])), getattr(numpy, f"{stem}val")(X, np.stack([C, 2 * C]).T))


@pytest.mark.quick(3)
@pytest.mark.parametrize("module", [m for m in BASES if m != "polynomial"])
def test_there_and_back(module):
    stem, numpy = BASES[module], importlib.import_module(f"numpy.polynomial.{module}")
    c = np.random.default_rng(1).normal(size=9)
    powers = DEFINED[f"_{stem}2poly"](c)
    close(powers, getattr(numpy, f"{stem}2poly")(c))
    close(DEFINED[f"_poly2{stem}"](powers), c, 1e-8)
    roots = np.sort(np.random.default_rng(2).uniform(-1, 1, 12))
    series = jax.jit(DEFINED[f"_{stem}fromroots"])(roots)
    close(series, getattr(numpy, f"{stem}fromroots")(roots))
    few = DEFINED[f"_{stem}fromroots"](roots[::4])
    close(DEFINED[f"_{stem}roots"](few), roots[::4], 1e-7)


def close(ours, theirs, tolerance=1e-10):
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
    scale = max(1.0, np.abs(theirs).max(initial=0))
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance * scale)


def test_every_basis_in_a_program():
    for module, stem in BASES.items():
        check_agrees(
            f"import numpy as np\nfrom numpy.polynomial import {module} as P\n\n\ndef f(x, y, c):\n"
            f"    c = P.{stem}fit(x, y, 3) + c\n    area = P.{stem}val(1.0, P.{stem}int(c, lbnd=-1))\n"
            f"    return area, P.{stem}val2d(x, y, np.outer(c, c)), P.{stem}vander2d(x, y, [1, 2]) @ np.ones(6), P.{stem}der(c, 2)\n",
            (X, X**2, C),
        )


NARROW = """import numpy as np


def f(a):
    x = np.array([0.5, 2.0, 3.0], dtype=np.{points})
    c = np.array([1, 0, 1, 1], dtype=np.{coefficients})
    P = np.polynomial
    return [{calls}]
"""
VALUES = """P.polynomial.polyval(x, c), P.polynomial.polyvalfromroots(x, c), P.chebyshev.chebval(x, c),
P.legendre.leggrid2d(x, x, c.reshape(2, 2)), P.hermite.hermval2d(x, x, c.reshape(2, 2)),
x * P.hermite_e.hermeval(x, c)"""
FITS = "P.polynomial.polyval(c, x), P.laguerre.lagval(c, x), P.polynomial.polyfit(1 - c[1:], x, 1), P.chebyshev.chebfit(1 - c[1:], x, 1), np.polyfit(1 - c[1:], x, 1)"


@pytest.mark.quick(5)
@pytest.mark.parametrize(
    ("points", "coefficients", "calls"),
    [(points, c, VALUES) for points in ("float16", "float32") for c in ("bool_", "int8", "uint8", "int16", "int32")]
    + [("float32", c, FITS) for c in ("int8", "int16", "int32")],
)
def test_coefficients_that_are_integers_become_float64(points, coefficients, calls):
    source = NARROW.format(points=points, coefficients=coefficients, calls=calls)
    text, functions, _diagnostics = convert(source)
    assert functions["f"].label in CONVERTED, functions
    before, after = run(source)["f"](0), run(text)["f"](0)
    assert [str(v.dtype) for v in after] == [str(v.dtype) for v in before], text
    for ours, theirs in zip(after, before, strict=True):
        assert np.allclose(ours, theirs, rtol=1e-2 if theirs.dtype == np.float16 else 1e-5, atol=1e-5), text
