"""Bugs at boundaries are found by `verify`, one of each class; right conversions with the same boundaries agree."""

import textwrap

import pytest

pytest.importorskip("jax")

from np2jax.runtime_shim.verification.verify import verify

pytestmark = pytest.mark.slow

BEFORE = """
import numpy as np

def above(x, level): return np.where(x > level, 5.0, 1.0)
def bracket(x): return np.where(x <= 10.2, 0.1 * x, 7.0)
def near(x, y, radius): return np.sum((x - y) ** 2) < radius
def first_of(x):
    best, where = -np.inf, 0
    for i in range(len(x)):
        if x[i] > best:
            best, where = x[i], i
    return where
def limited(x): return np.clip(x, 0.0, 40.0)
def guarded(x, y): return np.where(y == 0, 0.0, x / np.where(y == 0, 1.0, y))
def unit(v):
    n = np.sqrt(np.sum(v * v))
    return v / n if n > 0 else v
def border(a):
    out = a.copy()
    out[1:-1] = a[2:] + a[:-2]
    return out
def wide(x):
    if len(x) > 8:
        return x[:8]
    return x
def distant(x): return np.where(x >= 1234.5, 1.0, 0.0)
def cells(x, box): return np.floor(x / box * np.array((7, 7))).astype(int)
def bounded(index, size):
    out = np.zeros(size)
    for k in index:
        if k >= 0 and k < size:
            out[k] += 1
    return out
def affine(params, x, t):
    w, b = params
    return np.mean(np.sum((w * x + b) * t, axis=1))
def weighted(x, weights):
    if np.any(weights < 0):
        raise ValueError("negative weights")
    return np.sum(weights * (x - 1.0) ** 3)
def driven(force, x, steps):
    for _ in range(steps):
        x = x + 0.5 * force(x)
    return x
def watched(x, report=None):
    if report is not None:
        report(np.abs(x).max())
    return x * 2.0
def loud(x):
    print("largest", x.max())
    return x * 2.0
def pairs(x):
    (n,) = x.shape
    return sum(x[i] == x[j] for i in range(n) for j in range(i))
def aligned(a, b):
    best, h = 0.0, np.zeros((len(a) + 1, len(b) + 1))
    for i in range(len(a)):
        for j in range(len(b)):
            s = 2.0 if a[i] == b[j] else -1.0
            h[i + 1, j + 1] = max([0.0, h[i, j] + s, h[i, j + 1] - 1.0, h[i + 1, j] - 1.0])
            best = max(best, h[i + 1, j + 1])
    return best
def factor(a):
    if (np.diag(a) <= 0).any() or not np.allclose(a, a.T, equal_nan=True):
        raise ValueError("not definite")
    return np.sqrt(np.diag(a))
def spread(edges, low, high):
    keep = edges >= high
    for _ in range(edges.shape[1]):
        keep = (keep | np.roll(keep, 1, 1)) & (edges >= low)
    return keep
def between(x, abc, efg):
    a, b, c = abc
    e, f, g = efg
    assert a <= b and b <= c and c <= e and e <= f and f <= g
    return np.where(x <= b, 0.0, np.where(x >= e, 2.0, 1.0))
def heated(x, t):
    if np.isnan(x).any() or np.isnan(t):
        raise ValueError("NaN")
    return np.sin(x) * t
def levels(x): return np.round(x * 4).astype(int)
def rolled(x: np.ndarray, y: np.ndarray):
    return np.roll(y, 1) * x
"""

