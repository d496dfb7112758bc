"""Functions of two files compared on made-up calls: a true difference is found, an equal pair agrees."""

import textwrap

import pytest

pytest.importorskip("jax")

from np2jax.runtime_shim.values.contract import Contract
from np2jax.runtime_shim.verification.verify import verify

pytestmark = pytest.mark.slow


def compared(folder, before, after, contracts=(), **how):
    """The verdicts on the functions of one file, by name."""
    for name, text in (("before", before), ("after", after)):
        (folder / name).mkdir()
        (folder / name / "code.py").write_text(textwrap.dedent(text))
    report = verify(folder / "before" / "code.py", folder / "after" / "code.py", contracts, **{"examples": 8, **how})
    return {function.name.removeprefix("code."): function for function in report.functions}, report


BEFORE = """
import numpy as np

def scale(x, factor): return x * factor
def wrong_value(x): return np.sum(x) + 1.0
def wrong_axis(a): return a.sum(axis=0)
def wrong_shape(x): return x.reshape(-1, 1) * 1.0
def wrong_dtype(x): return (x > 0).astype(np.int64) + 0 * x.size
def forgotten(x, v):
    x += v
    return x.sum()
def handed_back(x, v):
    x += v
    return x.sum()
def view(grid):
    edge = grid[0]
    edge[:] = 7.0
def view_lost(grid):
    edge = grid[0]
    edge[:] = 7.0
    return grid.sum()
def nan_place(x): return np.maximum(x, 0.0)
def on_negative(x): return abs(x)
def on_zero(x): return np.where(x == 0, 1.0, 2.0)
def duplicates(x, index):
    y = x.copy()
    y[index] += 1.0
    return y
def tie(x): return np.argmax(x)
def order(x): return np.sort(x)[::-1]
def truncates(x):
    y = np.zeros(3, dtype=int)
    y[0] = 2.7
    return y + 0 * len(x)
def swapped(x, y): return x - y, x + y
def named(x): return {"mean": x.mean(), "parts": [x[:1], (x[1:],)]}
def named_wrong(x): return {"mean": x.mean(), "parts": [x[:1], (x[1:],)]}
def python_number(x): return len(x) + 1
def mode(x, how="sum"):
    if how == "sum":
        return x.sum()
    if how == "max":
        return x.max()
    return x.mean()
def raises_both(x): return np.linalg.cholesky(x)
def only_jit_differs(x): return x + 1.0
def missing(x): return x
def generator(x):
    yield x
def kept(x):
    x[0] = 1.0
    return x.sum()
def kept_broken(x): return helper(x)
def helper(x): return x * 2.0
def on_empty(x): return float(np.sum(x)) + x.size
def nothing(x): len(x)
"""

AFTER = """
import jax
import jax.numpy as jnp
import numpy as np

@jax.jit
def scale(x, factor): return x * factor
@jax.jit
def wrong_value(x): return jnp.sum(x) + 1.0 + 1e-6
@jax.jit
def wrong_axis(a): return a.sum(axis=-1)
@jax.jit
def wrong_shape(x): return x.reshape(1, -1) * 1.0
@jax.jit
def wrong_dtype(x): return (x > 0).astype(jnp.int32) + 0 * x.size
@jax.jit
def forgotten(x, v):
    x = x + v
    return x.sum()
@jax.jit
def handed_back(x, v):
    x = x + v
    return x.sum(), x
@jax.jit
def view(grid):
    return grid.at[0].set(7.0)
@jax.jit
def view_lost(grid):
    edge = grid[0]
    edge = edge.at[:].set(7.0)
    return grid.sum(), grid
@jax.jit
def nan_place(x): return jnp.where(x > 0.0, x, 0.0)
@jax.jit
def on_negative(x): return jnp.where(x > -3.0, abs(x), x)
@jax.jit
def on_zero(x): return jnp.full_like(x, 2.0)
@jax.jit
def duplicates(x, index): return x.at[index].add(1.0)
@jax.jit
def tie(x): return x.shape[0] - 1 - jnp.argmax(x[::-1])
@jax.jit
def order(x): return jnp.sort(x)
@jax.jit
def truncates(x): return jnp.zeros(3, dtype=int).at[0].set(3) + 0 * len(x)
@jax.jit
def swapped(x, y): return x + y, x - y
@jax.jit
def named(x): return {"mean": x.mean(), "parts": [x[:1], (x[1:],)]}
@jax.jit
def named_wrong(x): return {"mean": x.mean(), "parts": [x[:1], [x[1:]]]}
@jax.jit
def python_number(x): return jnp.asarray(len(x) + 1)
def mode(x, how="sum"):
    if how == "sum":
        return x.sum()
    if how == "max":
        return x.min()
    return x.mean()
@jax.jit
def raises_both(x): return jnp.linalg.cholesky(x, symmetrize_input=False)
def only_jit_differs(x):
    return x + 1.0 if isinstance(x, jax.Array) else x
def generator(x):
    yield x
def kept(x):
    x[0] = 1.0
    return x.sum()
def kept_broken(x): return helper(x)
@jax.jit
def helper(x): return x * 2.5
def on_empty(x): return float(jnp.sum(x)) + max(x.size, 1)
def nothing(x): len(x)
"""


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    return compared(tmp_path_factory.mktemp("functions"), BEFORE, AFTER)


