"""`raise`, `assert` and `return` in loops: a flag ends the loop, which is compiled, and the same exception follows it."""

import textwrap

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, compare_values, convert, copied, function, run

RNG = np.random.default_rng(0)
SQUARE = RNG.normal(size=(4, 4)) + 4 * np.eye(4)
SINGULAR = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 1.0], [0.0, 1.0, 1.0]])
MATRICES = [(SQUARE,), (SINGULAR,), (np.zeros((2, 2)),), (np.full((2, 2), np.nan),)]
VECTOR = np.array([3.0, 1.5, 0.25, 7.0])
VECTORS = [(VECTOR,), (np.array([1.0, -2.0, -3.0]),), (np.array([2.0, np.nan, -1.0]),), (np.array([np.inf]),)]


def outcome(text, arguments):
    """The result or the exception of `f`, and the arguments afterwards."""
    copies = [copied(a) for a in arguments]
    with np.errstate(all="ignore"):
        try:
            return run(text)["f"](*copies), None, copies
        except Exception as error:
            return None, error, copies


def agree(before, calls):
    """Check that both versions return or raise the same, and change their arguments in the same way. Returns the new text."""
    before = textwrap.dedent(before)
    text, functions, _diagnostics = convert(before, placement="fast")
    for arguments in calls:
        want, expected, theirs = outcome(before, arguments)
        got, error, mine = outcome(text, arguments)
        note = f"\n{text}\narguments: {arguments!r}, {error!r} instead of {expected!r}"
        assert type(error) is type(expected), note
        assert repr(error) == repr(expected) and str(error) == str(expected), note
        for one, other in [(got, want), *zip(mine, theirs, strict=True)]:
            difference = compare_values(one, other)
            assert not difference, f"{difference}{note}"
        if expected is None:
            assert type(got) is type(want), note
    return text, functions["f"]