AFTER = """
import jax
import jax.numpy as jnp
from jax import lax
from functools import partial

@jax.jit
def above(x, level): return jnp.where(x > level, 5.0, 1.0)
@jax.jit
def bracket(x): return jnp.where(x <= 10.2, 0.1 * x, 7.0)
@jax.jit
def near(x, y, radius): return jnp.sum((x - y) ** 2) < radius
@jax.jit
def first_of(x):
    def step(i, carry):
        best, where = carry
        return jnp.where(x[i] > best, x[i], best), jnp.where(x[i] > best, i, where)
    return lax.fori_loop(0, len(x), step, (-jnp.inf, 0))[1]
@jax.jit
def limited(x): return jnp.clip(x, 0.0, 40.0)
@jax.jit
def guarded(x, y): return jnp.where(y == 0, 0.0, x / jnp.where(y == 0, 1.0, y))
@jax.jit
def unit(v):
    n = jnp.sqrt(jnp.sum(v * v))
    return jnp.where(n > 0, v / jnp.where(n > 0, n, 1), v)
@jax.jit
def border(a): return a.at[1:-1].set(a[2:] + a[:-2])
@jax.jit
def wide(x): return x[:8] if len(x) > 8 else x
@jax.jit
def cells(x, box): return jnp.floor(x / box * jnp.array((7, 7))).astype(int)
@jax.jit
def distant(x): return jnp.where(x >= 1234.5, 1.0, 0.0)
@partial(jax.jit, static_argnames="size")
def bounded(index, size):
    inside = (index >= 0) & (index < size)
    return jnp.zeros(size).at[jnp.where(inside, index, 0)].add(inside)
@jax.jit
def affine(params, x, t):
    w, b = params
    return jnp.mean(jnp.sum((w * x + b) * t, axis=1))
def weighted(x, weights):
    if jnp.any(weights < 0):
        raise ValueError("negative weights")
    return jnp.sum(weights * (x - 1.0) ** 3)
@partial(jax.jit, static_argnames="force")
def driven(force, x, steps):
    return lax.fori_loop(0, steps, lambda i, x: x + 0.5 * force(x), x)
def watched(x, report=None):
    if report is not None:
        report(jnp.abs(x).max())
    return x * 2.0
@jax.jit
def loud(x):
    jax.debug.print("largest {}", x.max())
    return x * 2.0
@jax.jit
def pairs(x): return jnp.sum(jnp.tril(x[:, None] == x, -1))
def aligned(a, b):
    best, h = 0.0, jnp.zeros((len(a) + 1, len(b) + 1))
    for i in range(len(a)):
        for j in range(len(b)):
            s = 2.0 if a[i] == b[j] else -1.0
            h = h.at[i + 1, j + 1].set(max([0.0, h[i, j] + s, h[i, j + 1] - 1.0, h[i + 1, j] - 1.0]))
            best = max(best, h[i + 1, j + 1])
    return best
def factor(a):
    if (jnp.diag(a) <= 0).any() or not jnp.allclose(a, a.T, equal_nan=True):
        raise ValueError("not definite")
    return jnp.sqrt(jnp.diag(a))
@jax.jit
def spread(edges, low, high):
    step = lambda _, keep: (keep | jnp.roll(keep, 1, 1)) & (edges >= low)
    return lax.fori_loop(0, edges.shape[1], step, edges >= high)
@jax.jit
def between(x, abc, efg):
    return jnp.where(x <= abc[1], 0.0, jnp.where(x >= efg[0], 2.0, 1.0))
def heated(x, t):
    if jnp.isnan(x).any() or jnp.isnan(t):
        raise ValueError("NaN")
    return jnp.sin(x) * t
@jax.jit
def levels(x): return jnp.round(x * 4).astype(int)
@jax.jit
def rolled(x, y):
    return jnp.roll(y, 1) * x if x.ndim else jnp.roll(y, 1) * x
"""

BUGS = {
    "above": ("x > level", "x >= level"),
    "bracket": ("x <= 10.2", "x < 10.2"),
    "near": ("< radius", "<= radius"),
    "first_of": ("x[i] > best, i", "x[i] >= best, i"),
    "limited": ("40.0", "41.0"),
    "guarded": ("jnp.where(y == 0, 0.0, x /", "jnp.where(y < 0, 0.0, x /"),
    "unit": ("jnp.where(n > 0, v / jnp.where(n > 0, n, 1), v)", "v / n"),
    "border": ("a[2:] + a[:-2]", "(a[2:] + a[:-2]).at[len(a) // 2 + 1:].multiply(1.0 if len(a) < 6 else 2.0)"),
    "wide": ("x[:8] if len(x) > 8", "x[:8] if len(x) > 9"),
    "distant": ("1234.5", "1235.5"),
    "bounded": ("index >= 0", "index >= -1"),
    "affine": ("axis=1", "axis=0"),  # the same for squares
    "weighted": ("x - 1.0", "1.0 - x"),
    "levels": ("jnp.round(x * 4)", "jnp.floor(x * 4 + 0.5)"),  # the same but for halves
    "driven": ("0.5 * force(x)", "0.5 * force(x + 1)"),
    "watched": ("jnp.abs(x).max()", "x.max()"),
    "loud": ("x.max()", "x.min()"),
    "pairs": ("x[:, None] == x", "x[:, None] >= x"),
    "aligned": ("h[i + 1, j] - 1.0", "h[i, j] - 1.0"),  # only a gap between two matches shows it
    "factor": ("(jnp.diag(a) <= 0).any()", "not (jnp.diag(a) > 0).all()"),  # NaN in the diagonal
    "spread": ("fori_loop(0,", "fori_loop(1,"),  # one column, and limits in the wrong order
    "between": ("x >= efg[0]", "x <= efg[0]"),  # six numbers that have to be in order
    "heated": (" or jnp.isnan(t)", ""),  # a number that is NaN
    "rolled": ("else jnp.roll(y, 1)", "else jnp.roll(y, 2)"),  # a number in place of an array
}


