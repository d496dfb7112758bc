"""Loops that go on with fewer and fewer items, which a mask chooses."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on, check_agrees, convert
from np2jax.tests.helpers.rule_examples import example_of
from np2jax.tests.programs.generators.loops.compaction_programs import program

test_example = example_of(__name__)

HEAD = """import numpy as np

def f(x: np.ndarray, n: int):
    x = x.ravel()
    z = np.zeros(len(x))
    place = np.arange(len(x))
    times = np.zeros(len(x), int)
    found = np.full(len(x), 0.5)
"""
TAIL = "    return times, found\n"
CALLS = [
    (np.linspace(-3, 3, 7), 5),
    (np.array([0.1, np.nan, 5.0, np.inf, -0.2]), 4),
    (np.array([]), 3),
    (np.array([2.0]), 0),
    (np.array([[0.5, 1.5], [2.5, -1.0]]), 6),
    (np.array([3, -1, 2]), 4),
]


def source(iteration, head=HEAD, tail=TAIL, loop="for i in range(n):"):
    lines = "".join(f"        {line}\n" for line in iteration.strip().split("\n"))
    return f"{head}    {loop}\n{lines}{tail}"


def compiled(text, *calls):
    made = check_agrees(text, *calls)
    assert "lax.while_loop" in made and "left" in made, made
    return made


def kept(text, *calls):
    made = check_agrees(text, *calls)
    assert "while_loop" not in made, made


ITERATIONS = [
    "z = z + x\nout = abs(z) > 4\ntimes[place[out]] = i\nfound[place[out]] = z[out]\nkeep = ~out\nz, x, place = z[keep], x[keep], place[keep]",
    "z += x * i\nkeep = z < 5\ntimes[place] = i + 1\nfound[place[keep]] = z[keep]\nz = z[keep]\nx = x[keep]\nplace = place[keep]",
    "if len(z) == 0:\n    break\nz = np.where(z > 1, z - 1, z + x)\nkeep = z != 2\nfound[place] = z * 2\nz, place, x = z[keep], place[keep], x[keep]",
    "np.add(z, x, z)\nkeep = z * z <= 9\nfound[place] = 2.5\nif z.size == 0:\n    break\nz, x, place = z[keep], x[keep], place[keep]",
    "np.multiply(z, 0.5, z)\nnp.add(z, x, z)\nout = z > 1\ntimes[place[out]] = 7\nnp.logical_not(out, out)\nz, x, place = z[out], x[out], place[out]",
    "step = x - z\nz = z + 0.5 * step\nkeep = np.abs(step) > 0.5\ntimes[place[keep]] = i\nx, z, place = x[keep], z[keep], place[keep]",
    "keep = x > i\ntimes[place[keep]] = i\nx = x[keep]\nplace = place[keep]",
]


@pytest.mark.quick(3)
@pytest.mark.parametrize("iteration", ITERATIONS)
def test_each_item_by_itself(iteration):
    text = source(iteration)
    if "z = z[" not in iteration and "z, " not in iteration and "z = " not in iteration:
        text = text.replace("    z = np.zeros(len(x))\n", "")
    compiled(text, *CALLS)


@pytest.mark.parametrize("loop", ["for i in range(1, n):", "for i in range(n - 1, 2 * n):"])
def test_ranges(loop):
    compiled(source(ITERATIONS[0], loop=loop), *CALLS)


def test_several_indices_negative_ones_and_narrow_ones():
    text = """import numpy as np

def f(x: np.ndarray, n: int):
    x = x.ravel()
    rows = np.arange(len(x), dtype=np.int8) - 2
    columns = np.zeros(len(x), np.int64)
    out = np.zeros((300, 2))
    for i in range(n):
        x = x - 1
        done = x < 0
        out[rows[done], columns[done]] = x[done]
        left = ~done
        x, rows, columns = x[left], rows[left], columns[left]
    return out
"""
    compiled(text, (np.array([0.5, 3.0, 1.5, -2.0]), 3))


GRID = """import numpy as np

def f(z: np.ndarray, n: int, m: int, turns: int):
    {grid}
    out = np.zeros(({size}), {dtype})
    seen = np.zeros(({size}))
    {flat}
    z = z.ravel()[: n * m] * 1.0
    for t in range(turns):
        z = z * 1.5 - 1
        done = z > 2
        out[{i}[done], {j}[done]] = {value}
        seen[{i}, {j}] = z
        z, i, j = z[~done], i[~done], j[~done]
    return out, seen