COMPILED = {
    "for": ("for i in range(len(x)):\n    if x[i] < 0:\n        raise ValueError('negative')\n    x[i] = np.sqrt(x[i])\nreturn x", "x: np.ndarray", VECTORS),
    "the index": ("for i in range(len(x)):\n    if x[i] < 0:\n        raise ValueError(f'negative at {i}, after {i - 1}')\n    x[i] = np.sqrt(x[i])\nreturn x", "x: np.ndarray", VECTORS),
    "the index itself": ("for i in range(len(x)):\n    if x[i] < 0:\n        raise ValueError('negative', i, [i])\n    x[i] = np.sqrt(x[i])\nreturn x", "x: np.ndarray", VECTORS),
    "the index, %r and !r": ("for i in range(len(x)):\n    if x[i] < 0:\n        raise ValueError('at %r' % i, f'{i!r}', '{!r}'.format(i))\n    x[i] = x[i] + 1\nreturn x", "x: np.ndarray", VECTORS),
    "an item": ("for i in range(len(x)):\n    if x[i] < 0:\n        raise ValueError('%s at %d' % (x[i], i))\n    x[i] = np.sqrt(x[i])\nreturn x", "x: np.ndarray", VECTORS),
    "NaN": ("s = 0.0\nfor i in range(len(x)):\n    if np.isnan(x[i]):\n        raise FloatingPointError(f'NaN at {i}: {s}')\n    s = s + x[i]\nreturn s", "x: np.ndarray", VECTORS),
    "what was computed": ("s = 0.0\nfor i in range(len(x)):\n    y = x[i] * 2\n    z = abs(y) + i\n    if z > 8:\n        raise OverflowError(f'{y} gives {z}', i)\n    s = s + z\nreturn s", "x: np.ndarray", VECTORS),
    "a row": ("s = 0.0\nfor row in a:\n    if np.isnan(row).any() or row.sum() == 0:\n        raise ValueError(f'bad row {row}')\n    s = s + np.abs(row).max()\nreturn s", "a: np.ndarray", MATRICES),
    "enumerate": ("out = np.zeros(len(a))\nfor i, row in enumerate(a):\n    total = row.sum()\n    if not total != 0:\n        raise ZeroDivisionError(f'row {i}: {total}')\n    out[i] = (row / total).max()\nreturn out", "a: np.ndarray", MATRICES),
    "assert": ("for i in range(1, len(x)):\n    assert x[i] > 0, f'at {i}'\n    x[i] = x[i] + 0.5 * x[i - 1]\nreturn x", "x: np.ndarray", VECTORS),
    "assert without text": ("for i in range(len(x)):\n    assert not np.isnan(x[i])\n    x[i] = x[i] * 2\nreturn x", "x: np.ndarray", VECTORS),
    "assert of a test in parentheses": ("for i in range(len(x)):\n    assert (x[i] >= 0) | (x[i] < -2), i\n    x[i] = x[i] * 2\nreturn x", "x: np.ndarray", VECTORS),
    "while": ("n = 0\ny = x.copy()\nwhile np.abs(y).sum() > 0.5:\n    y = y * 0.5\n    n += 1\n    if n > limit:\n        raise RuntimeError('no convergence after', n)\nreturn y", "x: np.ndarray, limit: int", [(VECTOR, 100), (VECTOR, 2), (VECTOR, 0), (np.array([np.inf]), 20)]),
    "while True": ("n = 0\nwhile True:\n    x = x * 0.5\n    n += 1\n    if np.abs(x).max() < 0.1:\n        break\n    if n >= limit:\n        raise RuntimeError(f'no convergence in {n} rounds: {np.abs(x).max()}')\nreturn x", "x: np.ndarray, limit: int", [(VECTOR, 100), (VECTOR, 2), (np.array([np.nan]), 9)]),
    "two kinds": ("for i in range(len(x)):\n    if x[i] < 0:\n        raise ValueError(f'negative {x[i]}')\n    if x[i] > 5:\n        raise OverflowError('too large', i)\n    x[i] = np.log(x[i])\nreturn x", "x: np.ndarray", VECTORS),
    "the same twice": ("for i in range(len(x)):\n    if x[i] < 0:\n        raise ValueError('range')\n    if x[i] > 5:\n        raise ValueError('range')\n    x[i] = np.log(x[i])\nreturn x", "x: np.ndarray", VECTORS),
    "elif and else": ("for i in range(len(x)):\n    if x[i] < 0:\n        raise ValueError(f'negative at {i}')\n    elif x[i] < 2:\n        x[i] = 2.0\n    else:\n        x[i] = x[i] - 1\nreturn x", "x: np.ndarray", VECTORS),
    "from None": ("for i in range(len(x)):\n    if x[i] < 0:\n        raise ValueError('negative') from None\n    x[i] = np.sqrt(x[i])\nreturn x", "x: np.ndarray", VECTORS),
    "a class": ("for i in range(len(x)):\n    if x[i] < 0:\n        raise ArithmeticError\n    x[i] = np.sqrt(x[i])\nreturn x", "x: np.ndarray", VECTORS),
    "nested": ("n = len(a)\nout = np.zeros((n, n))\nfor i in range(n):\n    for j in range(i + 1):\n        if a[j, j] == 0:\n            raise ZeroDivisionError(f'pivot {j} of row {i}')\n        out[i, j] = a[i, j] / a[j, j] - out[j, i]\n    out[i, i] += 1\nreturn out", "a: np.ndarray", MATRICES),
    "nested, in the outer one": ("n = len(a)\nfor i in range(n):\n    if abs(a[i, i]) < 1e-12:\n        raise np.linalg.LinAlgError(f'singular: {a[i, i]} in column {i}')\n    for j in range(i + 1, n):\n        a[j] = a[j] - a[j, i] / a[i, i] * a[i]\nreturn a", "a: np.ndarray", MATRICES),
    "the largest pivot": ("n = len(a)\nfor k in range(n):\n    p = k + np.argmax(np.abs(a[k:, k]))\n    if not abs(a[p, k]) > 1e-12:\n        raise ValueError(f'column {k}: {abs(a[p, k]):.3e} in row {p}')\n    for i in range(k + 1, n):\n        a[i] = a[i] - a[i, k] / a[k, k] * a[k]\nreturn a", "a: np.ndarray", [(SQUARE,), (np.zeros((2, 2)),), (np.eye(3),)]),
    "while in for": ("for i in range(len(x)):\n    n = 0\n    while x[i] > 1:\n        x[i] = x[i] / 2\n        n += 1\n        if n > 1:\n            raise RuntimeError(f'item {i}')\nreturn x", "x: np.ndarray", VECTORS),
    "return beside it": ("for k in range(rounds):\n    step = 0.5 * (x - 2 / x)\n    x = x - step\n    if not np.all(np.isfinite(x)):\n        raise FloatingPointError('diverged after %d rounds' % k)\n    if np.abs(step).max() < 1e-9:\n        return x, k\nraise RuntimeError('no convergence')", "x: np.ndarray, rounds: int", [(VECTOR, 50), (VECTOR, 2), (VECTOR, 0), (np.zeros(2), 9)]),
    "return of a constant": ("if x.ndim != 1:\n    raise ValueError('a vector')\nfor i in range(len(x)):\n    if np.isnan(x[i]):\n        raise ValueError(f'NaN at {i}')\n    if x[i] < 0:\n        return False\nreturn True", "x: np.ndarray", VECTORS),
    "break beside it": ("s = 0.0\nfor i in range(len(x)):\n    if x[i] < -2.5:\n        raise ValueError(i)\n    if x[i] < 0:\n        break\n    s = s + x[i]\nreturn s", "x: np.ndarray", VECTORS),
    "continue beside it": ("s = 0.0\nfor i in range(len(x)):\n    if np.isnan(x[i]):\n        continue\n    if x[i] < 0:\n        raise ValueError(f'{i}: {s}')\n    s = s + x[i]\nreturn s", "x: np.ndarray", VECTORS),
    "else": ("for i in range(len(x)):\n    if x[i] < 0:\n        raise ValueError(i)\n    x[i] = x[i] * 2\n    if x[i] > 10:\n        break\nelse:\n    raise RuntimeError('none')\nreturn x", "x: np.ndarray", VECTORS),
    "in a try around the loop": ("n = 0\ntry:\n    for i in range(len(x)):\n        if x[i] < 0:\n            raise KeyError(i)\n        x[i] = x[i] * 2\nexcept KeyError as error:\n    n = error.args[0]\nreturn n", "x: np.ndarray", VECTORS),
    "a suite in one line": ("for i in range(len(x)):\n    if x[i] < 0: raise ValueError(i)\n    x[i] = x[i] * 2\nreturn x", "x: np.ndarray", VECTORS),
    "integers": ("for i in range(len(x)):\n    if x[i] < 0:\n        raise ValueError(f'{x[i]} at {i}', x[i])\n    x[i] = x[i] * 2\nreturn x", "x: np.ndarray", [(np.array([1, 2, 3]),), (np.array([1, -2], dtype=np.int16),)]),
    "single precision": ("for i in range(len(x)):\n    if x[i] < 0:\n        raise ValueError(f'{x[i]} at {i}')\n    x[i] = x[i] * 2\nreturn x", "x: np.ndarray", [(np.array([1.1, -0.3], dtype=np.float32),), (np.array([1 + 2j, 3]).real,)]),
}  # fmt: skip


