"""Arrays that containers hold, and those that nested functions give, are somebody else's, too: what changes them in place is seen there."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, compare_values, convert, run
from np2jax.tests.helpers.observed import check_program, taped

W = np.array([1.0, 2.0, 3.0])
MATRIX = np.arange(6.0).reshape(2, 3)
DICTS = [
    "{k: v for k, v in d.items()}",
    "{k: d[k] for k in d}",
    "dict(d)",
    "d.copy()",
    "{**d}",
    "{'w': d['w'], 'b': d['b']}",
    "dict(zip(['w', 'b'], d.values()))",
    "{}; p.update(d)",
    "d",
]
LISTS = [
    "[v for v in d]",
    "[d[i] for i in range(2)]",
    "list(d)",
    "d[:]",
    "[*d]",
    "[d[0], d[1]]",
    "d + []",
    "[v for _, v in enumerate(d)]",
    "list(map(lambda v: v, d))",
    "[]; p.extend(d)",
    "sorted(d, key=len)",
    "d",
]
CHANGES = ["p[K] += 5", "p[K] *= s", "p[K] -= s * p[J]", "p[K] += e", "p[K] += np.sum(p[K])", "for k in KS: p[k] -= s * p[k]"]
HEADS = ["d, s, e):", "q, s, e):\n    d = C", "q: np.ndarray, s, e):\n    x = q.copy()\n    d = C"]
RESULTS = ["p", "d", "p[K]", "np.sum(p[K])", "x"]


def program(held, change, head, result):
    """The text of `f(d, s, e)`: a container that holds the arrays of another one, and a change of one of them."""
    table = held in DICTS
    key, other, keys = ("'w'", "'b'", "list(p)") if table else ("0", "1", "range(len(p))")
    array = "x" if "x =" in head else "q"
    made = f"{{'w': {array}, 'b': {array} * 2}}" if table else f"[{array}[0], {array}[1]]"
    if result == "x" and array != "x":
        result = "d"
    lines = [f"def f({head.replace('C', made)}", f"p = {held}".replace("; ", "\n    "), change, f"return {result}"]
    text = "import numpy as np\n\n\n" + "\n    ".join(lines) + "\n"
    return text.replace("KS", keys).replace("K", key).replace("J", other)


def calls(held, head):
    if "C" in head:
        return [(MATRIX, 0.5, W)]
    if held in DICTS:
        return [({"w": W, "b": W * 3}, 0.5, W), ({"w": 3.0, "b": 2.0}, 0.5, 1.0)]
    return [([W, W * 3], 0.5, W), ([3.0, 2.0], 0.5, 1.0)]


@pytest.mark.parametrize("held", ["{k: v for k, v in d.items()}", "dict(d)", "list(d)", "[d[i] for i in range(2)]", "d[:]"])
def test_items_that_may_be_somebody_elses_arrays(held):
    """`p = dict(d); p["w"] -= s` changes the caller's array, too, if it is one: p got a new one, silently. Found by a table of forms."""
    check_agrees(program(held, "p[K] *= s", HEADS[0], "p"), *calls(held, HEADS[0]), keep=True)


def test_rows_that_a_comprehension_took():
    check_agrees(program("[d[i] for i in range(2)]", "p[K] += 5", HEADS[2], "x"), (MATRIX, 0.5, W), keep=True)
    before = """
    import numpy as np

    def f(q: np.ndarray):
        x = q * 1.0
        rows = [x[i] for i in range(2)]
        x[0] = 5
        return rows[0]
    """
    check_agrees(before, (MATRIX,), keep=True)


def test_a_parameter_that_names_its_copy():
    """`d` is no longer the caller's list, but its items are the caller's."""
    check_agrees("def f(d, s):\n    d = list(d)\n    d[0] *= s\n    return d\n", ([W, W * 3], 0.5), ([3.0, 2.0], 0.5), keep=True)


@pytest.mark.parametrize(
    "change",
    [
        "p = {}\n    for w in d: p[w] = 0\n    for w in d: p[w] += 1",
        "p = [0.0, 0.0]\n    p[0] += d['w']",
        "p = {k: float(v) for k, v in d.items()}\n    p['w'] += 1",
        "p = [np.sum(v) for v in d.values()]\n    p[0] += 1",
        "p = {k: v / 2 for k, v in d.items()}\n    p['w'] *= 2",
        "d['w'] += 1\n    p = d",
        "p = d\n    p['w'] += 1",
        "d['w'] = d['w'] * 2\n    p = d",
    ],
)
def test_numbers_and_arrays_of_its_own_are_changed(change):
    text = f"import numpy as np\n\n\ndef f(d):\n    {change}\n    return p\n"
    check_agrees(text, ({"w": 2.0, "b": 3.0},))