"""
PLAIN = {
    "grid": "i, j = np.mgrid[0:n, 0:m]",
    "size": "n, m",
    "dtype": "int",
    "flat": "i.shape = j.shape = n * m",
    "i": "i",
    "j": "j",
    "value": "t + 1",
}
BLOCKS = [
    {},
    {"grid": "i, j = np.mgrid[:n, :m]", "flat": "i, j = i.ravel(), j.ravel()"},
    {"grid": "i, j = np.indices((n, m))", "flat": "i = i.flatten()\n    j = j.reshape(-1)"},
    {"size": "n + 1, m + 2"},
    {"dtype": "np.int32", "value": "z[done]"},
    {"value": "z[done]", "dtype": "complex"},
    {"value": "2.5", "dtype": "np.float32"},
]
SCATTERED = [
    {"grid": "i, j = np.mgrid[1:n, 0:m]", "flat": "i.shape = j.shape = (n - 1) * m"},
    {"grid": "i, j = np.mgrid[0:n, 0:m]\n    i = i % 2"},
    {"grid": "j, i = np.mgrid[0:m, 0:n]"},
    {"grid": "i, j = np.mgrid[0:n, 0:m]", "flat": "i, j = i.ravel('F'), j.ravel('F')"},
    {"grid": "i, j = np.mgrid[0:n, 0:m]", "flat": "i, j = j.ravel(), i.ravel()", "size": "max(n, m), max(n, m)"},
    {"flat": "i.shape = j.shape = n * m\n    i[:] = i[::-1]"},
    {"flat": "i.shape = j.shape = n * m\n    n, m = n + 0, m + 0"},
    {"i": "j", "j": "i", "size": "max(n, m), max(n, m)"},
]
GRIDS = [
    (np.linspace(-3, 4, 12).reshape(4, 3), 4, 3, 5),
    (np.array([[0.5, np.nan], [np.inf, 2.5]]), 2, 2, 3),
    (np.zeros((0, 3)), 0, 3, 2),
]


@pytest.mark.quick(3)
@pytest.mark.parametrize("part", BLOCKS)
def test_all_positions_are_a_block_of_the_array(part):
    finite = part.get("dtype") == "np.int32"  # NumPy makes some integer of what is not
    made = compiled(GRID.format(**PLAIN | part), *(g for g in GRIDS if not finite or np.isfinite(g[0]).all()))
    assert "drop" not in made and ".reshape(n, m)" in made, made


@pytest.mark.quick(3)
@pytest.mark.parametrize("part", SCATTERED)
def test_other_positions_are_scattered(part):
    made = check_agrees(GRID.format(**PLAIN | part), (np.linspace(-3, 4, 12), 4, 3, 5), (np.linspace(-1, 4, 4), 2, 2, 3))
    assert ".reshape(n, m)" not in made, made


def test_large_integers_that_are_not_stored_stay():
    text = source("z = z + x\nkeep = z < 2\ntimes[place[keep]] = z[keep]\nz, x, place = z[keep], x[keep], place[keep]")
    compiled(text.replace("np.zeros(len(x), int)", "np.full(len(x), 2**62 + 1)"), *CALLS[:1], CALLS[3])


def test_positions_of_one_axis():
    made = compiled(source(ITERATIONS[0]), *CALLS)
    assert "times.at[: len(x)]" in made, made
    made = compiled(source(ITERATIONS[0], head=HEAD.replace("    times", "    place = place[::-1]\n    times")), *CALLS)
    assert "drop" in made, made
    made = compiled(source("place = place // 2\n" + ITERATIONS[0].replace("place[out]", "place[out]")), *CALLS[:1])
    assert "drop" in made, made


NEGATED = [
    "z = z + x\nout = abs(z) > 4\ntimes[place[out]] = i\nz, x, place = z[~out], x[~out], place[~out]",
    "z = z + x\nkeep = z < 3\nfound[place[~keep]] = z[~keep]\ntimes[place[keep]] = i\nz = z[keep]\nx = x[keep]\nplace = place[keep]",
    "z = z * x + 1\nout = z > 2\nfound[place] = z\nz, x, place = z[~out], x[~out], place[~out]",
]


@pytest.mark.parametrize("iteration", NEGATED)
def test_negated_masks(iteration):
    compiled(source(iteration), *CALLS)


REFUSED = [
    "z = z + x.sum()\nkeep = z < 5\nfound[place] = z\nz, x, place = z[keep], x[keep], place[keep]",  # a sum of those left
    "z = np.sort(z + x)\nkeep = z < 5\nfound[place] = z\nz, x, place = z[keep], x[keep], place[keep]",
    "z = z + x[::-1]\nkeep = z < 5\nfound[place] = z\nz, x, place = z[keep], x[keep], place[keep]",
    "z = z + x\nkeep = z < 5\nmore = z < 3\nfound[place] = z\nz, x, place = z[keep], x[keep], place[more]",
    "z = z + x\nkeep = z < 5\nfound[place] = found[place] + z\nz, x, place = z[keep], x[keep], place[keep]",
    "z = z + len(z)\nkeep = z < 5\nfound[place] = z\nz, place, x = z[keep], place[keep], x[keep]",
    "z = z + x\nkeep = z < 5\nif len(z) == 1:\n    break\nfound[place] = z\nz, x, place = z[keep], x[keep], place[keep]",
    "z = z + x\nkeep = z < 5\nfound[place] = z\nz, x, place = z[keep], x[keep], place[keep]\nz = z + 1",
    "z = z + x\nkeep = z < 5\nfound[place[~keep]] = z[keep]\nz, x, place = z[keep], x[keep], place[keep]",
    "z = z + x\nkeep = z < 5\nfound[place] = z\nz, x, place = z[~keep], x[keep], place[keep]",
    "z = np.cumsum(z) + x\nkeep = z < 5\nfound[place] = z\nz, x, place = z[keep], x[keep], place[keep]",
]


@pytest.mark.parametrize("iteration", REFUSED)
def test_what_needs_the_others_stays(iteration):
    text = source(iteration)
    made, _functions, _diagnostics = convert(text)
    assert "while_loop" not in made, made


def test_what_is_read_after_the_loop_stays():
    kept(source(ITERATIONS[0], tail="    return times, z\n"), (np.linspace(-3, 3, 7), 5))
    kept(source(ITERATIONS[0], tail="    return times, len(x)\n"), (np.linspace(-3, 3, 7), 5))


def test_rows_of_several_axes_stay():
    head = HEAD.replace("x = x.ravel()", "x = x.reshape(-1, 2)")
    made, _functions, _diagnostics = convert(source(ITERATIONS[0], head=head))
    assert "while_loop" not in made, made


def test_arrays_that_others_see_stay():
    text = source(
        ITERATIONS[4],
        head=HEAD.replace("z = np.zeros(len(x))", "z = np.zeros(len(x))\n    first = z"),
        tail="    return times, first\n",
    )
    made, _functions, _diagnostics = convert(text)
    assert "while_loop" not in made, made


def test_a_parameter_that_is_changed_stays():
    text = source(
        "np.add(x, 1, x)\nkeep = x < 5\nfound[place] = i\nx, place = x[keep], place[keep]",
        head=HEAD.replace("    x = x.ravel()\n", "    assert x.ndim == 1\n"),
    )
    made, _functions, _diagnostics = convert(text)
    assert "while_loop" not in made, made


def check(seed):
    """Whether a random program ran in NumPy and agreed; whether it was compiled."""
    text = program(seed)
    made, functions, _diagnostics = convert(text)
    rng = np.random.default_rng(seed)
    ran = False
    for size in (6, int(rng.integers(0, 4))):
        x = rng.normal(size=size) * 2
        if size and rng.random() < 0.4:
            x[int(rng.integers(size))] = rng.choice([np.nan, np.inf, -np.inf])
        ran |= agrees_on(text, made, functions["f"], (x, 0.5, int(rng.integers(0, 6))))
    return ran, "left" in made


def test_random_programs():
    assert any(check(seed)[0] for seed in range(5))


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 1120, 20))
def test_many_random_programs(start):
    ran, compiled = zip(*(check(seed) for seed in range(start, start + 20)), strict=True)
    assert sum(ran) > 5 and sum(compiled) > 1