DIFFERENCES = {
    "wrong_value": "elements differ: NumPy|values differ: NumPy",
    "wrong_axis": "shape",
    "wrong_shape": "shape",
    "wrong_dtype": "dtype int32, the original has int64",
    "forgotten": "the original changes it in place|expected 1 result(s) then `x`",
    "view_lost": "differ",
    "nan_place": "NumPy nan, converted 0.0",
    "on_negative": "differ",
    "on_zero": "NumPy 1.0, converted 2.0",
    "duplicates": "NumPy",
    "tie": "NumPy",
    "order": "differ",
    "truncates": "NumPy 2, converted 3",
    "swapped": "result[0]",
    "named_wrong": "result['parts'][1]: another kind of result",
    "mode": "differ",
    "missing": "the converted code does not have it",
    "only_jit_differs": "(ndarray)|another kind of argument",
    "kept_broken": "differ",
    "helper": "differ",
    "on_empty": "empty arrays",
}


@pytest.mark.parametrize("name", DIFFERENCES)
def test_a_difference_is_found(verdicts, name):
    verdict = verdicts[0][name]
    assert verdict.verdict == "differs", verdict.summary
    assert any(words in verdict.reason for words in DIFFERENCES[name].split("|")), verdict.reason


AGREEING = ["scale", "handed_back", "view", "named", "python_number", "kept", "raises_both"]


@pytest.mark.parametrize("name", AGREEING)
def test_equal_functions_agree(verdicts, name):
    verdict = verdicts[0][name]
    assert verdict.verdict == "agrees", verdict.summary
    assert verdict.generated >= (4 if name == "raises_both" else 8) and verdict.recorded == 0


def test_how_they_were_compared(verdicts):
    functions, report = verdicts
    assert functions["generator"].verdict == "agrees"
    assert functions["scale"].modes == ("jitted", "eager", "ndarray")
    assert functions["kept"].modes == ("as it is",)
    assert "Python number" in " ".join(functions["python_number"].notes)
    assert not report.ok and report.platforms[0] in ("cpu", "gpu", "tpu")


def test_what_cannot_be_compared_says_why(verdicts):
    functions, _ = verdicts
    assert functions["nothing"].verdict == "not compared" and "returns nothing" in functions["nothing"].reason


def test_the_smallest_call_is_shown(verdicts):
    verdict = verdicts[0]["order"]
    assert verdict.call and verdict.where.startswith("result") and verdict.original and verdict.converted
    assert len(verdict.call) < 100


def test_contract_kinds_and_labels_are_used(tmp_path):
    before = """
    import numpy as np
    def pick(table, how, n): return table[n] if how is None else table[n, 0]
    def stays(x):
        x.sort()
    """
    after = """
    import jax, functools
    @functools.partial(jax.jit, static_argnames=("how", "n"))
    def pick(table, how, n): return table[n] if how is None else table[n, 1]
    def stays(x):
        x.sort()
    """
    kinds = {"table": "array:float64:2", "how": "scalar:bool", "n": "static:int"}
    contracts = [
        Contract(
            "code.py",
            "code",
            "code.pick",
            ("table", "how", "n"),
            static=("how", "n"),
            kinds=kinds,
            label="proved",
            transform="jit",
        ),
        Contract("code.py", "code", "code.stays", ("x",), label="kept", kinds={"x": "array"}, results=0),
    ]
    functions, _ = compared(tmp_path, before, after, contracts)
    assert functions["pick"].verdict == "differs" and "table=float64[" in functions["pick"].call
    assert functions["stays"].verdict == "agrees", functions["stays"].summary


