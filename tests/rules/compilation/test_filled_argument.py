"""Compiled functions that change their arguments: callers outside of the project see that in their NumPy arrays."""

import textwrap

import jax.numpy as jnp
import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, convert_project, run
from np2jax.tests.helpers.observed import run_modules
from np2jax.tests.helpers.rule_examples import example_of, leaves

FAST = {"placement": "fast"}
test_example = example_of(__name__, **FAST)

LOOP = "for i in range(1, len(u)):\n    u[i] = np.sin(u[i - 1]) + u[i] / 2"


def program(body, params="u, n=2", name="f", before=""):
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return f"import numpy as np\n\n\n{before}def {name}({params}):\n{lines}"


test_left = leaves(
    __name__,
    program(LOOP, name="_f"),  # private: its callers are known
    program("v = u.copy()\n" + LOOP.replace("u[i]", "v[i]") + "\nreturn v"),
    program("u[0] = 1.0"),  # stays NumPy
    **FAST,
)


def filled(text, made, *arguments):
    """Both versions, called with copies: the same results, and the same arrays after the call; those, converted."""
    before, after = run(text)["f"], run(made)["f"]
    ours, theirs = [a.copy() for a in arguments], [a.copy() for a in arguments]
    want, got = before(*theirs), after(*ours)
    assert not compare_values((got, ours), (want, theirs))
    return want, got, theirs, ours


@pytest.mark.parametrize(
    ("end", "params"),
    [
        ("", "u"),
        ("return u.sum()", "u"),
        ("return u.sum(), n", "u, n=2"),
        ("return u", "u"),
        ("return u[0], u", "u"),
        ("v += u\nreturn u.max()", "u, v: np.ndarray"),
        ("v[1:] += u[1:]\nreturn v, u.max()", "u: np.ndarray, v: np.ndarray"),
        ("return None", "u, results=0"),
    ],
)
def test_the_callers_arrays_change(end, params):
    text = program(f"{LOOP}\n{end}", params)
    made = convert(text, **FAST)[0]
    arrays = [np.array([0.5, 1.0, -2.0, 3.0]), np.array([1.0, 2.0, 0.0, 4.0])][: 1 + ("v" in params)]
    want, got, theirs, ours = filled(text, made, *arrays)
    assert "[...] = " in made
    if end.endswith("return u"):
        assert got is ours[0] and want is theirs[0]
    returned = run(made)["f"](*map(jnp.asarray, arrays))  # of JAX: returned, as NJ210 says
    leaves_ = [returned] if not isinstance(returned, tuple) else [*returned]
    for array in theirs:
        assert any(np.shape(leaf) == array.shape and np.allclose(leaf, array) for leaf in leaves_)


@pytest.mark.parametrize("make", ["A[::2]", "A[::-1]", "A.reshape(2, 3)[1]", "A.astype('f4')", "A.astype(int)"])
def test_views_and_dtypes(make):
    text = program(LOOP)
    made = convert(text, **FAST)[0]
    bases = [np.arange(6.0) / 4, np.arange(6.0) / 4]
    given = [eval(make, {"A": base}) for base in bases]
    run(text)["f"](given[0])
    run(made)["f"](given[1])
    assert not compare_values((bases[1], given[1]), (bases[0], given[0]))


RELAXED = """
import numpy as np


def relaxed(x: np.ndarray, rate):
    for i in range(1, len(x)):
        x[i] = x[i] * rate + np.sin(x[i - 1])
    y = x + np.cos(x) @ x
    return y, np.outer(y, y), y @ y
"""


def test_results_can_be_passed_again():
    text = convert(RELAXED, **FAST)[0]
    assert "results[3]" in text
    before, after = (run(each)["relaxed"](np.arange(4.0), 0.5) for each in (RELAXED, text))
    for _ in range(2):
        x, y = before[0].copy(), after[0].copy()
        assert type(y) is np.ndarray and type(after[1]) is np.ndarray
        before, after = run(RELAXED)["relaxed"](x, 0.5), run(text)["relaxed"](y, 0.5)
        assert len(after) == 3
        np.testing.assert_allclose(y, x)
        for one, other in zip(before, after, strict=True):
            np.testing.assert_allclose(other, one)


def test_an_array_among_its_results_is_that_of_the_caller():
    text = convert(RELAXED.replace("return y,", "return x,"), **FAST)[0]
    x = np.arange(4.0)
    assert run(text)["relaxed"](x, 0.5)[0] is x


