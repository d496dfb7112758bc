"""Calls of libraries run on the host; what follows computes with arrays of known kind, dtype and rank."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, compare_values, convert, run

A = np.random.default_rng(0).normal(size=(7, 2))
B = np.random.default_rng(1).normal(size=(5, 2))
IMAGE = np.random.default_rng(2).normal(size=(8, 9))
SPD = A.T @ A + 3 * np.eye(2)
HEAD = "import numpy as np\nfrom scipy import ndimage, linalg, optimize, special\nfrom scipy.spatial import cKDTree\n"
HEAD += "from scipy.spatial.distance import cdist, squareform\nimport mystery\n\n\n"

AGREE = {
    "changed in place": ("p: np.ndarray, q: np.ndarray", "d = cdist(p, q)\nd[0, 0] = 1.0\nd += 1\nreturn d", (A, B)),
    "an alias of it": ("p: np.ndarray, q: np.ndarray", "d = cdist(p, q)\ne = d\ne[0] = 1.0\nreturn d, e", (A, B)),
    "a view of it": ("p: np.ndarray, q: np.ndarray", "d = cdist(p, q)\ne = d[1:]\ne[0] = 1.0\nd[2] = 5.0\nreturn d, e", (A, B)),
    "a loop after it": (
        "p: np.ndarray, q: np.ndarray",
        "d = cdist(p, q)\nn, m = d.shape\nout = np.zeros(n)\nfor i in range(n):\n    for j in range(m):\n        out[i] += np.exp(-d[i, j])\nreturn out",
        (A, B),
    ),
    "a recurrence over it": (
        "p: np.ndarray, q: np.ndarray",
        "d = cdist(p, q)\nd[0, :] = np.cumsum(d[0])\nfor i in range(1, d.shape[0]):\n    for j in range(1, d.shape[1]):\n"
        "        d[i, j] += min(d[i - 1, j], d[i, j - 1], d[i - 1, j - 1])\nreturn d",
        (A, B),
    ),
    "an argument of it, changed later": (
        "u: np.ndarray",
        "v = ndimage.gaussian_filter(u, 1.0)\nu[0] = 0.0\nreturn v, u",
        (IMAGE,),
    ),
    "its output": (
        "u: np.ndarray",
        "v = np.zeros_like(u)\nndimage.gaussian_filter(u, 1.0, output=v)\nv[0] = 1.0\nreturn v",
        (IMAGE,),
    ),
    "its output, an argument": (
        "u: np.ndarray, v: np.ndarray",
        "ndimage.gaussian_filter(u, 1.0, output=v)\nreturn v + u",
        (IMAGE, np.zeros((8, 9))),
    ),
    "its output, returned": (
        "u: np.ndarray",
        "v = np.zeros_like(u)\nw = ndimage.gaussian_filter(u, 1.0, 0, v)\nw = v if w is None else w\nw[0] = 1.0\nreturn v",
        (IMAGE,),
    ),
    "an overwritten argument": (
        "a: np.ndarray, b: np.ndarray",
        "c = b.copy()\nx = linalg.solve(a, c, overwrite_b=True)\nreturn x + 1",
        (SPD, A[0]),
    ),
    "a retained argument": (
        "p: np.ndarray",
        "t = cKDTree(p)\nd, i = t.query(p[:2], k=2)\nreturn np.sqrt(d) + i",
        (A,),
    ),
    "a ufunc of numbers": ("x: float", "y = special.erf(x)\ny += 1.0\nreturn y", (0.3,)),
    "a ufunc of a row": ("x: np.ndarray", "y = special.expit(x[0])\ny[0] = 2.0\nreturn y", (A,)),
    "a ufunc with out": ("x: np.ndarray", "y = np.zeros_like(x)\nz = special.expit(x, y)\nz[0] = 2.0\nreturn y", (A,)),
    "several results": ("a: np.ndarray", "w, v = linalg.eigh(a)\nw[0] = 0.0\nv *= w\nreturn w, v", (SPD,)),
    "the same variable": (
        "u: np.ndarray, n: int",
        "for i in range(n):\n    u = u + 0.1 * ndimage.laplace(u)\n    u[0] = 0.0\nreturn u",
        (IMAGE, 3),
    ),
    "an attribute of a result": (
        "x: np.ndarray",
        "r = optimize.minimize(lambda v: ((v - 1) ** 2).sum(), x)\ny = r.x\ny[0] = 2.0\nreturn r.x.round(3)",
        (A[0],),
    ),
    "of a callback that changes its argument": (
        "x: np.ndarray",
        "seen = np.zeros(1)\ndef g(v):\n    seen[0] += 1\n    return v @ v\nr = optimize.minimize(g, x)\nreturn r.x.round(3), seen > 0",
        (A[0],),
    ),
    "symmetric": ("p: np.ndarray", "d = squareform(cdist(p, p), checks=False)\nreturn squareform(d) * 2", (A,)),
    "one result of several kinds": (
        "u: np.ndarray, k: int",
        "lab, n = ndimage.label(u > 0)\ns = np.zeros(n)\nfor i in range(n):\n    s[i] = u[lab == i + 1].sum()\nreturn s, n",
        (IMAGE, 2),
    ),
}


def text_of(params, lines):
    body = "\n".join(f"    {line}" for line in lines.split("\n"))
    return HEAD.replace("import mystery\n", "") + f"def f({params}):\n{body}\n"


@pytest.mark.quick(7)
@pytest.mark.parametrize("name", AGREE)
def test_device(name):
    params, lines, arguments = AGREE[name]
    check_agrees(text_of(params, lines), arguments, keep=True, idempotent=False)


@pytest.mark.quick(8)
@pytest.mark.parametrize("name", AGREE)
def test_fast(name):
    params, lines, arguments = AGREE[name]
    before = text_of(params, lines)
    after, _functions, _diagnostics = convert(before, placement="fast")
    mine, theirs = ([a.copy() if isinstance(a, np.ndarray) else a for a in arguments] for _ in range(2))
    want, got = run(before)["f"](*theirs), run(after)["f"](*mine)
    for a, b, what in ((got, want, "result"), (mine, theirs, "arguments")):
        assert not (difference := compare_values(a, b, what)), f"{difference}\n{after}"


def test_what_follows_is_converted():
    params, lines, _arguments = AGREE["changed in place"]
    text, functions, _diagnostics = convert(text_of(params, lines))
    assert functions["f"].label != "kept", functions["f"].reason
    assert "jnp.asarray(d).at[0, 0].set(1.0)" in text


@pytest.mark.parametrize("name", ["a loop after it", "a recurrence over it"])
def test_what_follows_is_compiled(name):
    params, lines, _arguments = AGREE[name]
    _text, functions, _diagnostics = convert(text_of(params, lines), placement="fast")
    assert functions["f"].transform == "outlined", functions["f"].reason


def test_what_a_library_writes_into_stays_numpy():
    params, lines, _arguments = AGREE["its output"]
    _text, functions, _diagnostics = convert(text_of(params, lines))
    assert functions["f"].label == "kept"
    assert "writes into its argument `output`" in functions["f"].reason


def test_an_array_that_a_library_keeps_is_not_changed():
    text = HEAD.replace("import mystery\n", "") + "def f(p: np.ndarray):\n    t = cKDTree(p)\n    p[0] = 5.0\n    return t.data\n"
    _text, functions, _diagnostics = convert(text)
    assert functions["f"].label == "kept"


def test_only_the_statement_of_an_unknown_call_is_not_compiled():
    lines = "s = mystery.settings(n)\nd = mystery.load(s)\nout = np.zeros(n)\nfor i in range(1, n):\n    out[i] = 0.5 * out[i - 1] + np.sin(x[i])\nreturn out, d"
    text = HEAD + "def f(x: np.ndarray, n: int):\n" + "\n".join(f"    {line}" for line in lines.split("\n")) + "\n"
    _text, functions, _diagnostics = convert(text, placement="fast")
    assert functions["f"].transform == "outlined", functions["f"].reason