def test_a_contract_that_promises_too_much_is_found(tmp_path):
    text = "def f(x):\n    return x + 1.0\n"
    contract = Contract("code.py", "code", "code.f", ("x",), returns=("x",), label="proved", transform="eager")
    functions, _ = compared(tmp_path, text, text, [contract])
    assert functions["f"].verdict == "differs" and "expected 1 result(s) then `x`" in functions["f"].reason


PRECISION = """
import {module} as np
def mean(x): return np.mean(x) / 3
def count(x): return np.arange(x.shape[0])
def third(x): return x * np.float32(1 / 3)
"""


def test_float32_is_compared_by_kind(tmp_path):
    before, after = PRECISION.format(module="numpy"), PRECISION.format(module="jax.numpy")
    functions, report = compared(tmp_path, before, after, precision="float32")
    assert report.ok and functions["mean"].verdict == "agrees", report.to_text()


def test_the_same_seed_finds_the_same(tmp_path):
    before, after = "def f(x):\n    return x.sum()\n", "def f(x):\n    return x.sum() + 1\n"
    first = compared(tmp_path / "1" if (tmp_path / "1").mkdir() is None else None, before, after, seed=5)[0]["f"]
    second = compared(tmp_path / "2" if (tmp_path / "2").mkdir() is None else None, before, after, seed=5)[0]["f"]
    assert first == second


