"""What is compiled gets dicts, and hands them back, with their keys sorted: where the order counts, functions are not compiled."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert

X = np.array([1.0, -2.0, 3.0])


def text(*lines):
    body = "\n".join(f"            {line}" for line in lines)
    return f"""
        import numpy as np


        def made(x: np.ndarray):
{body}


        def f(x: np.ndarray):
            return list(made(x)), np.concatenate([np.ravel(v) for v in made(x).values()])
    """


ANOTHER_ORDER = [
    ('return {"z": x + 1, "a": x * 2}',),
    ("return dict(mean=x.mean(), largest=x.max())",),
    ('d = {"z": x + 1, "a": x * 2}', "return d"),
    ('d = {"a": x * 2}', 'd["Z"] = x + 1', "return d"),
    ('d = {"a": x * 2}', 'd.update({"Z": x})', "return d"),
    ('a, z = "a", "z"', "return {z: x + 1, a: x * 2}"),
    ('return {**{"z": x + 1}, "a": x * 2}',),
    ('return {k: x * 2 for k in ("z", "a")}',),
    ('return dict([("z", x), ("a", x + 1)])',),
    ("if x.shape[0] > 2:", '    return {"a": x, "b": x + 1}', 'return {"b": x, "a": x + 1}'),
]


@pytest.mark.quick(4)
@pytest.mark.parametrize("lines", ANOTHER_ORDER, ids=lambda lines: lines[-1])
def test_keys_in_another_order(lines):
    made = check_agrees(text(*lines), (X,), (X[:1],))
    assert "@jax.jit\ndef made" not in made


@pytest.mark.parametrize(
    "lines",
    [
        ('return {"a": x * 2, "z": x + 1}',),
        ("return dict(largest=x.max(), mean=x.mean())",),
        ('return {"only": x + 1}',),
        ('d = {"a": x * 2, "z": x + 1}', "return d"),
    ],
    ids=lambda lines: lines[-1],
)
def test_keys_in_order_are_compiled(lines):
    assert "@jax.jit\ndef made" in check_agrees(text(*lines), (X,), (X[:1],))


def test_a_dict_inside_of_what_is_returned():
    unsorted = "import numpy as np\n\n\ndef f(x: np.ndarray):\n    return x.sum(), [{'b': x + 1, 'a': x}]\n"
    assert "jit" not in convert(unsorted)[0]
    assert "jit" in convert(unsorted.replace("'b'", "'A'"))[0]


D = {"w2": np.arange(9.0).reshape(3, 3), "w1": np.ones((3, 3)) / 7}
GIVEN = [
    "x @ p[list(p)[0]]",
    "x @ p[next(iter(p))]",
    "x @ p[tuple(p)[0]]",
    "x @ p[[*p][0]]",
    "x @ list(p.values())[0]",
    "x @ np.stack(list(p.values()))[0]",
    "x @ list(map(p.get, p))[0]",
    "x @ np.stack([p[k] for k in p])[0]",
    "x @ next(iter(p.items()))[1]",
    "x @ list(p.copy().values())[0]",
]


@pytest.mark.parametrize("annotation", ["", ": dict", ": dict[str, np.ndarray]"])
@pytest.mark.parametrize("value", GIVEN)
def test_the_order_of_a_dict_that_is_given(value, annotation):
    check_agrees(f"import numpy as np\n\n\ndef f(p{annotation}, x: np.ndarray):\n    return np.tanh({value})\n", (D, X))


@pytest.mark.parametrize(
    "lines", [("a, b = p", "return np.tanh(x @ p[a]) @ p[b]"), ("a, b = p.values()", "return np.tanh(x @ a) @ b")]
)
def test_a_dict_is_unpacked(lines):
    check_agrees("import numpy as np\n\n\ndef f(p, x: np.ndarray):\n    " + "\n    ".join(lines) + "\n", (D, X))


@pytest.mark.parametrize("value", ["len(p.keys()) * x", "p[sorted(p)[0]] @ x", "p['w1'] @ x"])
def test_where_any_order_will_do_a_function_is_compiled(value):
    text = f"import numpy as np\n\n\ndef f(p: dict[str, np.ndarray], x: np.ndarray):\n    return np.tanh({value} + x)\n"
    assert "@jax.jit" in check_agrees(text, (D, X))


WRITTEN_BACK = [
    "return p, np.sum(x)",
    'return p["inner"], np.sum(x)',
    "return [p, p], np.sum(x)",
    "return list(p.values()), np.sum(x)",
    "return {**p}, np.sum(x)",
    "return p.copy(), np.sum(x)",
    "return p if x.shape[0] > 2 else x, np.sum(x)",
    "q = p\n    return q, np.sum(x)",
]


@pytest.mark.parametrize("lines", WRITTEN_BACK)
def test_a_parameter_of_which_nothing_is_known_is_handed_back(lines):
    text = f"""
import numpy as np


def made(p, x: np.ndarray):
    {lines}


def keys(held):
    if isinstance(held, dict):
        return list(held) + [k for inner in held.values() for k in keys(inner)]
    return [k for inner in held for k in keys(inner)] if isinstance(held, list) else []


def f(p, x: np.ndarray):
    held, total = made(p, x)
    return keys(held), total
"""
    nested = {**D, "inner": {"z": D, "a": X}}
    assert "@jax.jit\ndef made" not in check_agrees(text, (nested, X), idempotent=False)


@pytest.mark.parametrize(
    "lines",
    [
        "return p, p * x",
        "p = p - x\n    return p, x",
        "p += x\n    return p, -x",
        "return p, np.dot(p, x)",
        "return p.sum(), x",
    ],
)
def test_numbers_that_are_handed_back_are_compiled(lines):
    text = f"import numpy as np\n\n\ndef f(p, x: np.ndarray):\n    {lines}\n"
    assert "@jax.jit" in check_agrees(text, (X, X))


OTHER = {"w1": D["w2"], "w2": D["w1"]}
BY_ANOTHER = [
    "p[list(q)[0]]",
    "p[tuple(q)[0]]",
    "p[next(iter(q))]",
    "p[[*q][0]]",
    "p.get(list(q)[0])",
    "p[list(reversed(list(q)))[0]]",
    "np.stack([p[k] for k in q])[0]",
    "[p[k] for k, _ in q.items()][0]",
    "p[max(enumerate(q))[1]]",
    "[p[k] for k in list(map(str, q))][0]",
]


@pytest.mark.parametrize("annotation", ["", ": dict"])
@pytest.mark.parametrize("value", BY_ANOTHER)
def test_the_keys_of_one_dict_index_another(value, annotation):
    text = f"import numpy as np\n\n\ndef f(p{annotation}, q{annotation}, x: np.ndarray):\n    return np.tanh({value} @ x)\n"
    check_agrees(text, (OTHER, D, X), (D, OTHER, X))


def test_keys_are_unpacked_and_index_another():
    text = "import numpy as np\n\n\ndef f(p, q, x: np.ndarray):\n    k, *_ = q\n    return np.tanh(p[k] @ x)\n"
    check_agrees(text, (OTHER, D, X), (D, OTHER, X))


def test_items_of_what_is_not_gone_through_index_another():
    text = "import numpy as np\n\n\ndef f(x, order, y: np.ndarray):\n    return y * x[order[0]]\n"
    assert "@jax.jit" in check_agrees(text, (X, np.array([2, 0]), X))
