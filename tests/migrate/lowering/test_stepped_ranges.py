"""`for s in range(a, b, hop)`: steps that are variables."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on, convert

BODIES = {
    "carried": "t = 0.0\nfor s in range({r}):\n    t = 0.5 * t + x[s]\nreturn t",
    "stored": "for s in range({r}):\n    x[s] = x[s] + s\nreturn x",
    "read after": "s = 7\nfor s in range({r}):\n    x[s] += 1.0\nreturn x, s",
    "break": "t = 0.0\nfor s in range({r}):\n    if x[s] > 1.5:\n        break\n    t += x[s]\nreturn t, s if len(range({r})) else -1",
    "else": "t = 0.0\nfor s in range({r}):\n    if x[s] > 1.5:\n        t = -1.0\n        break\nelse:\n    t = 2.0\nreturn t",
    "continue": "t = 0.0\nfor s in range({r}):\n    if x[s] > 0:\n        continue\n    t += x[s] * s\nreturn t",
    "windows": "out = []\nfor s in range({r}):\n    out.append(np.sum(x[s:s + size]))\nreturn np.array(out)",
    "bound in a turn": "t = 0.0\nfor s in range({r}):\n    t += x[s]\n    s += 1\nreturn t",
    "nested": "t = 0.0\nfor s in range({r}):\n    for u in range(s, len(x), hop + 5):\n        t += x[u] * x[s]\nreturn t",
}
RANGES = [
    "0, len(x), hop",
    "size, len(x), hop",
    "0, len(x) - size + 1, hop",
    "len(x) - 1, size, -hop",
    "size, len(x) - hop, 2 * hop",
]
RANGES += ["0, len(x), max(hop, 2)"]


def program(body, through):
    lines = body.replace("{r}", through).split("\n")
    return "import numpy as np\n\n\ndef f(x: np.ndarray, size: int, hop: int):\n" + "".join(f"    {line}\n" for line in lines)


@pytest.mark.parametrize("through", RANGES)
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_steps(body, through):
    text = program(body, through)
    made, functions, _diagnostics = convert(text)
    assert functions["f"].label != "kept", functions["f"].reason
    rng = np.random.default_rng(3)
    ran = [
        agrees_on(text, made, functions["f"], (rng.normal(size=n), k, h))
        for n, k, h in ((1, 1, 1), (5, 3, 2), (12, 1, 5), (12, 3, 2), (12, 3, 1))
    ]
    assert any(ran)


@pytest.mark.parametrize("body", ["carried", "stored", "read after", "continue"])
def test_steps_backwards(body):
    text = program(BODIES[body], "9, size, hop")
    made, functions, _diagnostics = convert(text)
    assert all(agrees_on(text, made, functions["f"], (np.arange(12.0) - 4, k, h)) for k in (0, 8, 9, 11) for h in (-1, -2, -9))


def test_compiled_as_a_whole():
    made = convert(program(BODIES["windows"], "0, len(x) - size + 1, hop"))[0]
    assert "jax.vmap(out_at)(jnp.arange(-(-(len(x) - size + 1) // hop)))" in made
    assert "lax.fori_loop(0, -(-len(x) // hop)" in convert(program(BODIES["carried"], "0, len(x), hop"))[0]


@pytest.mark.parametrize(
    "body",
    [
        "for s in range(0, len(x), hop):\n    print(s)\nreturn x",  # not compiled: as it was
        "t = 0.0\nfor s in range(0, len(x), hop):\n    t += x[s]\n    hop = 3\nreturn t",  # bound in the iterations
        "t = 0.0\nfor s in range(0, len(x), next(hops)):\n    t += x[s]\nreturn t",
    ],
)
def test_others_stay(body):
    text = program(body, "")
    assert "// hop" not in convert(text)[0]