def test_nothing_is_left_behind(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    compared(tmp_path, "def f(x):\n    return x.sum()\n", "def f(x):\n    return x.sum()\n")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["after", "before", "code.py", "code.py"]


DEFAULTS = """
import numpy as np

def widths(x, width={width}, *, kind="{kind}"):
    return x * width if kind == "a" else x
def main():
    widths(np.ones(3))
if __name__ == "__main__":
    main()
"""


def test_another_default_is_found_though_the_calls_name_it(tmp_path):
    for change in ({"width": 4}, {"kind": "b"}):
        folder = tmp_path / str(len(change["kind"]) if "kind" in change else 0)
        folder.mkdir()
        texts = [DEFAULTS.format(**({"width": 3, "kind": "a"} | one)) for one in ({}, change)]
        functions, _ = compared(folder, *texts)
        assert functions["widths"].verdict == "differs"
        assert functions["widths"].reason.startswith(f"the default of `{next(iter(change))}` is ")


def test_every_platform_is_compared(tmp_path, monkeypatch):
    from np2jax.runtime_shim.verification import tree_comparison

    started = tree_comparison.open_sides

    def with_another_platform(*args):
        sides = started(*args)
        sides[1].child.start()
        sides[1].child.about["platforms"] = ["cpu", "cpu"]
        return sides

    monkeypatch.setattr(tree_comparison, "open_sides", with_another_platform)
    functions, report = compared(tmp_path, "def f(x):\n    return x + 1.0\n", "def f(x):\n    return 1.0 + x\n")
    assert report.platforms == ("cpu", "cpu") and functions["f"].modes == ("eager", "ndarray", "cpu")


SLOPPY = """
import numpy as np
def left_over(x):
    y = np.empty(x.shape[0] + 1)
    y[1:] = x
    return y
def filled(x):
    y = np.empty_like(x)
    y[:] = x
    return y
"""


def test_uninitialised_memory_is_not_compared(tmp_path):
    functions, _ = compared(
        tmp_path,
        SLOPPY,
        SLOPPY.replace("numpy as np", "jax.numpy as np")
        .replace("y[1:] = x", "y = y.at[1:].set(x)")
        .replace("y[:] = x", "y = y.at[:].set(x)"),
    )
    assert functions["left_over"].verdict == "not compared" and "np.empty" in functions["left_over"].reason
    assert functions["filled"].verdict == "agrees"


HINTED = '''
import numpy as np
def documented(a, b, k):
    """Product.

    Parameters
    ----------
    a : (N, M) array_like
    b : (M, 3) array_like
    k : int
    """
    assert b.shape[1] == 3 and a.shape != a.shape[::-1]
    return (a @ b)[:, k]
def annotated(q: "Float[Array, '4']", flag: bool = False, *, scale: float):
    if q.shape != (4,): raise ValueError
    return -q * scale if flag else q * scale
def generator(rng, n):
    return rng.normal(size=(n, 2))
def sized(n_rows, n_cols, x):
    return np.zeros((n_rows, n_cols)) + x.reshape(n_rows, n_cols)
def definite(a):
    return np.linalg.cholesky(a)
def choose(table, labels):
    return table[labels, 0]
def weighted(values, weights):
    if np.any(weights < 0):
        raise ValueError("negative weights")
    return np.sum(weights * values, axis=-1)
'''


def test_made_up_calls_fit_what_the_source_says(tmp_path):
    after = HINTED.replace("-q * scale if flag", "q * scale if flag").replace("a @ b", "a @ b * 2").replace("(n, 2)", "(n, 3)")
    after = (
        after.replace("np.zeros((n_rows, n_cols)) +", "1 +")
        .replace("cholesky(a)", "cholesky(a).T")
        .replace("labels, 0", "labels, 1")
        .replace("weights * values", "weights * (values if weights.ndim < 2 else values * 2)")  # numbers do not show it
    )
    functions, report = compared(tmp_path, HINTED, after)
    assert {name: function.verdict for name, function in functions.items()} == dict.fromkeys(functions, "differs"), (
        report.to_text()
    )
    assert "flag=True" in functions["annotated"].call


def test_a_bug_of_ours_is_one_row(tmp_path, monkeypatch):
    from np2jax.runtime_shim.verification import function_comparison

    early = function_comparison.Examination._early

    def failing(self):
        if self.pair.name == "broken":
            raise IndexError("no such thing")
        return early(self)

    monkeypatch.setattr(function_comparison.Examination, "_early", failing)
    text = "import {0} as np\n\n\ndef broken(x): return np.sum(x)\n\n\ndef fine(x): return np.max(x)\n"
    functions, _ = compared(tmp_path, text.format("numpy"), text.format("jax.numpy"))
    assert functions["fine"].verdict == "agrees"
    assert functions["broken"].verdict == "not compared"
    assert functions["broken"].reason.endswith("please report it (IndexError: no such thing)")


CANCELS = """
import numpy as np

def drifted(velocity, mass):
    drift = (mass[:, None] * velocity).sum(axis=0) / mass.sum()
    return velocity - drift

def nothing(velocity, mass):
    return 0.0 * velocity * mass.sum()
"""
ARRAYS = {"velocity": "array:float64:1", "mass": "array:float64:1"}


def test_what_is_left_of_numbers_that_cancel_is_no_difference(tmp_path):
    """Most perturbations of the inputs leave the zeros of the original as they are, so that many are tried."""
    other_order = "(mass[:, None] / mass.sum() * velocity).sum(axis=0)"
    after = CANCELS.replace("numpy", "jax.numpy").replace("(mass[:, None] * velocity).sum(axis=0) / mass.sum()", other_order)
    after = after.replace("0.0 * velocity", "6.6e-34 * velocity")  # not a rounding error, however small
    contracts = [
        Contract("code.py", "code", f"code.{name}", tuple(ARRAYS), kinds=ARRAYS, label="proved", transform="eager")
        for name in ("drifted", "nothing")
    ]
    functions, _ = compared(tmp_path, CANCELS, after, contracts)
    assert functions["drifted"].verdict == "agrees", functions["drifted"].reason
    assert functions["nothing"].verdict == "differs"


RESIDUES = """
import numpy as np

def window(n):
    angle = np.pi * np.arange(-n, n + 1, 2.0 * n)
    return np.sin(2 * angle)

def rest(x):
    return np.sin(x) + np.sin(2 * np.pi * (x - 1)) - np.sin(2 * np.pi * x) - np.sin(x)

def lost(x):
    return 0.0 * x
"""


def test_a_residue_is_no_difference_whatever_is_exact_before_it(tmp_path):
    """sin(2 * pi) of whole numbers, and a number that loses its last digits when another one is added."""
    after = RESIDUES.replace("numpy", "jax.numpy").replace("np.sin(2 * angle)", "2 * np.sin(angle) * np.cos(angle)")
    after = after.replace("2 * np.pi * (x - 1)", "2 * np.pi * x - 2 * np.pi").replace("0.0 * x", "6.6e-34 * x")
    functions, _ = compared(tmp_path, RESIDUES, after)
    assert functions["window"].verdict == functions["rest"].verdict == "agrees", (
        functions["window"].reason + functions["rest"].reason
    )
    assert functions["lost"].verdict == "differs"