def test_what_cannot_be_filled_raises():
    made = run(convert(program(LOOP), **FAST)[0])["f"]
    array = np.ones(3)
    array.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        made(array)
    with pytest.raises(TypeError):  # one of each kind: one could not change
        run(convert(program(f"{LOOP}\nv += u", "u, v: np.ndarray"), **FAST)[0])["f"](np.ones(3), jnp.ones(3))


LISTS = {
    "nothing returned": program(LOOP),
    "a docstring": program(f'"""Smooth."""\n{LOOP}\nreturn n'),
    "itself": program(f"{LOOP}\nreturn u", "u"),
    "two": program(f"{LOOP}\n" + LOOP.replace("u", "v") + "\nreturn u[0], v", "u, v"),
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_change_as_in_python(name):
    text = LISTS[name]
    made = convert(text, **FAST)[0]
    assert "def _f(" in made and convert(made, **FAST)[0] == made
    before, after = run(text)["f"], run(made)["f"]
    for items in ([0.5, 1.0, -2.0], [1, 2, 3], [4.0], (4.0,)):
        given = [
            [items.copy() if isinstance(items, list) else items for _argument in range(1 + (name == "two"))] for _version in "ab"
        ]
        assert not compare_values(after(*given[0]), before(*given[1]))
        assert not compare_values(given[0], given[1])
        assert [type(item) for item in given[0][0]] == [type(item) for item in given[1][0]]


def test_long_functions_and_calls_of_the_project_are_not_written_twice():
    for text in (
        program("\n".join(["n = n + 1"] * 25) + f"\n{LOOP}"),
        program(f"n = g(n)\n{LOOP}", before="def g(n):\n    return n + 1\n\n\n"),
    ):
        assert "isinstance(u, (list, tuple))" not in convert(text, **FAST)[0]


def test_converted_code_calls_the_core():
    """With the default of the parameter that it does not pass."""
    caller = 'def twice(x: np.ndarray):\n    """Two steps."""\n    x = x * np.tanh(x)\n    f(x)\n    f(x, 3)\n    return x + np.sqrt(x * x)\n'
    text = program("for k in range(n):\n    " + LOOP.replace("\n", "\n    ")) + f"\n\n{caller}"
    made = convert(text, **FAST)[0]
    assert "x = _f(x)\n" in made and "x = _f(x, 3)\n" in made
    x = np.array([0.5, -1.0, 2.0])
    assert not compare_values(run(made)["twice"](x.copy()), run(text)["twice"](x.copy()))


def test_code_that_stays_numpy_calls_the_shell():
    model = """
        import numpy as np
        from m import f, both

        class Model:
            def __init__(self, text):
                self.data = np.array([float(item) for item in text.split()])

            def run(self):
                print("data", f(self.data))
                total, steps = both(self.data)
                return total, steps, self.data.tolist()
    """
    both = program(f"{LOOP}\nreturn u.sum(), n", name="both").removeprefix("import numpy as np\n\n\n")
    sources = {"m.py": program(f"{LOOP}\nreturn u.max()", "u") + f"\n\n{both}", "model.py": textwrap.dedent(model)}
    texts, _functions, _diagnostics = convert_project(sources, (), **FAST)
    assert "def _both(u" in texts["m.py"] and "both(self.data)" in texts["model.py"]
    want, got = (run_modules(files)["model"].Model("1 2 3 0.5").run() for files in (sources, texts))
    assert not compare_values(got, want) and type(got[0]) is type(want[0])


def test_random_updates():
    """The key is drawn in the same shell."""
    body = """n = spins.shape[0]
for _ in range(steps):
    i, j = np.random.randint(n), np.random.randint(n)
    field = spins[i - 1, j] + spins[(i + 1) % n, j] + spins[i, j - 1] + spins[i, (j + 1) % n]
    if np.random.rand() < np.exp(-2 * beta * spins[i, j] * field):
        spins[i, j] *= -1
return spins.mean()"""
    caller = "def run(spins: np.ndarray, beta):\n    for _ in range(3):\n        f(spins, 100)\n    return np.sin(spins * beta) + np.cos(spins)\n"
    text = program(body, "spins: np.ndarray, steps, beta=0.1") + f"\n\n{caller}"
    made = convert(text, **FAST)[0]
    assert "spins[...] = " in made and "def _f(spins: jax.Array, steps, beta=0.1, *, key):" in made
    before, after = run(text)["f"], run(made)["f"]
    spins = np.ones((8, 8))
    assert -1 < before(spins.copy(), 300) < 1
    run(made)["run"](spins.copy(), 0.5)
    assert after(spins, 300) == spins.mean() and -1 < spins.mean() < 1
    once = spins.copy()
    after(spins, 300)
    assert not np.array_equal(once, spins)
