"""Loops through lists of arrays, such as the layers of a network: jit takes the list apart, and unrolls them."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, check_transformed, compare_values, convert, run

R = np.random.default_rng(0)
LAYERS = [(np.ones((2, 3)), np.arange(3.0)), (np.full((3, 2), 0.5), np.ones(2))]


def test_layers_of_a_network():
    check_transformed(
        """
        import numpy as np


        def forward(params, x):
            found = [x]
            for w, b in params[:-1]:
                found.append(np.tanh(np.dot(found[-1], w) + b))
            w, b = params[-1]
            return found, np.dot(found[-1], w) + b


        def moved(params, grads, step: float):
            return [(w - step * dw, b - step * db) for (w, b), (dw, db) in zip(params, grads)]


        def sizes(params):
            total = np.zeros(2)
            for layer in range(len(params)):
                w, b = params[layer]
                total = total + np.array([np.sum(w), np.sum(b)])
            return total


        def main():
            params = [(np.ones((2, 2)), np.ones(2))]
            print(forward(params, np.ones(2)), moved(params, params, 0.5), sizes(params))
        """,
        """
        @jax.jit
        def forward(params, x):
            found = [x]
            for w, b in params[:-1]:
                found.append(jnp.tanh(jnp.dot(found[-1], w) + b))
            w, b = params[-1]
            return found, jnp.dot(found[-1], w) + b


        def moved(params, grads, step: float):
            return [(w - step * dw, b - step * db) for (w, b), (dw, db) in zip(params, grads)]


        @jax.jit
        def sizes(params):
            total = jnp.zeros(2)
            for layer in range(len(params)):
                w, b = params[layer]
                total = total + jnp.array([jnp.sum(w), jnp.sum(b)])
            return total


        def main():
            params = [(jnp.ones((2, 2)), jnp.ones(2))]
            print(forward(params, jnp.ones(2)), moved(params, params, 0.5), sizes(params))
        """,
    )


@pytest.mark.parametrize(
    "body",
    [
        "return sum(np.sum(w) + np.sum(b) for w, b in params)",
        "return [np.dot(w, b) for w, b in params]",
        "kept = []\n    for i, (w, b) in enumerate(params):\n        kept.append(i * w)\n    return kept",
        "found = {}\n    for w, b in params:\n        found[w.shape[0]] = np.sum(b)\n    return found[2] + found[3]",
        "y = [np.sqrt(b) for _w, b in params]\n    y.reverse()\n    y.append(params[0][0])\n    return y",
        "for w, b in params:\n        params = params + [(w, b)]\n    return np.sum(params[-1][1])",
    ],
)
def test_they_agree(body):
    calls = f"\n\ndef main():\n    print(f({'[(np.ones((2, 2)), np.ones(2)), (np.ones((3, 3)), np.ones(3))]'}))\n"
    check_agrees(f"import numpy as np\n\n\ndef f(params):\n    {body}\n{calls}", (LAYERS,))


def test_a_list_of_numbers_is_not_unrolled():
    text = "import numpy as np\n\n\ndef f(xs, y):\n    for x in xs:\n        y = y + np.sqrt(x)\n    return y\n\n\nf([1.0, 2.0], np.ones(3))\n"
    assert "jit" not in convert(text)[0]


@pytest.mark.parametrize(
    "body",
    [
        "params.append(params[0])\n    return np.sum(params[-1][0])",
        "other = params\n    other.append(params[0])\n    return np.sum(other[-1][0])",
        "held = [params]\n    held[0].append(params[0])\n    return np.sum(held[0][-1][0])",
        "held = [params]\n    for p in held:\n        p.append(params[0])\n    return np.sum(params[-1][0])",
        "held = []\n    KEPT.append(held)\n    held.append(1)\n    return np.sum(params[-1][0])",
    ],
)
def test_a_list_of_somebody_elses_is_changed_outside_of_jit(body):
    text = convert(f"import numpy as np\n\nKEPT = []\n\n\ndef f(params):\n    {body}\n\n\nf([(np.ones(2), np.ones(2))])\n")[0]
    assert "jit" not in text


@pytest.mark.parametrize("function", ["concatenate", "stack", "vstack", "hstack", "dstack", "column_stack"])
def test_a_variable_that_holds_a_list_of_lists(function):
    """JAX joins arrays only, and refuses lists of numbers."""
    x = np.arange(4.0)
    text = check_agrees(
        f"""
        import numpy as np

        def f(x: np.ndarray, k: float, n: int):
            rows = [[1.0, 2.0], [3, 4]]
            pairs = list(zip(range(n), range(n)))
            mixed, tuples = [], [(0, 1)]
            for i in range(3):
                mixed.append([x[i], k]) if i % 2 else mixed.append(x[1:3])
                tuples = tuples + [(i, 2)]
            return np.{function}(rows), np.{function}(mixed), np.{function}(tuples[1:]), np.{function}(pairs)
        """,
        (x, 1.0, 2),
        (x, -2.0, 1),
    )
    assert f"jnp.{function}([jnp.asarray(row) for row in rows])" in text
    check_agrees(
        f"""
        import numpy as np

        def pairs(n):
            found = []
            for i in range(n):
                found.append((i, 2.0))
            return found

        def f(n: int):
            return np.{function}(pairs(n)), np.{function}([[i, i] for i in range(n)])
        """,
        (3,),
    )


def test_a_list_of_arrays_is_joined_as_it_stands():
    text = check_agrees(
        """
        import numpy as np

        def f(x: np.ndarray, n: int):
            rows = [x]
            for i in range(n):
                rows.append(i * x)
            return np.vstack(rows)
        """,
        (np.arange(3.0), 2),
    )
    assert "jnp.vstack(rows)" in text


def test_itertools_gives_tuples():
    check_agrees(
        """
        import itertools
        from itertools import combinations

        import numpy as np

        def f(n: int):
            weights = np.array([0.5, 0.25, 0.25])
            pairs = itertools.product([1.0, 2.0], repeat=2)
            each = [np.prod(pair) for pair in pairs]
            return each, np.vstack(list(combinations(range(n), 2))), [np.prod(w) for w in itertools.product(weights, repeat=2)]
        """,
        (3,),
        keep=True,
    )


WEIGHTS = [R.normal(size=(3, 4)), R.normal(size=(4, 2))]
SQUARE = [R.normal(size=(3, 3)), R.normal(size=(3, 3))]
MANY = [np.eye(3) / (k + 1) for k in range(120)]
ROWS, INTEGERS = R.normal(size=(5, 3)), np.arange(6).reshape(2, 3)
CHAINS = {  # `ws`: an array, or a list of matrices, perhaps of different shapes
    "rows": "    for w in ws:\n        x = x @ w\n    return x",
    "rows in a shell": "    print(x.ndim)\n    for w in ws:\n        x = np.tanh(x @ w)\n    return x",
    "rows in reverse": "    for w in reversed(ws):\n        x = np.tanh(x @ w)\n    return x",
    "by index": "    for i in range(len(ws)):\n        x = np.tanh(x @ ws[i])\n    return x",
    "by index in reverse": "    for i in range(len(ws) - 1, -1, -1):\n        x = np.tanh(x @ ws[i])\n    return x",
}


@pytest.mark.parametrize("name", CHAINS)
def test_lists_of_matrices_of_different_shapes(name):
    text = f"import numpy as np\n\n\ndef f(x, ws):\n{CHAINS[name]}\n"
    made = convert(text, placement="fast")[0]
    assert "jit" in made
    before, after = run(text)["f"], run(made)["f"]
    for weights in (WEIGHTS, WEIGHTS[:1], tuple(WEIGHTS), SQUARE, np.array(SQUARE), MANY, []):
        for x in (ROWS, INTEGERS):
            given = weights[::-1] if "reverse" in name else weights
            if x is ROWS or (isinstance(weights, list) and 0 < len(weights) < 100):  # a condition in the report
                assert not compare_values(after(x, given), before(x, given))


def test_lists_of_layers():
    body = "    for w, b in layers:\n        x = np.maximum(x @ w + b, 0)\n    return x\n"
    text = f"import numpy as np\n\n\ndef f(x, layers):\n{body}"
    made = convert(text, placement="fast")[0]
    assert "jit" in made
    for layers in ([(w, w[0]) for w in WEIGHTS], [[w, w[0]] for w in SQUARE], []):
        assert not compare_values(run(made)["f"](ROWS, layers), run(text)["f"](ROWS, layers))