@pytest.mark.quick(11)
@pytest.mark.parametrize("name", COMPILED)
def test_compiled(name):
    body, params, calls = COMPILED[name]
    text, made = agree(function(body, params), calls)
    assert made.transform == "outlined", text
    check_agrees(function(body, params), *calls, keep=True)


LEFT = {
    "an expression that is written down": "for i in range(len(x)):\n    if x[i] < 0:\n        raise ValueError(f'{i=}')\n    x[i] = x[i] + 1\nreturn x",
    "under try": "for i in range(len(x)):\n    try:\n        if x[i] < 0:\n            raise ValueError(i)\n        x[i] = np.sqrt(x[i])\n    except ValueError:\n        x[i] = 0.0\nreturn x",
    "under with": "for i in range(len(x)):\n    with np.errstate(all='raise'):\n        if x[i] < 0:\n            raise ValueError(i)\n        x[i] = x[i] + 1\nreturn x",
    "again": "for i in range(len(x)):\n    try:\n        y = 1 / int(x[i])\n    except ZeroDivisionError:\n        raise\n    x[i] = y\nreturn x",
    "a cause": "for i in range(len(x)):\n    try:\n        y = 1 / int(x[i])\n    except (ZeroDivisionError, ValueError, OverflowError) as error:\n        raise KeyError(i) from error\n    x[i] = y\nreturn x",
    "a name that is bound": "for i in range(len(x)):\n    if x[i] < 0:\n        raise ValueError(y := i)\n    x[i] = x[i] + 1\nreturn x",
    "printing": "for i in range(len(x)):\n    if x[i] < 0:\n        raise ValueError(i)\n    print(x[i])\nreturn x",
    "a list": "seen = []\nfor i in range(len(x)):\n    if x[i] < 0:\n        raise ValueError(str(seen))\n    seen.append(float(x[i]))\nreturn seen",
    "the index is read later": "for i in range(len(x)):\n    if x[i] < 0:\n        raise ValueError(i)\n    x[i] = x[i] + 1\nreturn x, i",
    "what changed since": "for i in range(len(x)):\n    y = x[i]\n    x[i] = 5.0\n    if y < 0:\n        raise ValueError(f'{y}')\nreturn x",
    "an array that changed since": "z = x\nfor i in range(len(x)):\n    y = z[i:i + 1]\n    x[i] = 5.0\n    if x[i] < 9 and i == 1:\n        raise ValueError(f'{y}')\nreturn x",
    "the last iteration's": "y = 0.0\nfor i in range(len(x)):\n    if x[i] < 0:\n        raise ValueError(f'{y}')\n    y = x[i] * 2\nreturn y",
    "a generator": "def g():\n    for i in range(len(x)):\n        if x[i] < 0:\n            raise ValueError(i)\n        yield x[i]\nreturn sum(g())",
    "a function in the loop": "s = 0.0\nfor i in range(len(x)):\n    def g(v):\n        if v < 0:\n            raise ValueError(i)\n        return v * 2\n    s = s + g(x[i])\nreturn s",
    "deleted": "for i in range(len(x)):\n    y = x[i]\n    if y < 0:\n        raise ValueError(i)\n    del y\nreturn x",
    "locals": "for i in range(len(x)):\n    if x[i] < 0:\n        raise ValueError(sorted(locals()))\n    x[i] = x[i] + 1\nreturn x",
    "a lambda reads the index": "for i in range(len(x)):\n    g = lambda: i\n    if x[i] < 0:\n        raise ValueError(g())\n    x[i] = x[i] + 1\nreturn x",
    "a condition that is static": "for i in range(len(x)):\n    if x.ndim != 1:\n        raise ValueError(i)\n    x[i] = x[i] + 1\nreturn x",
    "text": "word = 'none'\nfor i in range(len(x)):\n    word = 'item %d' % i\n    if x[i] < 0:\n        raise ValueError(word)\n    x[i] = x[i] + 1\nreturn x",
    "a comprehension in the message": "for i in range(len(x)):\n    if x[i] < 0:\n        raise ValueError([i for i in range(i)])\n    x[i] = x[i] + 1\nreturn x",
}  # fmt: skip