def verdicts(folder, after):
    for name, text in (("before", BEFORE), ("after", after)):
        (folder / name).mkdir(parents=True)
        (folder / name / "code.py").write_text(textwrap.dedent(text))
    report = verify(folder / "before" / "code.py", folder / "after" / "code.py")
    return {function.name.removeprefix("code."): function for function in report.functions}


def broken(text):
    for name, (old, new) in BUGS.items():
        before, there, rest = text.partition(f"def {name}(")
        assert there and old in rest, name
        text = before + there + rest.replace(old, new, 1)
    return text


@pytest.fixture(scope="module")
def right(tmp_path_factory):
    return verdicts(tmp_path_factory.mktemp("right"), AFTER)


@pytest.fixture(scope="module")
def wrong(tmp_path_factory):
    return verdicts(tmp_path_factory.mktemp("wrong"), broken(AFTER))


@pytest.mark.parametrize("name", BUGS)
def test_a_right_conversion_agrees(right, name):
    assert right[name].verdict == "agrees", right[name].summary


@pytest.mark.parametrize("name", BUGS)
def test_a_bug_is_found(wrong, name):
    assert wrong[name].verdict == "differs", wrong[name].summary


RECORDED = """
import numpy as np

def cut(x, level): return np.where(x > level, x, 0.0)
def main():
    print(cut(np.array([1.5, 2.25, 0.125]), 1.0).sum())
if __name__ == "__main__":
    main()
"""


def test_recorded_calls_are_changed_too(tmp_path):
    after = RECORDED.replace("import numpy as np", "import jax.numpy as np").replace("x > level", "x >= level")
    for name, text in (("before", RECORDED), ("after", after)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "code.py").write_text(text)
    functions = {one.name: one for one in verify(tmp_path / "before", tmp_path / "after").functions}
    assert functions["code.cut"].verdict == "differs"
    assert functions["code.cut"].recorded == 1


def test_branches_that_no_call_reached_are_named(tmp_path):
    text = """
    import numpy as np
    def checksum(x):
        if np.sum(x * np.arange(len(x))) == 1234567.25:
            return x * 2
        return x
    """
    for name in ("before", "after"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "code.py").write_text(textwrap.dedent(text))
    (function,) = verify(tmp_path / "before", tmp_path / "after").functions
    assert any("line 4 `np.sum(x * np.arange(len(x))) == 1234...` is never true" in note for note in function.notes), function


HALVED = """
import numpy as np

def halved(x, tolerance=1e-12):
    width = x.max() - x.min()
    count = 0
    while width > tolerance:
        width = width / 2
        count += 1
    return count
"""


def test_a_default_is_changed_and_a_loop_that_does_not_end_any_more_is_found(tmp_path):
    for name, text in (("before", HALVED), ("after", HALVED.replace("numpy", "jax.numpy").replace("> tol", ">= tol"))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "code.py").write_text(text)
    (function,) = verify(tmp_path / "before", tmp_path / "after").functions
    assert function.verdict in ("differs", "error in converted"), function.summary
    assert "tolerance=" in function.call


MODES = """
import numpy as np

def score(x, y, weights=None, kind="rms"):
    d = (x - y) ** 2
    if weights is not None:
        d = d * weights
    if kind == "sum":
        return d.sum()
    return np.sqrt(d.mean())
def main():
    print(score(np.array([1.5, 2.25, 0.125]), np.ones(3)))
if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(("old", "new"), [("", ""), ("d * weights", "d * weights * 2"), ("d.sum()", "d.sum() + 1")])
def test_modes_that_recorded_calls_do_not_show(tmp_path, old, new):
    """An argument that is None in all of them, and a text that the code knows besides the default."""
    converted = MODES.replace("import numpy as np", "import jax.numpy as np").replace(old, new)
    for name, text in (("before", MODES), ("after", converted)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "code.py").write_text(text)
    functions = {one.name: one for one in verify(tmp_path / "before", tmp_path / "after").functions}
    assert functions["code.score"].verdict == ("differs" if old else "agrees"), functions["code.score"]
    assert not any("never true" in note for note in functions["code.score"].notes) or old