FUNCTIONS = [
    "def g(): return x[0]",
    "def g(): return x",
    "g = lambda: x[0]",
    "g = (lambda: x)",
    "def g(): return x, 1",
    "def g(): return [x[0]]",
    "def g():\n        h = lambda: x[0]\n        return h()",
    "fs = [lambda: x]; g = fs[0]",
    "g = lambda: list(map(lambda i: x[i], range(2)))",
    "def g(): return x * 2",
    "def g(): return x.sum()",
    "def g(): return x.copy()",
]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("after", ["x[0] = 5", "x = x * 2; v = g(); x[0] = 5", "x += 1"])
def test_what_nested_functions_give_is_what_they_read(function, after):
    """`v = g(); x[0] = 5` changes v, too, where g gives x: v was as before, silently."""
    text = f"import numpy as np\n\n\ndef f(q: np.ndarray):\n    x = q * 1.0\n    {function}\n    v = g()\n    {after}\n    return v\n"
    text = text.replace("; ", "\n    ")
    check_agrees(text, (MATRIX,), keep=True)


@pytest.mark.parametrize("body", ["x * 2", "x.sum()", "a @ x", "np.sum((a - x) ** 2)"])
def test_what_nested_functions_compute_is_nobody_elses(body):
    text = f"import numpy as np\n\n\ndef f(q: np.ndarray):\n    x = q * 1.0\n    def g(a): return {body}\n    v = g(q)\n    x[0] = 5\n    return v, x\n"
    check_agrees(text, (W,), keep=True)
    assert convert(text)[1]["f"].label != "kept" or "a" in body


@pytest.mark.quick(4)
@pytest.mark.parametrize("view", ["x[1:]", "x[::-1]", "x[0]", "x[:, 0]", "x.T", "x.reshape(-1)", "x", "x[0:1]"])
@pytest.mark.parametrize("made", ["q * 1.0", "q.copy()", "np.array(q)"])
@pytest.mark.parametrize("store", ["v[i] += v[i - 1]", "v[i] = i", "v[0] *= 2", "v += i"])
def test_views_of_what_nobody_reads_any_more(view, made, store):
    """The view itself is changed. A loop changed what it is a view of, and did not carry it: UnboundLocalError."""
    text = f"import numpy as np\n\n\ndef f(q: np.ndarray):\n    x = {made}\n    v = {view}\n"
    text += f"    for i in range(1, len(v)):\n        {store}\n    return v\n"
    check_agrees(text, (MATRIX,), (MATRIX.astype(int),), (MATRIX.astype(np.float32).T,), keep=True)


@pytest.mark.parametrize("after", ["v[0] = 5\n    return x", "x[0] = 5\n    return v", "v += 1\n    return x"])
@pytest.mark.parametrize("dtype", ["float64", "int64", "float32"])
def test_an_array_of_a_type_that_it_has(after, dtype):
    """`np.float64(x)` is x where x holds float64."""
    text = f"import numpy as np\n\n\ndef f(x: np.ndarray):\n    v = np.{dtype}(x)\n    {after}\n"
    check_agrees(text, (W,), (W.astype(int),), (W.astype(np.float32),), keep=True)


@pytest.mark.slow
@pytest.mark.parametrize("held", DICTS + LISTS)
def test_many_items(held):
    for change in CHANGES:
        for head in HEADS:
            for result in RESULTS:
                check_agrees(program(held, change, head, result), *calls(held, head), keep=True, idempotent=False)


CHANGED_INSIDE = """\
import numpy as np


def f(p):
    v = p.copy()

    def inner():
        {change}
        return p

    {bind}
    inner()
    return v


a = np.ones(3)
b = f(a)
c = a + b
"""


@pytest.mark.parametrize("change", ["v[1:][0] -= 3", "v[0] = 5", "v.sort()", "np.add(v, 1, out=v)", "w = v[1:]; w += 1"])
@pytest.mark.parametrize("bind", ["v, p = p, v", "v = p", "v = p[::-1]", "[v, p] = p, v", "for v in (p,): pass"])
def test_a_nested_function_changes_what_its_variable_is_bound_to_later(change, bind):
    """The caller's array was taken to be nobody's: it was read-only when it was changed. Found by random programs."""
    with taped():
        check_program({"m.py": CHANGED_INSIDE.format(change=change, bind=bind)})


COUNTED = """
from collections import Counter, defaultdict
import numpy as np


def density(x: np.ndarray):
    dens = np.zeros(len(x))
    for column in range(x.shape[1]):
        counts = {made}
        for value in x[:, column]:
            counts[value] += 1
        for i in range(len(x)):
            dens[i] += counts[x[i, column]] / float(len(x))
    return dens
"""


@pytest.mark.parametrize("made", ["defaultdict(int)", "Counter()", "dict.fromkeys(range(3), 0)"])
def test_dicts_of_collections_are_no_arrays(made):
    text = COUNTED.replace("{made}", made)
    x = np.array([[0, 1], [2, 1], [0, 0]])
    converted = convert(text, placement="fast")[0]
    assert not compare_values(run(converted)["density"](x), run(text)["density"](x))