@pytest.mark.quick(8)
@pytest.mark.parametrize("name", LEFT)
def test_other_exits(name):
    """However they are written, they do the same."""
    agree(function(LEFT[name], "x: np.ndarray"), VECTORS)
    check_agrees(function(LEFT[name], "x: np.ndarray"), *VECTORS, keep=True)


NOT_COMPILED = ("under try", "printing", "text", "what changed since")


@pytest.mark.parametrize("name", NOT_COMPILED)
def test_text_stays_where_the_loop_is_not_compiled(name):
    before = function(LEFT[name], "x: np.ndarray")
    assert convert(before, placement="fast")[0] == before


def test_outer_loop_stays_python():
    """Only the loop that is compiled loses its `raise`."""
    before = function(
        "for i in range(3):\n    print(i)\n    for j in range(len(x)):\n        if x[j] < i:\n            raise ValueError(f'{i}, {j}')\n        x[j] = x[j] + 0.5 * j\nreturn x",
        "x: np.ndarray",
    )
    text, made = agree(before, VECTORS)
    assert made.transform == "outlined"
    assert "        if failed:\n            raise ValueError(f'{i}, {j}')" in text, text


def test_comments():
    before = """
    import numpy as np


    def f(x: np.ndarray):
        # all items
        for i in range(len(x)):
            if x[i] < 0:
                # say which
                raise ValueError(f"{i}")  # the first
            x[i] = np.sqrt(x[i])
        return x
    """
    text = convert(before, placement="fast")[0]
    assert "# all items" in text and '# say which\n        raise ValueError(f"{i}")  # the first' in text, text


def test_one_of_two_loops():
    """A loop that is not compiled keeps its `raise` beside one that is."""
    before = function(
        "for i in range(len(x)):\n    if x[i] < 0:\n        raise ValueError(i)\n    x[i] = np.sqrt(x[i])\nfor i in range(len(x)):\n    if x[i] > 2:\n        raise OverflowError(i)\n    print(x[i])\nreturn x",
        "x: np.ndarray",
    )
    text, made = agree(before, [(VECTOR / 8,), *VECTORS])
    assert made.transform == "outlined" and "            raise OverflowError(i)" in text, text


def test_attributes_changed_before():
    before = """
    import numpy as np


    class Filter:
        def __init__(self):
            self.x = np.zeros(2)

        def run(self, zs: np.ndarray):
            for k in range(len(zs)):
                if zs[k].max() > 9:
                    raise ValueError(f"outlier at {k}: {zs[k]}")
                self.x = 0.5 * self.x + zs[k]
            return self.x


    def f(zs):
        found = Filter()
        try:
            found.run(zs)
        except ValueError as error:
            return str(error), found.x
        return "", found.x
    """
    agree(before, [(np.ones((3, 2)),), (np.array([[1.0, 2.0], [3.0, 10.0], [1.0, 1.0]]),)])
