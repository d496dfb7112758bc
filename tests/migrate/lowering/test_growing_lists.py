"""Lists to which loops append numbers, and that stay lists."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, compare_values, convert, copied, function, run

PARAMS = "x: np.ndarray, n: int, tol: float"
VECTOR = np.array([3.0, 1.5, 0.25, 7.0])
CALLS = [
    (VECTOR, 6, 0.5),
    (VECTOR, 0, 0.5),
    (VECTOR, 4, 1e9),
    (VECTOR * np.nan, 3, 0.5),
    (np.array([4.0]), 5, 0.3),
    (VECTOR, 1, 0.0),
]

COMPILED = {
    "each iteration": "for k in range(n):\n    x = x * 0.5\n    ys.append(x.sum() / 2)",
    "until it breaks": "for k in range(n):\n    x = x * 0.5\n    ys.append(np.linalg.norm(x))\n    if np.linalg.norm(x) < tol:\n        break",
    "broken before": "for k in range(n):\n    x = x * 0.5\n    if np.linalg.norm(x) < tol:\n        break\n    ys.append(np.linalg.norm(x))",
    "every third": "for k in range(n):\n    x = x * 0.5\n    if k % 3 == 0:\n        ys.append(np.sqrt(np.abs(x).max()))",
    "a condition on values": "for k in range(n):\n    x = x * 0.5\n    if x.sum() > tol:\n        ys.append(x.mean())\n    else:\n        x = x - 1",
    "a number of Python": "for k in range(n):\n    x = np.sqrt(np.abs(x))\n    ys.append(float(x.sum()))\n    if x.sum() < 4 + tol:\n        break",
    "integers": "for k in range(n):\n    x = x * 0.5\n    ys.append(int(x.sum() > tol) + k)\n    if x.sum() < 4:\n        break",
    "positions": "for k in range(1, n, 2):\n    x = x * 0.5\n    ys.append(x.mean())\n    if x[0] < tol:\n        break",
    "a literal number": "for k in range(4):\n    x = x * 0.5\n    ys.append(x.mean())\n    if x[0] < tol:\n        break",
    "its length": "for k in range(n):\n    x = x * 0.5\n    ys.append(x.mean())\n    if len(ys) > 2:\n        break",
    "a variable": "for k in range(n):\n    x = x * 0.5\n    loss = (x**2).mean()\n    ys.append(loss)\n    if loss < tol:\n        break",
    "nested": "for k in range(n):\n    for j in range(3):\n        x = x * 0.75\n    ys.append(x.std())\n    if x.max() < tol:\n        break",
}


def agree(before, calls):
    """Check both versions, also the types of the elements."""
    text, functions, _diagnostics = convert(before, placement="fast")
    for arguments in calls:
        copies = [copied(a) for a in arguments]
        with np.errstate(all="ignore"):
            want = run(before)["f"](*copies)
            got = run(text)["f"](*[copied(a) for a in arguments])
        difference = compare_values(got, want)
        assert not difference, f"{difference}\n{text}\n{arguments!r}"
        ours, theirs = (each if isinstance(each, list) else each[1] for each in (got, want))
        assert [type(v) for v in ours] == [type(v) for v in theirs], text
    return text, functions["f"]


@pytest.mark.quick(4)
@pytest.mark.parametrize("start", ["[]", "[9.0]", "[np.float64(2), np.float64(1)]"])
@pytest.mark.parametrize("name", COMPILED)
def test_compiled(name, start):
    body = f"ys = {start}\n{COMPILED[name]}\nreturn x, ys"
    text, outcome = agree(function(body, PARAMS), CALLS)
    assert outcome.transform == "outlined" and ".append" not in text, text
    check_agrees(function(body, PARAMS), *CALLS, keep=True)


def test_text():
    body = "ys = []\nfor k in range(n):\n    x = x * 0.5\n    ys.append(float(x.sum()))\n    if x.sum() < tol:\n        break\nreturn ys"
    text, _outcome = agree(function(body, PARAMS), CALLS)
    assert "ys_items = jnp.empty(max(n, 1))" in text and "    ys = ys_items[:ys_count].tolist()\n    return ys" in text, text
    assert "() =" not in text, text


def test_beside_an_exception():
    """What was appended before the exception stays in the list."""
    body = "ys = []\ntry:\n    for k in range(n):\n        x = x * 0.5\n        ys.append(x.mean())\n        if x.sum() < tol:\n            raise ValueError(k)\nexcept ValueError as error:\n    ys = ys + [float(error.args[0])]\nreturn ys"
    agree(function(body, PARAMS), CALLS)


LEFT = {
    "positions of an array": "for k in range(len(x)):\n    x[k] = x[k] * 0.5\n    ys.append(x[k] / 3)\n    if x[k] < tol:\n        break",
    "rows": "s = 0.5\nfor v in x:\n    s = s * 0.5 + v\n    ys.append(s / 3)\n    if s < tol:\n        break",
    "read in the loop": "for k in range(n):\n    x = x * 0.5\n    ys.append(x.mean())\n    if ys[0] > 2:\n        break",
    "printed": "for k in range(n):\n    x = x * 0.5\n    ys.append(x.mean())\n    print(x)",
    "arrays": "for k in range(n):\n    x = x * 0.5\n    ys.append(x)\n    if x.sum() < tol:\n        break",
    "unknown numbers": "for k in range(n):\n    x = x * 2\n    ys.append(x.max())\n    if x.sum() > tol:\n        break",
    "text": "for k in range(n):\n    ys.append(str(k))\n    x = x * 2",
    "None": "for k in range(n):\n    ys.append(None)\n    x = x * 2",
    "twice": "for k in range(n):\n    x = x * 0.5\n    ys.append(x.mean())\n    ys.append(x.std())",
    "in an inner loop": "for k in range(n):\n    for j in range(2):\n        x = x * 0.5\n        ys.append(x.mean())",
    "while": "while x.sum() > 1:\n    x = x * 0.5\n    ys.append(x.mean())",
    "another name": "zs = ys\nfor k in range(n):\n    x = x * 0.5\n    ys.append(x.mean())\nys = ys + zs",
    "bound again": "for k in range(n):\n    x = x * 0.5\n    ys.append(x.mean())\n    ys = ys[-2:]",
    "in a lambda": "g = lambda: len(ys)\nfor k in range(n):\n    x = x * 0.5\n    ys.append(x.mean())\n    if x.sum() < g():\n        break",
    "half precision": "y = x.astype(np.float16)\nfor k in range(n):\n    y = y * np.float16(0.5)\n    ys.append(y.mean())\n    if y.sum() < tol:\n        break",
    "complex": "y = x + 1j\nfor k in range(n):\n    y = y * 0.5\n    ys.append(y.mean())\n    if k > 2:\n        break",
    "else": "for k in range(n):\n    x = x * 0.5\n    ys.append(x.mean())\n    if x.sum() < tol:\n        break\nelse:\n    ys.append(-1.0)",
    "a very long loop": "for k in range(100_000_000):\n    x = x * 0.5\n    ys.append(x.mean())\n    if not x.sum() > tol:\n        break",
}


@pytest.mark.quick(8)
@pytest.mark.parametrize("name", LEFT)
def test_other_lists(name):
    body = f"ys = []\n{LEFT[name]}\nreturn x, ys"
    calls = [c for c in CALLS if c[2] > 0.2 or "100" not in body]
    check_agrees(function(body, PARAMS), *calls, keep=True)
    text, _outcome = agree(function(body, PARAMS), calls)
    assert "ys_items" not in text or name == "else", text


def test_arrays_are_accumulated():
    """Of a list of which only an array is made, one element each iteration, the loop accumulates the elements."""
    body = "ys = []\nfor k in range(n):\n    x = x * 0.5\n    ys.append(x.mean())\nreturn np.array(ys)"
    assert "ys_items" not in check_agrees(function(body, PARAMS), *CALLS[:1])


def test_an_item_of_many_operations_is_computed_only_where_it_is_appended():
    text = """
import numpy as np

def f(x: np.ndarray, y: np.ndarray, rounds: int, tolerance: float):
    print("start")
    losses = []
    for step in range(rounds):
        x = x * 0.5 + y
        if step % 100 == 0:
            losses.append((-y * np.log(x + 1e-12) - (1 - y) * np.log(1 - x + 1e-12)).mean())
        if np.linalg.norm(x) < tolerance:
            break
    return x, losses
"""
    made = convert(text, placement="fast")[0]
    assert "lax.cond(step % 100 == 0" in made and "jnp.where(" not in made
